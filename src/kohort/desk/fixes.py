"""What a page offers where a job is refused: for each column buttons, each of which says what it changes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from kohort.desk.render import ROLES
from kohort.job.edits import table_at
from kohort.perturbation.text import said_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kohort.desk.answers import Fault
    from kohort.job.lines import Place

#: What is between the names of columns that a draft lists.
_BETWEEN: Final = re.compile(", | or ")

#: What can be decided of a column: the words of a button, and the role that it gives.
DECIDE: Final[Mapping[str, str]] = {
    "Group it": "quasi",
    "Protect it as sensitive": "sensitive",
    "Release it unchanged": "insensitive",
    "Drop it": "drop",
}


def fixes_of(fault: Fault, raw: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, dict[Place, object]]]]:
    """For each column that a fault is about, the words of its buttons and what each changes; else nothing."""
    columns, person = table_at(raw, ("columns",)), str(table_at(raw, ("person",)).get("key", ""))
    for name in fault.columns:
        role, place = table_at(columns, (name,)).get("role"), ("columns", name)
        roles: dict[str, dict[Place, object]] = {words: {(*place, "role"): to} for words, to in DECIDE.items()}
        if role is not None and role not in ROLES:
            yield name, roles
            continue
        offered = _by_flag(name, fault) | {words: roles[words] for words in ("Group it", "Drop it")}
        if role == "quasi":
            del offered["Group it"]
        if fault.unsafe:
            offered["Release it anyway"] = {(*place, "allow-singling"): True}
        yield name, offered
    if fault.where == "people" and ": " in person:
        for name in _BETWEEN.split(person.partition(": ")[2]):
            if name in columns:
                yield name, _person(name)
        yield "", {"Each record is a person": {("person",): None}}


def _person(name: str) -> dict[str, dict[Place, object]]:
    return {"Count people by it": {("person", "key"): name}}


def _by_flag(name: str, fault: Fault) -> dict[str, dict[Place, object]]:
    """The button for what a flag would do that makes the column safe."""
    match fault.flag:
        case ("--perturb", value):
            parsed, place = said_of(value), ("perturb", "columns", name)
            rounded: dict[Place, object] = {
                (*place, key): _number(str(said)) for key, said in parsed.parameters.items()
            }
            return {"Round it": {(*place, "method"): parsed.method, **rounded}}
        case ("--hierarchy", value):
            return {"Group it by its first characters": {("columns", name, "hierarchy"): value.rpartition("=")[2]}}
        case ("--person", _):
            return _person(name)
        case _:
            return {}


def _number(text: str) -> object:
    try:
        return int(text) if text.lstrip("-").isdecimal() else float(text)
    except ValueError:
        return text
