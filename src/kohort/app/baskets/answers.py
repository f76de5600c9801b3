"""The answers to what a desk asks of transactions: plain values, of which only `Baskets` holds records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from kohort.app.answers import Change
    from kohort.assessment.inspection.distribution import Bar


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
    """

    private: tuple[str, ...] = ()
    public: tuple[str, ...] | None = None
    most: int | None = None
    least: int = 0
    drawn: bool = False
    why: str = ""


class Baskets(NamedTuple):
    """Transactions, for those who asked to see them.

    Attributes:
        before: The items of each.
        after: Those of the same transactions in the release, where there is one.
        first: The number of the first, from 1.
    """

    before: tuple[tuple[str, ...], ...]
    after: tuple[tuple[str, ...], ...] = ()
    first: int = 1


class BasketPreview(NamedTuple):
    """What a job would release: the steward's page model, see `kohort.report.page.transactions`; and its changes."""

    page: dict[str, Any]
    lost: int
    whole: int
    seconds: float
    changes: tuple[Change, ...] = ()


class Point(NamedTuple):
    """What a method would lose where one parameter has another value.

    Attributes:
        value: The value, as a job says it.
        method: The method's name.
        distortion: The share of the cells that is lost, 0..1; nothing is known where `why` is said.
        moles: The minimal moles before.
        dropped: The items that would be left nowhere.
        why: What stands in the way.
    """

    value: str
    method: str
    distortion: float = 0.0
    moles: int = 0
    dropped: int = 0
    why: str = ""
