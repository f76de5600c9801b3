"""The page of a transaction database. The public sees no item by name: a rare one names a person."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING, Final, Literal, assert_never

import numpy as np
from pydantic import JsonValue

from kohort.errors.display import Number, rounded, whole
from kohort.release.job import Purpose
from kohort.report.figures import Figures
from kohort.report.page.audience import FEWEST, Audience, Reader
from kohort.report.page.build import heading, rounded_seconds
from kohort.report.page.request import method
from kohort.report.page.result import MetricFigures, runs
from kohort.report.page.verdict import CertificateFigures, CheckFigures, Heading, certificate, checks
from kohort.report.render.page.chart import Chart, ChartRow, ChartSeries, band, sides
from kohort.report.render.page.figure import text
from kohort.transactions.certificate import NOT_PROMISED, NOT_PROMISED_OF_CELLS
from kohort.transactions.problem import CellSuppression, MoleCount
from kohort.transactions.report import transaction_figures
from kohort.transactions.roles import Drawn, Listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kohort.report.render.page.chart import Form
    from kohort.report.render.page.figure import PageFigure
    from kohort.transactions.release import TransactionRelease
    from kohort.transactions.report import TransactionFigures

#: Dropped items that are listed, and that a chart shows: the first.
LISTED: Final = 50
DROPPED: Final = 16


class RequestedTransactions(Figures, frozen=True):
    """What the job asks for: the model, the method with its parameters, and how items got their roles."""

    k: int
    h: Number
    h_exact: str
    p: int
    models: tuple[str, ...]
    method: dict[str, JsonValue]
    suppress: Literal["items", "cells"]
    roles: str


class TransactionResult(Figures, frozen=True):
    """What was released; `kohort.transactions.report` tells what each key means. Null is internal."""

    transactions: int
    emptied: int | None
    items: int | None
    public: int | None
    private: int | None
    neither: int | None
    removed_items: int | None
    released_items: int
    proven: bool | None
    dropped_items: int | None
    returned_items: int | None
    released_cells: int
    repeated: int | None
    cells: int | None
    removed_cells: int | None


class TransactionVerdict(Figures, frozen=True):
    """What verification found: cohorts, transactions of the smallest, and the surest inference of a private item."""

    verified: bool
    sha256: str | None
    bytes: int | None
    checks: tuple[CheckFigures, ...]
    cohorts: int | None
    smallest: int | None
    confidence: Number | None
    promised: tuple[str, ...]
    not_promised: tuple[str, ...]


class LengthBand(Figures, frozen=True):
    """Transactions of `low` to `high` items, before (internal only) and after."""

    low: int
    high: int
    before: Number | None
    after: Number


class LengthFigures(Figures, frozen=True):
    """Transactions by how many items they have; for the public in shares."""

    unit: Literal["transactions", "share"]
    bins: tuple[LengthBand, ...]


class DroppedItem(Figures, frozen=True):
    """A dropped item: transactions that had it, and what dropping it loses."""

    name: str
    support: int
    loss: int


class ItemFigures(Figures, frozen=True):
    """The first dropped items in their order; `more`: how many are not listed."""

    dropped: tuple[DroppedItem, ...]
    more: int


class TransactionPage(Heading, frozen=True):
    """The page of a transaction database; the public sees no item by name, and nothing after `certificate`.

    Attributes:
        moles: Minimal moles by size; internal only, as they are of the input.
        metrics: The distortion; its value is internal.
        items: The dropped items; internal only.
        parameters: The job's description, as its certificate has it.
        certificate: What ties the page to the published bytes; null while nothing is published.
        seconds: Wall time of each stage.
        public: The page of the same release for the public.
    """

    kind: Literal["transactions"]
    asked: RequestedTransactions
    done: TransactionResult
    verdict: TransactionVerdict
    moles: tuple[MoleCount, ...]
    lengths: LengthFigures
    metrics: tuple[MetricFigures, ...]
    items: ItemFigures | None
    parameters: dict[str, JsonValue]
    purpose: Purpose
    certificate: CertificateFigures | None
    seconds: dict[str, Number] | None = None
    public: TransactionPage | None = None


def transactions_page(release: TransactionRelease, *, audience: Audience) -> TransactionPage:
    """The page of a transaction database for an audience."""
    release = release.labelled()
    public = _page(release, Reader(max(FEWEST, release.job.coherence.k)))
    if audience is Audience.PUBLIC:
        return public
    return _page(release, Reader()).model_copy(update={"seconds": rounded_seconds(release.seconds), "public": public})


def _page(release: TransactionRelease, reader: Reader) -> TransactionPage:
    figures, sha256 = transaction_figures(release), None if release.verdict is None else release.verdict.sha256
    return TransactionPage(
        **dict(heading("transactions", release.path, reader)),
        asked=_request(release, figures),
        done=_result(figures, reader),
        verdict=verdict(release, reader),
        moles=release.solution.moles.counts if reader.knows_all else (),
        lengths=_lengths(release, reader),
        metrics=_metrics(release, reader),
        items=_items(release) if reader.knows_all else None,
        parameters=json.loads(release.job.described()),
        purpose=release.job.purpose or Purpose(),
        certificate=certificate(release.path, release.certificate, sha256, release.signed_by),
    )


def _request(release: TransactionRelease, figures: TransactionFigures) -> RequestedTransactions:
    method_, models = method(release.job.algorithm.name, release.job.algorithm), (figures.model.name,)
    return RequestedTransactions.from_attributes(
        figures.model, models=models, method=method_, suppress=figures.suppress, roles=_roles(release)
    )


def _roles(release: TransactionRelease) -> str:
    match release.job.roles:
        case Listed(public=None):
            return "The private items were listed; all others are public."
        case Listed():
            return "The private and the public items were listed."
        case Drawn() as drawn:
            return f"Drawn by lot: {float(drawn.delta):.0%} of the items are public; the draw is {drawn.draw.value}."
        case _:
            assert_never(release.job.roles)


def _result(figures: TransactionFigures, reader: Reader) -> TransactionResult:
    """What was released; for the public nothing of what was read but the number of transactions."""
    shown = TransactionResult.from_attributes(
        figures, dropped_items=len(figures.dropped), returned_items=len(figures.returned)
    )
    if reader.knows_all:
        return shown
    known = {name: getattr(shown, name) for name in ("transactions", "released_items", "released_cells")}
    return TransactionResult.model_validate(dict.fromkeys(TransactionResult.model_fields) | known)


def verdict(release: TransactionRelease, reader: Reader) -> TransactionVerdict:
    """What verification found, and what follows from it."""
    found = release.verdict
    more = NOT_PROMISED_OF_CELLS if isinstance(release.solution.suppression, CellSuppression) else ()
    return TransactionVerdict(
        verified=found is not None,
        sha256=(found.sha256 or None) if found else None,
        bytes=None if found is None else found.checks.get("bytes"),
        checks=() if found is None else checks(found.checks, reader),
        cohorts=None if found is None else found.cohorts,
        smallest=None if found is None else reader.exactly(found.smallest, found.smallest),
        confidence=None if found is None or not reader.knows_all else float(Fraction(*found.confidence)),
        promised=(f"The released transactions satisfy {release.job.coherence.name}.",),
        not_promised=(*NOT_PROMISED, *more),
    )


def _lengths(release: TransactionRelease, reader: Reader) -> LengthFigures:
    """Transactions by how many items they have, before and after, in bands that double; for the public after alone."""
    here = release.here()
    lengths = [here.source.lengths, here.released.lengths] if reader.knows_all else [here.released.lengths]
    highest = int(max(one.max(initial=0) for one in lengths))
    edges = np.array([0, *(1 << power for power in range(highest.bit_length() + 1))])
    counts = [np.histogram(one, edges)[0].tolist() for one in lengths]
    rows = [row for row in zip(edges, edges[1:] - 1, *counts, strict=False) if any(row[2:])]
    among = len(release.released)
    return LengthFigures(
        unit="transactions" if reader.knows_all else "share",
        bins=tuple(
            LengthBand(
                low=int(rows[first][0]),
                high=int(rows[last][1]),
                before=sum(row[2] for row in rows[first : last + 1]) if reader.knows_all else None,
                after=_count(sum(row[-1] for row in rows[first : last + 1]), among, reader),
            )
            for first, last in runs([row[2:] for row in rows], reader)
        ),
    )


def _count(count: int, among: int, reader: Reader) -> Number:
    return count if reader.knows_all else reader.share(count / max(among, 1), among)


def _metrics(release: TransactionRelease, reader: Reader) -> tuple[MetricFigures, ...]:
    says = "Distortion: the share of all items in transactions that the release lacks, by their weights."
    value = whole(rounded(float(release.distortion))) if reader.knows_all else None
    return (MetricFigures(name="distortion", value=value, says=says),)


def _items(release: TransactionRelease) -> ItemFigures:
    shown = release.dropped[:LISTED]
    supports, losses = release.database.supports[shown].tolist(), release.losses[shown].tolist()
    rows = zip(release.named(shown), supports, losses, strict=True)
    return ItemFigures(
        dropped=tuple(DroppedItem(name=name, support=support, loss=loss) for name, support, loss in rows),
        more=release.dropped.size - shown.size,
    )


# ── the charts of the page ───────────────────────────────────────────────────────────────────────

#: The charts that are shown together, in this order.
TOGETHER: Final = ("moles", "lengths", "items")


def transaction_charts(twin: PageFigure) -> Iterator[Chart]:
    """The charts of transactions."""
    yield from (_moles(twin), _bands(twin), _dropped(twin))


def _moles(twin: PageFigure) -> Chart:
    return Chart(
        key="moles",
        place="moles",
        title="Sets of items that identify people",
        says="Sets of public items in too few transactions, or that reveal a private item too surely (moles), by size.",
        over="Items of a set",
        series=(ChartSeries("too few", "count", "was"), ChartSeries("too sure", "count", "is")),
        rows=tuple(ChartRow(text(one["size"]), (one["rare"], one["breach"]), (one["size"],)) for one in twin["moles"]),
    )


def _bands(twin: PageFigure) -> Chart:
    shares = twin["lengths"]["unit"] == "share"
    form: Form = "share" if shares else "count"
    return Chart(
        key="lengths",
        place="lengths",
        title="Items per transaction" if shares else "Items per transaction, before and after",
        says=f"{'Shares of the transactions' if shares else 'Transactions'} by how many items they have.",
        over="Items",
        series=sides(form),
        rows=tuple(band(one, *(one[side.name] for side in sides(form))) for one in twin["lengths"]["bins"]),
    )


def _dropped(twin: PageFigure) -> Chart:
    return Chart(
        key="items",
        place="items",
        title="Dropped items",
        says="Transactions with each item, in the order of dropping.",
        over="Item",
        series=(ChartSeries("transactions", "count", "is"), ChartSeries("loss", "count")),
        rows=tuple(ChartRow(text(one["name"]), (one["support"], one["loss"])) for one in twin["items"]["dropped"]),
        most=DROPPED,
    )
