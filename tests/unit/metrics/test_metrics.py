"""Every metric is the sum that its definition writes."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kohort_metrics.geometric_loss import LM_GEOMETRIC
from kohort_metrics.maximum_loss import MAXIMUM_LOSS

from kohort.errors import UsageError
from kohort.metrics.base import Levels, Metric, Outcome
from kohort.metrics.known import METRICS, OBJECTIVES, measured, metric_of
from kohort.metrics.loss import ARX_LOSS, attribute_losses
from kohort.specification import Specification

ANY = Specification(key="any", title="Any", sentence="Any figure.")


def outcome(sizes: list[int], losses: list[list[float]], suppressed: int = 0, k: int = 2) -> Outcome:
    """A release with classes of these sizes; `losses` has each attribute's loss in each class."""
    of_classes = np.array(sizes, dtype=np.int64)
    summed = np.array([np.dot(loss, of_classes) for loss in losses])
    return Outcome(int(of_classes.sum()) + suppressed, suppressed, k, of_classes, summed, np.ones(summed.size))


#: Two attributes, classes of 3 and 5 records, 2 records suppressed.
MIXED = outcome([3, 5], [[0.5, 0.0], [1.0, 0.25]], suppressed=2, k=3)


def test_loss_is_summed_over_attributes_and_averaged_over_records() -> None:
    """A record costs the share of its domain that its label may stand for; a suppressed one 1 per attribute."""
    first, second = (3 * 0.5 + 5 * 0.0 + 2) / 10, (3 * 1.0 + 5 * 0.25 + 2) / 10
    assert attribute_losses(MIXED).tolist() == pytest.approx([first, second])
    assert METRICS["lm"](MIXED) == pytest.approx(first + second)
    assert METRICS["ncp"](MIXED) == pytest.approx((first + second) / 2)


def test_discernibility_is_what_each_record_cannot_be_told_from() -> None:
    """The sum of squared sizes; a suppressed record cannot be told from any of the table."""
    assert METRICS["c_dm"](MIXED) == 3 * 3 + 5 * 5 + 2 * 10


def test_average_class_size_is_relative_to_k() -> None:
    """Released records per class, over k."""
    assert METRICS["c_avg"](MIXED) == pytest.approx(8 / 2 / 3)


@given(st.lists(st.integers(1, 9), min_size=1), st.integers(1, 4))
def test_the_identity_costs_nothing(sizes: list[int], attributes: int) -> None:
    """Where every record is released as it is nothing is lost."""
    identity = outcome(sizes, [[0.0] * len(sizes)] * attributes)
    assert METRICS["lm"](identity) == METRICS["ncp"](identity) == 0


@given(st.integers(1, 99), st.integers(1, 4))
def test_total_suppression_costs_everything(records: int, attributes: int) -> None:
    """Where no record is released LM is 1 per attribute, NCP 1, C_DM n per record, and there is no class."""
    nothing = outcome([], [[]] * attributes, suppressed=records)
    assert METRICS["lm"](nothing) == attributes
    assert METRICS["ncp"](nothing) == 1
    assert METRICS["c_dm"](nothing) == records * records
    assert METRICS["c_avg"](nothing) == 0


@given(st.lists(st.integers(2, 9), min_size=1))
def test_bounds_that_every_release_keeps(sizes: list[int]) -> None:
    """C_DM is at least k times the records and C_AVG at least 1, whatever the labels hide."""
    k = min(sizes)
    release = outcome(sizes, [[1.0] * len(sizes)], k=k)
    assert METRICS["c_dm"](release) >= k * sum(sizes)
    assert METRICS["c_avg"](release) >= 1


def test_large_classes_are_counted_exactly() -> None:
    """Squares of millions neither overflow nor round."""
    assert METRICS["c_dm"](outcome([10_000_000, 3], [[0.0, 0.0]])) == 100_000_000_000_009


# ── Of full-domain releases ──────────────────────────────────────────────────────────────────────

#: The same release on levels 1 and 2 of hierarchies of heights 2 and 4; attributes weigh 1 and 3.
LEVELS = replace(
    MIXED,
    weights=np.array([1.0, 3.0]),
    full_domain=Levels(np.array([1, 2]), np.array([2, 4]), np.array([7.0, 11.0])),
)


def test_geometric_loss_is_a_mean_that_no_zero_hides() -> None:
    """The product of (loss + 1), each to the power of its attribute's share of the weights, less 1."""
    assert LM_GEOMETRIC(MIXED) == pytest.approx((1.35 * 1.625) ** 0.5 - 1)
    assert LM_GEOMETRIC(LEVELS) == pytest.approx(1.35**0.25 * 1.625**0.75 - 1)


def test_the_maximum_loss_is_that_of_the_attribute_that_loses_most() -> None:
    """Of losses 0.35 and 0.625 the second, whatever the weights."""
    assert MAXIMUM_LOSS(MIXED) == MAXIMUM_LOSS(LEVELS) == pytest.approx(0.625)


def test_weights_count_in_sums_and_means() -> None:
    """LM adds up attributes by weight, NCP averages them; class sizes know no attributes."""
    assert METRICS["lm"](LEVELS) == pytest.approx(0.35 + 3 * 0.625)
    assert METRICS["ncp"](LEVELS) == pytest.approx((0.35 + 3 * 0.625) / 4)
    assert all(METRICS[name](LEVELS) == METRICS[name](MIXED) for name in ("c_dm", "c_avg"))


def test_arx_cuts_losses_off_after_ten_decimals() -> None:
    """An attribute's loss of 1/3 counts as 0.3333333333, not rounded up and not longer."""
    thirds = replace(outcome([2], [[0.5]], suppressed=0), losses=np.array([2 / 3]), full_domain=LEVELS.full_domain)
    assert METRICS["arx_loss"](thirds) == pytest.approx(0.3333333333, abs=1e-15)
    two_thirds = replace(thirds, losses=np.array([4 / 3]))
    assert METRICS["arx_loss"](two_thirds) == pytest.approx(0.6666666666, abs=1e-15)
    assert METRICS["lm"](two_thirds) > METRICS["arx_loss"](two_thirds)


@given(st.integers(2, 50), st.lists(st.tuples(st.integers(1, 9), st.integers(1, 50)), min_size=1), st.integers(0, 5))
def test_arx_writes_the_same_loss_otherwise(leaves: int, classes: list[tuple[int, int]], suppressed: int) -> None:
    """(Σ share - n/|A|)/(n - n/|A|), shares M/|A| and 1 for a suppressed record, is the attribute's LM."""
    shares = [(size, min(covered, leaves) / leaves) for size, covered in classes]
    n = sum(size for size, _ in shares) + suppressed
    total = sum(size * share for size, share in shares) + suppressed
    of_arx = (total - n / leaves) / (n - n / leaves)
    lost = [[(share * leaves - 1) / (leaves - 1) for _, share in shares]]
    release = replace(outcome([size for size, _ in shares], lost, suppressed), full_domain=LEVELS.full_domain)
    assert METRICS["arx_loss"](release) == pytest.approx(of_arx, abs=2e-10)


def test_precision_is_what_is_left_of_the_way_to_the_roots() -> None:
    """1 less the mean of level/height by weight over all cells; a suppressed cell counts as one at the root."""
    cells = 8 * 1 / 2 + 2 + 3 * (8 * 2 / 4 + 2)
    assert METRICS["precision"](LEVELS) == pytest.approx(1 - cells / (10 * 4))


def test_entropy_and_height_are_sums_by_weight() -> None:
    """Bits over all records; levels, whatever is suppressed."""
    assert METRICS["entropy"](LEVELS) == 7 + 3 * 11
    assert METRICS["height"](LEVELS) == 1 + 3 * 2


@pytest.mark.parametrize("name", ["ncp", "lm", "precision"])
def test_a_record_is_worth_what_it_can_change_alone(name: str) -> None:
    """Of ten records of one attribute that lose nothing, one is suppressed."""
    levels = Levels(np.array([0]), np.array([2]), np.array([0.0]))
    before, after = (replace(outcome([10 - gone], [[0.0]], gone), full_domain=levels) for gone in (0, 1))
    worth = METRICS[name].disclosure.worth
    assert worth is not None
    assert abs(METRICS[name](after) - METRICS[name](before)) == pytest.approx(worth(10, 1))


@pytest.mark.parametrize("name", sorted(name for name, metric in METRICS.items() if metric.join is not None))
def test_attributes_cost_together_what_their_costs_join_to(name: str) -> None:
    """Each alone, with the weights that they have: the cost of both is no sum or mean of other figures."""
    metric, levels = METRICS[name], LEVELS.full_domain
    assert levels is not None
    assert metric.join is not None
    alone = [
        replace(
            LEVELS,
            losses=LEVELS.losses[[one]],
            weights=LEVELS.weights[[one]],
            full_domain=Levels(levels.levels[[one]], levels.heights[[one]], levels.bits[[one]]),
        )
        for one in range(2)
    ]
    costs = np.array([float(metric.costs(one)) for one in alone])
    assert metric.join(costs, LEVELS.weights) == pytest.approx(float(metric.costs(LEVELS)))


def test_the_identity_and_total_suppression_bound_every_metric() -> None:
    """On the bottom nothing is lost; with nothing released, all is, by every metric that does not look at levels."""
    nothing = np.zeros(2)
    bottom = Levels(np.zeros(2, np.int64), np.array([2, 4]), nothing)
    identity = replace(outcome([2, 3], [[0.0] * 2] * 2), full_domain=bottom)
    best = {"precision": 1.0, "c_dm": 13.0, "c_avg": 1.25}
    assert measured(identity) == {name: best.get(name, 0.0) for name in OBJECTIVES}
    gone = replace(identity, suppressed=5, sizes=np.empty(0, np.int64), losses=nothing)
    figures = [METRICS[name](gone) for name in ("precision", "arx_loss")]
    assert [*figures, LM_GEOMETRIC(gone), MAXIMUM_LOSS(gone)] == pytest.approx([0, 1, 1, 1])


def test_costs_are_turned_so_that_less_is_better() -> None:
    """Of all metrics only precision is better when greater; its cost is the negative of what is reported."""
    assert [name for name, metric in METRICS.items() if not metric.less_is_better] == ["precision"]
    for name, metric in OBJECTIVES.items():
        sign = -1 if name == "precision" else 1
        assert metric.cost(LEVELS) == pytest.approx(sign * metric(LEVELS))


def test_costs_that_differ_in_noise_are_tied() -> None:
    """A cost has 12 significant digits, however small: the thirteenth decides nothing, the eleventh does."""
    for scale in (1e-9, 1.0, 1e9):
        first, second, third = (
            Metric(ANY, lambda release: np.asarray(release.losses[0]), less_is_better=False).cost(
                replace(MIXED, losses=np.array([figure * scale]))
            )
            for figure in (1.23456789012, 1.2345678901201, 1.2345678902)
        )
        assert first == second != third


def test_many_outcomes_are_measured_at_once() -> None:
    """Where a metric looks at no classes, an array of levels gives an array of figures, the same as one by one."""
    full = LEVELS.full_domain
    assert full is not None
    levels = np.array([[[0, 0], [1, 0], [2, 4]], [[1, 2], [2, 1], [0, 3]]])
    draw = np.random.default_rng(1)
    losses, bits = draw.random((2, 3, 2)), draw.random((2, 3, 2))
    many = replace(LEVELS, losses=losses, full_domain=replace(full, levels=levels, bits=bits))
    for metric in OBJECTIVES.values():
        if not metric.classes:
            figures = metric.costs(many)
            assert figures.shape == (2, 3)
            for place in np.ndindex(2, 3):
                one = replace(
                    many, losses=losses[place], full_domain=replace(full, levels=levels[place], bits=bits[place])
                )
                assert metric.costs(one) == pytest.approx(figures[place], rel=1e-14)


def test_only_what_is_defined_is_measured() -> None:
    """A release of regions has no levels: neither precision, entropy, height nor ARX's loss."""
    assert set(measured(MIXED)) == {"lm", "ncp", "c_dm", "c_avg"}
    assert set(measured(LEVELS)) == set(OBJECTIVES)


def test_an_unknown_metric_is_a_misuse() -> None:
    """The error names the nearest metrics, or all where none is near."""
    with pytest.raises(UsageError, match=r"did you mean c_avg or c_dm\?"):
        metric_of("c_dvg")
    with pytest.raises(UsageError, match="entropy"):
        metric_of("?")
    with pytest.raises(UsageError, match="kl cannot be an objective"):
        metric_of("kl")


def test_arx_loss_cuts_no_noise_off() -> None:
    """A loss of exactly 0.2 stays 0.2, although the float nearest to its terms' quotient lies below."""
    fifth = replace(LEVELS, records=3, suppressed=0, losses=np.array([3 / 5]), weights=np.ones(1))
    assert (fifth.losses / 3)[0] < 0.2
    assert ARX_LOSS(fifth) == pytest.approx(0.2, abs=1e-15)


@given(st.integers(10**6, 10**9), st.integers(1, 9), st.integers(1, 9))
def test_costs_of_almost_nothing_keep_their_digits(records: int, one: int, other: int) -> None:
    """Ties are to 12 digits: a geometric mean of small losses, or a precision of few records, has as many."""
    levels = Levels(np.array([1, 2]), np.array([2, 4]), np.zeros(2))
    ones, sizes = np.ones(2), np.array([records])
    small = Outcome(records, 0, 2, sizes, np.array([float(one), float(other)]), ones, levels)
    roots = Fraction(one, records), Fraction(other, records)
    terms = sum(roots) / 2 - (roots[0] - roots[1]) ** 2 / 8  # of the Taylor series of sqrt((1 + a)(1 + b)) - 1
    exact = float(terms + sum(roots) * (roots[0] - roots[1]) ** 2 / 16)
    assert LM_GEOMETRIC(small) == pytest.approx(exact, rel=1e-13)
    few = replace(small, suppressed=records - one, sizes=np.array([one]))
    assert METRICS["precision"](few) == pytest.approx(one / records / 2, rel=1e-14)


@pytest.mark.parametrize("suppressed", [0, 2])
@pytest.mark.parametrize("constants", [1, 3])
def test_a_column_of_one_value_does_not_make_the_mean_smaller(suppressed: int, constants: int) -> None:
    """NCP is the mean over the columns of several values; LM still counts what suppression costs in the others."""
    alone = outcome([3, 5], [[0.5, 0.0], [1.0, 0.25]], suppressed=suppressed)
    padded = outcome([3, 5], [[0.5, 0.0], [1.0, 0.25], *[[0.0, 0.0]] * constants], suppressed=suppressed)
    marked = replace(padded, varying=np.array([True, True, *[False] * constants]))
    assert METRICS["ncp"](marked) == pytest.approx(METRICS["ncp"](alone))
    assert METRICS["ncp"](padded) <= METRICS["ncp"](alone)
    assert METRICS["lm"](marked) == METRICS["lm"](padded)


def test_where_no_column_has_several_values_all_count() -> None:
    """A table whose records are all the same loses what is suppressed of it."""
    same = replace(outcome([3], [[0.0], [0.0]], suppressed=1), varying=np.zeros(2, np.bool_))
    assert METRICS["ncp"](same) == pytest.approx(0.25)


def test_weights_of_columns_of_one_value_count_for_nothing() -> None:
    """However heavy such a column is, the mean over the others stays, for one release and for many at once."""
    some = replace(MIXED, varying=np.array([True, False]))
    heavy = replace(some, weights=np.array([1.0, 100.0]))
    assert METRICS["ncp"](heavy) == METRICS["ncp"](some) == pytest.approx(float(attribute_losses(MIXED)[0]))
    many = replace(some, losses=np.stack([MIXED.losses, 2 * MIXED.losses]))
    assert np.asarray(METRICS["ncp"].measure(many)).shape == (2,)
