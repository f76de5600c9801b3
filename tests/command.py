"""The command line, run inside the tests' own process: what it prints and how it ends."""

from __future__ import annotations

import json
import os
import re
import signal
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from typing import TYPE_CHECKING, Any, cast
from unittest.mock import patch

import click

from kohort.cli import app, main

if TYPE_CHECKING:
    from collections.abc import Iterator


def command(words: str) -> Any:  # noqa: ANN401  as click has it
    """A command or group by its words; kohort itself by none."""
    found: Any = app
    for word in words.split():
        found = found.get_command(click.Context(found), word)
    return found


def commands(above: str = "") -> Iterator[str]:
    """The words of every command and group, in the order of the help."""
    group = command(above)
    for name in group.list_commands(click.Context(group)):
        yield (words := f"{above} {name}".strip())
        if isinstance(command(words), click.Group):
            yield from commands(words)


def flags_of(command: click.Command) -> list[Any]:
    """The arguments and flags of a command, that of its help last."""
    return [*command.get_params(click.Context(command, **command.context_settings))]


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended; how long it took, where it says so, is no part of what it printed."""

    status: int
    out: str
    err: str
    took: str = ""

    @property
    def figures(self) -> dict[str, Any]:
        """The one JSON object on standard output."""
        return cast("dict[str, Any]", json.loads(self.out))


def kohort(*arguments: object, stdin: bytes = b"") -> Ran:
    """Run the command line with these arguments, 100 characters wide, without colours."""
    out, err = (TextIOWrapper(BytesIO(), encoding="utf-8") for _ in range(2))
    handler = signal.getsignal(signal.SIGTERM)  # which the command line replaces
    try:
        with (
            patch.dict(os.environ, {"COLUMNS": "100", "POLARS_MAX_THREADS": "2"}),
            patch("sys.stdin", TextIOWrapper(BytesIO(stdin))),
            redirect_stdout(out),
            redirect_stderr(err),
        ):
            status = main([str(argument) for argument in arguments])
    finally:
        signal.signal(signal.SIGTERM, handler)
    printed = _plain(out)
    took = re.search(r"^took [0-9.,]+ s.*\n", printed, re.MULTILINE)  # which no other run prints again
    return Ran(status, printed.replace(took[0], "") if took else printed, _plain(err), took[0] if took else "")


def _plain(stream: TextIOWrapper) -> str:
    """What was printed, without the colours that some environments ask for."""
    stream.flush()
    return re.sub(r"\x1b\[[0-9;]*m", "", cast("BytesIO", stream.buffer).getvalue().decode())
