"""A release of a transaction database in numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, assert_never

import numpy as np

from kohort.transactions.problem import CellSuppression, ItemSuppression

if TYPE_CHECKING:
    from kohort.release.transactions import TransactionRelease
    from kohort.report import Json
    from kohort.transactions.coherence import Coherence
    from kohort.transactions.problem import Suppression


def numbers(release: TransactionRelease) -> dict[str, Json]:
    """The figures of `release` as one JSON object; items have names in it, but it holds no transaction.

    Keys: transactions, items (as read: public, private, neither and removed_items), released_items; model; method,
    suppress (items or cells); size1_moles (names), minimal_moles (by size, from 2 on), moles_by_kind (by size: cohorts
    below k, and those in which h is exceeded); dropped (names in their order), returned (names); distortion (a float),
    distortion_exact (lost/all, unreduced), loss_lost, loss_all; cells and released_cells, repeated (items named twice
    in a transaction), removed_items and removed_cells (below the minimum support), emptied (transactions whose every
    item went); proven, bound, gap (what share of the loss might be spared); coherent, verified, cohorts, smallest,
    confidence (found by verification; null without); release, certificate, trace, seconds.
    """
    return {
        **_counted(release),
        **_asked(release),
        **_found(release),
        **_cost(release),
        **_verified(release),
        "release": None if release.path is None else str(release.path),
        "certificate": None if release.certificate is None else str(release.certificate),
        "trace": {**release.solution.moles.trace, **release.solution.trace},
        "seconds": {stage: round(seconds, 4) for stage, seconds in release.seconds.items()},
    }


def _counted(release: TransactionRelease) -> dict[str, Json]:
    """What was read, searched and released."""
    source, searched, released = release.source, release.database, release.released
    public, private, neither = release.roles.sizes
    return {
        "transactions": len(source),
        "items": len(source.names),
        "public": public,
        "private": private,
        "neither": neither,
        "removed_items": len(source.names) - len(searched.names),
        "removed_cells": source.cells.size - searched.cells.size,
        "cells": source.cells.size,
        "released_items": int(np.count_nonzero(np.delete(searched.supports, release.dropped))),
        "released_cells": released.cells.size,
        "repeated": release.repeated,
        "emptied": int(np.count_nonzero(released.lengths == 0) - np.count_nonzero(source.lengths == 0)),
    }


def _asked(release: TransactionRelease) -> dict[str, Json]:
    """The promise, and how it is kept."""
    return {
        "model": _model(release.job.coherence),
        "method": release.job.algorithm.name,
        "suppress": _suppressed(release.solution.suppression),
    }


def _model(model: Coherence) -> dict[str, Json]:
    return {"name": model.name, "h": float(model.h), "h_exact": str(model.h), "k": model.k, "p": model.p}


def _suppressed(suppression: Suppression) -> str:
    """What a suppression takes: whole items, or single cells of them."""
    match suppression:
        case ItemSuppression():
            return "items"
        case CellSuppression():
            return "cells"
        case _:
            assert_never(suppression)


def _found(release: TransactionRelease) -> dict[str, Json]:
    """The minimal moles, and the items dropped for them."""
    moles, returned = release.solution.moles, release.solution.returned
    kinds = [{"rare": int(rare.sum()), "breach": int((~rare).sum())} for rare in moles.rare]
    return {
        "size1_moles": [*release.named(moles.singles)],
        "minimal_moles": {str(size): len(sets) for size, sets in enumerate(moles.sets[1:], 2)},
        "moles_by_kind": {str(size): dict(kind) for size, kind in enumerate(kinds, 1)},
        "dropped": [*release.named(release.dropped)],
        "returned": [] if returned is None else [*release.named(returned)],
    }


def _cost(release: TransactionRelease) -> dict[str, Json]:
    """What the release lost, and how much less it could have lost."""
    lost, bound = release.lost, release.solution.bound
    return {
        "distortion": float(release.distortion),
        "distortion_exact": f"{lost}/{release.whole}",
        "loss_lost": lost,
        "loss_all": release.whole,
        "proven": release.solution.proven,
        "bound": bound,
        "gap": None if bound is None else float(Fraction(lost - bound, lost)) if lost else 0.0,
    }


def _verified(release: TransactionRelease) -> dict[str, Json]:
    """What verification found."""
    verdict = release.verdict
    return {
        "coherent": True,  # else there would be no release
        "verified": verdict is not None,
        "cohorts": None if verdict is None else verdict.cohorts,
        "smallest": None if verdict is None else verdict.smallest,
        "confidence": None if verdict is None else float(Fraction(*verdict.confidence)),
    }
