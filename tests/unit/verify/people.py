"""A small release made by hand, to be verified as it is and with defects in it."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from kohort.errors import VerificationError
from kohort.io.forms import Format
from kohort.io.typed import from_frame
from kohort.io.write import write
from kohort.models.k_anonymity import KAnonymity
from kohort.schema import Attribute, Role, Schema
from kohort.verify import Claim, Verdict, verify

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kohort.models.base import PrivacyModel
    from kohort.tables.table import Table

#: name, age, city, illness, visits; in no particular order. Four of them did not tell their age.
PEOPLE = (
    ("Carla Bruni", "38", "Milan", "gout", "2"),
    ("Ada Neri", "24", "Rome", "flu", "1"),
    ("Piero Gallo", "", "Milan", "flu", "7"),
    ("Ugo Fermi", "57", "Bari", "flu", "3"),
    ("Lea Conti", "21", "Naples", "asthma", "2"),
    ("Gino Riva", "31", "Milan", "flu", "1"),
    ("Rita Levi", "52", "Rome", "gout", "4"),
    ("Ida Costa", "", "Milan", "asthma", "2"),
    ("Nino Rota", "29", "Rome", "flu", "2"),
    ("Elio Vitt", "71", "Bari", "asthma", "9"),
    ("Mina Mazz", "35", "Turin", "asthma", "5"),
    ("Pia Longhi", "", "Milan", "gout", "1"),
    ("Tito Livi", "24", "Rome", "gout", "1"),
    ("Anna Magn", "60", "Rome", "flu", "3"),
    ("Olga Sisi", "38", "Milan", "flu", "8"),
    ("Remo Rosa", "", "Milan", "flu", "2"),
)

COLUMNS = ("name", "age", "city", "illness", "visits")

SCHEMA = Schema(
    (
        Attribute("name", Role.IDENTIFYING),
        Attribute("age", Role.QUASI),
        Attribute("city", Role.QUASI),
        Attribute("illness", Role.SENSITIVE),
        Attribute("visits", Role.INSENSITIVE),
    )
)

YOUNG = ("[21-29]", "{Naples, Rome}")
MIDDLE = ("[31-38]", "{Milan, Turin}")
OLD = ("[52-71]", "{Bari, Rome}")
SILENT = ("", "Milan")


def labels_of(age: str) -> tuple[str, str]:
    """The class that a person of this age is released in."""
    if not age:
        return SILENT
    return YOUNG if int(age) < 30 else MIDDLE if int(age) < 50 else OLD


@dataclass(frozen=True)
class Draft:
    """A release to be: its columns, its rows, and the claims that go with them."""

    people: tuple[tuple[str, ...], ...]
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lineage: tuple[int, ...]
    schema: Schema = SCHEMA
    models: tuple[PrivacyModel, ...] = (KAnonymity(4),)
    suppressed: int = 0
    format: str = "csv"
    levels: Mapping[str, int] = field(default_factory=dict[str, int])
    limit: int | None = None
    refined: Mapping[str, int] = field(default_factory=dict[str, int])

    @property
    def claim(self) -> Claim:
        """What the draft says of itself."""
        source = pl.DataFrame(list(self.people), schema=dict.fromkeys(COLUMNS, pl.String), orient="row")
        lineage = np.array(self.lineage, dtype=np.int64)
        return Claim(
            self.schema,
            self.models,
            from_frame(source),
            lineage,
            suppressed=self.suppressed,
            format=self.format,
            levels=self.levels,
            limit=self.limit,
            refined=self.refined,
        )

    @property
    def text(self) -> bytes:
        """The draft as plain CSV, written by Python's own writer."""
        file = io.StringIO(newline="")
        csv.writer(file, lineterminator="\n").writerows([self.header, *self.rows])
        return file.getvalue().encode()

    @property
    def table(self) -> Table:
        """The draft as the encoded table that a writer takes."""
        return from_frame(pl.DataFrame(list(self.rows), schema=dict.fromkeys(self.header, pl.String), orient="row"))

    def written(self, format_: str) -> bytes:
        """The draft as kohort writes it."""
        file = io.BytesIO()
        write(self.table, file, Format(format_))
        return file.getvalue()

    def ordered(self) -> Draft:
        """The same records in the order that a release has."""
        order = sorted(range(len(self.rows)), key=lambda place: [cell.encode() for cell in self.rows[place]])
        return self.taking(order)

    def taking(self, places: Sequence[int]) -> Draft:
        """The records at these places, in this order."""
        rows, lineage = tuple(self.rows[at] for at in places), tuple(self.lineage[at] for at in places)
        return replace(self, rows=rows, lineage=lineage)

    def with_cell(self, place: int, column: str, text: str) -> Draft:
        """The draft with another text in one cell."""
        at = self.header.index(column)
        row = (*self.rows[place][:at], text, *self.rows[place][at + 1 :])
        return replace(self, rows=(*self.rows[:place], row, *self.rows[place + 1 :]))

    def labelled(self, old: tuple[str, str], new: tuple[str, str]) -> Draft:
        """The draft with other labels wherever the old ones stand."""
        rows = tuple((*new, *row[2:]) if row[:2] == old else row for row in self.rows)
        return replace(self, rows=rows)

    def verdict(self) -> Verdict:
        """The verdict on the draft, in its format; the same with a witness."""
        data = self.text if self.format == "csv" else self.written(self.format)
        verdict = verify(io.BytesIO(data), self.claim)
        assert verify(io.BytesIO(data), replace(self.claim, witness=self.table)) == verdict
        return verdict


def draft(people: tuple[tuple[str, ...], ...] = PEOPLE) -> Draft:
    """A correct release of these people."""
    rows = tuple((*labels_of(age), illness, visits) for _, age, _, illness, visits in people)
    return Draft(people, COLUMNS[1:], rows, tuple(range(len(people)))).ordered()


def refused(wrong: Draft, data: bytes | None = None) -> str:
    """The check that refuses the draft, or `data` in its place; no cell may be told with it.

    Whatever witness there is changes nothing: the draft's own records, those of a correct release, or none.
    """
    where: set[str] = set()
    for witness in (None, wrong.table, draft().table):
        with pytest.raises(VerificationError) as caught:
            verify(io.BytesIO(wrong.text if data is None else data), replace(wrong.claim, witness=witness))
        message = str(caught.value)
        assert not any(cell in message for row in wrong.people for cell in (row[0], row[2], row[3]))
        where.add(caught.value.where)
    (found,) = where
    return found
