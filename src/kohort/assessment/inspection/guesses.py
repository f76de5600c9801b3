"""Guesses what each column of a table reveals about a person, and says why; a guess is a start for a human to correct.

Guesses err to the safe side: `rules` says how. The evidence is the names of columns, their distinct values and counts,
and, for row numbers, the order of the records. A quasi-identifier gets a rule for its hierarchy, or round cut points.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from difflib import get_close_matches
from itertools import count, takewhile
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np

from kohort.assessment.classes import classes_of, records_of
from kohort.assessment.inspection.blocks import blocks
from kohort.assessment.inspection.codes import public_rule, rule_of, spelling_rule
from kohort.assessment.inspection.evidence import evidence_of
from kohort.assessment.inspection.panels import date_parts, period_of, same
from kohort.assessment.inspection.rules import (
    CATEGORIES,
    Certainty,
    Context,
    Opinion,
    is_clinical,
    is_weight,
    may_be_key,
    opinions,
)
from kohort.assessment.inspection.safe_harbor import Finding, found_in
from kohort.errors import UsageError, combined
from kohort.schema.dates import DateFormat, Period, day_of, formats_of, round_period, starts
from kohort.schema.hierarchies import known_codes
from kohort.schema.hierarchies.spelling import MOST as WORDS
from kohort.schema.numbers import exact, is_numeric_text, round_step, said
from kohort.schema.open_ends import DAYS as FAR_DAYS
from kohort.schema.open_ends import SENTINELS, inner, near
from kohort.schema.patterns import DAYS, POSTAL_CODE
from kohort.schema.vocabulary.topics import says_code, says_coordinate, says_postal_code

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from fractions import Fraction

    from kohort.arrays import Counts
    from kohort.assessment.inspection.codes import CodeRule
    from kohort.assessment.inspection.evidence import ColumnEvidence
    from kohort.errors import InputError
    from kohort.schema.vocabulary.topics import RoleName, Topic
    from kohort.tables.table import Table, Texts

ScaleName: TypeAlias = Literal["numeric", "categorical", "date"]

#: The columns that an outsider knows, all that somebody could, or what the guesses say.
Known: TypeAlias = "Collection[str] | Literal['all'] | None"

#: Up to this many values there is no room for a level between a value and "*".
FEW: Final = 3

#: Of a flag's two values nothing else can be said than that they are categories.
FLAG: Final = 2

#: How many times as wide as those of nearly all records must be a grid's intervals, for its ends to be left open.
FAR: Final = 5

#: Why they are, for a reader.
_FAR: Final = "round ranges of nearly all numbers; one range at each end for the few outliers"

_MEASURED: Final[frozenset[Topic]] = frozenset({"quantity", "money", "time"})

#: What a block's columns are.
_ANSWER: Final = "answers to questions, which no outsider is likely to know"

#: Degrees that a latitude and a longitude may have at most, north or south, east or west.
_DEGREES: Final = {"latitude": 90, "longitude": 180}


@dataclass(frozen=True, slots=True)
class Guess:
    """What a column seems to reveal.

    Attributes:
        name: The column's name.
        role: The role it should have; `drop` where it cannot be read, `undecided` where a person has to decide before
            anything is released.
        scale: Numeric where every value is a plain number, and they are neither codes nor a few categories; date where
            every value of a quasi-identifier is a date in one form.
        reasons: Why, as short sentences for a reader; the first decided.
        distinct: How many different values occur, missing ones apart.
        missing: How many records have none; `missing_tokens` are counted.
        distinctness: Distinct values per record, 0..1.
        separation: Share of the pairs of records that have different values, 0..1; missing counts as a value.
        hierarchy: A rule to generalize a quasi-identifier by, as `--hierarchy` takes it; `None` where a hierarchy
            needs knowledge.
        grid: A round step for the public cut points of a numeric quasi-identifier, of dates a period of the calendar;
            else `None`.
        grid_reason: Why that step, for a reader; else `None`.
        date_format: How dates are written that a job reads as such only where it says so; else `None`.
        hierarchy_reason: Why that rule, where the values look like codes; else `None`.
        certainty: How sure the guess is.
        missing_tokens: Texts that seem to mean "no value" in this column, besides those that are known to.
        trim: Whether nearly all cells have blanks around them, so that the table should be read without.
        findings: Which of the identifiers that HIPAA Safe Harbor removes it seems to hold; see `safe_harbor`.
        answer: Whether it is insensitive as an answer to a question, since no outsider is likely to know it.
        quantity: Whether its numbers measure or count something, and so can be rounded: they are no codes, no
            categories, and no parts of a date.
        weight: Whether it weighs the records of a survey.
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
    date_format: DateFormat | None = None
    hierarchy_reason: str | None = None
    certainty: Certainty = "likely"
    missing_tokens: tuple[str, ...] = ()
    trim: bool = False
    findings: tuple[Finding, ...] = ()
    quantity: bool = False
    weight: bool = False
    answer: bool = False

    @property
    def left_over(self) -> bool:
        """Whether it is quasi-identifying only since nobody can tell if an outsider knows it."""
        return self.role == "quasi" and self.certainty == "unsure"


def inspect_table(
    table: Table, *, missing: AbstractSet[str] = frozenset({""}), known: Known = None
) -> tuple[Guess, ...]:
    """A guess for every column of `table`, in its order.

    Args:
        table: The records.
        missing: The texts that mean no value.
        known: The columns that an outsider knows, of those that somebody could know: the others are answers then. `all`
            of them; `None` leaves it to the guesses.
    """
    unread = {column.name: column.fault for column in table.columns if column.fault is not None}
    table = table.needing(())
    columns = [evidence_of(column, table.records, missing) for column in table.columns]
    clinical, alone_at = is_clinical(columns), _coordinates(table, columns)
    keys = {one.name: period_of(table, one.name) for one in columns if may_be_key(one)}
    dates = date_parts(columns)
    contexts = [Context(clinical, alone_at.get(one.name), keys.get(one.name), dates.get(one.name)) for one in columns]
    said = [opinions(one, context) for one, context in zip(columns, contexts, strict=True)]
    decided = _decided(columns, [found[0] for found in said], known)
    found = (
        _guess(one, context, [decided[one.name]] if one.name in decided else its)
        for one, context, its in zip(columns, contexts, said, strict=True)
    )
    return _once(table, [_without(one, unread[one.name]) if one.name in unread else one for one in found])


def _once(table: Table, guesses: Sequence[Guess]) -> tuple[Guess, ...]:
    """The guesses, with one of two columns that say the same to be dropped: the less sure one, or numbers for names."""
    held = {one.name: one for one in guesses if one.role not in {"identifying", "drop"}}

    def rank(one: Guess) -> tuple[int, bool, bool]:
        numbers = is_numeric_text(table[one.name].values.drop_nulls().to_list())
        return _SURE.index(one.certainty), one.role != "quasi", numbers

    order = sorted(held.values(), key=rank)
    for kept, name in same([table[one.name] for one in order]):
        if held[kept].role != "drop" and held[name].role != "drop":
            told = f"each value corresponds to one of {kept}: one of the two columns is enough"
            reasons = (told, *held[name].reasons)
            held[name] = replace(held[name], role="drop", reasons=reasons, hierarchy=None, grid=None, answer=False)
    return tuple(held.get(one.name, one) for one in guesses)


#: Certainties, the surest first.
_SURE: Final[tuple[Certainty, ...]] = ("sure", "likely", "unsure")


def _decided(columns: Sequence[ColumnEvidence], said: Sequence[Opinion], known: Known) -> dict[str, Opinion]:
    """The columns on which a block decides, or a steward's word; a column that singles people out is no answer."""
    if known == "all":
        return {}
    asked = blocks(columns, said).items()
    found = {name: Opinion("insensitive", "likely", f"{told}: {_ANSWER}", answer=True) for name, told in asked}
    if known is None:
        return found
    refuse_unknown(known, columns, said)
    for one, its in zip(columns, said, strict=True):
        if one.name in found or (its.role == "quasi" and not one.near_unique):
            against = "" if one.name in found or its.left_over else f", but {its.reason}"
            told = f"an answer: declared unknown to outsiders{against}"
            sure: Certainty = "unsure" if against else "sure"
            found[one.name] = Opinion("insensitive", sure, told, answer=True)
    return found | dict.fromkeys(known, Opinion("quasi", "sure", "declared known to outsiders"))


def refuse_unknown(known: Collection[str], columns: Sequence[ColumnEvidence], said: Sequence[Opinion]) -> None:
    """Refuse to call columns known that there are not, or that identify a person by themselves."""
    faults = list[UsageError]()
    roles = {one.name: its for one, its in zip(columns, said, strict=True)}
    for name in known:
        near = " or ".join(get_close_matches(name, roles))
        if name not in roles:
            hint = f"did you mean {near}?" if near else f"there are: {', '.join(roles)}"
            faults.append(UsageError(f"no column is called {name}", where="known", hint=hint))
        elif roles[name].role == "identifying":
            what = f"column {name} identifies people by itself: {roles[name].reason}"
            hint = "leave the column out, since identifying columns are never released; or correct the role in the job"
            faults.append(UsageError(what, where="known", hint=hint))
    if faults:
        raise combined("columns cannot be called known", faults)


def _without(guess: Guess, fault: InputError) -> Guess:
    """What is said of a column that cannot be read: no release can hold it, unless somebody says how to read it."""
    told = f"{fault.what}; {fault.hint}"
    if guess.distinct:
        return replace(guess, certainty="unsure", reasons=(*guess.reasons, told))
    return Guess(guess.name, "drop", "categorical", (told,), 0, 0, 0.0, 0.0, None, None, certainty="sure")


def _coordinates(table: Table, columns: Sequence[ColumnEvidence]) -> Mapping[str, float]:
    """For each latitude and longitude the share of records that have a pair of their own; none without both."""
    found = {
        says: one.name for one in columns if (says := says_coordinate(one.name)) and _on_earth(one, _DEGREES[says])
    }
    if len(found) < len(_DEGREES):
        return {}
    sizes = classes_of(records_of([table[name].codes for name in found.values()])).sizes
    return dict.fromkeys(found.values(), int((sizes == 1).sum()) / table.records)


def _on_earth(evidence: ColumnEvidence, degrees: int) -> bool:
    return evidence.numeric and bool((evidence.values.cast(float).abs() <= degrees).all())


def _guess(evidence: ColumnEvidence, context: Context, found: Sequence[Opinion]) -> Guess:
    role = found[0].role
    signs = (evidence.form is POSTAL_CODE, says_postal_code(evidence.name), not evidence.numeric)
    postal = sum(signs) >= 2  # noqa: PLR2004  most of the three; `20121` alone may be an income, `cap` a limit
    numeric = evidence.numeric and not postal and not _is_category(evidence)
    forms = _date_forms(evidence) if role == "quasi" else []
    days = _near_days(evidence, forms[0]) if len(forms) == 1 else []
    codes = _codes(evidence, postal=postal, numeric=numeric) if role == "quasi" and not days else None
    numeric = numeric and not days and codes is None
    ends = outermost(evidence.values, evidence.sizes) if role == "quasi" and numeric else []
    inner = _inner(evidence, ends) if ends else None
    step = step_of(ends) if ends and inner is None else None
    period = round_period(min(days), max(days)) if days else None
    return Guess(
        name=evidence.name,
        role=role,
        scale="date" if period else "numeric" if numeric else "categorical",
        reasons=tuple(opinion.reason for opinion in found if opinion.role == role) + _remarks(evidence, forms),
        distinct=evidence.distinct,
        missing=evidence.records - evidence.present,
        distinctness=evidence.distinct / evidence.records if evidence.records else 0.0,
        separation=evidence.separation,
        hierarchy=(inner or ("dates" if days else _hierarchy(evidence, step, codes))) if role == "quasi" else None,
        grid=(period and period.value) or (None if step is None else said(step)),
        grid_reason=_why(period, days) if period else None if step is None else reason_for(step, ends),
        date_format=DateFormat.COMPACT if forms == [DateFormat.COMPACT] else None,
        hierarchy_reason=_FAR if inner else None if codes is None else codes.why,
        certainty=found[0].certainty,
        missing_tokens=evidence.missing_tokens,
        trim=evidence.trim,
        quantity=numeric and context.part is None and not _is_code(evidence),
        weight=is_weight(evidence),
        findings=found_in(
            evidence,
            identifying=found[0].reason if role == "identifying" else None,
            geocode=context.alone_at is not None,
        ),
        answer=found[0].answer,
    )


def _codes(evidence: ColumnEvidence, *, postal: bool, numeric: bool) -> CodeRule | None:
    """How values are generalized by what their texts mean; that of numbers only where the column's name says so."""
    values = _known(evidence)
    counts = dict(zip(evidence.values.to_list(), evidence.sizes.tolist(), strict=True)) if len(values) <= WORDS else {}
    known = None if postal else public_rule(counts, evidence.name)
    if numeric and known is None and known_codes(values, evidence.name) is None:
        return None
    return known or rule_of(values, postal=postal, column=evidence.name) or (None if numeric else spelling_rule(counts))


def _known(evidence: ColumnEvidence) -> list[str]:
    return [text for text in evidence.values.to_list() if text not in evidence.missing_tokens]


def _date_forms(evidence: ColumnEvidence) -> list[DateFormat]:
    return formats_of(_known(evidence)) if evidence.form in DAYS else []


def _near_days(evidence: ColumnEvidence, form: DateFormat) -> list[int]:
    """The first and the last day that is not far from the others."""
    days = [day_of(text, form) for text in evidence.values.to_list()]
    exact = [at for at, day in enumerate(days) if day is not None]  # not labels of open ends
    whole, of = np.unique([days[at] or 0 for at in exact], return_inverse=True)
    records = np.bincount(of, evidence.sizes[exact]).astype(np.int64)
    return [int(end) for end in inner(whole.tolist(), 0, records, FAR_DAYS)]


def _why(period: Period, days: Sequence[int]) -> str:
    count = len(starts(period, min(days), max(days))) - 1
    return f"public dates in {count:,} intervals; so that range ends are not data values"


def _remarks(evidence: ColumnEvidence, forms: Sequence[DateFormat]) -> tuple[str, ...]:
    """What else a reader should know: dates of two readings, and numbers that a job does not read as such."""
    if len(forms) > 1:
        return (f"its dates can be read as {' or as '.join(forms)}: choose with --date-format",)
    if not evidence.unread:
        return ()
    written = " and ".join(evidence.unread)
    told = f"its {evidence.distinct:,} values are numbers, some with {written}, which kohort reads as text"
    return (f"{told}: only plain numbers such as -1234.5 can be rounded and released as ranges",)


def _is_code(evidence: ColumnEvidence) -> bool:
    """Whether whole numbers stand for places, trades or the like, by their name."""
    return evidence.whole and says_code(evidence.name) and _MEASURED.isdisjoint(evidence.topics)


def _is_category(evidence: ColumnEvidence) -> bool:
    """Whether numbers are names of a few groups: whole, shared, and a flag or not called a measure."""
    few = evidence.whole and evidence.distinct <= CATEGORIES and not evidence.near_unique
    return few and (evidence.distinct <= FLAG or _MEASURED.isdisjoint(evidence.topics))


def _hierarchy(evidence: ColumnEvidence, step: Fraction | None, codes: CodeRule | None) -> str | None:
    if codes is not None:
        return codes.hierarchy
    if step is not None:
        return intervals(step)
    return "suppress" if evidence.distinct <= FEW else None


def outermost(values: Texts, sizes: Counts | None = None) -> list[str]:
    """The least and the greatest of plain numbers, and with them one that has decimals, if any has.

    Floats find the few candidates; the exact numbers decide between them.

    Args:
        values: (v,) the numbers.
        sizes: (v,) records with each, for those that are far from the others to be left out.
    """
    floats = values.cast(float)
    if sizes is not None and len(values):
        order = floats.arg_sort().to_numpy()
        order = order[near(floats.to_numpy()[order], sizes[order], SENTINELS)]
        values, floats = values.gather(order), floats.gather(order)
    found = [
        pick(values.filter(floats == end).to_list(), key=Decimal)
        for pick, end in ((min, floats.min()), (max, floats.max()))
    ]
    return found + values.filter(values.str.contains(r"\.[0-9]*[1-9]")).head(1).to_list()


def step_of(values: Sequence[str]) -> Fraction | None:
    """The step of the grid that fits these numbers, as `grid = "round"` would choose it; `None` where all are equal.

    >>> [str(step_of(ages)) for ages in (["18", "90"], ["1.0", "16.0"], ["0.5", "0.8"])]
    ['5', '2', '1/50']
    """
    low, high = _ends(values)
    return round_step(low, high, whole=all(exact(text).denominator == 1 for text in values))


def reason_for(step: Fraction, values: Sequence[str]) -> str:
    """Why to cut at multiples of the step, and how many intervals that makes."""
    low, high = (number // step for number in _ends(values))
    return f"round cut points in {high - low + 1:,} intervals; so that range ends are not data values"


def _inner(evidence: ColumnEvidence, ends: Sequence[str]) -> str | None:
    """The rule of ranges for the middle of the numbers, where far ones would make a grid of all too coarse for it.

    What lies outside is one range at either end, which does not tell how far.
    """
    low, high = _ends(evidence.middle)
    step, of_all = round_step(low, high, whole=evidence.whole), step_of(ends)
    if step is None or of_all is None or of_all < FAR * step:
        return None
    low, high = low // step * step, (high // step + 1) * step
    widths = takewhile(lambda width: width < high - low, (step * 2**level for level in count()))
    return f"intervals:{said(low)}..{said(high)}:{','.join(map(said, widths))}:open"


def intervals(step: Fraction) -> str:
    """The rule of a hierarchy of intervals of one, two and four steps.

    >>> from fractions import Fraction
    >>> intervals(Fraction(5))
    'intervals:5,10,20'
    """
    return "intervals:" + ",".join(said(factor * step) for factor in (1, 2, 4))


def _ends(values: Sequence[str]) -> tuple[Fraction, Fraction]:
    numbers = [exact(text) for text in values]
    return min(numbers), max(numbers)
