"""Labels that could be read in two ways: a column in which they can occur is refused before the search.

A release says `31` of a person of 31. It must not say it of people of 30 to 32 because a node has that label too, nor
`NA` of people of North America where the job says that `NA` is a missing value. Only `*` is anything, whatever the job
says.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.errors import InputError
from kohort.errors.display import many
from kohort.schema import Label, Scale
from kohort.schema.dates import formats_of
from kohort.schema.nesting import ABSENT, SUPPRESSED, fault, listed, told_twofold
from kohort.schema.numbers import exact, is_numeric_text
from kohort.schema.open_ends import is_open_label

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from kohort.schema.domain.base import Domain
    from kohort.schema.hierarchy import Hierarchy

#: What to do about a value that is spelled like a label.
_RENAME: Final = (
    "is the table a release already? Rename these values, or give the column a hierarchy; if * means a missing "
    "value, declare it: --missing-token '*'"
)

#: What to do about labels of a release.
_AGAIN: Final = (
    "is the table a release already? Release the original again, or give the column a hierarchy that joins these labels"
)

#: What to do about labels that several nodes have, or a value and a node that a builder makes.
_NODES: Final = "name the nodes with their parents (FILE:qualify), or so that each label means one set of values"
_BUILT: Final = "the builder's nodes have names of values: rename the values, or use a hierarchy file"

#: What to do about a missing token that means something else, too.
_EMPTY: Final = "leave the cells of missing values empty in the table, or release the column with another label"

#: So many numbers for each word make a column one of numbers.
_NUMBERS: Final = 10

#: What to do about a few words among them.
_SCATTERED: Final = (
    "--missing-token TEXT if they mean a missing value; one label at each end, such as 90+ or under 18, is understood; "
    "for sets of single values"
)

_END: Final = r"(?:-?[0-9]{1,20}(?:\.[0-9]{1,20})?|[0-9]{4,5}-[0-9]{2}-[0-9]{2})"
_printed = re.compile(rf"\[{_END}(?:-| – ){_END}[\])]").fullmatch
_set = re.compile(r"\{(.+)\}", re.DOTALL).fullmatch
_range = re.compile(r"\[(.+)\]", re.DOTALL).fullmatch
_half_open = re.compile(r"\[(.+)\)", re.DOTALL).fullmatch
_plain_members = re.compile(r'[^{},"]+').findall
_member = re.compile(r'("(?:[^"\\]|\\.)*+"|[^{},"]+)|"(.*)', re.DOTALL).findall  # or all after a quote that never ends


def check_readings(domain: Domain, missing: Collection[str]) -> None:
    """Refuse a domain whose labels could be read in two ways.

    Args:
        domain: The values, and how they are released.
        missing: The schema's missing tokens.

    Raises:
        HierarchyError: a node has the label of a leaf and covers others, or two nodes that do not contain one another
            have one label; or a node is called like a missing token.
        InputError: a value is spelled like a set or a range of values or like what stands for anything, two
            ranges would be spelled alike, or a label would be spelled like a missing token.

    >>> import numpy as np
    >>> from kohort.schema import Attribute, Role
    >>> from kohort.schema.domain import resolve
    >>> from kohort.schema.hierarchy import Hierarchy
    >>> rows = Hierarchy.from_rows([["30", "31", "*"], ["31", "y", "*"]])
    >>> ages = Attribute("age", Role.QUASI, hierarchy=rows, label=Label.ANCESTOR)
    >>> check_readings(resolve(ages, ["30", "31"], np.array([5, 5]), frozenset())[0], frozenset())
    Traceback (most recent call last):
    kohort.errors.HierarchyError: 1 label stands for different values on different levels: '31'
      where: hierarchy of age
      hint: name the nodes with their parents (FILE:qualify), or so that each label means one set of values
    """
    hierarchy, name = domain.hierarchy, domain.attribute.name
    if domain.label is Label.ANCESTOR and hierarchy is not None:
        if twofold := hierarchy.twofold(domain.attribute.max_level):
            what = f"{told_twofold(twofold)}{_shown(domain, twofold)}"
            built = isinstance(domain.attribute.hierarchy, str)
            raise fault(what, name, hint=_BUILT if built else _NODES)
        if lost := (_nodes(domain, hierarchy) - {SUPPRESSED}) & {*missing}:
            what = f"{many(len(lost), 'label is', 'labels are')} spelled like a missing value{_shown(domain, lost)}"
            raise fault(what, name, hint="rename the nodes, or leave the cells of missing values empty in the table")
        return
    if tokens := [token for token in missing if token and _is_label(domain, token)]:
        what = f"{many(len(tokens), 'missing token is', 'missing tokens are')} spelled like a label of values"
        raise InputError(what, where=f"column {name}", hint=_EMPTY)
    if count := sum(map(_is_released, domain.texts)) if domain.scale is Scale.CATEGORICAL else 0:
        values = many(count, "value is", "values are")
        raise InputError(f"{values} spelled like the labels of a release", where=f"column {name}", hint=_AGAIN)
    if count := len(_misread(domain)):
        values = many(count, "value is", "values are")
        raise InputError(f"{values} spelled like a label of other values", where=f"column {name}", hint=_RENAME)
    if told := _scattered(domain):
        hint = f"{_SCATTERED} --scale {name}=categorical"
        raise InputError(told, where=f"column {name}", hint=hint)


def _scattered(domain: Domain) -> str:
    """What keeps a column of numbers or dates from being one, so that its labels would be sets of scattered ones."""
    attribute = domain.attribute
    if domain.scale is not Scale.CATEGORICAL or (attribute.scale, attribute.order) != (None, None) or domain.hierarchy:
        return ""
    texts = [text for text in domain.texts if text]
    words = [text for text in texts if not any(letter.isdigit() for letter in text) or is_open_label(text)]
    odd = [text for text in texts if not is_numeric_text((text,))]
    words = odd if len(odd) == 1 else [text for text in words if not is_numeric_text((text,))]
    rest = {*texts}.difference(words)
    if not words or len(rest) < _NUMBERS * len(words) or attribute.label is Label.SET:
        return ""
    kind = "numbers" if is_numeric_text(rest) else "dates" if formats_of([*rest]) else ""
    return kind and f"{many(len(words), f'value is no {kind[:-1]}', f'values are no {kind}')}, and {len(rest):,} are"


def _shown(domain: Domain, labels: Collection[str]) -> str:
    """The labels, unless the table's values are theirs: a hierarchy that is built over them is no public one."""
    return "" if isinstance(domain.attribute.hierarchy, str) else f": {listed(sorted(labels))}"


def _nodes(domain: Domain, hierarchy: Hierarchy) -> set[str]:
    """The labels that values may get, as far up as the attribute's levels go; not those of the missing value."""
    highest = domain.attribute.max_level
    leaves = np.delete(domain.leaves, [domain.missing] if domain.missing >= 0 else [])
    levels = [*zip(hierarchy.labels, hierarchy.maps, strict=True)][: None if highest is None else highest + 1]
    return {labels[node] for labels, above in levels for node in set(above[leaves].tolist())}


def _is_label(domain: Domain, token: str) -> bool:
    """Whether a text that means a missing value could be the label of some values, too."""
    if domain.scale is Scale.CATEGORICAL:
        known = {text or ABSENT for text in domain.texts}
        return _spelled(domain, token, known, _lengths(known), all)
    texts = domain.texts[domain.missing + 1 :]
    if domain.label is Label.MEAN and texts and is_numeric_text((token,)):
        return exact(texts[0]) <= exact(token) <= exact(texts[-1])
    ends = {end for edge in domain.edges for end in edge} or {*texts}
    found = _half_open(token) if domain.edges else _range(token)
    return token in texts or (found is not None and any(_ends(found[1], ends, _lengths(ends))))


def _spelled(
    domain: Domain,
    name: str,
    known: Collection[str],
    lengths: Collection[int],
    enough: Callable[[Iterable[bool]], bool] = any,
) -> bool:
    """Whether a name is spelled like a label of several names, of which `enough` are known, of a range both ends."""
    if domain.label is Label.RANGE:
        return (found := _range(name)) is not None and any(_ends(found[1], known, lengths))
    return (found := _set(name)) is not None and _is_set(found[1], known, enough)


def _misread(domain: Domain) -> set[str]:
    """The names that stand in a label of others, or are spelled like one; of numbers, labels like `>=85` beside 85."""
    if domain.scale is not Scale.CATEGORICAL:
        return {text for text in domain.texts if text[:2] in {"<=", ">="} and text[2:] in domain.texts}
    known = {text or ABSENT for text in domain.texts}
    missing = {ABSENT} if "" in domain.texts and ABSENT in domain.texts else set[str]()
    lengths = _lengths(known)
    alone = {name for name in known if name == SUPPRESSED or _spelled(domain, name, known, lengths)}
    return alone | missing | _spelled_alike(known, lengths) if domain.label is Label.RANGE else alone


def _is_released(text: str) -> bool:
    """Whether a name is spelled like a range of numbers or dates, or a set, whose values need not be known.

    >>> [_is_released(text) for text in ("[20-24)", "[1990-01-01 – 1995-01-01)", "{flu, gout}", "[20]", "20-24")]
    [True, True, True, False, False]
    """
    return _printed(text) is not None or (text[:1] + text[-1:] == "{}" and ", " in text)


def _is_set(inside: str, known: Collection[str], enough: Callable[[Iterable[bool]], bool]) -> bool:
    """Whether the text between braces lists several names, of which `enough` are known."""
    members = [_unquoted(member.strip()) for member in _listed(inside)]
    return len(members) > 1 and enough(member in known for member in members)


def _listed(inside: str) -> Iterator[str]:
    """The members of a set as they stand between its braces."""
    for member, rest in _member(inside):
        yield from (member,) if member else _plain_members(rest)


def _unquoted(member: str) -> str:
    """A member of a set as it is without quotes."""
    with suppress(ValueError):
        return str(json.loads(member)) if member.startswith('"') else member
    return member.strip('"')


def _lengths(known: Collection[str]) -> set[int]:
    """How long names are: a long text is cut at none of its hyphens but those where one of them can end."""
    return {*map(len, known)}


def _cuts(text: str, ends: Collection[int]) -> Iterator[tuple[str, str]]:
    """What stands before and after each hyphen of a text, where so many characters stand before it."""
    for at, letter in enumerate(text):
        if letter == "-" and at in ends:
            yield text[:at], text[at + 1 :]


def _ends(inside: str, known: Collection[str], lengths: Collection[int]) -> Iterator[tuple[str, str]]:
    """The pairs of known names with a hyphen between them that are spelled so."""
    return ((low, high) for low, high in _cuts(inside, lengths) if low in known and high in known)


def _spelled_alike(known: Collection[str], lengths: Collection[int]) -> set[str]:
    """The names that make two ranges one text: `A-B` to `C` and `A` to `B-C`."""
    after: dict[str, list[str]] = {}
    before: dict[str, list[str]] = {}
    for name in known:
        for head, rest in _cuts(name, lengths):
            if head in known:
                after.setdefault(rest, []).append(name)
        for tail, rest in _cuts(name[::-1], lengths):  # from the end: as many characters as a name has stand after it
            if tail[::-1] in known:
                before.setdefault(rest[::-1], []).append(name)
    return {name for middle in after.keys() & before.keys() for name in (*after[middle], *before[middle])}
