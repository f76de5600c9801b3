"""The certificate of a table, and what it does not promise, which depends on the job."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Final

from kohort.algorithms.method import METHODS
from kohort.certificate.form import Certified, certified, disks_of
from kohort.errors.calls import verb
from kohort.errors.display import many
from kohort.metrics.known import METRICS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kohort.algorithms.problem import Algorithm
    from kohort.io.manifest import ListedPart
    from kohort.models.base import PrivacyModel
    from kohort.perturbation.effect import Effect
    from kohort.release import Job
    from kohort.schema import Schema
    from kohort.tables.dataset import Linked
    from kohort.verify import Verdict

    #: A part of a description: an object of JSON.
    Part = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Asked:
    """A privacy model that a job asks for.

    Attributes:
        kind: The name of its class, or its key in the job where this version does not know it.
        sensitive: The sensitive column that it is about; `None` where it is about none.
        model: The model; `None` where this version knows none called so with these parameters.
    """

    kind: str
    sensitive: str | None
    model: PrivacyModel | None

    @classmethod
    def of(cls, model: PrivacyModel) -> Asked:
        """A model that is there."""
        return cls(type(model).__name__, model.declared.sensitive, model)

    @property
    def name(self) -> str:
        """The model's name; of one that is not known, its kind."""
        return self.kind if self.model is None else self.model.name


@dataclass(frozen=True, slots=True, eq=False)
class Described:
    """What a job asks of a table.

    Attributes:
        job: The job; a builder stands for each hierarchy of which there is only the digest, and known models, a known
            method or no perturbation for those of packages that are not installed.
        models: The privacy models.
        algorithm: Its algorithm; `None` where no method that is installed makes it.
        method: Its name; of one that no method makes, the name in the certificate.
        perturbed: The columns that are perturbed.
        digests: The digests of hierarchies, by their columns.
    """

    job: Job
    models: tuple[Asked, ...]
    algorithm: Algorithm | None
    method: str
    perturbed: tuple[str, ...]
    digests: Mapping[str, Part] = field(default_factory=dict[str, "Part"])

    @classmethod
    def of(cls, job: Job) -> Described:
        """A job that is there, with its hierarchies."""
        perturbed = tuple(name for one in job.perturbations for name in one.columns)
        return cls(job, tuple(map(Asked.of, job.models)), job.algorithm, job.algorithm.name, perturbed)

    @classmethod
    def certified(cls, known: Certificate) -> Described:
        """The job of a certificate.

        Raises:
            InputError: kohort would not accept it, or not describe it in these words.
        """
        return verb(Described.certified)(known)

    @property
    def schema(self) -> Schema:
        """The schema, one attribute for each column of the input."""
        return self.job.schema

    @property
    def refining(self) -> bool:
        """Whether classes of a full-domain release are refined, by local recoding."""
        return getattr(self.algorithm, "search", None) is not None

    @property
    def builders(self) -> dict[str, str]:
        """The texts of the builders that make hierarchies, by their columns."""
        known = {one.name: one.hierarchy for one in self.schema.attributes if one.name not in self.digests}
        return {name: one for name, one in known.items() if isinstance(one, str)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate(Certified):
    """What is certified of a table.

    Attributes:
        models: Names of the privacy models, all met.
        k: Records of the smallest class; people, if there is a person key.
        records: Records released.
        people: People whose records were released; `None` without a person key.
        incomplete: Records left out before the run, because the job requires complete records.
        suppressed: Records suppressed, for a missing value or because their class failed the models.
        classes: Number of equivalence classes.
        class_sizes: Number of classes by size, in bands that double: `"10..19": 7`.
        levels: The hierarchy level of each quasi-identifier in a full-domain release; empty for any other release.
        labels: The kind of labels of each quasi-identifier: `range` (of numbers), `range of names`, `grid`, `set`,
            `mean`, or `ancestor`, which is a node of its hierarchy.
        refined: With local recoding, the levels of the full-domain release whose classes it refined: no label lies
            above them.
        data_dependent_labels: Whether labels were chosen by looking at records.
        released_unchanged: Each column that is not generalized, including perturbed ones, and each reported pair of
            them, with the number of people who have a unique value there, and of all people; see
            `kohort.verify.singling`.
        released_together: Of all these columns together, the number of people who have a unique combination of values;
            then the same, if the labels of the class are known too; then, where the job has answers, of the first
            three, the first five and all of them. Empty where no column is released unchanged.
        metrics: The cost of the release, by metric: of those that can be counted from it and the number of records.
        perturbed: For each perturbed column the method, the records with a value, how their cells are written
            (`decimals`, `bounds`), and whether the random numbers came from a seed.
        pseudonyms: The number of records that share a pseudonym with another, for each column of pseudonyms.
        verified: How the files were compared with the input: `record by record`, or `by aggregation`.
        engine: The engine that counted the input for verification: `local`, or another engine and its version.
        parts: The name, records and digest of each file of a release in parts, in the order of the records; `sha256`
            and `size` are those of the joined files.
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
    labels: Mapping[str, str]
    refined: Mapping[str, int]
    data_dependent_labels: bool
    released_unchanged: tuple[Mapping[str, object], ...]
    released_together: tuple[Mapping[str, object], ...]
    metrics: Mapping[str, float]
    perturbed: Mapping[str, object]
    pseudonyms: Mapping[str, int]
    verified: str
    engine: str
    parts: tuple[Mapping[str, object], ...]
    kind: str = "table"

    @property
    def promised(self) -> tuple[str, ...]:
        """Names of the privacy models, all met."""
        return self.models

    @property
    def rows(self) -> int:
        """Records released."""
        return self.records


def certificate(
    verdict: Verdict,
    name: str,
    *,
    job: Job,
    metrics: Mapping[str, float],
    levels: Mapping[str, int] | None = None,
    refined: Mapping[str, int] | None = None,
    effects: tuple[Effect, ...] = (),
    linked: tuple[Linked, ...] = (),
) -> bytes:
    """The certificate of the file called `name`, as it is written.

    Args:
        verdict: What verification found in the file's bytes.
        name: The file's name, without a folder.
        job: The job.
        metrics: What the release cost.
        levels: Of a full-domain release, the level of each quasi-identifier, as it was claimed for verification.
        refined: Of local recoding, likewise the levels that it began at.
        effects: What perturbations did, as it was claimed for verification.
        linked: How far pseudonyms link records.
    """
    limits = not_promised(Described.of(job), data_dependent=verdict.data_dependent, engine=verdict.engine)
    return Certificate(
        **certified(name, job.described(), limits, sha256=verdict.sha256, checks=verdict.checks),
        models=verdict.models,
        k=verdict.smallest,
        records=verdict.records,
        people=verdict.people,
        incomplete=verdict.incomplete,
        suppressed=verdict.suppressed,
        classes=verdict.classes,
        class_sizes={f"{band.low}..{band.high}": band.classes for band in verdict.bands},
        levels=dict(levels or {}),
        labels=dict(verdict.labels),
        refined=dict(refined or {}),
        data_dependent_labels=verdict.data_dependent,
        released_unchanged=tuple(asdict(one) for one in verdict.singling),
        released_together=tuple(asdict(one) for one in verdict.together),
        metrics={name: cost for name, cost in metrics.items() if METRICS[name].disclosure.counted},
        perturbed={one.column: _shown(one) for one in effects},
        pseudonyms={one.column: one.linked for one in linked},
        verified=verdict.way,
        engine=verdict.engine,
        parts=certified_parts(verdict.parts),
    ).encode()


def certified_parts(parts: Iterable[ListedPart]) -> tuple[Mapping[str, object], ...]:
    """What is certified of the files of a release in parts."""
    return tuple({"name": one.name, "records": one.records, "sha256": one.sha256} for one in parts)


#: What is certified of a perturbation.
SHOWN: Final = ("method", "records", "decimals", "bounds", "reproducible")


def _shown(effect: Effect) -> Mapping[str, object]:
    """How a column was perturbed, and how its cells are written. Noise keeps the mean: that is the original's, too."""
    return {name: getattr(effect, name) for name in SHOWN}


#: What no certificate can promise, whatever the models.
NOT_PROMISED: Final = (
    "Linkage with other data: joining this release with others about the same people may reveal more.",
    "Columns released unchanged: how many people each singles out is counted; what they reveal is not limited.",
    "Right roles: a column that the steward wrongly called insensitive is not protected.",
)

#: Where labels were chosen by looking at records.
_ENDS: Final = (
    "Secret range ends: a label that depends on the data reveals the exact values of the records at its ends."
)

#: Where no model is about a sensitive column.
ATTRIBUTES: Final = (
    "Attribute disclosure: if all records of a class share a sensitive value, it is revealed for everybody in it."
)

#: Where some are.
_OTHER_ATTRIBUTES: Final = (
    "Attribute disclosure: the models are about {columns} only; if all records of a class share a value of another"
    " sensitive column, it is revealed for everybody in it."
)

#: Where nothing bounds the size of a class.
_SIZES: Final = "Linkage of records: the job sets no smallest class size, so somebody may be alone in a class."

#: Where records are counted.
_PERSONS: Final = "Several records of a person: each was counted as a person, for there is no person key."

#: What diversity by different values does not see.
_MEANING: Final = "Similar values: different sensitive values count as different, though they may mean much the same."

#: Where identifiers have pseudonyms.
_PSEUDONYMS: Final = (
    "Anonymity of pseudonyms: they link the records of a person, here and wherever the same key was used; what these"
    " reveal together is not limited, and anyone with the key can identify everybody."
)

#: Where columns are answers.
_ANSWERS: Final = (
    "Secrecy of answers: the steward says that no outsider knows the {columns}; whoever knows some answers of a person"
    " may find the record by them, and released_together counts how many people that concerns."
)

#: Where cells are perturbed.
_PERTURBED: Final = (
    "Secrecy of perturbed values: each is near its original or likely to equal it; other knowledge helps to guess it."
)

#: What models of a population rest on.
_POPULATION: Final = (
    "Other populations: people were counted in the given population table; an attacker may know another."
)


def not_promised(asked: Described, *, data_dependent: bool, engine: str) -> tuple[str, ...]:
    """What does not follow from these models, in the order in which a reader needs it."""
    models = [one.model for one in asked.models]
    known = [model for model in models if model is not None]
    declared = [model.declared for model in known]
    about = list(dict.fromkeys(model.sensitive for model in asked.models if model.sensitive))
    lines = [NOT_PROMISED[0]]
    if all(one.smallest_class == 1 for one in declared):
        lines.append(_SIZES)
    lines += _of_attributes(asked, about)
    lines += dict.fromkeys(line for model in known if (line := model.specification.not_promised))
    if any(one.different_values for one in declared):
        lines.append(_MEANING)
    if any(one.population for one in declared):
        lines.append(_POPULATION)
    if asked.schema.pseudonyms:
        lines.append(_PSEUDONYMS)
    if asked.perturbed:
        lines.append(_PERTURBED)
    if asked.job.answers:
        lines.append(_ANSWERS.format(columns=many(len(asked.job.answers), "column of answers", "columns of answers")))
    if asked.schema.person is None:
        lines.append(_PERSONS)
    method = METHODS.get(asked.method)
    lines += [line] if method is not None and (line := method.specification.not_promised) else []
    return (*lines, *NOT_PROMISED[1:], *disks_of(engine), *([_ENDS] if data_dependent else ()))


def _of_attributes(asked: Described, about: Sequence[str]) -> list[str]:
    if not about:
        return [ATTRIBUTES]
    others = {one.name for one in asked.schema.sensitive} - {*about}
    return [_OTHER_ATTRIBUTES.format(columns=", ".join(about))] if others else []
