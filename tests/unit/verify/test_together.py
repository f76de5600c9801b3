"""Whom all released columns single out together, and with the labels of the class: in every engine, as published."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.core.uniques import Singling, together_of
from kohort.io import read
from kohort.schema import Schema
from kohort.verify.singling import singled_out, together
from tests.command import kohort
from tests.reference.risk import alone

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

#: A record: two columns that are released as they are, the label of its class, and whose it is.
RECORDS = st.lists(
    st.tuples(st.sampled_from(["a", "b", "c"]), st.sampled_from(["x", "y", ""]), st.integers(0, 2), st.integers(0, 3)),
    min_size=1,
    max_size=24,
)

#: How a table of these people is released.
FLAGS = ("--quasi", "age", "--sensitive", "ill,cost", "--rest", "insensitive", "--no-model", "ill,cost", "--k", 5)


def columns(records: Sequence[tuple[str, str, int, int]], cuts: Sequence[int] = ()) -> list[Any]:
    """The records as tables that are cut at some places."""
    frame = pl.DataFrame(
        {
            "one": [one or None for one, *_ in records],
            "two": [two for _, two, *_ in records],
            "label": [str(label) for *_, label, _ in records],
        }
    )
    ends = [0, *sorted(cuts), len(records)]
    return [read(frame[low:high]) for low, high in pairwise(ends) if high > low]


@given(records=RECORDS, keyed=st.booleans(), cut=st.integers(0, 24))
def test_together_is_what_a_comparison_of_all_records_finds(
    records: list[tuple[str, str, int, int]], cut: int, *, keyed: bool
) -> None:
    """By definition, for records and people, in one part or two; no fewer than a column, a pair, or with less known."""
    whose = [who if keyed else row for row, (*_, who) in enumerate(records)]
    people = np.array(whose) if keyed else None
    tables = columns(records, [min(cut, len(records))])
    found = together(tables, len(records), [("one", "two"), ("label", "one", "two")], people=people)
    rows = [(one, two) for one, two, *_ in records]
    total = len(set(whose))
    assert found == (
        Singling(("one", "two"), alone(rows, whose), total),
        Singling(("label", "one", "two"), alone([record[:3] for record in records], whose), total),
    )
    [whole] = columns(records)
    assert found[1].unique >= found[0].unique
    assert all(found[0].unique >= one.unique for one in singled_out([whole["one"], whole["two"]], people))


def test_without_a_column_nobody_is_looked_for() -> None:
    """A release of quasi-identifiers alone has no such figure; one of no record counts nobody."""
    [table] = columns([("a", "x", 0, 0)])
    assert together([table], 1, together_of(Schema.of(quasi=["label"]), ())) == ()
    assert [one.unique for one in together([], 0, [("one",), ("label", "one")])] == [0, 0]


def people(folder: Path, visits: int = 1) -> Path:
    """Sixty people, each with so many records; costs and days are fine, and together tell nearly everybody apart."""
    rows = range(60)
    frame = pl.DataFrame(
        {
            "who": [f"p{chr(97 + row // 26)}{chr(97 + row % 26)}" for row in rows],
            "age": [20 + row * 7 % 31 for row in rows],
            "ill": [("flu", "gout", "ulcer")[row % 3] for row in rows],
            "cost": [100 * (row % 12) for row in rows],
            "ward": [("A", "B", "C", "D", "E")[row * row % 5] for row in rows],
        }
    )
    path = folder / "in.csv"
    pl.concat([frame] * visits).write_csv(path)
    return path


def figures(folder: Path, *flags: object, out: str = "out.csv") -> list[tuple[int, int, int]]:
    """The columns, unique and all people of both sets, of a run; its certificate says the same."""
    ran = kohort("anonymize", folder / "in.csv", "--out", f"{folder}/{out}", *FLAGS, "--drop", "who", "--json", *flags)
    assert ran.status == 0, ran.err
    if ran.figures["certificate"]:
        known = json.loads((folder / f"{out}.kohort.json").read_text()) if out == "out.csv" else None
        if known is not None:
            told = [(one["columns"], one["unique"]) for one in known["released_together"]]
            assert told == [(one["columns"], one["unique"]) for one in ran.figures["together"]]
    return [(len(one["columns"]), one["unique"], round(one["share"] * 1000)) for one in ran.figures["together"]]


def test_every_engine_finds_the_same(tmp_path: Path) -> None:
    """Local, within a limit of memory, DuckDB and parts; before anything is written, too."""
    people(tmp_path)
    expected = figures(tmp_path)
    assert (len(expected), expected[0][0], expected[1][0]) == (2, 3, 4)
    assert 0 < expected[0][1] <= expected[1][1]
    ways = (
        ("--dry-run",),
        ("--engine", "duckdb"),
        ("--engine", "duckdb", "--dry-run"),
        ("--memory-limit", "256MiB"),
    )
    for flags in ways:
        assert figures(tmp_path, *flags, "--overwrite") == expected, flags
    parts = ("--format", "csv", "--records-per-part", 20)
    assert figures(tmp_path, *parts, out="parts/") == expected
    assert figures(tmp_path, *parts, "--engine", "duckdb", out="more/") == expected


def test_people_are_counted(tmp_path: Path) -> None:
    """Two equal records of a person single that person out, with each engine; without the key nobody."""
    people(tmp_path, visits=2)
    assert [one for _, one, _ in figures(tmp_path, "--dry-run", "--allow-singling", "ill,cost,ward")] == [0, 0]
    keyed = (*FLAGS, "--person", "who", "--identifier", "who", "--json", "--allow-singling", "ill,cost,ward")
    found: list[list[int]] = []
    for more in (("--dry-run",), (), ("--engine", "duckdb", "--overwrite"), ("--engine", "duckdb", "--dry-run")):
        ran = kohort("anonymize", tmp_path / "in.csv", "--out", tmp_path / "out.csv", *keyed, *more)
        assert ran.status == 0, ran.err
        found.append([one["unique"] for one in ran.figures["together"]])
    assert found[0][0] > 0
    assert found == [found[0]] * 4


@pytest.mark.parametrize("field", ["unique", "people", "columns"])
def test_a_certificate_that_says_otherwise_is_found(tmp_path: Path, field: str) -> None:
    """`check --certificate` counts anew from the file."""
    people(tmp_path)
    figures(tmp_path)
    place = tmp_path / "out.csv.kohort.json"
    check = ("check", tmp_path / "out.csv", "--certificate", place)
    assert kohort(*check).status == 0
    known = json.loads(place.read_text())
    known["released_together"][0][field] = ["ill"] if field == "columns" else known["released_together"][0][field] + 1
    place.write_text(json.dumps(known, indent=2, sort_keys=True, ensure_ascii=False) + "\n")
    ran = kohort(*check)
    assert (ran.status, "singled out together" in ran.out) == (1, True)


def test_perturbed_columns_count_as_they_are_released(tmp_path: Path) -> None:
    """Rounded costs tell fewer people apart than fine ones."""
    people(tmp_path)
    assert (
        figures(tmp_path, "--perturb", "cost=rounding:step=600", "--overwrite")[0][1]
        < figures(tmp_path, "--overwrite")[0][1]
    )


def test_it_is_said_in_the_run_and_on_its_pages(tmp_path: Path) -> None:
    """One line in the text, one on each page; of a single column only with the labels of its class."""
    people(tmp_path)
    page, public = tmp_path / "page.html", tmp_path / "public.html"
    run = ("anonymize", tmp_path / "in.csv", "--out", tmp_path / "out.csv", *FLAGS, "--drop", "who", "--report", page)
    assert "he 3 released columns together are unique for " in kohort(*run).out
    assert "if the labels of the class are known too" in kohort(*run, "--overwrite").out
    assert "unique by the 3 released columns" in page.read_text()
    assert kohort(*run[:-1], public, "--audience", "public", "--overwrite").status == 0
    assert "unique by the 3 released columns" in public.read_text()
    single = ("--quasi", "age", "--sensitive", "ill", "--no-model", "ill", "--rest", "drop", "--k", 5, "--dry-run")
    told = kohort("anonymize", tmp_path / "in.csv", "--out", "x.csv", *single).out
    assert re.search(r"ill is unique for \d+ of 60 people if the labels of the class are known too", told)
    assert "together are unique" not in told


#: How the same people are released where all but the age are answers.
ANSWERS = ("--quasi", "age", "--answers", "cost,ward,ill", "--k", 5, "--drop", "who", "--json")


def test_answers_are_accepted_once_and_counted(tmp_path: Path) -> None:
    """What pairs would be refused for is taken; the first three and all are counted alike by every engine."""
    path = people(tmp_path)
    pl.read_csv(path).with_columns(ward=pl.int_range(pl.len()) // 12).write_csv(path)
    run = ("anonymize", tmp_path / "in.csv", "--out", tmp_path / "out.csv")
    assert kohort(*run, "--quasi", "age", "--insensitive", "cost,ward,ill", "--k", 5, "--drop", "who").status == 2
    found: list[list[tuple[list[str], int]]] = []
    for more in (("--dry-run",), (), ("--engine", "duckdb", "--overwrite"), ("--engine", "duckdb", "--dry-run")):
        ran = kohort(*run, *ANSWERS, *more)
        assert ran.status == 0, ran.err
        found.append([(one["columns"], one["unique"]) for one in ran.figures["together"]])
    assert found == [found[0]] * 4
    assert [columns for columns, _ in found[0][2:]] == [["cost", "ward", "ill"]]
    assert found[0][2][1] == found[0][0][1] > 0
    known = tmp_path / "out.csv.kohort.json"
    assert json.loads(known.read_text())["job"]["answers"] == ["cost", "ward", "ill"]
    assert kohort("check", tmp_path / "out.csv", "--certificate", known).status == 0


def test_an_answer_that_holds_names_is_refused(tmp_path: Path) -> None:
    """The steward's word is about who knows it, and lets no identifier out."""
    people(tmp_path)
    path = tmp_path / "in.csv"
    pl.read_csv(path).with_columns(note=pl.col("who")).write_csv(path)
    ran = kohort(
        "anonymize", path, "--out", tmp_path / "out.csv", *ANSWERS[:-3], "--identifier", "who", "--answers", "note"
    )
    assert (ran.status, "note" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("more", "what"),
    [
        (("--sensitive", "ill", "--l", "ill=2"), "an answer must be insensitive, but this column is sensitive"),
        (("--drop", "ill"), "an answer must be insensitive"),
        (("--answers", "ill"), "the answer is named twice"),
        (("--answers", "ilness"), "no column is called ilness"),
    ],
)
def test_an_answer_is_an_insensitive_column(tmp_path: Path, more: tuple[str, ...], what: str) -> None:
    """Named once, and no other role beside."""
    people(tmp_path)
    ran = kohort("anonymize", tmp_path / "in.csv", "--out", tmp_path / "out.csv", *ANSWERS[:-1], *more)
    assert (ran.status, what in ran.err) == (2, True), ran.err
