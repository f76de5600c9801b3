"""Does a file meet its privacy models as it stands, and how strict could they be?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from kohort import io
from kohort.assessment.checking.achieved import Alike, Strictest, alike, strictest
from kohort.assessment.checking.classes import classes_of, named_column
from kohort.assessment.checking.first import FailingClass, first_failing
from kohort.assessment.checking.population import fitting
from kohort.assessment.checking.profile import profile_of
from kohort.engines.table import Table
from kohort.errors import UsageError
from kohort.schema import Schema
from kohort.shown import Shown, sizes_row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Counts
    from kohort.assessment.checking.profile import Seen
    from kohort.models.base import PrivacyModel
    from kohort.shown import Rows

__all__ = ["Alike", "Check", "FailingClass", "Finding", "Strictest", "check", "named_column"]

#: Failing classes of a model that are told, unless asked otherwise.
FIRST: Final = 5


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """How one model fares on a table.

    Attributes:
        model: The model's name.
        met: Whether the classes of the table, taken together, satisfy it.
        failing_classes: Classes that do not satisfy it alone: of a model that is an average, there may be some.
        failing_records: Records in those classes.
        first: Where it is not met, the smallest of those classes; their cells belong in no report that leaves.
        own_reference: Whether it was held against the values of the table itself, though it refers to those of the
            table before its release.
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
        failing = f"{self.failing_classes:,} classes with {self.failing_records:,} records fail"
        return f"NOT met: {failing if self.failing_classes else 'all classes together fail'}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Check(Shown):
    """A table's classes as they stand, how each model fares on them, and what they achieve; true where all is met.

    Attributes:
        records: Records of the table.
        sizes: (c,) records of each class by exact text.
        merged: Classes by normalised text (NFKC, case, blanks): fewer where spellings differ.
        findings: One per model.
        people: (c,) people of each class; `None` without a person key, where every record counts.
        outside: People of the population table whom no class fits; 0 without one.
        achieved: The strictest parameters that the table meets: of models of the whole table, and of every model for
            each sensitive column that was named. Empty without records.
        alike: Of those columns, the people of whom a class reveals the value outright.
    """

    records: int
    sizes: Counts
    merged: int
    findings: tuple[Finding, ...]
    people: Counts | None = None
    outside: int = 0
    achieved: tuple[Strictest, ...] = ()
    alike: tuple[Alike, ...] = ()

    @property
    def met(self) -> bool:
        """Whether the table meets every model; not, where none was asked for."""
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
) -> Check:
    """Judge the classes of equal `quasi` cells in `table`, and find the strictest parameters that they meet.

    A missing value is a value like any other. What is asked of the classes are `models`; what they achieve stands in
    `achieved`, whether any model is asked for or none.

    Args:
        table: A table, or what `kohort.io.read` takes: a path or a frame.
        quasi: The columns whose equal cells make a class.
        models: What is asked of the classes.
        sensitive: Columns for which every model of sensitive values is tried, and its strictest parameter found.
        schema: What else is known of columns: hierarchies of sensitive ones, by which values are apart, and of
            quasi-identifying ones, by which labels cover values; which texts mean no value; the person key.
        population: The people whom an attacker may know, for models that need them.
        reference: The table before its release, whose values t-closeness, delta-disclosure and beta-likeness refer
            to; else they refer to those of `table`.
        first: How many failing classes of each model to tell.

    Raises:
        SchemaError: no column is named, or one that a table does not have.
        UsageError: a table is needed that is not given, or given and not needed.
        InputError: cells cannot be read as what they must be.

    >>> import polars as pl
    >>> from kohort.models.k_anonymity import KAnonymity
    >>> found = check(pl.DataFrame({"age": ["31", "31", "45"]}), ["age"], [KAnonymity(2)])
    >>> found.met, found.findings[0].failing_records
    (False, 1)
    >>> [one.text for one in check(pl.DataFrame({"age": ["31", "31", "45"]}), ["age"]).achieved[:2]]
    ['k = 1', 'threshold = 1']
    """
    known = schema or Schema(())
    table, population, reference = _read(table), _given(population), _given(reference)
    _refuse_vain(models, population, reference, sensitive)
    classes = classes_of(table, quasi)
    seen = profile_of(table, classes, [*(model.declared.sensitive for model in models), *sensitive], known, reference)
    if population is not None:
        seen = seen.among(*fitting(classes, population, known))
    findings = tuple(_finding(model, seen, first, own=reference is None) for model in models)
    return Check(
        table.records,
        classes.sizes,
        classes.merged,
        findings,
        seen.whole.sizes if known.person else None,
        seen.whole.outside,
        strictest(seen, sensitive),
        alike(seen, sensitive),
    )


def _read(source: object) -> Table:
    return source if isinstance(source, Table) else io.read(source)


def _given(source: object) -> Table | None:
    return None if source is None else _read(source)


def _refuse_vain(
    models: Sequence[PrivacyModel], population: Table | None, reference: Table | None, sensitive: Sequence[str]
) -> None:
    """Refuse a table that is not needed, and models that need one that is not there."""
    needing = [model.name for model in models if model.declared.population]
    if needing and population is None:
        hint = "give the register that the table is a sample of: population=…, --population"
        raise UsageError(f"{' and '.join(needing)} needs a population table", where="population", hint=hint)
    if population is not None and models and not needing:
        hint = "leave it out, or ask for k-map or presence"
        raise UsageError("no privacy model needs a population table", where="population", hint=hint)
    if reference is not None and not sensitive and not any(model.declared.refers for model in models):
        hint = "leave it out, name sensitive columns, or ask for t-closeness, delta-disclosure or beta-likeness"
        raise UsageError("no privacy model refers to another table", where="reference", hint=hint)


def _finding(model: PrivacyModel, seen: Seen, first: int, *, own: bool) -> Finding:
    met, fails = seen.satisfied_jointly(model), ~seen.satisfied(model)
    return Finding(
        model.name,
        met,
        int(fails.sum()),
        int(seen.classes.sizes[fails].sum()),
        () if met else first_failing(seen, model.declared.sensitive, fails, first),
        own and model.declared.refers,
    )
