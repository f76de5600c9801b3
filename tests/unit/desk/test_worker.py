"""The process that answers: it tells its stages, can be ended, and is started again."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from typing import TYPE_CHECKING

import pytest

from kohort.desk import worker as module
from kohort.desk.answers import LESS, Fault, faults_in
from kohort.desk.questions import TableSession
from kohort.desk.worker import State, Worker, child_process
from kohort.errors import InputError, JobError, UsageError
from tests.unit.desk.visitor import child_thread, worker

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def threads() -> Iterator[Worker]:
    """A worker whose child is a thread."""
    made = worker()
    yield made
    made.close()


def test_an_answer_comes_with_its_stages(threads: Worker, folder: Path) -> None:
    """And the next question about the same table reads it no more."""
    text = (folder / "job.toml").read_text(encoding="utf-8")
    first, second = (threads.ask("table.look", text, str(folder)) for _ in range(2))
    assert first.over.wait(60)
    assert second.over.wait(60)
    assert first.stage == "inspect"
    assert first.value.records == second.value.records == 300
    assert not first.is_open


def test_a_table_that_has_changed_is_read_again(threads: Worker, folder: Path) -> None:
    """Nobody decides on records of yesterday."""
    text = (folder / "job.toml").read_text(encoding="utf-8")
    assert threads.ask("table.look", text, str(folder)).over.wait(60)
    lines = (folder / "people.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "people.csv").write_text("".join(lines[:101]), encoding="utf-8")
    task = threads.ask("table.look", text, str(folder))
    assert task.over.wait(60)
    assert task.value.records == 100


def test_what_is_wrong_comes_back_in_its_parts(threads: Worker, folder: Path) -> None:
    """What, where, and what to do."""
    task = threads.ask("table.records", '[input]\npath = "none.csv"', str(folder), 1)
    assert task.over.wait(60)
    assert task.state is State.FAILED
    assert task.faults[0].what


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (InputError("ragged", where="line 7", hint="mend it"), [Fault("ragged", "line 7", "mend it")]),
        (JobError("two", [UsageError("a"), UsageError("b", where="x")]), [Fault("a"), Fault("b", "x")]),
        (MemoryError("cell"), [Fault("out of memory", hint=LESS)]),
    ],
)
def test_an_error_is_told_in_its_parts(error: Exception, says: list[Fault]) -> None:
    """All faults of a job among them."""
    assert list(faults_in(error)) == says


def test_of_another_error_only_the_kind_is_told() -> None:
    """Its text may hold a cell."""
    (fault,) = faults_in(ValueError("Mario Rossi"))
    assert "ValueError" in fault.what
    assert "Rossi" not in str(fault)


def test_a_task_that_waits_is_given_up(threads: Worker, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """The one before it goes on; the one that was given up is never begun, and stays so."""
    go, begun = threading.Event(), threading.Event()

    def slow(_: TableSession, *__: object) -> str:
        begun.set()
        assert go.wait(60)
        return "done"

    monkeypatch.setattr(TableSession, "draft", slow)
    first, second = threads.ask("table.draft"), threads.ask("table.look", "", str(folder))
    assert begun.wait(60)
    threads.cancel(second)
    go.set()
    assert first.over.wait(60)
    assert (first.state, second.state) == (State.DONE, State.CANCELLED)
    assert threads.ask("table.draft").over.wait(60)
    threads.cancel(second)
    assert second.state is State.CANCELLED


def test_a_child_that_ends_is_told_of_and_started_again(folder: Path) -> None:
    """What it was asked fails with a sentence; the next question is answered by another."""
    children: list[module.Child] = []

    def start() -> module.Child:
        children.append(child_thread())
        if len(children) == 1:
            children[0].stop()
        return children[-1]

    made = Worker(start)
    text = (folder / "job.toml").read_text(encoding="utf-8")
    first = made.ask("table.records", text, str(folder), 1)
    assert first.over.wait(60)
    assert "has ended" in first.faults[0].what
    second = made.ask("table.records", text, str(folder), 1)
    assert second.over.wait(60)
    assert second.state is State.DONE
    made.close()


@pytest.mark.slow
def test_a_process_answers_and_is_ended_in_the_middle(folder: Path) -> None:
    """Cancelled, it is gone, and so is what it was doing; another one answers afterwards."""
    made = Worker(child_process)
    text = (folder / "job.toml").read_text(encoding="utf-8")
    first = made.ask("table.records", text, str(folder), 1)
    while first.state is State.WAITING:
        pass
    made.cancel(first)
    assert first.state is State.CANCELLED
    assert not [one for one in multiprocessing.active_children() if one.name == "kohort desk"]
    second = made.ask("table.records", text, str(folder), 1)
    assert second.over.wait(120)
    assert len(second.value.before) == 10
    made.close()
    assert not [one for one in multiprocessing.active_children() if one.name == "kohort desk"]


class Stubborn:
    """A process that does not end when it is asked to."""

    def __init__(self) -> None:
        """Nothing was asked of it."""
        self.said: list[str] = []

    def terminate(self) -> None:
        """Keep that it was asked."""
        self.said.append("terminate")

    def join(self, timeout: float | None = None) -> None:
        """Keep how long it was waited for."""
        self.said.append(f"join {timeout}")

    def is_alive(self) -> bool:
        """It goes on."""
        return True

    def kill(self) -> None:
        """Keep that it was killed."""
        self.said.append("kill")


def test_a_process_that_does_not_end_is_killed() -> None:
    """After some seconds."""
    process = Stubborn()
    module.end(process)  # type: ignore[arg-type]
    assert process.said == ["terminate", "join 3.0", "kill", "join None"]


def test_the_process_ends_with_its_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    """However that ended; Ctrl-C is not for the child, and an end that is asked for cleans up."""
    left: list[int] = []
    monkeypatch.setattr(os, "_exit", left.append)
    process = Stubborn()
    module.leave_with(process)  # type: ignore[arg-type]
    module.leave_with(None)
    assert process.said == ["join None"]
    assert left == [1, 1]


def test_the_main_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """It serves until nobody asks."""
    ours, theirs = multiprocessing.Pipe()
    ours.close()

    def stay(_: object) -> None:
        """Nobody is looked at."""

    monkeypatch.setattr(module, "leave_with", stay)
    before = {one: signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        module.child_main(theirs)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        handler = signal.getsignal(signal.SIGTERM)
        assert callable(handler)
        with pytest.raises(SystemExit):
            handler(signal.SIGTERM, None)
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
