"""Hierarchies in one word, for a command line or a job file: `intervals:16..95:5,10,20`, `mask:right`, or a file."""

from __future__ import annotations

import re
from difflib import get_close_matches
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, cast

from kohort.errors import UsageError
from kohort.schema.dates import DateFormat
from kohort.schema.hierarchies.files import file_of, read_hierarchy
from kohort.schema.hierarchies.intervals import intervals
from kohort.schema.hierarchies.prefixes import prefix, suffix
from kohort.schema.hierarchies.public import PUBLIC, known_words, public
from kohort.schema.hierarchies.sets import PERIODS, dates, frequent, groups, mask, suppress
from kohort.schema.hierarchies.spelling import spelled
from kohort.schema.numbers import exact, is_numeric_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kohort.schema.hierarchies.sets import Period
    from kohort.schema.hierarchy import Hierarchy

#: Largest range whose whole numbers all become leaves; nobody lists a larger domain.
_LARGEST_DOMAIN = 1_000_000

_NUMBER = r"-?(?:[0-9]{1,100}(?:\.[0-9]{1,100})?|\.[0-9]{1,100})"
_LENGTHS = r"(?::(?P<lengths>[1-9][0-9]{0,3}(?:,[1-9][0-9]{0,3})*))?"
_PERIOD = "(?:month|quarter|year|decade)"
_FORM = "|".join(re.escape(form) for form in DateFormat)

#: Examples of each builder, for the hint of an error.
_EXAMPLES = MappingProxyType(
    {
        "intervals": "intervals:5,10,20 or intervals:16..95:5,10,20 or intervals:20..90:5,10:open",
        "mask": "mask:right or mask:left or mask:right:0, which lengthens short values by 0",
        "prefix": "prefix or prefix:1,3, which keeps three characters, then one, or prefix:1,3:halves",
        "suffix": "suffix or suffix:4, which keeps the last four characters, or suffix:4:halves",
        "dates": "dates or dates:month,year or dates:dd/mm/yyyy or dates:dd.mm.yy:1930:year, years from 1930 to 2029",
        "groups": "groups:2 or groups:2,4,8: so many neighbours in sorted order, each a multiple of the one before",
        "suppress": "suppress",
        "public": f"public: and one of {', '.join(PUBLIC)}",
        "spellings": "spellings",
        "frequency": "frequency:10 or frequency:5%",
    }
)

_whole = re.compile(r"-?(?:0|[1-9][0-9]{0,17})").fullmatch


def from_spec(  # noqa: PLR0911  one for each builder
    text: str, values: Sequence[str], *, name: str = "", counts: Mapping[str, int] | None = None
) -> Hierarchy:
    """The hierarchy over the values that a short text asks for.

    Where `intervals` names a range and it and all values are whole, the leaves are all whole numbers of the range:
    a declared domain.

    Args:
        text: A builder with its arguments, or the path of a file.
        values: The distinct values of the column without missing ones. A file is read whatever they are.
        name: The attribute, for messages.
        counts: How many records have each value: `frequency` and `spellings` need them, `intervals` and `dates` find
            far ones by them.

    Raises:
        UsageError: a misspelt builder, or one whose arguments cannot be read.
        HierarchyError: what the builder or the reader refuses.
        InputError: no such file.

    >>> ages = from_spec("intervals:16..95:5,10,20", ["17", "42"])
    >>> ages.height, len(ages.leaves)
    (4, 80)
    >>> from_spec("mask:right", ["20139", "20121"]).labels[2]
    ('201**',)
    >>> from_spec("groups:2,4", ["10", "9", "1", "2", "30"]).labels[1:]
    (('{1, 2}', '{9, 10}', '30'), ('{1, 2, 9, 10}', '30'), ('*',))
    """
    found = _builder(text, name, Path())
    if found is None:
        return read_hierarchy(text, name=name)
    match text.partition(":")[0]:
        case "intervals":
            return _intervals(found, values, counts, name)
        case "mask":
            return mask(
                values, side="left" if found["side"] == "left" else "right", fill=found["fill"] or "", name=name
            )
        case "prefix" | "suffix" as end:
            lengths = [int(one) for one in found["lengths"].split(",")] if found["lengths"] else None
            made = prefix if end == "prefix" else suffix
            return made(values, lengths, halves=bool(found["halves"]), name=name)
        case "dates":
            periods = cast("list[Period]", found["periods"].split(",")) if found["periods"] else PERIODS
            form, pivot = DateFormat(found["form"]) if found["form"] else None, int(found["pivot"] or 0) or None
            return dates(values, periods, counts=counts, form=form, pivot=pivot, name=name)
        case "groups":
            return _groups([int(size) for size in found["sizes"].split(",")], values, name)
        case "suppress":
            return suppress(values, name=name)
        case "public":
            return public(found["tree"], values, name=name)
        case "spellings":
            return spelled(_counted(counts, "spellings", name), known=known_words(), name=name)
        case _:
            return _frequent(found, counts, name)


def is_builder(text: str, *, name: str = "", folder: Path = Path()) -> bool:
    """Whether a short text asks for a builder; else it is the path of a file, relative to `folder`.

    Raises:
        UsageError: a misspelt builder, or one whose arguments cannot be read.

    >>> is_builder("dates:year"), is_builder("cities.csv"), is_builder("./dates")
    (True, False, False)
    """
    return _builder(text, name, folder) is not None


@cache
def _arguments() -> Mapping[str, re.Pattern[str]]:
    """What may follow each builder's name."""
    return {
        "intervals": re.compile(
            rf":(?:(?P<low>{_NUMBER})\.\.(?P<high>{_NUMBER}):)?(?P<widths>{_NUMBER}(?:,{_NUMBER})*)(?P<open>:open)?"
        ),
        "mask": re.compile(r"(?::(?P<side>left|right)(?::(?P<fill>.))?)?"),
        "prefix": re.compile(rf"{_LENGTHS}(?P<halves>:halves)?"),
        "suffix": re.compile(rf"{_LENGTHS}(?P<halves>:halves)?"),
        "dates": re.compile(
            rf"(?::(?P<form>{_FORM}))?(?::(?P<pivot>[0-9]{{4}}))?(?::(?P<periods>{_PERIOD}(?:,{_PERIOD})*))?"
        ),
        "groups": re.compile(r":(?P<sizes>[1-9][0-9]{0,8}(?:,[1-9][0-9]{0,8})*)"),
        "suppress": re.compile(""),
        "public": re.compile(f":(?P<tree>{'|'.join(PUBLIC)})"),
        "spellings": re.compile(""),
        "frequency": re.compile(rf":(?:(?P<keep>[0-9]{{1,9}})|(?P<share>{_NUMBER})%)"),
    }


def _builder(text: str, name: str, folder: Path) -> re.Match[str] | None:
    """The arguments of the builder that the text asks for; `None` where it is the path of a file."""
    builder = text.partition(":")[0]
    if builder in (arguments := _arguments()):
        found = arguments[builder].fullmatch(text, len(builder))
        if not found:
            raise _misread(f"cannot read the arguments of {builder}", name, builder)
        return found
    near = get_close_matches(builder, arguments, n=1) if builder.isalpha() else ()  # a path has dots and strokes
    if near and not (folder / file_of(text)).exists():
        raise _misread(f"no builder or file is called {builder}", name, near[0])
    return None


def _intervals(found: re.Match[str], values: Sequence[str], counts: Mapping[str, int] | None, name: str) -> Hierarchy:
    low, high, widths, open_ends = found["low"], found["high"], found["widths"].split(","), bool(found["open"])
    if low and high and not open_ends and all(map(_whole, (low, high, *values))):
        listed = range(int(low), int(high) + 1)
        values = [*map(str, listed if len(listed) <= _LARGEST_DOMAIN else ()), *values]
    return intervals(values, widths, low=low, high=high, open_ends=open_ends, counts=counts, name=name)


def _groups(sizes: Sequence[int], values: Sequence[str], name: str) -> Hierarchy:
    """Neighbours in sorted order put together: numbers by size, other values by their text."""
    if any(above % below or above == below for below, above in pairwise((1, *sizes))):
        raise _misread("the sizes of groups must grow, each a multiple of the one before", name, "groups")
    order = sorted(set(values), key=exact if is_numeric_text(values) else None)
    levels: list[list[int]] = []
    nodes = len(order)
    for below, above in pairwise((1, *(size for size in sizes if size < len(order)))):
        step = above // below
        levels.append([min(step, nodes - at) for at in range(0, nodes, step)])
        nodes = len(levels[-1])
    return groups(order, *levels, name=name)


def _frequent(found: re.Match[str], counts: Mapping[str, int] | None, name: str) -> Hierarchy:
    counts = _counted(counts, "frequency", name)
    if found["keep"]:
        return frequent(counts, keep=int(found["keep"]), name=name)
    return frequent(counts, share=Fraction(found["share"]) / 100, name=name)


def _counted(counts: Mapping[str, int] | None, builder: str, name: str) -> Mapping[str, int]:
    """The records of each value; refuses a builder that needs them where they are not known."""
    if counts is None:
        raise _misread(f"{builder} needs the number of records of each value", name, builder)
    return counts


def _misread(what: str, name: str, builder: str) -> UsageError:
    """The error of a text that asks for no hierarchy, with examples of the likeliest builder."""
    return UsageError(what, where=f"hierarchy of {name}" if name else "hierarchy", hint=f"write {_EXAMPLES[builder]}")
