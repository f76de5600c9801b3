"""`kohort run --set`: keys of a job file, changed for one run."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

from kohort.errors import UsageError
from kohort.job.lines import read_toml

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kohort.job.document import Document
    from kohort.job.lines import Place


def changed(text: Document, changes: Sequence[str]) -> Document:
    """A job file with some keys changed; a fault of such a key stands at its `--set`.

    Args:
        text: The job file.
        changes: The changes, each as `KEY=VALUE`: a dotted path of keys, and a value of TOML or else a text.

    Raises:
        JobError: a change without a key and a value, or below a key that holds no table.
    """
    raw = deepcopy(dict(text.raw))
    flags: dict[Place, str] = {}
    faults: list[UsageError] = []
    for change in changes:
        try:
            place, value = _read(change)
            _put(raw, place, value)
        except UsageError as fault:
            faults.append(UsageError(fault.what, where=f"--set {change}", hint=fault.hint))
        else:
            flags[place] = f"--set {change}"
    if faults:
        from kohort.job.faults import job_error

        raise job_error(faults)

    def where(place: Place) -> str:
        return _flag(place, flags, text.raw) or text.where(place)

    return replace(text, raw=raw, where=where)


def _flag(place: Place, flags: Mapping[Place, str], raw: Mapping[str, Any]) -> str | None:
    """The flag that set a place, or a place above or below it that the file does not have."""
    for changed, flag in flags.items():
        if place[: len(changed)] == changed or (place and changed[: len(place)] == place and not _has(raw, place)):
            return flag
    return None


def _has(raw: Mapping[str, Any], place: Place) -> bool:
    held: Any = raw
    for key in place:
        if not isinstance(held, dict) or key not in held:
            return False
        held = cast("dict[str, Any]", held)[key]
    return True


def _read(change: str) -> tuple[Place, object]:
    """The path and the value of a change.

    >>> _read("privacy.k=20"), _read('columns."net.income".t=0.2')[0], _read("method.name=samarati")
    ((('privacy', 'k'), 20), ('columns', 'net.income', 't'), (('method', 'name'), 'samarati'))
    """
    for at, letter in enumerate(change):
        if letter == "=" and (place := _path(change[:at])):
            return place, _value(change[at + 1 :].strip())
    raise UsageError("a change has the form KEY=VALUE", hint="such as --set privacy.k=20")


def _path(text: str) -> Place:
    """A dotted path of keys; empty for another text."""
    try:
        held: Any = {} if "\n" in text else read_toml(f"{text} = 0")
    except (ValueError, UsageError):
        return ()
    found: list[str] = []
    while held:
        [(key, held)] = held.items()
        found.append(key)
    return tuple(found)


def _value(text: str) -> object:
    """A value of TOML; a text that is none stands for itself."""
    try:
        held = read_toml(f"value = {text}", Decimal)
    except (ValueError, UsageError):  # no TOML, thousands of digits, or endless brackets
        return text
    return held["value"] if len(held) == 1 else text


def _put(raw: dict[str, Any], place: Place, value: object) -> None:
    """Set a key, and make the tables above it that are missing."""
    *above, last = place
    table = raw
    for key in above:
        below = table.setdefault(key, {})
        if not isinstance(below, dict):
            raise UsageError(f"{key} is not a table of the job", hint="see kohort schema for the keys of a job")
        table = cast("dict[str, Any]", below)
    table[last] = value
