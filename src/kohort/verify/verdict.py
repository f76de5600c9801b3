"""What a release claims, what each check is called, and what is said when all of them hold.

Columns: which they are, their cells without marks, and where texts stand among others.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import polars as pl

from kohort.core.uniques import Exposed
from kohort.errors import FileError, UsageError, VerificationError
from kohort.errors.display import Summary, many
from kohort.io.forms import FORMATS, FileFormat
from kohort.schema import Label
from kohort.system.workspace import HEAP, tallied
from kohort.tables.table import Column, Table, narrow

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Mapping, Sequence

    from kohort.arrays import Counts, Index, Mask, Numbers
    from kohort.core.uniques import Singling
    from kohort.errors.display import Rows
    from kohort.io.manifest import ListedPart
    from kohort.models.base import PrivacyModel
    from kohort.perturbation.effect import Effect
    from kohort.perturbation.pseudonyms import Key
    from kohort.schema import Schema
    from kohort.system.workspace import Workspace
    from kohort.tables.complete import Complete
    from kohort.tables.dataset import Dataset, ReleasedGroups
    from kohort.tables.notation import Notation
    from kohort.tables.recoded import RecodedTable


#: How a release is verified: each record against the one it was, or groups of records against groups.
BY_RECORD: Final = "record by record"
BY_AGGREGATION: Final = "by aggregation"

#: What the name of an engine ends with that puts records on disks as they are.
UNENCRYPTED: Final = ", disks not encrypted"

#: The engine that is kohort itself.
LOCAL: Final = "local"


class TableCheck(StrEnum):
    """What is checked, from the bytes inwards; an error names the first that fails."""

    BYTES = "bytes"
    """The file holds its cells as plainly as can be, and nothing else."""
    COLUMNS = "columns"
    """The columns are the schema's released ones, in their order."""
    COMPLETE = "complete records"
    """What was left out as incomplete is every record that lacks a value, and no other."""
    RECORDS = "records"
    """There are as many records as the input had, less the suppressed ones, and no more of these than are allowed."""
    LINEAGE = "lineage"
    """Every released record is an input record, and no two are the same one."""
    IDENTIFIERS = "identifiers"
    """No released column holds cells of identifying ones."""
    CELLS = "cells"
    """What is neither generalized nor perturbed is unchanged."""
    PSEUDONYMS = "pseudonyms"
    """What stands for an identifier is its pseudonym."""
    PERTURBED = "perturbation"
    """Perturbed cells have the form, bounds, mean and variance that are said of them."""
    LABELS = "labels"
    """Every generalized cell is a label that the schema can produce; of a full-domain release, on its level."""
    GRID = "grid"
    """Interval ends lie on the public grid."""
    REGIONS = "regions"
    """Every record's own value lies inside its label."""
    ENDS = "ends"
    """The ends of a range, and a mean, are those of the class that bears them."""
    CLASSES = "classes"
    """Every class satisfies every privacy model, as written and with spelling evened out."""
    SUPPRESSED = "suppression"
    """What a full-domain release leaves out is whole classes, none of which satisfies the models."""
    ORDER = "order"
    """Records stand in the order of their own content."""


#: Checks that the release and its job show; the others need the input, and to know which record each one was.
OF_RELEASE: Final = frozenset(
    {
        *(TableCheck.BYTES, TableCheck.COLUMNS, TableCheck.RECORDS, TableCheck.PERTURBED),
        *(TableCheck.LABELS, TableCheck.GRID, TableCheck.CLASSES, TableCheck.ORDER),
    }
)


def comparisons(
    schema: Schema,
    records: int,
    labels: Mapping[str, int],
    *,
    size: int,
    classes: int,
    entered: int = 0,
    left_out: int = 0,
    perturbed: Collection[str] = (),
    on_levels: bool = False,
) -> dict[str, int]:
    """How many comparisons each check makes, by its name; one that makes none is left out.

    `labels` are how many each quasi-identifier has; `entered` are the records of the input, where incomplete ones do
    not enter, and `left_out` those that are suppressed in whole classes. A full-domain release is `on_levels`.
    """
    changed = sum(one.name in perturbed for one in schema.unchanged)
    found: dict[TableCheck, int] = {
        **dict.fromkeys((TableCheck.RECORDS, TableCheck.LINEAGE, TableCheck.ORDER), records),
        TableCheck.BYTES: size,
        TableCheck.COLUMNS: len(schema.released),
        TableCheck.COMPLETE: entered,
        TableCheck.IDENTIFIERS: records * bool(schema.identifying),
        TableCheck.CELLS: records * (len(schema.unchanged) - changed),
        TableCheck.PSEUDONYMS: records * len(schema.pseudonyms),
        TableCheck.PERTURBED: records * changed,
        TableCheck.LABELS: sum(labels.values()),
        TableCheck.GRID: sum(labels[one.name] for one in schema.quasi if one.grid is not None),
        TableCheck.REGIONS: records * len(schema.quasi),
        TableCheck.ENDS: 0 if on_levels or not schema.quasi else records,
        TableCheck.CLASSES: classes,
        TableCheck.SUPPRESSED: left_out,
    }
    return {check.value: found[check] for check in TableCheck if found[check]}


def fault(check: StrEnum, what: str, *, column: str = "") -> VerificationError:
    """The error that names the check and the column; `what` has counts, and never a cell's value."""
    return VerificationError(
        what,
        where=f"check {check}, column {column}" if column else f"check {check}",
        hint="nothing was published; please report this, with the job but without the data",
    )


def refuse(check: StrEnum, count: int, one: str, several: str, rest: str = "", *, column: str = "") -> None:
    """Raise the fault of so many things, where there are any: what is wrong with one or with several, and the rest."""
    if count:
        raise fault(check, many(count, one, several) + rest, column=column)


@contextmanager
def reading_release() -> Generator[None]:
    """Turn what the system refuses into a `FileError`."""
    try:
        yield
    except OSError as error:
        raise FileError(f"reading the release failed: {error.strerror or type(error).__name__}") from None


#: Records in the order of a release, of which nothing is believed.
Witness: TypeAlias = "Table | RecodedTable"


@dataclass(frozen=True, slots=True, eq=False)
class Claim:
    """The claims of a release to verify.

    Attributes:
        schema: One attribute for each column of the source, in its order.
        models: What every class must satisfy.
        source: The input as read.
        lineage: (m,) for every released record, in file order, the input record it claims to be: a witness, checked
            like everything else.
        suppressed: How many records were left out, besides incomplete ones.
        format: The file's format, by the names of `kohort.io.forms.Format`; `frame` for a table in memory.
        separator: Between the cells of CSV; TSV has the tab.
        excel_safe: Whether texts that look like formulas, apostrophes before them or none, were given one more.
        levels: Of a full-domain release, the level of each quasi-identifier, all of which are released as nodes of
            their hierarchies; else empty.
        refined: Of a release that refines the classes of a full-domain one (local recoding), the levels of that: no
            label is coarser, and the suppressed records are whole classes there that fail. Else empty.
        limit: The most records that may have been suppressed, besides those that the schema suppresses for their
            missing values; `None` for any number.
        population: The population table, where there is one; its values are in the domains of the quasi-identifiers
            too.
        effects: What is said of perturbed columns; all others are released unchanged.
        coarsened: Perturbed columns of the source in which equal values stayed equal, as they were before the search:
            what the models judge. A witness, held against the source and the released cells.
        key: What pseudonyms were made with, where there are any.
        allowed: Released columns that may hold cells of identifying ones.
        answers: Released columns that no outsider is said to know, of whom some are counted together.
        complete: Columns in which a record of the source must have a value to enter, or `all`.
        incomplete: How many records did not enter, for lack of one.
        workspace: Where arrays as long as the table live while it is verified.
        weights: (n,) how many records of the input each record of the source stands for, where the source holds
            distinct tuples; `None`: for itself.
        totals: Of columns of the source, (v,) how many records of the whole input have each of their values, where the
            source is part of an input that is judged some classes at a time; of other columns it is the whole.
        groups: Of records that are in nobody's memory, where their tuples are said to have gone.
        witness: The records as they were to be written, where whoever wrote them can show them: see `reading`.

    Raises:
        UsageError: the schema's columns are not the source's, levels are claimed of other columns than those that
            are released as nodes, a model needs a population table and none has the quasi-identifiers, there are
            pseudonyms and no key, or complete records are told by a column that is not there.
    """

    schema: Schema
    models: tuple[PrivacyModel, ...]
    source: Dataset
    lineage: Numbers
    suppressed: int = 0
    format: str = "csv"
    separator: str = ","
    excel_safe: bool = False
    levels: Mapping[str, int] = field(default_factory=dict[str, int])
    refined: Mapping[str, int] = field(default_factory=dict[str, int])
    limit: int | None = None
    population: Dataset | None = None
    effects: tuple[Effect, ...] = ()
    coarsened: Dataset | None = None
    key: Key | None = field(default=None, repr=False)
    allowed: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    complete: Complete = ()
    incomplete: int = 0
    workspace: Workspace = field(default=HEAP, repr=False)
    weights: Counts | None = field(default=None, repr=False)
    totals: Mapping[str, Counts] = field(default_factory=dict[str, "Counts"], repr=False)
    groups: ReleasedGroups | None = field(default=None, repr=False)
    witness: Witness | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Refuse a schema of another table, levels of other columns, and models of a population that is not there."""
        if tuple(attribute.name for attribute in self.schema.attributes) != self.source.names:
            raise UsageError("the schema's columns are not the table's", hint="use schema.over(table.names)")
        if self.complete != "all" and not {*self.complete} <= {*self.source.names}:
            raise UsageError(
                "the schema names a column of complete records that the table does not have", hint="name its columns"
            )
        quasi = {attribute.name: attribute.label for attribute in self.schema.quasi}
        levels = self.levels or self.refined
        if levels and (set(levels) != set(quasi) or set(quasi.values()) != {Label.ANCESTOR}):
            raise UsageError(
                "a full-domain release has a level for every quasi-identifier, and releases it as a node",
                hint="give each of them a hierarchy, and the label `ancestor`",
            )
        asking = [model.name for model in self.models if model.declared.population]
        if asking and self.population is None:
            what = f"{', '.join(asking)} cannot be judged without a population table"
            raise UsageError(what, hint="give the table that the release was made with")
        if self.population is not None and not quasi.keys() <= {*self.population.names}:
            raise UsageError("the population table lacks a quasi-identifying column", hint="name them as in the input")
        if self.schema.pseudonyms and self.key is None:
            raise UsageError("pseudonyms cannot be judged without their key", hint="give the key file")

    def judged(self, name: str) -> Column:
        """The column of the source whose values the models judge."""
        if self.coarsened is not None and name in self.coarsened.names:
            return self.coarsened.collect()[name]
        return self.original[name]

    @property
    def entered(self) -> int:
        """How many records of the input the source stands for."""
        return self.source.records if self.weights is None else int(self.weights.sum())

    @property
    def released(self) -> int:
        """How many records of the input the released ones stand for."""
        return self.lineage.size if self.borne is None else int(self.borne.sum())

    @property
    def borne(self) -> Counts | None:
        """(m,) how many records each released one stands for; `None`: for itself."""
        return None if self.weights is None else self.weights.take(self.lineage)

    @property
    def amounts(self) -> Counts:
        """(n,) how many records of the input each of the source stands for."""
        return np.ones(self.source.records, np.int64) if self.weights is None else self.weights

    def amount(self, rows: Mask | Index) -> int:
        """How many records of the input these of the source stand for."""
        some = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
        return some.size if self.weights is None else int(self.weights.take(some).sum())

    def counts(self, column: Column) -> Counts:
        """(v,) records of the input with each value of a column of the source."""
        known = self.totals.get(column.name)
        return tallied(column.codes, len(column.values), self.weights) if known is None else known

    @property
    def notations(self) -> Mapping[str, Notation]:
        """How numbers of the source are written, by column, where they are not plain."""
        found: Mapping[str, Notation] = getattr(self.source, "notations", {})
        return found

    @property
    def original(self) -> Table:
        """The input in memory."""
        return self.source.collect()

    @property
    def known(self) -> Table | None:
        """The population table in memory."""
        return None if self.population is None else self.population.collect()

    def collected(self) -> Claim:
        """The same with every dataset in memory: what is not there is fetched once."""
        coarsened = None if self.coarsened is None else self.coarsened.collect()
        return replace(self, source=self.original, population=self.known, coarsened=coarsened)

    @property
    def is_text(self) -> bool:
        """Whether the format is delimited text, which has no null but the empty cell."""
        return (form := self._form) is not None and form.is_text

    @property
    def has_nulls(self) -> bool:
        """Whether a missing cell of the format differs from the empty text."""
        return (form := self._form) is None or form.nulls

    @property
    def _form(self) -> FileFormat | None:
        return FORMATS.get(self.format)

    @property
    def k(self) -> int:
        """The size below which no class satisfies the models."""
        return max((model.declared.smallest_class for model in self.models), default=1)


@dataclass(frozen=True, slots=True)
class Band:
    """How many classes have `low` to `high` records."""

    low: int
    high: int
    classes: int


@dataclass(frozen=True, slots=True, repr=False)
class Verdict(Summary):
    """The result of verifying a release that passed every check.

    Attributes:
        records: Records released.
        suppressed: Records suppressed.
        classes: Equivalence classes.
        smallest: Records of the smallest class, or people if there is a person key: the achieved k; 0 without records.
        largest: Records of the largest class.
        bands: Classes by size: k to 2k-1, 2k to 4k-1, and so on; bands without a class are left out.
        models: Names of the models, all met.
        sha256: The digest of the file's bytes; empty for a table in memory.
        data_dependent: Whether some label was chosen by looking at records: ranges and means without a grid, nodes of
            hierarchies built from frequencies.
        checks: The number of comparisons of each check, by name: bytes, columns, records, cells, labels or classes.
        people: People whose records are released; `None` without a person key.
        incomplete: Records left out before the run because they lack a value; not among the suppressed ones.
        singling: The number of people whom each column that is not generalized, including perturbed ones, singles out;
            then each pair that singles out more than 5 % of them and more than either alone; see
            `kohort.verify.singling`.
        together: The number of people whom all of these columns together single out; then the number, if the labels of
            the class are known too. Empty where no column is released as it is.
        exposed: The people whose exact value a label reveals; see `kohort.core.uniques.Exposed`.
        parts: The files of a release in parts, in their order; `sha256` is that of the joined files.
        way: How it was verified.
        labels: The kind of labels of each generalized column; see `kohort.verify.labels.kind_of`.
        engine: The engine that counted the input, with its version unless it is kohort itself.
    """

    records: int
    suppressed: int
    classes: int
    smallest: int
    largest: int
    bands: tuple[Band, ...]
    models: tuple[str, ...]
    sha256: str
    data_dependent: bool
    checks: Mapping[str, int]
    people: int | None = None
    incomplete: int = 0
    singling: tuple[Singling, ...] = ()
    together: tuple[Singling, ...] = ()
    exposed: Exposed = field(default_factory=Exposed)
    parts: tuple[ListedPart, ...] = ()
    way: str = BY_RECORD
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    engine: str = LOCAL

    @property
    def range_exposure(self) -> int:
        """People who alone in their class hold a printed end of a range: whoever knows the class knows their value."""
        return self.exposed.range_ends

    @property
    def singled(self) -> Rows:
        """What is shown of released columns that single people out."""
        some = (one for one in self.singling if one.unique)
        return [(f"Unique by {' + '.join(one.columns)}", f"{one.unique:,} of {one.people:,}") for one in some]

    def _shown(self) -> tuple[str, Rows]:
        return "Verdict", [
            ("Records", f"{self.records:,}"),
            ("Suppressed", f"{self.suppressed:,}"),
            *([] if self.people is None else [("People", f"{self.people:,}")]),
            ("Classes", f"{self.classes:,}"),
            ("Smallest class", f"{self.smallest:,}"),
            ("Largest class", f"{self.largest:,}"),
            ("Models met", ", ".join(self.models)),
            ("People exposed by labels", f"{self.exposed.people:,}"),
            *self.singled,
            ("Data-dependent labels", "yes" if self.data_dependent else "no"),
        ]


#: What a spreadsheet takes for a date: two numbers, three short ones, a month and a number.
_NAMED: Final = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"
_DATED: Final = (
    "(?i:[0-9]{1,4}[-/][0-9]{1,4}|[0-9]{1,2}(?:[-/][0-9]{1,2}){2}"
    f"|[0-9]{{1,2}}[-/ ]?{_NAMED}|{_NAMED}[-/. ]?[0-9]{{1,4}})$"
)

#: What `excel_safe` put an apostrophe before.
_MARKED: Final = rf"^'('*(?:[=+\-@\t\r]|{_DATED}))"

#: What a spreadsheet would run, were it no number, or take for a date.
_RUN: Final = rf"^(?:[=+\-@\t\r]|{_DATED})"
_NUMBER: Final = r"^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$"


def check_columns(found: Sequence[str], schema: Schema) -> None:
    """The columns are the schema's released ones, in their order. What else a file calls a column is not repeated."""
    expected = [attribute.name for attribute in schema.released]
    if list(found) == expected:
        return
    leaked = [one.name for one in schema.attributes if not one.released and one.name in found]
    if leaked:
        raise fault(
            TableCheck.COLUMNS, f"{len(leaked)} identifying or dropped columns are released", column=", ".join(leaked)
        )
    absent = [name for name in expected if name not in found]
    unknown = sum(name not in expected for name in found)
    what = f"{many(len(found), 'column')} instead of {len(expected)}: {unknown} unknown, {len(absent)} absent"
    raise fault(
        TableCheck.COLUMNS, what + ("" if unknown or absent else ", the order differs"), column=", ".join(absent)
    )


def refuse_formulas(table: Table) -> None:
    """Refuse cells and names that a spreadsheet would run or take for dates, where `excel_safe` promises neither."""
    for column in table.columns:
        cells = int(_runs(column.values).take(column.codes).sum()) + int(_runs(pl.Series([column.name])).sum())
        if cells:
            raise fault(
                TableCheck.BYTES,
                f"a spreadsheet would run {many(cells, 'cell')}, or take for dates",
                column=column.name,
            )


def _runs(texts: pl.Series) -> Mask:
    """(u,) which of the texts a spreadsheet takes for formulas or dates."""
    return (texts.str.contains(_RUN) & ~texts.str.contains(_NUMBER)).fill_null(value=False).to_numpy()


def unmarked(table: Table) -> Table:
    """The cells without the apostrophes of `excel_safe`, where two of a forged file may become one."""
    return Table(tuple(map(_unmarked, table.columns)), table.records)


def _unmarked(column: Column) -> Column:
    values = plain(column.values)
    distinct = values.unique(maintain_order=True)
    codes = narrow(places(values, distinct), len(distinct)).take(column.codes)
    return replace(column, name=plain(pl.Series([column.name]))[0], values=distinct, codes=codes)


def plain(values: pl.Series) -> pl.Series:
    """Values without the apostrophe that keeps spreadsheets from running them; no two that kohort writes become one.

    >>> plain(pl.Series(["'=1", "''=1", "'90s"])).to_list()
    ['=1', "'=1", "'90s"]
    """
    return values.str.replace(_MARKED, "${1}")


def places(texts: pl.Series, among: pl.Series) -> Index:
    """Where each text stands in `among`, whose texts are distinct; -1 where it does not. A null equals a null.

    >>> places(pl.Series(["b", "c", None]), pl.Series([None, "a", "b"])).tolist()
    [2, -1, 0]
    """
    known = among.drop_nulls()
    found: Index = texts.cast(pl.Enum(known), strict=False).to_physical().cast(pl.Int64).fill_null(-1).to_numpy().copy()
    if len(known) < len(among):
        gap = int(among.is_null().arg_max() or 0)
        found[found >= gap] += 1
        found[texts.is_null().to_numpy()] = gap
    return found
