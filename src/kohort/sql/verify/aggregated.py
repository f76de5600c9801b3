"""Judge a release whose records are in nobody's memory: groups of the input against groups of the written files.

A release says to which labels the tuples of the input went, and that is doubted like everything else. The verifier
counts the tuples of the input anew, sends each where it is said to be, and adds up, for every tuple of released cells,
the records that are due and the keyed hashes of their other cells. The written files have to hold just these. Then a
one-to-one lineage exists between the records that were due and those that were written, and no cell that is released
unchanged differs. All else is judged by the same code as one by one, over tuples that stand for so many records each.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from kohort.errors import UnsupportedError
from kohort.errors.display import many
from kohort.schema import Missing, Role
from kohort.sql.verify import WrittenParts, written_singling
from kohort.system.workspace import distinct, tallied
from kohort.tables.table import Column, Table
from kohort.verify import judged
from kohort.verify.aggregates import Hashed, as_texts, summed
from kohort.verify.altered import pseudonyms_of
from kohort.verify.identifiers import few_of, leaks, suspects
from kohort.verify.reading import ReleaseContent
from kohort.verify.records import incomplete, labels_of, refuse_leaks, refuse_names, released_texts, without_value
from kohort.verify.verdict import BY_AGGREGATION, LOCAL, Claim, TableCheck, Verdict, comparisons, fault, places, refuse

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from kohort.arrays import Counts, Index
    from kohort.schema import Attribute, Schema
    from kohort.tables.dataset import Dataset
    from kohort.verify.aggregates import Relation, Tuples


@dataclass(frozen=True, slots=True, eq=False)
class Destinations:
    """Where a release says that tuples of the input went: a witness. Tuples that are not among them were left out.

    Attributes:
        tuples: Distinct tuples of some columns of the input, as texts of `kohort.io.cells`, all quasi-identifiers
            among them; one record for each of t tuples.
        labels: The quasi-identifiers of these, as they are released.
        counts: (t,) how many records of a tuple went there; then the tuples are over every released column and the
            person key, and one may be listed with several labels. `None` where all of them did.
    """

    tuples: Table
    labels: Table
    counts: Counts | None = None


def verify_by_aggregation(
    paths: Sequence[Path], source: Relation, claim: Claim, destinations: Destinations, *, engine: str = LOCAL
) -> Verdict:
    """What is true of the release in these files, in their order, made from the records of a relation.

    Cost: what it takes to read the parts, and to find the distinct tuples of the input's quasi-identifiers and of the
    sensitive columns that models look at; of the workspace the codes of one part, and of memory these tuples.

    Args:
        paths: The files, each with its header.
        source: The input.
        claim: What the release says of itself; its source has the relation's columns, and its lineage is not looked at.
        destinations: Where the tuples of the input went.
        engine: What answers for the relation, with its version.

    Raises:
        VerificationError: a check fails; the message names it, the column and counts.
        UnsupportedError: columns are perturbed: that is told of records, not of groups of them.
        LimitError: the tuples do not fit into memory.
        FileError: the system failed to read.
    """
    if claim.effects or claim.coarsened is not None:
        what = "perturbed columns cannot be verified by aggregation"
        raise UnsupportedError(what, hint="make the release on one machine (--memory-limit), or without --perturb")
    query = TupleQuery.of(claim, destinations.tuples.names)
    written = read_parts(paths, claim, source.records, query.released, query.hashed)
    sent = ReleasedTuples.of(claim, source.tuples(query.columns, query.hashed), destinations)
    check_same(sent, written.counted, query)
    check_identifiers(claim, source, written, partial(_check_pair, claim, source, destinations))
    found = judged(ReleaseContent(sent.released, written.sha256, written.size), sent.claim)
    return of_files(found, written, claim, source.records, engine)


def read_parts(
    paths: Sequence[Path], claim: Claim, records: int, columns: Sequence[str], hashed: Hashed | None
) -> WrittenParts:
    """The release in these files, which has as many records as are due of so many in the input."""
    written = WrittenParts.read(paths, claim, columns, hashed)
    due = records - claim.incomplete - claim.suppressed
    if written.records != due:
        raise fault(TableCheck.RECORDS, f"{many(written.records, 'record')} instead of {due:,}")
    return written


def of_files(found: Verdict, written: WrittenParts, claim: Claim, entered: int, engine: str) -> Verdict:
    """The verdict on files, from that on the tuples in them; so many records `entered` the run."""
    if claim.schema.person is None:
        singling, together = written_singling(written, claim)
        found = replace(found, singling=singling, together=together)
    checks = comparisons(
        claim.schema,
        written.records,
        {one.name: len(labels_of(one.name, written.distinct(one.name).texts)) for one in claim.schema.quasi},
        size=written.size,
        classes=found.classes,
        entered=entered if claim.complete else 0,
        left_out=claim.suppressed if claim.levels or claim.refined else 0,
        on_levels=bool(claim.levels),
    )
    return replace(found, checks=checks, parts=written.parts, way=BY_AGGREGATION, engine=engine)


@dataclass(frozen=True, slots=True)
class TupleQuery:
    """Which tuples are counted.

    Attributes:
        columns: Those of the input's tuples.
        released: Those of them that are released.
        hashed: The other released columns, all unchanged; `None` where there are none.
    """

    columns: tuple[str, ...]
    released: tuple[str, ...]
    hashed: Hashed | None

    @classmethod
    def of(cls, claim: Claim, named: Collection[str] = ()) -> TupleQuery:
        """Whatever some check looks at in the input, by its value, and the columns that are `named`.

        With a person key that is every released column: whom one singles out is asked of people.
        """
        schema = claim.schema
        whole = claim.complete == "all"
        names = {*(model.declared.sensitive for model in claim.models), *named, *claim.complete}
        columns = [one for one in schema.attributes if whole or one.name in names or _is_looked_at(one, schema)]
        released = tuple(one.name for one in schema.released if one in columns)
        rest = tuple(one.name for one in schema.released if one not in columns)
        how = Hashed(rest, nulls=claim.has_nulls)
        return cls(tuple(one.name for one in columns), released, how if rest else None)


def _is_looked_at(attribute: Attribute, schema: Schema) -> bool:
    """Whether a column's values are looked at, and not only whether they are unchanged."""
    if not attribute.released:
        return attribute.name == schema.person
    changed = attribute.role is Role.QUASI or attribute.pseudonym
    return changed or attribute.missing is Missing.SUPPRESS or schema.person is not None


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedTuples:
    """The tuples of the input, at the labels that they are said to be released with.

    Attributes:
        claim: What is claimed of them: its source are the tuples, those first that were released, in the release's
            order; each stands for so many records.
        released: These, as they are released.
        sums: (m,) the sums of their hashes.
    """

    claim: Claim
    released: Table
    sums: NDArray[np.uint64]

    @classmethod
    def of(cls, claim: Claim, found: Tuples, destinations: Destinations) -> ReleasedTuples:
        """Send the tuples of the input where they are said to be.

        Raises:
            VerificationError: some are sent that the input does not have, or more of them, or to several places.
        """
        bare = over_tuples(claim, found)
        rows, of, counts = _sent(bare, destinations)
        table, order = released_tuples(bare, destinations.labels.take(of), rows)
        rows, counts = rows[order], counts[order]
        left = found.counts.copy()
        np.subtract.at(left, rows, counts)
        rest = np.flatnonzero(left)
        source = found.table.take(np.append(rows, rest))
        sent = replace(bare, source=source, weights=np.append(counts, left[rest]), lineage=np.arange(rows.size))
        return cls(sent, table, found.sums[rows])


def only(schema: Schema, names: Collection[str | None]) -> Schema:
    """The schema of some columns."""
    return replace(schema, attributes=tuple(one for one in schema.attributes if one.name in names))


def over_tuples(claim: Claim, found: Tuples) -> Claim:
    """The claim over tuples of the input, whose identifiers are looked for elsewhere."""
    schema = only(claim.schema, found.table.names)
    names = tuple(one.name for one in schema.released)
    return replace(claim, schema=schema, source=found.table, weights=found.counts, allowed=names)


def released_tuples(claim: Claim, labels: Table, rows: Index) -> tuple[Table, Index]:
    """Some tuples of a claim's source as they are released, in the order of a release, and that order.

    Args:
        claim: Over the tuples.
        labels: (m,) those that each is released with, of all quasi-identifiers.
        rows: (m,) which tuples these are.
    """
    schema, source = claim.schema, claim.original
    columns = [
        _with(labels[one.name], released_texts(labels[one.name], claim))
        if one.role is Role.QUASI
        else _made_of(claim, one, source).take(rows)
        for one in schema.released
    ]
    table = Table(tuple(columns), rows.size)
    order = _in_order(table, schema)
    return table.take(order), order


def _sent(claim: Claim, destinations: Destinations) -> tuple[Index, Index, Counts]:
    """Which tuples of the input are sent, to which of the destinations, and how many records of each.

    What lacks a value that it needs to enter, or to be released, is sent nowhere. Tuples that are alike in the columns
    of the destinations are a group, all of whose records are alike in what is released, so any lineage among them is as
    good: their records are laid in a row beside the records that are due, and last those that are left out.
    """
    source, known = claim.original, destinations.tuples
    keys = [str(place) for place in range(len(known.columns))]
    pairs = [(source[one.name], one) for one in known.columns]
    codes = [places(theirs.values, own.values).take(theirs.codes) for own, theirs in pairs]
    listed = pl.DataFrame(dict(zip(keys, codes, strict=True))).with_row_index("of")
    held = pl.DataFrame({key: own.codes.astype(np.int64) for key, (own, _) in zip(keys, pairs, strict=True)})
    entering = held.with_row_index("row").filter(~(incomplete(claim) | without_value(claim)))
    unknown = len(listed.join(entering, on=keys, how="anti"))
    refuse(TableCheck.LINEAGE, unknown, "tuple does", "tuples do", " not come from the input")
    numbered = listed.select(keys).unique().with_row_index("group")
    (row, group), (of, to) = _laid(entering, numbered, "row"), _laid(listed, numbered, "of")
    groups = np.arange(numbered.height)
    amounts = claim.amounts.take(row)
    sizes = tallied(group, groups.size, amounts)
    counts = sizes.take(to) if destinations.counts is None else destinations.counts.take(of)
    rest: Counts = sizes - tallied(to, groups.size, counts)
    refuse(TableCheck.LINEAGE, -int(rest.clip(max=0).sum()), "record repeats", "records repeat", " an input record")
    last = np.searchsorted(to, groups, side="right")
    ends: Counts = np.cumsum(amounts)
    until: Counts = np.cumsum(np.insert(counts, last, rest))
    marks = distinct(np.append(ends, until), merged=True)
    lengths: Counts = np.diff(marks, prepend=0)
    row, of = row.take(np.searchsorted(ends, marks)), np.insert(of, last, -1).take(np.searchsorted(until, marks))
    meet = (of >= 0) & (lengths > 0)
    return row[meet], of[meet], lengths[meet]


def _laid(some: pl.DataFrame, numbered: pl.DataFrame, order: str) -> tuple[Index, Index]:
    """Tuples whose groups are numbered, in the order of these, and the group of each."""
    keys = [name for name in numbered.columns if name != "group"]
    found = some.join(numbered, on=keys).sort("group", order)
    return found[order].to_numpy().astype(np.int64), found["group"].to_numpy().astype(np.int64)


def _made_of(claim: Claim, attribute: Attribute, source: Table) -> Column:
    column = source[attribute.name]
    if attribute.pseudonym and claim.key is not None:
        return _with(column, pseudonyms_of(column, claim, claim.key))
    return _with(column, released_texts(column, claim))


def _with(column: Column, texts: pl.Series) -> Column:
    """The column with other texts for its values, some of which may be alike then."""
    values = texts.unique(maintain_order=True)
    return replace(column, values=values, codes=places(texts, values).take(column.codes).astype(np.uint32))


def _in_order(table: Table, schema: Schema) -> Index:
    """The tuples in the order of a release; see `kohort.verify.records.disorder`."""
    names = [one.name for one in schema.quasi]
    names += [one.name for one in schema.released if one.role is not Role.QUASI]
    columns = [table[name] for name in names]
    ranks = [(one.values.fill_null("").rank("dense"), one.codes) for one in columns]
    ranks += [(one.values.is_not_null(), one.codes) for one in columns if one.values.has_nulls()]
    keys = pl.DataFrame({str(place): rank.to_numpy().take(codes) for place, (rank, codes) in enumerate(ranks)})
    order: Index = keys.select(pl.arg_sort_by(keys.columns)).to_series().to_numpy().astype(np.int64)
    return order


def check_same(sent: ReleasedTuples, found: Tuples, query: TupleQuery) -> None:
    """The files hold the records that are due: as many with each tuple of cells, and the same sums of hashes."""
    weights = sent.claim.amounts[: sent.released.records]
    held = as_texts(Table(tuple(found.table[name] for name in query.released), found.table.records))
    both = summed(
        pl.concat([as_texts(sent.released), held]),
        np.concatenate([weights, -found.counts]),
        np.concatenate([sent.sums, np.uint64(0) - found.sums]),
    )
    names = {one.name for one in sent.claim.schema.quasi}
    quasi = [str(place) for place, name in enumerate(query.released) if name in names]
    other = both.filter(pl.col("records") != 0)
    if len(other):
        records = int(other["records"].abs().sum()) // 2
        classes = other.select(quasi).n_unique()
        what = f"{records:,} records are not those of the input that are due, in {classes:,} classes"
        raise fault(TableCheck.LINEAGE, what)
    other = both.filter(pl.col("sum") != 0)
    if len(other):
        what = f"in {other.select(quasi).n_unique():,} classes, columns that are released unchanged have other cells"
        raise fault(TableCheck.CELLS, what)


def check_identifiers(
    claim: Claim, source: Dataset, written: WrittenParts, check_pair: Callable[[str, str], None]
) -> None:
    """No released column holds cells of identifying ones.

    Args:
        claim: What the release says of itself.
        source: The input.
        written: The release.
        check_pair: Looks at the cells of the same records in an identifying column and a released one.
    """
    schema = claim.schema
    if not schema.identifying:
        return
    held = {name: written.distinct(name) for name in written.names}
    released = pl.concat([values.texts for values in held.values()]).unique().drop_nulls()
    refuse_names(schema, lambda name: source.distinct(name).texts, released)
    known = {one.name: source.distinct(one.name) for one in schema.identifying}
    few = few_of(claim.k) + source.records - written.records
    for identifying, column in suspects(schema, known, held, few=few, allowed=claim.allowed):
        check_pair(identifying, column)


def _check_pair(claim: Claim, source: Relation, destinations: Destinations, identifying: str, released: str) -> None:
    names = {*TupleQuery.of(claim, destinations.tuples.names).columns, identifying, released}
    sent = ReleasedTuples.of(claim, source.tuples([name for name in source.names if name in names]), destinations)
    schema, witness = only(claim.schema, {identifying, released, claim.schema.person}), sent.claim
    refuse_leaks(leaks(schema, witness.original, sent.released, witness.lineage, k=claim.k, weights=witness.borne))
