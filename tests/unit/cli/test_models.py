"""Privacy models from the command line: each makes a verified release, and what cannot be is told at its flag."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.command import Ran, kohort

if TYPE_CHECKING:
    from pathlib import Path

LEAVE = ["--allow-singling", "annual_income"]
ROLES = ["--quasi", "age,gender,education", "--sensitive", "profession,annual_income", "--rest", "drop", *LEAVE]

#: What each model is asked for by, and its name.
MODELS = {
    "--l profession=3": "distinct 3-diversity of profession",
    "--entropy-l profession=2.5": "entropy 2.5-diversity of profession",
    "--recursive profession=2,3": "recursive (2, 3)-diversity of profession",
    "--t profession=0.4": "0.4-closeness of profession",
    "--t annual_income=0.3 --distance annual_income=ordered": "0.3-closeness of annual_income, ordered distance",
    "--t profession=0.3 --hierarchy profession={}/profession.json": "0.3-closeness of profession",
    "--alpha profession=0.5": "(0.5, 4)-anonymity of profession",
    "--delta-disclosure profession=3": "3-disclosure privacy of profession",
    "--beta profession=4": "basic 4-likeness of profession",
    "--enhanced-beta profession=4": "enhanced 4-likeness of profession",
    "--k-map 8 --population {}/people.csv": "8-map",
    "--presence 0..0.7 --population {}/register.csv": "(0, 0.7)-presence",
    "--max-risk 0.1": "maximum risk 0.1",
    "--average-risk 1/20": "average risk 0.05",
    "--person person_id --l profession=2": "distinct 2-diversity of profession",
}

METHODS = {
    "mondrian": "",
    "optimal": "--method optimal --max-suppression 20% --hierarchy age=intervals:18..90:5,10,20,40"
    " --hierarchy gender=suppress --hierarchy education={}/education.json",
}


@pytest.fixture(scope="module")
def register(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a register of 300 people, its hierarchies, and a register of twice as many."""
    folder = tmp_path_factory.mktemp("italy")
    assert kohort("generate", "italy", "--out", folder, "--records", 300, "--seed", 3).status == 0
    header, *people = (folder / "people.csv").read_text("utf-8").splitlines()
    (folder / "register.csv").write_text("\n".join([header, *people, *people, ""]), encoding="utf-8")
    return folder


def anonymize(folder: Path, out: Path, flags: str) -> Ran:
    """`kohort anonymize` on the register, with k = 4."""
    flags = flags.replace("{}", str(folder))
    free = [name for name in ("profession", "annual_income") if f" {name}=" not in f" {flags}"]
    return kohort(
        *("anonymize", folder / "people.csv", "--out", out, *ROLES, "--k", 4, *flags.split()),
        *(["--no-model", ",".join(free)] if free else []),
    )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("flags", MODELS)
def test_every_model_makes_a_verified_release(register: Path, tmp_path: Path, method: str, flags: str) -> None:
    """With cuts and on levels; figures and certificate name it beside k."""
    ran = anonymize(register, tmp_path / "r.csv", f"{flags} {METHODS[method]} --json")
    assert (ran.status, ran.err) == (0, "")
    assert ran.figures["verified"] is True
    assert ran.figures["models"] == ["4-anonymity", MODELS[flags]]
    assert (ran.figures["people"] is not None) == ("--person" in flags)
    certificate = json.loads((tmp_path / "r.csv.kohort.json").read_text("utf-8"))
    assert MODELS[flags] in json.dumps(certificate)


def test_a_job_file_says_the_same_as_flags(register: Path, tmp_path: Path) -> None:
    """The same models by keys give the same bytes, and what was asked for and found is told."""
    flags = "--l profession=3 --t annual_income=0.3 --max-risk 0.2 --k-map 8 --population {}/people.csv"
    assert anonymize(register, tmp_path / "flags.csv", flags).status == 0
    (tmp_path / "job.toml").write_text(
        f"""rest = "drop"
input.path = "{register}/people.csv"
output.path = "release.csv"
population.path = "{register}/people.csv"
privacy = {{ k = 4, k-map = 8, max-risk = 0.2 }}
[columns]
age.role = "quasi"
gender.role = "quasi"
education.role = "quasi"
profession = {{ role = "sensitive", l = 3 }}
annual_income = {{ role = "sensitive", t = 0.3, allow-singling = true }}
""",
        encoding="utf-8",
    )
    ran = kohort("run", tmp_path / "job.toml")
    assert ran.status == 0
    assert (tmp_path / "release.csv").read_bytes() == (tmp_path / "flags.csv").read_bytes()
    assert "distinct 3-diversity of profession, 0.3-closeness of annual_income, 8-map, maximum risk 0.2" in ran.out
    assert "profession: no class with a single value; at most " in ran.out


@pytest.mark.parametrize(
    ("flags", "where", "what"),
    [
        ("--l profession=0", "--l profession=…", "l must be an integer of at least 2"),
        ("--l profession=five", "--l profession=…", "l must be an integer of at least 2"),
        ("--l profession=1.5", "--l profession=…", "l must be an integer of at least 2"),
        ("--l profession", "--l", "--l profession has no value"),
        ("--l profession=2 --l profession=3", "--l", "column profession is given twice"),
        ("--l profesion=2", "--l profesion=…", "column profesion has no role"),
        ("--l city=2", "--l city=…", "column city has no role"),
        ("--l age=2", "--l age=…", "the column is quasi, but distinct 2-diversity of age"),
        ("--l profession=5", "--l profession=…", "distinct 5-diversity of profession needs classes of 5"),
        ("--entropy-l profession=1", "--entropy-l profession=…", "l must be a number above 1"),
        ("--recursive profession=2", "--recursive profession=…", "l must be an integer of at least 2"),
        ("--recursive profession=0,2", "--recursive profession=…", "c must be a number above 0"),
        ("--t profession=1.5", "--t profession=…", "t must be a number"),
        ("--t profession=nan", "--t profession=…", "t must be a number"),
        ("--t profession=0.2 --distance profession=ordred", "--distance profession=…", "distance must be one of equal"),
        ("--distance profession=equal", "--distance profession=…", "distance is given without t"),
        ("--t profession=0.2 --distance profession=hierarchical", "--t profession=…", "a hierarchical distance needs"),
        ("--alpha profession=2", "--alpha profession=…", "alpha must be"),
        ("--delta-disclosure profession=-1", "--delta-disclosure profession=…", "delta must be"),
        ("--beta profession=x", "--beta profession=…", "beta must be"),
        ("--enhanced-beta profession=0", "--enhanced-beta profession=…", "beta must be"),
        ("--k-map 5", "--k-map", "k-map needs a population table"),
        ("--k-map 1 --population {}/people.csv", "--k-map", "k must be"),
        ("--presence 0.1..0.9", "--presence", "presence needs a population table"),
        ("--presence 0.9..0.1 --population {}/people.csv", "--presence", "presence must be two shares"),
        ("--presence 0.9 --population {}/people.csv", "--presence", "presence is two shares"),
        ("--population {}/people.csv", "--population", "no privacy model needs a population table"),
        ("--max-risk 0", "--max-risk", "a maximum risk must be"),
        ("--average-risk 5", "--average-risk", "an average risk must be"),
        ("--person age", "--person", "the person key is not an identifying column"),
        ("--person persn_id", "--person", "no column is called persn_id"),
    ],
)
def test_what_cannot_be_is_refused_at_its_flag(
    register: Path, tmp_path: Path, flags: str, where: str, what: str
) -> None:
    """Status 2, before any work, and nothing is written."""
    ran = anonymize(register, tmp_path / "r.csv", flags)
    assert ran.status == 2
    assert f"- {what}" in ran.err or f"kohort: {what}" in ran.err
    assert f"where: {where}" in ran.err
    assert "hint: " in ran.err
    assert list(tmp_path.iterdir()) == []


def test_no_sensitive_column_is_no_ground_for_diversity(register: Path, tmp_path: Path) -> None:
    """Where every column is quasi-identifying, nothing is left to be diverse."""
    ran = kohort(
        *("anonymize", register / "people.csv", "--out", tmp_path / "r.csv", "--rest", "drop"),
        *("--quasi", "age,profession", "--l", "profession=2", "--t", "annual_income=0.2"),
    )
    assert ran.status == 2
    assert "the column is quasi, but distinct 2-diversity of profession is about a sensitive one" in ran.err
    assert "name the column first: --sensitive annual_income" in ran.err


def test_a_population_without_the_columns_is_told_at_its_flag(register: Path, tmp_path: Path) -> None:
    """It is known only once the file is read."""
    (tmp_path / "p.csv").write_text("age,gender\n30,male\n", encoding="utf-8")
    ran = anonymize(register, tmp_path / "r.csv", f"--k-map 5 --population {tmp_path}/p.csv")
    assert ran.status == 2
    assert "the population table has no column education" in ran.err
    assert "where: --population" in ran.err


@pytest.mark.parametrize("model", ["--l profession=101", "--entropy-l profession=100.5"])
def test_more_values_than_there_are_end_with_status_4(register: Path, tmp_path: Path, model: str) -> None:
    """No release has them; the number of values is told, and no value."""
    ran = anonymize(register, tmp_path / "r.csv", f"{model} --k 101")
    assert ran.status == 4
    assert re.search("diversity of profession needs 101 different values, but there are only [0-9]+\n", ran.err)
    assert "where: column profession" in ran.err
    assert list(tmp_path.iterdir()) == []
