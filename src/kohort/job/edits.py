"""Changes of the text of a job: all else stays as its author wrote it, comments too."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import tomlkit

from kohort.job.keys import is_list, is_table
from kohort.job.lines import read_toml

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from tomlkit import TOMLDocument

    from kohort.job.lines import Place


#: What columns get with their new roles: the keys by column.
Proposed: TypeAlias = "Callable[[Mapping[str, str]], Mapping[str, Mapping[str, object]]]"


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


def taken(text: str, changes: Mapping[Place, object], proposed: Proposed = lambda _: {}) -> str:
    """The text with a change that advice tells, or a button; see `kohort.job.steps`."""
    roles = {place[1]: str(value) for place, value in changes.items() if place[-1] == "role"}
    text = changed(text, {place: value for place, value in changes.items() if place[-1] != "role"})
    return with_roles(text, roles, proposed(roles)) if roles else text


def table_at(raw: Mapping[str, object], place: Iterable[str]) -> Any:  # noqa: ANN401  the tables of tomlkit, too
    """The table at a place; an empty one where there is none."""
    held: Any = raw
    for key in place:
        held = held.get(key, {}) if is_table(held) else {}
    return held if is_table(held) else {}


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
