"""`kohort risk`: whom an attacker could find in a file, and by what."""

from __future__ import annotations

from typing import Annotated

import typer

from kohort.cli import flags, options
from kohort.cli.screen import progress, say
from kohort.errors import UsageError


def risk(
    source: options.Source,
    *,
    quasi: options.Quasi = None,
    sensitive: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B", help="Columns that nobody can know beforehand (repeatable); all others are tried."),
    ] = None,
    person: options.PersonKey = None,
    population: options.PopulationFile = None,
    population_size: Annotated[
        int | None, typer.Option(metavar="N", help="IN is a sample of so many people: estimate what it tells of them.")
    ] = None,
    sampling_fraction: Annotated[
        str | None, typer.Option(metavar="SHARE", help="Or which share of the people IN is: 0.05.")
    ] = None,
    hierarchy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=FILE", help="What its labels cover in the population table (repeatable; also a builder)."
        ),
    ] = None,
    threshold: Annotated[
        str, typer.Option(metavar="SHARE", help="Count who is at a greater risk: 0.2 is that of classes of five.")
    ] = "0.2",
    known: Annotated[
        int | None,
        typer.Option(metavar="M", help="Also say the risk when only M of the quasi-identifying columns are known."),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Of samples, where there is too much to look at all.")] = 0,
    show_values: Annotated[
        bool, typer.Option("--show-values", help="Show cells of the smallest classes: records' values.")
    ] = False,
    separator: options.Separator = None,
    encoding: options.Encoding = "utf-8",
    no_header: options.NoHeader = False,
    skip_blank: options.SkipBlank = False,
    json: options.Json = False,
) -> None:
    """Say whom an attacker could find in this file, as it stands, and by what; write nothing."""
    options.use_threads()
    from kohort.render.risk import risk_text
    from kohort.report.risk import numbers
    from kohort.risk import assess
    from kohort.risk.reidentification import threshold_of

    columns, labels = options.names(quasi), options.pairs(hierarchy, "--hierarchy")
    if not columns:
        raise UsageError("no quasi-identifying column is named", where="--quasi", hint="name at least one")
    if population is None:
        flags.refuse({"hierarchy": hierarchy}, "it is of a population table", "leave it out, or add --population FILE")
    limit = threshold_of(threshold)  # before any table is read
    read = {"no_header": no_header, "skip_blank": skip_blank}
    table = options.read_table(source, separator, encoding, **read)
    others = None if population is None else options.read_table(population, separator, encoding, **read)
    with progress() as tell:
        tell("assess")
        found = assess(
            table,
            columns,
            sensitive=options.names(sensitive),
            person=person,
            population=others,
            population_size=population_size,
            sampling_fraction=sampling_fraction,
            threshold=limit,
            known=known,
            hierarchies=labels,
            seed=seed,
        )
    figures = numbers(found, values=show_values)
    say(risk_text(figures), figures, as_json=json)
