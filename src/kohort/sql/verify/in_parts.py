"""Judge a release some classes at a time: neither the tuples of the input nor the records fit into memory.

It is verification by aggregation (`kohort.sql.verify.aggregated`), in the order of the release. The input answers with
the tuples that are said to be released in some consecutive classes; as many records of the files are read beside it,
and both have to be the same. They are judged as a release of their own, but for how many records of the whole input
have each value.

The division of the input is checked, too. The groups together have as many records as the input, and as many with each
value. Records in no class have to lack a value for which they do not enter, or are suppressed. Consecutive groups never
share a class. Classes that a full-domain release leaves out come last: each must fail some model, and none may be like
another one, left out or released, on the levels of the release.

Models that judge classes together, or that a union of classes may fail, are not judged so: nobody would see classes in
different groups that differ in their spelling alone.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import astuple, dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

import numpy as np
import polars as pl

from kohort.core.uniques import Exposed
from kohort.errors import UnsupportedError
from kohort.errors.display import many
from kohort.sql.verify import NO_CODES, WrittenParts, added
from kohort.sql.verify.aggregated import (
    ReleasedTuples,
    TupleQuery,
    check_identifiers,
    check_same,
    of_files,
    only,
    over_tuples,
    read_parts,
    released_tuples,
)
from kohort.tables.table import Column, Table, narrow
from kohort.verify import due_on_level, judged
from kohort.verify.aggregates import as_texts
from kohort.verify.identifiers import leaks
from kohort.verify.reading import ReleaseContent
from kohort.verify.records import (
    incomplete,
    refuse_above_limit,
    refuse_leaks,
    refuse_others_left_out,
    without_value,
)
from kohort.verify.values import values_in
from kohort.verify.verdict import LOCAL, Band, TableCheck, Verdict, fault, places, refuse

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from kohort.arrays import Counts, Index
    from kohort.tables.dataset import Values
    from kohort.verify.aggregates import Hashed, Tuples
    from kohort.verify.verdict import Claim


class ClassedRelation(Protocol):
    """The input, and the class in which each of its records is said to be released: a witness."""

    @property
    def labels(self) -> Table:
        """(c,) the labels of each class, in the order of the release."""
        ...

    def entered(self, name: str) -> Values:
        """The distinct values of a column, and the records that enter with each."""
        ...

    def classed(self, columns: Sequence[str], hashed: Hashed | None) -> Iterator[tuple[Tuples, Index]]:
        """The distinct tuples of some columns, with their records and hashes, and (t,) the class of each.

        Those of whole consecutive classes at a time: first those in none, which is -1; then from 0 in the order of the
        release; last the classes of a full-domain release that are left out.
        """
        ...

    def pairs(self, identifying: str, released: str) -> Tuples:
        """The distinct pairs of cells in an identifying column and a released one, as released, of released records."""
        ...


def verify_in_parts(paths: Sequence[Path], source: ClassedRelation, claim: Claim, *, engine: str = LOCAL) -> Verdict:
    """What is true of the release in these files, in their order.

    Cost: what it takes to read the files twice; of memory one of them, one group of classes, and the labels.

    Args:
        paths: The files, each with its header.
        source: The class in which each record of the input is said to be released.
        claim: What the release says of itself; its source is the input, and its lineage is not looked at.
        engine: What answers for the relation, with its version.

    Raises:
        VerificationError: a check fails; the message names it, the column and counts.
        UnsupportedError: something is claimed that is told of all classes together.
        LimitError: a group does not fit into memory.
        FileError: the system failed to read.
    """
    _check_unique_pairs(claim)
    query = TupleQuery.of(claim)
    written = read_parts(paths, claim, claim.source.records, (), None)
    check_identifiers(claim, claim.source, written, partial(_check_pair, claim, source))
    groups = _GroupsOfClasses.of(claim, source, written, query)
    verdicts = [groups.judged(*some) for some in source.classed(query.columns, query.hashed)]
    groups.check_whole()
    found = _joined([one for one in verdicts if one is not None])
    found = replace(found, suppressed=claim.suppressed, incomplete=claim.incomplete, sha256=written.sha256)
    return of_files(found, written, claim, claim.source.records, engine)


def _check_unique_pairs(claim: Claim) -> None:
    asked = [
        claim.effects or claim.coarsened is not None,
        claim.refined,
        claim.population is not None,
        claim.schema.person is not None,
        any(model.declared.joint or not model.declared.monotone_generalization for model in claim.models),
    ]
    if any(asked):
        what = "the release cannot be verified some classes at a time"
        raise UnsupportedError(what, hint="make it with a larger --memory-limit, or on one machine")


@dataclass(slots=True, eq=False)
class _GroupsOfClasses:
    """Groups of classes, judged one after another.

    Attributes:
        claim: What the release says of itself.
        source: The input.
        query: Which tuples are counted.
        rest: The records of the release that are not judged yet.
        known: Of columns whose values are looked at, those of the whole input, without a record.
        totals: How many records have each.
        found: How many have been found.
        left: How many records are in classes that were left out.
    """

    claim: Claim
    source: ClassedRelation
    query: TupleQuery
    rest: Iterator[Table]
    known: Mapping[str, Column]
    totals: Mapping[str, Counts]
    found: Mapping[str, Counts]
    left: int = field(default=0, init=False)
    _before: tuple[object, ...] | None = field(default=None, init=False)
    _held: Table | None = field(default=None, init=False)
    _due: list[pl.DataFrame] = field(default_factory=list[pl.DataFrame], init=False)
    _records: int = field(default=0, init=False)
    _incomplete: int = field(default=0, init=False)
    _suppressed: int = field(default=0, init=False)

    @classmethod
    def of(cls, claim: Claim, source: ClassedRelation, written: WrittenParts, query: TupleQuery) -> _GroupsOfClasses:
        names = [one.name for one in claim.schema.quasi]
        judged_ = {model.declared.sensitive for model in claim.models}
        names += [one.name for one in claim.schema.released if one.name in judged_]
        values = {name: source.entered(name) for name in names}
        known = {name: Column(name, one.texts, NO_CODES, pl.String()) for name, one in values.items()}
        totals = {name: one.counts for name, one in values.items()}
        found = {name: np.zeros_like(counts) for name, counts in totals.items()}
        return cls(claim, source, query, written.tables(), known, totals, found)

    def judged(self, tuples: Tuples, classes: Index) -> Verdict | None:
        """What is true of a group, by the class of each of its tuples; `None` where nothing of it is released."""
        bare = over_tuples(self.claim, tuples)
        without = incomplete(bare)
        enters = ~(without | without_value(bare))
        released = classes < self.source.labels.records
        self._records += int(tuples.counts.sum())
        self._incomplete += bare.amount(without)
        self._suppressed += bare.amount(~enters & ~without)
        last = np.iinfo(np.int64).max if self.claim.levels else self.source.labels.records
        left_out = bare.amount(enters & ((classes < 0) | (classes >= last)))
        refuse(TableCheck.RECORDS, left_out, "record is", "records are", " left out for no reason")
        rows, left = np.flatnonzero(enters & released), np.flatnonzero(enters & ~released)
        table, order = released_tuples(bare, self.source.labels.take(classes[rows]), rows)
        rows = rows[order]
        columns = {name: self._found(name, bare, ~without) for name in self.known}
        every, apart = np.append(rows, left), bare.amount(left)
        if not every.size:
            return None
        held = (columns.get(one.name, one) for one in bare.original.columns)
        claim = replace(
            bare,
            source=Table(tuple(replace(one, codes=one.codes.take(every)) for one in held), every.size),
            weights=bare.amounts.take(every),
            lineage=np.arange(rows.size),
            totals=self.totals,
            suppressed=apart,
            limit=None,
            complete=(),
            incomplete=0,
        )
        if self.claim.levels:
            self.left += apart
            self._due.append(_on_levels(claim))
        if rows.size:
            self._check_files(ReleasedTuples(claim, table, tuples.sums[rows]))
        found = judged(ReleaseContent(table, "", 0), claim)
        return found if rows.size else None

    def _check_files(self, sent: ReleasedTuples) -> None:
        """The next records of the files are those that are due, and the first is in no class of records before."""
        found = added(self._next(sent.claim.released), self.query.released, self.query.hashed)
        check_same(sent, found, self.query)
        quasi = [sent.released.names.index(one.name) for one in self.claim.schema.quasi]
        ends = as_texts(sent.released.take(np.array([0, sent.released.records - 1]))).fill_null("").rows()
        begins, last = (tuple(row[place] for place in quasi) for row in ends)
        if begins == self._before:
            raise fault(TableCheck.CLASSES, "a class is judged in two groups")
        self._before = last

    def _next(self, records: int) -> Iterator[Table]:
        """The next so many records of the release, a table for each part that they are in."""
        while records:
            table = next(self.rest, None) if self._held is None else self._held
            if table is None:
                raise fault(TableCheck.RECORDS, "fewer records are released than are said to be")
            taken = min(records, table.records)
            self._held = table.part(slice(taken, table.records)) if taken < table.records else None
            yield table.take(np.arange(taken))
            records -= taken

    def _found(self, name: str, bare: Claim, counted: np.typing.NDArray[np.bool_]) -> Column:
        """A column with the values of the whole input; its records that enter are counted."""
        known, column = self.known[name], bare.original[name]
        codes = places(column.values, known.values).take(column.codes)
        unknown = bare.amount(counted & (codes < 0))
        both, rest = ("record has a value", "records have values"), " that the input does not have"
        refuse(TableCheck.LINEAGE, unknown, *both, rest, column=name)
        np.add.at(self.found[name], codes[counted], bare.amounts[counted])
        return replace(known, codes=narrow(np.maximum(codes, 0), len(known.values)))

    def check_whole(self) -> None:
        if self._records != self.claim.source.records:
            what = f"{self._records:,} records were counted in classes instead of {self.claim.source.records:,}"
            raise fault(TableCheck.LINEAGE, what)
        refuse_others_left_out(self.claim, self._incomplete)
        if self._suppressed + self.left != self.claim.suppressed:
            what = f"{self.claim.suppressed:,} records are suppressed, and {self._suppressed:,} lack a value"
            what += f", {self.left:,} are in classes that fail" * bool(self.left)
            raise fault(TableCheck.RECORDS, what)
        refuse_above_limit(self.left, self.claim.limit)
        self._check_apart()
        for name, counts in self.found.items():
            if (counts != self.totals[name]).any():
                raise fault(TableCheck.LINEAGE, "classes have other values than the input", column=name)

    def _check_apart(self) -> None:
        """No class on the levels of the release is in two groups, released or left out."""
        if not self._due:
            return
        due = pl.concat(self._due)
        again = due.height - due.unique().height
        if again:
            classes = many(again, "class", "classes")
            what = f"left out: {classes} of which other records are released or left out elsewhere"
            raise fault(TableCheck.SUPPRESSED, what)


def _on_levels(claim: Claim) -> pl.DataFrame:
    """The classes that the records of a group are due to be in, released or not."""
    due: dict[str, Index] = {}
    for one in claim.schema.quasi:
        column = claim.original[one.name]
        due[one.name] = due_on_level(values_in(column, one, claim), claim.levels[one.name])[1].take(column.codes)
    return pl.DataFrame(due).unique()


def _check_pair(claim: Claim, source: ClassedRelation, identifying: str, released: str) -> None:
    found = source.pairs(identifying, released)
    every = np.arange(found.table.records)
    schema = only(claim.schema, {identifying, released})
    refuse_leaks(leaks(schema, found.table, found.table, every, k=claim.k, weights=found.counts))


def _joined(verdicts: Sequence[Verdict]) -> Verdict:
    bands = Counter[tuple[int, int]]()
    for one in verdicts:
        bands.update({(band.low, band.high): band.classes for band in one.bands})
    exposed = zip(*(astuple(one.exposed) for one in verdicts), strict=True)
    return replace(
        verdicts[0],
        records=sum(one.records for one in verdicts),
        classes=sum(one.classes for one in verdicts),
        smallest=min(one.smallest for one in verdicts),
        largest=max(one.largest for one in verdicts),
        bands=tuple(Band(low, high, classes) for (low, high), classes in sorted(bands.items())),
        data_dependent=any(one.data_dependent for one in verdicts),
        exposed=Exposed(*map(sum, exposed)),
    )
