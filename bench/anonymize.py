"""`kohort anonymize`, CSV to CSV with verification, against polars merely reading and writing the same CSV.

    python -m bench.anonymize [--records 1000000 10000000] [--kinds low high names] [--k 5] [--runs 5]

Each run is a whole process; CPU is user + system time. Baseline and kohort run by turns, and medians are printed: the
speed of a shared machine drifts.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from itertools import pairwise
from pathlib import Path
from statistics import median

from bench.measure import cost
from bench.tables import HIGH, LOW, quasi, table

#: What polars does with the file when nothing but reading and writing is asked of it.
BASELINE = "import sys, polars; polars.read_csv(sys.argv[1]).write_csv(sys.argv[2])"

#: The pipeline of the command line, telling the CPU seconds spent when each stage begins.
STAGES = """
import json, sys, time
from kohort import pipeline
from kohort.job.request import request
marks = []
raw = json.loads(sys.argv[1])
made = request(raw, where=str)
tell = lambda stage: marks.append((stage, time.process_time()))
pipeline.anonymize(made.source, made.job, target=made.target, threads=2, tell=tell)
tell("end")
print(json.dumps(marks))
"""


#: The sensitive column, released as it is for k alone.
INCOME = {"role": "sensitive", "no-model": True, "allow-singling": True}


def measure(kind: str, records: int, k: int, runs: int) -> None:
    """Print one line of figures."""
    source = table(kind, records)
    names = quasi(LOW if kind == "low" else HIGH)
    with tempfile.TemporaryDirectory(dir=source.parent) as folder:
        baseline = ["-c", BASELINE, str(source), f"{folder}/base.csv"]
        target = f"{folder}/release.csv"
        flags = ["--quasi", ",".join(names), "--sensitive", "income", "--k", str(k), "--json"]
        flags += ["--no-model", "income", "--allow-singling", "income", "--no-grid", "--overwrite"]
        pairs = [
            (cost(baseline).cpu, cost(["-m", "kohort", "anonymize", str(source), "--out", target, *flags]))
            for _ in range(runs)
        ]
        columns = {name: {"role": "quasi"} for name in names} | {"income": INCOME}
        raw = {"input": {"path": str(source)}, "output": {"path": f"{folder}/again.csv"}, "privacy": {"k": k}}
        raw |= {"columns": columns, "method": {"grid": "none"}}
        marks = json.loads(cost(["-c", STAGES, json.dumps(raw)]).output)
        assert Path(target).read_bytes() == Path(f"{folder}/again.csv").read_bytes()  # noqa: S101  the same job
    base, cpu = median(base for base, _ in pairs), median(whole.cpu for _, whole in pairs)
    memory = max(whole.memory for _, whole in pairs)
    spent = {name: after - before for (name, before), (_, after) in pairwise(marks)}
    before_verify = dict(marks)["verify"]
    stages = " ".join(f"{name} {seconds:.2f}" for name, seconds in spent.items())
    print(
        f"{kind:<6}{records:>11,}  polars {base:6.2f} s  kohort {cpu:7.2f} s = {cpu / base:4.1f}x"
        f"  before verify {before_verify / base:4.1f}x  memory {memory / 1024:4.2f} GiB   ({stages})",
        flush=True,
    )


def main() -> None:
    """Measure every kind and size asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--kinds", nargs="+", default=["low", "high", "names"])
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    for records in arguments.records:
        for kind in arguments.kinds:
            measure(kind, records, arguments.k, arguments.runs)


if __name__ == "__main__":
    main()
