"""Judge a perturbed copy of a table from its written bytes: what was changed is what is said, and nothing else was."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from kohort.schema import Attribute, Role, Schema
from kohort.verify.altered import check_perturbed
from kohort.verify.reading import read
from kohort.verify.records import check_cells, check_records
from kohort.verify.verdict import Claim

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.engines.table import Table
    from kohort.perturb.effect import Effect


def verify_perturbed(
    file: BinaryIO,
    source: Table,
    effects: Sequence[Effect],
    *,
    format_: str = "csv",
    excel_safe: bool = False,
    missing: frozenset[str] = frozenset({""}),
) -> str:
    r"""The sha256 of a file that holds every record of `source`, in its order, changed as the effects say.

    Args:
        file: Open, at its start.
        source: The table as it was.
        effects: One for each perturbed column; the cells of all others are those of the source.
        format_: The file's format, by the names of `kohort.io.write.Format`.
        excel_safe: Whether cells that look like formulas were given an apostrophe.
        missing: Texts that mean no value.

    Raises:
        VerificationError: it does not.

    >>> import io
    >>> import polars as pl
    >>> from kohort.io.typed import from_frame
    >>> people = from_frame(pl.DataFrame({"name": ["Ada", "Bo"]}))
    >>> verify_perturbed(io.BytesIO(b"name\nAda\nAda\n"), people, ())
    Traceback (most recent call last):
    kohort.errors.VerificationError: 1 cells differ from the input's
      where: check cells, column name
      hint: nothing was published; please report this, with the job but without the data
    """
    schema = Schema(tuple(Attribute(name, Role.INSENSITIVE) for name in source.names), missing)
    lineage = np.arange(source.records)
    claim = Claim(schema, (), source, lineage, format=format_, excel_safe=excel_safe, effects=tuple(effects))
    reading = read(file, claim)
    check_records(reading.table, claim)
    told = {one.column: one for one in effects}
    for column in reading.table.columns:
        if column.name in told:
            check_perturbed(column, claim, told[column.name])
        else:
            check_cells(column, claim)
    return reading.sha256
