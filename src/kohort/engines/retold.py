"""Columns released as they are that give away what the release hides of others: a code that stands for a country.

If each value of a released column goes with one value of a quasi-identifier, then whoever reads the one knows the
other, however it is generalized. Groups of few records have one value by chance, so what chance explains is left out.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.errors import SourceNote

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kohort.arrays import Counts
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
    released = [one.name for one in job.schema.unchanged if one.name not in left_out]
    for name, known in retold(table, released, hidden):
        note = f"{name} is released as it is, and {telling(name, known)} (--allow-singling {name})"
        warnings.warn(SourceNote(note), stacklevel=2)


def retold(table: Table, released: Sequence[str], hidden: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Each column released as it is that gives others back, and which.

    Args:
        table: The records.
        released: The columns that are released as they are.
        hidden: Those that are generalized or perturbed.
    """
    some = slice(None, None, -(-table.records // _LOOKED_AT) or 1)
    for name in released:
        known = [one for one in hidden if _is_retold(table[name].codes[some], table[one].codes[some])]
        if known:
            yield name, known


def telling(name: str, known: Sequence[str]) -> str:
    """What is wrong with releasing a column that gives others back, and what to do."""
    return (
        f"for nearly all records each of its values goes with one value of {', '.join(known)}: whoever reads it knows"
        f" that, however it is released; make {name} quasi-identifying or drop it, unless that does no harm"
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
    known = int(sizes[~several].sum())
    if known <= _NEARLY_ALL * records:
        return False
    beyond = known - _by_chance(sizes[sizes > 0], np.bincount(hidden))
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
