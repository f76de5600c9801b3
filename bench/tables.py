"""The tables that benchmarks run on: generated, seeded, written once into bench/out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator

OUT = Path(__file__).parent / "out"

#: Values per quasi-identifier: as in UCI Adult, and wide enough that nearly every tuple is unique.
LOW = (74, 7, 16, 7, 14, 5, 2, 41)
HIGH = (5_000, 16, 400, 1_000, 14, 50_000, 2, 10_000)

#: Above so many values a column is numeric.
WIDE = 100

#: Rows made at a time.
BATCH = 1_000_000


def quasi(cardinality: tuple[int, ...]) -> list[str]:
    """The names of the quasi-identifying columns."""
    return [f"q{place}" for place in range(len(cardinality))]


def table(kind: str, records: int) -> Path:
    """The CSV of `records` records with 8 quasi-identifiers and an income; made on first use.

    Low: numbers and names skewed as in a census. High: mostly uniform numbers, tuples nearly all distinct.
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
            name: _column(generator, place, size, rows, skewed=kind == "low")
            for place, (name, size) in enumerate(zip(quasi(cardinality), cardinality, strict=True))
        }
        yield pl.DataFrame(columns | {"income": generator.integers(8_000, 90_000, rows)})


def _column(generator: np.random.Generator, place: int, size: int, rows: int, *, skewed: bool) -> pl.Series:
    """Wide domains are numbers, as ages, incomes and dates are; of the narrow ones every second is names."""
    uniform = generator.random(rows)
    codes = (uniform**2 * size if skewed else uniform * size).astype(np.int64)
    if place % 2 == 0 or size > WIDE:
        return pl.Series(codes + 10)
    return pl.Series([f"name-{code}" for code in range(size)]).gather(codes)
