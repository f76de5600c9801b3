"""`kohort convert`: transactions in another form, told to be unprotected."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.transactions import pipeline
from kohort.transactions.command import UNPROTECTED
from kohort.transactions.database import Transactions
from kohort.transactions.io import read_transactions
from kohort.transactions.io.options import BasketOptions, Form
from kohort.transactions.io.write import write_transactions
from tests.command import kohort

if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO


SHOP = "milk bread\n\ntea milk milk\nbread\n"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Four transactions, one of nothing."""
    path = tmp_path / "shop.dat"
    path.write_text(SHOP, encoding="utf-8")
    return path


def test_people_are_told_that_nothing_is_protected(shop: Path) -> None:
    """First of all, in words and in JSON; there is no certificate."""
    out = shop.with_name("shop.csv")
    ran = kohort("convert", shop, "--out-format", "matrix-header", "-o", out)
    assert ran.status == 0, ran.err
    lines = ran.out.splitlines()
    assert lines[1:] == [UNPROTECTED, "4 transactions, 3 items, 5 cells", f"wrote {out} (matrix-header)"]
    assert out.read_text() == "bread,milk,tea\n1,1,0\n0,0,0\n0,1,1\n1,0,0\n"
    assert {path.name for path in shop.parent.iterdir()} == {"shop.dat", "shop.csv"}
    figures = kohort("convert", shop, "--out-format", "long", "-o", out, "--overwrite", "--json").figures
    assert (figures["anonymized"], figures["repeated"], figures["form"]) == (False, 1, "long")


def test_rare_items_are_removed(shop: Path) -> None:
    """Those in a smaller share of the transactions; empty transactions stay."""
    out = shop.with_name("out.dat")
    ran = kohort("convert", shop, "-o", out, "--min-support", ".5")
    assert "4 transactions, 2 items, 4 cells; 1 item below the minimum support removed" in ran.out
    assert out.read_text() == "bread milk\n\nmilk\nbread\n"


def test_a_matrix_keeps_its_columns(tmp_path: Path) -> None:
    """Where the place of a column is an item's name, a removed item leaves zeros."""
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text("1,1,0\n0,0,1\n1,0,1\n")
    assert kohort("convert", source, "--format", "matrix", "-o", out, "--min-support", ".5").status == 0
    assert out.read_text() == "1,0,0\n0,0,1\n1,0,1\n"


@given(
    st.lists(st.lists(st.sampled_from(["0", "1", "2", "bread", 'o"ne', "é,x"]), max_size=4), min_size=1, max_size=6),
    st.sampled_from([Form.LONG, Form.LISTS, Form.MATRIX_HEADER]),
)
def test_every_form_holds_the_same_transactions(
    tmp_path_factory: pytest.TempPathFactory, baskets: list[list[str]], form: Form
) -> None:
    """Read back, they are those that were written."""
    folder = tmp_path_factory.mktemp("convert")
    source = folder / "in.parquet"
    database = Transactions.of([*baskets, ["bread"]])
    with source.open("wb") as file:
        write_transactions(database, file, BasketOptions(form=Form.LISTS))
    out = folder / ("out.parquet" if form is Form.LISTS else "out.csv")
    assert kohort("convert", source, "--out-format", form, "-o", out, "--quiet").status == 0
    assert read_transactions(out, BasketOptions(form=form)).database.sets() == database.sets()


@pytest.mark.parametrize(
    ("more", "status", "said"),
    [
        (("--out-format", "matrix"), 2, "matrix-header"),
        (("--out-format", "lists"), 2, "--out"),
        (("--min-support", "2"), 2, "--min-support"),
        (("--key", "who"), 2, "--key"),
    ],
)
def test_what_cannot_be_written_is_refused(shop: Path, more: tuple[str, ...], status: int, said: str) -> None:
    """With its flag, and nothing is left behind."""
    out = shop.with_name("out.csv")
    ran = kohort("convert", shop, "-o", out, *more)
    assert (ran.status, said in ran.err) == (status, True), ran.err
    assert not out.exists()


def test_no_file_is_replaced_unasked(shop: Path) -> None:
    """Nor ever the input."""
    assert kohort("convert", shop, "-o", shop, "--overwrite").status == 7
    out = shop.with_name("out.dat")
    out.write_text("mine")
    assert kohort("convert", shop, "-o", out).status == 7
    assert out.read_text() == "mine"
    assert kohort("convert", "-", "-o", out, "--overwrite", stdin=SHOP.encode()).status == 0


def lost(_: Transactions, file: BinaryIO, **__: object) -> None:
    """A writer that loses an item."""
    file.write(b"bread milk\n\nmilk\nbread\n")


def swapped(_: Transactions, file: BinaryIO, **__: object) -> None:
    """A writer that confuses two transactions."""
    file.write(b"bread milk\n\nbread\nmilk tea\n")


def renamed(_: Transactions, file: BinaryIO, **__: object) -> None:
    """A writer that changes a cell."""
    file.write(b"bread tea\n\nmilk tea\nbread\n")


@pytest.mark.parametrize("writer", [lost, swapped, renamed])
def test_other_transactions_are_not_published(shop: Path, writer: object) -> None:
    """The written bytes are read back before they are there."""
    out = shop.with_name("out.dat")
    with patch.object(pipeline, "write_transactions", writer):
        ran = kohort("convert", shop, "-o", out)
    assert (ran.status, out.exists()) == (5, False), ran.err
