"""Complete records: those that lack a value do not enter, nothing else changes, and verification counts them itself."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kohort
from kohort import Job, KAnonymity, ReadOptions, Schema
from kohort.engines.pipeline import claim_of
from kohort.errors import InfeasibleError, JobError, SchemaError, UsageError, VerificationError
from kohort.io.typed import from_frame
from kohort.job.sweeps.table_plan import TablePlan
from kohort.job.sweeps.tables import sweep
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.perturbation.rounding import Rounding
from kohort.tables.complete import entered
from kohort.verify import Claim, verify
from tests.command import kohort as command

if TYPE_CHECKING:
    from pathlib import Path

    from kohort.release import Release
    from kohort.tables.complete import Complete
    from tests.command import Ran

#: Three of these eight records lack an age or a city, by the token `?` too, and a fourth lacks a note.
PEOPLE = pl.DataFrame(
    {
        "age": ["30", "?", "31", "30", None, "31", "30", "31"],
        "city": ["Rome", "Rome", "", "Bari", "Bari", "Bari", "Rome", "Bari"],
        "note": ["a", "b", "c", "", "e", "f", "g", "h"],
    }
)

SCHEMA = Schema.of(quasi=["age", "city"], drop=["note"])

KINDS = st.sampled_from([None, "", "?", "a", "b"])
POLICIES: st.SearchStrategy[Complete] = st.sampled_from(["all", ("x",), ("y",), ("x", "y")])


def job(complete: Complete, k: int = 2) -> Job:
    """Classes of two, a question mark meaning no value."""
    return Job.of(replace(SCHEMA, missing=frozenset({"?"})), KAnonymity(k), complete=complete)


def released(complete: Complete) -> Release:
    """The release of the people."""
    return kohort.anonymize(PEOPLE, job(complete))


@given(rows=st.lists(st.tuples(KINDS, KINDS), min_size=1), complete=POLICIES)
def test_records_enter_by_their_definition(rows: list[tuple[str | None, str | None]], complete: Complete) -> None:
    """A record enters if it has a value in all the columns; it keeps its cells, and every value has a record."""
    frame = pl.DataFrame(rows, schema={"x": pl.String, "y": pl.String}, orient="row")
    named = ("x", "y") if complete == "all" else complete
    kept = [
        at for at, row in enumerate(rows) if all(row[("x", "y").index(name)] not in {None, "", "?"} for name in named)
    ]
    if not kept:
        with pytest.raises(InfeasibleError, match="no record is complete"):
            entered(from_frame(frame), complete, {"?"})
        return
    table, found = entered(from_frame(frame), complete, {"?"})
    assert found is not None
    assert found.tolist() == kept
    assert table.records == len(kept)
    for place, column in enumerate(table.columns):
        values = column.values.to_list()
        assert [values[code] for code in column.codes.tolist()] == [rows[at][place] for at in kept]
        assert set(np.unique(column.codes).tolist()) == set(range(len(values)))


@pytest.mark.parametrize(("complete", "left"), [("all", 4), (("age", "city"), 3), (("city",), 1), ((), 0)])
def test_a_release_of_complete_records(complete: Complete, left: int) -> None:
    """It is the release of those records alone, with their figures; the others are counted, and verified."""
    release = released(complete)
    named = PEOPLE.columns if complete == "all" else complete
    alone = PEOPLE.filter(*[pl.col(name).fill_null("").is_in(["", "?"]).not_() for name in named])
    due = kohort.anonymize(alone, job(()))
    assert release.table.columns[0].values.to_list() == due.table.columns[0].values.to_list()
    assert (release.source.records, release.incomplete) == (8 - left, left)
    assert (release.metrics, release.losses, release.suppressed) == (due.metrics, due.losses, due.suppressed)
    assert release.verdict is not None
    assert release.verdict.incomplete == left
    assert release.verdict.checks.get("complete records", 0) == (8 if complete else 0)
    assert f"records: {8 - left} of {8 - left}" in repr(release)


def test_records_without_a_value_are_not_all_of_a_table() -> None:
    """Where no record is complete, nothing can be released; a column that is not there has a near name."""
    with pytest.raises(InfeasibleError, match="no record is complete"):
        kohort.anonymize(PEOPLE.with_columns(note=pl.lit("")), job("all"))
    with pytest.raises(SchemaError, match="no column is called citty") as caught:
        released(("citty",))
    assert caught.value.hint == "did you mean city?"
    with pytest.raises(JobError):
        released(("x", "y"))
    with pytest.raises(UsageError, match="complete is not a list of columns"):
        job("city")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def test_complete_records_are_rounded_and_judged() -> None:
    """What is rounded before the search, and judged so, are the complete records alone; the verifier agrees."""
    people = PEOPLE.with_columns(income=pl.Series(["11", "12", "13", "21", "22", "", "12", "23"]))
    schema = Schema.of(quasi=["age"], sensitive=["income"], drop=["city", "note"])
    asked = Job(
        replace(schema, missing=frozenset({"?"})),
        (KAnonymity(2), DistinctLDiversity("income", 2)),
        complete=("age", "income"),
        perturbations=(Rounding("income", step=Fraction(10)),),
    )
    release = kohort.anonymize(people, asked)
    assert (release.source.records, release.incomplete) == (5, 3)
    assert release.verdict is not None
    assert sorted(release.table["income"].values.to_list()) == ["10", "20"]


# --- verification -----------------------------------------------------------------------------------------------------


def forged(claim: Claim, **parts: object) -> VerificationError:
    """The error of a release of the five complete records under another claim."""
    text = b"age,city\n[30-31],Bari\n[30-31],Bari\n[30-31],Bari\n30,Rome\n30,Rome\n"
    with pytest.raises(VerificationError) as caught:
        verify(io.BytesIO(text), replace(claim, **parts))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    return caught.value


def test_the_verifier_counts_incomplete_records_itself() -> None:
    """Another number of them, none claimed, or another policy is refused, whatever the search left out."""
    claim = claim_of(released(("age", "city")))
    for parts in ({"incomplete": 2}, {"incomplete": 0}, {"complete": ()}, {"complete": ("city",)}, {"complete": "all"}):
        fault = forged(claim, **parts)
        assert (fault.where, "lack a value" in fault.what) == ("check complete records", True)
    with pytest.raises(UsageError, match="that the table does not have"):
        replace(claim, complete=("citty",))


def test_other_records_than_the_incomplete_ones() -> None:
    """An incomplete record that is released in place of a complete one is found, and so is a strange one."""
    claim = claim_of(released(("age", "city")))
    lineage = claim.lineage.copy()
    lineage[0] = 1
    assert forged(claim, lineage=lineage).what == "1 released records lack a value"
    lineage[0] = 99
    assert forged(claim, lineage=lineage).where == "check lineage"
    lineage[0] = lineage[1]
    assert forged(claim, lineage=lineage).where == "check lineage"
    assert forged(claim, suppressed=1).where == "check records"


# --- sweeps -----------------------------------------------------------------------------------------------------------


def test_a_sweep_counts_complete_records() -> None:
    """Every point is that of the complete records, and their number is told."""
    table = from_frame(PEOPLE)
    plan = TablePlan.of({"k": ["2", "3"]}, lambda at: job(("age", "city"), int(at["k"])))
    found = sweep(table, plan)
    assert found.records == 5
    assert [point.released for point in found.points] == [5, 5]
    assert found.points[0].metrics == released(("age", "city")).metrics


# --- the command line -------------------------------------------------------------------------------------------------

JOB = """
rest = "drop"
input = { path = "raw.csv", names = ["age", "city", "note"], trim = true, missing = ["?"], complete-records = COLUMNS }
output.path = "release.csv"
privacy.k = 2
columns = { age = { role = "quasi" }, city = { role = "quasi" } }
"""


def done(*arguments: object) -> Ran:
    """A command that ends well."""
    ran = command(*arguments)
    assert (ran.status, ran.err) == (0, "")
    return ran


@pytest.mark.parametrize(("said", "flag", "left"), [('"all"', "all", 4), ('["age", "city"]', "age,city", 3)])
def test_a_job_file_and_flags_leave_out_the_same(tmp_path: Path, said: str, flag: str, left: int) -> None:
    """Both tell how many were left out, as does the certificate; what reads the job again agrees."""
    rows = "".join(" , ".join(cell or "?" for cell in row) + "\n" for row in PEOPLE.iter_rows())
    (tmp_path / "raw.csv").write_text(rows, encoding="utf-8")
    (tmp_path / "job.toml").write_text(JOB.replace("COLUMNS", said), encoding="utf-8")
    ran = done("run", tmp_path / "job.toml")
    assert (
        f"{8 - left} of {8 - left} records released, 0 suppressed\n{left} incomplete records left out before" in ran.out
    )
    reading = ("--names", "age,city,note", "--trim", "--missing-token", "?", "--complete-records", flag)
    asked = (tmp_path / "raw.csv", *reading, "--quasi", "age,city", "--rest", "drop", "--k", 2)
    by_flags = done("anonymize", *asked, "--out", tmp_path / "other.csv", "--json")
    assert by_flags.figures["incomplete"] == left
    assert (tmp_path / "other.csv").read_bytes() == (tmp_path / "release.csv").read_bytes()
    certificate = tmp_path / "release.csv.kohort.json"
    assert json.loads(certificate.read_bytes())["incomplete"] == left
    done("check", tmp_path / "release.csv", "--certificate", certificate, "--reference", tmp_path / "raw.csv")
    done("report", tmp_path / "job.toml", "--out", tmp_path / "page.html")
    assert "left out before counting" in (tmp_path / "page.html").read_text("utf-8")
    compared = done("compare", tmp_path / "raw.csv", tmp_path / "release.csv", "--job", tmp_path / "job.toml", "--json")
    assert (compared.figures["records"], compared.figures["suppressed"]) == (8 - left, 0)
    for swept in (("--job", tmp_path / "job.toml"), asked[:-2]):
        assert done("sweep", *swept, "--vary", "k=2", "--json").figures["records"] == 8 - left


# --- real records -----------------------------------------------------------------------------------------------------


def test_raw_adult_is_adult(data_folder: Path, adult_csv: Path) -> None:
    """Of 32,561 raw records 30,162 enter; their release is that of the prepared file, and costs what it costs."""
    raw = data_folder / "adult_raw.data"
    if not raw.exists():
        pytest.skip("the raw records of UCI Adult are not there")
    names = tuple(adult_csv.read_text(encoding="utf-8").partition("\n")[0].split(","))
    schema = Schema.of(
        quasi=["age", "education-num"], drop=[name for name in names if name not in {"age", "education-num"}]
    )
    asked = Job.of(replace(schema, missing=frozenset({"?"})), KAnonymity(10), complete="all")
    release = kohort.anonymize(raw, replace(asked, reading=ReadOptions(names=names, trim=True)))
    prepared = kohort.anonymize(adult_csv, Job.of(schema, KAnonymity(10)))
    assert (release.source.records, release.incomplete) == (30_162, 2_399)
    assert release.metrics == prepared.metrics
    assert (release.sizes.size, release.metrics["c_dm"], int(release.sizes.max())) == (549, 4_261_438, 330)
    found, due = release.frame(), prepared.frame()
    assert isinstance(found, pl.DataFrame)
    assert isinstance(due, pl.DataFrame)
    assert found.equals(due)
