"""Where a release of a table can go: a file, a folder of Parquet, a table of a database that exists.

A name that ends with `/` is a folder. It holds one part, which gets its name when it is verified, as any file does; so
whoever reads the folder finds no record of it or all of them.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kohort.errors import TargetError, UsageError
from kohort.io.stored import others, stored
from kohort.io.write import Format, format_of
from kohort.publish import check_target
from kohort.publish.disk import reporting
from kohort.publish.tables import check_table

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from kohort.io.stored import StoredTable

#: The one part of a folder.
_PART: Final = "part-0.parquet"


@dataclass(frozen=True, slots=True)
class Outlet:
    """Where a release goes.

    Attributes:
        path: Its file, or what stands for a table of a database where files are named.
        certificate: Where its certificate goes.
        folder: The folder that it is the part of, where it is one.
        table: The table of a database that it becomes, where it becomes one.
    """

    path: Path
    certificate: Path
    folder: Path | None = None
    table: StoredTable | None = None

    @property
    def name(self) -> str:
        """What its certificate calls it."""
        return self.path.name if self.folder is None else f"{self.folder.name}/{self.path.name}"

    @property
    def inner(self) -> Format | None:
        """The format in which it is written on its way, where its name does not decide."""
        return None if self.folder is None and self.table is None else Format.PARQUET

    @contextmanager
    def room(self) -> Generator[None]:
        """The folder is there; if nothing was published, one that is new is gone again."""
        if self.folder is None or self.folder.is_dir():
            yield
            return
        with reporting("creating the folder", self.folder):
            self.folder.mkdir()
        try:
            yield
        finally:
            with suppress(OSError):  # it is not empty
                self.folder.rmdir()


def outlet(target: str | os.PathLike[str]) -> Outlet:
    """Where a target is.

    Raises:
        UsageError: it is the address of a server, and names no table.

    >>> outlet("release.csv").certificate.name, outlet("release/").name, outlet("release/").certificate.name
    ('release.csv.kohort.json', 'release/part-0.parquet', 'release.kohort.json')
    """
    if (table := stored(target)) is not None:
        return Outlet(table.path, beside(table.path), table=table)
    path = Path(target)
    if is_folder(target):
        return Outlet(path / _PART, beside(path), folder=path)
    return Outlet(path, beside(path))


def beside(target: Path) -> Path:
    """Where the certificate of a release stands: `NAME.kohort.json` beside `NAME`."""
    return target.parent / f"{target.name}.kohort.json"  # `.` and `/` have no name that could be replaced


def is_folder(target: str | os.PathLike[str]) -> bool:
    """Whether a target names a folder.

    >>> is_folder("release/"), is_folder("release.parquet"), is_folder("/")
    (True, False, False)
    """
    name = os.fspath(target)
    return name.endswith(("/", os.sep)) and bool(Path(name).name)


def written_as(target: str | os.PathLike[str], explicit: str | None = None) -> Format:
    """The format that a release is written in: of a folder, and on the way into a database, Parquet.

    Raises:
        UsageError: another format is named, or see `kohort.io.write.format_of`.
    """
    inner = outlet(target).inner
    if inner is None:
        return format_of(Path(target), explicit)
    if explicit not in {None, inner}:
        what = "a folder is written as Parquet, and a table of a database in its own way"
        raise UsageError(what, hint="leave out the format (--format)")
    return inner


def check(
    target: str | os.PathLike[str],
    sources: Sequence[str | os.PathLike[str]],
    *,
    overwrite: bool,
    inputs: Sequence[Path],
    companions: Sequence[Path],
) -> None:
    """Refuse a target that could not be published to, before any work.

    Args:
        target: Where the release goes.
        sources: The tables that the run reads, as they are named.
        overwrite: Whether what is there may be replaced.
        inputs: Files that no output may replace.
        companions: The other outputs.

    Raises:
        TargetError: it exists (and `overwrite` is false), is an input, or holds something else besides.
        FileError: its folder or database is missing or cannot be written.
    """
    where = outlet(target)
    if where.table is not None:
        if overwrite and any(_is_of(source, where.table) for source in sources):
            hint = "name another table"
            raise TargetError("the output is an input of the same run", where=where.table.address, hint=hint)
        check_table(where.table, overwrite=overwrite, inputs=inputs, companions=companions)
    elif where.folder is not None and not where.folder.exists():
        check_target(companions[0], overwrite=overwrite, inputs=inputs, companions=companions[1:])
    else:
        _refuse_others(where, inputs, overwrite=overwrite)
        check_target(where.path, overwrite=overwrite, inputs=inputs, companions=companions)


def _is_of(source: str | os.PathLike[str], table: StoredTable) -> bool:
    """Whether a source may be the table: the one that is named, or the database with no table named."""
    name = os.fspath(source)
    read = stored(name) if "#" in name else None
    base = name if read is None else read.base
    same = base == table.base or os.path.realpath(base) == os.path.realpath(table.base)
    return same and (read is None or read.table.casefold() == table.table.casefold())


def _refuse_others(where: Outlet, inputs: Sequence[Path], *, overwrite: bool) -> None:
    """Refuse a folder of other files, and to replace a database that holds other tables than a release."""
    if where.folder is None:
        if overwrite and others(where.path):
            what = "the output is a database that holds other tables, and they would be lost"
            raise TargetError(what, where=str(where.path), hint=f"write a table into it: {where.path}#release")
        return
    if any(os.path.realpath(one) == os.path.realpath(where.folder) for one in inputs):
        hint = "name another folder"
        raise TargetError("the output is an input of the same run", where=str(where.folder), hint=hint)
    if not where.folder.is_dir():
        raise TargetError("the output is a file, not a folder", where=str(where.folder), hint="leave out the last /")
    if any(one.name != _PART and not one.name.startswith(".kohort-") for one in where.folder.iterdir()):
        hint = "name a new one, or an empty one"
        raise TargetError("the folder holds other files than a release", where=str(where.folder), hint=hint)
