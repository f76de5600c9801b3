"""Every perturbation on the incomes of the register: what it moves, whom it still gives away, and what it takes.

    python -m bench.perturb [--records 30000] [--grouped 1000000]

The first table has the effects as `kohort perturb` measures them, on invented incomes in whole euros, and for the
method of names on professions; *linked* is the share of records whose nearest neighbour among the perturbed cells is
their own. The second averages noise over several releases of the same table: what is drawn anew each time cancels out.
The third has processor
seconds; the fourth those of the groups of MDAV as the records grow, alone.
"""

from __future__ import annotations

import argparse
import time
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from kohort.io.typed import from_frame
from kohort.perturbation.effect import linked_numbers
from kohort.perturbation.microaggregation import mdav
from kohort.perturbation.text import perturbation_of
from kohort.samples.italy import italy
from kohort.tables.amounts import read_numbers
from kohort.tables.perturbing import perturb

if TYPE_CHECKING:
    from kohort.perturbation.base import Amounts
    from kohort.perturbation.effect import Effect
    from kohort.tables.table import Table

#: What is tried, as it is asked for.
METHODS = (
    "annual_income=noise:scale=0.01,lower=0",
    "annual_income=noise:scale=0.1,lower=0",
    "annual_income=noise:scale=1,lower=0",
    "annual_income=rank-swapping:share=0.05",
    "annual_income=microaggregation:k=3",
    "annual_income=microaggregation:k=10",
    "age,annual_income=microaggregation:k=3",
    "annual_income=rounding:step=1000",
    "annual_income=coding:top=100000",
    "annual_income=coding:top=100000,by=mean",
    "profession=post-randomization:keep=0.8",
)

COLUMNS = ("age", "profession", "annual_income")

MISSING = frozenset({""})

#: Releases that are averaged.
RELEASES = (1, 2, 5, 10, 50)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=30_000)
    parser.add_argument("--timed", type=int, default=100_000, help="records of the third table")
    parser.add_argument("--grouped", type=int, default=1_000_000, help="records of the last row of the fourth table")
    given = parser.parse_args()
    table = from_frame(italy(given.records, seed=7).select(COLUMNS))
    effects(table)
    averages(table)
    seconds(from_frame(italy(given.timed, seed=7).select(COLUMNS)))
    growth(given.grouped)


def measured(table: Table, asked: str) -> Effect:
    """What a perturbation did to the last column that it names."""
    one = perturbation_of(asked)
    _, found = perturb(table, [one], missing=MISSING, seed=7)
    return next(effect for effect in found if effect.column == one.columns[-1])


def percent(share: float, digits: int) -> str:
    """A share as it is written."""
    return f"{share * 100:.{digits}f} %"


def effects(table: Table) -> None:
    """One row for each method."""
    incomes = amounts(table)
    print("| asked for | unchanged | mean moves by | variance moves by | correlation with age moves by | linked |")
    print("|---|---|---|---|---|---|")
    print(f"| nothing | 100.0 % | | | | {percent(linked_numbers(incomes, incomes), 2)} |")
    for asked in METHODS:
        found = measured(table, asked)
        drifts = ["" if pair is None else percent(pair[1] / pair[0] - 1, 5) for pair in (found.mean, found.variance)]
        change = "" if found.correlation is None else f"{found.correlation[0]:.4f}"
        unchanged, linked = percent(found.unchanged / found.records, 1), percent(found.linked or 0, 2)
        print(f"| {' | '.join([f'`{asked}`', unchanged, *drifts, change, linked])} |")


def averages(table: Table) -> None:
    """How near the mean of several noisy releases comes to the incomes, and whom it gives away."""
    incomes, noise = amounts(table), perturbation_of("annual_income=noise:scale=0.1,lower=0")
    streams = [np.random.default_rng(place) for place in range(max(RELEASES))]
    made = [noise.perturb([incomes], [stream])[0] for stream in streams]
    print("\n| releases averaged | off by, on average | linked |")
    print("|---|---|---|")
    for several in RELEASES:
        average = np.mean(made[:several], axis=0)
        print(
            f"| {several} | {np.abs(average - incomes).mean():,.0f} | {percent(linked_numbers(incomes, average), 2)} |"
        )


def amounts(table: Table) -> Amounts:
    """The incomes as numbers."""
    numbers = read_numbers(table["annual_income"], MISSING)
    return numbers.of(np.arange(table.records))


def seconds(table: Table) -> None:
    """Processor seconds of each method, the mean of three runs, effects measured too."""
    print(f"\n| of {table.records:,} records | processor seconds |")
    print("|---|---|")
    for asked in METHODS:
        measured(table, asked)  # compiles
        runs: list[float] = []
        for _ in range(3):
            start = time.process_time()
            measured(table, asked)
            runs.append(time.process_time() - start)
        print(f"| `{asked}` | {fmean(runs):.2f} |")


def growth(most: int) -> None:
    """Processor seconds of the groups of MDAV, of numbers with long tails and without ties, which are the dearest."""
    print("\n| records in groups of 3 | two columns | four columns |")
    print("|---|---|---|")
    for records in (most // 100, most // 10, most):
        taken = [f"{grouped(records, columns):.2f}" for columns in (2, 4)]
        print(f"| {records:,} | {' | '.join(taken)} |")


def grouped(records: int, columns: int) -> float:
    """Processor seconds of the groups of so many records."""
    points = np.random.default_rng(7).lognormal(size=(records, columns))
    mdav(points[:10], 3)  # compiles
    start = time.process_time()
    mdav(points, 3)
    return time.process_time() - start


if __name__ == "__main__":
    main()
