"""The functions of `kohort` on frames, files, tables and releases, and what they say to wrong types."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pandas as pd
import polars as pl
import pytest

import kohort
from kohort import Attribute, Hierarchy, Job, KAnonymity, Role, Rounding, Schema
from kohort.algorithms.lattice.exhaustive import Exhaustive
from kohort.models.k_map import KMap

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ASKED: dict[str, Any] = {
    "quasi": ["age", "city"],
    "sensitive": ["illness"],
    "identifying": ["id"],
    "l": {"illness": 2},
    "k": 5,
}


#: The functions as somebody calls them who has no type checker; `tests/typing` has the others.
anonymized: Any = kohort.anonymize
swept: Any = kohort.sweep
perturbed: Any = kohort.perturb
drafted: Any = kohort.draft
read: Any = kohort.read
schema_of: Any = Schema.of
job_of: Any = Job.of
job_itself: Any = Job
check: Any = kohort.check


def people(records: int = 60) -> pl.DataFrame:
    """People of seven ages, in five cities."""
    rows = range(records)
    return pl.DataFrame(
        {
            "id": [f"p{row}" for row in rows],
            "age": [20 + row % 7 for row in rows],
            "city": [f"town{row % 5}" for row in rows],
            "illness": [f"ill{row % 4}" for row in rows],
        }
    )


def incomes() -> pl.DataFrame:
    """The same, with an income."""
    return people().with_columns(income=pl.Series([1000 + 37 * row for row in range(60)]))


# --- from arguments to a release --------------------------------------------------------------------------------------


def test_arguments_make_the_job_of_a_job_file() -> None:
    """Keyword arguments and a job file that says the same are one job."""
    text = """
        input.path = "in.csv"
        output.path = "out.csv"
        privacy.k = 5
        columns.age.role = "quasi"
        columns.city = { role = "quasi", hierarchy = "mask:right" }
        columns.id.role = "identifying"
        columns.illness = { role = "sensitive", l = 2 }
    """
    said = anonymized(people(), **ASKED, hierarchy={"city": "mask:right"})
    assert said.job == anonymized(people(), Job.from_toml(text)).job


def test_k_is_ten_unless_another_model_of_whole_classes_is_asked_for() -> None:
    """As on the command line."""
    asked: dict[str, Any] = {"quasi": ["age"], "rest": "drop"}
    assert anonymized(people(), **asked).job.k == 10
    assert anonymized(people(), **asked, max_risk=0.25).job.k == 4


@pytest.mark.parametrize("kind", ["polars", "pandas", "pyarrow"])
def test_a_frame_comes_back_as_it_was_given(kind: str) -> None:
    """The same kind of frame, and the same records whatever the kind."""
    made_of: dict[str, Any] = {"polars": people(), "pandas": people().to_pandas(), "pyarrow": people().to_arrow()}
    frame: Any = made_of[kind]
    made: Any = anonymized(frame, **ASKED).frame()
    assert type(made) is type(frame)
    assert pl.DataFrame(made).equals(anonymized(people(), **ASKED).frame())


def test_tables_and_releases_are_read_already(tmp_path: Path) -> None:
    """Every function takes a table that was read, and a release."""
    people().write_csv(tmp_path / "people.csv", separator=";")
    table = read(tmp_path / "people.csv", separator=";")
    release = anonymized(table, **ASKED)
    assert release.frame().equals(anonymized(tmp_path / "people.csv", **ASKED, separator=";").frame())
    assert check(release, ["age", "city"], k=5, l={"illness": 2}).met
    assert kohort.assess(release, ["age", "city"]).prosecutor.highest <= 0.2
    assert kohort.compare(table, release).released == 60
    assert read(release).records == 60
    assert isinstance(perturbed(table, {"age": "rounding:step=5"}).frame(), pl.DataFrame)


def test_hierarchies_are_texts_objects_or_mappings() -> None:
    """All three say the same; a mapping with several tops gets a root."""
    tree = {"north": ["town0", "town1"], "south": ["town2", "town3", "town4"]}
    rows = [[town, region, "*"] for region, towns in tree.items() for town in towns]
    asked = ASKED | {"method": "optimal", "k": 13}
    ages = {"age": "groups:2,4"}
    first = anonymized(people(), **asked, hierarchy={**ages, "city": tree})
    second = anonymized(people(), **asked, hierarchy={**ages, "city": Hierarchy.from_rows(rows, name="city")})
    third = anonymized(people(), **asked, hierarchy={**ages, "city": {"*": tree}})
    assert first.frame().equals(second.frame())
    assert first.frame().equals(third.frame())
    assert first.levels["city"] > 0


def test_a_population_is_a_frame_too() -> None:
    """A model that needs one gets it; the check likewise."""
    register = pl.concat([people(), people()])
    release = anonymized(people(), quasi=["age"], rest="drop", k_map=10, population=register)
    assert release.job.models == (KMap(10),)
    assert check(release, ["age"], k_map=10, population=register, hierarchy={"age": "intervals:5"}).met


def test_options_beyond_single_values() -> None:
    """Words, exact numbers, lists, marks of columns, perturbations: each reaches the job."""
    release = anonymized(
        incomes(),
        **ASKED,
        no_model=["income"],
        perturb=[Rounding("income", Fraction(1000))],
        allow_singling=("income",),
        complete_records="all",
        missing_token=["?"],
        weight={"age": Fraction(1, 2)},
        bounds={"age": (0, 120)},
        no_grid=True,
        cut="median",
    )
    job = release.job
    assert (job.no_model, job.allow_singling, job.complete) == (("income",), ("income",), "all")
    assert job.perturbations == (Rounding("income", Fraction(1000)),)
    assert "?" in job.schema.missing
    [age] = [one for one in job.schema.quasi if one.name == "age"]
    assert (age.weight, age.bounds, age.grid) == (Fraction(1, 2), (Fraction(0), Fraction(120)), None)
    assert anonymized(incomes(), **ASKED, drop=["income"], no_grid=False).job.schema.quasi[0].grid == 2


def test_marks_of_the_rest() -> None:
    """A column that only the rest covers can be allowed to single people out."""
    job = anonymized(incomes(), **ASKED, rest="insensitive", allow_singling=["income"]).job
    assert job.allow_singling == ("income",)


# --- what is said to wrong types --------------------------------------------------------------------------------------

WRONG: dict[str, tuple[Callable[[], object], str]] = {
    "text for a list": (lambda: schema_of(quasi="gender"), "write quasi=['gender']"),
    "number for a list": (lambda: schema_of(quasi=5), "write quasi=['age', 'city']"),
    "numbers in a list": (lambda: schema_of(quasi=[5]), "names are texts"),
    "number for a model": (lambda: job_of(schema_of(quasi=["age"]), 5), "write Job.of(schema, KAnonymity(5))"),
    "class for a model": (lambda: job_of(schema_of(quasi=["age"]), KAnonymity), "KAnonymity is no privacy model"),
    "list of models": (
        lambda: job_itself(schema_of(quasi=["age"]), [KAnonymity(5)]),
        "write Job.of(schema, KAnonymity",
    ),
    "names for a schema": (lambda: job_of(["age"], KAnonymity(5)), "write Job.of(Schema.of("),
    "nothing": (lambda: anonymized(people()), "kohort.draft(people) proposes roles"),
    "mapping for a job": (lambda: anonymize({"k": 5}), "anonymize(people, **options)"),
    "path for a job": (lambda: anonymize("job.toml"), "kohort.Job.from_toml(path)"),
    "schema for a job": (lambda: anonymize(schema_of(quasi=["age"])), "Job.of(schema, KAnonymity(10))"),
    "draft for a job": (lambda: anonymize(drafted(people())), "draft.job()"),
    "list for a job": (lambda: anonymize(["age"]), "name columns by keyword"),
    "number for a job": (lambda: anonymize(5), "or pass a Job"),
    "job and options": (lambda: anonymize(job_of(schema_of(quasi=["age"]), KAnonymity(5)), k=5), "a job is given"),
    "no such option": (lambda: anonymized(people(), qausi=["age"]), "did you mean quasi?"),
    "the flag's name": (lambda: anonymized(people(), identifier=["id"]), "did you mean identifying?"),
    "no option like it": (lambda: anonymized(people(), zzz=1), "there are: quasi, sensitive"),
    "two roles": (lambda: anonymized(people(), quasi=["age"], insensitive=["age"]), "column age is named twice"),
    "value for a mapping": (lambda: anonymized(people(), **ASKED | {"l": 2}), "write l={'illness': 2}"),
    "object for a mapping": (lambda: anonymized(people(), **ASKED | {"grid": [1]}), "write grid={'age': …}"),
    "no role": (lambda: anonymized(people(), **ASKED | {"l": {"income": 2}}), "sensitive=[…, 'income']"),
    "nearly a role": (lambda: anonymized(people(), **ASKED | {"l": {"ilness": 2}}), "did you mean illness?"),
    "marked without a role": (
        lambda: anonymized(people(), **ASKED, allow_singling=["x"]),
        "column x has no role",
    ),
    "column that is not there": (lambda: anonymized(people(), quasi=["agee"], rest="drop"), "did you mean age?"),
    "text for k": (lambda: anonymized(people(), **ASKED | {"k": "5"}), "where: k=…"),
    "wrong value of a column": (
        lambda: anonymized(people(), **ASKED | {"l": {"illness": 1}}),
        "where: l={'illness': …}",
    ),
    "perturbation of no method": (
        lambda: anonymized(people(), **ASKED, perturb={"illness": "x"}),
        "unknown method",
    ),
    "one model for a list": (lambda: check(people(), ["age"], KAnonymity(5)), "write k=5, or [KAnonymity(5)]"),
    "number among models": (lambda: check(people(), ["age"], [5]), "write k=5, or [KAnonymity(5)]"),
    "text to check": (lambda: check(people(), "age"), "write quasi=['age']"),
    "text to assess": (lambda: kohort.assess(people(), "age"), "write quasi=['age']"),
    "option of reading": (lambda: read(people(), seperator=";"), "did you mean separator?"),
    "other option of reading": (lambda: read(people(), zz=";"), "there are: separator"),
    "list to vary": (lambda: sweep(["k"]), 'write vary={"k": [5, 10, 20]}'),
    "nothing to vary": (lambda: sweep({}), "nothing is varied"),
    "value to vary": (lambda: sweep({"k": 5}), "write vary={'k': [5]}"),
    "what cannot vary": (lambda: sweep({"kk": [5]}), "did you mean k?"),
    "vary a column of no role": (lambda: sweep({"l:illness": [2]}), "where: vary=…"),
    "vary nothing that fits": (lambda: sweep({"l:illness": [9]}, sensitive=["illness"], k=5), "set k = 9"),
    "varied and given": (lambda: sweep({"k": [5]}, k=5), "k is varied"),
    "not so many": (lambda: sweep({"quasi": [9]}), "there are 1 quasi-identifiers"),
    "to sweep another column": (lambda: sweep({"k": [5]}, quasi=["agee"]), "did you mean age?"),
    "text to perturb": (lambda: perturb("age=noise"), "a method for each column"),
    "number to perturb": (lambda: perturb({"age": 3}), "the method is of class int"),
    "nothing to perturb": (lambda: perturb({}), "no column to perturb is given"),
    "no perturbation": (lambda: perturb([3]), "int is not a perturbation"),
    "twice": (lambda: perturb([Rounding("age", Fraction(5))] * 2), "column age is perturbed twice"),
    "parameter of no value": (lambda: perturb({"age": "noise:scale"}), "where: perturb={'age': …}"),
    "parameter of a wrong type": (lambda: perturb({"age": {"method": 5}}), "method must be a text"),
    "seed": (lambda: perturbed(people(), {"age": "noise"}, seed=5), "where: seed=…"),
    "k of a draft": (lambda: drafted(people(), k=1), "k must be an integer"),
    "no correction": (lambda: drafted(people()).job(roles={}), "there is no option 'roles'"),
}


def anonymize(job: Any, **options: Any) -> object:  # noqa: ANN401  whatever a caller passes
    """Call it as somebody without a type checker does."""
    return anonymized(people(), job, **options)


def sweep(vary: Any, **options: Any) -> object:  # noqa: ANN401  likewise
    """Likewise."""
    return swept(people(), vary=vary, **{"quasi": ["age"], "rest": "drop"} | options)


def perturb(value: Any) -> object:  # noqa: ANN401  likewise
    """Likewise."""
    return perturbed(people(), value)


@pytest.mark.parametrize("case", WRONG)
def test_wrong_types_get_the_line_to_write(case: str) -> None:
    """A mistake is an error of kohort's, which says what to write, and never a traceback from inside."""
    make, told = WRONG[case]
    with pytest.raises(kohort.UsageError) as fault:
        make()
    assert told in str(fault.value)


def test_several_faults_come_together() -> None:
    """Those of the arguments and those of the job, in one error without a tree of tracebacks."""
    with pytest.raises(kohort.JobError) as fault:
        anonymized(people(), quasi=["age"], sensitive="illness", k=1)
    assert [one.where for one in fault.value.exceptions if isinstance(one, kohort.UsageError)] == ["sensitive=…", "k=…"]
    assert all(one.__traceback__ is None for one in fault.value.exceptions)


# --- looking, drafting, sweeping, checking, perturbing ----------------------------------------------------------------


def test_an_inspection_is_a_sequence_of_guesses() -> None:
    """By name and in order; what is undecided is told."""
    found = kohort.inspect(people(), missing_token=["?"])
    assert [guess.name for guess in found] == ["id", "age", "city", "illness"]
    assert len(found) == 4
    assert found["id"].role == "identifying"
    assert found.undecided == tuple(guess.name for guess in found if guess.role == "undecided")
    with pytest.raises(KeyError):
        found["income"]
    assert "1 missing" in repr(kohort.inspect(people(19).with_columns(age=pl.Series([None, *range(18)]))))


def test_a_draft_is_corrected_by_the_arguments_of_a_job(tmp_path: Path) -> None:
    """A new role forgets what was drafted of the column; other arguments are added; the file says the same."""
    incomes().write_csv(tmp_path / "people.csv", separator=";")
    draft = drafted(tmp_path / "people.csv", k=4, separator=";")
    job = draft.job(drop=["income", *draft.undecided], sensitive=["illness"], l={"illness": 3}, k=3, rest="drop")
    assert {one.name for one in job.schema.sensitive} == {"illness"}
    assert not job.perturbations
    assert job.reading.separator == ";"
    assert (job.k, job.schema.rest) == (3, Role.DROP)
    assert draft.to_toml(tmp_path / "job.toml") == (tmp_path / "job.toml").read_text()
    with pytest.raises(kohort.TargetError):
        draft.to_toml(tmp_path / "job.toml")
    assert draft.to_toml(tmp_path / "job.toml", overwrite=True) == draft.to_toml()
    assert anonymized(incomes(), job).verdict is not None


def test_a_draft_keeps_what_is_not_corrected() -> None:
    """Roundings of columns that stay measures are kept, and others are added."""
    table = pl.DataFrame({"age": [20 + n % 7 for n in range(200)], "salary": [1000 + 37 * n for n in range(200)]})
    draft = drafted(table, k=5)
    assert [one.columns for one in draft.job(perturb={"salary": "rounding:step=5000"}).perturbations] == [("salary",)]
    assert draft.job(hierarchy={"age": {"*": [str(n) for n in range(20, 27)]}}).schema.quasi[0].hierarchy is not None


def test_an_undecided_column_stops_the_draft() -> None:
    """Nobody decided, so there is no job."""
    table = people().with_columns(x=pl.Series([row * 7919 % 1009 for row in range(60)]))
    draft = drafted(table)
    assert draft.undecided
    assert repr(draft).startswith(f"<Draft, {len(draft.undecided)} undecided")
    with pytest.raises(kohort.UsageError, match="the role is undecided"):
        draft.job()


def test_a_sweep_by_a_job_and_by_arguments_agree() -> None:
    """Both say the same of every point; what is varied replaces what a job says."""
    by_arguments = swept(people(), vary={"k": [5, 20]}, **{**ASKED, "k": None})
    job = anonymized(people(), **ASKED).job
    assert swept(people(), job, vary={"k": [5, 20]}).rows == by_arguments.rows
    assert [row["classes"] for row in by_arguments.rows] == [point.classes for point in by_arguments.points]
    of_models = swept(people(), vary={"l:illness": [2, 5], "k": [5]}, **{**ASKED, "k": None, "l": None})
    assert [str(point.ending) for point in of_models.points] == ["found", "infeasible"]
    assert "1 found, 1 infeasible" in repr(of_models)
    assert "infeasible: " in of_models._repr_html_()


def test_a_sweep_shows_twenty_points() -> None:
    """More are counted."""
    found = swept(people(), vary={"k": [*range(2, 24)]}, quasi=["age"], rest="drop")
    assert "2 more points" in found._repr_html_()
    assert "more points" not in swept(people(), vary={"k": [2]}, quasi=["age"], rest="drop")._repr_html_()


def test_a_sweep_needs_no_key_and_no_seed() -> None:
    """Costs do not depend on pseudonyms; a job with them can be swept, and with a population too."""
    job = job_of(Schema((Attribute("age", Role.QUASI),), rest=Role.DROP), KAnonymity(5))
    noisy = replace(job, perturbations=(), time_limit=None)
    assert swept(people(), noisy, vary={"k": [2]}).points[0].found
    by_register = swept(people(), vary={"k-map": [2, 4]}, population=people(), quasi=["age"], rest="drop")
    assert all(point.found for point in by_register.points)


def test_a_check_takes_models_by_keyword_and_by_value() -> None:
    """Both are asked; what keywords say of columns is known, unless a schema is given."""
    assert [one.model for one in check(people(), ["age"], [KAnonymity(2)], l={"illness": 2}).findings] == [
        "2-anonymity",
        "distinct 2-diversity of illness",
    ]
    schema = Schema((Attribute("age", Role.QUASI),), frozenset({"20"}))
    assert check(people(), ["age"], k=2, schema=schema).met
    assert not check(people(), ["age"], sensitive=["illness"]).findings


def test_perturbing_gives_the_frame_back() -> None:
    """In the order and the kind that it had, with the effects."""
    frame = incomes().to_pandas()
    made = perturbed(frame, {"income": {"method": "rounding", "step": 1000}}, missing_token=["?"])
    assert isinstance(made.frame(), pd.DataFrame)
    assert made.frame()["id"].to_list() == frame["id"].to_list()
    assert [one.column for one in made.effects] == ["income"]
    seeded = perturbed(incomes(), {"income": "noise"}, seed=5, insecure_reproducible=True)
    again = perturbed(incomes(), {"income": "noise"}, seed=5, insecure_reproducible=True)
    assert seeded.frame().equals(again.frame())


# --- what a release can do next ---------------------------------------------------------------------------------------


def test_a_release_saves_reports_compares_and_measures_its_risk(tmp_path: Path) -> None:
    """Each method is the function of its room with what the release knows."""
    release = anonymized(people(), **ASKED)
    saved = release.save(tmp_path / "safe.csv")
    assert saved.path == tmp_path / "safe.csv"
    assert (tmp_path / "safe.csv.kohort.json").is_file()
    with pytest.raises(kohort.TargetError):
        release.save(tmp_path / "safe.csv")
    mine, theirs = release.compare().cost, kohort.compare(people(), release, schema=release.job.schema, k=5).cost
    assert mine is not None
    assert theirs is not None
    assert (mine.lm, mine.ncp, mine.c_avg) == (theirs.lm, theirs.ncp, theirs.c_avg)
    risk = release.risk(known=1, population_size=600)
    assert risk.prosecutor == kohort.assess(release, ["age", "city"], sensitive=["illness"]).prosecutor
    assert risk.known is not None


def test_a_report_is_text_and_a_file(tmp_path: Path) -> None:
    """The text is what the command line prints; the file is of the form of its name; nothing is replaced unasked."""
    release = anonymized(people(), **ASKED).save(tmp_path / "safe.csv")
    assert "is left\nReleased unchanged" in release.report()
    for name in ("r.html", "r.json", "r.txt"):
        assert release.report(tmp_path / name) == release.report()
    assert (tmp_path / "r.txt").read_text() == release.report() + "\n"
    release.report(tmp_path / "p.json", audience="public")
    assert (tmp_path / "p.json").read_text() != (tmp_path / "r.json").read_text()
    with pytest.raises(kohort.TargetError):
        release.report(tmp_path / "r.html")
    with pytest.raises(kohort.TargetError, match="input"):
        release.report(_linked(tmp_path), overwrite=True)
    report: Any = release.report
    for wrong in ({"path": tmp_path / "r.pdf"}, {"path": tmp_path / "x.html", "audience": "all"}):
        with pytest.raises(kohort.UsageError):
            report(**wrong)


def _linked(folder: Path) -> Path:
    """The release under the name of a report."""
    (folder / "safe.txt").hardlink_to(folder / "safe.csv")
    return folder / "safe.txt"


def test_a_release_of_transactions_saves_and_reports(tmp_path: Path) -> None:
    """The same two methods."""
    baskets = kohort.Transactions.of([["bread", "milk"]] * 4 + [["bread", "pill"], ["tea", "bread"]])
    job = kohort.TransactionJob(
        coherence=kohort.Coherence.of(h="0.5", k=2, p=2), roles=kohort.Listed(private=("pill",))
    )
    release = kohort.anonymize_transactions(baskets, job)
    assert release.save(tmp_path / "safe.dat").path == tmp_path / "safe.dat"
    assert release.report(tmp_path / "r.json") == release.report()
    assert (tmp_path / "r.json").is_file()


# --- jobs as text -----------------------------------------------------------------------------------------------------


def test_hierarchies_are_written_beside_the_job(tmp_path: Path) -> None:
    """A job with objects needs a path; the file and what lies beside it make the same job."""
    tree = {"city": {"*": [f"town{n}" for n in range(5)]}}
    job = anonymized(people(), **ASKED, hierarchy=tree).job
    with pytest.raises(kohort.UsageError, match=r"job\.to_toml"):
        job.to_toml()
    text = job.to_toml(tmp_path / "job.toml", source="people.csv", target="safe.csv")
    assert 'hierarchy = "job.hierarchy-1.csv"' in text
    assert Job.from_toml(tmp_path / "job.toml") == job
    with pytest.raises(kohort.TargetError):
        job.to_toml(tmp_path / "job.toml")
    job.to_toml(tmp_path / "job.toml", overwrite=True)


def test_what_no_job_file_holds_is_refused() -> None:
    """An algorithm of no name."""
    schema = Schema((Attribute("age", Role.QUASI, hierarchy="suppress"),))
    with pytest.raises(kohort.UsageError, match="no method of a job file is exhaustive"):
        job_of(schema, KAnonymity(5), algorithm=Exhaustive()).to_toml()


def test_a_perturbed_table_is_saved(tmp_path: Path) -> None:
    """Written and verified as `kohort perturb` does; never over a file that is there, nor over its own source."""
    source, target = tmp_path / "people.csv", tmp_path / "perturbed.csv"
    source.write_text("name,income\nAda,1499\nBo,2501\n")
    made = kohort.perturb(str(source), {"income": "rounding:step=1000"})
    assert made.save(target) == target
    assert target.read_text() == "name,income\nAda,1000\nBo,3000\n"
    with pytest.raises(kohort.TargetError, match="the output exists"):
        made.save(str(target))
    made.save(target, overwrite=True)
    with pytest.raises(kohort.TargetError, match="an input"):
        made.save(source, overwrite=True)
