"""Releases of the methods that look at losses: whatever the labels, they verify, and lose less than the usual cuts."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from kohort import Job, KAnonymity, Schema, anonymize
from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.algorithms.mondrian.ordered import Ordered
from kohort.core.labels import Labels
from kohort.core.recoding import RegionClasses
from kohort.core.texts import Joined
from kohort.engines.problem import outcome_of
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.samples.italy import italy
from kohort.schema import Label

PEOPLE = italy(400, seed=3).select("gender", "age", "education", "profession")
SCHEMA = Schema.of(quasi=["gender", "age", "education"], sensitive=["profession"])
METHODS = (Mondrian("loss"), Mondrian("loss", relaxed=True), Ordered())


def with_ages(label: Label | None, grid: Fraction | None) -> Schema:
    """The schema whose ages are released so."""
    changed = (
        replace(one, label=label, grid=grid) if one.name == "age" else replace(one, label=Label.SET)
        for one in SCHEMA.quasi
    )
    return SCHEMA.changed(changed)


@pytest.mark.parametrize(("label", "grid"), [(Label.RANGE, None), (Label.SET, None), (None, Fraction(5))])
@pytest.mark.parametrize("method", METHODS, ids=["loss", "relaxed", "ordered"])
def test_a_release_verifies_and_loses_less(
    method: Mondrian | Ordered, label: Label | None, grid: Fraction | None
) -> None:
    """Ranges, sets and cells of grids are true of every record, and cost less than with the nearest cut."""
    job = Job.of(with_ages(label, grid), KAnonymity(5), algorithm=method, no_model=("profession",))
    release = anonymize(PEOPLE, job)
    assert release.verdict is not None
    assert release.verdict.smallest >= 5
    assert release.metrics["lm"] < anonymize(PEOPLE, replace(job, algorithm=Mondrian())).metrics["lm"]


def test_the_order_cut_keeps_models_of_values() -> None:
    """With l-diversity only classes that satisfy it are made."""
    release = anonymize(PEOPLE, Job.of(SCHEMA, KAnonymity(5), DistinctLDiversity("profession", 3), algorithm=Ordered()))
    assert release.verdict is not None
    assert release.verdict.models == ("5-anonymity", "distinct 3-diversity of profession")


def test_losses_are_the_same_in_whatever_order_the_regions_are() -> None:
    """The sum is rounded once: plainly added, the last digit would depend on the order of the rows."""
    random = np.random.default_rng(3)
    shares, share_of = random.random(9), random.integers(0, 9, 200)
    sizes, turned = random.integers(1, 9, 200), random.permutation(200)
    labels = Labels(Joined(map(str, range(9))), share_of.astype(np.uint32), shares, share_of.astype(np.uint32))
    found: list[float] = []
    for order in (np.arange(200), turned):
        some = share_of[order].astype(np.uint32)
        classes = RegionClasses((replace(labels, of=some, share_of=some),), order, order, sizes[order], sizes[order])
        found += outcome_of(int(sizes.sum()), 0, 1, classes, None, domains=()).losses.tolist()
    exact = sum(Fraction(share) * int(size) for share, size in zip(shares[share_of], sizes, strict=True))
    assert found[0] == found[1] == pytest.approx(float(exact), rel=1e-15)
