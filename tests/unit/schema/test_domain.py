"""What the codes of a quasi-identifier mean: numbers exactly, names in a stated order, missing values as declared."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from kohort.errors import HierarchyError, InputError, KohortError, SchemaError
from kohort.schema import Attribute, Label, Missing, Order, Role, Scale
from kohort.schema.domain import Domain, decimal, interval, resolve, share
from kohort.schema.hierarchies import cuts, from_tree, intervals, suppress
from kohort.schema.hierarchy import Hierarchy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: Nobody writes it anywhere else: it must be in no message.
CANARY = "canary"

REGIONS = from_tree({"Nord": ["Torino", "Milano"], "Sud": ["Bari", "Lecce"]}, root="*")


def resolved(
    counts: Mapping[str | None, int] | Sequence[str | None],
    *tokens: str,
    **parts: Any,  # noqa: ANN401  parts of an attribute, also wrong ones
) -> tuple[Domain, list[int]]:
    """The domain over values, each with its number of records or one, and the code of each."""
    records = counts if isinstance(counts, dict) else dict.fromkeys(counts, 1)
    numbers = np.array(list(records.values()), dtype=np.int64)
    attribute = Attribute("x", Role.QUASI, **parts)
    domain, codes = resolve(attribute, list(records), numbers, frozenset({"", *tokens}))
    return domain, codes.tolist()


def texts_of(
    counts: Mapping[str | None, int] | Sequence[str | None],
    **parts: Any,  # noqa: ANN401  as above
) -> tuple[str, ...]:
    """The domain's values in the order of their codes."""
    return resolved(counts, **parts)[0].texts


def places(domain: Domain) -> list[Fraction]:
    """What each numeric code is worth."""
    return [int(position) * domain.unit for position in domain.positions]


# ── Numbers or names ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("values", [["1", "00118"], ["1", "1e5"], ["1", "x"], ["1", "+49"]])
def test_one_code_makes_names(values: list[str]) -> None:
    """A leading zero or anything else that is no plain decimal makes the whole column categorical."""
    assert resolved(values)[0].scale is Scale.CATEGORICAL
    assert resolved(["1", "118"])[0].scale is Scale.NUMERIC


def test_numbers_may_be_declared_names() -> None:
    """Numbers that the schema calls categorical are ordered as names are."""
    domain, codes = resolved({"9": 1, "10": 5}, scale=Scale.CATEGORICAL)
    assert (domain.scale, domain.texts, codes) == (Scale.CATEGORICAL, ("10", "9"), [1, 0])


@pytest.mark.parametrize("parts", [{"scale": "numeric"}, {"bounds": (0, 9)}, {"grid": 5}], ids=repr)
def test_what_needs_numbers_refuses_names(parts: dict[str, Any]) -> None:
    """A scale, bounds or a grid that ask for numbers refuse what is none, counting values and records."""
    with pytest.raises(InputError, match=r"2 values \(5 records\) are not decimals") as caught:
        resolved({"7": 9, CANARY: 2, "007": 3}, **parts)
    assert CANARY not in str(caught.value)
    assert caught.value.where == "column x"


@pytest.mark.parametrize("parts", [{}, {"scale": "numeric"}, {"grid": 5}, {"hierarchy": "mask:right"}], ids=repr)
def test_a_column_without_values_is_one_value(parts: dict[str, Any]) -> None:
    """Where all values are missing there is one code, which stands for nothing else, whatever was asked for."""
    domain, codes = resolved(["", None], **parts)
    assert (domain.texts, domain.missing, codes) == (("",), 0, [0, 0])
    assert (domain.extent, domain.others) == (0, 0)
    assert domain.label in {Label.SET, Label.ANCESTOR}


def test_a_table_without_records_has_an_empty_domain() -> None:
    """No values, no codes, no extent."""
    for parts in ({}, {"hierarchy": "suppress"}, {"missing": "suppress"}):
        wanted: dict[str, Any] = parts
        domain, codes = resolved([], **wanted)
        assert (len(domain), domain.extent, codes) == (0, 0, [])


# ── Numbers ──────────────────────────────────────────────────────────────────────────────────────


def test_numbers_ascend_and_are_exact() -> None:
    """Codes follow the numbers; decimals are whole multiples of one unit."""
    domain, codes = resolved(["10", "9", "-1.25", "0.5"])
    assert domain.texts == ("-1.25", "0.5", "9", "10")
    assert codes == [3, 2, 0, 1]
    assert domain.unit == Fraction(1, 100)
    assert domain.positions.tolist() == [-125, 50, 900, 1000]
    assert (domain.extent, domain.missing) == (1125, -1)


def test_equal_numbers_share_a_code() -> None:
    """1.5 and 1.50 are one number and have one text, the shorter; a negative zero is 0."""
    domain, codes = resolved(["1.50", "1.5", "-0", "0.00", "1.500", "-.0"])
    assert (domain.texts, codes) == (("0", "1.5"), [1, 1, 0, 0, 1, 0])
    assert texts_of(["0.5", ".5", "-.25"]) == ("-.25", ".5")
    assert texts_of(["-0.0", "7"]) == ("0", "7")
    assert texts_of(["1.50", "7.00"]) == ("1.50", "7.00")


@pytest.mark.parametrize("first", [2**53, 2**62 - 3, -(2**62) + 1])
def test_integers_of_62_bits_are_exact(first: int) -> None:
    """Neighbours that no float tells apart keep their distance."""
    domain, _ = resolved([str(first), str(first + 1), str(first + 2)])
    assert places(domain) == [first, first + 1, first + 2]
    assert domain.extent == 2
    assert share(domain, np.array([0.0, 1.0, 2.0])).tolist() == [0, 0.5, 1]


def test_longer_numbers_are_rounded_but_not_confused() -> None:
    """Beyond 62 bits places are rounded to a power of ten; values stay apart, each with its own text."""
    numbers = [10**20, 10**20 + 1, 10**20 + 5_000, 3 * 10**20]
    domain, codes = resolved([str(number) for number in reversed(numbers)])
    assert domain.texts == tuple(map(str, numbers))
    assert codes == [3, 2, 1, 0]
    assert domain.unit == 100
    assert all(abs(place - number) <= 50 for place, number in zip(places(domain), numbers, strict=True))
    assert domain.extent == 2 * 10**18


def test_many_decimals_are_rounded_alike() -> None:
    """Digits after the point count like those before it."""
    domain, _ = resolved(["0." + "1" * 40, "12"])
    assert domain.unit == Fraction(1, 10**17)
    assert abs(places(domain)[0] - Fraction(1, 9)) < domain.unit


def test_a_domain_ends_where_it_is_declared() -> None:
    """The ends are those of the bounds, else of the hierarchy's leaves, else the observed ones."""
    ages = intervals(map(str, range(16, 96)), (5, 10), low=16, high=95)
    assert resolved(["20", "30"])[0].ends == (20, 30)
    assert resolved(["20", "30"], bounds=(0, 120))[0].ends == (0, 120)
    assert resolved(["20", "30"], hierarchy=ages)[0].ends == (16, 95)
    assert resolved(["20", "30"], hierarchy="intervals:0..99:5")[0].ends == (0, 99)
    assert resolved(["20", "30"], hierarchy=ages, bounds=(0, 120))[0].ends == (0, 120)
    assert resolved(["2.5", "3"], bounds=(Fraction(1, 3), 3))[0].extent == pytest.approx(80 / 3)


def test_leaves_that_are_no_numbers_declare_nothing() -> None:
    """A hierarchy of numbers may have a leaf for the missing value and others that do not occur."""
    rows = [("5", "low", "*"), ("90", "high", "*"), ("", "", "*"), ("unknown", "none", "*")]
    domain, codes = resolved(["20", "5", ""], hierarchy=Hierarchy.from_rows([("20", "low", "*"), *rows]))
    assert (domain.texts, domain.ends, codes) == (("", "5", "20"), (5, 90), [2, 1, 0])
    assert domain.leaves.tolist() == [3, 1, 0]


@pytest.mark.parametrize("bounds", [(18, 30), (20, 29), (Fraction("20.1"), 31), (10**30, 10**31), (-(10**30), -1)])
def test_numbers_outside_the_bounds_are_refused(bounds: tuple[Fraction, Fraction]) -> None:
    """Records outside the declared bounds are counted, and their values not told."""
    with pytest.raises(InputError, match="records lie outside the declared bounds") as caught:
        resolved({"17": 1, "20": 2, "30": 4, "31": 8}, bounds=bounds)
    outside = sum(count for age, count in ((17, 1), (20, 2), (30, 4), (31, 8)) if not bounds[0] <= age <= bounds[1])
    assert caught.value.what.startswith(f"{outside} ")


def test_bounds_hold_their_ends() -> None:
    """The least and the greatest value may be the bounds themselves."""
    assert resolved(["17", "31"], bounds=(17, 31))[0].extent == 14


def test_other_values() -> None:
    """|A| - 1: leaves, whole numbers within the bounds, or observed values, the missing one among them."""
    ages = intervals(map(str, range(16, 96)), (5, 10), low=16, high=95)
    assert resolved(["20", "30", "90"])[0].others == 2
    assert resolved(["20", "30", ""])[0].others == 2
    assert resolved(["20", "30"], bounds=(16, 95))[0].others == 79
    assert resolved(["20", "30", ""], bounds=(16, 95))[0].others == 80
    assert resolved(["20", "30"], hierarchy=ages)[0].others == 79
    assert resolved(["a", "b", ""], hierarchy="suppress")[0].others == 2


# ── Names ────────────────────────────────────────────────────────────────────────────────────────


def test_names_come_by_frequency() -> None:
    """The most frequent first, ties by text; the missing value counts its records under all its spellings."""
    domain, codes = resolved({"b": 2, "a": 2, "NA": 1, "": 1, None: 1, "c": 1}, "NA")
    assert domain.texts == ("", "a", "b", "c")
    assert codes == [2, 1, 0, 0, 0, 3]
    assert (domain.missing, domain.extent, domain.positions.tolist()) == (0, 3, [0, 1, 2, 3])


def test_names_come_sorted() -> None:
    """As text by code points, the missing value first."""
    assert texts_of({"é": 9, "z": 9, "Z": 1, "": 1}, order=Order.SORTED) == ("", "Z", "z", "é")


def test_names_come_in_leaf_order() -> None:
    """With a hierarchy its leaves give the order and the places, also those that do not occur; missing comes last."""
    domain, codes = resolved({"Lecce": 9, "": 5, "Torino": 1}, hierarchy=REGIONS)
    assert (domain.texts, codes) == (("Torino", "Lecce", ""), [1, 2, 0])
    assert domain.positions.tolist() == domain.leaves.tolist() == [0, 3, 4]
    assert (domain.ends, domain.missing) == ((0, 4), 2)


def test_names_with_a_hierarchy_may_have_another_order() -> None:
    """Frequency may order names that a hierarchy generalizes; each code knows its leaf."""
    domain, codes = resolved({"Torino": 1, "Bari": 7, "Milano": 3}, hierarchy=REGIONS, order=Order.FREQUENCY)
    assert (domain.texts, codes) == (("Bari", "Milano", "Torino"), [2, 0, 1])
    assert domain.leaves.tolist() == [2, 1, 0]
    assert (domain.positions.tolist(), domain.ends) == ([0, 1, 2], (0, 3))


@pytest.mark.parametrize("label", [None, "mean", "set", "ancestor", "range"])
@pytest.mark.parametrize("with_hierarchy", [False, True])
def test_labels_that_names_can_have(label: str | None, *, with_hierarchy: bool) -> None:
    """What names cannot be released as gives way to their own form: an ancestor where there are any, or a set."""
    own = "ancestor" if with_hierarchy else "set"
    if label == "ancestor":
        with_hierarchy = True  # the schema refuses ancestors without
    parts: dict[str, Any] = {"label": label} | ({"hierarchy": REGIONS} if with_hierarchy else {})
    assert resolved(["Bari"], **parts)[0].label == (own if label in {None, "mean"} else label)


@pytest.mark.parametrize("label", [None, "mean", "set", "ancestor", "range"])
def test_labels_that_numbers_can_have(label: str | None) -> None:
    """Numbers are released as ranges unless something else is asked for."""
    assert resolved(["1"], label=label, hierarchy="suppress")[0].label == (label or "range")
    assert resolved(["1"], grid=5)[0].label == "grid"
    assert resolved(["1"], grid="hierarchy", hierarchy="intervals:5")[0].label == "grid"


def test_sets_of_names_are_for_names() -> None:
    """The values decide whether a column holds names: numbers keep the label that they have without a word."""
    assert resolved(["a"], label="set-of-names", hierarchy="suppress")[0].label == "set"
    assert resolved(["1"], label="set-of-names", hierarchy="suppress")[0].label == "range"
    assert resolved(["1"], label="set-of-names", hierarchy="suppress", scale="categorical")[0].label == "set"
    assert resolved(["1"], label="set-of-names")[0].label == "range"


def test_a_builder_runs_over_the_observed_values() -> None:
    """A hierarchy given as a builder's text has the observed values as leaves; the missing one is set apart."""
    domain, _ = resolved({"20139": 4, "20121": 2, "": 3}, scale="categorical", hierarchy="mask:right")
    assert domain.hierarchy is not None
    assert set(domain.hierarchy.leaves) == {"20139", "20121", ""}
    assert domain.texts == tuple(domain.hierarchy.leaves)


def test_a_builder_knows_frequencies() -> None:
    """A builder that merges rare values counts records."""
    domain, _ = resolved({"a": 9, "b": 1, "c": 2, "": 5}, hierarchy="frequency:1")
    assert domain.hierarchy is not None
    assert dict(zip(domain.hierarchy.leaves, domain.hierarchy.maps[1].tolist(), strict=True)) == {
        "a": 0,
        "c": 1,
        "b": 1,
        "": 2,
    }


def test_values_outside_the_hierarchy_are_refused() -> None:
    """What is no leaf is counted, values and records, and not told."""
    with pytest.raises(HierarchyError, match=r"2 values \(5 records\) are missing from the hierarchy") as caught:
        resolved({"Bari": 1, CANARY: 2, "Roma": 3}, hierarchy=REGIONS)
    assert CANARY not in str(caught.value)
    with pytest.raises(HierarchyError, match=r"1 value \(2 records\)"):
        resolved({"1": 1, "2": 2, "": 4}, hierarchy=suppress(["1", "3"]))


def test_a_number_is_one_leaf() -> None:
    """Two leaves that are one number would give a record with it two places, so they are refused."""
    twice = Hierarchy.from_rows([["1", "low", "*"], ["1.0", "high", "*"], ["2", "high", "*"]])
    with pytest.raises(HierarchyError, match="1 leaf is the same number"):
        resolved({"1": 1, "1.0": 2}, hierarchy=twice)
    names, _ = resolved({"1": 1, "x": 2}, hierarchy=Hierarchy.from_rows([["1", "*"], ["1.0", "*"], ["x", "*"]]))
    assert names.scale is Scale.CATEGORICAL


# ── Missing values ───────────────────────────────────────────────────────────────────────────────


def test_a_missing_number_has_a_place_of_its_own() -> None:
    """Among numbers the missing value has code 0 and lies one step before the least, so that a cut can part the two."""
    domain, codes = resolved(["7", "", "5", None, "n/a"], "n/a")
    assert (domain.texts, codes, domain.missing) == (("", "5", "7"), [2, 0, 1, 0, 0], 0)
    assert domain.positions.tolist() == [4, 5, 7]


@pytest.mark.parametrize("values", [["7", "5"], ["b", "a"]])
def test_suppressed_records_leave_no_value(values: list[str]) -> None:
    """A missing value that suppresses its record is none of the domain's."""
    domain, codes = resolved([*values, ""], missing=Missing.SUPPRESS)
    assert codes[-1] == -1
    assert (domain.missing, "" in domain.texts, domain.others) == (-1, False, 1)
    assert resolved(["", None], missing=Missing.SUPPRESS)[1] == [-1, -1]


def test_missing_values_may_be_refused() -> None:
    """A schema that refuses missing values counts the records that have none."""
    with pytest.raises(InputError, match="5 records have no value"):
        resolved({"7": 9, "": 2, None: 3}, missing=Missing.REFUSE)
    assert resolved(["7"], missing=Missing.REFUSE)[1] == [0]


# ── Grids ────────────────────────────────────────────────────────────────────────────────────────


def cells(domain: Domain) -> list[tuple[str, Fraction | int, Fraction | int]]:
    """Text, beginning and end of each code's cell."""
    ends = [int(end) * domain.unit for end in domain.upper]
    return list(zip(domain.texts, places(domain), ends, strict=True))


def test_a_step_makes_half_open_cells() -> None:
    """Cells begin at multiples of the step; a code is a cell that holds values."""
    domain, codes = resolved(["7", "5", "-1", "9", "0", "40"], grid=5)
    assert cells(domain) == [("[-5-0)", -5, 0), ("[0-5)", 0, 5), ("[5-10)", 5, 10), ("[40-45)", 40, 45)]
    assert codes == [2, 2, 0, 2, 1, 3]
    assert domain.ends == (-1, 40)


@pytest.mark.parametrize("grid", [Fraction("2.5"), Fraction("0.5"), Fraction(1, 8)])
def test_a_grid_may_be_finer_than_the_values(grid: Fraction) -> None:
    """Cells of whole numbers end where the grid says, also between two whole numbers."""
    domain, codes = resolved(["0", "3", "7"], grid=grid)
    assert codes == [0, 1, 2]
    for (text, low, high), value in zip(cells(domain), (0, 3, 7), strict=True):
        assert low == value // grid * grid
        assert high == low + grid
        assert text == interval(Fraction(low), Fraction(high))


def test_a_step_over_an_immense_domain() -> None:
    """Only cells that hold values are made; numbers beyond 62 bits fall in the right ones."""
    domain, codes = resolved(["0", "1000000000000", "999999999999"], grid=1000)
    assert domain.texts == ("[0-1000)", "[999999999000-1000000000000)", "[1000000000000-1000000001000)")
    assert codes == [0, 2, 1]
    huge, codes = resolved([str(10**25), str(10**25 - 1)], grid=10**5)
    assert codes == [1, 0]
    assert huge.texts[1] == f"[{10**25}-{10**25 + 10**5})"
    assert resolved(["3"], grid=10**30)[0].texts == (f"[0-{10**30})",)


def test_listed_cuts_make_cells() -> None:
    """Cells lie between neighbouring cuts, of which each belongs to the cell above it."""
    domain, codes = resolved(["17", "18", "0", "64.5"], grid=(0, 18, Fraction("64.5"), 120))
    assert domain.texts == ("[0-18)", "[18-64.5)", "[64.5-120)")
    assert codes == [0, 1, 0, 2]


@pytest.mark.parametrize(
    ("grid", "outside"), [((0, 18, 65), 7), ((10, 66), 2), ((0, Fraction("64.9")), 7), ((10, 65), 9)]
)
def test_numbers_outside_listed_cuts_are_refused(grid: tuple[Fraction, ...], outside: int) -> None:
    """Records before the first or from the last cut on are counted."""
    with pytest.raises(InputError, match=f"^{outside} records lie outside the grid"):
        resolved({"9": 2, "65": 7}, grid=grid)


def test_a_grid_of_hierarchy_boundaries() -> None:
    """Cells are the ranges that the first level names; of other names, the last ends one above the greatest leaf."""
    ages = intervals(map(str, range(16, 96)), (5, 10), low=16, high=95)
    assert texts_of(["17", "20", "95"], hierarchy=ages, grid="hierarchy") == ("[16-21)", "[91-96)")
    assert texts_of(["17", "31"], hierarchy="intervals:16..95:5", grid="hierarchy") == ("[16-21)", "[31-36)")
    shuffled = Hierarchy.from_rows([("30", "old", "*"), ("2", "young", "*"), ("40", "old", "*"), ("1", "young", "*")])
    domain, codes = resolved(["40", "1", ""], hierarchy=shuffled, grid="hierarchy")
    assert (domain.texts, codes) == (("", "[1-30)", "[30-41)"), [2, 1, 0])
    assert domain.hierarchy is None


@pytest.mark.parametrize(
    "hierarchy",
    [
        Hierarchy.from_rows([("1", "odd", "*"), ("2", "even", "*"), ("3", "odd", "*")]),
        Hierarchy.from_rows([("1", "[0-2)", "*"), ("2", "[0-2)", "*"), ("3", "[2-4)", "*")]),
        Hierarchy.from_rows([("1", "[0-3)", "*"), ("2", "[1-4)", "*"), ("3", "[1-4)", "*")]),
        cuts(["1", "2", "3"], [[1, 2, 4]], data_dependent=True),
        "intervals:2..3:1:open",
        "mask:right",
    ],
    ids=["interleaved", "untrue", "overlapping", "chosen by records", "open", "masked"],
)
def test_boundaries_must_be_public(hierarchy: Hierarchy | str) -> None:
    """Nodes that are no ranges, or that lie where some records do, make no grid."""
    with pytest.raises(SchemaError, match="the first level of the hierarchy is not a grid"):
        resolved(["1", "2", "3"], hierarchy=hierarchy, grid="hierarchy")


def test_boundaries_are_said_by_the_nodes_names() -> None:
    """Over observed values cells end where the names of the nodes say, never beside the greatest value."""
    assert texts_of(["20", "25", "31"], hierarchy="intervals:5,10", grid="hierarchy") == (
        "[20-25)",
        "[25-30)",
        "[30-35)",
    )
    ages = intervals(["20", "33.5"], ["2.5", "5"])
    assert texts_of(["20", "33.5"], hierarchy=ages, grid="hierarchy") == ("[20-22.5)", "[32.5-35)")


@pytest.mark.parametrize("fine", ["7", "7.0", "7.25", "7." + "3" * 40])
def test_decimals_of_numbers_move_no_cell(fine: str) -> None:
    """Where cells and the missing value lie does not tell how finely the numbers are written."""
    domain, codes = resolved([fine, "", "12"], grid=5)
    assert (domain.texts, codes) == (("", "[5-10)", "[10-15)"), [1, 0, 2])
    assert (domain.positions.tolist(), domain.upper.tolist()[1:]) == ([4, 5, 10], [10, 15])
    assert domain.unit == 1


def test_ends_of_cells_beyond_62_bits_are_exact() -> None:
    """Positions are rounded there; what is printed is not."""
    domain, _ = resolved([str(10**20), str(10**20 + 7)], grid=5)
    assert domain.edges == ((f"{10**20}", f"{10**20 + 5}"), (f"{10**20 + 5}", f"{10**20 + 10}"))


def test_a_grid_has_a_missing_value() -> None:
    """The missing value keeps code 0 and is in no cell."""
    domain, codes = resolved(["7", "", "12"], grid=5)
    assert (domain.texts, codes, domain.missing) == (("", "[5-10)", "[10-15)"), [1, 0, 2], 0)
    assert domain.positions.tolist() == [4, 5, 10]
    assert domain.upper.tolist()[1:] == [10, 15]


# ── Numbers as text ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Fraction(0), "0"),
        (Fraction(-120), "-120"),
        (Fraction("0.10"), "0.1"),
        (Fraction("-0.05"), "-0.05"),
        (Fraction(1, 10**30), "0." + "0" * 29 + "1"),
        (Fraction(10**30 + 1, 10), "1" + "0" * 29 + ".1"),
        (Fraction(2, 3), "0.66666666666666667"),
        (Fraction(-2, 3), "-0.66666666666666667"),
    ],
)
def test_decimals_are_exact_where_they_end(number: Fraction, text: str) -> None:
    """No exponent, no closing zeros, every digit; endless ones to 17 decimals."""
    assert decimal(number) == text


def test_no_message_holds_a_value() -> None:
    """Whatever is wrong with a column, its values are not told."""
    wrong: list[dict[str, Any]] = [
        {"scale": "numeric"},
        {"bounds": (0, 1)},
        {"grid": 5},
        {"hierarchy": REGIONS},
        {"missing": "refuse"},
        {"hierarchy": "intervals:5"},
    ]
    for parts in wrong:
        with pytest.raises(KohortError) as caught:
            resolved([CANARY, "7", ""], **parts)
        assert CANARY not in str(caught.value)
