"""The engine of every sweep: it runs each point once, several at a time, and keeps what is known already."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum
from threading import Lock
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from kohort.errors import InfeasibleError, LimitError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Ending(StrEnum):
    """How it ended."""

    FOUND = "found"
    """With an answer."""
    INFEASIBLE = "infeasible"
    """No release can meet the goal."""
    LIMIT = "limit"
    """A limit of memory or size was reached."""
    IMPOSSIBLE = "impossible"
    """It was skipped: what is asked does not go together."""

    @classmethod
    def of(cls, fault: InfeasibleError | LimitError) -> Ending:
        """How it ended where this was raised."""
        return cls.INFEASIBLE if isinstance(fault, InfeasibleError) else cls.LIMIT


def status_of(endings: set[Ending], *, advised: bool = True) -> int:
    """The exit status of a sweep: 0 where something has an answer, else that of what stood in the way.

    Args:
        endings: How its points ended.
        advised: Whether one of them was proposed, where one was to be; where none can be, no release meets the goal.

    >>> status_of({Ending.LIMIT, Ending.FOUND}), status_of({Ending.LIMIT, Ending.INFEASIBLE}), status_of({Ending.LIMIT})
    (0, 4, 8)
    """
    if Ending.FOUND in endings:
        return 0 if advised else InfeasibleError.exit_status
    return InfeasibleError.exit_status if Ending.INFEASIBLE in endings else LimitError.exit_status


P = TypeVar("P")
T = TypeVar("T")


class Results(Protocol[P]):
    """The results of points by their keys: a dictionary, or a `kohort.sweeps.journal.Journal`."""

    def __contains__(self, point: str, /) -> bool:
        """Whether the point's result is known."""
        ...

    def __getitem__(self, point: str, /) -> P:
        """The point's result."""
        ...

    def __setitem__(self, point: str, result: P, /) -> None:
        """Add a result; several threads do."""
        ...


class Once(Generic[T]):
    """A value that several points share: the first that asks computes it, the others wait; an error is raised to each.

    >>> shared = Once(lambda: print("counting") or 7)
    >>> shared(), shared()
    counting
    (7, 7)
    """

    def __init__(self, make: Callable[[], T]) -> None:
        """Remember how the value is made."""
        self._make, self._lock, self._made = make, Lock(), list[T]()

    def __call__(self) -> T:
        """The value."""
        with self._lock:
            if not self._made:
                self._made.append(self._make())
            return self._made[0]


def run_points(
    points: Sequence[str],
    runs: dict[str, Callable[[], P]],
    known: Results[P],
    *,
    threads: int,
    tell: Callable[[int], None],
) -> list[P]:
    """The result of each point, in order; equal points run once, and known ones do not run again.

    Args:
        points: The key of each point.
        runs: By key, what computes the result; each leaves the dictionary when it is run, and with the last of them
            goes what they share. What it raises ends the sweep.
        known: Results that were found before; new ones are added as they are found.
        threads: How many points may run at once; with one, they run in the calling thread.
        tell: Called with the place of each point, in their order, before its result is waited for.
    """
    for point in {*points}:
        if point in known:
            del runs[point]

    def run(point: str) -> None:
        known[point] = runs.pop(point)()

    if threads == 1:
        for place, point in enumerate(points):
            tell(place)
            if point in runs:
                run(point)
    else:
        pool = ThreadPoolExecutor(threads)
        try:
            futures = {point: pool.submit(run, point) for point in [*runs]}
            for place, point in enumerate(points):
                tell(place)
                if point in futures:
                    futures[point].result()
        finally:
            pool.shutdown(cancel_futures=True)
    return [known[point] for point in points]
