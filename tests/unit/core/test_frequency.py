"""Grouping by hash is grouping by value; a profile counts what is in each class."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kohort.core import frequency
from kohort.core.frequency import ClassProfile, FrequencySet, Grouping, Histogram, group, profile
from kohort.schema.sensitive import SensitiveDomain

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


def test_a_small_table_grows_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups are numbered alike, however small the first table is."""
    monkeypatch.setattr(frequency, "FEWEST_SLOTS", 4)
    codes = random_codes(400, 5, 3)
    assert as_lists(group(codes)) == grouped_plainly(codes)


# ── Profiles ─────────────────────────────────────────────────────────────────────────────────────


def profiled_plainly(
    rows: FrequencySet, class_of: Sequence[int], classes: int
) -> tuple[list[int], list[list[list[int]]]]:
    """Sizes and histograms, counted record by record."""
    sizes = [0] * classes
    histograms = [[[0] * len(domain) for _ in range(classes)] for domain in rows.sensitive_domains]
    for one, values, count in zip(class_of, rows.sensitive.tolist(), rows.counts.tolist(), strict=True):
        sizes[one] += count
        for histogram, value in zip(histograms, values, strict=True):
            if value < len(histogram[one]):
                histogram[one][value] += count
    return sizes, histograms


@pytest.mark.parametrize("sensitive_sizes", [(), (1,), (3, 70), (2, 2, 5)])
@pytest.mark.parametrize("tuples", [0, 1, 50])
def test_a_profile_counts_records(sensitive_sizes: tuple[int, ...], tuples: int) -> None:
    """Each class has the records of its tuples, by sensitive value too; a class may be empty."""
    draw = np.random.default_rng(tuples + len(sensitive_sizes))
    sensitive = np.empty((tuples, len(sensitive_sizes)), np.uint16)
    for column, size in enumerate(sensitive_sizes):
        sensitive[:, column] = draw.integers(0, size + 1, tuples)  # some have no value
    domains = tuple(SensitiveDomain(f"s{size}", np.ones(size, np.int64)) for size in sensitive_sizes)
    rows = FrequencySet(np.zeros((tuples, 1), np.uint16), sensitive, draw.integers(1, 9, tuples), domains)
    class_of = draw.integers(0, 4, tuples)
    found = profile(rows, class_of, 5)
    sizes, histograms = profiled_plainly(rows, class_of.tolist(), 5)
    assert found.sizes.tolist() == sizes
    assert [histogram.counts.tolist() for histogram in found.histograms] == histograms
    assert rows.records == sum(sizes)


def test_a_profile_of_sizes_alone() -> None:
    """A profile need know nothing but sizes."""
    assert ClassProfile(np.array([3, 4])).histograms == ()


@pytest.mark.parametrize("seed", range(6))
def test_a_profile_counts_people(seed: int) -> None:
    """Somebody with several records counts once in a class, and once for each different value."""
    draw = np.random.default_rng(seed)
    domains = (SensitiveDomain("a", np.ones(2, np.int64)), SensitiveDomain("b", np.ones(4, np.int64)))
    sensitive = np.stack([draw.integers(0, 3, 40), draw.integers(0, 5, 40)], axis=1).astype(np.uint16)
    people, class_of = draw.integers(0, 9, 40), draw.integers(0, 4, 40)
    rows = FrequencySet(np.zeros((40, 1), np.uint16), sensitive, draw.integers(1, 9, 40), domains, people)
    found = profile(rows, class_of, 5)
    whose = list(zip(class_of.tolist(), people.tolist(), sensitive.tolist(), strict=True))
    assert found.sizes.tolist() == [len({person for of, person, _ in whose if of == one}) for one in range(5)]
    for column, histogram in enumerate(found.histograms):
        known = {(of, person, values[column]) for of, person, values in whose}
        expected = [
            [sum((of, value) == (one, at) for of, _, value in known) for at in range(len(histogram.domain))]
            for one in range(5)
        ]
        assert histogram.counts.tolist() == expected


def test_histograms_are_found_by_name_and_classes_chosen() -> None:
    """A profile gives the histogram of an attribute by its name, and the profile of some of its classes."""
    histogram = Histogram(SensitiveDomain("a", np.array([3, 4])), np.array([[1, 2], [2, 2]]))
    classes = ClassProfile(np.array([3, 4]), (histogram,), np.array([7, 8]), outside=5)
    assert classes.of("a") is histogram
    with pytest.raises(KeyError):
        classes.of("b")
    second = classes.take(np.array([False, True]))
    assert (second.sizes.tolist(), second.of("a").counts.tolist(), second.outside) == ([4], [[2, 2]], 5)
    assert second.population is not None
    assert second.population.tolist() == [8]
    assert ClassProfile(np.array([3])).take(np.array([True])).population is None
