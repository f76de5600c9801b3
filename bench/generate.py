"""How many records a second are generated, and in how much memory: `python -m bench.generate`; half a minute."""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.measure import cost

#: Generators of tables, by their command.
TABLES = ("italy", "admissions")


def main() -> None:
    """Print a row of the table in docs/benchmarks.md for each generator and size, each in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, nargs="+", default=[100_000, 1_000_000, 4_000_000])
    sizes: list[int] = parser.parse_args().records
    with TemporaryDirectory() as folder:
        for table in TABLES:
            out = Path(folder) / table
            start = _run(table, 1, out)[0]
            for records in sizes:
                cpu, memory = _run(table, records, out)
                rate = records / (cpu - start)
                print(
                    f"| {table} | {records:,} | {cpu:.2f} s | {rate / 1e6:.2f} million | {memory:.0f} MiB |", flush=True
                )


def _run(table: str, records: int, out: Path) -> tuple[float, float]:
    """CPU seconds and peak MiB of the command."""
    flags = ["--out", str(out), "--records", str(records), "--overwrite", "--quiet"]
    took = cost(["-m", "kohort", "generate", table, *flags])
    return took.cpu, took.memory


if __name__ == "__main__":
    main()
