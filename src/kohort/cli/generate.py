"""`kohort generate`: synthetic data to try kohort on."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kohort.cli import options
from kohort.cli.screen import progress, say
from kohort.shown import many

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import BinaryIO

    from kohort.report import Json

Seed = Annotated[int, typer.Option(metavar="N", min=0, help="The same seed gives the same bytes.")]


def italy(
    *,
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", metavar="FOLDER", help="The folder for people.csv and its hierarchies; made if needed."
        ),
    ] = Path("italy"),
    records: Annotated[int, typer.Option(metavar="N", min=1, help="Number of people.")] = 30_000,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="The same seed gives the same people.")] = 7,
    tables: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help=(
                "A folder with your own regions, professions and incomes, or names: cities.json, "
                "professions.json, names.json; or three CSV files and four trees: see the reference."
            ),
        ),
    ] = None,
    overwrite: options.Overwrite = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """A register of Italy: names, gender, city, age, education, profession, annual income."""
    options.use_threads()
    from functools import partial

    from kohort.generate.italy import write_italy

    _write_folder(
        partial(write_italy, tables=tables), out, records, seed, "people", overwrite=overwrite, json=json, quiet=quiet
    )


def admissions(
    *,
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", metavar="FOLDER", help="The folder for admissions.csv and its hierarchies; made if needed."
        ),
    ] = Path("admissions"),
    records: Annotated[int, typer.Option(metavar="N", min=1, help="Number of stays.")] = 30_000,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="The same seed gives the same stays.")] = 7,
    overwrite: options.Overwrite = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Hospital stays: patient, sex, birth date, postal code, dates, ward, diagnosis, charge, outcome; and a job."""
    options.use_threads()
    from kohort.generate.admissions import write_admissions

    _write_folder(write_admissions, out, records, seed, "stays", overwrite=overwrite, json=json, quiet=quiet)


def baskets(
    *,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The file of basket lines to write.")] = Path(
        "baskets.dat"
    ),
    transactions: Annotated[int, typer.Option(metavar="N", min=1, help="Number of transactions.")] = 10_000,
    items: Annotated[
        int, typer.Option(metavar="N", min=1, help="Number of items; item 0 is the most popular.")
    ] = 1_000,
    length: Annotated[float, typer.Option(metavar="N", min=1, help="Average number of items of a transaction.")] = 10,
    patterns: Annotated[
        int, typer.Option(metavar="N", min=1, help="Number of patterns: sets of items bought together.")
    ] = 2_000,
    pattern_length: Annotated[
        float, typer.Option(metavar="N", min=1, help="Average number of items of a pattern.")
    ] = 4,
    seed: Seed = 7,
    overwrite: options.Overwrite = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Transactions as of a shop, after IBM's Quest generator: a line for each, its items separated by blanks."""
    from kohort.generate.baskets import Market

    market = Market.of(items=items, length=length, patterns=patterns, pattern_length=pattern_length, seed=seed)
    pieces = ((batch.text(), batch.cells.size) for batch in market.batches(transactions))
    figures = {"transactions": transactions, "items": items, "seed": seed}
    _write(out, pieces, figures, overwrite=overwrite, json=json, quiet=quiet)


def matrix(
    *,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The matrix file to write.")] = Path(
        "matrix.csv"
    ),
    rows: Annotated[int, typer.Option(metavar="N", min=1, help="Number of rows: transactions.")] = 10_000,
    columns: Annotated[int, typer.Option(metavar="N", min=1, help="Number of columns: items.")] = 100,
    density: Annotated[float, typer.Option(metavar="D", min=0, max=1, help="The probability of a 1.")] = 0.1,
    seed: Seed = 7,
    header: Annotated[bool, typer.Option("--header", help="Write the items' names in the first line.")] = False,
    overwrite: options.Overwrite = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """A 0/1 matrix of independent cells: a row for each transaction, a column for each item."""
    from kohort.generate.matrix import Matrix, text

    made = Matrix(columns=columns, density=density, seed=seed)
    pieces = ((text(batch), int(batch.sum())) for batch in made.batches(rows))
    names = [(made.header(), 0)] if header else []
    figures = {"transactions": rows, "items": columns, "seed": seed}
    _write(out, chain(names, pieces), figures, overwrite=overwrite, json=json, quiet=quiet)


def _write_folder(
    write: Callable[..., tuple[Path, ...]],
    out: Path,
    records: int,
    seed: int,
    what: str,
    *,
    overwrite: bool,
    json: bool,
    quiet: bool,
) -> None:
    """Write a table of any size and what belongs to it."""
    done = 0
    with progress(quiet=quiet) as tell:

        def count(rows: int) -> None:
            nonlocal done
            done += rows
            tell(f"{done:,} of {records:,} {what}")

        files = write(out, records, seed=seed, overwrite=overwrite, progress=count)
    paths = [str(file) for file in files]
    figures: dict[str, Json] = {"files": [*paths], "records": records, "seed": seed}
    say("\n".join(f"wrote {path}" for path in paths), figures, as_json=json, quiet=quiet)


def _write(
    out: Path,
    pieces: Iterable[tuple[bytes, int]],
    figures: Mapping[str, int],
    *,
    overwrite: bool,
    json: bool,
    quiet: bool,
) -> None:
    """Write pieces of text, each with its number of cells, to a file that takes its name when it is complete."""
    from kohort.publish import publish

    cells = 0
    with progress(quiet=quiet) as tell:

        def write(file: BinaryIO) -> None:
            nonlocal cells
            for piece, more in pieces:
                file.write(piece)
                cells += more
                tell(many(cells, "cell"))

        publish(out, write, lambda _: None, overwrite=overwrite)
    say(f"wrote {out}", {"file": str(out), **figures, "cells": cells}, as_json=json, quiet=quiet)
