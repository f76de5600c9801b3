"""Which privacy models a draft proposes for sensitive columns: whole profiles, in order of price."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.algorithms.mondrian.ordered import Ordered
from kohort.assessment.risk.singling import roundings
from kohort.engines.pricing import of_sample, priced, sampled
from kohort.job.models import SLOW
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.enhanced_beta_likeness import EnhancedBetaLikeness
from kohort.models.k_anonymity import KAnonymity
from kohort.models.t_closeness import TCloseness
from kohort.release import Job
from kohort.verify.singling import MOST_COLUMNS, singled_out

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

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

#: `ordered` is proposed where it loses so much less than the others, which lose a tenth at least, of so many records at
#: most: a million, of half as many tuples, took it 6 s. Beside t and beta it takes far longer, and keeps no more.
ORDERED: Final = 0.9
SOON: Final = 500_000

#: Records that costs are measured on: enough to compare models, and done in seconds.
MEASURED: Final = 20_000

#: The loss that models may add to that of k alone without anybody being asked.
WITHIN: Final = 0.05

#: A value that more than this share of the people have: of a class where all have it, little is learned, and diversity
#: would make every class find one of the few others.
USUAL: Final = Fraction(9, 10)


class ProfileModels(NamedTuple):
    """The models of a profile: of numbers and of names that have one usual value, and of other names."""

    words: str
    numbers: Callable[[str], PrivacyModel]
    names: Callable[[str], PrivacyModel]


#: The profiles, the strictest first. Prices do not add up (each model may be cheap alone, and two of them dear), so a
#: profile is priced as a whole.
PROFILES: Final = (
    ProfileModels("t = 0.2 for all", _t := partial(TCloseness, t=Fraction(1, 5)), _t),
    ProfileModels(
        "t = 0.3 for numbers, enhanced beta = 2 for names",
        partial(TCloseness, t=Fraction(3, 10)),
        partial(EnhancedBetaLikeness, beta=Fraction(2)),
    ),
    ProfileModels(
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
    method: Mondrian | Ordered = METHODS[0]

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

    def lost(asked: Collection[PrivacyModel], one: Mondrian | Ordered) -> float | None:
        """The loss of a method; `None` where there is no release."""
        job = Job.of(schema, KAnonymity(k), *asked, algorithm=one, perturbations=tuple(perturbations))
        price = priced(some, of_sample(job, whole=some is table), counted=counted)
        return None if price is None else price.loss

    def least(*asked: PrivacyModel) -> tuple[float | None, Mondrian]:
        """The least loss of the methods, and the method."""
        found = {one: loss for one in METHODS if schema.quasi and (loss := lost(asked, one)) is not None}
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
    loss, method = (profiles[chosen].loss, profiles[chosen].method) if profiles else (alone, method)
    found = Protection((*profiles,), chosen, alone, some.records, method)
    asked = [*profiles[chosen].models.values()] if profiles else []
    able = table.records <= SOON and SLOW.isdisjoint(one.specification.key for one in asked)
    if loss and loss > 1 - ORDERED and able:
        less = lost(asked, Ordered())
        found = replace(found, method=Ordered()) if less is not None and less <= ORDERED * loss else found
    return found


def _cheap(loss: float | None, alone: float | None) -> bool:
    """Whether models cost no more than what nobody is asked about."""
    return loss is not None and alone is not None and loss <= alone + WITHIN


def _is_usual(column: Column, schema: Schema) -> bool:
    """Whether nearly all values are the same one, or there are not two: diversity is for other names."""
    counts = column.counts()[~column.absent(schema.missing)]
    return counts.size < 2 or int(counts.max()) > USUAL * int(counts.sum())  # noqa: PLR2004  two are diverse


# ── the roundings that a draft proposes ────────────────────────────────────────────────────────────


def roundings_of(
    table: Table,
    names: Sequence[str],
    numbers: Sequence[str],
    *,
    k: int,
    weights: Collection[str] = (),
    missing: frozenset[str] = frozenset(),
    people: Index | None = None,
) -> tuple[dict[str, RoundingProposal], tuple[str, ...]]:
    """The rounding of each number that needs one, for the job to be one that a run takes, and what cannot stay.

    They are rounded together (`kohort.assessment.risk.singling.roundings`), and so that none of them and another
    released column single out more than half of the people.

    Args:
        table: The records.
        names: The columns that are released, not generalized.
        numbers: Those of them that are quantities.
        k: Of k-anonymity.
        weights: Those that weigh the records of a survey, which are given up first.
        missing: Texts that mean no value.
        people: (n,) the person of each record; `None` counts each record as a person.
    """
    others = [table[name] for name in names if name not in numbers]

    def safe(made: Sequence[Column]) -> bool:
        columns, rounded = [*others, *made], {one.name for one in made}
        if len(columns) > MOST_COLUMNS:
            return True  # too many to be looked at; a run says so
        return not any(one.most and rounded & {*one.columns} for one in singled_out(columns, people)[len(columns) :])

    columns = [table[name] for name in numbers]
    return roundings(columns, k=k, missing=missing, people=people, first_out=weights, safe=safe)
