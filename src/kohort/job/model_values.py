"""The keys of privacy models in a job file, from their specifications; each model itself refuses what it cannot be."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from kohort.errors import UsageError
from kohort.job.keys import REQUIRED, Key, KeyTable, ValueType, is_list, key
from kohort.job.values import of_parameter, table_of
from kohort.models.base import build, models
from kohort.models.k_anonymity import KEY

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kohort.job.keys import KeyValues
    from kohort.models.base import PrivacyModel
    from kohort.specification import Parameter, Specification

#: A column's name where only the parameter is looked at.
_ANY: Final = "column"

#: A count in digits.
_digits = re.compile(r"[1-9][0-9]{0,17}").fullmatch

#: A number as text.
_TEXT: Final = {"type": "string", "pattern": r"^([0-9]+(\.[0-9]+|/[0-9]+)?|\.[0-9]+)$"}


def model_keys(*, of_column: bool) -> Iterator[Key]:
    """The keys that ask for models of columns, or of the whole table."""
    for name, kind in models().items():
        told = kind.specification
        if told.of_column is of_column:
            flag = told.flag.removeprefix("--")
            yield key(name, _value(kind), told.sentence, flag=flag, metavar=told.metavar, model=told, first=told.first)
            for one in told.parameters:
                if one.origin == "beside":
                    yield key(one.name, of_parameter(one), one.sentence, model=told)


def _value(kind: type[PrivacyModel]) -> ValueType:
    """What may stand at the key of a model: a number, the two ends of a range, or a table of numbers."""
    told = kind.specification
    if told.is_range:
        items, count = _schema(told.own[0]), len(told.own)
        return ValueType(
            read=lambda value: _range(kind, value),
            schema={"type": "array", "items": items, "minItems": count, "maxItems": count},
            text=lambda said, _: said.split(".."),
            hint="tuple[Number, Number]",
        )
    if len(told.own) == 1:
        return _number(kind, told.own[0])
    keys = (key(one.name, _number(kind, one), one.sentence, REQUIRED) for one in told.own)
    name = "".join(part.capitalize() for part in told.key.split("-"))
    return table_of(KeyTable.of(f"{name}Part", f"The parameters of {told.title}.", *keys))


def _number(kind: type[PrivacyModel], parameter: Parameter) -> ValueType:
    """One parameter as the model reads it; digits in quotes are a count where a flag may write them, but no k."""
    is_count = parameter.kind == "integer"
    digits = is_count and kind.specification.key != KEY

    def read(value: object) -> object:
        given = int(value) if digits and isinstance(value, str) and _digits(value) else value
        return _read(kind, {parameter.name: str(given) if isinstance(given, Decimal) else given})[parameter.name]

    hint = {"integer": "int", "number": "Number"}.get(parameter.kind, "str")
    return ValueType(read=read, schema=_schema(parameter), flag=int | None if is_count else str | None, hint=hint)


def _range(kind: type[PrivacyModel], value: object) -> tuple[object, ...]:
    told = kind.specification
    ends = [str(one) for one in value] if is_list(value) else []
    if len(ends) != len(told.own):
        examples = ", ".join(str(one.examples[0]) for one in told.own)
        what = f"{told.key} is two {told.unit}s, the minimum and the maximum"
        raise UsageError(what, hint=f"such as [{examples}]")
    return tuple(_read(kind, dict(zip((one.name for one in told.own), ends, strict=True))).values())


def _read(kind: type[PrivacyModel], given: Mapping[str, object]) -> dict[str, object]:
    told = kind.specification
    usual = {one.name: one.examples[0] for one in told.parameters if one.origin != "beside"}
    made = build(kind, _ANY if told.of_column else None, {**usual, **given})
    return {name: getattr(made, name) for name in given}


def _schema(parameter: Parameter) -> dict[str, Any]:
    """A parameter in JSON Schema; a number may be written as a text."""
    bounds = dict(parameter.bounds)
    return {"anyOf": [bounds, _TEXT]} if parameter.kind == "number" else bounds


def asked_for(told: Specification, part: KeyValues, k: int | None) -> dict[str, object] | None:
    """The parameters that a table of the job says for a model; `None` where it does not ask for it, or lacks a k."""
    values = vars(part)
    value = values[told.key.replace("-", "_")]
    if value is None or (k is None and any(one.origin == "job" for one in told.parameters)):
        return None
    found: dict[str, object] = {}
    for place, one in enumerate(told.own):
        if told.is_range:
            found[one.name] = value[place]
        else:
            found[one.name] = value if len(told.own) == 1 else getattr(value, one.name)
    for one in told.parameters:
        if one.origin != "key":
            found[one.name] = k if one.origin == "job" else values[one.name.replace("-", "_")]
    return found
