"""Every figure in one go: `python -m bench.run`, or `make bench`; about twenty minutes and 6 GB of disk."""

from __future__ import annotations

import subprocess
import sys

#: The benchmarks and what they are told, quick ones first.
BENCHMARKS = (
    "startup",
    "roles",
    "inspect",
    "sweep",
    "sweep threads",
    "generate",
    "lattice adult",
    "lattice grow --records 100000 300000 1000000",
    "lattice wide",
    "transactions mine",
    "transactions whole",
    "transactions grow --plot docs/images/transactions-growth.svg",
    "transactions gap",
    "mondrian_kernel",
    "grid",
    "models lattice --runs 3",
    "models table",
    "models mondrian",
    "report page",
    "report compare",
    "report altered",
    "anonymize",
)


def main() -> None:
    """Run one benchmark after the other, each in a process of its own."""
    for command in BENCHMARKS:
        print(f"\n== {command}", flush=True)
        name, *flags = command.split()
        subprocess.run([sys.executable, "-m", f"bench.{name}", *flags], check=True)


if __name__ == "__main__":
    main()
