"""What a notebook shows of a release: a small table, in plain HTML that needs nothing else."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kohort.release import Release
    from kohort.release.transactions import TransactionRelease


def release_html(release: Release) -> str:
    """A release of a table: whether it was verified, how many records it has, and what it cost. No value is in it."""
    sizes, job = release.sizes, release.job
    rows = [
        ("Promised", ", ".join(model.name for model in job.models)),
        ("Method", job.algorithm.name),
        ("Records", _of(release.table.records, release.source.records)),
        ("Suppressed", f"{release.suppressed:,}"),
        ("Classes", f"{sizes.size:,}"),
    ]
    if sizes.size:
        rows.append(("Class sizes", f"{int(sizes.min()):,} to {int(sizes.max()):,} records"))
    rows += [(name.upper(), f"{release.metrics[name]:,.4f}") for name in ("lm", "c_avg") if name in release.metrics]
    rows += [("Published", release.path.name)] if release.path else []
    return table_html("A release", verified=release.verdict is not None, rows=rows)


def transactions_html(release: TransactionRelease) -> str:
    """A release of transactions, likewise. No item is named."""
    rows = [
        ("Promised", release.job.coherence.name),
        ("Method", release.job.algorithm.name),
        ("Transactions", f"{len(release.released):,}"),
        ("Items dropped", _of(release.dropped.size, len(release.database.names))),
        ("Distortion", f"{float(release.distortion):.2%}"),
    ]
    rows += [("Published", release.path.name)] if release.path else []
    return table_html("A release of transactions", verified=release.verdict is not None, rows=rows)


def table_html(title: str, *, verified: bool, rows: Iterable[tuple[str, str]]) -> str:
    """A table of two columns whose rows have headers.

    >>> table_html("A <release>", verified=True, rows=[])
    '<table><caption>A &lt;release&gt;, verified</caption><tbody></tbody></table>'
    """
    said = "verified" if verified else "not verified: it was rehearsed"
    cells = (f'<tr><th scope="row">{escape(name)}</th><td>{escape(value)}</td></tr>' for name, value in rows)
    return f"<table><caption>{escape(title)}, {said}</caption><tbody>{''.join(cells)}</tbody></table>"


def _of(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,}"
