"""Releases in an object store, by every way that a user has: flags, job files, Python, and what reads them again."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest

import kohort
from kohort.engines.again import again
from kohort.engines.outlets import written_as
from kohort.errors import FileError, InputError, MissingExtraError, TargetError, UnsupportedError, UsageError
from kohort.io import objects
from kohort.io.folders import parts_of
from kohort.io.forms import Format
from kohort.io.manifest import PREFIX, WrittenPart, new_prefix, part_name
from kohort.io.objects import Address, Bucket, address_of, fetched, opened, sha256_of
from kohort.publish.store import check_store, publish_stored
from kohort.release.job import Writing
from tests.command import kohort as typed
from tests.jobs import freely
from tests.s3 import S3, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

PEOPLE = pl.DataFrame({"age": [30, 31, 32, 33] * 5, "illness": ["flu", "gout", "cough", None] * 5})
FLAGS = ["--quasi", "age", "--sensitive", "illness", "--no-model", "illness", "--k", "2", "--no-grid", "--quiet"]
WORDS = ["anonymize", "people.csv", "--out", "s3://lake/release/", "--format", "csv", "--records-per-part", "8", *FLAGS]


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[S3]:
    """A store that the environment names; a table in the current folder, and a folder for temporary files."""
    monkeypatch.chdir(tmp_path)
    PEOPLE.write_csv("people.csv")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    monkeypatch.setattr(objects, "_RETRIED", timedelta(milliseconds=300))
    with serving() as made:
        for name, value in made.environment.items():
            monkeypatch.setenv(name, value)
        yield made
    assert list((tmp_path / "temporary").iterdir()) == []


def job(writing: Writing) -> kohort.Job:
    """Classes of some people."""
    attributes = (kohort.Attribute("age", kohort.Role.QUASI), kohort.Attribute("illness", kohort.Role.SENSITIVE))
    return replace(freely(kohort.Job(kohort.Schema(attributes), (kohort.KAnonymity(2),))), writing=writing)


def below(store: S3) -> dict[str, bytes]:
    """The files below the prefix that the manifest names."""
    prefix = f"release/{json.loads(store.objects['release/manifest.json'])['prefix']}/"
    return {key.removeprefix(prefix): one for key, one in store.objects.items() if key.startswith(prefix)}


@pytest.mark.parametrize("engine", ["local", "duckdb"])
@pytest.mark.parametrize("format_", ["csv", "parquet"])
def test_it_is_the_release_of_a_folder(store: S3, tmp_path: Path, engine: str, format_: str) -> None:
    """The parts, and the manifest but for the prefix, are those of a folder; nothing else is there, nor here."""
    words = ["--format", format_, "--engine", engine]
    assert typed(*WORDS, *words).status == 0
    assert typed(*WORDS, *words, "--out", "release/").status == 0
    local = {path.name: path.read_bytes() for path in Path("release").iterdir() if path.name.startswith("part-")}
    assert {**below(store), **local} == below(store)
    assert sorted(below(store)) == ["certificate.json", "fate", *sorted(local)]
    told = json.loads(store.objects["release/manifest.json"])
    assert PREFIX.fullmatch(told.pop("prefix"))
    assert told == json.loads(Path("release/manifest.json").read_bytes())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv", "release", "temporary"]


def test_it_is_found_by_every_way(store: S3) -> None:
    """From Python and a job file; read, checked against models and against its certificate, by its address."""
    release = kohort.anonymize("people.csv", job(Writing(Format.CSV, records_per_part=8)), target="s3://lake/release/")
    assert str(release.path) == "s3://lake/release"
    assert str(release.certificate) in {f"s3://lake/{key}" for key in store.objects}
    assert isinstance(release.path, Address)
    assert release.path.name == "release"
    assert kohort.read("s3://lake/release/").records == 20
    assert "release" in str(release.report("report.txt"))
    words = ["check", "s3://lake/release", "--certificate", release.certificate]
    ran = typed(*words, "--reference", "people.csv")
    assert ran.status == 0, ran.err
    assert "the folder release is as certified" in ran.out
    assert typed("check", "s3://lake/release/", "--quasi", "age", "--k", "2", "--quiet").status == 0
    assert typed("init", "s3://lake/release/", "--out", "drafted.toml", "--quiet").status == 0
    assert 'path = "s3://lake/release/"' in Path("drafted.toml").read_text()
    part = next(key for key in store.objects if key.endswith("part-00001.csv"))
    store.objects[part] = store.objects[part][:-2] + b"x\n"
    assert typed(*words, "--quiet").status == 1
    with pytest.raises(InputError, match="1 changed"):
        kohort.read("s3://lake/release/")
    del store.objects[part]
    with pytest.raises(InputError, match="1 changed"):
        kohort.read("s3://lake/release/")


def test_a_job_file_and_reports(store: S3, tmp_path: Path) -> None:
    """An address is no path of the job's folder; reports stay here; without a number of records there is one part."""
    (tmp_path / "jobs").mkdir()
    text = '[input]\npath = "../people.csv"\n[output]\npath = "s3://lake/release/"\n'
    text += '[privacy]\nk = 2\n[columns]\nage.role = "quasi"\nillness = {role = "sensitive", no-model = true}\n'
    Path("jobs/job.toml").write_text(text)
    ran = typed("run", "jobs/job.toml", "--report", "report.json", "--json")
    assert ran.status == 0, ran.err
    assert sorted(below(store)) == ["certificate.json", "fate", "part-00000.parquet"]
    assert ran.figures["release"] == "s3://lake/release"
    assert ran.figures["certificate"].endswith("/certificate.json")
    assert set(ran.figures["seconds"]) >= {"write", "verify", "upload"}
    page = json.loads(Path("report.json").read_text())
    assert "certificate.json" in json.dumps(page)
    again_ = typed("report", "jobs/job.toml", "--out", "again.json")
    assert (again_.status, Path("again.json").exists()) == (2, False)
    assert "cannot be made again" in again_.err
    with pytest.raises(UnsupportedError, match="cannot be made again"):
        again("people.csv", job(Writing()), "s3://lake/release/")


def test_a_copy_of_the_whole_is_a_release(store: S3, tmp_path: Path) -> None:
    """What `aws s3 sync` brings is read and checked as a folder, and no run takes it for what a dead one left."""
    for format_ in "csv", "parquet":
        assert typed(*WORDS, "--format", format_, "--overwrite").status == 0
        prefix = json.loads(store.objects["release/manifest.json"])["prefix"]
        for key, content in store.objects.items():
            path = tmp_path / format_ / key
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        here = f"{format_}/release/"
        beside = typed("anonymize", "people.csv", "--out", f"{here}other.csv", *FLAGS)  # it sweeps the folder
        assert beside.status == 0
        assert kohort.read(here).records == 20
        ran = typed("check", here, "--certificate", f"{here}{prefix}/certificate.json")
        assert ran.status == 0, ran.out
    assert [part.path.name for part in parts_of("parquet/release/")] == [f"part-0000{n}.parquet" for n in range(3)]


def test_parts_wait_in_the_spill_folder(store: S3, tmp_path: Path) -> None:
    """Not in the system's folder, where another is named, by a flag or in Python."""
    spill = tmp_path / "spill"
    spill.mkdir()
    waiting: list[int] = []

    def look(_number: int, method: str, _key: str) -> str:
        if method == "PUT":
            waiting.append(len([*spill.glob(".kohort-*/part-*")]))
        return ""

    store.fault = look
    assert typed(*WORDS, "--memory-limit", "1GiB", "--spill-folder", "spill").status == 0
    made = job(Writing(Format.CSV, records_per_part=8))
    kohort.anonymize("people.csv", made, target="s3://lake/other/", spill_folder="spill", memory_limit="1GiB")
    assert set(waiting) == {3}
    assert [*spill.iterdir()] == []


def test_nobodys_release_is_replaced(store: S3) -> None:
    """One that is there is refused before any work, and replaced when asked; nor is the input the output."""
    assert typed(*WORDS).status == 0
    before = dict(store.objects)
    ran = typed(*WORDS)
    assert ran.status == 7
    assert "s3://lake/release" in ran.err
    assert store.objects == before
    ran = typed("anonymize", "s3://lake/release/", "--overwrite", *WORDS[2:])
    assert (ran.status, store.objects) == (7, before)
    assert "an input of the same run" in ran.err
    assert typed(*WORDS, "--overwrite", "--k", "4").status == 0
    assert json.loads(below(store)["certificate.json"])["job"] != ""
    assert store.objects["release/manifest.json"] != before["release/manifest.json"]


def test_a_store_that_alters_what_it_keeps(store: S3) -> None:
    """What is read back is other bytes than those verified: nothing is published, and nothing stays."""

    def alter(_number: int, method: str, key: str) -> str:
        if method == "HEAD" and key.endswith("part-00001.csv"):
            store.objects[key] = store.objects[key].replace(b"gout", b"flu")
        return ""

    store.fault = alter
    ran = typed(*WORDS)
    assert ran.status == 6
    assert "other bytes than those verified" in ran.err
    assert store.objects == {}


def test_a_store_without_conditional_puts(store: S3) -> None:
    """It is refused before there is a manifest."""
    store.conditional = False
    ran = typed(*WORDS)
    assert ran.status == 2
    assert "overwrites existing objects" in ran.err
    assert "release/manifest.json" not in store.objects


@pytest.mark.parametrize("status", ["401", "403", "404", "500"])
def test_a_store_that_refuses(store: S3, status: str) -> None:
    """It ends in status 6 before the table is read, and no word of the store or of the environment is shown."""
    store.fault = lambda _number, _method, _key: status
    Path("people.csv").write_text("not,a\ntable\n")
    for words in WORDS, ["check", "s3://lake/release/", "--quasi", "age"]:
        ran = typed(*words)
        assert ran.status == (3 if status == "404" and words != WORDS else 6)
        assert "canary" not in ran.out + ran.err
        assert "s3://lake/release" in ran.err
    store.fault = lambda _number, method, _key: status if method == "PUT" else ""
    PEOPLE.write_csv("people.csv")
    ran = typed(*WORDS)
    assert ran.status == 6
    assert "canary" not in ran.out + ran.err
    assert store.objects == {}


def test_a_store_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody listens; the environment says too little; the library is missing."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    ran = typed(*WORDS)
    assert ran.status == 6
    assert "no answer" in ran.err
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    ran = typed(*WORDS)
    assert ran.status == 6
    assert "lacks the settings of" in ran.err
    monkeypatch.setitem(sys.modules, "obstore", None)
    ran = typed(*WORDS)
    assert ran.status == 10
    assert "pip install 'kohort[store]'" in ran.err
    with pytest.raises(MissingExtraError):
        kohort.read("s3://lake/release/")


@pytest.mark.parametrize(
    "address",
    ["s3://", "s3://lake", "s3://lake/", "s3://me:secret@lake/a/", "s3://lake/a?X-Sig=secret", "gs://x/../y/"],
)
def test_what_is_no_address(address: str) -> None:
    """It is refused, and not repeated: it may hold a password."""
    for words in [*WORDS, "--out", address], ["check", address, "--quasi", "age"]:
        ran = typed(*words)
        assert ran.status == 2
        assert "secret" not in ran.out + ran.err


def test_what_does_not_go_there(store: S3, tmp_path: Path) -> None:
    """Files, other formats, transactions and pages are refused, and nothing is made here."""
    with pytest.raises(UsageError, match="a folder of parts"):
        written_as("s3://lake/release.csv")
    assert typed(*WORDS, "--out", "s3://lake/release/", "--format", "xlsx").status == 2
    for words in (
        [*WORDS, "--out", "here.csv", "--records-per-part", "1", "--report", "s3://lake/page.html"],
        ["transactions", "people.csv", "--out", "s3://lake/baskets/", "--format", "basket", "--private", "flu"],
        ["convert", "people.csv", "--out", "s3://lake/people.parquet"],
    ):
        assert typed(*words).status == 2
    with pytest.raises(InputError, match="no release of kohort"):
        kohort.read("s3://lake/people.csv")
    ran = typed("anonymize", "s3://lake/release/", "--out", "here.csv", "--engine", "duckdb", *FLAGS)
    assert ran.status == 2
    assert "duckdb does not read a server" in ran.err
    store.objects["other/manifest.json"] = b"{}"
    with pytest.raises(InputError, match="not a manifest"):
        kohort.read("s3://lake/other/")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv", "temporary"]
    assert set(store.objects) == {"other/manifest.json"}


def test_a_manifest_leads_nowhere_else(store: S3) -> None:
    """A prefix that is none of ours is refused: it could lead out of the folder of the copy."""
    assert typed(*WORDS).status == 0
    told = json.loads(store.objects["release/manifest.json"])
    for prefix in "..", "/tmp", 7, ".kohort-parts-x":  # noqa: S108  nothing is made there
        text = json.dumps(told | {"prefix": prefix}, indent=1, sort_keys=True) + "\n"
        store.objects["release/manifest.json"] = text.encode()
        with pytest.raises(InputError, match="not a manifest"):
            kohort.read("s3://lake/release/")


def test_large_objects_and_others(store: S3, tmp_path: Path) -> None:
    """A file that is sent in pieces is one object; deleting what is not there is nothing; `-` is no address."""
    reached = opened(Address("s3", "lake", "a"))
    large = tmp_path / "large"
    large.write_bytes(os.urandom(18 << 20))
    reached.put("a/large", large)
    assert ("POST", "a/large") in store.requests
    assert store.objects["a/large"] == large.read_bytes()
    assert b"".join(reached.pieces("a/large")) == large.read_bytes()
    assert sha256_of(reached, "a/none") == sha256_of(reached, "b/none")
    reached.delete("a/none")
    library = import_module("obstore")
    Bucket(library, library.store.LocalStore(tmp_path), "file:", "").delete("none")
    assert [one.key for one in reached.list("a/")] == ["a/large"]
    assert min(one.age for one in reached.list("a/")) > 0
    with fetched("-") as same:
        assert same == "-"
    assert address_of("people.csv") is None
    assert str(opened(Address("gs", "lake", "a")).root) == "gs://lake"


def test_the_disk_is_full_while_a_copy_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not the store that failed."""
    assert typed(*WORDS).status == 0

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    for call in "mkdir", "write_bytes", "open":
        with monkeypatch.context() as broken:
            broken.setattr(Path, call, full)
            with pytest.raises(FileError, match="copying failed: No space left on device"):
                kohort.read("s3://lake/release/")


class Killer:
    """Kills a process at one of its puts, before it is done or after."""

    def __init__(self, place: int, *, after: bool) -> None:
        """At this put, from 0."""
        self.place, self.after = place, after
        self.puts: list[str] = []
        self.victim: subprocess.Popen[bytes] | None = None

    def __call__(self, _number: int, method: str, key: str) -> str:
        """What becomes of a request."""
        self.puts += [key] if method == "PUT" else []
        if method != "PUT" or len(self.puts) != self.place + 1:
            return ""
        assert self.victim is not None
        self.victim.kill()
        self.victim.wait()
        return "lost" if self.after else "deaf"


@pytest.mark.slow
@pytest.mark.parametrize(("place", "after"), [(1, True), (3, True), (6, False), (6, True)])
def test_kill(store: S3, tmp_path: Path, place: int, *, after: bool) -> None:
    """Killed at a put: there is the whole release or none, and the next run sweeps this machine's folder, too."""
    store.fault = killer = Killer(place, after=after)
    environment = {**os.environ, "TMPDIR": str(tmp_path / "temporary")}
    with store.lock:
        killer.victim = subprocess.Popen([sys.executable, "-m", "kohort", *WORDS], env=environment)
    assert killer.victim.wait(120) == -signal.SIGKILL
    arrived = "release/manifest.json" in store.objects
    assert (killer.puts[-1] == "release/manifest.json") == (place == 6)
    assert arrived == (place == 6 and after)
    if arrived:
        assert kohort.read("s3://lake/release/").records == 20
    else:
        with pytest.raises(InputError, match="no release of kohort"):
            kohort.read("s3://lake/release/")
    left = {path.name[:8] for path in (tmp_path / "temporary").iterdir()}
    assert ".kohort-" in left
    store.fault = lambda _number, _method, _key: ""
    assert typed(*WORDS, *(["--overwrite"] if arrived else [])).status == 0
    assert kohort.read("s3://lake/release/").records == 20


@pytest.mark.parametrize(
    ("failing", "doing"), [("write", "writing"), ("verify", "reading back"), ("certify", "writing")]
)
def test_a_full_disk_here_is_told_with_the_folder_of_the_parts(
    store: S3, tmp_path: Path, failing: str, doing: str
) -> None:
    """It is not the store that failed, and nothing is there."""

    def full(step: str) -> None:
        if step == failing:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def write(folder: Path) -> list[WrittenPart]:
        full("write")
        path = folder / part_name(0, "csv")
        return [WrittenPart(path, path.write_text("age\n31\n") - 6)]

    def verify(_: object) -> None:
        full("verify")

    def certify(_: object) -> bytes:
        full("certify")
        return b"{}"

    place, prefix = Address("s3", "lake", "release"), new_prefix()
    publishing = partial(publish_stored, format_="csv", separator=",", prefix=prefix, overwrite=False, staging=tmp_path)
    with pytest.raises(FileError, match=f"{doing} failed: No space left") as told:
        publishing(place, write, verify, certify)
    assert Path(told.value.where).parent == tmp_path
    assert "make room" in told.value.hint
    assert store.objects == {}


def test_companions_arrive_with_it(store: S3, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that cannot arrive takes a new release back; one that replaced another stays; each is told."""
    from kohort.publish.files import TemporaryFile  # noqa: PLC0415  it is broken here

    def fail(_: TemporaryFile) -> None:
        raise OSError(5, "Input/output error")

    def unconfirmed(_: int | None) -> OSError:
        return OSError(5, "Input/output error")

    page = [*WORDS, "--report", "report.json"]
    with monkeypatch.context() as broken:
        broken.setattr(TemporaryFile, "rename", fail)
        assert typed(*page).status == 6
        assert "release/manifest.json" not in store.objects
        assert typed(*WORDS).status == 0
        before = store.objects["release/manifest.json"]
        ran = typed(*page, "--overwrite")
        assert ran.status == 6
        assert "was replaced and verified" in ran.err
        assert store.objects["release/manifest.json"] != before
    assert not Path("report.json").exists()
    assert [typed(*page, "--overwrite").status for _ in range(2)] == [0, 0]  # the second replaces the page, too
    monkeypatch.setattr("kohort.publish.commit._sync_failure", unconfirmed)
    ran = typed(*page, "--overwrite")
    assert ran.status == 9
    assert "s3://lake/release" in ran.err
    with pytest.raises(TargetError, match="exists"):
        kohort.anonymize("people.csv", job(Writing(Format.CSV)), target="s3://lake/release/")
    with pytest.raises(TargetError, match="exists"):  # before any work is done
        check_store(Address("s3", "lake", "release"), overwrite=False)
