"""The JSON Schema of a job: it describes what is really accepted."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any, cast

import pytest

from kohort.algorithms.method import FIRST, METHODS
from kohort.errors import JobError
from kohort.job.form import METHOD, TABLE_JOB
from kohort.job.parts import json_schema
from kohort.metrics.known import OBJECTIVES
from kohort.samples.demo import JOB
from tests.job_sides import table_request as parse
from tests.unit.job.test_altered import ALTERED, SIGNED
from tests.unit.job.test_job import FULL, HEAD, ON_LEVELS
from tests.unit.job.test_models import EVERY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

SCHEMA = json_schema(TABLE_JOB)

#: Jobs that use every key between them.
WHOLE = FULL + ON_LEVELS + EVERY + ALTERED + SIGNED

#: What says nothing about validity, or is looked at first.
NOTES = {"title", "description", "default", "$defs", "type", "additionalProperties"}

TYPES = {
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": int | float,
    "array": list,
    "object": dict,
    "null": type(None),
}


#: The keywords that look at a value of a fitting type alone; the last argument holds what `$ref` refers to.
RULES: dict[str, Callable[[Any, Any, Any], bool]] = {
    "anyOf": lambda value, rule, whole: any(valid(value, one, whole) for one in rule),
    "const": lambda value, rule, _: bool(value == rule),
    "enum": lambda value, rule, _: value in rule,
    "items": lambda value, rule, whole: all(valid(one, rule, whole) for one in value),
    "exclusiveMinimum": lambda value, rule, _: bool(value > rule),
    "maximum": lambda value, rule, _: bool(value <= rule),
    "maxItems": lambda value, rule, _: len(value) <= rule,
    "minItems": lambda value, rule, _: len(value) >= rule,
    "minimum": lambda value, rule, _: bool(value >= rule),
    "pattern": lambda value, rule, _: re.search(rule, value) is not None,
    "properties": lambda value, rule, whole: all(
        valid(value[name], rule[name], whole) for name in value if name in rule
    ),
    "required": lambda value, rule, _: set(rule) <= set(value),
    "$ref": lambda value, rule, whole: valid(value, whole["$defs"][rule.rpartition("/")[2]], whole),
}


def valid(value: Any, schema: Mapping[str, Any], whole: Mapping[str, Any]) -> bool:  # noqa: ANN401  JSON
    """Whether a JSON value meets a schema, by the keywords that a job's schema uses; others are an error."""
    kind = schema.get("type")
    if kind is not None and (type(value) is bool) != (kind == "boolean"):
        return False
    if kind is not None and not isinstance(value, TYPES[kind]):
        return False
    more = schema.get("additionalProperties", {})
    others: set[str] = set(value) - set(schema.get("properties", ())) if kind == "object" else set()
    if others and (more is False or not all(valid(value[name], more, whole) for name in others)):
        return False
    rules = {key: rule for key, rule in schema.items() if key not in NOTES}
    return all(RULES[key](value, rule, whole) for key, rule in rules.items())


def meets(text: str, whole: Mapping[str, Any]) -> bool:
    """Whether a job file meets the schema `whole`."""
    return valid(tomllib.loads(text), whole, whole)


def keys(schema: Mapping[str, Any], whole: Mapping[str, Any]) -> set[str]:
    """Every key that a schema names."""
    if "$ref" in schema:
        return keys(whole["$defs"][schema["$ref"].rpartition("/")[2]], whole)
    named: dict[str, Mapping[str, Any]] = schema.get("properties", {})
    more = schema.get("additionalProperties")
    parts = [*named.values(), *([cast("Mapping[str, Any]", more)] if isinstance(more, dict) else [])]
    return set(named).union(*(keys(one, whole) for one in parts))


def accepted(text: str) -> bool:
    """Whether kohort takes the text for a job."""
    try:
        parse(text)
    except JobError:
        return False
    return True


@pytest.mark.parametrize(
    "text",
    [FULL, ON_LEVELS, EVERY, ALTERED, JOB.format(k=5, step=1000)],
    ids=["full", "on levels", "models", "altered", "demo"],
)
def test_a_job_that_kohort_writes_meets_the_schema(text: str) -> None:
    """The demo's job and those that use every key are valid."""
    assert meets(text, SCHEMA)


def test_the_full_examples_use_every_key() -> None:
    """Otherwise the tests over it would miss one."""
    assert {key for key in keys(SCHEMA, SCHEMA) if not re.search(rf"\b{key}\b", WHOLE)} == set()


#: The start of a job whose sensitive column asks for something.
MODEL = "columns.age.role = 'quasi'\ncolumns.s.role = 'sensitive'\ncolumns.s."

#: The start of a job on levels.
LATTICE = "columns.age.role = 'quasi'\ncolumns.age.hierarchy = 'suppress'\nmethod.name = 'samarati'\n"


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("columns.age = { role = 'quasi', weight = 2 }", True),
        ("columns.age = { role = 'quasi', weight = '0.5' }", True),
        ("columns.age = { role = 'quasi', weight = '05' }", False),
        ("columns.age = { role = 'quasi', weight = true }", False),
        ("columns.age = { role = 'quasi', grid = [1, 2.5] }", True),
        ("columns.age = { role = 'quasi', grid = [1] }", False),
        ("columns.age = { role = 'quasi', grid = 'hier' }", False),
        ("columns.age = { role = 'quasi', bounds = [1, '2'] }", True),
        ("columns.age = { role = 'quasi', bounds = [1, 2, 3] }", False),
        ("columns.age = { role = 'quasi', order = 'random' }", False),
        ("columns.age = { role = 'quazi' }", False),
        ("columns.age = { weight = 1 }", False),
        ("columns.age = {role = 'quasi', supression = 1}", False),
        ("columns.age.role = 'quasi'\nmethod = { name = 'mondrian-relaxed' }", True),
        ("columns.age.role = 'quasi'\nmethod = { cut = 'Nearest' }", False),
        ("columns.age.role = 'quasi'\nrest = 'refuse'", True),
        ("columns.age.role = 'quasi'\nrest = 'quasi'", False),
        ("columns.age.role = 'quasi'\ninput.header = 1", False),
        ("columns.age.role = 'quasi'\ninput.missing = ['NA']", True),
        ("columns.age.role = 'quasi'\ninput.missing = 'NA'", False),
        ("columns.age.role = 'quasi'\noutput.format = 'ipc'", True),
        ("columns.age.role = 'quasi'\noutput.format = 'xml'", False),
        ("columns.age.role = 'quasi'\nprivcy.k = 4", False),
        (MODEL + "l = 2", True),
        (MODEL + "l = 1", False),
        (MODEL + "l = 2.5", False),
        (MODEL + "entropy-l = 2.5", True),
        (MODEL + "entropy-l = '2.5'", True),
        (MODEL + "entropy-l = 1", False),
        (MODEL + "recursive = { c = '1/2', l = 2 }", True),
        (MODEL + "recursive = { c = 1 }", False),
        (MODEL + "recursive = [1, 2]", False),
        (MODEL + "t = 0.5", True),
        (MODEL + "t = -0.5", False),
        (MODEL + "t = 0.5\ncolumns.s.distance = 'ordered'", True),
        (MODEL + "t = 0.5\ncolumns.s.distance = 'far'", False),
        (MODEL + "alpha = 0.5", True),
        (MODEL + "alpha = true", False),
        (MODEL + "delta = 1", True),
        (MODEL + "delta = 0", False),
        (MODEL + "beta = 1", True),
        (MODEL + "beta = 'one'", False),
        (MODEL + "enhanced-beta = 1", True),
        (MODEL + "enhanced-beta = 0", False),
        (MODEL + "k-e = { k = 2, e = 0.5 }", True),
        (MODEL + "k-e = { k = 2, e = 0 }", False),
        (MODEL + "k-e = { k = 1, e = 1 }", False),
        (MODEL + "k-e = { e = 1 }", False),
        (MODEL + "missing = 'refuse'\nprivacy.max-risk = 0.1", True),
        (MODEL + "missing = 'refuse'\nprivacy.max-risk = 2", False),
        (MODEL + "missing = 'refuse'\nprivacy.average-risk = '0.1'", True),
        (MODEL + "missing = 'refuse'\nprivacy.average-risk = 1.5", False),
        (MODEL + "missing = 'refuse'\nprivacy.k-map = 3\npopulation.path = 'p.csv'", True),
        (MODEL + "missing = 'refuse'\nprivacy.k-map = 1\npopulation.path = 'p.csv'", False),
        (MODEL + "missing = 'refuse'\nprivacy.presence = [0, 0.5]\npopulation.path = 'p.csv'", True),
        (MODEL + "missing = 'refuse'\nprivacy.presence = [0]\npopulation.path = 'p.csv'", False),
        (MODEL + "missing = 'refuse'\npopulation = 'p.csv'", False),
        (MODEL + "missing = 'refuse'\nperson.key = 'who'", True),
        (MODEL + "missing = 'refuse'\nperson = 'who'", False),
        (LATTICE + "privacy.max-suppression = 20", True),
        (LATTICE + "privacy.max-suppression = '5%'", True),
        (LATTICE + "privacy.max-suppression = 0.05", True),
        (LATTICE + "privacy.max-suppression = '0.05'", True),
        (LATTICE + "privacy.max-suppression = -1", False),
        (LATTICE + "privacy.max-suppression = 1.5", False),
        (LATTICE + "privacy.max-suppression = '150%'", False),
        (LATTICE + "privacy.max-suppression = true", False),
        (LATTICE + "method.objective = 'arx_loss'", True),
        (LATTICE + "method.objective = 'arx-loss'", True),
        (LATTICE + "method.objective = 'arx loss'", False),
        (LATTICE + "method.objective = 5", False),
        (LATTICE + "method.node = [1]", True),
        (LATTICE + "method.node = { age = '1' }", True),
        (LATTICE + "method.node = [-1]", False),
        (LATTICE + "method.node = [true]", False),
        (LATTICE + "method.node = 1", False),
        (LATTICE + "columns.age.max-level = 0", True),
        (LATTICE + "columns.age.max-level = 'all'", False),
        (LATTICE.replace("samarati", "best-effort") + "method.time-limit = 0.5", True),
        (LATTICE.replace("samarati", "best-effort") + "method.time-limit = 0", False),
        (LATTICE.replace("samarati", "best-effort") + "method.time-limit = 1e9", False),
        ("columns.age.role = 'quasi'\nrun.memory-limit = '4GiB'", True),
        ("columns.age.role = 'quasi'\nrun.memory-limit = '1.5 kB'", True),
        ("columns.age.role = 'quasi'\nrun.memory-limit = '4'", False),
        ("columns.age.role = 'quasi'\nrun.memory-limit = 4", False),
        ("columns.age.role = 'quasi'\nrun.spill-folder = 4", False),
    ],
)
def test_the_schema_and_the_reader_agree(line: str, *, right: bool) -> None:
    """What the schema allows is read, and what it forbids is refused."""
    text = HEAD + line
    assert meets(text, SCHEMA) is right
    assert accepted(text) is right


@pytest.mark.parametrize(("k", "right"), [(2, True), (1, False), (2.5, False), ('"2"', False), ("true", False)])
def test_the_schema_and_the_reader_agree_on_k(k: object, *, right: bool) -> None:
    """The one number that matters most is described as it is read."""
    text = HEAD.replace("k = 5", f"k = {k}") + "columns.age.role = 'quasi'"
    assert meets(text, SCHEMA) is right
    assert accepted(text) is right


def test_the_objectives_are_the_metrics() -> None:
    """Every metric by which a search can compare releases can be asked for, and `first`; nothing else."""
    assert {METHOD["objective"].type.read(name) for name in METHOD["objective"].type.words} == {*OBJECTIVES, FIRST}


def test_the_methods_are_those_there_are() -> None:
    """Every method can be named, and nothing else."""
    assert set(METHOD["name"].type.words) == set(METHODS)
