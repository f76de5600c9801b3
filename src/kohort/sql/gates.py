"""The gates of `kohort.engines.gates` over records that lie in a database: only what is asked of them comes here."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kohort.core.uniques import Singling
from kohort.engines.gates import Tuples
from kohort.sql.verify.aggregated import only
from kohort.tables.table import Table
from kohort.verify.identifiers import few_of, suspects
from kohort.verify.singling import most, singling_of

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from kohort.arrays import Counts
    from kohort.release import Job
    from kohort.schema import Schema
    from kohort.sql.relation import Relation


class RemoteTuples(NamedTuple):
    """The same where each record is a person's, and only what is asked comes here.

    Attributes:
        table: The records that entered.
        released: They, or those that are released.
    """

    table: Relation
    released: Relation
    people: None = None

    def several(self, names: Sequence[str]) -> Sequence[Tuples]:
        """Tuples of the columns: the values of each."""
        columns = map(self.table.values, names)
        return [Tuples(Table((one,), len(one.values)), self.table.distinct(one.name).counts, None) for one in columns]

    def singled_out(self, names: Sequence[str]) -> Sequence[Singling]:
        """Whom pairs of the columns single out. Cost: where the values of the source show that no pair can, nothing."""
        if not names:
            return ()
        likely = np.triu(2 * most([self.table.distinct(name).counts for name in names]) > self.released.records, 1)
        paired = {place for pair in np.argwhere(likely).tolist() for place in pair}
        return singled_out_of(self.released, [names[place] for place in sorted(paired)])

    def tuples(self, names: Sequence[str]) -> tuple[Table, Counts | None]:
        """The tuples of these columns, and how many records have each."""
        found = self.table.tuples(names)
        return found.table, found.counts


def checked_columns(job: Job) -> list[str]:
    """The columns whose values gates ask for."""
    schema = job.schema
    known = [*schema.identifying, *schema.released] if schema.identifying else schema.unchanged
    return [one.name for one in known if not one.released or one.name not in job.allow_singling]


def singled_out_of(data: Relation, names: Sequence[str]) -> tuple[Singling, ...]:
    """Whom these columns single out, and pairs of them, where each record is a person."""
    if not names:
        return ()
    counts = [data.distinct(name).counts for name in names]

    def unique(*columns: int) -> int:
        if len(columns) == 1:
            return int(np.count_nonzero(counts[columns[0]] == 1))
        return data.alone([names[place] for place in columns])

    return singling_of(names, data.records, counts, unique)


def together_in(
    data: Relation, sets: Sequence[Sequence[str]], labels: Container[str], of_class: str
) -> tuple[Singling, ...]:
    """Whom each of some sets of columns singles out; for labels the number of the class stands."""
    found = list[Singling]()
    for names in sets:
        rest = [name for name in names if name not in labels]
        unique = data.alone(rest) if len(rest) == len(names) else data.alone(rest, of_class)
        found.append(Singling((*names,), unique, data.records))
    return tuple(found)


def leaking_of(data: Relation, job: Job) -> Iterator[tuple[Schema, Tuples]]:
    """Tuples of each identifying column and released one in which there may be a leak, by the values of each alone."""
    schema, allowed = job.schema, job.allow_singling
    if not schema.identifying:
        return
    known = {one.name: data.distinct(one.name) for one in schema.identifying}
    held = {one.name: data.distinct(one.name) for one in schema.released if one.name not in allowed}
    for pair in suspects(schema, known, held, few=few_of(job.k), allowed=allowed):
        named = [*pair, *(schema.person is not None and schema.person not in pair) * [str(schema.person)]]
        found = data.tuples(named)
        yield only(schema, named), Tuples(found.table, found.counts, None)
