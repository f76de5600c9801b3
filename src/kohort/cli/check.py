"""`kohort check`: does this file meet k?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from kohort.cli import options
from kohort.cli.screen import say

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
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Does this file meet k as it stands? Status 0 if so, 1 if not."""
    from kohort.checking import check as judge  # noqa: PLC0415  imports the data-frame library
    from kohort.io import ReadOptions, read  # noqa: PLC0415
    from kohort.models.k_anonymity import KAnonymity  # noqa: PLC0415

    models = (KAnonymity(k),)
    table = read(source, ReadOptions(separator=separator, encoding=encoding, header=not no_header))
    found = judge(table, options.names(quasi), models)
    say(_text(found), _figures(found, k), as_json=json, quiet=quiet)
    if not found.met:
        raise typer.Exit(1)


def _figures(found: Check, k: int) -> dict[str, Json]:
    return {
        "met": found.met,
        "k": k,
        "records": found.records,
        "classes": found.sizes.size,
        "smallest": int(found.sizes.min(initial=0)),
        "largest": int(found.sizes.max(initial=0)),
        "classes_by_normalised_text": found.merged,
        "models": [
            {"model": one.model, "met": one.met, "failing_classes": one.failing_classes, "failing_records": one.failing_records}
            for one in found.findings
        ],
    }


def _text(found: Check) -> str:
    lines = [f"{found.records:,} records in {found.sizes.size:,} classes of {found.sizes.min(initial=0):,} to {found.sizes.max(initial=0):,}"]
    for one in found.findings:
        verdict = "met" if one.met else f"NOT met: {one.failing_classes:,} classes with {one.failing_records:,} records fail"
        lines.append(f"{one.model}: {verdict}")
    if found.merged < found.sizes.size:
        lines.append(f"note: spellings differ; read without regard to case, blanks and width there are {found.merged:,} classes")
    return "\n".join(lines)
