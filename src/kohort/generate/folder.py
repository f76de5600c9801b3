"""A folder of generated files: a table of any size, streamed, and what belongs to it."""

from __future__ import annotations

import json
from contextlib import ExitStack
from typing import TYPE_CHECKING

from kohort.errors import FileError, TargetError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


def write_folder(folder: Path, files: Mapping[str, Iterable[bytes]], *, overwrite: bool) -> tuple[Path, ...]:
    """Write files, each from pieces, into `folder`, made if needed; none takes its name before all are complete.

    Returns:
        The paths written, in the order of `files`.

    Raises:
        TargetError: A file of such a name exists, and `overwrite` is not set.
        FileError: Writing failed.
    """
    paths = {folder / name: pieces for name, pieces in files.items()}
    taken = [path.name for path in paths if path.exists()]
    if taken and not overwrite:
        where = f"{folder}: {', '.join(taken)}"
        raise TargetError("the output exists", where=where, hint="replace it with --overwrite")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _write(paths)
    except OSError as error:
        raise FileError(f"the files could not be written: {error.strerror}", where=str(folder)) from error
    return tuple(paths)


def json_of(tree: object) -> list[bytes]:
    """The JSON text of a tree."""
    return [f"{json.dumps(tree, ensure_ascii=False, indent=2)}\n".encode()]


def _write(paths: Mapping[Path, Iterable[bytes]]) -> None:
    """Write beside each path and move all into place, the first, a table, after what belongs to it."""
    with ExitStack() as stack:
        parts = {path: path.with_name(f".{path.name}.part") for path in paths}
        for path, pieces in paths.items():
            stack.callback(parts[path].unlink, missing_ok=True)
            with parts[path].open("wb") as file:
                file.writelines(pieces)
        for path in reversed(list(paths)):
            parts[path].replace(path)
