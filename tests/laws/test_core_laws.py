"""Laws of the core: domains keep order and distance, grouping parts, labels grow with what they hold."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.core.frequency import FrequencySet, group, profile
from kohort.core.recoding import Multidimensional, RegionClasses, classes_of, set_text
from kohort.schema import Attribute, Role
from kohort.schema.domain import Domain, decimal, interval, resolve
from kohort.schema.hierarchies import suppress
from kohort.schema.numbers import exact
from kohort.schema.sensitive import SensitiveDomain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Index

#: Plain decimal numbers, short and immense, some written with needless zeros.
numbers = st.one_of(
    st.integers(-9, 9).map(str),
    st.decimals(-(10**6), 10**6, places=3).map(str),
    st.integers(-(10**30), 10**30).map(str),
    st.integers(-99, 99).map(lambda number: f"{number}.50"),
)

names = st.text(st.characters(exclude_categories=["Cs", "Cn"]), max_size=3)

#: Rows of few codes, so that many are equal.
code_rows = st.integers(1, 6).flatmap(
    lambda width: st.lists(st.lists(st.integers(0, 2), min_size=width, max_size=width), min_size=1, max_size=40)
)


def resolved(texts: Sequence[str], **parts: Any) -> tuple[Domain, dict[str, int]]:  # noqa: ANN401  an attribute's
    """The domain over some cells, and the code of each text."""
    records = Counter(texts)
    domain, codes = resolve(
        Attribute("x", Role.QUASI, **parts), list(records), np.array(list(records.values())), frozenset({""})
    )
    return domain, dict(zip(records, codes.tolist(), strict=True))


# ── Domains ──────────────────────────────────────────────────────────────────────────────────────


@given(st.lists(numbers, min_size=1))
def test_codes_have_the_order_of_the_numbers(texts: list[str]) -> None:
    """A greater number has a greater code, equal ones share theirs, and its text is worth the same."""
    domain, code = resolved(texts)
    for one in texts:
        assert exact(domain.texts[code[one]]) == exact(one)
        for other in texts:
            assert (code[one] < code[other]) == (exact(one) < exact(other))


@given(st.lists(numbers, min_size=1))
def test_positions_keep_distances(texts: list[str]) -> None:
    """Positions are the numbers in multiples of a unit: exactly, or to half a unit where 62 bits do not hold them."""
    domain, code = resolved(texts)
    widest = max(abs(exact(text)) for text in texts) * 10 ** max(len(text.partition(".")[2]) for text in texts)
    for text in texts:
        apart = abs(int(domain.positions[code[text]]) * domain.unit - exact(text))
        assert apart <= (domain.unit / 2 if widest >= 1 << 62 else 0)


@given(st.lists(numbers | st.just(""), min_size=1), st.randoms(use_true_random=False))
def test_the_order_of_values_does_not_matter(texts: list[str], random: Any) -> None:  # noqa: ANN401  Hypothesis's own
    """The same records in another order have the same domain and codes."""
    domain, code = resolved(texts)
    shuffled = list(texts)
    random.shuffle(shuffled)
    again, same = resolved(shuffled)
    assert (again.texts, again.ends, again.unit, same) == (domain.texts, domain.ends, domain.unit, code)
    assert again.positions.tolist() == domain.positions.tolist()


@given(st.lists(names, min_size=1), st.sampled_from(["frequency", "sorted"]), st.randoms(use_true_random=False))
def test_the_order_of_names_does_not_matter(texts: list[str], order: str, random: Any) -> None:  # noqa: ANN401  as above
    """Names are coded by their order alone, every name once."""
    domain, code = resolved(texts, scale="categorical", order=order)
    shuffled = list(texts)
    random.shuffle(shuffled)
    assert resolved(shuffled, scale="categorical", order=order)[1] == code
    assert sorted(code.values()) == list(range(len(domain)))
    assert all(domain.texts[number] == text for text, number in code.items())


@given(
    st.lists(st.decimals(-50, 50, places=2).map(str), min_size=1),
    st.decimals("0.01", 40, places=2).map(Fraction) | st.integers(1, 99).map(Fraction),
)
def test_every_number_is_in_its_cell(texts: list[str], step: Fraction) -> None:
    """A number's code is the one cell of the grid that holds it; cells are disjoint and ascend."""
    domain, code = resolved(texts, grid=step)
    lower, upper = ([int(end) * domain.unit for end in ends] for ends in (domain.positions, domain.upper))
    for text in texts:
        assert lower[code[text]] <= exact(text) < upper[code[text]]
    assert all(end - start == step and start % step == 0 for start, end in zip(lower, upper, strict=True))
    assert all(end <= start for end, start in zip(upper, lower[1:], strict=False))
    assert domain.texts == tuple(interval(start, end) for start, end in zip(map(Fraction, lower), upper, strict=True))
    assert set(code.values()) == set(range(len(domain)))


@given(st.integers(), st.integers(0, 40))
def test_decimals_are_read_as_they_were(number: int, digits: int) -> None:
    """The text of a number that ends is worth the number."""
    assert exact(decimal(Fraction(number, 10**digits))) == Fraction(number, 10**digits)


# ── Frequency sets ───────────────────────────────────────────────────────────────────────────────


@given(code_rows)
def test_groups_cover_and_are_disjoint(rows: list[list[int]]) -> None:
    """Two rows are in one group exactly if they are equal; groups are numbered by their first rows."""
    grouping = group(np.array(rows, dtype=np.uint16))
    of = grouping.of.tolist()
    assert [[one == other for other in rows] for one in rows] == [[one == other for other in of] for one in of]
    assert [rows[first] for first in grouping.first] == [rows[of.index(number)] for number in range(max(of) + 1)]
    assert all(one < other for one, other in pairwise(grouping.first.tolist()))
    assert grouping.counts.sum() == len(rows)


@given(code_rows, st.data())
def test_roll_up_composes(rows: list[list[int]], data: st.DataObject) -> None:
    """Profiles of merged classes are the sums of those of the parts."""
    codes = np.array(rows, dtype=np.uint16)
    counts = np.array(data.draw(st.lists(st.integers(1, 9), min_size=len(rows), max_size=len(rows))))
    frequency = FrequencySet(codes[:, :0], codes[:, :1], counts, (SensitiveDomain("s", np.ones(3, np.int64)),))
    fine = np.array(data.draw(st.lists(st.integers(0, 4), min_size=len(rows), max_size=len(rows))))
    coarser = np.array(data.draw(st.lists(st.integers(0, 1), min_size=5, max_size=5)))
    parts, wholes = profile(frequency, fine, 5), profile(frequency, coarser[fine], 2)
    for merged in range(2):
        assert wholes.sizes[merged] == parts.sizes[coarser == merged].sum()
        assert (wholes.of("s").counts[merged] == parts.of("s").counts[coarser == merged].sum(axis=0)).all()
    assert (parts.of("s").counts.sum(axis=1) == parts.sizes).all()


# ── Recodings ────────────────────────────────────────────────────────────────────────────────────

#: Ways to release numbers or names; a grid is declared, the rest depends on the values alone.
KINDS: tuple[dict[str, Any], ...] = (
    {},
    {"label": "mean"},
    {"label": "set"},
    {"grid": 5},
    {"scale": "categorical"},
    {"scale": "categorical", "label": "range"},
    {"label": "ancestor", "hierarchy": suppress(map(str, range(-12, 13)))},
)

cells_and_regions = st.lists(
    st.tuples(st.integers(-12, 12).map(str) | st.just(""), st.integers(0, 5)), min_size=1, max_size=30
)


def labelled(records: Sequence[tuple[str, int]], parts: dict[str, Any]) -> tuple[RegionClasses, list[int], list[str]]:
    """The classes of cells in regions; the region of each cell, numbered from 0; and what each is released as."""
    cells = [cell for cell, _ in records]
    domain, code = resolved(cells, **parts)
    of: Index = np.unique(np.array([region for _, region in records]), return_inverse=True)[1]
    quasi = np.array([[code[cell]] for cell in cells], dtype=np.uint16)
    ends = [(quasi[of == region].min(axis=0), quasi[of == region].max(axis=0)) for region in range(of.max() + 1)]
    low, high = (np.array(codes, dtype=np.uint16) for codes in zip(*ends, strict=True))
    every, ones = np.arange(len(cells)), np.ones(len(cells), np.int64)
    frequency = FrequencySet(quasi, quasi[:, :0], ones)
    classes = classes_of(Multidimensional(every, of, ones, low, high), frequency, (domain,))
    labels = classes.labels[0]
    return classes, of.tolist(), [labels.texts[int(labels.of[region])] for region in of]


@pytest.mark.parametrize("parts", KINDS, ids=repr)
@given(records=cells_and_regions)
def test_classes_cover_and_are_disjoint(parts: dict[str, Any], records: list[tuple[str, int]]) -> None:
    """Every record is in one class, and two are in the same exactly if they have the same label."""
    classes, of, texts = labelled(records, parts)
    assert sorted(classes.sizes.tolist()) == sorted(Counter(texts).values())
    assert classes.regions.tolist() == np.bincount(of).tolist()
    assert len(set(zip(texts, classes.of[of].tolist(), strict=True))) == classes.sizes.size


@pytest.mark.parametrize("parts", KINDS, ids=repr)
@given(records=cells_and_regions)
def test_merging_regions_never_loses_less(parts: dict[str, Any], records: list[tuple[str, int]]) -> None:
    """Where regions are merged each record's loss stays or grows; it lies in 0..1."""
    fine, of_fine, _ = labelled(records, parts)
    coarse, of_coarse, _ = labelled([(cell, region // 2) for cell, region in records], parts)
    lost, lost_more = fine.labels[0].losses[of_fine], coarse.labels[0].losses[of_coarse]
    assert (lost <= lost_more + 1e-12).all()
    assert (lost >= 0).all()
    assert (lost_more <= 1).all()


@pytest.mark.parametrize("parts", [part for part in KINDS if "grid" not in part], ids=repr)
@given(records=cells_and_regions)
def test_the_identity_costs_nothing(parts: dict[str, Any], records: list[tuple[str, int]]) -> None:
    """Where each value is a region of its own it is released as it is, and nothing is lost."""
    cells = [cell for cell, _ in records]
    domain, code = resolved(cells, **parts)
    classes, _, texts = labelled([(cell, code[cell]) for cell in cells], parts)
    assert texts == [domain.texts[code[cell]] for cell in cells]
    assert not classes.labels[0].losses.any()


@pytest.mark.parametrize("parts", KINDS, ids=repr)
@given(records=cells_and_regions)
def test_one_region_loses_the_observed_domain(parts: dict[str, Any], records: list[tuple[str, int]]) -> None:
    """Where all records are in one region its label may stand for every value: loss 1, or 0 for a single value."""
    classes, _, texts = labelled([(cell, 0) for cell, _ in records], parts)
    several = len({cell for cell, _ in records}) > 1
    assert classes.labels[0].losses.tolist() == [float(several)]
    assert classes.sizes.tolist() == [len(records)]
    assert len(set(texts)) == 1


@given(st.lists(names, min_size=1, unique=True), st.lists(names, min_size=1, unique=True))
def test_different_sets_have_different_texts(one: list[str], other: list[str]) -> None:
    """Sets of two and more names are told apart by their texts; the order in which they are given is not."""
    assert set_text(one) == set_text(reversed(one))
    if min(len(one), len(other)) > 1:
        assert (set_text(one) == set_text(other)) == (set(one) == set(other))
