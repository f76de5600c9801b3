"""Generate synthetic data of any size, from a seed."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from kohort.cli import options
from kohort.cli.derive import option
from kohort.cli.screen import progress, say
from kohort.errors.display import many

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import BinaryIO

    from kohort.report import Json


def italy(
    *,
    out: Path = option(
        "", "The folder for people.csv and its hierarchies; made if needed.", "FOLDER", default=Path("italy")
    ),
    records: int = option("", "Number of people.", "N", default=30_000, min=1),
    seed: int = option("", "The same seed gives the same people.", "N", default=7, min=0),
    tables: Path | None = option(
        "",
        "A folder with your own regions, professions and incomes, or names: cities.json, professions.json, "
        "names.json; or three CSV files and four trees: see the reference.",
        "FOLDER",
    ),
    written: options.Written,
) -> None:
    """A register of Italy: names, gender, city, age, education, profession, annual income."""
    from kohort.samples.italy import write_italy

    _write_folder(partial(write_italy, tables=tables), out, records, seed, "people", written)


def admissions(
    *,
    out: Path = option(
        "", "The folder for admissions.csv and its hierarchies; made if needed.", "FOLDER", default=Path("admissions")
    ),
    records: int = option("", "Number of stays.", "N", default=30_000, min=1),
    seed: int = option("", "The same seed gives the same stays.", "N", default=7, min=0),
    written: options.Written,
) -> None:
    """Hospital stays: patient, sex, birth date, postal code, dates, ward, diagnosis, charge, outcome; a job."""
    from kohort.samples.admissions import write_admissions

    _write_folder(write_admissions, out, records, seed, "stays", written)


def baskets(
    *,
    out: Path = option("", "The file of basket lines to write.", "FILE", default=Path("baskets.dat")),
    transactions: int = option("", "Number of transactions.", "N", default=10_000, min=1),
    items: int = option("", "Number of items; item 0 is the most popular.", "N", default=1_000, min=1),
    length: float = option("", "Average number of items of a transaction.", "N", default=10, min=1),
    patterns: int = option("", "Number of patterns: sets of items bought together.", "N", default=2_000, min=1),
    pattern_length: float = option("", "Average number of items of a pattern.", "N", default=4, min=1),
    seed: int = option("", "The same seed gives the same bytes.", "N", default=7, min=0),
    written: options.Written,
) -> None:
    """Shop transactions, after IBM's Quest generator: a line for each, its items separated by blanks."""
    from kohort.samples.baskets import Market

    market = Market.of(items=items, length=length, patterns=patterns, pattern_length=pattern_length, seed=seed)
    pieces = ((batch.text(), batch.cells.size) for batch in market.batches(transactions))
    figures = {"transactions": transactions, "items": items, "seed": seed}
    write_pieces(out, pieces, figures, written)


def _write_folder(  # noqa: PLR0917  the parts of a command line
    write: Callable[..., tuple[Path, ...]], out: Path, records: int, seed: int, what: str, written: options.Written
) -> None:
    done = 0
    with progress(quiet=written.quiet) as on_progress:

        def count(rows: int) -> None:
            nonlocal done
            done += rows
            on_progress(f"{done:,} of {records:,} {what}")

        files = write(out, records, seed=seed, overwrite=written.overwrite, progress=count)
    paths = [str(file) for file in files]
    figures: dict[str, Json] = {"files": [*paths], "records": records, "seed": seed}
    say("\n".join(f"wrote {path}" for path in paths), figures, as_json=written.json, quiet=written.quiet)


def write_pieces(
    out: Path, pieces: Iterable[tuple[bytes, int]], figures: Mapping[str, int], written: options.Written
) -> None:
    """Write pieces of text, each with its number of cells, to a file that takes its name when it is complete."""
    from kohort.publish import publish

    cells = 0
    with progress(quiet=written.quiet) as on_progress:

        def write(file: BinaryIO) -> None:
            nonlocal cells
            for piece, more in pieces:
                file.write(piece)
                cells += more
                on_progress(many(cells, "cell"))

        publish(out, write, lambda _: None, overwrite=written.overwrite)
    say(f"wrote {out}", {"file": str(out), **figures, "cells": cells}, as_json=written.json, quiet=written.quiet)
