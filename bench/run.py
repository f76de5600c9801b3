"""Every figure in one go: `python -m bench.run`, or `make bench`; about a quarter of an hour and 6 GB of disk."""

from __future__ import annotations

import subprocess
import sys

#: The benchmarks, quick ones first.
BENCHMARKS = ("startup", "mondrian_kernel", "anonymize")


def main() -> None:
    """Run one benchmark after the other, each in a process of its own."""
    for name in BENCHMARKS:
        print(f"\n== {name}", flush=True)
        subprocess.run([sys.executable, "-m", f"bench.{name}"], check=True)


if __name__ == "__main__":
    main()
