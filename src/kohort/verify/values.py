"""The source's side of a quasi-identifier: its values, how they are printed, and in which order they stand."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import polars as pl

from kohort.schema import Attribute, Label, Missing, Order, Scale
from kohort.schema.dates import DateFormat, Period
from kohort.schema.hierarchies import from_spec, suppress
from kohort.schema.open_ends import CLOSED, days_open, numbers_open
from kohort.system.workspace import tallied
from kohort.verify.verdict import TableCheck, fault, places

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from kohort.arrays import Counts, Index, Mask, Shares
    from kohort.schema.hierarchy import Hierarchy
    from kohort.schema.open_ends import OpenEnds
    from kohort.tables.table import Column, Table
    from kohort.verify.verdict import Claim

#: Whole numbers: int64, or Python's integers where one of them needs more bits.
Wholes: TypeAlias = "NDArray[np.int64] | NDArray[np.object_]"

#: A plain decimal number; a leading zero makes an id, an exponent or a sign a code (design decision 1), and so do more
#: than a thousand digits on a side of the point.
NUMERIC: Final = r"^-?(?:(?:0|[1-9][0-9]{0,999})(?:\.[0-9]{1,1000})?|\.[0-9]{1,1000})$"

#: Zero, however it is spelled with a sign that means nothing.
NEGATIVE_ZERO: Final = r"^-(?:0(?:\.0*)?|\.0+)$"


@dataclass(frozen=True, slots=True, eq=False)
class SourceValues:
    """The distinct values of one quasi-identifier in the source, and in the population table where there is one.

    Attributes:
        attribute: What the schema says.
        printed: (u,) how each value stands in a release: of numbers that are equal, the shortest; missing as "".
        ranks: (u,) place in the attribute's order; equal for values that are printed alike, -1 for a missing number.
        names: (r,) the printed value of each rank.
        numbers: (r,) for numbers, each rank's times ten to the power of `decimals`, ascending; else empty.
        decimals: Most digits after a number's point.
        hierarchy: The attribute's, built where it was given as a text.
        days: (r,) for dates, each rank's as it is printed.
        labels: The first rank and the last one, where they are labels such as `under 18` and `90+`; else empty.
    """

    attribute: Attribute
    printed: pl.Series
    ranks: Index
    names: pl.Series
    numbers: Wholes = field(default_factory=lambda: np.empty(0, np.int64))
    decimals: int = 0
    hierarchy: Hierarchy | None = None
    days: pl.Series | None = None
    labels: tuple[str, str] = ("", "")

    @property
    def ends(self) -> pl.Series:
        """(r,) how each rank stands as the end of a range."""
        return self.names if self.days is None else self.days

    @property
    def cells(self) -> dict[str, int]:
        """The labels that a cell of a grid may keep, and their ranks: those with a sign are called by its cut."""
        ends = zip(self.labels, (0, len(self.names) - 1), strict=True)
        return {label: rank for label, rank in ends if label and label[0] not in "<>"}

    @property
    def dash(self) -> str:
        """What stands between the ends of a range."""
        return "-" if self.days is None else DASH

    @property
    def numeric(self) -> bool:
        """Whether the values are numbers."""
        return self.numbers.size > 0

    @property
    def label(self) -> Label:
        """What regions are released as."""
        return label_for(self.attribute, numeric=self.numeric, nodes=self.hierarchy is not None)

    @property
    def absent(self) -> Mask:
        """(u,) which values are missing."""
        return (self.printed == "").to_numpy()

    @property
    def of_branches(self) -> bool:
        """Whether a set names the branch, in place of a name that one person has alone."""
        return self.label is Label.SET and self.hierarchy is not None and not self.numeric

    @property
    def has_companions(self) -> bool:
        """Whether a set prints another name beside one that one person has alone."""
        return self.attribute.label is Label.COMPANIONS and self.label is Label.SET and self.hierarchy is None

    def above(self, level: int) -> Index:
        """(u,) the node of the hierarchy that is above each value on a level; -1 above what is no leaf."""
        assert self.hierarchy is not None  # noqa: S101  else there are no levels
        leaf = places(self.printed, pl.Series(self.hierarchy.leaves, dtype=pl.String))
        return np.where(leaf < 0, -1, self.hierarchy.maps[level][leaf])

    @property
    def released(self) -> Mask:
        """(u,) which values may be in a release at all: a missing one only where it counts as a value."""
        return ~self.absent | (self.attribute.missing is Missing.VALUE)

    def amounts(self) -> Shares:
        """(u,) what each number is; nothing in particular where it is missing."""
        return (self.numbers.astype(np.float64) / 10.0**self.decimals)[self.ranks]


def label_for(attribute: Attribute, *, numeric: bool, nodes: bool) -> Label:
    """What regions of numbers or names are released as: what the schema asks for, or the scale's own way.

    `nodes`: there are those of a hierarchy.
    """
    if attribute.grid is not None:
        return Label.GRID
    asked = attribute.label
    if asked is not None and asked.of_names:
        asked = None if numeric else Label.SET
    if asked is not None and (numeric or asked is not Label.MEAN):
        return asked
    return Label.RANGE if numeric else Label.ANCESTOR if nodes else Label.SET


def with_others(column: Column, population: Table | None) -> pl.Series:
    """The values of a source's column, then those that only the population table has: of no record."""
    if population is None:
        return column.values
    others = population[column.name].values
    new = np.flatnonzero(places(others, column.values) < 0)
    return pl.concat([column.values, others.gather(new)])


def counted(column: Column, values: pl.Series, claim: Claim) -> Counts:
    """The records of the input with each of the values `with_others`."""
    counts = claim.counts(column)
    return np.append(counts, np.zeros(len(values) - counts.size, counts.dtype))


def values_in(source: Column, attribute: Attribute, claim: Claim) -> SourceValues:
    """The values of a column of the input, `with_others`."""
    every = with_others(source, claim.known)
    return values_of(attribute, every, lambda: counted(source, every, claim), claim.schema.missing)


def values_of(
    attribute: Attribute, texts: pl.Series, counts: Callable[[], Counts], missing: frozenset[str]
) -> SourceValues:
    """The values of a source's column.

    Args:
        attribute: What the schema says of it.
        texts: (u,) its distinct values, then those of a population table.
        counts: Gives (u,) how many records have each; only names, and what a hierarchy is built over, are counted.
        missing: The texts that mean "no value", besides null.
    """
    tokens = sorted(missing - {""})
    plain = texts.fill_null("").replace(tokens, [""] * len(tokens))
    if attribute.of_dates:
        return _dates(attribute, plain, counts)
    present = plain.filter(plain != "")
    numeric = attribute.scale is not Scale.CATEGORICAL and len(present) and present.str.contains(NUMERIC).all()
    ends_open = CLOSED if numeric else numbers_open(present.to_list()) if attribute.may_be_open else None
    if ends_open is not None:
        values = _with_labels(_numbers(attribute, _placed(plain, ends_open)), ends_open)
        return replace(values, hierarchy=_of_numbers(values, counts))
    return _names(attribute, plain, counts())


def _placed(plain: pl.Series, ends_open: OpenEnds) -> pl.Series:
    return plain.replace([*ends_open.places], [*ends_open.places.values()]) if ends_open.places else plain


def _with_labels(values: SourceValues, ends_open: OpenEnds) -> SourceValues:
    if not ends_open.places:
        return values
    labels, last = ends_open.labels(values.names[0], values.names[-1]), len(values.names) - 1
    at = [place for place, label in zip((0, last), labels, strict=True) if label]
    texts = [label for label in labels if label]
    names, days = values.names.scatter(at, texts), None if values.days is None else values.days.scatter(at, texts)
    printed = pl.concat([names, pl.Series([""])]).gather(np.where(values.ranks < 0, last + 1, values.ranks))
    return replace(values, printed=printed, names=names, days=days, labels=labels)


def _of_numbers(values: SourceValues, counts: Callable[[], Counts]) -> Hierarchy | None:
    hierarchy = values.attribute.hierarchy
    if not isinstance(hierarchy, str):
        return hierarchy
    known = values.ranks >= 0
    records = tallied(values.ranks[known], len(values.names), counts()[known])
    return _built(values.attribute, hierarchy, dict(zip(values.names.to_list(), records.tolist(), strict=True)))


def _numbers(attribute: Attribute, plain: pl.Series) -> SourceValues:
    known = pl.DataFrame({"text": plain.filter(plain != "")})
    decimals = int(known.select(pl.col("text").str.extract(r"\.(.*)").str.len_bytes().max()).item() or 0)
    shifted = _shifted(known["text"], decimals)
    of_known: Index
    _, first, of_known = np.unique(shifted, return_index=True, return_inverse=True)
    shortest = (
        known.with_columns(pl.col("text").str.replace(NEGATIVE_ZERO, "0"), rank=of_known)
        .sort("rank", pl.col("text").str.len_bytes(), "text", multithreaded=False)
        .unique("rank", keep="first", maintain_order=True)
    )
    names = shortest["text"]
    ranks = np.full(len(plain), -1, np.int64)
    ranks[(plain != "").to_numpy()] = of_known
    printed = pl.concat([names, pl.Series([""])]).gather(np.where(ranks < 0, len(names), ranks))
    return SourceValues(attribute, printed, ranks, names, shifted[first], decimals)


def _dates(attribute: Attribute, plain: pl.Series, counts: Callable[[], Counts]) -> SourceValues:
    days = days_of(plain, attribute)
    lost, ends_open = (plain != "") & days.is_null(), CLOSED
    if lost.any():
        ends_open = (
            days_open(plain.filter(plain != "").to_list(), lambda text: days_of(pl.Series([text]), attribute)[0])
            or CLOSED
        )
    astray = int((lost & ~plain.is_in([*ends_open.places])).sum())
    if astray:
        what = f"{astray:,} values of the input are not dates of the declared form"
        raise fault(TableCheck.LABELS, what, column=attribute.name)
    numbers = days.cast(pl.String).fill_null(_placed(plain.zip_with(lost, pl.Series([""])), ends_open))
    if not days.count():
        return _names(attribute, plain, counts())
    values = _numbers(attribute, numbers)
    return _with_labels(replace(values, days=iso(values.names)), ends_open)


def _shifted(texts: pl.Series, decimals: int) -> Wholes:
    """Each number times ten to the power of `decimals`, exactly: where 64 bits do not do, as Python's integers."""
    cells = pl.DataFrame({"text": texts})
    whole, digits = pl.col("text").str.extract(r"^([^.]*)"), pl.col("text").str.extract(r"\.(.*)").fill_null("")
    shifted = cells.select(whole + digits.str.pad_end(decimals, "0")).to_series()
    exact = shifted.cast(pl.Int64, strict=False)
    return np.array([int(text) for text in shifted.to_list()], dtype=object) if exact.has_nulls() else exact.to_numpy()


def _names(attribute: Attribute, plain: pl.Series, counts: Counts) -> SourceValues:
    order = attribute.order or (Order.FREQUENCY if attribute.hierarchy is None else Order.HIERARCHY)
    if attribute.hierarchy is None:
        by = [*([-pl.col("records")] if order is Order.FREQUENCY else []), pl.col("text")]
        held = (
            pl.DataFrame({"text": plain, "records": counts})
            .group_by("text")
            .agg(pl.sum("records"))
            .sort(by, multithreaded=False)
        )
        return SourceValues(attribute, plain, places(plain, held["text"]), held["text"])
    records: dict[str, int] = {}
    for text, count in zip(plain.to_list(), counts.tolist(), strict=True):
        records[text] = records.get(text, 0) + count
    hierarchy = attribute.hierarchy
    if isinstance(hierarchy, str):
        hierarchy = _built(attribute, hierarchy, {text: count for text, count in records.items() if text})
    leaf = hierarchy.index
    first = {text: leaf.get(text, len(leaf)) if order is Order.HIERARCHY else -count for text, count in records.items()}
    names = sorted(records, key=lambda text: (0 if order is Order.SORTED else first[text], text))
    rank_of = {text: rank for rank, text in enumerate(names)}
    ranks = np.array([rank_of[text] for text in plain.to_list()], dtype=np.int64)
    return SourceValues(attribute, plain, ranks, pl.Series(names, dtype=pl.String), hierarchy=hierarchy)


def _built(attribute: Attribute, text: str, records: Mapping[str, int]) -> Hierarchy:
    """The hierarchy that a builder's text asks for; where no value was observed, that of the missing one."""
    return from_spec(text, list(records), name=attribute.name, counts=records) if records else suppress([""])


#: 1 January 1970, counted from 1 January of year 1, and the last day of all.
_EPOCH: Final = 719_163
_LAST: Final = 3_652_059

#: What stands between the ends of a range.
DASH: Final = " – "

#: A label that nothing explains.
UNREAD: Final = "?"

_DAY: Final = "[0-9]{4}-[0-9]{2}-[0-9]{2}|10000-01-01"
_LABEL: Final = rf"^(?:({_DAY})|\[({_DAY}){DASH}({_DAY})([\])])|(<|>=)({_DAY}))$"
_TIME: Final = r"([T ][0-9]{1,2}:[0-9]{2}(:[0-9]{2}([.,][0-9]{1,9})?)?( ?[AaPp][Mm])?(Z| ?[+-][0-9]{2}:?[0-9]{2})?)?$"

#: How each form is written.
_WRITTEN: Final = {
    DateFormat.ISO: r"^(?<y>[0-9]{4})-(?<m>[0-9]{2})-(?<d>[0-9]{2})",
    DateFormat.YEAR_FIRST: r"^(?<y>[0-9]{4})/(?<m>[0-9]{1,2})/(?<d>[0-9]{1,2})",
    DateFormat.COMPACT: r"^(?<y>[0-9]{4})(?<m>[0-9]{2})(?<d>[0-9]{2})",
    DateFormat.POINTS: r"^(?<d>[0-9]{1,2})\.(?<m>[0-9]{1,2})\.(?<y>[0-9]{4})",
    DateFormat.DAY_FIRST: r"^(?<d>[0-9]{1,2})/(?<m>[0-9]{1,2})/(?<y>[0-9]{4})",
    DateFormat.MONTH_FIRST: r"^(?<m>[0-9]{1,2})/(?<d>[0-9]{1,2})/(?<y>[0-9]{4})",
    DateFormat.HYPHENS: r"^(?<d>[0-9]{1,2})-(?<m>[0-9]{1,2})-(?<y>[0-9]{4})",
    DateFormat.MONTH: r"^(?<d>)(?<y>[0-9]{4})-(?<m>[0-9]{2})",
    DateFormat.MONTH_STROKE: r"^(?<d>)(?<m>[0-9]{1,2})/(?<y>[0-9]{4})",
    DateFormat.MONTH_POINT: r"^(?<d>)(?<m>[0-9]{1,2})\.(?<y>[0-9]{4})",
    DateFormat.MONTH_HYPHEN: r"^(?<d>)(?<m>[0-9]{1,2})-(?<y>[0-9]{4})",
    DateFormat.SHORT_POINTS: r"^(?<d>[0-9]{1,2})\.(?<m>[0-9]{1,2})\.(?<y>[0-9]{2})",
    DateFormat.SHORT_DAY_FIRST: r"^(?<d>[0-9]{1,2})/(?<m>[0-9]{1,2})/(?<y>[0-9]{2})",
    DateFormat.SHORT_MONTH_FIRST: r"^(?<m>[0-9]{1,2})/(?<d>[0-9]{1,2})/(?<y>[0-9]{2})",
    DateFormat.SHORT_HYPHENS: r"^(?<d>[0-9]{1,2})-(?<m>[0-9]{1,2})-(?<y>[0-9]{2})",
}

#: The months, and the last digits of years, with which a period begins; those of weeks are told by the day of the week.
_BEGINNINGS: Final = {
    Period.MONTH: (1, 1),
    Period.QUARTER: (3, 1),
    Period.YEAR: (12, 1),
    Period.FIVE_YEARS: (12, 5),
    Period.DECADE: (12, 10),
    Period.CENTURY: (12, 100),
}


def days_of(texts: pl.Series, attribute: Attribute) -> pl.Series:
    """The days of dates in the form that the schema says, from 1 for 1 January of year 1; null where there is none."""
    pattern = _WRITTEN[attribute.date_format or DateFormat.ISO] + _TIME
    parts = pl.DataFrame({"text": texts}).select(pl.col("text").str.extract_groups(pattern).alias("of"))
    year, month, day = (pl.col("of").struct.field(name) for name in "ymd")
    if attribute.pivot is not None:  # years of two digits, in the hundred years from it
        year = ((year.cast(pl.Int32) - attribute.pivot) % 100 + attribute.pivot).cast(pl.String)
    day = pl.when(day == "").then(pl.lit("1")).otherwise(day)  # months stand for their first day
    written = pl.concat_str([year.str.zfill(4), month.str.zfill(2), day.str.zfill(2)], separator="-")
    found = parts.select((written.str.to_date("%Y-%m-%d", strict=False).dt.epoch("d") + _EPOCH).alias("day"))["day"]
    return found.set(found < 1, None)


def in_days(labels: pl.Series | Sequence[str]) -> pl.Series:
    """Labels of dates as those of their days.

    >>> in_days(["0001-01-02", "[0001-01-01 – 0001-01-31]", "[0001-01-01 – 0001-02-01)", ">=0001-02-01", "*"]).to_list()
    ['2', '[1-31]', '[1-32)', '>=32', '*']
    >>> in_days(["1 January", "[9990-01-01 – 10000-01-01)"]).to_list()
    ['?', '[3648408-3652060)']
    """
    label = pl.col("label")
    cells = pl.DataFrame({"label": labels}, schema={"label": pl.String})
    parts = cells.select("label", label.str.extract_groups(_LABEL).struct.unnest())
    day, low, high, end = (_ordinal(pl.col(place)) for place in ("1", "2", "3", "6"))
    span = pl.concat_str(pl.lit("["), low, pl.lit("-"), high, pl.col("4"))
    read = pl.coalesce(day, span, pl.concat_str(pl.col("5"), end), pl.lit(UNREAD))
    return parts.select(pl.when(label.is_in(["", "*"])).then(label).otherwise(read).alias("label")).to_series()


def iso(days: pl.Series) -> pl.Series:
    """Days, by their numbers as text, as they are printed.

    >>> iso(pl.Series(["1", "726468", "3652059"])).to_list()
    ['0001-01-01', '1990-01-01', '9999-12-31']
    """
    return (days.cast(pl.Int32) - _EPOCH).cast(pl.Date).dt.to_string("%Y-%m-%d")


def _ordinal(text: pl.Expr) -> pl.Expr:
    """The day; null where there is no such day. The last period of all ends after the calendar."""
    day = text.str.to_date("%Y-%m-%d", strict=False).dt.epoch("d") + _EPOCH
    return pl.when(text == "10000-01-01").then(_LAST + 1).when(day >= 1).then(day).cast(pl.String)


def begins(period: Period, day: int) -> bool:
    """Whether a period begins with the day; the calendar's first day, and the one after its last, are ends of all.

    >>> begins(Period.YEAR, 366), begins(Period.YEAR, 367), begins(Period.YEAR, 0)
    (True, False, False)
    """
    if not 1 < day <= _LAST:
        return day in {1, _LAST + 1}
    if period is Period.WEEK:
        return date.fromordinal(day).isoweekday() == 1
    on, (months, years) = date.fromordinal(day), _BEGINNINGS[period]
    return on.day == 1 and (on.month - 1) % months == 0 and on.year % years == 0
