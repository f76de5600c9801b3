"""The fields of a page, from the form of a job: names, sentences and words, and what a job says of each."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import tomlkit

from kohort.algorithms.method import METHODS
from kohort.errors import UsageError
from kohort.job.form import COLUMN, METHOD, PERSON, PRIVACY, PURPOSE
from kohort.job.keys import is_list, is_table
from kohort.job.lines import read_toml, toml_value
from kohort.job.parts import read as values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from tomlkit import TOMLDocument

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


def fields_of(raw: Mapping[str, object], place: Place, forms: Mapping[str, KeyTable] = FORMS) -> tuple[Field, ...]:
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


def _fields(place: Place, form: KeyTable) -> Iterator[Field]:
    """The fields of a table's form; a column's role has a place of its own on every page."""
    for key in form.keys:
        model, name = key.model, key.place[-1]
        field = Field((*place, name), key.help, key.type.words, key.usual is False)
        if model is not None and model.key == name:
            field = replace(field, title=model.title, beware=model.not_promised, shape=model.metavar)
        if name != "role":
            yield field


def written(value: object) -> str:
    """A value of a job as a field shows it: a word as it is, anything else as TOML.

    >>> written("mondrian"), written(True), written([0, 1]), written({"c": 1, "l": 2}), written(None)
    ('mondrian', 'true', '[0, 1]', '{c = 1, l = 2}', '')
    """
    if value is None or isinstance(value, str):
        return value or ""
    if is_list(value):
        return f"[{', '.join(item(one).as_string() for one in value)}]"
    return str(item(value).as_string())


def item(value: object) -> Any:  # noqa: ANN401  tomlkit's own
    """A value as tomlkit has it; it reads a list of thousands in a second, and takes minutes to put it together."""
    if is_list(value):
        return tomlkit.value(written(value))
    return cast("Any", tomlkit.item)(inline(value))


def inline(value: object) -> object:
    """A table on one line; numbers as they are."""
    if not is_table(value):
        return float(value) if isinstance(value, Decimal) else value
    made: Any = tomlkit.inline_table()
    made.update({key: inline(one) for key, one in value.items()})
    return made


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


def table_at(raw: Mapping[str, object], place: Iterable[str]) -> Any:  # noqa: ANN401  the tables of tomlkit, too
    """The table at a place; an empty one where there is none."""
    held: Any = raw
    for key in place:
        held = held.get(key, {}) if is_table(held) else {}
    return held if is_table(held) else {}


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


# --- changes of a job's text: all else stays as its author wrote it, comments too -------------------------------------


def changed(text: str, values: Mapping[Place, object]) -> str:
    r"""The text with these keys set, all else as it was written, comments too.

    Args:
        text: TOML.
        values: What each key is to be; `None` takes it out.

    >>> print(changed("[privacy]\nk = 5 # why\n", {("privacy", "k"): 10, ("method", "name"): "optimal"}))
    [privacy]
    k = 10 # why
    <BLANKLINE>
    [method]
    name = "optimal"
    <BLANKLINE>
    """
    document = _parsed(text)
    for place, value in values.items():
        if value is None:
            table_at(document, place[:-1]).pop(place[-1], None)
        else:
            _put(document, place, value)
    return tomlkit.dumps(document)


def _parsed(text: str) -> TOMLDocument:
    """A job with its blanks and comments; refused as `read_toml` refuses it, before it nests more than can be read."""
    read_toml(text)
    return tomlkit.parse(text)


def _put(document: TOMLDocument, place: Place, value: object) -> None:
    """Set a key; what is said of it in a comment behind it stays."""
    table = _made(document, place[:-1])
    made = item(value)
    if place[-1] in table:
        before = table[place[-1]]
        made.trivia.comment_ws, made.trivia.comment = before.trivia.comment_ws, before.trivia.comment
    table[place[-1]] = made


def _made(document: TOMLDocument, place: Place) -> Any:  # noqa: ANN401  tomlkit's tables have no common type
    held: Any = document
    for at, key in enumerate(place, 1):
        if key not in held:
            held[key] = tomlkit.table(is_super_table=at < len(place))
        held = held[key]
    return held


def with_roles(text: str, roles: Mapping[str, str], proposed: Mapping[str, Mapping[str, object]]) -> str:
    """The text with other roles; a column whose role changes loses what was said of it, and gets what is proposed.

    Args:
        text: TOML.
        roles: The role that each column is to have; one that it has already changes nothing.
        proposed: The keys that each of these columns gets with its new role.
    """
    document = _parsed(text)
    whole: Any = document
    said: list[str] = whole.get("answers", [])
    answers = [name for name in said if roles.get(name, "insensitive") == "insensitive"]
    if len(answers) < len(said):
        document["answers"] = item(answers)
    columns: Any = _made(document, ("columns",))
    altered = table_at(document, ("perturb", "columns"))
    for name, role in roles.items():
        if table_at(columns, (name,)).get("role") == role:
            continue
        table: Any = tomlkit.table()
        for key, value in {"role": role, **proposed.get(name, {})}.items():
            table[key] = item(value)
        columns[name] = table
        altered.pop(name, None)
    if "perturb" in document and not altered:
        del document["perturb"]
    return tomlkit.dumps(document)


def button(words: str, changes: Iterable[tuple[Place, object]]) -> str:
    """What a form sends when a button is pressed: its words, and what each of these keys becomes.

    >>> button("k = 5", [(("privacy", "k"), 5)])
    '["k = 5", [[["privacy", "k"], 5]]]'
    """
    return json.dumps([words, list(changes)], default=float)  # of TOML's numbers


#: What columns get with their new roles: the keys by column.
Proposed: TypeAlias = "Callable[[Mapping[str, str]], Mapping[str, Mapping[str, object]]]"


def taken(text: str, changes: Mapping[Place, object], proposed: Proposed = lambda _: {}) -> str:
    """The text with a change that advice tells, or a button; see `kohort.job.steps`."""
    roles = {place[1]: str(value) for place, value in changes.items() if place[-1] == "role"}
    text = changed(text, {place: value for place, value in changes.items() if place[-1] != "role"})
    return with_roles(text, roles, proposed(roles)) if roles else text


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
    old, new = dict(_leaves(before)), dict(_leaves(after))
    keys = [*old, *(key for key in new if key not in old)]
    return tuple((key, old.get(key, ""), new.get(key, "")) for key in keys if old.get(key) != new.get(key))


def _leaves(table: Mapping[str, object], above: str = "") -> Iterator[tuple[str, str]]:
    """Every key that holds no table, with its value."""
    for key, value in table.items():
        if is_table(value):
            yield from _leaves(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", written(value)
