"""A perturbed copy of a table is judged by its written bytes."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from typing import TYPE_CHECKING

import polars as pl
import pytest

from kohort.errors import VerificationError
from kohort.io.forms import Format
from kohort.io.typed import from_frame
from kohort.io.write import write
from kohort.perturbation.text import perturbation_of
from kohort.tables.perturbing import perturb
from kohort.verify.altered import misstated, verify_perturbed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.perturbation.effect import Effect
    from kohort.tables.table import Table


def copied(frame: pl.DataFrame, asked: str) -> tuple[Table, Table, Effect]:
    """A table, its copy with one column perturbed, and what that did."""
    table = from_frame(frame)
    made, (effect,) = perturb(table, [perturbation_of(asked)], missing=frozenset({""}), seed=7)
    return table, made, effect


def judged(table: Table, made: Table, effect: Effect, format_: Format = Format.CSV) -> str:
    """The verdict on a written table."""
    file = BytesIO()
    write(made, file, format_)
    file.seek(0)
    return verify_perturbed(file, table, (effect,), format_=format_.value)


@pytest.mark.parametrize("format_", [Format.CSV, Format.PARQUET, Format.IPC])
def test_small_floats(format_: Format) -> None:
    """Floats that others write with an exponent are the numbers that they are, with as many decimals as these need."""
    doses = pl.DataFrame({"dose": [1e-7, 2.5e-7, 3e-7, 9e-7, None]})
    table, made, effect = copied(doses, "dose=noise:scale=0.5")
    assert effect.decimals == 8
    assert "e-" not in "".join(made["dose"].values.drop_nulls().to_list())
    assert len(judged(table, made, effect, format_)) == 64
    with pytest.raises(VerificationError, match="more decimals"):
        judged(table, made, replace(effect, decimals=6), format_)


def test_an_exponent_is_no_plain_number_of_texts() -> None:
    """In a column of text a number with an exponent is refused: nobody would read it as one."""
    table, made, effect = copied(pl.DataFrame({"dose": ["1", "2", "3"]}), "dose=rounding:step=10")
    wrong = from_frame(pl.DataFrame({"dose": ["0e1"] * 3}))
    assert len(judged(table, made, effect)) == 64
    with pytest.raises(VerificationError, match="not plain numbers"):
        judged(table, wrong, effect)


def test_every_record_is_there_and_as_it_was_elsewhere() -> None:
    """A copy that lacks a record, or has another cell beside the perturbed column, is refused."""
    people = pl.DataFrame({"name": ["Ada", "Bo", "Cy"], "age": [20, 30, 40]})
    table, made, effect = copied(people, "age=rank-swapping:share=1")
    ages = made["age"].values.gather(made["age"].codes).cast(pl.Int64)
    with pytest.raises(VerificationError, match="records"):
        judged(table, from_frame(people.with_columns(age=ages).head(2)), effect)
    with pytest.raises(VerificationError, match="1 cell differs"):
        judged(table, from_frame(people.with_columns(age=ages, name=pl.Series(["Ada", "Bo", "Bo"]))), effect)


#: What is true of the doses 1, 2 and 3.
TRUE: Mapping[str, object] = {"records": 3, "bounds": [1, 3], "decimals": 0}

OUTSIDE = "some cells lie outside the bounds"


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ({}, []),
        ({"records": 4}, ["records"]),
        ({"bounds": [None, None]}, []),
        ({"bounds": [1.5, None]}, [OUTSIDE]),
        ({"bounds": [None, 2.5], "records": 2}, ["records", OUTSIDE]),
        ({"decimals": "many"}, []),
    ],
)
def test_what_the_cells_show_of_an_effect(said: Mapping[str, object], wrong: list[str]) -> None:
    """Whatever is said of the cells with a value is held against them; what was before nobody sees."""
    column = from_frame(pl.DataFrame({"dose": ["1", "2", "", "3", "-"]}))["dose"]
    assert misstated(column, {**TRUE, **said}, {"-"}) == wrong


@pytest.mark.parametrize(
    ("cells", "said", "wrong"),
    [
        (["2"], {"records": 1}, []),
        (["2.5"], {"records": 1}, ["some cells have more decimals than claimed"]),
        (["2.5"], {"records": 1, "decimals": 1}, []),
        (["about 2"], {"records": 1}, ["some cells are not plain numbers"]),
        (["", ""], {"records": 0}, []),
        (["", ""], {}, ["records"]),
    ],
)
def test_what_few_cells_show_of_an_effect(cells: list[str], said: Mapping[str, object], wrong: list[str]) -> None:
    """Few cells show their decimals, none shows nothing, and what is no number is told as that."""
    column = from_frame(pl.DataFrame({"dose": cells}))["dose"]
    assert misstated(column, {**TRUE, **said}, set()) == wrong


def test_what_is_no_effect_says_nothing_of_the_cells() -> None:
    """What a certificate has in the place of an effect is looked at all the same."""
    column = from_frame(pl.DataFrame({"dose": ["1", "2"]}))["dose"]
    assert misstated(column, "dose", set()) == ["records"]
