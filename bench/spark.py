"""What a release by Spark takes, held against ordering and writing the same table, in one session.

    python -m bench.spark --records 300000 1000000

Both read the same CSV, order every record and write every one. A release also counts, searches, joins with labels and
verifies; that is told apart. The figures are wall seconds: what Spark does is spread over the cores that it has.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import Any, Final

import polars as pl

from bench.scale import KINDS, table
from kohort.api.jobs import job_by
from kohort.engines.elsewhere import ElsewhereEngine
from kohort.engines.spark import Spark
from kohort.engines.spark_session import Cluster
from kohort.io.write import Format
from kohort.job.request import Request
from kohort.pipeline import anonymize
from kohort.release import Writing

#: Records of a part.
EACH: Final = 1_000_000


def ordered(session: Any, source: Path, target: Path) -> float:  # noqa: ANN401  a session of PySpark
    """Seconds to read, order by every column and write."""
    start = time.perf_counter()
    schema = ", ".join(f"{name} string" for name in pl.scan_csv(source).collect_schema().names())
    frame = session.read.csv(str(source), header=True, schema=schema)
    frame.orderBy(*frame.columns).write.csv(str(target), header=True)
    return time.perf_counter() - start


def released(spark: Spark, source: Path, kind: str, target: Path, *, k: int) -> dict[str, float]:
    """Seconds of each stage of a release."""
    names, sensitive = pl.scan_csv(source).collect_schema().names(), KINDS[kind][1]
    quasi = [name for name in names if name != sensitive]
    made = job_by(None, {"quasi": quasi, "sensitive": [sensitive], "no_model": [sensitive], "k": k, "no_grid": True})
    assert isinstance(made, Request)  # noqa: S101  of keyword arguments
    job = replace(made.job, writing=Writing(Format.CSV, records_per_part=EACH))
    return {**anonymize(source, job, target=f"{target}/", engine=ElsewhereEngine(spark)).seconds}


def main() -> None:
    """Print a line for each kind and number of records."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--kinds", nargs="+", default=[*KINDS])
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--memory", default="2g", help="of the driver")
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--folder", help="where tables and releases are; the system's if not given")
    given = parser.parse_args()
    spark = Spark.opened(Cluster(given.master, {"spark.driver.memory": given.memory}))
    with TemporaryDirectory(dir=given.folder) as folder:
        for kind in given.kinds:
            for records in given.records:
                source, target = table(Path(folder), kind, records), Path(folder, "out")
                plain = ordered(spark.session, source, target)
                rmtree(target)
                seconds = released(spark, source, kind, target, k=given.k)
                rmtree(target)
                whole = sum(seconds.values()) - seconds["verify"]
                stages = ", ".join(f"{name} {taken:.1f}" for name, taken in seconds.items())
                print(f"{kind} {records:,}: order and write {plain:.1f} s; release {stages}; {whole / plain:.2f} of it")


if __name__ == "__main__":
    main()
