"""Tables and transactions whose every cell is a canary, and every command with what it may repeat of them.

A canary is a text or a number that nobody writes by chance, and that is in one cell alone: wherever it turns up, it is
known what was given away. `python -m bench.canary` looks at every byte that a process writes, also to files that it
removes; `tests/faults/test_canaries.py` at what is printed and left.
"""

from __future__ import annotations

import errno
import gzip
import os
import re
import stat
import sys
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from operator import methodcaller
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import TYPE_CHECKING, Final
from unittest.mock import patch

import pytest

from kohort import system
from kohort.publish.files import TemporaryFile

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping
    from collections.abc import Set as AbstractSet
    from contextlib import AbstractContextManager

#: Records of the table.
RECORDS: Final = 40

#: The columns, and the items of transactions that everybody and that nobody may know.
COLUMNS: Final = ("id", "place", "age", "illness", "pay", "note")
ITEMS: Final = ("public", "private", "rare")

_word = re.compile(rf"Qzx({'|'.join((*COLUMNS, *ITEMS))})\d{{3}}")


def cell(column: str, row: int) -> str:
    """The canary in a cell."""
    if column == "age":
        return str(70_030_017 + 100_069 * row)
    if column == "pay":
        return str(400_090_131 + 1_300_079 * row)
    return f"Qzx{column}{row:03}"


_NUMBERS: Final = {cell(column, row): column for column in ("age", "pay") for row in range(RECORDS)}
_numbers = re.compile("|".join(rf"{number[:-6]}[ ,_'.]?{number[-6:-3]}[ ,_'.]?{number[-3:]}" for number in _NUMBERS))


def found(text: str) -> set[str]:
    """The columns and kinds of items of which a text holds a canary."""
    numbers = {_NUMBERS[re.sub(r"\D", "", number)] for number in _numbers.findall(text)}
    return {*_word.findall(text), *numbers}


TABLE: Final = "".join(
    f"{','.join(line)}\n"
    for line in (COLUMNS, *([cell(column, (row * 7) % RECORDS) for column in COLUMNS] for row in range(RECORDS)))
)
HIERARCHY: Final = "".join(f"{cell('place', row)};part {row % 3};*\n" for row in range(RECORDS))
BASKETS: Final = "".join(
    " ".join(
        (*(cell("public", item) for item in range(6) if (row + item) % 3), cell("private", row % 4), cell("rare", row))
    )
    + "\n"
    for row in range(RECORDS)
)

_FILES: Final = {
    "people.csv": TABLE,
    "place.csv": HIERARCHY,
    "baskets.dat": BASKETS,
    "population.csv": TABLE,
    "ragged.csv": f"{TABLE}{cell('id', 3)},{cell('place', 3)}\n",
    "unclosed.csv": f'{TABLE}"{cell("id", 3)},{cell("place", 3)}\n',
    "after.csv": f'{TABLE}"{cell("id", 3)}"{cell("place", 3)},1,2,3,4,5\n',
    "doubled.csv": TABLE.replace("illness", "id", 1),
    "headless.csv": TABLE.split("\n", 1)[1],
    "other.csv": TABLE.replace(cell("place", 5), "Qzxplace999").replace(cell("age", 5), "Qzxage005"),
    "parents.csv": f"{HIERARCHY}{cell('place', 3)};part x;*\n",
    "short.csv": f"{HIERARCHY}Qzxplace999;*\n",
    "said.csv": HIERARCHY.replace("part 1", cell("place", 3)),
    "broken.json": f'{{"name": "{cell("place", 1)}", "children": [',
    "broken.toml": f'[input]\npath = "{cell("place", 1)}\n',
    "wrong.toml": f'[columns]\nplace = "{cell("place", 2)}"\n[privacy]\nk = "{cell("id", 2)}"\n',
    "broken.dat": f"{BASKETS}\0{cell('private', 1)}\n",
    "strange.kohort.json": f'{{"{cell("place", 1)}": "{cell("id", 1)}"}}',
}


def write_inputs(folder: Path) -> None:
    """Write what the commands read; some of it is damaged."""
    for name, text in _FILES.items():
        (folder / name).write_text(text)
    (folder / "latin.csv").write_bytes(TABLE.replace("Qzxnote", "é").encode("latin-1"))
    (folder / "nul.csv").write_bytes(TABLE.replace("Qzxnote005", "\0").encode())
    (folder / "cut.csv.gz").write_bytes(gzip.compress(TABLE.encode())[:-9])
    (folder / "people.xlsx").write_bytes(b"PK\3\4" + TABLE.encode())
    (folder / "bomb.csv.gz").write_bytes(gzip.compress((TABLE + "\n" * 9_000_000).encode()))


def _changing(fill: Callable[..., None]) -> Callable[..., None]:
    """A disk that writes the cell of one record for that of another."""

    def filled(self: object, write: Callable[[BytesIO], object]) -> None:
        made = BytesIO()
        write(made)
        changed = made.getvalue().replace(b"Qzxillness001", b"Qzxillness002").replace(b"Qzxpublic001", b"Qzxpublic002")
        fill(self, methodcaller("write", changed))

    return filled


def _refusing(confirm: Callable[[int], None]) -> Callable[[int], None]:
    """A disk that confirms no names."""

    def confirmed(fd: int) -> None:
        if stat.S_ISDIR(os.fstat(fd).st_mode):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        confirm(fd)

    return confirmed


@contextmanager
def _lacking(library: str) -> Generator[None]:
    """An installation without a library, also for the processes that kohort starts, which have its search path."""
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        Path(folder, f"{library}.py").write_text("raise ImportError", "utf-8")
        patched.setitem(sys.modules, library, None)
        patched.setattr(sys, "path", [folder, *sys.path])
        yield


#: What can be broken: the disk, in what it writes or confirms, and the installation.
BROKEN: Final[Mapping[str, Callable[[], AbstractContextManager[object]]]] = MappingProxyType(
    {
        "": nullcontext,
        "writing": lambda: patch.object(TemporaryFile, "fill", _changing(TemporaryFile.fill)),
        "names": lambda: patch.object(system, "confirm", _refusing(system.confirm)),
        "jinja2": partial(_lacking, "jinja2"),
        "fastexcel": partial(_lacking, "fastexcel"),
    }
)


@dataclass(frozen=True, slots=True)
class Case:
    """A command on canaries.

    Attributes:
        words: What follows `kohort`, separated by blanks.
        status: How it ends.
        shows: The outputs that show cells by design, each with their columns: `stdout`, or the name of a file.
        before: Commands that make what it reads.
        broken: What does not work meanwhile, of `BROKEN`.
    """

    words: str
    status: int = 0
    shows: Mapping[str, AbstractSet[str]] = field(default_factory=lambda: MappingProxyType({}))
    before: tuple[str, ...] = ()
    broken: str = ""

    @property
    def command(self) -> str:
        """Which command it is."""
        first, second, *_ = [*self.words.split(), ""]
        return f"{first} {second}" if first in {"hierarchy", "generate"} else first


_ROLES: Final = (
    "--quasi place,age --sensitive illness,pay --l illness=2 --no-model pay --allow-singling illness,pay "
    "--identifier id --drop note --hierarchy place=place.csv"
)
_GRID: Final = f"{_ROLES} --grid age=1000000"
_SWEPT: Final = _GRID.replace("--no-model pay --allow-singling illness,pay ", "").replace(",pay", "") + " --drop pay"
_OUT: Final = "--out release.csv"
_MAKE: Final = f"anonymize people.csv {_OUT} {_GRID} --k 4"
_LEVELS: Final = f"anonymize people.csv {_OUT} {_ROLES} --hierarchy age=intervals:1000000 --method optimal --k 4"
_PRIVATE: Final = "--private " + ",".join(cell("private", item) for item in range(4))
_BASKETS: Final = f"transactions baskets.dat --out release.dat {_PRIVATE} --h 0.9 --k 4 --p 2"

#: What a release repeats: sensitive columns are released unchanged, since nobody can be found in it.
RELEASED: Final = frozenset({"illness", "pay"})

#: What the steward's page shows, in its samples of records before and after: all but what identifies people.
STEWARD: Final = frozenset({"place", "age", "illness", "pay", "note"})

#: Everything of the table.
WHOLE: Final = frozenset(COLUMNS)

_RELEASE: Final = {"release.csv": RELEASED}

#: What is verified before it has a name; where it fails, it never gets one.
_UNNAMED: Final = {"a file without a name": RELEASED}

#: Of transactions the release shows items, and what is printed names those that were dropped.
_BASKET_RELEASE: Final = {"release.dat": {"public", "private"}, "stdout": {"rare"}}

#: What is wrong with a hierarchy is told with the label that it is about, of the file that the steward wrote.
_LABEL: Final = {"stderr": {"place"}}

#: Every command that ends well, and some ways of each.
SUCCESSES: Final = (
    Case(_MAKE, shows=_RELEASE),
    Case(f"{_MAKE} --json", shows=_RELEASE),
    Case(f"{_MAKE} --dry-run --bound"),
    Case(f"{_MAKE} --report page.html", shows={**_RELEASE, "page.html": STEWARD}),
    Case(f"{_MAKE} --report page.json --attack all", shows={**_RELEASE, "page.json": STEWARD}),
    Case(f"{_MAKE} --report page.html --audience public --attack all --compare-grid --bound", shows=_RELEASE),
    Case(f"{_MAKE} --report page.json --audience public", shows=_RELEASE),
    Case(
        f"{_LEVELS} --report page.txt --mapping map.csv --picture lattice.svg",
        shows={**_RELEASE, "map.csv": {"place", "age"}},
    ),
    Case(f"{_LEVELS} --dry-run --json"),
    Case(f"{_MAKE} --memory-limit 200MB --spill-folder spilled", shows=_RELEASE),
    Case(
        f"{_MAKE.replace(_OUT, '--out parts/')} --records-per-part 10",
        shows={f"parts/part-{part:05}.parquet": RELEASED for part in range(4)},
    ),
    Case(f"anonymize people.csv {_OUT} {_ROLES} --no-grid --k 4", shows={"release.csv": RELEASED | {"age"}}),
    Case(
        f"anonymize people.csv {_OUT} {_GRID} --k 4 --perturb pay=rounding:step=100000000",
        shows={"release.csv": {"illness"}},
    ),
    Case(_BASKETS, shows=_BASKET_RELEASE),
    Case(f"{_BASKETS} --json", shows=_BASKET_RELEASE),
    Case(f"{_BASKETS} --report page.html --audience public", shows=_BASKET_RELEASE),
    Case(f"{_BASKETS} --report page.html", shows={**_BASKET_RELEASE, "page.html": {"public", "private", "rare"}}),
    Case("convert baskets.dat --out made.csv --out-format long", shows={"made.csv": set(ITEMS)}),
    Case("inspect people.csv --picture picture.svg", shows={"picture.svg": {"age", "pay"}}),
    Case("inspect people.csv --json"),
    Case("inspect baskets.dat --transactions"),
    Case("init people.csv --out job.toml"),
    Case("run job.toml", before=("init people.csv --out job.toml",)),
    Case("advise job.toml", before=("init people.csv --out job.toml",)),
    Case("advise job.toml --json", before=("init people.csv --out job.toml",)),
    Case("check people.csv --quasi place,age --k 2", 1),
    Case("check release.csv --quasi place,age --sensitive illness --l illness=2 --json", before=(_MAKE,)),
    Case("check release.csv --certificate release.csv.kohort.json", before=(_MAKE,)),
    Case(
        "report figures.json --out page.html", shows={"page.html": STEWARD}, before=(f"{_MAKE} --report figures.json",)
    ),
    Case(
        "report figures.json --out page.html --audience public --charts . --format svg",
        before=(f"{_MAKE} --report figures.json",),
    ),
    Case("risk people.csv --quasi place,age --known 1 --population population.csv --json"),
    Case("risk people.csv --quasi place,age --attack all --original people.csv"),
    Case("risk people.csv --quasi place,age --show-values", shows={"stdout": {"place", "age"}}),
    Case("compare people.csv release.csv --quasi place,age --hierarchy place=place.csv", before=(_MAKE,)),
    Case(
        "compare people.csv release.csv --quasi place,age --hierarchy place=place.csv --out made.json --json",
        shows={"stdout": STEWARD, "made.json": STEWARD},
        before=(_MAKE,),
    ),
    Case(
        "perturb people.csv --out made.csv --perturb pay=rounding:step=100000000", shows={"made.csv": WHOLE - {"pay"}}
    ),
    Case(f"sweep people.csv {_SWEPT} --vary k=2,4,90 --out points.csv --picture points.svg --resume"),
    Case(f"sweep people.csv {_SWEPT} --vary k=2,4 --out points.json --json"),
    Case(f"sweep baskets.dat --transactions {_PRIVATE} --h 0.9 --p 2 --vary k=2,4 --out points.json"),
    Case("key secret"),
    Case("metadata release.csv.kohort.json --format croissant", before=(_MAKE,)),
    Case("schema"),
    Case("hierarchy build intervals:1000000 --in people.csv --column age --out made.csv", shows={"made.csv": {"age"}}),
    Case("hierarchy show place.csv", shows={"stdout": {"place"}}),
    Case("hierarchy show place.csv --picture made.svg --json"),
    Case("hierarchy check place.csv --in people.csv --column place"),
    Case("hierarchy convert place.csv --out made.json", shows={"made.json": {"place"}}),
    Case("generate italy --out made --records 30"),
    Case("generate admissions --out . --records 30"),
    Case("generate baskets --out made.dat --transactions 20"),
    Case("generate matrix --out made.dat --rows 20"),
    Case("demo --out demo --records 300"),
)

#: Every way to fail, on tables and on transactions.
FAILURES: Final = (
    *(
        Case(f"{command} {name}", 3)
        for name in ("ragged.csv", "unclosed.csv", "after.csv", "doubled.csv", "latin.csv", "nul.csv", "cut.csv.gz")
        for command in ("inspect", "check --quasi place", "risk --quasi place", f"anonymize {_OUT} {_GRID} --k 4")
    ),
    *(
        Case(f"{command} bomb.csv.gz", 8)
        for command in ("inspect", "risk --quasi place", f"anonymize {_OUT} {_GRID} --k 4")
    ),
    Case(f"anonymize headless.csv {_OUT} {_GRID} --k 4", 3),
    Case(f"anonymize other.csv {_OUT} {_GRID} --k 4", 3),
    Case(f"anonymize people.csv {_OUT} {_GRID.replace('place.csv', 'parents.csv')} --k 4", 3, _LABEL),
    Case(f"anonymize people.csv {_OUT} {_GRID.replace('place.csv', 'short.csv')} --k 4", 3),
    Case(f"anonymize people.csv {_OUT} {_GRID.replace('place.csv', 'said.csv')} --k 4", 3, _LABEL),
    Case(f"anonymize people.csv {_OUT} {_GRID.replace('place.csv', 'broken.json')} --k 4", 3),
    Case(f"{_MAKE} --k 41", 4),
    Case(f"{_MAKE.replace('illness=2', 'illness=41')} --k 41", 4),
    Case(f"{_MAKE.replace('--allow-singling illness,pay', '')}", 2),
    Case(f"{_MAKE.replace(_OUT, '--out nowhere/release.csv')}", 6),
    Case(f"{_MAKE.replace(_OUT, '--out people.csv')} --overwrite", 7),
    Case(_MAKE, 7, before=(_MAKE,)),
    Case("run broken.toml", 2),
    Case("run wrong.toml", 2),
    Case("report strange.kohort.json --out page.html", 3),
    Case("check release.csv --certificate strange.kohort.json", 3, before=(_MAKE,)),
    Case("metadata strange.kohort.json --format dcat", 3),
    Case("compare people.csv ragged.csv", 3),
    Case("perturb other.csv --out made.csv --perturb age=rounding:step=10", 3),
    Case("perturb people.csv --out made.csv --perturb illness=rounding:step=10", 3),
    Case(f"sweep other.csv {_SWEPT} --vary k=2,4 --out points.csv", 3),
    Case("hierarchy check short.csv", 3),
    Case("hierarchy check parents.csv --in people.csv --column place", 3, _LABEL),
    Case("hierarchy check place.csv --in other.csv --column place", 1),
    Case("hierarchy show broken.json", 3),
    Case("hierarchy convert parents.csv --out made.json", 3, _LABEL),
    Case("hierarchy build intervals:10 --in people.csv --column illness --out made.csv", 3),
    Case(_BASKETS.replace("baskets.dat", "broken.dat"), 3),
    Case(f"{_BASKETS} --k 41", 4),
    Case(_BASKETS.replace(cell("private", 1), cell("private", 9)), 2),
    Case(f"{_BASKETS} --format matrix", 3),
    Case("convert broken.dat --out made.csv --out-format long", 3),
    Case("convert baskets.dat --out made.csv --format matrix --out-format long", 3),
    Case(_MAKE, 5, _UNNAMED, broken="writing"),
    Case(f"{_MAKE} --json --report page.html", 5, _UNNAMED, broken="writing"),
    Case(f"{_LEVELS} --mapping map.csv", 5, _UNNAMED, broken="writing"),
    Case(_BASKETS, 5, {"a file without a name": {"public", "private"}}, broken="writing"),
    Case(
        "check release.csv --certificate release.csv.kohort.json --trust secret.pub",
        5,
        before=(_MAKE, "key secret --sign"),
    ),
    Case(_MAKE, 9, _RELEASE, broken="names"),
    Case(f"{_MAKE} --json --report page.html", 9, {**_RELEASE, "page.html": STEWARD}, broken="names"),
    Case(_BASKETS, 9, {"release.dat": {"public", "private"}}, broken="names"),
    Case(f"{_MAKE} --report page.html", 10, broken="jinja2"),
    Case("inspect people.xlsx", 10, broken="fastexcel"),
)
