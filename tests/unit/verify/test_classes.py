"""Classes of a release: records alike in all columns."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kohort.verify.classes import classes_of

ROWS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1)), min_size=1, max_size=12)


@given(rows=ROWS, weighted=st.booleans(), ordered=st.booleans())
def test_records_alike_are_a_class(rows: list[tuple[int, int]], *, weighted: bool, ordered: bool) -> None:
    """In any order, those alike in all columns and no others; as large as the records that they stand for are many."""
    rows = sorted(rows) if ordered else rows
    weights = np.arange(1, len(rows) + 1) if weighted else None
    found = classes_of([*np.array(rows, np.uint8).T], len(rows), ordered=ordered, weights=weights)
    of: list[int] = found.of.tolist()
    assert [of.index(one) for one in of] == [rows.index(row) for row in rows]
    assert {*of} == {*range(found.sizes.size)}
    first: list[int] = found.first.tolist()
    assert [of[at] for at in first] == [*range(found.sizes.size)]
    each = np.ones(len(rows), np.int64) if weights is None else weights
    assert found.sizes.tolist() == [int(each[found.of == one].sum()) for one in range(found.sizes.size)]
