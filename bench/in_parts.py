"""Mondrian in parts, on DuckDB: whether the bytes are those of the local engine, and what goes to and fro.

    python -m bench.in_parts --records 1000000 --most 50000 200000 500000
    python -m bench.in_parts --records 1000000 --memory 300MB

The second form shows the memory: the same job in parts, as `--memory-limit` has it, and with all tuples at once, each
in a process of its own beside a database of half that limit.

For each number of tuples that are fetched together: parts, rounds, histogram rows, the bytes that the search
fetches (histograms and tuples) and sends back (regions), and CPU seconds of the stages.
"""

from __future__ import annotations

import argparse
import resource
import time
import warnings
from dataclasses import dataclass, field
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import polars as pl

from bench.scale import KINDS, table
from kohort.engines.local import LOCAL
from kohort.engines.pipeline import anonymize
from kohort.errors import SourceNote
from kohort.job.keywords import job_from
from kohort.job.request import Request
from kohort.sql.duckdb import DuckDB
from kohort.sql.remote import RemoteEngine
from kohort.system.workspace import bytes_of

if TYPE_CHECKING:
    from kohort.engines.base import Engine
    from kohort.release import Job


@dataclass(slots=True, eq=False, weakref_slot=True)
class Watched(DuckDB):
    """A database that counts the bytes which come from it and go to it."""

    stage: str = ""
    come: dict[str, int] = field(default_factory=dict[str, int])
    gone: dict[str, int] = field(default_factory=dict[str, int])

    def run(self, sql: str) -> pl.DataFrame:
        """The answer to a query."""
        found = DuckDB.run(self, sql)
        self.come[self.stage] = self.come.get(self.stage, 0) + int(found.estimated_size())
        return found

    def keep(self, of: str | pl.DataFrame, near: str = "") -> str:
        """Keep a table."""
        if not isinstance(of, str):
            self.gone[self.stage] = self.gone.get(self.stage, 0) + int(of.estimated_size())
        return DuckDB.keep(self, of, near)


def made(source: Path, job: Job, target: Path, engine: Engine, base: Watched | None) -> str:
    """The digest of a release, and what it took."""
    spent, stages = [time.process_time()], list[str]()

    def on_progress(stage: str) -> None:
        stages.append(stage)
        spent.append(time.process_time())
        if base is not None:
            base.stage = stage

    release = anonymize(source, job, target=target, engine=engine, on_progress=on_progress)
    spent.append(time.process_time())
    each = zip(stages, spent[1:-1], spent[2:], strict=True)
    seconds = "  ".join(f"{name} {after - before:.1f}" for name, before, after in each)
    counted = [key for key in ("parts", "rounds", "histogram_rows") if key in release.trace]
    trace = "  ".join(f"{key} {release.trace[key]:,}" for key in counted)
    moved = ""
    if base is not None:
        come, gone = (some.get("solve", 0) / 1e6 for some in (base.come, base.gone))
        moved = f"  fetched {come:.1f} MB, sent back {gone:.1f} MB"
    return (
        f"{sha256(target.read_bytes()).hexdigest()[:12]}  {trace}{moved}  cpu {spent[-1] - spent[0]:.1f} s ({seconds})"
    )


def watched(source: Path, job: Job, limit: int, *, parts: bool) -> None:
    """Print what a run took, and the most memory of this process, beside a database of half the limit."""
    warnings.simplefilter("ignore", SourceNote)
    opened = DuckDB.opened(limit, source.parent)
    base = Watched(opened.connection, own=opened.own)
    engine = RemoteEngine(base, limit) if parts else RemoteEngine(base)
    line = made(source, job, source.with_name(f"{parts}.csv"), engine, base)
    peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"{'in parts' if parts else 'at once'}  {peak / 1e6:,.0f} MB at most  {line}", flush=True)


def main() -> None:
    """Print a line for each kind and number of tuples."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--kinds", nargs="+", default=["unique"])
    parser.add_argument("--most", type=int, nargs="+", default=[50_000, 200_000, 500_000])
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--memory", type=bytes_of, help="the limit of runs whose memory is told")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", SourceNote)
    with TemporaryDirectory() as folder:
        for kind in arguments.kinds:
            source = table(Path(folder), kind, arguments.records)
            names, sensitive = pl.scan_csv(source).collect_schema().names(), KINDS[kind][1]
            quasi = [name for name in names if name != sensitive]
            said = {"quasi": quasi, "sensitive": [sensitive], "no_model": [sensitive], "no_grid": True}
            asked = job_from(None, {**said, "k": arguments.k})
            assert isinstance(asked, Request)  # noqa: S101  of keyword arguments
            if arguments.memory is not None:
                for parts in (True, False):
                    one = get_context("spawn").Process(
                        target=watched, args=(source, asked.job, arguments.memory), kwargs={"parts": parts}
                    )
                    one.start()
                    one.join()
                continue
            print(f"{kind} local  {made(source, asked.job, Path(folder, 'local.csv'), LOCAL, None)}", flush=True)
            for most in arguments.most:
                opened = DuckDB.opened(None, Path(folder))
                base = Watched(opened.connection, own=opened.own)
                engine = RemoteEngine(base, together=most)
                line = made(source, asked.job, Path(folder, f"{most}.csv"), engine, base)
                print(f"{kind} {most:,}  {line}", flush=True)


if __name__ == "__main__":
    main()
