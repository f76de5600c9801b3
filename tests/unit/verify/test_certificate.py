"""The certificate beside a release."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from kohort.certificate import NOT_PROMISED, Certificate, certificate, read_certificate
from kohort.errors import FileError, InputError
from tests.unit.verify.people import PEOPLE, draft

if TYPE_CHECKING:
    from pathlib import Path

VERDICT = draft().verdict()


def made(**changes: object) -> bytes:
    """The certificate of the hand-made release."""
    verdict = replace(VERDICT, **changes)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    return certificate(verdict, "safe.csv", job='{"k": 4}', metrics={"lm": 0.25, "c_dm": 64.0})


def test_it_says_what_was_found_and_what_is_not_promised() -> None:
    """The figures are the verdict's; the job is there whole."""
    told = json.loads(made())
    assert told["release"] == "safe.csv"
    assert (told["k"], told["records"], told["suppressed"], told["classes"]) == (4, 16, 0, 4)
    assert told["class_sizes"] == {"4..7": 4}
    assert (told["data_dependent_labels"], told["range_exposure"]) == (True, 5)
    assert told["models"] == ["4-anonymity"]
    assert told["metrics"] == {"lm": 0.25, "c_dm": 64.0}
    assert told["not_promised"] == list(NOT_PROMISED)
    assert set(told["libraries"]) == {"numba", "numpy", "polars"}
    assert len(told["job_sha256"]) == len(told["sha256"]) == 64


def test_it_says_on_which_levels_a_full_domain_release_is() -> None:
    """The level of each quasi-identifier is told; a release of another kind has none."""
    told = json.loads(certificate(VERDICT, "safe.csv", job="{}", metrics={}, levels={"city": 0, "age": 2}))
    assert told["levels"] == {"age": 2, "city": 0}
    assert json.loads(made())["levels"] == {}


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
    path.write_bytes(made())
    known = read_certificate(path)
    assert isinstance(known, Certificate)
    assert known.encode() == made()
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
        ('"form": 3', '"form": 2'),
        ('"levels": {}', '"levels": {"age": -1}'),
        ('"levels": {}', '"levels": {"age": "2"}'),
        ('"levels": {}', '"levels": [2]'),
        ('"lm": 0.25', '"lm": "x"'),
        ('"lm": 0.25', '"lm": true'),
        ('"lm": 0.25', '"lm": NaN'),
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
    with pytest.raises(InputError, match="no certificate"):
        read_certificate(path)


@pytest.mark.parametrize("text", [b"", b"[]", b"{}", b"\xff", b"[" * 100_000])
def test_what_is_no_json_object_is_refused(tmp_path: Path, text: bytes) -> None:
    """Other files are refused, however odd."""
    path = tmp_path / "safe.csv.kohort.json"
    path.write_bytes(text)
    with pytest.raises(InputError):
        read_certificate(path)


def test_no_such_file(tmp_path: Path) -> None:
    """A certificate that is not there cannot be read."""
    with pytest.raises(FileError):
        read_certificate(tmp_path / "none.kohort.json")
