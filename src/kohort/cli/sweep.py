"""`kohort sweep`: one parameter, many values, several methods and seeds; a table and a picture of what each costs."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kohort.cli import flags, options
from kohort.cli.screen import progress, say
from kohort.errors import UnsupportedError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    from kohort.job.transactions import TransactionRequest
    from kohort.sweep.plan import Plan
    from kohort.sweep.transactions import Sweep

#: What stays as it is where nothing is said.
_BASE: Final[Mapping[str, str | int]] = MappingProxyType({"h": "0.4", "k": 10, "p": 4})

#: The flags behind the places that faults of a sweep name.
_FLAGS: Final = MappingProxyType(
    {"methods": "--scores", "seeds": "--seeds", "seed": "--seeds", "out": "--out", "picture": "--picture"}
    | dict.fromkeys(("vary", "h", "k", "p", "delta"), "--vary")
)


def sweep(
    source: options.Baskets,
    *,
    vary: Annotated[
        str, typer.Option(metavar="P=A,B,…", help="What is varied: k=5,10,20, or h=0.2,0.4, p=1,2,3, delta=0.2,0.4.")
    ],
    transactions: Annotated[
        bool, typer.Option("--transactions", help="IN is a transaction database; sweeps over tables are not there yet.")
    ] = False,
    format_: options.Form = None,
    key: options.Key = None,
    person: options.Person = None,
    item: options.Item = None,
    separator: options.BasketSeparator = None,
    encoding: options.Encoding = "utf-8",
    private: options.Private = None,
    private_file: options.PrivateFile = None,
    public: options.Public = None,
    public_file: options.PublicFile = None,
    delta: options.Delta = None,
    seeds: Annotated[
        list[str] | None,
        typer.Option(metavar="N,N", help="With --delta: draw the items so many times.", show_default="1,2,3"),
    ] = None,
    draw: options.Draw = None,
    allow_absent: options.AllowAbsent = False,
    min_support: options.MinSupport = None,
    h: options.H = None,
    k: Annotated[
        int | None, typer.Option(metavar="K", help="Every cohort has at least k transactions.", show_default="10")
    ] = None,
    p: options.P = None,
    scores: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B",
            help="What is compared: mmil, mm, 1il, all; also give-back, optimal, cells.",
            show_default="mmil,mm,1il,all",
        ),
    ] = None,
    max_sets: options.MaxSets = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write every run (.csv), or all figures (.json).")
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option("--picture", metavar="FILE", help="Draw means and spread (.svg, .png)."),
    ] = None,
    seconds: Annotated[
        bool,
        typer.Option("--seconds", help="Tell the CPU seconds of each run, which differ."),
    ] = False,
    threads: options.Threads = options.CORES,
    json: options.Json = False,
    quiet: options.Quiet = False,
    overwrite: options.Overwrite = False,
) -> None:
    """What does each method cost, as one parameter changes? Nothing is released."""
    if not transactions:
        what = "sweeps over tables are not there yet"
        raise UnsupportedError(what, where="--transactions", hint="add it where IN is a transaction database")
    name, values = _varied(vary)
    base = _base(name, {"h": h, "k": k, "p": p, "delta": delta}, values)
    if seeds is not None and base["delta"] is None:
        raise UsageError("only roles that are drawn have seeds", where="--seeds", hint="leave it out, or add --delta")
    options.use_threads(threads)
    raw = {
        "transactions": {"format": format_, "key": key, "person": person, "item": item},
        "input": {"path": source, "separator": separator, "encoding": encoding},
        "output": {"path": str(out or "nothing is released")},
        "privacy": {one: base[one] for one in ("h", "k", "p")},
        "items": {
            "private": options.names(private) or None,
            "private-file": private_file,
            "public": options.names(public) or None,
            "public-file": public_file,
            "delta": base["delta"],
            "draw": draw,
            "allow-absent": allow_absent,
            "min-support": min_support,
        },
        "method": {"max-sets": max_sets},
    }
    made = flags.transaction_request(raw, ())
    with _placed(made):
        plan = _plan(made, (name, values), scores, seeds)
        files = _files(out, picture, overwrite=overwrite, inputs=_inputs(made))
        found = _swept(made, plan, quiet=quiet, timed=seconds)
    files(found)
    from kohort.sweep.table import figures, text

    say(text(found), figures(found), as_json=json, quiet=quiet)
    if found.status:
        raise typer.Exit(found.status)


def _varied(text: str) -> tuple[str, list[str]]:
    """The parameter that is varied, and its values as they are written."""
    name, equals, values = text.partition("=")
    if not equals:
        raise UsageError("it is not said what values", where="--vary", hint="write --vary k=5,10,20")
    return name.strip(), [value.strip() for value in values.split(",")]


def _base(name: str, said: dict[str, str | int | None], values: list[str]) -> dict[str, str | int | None]:
    """What stays as it is; what is varied must not be said, too."""
    if said.get(name) is not None:
        raise UsageError(f"{name} is varied", where=f"--{name}", hint="leave it out, or vary another")
    first = {"delta": values[0]} if name == "delta" else {}
    return {one: _BASE.get(one) if value is None else value for one, value in said.items()} | first


def _plan(
    made: TransactionRequest, vary: tuple[str, list[str]], scores: list[str] | None, seeds: list[str] | None
) -> Plan:
    """The sweep that the flags make."""
    from kohort.sweep.plan import SCORES, SEEDS, Plan

    try:
        numbers = [int(one) for one in options.names(seeds)] if seeds else SEEDS
    except ValueError:
        raise UsageError("a seed is a whole number of at least 0", where="--seeds", hint="such as 1,2,3") from None
    return Plan.of(made.job, *vary, methods=options.names(scores) if scores else SCORES, seeds=numbers)


def _inputs(made: TransactionRequest) -> tuple[Path, ...]:
    """The files that no output may replace."""
    return (*(() if made.source == "-" else (Path(made.source),)), *made.inputs)


def _files(
    out: Path | None, picture: Path | None, *, overwrite: bool, inputs: tuple[Path, ...]
) -> Callable[[Sweep], None]:
    """What publishes the table and the picture, all or nothing; what cannot be published is refused at once."""
    from kohort.publish import Companion, check_target, publish
    from kohort.sheet import format_of
    from kohort.sweep.picture import picture as drawn
    from kohort.sweep.table import writer

    made: list[tuple[Path, Callable[[Sweep], bytes]]] = []
    if out is not None:
        made.append((out, writer(out)))
    if picture is not None:
        format_ = format_of(picture.suffix)
        made.append((picture, lambda found: drawn(found, format_)))
    if not made:
        return lambda _: None
    (target, content), *others = made
    check_target(target, overwrite=overwrite, inputs=inputs, companions=[path for path, _ in others])

    def write(found: Sweep) -> None:
        companions = [Companion(path, _content(form, found)) for path, form in others]
        publish(
            target,
            lambda file: file.write(content(found)),
            lambda _: None,
            companions=companions,
            overwrite=overwrite,
            inputs=inputs,
        )

    return write


def _content(form: Callable[[Sweep], bytes], found: Sweep) -> Callable[[None], bytes]:
    """What a companion holds."""
    return lambda _: form(found)


def _swept(made: TransactionRequest, plan: Plan, *, quiet: bool, timed: bool) -> Sweep:
    """Read once, and answer at every point."""
    from time import process_time

    from kohort.io.baskets import read_transactions
    from kohort.sweep.transactions import sweep as swept

    with progress(quiet=quiet) as tell:
        tell("read")
        reading = read_transactions(made.source, made.job.reading)
        return swept(reading.database, plan, tell=tell, clock=process_time if timed else None)


@contextmanager
def _placed(made: TransactionRequest) -> Generator[None]:
    """Give a misuse the flag that it came of."""
    try:
        yield
    except UsageError as fault:
        where = _FLAGS.get(fault.where)
        raise (UsageError(fault.what, where=where, hint=fault.hint) if where else made.placed(fault)) from None
