"""The perturbations of a job and the key of its pseudonyms: what its tables ask for, and what does not go together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kohort.errors import UsageError
from kohort.job.form import PerturbedPart, PerturbPart
from kohort.job.parts import part, right_part, table
from kohort.perturbation.text import perturbation_from
from kohort.release.fit import key_misfits, misfits, seed_misfits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from kohort.job.lines import Place
    from kohort.models.base import PrivacyModel
    from kohort.perturbation.base import Perturbation
    from kohort.release.fit import Misfit
    from kohort.schema import Schema


def perturbations_of(
    raw: Mapping[str, object], where: Callable[[Place], str]
) -> tuple[tuple[Perturbation, ...], list[UsageError]]:
    """The perturbations whose tables are right, and what is wrong with the others, beyond their form."""
    found: list[Perturbation] = []
    faults: list[UsageError] = []
    asked = table(table(raw, "perturb"), "columns")
    if not asked:
        return (), faults
    for name, held in asked.items():
        said = part(PerturbedPart, held)
        if said is None:
            continue
        parameters = said.model_dump(by_alias=True, exclude_none=True, exclude={"method", "together"})
        try:
            found.append(perturbation_from([name, *said.together], said.method, parameters))
        except UsageError as fault:
            place: Place = ("perturb", "columns", name, fault.where.rpartition(", ")[2])
            told = place if place[-1] in parameters else place[:-1]
            faults.append(UsageError(fault.what, where=where(told), hint=fault.hint))
    return tuple(found), faults


def altered_faults(
    raw: Mapping[str, object],
    schema: Schema,
    models: Sequence[PrivacyModel],
    perturbations: Sequence[Perturbation],
    where: Callable[[Place], str],
) -> list[UsageError]:
    """What of perturbations and pseudonyms does not go with the rest of the job."""
    found = _misfits(raw, schema, models, perturbations)
    return [UsageError(one.what, where=where(one.key), hint=one.hint) for one in found]


def _misfits(
    raw: Mapping[str, object], schema: Schema, models: Sequence[PrivacyModel], perturbations: Sequence[Perturbation]
) -> Iterator[Misfit]:
    said = right_part(PerturbPart, table(raw, "perturb"))
    yield from misfits(schema, models, perturbations)
    if len(perturbations) == len(table(table(raw, "perturb"), "columns")):  # one that is wrong may have been random
        yield from seed_misfits(perturbations, said.seed, insecure_reproducible=said.insecure_reproducible)
    has_key = table(raw, "input").get("key-file") is not None
    yield from key_misfits(pseudonyms=bool(schema.pseudonyms), has_key=has_key)
