"""Tables of a job, read by their keys: also of one that is wrong elsewhere, so that all faults are told at once."""

from __future__ import annotations

import os
from dataclasses import replace
from difflib import get_close_matches
from fractions import Fraction
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

from kohort.errors import KohortError, UsageError
from kohort.io.forms import is_address, is_store
from kohort.job.codec import plain
from kohort.job.faults import NEAR, nearest
from kohort.job.keys import CLASSICS, REQUIRED, KeyValues, is_list, is_table, with_words
from kohort.release.fit import Misfit
from kohort.system.workspace import bytes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from kohort.job.keys import Key, KeyTable, ValueType
    from kohort.job.lines import Place

#: Faults of a job's form that are listed: more are one mistake many times, or an attack.
_MOST = 100


def table(raw: Mapping[str, object], key: str) -> dict[str, object]:
    """The table that stands at `key`; an empty one where none does."""
    held = raw.get(key)
    return held if is_table(held) else {}


def read(form: KeyTable, raw: Mapping[str, object], place: Place = ()) -> tuple[KeyValues, list[Misfit]]:
    """The values of a table, by the attributes of its keys, and what is wrong in it.

    Args:
        form: Its keys.
        raw: What it says. A key that is wrong counts as not said.
        place: Where it stands.
    """
    found: dict[str, object] = {}
    faults: list[Misfit] = []
    for key in form.keys:
        found[key.attribute] = None if key.usual is REQUIRED else key.usual
        name = key.place[-1]
        if name in raw and not (raw[name] is None and key.usual is None):
            value, wrong = _value(key.type, raw[name], (*place, name))
            faults += wrong
            found[key.attribute] = found[key.attribute] if wrong else value
        elif key.usual is REQUIRED and name not in misspelt(form, raw):
            faults.append(missing(place, name))
    names = form.names
    hint = f"known keys: {', '.join(names)}"
    unknown = (name for name in raw if name not in names)
    faults += [Misfit((*place, name), f"unknown key {name}", nearest(name, names) or hint) for name in unknown]
    return KeyValues(**found), faults


def _value(kind: ValueType, said: object, place: Place) -> tuple[object, list[Misfit]]:
    if kind.table is None and kind.each is None:
        try:
            return kind.read(said), []
        except KohortError as error:
            subject = "method" if place[-1] == "name" else place[-1]
            lacks_subject = error.what.startswith("must ")
            return None, [Misfit(place, f"{subject} {error.what}" if lacks_subject else error.what, error.hint)]
    if not is_table(said):
        return None, [Misfit(place, f"{place[-1]} must be a table", "")]
    if kind.table is not None:
        return read(kind.table, said, place)
    assert kind.each is not None  # noqa: S101  as was seen above
    values = {name: _value(kind.each, one, (*place, name)) for name, one in said.items()}
    return {name: one for name, (one, _) in values.items()}, [fault for _, some in values.values() for fault in some]


def misspelt(form: KeyTable, raw: Mapping[str, object]) -> set[str]:
    """The keys that unknown ones of a table are meant to be: each is one fault, not a missing key besides."""
    names = form.names
    unknown = (name for name in raw if name not in names)
    return {known for name in unknown for known in get_close_matches(name, names, n=1, cutoff=NEAR)}


def missing(place: Place, name: str) -> Misfit:
    """The fault of a key that every job has."""
    what = name if place else f"the table [{name}]"
    return Misfit(place, f"{what} is missing", f"add {what}")


def told(faults: list[Misfit], where: Callable[[Place], str]) -> list[UsageError]:
    """The faults of a form with the reader's places for their keys; of very many the first."""
    listed = [one.told(where) for one in faults[:_MOST]]
    if len(faults) > _MOST:
        what = f"{len(faults) - _MOST:,} more faults are not listed"
        listed.append(UsageError(what, where=where(faults[_MOST - 1].place), hint="correct these first"))
    return listed


def part(form: KeyTable, raw: object) -> KeyValues | None:
    """A table of the job; `None` where its form is wrong, which has been told already."""
    made, faults = read(form, raw) if is_table(raw) else (None, [])
    return None if faults else made


def right_part(form: KeyTable, raw: Mapping[str, object]) -> KeyValues:
    """What the right keys of a table make of it; the wrong ones count as not said.

    >>> from kohort.job.form import METHOD
    >>> right_part(METHOD, {"cut": "up", "name": "samarati", "nmae": 5}).name
    'samarati'
    """
    return read(form, raw)[0]


def without(form: KeyTable, lacking: Sequence[Place]) -> KeyTable:
    """A form without some of its tables and keys: what a command takes that needs less than a job.

    >>> from kohort.job.form import TABLE_JOB
    >>> "output" in without(TABLE_JOB, [("output",)]).names
    False
    """
    kept: list[Key] = []
    for key in form.keys:
        below = [place[1:] for place in lacking if place[0] == key.place[-1]]
        if below and key.type.table is not None and () not in below:
            kept.append(replace(key, type=replace(key.type, table=without(key.type.table, below))))
        elif not below:
            kept.append(key)
    return replace(form, keys=tuple(kept))


def relative(path: str, folder: Path) -> str:
    """A path of the job, relative to its folder; `-` stays standard input, an address itself, a folder ends in /."""
    if path == "-" or is_address(path) or is_store(path):
        return path
    return f"{folder / path}{'/' if path.endswith(('/', os.sep)) else ''}"


def run_of(said: KeyValues, folder: Path) -> KeyValues:
    """The engine and its resources, as `kohort.engines.base.engine_of` takes them."""
    memory = None if said.memory_limit is None else bytes_of(said.memory_limit)
    spill = None if said.spill_folder is None else relative(said.spill_folder, folder)
    return KeyValues(**{**vars(said), "memory_limit": memory, "spill_folder": spill})


def sign_key(path: str | None, folder: Path) -> str | None:
    """The file of a key to sign with, once it is known to hold one: nobody wants to hear that after a long search."""
    if path is None:
        return None
    from kohort.certificate.signing import read_signing_key  # noqa: PLC0415  few jobs are signed

    read_signing_key(folder / path)
    return str(folder / path)


# --- JSON Schema ------------------------------------------------------------------------------------------------------


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
    sentence = with_words(key.help, key.type) if key.type.classics else key.help
    sentence += " For comparison with the literature." if key.panel == CLASSICS else ""
    more |= {"description": sentence} if sentence else {}
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
    if is_table(value):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [*map(_sorted, value)] if is_list(value) else value
