"""A job: a schema, models and an algorithm, how to write the release, and what it is for."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import Enum
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, cast

from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.errors.calls import PATH, called, verb
from kohort.errors.display import Summary, parameters
from kohort.io import ReadOptions
from kohort.release.fit import check, completed
from kohort.schema import Missing, Schema
from kohort.schema.hierarchy import Hierarchy

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from kohort.algorithms.problem import Algorithm
    from kohort.errors.display import Rows
    from kohort.io.forms import Format
    from kohort.models.base import PrivacyModel
    from kohort.perturbation.base import Perturbation
    from kohort.perturbation.pseudonyms import Key
    from kohort.tables.complete import Complete


@dataclass(frozen=True, slots=True, repr=False)
class Purpose:
    """What a release is for: five free texts, each of which may be missing.

    They change no byte of the release. They appear in its certificate and its pages, including the public page: to keep
    a person's name private, name a role or an office.

    Attributes:
        purpose: What the release is for.
        recipient: Who receives it.
        legal_basis: What allows it.
        requested_by: Who requested it.
        approved_by: Who approved it.

    >>> Purpose(purpose="length of stay by age", recipient="the regional health office").approved_by is None
    True
    """

    purpose: str | None = None
    recipient: str | None = None
    legal_basis: str | None = None
    requested_by: str | None = None
    approved_by: str | None = None

    def __repr__(self) -> str:
        """What is set, in one line."""
        return parameters(self)


#: The mark of a field that is told nowhere: no certificate or report of a job has it.
SECRET: Final = MappingProxyType({"kohort": "secret"})


@dataclass(frozen=True, slots=True)
class Writing:
    """The format of a release.

    Attributes:
        format: The file's format; `None` takes it from the target's name.
        separator: The character between the cells of delimited text.
        excel_safe: Whether cells that a spreadsheet would run as a formula get a leading apostrophe.
        records_per_part: Records of each part, if the release is a folder of several; `None` for one part.
        sign_key: The file of the key that signs the certificate; `None` leaves it unsigned. No output contains it.
    """

    format: Format | None = None
    separator: str = ","
    excel_safe: bool = False
    records_per_part: int | None = None
    sign_key: str | None = field(default=None, metadata=SECRET)


@dataclass(frozen=True, slots=True, repr=False)
class Job(Summary):
    """Everything that determines a release, except the records: equal jobs over equal records give equal bytes.

    Attributes:
        schema: The role of every column.
        models: The models that every class must satisfy; at least one. Each must fit the schema; see
            `kohort.release.fit`.
        algorithm: The algorithm that finds the recoding.
        reading: The format of the input.
        writing: The format of the release.
        time_limit: Seconds after which a search that can stop early (best-effort) returns its best result so far; equal
            jobs may then give different releases. To reproduce one, name its node (`GivenNode`).
        allow_singling: Released columns that may single people out, or contain cells of identifying columns. Others are
            refused if they are unique for more than half of the people, alone or as a pair, or contain such cells; see
            `kohort.assessment.risk.singling` and `kohort.verify.identifiers`.
        no_model: Sensitive columns that are released without a privacy model.
        answers: Insensitive columns that no outsider knows, on the steward's word: they may single people out, and the
            certificate counts whom the first three, the first five and all of them do. `None` where there are none.
        complete: Columns in which a record must have a value, or `all`: other records are left out before anything is
            counted.
        perturbations: Changes to columns that would otherwise be released unchanged.
        key: The key for pseudonyms of identifying columns. No output contains it.
        seed: The seed of random perturbations; `None`: the system's entropy. Anyone who knows or guesses it can remove
            the noise, so it requires `insecure_reproducible`, and no output contains it.
        insecure_reproducible: Whether a seed is allowed: for tests only, never for a release.
        purpose: The purpose of the release and who is responsible for it; no byte of the release depends on it.
        unused_hierarchies: Columns whose hierarchy has no effect in the job and was left out; filled in.
    """

    schema: Schema
    models: tuple[PrivacyModel, ...]
    algorithm: Algorithm = field(default_factory=Mondrian)
    reading: ReadOptions = field(default_factory=ReadOptions)
    writing: Writing = field(default_factory=Writing)
    time_limit: float | None = None
    allow_singling: tuple[str, ...] = ()
    no_model: tuple[str, ...] = ()
    answers: tuple[str, ...] | None = None
    complete: Complete = ()
    perturbations: tuple[Perturbation, ...] = ()
    key: Key | None = field(default=None, repr=False, metadata=SECRET)
    seed: int | None = field(default=None, repr=False, metadata=SECRET)
    insecure_reproducible: bool = False
    purpose: Purpose | None = None
    unused_hierarchies: tuple[str, ...] | None = None

    @classmethod
    def of(
        cls,
        schema: Schema,
        *models: PrivacyModel,
        algorithm: Algorithm | None = None,
        time_limit: float | None = None,
        allow_singling: tuple[str, ...] = (),
        no_model: tuple[str, ...] = (),
        answers: tuple[str, ...] = (),
        complete: Complete = (),
        perturbations: tuple[Perturbation, ...] = (),
        key: Key | None = None,
        seed: int | None = None,
        insecure_reproducible: bool = False,
        purpose: Purpose | None = None,
    ) -> Job:
        """A job that is read and written in the ordinary way.

        >>> from kohort import Schema
        >>> from kohort.models.k_anonymity import KAnonymity
        >>> Job.of(Schema.of(quasi=["age"]), KAnonymity(5)).k
        5
        """
        return cls(
            schema,
            models,
            algorithm or Mondrian(),
            time_limit=time_limit,
            allow_singling=allow_singling,
            no_model=no_model,
            answers=answers,
            complete=complete,
            perturbations=perturbations,
            key=key,
            seed=seed,
            insecure_reproducible=insecure_reproducible,
            purpose=purpose,
        )

    @classmethod
    @called('Job.from_toml("job.toml")', source=PATH)
    def from_toml(cls, source: str | os.PathLike[str]) -> Job:
        r"""The job of a job file: its path, or its text, which has an equals sign.

        Where the table, the release and the population are stands in the file too, and is left out here.

        Raises:
            InputError: the file cannot be read.
            JobError: everything that is wrong in it, each fault with its line.

        >>> text = 'privacy.k = 5\ncolumns.age.role = "quasi"\ninput.path = "in.csv"\noutput.path = "out.csv"'
        >>> Job.from_toml(text).k
        5
        """
        return verb(Job.from_toml)(source)

    @called('job.to_toml("job.toml")', path=PATH)
    def to_toml(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        source: str = "input.csv",
        target: str | None = None,
        key_file: str | None = None,
        population: str | None = None,
        overwrite: bool = False,
    ) -> str:
        """The text of a job file for `kohort run`, written to `path` where one is given.

        Hierarchies that are objects are written beside it, as `NAME.hierarchy-1.csv` and so on.

        Args:
            path: Where to write it.
            source: The table that the job file shall name, as seen from its folder.
            target: The release; `release.csv` if not given, of parts `release/`.
            key_file: The file of the key of pseudonyms, where there are any.
            population: The population table, where a model needs one.
            overwrite: Whether files that exist may be replaced.

        Raises:
            UsageError: the job holds what no job file may hold: hierarchies as objects without a path, a seed, a key
                whose file is not named, an algorithm of no name.
            TargetError: a file exists, and `overwrite` is false.

        >>> from kohort.models.k_anonymity import KAnonymity
        >>> from kohort.schema import Schema
        >>> job = Job.of(Schema.of(quasi=["age"]), KAnonymity(5))
        >>> Job.from_toml(job.to_toml()) == job
        True
        """
        return verb(Job.to_toml)(
            self, path, source=source, target=target, key_file=key_file, population=population, overwrite=overwrite
        )

    def __post_init__(self) -> None:
        """Check that the parts go together, and fill in what follows from them."""
        check(self)
        for name, value in completed(self).items():
            object.__setattr__(self, name, value)

    @property
    def k(self) -> int:
        """The size, in people, below which no class satisfies the models."""
        return max(model.declared.smallest_class for model in self.models)

    @property
    def accepted(self) -> frozenset[str]:
        """The released columns that may single people out: by name, or as answers."""
        return frozenset({*self.allow_singling, *(self.answers or ())})

    @property
    def of_people(self) -> Schema:
        """The schema for people of other tables: whoever has no complete record is in no release, as if suppressed."""
        return self.schema.changed(
            replace(one, missing=Missing.SUPPRESS)
            for one in self.schema.quasi
            if self.complete == "all" or one.name in self.complete
        )

    def _shown(self) -> tuple[str, Rows]:
        rows = [("Models", ", ".join(model.name for model in self.models)), ("Method", self.algorithm.name)]
        return "Job", rows + self.schema.rows

    def described(self) -> str:
        """The job as canonical JSON, which its certificate holds: the tables of a job file, with sorted keys.

        No key, seed or path is in it, and hierarchies stand by their digest.
        """
        return verb(Job.described)(self)


def plain(value: object) -> object:
    """`value` as JSON types, the same for equal values."""
    if isinstance(value, Hierarchy):
        changes = {"changes": [*value.changes]} if value.changes else {}
        return {"height": value.height, "leaves": len(value.leaves), "sha256": _digest(value), **changes}
    if isinstance(value, Enum):
        return str(value.value)
    if is_dataclass(value):
        told = [one.name for one in fields(value) if one.init and one.metadata != SECRET]
        keys = {name: plain(getattr(value, name)) for name in told}
        return {"kind": type(value).__name__} | {name: part for name, part in keys.items() if part is not None}
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, tuple | frozenset):
        parts = [plain(one) for one in cast("Iterable[object]", value)]
        return sorted(parts, key=str) if isinstance(value, frozenset) else parts
    return value


def _digest(hierarchy: Hierarchy) -> str:
    text = json.dumps(hierarchy.labels, ensure_ascii=False) + json.dumps([level.tolist() for level in hierarchy.maps])
    return hashlib.sha256(text.encode()).hexdigest()
