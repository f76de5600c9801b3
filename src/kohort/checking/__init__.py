"""Does a file meet its privacy models as it stands?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kohort import io
from kohort.checking.classes import classes_of, named_column
from kohort.checking.first import FailingClass, first_failing
from kohort.checking.population import fitting
from kohort.checking.profile import profile_of
from kohort.engines.table import Table
from kohort.errors import UsageError
from kohort.models.basic_beta_likeness import BasicBetaLikeness
from kohort.models.delta_disclosure import DeltaDisclosure
from kohort.models.enhanced_beta_likeness import EnhancedBetaLikeness
from kohort.models.t_closeness import TCloseness
from kohort.schema import Schema

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Counts
    from kohort.checking.profile import Seen
    from kohort.models.base import PrivacyModel

__all__ = ["Check", "FailingClass", "Finding", "check", "named_column", "refers"]

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
    first: tuple[FailingClass, ...] = ()
    own_reference: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Check:
    """A table's classes as they stand, and how each model fares on them.

    Attributes:
        records: Records of the table.
        sizes: (c,) records of each class by exact text.
        merged: Classes by normalised text (NFKC, case, blanks): fewer where spellings differ.
        findings: One per model.
        people: (c,) people of each class; `None` without a person key, where every record counts.
        outside: People of the population table whom no class fits; 0 without one.
    """

    records: int
    sizes: Counts
    merged: int
    findings: tuple[Finding, ...]
    people: Counts | None = None
    outside: int = 0

    @property
    def met(self) -> bool:
        """Whether the table meets every model."""
        return all(finding.met for finding in self.findings)


def check(
    table: object,
    quasi: Sequence[str],
    models: Sequence[PrivacyModel],
    *,
    schema: Schema | None = None,
    population: object = None,
    reference: object = None,
    first: int = FIRST,
) -> Check:
    """Judge the classes of equal `quasi` cells in `table`; a missing value is a value like any other.

    Args:
        table: A table, or what `kohort.io.read` takes: a path or a frame.
        quasi: The columns whose equal cells make a class.
        models: What is asked of the classes.
        schema: What else is known of columns: hierarchies of sensitive ones, by which values are apart, and of
            quasi-identifying ones, by which labels cover values; which texts mean no value; the person key.
        population: The people whom an attacker may know, for models that ask for them.
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
    """
    known = schema or Schema(())
    table, population, reference = _read(table), _given(population), _given(reference)
    _refuse_vain(models, population, reference)
    classes = classes_of(table, quasi)
    seen = profile_of(table, classes, models, known, reference)
    if population is not None:
        seen = seen.among(*fitting(classes, population, known))
    findings = tuple(_finding(model, seen, first, own=reference is None) for model in models)
    people = seen.whole.sizes if known.person else None
    return Check(table.records, classes.sizes, classes.merged, findings, people, seen.whole.outside)


def refers(model: PrivacyModel) -> bool:
    """Whether the model compares classes with the table before its release."""
    return isinstance(model, TCloseness | DeltaDisclosure | BasicBetaLikeness | EnhancedBetaLikeness)


def _read(source: object) -> Table:
    return source if isinstance(source, Table) else io.read(source)


def _given(source: object) -> Table | None:
    return None if source is None else _read(source)


def _refuse_vain(models: Sequence[PrivacyModel], population: Table | None, reference: Table | None) -> None:
    """Refuse a table that is not needed, and models that need one that is not there."""
    needing = [model.name for model in models if model.population]
    if needing and population is None:
        hint = "give the register that the table is a sample of: population=…, --population"
        raise UsageError(f"{' and '.join(needing)} needs a population table", where="population", hint=hint)
    if population is not None and not needing:
        hint = "leave it out, or ask for k-map or presence"
        raise UsageError("no privacy model needs a population table", where="population", hint=hint)
    if reference is not None and not any(map(refers, models)):
        hint = "leave it out, or ask for t-closeness, delta-disclosure or beta-likeness"
        raise UsageError("no privacy model refers to another table", where="reference", hint=hint)


def _finding(model: PrivacyModel, seen: Seen, first: int, *, own: bool) -> Finding:
    met, fails = seen.satisfied_jointly(model), ~seen.satisfied(model)
    return Finding(
        model.name,
        met,
        int(fails.sum()),
        int(seen.classes.sizes[fails].sum()),
        () if met else first_failing(seen, model.sensitive, fails, first),
        own and refers(model),
    )
