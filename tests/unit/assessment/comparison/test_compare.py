"""Two tables: which columns are compared, what is refused, which pairs are looked at, and what the release cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kohort import anonymize
from kohort.algorithms.lattice.samarati import Samarati
from kohort.assessment.comparison import compare
from kohort.assessment.comparison.statistics import COLUMNS
from kohort.core.suppression import SuppressionLimit
from kohort.errors import InputError
from kohort.models.k_anonymity import KAnonymity
from kohort.release import Job
from kohort.report.figures import as_json
from kohort.samples.italy import italy
from kohort.schema import Attribute, Role, Schema
from kohort.schema.hierarchy import Hierarchy
from tests.jobs import freely
from tests.unit.assessment.comparison.tables import REGIONS, both, compared, quasi, table

if TYPE_CHECKING:
    from kohort.algorithms.problem import Algorithm


def test_columns_are_found_by_name() -> None:
    """In whatever order; identifying and dropped ones need not be there, and pseudonyms are passed over."""
    before, after = {"id": ["1", "2"], "name": ["a", "b"], "x": ["3", "4"]}, {"x": ["3"], "id": ["8f3e"]}
    schema = Schema((Attribute("id", Role.IDENTIFYING, pseudonym=True), quasi("x")), rest=Role.DROP)
    found = compare(table(before), table(after), schema=schema)
    assert [one.name for one in found.attributes] == ["x"]
    assert (found.absent, found.passed_over, found.records, found.released) == (("name",), ("id",), 2, 1)
    assert found.attributes[0].role is Role.QUASI


def test_anything_is_not_a_missing_value() -> None:
    """What the table has for a missing value may be what a release has for anything, in a generalized column alone."""
    cells = {"x": ["1", "2", "*", ""], "y": ["a", "a", "*", "b"]}
    schema = Schema((quasi("x"), Attribute("y", Role.SENSITIVE)), frozenset({"*"}))
    found = compare(table(cells), table({**cells, "x": ["*", "*", "", ""]}), schema=schema)
    assert [(one.before.missing, one.after.missing) for one in found.attributes] == [(2, 2), (1, 1)]


def test_without_roles_any_column_may_be_gone() -> None:
    """Nobody knows which identify people; the comparison says which are not there."""
    found = both({"x": ["1"], "y": ["1"]}, {"y": ["1"]})
    assert (found.absent, [one.name for one in found.attributes]) == (("x",), ["y"])


@pytest.mark.parametrize(
    ("after", "words"),
    [
        ({"y": ["1"], "w": ["1"]}, "only in BEFORE: x; only in AFTER: w"),
        ({"y": ["1"]}, "only in BEFORE: x"),
        ({"x": ["1"], "y": ["1"], "v": ["1"]}, "only in AFTER: v"),
    ],
)
def test_other_columns_are_listed(after: dict[str, list[str]], words: str) -> None:
    """A release has the columns of its table, but for identifying and dropped ones."""
    schema = Schema((quasi("x"),), rest=Role.INSENSITIVE)
    with pytest.raises(InputError, match="the columns differ") as caught:
        compare(table({"x": ["1"], "y": ["1"]}), table(after), schema=schema)
    assert caught.value.where == words


def test_more_records_are_refused() -> None:
    """Whoever swaps the two is told."""
    with pytest.raises(InputError, match="AFTER has 2 records, and BEFORE only 1"):
        both({"x": ["1"]}, {"x": ["1", "1"]})


def test_pairs_of_the_first_columns_are_looked_at() -> None:
    """Beyond twelve columns the others are named; what is known to matter comes first."""
    cells = {f"c{number}": [str(number), str(number + 1)] for number in range(COLUMNS + 2)}
    found = both(cells, cells)
    assert len(found.associations) == COLUMNS * (COLUMNS - 1) // 2
    assert found.left_out == (f"c{COLUMNS}", f"c{COLUMNS + 1}")
    last = (Attribute(f"c{COLUMNS}", Role.SENSITIVE), quasi(f"c{COLUMNS + 1}"))
    assert both(cells, cells, *last).left_out == (f"c{COLUMNS - 2}", f"c{COLUMNS - 1}")


def test_pairs_are_of_what_labels_stand_for() -> None:
    """Midpoints for numbers, parts for names, by hand; records without a number are left out of pairs with it."""
    found = both(
        {"x": ["0", "2", "4", "", "8"], "y": ["a", "a", "b", "b", "b"], "z": ["0", "1", "2", "3", ""]},
        {
            "x": ["[0-2]", "[0-2]", "4", "", "8"],
            "y": ["a", "{a, b}", "b", "{a, b}", "b"],
            "z": ["0", "1", "2", "3", ""],
        },
    )
    pairs = {one.columns: one for one in found.associations}
    # x and z: (0,0) (2,1) (4,2) before; (1,0) (1,1) (4,2) after
    assert pairs["x", "z"].measure == "correlation"
    assert pairs["x", "z"].before == pytest.approx(1)
    assert pairs["x", "z"].after == pytest.approx(3 / 12**0.5)
    # x by y: a 0,2 b 4,8 before; after a has 1 and half of 1, b half of 1, 4 and 8
    assert pairs["x", "y"].measure == "correlation ratio"
    assert pairs["x", "y"].before == pytest.approx((25 / 35) ** 0.5)
    between = 1.5 * (1 - 3.5) ** 2 + 2.5 * (12.5 / 2.5 - 3.5) ** 2
    assert pairs["x", "y"].after == pytest.approx((between / 33) ** 0.5)
    assert pairs["x", "y"].change == pytest.approx((between / 33) ** 0.5 - (25 / 35) ** 0.5)


def test_cramers_v_counts_parts() -> None:
    """A label of two names is half in each: the table of counts by hand."""
    found = both({"x": [*"aabb"], "y": [*"ccdd"]}, {"x": ["a", "{a, b}", "b", "{a, b}"], "y": [*"ccdd"]})
    [pair] = found.associations
    assert (pair.measure, pair.before) == ("cramers v", 1)
    assert pair.after == pytest.approx(0.5)  # 1.5 and .5 of 2 each


def test_cramers_v_is_divided_by_the_smaller_side() -> None:
    """Three names, of which one is told by the other column and two are not: chi-squared is n, and V √½."""
    cells = {"x": [*"aabbcc"], "y": [*"ddefef"]}
    [pair] = both(cells, cells).associations
    assert pair.after == pair.before == pytest.approx(0.5**0.5)


def test_what_does_not_vary_goes_with_nothing() -> None:
    """Constant columns, of numbers and of names, have no strength and no change."""
    found = both(
        {"x": ["1", "1"], "y": ["a", "a"], "z": ["1", "2"], "w": ["a", "b"], "v": ["", ""]},
        {"x": ["1", "1"], "y": ["a", "a"], "z": ["[1-2]", "[1-2]"], "w": ["a", "b"], "v": ["", ""]},
    )
    told = {one.columns: (one.before, one.after, one.change) for one in found.associations}
    assert told.pop(("z", "w")) == (1, None, None)
    assert set(told.values()) == {(None, None, None)}


def test_large_tables_of_labels_are_counted_by_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where two columns have very many labels, the same strength comes of counting group by group."""
    cells = {"x": [*"aabbc"], "y": [*"ccdde"]}, {"x": ["a", "{a, b}", "b", "{b, c}", "c"], "y": [*"ccdde"]}
    whole = both(*cells).associations
    monkeypatch.setattr("kohort.assessment.comparison.statistics._CELLS", 1)
    parts = both(*cells).associations
    assert parts[0].before == pytest.approx(whole[0].before)
    assert parts[0].after == pytest.approx(whole[0].after)


def test_a_release_of_no_records_is_compared() -> None:
    """Everything was suppressed: what can be told is told, and the rest is null."""
    figures = as_json(both({"x": ["1", "2"], "y": ["a", "b"]}, {"x": [], "y": []}, quasi("x"), quasi("y"), k=2))
    assert figures["released"] == 0
    assert [one["distance"] for one in figures["attributes"]] == [None, None]  # type: ignore[index,union-attr,call-overload]
    assert figures["cost"] == {
        "quasi": ["x", "y"],
        "classes": 0,
        "smallest": 0,
        "largest": 0,
        "lm": 2,
        "ncp": 1,
        "c_dm": 4,
        "c_avg": 0,
        "constant": [],
        "losses": {"x": 1, "y": 1},
    }


def test_figures_are_plain_json() -> None:
    """Every key of the docstring, whole numbers as such, no noise of floating point."""
    figures = as_json(
        both({"x": ["1", "2", "3"], "y": [*"aab"]}, {"x": ["[1-2]", "[1-2]", "3"], "y": [*"aab"]}, quasi("x"), k=2)
    )
    x = figures["attributes"][0]  # type: ignore[index]
    assert x == {
        "name": "x",
        "role": "quasi",
        "scale": "numeric",
        "values": [3, 2],
        "single": 1,
        "before": {
            "missing": 0,
            "numeric": {
                "mean": 2,
                "deviation": 1,
                "variance": 1,
                "quantiles": {"0": 1, "0.05": 1.1, "0.25": 1.5, "0.5": 2, "0.75": 2.5, "0.95": 2.9, "1": 3},
            },
            "ordinal": None,
        },
        "after": {
            "missing": 0,
            "numeric": {
                "mean": 2,
                "deviation": 0.866025403784,
                "variance": 0.75,
                "quantiles": {"0": 1.5, "0.05": 1.5, "0.25": 1.5, "0.5": 1.5, "0.75": 2.25, "0.95": 2.85, "1": 3},
            },
            "ordinal": None,
        },
        "distance": {"kind": "wasserstein", "value": 0, "relative": 0},
        "distribution": {
            "bins": [
                {"label": "1", "kind": "value", "before": 1, "after": 1},
                {"label": "2", "kind": "value", "before": 1, "after": 1},
                {"label": "3", "kind": "value", "before": 1, "after": 1},
            ]
        },
    }
    assert figures["attributes"][1]["role"] is None  # type: ignore[index,call-overload]
    assert figures["associations"] == [
        {
            "columns": ["x", "y"],
            "measure": "correlation ratio",
            "before": 0.8660254038,
            "after": 1,
            "change": 0.1339745962,
        }
    ]


EDUCATION = Hierarchy.from_rows(
    [["High School", "low"], ["Bachelor", "low"], ["Master", "high"], ["Doctoral", "high"]], root="*"
)
AGES = "intervals:18..90:5,10,20"


@pytest.mark.parametrize(
    ("age", "education", "algorithm"),
    [
        (Attribute("age", Role.QUASI), quasi("education", EDUCATION), None),
        (Attribute("age", Role.QUASI, grid=5), quasi("education"), None),  # type: ignore[arg-type]
        (Attribute("age", Role.QUASI, bounds=(0, 120)), quasi("education", EDUCATION), None),  # type: ignore[arg-type]
        (Attribute("age", Role.QUASI, label="set"), quasi("education", "suppress"), None),  # type: ignore[arg-type]
        (quasi("age", AGES), quasi("education", EDUCATION), Samarati(SuppressionLimit.of("5%"))),
        (quasi("age", "intervals:5,10,20"), quasi("education", EDUCATION), Samarati(SuppressionLimit(3))),
    ],
)
def test_the_cost_is_that_of_the_release(age: Attribute, education: Attribute, algorithm: Algorithm | None) -> None:
    """LM, NCP, C_DM, C_AVG and every attribute's loss, read from labels alone, are those the release was made with."""
    schema = Schema((age, education, quasi("gender", "suppress")), rest=Role.IDENTIFYING)
    release = anonymize(italy(400, seed=5), freely(Job.of(schema, KAnonymity(6), algorithm=algorithm)))
    cost = compare(release.source, release.table, schema=release.job.schema, k=6).cost
    assert cost is not None
    assert cost.losses == pytest.approx(dict(release.losses))
    sizes = release.sizes
    assert (cost.classes, cost.smallest, cost.largest) == (sizes.size, sizes.min(), sizes.max())
    told = {"lm": cost.lm, "ncp": cost.ncp, "c_dm": cost.c_dm, "c_avg": cost.c_avg}
    assert told == pytest.approx({name: release.metrics[name] for name in told})


def test_a_mean_hides_nothing_to_who_reads_it() -> None:
    """No text tells a mean from a value: its loss is 0, which the page says."""
    found = both({"x": ["1", "2", "9"]}, {"x": ["1.5", "1.5", "9"]}, Attribute("x", Role.QUASI, label="mean"))  # type: ignore[arg-type]
    assert found.cost is not None
    assert found.cost.lm == 0


@pytest.mark.parametrize("label", [None, "set"])
def test_a_set_of_numbers_hides_its_members(label: str | None) -> None:
    """A set is read as one whether or not the schema says so: two of four values, the missing one among them."""
    cells = {"x": ["{1, 9}", "{1, 9}", "{2, (missing)}", "{2, (missing)}"]}
    found = both({"x": ["1", "9", "2", ""]}, cells, Attribute("x", Role.QUASI, label=label))  # type: ignore[arg-type]
    assert found.cost is not None
    assert found.cost.lm == pytest.approx(1 / 3)


def test_a_star_hides_all() -> None:
    """`*` costs 1 of whatever kind; of a domain of one value nothing."""
    found = both(
        {"x": ["1", "9", ""], "y": ["Bari", "Lecce", ""], "z": ["a", "a", "a"]},
        {"x": ["*", "*", "*"], "y": ["*", "Sud", ""], "z": ["*", "*", "*"]},
        quasi("x"),
        quasi("y", REGIONS),
        quasi("z"),
    )
    assert found.cost is not None
    assert found.cost.losses == {"x": 1, "y": pytest.approx((1 + 1 / 4) / 3), "z": 0}
    assert found.cost.c_avg is None


def test_a_suppressed_record_costs_most() -> None:
    """1 for every attribute, and n in C_DM."""
    found = both({"x": ["1", "9"]}, {"x": ["1"]}, quasi("x"), k=1)
    assert found.cost is not None
    assert (found.cost.lm, found.cost.c_dm, found.cost.c_avg, found.suppressed) == (0.5, 3, 1, 1)
    none = both({"x": ["1", "9"]}, {"x": []}, quasi("x"), k=2)
    assert none.cost is not None
    assert (none.cost.lm, none.cost.c_dm, none.cost.classes) == (1, 4, 0)


def test_no_quasi_identifier_no_cost() -> None:
    """Without a schema nobody knows what makes a class."""
    assert both({"x": ["1"]}, {"x": ["1"]}).cost is None
    assert compared(["1"], ["1"]).role is None


def test_names_ambiguous_between_levels_cost_the_wider() -> None:
    """A label that a leaf and a node have may be the node: as the release counts it."""
    towns = Hierarchy.from_rows([["1", "1"], ["2", "1"], ["3", "high"]], root="*")
    attribute = Attribute("x", Role.QUASI, hierarchy=towns, label="ancestor")  # type: ignore[arg-type]
    found = both({"x": ["1", "2", "3"]}, {"x": ["1", "3"]}, attribute)
    assert found.cost is not None
    assert found.cost.lm == pytest.approx((0.5 + 0 + 1) / 3)
