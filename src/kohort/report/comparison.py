"""The figures of a table and its release, compared; among them are values of the table: names, least and greatest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from kohort.assessment.comparison.classifier import Prediction
from kohort.assessment.comparison.distribution import BinKind
from kohort.assessment.comparison.queries import Workload
from kohort.assessment.comparison.statistics import QUANTILES, Distance
from kohort.report.figures import BoundFigures, Figures
from kohort.shown import Number, Share, Significant

if TYPE_CHECKING:
    from kohort.assessment.comparison import AttributeComparison, Comparison, Cost
    from kohort.assessment.comparison.statistics import NumericStatistics

RoleName: TypeAlias = Literal["identifying", "quasi", "sensitive", "insensitive", "drop"]
ScaleName: TypeAlias = Literal["numeric", "categorical", "date"]


class MomentFigures(Figures, frozen=True):
    """Mean and spread; null where too few records have a value."""

    mean: Significant | None
    deviation: Significant | None
    variance: Significant | None


class NumericFigures(MomentFigures, frozen=True):
    """The same of numbers, and their quantiles by share."""

    quantiles: dict[str, Significant] | None


class SideFigures(Figures, frozen=True):
    """A column before, or after.

    Attributes:
        missing: Records without a value.
        numeric: Statistics of numbers; null of names.
        ordinal: Statistics of the codes along the hierarchy's top level; null of numbers, and without a hierarchy.
    """

    missing: int | None
    numeric: NumericFigures | None
    ordinal: MomentFigures | None


class BinFigures(Figures, frozen=True):
    """A value, node or interval, with its records before and after; others and the missing value have no label."""

    label: str
    kind: BinKind
    before: Number | None
    after: Number | None


class DistributionFigures(Figures, frozen=True):
    """The distribution of a column in few bins."""

    bins: tuple[BinFigures, ...]


class AttributeFigures(Figures, frozen=True):
    """A column before and after: the parts of `AttributeComparison`, each side by itself."""

    name: str
    role: RoleName | None
    scale: ScaleName
    values: tuple[int, int]
    single: int
    before: SideFigures
    after: SideFigures
    distance: Distance | None
    distribution: DistributionFigures


class AssociationFigures(Figures, frozen=True):
    """How strongly two columns go together, before and after; null where one does not vary."""

    columns: tuple[str, str]
    measure: str
    before: Share | None
    after: Share | None
    change: Share | None


class CostFigures(Figures, frozen=True):
    """What a release cost in the metrics of the literature; `c_avg`: null without k; `constant`: of one value."""

    quasi: tuple[str, ...]
    classes: int
    smallest: int
    largest: int
    lm: Significant
    ncp: Significant
    c_dm: Significant
    c_avg: Significant | None
    losses: dict[str, Significant]
    constant: tuple[str, ...]


class ComparisonFigures(Figures, frozen=True):
    """A table and its release: the parts of `kohort.assessment.comparison.Comparison`.

    Attributes:
        queries: How well counts are answered; only of `kohort compare`, null where none were requested.
        classifier: How well a column is predicted; likewise.
        bound: What no release can lose less than; only where that was asked for.
    """

    records: int
    released: int
    suppressed: int
    absent: tuple[str, ...]
    passed_over: tuple[str, ...]
    attributes: tuple[AttributeFigures, ...]
    associations: tuple[AssociationFigures, ...]
    left_out: tuple[str, ...]
    cost: CostFigures | None
    queries: Workload | None = None
    classifier: Prediction | None = None
    bound: BoundFigures | None = None


def comparison_figures(comparison: Comparison, **besides: object) -> ComparisonFigures:
    """The figures of `comparison`, and what was found besides: `queries`, `classifier`, `bound`."""
    return ComparisonFigures.from_attributes(
        comparison,
        attributes=tuple(map(_attribute, comparison.attributes)),
        cost=None if comparison.cost is None else _cost(comparison.cost),
        **besides,
    )


def _attribute(one: AttributeComparison) -> AttributeFigures:
    before, after = (
        SideFigures(
            missing=missing,
            numeric=None if numeric is None else _numeric(numeric),
            ordinal=None if ordinal is None else MomentFigures.from_attributes(ordinal),
        )
        for missing, numeric, ordinal in zip(one.missing, one.numeric, one.ordinal, strict=True)
    )
    bins = tuple(BinFigures.from_attributes(bar, after=round(bar.after, 4)) for bar in one.distribution)
    return AttributeFigures.from_attributes(
        one,
        role=None if one.role is None else one.role.value,
        scale=one.scale.value,
        before=before,
        after=after,
        distribution=DistributionFigures(bins=bins),
    )


def _numeric(found: NumericStatistics) -> NumericFigures:
    quantiles = {f"{share:g}": value for share, value in zip(QUANTILES, found.quantiles, strict=True)}
    return NumericFigures.from_attributes(found.moments, quantiles=quantiles)


def _cost(cost: Cost) -> CostFigures:
    sizes = cost.sizes
    return CostFigures.from_attributes(
        cost,
        classes=sizes.size,
        smallest=int(sizes.min(initial=sizes.sum())),
        largest=int(sizes.max(initial=0)),
        losses=dict(cost.losses),
    )
