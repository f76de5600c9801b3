"""`kohort risk`: whom an attacker could find in a file, and by what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from kohort.cli import attack as attacking
from kohort.cli import flags, options
from kohort.cli.screen import progress, say
from kohort.errors import UsageError

if TYPE_CHECKING:
    from kohort.engines.table import Table


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
    attack: attacking.Attack = None,
    original: attacking.Original = None,
    register: attacking.Register = None,
    register_key: attacking.RegisterKey = None,
    other_release: attacking.OtherRelease = None,
    show_values: Annotated[
        bool, typer.Option("--show-values", help="Show cells of the smallest classes: records' values.")
    ] = False,
    separator: options.Separator = None,
    encoding: options.Encoding = "utf-8",
    header: options.Header = None,
    names: options.Names = None,
    skip_blank: options.SkipBlank = False,
    trim: options.Trim = False,
    json: options.Json = False,
) -> None:
    """Say whom an attacker could find in this file, as it stands, and by what; write nothing."""
    options.use_threads()
    from kohort.assessment.risk import assess
    from kohort.assessment.risk.attacks import Evidence
    from kohort.assessment.risk.reidentification import threshold_of
    from kohort.report.attacks import attack_figures
    from kohort.report.render.attacks import attacks_text
    from kohort.report.render.risk import risk_text
    from kohort.report.risk import risk_figures

    columns, labels = options.names(quasi), options.pairs(hierarchy, "--hierarchy")
    if not columns:
        raise UsageError("no quasi-identifying column is named", where="--quasi", hint="name at least one")
    if population is None and attack is None:
        flags.refuse({"hierarchy": hierarchy}, "it is of a population table", "leave it out, or add --population FILE")
    attacking.refuse_unused(attack, original, register, register_key, other_release)
    limit = threshold_of(threshold)  # before any table is read

    def read(path: str) -> Table:
        return options.read_table(path, separator, encoding, options.Reading(header, names, skip_blank, trim))

    table = read(source)
    others = None if population is None else read(population)
    outcomes = attacking.tried(
        attack,
        Evidence(
            table, tuple(columns), tuple(options.names(sensitive)), key=register_key, hierarchies=labels, seed=seed
        ),
        read,
        original=original,
        register=register,
        other_release=other_release,
    )
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
    attacks = attack_figures(outcomes)
    figures = risk_figures(found, values=show_values).model_copy(update={"attacks": attacks})
    text = risk_text(figures) + ("\n\n" + attacks_text(attacks) if attacks else "")
    say(text, figures.as_json(), as_json=json)
