"""The tables that benchmarks run on: UCI Adult, or generated, seeded, and written once into bench/out."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from kohort import Attribute, Hierarchy, ReadOptions, Role, Schema, read_hierarchy
from kohort.core.frequency import FrequencySet, group
from kohort.io import read
from kohort.schema import Scale
from kohort.schema.domain import Domain
from kohort.tables.coded import CodedTable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from kohort.arrays import Index

OUT = Path(__file__).parent / "out"

#: The folder with adult.csv and adult-hierarchies/, or nothing.
DATA = os.environ.get("KOHORT_DATA", "")

#: The quasi-identifiers of Adult that have a hierarchy.
ADULT = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
)

#: Records of an Adult-like table that are no record of Adult, and the cells of each that are drawn anew: so many that
#: one million records have some 200,000 distinct tuples.
STRANGE, REDRAWN = 0.4, 4

#: Values per quasi-identifier: as in UCI Adult, and wide enough that nearly every tuple is unique.
LOW = (74, 7, 16, 7, 14, 5, 2, 41)
HIGH = (5_000, 16, 400, 1_000, 14, 50_000, 2, 10_000)

#: Above so many values a column is numeric.
WIDE = 100

#: Days of some 27 years: wider domains are no dates.
DAYS = 10_000

#: Rows made at a time.
BATCH = 1_000_000


def quasi(cardinality: tuple[int, ...]) -> list[str]:
    """The names of the quasi-identifying columns."""
    return [f"q{place}" for place in range(len(cardinality))]


def table(kind: str, records: int) -> Path:
    """The CSV of `records` records with 8 quasi-identifiers and an income; made on first use.

    Low: numbers and names skewed as in a census. High: mostly uniform numbers, tuples nearly all distinct. Names: the
    same, but postal codes with zeros before them and dates, as people have them, in place of wide numbers.
    """
    path = OUT / f"{kind}-{records}.csv"
    if not path.exists():
        OUT.mkdir(exist_ok=True)
        part = path.with_suffix(".part")
        with part.open("wb") as file:
            for number, frame in enumerate(_batches(kind, records)):
                file.write(frame.write_csv(include_header=number == 0).encode())
        part.rename(path)
    return path


def _batches(kind: str, records: int) -> Iterator[pl.DataFrame]:
    cardinality = LOW if kind == "low" else HIGH
    generator = np.random.default_rng(len(kind) + records)
    for start in range(0, records, BATCH):
        rows = min(BATCH, records - start)
        columns = {
            name: _column(generator, place, size, rows, kind)
            for place, (name, size) in enumerate(zip(quasi(cardinality), cardinality, strict=True))
        }
        yield pl.DataFrame(columns | {"income": generator.integers(8_000, 90_000, rows)})


def _column(generator: np.random.Generator, place: int, size: int, rows: int, kind: str) -> pl.Series:
    """Wide domains are numbers, or codes and dates by turns; of the narrow ones every second is names."""
    uniform = generator.random(rows)
    codes = (uniform**2 * size if kind == "low" else uniform * size).astype(np.int64)
    if kind == "names" and size > WIDE:
        if place % 2 == 0 or size > DAYS:
            return pl.Series(f"{code:05}" for code in range(size)).gather(codes)
        days = pl.date_range(date(1990, 1, 1), date(1990, 1, 1) + timedelta(size - 1), eager=True)
        return days.gather(codes)
    if place % 2 == 0 or size > WIDE:
        return pl.Series(codes + 10)
    return pl.Series([f"name-{code}" for code in range(size)]).gather(codes)


# --- tables as an algorithm sees them ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """A table's frequency set, and the domains of its quasi-identifiers."""

    frequency: FrequencySet
    domains: tuple[Domain, ...]


def adult_hierarchy(name: str) -> str:
    """The file of a hierarchy of Adult."""
    return f"{DATA}/adult-hierarchies/adult_hierarchy_{name}.csv"


def adult() -> Coded:
    """The complete records of Adult with nine quasi-identifiers: 12,960 nodes."""
    attributes = (Attribute(name, Role.QUASI, hierarchy=read_hierarchy(adult_hierarchy(name))) for name in ADULT)
    source = read(f"{DATA}/adult.csv", ReadOptions())
    engine = CodedTable(source, Schema(tuple(attributes), rest=Role.IDENTIFYING).over(source.names))
    return Coded(engine.count(), engine.domains)


def adult_like(real: Coded, records: int) -> NDArray[np.uint16]:
    """Codes of Adult's own records, so that every value occurs, and of more drawn from them, some cells anew."""
    generator = np.random.default_rng(records)
    own = np.repeat(real.frequency.quasi, real.frequency.counts, axis=0).astype(np.uint16)
    parts = range(len(own), records, BATCH)
    return np.concatenate([own, *(_drawn(generator, own, min(BATCH, records - start)) for start in parts)])


def _drawn(generator: np.random.Generator, population: NDArray[np.uint16], rows: int) -> NDArray[np.uint16]:
    drawn = population[generator.integers(0, len(population), rows)]
    strange = np.flatnonzero(generator.random(rows) < STRANGE)
    columns = generator.random((strange.size, drawn.shape[1])).argsort(axis=1)[:, :REDRAWN]
    for column in columns.T:
        drawn[strange, column] = population[generator.integers(0, len(population), strange.size), column]
    return drawn


def grouped(codes: NDArray[np.uint16], domains: tuple[Domain, ...]) -> Coded:
    """The table of records that have these codes."""
    grouping = group(codes)
    none = np.empty((grouping.first.size, 0), codes.dtype)
    return Coded(FrequencySet(codes[grouping.first], none, grouping.counts), domains)


def adult_like_csv(real: Coded, records: int) -> Path:
    """The same table as a file; made on first use."""
    path = OUT / f"adult-like-{records}.csv"
    if not path.exists():
        OUT.mkdir(exist_ok=True)
        codes = adult_like(real, records)
        texts = [pl.Series(domain.attribute.name, domain.texts) for domain in real.domains]
        part = path.with_suffix(".part")
        pl.DataFrame([column.gather(codes[:, place]) for place, column in enumerate(texts)]).write_csv(part)
        part.rename(path)
    return path


#: Children of a node in a hierarchy of the wide table, by the hierarchy's height: 25, 64 or 81 values.
FANS = {2: 5, 3: 4, 4: 3}


def wide(records: int, columns: int, seed: int = 0) -> Coded:
    """Many quasi-identifiers with hierarchies of height 2, 3 and 4: from uniform to nearly always the same value."""
    generator = np.random.default_rng(records + columns + seed)
    domains: list[Domain] = []
    codes = np.empty((records, columns), np.uint16)
    for place in range(columns):
        hierarchy = _tree(2 + place % len(FANS))
        drawn = (generator.random(records) ** (1 + place) * len(hierarchy.leaves)).astype(np.int64)
        leaves: Index = np.unique(drawn)
        codes[:, place] = np.searchsorted(leaves, drawn)
        attribute = Attribute(f"q{place}", Role.QUASI, hierarchy=hierarchy)
        texts = tuple(map(hierarchy.leaves.__getitem__, leaves.tolist()))
        ends = (0, len(hierarchy.leaves) - 1)
        domains.append(Domain(attribute, Scale.CATEGORICAL, texts, leaves, ends, hierarchy=hierarchy, leaves=leaves))
    return grouped(codes, tuple(domains))


def _tree(height: int) -> Hierarchy:
    """All of whose nodes have equally many children."""
    fan = FANS[height]
    return Hierarchy.from_rows(
        [*(f"{level}:{leaf // fan**level}" for level in range(height)), "*"] for leaf in range(fan**height)
    )
