"""Perturbations, pseudonyms and keys from the command line."""

from __future__ import annotations

import json
import stat
from typing import TYPE_CHECKING

import polars as pl
import pytest

from kohort.perturbation.pseudonyms import read_key
from kohort.samples.italy import italy
from tests.command import kohort

if TYPE_CHECKING:
    from pathlib import Path

INCOME = ("--no-model", "annual_income,profession", "--allow-singling", "annual_income")
FLAGS = ("--quasi", "gender,age", *INCOME, "--rest", "drop", "--k", "5")
PEOPLE = italy(300, seed=3)


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """A register, and a key beside it."""
    PEOPLE.write_csv(tmp_path / "people.csv")
    assert kohort("key", tmp_path / "key").status == 0
    return tmp_path / "people.csv"


def test_a_key_is_written_once(tmp_path: Path) -> None:
    """`kohort key` writes a key that only its owner may read, says what it is for, and replaces nothing."""
    first = kohort("key", tmp_path / "key")
    assert first.status == 0
    assert "not anonymity" in first.out
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600
    known = read_key(tmp_path / "key")
    assert known.secret.hex() not in first.out
    again = kohort("key", tmp_path / "key")
    assert (again.status, again.out) == (7, "")
    assert read_key(tmp_path / "key") == known
    assert kohort("key", tmp_path / "other", "--quiet").out == ""


def test_a_release_with_noise_and_pseudonyms(people: Path) -> None:
    """Flags ask for noise and pseudonyms; what came of them is told in text and figures."""
    out = people.with_name("safe.csv")
    altering = ("--perturb", "annual_income=noise:scale=0.1,decimals=0", "--pseudonym", "person_id")
    files = ("--key-file", people.with_name("key"), "--out", out)
    ran = kohort("anonymize", people, *FLAGS, *altering, *files)
    assert (ran.status, ran.err) == (0, "")
    assert "annual_income: noise of 0.1 variances" in ran.out
    assert "pseudonyms, which are not anonymity" in ran.out
    key = read_key(people.with_name("key"))
    every = {key.pseudonym("person_id", one) for one in PEOPLE["person_id"]}
    assert {*pl.read_csv(out)["person_id"]} == every
    figures = kohort("anonymize", people, *FLAGS, *altering, *files, "--overwrite", "--json").figures
    (effect,) = figures["perturbed"]
    assert effect["column"] == "annual_income"
    assert effect["mean"]["drift"] < 1e-3
    assert figures["pseudonyms"] == [{"column": "person_id", "records": 300, "linked": 0}]
    certificate = json.loads(out.with_name("safe.csv.kohort.json").read_text())
    assert key.secret.hex() not in json.dumps(certificate)


@pytest.mark.parametrize(
    ("flags", "where"),
    [
        (("--perturb", "annual_income=noise", "--seed", "7"), "--seed"),
        (("--perturb", "annual_income=nosie"), "--perturb annual_income=…"),
        (("--perturb", "annual_income=noise:scael=1"), "--perturb annual_income=…"),
        (("--perturb", "annual_income"), "--perturb annual_income"),
        (("--perturb", "age=noise"), "--perturb age=…"),
        (("--perturb", "annual_income=noise", "--perturb", "annual_income=noise"), "--perturb annual_income=noise"),
        (("--pseudonym", "person_id"), "--key-file"),
        (("--pseudonym", "age"), "column age"),
        (("--insecure-reproducible",), "--insecure-reproducible"),
    ],
)
def test_what_does_not_go_together(people: Path, flags: tuple[str, ...], where: str) -> None:
    """A seed without its warning, a pseudonym without a key and the like end with status 2, and name the flag."""
    ran = kohort("anonymize", people, *FLAGS, *flags, "--out", people.with_name("safe.csv"))
    assert ran.status == 2
    assert where in ran.err
    assert not people.with_name("safe.csv").exists()


def test_a_key_is_no_output(people: Path) -> None:
    """The key is an input: no release takes its place."""
    key = people.with_name("key")
    ran = kohort(
        "anonymize",
        people,
        *FLAGS,
        "--pseudonym",
        "person_id",
        "--key-file",
        key,
        "--out",
        key,
        "--format",
        "csv",
        "--overwrite",
    )
    assert ran.status == 7
    assert len(read_key(key).secret) == 32


def test_a_key_that_others_may_read(people: Path) -> None:
    """A key that was open to others is refused."""
    key = people.with_name("key")
    key.chmod(0o644)
    ran = kohort(
        "anonymize",
        people,
        *FLAGS,
        "--pseudonym",
        "person_id",
        "--key-file",
        key,
        "--out",
        people.with_name("safe.csv"),
    )
    assert ran.status == 3
    assert "0644" in ran.err


def test_reproducible_noise_is_said_to_be(people: Path) -> None:
    """With a seed the same noise comes again, and everybody is told so."""
    out = people.with_name("safe.csv")
    flags = ("--perturb", "annual_income=noise", "--seed", "7", "--insecure-reproducible", "--out", out, "--overwrite")
    first = kohort("anonymize", people, *FLAGS, *flags)
    assert "reproducible noise: not private" in first.out
    bytes_ = out.read_bytes()
    assert kohort("anonymize", people, *FLAGS, *flags).status == 0
    assert out.read_bytes() == bytes_
