"""A perturbed table on its way to a file: written, verified on the written bytes, published."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from kohort.io.forms import Format, format_of
from kohort.io.write import write
from kohort.publish import publish
from kohort.verify.altered import verify_perturbed

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from kohort.perturbation.effect import Effect
    from kohort.tables.table import Table


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
