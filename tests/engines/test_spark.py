"""Records that stay in Spark: the same recoding, metrics, certificate and bytes as in this process, or a refusal."""

from __future__ import annotations

import json
import shutil
import signal
import stat
import time
from collections import Counter
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from threading import Event, main_thread
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

import kohort
from kohort.engines.base import engine_of
from kohort.engines.local import LOCAL
from kohort.engines.pipeline import anonymize
from kohort.errors import (
    FileError,
    InputError,
    KohortError,
    LimitError,
    MissingExtraError,
    SourceNote,
    UnsupportedError,
    UsageError,
)
from kohort.io.forms import Format
from kohort.io.options import ReadOptions
from kohort.job.keywords import job_from
from kohort.job.request import Request
from kohort.release import Writing
from kohort.sql import spark_session
from kohort.sql.queries import Lines
from kohort.sql.relation import no_op
from kohort.sql.remote import RemoteEngine
from kohort.sql.spark import Spark
from kohort.sql.spark_session import Cluster
from kohort.sql.written import cut
from kohort.testing import check_engine
from kohort.verify.verdict import BY_AGGREGATION, BY_RECORD
from tests.command import kohort as command
from tests.engines.test_duckdb import KINDS, OPTIONS, PEOPLE
from tests.engines.test_odd_columns import asked as of_numbers
from tests.engines.test_odd_columns import numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from kohort.release import Job
    from kohort.sql.relation import Relation

pytestmark = pytest.mark.filterwarnings(
    "ignore::ResourceWarning",
    "ignore::FutureWarning",
    "ignore:.* can be guessed from:kohort.errors.SourceNote",
)

#: Settings by which small queries take a tenth of a second: nothing is compiled for a handful of records.
QUICK: Mapping[str, str] = {
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.driver.memory": "1g",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.shuffle.partitions": "2",
}

MASTER = "local[2]"

#: The same for the command line.
FLAGS = ["--engine", "spark", "--master", MASTER, *(f"--spark-conf={key}={value}" for key, value in QUICK.items())]

needs_spark = pytest.mark.skipif(
    shutil.which("java") is None or find_spec("pyspark") is None, reason="needs Java 17 and PySpark"
)


@pytest.fixture(scope="module")
def base() -> Spark:
    """One session for all tests: starting one takes longer than most of them."""
    return Spark.opened(Cluster(MASTER, QUICK))


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """A file of some people."""
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE, encoding="utf-8")
    return path


def asked(**options: Any) -> Job:  # noqa: ANN401  the options of a job
    """A job."""
    made = job_from(None, {"k": 2, **options})
    assert isinstance(made, Request)
    return made.job


def rows(table: Any) -> Counter[tuple[str | None, ...]]:  # noqa: ANN401  a table of either engine
    """The records of a table, in any order."""
    return Counter(zip(*(one.cells().to_list() for one in table.columns), strict=True))


def refuse_folder(_: object) -> None:
    """What a system says that cannot."""


def one_second(*_: object) -> int:
    """How long a cluster is waited for."""
    return 1


def yes(*_: object) -> str:
    """A setting that is set."""
    return "true"


# ── the release ──────────────────────────────────────────────────────────────────────────────────


@needs_spark
def test_the_command_makes_the_local_release(people: Path, tmp_path: Path) -> None:
    """The same object but for seconds and names, the same bytes; nothing else is said."""
    flags = "--quasi age,city --sensitive ill --l ill=2 --identifier name --rest insensitive --k 4 --json"
    said: list[tuple[object, bytes]] = []
    for engine in ([], FLAGS):
        folder = tmp_path / f"by{len(said)}"
        folder.mkdir()
        target = folder / "out.csv"
        ended = command("anonymize", str(people), "--out", str(target), *flags.split(), *engine)
        assert ended.status == 0, ended.err
        found = json.loads(ended.out) | {"seconds": 0, "release": "", "certificate": ""}
        said.append((found, target.read_bytes()))
        assert sorted(path.name for path in folder.iterdir()) == ["out.csv", "out.csv.kohort.json"]
    assert said[0] == said[1]


@needs_spark
@pytest.mark.slow
def test_records_in_spark_are_those_of_an_engine(base: Spark) -> None:
    """The one test body of engines."""
    check_engine(RemoteEngine(base), tables=2, seed=3)


def typed() -> pl.DataFrame:
    """A column of each type, whose cells are easily taken for others."""
    columns: list[pl.Series] = []
    for name, (dtype, pool) in KINDS.items():
        cells = [one for one in pool if one not in {"", "\n"}]
        columns.append(pl.Series(name, (cells * 24)[:24], dtype=dtype))
    names = {"text": 'a`b"c', "whole": "${x}", "large": "a.b"}
    return pl.DataFrame(columns).rename(names).with_columns(quasi=pl.int_range(24) % 3)


def _written(frame: pl.DataFrame, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".csv":
        frame.write_csv(path)
    else:
        frame.write_parquet(path)
    return path


def _parts(frame: pl.DataFrame, folder: Path) -> Path:
    for place, half in enumerate((frame[:9], frame[9:])):
        _written(half, folder / f"year={place:02}" / "part [1]%20.parquet")
    return folder


#: How a table becomes a source.
SOURCES: Mapping[str, Callable[[pl.DataFrame, Path], object]] = {
    "polars": lambda frame, _: frame,
    "csv": lambda frame, folder: _written(frame, folder / "in [1]{a}*.csv"),
    "folder": lambda frame, folder: _parts(frame, folder / "in"),
}


@needs_spark
@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(SOURCES))
def test_cells_of_every_type_are_those_of_the_local_engine(base: Spark, kind: str, tmp_path: Path) -> None:
    """Numbers, times, texts in two normal forms, names that need quoting or differ in capitals only; to the byte."""
    frame = typed()
    source = SOURCES[kind](frame, tmp_path)
    others = [name for name in frame.columns if name != "quasi"] + ["year"] * (kind == "folder")
    job = asked(quasi=["quasi", 'a`b"c', "float", "instant"], rest="insensitive", allow_singling=others, no_grid=True)
    made: list[tuple[bytes, str]] = []
    for name, engine in (("local", LOCAL), ("spark", RemoteEngine(base))):
        target = tmp_path / name / "out.csv"
        target.parent.mkdir()
        anonymize(source, job, target=target, engine=engine)
        certificate = target.with_name("out.csv.kohort.json").read_text(encoding="utf-8")
        made.append((target.read_bytes(), certificate.replace(base.title, "local").replace(BY_AGGREGATION, BY_RECORD)))
    assert made[0] == made[1]


JOBS: Mapping[str, Mapping[str, Any]] = {
    "close": {"quasi": ["age", "city"], "t": {"ill": "0.6"}, "sensitive": ["ill"], "writing": Writing(separator=";")},
    "levels": {
        "quasi": ["age", "city"],
        "method": "samarati",
        "max_suppression": "50%",
        "hierarchy": {"age": "intervals:2", "city": "suppress"},
        "writing": Writing(Format.TSV, excel_safe=True),
    },
    "lacking": {
        "quasi": ["age", "ill"],
        "sensitive": ["city"],
        "no_model": ["city"],
        "missing": {"city": "suppress"},
        "missing_token": ["Bari"],
        "complete_records": ["ill"],
    },
    "parted": {"quasi": ["age"], "method": "mondrian-relaxed", "l": {"ill": 2}, "sensitive": ["ill"]},
    "people": {"quasi": ["age", "city"], "person": "name", "writing": Writing(Format.PARQUET)},
}


@needs_spark
@pytest.mark.slow
@pytest.mark.parametrize("what", sorted(JOBS))
def test_methods_and_models_are_those_of_the_local_engine(base: Spark, what: str, people: Path, tmp_path: Path) -> None:
    """Classes by size and by levels, missing values, safe cells, other separators."""
    options = {**JOBS[what], "identifying": ["name"], "rest": "insensitive", "allow_singling": ["ill", "note"]}
    writing = options.pop("writing", Writing())
    job = replace(asked(**options), writing=writing)
    for name, engine in (("local", LOCAL), ("spark", RemoteEngine(base))):
        anonymize(people, job, target=tmp_path / f"{name}.csv", engine=engine)
    assert (tmp_path / "spark.csv").read_bytes() == (tmp_path / "local.csv").read_bytes()


@needs_spark
@pytest.mark.slow
def test_parts_are_joined_to_the_local_file(base: Spark, people: Path, tmp_path: Path) -> None:
    """A folder has parts of the size that is asked for, and what is in it is a source again."""
    kohort.anonymize(people, target=tmp_path / "local.csv", **OPTIONS)
    job = replace(asked(**OPTIONS), writing=Writing(Format.CSV, records_per_part=25))
    engine = RemoteEngine(base)
    anonymize(people, job, target=f"{tmp_path}/parts/", engine=engine)
    parts = sorted((tmp_path / "parts").glob("part-*.csv"))
    lines = [part.read_bytes().splitlines(keepends=True) for part in parts]
    assert [len(some) for some in lines] == [26, 26, 11]
    joined = b"".join([lines[0][0], *(line for some in lines for line in some[1:])])
    assert joined == (tmp_path / "local.csv").read_bytes()
    assert sorted(path.name for path in (tmp_path / "parts").iterdir()) == [
        "certificate.json",
        "manifest.json",
        *(part.name for part in parts),
    ]
    assert command("check", f"{tmp_path}/parts/", "--certificate", f"{tmp_path}/parts/certificate.json").status == 0
    again = engine.read(str(tmp_path / "parts"), ReadOptions())
    assert rows(again.hold()) == rows(LOCAL.read(tmp_path / "local.csv", ReadOptions()).collect())


@needs_spark
@pytest.mark.slow
@pytest.mark.parametrize(("what", "kind"), [("grid", "csv"), ("levels", "csv"), ("models", "polars")])
def test_decimal_commas_are_read_and_written_back(base: Spark, what: str, kind: str, tmp_path: Path) -> None:
    """As text and as Parquet, the bytes are those of the local engine."""
    source, job = SOURCES[kind](numbers(",", "."), tmp_path), of_numbers(what, ",")
    for end in ("csv", "parquet"):
        for name, engine in (("local", LOCAL), ("spark", RemoteEngine(base))):
            anonymize(source, job, target=tmp_path / f"{name}.{end}", engine=engine)
        assert (tmp_path / f"spark.{end}").read_bytes() == (tmp_path / f"local.{end}").read_bytes()


@needs_spark
@pytest.mark.slow
def test_parquet_is_the_local_file(base: Spark, people: Path, tmp_path: Path) -> None:
    """As one file and in parts."""
    job = replace(asked(**OPTIONS), writing=Writing(Format.PARQUET, records_per_part=25))
    for name, engine in (("local", LOCAL), ("spark", RemoteEngine(base))):
        anonymize(people, replace(job, writing=Writing()), target=tmp_path / f"{name}.parquet", engine=engine)
        anonymize(people, job, target=f"{tmp_path}/{name}/", engine=engine)
    pairs = [(tmp_path / "local.parquet", tmp_path / "spark.parquet")]
    pairs += [(path, tmp_path / "spark" / path.name) for path in (tmp_path / "local").glob("part-*")]
    assert len(pairs) == 4
    assert [one.read_bytes() == other.read_bytes() for one, other in pairs] == [True] * 4


# ── a session of somebody else ───────────────────────────────────────────────────────────────────


@needs_spark
@pytest.mark.slow
def test_a_session_gives_its_tables_and_frames(base: Spark, people: Path, tmp_path: Path) -> None:
    """It is neither stopped nor altered: its views and settings are those that it had."""
    session = base.session
    kohort.anonymize(people, target=tmp_path / "local.csv", **OPTIONS)
    frame = session.createDataFrame(pl.read_csv(people, infer_schema=False).to_arrow())
    frame.selectExpr("*", "collate(city, 'UTF8_LCASE') AS other").drop("city").withColumnRenamed(
        "other", "city"
    ).select(frame.columns).createOrReplaceTempView("people")

    def state() -> tuple[object, object]:
        return session.sql("SHOW TABLES").toArrow().to_pydict(), session.conf.getAll

    before = state()
    assert isinstance(before[1], dict)
    kohort.anonymize("people", target=tmp_path / "table.csv", engine=session, **OPTIONS)
    kohort.anonymize(frame, target=tmp_path / "frame.csv", engine=session, **OPTIONS)
    assert state() == before
    session.catalog.dropTempView("people")
    expected = (tmp_path / "local.csv").read_bytes()
    assert (tmp_path / "table.csv").read_bytes() == (tmp_path / "frame.csv").read_bytes() == expected
    frame.createOrReplaceGlobalTempView("people")
    found = base.relation("global_temp.people", ReadOptions(), None)
    session.catalog.dropGlobalTempView("people")
    assert found.records == 60
    for name in ("people", "people of 2024.csv"):
        with pytest.raises(InputError, match="nor a table of Spark's catalogue"):
            base.relation(name, ReadOptions(), None)
    with pytest.raises(InputError, match="no such file"):
        base.relation(tmp_path / "people of 2024.csv", ReadOptions(), None)


@needs_spark
@pytest.mark.slow
def test_disks_without_encryption_are_told(
    base: Spark, people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a note at once, and in the certificate, which `check` accepts."""
    monkeypatch.setattr(Spark, "encrypted", False)
    with pytest.warns(SourceNote, match=r"spark\.io\.encryption\.enabled is not set"):
        kohort.anonymize(people, target=tmp_path / "out.csv", engine=base.session, **OPTIONS)
    certificate = tmp_path / "out.csv.kohort.json"
    told = json.loads(certificate.read_text(encoding="utf-8"))
    assert [line for line in told["not_promised"] if line.startswith("Disks of the cluster")]
    assert command("check", str(tmp_path / "out.csv"), "--certificate", str(certificate)).status == 0
    monkeypatch.undo()
    assert base.encrypted


@needs_spark
@pytest.mark.slow
def test_a_process_has_one_session(base: Spark) -> None:
    """The same settings give the same one; with others a session has to be handed over."""
    assert Spark.opened(Cluster(MASTER, QUICK)).session is base.session
    with pytest.raises(UsageError, match="has a Spark session already") as caught:
        engine_of("spark")
    assert "engine=session" in str(caught.value.hint)
    assert isinstance(engine_of(base.session), RemoteEngine)  # recognized by its owner


# ── sources ──────────────────────────────────────────────────────────────────────────────────────

#: Texts that Spark would read otherwise, were it not told how.
TEXTS: Mapping[str, tuple[bytes, ReadOptions]] = {
    "crlf": (b'age,ill\r\n1,"a ""b"""\r\n2,NULL\r\n', ReadOptions()),
    "line ends in cells": (b'age,ill\n1,"a\nb"\n2,"c\rd"\n', ReadOptions()),
    "no last line end": (b"age,ill\n1, a \n2,\\N", ReadOptions()),
    "mark": (b"\xef\xbb\xbfage,ill\n1,#x\n2,\xc3\xa9\n\n", ReadOptions()),
    "no header": (b"1,a\n1,'b\n", ReadOptions(names=("age", "a`b"))),
    "no quotes": (b'age\till\n1\t"a\n2\tb\\\n', ReadOptions(separator="\t", quote=None)),
    "empty cells": (b'age,ill\n,""\n"",\n', ReadOptions()),
    "header again": (b"age,ill\n1,a\nage,ill\n", ReadOptions(header=True)),
    "a column": (b"age\n1\n2\n", ReadOptions()),
    "mark and empty cells": (b"\xef\xbb\xbfage,ill,\xc3\xa9\n1,,\n,#x,\xc3\xa9\n, 'a,\\N\n", ReadOptions()),
    "crlf without quotes": (b"age,ill\r\n1,a\r\n2,\r\n", ReadOptions()),
    "crlf without a last one": (b"age,ill\r\n1,a\r\n2,b", ReadOptions()),
    "quotes that are none": (b'"age"|ill\n1|"a\n2|b"c\n', ReadOptions(separator="|", quote=None)),
    "tabs": (b'"age"\till\n1\ta\n\t,\n', ReadOptions(separator="\t")),
}


#: Those whose lines are no records, or not those after the first one alone: Spark's reader of CSV divides them.
BY_READER = {"crlf", "line ends in cells", "mark", "empty cells", "header again"}


@needs_spark
@pytest.mark.slow
@pytest.mark.parametrize("what", sorted(TEXTS))
def test_text_is_read_as_locally(base: Spark, what: str, tmp_path: Path) -> None:
    """Line ends, quotes, backslashes, marks, signs that some readers take for comments or nulls.

    What takes long to divide is kept.
    """
    content, options = TEXTS[what]
    path = tmp_path / "in.csv"
    path.write_bytes(content)
    found = base.relation(path, options, None)
    assert found.names == LOCAL.read(path, options).names
    assert (found.release_cache is not no_op) == (what in BY_READER)
    assert rows(found.hold()) == rows(LOCAL.read(path, options).collect())


@needs_spark
@pytest.mark.slow
def test_a_folder_of_text_is_one_table(base: Spark, tmp_path: Path) -> None:
    """Files that begin alike; another header is refused, with the name of the file."""
    folder = tmp_path / "in"
    folder.mkdir()
    for at in range(2):
        (folder / f"{at}.csv").write_text(f"age,ill\n{at},a\n", encoding="utf-8")
    (folder / "_SUCCESS").touch()
    found = base.relation(str(folder), ReadOptions(), None)
    assert rows(found.hold()) == Counter([("0", "a"), ("1", "a")])
    (folder / "2.csv").write_text("ill,age\na,2\n", encoding="utf-8")
    with pytest.raises(InputError, match="the header or separator differs") as caught:
        base.relation(str(folder), ReadOptions(), None)
    assert caught.value.where == str(folder / "2.csv")


@needs_spark
@pytest.mark.slow
def test_a_folder_of_parquet_parts_is_a_table(base: Spark, people: Path, tmp_path: Path) -> None:
    """Its manifest and certificate are passed over."""
    job = replace(asked(**OPTIONS), writing=Writing(Format.PARQUET, records_per_part=25))
    anonymize(people, job, target=f"{tmp_path}/parts/")
    found = base.relation(str(tmp_path / "parts"), ReadOptions(), None)
    assert rows(found.hold()) == rows(LOCAL.read(tmp_path / "parts", ReadOptions()).collect())


@needs_spark
@pytest.mark.slow
def test_rows_are_fetched_some_at_a_time(base: Spark, monkeypatch: pytest.MonkeyPatch) -> None:
    """In their order, as texts; of no rows nothing."""
    monkeypatch.setattr("kohort.sql.spark._FETCHED", 2)
    query = "SELECT CAST(id AS STRING) AS c0, nullif(CAST(id AS STRING), '1') AS c1 FROM range(5) ORDER BY id"
    found = [frame.rows() for frame in base.stream(query)]
    assert found == [[("0", "0"), ("1", None)], [("2", "2"), ("3", "3")], [("4", "4")]]
    assert not [*base.stream("SELECT 'a' AS c0 WHERE false")]


@needs_spark
@pytest.mark.slow
def test_a_table_without_records_is_held(base: Spark, tmp_path: Path) -> None:
    """Also of columns that are no texts."""
    path = _written(pl.DataFrame({"age": []}, schema={"age": pl.Int64}), tmp_path / "in.parquet")
    assert RemoteEngine(base).read(path, ReadOptions(allow_empty=True)).collect().records == 0


@needs_spark
@pytest.mark.slow
def test_lines_are_written_where_folders_cannot_be_locked(
    base: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then nobody removes what a dead run leaves; this one leaves nothing."""
    monkeypatch.setattr("kohort.system.open_folder", refuse_folder)
    base.write("SELECT 'a,b' AS line", "age,ill", [(tmp_path / "out.csv", None)])
    assert (tmp_path / "out.csv").read_bytes() == b"age,ill\na,b\n"
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


@needs_spark
@pytest.mark.slow
@pytest.mark.parametrize("alike", [1, 4])
@pytest.mark.parametrize(
    ("pieces", "sizes", "divided"),
    [
        (2, [3, 4, 2, 1, 5], True),
        (3, [3, 4, 2, 1, 5], True),
        (9, [2, 3, 2, 2, 3, 3], True),
        (3, [1, 12, 2], False),
        (2, [], False),
    ],
    ids=["few", "some", "more than classes", "a large class", "of unknown size"],
)
def test_lines_are_ordered_class_by_class(
    base: Spark,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    pieces: int,
    sizes: list[int],
    *,
    alike: int,
    divided: bool,
) -> None:
    """Each piece by itself, as many as there are; all at once where one class is much larger than a piece.

    Whether labels are small enough to be put to the records where these are ordered, or not; and whether records that
    are alike are so many that they are counted first.
    """
    classes = [place + 1 for place, size in enumerate(sizes or [7, 8]) for _ in range(size)]
    texts = [chr(ord("a") + place * 7 % 15) for place in range(15)]
    rows = [*zip(classes, texts, strict=True)] * alike
    in_pieces = base.give(pl.DataFrame(rows[::2] + rows[1::2], schema=["c", "x"], orient="row"))
    labels = pl.DataFrame({"class": [*range(1, classes[-1] + 1)]}).with_columns(l=pl.col("class").cast(pl.String))
    small = base.give(labels)
    monkeypatch.setattr("kohort.sql.spark._SENT", 0)
    large = base.give(labels)
    before = base.session.conf.get("spark.sql.shuffle.partitions")
    base.session.conf.set("spark.sql.shuffle.partitions", str(pieces))
    try:
        for name in (small, large):
            records = np.array(sizes, np.int64) * alike
            lines = Lines(("t.c", "t.x"), f"{in_pieces} t", name, f"{name}.l || t.k1", records, len(texts))
            query = base.in_order(lines)
            base.write(query, "cx", [(tmp_path / name, None)])
            assert ("SORT BY" in query, "GROUP BY" in query) == (divided, divided and alike > 1)
    finally:
        base.session.conf.set("spark.sql.shuffle.partitions", before)
        for name in (in_pieces, small, large):
            base.forget(name)
    due = ["cx", *(f"{class_}{text}" for class_, text in sorted(rows))]
    assert [(tmp_path / name).read_text().splitlines() for name in (small, large)] == [due, due]


@needs_spark
@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"age,ill\n1,a\n2\n", "a record of 1 cell"),
        (b'age,ill\n1,a"b"\n', "quote"),
        (b"age,ill\n1,a\n\n2,b\n", "blank line"),
        (b"age,ill\r1,a\r2,b\r", "CR alone"),
        (b"age,ill\n1,a\n1,\xe9\n", "not UTF-8"),
        (b"age,ill\n1,a\0\n", "NUL"),
        (b"age,ill\n", "0 records"),
    ],
)
def test_text_is_divided_by_the_same_scanner(base: Spark, tmp_path: Path, content: bytes, told: str) -> None:
    """What the local engine refuses is refused, with the line."""
    path = tmp_path / "in.csv"
    path.write_bytes(content)
    with pytest.raises(KohortError, match=told):
        base.relation(path, ReadOptions(), None)


#: What is first asked of records.
ASKED: Mapping[str, Callable[[Relation], object]] = {
    "values": lambda found: found.distinct("ill"),
    "values of several columns": lambda found: found.look(["age", "ill"]),
    "tuples": lambda found: found.tuples(["age"]),
    "tuples and flags": lambda found: found.flagged(["age"], ["ill"], {""}),
    "who is alone": lambda found: found.alone(["age", "ill"]),
    "complete records": lambda found: found.with_values(["age"], {""}),
    "all": lambda found: found.hold(),
}


@needs_spark
@pytest.mark.slow
@pytest.mark.parametrize("what", sorted(ASKED))
def test_text_that_spark_divides_otherwise_is_refused(base: Spark, tmp_path: Path, what: str) -> None:
    """Whatever is asked first: cells of other bytes, or another number of records; nothing is published before."""
    path = tmp_path / "in.csv"
    path.write_bytes(b'age,ill\n1,"a\r\nb"\r\n2,c\r\n')
    with pytest.raises(InputError, match="into other cells") as caught:
        ASKED[what](base.relation(path, ReadOptions(), None))
    assert caught.value.where.endswith("column 'ill'")
    path.write_bytes(b"age,ill\n1,a\n2,b\n")
    found = base.relation(path, ReadOptions(), None)
    with path.open("ab") as file:
        file.write(b"3,c\n")
    with pytest.raises(InputError, match="reads 3 records, but kohort's own reader 2"):
        ASKED[what](found)
    path.write_bytes(b"age,ill\n1,a\n2,bb\n")
    found = base.relation(path, ReadOptions(), None)
    path.write_bytes(b"age,ill\n1,a\n22,b\n")
    with pytest.raises(InputError, match="into other cells") as caught:
        ASKED[what](found)
    assert caught.value.where.endswith("column 'age'")


@needs_spark
@pytest.mark.slow
def test_parquet_is_read_by_an_address(base: Spark, tmp_path: Path) -> None:
    """With the types that Spark answers with; what Spark cannot read is refused without a cell."""
    path = _written(
        pl.DataFrame({"age": [7, None], "big": [2**64 - 1, 0]}, schema_overrides={"big": pl.UInt64}),
        tmp_path / "in.parquet",
    )
    every = rows(base.relation(path.as_uri(), ReadOptions(), None).hold())
    assert every == Counter([("7", str(2**64 - 1)), (None, "0")])  # a decimal there
    _written(pl.DataFrame({"age": [7, None]}), path)
    assert rows(base.relation(path.as_uri(), ReadOptions(), None).hold()) == Counter([("7",), (None,)])
    _written(pl.DataFrame({"at": pl.Series([0], dtype=pl.Datetime("ns"))}), path)
    with pytest.raises(InputError, match="PARQUET_TYPE_ILLEGAL"):
        base.relation(path, ReadOptions(), None)


@needs_spark
@pytest.mark.slow
def test_wall_clocks_are_no_instants(base: Spark, tmp_path: Path) -> None:
    """A session that reads times without a zone as instants would shift them."""
    path = _written(typed().select("moment"), tmp_path / "in.parquet")
    base.session.conf.set("spark.sql.parquet.inferTimestampNTZ.enabled", "false")
    try:
        with pytest.raises(UnsupportedError, match="times without a zone") as caught:
            base.relation(path, ReadOptions(), None)
    finally:
        base.session.conf.unset("spark.sql.parquet.inferTimestampNTZ.enabled")
    assert "moment" in caught.value.where


@needs_spark
@pytest.mark.slow
@pytest.mark.parametrize("source", ["-", "postgresql://localhost/a#b", "in.arrow", [1]])
def test_other_sources_are_refused(base: Spark, tmp_path: Path, source: object) -> None:
    """Standard input, servers, files of other forms, other objects."""
    if source == "in.arrow":
        pl.DataFrame({"age": [1]}).write_ipc(tmp_path / "in.arrow")
        source = str(tmp_path / "in.arrow")
    with pytest.raises(UnsupportedError, match="the engine spark"):
        base.relation(source, ReadOptions(), None)


@needs_spark
@pytest.mark.slow
def test_text_with_quotes_is_divided_once(base: Spark, people: Path, tmp_path: Path) -> None:
    """Its cells are kept as long as statements need them, and then no more: also where one of them fails."""
    people.write_text(PEOPLE.replace("Bari", '"Bari"'), encoding="utf-8")

    def kept() -> int:
        return int(base.session.sparkContext._jsc.sc().getPersistentRDDs().size())  # noqa: SLF001  Python is not told

    before = kept()
    found = base.relation(people, ReadOptions(), None)
    found.settle()
    assert kept() == before + 1
    assert base.session.catalog.isCached(found.source)
    del found
    assert kept() == before
    release = kohort.anonymize(people, target=tmp_path / "out.csv", engine=base.session, **OPTIONS)
    assert kept() == before
    assert release.records.data.distinct("city").counts.sum() == 60  # nothing forbids to ask again
    wrong = tmp_path / "wrong.csv"
    wrong.write_bytes(b'age,ill\n1,"a\r\nb"\r\n1,c\r\n')
    with pytest.raises(InputError, match="into other cells"):
        kohort.anonymize(wrong, target=tmp_path / "other.csv", engine=base.session, quasi=["age"], rest="drop", k=2)
    assert kept() == before
    assert not (tmp_path / "other.csv").exists()


# ── what fails ───────────────────────────────────────────────────────────────────────────────────


@needs_spark
@pytest.mark.slow
def test_no_cell_is_told_by_an_error_of_spark(base: Spark, capfd: pytest.CaptureFixture[str]) -> None:
    """Spark quotes what it cannot convert, in its message and in two logs; kohort names the condition."""
    with pytest.raises(FileError, match=r"job failed \(CAST_INVALID_INPUT\)") as caught:
        base.run("SELECT CAST('Ada Lovelace' AS INT) AS n")
    assert "Ada" not in f"{caught.value} {caught.value.__cause__}"
    assert caught.value.__suppress_context__
    with pytest.raises(InputError, match="TABLE_OR_VIEW_NOT_FOUND"):
        base.run("SELECT * FROM nowhere")
    with pytest.raises(FileError, match="NullPointerException"), base.reporting():
        base.session._jvm.java.util.Objects.requireNonNull(None)  # noqa: SLF001  an error that PySpark does not know
    inner = SimpleNamespace(getCause=lambda: None, getClass=lambda: SimpleNamespace(getSimpleName=lambda: "EOFError"))
    error = ConnectionError("Ada")
    vars(error)["java_exception"] = SimpleNamespace(getCause=lambda: inner)
    with pytest.raises(FileError, match=r"job failed \(EOFError\)"), base.reporting():
        raise error
    told = capfd.readouterr()
    assert "Ada" not in told.out + told.err


@needs_spark
@pytest.mark.slow
def test_too_little_memory_is_a_limit(base: Spark, people: Path) -> None:
    """By an estimate, or as Spark tells it."""
    with pytest.raises(LimitError, match="different tuples"):
        base.relation(people, ReadOptions(), 100).tuples(["name"])
    for told in ("java.lang.OutOfMemoryError: Java heap space", "Not enough memory to build and broadcast the table"):
        with pytest.raises(LimitError, match="too little memory") as caught, base.reporting():
            raise import_module("pyspark.errors").PySparkException(told)
        assert caught.value.where == "memory-limit"


@needs_spark
@pytest.mark.slow
def test_tables_that_are_sent_are_small_beside_the_memory(base: Spark, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several are there at once: of a gigabyte, each may be some megabytes."""
    monkeypatch.setattr(Spark, "_memory", 1 << 30)
    few, many = (base.give(pl.DataFrame({"n": np.zeros(size, np.int64)})) for size in (1 << 20, 1 << 22))
    sent = base._sent  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    assert few in sent
    assert many not in sent
    for name in (few, many):
        base.forget(name)


def cluster_of(workers: int, cancelled: Event) -> Any:  # noqa: ANN401  what stands for a session
    """A session on a cluster with so many workers."""
    java = SimpleNamespace(
        getExecutorMemoryStatus=lambda: SimpleNamespace(size=lambda: 1 + workers),
        conf=lambda: SimpleNamespace(getTimeAsSeconds=one_second),
    )
    context = SimpleNamespace(
        master="spark://away:7077", _jsc=SimpleNamespace(sc=lambda: java), cancelAllJobs=cancelled.set
    )
    settings = SimpleNamespace(get=yes)
    return SimpleNamespace(sparkContext=context, conf=settings, version="4", catalog=None)


@pytest.mark.skipif(find_spec("pyspark") is None, reason="needs PySpark")
def test_a_cluster_without_workers_is_not_waited_for() -> None:
    """The work is cancelled after a stated time, and the reason told; as long as there are workers, it goes on."""
    cancelled = Event()
    alone = Spark(cluster_of(0, cancelled), own=True)

    def work(spark: Spark) -> None:
        with spark.reporting():
            cancelled.wait(30 if spark is alone else 0)
            raise ConnectionError

    with pytest.raises(FileError, match="no Spark worker was available for 1 seconds") as caught:
        work(alone)
    assert caught.value.where == "spark://away:7077"
    cancelled.clear()
    with Spark(cluster_of(1, cancelled), own=True).reporting():
        assert not cancelled.wait(2.5)
    with pytest.raises(FileError, match=r"job failed \(ConnectionError\)"):
        work(Spark(cluster_of(1, cancelled)))


def test_nothing_is_started_without_pyspark(monkeypatch: pytest.MonkeyPatch) -> None:
    """What installs it is said; an old one is none."""

    def missing(name: str) -> object:
        raise ImportError(name)

    def former(_: str) -> object:
        return SimpleNamespace(__version__="3.5.1")

    monkeypatch.setattr(spark_session, "import_module", missing)
    with pytest.raises(MissingExtraError, match="is not installed") as caught:
        engine_of("spark")
    assert caught.value.hint == "pip install 'kohort[spark]'"
    monkeypatch.setattr(spark_session, "import_module", former)
    with pytest.raises(MissingExtraError, match=r"PySpark 3\.5\.1 is installed"):
        engine_of("spark")


@pytest.mark.parametrize(
    ("script", "told"),
    [
        (None, "Java is needed"),
        ("echo 'openjdk version \"11.0.2\" 2019-01-15' >&2", "Java 11 is installed"),
        ("echo 'java version \"1.8.0_202\"' >&2", "Java 8 is installed"),
        ("echo Killed >&2", "of unknown version"),
        ("echo 'openjdk version \"21\" 2023-09-19' >&2", ""),
    ],
)
@pytest.mark.parametrize("home", [True, False])
def test_nothing_is_started_without_java(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str | None, told: str, *, home: bool
) -> None:
    """Neither without one nor with an old one; the command that mends it is said."""
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    if script is not None:
        java.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        java.chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", str(java.parent))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    if home:
        monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    if not told:
        spark_session.refuse_old_java()
        return
    with pytest.raises(MissingExtraError, match=told) as caught:
        spark_session.refuse_old_java()
    assert "openjdk-17-jre-headless" in caught.value.hint


def test_settings_that_spark_would_not_know_are_refused() -> None:
    """Before anything starts."""
    with pytest.raises(UsageError, match="begins with spark") as caught:
        spark_session.refuse_wrong(Cluster(conf={"executor.memory": "1g"}))
    assert caught.value.where == "spark-conf executor.memory"
    for master in ("cluster:7077", "spark://cluster"):
        with pytest.raises(UsageError, match="not a master of Spark"):
            spark_session.refuse_wrong(Cluster(master))
    for master in ("local", "local[4]", "spark://one:7077,two:7077", "yarn", "k8s://https://host"):
        spark_session.refuse_wrong(Cluster(master))


@pytest.mark.parametrize("options", [{"master": "local[2]"}, {"spark_conf": {"spark.a": "b"}}])
def test_a_master_is_of_spark_alone(options: dict[str, Any]) -> None:
    """Another engine would pass over it."""
    with pytest.raises(UsageError, match="only to the engine spark") as caught:
        engine_of("local", **options)
    assert caught.value.where == next(iter(options)).replace("_", "-")


def test_settings_are_keys_with_values(people: Path, tmp_path: Path) -> None:
    """Each once; the place is the flag."""
    flags = ["anonymize", str(people), "--out", str(tmp_path / "out.csv"), "--quasi", "age", "--engine", "spark"]
    for wrong, told in ((["spark.a"], "spark.a has no value"), (["spark.a=1", "spark.a=2"], "given twice")):
        ended = command(*flags, *(f"--spark-conf={one}" for one in wrong), "--json")
        assert ended.status == 2
        assert told in ended.out + ended.err
    job = tmp_path / "job.toml"
    job.write_text(
        f'input.path = "{people}"\noutput.path = "out.csv"\ncolumns.age.role = "quasi"\n[run]\nengine = "spark"\n'
        '[run.spark-conf]\n"spark.executor.cores" = 2\n',
        encoding="utf-8",
    )
    ended = command("run", str(job))
    assert ended.status == 2
    assert "spark-conf" in ended.err


def test_a_cluster_that_does_not_answer_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A port that nobody listens at; any one of several is enough."""
    import socket  # noqa: PLC0415  of this test alone

    monkeypatch.setattr(spark_session, "ANSWER", 1.0)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        away = f"spark://127.0.0.1:{port}"
        with pytest.raises(FileError, match="within 1 seconds") as caught:
            spark_session.refuse_silent(Cluster(away))
        assert caught.value.where == away
        with socket.socket() as open_:
            open_.bind(("127.0.0.1", 0))
            open_.listen()
            spark_session.refuse_silent(Cluster(f"{away},127.0.0.1:{open_.getsockname()[1]}"))
    spark_session.refuse_silent(Cluster("yarn"))


def test_sessions_of_ours_are_closed_to_others(tmp_path: Path) -> None:
    """Nothing but the loopback for this machine, disks encrypted, no page; settings of the user come first."""
    made = Cluster(memory=8 << 30, conf={"spark.ui.enabled": "true"}).settings(tmp_path)
    assert made["spark.driver.memory"] == "4096m"
    assert (made["spark.io.encryption.enabled"], made["spark.ui.enabled"]) == ("true", "true")
    assert made["spark.driver.bindAddress"] == made["spark.driver.host"] == "127.0.0.1"
    assert "spark.driver.host" in Cluster("spark://localhost:7077").settings(tmp_path)
    assert "spark.driver.host" not in Cluster("spark://away:7077").settings(tmp_path)


def test_a_session_ends_with_the_process(tmp_path: Path) -> None:
    """What it left goes, even if Java has gone before."""
    folder, stopped = tmp_path / "spill", Event()
    folder.mkdir()
    spark_session.end(SimpleNamespace(stop=stopped.set), str(folder))
    assert stopped.is_set()
    assert not folder.exists()
    spark_session.end(None, str(folder))


#: What Java says where it refuses a setting.
REFUSED = SimpleNamespace(
    getCause=lambda: SimpleNamespace(getCause=lambda: None, getMessage=lambda: "System memory must be at least 450m")
)


class Settings(dict[str, str]):
    """What stands for Spark's settings."""

    def setAll(self, pairs: Sequence[tuple[str, str]]) -> Settings:  # noqa: N802  PySpark's own name
        """Others."""
        return Settings(pairs)


class Start:
    """What stands for the start of Java: it fails, or meanwhile the run is interrupted."""

    def __init__(self, error: Exception | None) -> None:
        """Nothing has ended yet."""
        self.error, self.ended = error, Event()

    def part(self, _: str) -> Start:
        """This, whatever part of PySpark is asked for."""
        return self

    def launch_gateway(self, *_: object) -> None:
        """Start it."""
        if self.error is not None:
            raise self.error
        main = main_thread().ident
        assert main is not None
        time.sleep(0.2)
        signal.pthread_kill(main, signal.SIGINT)
        time.sleep(0.2)
        self.ended.set()


@pytest.mark.parametrize(
    ("gateway", "error", "raised", "told"),
    [
        (None, RuntimeError("Ada"), FileError, r"did not start \(RuntimeError\)"),
        (None, type("JavaError", (Exception,), {"java_exception": REFUSED})(), FileError, "must be at least 450m"),
        ("running", None, FileError, r"did not start \(TypeError\)"),
        (None, None, KeyboardInterrupt, None),
    ],
)
def test_a_session_that_does_not_start_leaves_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    gateway: object,
    error: Exception | None,
    raised: type[BaseException],
    told: str | None,
) -> None:
    """The reason is what Java says, or the name of the error; its folder is gone.

    Where the run is interrupted, the start of Java comes to its end, so that Java ends with this process; half started
    it would stay.
    """
    start = Start(error)
    context = SimpleNamespace(_active_spark_context=None, _gateway=gateway)
    stand_in = SimpleNamespace(SparkContext=context, SparkConf=Settings)
    monkeypatch.setattr(spark_session, "module", lambda: stand_in)
    monkeypatch.setattr(spark_session, "part", start.part)
    monkeypatch.setattr(spark_session, "refuse_old_java", lambda: None)
    with pytest.raises(raised, match=told) as caught:
        engine_of("spark", spill_folder=tmp_path)
    assert "Ada" not in str(caught.value)
    assert raised is FileError or start.ended.wait(60)
    assert not [*tmp_path.iterdir()]


# ── pieces ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("block", [1, 2, 3, 5, 1 << 20])
def test_pieces_are_cut_between_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    """Wherever blocks end: line ends within quotes are no ends of records."""
    monkeypatch.setattr("kohort.sql.written._BLOCK", block)
    records = [b'1,"a\n\n""b"\n', b"2,c\n", b'"\n",d\n', b"4,e\n", b"\n"]
    pieces = [tmp_path / f"piece{at}" for at in range(4)]
    for path, some in zip(pieces, ([0], [], [1, 2, 3], [4]), strict=True):
        path.write_bytes(b"".join(records[at] for at in some))
    files = [(tmp_path / f"part{at}", size) for at, size in enumerate((2, 0, 3))]
    cut(pieces, "age,ill", files)
    assert [path.read_bytes() for path, _ in files] == [
        b"age,ill\n" + b"".join(some) for some in (records[:2], [], records[2:])
    ]
    whole = tmp_path / "whole"
    cut(pieces, "x", [(whole, None)])
    assert whole.read_bytes() == b"x\n" + b"".join(records)
    for size, told in ((6, "too few records"), (4, "more records")):
        with pytest.raises(FileError, match=told):
            cut(pieces, "x", [(whole, size)])
