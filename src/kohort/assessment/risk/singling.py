"""Singling out: columns released as they are by which most people can be found, and the rounding that would prevent it.

A column most of whose values occur once (a serial number, an exact time, an exact income, a free text) identifies as a
name does: anyone who has seen the value once finds the record, however the quasi-identifiers are generalized. The
column's role makes no difference to that, nor does a model that limits what classes reveal of it.

Rounding removes this at little cost: what matters in incomes is thousands. Proposed is the smallest of the steps 1, 2
and 5 times a power of ten with which at most 5 % of the people have a value that nobody else has, after that very
rounding (`kohort.perturbation.rounding`).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.core.uniques import Singling
from kohort.errors import SchemaError, combined
from kohort.perturbation.base import MOST_DECIMALS
from kohort.perturbation.rounding import Rounding
from kohort.schema.numbers import is_numeric_text, said
from kohort.schema.vocabulary import topics_of
from kohort.tables.amounts import EXACT, decimals_of, distinct_from, rounded
from kohort.tables.perturbing import perturbed
from kohort.tables.table import Table
from kohort.workspace import tallied

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from kohort.arrays import Counts, Index
    from kohort.perturbation.base import Amounts
    from kohort.schema import Schema
    from kohort.tables.table import Column


__all__ = ["Singling", "refuse_needless", "refuse_singling", "singling"]


def singling(table: Table, names: Sequence[str], people: Index | None = None) -> tuple[Singling, ...]:
    """Those of the columns `names` that are unique for more than half of the people.

    Args:
        table: The records.
        names: The columns to look at.
        people: (n,) the person of each record; `None` counts each record as a person.

    >>> from kohort.io import read
    >>> import polars as pl
    >>> singling(read(pl.DataFrame({"ticket": ["a", "b", "c"], "day": ["Mo", "Mo", "Tu"]})), ["ticket", "day"])
    (Singling(columns=('ticket',), unique=3, people=3),)
    """
    total = table.records if people is None else np.unique(people).size
    found = [Singling((name,), _unique(table[name], people), total) for name in names]
    return tuple(one for one in found if one.most)


def _unique(column: Column, people: Index | None) -> int:
    """People with a value that nobody else has."""
    if people is None:
        return int((column.counts() == 1).sum())
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
            "there is nothing to allow: its values are not released", where=f"column {name}", hint="do not allow it"
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
) -> None:
    """Raise if columns to release single out more than half of the people.

    Args:
        table: The records to release.
        names: The columns that are released as they stand in it, and are not allowed to.
        missing: Texts that mean no value.
        people: (n,) the person of each record; `None` counts each record as a person.
        weights: (n,) how many records of a person each stands for; `None`: for itself.
    """
    found = singling(table, names, people)
    steps = (proposed(table[one.columns[0]], missing=missing, people=people, weights=weights) for one in found)
    refuse_found(list(zip(found, steps, strict=True)), "records" if people is None else "people")


def refuse_found(found: Sequence[tuple[Singling, RoundingProposal | None]], who: str) -> None:
    """Raise if there are columns that single out, each with the rounding that would do."""
    faults = [_refused(one, step, who) for one, step in found]
    if faults:
        raise combined("columns single people out", faults)


def _refused(one: Singling, step: RoundingProposal | None, who: str) -> SchemaError:
    """The error of one column, with the rounding that would do: of a measure, not of a number that says who."""
    name = one.columns[0]
    named = topics_of(name).keys() & {"id", "person", "name", "number"}
    rounding = "" if step is None else f"; round a measure: --perturb {step.perturbation(name)} ({step.told})"
    return SchemaError(
        f"{one.unique:,} of {one.people:,} {who} have a value of their own and can be identified by it",
        where=f"column {name}",
        hint=f"make it quasi-identifying or drop it{rounding}; to release it as it is: --allow-singling {name}"
        " (in a job file allow-singling = true, in Python Job.allow_singling)",
        unsafe=one.columns,
        flag=None if step is None or named else ("--perturb", step.perturbation(name)),
    )


#: One in so many people may have a value of their own.
SHARE: Final = 20

#: A step is one of these times a power of ten.
_LEADING: Final = (1, 2, 5)


@dataclass(frozen=True, slots=True)
class RoundingProposal:
    """A step of rounding, what it helps, and what it costs.

    Attributes:
        step: Distance of the numbers that are left.
        before: People with a value of their own.
        after: People with one when the column is rounded: at most 5 %.
        people: All people.
        change: How far a number moves, on average over the records that have one.
        spread: The same as a share of the numbers' standard deviation.
    """

    step: Fraction
    before: int
    after: int
    people: int
    change: float
    spread: float

    def perturbation(self, column: str) -> str:
        """The value of `--perturb` that rounds the column so.

        >>> RoundingProposal(Fraction(1, 2), 9, 1, 90, 0.1, 0.01).perturbation("weight")
        'weight=rounding:step=0.5'
        """
        return f"{column}=rounding:step={said(self.step)}"

    @property
    def told(self) -> str:
        """What it helps and costs, for a sentence.

        >>> RoundingProposal(Fraction(50), 900, 31, 900, 12.4813, 0.0041).told
        '31 people are unique instead of 900; values change by 12 on average, 0.41 % of their standard deviation'
        """
        people = "person is" if self.after == 1 else "people are"
        unique = f"{self.after:,} {people} unique instead of {self.before:,}"
        cost = f"values change by {_short(self.change)} on average, {_short(100 * self.spread)} %"
        return f"{unique}; {cost} of their standard deviation"


def _short(number: float) -> str:
    """A number to two digits.

    >>> _short(1234.5), _short(0.0123)
    ('1,234', '0.012')
    """
    return f"{number:,.0f}" if number >= 10 else f"{number:.2g}"  # noqa: PLR2004  two digits before the point


def rounding_step(
    values: Sequence[str | None], counts: Sequence[int] | Counts, *, missing: Collection[str] = ()
) -> RoundingProposal | None:
    """The smallest step with which at most 5 % of the people have a value of their own.

    `None` where the values are not numbers, where no more people have one already, and where only a step of more than a
    standard deviation would do.

    Args:
        values: The distinct values of a column as text.
        counts: Records with each; where people have several, see `proposed`.
        missing: Texts that mean no value, besides null and the empty one.

    >>> found = rounding_step([str(100 + 3 * place) for place in range(40)], [1] * 40)
    >>> found.step, found.before, found.after, found.change
    (Fraction(10, 1), 40, 1, 2.5)
    """
    return _least(_of_records(values, counts, frozenset(missing)))


def proposed(
    column: Column, *, missing: Collection[str] = (), people: Index | None = None, weights: Counts | None = None
) -> RoundingProposal | None:
    """The same for a column of a table.

    Args:
        column: The column.
        missing: Texts that mean no value.
        people: (n,) the person of each record; `None` counts each record as a person.
        weights: (n,) how many records of a person each stands for; `None`: for itself.
    """
    return _least(proposals(column, missing=missing, people=people, weights=weights))


def proposals(
    column: Column, *, missing: Collection[str] = (), people: Index | None = None, weights: Counts | None = None
) -> Iterator[RoundingProposal]:
    """Every step up to a standard deviation, the smallest first; none where the values are not numbers."""
    values, counts = column.values.to_list(), tallied(column.codes, len(column.values), weights)
    if people is None:
        return _of_records(values, counts, frozenset(missing))
    known, persons = np.unique(people, return_inverse=True)
    owners = np.empty(counts.size, np.int64)
    owners[column.codes] = persons
    owners[column.codes[owners[column.codes] != persons]] = -1
    return _proposals(values, counts, frozenset(missing), owners, known.size)


def rounded_column(column: Column, step: Fraction, missing: frozenset[str] = frozenset()) -> Column:
    """The column as it is released when its numbers are rounded so.

    >>> from kohort.io import read
    >>> import polars as pl
    >>> found = rounded_column(read(pl.DataFrame({"paid": ["7", "", "9", "21"]}))["paid"], Fraction(10))
    >>> found.values.gather(found.codes).to_list()
    ['10', '', '10', '20']
    """
    table = Table((column,), column.codes.size)
    return perturbed(table, [Rounding(column.name, step)], missing=missing, seed=None)[column.name]


def _of_records(
    values: Sequence[str | None], counts: Sequence[int] | Counts, missing: frozenset[str]
) -> Iterator[RoundingProposal]:
    """The proposals where each record is a person."""
    records = np.asarray(counts, np.int64)
    owners = np.where(records == 1, np.arange(records.size), -1)
    return _proposals(values, records, missing, owners, int(records.sum()))


def _least(found: Iterator[RoundingProposal]) -> RoundingProposal | None:
    """The first with which few have a value of their own; `None` where few have one already."""
    for one in found:
        if SHARE * one.before <= one.people:
            return None
        if SHARE * one.after <= one.people:
            return one
    return None


def _proposals(
    values: Sequence[str | None], counts: Counts, missing: frozenset[str], owners: Index, people: int
) -> Iterator[RoundingProposal]:
    """Those of each step; `owners` has the one person with each value, -1 where several have it."""
    present = np.array([bool(text) and text not in missing for text in values], np.bool_)
    texts = [text for text in values if text and text not in missing]
    before = np.unique(owners[owners >= 0]).size
    if not is_numeric_text(texts):
        return
    numbers = np.array(texts, np.float64)
    order = np.argsort(numbers, kind="stable")
    numbers, records, theirs = numbers[order], counts[present][order], owners[present][order]
    mean = float(np.average(numbers, weights=records))
    deviation = float(np.average((numbers - mean) ** 2, weights=records)) ** 0.5
    if np.abs(numbers).max() >= EXACT:
        return
    gaps = np.unique(owners[~present & (owners >= 0)])
    for step in _steps(decimals_of(texts), deviation):
        made = _rounded(numbers, step, missing)
        after = np.union1d(gaps, _alone(made, theirs)).size
        change = float(np.average(np.abs(made - numbers), weights=records))
        yield RoundingProposal(step, before, after, people, change, change / deviation)


def _steps(decimals: int, most: float) -> Iterator[Fraction]:
    """The steps that change something, ascending."""
    power = -min(decimals, MOST_DECIMALS)
    finest = Fraction(10) ** power
    while Fraction(10) ** power <= most:
        for leading in _LEADING:
            step = leading * Fraction(10) ** power
            if finest < step <= most:
                yield step
        power += 1


def _rounded(numbers: Amounts, step: Fraction, missing: frozenset[str]) -> Amounts:
    """The numbers as they are released when the perturbation rounds them."""
    method = Rounding("", step)
    digits = method.decimals or 0
    (made,) = method.perturb([numbers], [])
    return distinct_from(rounded(made, digits, method.bounds), missing, digits, method.bounds)


def _alone(made: Amounts, owners: Index) -> Index:
    """The people with a number of their own; the numbers ascend."""
    group = np.cumsum(np.append(np.zeros(1, np.bool_), made[1:] != made[:-1]))
    owner = np.empty(group[-1] + 1, np.int64)
    owner[group] = owners
    owner[group[owner[group] != owners]] = -1
    return np.unique(owner[owner >= 0])
