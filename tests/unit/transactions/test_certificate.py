"""The certificate beside a release of transactions."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kohort.certificate.again import read_certificate
from kohort.errors import InputError
from kohort.transactions.certificate import NOT_PROMISED, NOT_PROMISED_OF_CELLS, CoherenceCertificate, certificate
from kohort.transactions.database import Transactions
from kohort.transactions.moles import mine
from kohort.transactions.problem import CellSuppression, SuppressionSolution
from kohort.transactions.verify import CoherenceClaim, verify_transactions
from kohort.verify.verdict import BY_AGGREGATION, UNENCRYPTED
from tests.unit.transactions.coherent_release import DROPPED, JOB, LINEAGE, PROBLEM, RELEASED, ROLES, SOURCE, release

if TYPE_CHECKING:
    from pathlib import Path

CLAIM = CoherenceClaim(
    SOURCE,
    JOB.coherence,
    public=frozenset("01256"),
    private=frozenset("34"),
    dropped=frozenset("156"),
    lineage=LINEAGE,
)
BYTES = "".join(" ".join(row) + "\n" for row in RELEASED.sets()).encode()
VERDICT = verify_transactions(io.BytesIO(BYTES), CLAIM)


def made(**others: object) -> bytes:
    """The certificate of Example 1's release."""
    return certificate(release(**others), VERDICT, "safe.dat")


def test_what_an_engine_put_on_disks_is_not_promised() -> None:
    """Where it was not encrypted."""
    elsewhere = replace(VERDICT, way=BY_AGGREGATION, engine=f"Spark 4{UNENCRYPTED}")
    told = json.loads(certificate(release(), elsewhere, "safe.dat"))
    assert (told["verified"], told["engine"]) == ("by aggregation", "Spark 4, disks not encrypted")
    assert [line for line in told["not_promised"] if line.startswith("Disks of the cluster")]
    assert not [line for line in json.loads(made())["not_promised"] if line.startswith("Disks of the cluster")]


def test_it_says_what_was_found_and_what_is_not_promised() -> None:
    """Example 1: four sets are left, each with four transactions; of moles, dropped items and lost cells nothing."""
    told = json.loads(made())
    assert (told["kind"], told["form"], told["release"], told["size"]) == ("transactions", 10, "safe.dat", len(BYTES))
    assert (told["verified"], told["engine"]) == ("record by record", "local")
    assert (told["model"], told["h"], told["k"], told["p"]) == ("(0.5, 3, 3)-coherence", "1/2", 3, 3)
    assert (told["transactions"], told["items"], told["cells"]) == (6, 4, 12)
    assert told["suppressed"] == "items"
    assert (told["cohorts"], told["smallest"]) == (4, 4)
    assert (told["confidence"], told["confidence_exact"]) == (0.25, "1/4")
    assert told["not_promised"] == list(NOT_PROMISED)


def test_what_only_the_input_shows_makes_no_difference() -> None:
    """Items below the minimum support, and items that were dropped, are counted nowhere."""
    assert made(source=Transactions.of([*SOURCE.sets(), ["7", "8"]])) == made(dropped=DROPPED[:1], lost=1) == made()


def test_suppressed_cells_are_another_promise() -> None:
    """Where single cells went, it says so and what does not follow."""
    solution = SuppressionSolution(CellSuppression(np.ones(20, np.bool_)), mine(PROBLEM))
    told = json.loads(made(solution=solution, dropped=DROPPED[:0]))
    assert told["suppressed"] == "cells"
    assert told["not_promised"] == [*NOT_PROMISED, *NOT_PROMISED_OF_CELLS]


def test_no_item_is_named() -> None:
    """Whoever reads it learns neither which items are private, nor which were dropped."""
    assert ROLES.private.tolist() == [False, False, False, True, True, False, False]
    texts = set(re.findall(r'^ *(?:"[^"]*": )?"([^"]*)",?$', made().decode(), re.MULTILINE))
    assert "transactions" in texts
    assert not set("123456") & texts  # "0" is the minimum support


def test_it_is_read_back(tmp_path: Path) -> None:
    """What was written is read as the kind it is, to the same bytes."""
    path = tmp_path / "safe.dat.kohort.json"
    path.write_bytes(made())
    known = read_certificate(path)
    assert isinstance(known, CoherenceCertificate)
    assert known.encode() == made()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"kind": "transactions"', '"kind": "table"'),
        ('"kind": "transactions"', '"kind": "cube"'),
        ('"kind": "transactions"', '"kind": ["transactions"]'),
        ('"cohorts": 4', '"cohorts": -4'),
        ('"cohorts": 4', '"cohorts": "4"'),
        ('"confidence": 0.25', '"confidence": "0.25"'),
        ('"form": 10', '"form": 7'),
        ('"form": 10', '"form": 8'),
        ('"h": "1/2"', '"h": 0.5'),
    ],
)
def test_anything_else_is_refused(tmp_path: Path, old: str, new: str) -> None:
    """Another kind, or a part of another kind, is no certificate."""
    changed = made().decode().replace(old, new, 1)
    assert changed != made().decode()
    path = tmp_path / "safe.dat.kohort.json"
    path.write_text(changed)
    with pytest.raises(InputError, match="not a certificate"):
        read_certificate(path)
