"""What is asked of records that lie elsewhere, as SQL that every database understands; what differs is a `Dialect`.

Four statements, each written once:

    distinct    the values of a column, and the records with each
    tuples      the distinct tuples of some columns, with their records and a sum of hashes of other columns
    release     each record with the labels of its class, in the order of the release
    read back   what was written, as a relation again (a dialect opens it)

Every cell in them is a text: that of a column of text, and of other columns what `kohort.io.cells` made of the value,
which stands beside it in a small table, a dictionary. So nothing is cast to text where the records lie.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import polars as pl

    from kohort.arrays import Counts
    from kohort.io.options import ReadOptions
    from kohort.sql.relation import Relation

#: What a statement calls the records.
RECORDS: Final = "t"


class Dialect(Protocol):
    """What differs between databases: their words, how they open sources, and how they answer."""

    def relation(self, source: object, options: ReadOptions, limit: int | None) -> Relation:
        """The records of a source, checked as the local engine checks them.

        Raises:
            UnsupportedError: the source or an option is none that is read here as the local engine reads it.
            InputError: the records are not well formed, or have names, types or values that cannot be read.
            InfeasibleError: there are none, and the options do not allow that.
        """
        ...

    @property
    def title(self) -> str:
        """The database and its version, for certificates."""
        ...

    @property
    def grouping_sets(self) -> bool:
        """Whether one statement groups by several columns, each by itself; otherwise several are put together."""
        ...

    def quoted(self, name: str) -> str:
        """A name as the database has it."""
        ...

    def literal(self, text: str) -> str:
        """A text as the database has it."""
        ...

    def hashed(self, text: str) -> str:
        """The first 16 hexadecimal digits of the MD5 of a text as a number, of a type that no sum exceeds."""
        ...

    def number(self, cells: Sequence[str]) -> str:
        """A quick hash of some cells, as an integer of 64 bits: that of a null is none of any text."""
        ...

    def different(self, cells: Sequence[str]) -> str:
        """An estimate of how many different tuples of these cells there are."""
        ...

    def matches(self, text: str, pattern: str) -> str:
        """Whether a text has a part that a regular expression matches."""
        ...

    def run(self, sql: str) -> pl.DataFrame:
        """The answer to a query.

        Raises:
            InputError: the records cannot be read.
            FileError: the database failed.
        """
        ...

    def stream(self, sql: str) -> Iterator[pl.DataFrame]:
        """The same of an answer that may be large: its rows in its order, some at a time."""
        ...

    def give(self, frame: pl.DataFrame) -> str:
        """Hand over a small table; what it is called."""
        ...

    def keep(self, of: str | pl.DataFrame, near: str = "") -> str:
        """Keep the answer to a query, or a table made here, where the records lie, and nothing of it here; its name.

        It may be large, and is found once. Rows with the same number in the column `near` lie near one another.
        """
        ...

    def once(self, query: str, /) -> str:
        """A name for the answer to a query that one other will ask for; kept where both would be too much at once."""
        ...

    def forget(self, name: str) -> None:
        """Let go of what was handed over or kept under a name; a database that is gone has let go of it."""
        ...

    def in_order(self, lines: Lines) -> str:
        """The lines of released records, in their order."""
        ...

    def write(self, sql: str, header: str, files: Sequence[tuple[Path, int | None]]) -> None:
        """Write the lines that a query answers, in its order, to files that may be there, each with the header.

        Each gets so many of the lines, and a single file all of them: `None`.
        """
        ...


class Cells(NamedTuple):
    """The cells of some columns, and where they come from.

    Attributes:
        of: (columns,) the text of each.
        source: What stands after FROM.
    """

    of: tuple[str, ...]
    source: str


class Lines(NamedTuple):
    """The lines of released records, and what orders them.

    Attributes:
        keys: The number of a record's class, from 1, and its other cells; none is null.
        source: What stands for the records after FROM.
        labels: A small table: what a line has of each `class`.
        line: The text of a record, made of its keys (`t.k0`, `t.k1`, …) and its class's labels.
        sizes: (c,) the records of each class; (0,) where that is not known.
        different: How many different ones there are at the most.
    """

    keys: tuple[str, ...]
    source: str
    labels: str
    line: str
    sizes: Counts
    different: int

    @property
    def names(self) -> tuple[str, ...]:
        """What the keys are called."""
        return tuple(f"k{place}" for place in range(len(self.keys)))

    @property
    def keyed(self) -> str:
        """The keys of all records, which is all that has to be moved to order them."""
        named = ", ".join(f"{key} AS {name}" for key, name in zip(self.keys, self.names, strict=True))
        return f"SELECT {named} FROM {self.source}"  # noqa: S608  names are quoted by the dialect

    @property
    def counted(self) -> str:
        """The keys that differ, and how many records (`n`) have each."""
        names = ", ".join(self.names)
        return f"SELECT {names}, count(*) AS n FROM ({self.keyed}) GROUP BY {names}"  # noqa: S608  as above

    @property
    def at_once(self) -> str:
        """All of them, ordered at once."""
        return ordered(f"{self.line} AS line", self.labelled(self.keyed), self.names)

    def labelled(self, keyed: str) -> str:
        """The keys with the labels of their class, as what stands after FROM."""
        return placed(f"({keyed}) {RECORDS}", self.labels, f"{RECORDS}.k0", "class")


def sized(source: str, tests: Sequence[str]) -> str:
    """How many records there are (`n`), and of how many each test holds (`c0`, `c1`, …)."""
    found = (f", coalesce(sum(CASE WHEN {test} THEN 1 ELSE 0 END), 0) AS c{place}" for place, test in enumerate(tests))
    return f"SELECT count(*) AS n{''.join(found)} FROM {source} {RECORDS}"  # noqa: S608  names are quoted by the dialect


def summed(source: str, numbers: Sequence[str]) -> str:
    """How many records there are (`n`), and the sums of some numbers (`s0`, `s1`, …)."""
    return f"SELECT count(*) AS n{_sums(numbers)} FROM {source} {RECORDS}"  # noqa: S608  as above


def _sums(numbers: Sequence[str]) -> str:
    """The sums of some numbers of a group's records (`s0`, `s1`, …), after what else is asked of it."""
    return "".join(f", coalesce(sum({number}), 0) AS s{place}" for place, number in enumerate(numbers))


def distinct(source: str, cells: Sequence[str], numbers: Sequence[str] = (), *, sets: bool = True) -> str:
    """The distinct values (`c0`) of some columns of one type, each by its place (`place`).

    With the records of each (`n`), and the sums of some of their numbers (`s0`, `s1`, …); of several columns, each
    record is in the sums of each.
    """
    return each_alone(f"{source} {RECORDS}", cells, (), f"count(*) AS n{_sums(numbers)}", sets=sets)


def each_alone(source: str, cells: Sequence[str], also: Sequence[str], counts: str, *, sets: bool) -> str:
    """The groups by each of some cells (`c0`), which has a place among them (`place`), and by other columns.

    Args:
        source: What stands after FROM.
        cells: Of one type.
        also: The columns that all are grouped by.
        counts: What is asked of each group.
        sets: Whether there are GROUPING SETS, in one pass; otherwise each cell has a statement of its own.
    """
    shown = "".join(f"{one}, " for one in also)
    if not sets or len(cells) == 1:
        each = (
            f"SELECT {shown}{at} AS place, {cell} AS c0, {counts} FROM {source} GROUP BY {shown}{cell}"  # noqa: S608  as above
            for at, cell in enumerate(cells)
        )
        return " UNION ALL ".join(each)
    own = [f"WHEN grouping({cell}) = 0 THEN" for cell in cells]
    place = " ".join(f"{one} {at}" for at, one in enumerate(own))
    value = " ".join(f"{one} {cell}" for one, cell in zip(own, cells, strict=True))
    by = ", ".join(f"({shown}{cell})" for cell in cells)
    asked = f"SELECT {shown}CASE {place} END AS place, CASE {value} END AS c0, {counts} FROM {source}"  # noqa: S608  as above
    return f"{asked} GROUP BY GROUPING SETS ({by})"


def estimated(source: str, different: Sequence[str]) -> str:
    """About how many tuples there are of some cells, and of others (`n0`, `n1`, …)."""
    asked = ", ".join(f"{one} AS n{place}" for place, one in enumerate(different))
    return f"SELECT {asked} FROM {source}"  # noqa: S608  as above


def tuples(cells: Cells, hash_: str = "", numbers: Sequence[str] = ()) -> str:
    """The distinct tuples (`c0`, `c1`, …), the records of each (`n`), and the sum of their hashes (`h`).

    And the sums of some of their numbers (`s0`, `s1`, …).
    """
    named = ", ".join(f"{cell} AS c{place}" for place, cell in enumerate(cells.of))
    total = (f", sum({hash_}) AS h" if hash_ else "") + _sums(numbers)
    return f"SELECT {named}, count(*) AS n{total} FROM {cells.source} GROUP BY {', '.join(cells.of)}"  # noqa: S608  as above


def numbered_tuples(cells: Cells, number: str, others: Sequence[str]) -> str:
    """The distinct tuples (`w0`, `w1`, …) by a number that all records of one have (`p`), and others of their cells.

    And the records of each (`n`), and whether the number is that of several (`x`).
    """
    of, many = cells.of, len(cells.of)
    named = [f"min({cell}) AS w{place}" for place, cell in enumerate(of)]
    named += [f"{cell} AS w{place}" for place, cell in enumerate(others, many)]
    several = " OR ".join(f"min({cell}) < max({cell})" for cell in of)
    shown = f"{', '.join(named)}, count(*) AS n, {number} AS p, CASE WHEN {several} THEN 1 ELSE 0 END AS x"
    return f"SELECT {shown} FROM {cells.source} GROUP BY {', '.join([number, *others])}"  # noqa: S608  as above


def added(cells: Cells) -> str:
    """The distinct tuples (`c0`, `c1`, …) of tuples that stand for so many records (`n`) each, and their sum (`n`)."""
    named = ", ".join(f"{cell} AS c{place}" for place, cell in enumerate(cells.of))
    return f"SELECT {named}, CAST(sum(n) AS BIGINT) AS n FROM {cells.source} GROUP BY {', '.join(cells.of)}"  # noqa: S608  as above


def hashed(tuples_: str, number: str) -> str:
    """Tuples, each with a number (`p`) that is made of its cells."""
    return f"SELECT g.*, {number} AS p FROM ({tuples_}) g"  # noqa: S608  as above


def shared(tuples_: str, columns: Sequence[str], *, alone: bool) -> str:
    """How many of `numbered_tuples` have a number that is that of several; `alone` where these have no other cells."""
    inner = f"SELECT 1 AS c0 FROM {tuples_} WHERE x > 0"  # noqa: S608  as above
    if not alone:
        differ = " OR ".join(f"min({one}) < max({one})" for one in columns)
        inner = f"SELECT 1 AS c0 FROM {tuples_} GROUP BY p HAVING max(x) > 0 OR {differ}"  # noqa: S608  as above
    return f"SELECT count(*) AS n FROM ({inner}) g"  # noqa: S608  as above


def alone(cells: Cells) -> str:
    """How many records (`n`) have a tuple that no other has."""
    inner = f"SELECT 1 AS c0 FROM {cells.source} GROUP BY {', '.join(cells.of)} HAVING count(*) = 1"  # noqa: S608  as above
    return f"SELECT count(*) AS n FROM ({inner}) g"  # noqa: S608  as above


def told(cell: str) -> str:
    """A cell as it is hashed: its length in characters, a colon and its text; a null is `-`."""
    return f"coalesce(length({cell}) || ':' || {cell}, '-')"


def numbered(cells: Cells, name: str) -> str:
    """The records, each with a number among those of its tuple, from 1: in any order, for they are alike."""
    of = ", ".join(cells.of)
    number = f"row_number() OVER (PARTITION BY {of} ORDER BY {cells.of[0]}) AS {name}"
    return f"(SELECT {RECORDS}.*, {number} FROM {cells.source})"  # noqa: S608  as above


def joined(source: str, name: str, keys: Sequence[tuple[str, str]], *, outer: bool = False) -> str:
    """Records with what a table has beside them; a null equals a null. With `outer`, those it has none for, too."""
    on = " AND ".join(f"{left} IS NOT DISTINCT FROM {right}" for left, right in keys)
    return f"{source} {'LEFT ' * outer}JOIN {name} ON {on}"


def divided(tuples: str, part: str, dimensions: Sequence[str], stored: Sequence[str], cuts: str) -> str:
    """The tuples, with the parts that they are in after some cuts: two for each part that is cut.

    Args:
        tuples: Tuples of codes, none of which is null.
        part: Their column that says the part.
        dimensions: Their columns of codes that are cut.
        stored: Their columns that are stored beside the part.
        cuts: A small table: of each `part` that is cut the `dimension`, the last `code` of the `lower` part, and the
            `upper` part.
    """
    kept = ", ".join(f"{RECORDS}.{one}" for one in stored)
    code = " ".join(f"WHEN {at} THEN {RECORDS}.{one}" for at, one in enumerate(dimensions))
    side = f"CASE WHEN CASE {cuts}.dimension {code} END <= {cuts}.code THEN {cuts}.lower ELSE {cuts}.upper END"
    moved = f"CASE WHEN {cuts}.part IS NULL THEN {RECORDS}.{part} ELSE {side} END AS {part}"
    source = f"{tuples} {RECORDS} LEFT JOIN {cuts} ON {RECORDS}.{part} = {cuts}.part"
    return f"SELECT {kept}, {moved} FROM {source}"  # noqa: S608  names of ours


def generalized(tuples: str, columns: Sequence[str], others: Sequence[str | None]) -> Cells:
    """The cells of tuples of codes by which their classes are told on some levels.

    Args:
        tuples: A table of tuples of codes, none of which is null.
        columns: Its columns.
        others: Of each column a small table that has another code (`other`) beside each `code`; nothing where each
            stays as it is.
    """
    of, source = list[str](), f"{tuples} {RECORDS}"
    for column, other in zip(columns, others, strict=True):
        cell = f"{RECORDS}.{column}"
        of.append(cell if other is None else f"{other}.other")
        source = source if other is None else placed(source, other, cell, "code")
    return Cells(tuple(of), source)


def placed(source: str, name: str, number: str, place: str, *, outer: bool = False) -> str:
    """Records with what a table has beside a number: neither is null, which a join by hashing makes use of.

    With `outer`, those that it has nothing for, too.
    """
    return f"{source} {'LEFT ' * outer}JOIN {name} ON {number} = {name}.{place}"


def ordered(line: str, source: str, keys: Sequence[str]) -> str:
    """The lines of records in the order of some keys."""
    by = ", ".join(f"{key} NULLS FIRST" for key in keys)
    return f"SELECT {line} FROM {source} ORDER BY {by}"  # noqa: S608  as above
