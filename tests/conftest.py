"""Hypothesis profiles, what coverage traces, and the data that some tests need."""

from __future__ import annotations

import os
from functools import wraps
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from coverage import Coverage
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

# No deadline and no complaint about slow draws: the first example pays for compiling the kernels, and
# the machine may be busy with something else.
_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

settings.register_profile("quick", _PATIENT, max_examples=30)
# The same examples on every run, so that a failure belongs to the change under test.
settings.register_profile("ci", _PATIENT, max_examples=100, derandomize=True, print_blob=True)
settings.register_profile("thorough", _PATIENT, max_examples=5_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

#: How many examples of a law coverage traces: tracing makes Python two to three times slower, wherever it runs.
TRACED = 10


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Run all of a test; coverage traces the first examples of a law, and nothing of a test marked `untraced`.

    Nor of a test that needs public data: where there is none it is skipped, and the figure must be the same.
    """
    coverage = Coverage.current()
    if coverage is None:
        return (yield)
    law: Any = getattr(getattr(item, "obj", None), "hypothesis", None)
    test = law and law.inner_test
    if item.get_closest_marker("untraced") or "data_folder" in getattr(item, "fixturenames", ()):
        coverage.stop()
    elif law:
        law.inner_test = _first_traced(test, coverage)
    try:
        return (yield)
    finally:
        if law:
            law.inner_test = test
        if Coverage.current() is None:
            coverage.start()


def _first_traced(test: Callable[..., None], coverage: Coverage) -> Callable[..., None]:
    """The test of one example, which ends the tracing when enough of them were traced."""
    examples = count(1)

    @wraps(test)
    def run(*arguments: object, **named: object) -> None:
        if next(examples) > TRACED and Coverage.current() is coverage:
            coverage.stop()
        test(*arguments, **named)

    return run


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
