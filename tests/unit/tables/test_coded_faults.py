"""What the local engine refuses to count."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

from kohort.errors import HierarchyError, InputError
from kohort.io.typed import from_frame
from kohort.schema import Attribute, Role, Schema
from kohort.schema.hierarchy import Hierarchy
from kohort.tables.coded import CodedTable

if TYPE_CHECKING:
    from kohort.tables.table import Table


@pytest.fixture
def people() -> Table:
    """Five people, of whom three live where no hierarchy knows and two have a colour that none knows."""
    cities = ["Bari", "Milano", "Milano", "Torino", "Bari"]
    return from_frame(pl.DataFrame({"city": cities, "colour": ["red", "red", "blue", "red", "blue"]}))


def schema(*, colours: str = "red", numbers: str | None = None) -> Schema:
    """Hierarchies over Bari alone and over the colours given."""
    cities = Hierarchy.from_rows([["Bari", "*"]])
    known = Hierarchy.from_rows([[colour, "*"] for colour in colours.split()])
    bounds = None if numbers is None else tuple(numbers.split())
    colour = Attribute("colour", Role.QUASI, hierarchy=known if bounds is None else None, bounds=bounds)  # type: ignore[arg-type]
    return Schema((Attribute("city", Role.QUASI, hierarchy=cities), colour))


def test_values_outside_hierarchies_are_counted_column_by_column(people: Table) -> None:
    """Every column that lacks leaves is named with its values and records, before anything is searched."""
    with pytest.raises(HierarchyError) as caught:
        CodedTable(people, schema())
    assert caught.value.where == "2 columns"
    assert "column city: 2 values (3 records) are missing from the hierarchy" in caught.value.what
    assert "column colour: 1 value (2 records) is missing from the hierarchy" in caught.value.what
    assert not {"Milano", "Torino", "blue"} & set(str(caught.value).replace(",", " ").split())


def test_one_column_keeps_its_own_error(people: Table) -> None:
    """Where one column is at fault, the error is that column's."""
    with pytest.raises(HierarchyError) as caught:
        CodedTable(people, schema(colours="red blue"))
    assert caught.value.where == "column city"


def test_faults_of_several_kinds_are_an_input_error(people: Table) -> None:
    """A column that lacks leaves and one whose values are no numbers are told in one error of the input."""
    with pytest.raises(InputError) as caught:
        CodedTable(people, schema(numbers="1 9"))
    assert type(caught.value) is InputError
    assert "column city" in caught.value.what
    assert "column colour" in caught.value.what
