"""Which privacy models a draft proposes for sensitive columns, and what each costs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.assessment.risk.singling import roundings
from kohort.errors import InfeasibleError
from kohort.metrics.known import measured
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.k_anonymity import KAnonymity
from kohort.models.t_closeness import TCloseness
from kohort.release import Job
from kohort.schema import Role
from kohort.sweeps.counting import answer, count
from kohort.verify.singling import MOST_COLUMNS, singled_out

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from kohort.arrays import Index
    from kohort.assessment.risk.singling import RoundingProposal
    from kohort.models.base import PrivacyModel
    from kohort.perturbation.base import Perturbation
    from kohort.schema import Schema
    from kohort.tables.table import Column, Table

#: How a draft's release can be made; the first that loses least is proposed. With the public grids and hierarchies that
#: a draft proposes, cuts by loss reveal no more than others and mostly lose far less (decision 0015).
METHODS: Final = (Mondrian("loss"), Mondrian("nearest"))

#: Records that costs are measured on: enough to compare models, and done in seconds.
MEASURED: Final = 20_000

#: From this many sensitive columns on, only the models that are chosen are measured.
MANY: Final = 12

#: The parameters that are proposed.
CLOSENESS: Final = (Fraction(1, 5), Fraction(1, 10))
DIVERSITY: Final = (2, 3)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A privacy model for a sensitive column.

    Attributes:
        key: What asks for it in a job file: `t` or `l`.
        model: The model.
        loss: The detail that a release loses with k and this model alone, 0..1; `None` where it was not measured.
    """

    key: str
    model: PrivacyModel
    loss: float | None = None

    @property
    def value(self) -> str:
        """Its parameter, as a job file writes it."""
        parameter, *_ = self.model.specification.parameters
        return f"{float(getattr(self.model, parameter.name)):g}"


@dataclass(frozen=True, slots=True)
class Protection:
    """The proposals for all sensitive columns.

    Attributes:
        proposals: By column; the first of each is chosen.
        alone: The loss of a release with k alone; `None` where there is no such release.
        together: Its loss with all chosen models; likewise.
        records: How many records were measured.
        method: That of `METHODS` with which the release with all chosen models loses least; all is measured with it.
    """

    proposals: Mapping[str, tuple[Proposal, ...]]
    alone: float | None
    together: float | None
    records: int
    method: Mondrian = METHODS[0]


def protected(
    table: Table, schema: Schema, perturbations: Sequence[Perturbation], *, k: int, numeric: frozenset[str]
) -> Protection:
    """Models for every sensitive attribute, the chosen one first, with what each costs.

    A model with which nothing would be left is not chosen while another one leaves something.

    Cost: one search of at most 20,000 records for each proposal, and one more.
    """
    some = _some(table)
    models = {one.name: _models(table, one.name, schema, k, numeric=one.name in numeric) for one in schema.sensitive}

    def loss(method: Mondrian, *asked: PrivacyModel) -> float | None:
        return _loss(some, Job.of(schema, KAnonymity(k), *asked, algorithm=method, perturbations=tuple(perturbations)))

    few = len(models) < MANY
    method, together = _best(loss, models)
    proposals = {
        name: tuple(
            replace(one, loss=loss(method, one.model) if few or not at else None) for at, one in enumerate(found)
        )
        for name, found in models.items()
    }
    if few and together is not None and together >= 1:  # nothing is left: what leaves something goes first
        proposals = {name: tuple(sorted(found, key=_leaves_nothing)) for name, found in proposals.items()}
        together = loss(method, *(found[0].model for found in proposals.values()))
    return Protection(
        proposals, loss(method) if models else together, together if models else None, some.records, method
    )


def _best(loss: Callable[..., float | None], models: Mapping[str, Sequence[Proposal]]) -> tuple[Mondrian, float | None]:
    """The method with which all chosen models lose least, and that loss; `None` is that there is no release."""
    chosen = [found[0].model for found in models.values()]
    together = {method: loss(method, *chosen) for method in METHODS}
    method = min(METHODS, key=lambda one: 1.0 if (lost := together[one]) is None else lost)
    return method, together[method]


def _leaves_nothing(proposal: Proposal) -> bool:
    """Whether a release with the model keeps nothing of the quasi-identifiers, or there is none."""
    return proposal.loss is None or proposal.loss >= 1


def _models(table: Table, name: str, schema: Schema, k: int, *, numeric: bool) -> tuple[Proposal, ...]:
    """The models to propose for a column.

    A number is best described by t-closeness, which knows what is near. Diversity is for names, unless one of them is
    so frequent that many classes would have to grow for the sake of the others.
    """
    column = table[name]
    counts = column.counts()[~column.absent(schema.missing)]
    close = [Proposal("t", TCloseness(name, t)) for t in CLOSENESS]
    diverse = [Proposal("l", DistinctLDiversity(name, l)) for l in DIVERSITY if l <= min(k, counts.size)]  # noqa: E741
    if numeric or not diverse:
        return tuple(close)
    even = counts.size > DIVERSITY[0] and 2 * int(counts.max()) <= int(counts.sum())
    return (*diverse, close[0]) if even else (close[0], *diverse)


def _some(table: Table) -> Table:
    """At most `MEASURED` records, evenly spread over the table."""
    if table.records <= MEASURED:
        return table
    return table.take(np.linspace(0, table.records - 1, MEASURED).astype(np.int64))


def _loss(table: Table, job: Job) -> float | None:
    """The mean loss of a cell in the job's release; `None` where there is none."""
    if not any(one.role is Role.QUASI for one in job.schema.attributes):
        return None
    try:
        return measured(answer(count(table, job, None), job).outcome)["ncp"]
    except InfeasibleError:
        return None


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
