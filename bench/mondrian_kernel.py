"""Strict Mondrian on near-unique tuples: CPU per million, and whether it grows like n log2(n/k).

    python -m bench.mondrian_kernel [--records 100000 1000000] [--k 5] [--threads 1] [--plot FILE]

Eight uniform columns of 16 bits. The last column divides the CPU time by n log2(n/k): it stays level, or falls, where
the growth is as claimed.
"""

from __future__ import annotations

import argparse
import math
import time
from fractions import Fraction
from importlib import import_module
from typing import NamedTuple

import numpy as np

from kohort.algorithms.mondrian.sizes import rule_for, strict_by_size
from kohort.core.frequency import FrequencySet

#: Rows of the tables, from where fixed costs are small to where memory is far.
RECORDS = (100_000, 200_000, 500_000, 1_000_000, 2_000_000, 4_000_000)

#: Quasi-identifiers.
DIMENSIONS = 8

#: Values of each.
VALUES = 1 << 16


class Run(NamedTuple):
    """One table cut: seconds on the CPU and on the clock, and leaves."""

    cpu: float
    wall: float
    leaves: int


def run(records: int, k: int, threads: int) -> Run:
    """Cut a table of `records` near-unique tuples."""
    codes = np.random.default_rng(records).integers(0, VALUES, (records, DIMENSIONS)).astype(np.uint16)
    frequency = FrequencySet(codes, np.empty((records, 0), np.uint16), np.ones(records, np.int64))
    scale = np.arange(VALUES, dtype=np.int64)
    rule = rule_for([scale] * DIMENSIONS, [Fraction(1, VALUES - 1)] * DIMENSIONS, k, nearest=True)
    if rule is None:
        raise SystemExit("the ratios of equal widths fit any integer")
    cpu, wall = time.process_time(), time.perf_counter()
    leaves = strict_by_size(frequency, rule, threads).depths.size
    return Run(time.process_time() - cpu, time.perf_counter() - wall, leaves)


def plot(records: list[int], runs: list[Run], k: int, file: str) -> None:
    """Draw CPU time over n log2(n/k): a straight line through the origin, if the growth is as claimed."""
    figure = import_module("matplotlib.figure").Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    work = [n * math.log2(n / k) / 1e6 for n in records]
    axes.plot(work, [one.cpu for one in runs], "o-")
    axes.set(xlabel="n·log2(n/k), millions", ylabel="CPU seconds", xlim=0, ylim=0, title=f"strict Mondrian, k = {k}")
    figure.savefig(file)


def main() -> None:
    """Print the table; draw it if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, nargs="+", default=RECORDS)
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--plot", metavar="FILE", help="draw CPU over n log2(n/k), with matplotlib")
    options = parser.parse_args()
    k, threads, records = int(options.k), int(options.threads), list(options.records)
    run(1000, k, threads)
    print(f"{'records':>10} {'leaves':>9} {'CPU s':>7} {'wall s':>7} {'s/million':>9} {'ns/(n log2(n/k))':>17}")
    runs: list[Run] = []
    for n in records:
        runs.append(best := min(run(n, k, threads) for _ in range(3)))
        per_step = best.cpu / (n * math.log2(n / k)) * 1e9
        print(
            f"{n:>10} {best.leaves:>9} {best.cpu:>7.3f} {best.wall:>7.3f} {best.cpu / n * 1e6:>9.3f} {per_step:>17.1f}"
        )
    if options.plot:
        plot(records, runs, k, options.plot)


if __name__ == "__main__":
    main()
