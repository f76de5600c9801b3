"""Local recoding and cell suppression from a job to a verified release, and what is told of them."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import polars as pl
import pytest

from kohort import Attribute, Job, KAnonymity, Role, Schema, anonymize
from kohort.algorithms.lattice.given import GivenNode
from kohort.algorithms.lattice.local import LocalRecoding
from kohort.algorithms.lattice.optimal import Optimal
from kohort.algorithms.lattice.suppress_cells import SuppressCells
from kohort.core.suppression import SuppressionLimit
from kohort.errors import HierarchyError, UnsupportedError, UsageError
from kohort.models.delta_presence import DeltaPresence
from kohort.report import mapping
from kohort.report.lattice import drawing
from kohort.report.page.request import method
from kohort.report.release import release_figures
from kohort.report.render.release import release_text

if TYPE_CHECKING:
    from kohort.algorithms.problem import Algorithm

AGES = ["16"] * 3 + ["17"] * 3 + ["25", "44", "95", ""]
TABLE = pl.DataFrame({"age": AGES, "city": ["Bari", "Rome"] * 5}, schema={"age": pl.String, "city": pl.String})


def job(algorithm: Algorithm, *, k: int = 2, **age: object) -> Job:
    """The job of one release."""
    said = {"hierarchy": "intervals:5,10,20", **age}
    of_age = Attribute("age", Role.QUASI, **said)  # type: ignore[arg-type]
    return Job.of(
        Schema((of_age, Attribute("city", Role.QUASI, hierarchy="suppress"))), KAnonymity(k), algorithm=algorithm
    )


def test_a_local_recoding_is_released_and_verified() -> None:
    """Classes are on levels of their own; which levels were refined is told."""
    release = anonymize(TABLE, job(LocalRecoding(Optimal())))
    assert release.verdict is not None
    assert release.levels == {}
    assert set(release.refined) == {"age", "city"}
    figures = release_figures(release)
    assert (figures.node, figures.objective, figures.candidates) == (None, None, ())
    assert figures.refined == dict(release.refined)
    assert "Levels   each class on its own, at or below age=" in release_text(figures, ["age", "city"])
    assert {"arx_loss", "precision"}.isdisjoint(release.metrics)


def test_what_is_suppressed_is_verified_on_the_levels_refined() -> None:
    """The records that the full-domain release leaves out are whole classes of it."""
    release = anonymize(TABLE, job(LocalRecoding(GivenNode((0, 1), SuppressionLimit(4)))))
    assert release.verdict is not None
    assert (release.suppressed, release.verdict.checks["suppression"]) == (4, 4)
    assert sorted(set(release.table["age"].values)) == ["16", "17"]


def test_a_population_is_asked_again_about_what_is_left_out() -> None:
    """What is suppressed is judged on the levels refined, where the model compares with a population too."""
    asked = job(LocalRecoding(GivenNode((0, 1), SuppressionLimit(4))))
    asked = Job.of(asked.schema, KAnonymity(2), DeltaPresence(Fraction(0), Fraction(1, 2)), algorithm=asked.algorithm)
    release = anonymize(TABLE, asked, population=pl.concat([TABLE.head(6)] * 3 + [TABLE.tail(4)]))
    assert release.verdict is not None
    assert release.verdict.checks["suppression"] == 4


@pytest.mark.parametrize("proven", [False, True])
def test_cells_are_released_as_they_are_or_not_at_all(proven: bool) -> None:  # noqa: FBT001  a parameter of the test
    """Hierarchies are of no use, and that is told; no value is generalized."""
    asked = job(SuppressCells(proven=proven), max_level=1)
    release = anonymize(TABLE, asked)
    assert release.verdict is not None
    assert set(release.table["age"].values.drop_nulls()) <= {*AGES, "*"}
    assert asked.unused_hierarchies == ("age",)
    assert release.suppressed == 0
    figures = release_figures(release)
    text = release_text(figures)
    assert f"Suppressed cells   {figures.trace['suppressed_cells']:,} of 20" in text
    assert ("proven: no allowed release does better" in text) is proven
    assert "the hierarchy of age is not used" in text


def test_a_value_that_looks_suppressed_is_refused() -> None:
    """Where a cell of the table is `*`, nobody could tell it from a suppressed one."""
    with pytest.raises(HierarchyError, match=r"label \*"):
        anonymize(TABLE.with_columns(city=pl.lit("*")), job(SuppressCells()))


@pytest.mark.parametrize(
    "algorithm",
    [
        LocalRecoding(Optimal(SuppressionLimit.of("5%"), "c_dm")),
        LocalRecoding(GivenNode((1, 0), names=("age", "city"))),
        SuppressCells(),
        SuppressCells(proven=True),
    ],
)
def test_it_is_written_into_a_job_file(algorithm: Algorithm) -> None:
    """A job is the same after it was written and read."""
    asked = job(algorithm)
    again = Job.from_toml(asked.to_toml())
    assert again.algorithm == algorithm
    assert again.schema.attributes == asked.schema.attributes


def test_what_needs_one_level_for_each_column_is_refused() -> None:
    """A mapping and a picture of the lattice show one level for each column, which there is not."""
    release = anonymize(TABLE, job(LocalRecoding(Optimal())))
    with pytest.raises(UsageError, match="optimal-local may release one value in many ways"):
        mapping.mapping(release)
    with pytest.raises(UnsupportedError, match="does not search a lattice"):
        drawing.format_of(release.job.algorithm, ".svg")
    with pytest.raises(UnsupportedError, match="has no lattice"):
        drawing.picture(release, "svg")


def test_a_page_tells_the_search_that_was_refined() -> None:
    """Its objective among the method's parameters, under the name of the whole."""
    told = method("optimal-local", LocalRecoding(Optimal(objective="c_dm")), "limit")
    assert told["name"] == "optimal-local"
    assert told["objective"] == "c_dm"
