"""A release of several parts: joined it is the file, and nothing of its folder can be changed unnoticed."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import kohort
from kohort import io
from kohort.cli import main
from kohort.engines.outlets import written_as
from kohort.errors import FileError, InputError, TargetError, UsageError, VerificationError
from kohort.io.forms import Format
from kohort.io.manifest import WrittenPart, altered, joined, listed_parts, part_name, read_manifest
from kohort.io.typed import from_frame
from kohort.publish import check_target
from kohort.publish.folder import publish_folder
from kohort.release.job import Writing
from kohort.system.workspace import HEAP
from kohort.tables.recoded import RecodedColumn, RecodedTable
from kohort.tables.recoded import joined as joined_tables
from kohort.verify import Claim, verify_parts
from tests.jobs import freely
from tests.quick import examples

if TYPE_CHECKING:
    from collections.abc import Callable

    from kohort.tables.table import Table

CELLS = st.sampled_from(["flu", "gout", "", 'a "quoted"\nline', "né", "01", "-3,5"])
PEOPLE = pl.DataFrame({"age": [30, 31, 32, 33] * 5, "illness": ["flu", "gout", "cough", None] * 5})
FLAGS = ["--quasi", "age", "--sensitive", "illness", "--no-model", "illness", "--k", "2", "--no-grid", "--quiet"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a table in it."""
    monkeypatch.chdir(tmp_path)
    PEOPLE.write_csv("people.csv")
    return tmp_path


def job(writing: Writing, k: int = 2) -> kohort.Job:
    """Classes of some people."""
    attributes = (kohort.Attribute("age", kohort.Role.QUASI), kohort.Attribute("illness", kohort.Role.SENSITIVE))
    return replace(freely(kohort.Job(kohort.Schema(attributes), (kohort.KAnonymity(k),))), writing=writing)


def cells(table: Table) -> dict[str, list[str | None]]:
    """The cells of a table, by column."""
    return {one.name: one.values.gather(one.codes).to_list() for one in table.columns}


@given(
    st.lists(st.tuples(st.integers(0, 9), CELLS), min_size=2, max_size=30),
    st.integers(1, 12),
    st.sampled_from(["csv", "parquet"]),
)
@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_joined_parts_are_the_file(records: list[tuple[int, str]], size: int, format_: str) -> None:
    """Parts of CSV, the header once, are the local file byte for byte; those of Parquet hold the same records."""
    frame = pl.DataFrame(records, schema={"age": pl.Int64, "illness": pl.String}, orient="row")
    writing = Writing(Format(format_), records_per_part=size)
    release = kohort.anonymize(frame, job(writing), target="release/", overwrite=True)
    whole = kohort.anonymize(frame, job(Writing(Format(format_))), target=f"whole.{format_}", overwrite=True)
    assert release.verdict is not None
    known = read_manifest(Path("release"))
    assert [part.records for part in known.parts[:-1]] == [size] * (len(known.parts) - 1)
    assert known.records == len(records)
    assert cells(kohort.read("release/")) == cells(kohort.read(f"whole.{format_}"))
    if format_ == "csv":
        assert b"".join(joined(known.paths(Path("release")), text=True)) == Path("whole.csv").read_bytes()
        assert replace(release.verdict, parts=()) == whole.verdict
    assert [(part.name, part.records, part.sha256) for part in release.verdict.parts] == [
        (part.name, part.records, part.sha256) for part in known.parts
    ]


def test_keyword_arguments_make_parts() -> None:
    """At once, or of a release that is saved later; its job file names a folder, and a file is refused."""
    options: dict[str, Any] = {"quasi": ["age"], "k": 2, "rest": "insensitive", "records_per_part": 8}
    kohort.anonymize(PEOPLE, target="release/", **options)
    release = kohort.anonymize(PEOPLE, **options)
    release.save("later/")
    assert read_manifest(Path("later")) == read_manifest(Path("release"))
    assert [part.records for part in read_manifest(Path("later")).parts] == [8, 8, 4]
    assert kohort.Job.from_toml(release.job.to_toml()).writing == release.job.writing
    with pytest.raises(UsageError, match="only a folder has parts"):
        release.save("release.csv")


def test_parts_of_separators_and_no_records() -> None:
    """The manifest tells the separator; a release without records is one part, which can be read."""
    kohort.anonymize(PEOPLE, job(Writing(Format.CSV, ";", records_per_part=3)), target="release/")
    assert Path("release/part-00006.csv").read_text().startswith("age;illness\n")
    assert kohort.read("release/").records == 20
    empty = replace(job(Writing(Format.CSV)), reading=kohort.ReadOptions(allow_empty=True))
    kohort.anonymize(PEOPLE.clear(), empty, target="none/")
    assert [part.records for part in read_manifest(Path("none")).parts] == [0]
    assert io.read("none/", io.ReadOptions(allow_empty=True)).records == 0
    with pytest.raises(UsageError, match="names"):
        io.read("release/", io.ReadOptions(names=("a", "b")))


@pytest.mark.parametrize("format_", ["csv", "parquet"])
def test_the_command_line_of_parts(format_: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder is published, checked, replaced only if asked, and its page made again, by the manifest."""
    words = ["anonymize", "people.csv", "--out", "release/", "--format", format_, "--records-per-part", "7", *FLAGS]
    assert main(words) == 0
    assert sorted(path.name for path in Path("release").iterdir()) == [
        "certificate.json",
        "manifest.json",
        *(f"part-0000{place}.{format_}" for place in range(3)),
    ]
    assert main(["check", "release", "--certificate", "release/certificate.json", "--quiet"]) == 0
    capsys.readouterr()
    assert main(["check", "release", "--certificate", "release/certificate.json"]) == 0
    said = "the folder release is as certified, as far as can be checked: nothing differs\n"
    assert capsys.readouterr().out.endswith(f"\n{said}")
    assert main(["check", "release/", "--quasi", "age", "--k", "2", "--quiet"]) == 0
    assert main(words) == 7
    assert main([*words, "--overwrite", "--report", "page.json"]) == 0
    Path("job.toml").write_text(
        f'[input]\npath = "people.csv"\n[output]\npath = "release/"\nformat = "{format_}"\nrecords-per-part = 7\n'
        '[method]\ngrid = "none"\n[privacy]\nk = 2\n[columns]\nage.role = "quasi"\n'
        'illness = { role = "sensitive", no-model = true }\n'
    )
    assert main(["report", "job.toml", "--out", "again.json", "--quiet"]) == 0
    assert main(["metadata", "release/certificate.json", "--format", "frictionless", "--out", "package.json"]) == 0
    assert main([*words[:6], "--records-per-part", "7", "--out", "one.csv", *FLAGS]) == 2
    assert main(["check", "release/", "--certificate", "release/certificate.json", "--k", "2"]) == 2
    Path("release", f"part-00002.{format_}").unlink()
    capsys.readouterr()
    assert main(["check", "release", "--certificate", "release/certificate.json"]) == 1
    assert "\nNOT the certified folder: " in capsys.readouterr().out


def _drop(path: Path) -> None:
    path.unlink()


def _add(path: Path) -> None:
    (path.parent / f"part-00009{path.suffix}").write_bytes(path.read_bytes())


def _swap(path: Path) -> None:
    other = path.with_name(f"part-00001{path.suffix}")
    first = path.read_bytes()
    path.write_bytes(other.read_bytes())
    other.write_bytes(first)


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


@pytest.mark.parametrize("change", [_drop, _add, _swap, _cut])
@pytest.mark.parametrize("format_", [Format.CSV, Format.PARQUET])
def test_changed_parts(change: Callable[[Path], None], format_: Format) -> None:
    """A part missing, added, moved or cut is seen by every reader, and by the check of the certificate."""
    kohort.anonymize(PEOPLE, job(Writing(format_, records_per_part=5)), target="release/")
    change(Path("release", part_name(0, format_)))
    assert altered(Path("release"), read_manifest(Path("release")))
    with pytest.raises(InputError, match="not those that the manifest lists"):
        listed_parts("release")
    with pytest.raises(InputError):
        kohort.read("release/")
    assert main(["check", "release/", "--certificate", "release/certificate.json", "--quiet"]) == 1


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", "twice", "a text for a number", "a lone surrogate"])
def test_what_is_no_manifest(text: str) -> None:
    """Nothing but what kohort writes is a manifest; a folder with another is not replaced."""
    kohort.anonymize(PEOPLE, job(Writing(Format.CSV)), target="release/")
    manifest = Path("release/manifest.json")
    told = json.loads(manifest.read_bytes())
    changed: dict[str, dict[str, object]] = {
        "twice": {"parts": [*told["parts"], *told["parts"]]},
        "a text for a number": {"parts": [{**one, "records": "20"} for one in told["parts"]]},
        "a lone surrogate": {"separator": "\ud800"},
    }
    made = {name: json.dumps(told | change, indent=1, sort_keys=True) + "\n" for name, change in changed.items()}
    manifest.write_text(made.get(text, text))
    with pytest.raises(InputError, match="not a manifest"):
        kohort.read("release/")
    with pytest.raises(InputError, match="not a manifest"):
        kohort.anonymize(PEOPLE, job(Writing(Format.CSV)), target="release/", overwrite=True)


def test_folders_that_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file, a link, the input, other files, too many parts, and what the system refuses."""
    parts = job(Writing(Format.CSV, records_per_part=5))
    Path("link").symlink_to("elsewhere")
    with pytest.raises(TargetError, match="symbolic link"):
        kohort.anonymize(PEOPLE, parts, target="link/")
    with pytest.raises(TargetError, match="a file, not a folder"):
        kohort.anonymize(PEOPLE, parts, target="people.csv/")
    kohort.anonymize(PEOPLE, parts, target="release/")
    with pytest.raises(TargetError, match="the output exists"):
        kohort.anonymize(PEOPLE, parts, target="release/")
    for source in ("release/", "release/part-00000.csv"):
        with pytest.raises(TargetError, match="an input of the same run"):
            kohort.anonymize(source, parts, target="release/", overwrite=True)
    Path("release/note.txt").touch()
    with pytest.raises(TargetError, match="holds other files"):
        kohort.anonymize(PEOPLE, parts, target="release/", overwrite=True)
    Path("new").mkdir()
    kohort.anonymize(PEOPLE, parts, target="new/")
    with pytest.raises(UsageError, match="at most 100,000 parts"):
        part_name(100_000, "csv")
    with pytest.raises(UsageError, match="only a folder has parts"):
        written_as("release.csv", parts.writing)
    with pytest.raises(UsageError, match="has its own format"):
        written_as("clinic.sqlite#release", Writing(records_per_part=5))
    known = read_manifest(Path("new"))

    def refuse(*_: object) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as failing:
        failing.setattr("kohort.io.manifest.hashlib.file_digest", refuse)
        with pytest.raises(FileError, match="reading the parts failed"):
            altered(Path("new"), known)
    with pytest.raises(FileError, match="reading the manifest failed"):
        read_manifest(Path("absent"))


def test_where_folders_cannot_be_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder is published and replaced all the same, without locks."""

    def unopened(_: Path) -> None:
        """Open nothing."""

    monkeypatch.setattr("kohort.system.open_folder", unopened)
    for _ in range(2):
        kohort.anonymize(PEOPLE, job(Writing(Format.CSV)), target="release/", overwrite=True)
    assert kohort.read("release/").records == 20


def test_permissions_of_a_folder() -> None:
    """A new folder can be entered by whom the umask allows, as any other; one that is replaced keeps its own."""
    former = os.umask(0o027)
    try:
        for mode in (0o750, 0o705):
            kohort.anonymize(PEOPLE, job(Writing(Format.CSV)), target="release/", overwrite=True)
            assert stat.S_IMODE(Path("release").stat().st_mode) == mode
            Path("release").chmod(0o705)
    finally:
        os.umask(former)


def test_a_disk_that_does_not_confirm_the_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told that writing failed, and nothing is there."""

    def refuse(_: int) -> None:
        raise OSError(5, os.strerror(5))

    monkeypatch.setattr("kohort.system.confirm", refuse)
    with pytest.raises(FileError, match=r"writing failed: Input/output error"):
        kohort.anonymize(PEOPLE, job(Writing(Format.CSV)), target="release/")
    assert [path.name for path in Path().iterdir()] == ["people.csv"]


def test_a_folder_that_comes_between(monkeypatch: pytest.MonkeyPatch) -> None:
    """What somebody else puts at the name in the last instant stays, and an error of the system is told."""
    other = Path("release")

    def rename(_: Path, target: Path) -> None:
        other.mkdir()
        (other / "note").touch()
        raise OSError(39, os.strerror(39), str(target))

    def refuse(*_: object) -> None:
        raise OSError(5, os.strerror(5))

    for call, error in ((rename, TargetError), (refuse, FileError)):
        with monkeypatch.context() as failing:
            failing.setattr(Path, "rename", call)
            with pytest.raises(error, match=r"another run was first|Input/output error"):
                kohort.anonymize(PEOPLE, job(Writing(Format.CSV)), target="release/" if call is rename else "new/")
    assert [path.name for path in other.iterdir()] == ["note"]
    with pytest.raises(TargetError, match="holds other files"):
        kohort.anonymize(PEOPLE, job(Writing(Format.CSV)), target="release/", overwrite=True)


def test_folders_of_dead_runs_are_swept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next run removes them, unless they are another user's."""

    def nobodys(_: int) -> bool:
        return False

    left = Path(".kohort-" + "0" * 32)
    left.mkdir()
    (left / "part-00000.csv").touch()
    with monkeypatch.context() as other:
        other.setattr("kohort.system.is_ours", nobodys)
        check_target(Path("another"))
    assert left.exists()
    check_target(Path("another"))
    assert not left.exists()


def test_a_disk_that_fails_while_a_folder_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a `FileError`."""
    kohort.anonymize(PEOPLE, job(Writing(Format.CSV)), target="release/")

    def refuse(*_: object, **__: object) -> None:
        raise OSError(5, os.strerror(5))

    monkeypatch.setattr("kohort.certificate.again.digest_of", refuse)
    assert main(["check", "release/", "--certificate", "release/certificate.json", "--quiet"]) == 6


def test_what_an_engine_leaves_behind() -> None:
    """Parts in another order than their names, or files besides, are not published."""

    def out_of_order(staged: Path) -> list[WrittenPart]:
        return [
            WrittenPart(staged / name, (staged / name).write_text("a\n"))
            for name in ("part-00001.csv", "part-00000.csv")
        ]

    def with_another(staged: Path) -> list[WrittenPart]:
        (staged / "spill").touch()
        return out_of_order(staged)[::-1]

    for write in (out_of_order, with_another):
        with pytest.raises(FileError, match="not those that were written"):
            publish_folder(Path("release"), write, len, lambda _: b"", format_="csv", separator=",", overwrite=False)
    assert not Path("release").exists()


def test_parts_that_are_not_the_release(folder: Path) -> None:
    """Verification goes from part to part: their records, their order, and how many each is said to hold."""
    source = from_frame(pl.DataFrame({"age": ["31", "31", "45", "45"]}))
    claim = Claim(
        kohort.Schema((kohort.Attribute("age", kohort.Role.QUASI),)), (kohort.KAnonymity(2),), source, np.arange(4)
    )
    paths = [folder / "a", folder / "b"]
    for path, age in zip(paths, ("31", "45"), strict=True):
        path.write_text(f"age\n{age}\n{age}\n")
    assert verify_parts([WrittenPart(path, 2) for path in paths], claim).classes == 2
    with pytest.raises(VerificationError, match="2 records instead of 3"):
        verify_parts([WrittenPart(path, 3) for path in paths], claim)
    swapped = replace(claim, lineage=np.array([2, 3, 0, 1]))
    with pytest.raises(VerificationError, match="out of order"):
        verify_parts([WrittenPart(path, 2) for path in paths[::-1]], swapped)
    with pytest.raises(FileError, match="reading the release failed"):
        verify_parts([WrittenPart(folder / "absent", 2)], claim)


@given(st.lists(st.lists(st.sampled_from(["a", "b", "", None, "c"]), min_size=1, max_size=9), min_size=1, max_size=5))
def test_joined_tables(parts: list[list[str | None]]) -> None:
    """Tables are joined by their cells, whatever their dictionaries; a part of a table is its records."""
    tables = [from_frame(pl.DataFrame({"x": part}, schema={"x": pl.String})) for part in parts]
    whole = joined_tables(tables, HEAP)
    assert cells(whole)["x"] == [cell for part in parts for cell in part]
    some = slice(1, whole.records)
    assert cells(whole.part(some)) == {"x": cells(whole)["x"][1:]}
    recoded = RecodedTable(
        [RecodedColumn(column) for column in whole.columns], np.ones(whole.records, np.int64), np.arange(whole.records)
    )
    assert cells(recoded.part(some).collect()) == cells(whole.part(some))
