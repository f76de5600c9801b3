"""How a draft reads the table: without blanks around cells, with the texts that mean no value, and whose records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kohort.assessment.inspection.guesses import inspect_table
from kohort.assessment.inspection.panels import RECORDS, are_codes, period_of
from kohort.io.cells import trimmed

if TYPE_CHECKING:
    from collections.abc import Collection

    from kohort.assessment.inspection.guesses import Guess
    from kohort.tables.table import Table


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """A table as its draft reads it.

    Attributes:
        table: The records.
        guesses: One for each column, in order.
        missing: The texts that mean no value, the empty one first.
        trim: Whether blanks around cells are removed.
    """

    table: Table
    guesses: tuple[Guess, ...]
    missing: tuple[str, ...]
    trim: bool


def seen_in(table: Table, missing: tuple[str, ...]) -> Seen:
    """Look at a table; where it has blanks around cells or texts for no value, look again without them.

    A text means no value in the whole table. One that other columns hold as a value is left for somebody to decide.

    Args:
        table: The records as read.
        missing: The texts that mean no value, as far as they are known.
    """
    guesses = inspect_table(table, missing=frozenset(missing))
    trim = any(guess.trim for guess in guesses)
    if trim:
        table = trimmed(table)
        guesses = inspect_table(table, missing=frozenset(missing))
    tokens = sorted({token for guess in guesses for token in guess.missing_tokens})
    found = [token for token in tokens if all(_agrees(table, guess, token) for guess in guesses)]
    if found:
        missing = (*missing, *found)
        guesses = inspect_table(table, missing=frozenset(missing))
    return Seen(table, guesses, missing, trim)


def _agrees(table: Table, guess: Guess, token: str) -> bool:
    """Whether the text means no value in the guess's column too, or does not occur in it."""
    return token in guess.missing_tokens or not table[guess.name].values.eq(token).any()


def person_key(table: Table, guesses: tuple[Guess, ...], missing: Collection[str] = ("",)) -> str | None:
    """The identifying column that seems to say whose a record is, where some people have several; else `None`.

    It is a column of numbers or codes, which at least half of the records have. Of several the one with most values is
    taken. A wrong key, such as a telephone number that a family shares, makes classes larger than they need be, never
    smaller.

    Args:
        table: The records.
        guesses: One for each column.
        missing: The texts that mean no value.
    """
    found: dict[str, int] = {}
    for guess in guesses:
        column, present = table[guess.name], table.records - guess.missing
        values = column.values.filter(~column.absent(missing))
        if guess.role != "identifying" or guess.missing > present or len(values) == present or not are_codes(values):
            continue
        if len(values) * RECORDS >= present or (not guess.missing and period_of(table, guess.name)):
            found[guess.name] = len(values)
    return max(found, key=lambda name: found[name], default=None)
