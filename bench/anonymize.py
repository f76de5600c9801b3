"""`kohort anonymize`, CSV to CSV with verification, against polars merely reading and writing the same CSV.

    python -m bench.anonymize [--records 1000000 10000000] [--kinds low high names] [--k 5] [--runs 5] [--plot FILE]

Each run is a whole process; CPU is user + system time. polars and kohort run by turns, and medians are printed: the
speed of a shared machine drifts. The floor is polars reading, sorting by all columns and writing: what a release in an
order of its own takes at least. `--peer "COMMAND {source} {target} {k}"` measures another program on the same file;
`--against other/bin/python` runs another installation of kohort by turns with this one.
"""

from __future__ import annotations

import argparse
import json
import shlex
import tempfile
from dataclasses import dataclass
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from bench.measure import Cost, cost
from bench.tables import HIGH, LOW, quasi, table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: What polars does with the file when nothing but reading and writing is asked of it, and sorting besides.
BASELINE = "import sys, polars; polars.read_csv(sys.argv[1]).write_csv(sys.argv[2])"
FLOOR = "import sys, polars; polars.read_csv(sys.argv[1]).sort(polars.all()).write_csv(sys.argv[2])"

#: Whatever command is given, run by the Python that is measured: its children's time is its own.
PEER = "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode)"

#: The pipeline of the command line, telling the CPU seconds spent when each stage begins.
STAGES = """
import json, sys, time
from kohort.engines import pipeline
from kohort.job.request import request
marks = []
raw = json.loads(sys.argv[1])
made = request(raw, where=str)
on_progress = lambda stage: marks.append((stage, time.process_time()))
pipeline.anonymize(made.source, made.job, target=made.target, threads=2, on_progress=on_progress)
on_progress("end")
print(json.dumps(marks))
"""

#: The sensitive column, released as it is for k alone.
INCOME = {"role": "sensitive", "no-model": True, "allow-singling": True}


@dataclass(frozen=True, slots=True)
class Measured:
    """What a table took.

    Attributes:
        kind: Which table.
        records: Its records.
        base: CPU seconds of polars reading and writing it.
        floor: The same, sorting besides.
        whole: CPU seconds of kohort.
        memory: Its peak, in MiB.
        stages: CPU seconds of its start and its stages; `rest` is the command line, and telling what it cost.
        peer: CPU seconds of the other program, if one was measured.
        ratio: How much of the other installation's CPU it takes, by turns, if there is one.
    """

    kind: str
    records: int
    base: float
    floor: float
    whole: float
    memory: float
    stages: Mapping[str, float]
    peer: float | None
    ratio: float | None

    def line(self) -> str:
        """A row of the first table."""
        peer = "" if self.peer is None else f" {self.peer:.2f} s |"
        peer += "" if self.ratio is None else f" {self.ratio:.2f} |"
        cells = [self.kind, f"{self.records:,}", f"{self.base:.2f} s", f"{self.floor:.2f} s", f"{self.whole:.2f} s"]
        cells += [f"{self.whole / self.base:.1f}", f"{self.memory:,.0f} MiB"]
        return f"| {' | '.join(cells)} |{peer}"

    def parts(self) -> str:
        """A row of the second."""
        return f"| {self.kind} | {self.records:,} | {' | '.join(f'{one:.2f}' for one in self.stages.values())} |"


def anonymizing(kind: str, source: Path, target: str, k: int) -> list[str]:
    """The command that anonymizes a table."""
    flags = ["--quasi", ",".join(quasi(LOW if kind == "low" else HIGH)), "--sensitive", "income", "--k", str(k)]
    flags += ["--no-model", "income", "--allow-singling", "income", "--no-grid", "--json", "--overwrite"]
    return ["-m", "kohort", "anonymize", str(source), "--out", target, *flags]


def measure(kind: str, records: int, k: int, runs: int, *, peer: str | None, against: str | None) -> Measured:
    """Measure one table."""
    source = table(kind, records)
    names = quasi(LOW if kind == "low" else HIGH)
    with tempfile.TemporaryDirectory(dir=source.parent) as folder:
        target = f"{folder}/release.csv"
        baseline, floor = (["-c", code, str(source), f"{folder}/base.csv"] for code in (BASELINE, FLOOR))
        whole = anonymizing(kind, source, target, k)
        turns: list[tuple[float, float, Cost]] = []
        ratios: list[float] = []
        for _ in range(runs):
            turns.append((cost(baseline).cpu, cost(floor).cpu, cost(whole)))
            if against:
                ratios.append(turns[-1][2].cpu / cost(whole, python=against).cpu)
        columns = {name: {"role": "quasi"} for name in names} | {"income": INCOME}
        raw = {"input": {"path": str(source)}, "output": {"path": f"{folder}/again.csv"}, "privacy": {"k": k}}
        raw |= {"columns": columns, "method": {"grid": "none"}}
        marks = json.loads(cost(["-c", STAGES, json.dumps(raw)]).output)
        assert Path(target).read_bytes() == Path(f"{folder}/again.csv").read_bytes()  # noqa: S101  the same job
        told = peer and shlex.split(peer.format(source=source, target=f"{folder}/peer.csv", k=k))
        other = cost(["-c", PEER, *told]).cpu if told else None
    cpu = median(run.cpu for *_, run in turns)
    stages = {"start": marks[0][1]} | {name: after - before for (name, before), (_, after) in pairwise(marks)}
    stages["rest"] = max(cpu - sum(stages.values()), 0.0)
    base, sort = median(base for base, _, _ in turns), median(floor for _, floor, _ in turns)
    memory, ratio = max(run.memory for *_, run in turns), median(ratios) if ratios else None
    return Measured(kind, records, base, sort, cpu, memory, stages, other, ratio)


def plot(found: Sequence[Measured], file: str) -> None:
    """Draw each table's CPU time as bars: polars, the floor, and kohort by its stages."""
    figure = import_module("matplotlib.figure").Figure(figsize=(8, 1 + 0.9 * len(found)), layout="constrained")
    axes = figure.subplots()
    colours = import_module("matplotlib").colormaps["viridis"]
    for place, one in enumerate(found):
        axes.barh(place - 0.27, one.base, 0.22, color="0.75", label="polars: read, write" if not place else None)
        axes.barh(place, one.floor, 0.22, color="0.5", label="polars: read, sort, write" if not place else None)
        left = 0.0
        for number, (name, seconds) in enumerate(one.stages.items()):
            colour, label = colours(number / (len(one.stages) - 1)), f"kohort: {name}" if not place else None
            axes.barh(place + 0.27, seconds, 0.22, left, color=colour, label=label)
            left += seconds
    axes.set_yticks(range(len(found)), [f"{one.kind}\n{one.records:,}" for one in found])
    axes.invert_yaxis()
    axes.set(xlabel="CPU seconds of whole processes")
    figure.legend(loc="outside right upper", frameon=False)
    figure.savefig(file)


def main() -> None:
    """Measure every kind and size asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--kinds", nargs="+", default=["low", "high", "names"])
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument(
        "--peer", metavar="COMMAND", help="measure another program: {source}, {target} and {k} are given"
    )
    parser.add_argument("--against", metavar="PYTHON", help="the interpreter of another installation of kohort")
    parser.add_argument("--plot", metavar="FILE", help="draw the stages, with matplotlib")
    options = parser.parse_args()
    print("| kind | records | polars | floor | kohort | times polars | memory |", flush=True)
    found: list[Measured] = []
    for records in options.records:
        for kind in options.kinds:
            found.append(measure(kind, records, options.k, options.runs, peer=options.peer, against=options.against))
            print(found[-1].line(), flush=True)
    print(f"\n| kind | records | {' | '.join(found[0].stages)} |")
    print("\n".join(map(Measured.parts, found)))
    if options.plot:
        plot(found, options.plot)


if __name__ == "__main__":
    main()
