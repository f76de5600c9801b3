"""Job files: TOML to a `Request`, with every fault at once, each with its line."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar, cast

from kohort.engines.outlets import written_as
from kohort.errors import JobError, KohortError, UsageError
from kohort.io import ReadOptions
from kohort.job.columns import (
    attributes_of,
    free_labels,
    hierarchy_file,
    method_of,
    misfits,
    quasi_of,
    time_limit_of,
    with_answers,
    without_dropped,
)
from kohort.job.faults import job_error
from kohort.job.form import INPUT, OUTPUT, PERTURB, PERTURBED, QUESTION, TABLE_JOB
from kohort.job.models import lacking, models_of
from kohort.job.models import misfits as unfit
from kohort.job.parts import part, read, relative, right_part, run_of, sign_key, table, told, without
from kohort.perturbation.text import perturbation_from
from kohort.release import Job, Writing
from kohort.release.fit import key_misfits, seed_misfits
from kohort.release.fit import misfits as altered_misfits
from kohort.release.job import Purpose
from kohort.schema import Role, Schema
from kohort.schema.hierarchies import file_of, read_hierarchy

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from kohort.job.document import Document
    from kohort.job.keys import KeyTable, KeyValues
    from kohort.job.lines import Place
    from kohort.job.models import Asked
    from kohort.models.base import PrivacyModel
    from kohort.perturbation.base import Perturbation
    from kohort.perturbation.pseudonyms import Key
    from kohort.release.fit import Misfit
    from kohort.schema import Attribute
    from kohort.schema.hierarchies import HeldFile


E = TypeVar("E", bound=KohortError)
J = TypeVar("J")

#: The keys behind the places that kohort's errors name.
_PLACES: Final[Mapping[str, Place]] = {
    "node": ("method", "node"),
    "population": ("population", "path"),
    "the person key": ("person", "key"),
}

#: The roles that columns not listed can have.
_REST: Final = {"refuse": None, "insensitive": Role.INSENSITIVE, "drop": Role.DROP}


@dataclass(frozen=True, slots=True)
class Request(Generic[J]):
    """A job with its two ends.

    Attributes:
        source: Where the records are; `-` is standard input.
        target: Where the release goes; empty where nothing is released.
        job: What decides the release.
        inputs: The other files that it was made from: the job file, hierarchies, lists of items.
        where: Tells the reader's place for a path of keys, such as `("columns", "age")`: a line, or a flag.
        places: The keys behind the places that kohort's errors name.
        run: The engine, and what it may use; see `run_of`.
        population: Where the population table is; `None` where no model needs one.
    """

    source: str
    target: str
    job: J
    inputs: tuple[Path, ...]
    where: Callable[[Place], str]
    places: Mapping[str, Place]
    run: KeyValues
    population: str | None = None

    def placed(self, fault: E) -> E:
        """A fault that the records showed, with the place of its key; each one where there are several."""
        return placed(fault, self.where, self.places)


#: A job on a table with its two ends.
TableRequest: TypeAlias = Request[Job]


def placed(fault: E, where: Callable[[Place], str], places: Mapping[str, Place]) -> E:
    """A fault that records showed, with the place of the key that it comes of; see `Request`."""
    if isinstance(fault, JobError):
        return cast("E", job_error([placed(one, where, places) for one in fault.faults], fault.hint))
    place = places.get(fault.where)
    return type(fault)(fault.what, where=where(place), hint=fault.hint) if place else fault


def job_of(source: str | os.PathLike[str]) -> Job:
    """The job of a job file; see `Job.from_toml`."""
    from kohort.job.document import document_of  # noqa: PLC0415  flags need no TOML

    return of(document_of(source)).job


def of(text: Document) -> TableRequest:
    """The request that a job file makes; relative paths in it are relative to its folder.

    Raises:
        InputError: another file that it names cannot be read.
        JobError: everything that is wrong in it, each fault with its line.
    """
    made = request(text.raw, where=text.where, folder=text.folder, held=text.held)
    return replace(made, inputs=(*text.path, *made.inputs))


def request(
    raw: Mapping[str, object],
    *,
    where: Callable[[Place], str],
    folder: Path = Path(),
    held: Sequence[HeldFile] = (),
    releasing: bool = True,
) -> TableRequest:
    """The request that nested mappings make: a job file's tables, or the command line's flags.

    Args:
        raw: The tables of a job file.
        where: Tells the reader's place for a path of keys: a line, or a flag.
        folder: What relative paths are relative to.
        held: Files of hierarchies that are still to be written into the folder.
        releasing: Whether they name an output; else the target is empty.

    Raises:
        JobError: all faults at once.
        InputError: a hierarchy file cannot be read as one.
    """
    raw = with_answers(without_dropped(raw))
    algorithm, faults = method_of(raw, quasi_of(raw), where)
    attributes, wrong = attributes_of(raw, free_labels(raw, algorithm), where, folder)
    asked = models_of(raw)
    perturbations, unread = perturbations_of(raw, where)
    faults += [*wrong, *misfits(attributes, algorithm, where), *unfit(raw, asked, attributes, where), *unread]
    faults += altered_faults(raw, Schema(tuple(attributes)), tuple(asked.values()), perturbations, where)
    form = TABLE_JOB if releasing else without(TABLE_JOB, [("output",)])
    file = _form(form, raw, [*faults, *_input_fault(raw, where), *_output_fault(raw, where)], where)
    assert algorithm is not None  # noqa: S101  a job that names no method there is has a fault
    made = _question(file, attributes, asked, folder, held)
    job = Job(
        replace(made.schema, missing=frozenset(file.input.missing)),
        made.models,
        algorithm,
        reading_of(file.input),
        replace(_writing(file.output), sign_key=sign_key(file.output.sign_key, folder)) if releasing else Writing(),
        time_limit_of(raw),
        tuple(name for name, column in file.columns.items() if column.allow_singling),
        tuple(name for name, column in file.columns.items() if column.no_model),
        tuple(file.answers),
        file.input.complete_records,
        perturbations,
        None if file.input.key_file is None else _key(folder / file.input.key_file),
        file.perturb.seed,
        file.perturb.insecure_reproducible,
        purpose=purpose_of(file.purpose),
    )
    keys = () if file.input.key_file is None else (folder / file.input.key_file,)
    source, target = relative(file.input.path, folder), relative(file.output.path, folder) if releasing else ""
    signing = () if job.writing.sign_key is None else (Path(job.writing.sign_key),)
    inputs = *made.inputs, *keys, *signing
    columns: dict[str, Place] = {f"column {one.name}": ("columns", one.name) for one in job.schema.attributes}
    places, run = {**_PLACES, **columns}, run_of(file.run, folder)
    return Request(source, target, job, inputs, where, places, run, made.population)


@dataclass(frozen=True, slots=True)
class Question:
    """What a table is judged by.

    Attributes:
        schema: What is said of its columns.
        models: The privacy models.
        population: Where the population table is; `None` where no model needs one.
        inputs: The files of the hierarchies.
    """

    schema: Schema
    models: tuple[PrivacyModel, ...]
    population: str | None
    inputs: tuple[Path, ...]


def question(raw: Mapping[str, object], *, where: Callable[[Place], str], folder: Path = Path()) -> Question:
    """The same of a file that is only judged: its columns and the privacy models, and nothing else of a job.

    Args:
        raw: The tables privacy, person, population and columns of a job file, and what the rest is.
        where: Tells the reader's place for a path of keys: a line, or a flag.
        folder: What relative paths are relative to.

    >>> made = question({"columns": {"illness": {"role": "sensitive", "l": 2}}}, where=".".join)
    >>> made.models[0].name
    'distinct 2-diversity of illness'
    """
    raw = without_dropped(raw)
    attributes, faults = attributes_of(raw, None, where, folder)
    asked = models_of(raw)
    file = _form(QUESTION, raw, [*faults, *unfit(raw, asked, attributes, where)], where)
    return _question(file, attributes, asked, folder)


def _key(path: Path) -> Key:
    from kohort.perturbation.pseudonyms import read_key  # noqa: PLC0415  few jobs have one

    return read_key(path)


# --- from the file's tables to the job --------------------------------------------------------------------------------


def _form(
    form: KeyTable, raw: Mapping[str, object], faults: list[UsageError], where: Callable[[Place], str]
) -> KeyValues:
    file, wrong = read(form, raw)
    found = [*([] if form is QUESTION else lacking(raw)), *wrong]  # what is only judged may ask for no model
    if found or faults:
        raise job_error([*told(found, where), *faults])
    return file


def _question(
    file: KeyValues, attributes: Sequence[Attribute], asked: Asked, folder: Path, held: Sequence[HeldFile] = ()
) -> Question:
    """What the tables say of columns and models; hierarchy files are read now."""
    files = {one.name: path for one in attributes if (path := hierarchy_file(one, folder))}
    unwritten = {folder / one.name: one for one in held}
    made = {name: read_hierarchy(path, name=name, unwritten=unwritten) for name, path in files.items()}
    whole = tuple(replace(one, hierarchy=made.get(one.name, one.hierarchy)) for one in attributes)
    schema = Schema(whole, rest=_REST[file.rest], person=file.person.key if file.person else None)
    population = relative(file.population.path, folder) if file.population else None
    return Question(schema, tuple(asked.values()), population, tuple(map(file_of, files.values())))


def reading_of(part: KeyValues) -> ReadOptions:
    """How the input is read."""
    said: dict[str, Any] = {name: one for name, one in vars(part).items() if name in ReadOptions.__slots__}
    said["quote"] = part.quote or None
    return ReadOptions(**said)


def purpose_of(part: KeyValues) -> Purpose | None:
    """What a release is for; `None` where nothing is said of it."""
    return Purpose(**vars(part)) if {*vars(part).values()} != {None} else None


def _writing(part: KeyValues) -> Writing:
    return Writing(part.format, part.separator, part.excel_safe, part.records_per_part)


def _input_fault(raw: Mapping[str, object], where: Callable[[Place], str]) -> list[UsageError]:
    said = part(INPUT, table(raw, "input"))
    try:
        if said is not None:
            reading_of(said)
    except UsageError as fault:
        key = "names" if said is not None and said.names else "separator"
        return [UsageError(fault.what, where=where(("input", key)), hint=fault.hint)]
    return []


def _output_fault(raw: Mapping[str, object], where: Callable[[Place], str]) -> list[UsageError]:
    """What is wrong with a release's path and format, before any work is done for it."""
    output = part(OUTPUT, table(raw, "output"))
    if output is None:
        return []
    try:
        format_ = written_as(output.path, _writing(output))
    except UsageError as fault:
        key = "records-per-part" if fault.where == "records-per-part" else "path"
        return [UsageError(fault.what, where=where(("output", key)), hint=fault.hint)]
    if output.excel_safe and not format_.form.is_text:
        return [UsageError("excel-safe is for delimited text", where=where(("output", "excel-safe")), hint="write CSV")]
    return []


# --- what is perturbed ------------------------------------------------------------------------------------------------


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
        said = part(PERTURBED, held)
        if said is None:
            continue
        parameters = {
            key: value for key, value in vars(said).items() if value is not None and key not in {"method", "together"}
        }
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
    return [one.told(where) for one in found]


def _misfits(
    raw: Mapping[str, object], schema: Schema, models: Sequence[PrivacyModel], perturbations: Sequence[Perturbation]
) -> Iterator[Misfit]:
    said = right_part(PERTURB, table(raw, "perturb"))
    yield from altered_misfits(schema, models, perturbations)
    if len(perturbations) == len(table(table(raw, "perturb"), "columns")):  # one that is wrong may have been random
        yield from seed_misfits(perturbations, said.seed, insecure_reproducible=said.insecure_reproducible)
    has_key = table(raw, "input").get("key-file") is not None
    yield from key_misfits(pseudonyms=bool(schema.pseudonyms), has_key=has_key)
