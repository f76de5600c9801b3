"""Where a release can go, and one way to publish it: a file, a folder, a table of a database, an object store.

A name that ends with `/` is a folder. Unless something else is asked for, it holds one part, Parquet, which gets its
name when it is verified, as any file does. Of several parts, or of CSV, the folder itself is published, with its
certificate and a manifest (see `kohort.io.manifest`). Whoever reads the folder finds no record of it or all of them.
What goes into an object store is such a folder.
"""

from __future__ import annotations

import os
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, Generic, NamedTuple, TypedDict, TypeGuard, TypeVar

from kohort.certificate.form import signing_key
from kohort.errors import TargetError, UsageError
from kohort.io.forms import Format, files, form_of, format_of, is_address, is_store
from kohort.io.manifest import CERTIFICATE, MANIFEST, PARTS, new_prefix
from kohort.io.write import write
from kohort.publish import Companion, check_target, publish
from kohort.release.job import Writing
from kohort.system.disk import reporting
from kohort.verify.altered import verify_perturbed

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Sequence

    from kohort.certificate.signing import SigningKey
    from kohort.io.manifest import WrittenPart
    from kohort.io.objects import Address
    from kohort.io.stored import StoredTable
    from kohort.perturbation.effect import Effect
    from kohort.tables.table import Table


#: The one part of a folder without a manifest.
_PART: Final = "part-0.parquet"

#: How a release is written where nothing is said.
_PLAIN: Final = Writing()


class Outlet(NamedTuple):
    """Where a release goes.

    Attributes:
        path: Its file, or what stands for a table of a database or a place in a store where files are named.
        certificate: Where its certificate goes.
        folder: The folder that it is the part of, where it is one.
        table: The table of a database that it becomes, where it becomes one.
        of_parts: Whether it is a folder with a manifest.
        store: The place of that manifest in an object store, where it goes there.
        prefix: Where its files go, below that place.
        staging: Where they lie before; `None` for the system's temporary folder.
    """

    path: Path
    certificate: Path
    folder: Path | None = None
    table: StoredTable | None = None
    of_parts: bool = False
    store: Address | None = None
    prefix: str = ""
    staging: Path | None = None

    @property
    def published(self) -> Path | Address:
        """Where it is found."""
        return self.store or self.path

    @property
    def certified(self) -> Path | Address:
        """Where its certificate is found."""
        return self.store / self.prefix / CERTIFICATE if self.store else self.certificate

    @property
    def name(self) -> str:
        """What its certificate calls it."""
        if self.of_parts:
            return f"{self.path.name}/{MANIFEST}"
        return self.path.name if self.folder is None else f"{self.folder.name}/{self.path.name}"

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


def outlet(target: str | os.PathLike[str], writing: Writing = _PLAIN) -> Outlet:
    """Where a target is, of a release that is written so.

    Raises:
        UsageError: it is the address of a server, and names no table; or one of an object store, and none of a folder.

    >>> outlet("release.csv").certificate.name, outlet("release/").name, outlet("release/").certificate.name
    ('release.csv.kohort.json', 'release/part-0.parquet', 'release.kohort.json')
    >>> str(outlet("release/", Writing(records_per_part=1000)).certificate)
    'release/certificate.json'
    """
    if (table := _table(target)) is not None:
        return Outlet(table.path, beside(table.path), table=table)
    if (place := _place(target)) is not None:
        path = Path(place.name)
        return Outlet(path, path / CERTIFICATE, of_parts=True, store=place, prefix=new_prefix())
    path = Path(target)
    if is_folder(target) and (writing.format not in {None, Format.PARQUET} or not _whole(writing)):
        return Outlet(path, path / CERTIFICATE, of_parts=True)
    if is_folder(target):
        return Outlet(path / _PART, beside(path), folder=path)
    return Outlet(path, beside(path))


def _table(target: str | os.PathLike[str]) -> StoredTable | None:
    """The table of a database that a target names, if it names one; databases are known where one is in question."""
    name = os.fspath(target)
    if "#" not in name and not is_address(name):
        return None
    from kohort.io.stored import stored  # noqa: PLC0415  as above

    return stored(name)


def _place(target: str | os.PathLike[str]) -> Address | None:
    if not is_store(os.fspath(target)):
        return None
    from kohort.io.objects import address_of  # noqa: PLC0415  few releases go there

    return address_of(target)


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


def written_as(target: str | os.PathLike[str], writing: Writing = _PLAIN) -> Format:
    """The format that a release is written in: on the way into a database Parquet, of a folder too if none is named.

    Raises:
        UsageError: a format is named that does not go there, or parts of what is no folder; see also
            `kohort.io.write.format_of`.
    """
    folder, named = is_folder(target), writing.format
    if _table(target) is None and not folder:
        if _place(target) is not None:
            what = "a release in an object store is a folder of parts"
            raise UsageError(what, where=os.fspath(target), hint="end the name with /")
        if writing.records_per_part is not None:
            what = "only a folder has parts"
            raise UsageError(what, where="records-per-part", hint="end the name of the output with /")
        return format_of(Path(target), named)
    if named not in ({None, *PARTS} if folder else {None, Format.PARQUET}) or not (folder or _whole(writing)):
        what = "a folder is written as Parquet or CSV; a table of a database has its own format"
        raise UsageError(what, hint="leave out the format (--format)")
    return Format(named or Format.PARQUET)


def _whole(writing: Writing) -> bool:
    return writing.records_per_part is None


def check(
    where: Outlet,
    sources: Sequence[str | os.PathLike[str]],
    *,
    overwrite: bool,
    inputs: Sequence[Path],
    companions: Sequence[Path],
) -> None:
    """Refuse a target that could not be published to, before any work.

    Raises:
        TargetError: it exists (and `overwrite` is false), is an input, or holds something else besides.
        FileError: its folder or database is missing or cannot be written.
    """
    if where.store is not None:
        from kohort.publish.store import check_store  # noqa: PLC0415  few releases go there

        if where.store in [_place(source) for source in sources]:
            hint = "name another place"
            raise TargetError("the output is an input of the same run", where=str(where.store), hint=hint)
        check_store(where.store, overwrite=overwrite, inputs=inputs, companions=companions)
        return
    if where.of_parts:
        from kohort.publish.folder import check_folder  # noqa: PLC0415  as above

        check_folder(where.path, overwrite=overwrite, inputs=inputs, companions=companions)
        return
    companions = (where.certificate, *companions)
    if where.table is not None:
        from kohort.publish.tables import check_table  # noqa: PLC0415  as above

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
    name = os.fspath(source)
    read = _table(name) if "#" in name else None
    base = name if read is None else read.base
    same = base == table.base or os.path.realpath(base) == os.path.realpath(table.base)
    return same and (read is None or read.table.casefold() == table.table.casefold())


def _holds_others(path: Path) -> bool:
    if form_of(str(path)) is None:
        return False
    from kohort.io.stored import others  # noqa: PLC0415  as above

    return bool(others(path))


def _refuse_others(where: Outlet, inputs: Sequence[Path], *, overwrite: bool) -> None:
    if where.folder is None:
        if overwrite and _holds_others(where.path):
            what = "the output is a database with other tables, which would be lost"
            raise TargetError(what, where=str(where.path), hint=f"write a table: {where.path}#release")
        return
    if any(os.path.realpath(one) == os.path.realpath(where.folder) for one in inputs):
        hint = "name another folder"
        raise TargetError("the output is an input of the same run", where=str(where.folder), hint=hint)
    if not where.folder.is_dir():
        raise TargetError("the output is a file, not a folder", where=str(where.folder), hint="leave out the last /")
    if any(one.name != _PART and not one.name.startswith(".kohort-") for one in where.folder.iterdir()):
        hint = "name a new or an empty folder"
        raise TargetError("the folder holds other files than a release", where=str(where.folder), hint=hint)


class _TargetOptions(TypedDict):
    """What is said of files that are there."""

    overwrite: bool
    inputs: Sequence[Path]


R = TypeVar("R")
V = TypeVar("V")


@dataclass(slots=True)
class Stages:
    """Wall seconds of each stage, and who wants to hear of them."""

    on_progress: Callable[[str], None]
    seconds: dict[str, float] = field(default_factory=dict[str, float])

    @contextmanager
    def __call__(self, name: str) -> Generator[None]:
        """Tell of stage `name` and time it."""
        self.on_progress(name)
        start = time.perf_counter()
        yield
        self.seconds[name] = time.perf_counter() - start


def no_progress(_: str) -> None:
    """Hear of a stage and do nothing."""


def is_path(source: object) -> TypeGuard[str | os.PathLike[str]]:
    """Whether a source is a file, or standard input, rather than something in memory."""
    return isinstance(source, str | os.PathLike)


def paths(source: object) -> tuple[Path, ...]:
    """The files that the target must not be."""
    return files(os.fspath(source)) if is_path(source) else ()


@dataclass(frozen=True, slots=True)
class Publication(Generic[V, R]):
    """A release on its way to a file, or to a folder of parts: written, verified on the written bytes, certified.

    Attributes:
        write: Writes the release.
        verify: What is true of the written bytes.
        certify: The certificate of that, unsigned.
        finish: The release with the fields that publishing sets: `verdict`, `seconds`, `path` and so on.
        sign_key: The file of the key that signs the certificate; `None` leaves it unsigned.
        format: The format of a folder's parts.
        separator: What is between their cells.
    """

    write: Callable[[BinaryIO | Path], Sequence[WrittenPart]]
    verify: Callable[[BinaryIO | Sequence[WrittenPart]], V]
    certify: Callable[[V], bytes]
    finish: Callable[..., R]
    sign_key: str | None
    format: str = ""
    separator: str = ""

    def publish(
        self, outlet: Outlet, stage: Stages, reports: Sequence[Companion[R]], *, overwrite: bool, inputs: Sequence[Path]
    ) -> R:
        """Publish the release with its certificate and reports beside it, all or nothing."""
        key = signing_key(self.sign_key)
        certify, finish = partial(self._certified, key), partial(self._finished, key, outlet, stage)

        def write(into: BinaryIO | Path) -> Sequence[WrittenPart]:
            with stage("write"):
                return self.write(into)

        def verify(written: BinaryIO | Sequence[WrittenPart]) -> V:
            with stage("verify"):
                return self.verify(written)

        finished: list[R] = []  # once, for what a report measures of a release serves the next one, too

        def finish_once(verdict: V) -> R:
            if not finished:
                stage.on_progress("report")
                finished.append(finish(verdict))
            return finished[0]

        def companion(report: Companion[R]) -> Companion[V]:
            return Companion(report.path, lambda verdict: report.content(finish_once(verdict)))

        said: _TargetOptions = {"overwrite": overwrite, "inputs": inputs}
        others = [companion(report) for report in reports]
        companions = [Companion(outlet.certificate, certify), *others]
        form = {"format_": self.format, "separator": self.separator}
        if outlet.store is not None:
            from kohort.publish.store import publish_stored  # noqa: PLC0415  few go into an object store

            found = publish_stored(
                outlet.store,
                write,
                verify,
                certify,
                prefix=outlet.prefix,
                staging=outlet.staging,
                uploading=lambda: stage("upload"),
                companions=others,
                **form,
                **said,
            )
        elif outlet.of_parts:
            from kohort.publish.folder import publish_folder  # noqa: PLC0415  few releases are folders

            found = publish_folder(outlet.path, write, verify, certify, companions=others, **form, **said)
        elif outlet.table is not None:
            from kohort.publish.tables import publish_table  # noqa: PLC0415  few releases are tables of databases

            found = publish_table(outlet.table, write, verify, companions=companions, **said)
        else:
            with outlet.room():
                found = publish(outlet.path, write, verify, companions=companions, **said)
        return finish(found)

    def _certified(self, key: SigningKey | None, verdict: V) -> bytes:
        made = self.certify(verdict)
        return made if key is None else key.signed(made)

    def _finished(self, key: SigningKey | None, outlet: Outlet, stage: Stages, verdict: V) -> R:
        signed_by, path = None if key is None else key.public.fingerprint, outlet.published
        changes = {"seconds": stage.seconds, "path": path, "certificate": outlet.certified, "signed_by": signed_by}
        return self.finish(verdict=verdict, **changes)


def save_perturbed(
    made: Table,
    original: Table,
    effects: Sequence[Effect],
    path: Path,
    *,
    form: str | None = None,
    excel_safe: bool = False,
    missing: Collection[str] = ("",),
    overwrite: bool = False,
    inputs: Sequence[Path] = (),
) -> str:
    """Publish a perturbed table, all or nothing; the sha256 of its bytes.

    Args:
        made: The perturbed table.
        original: The table that it was.
        effects: What was done to which columns; all others must be as they were.
        path: Where it goes.
        form: The format; by default the one that the path's ending means.
        excel_safe: Whether cells that a spreadsheet would run as a formula get a leading apostrophe.
        missing: Texts that mean no value.
        overwrite: Whether a file at `path` may be replaced.
        inputs: Files that it may not be.

    Raises:
        UsageError: the ending means no format.
        TargetError: a file is there (and `overwrite` is false), or it is an input.
        VerificationError: the written bytes are not what was promised; nothing was published.
        FileError: writing failed; nothing was published.
    """
    chosen: Format = format_of(path, form)

    def written(file: BinaryIO) -> None:
        write(made, file, chosen, excel_safe=excel_safe, source=original)

    def verified(file: BinaryIO) -> str:
        return verify_perturbed(
            file, original, tuple(effects), format_=chosen, excel_safe=excel_safe, missing=frozenset(missing)
        )

    return publish(path, written, verified, overwrite=overwrite, inputs=inputs)
