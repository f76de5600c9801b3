"""A job on a table as its certificate needs it: the job, and what a description names that is not installed here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.models.base import PrivacyModel
    from kohort.release import Job
    from kohort.schema import Schema

    #: A part of a description: an object of JSON.
    Part = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Asked:
    """A privacy model that a job asks for.

    Attributes:
        kind: Its name in the job.
        sensitive: The sensitive column that it is about; `None` where it is about none.
        model: The model; `None` where this version knows none called so with these parameters.
    """

    kind: str
    sensitive: str | None
    model: PrivacyModel | None


@dataclass(frozen=True, slots=True, eq=False)
class Described:
    """What a job asks of a table.

    Attributes:
        job: The job; a builder stands for each hierarchy of which there is only the digest, and known models, a known
            method or no perturbation for those of packages that are not installed.
        models: The privacy models.
        algorithm: The kind of its algorithm.
        perturbed: The columns that are perturbed.
        digests: The digests of hierarchies, by their columns.
    """

    job: Job
    models: tuple[Asked, ...]
    algorithm: str
    perturbed: tuple[str, ...]
    digests: Mapping[str, Part] = field(default_factory=dict[str, "Part"])

    @classmethod
    def of(cls, job: Job) -> Described:
        """A job that is there, with its hierarchies."""
        models = tuple(Asked(type(one).__name__, one.declared.sensitive, one) for one in job.models)
        perturbed = tuple(name for one in job.perturbations for name in one.columns)
        return cls(job, models, type(job.algorithm).__name__, perturbed)

    @property
    def schema(self) -> Schema:
        """The schema, one attribute for each column of the input."""
        return self.job.schema

    @property
    def refining(self) -> bool:
        """Whether classes of a full-domain release are refined, by local recoding."""
        return self.algorithm == "LocalRecoding"

    @property
    def builders(self) -> dict[str, str]:
        """The texts of the builders that make hierarchies, by their columns."""
        known = {one.name: one.hierarchy for one in self.schema.attributes if one.name not in self.digests}
        return {name: one for name, one in known.items() if isinstance(one, str)}
