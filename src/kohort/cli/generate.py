"""`kohort generate`: synthetic data to try kohort on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kohort.cli import options
from kohort.cli.screen import progress, say

app = typer.Typer(help="Synthetic data, seeded and streamed to any size.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Synthetic data, seeded and streamed to any size."""


@app.command()
def italy(
    folder: Annotated[Path, typer.Option("--out", help="The folder to write into: people.csv and its hierarchies.")] = Path("italy"),
    *,
    records: Annotated[int, typer.Option(min=1, help="How many people.")] = 30_000,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same people.")] = 7,
    overwrite: options.Overwrite = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """A register of Italy: names, gender, city, age, education, profession, annual income."""
    from kohort.generate.italy import write_italy  # noqa: PLC0415  imports the data-frame library

    done = 0
    with progress(quiet=quiet) as tell:

        def count(rows: int) -> None:
            nonlocal done
            done += rows
            tell(f"{done:,} of {records:,} people")

        files = write_italy(folder, records, seed=seed, overwrite=overwrite, progress=count)
    paths = [str(file) for file in files]
    say("\n".join(f"wrote {path}" for path in paths), {"files": list(paths), "records": records}, as_json=json, quiet=quiet)
