"""The figures of a release: what people read and programs take from it; no record's value is among them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kohort.assessment.comparison.grids import GridComparison
from kohort.assessment.inspection.notes import noticed
from kohort.assessment.risk.attacks import Outcome
from kohort.assessment.risk.singling import proposed
from kohort.core.uniques import Exposed, together_of
from kohort.errors import LimitError
from kohort.errors.display import Number, Share, Whole
from kohort.metrics.base import Retention
from kohort.metrics.known import METRICS, measured
from kohort.perturbation.effect import Effect
from kohort.release.bulk import BulkLoss, bulk_losses
from kohort.release.fit import notes
from kohort.release.homogeneity import Homogeneity
from kohort.release.members import members_of
from kohort.release.release import people_of
from kohort.report.figures import BoundFigures, Figures
from kohort.tables.dataset import Linked
from kohort.tables.table import Column
from kohort.verify.singling import singled_out, together

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kohort.arrays import Index
    from kohort.core.uniques import Singling
    from kohort.release import Release


class RoundingFigures(Figures, frozen=True):
    """The rounding with which a column of numbers singles out no more than 5 % of the people.

    Attributes:
        perturb: The value of `--perturb`.
        unique: How many people it singles out then.
        change: How far a value moves on average.
        spread: The same as a share of the standard deviation.
    """

    perturb: str
    unique: int
    change: Share
    spread: Share


class SinglingFigures(Figures, frozen=True):
    """Whom a column that is not generalized singles out, or a pair of such columns.

    Attributes:
        columns: One name, two, or all.
        unique: People whose value, or pair of values, nobody else has.
        share: Their share of the people.
        rounding: The rounding that helps; null of pairs, of names, and where few are singled out.
    """

    columns: tuple[str, ...]
    unique: int
    share: Share
    rounding: RoundingFigures | None


class ObjectiveFigures(Figures, frozen=True):
    """What a lattice method minimised, with attribute weights; `bound`: no allowed release is better than this."""

    name: str
    value: Whole
    bound: Whole | None


class CandidateFigures(Figures, frozen=True):
    """A release to choose from after a dry run: its levels, and what it costs."""

    node: dict[str, int]
    suppressed: int
    classes: int
    objective: Whole | None
    metrics: dict[str, Whole]


class ReleaseFigures(Figures, frozen=True):
    """A release in figures.

    Attributes:
        records: Records of the input; without incomplete ones, where the job leaves them out.
        released: Released records.
        incomplete: Records left out before counting.
        suppressed: Suppressed records.
        people: People in the release; null without a person key.
        classes: Equivalence classes.
        smallest: Records of the smallest class.
        fewest: People of the class that has fewest; only with a person key, of what was verified.
        largest: Records of the largest class.
        k: The size that every class was to have.
        quasi: The columns that make the classes.
        singling: Each column that is not generalized, then pairs of them.
        together: All of these columns together; then the same with the labels of the class. Empty where there is none.
        models: The names of the privacy models.
        homogeneity: Each sensitive attribute of few values or with a model.
        metrics: Each metric's value.
        losses: The loss of each quasi-identifier.
        constant: The quasi-identifiers of one value, which NCP leaves out.
        kept: What is left of each quasi-identifier.
        bulk: The loss over the bulk of the values, of each numeric quasi-identifier whose domain far values stretch.
        members: How many values a set prints, on average over the records, of each column released as sets.
        node: The level of each quasi-identifier; null where the method has no lattice.
        refined: The node whose classes were refined, by local recoding; null where none was.
        objective: What the method minimised; null where it has no lattice.
        candidates: What a dry run lets a steward choose from, best first.
        proven: Whether no allowed release is better.
        exposed: Whose exact value a label gives away; null where nothing was verified.
        range_exposure: People whose exact value an end of a range gives away; null where nothing was verified.
        perturbed: What perturbation did to each column.
        pseudonyms: How far pseudonyms link records.
        release: The path of the release; null where nothing was written.
        certificate: The path of its certificate.
        signed_by: The fingerprint of the key that signed the certificate; null where it is unsigned.
        verified: Whether the release was read again and verified.
        trace: What the search counted.
        seconds: Wall time of each stage.
        grid: The release with grids and without; only where that was compared. Null: no number is released as a range.
        attacks: What attacks found; only where some were tried.
        notes: What of the job's hierarchies was not used, or changed to make them nest, and what of the source looks
            wrong; only where there is any.
        bound: What no release can lose less than; only where that was asked for. Null: nothing was released.
    """

    records: int
    released: int
    incomplete: int
    suppressed: int
    people: int | None
    classes: int
    smallest: int
    largest: int
    k: int
    quasi: tuple[str, ...]
    singling: tuple[SinglingFigures, ...]
    together: tuple[SinglingFigures, ...]
    models: tuple[str, ...]
    homogeneity: dict[str, Homogeneity]
    metrics: dict[str, Whole]
    losses: dict[str, Whole]
    constant: tuple[str, ...]
    kept: dict[str, Retention]
    bulk: dict[str, BulkLoss]
    members: dict[str, Whole]
    node: dict[str, int] | None
    refined: dict[str, int] | None
    objective: ObjectiveFigures | None
    candidates: tuple[CandidateFigures, ...]
    proven: bool
    exposed: Exposed | None
    range_exposure: int | None
    perturbed: tuple[Effect, ...]
    pseudonyms: tuple[Linked, ...]
    release: str | None
    certificate: str | None
    signed_by: str | None = None
    verified: bool
    trace: dict[str, Number | None]
    seconds: dict[str, float]
    grid: GridComparison | None = None
    attacks: tuple[Outcome, ...] | None = None
    notes: tuple[str, ...] = ()
    bound: BoundFigures | None = None
    fewest: int | None = None

    @property
    def counted(self) -> int:
        """People in the release; without a person key each record counts as one."""
        return self.released if self.people is None else self.people


def release_figures(release: Release) -> ReleaseFigures:
    """The figures of `release`."""
    verdict, sizes, schema = release.verdict, release.sizes, release.job.schema
    figures = ReleaseFigures(
        records=release.records.source.records,
        released=release.records.data.records,
        incomplete=release.incomplete,
        suppressed=release.suppressed,
        people=release.people,
        classes=sizes.size,
        smallest=int(sizes.min()) if sizes.size else 0,
        largest=int(sizes.max(initial=0)),
        k=release.job.k,
        quasi=tuple(one.name for one in schema.quasi),
        singling=_singling(release),
        together=tuple(SinglingFigures.from_attributes(one, rounding=None) for one in _together(release)),
        models=tuple(model.name for model in release.job.models),
        homogeneity=dict(release.homogeneity),
        metrics=dict(release.metrics),
        losses=dict(release.losses),
        constant=release.constant,
        kept=dict(release.kept),
        bulk=bulk_losses(release),
        members=dict(members_of(release)),
        node=dict(release.levels) or None,
        refined=dict(release.refined) or None,
        objective=_objective(release),
        candidates=_candidates(release),
        proven=release.proven,
        exposed=None if verdict is None else verdict.exposed,
        range_exposure=None if verdict is None else verdict.range_exposure,
        perturbed=release.effects,
        pseudonyms=release.linked,
        release=None if release.path is None else str(release.path),
        certificate=None if release.certificate is None else str(release.certificate),
        signed_by=release.signed_by,
        verified=verdict is not None,
        trace={name: _count(count) for name, count in release.trace.items()},
        seconds={stage: round(seconds, 4) for stage, seconds in release.seconds.items()},
    )
    found = (*notes(release.job), *source_notes(release))
    update: dict[str, object] = {"notes": found} if found else {}
    if verdict is not None and release.people is not None:
        update["fewest"] = verdict.smallest
    return figures.model_copy(update=update) if update else figures


def source_notes(release: Release) -> tuple[str, ...]:
    """What of the source its owner may not know, and what released columns tell of hidden ones."""
    schema = release.job.schema
    found = noticed(release.records.whole, [one.name for one in schema.released], schema.missing)
    return (*found, *(one.told for one in release.telling))


def _objective(release: Release) -> ObjectiveFigures | None:
    """What a lattice method, or the proof of suppressed cells, minimised."""
    name = release.job.algorithm.objective
    if name is None or not (release.candidates or release.bound is not None):
        return None
    metric = METRICS[name]
    bound = None if release.bound is None else (release.bound if metric.less_is_better else -release.bound)
    value = metric(release.candidates[0].outcome) if release.candidates else _weighted(release)
    return ObjectiveFigures(name=name, value=value, bound=bound)


def _weighted(release: Release) -> float:
    return sum(float(one.weight) * release.losses[one.name] for one in release.job.schema.quasi)


def _candidates(release: Release) -> tuple[CandidateFigures, ...]:
    if release.verdict is not None:
        return ()
    ones = np.ones(len(release.levels))
    metric = METRICS.get(release.job.algorithm.objective or "")
    return tuple(
        CandidateFigures(
            node=dict(zip(release.levels, one.node, strict=True)),
            suppressed=one.outcome.suppressed,
            classes=one.outcome.sizes.size,
            objective=None if metric is None else metric(one.outcome),
            metrics=measured(replace(one.outcome, weights=ones)),
        )
        for one in release.candidates
    )


def _count(count: int) -> Number | None:
    """A count as JSON readers take it: nearly, beyond 64 bits; null, beyond what a float holds."""
    if count.bit_length() < 64:  # noqa: PLR2004  bits of the integers that readers have
        return count
    return float(count) if count.bit_length() < 1024 else None  # noqa: PLR2004  the exponent of a float ends there


def _singling(release: Release) -> tuple[SinglingFigures, ...]:
    """What verification counted; of a dry run, what it would count."""
    people, groups = people_of(release), release.records.groups
    names = [one.name for one in release.job.schema.unchanged]
    if release.verdict is not None:
        found = release.verdict.singling
    elif groups is not None:
        found = groups.singled_out(names)
    else:
        found = singled_out([release.table[name] for name in names], people)
    return tuple(SinglingFigures.from_attributes(one, rounding=_rounding(release, one, people)) for one in found)


def _together(release: Release) -> tuple[Singling, ...]:
    groups, sets = release.records.groups, together_of(release.job.schema, release.job.answers or ())
    if release.verdict is not None:
        return release.verdict.together
    if groups is not None:
        return groups.together(sets)
    return together([release.table], release.table.records, sets, people=people_of(release))


def _rounding(release: Release, one: Singling, people: Index | None) -> RoundingFigures | None:
    """The rounding proposed for a column; none of a pair, and none of one that is perturbed."""
    name, *others = one.columns
    if not one.many or others or any(name == effect.column for effect in release.effects):
        return None
    weights, groups = None, release.records.groups
    if groups is None:
        column = release.table[name]
    elif people is not None:
        _, column, weights = next(groups.cells(name))  # where people are counted, all together
    else:
        try:
            texts, weights = release.records.data.distinct(name)
        except LimitError:  # they do not fit into memory
            return None
        column = Column(name, texts, np.arange(len(texts), dtype=np.uint32), texts.dtype)
    job = release.job
    found = proposed(column, missing=job.schema.missing, people=people, weights=weights, k=job.k)
    if found is None:
        return None
    return RoundingFigures.from_attributes(found, perturb=found.perturbation(name), unique=found.after)


def attacked(
    release: Release, names: Sequence[str] = (), *, on_progress: Callable[[str], None] = lambda _: None
) -> tuple[Outcome, ...]:
    """What the attacks called `names`, or all, find in a release, and in their controls."""
    from kohort.assessment.risk.attacks import Evidence, attacks, refuse_unknown  # noqa: PLC0415  only where some are tried
    from kohort.assessment.risk.attacks.controls import controlled  # noqa: PLC0415  as above

    refuse_unknown(names)
    if not release.table.records:
        return ()
    schema = release.job.schema
    quasi, sensitive = (tuple(one.name for one in part) for part in (schema.quasi, schema.sensitive))
    evidence = Evidence(release.table, quasi, sensitive, original=release.source, schema=release.job.of_people)
    return controlled(attacks(evidence, names, on_progress=on_progress))
