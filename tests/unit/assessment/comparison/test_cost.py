"""What a release cost by its labels: as the release itself says it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kohort import anonymize
from kohort.algorithms.lattice.samarati import Samarati
from kohort.assessment.comparison import compare
from kohort.core.suppression import SuppressionLimit
from kohort.generate.italy import italy
from kohort.models.k_anonymity import KAnonymity
from kohort.release import Job
from kohort.schema import Attribute, Role, Schema
from kohort.schema.hierarchy import Hierarchy
from tests.jobs import freely
from tests.unit.assessment.comparison.tables import REGIONS, both, compared, quasi

if TYPE_CHECKING:
    from kohort.algorithms.problem import Algorithm

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
    assert cost.suppressed == release.suppressed
    assert sorted(cost.sizes.tolist()) == sorted(release.sizes.tolist())
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
    assert (none.cost.lm, none.cost.c_dm, none.cost.sizes.size) == (1, 4, 0)


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
