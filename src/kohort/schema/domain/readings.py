"""Labels that could be read in two ways: a column in which they can occur is refused before the search.

A release says `31` of a person of 31. It must not say it of people of 30 to 32 because a node has that label too.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kohort.errors import InputError
from kohort.schema import Label, Scale
from kohort.schema.nesting import fault, listed, told_twofold
from kohort.shown import many

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from kohort.schema.domain.base import Domain

#: How a missing value is written in a set or at an end of a range.
_MISSING: Final = "(missing)"

_set = re.compile(r"\{(.+)\}", re.DOTALL).fullmatch
_range = re.compile(r"\[(.+)\]", re.DOTALL).fullmatch
_member = re.compile(r'"(?:[^"\\]|\\.)*"|[^{},"]+')


def check_readings(domain: Domain) -> None:
    """Refuse a domain whose labels could be read in two ways.

    Raises:
        HierarchyError: a node has the label of a leaf and covers others, or two nodes that do not contain one another
            have one label.
        InputError: a value is spelled like a set or a range of other values, or two ranges would be spelled alike.

    >>> import numpy as np
    >>> from kohort.schema import Attribute, Role
    >>> from kohort.schema.domain.values import resolve
    >>> from kohort.schema.hierarchy import Hierarchy
    >>> rows = Hierarchy.from_rows([["30", "31", "*"], ["31", "y", "*"]])
    >>> ages = Attribute("age", Role.QUASI, hierarchy=rows, label=Label.ANCESTOR)
    >>> check_readings(resolve(ages, ["30", "31"], np.array([5, 5]), frozenset())[0])
    Traceback (most recent call last):
    kohort.errors.HierarchyError: 1 label stands for different values on different levels: '31'
      where: hierarchy of age
      hint: rename the nodes, so that each label means one set of values
    """
    hierarchy, name = domain.hierarchy, domain.attribute.name
    if domain.label is Label.ANCESTOR and hierarchy is not None:
        if twofold := hierarchy.twofold(domain.attribute.max_level):
            shown = "" if isinstance(domain.attribute.hierarchy, str) else f": {listed(twofold)}"
            what = f"{told_twofold(twofold)}{shown}"
            raise fault(what, name, hint="rename the nodes, so that each label means one set of values")
    elif domain.scale is Scale.CATEGORICAL and (count := len(_misread(domain))):
        values = many(count, "value is", "values are")
        hint = "is the table a release already? Rename these values, or give the column a hierarchy"
        raise InputError(f"{values} spelled like a label of other values", where=f"column {name}", hint=hint)


def _misread(domain: Domain) -> set[str]:
    """The names that stand in a label of other names, or are spelled like one."""
    known = {text or _MISSING for text in domain.texts}
    missing = {_MISSING} if "" in domain.texts and _MISSING in domain.texts else set[str]()
    if domain.label is Label.RANGE:
        alone = {name for name in known if (found := _range(name)) and any(_ends(found[1], known))}
        return alone | missing | _spelled_alike(known)
    return {name for name in known if (found := _set(name)) and _is_set(found[1], known)}


def _is_set(inside: str, known: Collection[str]) -> bool:
    """Whether the text between braces lists several of the known names."""
    members = [member.strip().strip('"') for member in _member.findall(inside)]
    return len(members) > 1 and all(member in known for member in members)


def _ends(inside: str, known: Collection[str]) -> Iterator[tuple[str, str]]:
    """The pairs of known names with a hyphen between them that are spelled so."""
    for at, letter in enumerate(inside):
        if letter == "-" and inside[:at] in known and inside[at + 1 :] in known:
            yield inside[:at], inside[at + 1 :]


def _spelled_alike(known: Collection[str]) -> set[str]:
    """The names that make two ranges one text: `A-B` to `C` and `A` to `B-C`."""
    after, before = _parts(known, head=True), _parts(known, head=False)
    return {name for middle in after.keys() & before.keys() for name in (*after[middle], *before[middle])}


def _parts(known: Collection[str], *, head: bool) -> dict[str, list[str]]:
    """What is left of names that begin, or else end, with another name and a hyphen; and which names these are."""
    left: dict[str, list[str]] = {}
    for name in known:
        for at in [at for at, letter in enumerate(name) if letter == "-"]:
            part, rest = (name[:at], name[at + 1 :]) if head else (name[at + 1 :], name[:at])
            if part in known:
                left.setdefault(rest, []).append(name)
    return left
