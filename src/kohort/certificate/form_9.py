"""The job of a certificate in form 9, which told each value by the names of classes and fields, as the tables of a job.

What is carried over wrongly, or not at all, does no harm: the job that the tables make has to be told so again.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, cast

from kohort.algorithms.method import FIRST, METHODS, Choices, on_nodes
from kohort.core.suppression import SuppressionLimit
from kohort.models.base import models
from kohort.perturbation.text import METHODS as PERTURBATIONS
from kohort.schema.numbers import said

if TYPE_CHECKING:
    from collections.abc import Sequence

#: A part of a job, as JSON has it.
Part = dict[str, Any]

#: The methods by their classes, and those that a field of a class makes another.
_METHODS: Final = {
    "BestEffort": "best-effort",
    "Datafly": "datafly",
    "GivenNode": "optimal",
    "Mondrian": "mondrian",
    "Optimal": "optimal",
    "Ordered": "ordered",
    "Samarati": "samarati",
    "SuppressCells": "suppress-cells",
    "TopDown": "top-down",
}
_VARIANTS: Final = {"relaxed": "mondrian-relaxed", "proven": "suppress-cells-optimal"}
_DIMENSIONS: Final = {"Widest": "widest", "MostValues": "most-values"}

#: Fields that no table of a job file tells: of a job, of how its input is read, and of a method.
_KEPT: Final = ("allow_singling", "no_model")
_LIMITS: Final = ("max_cell", "max_memory", "max_ratio")
_OF_CLASS: Final = (*_VARIANTS, "finer", "limit", "names", "search")

_number: Final = re.compile(r"-?[0-9]{1,1000}(?:/[0-9]{1,1000})?").fullmatch


def tables(job: Part) -> Part:
    """The tables of a job on a table, as a certificate has them.

    `kept` are fields of the job and of `ReadOptions` that no table tells.
    """
    schema, reading, algorithm = job["schema"], job["reading"], job["algorithm"]
    if any(type(reading[name]) is not int for name in _LIMITS) or isinstance(job.get("time_limit"), bool):
        raise TypeError(reading)
    if not all(isinstance(one["name"], str) for one in schema["attributes"]):
        raise TypeError(schema)
    columns = {one["name"]: keys_of(one, "name") | _grid(one) for one in schema["attributes"]}
    input_ = {"quote": "", **keys_of(reading, *_LIMITS), "missing": schema["missing"]}
    limit = algorithm.get("search", algorithm).get("limit")
    share = limit and limit.get("share")
    number = limit and SuppressionLimit(limit.get("records"), share and exact(share))
    perturb = {"columns": dict(_perturbed(one) for one in job["perturbations"])}
    return {
        "input": input_ | ({"complete-records": job["complete"]} if job["complete"] else {}),
        "output": keys_of(job["writing"]),
        "privacy": {} if number is None else {"max-suppression": str(number)},
        "method": _method(algorithm, [name for name, one in columns.items() if one["role"] == "quasi"]),
        "answers": job.get("answers", []),
        "columns": columns,
        "perturb": perturb | ({"insecure-reproducible": True} if job["insecure_reproducible"] else {}),
        "purpose": keys_of(job.get("purpose", {})),
        "resolved": {
            "columns": [*columns],
            "undeclared": schema["undeclared"],
            "unused-hierarchies": job.get("unused_hierarchies", []),
            "models": [_model(one) for one in job["models"]],
        },
        "kept": {"time_limit": job.get("time_limit")} | {name: tuple(job[name]) for name in _KEPT},
        "limits": {name: reading[name] for name in _LIMITS},
        **({"person": {"key": schema["person"]}} if "person" in schema else {}),
    }


def judged(job: Part, *, models_known: bool, method_known: bool) -> Part:
    """What form 9 tells of a job, but for models, perturbations and a method that are not installed."""
    kinds = {one.__name__ for one in (*models().values(), *PERTURBATIONS.values())}
    quasi = [one["name"] for one in job["schema"]["attributes"] if one["role"] == "quasi"]
    found = job | {"algorithm": _named(job["algorithm"], quasi)}
    found |= {key: [one for one in job[key] if one["kind"] in kinds] for key in ("models", "perturbations")}
    return {
        key: one for key, one in found.items() if {"models": models_known, "algorithm": method_known}.get(key, True)
    }


def exact(text: str) -> Fraction:
    """The number that a certificate tells in digits, or as a fraction of two such numbers.

    Raises:
        ValueError: it is none.
        ZeroDivisionError: it is a fraction of 0.

    >>> exact("-2/5")
    Fraction(-2, 5)
    """
    if _number(text) is None:
        raise ValueError(text)
    return Fraction(text)


def keys_of(part: Part, *others: str) -> Part:
    """The fields of a part by the keys of a job file."""
    return {name.replace("_", "-"): value for name, value in part.items() if name not in {"kind", *others}}


def _kind(part: Part) -> str:
    if not isinstance(part["kind"], str):
        raise TypeError(part)
    return part["kind"]


def _grid(column: Part) -> Part:
    grid = column.get("grid")
    if isinstance(grid, list):
        return {"grid": [said(exact(one)) for one in cast("list[str]", grid)]}
    return {"grid": said(exact(grid))} if isinstance(grid, str) and _number(grid) else {}


def _method(algorithm: Part, quasi: Sequence[str]) -> Part:
    if algorithm["kind"] == "LocalRecoding":
        return _method(algorithm["search"], quasi) | {"local": True}
    kind, table = _kind(algorithm), keys_of(algorithm, *_OF_CLASS)
    name = next((other for field, other in _VARIANTS.items() if algorithm.get(field)), _METHODS.get(kind, kind))
    if kind not in _METHODS:
        return {"name": name, "labels": "own"}
    if kind == "GivenNode":
        table["node"] = _levels(algorithm, quasi)
    if METHODS[name].first:
        table = {"objective": FIRST} | table
    if "dimension" in algorithm:
        dimension: Part = algorithm["dimension"]
        table["dimension"] = _DIMENSIONS.get(dimension["kind"]) or f"random:{dimension['seed']}"
    free = {} if on_nodes(METHODS[name](Choices())) else {"labels": "own"}
    return {"name": name, "grid": "none", **free, **table}


def _named(algorithm: Part, quasi: Sequence[str]) -> Part:
    """An algorithm whose levels are named, if a node is given: their order makes no difference."""
    if "search" in algorithm:
        return algorithm | {"search": _named(algorithm["search"], quasi)}
    return algorithm | ({"node": _levels(algorithm, quasi), "names": None} if "node" in algorithm else {})


def _levels(algorithm: Part, quasi: Sequence[str]) -> Part:
    names, node = (cast("list[Any]", algorithm[name]) for name in ("names", "node"))
    if any(type(one) is not list for one in (names, node)):
        raise TypeError(names)
    return dict(zip(names or quasi, node, strict=True))


def _model(part: Part) -> Part:
    """The tables that ask for this model alone; one that is not known stands at the name of its class."""
    kind, column = _kind(part), part.get("sensitive")
    told = next((one.specification for one in models().values() if one.__name__ == kind), None)
    if told is None:
        table, of_job = Part({kind: True}), Part()
    else:
        own = {one.name: part[one.name] for one in told.own}
        table = {told.key: [*own.values()] if told.is_range else own if len(own) > 1 else next(iter(own.values()))}
        table |= {one.name: part.get(one.name) for one in told.parameters if one.origin == "beside"}
        of_job = {one.name: part[one.name] for one in told.parameters if one.origin == "job"}
    return {"privacy": table} if column is None else {"privacy": of_job, "columns": {column: table}}


def _perturbed(part: Part) -> tuple[str, Part]:
    """The first column of a perturbation, and the table that stands there."""
    names = part["columns"] if "columns" in part else [part["column"]]
    keys = {one.__name__: key for key, one in PERTURBATIONS.items()}
    table = {"method": keys.get(_kind(part), _kind(part)), "together": names[1:]}
    return names[0], table | {name: one for name, one in part.items() if name not in {"kind", "column", "columns"}}
