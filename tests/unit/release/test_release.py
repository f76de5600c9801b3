"""A job refuses what cannot be meant before any record is read."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any, cast

import pytest

from kohort.algorithms.lattice.best_effort import BestEffort
from kohort.algorithms.lattice.optimal import Optimal
from kohort.core.suppression import SuppressionLimit
from kohort.errors import JobError, SchemaError, UsageError
from kohort.models.k_anonymity import KAnonymity
from kohort.models.t_closeness import TCloseness
from kohort.release import Job, plain
from kohort.release.fit import notes
from kohort.schema import Attribute, Label, Role, Schema
from kohort.schema.hierarchy import Hierarchy

CITY = Attribute("city", Role.QUASI, hierarchy="suppress")
FIVE = KAnonymity(5)


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf")])
def test_a_time_limit_is_above_0_and_ends(seconds: float) -> None:
    """Anything else would stop at once or never."""
    with pytest.raises(UsageError, match="time limit"):
        Job.of(Schema((CITY,)), FIVE, algorithm=BestEffort(), time_limit=seconds)


def test_a_time_limit_is_kept() -> None:
    """What may take long can be told when to stop."""
    assert Job.of(Schema((CITY,)), FIVE, algorithm=BestEffort(), time_limit=0.5).time_limit == 0.5


@pytest.mark.parametrize("limit", ["5%", 5, 0.05])
def test_a_limit_says_whether_it_counts_or_shares(limit: object) -> None:
    """A bare number or text is refused with the two ways to say it."""
    with pytest.raises(UsageError, match="SuppressionLimit") as caught:
        Job.of(Schema((CITY,)), FIVE, algorithm=Optimal(cast("Any", limit)))
    assert 'SuppressionLimit.of("5%")' in caught.value.hint
    assert Job.of(Schema((CITY,)), FIVE, algorithm=Optimal(SuppressionLimit.of("5%"))).algorithm.limit


CITIES = Hierarchy.from_rows([["Roma", "Lazio", "*"], ["Roma", "Umbria", "*"]], keep="last")


def test_hierarchies_of_no_use_are_left_out_and_noted() -> None:
    """Those of columns that are not generalized, unless a model measures distances by it; also after a change."""
    schema = Schema(
        (
            CITY,
            Attribute("s", Role.SENSITIVE, hierarchy="suppress"),
            Attribute("t", Role.SENSITIVE, hierarchy=CITIES),
            Attribute("u", Role.INSENSITIVE, hierarchy=CITIES),
        )
    )
    models = (FIVE, TCloseness("s", Fraction(1, 2), distance="equal"), TCloseness("t", Fraction(1, 2)))
    job = Job.of(schema, *models)
    assert job.unused_hierarchies == ("s", "u")
    assert [one.hierarchy for one in job.schema.attributes] == ["suppress", None, CITIES, None]
    assert replace(job, no_model=()) == job
    assert notes(job) == (
        "the hierarchy of s is not used to generalize or measure anything",
        "the hierarchy of u is not used to generalize or measure anything",
        "hierarchy of t: 1 label has several parents: the last one is kept",
    )
    assert notes(Job.of(Schema((CITY,)), FIVE)) == ()


def test_a_job_describes_what_was_changed_in_a_hierarchy() -> None:
    """The certificate's job says so beside the digest; a hierarchy that nests as it is has only that."""
    told = cast("dict[str, object]", plain(CITIES))
    assert told["changes"] == ["1 label has several parents: the last one is kept"]
    same = plain(Hierarchy.from_rows(CITIES.rows()))
    assert same == {key: value for key, value in told.items() if key != "changes"}


def test_levels_need_hierarchies() -> None:
    """Each quasi-identifier without one is named; a single one as its own error, several together."""
    age, sex = Attribute("age", Role.QUASI), Attribute("sex", Role.QUASI)
    with pytest.raises(SchemaError, match="no hierarchy") as alone:
        Job.of(Schema((CITY, age)), FIVE, algorithm=Optimal())
    assert alone.value.where == "column age"
    with pytest.raises(JobError) as both:
        Job.of(Schema((CITY, age, sex)), FIVE, algorithm=Optimal())
    assert [getattr(one, "where", "") for one in both.value.exceptions] == ["column age", "column sex"]


@pytest.mark.parametrize("parts", [{"grid": 5}, {"label": Label.SET}])
def test_levels_are_released_as_nodes(parts: dict[str, Any]) -> None:
    """A grid or another kind of label contradicts a lattice method; where nothing is said, labels are nodes."""
    column = Attribute("age", Role.QUASI, hierarchy="intervals:5,10", **parts)
    with pytest.raises(SchemaError, match="nodes of the hierarchy"):
        Job.of(Schema((column,)), FIVE, algorithm=Optimal())
    plain = Job.of(Schema((CITY,)), FIVE, algorithm=Optimal())
    assert plain.schema.quasi[0].label is Label.ANCESTOR
