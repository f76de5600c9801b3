"""The adviser: the strictest point within a loss."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from kohort.core.frequency import ClassProfile, Histogram
from kohort.errors import UsageError
from kohort.job.sweeps.frame import Axis, Ending, refuse_unordered
from kohort.job.sweeps.table_figures import TABLES, text
from kohort.job.sweeps.table_plan import rising
from kohort.job.sweeps.tables import Point, TableSweep
from kohort.models.base import models, variants
from kohort.schema.sensitive import SensitiveDomain
from kohort.transactions.sweep import Plan
from kohort.transactions.sweep_figures import figures as coherence_figures
from kohort.transactions.sweep_figures import text as coherence_text
from tests.unit.sweep import table_sweeps
from tests.unit.sweep.table_sweeps import METHODS
from tests.unit.transactions import sweeps as transaction_sweeps

KS = Axis("k", ("20", "2", "5", "10"))


def losing(*losses: float | None, axes: tuple[Axis, ...]) -> TableSweep:
    """A sweep whose points lose so much; a `None` has no release."""
    found = table_sweeps.made(*axes)
    points = [
        Point(values=point.values, ending=Ending.INFEASIBLE, why="too few")
        if loss is None
        else replace(point, metrics={**point.metrics, "ncp": loss})
        for point, loss in zip(found.points, losses, strict=True)
    ]
    return replace(found, points=tuple(points))


def test_the_greatest_k_within_the_loss() -> None:
    """Whatever the order of the values, and whatever a less strict one loses; the limit itself is within."""
    found = losing(0.4, 0.05, 0.3, 0.1, axes=(KS,))
    for within, k in ((0.5, "20"), (0.39, "10"), (0.1, "10"), (0.09, "2")):
        best = replace(found, within=Fraction(within)).proposed
        assert best is not None
        assert best.values == (k,)
    assert replace(found, within=Fraction("0.01")).proposed is None


def test_equally_strict_points_are_judged_by_their_loss() -> None:
    """Of the greatest k the method that loses least; one without a release is nothing."""
    found = losing(0.3, None, 0.2, 0.1, 0.1, 0.1, axes=(Axis("k", ("5", "2")), METHODS))
    best = replace(found, within=Fraction(1, 2)).proposed
    assert best is not None
    assert best.values == ("5", "samarati")
    assert best.loss == pytest.approx(0.2)


def test_what_is_varied_first_counts_first() -> None:
    """Then a smaller t is stricter."""
    found = losing(0.1, 0.1, 0.2, 0.9, axes=(Axis("k", ("2", "5")), Axis("t:illness", ("0.5", ".3"))))
    found_at = [replace(found, within=Fraction(within)).proposed for within in (0.1, 0.2, 0.9)]
    assert [best and best.values for best in found_at] == [("2", ".3"), ("5", "0.5"), ("5", ".3")]


def test_what_protects_nothing_is_refused() -> None:
    """A method is no protection; one parameter that is, is enough."""
    with pytest.raises(UsageError, match="no value of method and quasi"):
        refuse_unordered({"method": rising("method"), "quasi": rising("quasi")})
    refuse_unordered({"method": rising("method"), "t:illness": rising("t:illness")})


def test_what_is_stricter_is_what_the_models_achieve() -> None:
    """Each parameter says of itself what `achieved` says of it."""
    domain = SensitiveDomain("illness", np.array([3, 2, 1]))
    classes = ClassProfile(np.array([6]), (Histogram(domain, np.array([[3, 2, 1]])),))
    told = 0
    for kind in models().values():
        said = {one.name: one.rising for one in kind.specification.parameters}
        for variant in variants(kind, "illness"):
            for one in variant.model.achieved(replace(classes, population=np.array([9]), outside=3)):
                assert said[one.parameter] is one.rising, variant.key
                told += 1
    assert told >= len(models())


def test_people_and_programs_read_the_proposal() -> None:
    """The point and its loss; or that there is none, and which one is nearest."""
    found = replace(losing(0.4, 0.05, 0.3, 0.125, axes=(KS,)), within=Fraction("0.2"))
    said = "Proposed: k = 10, the strictest within a loss of 20 %, with a loss of 12.5 % of the detail (NCP)."
    assert said in text(found).splitlines()
    assert TABLES.figures(found)["proposed"] == {"values": {"k": "10"}, "loss": 0.125}
    assert TABLES.figures(found)["at_most_loss"] == 0.2
    none = replace(found, within=Fraction("0.01"))
    said = "Nothing proposed: no point is within a loss of 1 %; k = 2 loses least, 5 % of the detail (NCP)."
    assert said in text(none).splitlines()
    assert TABLES.figures(none)["proposed"] is None
    assert "proposed" not in TABLES.figures(replace(found, within=None))
    assert "roposed" not in text(replace(losing(None, None, None, None, axes=(KS,)), within=Fraction(1)))


def test_transactions_are_advised_by_their_mean() -> None:
    """The greatest k with the method that loses least; a value with a failed run is not proposed."""
    found = transaction_sweeps.made(
        *("0.1", "0.2", "0.1", "0.2"), *("0.3", "0.2", "0.3", "0.2"), *(None, "0.1", "0.1", "0.2")
    )
    best = replace(found, within=Fraction("0.2")).proposed
    assert best is not None
    assert (best.values, best.loss) == (("4", "mm"), Fraction(3, 20))
    found = replace(found, within=Fraction("0.12"))
    said = "Proposed: k = 2 by mmil, the strictest within a distortion of 12 %, with a loss of 10.00 %."
    assert said in coherence_text(found).splitlines()
    assert coherence_figures(found)["proposed"] == {
        "value": 2,
        "method": "mmil",
        "mean": 0.1,
        "mean_exact": "1/10",
    }
    none = replace(found, within=Fraction("0.01"))
    assert "Nothing proposed: no value is within a distortion of 1 % in all its runs." in coherence_text(none)
    assert (coherence_figures(none)["proposed"], coherence_figures(none)["at_most_loss"]) == (None, 0.01)


def test_a_smaller_h_is_stricter() -> None:
    """An attacker may be less sure."""
    found = transaction_sweeps.made("0.1", "0.1", values=2, methods=("mmil",))
    job = transaction_sweeps.job(roles=transaction_sweeps.drawn())
    plan = Plan.of(job, "h", ["0.4", "0.8"], methods=["mmil"], seeds=[0])
    points = tuple(replace(one, values=(k, "0", "mmil")) for one, k in zip(found.points, ("0.4", "0.8"), strict=True))
    best = replace(found, plan=plan, axes=plan.axes, points=points, within=Fraction("0.1")).proposed
    assert best is not None
    assert best.values == ("0.4", "mmil")
