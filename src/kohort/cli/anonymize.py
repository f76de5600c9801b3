"""`kohort anonymize` and `kohort run`: the same job from flags or from a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kohort.cli import basket_options, flags, options, outputs, pages, transactions
from kohort.cli.screen import progress, say
from kohort.errors import UsageError

if TYPE_CHECKING:
    from kohort.job import Request


def anonymize(
    source: options.Source,
    *,
    out: Annotated[
        str, typer.Option("--out", metavar="OUT", help="The release to publish; its certificate is OUT.kohort.json.")
    ],
    quasi: options.Quasi = None,
    sensitive: Annotated[
        list[str] | None, typer.Option(metavar="A,B", help="Sensitive columns: released unchanged.")
    ] = None,
    identifier: Annotated[
        list[str] | None, typer.Option(metavar="A,B", help="Identifying columns: never released.")
    ] = None,
    insensitive: Annotated[
        list[str] | None, typer.Option(metavar="A,B", help="Insensitive columns: released unchanged.")
    ] = None,
    drop: options.Drop = None,
    rest: Annotated[
        str, typer.Option(metavar="WORD", help="Columns not named: refuse, insensitive, or drop.")
    ] = "refuse",
    k: Annotated[
        int | None,
        typer.Option(
            "--k",
            metavar="K",
            help="Every class has at least k records.",
            show_default="10, unless k-map, presence or a risk is asked for",
        ),
    ] = None,
    distinct_l: options.DistinctL = None,
    entropy_l: options.EntropyL = None,
    recursive: options.RecursiveL = None,
    t: options.T = None,
    distance: options.Distance = None,
    alpha: options.Alpha = None,
    delta_disclosure: options.DeltaDisclosure = None,
    beta: options.Beta = None,
    enhanced_beta: options.EnhancedBeta = None,
    no_model: options.NoModel = None,
    k_map: options.KMap = None,
    presence: options.Presence = None,
    max_risk: options.MaximumRisk = None,
    average_risk: options.AverageRisk = None,
    population: options.PopulationFile = None,
    person: options.PersonKey = None,
    method: Annotated[
        str,
        typer.Option(
            metavar="WORD", help="mondrian, mondrian-relaxed; on levels: samarati, optimal, datafly, best-effort."
        ),
    ] = "mondrian",
    max_suppression: Annotated[
        str | None,
        typer.Option(metavar="LIMIT", help="Records that a method on levels may leave out: 20, or 5%, or 0.05."),
    ] = None,
    objective: Annotated[
        str | None,
        typer.Option(
            metavar="WORD",
            help="What a release on levels is to lose little of: lm (if not given), ncp, lm-geometric, arx-loss, c_dm,"
            " c_avg, precision, entropy, height; first: Samarati's first node.",
        ),
    ] = None,
    node: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LEVELS",
            help="Release these levels and search nothing: 0,1,2 in the order of --quasi, or age=2,sex=0,city=1.",
        ),
    ] = None,
    max_level: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN=LEVEL", help="The greatest level that a method on levels may use."),
    ] = None,
    time_limit: Annotated[
        str | None, typer.Option(metavar="SECONDS", help="When best-effort stops; 30 if not given.")
    ] = None,
    cut: Annotated[
        str | None,
        typer.Option(
            metavar="WORD",
            help="Mondrian's: nearest (if not given), the allowable cut nearest the median; or median, the textbook's.",
        ),
    ] = None,
    order: Annotated[
        str | None, typer.Option(metavar="WORD", help="Order of categorical values: hierarchy, frequency, sorted.")
    ] = None,
    labels: Annotated[
        str | None, typer.Option(metavar="WORD", help="range, set, ancestor, mean or grid, where a column can.")
    ] = None,
    hierarchy: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN=FILE", help="Or a builder: age=intervals:5,10,20 zip=mask:right sex=suppress."),
    ] = None,
    grid: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN=STEP", help="Or COLUMN=CUT,CUT,…: public cut points.")
    ] = None,
    no_grid: options.NoGrid = False,
    bounds: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN=LOW..HIGH", help="The domain of a numeric column.")
    ] = None,
    weight: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN=NUMBER", help="How much it counts, in cuts and in the objective; 1 if not given."),
    ] = None,
    scale: Annotated[list[str] | None, typer.Option(metavar="COLUMN=WORD", help="numeric or categorical.")] = None,
    missing: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN=WORD", help="own-value, suppress or refuse.")
    ] = None,
    allow_singling: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B",
            help="Released columns that may single out more than half of the people, or hold cells of identifying ones"
            " (repeatable).",
        ),
    ] = None,
    perturb: options.Perturb = None,
    seed: options.InsecureSeed = None,
    insecure_reproducible: options.InsecureReproducible = False,
    pseudonym: options.Pseudonym = None,
    key_file: options.KeyFile = None,
    missing_token: options.MissingTokens = None,
    complete_records: options.CompleteRecords = None,
    separator: options.Separator = None,
    encoding: options.Encoding = "utf-8",
    header: options.Header = None,
    names: options.Names = None,
    skip_blank: options.SkipBlank = False,
    trim: options.Trim = False,
    allow_empty: Annotated[bool, typer.Option("--allow-empty", help="Accept a table of no records.")] = False,
    format_: Annotated[
        str | None, typer.Option("--format", metavar="WORD", help="Format of the release, where its name tells none.")
    ] = None,
    excel_safe: Annotated[
        bool, typer.Option("--excel-safe", help="Neutralise cells that a spreadsheet would run.")
    ] = False,
    report: outputs.ReportFile = None,
    audience: pages.AudienceWord = None,
    mapping: outputs.MappingFile = None,
    picture: outputs.PictureFile = None,
    compare_grid: outputs.CompareGrid = False,
    attack: outputs.Attack = None,
    threads: options.Threads = options.CORES,
    json: options.Json = False,
    quiet: options.Quiet = False,
    dry_run: options.DryRun = False,
    overwrite: options.Overwrite = False,
) -> None:
    """A table in, a verified k-anonymous release out."""
    roles = {
        "quasi": quasi,
        "sensitive": sensitive,
        "identifying": identifier,
        "insensitive": insensitive,
        "drop": drop,
    }
    shapes = {
        "hierarchy": hierarchy,
        "grid": grid,
        "max-level": max_level,
        "bounds": bounds,
        "weight": weight,
        "scale": scale,
        "missing": missing,
    }
    faults: list[UsageError] = []
    columns = flags.columns(roles, faults)
    flags.no_model(columns, no_model)
    for key, texts in shapes.items():
        flags.shape(columns, key, texts, faults)
    flags.allow_singling(columns, allow_singling, rest, faults)
    flags.pseudonyms(columns, pseudonym)
    asked = {
        "l": distinct_l,
        "entropy-l": entropy_l,
        "recursive": recursive,
        "t": t,
        "distance": distance,
        "alpha": alpha,
        "delta": delta_disclosure,
        "beta": beta,
        "enhanced-beta": enhanced_beta,
    }
    for key, texts in asked.items():
        flags.shape(columns, key, texts, faults, role="sensitive")
    raw: dict[str, object] = {
        "input": {
            "key-file": key_file,
            "path": source,
            "separator": separator,
            "encoding": encoding,
            **options.Reading(header, names, skip_blank, trim).keys(),
            "allow-empty": allow_empty,
            "missing": ["", *(missing_token or ())],
            **({"complete-records": options.complete_records(complete_records)} if complete_records else {}),
        },
        "output": {"path": out, "format": format_, "excel-safe": excel_safe},
        "privacy": {
            "k": 10 if (k, k_map, presence, max_risk, average_risk) == (None,) * 5 else k,
            "k-map": k_map,
            "presence": flags.share_range(presence),
            "max-risk": max_risk,
            "average-risk": average_risk,
            "max-suppression": max_suppression,
        },
        "person": None if person is None else {"key": person},
        "population": None if population is None else {"path": population},
        "method": {
            "name": method,
            "cut": cut,
            "order": order,
            "labels": labels,
            "grid": "none" if no_grid else "round",
            "objective": objective,
            "node": flags.node(node, faults),
            "time-limit": time_limit,
        },
        "rest": rest,
        "columns": columns,
        "perturb": flags.perturbed(perturb, seed, faults, insecure_reproducible=insecure_reproducible),
    }
    options.use_threads(threads)
    made = flags.request(raw, faults)
    files = outputs.Files(outputs.Asked(report, audience), mapping, picture)
    told = outputs.figures_of(made, compare=compare_grid, attack=attack, threads=threads)
    _carry_out(made, files, told, threads=threads, json=json, quiet=quiet, dry_run=dry_run, overwrite=overwrite)


def run(
    job: Annotated[Path, typer.Argument(metavar="JOB", help="A job file (TOML); `kohort init` writes one to correct.")],
    *,
    report: outputs.ReportFile = None,
    audience: pages.AudienceWord = None,
    mapping: outputs.MappingFile = None,
    picture: outputs.PictureFile = None,
    compare_grid: outputs.CompareGrid = False,
    attack: outputs.Attack = None,
    trace: basket_options.Trace = False,
    show_values: basket_options.ShowValues = False,
    threads: options.Threads = options.CORES,
    json: options.Json = False,
    quiet: options.Quiet = False,
    dry_run: options.DryRun = False,
    overwrite: options.Overwrite = False,
) -> None:
    """The same from a job file, on a table or on transactions."""
    options.use_threads(threads)
    from kohort.job.document import document_at

    text = document_at(job)
    if text.is_of_transactions:
        from kohort.job.transactions import of as made_of

        of_tables = {"mapping": mapping, "picture": picture, "compare-grid": compare_grid, "attack": attack}
        flags.refuse(of_tables, "it is of jobs on tables")
        shown = transactions.Shown(json=json, quiet=quiet, trace=trace, values=show_values)
        transactions.carry_out(
            made_of(text), outputs.Asked(report, audience), shown, dry_run=dry_run, overwrite=overwrite
        )
        return
    from kohort.job import of

    flags.refuse({"trace": trace, "show-values": show_values}, "it is of jobs on transactions")
    made, files = of(text), outputs.Files(outputs.Asked(report, audience), mapping, picture)
    told = outputs.figures_of(made, compare=compare_grid, attack=attack, threads=threads)
    _carry_out(made, files, told, threads=threads, json=json, quiet=quiet, dry_run=dry_run, overwrite=overwrite)


def _carry_out(
    made: Request,
    files: outputs.Files,
    told: outputs.Figures,
    *,
    threads: int,
    json: bool,
    quiet: bool,
    dry_run: bool,
    overwrite: bool,
) -> None:
    """Anonymize as `made` asks, and say what came of it."""
    from kohort import pipeline
    from kohort.report.render.release import release_text

    reports = outputs.companions(made, files, told, dry_run=dry_run)
    try:
        with progress(quiet=quiet) as tell:
            if dry_run:
                release = pipeline.rehearse(
                    made.source,
                    made.job,
                    population=made.population,
                    overwrite=overwrite,
                    threads=threads,
                    tell=tell,
                    reports=reports,
                    inputs=made.inputs,
                )
            else:
                release = pipeline.anonymize(
                    made.source,
                    made.job,
                    population=made.population,
                    target=made.target,
                    overwrite=overwrite,
                    threads=threads,
                    tell=tell,
                    reports=reports,
                    inputs=made.inputs,
                )
    except UsageError as fault:
        raise made.placed(fault) from None
    figures = told(release)
    say(release_text(figures, made.quasi), figures.as_json(), as_json=json, quiet=quiet)
