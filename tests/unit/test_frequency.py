"""Grouping by hash is grouping by value; a profile counts what is in each class."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kohort import frequency
from kohort.frequency import ClassProfile, FrequencySet, Grouping, group, profile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kohort.arrays import Codes


def grouped_plainly(codes: Codes) -> tuple[list[int], list[int]]:
    """The first row of each group and the group of each row, by a dictionary of rows."""
    place: dict[tuple[int, ...], int] = {}
    of = [place.setdefault(tuple(row), len(place)) for row in codes.tolist()]
    return [of.index(number) for number in range(len(place))], of


def as_lists(grouping: Grouping) -> tuple[list[int], list[int]]:
    """The same as the plain version gives."""
    return grouping.first.tolist(), grouping.of.tolist()


def random_codes(rows: int, width: int, values: int) -> NDArray[np.uint16]:
    """Codes below `values`, the same for the same arguments."""
    return np.random.default_rng([rows, width, values]).integers(0, values, (rows, width), dtype=np.uint16)


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("width", range(1, 10))
@pytest.mark.parametrize("values", [1, 2, 40])
def test_groups_are_those_of_equal_rows(*, wide: bool, width: int, values: int) -> None:
    """Rows are in one group exactly if all their codes are equal; groups are numbered as they appear."""
    narrow = random_codes(300, width, values)
    codes = narrow.astype(np.uint32) * 100_000 if wide else narrow
    grouping = group(codes)
    assert as_lists(grouping) == grouped_plainly(codes)
    assert grouping.counts.tolist() == list(Counter(grouped_plainly(codes)[1]).values())


@pytest.mark.parametrize("rows", [0, 1])
@pytest.mark.parametrize("width", [0, 1, 4, 5])
def test_few_rows(rows: int, width: int) -> None:
    """No row is in no group, one row is in its own, also where rows have no columns."""
    codes = random_codes(rows, width, 9)
    assert as_lists(group(codes)) == (list(range(rows)), [0] * rows)
    assert as_lists(group(codes, give_up=True)) == (list(range(rows)), [0] * rows)


def test_rows_need_not_lie_together() -> None:
    """Columns of a wider matrix are grouped like a copy of them."""
    codes = random_codes(200, 8, 3)[:, 2:6]
    assert as_lists(group(codes)) == grouped_plainly(codes)


def test_many_groups_make_the_table_grow() -> None:
    """More groups than the first hash table holds are found all the same."""
    codes = random_codes(3 * frequency.FEWEST_SLOTS, 2, 60_000)
    codes.sort(axis=0)
    assert group(codes).first.size > frequency.FEWEST_SLOTS // 2
    assert as_lists(group(codes)) == grouped_in_order(codes)


def grouped_in_order(codes: Codes) -> tuple[list[int], list[int]]:
    """The plain version for rows that are ordered, so that equal ones are neighbours."""
    starts = np.append(True, (codes[1:] != codes[:-1]).any(axis=1))
    return np.flatnonzero(starts).tolist(), (np.cumsum(starts) - 1).tolist()


def test_a_full_table_grows_more_than_once() -> None:
    """Where few groups come first and many later, the table is enlarged as often as it takes."""
    rows = 20 * frequency.FEWEST_SLOTS
    rare = np.arange(rows, dtype=np.uint32)[:, np.newaxis]
    codes = np.where(rare < rows // 2, rare // 19, rare)
    assert as_lists(group(codes)) == grouped_in_order(codes)


def test_near_unique_rows_are_left_alone() -> None:
    """With `give_up`, a table whose first rows are nearly all distinct becomes groups of one; others are grouped."""
    unique = random_codes(frequency.PROBE + 1, 4, 60_000)
    unique[-1] = unique[0]
    given_up = group(unique, give_up=True)
    assert as_lists(given_up) == (list(range(len(unique))), list(range(len(unique))))
    assert group(unique).of[-1] == 0
    assert (group(unique[:-1], give_up=True).counts == group(unique[:-1]).counts).all()
    common = random_codes(frequency.PROBE + 1, 4, 3)
    assert as_lists(group(common, give_up=True)) == as_lists(group(common))


def test_the_compiled_loop_is_the_written_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run by Python itself, the loop groups as it does compiled, and keeps a table at most half full."""
    for name in ("same", "_insert"):
        monkeypatch.setattr(frequency, name, getattr(frequency, name).py_func)
    monkeypatch.setattr(frequency, "FEWEST_SLOTS", 4)
    codes = random_codes(400, 5, 3)
    with np.errstate(over="ignore"):
        assert as_lists(group(codes)) == grouped_plainly(codes)


# ── Profiles ─────────────────────────────────────────────────────────────────────────────────────


def profiled_plainly(
    rows: FrequencySet, class_of: Sequence[int], classes: int
) -> tuple[list[int], list[list[list[int]]]]:
    """Sizes and histograms, counted record by record."""
    sizes = [0] * classes
    histograms = [[[0] * size for _ in range(classes)] for size in rows.sensitive_sizes]
    for one, values, count in zip(class_of, rows.sensitive.tolist(), rows.counts.tolist(), strict=True):
        sizes[one] += count
        for histogram, value in zip(histograms, values, strict=True):
            histogram[one][value] += count
    return sizes, histograms


@pytest.mark.parametrize("sensitive_sizes", [(), (1,), (3, 70), (2, 2, 5)])
@pytest.mark.parametrize("tuples", [0, 1, 50])
def test_a_profile_counts_records(sensitive_sizes: tuple[int, ...], tuples: int) -> None:
    """Each class has the records of its tuples, by sensitive value too; a class may be empty."""
    draw = np.random.default_rng(tuples + len(sensitive_sizes))
    sensitive = np.empty((tuples, len(sensitive_sizes)), np.uint16)
    for column, size in enumerate(sensitive_sizes):
        sensitive[:, column] = draw.integers(0, size, tuples)
    rows = FrequencySet(np.zeros((tuples, 1), np.uint16), sensitive, draw.integers(1, 9, tuples), sensitive_sizes)
    class_of = draw.integers(0, 4, tuples)
    found = profile(rows, class_of, 5)
    sizes, histograms = profiled_plainly(rows, class_of.tolist(), 5)
    assert found.sizes.tolist() == sizes
    assert [histogram.tolist() for histogram in found.histograms] == histograms
    assert rows.records == sum(sizes)


def test_a_profile_of_sizes_alone() -> None:
    """A profile need know nothing but sizes."""
    assert ClassProfile(np.array([3, 4])).histograms == ()
