"""The job of a certificate, made again: kohort has to accept it, and to describe it in the same words.

A certificate holds the tables of a job file. What they lack has a stand-in: paths, the key and the seed, the names of
items, and hierarchies, of which there is the digest. Models, methods and perturbations of packages that are not
installed are not judged. No exponent is read, for its digits would fill the memory.
"""

from __future__ import annotations

import json
import re
import warnings
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

from kohort.algorithms.method import METHODS
from kohort.assessment.risk.singling import refuse_needless
from kohort.certificate import form_9
from kohort.certificate.form import FORM
from kohort.certificate.table import Asked, Described
from kohort.errors import InputError, JobError, KohortError, SourceNote, UsageError
from kohort.job.form import COLUMN, METHOD, PRIVACY
from kohort.job.models import models_of
from kohort.job.parts import table
from kohort.job.request import request
from kohort.job.written import description, usual_target
from kohort.models.base import models
from kohort.perturbation.pseudonyms import SIZE, Key
from kohort.perturbation.text import METHODS as PERTURBATIONS
from kohort.release import plain
from kohort.schema.hierarchies import is_builder

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from kohort.certificate.table import Certificate
    from kohort.job.keys import KeyTable
    from kohort.job.lines import Place
    from kohort.release import Job

#: Tables of a job, as JSON has them.
Tables = dict[str, Any]

#: Stands for a hierarchy of which there is only the digest, for a model where none is known, and for a method.
_HIERARCHY: Final = "mask:right"
_MODEL: Final = {"k": 2}
_METHOD: Final = {"name": "mondrian", "grid": "none"}

_sha256: Final = re.compile("[0-9a-f]{64}").fullmatch
_exact: Final = re.compile(r"-?[0-9]{1,1000}(?:[./][0-9]{1,1000})?").fullmatch


def table_job(known: Certificate) -> Described:
    """The job on a table that a certificate holds, if kohort would accept it and describe it so.

    Raises:
        InputError: kohort would not.
    """
    with refusing():
        told, older = cast("Tables", deepcopy(known.job)), known.form < FORM
        columns = {one["name"]: one for one in told["schema"]["attributes"]} if older else told["columns"]
        digests = {name: digest for name, one in columns.items() if (digest := _take_digest(one))}
        tables = form_9.tables(told) if older else told
        unknown = [*_take_models(tables)]
        lacking = bool(unknown) and not _asks(tables)
        tables["privacy"] |= _MODEL if lacking else {}
        name = _text(tables["method"]["name"])
        perturbed, has_method = tuple(_take_perturbations(tables)), _has_method(tables)
        job = _job(tables)
        if older:
            both = (as_told(job), told)
            refuse_other_words(*(form_9.judged(one, models_known=not lacking, method_known=has_method) for one in both))
        else:
            refuse_other_words(description(job) | ({} if has_method else {"method": tables["method"]}), tables)
        _refuse_misfits(job)
        asked = *map(Asked.of, () if lacking else job.models), *unknown
        algorithm = job.algorithm if has_method else None
        return Described(job, asked, algorithm, algorithm.name if algorithm else name, perturbed, digests)


@contextmanager
def refusing() -> Generator[None]:
    """Any fault in what follows is one of the certificate, whose job kohort would not accept."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SourceNote)  # nobody can change what the certificate says
            yield
    except (ArithmeticError, AttributeError, KohortError, LookupError, RecursionError, TypeError, ValueError) as fault:
        first = fault.faults[0] if isinstance(fault, JobError) else fault
        why = f": {first.what} ({first.where})" if isinstance(first, KohortError) and first.where else ""
        what = f"kohort would not accept the job in the certificate{why}"
        hint = "the certificate was changed, or another version of kohort wrote it: check it with that one"
        raise InputError(what, hint=hint) from fault


def as_told(job: object) -> Tables:
    """A job as a certificate of form 9 tells it."""
    return cast("Tables", plain(job))


def dotted(place: Place) -> str:
    """A place in a job, with points."""
    return ".".join(map(str, place))


def refuse_other_words(again: object, told: object) -> None:
    """Refuse a description of a job that is not the one that kohort gives again."""
    if json.dumps(again, sort_keys=True) != json.dumps(told, sort_keys=True):
        raise UsageError("the description of the job is not one of kohort's")


def _take_digest(column: Tables) -> Tables:
    """The digest of a column's hierarchy, for which a builder then stands; a text must be that of a builder."""
    told = column.get("hierarchy")
    if isinstance(told, str) and not is_builder(told):
        raise UsageError("a hierarchy is the path of a file", where="job")
    if not isinstance(told, dict):
        return {}
    digest = cast("Tables", told)
    changes: list[object] = digest.get("changes", [""])
    numbers = all(type(digest[name]) is int for name in ("height", "leaves"))
    texts = type(changes) is list and bool(changes) and all(isinstance(one, str) for one in changes)
    keys = digest.keys() - {"changes"} == {"height", "leaves", "sha256"}
    if not (numbers and texts and keys and _sha256(digest["sha256"])):
        raise UsageError("the digest of a hierarchy is not valid")
    column["hierarchy"] = _HIERARCHY
    return digest


# ── what is not installed ────────────────────────────────────────────────────────────────────────


def _take_models(tables: Tables) -> Iterator[Asked]:
    """The models that this version does not know, by keys that the form lacks; they are taken out."""
    resolved: Tables = tables["resolved"]
    apart, known = resolved.get("models", []), list[Tables]()
    for one in (tables, *apart):
        found = [*_further(table(one, "privacy"), PRIVACY, None)]
        for name, column in cast("dict[str, Tables]", table(one, "columns")).items():
            if one is not tables or column["role"] == "sensitive":
                found += _further(column, COLUMN, name)
        known += [] if found or one is tables else [one]
        yield from found
    if apart:
        resolved["models"] = known
    if apart and not known:
        del resolved["models"]


def _asks(tables: Tables) -> bool:
    """Whether a model is asked for, by whatever it says."""
    held = [table(tables, "privacy"), *table(tables, "columns").values()]
    return "models" in tables["resolved"] or any(models().keys() & cast("Tables", one).keys() for one in held)


def _further(held: Tables, form: KeyTable, column: str | None) -> Iterator[Asked]:
    for key in [*held.keys() - {*form.names}]:
        del held[key]
        if key in models():
            raise UsageError("a model is in the wrong place", where=key)
        yield Asked(key, column, None)


def _take_perturbations(tables: Tables) -> Iterator[str]:
    """The perturbed columns; perturbations that this version does not know are taken out."""
    columns: dict[str, Any] = table(table(tables, "perturb"), "columns")
    for name, one in columns.items():
        yield from (name, *one.get("together", ()))
    unknown = [name for name, one in columns.items() if _text(one["method"]) not in PERTURBATIONS]
    for name in unknown:
        del columns[name]
    if unknown and not columns:
        del tables["perturb"]


def _has_method(tables: Tables) -> bool:
    """Whether this version knows the method; if not, another stands for it."""
    method: Tables = tables["method"]
    if method["name"] in METHODS and method.keys() <= {*METHOD.names}:
        return True
    tables["method"] = _METHOD | {key: one for key, one in method.items() if key == "labels"}
    tables["privacy"].pop("max-suppression", None)
    for column in tables["columns"].values() if "kept" not in tables else ():  # form 9 tells it of any method
        column.pop("max-level", None)
    return False


# ── the job itself ───────────────────────────────────────────────────────────────────────────────


def _job(tables: Tables) -> Job:
    resolved, kept = tables["resolved"], tables.get("kept", {})
    columns = {name: {**tables["columns"][name]} for name in resolved["columns"]}
    aside = {name: _take_aside(one) for name, one in columns.items()}
    raw = {key: one for key, one in tables.items() if key not in {"resolved", "kept", "limits"}} | {"columns": columns}
    raw["input"] = raw["input"] | {"path": "-", "key-file": None}
    target = usual_target(of_parts="records-per-part" in raw["output"])
    raw["output"] = raw["output"] | {"path": target, "sign-key": None, "excel-safe": False}
    raw |= {"population": {"path": "-"}} if "population" in raw else {}
    if "insecure-reproducible" in table(raw, "perturb"):
        raw["perturb"] = raw["perturb"] | {"seed": 0}
    bare = not models_of(raw)
    raw["privacy"] = raw["privacy"] | (_MODEL if bare else {})
    made = request(raw, where=dotted).job
    schema = made.schema.changed(replace(one, **aside[one.name]) for one in made.schema.attributes)
    apart = [[*models_of(one).values()][-1] for one in resolved.get("models", ())]
    return replace(
        made,
        schema=replace(schema, undeclared=tuple(resolved.get("undeclared", ()))),
        models=(*(() if bare and "models" in resolved else made.models), *apart),
        reading=replace(made.reading, **tables.get("limits", {})),
        writing=replace(made.writing, excel_safe=_boolean(tables["output"].get("excel-safe", False))),
        key=Key(bytes(SIZE)) if schema.pseudonyms else None,
        unused_hierarchies=tuple(resolved.get("unused-hierarchies", ())) or None,
        **({} if "time-limit" in tables["method"] else {"time_limit": None}) | kept,
    )


def _take_aside(column: Tables) -> Tables:
    """What is put in once the job is made: pseudonyms need a key, and no job file says all the others."""
    names = {"pseudonym": "pseudonym", "weight": "weight", "bounds": "bounds", "max-level": "max_level"}
    found = {name: column.pop(key) for key, name in names.items() if key in column}
    _boolean(found.get("pseudonym", False))
    numbers: list[object] = [found.get("weight", "1"), *found.get("bounds", ())]
    if not all(isinstance(one, str) and _exact(one) for one in numbers):
        raise TypeError(numbers)
    return found


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError(value)
    return value


def _refuse_misfits(job: Job) -> None:
    """Refuse a job that its own schema, which is the table's, does not go with."""
    schema = job.schema
    refuse_needless(schema, job.allow_singling)
    free = {one.name for one in schema.sensitive} - {model.declared.sensitive for model in job.models}
    named = [*schema.undeclared, *(job.unused_hierarchies or ()), *(() if job.complete == "all" else job.complete)]
    named += [name for one in job.perturbations for name in one.columns]
    named += [] if schema.person is None else [schema.person]
    faults = {
        "no column is quasi-identifying": not schema.quasi,
        "a role is given to the rest, of which there is none": schema.rest is not None,
        "a column does not exist": not {one.name for one in schema.attributes}.issuperset(named),
        "a column is undeclared twice": len({*schema.undeclared}) < len(schema.undeclared),
        "a column needs no permission to go without a model": bool({*job.no_model} - free),
    }
    for what in (what for what, wrong in faults.items() if wrong):
        raise UsageError(what, where="job")
