"""Columns that no release may have, whatever its models: they single people out, or repeat identifiers.

What the gates refuse comes together, with the flags that mend all of it: `refuse_all`.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial
from shlex import quote
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from kohort.assessment.risk.singling import refuse_needless, refuse_singling, roundings
from kohort.assessment.risk.telling import covering
from kohort.core.uniques import Singling
from kohort.engines.repeated import refuse_repeated
from kohort.errors import (
    InfeasibleError,
    InputError,
    JobError,
    LimitError,
    SchemaError,
    UsageError,
    combined,
)
from kohort.schema import Label
from kohort.tables.coded import CodedTable
from kohort.tables.people import person_codes, refuse_spellings
from kohort.tables.perturbing import perturbed
from kohort.tables.table import Column, Table
from kohort.verify.identifiers import few_of, leaks, suspects
from kohort.verify.singling import most, refuse_many, singled_out, singling_of

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Sequence

    from kohort.arrays import Counts, Index
    from kohort.engines.relation import Relation
    from kohort.release import Job
    from kohort.schema import Schema
    from kohort.tables.coded import Recoded
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


def refuse_unsafe(
    held: Tuples | RemoteTuples,
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
        partial(refuse_repeated, job, held.table, held.tuples),
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


def looked_at(job: Job) -> list[str]:
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


def refuse_leaks(leaking: Iterable[tuple[Schema, Tuples]], job: Job) -> None:
    """Refuse released columns that hold cells of identifying ones."""
    faults = dict[str, SchemaError]()
    for schema, (table, counts, _) in leaking:
        every = np.arange(table.records, dtype=np.uint32)
        for one in leaks(schema, table, table, every, k=job.k, allowed=job.allow_singling, weights=counts):
            faults.setdefault(one.released, _leaking(one))
    _raise(list(faults.values()))


def leaking_of(data: Relation, job: Job) -> Iterator[tuple[Schema, Tuples]]:
    """Tuples of each identifying column and released one in which there may be a leak, by the values of each alone."""
    schema, allowed = job.schema, job.allow_singling
    if not schema.identifying:
        return
    from kohort.verify.aggregated import only  # noqa: PLC0415  what verifies in a database, which most tables are not in

    known = {one.name: data.distinct(one.name) for one in schema.identifying}
    held = {one.name: data.distinct(one.name) for one in schema.released if one.name not in allowed}
    for pair in suspects(schema, known, held, few=few_of(job.k), allowed=allowed):
        named = [*pair, *(schema.person is not None and schema.person not in pair) * [str(schema.person)]]
        found = data.tuples(named)
        yield only(schema, named), Tuples(found.table, found.counts, None)


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
    from kohort.schema.patterns.pattern import is_date  # noqa: PLC0415  it compiles what personal data looks like

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
