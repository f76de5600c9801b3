"""A twin read back from a file: nothing is taken for one whose form is not known."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from kohort.errors import FileError, InputError, UsageError
from kohort.report.page import FORM
from kohort.report.page.audience import Audience
from kohort.report.page.form import FORMS, GRID, SECONDS, fits
from kohort.schema.hierarchies.tree import parse_json

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from kohort.report import Json

#: Bytes of the largest file that is read: figures are few.
LARGEST: Final = 1 << 26

_HINT: Final = "figures are what --report FILE.json writes; ask this version of kohort for them again"


def read_twin(path: str | os.PathLike[str]) -> dict[str, Json]:
    """The twin in a file.

    Raises:
        InputError: it is none of this form.
        FileError: the system failed to read it.
    """
    where = str(path)
    text = _text(Path(path), where)
    try:
        value = parse_json(text, where=where)
    except InputError as fault:
        raise InputError(fault.what, where=where, hint=_HINT) from None
    if not isinstance(value, dict) or not _is_twin(cast("dict[str, object]", value)):
        raise InputError("these are no figures of a release in this version's form", where=where, hint=_HINT)
    return cast("dict[str, Json]", value)


def _text(path: Path, where: str) -> str:
    """What the file holds."""
    if not path.is_file():
        what = "the figures are not a regular file" if path.exists() else "there is no such file"
        raise InputError(what, where=where, hint=_HINT)
    try:
        if path.stat().st_size > LARGEST:
            raise InputError(f"the file is larger than {LARGEST:,} bytes", where=where, hint=_HINT)
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("the figures are no UTF-8 text", where=where, hint=_HINT) from None
    except OSError as fault:
        raise FileError(f"the figures could not be read: {fault.strerror}", where=where) from None


def _is_twin(value: Mapping[str, object]) -> bool:
    """Whether it has the form of its kind, and the steward's the public one in it."""
    form = FORMS.get(str(value.get("kind")))
    if form is None or type(value.get("form")) is not int or value["form"] != FORM:
        return False
    if value.get("audience") == Audience.PUBLIC:
        return fits({**value}, form)
    more = {name: value[name] for name in value.keys() - form.keys()}
    public = more.pop("public", None)
    more.setdefault("grid", None)
    told = {name: value[name] for name in value.keys() & form.keys()}
    return (
        value.get("audience") == Audience.INTERNAL
        and fits(told, form)
        and fits(more, {"seconds": SECONDS, "grid": GRID})
        and isinstance(public, dict)
        and _is_public(cast("dict[str, object]", public), value["kind"])
    )


def _is_public(value: Mapping[str, object], kind: object) -> bool:
    """Whether the twin inside another is the public one."""
    return value.get("audience") == Audience.PUBLIC and value.get("kind") == kind and _is_twin(value)


def for_audience(twin: Mapping[str, Json], audience: Audience | None) -> dict[str, Json]:
    """What an audience is told by a twin; `None`: the one that the twin is for.

    Raises:
        UsageError: the steward's is asked of a public twin, which does not have it.
    """
    if audience is None or audience == twin["audience"]:
        return {**twin}
    if audience is Audience.INTERNAL:
        hint = "the figures are for the public: ask for those for the steward with --report FILE.json"
        raise UsageError("a public page does not know what an internal one tells", where="--audience", hint=hint)
    return {**cast("Mapping[str, Json]", twin["public"])}
