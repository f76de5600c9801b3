"""People of a population who lack a value that the release suppresses for: to model, check, risk and report nobody."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import polars as pl
import pytest

import kohort as library
from kohort.errors import InputError
from kohort.schema import Attribute, Missing, Role, Schema
from tests.command import Ran, kohort

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

#: Two classes at the top of `age`; beside each four people of the population, there are as many without an age.
PEOPLE = [("1", "x"), ("2", "x"), ("3", "x"), ("4", "x"), ("1", "y"), ("2", "y"), ("3", "y"), ("4", "y")]
NOBODY = [(None, "x")] * 4 + [(None, "y")] * 4

#: A job that releases `*` for every age, in classes of four.
FLAGS = ("--quasi", "age,city", "--sensitive", "ill", "--no-model", "ill", "--allow-singling", "ill", "--k-map", 4)
NODE = ("--method", "samarati", "--node", "1,0", "--hierarchy", "age=suppress", "--hierarchy", "city=suppress")

#: Formats that a population lies in.
FORMATS = ("csv", "parquet", "xlsx", "feather", "duckdb")


def written(path: Path, people: Sequence[tuple[str | None, str]], token: str | None = None) -> Path:
    """The people in a file; whoever has no age has `token` there."""
    frame = pl.DataFrame([(age or token, city) for age, city in people], schema=["age", "city"], orient="row")
    match path.suffix:
        case ".csv":
            frame.write_csv(path)
        case ".parquet":
            frame.write_parquet(path)
        case ".xlsx":
            frame.write_excel(path)
        case ".feather":
            frame.write_ipc(path)
        case _:
            import duckdb  # noqa: PLC0415  few tests need it

            with duckdb.connect(str(path)) as base:
                base.execute("create table people as select * from frame")
    return path


def given(folder: Path, token: str | None = None, *, suffix: str = "csv") -> tuple[Path, Path]:
    """The input, without people who lack a value, and the population."""
    source = folder / "in.csv"
    pl.DataFrame(
        [(*one, "ab"[at % 2]) for at, one in enumerate(PEOPLE)], ["age", "city", "ill"], orient="row"
    ).write_csv(source)
    return source, written(folder / f"people.{suffix}", [*PEOPLE, *NOBODY], token)


def released(folder: Path, *more: object, token: str | None = None, suffix: str = "csv", status: int = 0) -> Ran:
    """A release at `out.csv`, with what its run prints."""
    source, people = given(folder, token, suffix=suffix)
    run = ("anonymize", source, "--out", folder / "out.csv", *FLAGS, *NODE, "--population", people, "--json")
    ran = kohort(*run, *more)
    assert ran.status == status, ran.err
    return ran


def risk(folder: Path, *flags: object, suffix: str = "csv") -> dict[str, object]:
    """The journalist's risk of the release."""
    population = ("--population", folder / f"people.{suffix}")
    ran = kohort("risk", folder / "out.csv", "--quasi", "age,city", *population, "--json", *flags)
    assert ran.status == 0, ran.err
    journalist: dict[str, object] = ran.figures["journalist"]
    return journalist


def mapped(folder: Path, *flags: object, suffix: str = "csv") -> bool:
    """Whether `kohort check` finds at least five people for each class: with those who lack an age there are eight."""
    population = ("--population", folder / f"people.{suffix}")
    return kohort("check", folder / "out.csv", "--quasi", "age,city", "--k-map", 5, *population, *flags).status == 0


def test_one_definition_everywhere(tmp_path: Path) -> None:
    """Model, check, risk, report and certificate find the same four people for each class, the risk being 25 %."""
    report = tmp_path / "report.json"
    released(tmp_path, "--missing", "age=suppress", "--report", report)
    released(tmp_path, "--missing", "age=suppress", "--k-map", 5, "--overwrite", status=4)
    flags = ("--missing", "age=suppress")
    (tmp_path / "out.csv.kohort.json").rename(tmp_path / "kept.json")
    assert (risk(tmp_path)["highest"], risk(tmp_path, *flags)["highest"]) == (0.125, 0.25)
    assert (risk(tmp_path)["marketer"], risk(tmp_path, *flags)["marketer"]) == (0.125, 0.25)
    assert (mapped(tmp_path), mapped(tmp_path, *flags)) == (True, False)
    again = kohort(
        "check", tmp_path / "out.csv", "--certificate", tmp_path / "kept.json", "--population", tmp_path / "people.csv"
    )
    assert again.status == 0
    after = json.loads(report.read_text())["risks"]["after"]
    assert (after["journalist"]["highest"], after["journalist_marketer"]) == (0.25, 0.25)


def test_the_certificate_beside_a_release_tells_how_missing_values_were_treated(tmp_path: Path) -> None:
    """Without a flag its job decides; a flag decides against it; of other bytes it decides nothing."""
    released(tmp_path, "--missing", "age=suppress")
    assert (risk(tmp_path)["highest"], mapped(tmp_path)) == (0.25, False)
    assert risk(tmp_path, "--missing", "age=own-value")["highest"] == 0.125
    (tmp_path / "out.csv").write_text((tmp_path / "out.csv").read_text() + "*,x,a\n")
    assert risk(tmp_path)["highest"] == 0.125
    (tmp_path / "out.csv.kohort.json").write_text("{}")
    assert risk(tmp_path)["highest"] == 0.125


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_population_in_any_format(tmp_path: Path, suffix: str) -> None:
    """Who lacks a value matches nobody, whatever file tells of it."""
    released(tmp_path, "--missing", "age=suppress", suffix=suffix)
    found = risk(tmp_path, suffix=suffix)
    assert (found["highest"], found["without_value"], found["suppressed"]) == (0.25, {"age": 8}, ["age"])


@pytest.mark.parametrize("token", ["NA", "?", "*", "-9"])
def test_tokens_that_mean_no_value(tmp_path: Path, token: str) -> None:
    """A text is no value where a flag, or the job in the certificate, says so; `*` as well."""
    tokens = ("--missing-token", token)
    released(tmp_path, "--missing", "age=suppress", *tokens, token=token)
    assert (risk(tmp_path)["highest"], mapped(tmp_path)) == (0.25, False)
    (tmp_path / "out.csv.kohort.json").unlink()
    flags = ("--missing", "age=suppress", *tokens)
    assert (risk(tmp_path, *flags)["highest"], mapped(tmp_path, *flags)) == (0.25, False)
    assert risk(tmp_path, "--missing", "age=suppress")["highest"] == 0.125


def test_columns_are_treated_one_by_one(tmp_path: Path) -> None:
    """Who lacks a city counts where only a missing age suppresses."""
    released(tmp_path)
    (tmp_path / "out.csv.kohort.json").unlink()
    out = tmp_path / "out.csv"
    out.write_text(out.read_text().replace(",x,", ",*,").replace(",y,", ",*,"))
    written(tmp_path / "people.csv", [("1", "x")] * 8 + [("", "x")] * 4 + [("1", "")] * 4)
    treatments = {"age": 1 / 12, "city": 1 / 12, "age,city": 1 / 8, "": 1 / 16}
    for columns, expected in treatments.items():
        flags = [text for name in columns.split(",") if name for text in ("--missing", f"{name}=suppress")]
        assert risk(tmp_path, *flags)["highest"] == pytest.approx(expected, abs=1e-6)


def test_complete_records_of_a_population(tmp_path: Path) -> None:
    """Where the job takes complete records only, whoever lacks a value is in no release, to every figure."""
    report = tmp_path / "report.json"
    complete = ("--complete-records", "age")
    released(tmp_path, *complete, "--k-map", 5, "--overwrite", status=4)
    released(tmp_path, *complete, "--report", report)
    assert (risk(tmp_path)["highest"], mapped(tmp_path)) == (0.25, False)
    assert json.loads(report.read_text())["risks"]["after"]["journalist"]["highest"] == 0.25
    asked = ("check", tmp_path / "out.csv", "--certificate", tmp_path / "out.csv.kohort.json")
    held = kohort(*asked, "--population", tmp_path / "people.csv")
    assert held.status == 0


@pytest.mark.parametrize("engine", ["local", "duckdb"])
def test_every_engine_counts_alike(tmp_path: Path, engine: str) -> None:
    """Five people for a class are too many to ask for, in each engine and by each policy that suppresses."""
    for policy in (("--missing", "age=suppress"), ("--complete-records", "age"), ("--complete-records", "all")):
        released(tmp_path, *policy, "--engine", engine, "--k-map", 5, "--overwrite", status=4)
        released(tmp_path, *policy, "--engine", engine, "--overwrite")
    released(tmp_path, "--engine", engine, "--k-map", 8, "--overwrite")


def test_whom_people_without_a_value_were_matched_to_is_said(tmp_path: Path) -> None:
    """`risk` and `check` say how many they are and whom they match; a single one in the singular."""
    released(tmp_path)
    (tmp_path / "out.csv.kohort.json").unlink()
    told = "8 people of the population have no value in age and were matched to"
    for command, more in {"risk": (), "check": ("--k-map", 2)}.items():
        written(tmp_path / "people.csv", [*PEOPLE, *NOBODY])
        asked = (command, tmp_path / "out.csv", "--quasi", "age,city", "--population", tmp_path / "people.csv", *more)
        assert f"{told} every class with a label such as *" in kohort(*asked).out
        assert f"{told} no class" in kohort(*asked, "--missing", "age=suppress").out
        written(tmp_path / "people.csv", [*PEOPLE, NOBODY[0]])
        assert "1 person of the population has no value in age and was matched to every" in kohort(*asked).out
        written(tmp_path / "people.csv", PEOPLE)
        assert "no value" not in kohort(*asked).out


def test_where_missing_values_are_refused_or_nothing_is_matched(tmp_path: Path) -> None:
    """A refused missing value of the population ends in 3; without people to match the flag is refused."""
    released(tmp_path)
    for command, more in {"risk": (), "check": ("--k-map", 2)}.items():
        asked = (command, tmp_path / "out.csv", "--quasi", "age,city", *more)
        refused = kohort(*asked, "--population", tmp_path / "people.csv", "--missing", "age=refuse")
        assert (refused.status, "8 people of the population have no value" in refused.err) == (3, True)
        assert kohort(*asked, "--population", tmp_path / "people.csv", "--missing", "age=never").status == 2
        assert kohort(*asked, "--population", tmp_path / "people.csv", "--missing", "ill=suppress").status == 2
    assert kohort("risk", tmp_path / "out.csv", "--quasi", "age", "--missing", "age=suppress").status == 2
    assert kohort("check", tmp_path / "out.csv", "--quasi", "age", "--missing", "age=suppress").status == 2


def test_attacks_link_nobody_whom_the_release_would_suppress(tmp_path: Path) -> None:
    """An attacker who knows the policy makes no claim about people of a register without a value."""
    released(tmp_path)
    (tmp_path / "out.csv.kohort.json").unlink()
    asked = ("risk", tmp_path / "out.csv", "--quasi", "age,city", "--attack", "linking", "--json", "--register")
    [every] = kohort(*asked, tmp_path / "people.csv").figures["attacks"]
    [known] = kohort(*asked, tmp_path / "people.csv", "--missing", "age=suppress").figures["attacks"]
    assert (every["targets"], known["targets"]) == (16, 16)
    assert (every["claims"], known["claims"]) == (16, 8)


def test_risk_in_python() -> None:
    """A schema tells `assess` what suppresses; beside it a hierarchy keeps the treatment of its column."""
    release = pl.DataFrame({"age": ["*"] * 4})
    people = pl.DataFrame({"age": ["1", "2", "3", "4", None, "NA", "", None]})
    schema = Schema((Attribute("age", Role.QUASI, missing=Missing.SUPPRESS),), frozenset({"NA"}))
    for hierarchies in ({}, {"age": "suppress"}):
        found = library.assess(release, ["age"], population=people, schema=schema, hierarchies=hierarchies)
        assert found.journalist is not None
        assert found.journalist.exposure.highest == 0.25
        assert (found.journalist.without_value, found.journalist.suppressed) == ({"age": 4}, ("age",))
    journalist = library.assess(release, ["age"], population=people).journalist
    assert journalist is not None
    assert journalist.exposure.highest == 0.125
    refusing = Schema((Attribute("age", Role.QUASI, missing=Missing.REFUSE),))
    with pytest.raises(InputError, match="3 people of the population have no value"):
        library.assess(release, ["age"], population=people, schema=refusing)
