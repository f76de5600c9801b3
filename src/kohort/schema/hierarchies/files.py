"""Hierarchy files: rows as CSV, one line for each leaf; edges, one line for each node; or a tree as JSON."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass, field, replace
from functools import partial
from io import BytesIO, StringIO, TextIOWrapper
from itertools import chain, islice
from pathlib import Path
from types import MappingProxyType
from typing import IO, TYPE_CHECKING, Any, Final, TypeAlias

from kohort.errors import FileError, HierarchyError, InputError, KohortError, LimitError
from kohort.errors.calls import PATH, called
from kohort.schema.hierarchies.tree import DEEPEST, are_edges, from_edges, from_tree, parse_json, table_of, to_tree
from kohort.schema.hierarchy import Hierarchy
from kohort.schema.nesting import PADDING, SUPPRESSED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import TextIO

    from kohort.schema.nesting import Keep, Pad

#: What may separate labels, the likeliest first: commas occur inside labels, such as `[20, 25)`.
_SEPARATORS = (";", "\t", ",", "|")

#: Suffixes of files that hold rows even where they begin like a JSON object: a leaf may be the set `{a, b}`.
_ROWS = (".csv", ".tsv", ".txt")

#: How many rows have to agree on a separator.
_SAMPLE = 20


@dataclass(frozen=True, slots=True)
class HeldFile:
    """A file that is in memory and nowhere else: one that was sent, or that is still to be written.

    Attributes:
        name: What it is called.
        content: Its bytes.
    """

    name: str
    content: bytes = field(repr=False)

    def __str__(self) -> str:
        """Its name, for messages."""
        return self.name

    @property
    def suffix(self) -> str:
        """The ending of its name."""
        return Path(self.name).suffix

    def open(self, mode: str = "r", encoding: str | None = None, newline: str | None = None) -> IO[Any]:
        """Its bytes, or its text, to be read."""
        held = BytesIO(self.content)
        return held if mode == "rb" else TextIOWrapper(held, encoding, newline=newline)


#: What a hierarchy is read from.
Source: TypeAlias = Path | HeldFile


@called('read_hierarchy("city.csv")', path=PATH)
def read_hierarchy(
    path: str | Path,
    *,
    name: str = "",
    separator: str = "",
    root: str = "",
    pad: Pad = False,
    keep: Keep = "",
    unwritten: Mapping[Path, HeldFile] = MappingProxyType({}),
) -> Hierarchy:
    """The hierarchy in a file: JSON if the suffix or the first character says so, else rows.

    Rows are CSV as ARX writes it: a line for each leaf, which names the leaf, then its ancestors up to the root. Rows
    of two labels are edges, child and parent in any order, where a parent has a parent itself. JSON is a tree, or such
    rows as lists or objects, or one object of child and parent.

    Args:
        path: A UTF-8 file, with byte-order mark or without. Words after it change how it is read: `FILE:pad`,
            `:pad-up`, `:pad-down`, `:first`, `:last`, `:qualify`, `:root`, also several of them; and
            `:from-data` says that its nodes were chosen by looking at records.
        name: The attribute, for messages.
        separator: What separates the labels of a row; found out unless given.
        root: Label of a root to add where the file lacks a common one.
        pad: Whether leaves may have fewer ancestors than others; see `Hierarchy.from_rows` and `from_tree`.
        keep: Which parent a label keeps that has several: `first` or `last`, or the first as `qualify`, which also
            names nodes with their parents where their labels stand for other values, too; else it is an error.
        unwritten: Files that count as if they were there.

    Raises:
        InputError: no such file, or one that is neither CSV nor JSON.
        HierarchyError: a file that holds no hierarchy.
        LimitError: it has more levels than a hierarchy may have.
        FileError: reading failed.
    """
    path, asked = _asked(path)
    how: dict[str, Any] = {
        key: value or asked.get(key, value) for key, value in (("root", root), ("pad", pad), ("keep", keep))
    }
    try:
        if path not in unwritten and not path.is_file():
            what = "not a regular file" if path.exists() else "no such file"
            raise InputError(what, where=f"{path}, hierarchy of {name}" if name else str(path), hint=_hint(path))
        held = read_held(unwritten.get(path, path), name=name, separator=separator, **how)
        return replace(held, data_dependent=True) if "data_dependent" in asked else held
    except OSError as error:
        raise FileError(f"reading failed: {error.strerror}", where=str(path)) from error


def read_held(
    source: Source, *, name: str = "", separator: str = "", root: str = "", pad: Pad = False, keep: Keep = ""
) -> Hierarchy:
    r"""The hierarchy in a file that is there, or held in memory; see `read_hierarchy`.

    >>> read_held(HeldFile("city.csv", b"Roma;Lazio;*\nBari;Puglia;*\n"), name="city").labels[1]
    ('Lazio', 'Puglia')
    """
    asked: dict[str, Any] = {"name": name, "root": root, "pad": pad, "keep": keep}
    try:
        if not _is_json(source):
            reader = partial(csv.reader, delimiter=separator) if separator else csv_reader(source)
            return _from_rows(_rows(source, reader, pad=bool(pad)), **asked)
        value = parse_json("".join(text_lines(source)), where=str(source))
        table = table_of(value)
        return from_tree(value, **asked) if table is None else _from_rows(iter(table), **asked)
    except HierarchyError as error:
        raise HierarchyError(error.what, where=f"{source}, {error.where}", hint=error.hint) from None


def _from_rows(rows: Iterator[list[str]], **asked: Any) -> Hierarchy:  # noqa: ANN401  as `read_hierarchy` has them
    """The hierarchy of rows, which are edges where there are two labels in a row; others are read one by one."""
    first = next(rows, list[str]())
    if len(first) != 2:  # noqa: PLR2004  a child and a parent
        return Hierarchy.from_rows(chain([first] if first else [], rows), **asked)
    pairs = [first, *rows]
    return from_edges(pairs, **asked) if are_edges(pairs) else Hierarchy.from_rows(pairs, **asked)


def file_of(text: str | Path) -> Path:
    """The file that a text names, without the words that say how it is read.

    >>> file_of("cities.csv:pad:first").name
    'cities.csv'
    """
    return _asked(text)[0]


def _asked(text: str | Path) -> tuple[Path, dict[str, Any]]:
    """A file, and how its name's last words ask for it to be read; of a file that is called so, nothing."""
    path, _, word = str(text).rpartition(":")
    if word not in _WORDS or not path or Path(text).exists():
        return Path(text), {}
    file, asked = _asked(path)
    return file, {**asked, **_WORDS[word]}


#: The words that may follow the name of a file, each with what it asks for.
_WORDS: Final[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
    {
        "pad": {"pad": True},
        "pad-up": {"pad": "up"},
        "pad-down": {"pad": "down"},
        "first": {"keep": "first"},
        "last": {"keep": "last"},
        "qualify": {"keep": "qualify"},
        "root": {"root": SUPPRESSED},
        "from-data": {"data_dependent": True},
    }
)


def _hint(path: Path) -> str:
    if Path(str(path).rpartition(":")[0]).is_file():
        return f"after a file's name there may be {', '.join(f':{word}' for word in _WORDS)}"
    return "a hierarchy is a CSV or JSON file"


def write_rows(hierarchy: Hierarchy, file: TextIO, *, separator: str) -> None:
    """Write a line for each leaf: the leaf, then its ancestors up to the root."""
    # The writer leaves a carriage return unquoted, at which a reader would end the line.
    returns = any("\r" in label for labels in hierarchy.labels for label in labels)
    writer = csv.writer(
        file,
        delimiter=separator,
        lineterminator="\n",
        quoting=csv.QUOTE_ALL if returns else csv.QUOTE_MINIMAL,
    )
    writer.writerows(hierarchy.rows())


def write_tree(hierarchy: Hierarchy, file: TextIO) -> None:
    """Write nested objects with `name` and `children`."""
    json.dump(to_tree(hierarchy), file, ensure_ascii=False, indent=1)
    file.write("\n")


def held_file(hierarchy: Hierarchy, name: str) -> HeldFile:
    r"""The file that has the hierarchy, not written yet: CSV, or JSON where CSV would be read as something else.

    Args:
        hierarchy: What it is to hold.
        name: What it is to be called, without an ending.

    >>> held_file(Hierarchy.from_rows([["Roma", "Lazio", "*"]]), "city").content
    b'Roma;Lazio;*\n'
    """
    rows = StringIO(newline="")
    write_rows(hierarchy, rows, separator=";")
    found = HeldFile(f"{name}.csv", rows.getvalue().encode())
    if _reads(found, hierarchy):
        return found
    tree = StringIO(newline="")
    write_tree(hierarchy, tree)
    return HeldFile(f"{name}.json", tree.getvalue().encode())


def _reads(file: HeldFile, hierarchy: Hierarchy) -> bool:
    try:
        return read_held(file) == hierarchy
    except KohortError:
        return False


def _is_json(path: Source) -> bool:
    """Whether the suffix, or else the first sign, is that of a JSON object."""
    if path.suffix.lower() in {".json", *_ROWS}:
        return path.suffix.lower() == ".json"
    return next(filter(str.strip, text_lines(path)), "").lstrip().startswith("{")


def text_lines(path: Source) -> Iterator[str]:
    """The lines of a UTF-8 file, each with its end; NUL and bytes that are no UTF-8 are refused, naming the line."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        try:
            for number, line in enumerate(file, start=1):
                if "\0" in line:
                    raise InputError("a NUL character", where=f"{path}, line {number}")
                yield line
        except UnicodeDecodeError:
            where = f"{path}, line {_undecodable(path)}"
            raise InputError("bytes that are not UTF-8", where=where, hint="save the file as UTF-8") from None


def _undecodable(path: Source) -> int:
    """Number of the first line that is not UTF-8: decoding reads ahead and does not tell."""
    with path.open("rb") as file:
        return next(at for at, line in enumerate(file, start=1) if line.decode(errors="ignore").encode() != line)


def csv_reader(path: Source) -> Callable[..., Any]:
    """Divides rows by the separator by which the first ones have one common width; else by one that splits some row.

    Where a blank follows each one of them, it is none of a label.
    """
    some = ""
    for separator in _SEPARATORS:
        try:
            rows = [row for row in islice(csv.reader(text_lines(path), delimiter=separator), _SAMPLE) if row]
        except csv.Error:
            continue
        widths = {len(row) for row in rows}
        if len(widths) == 1 and max(widths) > 1:
            spaced = all(cell.startswith(" ") for row in rows for cell in row[1:])
            return partial(csv.reader, delimiter=separator, skipinitialspace=spaced)
        if max(widths, default=0) > 1:
            some = some or separator
    return partial(csv.reader, delimiter=some or _SEPARATORS[0])


def _rows(path: Source, reader_of: Callable[..., Any], *, pad: bool) -> Iterator[list[str]]:
    """The rows of a CSV file; refuses ragged ones and unbalanced quotes, naming the line where they begin.

    Empty lines at the end are none.
    """
    reader = reader_of(text_lines(path), strict=True)
    width, line, empty = 0, 1, 0
    try:
        for row in reader:
            width = width or len(row)
            if len(row) > DEEPEST:
                what = f"{len(row):,} labels in a row; at most {DEEPEST:,} are read"
                raise LimitError(what, where=f"{path}, line {line}", hint="is the separator right?")
            if row and empty:
                hint = "delete the line: every row names a leaf and its ancestors"
                raise InputError("an empty line", where=f"{path}, line {empty}", hint=hint)
            if row and len(row) != width and not pad:
                what = f"{len(row)} labels where the first row has {width}"
                raise InputError(what, where=f"{path}, line {line}", hint=PADDING)
            if row:
                yield row
            else:
                empty = empty or line
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"not CSV: {error}", where=f"{path}, line {line}") from None
