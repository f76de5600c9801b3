"""A folder of generated files: a table of any size, streamed, and what belongs to it.

Columns of a generated table, and the table as text.
"""

from __future__ import annotations

import json
from contextlib import ExitStack
from typing import TYPE_CHECKING

import polars as pl

from kohort.errors import FileError, TargetError
from kohort.whole_files import refuse_name, whole_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from kohort.arrays import Index


def write_folder(folder: Path, files: Mapping[str, Iterable[bytes]], *, overwrite: bool) -> tuple[Path, ...]:
    """Write files, each from pieces, into `folder`, made if needed; none takes its name before all are complete.

    Returns:
        The paths written, in the order of `files`.

    Raises:
        TargetError: A file of such a name exists, and `overwrite` is not set; or the folder has no such name.
        FileError: Writing failed.
    """
    refuse_name(folder)
    paths = {folder / name: pieces for name, pieces in files.items()}
    taken = [path.name for path in paths if path.exists()]
    if taken and not overwrite:
        where = f"{folder}: {', '.join(taken)}"
        raise TargetError("the output exists", where=where, hint="replace it with --overwrite")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _write(paths, overwrite=overwrite)
    except OSError as error:
        raise FileError(f"the files could not be written: {error.strerror}", where=str(folder)) from error
    return tuple(paths)


def json_of(tree: object) -> list[bytes]:
    """The JSON text of a tree."""
    return [f"{json.dumps(tree, ensure_ascii=False, indent=2)}\n".encode()]


def _write(paths: Mapping[Path, Iterable[bytes]], *, overwrite: bool) -> None:
    """Write all, then give them their names, the first, a table, after what belongs to it."""
    with ExitStack() as stack:
        for path, pieces in paths.items():
            stack.enter_context(whole_file(path, overwrite=overwrite)).writelines(pieces)


def pick(values: Sequence[str], index: Index) -> pl.Series:
    """The values at these places."""
    return pl.Series(values).gather(index)


def numbered(prefix: str, numbers: Index | pl.Series) -> pl.Series:
    """Identifiers: a prefix and nine digits with leading zeros.

    >>> numbered("IT", pl.Series([0, 41])).to_list()
    ['IT000000001', 'IT000000042']
    """
    return prefix + pl.Series(numbers + 1).cast(pl.String).str.zfill(9)


def dated(days: Index) -> pl.Series:
    """Dates from days counted from 1 January 1970."""
    return pl.Series(days).cast(pl.Int32).cast(pl.Date)


def csv_of(frames: Iterator[pl.DataFrame], progress: Callable[[int], object] | None) -> Iterator[bytes]:
    """The CSV text of frames, piece by piece, telling `progress` how many records each held."""
    for number, frame in enumerate(frames):
        yield frame.write_csv(include_header=number == 0).encode()
        if progress:
            progress(len(frame))
