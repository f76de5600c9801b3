"""What every session of tests does, and the data that some tests need."""

from __future__ import annotations

import gc
import os
import signal
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests import quick
from tests.cost import cost_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator


def pytest_configure(config: pytest.Config) -> None:
    """Judge what tests cost, and let them be interrupted where a shell's background job ignores that."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.pluginmanager.register(cost_of(config))


def pytest_report_header(config: pytest.Config) -> list[str]:
    """What this session leaves out, and why."""
    told = [f"examples of laws: profile {quick.PROFILE}"]
    if quick.QUICK:
        told.append(f"the quick suite: seed {quick.seed(config)} chooses what is tried; CI=true tries everything")
        if missing := quick.missing():
            told.append(f"not installed, and tested by .ci/run alone: {', '.join(missing)}")
    return told


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run files with slow tests first, so that no worker is left alone with one when the others are done."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)
    if quick.QUICK:
        quick.leave_out(items, quick.seed(config))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that needs what is not installed is skipped."""
    report = yield
    quick.excuse(report)
    return report


def pytest_collection_finish() -> None:
    """Thousands of collected tests are no garbage: leave them out of its collection."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    """At the end they are: libraries report what is not collected."""
    gc.unfreeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """One process has all tests of a file; one has the examples of all docstrings."""
    scheduler: Any = import_module("xdist.scheduler").LoadFileScheduling(config, log)
    by_file: Callable[[str], str] = scheduler._split_scope  # noqa: SLF001  what its subclasses override

    def scope(name: str) -> str:
        return "src" if name.startswith("src/") else by_file(name)

    scheduler._split_scope = scope  # noqa: SLF001  as above
    return scheduler


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of public data sets, which are too large and not ours to keep in the repository."""
    folder = os.environ.get("KOHORT_DATA")
    if not folder:
        pytest.skip("KOHORT_DATA does not name the folder of public data sets")
    return Path(folder)


@pytest.fixture(scope="session")
def adult_csv(data_folder: Path) -> Path:
    """UCI Adult, its 30,162 complete records."""
    path = data_folder / "adult.csv"
    if not path.is_file():
        pytest.skip("the folder KOHORT_DATA holds no adult.csv")
    return path
