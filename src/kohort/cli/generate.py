"""`kohort generate`: synthetic data to try kohort on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kohort.cli import options
from kohort.cli.screen import progress, say

if TYPE_CHECKING:
    from kohort.report import Json

app = typer.Typer(help="Synthetic data, seeded and streamed to any size.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Keep `italy` a command of its own while it is the only one."""


@app.command()
def italy(
    *,
    out: Annotated[
        Path, typer.Option("--out", metavar="FOLDER", help="Where people.csv and its hierarchies go; made if needed.")
    ] = Path("italy"),
    records: Annotated[int, typer.Option(metavar="N", min=1, help="How many people.")] = 30_000,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="The same seed gives the same people.")] = 7,
    overwrite: options.Overwrite = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """A register of Italy: names, gender, city, age, education, profession, annual income."""
    options.use_threads()
    from kohort.generate.italy import write_italy

    done = 0
    with progress(quiet=quiet) as tell:

        def count(rows: int) -> None:
            nonlocal done
            done += rows
            tell(f"{done:,} of {records:,} people")

        files = write_italy(out, records, seed=seed, overwrite=overwrite, progress=count)
    paths = [str(file) for file in files]
    figures: dict[str, Json] = {"files": [*paths], "records": records, "seed": seed}
    say("\n".join(f"wrote {path}" for path in paths), figures, as_json=json, quiet=quiet)
