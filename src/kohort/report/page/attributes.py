"""Each released column before and after; what perturbation did to it, and how far pseudonyms link records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from kohort.report.comparison import BinFigures, DistanceFigures, NumericFigures, RoleName, ScaleName, SideFigures
from kohort.report.figures import Figures, Number, rounded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.assessment.comparison import AttributeComparison, Comparison, Distance
    from kohort.assessment.comparison.statistics import NumericStatistics
    from kohort.perturbation.effect import Effect
    from kohort.release import Release
    from kohort.release.homogeneity import Homogeneity
    from kohort.report.comparison import AttributeFigures
    from kohort.report.page.audience import Reader
    from kohort.report.page.groups import Subgroups, Tally


class PageDistribution(Figures, frozen=True):
    """A distribution in few bins: in records, or for the public in shares."""

    unit: Literal["records", "share"]
    bins: tuple[BinFigures, ...]


class PageHomogeneity(Figures, frozen=True):
    """People in classes of a single value, and the largest share of one value in a class, which is internal only."""

    people: int | None
    largest_share: Number | None


class PageAttribute(Figures, frozen=True):
    """A released column before and after.

    Attributes:
        name: Its name.
        role: Its role.
        scale: Whether its values are numbers or names.
        values: How many different values it had, and how many labels it has; internal only.
        single: Released records whose cell was not generalized.
        before: Statistics of the input. The public sees means and deviations of numbers, and nothing of `before`
            where few records were left out.
        after: Statistics of the release.
        distance: How far the distribution moved; the public sees `relative` alone, where it sees `before`.
        distribution: The distribution; null where nothing may be shown.
        homogeneity: Of some sensitive columns, how alike their values are in classes.
    """

    name: str
    role: RoleName | None
    scale: ScaleName
    values: tuple[int, int] | None
    single: int | None
    before: SideFigures | None
    after: SideFigures
    distance: DistanceFigures | None
    distribution: PageDistribution | None
    homogeneity: PageHomogeneity | None


class PageEffect(Figures, frozen=True):
    """What perturbation did to a column: the parts of `kohort.perturbation.effect.Effect`."""

    column: str
    method: str
    records: int | None
    unchanged: int | None
    decimals: int | None
    bounds: tuple[Number | None, Number | None] | None
    mean: tuple[Number, Number] | None
    variance: tuple[Number, Number] | None
    correlation: tuple[Number, str] | None
    linked: Number | None
    reproducible: bool


class PagePseudonyms(Figures, frozen=True):
    """A column of pseudonyms: records that have one, and those that share it with another."""

    column: str
    records: int | None
    linked: int | None


def attributes(
    figures: tuple[AttributeFigures, ...], homogeneity: Mapping[str, Homogeneity]
) -> tuple[PageAttribute, ...]:
    """All columns for the steward, from the figures of the comparison."""
    return tuple(_internal(one, homogeneity.get(one.name)) for one in figures)


def _internal(one: AttributeFigures, alike: Homogeneity | None) -> PageAttribute:
    return PageAttribute(
        name=one.name,
        role=one.role,
        scale=one.scale,
        values=one.values,
        single=one.single,
        before=one.before,
        after=one.after,
        distance=one.distance,
        distribution=PageDistribution(unit="records", bins=one.distribution.bins),
        homogeneity=None if alike is None else PageHomogeneity(people=alike.alike, largest_share=rounded(alike.share)),
    )


def public_attributes(
    comparison: Comparison,
    homogeneity: Mapping[str, Homogeneity],
    tallied: Mapping[str, Tally],
    groups: Mapping[str, Subgroups],
    reader: Reader,
) -> tuple[PageAttribute, ...]:
    """All columns for the public."""
    return tuple(
        PageAttribute(
            name=one.name,
            role=None if one.role is None else one.role.value,
            scale=one.scale.value,
            values=None,
            single=reader.records(one.single, comparison.released),
            before=_side(one, 0, comparison.records, reader) if reader.counts_input else None,
            after=_side(one, 1, comparison.released, reader),
            distance=_distance(one.distance, comparison.records, reader) if reader.counts_input else None,
            distribution=_distribution(comparison, tallied.get(one.name), groups.get(one.name), reader),
            homogeneity=_homogeneity(homogeneity.get(one.name), comparison.released, reader),
        )
        for one in comparison.attributes
    )


def _side(one: AttributeComparison, side: int, records: int, reader: Reader) -> SideFigures:
    """Statistics before (0) or after (1)."""
    return SideFigures(
        missing=reader.records(one.missing[side], records),
        numeric=_numeric(one.numeric[side], _span(one), records, reader),
        ordinal=None,
    )


def _span(one: AttributeComparison) -> float:
    """From the least to the greatest number: the most that one person adds to a sum."""
    return max((side.quantiles[-1] - side.quantiles[0] for side in one.numeric if side is not None), default=0.0)


def _numeric(found: NumericStatistics | None, span: float, among: int, reader: Reader) -> NumericFigures | None:
    """Mean and deviation; null of a few people, and where all have the mean for their value."""
    if found is None or reader.records(found.moments.records, among) is None:
        return None
    records, deviation = found.moments.records, found.moments.deviation
    if not deviation:
        return None
    return NumericFigures(
        mean=reader.figure(found.moments.mean, span / records),
        deviation=reader.figure(deviation, span * span / (2 * records * deviation)),
        variance=None,
        quantiles=None,
    )


def _distance(found: Distance | None, records: int, reader: Reader) -> DistanceFigures | None:
    if found is None or found.relative is None:
        return None
    return DistanceFigures(kind=found.kind, value=None, relative=reader.share(found.relative, records))


def _distribution(
    comparison: Comparison, tally: Tally | None, groups: Subgroups | None, reader: Reader
) -> PageDistribution | None:
    """The groups that the public may see, in shares."""
    if groups is None or tally is None:
        return None
    before = tally.of(groups.of, len(groups.labels)).records
    rows = zip(groups.labels, groups.kinds, before.tolist(), groups.after.tolist(), strict=True)
    return PageDistribution(
        unit="share",
        bins=tuple(
            BinFigures(
                label=label,
                kind=kind,
                before=reader.part(had, comparison.records),
                after=reader.part(has, comparison.released),
            )
            for label, kind, had, has in rows
        ),
    )


def _homogeneity(alike: Homogeneity | None, released: int, reader: Reader) -> PageHomogeneity | None:
    return None if alike is None else PageHomogeneity(people=reader.people(alike.alike, released), largest_share=None)


# ── Changed on purpose ───────────────────────────────────────────────────────────────────────────


def perturbed(release: Release, reader: Reader) -> tuple[PageEffect, ...]:
    """The effect on each perturbed column; what the public may know of its moments stands with the attributes."""
    return tuple(
        PageEffect.from_attributes(one) if reader.knows_all else _public_effect(one, release.table.records, reader)
        for one in release.effects
    )


def _public_effect(effect: Effect, among: int, reader: Reader) -> PageEffect:
    """The effect for the public: counts of enough records, and no moments."""
    records = reader.records(effect.records, among)
    counts = records is not None and effect.records > 0
    return PageEffect(
        column=effect.column,
        method=effect.method,
        records=records,
        unchanged=reader.records(effect.unchanged, effect.records) if counts else None,
        decimals=None,
        bounds=None,
        mean=None,
        variance=None,
        correlation=None,
        linked=reader.share(effect.linked, effect.records) if counts and effect.linked is not None else None,
        reproducible=effect.reproducible,
    )


def pseudonyms(release: Release, reader: Reader) -> tuple[PagePseudonyms, ...]:
    """Each column of pseudonyms: records that have one, and those that share it with another."""
    return tuple(
        PagePseudonyms(
            column=one.column,
            records=reader.records(one.records, release.table.records),
            linked=reader.records(one.linked, one.records),
        )
        for one in release.linked
    )
