"""The gates: columns that no release may have, whatever its models, since they single people out or repeat identifiers.

What the gates refuse comes together, with the flags that mend all of it: `refuse_all`.
"""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import replace
from functools import partial
from shlex import quote
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, TypeAlias

import numpy as np

from kohort.assessment.inspection.panels import FEWEST, RECORDS, are_codes, coarsest, either
from kohort.assessment.risk.singling import refuse_needless, refuse_singling, roundings
from kohort.assessment.risk.telling import covering
from kohort.core.uniques import Singling
from kohort.errors import (
    InfeasibleError,
    InputError,
    JobError,
    LimitError,
    SchemaError,
    SourceNote,
    UsageError,
    combined,
)
from kohort.schema import Label, Role
from kohort.schema.vocabulary.topics import topics_of
from kohort.tables.coded import CodedTable
from kohort.tables.people import different_keys, person_codes, refuse_spellings
from kohort.tables.perturbing import perturbed
from kohort.tables.table import Column, Table
from kohort.verify.identifiers import leaks
from kohort.verify.singling import refuse_many, singled_out

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from kohort.arrays import Counts, Index
    from kohort.release import Job
    from kohort.schema import Attribute, Schema
    from kohort.tables.coded import Recoded
    from kohort.tables.dataset import Dataset, Values
    from kohort.verify.identifiers import Leak

    #: What refuses columns: it raises a `SchemaError`, or a `JobError` of several.
    Gate: TypeAlias = Callable[[], None]


def refuse_all(gates: Sequence[Gate], further: Callable[[Sequence[UsageError]], Sequence[Gate]]) -> None:
    """Refuse at once what any of the gates refuses, and then what further ones do, with the flags that mend it.

    Args:
        gates: What is asked first.
        further: The gates that cost more, which are asked only where the first refuse something already: by the faults.

    Raises:
        SchemaError: one column is refused.
        JobError: several are; the hint has the flags.
    """
    faults = _refused(gates)
    if faults:
        faults += _refused(further(faults))
        mend, [first, *others] = _mend(faults), faults
        if not others and mend.rpartition(" ")[2] not in first.hint:  # its own hint looks at no pairs
            raise SchemaError(first.what, where=first.where, hint=f"{first.hint}; {mend}")
        raise combined("the release would identify people", faults, mend)


def _refused(gates: Sequence[Gate]) -> list[UsageError]:
    found = list[UsageError]()
    for gate in gates:
        try:
            gate()
        except JobError as fault:
            found += fault.faults
        except SchemaError as fault:
            found.append(fault)
    return found


def _mend(faults: Sequence[UsageError]) -> str:
    """The flags that mend what flags can mend; a column that is dropped needs no other."""
    unsafe = [one for one in faults if isinstance(one, SchemaError) and one.unsafe]
    dropped = dict.fromkeys(name for one in unsafe if not one.flag for name in one.unsafe)
    flags = dict.fromkeys(one.flag for one in unsafe if one.flag and not dropped.keys() & one.unsafe)
    pairs = [*([("--drop", ",".join(map(quoted, dropped)))] if dropped else []), *flags]
    mend = " ".join(f"{flag} {quote(value)}" for flag, value in pairs)
    return mend and f"these flags fix {'all of this' if len(faults) == len(unsafe) else 'the rest'}: {mend}"


def quoted(name: str) -> str:
    """A column's name for a flag that lists some."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"' if {",", '"'} & {*name} else name


def without(faults: Sequence[UsageError], job: Job, *, rounding: bool = False) -> Job:
    """The job with the columns allowed that the faults are about; unless they are only rounded, where this is done."""
    unsafe = [one for one in faults if isinstance(one, SchemaError) and not (rounding and one.flag)]
    return replace(job, allow_singling=(*job.allow_singling, *(name for one in unsafe for name in one.unsafe)))


def _coarsen(held: Tuples, faults: Sequence[UsageError], job: Job) -> None:
    """Have the flags round in coarser steps, up to a standard deviation, where pairs of columns need it.

    Those of columns that no step helps are taken away: the columns are dropped.
    """
    table, weights, people = held
    rounded = {
        one.unsafe[0]: one for one in faults if isinstance(one, SchemaError) and one.flag and one.flag[0] == "--perturb"
    }
    released = unaccepted(without(faults, job, rounding=True))
    others = [table[name] for name in released if name not in rounded]

    def safe(made: Sequence[Column]) -> bool:
        found = singled_out([*others, *made], people)
        return not any(one.most and rounded.keys() & one.columns for one in found if len(one.columns) > 1)

    columns = [table[name] for name in rounded]
    steps, _ = roundings(columns, k=job.k, missing=job.schema.missing, people=people, weights=weights, safe=safe)
    for name, one in rounded.items():
        one.flag = ("--perturb", steps[name].perturbation(name)) if name in steps else None


def unaccepted(job: Job) -> list[str]:
    """The columns that are released as they are, and are not allowed to single people out."""
    return [one.name for one in job.schema.unchanged if one.name not in job.accepted]


def coarsened(table: Table, job: Job) -> Table | None:
    """The columns that a model is about and a perturbation changes value by value, as it leaves them.

    Search, release and verification judge these values: rounded incomes, say. `None` where there are no such columns.
    """
    judged = {model.declared.sensitive for model in job.models}
    chosen = tuple(one for one in job.perturbations if one.valuewise and judged.intersection(one.columns))
    if not chosen:
        return None
    some = Table(tuple(table[name] for one in chosen for name in one.columns), table.records)
    return perturbed(some, chosen, missing=job.schema.missing, seed=None)


def with_columns(table: Table, other: Table | None) -> Table:
    """The table with the columns of another in place of its own of the same names."""
    if other is None:
        return table
    return Table(tuple(other[one.name] if one.name in other.names else one for one in table.columns), table.records)


class TupleSource(Protocol):
    """Records by the tuples of some columns, wherever they lie: what the gates ask before a search."""

    @property
    def table(self) -> Dataset:
        """The records, or their tuples."""
        ...

    @property
    def people(self) -> Index | None:
        """Whose they are; `None` where each record is a person's."""
        ...

    def several(self, names: Sequence[str], /) -> Sequence[Tuples]:
        """Tuples of the columns: of all in one, or of each."""
        ...

    def singled_out(self, names: Sequence[str], /) -> Sequence[Singling]:
        """Whom the columns single out, and pairs of them."""
        ...

    def tuples(self, names: Sequence[str], /) -> tuple[Table, Counts | None]:
        """Tuples of at least these columns, and how many records have each; `None` where each is one."""
        ...


class Tuples(NamedTuple):
    """Records by the tuples of some columns, as the gates look at them.

    Attributes:
        table: The tuples.
        counts: (t,) the records of each; `None` where each is one.
        people: (t,) whose they are; `None` where each record is a person's.
    """

    table: Table
    counts: Counts | None
    people: Index | None

    def several(self, _names: Sequence[str]) -> Sequence[Tuples]:
        """Tuples of the columns: all in one."""
        return [self]

    def singled_out(self, names: Sequence[str]) -> Sequence[Singling]:
        """Whom the columns single out, and pairs of them."""
        return singled_out([self.table[name] for name in names], self.people)

    def tuples(self, _names: Sequence[str]) -> tuple[Table, Counts | None]:
        """Tuples of at least these columns, and how many records have each."""
        return self.table, self.counts


def refuse_unsafe(
    held: TupleSource,
    leaking: Iterable[tuple[Schema, Tuples]],
    job: Job,
    coded_: Callable[[], CodedTable],
) -> None:
    """Refuse what can be seen before the search; the job's schema is over the columns of the records.

    Args:
        held: The records.
        leaking: Tuples in which identifying columns stand beside released ones, with a schema over them.
        job: The job.
        coded_: The quasi-identifiers in codes.

    Raises:
        SchemaError: a column that would be released as it is singles out more than half of the people, or a released
            one holds cells of an identifying one, and the job does not allow it.
        JobError: there are several such columns.
        LimitError: so many would be released as they are that their pairs cannot all be looked at.
        InputError: identifiers that pseudonyms are to stand for are spelled in several ways.
    """
    schema, missing, people = job.schema, job.schema.missing, held.people is not None
    refuse_many(len(schema.unchanged))
    for one in schema.pseudonyms:
        several = "each spelling would get its own pseudonym"
        refuse_spellings(held.tuples([one.name])[0][one.name], f"column {one.name}", several)
    changed = {name for one in job.perturbations for name in one.columns}
    names = [name for name in unaccepted(job) if name not in changed]

    def refuse_columns(one: Tuples) -> None:
        own = [name for name in names if name in one.table.names]
        refuse_singling(one.table, own, missing=missing, people=one.people, weights=one.counts, k=job.k)

    def further(faults: Sequence[UsageError]) -> list[Gate]:
        left = without(faults, job)
        if isinstance(held, Tuples):
            _coarsen(held, faults, job)
        return [partial(refuse_sets, coded_, job), partial(refuse_pairs, held.singled_out, left, of_people=people)]

    gates: list[Gate] = [
        partial(refuse_needless, schema, job.allow_singling),
        *(partial(refuse_columns, one) for one in held.several(names)),
        partial(refuse_leaks, leaking, job),
        partial(refuse_repeated, held, job),
    ]
    refuse_all(gates, further)


def refuse_released(recoded: Recoded, source: Table, job: Job) -> None:
    """Refuse perturbed columns that single people out as they are released, and pairs of columns that do."""
    names = [name for one in job.perturbations for name in one.columns if name not in job.accepted]
    person, missing = job.schema.person, job.schema.missing
    people = None if person is None else person_codes(source[person]).take(recoded.lineage)

    def found(names: Sequence[str]) -> Sequence[Singling]:
        return singled_out([recoded.data[name] for name in names], people)

    pairs = partial(refuse_pairs, found, job, of_people=people is not None)
    if names:
        alone = partial(refuse_singling, recoded.table, names, missing=missing, people=people, k=job.k)
        refuse_all([alone], lambda _: [pairs])
    pairs()


def refuse_pairs(found: Callable[[Sequence[str]], Sequence[Singling]], job: Job, *, of_people: bool) -> None:
    """Refuse pairs of columns, none of them allowed to, that together single out more than half of the people.

    Args:
        found: Whom some columns single out, and pairs of them.
        job: The job.
        of_people: Whether people are counted, not records.
    """
    pairs = [one for one in found(unaccepted(job)) if len(one.columns) > 1 and one.most]
    if not pairs:
        return
    who = "people" if of_people else "records"
    worst, columns = pairs[0], covering([one.columns for one in pairs])
    named = ", ".join(columns)
    others = f" (and {len(pairs) - 1} more pairs more than half of them)" if len(pairs) > 1 else ""
    raise SchemaError(
        f"{worst.unique:,} of {worst.people:,} {who} can be identified by {' and '.join(worst.columns)} together"
        f"{others}",
        where=f"column{'s' if ',' in named else ''} {named}",
        hint=f"make quasi-identifying, drop or round: {named}; to release as it is: --allow-singling"
        f" {named.replace(', ', ',')} (in a job file allow-singling = true, in Python Job.allow_singling)",
        unsafe=columns,
    )


def refuse_leaks(leaking: Iterable[tuple[Schema, Tuples]], job: Job) -> None:
    """Refuse released columns that hold cells of identifying ones."""
    faults = dict[str, SchemaError]()
    for schema, (table, counts, _) in leaking:
        every = np.arange(table.records, dtype=np.uint32)
        for one in leaks(schema, table, table, every, k=job.k, allowed=job.allow_singling, weights=counts):
            faults.setdefault(one.released, _leaking(one))
    _raise(list(faults.values()))


def _raise(faults: list[SchemaError], what: str = "released columns hold identifiers") -> None:
    if faults:
        raise combined(what, faults)


def refuse_listed(coded: CodedTable, job: Job) -> None:
    """Refuse quasi-identifiers whose values a release would list in sets although most people have one of their own.

    Names without a hierarchy are released as sets of values. Postal codes, or dates in no form that is known, are then
    written out person by person. A column whose label is said to be a set is not refused.
    """
    _raise(
        [
            _listed(coded.table[given.name], one)
            for domain, given in zip(coded.domains, job.schema.quasi, strict=True)
            if domain.label is Label.SET and given.label is not Label.SET and given.name not in job.allow_singling
            for one in [_own_values(coded, given.name)]
            if one.most and one.people >= job.k  # fewer are no class, which is for the search to say
        ],
        "columns would be released as lists of people's values",
    )


def refuse_sets(coded: Callable[[], CodedTable], job: Job) -> None:
    """The same before anything is coded, if the values have their places: where they have none, that is told later."""
    with suppress(InputError, LimitError, InfeasibleError):
        refuse_listed(coded(), job)


def coded(table: Table, job: Job) -> CodedTable:
    """The table, its quasi-identifiers in codes of its values as the search judges them."""
    return CodedTable(with_columns(table, coarsened(table, job)), job.schema)


def _own_values(coded: CodedTable, name: str) -> Singling:
    column, person = coded.table[name], coded.schema.person
    counts = coded.records_with(column)
    if person is not None:
        whose = person_codes(coded.table[person])
        pairs = np.unique(whose * counts.size + column.codes)
        counts = np.bincount(pairs % counts.size, minlength=counts.size)
    present = ~column.absent(coded.schema.missing)
    return Singling((name,), int(np.count_nonzero(present & (counts == 1))), int(counts.sum()))


def _listed(column: Column, one: Singling) -> SchemaError:
    from kohort.schema.patterns import is_date  # noqa: PLC0415  it compiles what personal data looks like

    name, values = column.name, column.values.drop_nulls().to_list()
    dates = sum(map(is_date, values))
    how = f"--hierarchy {name}=mask:right for a code, or a file"
    if 2 * dates > len(values):
        how = f"{dates:,} of {len(values):,} values are dates: write all in one form, name it with --date-format,"
        how += f" declare missing values with --missing-token, or give --hierarchy {name}=FILE"
    return SchemaError(
        f"{one.unique:,} of {one.people:,} people have a value of their own, which a release would list in sets",
        where=f"column {name}",
        hint=f"generalize the column: {how}; or drop it; to release such sets: --allow-singling {name}"
        " (in a job file allow-singling = true, in Python Job.allow_singling)",
        unsafe=(name,),
        flag=None if 2 * dates > len(values) else ("--hierarchy", f"{name}=mask:right"),
    )


def _leaking(one: Leak) -> SchemaError:
    return SchemaError(
        one.told,
        where=f"column {one.released}",
        hint=f"drop the column, or remove the identifiers; to release it as it is: --allow-singling {one.released}"
        " (in a job file allow-singling = true, in Python Job.allow_singling)",
        unsafe=(one.released,),
    )


# ── columns that say whose records are several, where the job counts records ─────────────────────

#: Of names that say who somebody is: what they may speak of, and what one of them must.
_SPOKEN: Final = frozenset({"id", "person", "name", "number", "whole", "row", "filler"})
_WHO: Final = frozenset({"id", "person", "name"})


def refuse_repeated(held: TupleSource, job: Job) -> None:
    """Refuse numbers or codes of people that more than half of the records share with others; none with a person key.

    k records of a class may then be of fewer people. They are identifying by their role; or by their name, where they
    are among the rest, dropped, or released as they are: then they also link a person's records. A column that is
    dropped by name, and one that from 5 % to half of the records share, is told of, as a `SourceNote`. Columns of a
    handful of values, of a place's many records, or whose values do not fit into memory, are left out. Of several
    columns the coarsest is the person key that is proposed, as in a draft.

    Args:
        held: The records.
        job: What is to be released; its schema is over their columns.
    """
    if job.schema.person is not None:
        return
    refused: list[tuple[Attribute, str]] = []
    told: list[tuple[Attribute, str]] = []
    for one in (one for one in job.schema.attributes if _says_who(one, job)):
        with suppress(LimitError):
            shared, different = _shared(held.table.distinct(one.name), job)
            what = f"{shared:,} of {held.table.records:,} records share one of {different:,} values with others"
            if 2 * shared > held.table.records and not (
                one.role is Role.DROP and one.name not in job.schema.undeclared
            ):
                refused.append((one, what))
            elif 20 * shared > held.table.records:
                told.append((one, what))
    keys = _keys([one.name for one, _ in (*refused, *told)], held, job.schema.missing)
    for column, what in told:
        note = f"{column.name}: {what}. {_WHY.capitalize()}: {_advice(keys) or _count(column.name)}"
        warnings.warn(SourceNote(note), stacklevel=3)
    faults = [_repeated(*one, keys) for one in refused]
    if faults:
        raise combined("classes may have fewer than k people", faults)


_WHY: Final = "if the column identifies people, classes may have fewer than k people"


def _count(name: str) -> str:
    return f"count people (--person {name})"


def _keys(names: Sequence[str], held: TupleSource, missing: frozenset[str]) -> Sequence[str]:
    """The columns by one of which people are counted, of several; none where it is one, or memory does not suffice."""
    if len(names) > 1:
        with suppress(LimitError):
            table, counts = held.tuples(names)
            return coarsest([table[name] for name in names], missing, counts)
    return ()


def _advice(keys: Sequence[str]) -> str:
    if len(keys) == 1:
        return f"count people by {keys[0]}, the coarsest (--person {keys[0]})"
    return f"does {either(keys)} identify the person of a record? If so, count people (--person)" if keys else ""


def _repeated(one: Attribute, what: str, keys: Sequence[str]) -> SchemaError:
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
