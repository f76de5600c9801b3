"""The figures of a release of a transaction database; items have names in them, but they hold no transaction."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Literal, assert_never

import numpy as np

from kohort.errors.display import Number
from kohort.report.figures import Figures
from kohort.transactions.problem import CellSuppression, ItemSuppression

if TYPE_CHECKING:
    from kohort.transactions.problem import Suppression
    from kohort.transactions.release import TransactionRelease


class CoherenceFigures(Figures, frozen=True):
    """The model: its name and parameters; `h_exact` as a fraction."""

    name: str
    h: Number
    h_exact: str
    k: int
    p: int


class TransactionFigures(Figures, frozen=True):
    """A release of a transaction database.

    Attributes:
        transactions: Transactions, as read.
        items: Items, as read: public, private, neither and removed ones.
        public: Public items.
        private: Private items.
        neither: Items that are neither.
        removed_items: Items below the minimum support.
        removed_cells: Their cells.
        cells: Cells, as read.
        released_items: Items of the release.
        released_cells: Cells of the release.
        repeated: Cells that name an item again.
        emptied: Transactions that lost their last item.
        model: The model.
        method: The algorithm.
        suppress: Whether whole items or single cells are suppressed.
        size1_moles: Items that are moles by themselves.
        minimal_moles: How many larger minimal moles there are, by size.
        moles_by_kind: Minimal moles by size: those with a cohort below k, and those in which h is exceeded.
        dropped: Dropped items, in their order.
        returned: Items that a second pass could keep.
        distortion: The share of the loss.
        distortion_exact: The same as lost/all, unreduced.
        loss_lost: What was lost.
        loss_all: The loss of dropping everything.
        proven: Whether no suppression loses less.
        bound: No suppression loses less than this.
        gap: The share of the loss that might be spared.
        coherent: Always true: otherwise there is no release.
        verified: Whether the release was read again and verified.
        cohorts: Cohorts that verification counted; null without it.
        smallest: Transactions of the smallest cohort.
        confidence: The largest share of a cohort with one private item.
        release: The path of the release; null where nothing was written.
        certificate: The path of its certificate.
        signed_by: The fingerprint of the key that signed the certificate; null where it is unsigned.
        trace: What the search counted.
        seconds: Wall time of each stage.
    """

    transactions: int
    items: int
    public: int
    private: int
    neither: int
    removed_items: int
    removed_cells: int
    cells: int
    released_items: int
    released_cells: int
    repeated: int
    emptied: int
    model: CoherenceFigures
    method: str
    suppress: Literal["items", "cells"]
    size1_moles: tuple[str, ...]
    minimal_moles: dict[str, int]
    moles_by_kind: dict[str, dict[Literal["rare", "breach"], int]]
    dropped: tuple[str, ...]
    returned: tuple[str, ...]
    distortion: Number
    distortion_exact: str
    loss_lost: int
    loss_all: int
    proven: bool
    bound: int | None
    gap: Number | None
    coherent: bool
    verified: bool
    cohorts: int | None
    smallest: int | None
    confidence: Number | None
    release: str | None
    certificate: str | None
    signed_by: str | None = None
    trace: dict[str, Number]
    seconds: dict[str, Number]


def transaction_figures(release: TransactionRelease) -> TransactionFigures:
    """The figures of `release`."""
    source, searched, released = release.source, release.database, release.released
    public, private, neither = release.roles.sizes
    model, moles, returned = release.job.coherence, release.solution.moles, release.solution.returned
    lost, bound, verdict = release.lost, release.solution.bound, release.verdict
    return TransactionFigures(
        transactions=len(source),
        items=len(source.names),
        public=public,
        private=private,
        neither=neither,
        removed_items=len(source.names) - len(searched.names),
        removed_cells=source.size - searched.size,
        cells=source.size,
        released_items=int(np.count_nonzero(np.delete(searched.supports, release.dropped))),
        released_cells=released.size,
        repeated=release.repeated,
        emptied=released.empty - source.empty,
        model=CoherenceFigures(name=model.name, h=float(model.h), h_exact=str(model.h), k=model.k, p=model.p),
        method=release.job.algorithm.name,
        suppress=_suppressed(release.solution.suppression),
        size1_moles=tuple(release.named(moles.singles)),
        minimal_moles={str(one.size): one.rare + one.breach for one in moles.counts[1:]},
        moles_by_kind={str(one.size): {"rare": one.rare, "breach": one.breach} for one in moles.counts},
        dropped=tuple(release.named(release.dropped)),
        returned=() if returned is None else tuple(release.named(returned)),
        distortion=float(release.distortion),
        distortion_exact=f"{lost}/{release.whole}",
        loss_lost=lost,
        loss_all=release.whole,
        proven=release.solution.proven,
        bound=bound,
        gap=None if bound is None else float(Fraction(lost - bound, lost)) if lost else 0.0,
        coherent=True,
        verified=verdict is not None,
        cohorts=None if verdict is None else verdict.cohorts,
        smallest=None if verdict is None else verdict.smallest,
        confidence=None if verdict is None else float(Fraction(*verdict.confidence)),
        release=None if release.path is None else str(release.path),
        certificate=None if release.certificate is None else str(release.certificate),
        signed_by=release.signed_by,
        trace={**moles.trace, **release.solution.trace},
        seconds={stage: round(seconds, 4) for stage, seconds in release.seconds.items()},
    )


def _suppressed(suppression: Suppression) -> Literal["items", "cells"]:
    match suppression:
        case ItemSuppression():
            return "items"
        case CellSuppression():
            return "cells"
        case _:
            assert_never(suppression)
