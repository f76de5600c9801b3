"""What the guesses of `kohort inspect` cost beside reading the table with polars.

    KOHORT_DATA=your-folder python -m bench.inspect [--records 1000000] [--runs 5]

Tables of nine columns: of few values, as UCI Adult has (with KOHORT_DATA) and as `tables` makes them, and of numbers
that are nearly all different. Wall seconds of one process, the median of several runs after one that compiles: polars
reads the file as it does by default; kohort reads it, and guesses.
"""

from __future__ import annotations

import argparse
import os
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING

import polars as pl

from bench.tables import DATA, adult, adult_like_csv, table
from kohort.assessment.inspection.guesses import inspect_table
from kohort.io import read

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def seconds(work: Callable[[], object]) -> float:
    """How long some work takes."""
    start = perf_counter()
    work()
    return perf_counter() - start


def measure(name: str, path: Path, runs: int) -> None:
    """Print how long reading and guessing take, and how often as long as polars reads."""
    inspect_table(read(path))
    by_polars = median(seconds(lambda: pl.read_csv(path)) for _ in range(runs))
    reading = median(seconds(lambda: read(path)) for _ in range(runs))
    records = read(path)
    guessing = median(seconds(lambda: inspect_table(records)) for _ in range(runs))
    print(
        f"{name:<12} polars reads {by_polars:.2f} s; kohort reads {reading:.2f} s, guesses {guessing:.2f} s: "
        f"{(reading + guessing) / by_polars:.1f} times as long"
    )


def main() -> None:
    """Print one line per table."""
    parser = argparse.ArgumentParser(description="What inspect costs beside polars.")
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=5)
    asked = parser.parse_args()
    print(f"{asked.records:,} records of nine columns on {os.cpu_count()} cores")
    if DATA:
        measure("Adult-like", adult_like_csv(adult(), asked.records), asked.runs)
    for kind in ("low", "high"):
        measure(kind, table(kind, asked.records), asked.runs)


if __name__ == "__main__":
    main()
