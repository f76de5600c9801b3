"""Released records that are made when they are asked for."""

from __future__ import annotations

import numpy as np
import polars as pl

from kohort.tables.recoded import RecodedColumn, RecodedTable
from kohort.tables.table import Column


def test_records_are_the_same_before_and_after_they_are_made() -> None:
    """Some of them, all of them, and what is known of a column."""
    age = Column("age", pl.Series(["[1-5)", "[5-9)"]), np.array([1, 0], np.uint8), pl.String())
    ill = Column("ill", pl.Series(["flu", "gout", "cold"]), np.array([0, 2, 1, 2, 0], np.uint8), pl.String())
    lineage = np.array([3, 1, 0, 4], np.uint32)
    table = RecodedTable([RecodedColumn(age), RecodedColumn.of(ill, lineage)], np.array([3, 1]), lineage)
    blocks = [slice(0, 2), slice(2, 4), slice(1, 4), slice(3, 4)]
    before = [[codes.tolist() for codes in table.block(some)] for some in blocks]
    assert before[0] == [[1, 1], [1, 1]]
    assert before[1] == [[1, 0], [0, 0]]
    assert repr(table) == "<Released table; records: 4; columns: age, ill>"
    found = table.distinct("ill")
    assert dict(zip(found.texts.to_list(), found.counts.tolist(), strict=True)) == {"flu": 2, "cold": 2}
    assert [[codes.tolist() for codes in table.block(some)] for some in blocks] == before
    assert table.collect() is table.collect()
