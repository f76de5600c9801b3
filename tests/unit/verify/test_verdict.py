"""What a verdict shows of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from kohort import anonymize

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
