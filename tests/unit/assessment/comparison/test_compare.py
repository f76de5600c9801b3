"""Two tables: which columns are compared, what is refused, which pairs are looked at."""

from __future__ import annotations

import pytest

from kohort.assessment.comparison import compare
from kohort.assessment.comparison.statistics import COLUMNS
from kohort.errors import InputError
from kohort.report.comparison import comparison_figures
from kohort.schema import Attribute, Role, Schema
from tests.unit.assessment.comparison.tables import both, quasi, table


def test_columns_are_found_by_name() -> None:
    """In whatever order; identifying and dropped ones need not be there, and pseudonyms are passed over."""
    before, after = {"id": ["1", "2"], "name": ["a", "b"], "x": ["3", "4"]}, {"x": ["3"], "id": ["8f3e"]}
    schema = Schema((Attribute("id", Role.IDENTIFYING, pseudonym=True), quasi("x")), rest=Role.DROP)
    found = compare(table(before), table(after), schema=schema)
    assert [one.name for one in found.attributes] == ["x"]
    assert (found.absent, found.passed_over, found.records, found.released) == (("name",), ("id",), 2, 1)
    assert found.attributes[0].role is Role.QUASI


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
    figures = comparison_figures(
        both({"x": ["1", "2"], "y": ["a", "b"]}, {"x": [], "y": []}, quasi("x"), quasi("y"), k=2)
    ).as_json()
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
        "losses": {"x": 1, "y": 1},
    }


def test_figures_are_plain_json() -> None:
    """Every key of the docstring, whole numbers as such, no noise of floating point."""
    figures = comparison_figures(
        both({"x": ["1", "2", "3"], "y": [*"aab"]}, {"x": ["[1-2]", "[1-2]", "3"], "y": [*"aab"]}, quasi("x"), k=2)
    ).as_json()
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
