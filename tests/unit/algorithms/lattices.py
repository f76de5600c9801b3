"""Small tables with hierarchies for the lattice algorithms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tests.reference.lattice import Column, RawTable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kohort.models.base import PrivacyModel
    from tests.reference.lattice import Group


def accepts(models: Sequence[PrivacyModel]) -> Callable[[Group], bool]:
    """The same models of k-anonymity and `NotByThree`, as the plain reference asks them: by a class's records."""
    k = max(model.declared.smallest_class for model in models)
    divided = any(not model.declared.monotone_suppression for model in models)
    return lambda group: group.records >= k and not (divided and group.records % 3 == 0)


def chain(*rows: str, max_level: int | None = None) -> Column:
    """A column whose hierarchy has these rows, written as one letter a label: `abx*` is a, then b, then x, then `*`."""
    return Column(tuple(map(tuple, rows)), max_level=max_level)


#: Hierarchies of one, two and three levels; values that generalize early, and late; a level that changes nothing.
COLUMNS = (
    chain("a*", "b*", "c*"),
    chain("ap*", "bp*", "cq*", "dq*"),
    chain("ap*", "bq*", "cr*"),
    chain("apx*", "bpx*", "cqx*", "dry*", "ery*"),
    chain("apx*", "bpx*", "cqx*", "dry*", "ery*", max_level=1),
    chain("a*", "b*", max_level=0),
)


def random_table(seed: int) -> RawTable:
    """1 to 30 records over 1 to 4 quasi-identifiers, drawn from a seed; of some values there are many."""
    draw = np.random.default_rng(seed)
    places: list[int] = draw.integers(0, len(COLUMNS), int(draw.integers(1, 5))).tolist()
    columns = tuple(COLUMNS[place] for place in places)
    records, lean = int(draw.integers(1, 31)), float(draw.choice([1.0, 2.5]))
    cells = [
        [column.rows[int(len(column.rows) * share)][0] for share in (draw.random(records) ** lean).tolist()]
        for column in columns
    ]
    return RawTable(columns, tuple(zip(*cells, strict=True)))
