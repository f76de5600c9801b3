"""A small transaction database, a correct release of it, and the ways to spoil that."""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kohort.errors import VerificationError
from kohort.transactions.coherence import Coherence
from kohort.transactions.database import Transactions
from kohort.transactions.io.options import BasketOptions, Form
from kohort.transactions.io.write import write_transactions
from kohort.transactions.verify import CoherenceClaim, CoherenceVerdict, verify_transactions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

#: What eight people bought: bread, jam, milk and tea are public, pill and test private, card neither; rice is too rare.
BOUGHT = (
    ("bread", "milk", "pill"),
    ("bread", "milk", "card"),
    ("bread", "milk", "tea", "jam"),
    ("tea", "jam", "card", "test"),
    ("tea", "pill"),
    ("bread", "milk", "tea"),
    (),
    ("rice", "tea"),
)
PUBLIC = frozenset({"bread", "jam", "milk", "tea"})
PRIVATE = frozenset({"pill", "test"})

#: jam is a mole alone; bread and tea are in two transactions together, as milk and tea are.
DROPPED = frozenset({"jam", "tea"})
REMOVED = frozenset({"rice"})

MODEL = Coherence.of(h="0.5", k=3, p=2)
LINES = BasketOptions()


@dataclass(frozen=True)
class Draft:
    """A release in the making.

    Attributes:
        rows: Its transactions in file order.
        lineage: The input's transactions that they claim to be.
        dropped: Items claimed to be suppressed everywhere.
        cells: Whether single cells may be suppressed.
        coherence: The promise.
        writing: The form of the file.
        source: The input's transactions.
    """

    rows: tuple[tuple[str, ...], ...]
    lineage: tuple[int, ...]
    dropped: frozenset[str] = DROPPED
    cells: bool = False
    coherence: Coherence = MODEL
    writing: BasketOptions = LINES
    source: tuple[tuple[str, ...], ...] = BOUGHT

    @property
    def claim(self) -> CoherenceClaim:
        """What it says of itself."""
        return CoherenceClaim(
            source=Transactions.of(self.source),
            coherence=self.coherence,
            public=PUBLIC,
            private=PRIVATE,
            removed=REMOVED,
            dropped=self.dropped,
            cells=self.cells,
            lineage=np.array(self.lineage, np.int64),
            writing=self.writing,
        )

    @property
    def database(self) -> Transactions:
        """The release in memory."""
        return Transactions.of(self.rows)

    @property
    def text(self) -> bytes:
        """The draft as basket lines, items as they stand."""
        return "".join(" ".join(row) + "\n" for row in self.rows).encode()

    @property
    def written(self) -> bytes:
        """The draft as kohort writes it, in its form."""
        file = io.BytesIO()
        write_transactions(self.database, file, self.writing)
        return file.getvalue()

    def at(self, place: int, row: Sequence[str]) -> Draft:
        """The draft with another transaction at a place."""
        return replace(self, rows=(*self.rows[:place], tuple(row), *self.rows[place + 1 :]))

    def taking(self, places: Sequence[int]) -> Draft:
        """The transactions at these places, in this order."""
        rows, lineage = tuple(self.rows[at] for at in places), tuple(self.lineage[at] for at in places)
        return replace(self, rows=rows, lineage=lineage)

    def ordered(self) -> Draft:
        """The same transactions in the order that a release has."""
        return self.taking(sorted(range(len(self.rows)), key=lambda place: self.rows[place]))

    def verdict(self, data: bytes | None = None) -> CoherenceVerdict:
        """The verdict on the draft, or on `data` in its place."""
        return verify_transactions(io.BytesIO(self.text if data is None else data), self.claim)


def draft(keep: Callable[[str], bool] = lambda name: name not in DROPPED | REMOVED) -> Draft:
    """The release of the items to keep, in order."""
    rows = tuple(tuple(sorted(filter(keep, row))) for row in BOUGHT)
    return Draft(rows, tuple(range(len(rows)))).ordered()


def refused(wrong: Draft, data: bytes | None = None) -> str:
    """The check that refuses the draft, or `data` in its place; no item may be told with it."""
    with pytest.raises(VerificationError) as caught:
        wrong.verdict(data)
    message = str(caught.value)
    assert not any(name in message.split() for row in BOUGHT for name in row)
    return caught.value.where.removeprefix("check ")


#: Forms that hold an item's name in the file, and how `Draft` writes them.
FORMS = (
    LINES,
    BasketOptions(separator=";"),
    BasketOptions(form=Form.LONG),
    BasketOptions(form=Form.LONG, separator="\t"),
    BasketOptions(form=Form.MATRIX_HEADER),
    BasketOptions(form=Form.LISTS),
)
