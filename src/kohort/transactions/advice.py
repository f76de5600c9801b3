"""What single changes of a job on transactions would keep: see `kohort.job.advice`."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.engines.pricing import SAMPLED
from kohort.errors import InfeasibleError
from kohort.errors.display import many
from kohort.job.advice import MEASURED, Advised, Cost, Costing, changed_jobs, ranked, refuse_elsewhere
from kohort.job.faults import placing
from kohort.job.steps import KS, Step
from kohort.transactions.cells import LocalSuppression
from kohort.transactions.database import Transactions
from kohort.transactions.io import read_transactions
from kohort.transactions.pipeline import dry_run_transactions
from kohort.transactions.recode import arranged
from kohort.transactions.request import of, request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from kohort.job.document import Document
    from kohort.job.lines import Place
    from kohort.transactions.release import TransactionJob

#: The values of h that people choose from: a step goes from one to the next.
HS: Final = (Fraction(1, 5), Fraction(2, 5), Fraction(3, 5), Fraction(4, 5))


def advice_on_transactions(
    text: Document, *, source: object, now: float | None, most: int, on_progress: Callable[[str], None]
) -> Advised[TransactionJob]:
    """What single changes of a job file on transactions would give; see `kohort.job.advice.advice_on`."""
    said = partial(request, where=text.where, folder=text.folder, held=text.held)
    given = of(text)
    refuse_elsewhere(given.run.engine)
    on_progress("read")
    if not isinstance(source, Transactions):
        source = read_transactions(given.source, given.job.reading).database
    on_progress("measure")
    with placing(given.placed):
        return advised_transactions(text.raw, lambda raw: said(raw).job, source, now=now, most=most)


def transaction_steps_of(job: TransactionJob) -> Iterator[Step]:
    """The steps from a job on transactions: what an attacker knows first, then k, h and single cells."""
    model = job.coherence
    if model.p > 1:
        less, known = model.p - 1, many(model.p, "item")
        yield Step(f"p = {less}", {("privacy", "p"): less}, f"attackers who know {known} of a person are not covered")
    for fewer in [one for one in KS if one < model.k][-1:]:
        weakens = f"a person is hidden among {fewer} transactions, not {model.k:,}"
        yield Step(f"k = {fewer}", {("privacy", "k"): fewer}, weakens)
    for more in [one for one in HS if one > model.h][:1]:
        weakens = f"a private item may be in {float(more):.0%} of a cohort, not {float(model.h):.0%}"
        yield Step(f"h = {float(more):g}", {("privacy", "h"): float(more)}, weakens)
    if not isinstance(job.algorithm, LocalSuppression):
        told: list[Place] = [("method", key) for key in ("score", "give-back", "optimal", "time-limit")]
        changes: dict[Place, object] = {**dict.fromkeys(told), ("method", "suppress"): "cells"}
        weakens = "the promise covers only what is released: a cohort may have been larger, with another share"
        yield Step("single cells suppressed instead of items", changes, weakens)


def advised_transactions(
    tables: Mapping[str, object],
    make: Callable[[Mapping[str, object]], TransactionJob],
    transactions: Transactions,
    *,
    now: float | None = None,
    most: int = MEASURED,
) -> Advised[TransactionJob]:
    """The same of a job on transactions; what is lost is their distortion.

    What an attacker knows comes first: its price is the greatest, and it is often set without need.
    """
    job, some = make(tables), _some(transactions)
    steps = [*transaction_steps_of(job)]
    of_some, of_all = (partial(_distortion, data) for data in (some, transactions))
    costing = Costing(of_some, of_some if some is transactions else of_all, most)
    made = changed_jobs(steps, tables, make)
    found = ranked(job, made, costing, now, lambda one: (one.step.dearer, steps.index(one.step)))
    return Advised(*found, len(some), len(transactions))


def _some(transactions: Transactions) -> Transactions:
    """At most `SAMPLED` transactions, evenly spread, over the same items."""
    if len(transactions) <= SAMPLED:
        return transactions
    return arranged(transactions, np.linspace(0, len(transactions) - 1, SAMPLED).astype(np.int64))


def _distortion(transactions: Transactions, job: TransactionJob) -> Cost | None:
    try:
        distortion = float(dry_run_transactions(transactions, job).distortion)
    except InfeasibleError:
        return None
    return Cost(distortion, distortion)
