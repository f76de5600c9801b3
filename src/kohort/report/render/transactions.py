"""A release of a transaction database as text for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kohort.report.render.text import files, listed, many

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kohort.report.transactions import CoherenceFigures, TransactionFigures

#: What is promised where items are suppressed.
ITEMS: Final = (
    "{model}: anyone who knows up to {p} public item{s} of a person finds no transaction with {them},",
    "or at least {k:,}, and no private item in more than {h} of those",
)

#: What is promised where single cells are, and what is not.
CELLS: Final = (
    "{model} of what is released, by suppressing single cells: every set of up to {p} public item{s} that",
    "occurs in the release is in at least {k:,} of its transactions, and no private item in more than {h} of those.",
    "This is a different promise from dropping items: a transaction may have had items that its release lacks,",
    "so a cohort can be larger in the original, with a different share of a private item.",
)


def transactions_text(figures: TransactionFigures) -> str:
    """The figures of a release of transactions as a few lines for a person."""
    parts = (_released, _promise, _moles, _dropped, _cost, files)
    return "\n".join(line for part in parts for line in part(figures))


def _released(figures: TransactionFigures) -> Iterator[str]:
    """What was released."""
    emptied = f", {figures.emptied:,} of them emptied" * (figures.emptied > 0)
    yield f"{many(figures.transactions, 'transaction')} released{emptied}"
    removed = many(figures.removed_cells, "cell")
    others = f", {figures.neither:,} neither" * (figures.neither > 0)
    rare = f", {figures.removed_items:,} removed first for low support, with {removed}" * (figures.removed_items > 0)
    yield f"{many(figures.items, 'item')}: {figures.public:,} public, {figures.private:,} private{others}{rare}"
    if not figures.private:
        yield "note: no item is private, so h limits nothing"
    if figures.repeated:
        yield f"{many(figures.repeated, 'repeated item')} in a transaction count once"


def _promise(figures: TransactionFigures) -> Iterator[str]:
    """What was promised, and whether it was verified."""
    model = figures.model
    them, ending = ("it", "") if model.p == 1 else ("them", "s")
    words = {"model": model.name, "p": model.p, "k": model.k, "h": _h(model), "s": ending, "them": them}
    yield ""
    yield from (line.format_map(words) for line in (CELLS if figures.suppress == "cells" else ITEMS))
    if figures.cohorts is None or figures.smallest is None:
        yield "dry run: nothing was written or verified"
        return
    where = "the published bytes" if figures.release else "the released transactions"
    smallest = many(figures.smallest, "transaction")
    yield f"verified on {where}: of {many(figures.cohorts, 'cohort')} the smallest has {smallest},"
    yield f"and no private item is in more than {figures.confidence:.2%} of one"


def _h(model: CoherenceFigures) -> str:
    """The share h in people's words; exactly, where it is no short decimal."""
    return f"{model.h:.0%}" if round(model.h, 2) == model.h else model.h_exact


def _moles(figures: TransactionFigures) -> Iterator[str]:
    """The minimal moles by size and kind."""
    yield ""
    yield "Minimal moles"
    found = False
    for size, kinds in figures.moles_by_kind.items():
        if kinds.rare or kinds.breach:
            found = True
            both = kinds.rare + kinds.breach
            yield f"  of {many(int(size), 'item'):<8} {both:>11,}: {kinds.rare:,} below k, {kinds.breach:,} above h"
    if not found:
        yield "  none"


def _dropped(figures: TransactionFigures) -> Iterator[str]:
    """The dropped items."""
    dropped, returned = figures.dropped, figures.returned
    yield ""
    yield f"Dropped {many(len(dropped), 'item')} ({figures.method})" + (f": {listed(dropped)}" if dropped else "")
    if returned:
        yield f"Restored {many(len(returned), 'item')}: {listed(returned)}"


def _cost(figures: TransactionFigures) -> Iterator[str]:
    """What was lost, what is left, and whether less could be lost."""
    yield f"Distortion {figures.distortion:.4f} ({figures.distortion_exact}){_proof(figures)}"
    cells = f"{figures.released_cells:,} of {many(figures.cells, 'cell')}"
    yield f"What is left: {many(figures.released_items, 'item')}, {cells}"


def _proof(figures: TransactionFigures) -> str:
    """What is known of other suppressions."""
    if figures.proven:
        return ", proven: no suppression of items loses less"
    if figures.gap is None:
        return ""
    return f"; no suppression goes below {figures.bound}/{figures.loss_all} (gap {figures.gap:.1%})"
