"""The certificate of a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kohort.certificate.form import Certified, shared

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.verify import Verdict

#: What no certificate can promise, whatever the models.
NOT_PROMISED: Final = (
    "Linkage with other data: what is learned by joining this release with others of the same people is not limited.",
    "Attribute disclosure: where all records of a class share a sensitive value, it is known of everybody in it.",
    "Columns released unchanged: what they tell about a person by themselves is not judged.",
    "Right roles: a column that the steward wrongly called insensitive is not protected.",
    "Secret range ends: a label that depends on the data tells the exact values of the records at its ends.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate(Certified):
    """What is certified of a table; hierarchies are told in its job by their digest.

    Attributes:
        models: Names of the privacy models, all met.
        k: Records of the smallest class.
        records: Records released.
        suppressed: Records left out, for a missing value or because their class failed the models.
        classes: Equivalence classes.
        class_sizes: Classes by size, in bands that double: `"10..19": 7`.
        levels: Of a full-domain release, the level of its hierarchy that each quasi-identifier is released on; empty
            of any other.
        data_dependent_labels: Whether labels were chosen by looking at records.
        range_exposure: Records whose exact value such a label tells.
        metrics: What the release cost, by metric.
    """

    models: tuple[str, ...]
    k: int
    records: int
    suppressed: int
    classes: int
    class_sizes: Mapping[str, int]
    levels: Mapping[str, int]
    data_dependent_labels: bool
    range_exposure: int
    metrics: Mapping[str, float]
    kind: str = "table"
    not_promised: tuple[str, ...] = NOT_PROMISED


def certificate(
    verdict: Verdict, name: str, *, job: str, metrics: Mapping[str, float], levels: Mapping[str, int] | None = None
) -> bytes:
    """The certificate of the file called `name`, as it is written.

    Args:
        verdict: What verification found in the file's bytes.
        name: The file's name, without a folder.
        job: The job's canonical text, a JSON object.
        metrics: What the release cost.
        levels: Of a full-domain release, the level of each quasi-identifier, as it was claimed for verification.
    """
    return Certificate(
        **shared(verdict, name, job),
        models=verdict.models,
        k=verdict.smallest,
        records=verdict.records,
        suppressed=verdict.suppressed,
        classes=verdict.classes,
        class_sizes={f"{band.low}..{band.high}": band.classes for band in verdict.bands},
        levels=dict(levels or {}),
        data_dependent_labels=verdict.data_dependent,
        range_exposure=verdict.range_exposure,
        metrics=metrics,
    ).encode()
