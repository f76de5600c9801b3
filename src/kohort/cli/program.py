"""The program `kohort`: its commands, each made when it is needed, and how it ends."""

from __future__ import annotations

import gc
import os
import sys
import warnings
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from glob import glob
from importlib import import_module
from inspect import getdoc
from io import TextIOWrapper
from itertools import chain
from pathlib import Path
from traceback import extract_tb
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn, cast
from warnings import catch_warnings, simplefilter

import click

from kohort.cli.derive import Command, Group, at_once
from kohort.cli.screen import echo, echo_json, listen, stoppable
from kohort.errors import FileError, JobError, KohortError, LimitError, SourceNote, UsageError
from kohort.shown import readable
from kohort.specification import plugins
from kohort.system import DIGITS, MOST_THREADS, address_space, cores, on_abort

if TYPE_CHECKING:
    from collections.abc import Callable

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

#: The core's commands: the module and function of each, and the sentence of its help. Groups have one word before.
COMMANDS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "inspect": ("describe:inspect", "Guess what each column reveals, with reasons."),
        "init": ("describe:init", "Write a job file with these guesses, for you to correct."),
        "anonymize": ("anonymize:anonymize", "Turn a table into a verified k-anonymous release."),
        "run": ("anonymize:run", "Run a job file, on a table or on transactions."),
        "advise": ("anonymize:advise", "Show what single changes of a job would gain or cost; make one."),
        "check": (
            "check:check",
            "Check a file against privacy models or its certificate, or only measure it (status 1: not met).",
        ),
        "report": ("report:report", "Write the page of a release, from its figures or from its job."),
        "risk": ("risk:risk", "Measure the risk that people in a file are re-identified; write nothing."),
        "compare": (
            "compare:compare",
            "Compare a table and its release: means, distributions, associations, counts, predictions.",
        ),
        "perturb": (
            "perturb:perturb",
            "Perturb columns by noise, rank swapping, microaggregation, rounding, coding or PRAM.",
        ),
        "sweep": ("sweep:sweep", "Show what a release would cost as parameters vary; release nothing."),
        "key": ("perturb:key", "Write a new key for pseudonyms, readable only by you."),
        "metadata": ("report:metadata", "Describe a release for data catalogues: Frictionless, Croissant or DCAT."),
        "schema": ("describe:schema", "Print the JSON Schema of a job file."),
        "compile": ("program:compile_loops", "Not needed any more: kohort is compiled when it is installed."),
        "hierarchy": ("", "Build, show, check and convert generalization hierarchies."),
        "hierarchy build": ("hierarchy:build", "Build a hierarchy over the values of a table's column."),
        "hierarchy show": ("hierarchy:show", "Print the levels of a hierarchy, the loss on each, and its tree."),
        "hierarchy check": (
            "hierarchy:check",
            "Check that a hierarchy nests, hides and covers a table's column; status 1 if it lacks values.",
        ),
        "hierarchy convert": ("hierarchy:convert", "Rewrite a hierarchy: CSV rows as a JSON tree, or the reverse."),
    }
)

#: The panels of kohort's help, and the commands of each, those of guests too; a command of the core in none is hidden.
PANELS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "Start": ("demo", "app", "inspect", "init"),
        "Release": ("anonymize", "transactions", "run", "advise", "perturb"),
        "Look": ("check", "report", "risk", "compare", "sweep"),
        "Tools": ("hierarchy", "generate", "convert", "key", "metadata", "schema"),
    }
)

#: An example of each command with many flags.
EXAMPLES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "inspect": "people.csv --missing-token NA",
        "anonymize": "people.csv --quasi age,zip --sensitive illness --t illness=0.2 --rest drop --out release.csv",
        "check": "release.csv --quasi age,zip --sensitive illness --k 10",
        "risk": "release.csv --quasi age,zip --population register.csv",
        "compare": "people.csv release.csv --job job.toml",
        "perturb": "people.csv --perturb income=noise:scale=0.1 --out perturbed.csv",
        "sweep": "--job job.toml --vary k=2..10 --picture cost.svg",
    }
)


def _load(place: str) -> Callable[..., None]:
    module, _, function = place.partition(":")
    return cast("Callable[..., None]", getattr(import_module(f"kohort.cli.{module}"), function))


def _group(name: str, sentence: str, options: Sequence[click.Parameter] = ()) -> Group:
    above, found = "" if name == "kohort" else f"{name} ", dict[str, click.Command]()
    for words, (place, purpose) in COMMANDS.items():
        one = words.removeprefix(above)
        if words.startswith(above) and " " not in one:
            load, example = partial(_load, place), EXAMPLES.get(words, "")
            found[one] = Command(one, load, purpose, example) if place else _group(one, purpose)
            found[one].hidden = not above and one not in chain(*PANELS.values())
    panels: Mapping[str, Sequence[str]] = {} if above else PANELS
    rest, more = "Commands" if above else "Plug-ins", partial(_guests, above)
    return Group(name, panels, rest, more, commands=found, params=options, help=sentence, no_args_is_help=True)


def _guests(above: str) -> dict[str, Callable[[], click.Command]]:
    """What makes each command that a guest or another package has in a group, by the command's own word."""
    found: Mapping[str, object] = plugins("kohort.commands", {})
    within = {words.removeprefix(above): words for words in found if words.startswith(above)}
    return {one: partial(_guest, words, found) for one, words in within.items() if " " not in one}


def _guest(words: str, found: Mapping[str, object]) -> click.Command:
    """A command from its function, or a group from its module, by its docstring: the first line, and its example."""
    one = found[words]
    sentence, _, rest = (getdoc(one) or "").partition("\n")
    if isinstance(one, ModuleType):
        return _group(words, sentence)
    example = rest.partition("Example: ")[2].partition("\n")[0]
    return Command(words.rpartition(" ")[2], lambda: cast("Callable[..., None]", one), sentence, example)


def _at_once(flag: str, place: str, sentence: str) -> click.Option:
    """A flag of kohort itself, which calls a function and ends."""
    return at_once(flag, lambda _: _load(place)(), sentence)


def compile_loops() -> None:
    """Say that nothing has to be compiled; the next version has no such command."""
    click.echo("kohort compile is not needed any more: everything is compiled when kohort is installed")


def show_version() -> None:
    """Print kohort's version."""
    from kohort import __version__

    click.echo(__version__)


#: The command line as click has it.
app: Final = _group(
    "kohort",
    "Make personal data safe to release, verify the released bytes, and measure the cost.",
    [
        _at_once("--version", "program:show_version", "Print kohort's version and exit."),
        _at_once("--install-completion", "completion:install", "Install completion for the current shell."),
        _at_once("--show-completion", "completion:show", "Print the completion script of the current shell."),
    ],
)


def _limit_threads(words: Sequence[str]) -> None:
    """Limit the data-frame library to `--threads`, unless the user has: it reads the limit when it is imported."""
    given = [cores()]
    for at, word in enumerate(words):
        number = words[at + 1] if word == "--threads" and at + 1 < len(words) else word.removeprefix("--threads=")
        number = number.lstrip("0")
        if number.isdecimal() and word.startswith("--threads"):
            given.append(int(number) if len(number) <= DIGITS else MOST_THREADS)
    os.environ.setdefault("POLARS_MAX_THREADS", str(min(given[-1], MOST_THREADS)))


# --- how it ends ------------------------------------------------------------------------------------------------------


class ExitReport(NamedTuple):
    """How a run ends.

    Attributes:
        status: The exit status.
        text: What a person reads of it; empty where there is nothing to report.
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
    words = _typed() if arguments is None else arguments
    if arguments is None:
        on_abort(partial(_give_up, words))
    with stoppable(forever=arguments is None) as signals:
        try:
            ending = _carried_out(words)
            signals.over = True
        except (KeyboardInterrupt, SystemExit):  # a signal that came as the run had ended: what follows is told once
            signals.over, ending = True, ExitReport(0)
        if signals.received:  # whatever became of it on its way here: a library may have taken it for its own failure
            ending = _stopped(signals.received[0])
        _tell(ending, words)
    return ending.status


def _typed() -> list[str]:
    """The words that the process was started with; Windows leaves patterns of file names to programs."""
    if os.name != "nt":
        return sys.argv[1:]
    return [name for word in sys.argv[1:] for name in sorted(glob(word)) or [word]]  # noqa: PTH207  words, which may be no paths


def _carried_out(words: Sequence[str]) -> ExitReport:
    try:
        listen()
        _refuse_little_space()
        with noting(quiet=not {"--quiet", "-q"}.isdisjoint(words)):
            dispatch(words)
    except BaseException as end:  # noqa: BLE001  the last resort: a traceback may show cells, `_ending` cannot
        return _ending(end)
    return ExitReport(0)


def dispatch(words: Sequence[str]) -> None:
    """Answer a shell that completes words, or run the command that the words name.

    Raises:
        click.exceptions.Exit: it ends with another status than 0.
    """
    if asked := os.environ.get("_KOHORT_COMPLETE"):
        from kohort.cli.completion import answer

        raise click.exceptions.Exit(answer(asked, app))
    _limit_threads(words)
    try:
        with app.make_context("kohort", [*words]) as context:
            app.invoke(context)
    except click.exceptions.NoArgsIsHelpError as end:
        click.echo(end.format_message())
        raise click.exceptions.Exit(end.exit_code) from None


def _tell(ending: ExitReport, words: Sequence[str]) -> None:
    """Print how a run ends, for a person and for a program; nobody may be listening any more."""
    with suppress(OSError):
        if ending.error and "--json" in words:
            echo_json({"status": ending.status, **ending.error})
    with suppress(OSError):
        if ending.text:
            echo(ending.text, err=True)


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
        what = f"the system gives this process {space >> 20:,} MiB of address space; kohort needs {_ADDRESSES >> 20:,}"
        raise LimitError(what, hint="raise the limit (ulimit -v), or limit real memory instead")


def _ending(end: BaseException) -> ExitReport:
    match end:
        case JobError():
            single = len(end.faults) == 1  # which needs no list
            lines = [f"kohort: {end.faults[0]}"] if single else [f"kohort: {end.what}", *map(_item, end.faults)]
            lines += [f"hint: {readable(end.hint)}"] if end.hint else []
            found = {**_error(end), "faults": [_error(fault) for fault in end.faults]}
            ending = ExitReport(end.exit_status, "\n".join(lines), found)
        case KohortError():
            ending = ExitReport(end.exit_status, f"kohort: {end}", _error(end))
        case click.ClickException():
            ending = _misuse(end)
        case click.exceptions.Exit() | BrokenPipeError():  # whoever reads the output may have left
            ending = ExitReport(getattr(end, "exit_code", 1))
        case SystemExit():
            ending = _stopped(int(end.code or 0))
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
    return ExitReport(status, f"kohort: {what}", {"where": "", "what": what, "hint": ""})


def _stopped(status: int) -> ExitReport:
    return _plain(status, _STOPPED[status]) if status in _STOPPED else ExitReport(status)


def _misuse(found: click.ClickException) -> ExitReport:
    """What is wrong with the words of the command line, in the form of all other errors."""
    context: click.Context | None = getattr(found, "ctx", None)
    near, param = getattr(found, "possibilities", None), getattr(found, "param", None)
    opts = param.opts if isinstance(param, click.Option) else [param.human_readable_name] if param else [""]
    where = " / ".join(opts)
    match found:
        case click.NoSuchOption():
            what, where = f"unknown flag {found.option_name}", found.option_name
        case click.exceptions.NoSuchCommand():
            what, where = f"unknown command {found.command_name}", found.command_name
        case click.MissingParameter():
            what = f"{opts[0]} is required"
        case click.BadParameter():
            what = f"{opts[0]} {found.message}" if found.message.startswith("must ") else found.message
        case click.BadOptionUsage():
            needs = "needs a value" if "requires" in found.message else "takes no value"
            what, where = f"{found.option_name} {needs}", found.option_name
        case _:
            what = found.format_message().removeprefix("Got ").rstrip(".")
    hint = f"did you mean {' or '.join(near)}?" if near else ""
    if context is not None and not near:
        is_brief = isinstance(context.command, Command) and context.command.example
        hint = f"see {context.command_path} {'--help-all' if is_brief else '-h'}"
    error = UsageError(what, where=where, hint=hint)
    return ExitReport(found.exit_code, f"kohort: {error}", _error(error))


def _item(fault: KohortError) -> str:
    return "- " + str(fault).replace("\n", "\n  ")


def _internal(fault: BaseException) -> str:
    """Where kohort itself failed: kinds and places only, since an error's text may repeat a cell."""
    root = Path(__file__).parents[1]
    places = [frame for frame in extract_tb(fault.__traceback__) if Path(frame.filename).is_relative_to(root)]
    steps = [f"    {Path(frame.filename).relative_to(root)}, line {frame.lineno}" for frame in places]
    return "\n".join([f"an internal error ({type(fault).__name__}); please report these lines:", *steps])
