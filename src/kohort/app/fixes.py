"""What a page offers where a job is refused: for each column buttons, each of which changes the job."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kohort.app.fields import changed, table_at
from kohort.app.render import ROLES
from kohort.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kohort.app.answers import Fault
    from kohort.job.lines import Place

#: What is between the names of columns that a draft lists.
_BETWEEN: Final = re.compile(", | or ")


class Fix(NamedTuple):
    """A button.

    Attributes:
        kind: What it does: gives the column a role, or a key of `changes_of`.
        words: What it says.
        value: What it needs beside the column.
    """

    kind: str
    words: str
    value: str = ""


#: What becomes of a column of which the job has not decided.
DECIDE: Final = (
    Fix("quasi", "Group it"),
    Fix("sensitive", "Protect it as sensitive"),
    Fix("insensitive", "Release it unchanged"),
    Fix("drop", "Drop it"),
)

DROP: Final = Fix("drop", "Drop it")
GROUP: Final = Fix("quasi", "Group it")
ACCEPT: Final = Fix("accept", "Release it all the same")


def fixes_of(fault: Fault, raw: Mapping[str, Any]) -> Iterator[tuple[str, tuple[Fix, ...]]]:
    """The buttons for each column that a fault is about; none where it is about no column."""
    columns, person = table_at(raw, ("columns",)), str(table_at(raw, ("person",)).get("key", ""))
    for name in fault.columns:
        role = table_at(columns, (name,)).get("role")
        if role is not None and role not in ROLES:
            yield name, DECIDE
        else:
            group = () if role == "quasi" else (GROUP,)
            accept = (ACCEPT,) if fault.unsafe else ()
            yield name, (*_by_flag(fault), *group, DROP, *accept)
    if fault.where == "people" and ": " in person:
        for name in _BETWEEN.split(person.partition(": ")[2]):
            if name in columns:
                yield name, (Fix("person", "Count people by it"),)
        yield "", (Fix("person", "Each record is a person"),)


def _by_flag(fault: Fault) -> tuple[Fix, ...]:
    match fault.flag:
        case ("--perturb", value):
            return (Fix("round", "Round it", value.rpartition(":")[2]),)
        case ("--hierarchy", value):
            return (Fix("hierarchy", "Group it by its first characters", value.rpartition("=")[2]),)
        case ("--person", _):
            return (Fix("person", "Count people by it"),)
        case _:
            return ()


def fixed(text: str, kind: str, column: str, value: str) -> str:
    """The text of a job with a fix that gives no role.

    >>> print(fixed('columns.pay.role = "insensitive"', "accept", "pay", ""))
    columns.pay.role = "insensitive"
    columns.pay.allow-singling = true

    Raises:
        UsageError: there is no such fix.
    """
    match kind:
        case "accept":
            made: dict[Place, object] = {("columns", column, "allow-singling"): True}
        case "round":
            keys = dict(one.split("=", 1) for one in value.split(",") if "=" in one)
            place = ("perturb", "columns", column)
            made = {(*place, "method"): "rounding", **{(*place, key): _number(said) for key, said in keys.items()}}
        case "hierarchy":
            made = {("columns", column, "hierarchy"): value}
        case "person":
            made = {("person", "key"): column} if column else {("person",): None}
        case _:
            raise UsageError("there is no such button", hint="choose one of the page")
    return changed(text, made)


def _number(text: str) -> object:
    try:
        return int(text) if text.lstrip("-").isdecimal() else float(text)
    except ValueError:
        return text
