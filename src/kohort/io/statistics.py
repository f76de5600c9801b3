"""Files of statistics programs: SPSS, Stata and SAS, read and written by pyreadstat, read back by polars-readstat.

A column whose values all have a label holds the labels; the codes behind them are kept, and written again for values
that are released as they are. Cells that the file itself declares missing are read as missing, and told.
"""

from __future__ import annotations

import os
import re
import warnings
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from kohort.errors import FileError, InputError, SourceNote
from kohort.io.forms import Content, FileFormat
from kohort.system import path_of
from kohort.tables.table import Labels

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

#: Where a file says when it was made, and what it says instead: its own time would differ each time.
_MADE: Final = {
    "sav": (rb"^(.{92})[0-9]{2} [A-Z][a-z]{2} [0-9]{2}[0-9:]{8}", b"01 Jan 0000:00:00"),
    "zsav": (rb"^(.{92})[0-9]{2} [A-Z][a-z]{2} [0-9]{2}[0-9:]{8}", b"01 Jan 0000:00:00"),
    "dta": (rb"(<timestamp>\x11)[0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{5}", b"01 Jan 2000 00:00"),
    "xpt": (rb"()[0-9]{2}[A-Z]{3}[0-9]{2}:[0-9]{2}:[0-9]{2}:[0-9]{2}", b"01JAN00:00:00:00"),
}

#: Bytes that the label of a variable, and that of a value, may have; longer ones are refused, or cut in silence.
_LONGEST: Final = {"sav": (256, 120), "dta": (80, 32_000)}

#: Bytes from the start of a file in which it says so.
_HEAD: Final = 1024

#: What a variable may be called in every one of the programs.
_NAME: Final = re.compile(r"[^0-9A-Za-z]+")

#: Letters of a name at most: of 32, with room for a number at its end.
_USUAL: Final = 28


# ── reading ──────────────────────────────────────────────────────────────────────────────────────


def read(path: str, inner: str, form: FileFormat) -> Content:
    """The table in a file of a statistics program, whose counts may ask for any memory.

    Raises:
        InputError: the file is damaged.
        MissingExtraError: pyreadstat is not installed.
    """
    del inner  # it holds one
    pyreadstat = form.library("pyreadstat")
    read: Callable[..., Any] = getattr(pyreadstat, f"read_{_family(form)}")
    place = str(Path(path).absolute())  # it takes `~` for the home
    try:
        frame, told = read(place, output_format="polars")
        asked = {"user_missing": True, "metadataonly": True} if form.key not in {"xpt", "sas7bdat"} else {}
        declared: Mapping[str, Any] = read(place, **asked)[1].missing_ranges if asked else {}
    except Exception as error:  # noqa: BLE001  whose classes are its own; its text may quote what the file holds
        raise InputError(f"the {form.title} file is damaged ({type(error).__name__})", where=path) from None
    notes: list[str] = []
    labels: dict[str, Labels] = {}
    columns: list[pl.Series] = []
    for series in frame:
        title = told.column_names_to_labels.get(series.name) or ""
        named = told.variable_value_labels.get(series.name, {})
        cells, codes = _labelled(_whole(series), named)
        if named and not codes:
            notes.append(f"{path}, column {series.name!r}: value labels are left out, since some values share one")
        columns.append(cells)
        labels[series.name] = Labels(title, codes)
    if declared:
        notes.append(f"{path}: values declared missing in the file are read as missing: {', '.join(declared)}")
    names = {name: called(name, one.title) for name, one in labels.items()}
    said = {names[name]: Labels("", one.codes) if names[name] != name else one for name, one in labels.items()}
    kept = {name: one for name, one in said.items() if one != Labels()}
    return Content(pl.DataFrame(columns).rename(names), kept, tuple(notes))


def _family(form: FileFormat) -> str:
    """What the library calls a form."""
    return {"zsav": "sav", "xpt": "xport"}.get(form.key, form.key)


def _whole(series: pl.Series) -> pl.Series:
    """Whole numbers as integers: SPSS and SAS have only floats."""
    if series.dtype.is_float():
        whole = series.cast(pl.Int64, strict=False)
        return whole if whole.cast(series.dtype).eq_missing(series).all() else series
    if isinstance(series.dtype, pl.Datetime):
        return series.cast(pl.Datetime("us"))
    return series


def _labelled(series: pl.Series, named: Mapping[Any, str]) -> tuple[pl.Series, dict[str, float | str]]:
    """The labels in place of the numbers or texts and their codes, if each that occurs has one of its own."""
    kind = (int, float) if series.dtype.is_numeric() else str
    if not named or not all(isinstance(code, kind) for code in named):
        return series, {}
    codes = {label: code if kind is str else float(code) for code, label in named.items()}
    coded = series.replace("", None) if kind is str else series.cast(pl.Float64)
    cells = coded.replace_strict({code: label for label, code in codes.items()}, default=None, return_dtype=pl.String)
    single = len(codes) == len(named) and "" not in codes
    return (cells, codes) if single and cells.null_count() == coded.null_count() else (series, {})


# ── writing ──────────────────────────────────────────────────────────────────────────────────────


#: What the library says where the system does not take what it writes.
_REFUSED: Final = "Unable to write data"


def pack(frame: pl.DataFrame, labels: Mapping[str, Labels], form: FileFormat) -> bytes:
    """A file with the names that the program allows; a name that it does not allow is the variable's label.

    SAS transport files have no value labels.
    """
    options: dict[str, object] = {"compress": True} if form.key == "zsav" else {}
    pyreadstat = form.library("pyreadstat")
    names, labels = variables(frame.columns), {name: _fitting(name, one, form) for name, one in labels.items()}
    titles = [
        labels[name].title if name in labels and new == name else name if new != name else None
        for name, new in names.items()
    ]
    values = {
        names[name]: {
            (int(code) if isinstance(code, float) and code.is_integer() else code): label
            for label, code in one.codes.items()
        }
        for name, one in labels.items()
        if one.codes
    }
    if form.key != "xpt":
        options["variable_value_labels"] = values
    if _family(form) == "sav":
        options["variable_format"] = {names[name]: shown for name, shown in _formats(frame).items()}
    write = getattr(pyreadstat, f"write_{_family(form)}")
    with nameless(f".{form.key}") as path:
        try:
            due = _numbered(frame, labels).rename(names)
            write(due, path, column_labels=[title or "" for title in titles], **options)
        except pyreadstat.ReadstatError as error:
            if str(error) == _REFUSED:
                raise FileError(f"{form.title} could not be written: the disk is full") from None
            raise
        written = Path(path).read_bytes()
    pattern, instead = _MADE[form.key]
    head = re.sub(pattern, lambda found: found[1] + instead, written[:_HEAD], flags=re.DOTALL)
    return head + written[_HEAD:]


def _fitting(name: str, labels: Labels, form: FileFormat) -> Labels:
    """What is said of a column, as long as the program allows; what is cut is told."""
    most, longest = _LONGEST.get(_family(form), (1 << 15, 1 << 15))
    title, codes = _cut(labels.title, most), {_cut(label, longest): code for label, code in labels.codes.items()}
    if title != labels.title or codes.keys() != labels.codes.keys():
        what = f"a label of the column is cut to the {most if title != labels.title else longest} bytes that"
        warnings.warn(SourceNote(f"column {name!r}: {what} {form.title} allows"), stacklevel=2)
    return Labels(title, codes if len(codes) == len(labels.codes) else {})


def _cut(label: str, most: int) -> str:
    """A label of at most so many bytes.

    >>> _cut("Größe", 4)
    'Grö'
    """
    return label.encode()[:most].decode(errors="ignore")


def _numbered(frame: pl.DataFrame, labels: Mapping[str, Labels]) -> pl.DataFrame:
    """Codes as integers where they are, which Stata asks of labelled ones; missing text as empty text."""
    columns = [
        series.fill_null("") if series.dtype == pl.String else _whole(series) if series.name in labels else series
        for series in frame
    ]
    return pl.DataFrame(columns)


def _formats(frame: pl.DataFrame) -> dict[str, str]:
    """How SPSS shows columns: whole numbers without decimals."""
    return {series.name: "F12.0" for series in frame if _whole(series).dtype.is_integer()}


def variables(names: list[str]) -> dict[str, str]:
    """A name that the programs allow for each column, different regardless of case.

    >>> variables(["age", "date of birth", "Age", "2nd"])
    {'age': 'age', 'date of birth': 'date_of_birth', 'Age': 'Age_2', '2nd': 'v2nd'}
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        plain = allowed(name)
        free, number = plain, 1
        while free.casefold() in taken:
            number += 1
            free = f"{plain}_{number}"
        taken.add(free.casefold())
        found[name] = free
    return found


def allowed(name: str) -> str:
    """A name as the programs allow it."""
    plain = _NAME.sub("_", name).strip("_") if not _is_allowed(name) else name
    return plain[:_USUAL] if plain[:1].isalpha() else f"v{plain}"[:_USUAL]


def _is_allowed(name: str) -> bool:
    return re.fullmatch(r"[A-Za-z][0-9A-Za-z_]*", name) is not None and len(name) <= _USUAL


def called(variable: str, title: str) -> str:
    """The name of a column: its variable's label where that is the name which the variable could not have.

    >>> called("date_of_birth", "date of birth"), called("age", "Age in years")
    ('date of birth', 'age')
    """
    plain = re.sub(r"_[0-9]+$", "", variable)
    return title if title and not _is_allowed(title) and allowed(title) in {variable, plain} else variable


def unpack(written: bytes, form: FileFormat) -> pl.DataFrame:
    """The table in a file that `pack` made, read by polars-readstat."""
    readstat = form.library("polars_readstat")
    name = f"release.{form.key}"
    frame: pl.DataFrame = readstat.read_readstat(name, data=written, threads=1)
    told = readstat.ScanReadstat(name, data=written).metadata
    columns = told["columns" if form.key == "xpt" else "variables"]
    return frame.rename({one["name"]: called(one["name"], one["label"] or "") for one in columns})


@contextmanager
def nameless(suffix: str) -> Generator[str]:
    """The path of a new file that has no name on any disk, where the system has such files; else of a private one."""
    try:
        fd = os.memfd_create("kohort")
    except (AttributeError, OSError):
        with TemporaryDirectory(prefix="kohort-") as folder:
            yield str(Path(folder, f"table{suffix}"))
        return
    try:
        yield str(path_of(fd))
    finally:
        os.close(fd)
