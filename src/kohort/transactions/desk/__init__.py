"""The desk's pages for transactions: the roles of items, which items a release drops, and what that costs.

`pages` has the pages, and `questions` their answers; everything else is shared by all kinds of data.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from kohort.desk.kinds import DOING, STEPS, DataKind, Folder, document_in
from kohort.engines.base import LOCALLY
from kohort.errors import UnsupportedError
from kohort.job.form import PURPOSE
from kohort.transactions import form
from kohort.transactions.io.seen import seen_in
from kohort.transactions.request import TransactionRequest, of, refuse_target

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.assessment.inspection.distribution import Bar


def transactions_of(text: str, folder: Folder) -> TransactionRequest:
    """The request of the text of a job on transactions."""
    made = of(document_in(text, folder))
    refuse_target(made)
    engine = made.run.engine
    if engine != LOCALLY:
        raise UnsupportedError(f"the desk reads transactions itself, and the job leaves this to {engine}", where="run")
    return made


TRANSACTIONS: Final = DataKind(
    name="transactions",
    title="Transactions: one basket of items each",
    pages="kohort.transactions.desk.pages:TransactionPages",
    session="kohort.transactions.desk.questions:TransactionSession",
    request=transactions_of,
    steps=(("/items", "Items"), *STEPS),
    package="kohort.transactions.desk",
    table="transactions",
    detect=lambda path: seen_in(path).sure,
    reading=("transactions", "input"),
    forms={
        "transactions": form.TRANSACTIONS,
        "input": form.BASKETS,
        "privacy": form.COHERENCE,
        "items": form.ITEMS,
        "method": form.SUPPRESSION,
        "purpose": PURPOSE,
    },
    doing={
        **DOING,
        "look": "Reading the transactions",
        "roles": "Looking up the roles of items",
        "records": "Reading transactions",
        "changes": "Comparing transactions",
    },
    records="transactions",
    risk="Surest guess of a private item",
    loss="Occurrences lost",
    python="job = kohort.TransactionJob.from_toml({job!r})\n"
    "kohort.anonymize_transactions({source!r}, job, target={target!r})",
)


class ItemsLook(NamedTuple):
    """A transaction database as it is shown: no transaction, only items."""

    transactions: int
    names: tuple[str, ...]
    supports: tuple[int, ...]
    lengths: tuple[Bar, ...]
    empty: int
    unique: int
    repeated: int


class ItemRoles(NamedTuple):
    """The roles that a job gives to items.

    Attributes:
        private: The names of private items.
        public: Those of public ones; `None` where all others are.
        most: The transactions that a private item can be in, if any release is to be coherent.
        least: Items in fewer transactions are removed first.
        drawn: Whether they are drawn by lot.
        why: Why they cannot be told; then there are none.
        labels: The items that the job names, each as people read it.
    """

    private: tuple[str, ...] = ()
    public: tuple[str, ...] | None = None
    most: int | None = None
    least: int = 0
    drawn: bool = False
    why: str = ""
    labels: Mapping[str, str] = MappingProxyType({})

    def labelled(self, item: str) -> str:
        """An item as people read it."""
        return self.labels.get(item, item)
