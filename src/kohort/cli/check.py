"""`kohort check`: does this file meet k?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from kohort.cli import options
from kohort.cli.screen import say
from kohort.errors import UsageError

if TYPE_CHECKING:
    from kohort.checking import Check
    from kohort.report import Json


def check(
    source: options.Source,
    *,
    quasi: options.Quasi = None,
    k: options.K = 10,
    separator: options.Separator = None,
    encoding: options.Encoding = "utf-8",
    no_header: options.NoHeader = False,
    skip_blank: options.SkipBlank = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Does this file meet k as it stands? Status 0 if so, 1 if not."""
    options.use_threads()
    from kohort.checking import check as judge
    from kohort.models.k_anonymity import KAnonymity

    models, columns = (KAnonymity(k),), options.names(quasi)
    if not columns:
        raise UsageError("no quasi-identifying column is named", where="--quasi", hint="name at least one")
    table = options.read_table(source, separator, encoding, no_header=no_header, skip_blank=skip_blank)
    found = judge(table, columns, models)
    say(_text(found), _figures(found, k), as_json=json, quiet=quiet)
    if not found.met:
        raise typer.Exit(1)


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
