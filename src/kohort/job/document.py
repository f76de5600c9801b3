"""The text of a job file: its tables, and on which line each of them stands."""

from __future__ import annotations

import json
import re
import tomllib
from copy import deepcopy
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kohort.errors import FileError, InputError, UsageError
from kohort.job.faults import job_error
from kohort.job.keys import is_table
from kohort.job.lines import LONGEST, lines_of, read_toml, toml_value
from kohort.publish import Companion

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from kohort.job.lines import Place
    from kohort.schema.hierarchies import HeldFile


@dataclass(frozen=True, slots=True)
class Document:
    """A job file that is valid TOML; whether it is a job is still to be seen.

    Attributes:
        raw: Its tables.
        where: Tells the line for a path of keys, such as `("columns", "age")`.
        folder: What relative paths in it are relative to.
        path: The file itself; empty for a text that is in none.
        held: Files of hierarchies that are not written yet: they count as if they lay in the folder.
    """

    raw: Mapping[str, object]
    where: Callable[[Place], str]
    folder: Path = Path()
    path: tuple[Path, ...] = ()
    held: tuple[HeldFile, ...] = ()


def document_of(source: str | os.PathLike[str]) -> Document:
    """The job file at a path, or a text, which has an equals sign."""
    return document(source) if isinstance(source, str) and "=" in source else document_at(Path(source))


def document_at(path: Path) -> Document:
    """The job file at `path`."""
    try:
        if not path.is_file():
            what = "the job is not a regular file" if path.exists() else "no such job file"
            raise InputError(what, where=str(path), hint="write one to correct: kohort init")
        with path.open(encoding="utf-8-sig") as file:
            text = file.read(LONGEST + 1)
    except UnicodeDecodeError as fault:
        raise InputError("the job file cannot be read", where=str(path), hint="save the file as UTF-8 text") from fault
    except OSError as fault:
        raise FileError(f"the job file cannot be read: {fault.strerror}", where=str(path)) from None
    return replace(document(text, name=str(path), folder=path.parent), path=(path,))


def document(text: str, *, name: str = "job", folder: Path = Path()) -> Document:
    """The TOML `text` of a job called `name`."""
    try:
        raw = read_toml(text, Decimal)
    except tomllib.TOMLDecodeError as fault:
        raise job_error([_not_toml(str(fault), text, name)]) from None
    except UsageError as fault:
        where = f"{name}, {fault.where}" if fault.where else name
        raise job_error([UsageError(fault.what, where=where, hint=fault.hint)]) from None
    except ValueError:
        what = "a number with thousands of digits"
        raise job_error([UsageError(what, where=name, hint="write a shorter number")]) from None
    lines = cache(partial(lines_of, text))  # asked for by faults alone
    return Document(raw, lambda place: _line(lines(), place, name), folder)


def companions(files: Iterable[HeldFile], folder: Path) -> list[Companion[None]]:
    """Files as they are published beside a job."""
    return [Companion(folder / one.name, partial(_content, one)) for one in files]


def _content(file: HeldFile, _: None) -> bytes:
    return file.content


def _not_toml(said: str, text: str, name: str) -> UsageError:
    what, _, place = said.partition(" (at ")
    line = re.match(r"line (\d+)", place)
    where = f"{name}, line {line[1] if line else text.count(chr(10)) + 1}"
    return UsageError(f"not valid TOML: {what[:1].lower()}{what[1:]}", where=where, hint="see toml.io for the syntax")


def _line(lines: Mapping[Place, int], place: Place, name: str) -> str:
    """`job.toml, line 7 (columns.age.role)`; the line of the nearest enclosing table where the key has none."""
    known = next((place[:end] for end in range(len(place), 0, -1) if place[:end] in lines), None)
    line = f", line {lines[known]}" if known else ""
    return f"{name}{line} ({'.'.join(map(_key, place))})" if place else name


def _key(name: str) -> str:
    """A key as TOML writes it.

    >>> _key("age"), _key("net.income")
    ('age', '"net.income"')
    """
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)


# --- `kohort run --set`: keys of a job file, changed for one run ------------------------------------------------------


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
        if not is_table(held) or key not in held:
            return False
        held = held[key]
    return True


def _read(change: str) -> tuple[Place, object]:
    """The path and the value of a change.

    >>> _read("privacy.k=20"), _read('columns."net.income".t=0.2')[0], _read("method.name=samarati")
    ((('privacy', 'k'), 20), ('columns', 'net.income', 't'), (('method', 'name'), 'samarati'))
    """
    for at, letter in enumerate(change):
        if letter == "=" and (place := _path(change[:at])):
            return place, toml_value(change[at + 1 :].strip(), Decimal)
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


def _put(raw: dict[str, Any], place: Place, value: object) -> None:
    *above, last = place
    table = raw
    for key in above:
        below = table.setdefault(key, {})
        if not is_table(below):
            raise UsageError(f"{key} is not a table of the job", hint="see kohort schema for the keys of a job")
        table = below
    table[last] = value
