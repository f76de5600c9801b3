"""The stages of long work, shown where somebody waits: in a notebook, on a terminal, in a log, by a function."""

from __future__ import annotations

import re
import sys
import time
from contextlib import contextmanager, nullcontext
from importlib import import_module
from typing import TYPE_CHECKING, Final, TypeAlias

from kohort.errors import readable
from kohort.errors.display import escaped

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    #: How progress is asked for: not at all, where the program runs, or by calling a function with each stage.
    Progress: TypeAlias = bool | Callable[[str], None]

#: The beginning of a stage whose number is known.
_NUMBER: Final = re.compile(r"(\d+) of (\d+)\b")


@contextmanager
def progress_to(progress: Progress) -> Generator[Callable[[str], None]]:
    """What to call with each stage of some work, as it begins.

    Args:
        progress: With `True`, a notebook or a terminal shows the stage that runs, and a line for each stage goes to
            standard error if that is neither; with `False`, nothing is shown; a function is called with each stage.
            A stage that is repeated is shown once.

    >>> with progress_to(print) as on_progress:
    ...     on_progress("count")
    count
    """
    if progress is False:
        yield lambda _: None
        return
    shown = nullcontext(progress) if callable(progress) else _notebook() if _in_notebook() else _terminal()
    last = ""
    with shown as show:

        def on_progress(stage: str) -> None:
            nonlocal last
            if stage != last:
                last = stage
                show(stage)

        yield on_progress


def _in_notebook() -> bool:
    """Whether a notebook runs this program: IPython is loaded then, and has a kernel."""
    loaded = sys.modules.get("IPython")
    return loaded is not None and hasattr(loaded.get_ipython(), "kernel")


@contextmanager
def _terminal() -> Generator[Callable[[str], None]]:
    """A line on standard error that says which stage runs and since when; a line for each if that is no terminal."""
    if not sys.stderr.isatty():
        yield lambda stage: print(f"kohort: {readable(stage, '')}", file=sys.stderr, flush=True)  # noqa: T201  asked for
        return
    from rich.console import Console  # noqa: PLC0415  a library of this size is loaded where something is shown
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415  as above

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("start", total=None)
        yield lambda stage: bar.update(task, description=f"{readable(stage, '')} …")


@contextmanager
def _notebook() -> Generator[Callable[[str], None]]:
    """A bar below the cell, as long as the stage's number if that is known; in the end the time that all took."""
    start, ending = time.perf_counter(), "stopped"

    def shown(stage: str) -> dict[str, str]:
        number = _NUMBER.match(stage)
        filled = f' value="{int(number[1]) - 1}" max="{number[2]}"' if number else ""
        html = f"<label><progress{filled}></progress> {escaped(stage)}</label>"
        return {"text/plain": f"{readable(stage, '')} …", "text/html": html}

    line = import_module("IPython.display").display(shown("start"), raw=True, display_id=True)
    try:
        yield lambda stage: line.update(shown(stage), raw=True)
        ending = "done"
    finally:
        text = f"{ending} after {time.perf_counter() - start:,.2f} s"
        line.update({"text/plain": text, "text/html": text}, raw=True)
