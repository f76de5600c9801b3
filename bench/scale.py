"""Memory, disk and CPU a record, stage by stage, of tables that outgrow memory.

    python -m bench.scale [--records 10000000 30000000 100000000] [--kinds adult unique] [--limits none 4GiB] [--hard]
    python -m bench.scale spark     the same tables by Spark: see bench/spark.py
    python -m bench.scale --engines local duckdb --records 1000000 3000000 --limits none

Each run is a process of its own, watched from outside: anonymous memory is what no file backs, so that the system
cannot drop it; disk is what unnamed files hold. What a record takes is the slope between two sizes, since the libraries
and the machine code take some 200 MB themselves. With `--hard` the system refuses a run with a limit any more memory
(RLIMIT_DATA). Tables are made in chunks in a temporary folder, and removed. The second form holds engines against each
other: what lies elsewhere is counted, joined, ordered and written there, and verified by aggregation.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import IO, TYPE_CHECKING

import numpy as np
import polars as pl

from kohort.__main__ import RETURNING
from kohort.system.workspace import bytes_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator

#: Rows made at a time.
BATCH = 1_000_000

#: Seconds between two looks at a process.
PAUSE = 0.03

#: What no file backs and what files do, as /proc names them.
ANONYMOUS, OF_FILES = "RssAnon:", "RssFile:"

#: What RLIMIT_DATA counts: memory set aside, touched or not.
SET_ASIDE = "VmData:"

#: The pipeline of the command line, telling the CPU seconds spent when each stage begins.
STAGES = """
import json, sys, time
from kohort.engines import pipeline
from kohort.engines.base import engine_of
from kohort.job.request import request
made = request(json.loads(sys.argv[1]), where=str)
on_progress = lambda stage: print(json.dumps([stage, time.process_time()]), flush=True)
engine = engine_of(**vars(made.run))
pipeline.anonymize(made.source, made.job, target=made.target, threads=2, on_progress=on_progress, engine=engine)
on_progress("end")
"""


# ── tables ───────────────────────────────────────────────────────────────────────────────────────

#: Values of each quasi-identifier of an Adult-like table, and the people that its records are drawn from: some cells of
#: each are drawn anew.
ADULT = {"sex": 2, "age": 74, "race": 5, "marital": 7, "education": 16, "country": 41, "workclass": 8, "work": 14}
PEOPLE, ANEW = 30_000, 0.12


def adult(random: Generator, records: int) -> pl.DataFrame:
    """Records like those of UCI Adult: skewed, most of them alike, tuples that become rarer."""
    people = np.random.default_rng(0)
    columns: dict[str, pl.Series] = {}
    whose = random.integers(0, PEOPLE, records)
    for name, size in {**ADULT, "salary": 2}.items():
        drawn = (people.random(PEOPLE) ** 3 * size).astype(np.uint8)
        chosen = np.where(random.random(records) < ANEW, random.integers(0, PEOPLE, records), whose)
        texts = pl.Series([str(17 + code) if name == "age" else f"{name}-{code}" for code in range(size)])
        columns[name] = texts.gather(drawn[chosen])
    return pl.DataFrame(columns)


def unique(random: Generator, records: int) -> pl.DataFrame:
    """Records of which nearly each has a tuple of its own: postal code, birth date, income."""
    codes = np.sort(np.random.default_rng(0).choice(99_000, 33_000, replace=False)) + 501
    days = np.datetime64("2024-06-01") - (random.beta(1.6, 2.2, records) * 73 * 365.25 + 17 * 365.25).astype(np.int64)
    place = (random.random(records) ** 3 * codes.size).astype(np.int64)
    columns = {
        "zip": pl.Series(codes).cast(pl.String).str.zfill(5).gather(place),
        "birth": pl.Series(days.astype("datetime64[D]")).cast(pl.String),
        "income": np.clip(np.round(random.lognormal(10.5, 0.8, records), -2), 0, 2_000_000).astype(np.int64),
        "hours": np.clip(random.normal(40, 12, records).round(), 1, 99).astype(np.int64),
    }
    for name, size in (("sex", 2), ("race", 5), ("marital", 7), ("education", 16), ("disease", 14)):
        texts = pl.Series([f"{name}-{code}" for code in range(size)])
        columns[name] = texts.gather((random.random(records) ** 2 * size).astype(np.int64))
    return pl.DataFrame(columns)


#: How a batch of each kind is made, and its sensitive column.
KINDS: dict[str, tuple[Callable[[Generator, int], pl.DataFrame], str]] = {
    "adult": (adult, "salary"),
    "unique": (unique, "disease"),
}


def table(folder: Path, kind: str, records: int) -> Path:
    """The CSV of so many records."""
    make, _ = KINDS[kind]
    path = folder / f"{kind}.csv"
    with path.open("wb") as file:
        for first in range(0, records, BATCH):
            frame = make(np.random.default_rng([len(kind), first]), min(BATCH, records - first))
            frame.write_csv(file, include_header=first == 0)
    return path


# ── runs ─────────────────────────────────────────────────────────────────────────────────────────


@dataclass(slots=True)
class Stage:
    """What one stage took: CPU seconds, and peaks in bytes."""

    name: str
    cpu: float = 0.0
    anonymous: int = 0
    of_files: int = 0
    set_aside: int = 0
    disk: int = 0


@dataclass(slots=True)
class Run:
    """A process and what is seen of it; its status is 0 where it came to its end."""

    stages: list[Stage] = field(default_factory=lambda: [Stage("start")])
    status: int = 0

    def follow(self, told: IO[str]) -> None:
        """Take note of the stages as the process tells of them."""
        spent = 0.0
        for line in told:
            name, cpu = json.loads(line)
            self.stages[-1].cpu, spent = cpu - spent, cpu
            self.stages.append(Stage(name))

    def look(self, process: int, folder: str) -> None:
        """Look at the process once; one that has ended shows nothing."""
        stage = self.stages[-1]
        try:
            status = Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines()
            maps = Path(f"/proc/{process}/maps").read_text(encoding="utf-8").splitlines()
        except OSError:
            return
        held = {line.split()[0]: 1024 * int(line.split()[1]) for line in status if line.startswith(("Rss", SET_ASIDE))}
        stage.anonymous = max(stage.anonymous, held.get(ANONYMOUS, 0))
        stage.of_files = max(stage.of_files, held.get(OF_FILES, 0))
        stage.set_aside = max(stage.set_aside, held.get(SET_ASIDE, 0))
        stage.disk = max(stage.disk, sum(map(length, (line for line in maps if is_unnamed(line, folder)))))


def is_unnamed(line: str, folder: str) -> bool:
    """Whether a line of /proc/PID/maps is of a file in a folder that has no name any more."""
    return folder in line and line.endswith("(deleted)")


def length(line: str) -> int:
    """Bytes of the mapping that a line of /proc/PID/maps tells of."""
    low, high = (int(end, 16) for end in line.split(maxsplit=1)[0].split("-"))
    return high - low


def run(source: Path, kind: str, limit: str, *, k: int, hard: bool = False, engine: str = "local") -> Run:
    """Anonymize a table by an engine, watched; `hard`: the system holds the process to the limit."""
    folder, spill = source.parent, source.parent / "spill"
    spill.mkdir(exist_ok=True)
    names, sensitive = pl.scan_csv(source).collect_schema().names(), KINDS[kind][1]
    columns: dict[str, dict[str, object]] = {name: {"role": "quasi"} for name in names}
    columns[sensitive] = {"role": "sensitive", "no-model": True}
    raw: dict[str, object] = {
        "input": {"path": str(source)},
        "output": {"path": f"{folder}/release.csv"},
        "privacy": {"k": k},
    }
    raw |= {"columns": columns, "method": {"grid": "none"}}
    raw["run"] = {"engine": engine}
    if limit != "none":
        raw["run"] = {"engine": engine, "memory-limit": limit, "spill-folder": str(spill)}
    seen = Run()
    command = [sys.executable, "-c", STAGES, json.dumps(raw)]
    if hard and limit != "none":
        command = ["prlimit", f"--data={bytes_of(limit)}", *command]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=RETURNING | os.environ) as process:
        assert process.stdout is not None  # noqa: S101  a pipe was asked for
        follower = Thread(target=seen.follow, args=(process.stdout,))
        follower.start()
        while process.poll() is None:
            seen.look(process.pid, str(spill))
            time.sleep(PAUSE)
        follower.join()
    seen.status = process.returncode
    for left in folder.glob("release.csv*"):
        left.unlink()
    return seen


def figures(kind: str, engine: str, limit: str, records: int, one: Run) -> str:
    """What was seen of a run."""
    peak, aside, disk = (
        max(getattr(stage, name) for stage in one.stages) for name in ("anonymous", "set_aside", "disk")
    )
    cpu = sum(stage.cpu for stage in one.stages)
    stages = "  ".join(
        f"{stage.name} {stage.cpu:.1f} s {stage.anonymous / 1e9:.2f} of {stage.set_aside / 1e9:.2f} GB"
        for stage in one.stages[1:-1]
    )
    return (
        f"{'' if one.status == 0 else f'STATUS {one.status} '}"
        f"{kind:<7}{engine:<7}{records:>12,}  limit {limit:<6} cpu {cpu:7.1f} s {1e6 * cpu / records:5.2f} us each"
        f"  anonymous {peak / 1e9:6.2f} GB  set aside {aside / 1e9:6.2f} GB  disk {disk / 1e9:6.2f} GB   ({stages})"
    )


def slope(kind: str, engine: str, limit: str, seen: dict[int, Run]) -> str:
    """What each record takes, by the smallest and the largest run."""
    sizes = sorted(seen)
    few, many = seen[sizes[0]], seen[sizes[-1]]
    more_records = sizes[-1] - sizes[0]
    each = {
        more.name: (more.anonymous - less.anonymous) / more_records
        for less, more in zip(few.stages, many.stages, strict=True)
    }
    stages = "  ".join(f"{name} {value:.0f}" for name, value in each.items() if name not in {"start", "end"})
    whole, aside = (
        (max(getattr(stage, name) for stage in many.stages) - max(getattr(stage, name) for stage in few.stages))
        / more_records
        for name in ("anonymous", "set_aside")
    )
    return (
        f"{kind:<7}{engine:<7}{'':>12}  limit {limit:<6} bytes a record {whole:.0f}, set aside {aside:.0f}   ({stages})"
    )


def main() -> None:
    """Measure every kind, limit and size asked for."""
    if sys.argv[1:2] == ["spark"]:
        from bench.spark import main as by_spark  # noqa: PLC0415  it takes its tables from here

        by_spark(sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, nargs="+", default=[10_000_000, 30_000_000, 100_000_000])
    parser.add_argument("--kinds", nargs="+", default=[*KINDS])
    parser.add_argument("--limits", nargs="+", default=["none", "4GiB"])
    parser.add_argument("--engines", nargs="+", default=["local"])
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--hard", action="store_true", help="let the system refuse memory beyond the limit")
    parser.add_argument("--folder", help="where tables, releases and unnamed files are; the system's if not given")
    arguments = parser.parse_args()
    for kind in arguments.kinds:
        ways = [(engine, limit) for engine in arguments.engines for limit in arguments.limits]
        seen: dict[tuple[str, str], dict[int, Run]] = {way: {} for way in ways}
        for records in arguments.records:
            with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
                source = table(Path(folder), kind, records)
                for engine, limit in ways:
                    one = run(source, kind, limit, k=arguments.k, hard=arguments.hard, engine=engine)
                    print(figures(kind, engine, limit, records, one), flush=True)
                    if not one.status:
                        seen[engine, limit][records] = one
        for (engine, limit), runs in seen.items():
            if len(runs) > 1:
                print(slope(kind, engine, limit, runs), flush=True)


if __name__ == "__main__":
    main()
