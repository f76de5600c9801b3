"""How the values of a column are distributed, coarse enough to look at: round intervals, or the most frequent names."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kohort.assessment.inspection.evidence import trimmed
from kohort.assessment.inspection.guesses import outermost, step_of
from kohort.schema.numbers import exact, interval

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from kohort.assessment.inspection.guesses import Guess
    from kohort.tables.table import Column, Table

#: So many names have a bar of their own.
NAMES: Final = 10

#: No name of fewer records is shown, and no smaller number.
LEAST: Final = 10

#: The roles of columns whose values are no names of people, nor nearly unique.
_SHOWN: Final = frozenset({"quasi", "sensitive", "insensitive"})


@dataclass(frozen=True, slots=True)
class Bar:
    """Records with a value, or with one of several.

    Attributes:
        label: The value, the interval, or how many others.
        records: How many records; `None` where they are fewer than `LEAST`.
    """

    label: str
    records: int | None


def distributions(table: Table, guesses: Sequence[Guess], missing: AbstractSet[str]) -> dict[str, tuple[Bar, ...]]:
    """The bars of all columns that identify nobody by themselves, as far as guessed.

    They are intervals in order, or values by falling number; then other values, and records without one.
    """
    pairs = zip(table.columns, guesses, strict=True)
    return {
        guess.name: tuple(_bars(column, guess, missing | {*guess.missing_tokens}))
        for column, guess in pairs
        if guess.role in _SHOWN
    }


def _bars(column: Column, guess: Guess, missing: AbstractSet[str]) -> Iterator[Bar]:
    column, _ = trimmed(column)
    absent, counts = column.absent(missing), column.counts()
    values = column.values.filter(~absent)
    step = step_of(outermost(values)) if guess.scale == "numeric" and len(values) else None
    found = dict(zip(values.to_list(), counts[~absent].tolist(), strict=True))
    if step is None:
        yield from _names(found)
    else:
        cells = Counter[int]()
        for text, records in found.items():
            cells[exact(text) // step] += records
        for cell in range(min(cells), max(cells) + 1):
            yield _bar(interval(cell * step, (cell + 1) * step), cells[cell])
    if absent.any():
        yield _bar("no value", int(counts[absent].sum()))


def _names(found: dict[str, int]) -> Iterator[Bar]:
    shown = sorted((text for text, records in found.items() if records >= LEAST), key=lambda text: (-found[text], text))
    for text in shown[:NAMES]:
        yield _bar(text, found.pop(text))
    if found:
        yield _bar(f"{len(found):,} other value{'s' * (len(found) != 1)}", sum(found.values()))


def _bar(label: str, records: int) -> Bar:
    return Bar(label, None if 0 < records < LEAST else records)
