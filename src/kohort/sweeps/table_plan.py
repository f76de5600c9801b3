"""What a sweep over a table is asked: what is varied, and the job of every combination of values."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Final, NamedTuple

from kohort.algorithms.known import METHODS
from kohort.algorithms.method import CUT, LIMIT
from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.errors import JobError, SchemaError, UsageError
from kohort.models.k_anonymity import KEY, k_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kohort.algorithms.method import Method
    from kohort.release import Job

#: How Mondrian cuts if nothing else is asked for.
USUAL: Final = "loss"

#: More points than anybody looks at.
MOST: Final = 10_000


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
    values: tuple[str, ...]

    def __post_init__(self) -> None:
        """Refuse an axis that compares nothing, or the same twice."""
        if not self.values or len(set(self.values)) < len(self.values):
            raise UsageError(f"{self.name}: give at least one value, and none twice", where="vary")

    @property
    def numbers(self) -> tuple[float, ...] | None:
        """The values as numbers, one for each, percentages as they are said; `None` where they are words or mixed."""
        percent = all(value.endswith("%") for value in self.values)
        try:
            return tuple(float(value.removesuffix("%") if percent else value) for value in self.values)
        except ValueError:
            return None


class Impossible(NamedTuple):
    """A point without a job: its values do not go together."""

    values: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class TablePlan:
    """Everything that decides a sweep but the records.

    Attributes:
        axes: What is varied; at least one, and no name twice.
        jobs: One for every possible combination of values; those of the last axis change fastest. Equal jobs are
            answered once.
        impossible: The combinations that are skipped, such as an l above k.

    Raises:
        UsageError: nothing is varied, or too much, or two values of an axis ask for the same everywhere.

    >>> from kohort import Job, KAnonymity, Schema
    >>> schema = Schema.of(quasi=["age", "city"])
    >>> plan = TablePlan.of({"k": ["2", "5"]}, lambda at: Job.of(schema, KAnonymity(int(at["k"]))))
    >>> plan.fixed["method"], [job.k for job in plan.jobs]
    ('mondrian', [2, 5])
    """

    axes: tuple[Axis, ...]
    jobs: tuple[Job, ...]
    impossible: tuple[Impossible, ...] = ()

    @classmethod
    def of(cls, vary: Mapping[str, Sequence[str]], job: Callable[[Mapping[str, str]], Job]) -> TablePlan:
        """The sweep over these values, as they are said; `job` makes the job of one value of each.

        Combinations whose job raises nothing but `SchemaError` are skipped, unless all do.

        Raises:
            UsageError: nothing is varied, or too much, or two values of an axis ask for the same everywhere; or what
                `job` raises.
        """
        axes = tuple(Axis(name, tuple(values)) for name, values in vary.items())
        points = prod(len(axis.values) for axis in axes)
        if points > MOST:
            raise UsageError(f"these are {points:,} points", where="vary", hint=f"ask for {MOST:,} at most")
        made: list[Job] = []
        faults: list[UsageError] = []
        impossible: list[Impossible] = []
        for values in product(*(axis.values for axis in axes)):
            try:
                made.append(job(dict(zip(vary, values, strict=True))))
            except UsageError as fault:
                faults.append(fault)
                impossible.append(Impossible(values, _misfit(fault)))
        if faults and not made:
            raise faults[0]
        return cls(axes, tuple(made), tuple(impossible))

    def __post_init__(self) -> None:
        """Refuse a sweep that compares nothing, or the same twice."""
        names = [axis.name for axis in self.axes]
        if not names or len(set(names)) < len(names):
            raise UsageError("at least one parameter must be varied, and none twice", where="vary")
        asked = [job.described() for job in self.jobs]
        for place, axis in enumerate(self.axes):
            rows: dict[str, list[str]] = {value: [] for value in axis.values}
            for values, text in zip(self.points, asked, strict=True):
                rows[values[place]].append(text)
            first = dict[tuple[str, ...], str]()
            for value, row in rows.items():
                one = first.setdefault(tuple(row), value)
                if row and one != value:
                    raise UsageError(f"{axis.name}: {one} and {value} mean the same", where="vary", hint="drop one")

    @property
    def points(self) -> list[tuple[str, ...]]:
        """The values of every job."""
        skipped = {one.values for one in self.impossible}
        return [values for values in product(*(axis.values for axis in self.axes)) if values not in skipped]

    @property
    def fixed(self) -> dict[str, str]:
        """What all jobs share that it concerns, by name: quasi, k, method, max-suppression, models (but k)."""
        said = [_said(job) for job in self.jobs]
        models = [model for model in self.jobs[0].models if all(model in job.models for job in self.jobs)]
        every = {name: text for one in said for name, text in one.items()}
        shared = {name: text for name, text in every.items() if all(one.get(name, text) == text for one in said)}
        others = ", ".join(model.name for model in models if model.specification.key != KEY)
        if shared.get(CUT.name) == USUAL:
            del shared[CUT.name]
        return shared | ({"models": others} if others else {})


def taken(axes: Sequence[Axis], values: Sequence[str]) -> tuple[str, ...]:
    """The values of a point, "" where something is varied that is a parameter of other methods than its own.

    >>> axes = (Axis("k", ("5",)), Axis("method", ("mondrian", "ordered")), Axis("cut", ("nearest", "loss")))
    >>> taken(axes, ("5", "ordered", "loss")), taken(axes, ("5", "mondrian", "loss"))
    (('5', 'ordered', ''), ('5', 'mondrian', 'loss'))
    """
    named = {axis.name: value for axis, value in zip(axes, values, strict=True)}
    method = METHODS.get(named.get("method", ""))
    return tuple(value if method is None or _concerns(name, method) else "" for name, value in named.items())


def _concerns(name: str, method: Method) -> bool:
    """Whether what is varied is a parameter of the method, or of none."""
    parameter = LIMIT.name if name == "max-suppression" else name
    return method.takes(parameter) or not any(other.takes(parameter) for other in METHODS.values())


def _misfit(fault: UsageError) -> str:
    """What does not go together; any other fault is raised."""
    every = fault.exceptions if isinstance(fault, JobError) else (fault,)
    faults = [one for one in every if isinstance(one, SchemaError)]
    if len(faults) < len(every):
        raise fault
    return "; ".join(dict.fromkeys(one.what for one in faults))


def _said(job: Job) -> dict[str, str]:
    """What is told of a job where it is fixed."""
    said = {"quasi": ", ".join(one.name for one in job.schema.quasi)}
    if (k := k_of(job.models)) is not None:
        said[KEY] = str(k)
    said["method"] = job.algorithm.name
    if isinstance(job.algorithm, Mondrian):
        said[CUT.name] = job.algorithm.cut
    return said | ({} if job.algorithm.limit is None else {"max-suppression": str(job.algorithm.limit)})
