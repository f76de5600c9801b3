"""What a sweep over a table asks: the jobs of all combinations of what is varied, and how strict their values are."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Final

from kohort.algorithms.method import CUT, LIMIT, METHODS
from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.errors import JobError, SchemaError, UsageError
from kohort.job.sweeps.frame import Axis
from kohort.models.base import models
from kohort.models.k_anonymity import KEY, k_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kohort.job.sweeps.frame import Values
    from kohort.release import Job

#: How Mondrian cuts if nothing else is asked for.
USUAL: Final = "loss"

#: More points than anybody looks at.
MOST: Final = 10_000


@dataclass(frozen=True, slots=True)
class TablePlan:
    """Everything that decides a sweep but the records.

    Attributes:
        axes: What is varied; at least one, and no name twice.
        jobs: The job of every possible combination of values; those of the last axis change fastest. Equal jobs are
            answered once.
        impossible: The combinations that are skipped, such as an l above k, and why.

    Raises:
        UsageError: nothing is varied, or too much, or two values of an axis ask for the same everywhere.

    >>> from kohort import Job, KAnonymity, Schema
    >>> schema = Schema.of(quasi=["age", "city"])
    >>> plan = TablePlan.of({"k": ["2", "5"]}, lambda at: Job.of(schema, KAnonymity(int(at["k"]))))
    >>> plan.fixed["method"], [job.k for job in plan.jobs.values()]
    ('mondrian', [2, 5])
    """

    axes: tuple[Axis, ...]
    jobs: Mapping[Values, Job]
    impossible: Mapping[Values, str] = field(default_factory=dict["Values", str])

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
            raise UsageError(f"the sweep has {points:,} points", where="vary", hint=f"at most {MOST:,} are possible")
        jobs: dict[Values, Job] = {}
        impossible: dict[Values, str] = {}
        faults: list[UsageError] = []
        for values in product(*(axis.values for axis in axes)):
            try:
                jobs[values] = job(dict(zip(vary, values, strict=True)))
            except UsageError as fault:
                faults.append(fault)
                impossible[values] = _misfit(fault)
        if faults and not jobs:
            raise faults[0]
        return cls(axes, jobs, impossible)

    def __post_init__(self) -> None:
        """Refuse a sweep that compares nothing, or the same twice."""
        names = [axis.name for axis in self.axes]
        if not names or len(set(names)) < len(names):
            raise UsageError("vary at least one parameter, each once", where="vary")
        asked = {values: job.described() for values, job in self.jobs.items()}
        for place, axis in enumerate(self.axes):
            rows = {value: list[str]() for value in axis.values}
            for values, text in asked.items():
                rows[values[place]].append(text)
            first = dict[tuple[str, ...], str]()
            for value, row in rows.items():
                one = first.setdefault(tuple(row), value)
                if row and one != value:
                    raise UsageError(f"{axis.name}: {one} and {value} mean the same", where="vary", hint="drop one")

    @property
    def fixed(self) -> dict[str, str]:
        """What all jobs share that it concerns, by name: quasi, k, method, max-suppression, models (but k)."""
        jobs = [*self.jobs.values()]
        said = [_said(job) for job in jobs]
        every = {name: text for one in said for name, text in one.items()}
        shared = {name: text for name, text in every.items() if all(one.get(name, text) == text for one in said)}
        if shared.get(CUT.name) == USUAL:
            del shared[CUT.name]
        common = [model for model in jobs[0].models if all(model in job.models for job in jobs)]
        others = ", ".join(model.name for model in common if model.specification.key != KEY)
        return shared | ({"models": others} if others else {})


def taken(axes: Sequence[Axis], values: Sequence[str]) -> tuple[str, ...]:
    """The values of a point, "" where something is varied that is a parameter of other methods than its own.

    >>> axes = (Axis("k", ("5",)), Axis("method", ("mondrian", "ordered")), Axis("cut", ("nearest", "loss")))
    >>> taken(axes, ("5", "ordered", "loss")), taken(axes, ("5", "mondrian", "loss"))
    (('5', 'ordered', ''), ('5', 'mondrian', 'loss'))
    """
    named = {axis.name: value for axis, value in zip(axes, values, strict=True)}
    method = METHODS.get(named.get("method", ""))

    def concerns(name: str) -> bool:
        parameter = LIMIT.name if name == "max-suppression" else name
        takes = [other.takes(parameter) for other in (method, *METHODS.values()) if other is not None]
        return method is None or takes[0] or not any(takes)

    return tuple(value if concerns(name) else "" for name, value in named.items())


def said(axes: Sequence[Axis], values: Sequence[str], form: Callable[[str, str], str] = "{} = {}".format) -> str:
    """What is varied and its method takes, with the values of a point: `k = 5, method = samarati`."""
    return ", ".join(form(axis.name, value) for axis, value in zip(axes, taken(axes, values), strict=True) if value)


def _misfit(fault: UsageError) -> str:
    every = fault.exceptions if isinstance(fault, JobError) else (fault,)
    faults = [one for one in every if isinstance(one, SchemaError)]
    if len(faults) < len(every):
        raise fault
    return "; ".join(dict.fromkeys(one.what for one in faults))


def _said(job: Job) -> dict[str, str]:
    said = {"quasi": ", ".join(one.name for one in job.schema.quasi)}
    if (k := k_of(job.models)) is not None:
        said[KEY] = str(k)
    said["method"] = job.algorithm.name
    if isinstance(job.algorithm, Mondrian):
        said[CUT.name] = job.algorithm.cut
    return said | ({} if job.algorithm.limit is None else {"max-suppression": str(job.algorithm.limit)})


def rising(name: str) -> bool | None:
    """Whether a greater value of what is varied is stricter; `None` where neither is, as of methods.

    >>> rising("k"), rising("t:salary"), rising("recursive-l:illness"), rising("method")
    (True, False, True, None)
    """
    asked = name.partition(":")[0]
    for key, kind in models().items():
        own = kind.specification.own
        for one in own:
            if asked == (key if len(own) == 1 else f"{key}-{one.name}"):
                return one.rising
    return None
