"""What every engine does: it counts tuples and recodes records as one would by hand, record by record."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl
import pytest

from kohort import frequency as grouping
from kohort.engines.local import LocalEngine
from kohort.engines.table import Column, Table, narrow
from kohort.hierarchies import from_tree
from kohort.recoding import Classes, Multidimensional, classes_of
from kohort.schema import Attribute, Label, Missing, Role, Schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from kohort.domain import Domain
    from kohort.engines.base import Engine, Recoded
    from kohort.frequency import FrequencySet

MakeEngine: TypeAlias = "Callable[[Table, Schema], Engine]"

#: One record's cells, by column.
Record: TypeAlias = "Mapping[str, str | None]"

REGIONS = from_tree({"Nord": ["Torino", "Milano"], "Sud": ["Bari", "Lecce"]}, root="*")

#: Columns in the order of the file; released quasi-identifiers come in the schema's order, which is the same.
SCHEMA = Schema(
    (
        Attribute("illness", Role.SENSITIVE),
        Attribute("name", Role.IDENTIFYING),
        Attribute("age", Role.QUASI),
        Attribute("city", Role.QUASI, hierarchy=REGIONS),
        Attribute("note", Role.INSENSITIVE),
        Attribute("job", Role.QUASI, label=Label.SET),
    ),
    missing=frozenset({"", "n/a"}),
)

POOLS: Mapping[str, Sequence[str | None]] = {
    "illness": ("flu", "gout", None, "flu", ""),
    "name": tuple(f"person {number}" for number in range(99)),
    "age": ("9", "10", "31", "31.0", "", None, "n/a"),
    "city": ("Bari", "Lecce", "Torino", "", None),
    "note": ("x", "é", "Z", ""),
    "job": ("clerk", "cook, chef", "pilot", "n/a"),
}


@pytest.fixture(params=[LocalEngine], ids=["local"])
def make_engine(request: pytest.FixtureRequest) -> MakeEngine:
    """Each engine in turn."""
    make: MakeEngine = request.param
    return make


def encoded(records: Sequence[Record], schema: Schema = SCHEMA) -> Table:
    """The records as a table; values in the order in which they are first met, as a reader leaves them."""
    columns: list[Column] = []
    for attribute in schema.attributes:
        place: dict[str | None, int] = {}
        codes = np.array([place.setdefault(record[attribute.name], len(place)) for record in records], dtype=np.int64)
        values = pl.Series(attribute.name, list(place), dtype=pl.String)
        columns.append(Column(attribute.name, values, narrow(codes, len(place)), pl.String()))
    return Table(tuple(columns), len(records))


def cells(column: Column) -> list[str | None]:
    """The cells of a column, record by record."""
    values: list[str | None] = column.values.to_list()
    return [values[int(code)] for code in column.codes]


def rows(table: Table) -> list[tuple[str | None, ...]]:
    """The cells of a table, record by record."""
    return list(zip(*(cells(column) for column in table.columns), strict=True))


def drawn(seed: int, records: int) -> list[Record]:
    """Some records, many of them alike."""
    draw = np.random.default_rng([seed, records])
    sizes = {name: int(draw.integers(1, len(pool) + 1)) for name, pool in POOLS.items()}
    return [{name: pool[int(draw.integers(sizes[name]))] for name, pool in POOLS.items()} for _ in range(records)]


def suppressing(*names: str) -> Schema:
    """The schema, where a missing value in one of these columns suppresses the record."""
    attributes = [
        Attribute(one.name, one.role, hierarchy=one.hierarchy, label=one.label, missing=Missing.SUPPRESS)
        if one.name in names
        else one
        for one in SCHEMA.attributes
    ]
    return Schema(tuple(attributes), SCHEMA.missing)


# ── By hand ──────────────────────────────────────────────────────────────────────────────────────


def code_of(domain: Domain, cell: str | None) -> int:
    """The code of a cell, looked up in the domain's texts; numbers by what they are worth."""
    if cell is None or cell in SCHEMA.missing:
        return domain.missing
    if domain.scale == "numeric":
        return next(at for at, text in enumerate(domain.texts) if text and Fraction(text) == Fraction(cell))
    return domain.texts.index(cell)


@dataclass(frozen=True)
class ByHand:
    """What an engine holds, record by record.

    Attributes:
        records: All records.
        kept: Which of them are released, if no column says that a missing value suppresses them.
        tuples: The quasi-identifying and sensitive codes of each kept record.
    """

    records: Sequence[Record]
    kept: Sequence[int]
    tuples: Sequence[tuple[int, ...]]

    @classmethod
    def of(cls, records: Sequence[Record], schema: Schema, engine: Engine, sensitive: Sequence[str] = ()) -> ByHand:
        """Look at every record."""
        strict = [one.name for one in schema.quasi if one.missing is Missing.SUPPRESS]
        gone = {None, *schema.missing}
        kept = [at for at, record in enumerate(records) if not any(record[name] in gone for name in strict)]
        ranks = {name: _ranked(record[name] for record in records) for name in sensitive}
        tuples = [
            (
                *(code_of(domain, records[at][domain.attribute.name]) for domain in engine.domains),
                *(ranks[name].index(records[at][name]) for name in sensitive),
            )
            for at in kept
        ]
        return cls(records, kept, tuples)

    def expected(self, regions: Sequence[int], classes: Classes, schema: Schema) -> list[tuple[str | None, ...]]:
        """The rows of the release, in its order, where `regions` has the region of each kept record."""
        quasi = [attribute.name for attribute in schema.quasi]
        others = [attribute.name for attribute in schema.released if attribute.name not in quasi]
        released: list[dict[str, str | None]] = []
        for at, region in zip(self.kept, regions, strict=True):
            row = {name: self.records[at][name] for name in others}
            for name, labels in zip(quasi, classes.labels, strict=True):
                text = labels.texts[int(labels.of[region])]
                has_null = any(record[name] is None for record in self.records)
                row[name] = text or (None if has_null else "")
            released.append(row)
        released.sort(key=lambda row: [_by_bytes(row[name]) for name in (*quasi, *others)])
        return [tuple(row[attribute.name] for attribute in schema.released) for row in released]


def _by_bytes(text: str | None) -> tuple[bool, bytes]:
    return text is not None, (text or "").encode()


def _ranked(texts: Iterable[str | None]) -> list[str | None]:
    return sorted(set(texts), key=_by_bytes)


# ── Counting ─────────────────────────────────────────────────────────────────────────────────────


def tuples_of(frequency: FrequencySet) -> list[tuple[int, ...]]:
    """The codes of each tuple."""
    return [tuple(row) for row in np.concatenate([frequency.quasi, frequency.sensitive], axis=1).tolist()]


@pytest.mark.parametrize("records", [0, 1, 7, 60])
@pytest.mark.parametrize("sensitive", [(), ("illness",), ("note", "illness")])
@pytest.mark.parametrize("schema", [SCHEMA, suppressing("age"), suppressing("age", "job")], ids=["all", "age", "both"])
def test_tuples_are_counted(make_engine: MakeEngine, records: int, sensitive: tuple[str, ...], schema: Schema) -> None:
    """The frequency set holds each distinct tuple and its records; records that the schema suppresses are out."""
    for seed in range(5):
        people = drawn(seed, records)
        engine = make_engine(encoded(people, schema), schema)
        by_hand = ByHand.of(people, schema, engine, sensitive)
        frequency = engine.count(sensitive, distinct=True)
        assert len(set(tuples_of(frequency))) == len(frequency.quasi)
        assert dict(zip(tuples_of(frequency), frequency.counts.tolist(), strict=True)) == Counter(by_hand.tuples)
        assert frequency.sensitive_sizes == tuple(len({record[name] for record in people}) for name in sensitive)
        assert engine.suppressed == records - len(by_hand.kept)
        assert frequency.records == len(by_hand.kept)


def test_tuples_need_not_be_distinct(make_engine: MakeEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where grouping saves nothing equal tuples may stand apart, unless distinct ones are asked for."""
    monkeypatch.setattr(grouping, "PROBE", 3)
    people = [{**record, "age": str(age % 9)} for age, record in enumerate(drawn(1, 20))]
    engine = make_engine(encoded(people), SCHEMA)
    by_hand = ByHand.of(people, SCHEMA, engine)
    apart = engine.count()
    assert tuples_of(apart) == list(by_hand.tuples)
    assert apart.counts.tolist() == [1] * 20
    assert Counter(tuples_of(engine.count(distinct=True))) == Counter(set(by_hand.tuples))


def test_wide_domains_have_wide_codes(make_engine: MakeEngine) -> None:
    """From 65,537 values on codes have 32 bits, in every column."""
    for values, dtype in ((1 << 16, np.uint16), ((1 << 16) + 1, np.uint32)):
        ages = pl.Series("age", [str(age) for age in range(values)])
        table = Table((Column("age", ages, narrow(np.arange(values), values), pl.String()),), values)
        frequency = make_engine(table, Schema.of(quasi=["age"])).count()
        assert frequency.quasi.dtype == dtype
        assert frequency.quasi[:, 0].tolist() == list(range(values))


# ── Recoding ─────────────────────────────────────────────────────────────────────────────────────


def recoding_of(frequency: FrequencySet, pieces: Mapping[tuple[int, int], int]) -> Multidimensional:
    """The recoding whose pieces, by tuple and region, have these records."""
    tuples, regions = (
        (np.array(part, dtype=np.int64).reshape(-1) for part in zip(*pieces, strict=True))
        if pieces
        else (
            np.empty(0, np.int64),
            np.empty(0, np.int64),
        )
    )
    counts = np.array(list(pieces.values()), dtype=np.int64)
    inside = [frequency.quasi[tuples[regions == region]] for region in range(int(regions.max(initial=-1)) + 1)]
    shape = (len(inside), frequency.quasi.shape[1])
    low = np.array([codes.min(axis=0) for codes in inside], dtype=np.uint16).reshape(shape)
    high = np.array([codes.max(axis=0) for codes in inside], dtype=np.uint16).reshape(shape)
    return Multidimensional(tuples, regions, counts, low, high)


def whole(frequency: FrequencySet, draw: np.random.Generator) -> dict[tuple[int, int], int]:
    """Every tuple to one region."""
    tuples = len(frequency.quasi)
    regions: list[int] = np.unique(draw.integers(0, 6, tuples), return_inverse=True)[1].tolist()
    return dict(zip(enumerate(regions), frequency.counts.tolist(), strict=True))


def dealt(frequency: FrequencySet, draw: np.random.Generator) -> dict[tuple[int, int], int]:
    """The records of a tuple to several regions."""
    numbers = np.unique(draw.integers(0, 5, frequency.records), return_inverse=True)[1]
    tuples = np.repeat(np.arange(frequency.counts.size), frequency.counts)
    return dict(sorted(Counter(zip(tuples.tolist(), numbers.tolist(), strict=True)).items()))


def regions_by_hand(
    by_hand: ByHand, frequency: FrequencySet, pieces: Mapping[tuple[int, int], int], others: Sequence[str]
) -> list[int]:
    """The region of each kept record: a tuple's records in the order of their content, its regions in theirs."""
    regions = dict.fromkeys(range(len(by_hand.kept)), -1)
    for number, codes in enumerate(tuples_of(frequency)):
        alike = [place for place, one in enumerate(by_hand.tuples) if one == codes]
        alike.sort(key=lambda place: [_by_bytes(by_hand.records[by_hand.kept[place]][name]) for name in others])
        to = [region for (piece, region), count in pieces.items() if piece == number for _ in range(count)]
        regions |= zip(alike, to, strict=True)
    return list(regions.values())


def released(
    make_engine: MakeEngine,
    people: Sequence[Record],
    schema: Schema,
    share: Callable[[FrequencySet, np.random.Generator], dict[tuple[int, int], int]],
    seed: int,
) -> tuple[Recoded, list[tuple[str | None, ...]]]:
    """A release by the engine, and its rows by hand."""
    engine = make_engine(encoded(people, schema), schema)
    sensitive = tuple(one.name for one in schema.sensitive) if share is dealt else ()
    frequency = engine.count(sensitive, distinct=True)
    pieces = share(frequency, np.random.default_rng(seed))
    recoding = recoding_of(frequency, pieces)
    classes = classes_of(recoding, frequency, tuple(engine.domains))
    by_hand = ByHand.of(people, schema, engine, sensitive)
    others = [one.name for one in schema.released if one.role is not Role.QUASI]
    regions = regions_by_hand(by_hand, frequency, pieces, others)
    return engine.recode(recoding, classes), by_hand.expected(regions, classes, schema)


@pytest.mark.parametrize("records", [0, 1, 6, 40])
@pytest.mark.parametrize("share", [whole, dealt])
@pytest.mark.parametrize("schema", [SCHEMA, suppressing("age"), suppressing("age", "job")], ids=["all", "age", "both"])
def test_records_are_recoded(
    make_engine: MakeEngine,
    records: int,
    share: Callable[[FrequencySet, np.random.Generator], dict[tuple[int, int], int]],
    schema: Schema,
) -> None:
    """A release holds the labels of each record's region and its other cells, in the order of its own content."""
    for seed in range(5):
        people = drawn(seed, records)
        recoded, expected = released(make_engine, people, schema, share, seed)
        assert recoded.table.names == ("illness", "age", "city", "note", "job")
        assert recoded.table.records == len(expected)
        assert rows(recoded.table) == expected


@pytest.mark.parametrize("schema", [SCHEMA, suppressing("age")], ids=["all", "age"])
def test_lineage_tells_where_records_come_from(make_engine: MakeEngine, schema: Schema) -> None:
    """Each released record is one input record, no two the same, and has its cells."""
    people = drawn(2, 40)
    recoded, expected = released(make_engine, people, schema, whole, 2)
    lineage = recoded.lineage.tolist()
    assert len(set(lineage)) == len(expected)
    for name in ("illness", "note"):
        assert cells(recoded.table[name]) == [people[at][name] for at in lineage]
    regions = [row[1:3] for row in expected]
    kept = [at for at, record in enumerate(people) if schema is SCHEMA or record["age"] not in {None, "", "n/a"}]
    assert sorted(lineage) == kept
    assert [row[1:3] for row in rows(recoded.table)] == regions


@pytest.mark.parametrize("share", [whole, dealt])
def test_values_that_do_not_occur_are_dropped(
    make_engine: MakeEngine, share: Callable[[FrequencySet, np.random.Generator], dict[tuple[int, int], int]]
) -> None:
    """The values of a released column are those of its cells, each once: a dictionary must not tell more."""
    for schema in (SCHEMA, suppressing("age", "city", "job")):
        recoded, _ = released(make_engine, drawn(3, 30), schema, share, 3)
        for column in recoded.table.columns:
            values: list[str | None] = column.values.to_list()
            assert len(values) == len(set(values))
            assert set(values) == set(cells(column))


@pytest.mark.parametrize("share", [whole, dealt])
def test_the_order_of_records_does_not_matter(
    make_engine: MakeEngine, share: Callable[[FrequencySet, np.random.Generator], dict[tuple[int, int], int]]
) -> None:
    """The same records in another order are recoded to the same rows."""
    people = drawn(4, 30)
    first, pieces = _in_order_of_codes(make_engine, people, share, None)
    for seed in range(5):
        order: list[int] = np.random.default_rng(seed).permutation(len(people)).tolist()
        shuffled = [people[at] for at in order]
        again, _ = _in_order_of_codes(make_engine, shuffled, share, pieces)
        assert again == first


def _in_order_of_codes(
    make_engine: MakeEngine,
    people: Sequence[Record],
    share: Callable[[FrequencySet, np.random.Generator], dict[tuple[int, int], int]],
    given: Mapping[tuple[int, ...], Mapping[int, int]] | None,
) -> tuple[list[tuple[str | None, ...]], Mapping[tuple[int, ...], Mapping[int, int]]]:
    """The rows of a release, and the regions of each tuple by its codes: those `given`, else drawn ones."""
    engine = make_engine(encoded(people), SCHEMA)
    frequency = engine.count(("illness",), distinct=True)
    names = tuples_of(frequency)
    if given is None:
        pieces = share(frequency, np.random.default_rng(0))
        given = {
            name: {region: count for (piece, region), count in pieces.items() if piece == number}
            for number, name in enumerate(names)
        }
    else:
        pieces = {(number, region): count for number, name in enumerate(names) for region, count in given[name].items()}
    recoding = recoding_of(frequency, pieces)
    classes = classes_of(recoding, frequency, tuple(engine.domains))
    return rows(engine.recode(recoding, classes).table), given


def test_near_unique_records_are_recoded_alike(make_engine: MakeEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that was not grouped is recoded record by record."""
    monkeypatch.setattr(grouping, "PROBE", 3)
    people = [{**record, "age": str(age)} for age, record in enumerate(drawn(5, 30))]
    engine = make_engine(encoded(people), SCHEMA)
    frequency = engine.count()
    pieces = {(number, number % 4): 1 for number in range(30)}
    recoding = recoding_of(frequency, pieces)
    classes = classes_of(recoding, frequency, tuple(engine.domains))
    by_hand = ByHand.of(people, SCHEMA, engine)
    expected = by_hand.expected([number % 4 for number in range(30)], classes, SCHEMA)
    assert rows(engine.recode(recoding, classes).table) == expected


def test_the_type_of_a_source_is_kept(make_engine: MakeEngine) -> None:
    """Cells that stay as they are keep their source's type; labels are text."""
    people = drawn(6, 5)
    table = encoded(people)
    typed = [
        Column(column.name, column.values, column.codes, pl.Date() if column.name in {"note", "age"} else column.dtype)
        for column in table.columns
    ]
    engine = make_engine(Table(tuple(typed), table.records), SCHEMA)
    frequency = engine.count()
    recoding = recoding_of(frequency, {(number, 0): count for number, count in enumerate(frequency.counts.tolist())})
    recoded = engine.recode(recoding, classes_of(recoding, frequency, tuple(engine.domains)))
    assert (recoded.table["note"].dtype, recoded.table["age"].dtype) == (pl.Date(), pl.String())
