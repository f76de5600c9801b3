"""The terminal: progress, one JSON object or a few lines, and the signals by which a person stops a run."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Final

import click

from kohort.errors import FileError, readable, readable_json
from kohort.errors.display import INTERNAL, for_steward
from kohort.system.progress import progress_to

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping
    from sys import UnraisableHookArgs
    from types import FrameType

    from kohort.report import Json


#: A line of a text that must not be overlooked, which is coloured on a terminal.
_warning = re.compile("^(?: *Warning: |NOT ).*", re.MULTILINE)


def progress(*, quiet: bool = False) -> AbstractContextManager[Callable[[str], None]]:
    """A line on standard error that says which stage runs and since when; only on a terminal."""
    return progress_to(not quiet and sys.stderr.isatty())


def echo(text: str, *, err: bool = False) -> None:
    """Print a text, in which nothing steers the terminal; to standard error if `err`."""
    click.echo(readable(text), err=err)


def styled(text: str, fg: str | None = None) -> str:
    """A text in bold letters, for a terminal; plain where colours are not wanted."""
    return text if os.environ.get("NO_COLOR") else click.style(text, fg, bold=True)


def echo_json(document: object, *, indent: int | None = None) -> None:
    """Print a JSON document, in ASCII: so it survives any encoding of the terminal or pipe."""
    click.echo(readable_json(json.dumps(document, indent=indent)))


def say(
    text: str,
    figures: Mapping[str, Json] | None = None,
    *,
    as_json: bool = False,
    quiet: bool = False,
    internal: bool = False,
) -> None:
    """Print `figures` as one JSON object, or else `text` unless quiet.

    What is made of the input, for the steward who has it, says so before anything else.

    Raises:
        FileError: standard output takes no more; quietly an `Exit` of the same status where its reader has left.
    """
    if quiet and not as_json:
        return
    if internal:
        text, figures = for_steward(text), {**INTERNAL, **(figures or {})}
    try:
        if as_json:
            echo_json(figures)
        else:
            click.echo(_warning.sub(lambda found: styled(found[0], "red"), readable(text)))
    except BrokenPipeError:
        with Path(os.devnull).open("wb") as nowhere:  # Python would complain once more when it flushes at exit
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        raise click.exceptions.Exit(FileError.exit_status) from None
    except OSError as fault:
        raise FileError(f"printing failed: {fault.strerror}", where="standard output") from None


# --- Ctrl-C and SIGTERM: each ends a run where it is, once, and what is open is cleaned up ----------------------------

#: The signals that stop a run.
STOPPING: Final = (signal.SIGINT, signal.SIGTERM)


class _InterruptedError(KeyboardInterrupt):
    """Ctrl-C. Once KeyboardInterrupt itself has left code that was run from text, Python ends the process by SIGINT."""


@dataclass(slots=True)
class Signals:
    """The signals that asked a run to stop.

    Attributes:
        received: The status of each: none, as a rule.
        over: Whether the run has ended, and only its end is left to tell.
        raised: What was raised where the program was, for each.
    """

    received: list[int] = field(default_factory=list[int])
    over: bool = False
    raised: list[BaseException] = field(default_factory=list[BaseException])

    def stop(self, number: int, frame: FrameType | None) -> None:
        """Raise where the program is, unless an earlier signal is on its way out: its cleaning up is not disturbed."""
        if self.over or self._leaving():
            return
        while frame is not None:
            if frame.f_code is Signals.ignored.__code__:  # what is raised there Python prints, and forgets
                _again(number)
                return
            frame = frame.f_back
        self.received.append(128 + number)
        self.raised.append(_InterruptedError() if number == signal.SIGINT else SystemExit(128 + number))
        raise self.raised[-1]

    def ignored(self, found: UnraisableHookArgs) -> None:
        """What was raised in a destructor goes nowhere: have the signal come again, once that is left."""
        if isinstance(found.exc_value, KeyboardInterrupt | SystemExit) and self.received:
            _again(self.received[0] - 128)

    def _leaving(self) -> bool:
        """Whether the program is in an `except`, `finally` or `with` that one of the exceptions has reached."""
        handled, known = sys.exc_info()[1], set[int]()
        while handled is not None and id(handled) not in known:
            if any(handled is one for one in self.raised):
                return True
            known.add(id(handled))
            handled = handled.__context__
        return False


def _again(number: int) -> None:
    """Send this process a signal, a moment later."""
    Timer(0.01, os.kill, [os.getpid(), number]).start()


@contextmanager
def stoppable(*, forever: bool) -> Generator[Signals]:
    """Let signals end a run in order.

    Args:
        forever: Whether the process ends afterwards: then signals that come still later change nothing any more.
    """
    signals = Signals()
    before = {number: signal.signal(number, signals.stop) for number in STOPPING}
    hook, sys.unraisablehook = sys.unraisablehook, signals.ignored
    try:
        yield signals
    finally:
        sys.unraisablehook = hook
        for number, handler in before.items():
            signal.signal(number, signal.SIG_IGN if forever else handler)


def listen() -> None:
    """Let signals come that have been waiting while the program was imported."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
