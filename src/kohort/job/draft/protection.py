"""Which privacy models a draft proposes for sensitive columns: whole profiles, in order of price."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.assessment.risk.singling import proposals, proposed, rounded_column
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.enhanced_beta_likeness import EnhancedBetaLikeness
from kohort.models.k_anonymity import KAnonymity
from kohort.models.t_closeness import TCloseness
from kohort.release import Job
from kohort.sweeps.prices import priced, sampled
from kohort.verify.singling import MOST_COLUMNS, singled_out

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kohort.arrays import Index
    from kohort.assessment.risk.singling import RoundingProposal
    from kohort.engines.base import Counts
    from kohort.models.base import PrivacyModel
    from kohort.perturbation.base import Perturbation
    from kohort.schema import Schema
    from kohort.tables.table import Column, Table

#: How a draft's release can be made; the first that loses least is proposed. With the public grids and hierarchies that
#: a draft proposes, cuts by loss reveal no more than others and mostly lose far less (decision 0015).
METHODS: Final = (Mondrian("loss"), Mondrian("nearest"))

#: Records that costs are measured on: enough to compare models, and done in seconds.
MEASURED: Final = 20_000

#: The loss that models may add to that of k alone without anybody being asked.
WITHIN: Final = 0.05

#: A value that more than this share of the people have: of a class where all have it, little is learned, and diversity
#: would make every class find one of the few others.
USUAL: Final = Fraction(9, 10)


class Kinds(NamedTuple):
    """The models of a profile: of numbers and of names that have one usual value, and of other names."""

    words: str
    numbers: Callable[[str], PrivacyModel]
    names: Callable[[str], PrivacyModel]


#: The profiles, the strictest first. Prices do not add up (each model may be cheap alone, and two of them dear), so a
#: profile is priced as a whole.
PROFILES: Final = (
    Kinds("t = 0.2 for all", _t := partial(TCloseness, t=Fraction(1, 5)), _t),
    Kinds(
        "t = 0.3 for numbers, enhanced beta = 2 for names",
        partial(TCloseness, t=Fraction(3, 10)),
        partial(EnhancedBetaLikeness, beta=Fraction(2)),
    ),
    Kinds(
        "t = 0.5 for numbers, l = 2 for names",
        partial(TCloseness, t=Fraction(1, 2)),
        partial(DistinctLDiversity, l=2),
    ),
)


@dataclass(frozen=True, slots=True)
class Profile:
    """A model for every sensitive column.

    Attributes:
        words: What it asks, in words.
        models: By column.
        loss: The detail that a release loses with k and all of them, 0..1; `None` where there is none.
        method: That of `METHODS` with which it loses least.
    """

    words: str
    models: Mapping[str, PrivacyModel]
    loss: float | None
    method: Mondrian


@dataclass(frozen=True, slots=True)
class Protection:
    """The profiles for all sensitive columns.

    Attributes:
        profiles: In order of strictness, as far as they were measured: up to one that is cheap; empty without sensitive
            columns.
        chosen: The place of the one that is proposed.
        alone: The loss of a release with k alone; `None` where there is no such release.
        records: How many records were measured.
        method: That of `METHODS` with which the release that is proposed loses least.
    """

    profiles: tuple[Profile, ...] = ()
    chosen: int = 0
    alone: float | None = None
    records: int = 0
    method: Mondrian = METHODS[0]

    @property
    def together(self) -> float | None:
        """The loss with all models of the chosen profile."""
        return self.profiles[self.chosen].loss if self.profiles else None

    @property
    def is_dear(self) -> bool:
        """Whether even the chosen profile costs more than what nobody is asked about."""
        return self.alone is not None and bool(self.profiles) and not _cheap(self.together, self.alone)

    @property
    def prices(self) -> tuple[str, ...]:
        """What each profile costs, as far as it was measured; the chosen one is marked."""
        told = [(one, "no release" if one.loss is None else f"{one.loss:.1%} lost") for one in self.profiles]
        marks = ("  (chosen)" if place == self.chosen else "" for place in range(len(told)))
        lines = (f"{one.words}: {price}{mark}" for (one, price), mark in zip(told, marks, strict=True))
        return tuple(lines) if self.alone is not None else ()

    def models_of(self, name: str) -> tuple[PrivacyModel, ...]:
        """The models of a column: the chosen one, then those of the other profiles that differ."""
        first = self.profiles[self.chosen : self.chosen + 1]
        return tuple(dict.fromkeys(one.models[name] for one in (*first, *self.profiles)))


def protected(
    table: Table, schema: Schema, perturbations: Sequence[Perturbation], *, k: int, numeric: frozenset[str]
) -> Protection:
    """Models for every sensitive attribute: the strictest profile within 5 points of k alone.

    Where none is, the one that costs least is proposed, and `is_dear` asks somebody to decide.

    Cost: at most eight searches of 20,000 records.
    """
    some = sampled(table, MEASURED)

    def least(*asked: PrivacyModel) -> tuple[float | None, Mondrian]:
        """The least loss of the methods, and the method."""
        if not schema.quasi:
            return None, METHODS[0]
        jobs = {
            one: Job.of(schema, KAnonymity(k), *asked, algorithm=one, perturbations=tuple(perturbations))
            for one in METHODS
        }
        found = {one: price.loss for one, job in jobs.items() if (price := priced(some, job, counted=counted))}
        method = min(METHODS, key=lambda one: found.get(one, 1.0))
        return found.get(method), method

    counted: dict[str, Counts] = {}
    alone, method = least()
    usual = frozenset(one.name for one in schema.sensitive if one.name in numeric or _is_usual(table[one.name], schema))
    profiles: list[Profile] = []
    for kinds in PROFILES if schema.sensitive else ():
        models = {one.name: (kinds.numbers if one.name in usual else kinds.names)(one.name) for one in schema.sensitive}
        profiles.append(Profile(kinds.words, models, *least(*models.values())))
        if _cheap(profiles[-1].loss, alone):
            break
    price = [2.0 if one.loss is None else one.loss for one in profiles]
    chosen = next((at for at, one in enumerate(profiles) if _cheap(one.loss, alone)), None)
    chosen = price.index(min(price, default=0.0)) if chosen is None and profiles else chosen or 0
    return Protection((*profiles,), chosen, alone, some.records, profiles[chosen].method if profiles else method)


def _cheap(loss: float | None, alone: float | None) -> bool:
    """Whether models cost no more than what nobody is asked about."""
    return loss is not None and alone is not None and loss <= alone + WITHIN


def _is_usual(column: Column, schema: Schema) -> bool:
    """Whether nearly all values are the same one, or there are not two: diversity is for other names."""
    counts = column.counts()[~column.absent(schema.missing)]
    return counts.size < 2 or int(counts.max()) > USUAL * int(counts.sum())  # noqa: PLR2004  two are diverse


# ── the roundings that a draft proposes ────────────────────────────────────────────────────────────

#: How often all pairs are looked at: of many, only the worst are told at once.
_ROUNDS: Final = 5


def roundings_of(
    table: Table, names: Sequence[str], *, missing: frozenset[str] = frozenset(), people: Index | None = None
) -> dict[str, RoundingProposal]:
    """The rounding of each measure that needs one, for the job to be one that a run takes.

    First those of columns that single people out alone. Then, while two columns together single out more than half of
    the people, the one of the two whose numbers change less is rounded more. Where no step does, they are left for
    somebody to decide.

    Cost: for each step that is tried, a pass over the records.

    Args:
        table: The records.
        names: The columns that are released, not generalized.
        missing: Texts that mean no value.
        people: (n,) the person of each record; `None` counts each record as a person.
    """
    found: dict[str, RoundingProposal] = {}
    released: dict[str, Column] = {}
    for name in names:
        step = proposed(table[name], missing=missing, people=people)
        released[name] = table[name] if step is None else rounded_column(table[name], step.step, missing)
        found |= {} if step is None else {name: step}
    for _ in range(_ROUNDS):
        changed = False
        for pair in _pairs([*released.values()], people):
            if not _pairs([released[name] for name in pair], people):
                continue  # since another pair was mended
            others = [released[name] for name in reversed(pair)]
            every = zip(pair, others, strict=True)
            tried = [_beside(table[name], found.get(name), other, missing, people) for name, other in every]
            possible = [(one.spread, place, one) for place, one in enumerate(tried) if one is not None]
            if possible:
                _, place, best = min(possible)
                found[pair[place]], changed = best, True
                released[pair[place]] = rounded_column(table[pair[place]], best.step, missing)
        if not changed:
            break
    return found


def _pairs(columns: Sequence[Column], people: Index | None) -> list[tuple[str, ...]]:
    """Two columns each that together single out more than half of the people."""
    if len(columns) > MOST_COLUMNS:
        return []  # too many to be looked at; a run says so
    return [one.columns for one in singled_out(columns, people) if len(one.columns) > 1 and one.most]


def _beside(
    column: Column, now: RoundingProposal | None, other: Column, missing: frozenset[str], people: Index | None
) -> RoundingProposal | None:
    """The smallest greater step with which a column no longer singles out most people together with another."""
    for one in proposals(column, missing=missing, people=people):
        coarser = now is None or one.step > now.step
        if coarser and not _pairs([rounded_column(column, one.step, missing), other], people):
            return one
    return None
