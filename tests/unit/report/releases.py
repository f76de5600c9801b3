"""Releases for the tests of pages: a small table with something of everything, by every kind of method."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import polars as pl

import kohort
from kohort import Attribute, Hierarchy, Job, KAnonymity, Optimal, Role, Schema, SuppressionLimit
from kohort.algorithms.lattice.given import GivenNode
from kohort.perturbation.noise import Noise
from kohort.perturbation.pseudonyms import Key
from tests.jobs import freely

if TYPE_CHECKING:
    from kohort import Release
    from kohort.algorithms.problem import Algorithm

#: Records of the table.
PEOPLE = 97

CITIES = ["Bari", "Lecce", "Milano", "Pavia", "Roma", "Rieti", "Torino"]
REGIONS = {"Bari": "Sud", "Lecce": "Sud", "Roma": "Centro", "Rieti": "Centro"}
PLACES = Hierarchy.from_rows([[city, REGIONS.get(city, "Nord")] for city in CITIES], root="*")


def people(records: int = PEOPLE) -> pl.DataFrame:
    """A table that is the same each time."""
    rows = range(records)
    return pl.DataFrame(
        {
            "id": [
                f"id {chr(97 + row // 52)}{chr(97 + row // 2 % 26)}" for row in rows
            ],  # with digits two share a number
            "age": [str(18 + (row * row) % 61) for row in rows],
            "city": [CITIES[(row * row // 3) % 7] if row % 13 else "" for row in rows],
            "sex": ["f" if row % 3 else "m" for row in rows],
            "illness": [["flu", "gout", "flu", "cold", "flu"][row * row % 5] for row in rows],
            "income": [str(20_000 + 37 * row * row % 9_001) for row in rows],
            "height": [str(150 + row % 7) if row % 5 else "" for row in rows],
        }
    )


def schema(*, person: bool = False, hierarchies: bool = False, pseudonym: bool = False) -> Schema:
    """Its schema; with a hierarchy for every quasi-identifier where a lattice method needs one."""
    return Schema(
        (
            Attribute("id", Role.IDENTIFYING, pseudonym=pseudonym),
            Attribute("age", Role.QUASI, hierarchy="intervals:0..100:5,10,50" if hierarchies else None),
            Attribute("city", Role.QUASI, hierarchy=PLACES),
            Attribute("sex", Role.QUASI, hierarchy="suppress" if hierarchies else None),
            Attribute("illness", Role.SENSITIVE),
            Attribute("income", Role.SENSITIVE),
            Attribute("height", Role.INSENSITIVE),
        ),
        person="id" if person else None,
    )


@cache
def mondrian(k: int = 5, *, person: bool = False, complete: tuple[str, ...] = ()) -> Release:
    """A release by Mondrian."""
    return kohort.anonymize(people(), freely(Job.of(schema(person=person), KAnonymity(k), complete=complete)))


@cache
def lattice(limit: str = "20", k: int = 5, *, person: bool = False) -> Release:
    """A release on levels, which may suppress so many."""
    algorithm: Algorithm = Optimal(limit=SuppressionLimit.of(limit))
    return kohort.anonymize(
        people(), freely(Job.of(schema(person=person, hierarchies=True), KAnonymity(k), algorithm=algorithm))
    )


@cache
def few() -> Release:
    """A release on given levels that suppresses some records, but fewer than k."""
    algorithm: Algorithm = GivenNode((2, 2, 1), limit=SuppressionLimit(PEOPLE))
    return kohort.anonymize(people(), freely(Job.of(schema(hierarchies=True), KAnonymity(8), algorithm=algorithm)))


@cache
def altered() -> Release:
    """A release with noise and pseudonyms."""
    job = freely(
        Job.of(
            schema(pseudonym=True),
            KAnonymity(5),
            perturbations=(Noise("income", decimals=0),),
            key=Key(bytes(32)),
            seed=7,
            insecure_reproducible=True,
        )
    )
    return kohort.anonymize(people(), job)
