"""Identifying columns that say whose records are several, where the job counts records."""

from __future__ import annotations

import warnings
from contextlib import suppress
from typing import TYPE_CHECKING

from kohort.assessment.inspection.panels import FEWEST, OFTEN, RECORDS, are_codes
from kohort.errors import LimitError, SourceNote
from kohort.schema import Role
from kohort.schema.vocabulary import topics_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from kohort.release import Job
    from kohort.schema import Attribute
    from kohort.tables.table import Texts


def note_repeated(job: Job, records: int, values: Callable[[str], Texts]) -> None:
    """Tell, as a `SourceNote`, of identifying numbers or codes that several records share; none with a person key.

    k records of a class may then be of fewer people, also where the column is dropped and only its name says that it
    identifies. Columns of a handful of values, or whose values do not fit into memory, are left out.

    Args:
        job: What is to be released.
        records: How many there are.
        values: The distinct values of a column.
    """
    if job.schema.person is not None:
        return
    for name in (one.name for one in job.schema.attributes if _says_who(one)):
        with suppress(LimitError):
            found = values(name).drop_nulls()
            found = found.filter(~found.is_in([*job.schema.missing]))
            share = len(found) >= FEWEST and len(found) * OFTEN <= records <= len(found) * RECORDS
            if share and are_codes(found):
                note = (
                    f"{name} has {len(found):,} values in {records:,} records. If it says whose they are, those of a"
                    f" class may be of fewer than k people: name it as the person key to count people (--person {name})"
                )
                warnings.warn(SourceNote(note), stacklevel=3)


def _says_who(attribute: Attribute) -> bool:
    """Whether a column identifies: so its role says, or, of one that is dropped, its name."""
    dropped = attribute.role is Role.DROP and not {"id", "person"}.isdisjoint(topics_of(attribute.name))
    return attribute.role is Role.IDENTIFYING or dropped
