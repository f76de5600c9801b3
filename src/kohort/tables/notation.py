"""How numbers in text are written: the decimal mark, and what stands between thousands.

Kohort computes with plain numbers such as `-1234.5`. Columns in which numbers are written otherwise are read as such
ones, if all of their numbers are written alike, and written again as they were, also within labels.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Final

import polars as pl

from kohort.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from kohort.schema.hierarchy import Hierarchy
    from kohort.tables.table import Column, Table

#: Decimal marks, and what may stand between thousands: blanks also that do not break a line, and thin ones.
DECIMALS: Final = (",", ".")
_BLANK: Final = " "
_GROUPS: Final = (".", ",", "'", "\u2019", _BLANK, "\u00a0", "\u202f", "\u2009")

#: Values by which a column is told to hold names, before all are looked at.
_SAMPLE: Final = 500


@dataclass(frozen=True, slots=True)
class Notation:
    """How the numbers of a column are written.

    Attributes:
        decimal: What stands before the decimals: `,` or `.`.
        group: What stands between thousands; empty where nothing does.

    >>> german = Notation(",", ".")
    >>> german.read(pl.Series(["1.234,5", "[0-1.000)", "{1, 2,5}", "unknown"])).to_list()
    ['1234.5', '[0-1000)', '{1, 2.5}', 'unknown']
    >>> german.write(pl.Series(["1234.5", "[0-1000)", "{1, 2.5}", "*"])).to_list()
    ['1.234,5', '[0-1.000)', '{1, 2,5}', '*']
    """

    decimal: str
    group: str = ""

    @property
    def number(self) -> str:
        """A number that is written so."""
        mark, between = re.escape(self.decimal), re.escape(self.group)
        more = rf"[0-9]{{0,2}}(?:{between}[0-9]{{3}})*" if self.group else "[0-9]*"
        return rf"-?(?:(?:0|[1-9]{more})(?:{mark}[0-9]+)?|{mark}[0-9]+)"

    @property
    def cell(self) -> str:
        """A number, a label of numbers, or a text without any digit, such as one that means no value."""
        one = self.number
        label = rf"[\[(](?:{one})?-(?:{one})?[\])]|\{{{one}(?:, {one})*\}}|[<>≤≥=]{{1,2}} ?{one}|{one} ?\+"
        return rf"\A(?:{one}|{label}|[^0-9]*)\z"

    def fits(self, values: pl.Series) -> bool:
        """Whether all values are written so."""
        return bool(values.str.contains(self.cell).all())

    def read(self, values: pl.Series) -> pl.Series:
        """These values with plain numbers, where they are written so."""
        apart = re.compile(rf"(?<=[0-9]){re.escape(self.group)}(?=[0-9]{{3}}(?![0-9]))").sub
        mark = re.compile(rf"{re.escape(self.decimal)}(?=[0-9])").sub
        bare = values.str.replace_all(self.group, "", literal=True) if self.group else values
        plain = bare.str.replace(self.decimal, ".", literal=True)
        return self.changed(values, plain, lambda text: mark(".", apart("", text) if self.group else text))

    def plain(self, hierarchy: Hierarchy) -> Hierarchy:
        """A hierarchy with plain numbers in its labels."""
        return replace(hierarchy, labels=tuple(tuple(self.read(pl.Series(one)).to_list()) for one in hierarchy.labels))

    def write(self, values: pl.Series) -> pl.Series:
        """Values with plain numbers as they are written so."""
        marked = values.str.replace(".", self.decimal, literal=True)
        return PLAIN.changed(values, None if self.group else marked, lambda text: _numbers(self._spelled, text))

    def changed(self, values: pl.Series, numbers: pl.Series | None, change: Callable[[str], str]) -> pl.Series:
        """The values: numbers as they are among `numbers`, where these are given, and other labels of them changed."""
        changing = (values.str.contains(self.cell) & values.str.contains("[0-9]")).fill_null(value=False)
        if numbers is not None:
            alone = values.str.contains(rf"\A{self.number}\z").fill_null(value=False)
            values, changing = numbers.zip_with(alone, values), changing & ~alone
        some = values.filter(changing).unique()
        return values.replace(some, [*map(change, some.to_list())]) if len(some) else values

    def _spelled(self, found: re.Match[str]) -> str:
        whole, point, decimals = found[0].partition(".")
        if self.group and len(whole) > 3:  # noqa: PLR2004  thousands
            first = (len(whole) - 1) % 3 + 1
            whole = self.group.join([whole[:first], *(whole[at : at + 3] for at in range(first, len(whole), 3))])
        return whole + (point and self.decimal) + decimals


#: Plain numbers; those with a decimal comma and nothing between thousands; and with points there, of which a column
#: without decimals may hold something else.
PLAIN: Final = Notation(".")
_COMMA: Final = Notation(",")
_DOTTED: Final = Notation(",", ".")

#: What is wrong with numbers such as 1.234 beside others with a decimal comma.
_TWOFOLD: Final = "the column's numbers can be read in two ways: with three decimals, or as thousands"
_SAY: Final = 'choose the decimal mark: --decimal , or --decimal . (in a job file decimal = ",")'
_numbers = re.compile(r"[0-9]+(?:\.[0-9]+)?|\.[0-9]+").sub


def in_full(texts: pl.Series) -> pl.Series:
    """Floats as text, without exponents.

    >>> in_full(pl.Series(["1.5e-7", "1e+16", "0.5", None])).to_list()
    ['0.00000015', '10000000000000000.0', '0.5', None]
    """
    short = texts.filter(texts.str.contains("e", literal=True).fill_null(value=False)).unique()
    full = [f"{Decimal(text):f}" for text in short.to_list()]
    return texts.replace(short, [text if "." in text else f"{text}.0" for text in full]) if full else texts


def noted(table: Table, decimal: str | None, separator: str = "") -> Table:
    """The table with plain numbers in the columns of text whose numbers are written otherwise, and alike.

    Args:
        table: As it was read.
        decimal: The decimal mark; `None` lets the values decide. A column of which they do not decide says so
            (`Column.fault`).
        separator: What stands between the cells of a text: a semicolon says that commas may be decimal.
    """
    texts = [one for one in table.columns if one.dtype == pl.String and one.labels is None and one.fault is None]
    present = {one.name: _present(one.values) for one in texts}
    found = {
        one.name: _possible(one.values.drop_nulls(), signs, decimal) for one in texts if (signs := present[one.name])
    }
    marks = {mark for name, some in found.items() if some and (mark := _mark(table[name], some))}
    if "," in {*marks, decimal}:  # the labels of whole numbers have it, too
        others = (one for one in texts if not present[one.name])
        found |= {one.name: _possible(one.values.drop_nulls(), (), decimal) for one in others}
    commas = separator == ";" or "," in marks or decimal == ","
    made: dict[str, Column] = {}
    for name, some in found.items():
        if not some:
            continue
        column, one = table[name], _chosen(some, marks, commas=commas)
        if one == PLAIN:
            continue
        if one is not None:
            made[name] = replace(column, values=one.read(column.values), notation=one)
        elif commas or not {_DOTTED, PLAIN} & {*some}:
            made[name] = replace(column, fault=InputError(_TWOFOLD, where=f"column {name!r}", hint=_SAY))
    columns = tuple(made.get(column.name, column) for column in table.columns)
    told = [one.name for one in columns if present.get(one.name) and one.notation and one.notation.decimal == ","]
    notes = [f"numbers are read with a decimal comma (--decimal . keeps them as text): {', '.join(told)}"]
    return replace(table, columns=columns, notes=(*table.notes, *(notes if told and decimal is None else ())))


def may_be_numbers(values: pl.Series) -> bool:
    """Whether values may be numbers in some notation: there are digits, and no text has some beside letters."""
    mixed = values.str.contains("[0-9].*[A-Za-z]|[A-Za-z].*[0-9]")
    return bool(values.str.contains("[0-9]").any() and not mixed.any())


def _mark(column: Column, found: Sequence[Notation]) -> str:
    """The decimal mark that a column shows; empty where it shows none without doubt."""
    mark = found[0].decimal if len(found) == 1 else ""
    return mark if mark and column.values.str.contains(mark, literal=True).any() else ""


def _chosen(found: Sequence[Notation], marks: Collection[str], *, commas: bool) -> Notation | None:
    """How the numbers of a column are written; `None` where somebody has to say so, or they are not read.

    Args:
        found: How they can be written.
        marks: The decimal marks that the table's columns show.
        commas: Whether something speaks for decimal commas.
    """
    if len(marks) > 1:
        return None
    if len(found) == 1:
        return found[0] if commas or found[0] != _DOTTED else None
    if _DOTTED in found:
        return None
    return next((one for one in found if one.decimal in marks), found[-1] if found[0].group == found[1].group else None)


def _present(values: pl.Series) -> list[str]:
    any_sign = values.str.contains_any([*_GROUPS]).any()
    return [sign for sign in _GROUPS if any_sign and values.str.contains(sign, literal=True).any()]


def _possible(values: pl.Series, present: Sequence[str], decimal: str | None) -> list[Notation]:
    """How the numbers of a column can be written; nothing where they are plain anyway, or are none."""
    some = values.head(_SAMPLE)
    if not may_be_numbers(some):
        return []
    forms = [Notation(mark, sign) for mark in DECIMALS for sign in ("", *present) if sign != mark]
    forms = [one for one in forms if decimal in {None, one.decimal} and one.fits(some)]
    if [*present] == ["."] and _DOTTED not in forms:
        return []
    numbers = values.filter(values.str.contains("[0-9]")) if present else values  # a comma in a word says nothing
    shown = {sign for sign in present if numbers.str.contains(sign, literal=True).any()}
    found = [one for one in forms if shown >= {one.group} - {""} and one.fits(values)]
    if found == [PLAIN]:
        return []
    # Without decimals, the mark does not matter; but blanks may stand in telephone numbers.
    return [] if len(found) > 1 and found[1].group == found[0].group == _BLANK else found
