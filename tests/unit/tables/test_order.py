"""Records are ordered by their keys, whether these fit a machine word or not."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kohort.core import order
from kohort.core.order import SortKey, order_by
from kohort.system import workspace
from kohort.system.workspace import blocks
from kohort.tables.texts import content_keys, ranks_of


@pytest.mark.parametrize("records", [0, 1, 2, 500])
@pytest.mark.parametrize("bits", [(1,), (5, 3), (30, 1, 20), (40, 30), (63,), (62, 62, 1), (0, 0)])
def test_records_are_ordered_by_their_keys(records: int, bits: tuple[int, ...]) -> None:
    """The order is that of the tuples of keys, first key first."""
    draw = np.random.default_rng([records, *bits])
    numbers = [draw.integers(0, 1 << size, records) for size in bits]
    found = order_by([SortKey(number) for number in numbers])
    assert sorted(found.tolist()) == list(range(records))
    rows = list(zip(*(number.tolist() for number in numbers), strict=True))
    assert [rows[place] for place in found] == sorted(rows)


def test_keys_may_be_looked_up() -> None:
    """A key's numbers may be ranks of codes."""
    ranks, codes = np.array([2, 0, 1]), np.array([0, 1, 2, 1], dtype=np.uint8)
    assert order_by([SortKey(ranks, codes)]).tolist() == [1, 3, 2, 0]
    assert SortKey(ranks, codes).records == 4
    assert SortKey(ranks, codes).of(slice(1, 3)).tolist() == [0, 1]


def test_the_size_of_blocks_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Records are taken in blocks that cover each of them once."""
    monkeypatch.setattr(workspace, "BLOCK", 3)
    assert [list(range(8))[rows] for rows in blocks(8)] == [[0, 1, 2], [3, 4, 5], [6, 7]]
    keys = [SortKey(np.array([3, 1, 2, 0, 3, 1, 2])), SortKey(np.array([1, 1, 0, 0, 0, 0, 0]))]
    assert order_by(keys).tolist() == [3, 5, 1, 6, 2, 4, 0] or order_by(keys).tolist() == [3, 5, 1, 2, 6, 4, 0]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 40), st.integers(0, 1 << 60)), max_size=60),
    st.sampled_from([1, 2, 5, 64]),
    st.sampled_from([1, 3, 24]),
)
def test_what_one_word_does_not_hold_is_ordered_by_more(
    monkeypatch: pytest.MonkeyPatch, rows: list[tuple[int, int, int]], together: int, piece: int
) -> None:
    """Run by run, however few records and bits are taken at a time; equal records stay as they come."""
    monkeypatch.setattr(order, "TOGETHER", together)
    monkeypatch.setattr(order, "PIECE", piece)
    monkeypatch.setattr(workspace, "BLOCK", 4)
    first, *others = (np.array(column, np.int64) for column in zip(*rows, strict=True)) if rows else [np.zeros(0, int)]
    keys = [SortKey(np.array([0, 1, 1, 2]), first), *map(SortKey, others), SortKey(first)]
    ranked = [(min(row[0], 1) + (row[0] == 3), *row[1:], row[0]) for row in rows]
    assert order_by(keys).tolist() == sorted(range(len(rows)), key=ranked.__getitem__)


def test_long_runs_are_taken_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many records are alike in the first word."""
    monkeypatch.setattr(order, "TOGETHER", 4)
    monkeypatch.setattr(workspace, "BLOCK", 4)
    draw = np.random.default_rng(1)
    keys = [np.sort(draw.integers(0, 3, 100)) << 58, draw.integers(0, 9, 100), draw.integers(0, 1 << 62, 100)]
    keys[0][90:] = np.arange(10) << 58
    assert order_by([*map(SortKey, keys)]).tolist() == np.lexsort(keys[::-1]).tolist()
    keys[0][:] = 1 << 58  # one run to the last record
    assert order_by([*map(SortKey, keys)]).tolist() == np.lexsort(keys[::-1]).tolist()


@given(st.lists(st.none() | st.text(st.characters(exclude_categories=["Cs"])), unique=True))
def test_ranks_are_those_of_the_bytes(texts: list[str | None]) -> None:
    """Texts are ranked by their UTF-8 bytes, the missing one first."""
    ranked = sorted(texts, key=lambda text: (text is not None, (text or "").encode()))
    assert ranks_of(pl.Series(texts, dtype=pl.String)).tolist() == [ranked.index(text) for text in texts]


@given(st.lists(st.tuples(*[st.sampled_from([None, "", "a", "é"])] * 2), min_size=1, max_size=20))
def test_a_missing_cell_is_the_empty_text_until_all_else_ties(rows: list[tuple[str | None, str | None]]) -> None:
    """What is written as CSV is in order, and Parquet has one order too."""
    cells = [pl.Series([row[at] for row in rows], dtype=pl.String) for at in (0, 1)]
    values = [column.unique() for column in cells]
    codes = [
        np.array([one.to_list().index(cell) for cell in column]) for one, column in zip(values, cells, strict=True)
    ]
    order = order_by(content_keys(zip(values, codes, strict=True)))
    expected = sorted(
        rows, key=lambda row: (*((cell or "").encode() for cell in row), *(cell is not None for cell in row))
    )
    assert [rows[place] for place in order] == expected
