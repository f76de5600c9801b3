"""Tuples that do not fit into memory: searched in parts, verified some classes at a time, the release is the same."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from kohort.engines.local import LOCAL
from kohort.engines.pipeline import anonymize
from kohort.errors import InfeasibleError, InputError, LimitError, SchemaError, SourceNote
from kohort.report.release import release_figures
from kohort.sql.duckdb import DuckDB
from kohort.sql.remote import RemoteEngine
from kohort.testing import check_engine
from kohort.verify.verdict import BY_AGGREGATION
from tests.engines import large
from tests.engines.large import BASE, PASSED_OVER, engines, on_spark, people
from tests.engines.sqlite import SQLite
from tests.engines.test_duckdb import JOBS, SOURCES, asked, compared, frames
from tests.engines.test_odd_columns import asked as of_numbers
from tests.engines.test_odd_columns import numbers
from tests.engines.test_spark import needs_spark
from tests.quick import examples

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kohort.sql.queries import Dialect

pytestmark = pytest.mark.filterwarnings("ignore:the table was searched in:kohort.errors.SourceNote", *PASSED_OVER)

ENGINES = engines(1, 3, 8)

#: What the engines search in parts, of the jobs that every engine is tried with; `loss` needs all tuples at once.
IN_PARTS = {
    name: job if "method" in job else {**job, "cut": "nearest"}
    for name, job in JOBS.items()
    if name not in {"loss", "ordered", "samarati", "cells", "local"}
}


#: For tables of few columns.
ONLY: Mapping[str, list[str]] = {"identifying": [], "allow_singling": []}


@pytest.mark.one_of("kind")
@pytest.mark.parametrize("kind", sorted(SOURCES))
@settings(max_examples=examples(few=1), phases=[Phase.explicit, Phase.reuse, Phase.generate])  # to shrink takes minutes
@given(frame=frames(), what=st.sampled_from(sorted(IN_PARTS)), most=st.sampled_from(sorted(ENGINES)))
def test_the_release_is_that_of_the_local_engine(kind: str, frame: pl.DataFrame, what: str, most: int) -> None:
    """Of every type of cells, model, label and missing policy, wherever the records lie."""
    with TemporaryDirectory() as folder:
        compared(SOURCES[kind](frame, Path(folder)), asked(IN_PARTS[what]), Path(folder), ENGINES[most])


@pytest.mark.parametrize("base", [BASE, SQLite()], ids=["duckdb", "sqlite"])
@pytest.mark.parametrize("most", [10, 18])
def test_tuples_in_parts_are_those_of_an_engine(base: Dialect, most: int) -> None:
    """The one test body of engines: what is written is judged, and what is damaged is refused; classes fit."""
    check_engine(RemoteEngine(base, together=most), tables=examples(4, few=1), seed=most)


OPTIONS = {"l": {"ill": 2}, "no_grid": True, "labels": "set", "cut": "nearest"}

#: A release of people by these.
released = partial(large.released, OPTIONS)


@pytest.mark.slow("400 people are searched in parts, by many queries")
def test_figures_are_those_of_the_local_engine(tmp_path: Path) -> None:
    """Of sets, and of sensitive values, which are asked for some classes at a time; and it is said that it went so."""
    frame = people()
    due = release_figures(released(frame, tmp_path / "local.csv"))
    with pytest.warns(SourceNote, match=r"searched in \d+ parts.*: 4 rounds, [\d,]+ histogram rows"):
        made = released(frame, tmp_path / "there.csv", RemoteEngine(BASE, together=50))
    found = release_figures(made)
    assert (tmp_path / "there.csv").read_bytes() == (tmp_path / "local.csv").read_bytes()
    assert found.homogeneity == due.homogeneity
    assert found.members == due.members
    assert found.trace["rounds"] == 4
    assert made.verdict is not None
    assert made.verdict.way == BY_AGGREGATION


def test_the_limit_decides(tmp_path: Path) -> None:
    """Half of it is for tuples: 400 of four columns, at 48 bytes each, are too many for 100 kB, and not for 1 MB."""
    frame = people()
    for limit, parts in ((100_000, True), (1_000_000, False)):
        made = released(frame, tmp_path / f"{limit}.csv", RemoteEngine(BASE, limit))
        assert ("parts" in made.trace) == parts
    with pytest.raises(LimitError, match="needs all tuples at once") as caught:
        released(frame, tmp_path / "out.csv", RemoteEngine(BASE, 30_000), method="mondrian", cut="loss")
    assert "--cut nearest" in caught.value.hint


def test_what_cannot_be_is_refused_as_before(tmp_path: Path) -> None:
    """No record is left, or values are those of single people."""
    engine = RemoteEngine(BASE, together=1)
    lacking = pl.DataFrame({"age": ["1", None], "job": [None, "a"]})
    job = asked({**ONLY, "quasi": ["age", "job"], "missing": {"age": "suppress", "job": "suppress"}})
    with pytest.raises(InfeasibleError, match="every record lacks a value"):
        anonymize(lacking, job, target=tmp_path / "out.csv", engine=engine)
    job = asked(
        {
            "quasi": ["age"],
            "identifying": [],
            "missing": {"job": "refuse"},
            "sensitive": ["job"],
            "no_model": ["job"],
            "allow_singling": ["job"],
        }
    )
    with pytest.raises(InputError) as caught:
        anonymize(lacking.with_columns(age=pl.Series(["1", "2"])), job, target=tmp_path / "out.csv", engine=engine)
    assert caught.value.where == "column job"
    names = pl.DataFrame({"code": [f"x{sign}" for sign in "abcdefgh"], "age": ["1", "2"] * 4})
    with pytest.raises(SchemaError, match="list in sets"):
        anonymize(names, asked({**ONLY, "quasi": ["code", "age"]}), target=tmp_path / "out.csv", engine=engine)


def test_identifiers_among_labels_are_looked_for_in_pairs(tmp_path: Path) -> None:
    """A quasi-identifier and another column have names of other people: that is looked at, and is no leak."""
    names = [f"{sign}delaide" for sign in "bcdefghijklm"]
    frame = people(60).with_columns(
        name=pl.Series([names[at // 5] if at < 12 else f"x{at}" for at in range(60)]),
        zip=pl.Series([names[(at + 1) % 12] if at < 6 else "y" for at in range(60)]),
        note=pl.Series([names[(at + 2) % 12] if at < 6 else "z" for at in range(60)]),
    )
    for name, engine in (("local", LOCAL), ("there", RemoteEngine(BASE, together=9))):
        released(frame, tmp_path / f"{name}.csv", engine, rest="insensitive")
    assert (tmp_path / "there.csv").read_bytes() == (tmp_path / "local.csv").read_bytes()


@pytest.mark.slow("400 people are searched in parts, by many queries")
def test_values_of_one_code_are_one_tuple(tmp_path: Path) -> None:
    """Numbers that are written in two ways; records are found by the codes of such a column, others by their texts."""
    frame = people(200).cast(pl.String)
    frame = pl.concat([frame, frame.with_columns(pl.col("age") + ".0", pl.col("name") + "a")])
    for name, engine in (("local", LOCAL), ("there", RemoteEngine(BASE, together=9))):
        made = released(frame, tmp_path / f"{name}.csv", engine)
    assert made.trace["parts"] > 1
    assert (tmp_path / "there.csv").read_bytes() == (tmp_path / "local.csv").read_bytes()


@pytest.mark.filterwarnings("ignore:.*counted in the engine:kohort.errors.SourceNote")
@pytest.mark.parametrize("what", ["grid", "levels"])
def test_numbers_with_decimal_commas_are_searched_in_parts(what: str, tmp_path: Path) -> None:
    """By cuts and by nodes; they are written back as they were, the same bytes as on one machine."""
    for name, engine in (("local", LOCAL), ("there", RemoteEngine(BASE, together=60))):
        made = anonymize(numbers(",", "."), of_numbers(what, ","), target=tmp_path / f"{name}.csv", engine=engine)
    assert {"parts", "nodes_counted"} & {*made.trace}
    assert (tmp_path / "there.csv").read_bytes() == (tmp_path / "local.csv").read_bytes()


@pytest.mark.slow("400 people are searched in parts, by many queries")
def test_tuples_of_one_number_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All are counted again by other numbers, until no two have the same."""
    asked_for: list[str] = []

    def number(base: DuckDB, cells: Sequence[str]) -> str:
        asked_for.append(cells[0])
        return "CAST(7 AS BIGINT)" if cells[0] == "'0'" else hashed(base, cells)

    hashed = DuckDB.number
    monkeypatch.setattr(DuckDB, "number", number)
    for name, engine in (("local", LOCAL), ("there", RemoteEngine(BASE, together=50))):
        released(people(), tmp_path / f"{name}.csv", engine)
    assert {*asked_for} == {"'0'", "'1'"}
    assert (tmp_path / "there.csv").read_bytes() == (tmp_path / "local.csv").read_bytes()


@needs_spark
@pytest.mark.slow
def test_spark_keeps_tuples_in_parts(tmp_path: Path) -> None:
    """On the disks of its workers; the bytes are those of the local engine."""
    source = tmp_path / "in.csv"
    people(200).write_csv(source)
    for name, one in (("local", LOCAL), ("there", on_spark(120))):
        made = released(source, tmp_path / f"{name}.csv", one)
    assert made.trace["parts"] > 1
    assert (tmp_path / "there.csv").read_bytes() == (tmp_path / "local.csv").read_bytes()
