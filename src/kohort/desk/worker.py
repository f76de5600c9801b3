"""A process of its own for what needs records: it can be cancelled, and ends with the one that started it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from itertools import count
from queue import PriorityQueue
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

from kohort.desk.answers import LESS, Fault, faults_in

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

#: Seconds that a process has to clean up before it is killed.
PATIENCE: Final = 3.0

#: Questions whose answers a page shows once they are there: they are answered when nothing else is asked.
BESIDE: Final = ("cost", "unique")


class State(StrEnum):
    """How far a task is."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(slots=True, eq=False)
class Task:
    """A question on its way."""

    question: str
    arguments: tuple[object, ...]
    state: State = State.WAITING
    stage: str = ""
    value: Any = None
    faults: tuple[Fault, ...] = ()
    over: threading.Event = field(default_factory=threading.Event)

    @property
    def is_open(self) -> bool:
        """Whether there is more to come."""
        return not self.over.is_set()

    @property
    def is_beside(self) -> bool:
        """Whether no page waits for it."""
        return self.question.endswith(BESIDE)

    def end(self, state: State, *, value: object = None, faults: tuple[Fault, ...] = ()) -> None:
        """Say how it ended; the first end counts."""
        if not self.over.is_set():
            self.state, self.value, self.faults = state, value, faults
            self.over.set()


class Child(NamedTuple):
    """A process that answers."""

    line: Connection
    stop: Callable[[], None]


@dataclass(slots=True, eq=False)
class Worker:
    """Has one question after the other answered by a child, started when it is needed, and again if it ends."""

    start: Callable[[], Child]
    _tasks: PriorityQueue[tuple[int, int, Task | None]] = field(
        default_factory=PriorityQueue["tuple[int, int, Task | None]"]
    )
    _asked: count[int] = field(default_factory=count)
    _child: Child | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        """Wait for questions."""
        threading.Thread(target=self._work, daemon=True, name="kohort desk").start()

    def ask(self, question: str, *arguments: object) -> Task:
        """Have a question answered."""
        task = Task(question, arguments)
        self._tasks.put((int(task.is_beside), next(self._asked), task))
        return task

    def cancel(self, task: Task) -> None:
        """Give a task up; where it is being worked at, with the process that does."""
        with self._lock:
            running = task.state is State.RUNNING and task.is_open
            task.end(State.CANCELLED)
            if running:
                self._stop()

    def close(self) -> None:
        """Stop for good."""
        self._tasks.put((-1, next(self._asked), None))
        with self._lock:
            self._stop()

    def _stop(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.stop()

    def _work(self) -> None:
        while (task := self._tasks.get()[-1]) is not None:
            with self._lock:
                if not task.is_open:
                    continue
                task.state = State.RUNNING
                self._child = child = self._child or self.start()
            try:
                _converse(child.line, task)
            except (EOFError, OSError):
                with self._lock:
                    self._stop() if self._child is child else None
                task.end(State.FAILED, faults=(Fault("the process that does the work has ended", hint=LESS),))


def _converse(line: Connection, task: Task) -> None:
    line.send((task.question, task.arguments))
    while task.is_open:
        what, value = line.recv()
        if what == "stage":
            task.stage = value
        elif what == "done":
            task.end(State.DONE, value=value)
        else:
            task.end(State.FAILED, faults=value)


# --- in the child -----------------------------------------------------------------------------------------------------


def serve(line: Connection) -> None:
    """Answer questions until nobody asks any more."""
    from kohort.desk.kinds import answering  # noqa: PLC0415  only here are the libraries of tables needed

    def on_progress(stage: str) -> None:
        line.send(("stage", stage))

    answers = answering(on_progress)
    with suppress(EOFError, OSError):  # whoever asked is gone
        while True:
            question, arguments = line.recv()
            try:
                answer = "done", answers(question, arguments)
            except Exception as error:  # noqa: BLE001  the asker is told of whatever happens
                answer = "failed", faults_in(error)
            line.send(answer)


def child_process() -> Child:
    """A process that answers."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=child_main, args=(theirs,), daemon=True, name="kohort desk")
    process.start()
    theirs.close()
    return Child(ours, partial(end, process))


def end(process: BaseProcess) -> None:
    """Ask a process to end, and see to it."""
    process.terminate()
    process.join(PATIENCE)
    if process.is_alive():
        process.kill()
        process.join()


def child_main(line: Connection) -> None:
    """What the process does: Ctrl-C is for the one that started it, whose end is its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    threading.Thread(target=leave_with, args=(multiprocessing.parent_process(),), daemon=True).start()
    serve(line)


def _leave(*_: object) -> NoReturn:
    """End with everything that is open cleaned up."""
    sys.exit(143)


def leave_with(parent: BaseProcess | None) -> None:
    """End when the parent does, however that is."""
    if parent is not None:
        parent.join()
    os._exit(1)
