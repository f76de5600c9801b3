"""Check privacy models on a table as it stands, and find the strictest parameters that it meets: k, l, t and so on."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort import io
from kohort.assessment.classes import profile_of, records_of
from kohort.assessment.population import count_population
from kohort.core.frequency import group
from kohort.errors import UsageError
from kohort.errors.display import Summary, many, sizes_row
from kohort.models.base import models, variants
from kohort.schema import Schema, names_in
from kohort.schema.hierarchies.spelling import even_spelling
from kohort.schema.numbers import rounded
from kohort.tables.complete import unsuppressed
from kohort.tables.table import Table
from kohort.tables.texts import ranks_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from kohort.arrays import Counts, Mask
    from kohort.assessment.classes import Classes, TableProfile
    from kohort.assessment.classes import TableProfile as Seen
    from kohort.errors.display import Rows
    from kohort.models.base import Achieved, PrivacyModel, Variant
    from kohort.tables.table import Column


@dataclass(frozen=True, slots=True)
class Strictest:
    """The strictest value of one parameter of a privacy model with which a table meets the model.

    Attributes:
        key: A short name of model and parameter: `k`, `l`, `t-ordered`.
        model: The model, as the literature calls it.
        sensitive: The sensitive column; `None` for models of the whole table.
        achieved: The value; or why there is none.
    """

    key: str
    model: str
    sensitive: str | None
    achieved: Achieved

    @property
    def text(self) -> str:
        """`l = 3`; rounded to the less strict side, so that the table meets what it says.

        >>> from fractions import Fraction
        >>> from kohort.models.base import Achieved
        >>> third = Fraction(1, 3)
        >>> Strictest("t-equal", "t-closeness", "illness", Achieved("t", third)).text
        't = 0.3334'
        >>> Strictest("recursive-2", "recursive (c,2)-diversity", "illness", Achieved("c", third, attained=False)).text
        'c above 0.3334'
        >>> Strictest("k-map", "k-map", None, Achieved("k", None, reason="no population table")).text
        'none: no population table'
        """
        one = self.achieved
        if one.value is None:
            return f"none: {one.reason}"
        return f"{one.parameter} {'=' if one.attained else 'above'} {rounded(one.value, 4, up=not one.rising)}"

    @property
    def number(self) -> float | None:
        """The value with at most nine digits, which a parameter may have, rounded to the less strict side."""
        one = self.achieved
        if one.value is None or one.value.denominator == 1:
            return None if one.value is None else one.value.numerator
        return float(rounded(one.value, 9, up=not one.rising))


@dataclass(frozen=True, slots=True)
class HomogeneousClasses:
    """The people of whom a class reveals a sensitive value outright, which k-anonymity does not see.

    Attributes:
        sensitive: The sensitive column.
        people: People with a value in classes where only one value occurs.
        uncommon: Those of them whose value is not one that more than half of all have.
    """

    sensitive: str
    people: int
    uncommon: int


def strictest(seen: Seen, sensitive: Sequence[str]) -> tuple[Strictest, ...]:
    """What the classes achieve by each model, of the table and of the `sensitive` columns; nothing without a class."""
    if not seen.classes.sizes.size:
        return ()
    return (*_of_table(seen), *(one for name in sensitive for one in _of_column(seen, name)))


def alike(seen: Seen, sensitive: Sequence[str]) -> tuple[HomogeneousClasses, ...]:
    """Whose value of each of these columns a class reveals."""
    return tuple(HomogeneousClasses(name, *seen.alike(name)) for name in sensitive)


def _of_table(seen: Seen) -> Iterator[Strictest]:
    """Models of people; those of a population last."""
    tried = [one for kind in models().values() if not kind.specification.of_column for one in variants(kind, "")]
    for one in sorted(tried, key=lambda one: one.model.declared.population):
        yield from _found(seen, one)


def _of_column(seen: Seen, name: str) -> Iterator[Strictest]:
    for kind in models().values():
        for one in variants(kind, name) if kind.specification.of_column else ():
            yield from _found(seen, one)


def _found(seen: Seen, variant: Variant) -> Iterator[Strictest]:
    """What the classes achieve by a model; where it has several parameters, each with its name."""
    key, title, model = variant
    found = seen.achieved(model)
    for one in found:
        yield Strictest(key if len(found) == 1 else f"{key}-{one.parameter}", title, model.declared.sensitive, one)


#: Failing classes that are listed for each model by default.
FIRST: Final = 5


@dataclass(frozen=True, slots=True)
class FailingClass:
    """A class that fails a model.

    Attributes:
        size: Its people; its records, without a person key.
        records: Its records.
        population: People of the population table whom it fits; `None` without one.
        values: How many different values the sensitive attribute has in it; `None` where the model has none.
        share: The share of its people who have the most frequent of them, among those who have any.
        cells: Its quasi-identifying cells. Like `counts` they are values of records and belong in no published report.
        counts: Its sensitive values, each with the number of people who have it, most frequent first.
    """

    size: int
    records: int
    population: int | None
    values: int | None
    share: Fraction | None
    cells: tuple[str | None, ...] = field(repr=False)
    counts: tuple[tuple[str, int], ...] = field(repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """How one model fares on a table.

    Attributes:
        model: The model's name.
        met: Whether the classes of the table, taken together, satisfy it.
        failing_classes: Classes that do not satisfy it alone; where the model is an average there may be some though it
            is met.
        failing_records: Records in those classes.
        first: Where it is not met, the smallest of those classes; their cells belong in no published report.
        own_reference: Whether it was compared with the values of the table itself, for want of the table before its
            release, which the model refers to.
    """

    model: str
    met: bool
    failing_classes: int
    failing_records: int
    first: tuple[FailingClass, ...] = field(default=(), repr=False)
    own_reference: bool = False

    def __bool__(self) -> bool:
        """Whether the model is met."""
        return self.met

    @property
    def told(self) -> str:
        """`met`, or how many classes fail."""
        if self.met:
            return "met"
        failing = (
            f"{many(self.failing_classes, 'class')} with {many(self.failing_records, 'record fails', 'records fail')}"
        )
        return f"NOT met: {failing if self.failing_classes else 'all classes together fail'}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Check(Summary):
    """The classes of a table as it stands, how each model fares on them, and what they achieve; true if all are met.

    Attributes:
        records: Records of the table, without the suppressed ones.
        sizes: (c,) records of each class by exact text.
        merged: Classes by normalised text (NFKC, case, blanks): fewer where spellings differ.
        findings: One per model.
        people: (c,) people of each class; `None` without a person key, where every record counts.
        outside: People of the population table whom no class fits; 0 without one.
        achieved: The strictest parameters that the table meets: of models of the whole table, and of every model for
            each sensitive column that was named. Empty without records.
        alike: For each of those columns, the people whose value a class reveals outright.
        without_value: People of the population table without a value, by column, where there are any.
        suppressed: Records that are `*` in every quasi-identifying column: they are in no class.
    """

    records: int
    sizes: Counts
    merged: int
    findings: tuple[Finding, ...]
    people: Counts | None = None
    outside: int = 0
    achieved: tuple[Strictest, ...] = ()
    alike: tuple[HomogeneousClasses, ...] = ()
    without_value: Mapping[str, int] = field(default_factory=dict[str, int])
    suppressed: int = 0

    @property
    def met(self) -> bool:
        """Whether the table meets every model; false where there is none to meet."""
        return bool(self.findings) and all(finding.met for finding in self.findings)

    def __bool__(self) -> bool:
        """Whether the table meets every model."""
        return self.met

    def _shown(self) -> tuple[str, Rows]:
        rows = [("Records", f"{self.records:,}"), ("Classes", f"{self.sizes.size:,}")]
        if self.sizes.size:
            rows.append(sizes_row(int(self.sizes.min()), int(self.sizes.max())))
        rows += [(one.model, one.told) for one in self.findings]
        for one in self.achieved:
            rows.append((one.model if one.sensitive is None else f"{one.model} of {one.sensitive}", one.text))
        met = "met" if self.met else "NOT met" if self.findings else "no model asked for"
        return f"Check, {met}", rows


def check(
    table: object,
    quasi: Sequence[str],
    models: Sequence[PrivacyModel] = (),
    *,
    sensitive: Sequence[str] = (),
    schema: Schema | None = None,
    population: object = None,
    reference: object = None,
    first: int = FIRST,
    apart: bool = True,
) -> Check:
    """Check the classes of equal `quasi` cells in `table`, and find the strictest parameters that they meet.

    A missing value is a value like any other. `achieved` is found with models and without.

    Args:
        table: A table, or what `kohort.io.read` takes: a path or a frame.
        quasi: The columns whose equal cells make a class.
        models: The models that the classes must satisfy.
        sensitive: Columns for which every model of sensitive values is tried, and its strictest parameter found.
        schema: What else is known of columns: hierarchies of sensitive ones, by which values are apart, and of
            quasi-identifying ones, by which labels cover values; which texts mean no value, and how one is treated;
            the person key.
        population: The people whom an attacker may know, for models that need them.
        reference: The table before its release, whose values t-closeness, delta-disclosure and beta-likeness refer
            to; without one they refer to those of `table`.
        first: How many failing classes to list for each model.
        apart: Whether records that are `*` in all of these columns count as suppressed. With a population they never
            do: everyone of it may be one of them.

    >>> import polars as pl
    >>> from kohort.models.k_anonymity import KAnonymity
    >>> found = check(pl.DataFrame({"age": ["31", "31", "45"]}), ["age"], [KAnonymity(2)])
    >>> found.met, found.findings[0].failing_records
    (False, 1)
    >>> [one.text for one in check(pl.DataFrame({"age": ["31", "31", "45"]}), ["age"]).achieved[:2]]
    ['k = 1', 'threshold = 1']
    """
    known, quasi, sensitive = schema or Schema(()), names_in(quasi, "quasi"), names_in(sensitive, "sensitive")
    whole, population, reference = _read(table), _given(population), _given(reference)
    table = unsuppressed(whole, quasi, known.missing) if apart and population is None else whole
    _refuse_needless(models, population, reference, sensitive)
    profile = profile_of(table, quasi, [*(model.declared.sensitive for model in models), *sensitive], known, reference)
    without_value: Mapping[str, int] = {}
    if population is not None:
        counted = count_population(profile.columns, profile.classes.codes, population, known)
        without_value = counted.without_value
        profile = profile.with_population(counted.fitting, counted.unmatched)
    findings = tuple(_finding(model, profile, first, own=reference is None) for model in models)
    return Check(
        table.records,
        profile.records,
        _merged(profile.columns, profile.classes),
        findings,
        profile.whole.sizes if known.person else None,
        profile.whole.outside,
        strictest(profile, sensitive),
        alike(profile, sensitive),
        without_value,
        whole.records - table.records,
    )


def _read(source: object) -> Table:
    return source if isinstance(source, Table) else io.read(source)


def _given(source: object) -> Table | None:
    return None if source is None else _read(source)


def _refuse_needless(
    models: Sequence[PrivacyModel], population: Table | None, reference: Table | None, sensitive: Sequence[str]
) -> None:
    needing = [model.name for model in models if model.declared.population]
    if needing and population is None:
        hint = "give the register that the table is a sample of: population=…, --population"
        raise UsageError(f"{' and '.join(needing)} needs a population table", where="population", hint=hint)
    if population is not None and models and not needing:
        hint = "leave the population out, or add k-map or presence"
        raise UsageError("no privacy model needs a population table", where="population", hint=hint)
    if reference is not None and not sensitive and not any(model.declared.refers for model in models):
        hint = "leave reference out, name sensitive columns, or add t-closeness, delta-disclosure or beta-likeness"
        raise UsageError("no privacy model refers to another table", where="reference", hint=hint)


def _merged(columns: Sequence[Column], classes: Classes) -> int:
    spelled = [_spellings(column)[codes] for column, codes in zip(columns, classes.codes.T, strict=True)]
    return group(records_of(spelled).quasi).first.size


def _spellings(column: Column) -> NDArray[np.uint32]:
    """(v,) a number for each value; the same for those that are spelled alike."""
    place: dict[str, int] = {}
    texts = [even_spelling(text or "") for text in column.values.to_list()]
    return np.array([place.setdefault(text, len(place)) for text in texts], dtype=np.uint32)


def _finding(model: PrivacyModel, profile: TableProfile, first: int, *, own: bool) -> Finding:
    met, fails = profile.satisfied_jointly(model), ~profile.satisfied(model)
    return Finding(
        model.name,
        met,
        int(fails.sum()),
        int(profile.records[fails].sum()),
        () if met else _smallest_failing(profile, model.declared.sensitive, fails, first),
        own and model.declared.refers,
    )


def _smallest_failing(profile: TableProfile, sensitive: str | None, fails: Mask, most: int) -> tuple[FailingClass, ...]:
    """The smallest of the classes that fail, whose people are the most exposed; ties by their cells."""
    failing = np.flatnonzero(fails)
    columns = zip(profile.columns, profile.classes.codes[failing].T, strict=True)
    cells = [ranks_of(column.values)[codes] for column, codes in columns]
    order = np.lexsort([*reversed(cells), profile.whole.sizes[failing]])[:most]
    return tuple(_failing_class(profile, one, sensitive) for one in failing[order].tolist())


def _failing_class(profile: TableProfile, one: int, sensitive: str | None) -> FailingClass:
    population = profile.whole.population
    values = [] if sensitive is None else profile.counts(sensitive, one)
    counts = tuple(sorted(values, key=lambda pair: (-pair[1], pair[0])))
    return FailingClass(
        int(profile.whole.sizes[one]),
        int(profile.records[one]),
        None if population is None else int(population[one]),
        None if sensitive is None else len(counts),
        Fraction(counts[0][1], sum(count for _, count in counts)) if counts else None,
        profile.cells(one),
        counts,
    )
