"""Tuples that stay where the records lie: they are counted and kept there in codes, and searched in parts.

What comes here are the values of each column, the marginals of parts that are cut, and the tuples of some parts at a
time. What goes there are the codes of values, the cuts, and the region of each tuple, part by part. A release is a join
of the records with these, as it is where all tuples were here.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import polars as pl

from kohort.algorithms.mondrian.in_parts import Marginals
from kohort.core.frequency import FrequencySet
from kohort.engines.base import searched_sensitive
from kohort.schema import Missing
from kohort.sql import queries
from kohort.sql.relation import TemporaryTable
from kohort.tables.coded import CodedTable
from kohort.tables.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kohort.algorithms.mondrian.in_parts import PartCut
    from kohort.arrays import Codes, Counts, Index
    from kohort.release import Job
    from kohort.schema.sensitive import SensitiveDomain
    from kohort.sql.queries import Dialect
    from kohort.sql.relation import Relation

#: What tuples and records are called by: their part, group, region and class.
PART: Final = "kohort_part"
REGION: Final = "kohort_region"


@dataclass(frozen=True, slots=True, eq=False)
class CodedColumns:
    """Columns whose values have codes: here by the values alone, where the records lie as small tables.

    Attributes:
        table: Their distinct values; its quasi-identifiers have codes.
        sensitive: The sensitive columns that models look at.
        sensitive_domains: (s,) what their codes mean.
        codes: (v,) of each quasi-identifier and each of these columns, the code of each value.
    """

    table: CodedTable
    sensitive: tuple[Column, ...]
    sensitive_domains: tuple[SensitiveDomain, ...]
    codes: tuple[Index, ...]

    @classmethod
    def of(cls, source: Relation, job: Job) -> CodedColumns:
        """The columns of the records that enter.

        Raises:
            InputError: values that have no place in their domain; those of several columns at once.
            LimitError: they are too many.
        """
        schema, searched = job.schema, searched_sensitive(job)
        refusing = [one.name for one in schema.sensitive if one.missing is Missing.REFUSE]
        names = [*dict.fromkeys([*(one.name for one in schema.quasi), *refusing, *searched])]
        source.look(names)
        counts = {name: source.distinct(name).counts for name in names}
        coded = CodedTable(Table(tuple(map(source.values, names)), 0), schema, counted=counts)
        asked = [one for one in schema.attributes if one.name in searched]
        held = [coded.sensitive(one) for one in asked]
        codes = (*coded.codes, *(of for _, of in held))
        return cls(coded, tuple(coded.table[one.name] for one in asked), tuple(domain for domain, _ in held), codes)

    @property
    def alike(self) -> tuple[bool, ...]:
        """(d,) whether several values of a quasi-identifier have one code, such as `7` and `07`."""
        return tuple(np.unique(codes).size < codes.size for codes in self.table.codes)

    @property
    def quasi(self) -> tuple[Column, ...]:
        """(d,) the distinct values of the quasi-identifiers."""
        return tuple(self.table.table[one.name] for one in self.table.schema.quasi)

    def given(self, dialect: Dialect) -> list[str]:
        """Hand over the code of each value, column by column; what these small tables are called."""
        names: list[str] = []
        for column, codes in zip((*self.quasi, *self.sensitive), self.codes, strict=True):
            names.append(dialect.give(pl.DataFrame({"text": column.values, "code": codes.astype(np.int32)})))
        return names


def coded(cells: queries.Cells, given: Sequence[str], *, outer: bool = False) -> queries.Cells:
    """Cells as codes; with `outer`, records whose cells have none stay, with a null."""
    source = cells.source
    for cell, name in zip(cells.of, given, strict=True):
        source = queries.joined(source, name, [(cell, f"{name}.text")], outer=outer)
    return queries.Cells(tuple(f"{name}.code" for name in given), source)


@dataclass(frozen=True, slots=True)
class Numbering:
    """The number by which the records of a tuple are found, and what makes it.

    It is a hash of the values that the records have, so that nobody has to look up their codes. Where several values
    have one code, it is of the code. No two tuples that are counted have the same one: else it is made anew.

    Attributes:
        dialect: Makes it.
        given: (d,) the small tables that have the codes of the quasi-identifiers.
        alike: (d,) which of them have one code for several values.
        salt: Told with the values; another one makes other numbers.
    """

    dialect: Dialect
    given: Sequence[str]
    alike: Sequence[bool]
    salt: int = 0

    def number(self, cells: Sequence[str]) -> str:
        """That of cells, where the codes stand beside them that it needs."""
        told = [
            f"{self.dialect.literal('')} || {name}.code" if alike else cell
            for cell, name, alike in zip(cells, self.given, self.alike, strict=True)
        ]
        return self.dialect.number([self.dialect.literal(str(self.salt)), *told])

    def of(self, cells: queries.Cells, *, outer: bool = False) -> tuple[str, str]:
        """That of records' cells, and what stands for the records after FROM; with `outer`, also of other values."""
        held = [(cell, name) for cell, name, alike in zip(cells.of, self.given, self.alike, strict=True) if alike]
        codes = coded(
            queries.Cells(tuple(cell for cell, _ in held), cells.source), [name for _, name in held], outer=outer
        )
        return self.number(cells.of), codes.source


@dataclass(slots=True, eq=False)
class CodedTuples:
    """Distinct tuples of codes, with their records and parts: what `solve_in_parts` asks.

    Attributes:
        dialect: Where they lie.
        numbering: How records are found by them.
        places: Where the code of each quasi-identifier is kept.
        table: What keeps them: codes in numbers (`w0`, `w1`, …), records (`n`), the number (`p`) and the part.
        domains: (s,) what the codes of the others mean, which are sensitive.
    """

    dialect: Dialect
    numbering: Numbering
    places: Sequence[Place]
    table: TemporaryTable
    domains: tuple[SensitiveDomain, ...]
    _last: pl.Series | None = field(default=None, init=False)
    _places: list[TemporaryTable] = field(default_factory=list[TemporaryTable], init=False)
    _leaves: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]], init=False)

    @classmethod
    def of(cls, records: Relation, columns: CodedColumns) -> CodedTuples:
        """Count the tuples of some records, in codes."""
        dialect, quasi = records.dialect, len(columns.quasi)
        given = columns.given(dialect)
        cells = records.cells([one.name for one in (*columns.quasi, *columns.sensitive)])
        codes = coded(cells, given)
        places = packing([int(one.max(initial=0)) + 1 for one in columns.codes[:quasi]])
        words = packed(places, codes.of[:quasi])
        cells_of_words = queries.Cells((*words,), codes.source)
        numbering = Numbering(dialect, given[:quasi], columns.alike)
        while True:
            tuples = queries.numbered_tuples(cells_of_words, numbering.number(cells.of[:quasi]), codes.of[quasi:])
            table = TemporaryTable(dialect, f"SELECT g.*, 0 AS {PART} FROM ({tuples}) g")  # noqa: S608  names and numbers of ours
            shared = queries.shared(table.name, _words(len(words)), alone=not columns.sensitive)
            if not dialect.run(shared)["n"].item():
                return cls(dialect, numbering, places, table, columns.sensitive_domains)
            table.forget()
            numbering = replace(numbering, salt=numbering.salt + 1)

    @property
    def dimensions(self) -> list[str]:
        """The columns of quasi-identifiers."""
        return [f"c{place}" for place in range(self.quasi)]

    @property
    def sensitive(self) -> list[str]:
        """The columns of sensitive codes."""
        return [f"c{place}" for place in range(self.quasi, self.quasi + len(self.domains))]

    @property
    def quasi(self) -> int:
        """How many columns are quasi-identifiers."""
        return len(self.places)

    @property
    def source(self) -> str:
        """What stands for the tuples after FROM: what is kept of them, and their codes (`c0`, `c1`, …)."""
        words = self._stored[:-2]
        split = len(words) - len(self.domains)
        codes = [*unpacked(self.places, words[:split]), *words[split:]]
        named = ", ".join(f"{code} AS c{place}" for place, code in enumerate(codes))
        return f"(SELECT *, {named} FROM {self.table.name})"  # noqa: S608  names of ours

    @property
    def _stored(self) -> list[str]:
        """The columns that are kept beside the part."""
        return [*_words(self.places[-1].word + 1 + len(self.domains)), "n", "p"]

    def marginals(self, parts: Sequence[int]) -> dict[int, Marginals]:
        """By one statement; of each row the dimension (`place`), the codes, and how many records and tuples."""
        source = f"{self.source} WHERE {PART} IN ({', '.join(map(str, parts))})"
        counts, by = "sum(n) AS n, count(*) AS m", [PART, *self.sensitive]
        asked = queries.each_alone(source, self.dimensions, by, counts, sets=self.dialect.grouping_sets)
        found = self.dialect.run(asked).cast(pl.Int64).sort(PART, "place")  # so that slices are of one each
        return {int(one[PART][0]): self._marginals(one) for one in found.partition_by(PART, maintain_order=True)}

    def pairs(self, column: int, other: int, codes: Index) -> tuple[Index, Index, Counts]:
        """The codes of two quasi-identifiers, and the records that have them, where the first is one of these."""
        one, two = f"c{column}", f"c{other}"
        inside = f"{one} IN ({', '.join(map(str, codes.tolist()))})"
        asked = f"SELECT {one} AS a, {two} AS b, SUM(n) AS n FROM {self.source} WHERE {inside} GROUP BY {one}, {two}"  # noqa: S608  names of ours
        found = self.dialect.run(asked)
        return _numbers(found["a"]), _numbers(found["b"]), _numbers(found["n"])

    def _marginals(self, found: pl.DataFrame) -> Marginals:
        each = found.partition_by("place", maintain_order=True)
        of = (self.frequency(one, ["c0"]) for one in each)
        return Marginals(tuple(of), tuple(one["m"].to_numpy() for one in each))

    def frequency(self, found: pl.DataFrame, quasi: Sequence[str]) -> FrequencySet:
        """Rows of an answer as a frequency set."""
        return FrequencySet(_codes(found, quasi), _codes(found, self.sensitive), _numbers(found["n"]), self.domains)

    def divide(self, cuts: Sequence[PartCut]) -> None:
        """By a join with the cuts: a table of the same tuples takes the place of this one."""
        columns = ("part", "dimension", "code", "lower", "upper")
        name = self.dialect.give(pl.DataFrame(cuts, schema=dict.fromkeys(columns, pl.Int64), orient="row"))
        self._replace(queries.divided(self.source, PART, self.dimensions, self._stored, name))
        self.dialect.forget(name)

    def _replace(self, query: str, near: str = "") -> None:
        before, self.table = self.table, TemporaryTable(self.dialect, query, near=near)
        before.forget()

    def gather(self, groups: Sequence[Sequence[int]]) -> Iterator[tuple[FrequencySet, Index]]:
        """From a table in which the tuples of a part lie near one another, one group after the other."""
        self._replace(f"SELECT * FROM {self.table.name}", PART)  # noqa: S608  as above
        for group in groups:
            inside = f"{PART} IN ({', '.join(map(str, group))})"
            found = self.dialect.run(f"SELECT * FROM {self.source} WHERE {inside}")  # noqa: S608  as above
            self._last = found["p"]
            yield self.frequency(found, self.dimensions), _numbers(found[PART])

    def place(self, regions: Index) -> None:
        """Sensitive values make no difference, so each tuple of quasi-identifiers is sent once."""
        assert self._last is not None  # noqa: S101  something was gathered
        placed = pl.DataFrame({"p": self._last, REGION: regions.astype(np.int32)})
        self._places.append(TemporaryTable(self.dialect, placed.unique() if self.domains else placed))

    def place_part(self, part: int, region: int) -> None:
        """It is joined when all are placed."""
        self._leaves.append((part, region))

    def placed(self, classes: str) -> str:
        """Asks for the number and class of each tuple of quasi-identifiers; a small table has that of each region."""
        source = queries.placed(f"({self._regions}) g", classes, f"g.{REGION}", "region")
        return f"SELECT g.p, {classes}.class FROM {source}"  # noqa: S608  as above

    @property
    def _regions(self) -> str:
        selects = [f"SELECT p, {REGION} FROM {place.name}" for place in self._places]  # noqa: S608  as above
        if self._leaves:
            leaves = pl.DataFrame(self._leaves, schema={"part": pl.Int64, REGION: pl.Int32}, orient="row")
            name = self.dialect.give(leaves)
            inside = queries.placed(f"{self.table.name} {queries.RECORDS}", name, f"{queries.RECORDS}.{PART}", "part")
            selects.append(f"SELECT DISTINCT {queries.RECORDS}.p, {REGION} FROM {inside}")  # noqa: S608  as above
        return " UNION ALL ".join(selects)


def _words(many: int) -> list[str]:
    return [f"w{place}" for place in range(many)]


def _codes(found: pl.DataFrame, names: Sequence[str]) -> Codes:
    made = np.empty((found.height, len(names)), np.uint32)
    for place, name in enumerate(names):
        made[:, place] = found[name].to_numpy()
    return made


def _numbers(found: pl.Series) -> Index:
    return found.cast(pl.Int64).to_numpy()


# ── codes of several columns side by side in whole numbers ───────────────────────────────────────

#: Bits of a number that are used: it is never negative.
_BITS: Final = 63


class Place(NamedTuple):
    """Where the codes of a column are: in which number, and after and in how many of its bits."""

    word: int
    after: int
    bits: int


def packing(sizes: Sequence[int]) -> list[Place]:
    """Room for so many codes of each column, from 0, in their order.

    >>> [tuple(place) for place in packing([1000, 1, 1 << 30, 1 << 30])]
    [(0, 0, 10), (0, 10, 0), (0, 10, 30), (1, 0, 30)]
    """
    places: list[Place] = []
    word = after = 0
    for size in sizes:
        bits = (size - 1).bit_length()
        if after + bits > _BITS:
            word, after = word + 1, 0
        places.append(Place(word, after, bits))
        after += bits
    return places


def packed(places: Sequence[Place], cells: Sequence[str]) -> list[str]:
    """Asks for the numbers that hold the codes in some cells.

    >>> packed(packing([4, 4]), ["a", "b"])
    ['(CAST(a AS BIGINT) << 0) + (CAST(b AS BIGINT) << 2)']
    """
    words: list[list[str]] = [[] for _ in range(places[-1].word + 1)]
    for cell, place in zip(cells, places, strict=True):
        words[place.word].append(f"(CAST({cell} AS BIGINT) << {place.after})")
    return [" + ".join(one) for one in words]


def unpacked(places: Sequence[Place], words: Sequence[str]) -> list[str]:
    """Asks for the codes that some numbers hold.

    >>> unpacked(packing([4, 4]), ["w"])
    ['CAST((w >> 0) & 3 AS INT)', 'CAST((w >> 2) & 3 AS INT)']
    """
    return [f"CAST(({words[one.word]} >> {one.after}) & {(1 << one.bits) - 1} AS INT)" for one in places]
