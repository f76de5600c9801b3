"""Generated matrices have the declared density everywhere, and each row is a function of the seed and its number."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.errors import UsageError
from kohort.transactions.matrix import Matrix, text


def test_density_is_the_declared_one() -> None:
    """In the whole, in each column, and whatever the cells beside and above: within seven standard deviations."""
    rows, columns, density = 20_000, 13, 0.3
    cells = np.concatenate(list(Matrix(columns=columns, density=density, seed=5).batches(rows)))
    assert cells.shape == (rows, columns)
    assert abs(cells.mean() - density) < 7 * sqrt(density / cells.size)
    assert np.abs(cells.mean(0) - density).max() < 7 * sqrt(density / rows)
    correlations = np.corrcoef(cells, rowvar=False) - np.eye(columns)
    assert np.abs(correlations).max() < 7 / sqrt(rows)
    assert abs(np.corrcoef(cells[:-1, 0], cells[1:, 0])[0, 1]) < 7 / sqrt(rows)


@pytest.mark.parametrize("density", [0, 1])
def test_matrices_may_be_empty_or_full(density: float) -> None:
    """With density 0 no cell is 1, with density 1 every one is."""
    cells = next(Matrix(columns=30, density=density, seed=5).batches(1_000))
    assert cells.mean() == density


@given(seed=st.integers(0, 2**130), rows=st.integers(0, 50), columns=st.integers(1, 20), batch=st.integers(1, 60))
def test_batches_do_not_matter(seed: int, rows: int, columns: int, batch: int) -> None:
    """Batches of any size are the same rows, and fewer rows are the first of more; a seed decides all."""

    def lines(number: int, size: int | None) -> bytes:
        return b"".join(map(text, Matrix(columns=columns, density=0.4, seed=seed).batches(number, batch=size)))

    whole = lines(rows, None)
    assert len(whole) == 2 * rows * columns
    assert lines(rows, batch) == whole
    assert lines(rows + 9, batch).startswith(whole)


def test_another_seed_gives_other_rows() -> None:
    """No two seeds give the same cells."""
    assert len({next(Matrix(columns=40, density=0.5, seed=seed).batches(5)).tobytes() for seed in range(5)}) == 5


def test_text_is_what_the_cells_are() -> None:
    """Each row is a line of 0 and 1 between commas, below a header of as many names."""
    matrix = Matrix(columns=6, density=0.5, seed=1)
    cells = next(matrix.batches(50))
    lines = text(cells).decode().splitlines()
    assert [[cell == "1" for cell in line.split(",")] for line in lines] == cells.tolist()
    assert set("".join(lines)) == set("01,")
    assert matrix.header() == b"item_0,item_1,item_2,item_3,item_4,item_5\n"


def test_known_first_rows() -> None:
    """The rows of a seed stay the same from version to version, since papers and benchmarks will quote them."""
    assert text(next(Matrix(columns=5, density=0.5, seed=7).batches(2))) == b"1,1,1,1,1\n1,0,0,0,1\n"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"columns": 0}, "columns must be from 1 to 10,000,000"),
        ({"columns": 10_000_001}, "columns must be from 1"),
        ({"density": -0.1}, "density must be from 0 to 1"),
        ({"density": 1.1}, "density must be from 0 to 1"),
        ({"density": float("nan")}, "density must be from 0 to 1"),
        ({"seed": -1}, "seed must be at least 0"),
    ],
)
def test_impossible_matrices_are_refused(wrong: dict[str, float], message: str) -> None:
    """A number out of its range is an error that names it and the range."""
    with pytest.raises(UsageError, match=message):
        Matrix(**{"columns": 3, "density": 0.5, "seed": 1, **wrong})  # type: ignore[arg-type]


def test_impossible_batches_are_refused() -> None:
    """A negative number of rows and a batch of none are errors at the call, not at the first batch."""
    with pytest.raises(UsageError, match="rows must be at least 0"):
        Matrix(columns=3, density=0.5, seed=1).batches(-1)
    with pytest.raises(UsageError, match="batch must be at least 1"):
        Matrix(columns=3, density=0.5, seed=1).batches(1, batch=0)
