"""Laws of hierarchies: what holds for every tree, set of rows or domain."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from itertools import combinations_with_replacement, pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.errors import HierarchyError
from kohort.io.hierarchies import write_csv, write_json
from kohort.schema.hierarchies import (
    dates,
    findings,
    from_tree,
    groups,
    held_file,
    intervals,
    mask,
    read_held,
    read_hierarchy,
    show,
    to_tree,
    with_missing,
)
from kohort.schema.hierarchies.tree import are_edges
from kohort.schema.hierarchy import Hierarchy

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

    from hypothesis.strategies import DrawFn

    from kohort.schema.nesting import Pad

#: Text that a file can hold. A byte-order mark would vanish where it begins a file, as it must.
LABELS = st.text(st.characters(exclude_categories=["Cs", "Cn"], exclude_characters="\0\ufeff"), min_size=1, max_size=4)


@st.composite
def hierarchies(draw: DrawFn) -> Hierarchy:
    """Trees of one to four levels above one to about forty leaves, with any labels."""
    parents: list[list[int]] = []
    nodes = 1
    for _ in range(draw(st.integers(1, 4))):
        children = draw(st.lists(st.integers(1, 3), min_size=nodes, max_size=nodes))
        parents.insert(0, [node for node, count in enumerate(children) for _ in range(count)])
        nodes = len(parents[0])
    labels = [
        tuple(draw(st.lists(LABELS.filter(lambda label: label != "*"), min_size=size, max_size=size, unique=True)))
        for size in map(len, parents)
    ]
    return Hierarchy((*labels, ("*",)), tuple(map(np.array, parents)))


@given(hierarchies())
def test_every_node_covers_a_contiguous_range(hierarchy: Hierarchy) -> None:
    """Spans partition the leaves in order, and each leaf's ancestor is the node whose span holds it."""
    for level in range(hierarchy.height + 1):
        first, last = hierarchy.spans(level)
        ranges = [range(low, high + 1) for low, high in zip(first.tolist(), last.tolist(), strict=True)]
        assert [leaf for span in ranges for leaf in span] == list(range(len(hierarchy.leaves)))
        assert [node for node, span in enumerate(ranges) for _ in span] == hierarchy.maps[level].tolist()
        assert hierarchy.covered(level).tolist() == [len(span) for span in ranges]


@given(hierarchies())
def test_maps_compose(hierarchy: Hierarchy) -> None:
    """Going up one level and then another is going up two: leaves together stay together."""
    for level, parent in enumerate(hierarchy.parents):
        assert np.array_equal(parent[hierarchy.maps[level]], hierarchy.maps[level + 1])


@given(hierarchies())
def test_ancestor_is_the_lowest_common_one(hierarchy: Hierarchy) -> None:
    """The node returned is over both leaves, and no lower level has such a node."""
    pairs = list(combinations_with_replacement(range(len(hierarchy.leaves)), 2))
    low, high = np.array(pairs).T
    found = zip(*(array.tolist() for array in hierarchy.ancestor(low, high)), strict=True)
    for (one, other), (level, node) in zip(pairs, found, strict=True):
        common = [at for at, chain in enumerate(hierarchy.maps) if chain[one] == chain[other]]
        assert level == common[0]
        assert node == hierarchy.maps[level][one]


@given(hierarchies(), st.randoms(use_true_random=False))
def test_rows_round_trip(hierarchy: Hierarchy, chance: random.Random) -> None:
    """A hierarchy's rows build it again; in another order they build the same nodes."""
    rows = list(hierarchy.rows())
    assert Hierarchy.from_rows(rows) == hierarchy
    chance.shuffle(rows)
    shuffled = Hierarchy.from_rows(rows)
    assert sorted(shuffled.rows()) == sorted(rows)
    assert rows[0] == next(shuffled.rows())  # the first row decides which nodes come first


@given(hierarchies())
def test_trees_round_trip(hierarchy: Hierarchy) -> None:
    """A hierarchy's nested object builds it again."""
    assert from_tree(to_tree(hierarchy)) == hierarchy


@given(hierarchies(), st.sampled_from([";", ",", "\t", "|"]))
def test_files_round_trip(tmp_path_factory: pytest.TempPathFactory, hierarchy: Hierarchy, separator: str) -> None:
    """CSV with any separator and JSON keep every label."""
    folder = tmp_path_factory.mktemp("hierarchy")
    write_csv(hierarchy, folder / "h.csv", separator=separator)
    write_json(hierarchy, folder / "h.json")
    assert read_hierarchy(folder / "h.csv", separator=separator) == hierarchy
    assert read_hierarchy(folder / "h.json") == hierarchy


@given(hierarchies())
def test_held_files_round_trip(hierarchy: Hierarchy) -> None:
    """The file that a hierarchy would have holds it, whatever its labels could pass for."""
    assert read_held(held_file(hierarchy, "h")) == hierarchy


@given(hierarchies(), st.randoms(use_true_random=False))
def test_edges_in_any_order_are_the_rows(
    tmp_path_factory: pytest.TempPathFactory, hierarchy: Hierarchy, chance: random.Random
) -> None:
    """A hierarchy as a list of edges, however shuffled, is the hierarchy; rows of it are never taken for edges."""
    named = Hierarchy(
        tuple(tuple(f"{level}/{node}" for node in range(len(labels))) for level, labels in enumerate(hierarchy.labels)),
        hierarchy.parents,
    )
    edges = sorted({pair for row in named.rows() for pair in pairwise(row)})
    chance.shuffle(edges)
    path = tmp_path_factory.mktemp("edges") / "h.csv"
    path.write_text("".join(f"{child},{parent}\n" for child, parent in edges))
    assert sorted(read_hierarchy(path).rows()) == sorted(named.rows())
    assert are_edges(edges) == (named.height > 1)
    assert not are_edges(list(hierarchy.rows()))


@given(hierarchies(), st.data(), st.sampled_from(["up", "down"]))
def test_padding_changes_only_what_is_short(hierarchy: Hierarchy, data: st.DataObject, pad: Pad) -> None:
    """Leaves whose ancestors some are taken from keep those that are left, in order, each once or repeated."""
    rows = list(hierarchy.rows())
    cut = [data.draw(st.integers(1, len(row) - 1)) for row in rows]
    short = [row if not at else (row[0], *row[at:]) for at, row in zip([0, *cut[1:]], rows, strict=True)]
    try:
        made = {row[0]: row for row in Hierarchy.from_rows(short, pad=pad).rows()}
    except HierarchyError:
        return  # one label is then below two parents, or two have one label
    for row in short:
        padded = made[row[0]]
        assert len(padded) == len(rows[0])
        assert [label for label, above in pairwise([*padded, None]) if label != above] == [
            label for label, above in pairwise([*row, None]) if label != above
        ]


def nests(rows: Sequence[Sequence[str]]) -> bool:
    """The definition, read off the rows one by one: what `from_rows` must agree with."""
    if not rows or len({len(row) for row in rows}) > 1 or len(rows[0]) < 2:
        return False
    leaves = [row[0] for row in rows]
    if len(set(leaves)) < len(leaves) or len({row[-1] for row in rows}) > 1:
        return False
    if any("*" in row[:-1] for row in rows) or any(not row[-1] for row in rows):
        return False
    for level in range(len(rows[0]) - 1):
        if any(one[level] == other[level] and one[level + 1] != other[level + 1] for one in rows for other in rows):
            return False
        if level and any(row[0] and not row[level] for row in rows):
            return False
    return True


@given(
    st.integers(1, 4).flatmap(
        lambda width: st.lists(
            st.tuples(st.sampled_from("abcdefgh"), *[st.sampled_from(["x", "y", "z", "", "*"])] * (width - 1)),
            max_size=6,
            unique_by=lambda row: row[0],
        )
    )
)
def test_rows_are_accepted_exactly_when_they_nest(rows: list[tuple[str, ...]]) -> None:
    """Any rows build a hierarchy of these rows or raise, as the definition says."""
    if nests(rows):
        assert sorted(Hierarchy.from_rows(rows).rows()) == sorted(rows)
    else:
        with pytest.raises(HierarchyError):
            Hierarchy.from_rows(rows)


@given(
    st.lists(
        st.tuples(st.sampled_from(["a", "b", "c", ""]), st.sampled_from(["x", "y", ""]), st.sampled_from(["*", "r"])),
        max_size=4,
    )
)
def test_repeated_leaves_are_never_accepted(rows: list[tuple[str, ...]]) -> None:
    """Leaves may come twice here, and missing values too; the definition still decides."""
    if nests(rows):
        assert Hierarchy.from_rows(rows).check([row[0] for row in rows]) == 0
    else:
        with pytest.raises(HierarchyError):
            Hierarchy.from_rows(rows)


@given(hierarchies(), st.sampled_from(["", "missing-token"]))
def test_a_missing_value_meets_others_only_at_the_root(hierarchy: Hierarchy, token: str) -> None:
    """One leaf is added at the end, and its lowest common ancestor with any other leaf is the root."""
    missing = with_missing(hierarchy, token)
    assert missing.leaves == (*hierarchy.leaves, token)
    others = np.arange(len(hierarchy.leaves))
    level, _ = missing.ancestor(others, np.full_like(others, len(others)))
    assert (level == missing.height).all()
    assert list(missing.rows())[:-1] == list(hierarchy.rows())


NUMBERS = st.decimals(-1000, 1000, places=2).map(str).filter(lambda text: not text.startswith("-0.00"))


@given(
    st.lists(NUMBERS, min_size=1, max_size=30),
    st.lists(st.integers(2, 4), min_size=1, max_size=3),
    st.decimals("0.01", 50, places=2),
    st.decimals(-100, 100, places=2),
)
def test_each_number_lies_in_one_range_of_a_level(
    values: list[str], factors: list[int], width: Decimal, origin: Decimal
) -> None:
    """Ranges have their level's width, hold their values and do not overlap; leaves ascend."""
    widths = [width]
    for factor in factors:
        widths.append(widths[-1] * factor)
    ranges = intervals(values, [str(each) for each in widths], origin=str(origin))
    numbers = [Decimal(leaf) for leaf in ranges.leaves]
    assert numbers == sorted(numbers)
    for level, each in enumerate(widths, start=1):
        bounds = [bounds_of(label) for label in ranges.labels[level]]
        assert all(high - low == each and (low - origin) % each == 0 for low, high in bounds)
        assert all(before[1] <= after[0] for before, after in pairwise(bounds))
        for number, row in zip(numbers, ranges.rows(), strict=True):
            low, high = bounds_of(row[level])
            assert low <= number < high


def bounds_of(label: str) -> tuple[Decimal, Decimal]:
    """The ends of a range, read off its label."""
    low, high = label[1:-1].rsplit("-", 1) if "--" not in label else label[1:-1].replace("--", "~-").split("~")
    return Decimal(low), Decimal(high)


@given(st.lists(st.text("abc*", min_size=3, max_size=3), min_size=1, max_size=12), st.sampled_from(["left", "right"]))
def test_masked_codes_keep_their_other_characters(values: list[str], side: str) -> None:
    """On each level a code shows all but the masked characters, and equal ones share a node."""
    masked = mask(values, side="left" if side == "left" else "right")
    for row in masked.rows():
        assert row[-1] == "*"
        for level, label in enumerate(row[:-1]):
            kept = slice(level, None) if side == "left" else slice(None, len(row[0]) - level)
            assert label[kept] == row[0][kept]
            assert label.replace(label[kept], "", 1) in ("*" * level, label)


@given(
    st.lists(st.dates().filter(lambda day: not date(1582, 10, 4) < day < date(1582, 10, 15)), min_size=1, max_size=20)
)
def test_days_are_ordered_and_periods_hold_them(days: list[date]) -> None:
    """Leaves ascend in time, and a period's label begins as its days do."""
    calendar = dates(map(str, days))
    assert list(calendar.leaves) == [str(day) for day in sorted(set(days))]
    for day, month, quarter, year, decade, _ in calendar.rows():
        assert (month, year, decade[:3]) == (day[:7], day[:4], day[:3])
        assert quarter == f"{year}-Q{-(-int(day[5:7]) // 3)}"


@given(st.lists(LABELS, min_size=1, max_size=12, unique=True), st.randoms(use_true_random=False))
def test_the_order_of_values_does_not_matter(values: list[str], chance: random.Random) -> None:
    """Builders sort their values, so that a column's order of appearance shows nowhere."""
    codes = [f"{at:03}" for at, _ in enumerate(values)]
    shuffled = chance.sample(codes, len(codes))
    assert mask(shuffled) == mask(codes)
    numbers = [str(int(code)) for code in codes]
    assert intervals(chance.sample(numbers, len(numbers))) == intervals(numbers)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=6))
def test_groups_hold_as_many_values_as_asked(sizes: list[int]) -> None:
    """Groups have the sizes given, in order."""
    grouped = groups([f"v{at}" for at in range(sum(sizes))], sizes)
    assert grouped.covered(1).tolist() == sizes


@given(hierarchies(), st.integers(0, 60))
def test_a_shown_tree_keeps_to_its_limit(hierarchy: Hierarchy, limit: int) -> None:
    """Whatever fits is shown, and no more lines than asked beyond the root and the closing remark."""
    lines = show(hierarchy, limit=limit).split("\n")
    assert len(lines) <= max(limit, 1) + 1
    if limit >= sum(map(len, hierarchy.labels)):
        assert len(lines) == sum(map(len, hierarchy.labels))


@given(hierarchies())
def test_findings_quote_no_label(hierarchy: Hierarchy) -> None:
    """What is found is told by level and number, in words that do not depend on the labels."""
    renamed = Hierarchy(
        tuple(tuple(f"{level}/{node}" for node in range(len(labels))) for level, labels in enumerate(hierarchy.labels)),
        hierarchy.parents,
    )
    own = [finding for finding in findings(hierarchy) if "for different values" not in finding]
    assert own == list(findings(renamed))
