"""The calls that users write, for type checkers alone: what is wrong here is an error there, and nothing runs."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, assert_type

from matplotlib.figure import Figure

import kohort
from kohort.api.shown import Inspection, Perturbed
from kohort.assessment.checking import Check
from kohort.assessment.comparison import Comparison
from kohort.assessment.risk.overall import Risk
from kohort.errors.display import ReportText
from kohort.job.draft import Draft
from kohort.job.sweeps.tables import TableSweep
from kohort.tables.table import Table
from kohort.transactions.release import TransactionRelease

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl


def look(people: pl.DataFrame, path: Path) -> None:
    """Reading and looking."""
    assert_type(kohort.read(path, separator=";", encoding="cp1252"), Table)
    assert_type(kohort.inspect(people, missing_token=["?"]), Inspection)
    assert_type(kohort.assess(people, ["age"], sensitive=["illness"]), Risk)
    assert_type(kohort.compare(people, path), Comparison)
    assert_type(kohort.check(people, ["age"], k=5, l={"illness": 2}, t={"income": 0.2}), Check)
    assert_type(kohort.check(people, ["age"], [kohort.KAnonymity(5)]), Check)
    kohort.read(path, sep=";")  # type: ignore[call-arg]
    kohort.inspect(path, k=5)  # type: ignore[call-arg]
    kohort.check(people, 5)  # type: ignore[arg-type]


def draft(people: pl.DataFrame) -> kohort.Job:
    """A job to correct, and a job as text."""
    drafted = kohort.draft(people, k=5)
    assert_type(drafted, Draft)
    assert_type(drafted.undecided, tuple[str, ...])
    job = drafted.job(quasi=["age"], drop=["id"])
    assert_type(job.to_toml("job.toml", source="people.csv"), str)
    drafted.job(roles={"age": "quasi"})  # type: ignore[call-arg]
    return kohort.Job.from_toml("job.toml")


def anonymize(people: pl.DataFrame, job: kohort.Job) -> None:
    """By a job, and by keyword arguments."""
    assert_type(kohort.anonymize(people, job, target="safe.csv", overwrite=True), kohort.Release)
    release = kohort.anonymize(
        people,
        quasi=["age", "city"],
        sensitive=["illness"],
        k=5,
        l={"illness": 2},
        hierarchy={"city": {"north": ["Milano"], "south": ["Bari"]}, "age": "intervals:5,10"},
        grid={"age": [18, 30, 65]},
        weight={"age": Fraction(1, 2)},
        perturb={"income": "rounding:step=1000"},
        method="optimal",
        max_suppression="5%",
        rest="drop",
        population=people,
    )
    assert_type(release, kohort.Release)
    assert_type(release.save("safe.csv"), kohort.Release)
    assert_type(release.report("page.html", audience="public"), ReportText)
    assert_type(release.compare(), Comparison)
    assert_type(release.risk(known=2), Risk)
    assert_type(release.frame(), object)
    assert_type(release.plot("losses"), Figure)
    assert_type(release.compare().plot("age"), Figure)
    kohort.anonymize(people, job, progress=True)
    kohort.anonymize(people, quasi=["age"], progress=print)
    kohort.anonymize(people, quasi=["age"], method="optimum")  # type: ignore[call-overload]
    kohort.anonymize(people, quasi=["age"], k="5")  # type: ignore[call-overload]
    kohort.anonymize(people, quasi=["age"], l=2)  # type: ignore[call-overload]
    kohort.anonymize(people, qausi=["age"])  # type: ignore[call-overload]
    kohort.anonymize(people, {"quasi": ["age"]})  # type: ignore[call-overload]
    kohort.anonymize(people, job, k=5)  # type: ignore[call-overload]


def vary(people: pl.DataFrame, job: kohort.Job) -> None:
    """Sweeps, and perturbation."""
    assert_type(kohort.sweep(people, job, vary={"k": [5, 10]}), TableSweep)
    assert_type(kohort.sweep(people, vary={"l:illness": [2, 3]}, quasi=["age"], sensitive=["illness"]), TableSweep)
    assert_type(kohort.perturb(people, {"income": "noise:scale=0.1"}), Perturbed)
    assert_type(kohort.perturb(people, [kohort.Rounding("income", Fraction(1000))]), Perturbed)
    kohort.sweep(people, quasi=["age"])  # type: ignore[call-overload]


def transactions(path: Path) -> None:
    """Transaction databases."""
    baskets = kohort.read_transactions(path).database
    job = kohort.TransactionJob(coherence=kohort.Coherence.of(h="0.4", k=10, p=4), roles=kohort.Listed(private=("x",)))
    release = kohort.anonymize_transactions(baskets, job)
    assert_type(release, TransactionRelease)
    assert_type(release.save("safe.dat").report(), ReportText)
    kohort.Schema.of(quasi=[5])  # type: ignore[list-item]
    kohort.Job.of(kohort.Schema.of(quasi=["age"]), 5)  # type: ignore[arg-type]
