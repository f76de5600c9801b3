"""The JSON Schema of a form, made of its keys."""

from __future__ import annotations

from fractions import Fraction
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

from kohort.job.keys import REQUIRED, KeyValues, is_list, is_table
from kohort.job.spelling import plain

if TYPE_CHECKING:
    from kohort.job.keys import Key, KeyTable, ValueType


def json_schema(form: KeyTable) -> dict[str, Any]:
    """What a job file of this form may say; tables and enumerations stand in `$defs`.

    >>> from kohort.job.form import PERSON
    >>> json_schema(PERSON)["required"]
    ['key']
    """
    found: dict[str, Any] = {}
    whole = _table(form, found)
    return {"$defs": dict(sorted(found.items())), **whole}


def _table(form: KeyTable, found: dict[str, Any]) -> dict[str, Any]:
    required = [key.place[-1] for key in form.keys if key.usual is REQUIRED]
    return {
        "additionalProperties": False,
        "description": form.sentence,
        "properties": {key.place[-1]: _key(key, found) for key in form.keys},
        **({"required": required} if required else {}),
        "title": form.name,
        "type": "object",
    }


def _key(key: Key, found: dict[str, Any]) -> dict[str, Any]:
    schema = _type(key.type, found)
    refers = "$ref" in schema
    if key.usual is None:
        schema = {"anyOf": [*schema.get("anyOf", [schema]), {"type": "null"}]}
    more = {} if key.usual is REQUIRED else {"default": _default(key.type, key.usual)}
    more |= {"description": key.help} if key.help else {}
    return dict(sorted({**schema, **more, **({} if refers else {"title": key.place[-1].title()})}.items()))


def _default(kind: ValueType, usual: object) -> object:
    if kind.table is not None and isinstance(usual, KeyValues):
        return {key.place[-1]: _default(key.type, getattr(usual, key.attribute)) for key in kind.table.keys}
    return str(usual) if isinstance(usual, Fraction) else plain(usual)


def _type(kind: ValueType, found: dict[str, Any]) -> dict[str, Any]:
    if kind.table is not None:
        found.setdefault(kind.table.name, _table(kind.table, found))
        return {"$ref": f"#/$defs/{kind.table.name}"}
    if kind.each is not None:
        return {"additionalProperties": _type(kind.each, found), "type": "object"}
    if kind.words_of is not None:
        name = kind.words_of.__name__
        told = cleandoc(kind.words_of.__doc__ or "")
        found[name] = {
            **({"description": told} if told else {}),
            "enum": [*kind.words],
            "title": name,
            "type": "string",
        }
        return {"$ref": f"#/$defs/{name}"}
    return {key: _sorted(kind.schema[key]) for key in sorted(kind.schema)}


def _sorted(value: object) -> object:
    """JSON with its keys in alphabetical order."""
    if is_table(value):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [*map(_sorted, value)] if is_list(value) else value
