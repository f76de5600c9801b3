"""`kohort demo`: the whole path on a register that kohort makes itself."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kohort.cli import options
from kohort.cli.screen import progress

#: The job of the demo: what a steward would write for this register.
JOB = """\
# The demo's job: change it and run   kohort run {job} --overwrite
[input]
path = "people.csv"

[output]
path = "release.csv"

[privacy]
k = {k}

[columns]
person_id = {{ role = "identifying" }}
first_name = {{ role = "identifying" }}
last_name = {{ role = "identifying" }}
gender = {{ role = "quasi" }}
city = {{ role = "quasi", hierarchy = "city.json" }}
age = {{ role = "quasi", bounds = [18, 90] }}
education = {{ role = "quasi", hierarchy = "education.json" }}
profession = {{ role = "quasi", hierarchy = "profession.json" }}
annual_income = {{ role = "sensitive" }}
"""


def demo(
    folder: Annotated[Path, typer.Option("--out", help="The folder to work in.")] = Path("demo"),
    *,
    records: Annotated[int, typer.Option(min=1, help="How many people.")] = 30_000,
    k: options.K = 10,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same people.")] = 7,
) -> None:
    """Generate a register, anonymise it, verify it, show what happened."""
    options.use_threads(options.CORES)
    from kohort import pipeline, render, report  # noqa: PLC0415  imports the data-frame library
    from kohort.generate.italy import write_italy  # noqa: PLC0415
    from kohort.job import load  # noqa: PLC0415

    typer.echo(f"1. A synthetic register of {records:,} people living in Italy; nobody in it is real.\n")
    people, *_ = write_italy(folder, records, seed=seed, overwrite=True)
    typer.echo(_head(people) + "\n")
    job = folder / "job.toml"
    job.write_text(JOB.format(job=job, k=k), encoding="utf-8")
    typer.echo(f"2. Names and ids go; gender, city, age, education and profession are generalized until every\n"
               f"   combination is shared by at least {k} people (Mondrian, strict). Incomes stay as they are.\n")  # fmt: skip
    request = load(job)
    with progress(quiet=False) as tell:
        release = pipeline.anonymize(
            request.source, request.job, target=request.target, overwrite=True, threads=options.CORES, tell=tell
        )
    typer.echo(_head(Path(request.target)) + "\n")
    typer.echo("3. What came of it\n")
    typer.echo(render.release_text(report.numbers(release)) + "\n")
    quasi = ",".join(attribute.name for attribute in release.job.schema.quasi)
    typer.echo("Where to go from here")
    typer.echo(f"  the release      {release.path}\n  its certificate  {release.certificate}\n  the job          {job}")
    typer.echo(f"  check it again   kohort check {release.path} --quasi {quasi} --k {k}")
    typer.echo("  your own table   kohort inspect YOUR.csv, then kohort init YOUR.csv")


def _head(path: Path, lines: int = 4) -> str:
    """The first lines of a file, indented and cut to the width of a terminal."""
    with path.open(encoding="utf-8") as file:
        return "\n".join(f"   {line.rstrip()[:110]}" for line, _ in zip(file, range(lines), strict=False))
