"""The format that CONTRIBUTING prints, in a package of its own: nothing in kohort is changed for it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.docs.pages import ROOT

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow("commands in processes of their own, which find the package")

#: What CONTRIBUTING prints of a package with a format: its record, what reads and writes it, its entry point.
SECTION = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## Adding a format\n")[2].partition("\n## ")[0]
RECORD, FILES, POINTS = re.findall(r"^```(?:python|toml)\n(.*?)^```$", SECTION, re.MULTILINE | re.DOTALL)

OPTIONS = ["--quasi", "age,sex", "--sensitive", "ill", "--no-model", "ill", "--k", "5", "--quiet"]

#: Opens the desk on the table as `kohort app` does, and prints its page of columns.
DESK = """
from pathlib import Path
from kohort.desk.desk import Desk
from tests.unit.desk.visitor import Visitor, told, worker
visitor = Visitor(Desk(Path("desk.toml"), "a.fwf", worker())).enter()
print(told(visitor.get("/columns")))
visitor.desk.worker.close()
"""


class Ran(NamedTuple):
    """What became of a command."""

    status: int
    out: str
    err: str


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A folder in which the package is installed."""
    points = tmp_path / "package" / "fixed_width-1.dist-info" / "entry_points.txt"
    points.parent.mkdir(parents=True)
    points.write_text("[kohort.formats]\n" + POINTS.partition("\n")[2].replace('"', ""), "utf-8")
    (points.parent / "METADATA").write_text("Metadata-Version: 2.1\nName: fixed-width\nVersion: 1\n", "utf-8")
    (points.parents[1] / "fixed_width.py").write_text(RECORD, "utf-8")
    (points.parents[1] / "fixed_width_files.py").write_text(FILES, "utf-8")
    return points.parents[1]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A folder with a table, as CSV and with fixed widths; cells are missing."""
    folder = tmp_path / "work"
    folder.mkdir()
    rows = [("age", "sex", "ill"), *((f"{20 + n % 50}", "mf"[n % 2], ("flu", "", "a cold")[n % 3]) for n in range(400))]
    (folder / "a.csv").write_text("".join(f"{','.join(row)}\n" for row in rows), "utf-8")
    lines = (f"{age:4}{sex:4}{ill}".rstrip() for age, sex, ill in rows)
    (folder / "a.fwf").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return folder


def ran(package: Path, work: Path, *words: str) -> Ran:
    """What a fresh process of Python answers that has the package."""
    paths = os.pathsep.join([str(package), str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": paths}
    done = subprocess.run(
        [sys.executable, *words], cwd=work, env=environment, capture_output=True, text=True, check=False
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def kohort(package: Path, work: Path, *words: str, status: int = 0) -> Ran:
    """What a command of kohort answers that has the package."""
    found = ran(package, work, "-m", "kohort", *words)
    assert found.status == status, found.err
    return found


def test_it_is_read_and_written_like_any_other(package: Path, work: Path) -> None:
    """The release of the same table is the same; its certificate can be checked, and a catalogue told of its file."""
    kohort(package, work, "anonymize", "a.fwf", "--out", "out.fwf", *OPTIONS)
    kohort(package, work, "anonymize", "a.csv", "--out", "out.csv", *OPTIONS)
    header, *lines = (work / "out.fwf").read_text("utf-8").splitlines()
    starts = [header.index(name) for name in ("age", "sex", "ill")]
    cells = [[line[a:b].rstrip() for a, b in zip(starts, [*starts[1:], None], strict=True)] for line in lines]
    assert [",".join(row) for row in cells] == (work / "out.csv").read_text("utf-8").splitlines()[1:]
    assert "nothing differs" in kohort(package, work, "check", "out.fwf", "--certificate", "out.fwf.kohort.json").out
    told = kohort(package, work, "metadata", "out.fwf.kohort.json", "--format", "frictionless").out
    assert '"format": "fwf"' in told
    assert '"mediatype": "text/plain"' in told
    assert "fixed-width text (.fwf)" in " ".join(kohort(package, work, "anonymize", "-h").out.split())
    assert '"fwf"' in kohort(package, work, "schema").out


def test_a_release_in_parts(package: Path, work: Path) -> None:
    """A folder of its files is verified part by part, described and checked."""
    form = ["--format", "fwf", "--records-per-part", "150"]
    kohort(package, work, "anonymize", "a.fwf", "--out", "parts/", *form, *OPTIONS)
    listed = json.loads((work / "parts/manifest.json").read_text("utf-8"))
    assert [(part["name"], part["records"]) for part in listed["parts"]] == [
        ("part-00000.fwf", 150),
        ("part-00001.fwf", 150),
        ("part-00002.fwf", 100),
    ]
    kohort(package, work, "check", "parts/", "--certificate", "parts/certificate.json")
    assert "text/plain" in kohort(package, work, "metadata", "parts/certificate.json", "--format", "croissant").out
    part = work / "parts" / "part-00001.fwf"
    part.write_text(part.read_text("utf-8").replace(" flu", " gout", 1), "utf-8")
    altered = kohort(package, work, "check", "parts/", "--certificate", "parts/certificate.json", status=1)
    assert "1 changed" in altered.out


def test_the_desk_opens_it(package: Path, work: Path) -> None:
    """The draft of a job, whose release has the format of the table, and the page of its columns."""
    found = ran(package, work, "-c", DESK)
    assert found.status == 0, found.err
    assert all(name in found.out for name in ("age", "sex", "ill"))
    kohort(package, work, "init", "a.fwf", "--out", "job.toml")
    assert 'path = "a.release.fwf"' in (work / "job.toml").read_text("utf-8")


def test_what_it_cannot_hold_is_refused(package: Path, work: Path) -> None:
    """A cell that does not come back names its column; a damaged file is the file's fault; no value is quoted."""
    (work / "lines.csv").write_text("age,sex,ill\n" + '30,m,"CANARY\nb"\n' * 9, "utf-8")
    refused = kohort(package, work, "anonymize", "lines.csv", "--out", "out.fwf", *OPTIONS, status=2)
    assert "1 value cannot be written to fixed-width text exactly\n  where: column ill" in refused.err
    (work / "bad.fwf").write_bytes(b"age \xff CANARY\n")
    damaged = kohort(package, work, "inspect", "bad.fwf", status=3)
    assert "the fixed-width text file is damaged\n  where: bad.fwf" in damaged.err
    assert "CANARY" not in refused.err + damaged.err
    (work / "people.fwf").write_bytes(b"PK\x03\x04")
    assert (
        "the name says fixed-width text, the bytes say zip"
        in kohort(package, work, "inspect", "people.fwf", status=3).err
    )


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (('"fwf"', '"fixed"'), "the format fwf is called fixed in its record"),
        (
            ('"fixed_width_files"', '"fixed_width_files", suffixes=(".csv",)'),
            "the format fwf has the ending .csv of csv",
        ),
    ],
)
def test_a_record_that_does_not_fit(change: tuple[str, str], told: str, package: Path, work: Path) -> None:
    """A format under two names, or with the ending of another, is refused by name."""
    (package / "fixed_width.py").write_text(RECORD.replace(*change), "utf-8")
    refused = kohort(package, work, "inspect", "a.csv", status=2)
    assert f"{told}\n  where: entry points kohort.formats\n  hint: change it, or uninstall its package" in refused.err
