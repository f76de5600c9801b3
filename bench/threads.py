"""What a second thread saves: `kohort anonymize` with `--threads 1` and with more, whole processes by turns.

    python -m bench.threads [--records 10000000] [--kinds low high] [--threads 1 2] [--runs 3]

Printed are medians by the clock, which other work on the machine disturbs, of CPU seconds and of memory; and the share
of the time of one thread. The releases must be the same byte for byte.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from filecmp import cmp
from pathlib import Path
from statistics import median

from bench.measure import cost
from bench.tables import HIGH, LOW, quasi, table


def main() -> None:
    """Print a line for each kind and number of threads."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=10_000_000)
    parser.add_argument("--kinds", nargs="+", choices=["low", "high", "names"], default=["low", "high", "names"])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    for kind in given.kinds:
        source = table(kind, given.records)
        flags = ["--quasi", ",".join(quasi(LOW if kind == "low" else HIGH)), "--sensitive", "income", "--k", "5"]
        flags += ["--no-model", "income", "--allow-singling", "income", "--no-grid", "--quiet", "--overwrite"]
        spent: dict[int, list[tuple[float, float, float]]] = {threads: [] for threads in given.threads}
        with tempfile.TemporaryDirectory(dir=source.parent) as folder:
            target = {threads: Path(folder, f"{threads}.csv") for threads in given.threads}
            for _ in range(given.runs):
                for threads, path in target.items():
                    asked = ["-m", "kohort", "anonymize", str(source), "--out", str(path), *flags]
                    begun = time.perf_counter()
                    found = cost([*asked, "--threads", str(threads)])
                    spent[threads].append((time.perf_counter() - begun, found.cpu, found.memory))
            same = all(cmp(target[given.threads[0]], path, shallow=False) for path in target.values())
        first = median(wall for wall, *_ in spent[given.threads[0]])
        for threads, runs in spent.items():
            wall, cpu, memory = (median(one) for one in zip(*runs, strict=True))
            told = f"{wall:.1f} s ({wall / first:.2f}), CPU {cpu:.1f} s, {memory:,.0f} MiB"
            print(f"{kind} {given.records:,}, --threads {threads}: {told}", flush=True)
        print("the same bytes" if same else "OTHER BYTES", flush=True)


if __name__ == "__main__":
    main()
