"""The models that a draft proposes, and what each costs."""

from __future__ import annotations

import polars as pl
import pytest

from kohort import Attribute, Role, Schema
from kohort.io.typed import from_frame
from kohort.job.draft import protection
from kohort.job.draft.protection import Protection, protected
from kohort.sweeps import counting

RECORDS = 120


def table(**columns: list[str]) -> dict[str, list[str]]:
    """Ages that repeat, and further columns of as many records."""
    return {"age": [str(18 + place % 40) for place in range(RECORDS)]} | columns


def found_for(columns: dict[str, list[str]], *numeric: str, k: int = 5) -> Protection:
    """What is proposed for all columns but the age."""
    sensitive = tuple(Attribute(name, Role.SENSITIVE) for name in columns if name != "age")
    schema = Schema((Attribute("age", Role.QUASI), *sensitive))
    return protected(from_frame(pl.DataFrame(columns)), schema, (), k=k, numeric=frozenset(numeric))


EVEN = ["flu", "cold", "gout", "asthma"] * (RECORDS // 4)
RARE = ["no"] * (RECORDS - 12) + ["yes", "never", "often"] * 4
PAY = [str(1000 + 7 * place) for place in range(RECORDS)]


@pytest.mark.parametrize(
    ("values", "numeric", "keys"),
    [
        (EVEN, False, ["l 2", "l 3", "t 0.2"]),
        (RARE, False, ["t 0.2", "l 2", "l 3"]),
        (["no", "yes"] * (RECORDS // 2), False, ["t 0.2", "l 2"]),
        (["same"] * RECORDS, False, ["t 0.2", "t 0.1"]),
        (PAY, True, ["t 0.2", "t 0.1"]),
    ],
)
def test_the_model_fits_the_values(values: list[str], numeric: bool, keys: list[str]) -> None:  # noqa: FBT001  a case
    """Numbers get t-closeness, names diversity, and names of which one is most frequent t-closeness first."""
    found = found_for(table(x=values), *(["x"] if numeric else [])).proposals["x"]
    assert [f"{one.key} {one.value}" for one in found] == keys


def test_no_diversity_beyond_k_is_proposed() -> None:
    """A class of two records cannot be asked for three values."""
    assert [one.value for one in found_for(table(x=EVEN), k=2).proposals["x"]] == ["2", "0.2"]


def test_costs_are_those_of_releases() -> None:
    """A stricter model never costs less, all models never less than one, and all is a share."""
    found = found_for(table(x=PAY, y=EVEN), "x")
    loose, strict = (one.loss for one in found.proposals["x"])
    assert found.alone is not None
    assert found.together is not None
    assert loose is not None
    assert strict is not None
    assert 0 < found.alone <= loose <= strict <= 1
    assert found.alone <= loose <= found.together <= 1
    assert found.records == RECORDS


def test_what_allows_no_release_has_no_cost() -> None:
    """More people in a class than there are: nothing is measured, and nothing fails."""
    found = found_for(table(x=EVEN), k=RECORDS + 1)
    assert (found.alone, found.together) == (None, None)
    assert {one.loss for one in found.proposals["x"]} == {None}


def test_without_quasi_identifiers_nothing_is_measured() -> None:
    """There are no classes to measure a loss of."""
    schema = Schema((Attribute("x", Role.SENSITIVE),))
    assert protected(from_frame(pl.DataFrame({"x": EVEN})), schema, (), k=5, numeric=frozenset()).alone is None


def test_large_tables_are_measured_by_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """No more records are measured than it takes, and of many columns only the chosen models."""
    monkeypatch.setattr(counting, "SAMPLE", 50)
    monkeypatch.setattr(protection, "SAMPLE", 50)
    monkeypatch.setattr(protection, "MANY", 2)
    found = found_for(table(x=EVEN, y=EVEN))
    assert found.records == 50
    assert [one.loss is None for one in found.proposals["x"]] == [False, True, True]


def test_a_model_that_leaves_nothing_is_not_chosen() -> None:
    """Of the young few have it, of the old most: no two classes are as the table, but in both are both values."""
    cells = ["yes" if place % 40 >= 20 + 7 * (place < 40) or place in {0, 45, 90} else "no" for place in range(RECORDS)]
    found = found_for(table(x=cells))
    assert [(one.key, one.loss == 1) for one in found.proposals["x"]] == [("l", False), ("t", True)]
    assert found.together is not None
    assert found.together < 1
