"""The quick suite, which `make test` runs: few examples of each law, and one value of what has many, as formats have.

The seed of the run, which is printed, chooses the value, so that runs differ; what is left out is skipped and says so.
`.ci/run`, CI=true and HYPOTHESIS_PROFILE=ci leave nothing out.
"""

from __future__ import annotations

import os
import random
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import pytest
from hypothesis import HealthCheck, Phase, settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

T = TypeVar("T")

#: How many examples of each law are tried, and what else: a profile of Hypothesis.
PROFILE: Final = os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "quick")
QUICK: Final = PROFILE == "quick"

#: Examples of each law in the quick suite, and in the whole one.
FEW: Final = 3
SOME: Final = 10

# No deadline and no complaint about slow draws: the machine may be busy with something else.
_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

# Other examples on every run. To shrink a counter-example takes a minute, and HYPOTHESIS_PROFILE=ci does it.
settings.register_profile(
    "quick", _PATIENT, max_examples=FEW, phases=[Phase.explicit, Phase.reuse, Phase.generate], print_blob=True
)
# Under sanitizers, which make everything several times as slow: others on every run, too.
settings.register_profile("few", _PATIENT, max_examples=4)
# The same on every run, so that a failure belongs to the change under test.
settings.register_profile("ci", _PATIENT, max_examples=SOME, derandomize=True, print_blob=True)
# For people who look for a counter-example.
settings.register_profile("thorough", _PATIENT, max_examples=5_000)
settings.load_profile(PROFILE)

#: Extras that the extra `test` leaves out, because they are large, and modules of each: only `.ci/run` has them.
LARGE: Final = {
    "learn": ("scipy", "sklearn"),
    "postgres": ("adbc_driver_postgresql",),
    "recipes": ("frictionless",),
    "spark": ("pyspark",),
    "statistics": ("pyreadstat", "polars_readstat"),
}


def examples(count: int = settings().max_examples, few: int = FEW) -> int:
    """The number of examples of a law that needs `count` of them, or those of the profile; `few` in the quick suite."""
    return min(count, few) if QUICK else count


def some(cases: Iterable[T], count: int) -> Sequence[T]:
    """All cases; `count` of them, chosen by the seed of the run, in the quick suite."""
    found = [*cases]
    return random.sample(found, min(count, len(found))) if QUICK else found


def seed(config: pytest.Config) -> int:
    """The seed of the run; 0 where the plug-in that draws and prints it is switched off."""
    drawn = cast("object", config.getoption("randomly_seed", 0))
    return drawn if isinstance(drawn, int) else 0


def leave_out(items: Iterable[pytest.Item], number: int) -> None:
    """Skip all but one value of each parameter that a marker `one_of` names; the seed `number` chooses it."""
    values: dict[tuple[str, str], list[object]] = {}
    found: list[tuple[pytest.Item, tuple[str, str], object]] = []
    for item in items:
        for marker in item.iter_markers("one_of"):
            for name in cast("tuple[str, ...]", marker.args):
                key, value = (item.nodeid.partition("[")[0], name), _value(item, name)
                found.append((item, key, value))
                if not any(one is value for one in values.setdefault(key, [])):
                    values[key].append(value)
    for item, key, value in found:
        tried = values[key]
        if value is not tried[number % len(tried)]:
            why = f"the quick suite tries one `{key[1]}` of {len(tried)} a run, by its seed; .ci/run tries all"
            item.add_marker(pytest.mark.skip(reason=why))


def _value(item: pytest.Item, name: str) -> object:
    """The item's value of the parameter `name`; `None` where it has none."""
    call = getattr(item, "callspec", None)
    return call.params.get(name) if call is not None else None


@cache
def missing() -> dict[str, tuple[str, ...]]:
    """The large extras that are not installed, and their modules; none in the whole suite."""
    return {extra: modules for extra, modules in LARGE.items() if QUICK and find_spec(modules[0]) is None}


class Absent:
    """A library that is not installed: whoever uses it is told so."""

    def __init__(self, name: str) -> None:
        """The library's module."""
        self._name = name

    def __getattr__(self, name: str) -> object:
        """No name has a value; Python's own, which doctest looks for, are not there."""
        if name.startswith("__"):
            raise AttributeError(name)
        message = f"No module named '{self._name}'"
        raise ModuleNotFoundError(message)


def library(name: str) -> Any:  # noqa: ANN401  a module without types
    """The module of a large extra; where it is not installed, the tests that use it are skipped."""
    return import_module(name) if find_spec(name) is not None or not QUICK else Absent(name)


def excuse(report: pytest.TestReport) -> None:
    """Let a test that failed for want of a large extra be skipped, with that reason."""
    if not report.failed:
        return
    said = "\n".join((str(report.longrepr), *(text for _, text in report.sections)))
    for extra, modules in missing().items():
        if f"pip install 'kohort[{extra}]'" in said or any(f"No module named '{name}" in said for name in modules):
            path, line, _ = report.location
            report.outcome = "skipped"
            report.longrepr = (path, line or 0, f"needs the extra {extra}, which only .ci/run installs")
