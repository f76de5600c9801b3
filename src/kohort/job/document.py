"""The text of a job file: its tables, and on which line each of them stands."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from kohort.errors import FileError, InputError, UsageError
from kohort.job.faults import job_error
from kohort.job.lines import LONGEST, lines_of, read_toml
from kohort.publish import Companion

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping

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

    @property
    def is_of_transactions(self) -> bool:
        """Whether it has the table that makes it a job on transactions."""
        return "transactions" in self.raw


def document_of(source: str | os.PathLike[str]) -> Document:
    """The job file at a path, or a text, which has an equals sign."""
    return document(source) if isinstance(source, str) and "=" in source else document_at(Path(source))


def document_at(path: Path) -> Document:
    """The job file at `path`."""
    try:
        if not path.is_file():
            what = "the job is not a regular file" if path.exists() else "there is no such job file"
            raise InputError(what, where=str(path), hint="kohort init writes one to correct")
        with path.open(encoding="utf-8-sig") as file:
            text = file.read(LONGEST + 1)
    except UnicodeDecodeError as fault:
        raise InputError("the job file cannot be read", where=str(path), hint="it must be a UTF-8 text file") from fault
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
    """What is written into a file that needs no verification."""
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
