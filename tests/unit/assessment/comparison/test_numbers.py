"""Columns of numbers before and after, by hand."""

from __future__ import annotations

import pytest

from kohort.assessment.comparison import compare, label_losses
from kohort.errors import InputError
from kohort.schema import Attribute, Role, Scale
from kohort.schema.hierarchy import Hierarchy
from tests.unit.assessment.comparison.tables import compared, line_of, quasi, table


def centre(label: str, before: tuple[str, ...] = ("0", "100"), attribute: Attribute | None = None) -> float:
    """What a single released label counts as."""
    found = compared(before, [label], attribute).after.numeric
    assert found is not None
    return found.mean


@pytest.mark.parametrize(
    ("label", "mean"),
    [
        ("39", 39),
        ("39.0", 39),
        ("[20-29]", 24.5),
        ("[20-30)", 24.5),
        ("[20.5-22.5]", 21.5),
        ("[20.2-20.4]", 20.3),
        ("<20", 9.5),
        (">=90", 95),
        ("<-5", -6),
        (">=200", 200),
        ("*", 50),
        ("{20, 31}", 25.5),
        ("{20, 21, (missing)}", 20.5),
    ],
)
def test_a_label_counts_as_the_mean_of_what_it_stands_for(label: str, mean: float) -> None:
    """A range is its midpoint over the column's steps, an open one ends with the domain, a set is its mean."""
    assert centre(label) == mean


def test_steps_are_as_fine_as_the_column() -> None:
    """The last step before the end of a half-open interval has the decimals of the values before."""
    assert centre("[1-2)", ("0", "0.25")) == pytest.approx(1.495)


def test_nodes_count_as_their_numbers() -> None:
    """A named node of a hierarchy stands for the numbers below it; leaves that are none do not matter."""
    ages = Hierarchy.from_rows([["1", "young"], ["2", "young"], ["9", "old"], ["old age", "old"]], root="all")
    attribute = Attribute("x", Role.SENSITIVE, hierarchy=ages)
    assert centre("young", ("1", "2"), attribute) == 1.5
    assert centre("old", ("1", "2"), attribute) == 9
    assert centre("all", ("1", "2"), attribute) == 4
    both = compared(["1", "2"], ["young", "old"], attribute).after.numeric
    assert both is not None
    assert both.mean == 5.25


def test_the_domain_of_a_quasi_identifier_is_the_declared_one() -> None:
    """`*` and open ends go as far as the hierarchy's leaves."""
    assert centre("*", ("20", "30"), quasi("x", "intervals:0..99:10")) == 49.5
    assert centre("*", ("20", "30"), quasi("x")) == 25


def test_statistics_are_of_the_records_that_have_a_number() -> None:
    """Mean, variance with n - 1, quantiles between records; missing values are counted apart."""
    found = compared(["1", "2", "4", "", None], ["[1-3]", "4", "", "4"])
    old, new = found.before.numeric, found.after.numeric
    assert old is not None
    assert new is not None
    assert old.records == 3
    assert old.mean == pytest.approx(7 / 3)
    assert old.variance == pytest.approx(7 / 3)
    assert old.deviation == pytest.approx((7 / 3) ** 0.5)
    assert [*old.quantiles.values()] == pytest.approx([1, 1.1, 1.5, 2, 3, 3.8, 4])
    assert [*new.quantiles.values()] == pytest.approx([2, 2.2, 3, 4, 4, 4, 4])
    assert (found.before.missing, found.after.missing, found.values, found.single) == (2, 1, (3, 2), 3)


def test_a_single_number_has_no_variance() -> None:
    """A record alone has a mean and no spread; none has neither."""
    found = compared(["5", "6"], ["5"])
    assert found.after.numeric is not None
    assert found.after.numeric.variance is None
    assert found.after.numeric.deviation is None
    assert compared(["5", "6"], [""]).after.numeric is None


def test_wasserstein_is_in_the_units_of_the_column() -> None:
    """Two of four moved by 10: 5 on average, a twentieth of their range; uniform ranges cost only what they hide."""
    found = compared(["0", "0", "100", "100"], ["0", "10", "100", "90"]).distance
    assert found is not None
    assert (found.kind, found.value, found.relative) == ("wasserstein", 5, 0.05)
    same = compared(["20", "21", "22", "23"], ["[20-23]"] * 4).distance
    assert same is not None
    assert same.value == pytest.approx(0, abs=1e-12)
    tenth = compared(["0.1", "0.2"], ["0.2", "0.3"]).distance
    assert tenth is not None
    assert tenth.value == pytest.approx(0.1)
    assert tenth.relative == pytest.approx(1)


def test_a_way_is_relative_to_the_declared_range() -> None:
    """Of a quasi-identifier with bounds the range is between these, whatever was observed."""
    age = Attribute("x", Role.QUASI, bounds=(0, 200))  # type: ignore[arg-type]
    found = compared(["0", "100"], ["0", "90"], age).distance
    assert found is not None
    assert (found.value, found.relative) == (5, 0.025)


def test_a_range_of_one_number_has_no_relative_distance() -> None:
    """Nothing can be divided by no range; where a side has no number there is no distance."""
    found = compared(["5", "5"], ["6", "5"]).distance
    assert found is not None
    assert (found.value, found.relative) == (0.5, None)
    assert compared(["5", "6"], [""]).distance is None


def test_numbers_between_steps_are_moved_from_where_they_lie() -> None:
    """A noisy number that is no step of the column, beside ranges over steps."""
    found = compared(["0", "1", "2", "3"], ["0.5", "[1-2]", "[1-2]", "3"]).distance
    assert found is not None
    assert found.value == pytest.approx(0.125)


def test_bins_are_round_and_few() -> None:
    """At most 20 intervals of 1, 2 or 5 times a power of ten; a range is spread over them, a gap shows."""
    found = compared([str(age) for age in (18, 90, 54)], ["[18-27]", "90", ""]).distribution
    assert [one.label for one in found][:3] == ["[15-20)", "[20-25)", "[25-30)"]
    assert [one.after for one in found][:3] == pytest.approx([0.2, 0.5, 0.3])
    assert sum(one.before or 0 for one in found) == 3
    assert (found[-1].kind, found[-1].before, found[-1].after) == ("missing", 0, 1)
    assert {one.kind for one in found} == {"interval", "missing"}
    assert len(found) == 17


def test_few_whole_numbers_are_bins_of_their_own() -> None:
    """Where every step has its bin, it is called by its number; not where some number lies between two."""
    found = compared(["1", "2", "2.5"], ["1", "2", "2.5"]).distribution
    assert [one.label for one in found] == ["1", "1.1", *(f"{n / 10:g}" for n in range(12, 26))]
    assert {one.kind for one in found} == {"value"}
    assert [one.label for one in compared(["1", "2"], ["1.5"]).distribution] == ["[1-2)", "[2-3)"]


@pytest.mark.parametrize(
    "labels", [["what"], ["[29-20]"], ["{a, b}"], ["<x"], ["[20-"], ["9" * 101], ["007"], ["1", "<", "20"]]
)
def test_labels_that_mean_no_number_are_counted(labels: list[str]) -> None:
    """They are refused by their number and column, and none is repeated."""
    with pytest.raises(InputError, match=rf"1 of {len(labels)} different labels cannot be read") as caught:
        compared(["20", "30", "40"], labels)
    assert caught.value.where == "column x"
    assert "what" not in str(caught.value)


def test_a_column_is_numeric_by_its_values_unless_the_schema_says_it() -> None:
    """Codes with leading zeros, what is declared names, and numbers too long to be squared are names."""
    assert compared(["1", "2"], ["1"]).scale is Scale.NUMERIC
    assert compared(["01", "2"], ["01"]).scale is Scale.CATEGORICAL
    assert compared(["1", "2"], ["1"], Attribute("x", Role.QUASI, scale=Scale.CATEGORICAL)).scale is Scale.CATEGORICAL
    assert (
        compared(["1", "2"], ["1"], Attribute("x", Role.SENSITIVE, scale=Scale.CATEGORICAL)).scale is Scale.CATEGORICAL
    )
    assert compared(["1" + "0" * 100, "2"], ["2"]).scale is Scale.CATEGORICAL
    assert compared(["", ""], [""]).scale is Scale.CATEGORICAL


def test_missing_tokens_are_no_numbers() -> None:
    """A token that means no value does not make a column names."""
    found = compare(table({"x": ["1", "?"]}), table({"x": ["?"]}), missing=frozenset({"?"})).attributes[0]
    assert (found.scale, found.before.missing, found.after.missing) == (Scale.NUMERIC, 1, 1)


def test_numbers_that_nobody_measures_do_no_harm() -> None:
    """Ends of ranges and leaves of hundreds of digits are as far away as numbers go; figures stay numbers."""
    huge = "9" * 400
    leaves = Hierarchy.from_rows([[huge, "far"], ["1", "near"]], root="all")
    found = compared(["1", "1"], [f"[1-{huge}]", "near"], Attribute("x", Role.SENSITIVE, hierarchy=leaves))
    assert found.after.numeric is not None
    assert 0 < found.after.numeric.mean < float("inf")
    assert found.distance is not None
    assert 0 < found.distance.value < float("inf")
    with pytest.raises(InputError, match="cannot be read"):
        compared(["1", "1"], [f"{{1, {huge}}}"])


def test_a_grid_finer_than_the_values_keeps_its_steps() -> None:
    """Intervals of a grid of quarters end a hundredth before their upper end."""
    line = line_of(["1", "2"], ["[1-1.25)", "[2-2.25)"], Attribute("x", Role.QUASI, grid="0.25"))  # type: ignore[arg-type]
    assert line.digits == 2
    assert sorted(line.after.means.high.tolist()) == [124, 224]


def test_numbers_with_a_hierarchy_lose_by_node_and_other_labels_by_width() -> None:
    """A node loses by the leaves below it; a range, which no hierarchy has, by its width, never nothing."""
    ages = Hierarchy.from_rows([[str(age), "low" if age < 5 else "high"] for age in range(11)], root="*")
    line = line_of([str(age) for age in range(11)], ["low", "[5-10]", "3", "*"], quasi("x", ages))
    assert line.known.domain is not None
    lost = dict(zip(line.after.texts, label_losses(line, line.known.domain).tolist(), strict=True))
    assert lost == {"low": 0.4, "[5-10]": 0.5, "3": 0, "*": 1}
