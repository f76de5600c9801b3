"""Changes of a job's text: keys set and roles changed, all else as its author wrote it, comments too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import tomlkit

from kohort.app.fields import item, table_at, written
from kohort.job.lines import read_toml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tomlkit import TOMLDocument

    from kohort.job.lines import Place


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
    altered = cast("dict[str, object]", table_at(document, ("perturb", "columns")))
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


def taken(text: str, changes: Mapping[Place, object]) -> str:
    """The text with a change that advice tells; see `kohort.job.steps`."""
    roles = {place[1]: str(value) for place, value in changes.items() if place[-1] == "role"}
    text = changed(text, {place: one for place, one in changes.items() if place[-1] != "role"})
    return with_roles(text, roles, {}) if roles else text


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
        if isinstance(value, dict):
            yield from _leaves(cast("dict[str, object]", value), f"{above}{key}.")
        else:
            yield f"{above}{key}", written(value)
