"""Cells of identifying columns that stand in released ones: a name in a note, a second copy of a number.

What names people is a text that fewer than k people (and fewer than ten) have in an identifying column: a whole cell of
it, or a word. Texts are compared word by word, whatever their case: `Rossi` stands in `Mrs Rossi, widow`, and `12` does
not in `12.5`. A released column holds identifiers

1. where a released cell, of whomever, of a column that is not generalized holds an identifying cell of at least six
   characters that is more than a plain word or number (`Ada Rossi`, `AB-1234`), and fewer than k people's cells do;
2. where released cells hold identifying cells *of the same record*, for more people than chance explains. Numbers of
   less than five digits and texts of less than three characters do not count here. In free text, of more than four
   words on average, single words of identifying cells count too;
3. where that is so for more than 5 % of the people, counting every text that names people, and of columns that are
   not generalized single words of identifying cells too.

Chance is what would be found on average if each column were dealt anew to the records: a first name `Paris` and a city
of that name, a row number and an age of the same digits. More than chance explains is what then would happen once in a
hundred releases, in rule 3 once in a million (by Chernoff's bound of a Poisson number). A city that is a word of many
addresses names nobody, and in a quasi-identifier neither does one of few: that it is known is why it is generalized.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from math import exp, log
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from kohort.errors.display import many
from kohort.schema import Role
from kohort.system.workspace import HEAP, tallied
from kohort.tables.people import person_codes
from kohort.verify.people import People

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from kohort.arrays import Counts, Numbers
    from kohort.schema import Attribute, Schema
    from kohort.system.workspace import Workspace
    from kohort.tables.dataset import Values
    from kohort.tables.table import CellCodes, Column, Table

#: A text of so many people names nobody, however large k is.
MOST: Final = 10

#: How often chance may be mistaken for more: by long texts, and by all of which many people's cells hold some.
LEVEL: Final = 0.01
LEVEL_OF_MANY: Final = 1e-6

#: One in so many people: beyond, a column holds identifiers also by short texts and single words.
SHARE: Final = 20

#: Words of an identifying cell that are looked for in longer cells.
_LONGEST: Final = 5

#: Words of a cell, on average, beyond which a column is free text.
_FREE: Final = 4

#: From a letter or digit to the last one before a blank or a mark that parts words.
_WORD: Final = r"[\p{L}\p{N}](?:[^\s,;:=()\[\]{}\"<>/|!?#&*]*[\p{L}\p{N}])?"

#: Texts of rule 2: at least five digits, or three characters of which one is none.
_LONG: Final = r"^(?:[0-9.]{5,}|.*[^0-9.].*)$"
_LEAST: Final = 3

#: Texts of rule 1: letters, and something else.
_COMPOUND: Final = r"\p{L}.*[^\p{L}]|[^\p{L}].*\p{L}"
_COMPOUND_LENGTH: Final = 6


@dataclass(frozen=True, slots=True)
class Leak:
    """A released column that holds identifiers."""

    identifying: str
    released: str
    people: int
    own: bool

    @property
    def told(self) -> str:
        """What is wrong, for an error."""
        whose = "their own " if self.own else ""
        people = many(self.people, "person")
        return f"cells of {people} hold {whose}cells or words of the identifying column {self.identifying}"


def leaks(
    schema: Schema,
    source: Table,
    released: Table,
    lineage: Numbers,
    *,
    k: int,
    allowed: Collection[str] = (),
    weights: Counts | None = None,
    workspace: Workspace = HEAP,
) -> Iterator[Leak]:
    """The released columns that hold identifiers, each with the first identifying column that these are of.

    Cost: one pass over the words of all these columns' distinct values, and one over the records for each pair of an
    identifying column and a released one that have a text in common.

    Args:
        schema: Over the source's columns.
        source: The input.
        released: The release, or the input before any is made.
        lineage: (m,) the record of the source that each released one is.
        k: Fewer people than this are named by what they have in common.
        allowed: Released columns that may hold identifiers.
        weights: (m,) how many records each released one stands for; `None`: for itself.
        workspace: Where arrays as long as the table live.
    """
    judged = _judged(schema, allowed)
    if not (schema.identifying and judged and released.records):
        return
    person = None if schema.person is None else person_codes(source[schema.person]).take(lineage)
    people = People.among(released.records, person, weights)
    cells = partial(_cells_of, people=people, weights=weights, missing=schema.missing)
    held = [(one, cells(released[one.name], released[one.name].codes)) for one in judged]
    taken = [(source[one.name], workspace.taken(source[one.name].codes, lineage)) for one in schema.identifying]
    known = [cells(column, codes) for column, codes in taken]
    few, told = few_of(k), set[str]()
    for meeting in _meetings(held, known, few):
        leak = None if meeting.held.name in told else meeting.leak(people, few)
        if leak:
            told.add(leak.released)
            yield leak


def few_of(k: int) -> int:
    """Fewer people than this are named by a text that they have in common."""
    return min(max(k, 2), MOST)


def suspects(
    schema: Schema, known: Mapping[str, Values], held: Mapping[str, Values], *, few: int, allowed: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Pairs of an identifying column and a released one in which there may be a leak, by the values of each alone.

    Of a pair that is not among them `leaks` tells nothing, whatever cells are of the same record.

    Args:
        schema: Over the source's columns.
        known: The values of the identifying columns, and records of the input with each.
        held: The values of the released columns, and released records with each.
        few: Fewer records than this may be of people whom their text names: as many more than `few_of` as the input
            has records that are not released.
        allowed: Released columns that may hold identifiers.
    """
    judged = _judged(schema, allowed)
    if not (known and judged and held):
        return
    total = int(held[judged[0].name].counts.sum())

    def cells(name: str, values: Values) -> _Cells:
        people = values.counts if schema.person is None else np.zeros_like(values.counts)  # at least
        words = _words(values.texts, values.counts, people, schema.missing)
        return _Cells(name, words, total)

    holding = [(one, cells(one.name, held[one.name])) for one in judged]
    for meeting in _meetings(holding, [cells(*one) for one in known.items()], few):
        if meeting.possible(few, total if schema.person is None else 0):
            yield meeting.known.name, meeting.held.name


def _judged(schema: Schema, allowed: Collection[str]) -> list[Attribute]:
    return [one for one in schema.released if not one.pseudonym and one.name not in allowed]


def _meetings(held: Sequence[tuple[Attribute, _Cells]], known: Sequence[_Cells], few: int) -> Iterator[_Meeting]:
    vocabulary = pl.concat([cells.words["words"].explode() for _, cells in held]).unique()
    texts = [(cells, _identifiers(cells, vocabulary, few)) for cells in known]
    texts = [(cells, found) for cells, found in texts if not found.is_empty()]
    for attribute, cells in held if texts else ():
        first = pl.concat([found["text"] for _, found in texts]).str.extract(r"^([^ ]+) ").drop_nulls().unique()
        inside, generalized = cells.inside(first), attribute.role is Role.QUASI
        for identifying, found in texts:
            meeting = _Meeting.of(identifying, cells, found, inside, generalized=generalized)
            if meeting:
                yield meeting


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """The cells of a column, in words.

    Attributes:
        name: The column's name.
        words: Of each value that is one and has a word: `code`, `words`, and how many `records` and `people` have it.
        records: How many records there are.
        codes: (m,) the value of each record, where records are looked at.
    """

    name: str
    words: pl.DataFrame
    records: int
    codes: CellCodes = field(default_factory=lambda: np.empty(0, np.uint8))

    def inside(self, first: pl.Series) -> pl.DataFrame:
        """Each `text` that stands in a cell, by `code`: the cell, its words, and those of several that begin so."""
        words = self.words.select("code", "words").explode("words")
        parts = [words.rename({"words": "text"}), self.words.select("code", text=pl.col("words").list.join(" "))]
        if self.words["words"].list.len().max() == 1:
            return parts[0]
        for length in range(2, _LONGEST + 1):
            following = [pl.col("words").shift(-ahead) for ahead in range(length)]
            whole = pl.col("code") == pl.col("code").shift(1 - length)
            parts.append(
                words.select(
                    "code",
                    begins=pl.col("words").is_in(first.implode()) & whole,
                    text=pl.concat_str(following, separator=" "),
                )
                .filter("begins")
                .drop("begins")
            )
        return pl.concat(parts).unique()

    @property
    def free(self) -> bool:
        return float(self.words["words"].list.len().mean() or 0) > _FREE  # type: ignore[arg-type]


def _cells_of(
    column: Column, codes: CellCodes, *, people: People, weights: Counts | None, missing: Collection[str]
) -> _Cells:
    """The cells of some records, by their codes; `weights` are how many records each stands for."""
    counts = tallied(codes, len(column.values), weights)
    words = _words(column.values, counts, people.per_cell(codes, counts.size), missing)
    return _Cells(column.name, words, int(counts.sum()), codes)


def _words(texts: pl.Series, records: Counts, people: Counts, missing: Collection[str]) -> pl.DataFrame:
    """The words of the values that so many records and people have, as `_Cells` holds them."""
    texts = texts.fill_null("")
    words = pl.DataFrame(
        {
            "code": np.arange(records.size),
            "words": texts.str.to_lowercase().str.extract_all(_WORD),
            "records": records,
            "people": people,
        }
    )
    real = ~texts.is_in([*missing]) & pl.Series(records > 0)
    return words.filter(real & (words["words"].list.len() > 0))


def _identifiers(cells: _Cells, vocabulary: pl.Series, few: int) -> pl.DataFrame:
    """Each `text` that names people, by `code`: `whole` cells, and words; `known` records have it.

    Only texts of words that some released cell has.
    """
    counts, length = cells.words.select("code", "records", "people"), pl.col("words").list.len()
    split = cells.words.select("code", "words").explode("words")
    shared = split.join(vocabulary.to_frame("words"), on="words", how="semi")
    met = shared.group_by("code").len("met")
    whole = cells.words.join(met, on="code").filter(length == pl.col("met"))
    some = [whole.select("code", text=pl.col("words").list.join(" "), whole=True)]
    if len(split) > len(cells.words):
        longer = cells.words.filter(length > 1).select("code")
        words = shared.join(longer, on="code", how="semi").select("code", text="words", whole=False)
        some.append(words.unique().join(some[0].select("code", "text"), on=["code", "text"], how="anti"))
    every = pl.concat(some).join(counts, on="code")
    totals = every.group_by("text").agg(known=pl.col("records").sum(), people=pl.col("people").sum())
    naming = totals.filter(pl.col("people") < few).select("text", "known")
    return every.select("code", "text", "whole").join(naming, on="text")


@dataclass(frozen=True, slots=True, eq=False)
class _Meeting:
    """Texts that an identifying column and a released one have in common.

    Attributes:
        known: The identifying column.
        held: The released one.
        pairs: Each `text` that names people, by the `code` of the cell that it names them in and the code `inside`
            which it stands; `known` records have it, `held` ones hold it, of so many `holders`; whether it is
            `strong` enough for rule 2, and `compound`, for rule 1.
    """

    known: _Cells
    held: _Cells
    pairs: pl.DataFrame

    @classmethod
    def of(
        cls, known: _Cells, held: _Cells, texts: pl.DataFrame, inside: pl.DataFrame, *, generalized: bool
    ) -> _Meeting | None:
        """Those of two columns; `None` where there are none. Of a generalized one only whole cells count."""
        some = texts.filter("whole") if generalized else texts
        found = inside.rename({"code": "inside"}).join(some.select("text").unique(), on="text", how="semi")
        if found.is_empty():
            return None
        counts = held.words.select("records", "people", inside="code")
        totals = (
            found.join(counts, on="inside")
            .group_by("text")
            .agg(held=pl.col("records").sum(), holders=pl.col("people").sum())
        )
        pairs = some.join(found.join(totals, on="text"), on="text")
        strong = pl.col("text").str.contains(_LONG) & (pl.col("text").str.len_chars() >= _LEAST)
        free = held.free and not generalized
        compound = pl.col("text").str.contains(_COMPOUND) & (pl.col("text").str.len_chars() >= _COMPOUND_LENGTH)
        compound &= pl.col("whole") & (not generalized)
        return cls(known, held, pairs.with_columns(strong=strong & (pl.col("whole") | free), compound=compound))

    def possible(self, few: int, people: int) -> bool:
        """Whether it may be that something is wrong, whatever cells are of the same record, of so many people."""
        anybody = pl.col("compound") & (pl.col("holders") < few)
        once = self.pairs.unique("text")
        most = int(once.select(pl.min_horizontal("known", "held").sum()).item())
        return not self.pairs.filter(anybody | pl.col("strong")).is_empty() or most > people // SHARE

    def leak(self, people: People, few: int) -> Leak | None:
        """What is wrong, if anything; so `few` people are named by what they have in common."""
        anybody = self.pairs.filter(pl.col("compound") & (pl.col("holders") < few))
        if not anybody.is_empty():
            count = people.count(np.isin(self.held.codes, anybody["inside"].unique().to_numpy()))
            return Leak(self.known.name, self.held.name, count, own=False)
        rules = ((self.pairs.filter("strong"), 0, LEVEL), (self.pairs, people.total // SHARE, LEVEL_OF_MANY))
        for pairs, least, level in rules:
            found = self._own(pairs, people)
            if found > least and not _by_chance(found, self._expected(pairs), level):
                return Leak(self.known.name, self.held.name, found, own=True)
        return None

    def _own(self, pairs: pl.DataFrame, people: People) -> int:
        """People of whom a released cell holds a text of the identifying cell of the same record."""
        size = int(self.held.codes.max()) + 1
        wanted = pairs.select(pl.col("code") * size + pl.col("inside")).to_series().unique().to_numpy()
        some = np.zeros(int(self.known.codes.max()) + 1, np.bool_)
        some[pairs["code"].to_numpy()] = True
        records = np.flatnonzero(HEAP.taken(some, self.known.codes))
        found = np.isin(self.known.codes[records] * np.int64(size) + self.held.codes[records], wanted)
        return people.taken(records).count(found)

    def _expected(self, pairs: pl.DataFrame) -> float:
        """How many records would, on average, if the columns were dealt anew."""
        once = pairs.unique("text")
        return float((once["known"].cast(pl.Float64) * once["held"]).sum()) / self.held.records


def _by_chance(found: int, expected: float, level: float) -> bool:
    """Whether a Poisson number of this mean is so large more often than `level`, by Chernoff's bound.

    >>> _by_chance(1, 1 / 1000, 0.01), _by_chance(3, 1.0, 0.01), _by_chance(6, 1.0, 0.01)
    (False, True, False)
    """
    return found <= expected or exp(found - expected - found * log(found / expected)) > level
