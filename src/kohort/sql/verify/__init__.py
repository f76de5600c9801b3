"""A release of several files, read again one part at a time: its bytes, its order, and what it holds in sums.

Each part is read as a release of its own is: strictly, and to the byte. Of its cells only sums are kept, so the memory
is that of one part and of the groups. The records of all parts stand in the order of their own content. The digest and
size are those of the joined text, and of other formats those of the parts' bytes one after the other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from kohort.core.uniques import Singling, together_of
from kohort.io.manifest import ListedPart, digest_of
from kohort.system.workspace import HEAP
from kohort.tables.dataset import Values
from kohort.tables.recoded import joined
from kohort.tables.table import Column, Table
from kohort.verify.aggregates import Tuples, as_texts, summed, tuples_in, tuples_of
from kohort.verify.reading import contents_of
from kohort.verify.records import disorder
from kohort.verify.singling import likely, singled_out, together
from kohort.verify.verdict import Claim, TableCheck, fault, reading_release

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from kohort.system.workspace import Workspace
    from kohort.verify.aggregates import Hashed


#: The codes of a column whose records are not in memory.
NO_CODES: Final = np.empty(0, np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class WrittenParts:
    """A release of several files that are well formed and in order.

    `counted` are the tuples that were asked for when the files were read.
    """

    parts: tuple[ListedPart, ...]
    names: tuple[str, ...]
    sha256: str
    size: int
    counted: Tuples
    _paths: tuple[Path, ...]
    _claim: Claim
    _values: dict[str, Values]

    @classmethod
    def read(cls, paths: Sequence[Path], claim: Claim, columns: Sequence[str], hashed: Hashed | None) -> WrittenParts:
        """The release in these files, in their order. One pass over them, in which some tuples are counted.

        Args:
            paths: The files, each with its header.
            claim: What the release says of itself; neither its source nor its lineage is looked at.
            columns: The columns of the tuples that are counted; where there are none, nothing is.
            hashed: The columns whose hashes are summed for each.

        Raises:
            VerificationError: a part is not the plain form of its cells, or the records are out of order.
            FileError: the system failed to read.
        """
        claim = replace(claim, source=_shell(claim))
        if not paths:
            raise fault(TableCheck.BYTES, "there is no part")
        parts, values = list[ListedPart](), dict[str, Values]()

        def passed() -> Iterator[Table]:
            before = None
            for path, content in contents_of(paths, claim):
                parts.append(ListedPart(path.name, content.table.records, content.size, content.sha256))
                before = _check_order(before, content.table, claim, len(parts))
                _add_values(values, content.table)
                yield content.table

        tuples = added(passed(), columns, hashed)
        names = tuple(attribute.name for attribute in claim.schema.released)
        with reading_release():
            sha256, size = digest_of(paths, text=claim.is_text)
        return cls(tuple(parts), names, sha256, size, tuples, tuple(paths), claim, values)

    @property
    def records(self) -> int:
        """How many records there are."""
        return sum(part.records for part in self.parts)

    def distinct(self, name: str) -> Values:
        """The distinct values of a column, and the records with each."""
        return self._values[name]

    def tables(self) -> Iterator[Table]:
        """The parts again, which have to be the same."""
        for part, (_, content) in zip(self.parts, contents_of(self._paths, self._claim), strict=True):
            if content.sha256 != part.sha256:
                raise fault(TableCheck.BYTES, "a part changed while it was verified")
            yield content.table


def _shell(claim: Claim) -> Table:
    """A source without records: parts are read before anything is held against the input."""
    texts = pl.Series(dtype=pl.String)
    how = claim.notations
    columns = (
        Column(one.name, texts, NO_CODES, pl.String(), notation=how.get(one.name)) for one in claim.schema.attributes
    )
    return Table(tuple(columns), 0)


def _check_order(before: Table | None, table: Table, claim: Claim, number: int) -> Table | None:
    """The last record of a part, once all of them ascend, from the last one of the parts before on."""
    quasi = [attribute.name for attribute in claim.schema.quasi]
    found = disorder(table, quasi)
    if found is None and before is not None and table.records:
        found = disorder(joined([before, table.take(np.zeros(1, np.int64))], HEAP), quasi)
    if found is not None:
        raise fault(TableCheck.ORDER, f"{found.what}, in part {number:,} or where it begins")
    return table.take(np.array([table.records - 1])) if table.records else before


def added(tables: Iterable[Table], columns: Sequence[str], hashed: Hashed | None) -> Tuples:
    """The distinct tuples of some columns of tables, added up one table after another; of no columns there are none."""
    found, known = pl.DataFrame(schema={"records": pl.Int64, "sum": pl.UInt64}), tuple[Column, ...]()
    for table in tables:
        if not columns:
            continue
        some = tuples_in(table, columns, hashed)
        texts = as_texts(some.table).with_columns(records=some.counts, sum=pl.Series(some.sums))
        if known:
            whole = pl.concat([found, texts])
            keys = whole.drop("records", "sum")
            texts = summed(keys, whole["records"].to_numpy(), whole["sum"].to_numpy())
        found, known = texts, some.table.columns
    return tuples_of(found, known)


def _add_values(found: dict[str, Values], table: Table) -> None:
    """Add the distinct values of one more part."""
    for column in table.columns:
        texts, counts = column.values, column.counts()
        if before := found.get(column.name):
            both = pl.DataFrame({"0": pl.concat([before.texts, texts])})
            counts = np.concatenate([before.counts, counts])
            whole = summed(both, counts, np.zeros(counts.size, np.uint64))
            texts, counts = whole["0"], whole["records"].to_numpy()
        found[column.name] = Values(texts, counts)


def written_singling(written: WrittenParts, claim: Claim) -> tuple[tuple[Singling, ...], tuple[Singling, ...]]:
    """Whom released columns single out, each and in pairs, and then all together, where each record is a person."""
    names, sets = [one.name for one in claim.schema.unchanged], together_of(claim.schema, claim.answers)
    every = together(written.tables(), written.records, sets, workspace=claim.workspace)
    return singled_out_of(written, names, claim.workspace), every


def singled_out_of(written: WrittenParts, names: Sequence[str], workspace: Workspace = HEAP) -> tuple[Singling, ...]:
    """Whom these columns single out, and pairs of them. Cost: one pass over the parts where pairs are likely to."""
    counts = [written.distinct(name).counts for name in names]
    alone = [
        Singling((name,), int(np.count_nonzero(one == 1)), written.records)
        for name, one in zip(names, counts, strict=True)
    ]
    paired = sorted({place for pair in likely(counts, alone) for place in pair}) if names else []
    if not paired:
        return tuple(alone)
    few = [Table(tuple(table[names[place]] for place in paired), table.records) for table in written.tables()]
    return (*alone, *singled_out(joined(few, workspace).columns)[len(paired) :])
