"""What a sweep over a table is asked: what is varied, and the job of every combination of values."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Final

from kohort.errors import UsageError
from kohort.models.k_anonymity import KEY, k_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kohort.release import Job

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
            raise UsageError(f"{self.name}: at least one value must be said, and none twice", where="vary")

    @property
    def numbers(self) -> tuple[float, ...] | None:
        """The values as numbers, one for each, percentages as they are said; `None` where they are words or mixed."""
        percent = all(value.endswith("%") for value in self.values)
        try:
            return tuple(float(value.removesuffix("%") if percent else value) for value in self.values)
        except ValueError:
            return None


@dataclass(frozen=True, slots=True)
class TablePlan:
    """Everything that decides a sweep but the records.

    Attributes:
        axes: What is varied; at least one, and no name twice.
        jobs: One for every combination of values; those of the last axis change fastest. Equal jobs are answered once.

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

    @classmethod
    def of(cls, vary: Mapping[str, Sequence[str]], job: Callable[[Mapping[str, str]], Job]) -> TablePlan:
        """The sweep over these values, as they are said; `job` makes the job of one value of each.

        Raises:
            UsageError: nothing is varied, or too much, or two values of an axis ask for the same everywhere.
        """
        axes = tuple(Axis(name, tuple(values)) for name, values in vary.items())
        points = prod(len(axis.values) for axis in axes)
        if points > MOST:
            raise UsageError(f"these are {points:,} points", where="vary", hint=f"ask for {MOST:,} at most")
        every = product(*(axis.values for axis in axes))
        return cls(axes, tuple(job(dict(zip(vary, values, strict=True))) for values in every))

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
                if one != value:
                    raise UsageError(f"{axis.name}: {one} and {value} ask for the same", where="vary", hint="drop one")

    @property
    def points(self) -> list[tuple[str, ...]]:
        """The values of every job."""
        return list(product(*(axis.values for axis in self.axes)))

    @property
    def fixed(self) -> dict[str, str]:
        """What all jobs share that it concerns, by name: quasi, k, method, max-suppression, models (but k)."""
        said = [_said(job) for job in self.jobs]
        models = [model for model in self.jobs[0].models if all(model in job.models for job in self.jobs)]
        every = {name: text for one in said for name, text in one.items()}
        shared = {name: text for name, text in every.items() if all(one.get(name, text) == text for one in said)}
        others = ", ".join(model.name for model in models if model.specification.key != KEY)
        return shared | ({"models": others} if others else {})


def _said(job: Job) -> dict[str, str]:
    """What is told of a job where it is fixed."""
    said = {"quasi": ", ".join(one.name for one in job.schema.quasi)}
    if (k := k_of(job.models)) is not None:
        said[KEY] = str(k)
    said["method"] = job.algorithm.name
    return said | ({} if job.algorithm.limit is None else {"max-suppression": str(job.algorithm.limit)})
