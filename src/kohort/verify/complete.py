"""The records that entered a release, found anew in its input: those that lack a value did not, and all others did."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kohort.engines.table import Column, Table, narrow
from kohort.verify.records import lacking
from kohort.verify.verdict import Check, Claim, fault

if TYPE_CHECKING:
    from kohort.arrays import Mask


def complete_records(claim: Claim) -> Claim:
    """The claim over the complete records alone, once exactly the incomplete ones are known to be left out.

    Raises:
        VerificationError: others than the incomplete records were left out, or not all of them.
    """
    without = _incomplete(claim)
    found = int(without.sum())
    if found != claim.incomplete:
        what = f"{claim.incomplete:,} records are left out as incomplete, and {found:,} lack a value"
        raise fault(Check.COMPLETE, what)
    if not found:
        return claim
    inside = (claim.lineage >= 0) & (claim.lineage < without.size)
    released = int(without.take(claim.lineage[inside]).sum())
    if released:
        raise fault(Check.COMPLETE, f"{released:,} records are released that lack a value")
    place = np.full(claim.lineage.shape, -1)  # for `check_lineage` to refuse
    place[inside] = (np.cumsum(~without) - 1).take(claim.lineage[inside])
    kept = np.flatnonzero(~without)
    source = Table(tuple(_of(column, kept) for column in claim.source.columns), kept.size)
    return replace(claim, source=source, lineage=place, complete=(), incomplete=0)


def _incomplete(claim: Claim) -> Mask:
    """(n,) which records of the input lack a value in one of the columns."""
    without = np.zeros(claim.source.records, np.bool_)
    for name in claim.source.names if claim.complete == "all" else claim.complete:
        without |= lacking(claim.source[name], claim)
    return without


def _of(column: Column, rows: np.typing.NDArray[np.intp]) -> Column:
    """The column of some records, with the values that they hold."""
    held, codes = np.unique(column.codes[rows], return_inverse=True)
    return replace(column, values=column.values.gather(held), codes=narrow(codes, held.size))
