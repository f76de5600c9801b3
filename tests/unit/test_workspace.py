"""Long arrays, in memory or in files that nobody sees."""

from __future__ import annotations

import errno
import os
import re
from threading import get_ident
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort import system
from kohort.errors import FileError, LimitError, UsageError
from kohort.system import workspace
from kohort.system.workspace import HEAP, Workspace, blocks, bytes_of, tallied

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def failing(number: int) -> Callable[..., object]:
    """What the system does where it fails."""

    def fail(*_: object) -> object:
        raise OSError(number, os.strerror(number))

    return fail


def is_mapped(array: np.typing.NDArray[np.generic]) -> bool:
    """Whether an array lies in a file."""
    base: object = array
    while isinstance(base, np.ndarray):
        base = base.base
    return type(getattr(base, "obj", base)).__name__ == "mmap"


def test_arrays_are_the_same_wherever_they_live(tmp_path: Path) -> None:
    """Shapes, types and content do not depend on the place; nothing of it has a name."""
    for place in (HEAP, Workspace(tmp_path, least=0), Workspace(tmp_path, least=1 << 30)):
        made = place.empty((3, 4), np.uint16)
        made[...] = np.arange(12).reshape(3, 4)
        assert made.dtype == np.uint16
        assert place.copied(made[:, :2]).tolist() == [[0, 1], [4, 5], [8, 9]]
        assert place.copied(made[:, :2]).flags.c_contiguous
        assert place.zeros(5, np.int64).tolist() == [0] * 5
        assert place.empty(0, np.uint8).size == 0
        assert place.like(made, 7).dtype == np.uint16
        assert place.numbers(2).dtype == np.uint32
        assert place.taken(np.array([5, 6, 7]), np.array([2, 0, 2], np.uint8)).tolist() == [7, 5, 7]
        assert is_mapped(made) == (place.folder is not None and not place.least)
        assert not list(tmp_path.iterdir())


def test_what_is_written_last_lives_as_long_as_the_array(tmp_path: Path) -> None:
    """A view keeps its file."""
    part = Workspace(tmp_path, least=0).zeros(1 << 16, np.uint8)[5:9]
    part[:] = 7
    assert part.tolist() == [7] * 4


def test_numbers_have_32_bits() -> None:
    """More records than 32 bits number are refused."""
    with pytest.raises(LimitError, match="4,294,967,296 records are more"):
        HEAP.numbers(1 << 32)


@pytest.mark.parametrize(
    ("number", "hint"),
    [
        (errno.ENOSPC, "make room, or name another folder"),
        (errno.EDQUOT, "make room"),
        (errno.EMFILE, "ulimit -n"),
        (errno.EFBIG, "ulimit -f"),
        (errno.EACCES, "^name another folder"),
        (0, "^name another folder"),
    ],
)
def test_a_folder_without_room_is_told(number: int, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the system refuses is an error of a file, with what helps."""
    monkeypatch.setattr(system, "spilled", failing(number))
    with pytest.raises(FileError, match="an array cannot be written to disk") as caught:
        Workspace(tmp_path, least=0).empty(9, np.uint8)
    assert caught.value.where == str(tmp_path)
    assert re.search(hint, caught.value.hint)


def test_a_folder_must_be_there(tmp_path: Path) -> None:
    """Before anything is read."""
    with pytest.raises(FileError, match="does not exist"):
        Workspace(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("1B", 1),
        ("4GiB", 4 << 30),
        ("4 GB", 4 * 10**9),
        ("1.5kB", 1500),
        ("2KiB", 2048),
        ("1MiB", 1 << 20),
        ("3TB", 3 * 10**12),
    ],
)
def test_amounts_of_memory(text: str, amount: int) -> None:
    """By powers of 1,000 and of 1,024."""
    assert bytes_of(text) == amount


@pytest.mark.parametrize("text", ["", "4", "GiB", "-1GB", "4 gigs", "0B", "1e9B", "0.1B"])
def test_no_amounts_of_memory(text: str) -> None:
    """What is no amount is refused."""
    with pytest.raises(UsageError, match="is not an amount"):
        bytes_of(text)


@given(st.lists(st.integers(0, 9)), st.sampled_from([1, 3, 1 << 20]))
def test_numbers_are_counted_some_at_a_time(numbers: list[int], size: int) -> None:
    """As NumPy counts them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workspace, "TALLIED", size)
        found = tallied(np.array(numbers, np.uint8), 11)
    assert found.tolist() == np.bincount(np.array(numbers, np.int64), minlength=11).tolist()


@given(st.lists(st.integers(0, 9), max_size=20), st.integers(1, 4))
def test_what_is_made_side_by_side_keeps_its_order(given_: list[int], threads: int) -> None:
    """Also the first fault: what comes before it is given, and nothing after it."""

    def inverse(number: int) -> float:
        return 1 / number

    made: list[float] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POLARS_MAX_THREADS", str(threads))
        try:
            made.extend(HEAP.side_by_side(inverse, given_))
        except ZeroDivisionError:
            assert made == [inverse(number) for number in given_[: given_.index(0)]]
        else:
            assert made == [inverse(number) for number in given_]


@pytest.mark.parametrize(("threads", "limit", "others"), [("3", None, True), ("1", None, False), ("3", 1 << 30, False)])
def test_other_threads_are_used_where_there_are_some_and_memory_has_no_limit(
    monkeypatch: pytest.MonkeyPatch, threads: str, limit: int | None, *, others: bool
) -> None:
    """One after another, it all is done by the thread that asks, and no sooner than it asks."""
    monkeypatch.setenv("POLARS_MAX_THREADS", threads)
    made: list[int] = []

    def whose(number: int) -> int:
        made.append(number)
        return get_ident()

    found = Workspace(limit=limit).side_by_side(whose, range(9))
    assert (next(found) != get_ident()) is others
    assert len(made) <= 4 if others else made == [0]
    assert {one != get_ident() for one in found} == {others}
    assert sorted(made) == list(range(9))


def test_blocks_cover_all_records() -> None:
    """Each once, in order."""
    assert [list(range(8))[rows] for rows in blocks(8, 3)] == [[0, 1, 2], [3, 4, 5], [6, 7]]
    assert list(blocks(0)) == []
