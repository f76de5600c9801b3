"""What kohort costs before any record is read: imports, help, cold compilation, and a small run of each kind.

    python -m bench.startup

CPU is user + system time of whole processes; the median of several runs. Compilation is the difference between the same
run with an empty and with a filled cache of machine code. The small runs are on Adult and Groceries where
KOHORT_DATA names their folder, else on a register and on baskets of the same size.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from statistics import median

from bench.measure import cost

#: Runs of which the median is printed.
RUNS = 5

ADULT = "age,workclass,education-num,marital-status,occupation,race,sex,native-country"
REGISTER = "gender,city,age,education,profession"


def main() -> None:
    """Print one line per figure."""
    bare = median(cost(["-c", "pass"]).cpu for _ in range(RUNS))
    imported = median(cost(["-c", "import kohort"]).cpu for _ in range(RUNS))
    print(f"import kohort          {imported - bare:5.2f} s beyond the interpreter's {bare:.2f} s")
    print(f"kohort --help          {median(cost(['-m', 'kohort', '--help']).cpu for _ in range(RUNS)):5.2f} s")
    with tempfile.TemporaryDirectory() as folder:
        for name, arguments in (("table", _small_run(Path(folder))), ("transactions", _few_baskets(Path(folder)))):
            cache = {"NUMBA_CACHE_DIR": f"{folder}/{name}"}
            cold = cost(arguments, cache).cpu
            warm = median(cost(arguments, cache).cpu for _ in range(RUNS))
            print(f"{name}: cold compilation {cold - warm:5.2f} s; small run, warm {warm:5.2f} s")


def _small_run(folder: Path) -> list[str]:
    """Arguments that anonymize about 30,000 records at k = 10."""
    if data := os.environ.get("KOHORT_DATA"):
        source, quasi, sensitive = f"{data}/adult.csv", ADULT, "salary-class"
    else:
        cost(["-m", "kohort", "generate", "italy", "--out", str(folder), "--quiet"])
        source, quasi, sensitive = f"{folder}/people.csv", REGISTER, "annual_income"
    flags = ["--quasi", quasi, "--sensitive", sensitive, "--rest", "drop", "--quiet", "--overwrite"]
    flags += ["--no-grid", "--no-model", sensitive, "--allow-singling", sensitive]
    return ["-m", "kohort", "anonymize", source, "--out", f"{folder}/release.csv", *flags]


def _few_baskets(folder: Path) -> list[str]:
    """Arguments that make about 10,000 transactions of some 170 items coherent."""
    if data := os.environ.get("KOHORT_DATA"):
        source = f"{data}/transactions/groceries.dat"
    else:
        source = f"{folder}/baskets.dat"
        shape = ["--transactions", "9835", "--items", "169", "--length", "4", "--quiet"]
        cost(["-m", "kohort", "generate", "baskets", "--out", source, *shape])
    flags = ["--delta", "0.4", "--seed", "7", "--quiet", "--overwrite"]
    return ["-m", "kohort", "transactions", source, "--out", f"{folder}/release.dat", *flags]


if __name__ == "__main__":
    main()
