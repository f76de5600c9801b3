"""A sweep of ten k against one release: whole processes, from start to end.

    python -m bench.sweep [--runs 5] [--k 2 3 5 7 10 15 20 50 100 200]
    python -m bench.sweep threads [--records 300000]

The first needs UCI Adult in the folder that KOHORT_DATA names: 30,162 records; Mondrian on 8 quasi-identifiers,
Samarati on four. Runs of the two commands alternate, and the ratio of their medians is told: CPU is user + system time
as the system accounts for it, wall is by the clock. The second solves ten jobs in one process by one thread and by two,
on tuples of which nearly each is unique, and tells how many cores each kept busy; its figures must be the same.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from bench.measure import cost
from bench.tables import HIGH, quasi, table
from kohort import Job, KAnonymity, Schema
from kohort.io import read
from kohort.job.sweeps.table_plan import TablePlan
from kohort.job.sweeps.tables import sweep

if TYPE_CHECKING:
    from collections.abc import Sequence

#: What is swept where nothing is said.
KS = (2, 3, 5, 7, 10, 15, 20, 50, 100, 200)

#: A run may take so many times one release.
TARGET = 3

#: Quasi-identifiers and what else is said of them.
MONDRIAN = ("--quasi", "age,workclass,education-num,marital-status,occupation,race,sex,native-country")
SAMARATI = (
    *("--quasi", "sex,race,marital-status,age", "--method", "samarati", "--max-suppression", "20"),
    *("--hierarchy", "sex=suppress", "--hierarchy", "race=suppress", "--hierarchy", "marital-status=suppress"),
    *("--hierarchy", "age=intervals:5,10,20"),
)


class Run(NamedTuple):
    """Seconds of a process."""

    cpu: float
    wall: float


def run(arguments: Sequence[str]) -> Run:
    """Run kohort and see what it takes."""
    begun = time.perf_counter()
    cpu = cost(["-m", "kohort", *arguments, "--quiet"]).cpu
    return Run(cpu, time.perf_counter() - begun)


def compare(source: Path, name: str, flags: Sequence[str], ks: Sequence[int], runs: int) -> None:
    """Print one line: a sweep beside one release at k = 10."""
    said = [str(source), *flags, "--sensitive", "salary-class", "--rest", "drop", "--no-grid"]
    swept, released = list[Run](), list[Run]()
    with tempfile.TemporaryDirectory() as folder:
        target = ["--out", f"{folder}/release.csv", "--overwrite"]
        release = ["anonymize", *said, "--no-model", "salary-class", "--k", "10", *target]
        sweeps = [
            "sweep",
            *said,
            "--vary",
            f"k={','.join(map(str, ks))}",
            "--out",
            f"{folder}/sweep.csv",
            "--overwrite",
        ]
        for command in (release, sweeps):
            run(command)  # compiles what is not compiled yet
        for _ in range(runs):
            released.append(run(release))
            swept.append(run(sweeps))
    one, many = (
        Run(median(each.cpu for each in all_), median(each.wall for each in all_)) for all_ in (released, swept)
    )
    cpu, wall = many.cpu / one.cpu, many.wall / one.wall
    print(
        f"{name:<10} one release {one.cpu:5.2f} s CPU {one.wall:5.2f} s wall   {len(ks)} k {many.cpu:5.2f} s CPU"
        f" {many.wall:5.2f} s wall   {cpu:4.2f}x CPU {wall:4.2f}x wall   target {TARGET}x:"
        f" {'met' if max(cpu, wall) <= TARGET else 'not met'}",
        flush=True,
    )


def threads(records: int, ks: Sequence[int]) -> None:
    """Print what ten jobs take by one thread and by two."""
    schema = Schema.of(quasi=quasi(HIGH), sensitive=["income"])
    plan = TablePlan.of({"k": [str(k) for k in ks]}, lambda at: Job.of(schema, KAnonymity(int(at["k"]))))
    people = read(table("high", records))
    found = {}
    for many in (1, 2) * 3:
        wall, cpu = time.perf_counter(), time.process_time()
        found[many] = sweep(people, plan, threads=many)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        cores = f"{wall:5.2f} s wall {cpu:5.2f} s CPU = {cpu / wall:4.2f} cores"
        print(f"{records:,} records, {len(ks)} k, threads {many}: {cores}")
    assert found[1] == found[2]  # noqa: S101  the figures are the same for any number


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=["adult", "threads"], default="adult")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--k", type=int, nargs="+", default=KS)
    parser.add_argument("--records", type=int, default=300_000)
    asked = parser.parse_args()
    if asked.what == "threads":
        threads(asked.records, asked.k)
    elif data := os.environ.get("KOHORT_DATA"):
        for name, flags in (("mondrian", MONDRIAN), ("samarati", SAMARATI)):
            compare(Path(data, "adult.csv"), name, flags, asked.k, asked.runs)
    else:
        print("skipped: KOHORT_DATA does not name the folder of public data sets, with adult.csv in it")


if __name__ == "__main__":
    main()
