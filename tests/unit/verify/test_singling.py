"""Whom columns single out, where there are many records, columns or pairs."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.core.uniques import Singling
from kohort.errors import LimitError
from kohort.io import read
from kohort.schema import Attribute, Role, Schema
from kohort.sql.verify import WrittenParts, singled_out_of
from kohort.verify import Claim, singling
from kohort.verify.classes import ReleasedClasses
from kohort.verify.singling import drawn_of, most, singled_out, worst_of
from tests.reference.destinations import write_parts

if TYPE_CHECKING:
    from pathlib import Path


#: The records of some whole classes at a time.
PARTS: Any = vars(singling)["_parts"]


def columns(records: int, *sizes: int) -> list[list[str]]:
    """Columns of so many values each, the same each time."""
    rng = np.random.default_rng(7)
    return [[str(value) for value in rng.integers(0, size, records)] for size in sizes]


def table(records: int, *sizes: int) -> pl.DataFrame:
    """A table of them."""
    return pl.DataFrame({f"c{place}": cells for place, cells in enumerate(columns(records, *sizes))})


def test_no_column_singles_nobody_out() -> None:
    """A release of nothing but quasi-identifiers tells none."""
    assert singled_out([]) == ()


@pytest.mark.parametrize("each", [1, 3])
def test_a_sample_only_leaves_out_what_is_rare(monkeypatch: pytest.MonkeyPatch, each: int) -> None:
    """Where pairs are tried on a sample first, what is told has the figures of all records."""
    found = read(table(6_000, 3, 90, 80, 70)).columns
    people = None if each == 1 else np.arange(6_000) // each
    whole = singled_out(found, people)
    assert len(whole) > 4
    monkeypatch.setattr(singling, "SAMPLE", 500)
    assert singled_out(found, people) == whole


def test_the_worst_pairs_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many pairs only those that single out most, with a sample and without."""
    found = read(table(3_000, *range(60, 90, 4))).columns
    whole = singled_out(found)
    pairs = [one for one in whole if len(one.columns) == 2]
    assert len(pairs) == singling.PAIRS
    assert [one.unique for one in pairs] == sorted((one.unique for one in pairs), reverse=True)
    monkeypatch.setattr(singling, "SAMPLE", 300)
    sampled = [one for one in singled_out(found) if len(one.columns) == 2]
    assert len(sampled) == singling.PAIRS


def test_the_worst_pairs_of_a_sample_are_kept() -> None:
    """Of more pairs than are kept those that single out most of it come first, and none that does so to few."""

    def unique(*columns: int) -> int:
        return max(columns)  # a pair singles out as many as the greater of its columns says

    pairs = [(0, place) for place in range(1, 2 * singling.PAIRS)]
    kept = worst_of(pairs, 25 * singling.PAIRS, unique)
    assert kept == [(0, place) for place in range(2 * singling.PAIRS - 1, singling.PAIRS, -1)]


def test_sums_tell_the_same_as_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a release in parts, with a sample and without one, the same columns and pairs single out as many."""
    whole = read(table(3_000, 3, 90, 80, 70))
    claim = Claim(
        Schema(tuple(Attribute(name, Role.INSENSITIVE) for name in whole.names)), (), whole, np.empty(0, np.int64)
    )
    ordered = read(table(3_000, 3, 90, 80, 70).sort("c0", "c1", "c2", "c3"))
    written = WrittenParts.read(write_parts(tmp_path, ordered, [700, 2000]), claim, ["c0"], None)
    for size in (1 << 16, 300):
        monkeypatch.setattr(singling, "SAMPLE", size)
        expected = singled_out(ordered.columns)
        assert len(expected) > 4
        assert singled_out_of(written, written.names) == expected


def test_many_values_are_counted_by_sorting() -> None:
    """Two columns of many values: most pairs of values do not occur, and who is unique is found all the same."""
    cells = [[str(row // 2) for row in range(200)], [str((row + 1) // 2) for row in range(200)]]
    found = singled_out(read(pl.DataFrame(dict(zip("ab", cells, strict=True)))).columns)
    assert found == (Singling(("a",), 0, 200), Singling(("b",), 2, 200), Singling(("a", "b"), 200, 200))


#: Records with each value of some columns.
COUNTS = st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=6).map(np.array), min_size=1, max_size=4)


@given(COUNTS)
def test_the_bound_of_a_pair_is_the_sum_of_what_each_value_can_have(counts: list[np.ndarray]) -> None:
    """A value has one person at most for each value of the other column, whichever column is looked at."""
    for one, row in zip(counts, most(counts).tolist(), strict=True):
        for other, bound in zip(counts, row, strict=True):
            assert bound == min(np.minimum(one, other.size).sum(), np.minimum(other, one.size).sum())


@pytest.mark.parametrize("columns", [1, 2])
def test_more_columns_than_pairs_can_be_looked_at_are_refused(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    """Their pairs grow with the square; at the limit they are looked at."""
    monkeypatch.setattr(singling, "MOST_COLUMNS", 2)
    assert len(singled_out(read(table(300, *[2] * columns)).columns)) == columns
    with pytest.raises(LimitError, match="3 columns would be released unchanged"):
        singled_out(read(table(300, 2, 2, 2)).columns)


def test_nobody_is_drawn_twice() -> None:
    """Whoever is unique among all is unique in the sample."""
    assert sorted(drawn_of(100, 100).tolist()) == [*range(100)]


def test_the_same_are_drawn_each_time() -> None:
    """A release is refused, or not, whenever it is verified."""
    assert drawn_of(10_000, 9).tolist() == drawn_of(10_000, 9).tolist()


def test_whole_classes_are_looked_at_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as there is room for, at least one, however large it is."""
    monkeypatch.setattr(singling, "_TOGETHER", 2)
    classes = ReleasedClasses(np.array([0, 0, 0, 1, 2, 2]), np.array([3, 1, 2]), np.array([0, 3, 4]))
    found = [(some, part.sizes.tolist(), part.of.tolist()) for some, part in islice(PARTS(classes), 9)]
    assert found == [(slice(0, 3), [3], [0, 0, 0]), (slice(3, 4), [1], [0]), (slice(4, 6), [2], [0, 0])]
