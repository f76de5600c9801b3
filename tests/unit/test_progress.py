"""Progress of long work: shown where somebody waits, and nothing is printed unless somebody asks."""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from types import ModuleType

import polars as pl
import pytest

import kohort
from kohort.system.progress import progress_to

PEOPLE = pl.DataFrame({"age": [str(20 + row % 5) for row in range(40)]})
STAGES = ["read", "count", "solve", "recode", "verify"]


class Notebook(HTMLParser):
    """What IPython has in a notebook: a kernel, and a display that can be changed."""

    def __init__(self) -> None:
        """Nothing is shown yet."""
        super().__init__()
        self.kernel = "a kernel"
        self.shown: list[dict[str, str]] = []
        self.bars: list[dict[str, str | None]] = []

    def display(self, data: dict[str, str], *, raw: bool, display_id: bool) -> Notebook:
        """Show something new."""
        assert display_id
        self.update(data, raw=raw)
        return self

    def update(self, data: dict[str, str], *, raw: bool) -> None:
        """Show something else in its place."""
        assert raw
        self.shown.append(data)
        self.feed(data["text/html"])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the bars."""
        if tag == "progress":
            self.bars.append(dict(attrs))

    @property
    def texts(self) -> list[str]:
        """What was shown, as plain text."""
        return [one["text/plain"] for one in self.shown]


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Notebook:
    """A notebook that runs the test."""
    made = Notebook()
    ipython, display = ModuleType("IPython"), ModuleType("IPython.display")
    monkeypatch.setattr(ipython, "get_ipython", lambda: made, raising=False)
    monkeypatch.setattr(display, "display", made.display, raising=False)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return made


def test_nothing_is_printed_unless_somebody_asks(capsys: pytest.CaptureFixture[str]) -> None:
    """Not in a script, and not in a log."""
    kohort.anonymize(PEOPLE, quasi=["age"], k=5)
    kohort.sweep(PEOPLE, quasi=["age"], vary={"k": [2, 5]})
    assert capsys.readouterr() == ("", "")


def test_a_function_is_called_with_each_stage(capsys: pytest.CaptureFixture[str]) -> None:
    """Once, as it begins; in a sweep with each point."""
    told: list[str] = []
    kohort.anonymize(PEOPLE, quasi=["age"], k=5, progress=told.append)
    assert told == STAGES
    told.clear()
    kohort.sweep(PEOPLE, quasi=["age"], vary={"k": [2, 5]}, progress=told.append)
    assert told == ["1 of 2: k = 2", "2 of 2: k = 5"]
    assert capsys.readouterr() == ("", "")


def test_a_script_prints_a_line_for_each_stage(capsys: pytest.CaptureFixture[str]) -> None:
    """To standard error, where a log reads it, and nothing that steers a terminal."""
    kohort.anonymize(PEOPLE, quasi=["age"], k=5, progress=True)
    with progress_to(progress=True) as on_progress:
        on_progress("a\x1b[2Jb")
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [*(f"kohort: {stage}" for stage in STAGES), r"kohort: a\x1b[2Jb"]


def test_a_notebook_shows_the_stage_and_then_the_times(notebook: Notebook, capsys: pytest.CaptureFixture[str]) -> None:
    """In one place below the cell, which stays with the time of the run."""
    kohort.anonymize(PEOPLE, quasi=["age"], k=5, progress=True)
    *before, last = notebook.texts
    assert before == ["start …", *(f"{stage} …" for stage in STAGES)]
    assert last.startswith("done after ")
    assert notebook.bars == [{}] * len(before)
    assert capsys.readouterr() == ("", "")


def test_a_bar_is_as_long_as_what_is_done(notebook: Notebook) -> None:
    """Where it is known how much there is to do."""
    kohort.sweep(PEOPLE, quasi=["age"], vary={"k": [2, 5]}, progress=True)
    assert [one for one in notebook.bars if one] == [{"value": "0", "max": "2"}, {"value": "1", "max": "2"}]


def test_work_that_fails_says_that_it_stopped(notebook: Notebook) -> None:
    """No bar is left that seems to run; a name is escaped."""
    with pytest.raises(kohort.InfeasibleError):
        kohort.anonymize(PEOPLE, quasi=["age"], k=50, progress=True)
    assert notebook.texts[-1].startswith("stopped after ")
    with progress_to(progress=True) as on_progress:
        on_progress("<b>")
    assert "&lt;b&gt;" in notebook.shown[-2]["text/html"]


def test_ipython_without_a_kernel_is_a_terminal(notebook: Notebook, capsys: pytest.CaptureFixture[str]) -> None:
    """It has nowhere to show a bar."""
    del notebook.kernel
    with progress_to(progress=True) as on_progress:
        on_progress("count")
    assert (notebook.shown, capsys.readouterr().err) == ([], "kohort: count\n")


def test_transactions_show_their_stages_too(capsys: pytest.CaptureFixture[str]) -> None:
    """As those of tables do."""
    baskets = kohort.Transactions.of([["a", "b"]] * 5)
    coherence = kohort.Coherence.of(h="0.5", k=2, p=1)
    job = kohort.TransactionJob(coherence=coherence, roles=kohort.Listed(private=()))
    kohort.anonymize_transactions(baskets, job, progress=True)
    assert capsys.readouterr().err.splitlines() == [f"kohort: {stage}" for stage in STAGES]
