"""From a job on a table to its tables and to TOML: the inverse of `kohort.job.request`."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from kohort.algorithms.method import METHODS, choices_of, on_nodes
from kohort.errors import UsageError
from kohort.io.hierarchies import write_csv
from kohort.job.codec import STAND_IN, plain
from kohort.job.columns import has_companions
from kohort.job.form import COLUMN, INPUT, OUTPUT
from kohort.models.k_anonymity import KEY
from kohort.perturbation.text import parameters_of
from kohort.publish import check_target, publish
from kohort.release import plain as as_json
from kohort.schema import Attribute, Label
from kohort.schema.hierarchy import Hierarchy

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from kohort.algorithms.problem import Algorithm
    from kohort.job.keys import KeyTable
    from kohort.models.base import PrivacyModel
    from kohort.release import Job

#: The table, where no name is given.
SOURCE: Final = "input.csv"

#: What each key of a column is where it says nothing; most are names of the form.
_SILENT: Final = Attribute("", cast("Any", "insensitive"))


def usual_target(*, of_parts: bool) -> str:
    """The release, where no name is given: only a folder has parts."""
    return "release/" if of_parts else "release.csv"


def to_toml(
    job: Job,
    path: str | os.PathLike[str] | None = None,
    *,
    source: str = SOURCE,
    target: str | None = None,
    key_file: str | None = None,
    population: str | None = None,
    overwrite: bool = False,
) -> str:
    """The text of a job file, also written to `path` where one is given; see `Job.to_toml`."""
    if job.key is not None and key_file is None:
        hint = 'name its file: job.to_toml(key_file="key.json")'
        raise UsageError("the job has a key, which no job file may contain", where="to_toml", hint=hint)
    raw, hierarchies = tables_of(job)
    raw["input"] |= {"path": source} | ({} if job.key is None else {"key-file": key_file})
    raw["output"] |= {"path": target} if target else {}
    raw |= {"population": {"path": population}} if population and "population" in raw else {}
    if path is not None:
        return _saved(raw, hierarchies, Path(path), overwrite=overwrite)
    if hierarchies:
        what = f"the hierarchies of {', '.join(hierarchies)} are objects, and a job file names files"
        raise UsageError(what, where="to_toml", hint='write both: job.to_toml("job.toml")')
    return _toml(raw)


def _toml(raw: Mapping[str, Any]) -> str:
    from tomlkit import dumps  # noqa: PLC0415  a certificate holds tables of a job, and no TOML

    return dumps(raw)


def _saved(raw: dict[str, Any], hierarchies: dict[str, Hierarchy], path: Path, *, overwrite: bool) -> str:
    files = {name: f"{path.stem}.hierarchy-{place}.csv" for place, name in enumerate(hierarchies, 1)}
    for file in (path, *(path.parent / one for one in files.values())):
        check_target(file, overwrite=overwrite, inputs=())
    for name, beside in files.items():
        write_csv(hierarchies[name], path.parent / beside, overwrite=overwrite)
        raw["columns"][name]["hierarchy"] = beside
    text = _toml(raw)
    publish(path, lambda file: file.write(text.encode()), lambda _: None, overwrite=overwrite, inputs=())
    return text


def tables_of(job: Job) -> tuple[dict[str, Any], dict[str, Hierarchy]]:
    """The tables of a job file, and the hierarchies that stand in none: another stands for each.

    Raises:
        UsageError: no job file can say this job: it has a seed, a method of no name, or models that no key asks for.
    """
    if job.seed is not None:
        what = "a seed is never written to a file: anyone who knows the seed can remove the noise"
        raise UsageError(what, where="to_toml", hint="leave the seed out, or add it to the file by hand")
    models, others = _split(job)
    if others:
        what = f"no key of a job file asks for {', '.join(one.name for one in others)} beside the other models"
        raise UsageError(what, where="to_toml", hint="ask for each model once, and for one k")
    return _tables(job, models, _method(job))


def description(job: Job) -> dict[str, Any]:
    """What a certificate holds of a job: its tables without secrets and paths, each hierarchy by its digest.

    The table `resolved` is what these lack: the columns of the input in their order, those of them that the job does
    not name, those whose hierarchy has no effect, and models that no key can ask for beside the others.
    """
    try:
        method = _method(job)
    except UsageError:  # no method makes it: its fields tell it, and one of another package has the name of its class
        told = {name: one for name, one in cast("dict[str, object]", as_json(job.algorithm)).items() if name != "limit"}
        kind = told.pop("kind")
        method = told | {"name": job.algorithm.name if job.algorithm.name in METHODS else kind}
    models, others = _split(job)
    raw, hierarchies = _tables(job, models, method)
    for name, hierarchy in hierarchies.items():
        raw["columns"][name]["hierarchy"] = as_json(hierarchy)
    for end in {"input", "output", "population"} & raw.keys():
        del raw[end]["path"]
    raw["output"].pop("sign-key", None)
    resolved = {
        "undeclared": [*job.schema.undeclared],
        "unused-hierarchies": [*(job.unused_hierarchies or ())],
        "models": [_apart(one) for one in others],
    }
    columns = [one.name for one in job.schema.attributes]
    return raw | {"resolved": {"columns": columns} | {key: value for key, value in resolved.items() if value}}


def described(job: Job) -> str:
    """The canonical text of what a certificate holds of a job; see `Job.described`."""
    return json.dumps(description(job), sort_keys=True, ensure_ascii=False)


def keys_of(part: Any) -> dict[str, object]:  # noqa: ANN401  an algorithm or a purpose
    """The fields that say something, as keys."""
    return {} if part is None else given({one.name.replace("_", "-"): getattr(part, one.name) for one in fields(part)})


def given(table: dict[str, Any]) -> dict[str, object]:
    """The keys of a table that say something."""
    return {key: plain(value) for key, value in table.items() if value is not None and value is not False}


def _tables(
    job: Job, models: list[PrivacyModel], method: dict[str, object]
) -> tuple[dict[str, Any], dict[str, Hierarchy]]:
    schema = job.schema
    hierarchies = {one.name: one.hierarchy for one in schema.attributes if isinstance(one.hierarchy, Hierarchy)}
    free = {one.name: one.label for one in schema.quasi if not on_nodes(job.algorithm) and has_companions(one)}
    own = None in free.values()
    usual = {name for name, label in free.items() if label is Label.COMPANIONS and not own}
    plainly = (replace(one, label=None) if one.name in usual else one for one in schema.attributes)
    raw: dict[str, Any] = {"input": _input(job)}
    target = usual_target(of_parts=job.writing.records_per_part is not None)
    raw["output"] = _filled(OUTPUT, job.writing) | {"path": target}
    raw["privacy"] = _models(models, None)
    if job.algorithm.limit is not None:
        raw["privacy"]["max-suppression"] = str(job.algorithm.limit)
    if schema.person is not None:
        raw["person"] = {"key": schema.person}
    if any(model.declared.population for model in models):
        raw["population"] = {"path": "population.csv"}
    raw["method"] = method | ({"labels": "own"} if own else {})
    raw |= {} if schema.rest is None else {"rest": schema.rest.value}
    raw |= {"answers": [*job.answers]} if job.answers else {}
    raw["columns"] = {one.name: _column(one, job) | _models(models, one.name) for one in plainly}
    if job.perturbations:
        raw["perturb"] = {"columns": {one.columns[0]: plain(parameters_of(one)) for one in job.perturbations}}
        raw["perturb"] |= {"insecure-reproducible": True} if job.insecure_reproducible else {}
    return raw | given({"purpose": keys_of(job.purpose) or None}), hierarchies


def _input(job: Job) -> dict[str, object]:
    made = {"path": SOURCE} | _filled(INPUT, job.reading)
    made |= {"quote": ""} if job.reading.quote is None else {}
    missing = sorted(job.schema.missing - {""})
    made |= {"missing": ["", *missing]} if missing else {}
    made |= {"complete-records": plain(job.complete)} if job.complete else {}
    return made


def _filled(form: KeyTable, said: object) -> dict[str, object]:
    """The keys of a form whose attributes of the same name say something else than nothing."""
    made: dict[str, object] = {}
    for key in form.keys:
        value = getattr(said, key.attribute, key.usual)
        if value is not None and plain(value) != plain(key.usual):
            made[key.place[-1]] = plain(value)
    return made


def _method(job: Job) -> dict[str, object]:
    name, choices = choices_of(job.algorithm)
    on_node = choices.node is not None
    columns = _names_of_node(job.algorithm) or tuple(one.name for one in job.schema.quasi)
    timed = job.time_limit if METHODS[name].takes("time_limit") and not on_node else None
    told: dict[str, object] = {
        "name": name,
        "cut": choices.cut,
        "dimension": None if choices.dimension is None else str(choices.dimension),
        "objective": choices.objective,
        "node": dict(zip(columns, choices.node, strict=True)) if choices.node is not None else None,
        "grid": "none",
        "time-limit": timed if timed is None or timed % 1 else str(int(timed)),
        "local": choices.local,
    }
    return {key: value for key, value in told.items() if value is not None}


def _names_of_node(algorithm: Algorithm) -> tuple[str, ...]:
    """The columns that the levels of a given node are of; empty where they are those of the schema."""
    return getattr(getattr(algorithm, "search", algorithm), "names", ())


def _column(attribute: Attribute, job: Job) -> dict[str, object]:
    made: dict[str, object] = {"role": attribute.role.value}
    for key in COLUMN.keys:
        name = key.attribute
        value = getattr(attribute, name, None)
        if name != "role" and value is not None and value != getattr(_SILENT, name):
            made[key.place[-1]] = STAND_IN if isinstance(value, Hierarchy) else plain(value)
    if on_nodes(job.algorithm):
        made.pop("label", None)  # such a method releases nodes of hierarchies, and nothing else can be asked for
    else:
        made.pop("max-level", None)  # of which other methods make nothing
    made |= {"allow-singling": True} if attribute.name in job.allow_singling else {}
    made |= {"no-model": True} if attribute.name in job.no_model else {}
    return made


def _split(job: Job) -> tuple[list[PrivacyModel], list[PrivacyModel]]:
    """The models that keys of a job file ask for, and the others: a second one at a key, or one of another k."""
    ks = [getattr(one, KEY) for one in job.models if one.specification.key == KEY]
    found: dict[tuple[str | None, str], PrivacyModel] = {}
    others: list[PrivacyModel] = []
    for model in job.models:
        place = model.declared.sensitive, model.specification.key
        if place in found or [*_of_job(model).values()] not in ([], ks[:1]):
            others.append(model)
        else:
            found[place] = model
    return [*found.values()], others


def _models(models: Iterable[PrivacyModel], column: str | None) -> dict[str, object]:
    found: dict[str, object] = {}
    for model in models:
        if model.declared.sensitive == column:
            found |= _asked(model)
    return found


def _apart(model: PrivacyModel) -> dict[str, object]:
    """The tables of a job file that ask for this model alone."""
    column, table, of_job = model.declared.sensitive, _asked(model), _of_job(model)
    if column is None:
        return {"privacy": table | of_job}
    return {"columns": {column: table}, **({"privacy": of_job} if of_job else {})}


def _of_job(model: PrivacyModel) -> dict[str, object]:
    """The parameters of a model that stand at a key of the whole job."""
    return {one.name: getattr(model, one.name) for one in model.specification.parameters if one.origin == "job"}


def _asked(model: PrivacyModel) -> dict[str, object]:
    told = model.specification
    values = {one.name: plain(getattr(model, one.name)) for one in told.parameters}
    own = {one.name: values[one.name] for one in told.own}
    key: object = [*own.values()] if told.is_range else own if len(own) != 1 else next(iter(own.values()))
    beside = {one.name: values[one.name] for one in told.parameters if one.origin == "beside"}
    return {told.key: key} | {name: value for name, value in beside.items() if value is not None}
