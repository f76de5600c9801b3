"""The dossier of a release: every column of it is told of, and what is still there is not called removed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import polars as pl
import pytest

import kohort
from bench.identifiers import all_18
from kohort import Release
from kohort.assessment.risk.attacks import ATTACKS
from kohort.perturbation.pseudonyms import write_key
from kohort.perturbation.text import METHODS
from kohort.report.evidence import MODEL, dossier_of, identifiers, techniques, treatments
from kohort.report.evidence.criteria import CONTEXT, CRITERIA
from kohort.transactions.report.evidence import TRANSACTION_CONTEXT, transaction_dossier_of
from kohort.transactions.sweep import METHODS as WAYS

if TYPE_CHECKING:
    from kohort.transactions.release import TransactionRelease

ROWS = range(120)


def people() -> pl.DataFrame:
    """A table with something of each treatment."""
    return pl.DataFrame(
        {
            "id": [f"K{row:05}" for row in ROWS],
            "mrn": [f"H{row:05}" for row in ROWS],
            "zip": [f"{row % 4}{row * 37 % 97:04}" for row in ROWS],
            "birthday": [f"19{50 + row % 40}-03-{1 + row % 28:02}" for row in ROWS],
            "age": [str(20 + row % 76) for row in ROWS],
            "city": [["Bari", "Roma"][row % 2] for row in ROWS],
            "yob": [str(1930 + row % 60) for row in ROWS],
            "admitted": [f"2023-{1 + row % 12:02}-11" for row in ROWS],
            "seen": [f"2024-01-{1 + row % 7:02}" for row in ROWS],
            "income": [str(20_000 + 37 * row) for row in ROWS],
        }
    )


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """A release of it by Mondrian."""
    key = tmp_path_factory.mktemp("key") / "pseudonyms.key"
    write_key(key)
    return kohort.anonymize(
        people(),
        quasi=["zip", "birthday", "admitted", "age", "city"],
        hierarchy={"zip": "mask:right", "city": "suppress"},
        grid={"birthday": "decade", "admitted": "year", "age": 5},
        identifying=["id", "mrn"],
        pseudonym=["id"],
        key_file=str(key),
        insensitive=["yob", "seen", "income"],
        perturb={"income": "rounding:step=1000"},
        allow_singling=["yob", "seen", "income"],
        cut="nearest",  # of which some classes have the roots alone
        k=10,
    )


def test_each_finding_says_what_becomes_of_it(release: Release) -> None:
    """Removed, allowed, to be judged by a person, or still there; by the labels that are released."""
    found = {one.column: (one.letter, one.becomes, one.kept) for one in identifiers(release)}
    assert found == {
        "id": ("R", "pseudonyms", "to judge"),
        "mrn": ("H", "removed", "nothing"),
        "zip": ("B", "generalized", "allowed"),
        "birthday": ("C", "generalized", "to judge"),
        "admitted": ("C", "generalized", "allowed"),
        "age": ("C", "generalized", "kept"),
        "city": ("B", "generalized", "to judge"),
        "yob": ("C", "unchanged", "to judge"),
        "seen": ("C", "unchanged", "kept"),
    }
    says = {one.column: one.says for one in identifiers(release)}
    assert says["mrn"] == "is not in the release"
    assert says["birthday"] == "tells years at most: a person must judge whether one tells an age over 89"
    assert says["admitted"] == "tells years at most"
    assert says["seen"] == "tells more than the year"
    assert "ages over 89" in says["age"]
    assert "smaller than a state" in says["city"]
    assert "census of 2000" in says["zip"]
    assert says["id"] == "may still identify someone: a person must judge that"


def test_all_18_are_told_of() -> None:
    """Each once, whatever becomes of it; what is suppressed everywhere is not in the release."""
    frame = all_18("English", 100)
    made = kohort.anonymize(frame, quasi=["zip_code", "sex"], hierarchy={"zip_code": "suppress"}, k=2, rest="drop")
    found = identifiers(made)
    assert "".join(one.letter for one in found) == "ABCDEFGHIJKLMNOPQR"
    assert {one.kept for one in found} == {"nothing"}
    assert found[1].becomes == "generalized"


def test_each_column_has_a_technique(release: Release) -> None:
    """By the names of ISO/IEC 20889, and the privacy models beside them."""
    assert [*treatments(release)] == list(people().columns)
    told = {one.technique: one.columns for one in techniques(release)}
    assert told == {
        "pseudonymization": ("id",),
        "suppression: masking": ("mrn",),
        "generalization: local generalization": ("zip", "birthday", "age", "city", "admitted"),
        "": ("yob", "seen"),
        "generalization: rounding": ("income",),
        "suppression: local suppression": ("zip", "city"),
        "formal privacy measurement model": (),
    }
    assert techniques(release)[-1].says == "every class satisfies 10-anonymity"


def test_records_that_are_left_out_are_a_technique() -> None:
    """Also those without a value; on levels, generalization is of whole columns."""
    cities: list[str | None] = [*["Bari"] * 5, *["Roma"] * 5, "Turin", None]
    frame = pl.DataFrame({"city": cities})
    made = kohort.anonymize(
        frame,
        quasi=["city"],
        hierarchy={"city": "suppress"},
        k=5,
        method="optimal",
        max_suppression=1,
        complete_records=["city"],
    )
    told = {one.technique: one.says for one in techniques(made)}
    assert told["suppression: record suppression"] == "2 records are left out"
    assert "generalization" in told
    assert "suppression: local suppression" not in told


def test_every_perturbation_has_a_technique() -> None:
    """The standard has a name for each method that kohort has."""
    assert all(one.specification.technique for one in METHODS.values())


def test_every_attack_is_about_one_criterion() -> None:
    """None is left out, and none is told of twice."""
    shared = [name for one in CRITERIA for name in one.attacks]
    assert sorted(shared) == sorted(ATTACKS)


def test_the_dossier_is_json_for_the_steward(release: Release) -> None:
    """Whom it is for comes first; no cell is in it, and no law is said to be met."""
    found = dossier_of(release)
    text = json.dumps(found.as_json(), ensure_ascii=False)
    assert text.startswith('{"audience": "internal", "criteria": {')
    assert [*found.criteria] == [one.name for one in CRITERIA]
    assert len(found.context) == len(CONTEXT) == 7
    assert not [cell for name in ("id", "mrn", "birthday") for cell in people()[name].to_list() if cell in text]
    assert "anonymous in the sense of a law" in found.not_shown[0]


def shop(method: str) -> TransactionRelease:
    """Transactions with something of each technique."""
    every = {"tea": 2, "jam": 3, "pill": 7, "1 Jan 2024": 11, "wine": 5}
    many = [[name for name, times in every.items() if row % times == 0] for row in range(1, 120)]
    job = kohort.TransactionJob(
        coherence=kohort.Coherence.of(h=0.4, k=6, p=2), roles=kohort.Listed(private=("pill",)), algorithm=WAYS[method]
    )
    return kohort.anonymize_transactions(kohort.Transactions.of(many), job)


def test_a_dossier_of_transactions() -> None:
    """Every attack stands in one criterion, and the parts of the framework are those of tables; nobody is named."""
    found = transaction_dossier_of(shop("mmil"))
    assert found.p == 2
    told = [(one.attack.attack, one.known) for some in found.criteria.values() for one in some]
    attacks = ("singling out", "linking", "inference")
    assert sorted(told, key=str) == sorted(((one, known) for one in attacks for known in (1, 2, 3, None)), key=str)
    assert [(one.letter, one.holding) for one in found.identifiers] == [("C", 1)]
    assert [one.part for one in found.context] == [one.part for one in CONTEXT]
    assert sum(one != other for one, other in zip(TRANSACTION_CONTEXT, CONTEXT, strict=True)) == 3
    assert not any("quasi" in one.covered or "column" in one.covered + one.missing for one in found.context)
    assert not any(f'"{name}"' in json.dumps(found.as_json()) for name in ("tea", "jam", "pill", "wine", "1 Jan 2024"))


def test_techniques_of_transactions() -> None:
    """Items that are gone everywhere, and cells that are gone somewhere, have names of their own."""
    names = {
        one: [each.technique for each in transaction_dossier_of(shop(one)).techniques] for one in ("mmil", "cells")
    }
    assert names["mmil"] == ["suppression: masking", MODEL]
    assert "suppression: local suppression" in names["cells"]
