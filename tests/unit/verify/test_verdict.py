"""What a verdict shows of itself."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import polars as pl

from kohort import anonymize
from kohort.schema import Attribute, Role, Schema
from kohort.verify.verdict import comparisons

if TYPE_CHECKING:
    from kohort.verify import Verdict

STAYS = pl.DataFrame({"patient": ["a", "a", "b", "b", "c", "d"], "age": [30, 30, 31, 31, 30, 31]})


def _shown(verdict: Verdict) -> dict[str, str]:
    """The rows of the table that a notebook shows."""
    return dict(verdict._shown()[1])  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  a notebook calls it


def test_people_are_counted_where_they_have_several_records() -> None:
    """Beside the records stand the people, and they alone if there is a person key."""
    of_people = anonymize(STAYS, quasi=["age"], person="patient", rest="drop", k=2, no_grid=True).verdict
    of_records = anonymize(STAYS.drop("patient"), quasi=["age"], rest="drop", k=2, no_grid=True).verdict
    assert of_people is not None
    assert of_records is not None
    shown, without = map(_shown, (of_people, of_records))
    assert (shown["Records"], shown["People"], shown["Classes"]) == ("6", "4", "2")
    assert "People" not in without


def test_every_check_counts_what_it_compares() -> None:
    """Records, their cells of each kind, labels and classes; a check of nothing is left out."""
    names = (Attribute("name", Role.IDENTIFYING, pseudonym=True), Attribute("phone", Role.IDENTIFYING))
    places = (Attribute("age", Role.QUASI, grid=Fraction(5)), Attribute("city", Role.QUASI))
    others = (*(Attribute(one, Role.SENSITIVE) for one in ("illness", "income")), Attribute("visits", Role.INSENSITIVE))
    schema, labels = Schema((*names, *places, *others, Attribute("note", Role.DROP))), {"age": 3, "city": 4}
    of_release = {"bytes": 99, "columns": 6, "records": 10, "grid": 3, "labels": 7, "classes": 2, "order": 10}
    of_input = {"lineage": 10, "identifiers": 10, "pseudonyms": 10, "cells": 30, "regions": 20, "ends": 10}
    assert comparisons(schema, 10, labels, size=99, classes=2) == of_release | of_input
    on_levels = comparisons(
        schema, 10, labels, size=99, classes=2, entered=13, left_out=1, perturbed=["income", "other"], on_levels=True
    )
    more = {"complete records": 13, "suppression": 1, "perturbation": 10, "cells": 20}
    assert on_levels == {check: count for check, count in (of_release | of_input | more).items() if check != "ends"}
    of_few = {"columns": 3, "cells": 30, "classes": 1}
    each = dict.fromkeys(("records", "lineage", "order"), 10)
    assert comparisons(Schema(others), 10, {}, size=0, classes=1) == of_few | each
