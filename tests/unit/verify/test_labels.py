"""The verifier's reading of labels, held against the definition of each kind."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.errors import VerificationError
from kohort.schema import Attribute, Label, Missing, Order, Role, Scale
from kohort.schema.hierarchies import from_tree, suppress
from kohort.schema.hierarchy import Hierarchy
from kohort.system import workspace
from kohort.verify import labels as label_reading
from kohort.verify.labels import Meaning, meaning_of, off_grid, parted, several_nodes, twofold
from kohort.verify.values import SourceValues, values_of

if TYPE_CHECKING:
    from collections.abc import Sequence

CITIES = Hierarchy.from_rows([["Rome", "Centre"], ["Bari", "South"], ["Naples", "South"], ["Milan", "North"]], root="*")
AGES = Hierarchy.from_rows([[str(age), f"{age // 10 * 10}s"] for age in range(20, 60)], root="anyone")


def values(
    attribute: Attribute, texts: Sequence[str | None], missing: frozenset[str] = frozenset({""})
) -> SourceValues:
    """The values of a column that holds each text once."""
    return values_of(attribute, pl.Series(texts, dtype=pl.String), lambda: np.ones(len(texts), np.int64), missing)


def quasi(**what: object) -> Attribute:
    """A quasi-identifier called `a`."""
    return Attribute("a", Role.QUASI, **what)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def read(attribute: Attribute, texts: Sequence[str | None], *labels: str) -> Meaning:
    """What the labels mean where these are the values."""
    return meaning_of(values(attribute, texts), pl.Series(labels, dtype=pl.String))


def held(attribute: Attribute, texts: Sequence[str | None], label: str) -> list[str | None] | None:
    """The values inside a label; `None` where the schema cannot produce it."""
    meaning = read(attribute, texts, label)
    if not meaning.known[0]:
        return None
    every, at = np.arange(len(texts), dtype=np.uint16), np.zeros(1, np.uint8)
    return [
        text for place, text in enumerate(texts) if not label_reading.fit(meaning, every, np.array([place]), at).outside
    ]


@pytest.mark.parametrize(
    ("label", "inside"),
    [
        (".5", ["0.5", ".5"]),
        ("0.5", None),
        ("0", ["-.0"]),
        ("[-.25-.5]", ["0.5", ".5", "-.0", "-.25"]),
    ],
)
def test_numbers_without_a_digit_before_the_point(label: str, inside: list[str | None] | None) -> None:
    """They are numbers like any other, printed as they are written, since that is the shortest."""
    assert held(quasi(), ["0.5", ".5", "-.0", "-.25", "7"], label) == inside


@pytest.mark.parametrize(
    ("label", "inside"),
    [
        ("7", ["7"]),
        ("1.5", ["1.50", "1.5"]),
        ("1.50", None),
        ("0", ["-0"]),
        ("-0", None),
        ("[-5--1]", ["-5", "-1"]),
        ("[-5-7]", ["-5", "-1", "-0", "1.50", "1.5", "7"]),
        ("[-1-1.5]", ["-1", "-0", "1.50", "1.5"]),
        ("[-1-1.50]", None),
        ("[-1-1]", None),
        ("[7-12]", ["7", "12"]),
        ("[7-7]", None),
        ("[12-7]", None),
        ("", [None, ""]),
        ("*", ["-5", "-1", "-0", "1.50", "1.5", "7", "12", None, ""]),
        ("(missing)", None),
    ],
)
def test_numbers(label: str, inside: list[str | None] | None) -> None:
    """A number is itself or inside a closed range whose ends are printed values; a missing one is apart."""
    assert held(quasi(), ["-5", "-1", "-0", "1.50", "1.5", "7", "12", None, ""], label) == inside


@given(
    st.lists(st.decimals(-99, 99, places=2).map(str), min_size=2, max_size=8, unique=True).filter(
        lambda texts: all(text != "-0.00" for text in texts)
    ),
    st.data(),
)
def test_number_ranges_hold_what_lies_between_their_ends(texts: list[str], data: st.DataObject) -> None:
    """A range holds exactly the values from its least to its greatest, by the exact numbers."""
    low, high = sorted(data.draw(st.permutations(texts))[:2], key=Fraction)
    inside = [text for text in texts if Fraction(low) <= Fraction(text) <= Fraction(high)]
    assert held(quasi(scale=Scale.NUMERIC), texts, f"[{low}-{high}]") == inside


def test_numbers_beyond_62_bits() -> None:
    """However long the numbers, they are compared exactly."""
    wide = ["1", "98765432109876543210", "98765432109876543211", "-50000000000000000000.5"]
    assert held(quasi(), wide, "[1-98765432109876543210]") == wide[:2]
    assert held(quasi(), wide, "[-50000000000000000000.5-1]") == ["1", "-50000000000000000000.5"]


@pytest.mark.parametrize(
    ("label", "inside"),
    [
        ("[20-25)", ["20", "24.9"]),
        ("[20-30)", ["20", "24.9", "25"]),
        ("[-5-0)", ["-5"]),
        ("[30-35)", None),
        ("20", None),
        ("[20-24.9]", None),
        ("", [""]),
        ("*", ["20", "24.9", "25", "-5", ""]),
    ],
)
def test_grid_intervals(label: str, inside: list[str] | None) -> None:
    """A grid interval holds its lower end and not its upper; with a grid nothing else is printed."""
    assert held(quasi(grid=Fraction(5)), ["20", "24.9", "25", "-5", ""], label) == inside


@pytest.mark.parametrize(
    ("attribute", "on", "off"),
    [
        (quasi(grid=Fraction(5, 2)), ["[0-2.5)", "[-5-7.5)"], ["[0-2)", "[0-2.50)", "[1-5)"]),
        (quasi(grid=(Fraction(0), Fraction(18), Fraction(65))), ["[0-18)", "[18-65)"], ["[0-20)", "[0-66)"]),
        (quasi(grid="hierarchy", hierarchy=AGES), ["[20-30)", "[40-60)"], ["[20-35)", "[20-70)"]),
    ],
)
def test_grid_cuts(attribute: Attribute, on: list[str], off: list[str]) -> None:
    """An interval's ends are cuts of the declared grid, spelled shortest; labels of other kinds are not counted."""
    known = values(attribute, ["21", "35", "3"])
    assert off_grid(known, pl.Series([*on, "*", ""])) == 0
    assert off_grid(known, pl.Series([*on, *off], dtype=pl.String)) == len(off)


def test_cuts_of_a_hierarchy_given_as_text() -> None:
    """The boundaries of a hierarchy are cuts also where the text of a builder stands in its place."""
    known = values(quasi(grid="hierarchy", hierarchy="intervals:20..40:10"), ["21", "35"])
    assert off_grid(known, pl.Series(["[20-30)", "[30-50)", "[20-35)", "[30-41)"])) == 2


@pytest.mark.parametrize(
    ("label", "inside"),
    [
        ("a", ["a"]),
        ("{a, b}", ["a", "b"]),
        ('{a, "b, c"}', ["a", "b, c"]),
        ('{a, "x\\"y"}', ["a", 'x"y']),
        ('{"(missing)", a}', ["a", "(missing)"]),
        ("{(missing), a}", ["a", ""]),
        ("{a, nobody}", ["a"]),
        ("{b, a}", None),
        ("{a}", None),
        ("{a,b}", None),
        ("{a, b", None),
        ('{"a", b}', None),
        ('{"\\q", a}', None),
        ("(missing)", ["(missing)"]),
        ("", [""]),
        ("*", ["a", "b", "b, c", 'x"y', "(missing)", ""]),
    ],
)
def test_sets(label: str, inside: list[str] | None) -> None:
    """A set holds its members, and is spelled in one way only."""
    assert held(quasi(), ["a", "b", "b, c", 'x"y', "(missing)", ""], label) == inside


def test_sets_of_numbers() -> None:
    """Numbers may be released as sets, each as it is printed."""
    assert held(quasi(label=Label.SET), ["1.50", "1.5", "7"], "{1.5, 7}") == ["1.50", "1.5", "7"]


@pytest.mark.parametrize(
    ("order", "hierarchy", "label", "inside"),
    [
        (Order.SORTED, None, "[Bari-Naples]", ["Bari", "Milan", "Naples"]),
        (Order.SORTED, None, "[(missing)-Bari]", ["Bari", ""]),
        (Order.SORTED, None, "[Naples-Bari]", None),
        (None, CITIES, "[Rome-Bari]", ["Rome", "Bari"]),
        (Order.FREQUENCY, None, "[Rome-Bari]", None),
        (Order.SORTED, None, "Rome", ["Rome"]),
        (Order.SORTED, None, "[Rome]", None),
        (None, CITIES, "[Bari-Milan]", ["Bari", "Milan", "Naples"]),
    ],
)
def test_ranges_of_names(
    order: Order | None, hierarchy: Hierarchy | None, label: str, inside: list[str] | None
) -> None:
    """A range of names holds what lies between its ends in the attribute's order."""
    attribute = quasi(label=Label.RANGE, order=order, hierarchy=hierarchy, scale=Scale.CATEGORICAL)
    assert held(attribute, ["Rome", "Bari", "Milan", "Naples", ""], label) == inside


def test_order_by_frequency() -> None:
    """The most frequent name comes first; ties go by text."""
    texts, counts = pl.Series(["a", "b", "c", None]), np.array([1, 5, 1, 3])
    known = values_of(quasi(label=Label.RANGE), texts, lambda: counts, frozenset({""}))
    assert known.names.to_list() == ["b", "", "a", "c"]


@pytest.mark.parametrize("hierarchy", [CITIES, "prefix:1,2"])
@pytest.mark.parametrize(
    ("order", "names"),
    [
        (Order.SORTED, ["", "Bari", "Milan", "Naples", "Rome"]),
        (Order.FREQUENCY, ["Bari", "Naples", "", "Milan", "Rome"]),
        (Order.HIERARCHY, None),
        (None, None),
    ],
)
def test_the_order_of_names_with_a_hierarchy(
    order: Order | None, names: list[str] | None, hierarchy: Hierarchy | str
) -> None:
    """A hierarchy gives names their order only where no other is asked for; whom it does not have comes last."""
    texts, counts = pl.Series(["Rome", "Bari", "Milan", "Naples", None]), np.array([1, 5, 1, 3, 2])
    attribute = quasi(label=Label.RANGE, order=order, hierarchy=hierarchy, scale=Scale.CATEGORICAL)
    known = values_of(attribute, texts, lambda: counts, frozenset({""}))
    assert isinstance(known.hierarchy, Hierarchy)
    assert known.names.to_list() == (names or [*known.hierarchy.leaves, ""])


def test_numbers_of_any_length_are_exact() -> None:
    """Also where some fit into a machine's word and some do not."""
    known = values(quasi(), ["9223372036854775809", "-1", "9223372036854775808", "2"])
    assert [*known.numbers] == [-1, 2, 2**63, 2**63 + 1]


def test_dates_of_the_input_are_dates() -> None:
    """Whatever is no day of the calendar is refused, also where it comes first; what is missing is not."""
    attribute = quasi(scale=Scale.DATE)
    assert values(attribute, ["", "2024-02-29", None]).names.to_list() == ["738945"]
    with pytest.raises(VerificationError, match="2 values of the input are not dates"):
        values(attribute, ["2023-02-29", "2024-02-29", "spring"])


def test_ranges_of_names_with_hyphens() -> None:
    """Where names hold hyphens a range may be read in several ways: the widest counts."""
    texts = ["a", "b", "a-b", "b-c", "c"]
    attribute = quasi(label=Label.RANGE, order=Order.SORTED)
    assert held(attribute, texts, "[a-b-c]") == ["a", "b", "a-b", "b-c", "c"]
    assert held(attribute, ["(missing)", "", "x"], "[(missing)-x]") == ["(missing)", "", "x"]


@pytest.mark.parametrize(
    ("label", "inside"),
    [
        ("Rome", ["Rome"]),
        ("South", ["Bari", "Naples"]),
        ("*", ["Rome", "Bari", "Naples", "Milan", ""]),
        ("", [""]),
        ("Italy", None),
        ("{Bari, Naples}", None),
    ],
)
def test_hierarchy(label: str, inside: list[str] | None) -> None:
    """A node holds the leaves below it; a missing value lies below the root alone."""
    assert held(quasi(hierarchy=CITIES), ["Rome", "Bari", "Naples", "Milan", ""], label) == inside


def test_a_node_is_a_label_where_regions_are_released_as_nodes() -> None:
    """Numbers with a hierarchy are released as ranges, unless the schema asks for nodes: full-domain methods do."""
    nodes = quasi(hierarchy=AGES, label=Label.ANCESTOR)
    assert held(nodes, ["21", "35", "38", ""], "30s") == ["35", "38"]
    assert held(nodes, ["21", "35", "38", ""], "anyone") == ["21", "35", "38", ""]
    assert held(quasi(hierarchy=AGES), ["21", "35", "38", ""], "30s") is None


def test_a_hierarchy_given_as_text_is_built() -> None:
    """The text of a builder becomes a hierarchy over the values, for numbers and for names."""
    ages = quasi(hierarchy="intervals:20..40:10", label=Label.ANCESTOR)
    assert held(ages, ["21", "25", "35"], "[20-30)") == ["21", "25"]
    assert held(quasi(hierarchy="mask:right", scale=Scale.CATEGORICAL), ["201", "202", "310"], "20*") == ["201", "202"]


def test_means() -> None:
    """A mean has at most two digits more than the values, and no closing zeros unless a value is printed so."""
    labels = ("2", "2.25", "1.0", "-7.5", "", "*", "2.2555", "2.50", "02", "x", "2e1")
    meaning = read(quasi(label=Label.MEAN), ["1.0", "3", ""], *labels)
    assert meaning.known.tolist() == [True] * 6 + [False] * 5


def test_missing_values_that_must_be_suppressed() -> None:
    """Where the schema suppresses missing values, no label holds one."""
    attribute = quasi(missing=Missing.SUPPRESS)
    assert held(attribute, ["1", "2", ""], "*") == ["1", "2"]
    assert held(attribute, ["1", "2", ""], "") is None


def test_declared_tokens_are_missing() -> None:
    """The schema's tokens for "no value" are printed as the empty cell."""
    known = values(quasi(), ["1", "?", None], frozenset({"", "?"}))
    assert known.printed.to_list() == ["1", "", ""]
    assert known.numeric


@pytest.mark.parametrize("texts", [["007", "8"], ["1e5"], ["+4"], ["x", "1"], [""]])
def test_what_is_no_number(texts: list[str]) -> None:
    """One leading zero, exponent or sign makes a column of names; so does having no value."""
    assert not values(quasi(), texts).numeric


def test_mean_of_names_is_a_set() -> None:
    """Where means were asked for but the values are names, they are released as sets."""
    assert values(quasi(label=Label.MEAN), ["x", "y"]).label is Label.SET


@pytest.mark.parametrize(
    ("label", "texts", "expected"),
    [
        (None, ["1", "2"], Label.RANGE),
        (Label.NAMES, ["1", "2"], Label.RANGE),
        (Label.RANGE, ["1", "2"], Label.RANGE),
        (None, ["x", "y"], Label.ANCESTOR),
        (Label.NAMES, ["x", "y"], Label.SET),
    ],
)
def test_a_hierarchy_gives_names_their_labels_unless_others_are_asked_for(
    label: Label | None, texts: list[str], expected: Label
) -> None:
    """Numbers with a hierarchy stay ranges; sets of names leave them so."""
    assert values(quasi(label=label, hierarchy=suppress(texts)), texts).label is expected


@given(st.data())
def test_records_fit_as_told_one_by_one(data: st.DataObject) -> None:
    """However many records are walked at a time, the fit is the same."""
    texts = ["21", "24", "29", "30", "41"]
    labels = ["[21-29]", "[24-41]", "*", "30", "{21, 24}", "{30, 41}"]
    meaning = read(quasi(label=data.draw(st.sampled_from([Label.RANGE, Label.SET]))), texts, *labels)
    size = data.draw(st.integers(0, 40))
    value = np.array(data.draw(st.lists(st.integers(0, 4), min_size=size, max_size=size)), np.uint8)
    label = np.array(data.draw(st.lists(st.integers(0, 5), min_size=size, max_size=size)), np.uint16)
    lineage = np.array(data.draw(st.permutations(range(size))), np.int64)
    alone = [label_reading.fit(meaning, value, lineage[at : at + 1], label[at : at + 1]) for at in range(size)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workspace, "BLOCK", data.draw(st.sampled_from([8, 16, 104])))
        found = label_reading.fit(meaning, value, lineage, label)
    assert found.outside == sum(one.outside for one in alone)
    for end in ("at_low", "at_high"):
        places = [at for at, one in enumerate(alone) if one.among(getattr(one, end), slice(0, 1)).any()]
        among = [found.among(getattr(found, end), some) for some in workspace.blocks(size, 16)]
        assert np.flatnonzero(np.concatenate([np.zeros(0, np.bool_), *among])).tolist() == places


def test_nodes_above_the_highest_level_share_no_label() -> None:
    """A name of a leaf and of a wider node is told from the level of that node on."""
    hierarchy = Hierarchy.from_rows([["a", "x", "b"], ["b", "y", "b"]], root="*")
    assert [several_nodes(hierarchy, highest) for highest in (1, 2, 3, None)] == [[], ["b"], ["b"], ["b"]]


@pytest.mark.parametrize(
    ("attribute", "texts", "labels", "found"),
    [
        (
            quasi(label=Label.SET),
            ["a", "b", "{a, b}", "{c, d}"],
            ["{a, b}", "{c, d}", "a", "*"],
            [True, False, False, False],
        ),
        (quasi(label=Label.SET), ["a", "b", "*"], ["{a, b}", "*"], [False, True]),
        (quasi(label=Label.RANGE, order=Order.SORTED), ["a", "b", "[a-b]"], ["[a-b]", "a"], [True, False]),
        (quasi(), ["1", "2"], ["[1-2]", "*"], [False, False]),
    ],
)
def test_labels_that_are_values_too_are_read_in_two_ways(
    attribute: Attribute, texts: list[str], labels: list[str], found: list[bool]
) -> None:
    """A value that is spelled like a set or a range of others, or like what stands for anything; no other one."""
    assert twofold(values(attribute, texts), pl.Series(labels)).tolist() == found
    assert twofold(values(attribute, texts), pl.Series(["x"]), {"x"}).tolist() == [True]


#: Members of sets, and how each is written.
WRITTEN = {"": "(missing)", "x,y": '"x,y"', "{": '"{"', "(missing)": '"(missing)"'} | {
    one: one for one in ["a", "B", "12", "a b", "ü"]
}


@given(st.lists(st.sampled_from([*WRITTEN]), max_size=4), st.booleans(), st.sampled_from([", ", ", ", ",", ",  "]))
def test_a_set_has_its_members_however_plain_they_are(members: list[str], ascend: bool, comma: str) -> None:  # noqa: FBT001
    """At least two, ascending, each once; spelled in any other way it is no set."""
    members = sorted(members) if ascend else members
    label = "{" + comma.join(WRITTEN[one] for one in members) + "}"
    is_set = comma == ", " and len(members) > 1 and members == sorted(set(members))
    assert parted(label) == (members if is_set else [])


#: Wards in two houses, one of them with a name that needs quotes.
HOUSES = from_tree({"North, old": ["Birth", "Heart"], "South": ["Lungs", "Skin", "Teeth"]}, root="All")


@pytest.mark.parametrize(
    ("label", "inside"),
    [
        ("{Birth, Lungs}", ["Birth", "Lungs"]),
        ("South", ["Lungs", "Skin"]),
        ("{Birth, South}", ["Birth", "Lungs", "Skin"]),
        ('{"North, old", Skin}', ["Birth", "Heart", "Skin"]),
        ("All", ["Birth", "Heart", "Lungs", "Skin", ""]),
        ("*", ["Birth", "Heart", "Lungs", "Skin", ""]),
        ("{South, Birth}", None),
        ("{North, old}", None),
    ],
)
def test_a_set_may_name_branches_of_its_tree(label: str, inside: list[str] | None) -> None:
    """A member that is a node stands for each leaf below it; what is not spelled as a set is no label."""
    column = quasi(label=Label.SET, hierarchy=HOUSES)
    assert held(column, ["Birth", "Heart", "Lungs", "Skin", ""], label) == inside
