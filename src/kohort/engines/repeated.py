"""Identifying columns that say whose records are several, where the job counts records."""

from __future__ import annotations

import warnings
from contextlib import suppress
from typing import TYPE_CHECKING

from kohort.assessment.inspection.panels import FEWEST, RECORDS, are_codes
from kohort.errors import JobError, LimitError, SchemaError, SourceNote
from kohort.schema import Role
from kohort.schema.vocabulary import topics_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from kohort.release import Job
    from kohort.schema import Attribute
    from kohort.tables.dataset import Values


def refuse_repeated(job: Job, records: int, values: Callable[[str], Values]) -> None:
    """Refuse identifying numbers or codes that more than half of the records share with others; none with a person key.

    k records of a class may then be of fewer people. They are identifying by their role; or by their name, where they
    are dropped or among the rest. A column that is dropped by name, and one that from 5 % to half of the records share,
    is told of, as a `SourceNote`. Columns of a handful of values, of a place's many records, or whose values do not fit
    into memory, are left out.

    Args:
        job: What is to be released; its schema is over the table's columns.
        records: How many there are.
        values: The distinct values of a column.

    Raises:
        SchemaError: there is such a column.
        JobError: there are several.
    """
    if job.schema.person is not None:
        return
    faults: list[SchemaError] = []
    for one in job.schema.attributes:
        declared = one.name not in job.schema.undeclared
        with suppress(LimitError):
            shared, different = _shared(values(one.name), job) if _says_who(one, declared=declared) else (0, 0)
            what = f"{shared:,} of {records:,} records share one of {different:,} values with others"
            why = "if it says whose they are, classes may be of fewer than k people"
            if 2 * shared > records and not (declared and one.role is Role.DROP):
                hint = f"count people: --person {one.name} (in a job file person.key); if it says no such thing,"
                hint += f" drop it by name: --drop {one.name}"
                faults.append(SchemaError(f"{what}: {why}", where=f"column {one.name}", hint=hint))
            elif 20 * shared > records:
                note = f"{one.name}: {what}. {why.capitalize()}: count people by it (--person {one.name})"
                warnings.warn(SourceNote(note), stacklevel=3)
    if faults:
        raise faults[0] if len(faults) == 1 else JobError("classes may be of fewer than k people", faults)


def _shared(values: Values, job: Job) -> tuple[int, int]:
    """The records that share a value with others, and the different values; no records where they are not people's."""
    absent = values.texts.is_in([*job.schema.missing]).fill_null(value=True)
    texts, counts = values.texts.filter(~absent), values.counts[~absent.to_numpy()]
    of_people = len(texts) >= FEWEST and counts.sum() <= len(texts) * RECORDS and are_codes(texts)
    return int(counts[counts > 1].sum()) if of_people else 0, len(texts)


def _says_who(attribute: Attribute, *, declared: bool) -> bool:
    """Whether a column identifies: so its role says, or, of one that is dropped or of the rest, its name."""
    if attribute.role is Role.IDENTIFYING and declared:
        return True
    hidden = attribute.role in {Role.IDENTIFYING, Role.DROP}
    return hidden and not {"id", "person"}.isdisjoint(topics_of(attribute.name))
