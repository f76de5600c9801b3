"""`kohort check`: does this table meet k, are these transactions coherent?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from kohort.cli import coherence, flags, options
from kohort.cli.screen import say
from kohort.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.checking import Check
    from kohort.engines.table import Table
    from kohort.report import Json


def check(
    source: options.Source,
    *,
    quasi: options.Quasi = None,
    k: Annotated[
        int, typer.Option("--k", metavar="K", help="Every class has at least k records, every cohort k transactions.")
    ] = 10,
    transactions: Annotated[
        bool, typer.Option("--transactions", help="IN holds transactions: are they (h,k,p)-coherent?")
    ] = False,
    h: options.H = None,
    p: options.P = None,
    format_: options.Form = None,
    key: options.Key = None,
    person: options.Person = None,
    item: options.Item = None,
    private: options.Private = None,
    private_file: options.PrivateFile = None,
    public: options.Public = None,
    public_file: options.PublicFile = None,
    allow_absent: options.AllowAbsent = False,
    max_sets: options.MaxSets = None,
    show_values: options.ShowValues = False,
    separator: options.Separator = None,
    encoding: options.Encoding = "utf-8",
    no_header: options.NoHeader = False,
    skip_blank: options.SkipBlank = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Does this file meet k, or (h,k,p)-coherence, as it stands? Status 0 if so, 1 if not."""
    options.use_threads()
    reading = {"format": format_, "key": key, "person": person, "item": item}
    items = {
        "private": options.names(private) or None,
        "private-file": private_file,
        "public": options.names(public) or None,
        "public-file": public_file,
        "allow-absent": allow_absent,
    }
    others = {"h": h, "p": p, "max-sets": max_sets, "show-values": show_values}
    if transactions:
        flags.refuse({"quasi": quasi, "no-header": no_header, "skip-blank": skip_blank}, "it is of tables")
        raw = {
            "transactions": reading,
            "input": {"path": source, "separator": separator, "encoding": encoding},
            "output": {"path": source},  # where nothing is written
            "privacy": {"h": "0.4" if h is None else h, "k": k, "p": 4 if p is None else p},
            "items": items,
            "method": {"max-sets": max_sets},
        }
        met = coherence.judged(flags.transaction_request(raw, ()), values=show_values, json=json, quiet=quiet)
    else:
        flags.refuse({**reading, **items, **others}, "it is of transactions", "leave it out, or add --transactions")
        columns = _columns(quasi, k)
        table = options.read_table(source, separator, encoding, no_header=no_header, skip_blank=skip_blank)
        met = _judged(table, columns, k, json=json, quiet=quiet)
    if not met:
        raise typer.Exit(1)


def _columns(quasi: Sequence[str] | None, k: int) -> list[str]:
    """The quasi-identifying columns; a wrong k is told before any table is read."""
    from kohort.models.k_anonymity import KAnonymity

    KAnonymity(k)  # refuses what is no k
    columns = options.names(quasi)
    if not columns:
        raise UsageError("no quasi-identifying column is named", where="--quasi", hint="name at least one")
    return columns


def _judged(table: Table, columns: Sequence[str], k: int, *, json: bool, quiet: bool) -> bool:
    """Whether the table meets k, which is said too."""
    from kohort.checking import check as judge
    from kohort.models.k_anonymity import KAnonymity

    found = judge(table, columns, (KAnonymity(k),))
    say(_text(found), _figures(found, k), as_json=json, quiet=quiet)
    return found.met


def _figures(found: Check, k: int) -> dict[str, Json]:
    return {
        "met": found.met,
        "k": k,
        "records": found.records,
        "classes": found.sizes.size,
        "smallest": int(found.sizes.min()),
        "largest": int(found.sizes.max()),
        "classes_by_normalised_text": found.merged,
        "models": [
            {
                "model": one.model,
                "met": one.met,
                "failing_classes": one.failing_classes,
                "failing_records": one.failing_records,
            }
            for one in found.findings
        ],
    }


def _text(found: Check) -> str:
    sizes = found.sizes
    lines = [f"{found.records:,} records in {sizes.size:,} classes of {sizes.min():,} to {sizes.max():,}"]
    for one in found.findings:
        failing = f"{one.failing_classes:,} classes with {one.failing_records:,} records fail"
        lines.append(f"{one.model}: {'met' if one.met else f'NOT met: {failing}'}")
    if found.merged < sizes.size:
        lines.append(f"note: spellings differ; regardless of case, blanks and width there are {found.merged:,} classes")
    return "\n".join(lines)
