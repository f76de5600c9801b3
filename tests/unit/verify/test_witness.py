"""A text compared with the records that it should be, in place of a scan."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.errors import VerificationError
from kohort.io.forms import Format
from kohort.io.typed import from_frame
from kohort.io.write import write
from kohort.models.k_anonymity import KAnonymity
from kohort.schema import Schema
from kohort.system import workspace
from kohort.verify import Claim, reading, verify
from tests.unit.verify.people import draft

if TYPE_CHECKING:
    from kohort.tables.table import Column, Table

GOOD = draft()

#: Cells that have to be quoted in one column or another, and plain ones.
NASTY = st.text(st.sampled_from(list(",;\t\"' \n\r-0aé\u20ac\ufeff")), max_size=6)


def content(data: bytes, claim: Claim) -> reading.ReleaseContent:
    """What the verifier reads."""
    return reading.read(io.BytesIO(data), claim)


def records(table: Table) -> list[list[str]]:
    """Its cells by column."""
    return [column.cells().to_list() for column in table.columns]


@given(
    rows=st.integers(1, 3).flatmap(lambda size: st.lists(st.tuples(*[NASTY] * size), min_size=1, max_size=9)),
    format_=st.sampled_from(["csv", "tsv", "csv.gz"]),
    change=st.integers(0, 200),
    byte=st.integers(0, 255),
)
def test_what_the_witness_gives_is_what_the_scan_finds(
    rows: list[tuple[str, ...]], format_: str, change: int, byte: int
) -> None:
    """Of any cells; and of a text in which any byte is another one, the scan decides."""
    names = [f"c{place}" for place in range(len(rows[0]))]
    table = from_frame(pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row"))
    file = io.BytesIO()
    write(table, file, Format(format_))
    claim = Claim(Schema.of(insensitive=names), (KAnonymity(2),), table, np.arange(len(rows)), format=format_)
    data, seen = file.getvalue(), replace(claim, witness=table)
    for text in (data, data[:change] + bytes([byte]) + data[change + 1 :]):
        try:
            plain = content(text, claim)
        except VerificationError as refused:
            with pytest.raises(VerificationError) as again:
                content(text, seen)
            assert str(again.value) == str(refused)  # noqa: PT017  either is right
            continue
        found = content(text, seen)
        assert records(found.table) == records(plain.table)
        assert (found.sha256, found.size) == (plain.sha256, plain.size)
        assert found.astray == (text != data)


def test_the_scan_is_spared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where every byte is what the witness says; also of records some at a time."""
    expected = GOOD.verdict()
    monkeypatch.setattr(reading, "read_records", None)
    monkeypatch.setattr(workspace, "BLOCK", 8)
    assert verify(io.BytesIO(GOOD.text), replace(GOOD.claim, witness=GOOD.table)) == expected


def changed(table: Table, column: Column) -> Table:
    """The table with another column of that name."""
    return replace(table, columns=tuple(column if one.name == column.name else one for one in table.columns))


def wrong_witnesses() -> dict[str, Table]:
    """Witnesses that do not say what is in the text."""
    table, city = GOOD.table, GOOD.table["city"]
    values, codes = city.values, city.codes
    other = np.where(np.arange(codes.size) == 5, (codes + 1) % len(values), codes).astype(np.uint8)
    twice = np.where(np.arange(codes.size) == 5, len(values), codes).astype(np.uint8)
    return {
        "another cell": changed(table, replace(city, codes=other)),
        "another value": changed(table, replace(city, values=pl.Series([f"{text}x" for text in values]))),
        "codes of no value": changed(table, replace(city, codes=codes + np.uint8(100))),
        "fewer records": table.take(np.arange(15)),
        "more records": table.take(np.array([*range(16), 15])),
        "no record": table.take(np.arange(0)),
        "a value twice": changed(table, replace(city, values=pl.concat([values, values[:1]]), codes=twice)),
        "a value of no record": changed(table, replace(city, values=pl.concat([values, pl.Series(["Oslo"])]))),
        "a value with NUL": changed(table, replace(city, values=pl.Series([f"{text}\0" for text in values]))),
        "other names": replace(table, columns=tuple(replace(one, name=f"{one.name}x") for one in table.columns)),
        "other columns": replace(table, columns=table.columns[:2]),
    }


@pytest.mark.parametrize("name", wrong_witnesses())
def test_nothing_of_a_witness_is_believed(name: str) -> None:
    """Where it differs from the text, that is refused, though it is correct; where it cannot be used, it is not."""
    witness, unusable = wrong_witnesses()[name], {"a value", "other"}
    claim = replace(GOOD.claim, witness=witness)
    assert records(content(GOOD.text, claim).table) == records(GOOD.table)
    if any(name.startswith(one) for one in unusable):
        assert verify(io.BytesIO(GOOD.text), claim) == GOOD.verdict()
    else:
        with pytest.raises(VerificationError, match="not those of the intended records"):
            verify(io.BytesIO(GOOD.text), claim)
