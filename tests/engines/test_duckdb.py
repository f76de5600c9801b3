"""Records that stay in DuckDB: the same recoding, metrics, certificate and bytes as in this process, or a refusal."""

from __future__ import annotations

import json
import sqlite3
import warnings
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast

import duckdb
import polars as pl
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import kohort
from kohort.engines.local import LOCAL, LocalEngine
from kohort.engines.pipeline import anonymize, dry_run
from kohort.errors import (
    InfeasibleError,
    InputError,
    JobError,
    KohortError,
    LimitError,
    SchemaError,
    SourceNote,
    UnsupportedError,
    UsageError,
)
from kohort.io.forms import Format
from kohort.job.keywords import job_from
from kohort.job.request import Request
from kohort.release import Writing
from kohort.report.release import release_figures
from kohort.sql.duckdb import DuckDB
from kohort.sql.remote import RemoteEngine
from kohort.system.workspace import Workspace
from kohort.testing import check_engine
from kohort.verify.verdict import BY_AGGREGATION, BY_RECORD
from tests.command import kohort as command
from tests.quick import examples

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kohort.release import Job

#: One database for all tests: opening one takes longer than most of them.
ENGINE = RemoteEngine(DuckDB.opened(None, None))

#: Columns of made-up tables repeat, so one tells another.
RETOLD = "ignore:.* can be guessed from:kohort.errors.SourceNote"

pytestmark = pytest.mark.filterwarnings(RETOLD)

#: A name that must be quoted in every way.
ODD = 'a`b"c'

#: Kinds of cells, some of which are easily taken for others.
KINDS: Mapping[str, tuple[pl.DataType, Sequence[object]]] = {
    "text": (
        pl.String(),
        ["007", "7", "7.0", "1.5", "1.50", "", None, "\u00e9", "e\u0301", "NULL", 'a,"b"', " x", "\n"],
    ),
    "whole": (pl.Int64(), [2**53, 2**53 + 1, -(2**63), 7, None]),
    "large": (pl.UInt64(), [2**64 - 1, 2**64 - 2, 0, None]),
    "float": (pl.Float64(), [1.5, float("nan"), None, -0.0, 0.0, 1e300, 0.1, 1e-7]),
    "single": (pl.Float32(), [0.1, 16777216.0, None]),
    "truth": (pl.Boolean(), [True, False, None]),
    "day": (pl.Date(), [date(2024, 2, 29), date(1, 1, 1), None]),
    "instant": (
        pl.Datetime("us", "Europe/Rome"),
        [datetime(2024, 7, 1, 12, tzinfo=UTC), datetime(2024, 1, 1, 0, 0, 0, 5, tzinfo=UTC), None],
    ),
    "moment": (pl.Datetime("us"), [datetime(1999, 12, 31, 23, 59, 59), datetime(2024, 1, 1, 0, 0, 0, 500000)]),  # noqa: DTZ001
    "category": (pl.Categorical(), ["b", "a", None]),
}


@pytest.mark.parametrize("seed", [0, 1])
def test_records_in_duckdb_are_those_of_an_engine(seed: int) -> None:
    """The one test body of engines."""
    check_engine(ENGINE, tables=examples(7), seed=seed)


@st.composite
def frames(draw: st.DrawFn) -> pl.DataFrame:
    """Tables of two quasi-identifiers, a sensitive column, another, and whose each record is, each of some type."""
    records = draw(st.integers(4, 24))
    columns: list[pl.Series] = []
    for name in ("first", ODD, "ill", "rest"):
        dtype, pool = KINDS[draw(st.sampled_from(sorted(KINDS)))]
        cells = draw(st.lists(st.sampled_from(pool), min_size=records, max_size=records))
        columns.append(pl.Series(name, cells, dtype=dtype))
    dtype, pool = WHOSE[draw(st.sampled_from(sorted(WHOSE)))]
    cells = draw(st.lists(st.sampled_from(pool), min_size=records, max_size=records))
    return pl.DataFrame([*columns, pl.Series("who", cells, dtype=dtype)])


#: Kinds of person keys; nobody's are refused.
WHOSE: Mapping[str, tuple[pl.DataType, Sequence[object]]] = {
    "text": (pl.String(), ["17", "017", "p\u00e9", "pe\u0301", "P\u00e9", "o'x", 'a"x']),
    "whole": (pl.Int64(), [2**53 + 5, 2**53 + 6, -99, 10, 9, 11]),
    "day": (pl.Date(), [date(1951, 2, 3), date(1951, 2, 4), date(1952, 2, 3), date(1953, 2, 3)]),
    "nobody": (pl.String(), ["11", "12", "13", "14", None]),
}


#: How a table becomes a source, and the ending of its file.
SOURCES: Mapping[str, Callable[[pl.DataFrame, Path], object]] = {
    "frame": lambda frame, _: frame,
    "csv": lambda frame, folder: _written(frame, folder / "in.csv"),
    "parquet": lambda frame, folder: _written(frame, folder / "in.parquet"),
    "folder": lambda frame, folder: _parts(frame, folder / "in"),
    "duckdb": lambda frame, folder: _stored(frame, folder / "in.duckdb"),
}


def _written(frame: pl.DataFrame, path: Path) -> str:
    if path.suffix == ".csv":
        frame.write_csv(path)
    else:
        frame.write_parquet(path)
    return str(path)


def _parts(frame: pl.DataFrame, folder: Path) -> str:
    for place, half in enumerate((frame[: len(frame) // 2], frame[len(frame) // 2 :])):
        part = folder / f"year={place:02}" / "part.parquet"
        part.parent.mkdir(parents=True)
        half.write_parquet(part)
    return str(folder)


def _stored(frame: pl.DataFrame, path: Path) -> str:
    with duckdb.connect(str(path)) as base:
        base.register("given", cast("Any", frame.to_arrow()))
        base.execute("CREATE TABLE people AS SELECT * FROM given")
    return str(path)


def asked(options: Mapping[str, Any]) -> Job:
    """A job over these tables."""
    chosen: dict[str, Any] = {"rest": "insensitive", "identifying": ["who"], "no_grid": True}
    chosen |= {"allow_singling": ["ill", "rest"], **options}
    writing = chosen.pop("writing", Writing())
    made = job_from(None, {"quasi": ["first", ODD], "k": 2, **chosen})
    assert isinstance(made, Request)
    return replace(made.job, writing=writing)


#: Each kind of method, of model and of missing policy.
JOBS: Mapping[str, Mapping[str, Any]] = {
    "plain": {},
    "sets": {"labels": "set"},
    "diverse": {"l": {"ill": 2}, "sensitive": ["ill"]},
    "close": {"t": {"ill": "0.6"}, "sensitive": ["ill"]},
    "loss": {"cut": "loss"},
    "ordered": {"method": "ordered"},
    "samarati": {"method": "samarati", "max_suppression": "50%", "hierarchy": {"first": "suppress", ODD: "suppress"}},
    "cells": {"method": "suppress-cells", "hierarchy": {"first": "suppress", ODD: "suppress"}},
    "local": {
        "method": "optimal",
        "local": True,
        "max_suppression": "50%",
        "hierarchy": {"first": "suppress", ODD: "suppress"},
    },
    "complete": {"complete_records": ["first", "ill"]},
    "lacking": {"missing": {"first": "suppress", "ill": "suppress"}, "sensitive": ["ill"], "no_model": ["ill"]},
    "tokens": {"missing_token": ["7", "0.1", "true"], "missing": {ODD: "suppress"}},
    "refused": {"missing": {"ill": "refuse"}, "sensitive": ["ill"], "no_model": ["ill"]},
    "safe": {"writing": Writing(excel_safe=True)},
    "tabs": {"writing": Writing(Format.TSV)},
    "semicolons": {"writing": Writing(separator=";")},
    "parquet": {"writing": Writing(Format.PARQUET)},
    "relaxed": {"method": "mondrian-relaxed"},
    "relaxed, diverse": {"method": "mondrian-relaxed", "l": {"ill": 2}, "sensitive": ["ill"]},
    "relaxed, parquet": {"method": "mondrian-relaxed", "writing": Writing(Format.PARQUET)},
    "ordered, diverse": {"method": "ordered", "l": {"ill": 2}, "sensitive": ["ill"]},
    "people": {"person": "who"},
    "people, diverse": {"person": "who", "l": {"ill": 2}, "sensitive": ["ill"], "allow_singling": []},
    "people, relaxed": {"person": "who", "method": "mondrian-relaxed", "sensitive": ["ill"], "no_model": ["ill"]},
    "people, samarati": {
        "person": "who",
        "method": "samarati",
        "max_suppression": "50%",
        "hierarchy": {"first": "suppress", ODD: "suppress"},
    },
    "people, complete": {"person": "who", "complete_records": ["first", "who"]},
}


def compared(source: object, job: Job, folder: Path, elsewhere: RemoteEngine = ENGINE) -> str:
    """All engines make the same, or all refuse it; which."""
    made: list[tuple[object, ...]] = []
    named = f"release.{job.writing.format or 'csv'}"
    spilled = LocalEngine(Workspace(folder, least=0))
    for name, engine in (("local", LOCAL), ("spilled", spilled), ("elsewhere", elsewhere)):
        target = folder / name / named
        target.parent.mkdir(exist_ok=True)
        try:
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always", SourceNote)
                release = anonymize(source, job, target=target, engine=engine)
        except (InfeasibleError, InputError, SchemaError) as error:
            made.append((type(error), error.where, error.what))
            continue
        except JobError as errors:
            made.append((JobError, *map(str, errors.exceptions)))
            continue
        certificate = target.with_name(f"{named}.kohort.json").read_text(encoding="utf-8")
        certificate = certificate.replace(ENGINE.base.title, "local").replace(BY_AGGREGATION, BY_RECORD)
        notes = [str(one.message) for one in told if "spellings of" in str(one.message)]
        figures = release.metrics, release.homogeneity, sorted(release.sizes.tolist()), certificate
        made.append((target.read_bytes(), notes, *figures))
    assert made[1] == made[0] == made[2]
    return "refused" if isinstance(made[0][0], type) else "released"


@pytest.mark.one_of("kind")
@pytest.mark.parametrize("kind", sorted(SOURCES))
@settings(deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])  # to shrink takes minutes
@given(frame=frames(), what=st.sampled_from(sorted(JOBS)))
def test_the_release_is_that_of_the_local_engine(kind: str, frame: pl.DataFrame, what: str) -> None:
    """Of every type of cells, method, model, label and missing policy, wherever the records lie."""
    with TemporaryDirectory() as folder:
        compared(SOURCES[kind](frame, Path(folder)), asked(JOBS[what]), Path(folder))


#: Columns in which every other cell is missing or the empty text.
EMPTY = st.lists(st.sampled_from([None, "", "x", "y"]), min_size=8, max_size=8)


@pytest.mark.one_of("kind")
@pytest.mark.parametrize("kind", ["parquet", "duckdb"])
@settings(deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(ill=EMPTY, rest=EMPTY)
def test_nulls_beside_empty_texts_are_in_the_order_of_what_is_written(
    kind: str, ill: list[str | None], rest: list[str | None]
) -> None:
    """CSV has one way to write both: the release is in order, and the same from both engines, in every format."""
    frame = pl.DataFrame({"first": ["a"] * 8, ODD: ["b"] * 8, "ill": ill, "rest": rest})
    with TemporaryDirectory() as folder:
        source = SOURCES[kind](frame, Path(folder))
        jobs = [asked({**JOBS[what], "identifying": []}) for what in ("plain", "parquet")]
        assert [compared(source, job, Path(folder)) for job in jobs] == ["released"] * 2
        written = pl.read_csv(Path(folder, "local", "release.csv")).fill_null("")
    assert written.rows() == sorted(written.rows())


#: Cells that need care in a file.
NOTES = ('"a,b"', "=1")

PEOPLE = "name,age,city,ill,note\n" + "".join(
    f"p{at:03}x,{20 + at % 7},{('Lecce', 'Bari')[at % 2]},{('gout', 'flu', 'flu')[at % 3]},{NOTES[at % 2]}\n"
    for at in range(60)
)

OPTIONS: Mapping[str, Any] = {
    "quasi": ["age", "city"],
    "l": {"ill": 2},
    "sensitive": ["ill"],
    "identifying": ["name"],
    "rest": "insensitive",
    "k": 4,
}


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """A file of some people."""
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE, encoding="utf-8")
    return path


def one_number(*_: object) -> str:
    """A hash that all tuples have."""
    return "CAST(0 AS UBIGINT)"


@pytest.mark.parametrize("number", [DuckDB.number, one_number])
def test_tuples_of_one_hash_are_told_apart(
    number: Callable[[DuckDB, Sequence[str]], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Records find their class by a hash of their tuple, or by its texts where hashes are alike; nulls are a value."""
    monkeypatch.setattr(DuckDB, "number", number)
    sides = ["yes", "no", None]
    right = [one for one in sides for _ in range(12)]
    frame = pl.DataFrame({"first": sides * 12, ODD: right, "rest": [*"1234"] * 9})
    assert (
        compared(frame, asked({"missing": {ODD: "suppress"}, "identifying": [], "allow_singling": []}), tmp_path)
        == "released"
    )


def test_parts_are_joined_to_the_local_file(people: Path, tmp_path: Path) -> None:
    """A folder has parts of the size that is asked for; without their headers they are the one file."""
    kohort.anonymize(people, target=tmp_path / "local.csv", **OPTIONS)
    made_by = job_from(None, OPTIONS)
    assert isinstance(made_by, Request)
    job = replace(made_by.job, writing=Writing(Format.CSV, records_per_part=25))
    made = anonymize(people, job, target=f"{tmp_path}/parts/", engine=ENGINE)
    parts = sorted((tmp_path / "parts").glob("part-*.csv"))
    lines = [part.read_bytes().splitlines(keepends=True) for part in parts]
    assert [len(some) for some in lines] == [26, 26, 11]
    joined = b"".join([lines[0][0], *(line for some in lines for line in some[1:])])
    assert joined == (tmp_path / "local.csv").read_bytes()
    assert made.verdict is not None
    assert [(one.name, one.records) for one in made.verdict.parts] == [
        (part.name, len(some) - 1) for part, some in zip(parts, lines, strict=True)
    ]
    here = anonymize(people, job, target=f"{tmp_path}/here/")
    assert here.verdict is not None
    assert here.verdict.parts == made.verdict.parts


def test_a_connection_gives_its_tables_and_relations(people: Path, tmp_path: Path) -> None:
    """By name or as a relation; what is small is looked up, and nothing of the connection is closed."""
    kohort.anonymize(people, target=tmp_path / "local.csv", **OPTIONS)
    with duckdb.connect() as base:
        base.execute(f"CREATE TABLE people AS SELECT * FROM read_csv('{people}', all_varchar = true)")  # noqa: S608  a path of the test's
        kohort.anonymize("people", target=tmp_path / "table.csv", engine=base, **OPTIONS)
        kohort.anonymize(base.table("people"), target=tmp_path / "relation.csv", engine=base, **OPTIONS)
        assert base.execute("SELECT count(*) FROM people").fetchone() == (60,)
    expected = (tmp_path / "local.csv").read_bytes()
    assert (tmp_path / "table.csv").read_bytes() == (tmp_path / "relation.csv").read_bytes() == expected


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"perturb": {"note": "post-randomization:keep=0.5"}}, "perturbation"),
        ({"trim": True}, "reads only UTF-8 text"),
        ({"skip_blank": True}, "reads only UTF-8 text"),
        ({"encoding": "cp1252"}, "reads only UTF-8 text"),
    ],
)
def test_what_needs_the_records_is_refused(people: Path, tmp_path: Path, options: dict[str, Any], told: str) -> None:
    """By name, with what can do it; nothing is written."""
    with pytest.raises(UnsupportedError, match=told) as caught:
        kohort.anonymize(people, target=tmp_path / "out.csv", engine="duckdb", **{**OPTIONS, **options})
    assert "engine" in str(caught.value.hint)
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("target", [None, "out.arrow", "out.xlsx", "out.csv.gz"])
def test_other_outputs_are_refused_before_the_work(tmp_path: Path, target: str | None) -> None:
    """The input is not even looked for."""
    place = None if target is None else f"{tmp_path}/{target}"
    with pytest.raises(UnsupportedError, match=r"memory|does not write"):
        kohort.anonymize(tmp_path / "none.csv", target=place, engine="duckdb", **OPTIONS)


@pytest.mark.parametrize("name", ["-", "postgresql://localhost/a#b", "in.arrow", "in.sqlite"])
def test_other_sources_are_refused(tmp_path: Path, name: str) -> None:
    """Standard input, servers, and files of other forms."""
    frame = pl.DataFrame({"age": [1]})
    if name == "in.arrow":
        frame.write_ipc(tmp_path / name)
    if name == "in.sqlite":
        with sqlite3.connect(tmp_path / name) as base:
            base.execute("CREATE TABLE people (age)")
    source = str(tmp_path / name) if name.startswith("in") else name
    with pytest.raises(UnsupportedError, match="duckdb"):
        kohort.anonymize(source, target=tmp_path / "out.csv", engine="duckdb", quasi=["age"], k=2)


def test_other_engines_are_refused(people: Path, tmp_path: Path) -> None:
    """Another name is refused, and an object that neither is."""
    with pytest.raises(UsageError, match="no such engine"):
        kohort.anonymize(people, target=tmp_path / "out.csv", engine="oracle", **OPTIONS)
    with pytest.raises(UnsupportedError, match="reads no list"):
        kohort.anonymize([1], target=tmp_path / "out.csv", engine="duckdb", **OPTIONS)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("age,ill\n1,a\n2\n", "a record of 1 cell"),
        ("age,ill\n1,a\n\n2,b\n", "blank line"),
        ("age,ill\r1,a\r2,b\r", "CR alone"),
        ('"age\n",ill\n1,a\n', "control characters"),
        ("age,ill\n1,a\0\n", "NUL"),
        ("age,ill\n", "0 records"),
    ],
)
def test_text_is_divided_by_the_same_scanner(tmp_path: Path, text: str, told: str) -> None:
    """What the local engine refuses is refused, with the line."""
    path = tmp_path / "in.csv"
    path.write_text(text, encoding="utf-8", newline="")
    with pytest.raises(KohortError, match=told):
        kohort.anonymize(path, target=tmp_path / "out.csv", engine="duckdb", quasi=["age"], rest="insensitive", k=2)


def test_infinite_numbers_are_refused(tmp_path: Path) -> None:
    """In every column that a release needs."""
    frame = pl.DataFrame({"age": [1, 1], "pay": [0.5, float("inf")]})
    with pytest.raises(InputError, match="1 infinite"):
        anonymize(frame, asked_of(["age", "pay"]), target=tmp_path / "out.csv", engine=ENGINE)


def asked_of(quasi: list[str]) -> Job:
    """A job over some columns, the rest of which is dropped."""
    made = job_from(None, {"quasi": quasi, "rest": "drop", "k": 2})
    assert isinstance(made, Request)
    return made.job


def test_an_empty_table_is_released_empty(tmp_path: Path) -> None:
    """Where that is allowed: its header, in a file and in a folder."""
    path = tmp_path / "in.csv"
    path.write_text("age,ill\n", encoding="utf-8")
    options: dict[str, Any] = {"quasi": ["age"], "rest": "drop", "k": 2, "allow_empty": True, "engine": "duckdb"}
    kohort.anonymize(path, target=tmp_path / "out.csv", **options)
    assert (tmp_path / "out.csv").read_bytes() == b"age\n"
    kohort.anonymize(path, target=f"{tmp_path}/out/", format="csv", **options)
    assert (tmp_path / "out" / "part-00000.csv").read_bytes() == b"age\n"


def test_too_many_tuples_are_refused_by_an_estimate(tmp_path: Path) -> None:
    """Before they are fetched, with about how many there are."""
    frame = pl.DataFrame({"age": range(20_000)})
    engine = RemoteEngine(ENGINE.base, 100_000)
    with pytest.raises(LimitError, match="different tuples would take"):
        anonymize(frame, asked_of(["age"]), target=tmp_path / "out.csv", engine=engine)


def test_alike_records_go_to_several_classes(tmp_path: Path) -> None:
    """Of nine people of the same age some are in the class of the tenth: as many as locally, and nobody twice."""
    path = tmp_path / "in.csv"
    path.write_text("age,name\n31,n0\n" + "".join(f"40,n{at}\n" for at in range(1, 10)), encoding="utf-8")
    options: dict[str, Any] = {"quasi": ["age"], "drop": ["name"], "k": 2, "method": "mondrian-relaxed"}
    for engine in ("local", "duckdb"):
        kohort.anonymize(path, target=tmp_path / f"{engine}.csv", no_grid=True, engine=engine, **options)
    made = (tmp_path / "duckdb.csv").read_text(encoding="utf-8")
    assert made == (tmp_path / "local.csv").read_text(encoding="utf-8")
    assert 0 < made.count("[31-40]") - 1 < 9


def test_tuples_of_people_are_refused_by_an_estimate(tmp_path: Path) -> None:
    """Ages alone would fit; ages of people do not."""
    frame = pl.DataFrame({"age": [at % 7 for at in range(20_000)], "name": [f"p{at}x" for at in range(20_000)]})
    engine, options = RemoteEngine(ENGINE.base, 1_500_000), {"quasi": ["age"], "identifying": ["name"], "k": 5}
    made = [job_from(None, options), job_from(None, {**options, "person": "name"})]
    jobs = [one.job for one in made if isinstance(one, Request)]
    anonymize(frame, jobs[0], target=tmp_path / "records.csv", engine=engine)
    with pytest.raises(LimitError, match=r"different tuples would take .* and the limit is 1\.5 MB"):
        anonymize(frame, jobs[1], target=tmp_path / "people.csv", engine=engine)
    assert not (tmp_path / "people.csv").exists()


def test_values_that_look_alike_are_noted(tmp_path: Path) -> None:
    """As locally, in the figures of a release; columns of which the values do not fit into memory are left out."""
    frame = pl.DataFrame(
        {
            "age": [at % 2 for at in range(400)],
            "city": ["Bari", "bari ", " ", ""] * 100,
            "note": [("x" if at % 2 else "X") + str(at // 2) for at in range(400)],
        }
    )
    roles = {"quasi": ["age"], "sensitive": ["note"], "no_model": ["note"], "rest": "insensitive"}
    made = job_from(None, {**roles, "allow_singling": ["note"], "k": 2})
    assert isinstance(made, Request)
    said: list[tuple[str, ...]] = []
    for name, engine in (("local", LOCAL), ("all", ENGINE), ("some", RemoteEngine(ENGINE.base, 18_000))):
        found = anonymize(frame, made.job, target=tmp_path / f"{name}.csv", engine=engine)
        said.append(release_figures(found).notes)
        assert ("note" in found.homogeneity) == (name != "some")
    assert said[0] == said[1]
    assert "100 of city (beside 100 empty)" in said[0][1]
    assert "2 of city, 400 of note" in said[0][0]
    assert "2 of city" in said[2][0]
    assert "note" not in said[2][0]


@pytest.mark.parametrize("person", [{}, {"person": "who"}])
def test_columns_that_single_out_are_refused_as_locally(tmp_path: Path, person: dict[str, str]) -> None:
    """Alone, in pairs, and by cells of identifying ones: records, or people who have two each."""
    halves = [f"Ada-{at // 2:02}x" for at in range(20)]
    frames = {
        "alone": pl.DataFrame({"age": [1] * 20, "pay": [100 + 3 * at for at in range(20)]}),
        "pairs": pl.DataFrame(
            {"age": [1] * 20, "one": [at // 5 for at in range(20)], "two": [at % 5 for at in range(20)]}
        ),
        "leak": pl.DataFrame({"age": [1] * 20, "name": halves, "note": halves}),
        "key": pl.DataFrame({"age": [1] * 20, "note": [f"Bob-{at // 2:02}x" for at in range(20)]}),
    }
    for frame_ in frames.values():
        frame = frame_.with_columns(pl.Series("who", [f"Bob-{at // 2:02}x" for at in range(20)]))
        identifying = ["who", *(["name"] if "name" in frame.columns else [])]
        made = job_from(None, {"quasi": ["age"], "identifying": identifying, "rest": "insensitive", "k": 4, **person})
        assert isinstance(made, Request)
        said: list[str] = []
        for engine in (LOCAL, ENGINE):
            with pytest.raises((SchemaError, JobError)) as caught:
                anonymize(frame, made.job, target=tmp_path / "out.csv", engine=engine)
            said.append(str(caught.value))
        assert said[0] == said[1]


@pytest.mark.parametrize("person", [{}, {"person": "who"}])
def test_a_dry_run_has_the_same_figures(person: dict[str, str]) -> None:
    """Also whom pairs single out, and the rounding that would help."""
    frame = pl.DataFrame(
        {
            "age": [at % 3 for at in range(200)],
            "pay": [1000 + 7 * min(at, 60) for at in range(200)],
            "day": [at % 9 for at in range(200)],
            "who": [f"7-{at // 2 if person else at}" for at in range(200)],
        }
    )
    made = job_from(None, {"quasi": ["age"], "identifying": ["who"], "rest": "insensitive", "k": 2, **person})
    assert isinstance(made, Request)
    said = [release_figures(dry_run(frame, made.job, engine=engine)).as_json() for engine in (LOCAL, ENGINE)]
    for one in said:
        one["seconds"] = None
    assert said[0] == said[1]


def test_a_release_without_records_here_says_so(people: Path, tmp_path: Path) -> None:
    """Frames, comparisons and pages need the records, and are refused."""
    made = kohort.anonymize(people, target=tmp_path / "out.csv", engine="duckdb", **OPTIONS)
    with pytest.raises(UnsupportedError, match="which stay in DuckDB"):
        made.frame()
    with pytest.raises(UnsupportedError, match="which stay in DuckDB"):
        made.compare()
    assert made.verdict is not None
    assert (made.verdict.way, made.verdict.engine) == ("by aggregation", f"DuckDB {duckdb.__version__}")


def test_a_population_table_is_fetched_if_it_is_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """K-map is as locally; a large table is refused."""
    frame = pl.DataFrame({"age": [1, 2, 3, 4] * 3})
    known = pl.DataFrame({"age": [1, 2, 3, 4, 5] * 9})
    made = job_from(None, {"quasi": ["age"], "k_map": 3, "rest": "drop"}, population=known)
    assert isinstance(made, Request)
    for name, engine in (("local", LOCAL), ("there", ENGINE)):
        anonymize(frame, made.job, population=known, target=tmp_path / f"{name}.csv", engine=engine)
    assert (tmp_path / "local.csv").read_bytes() == (tmp_path / "there.csv").read_bytes()
    monkeypatch.setattr("kohort.sql.remote.SMALL", 44)
    with pytest.raises(UnsupportedError, match="a population table of more than 44 records"):
        anonymize(frame, made.job, population=known, target=tmp_path / "more.csv", engine=ENGINE)


def test_the_command_takes_an_engine(people: Path, tmp_path: Path) -> None:
    """The same object but for seconds and names; pages are refused at once."""
    flags = "--quasi age,city --sensitive ill --l ill=2 --identifier name --rest insensitive --k 4 --json"
    said: list[tuple[object, bytes]] = []
    for engine in ("local", "duckdb"):
        folder = tmp_path / engine
        folder.mkdir()
        target = folder / "out.csv"
        printed = command("anonymize", str(people), "--out", str(target), *flags.split(), "--engine", engine).out
        found = json.loads(printed)
        found |= {"seconds": 0, "release": "", "certificate": ""}
        said.append((found, target.read_bytes()))
    assert said[0] == said[1]
    refused = command(
        "anonymize",
        str(people),
        "--out",
        str(tmp_path / "out.csv"),
        *flags.split(),
        "--engine",
        "duckdb",
        "--report",
        "a.html",
    )
    assert (refused.status, refused.figures["where"]) == (2, "--report")
