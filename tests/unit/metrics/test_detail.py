"""Metrics that look at single records agree with their definitions, written out over the released text."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from fractions import Fraction
from math import inf, log2, prod
from typing import TYPE_CHECKING, cast

import numpy as np
import polars as pl
import pytest
from kohort_metrics.ambiguity import AMBIGUITY
from kohort_metrics.classification import CLASSIFICATION

from kohort import Attribute, Job, Role, Schema, anonymize
from kohort.algorithms.lattice.optimal import Optimal
from kohort.algorithms.method import METHODS, Choices
from kohort.core.suppression import SuppressionLimit
from kohort.engines.pricing import answer, count
from kohort.io import read
from kohort.metrics.known import METRICS, measured
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.k_anonymity import KAnonymity
from kohort.models.t_closeness import TCloseness
from kohort.schema import Label
from kohort.schema.hierarchies.tree import from_tree
from tests.jobs import freely

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.metrics.base import Outcome

CITIES = {"Bari": "south", "Lecce": "south", "Torino": "north", "Milano": "north", "Aosta": "north"}
AGES = range(20, 36)
REGIONS = from_tree({"south": ["Bari", "Lecce"], "north": ["Torino", "Milano", "Aosta"]}, root="*")
NEW = {"gcp", "kl"}
EXAMPLES = {one.name: one for one in (AMBIGUITY, CLASSIFICATION)}
EVERY = {**EXAMPLES, **{name: METRICS[name] for name in NEW}}


def table(seed: int, records: int = 40) -> pl.DataFrame:
    """Some people; every value of the domains occurs."""
    draw = np.random.default_rng(seed)
    ages = [str(age) for age in draw.integers(AGES.start, AGES.stop, records - len(AGES))]
    return pl.DataFrame(
        {
            "age": [*map(str, AGES), *ages],
            "city": [*CITIES, *draw.choice(list(CITIES), records - len(CITIES)).tolist()],
            "illness": draw.choice(["flu", "cold", ""], records, p=[0.6, 0.3, 0.1]).tolist(),
        }
    )


def fitting(name: str, label: str) -> list[str]:
    """The values of the domain that a released value may stand for."""
    domain = [str(age) for age in AGES] if name == "age" else list(CITIES)
    if label == "*":
        return domain
    if label.startswith("{"):
        return [value for value in domain if value in label.strip("{}").split(", ")]
    if label.startswith("["):
        low, high = label[1:-1].split("-")
        return [value for value in domain if int(low) <= int(value) < int(high) + label.endswith("]")]
    below = [value for value, region in CITIES.items() if region == label]
    return below or [label]


def plainly(source: pl.DataFrame, job: Job, *, grid: int = 0) -> Mapping[str, float]:
    """The three metrics by their definitions, from the released text."""
    release = anonymize(source, job)
    rows = source.select("age", "city").rows()
    labels = cast("pl.DataFrame", release.frame()).select("age", "city").rows()
    of = dict(zip(release.lineage.tolist(), labels, strict=True))
    everything = ("*", "*")
    classes = Counter(of.get(row, everything) for row in range(source.height))
    volume = {
        label: prod(len(fitting(name, text)) for name, text in zip(("age", "city"), label, strict=True))
        for label in classes
    }
    n, suppressed = source.height, source.height - len(of)
    ambiguity = sum(volume[of.get(row, everything)] for row in range(n)) / n
    domains = (AGES, CITIES)
    penalties = {  # of a range its share of the width, of a set or node that of the values
        label: sum(
            (len(fits) - 1) / (len(domain) - 1)
            if text.startswith("[") and not job.algorithm.full_domain
            else len(fits) / len(domain) * (len(fits) > 1)
            for name, domain, text in zip(("age", "city"), domains, label, strict=True)
            for fits in [fitting(name, text)]
        )
        for label in classes
    }
    penalty = sum(penalties[of.get(row, everything)] for row in range(n)) / n / len(domains)
    sick = source["illness"].to_list()
    majority = sum(
        max(Counter(sick[row] for row, one in of.items() if one == label).values()) for label in set(of.values())
    )
    # the original distribution: a number on a grid is anywhere in its cell
    p = defaultdict[tuple[tuple[str, ...], tuple[str, str]], float](float)
    for row, (age, city) in enumerate(rows):
        cell = [str(int(age) - (int(age) - AGES.start) % grid + step) for step in range(grid)] if grid else [age]
        for one in cell:
            p[of.get(row, everything), (one, city)] += 1 / n / len(cell)
    kl = sum(share * log2(share / (classes[label] / n / volume[label])) for (label, _), share in p.items())
    told = {"classification": (n - majority) / n, "ambiguity": ambiguity, "gcp": penalty, "kl": kl}
    return told | {"suppressed": suppressed}


def outcome_of(source: pl.DataFrame, job: Job) -> Outcome:
    """The release as the metrics see it."""
    records = read(source, job.reading)
    over = replace(job, schema=job.schema.over(records.names))
    return answer(count(records, over, None), over).outcome


def job_of(method: str, *, grid: Fraction | None = None, city: Label | None = None, age: Label | None = None) -> Job:
    """A job of the table."""
    on_levels = METHODS[method](Choices()).full_domain
    limit = SuppressionLimit.of("25%") if on_levels else None
    schema = Schema(
        (
            Attribute("age", Role.QUASI, grid=grid, label=age, hierarchy="intervals:4,8" if on_levels else None),
            Attribute(
                "city", Role.QUASI, hierarchy=REGIONS if on_levels or city is Label.ANCESTOR else None, label=city
            ),
            Attribute("illness", Role.SENSITIVE),
        )
    )
    models = (KAnonymity(3), DistinctLDiversity("illness", 2))
    return freely(Job.of(schema, *models, algorithm=METHODS[method](Choices(limit=limit))))


JOBS = {
    "ranges and sets": (job_of("mondrian"), 0),
    "relaxed": (job_of("mondrian-relaxed"), 0),
    "sets of numbers": (job_of("mondrian", age=Label.SET, city=Label.SET), 0),
    "ancestors": (job_of("mondrian", city=Label.ANCESTOR), 0),
    "a grid": (job_of("mondrian", grid=Fraction(4)), 4),
    "levels": (job_of("samarati"), 0),
}


@pytest.mark.parametrize("name", JOBS)
def test_metrics_of_single_records_are_their_definitions(name: str) -> None:
    """Classification, ambiguity, GCP and KL divergence, counted from released text, are what the metrics say."""
    job, grid = JOBS[name]
    for seed in range(5):
        source = table(seed)
        outcome = outcome_of(source, job)
        found, expected = measured(outcome, *NEW), plainly(source, job, grid=grid)
        found |= {name: float(metric(outcome)) for name, metric in EXAMPLES.items()}
        assert {key: found[key] for key in EVERY} == pytest.approx({key: expected[key] for key in EVERY})


def test_suppressed_records_count_as_lost_altogether() -> None:
    """Some of the tables above have suppressed records, which the definitions count."""
    job, _ = JOBS["levels"]
    assert max(plainly(table(seed), job)["suppressed"] for seed in range(5)) > 0


def test_they_are_measured_only_on_demand_and_where_they_are_defined() -> None:
    """A release's own figures have none of them; classification needs a sensitive attribute that a model looks at."""
    job, _ = JOBS["levels"]
    outcome = outcome_of(table(0), job)
    assert not NEW & set(measured(outcome))
    alone = replace(job, models=(KAnonymity(3),), no_model=("illness",))
    assert [name for name, metric in EVERY.items() if not metric.defined(outcome_of(table(0), alone))] == [
        "classification"
    ]
    assert not NEW & set(measured(replace(outcome, detail=None), *NEW))


def test_a_product_beyond_the_largest_float_is_not_told() -> None:
    """Of hundreds of large domains no number says how many combinations there are."""
    outcome = outcome_of(table(0), JOBS["relaxed"][0])
    assert outcome.detail is not None
    vast = replace(outcome.detail)
    vast.__dict__["covered"] = np.full((outcome.sizes.size, 400), 1e3)
    assert AMBIGUITY(replace(outcome, detail=vast)) == inf


def test_the_identity_costs_nothing() -> None:
    """Where every record is released as it is, it stands for itself, and the distribution is that of the table."""
    outcome = outcome_of(pl.concat([table(0)] * 2), freely(Job.of(job_of("mondrian").schema, KAnonymity(2))))
    assert [EVERY[name](outcome) for name in ("ambiguity", "gcp", "kl")] == [1.0, 0.0, 0.0]


def test_a_penalty_counts_by_the_weight_of_its_attribute() -> None:
    """In a class of all ages there are and of one city the ages lose everything, and the cities nothing."""
    three = pl.DataFrame({"age": ["1", "2", "2"], "city": ["Bari"] * 3})
    schema = Schema((Attribute("age", Role.QUASI), Attribute("city", Role.QUASI)))
    outcome = outcome_of(three, Job(schema, (KAnonymity(3),)))
    for ages, cities in ((3, 1), (1, 3)):
        weighted = replace(outcome, weights=np.array([ages, cities]))
        assert METRICS["gcp"](weighted) == pytest.approx(ages / (ages + cities))


@pytest.mark.parametrize("name", ["ambiguity", "gcp", "classification"])
def test_they_are_monotone_as_they_declare(name: str) -> None:
    """A node costs no less than those below it, where no record is suppressed."""
    schema, models = job_of("samarati").schema, (KAnonymity(2), TCloseness("illness", Fraction(99, 100)))
    for seed in range(3):
        costs: dict[tuple[int, int], float] = {}
        for node in ((0, 0), (1, 0), (1, 1), (2, 1), (2, 2)):
            job = freely(Job.of(schema, *models, algorithm=METHODS["samarati"](Choices(node=node))))
            people = pl.concat([table(seed)] * 2).with_columns(illness=pl.col("illness").replace({"": "flu"}))
            costs[node] = EVERY[name].cost(outcome_of(people, job))
        assert [*costs.values()] == sorted(costs.values())


@pytest.mark.parametrize("grid", [None, Fraction(1)])
def test_numbers_are_counted_in_their_steps(grid: Fraction | None) -> None:
    """A range from 1 to 3 of numbers with one decimal may stand for 21 of them, also on a grid of whole numbers."""
    halves = pl.DataFrame({"age": ["1", "1.5", "2", "2.5", "3"]})
    job = Job(Schema((Attribute("age", Role.QUASI, grid=grid),)), (KAnonymity(5),))
    assert AMBIGUITY(outcome_of(halves, job)) == pytest.approx(21)


def test_numbers_on_levels_are_as_many_as_there_are() -> None:
    """Of 1, 2 and 10 a node stands for some of three values, though as a range they span ten."""
    frame = pl.DataFrame({"age": ["1", "2", "10"] * 2})
    ages = Attribute("age", Role.QUASI, hierarchy=from_tree({"few": ["1", "2"], "many": ["10"]}, root="*"))
    job = Job.of(Schema((ages,)), KAnonymity(2), algorithm=Optimal())
    detail = answer(count(read(frame), job, None), job).outcome.detail
    assert detail is not None
    assert detail.whole.tolist() == [3]
