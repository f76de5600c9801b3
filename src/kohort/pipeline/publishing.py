"""What the paths of tables and of transactions share: timed stages, input files, and one way to publish."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO, Generic, TypedDict, TypeGuard, TypeVar

from kohort.io.forms import Format, files, format_of
from kohort.io.write import write
from kohort.publish import Companion, publish
from kohort.verify.altered import verify_perturbed

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Sequence
    from pathlib import Path

    from kohort.io.manifest import WrittenPart
    from kohort.perturbation.effect import Effect
    from kohort.pipeline.outlets import Outlet
    from kohort.tables.table import Table


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
    """A release on its way to a file, or to a folder of parts: written, verified on the written bytes, certified."""

    write: Callable[[BinaryIO | Path], Sequence[WrittenPart]]
    verify: Callable[[BinaryIO | Sequence[WrittenPart]], V]
    certify: Callable[[V], bytes]
    finish: Callable[[V], R]
    format: str = ""
    separator: str = ""

    def publish(
        self, outlet: Outlet, stage: Stages, reports: Sequence[Companion[R]], *, overwrite: bool, inputs: Sequence[Path]
    ) -> R:
        """Publish the release with its certificate and reports beside it, all or nothing."""

        def write(into: BinaryIO | Path) -> Sequence[WrittenPart]:
            with stage("write"):
                return self.write(into)

        def verify(written: BinaryIO | Sequence[WrittenPart]) -> V:
            with stage("verify"):
                return self.verify(written)

        finished: list[R] = []  # once, for what a report measures of a release serves the next one, too

        def finish(verdict: V) -> R:
            if not finished:
                stage.on_progress("report")
                finished.append(self.finish(verdict))
            return finished[0]

        def companion(report: Companion[R]) -> Companion[V]:
            return Companion(report.path, lambda verdict: report.content(finish(verdict)))

        said: _TargetOptions = {"overwrite": overwrite, "inputs": inputs}
        others = [companion(report) for report in reports]
        companions = [Companion(outlet.certificate, self.certify), *others]
        form = {"format_": self.format, "separator": self.separator}
        if outlet.store is not None:
            from kohort.publish.store import publish_stored  # noqa: PLC0415  few go into an object store

            found = publish_stored(
                outlet.store,
                write,
                verify,
                self.certify,
                prefix=outlet.prefix,
                staging=outlet.staging,
                uploading=lambda: stage("upload"),
                companions=others,
                **form,
                **said,
            )
        elif outlet.of_parts:
            from kohort.publish.folder import publish_folder  # noqa: PLC0415  few releases are folders

            found = publish_folder(outlet.path, write, verify, self.certify, companions=others, **form, **said)
        elif outlet.table is not None:
            from kohort.publish.tables import publish_table  # noqa: PLC0415  few releases are tables of databases

            found = publish_table(outlet.table, write, verify, companions=companions, **said)
        else:
            with outlet.room():
                found = publish(outlet.path, write, verify, companions=companions, **said)
        return self.finish(found)


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
