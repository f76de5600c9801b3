"""Items' names: what may be one, and what is said where something may not. No message repeats one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kohort.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Control characters, line and paragraph separators, lone surrogates: they break lines, terminals or encodings. The
#: line feed is left to those who look at one name at a time.
UNPRINTABLE: Final = re.compile("[\0-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def check_items(names: Sequence[str], where: str) -> tuple[str, ...]:
    """The names, if they tell items apart and can be shown.

    Raises:
        InputError: a name is empty, used twice or not printable.

    >>> check_items(["bread", "milk"], "the matrix")
    ('bread', 'milk')
    """
    empty = sum(not name for name in names)
    if empty:
        raise InputError(f"{empty} items without a name", where=where)
    odd = sum("\n" in name or bool(UNPRINTABLE.search(name)) for name in names)
    if odd:
        what = f"{odd} items whose names hold control characters"
        raise InputError(what, where=where, hint="line ends, tabs and the like cannot be shown; rename the items")
    if len(set(names)) < len(names):
        twice = len(names) - len(set(names))
        raise InputError(f"{twice} items have a name that another has", where=where, hint="rename them")
    return tuple(names)
