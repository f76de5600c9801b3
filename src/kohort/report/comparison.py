"""A table and its release, compared, in numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kohort.assessment.comparison.statistics import QUANTILES

if TYPE_CHECKING:
    from kohort.assessment.comparison import Association, AttributeComparison, Comparison, Cost, Distance, Moments
    from kohort.assessment.comparison.classifier import Prediction
    from kohort.assessment.comparison.distribution import Bin
    from kohort.assessment.comparison.queries import Workload
    from kohort.assessment.comparison.statistics import NumericStatistics
    from kohort.report import Json


def numbers(comparison: Comparison) -> dict[str, Json]:
    """The figures of `comparison` as one JSON object; among them are values of the table: names, least and greatest.

    Keys: records, released, suppressed; absent and passed_over (columns that were not compared, by name); attributes,
    each name, role (null: no schema says it), scale, values (different ones before, labels after), single (released
    records whose cell was not generalized), before and after (each missing, numeric: mean, deviation, variance,
    quantiles by share; ordinal: mean, deviation, variance; null where they do not apply), distance (kind, value,
    relative; null where one side has no value), distribution (bins, each label, kind, before, after);
    associations, each columns, measure, before, after, change; left_out (columns without associations);
    cost (quasi, classes, smallest, largest, lm, ncp, c_dm, c_avg, losses; null where no quasi-identifier is known).
    """
    return {
        "records": comparison.records,
        "released": comparison.released,
        "suppressed": comparison.suppressed,
        "absent": [*comparison.absent],
        "passed_over": [*comparison.passed_over],
        "attributes": [_attribute(one) for one in comparison.attributes],
        "associations": [_association(one) for one in comparison.associations],
        "left_out": [*comparison.left_out],
        "cost": None if comparison.cost is None else _cost(comparison.cost),
    }


def _attribute(one: AttributeComparison) -> dict[str, Json]:
    before, after = (
        {"missing": missing, "numeric": _numeric(numeric), "ordinal": _moments(ordinal)}
        for missing, numeric, ordinal in zip(one.missing, one.numeric, one.ordinal, strict=True)
    )
    return {
        "name": one.name,
        "role": None if one.role is None else one.role.value,
        "scale": one.scale.value,
        "values": [*one.values],
        "single": one.single,
        "before": before,
        "after": after,
        "distance": None if one.distance is None else _distance(one.distance),
        "distribution": {"bins": [_bin(bar) for bar in one.distribution]},
    }


def _numeric(found: NumericStatistics | None) -> Json:
    if found is None:
        return None
    quantiles = zip(QUANTILES, found.quantiles, strict=True)
    return {**_spread(found.moments), "quantiles": {f"{share:g}": figure(value) for share, value in quantiles}}


def _moments(found: Moments | None) -> Json:
    return None if found is None else {**_spread(found)}


def _spread(found: Moments) -> dict[str, Json]:
    return {
        "mean": figure(found.mean),
        "deviation": _figure(found.deviation),
        "variance": _figure(found.variance),
    }


def _distance(found: Distance) -> dict[str, Json]:
    return {"kind": found.kind, "value": figure(found.value), "relative": _figure(found.relative)}


def _bin(bar: Bin) -> dict[str, Json]:
    return {"label": bar.label, "kind": bar.kind, "before": bar.before, "after": round(bar.after, 4)}


def _association(one: Association) -> dict[str, Json]:
    return {
        "columns": [*one.columns],
        "measure": one.measure,
        "before": _share(one.before),
        "after": _share(one.after),
        "change": _share(one.change),
    }


def _cost(cost: Cost) -> dict[str, Json]:
    return {
        "quasi": [*cost.quasi],
        "classes": cost.sizes.size,
        "smallest": int(cost.sizes.min(initial=cost.sizes.sum())),
        "largest": int(cost.sizes.max(initial=0)),
        "lm": figure(cost.lm),
        "ncp": figure(cost.ncp),
        "c_dm": figure(cost.c_dm),
        "c_avg": _figure(cost.c_avg),
        "losses": {name: figure(loss) for name, loss in cost.losses.items()},
    }


def workload_numbers(found: Workload) -> dict[str, Json]:
    """The figures of a workload of queries: columns, queries, seed, bound, median, mean, percentile_90."""
    return {
        "columns": [*found.columns],
        "queries": found.queries,
        "seed": found.seed,
        "bound": found.bound,
        "median": round(found.median, 10),
        "mean": round(found.mean, 10),
        "percentile_90": round(found.percentile_90, 10),
    }


def prediction_numbers(found: Prediction) -> dict[str, Json]:
    """The figures of a classifier: target, features, classes, split (null: classes are values), seed, judged.

    And learned (before, after), withheld; the accuracies baseline, original, released.
    """
    return {
        "target": found.target,
        "features": [*found.features],
        "classes": found.classes,
        "split": _figure(found.split),
        "seed": found.seed,
        "judged": found.judged,
        "learned": [*found.learned],
        "withheld": found.withheld,
        "baseline": round(found.baseline, 10),
        "original": round(found.original, 10),
        "released": round(found.released, 10),
    }


def figure(value: float) -> int | float:
    """A figure to 12 significant digits, below which is the noise of floating point; a whole one as an integer.

    >>> figure(24.500000000000004), figure(3.0)
    (24.5, 3)
    """
    rounded = float(f"{value:.12g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 1e15 else rounded  # noqa: PLR2004  digits of a float


def _figure(value: float | None) -> int | float | None:
    return None if value is None else figure(value)


def _share(value: float | None) -> float | None:
    """A strength or a difference of two, rounded to what nobody misses: noise of zero is zero."""
    return None if value is None else round(value, 10)
