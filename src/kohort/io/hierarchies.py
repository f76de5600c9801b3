"""Hierarchies written to files: each file is there whole or not at all."""

from __future__ import annotations

from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING

from kohort.errors import FileError, TargetError, UnsupportedError
from kohort.schema.hierarchies.files import write_rows, write_tree
from kohort.system.disk import whole_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

    from kohort.schema.hierarchy import Hierarchy


def write_csv(hierarchy: Hierarchy, path: str | Path, *, separator: str = ";", overwrite: bool = False) -> None:
    """Write a line for each leaf: the leaf, then its ancestors up to the root.

    Raises:
        TargetError: the file exists and is not to be overwritten.
        FileError: writing failed; the target is as it was.
    """
    _write(Path(path), partial(write_rows, hierarchy, separator=separator), overwrite=overwrite)


def write_json(hierarchy: Hierarchy, path: str | Path, *, overwrite: bool = False) -> None:
    """Write nested objects with `name` and `children`.

    Raises:
        TargetError: the file exists and is not to be overwritten.
        FileError: writing failed; the target is as it was.
    """
    _write(Path(path), partial(write_tree, hierarchy), overwrite=overwrite)


def _write(path: Path, write: Callable[[TextIO], None], *, overwrite: bool) -> None:
    """Write a file that is there whole or not at all."""
    try:
        with whole_file(path, overwrite=overwrite) as file:
            text = TextIOWrapper(file, encoding="utf-8", newline="")
            write(text)
            text.detach()
    except FileExistsError:
        raise TargetError("the file exists", where=str(path), hint="choose another, or ask to overwrite") from None
    except RecursionError:
        raise UnsupportedError("too many levels for JSON", where=str(path), hint="write CSV") from None
    except OSError as error:
        raise FileError(f"writing failed: {error.strerror}", where=str(path)) from error
