"""The job of a certificate, made again: kohort has to accept it, and to describe it in the same words.

A description is read by the annotations of the fields that it was made from. What it leaves out has a stand-in: the
key and the seed, the names of items, and hierarchies, of which it has the digest. Models and methods of packages that
are not installed are not judged. No exponent is read, and no more than a thousand digits: either would fill the memory.
"""

from __future__ import annotations

import json
import re
from contextlib import contextmanager, suppress
from dataclasses import fields
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, cast

from kohort.algorithms.lattice.given import GivenNode
from kohort.algorithms.lattice.local import LocalRecoding
from kohort.algorithms.method import METHODS, Choices
from kohort.algorithms.mondrian.dimension import AtRandom, MostValues
from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.assessment.risk.singling import refuse_needless
from kohort.certificate.table import Asked, Described
from kohort.core.suppression import SuppressionLimit
from kohort.errors import InputError, KohortError, UsageError
from kohort.io.baskets.options import BasketOptions, Form
from kohort.io.forms import Format
from kohort.io.options import ReadOptions
from kohort.metrics.known import metric_of
from kohort.models.base import build, models
from kohort.models.k_anonymity import KAnonymity
from kohort.perturbation.pseudonyms import SIZE, Key
from kohort.perturbation.text import METHODS as PERTURBATIONS
from kohort.release.job import SECRET, Job, Purpose, Writing, plain
from kohort.release.transactions import BasketWriting, TransactionJob
from kohort.schema import Attribute, Label, Missing, Order, Role, Scale, Schema
from kohort.schema.dates import DateFormat, Period
from kohort.schema.hierarchies import is_builder
from kohort.schema.numbers import LARGEST
from kohort.transactions.coherence import Coherence
from kohort.transactions.methods import METHODS as SUPPRESSIONS
from kohort.transactions.roles import Draw, Drawn, Listed
from kohort.transactions.suppression import Score

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping

    from kohort.certificate.table import Part
    from kohort.models.base import PrivacyModel

#: Stands for a hierarchy of which there is only the digest.
_HIERARCHY: Final = "mask:right"
_sha256: Final = re.compile("[0-9a-f]{64}").fullmatch
_exact: Final = re.compile(r"-?[0-9]{1,1000}(?:/[0-9]{1,1000})?").fullmatch


class _Grid(StrEnum):
    """The grids that are a word, besides the periods of the calendar."""

    HIERARCHY = "hierarchy"
    ROUND = "round"


class _All(StrEnum):
    """The word for all columns."""

    ALL = "all"


#: What the annotation of a field says in fewer letters.
_ALIASES: Final = {
    "Complete": "tuple[str, ...] | _All",
    "Cut": "str",
    "Distance": "str",
    "Grid": "Fraction | tuple[Fraction, ...] | Period | _Grid",
    "Node": "tuple[int, ...]",
    "frozenset[str]": "tuple[str, ...]",
}

#: The classes of JSON's own values, and the words that a text can be.
_PLAIN: Final = {"str": (str,), "int": (int,), "bool": (bool,), "float": (int, float), "None": (type(None),)}
_WORDS: Final[Mapping[str, type[StrEnum]]] = {
    one.__name__: one
    for one in (_All, _Grid, DateFormat, Draw, Form, Format, Label, Missing, Order, Period, Role, Scale, Score)
}


def _named(kinds: Iterable[type]) -> dict[str, type]:
    return {one.__name__: one for one in kinds}


def _methods() -> dict[str, type]:
    return _named([type(method(Choices())) for method in METHODS.values()] + [GivenNode, LocalRecoding])


def _kinds(annotation: str) -> Mapping[str, type]:
    match annotation:
        case "PrivacyModel":
            return _named(models().values())
        case "Algorithm":
            return _methods()
        case "Perturbation":
            return _named(PERTURBATIONS.values())
        case "SuppressionAlgorithm":
            return _named(map(type, SUPPRESSIONS.values()))
        case "RoleChoice":
            return _named((Listed, Drawn))
        case _:
            return {annotation: _OBJECTS[annotation]}


_OBJECTS: Final = _named(
    [
        *(Attribute, AtRandom, BasketOptions, BasketWriting, Coherence, Job, MostValues, Purpose, ReadOptions, Schema),
        *(SuppressionLimit, TransactionJob, Writing),
    ]
)


def table_job(description: Part) -> Described:
    """The job on a table that is described, if kohort would accept it and describe it so.

    Raises:
        InputError: kohort would not.
    """
    with _refusing():
        schema = cast("Part", description["schema"])
        attributes = [cast("Part", one) for one in _list(schema["attributes"])]
        models = tuple(_asked(cast("Part", one)) for one in _list(description["models"]))
        algorithm = text_of(cast("Part", description["algorithm"])["kind"])
        changes = [cast("Part", one) for one in _list(description["perturbations"])]
        judged = [part for part, one in zip(_list(description["models"]), models, strict=True) if _known(one.kind)]
        told: dict[str, object] = {
            **description,
            "schema": {**schema, "attributes": [*map(_bare, attributes)]},
            "models": judged or [plain(KAnonymity(2))] * len(models),
            "perturbations": [one for one in changes if text_of(one["kind"]) in _kinds("Perturbation")],
        }
        if algorithm not in _kinds("Algorithm"):
            told["algorithm"] = plain(Mondrian())
        key = Key(bytes(SIZE)) if any(one.get("pseudonym") is True for one in attributes) else None
        seed = 0 if told["insecure_reproducible"] else None
        job = cast("Job", _made(told, "Job", key=key, seed=seed))
        _refuse_misfits(job)
        _refuse_other_words(job, told)
        digests = {text_of(one["name"]): cast("Part", one["hierarchy"]) for one in attributes if _has_digest(one)}
        return Described(job, models, algorithm, tuple(name for one in changes for name in _perturbed(one)), digests)


def refuse_transaction_job(description: Part) -> None:
    """Refuse the description of a job on transactions that kohort would not accept, or would not describe so."""
    with _refusing():
        told: dict[str, object] = {**description, "reading": plain(BasketOptions()), "weights": list[object]()}
        counts, roles = [description["weights"]], cast("Part", description["roles"])
        if roles["kind"] == Listed.__name__:
            counts += [roles["private"]] if roles["public"] is None else [roles["private"], roles["public"]]
            told["roles"] = {**roles, "private": list[object](), "public": list[object]()}
        if any(type(count) is not int or count < 0 for count in counts):
            raise UsageError("a number of items is no count")
        _refuse_other_words(_made(told, "TransactionJob"), told)


@contextmanager
def _refusing() -> Generator[None]:
    try:
        yield
    except (ArithmeticError, AttributeError, KohortError, LookupError, RecursionError, TypeError, ValueError) as fault:
        why = f": {fault.what} ({fault.where})" if isinstance(fault, KohortError) and fault.where else ""
        what = f"kohort would not accept the job in the certificate{why}"
        hint = "the certificate was changed, or another version of kohort wrote it: check it with that one"
        raise InputError(what, hint=hint) from fault


def _refuse_other_words(job: object, told: Part) -> None:
    if json.dumps(plain(job), sort_keys=True) != json.dumps(told, sort_keys=True):
        raise UsageError("the job is described in other words than those of kohort")


def _has_digest(attribute: Part) -> bool:
    return isinstance(attribute.get("hierarchy"), dict)


def _perturbed(part: Part) -> tuple[str, ...]:
    return tuple(map(text_of, [part["column"]] if "column" in part else _list(part.get("columns"))))


def _bare(attribute: Part) -> Part:
    if not _has_digest(attribute):
        return attribute
    told = cast("dict[str, object]", attribute["hierarchy"])
    kinds = {"height": "int", "leaves": "int", "sha256": "str"} | (
        {"changes": "tuple[str, ...]"} if "changes" in told else {}
    )
    if told.keys() != kinds.keys() or not _sha256(str(told["sha256"])) or told.get("changes") == []:
        raise UsageError("a hierarchy is no digest of one")
    for name, kind in kinds.items():
        _value(told[name], kind)
    return {**attribute, "hierarchy": _HIERARCHY}


# ── what a part of a description is ──────────────────────────────────────────────────────────────


def _made(part: object, annotation: str, **secret: object) -> object:
    told = cast("Part", part)
    kind = _kinds(annotation)[str(told["kind"])]
    if annotation == "PrivacyModel":  # those of other packages, too: by their parameters
        return _asked(told).model
    given = [one for one in fields(cast("Any", kind)) if one.init and one.metadata != SECRET]
    return kind(**{one.name: _value(told.get(one.name), str(one.type)) for one in given}, **secret)


def _value(part: object, annotation: str) -> object:
    """What a part is for a field with this annotation, whose kinds are tried in turn."""
    kind, _, others = _ALIASES.get(annotation, annotation).partition(" | ")
    if others:
        try:
            return _value(part, kind)
        except (KohortError, LookupError, TypeError, ValueError):
            return _value(part, others)
    if kind.startswith("tuple["):
        return _several(part, kind.removeprefix("tuple[").removesuffix("]"))
    if kind in _PLAIN and type(part) in _PLAIN[kind]:
        return part
    if kind == "Fraction" or kind in _WORDS:
        return exact(text_of(part)) if kind == "Fraction" else _WORDS[kind](text_of(part))
    if not isinstance(part, dict):
        raise TypeError(annotation)
    return _made(cast("Part", part), kind)


def _several(part: object, inside: str) -> tuple[object, ...]:
    if not isinstance(part, list):
        raise TypeError(inside)
    parts = cast("list[object]", part)
    each, more, _ = inside.partition(", ...")
    kinds = [each] * len(parts) if more else inside.split(", ")
    return tuple(_value(one, kind) for one, kind in zip(parts, kinds, strict=True))


def exact(text: str) -> Fraction:
    """The number that a description writes in digits, or as a fraction of two such numbers.

    Raises:
        ValueError: it is none.
        ZeroDivisionError: it is a fraction of 0.

    >>> exact("-2/5")
    Fraction(-2, 5)
    """
    if _exact(text) is None:
        raise ValueError(text)
    return Fraction(text)


def text_of(value: object) -> str:
    """A part of a description that is a text."""
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError(value)
    return cast("list[object]", value)


# ── privacy models ───────────────────────────────────────────────────────────────────────────────


def _known(kind: str) -> type[PrivacyModel] | None:
    return next((one for one in models().values() if one.__name__ == kind), None)


def _asked(part: Part) -> Asked:
    kind, sensitive = text_of(part["kind"]), part.get("sensitive")
    column = None if sensitive is None else text_of(sensitive)
    known, model = _known(kind), None
    if known is not None:
        kinds = {one.name: one.kind for one in known.specification.parameters}
        given = {name: value for name, value in part.items() if name not in {"kind", "sensitive"}}
        with suppress(ArithmeticError, AttributeError, KohortError, LookupError, TypeError, ValueError):
            model = build(known, column, {name: _parameter(value, kinds[name]) for name, value in given.items()})
    return Asked(kind, column if model is None else model.declared.sensitive, model)


def _parameter(value: object, kind: str) -> object:
    if type(value) is not (int if kind == "integer" else str):
        raise TypeError(kind)
    if isinstance(value, int) and value >= LARGEST:
        raise ValueError(kind)
    return exact(str(value)) if kind == "number" else value


# ── what is refused once the table is known ──────────────────────────────────────────────────────


def _refuse_misfits(job: Job) -> None:
    """Refuse a job that its own schema, which is the table's, or the method does not go with."""
    schema = job.schema
    ReadOptions(separator=job.writing.separator)  # which refuses what is none
    refuse_needless(schema, job.allow_singling)
    modelled = {model.declared.sensitive for model in job.models}
    free = {one.name for one in schema.sensitive} - modelled
    columns = {one.name for one in schema.attributes}
    named = [*schema.undeclared, *(job.unused_hierarchies or ()), *(() if job.complete == "all" else job.complete)]
    named += [name for one in job.perturbations for name in one.columns]
    named += [] if schema.person is None else [schema.person]
    builders = [one.hierarchy for one in schema.attributes if isinstance(one.hierarchy, str)]
    faults = {
        "no column is quasi-identifying": not schema.quasi,
        "a role is given to the rest, of which there is none": schema.rest is not None,
        "a column is named that there is not": not columns.issuperset(named),
        "a column is undeclared twice": len({*schema.undeclared}) < len(schema.undeclared),
        "a column needs no permission to go without a model": bool({*job.no_model} - free),
        "a hierarchy is the path of a file": not all(map(is_builder, builders)),
        "parts have no records": job.writing.records_per_part is not None and job.writing.records_per_part < 1,
    }
    for what in (what for what, wrong in faults.items() if wrong):
        raise UsageError(what, where="job")
    _refuse_method(job.algorithm, [one.name for one in schema.quasi])


def _refuse_method(algorithm: object, quasi: list[str]) -> None:
    if isinstance(algorithm, LocalRecoding):
        return _refuse_method(algorithm.search, quasi)
    objective = getattr(algorithm, "objective", None)
    if objective is not None:
        metric_of(objective)
    if isinstance(algorithm, GivenNode):
        names = [*(algorithm.names or quasi)]
        if len(algorithm.node) != len(quasi) or sorted(names) != sorted(quasi) or min(algorithm.node) < 0:
            raise UsageError("the node is of another lattice", where="node")
    return None
