"""The TOML of a job: what it says, within bounds, and on which line each of its tables and keys stands."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from kohort.errors import UsageError
from kohort.job.keys import is_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

#: A path of keys into a job: `("columns", "age", "role")`.
Place: TypeAlias = tuple[str, ...]

#: Letters of a job at most, and strings, comments and signs that divide it: a draft for 7,000 columns has
#: 1.4 million and 115,000. To read that many signs takes some seconds.
LONGEST: Final = 1 << 21
_MOST: Final = 120_000

#: What helps.
_SHORTER: Final = "name long lists in files of their own, such as private-file, and columns alike by --rest"

#: Parts of a key, and brackets round a value, at most: a job has four levels.
_DEEPEST: Final = 10

#: Strings and comments, in which nothing else has a meaning, and the signs that divide a text or nest its values.
#: Strings need not end, so that each letter of a text that is no TOML is looked at once.
_MARK: Final = re.compile(
    r'"""(?:[^"\\]++|\\.|"{1,2}(?!"))*+"{0,5}'
    r"|'''(?:[^']++|'{1,2}(?!'))*+'{0,5}"
    r'|"(?:[^"\\\n]++|\\.)*+"?'
    r"|'[^'\n]*+'?"
    r"|#[^\n]*+"
    r"|[][{}.,=\n]",
    re.DOTALL,
)


def read_toml(text: str, parse_float: Callable[[str], object] = float) -> dict[str, Any]:
    """What a TOML text says; one that no job could be is not read.

    >>> read_toml("privacy.k = 5")
    {'privacy': {'k': 5}}
    """
    if len(text) > LONGEST:
        raise UsageError(f"the job has more than {LONGEST:,} letters", hint=_SHORTER)
    for _ in _statements(text):
        pass
    try:
        return tomllib.loads(text, parse_float=parse_float)
    except ArithmeticError:
        raise ValueError("an exponent that no number has") from None


def toml_value(text: str, parse_float: Callable[[str], object] = float) -> object:
    """A value of TOML; a text that is none stands for itself, and so do thousands of digits or brackets.

    >>> toml_value("[1, 2]"), toml_value("mondrian")
    ([1, 2], 'mondrian')
    """
    try:
        held = read_toml(f"value = {text}", parse_float)
    except (ValueError, UsageError):  # what is no TOML is a ValueError, too
        return text
    return held["value"] if len(held) == 1 else text


def lines_of(text: str) -> dict[Place, int]:
    r"""The line of each table and key of a valid TOML text, keys of inline tables included.

    >>> lines_of("k = 5\n[columns]\nage.role = 'quasi'\n")
    {('k',): 1, ('columns',): 2, ('columns', 'age'): 3, ('columns', 'age', 'role'): 3}
    """
    found: dict[Place, int] = {}
    table: Place = ()
    for number, statement in _statements(text):
        heads = statement.lstrip().startswith("[")
        places = list(_places(tomllib.loads(statement), () if heads else table))
        if heads:
            table = places[-1]
        for place in places:
            found.setdefault(place, number)
    return found


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Each statement of a TOML text, or some blank ones: the number of its first line, and its text.

    Raises:
        UsageError: a key has more parts, or a value more brackets round it, than any job has.
    """
    text = text.replace("\r\n", "\n")
    start = depth = parts = 0
    line = first = 1
    for number, found in enumerate(_MARK.finditer(text)):
        mark = found[0]
        line += mark.count("\n")
        depth += (mark in "[{") - (mark in "]}")
        if len(mark) == 1:
            parts = parts + 1 if mark == "." else 0
        if max(depth, parts) > _DEEPEST:
            raise UsageError("keys are nested too deeply", where=f"line {line}", hint="a job has four levels")
        if number == _MOST:
            what = f"the job has more than {_MOST:,} strings, comments and signs"
            raise UsageError(what, where=f"line {line}", hint=_SHORTER)
        if mark == "\n" and depth <= 0:
            yield first, text[start : found.end()]
            start, first, depth = found.end(), line, 0
    yield first, text[start:]


def _places(tree: Mapping[str, Any], above: Place) -> Iterator[Place]:
    for key, value in tree.items():
        yield (*above, key)
        if is_table(value):
            yield from _places(value, (*above, key))
