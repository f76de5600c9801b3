"""A coded table counts tuples and recodes records as one would by hand, record by record."""

from __future__ import annotations

import io
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias
from zlib import crc32

import numpy as np
import polars as pl
import pytest

import kohort
from kohort.algorithms.lattice.judge import full_domain
from kohort.algorithms.problem import Problem
from kohort.core import frequency as grouping
from kohort.core.recoding import FullDomain, Multidimensional, classes_of
from kohort.io.forms import Format
from kohort.io.write import write
from kohort.models.k_anonymity import KAnonymity
from kohort.schema import Role, Schema
from kohort.tables.coded import CodedTable
from kohort.tables.table import Column, Table, narrow
from tests.jobs import freely
from tests.unit.tables.by_hand import (
    LEVELS,
    SCHEMA,
    ByHand,
    by_content,
    cells,
    drawn,
    encoded,
    rows,
    suppressing,
    tuples_of,
    value_code,
    values_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from kohort.core.frequency import FrequencySet
    from kohort.core.lattice import Node
    from kohort.core.recoding import Recoding
    from kohort.schema.domain import Domain
    from kohort.tables.coded import Recoded
    from tests.unit.tables.by_hand import Record


# ── Counting ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("records", [0, 1, 7, 60])
@pytest.mark.parametrize("sensitive", [(), ("illness",), ("note", "illness")])
@pytest.mark.parametrize(
    "schema",
    [SCHEMA, suppressing(SCHEMA, "age"), suppressing(SCHEMA, "age", "illness")],
    ids=["all", "age", "both"],
)
def test_tuples_are_counted(records: int, sensitive: tuple[str, ...], schema: Schema) -> None:
    """The frequency set holds each distinct tuple and its records; records that the schema suppresses are out."""
    for seed in range(5):
        people = drawn(seed, records)
        engine = CodedTable(encoded(people, schema), schema)
        by_hand = ByHand.of(people, schema, engine, sensitive)
        frequency = engine.count(sensitive, distinct=True)
        assert len(set(tuples_of(frequency))) == len(frequency.quasi)
        assert dict(zip(tuples_of(frequency), frequency.counts.tolist(), strict=True)) == Counter(by_hand.tuples)
        for domain in frequency.sensitive_domains:
            known = values_of(people, domain.name)
            codes = Counter(value_code(record[domain.name], known) for record in people)
            assert domain.reference.tolist() == [codes[value] for value in range(len(known))]
        assert {domain.name for domain in frequency.sensitive_domains} == set(sensitive)
        assert engine.suppressed == records - len(by_hand.kept)
        assert frequency.records == len(by_hand.kept)


def test_tuples_need_not_be_distinct(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where grouping saves nothing equal tuples may stand apart, unless distinct ones are asked for."""
    monkeypatch.setattr(grouping, "PROBE", 3)
    people = [{**record, "age": str(age % 9)} for age, record in enumerate(drawn(1, 20))]
    engine = CodedTable(encoded(people), SCHEMA)
    by_hand = ByHand.of(people, SCHEMA, engine)
    apart = engine.count()
    assert tuples_of(apart) == list(by_hand.tuples)
    assert apart.counts.tolist() == [1] * 20
    assert Counter(tuples_of(engine.count(distinct=True))) == Counter(set(by_hand.tuples))


def test_wide_domains_have_wide_codes() -> None:
    """From 65,537 values on codes have 32 bits, in every column."""
    for values, dtype in ((1 << 16, np.uint16), ((1 << 16) + 1, np.uint32)):
        ages = pl.Series("age", [str(age) for age in range(values)])
        table = Table((Column("age", ages, narrow(np.arange(values), values), pl.String()),), values)
        frequency = CodedTable(table, Schema.of(quasi=["age"])).count()
        assert frequency.quasi.dtype == dtype
        assert frequency.quasi[:, 0].tolist() == list(range(values))


# ── Recoding ─────────────────────────────────────────────────────────────────────────────────────

#: Makes a recoding from what the tuples hold, whatever their order; another one for each seed.
Kind: TypeAlias = "Callable[[FrequencySet, Sequence[Domain], int], Recoding]"


def number(*content: object) -> int:
    """Some number that depends on the content alone."""
    return crc32(repr(content).encode())


def recoding_of(frequency: FrequencySet, pieces: Sequence[tuple[int, int, int]]) -> Multidimensional:
    """The recoding whose pieces are of these tuples, in these regions, and have so many records."""
    tuples, regions, counts = np.array(sorted(pieces), dtype=np.int64).reshape(-1, 3).T
    regions = np.unique(regions, return_inverse=True)[1]
    inside = [frequency.quasi[tuples[regions == region]] for region in range(int(regions.max(initial=-1)) + 1)]
    shape = (len(inside), frequency.quasi.shape[1])
    low = np.array([codes.min(axis=0) for codes in inside], dtype=np.uint16).reshape(shape)
    high = np.array([codes.max(axis=0) for codes in inside], dtype=np.uint16).reshape(shape)
    return Multidimensional(tuples, regions, counts, low, high)


def whole(frequency: FrequencySet, _: Sequence[Domain], seed: int) -> Multidimensional:
    """Every tuple to one region."""
    codes, counts = tuples_of(frequency), frequency.counts.tolist()
    return recoding_of(frequency, [(at, number(seed, codes[at]) % 6, count) for at, count in enumerate(counts)])


def dealt(frequency: FrequencySet, _: Sequence[Domain], seed: int) -> Multidimensional:
    """The records of a tuple to several regions."""
    codes, counts = tuples_of(frequency), frequency.counts.tolist()
    records = ((at, number(seed, codes[at], one) % 5) for at, count in enumerate(counts) for one in range(count))
    return recoding_of(frequency, [(*piece, count) for piece, count in Counter(records).items()])


def on_levels(frequency: FrequencySet, domains: Sequence[Domain], seed: int) -> FullDomain:
    """Every attribute to some level; about a third of the classes are suppressed."""
    hierarchies = [domain.hierarchy for domain in domains if domain.hierarchy is not None]
    levels = tuple(number(seed, place) % (one.height + 1) for place, one in enumerate(hierarchies))
    leaves = [[int(domain.leaves[code]) for domain, code in zip(domains, row, strict=True)] for row in frequency.quasi]
    maps = [hierarchy.maps[level].tolist() for hierarchy, level in zip(hierarchies, levels, strict=True)]
    nodes = [tuple(of[leaf] for of, leaf in zip(maps, row, strict=True)) for row in leaves]
    return keeping(levels, nodes, {node for node in nodes if number(seed, node) % 3})


def keeping(levels: Node, nodes: Sequence[Node], kept: Collection[Node]) -> FullDomain:
    """The recoding of tuples to `nodes` where these classes are kept and the others suppressed."""
    regions = sorted(kept)
    of = np.array([regions.index(node) if node in kept else -1 for node in nodes], dtype=np.int64)
    return FullDomain(levels, np.array(regions, dtype=np.int64).reshape(-1, len(levels)), of)


def regions_by_hand(
    by_hand: ByHand, frequency: FrequencySet, recoding: Recoding, others: Sequence[str]
) -> Sequence[int]:
    """The region of each kept record: a tuple's records in the order of their content, its regions in theirs."""
    regions = [-1] * len(by_hand.kept)
    for at, codes in enumerate(tuples_of(frequency)):
        alike = [place for place, one in enumerate(by_hand.tuples) if one == codes]
        alike.sort(key=lambda place: by_content([by_hand.records[by_hand.kept[place]][name] for name in others]))
        if isinstance(recoding, FullDomain):
            to = [int(recoding.of[at])] * len(alike)
        else:
            pieces = recoding.tuples == at
            to = recoding.regions[pieces].repeat(recoding.counts[pieces]).tolist()
        for place, region in zip(alike, to, strict=True):
            regions[place] = region
    return regions


#: Tables and recodings of all sorts; see `test_the_drawn_tables_have_both_kinds_of_suppression`.
SEEDS = range(8)

#: What is released: everybody, or whoever tells the age, or that and the job.
SUPPRESSING = pytest.mark.parametrize("strict", [(), ("age",), ("age", "job")], ids=["all", "age", "both"])

#: Every kind of recoding, and a schema that goes with it.
KINDS = pytest.mark.parametrize(
    ("kind", "schema"), [(whole, SCHEMA), (dealt, SCHEMA), (on_levels, LEVELS)], ids=["whole", "dealt", "on-levels"]
)


@dataclass(frozen=True)
class Result:
    """What an engine released, and what was due.

    Attributes:
        recoded: The release.
        expected: Its rows by hand.
        suppressed: Records that the recoding suppresses, and that the schema does.
    """

    recoded: Recoded
    expected: Sequence[tuple[str | None, ...]]
    suppressed: tuple[int, int]


def released(people: Sequence[Record], schema: Schema, kind: Kind, seed: int) -> Result:
    """A release by the engine, and the same by hand."""
    engine = CodedTable(encoded(people, schema), schema)
    sensitive = tuple(one.name for one in schema.sensitive) if kind is dealt else ()
    frequency = engine.count(sensitive, distinct=True)
    recoding = kind(frequency, engine.domains, seed)
    classes = classes_of(recoding, frequency, tuple(engine.domains))
    by_hand = ByHand.of(people, schema, engine, sensitive)
    others = [one.name for one in schema.released if one.role is not Role.QUASI]
    regions = regions_by_hand(by_hand, frequency, recoding, others)
    expected = by_hand.expected(regions, classes, schema)
    return Result(engine.recode(recoding, classes), expected, (classes.suppressed, engine.suppressed))


@pytest.mark.parametrize("records", [0, 1, 6, 40])
@KINDS
@SUPPRESSING
def test_records_are_recoded(records: int, kind: Kind, schema: Schema, strict: tuple[str, ...]) -> None:
    """A release holds the labels of each record's region and its other cells, in the order of its own content.

    Records without a region, and those that the schema suppresses, are in none of its columns.
    """
    for seed in SEEDS:
        people = drawn(seed, records)
        result = released(people, suppressing(schema, *strict), kind, seed)
        recoded = result.recoded
        assert recoded.table.names == ("illness", "age", "city", "note", "job")
        assert recoded.table.records == len(recoded.lineage) == records - sum(result.suppressed)
        assert rows(recoded.table) == result.expected


def test_many_sets_are_written_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """As each by itself: names with commas, missing ones, and sets of different sizes."""
    names = [f"town {at}" if at % 5 else f"town, {at}" for at in range(60)]
    table = pl.DataFrame({"town": [*names, *names[:20], ""], "age": [str(at * at % 61) for at in range(81)]})
    job = freely(kohort.Job.of(Schema.of(quasi=["town", "age"]), KAnonymity(4)))
    one_by_one = rows(kohort.anonymize(table, job).table)
    assert len({str(town).count("town") for town, _ in one_by_one}) > 1
    monkeypatch.setattr("kohort.tables.coded._FEW", 0)
    monkeypatch.setattr("kohort.tables.coded.Sets.text", None)
    assert rows(kohort.anonymize(table, job).table) == one_by_one


def test_the_drawn_tables_have_both_kinds_of_suppression() -> None:
    """Some are suppressed by the schema and by the recoding at once, and some labels are null."""
    schema = suppressing(LEVELS, "age", "job")
    results = [released(drawn(seed, 40), schema, on_levels, seed) for seed in SEEDS]
    assert sum(min(result.suppressed) > 0 for result in results) > 1
    assert any(None in cells(result.recoded.table["city"]) for result in results)


@KINDS
@SUPPRESSING
def test_lineage_tells_where_records_come_from(kind: Kind, schema: Schema, strict: tuple[str, ...]) -> None:
    """Each released record is one input record, no two the same, and has its cells."""
    people = drawn(2, 40)
    recoded = released(people, suppressing(schema, *strict), kind, 2).recoded
    lineage: list[int] = recoded.lineage.tolist()
    assert len(set(lineage)) == recoded.table.records
    for name in ("illness", "note"):
        assert cells(recoded.table[name]) == [people[at][name] for at in lineage]
    assert not any(people[at][name] in {None, *schema.missing} for at in lineage for name in strict)


@KINDS
@SUPPRESSING
def test_values_that_do_not_occur_are_dropped(kind: Kind, schema: Schema, strict: tuple[str, ...]) -> None:
    """The values of a released column are those of its cells, each once: a dictionary must not tell more."""
    for seed in SEEDS:
        recoded = released(drawn(seed, 30), suppressing(schema, *strict), kind, seed).recoded
        for column in recoded.table.columns:
            values: list[str | None] = column.values.to_list()
            assert len(values) == len(set(values))
            assert set(values) == set(cells(column))


@KINDS
@SUPPRESSING
@pytest.mark.parametrize("format_", [Format.CSV, Format.PARQUET])
def test_the_order_of_records_does_not_matter(
    kind: Kind, schema: Schema, strict: tuple[str, ...], format_: Format
) -> None:
    """The same records in another order are released as the same bytes."""
    people, schema = drawn(4, 30), suppressing(schema, *strict)
    first = written(released(people, schema, kind, 4).recoded.table, format_)
    for seed in range(5):
        order: list[int] = np.random.default_rng(seed).permutation(len(people)).tolist()
        again = released([people[at] for at in order], schema, kind, 4).recoded.table
        assert written(again, format_) == first


def written(table: Table, format_: Format) -> bytes:
    """The bytes of a released table."""
    file = io.BytesIO()
    write(table, file, format_)
    return file.getvalue()


def test_full_domain_by_hand() -> None:
    """Labels are the nodes of the levels; a class that is not kept is gone with all that only it held."""
    names = ("illness", "name", "age", "city", "note", "job")
    people: list[Record] = [
        dict(zip(names, record, strict=True))
        for record in (
            ("flu", "a", "31", "Bari", "x", "cook"),
            ("gout", "b", "9", "Torino", "only here", "pilot"),
            ("flu", "c", "38", "Lecce", None, "cook"),
            ("cold", "d", None, "Bari", "y", "cook"),
            ("asthma", "e", "33", "n/a", "z", "cook"),
        )
    ]
    schema = suppressing(LEVELS, "age")
    engine = CodedTable(encoded(people, schema), schema)
    frequency = engine.count(distinct=True)
    recoding = full_domain(Problem(frequency, tuple(engine.domains), (KAnonymity(2),)), (1, 1, 0))
    recoded = engine.recode(recoding, classes_of(recoding, frequency, tuple(engine.domains)))
    assert rows(recoded.table) == [
        ("flu", "[30-40)", "Sud", None, "cook"),
        ("flu", "[30-40)", "Sud", "x", "cook"),
    ]
    assert recoded.lineage.tolist() == [2, 0]
    assert engine.suppressed == 1


@SUPPRESSING
def test_everybody_may_be_suppressed(strict: tuple[str, ...]) -> None:
    """A recoding without a region leaves a table without records or values."""
    schema = suppressing(LEVELS, *strict)

    def nobody(frequency: FrequencySet, domains: Sequence[Domain], _: int) -> FullDomain:
        return keeping((0,) * len(domains), [(0, 0, 0)] * len(frequency.counts), ())

    result = released(drawn(7, 30), schema, nobody, 0)
    assert sum(result.suppressed) == 30
    assert result.recoded.table.records == result.recoded.lineage.size == 0
    assert result.recoded.table.names == ("illness", "age", "city", "note", "job")
    assert all(len(column.values) == column.codes.size == 0 for column in result.recoded.table.columns)
    assert written(result.recoded.table, Format.CSV) == b"illness,age,city,note,job\n"


@SUPPRESSING
def test_everybody_may_be_one_class(strict: tuple[str, ...]) -> None:
    """At the top of the lattice all labels are the roots, of missing values too."""
    schema = suppressing(LEVELS, *strict)

    def top(frequency: FrequencySet, domains: Sequence[Domain], _: int) -> FullDomain:
        levels = tuple(domain.hierarchy.height for domain in domains if domain.hierarchy is not None)
        return keeping(levels, [(0, 0, 0)] * len(frequency.counts), [(0, 0, 0)])

    result = released(drawn(7, 30), schema, top, 0)
    assert result.suppressed[0] == 0
    assert {(row[1], row[2], row[4]) for row in rows(result.recoded.table)} == {("*", "*", "*")}
    assert rows(result.recoded.table) == result.expected


def test_near_unique_records_are_recoded_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that was not grouped is recoded record by record, some of them suppressed."""
    monkeypatch.setattr(grouping, "PROBE", 3)
    people = [{**record, "age": str(age)} for age, record in enumerate(drawn(5, 30))]
    for kind, schema in ((whole, SCHEMA), (on_levels, LEVELS)):
        engine = CodedTable(encoded(people, schema), schema)
        frequency = engine.count()
        recoding = kind(frequency, engine.domains, 5)
        classes = classes_of(recoding, frequency, tuple(engine.domains))
        by_hand = ByHand.of(people, schema, engine)
        expected = by_hand.expected(regions_by_hand(by_hand, frequency, recoding, ("illness", "note")), classes, schema)
        assert rows(engine.recode(recoding, classes).table) == expected


def test_the_type_of_a_source_is_kept() -> None:
    """Cells that stay as they are keep their source's type, and labels have it where each is one of it."""
    people = drawn(6, 5)
    table = encoded(people)
    typed = [
        Column(column.name, column.values, column.codes, pl.Date() if column.name in {"note", "age"} else column.dtype)
        for column in table.columns
    ]
    engine = CodedTable(Table(tuple(typed), table.records), SCHEMA)
    frequency = engine.count()
    recoding = whole(frequency, engine.domains, 6)
    recoded = engine.recode(recoding, classes_of(recoding, frequency, tuple(engine.domains)))
    assert (recoded.table["note"].dtype, recoded.table["age"].dtype) == (pl.Date(), pl.Date())
