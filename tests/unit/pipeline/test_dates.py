"""Birth dates through every command: a newcomer ends with ranges of days, and never with lists of birthdays."""

from __future__ import annotations

import random
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import kohort
from kohort import Attribute, Job, KAnonymity, Role, Schema
from kohort.assessment.labels import covers, printed_values
from kohort.errors import InputError, JobError, SchemaError
from kohort.report.figures import Figures
from kohort.report.page.audience import Audience
from kohort.report.page.build import page
from kohort.schema import Label, Scale
from tests.command import kohort as run
from tests.jobs import freely
from tools import check_release

if TYPE_CHECKING:
    from pathlib import Path

    from kohort.release import Release

R = random.Random(19)  # noqa: S311  the same people each time
PEOPLE = [
    (date(1930, 1, 1) + timedelta(R.randrange(20_000)), R.choice("fm"), R.choice(["flu", "gout"])) for _ in range(90)
]
ISO = pl.DataFrame({"birth": [one[0].isoformat() for one in PEOPLE], "sex": [one[1] for one in PEOPLE]})


def written(folder: Path, form: str) -> Path:
    """The people as a file, with the date as somebody writes it."""
    births = [one[0] for one in PEOPLE]
    rest = {"sex": [one[1] for one in PEOPLE], "illness": [one[2] for one in PEOPLE]}
    path = folder / ("p.parquet" if form in {"date", "datetime"} else "p.csv")
    if form == "date":
        pl.DataFrame({"birth": births, **rest}).write_parquet(path)
    elif form == "datetime":
        noon = [datetime(one.year, one.month, one.day, 12, 30) for one in births]  # noqa: DTZ001  as most tables have it
        pl.DataFrame({"birth": noon, **rest}).write_parquet(path)
    else:
        pl.DataFrame({"birth": [one.strftime(form) for one in births], **rest}).write_csv(path)
    return path


def labels(release: Release, name: str = "birth") -> set[str]:
    """The distinct labels of a column."""
    return set(release.table[name].values.to_list())


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y %H:%M", "date", "datetime"])
def test_a_birth_date_becomes_public_periods(tmp_path: Path, form: str) -> None:
    """However it is written, without a word about it; nobody can be pinpointed, and both checkers agree."""
    source, out = written(tmp_path, form), tmp_path / "r.csv"
    flags = ["--quasi", "birth,sex", "--sensitive", "illness", "--no-model", "illness", "--k", 5]
    ran = run("anonymize", source, "--out", out, *flags, "--json")
    assert ran.status == 0, ran.err
    assert ran.figures["exposed"]["people"] == 0
    births = pl.read_csv(out)["birth"].unique().to_list()
    assert all(one.startswith("[19") and one.endswith("-01-01)") for one in births)
    certificate = tmp_path / "r.csv.kohort.json"
    found = run("check", out, "--certificate", certificate, "--reference", source)
    assert (found.status, "differ" in found.out) == (0, True), found.out
    assert "nothing differs" in found.out
    assert check_release.main([str(out), str(certificate)]) == 0


def test_a_certificate_that_says_another_period_is_refused(tmp_path: Path) -> None:
    """Labels of five years are no labels of decades; a range is not a grid's cell."""
    out, certificate = tmp_path / "r.csv", tmp_path / "r.csv.kohort.json"
    flags = ["--quasi", "birth,sex", "--sensitive", "illness", "--no-model", "illness", "--k", 5]
    assert run("anonymize", written(tmp_path, "%Y-%m-%d"), "--out", out, *flags, "--grid", "birth=year").status == 0
    text = certificate.read_text(encoding="utf-8")
    assert '"grid": "year"' in text
    for wrong in ("century", "none such"):
        certificate.write_text(text.replace('"grid": "year"', f'"grid": "{wrong}"'), encoding="utf-8")
        assert run("check", out, "--certificate", certificate).status != 0


def test_ranges_by_day_are_data_dependent(tmp_path: Path) -> None:
    """Without a grid a range begins and ends with somebody's day, and the checkers count whom that can pinpoint."""
    out, certificate = tmp_path / "r.csv", tmp_path / "r.csv.kohort.json"
    flags = ["--quasi", "birth,sex", "--sensitive", "illness", "--no-model", "illness", "--k", 5, "--no-grid"]
    ran = run("anonymize", written(tmp_path, "%d.%m.%Y"), "--out", out, *flags, "--json")
    assert ran.figures["exposed"]["range_ends"] > 0
    found = run("check", out, "--certificate", certificate)
    assert found.status == 0, found.out
    assert "data-dependent labels: true" in found.out
    assert check_release.main([str(out), str(certificate)]) == 0


def test_inspection_proposes_the_period_and_init_writes_it(tmp_path: Path) -> None:
    """The job that init writes runs, and releases periods."""
    source = written(tmp_path, "%d.%m.%Y")
    assert (
        "proposed: grid = year" in run("inspect", source).out
        or "proposed: grid = five-years" in run("inspect", source).out
    )
    job = tmp_path / "job.toml"
    assert run("init", source, "--out", job, "--k", 5).status == 0
    text = job.read_text(encoding="utf-8")
    assert 'scale = "date"\ngrid = "five-years" # public dates' in text
    assert run("run", job).status == 0


def test_a_hierarchy_beside_the_table_keeps_dates_names(tmp_path: Path) -> None:
    """A tree that the steward has is taken, and then the column has names."""
    source = written(tmp_path, "%Y-%m-%d")
    tree = "".join(f"{day},{day[:3]}0s,*\n" for day in sorted(set(ISO["birth"])))
    (tmp_path / "birth.csv").write_text(tree, encoding="utf-8")
    assert run("init", source, "--out", tmp_path / "job.toml").status == 0
    text = (tmp_path / "job.toml").read_text(encoding="utf-8")
    assert 'hierarchy = "birth.csv"' in text
    assert 'scale = "date"' not in text


# ── names that hardly anybody shares ─────────────────────────────────────────────────────────────


def released(**columns: Any) -> Release:  # noqa: ANN401  cells of any kind
    """A release of these quasi-identifiers."""
    return kohort.anonymize(pl.DataFrame(columns), Job.of(Schema.of(quasi=[*columns]), KAnonymity(2)))


def test_names_of_one_person_each_are_not_listed_by_default() -> None:
    """The error counts them and says what to do; two columns are told together."""
    codes = [f"0{place:04}" for place in range(9)]
    with pytest.raises(SchemaError, match="9 of 9 people have a value of their own") as caught:
        released(zip=codes)
    assert "--hierarchy zip=mask:right" in caught.value.hint
    assert not any(code in str(caught.value) for code in codes)
    with pytest.raises(JobError, match="lists of people's values"):
        released(zip=codes, street=[f"s{code}" for code in codes])


def test_lists_are_released_where_that_is_said() -> None:
    """By a label of sets, or by leave to single out; a name that others share is no matter."""
    codes = [f"0{place:04}" for place in range(8)]
    frame = pl.DataFrame({"zip": codes})
    for attribute, allowed in (
        (Attribute("zip", Role.QUASI, label=Label.SET), ()),
        (Attribute("zip", Role.QUASI), ("zip",)),
    ):
        made = kohort.anonymize(frame, Job(Schema((attribute,)), (KAnonymity(2),), allow_singling=allowed))
        assert all(label.startswith("{") for label in labels(made, "zip"))
    assert released(town=["Asti", "Bari"] * 4).verdict is not None


def test_dates_with_a_slip_are_told_as_dates() -> None:
    """One cell that is no date makes the column names; the error says how many are dates."""
    with pytest.raises(InputError, match=r"1 value is no date, and [0-9]+ are") as caught:
        released(birth=[*ISO["birth"].unique().to_list(), "unknown"])
    assert "--missing-token" in caught.value.hint


def test_records_of_one_person_are_one() -> None:
    """Two records of somebody with the same code are still hers alone."""
    frame = pl.DataFrame({"who": [f"p{at // 2}" for at in range(8)], "zip": [f"z{at // 2}" for at in range(8)]})
    job = Job.of(Schema.of(identifying=["who"], quasi=["zip"], person="who"), KAnonymity(2))
    with pytest.raises(SchemaError, match="4 of 4 people"):
        kohort.anonymize(frame, job)


def test_missing_values_are_nobodys_own() -> None:
    """One record without a value is not singled out by a list."""
    assert released(town=["Asti", "Asti", "Asti", ""]).verdict is not None


# ── reading released dates ───────────────────────────────────────────────────────────────────────


def test_pages_and_comparisons_write_dates() -> None:
    """Bars are periods, and days have no mean; the steward's page and the public's."""
    release = kohort.anonymize(ISO, freely(Job.of(Schema.of(quasi=["birth", "sex"]), KAnonymity(5))))
    for audience in Audience:
        found = page(release, audience=audience)
        birth: Any = next(one for one in map(Figures.as_json, found.attributes or ()) if one["name"] == "birth")
        assert (birth["scale"], birth["after"]["numeric"]) == ("date", None)
        assert all("-01-01" in one["label"] for one in birth["distribution"]["bins"] if one["label"])


def test_a_reader_of_labels_reads_dates() -> None:
    """By day, of a period, and of a set; in the form that the values have."""
    values = ["01.03.1984", "31.12.1984", "01.01.1985"]
    found = covers(["[1984-03-01 – 1984-12-31]", "[1984-01-01 – 1985-01-01)", "1985-01-01", "*"], values)
    assert found.astype(int).tolist() == [[1, 1, 0], [1, 1, 0], [0, 0, 1], [1, 1, 1]]
    assert printed_values("[1984-03-01 – 1984-12-31]") == ["1984-03-01", "1984-12-31"]
    assert printed_values("[1984-01-01 – 1985-01-01)") == []
    assert printed_values("[a-b]") == []


def test_the_schema_of_a_release_says_how_dates_were_read() -> None:
    """So that whoever checks it reads them so too."""
    release = kohort.anonymize(ISO, freely(Job.of(Schema.of(quasi=["birth", "sex"]), KAnonymity(5))))
    birth = release.job.schema.attributes[0]
    assert (birth.scale, birth.date_format) == (Scale.DATE, "yyyy-mm-dd")


def test_records_elsewhere_have_the_same_dates_and_refusals(tmp_path: Path) -> None:
    """DuckDB counts the distinct texts; what they mean, and what is refused, is decided as on one machine."""
    source, flags = written(tmp_path, "%d.%m.%Y"), ["--sensitive", "illness", "--no-model", "illness", "--k", 5]
    outs = [tmp_path / "local.csv", tmp_path / "duckdb.csv"]
    for out, engine in zip(outs, ([], ["--engine", "duckdb"]), strict=True):
        ran = run("anonymize", source, "--out", out, "--quasi", "birth,sex", *flags, *engine)
        assert ran.status == 0, ran.err
        names = run(
            *("anonymize", source, "--out", tmp_path / "n.csv", "--quasi", "birth,sex", *flags, *engine),
            *("--scale", "birth=categorical"),
        )
        assert (names.status, "have a value of their own" in names.err) == (2, True)
    assert outs[0].read_bytes() == outs[1].read_bytes()
