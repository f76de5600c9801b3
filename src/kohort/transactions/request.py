"""Jobs on transactions: the tables of a job file, or the command line's flags, to a `Request`."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from kohort.errors import FileError, InputError, KohortError, LimitError, UsageError
from kohort.io.forms import FORMATS
from kohort.job.codec import plain
from kohort.job.document import Document, document_of
from kohort.job.faults import job_error
from kohort.job.parts import part, read, relative, right_part, run_of, sign_key, table, told, without
from kohort.job.request import Request, placed, purpose_of
from kohort.job.written import given, keys_of
from kohort.release.fit import Misfit
from kohort.schema.hierarchies.files import HeldFile, csv_reader, text_lines
from kohort.schema.numbers import exact
from kohort.transactions.cells import LocalSuppression
from kohort.transactions.coherence import Coherence
from kohort.transactions.form import COHERENCE, COUNTING, ITEMS, SUPPRESSION, TRANSACTION_JOB, TRANSACTIONS
from kohort.transactions.io.options import BasketOptions, Form
from kohort.transactions.optimum import Optimum
from kohort.transactions.problem import MOST
from kohort.transactions.release import BasketWriting, TransactionJob
from kohort.transactions.roles import Draw, Drawn, Listed
from kohort.transactions.suppression import Greedy, Score

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from kohort.job.keys import KeyValues
    from kohort.job.lines import Place
    from kohort.schema.hierarchies.files import Source
    from kohort.transactions.problem import SuppressionAlgorithm
    from kohort.transactions.roles import RoleChoice


#: The columns of a file of names, and its bytes at most.
COLUMNS: Final = 2
MOST_BYTES: Final = 1 << 26


def names_in(path: Path) -> tuple[str, ...]:
    """The items that a file names, one a line; empty lines are passed over, and blanks belong to the names.

    Raises:
        InputError: the file cannot be read, or names nothing.
    """
    names = tuple(line for _, line in _lines(path))
    if not names:
        raise InputError("the list of items is empty", where=str(path), hint="write one item on each line")
    return names


def weights_in(path: Path) -> dict[str, Fraction]:
    """The weights that a file gives items, `ITEM=NUMBER` a line.

    Raises:
        InputError: the file cannot be read, a line is no weight, or an item has two.
    """
    found: dict[str, Fraction] = {}
    for number, line in _lines(path):
        name, _, text = line.rpartition("=")  # a number has none
        where = f"{path}, line {number}"
        try:
            weight = exact(text)
        except KohortError:
            raise InputError(
                "the weight is not a number", where=where, hint="write ITEM=NUMBER, as in bread=2"
            ) from None
        if not name or weight <= 0:
            what = "a weight must be above 0" if name else "the item before = is missing"
            raise InputError(what, where=where, hint="write ITEM=NUMBER, such as bread=2")
        if name in found:
            raise InputError("the item has two weights", where=where, hint="give each item one weight")
        found[name] = weight
    return found


def _lines(path: Path) -> list[tuple[int, str]]:
    _check_is_file(path, "list of items")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        hint = "save the list as UTF-8 text"
        raise InputError("the list of items cannot be read", where=str(path), hint=hint) from None
    except OSError as error:
        raise FileError(f"the list of items cannot be read: {error.strerror}", where=str(path)) from None
    return [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line]


def _check_is_file(path: Path, noun: str) -> None:
    if not path.is_file():
        what = f"the {noun} is not a regular file" if path.exists() else f"there is no such {noun}"
        raise InputError(what, where=str(path), hint="name a text file")


def labels_in(source: Source) -> dict[str, str]:
    r"""The names that a file gives items, `ITEM,NAME` a line, as CSV with commas, semicolons or tabs.

    An item without a name is passed over, and so is a header, unless transactions have an item of that name.

    Raises:
        InputError: the file cannot be read, a line has other columns, or an item has two names.
        LimitError: the file is too large.

    >>> labels_in(HeldFile("names.csv", b'item,name\n7,whole milk\n8,"butter, salted"\n'))["8"]
    'butter, salted'
    """
    if isinstance(source, Path):
        _check_is_file(source, "file of names")
        if source.stat().st_size > MOST_BYTES:
            hint = "keep the items of these transactions"
            raise LimitError(f"names of items are more than {MOST_BYTES >> 20} MiB", where=str(source), hint=hint)
    try:
        return _labels(source)
    except OSError as error:
        raise FileError(f"the names of items cannot be read: {error.strerror}", where=str(source)) from None


def _labels(source: Source) -> dict[str, str]:
    found: dict[str, str] = {}
    rows = csv_reader(source)(text_lines(source), strict=True)
    try:
        for row in rows:
            where = f"{source}, line {rows.line_num}"
            if row and (len(row) != COLUMNS or not row[0]):
                hint = 'write them as in 7,whole milk; put a name with commas in quotes: 7,"milk, whole"'
                raise InputError("the line is not an item and its name", where=where, hint=hint)
            if row and row[0] in found:
                raise InputError("the item has two names", where=where, hint="give each item one name")
            found |= {row[0]: row[1].strip()} if row else {}
    except csv.Error as error:
        raise InputError(f"not CSV: {error}", where=f"{source}, line {rows.line_num}") from None
    return {item: name for item, name in found.items() if name}


#: The keys behind the places that kohort's errors name.
PLACES: Final[Mapping[str, Place]] = {
    **{key: ("transactions", key) for key in ("format", "key", "item")},
    **{key: ("privacy", key) for key in ("h", "k", "p")},
    **{key: ("items", key) for key in ("private", "public", "delta", "seed", "min-support", "weight")},
    "most": ("method", "max-sets"),
}


#: A job on transactions with its two ends.
TransactionRequest: TypeAlias = Request[TransactionJob]


def job_of(source: str | os.PathLike[str]) -> TransactionJob:
    """The job of a job file; see `TransactionJob.from_toml`."""
    return of(document_of(source)).job


def of(text: Document) -> TransactionRequest:
    """The request that a job file makes; see `kohort.job.request.of`. Its lists of items are read now."""
    made = request(text.raw, where=text.where, folder=text.folder, held=text.held)
    return replace(made, inputs=(*text.path, *made.inputs))


def request(
    raw: Mapping[str, object],
    *,
    where: Callable[[Place], str],
    folder: Path = Path(),
    held: Sequence[HeldFile] = (),
    releasing: bool = True,
) -> TransactionRequest:
    """The request that nested mappings make: a job file's tables, or the command line's flags.

    Args:
        raw: The tables of a job file.
        where: Tells the reader's place for a path of keys: a line, or a flag.
        folder: What relative paths are relative to.
        held: Files that are still to be written into the folder.
        releasing: Whether they name an output; else the target is empty.
    """
    file = parts_of(raw, where=where, lacking=() if releasing else [("output",)])
    return _made(file, where, folder, held, file.output if releasing else None)


def parts_of(raw: Mapping[str, object], *, where: Callable[[Place], str], lacking: Sequence[Place] = ()) -> KeyValues:
    """The parts of a job that nested mappings make.

    Args:
        raw: The tables of a job file.
        where: Tells the reader's place for a path of keys.
        lacking: The tables and keys that nobody asks for: such tables are passed over, and the parts have neither.

    Raises:
        JobError: everything that is wrong in them.
    """
    raw = {name: held for name, held in raw.items() if (name,) not in lacking}
    faults = [one.told(where) for one in misfits(raw, lacking)]
    file, wrong = read(without(TRANSACTION_JOB, lacking), raw)
    if wrong or faults:
        raise job_error([*told(wrong, where), *faults])
    return file


def _made(
    file: KeyValues,
    where: Callable[[Place], str],
    folder: Path,
    held: Sequence[HeldFile],
    output: KeyValues | None,
) -> TransactionRequest:
    """The request of a job whose tables go together; its lists of items are read now."""
    items, privacy, lists = file.items, file.privacy, _lists(file.items, folder)
    weights = weights_in(lists["weight"]) if "weight" in lists else items.weight or {}
    job = TransactionJob(
        coherence=Coherence(privacy.h, privacy.k, privacy.p),
        roles=roles_of(items, where, folder),
        algorithm=_algorithm(file.method),
        min_support=items.min_support or Fraction(0),
        weights=tuple(weights.items()),
        labels=tuple(labels_of(items, folder, held).items()),
        reading=reading_of(file.transactions, file.input),
        writing=BasketWriting() if output is None else _writing(output, folder),
        most=file.method.max_sets or MOST,
        purpose=purpose_of(file.purpose),
    )
    source, target = relative(file.input.path, folder), relative(output.path, folder) if output else ""
    signing = () if job.writing.sign_key is None else (Path(job.writing.sign_key),)
    inputs = (*lists.values(), *signing)
    return Request(source, target, job, inputs, where, {**PLACES, **_said(lists)}, run_of(file.run, folder))


def _writing(output: KeyValues, folder: Path) -> BasketWriting:
    key = sign_key(output.sign_key, folder)
    return BasketWriting(form=output.format, separator=output.separator, sign_key=key)


def refuse_target(made: TransactionRequest) -> None:
    """Refuse the target of a request, as `refuse_output` does."""
    refuse_output(made.job.writing, made.job.reading, made.target, made.where)


def refuse_output(writing: BasketWriting, reading: BasketOptions, target: str, where: Callable[[Place], str]) -> None:
    """Refuse a target that is no file, or whose name contradicts the form of what is written, before any work."""
    try:
        writing.over(reading, Path(target))
    except UsageError as fault:
        raise job_error([UsageError(fault.what, where=where(("output", "path")), hint=fault.hint)]) from None


# --- from the file's tables to the job --------------------------------------------------------------------------------


def roles_of(items: KeyValues, where: Callable[[Place], str], folder: Path = Path()) -> RoleChoice:
    """The roles of the items; the lists of private and public ones are read.

    Raises:
        InputError: a list cannot be read.
        JobError: an item is in both.
    """
    if items.delta is not None:
        return Drawn(delta=items.delta, seed=items.seed or 0, draw=items.draw or Draw.FEASIBLE)
    lists = _lists(items, folder)
    private, public = _named(items.private, lists.get("private")), _named(items.public, lists.get("public"))
    try:
        return Listed(private=private or (), public=public, absent=items.allow_absent)
    except UsageError as fault:
        raise job_error([placed(fault, where, {**PLACES, **_said(lists)})]) from None


def labels_of(items: KeyValues, folder: Path, held: Sequence[HeldFile] = ()) -> dict[str, str]:
    """The names that a job gives items; those of a file that is still to be written into the folder, too."""
    if items.names_file is None:
        return {}
    return labels_in(next((one for one in held if one.name == items.names_file), folder / items.names_file))


def _lists(items: KeyValues, folder: Path) -> dict[str, Path]:
    paths = {key: getattr(items, f"{key}_file") for key in (*_LISTS, "names")}
    return {key: folder / path for key, path in paths.items() if path is not None}


def _said(lists: Iterable[str]) -> dict[str, Place]:
    """The keys that name lists, in place of the items themselves."""
    return {key: ("items", f"{key}-file") for key in lists}


def _named(names: Sequence[str] | None, file: Path | None) -> tuple[str, ...] | None:
    """The names that are said, or those of a file; `None` where there are neither."""
    if file is not None:
        return names_in(file)
    return None if names is None else tuple(names)


def _algorithm(method: KeyValues) -> SuppressionAlgorithm:
    if method.optimal:
        return Optimum(time_limit=method.time_limit)
    if method.suppress == "cells":
        return LocalSuppression()
    return Greedy(score=method.score or Score.MMIL, give_back=method.give_back)


def reading_of(said: KeyValues, file: KeyValues) -> BasketOptions:
    """How the input is read."""
    return BasketOptions(
        form=form_of(said, file.path),
        separator=file.separator,
        encoding=file.encoding,
        key=said.person or said.key,
        item=said.item,
    )


# --- from the job to the tables of its certificate --------------------------------------------------------------------


def described(job: TransactionJob) -> str:
    """The canonical text of what a certificate holds of a job; see `TransactionJob.described`."""
    return json.dumps(description(job), sort_keys=True, ensure_ascii=False)


def description(job: TransactionJob) -> dict[str, Any]:
    """What a certificate holds of a job on transactions: its tables, with a count in place of each list of items."""
    model, roles, algorithm = job.coherence, job.roles, job.algorithm
    items: dict[str, Any] = {"min-support": job.min_support or None, "weight": len(job.weights) or None}
    if isinstance(roles, Listed):
        private, public = len({*roles.private}), None if roles.public is None else len({*roles.public})
        items |= {"private": private or None, "no-private": not private, "allow-absent": roles.absent, "public": public}
    else:
        draw = None if roles.draw is Draw.FEASIBLE else roles.draw
        items |= {"delta": roles.delta, "seed": roles.seed or None, "draw": draw}
    method = keys_of(algorithm)
    if isinstance(algorithm, Optimum | LocalSuppression):
        method |= {"suppress": "cells"} if isinstance(algorithm, LocalSuppression) else {"optimal": True}
    elif not isinstance(algorithm, Greedy):
        method = {"name": type(algorithm).__name__}
    method |= {"max-sets": job.most} if job.most != MOST else {}
    output = {"format": job.writing.form, "separator": job.writing.separator}
    privacy = {"h": plain(model.h), "k": model.k, "p": model.p}
    found = {"output": given(output), "privacy": privacy, "items": given(items), "method": method}
    return found | given({"purpose": keys_of(job.purpose) or None})


# --- what is right key by key, and together makes no sense ------------------------------------------------------------


#: Forms whose cells have no column of their own.
_NO_COLUMNS: Final = frozenset({Form.BASKET, Form.MATRIX, Form.MATRIX_HEADER})

#: What a file can say instead of the job.
_LISTS: Final = ("private", "public", "weight")

#: What only drawn roles, and what only listed ones have.
_DRAWN: Final = ("seed", "draw")
_LISTED: Final = ("private", "private-file", "no-private", "public", "public-file", "allow-absent")


def form_of(said: KeyValues, path: object) -> Form:
    """The form that is said; where none is, that of a file with such a name."""
    return said.format or (Form.LISTS if str(path).lower().endswith(FORMATS["parquet"].endings) else Form.BASKET)


def misfits(raw: Mapping[str, object], lacking: Sequence[Place] = ()) -> Iterator[Misfit]:
    """What does not go together in the tables of a job; keys of a wrong form count as not said."""
    yield from _of_reading(raw)
    yield from _of_privacy(raw)
    if not {("items",), ("items", "private")} & {*lacking}:
        yield from _of_roles(raw)
    yield from _of_method(raw)
    yield from _of_run(raw)


def _of_reading(raw: Mapping[str, object]) -> Iterator[Misfit]:
    said = right_part(TRANSACTIONS, table(raw, "transactions"))
    form = form_of(said, table(raw, "input").get("path"))
    if said.key is not None and said.person is not None:
        hint = "use person if it identifies a person, otherwise key"
        yield Misfit(("transactions", "person"), "key and person are one column", hint)
    if said.format is None and table(raw, "transactions").get("format") is not None:
        return  # which form is meant is not known
    columns = {"key": said.key, "person": said.person, "item": said.item}
    for key in (key for key, column in columns.items() if column is not None and form in _NO_COLUMNS):
        what = f"transactions in the format {form} have no such column"
        yield Misfit(("transactions", key), what, "leave it out, or set the format")


def _of_privacy(raw: Mapping[str, object]) -> Iterator[Misfit]:
    said = part(COHERENCE, table(raw, "privacy"))
    if said is None:
        return
    try:
        Coherence(said.h, said.k, said.p)
    except UsageError as fault:
        yield Misfit(("privacy", fault.where), fault.what, fault.hint)


def _of_roles(raw: Mapping[str, object]) -> Iterator[Misfit]:
    said = {key for key, value in table(raw, "items").items() if value is not None and value is not False}
    for key in (key for key in _LISTS if {key, f"{key}-file"} <= said):
        yield Misfit(("items", f"{key}-file"), f"{key} is given, too", "leave one out")
    drawn = "delta" in said
    for key in (key for key in (_LISTED if drawn else _DRAWN) if key in said):
        what = "delta draws the roles at random" if drawn else f"{key} applies only to randomly drawn roles (delta)"
        yield Misfit(("items", key), what, "leave one out" if drawn else f"leave {key} out, or add delta")
    for key in (key for key in ("private", "private-file") if {key, "no-private"} <= said):
        yield Misfit(("items", "no-private"), f"{key} names private items", "leave one out")
    known = {*ITEMS.names}
    if not drawn and "items" in raw and said <= known and said.isdisjoint(_LISTED[:3]):
        public = not said.isdisjoint(("public", "public-file"))
        what = "public items alone protect nothing" if public else "no private item is named"
        hint = "name them with private or private-file, draw the roles with delta, or set no-private (k^m)"
        yield Misfit(("items",), what, hint)


def _of_method(raw: Mapping[str, object]) -> Iterator[Misfit]:
    said = right_part(SUPPRESSION, table(raw, "method"))
    cells = said.suppress == "cells"
    chosen = {"score": said.score is not None, "give-back": said.give_back, "suppress": said.optimal and cells}
    if said.optimal or cells:
        cell_method = "suppressing cells always uses mmil and give-back"
        method = "the optimum suppresses whole items" if said.optimal else cell_method
        hint = f"leave it out, or {'leave out optimal' if said.optimal else 'suppress items'}"
        for key in (key for key, given in chosen.items() if given):
            yield Misfit(("method", key), f"{key} has no effect: {method}", hint)
    if said.time_limit is not None and not said.optimal:
        what = "only the search for the optimum has a time limit"
        yield Misfit(("method", "time-limit"), what, "leave it out, or add optimal")


def _of_run(raw: Mapping[str, object]) -> Iterator[Misfit]:
    said = right_part(COUNTING, table(raw, "run"))
    limits = {"memory-limit": said.memory_limit, "spill-folder": said.spill_folder}
    if said.engine == "local":
        for key in (key for key, value in limits.items() if value is not None):
            hint = "leave it out, or name the engine duckdb, which leaves transactions where they are"
            yield Misfit(("run", key), "without an engine, transactions are read into memory", hint)
