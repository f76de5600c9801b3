"""Single tables of a job, also of one that is wrong elsewhere: so that the faults of all are told at once."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from kohort.io.forms import is_address, is_store

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from kohort.job.lines import Place


class Part(BaseModel):
    """A table of the job file: no key but those listed, and every value of its own type."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)


P = TypeVar("P", bound=Part)


def table(raw: Mapping[str, object], key: str) -> dict[str, object]:
    """The table that stands at `key`; an empty one where none does."""
    held = raw.get(key)
    return cast("dict[str, object]", held) if isinstance(held, dict) else {}


def part(form: type[P], raw: object) -> P | None:
    """A table of the job; `None` where its form is wrong, which has been told already."""
    try:
        return form.model_validate(raw)
    except ValidationError:
        return None


def right_part(form: type[P], raw: Mapping[str, object]) -> P:
    """What the right keys of a table make of it; the wrong ones count as not said.

    >>> from kohort.job.form import MethodPart
    >>> right_part(MethodPart, {"cut": "up", "name": "samarati", "nmae": 5}).name
    'samarati'
    """
    try:
        return form.model_validate(raw)
    except ValidationError as fault:
        wrong = {error["loc"][0] for error in fault.errors()}
        return form.model_validate({key: value for key, value in raw.items() if key not in wrong})


def without(form: type[P], lacking: Sequence[Place]) -> type[P]:
    """A form without some of its tables and keys: what a command takes that needs less than a job.

    >>> from kohort.job.form import JobFile
    >>> "output" in without(JobFile, [("output",)]).model_fields
    False
    """
    if not lacking:
        return form
    kept: dict[str, Any] = {}
    for name, info in form.model_fields.items():
        key = info.alias or name
        below = [place[1:] for place in lacking if place[0] == key]
        if () not in below:
            annotation: Any = info.annotation
            kept[name] = without(annotation, below), info
    made: Any = create_model(form.__name__, __base__=Part, **kept)
    found: type[P] = made
    return found


def relative(path: str, folder: Path) -> str:
    """A path of the job, relative to its folder; `-` stays standard input, an address itself, a folder ends in /."""
    if path == "-" or is_address(path) or is_store(path):
        return path
    return f"{folder / path}{'/' if path.endswith(('/', os.sep)) else ''}"


def sign_key(path: str | None, folder: Path) -> str | None:
    """The file of a key to sign with, once it is known to hold one: nobody wants to hear that after a long search."""
    if path is None:
        return None
    from kohort.signing import read_signing_key  # noqa: PLC0415  few jobs are signed

    read_signing_key(folder / path)
    return str(folder / path)
