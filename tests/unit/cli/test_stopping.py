"""A signal ends a run once: what it cleans up on its way out, and what it tells, are not disturbed by another."""

from __future__ import annotations

import signal
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

import pytest

from kohort.cli import main, program
from kohort.cli.screen import stoppable

if TYPE_CHECKING:
    import sys
    from collections.abc import Callable, Generator

BOTH = (signal.SIGINT, signal.SIGTERM)


@pytest.mark.parametrize("first", BOTH)
@pytest.mark.parametrize("second", BOTH)
def test_a_second_signal_leaves_cleaning_up_alone(first: signal.Signals, second: signal.Signals) -> None:
    """In `finally`, in `except`, in what a generator closes, and in what fails meanwhile."""
    done: list[str] = []

    @contextmanager
    def opened() -> Generator[None]:
        try:
            yield
        finally:
            signal.raise_signal(second)
            done.append("with")

    def run() -> None:
        try:
            with opened():
                signal.raise_signal(first)
        finally:
            try:
                int("no number")
            except ValueError:
                signal.raise_signal(second)
                done.append("finally")

    with stoppable(forever=False) as signals, pytest.raises((KeyboardInterrupt, SystemExit)):
        run()
    assert done == ["with", "finally"]
    assert signals.received == [128 + first]


def test_a_signal_that_was_swallowed_is_not_the_last() -> None:
    """A library may take it for a failure of its own, and go on: then the next one counts."""
    with stoppable(forever=False) as signals:
        for _ in range(2):
            with pytest.raises(SystemExit):
                signal.raise_signal(signal.SIGTERM)
    assert signals.received == [143, 143]


def test_a_signal_in_a_destructor_comes_again(capsys: pytest.CaptureFixture[str]) -> None:
    """Also one that comes while Python hands over what a destructor raised: it prints nothing, and ends the run."""

    class Disturbing:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGTERM)

    class Found:
        @property
        def exc_value(self) -> BaseException:
            signal.raise_signal(signal.SIGTERM)
            return ValueError()

    def run(inside: Callable[[], object]) -> None:
        inside()
        time.sleep(10)

    with stoppable(forever=False) as signals, pytest.raises(SystemExit):
        run(Disturbing)
    assert signals.received == [143, 143]
    with stoppable(forever=False) as signals, pytest.raises(SystemExit):
        run(lambda: signals.ignored(cast("sys.UnraisableHookArgs", Found())))
    assert signals.received == [143]
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("place", ["_ending", "_tell"])
def test_signals_at_the_end_are_told_once(
    place: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """While the end is made out and told, others change nothing: no traceback, one sentence, the first one's status."""
    true = getattr(program, place)

    def disturbed(*given: object) -> object:
        for number in BOTH:
            signal.raise_signal(number)
        return true(*given)

    def app(*_: object, **__: object) -> None:
        signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(program, place, disturbed)
    monkeypatch.setattr(program, "dispatch", app)
    assert main(["--version"]) == 143
    assert capsys.readouterr().err == "kohort: terminated; nothing incomplete was published\n"


def test_a_first_signal_as_a_run_ends_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It raises where nothing of the run catches it any more."""

    def late(*_: object) -> None:
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(program, "_ending", late)
    assert main(["--version"]) == 130
    assert capsys.readouterr().err == "kohort: interrupted; nothing incomplete was published\n"
