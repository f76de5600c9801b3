"""`kohort check`: does this table meet its privacy models, are these transactions coherent, does a certificate hold?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from kohort.cli import basket_options, certified, coherence, flags, judged, options

if TYPE_CHECKING:
    from kohort.engines.table import Table

Person = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Says whose a record is: people are counted then; of transactions, all of one person become one.",
    ),
]
ShowValues = Annotated[
    bool,
    typer.Option(
        "--show-values", help="Show the cells of failing classes, or the private items that stand in the way."
    ),
]
Hierarchy = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN=FILE", help="By which sensitive values are apart, or labels cover values of the population."
    ),
]
Reference = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="The table before its release: t, delta-disclosure and beta refer to its values.",
        show_default="IN itself",
    ),
]
Certificate = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Check again what this certificate says of IN; it says what is asked for too."),
]


Sensitive = Annotated[
    list[str] | None,
    typer.Option(metavar="A,B", help="Sensitive columns: tell the strictest model that each meets (repeatable)."),
]

#: The k of transactions where none is given.
USUAL_K: Final = 10


def check(
    source: options.Source,
    *,
    quasi: options.Quasi = None,
    sensitive: Sensitive = None,
    k: Annotated[
        int | None,
        typer.Option(
            "--k",
            metavar="K",
            help="Every class has at least k records, every cohort k transactions.",
            show_default="10 transactions; none of a table",
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
    k_map: options.KMap = None,
    presence: options.Presence = None,
    max_risk: options.MaximumRisk = None,
    average_risk: options.AverageRisk = None,
    population: options.PopulationFile = None,
    reference: Reference = None,
    hierarchy: Hierarchy = None,
    missing_token: options.MissingTokens = None,
    certificate: Certificate = None,
    transactions: Annotated[
        bool, typer.Option("--transactions", help="IN holds transactions: are they (h,k,p)-coherent?")
    ] = False,
    h: basket_options.H = None,
    p: basket_options.P = None,
    format_: basket_options.Form = None,
    key: basket_options.Key = None,
    person: Person = None,
    item: basket_options.Item = None,
    private: basket_options.Private = None,
    private_file: basket_options.PrivateFile = None,
    public: basket_options.Public = None,
    public_file: basket_options.PublicFile = None,
    allow_absent: basket_options.AllowAbsent = False,
    max_sets: basket_options.MaxSets = None,
    show_values: ShowValues = False,
    separator: options.Separator = None,
    encoding: options.Encoding = "utf-8",
    header: options.Header = None,
    names: options.Names = None,
    skip_blank: options.SkipBlank = False,
    trim: options.Trim = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Check a file against privacy models or its certificate: status 0 if met, 1 if not. Without either, measure it."""
    options.use_threads()
    of_columns = {
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
    of_table = {"k-map": k_map, "presence": presence, "max-risk": max_risk, "average-risk": average_risk}
    beside = {"population": population, "reference": reference, "hierarchy": hierarchy, "missing-token": missing_token}
    how = options.Reading(header, names, skip_blank, trim)
    lines = how.flags()
    reading = {"format": format_, "key": key, "person": person, "item": item}
    items = {
        "private": options.names(private) or None,
        "private-file": private_file,
        "public": options.names(public) or None,
        "public-file": public_file,
        "allow-absent": allow_absent,
    }
    others = {"h": h, "p": p, "max-sets": max_sets}
    of_tables = {("delta-disclosure" if key == "delta" else key): texts for key, texts in of_columns.items()} | of_table
    if certificate is not None:
        said: dict[str, object] = {
            "quasi": quasi,
            "sensitive": sensitive,
            "k": k,
            **of_tables,
            **others,
            "transactions": transactions,
        }
        said |= {
            "person": person,
            **lines,
            "missing-token": missing_token,
            "allow-absent": allow_absent,
            "show-values": show_values,
        }
        flags.refuse(said, "the certificate says what is asked for")
        met = certified.held(
            source,
            certificate,
            of_tables={"population": population, "reference": reference},
            hierarchy=hierarchy,
            of_transactions={**reading, **items, "separator": separator},
            json=json,
            quiet=quiet,
        )
    elif transactions:
        flags.refuse({"quasi": quasi, "sensitive": sensitive, **of_tables, **beside, **lines}, "it is of tables")
        raw = {
            "transactions": reading,
            "input": {"path": source, "separator": separator, "encoding": encoding},
            "output": {"path": source},  # where nothing is written
            "privacy": {
                "h": "0.4" if h is None else h,
                "k": USUAL_K if k is None else k,
                "p": 4 if p is None else p,
            },
            "items": items,
            "method": {"max-sets": max_sets},
        }
        met = coherence.judged(flags.transaction_request(raw, ()), values=show_values, json=json, quiet=quiet)
    else:
        of_transactions = {**reading, "person": None, **items, **others}
        flags.refuse(of_transactions, "it is of transactions", "leave it out, or add --transactions")
        whole = {"k": k, **of_table, "presence": flags.share_range(presence)}
        files = {"person": person, "population": population}

        def read(path: str) -> Table:
            return options.read_table(path, separator, encoding, how)

        made = judged.asked({"quasi": quasi, "sensitive": sensitive}, of_columns, whole, hierarchy, files)
        tokens = ["", *(missing_token or ())]
        met = judged.judged(made, read, source, reference, missing=tokens, values=show_values, json=json, quiet=quiet)
    if not met:
        raise typer.Exit(1)
