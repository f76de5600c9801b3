"""Fails a test that costs more CPU than `LIMIT` and is not marked `slow`, so that the quick suite stays quick.

The limit is that of a machine on which a loop takes `LOOP`. The loop is timed when the session starts, and again after
a test that seems too dear: where it takes longer, the limit is as much higher. What other tests need as well does not
count: fixtures that they share, and libraries that are imported for the first time.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from typing import TYPE_CHECKING, Final

import pytest

from tests.quick import QUICK

if TYPE_CHECKING:
    from collections.abc import Generator

#: Seconds of CPU that a test may take, of all its processes.
LIMIT: Final = 2.0

#: Seconds of CPU that `_loop` takes on the machine of this limit.
LOOP: Final = 0.0125

#: A test that imports more modules than this imports a library.
MODULES: Final = 30


def cpu() -> float:
    """Seconds of CPU of this process, and of those that it started and that have ended."""
    found = os.times()
    return found.user + found.system + found.children_user + found.children_system


def slowness() -> float:
    """How much slower than the machine of the limit this one is now; at least 1."""
    return max(1.0, min(_loop() for _ in range(5)) / LOOP)


def _loop() -> float:
    before = time.process_time()
    total = 0
    for number in range(400_000):
        total += number % 7
    return time.process_time() - before


class Cost:
    """Counts the CPU of each test, judges it, and sums up what the tests took."""

    def __init__(self, *, judges: bool) -> None:
        """Time the loop."""
        self.judges = judges
        self.slowness = slowness()
        self.began = self.shared = 0.0
        self.modules = 0
        self.costs: dict[str, float] = {}
        self.memory = 0

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self) -> None:
        """A test begins."""
        self.began, self.shared, self.modules = cpu(), 0.0, len(sys.modules)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[object]) -> Generator[None, object, object]:
        """Count what is made for several tests apart."""
        before, apart = cpu(), self.shared
        try:
            return (yield)
        finally:
            if fixturedef.scope != "function":
                self.shared = apart + cpu() - before

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, None, None]:
        """Fail a test that passed and was too dear."""
        yield
        cost = cpu() - self.began - self.shared
        if not self.judges or item.get_closest_marker("slow") or len(sys.modules) - self.modules > MODULES:
            return
        if cost > LIMIT * self.slowness and cost > LIMIT * slowness():
            pytest.fail(
                f"the test took {cost:.1f} s of CPU, where an unmarked one may take {LIMIT:.1f}: make it cheaper, or "
                "mark it slow, with a reason",
                pytrace=False,
            )

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        """Note the cost beside the outcome, where the process that reports finds it."""
        if call.when == "teardown":
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
            item.user_properties += [("cpu", cpu() - self.began), ("memory", peak)]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Sum up."""
        if report.when == "teardown":
            noted = dict(report.user_properties)
            self.costs[report.nodeid] = float(str(noted.get("cpu", 0.0)))
            self.memory = max(self.memory, int(str(noted.get("memory", 0))))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
        """Say what the tests took; which took most where `--durations` asks for it."""
        terminalreporter.write_line(
            f"{sum(self.costs.values()):.0f} s of CPU in tests; the largest process had {self.memory} MB"
        )
        dearest = sorted(self.costs, key=lambda name: -self.costs[name])
        for name in dearest[: config.getoption("durations") or 0]:
            terminalreporter.write_line(f"{self.costs[name]:8.2f} s of CPU  {name}")


def cost_of(config: pytest.Config) -> Cost:
    """The plug-in for a session; it judges the quick suite, unless coverage slows it down."""
    covered = bool(config.getoption("cov_source", None)) and not config.getoption("no_cov", default=False)
    return Cost(judges=QUICK and not covered)
