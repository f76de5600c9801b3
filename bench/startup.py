"""What kohort costs before any record is read: imports, help, cold compilation, and a small run.

    python -m bench.startup

CPU is user + system time of whole processes; the median of several runs. Compilation is the difference between the same
run with an empty and with a filled cache of machine code. The small run is on Adult where KOHORT_DATA names its folder,
else on a register of the same size.
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
        arguments = _small_run(Path(folder))
        cache = {"NUMBA_CACHE_DIR": f"{folder}/cache"}
        cold = cost(arguments, cache).cpu
        warm = median(cost(arguments, cache).cpu for _ in range(RUNS))
    print(f"cold compilation       {cold - warm:5.2f} s")
    print(f"small run, warm        {warm:5.2f} s")


def _small_run(folder: Path) -> list[str]:
    """Arguments that anonymize about 30,000 records at k = 10."""
    if data := os.environ.get("KOHORT_DATA"):
        source, quasi, sensitive = f"{data}/adult.csv", ADULT, "salary-class"
    else:
        cost(["-m", "kohort", "generate", "italy", "--out", str(folder), "--quiet"])
        source, quasi, sensitive = f"{folder}/people.csv", REGISTER, "annual_income"
    flags = ["--quasi", quasi, "--sensitive", sensitive, "--rest", "drop", "--quiet", "--overwrite"]
    return ["-m", "kohort", "anonymize", source, "--out", f"{folder}/release.csv", *flags]


if __name__ == "__main__":
    main()
