"""Records held against the input they claim to be.

The records that entered a release, found anew in its input: those that lack a value did not, and all others did.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from kohort.errors.display import many
from kohort.schema import Label, Missing, Role
from kohort.system.workspace import HEAP, TALLIED, Workspace, blocks
from kohort.tables.table import Column, Table, narrow
from kohort.verify.identifiers import leaks
from kohort.verify.labels import Fit, Meaning, fit, meaning_of, off_grid, twofold
from kohort.verify.values import in_days, values_in
from kohort.verify.verdict import Claim, TableCheck, fault, places, refuse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from kohort.arrays import Index, Mask
    from kohort.errors import VerificationError
    from kohort.schema import Attribute, Schema
    from kohort.verify.identifiers import Leak


#: Numbers name nobody: some other column will have the same.
_NUMBER: Final = r"^[+-]?[0-9]+([.,][0-9]+)*$"

#: Shorter texts are too common to name a person.
_DISTINCTIVE: Final = 3


def check_records(table: Table, claim: Claim) -> None:
    """There are as many records as the input had, less the suppressed ones, of which there are no more than allowed."""
    due = claim.entered - claim.suppressed
    found = table.records if claim.weights is None else claim.released
    if found != due:
        raise fault(TableCheck.RECORDS, f"{many(found, 'record')} instead of {due:,}")
    if claim.limit is not None:
        refuse_above_limit(claim.suppressed - claim.amount(without_value(claim)), claim.limit)


def refuse_above_limit(chosen: int, limit: int | None) -> None:
    """Refuse more suppressed records than the job allows, besides those that lack a value."""
    if limit is not None and chosen > limit:
        some = many(chosen, "record is", "records are")
        what = f"{some} suppressed for other reasons than a missing value; the limit is {limit:,}"
        raise fault(TableCheck.RECORDS, what)


def without_value(claim: Claim) -> Mask:
    """Which records of the input lack a value that the schema suppresses them for."""
    names = [one.name for one in claim.schema.released if one.missing is Missing.SUPPRESS]
    return _lacking_any(claim.original, names, claim)


def _lacking_any(table: Table, names: Iterable[str], claim: Claim) -> Mask:
    """(n,) which records of the input, or of a population table, lack a value in one of the columns."""
    found = np.zeros(table.records, np.bool_)
    for name in names:
        found |= lacking(table[name], claim)
    return found


def lacking(column: Column, claim: Claim) -> Mask:
    """(n,) which cells of the input, or of a population table, are no value."""
    return claim.workspace.taken(column.values.fill_null("").is_in(list(claim.schema.missing)).to_numpy(), column.codes)


def check_lineage(table: Table, claim: Claim) -> None:
    """Every released record claims an input record, and no two claim the same one."""
    lineage, known = claim.lineage, claim.original.records
    if lineage.shape != (table.records,):
        raise fault(TableCheck.LINEAGE, f"a lineage of {lineage.size:,} for {many(table.records, 'record')}")
    parts = [lineage[some] for some in blocks(lineage.size)]
    outside = sum(int(((part < 0) | (part >= known)).sum()) for part in parts)
    refuse(TableCheck.LINEAGE, outside, "record does", "records do", " not come from the input")
    claimed = claim.workspace.zeros(known, np.bool_)
    for part in parts:
        claimed[part] = True
    again = table.records - int(claimed.sum())
    refuse(TableCheck.LINEAGE, again, "record repeats", "records repeat", " an input record")


def check_identifiers(table: Table, claim: Claim, every: Table) -> None:
    """No released column holds cells of identifying ones.

    First for whole cells that were in no released column of the input, nor in a hierarchy: they came in on the way. A
    number or a very short text is too common for that. Then for all that `kohort.verify.identifiers` finds.
    """
    if not claim.schema.identifying:
        return
    released = pl.concat([column.values.cast(pl.String) for column in table.columns]).unique().drop_nulls()
    refuse_names(claim.schema, lambda name: every[name].values, released)
    schema, source, lineage, room = claim.schema, claim.original, claim.lineage, claim.workspace
    refuse_leaks(leaks(schema, source, table, lineage, k=claim.k, allowed=claim.allowed, workspace=room))


def refuse_leaks(found: Iterable[Leak]) -> None:
    """Refuse released columns that hold cells of identifying ones."""
    for leak in found:
        raise fault(TableCheck.IDENTIFIERS, leak.told, column=leak.released)


def refuse_names(schema: Schema, values: Callable[[str], pl.Series], released: pl.Series) -> None:
    """Refuse whole cells of identifying columns that came in on the way."""
    for attribute in schema.identifying:
        names = values(attribute.name)
        found = names.filter(names.is_in(released.implode()) & (names.str.len_chars() >= _DISTINCTIVE))
        naming = set(found.filter(~found.str.contains(_NUMBER)).to_list())
        others = (one for one in schema.released if one.role is not Role.IDENTIFYING)
        for other in others if naming else ():
            naming -= set(values(other.name).to_list())
            if other.hierarchy is not None and not isinstance(other.hierarchy, str):
                naming -= {text for labels in other.hierarchy.labels for text in labels}
        if naming:
            raise fault(TableCheck.IDENTIFIERS, f"{len(naming):,} of its values are released", column=attribute.name)


def check_cells(column: Column, claim: Claim) -> None:
    """Every cell of a column that is not generalized is the input's."""
    source = claim.original[column.name]
    changed = differing(column, places(released_texts(source, claim), column.values), claim)
    refuse(TableCheck.CELLS, changed, "cell differs", "cells differ", " from the input's", column=column.name)


def check_values(attribute: Attribute, claim: Claim) -> None:
    """No record lacks a value that the schema would suppress it for."""
    if attribute.missing is Missing.SUPPRESS:
        gone = int(lacking(claim.original[attribute.name], claim).take(claim.lineage).sum())
        if gone:
            raise fault(TableCheck.CELLS, f"{gone:,} released records have no value", column=attribute.name)


def differing(column: Column, due: NDArray[np.integer], claim: Claim, source: Column | None = None) -> int:
    """How many cells are not what their records' values in the source are `due` to be released as, by code."""
    values, due = (source or claim.original[column.name]).codes, due.astype(np.int32)
    return sum(
        int(np.count_nonzero(due.take(values.take(claim.lineage[block])) != column.codes[block]))
        for block in blocks(column.codes.size)
    )


def released_texts(source: Column, claim: Claim) -> pl.Series:
    """The source's values as a release of this format has them, where it has them unchanged."""
    return source.values if claim.has_nulls else source.values.fill_null("")


def labels_of(name: str, values: pl.Series) -> pl.Series:
    """The labels of a column, each once: a missing value is released in one way, as null or as the empty text."""
    if values.has_nulls() and (values == "").any():
        raise fault(TableCheck.LABELS, "a missing value is released in two ways", column=name)
    return values.fill_null("")


def check_regions(column: Column, attribute: Attribute, claim: Claim) -> tuple[Meaning, Fit]:
    """Every cell is a label that the schema can produce, and the record's own value lies inside it.

    Gives what the labels mean and how the records fit. Cost: one walk over the records, and some microseconds for each
    distinct label.
    """
    source = claim.original[column.name]
    values = values_in(source, attribute, claim)
    labels = labels_of(column.name, column.values)
    if attribute.of_dates and values.label is not Label.RANGE:
        labels = labels.zip_with(labels.is_in([*values.cells]), in_days(labels))
    astray = off_grid(values, labels) if attribute.grid is not None else 0
    rest = " an end that is not a cut of the grid"
    refuse(TableCheck.GRID, astray, "label has", "labels have", rest, column=column.name)
    meaning = meaning_of(values, labels, claim.workspace)
    refuse_labels(~meaning.known, column, "cannot be produced by the schema")
    refuse_labels(twofold(values, labels, claim.schema.missing), column, TWOFOLD)
    found = fit(meaning, source.codes, claim.lineage, column.codes)
    rest = " labels that do not contain their values"
    refuse(TableCheck.REGIONS, found.outside, "record has", "records have", rest, column=column.name)
    return meaning, found


#: What is wrong with labels that stand for one group of values and for another, or for missing ones.
TWOFOLD: Final = "can be read in two ways"


def refuse_labels(wrong: Mask, column: Column, one: str, several: str = "") -> None:
    """Refuse these labels of a column: what is wrong with one, or with several."""
    of = f"({many(int(wrong[column.codes].sum()), 'record')})" if wrong.any() else ""
    count, both = int(wrong.sum()), (f"label {of} {one}", f"labels {of} {several or one}")
    refuse(TableCheck.LABELS, count, *both, column=column.name)


def disorder(table: Table, quasi: Sequence[str], workspace: Workspace = HEAP) -> VerificationError | None:
    """The fault of a release whose records do not ascend by their own content: their order could tell something else.

    First by the generalized columns, then by the others; by the bytes of the text, a missing cell as the empty text.
    Of records that differ in nothing else, the missing cell comes first.
    """
    columns = [table[name] for name in (*quasi, *(name for name in table.names if name not in quasi))]
    twofold = [one for one in columns if one.values.has_nulls() and (one.values == "").any()]
    columns = [_merged(one, workspace) if one in twofold else one for one in columns]
    tied = workspace.empty(max(table.records - 1, 0), np.bool_)  # with the record after, in all columns so far
    tied[:] = True
    turns = workspace.like(tied, tied.size)
    for column in (*columns, *twofold):
        codes = column.codes
        for some in blocks(tied.size):
            turns[some] = tied[some] & (codes[some] != codes[some.start + 1 : some.stop + 1])
        falling = _falling(column, turns)
        if falling:
            told = f"{many(falling, 'record is', 'records are')} out of order"
            return fault(TableCheck.ORDER, told, column=column.name)
        np.greater(tied, turns, out=tied)
    return None


def _merged(column: Column, workspace: Workspace) -> Column:
    """The column with the empty text for its missing cells."""
    absent, places_ = column.values.is_null().to_numpy(), np.arange(len(column.values))
    codes = narrow(np.where(absent, np.flatnonzero(column.values == "")[0], places_), places_.size)
    return replace(column, codes=workspace.taken(codes, column.codes))


def _falling(column: Column, turns: Mask) -> int:
    """How many of the chosen records stand before one with a lesser text; a null is less than any text.

    Two by two the texts are compared while that is less work than to sort them all.
    """
    ranks = None
    if np.count_nonzero(turns) > len(column.values):
        ranks = np.empty(len(column.values), np.int64)
        order = pl.arg_sort_by("text", nulls_last=False, multithreaded=False)
        ranks[column.values.alias("text").to_frame().select(order).to_series().to_numpy()] = np.arange(ranks.size)
    falling = 0
    for some in blocks(turns.size, TALLIED):
        places_: Index = some.start + np.flatnonzero(turns[some])
        before, after = column.codes.take(places_), column.codes.take(places_ + 1)
        if ranks is None:
            lesser = column.values.gather(after)
            falling += int(((lesser < column.values.gather(before)) | lesser.is_null()).sum())
        else:
            falling += int((ranks.take(after) < ranks.take(before)).sum())
    return falling


def complete_records(claim: Claim) -> Claim:
    """The claim over the complete records alone, once exactly the incomplete ones are known to be left out.

    Raises:
        VerificationError: others than the incomplete records were left out, or not all of them.
    """
    claim = replace(claim, population=_could_enter(claim))
    without = incomplete(claim)
    refuse_others_left_out(claim, claim.amount(without))
    if not claim.incomplete:
        return claim
    inside = (claim.lineage >= 0) & (claim.lineage < without.size)
    released = int(without.take(claim.lineage[inside]).sum())
    if released:
        raise fault(TableCheck.COMPLETE, f"{released:,} released records lack a value")
    place = np.full(claim.lineage.shape, -1)  # for `check_lineage` to refuse
    place[inside] = (np.cumsum(~without) - 1).take(claim.lineage[inside])
    kept = np.flatnonzero(~without)
    weights = None if claim.weights is None else claim.weights.take(kept)
    return replace(claim, source=claim.original.take(kept), lineage=place, complete=(), incomplete=0, weights=weights)


def refuse_others_left_out(claim: Claim, found: int) -> None:
    """Refuse another number of incomplete records than are left out."""
    if found != claim.incomplete:
        what = f"{claim.incomplete:,} records are left out as incomplete, and {found:,} lack a value"
        raise fault(TableCheck.COMPLETE, what)


def _could_enter(claim: Claim) -> Table | None:
    """The population, without the people of whom no complete record can be."""
    known = claim.known
    if known is None or not claim.complete:
        return known
    names = [one.name for one in claim.schema.quasi if claim.complete == "all" or one.name in claim.complete]
    kept = np.flatnonzero(~_lacking_any(known, names, claim))
    return known if kept.size == known.records else known.take(kept)


def incomplete(claim: Claim) -> Mask:
    """(n,) which records of the input lack a value in one of the columns."""
    return _lacking_any(claim.original, claim.original.names if claim.complete == "all" else claim.complete, claim)
