"""The equivalence classes of a table as it stands, the people in them, and what privacy models may know of them.

A class is the records whose cells are equal in the quasi-identifying columns; a missing value is a value. People are
counted where a person key says which records are of the same person; without one each record is a person.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import reduce
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kohort.core.frequency import ClassProfile, FrequencySet, batches, group, histogram_of, people_in
from kohort.errors import InputError, SchemaError
from kohort.errors.display import many
from kohort.models.base import Achieved, Declaration, satisfied_jointly
from kohort.schema import Attribute, Role
from kohort.schema.sensitive import resolve
from kohort.tables.people import note_spellings, person_codes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from kohort.arrays import Codes, Counts, Index, Mask
    from kohort.models.base import PrivacyModel
    from kohort.schema import Schema
    from kohort.schema.sensitive import SensitiveDomain
    from kohort.tables.table import Column, Table


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """Equivalence classes: the tuples of a frequency set that agree in some columns.

    Attributes:
        of: (t,) the class of each tuple.
        first: (c,) a tuple of each class.
        codes: (c, d) what the tuples of each class have in common.
        sizes: (c,) people of each class; records, without a person key.
    """

    of: Index
    first: Index
    codes: Codes
    sizes: Counts


def classes_of(frequency: FrequencySet, columns: Sequence[int] | None = None) -> Classes:
    """The classes of the tuples that agree in `columns`, or in all.

    >>> tuples = np.array([[0, 1], [0, 1], [1, 1]], np.uint32)
    >>> found = classes_of(FrequencySet(tuples, np.empty((3, 0), np.uint32), np.array([2, 1, 4])))
    >>> found.of.tolist(), found.sizes.tolist()
    ([0, 0, 1], [3, 4])
    """
    chosen = frequency.quasi if columns is None else frequency.quasi[:, [*columns]]
    codes: NDArray[np.uint32] = np.ascontiguousarray(chosen, np.uint32)
    grouping = group(codes)
    sizes = people_in(grouping.of, grouping.first.size, frequency.counts, frequency.people)
    return Classes(grouping.of, grouping.first, codes[grouping.first], sizes)


def records_of(columns: Sequence[NDArray[np.integer]], people: Index | None = None) -> FrequencySet:
    """The records of some columns, at least one, each a tuple of its own.

    Args:
        columns: (n,) codes each.
        people: (n,) the person of each record.
    """
    quasi = np.stack([codes.astype(np.uint32) for codes in columns], axis=1)
    return FrequencySet(quasi, np.empty((len(quasi), 0), np.uint32), np.ones(len(quasi), np.int64), people=people)


def tuples_of(table: Table, names: Sequence[str], person: str | None = None) -> FrequencySet:
    """The distinct tuples of the columns `names`; with a person key none is of two people.

    >>> from kohort.io import read
    >>> import polars as pl
    >>> found = tuples_of(read(pl.DataFrame({"city": ["Bari", "Roma", "Bari"]})), ["city"])
    >>> found.counts.tolist(), found.records
    ([2, 1], 3)
    """
    whose = [person_codes(table[person])] if person else []
    every = records_of([*(table[name].codes for name in names), *whose]).quasi
    grouping = group(every)
    tuples = every[grouping.first]
    people = tuples[:, -1].astype(np.int64) if person else None
    quasi: NDArray[np.uint32] = np.ascontiguousarray(tuples[:, : len(names)], np.uint32)
    return FrequencySet(quasi, np.empty((len(quasi), 0), np.uint32), grouping.counts, people=people)


def person_ids(table: Table, key: str | None, missing: Collection[str]) -> Index | None:
    """(n,) a number for the person of each record; `None` without a person key."""
    if key is None:
        return None
    column = named_column(table, key)
    without = np.array([value is None or value in missing for value in column.values.to_list()])
    if without.any():
        raise InputError(
            f"{many(int(column.counts()[without].sum()), 'record has', 'records have')} no person key",
            where=f"column {column.name}",
            hint="fill in the missing keys: to count people, every record needs one",
        )
    note_spellings(column)
    return person_codes(column)


def named_column(table: Table, name: str) -> Column:
    """The column called `name`."""
    if name not in table.names:
        near = " or ".join(get_close_matches(name, table.names))
        raise SchemaError(f"no column is called {name}", hint=near and f"did you mean {near}?")
    return table[name]


@dataclass(frozen=True, slots=True, eq=False)
class SizeDistribution:
    """How many people are in classes of each size.

    Attributes:
        sizes: (j,) the different class sizes, ascending.
        people: (j,) people whose smallest class has this size; records, without a person key.
    """

    sizes: Counts
    people: Counts

    @property
    def total(self) -> int:
        """The number of people."""
        return int(self.people.sum())


def sizes_of(frequency: FrequencySet, of: Index, sizes: Counts) -> SizeDistribution:
    """How many people are in classes of each size, where tuple i lies in class `of[i]` of `sizes[of[i]]`.

    Somebody with records in several classes counts where the class is smallest.
    """
    own, weights = sizes[of], frequency.counts
    if frequency.people is not None:
        least = np.full(int(frequency.people.max()) + 1, np.iinfo(np.int64).max)
        np.minimum.at(least, frequency.people, own)
        own = least[least < np.iinfo(np.int64).max]
        weights = np.ones_like(own)
    values, place = np.unique(own, return_inverse=True)
    return SizeDistribution(values, np.bincount(place, weights=weights, minlength=values.size).astype(np.int64))


class FileClasses(NamedTuple):
    """The people of a file by what an attacker knows of them.

    Attributes:
        frequency: The tuples of the quasi-identifiers.
        classes: Their classes, by the columns that are known.
        people: How many people are in classes of each size.
    """

    frequency: FrequencySet
    classes: Classes
    people: SizeDistribution


def file_classes(frequency: FrequencySet, columns: Sequence[int] | None = None) -> FileClasses:
    """The people of `frequency` by some of its columns, or by all."""
    classes = classes_of(frequency, columns)
    return FileClasses(frequency, classes, sizes_of(frequency, classes.of, classes.sizes))


#: Of whoever looks at the values of a class alone.
_OF_VALUES: Final = Declaration(monotone_generalization=True, monotone_suppression=True, some_values=True)


@dataclass(frozen=True, slots=True, eq=False)
class TableProfile:
    """The classes of a table and what models may know of them; sensitive values are counted for some classes at a time.

    Attributes:
        columns: (d,) the quasi-identifying columns.
        classes: Their classes.
        records: (c,) records of each class.
        whole: The people of each class and of the population, without sensitive values.
        frequency: The records with their sensitive values.
        texts: For each sensitive attribute, a text of each of its values.
    """

    columns: tuple[Column, ...]
    classes: Classes
    records: Counts
    whole: ClassProfile
    frequency: FrequencySet
    texts: Mapping[str, tuple[str, ...]]

    def with_population(self, population: Counts, outside: int) -> TableProfile:
        """The same profile, with the people of the population whom each class fits, and how many fit none."""
        return replace(self, whole=replace(self.whole, population=population, outside=outside))

    def cells(self, one: int) -> tuple[str | None, ...]:
        """The quasi-identifying cells of a class."""
        pairs = zip(self.columns, self.classes.codes[one].tolist(), strict=True)
        return tuple(column.values[code] for column, code in pairs)

    def satisfied(self, model: PrivacyModel) -> Mask:
        """(c,) which classes satisfy the model alone."""
        return np.concatenate([np.empty(0, np.bool_), *(model.satisfied(part) for part in self._parts(model.declared))])

    def satisfied_jointly(self, model: PrivacyModel) -> bool:
        """Whether they satisfy it together: all of them, unless the model judges them as one."""
        if model.declared.joint:
            return all(satisfied_jointly(model, part) for part in self._parts(model.declared))
        return bool(self.satisfied(model).all())

    def achieved(self, model: PrivacyModel) -> tuple[Achieved, ...]:
        """The strictest parameters with which the classes, one at least, satisfy the model together."""
        parts = [model.achieved(part) for part in self._parts(model.declared)]
        return tuple(reduce(Achieved.joined, one) for one in zip(*parts, strict=True))

    def alike(self, sensitive: str) -> tuple[int, int]:
        """People with a value of the attribute in classes where only one occurs; those whose value is no common one.

        Common is a value that more than half of all have.
        """
        histograms = [part.of(sensitive).counts for part in self._parts(replace(_OF_VALUES, sensitive=sensitive))]
        alone = sum(counts[np.count_nonzero(counts, axis=1) == 1].sum(axis=0) for counts in histograms)
        totals = np.asarray(sum(counts.sum(axis=0) for counts in histograms))
        common = np.asarray(alone)[2 * totals > totals.sum()].sum()
        return int(np.sum(alone)), int(np.sum(alone) - common)

    def counts(self, sensitive: str, one: int) -> list[tuple[str, int]]:
        """The values of a sensitive attribute in a class, each with the number of people who have it."""
        place = [domain.name for domain in self.frequency.sensitive_domains].index(sensitive)
        rows = np.flatnonzero(self.classes.of == one)
        records = self.frequency.take(rows, self.frequency.counts[rows])
        counts: list[int] = histogram_of(records, place, np.zeros_like(rows), 1).counts[0].tolist()
        return [(text, count) for text, count in zip(self.texts[sensitive], counts, strict=True) if count]

    def _parts(self, declared: Declaration) -> Iterator[ClassProfile]:
        """Profiles of consecutive classes, as a model needs them; of all at once where it judges them together."""
        if declared.sensitive is None:
            yield self.whole
            return
        domains, people = self.frequency.sensitive_domains, self.frequency.people
        place = [domain.name for domain in domains].index(declared.sensitive)
        sizes, codes = self.records, self.frequency.sensitive[:, place]
        parts = batches(sizes, len(domains[place]), some_values=declared.some_values)
        by_class, upto = np.argsort(self.classes.of, kind="stable"), np.append(0, np.cumsum(sizes))
        for some, few in [(slice(0, sizes.size), False)] if declared.joint else parts:
            rows = by_class[upto[some.start] : upto[some.stop]]
            records = FrequencySet(
                np.empty((rows.size, 0), np.uint32),
                codes[rows, np.newaxis],
                self.frequency.counts[rows],
                (domains[place],),
                None if people is None else people[rows],
            )
            histogram = histogram_of(records, 0, self.classes.of[rows] - some.start, sizes[some].size, few=few)
            population = None if self.whole.population is None else self.whole.population[some]
            yield replace(self.whole, sizes=self.whole.sizes[some], histograms=(histogram,), population=population)


def profile_of(
    table: Table, quasi: Sequence[str], sensitive: Iterable[str | None], schema: Schema, reference: Table | None
) -> TableProfile:
    """The profile of a table by its `quasi` columns and those of the `sensitive` ones that are named.

    Values refer to the `reference` table, or else to this one.

    Raises:
        SchemaError: No quasi-identifying column is named; a column, or the person key, is not there; a sensitive column
            is quasi-identifying.
        InputError: The cells of a sensitive column cannot be read as what they must be, or records have no person key.
        HierarchyError: Some are no leaf of its hierarchy.
    """
    columns = tuple(named_column(table, name) for name in quasi)
    if not columns:
        raise SchemaError("no quasi-identifying column is named", hint="name a column with --quasi")
    names = list(dict.fromkeys(name for name in sensitive if name is not None))
    resolved = [_resolved(name, table, reference, schema, quasi) for name in names]
    codes = [one[table[name].codes] for name, (_, one, _) in zip(names, resolved, strict=True)]
    frequency = replace(
        records_of([column.codes for column in columns], person_ids(table, schema.person, schema.missing)),
        sensitive=np.array(codes, np.uint32).T.reshape(table.records, len(codes)),
        sensitive_domains=tuple(domain for domain, _, _ in resolved),
    )
    texts = {name: texts for name, (_, _, texts) in zip(names, resolved, strict=True)}
    classes = classes_of(frequency)
    records = np.bincount(classes.of, minlength=classes.sizes.size)
    return TableProfile(columns, classes, records, ClassProfile(classes.sizes), frequency, texts)


def _resolved(
    name: str, table: Table, reference: Table | None, schema: Schema, quasi: Sequence[str]
) -> tuple[SensitiveDomain, Index, tuple[str, ...]]:
    """The domain of a sensitive attribute, (u,) the code of each value of the table, and a text of each code."""
    if name in quasi:
        what = f"column {name} is quasi-identifying, but a model treats it as sensitive"
        raise SchemaError(what, where=f"column {name}", hint="a column has one role")
    column = named_column(table, name)
    base = table if reference is None else reference
    of_base = named_column(base, name)
    values: list[str | None] = of_base.values.to_list()
    known = set(values)
    values += [value for value in column.values.to_list() if value not in known]
    counts = np.append(of_base.counts(), np.zeros(len(values) - len(known), np.int64))
    attribute = {one.name: one for one in schema.sensitive}.get(name) or Attribute(name, Role.SENSITIVE)
    domain, codes = resolve(attribute, values, counts, schema.missing)
    code_of = dict(zip(values, codes.tolist(), strict=True))
    of_value = np.array([code_of[value] for value in column.values.to_list()], np.int64)
    _refuse_unmatched(domain, of_value, column)
    text_of = dict(sorted(((code, text or "") for text, code in code_of.items()), reverse=True))
    texts = tuple(text_of[code] for code in range(len(domain)))
    return domain.counted(_counted(domain, codes, base, name, schema)), of_value, texts


def _refuse_unmatched(domain: SensitiveDomain, codes: Index, column: Column) -> None:
    unmatched = np.append(domain.reference == 0, False)[codes]  # a missing value needs no match
    if unmatched.any():
        of = many(int(column.counts()[unmatched].sum()), "record")
        raise InputError(
            f"{many(int(unmatched.sum()), f'value ({of}) is', f'values ({of}) are')} not in the reference table",
            where=f"column {column.name}",
            hint="give the table that this one was made from",
        )


def _counted(domain: SensitiveDomain, codes: Index, base: Table, name: str, schema: Schema) -> Counts:
    """People of the `base` table with each value; its records, where it has no person key."""
    if schema.person is None or schema.person not in base.names:
        return domain.reference
    values, people = codes[base[name].codes], person_ids(base, schema.person, schema.missing)
    return people_in(values, len(domain) + 1, np.ones(values.size, np.int64), people)[:-1]
