"""The fields of a page, from the form of a job: names, sentences and words, and what a job says of each."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kohort.algorithms.method import METHODS
from kohort.errors import UsageError
from kohort.job.edits import table_at, taken, written
from kohort.job.form import COLUMN, METHOD, PERSON, PRIVACY, PURPOSE
from kohort.job.keys import CLASSICS, is_table
from kohort.job.lines import toml_value
from kohort.job.parts import read as values

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from kohort.job.edits import Proposed
    from kohort.job.keys import KeyTable
    from kohort.job.lines import Place


#: The tables of a job that a page has fields for, and their forms; the rest of a job is edited as text.
FORMS: Mapping[str, KeyTable] = {
    "privacy": PRIVACY,
    "method": METHOD,
    "person": PERSON,
    "purpose": PURPOSE,
    "columns": COLUMN,
}


@dataclass(frozen=True, slots=True)
class Field:
    """A key of a job as a page shows it.

    Attributes:
        place: The key's place in the job.
        help: What it means, in a sentence.
        words: The words that it takes; empty for any text.
        classics: Those of the words that are offered for comparison with the literature.
        classic: Whether the key itself is.
        switch: Whether it is either said or not.
        title: What the literature calls it, of a privacy model; else empty.
        beware: What a model does not promise.
        shape: How its value is written, of a model: `C,L`.
        value: What the job says, as text; empty where it says nothing.
    """

    place: Place
    help: str
    words: tuple[str, ...] = ()
    classics: tuple[str, ...] = ()
    classic: bool = False
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


def fields_of(raw: Mapping[str, object], place: Place, forms: Mapping[str, KeyTable] = FORMS) -> tuple[Field, ...]:
    """The fields of a table of a job, with what the job says.

    Args:
        raw: The job's tables.
        place: That of the table: `("privacy",)`, or `("columns", "age")`.
        forms: The forms of its tables; those of a job on a table if not given.

    >>> from kohort.desk.fields import fields_of
    >>> [(one.key, one.value) for one in fields_of({"privacy": {"k": 5}}, ("privacy",)) if one.value]
    [('k', '5')]
    """
    held = table_at(raw, place)
    return tuple(replace(one, value=written(held.get(one.key))) for one in _fields(place, forms[place[0]]))


def _fields(place: Place, form: KeyTable) -> Iterator[Field]:
    """The fields of a table's form; a column's role has a place of its own on every page."""
    for key in form.keys:
        model, name = key.model, key.place[-1]
        kinds = key.type.classics, key.panel == CLASSICS
        field = Field((*place, name), key.help, key.type.words, *kinds, switch=key.usual is False)
        if model is not None and model.key == name:
            field = replace(field, title=model.title, beware=model.not_promised, shape=model.metavar)
        if name != "role":
            yield field


def read(place: Place, text: str, forms: Mapping[str, KeyTable] = FORMS) -> object:
    """What the text of a field says, as a job file says it; `None` for an empty one.

    It is a value of TOML where the form takes that, or what a flag would say; else a text, which the form may refuse.

    >>> read(("privacy", "k"), " 10 "), read(("columns", "age", "grid"), "18,30,65"), read(("privacy", "k"), "")
    (10, ['18', '30', '65'], None)
    """
    text = text.strip()
    if not text:
        return None
    form = forms[place[0]]
    kind = form[place[-1]].type
    said = [toml_value(text), text, *([kind.text(text, [])] if kind.flag == str | None else [])]
    return next((one for one in said if _fits(form, place[-1], one)), text)


def _fits(form: KeyTable, key: str, value: object) -> bool:
    return all(one.place[:1] != (key,) for one in values(form, {key: value})[1])  # others may be missing


def places_of_t(raw: Mapping[str, object]) -> tuple[Place, ...]:
    """Where a job says t of its columns.

    >>> places_of_t({"columns": {"income": {"t": 0.2}, "age": {}}})
    (('columns', 'income', 't'),)
    """
    columns = table_at(raw, ("columns",))
    return tuple(("columns", name, "t") for name in columns if "t" in table_at(columns, (name,)))


def has_levels(raw: Mapping[str, object]) -> bool:
    """Whether the method of a job gives each column one level of its hierarchy.

    >>> has_levels({"method": {"name": "samarati"}}), has_levels({})
    (True, False)
    """
    method = METHODS.get(str(table_at(raw, ("method",)).get("name", "")))
    return method is not None and method.takes("node")


def button(words: str, changes: Iterable[tuple[Place, object]]) -> str:
    """What a form sends when a button is pressed: its words, and what each of these keys becomes.

    >>> button("k = 5", [(("privacy", "k"), 5)])
    '["k = 5", [[["privacy", "k"], 5]]]'
    """
    return json.dumps([words, list(changes)], default=float)  # of TOML's numbers


def pressed(text: str, sent: str, proposed: Proposed) -> tuple[str, str]:
    """The text of a job after a button was pressed, and the button's words.

    Args:
        text: TOML.
        sent: See `button`.
        proposed: The keys that columns get with their new roles.

    Raises:
        UsageError: no page has such a button.
    """
    try:
        words, said = json.loads(sent)
        return taken(text, {tuple(map(str, place)): value for place, value in said}, proposed), str(words)
    except (ValueError, TypeError, IndexError, RecursionError):
        raise UsageError("no page has this button", hint="load the page again") from None


def differences(before: Mapping[str, object], after: Mapping[str, object]) -> tuple[tuple[str, str, str], ...]:
    """The keys that two jobs say differently, with what each says; empty where one of them does not say it.

    >>> differences({"privacy": {"k": 5}, "rest": "drop"}, {"privacy": {"k": 7}, "rest": "drop"})
    (('privacy.k', '5', '7'),)
    """
    old, new = dict(leaves(before)), dict(leaves(after))
    keys = [*old, *(key for key in new if key not in old)]
    return tuple((key, old.get(key, ""), new.get(key, "")) for key in keys if old.get(key) != new.get(key))


def leaves(table: Mapping[str, object], above: str = "") -> Iterator[tuple[str, str]]:
    """Every key that holds no table, with its value."""
    for key, value in table.items():
        if is_table(value):
            yield from leaves(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", written(value)
