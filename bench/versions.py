"""What two versions of kohort cost on the main paths: CPU seconds of whole processes, in turn.

    pip install --no-deps --target OLD SOURCES-OF-ONE-VERSION
    pip install --no-deps --target NEW SOURCES-OF-ANOTHER
    KOHORT_DATA=folder python -m bench.versions OLD NEW [--pairs 9] [--records 300000]

Each version is a plain installation in a folder of its own; dependencies are those of the interpreter that runs this.
The ratio is the median over pairs of runs that follow each other, since the speed of a shared machine drifts. It is
also told whether both wrote the same bytes.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from statistics import median

from bench.measure import cost
from bench.tables import ADULT, DATA, HIGH, LOW, adult_hierarchy, quasi, table

EIGHT = "age,workclass,education-num,marital-status,occupation,race,sex,native-country"


def paths(records: int) -> dict[str, list[str]]:
    """The command of each main path, by its title."""
    adult, dropped = f"{DATA}/adult.csv", ["--rest", "drop", "--no-grid"]
    eight = ["anonymize", adult, "--quasi", EIGHT, *dropped]
    nine = ["anonymize", adult, "--quasi", ",".join(ADULT), *dropped]
    nine += [flag for name in ADULT for flag in ("--hierarchy", f"{name}={adult_hierarchy(name)}")]
    return {
        "Adult, Mondrian": [*eight, *_unmodelled("salary-class")],
        "Adult, Mondrian, l = 2": [*eight, "--sensitive", "salary-class", "--l", "salary-class=2"],
        "Adult, optimal": [*nine, "--method", "optimal", "--max-suppression", "1%"],
        "census-like table": _generated("low", records),
        "near-unique table": _generated("high", records),
        "transactions": ["transactions", f"{DATA}/transactions/groceries.dat", "--delta", "0.4", "--seed", "7"],
    }


def _generated(kind: str, records: int) -> list[str]:
    names = ",".join(quasi(LOW if kind == "low" else HIGH))
    return ["anonymize", str(table(kind, records)), "--quasi", names, "--no-grid", *_unmodelled("income")]


def _unmodelled(column: str) -> list[str]:
    """A sensitive column that is released as it is."""
    return ["--sensitive", column, "--no-model", column, "--allow-singling", column]


def compare(command: list[str], versions: list[str], pairs: int) -> tuple[list[tuple[float, ...]], bool]:
    """The CPU seconds of each pair of runs, and whether the releases are the same bytes."""
    with tempfile.TemporaryDirectory() as folder:
        ending = "dat" if command[0] == "transactions" else "csv"
        releases = [Path(folder, f"{place}.{ending}") for place, _ in enumerate(versions)]
        runs = [
            (["-m", "kohort", *command, "--out", str(release), "--overwrite", "--quiet"], {"PYTHONPATH": version})
            for release, version in zip(releases, versions, strict=True)
        ]
        for run in runs:
            cost(*run)
        spent = [tuple(cost(*run).cpu for run in runs) for _ in range(pairs)]
        first, second = (release.read_bytes() for release in releases)
        return spent, first == second


def main() -> None:
    """Print one line for each path."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("versions", nargs=2, metavar="FOLDER", help="two installations")
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--records", type=int, default=300_000)
    asked = parser.parse_args()
    versions = [str(Path(version).resolve()) for version in asked.versions]
    for title, command in paths(asked.records).items():
        spent, same = compare(command, versions, asked.pairs)
        before, after = (median(column) for column in zip(*spent, strict=True))
        ratio = median(second / first for first, second in spent)
        bytes_ = "same bytes" if same else "OTHER BYTES"
        print(f"{title:24}{before:8.2f} s{after:8.2f} s{ratio:8.3f}  {bytes_}", flush=True)


if __name__ == "__main__":
    main()
