"""Hypothesis profiles and the data that some tests need."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# No deadline and no complaint about slow draws: the machine may be busy with something else.
_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

# What `make test` tries: a few examples of every law, others on every run.
settings.register_profile("quick", _PATIENT, max_examples=10)
# Under sanitizers, which make everything several times as slow: others on every run, too.
settings.register_profile("few", _PATIENT, max_examples=4)
# As few for `.ci/run`, which has 30 minutes; the same on every run, so that a failure belongs to the change under test.
settings.register_profile("ci", _PATIENT, max_examples=10, derandomize=True, print_blob=True)
# For people who look for a counter-example.
settings.register_profile("thorough", _PATIENT, max_examples=5_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run files with slow tests first, so that no worker is left alone with one when the others are done."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


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
