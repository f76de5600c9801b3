"""`kohort sweep`: what a release would cost, as parameters change; a table and a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kohort.cli import basket_options, flags, options, sweep_tables, sweep_transactions
from kohort.cli.sweep_transactions import Shown
from kohort.errors import UsageError


def sweep(
    source: Annotated[
        str | None,
        typer.Argument(metavar="IN", help="The table, or the transactions; - is standard input. Not with --job."),
    ] = None,
    *,
    vary: Annotated[
        list[str],
        typer.Option(
            metavar="P=A,B,…",
            help="What is varied: k=5,10, max-suppression=0,5%, quasi=2,3 (so many of --quasi, the others are dropped),"
            " method=…, a model: l:COLUMN=2,3 or t:COLUMN=0.1,0.2 (repeatable: all combinations). Of transactions: one"
            " of k, h, p, delta.",
        ),
    ],
    transactions: Annotated[
        bool, typer.Option("--transactions", help="IN is a transaction database, not a table.")
    ] = False,
    job: Annotated[
        Path | None,
        typer.Option(metavar="JOB", help="Table: a job file instead of IN and flags; what is varied replaces its own."),
    ] = None,
    quasi: options.Quasi = None,
    sensitive: Annotated[list[str] | None, typer.Option(metavar="A,B", help="Table: sensitive columns.")] = None,
    identifier: Annotated[
        list[str] | None, typer.Option(metavar="A,B", help="Table: identifying columns: never released.")
    ] = None,
    insensitive: Annotated[list[str] | None, typer.Option(metavar="A,B", help="Table: insensitive columns.")] = None,
    drop: options.Drop = None,
    rest: Annotated[
        str | None,
        typer.Option(
            metavar="WORD", help="Table: columns not named: refuse, insensitive, or drop.", show_default="refuse"
        ),
    ] = None,
    hierarchy: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN=FILE", help="Table: or a builder such as age=intervals:5,10,20 or sex=suppress."),
    ] = None,
    grid: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN=STEP", help="Table: or COLUMN=CUT,CUT,…: public cut points.")
    ] = None,
    no_grid: options.NoGrid = False,
    bounds: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN=LOW..HIGH", help="Table: the domain of a numeric column.")
    ] = None,
    max_level: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN=LEVEL", help="Table: the greatest level that may be used.")
    ] = None,
    k: Annotated[
        int | None,
        typer.Option(
            "--k", metavar="K", help="A class has at least k records, a cohort k transactions.", show_default="10"
        ),
    ] = None,
    distinct_l: options.DistinctL = None,
    t: options.T = None,
    max_suppression: Annotated[
        str | None,
        typer.Option(metavar="LIMIT", help="Table: records that a method on levels may leave out: 20, or 5%, or 0.05."),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            metavar="WORD",
            help="Table: mondrian, mondrian-relaxed; on levels: samarati, optimal, datafly, best-effort.",
            show_default="mondrian",
        ),
    ] = None,
    objective: Annotated[
        str | None, typer.Option(metavar="WORD", help="Table: what a method on levels is to lose little of.")
    ] = None,
    cut: Annotated[str | None, typer.Option(metavar="WORD", help="Table: Mondrian's: nearest or median.")] = None,
    order: Annotated[
        str | None,
        typer.Option(metavar="WORD", help="Table: order of categorical values: hierarchy, frequency, sorted."),
    ] = None,
    labels: Annotated[
        str | None, typer.Option(metavar="WORD", help="Table: range, set, ancestor, mean or grid, where a column can.")
    ] = None,
    missing_token: options.MissingTokens = None,
    complete_records: options.CompleteRecords = None,
    header: options.Header = None,
    names: options.Names = None,
    skip_blank: options.SkipBlank = False,
    trim: options.Trim = False,
    format_: basket_options.Form = None,
    key: basket_options.Key = None,
    person: basket_options.Person = None,
    item: basket_options.Item = None,
    separator: basket_options.BasketSeparator = None,
    encoding: Annotated[
        str | None, typer.Option(metavar="NAME", help="Encoding of the input.", show_default="utf-8")
    ] = None,
    private: basket_options.Private = None,
    private_file: basket_options.PrivateFile = None,
    public: basket_options.Public = None,
    public_file: basket_options.PublicFile = None,
    delta: basket_options.Delta = None,
    seeds: Annotated[
        list[str] | None,
        typer.Option(metavar="N,N", help="With --delta: draw the items so many times.", show_default="1,2,3"),
    ] = None,
    draw: basket_options.Draw = None,
    allow_absent: basket_options.AllowAbsent = False,
    min_support: basket_options.MinSupport = None,
    h: basket_options.H = None,
    p: basket_options.P = None,
    scores: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B",
            help="What is compared: mmil, mm, 1il, all; also give-back, optimal, cells.",
            show_default="mmil,mm,1il,all",
        ),
    ] = None,
    max_sets: basket_options.MaxSets = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write every point or run (.csv), or all figures (.json)."),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option("--picture", metavar="FILE", help="Draw a figure against what is varied (.svg, .png)."),
    ] = None,
    figure: Annotated[
        str | None,
        typer.Option(
            metavar="WORD",
            help="Table: what is drawn: lm, c_dm, c_avg … or risk-utility, the frontier with its knee.",
            show_default="lm",
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Table: keep found points in OUT.points.jsonl until all are found, and begin with those it holds.",
        ),
    ] = False,
    seconds: Annotated[
        bool, typer.Option("--seconds", help="Tell the seconds of each point or run, which differ.")
    ] = False,
    threads: options.Threads = options.CORES,
    json: options.Json = False,
    quiet: options.Quiet = False,
    overwrite: options.Overwrite = False,
) -> None:
    """What would a release cost, as parameters change? Nothing is released."""
    shown = Shown(out, picture, figure, seconds=seconds, json=json, quiet=quiet, overwrite=overwrite)
    reading = options.Reading(header, names, skip_blank, trim)
    roles = {"quasi": quasi, "sensitive": sensitive, "insensitive": insensitive, "drop": drop}
    shapes = {"hierarchy": hierarchy, "grid": grid, "bounds": bounds, "max-level": max_level}
    of_method = {"method": method, "cut": cut, "order": order, "labels": labels, "objective": objective}
    of_tables = {
        **roles,
        **shapes,
        **of_method,
        "identifier": identifier,
        "rest": rest,
        "no-grid": no_grid,
        "l": distinct_l,
        "t": t,
        "max-suppression": max_suppression,
        "missing-token": missing_token,
        "complete-records": complete_records,
        **reading.flags(),
    }
    of_baskets = {
        "format": format_,
        "key": key,
        "person": person,
        "item": item,
        "private": private,
        "private-file": private_file,
        "public": public,
        "public-file": public_file,
        "delta": delta,
        "seeds": seeds,
        "draw": draw,
        "allow-absent": allow_absent,
        "min-support": min_support,
        "h": h,
        "p": p,
        "scores": scores,
        "max-sets": max_sets,
    }
    options.use_threads(threads)
    if transactions:
        flags.refuse({**of_tables, "job": job, "figure": figure, "resume": resume}, "it is of tables")
        baskets: dict[str, dict[str, object]] = {
            "transactions": {"format": format_, "key": key, "person": person, "item": item},
            "input": {"path": _there(source), "separator": separator, "encoding": encoding or "utf-8"},
            "output": {"path": str(out or "nothing is released")},
            "items": {
                "private": options.names(private) or None,
                "private-file": private_file,
                "public": options.names(public) or None,
                "public-file": public_file,
                "draw": draw,
                "allow-absent": allow_absent,
                "min-support": min_support,
            },
            "method": {"max-sets": max_sets},
        }
        base = {"h": h, "k": k, "p": p, "delta": delta}
        sweep_transactions.carry_out(baskets, base, vary, (scores, seeds), shown)
        return
    flags.refuse(of_baskets, "it is of transactions", "leave it out, or add --transactions")
    if job is not None:
        if source is not None:
            raise UsageError("the job file names the input", where="IN", hint="leave it out")
        said = {**of_tables, "k": k, "separator": separator, "encoding": encoding}
        flags.refuse(said, "the job file says it", "leave it out, or say all by flags")
        sweep_tables.carry_out(sweep_tables.of_job(job, vary), shown, resume=resume, threads=threads)
        return
    faults: list[UsageError] = []
    columns = flags.columns({**roles, "identifying": identifier}, faults)
    for one, texts in shapes.items():
        flags.shape(columns, one, texts, faults)
    for one, texts in (("l", distinct_l), ("t", t)):
        flags.shape(columns, one, texts, faults, role="sensitive")
    raw: dict[str, object] = {
        "input": {
            "path": _there(source),
            "separator": separator,
            "encoding": encoding or "utf-8",
            **reading.keys(),
            "missing": ["", *(missing_token or ())],
            **({"complete-records": options.complete_records(complete_records)} if complete_records else {}),
        },
        "output": {"path": "nothing is released.csv"},
        "privacy": {"k": k, "max-suppression": max_suppression},
        "method": {("name" if one == "method" else one): text for one, text in of_method.items() if text is not None}
        | {"grid": "none" if no_grid else "round"},
        "rest": rest or "refuse",
        "columns": columns,
    }
    jobs = sweep_tables.of_flags(raw, vary, faults)
    sweep_tables.carry_out(jobs, shown, resume=resume, threads=threads)


def _there(source: str | None) -> str:
    """The input, which must be named."""
    if source is None:
        raise UsageError("no input is named", where="IN", hint="name a file, or - for standard input")
    return source
