"""Each released column before and after; what perturbation did to it, and how far pseudonyms link records.

Of a column anybody may see what the release alone shows: a public page is made of the release, of what its certificate
says, and of the job; so it moves with one person exactly as far as these do. Bins lie between round numbers, or public
dates, within the ends of the released labels, or they are nodes of a declared hierarchy; means and spreads are those of
the released labels. The first and the last interval are open, and groups of a few are put together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, Literal, Optional, TypeAlias

import numpy as np

from kohort.assessment.comparison import AttributeComparison, Bin
from kohort.assessment.comparison.distribution import BINS, BinKind, distribution, written
from kohort.assessment.comparison.reading import released_line
from kohort.assessment.comparison.statistics import numeric_statistics
from kohort.assessment.labels import span_of
from kohort.errors.display import Number
from kohort.perturbation.effect import Effect
from kohort.release.homogeneity import Homogeneity
from kohort.report.figures import Figures
from kohort.report.page.audience import OnPage, Reader
from kohort.report.page.result import runs
from kohort.schema import Role, Scale
from kohort.schema.dates import DASH, read_days, spelled
from kohort.schema.domain import decimal, interval
from kohort.tables.dataset import Linked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from fractions import Fraction

    from kohort.arrays import Shares
    from kohort.assessment.comparison.line import ColumnLine
    from kohort.release import Release
    from kohort.schema import Attribute
    from kohort.schema.hierarchy import Hierarchy
    from kohort.tables.table import Column

#: How alike the values of a sensitive column are in classes; shares are internal only.
_ALIKE: Final = OnPage(Homogeneity)


class PageDistribution(Figures, frozen=True):
    """A distribution in few bins: in records, or for the public in shares."""

    unit: Literal["records", "share"]
    bins: tuple[Bin, ...]


_ATTRIBUTE: Final = OnPage(
    AttributeComparison,
    distribution=PageDistribution | None,
    homogeneity=Optional[Annotated[Figures, _ALIKE]],  # noqa: UP045  pyright knows no | of Annotated
)

#: A released column before and after, with the homogeneity of some sensitive ones. The public sees means and deviations
#: of the release's numbers, and distributions in shares; all else is internal.
PageAttribute: TypeAlias = Annotated[Figures, _ATTRIBUTE]


_PAIR: Final = tuple[Number, Number] | None
_EFFECT: Final = OnPage(Effect, mean=_PAIR, variance=_PAIR, correlation=tuple[Number, str] | None, linked=Number | None)

#: What perturbation did to a column; the public sees how many records have a perturbed value, which the release shows.
PageEffect: TypeAlias = Annotated[Figures, _EFFECT]


#: How far the pseudonyms of a column link records.
LINKED: Final = OnPage(Linked)


def attributes(
    compared: Sequence[AttributeComparison], homogeneity: Mapping[str, Homogeneity]
) -> tuple[PageAttribute, ...]:
    """All columns for the steward."""
    return tuple(
        _ATTRIBUTE.of(
            one,
            Reader(),
            distribution=PageDistribution(unit="records", bins=written(one.distribution)),
            homogeneity=_ALIKE.of(homogeneity[one.name], Reader()) if one.name in homogeneity else None,
        )
        for one in compared
    )


# ── Changed on purpose ───────────────────────────────────────────────────────────────────────────


def perturbed(release: Release, reader: Reader) -> tuple[PageEffect, ...]:
    """The effect on each perturbed column; what the public may know of its moments stands with the attributes."""
    return tuple(_EFFECT.of(one, reader, release.table.records) for one in release.effects)


def pseudonyms(release: Release, reader: Reader) -> tuple[Figures, ...]:
    """Each column of pseudonyms: records that have one, and those that share it with another."""
    return tuple(
        LINKED.of(one, reader, release.table.records, linked=reader.records(one.linked, one.records))
        for one in release.linked
    )


# ── For anybody ──────────────────────────────────────────────────────────────────────────────────

#: A bin: what it is called, what it is, and how many released records are expected in it.
_Part = tuple[str, BinKind, float]

#: Digits of an expected count: parts of a generalized cell are added up.
_DIGITS: Final = 6


def released_attributes(
    release: Release, homogeneity: Mapping[str, Homogeneity], reader: Reader
) -> tuple[PageAttribute, ...]:
    """Every released column that is no pseudonym."""
    schema = release.job.schema
    return tuple(
        _attribute(release.table[one.name], one, schema.missing, homogeneity.get(one.name), reader)
        for one in schema.attributes
        if one.role.released
    )


def _attribute(
    column: Column, attribute: Attribute, missing: frozenset[str], alike: Homogeneity | None, reader: Reader
) -> PageAttribute:
    line, records = released_line(column, attribute, attribute.role, missing), column.codes.size
    single = _single(column, attribute, line)
    lacking = int(column.counts()[column.absent(missing)].sum())
    return _ATTRIBUTE.made(
        name=column.name,
        role=attribute.role,
        scale=line.scale if line is not None and line.numeric else Scale.CATEGORICAL,
        single=None if single is None else reader.records(single, records),
        after={
            "missing": reader.records(lacking, records),
            "numeric": None if line is None else _numeric(line, records, reader),
            "ordinal": None,
        },
        distribution=_distribution(line, records, reader) if line is not None and reader.one_each else None,
        homogeneity=None if alike is None else _ALIKE.of(alike, reader, records),
    )


def _single(column: Column, attribute: Attribute, line: ColumnLine | None) -> int | None:
    """Released records whose cell is a value; `None` where their labels do not show it."""
    if attribute.role is not Role.QUASI:
        return column.codes.size
    if line is not None:
        return line.after.single
    if attribute.hierarchy is not None:
        return None
    texts = [text or "" for text in column.values.to_list()]
    return int(column.counts()[[text != "*" and not text.startswith("{") for text in texts]].sum())


def _numeric(line: ColumnLine, among: int, reader: Reader) -> dict[str, float | None] | None:
    """Mean and deviation of the released numbers; null of a few people, of days, and where all have one value."""
    found = numeric_statistics(line, line.after) if line.numeric and not line.of_dates else None
    if found is None or reader.records(found.records, among) is None or not found.deviation:
        return None
    span = found.quantiles["1"] - found.quantiles["0"]  # the most that one person adds to a sum
    deviation = reader.figure(found.deviation, span * span / (2 * found.records * found.deviation))
    mean = reader.figure(found.mean, span / found.records)
    return {"mean": mean, "deviation": deviation, "variance": None, "quantiles": None}


def _distribution(line: ColumnLine, records: int, reader: Reader) -> PageDistribution | None:
    """The bins, in shares of the released records; null where only values are left, or too few records."""
    hierarchy = line.known.hierarchy
    if hierarchy is not None:
        parts = [] if hierarchy.height == 1 else _lumped(list(_nodes(line, hierarchy)), reader)
    else:
        bins: list[_Part] = [(one.label, one.kind, round(one.after or 0, _DIGITS)) for one in distribution(line, None)]
        parts = [] if any(kind == "value" for _, kind, _ in bins) else _open_ended(bins, reader, dates=line.of_dates)
    if not parts:
        return None
    shown = tuple(Bin(label, kind, None, reader.part(count, records)) for label, kind, count in parts)
    return PageDistribution(unit="share", bins=shown)


# ── Numbers ──────────────────────────────────────────────────────────────────────────────────────


def _open_ended(bins: Sequence[_Part], reader: Reader, *, dates: bool) -> list[_Part]:
    """Neighbouring intervals put together until none is of a few; a few without a value go with nobody."""
    spans = [span for label, _, _ in bins if (span := span_of(read_days(label))) is not None]
    counts, absent = [count for _, _, count in bins[: len(spans)]], bins[len(spans) :]
    if absent and not reader.tells(absent[0][2]):
        return []
    joined = runs([(count,) for count in counts], reader)
    if len(joined) + len(absent) < 2:  # noqa: PLR2004  one part alone tells nothing
        return []
    ends = [(low, high) for low, high, _ in spans]
    return [
        *(
            (_between(ends, first, last, dates=dates), "interval", sum(counts[first : last + 1]))
            for first, last in joined
        ),
        *absent,
    ]


def _between(ends: Sequence[tuple[Fraction, Fraction]], first: int, last: int, *, dates: bool) -> str:
    """The label of an interval; open where the numbers end, and `*` where they do at both ends."""
    low, high = ends[first][0], ends[last][1]
    if first == 0 and last == len(ends) - 1:
        return "*"
    written = [spelled(int(end)) if dates else decimal(end) for end in (low, high)]
    if first == 0:
        return f"<{written[1]}"
    if last == len(ends) - 1:
        return f">={written[0]}"
    return f"[{DASH.join(written)})" if dates else interval(low, high)


# ── Names ────────────────────────────────────────────────────────────────────────────────────────


def _nodes(line: ColumnLine, hierarchy: Hierarchy) -> Iterator[_Part]:
    """The nodes of the lowest level above the leaves that has few; what is no leaf, or named as one, is others."""
    levels = range(1, hierarchy.height)
    level = next((one for one in levels if len(hierarchy.labels[one]) <= BINS), hierarchy.height - 1)
    expected: Shares = line.expected(line.after)
    leaves = {*hierarchy.leaves}
    missing = np.array([not name for name in line.places])
    rest = expected[line.leaves :][~missing[line.leaves :]].sum()
    for node, name in enumerate(hierarchy.labels[level]):
        inside = np.flatnonzero(hierarchy.maps[level] == node)
        count = float(expected[inside][~missing[inside]].sum())
        if name and name not in leaves:
            yield name, "node", round(count, _DIGITS)
        else:
            rest += count
    yield "", "others", round(float(rest), _DIGITS)
    yield "", "missing", round(float(expected[missing].sum()), _DIGITS)


def _lumped(parts: Sequence[_Part], reader: Reader) -> list[_Part]:
    """Nodes of a few put with the others; and the smallest ones, until the others are no few either."""
    rest = [one for one in parts if one[1] == "others" or not reader.tells(one[2])]
    kept = [one for one in parts if one not in rest and one[2]]
    kept.sort(key=lambda one: (one[2], one[0]), reverse=True)
    while kept and not reader.tells(sum(count for _, _, count in rest)):
        rest.append(kept.pop())
    if not any(kind == "node" for _, kind, _ in kept):
        return []
    others = sum(count for _, _, count in rest)
    shown = [one for one in parts if one in kept]
    return [*shown, ("", "others", others)] if others else shown
