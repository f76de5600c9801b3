"""Desks to visit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kohort.desk.desk import Desk
from kohort.samples.italy import write_italy
from tests.unit.desk.visitor import Visitor, copied, visits, worker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def register(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small register."""
    folder = tmp_path_factory.mktemp("register")
    write_italy(folder, 300, seed=7)
    return folder


@pytest.fixture
def folder(register: Path, tmp_path: Path) -> Path:
    """The same, to be written into, with a job."""
    return copied(register, tmp_path)


visit = pytest.fixture(visits, name="visit")


@pytest.fixture
def visitor(folder: Path, visit: Callable[..., Visitor]) -> Visitor:
    """Somebody at the desk of that job."""
    return visit(folder / "job.toml")


@pytest.fixture(scope="module")
def owner(register: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    """Somebody at a desk, for all tests of a file: nothing of it changes."""
    folder = copied(register, tmp_path_factory.mktemp("desk"))
    made = Visitor(Desk(folder / "job.toml", "", worker())).enter()
    yield made
    made.desk.worker.close()
