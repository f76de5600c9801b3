"""The fields of a page, from the form of a job: names, sentences and words, and what a job says of each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

import tomlkit
from pydantic import ValidationError

from kohort.algorithms.method import METHODS
from kohort.errors import UsageError
from kohort.job.form import ColumnPart, MethodPart, PersonPart, PrivacyPart, PurposePart
from kohort.job.keys import bare, words_of
from kohort.job.lines import read_toml
from kohort.models.base import models

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from kohort.job.lines import Place
    from kohort.job.parts import Part
    from kohort.specification import Specification

#: The tables of a job that a page has fields for, and their forms; the rest of a job is edited as text.
FORMS: Mapping[str, type[Part]] = {
    "privacy": PrivacyPart,
    "method": MethodPart,
    "person": PersonPart,
    "purpose": PurposePart,
    "columns": ColumnPart,
}

#: The forms whose keys can ask for a privacy model.
_OF_MODELS: frozenset[type[Part]] = frozenset({PrivacyPart, ColumnPart})


@dataclass(frozen=True, slots=True)
class Field:
    """A key of a job as a page shows it.

    Attributes:
        place: The key's place in the job.
        help: What it means, in a sentence.
        words: The words that it takes; empty for any text.
        switch: Whether it is either said or not.
        title: What the literature calls it, of a privacy model; else empty.
        beware: What a model does not promise.
        shape: How its value is written, of a model: `C,L`.
        value: What the job says, as text; empty where it says nothing.
    """

    place: Place
    help: str
    words: tuple[str, ...] = ()
    switch: bool = False
    title: str = ""
    beware: str = ""
    shape: str = ""
    value: str = ""

    @property
    def key(self) -> str:
        """Its last key: `max-suppression`."""
        return self.place[-1]

    @property
    def is_model(self) -> bool:
        """Whether it asks for a privacy model."""
        return bool(self.title)


def fields_of(raw: Mapping[str, object], place: Place, forms: Mapping[str, type[Part]] = FORMS) -> tuple[Field, ...]:
    """The fields of a table of a job, with what the job says.

    Args:
        raw: The job's tables.
        place: That of the table: `("privacy",)`, or `("columns", "age")`.
        forms: The forms of its tables; those of a job on a table if not given.

    >>> from kohort.app.fields import fields_of
    >>> [(one.key, one.value) for one in fields_of({"privacy": {"k": 5}}, ("privacy",)) if one.value]
    [('k', '5')]
    """
    held = table_at(raw, place)
    return tuple(replace(one, value=written(held.get(one.key))) for one in _fields(place, forms[place[0]]))


def _fields(place: Place, form: type[Part]) -> Iterator[Field]:
    """The fields of a table's form; a column's role has a place of its own on every page."""
    for name, info in form.model_fields.items():
        key, kind = info.alias or name, bare(info.annotation)
        if key == "role":
            continue
        model = _model(form, key)
        field = Field((*place, key), info.description or "", words_of(kind), kind is bool)
        if model is not None:
            field = replace(field, title=model.title, beware=model.not_promised, shape=model.metavar)
        yield field


def _model(form: type[Part], key: str) -> Specification | None:
    """What the model that a key of a form asks for says of itself."""
    kind = models().get(key) if form in _OF_MODELS else None
    return None if kind is None else kind.specification


def written(value: object) -> str:
    """A value of a job as a field shows it: a word as it is, anything else as TOML.

    >>> written("mondrian"), written(True), written([0, 1]), written({"c": 1, "l": 2}), written(None)
    ('mondrian', 'true', '[0, 1]', '{c = 1, l = 2}', '')
    """
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, list):
        return f"[{', '.join(item(one).as_string() for one in cast('list[object]', value))}]"
    return str(item(value).as_string())


def item(value: object) -> Any:  # noqa: ANN401  tomlkit's own
    """A value as tomlkit has it; it reads a list of thousands in a second, and takes minutes to put it together."""
    if isinstance(value, list):
        return tomlkit.value(written(cast("object", value)))
    return cast("Any", tomlkit.item)(inline(value))


def inline(value: object) -> object:
    """A table on one line; numbers as they are."""
    if not isinstance(value, dict):
        return float(value) if isinstance(value, Decimal) else value
    made: Any = tomlkit.inline_table()
    made.update({key: inline(one) for key, one in cast("dict[str, object]", value).items()})
    return made


def read(place: Place, text: str, forms: Mapping[str, type[Part]] = FORMS) -> object:
    """What the text of a field says, as a job file says it; `None` for an empty one.

    It is a value of TOML where the form takes that, and else a text, which the form may refuse later.

    >>> read(("privacy", "k"), " 10 "), read(("columns", "age", "grid"), "18,30,65"), read(("privacy", "k"), "")
    (10, '18,30,65', None)
    """
    text = text.strip()
    if not text:
        return None
    form = forms[place[0]]
    model = _model(form, place[-1])
    said = [_toml(text), text, *([] if model is None else [model.written(text)])]
    return next((one for one in said if _fits(form, place[-1], one)), text)


def _toml(text: str) -> object:
    """A value of TOML; a text that is none stands for itself, and so do thousands of digits or brackets."""
    try:
        held = read_toml(f"value = {text}")
    except (ValueError, UsageError):  # what is no TOML is a ValueError, too
        return text
    return held["value"] if len(held) == 1 else text


def _fits(form: type[Part], key: str, value: object) -> bool:
    """Whether the form takes it."""
    try:
        form.model_validate({key: value})
    except ValidationError as fault:  # others may be missing
        return all(one["loc"][:1] != (key,) for one in fault.errors())
    return True


def table_at(raw: Mapping[str, object], place: Iterable[str]) -> Any:  # noqa: ANN401  the tables of tomlkit, too
    """The table at a place; an empty one where there is none."""
    held: Any = raw
    for key in place:
        held = cast("Any", held).get(key, {}) if isinstance(held, dict) else {}
    return cast("Any", held) if isinstance(held, dict) else {}


def has_levels(raw: Mapping[str, object]) -> bool:
    """Whether the method of a job gives each column one level of its hierarchy.

    >>> has_levels({"method": {"name": "samarati"}}), has_levels({})
    (True, False)
    """
    method = METHODS.get(str(table_at(raw, ("method",)).get("name", "")))
    return method is not None and method.takes("node")
