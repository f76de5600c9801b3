"""What a released label covers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.assessment.labels import canonical, covered_by, covers, printed_values, span_of
from kohort.core.recoding import set_text
from kohort.errors import InputError
from kohort.schema.hierarchies import groups, intervals, with_missing
from kohort.schema.hierarchy import Hierarchy

REGIONS = Hierarchy.from_rows([["Milano", "Nord"], ["Torino", "Nord"], ["Bari", "Sud"]], root="Italia")


@pytest.mark.parametrize(
    ("label", "values", "covered"),
    [
        ("39", ["39", "39.0", "4"], [1, 1, 0]),
        ("a b", ["a b", "A b", "a  b"], [1, 0, 0]),
        ("", ["", "a"], [1, 0]),
        ("", ["a"], [0]),
        ("*", ["", "a", "3"], [1, 1, 1]),
        ("[-10--5]", ["-10", "-5", "-7.5", "-4.99", ""], [1, 1, 1, 0, 0]),
        ("[20-22.5)", ["20", "22.49", "22.5", "19"], [1, 1, 0, 0]),
        ("<16", ["15.9", "16", "-3"], [1, 0, 1]),
        (">=95", ["95", "94", "200"], [1, 0, 1]),
        ("{1, 2.0}", ["1", "2", "3"], [1, 1, 0]),
        ('{"a, b", (missing), "(missing)"}', ["a, b", "", "(missing)", "a"], [1, 1, 1, 0]),
        ("[x]", ["[x]", "x"], [1, 0]),
        ("00118", ["00118", "118"], [1, 0]),
    ],
)
def test_each_way_of_writing_a_label_covers_what_it_says(label: str, values: list[str], covered: list[int]) -> None:
    """Values, ranges, open ranges, sets and the star cover exactly what they name; equal numbers are one value."""
    assert covers([label], values).astype(int).tolist() == [covered]


def test_a_node_covers_the_leaves_below_it() -> None:
    """A node covers its leaves, the root also a missing value that is no leaf; a leaf covers itself."""
    found = covers(["Nord", "Bari", "Italia"], ["Bari", "Torino", "", "Oslo"], hierarchy=REGIONS)
    assert found.astype(int).tolist() == [[0, 1, 0, 0], [1, 0, 0, 0], [1, 1, 1, 0]]


def test_a_name_on_several_levels_covers_whatever_it_can_mean() -> None:
    """A label that names a leaf and a node above others covers both."""
    hierarchy = Hierarchy.from_rows([["a", "b"], ["b", "c"], ["d", "c"]], root="*")
    assert covers(["b"], ["a", "b", "d"], hierarchy=hierarchy).tolist() == [[True, True, False]]


def test_a_node_called_by_its_range_covers_numbers_that_are_no_leaf() -> None:
    """An interval of a hierarchy covers every number inside, listed or not."""
    hierarchy = intervals(["16", "18"], [5], low=16, high=26)
    assert covers(["[16-21)"], ["16.0", "17", "21"], hierarchy=hierarchy).tolist() == [[True, True, False]]


@pytest.mark.parametrize("keyword", ["order", "hierarchy"])
def test_a_range_of_names_goes_by_their_order(keyword: str) -> None:
    """Between two names lie those between them in the order, the missing value last; names may hold hyphens."""
    order = ["low", "mid-low", "mid", "high"]
    hierarchy = with_missing(groups(order, [2, 2]))
    values = [*order, ""]
    labels = ["[low-mid-low]", "[mid-low-mid]", "[mid-(missing)]"]
    found = covers(labels, values, order=order) if keyword == "order" else covers(labels, values, hierarchy=hierarchy)
    assert found.astype(int).tolist() == [[1, 1, 0, 0, 0], [0, 1, 1, 0, 0], [0, 0, 1, 1, 1]]


def test_the_missing_value_has_the_place_that_an_order_gives_it() -> None:
    """Where the order names the missing value, ranges of names begin, go on and end with it there."""
    order = ["", "a", "b", "c"]
    found = covers(["[(missing)-b]", "[b-c]"], ["a", "b", "c", ""], order=order)
    assert found.astype(int).tolist() == [[1, 1, 0, 1], [0, 1, 1, 0]]


@pytest.mark.parametrize(
    ("labels", "values", "unread"),
    [
        (["[a-b]", "a"], ["a", "b"], 1),
        (["[9-3]", "[3-9]"], ["4"], 1),
        (["{a b", "{a, }", '{"\\x", b}', "{}"], ["a"], 3),
        (["South", "5"], ["4"], 1),
        (["[3-9)x", "[x)"], ["4"], 2),
    ],
)
def test_labels_that_cannot_be_read_are_counted(labels: list[str], values: list[str], unread: int) -> None:
    """Ranges and sets that mean nothing, and names among numbers, are an error with their number and no cell."""
    with pytest.raises(InputError, match=f"^{unread} of {len(labels)} different labels cannot be read") as caught:
        covers(labels, values)
    assert labels[0] not in str(caught.value)


def test_a_name_that_the_hierarchy_lacks_cannot_be_read() -> None:
    """With a hierarchy a label must be a value or one of its nodes; without one a name that nobody has is a value."""
    with pytest.raises(InputError, match="1 of 1"):
        covers(["Est"], ["Bari"], hierarchy=REGIONS)
    assert not covers(["Est"], ["Bari"]).any()


@given(st.lists(st.text(max_size=4), min_size=1, max_size=5, unique=True), st.text(max_size=4))
def test_a_set_covers_its_members_and_nothing_else(members: list[str], other: str) -> None:
    """Whatever the members hold, the set that kohort writes of two or more covers exactly them, and tells them."""
    values = sorted({*members, other})
    if len(members) > 1:
        found = covers([set_text(members)], values)
        same = [canonical(value) in {*map(canonical, members), set_text(members)} for value in values]
        assert found.tolist() == [same]
        assert sorted(printed_values(set_text(members))) == sorted(members)


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=20, unique=True), st.integers(-50, 50), st.integers(0, 40))
def test_a_range_covers_the_numbers_between_its_ends(numbers: list[int], low: int, width: int) -> None:
    """By definition: low <= value <= high, and < high where the bracket is round."""
    labels = [f"[{low}-{low + width}]", f"[{low}-{low + width})"]
    values = np.array(numbers)
    expected = [(low <= values) & (values <= low + width), (low <= values) & (values < low + width)]
    assert np.array_equal(covers(labels, [str(number) for number in numbers]), np.array(expected))


def test_labels_are_read_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading in parts finds the same places as reading at once, and a label that cannot be read names the column."""
    monkeypatch.setattr("kohort.assessment.labels._PAIRS", 700)
    labels = [f"[{low}-{low + 3}]" for low in range(50)]
    values = [str(number) for number in range(60)]
    found = covered_by(labels, values, column="age")
    assert [places.tolist() for places in found] == [np.flatnonzero(row).tolist() for row in covers(labels, values)]
    assert [places.size for places in covered_by(["12*", "124"], ["124", "123"], column="zip", hierarchy="mask")] == [
        2,
        1,
    ]
    with pytest.raises(InputError, match="column age"):
        covered_by(["[3-1]"], values, column="age")


@pytest.mark.parametrize(
    ("label", "ends"),
    [("[20-29]", (20, 29, True)), ("[20-25)", (20, 25, False)), ("[5-3]", None), ("{1, 2}", None), ("a", None)],
)
def test_the_ends_of_a_range_can_be_read(label: str, ends: tuple[int, int, bool] | None) -> None:
    """A range of numbers has two ends and says whether the upper one is inside; nothing else has any."""
    found = span_of(label)
    assert (found and (int(found[0]), int(found[1]), found[2])) == ends


def test_only_ends_and_members_are_printed_values() -> None:
    """Ends of closed ranges and members of sets are; the ends of a point, of an interval, and names are not."""
    assert [len(printed_values(label)) for label in ("[1-2]", "[1-1]", "[1-2)", "[a-b]", "{1, 2, 3}", "1")] == [
        2,
        0,
        0,
        0,
        3,
        0,
    ]
