"""Columns released as they are that give away what the release hides of others: a code that stands for a country.

If each value of a released column goes with one value of a quasi-identifier, then whoever reads the one knows the
other, however it is generalized. Groups of few records have one value by chance, so what chance explains is left out.
"""

from __future__ import annotations

import warnings
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.errors import LimitError, SourceNote

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kohort.arrays import Counts
    from kohort.engines.relation import Relation
    from kohort.release import Job
    from kohort.tables.table import CellCodes, Table

#: The share of the records, beyond what chance explains, of which another column has to be known.
_NEARLY_ALL: Final = 0.9

#: Records of which it has to be known beyond what chance explains: of fewer nothing can be said.
_FEWEST: Final = 20

#: Records that are looked at, evenly chosen: enough for a share.
_LOOKED_AT: Final = 50_000


def note_retold(table: Table, job: Job) -> None:
    """Tell, as a `SourceNote`, of each column released as it is that gives generalized or perturbed ones back."""
    perturbed = {name for one in job.perturbations for name in one.columns}
    hidden = [one.name for one in job.schema.quasi] + sorted(perturbed)
    left_out = perturbed | {*job.allow_singling}
    _note(retold(table, [one.name for one in job.schema.unchanged if one.name not in left_out], hidden))


def note_retold_of(data: Relation, job: Job) -> None:
    """The same of records elsewhere, all of which are looked at: only where the values of columns do not exclude it.

    Columns whose values do not fit into memory are left out.
    """
    hidden, left_out = [one.name for one in job.schema.quasi], {*job.allow_singling}
    released = [one.name for one in job.schema.unchanged if one.name not in left_out]
    _note(_retold_of(data, released, hidden))


def _note(found: Iterator[tuple[str, list[str]]]) -> None:
    """Tell of columns that give others back."""
    for name, known in found:
        note = f"{name} is released unchanged, and {telling(name, known)} (--allow-singling {name})"
        warnings.warn(SourceNote(note), stacklevel=3)


def _retold_of(data: Relation, released: Sequence[str], hidden: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Each column released as it is that gives others back, and which."""
    values: dict[str, Counts] = {}
    for name in (*released, *hidden):
        with suppress(LimitError):
            values[name] = data.distinct(name).counts
    for name in (one for one in released if one in values):
        sizes = values[name]
        likely = [one for one in hidden if one in values and _may_retell(sizes, values[one])]
        found = zip(likely, data.known(name, likely) if likely else (), strict=True)
        known = [one for one, records in found if _retells(records, sizes, values[one])]
        if known:
            yield name, known


def _may_retell(sizes: Counts, values: Counts) -> bool:
    """Whether a column may give another one back: a value that goes with one of its values has no more records."""
    return bool(values.size) and _retells(int(sizes[sizes <= values.max()].sum()), sizes, values)


def retold(table: Table, released: Sequence[str], hidden: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Each column released as it is that gives others back, and which."""
    some = slice(None, None, -(-table.records // _LOOKED_AT) or 1)
    for name in released:
        known = [one for one in hidden if _is_retold(table[name].codes[some], table[one].codes[some])]
        if known:
            yield name, known


def telling(name: str, known: Sequence[str]) -> str:
    """What is wrong with releasing a column that gives others back, and what to do."""
    return (
        f"for nearly all records its value determines that of {', '.join(known)}, which the release hides:"
        f" make {name} quasi-identifying or drop it, unless that is harmless"
    )


def _is_retold(telling: CellCodes, hidden: CellCodes) -> bool:
    """Whether each value of one column goes with one value of another, of nearly all records.

    Args:
        telling: (n,) the codes of the released column.
        hidden: (n,) those of the other.
    """
    records, sizes = telling.size, np.bincount(telling)
    if not records:
        return False
    one = np.zeros(sizes.size, hidden.dtype)
    one[telling] = hidden  # some record's: another record that differs from it shows that there are several
    several = np.zeros(sizes.size, np.bool_)
    several[telling[one[telling] != hidden]] = True
    return _retells(int(sizes[~several].sum()), sizes[sizes > 0], np.bincount(hidden))


def _retells(known: int, sizes: Counts, values: Counts) -> bool:
    """Whether a column of which so many records tell the value of another one does so beyond what chance explains.

    Args:
        known: Records whose value of the one goes with one value of the other.
        sizes: (g,) the records with each value of the one.
        values: (v,) the records with each value of the other.
    """
    records = int(sizes.sum())
    if known <= _NEARLY_ALL * records:
        return False
    beyond = known - _by_chance(sizes, values)
    return beyond >= _FEWEST and beyond > _NEARLY_ALL * (beyond + records - known)  # what chance does not explain


def _by_chance(sizes: Counts, values: Counts) -> float:
    """Of how many records the value would be known if the values were dealt to the records anew.

    Args:
        sizes: (g,) the groups' records.
        values: (v,) the records with each value.
    """
    shares = values / values.sum()
    distinct, groups = np.unique(sizes, return_counts=True)
    return sum(int(size * many) * float((shares**size).sum()) for size, many in zip(distinct, groups, strict=True))
