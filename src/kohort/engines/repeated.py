"""Columns that say whose records are several, where the job counts records."""

from __future__ import annotations

import warnings
from contextlib import suppress
from typing import TYPE_CHECKING, Final, TypeAlias

from kohort.assessment.inspection.panels import FEWEST, RECORDS, are_codes, coarsest, either
from kohort.errors import LimitError, SchemaError, SourceNote, combined
from kohort.schema import Role
from kohort.schema.vocabulary import topics_of
from kohort.tables.people import different_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kohort.arrays import Counts
    from kohort.release import Job
    from kohort.schema import Attribute
    from kohort.tables.dataset import Dataset, Values
    from kohort.tables.table import Table

    #: Tuples of some columns, and the records of each: one, where that is not said.
    _Tuples: TypeAlias = tuple[Table, Counts | None]

#: Of names that say who somebody is: what they may speak of, and what one of them must.
_SPOKEN: Final = frozenset({"id", "person", "name", "number", "whole", "row", "filler"})
_WHO: Final = frozenset({"id", "person", "name"})


def refuse_repeated(job: Job, data: Dataset, tuples: Callable[[Sequence[str]], _Tuples]) -> None:
    """Refuse numbers or codes of people that more than half of the records share with others; none with a person key.

    k records of a class may then be of fewer people. They are identifying by their role; or by their name, where they
    are among the rest, dropped, or released as they are: then they also link a person's records. A column that is
    dropped by name, and one that from 5 % to half of the records share, is told of, as a `SourceNote`. Columns of a
    handful of values, of a place's many records, or whose values do not fit into memory, are left out. Of several
    columns the coarsest is the person key that is proposed, as in a draft.

    Args:
        job: What is to be released; its schema is over the table's columns.
        data: The records.
        tuples: Distinct tuples of some columns, and how many records have each, or the records themselves.
    """
    if job.schema.person is not None:
        return
    refused: list[tuple[Attribute, str]] = []
    told: list[tuple[Attribute, str]] = []
    for one in (one for one in job.schema.attributes if _says_who(one, job)):
        with suppress(LimitError):
            shared, different = _shared(data.distinct(one.name), job)
            what = f"{shared:,} of {data.records:,} records share one of {different:,} values with others"
            if 2 * shared > data.records and not (one.role is Role.DROP and one.name not in job.schema.undeclared):
                refused.append((one, what))
            elif 20 * shared > data.records:
                told.append((one, what))
    keys = _keys([one.name for one, _ in (*refused, *told)], tuples, job.schema.missing)
    for column, what in told:
        note = f"{column.name}: {what}. {_WHY.capitalize()}: {_advice(keys) or _count(column.name)}"
        warnings.warn(SourceNote(note), stacklevel=3)
    faults = [_refused(*one, keys) for one in refused]
    if faults:
        raise combined("classes may have fewer than k people", faults)


_WHY: Final = "if the column identifies people, classes may have fewer than k people"


def _count(name: str) -> str:
    return f"count people (--person {name})"


def _keys(names: Sequence[str], tuples: Callable[[Sequence[str]], _Tuples], missing: frozenset[str]) -> Sequence[str]:
    """The columns by one of which people are counted, of several; none where it is one, or memory does not suffice."""
    if len(names) > 1:
        with suppress(LimitError):
            table, counts = tuples(names)
            return coarsest([table[name] for name in names], missing, counts)
    return ()


def _advice(keys: Sequence[str]) -> str:
    if len(keys) == 1:
        return f"count people by {keys[0]}, the coarsest (--person {keys[0]})"
    return f"does {either(keys)} identify the person of a record? If so, count people (--person)" if keys else ""


def _refused(one: Attribute, what: str, keys: Sequence[str]) -> SchemaError:
    """The error of a column; which of several keys it is that is to be counted by, no flag can know."""
    advice = _advice(keys) or f"count people: --person {one.name}"
    hint = f"{advice} (in a job file person.key); if not,"
    if one.released and not one.pseudonym:
        hint += f" --allow-singling {one.name} releases it as it is (allow-singling = true, Job.allow_singling)"
    else:
        hint += f" drop it by name: --drop {one.name}"
    where, key = f"column {one.name}", keys[0] if keys else one.name
    if len(keys) > 1:
        return SchemaError(f"{what}: {_WHY}", where=where, hint=hint)
    return SchemaError(f"{what}: {_WHY}", where=where, hint=hint, unsafe=(one.name,), flag=("--person", key))


def _shared(values: Values, job: Job) -> tuple[int, int]:
    """The records that share a value with others, and the different values; no records where they are not people's."""
    texts, counts = different_keys(values, job.schema.missing)
    of_people = len(texts) >= FEWEST and counts.sum() <= len(texts) * RECORDS and are_codes(texts)
    return int(counts[counts > 1].sum()) if of_people else 0, len(texts)


def _says_who(attribute: Attribute, job: Job) -> bool:
    """Whether a column says who somebody is: so its role says, or its name, unless it is generalized or allowed to."""
    if attribute.role is Role.IDENTIFYING and attribute.name not in job.schema.undeclared:
        return True
    topics = topics_of(attribute.name).keys()
    named = bool(topics & _WHO) and topics <= _SPOKEN
    return named and attribute.role is not Role.QUASI and attribute.name not in job.allow_singling
