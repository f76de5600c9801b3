"""Each released column before and after; what perturbation did to it, and how far pseudonyms link records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from kohort.assessment.comparison.statistics import Distance
from kohort.report.comparison import BinFigures, RoleName, ScaleName, SideFigures
from kohort.report.figures import Figures
from kohort.shown import Number, rounded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.perturbation.effect import Effect
    from kohort.release import Release
    from kohort.release.homogeneity import Homogeneity
    from kohort.report.comparison import AttributeFigures
    from kohort.report.page.audience import Reader


class PageDistribution(Figures, frozen=True):
    """A distribution in few bins: in records, or for the public in shares."""

    unit: Literal["records", "share"]
    bins: tuple[BinFigures, ...]


class PageHomogeneity(Figures, frozen=True):
    """How alike a class is: the figures of `HomogeneityFigures`; shares are internal only."""

    people: int | None
    uncommon: int | None
    largest_share: Number | None
    share_of_all: Number | None


class PageAttribute(Figures, frozen=True):
    """A released column before and after: the parts of `AttributeFigures`, with the homogeneity of some sensitive ones.

    The public sees means and deviations of the release's numbers, and distributions in shares; all else is internal.
    """

    name: str
    role: RoleName | None
    scale: ScaleName
    values: tuple[int, int] | None
    single: int | None
    before: SideFigures | None
    after: SideFigures
    distance: Distance | None
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
    return PageAttribute.from_attributes(
        one,
        distribution=PageDistribution(unit="records", bins=one.distribution.bins),
        homogeneity=None
        if alike is None
        else PageHomogeneity(
            people=alike.alike,
            uncommon=alike.uncommon,
            largest_share=rounded(alike.share),
            share_of_all=rounded(alike.of_all),
        ),
    )


# ── Changed on purpose ───────────────────────────────────────────────────────────────────────────


def perturbed(release: Release, reader: Reader) -> tuple[PageEffect, ...]:
    """The effect on each perturbed column; what the public may know of its moments stands with the attributes."""
    return tuple(
        PageEffect.from_attributes(one) if reader.knows_all else _public_effect(one, release.table.records, reader)
        for one in release.effects
    )


def _public_effect(effect: Effect, among: int, reader: Reader) -> PageEffect:
    """The effect for the public: how many records have a perturbed value, which the release shows, and nothing else."""
    records = reader.records(effect.records, among)
    return PageEffect(
        column=effect.column,
        method=effect.method,
        records=records,
        unchanged=None,
        decimals=None,
        bounds=None,
        mean=None,
        variance=None,
        correlation=None,
        linked=None,
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
