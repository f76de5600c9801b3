"""Hierarchy files: rows as CSV, one line for each leaf, or a tree as JSON."""

from __future__ import annotations

import csv
import json
import os
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from kohort import system
from kohort.errors import FileError, HierarchyError, InputError, TargetError, UnsupportedError
from kohort.schema.hierarchies.tree import from_tree, parse_json, to_tree
from kohort.schema.hierarchy import Hierarchy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: What may separate labels, the likeliest first: commas occur inside labels, such as `[20, 25)`.
_SEPARATORS = (";", "\t", ",", "|")

#: Suffixes of files that hold rows even where they begin like a JSON object: a leaf may be the set `{a, b}`.
_ROWS = (".csv", ".tsv", ".txt")

#: How many rows have to agree on a separator.
_SAMPLE = 20


def read_hierarchy(
    path: str | Path, *, name: str = "", separator: str = "", root: str = "", pad: bool = False
) -> Hierarchy:
    """The hierarchy in a file: JSON if the suffix or the first character says so, else rows.

    Rows are CSV as ARX writes it: a line for each leaf, which names the leaf, then its ancestors up to the root.

    Args:
        path: A UTF-8 file, with byte-order mark or without.
        name: The attribute, for messages.
        separator: What separates the labels of a row; found out unless given.
        root: Label of a root to add where the file lacks a common one.
        pad: Whether leaves may have fewer ancestors than others; see `Hierarchy.from_rows` and `from_tree`.

    Raises:
        InputError: no such file, or one that is neither CSV nor JSON.
        HierarchyError: a file that holds no hierarchy.
        FileError: reading failed.
    """
    path = Path(path)
    try:
        if not path.is_file():
            what = "not a regular file" if path.exists() else "no such file"
            raise InputError(what, where=str(path), hint="a hierarchy is a CSV or JSON file")
        if _is_json(path):
            return from_tree(parse_json("".join(_lines(path)), where=str(path)), name=name, root=root, pad=pad)
        rows = _rows(path, separator or _separator(path), pad=pad)
        return Hierarchy.from_rows(rows, name=name, root=root, pad=pad)
    except HierarchyError as error:
        raise HierarchyError(error.what, where=f"{path}, {error.where}", hint=error.hint) from None
    except OSError as error:
        raise FileError(f"reading failed: {error.strerror}", where=str(path)) from error


def write_csv(hierarchy: Hierarchy, path: str | Path, *, separator: str = ";", overwrite: bool = False) -> None:
    """Write a line for each leaf: the leaf, then its ancestors up to the root.

    Raises:
        TargetError: the file exists and is not to be overwritten.
        FileError: writing failed; the target is as it was.
    """
    # The writer leaves a carriage return unquoted, at which a reader would end the line.
    returns = any("\r" in label for labels in hierarchy.labels for label in labels)

    def write(file: TextIO) -> None:
        writer = csv.writer(
            file,
            delimiter=separator,
            lineterminator="\n",
            quoting=csv.QUOTE_ALL if returns else csv.QUOTE_MINIMAL,
        )
        writer.writerows(hierarchy.rows())

    _write(Path(path), write, overwrite=overwrite)


def write_json(hierarchy: Hierarchy, path: str | Path, *, overwrite: bool = False) -> None:
    """Write nested objects with `name` and `children`.

    Raises:
        TargetError: the file exists and is not to be overwritten.
        FileError: writing failed; the target is as it was.
    """

    def write(file: TextIO) -> None:
        json.dump(to_tree(hierarchy), file, ensure_ascii=False, indent=1)
        file.write("\n")

    _write(Path(path), write, overwrite=overwrite)


def _write(path: Path, write: Callable[[TextIO], None], *, overwrite: bool) -> None:
    """Write beside the target and move into place, so that the target never holds a part of the file."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("x", encoding="utf-8", newline="") as file:
            write(file)
            file.flush()
            system.confirm(file.fileno())
        if overwrite:
            part.replace(path)
        else:
            system.move(part, path)
    except FileExistsError:
        raise TargetError("the file exists", where=str(path), hint="choose another, or ask to overwrite") from None
    except RecursionError:
        raise UnsupportedError("a hierarchy too high for JSON", where=str(path), hint="write CSV") from None
    except OSError as error:
        raise FileError(f"writing failed: {error.strerror}", where=str(path)) from error
    finally:
        with suppress(OSError):
            part.unlink()


def _is_json(path: Path) -> bool:
    """Whether the suffix, or else the first sign, is that of a JSON object."""
    if path.suffix.lower() in {".json", *_ROWS}:
        return path.suffix.lower() == ".json"
    return next(filter(str.strip, _lines(path)), "").lstrip().startswith("{")


def _lines(path: Path) -> Iterator[str]:
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


def _undecodable(path: Path) -> int:
    """Number of the first line that is not UTF-8: decoding reads ahead and does not tell."""
    with path.open("rb") as file:
        return next(at for at, line in enumerate(file, start=1) if line.decode(errors="ignore").encode() != line)


def _separator(path: Path) -> str:
    """The separator by which the first rows have one common width; else one that splits some row at all."""
    some = ""
    for separator in _SEPARATORS:
        try:
            widths = {len(row) for row in islice(csv.reader(_lines(path), delimiter=separator), _SAMPLE) if row}
        except csv.Error:
            continue
        if widths and min(widths) == max(widths) > 1:
            return separator
        if max(widths, default=0) > 1:
            some = some or separator
    return some or _SEPARATORS[0]


def _rows(path: Path, separator: str, *, pad: bool) -> Iterator[list[str]]:
    """The rows of a CSV file; refuses ragged ones and unbalanced quotes, naming the line where they begin."""
    reader = csv.reader(_lines(path), delimiter=separator, strict=True)
    width, line = 0, 1
    try:
        for row in reader:
            width = width or len(row)
            if not row or (len(row) != width and not pad):
                what = f"{len(row)} labels where the first row has {width}" if row else "an empty line"
                hint = "every row names a leaf and an ancestor on every level"
                raise InputError(what, where=f"{path}, line {line}", hint=hint)
            yield row
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"not CSV: {error}", where=f"{path}, line {line}") from None
