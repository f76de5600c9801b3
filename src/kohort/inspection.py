"""Guesses what each column of a table reveals about a person, and says why; a guess is a start for a human to correct.

The rules are asked in order and the first that has an opinion decides:

    1. values of an identifying form (codice fiscale, IBAN, e-mail …)           identifying, whatever the name
    2. the column's name, in English or Italian                                 as the vocabulary says
    3. one value, or none                                                       insensitive
    4. dates or postal codes                                                    quasi-identifying
    5. nearly as many values as records: a running number, or text              identifying
    6. many values, all of them numbers                                         sensitive
    7. values that records share                                                quasi-identifying

Where nothing is known the guess is the careful one. Only distinct values and their counts are looked at, and no reason
repeats a value.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np

from kohort.numbers import exact, is_numeric_text
from kohort.patterns import IDENTIFIERS, ISO_DATE, POSTAL_CODE, Pattern, is_running_number
from kohort.vocabulary import role_by_name, says_postal_code

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from collections.abc import Set as AbstractSet

    from kohort.engines.table import Column, Table
    from kohort.vocabulary import RoleName

ScaleName: TypeAlias = Literal["numeric", "categorical"]

#: A role and the reason for it, or no opinion.
Opinion: TypeAlias = "tuple[RoleName, str] | None"

#: Share of a column's distinct values that must have a form for the column to have it: some cells are mistyped.
NEARLY_ALL: Final = 0.95

#: Distinct values looked at for a form, evenly spread over the column …
SAMPLE: Final = 2_000

#: … and how near their share must be to `NEARLY_ALL` for all to be looked at: eight standard deviations of a sample's.
DOUBT: Final = 0.04

#: From this many distinct values per record on, a value belongs to few enough people to be a measurement.
MANY: Final = 0.1

#: Up to this many values there is no room for a level between a value and "*".
FEW: Final = 3

#: The first intervals proposed for a numeric column divide its span by about this.
INTERVALS: Final = 20


@dataclass(frozen=True, slots=True)
class Guess:
    """What a column seems to reveal.

    Attributes:
        name: The column's name.
        role: The role it should have.
        scale: Numeric where every value is a plain number and none looks like a code.
        reasons: Why, as sentences for a reader; the first decided.
        distinct: How many different values occur, missing ones apart.
        missing: How many records have none.
        distinctness: Distinct values per record, 0..1.
        separation: Share of the pairs of records that have different values, 0..1; missing counts as a value.
        hierarchy: A rule to generalize a quasi-identifier by, as `--hierarchy` takes it; `None` where a hierarchy
            needs knowledge.
        grid: A round step for the public cut points of a numeric quasi-identifier, else `None`.
        grid_reason: Why that step, for a reader; else `None`.
    """

    name: str
    role: RoleName
    scale: ScaleName
    reasons: tuple[str, ...]
    distinct: int
    missing: int
    distinctness: float
    separation: float
    hierarchy: str | None
    grid: str | None
    grid_reason: str | None = None


def inspect_table(table: Table, *, missing: AbstractSet[str] = frozenset({""})) -> tuple[Guess, ...]:
    """A guess for every column of `table`, in its order.

    Args:
        table: The records to look at.
        missing: The texts that mean "no value", besides null.
    """
    return tuple(_guess(_evidence(column, table.records, missing)) for column in table.columns)


@dataclass(frozen=True, slots=True)
class _Evidence:
    """What the rules look at: a column's name, distinct values and counts, without the missing ones."""

    name: str
    values: Sequence[str]
    records: int
    missing: int
    separation: float
    form: Pattern | None
    numeric: bool

    @property
    def many(self) -> bool:
        """Whether few records share a value."""
        return len(self.values) > MANY * (self.records - self.missing)

    @property
    def near_unique(self) -> bool:
        """Whether nearly every record that has a value has its own."""
        return len(self.values) >= NEARLY_ALL * (self.records - self.missing)


def _evidence(column: Column, records: int, missing: AbstractSet[str]) -> _Evidence:
    texts: list[str | None] = column.values.to_list()
    sizes = np.bincount(column.codes, minlength=len(texts)).astype(np.int64)
    values = [text for text in texts if text is not None and text not in missing]
    if len(values) < len(texts):
        blank = np.array([text is None or text in missing for text in texts])
        absent = int(sizes[blank].sum())
        sizes = np.append(sizes[~blank], absent)  # all spellings of "missing" are one value
    else:
        absent = 0
    pairs = records * (records - 1)
    return _Evidence(
        name=column.name,
        values=values,
        records=records,
        missing=absent,
        separation=1 - int(sizes @ (sizes - 1)) / pairs if pairs else 0.0,
        form=_form(values),
        numeric=is_numeric_text(values),
    )


def _form(values: Sequence[str]) -> Pattern | None:
    """The form that nearly all values have."""
    sample = values[:: len(values) // SAMPLE + 1]
    for pattern in (*IDENTIFIERS, ISO_DATE, POSTAL_CODE):
        share = _share(pattern, sample)
        if abs(share - NEARLY_ALL) < DOUBT and len(sample) < len(values):
            share = _share(pattern, values)
        if share >= NEARLY_ALL:
            return pattern
    return None


def _share(pattern: Pattern, values: Sequence[str]) -> float:
    return sum(map(pattern.matches, values)) / len(values) if values else 0.0


def _by_identifying_form(evidence: _Evidence) -> Opinion:
    form = evidence.form
    if form is None or form not in IDENTIFIERS:
        return None
    how = " with a right checksum" if form.checked else ""
    return "identifying", f"nearly all its values are {form.plural}{how}"


def _by_name(evidence: _Evidence) -> Opinion:
    said = role_by_name(evidence.name)
    return None if said is None else (said.role, f'its name says "{said.word}"')


def _by_constancy(evidence: _Evidence) -> Opinion:
    if not evidence.values:
        return "insensitive", "it has no values"
    if len(evidence.values) == 1 and evidence.records > 1 and not evidence.missing:
        return "insensitive", "all records have the same value"
    return None


def _by_known_form(evidence: _Evidence) -> Opinion:
    form = evidence.form
    if form is not None and (form is ISO_DATE or (form is POSTAL_CODE and not evidence.numeric)):
        return "quasi", f"nearly all its values are {form.plural}, which others may know of a person"
    return None


def _by_distinctness(evidence: _Evidence) -> Opinion:
    if not evidence.near_unique:
        return None
    if is_running_number(evidence.values):
        return "identifying", "its values number the records"
    if not evidence.numeric:
        return "identifying", "nearly every record has a value of its own"
    return None


def _by_measurement(evidence: _Evidence) -> Opinion:
    if not (evidence.numeric and evidence.many):
        return None
    if evidence.near_unique:
        return "sensitive", "nearly every record has a number of its own, as a fine measurement has; an id has too"
    return "sensitive", "it has many different numbers, as a measurement has"


def _by_sharing(evidence: _Evidence) -> Opinion:
    what = "many values" if evidence.many else "few values, each of many records"
    return "quasi", f"it has {what}, and alone separates {evidence.separation:.1%} of the pairs of records"


#: In order: the first opinion decides, later ones that agree are further reasons. The last always has one.
_RULES: Final[tuple[Callable[[_Evidence], Opinion], ...]] = (
    _by_identifying_form,
    _by_name,
    _by_constancy,
    _by_known_form,
    _by_distinctness,
    _by_measurement,
    _by_sharing,
)


def _guess(evidence: _Evidence) -> Guess:
    opinions = [opinion for rule in _RULES if (opinion := rule(evidence)) is not None]
    role = opinions[0][0]
    signs = (evidence.form is POSTAL_CODE, says_postal_code(evidence.name), not evidence.numeric)
    postal = sum(signs) >= 2  # noqa: PLR2004  most of the three; `20121` alone may be an income, `cap` a limit
    numeric = evidence.numeric and not postal
    step = round_step(evidence.values) if role == "quasi" and numeric else None
    return Guess(
        name=evidence.name,
        role=role,
        scale="numeric" if numeric else "categorical",
        reasons=tuple(reason for opinion, reason in opinions if opinion == role),
        distinct=len(evidence.values),
        missing=evidence.missing,
        distinctness=len(evidence.values) / evidence.records if evidence.records else 0.0,
        separation=evidence.separation,
        hierarchy=_hierarchy(evidence, postal=postal, step=step) if role == "quasi" else None,
        grid=None if step is None else f"{step:f}",
        grid_reason=None if step is None else _why(step, evidence.values),
    )


def _why(step: Decimal, values: Sequence[str]) -> str:
    """Why to cut at multiples of the step, and how many cells its values span."""
    numbers = [exact(text) for text in (min(values, key=Decimal), max(values, key=Decimal))]
    first, last = (number // Fraction(step) for number in numbers)
    return f"round cut points in {last - first + 1:,} intervals; then no end of a range is a data value"


def _hierarchy(evidence: _Evidence, *, postal: bool, step: Decimal | None) -> str | None:
    if postal:
        return "mask:right"
    if evidence.form is ISO_DATE:
        return "dates"
    if step is not None:
        return "intervals:" + ",".join(f"{(factor * step).normalize():f}" for factor in (1, 2, 4))
    return "suppress" if len(evidence.values) <= FEW else None


def round_step(values: Sequence[str]) -> Decimal | None:
    """The smallest of 1, 2, 5, 10, 20 … (or 0.1, 0.2 …) that divides the span of the numbers into few intervals.

    It is at least 2 for whole numbers, which intervals of 1 would leave as they are; `None` where all are equal.

    >>> [str(round_step(ages)) for ages in (["18", "90"], ["1", "16"], ["0.5", "0.8"])]
    ['5', '2', '0.02']
    """
    numbers = [Decimal(text) for text in values]
    least = (max(numbers) - min(numbers)) / INTERVALS
    if not least:
        return None
    ten = Decimal(1).scaleb(least.adjusted())
    step = next(factor * ten for factor in (1, 2, 5, 10) if factor * ten >= least)
    return max(step, Decimal(2)) if all("." not in text for text in values) else step
