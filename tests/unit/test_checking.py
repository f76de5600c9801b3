"""A file is judged as it stands: by its cells' text, and by what a reader takes for the same text."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.checking import Check, check, named_column
from kohort.engines.table import Column, Table, narrow
from kohort.errors import SchemaError
from kohort.models.k_anonymity import KAnonymity
from kohort.spelling import even_spelling


def table_of(**cells: list[str | None]) -> Table:
    """A table from the cells of each column."""
    columns: list[Column] = []
    for name, texts in cells.items():
        place: dict[str | None, int] = {}
        codes = np.array([place.setdefault(text, len(place)) for text in texts], dtype=np.int64)
        values = pl.Series(name, list(place), dtype=pl.String)
        columns.append(Column(name, values, narrow(codes, len(place)), pl.String()))
    return Table(tuple(columns), len(next(iter(cells.values()))))


PEOPLE = table_of(
    city=["Bari", "Bari", "Bari", "Roma", "Roma", "Roma"],
    age=["30", "30", "31", "30", "30", "30"],
    income=["1", "2", "3", "4", "5", "6"],
)


def judged(table: Table, *quasi: str, k: int = 2) -> Check:
    """The table judged by k-anonymity."""
    return check(table, quasi, (KAnonymity(k),))


def test_classes_are_counted_and_judged() -> None:
    """A class is the records with equal cells in the named columns; those of fewer than k records fail."""
    found = judged(PEOPLE, "city", "age")
    assert found.records == 6
    assert sorted(found.sizes.tolist()) == [1, 2, 3]
    (finding,) = found.findings
    assert (finding.model, finding.failing_classes, finding.failing_records) == ("2-anonymity", 1, 1)
    assert not finding.met
    assert not found.met


def test_a_table_may_meet_its_models() -> None:
    """All classes of all models must satisfy."""
    assert judged(PEOPLE, "city", k=3).met
    both = check(PEOPLE, ["city"], (KAnonymity(3), KAnonymity(4)))
    assert [finding.met for finding in both.findings] == [True, False]
    assert not both.met


def test_missing_values_are_values() -> None:
    """A missing cell is shared only with missing cells; an empty text and a null are told apart, as in their file."""
    found = judged(table_of(city=["Bari", "Bari", "", None]), "city")
    assert sorted(found.sizes.tolist()) == [1, 1, 2]
    assert found.merged == 2


def test_spellings_are_told() -> None:
    """Classes that differ in case, width or blanks alone are fewer to a reader."""
    found = judged(
        table_of(city=["Bari", " bari", "BARI ", "\uff22\uff41\uff52\uff49", "Roma"], age=["1"] * 5), "city", "age"
    )
    assert found.sizes.size == 5
    assert found.merged == 2


def test_an_empty_table_has_no_classes() -> None:
    """Without records there is nothing to fail."""
    found = judged(table_of(city=[]), "city")
    assert (found.records, found.sizes.size, found.merged, found.met) == (0, 0, 0, True)


def test_some_column_must_be_named() -> None:
    """Without a quasi-identifier there is nothing to judge."""
    with pytest.raises(SchemaError, match="no quasi-identifying column"):
        judged(PEOPLE)


def test_an_unknown_column_comes_with_the_nearest() -> None:
    """A name that no column has comes with the nearest names, if there are any."""
    for name, hint in (("ctiy", "did you mean city?"), ("x", "")):
        with pytest.raises(SchemaError) as caught:
            judged(PEOPLE, "age", name)
        assert (caught.value.what, caught.value.hint) == (f"no column is called {name}", hint)
    assert named_column(PEOPLE, "city") is PEOPLE["city"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("HIV", "hiv"),
        ("  HIV   positive ", "hiv positive"),
        ("a\N{NO-BREAK SPACE}b", "a b"),
        ("caf\u00e9", "CAFE\u0301"),
        ("Straße", "STRASSE"),
        ("\u00bd", "1\u20442"),
    ],
)
def test_spellings_of_one_value(one: str, other: str) -> None:
    """Case, composition, width and blanks do not make another value."""
    assert even_spelling(one) == even_spelling(other)


@given(st.text())
def test_blanks_around_do_not_matter(text: str) -> None:
    """Blanks before, after and between words count as one between, none around."""
    assert even_spelling(f" {text}\t") == even_spelling(text)
