"""The sections of the page of a transaction database. The public is told of no item by name: a rare one names a person.

Keys, besides those that `kohort.report.page` tells of any page:

    kind            "transactions"
    asked           k, h, h_exact, p, models [name], method {name, and its parameters}, suppress ("items", "cells"),
                    roles (a sentence)
    done            transactions, emptied (lost their last item), repeated (cells that named an item again), items,
                    public, private, neither, removed_items and removed_cells (below the minimum support),
                    dropped_items, returned_items, released_items, cells, released_cells, proven
    verdict         verified, sha256, bytes, checks [{check, count}], cohorts, smallest (transactions of a cohort),
                    confidence, promised [sentence], not_promised [sentence]
    moles           [{size, rare, breach}]: minimal moles, by how many items they have
    lengths         unit ("transactions" or "share"), bins [{low, high, before, after}]: transactions by their items
    metrics         [{name, value, says}]
    items           null for the public; dropped [{name, support, loss}] in their order, more (how many are not listed)
"""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING, Final, assert_never, cast

import numpy as np

from kohort.certificate.transactions import NOT_PROMISED, NOT_PROMISED_OF_CELLS
from kohort.release import plain
from kohort.report.page.cost import whole
from kohort.report.page.done import runs
from kohort.report.transactions import numbers
from kohort.transactions.roles import Drawn, Listed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.release.transactions import TransactionRelease
    from kohort.report import Json
    from kohort.report.page.audience import Reader

#: Dropped items that are listed: the first.
LISTED: Final = 50


def sections(release: TransactionRelease, reader: Reader) -> dict[str, Json]:
    """All sections that are of transactions alone."""
    figures = numbers(release)
    return {
        "asked": _asked(release, figures),
        "done": _done(release, figures, reader),
        "verdict": _verdict(release, figures, reader),
        "moles": _moles(figures),
        "lengths": _lengths(release, reader),
        "metrics": _metrics(release, reader),
        "items": _items(release) if reader.knows_all else None,
        "parameters": cast("Json", json.loads(release.job.described())),
    }


def counts_input(release: TransactionRelease, least: int) -> bool:
    """Whether the public may know how many cells there were: not where a few transactions lost the others."""
    source, searched = release.source, release.database
    rare = int(np.count_nonzero(source.lengths != searched.lengths))
    lost = int(np.count_nonzero(searched.lengths[release.lineage] != release.released.lengths))
    return all(count == 0 or count >= least for count in (rare, lost))


def _asked(release: TransactionRelease, figures: dict[str, Json]) -> dict[str, Json]:
    """The promise and the method."""
    model = cast("dict[str, Json]", figures["model"])
    parts = cast("dict[str, Json]", plain(release.job.algorithm))
    method = {name: part for name, part in parts.items() if name not in {"kind", "name"}}
    return {
        "k": model["k"],
        "h": model["h"],
        "h_exact": model["h_exact"],
        "p": model["p"],
        "models": [model["name"]],
        "method": {"name": figures["method"], **method},
        "suppress": figures["suppress"],
        "roles": _roles(release),
    }


def _roles(release: TransactionRelease) -> str:
    """How items got their roles."""
    match release.job.roles:
        case Listed(public=None):
            return "The private items were listed; all others are public."
        case Listed():
            return "The private and the public items were listed."
        case Drawn() as drawn:
            return f"Drawn by lot: {float(drawn.delta):.0%} of the items are public; the draw is {drawn.draw.value}."
        case _:
            assert_never(release.job.roles)


def _done(release: TransactionRelease, figures: dict[str, Json], reader: Reader) -> dict[str, Json]:
    """What was released. Items are counted as they are; transactions and cells belong to people."""
    counted = ("items", "public", "private", "neither", "removed_items", "released_items", "proven")
    returned = release.solution.returned
    cells = ("cells", "removed_cells")
    emptied = cast("int", figures["emptied"])
    return {
        "transactions": figures["transactions"],
        "emptied": reader.people(emptied, len(release.source)),
        **{name: figures[name] for name in counted},
        "dropped_items": release.dropped.size,
        "returned_items": 0 if returned is None else returned.size,
        "released_cells": figures["released_cells"],
        "repeated": figures["repeated"] if reader.knows_all else None,
        **{name: figures[name] if reader.counts_input else None for name in cells},
    }


def _verdict(release: TransactionRelease, figures: dict[str, Json], reader: Reader) -> dict[str, Json]:
    """What verification found, and what follows from it."""
    found = release.verdict
    more = NOT_PROMISED_OF_CELLS if figures["suppress"] == "cells" else ()
    checks: Mapping[str, int] = {} if found is None else found.checks
    smallest = None if found is None else reader.exactly(found.smallest, found.smallest)
    confidence = None if found is None or not reader.knows_all else float(Fraction(*found.confidence))
    return {
        "verified": found is not None,
        "sha256": (found.sha256 or None) if found else None,
        "bytes": checks.get("bytes"),
        "checks": [{"check": name, "count": count if reader.knows_all else None} for name, count in checks.items()],
        "cohorts": None if found is None else found.cohorts,
        "smallest": smallest,
        "confidence": confidence,
        "promised": [f"The released transactions satisfy {release.job.coherence.name}."],
        "not_promised": [*NOT_PROMISED, *more],
    }


def _moles(figures: dict[str, Json]) -> list[Json]:
    """Minimal moles by size."""
    kinds = cast("dict[str, dict[str, int]]", figures["moles_by_kind"])
    return [{"size": int(size), **kind} for size, kind in kinds.items()]


def _lengths(release: TransactionRelease, reader: Reader) -> dict[str, Json]:
    """Transactions by how many items they have, before and after, in bands that double."""
    before, after = release.source.lengths, release.released.lengths
    highest = int(max(before.max(initial=0), after.max(initial=0)))
    edges = np.array([0, *(1 << power for power in range(highest.bit_length() + 1))])
    counts = [np.histogram(one, edges)[0].tolist() for one in (before, after)]
    rows = [row for row in zip(edges, edges[1:] - 1, *counts, strict=False) if row[2] or row[3]]
    told = runs([row[2:] for row in rows], reader)
    return {
        "unit": "transactions" if reader.knows_all else "share",
        "bins": [
            {
                "low": int(rows[first][0]),
                "high": int(rows[last][1]),
                "before": _expected(sum(row[2] for row in rows[first : last + 1]), len(release.source), reader),
                "after": _expected(sum(row[3] for row in rows[first : last + 1]), len(release.source), reader),
            }
            for first, last in told
        ],
    }


def _expected(count: int, among: int, reader: Reader) -> int | float:
    return count if reader.knows_all else reader.share(count / max(among, 1), among)


def _metrics(release: TransactionRelease, reader: Reader) -> list[Json]:
    """The distortion."""
    says = "Distortion: the share of all items in transactions that the release lacks, by their weights."
    value = whole(reader.share(float(release.distortion), len(release.source))) if reader.counts_input else None
    return [{"name": "distortion", "value": value, "says": says}]


def _items(release: TransactionRelease) -> dict[str, Json]:
    """The dropped items, in their order."""
    shown = release.dropped[:LISTED]
    supports, losses = release.database.supports[shown].tolist(), release.losses[shown].tolist()
    rows = zip(release.named(shown), supports, losses, strict=True)
    return {
        "dropped": [{"name": name, "support": support, "loss": loss} for name, support, loss in rows],
        "more": release.dropped.size - shown.size,
    }
