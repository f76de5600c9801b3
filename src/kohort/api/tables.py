"""Tables: read, look at, draft a job, anonymize, sweep, check, perturb."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from contextlib import contextmanager
from dataclasses import fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack, cast, overload

from kohort import io
from kohort.api.shown import Inspection, Perturbed
from kohort.assessment import checking
from kohort.assessment.checking import FIRST
from kohort.assessment.inspection.guesses import inspect_table
from kohort.engines import pipeline
from kohort.engines.base import LOCALLY, engine_of
from kohort.engines.outlets import is_path, paths
from kohort.errors import CallError, SourceNote, UsageError
from kohort.errors.calls import PATH, called
from kohort.errors.display import class_of
from kohort.io import ReadOptions
from kohort.io.tables import table_within
from kohort.io.typed import kind_of
from kohort.job.advice import Advised, advice_on, advised
from kohort.job.codec import perturbed as said_of_columns
from kohort.job.codec import plain
from kohort.job.document import document_at
from kohort.job.draft import Draft, draft_of
from kohort.job.faults import raised
from kohort.job.form import PERTURB
from kohort.job.keywords import job_builder, job_from, keyword_at, keywords, population_table, tables_from
from kohort.job.parts import read as values_of
from kohort.job.parts import told
from kohort.job.request import perturbations_of
from kohort.job.sweeps import tables as sweeps
from kohort.job.varied import Variations, all_of
from kohort.models.k_anonymity import check_k
from kohort.release import Job, Release
from kohort.release.fit import seed_misfits
from kohort.schema import names_in
from kohort.system import MOST_THREADS
from kohort.system.progress import progress_to
from kohort.system.workspace import bytes_of
from kohort.tables.perturbing import perturb as perturbed

if TYPE_CHECKING:
    import os
    from collections.abc import Generator, Sequence

    from kohort.assessment.checking import Check
    from kohort.job.options import Options, Promises, Reading
    from kohort.job.request import Question, TableRequest
    from kohort.job.sweeps.tables import TableSweep
    from kohort.models.base import PrivacyModel
    from kohort.perturbation.base import Perturbation
    from kohort.schema import Schema
    from kohort.system.progress import Progress
    from kohort.tables.table import Table


@called('read("people.csv"), or read(frame)')
def read(source: object, **reading: Unpack[Reading]) -> Table:
    """Read a table from a file or a frame, with every value as its original text: `00118` stays, and `NA` is a text.

    All other functions also take paths and frames; use this one to read a table only once.

    Args:
        source: A path to CSV, TSV (also .gz), Parquet or Arrow, `-` for standard input, a polars, pandas or Arrow
            frame, or a release.
        **reading: The format of delimited text: `separator=";"`, `encoding="cp1252"` …

    Raises:
        InputError: the source cannot be read as what it claims to be.
        UsageError: an option is unknown, or has no effect.
        InfeasibleError: there are no records.

    >>> import polars as pl
    >>> read(pl.DataFrame({"zip": ["00118", "00121"]}))
    <Table; records: 2; columns: zip>
    """
    return _table(source, reading)


@called('inspect("people.csv"), or inspect(frame)')
def inspect(source: object, *, missing_token: Sequence[str] = (), **reading: Unpack[Reading]) -> Inspection:
    """Guess what each column reveals about a person, with reasons.

    Args:
        source: A path, a frame or a table.
        missing_token: Texts that mark a missing value, in addition to the empty one.
        **reading: The format of delimited text.

    >>> import polars as pl
    >>> inspect(pl.DataFrame({"sex": ["f", "m"] * 20}))["sex"].role
    'quasi'
    """
    table = _table(source, reading)
    missing = frozenset({"", *names_in(missing_token, "missing_token")})
    return Inspection(table.records, inspect_table(table, missing=missing))


@called('draft("people.csv"), or draft(frame)')
def draft(
    source: object,
    *,
    k: int = 10,
    known: Sequence[str] | Literal["all"] | None = None,
    missing_token: Sequence[str] = (),
    **reading: Unpack[Reading],
) -> Draft:
    """Draft a job to correct: roles, hierarchies and grids, and models for sensitive columns with their costs.

    Args:
        source: A path, a frame or a table; hierarchies beside a file are used.
        k: The k of k-anonymity.
        known: The columns that an outsider knows; others that could be quasi-identifying are then answers, released
            unchanged. "all" makes all of these quasi-identifying; if not given, those that an outsider may know are.
        missing_token: Texts that mark a missing value, in addition to the empty one.
        **reading: The format of delimited text.

    >>> import polars as pl
    >>> people = pl.DataFrame({"sex": ["f", "m"] * 20, "code": [f"x{n % 7}" for n in range(40)]})
    >>> drafted = draft(people, k=5)
    >>> drafted.job(quasi=["code"]).schema.quasi[0].name
    'sex'
    """
    check_k(k)
    table = _table(source, reading)
    path = Path(source) if is_path(source) and source != "-" else None
    tokens = ("", *names_in(missing_token, "missing_token"))
    said = known if known is None or known == "all" else names_in(known, "known")
    made = draft_of(table, k=k, missing=tokens, path=path, folder=Path(), known=said)
    named = made.source if path is None else str(path)
    return replace(made, source=named, reading={name.replace("_", "-"): one for name, one in reading.items()})


@overload
def anonymize(
    source: object,
    job: Job,
    *,
    population: object = None,
    target: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    threads: int = 1,
    memory_limit: int | str | None = None,
    spill_folder: str | os.PathLike[str] | None = None,
    engine: object = LOCALLY,
    progress: Progress = False,
) -> Release: ...
@overload
def anonymize(
    source: object,
    *,
    population: object = None,
    target: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    threads: int = 1,
    memory_limit: int | str | None = None,
    spill_folder: str | os.PathLike[str] | None = None,
    engine: object = LOCALLY,
    progress: Progress = False,
    **options: Unpack[Options],
) -> Release: ...
@called('anonymize(people, quasi=["age", "city"], k=10)', spill_folder=PATH)
def anonymize(
    source: object,
    job: Job | None = None,
    *,
    population: object = None,
    target: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    threads: int = 1,
    memory_limit: int | str | None = None,
    spill_folder: str | os.PathLike[str] | None = None,
    engine: object = LOCALLY,
    progress: Progress = False,
    **options: Unpack[Options],
) -> Release:
    """Make a verified release of a table.

    Give a job, or keyword arguments: those of `kohort anonymize`, with underscores. A list names columns, a mapping
    gives some columns a value each. The defaults are those of the command line: k is 10, and numbers get public cut
    points.

    Args:
        source: A path, `-` for standard input, a polars, pandas or Arrow frame, or a table.
        job: The schema, the models and the method.
        population: A table of the people whom an attacker may know, including those of the source, if a model needs
            one. It may be of the same kinds as the source, and is read in the same way.
        target: Where to publish the release: a path, or `s3://BUCKET/FOLDER/` (also `gs`, `az`) for an object store.
            Without it, the release is verified as text in memory; see `Release.save`.
        overwrite: Whether a file at `target` may be replaced.
        threads: Number of threads that the search may use; the bytes are the same for any number.
        memory_limit: The memory to use: bytes, or a text such as `4GiB`. Arrays as long as the table then lie in
            unnamed temporary files; the bytes are the same.
        spill_folder: The folder for these files, and for parts to be uploaded to an object store; the system's
            temporary folder if not given.
        engine: With `duckdb`, DuckDB counts, joins, sorts and writes CSV, Parquet and .duckdb files; the records never
            enter this process, except released cells that are written as Parquet, and the bytes are the same. With a
            connection of DuckDB, `source` is one of its tables or relations. With `spark`, Spark does the same on this
            machine; with a session of Spark, `source` is one of its frames, a table of its catalogue, or files.
        progress: Whether to show the stage that runs, in a notebook or on a terminal; or a function to call with the
            name of each stage, such as `print`.
        **options: The roles of columns, the privacy models, the method, how the table is read.

    Raises:
        KohortError: one of the tree in `kohort.errors`; then nothing was published.

    >>> import polars as pl
    >>> people = pl.DataFrame({"age": [31, 34, 38, 52], "illness": ["flu", "cold", "flu", "cold"]})
    >>> release = anonymize(people, quasi=["age"], sensitive=["illness"], l={"illness": 2}, k=4)
    >>> release.verdict.smallest, sorted(release.frame()["age"].unique())
    (4, ['[30-54)'])
    """
    made = job_from(job, options, population=population)
    memory = _memory(memory_limit)
    with _placing(made), progress_to(progress) as on_progress:
        release = pipeline.anonymize(
            source,
            made if isinstance(made, Job) else made.job,
            population=population,
            target=target,
            overwrite=overwrite,
            threads=threads_of(threads, "anonymize"),
            on_progress=on_progress,
            inputs=() if isinstance(made, Job) else made.inputs,
            engine=engine_of(engine, memory, spill_folder),
            staging=None if spill_folder is None else Path(spill_folder),
        )
    for one in release.telling:
        if any({*names}.isdisjoint(release.job.allow_singling) for names in one.sets):
            warnings.warn(SourceNote(one.told), stacklevel=3)
    return release


@overload
def sweep(
    source: object,
    job: Job,
    *,
    vary: Mapping[str, Sequence[object]],
    population: object = None,
    threads: int = 1,
    bound: bool = False,
    progress: Progress = False,
) -> TableSweep: ...
@overload
def sweep(
    source: object,
    *,
    vary: Mapping[str, Sequence[object]],
    population: object = None,
    threads: int = 1,
    bound: bool = False,
    progress: Progress = False,
    **options: Unpack[Options],
) -> TableSweep: ...
@called('sweep(people, quasi=["age", "city"], vary={"k": [5, 10, 20]})')
def sweep(
    source: object,
    job: Job | None = None,
    *,
    vary: Mapping[str, Sequence[object]],
    population: object = None,
    threads: int = 1,
    bound: bool = False,
    progress: Progress = False,
    **options: Unpack[Options],
) -> TableSweep:
    """Compute what releases would cost as parameters vary, without releasing anything.

    Args:
        source: A path, a frame or a table.
        job: The job, except for the varied parameters; or keyword arguments, as in `anonymize`.
        vary: The values of each parameter; all combinations are tried: `{"k": [5, 10]}`, `{"quasi": [2, 3]}` (the
            first 2 or 3 of them), `{"method": ["samarati", "optimal"], "max-suppression": ["0", "5%"]}`, or for the
            model of a column `{"l:illness": [2, 3]}`.
        population: The population table, if a model needs one.
        threads: Number of jobs that may be solved at once; the figures are the same for any number.
        bound: Whether to compute a lower bound on the loss, once for each k and kind of labels.
        progress: As in `anonymize`; the stages are the points.
        **options: As in `anonymize`.

    Raises:
        UsageError: something cannot be varied, or the job is wrong.

    >>> import polars as pl
    >>> people = pl.DataFrame({"age": [31, 34, 38, 52]})
    >>> [(row["k"], row["classes"]) for row in sweep(people, quasi=["age"], vary={"k": [2, 4]}).rows]
    [('2', 2), ('4', 1)]
    """
    varied, count = _varied(vary), threads_of(threads, "sweep")
    made = tables_from(job, cast("Mapping[str, object]", options), population=population, varied=varied)
    variations = Variations(made.tables, varied, made.request)
    try:
        plan = variations.plan()
        reading = variations.requests[0].job.reading
        people = None if population is None else _table(population, reading)
        table = _table(source, reading)
        with progress_to(progress) as on_progress:
            return sweeps.sweep(table, plan, population=people, threads=count, on_progress=on_progress, bounded=bound)
    except UsageError as fault:
        raise _placed(fault, variations.requests) from None


@called('advise("job.toml"), or advise(people, job)')
def advise(source: object, job: Job | None = None, *, population: object = None) -> Advised[Any]:
    """Compute what single changes of a job would keep or cost, without releasing anything.

    The changes are ranked on a sample of 5,000 records, and the best three are measured in full: these figures are
    those of `anonymize(people, advice.steps[0].job)`.

    Args:
        source: A job file, on a table or on transactions; or, with a job, a path, a frame or a table.
        job: The job; not beside a job file.
        population: The population table, if a model of the job needs one; a job file names its own.

    Raises:
        UsageError: there is neither a job file nor a job.
        KohortError: the job has faults, or its input cannot be read.

    >>> import polars as pl
    >>> from kohort.models.k_anonymity import KAnonymity
    >>> from kohort.schema import Schema
    >>> people = pl.DataFrame({"age": [31, 34, 38, 52] * 5, "city": ["Rom", "Bonn"] * 10})
    >>> job = Job.of(Schema.of(quasi=["age", "city"]), KAnonymity(10))
    >>> advise(people, job).steps[0].step.words
    'k = 5'
    """
    if job is None:
        if not is_path(source):
            hint = "write advise(people, job), or name a job file: advise('job.toml')"
            raise UsageError("there is no job", where="advise", hint=hint)
        return advice_on(document_at(Path(cast("str", source))))
    made = tables_from(job, {})
    kept = {"key": job.key, "seed": job.seed, "insecure_reproducible": job.insecure_reproducible}

    def make(tables: Mapping[str, object]) -> Job:
        found = made.request(tables).job
        return replace(found, schema=found.schema.changed(job.schema.pseudonyms), **cast("dict[str, Any]", kept))

    people = None if population is None else _table(population, job.reading)
    with _placing(job):
        return advised(made.tables, make, _table(source, job.reading), population=people)


@called('check(people, ["age", "city"], k=10)', schema="Schema")
def check(
    source: object,
    quasi: Sequence[str],
    models: Sequence[PrivacyModel] = (),
    *,
    sensitive: Sequence[str] = (),
    schema: Schema | None = None,
    population: object = None,
    reference: object = None,
    first: int = FIRST,
    **promises: Unpack[Promises],
) -> Check:
    """Check the classes of equal `quasi` cells in a file, and find the strictest parameters that they meet.

    Args:
        source: A path, a frame, a table or a release.
        quasi: The columns whose equal cells make a class.
        models: The models that the classes must satisfy; or their keyword arguments, as in `anonymize`.
        sensitive: Columns for which to find the strictest parameter of every model of sensitive values.
        schema: Further properties of columns; see `kohort.assessment.checking.check`.
        population: The people whom an attacker may know, for models that need them.
        reference: The table before its release, whose values t-closeness, delta-disclosure and beta-likeness refer
            to; without it they refer to those of the file.
        first: Number of failing classes to list for each model.
        **promises: The models by keyword: `k=5, l={"illness": 2}`; `person`, `hierarchy`.

    Raises:
        SchemaError: No column is named, or one that a table does not have.
        UsageError: A table is needed that is not given, or given and not needed.
        InputError: Cells cannot be read as what they must be.

    >>> import polars as pl
    >>> people = pl.DataFrame({"age": ["31", "31", "45"], "illness": ["flu", "cold", "flu"]})
    >>> bool(check(people, ["age"], k=2)), bool(check(people, ["age"], k=1 + 1, l={"illness": 2}))
    (False, False)
    """
    names, sensitive = names_in(quasi, "quasi"), names_in(sensitive, "sensitive")
    if promises:
        asked = _asked(names, sensitive, promises, population)
        models, schema = (*_models(models), *asked.models), schema or asked.schema
    return checking.check(
        source,
        names,
        _models(models),
        sensitive=sensitive,
        schema=schema,
        population=population,
        reference=reference,
        first=first,
    )


@called('perturb(people, {"income": "rounding:step=1000"})')
def perturb(
    source: object,
    perturb: Mapping[str, object] | Iterable[Perturbation],
    *,
    missing_token: Sequence[str] = (),
    seed: int | None = None,
    insecure_reproducible: bool = False,
) -> Perturbed:
    """Perturb some columns of a table and measure the effect; all other columns stay unchanged.

    The result is not anonymous; for a release, give `anonymize` the argument `perturb`.

    Args:
        source: A path, a frame or a table.
        perturb: The method of each column, `{"income": "noise:scale=0.1,decimals=0"}`, or perturbations.
        missing_token: Texts that mark a missing value, in addition to the empty one.
        seed: For tests: the same seed draws the same noise, and anyone who knows the seed can remove the noise.
        insecure_reproducible: Accept a seed.

    Raises:
        UsageError: a perturbation is unknown, or does not fit its column.
        InputError: cells are not numbers.

    >>> import polars as pl
    >>> perturb(pl.DataFrame({"income": [1499, 2501]}), {"income": "rounding:step=1000"}).frame()["income"].to_list()
    [1000, 3000]
    """
    asked = _perturbations(perturb, seed, insecure_reproducible=insecure_reproducible)
    table = _table(source, {})
    missing = frozenset({"", *names_in(missing_token, "missing_token")})
    made, effects = perturbed(table, asked, missing=missing, seed=seed)
    return Perturbed(made, effects, _like(source), table, missing, paths(source))


# --- what the functions share -----------------------------------------------------------------------------------------


def _memory(limit: object) -> int | None:
    if limit is None or isinstance(limit, str):
        return None if limit is None else bytes_of(limit)
    if type(limit) is not int or limit < 1:
        hint = "write memory_limit='4GiB', or a number of bytes"
        raise CallError("memory_limit is neither a text nor a positive integer", where="anonymize", hint=hint)
    return limit


def _table(source: object, reading: Mapping[str, object] | ReadOptions) -> Table:
    """The table in a source.

    Raises:
        UsageError: there is no such option of reading.
    """
    if isinstance(reading, ReadOptions):
        return io.read(source, reading)
    known = [one.name for one in fields(ReadOptions)]
    for name in reading:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(known)}"
            raise UsageError(f"there is no option {name!r} of reading", hint=hint)
    return io.read(source, ReadOptions(**cast("Any", reading)))


def _like(source: object) -> str:
    return "polars" if is_path(source) or table_within(source) else kind_of(source)


@contextmanager
def _placing(made: Job | TableRequest) -> Generator[None]:
    """Give a fault that the table shows the keyword argument that it came of."""
    try:
        yield
    except UsageError as fault:
        raise (fault if isinstance(made, Job) else made.placed(fault)) from None


def _varied(vary: object) -> dict[str, list[str]]:
    """What is varied, as the command line says it.

    Raises:
        UsageError: it is no mapping of lists, or something cannot be varied.
    """
    kind = class_of(vary)
    if not isinstance(vary, Mapping) or not vary:
        what = f"vary is of class {kind}" if vary else "nothing is varied"
        raise UsageError(what, where="vary=…", hint='write vary={"k": [5, 10, 20]}')
    texts: list[str] = []
    for name, values in cast("Mapping[str, object]", vary).items():
        if isinstance(values, str) or not isinstance(values, Iterable):
            hint = f"write vary={{{name!r}: [{values!r}]}}"
            raise UsageError(f"the values of {name} are not a list", where="vary=…", hint=hint)
        key, colon, column = name.partition(":")
        told = [str(plain(one)) for one in cast("Iterable[object]", values)]
        texts.append(f"{key.replace('_', '-')}{colon}{column}={','.join(told)}")
    try:
        return all_of(texts)
    except UsageError as fault:
        raise UsageError(fault.what, where="vary=…", hint=fault.hint.replace("--vary ", "")) from None


def _placed(fault: UsageError, requests: Sequence[TableRequest]) -> UsageError:
    if fault.where.startswith("--vary"):
        return UsageError(fault.what, where="vary=…", hint=fault.hint)
    return requests[0].placed(fault) if requests else fault


def _models(models: object) -> tuple[PrivacyModel, ...]:
    """The models, if they are a list of models.

    Raises:
        UsageError: they are not.
    """
    kind = class_of(models)
    listed = tuple(cast("Iterable[object]", models)) if isinstance(models, Iterable) else (models,)
    if not isinstance(models, Iterable) or not all(hasattr(one, "declared") for one in listed):
        what = f"the models are of class {kind}"
        raise UsageError(what, where="models", hint="write k=5, or [KAnonymity(5)]")
    return cast("tuple[PrivacyModel, ...]", listed)


def _asked(
    quasi: Sequence[str], sensitive: Sequence[str], promises: Mapping[str, object], population: object
) -> Question:
    """The models that keyword arguments ask for, and what they say of columns.

    Raises:
        JobError: everything that is wrong with them.
    """
    roles = dict.fromkeys(quasi, "quasi") | dict.fromkeys(names_in(sensitive, "sensitive"), "sensitive")
    for name, key in keywords().items():
        value = promises.get(name)
        if key.is_model and isinstance(value, Mapping):
            roles = dict.fromkeys(cast("Mapping[str, object]", value), "sensitive") | roles
    made = job_builder(promises, roles)
    return made.question({"privacy": {}, **made.tables, **population_table(population)})


def _perturbations(value: object, seed: int | None, *, insecure_reproducible: bool) -> tuple[Perturbation, ...]:
    """The perturbations that were passed.

    Raises:
        JobError: everything that is wrong with them.
    """
    raw = {"columns": said_of_columns(value)}
    if wrong := told(values_of(PERTURB, raw, ("perturb",))[1], keyword_at):
        raise raised(wrong)
    found, faults = perturbations_of({"perturb": raw}, keyword_at)
    if not faults and not found:
        faults = [UsageError("no column to perturb is given", hint='write {"income": "rounding:step=1000"}')]
    misfits = seed_misfits(found, seed, insecure_reproducible=insecure_reproducible)
    faults += [one.told(lambda place: f"{place[-1].replace('-', '_')}=…") for one in misfits]
    if faults:
        raise raised(faults)
    return found


def threads_of(threads: object, where: str) -> int:
    """How many threads an argument asks for: not more than are of use.

    >>> threads_of(2, "anonymize"), threads_of(10**9, "anonymize") < 10**9
    (2, True)
    """
    if type(threads) is not int or threads < 1:
        raise CallError("threads is not a positive integer", where=where, hint="write threads=2, or leave it out")
    return min(threads, MOST_THREADS)
