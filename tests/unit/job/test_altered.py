"""Perturbations and pseudonyms in job files: what they ask for, and every fault at its line."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from kohort.errors import InputError, JobError
from kohort.perturbation.microaggregation import Microaggregation
from kohort.perturbation.noise import Noise
from kohort.perturbation.pseudonyms import read_key, write_key
from tests.job_sides import table_request as parse

if TYPE_CHECKING:
    from pathlib import Path

HEAD = """\
input.path = "people.csv"
output.path = "release.csv"
privacy.k = 5
rest = "drop"
columns.age.role = "quasi"
columns.income.role = "sensitive"
columns.rent.role = "insensitive"
"""

#: A job that uses every key of perturbations and pseudonyms.
#: A key file must be there when a job is read: `tests/unit/test_signing.py` signs by one.
SIGNED = 'output.sign-key = "office.key"\n'

ALTERED = (
    HEAD
    + """\
input.key-file = "key"
run.engine = "local"
columns.id = { role = "identifying", pseudonym = true }
columns.fee.role = "insensitive"
columns.tax.role = "insensitive"
columns.size.role = "insensitive"
columns.town.role = "insensitive"
columns.job.role = "insensitive"

[perturb]
seed = 7
insecure-reproducible = true

[perturb.columns]
income = { method = "noise", scale = 0.1, decimals = 0, lower = 0, upper = "1000000" }
rent = { method = "microaggregation", k = 3, together = ["fee"] }
tax = { method = "rounding", step = 10 }
size = { method = "coding", bottom = 10, top = 90, by = "mean" }
town = { method = "post-randomization", keep = 0.8 }
job = { method = "rank-swapping", share = 0.05 }
"""
)


def faults(text: str) -> list[tuple[str, str]]:
    """What is wrong in a job of these lines, and where."""
    with pytest.raises(JobError) as told:
        parse(HEAD + text)
    return [(one.what, one.where.partition(", ")[2]) for one in told.value.faults]


def test_a_job_asks_for_perturbations() -> None:
    """Each table below `perturb.columns` is a perturbation with its parameters, exact as they are written."""
    made = parse(
        HEAD
        + "perturb.columns.income = { method = 'noise', scale = 0.1, decimals = 0, lower = '0' }\n"
        + "perturb.seed = 7\nperturb.insecure-reproducible = true\n"
    ).job
    assert made.perturbations == (Noise("income", Fraction(1, 10), 0, Fraction(0)),)
    assert (made.seed, made.insecure_reproducible) == (7, True)


def test_columns_are_perturbed_together() -> None:
    """Microaggregation takes several columns at once: the table's own, and those that it names."""
    made = parse(HEAD + "perturb.columns.income = { method = 'microaggregation', k = 4, together = ['rent'] }").job
    assert made.perturbations == (Microaggregation(("income", "rent"), 4),)


def test_every_method_can_be_asked_for(tmp_path: Path) -> None:
    """A job can use every method, each with all of its parameters."""
    write_key(tmp_path / "key")
    made = parse(ALTERED, folder=tmp_path).job
    assert [one.columns for one in made.perturbations] == [
        ("income",),
        ("rent", "fee"),
        ("tax",),
        ("size",),
        ("town",),
        ("job",),
    ]


def test_no_perturbation_is_the_rule() -> None:
    """A job that says nothing of it perturbs nothing and has no key."""
    made = parse(HEAD).job
    assert (made.perturbations, made.key, made.seed, made.insecure_reproducible) == ((), None, None, False)


def test_a_key_is_read_beside_the_job(tmp_path: Path) -> None:
    """The key file is relative to the job's folder, and no output may replace it."""
    write_key(tmp_path / "key")
    made = parse(
        HEAD + "input.key-file = 'key'\ncolumns.id = { role = 'identifying', pseudonym = true }", folder=tmp_path
    )
    assert made.job.key == read_key(tmp_path / "key")
    assert tmp_path / "key" in made.inputs


def test_a_key_that_is_not_there(tmp_path: Path) -> None:
    """A key file that is missing is an error of the input."""
    with pytest.raises(InputError, match="no such key file"):
        parse(HEAD + "input.key-file = 'key'\ncolumns.id = { role = 'identifying', pseudonym = true }", folder=tmp_path)


@pytest.mark.parametrize(
    ("text", "what", "where"),
    [
        ("perturb.columns.income = { method = 'nosie' }", "unknown method 'nosie'", "perturb.columns.income"),
        (
            "perturb.columns.income = { method = 'noise', scael = 1 }",
            "unknown key scael",
            "perturb.columns.income.scael",
        ),
        (
            "perturb.columns.income = { method = 'noise', step = 1 }",
            "noise has no parameter 'step'",
            "perturb.columns.income",
        ),
        (
            "perturb.columns.income = { method = 'noise', scale = 'much' }",
            "the value is not a number",
            "perturb.columns.income.scale",
        ),
        ("perturb.columns.income = {}", "method is missing", "perturb.columns.income"),
        ("perturb.columns.age = { method = 'noise' }", "the column is quasi", "perturb.columns.age"),
        (
            "perturb.columns.income = { method = 'noise' }\ncolumns.income.l = 2",
            "distinct 2-diversity of income limits the column's values, but these are changed",
            "perturb.columns.income",
        ),
        ("perturb.columns.income = { method = 'noise' }\nperturb.seed = 7", "reproducible", "perturb.seed"),
        ("perturb.seed = 7\nperturb.insecure-reproducible = true", "seed has no effect", "perturb.seed"),
        (
            "perturb.columns.income = { method = 'noise' }\nperturb.insecure-reproducible = true",
            "no seed is given",
            "perturb.insecure-reproducible",
        ),
        (
            "columns.id = { role = 'identifying', pseudonym = true }",
            "pseudonyms need a key, or anyone can try all identifiers",
            "input",
        ),
        ("columns.id = { role = 'insensitive', pseudonym = true }", "only identifying columns get", "columns.id"),
    ],
)
def test_faults_have_their_lines(text: str, what: str, where: str) -> None:
    """What is wrong is told once, at the line of the key that says it."""
    (found,) = faults(text)
    assert what in found[0]
    assert f"({where}" in found[1]


def test_a_wrong_table_hides_no_other_fault() -> None:
    """Of a job with several faults all are told; a perturbation that is wrong is not missed by the seed."""
    found = faults(
        "perturb.columns.income = 5\nperturb.columns.rent = { method = 'noise', scale = -1 }\nperturb.seed = 7\n"
        "perturb.insecure-reproducible = true\ncolumns.id = { role = 'identifying', pseudonym = true }"
    )
    assert len(found) == 3
