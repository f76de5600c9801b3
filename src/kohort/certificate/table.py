"""The certificate of a table."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from kohort.certificate.described import described
from kohort.certificate.form import Certified, shared
from kohort.certificate.promises import not_promised

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.engines.pseudonyms import Linked
    from kohort.perturbation.effect import Effect
    from kohort.verify import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate(Certified):
    """What is certified of a table; hierarchies are told in its job by their digest.

    Attributes:
        models: Names of the privacy models, all met.
        k: Records of the smallest class; people, where there is a person key.
        records: Records released.
        people: Whose records they are; `None` without a person key.
        incomplete: Records that did not enter, because the job leaves out those that lack a value.
        suppressed: Others left out, for a missing value or because their class failed the models.
        classes: Equivalence classes.
        class_sizes: Classes by size, in bands that double: `"10..19": 7`.
        levels: Of a full-domain release, the level of its hierarchy that each quasi-identifier is released on; empty
            of any other.
        data_dependent_labels: Whether labels were chosen by looking at records.
        exposed: People whose exact value a label tells: by any column, by ends of ranges, members of sets, and means.
        released_unchanged: Each column that is not generalized, and each pair of them that is told, with how many of
            how many people have a value there that nobody else has; see `kohort.verify.singling`. Perturbed columns
            are among them.
        metrics: What the release cost, by metric.
        perturbed: Of each perturbed column, what was done to it and what that did.
        pseudonyms: Of each column of pseudonyms, how many records share one with another.
    """

    models: tuple[str, ...]
    k: int
    records: int
    people: int | None
    incomplete: int
    suppressed: int
    classes: int
    class_sizes: Mapping[str, int]
    levels: Mapping[str, int]
    data_dependent_labels: bool
    exposed: Mapping[str, int]
    released_unchanged: tuple[Mapping[str, object], ...]
    metrics: Mapping[str, float]
    perturbed: Mapping[str, object]
    pseudonyms: Mapping[str, int]
    kind: str = "table"


def certificate(
    verdict: Verdict,
    name: str,
    *,
    job: str,
    metrics: Mapping[str, float],
    levels: Mapping[str, int] | None = None,
    effects: tuple[Effect, ...] = (),
    linked: tuple[Linked, ...] = (),
) -> bytes:
    """The certificate of the file called `name`, as it is written.

    Args:
        verdict: What verification found in the file's bytes.
        name: The file's name, without a folder.
        job: The job's canonical text, a JSON object.
        metrics: What the release cost.
        levels: Of a full-domain release, the level of each quasi-identifier, as it was claimed for verification.
        effects: What perturbations did, as it was claimed for verification.
        linked: How far pseudonyms link records.
    """
    told = shared(verdict, name, job)
    return Certificate(
        **told,
        not_promised=not_promised(described(told["job"]), data_dependent=verdict.data_dependent),
        models=verdict.models,
        k=verdict.smallest,
        records=verdict.records,
        people=verdict.people,
        incomplete=verdict.incomplete,
        suppressed=verdict.suppressed,
        classes=verdict.classes,
        class_sizes={f"{band.low}..{band.high}": band.classes for band in verdict.bands},
        levels=dict(levels or {}),
        data_dependent_labels=verdict.data_dependent,
        exposed=asdict(verdict.exposed),
        released_unchanged=tuple(asdict(one) for one in verdict.singling),
        metrics=metrics,
        perturbed={one.column: {key: part for key, part in asdict(one).items() if key != "column"} for one in effects},
        pseudonyms={one.column: one.linked for one in linked},
    ).encode()
