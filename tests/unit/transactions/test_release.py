"""A job on transactions refuses what cannot be meant, and is described without naming anybody's item."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from kohort.errors import UsageError
from kohort.transactions.coherence import Coherence
from kohort.transactions.io.options import BasketOptions, Form
from kohort.transactions.release import BasketWriting, TransactionJob
from kohort.transactions.roles import Draw, Drawn, Listed
from kohort.transactions.suppression import Greedy, Score

MODEL = Coherence.of(h="0.4", k=5, p=2)
JOB = TransactionJob(coherence=MODEL, roles=Listed(private=("pill", "test")))


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"min_support": Fraction(-1, 2)}, "share"),
        ({"min_support": Fraction(1)}, "share"),
        ({"weights": (("tea", Fraction(0)),)}, "weight"),
        ({"most": 0}, "at least 1"),
        ({"min_support": 0.1}, "min-support must be exact"),
        ({"weights": (("tea", 0.5),)}, "weight must be exact"),
    ],
)
def test_a_number_out_of_its_range_is_refused(parts: dict[str, Any], said: str) -> None:
    """A share is below 1, a weight is above 0, both are exact, and one set at least must be held."""
    with pytest.raises(UsageError, match=said):
        replace(JOB, **parts)


@pytest.mark.parametrize(
    ("form", "target", "written"),
    [
        (None, "safe.dat", Form.BASKET),
        (None, "safe", Form.BASKET),
        (None, "safe.PARQUET", Form.LISTS),
        (Form.LISTS, "safe.pq", Form.LISTS),
        (Form.LONG, "safe.csv", Form.LONG),
    ],
)
def test_the_form_is_as_said_then_as_named_then_as_read(form: Form | None, target: str, written: Form) -> None:
    """The writing form wins, then the ending that means lists, then the form of the input."""
    job = replace(JOB, writing=BasketWriting(form=form))
    assert job.written_to(Path(target)) == BasketOptions(form=written)


@pytest.mark.parametrize(
    ("form", "target"),
    [(Form.BASKET, "safe.parquet"), (Form.LISTS, "safe.csv"), (None, "safe.dat.gz"), (Form.LONG, "safe.arrow")],
)
def test_a_form_that_contradicts_the_name_is_refused(form: Form | None, target: str) -> None:
    """A name that promises another kind of file is an error, not a surprise to whoever opens it."""
    with pytest.raises(UsageError, match="not written to a file whose name ends in"):
        replace(JOB, writing=BasketWriting(form=form)).written_to(Path(target))


def test_lists_as_read_need_a_name_of_lists() -> None:
    """What was read as lists is not written as lists to a text file."""
    with pytest.raises(UsageError, match="lists"):
        replace(JOB, reading=BasketOptions(form=Form.LISTS)).written_to(Path("safe"))


def test_the_separator_is_the_input_s_in_the_same_form_only() -> None:
    """A separator of basket lines says nothing of the cells of another form; one said for the output wins."""
    read = replace(JOB, reading=BasketOptions(separator=";"))
    assert read.written_to(Path("safe.txt")).separator == ";"
    other = replace(read, writing=BasketWriting(form=Form.LONG))
    assert other.written_to(Path("safe.txt")).separator is None
    assert other.written_to(Path("safe.tsv")).separator == "\t"
    assert replace(read, writing=BasketWriting(separator="|")).written_to(Path("safe.tsv")).separator == "|"


def test_a_job_is_read_from_its_file_or_text(tmp_path: Path) -> None:
    """The same either way; lists of items are beside the file."""
    (tmp_path / "private.txt").write_text("pill\n", encoding="utf-8")
    text = (
        'transactions.format = "long"\ninput.path = "a.csv"\noutput.path = "b.csv"\nprivacy = {h = 0.5, k = 3, p = 2}\n'
    )
    (tmp_path / "job.toml").write_text(f'{text}items.private-file = "private.txt"\n', encoding="utf-8")
    read = TransactionJob.from_toml(tmp_path / "job.toml")
    assert read == TransactionJob.from_toml(f'{text}items.private = ["pill"]\n')
    assert read == TransactionJob.from_toml(str(tmp_path / "job.toml"))
    assert read.coherence == Coherence.of(h="0.5", k=3, p=2)


def test_a_described_job_names_no_item() -> None:
    """Lists of names are told by their number alone, the same for any order and repetition."""
    job = replace(JOB, weights=(("tea", Fraction(3)),), roles=Listed(private=("pill", "test"), public=("tea",)))
    text = job.described()
    assert not [name for name in ("pill", "test", "tea") if f'"{name}' in text]
    told = json.loads(text)["items"]
    assert (told["private"], told["public"]) == (2, 1)
    again = replace(job, roles=Listed(private=("test", "pill", "test"), public=("tea",)))
    assert again.described() == text


def test_a_described_job_tells_everything_else() -> None:
    """The promise, the seed, the method and the limits are told; h and shares exactly."""
    job = TransactionJob(
        coherence=MODEL,
        roles=Drawn(delta=Fraction(1, 3), seed=7, draw=Draw.PAPER),
        algorithm=Greedy(score=Score.ONE_IL, give_back=True),
        min_support=Fraction(1, 1000),
    )
    told = json.loads(job.described())
    assert told["privacy"] == {"h": "0.4", "k": 5, "p": 2}
    assert told["items"] == {"delta": "1/3", "seed": 7, "draw": "paper", "min-support": "0.001"}
    assert told["method"] == {"score": "1il", "give-back": True}
    assert "public" not in json.loads(JOB.described())["items"]


def test_how_the_input_was_read_does_not_show() -> None:
    """The same transactions from another form come of the same job."""
    assert replace(JOB, reading=BasketOptions(form=Form.LONG, key="id")).described() == JOB.described()
