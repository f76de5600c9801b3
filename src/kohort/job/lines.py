"""On which line of a TOML text each of its tables and keys stands."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any, TypeAlias, cast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

#: A path of keys into a job: `("columns", "age", "role")`.
Place: TypeAlias = tuple[str, ...]

#: One of these ends every value that spans lines.
_CLOSERS = ("]", "}", '"""', "'''")


def lines_of(text: str) -> dict[Place, int]:
    r"""The line of each table and key of a valid TOML text, keys of inline tables included.

    The TOML reader itself is asked: a statement is the fewest whole lines that it accepts.

    >>> lines_of("k = 5\n[columns]\nage.role = 'quasi'\n")
    {('k',): 1, ('columns',): 2, ('columns', 'age'): 3, ('columns', 'age', 'role'): 3}
    """
    found: dict[Place, int] = {}
    table: Place = ()
    for number, statement, tree in _statements(text):
        heads = statement.lstrip().startswith("[")
        places = list(_places(tree, () if heads else table))
        if heads:
            table = places[-1]
        for place in places:
            found.setdefault(place, number)
    return found


def _statements(text: str) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
    """Each statement of a TOML text: the number of its first line, its text and what it says."""
    held, start = "", 1
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), start=1):
        closes = not held or any(closer in line for closer in _CLOSERS)
        held += line + "\n"
        tree = _read(held) if closes else None
        if tree is not None:
            yield start, held, tree
            held, start = "", number + 1


def _read(statement: str) -> Mapping[str, Any] | None:
    """What a statement says; `None` where it is not complete."""
    try:
        return tomllib.loads(statement)
    except tomllib.TOMLDecodeError:
        return None


def _places(tree: Mapping[str, Any], above: Place) -> Iterator[Place]:
    """The paths of all keys of nested tables, from the outermost."""
    for key, value in tree.items():
        yield (*above, key)
        if isinstance(value, dict):
            yield from _places(cast("dict[str, Any]", value), (*above, key))
