"""Reads two columns of one name as a line: what each label stands for.

Names, whose domain is the hierarchy's leaves, or else the names before the release; a missing value is one of them:

    Milano          this name; a new one where it was not there before and there is no hierarchy
    Nord, [Nord]    the leaves below every node of this name
    {Bari, Roma}    one of these; `(missing)` is the missing value
    [A-C]           the names from one to the other in their order
    *               any name of the domain

Numbers, whose domain is its bounds, the leaves of its hierarchy, or the numbers before the release:

    39              this number; also the mean of a class, whose text does not differ
    [20-29]         every step from 20 to 29
    [20-30)         every step from 20 to the last one before 30: of whole numbers the same
    <16, >=95       to one of these ends of the domain
    *               the whole domain
    {20, 31}        these numbers; one that may also be missing counts as a number
    young           the numbers below this node of the hierarchy
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.assessment.comparison.line import ColumnLine, ColumnMetadata, Labelled, Stretches
from kohort.assessment.labels import (
    MISSING,
    canonical,
    cell_texts,
    covers,
    labels_at_once,
    leaves_below,
    printed_values,
    span_of,
)
from kohort.errors import InputError
from kohort.schema import Role, Scale
from kohort.schema.dates import days_with, read_days
from kohort.schema.domain import resolve
from kohort.schema.hierarchies import from_spec, with_missing
from kohort.schema.hierarchy import SUPPRESSED, Hierarchy
from kohort.schema.numbers import digits_of, exact, is_numeric_text
from kohort.schema.open_ends import bound_of, numbers_in
from kohort.tables.texts import range_ends, set_members

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from kohort.arrays import Counts, Index, Mask
    from kohort.assessment.comparison.line import Places, Stretch
    from kohort.schema import Attribute
    from kohort.schema.domain import Domain
    from kohort.tables.table import Column

#: Letters of the longest number that is compared as one: its square, summed, must be a number too.
LONGEST: Final = 100

#: Decimals that floating point can distinguish.
FINEST: Final = 15

#: The farthest step.
_FARTHEST: Final = 10 ** (LONGEST + FINEST)

#: Below this, floating point has every whole number.
_EXACT: Final = 1 << 53

#: How near, relatively, a number must be to a step to lie on it.
NEAR: Final = 1e-12


def read_line(
    before: Column, after: Column, role: Role | None, attribute: Attribute | None, missing: AbstractSet[str]
) -> ColumnLine:
    """The line of two columns of the same name.

    Raises:
        InputError: Labels cannot be read, or values do not fit the schema.
        HierarchyError: Values are no leaf.
    """
    old, new = cell_texts(before, missing), label_texts(after, role, missing)
    records = before.counts()
    domain = _domain(before, records, attribute, missing)
    form = None if domain is None else domain.attribute.date_format
    if domain is not None and form is not None:
        new, old = days_with(form, new, old, domain.attribute.pivot)
    elif any(domain.open_ends) if domain is not None else attribute is None or attribute.scale is not Scale.CATEGORICAL:
        new, old = numbers_in(new, old) or (new, old)
    hierarchy = _built(attribute, old, records) if domain is None else domain.hierarchy
    known = ColumnMetadata(before.name, role, domain, hierarchy, dates=form is not None)
    columns = (Labelled(old, before.codes, records), Labelled(new, after.codes, after.counts()))
    return (numbers_line if _is_numeric(old, attribute, domain) else names_line)(known, *columns)


def label_texts(column: Column, role: Role | None, missing: AbstractSet[str]) -> list[str]:
    """(v,) the distinct cells of a released column: `*` of a generalized one is anything, whatever is `missing`."""
    return cell_texts(column, missing - {SUPPRESSED} if role is Role.QUASI else missing)


def released_line(
    column: Column, attribute: Attribute | None, role: Role | None, missing: AbstractSet[str]
) -> ColumnLine | None:
    """The line of a released column by itself, as anybody can read it; both its sides are the release.

    Numbers lie where their labels do, from the least to the greatest end of one; names only where a hierarchy was
    given whose nodes no record decided. `None` of any other column.
    """
    texts, records = label_texts(column, role, missing), column.counts()
    dates = attribute is not None and attribute.scale is Scale.DATE
    read = Labelled([*map(read_days, texts)] if dates else texts, column.codes, records)
    hierarchy = None if attribute is None else attribute.hierarchy
    named = attribute is not None and attribute.scale is Scale.CATEGORICAL
    spans = [] if named else [_span(text) for text in read.texts if text not in {"", SUPPRESSED}]
    if spans and all(spans):
        ends = [end for span in spans if span is not None for end in span]
        digits = min(max(map(digits_of, ends)), FINEST)
        known = ColumnMetadata(column.name, role, None, None, dates=dates)
        stretch = _up(min(ends), 10**digits), _down(max(ends), 10**digits)
        side = read.side(_Reader(known, digits, stretch).read(read.texts))
        return ColumnLine(known, side, side, numeric=True, digits=digits)
    if not isinstance(hierarchy, Hierarchy) or hierarchy.data_dependent:
        return None
    tree = with_missing(hierarchy) if "" in texts else hierarchy
    nobody = Labelled([], np.empty(0, np.uint8), np.empty(0, np.int64))
    line = names_line(ColumnMetadata(column.name, role, None, tree), nobody, read)
    return replace(line, before=line.after)


def _span(label: str) -> tuple[Fraction, Fraction] | None:
    """The ends of a label of numbers, a single one included; `None` of any other label."""
    if is_plain((label,)):
        return exact(label), exact(label)
    if (bound := bound_of(label)) is not None:
        return bound[0], bound[0]
    span = span_of(label)
    return None if span is None else (span[0], span[1])


def _domain(column: Column, records: Counts, attribute: Attribute | None, missing: AbstractSet[str]) -> Domain | None:
    if attribute is None or attribute.role is not Role.QUASI:
        return None
    return resolve(attribute, column.values.to_list(), records, frozenset(missing))[0]


def _built(attribute: Attribute | None, texts: Sequence[str], records: Counts) -> Hierarchy | None:
    """The hierarchy of a column that is no quasi-identifier; a builder makes it over the values, if there are any."""
    builder = None if attribute is None else attribute.hierarchy
    if attribute is None or not isinstance(builder, str):
        return None if isinstance(builder, str) else builder
    counts = {text: count for text, count in zip(texts, records.tolist(), strict=True) if text}
    return from_spec(builder, list(counts), name=attribute.name, counts=counts) if counts else None


def _is_numeric(texts: Sequence[str], attribute: Attribute | None, domain: Domain | None) -> bool:
    """Whether the values are numbers that can be squared, unless the schema says that they are names."""
    if domain is not None and domain.scale is not Scale.NUMERIC:
        return False
    if attribute is not None and attribute.scale is Scale.CATEGORICAL:
        return False
    return is_plain(text for text in texts if text)


# ── Names ────────────────────────────────────────────────────────────────────────────────────────


def names_line(known: ColumnMetadata, before: Labelled, after: Labelled) -> ColumnLine:
    """The line of a column of names: in the order of the leaves, then by frequency."""
    leaves = () if known.hierarchy is None else known.hierarchy.leaves
    places = [*leaves, *_by_frequency(before, leaves)]
    at = {name: float(place) for place, name in enumerate(places)}
    old = Stretches.at(np.array([at[text] for text in before.texts], dtype=np.float64))
    if not leaves and all(text in at for text in after.texts):  # released as they were
        new, fresh = Stretches.at(np.array([at[text] for text in after.texts], dtype=np.float64)), list[str]()
    else:
        new, fresh = _read(known, places, after.texts)
    sides = before.side(old), after.side(new)
    return ColumnLine(known, *sides, numeric=False, places=(*places, *fresh), leaves=len(leaves))


def _by_frequency(before: Labelled, leaves: Sequence[str]) -> list[str]:
    """The names that are no leaves, the most frequent first, ties by text."""
    records = dict.fromkeys(sorted(before.texts), 0)
    for text, count in zip(before.texts, before.records.tolist(), strict=True):
        records[text] += count
    counts = np.fromiter(records.values(), np.int64, len(records))
    names, known = [*records], set(leaves)
    order: list[int] = np.argsort(-counts, kind="stable").tolist()
    return [names[at] for at in order if names[at] not in known]


def _read(known: ColumnMetadata, places: Sequence[str], texts: Sequence[str]) -> tuple[Stretches, list[str]]:
    """What the labels stand for, and the new names among them, which come last on the line."""
    spans = {} if known.hierarchy is None else leaves_below(known.hierarchy)
    nodes = {label: _joined(sorted(leaves)) for label, leaves in spans.items()}
    for place, name in enumerate(places):
        nodes.setdefault(name, [(place, place)])
    nodes.setdefault(SUPPRESSED, [(0, len(known.hierarchy.leaves if known.hierarchy else places) - 1)])
    sets, members = _sets(places, [text if text not in nodes else "" for text in texts])
    rest = np.delete(np.arange(len(texts)), sets)
    others = [texts[at] for at in rest.tolist()]
    meant = _meant(known, places, others, nodes, len(texts))
    fresh = sorted((at for at, stretches in enumerate(meant) if not stretches), key=others.__getitem__)
    for number, place in enumerate(fresh, start=len(places)):
        meant[place] = [(float(number), float(number))]
    return Stretches.joined((sets, members), (rest, Stretches.over(meant))), [others[place] for place in fresh]


def _sets(places: Sequence[str], labels: Sequence[str]) -> tuple[Index, Stretches]:
    """Which labels are sets of names on the line, all written without quotes, and what these stand for."""
    at = dict[str, int]()
    for place, name in enumerate(places):
        spelled = canonical(name)
        at[spelled] = place if spelled not in at else -1  # several places: left to `covers`
    sets = set_members(labels)
    known = np.array([at.get(canonical("" if one == MISSING else one), -1) for one in sets.texts], dtype=np.int64)
    of, member = sets.of, known[sets.part]
    able = np.bincount(of[member < 0], minlength=sets.labels.size) == 0
    width = len(places) + 1
    kept = np.sort(
        (np.cumsum(able) - 1)[of[able[of]]] * width + member[able[of]]
    )  # more than 1 apart in different sets
    first, last = kept[np.diff(kept, prepend=-2) > 1], kept[abs(np.diff(kept, append=-2)) > 1]
    low, high = ((end % width).astype(np.float64) for end in (first, last))
    which = sets.labels[able]
    return which, Stretches.between(which.size, first // width, low, high)


def _meant(
    known: ColumnMetadata, places: Sequence[str], texts: Sequence[str], nodes: Mapping[str, list[Stretch]], labels: int
) -> list[list[Stretch]]:
    """The stretches that each of some `labels` stands for; none where it is a new name."""
    found = [nodes.get(text, []) for text in texts]
    rest = [place for place, stretches in enumerate(found) if not stretches]
    step = labels_at_once(len(places))
    lost = 0
    for start in range(0, len(rest), step):
        part = rest[start : start + step]
        for place, row in zip(part, _covered(known, places, [texts[place] for place in part]), strict=True):
            found[place] = [] if row is None else runs(np.flatnonzero(row))
            lost += row is None or (known.hierarchy is not None and not found[place])
    if lost:
        raise known.unreadable(lost, labels)
    return found


def _covered(known: ColumnMetadata, places: Sequence[str], labels: Sequence[str]) -> list[Mask | None]:
    """(L,) for each label, whether it covers each place; `None` where it cannot be read."""
    order = known.domain.texts if known.domain is not None and known.hierarchy is None else None
    try:
        return [*covers(labels, places, hierarchy=known.hierarchy, order=order)]
    except InputError:  # find which of them it is
        half = len(labels) // 2
        return (
            [None]
            if not half
            else [part for some in (labels[:half], labels[half:]) for part in _covered(known, places, some)]
        )


def _joined(spans: Sequence[Stretch]) -> list[Stretch]:
    """Ascending spans as stretches that do not meet.

    >>> _joined([(0, 3), (1, 1), (7, 8)])
    [(0, 3), (7, 8)]
    """
    found: list[Stretch] = []
    for low, high in spans:
        if found and low <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], high)
        else:
            found.append((low, high))
    return found


def runs(places: NDArray[np.number]) -> list[Stretch]:
    """Ascending places as stretches: whole ones that follow each other by 1 are one.

    >>> runs(np.array([1, 2, 5])), runs(np.array([2.0, 2.5, 3.5]))
    ([(1, 2), (5, 5)], [(2.0, 2.0), (2.5, 2.5), (3.5, 3.5)])
    """
    follows = (places[1:] == places[:-1] + 1) & (places[1:] == np.floor(places[1:]))
    ends = np.flatnonzero(~follows)
    first, last = places[np.append(0, ends + 1)[: places.size]], places[np.append(ends, places.size - 1)[: places.size]]
    return list(zip(first.tolist(), last.tolist(), strict=True))


# ── Numbers ──────────────────────────────────────────────────────────────────────────────────────


def numbers_line(known: ColumnMetadata, before: Labelled, after: Labelled) -> ColumnLine:
    """The line of a column of numbers."""
    digits = max(len(text.partition(".")[2]) if "." in text else 0 for text in before.texts)
    digits = min(max(digits, _grid_digits(known)), FINEST)
    places = _places(before.texts, digits)
    if after.texts == before.texts:  # released as they were
        means = Stretches.at(places)
    elif is_plain(text for text in after.texts if text):
        means = Stretches.at(_places(after.texts, digits))
    else:
        means = _Reader(known, digits, _ends(known, places, digits)).read(after.texts)
    return ColumnLine(known, before.side(Stretches.at(places)), after.side(means), numeric=True, digits=digits)


def is_plain(texts: Iterable[str]) -> bool:
    """Whether all texts, of which there is one at least, are numbers that can be squared."""
    listed = [*texts]
    return is_numeric_text(listed) and max(map(len, listed)) <= LONGEST


def _grid_digits(known: ColumnMetadata) -> int:
    """Decimals of the cuts of a grid, which can be finer than the values."""
    if known.domain is None:
        return 0
    step = known.domain.step * known.domain.unit
    return len(str(step.denominator)) - 1


def _places(texts: Sequence[str], digits: int) -> Places:
    """Where texts lie that are numbers, in steps; not a number where a text is empty."""
    numbers = np.array([text or "nan" for text in texts], dtype=np.str_).astype(np.float64) * 10.0**digits
    steps = np.rint(numbers)
    return np.where(np.abs(numbers - steps) <= NEAR * np.maximum(np.abs(steps), 1.0), steps, numbers)


def _ends(known: ColumnMetadata, places: Places, digits: int) -> Stretch:
    if known.domain is not None:
        low, high = (Fraction(end) * known.domain.unit for end in known.domain.ends)
        return _up(low, 10**digits), _down(high, 10**digits)
    return float(np.nanmin(places)), float(np.nanmax(places))


def _up(number: Fraction, ten: int) -> float:
    """The first step from a number on, of which `ten` make 1."""
    return _near(-(-number.numerator * ten // number.denominator))


def _down(number: Fraction, ten: int) -> float:
    return _near(number.numerator * ten // number.denominator)


def _near(step: int) -> float:
    """The step; beyond all measure, the farthest whose square is a number."""
    return float(step) if -_FARTHEST < step < _FARTHEST else float(_FARTHEST if step > 0 else -_FARTHEST)


class _Reader:
    """Reads the labels of a column of numbers."""

    def __init__(self, known: ColumnMetadata, digits: int, ends: Stretch) -> None:
        self._known = known
        self._ten = 10**digits
        self._digits = digits
        self._ends = ends
        self._leaves: Mapping[str, Sequence[tuple[int, int]]] | None = None
        self._numbers: Sequence[Fraction | None] = ()

    def read(self, texts: Sequence[str]) -> Stretches:
        closed, ranges = self._ranges(texts)
        rest = np.delete(np.arange(len(texts)), closed)
        others = [texts[at] for at in rest.tolist()]
        plain = [text if is_plain((text,)) else "" for text in others]
        places = _places(plain, self._digits).tolist()
        meant = [
            [(place, place)] if one else list(self._meant(text)) if text else []
            for text, one, place in zip(others, plain, places, strict=True)
        ]
        unread = sum(bool(text) and not found for text, found in zip(others, meant, strict=True))
        if unread:
            raise self._known.unreadable(unread, len(texts))
        return Stretches.joined((closed, ranges), (rest, Stretches.over(meant)))

    def _ranges(self, texts: Sequence[str]) -> tuple[Index, Stretches]:
        """Which labels are closed ranges between steps of at least 0, as nearly all are, and what they stand for."""
        ends = range_ends(texts)
        steps = np.array([self._step(text) for text in ends.texts], dtype=np.float64)
        first, last = steps[ends.part].reshape(-1, 2).T
        fine = first <= last
        at = ends.labels[fine]
        return at, Stretches.between(at.size, np.arange(at.size), first[fine], last[fine])

    def _step(self, text: str) -> float:
        """The step that an end is; none of what is no number, lies between two or is none that floats have exactly."""
        step = exact(text) * self._ten if is_plain((text,)) else Fraction(1, 2)
        return float(step) if step.denominator == 1 and abs(step) < _EXACT else np.nan

    def _meant(self, label: str) -> Iterator[Stretch]:
        """The stretches of a label that is no number."""
        if label == SUPPRESSED:
            yield self._ends
        elif span := span_of(label):
            yield self._between(span[0], span[1], closed=span[2])
        elif bound := bound_of(label):
            place, (low, high) = _up(bound[0], self._ten), self._ends
            last = place - (not bound[2])
            yield (place, max(high, place)) if bound[1] else (min(low, last), last)
        elif members := printed_values(label):
            yield from self._listed(members)
        else:
            yield from self._below(label)

    def _between(self, low: Fraction, high: Fraction, *, closed: bool) -> Stretch:
        """The steps of a range; the middle of one that holds none."""
        first = _up(low, self._ten)
        last = _down(high, self._ten) if closed else _up(high, self._ten) - 1
        if first > last:
            middle = float((low + high) / 2 * self._ten)
            return middle, middle
        return first, last

    def _listed(self, members: Sequence[str]) -> Iterator[Stretch]:
        """The numbers of a set; none where a member is neither a number nor missing."""
        if all(not one or is_plain((one,)) for one in members):
            places = (float(number * self._ten) for number in sorted({exact(one) for one in members if one}))
            yield from ((place, place) for place in places)

    def _below(self, label: str) -> list[Stretch]:
        if self._leaves is None:
            hierarchy = self._known.hierarchy
            self._leaves = {} if hierarchy is None else leaves_below(hierarchy, lowest=1)
            leaves = () if hierarchy is None else hierarchy.leaves
            self._numbers = [exact(leaf) * self._ten if is_plain((leaf,)) else None for leaf in leaves]
        low, high = self._leaves.get(label, [(0, -1)])[0]
        numbers = sorted(number for number in self._numbers[low : high + 1] if number is not None)
        return runs(np.array([float(number) for number in numbers]))
