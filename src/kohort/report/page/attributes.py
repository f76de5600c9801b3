"""Each released column before and after; what perturbation did to it, and how far pseudonyms link records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias

from kohort.assessment.comparison.statistics import Distance
from kohort.perturbation.effect import Effect
from kohort.release.homogeneity import Homogeneity
from kohort.report.comparison import BinFigures, RoleName, ScaleName, SideFigures
from kohort.report.figures import Figures
from kohort.report.page.audience import OnPage, Reader
from kohort.shown import Number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.release import Release
    from kohort.report.comparison import AttributeFigures


#: How alike the values of a sensitive column are in classes; shares are internal only.
ALIKE: Final = OnPage(Homogeneity)


class PageDistribution(Figures, frozen=True):
    """A distribution in few bins: in records, or for the public in shares."""

    unit: Literal["records", "share"]
    bins: tuple[BinFigures, ...]


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
    homogeneity: Annotated[Figures, ALIKE] | None


_PAIR: Final = tuple[Number, Number] | None
_EFFECT: Final = OnPage(Effect, mean=_PAIR, variance=_PAIR, correlation=tuple[Number, str] | None, linked=Number | None)

#: What perturbation did to a column; the public sees how many records have a perturbed value, which the release shows.
PageEffect: TypeAlias = Annotated[Figures, _EFFECT]


class PagePseudonyms(Figures, frozen=True):
    """A column of pseudonyms: records that have one, and those that share it with another."""

    column: str
    records: int | None
    linked: int | None


def attributes(
    figures: tuple[AttributeFigures, ...], homogeneity: Mapping[str, Homogeneity]
) -> tuple[PageAttribute, ...]:
    """All columns for the steward, from the figures of the comparison."""
    return tuple(
        PageAttribute.from_attributes(
            one,
            distribution=PageDistribution(unit="records", bins=one.distribution.bins),
            homogeneity=ALIKE.of(homogeneity[one.name], Reader()) if one.name in homogeneity else None,
        )
        for one in figures
    )


# ── Changed on purpose ───────────────────────────────────────────────────────────────────────────


def perturbed(release: Release, reader: Reader) -> tuple[PageEffect, ...]:
    """The effect on each perturbed column; what the public may know of its moments stands with the attributes."""
    return tuple(_EFFECT.of(one, reader, release.table.records) for one in release.effects)


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
