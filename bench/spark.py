"""What a release by Spark takes, held against ordering and writing the same table, in one session.

    python -m bench.scale spark [--records 1000000 10000000] [--kinds adult unique] [--rounds 2] [--limit 500MB]

Both read the same CSV, order every record and write every one. A release also counts, searches, joins with labels and
verifies; verification is told apart. With a limit of memory, a table whose tuples do not fit is searched in parts.
They take turns, some rounds of each: in the first one, Java compiles what it runs. Figures are wall seconds and, in
parentheses, the CPU seconds of Spark and of this process, which other work on the machine disturbs less; and the
memory that this process took, where the different tuples are.
"""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final, NamedTuple

import polars as pl

from bench.scale import KINDS, table
from kohort.engines.pipeline import anonymize
from kohort.io.forms import Format
from kohort.job.keywords import job_from
from kohort.job.request import Request
from kohort.release import Writing
from kohort.sql.remote import RemoteEngine
from kohort.sql.spark import Spark
from kohort.sql.spark_session import Cluster
from kohort.system.workspace import bytes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

#: Records of a part.
EACH: Final = 1_000_000


class Seconds(NamedTuple):
    """What something took.

    Attributes:
        wall: By the clock.
        java: CPU of Spark, by all cores.
        here: CPU of this process.
    """

    wall: float
    java: float
    here: float

    def __sub__(self, other: Seconds) -> Seconds:
        """What was spent since."""
        return Seconds(self.wall - other.wall, self.java - other.java, self.here - other.here)

    def __str__(self) -> str:
        """All of them."""
        return f"{self.wall:.1f} s ({self.java:.1f} + {self.here:.1f})"

    @property
    def cpu(self) -> float:
        """Of both."""
        return self.java + self.here


@dataclass(frozen=True, slots=True)
class Runs:
    """Runs of one session.

    Attributes:
        spark: The session.
        source: The table.
        target: A folder that is written.
        limit: Bytes of memory that a search may use; `None` for any.
    """

    spark: Spark
    source: Path
    target: Path
    limit: int | None

    def now(self) -> Seconds:
        """What was spent up to now."""
        java = self.spark.session.sparkContext._gateway.proc.pid  # noqa: SLF001  nothing else tells
        spent = Path(f"/proc/{java}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[11:13]
        mine = os.times()
        return Seconds(time.perf_counter(), sum(map(int, spent)) / os.sysconf("SC_CLK_TCK"), mine.user + mine.system)

    def ordered(self) -> Seconds:
        """Read, order by every column and write."""
        start = self.now()
        schema = ", ".join(f"{name} string" for name in pl.scan_csv(self.source).collect_schema().names())
        frame = self.spark.session.read.csv(str(self.source), header=True, schema=schema)
        frame.orderBy(*frame.columns).write.csv(str(self.target), header=True)
        taken = self.now() - start
        rmtree(self.target)
        return taken

    def released(self, kind: str, *, k: int) -> dict[str, Seconds]:
        """Each stage of a release."""
        names, sensitive = pl.scan_csv(self.source).collect_schema().names(), KINDS[kind][1]
        quasi = [name for name in names if name != sensitive]
        made = job_from(
            None, {"quasi": quasi, "sensitive": [sensitive], "no_model": [sensitive], "k": k, "no_grid": True}
        )
        assert isinstance(made, Request)  # noqa: S101  of keyword arguments
        job = replace(made.job, writing=Writing(Format.CSV, records_per_part=EACH))
        begun: list[tuple[str, Seconds]] = []
        on_progress: Callable[[str], None] = lambda stage: begun.append((stage, self.now()))  # noqa: E731
        engine = RemoteEngine(Spark(self.spark.session), self.limit)  # what it keeps goes with it
        anonymize(self.source, job, target=f"{self.target}/", engine=engine, on_progress=on_progress)
        on_progress("end")
        rmtree(self.target)
        return {stage: until - since for (stage, since), (_, until) in pairwise(begun)}


def peak() -> int:
    """The most bytes that this process had at once, since the last time that this was asked."""
    told = Path("/proc/self/status").read_text(encoding="utf-8").partition("VmHWM:")[2].split()[0]
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return 1024 * int(told)


def line(plain: Seconds, stages: dict[str, Seconds], most: int) -> str:
    """What a pair of runs took."""
    whole = [seconds for stage, seconds in stages.items() if stage != "verify"]
    wall, cpu = sum(one.wall for one in whole) / plain.wall, sum(one.cpu for one in whole) / plain.cpu
    told = ", ".join(f"{stage} {seconds}" for stage, seconds in stages.items())
    return f"order and write {plain}; release {wall:.2f} of it, {cpu:.2f} by CPU: {told}; {most / 1e6:.0f} MB here"


def main(arguments: Sequence[str]) -> None:
    """Print a line for each kind, number of records and round."""
    parser = argparse.ArgumentParser("bench.scale spark", description=__doc__)
    parser.add_argument("--records", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--kinds", nargs="+", default=[*KINDS])
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--memory", default="2g", help="of the driver")
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--limit", type=bytes_of, help="of memory of the search")
    parser.add_argument("--folder", help="where tables and releases are; the system's if not given")
    given = parser.parse_args(arguments)
    spark = Spark.opened(Cluster(given.master, {"spark.driver.memory": given.memory}))
    with TemporaryDirectory(dir=given.folder) as folder:
        for kind in given.kinds:
            for records in given.records:
                runs = Runs(spark, table(Path(folder), kind, records), Path(folder, "out"), given.limit)
                for _ in range(given.rounds):
                    plain, _ = runs.ordered(), peak()
                    stages = runs.released(kind, k=given.k)
                    print(f"{kind} {records:,}: {line(plain, stages, peak())}", flush=True)
