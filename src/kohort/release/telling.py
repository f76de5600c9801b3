"""What the released columns of a release tell of those that it hides, beyond what the labels of its classes do."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from kohort.assessment.risk.telling import LOOKED_AT, Hidden, tellings
from kohort.errors import LimitError, UnsupportedError
from kohort.tables.people import person_codes
from kohort.tables.recoded import RecodedTable
from kohort.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Index
    from kohort.assessment.risk.telling import Telling
    from kohort.release.job import Job
    from kohort.tables.dataset import ReleasedRecords


def told_of(records: ReleasedRecords, job: Job) -> tuple[Telling, ...]:
    """The hidden columns that released ones tell; see `kohort.assessment.risk.telling`.

    Hidden are quasi-identifiers, by their labels, and perturbed columns, by their cells where equal values stay equal.
    Of a person with several records one counts. Of records elsewhere, tuples of these columns are counted there, and
    of very many only some; where they do not fit into memory, nothing is told.
    """
    schema, fixed = job.schema, {name for one in job.perturbations if one.valuewise for name in one.columns}
    perturbed = [name for one in job.perturbations for name in one.columns]
    names = [one.name for one in schema.unchanged if one.name not in perturbed]
    quasi = [one.name for one in schema.quasi]
    if not records.data.records or not names or not (quasi or perturbed):
        return ()
    with suppress(LimitError, UnsupportedError):
        keys = [] if schema.person is None else [schema.person]
        table, labels = _looked_at(records, [*names, *quasi, *perturbed, *keys], [*quasi, *fixed])
        if schema.person is not None:
            rows = np.unique(person_codes(table[schema.person]), return_index=True)[1]
            table, labels = table.take(rows), {name: of.take(rows) for name, of in labels.items()}
        hidden = [Hidden(table[name], labels.get(name)) for name in (*quasi, *perturbed)]
        return tuple(tellings([table[name] for name in names], hidden, schema.missing))
    return ()


def _looked_at(
    records: ReleasedRecords, names: Sequence[str], labelled: Sequence[str]
) -> tuple[Table, dict[str, Index]]:
    """Some of the released records as they were, and a number for the label of each in some columns."""
    if records.groups is not None:
        classes, table = records.groups.witnesses(names, LOOKED_AT)
        return table, {name: records.groups.label(name).take(classes) for name in labelled}
    data, m = records.data, records.data.records
    rows = np.linspace(0, m - 1, min(m, LOOKED_AT)).astype(np.int64)
    released = data if isinstance(data, RecodedTable) else data.collect()
    source = records.source.collect()
    some = Table(tuple(source[name] for name in names), source.records).take(records.lineage.take(rows))
    return some, {name: released[name].codes.take(rows).astype(np.int64) for name in labelled}
