"""What a bad day is tried on: the commands that read and write, each in a folder with what it needs."""

from __future__ import annotations

import errno
import os
import subprocess
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from kohort import system

if TYPE_CHECKING:
    from collections.abc import Generator

_PEOPLE: Final = "name,age,illness,income\n" + "".join(
    f"Zanzottera{row},{30 + row % 8},{('flu', 'gout', 'cough')[row % 3]},{20_000 + 137 * row}\n" for row in range(48)
)

_BASKETS: Final = "".join(" ".join(f"item{(row * step) % 7}" for step in (1, 2, 3)) + "\n" for row in range(1, 60))

_HIERARCHY: Final = "".join(f"{age};{('30-33', '34-37')[age // 34]};*\n" for age in range(30, 38))

_JOB: Final = """\
[input]
path = "people.csv"
[output]
path = "release.csv"
[privacy]
k = 10
[columns]
name.role = "identifying"
age = { role = "quasi", hierarchy = "hierarchies/age.csv", grid = "hierarchy" }
illness = { role = "sensitive", no-model = true }
income.role = "drop"
"""

_HIERARCHIES: Final = "--hierarchy age={0}/hierarchies/age.csv"

_ROLES: Final = (
    f"--quasi age --sensitive illness --l illness=2 --identifier name --rest drop {_HIERARCHIES} --method optimal"
)

_ANONYMIZE: Final = f"anonymize {{0}}/people.csv --out {{0}}/release.csv {_ROLES} --quiet"

_SET: Final = "--report {0}/report.txt --mapping {0}/mapping.csv"

_TRANSACTIONS: Final = (
    "transactions {0}/baskets.txt --out {0}/release.csv --private item1 --h 0.9 --p 2 --report {0}/report.txt --quiet"
)

_SWEEP: Final = f"sweep {{0}}/people.csv {_ROLES} --vary k=2,4,8 --out {{0}}/points.csv --overwrite --quiet"


@dataclass(frozen=True, slots=True)
class Scene:
    """A command in a folder.

    Attributes:
        name: Of the row.
        command: Its words, `{0}` being the folder.
        before: Commands that make what is there when it begins.
        lacking: What the system does not have: `unnamed` files, `link`, `exchange`.
        kind: Of the file system: that of temporary files if empty, or `tmpfs`, `overlay`.
        again: Whether the command, run again without a fault, has to end as if there had been none.
        status: What it ends with if nothing happens.
        random: Whether what it writes is another thing each time, of the same size.
    """

    name: str
    command: str
    before: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()
    kind: str = ""
    again: bool = False
    status: int = 0
    random: bool = False

    def words(self, command: str, folder: Path) -> list[str]:
        """The words of a command in a folder."""
        return [word.format(folder) for word in command.split()]

    def prepare(self) -> None:
        """Take away what the system lacks, in the process of a run."""
        if "unnamed" in self.lacking:
            system.open_unnamed = lambda _folder: None  # type: ignore[assignment]
        if "link" in self.lacking:
            os.link = _refused
        if "exchange" in self.lacking:
            system.exchange = _refused


def _refused(*_: object, **__: object) -> None:
    raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))


def write_inputs(folder: Path) -> None:
    """Write what the scenes read."""
    (folder / "hierarchies").mkdir()
    files = {"people.csv": _PEOPLE, "baskets.txt": _BASKETS, "hierarchies/age.csv": _HIERARCHY, "job.toml": _JOB}
    for name, text in files.items():
        (folder / name).write_text(text)


@contextmanager
def folder_on(kind: str) -> Generator[Path]:
    """A new folder on a file system of some kind.

    Raises:
        CalledProcessError: it cannot be mounted, as by anybody but root.
    """
    with TemporaryDirectory(prefix="kohort-faults-") as name, ExitStack() as mounted:
        place = Path(name)
        if kind == "overlay":
            parts = {part: place / part for part in ("lower", "work", "upper", "folder")}
            mounted.enter_context(_mounted("tmpfs", place, "size=64m"))
            for part in parts.values():
                part.mkdir()
            options = f"lowerdir={parts['lower']},upperdir={parts['upper']},workdir={parts['work']}"
            place = mounted.enter_context(_mounted("overlay", parts["folder"], options))
        elif kind:
            mounted.enter_context(_mounted(kind, place, "size=64m"))
        yield place


@contextmanager
def _mounted(kind: str, place: Path, options: str) -> Generator[Path]:
    """A mounted file system."""
    subprocess.run(["mount", "-t", kind, "-o", options, "none", str(place)], check=True, capture_output=True)  # noqa: S607
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)  # noqa: S607


_OLD: Final = f"{_ANONYMIZE} {_SET} --k 2"
_NEW: Final = f"{_ANONYMIZE} {_SET} --k 10"
_PARTS: Final = (
    f"anonymize {{0}}/people.csv --out {{0}}/release/ {_ROLES} --records-per-part 20 --report {{0}}/report.txt --quiet"
)
_PERTURB: Final = (
    "perturb {0}/people.csv --out {0}/perturbed.csv --perturb income=rounding:step=1000 --overwrite --quiet"
)

SCENES: Final = (
    Scene("anonymize", _NEW),
    Scene("anonymize --overwrite", f"{_NEW} --overwrite", (_OLD,)),
    Scene("the same, on tmpfs", f"{_NEW} --overwrite", (_OLD,), kind="tmpfs"),
    Scene("the same, on overlay", f"{_NEW} --overwrite", (_OLD,), kind="overlay"),
    Scene("the same, no unnamed files", f"{_NEW} --overwrite", (_OLD,), ("unnamed",)),
    Scene("the same, and no links", f"{_NEW} --overwrite", (_OLD,), ("unnamed", "link")),
    Scene("anonymize, no unnamed files", _NEW, lacking=("unnamed",)),
    Scene("anonymize into parts", f"{_PARTS} --k 10"),
    Scene("into parts --overwrite", f"{_PARTS} --k 10 --overwrite", (f"{_PARTS} --k 2",)),
    Scene("into parts, no exchange", f"{_PARTS} --k 10 --overwrite", (f"{_PARTS} --k 2",), ("exchange", "unnamed")),
    Scene("into parts, on tmpfs", f"{_PARTS} --k 10 --overwrite", (f"{_PARTS} --k 2",), kind="tmpfs"),
    Scene("into parts, on overlay", f"{_PARTS} --k 10 --overwrite", (f"{_PARTS} --k 2",), kind="overlay"),
    Scene("run JOB", "run {0}/job.toml --overwrite --quiet", (f"{_ANONYMIZE} --k 2",)),
    Scene("transactions", f"{_TRANSACTIONS} --k 4"),
    Scene("transactions --overwrite", f"{_TRANSACTIONS} --k 4 --overwrite", (f"{_TRANSACTIONS} --k 2",)),
    Scene("perturb --overwrite", _PERTURB, ("convert {0}/baskets.txt --out {0}/perturbed.csv --quiet",)),
    Scene("sweep", _SWEEP, again=True),
    Scene("sweep --resume", f"{_SWEEP} --resume", again=True),
    Scene(
        "sweep transactions",
        "sweep {0}/baskets.txt --transactions --private item1 --h 0.9 --p 2 --vary k=2,4 --out {0}/points.json --quiet",
        again=True,
    ),
    Scene(
        "report",
        "report {0}/figures.json --out {0}/page.json --overwrite --quiet",
        (f"{_ANONYMIZE} --k 2 --report {{0}}/figures.json",),
    ),
    Scene("inspect", "inspect {0}/people.csv"),
    Scene("init", "init {0}/people.csv --out {0}/drawn.toml --quiet"),
    Scene("check --certificate", "check {0}/release.csv --certificate {0}/release.csv.kohort.json --quiet", (_OLD,)),
    Scene("risk", "risk {0}/people.csv --quasi age --json"),
    Scene(
        "compare",
        f"compare {{0}}/people.csv {{0}}/release.csv --quasi age {_HIERARCHIES} --out {{0}}/compared.json --quiet",
        (_OLD,),
    ),
    Scene("convert", "convert {0}/baskets.txt --out {0}/long.csv --out-format long --quiet"),
    Scene("metadata", "metadata {0}/release.csv.kohort.json --format dcat --out {0}/dcat.json --quiet", (_OLD,)),
    Scene("key", "key {0}/secret --quiet", random=True),
    Scene("key --sign", "key {0}/secret --sign --quiet", random=True),
    Scene(
        "hierarchy build",
        "hierarchy build intervals:2,4 --in {0}/people.csv --column age --out {0}/built.csv --overwrite --quiet",
        ("hierarchy convert {0}/hierarchies/age.csv --out {0}/built.csv --quiet",),
    ),
    Scene("hierarchy convert", "hierarchy convert {0}/hierarchies/age.csv --out {0}/age.json --quiet"),
    Scene(
        "generate italy",
        "generate italy --out {0} --records 200 --seed 8 --overwrite --quiet",
        ("generate italy --out {0} --records 100 --overwrite --quiet",),
    ),
    Scene("generate baskets", "generate baskets --out {0}/made.dat --transactions 40 --quiet"),
)
