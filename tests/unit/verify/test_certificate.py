"""The certificate beside a release."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from fractions import Fraction
from threading import Timer
from typing import TYPE_CHECKING

import pytest

from kohort.certificate.again import read_certificate
from kohort.certificate.table import ATTRIBUTES, NOT_PROMISED, Certificate, certificate
from kohort.errors import FileError, InputError
from kohort.models.average_risk import AverageRisk
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.k_anonymity import KAnonymity
from kohort.models.k_map import KMap
from kohort.models.t_closeness import TCloseness
from kohort.release import Job
from kohort.schema import Attribute, Role, Schema
from kohort.verify.verdict import UNENCRYPTED
from tests.unit.verify.people import PEOPLE, SCHEMA, draft

if TYPE_CHECKING:
    from pathlib import Path

    from kohort.models.base import PrivacyModel

VERDICT = draft().verdict()
JOB = Job.of(SCHEMA, KAnonymity(4))


def made(**changes: object) -> bytes:
    """The certificate of the hand-made release."""
    verdict = replace(VERDICT, **changes)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    return certificate(verdict, "safe.csv", job=JOB, metrics={"lm": 0.25, "c_avg": 1.25, "c_dm": 64.0})


def test_it_says_what_was_found_and_what_is_not_promised() -> None:
    """The figures are the verdict's; the job is there whole."""
    told = json.loads(made())
    assert told["release"] == "safe.csv"
    assert (told["k"], told["records"], told["suppressed"], told["classes"]) == (4, 16, 0, 4)
    assert told["class_sizes"] == {"4..7": 4}
    assert told["data_dependent_labels"]
    assert told["released_unchanged"] == [
        {"columns": ["illness"], "unique": 0, "people": 16},
        {"columns": ["visits"], "unique": 5, "people": 16},
        {"columns": ["illness", "visits"], "unique": 6, "people": 16},
    ]
    assert told["models"] == ["4-anonymity"]
    assert told["metrics"] == {"c_avg": 1.25, "c_dm": 64.0}  # a loss is a share of the input's domain
    assert {ATTRIBUTES, *NOT_PROMISED} < {*told["not_promised"]}
    assert told["people"] is None
    assert set(told["libraries"]) == {"numpy", "polars"}
    assert len(told["job_sha256"]) == len(told["sha256"]) == 64


def test_it_says_on_which_levels_a_full_domain_release_is() -> None:
    """The level of each quasi-identifier is told; a release of another kind has none."""
    told = json.loads(certificate(VERDICT, "safe.csv", job=JOB, metrics={}, levels={"city": 0, "age": 2}))
    assert told["levels"] == {"age": 2, "city": 0}
    assert json.loads(made())["levels"] == {}


def test_what_an_engine_put_on_disks_is_not_promised() -> None:
    """Where it was not encrypted."""
    disks = [line for line in json.loads(made(engine=f"Spark 4{UNENCRYPTED}"))["not_promised"] if "Disks" in line]
    assert len(disks) == 1
    assert not [line for line in json.loads(made())["not_promised"] if "Disks" in line]


def promised(*models: PrivacyModel, schema: Schema = SCHEMA) -> str:
    """What a certificate of these models does not promise."""
    told = json.loads(certificate(VERDICT, "a.csv", job=Job.of(schema, *models), metrics={}))
    return "\n".join(told["not_promised"])


def test_what_is_not_promised_depends_on_the_models() -> None:
    """Nothing is disclaimed that a model does promise, and each model's own limits are told, once."""
    assert ATTRIBUTES in promised(KAnonymity(2))
    diverse = promised(KAnonymity(4), DistinctLDiversity("illness", 2), DistinctLDiversity("illness", 3))
    assert ATTRIBUTES not in diverse
    assert "Attribute disclosure" not in diverse  # there is no other sensitive column
    assert diverse.count("Likely guesses") == diverse.count("Similar values") == 1
    two = replace(SCHEMA, attributes=(*SCHEMA.attributes, Attribute("salary", Role.SENSITIVE)))
    assert "models are about illness" in promised(DistinctLDiversity("illness", 2), schema=two)
    close = promised(KAnonymity(2), TCloseness("illness", Fraction(1, 5)))
    assert ("Rare values" in close, "Similar values" in close) == (True, False)


def test_a_least_number_of_people_is_promised_where_one_was_asked_for() -> None:
    """Without a model of size somebody may be alone in a class; population and average have limits of their own."""
    assert "no smallest class size" not in promised(KAnonymity(2), KMap(3))
    among = promised(KMap(3))
    assert "no smallest class size" in among
    assert "Other populations" in among
    assert "Known members" in among
    assert "does not limit anybody's own risk" in promised(AverageRisk(Fraction(1, 20)))


def test_people_are_told_where_they_are_counted() -> None:
    """With a person key several records of a person are no limit; the people are counted in the certificate."""
    keyed = replace(SCHEMA, person="name")
    assert "Several records of a person" in promised(KAnonymity(4))
    assert "Several records of a person" not in promised(KAnonymity(4), schema=keyed)
    assert json.loads(made(people=16))["people"] == 16


def test_it_tells_no_value() -> None:
    """No cell of the data is in it."""
    text = made().decode()
    assert not any(cell in text for row in PEOPLE for cell in (row[0], row[2], row[3]))


def test_equal_verdicts_give_equal_bytes() -> None:
    """Neither the time nor the order of a mapping is in it."""
    assert made() == made(checks=dict(sorted(VERDICT.checks.items(), reverse=True)))


def test_it_is_read_back(tmp_path: Path) -> None:
    """What was written is read, to the same bytes."""
    path = tmp_path / "safe.csv.kohort.json"
    for people in (None, 16):
        path.write_bytes(made(people=people))
        assert read_certificate(path).encode() == made(people=people)
    known = read_certificate(path)
    assert isinstance(known, Certificate)
    assert known.models == ("4-anonymity",)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"k": 4', '"k": 5.0'),
        ('"k": 4', '"k": true'),
        ('"k": 4', '"k": -4'),
        ('"k": 4,', ""),
        ('"k": 4', '"k": 4, "k": 4'),
        ('"k": 4', '"k":  4'),
        ('"form": 10', '"form": 7'),
        ('"released_unchanged": [', '"released_unchanged": [4,'),
        ('"people": null', '"people": -1'),
        ('"people": null', '"people": "4"'),
        ('"levels": {}', '"levels": {"age": -1}'),
        ('"levels": {}', '"levels": {"age": "2"}'),
        ('"levels": {}', '"levels": [2]'),
        ('"c_avg": 1.25', '"c_avg": "x"'),
        ('"c_avg": 1.25', '"c_avg": true'),
        ('"c_avg": 1.25', '"c_avg": NaN'),
        ('"c_avg": 1.25', '"c_avg": 1e999'),
        ('"form": 10', '"form": 8'),
        ('"form": 10', '"form": [10]'),
        ('"release": "safe.csv"', '"release": "\\ud800"'),
        ('"job": {', f'"job": {{"a": {"[" * 400}{"]" * 400}, '),
        ('"4-anonymity"', "4"),
        ('"release": "safe.csv"', '"release": 7'),
        ('"data_dependent_labels": true', '"data_dependent_labels": 1'),
        ('"class_sizes": {', '"class_sizes": 4, "more": {'),
        ("{", "["),
    ],
)
def test_anything_else_is_refused(tmp_path: Path, old: str, new: str) -> None:
    """A part that is missing, unknown, twice there or of another kind, or one blank more: not a certificate."""
    changed = made().decode().replace(old, new, 1)
    assert changed != made().decode()
    path = tmp_path / "safe.csv.kohort.json"
    path.write_text(changed)
    with pytest.raises(InputError, match="not a certificate"):
        read_certificate(path)


@pytest.mark.parametrize("text", [b"", b"[]", b"{}", b"\xff", b"[" * 100_000])
def test_what_is_no_json_object_is_refused(tmp_path: Path, text: bytes) -> None:
    """Other files are refused, however odd."""
    path = tmp_path / "safe.csv.kohort.json"
    path.write_bytes(text)
    with pytest.raises(InputError):
        read_certificate(path)


def test_no_more_is_read_than_a_certificate_can_have(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of any size takes no more memory than the largest certificate."""
    path = tmp_path / "safe.csv.kohort.json"
    path.write_bytes(made())
    assert read_certificate(path).release == "safe.csv"
    monkeypatch.setattr("kohort.certificate.again._LONGEST", len(made()) - 1)
    with pytest.raises(InputError, match="not a certificate"):
        read_certificate(path)


def test_no_such_file(tmp_path: Path) -> None:
    """A certificate that is not there cannot be read; a run that was stopped may be why."""
    with pytest.raises(FileError, match="no such certificate") as missing:
        read_certificate(tmp_path / "none.kohort.json")
    assert "without a certificate" in missing.value.hint
    with pytest.raises(FileError, match="reading the certificate failed"):
        read_certificate(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_pipes(tmp_path: Path) -> None:
    """What another process writes is read to its end, as with `<(…)`; one that nobody writes to is empty."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="not a certificate"):
        read_certificate(tmp_path / "pipe")
    end, start = os.pipe()

    def write() -> None:
        with os.fdopen(start, "wb") as pipe:
            pipe.write(made())

    later = Timer(0.2, write)
    later.start()
    assert read_certificate(f"/dev/fd/{end}").release == "safe.csv"
    later.join()
    os.close(end)
