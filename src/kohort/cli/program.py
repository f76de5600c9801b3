"""The program `kohort`: its commands, each made when it is needed, and how it ends."""

from __future__ import annotations

import gc
import os
import sys
import warnings
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from traceback import extract_tb
from types import MappingProxyType
from typing import Annotated, Any, Final, NamedTuple, NoReturn
from warnings import catch_warnings, simplefilter

import typer
import typer.main
from typer.core import TyperCommand, TyperGroup

from kohort.cli.screen import echo, echo_json
from kohort.cli.stopping import listen, stoppable
from kohort.errors import FileError, JobError, KohortError, LimitError, SourceNote
from kohort.shown import readable
from kohort.system import address_space, on_abort

#: A fault of kohort itself: none of the statuses that scripts rely on (as sysexits.h has it).
INTERNAL: Final = 70


#: What is reported of a run that was stopped by a signal.
_STOPPED: Final = {
    130: "interrupted; nothing incomplete was published",
    143: "terminated; nothing incomplete was published",
}

#: What is reported where a library gave up.
_REFUSED: Final = (
    "a library gave up, as when the system refuses memory, threads or files, or an input file is damaged;"
    " nothing more was published"
)

#: Bytes of address space that a run needs at least: libraries reserve far more than they use.
_ADDRESSES: Final = 2 << 30

#: How help is requested, of every command.
_SETTINGS: Final = {"help_option_names": ["-h", "--help"]}

#: The commands: the module and function of each, and the sentence of its help. Groups have one word before.
COMMANDS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "demo": ("demo:demo", "Generate a register, anonymize it, verify the release and show the result."),
        "app": (
            "desk:app",
            "Open the desk in your browser: inspect a table or transactions, choose settings, preview and release.",
        ),
        "inspect": ("describe:inspect", "Guess what each column reveals, with reasons."),
        "init": ("describe:init", "Write a job file with these guesses, for you to correct."),
        "anonymize": ("anonymize:anonymize", "Turn a table into a verified k-anonymous release."),
        "transactions": ("transactions:transactions", "Turn baskets into a verified (h,k,p)-coherent release."),
        "convert": ("transactions:convert", "Convert transactions to another format; this does not anonymize them."),
        "run": ("anonymize:run", "Run a job file, on a table or on transactions."),
        "advise": ("advise:advise", "Show what single changes of a job would keep or cost, and take one."),
        "check": (
            "check:check",
            "Check a file against privacy models or its certificate (status 1 if not met), or only measure it.",
        ),
        "report": ("report:report", "Write the page of a release, from its figures or from its job."),
        "risk": ("risk:risk", "Report whom an attacker could find in a file, and how; write nothing."),
        "compare": (
            "compare:compare",
            "Compare a table and its release: means, distributions, associations, counts and predictions.",
        ),
        "perturb": (
            "perturb:perturb",
            "Perturb columns by noise, rank swapping, microaggregation, rounding, coding or PRAM; measure the effect.",
        ),
        "sweep": ("sweep:sweep", "Show what a release would cost as parameters vary; release nothing."),
        "key": ("perturb:key", "Write a new key for pseudonyms, which only you may read."),
        "metadata": (
            "report:metadata",
            "Describe a release for data catalogues, from its certificate: Frictionless, Croissant or DCAT.",
        ),
        "schema": ("describe:schema", "Print the JSON Schema of a job file."),
        "compile": (
            "compile:compile_loops",
            "Compile the inner loops ahead of time, for a container image or an installation that others use.",
        ),
        "hierarchy": ("", "Build, show, check and convert generalization hierarchies."),
        "hierarchy build": ("hierarchy:build", "Build a hierarchy over the values of a table's column."),
        "hierarchy show": ("hierarchy:show", "Print the levels of a hierarchy, the loss on each, and its tree."),
        "hierarchy check": (
            "hierarchy:check",
            "Check that a hierarchy nests, hides and covers a table's column; status 1 if it lacks values.",
        ),
        "hierarchy convert": ("hierarchy:convert", "Rewrite a hierarchy: CSV rows as a JSON tree, or the reverse."),
        "generate": ("", "Generate synthetic data, seeded and streamed to any size."),
        "generate italy": (
            "generate:italy",
            "A register of Italy: names, gender, city, age, education, profession, annual income.",
        ),
        "generate admissions": (
            "generate:admissions",
            "Hospital stays: patient, sex, birth date, postal code, dates, ward, diagnosis, charge, outcome; a job.",
        ),
        "generate baskets": (
            "generate:baskets",
            "Shop transactions, after IBM's Quest generator: a line for each, its items separated by blanks.",
        ),
        "generate matrix": (
            "generate:matrix",
            "A 0/1 matrix of independent cells: a row for each transaction, a column for each item.",
        ),
    }
)


class Deferred(TyperCommand):
    """A command whose module is imported and whose flags are made when it is run or asked for its help."""

    def __init__(self, name: str, place: str, sentence: str) -> None:
        """Keep where the command is."""
        super().__init__(name, help=sentence)
        self._place = place

    @cached_property
    def loaded(self) -> Any:  # noqa: ANN401  typer's own class has no public name
        """The command with its flags."""
        from kohort.cli.derive import flattened

        module, _, function = self._place.partition(":")
        single = typer.Typer(add_completion=False)
        made = flattened(getattr(import_module(f"kohort.cli.{module}"), function))
        single.command(self.name, help=self.help, context_settings=_SETTINGS)(made)
        return typer.main.get_command(single)

    def make_context(self, info_name: str | None, args: list[str], *others: Any, **extra: Any) -> Any:  # noqa: ANN401
        """The context of the command with its flags."""
        _limit_threads(args)
        return self.loaded.make_context(info_name, args, *others, **extra)


class CommandGroup(TyperGroup):
    """A group whose commands are made when they are needed."""

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401  typer's own
        """Add the commands whose names begin with that of the group."""
        super().__init__(**settings)
        above = f"{self.name} " if self.name != "kohort" else ""
        for words, (place, sentence) in COMMANDS.items():
            name = words.removeprefix(above)
            if words.startswith(above) and " " not in name:
                self.commands[name] = Deferred(name, place, sentence) if place else _group(name, sentence)

    def make_context(self, *arguments: Any, **extra: Any) -> Any:  # noqa: ANN401  as above
        """The context of what follows the group's name."""
        with _readable_misuse():
            return super().make_context(*arguments, **extra)

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401  as above
        """Run the command that is named."""
        with _readable_misuse():
            return super().invoke(ctx)


@contextmanager
def _readable_misuse() -> Generator[None]:
    """Let what typer says of a misuse, which repeats words of the command line, steer no terminal."""
    try:
        yield
    except Exception as misuse:
        stated = getattr(misuse, "format_message", None)
        if stated is not None:
            text = readable(stated(), ends="")
            vars(misuse)["format_message"] = lambda: text
        raise


def _group(name: str, sentence: str) -> Any:  # noqa: ANN401  as above
    group = typer.Typer(
        name=name,
        help=sentence,
        cls=CommandGroup,
        no_args_is_help=True,
        add_completion=False,
        context_settings=_SETTINGS,
    )
    group.callback()(_nothing)
    return typer.main.get_command(group)


def _nothing() -> None:
    """A group itself does nothing."""


app = typer.Typer(
    name="kohort",
    help="Make personal data safe to release, verify the released bytes, and measure the cost.",
    cls=CommandGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings=_SETTINGS,
)


def _print_version(asked: bool) -> None:  # noqa: FBT001  as typer calls it
    if asked:
        from kohort import __version__

        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _of_all(
    *,
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print kohort's version and exit.")
    ] = False,
) -> None:
    """Take what concerns no command: `--version` comes before all else, for which typer would need pydantic."""


def _limit_threads(words: Sequence[str]) -> None:
    """Limit the data-frame library to `--threads`: it reads the limit when it is imported, with the form of a job."""
    from kohort.cli.options import use_threads
    from kohort.system import DIGITS, MOST_THREADS

    for at, word in enumerate(words):
        number = words[at + 1] if word == "--threads" and at + 1 < len(words) else word.removeprefix("--threads=")
        number = number.lstrip("0")
        if number.isdecimal() and word.startswith("--threads"):
            use_threads(int(number) if len(number) <= DIGITS else MOST_THREADS)
    use_threads()


# --- how it ends ------------------------------------------------------------------------------------------------------


class ExitReport(NamedTuple):
    """How a run ends.

    Attributes:
        status: The exit status.
        text: What a person reads of it; empty where there is nothing to report, or typer has printed it.
        error: What a program reads of it; empty where there is nothing to report.
    """

    status: int
    text: str = ""
    error: Mapping[str, Any] = MappingProxyType({})


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status: 0, or the error's own. No traceback, whatever happens.

    Args:
        arguments: What follows the program's name; `None` takes what the process was started with.
    """
    gc.disable()  # imports make a million objects, all of which stay: looking for cycles among them costs 0.1 s
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # escape what the terminal's encoding lacks
    words = sys.argv[1:] if arguments is None else arguments
    if arguments is None:
        on_abort(partial(_give_up, words))
    with stoppable(forever=arguments is None) as signals:
        try:
            ending = _carried_out(arguments, words)
            signals.over = True
        except (KeyboardInterrupt, SystemExit):  # a signal that came as the run had ended: what follows is told once
            signals.over, ending = True, ExitReport(0)
        if signals.received:  # whatever became of it on its way here: a library may have taken it for its own failure
            ending = _stopped(signals.received[0])
        _tell(ending, words)
    return ending.status


def _carried_out(arguments: Sequence[str] | None, words: Sequence[str]) -> ExitReport:
    try:
        listen()
        _refuse_little_space()
        # What a desk notes of a job stands on its pages: nobody looks at the terminal that it was started from.
        with noting(quiet=not {"--quiet", "-q"}.isdisjoint(words) or [*words[:1]] == ["app"]):
            app(arguments, prog_name="kohort")
    except BaseException as end:  # noqa: BLE001  the last resort: a traceback may show cells, `_ending` cannot
        return _ending(end)
    return ExitReport(0)


def _tell(ending: ExitReport, words: Sequence[str]) -> None:
    """Print how a run ends, for a person and for a program; nobody may be listening any more."""
    with suppress(OSError):
        if ending.error and "--json" in words:
            echo_json({"status": ending.status, **ending.error})
    with suppress(OSError):
        if ending.text:
            echo(f"kohort: {ending.text}", err=True)


def _give_up(words: Sequence[str]) -> NoReturn:
    """End the process that a library gives up, by the status and the sentence of any other refusal."""
    try:
        _tell(_plain(LimitError.exit_status, _REFUSED), words)
        sys.stdout.flush()
    finally:
        os._exit(LimitError.exit_status)  # a library that returned from here would go on to the end of the process


@contextmanager
def noting(*, quiet: bool) -> Generator[None]:
    """Print what is to be known of a table that was read, once, to standard error; nothing of it where `quiet`."""
    with catch_warnings():
        simplefilter("ignore" if quiet else "always", SourceNote)
        told, others = set[str](), warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:  # noqa: ANN401
            if not issubclass(category, SourceNote):
                others(message, category, *place, **more)
            elif str(message) not in told:
                told.add(str(message))
                echo(f"note: {message}", err=True)

        warnings.showwarning = show
        yield


def _refuse_little_space() -> None:
    """Refuse what libraries would end in: one by one they abort, or wait for memory for ever."""
    space = address_space()
    if space is not None and space < _ADDRESSES:
        what = f"the system gives this process {space >> 20:,} MiB of address space, and it needs {_ADDRESSES >> 20:,}"
        raise LimitError(what, hint="raise the limit (ulimit -v), or limit real memory instead")


def _ending(end: BaseException) -> ExitReport:
    match end:
        case JobError():
            text = "\n".join(
                [end.what, *map(_item, end.faults), *([f"hint: {readable(end.hint)}"] if end.hint else [])]
            )
            found = {**_error(end), "faults": [_error(fault) for fault in end.faults]}
            ending = ExitReport(end.exit_status, text, found)
        case KohortError():
            ending = ExitReport(end.exit_status, str(end), _error(end))
        case SystemExit():
            ending = _stopped(int(end.code or 0), end.__context__)
        case KeyboardInterrupt():
            ending = _stopped(130)
        case MemoryError():
            ending = _plain(LimitError.exit_status, "out of memory; nothing more was published")
        case OSError():
            ending = _plain(FileError.exit_status, f"the system reports: {end.strerror or type(end).__name__}")
        case _ if type(end).__name__ == "PanicException" or str(end) == "can't start new thread":
            ending = _plain(LimitError.exit_status, _REFUSED)
        case _:
            ending = _plain(INTERNAL, _internal(end))
    return ending


def _error(fault: KohortError | JobError) -> dict[str, Any]:
    return {"where": fault.where, "what": fault.what, "hint": fault.hint}


def _plain(status: int, what: str) -> ExitReport:
    return ExitReport(status, what, {"where": "", "what": what, "hint": ""})


def _stopped(status: int, usage: Any = None) -> ExitReport:  # noqa: ANN401  typer's own class has no public name
    """An ending by a signal, or by a misuse that typer has printed."""
    if status in _STOPPED:
        return _plain(status, _STOPPED[status])
    if not hasattr(usage, "format_message"):
        return ExitReport(status)
    named = getattr(usage, "option_name", None) or " / ".join(getattr(getattr(usage, "param", None), "opts", ()))
    hint = f"{getattr(getattr(usage, 'ctx', None), 'command_path', 'kohort')} --help"
    return ExitReport(status, "", {"where": named, "what": usage.format_message(), "hint": hint})


def _item(fault: Exception) -> str:
    return "- " + str(fault).replace("\n", "\n  ")


def _internal(fault: BaseException) -> str:
    """Where kohort itself failed: kinds and places only, since an error's text may repeat a cell."""
    root = Path(__file__).parents[1]
    places = [frame for frame in extract_tb(fault.__traceback__) if Path(frame.filename).is_relative_to(root)]
    steps = [f"    {Path(frame.filename).relative_to(root)}, line {frame.lineno}" for frame in places]
    return "\n".join([f"an internal error ({type(fault).__name__}); please report these lines:", *steps])
