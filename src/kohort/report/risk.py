"""The figures of the risk of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

from pydantic import AfterValidator

from kohort.assessment.risk.quasi_identifiers import Separation
from kohort.assessment.risk.reidentification import Exposure
from kohort.report.attacks import AttackFigures, UntriedAttack
from kohort.report.figures import Figures
from kohort.shown import Number, Share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.assessment.risk.overall import Journalist, Risk
    from kohort.assessment.risk.quasi_identifiers import IdentifyingSets
    from kohort.assessment.risk.reidentification import Knowledge
    from kohort.assessment.risk.uniqueness import Uniqueness


#: Subsets of known columns, and sets that single out, that are listed: the worst of them.
LISTED: Final = 10


def _tenth(number: float) -> float:
    return round(number, 1)


#: How many, to a tenth: no estimate is finer.
Tenth: TypeAlias = Annotated[float, AfterValidator(_tenth)]


class JournalistFigures(Figures, frozen=True):
    """The same among a population: the parts of `kohort.assessment.risk.overall.Journalist`."""

    by: str
    highest: Share
    average: Share
    over: Share
    at_highest: int
    marketer: Share
    unknown: int
    without_value: dict[str, int]
    suppressed: tuple[str, ...]


class EstimateFigures(Figures, frozen=True):
    """How many are unique in the population by one estimator, or the reason for no answer."""

    estimator: str
    uniques: Tenth | None
    reason: str | None
    parameters: dict[str, Number]


class UniquenessFigures(Figures, frozen=True):
    """Who is alone in a class: the parts of `kohort.assessment.risk.uniqueness.Uniqueness`."""

    sample: int
    share: Share
    population_size: int | None
    population: Tenth | None
    in_file: Tenth | None
    trusted: str | None
    estimates: tuple[EstimateFigures, ...]


class SubsetFigures(Figures, frozen=True):
    """The prosecutor's risk where only these columns are known."""

    columns: tuple[str, ...]
    highest: Share
    average: Share
    over: Share
    uniques: int


class KnowledgeFigures(Figures, frozen=True):
    """The prosecutor's risk where only `m` quasi-identifiers are known: on average, and the worst choices."""

    m: int
    subsets: int
    tried: int
    complete: bool
    average: Share
    worst: tuple[SubsetFigures, ...]


class IdentifyingSet(Figures, frozen=True):
    """A set of columns that identifies people."""

    columns: tuple[str, ...]
    distinctness: Share
    separation: Share
    unique: Share
    others: Share


class SearchFigures(Figures, frozen=True):
    """The smallest sets of columns that identify people, of which the first are listed; see `IdentifyingSets`."""

    found: int
    sets: tuple[IdentifyingSet, ...]
    base: Separation | None
    tried: int
    complete: bool
    sampled: int | None
    missed: Share | None


class UniqueColumn(Figures, frozen=True):
    """A column that singles out by itself: how many have a value of their own, and their share."""

    column: str
    unique: int
    share: Share


class RiskFigures(Figures, frozen=True):
    """The risk of a file: the parts of `kohort.assessment.risk.overall.Risk`; null where they were not computed.

    Attributes:
        fully_suppressed: Further records, `*` in every quasi-identifying column, which are in no class.
        worst_values: Cells of the smallest classes; null where they are not to be shown.
        attacks: What attacks found; only of `kohort risk`.
    """

    records: int
    people: int | None
    quasi: tuple[str, ...]
    classes: int
    fully_suppressed: int
    smallest: int
    largest: int
    threshold: Number
    prosecutor: Exposure
    journalist: JournalistFigures | None
    marketer: Share
    uniqueness: UniquenessFigures
    known: KnowledgeFigures | None
    undeclared: tuple[str, ...]
    alone: SearchFigures
    together: SearchFigures
    singling: tuple[UniqueColumn, ...]
    worst_values: tuple[dict[str, str | None], ...] | None
    attacks: tuple[AttackFigures | UntriedAttack, ...] | None = None


def risk_figures(risk: Risk, *, values: bool = False) -> RiskFigures:
    """The figures of `risk`; with `values`, cells of the smallest classes too."""
    return RiskFigures.from_attributes(
        risk,
        classes=risk.sizes.size,
        fully_suppressed=risk.suppressed,
        smallest=int(risk.sizes.min()),
        largest=int(risk.sizes.max()),
        threshold=float(risk.threshold),
        journalist=_journalist(risk.journalist),
        uniqueness=_uniqueness(risk.uniqueness),
        known=None if risk.knowledge is None else _knowledge(risk.knowledge, risk.quasi),
        alone=_search(risk.alone, risk.undeclared),
        together=_search(risk.together, risk.undeclared),
        singling=tuple(UniqueColumn.from_attributes(one, column=one.columns[0]) for one in risk.singling),
        worst_values=tuple(dict(zip(risk.quasi, row, strict=True)) for row in risk.worst) if values else None,
    )


def _journalist(one: Journalist | None) -> JournalistFigures | None:
    """The risks among the population."""
    if one is None:
        return None
    others = {name: getattr(one, name) for name in ("by", "marketer", "unknown", "without_value", "suppressed")}
    return JournalistFigures.from_attributes(one.exposure, **others)


def _uniqueness(found: Uniqueness) -> UniquenessFigures:
    estimates = tuple(
        EstimateFigures.from_attributes(
            one,
            reason=one.reason or None,
            parameters={name: float(f"{value:.6g}") for name, value in one.parameters.items()},
        )
        for one in found.estimates
    )
    return UniquenessFigures.from_attributes(found, trusted=found.trusted or None, estimates=estimates)


def _knowledge(found: Knowledge, quasi: Sequence[str]) -> KnowledgeFigures:
    worst = tuple(
        SubsetFigures.from_attributes(one, columns=tuple(quasi[column] for column in one.columns))
        for one in found.known[:LISTED]
    )
    return KnowledgeFigures.from_attributes(found, tried=len(found.known), worst=worst)


def _search(found: IdentifyingSets, names: Sequence[str]) -> SearchFigures:
    sets = tuple(
        IdentifyingSet.from_attributes(one.figures, columns=tuple(names[column] for column in one.columns))
        for one in found.found[:LISTED]
    )
    return SearchFigures.from_attributes(found, found=len(found.found), sets=sets)
