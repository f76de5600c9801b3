"""Every point of a sweep is run once, in any number of threads."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from kohort.errors import UsageError
from kohort.sweeps.engine import Once, run_points

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize("threads", [1, 2])
def test_equal_and_known_points_do_not_run(threads: int) -> None:
    """The results come in the order of the points; what is shared is made once and let go."""
    ran: list[str] = []
    told: list[int] = []
    shared = Once(lambda: ran.append("shared"))

    def answer(point: str) -> str:
        shared()
        ran.append(point)
        return point.upper()

    known = {"b": "known"}
    runs: dict[str, Callable[[], str]] = {point: partial(answer, point) for point in "abc"}
    found = run_points(["a", "b", "a", "c"], runs, known, threads=threads, tell=told.append)
    assert found == ["A", "known", "A", "C"]
    assert sorted(ran) == ["a", "c", "shared"]
    assert (told, runs) == ([0, 1, 2, 3], {})
    assert known == {"a": "A", "b": "known", "c": "C"}


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_ends_the_sweep(threads: int) -> None:
    """What a point raises is raised."""

    def fail() -> str:
        raise UsageError("no such column")

    with pytest.raises(UsageError, match="no such column"):
        run_points(["a"], {"a": fail}, {}, threads=threads, tell=lambda _: None)
