"""What a report, perturbation and pseudonyms cost beyond the run, and what comparing costs: the register, scaled.

    python -m bench.report page [--records 1000000] [--k 10] [--runs 3]
    python -m bench.report compare [--records 1000000] [--k 10] [--runs 3]
    python -m bench.report altered [--records 1000000] [--k 10] [--runs 3]

`page` runs `kohort anonymize` as whole processes, with and without `--report`, one after the other; CPU is user +
system time, and what is told is the median of several runs of each. `compare` times the comparison alone, of tables
that are read already, and tells the whole of `kohort compare` beside it, and how much of the CPU of `kohort anonymize`
that is for other tables. `altered` runs the same job with noise on
incomes and with a pseudonym for every person, and `kohort perturb` on the whole register.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from bench.anonymize import anonymizing
from bench.measure import cost
from bench.tables import HIGH, LOW, OUT, table
from bench.tables import quasi as columns
from kohort import Attribute, ReadOptions, Role, Schema, read_hierarchy
from kohort.assessment.comparison import compare
from kohort.io import read

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bench.measure import Cost

#: CPU seconds that the page may cost beyond the run, and the comparison alone, for a million records.
PAGE, COMPARISON = 2.0, 1.0

#: What can be written beside a release, by its file's name; without a name, nothing.
REPORTS: Final = ("", "figures.json", "page.html")

#: The tables whose comparison is measured beside their anonymization; see `bench.anonymize`.
KINDS: Final = ("low", "high", "names")

QUASI: Final = ("gender", "city", "age", "education", "profession")
TREES: Final = ("city", "education", "profession")


def register(records: int) -> Path:
    """The folder of a register of so many people; made on first use."""
    folder = OUT / f"register-{records}"
    if not (folder / "people.csv").exists():
        OUT.mkdir(exist_ok=True)
        cost(["-m", "kohort", "generate", "italy", "--records", str(records), "--out", str(folder), "--quiet"])
    return folder


def quasi(folder: Path) -> list[str]:
    """The flags of five quasi-identifiers, three of them with a hierarchy."""
    return ["--quasi", ",".join(QUASI), *(f"--hierarchy={name}={folder}/{name}.json" for name in TREES)]


def asked(folder: Path, k: int) -> list[str]:
    """The job."""
    roles = [*quasi(folder), "--sensitive", "annual_income", "--rest", "drop", "--no-grid"]
    roles += ["--no-model", "annual_income", "--allow-singling", "annual_income"]
    return ["-m", "kohort", "anonymize", f"{folder}/people.csv", *roles, "--k", str(k), "--quiet"]


def schema(folder: Path) -> Schema:
    """The roles, for the comparison alone."""
    trees = {name: read_hierarchy(folder / f"{name}.json") for name in TREES}
    attributes = [Attribute(name, Role.QUASI, hierarchy=trees.get(name)) for name in QUASI]
    return Schema((*attributes, Attribute("annual_income", Role.SENSITIVE)), rest=Role.IDENTIFYING)


def in_turn(commands: Mapping[str, Sequence[str]], runs: int) -> dict[str, list[Cost]]:
    """Every command so many times, one after the other in each round; the first round fills caches."""
    found: dict[str, list[Cost]] = {name: [] for name in commands}
    for _ in range(runs + 1):
        for name, command in commands.items():
            found[name].append(cost(command))
    return {name: several[1:] for name, several in found.items()}


def on_page(options: argparse.Namespace) -> None:
    """The whole command with and without a report."""
    folder = register(options.records)
    with TemporaryDirectory(dir=OUT) as made:
        commands: dict[str, Sequence[str]] = {}
        for name in REPORTS:
            report = ["--report", f"{made}/{name}"] if name else []
            command = [*asked(folder, options.k), "--out", f"{made}/release.csv", "--overwrite", *report]
            commands[name or "nothing"] = command
        found = in_turn(commands, options.runs)
        sizes = {name: Path(made, name).stat().st_size for name in REPORTS if name}
    bare = median(one.cpu for one in found["nothing"])
    print(f"kohort anonymize, register of {options.records:,} people, k = {options.k}")
    for name, several in found.items():
        cpu, memory = median(one.cpu for one in several), max(one.memory for one in several)
        beyond = f"  +{cpu - bare:5.2f} s {judged(cpu - bare, PAGE)}  {sizes[name]:>9,} bytes" if name in sizes else ""
        print(f"  report: {name:<13} CPU {cpu:6.2f} s  memory {memory:5.0f} MiB{beyond}", flush=True)


def on_compare(options: argparse.Namespace) -> None:
    """The comparison alone, and the whole command."""
    folder = register(options.records)
    with TemporaryDirectory(dir=OUT) as made:
        target = f"{made}/release.csv"
        cost([*asked(folder, options.k), "--out", target])
        before, after = (read(str(path), ReadOptions()) for path in (folder / "people.csv", target))
        roles, spent = schema(folder), list[float]()
        for _ in range(options.runs + 1):
            began = time.process_time()
            compare(before, after, schema=roles, k=options.k)
            spent.append(time.process_time() - began)
        command = ["-m", "kohort", "compare", f"{folder}/people.csv", target, *quasi(folder), "--quiet"]
        whole = in_turn({"compare": command}, options.runs)["compare"]
    alone = median(spent[1:])
    print(f"comparison of {options.records:,} records, {len(after.names)} columns, with their release, k = {options.k}")
    print(f"  alone, tables read        CPU {alone:6.2f} s {judged(alone, COMPARISON)}")
    print(f"  whole command, 200 counts CPU {median(one.cpu for one in whole):6.2f} s")
    for kind in KINDS:
        on_kind(kind, options)


def on_kind(kind: str, options: argparse.Namespace) -> None:
    """The comparison of another table with its release, beside making the release."""
    source = table(kind, options.records)
    with TemporaryDirectory(dir=OUT) as made:
        target, names = f"{made}/release.csv", ",".join(columns(LOW if kind == "low" else HIGH))
        commands = {
            "anonymize": anonymizing(kind, source, target, 5),
            "compare": ["-m", "kohort", "compare", str(source), target, "--quasi", names, "--quiet"],
        }
        found = {name: median(one.cpu for one in runs) for name, runs in in_turn(commands, options.runs).items()}
    ratio = found["compare"] / found["anonymize"]
    print(f"  {kind}: {found['compare']:.2f} s, {ratio:.2f} times the {found['anonymize']:.2f} s of `kohort anonymize`")


def on_altered(options: argparse.Namespace) -> None:
    """The whole command with noise, with pseudonyms and with neither, and noise alone."""
    folder = register(options.records)
    noise = ["--perturb", "annual_income=noise:scale=0.1,decimals=0,lower=0"]
    with TemporaryDirectory(dir=OUT) as made:
        cost(["-m", "kohort", "key", f"{made}/key", "--quiet"])
        out = ["--out", f"{made}/release.csv", "--overwrite"]
        plain = [*asked(folder, options.k), *out]
        commands: dict[str, Sequence[str]] = {
            "kohort anonymize": plain,
            "with noise": [*plain, *noise],
            "with pseudonyms": [*plain, "--pseudonym", "person_id", "--key-file", f"{made}/key"],
            "kohort perturb": ["-m", "kohort", "perturb", f"{folder}/people.csv", *noise, *out, "--quiet"],
        }
        found = in_turn(commands, options.runs)
    print(f"noise and pseudonyms, register of {options.records:,} people, k = {options.k}")
    for name, several in found.items():
        cpu, memory = median(one.cpu for one in several), max(one.memory for one in several)
        print(f"  {name:<16} CPU {cpu:6.2f} s  memory {memory:5.0f} MiB", flush=True)


def judged(seconds: float, most: float) -> str:
    """Whether it may take so long."""
    return f"({'meets' if seconds <= most else 'MISSES'} {most:g} s)"


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["page", "compare", "altered"])
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    {"page": on_page, "compare": on_compare, "altered": on_altered}[options.what](options)


if __name__ == "__main__":
    main()
