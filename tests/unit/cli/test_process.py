"""What surrounds the commands: imports, threads, progress, and how a process ends whatever happens."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import warnings
from io import BytesIO, TextIOWrapper
from typing import TYPE_CHECKING

import click
import pytest

from kohort import cli, system
from kohort.cli import program, screen
from kohort.cli.program import noting
from kohort.errors import FileError, SourceNote
from tests.command import kohort

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

#: What helping somebody must not cost.
HEAVY = {"jinja2", "matplotlib", "numpy", "pandas", "polars", "pyarrow", "pydantic", "tomlkit"}

#: Runs commands in one fresh process, and tells how many threads polars would have been given in each.
PROBE = """
import json, os, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "polars":
            seen.append(os.environ.get("POLARS_MAX_THREADS"))
            raise SystemExit(99)  # no command may catch it

sys.meta_path.insert(0, Finder())
from kohort.cli import main, options
told = {}
for command in json.loads(sys.argv[1]):
    for given in (None, "7"):
        os.environ.pop("POLARS_MAX_THREADS", None)
        if given:
            os.environ["POLARS_MAX_THREADS"] = given
        seen = []
        status = main(command.split())
        told[command + (" with 7" if given else "")] = [status, *seen]
print(json.dumps([options.CORES, told]))
"""

#: One call of every command that reads or makes data.
READING = [
    "demo --out none",
    "generate italy --out none",
    "inspect none.csv",
    "init none.csv",
    "anonymize none.csv --out none.r.csv --quasi a",
    "run {job}",
    "check none.csv --quasi a",
    "hierarchy build suppress --in none.csv --column a --out none.h.csv",
    "hierarchy check {hierarchy} --in none.csv --column a",
]


@pytest.fixture(autouse=True)
def _same_handler() -> Iterator[None]:
    """The command line takes SIGTERM over; the tests give it back."""
    handler = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, handler)


def fresh(code: str, *arguments: str) -> str:
    """What a fresh interpreter prints that runs `code`."""
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1]


def test_a_note_is_printed_once_and_other_warnings_stay(capsys: pytest.CaptureFixture[str]) -> None:
    """What is to be known of a table is said once, as a note."""
    with noting(quiet=False):
        for _ in range(2):
            warnings.warn(SourceNote("sheet A of 2 is read"), stacklevel=1)
    with pytest.warns(UserWarning, match="of a library"), noting(quiet=False):
        warnings.warn("of a library", UserWarning, stacklevel=1)
    assert capsys.readouterr().err == "note: sheet A of 2 is read\n"


@pytest.mark.parametrize(
    ("number", "used"), [("00003", 3), (str(10**8), system.MOST_THREADS), ("9" * 5000, system.MOST_THREADS)]
)
def test_more_threads_than_are_of_use_are_not_begun(number: str, used: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred million would take all memory, and thousands wait for one another for ever."""
    monkeypatch.setenv("POLARS_MAX_THREADS", "")  # so that it is put back
    for words in (["--threads", number], [f"--threads={number}"]):
        monkeypatch.delenv("POLARS_MAX_THREADS", raising=False)
        program._limit_threads(words)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  it runs before any command
        assert system.threads() == used


def test_a_number_of_threads_with_thousands_of_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python reads none of more than 4,300 digits: as a flag it is a misuse, and in the environment it says nothing."""
    assert kohort("anonymize", "none.csv", "--out", "r.csv", "--threads", "9" * 5000).status == 2
    monkeypatch.setenv("POLARS_MAX_THREADS", "9" * 5000)
    assert system.threads() == system.cores()


def test_help_imports_nothing_heavy() -> None:
    """`kohort --help` needs click and the standard library only."""
    code = (
        "import sys; from kohort.cli import main; main(['--help']); print(*{n.partition('.')[0] for n in sys.modules})"
    )
    assert not set(fresh(code).split()) & {"rich", *HEAVY}


def test_help_of_a_command_draws_nothing() -> None:
    """It is text, and nothing is compiled or drawn for it."""
    code = "import sys; from kohort.cli import main; main(['anonymize', '-h']);"
    code += " print(*{n.partition('.')[0] for n in sys.modules})"
    assert not set(fresh(code).split()) & {"rich", *(HEAVY - {"numpy"})}


def test_every_command_limits_threads_before_polars_is_imported(tmp_path: Path) -> None:
    """All cores, or as many as the user said in the environment or by the flag; polars reads it once."""
    tree = tmp_path / "h.csv"
    tree.write_text("a;*\n", encoding="utf-8")
    job = tmp_path / "job.toml"
    job.write_text(
        'input.path = "none.csv"\noutput.path = "out.csv"\nprivacy.k = 2\ncolumns.a.role = "quasi"\n', encoding="utf-8"
    )
    commands = [command.format(hierarchy=tree, job=job) for command in READING]
    three = [
        "anonymize none.csv --out none.r.csv --quasi a --threads 3",
        f"run {job} --threads 3",
    ]
    cores, told = json.loads(fresh(PROBE, json.dumps([*commands, *three])))
    assert {command: told[command] for command in commands} == {command: [99, str(cores)] for command in commands}
    assert {command: told[command] for command in three} == {command: [99, "3"] for command in three}
    assert all(told[f"{command} with 7"] == [99, "7"] for command in (*commands, *three))


@pytest.mark.parametrize(
    ("raised", "status", "said"),
    [
        (RuntimeError("Zanzottera"), 70, "an internal error (RuntimeError); please report these lines:"),
        (type("PanicException", (BaseException,), {})("Zanzottera"), 8, "a library gave up"),
        (MemoryError("Zanzottera"), 8, "out of memory"),
        (OSError(5, "Input/output error", "Zanzottera"), 6, "the system reports: Input/output error"),
        (KeyboardInterrupt(), 130, "interrupted; nothing incomplete was published"),
    ],
)
def test_no_end_shows_a_traceback_or_a_value(
    monkeypatch: pytest.MonkeyPatch, raised: BaseException, status: int, said: str
) -> None:
    """Whatever is raised ends in one message without the text of a foreign error, and in its own status."""

    def fail(*_: object, **__: object) -> None:
        raise raised

    monkeypatch.setattr("kohort.schema.hierarchies.read_hierarchy", fail)
    ran = kohort("hierarchy", "show", "h.csv")
    assert ran.status == status
    assert ran.out == ""
    assert ran.err.startswith("kohort: ")
    assert said in ran.err
    assert "Zanzottera" not in ran.err
    assert "Traceback" not in ran.err
    assert ("cli/hierarchy.py, line " in ran.err) == (status == 70)


@pytest.mark.parametrize("json_too", [False, True])
def test_a_library_that_gives_the_process_up_is_told_of(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *, json_too: bool
) -> None:
    """A damaged Parquet file makes polars ask for exabytes and abort: that has a status and a sentence, too."""
    answers: list[Callable[[], object]] = []
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    monkeypatch.setattr(program, "on_abort", answers.append)
    monkeypatch.setattr("sys.argv", ["kohort", "key", "no/folder/key", *["--json"] * json_too])
    assert cli.main() == (2 if json_too else 6)  # the command has no such flag, or no such folder
    for number, handler in handlers.items():
        signal.signal(number, handler)
    capsys.readouterr()
    ended: list[int] = []
    monkeypatch.setattr("os._exit", ended.append)
    answers[0]()
    out, err = capsys.readouterr()
    assert ended == [8]
    assert "a library gave up" in err
    assert (json.loads(out)["status"] == 8) if json_too else not out


def test_sigterm_ends_a_command_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is open is closed on the way out, and the status is that of the signal."""
    closed: list[bool] = []

    def wait(*_: object, **__: object) -> None:
        try:
            signal.raise_signal(signal.SIGTERM)
        finally:
            closed.append(True)

    monkeypatch.setattr("kohort.schema.hierarchies.read_hierarchy", wait)
    ran = kohort("hierarchy", "show", "h.csv")
    assert (ran.status, ran.out) == (143, "")
    assert ran.err == "kohort: terminated; nothing incomplete was published\n"
    assert closed == [True]


def test_a_process_without_outputs_works(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A daemon has no standard output; its commands work all the same."""
    tree = tmp_path / "h.csv"
    tree.write_text("a;*\n", encoding="utf-8")
    monkeypatch.setattr("sys.stdout", None)
    assert cli.main(["hierarchy", "convert", str(tree), "--out", str(tmp_path / "h.json")]) == 0
    assert (tmp_path / "h.json").exists()


def test_a_reader_that_left_is_not_written_to_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """After a broken pipe what is still buffered goes nowhere, and the status is that of a failed write."""

    def gone(*_: object, **__: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr("click.echo", gone)
    with (tmp_path / "out").open("w", encoding="utf-8") as out:
        monkeypatch.setattr("sys.stdout", out)
        out.write("buffered")
        with pytest.raises(click.exceptions.Exit) as left:
            screen.say("text")
    assert left.value.exit_code == 6
    assert (tmp_path / "out").read_text("utf-8") == ""


def test_an_interrupt_before_any_command_is_one_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while the command line itself starts ends the same way."""

    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(program, "listen", interrupt)
    assert kohort("--help").status == 130


def test_nobody_listening_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """A closed standard error changes no status."""

    def closed(*_: object, **__: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr("click.echo", closed)
    assert kohort("hierarchy", "show", "none.csv").status == 3


def test_terminals_without_a_sign_get_its_escape(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An encoding that lacks a sign does not end a run."""
    tree = tmp_path / "h.csv"
    tree.write_text("税;*\n", encoding="utf-8")
    out = TextIOWrapper(BytesIO(), encoding="cp1252")
    monkeypatch.setattr("sys.stdout", out)
    assert cli.main(["hierarchy", "show", str(tree)]) == 0
    out.seek(0)
    assert "\\u7a0e" in out.read()


class Terminal(TextIOWrapper):
    """A standard error that is a terminal."""

    def isatty(self) -> bool:
        """It is."""
        return True


def test_a_terminal_sees_the_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    """Progress goes to standard error, and only where a person looks at it."""
    monkeypatch.setenv("TERM", "xterm")
    shown = Terminal(BytesIO(), encoding="utf-8")
    monkeypatch.setattr("sys.stderr", shown)
    with screen.progress() as on_progress:
        on_progress("solve")
    shown.seek(0)
    assert "solve …" in shown.read()


def test_a_terminal_sees_each_attack(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Attacks on a release are stages of their own, with or without a report."""
    monkeypatch.setenv("TERM", "xterm")
    (tmp_path / "a.csv").write_text("age\n" + "30\n40\n" * 20, encoding="utf-8")
    for report in ((), ("--report", str(tmp_path / "a.html"))):
        shown = Terminal(BytesIO(), encoding="utf-8")
        command = ("anonymize", str(tmp_path / "a.csv"), "--out", str(tmp_path / "r.csv"), "--quasi", "age", "--k", "2")
        with monkeypatch.context() as patch:
            patch.setattr("sys.stderr", shown)
            assert cli.main([*command, "--attack", "linking", "--overwrite", *report]) == 0
        shown.seek(0)
        assert "attack 1 of 1: linking …" in shown.read()


@pytest.mark.parametrize("quiet", [True, False])
def test_others_see_no_progress(capsys: pytest.CaptureFixture[str], *, quiet: bool) -> None:
    """A file or a pipe gets none; nor does whoever asked for quiet."""
    with screen.progress(quiet=quiet) as on_progress:
        on_progress("solve")
    assert capsys.readouterr() == ("", "")


def test_json_outlives_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    """Who asks for JSON wants it, quiet or not; text is silenced."""
    screen.say("text", {"a": "é"}, as_json=True, quiet=True)
    screen.say("text", {"a": "é"}, quiet=True)
    assert capsys.readouterr().out == '{"a": "\\u00e9"}\n'


def test_a_full_output_is_a_failed_write(monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be printed is told as any failed write is."""

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("click.echo", full)
    with pytest.raises(FileError, match="No space left"):
        screen.say("text")
