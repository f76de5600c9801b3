"""What range ends give away is counted as the verifier counts it, and compared with and without a grid."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort import anonymize
from kohort.algorithms.lattice.optimal import Optimal
from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.assessment.comparison.grids import LabelExposure
from kohort.engines.exposure import compare
from kohort.engines.pipeline import dry_run
from kohort.errors import UsageError
from kohort.io import ReadOptions
from kohort.models.delta_presence import DeltaPresence
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.k_anonymity import KAnonymity
from kohort.perturbation.rounding import Rounding
from kohort.release import Job
from kohort.report.figures import as_json
from kohort.schema import Attribute, Role, Schema
from tests.jobs import freely

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.assessment.comparison.grids import GridComparison
    from kohort.models.base import PrivacyModel
    from kohort.release import Release

TABLES = st.lists(
    st.tuples(
        st.sampled_from(["", *map(str, range(9))]), st.sampled_from(["0.5", "2", "2.25", "7"]), st.sampled_from("ab")
    ),
    min_size=6,
    max_size=30,
)


def released(
    rows: Sequence[tuple[str, ...]],
    *models: PrivacyModel,
    how: Mondrian | None = None,
    **age: Any,  # noqa: ANN401  parts of the attribute
) -> Release:
    """The verified release of rows of an age, a size and a city."""
    schema = Schema((Attribute("age", Role.QUASI, **age), Attribute("size", Role.QUASI), Attribute("city", Role.QUASI)))
    frame = pl.DataFrame(list(rows), schema=dict.fromkeys(["age", "size", "city"], pl.String), orient="row")
    return anonymize(frame, Job.of(schema, *(models or (KAnonymity(2),)), algorithm=how))


def given_away(release: Release, names: Sequence[str]) -> float:
    """The share of cells that a class's label names: both ends of a range, all members of a set."""
    frame = release.frame()
    assert isinstance(frame, pl.DataFrame)
    labels = [row[frame.columns.index(name)] for row in set(frame.rows()) for name in names]
    told = sum(
        2 if label.endswith("]") else label.count(",") + 1
        for label in labels
        if label[:1] in {"[", "{"} and label[-1] != ")"
    )
    return told / (frame.height * len(names))


@given(TABLES, st.booleans())
def test_exposure_is_the_verifiers(rows: list[tuple[str, str, str]], relaxed: bool) -> None:  # noqa: FBT001  drawn
    """Records that alone hold an end of a range are as many as verification finds on the published cells."""
    release = released(rows, how=Mondrian(relaxed=relaxed))
    compared = compare(release)
    assert release.verdict is not None
    if compared is None:
        assert release.verdict.exposed.range_ends == 0
        return
    without, grids = compared.without, compared.grids
    assert without is not None
    exposed = release.verdict.exposed
    assert (without.exposed, without.range_exposure) == (exposed.people, exposed.range_ends)
    assert without.lm == pytest.approx(release.metrics["lm"])
    assert without.downcoded == pytest.approx(given_away(release, [*grids]))
    assert compared.proposed


@given(TABLES)
def test_sets_of_numbers_tell_their_members(rows: list[tuple[str, str, str]]) -> None:
    """Each member of a set is some record's, so a set gives away as many cells as it has members."""
    release = released(rows, label="set")
    compared = compare(release)
    assert compared is None or set(compared.grids) <= {"size"}
    again = compare(released(rows, grid=Fraction(100)))
    assert again is not None
    assert again.without is not None


@given(TABLES)
def test_a_grid_exposes_nobody(rows: list[tuple[str, str, str]]) -> None:
    """With a grid on every number no record is exposed, and no cell of these columns is given away."""
    schema = Schema(tuple(Attribute(name, Role.QUASI, grid=Fraction(2)) for name in ("age", "size")))
    frame = pl.DataFrame(rows, schema=dict.fromkeys(["age", "size", "city"], pl.String), orient="row").drop("city")
    release = anonymize(frame, Job.of(schema, KAnonymity(2)))
    compared = compare(release)
    assert compared is not None
    assert compared.with_ == LabelExposure(release.metrics["lm"], 0, 0, 0.0)
    assert not compared.proposed


ROWS = [(str(age), "2", "a") for age in (18, 24, 31, 39, 45, 62, 63, 64)]


def grids(compared: GridComparison | None) -> dict[str, Any]:
    """The figures of a comparison as JSON."""
    assert compared is not None
    return as_json(compared)


def test_figures_name_both_sides() -> None:
    """The key `grid` has both sides, the grids as they would be asked for, and whether they are a proposal."""
    figures = grids(compare(released(ROWS, grid=(0, 30, Fraction("50.5"), 100))))
    assert figures["grids"] == {"age": "0,30,50.5,100"}
    assert (figures["proposed"], figures["with"]["range_exposure"], figures["with"]["downcoded"]) == (False, 0, 0)
    assert figures["without"]["range_exposure"] == 8
    assert figures["without"]["downcoded"] == 1
    assert figures["without"]["lm"] < figures["with"]["lm"]
    proposed = grids(compare(released(ROWS)))
    assert (proposed["grids"], proposed["proposed"]) == ({"age": "5"}, True)
    ranges = grids(compare(released(ROWS, hierarchy="intervals:0..99:30", grid="hierarchy")))
    assert ranges["grids"] == {"age": "hierarchy"}


def test_nothing_to_compare() -> None:
    """Where no number is released as a range, or no record at all, there is nothing to compare."""
    assert compare(released(ROWS, label="mean")) is None
    job = replace(Job.of(Schema.of(quasi=["age"]), KAnonymity(2)), reading=ReadOptions(allow_empty=True))
    assert compare(dry_run(pl.DataFrame({"age": []}, schema={"age": pl.String}), job)) is None


def test_what_only_one_side_can_meet_is_null() -> None:
    """Somebody of the population between two ranges is known to be absent; an interval of the grid holds him."""
    ages = pl.DataFrame({"age": [str(age) for age in (1, 2, 3, 4, 11, 12, 13, 14)]})
    population = pl.concat([ages, pl.DataFrame({"age": ["7"]})])
    schema = Schema((Attribute("age", Role.QUASI, grid=Fraction(20)),))
    job = Job.of(schema, KAnonymity(4), DeltaPresence(Fraction(1, 2), Fraction(1)))
    compared = compare(anonymize(ages, job, population=population))
    assert compared is not None
    assert (compared.with_ is None, compared.without) == (False, None)
    assert grids(compared) == {
        "with": {"lm": 1, "exposed": 0, "range_exposure": 0, "downcoded": 0},
        "without": None,
        "grids": {"age": "20"},
        "proposed": False,
    }


def test_lattice_methods_have_no_cuts() -> None:
    """Nodes of hierarchies are no cuts, and the refusal says so."""
    schema = Schema((Attribute("age", Role.QUASI, hierarchy="intervals:10,20"),))
    release = anonymize(
        pl.DataFrame({"age": [age for age, _, _ in ROWS]}), Job.of(schema, KAnonymity(2), algorithm=Optimal())
    )
    with pytest.raises(UsageError, match="optimal releases nodes") as caught:
        compare(release)
    assert caught.value.where == "compare-grid"


def test_ends_are_those_of_the_rows() -> None:
    """By hand: two classes of four, each with both ends held by one record, and nothing but these given away."""
    rows = [(str(age), "2", "a") for age in (1, 2, 3, 4, 11, 12, 13, 13)]
    compared = compare(released(rows, KAnonymity(4)))
    assert compared is not None
    assert compared.without is not None
    assert (compared.without.exposed, compared.without.range_exposure, compared.without.downcoded) == (3, 3, 0.5)
    assert Counter(re.findall(r"\[[0-9]+-[0-9]+\]", str(released(rows, KAnonymity(4)).frame())))["[11-13]"] == 4


def test_cells_of_one_value_give_it_away() -> None:
    """In a grid as fine as the data an interval's first and last cell are values; where all is hidden they are not."""
    rows = [(str(age), "2", "a") for age in (1, 2, 3, 4, 11, 12, 13, 13)]
    fine, coarse = (compare(released(rows, KAnonymity(4), grid=Fraction(step))) for step in (1, 2))
    assert fine is not None
    assert coarse is not None
    assert fine.with_ is not None
    assert coarse.with_ is not None
    assert (fine.with_.downcoded, coarse.with_.downcoded) == (0.5, 0)
    hidden = compare(released([("", "2", "a"), *rows], KAnonymity(9), grid=Fraction(1)))
    assert hidden is not None
    assert hidden.with_ is not None
    assert hidden.with_.downcoded == 0


def test_rounded_values_are_judged_as_in_the_release() -> None:
    """Where incomes are rounded before the search, the comparison loses what the release loses."""
    schema = Schema((Attribute("age", Role.QUASI, grid=Fraction(1)), Attribute("income", Role.SENSITIVE)))
    frame = pl.DataFrame({"age": list(range(20)), "income": [1000 + 7 * place % 90 for place in range(20)]})
    models = KAnonymity(2), DistinctLDiversity("income", 2)
    job = Job.of(schema, *models, perturbations=(Rounding("income", Fraction(100)),))
    release = anonymize(frame, freely(job))
    compared = compare(release)
    assert compared is not None
    assert compared.with_ is not None
    assert compared.with_.lm == release.metrics["lm"]
