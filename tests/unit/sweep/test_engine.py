"""Every point of a sweep is answered once, in any number of threads."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from kohort.errors import InfeasibleError, LimitError, UsageError
from kohort.job.sweeps.frame import Answer, Ending, once, run_points

if TYPE_CHECKING:
    from collections.abc import Callable

    from kohort.job.sweeps.frame import Values


def answered(why: str) -> Answer:
    """An answer that can be told from others."""
    return Answer(values=(), why=why)


@pytest.mark.parametrize("threads", [1, 2])
def test_equal_and_known_points_do_not_run(threads: int) -> None:
    """The answers come in the order of the points; what is shared is made once and let go."""
    ran: list[str] = []
    told: list[tuple[int, Values]] = []
    shared = once(lambda: ran.append("shared"))

    def answer(point: str) -> Answer:
        shared()
        ran.append(point)
        return answered(point.upper())

    known = {"b": answered("known")}
    runs: dict[str, Callable[[], Answer]] = {point: partial(answer, point) for point in "abc"}
    points: dict[Values, str] = {("1",): "a", ("2",): "b", ("3",): "a", ("4",): "c"}
    found = run_points(
        Answer, points, runs, known, threads=threads, on_progress=lambda place, values: told.append((place, values))
    )
    assert [(values, one.values, one.why) for values, one in found.items()] == [
        (values, values, why) for values, why in zip(points, ["A", "known", "A", "C"], strict=True)
    ]
    assert sorted(ran) == ["a", "c", "shared"]
    assert (told, runs) == ([*enumerate(points)], {})
    assert known == {"a": answered("A"), "b": answered("known"), "c": answered("C")}


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_ends_the_sweep(threads: int) -> None:
    """What a point raises is raised."""

    def fail() -> Answer:
        raise UsageError("no such column")

    with pytest.raises(UsageError, match="no such column"):
        run_points(Answer, {("1",): "a"}, {"a": fail}, {}, threads=threads, on_progress=lambda _, __: None)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("fault", "ending"),
    [(InfeasibleError("too few"), Ending.INFEASIBLE), (LimitError("too much"), Ending.LIMIT)],
)
def test_what_stands_in_the_way_is_an_answer(threads: int, fault: InfeasibleError, ending: Ending) -> None:
    """A point without a release, or at a limit, is told and kept; what several points share fails once for all."""
    asked: list[str] = []

    def fail() -> Answer:
        asked.append("once")
        raise fault

    shared, known = once(fail), dict[str, Answer]()
    points: dict[Values, str] = {("1",): "a", ("2",): "b"}
    found = run_points(
        Answer, points, {"a": shared, "b": shared}, known, threads=threads, on_progress=lambda _, __: None
    )
    assert [*found.values()] == [Answer(values=values, ending=ending, why=fault.what) for values in points]
    assert (asked, {*known}) == (["once"], {"a", "b"})
