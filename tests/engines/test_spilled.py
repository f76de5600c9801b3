"""The local engine with its long arrays in files without a name: the same bytes, and nothing left behind."""

from __future__ import annotations

import json
import mmap
import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import weakref
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import kohort
from kohort import system
from kohort.algorithms import PLUGINS
from kohort.algorithms.lattice.samarati import Samarati
from kohort.algorithms.mondrian import ordered, reordering, waves
from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.core import frequency, order
from kohort.core.frequency import FrequencySet
from kohort.engines import limits
from kohort.engines.local import LOCAL, LocalEngine, local_engine
from kohort.engines.pipeline import anonymize
from kohort.errors import (
    FileError,
    InfeasibleError,
    KohortError,
    LimitError,
    SchemaError,
    SourceNote,
    UsageError,
)
from kohort.io.forms import Format
from kohort.job.keywords import job_from
from kohort.job.request import Request
from kohort.release import Writing
from kohort.schema.sensitive import SensitiveDomain
from kohort.sql.duckdb import DuckDB
from kohort.sql.remote import RemoteEngine
from kohort.system import workspace
from kohort.system.workspace import Workspace
from kohort.testing import check_engine
from kohort.verify.verdict import BY_AGGREGATION, BY_RECORD
from tests.quick import examples

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.engines.base import Engine

#: What only the canary's records hold.
CANARY = "canary-7f3a"

#: What the hierarchies of the random tables are built by, where a method needs one.
_LEVELS = {"age": "intervals:10,20", "city": "suppress"}


def spilling(folder: Path) -> LocalEngine:
    """An engine that puts every array into a file."""
    return LocalEngine(Workspace(folder, least=0))


@pytest.mark.parametrize("seed", [0, 1])
def test_a_spilled_engine_is_an_engine(tmp_path: Path, seed: int) -> None:
    """The one test body of engines, and no file is left."""
    check_engine(spilling(tmp_path), tables=examples(7), seed=seed)
    assert not list(tmp_path.iterdir())


def tables() -> st.SearchStrategy[pl.DataFrame]:
    """Small tables with missing values, quotes and equal numbers that are written differently."""
    row = st.tuples(
        st.sampled_from(["9", "10", "31", "31.0", "40", ""]),
        st.sampled_from(["Bari", "Lecce", "Torino", ""]),
        st.sampled_from(["clerk", "cook, chef", 'a "quoted" one', "pilot"]),
        st.sampled_from(["flu", "gout", "cough", "cold"]),
        st.sampled_from(["1000", "1049", "2000", ""]),
    )
    names = ["age", "city", "job", "ill", "pay"]
    return st.lists(row, min_size=4, max_size=40).map(lambda rows: pl.DataFrame(rows, names, orient="row"))


#: What jobs ask for, of each kind one.
METHODS: tuple[Mapping[str, Any], ...] = (
    {},
    {"no_grid": True},
    {"method": "mondrian-relaxed"},
    {"cut": "loss"},
    {"cut": "median", "dimension": "most-values"},
    {"method": "ordered"},
    {"method": "top-down"},
    {"method": "samarati", "max_suppression": "20%"},
    {"method": "optimal", "max_suppression": "20%"},
    {"method": "best-effort", "max_suppression": "20%"},
    {"method": "datafly", "max_suppression": 3},
    {"method": "suppress-cells"},
    {"method": "suppress-cells-optimal"},
)
MODELS: tuple[Mapping[str, Any], ...] = (
    {"k": 2, "no_model": ["ill"]},
    {"k": 2, "l": {"ill": 2}},
    {"k": 2, "t": {"ill": "0.5"}},
    {"k": 2, "entropy_l": {"ill": "1.5"}},
    {"k": 2, "beta": {"ill": 1}},
)
LABELS: tuple[Mapping[str, Any], ...] = (
    {},
    {"labels": "set"},
    {"labels": "mean", "no_grid": True},
    {"labels": "range"},
)
MISSING: tuple[Mapping[str, Any], ...] = ({}, {"missing": {"age": "suppress"}}, {"complete_records": ["city"]})


def ended(table: pl.DataFrame, asked: Mapping[str, Any], folder: Path, engine: Engine) -> list[object]:
    """What a run came to: its files and figures, or what it refused; certificates name another engine otherwise."""
    folder.mkdir()
    try:
        asked_for = {"quasi": ["age", "city", "job"], "sensitive": ["ill"], "insensitive": ["pay"], **asked}
        request = job_from(None, asked_for)
        assert isinstance(request, Request)
        made = anonymize(table, request.job, target=folder / "release.csv", engine=engine)
    except KohortError as error:
        return [type(error), str(error)]
    certificate = (folder / "release.csv.kohort.json").read_text(encoding="utf-8")
    certificate = certificate.replace(ELSEWHERE.base.title, "local").replace(BY_AGGREGATION, BY_RECORD)
    figures = [made.metrics, made.losses, sorted(made.sizes.tolist())]
    return [(folder / "release.csv").read_bytes(), certificate, *figures]


#: Records in DuckDB; one database for all tests.
ELSEWHERE = RemoteEngine(DuckDB.opened(None, None))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(table=tables(), data=st.data())
def test_every_engine_makes_the_same(table: pl.DataFrame, data: st.DataObject, tmp_path_factory: Any) -> None:  # noqa: ANN401  pytest's own
    """Whatever the method, the model, the labels and what becomes of missing values, and also in DuckDB.

    Wherever the long arrays of the local one live, and whether sorting takes the records together or three at a time.
    """
    folder = tmp_path_factory.mktemp("spilled")
    method = data.draw(st.sampled_from(METHODS))
    levels = "max_suppression" in method
    asked = {**method, **data.draw(st.sampled_from(MODELS)), **data.draw(st.sampled_from(MISSING))}
    if levels:
        asked["hierarchy"] = {**_LEVELS, "job": "frequency:1"}
    elif not method.get("no_grid"):
        asked |= data.draw(st.sampled_from(LABELS))
    local = ended(table, asked, folder / "local", LOCAL)
    (folder / "files").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(order, "TOGETHER", 3)
        patch.setattr(order, "PIECE", 2)
        assert ended(table, asked, folder / "spilled", spilling(folder / "files")) == local
    assert not list((folder / "files").iterdir())
    there = ended(table, asked, folder / "elsewhere", ELSEWHERE)
    told = 1 if isinstance(local[0], type) else len(local)  # of what is refused, each names its own place
    assert there[:told] == local[:told]


def test_every_method_is_tried() -> None:
    """None that kohort has is missing above."""
    assert {"mondrian", *(method.get("method") for method in METHODS)} - {None} == {*PLUGINS}


@pytest.mark.parametrize(
    "asked",
    [
        {"k": 2, "no_model": ["ill"]},
        {"k": 2, "l": {"ill": 2}},
        {"k": 2, "cut": "loss", "no_model": ["ill"]},
        {"k": 5, "method": "ordered", "no_model": ["ill"]},
        {"k": 3, "method": "ordered", "l": {"ill": 2}},
    ],
)
def test_a_long_table_is_counted_some_records_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: Mapping[str, Any]
) -> None:
    """With the same bytes: what is long begins at three records here, or at eight."""
    table = pl.DataFrame(
        {
            "age": [str(20 + at % 31) for at in range(200)],
            "city": [("Bari", "Lecce", "Torino")[at * at % 3] for at in range(200)],
            "ill": [("flu", "gout", "cough", "")[at % 4] for at in range(200)],
            "pay": [str(at // 2) for at in range(200)],
        }
    )
    released: list[bytes] = []
    for few in (False, True):
        if few:
            monkeypatch.setattr(frequency, "TALLIED", 3)
            monkeypatch.setattr(waves, "TALLIED", 3)
            for room in (workspace, ordered, reordering):
                monkeypatch.setattr(room, "BLOCK", 8)
        target = tmp_path / f"{few}.csv"
        kohort.anonymize(table, target=target, quasi=["age", "city"], sensitive=["ill"], drop=["pay"], **asked)
        released.append(target.read_bytes())
    assert released[0] == released[1]


def people(folder: Path, records: int) -> Path:
    """A file of some people, each of whom has a name that nobody may find later."""
    path = folder / "people.csv"
    rows = [f"{CANARY}-{at},{20 + at % 50},{at % 7},{'flu' if at % 3 else 'gout'}" for at in range(records)]
    path.write_text("\n".join(["name,age,street,ill", *rows, ""]), encoding="utf-8")
    return path


OPTIONS: Mapping[str, Any] = {"quasi": ["age", "street"], "sensitive": ["ill"], "identifying": ["name"], "k": 5}


def test_python_takes_a_limit(tmp_path: Path) -> None:
    """As bytes or as a text, for keyword arguments and for a job; the files are the same without."""
    source, spilled = people(tmp_path, 500), tmp_path / "spilled"
    spilled.mkdir()
    said = {}
    for name, limit in (("none", None), ("bytes", 1 << 30), ("text", "1GiB")):
        target = tmp_path / f"{name}.csv"
        folder = None if limit is None else spilled
        kohort.anonymize(source, target=target, memory_limit=limit, spill_folder=folder, no_model=["ill"], **OPTIONS)
        said[name] = target.read_bytes()
    assert said["none"] == said["bytes"] == said["text"]
    assert not list(spilled.iterdir())


def test_a_folder_alone_spills_nothing(tmp_path: Path) -> None:
    """That is said, and so is a limit of nothing; without either the engine is the usual one."""
    with pytest.raises(UsageError, match="needs a memory limit"):
        local_engine(None, tmp_path)
    with pytest.raises(UsageError, match="must be above 0"):
        local_engine(0)
    assert local_engine(None) is LOCAL
    engine = local_engine(5)
    assert isinstance(engine, LocalEngine)
    assert engine.workspace.folder == Path(tempfile.gettempdir())


def test_a_job_file_takes_a_limit(tmp_path: Path) -> None:
    """Its folder is relative to the job's; a frequency set above the limit is refused with what helps."""
    people(tmp_path, 500)
    (tmp_path / "spilled").mkdir()
    job = tmp_path / "job.toml"
    text = """
input.path = "people.csv"
output.path = "release.csv"
run = { memory-limit = "LIMIT", spill-folder = "spilled" }
privacy.k = 5
columns.name.role = "identifying"
columns.age.role = "quasi"
columns.street.role = "quasi"
columns.ill = { role = "sensitive", no-model = true }
"""
    job.write_text(text.replace("LIMIT", "100B"), encoding="utf-8")
    command = [sys.executable, "-m", "kohort", "run", str(job)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == LimitError.exit_status
    assert "different tuples take" in run.stderr
    assert "more than the limit" in run.stderr
    assert "a larger limit" in run.stderr
    assert not (tmp_path / "release.csv").exists()
    run = subprocess.run([*command, "--set", "run.memory-limit=1GiB"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert (tmp_path / "release.csv").exists()
    assert not list((tmp_path / "spilled").iterdir())


def test_too_little_disk_is_refused_before_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a text by its size and beginning, of anything else by its records."""

    def free(_: object) -> int:
        return 10_000

    monkeypatch.setattr(system, "free", free)
    engine = spilling(tmp_path)
    with pytest.raises(LimitError, match=r"some 501 records may take 48.1 kB on disk, and 10.0 kB are free"):
        anonymize(people(tmp_path, 500), job(), engine=engine)
    frame = pl.DataFrame({"name": ["Ada"], "age": ["7"], "street": ["1"], "ill": ["flu"]})
    with pytest.raises(LimitError, match=r"some 200 records may take 19.2 kB"):
        anonymize(pl.concat([frame] * 200), job(), engine=engine)


def test_a_search_that_takes_more_is_refused_before_it_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once the tuples are counted: on this side of the line it runs, and on that it does not."""
    source, lines = people(tmp_path, 500), [70_699, 70_700]
    request = job_from(None, {**OPTIONS, "no_model": ["ill"], "no_grid": True, "method": "ordered"})
    assert isinstance(request, Request)

    def free(_: object) -> int:
        return lines[0]

    monkeypatch.setattr(system, "free", free)
    with pytest.raises(LimitError, match=r"450 different tuples may take another 70.7 kB on disk, and 70.7 kB are"):
        anonymize(source, request.job, engine=spilling(tmp_path))
    lines.pop(0)
    anonymize(source, request.job, engine=spilling(tmp_path))
    lines[:] = [49_000]
    anonymize(source, job(), engine=spilling(tmp_path))


@pytest.mark.parametrize("unique", [False, True])
@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"no_model": (), "l": {"ill": 2}},
        {"method": "mondrian-relaxed"},
        {"cut": "loss"},
        {"method": "ordered"},
        {"method": "best-effort", "max_suppression": "20%", "hierarchy": {"age": "suppress", "street": "suppress"}},
    ],
)
def test_what_is_said_of_the_disk_is_true(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    asked: Mapping[str, Any],
    unique: bool,  # noqa: FBT001  a case
) -> None:
    """No run takes more than is said before it starts, and none less than an eighth of that."""
    true_spilled, taken, most = system.spilled, [0], [0]

    def free_(size: int) -> None:
        taken[0] -= size

    def spilled(folder: Path, size: int) -> mmap.mmap:
        made = true_spilled(folder, size)
        taken[0] += size
        most[0] = max(taken[0], most[0])
        weakref.finalize(made, free_, size)
        return made

    monkeypatch.setattr(system, "spilled", spilled)
    draw, records = np.random.default_rng(1), 6000
    columns = {name: draw.integers(0, 3000 if unique else 7, records) for name in ("age", "street")}
    frame = pl.DataFrame({**columns, "ill": draw.integers(0, 3, records)}).cast(pl.String)
    options = {"quasi": ["age", "street"], "sensitive": ["ill"], "k": 5, "no_model": ["ill"], "no_grid": True, **asked}
    if "hierarchy" in asked:
        del options["no_grid"]
    request = job_from(None, options)
    assert isinstance(request, Request)
    engine = LocalEngine(Workspace(tmp_path, least=4096))
    anonymize(frame, request.job, target=tmp_path / "release.csv", engine=engine)
    counts = engine.count(engine.read(frame, request.job.reading), request.job).counts
    searching = limits.search_room(counts.frequency, counts.domains, request.job)
    said = records * (limits.EACH_COLUMN * 3 + limits.EACH_RECORD) + searching
    assert most[0] <= said <= 8 * most[0], most[0] / records


def job() -> kohort.Job:
    """The job of the options."""
    request = job_from(None, {**OPTIONS, "no_model": ["ill"]})
    assert isinstance(request, Request)
    return request.job


def test_what_is_taken_of_the_disk_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it is much."""
    monkeypatch.setattr(limits, "SAID", 1000)
    with pytest.warns(SourceNote, match=r"the run takes up to 48.1 kB on disk, in .*; .* are free there"):
        anonymize(people(tmp_path, 500), job(), engine=spilling(tmp_path))


def test_what_is_known_of_a_file_before_it_is_read(tmp_path: Path) -> None:
    """Of a text its records and columns; nothing of what is no text, or is not there."""
    records, columns = limits.expected(people(tmp_path, 500)) or (0, 0)
    assert (records, columns) == (501, 4)
    (tmp_path / "empty.csv").touch()
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "table.parquet")
    for source in (tmp_path / "empty.csv", tmp_path / "table.parquet", tmp_path / "nowhere", "-", object()):
        assert limits.expected(source) is None


def test_what_is_no_text_is_not_estimated_by_its_beginning(tmp_path: Path) -> None:
    """A database, whose reader knows how large it is."""
    path = tmp_path / "clinic.sqlite"
    with closing(sqlite3.connect(path)) as base:
        base.execute("CREATE TABLE patients (age INTEGER)")
        base.commit()
    assert limits.expected(path) is None


def test_a_frequency_set_may_be_as_large_as_the_limit() -> None:
    """With one it may be as large as that."""
    tuples = np.zeros((9, 2), np.uint16)
    counted = FrequencySet(tuples, tuples[:, :0], np.ones(9, np.int64))
    limits.refuse_large(counted, None)
    limits.refuse_large(counted, 108)
    with pytest.raises(LimitError, match="9 different tuples take 108 bytes of memory, 1 bytes more than the limit"):
        limits.refuse_large(counted, 107)


def test_a_search_on_levels_needs_memory_beside_its_tuples() -> None:
    """That it groups them in; of tuples that differ in a sensitive value alone it is not known how much."""
    tuples = np.zeros((9, 2), np.uint16)
    counted = FrequencySet(tuples, tuples[:, :0], np.ones(9, np.int64))
    told = "take 108 bytes of memory, and the search groups them in another 126 bytes: 1 bytes more than the limit"
    limits.refuse_large(counted, 234, Samarati())
    limits.refuse_large(counted, 108, Mondrian())
    with pytest.raises(LimitError, match=told):
        limits.refuse_large(counted, 233, Samarati())
    ill = (SensitiveDomain("ill", np.array([9])),)
    limits.refuse_large(replace(counted, sensitive=tuples[:, :1], sensitive_domains=ill), 126, Samarati())


@pytest.mark.parametrize("calls", range(0, 20, 4))
def test_a_full_disk_publishes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls: int) -> None:
    """Whenever it happens: the error says so, and neither a release nor a file is left."""
    true_reserve, done = system._reserve, [0]  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  the one call that the disk refuses

    def reserve(fd: int, size: int) -> None:
        done[0] += 1
        if done[0] > calls:
            raise OSError(28, os.strerror(28))
        true_reserve(fd, size)

    monkeypatch.setattr(system, "_reserve", reserve)
    source, folder = people(tmp_path, 100), tmp_path / "out"
    folder.mkdir()
    with pytest.raises(FileError, match="No space left on device"):
        anonymize(source, job(), target=folder / "release.csv", engine=spilling(folder))
    assert not list(folder.iterdir())


#: A run that says when it has begun a stage, and waits there to be killed.
DYING = """
import sys, time
from pathlib import Path
from kohort.job.keywords import job_from
from kohort.engines.local import LocalEngine
from kohort.engines.pipeline import anonymize
from kohort.system.workspace import Workspace
source, folder, last = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
def on_progress(stage):
    if stage == last:
        print(stage, flush=True)
        time.sleep(60)
columns = {"quasi": ["age", "street"], "sensitive": ["ill"], "identifying": ["name"]}
job = job_from(None, {**columns, "k": 5, "no_model": ["ill"]})
folder_engine = LocalEngine(Workspace(folder, least=0))
anonymize(source, job.job, target=folder / "release.csv", on_progress=on_progress, engine=folder_engine)
"""


@pytest.mark.parametrize("stage", ["count", "solve", "recode", "write", "verify"])
def test_a_killed_run_leaves_nothing(tmp_path: Path, stage: str) -> None:
    """Nothing of it is in the folder, not even under a name that nobody knows."""
    source, folder = people(tmp_path, 200), tmp_path / "out"
    folder.mkdir()
    command = [sys.executable, "-c", DYING, str(source), str(folder), stage]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == f"{stage}\n"
        assert not list(folder.iterdir())
        run.send_signal(signal.SIGKILL)
    time.sleep(0.1)
    assert run.returncode == -signal.SIGKILL
    assert not list(folder.iterdir())


#: What every cell of the table of tokens is: no two of them are the same.
TOKEN = re.compile(rb"zq[0-9a-f]{12}|[0-9a-f]{8}qz")


def tokens(folder: Path, records: int) -> Path:
    """A file of which each cell is a text of its own."""
    path, random = folder / "tokens.csv", np.random.default_rng(7)
    rows = [",".join(f"zq{number:012x}" for number in random.integers(0, 1 << 48, 4).tolist()) for _ in range(records)]
    path.write_text("\n".join(["name,street,job,ill", *rows, ""]), encoding="utf-8")
    return path


#: What is asked of it: the release says tokens, for it has to say something.
TOLD = ("--identifier", "name", "--quasi", "street,job", "--sensitive", "ill", "--no-model", "ill")
SINGLING = ("--allow-singling", "street,job,ill")


def kohort_of(source: Path, folder: Path, *asked: str) -> subprocess.CompletedProcess[bytes]:
    """A run of the command line with files in a folder, and all that it says."""
    spill = ("--memory-limit", "1GiB", "--spill-folder", str(folder), "--out", str(source.parent / "release.csv"))
    command = [sys.executable, "-m", "kohort", "anonymize", str(source), *TOLD, *spill, *asked]
    return subprocess.run(command, capture_output=True, check=False)


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        (("--k", "5", *SINGLING), 0),
        (("--k", "5"), SchemaError.exit_status),  # everybody has an illness of his own
        (
            ("--k", "5", *SINGLING, "--hierarchy", "street=intervals:5"),
            None,
        ),  # tokens are no numbers
        (("--k", "5000", *SINGLING), InfeasibleError.exit_status),
    ],
)
def test_no_cell_is_said(tmp_path: Path, asked: tuple[str, ...], status: int | None) -> None:
    """Neither on success nor on failure, and the folder is empty."""
    source, folder = tokens(tmp_path, 400), tmp_path / "spilled"
    folder.mkdir()
    run = kohort_of(source, folder, *asked)
    assert (run.returncode == status) if status is not None else run.returncode
    assert not TOKEN.search(run.stderr + run.stdout)
    assert not list(folder.iterdir())
    assert (tmp_path / "release.csv").exists() == (status == 0)


#: Jobs over the table of tokens: of each way to search, and what they are released as.
OF_TOKENS: tuple[Mapping[str, Any], ...] = (
    {},
    {"method": "ordered"},
    {"method": "samarati", "max_suppression": "20%", "hierarchy": {"street": "suppress", "job": "mask:right"}},
    {"method": "best-effort", "max_suppression": "20%", "hierarchy": {"street": "suppress", "job": "mask:right"}},
)


def of_tokens(asked: Mapping[str, Any]) -> kohort.Job:
    """A job over the table of tokens."""
    columns = {"identifying": ["name"], "quasi": ["street", "job"], "sensitive": ["ill"], "no_model": ["ill"]}
    request = job_from(None, {**columns, "k": 5, "allow_singling": ["street", "job", "ill"], **asked})
    assert isinstance(request, Request)
    return request.job


@pytest.mark.parametrize("asked", OF_TOKENS)
@pytest.mark.parametrize("target", ["release.csv", "release.parquet", "parts/"])
def test_no_cell_is_in_any_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str, asked: Mapping[str, Any]
) -> None:
    """What lies in the files without a name are numbers, all through the run and its report."""
    true_spilled, files = system.spilled, list[mmap.mmap]()

    def spilled(folder: Path, size: int) -> mmap.mmap:
        files.append(true_spilled(folder, size))
        return files[-1]

    monkeypatch.setattr(system, "spilled", spilled)
    source = tokens(tmp_path, 400)
    if target.endswith(".parquet"):
        source = tmp_path / "tokens.parquet"
        pl.read_csv(tmp_path / "tokens.csv").write_parquet(source)
    job = of_tokens(asked)
    if target.endswith("/"):
        job = replace(job, writing=Writing(Format.CSV, records_per_part=150))
    made = anonymize(source, job, target=f"{tmp_path}/{target}", engine=spilling(tmp_path))
    assert "records" in made.report()
    assert len(files) > 20
    assert not any(TOKEN.search(content) or b"zq" in content for content in files)


#: A run that begins again and again, after a first one has made it quick, until it is killed.
AGAIN = """
import json, sys
from dataclasses import replace
from pathlib import Path
from kohort.job.keywords import job_from
from kohort.engines.local import LocalEngine
from kohort.io.forms import Format
from kohort.engines.pipeline import anonymize
from kohort.release import Writing
from kohort.system.workspace import Workspace
source, folder, target, more = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], json.loads(sys.argv[4])
asked = {"identifying": ["name"], "quasi": ["street", "job"], "sensitive": ["ill"], "no_model": ["ill"]}
job = job_from(None, {**asked, "k": 5, "allow_singling": ["street", "job", "ill"], **more}).job
if target.endswith("/"):
    job = replace(job, writing=Writing(Format.CSV, records_per_part=150))
while True:
    made = anonymize(source, job, target=target, overwrite=True, engine=LocalEngine(Workspace(folder, least=0)))
    made.report()
    print("again", flush=True)
"""


def content(path: Path) -> dict[str, bytes]:
    """The bytes of a file, or of those of a folder."""
    return {one.name: one.read_bytes() for one in (sorted(path.iterdir()) if path.is_dir() else [path])}


@pytest.mark.slow("each way to release is run and killed in a process of its own")
@pytest.mark.parametrize("target", ["release.csv", "parts/"])
def test_a_run_that_is_killed_at_any_moment_leaves_nothing(tmp_path: Path, target: str) -> None:
    """Neither a file in the folder, nor part of a release, nor a cell on standard error."""
    source, folder = tokens(tmp_path, 400), tmp_path / "spilled"
    folder.mkdir()
    delays = np.random.default_rng(os.getpid()).uniform(0, 0.4, len(OF_TOKENS)).tolist()
    for number, (asked, delay) in enumerate(zip(OF_TOKENS, delays, strict=True)):
        released = f"{tmp_path}/{number}-{target}"
        command = [sys.executable, "-c", AGAIN, str(source), str(folder), released, json.dumps(asked)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
            assert run.stdout is not None
            assert run.stderr is not None
            assert run.stdout.readline() == b"again\n"
            whole = content(Path(released))
            time.sleep(delay)
            run.send_signal(signal.SIGKILL)
            assert not TOKEN.search(run.stderr.read()), (asked, delay)
        assert run.returncode == -signal.SIGKILL
        assert not list(folder.iterdir()), (asked, delay)
        assert content(Path(released)) == whole, (asked, delay)
