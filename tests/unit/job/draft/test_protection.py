"""The models that a draft proposes, and what each costs."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from kohort import Attribute, Job, KAnonymity, Role, Schema, anonymize
from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.algorithms.mondrian.ordered import Ordered
from kohort.engines.pricing import Price
from kohort.io.typed import from_frame
from kohort.job.draft import protection
from kohort.job.draft.protection import Protection, protected

RECORDS = 120


def table(**columns: list[str]) -> dict[str, list[str]]:
    """Ages that repeat, and further columns of as many records."""
    return {"age": [str(18 + place % 40) for place in range(RECORDS)]} | columns


def found_for(columns: dict[str, list[str]], *numeric: str, k: int = 5) -> Protection:
    """What is proposed for all columns but the age."""
    sensitive = tuple(Attribute(name, Role.SENSITIVE) for name in columns if name != "age")
    schema = Schema((Attribute("age", Role.QUASI), *sensitive))
    return protected(from_frame(pl.DataFrame(columns)), schema, (), k=k, numeric=frozenset(numeric))


SCHEMA = Schema((Attribute("age", Role.QUASI), *(Attribute(name, Role.SENSITIVE) for name in "xy")))
EVEN = ["flu", "cold", "gout", "asthma"] * (RECORDS // 4)
PAY = [str(1000 + 7 * place) for place in range(RECORDS)]


def asked(found: Protection, name: str) -> list[str]:
    """The models of a column in each profile that was measured, by key and parameter."""
    own = [(one.models[name].specification, one.models[name]) for one in found.profiles]
    return [f"{said.key} {float(getattr(model, said.own[0].name)):g}" for said, model in own]


@pytest.mark.parametrize(
    ("values", "numeric", "models"),
    [
        (EVEN, False, ["t 0.2", "enhanced-beta 2", "l 2"]),
        (["no"] * (RECORDS - 12) + ["yes"] * 12, False, ["t 0.2", "enhanced-beta 2", "l 2"]),
        (["no"] * (RECORDS - 11) + ["yes"] * 11, False, ["t 0.2", "t 0.3", "t 0.5"]),
        (["same"] * RECORDS, False, ["t 0.2", "t 0.3", "t 0.5"]),
        (["", "", "same"] * (RECORDS // 3), False, ["t 0.2", "t 0.3", "t 0.5"]),
        (PAY, True, ["t 0.2", "t 0.3", "t 0.5"]),
        (["0", "1"] * (RECORDS // 2), True, ["t 0.2", "t 0.3", "t 0.5"]),
    ],
)
def test_the_models_fit_the_values(
    values: list[str],
    numeric: bool,  # noqa: FBT001  a case
    models: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Numbers get t-closeness in every profile, and so do names where over 90 % have one value, or all do."""
    monkeypatch.setattr(protection, "WITHIN", -1.0)  # nothing is cheap: all profiles are measured
    assert asked(found_for(table(x=values), *(["x"] if numeric else [])), "x") == models


def test_the_strictest_cheap_profile_is_proposed() -> None:
    """Values of which people of each age have all cost nothing with t = 0.2: nothing weaker is measured."""
    found = found_for(table(x=[("flu", "cold", "gout")[place // 40] for place in range(RECORDS)]))
    assert (found.chosen, len(found.profiles), found.is_dear) == (0, 1, False)
    assert found.together == found.profiles[0].loss
    assert found.prices == (f"t = 0.2 for all: {found.together:.1%} lost  (chosen)",)


def young(share: int) -> list[str]:
    """Values that only the young have: so many in a hundred of them."""
    return ["yes" if place % 40 < 10 and place * 37 % 100 < share else "no" for place in range(RECORDS)]


@pytest.mark.parametrize("within", [-1.0, 0.0, 0.05, 1.0])
def test_the_first_within_the_limit_else_the_cheapest_is_chosen(within: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Profiles are measured until one is within the limit; where none is, the cheapest is, and somebody is asked."""
    monkeypatch.setattr(protection, "WITHIN", within)
    found = found_for(table(x=young(90), y=PAY), "y")
    losses = [one.loss for one in found.profiles if one.loss is not None]
    assert found.alone is not None
    assert found.together is not None
    if found.is_dear:
        assert len(found.profiles) == len(protection.PROFILES)
        assert found.together == min(losses) > found.alone + within
    else:
        assert found.chosen == len(found.profiles) - 1
        assert all(loss > found.alone + within for loss in losses[:-1])
        assert found.together <= found.alone + within


def test_prices_are_those_of_all_models_together() -> None:
    """A profile never costs less than k alone, and its price is that of a release with all its models."""
    found = found_for(table(x=PAY, y=EVEN), "x")
    assert found.alone is not None
    assert all(one.loss is not None and found.alone <= one.loss <= 1 for one in found.profiles)
    chosen = found.profiles[found.chosen]
    job = Job.of(SCHEMA, KAnonymity(5), *chosen.models.values(), algorithm=found.method, no_model=())
    assert job.k == 5
    release = anonymize(pl.DataFrame(table(x=PAY, y=EVEN)), replace(job, allow_singling=("x", "y")))
    assert release.metrics["ncp"] == chosen.loss
    assert found.records == RECORDS


def test_what_allows_no_release_has_no_price() -> None:
    """More people in a class than there are: no price is told, nothing fails, and nobody is asked."""
    found = found_for(table(x=EVEN), k=RECORDS + 1)
    assert (found.alone, found.together, found.prices, found.is_dear) == (None, None, (), False)
    assert [one.specification.key for one in found.models_of("x")] == ["t", "enhanced-beta", "l"]


def test_without_sensitive_columns_there_is_no_profile() -> None:
    """Then k alone is measured, and nothing is asked of a column."""
    found = found_for(table())
    assert (found.profiles, found.chosen, found.together, found.is_dear) == ((), 0, None, False)
    assert found.alone is not None


def test_without_quasi_identifiers_nothing_is_measured() -> None:
    """There are no classes to measure a loss of."""
    schema = Schema((Attribute("x", Role.SENSITIVE),))
    assert protected(from_frame(pl.DataFrame({"x": EVEN})), schema, (), k=5, numeric=frozenset()).alone is None


def test_large_tables_are_measured_by_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """No more records are measured than it takes."""
    monkeypatch.setattr(protection, "MEASURED", 50)
    assert found_for(table(x=EVEN, y=EVEN)).records == 50


def test_models_that_leave_nothing_are_not_chosen() -> None:
    """Of the young few have it, of the old most: no two classes are as the table, but in both are both values."""
    cells = ["yes" if place % 40 >= 20 + 7 * (place < 40) or place in {0, 45, 90} else "no" for place in range(RECORDS)]
    found = found_for(table(x=cells))
    assert found.profiles[0].loss == 1
    assert found.together is not None
    assert found.together < 1


@pytest.mark.parametrize(
    ("loss", "columns", "soon", "due"),
    [
        (0.44, ["age"], RECORDS, Ordered),  # a tenth less than .5, and a little
        (0.46, ["age"], RECORDS, Mondrian),
        (0.1, ["age"], RECORDS - 1, Mondrian),  # it would take too long
        (0.1, ["age", "x"], RECORDS, Mondrian),  # t-closeness, beside which it takes long for nothing
        (None, ["age"], RECORDS, Mondrian),
    ],
)
def test_ordered_is_proposed_where_it_is_better_and_quick(
    loss: float | None, columns: list[str], soon: int, due: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It loses a tenth less than cuts, of a table of so many records at most, and never beside t or beta."""

    def price(_: object, job: Job, **__: object) -> Price | None:
        lost = loss if isinstance(job.algorithm, Ordered) else 0.5
        return None if lost is None else Price(lost, {}, (), 0.1)

    monkeypatch.setattr(protection, "priced", price)
    monkeypatch.setattr(protection, "SOON", soon)
    found = found_for({name: values for name, values in table(x=EVEN).items() if name in columns})
    assert type(found.method) is due
