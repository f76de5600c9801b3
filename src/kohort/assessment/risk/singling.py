"""Singling out: columns released as they are by which most people can be found, and the rounding that would prevent it.

A column most of whose values occur once (a serial number, an exact time, an exact income, a free text) identifies as a
name does: anyone who has seen the value once finds the record, however the quasi-identifiers are generalized. The
column's role makes no difference to that, nor does a model that limits what classes reveal of it.

Rounding removes this at little cost: what matters in incomes is thousands. Numbers that are harmless alone single
people out together, so all that are released together are rounded by one share of their spread: see `roundings`.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor, sqrt
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kohort.core.uniques import Singling
from kohort.errors import SchemaError, combined
from kohort.perturbation.base import MOST_DECIMALS
from kohort.perturbation.coding import FEWEST
from kohort.perturbation.rounding import Rounding
from kohort.schema.numbers import digits_of, is_numeric_text, said
from kohort.schema.vocabulary.topics import says_code, topics_of
from kohort.system.workspace import tallied
from kohort.tables.amounts import EXACT, decimals_of, distinct_from, rounded
from kohort.tables.table import Column, narrow

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from numpy.typing import NDArray

    from kohort.arrays import Counts, Index
    from kohort.perturbation.base import Amounts
    from kohort.schema import Schema
    from kohort.tables.table import CellCodes, Table


__all__ = ["Singling", "refuse_needless", "refuse_singling", "singling"]


def singling(
    table: Table, names: Sequence[str], people: Index | None = None, weights: Counts | None = None
) -> tuple[Singling, ...]:
    """Those of the columns `names` that are unique for more than half of the people.

    Args:
        table: The records.
        names: The columns to look at.
        people: (n,) the person of each record; `None` counts each record as a person.
        weights: (n,) how many records each stands for; `None`: for itself.

    >>> from kohort.io import read
    >>> import polars as pl
    >>> singling(read(pl.DataFrame({"ticket": ["a", "b", "c"], "day": ["Mo", "Mo", "Tu"]})), ["ticket", "day"])
    (Singling(columns=('ticket',), unique=3, people=3),)
    """
    records = table.records if weights is None else int(weights.sum())
    total = records if people is None else np.unique(people).size
    found = [Singling((name,), _unique(table[name], people, weights), total) for name in names]
    return tuple(one for one in found if one.most)


def _unique(column: Column, people: Index | None, weights: Counts | None) -> int:
    if people is None:
        return int((tallied(column.codes, len(column.values), weights) == 1).sum())
    least = np.full(len(column.values), np.iinfo(np.int64).max)
    most = np.full(len(column.values), -1)
    np.minimum.at(least, column.codes, people)
    np.maximum.at(most, column.codes, people)
    return int(np.unique(least[least == most]).size)


def refuse_needless(schema: Schema, allowed: Collection[str]) -> None:
    """Raise if a column is allowed to single out that is not released anyway."""
    released = [one.name for one in schema.released if not one.pseudonym]
    faults = [
        SchemaError(
            "the column is not released, so there is nothing to allow", where=f"column {name}", hint="do not allow it"
        )
        for name in allowed
        if name not in released
    ]
    if faults:
        raise combined("there is nothing to allow", faults)


def refuse_singling(
    table: Table,
    names: Sequence[str],
    *,
    missing: Collection[str] = (),
    people: Index | None = None,
    weights: Counts | None = None,
    k: int = 1,
) -> None:
    """Raise if columns to release single out more than half of the people.

    Args:
        table: The records to release.
        names: The columns that are released as they stand in it, and are not allowed to.
        missing: Texts that mean no value.
        people: (n,) the person of each record; `None` counts each record as a person.
        weights: (n,) how many records of a person each stands for; `None`: for itself.
        k: People at least at either end of numbers that are rounded.
    """
    found = singling(table, names, people, weights)
    columns = [table[one.columns[0]] for one in found if not _says_who(one.columns[0])]
    steps, _ = roundings(columns, k=k, missing=missing, people=people, weights=weights)
    who = "records" if people is None else "people"
    faults = [_refused(one, steps.get(one.columns[0]), who) for one in found]
    if faults:
        raise combined("columns single people out", faults)


def _refused(one: Singling, step: RoundingProposal | None, who: str) -> SchemaError:
    """The error of one column, with the rounding that would do: of a measure, not of a number that says who."""
    name = one.columns[0]
    step = None if _says_who(name) else step
    rounding = "" if step is None else f"; round a measure: --perturb {step.perturbation(name)} ({step.told})"
    return SchemaError(
        f"{one.unique:,} of {one.people:,} {who} have a value of their own and can be identified by it",
        where=f"column {name}",
        hint=f"make the column quasi-identifying or drop it{rounding}; to release it as it is: --allow-singling {name}"
        " (in a job file allow-singling = true, in Python Job.allow_singling)",
        unsafe=one.columns,
        flag=None if step is None else ("--perturb", step.perturbation(name)),
    )


def _says_who(name: str) -> bool:
    return bool(topics_of(name).keys() & {"id", "person", "name", "number"}) or says_code(name)


#: One in so many people may be unique by the numbers of a release.
SHARE: Final = 20

#: A step is one of these times a power of ten.
_LEADING: Final = (1, 2, 5)

#: What a bound is a multiple of is at most so much of a standard deviation: a round number, and no one's own.
_BOUND: Final = 10

#: Records times steps up to which every step is tried; of more the smallest is found by halving.
_TRIED: Final = 500_000

#: Columns of which each is left out in turn, to find the one that matters; of more the one of most values is.
_EACH: Final = 8


class RoundingProposal(NamedTuple):
    """How a column of numbers is rounded beside the others, what that helps, and what it costs.

    Attributes:
        step: Distance of the numbers that are left.
        before: People unique by these columns together.
        after: People unique when all of them are rounded so: at most 5 %.
        people: All people.
        change: How far a number of this column moves, on average over the records that have one.
        spread: The same as a share of the numbers' standard deviation.
        bottom: The numbers below it become their mean, since few have them; `None` for none.
        top: The numbers above it do, likewise.
        columns: How many columns are rounded together.
    """

    step: Fraction
    before: int
    after: int
    people: int
    change: float
    spread: float
    bottom: Fraction | None = None
    top: Fraction | None = None
    columns: int = 1

    def method(self, column: str) -> Rounding:
        """The perturbation of the column."""
        return Rounding(column, self.step, self.bottom, self.top)

    def perturbation(self, column: str) -> str:
        """The value of `--perturb` that rounds the column so.

        >>> RoundingProposal(Fraction(1, 2), 9, 1, 90, 0.1, 0.01, top=Fraction(90)).perturbation("weight")
        'weight=rounding:step=0.5,top=90'
        """
        return f"{column}=rounding:{','.join(f'{key}={value}' for key, value in self.keys.items())}"

    @property
    def keys(self) -> dict[str, str]:
        """The parameters of the perturbation, as a job file says them."""
        held = (("step", self.step), ("bottom", self.bottom), ("top", self.top))
        return {key: said(value) for key, value in held if value is not None}

    @property
    def told(self) -> str:
        """What it helps and costs, for a sentence.

        >>> RoundingProposal(Fraction(50), 900, 31, 900, 12.4813, 0.0041).told
        '31 people are unique instead of 900; values change by 12 on average, 0.41 % of their standard deviation'
        """
        people = "person is" if self.after == 1 else "people are"
        by = f" by {self.columns} numbers together" if self.columns > 1 else ""
        unique = f"{self.after:,} {people} unique{by} instead of {self.before:,}"
        cost = f"values change by {_short(self.change)} on average, {_short(100 * self.spread)} %"
        return f"{unique}; {cost} of their standard deviation"


def _short(number: float) -> str:
    """A number to two digits.

    >>> _short(1234.5), _short(0.0123)
    ('1,234', '0.012')
    """
    return f"{number:,.0f}" if number >= 10 else f"{number:.2g}"  # noqa: PLR2004  two digits before the point


def proposed(
    column: Column,
    *,
    missing: Collection[str] = (),
    people: Index | None = None,
    weights: Counts | None = None,
    k: int = 1,
) -> RoundingProposal | None:
    """The rounding of one column; `None` where few are unique by it, or none would do; see `roundings`.

    >>> from kohort.io import read
    >>> import polars as pl
    >>> found = proposed(read(pl.DataFrame({"x": [str(100 + 3 * place) for place in range(40)]}))["x"])
    >>> found.step, found.before, found.after, found.change
    (Fraction(10, 1), 40, 1, 2.5)
    """
    found, _ = roundings([column], k=k, missing=missing, people=people, weights=weights)
    return next((one for one in found.values() if one.before > one.after and SHARE * one.before > one.people), None)


def roundings(
    columns: Sequence[Column],
    *,
    k: int,
    missing: Collection[str] = (),
    people: Index | None = None,
    weights: Counts | None = None,
    first_out: Collection[str] = (),
    safe: Callable[[Sequence[Column]], bool] = lambda _: True,
) -> tuple[dict[str, RoundingProposal], tuple[str, ...]]:
    """How numbers that are released together are rounded, and which of them have to be left out for that.

    One step is sought for all of them, as a share of each column's own standard deviation: a column's step is the
    greatest of 1, 2 and 5 times a power of ten up to that share. It is the smallest share, up to one, with which at
    most 5 % of the people are unique by all of the numbers together. At either end of a column at least `k` people
    then have the same number: where fewer have the greatest, those above a round bound become their mean.

    Where no share does, those of `first_out` are left out, then one column after another: the one without which the
    others change least. Columns that are not plain numbers are none of these, and are not looked at.

    Cost: for each share that is tried a sort of the records; of many records few shares are tried, by halving.

    Args:
        columns: Of the same records.
        k: People at least at either end; of more than one, as many as may have a mean.
        missing: Texts that mean no value.
        people: (n,) the person of each record; `None` counts each record as a person.
        weights: (n,) how many records each stands for; `None`: for itself.
        first_out: Columns to give up before others: survey weights.
        safe: What else must hold of the columns as they are released.

    Returns:
        The proposals of those that are changed, by name; and the names of those that are left out.
    """
    known, k = frozenset({"", *missing}), max(k, FEWEST) if k > 1 else k
    held = [one for column in columns if (one := _Number.of(column, known, people, weights, k)) is not None]
    unsafe: list[str] = []
    while held:
        found = _together(held, people, weights, safe)
        if found is not None:
            return found, tuple(unsafe)
        early = [one.column.name for one in held if one.column.name in first_out]
        unsafe += early or [_dearest(held, people, weights, safe)]
        held = [one for one in held if one.column.name not in unsafe]
    return {}, tuple(unsafe)


def _dearest(
    held: Sequence[_Number],
    people: Index | None,
    weights: Counts | None,
    safe: Callable[[Sequence[Column]], bool],
) -> str:
    """The column without which the others change least; where none suffices, the one of most values."""
    tried = dict[str, float]()
    if 1 < len(held) <= _EACH:
        for one in held:
            found = _together([other for other in held if other is not one], people, weights, safe)
            if found is not None:
                tried[one.column.name] = max((proposal.spread for proposal in found.values()), default=0.0)
    return (
        min(tried, key=lambda name: tried[name])
        if tried
        else max(held, key=lambda one: one.made(1).first.size).column.name
    )


def _together(
    held: Sequence[_Number],
    people: Index | None,
    weights: Counts | None,
    safe: Callable[[Sequence[Column]], bool],
) -> dict[str, RoundingProposal] | None:
    """The proposals for these columns; `None` where no share of a standard deviation does."""
    records = held[0].column.codes.size
    total = np.unique(people).size if people is not None else records if weights is None else int(weights.sum())
    before = _apart([(np.arange(len(one.column.values)), one.column.codes) for one in held], people, weights)
    shares = sorted({0.0, *(share for one in held for share in one.shares)})

    def after(share: float) -> int:
        return _apart([(one.made(share).codes, one.column.codes) for one in held], people, weights)

    def does(share: float) -> bool:
        return SHARE * after(share) <= total and safe([one.released(share) for one in held])

    if records * len(shares) <= _TRIED:
        found = next(filter(does, shares), None)
    else:
        found = next(iter(shares[bisect_left(shares, x=True, key=does) :]), None)
    if found is None:
        return None
    unique = after(found)
    return {
        one.column.name: proposal
        for one in held
        if (proposal := one.proposal(found, before, unique, total, len(held))) is not None
    }


@dataclass(frozen=True, slots=True, eq=False)
class _Number:
    """A column of numbers that is to be rounded.

    Attributes:
        column: The column.
        amounts: (p,) its numbers, ascending.
        order: (p,) their places among its values.
        records: (p,) records with each.
        most: (p,) people whose greatest number it is.
        least: (p,) people whose smallest it is.
        deviation: The numbers' standard deviation.
        spread: The same where the `k` people at either end have the number of the last of them: no outlier decides.
        unit: The step of its own decimals, with which nothing changes.
        k: People at least at either end.
        missing: Texts that mean no value.
    """

    column: Column
    amounts: Amounts
    order: Index
    records: Counts
    most: Counts
    least: Counts
    deviation: float
    spread: float
    unit: Fraction
    k: int
    missing: frozenset[str]
    _known: dict[Fraction, _RoundedValues] = field(default_factory=dict["Fraction", "_RoundedValues"])

    @classmethod
    def of(
        cls, column: Column, missing: frozenset[str], people: Index | None, weights: Counts | None, k: int
    ) -> _Number | None:
        """That of a column; `None` where its values are no plain numbers, or too large."""
        present = np.flatnonzero(~column.absent(missing))
        texts = column.values.gather(present).to_list()
        if not is_numeric_text(texts):
            return None
        numbers = np.array(texts, np.float64)
        if np.abs(numbers).max() >= EXACT:
            return None
        order = present[np.argsort(numbers, kind="stable")]
        amounts = np.sort(numbers, kind="stable")
        records = tallied(column.codes, len(column.values), weights).take(order)
        most = least = records
        if people is not None:
            place = np.full(len(column.values), -1)
            place[order] = np.arange(order.size)
            of = place.take(column.codes)
            whose = np.unique(people[of >= 0], return_inverse=True)[1]
            ends = np.zeros(whose.max(initial=-1) + 1, np.int64), np.full(whose.max(initial=-1) + 1, order.size)
            np.maximum.at(ends[0], whose, of[of >= 0])
            np.minimum.at(ends[1], whose, of[of >= 0])
            most, least = (np.bincount(end, minlength=order.size) for end in ends)
        low, high = _nth(least, k), amounts.size - 1 - _nth(most[::-1], k)
        inner = np.clip(amounts, amounts[low], amounts[high]) if low < high else amounts
        unit = Fraction(10) ** -min(decimals_of(texts), MOST_DECIMALS)
        spreads = _deviation(amounts, records), _deviation(inner, records)
        return cls(column, amounts, order, records, most, least, *spreads, unit, k, missing)

    @property
    def shares(self) -> list[float]:
        """At which shares of a standard deviation its step becomes another, ascending."""
        return [float(step) / self.spread for step in _steps(self.unit, self.spread)]

    def made(self, share: float) -> _RoundedValues:
        """What becomes of it by the step of a share of a standard deviation."""
        fitting = (one for one in _steps(self.unit, self.spread) if float(one) / self.spread <= share)
        step = max(fitting, default=self.unit)
        if step not in self._known:
            self._known[step] = self._by(step)
        return self._known[step]

    def _by(self, step: Fraction) -> _RoundedValues:
        bottom, top = self._bounds(self._rounded(self.amounts, step), step)
        coded = self.amounts.copy()
        for end, beyond in ((bottom, np.less), (top, np.greater)):
            some = np.zeros(coded.size, np.bool_) if end is None else beyond(self.amounts, float(end))
            if some.any():
                coded[some] = np.average(self.amounts[some], weights=self.records[some])
        made = self._rounded(coded, step)
        codes = -1 - np.arange(len(self.column.values))
        codes[self.order] = np.unique(made, return_inverse=True)[1]
        _, first, of = np.unique(codes, return_index=True, return_inverse=True)
        return _RoundedValues(step, bottom, top, made, of, first)

    def _rounded(self, amounts: Amounts, step: Fraction) -> Amounts:
        """Numbers as they are released when the perturbation rounds them."""
        method = Rounding("", step)
        digits = method.decimals or 0
        (made,) = method.perturb([amounts], [])
        return distinct_from(rounded(made, digits, method.bounds), self.missing, digits, method.bounds)

    def _bounds(self, made: Amounts, step: Fraction) -> tuple[Fraction | None, Fraction | None]:
        """Beyond which numbers lie those that have to become one, for `k` people to have it: multiples of a round step.

        None where so many have the outermost one, and where there are not as many people at both ends.
        """
        wide = [one for one in _steps(step, self.spread / _BOUND) if one % step == 0]
        unit = max(wide, default=step)
        bottom = top = None
        if self.most[made == made[-1]].sum() < self.k <= self.most.sum():
            top = (ceil(_exact(self.amounts[-1 - _nth(self.most[::-1], self.k)]) / unit) - 1) * unit
        if self.least[made == made[0]].sum() < self.k <= self.least.sum():
            bottom = (floor(_exact(self.amounts[_nth(self.least, self.k)]) / unit) + 1) * unit
        return (None, None) if bottom is not None and top is not None and bottom >= top else (bottom, top)

    def released(self, share: float) -> Column:
        """The column as it is released, but for its texts: some value stands for all that become one."""
        made, column = self.made(share), self.column
        codes = narrow(made.codes.take(column.codes), made.first.size)
        return Column(column.name, column.values.gather(made.first), codes, column.dtype)

    def proposal(self, share: float, before: int, after: int, people: int, columns: int) -> RoundingProposal | None:
        """What is proposed; `None` where nothing changes."""
        made = self.made(share)
        change = float(np.average(np.abs(made.amounts - self.amounts), weights=self.records))
        if not change:
            return None
        ends = made.bottom, made.top
        return RoundingProposal(made.step, before, after, people, change, change / self.deviation, *ends, columns)


class _RoundedValues(NamedTuple):
    """What becomes of a column.

    Attributes:
        step: The step.
        bottom: The numbers below it become their mean.
        top: The numbers above it do.
        amounts: (p,) what becomes of each number.
        codes: (v,) of each value, from 0 on; a text that means none has one of its own.
        first: (u,) some value with each code.
    """

    step: Fraction
    bottom: Fraction | None
    top: Fraction | None
    amounts: Amounts
    codes: Index
    first: Index


def _deviation(amounts: Amounts, records: Counts) -> float:
    mean = float(np.average(amounts, weights=records))
    return sqrt(np.average((amounts - mean) ** 2, weights=records))


def _nth(people: Counts, n: int) -> int:
    """The place of the n-th of people who stand in places, so many in each; of fewer the last place."""
    return min(int(np.searchsorted(np.cumsum(people), n)), people.size - 1)


def _steps(finest: Fraction, most: float) -> list[Fraction]:
    """The steps up to so much that change something, ascending."""
    power, found = Fraction(10) ** -digits_of(finest), list[Fraction]()
    while power <= most:
        found += [step for leading in _LEADING if finest < (step := leading * power) <= most]
        power *= 10
    return found


def _exact(number: float) -> Fraction:
    return Fraction(str(number))


def _apart(columns: Iterable[tuple[Index, CellCodes]], people: Index | None, weights: Counts | None) -> int:
    """How many people have a tuple of codes that nobody else has, but for a chance of 2^-64.

    Args:
        columns: Of each (v,) the code of each value, and (n,) the value of each record.
        people: (n,) whose each record is.
        weights: (n,) how many records each stands for.
    """
    keys: NDArray[np.uint64] = np.zeros(1, np.uint64)
    for place, (of, codes) in enumerate(columns):
        numbers = np.random.default_rng(place).integers(2**64, size=int(of.max(initial=0)) + 1, dtype=np.uint64)
        keys = keys + numbers.take(of).take(codes)
    _, cells, sizes = np.unique(keys, return_inverse=True, return_counts=True)
    if people is None:
        records = sizes if weights is None else np.bincount(cells, weights)
        return int(np.count_nonzero(records == 1))
    first = np.zeros(sizes.size, people.dtype)
    first[cells] = people
    alone = np.ones(sizes.size, np.bool_)
    alone[cells[first[cells] != people]] = False
    return int(np.unique(first[alone]).size)
