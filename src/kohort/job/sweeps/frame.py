"""A sweep: a frame of points over what is varied, of tables and of transactions; each is answered once."""

from __future__ import annotations

import csv
import json
from abc import ABC, abstractmethod
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from enum import StrEnum
from io import StringIO
from threading import Lock
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, TypeAlias, TypeVar

from kohort.errors import InfeasibleError, KohortError, LimitError, UsageError
from kohort.report.page.audience import Audience

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from fractions import Fraction
    from pathlib import Path

    from kohort.report.charts.lines import LineChart

#: What JSON can say.
Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

#: A value of each axis, as it is said.
Values: TypeAlias = tuple[str, ...]


#: For anybody, why there is no release, where the reason counts records.
WITHHELD: Final = "the reason is shown only on the terminal"


class Ending(StrEnum):
    """How a point ended: with an answer, without one, at a limit, or skipped where its values do not go together."""

    FOUND = "found"
    INFEASIBLE = "infeasible"
    LIMIT = "limit"
    IMPOSSIBLE = "impossible"


@dataclass(frozen=True, slots=True)
class Axis:
    """Something that is varied.

    Attributes:
        name: As it is said: `k`, `max-suppression`, `quasi` (how many), `method`, `l:salary`, `t:salary` …
        values: As they are said, in that order, none twice: `("2", "5")`, `("0", "5%")`, `("mondrian", "samarati")`.

    Raises:
        UsageError: there is no value, or one is said twice.

    >>> Axis("k", ("2", "5")).numbers, Axis("max-suppression", ("0.5%", "5%")).numbers
    ((2.0, 5.0), (0.5, 5.0))
    """

    name: str
    values: Values

    def __post_init__(self) -> None:
        """Refuse an axis that compares nothing, or the same twice."""
        if not self.values or len(set(self.values)) < len(self.values):
            raise UsageError(f"{self.name}: give at least one value, each once", where="vary")

    @property
    def numbers(self) -> tuple[float, ...] | None:
        """The values as numbers, one for each, percentages as they are said; `None` where they are words or mixed."""
        percent = all(value.endswith("%") for value in self.values)
        try:
            return tuple(float(value.removesuffix("%") if percent else value) for value in self.values)
        except ValueError:
            return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came of a point: the values, how it ended, and where it has no answer why."""

    values: Values
    ending: Ending = Ending.FOUND
    why: str = ""

    @property
    def found(self) -> bool:
        """Whether there is an answer."""
        return self.ending is Ending.FOUND


P = TypeVar("P", bound=Answer)
A_co = TypeVar("A_co", bound=Answer, covariant=True)


class Candidate(NamedTuple):
    """What may be proposed: how strict it is, by each axis that has an order, what it loses, and its values."""

    strictness: tuple[Fraction, ...]
    loss: float | Fraction
    values: Values


@dataclass(frozen=True, slots=True, repr=False)
class Sweep(ABC, Generic[A_co]):
    """What every point would cost, of a table or of transactions; see `kohort.job.sweeps.tables.TableSweep`."""

    axes: tuple[Axis, ...]
    records: int
    fixed: Mapping[str, str]
    points: tuple[A_co, ...]
    within: Fraction | None = None
    audience: Audience = Audience.INTERNAL

    @property
    def status(self) -> int:
        """The exit status: 0 where a point has an answer, and one is within the loss if one was to be proposed."""
        endings = {point.ending for point in self.points}
        if endings.isdisjoint({Ending.FOUND, Ending.INFEASIBLE}):
            return LimitError.exit_status
        advised = self.within is None or self.proposed is not None
        return 0 if advised and Ending.FOUND in endings else InfeasibleError.exit_status

    @property
    def proposed(self) -> Candidate | None:
        """The strictest candidate within the loss, of equally strict ones the one that loses least; or none.

        Strictest by what is varied first, then by the next.
        """
        most = self.within
        within = () if most is None else (one for one in self.candidates() if one.loss <= most)
        return max(within, key=lambda one: (one.strictness, -one.loss), default=None)

    @abstractmethod
    def candidates(self) -> Iterable[Candidate]:
        """What may be proposed."""


S = TypeVar("S", bound=Sweep[Answer])


class Kind(NamedTuple, Generic[S]):
    """What sweeps over tables, and over transactions, are to be told by.

    Attributes:
        figures: Everything that is known, as JSON takes it.
        rows: The same for CSV: a flat row for each point, all of the same names.
        text: What people read.
        chart: A figure by its name, drawn.
        published: What anybody may read.
    """

    figures: Callable[[S], dict[str, Json]]
    rows: Callable[[S], list[dict[str, Json]]]
    text: Callable[[S], str]
    chart: Callable[[S, str | None], LineChart]
    published: Callable[[S], S]

    def writer(self, path: Path) -> Callable[[S], bytes]:
        """What writes a sweep in the form that the name of its file asks for."""
        forms = {".csv": self.csv_text, ".json": self.json_text}
        if path.suffix not in forms:
            raise UsageError(f"a sweep is written as {' or '.join(forms)}", where="out", hint="name the file so")
        return lambda found: forms[path.suffix](found).encode()

    def json_text(self, found: S) -> str:
        """All figures as one object."""
        return json.dumps({"audience": found.audience, **self.figures(found)}, indent=2) + "\n"

    def csv_text(self, found: S) -> str:
        """A line for each point; one without an answer has no figures, and says why."""
        rows = [{"audience": found.audience, **row} for row in self.rows(found)]
        file = StringIO()
        table = csv.DictWriter(file, [*rows[0]], lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
        return file.getvalue()


def refuse_unordered(orders: Mapping[str, bool | None]) -> None:
    """Refuse to propose a point of a sweep that varies nothing that protects.

    Args:
        orders: For everything that is varied, whether a greater value is stricter.
    """
    if all(order is None for order in orders.values()):
        what = f"no value of {' and '.join(orders)} protects more than another, so no proposal is possible"
        raise UsageError(what, where="at-most-loss", hint="vary a privacy model, such as k=2,5,10,20,50")


T = TypeVar("T")


def once(make: Callable[[], T]) -> Callable[[], T]:
    """A value that several points share: the first that asks computes it, the others wait; an error is raised to each.

    >>> shared = once(lambda: print("counting") or 7)
    >>> shared(), shared()
    counting
    (7, 7)
    """
    lock, made = Lock(), Future[T]()

    def shared() -> T:
        with lock:
            if not made.done():
                try:
                    made.set_result(make())
                except KohortError as fault:
                    made.set_exception(fault)
        return made.result()

    return shared


def run_points(
    kind: type[P],
    points: Mapping[Values, str],
    runs: dict[str, Callable[[], P]],
    known: dict[str, P],
    *,
    threads: int = 1,
    on_progress: Callable[[int, Values], None],
) -> dict[Values, P]:
    """The answer of each point, in order; equal points run once, and known ones do not run again.

    Args:
        kind: What an answer is.
        points: The key of each point.
        runs: By key, what computes the answer; each leaves the dictionary when it is run, and with the last of them
            goes what they share. That no release can meet a goal, or a limit is reached, is an answer; any other error
            ends the sweep.
        known: Answers that were found before; new ones are added as they are found, by several threads.
        threads: How many points may run at once; with one, they run in the calling thread.
        on_progress: Called with the place and values of each point, in their order, before its answer is waited for.
    """
    for key in {*points.values()}:
        if key in known:
            del runs[key]

    def run(key: str) -> None:
        try:
            found = runs.pop(key)()
        except (InfeasibleError, LimitError) as fault:
            ending = Ending.INFEASIBLE if isinstance(fault, InfeasibleError) else Ending.LIMIT
            found = kind(values=(), ending=ending, why=fault.what)
        known[key] = found

    pool = ThreadPoolExecutor(threads) if threads > 1 else None
    try:
        futures = {key: pool.submit(run, key) for key in [*runs]} if pool else {}
        for place, (values, key) in enumerate(points.items()):
            on_progress(place, values)
            if key in futures:
                futures[key].result()
            elif key in runs:
                run(key)
    finally:
        if pool:
            pool.shutdown(cancel_futures=True)
    return {values: replace(known[key], values=values) for values, key in points.items()}
