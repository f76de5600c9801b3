"""Columns of names before and after, by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kohort.errors import HierarchyError, InputError
from kohort.schema import Attribute, Order, Role, Scale
from kohort.schema.hierarchy import Hierarchy
from tests.unit.assessment.comparison.tables import REGIONS, compared, line_of, quasi

if TYPE_CHECKING:
    from kohort.assessment.comparison import AttributeComparison

CITIES = ["Milano", "Milano", "Torino", "Bari", "Lecce", "Lecce"]


def bins(found: AttributeComparison) -> list[tuple[str, str, float, float]]:
    """The bars of a distribution, rounded."""
    return [(one.label, one.kind, one.before or 0, round(one.after or 0, 6)) for one in found.distribution]


def test_the_codes_of_an_order_count_every_record() -> None:
    """Cities share the code of their region, a node has it too, and the root is the mean of the leaves."""
    found = compared(CITIES, ["Nord", "Milano", "Sud", "Sud", "*", "*"], quasi("x", REGIONS))
    old, new = found.before.ordinal, found.after.ordinal
    assert old is not None
    assert new is not None
    assert (old.records, old.mean, new.records, new.mean) == (6, 1.5, 6, 1.5)
    assert (old.variance, new.variance) == pytest.approx((0.3, 0.2))
    assert compared(CITIES, CITIES).before.ordinal is None


def test_values_below_the_root_have_codes_of_their_own() -> None:
    """Without a level between, the codes are the leaves' order; a label that covers several is their mean."""
    sizes = Hierarchy.from_rows([["S"], ["M"], ["L"]], root="*")
    found = compared(["S", "M", "L", ""], ["{S, M}", "L", "", "*"], quasi("x", sizes)).after.ordinal
    assert found is not None
    assert found.records == 3
    assert found.mean == pytest.approx((1.5 + 3 + 2) / 3)


def test_total_variation_spreads_labels_evenly() -> None:
    """Shares .5 and .5 before; after, two thirds of one and a third of the other: a sixth has moved."""
    found = compared(["a", "a", "a", "b", "b", "b"], ["a", "{a, b}", "*"]).distance
    assert found is not None
    assert (found.kind, found.relative) == ("total variation", found.value)
    assert found.value == pytest.approx(1 / 6)
    gone = compared(["a", "a"], ["b"]).distance
    assert gone is not None
    assert gone.value == 1
    assert compared(["a"], []).distance is None


def test_names_are_shown_while_the_release_has_them() -> None:
    """Single names among the labels: one bar each; without a hierarchy the most frequent first, new ones last."""
    found = compared(CITIES, ["Milano", "Nord", "*"], quasi("x", REGIONS))
    assert bins(found) == [
        ("Milano", "value", 2, 1.75),
        ("Torino", "value", 1, 0.75),
        ("Bari", "value", 1, 0.25),
        ("Lecce", "value", 2, 0.25),
    ]
    found = compared(["b", "b", "a", ""], ["new", "{a, (missing)}", "b"])
    assert bins(found) == [
        ("b", "value", 2, 1),
        ("a", "value", 1, 0.5),
        ("new", "value", 0, 1),
        ("", "missing", 1, 0.5),
    ]


def test_only_nodes_are_left() -> None:
    """Where no label is a name, the bars are nodes of the lowest level that labels are of, which no guess spreads."""
    assert bins(compared(CITIES, ["Nord", "Sud", "Sud"], quasi("x", REGIONS))) == [
        ("Nord", "node", 3, 1),
        ("Sud", "node", 3, 2),
    ]
    assert [one[1] for one in bins(compared(CITIES, ["{Milano, Bari}"], quasi("x", REGIONS)))] == ["value"] * 4
    assert [one[0] for one in bins(compared(CITIES, ["*"], quasi("x", REGIONS)))] == ["Nord", "Sud"]


def test_many_names_are_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Too many leaves are shown by higher nodes; too many other names by the most frequent and others."""
    monkeypatch.setattr("kohort.assessment.comparison.distribution.BINS", 3)
    assert [one[0] for one in bins(compared(CITIES, CITIES, quasi("x", REGIONS)))] == ["Nord", "Sud"]
    found = bins(compared([*"aaabbccdd", ""], [*"abcd", ""]))
    assert found == [
        ("a", "value", 3, 1),
        ("b", "value", 2, 1),
        ("", "others", 4, 2),
        ("", "missing", 1, 1),
    ]
    many = Hierarchy.from_rows([[name, name.upper()] for name in "abcde"], root="*")
    assert [one[0] for one in bins(compared([*"aabcde"], [*"abcde"], quasi("x", many)))] == ["A", "B", ""]


def test_a_missing_name_is_a_value_of_its_own() -> None:
    """Null, the empty cell and what a label may hide: it has a bar, and `*` may be it."""
    found = compared(["a", None, ""], ["", "*"])
    assert (found.before.missing, found.after.missing, found.values) == (2, 1, (1, 1))
    assert bins(found) == [("a", "value", 1, 0.5), ("", "missing", 2, 1.5)]
    found = compared(["Milano", None], ["*", "*"], quasi("x", REGIONS))
    assert bins(found) == [("Nord", "node", 1, 0.8), ("Sud", "node", 0, 0.8), ("", "missing", 1, 0.4)]


def test_a_label_that_several_nodes_have_covers_all_of_them() -> None:
    """A province called as its town: the label stands for the province."""
    towns = Hierarchy.from_rows([["Roma", "Roma"], ["Tivoli", "Roma"], ["Bari", "Puglia"]], root="*")
    found = compared(["Roma", "Tivoli", "Bari"], ["Roma", "Bari"], quasi("x", towns))
    assert [one[3] for one in bins(found)] == [0.5, 0.5, 1]
    assert found.single == 1


def test_ranges_of_names_follow_the_order_of_the_attribute() -> None:
    """By the hierarchy's leaves, or the order that the schema gives."""
    found = compared(CITIES, ["[Torino-Bari]"], quasi("x", REGIONS))
    assert [one[3] for one in bins(found)] == [0, 0.5, 0.5, 0]
    ordered = Attribute("x", Role.QUASI, order=Order.SORTED)
    assert bins(compared([*"ccab"], ["[a-b]"], ordered))[0][3] == 0


def test_a_sensitive_hierarchy_orders_its_values() -> None:
    """A hierarchy of a column that is released as it is: codes along it; a builder's text is built over the values."""
    attribute = Attribute("x", Role.SENSITIVE, hierarchy=REGIONS)
    found = compared(["Bari", "Milano", "Elsewhere"], ["Bari"], attribute)
    assert found.before.ordinal is not None
    assert (found.before.ordinal.records, found.before.ordinal.mean) == (2, 1.5)
    codes = Attribute("x", Role.SENSITIVE, scale=Scale.CATEGORICAL, hierarchy="mask:right")
    found = compared(["20100", "20200"], ["20100"], codes)
    assert found.after.ordinal is not None
    assert compared([""], [""], Attribute("x", Role.SENSITIVE, hierarchy="mask:right")).after.ordinal is None


@pytest.mark.parametrize("label", ["Est", "{Milano", "{Roma, Napoli}", "[a-b]"])
def test_labels_that_no_node_has_are_refused(label: str) -> None:
    """With a hierarchy every label must mean something; the message counts and names the column."""
    with pytest.raises(InputError, match="1 of 2 different labels cannot be read") as caught:
        compared(CITIES, ["Nord", label], quasi("x", REGIONS))
    assert caught.value.where == "column x"
    assert label not in str(caught.value)


def test_values_that_are_no_leaf_are_refused() -> None:
    """As everywhere, the hierarchy of a quasi-identifier must hold its values."""
    with pytest.raises(HierarchyError):
        compared(["Roma"], ["Nord"], quasi("x", REGIONS))


def test_an_unchanged_star_is_a_value() -> None:
    """A cell that was `*` before is one; labels are read by themselves first."""
    assert bins(compared(["*", "a", "a"], ["*", "a"])) == [("a", "value", 2, 1), ("*", "value", 1, 1)]


def test_labels_are_read_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """However few fit together, they are read the same."""
    labels = ["{a, b}", "{b, c}", "{a, c}"]
    monkeypatch.setattr("kohort.assessment.labels._PAIRS", 1)
    after = line_of([*"abc"], labels).after
    found = {text: after.means.within(0, 1)[at] for at, text in enumerate(after.texts)}
    assert found == {"{a, b}": 1, "{b, c}": 0.5, "{a, c}": 0.5}


def test_unreadable_labels_are_counted_among_readable_ones() -> None:
    """Without a hierarchy a new name is one, and what looks like a set or a range and is none cannot be read."""
    with pytest.raises(InputError, match="2 of 4 different labels cannot be read"):
        compared([*"abcd"], ["{a, b}", "{a,}", "new", "[c-x]"])
