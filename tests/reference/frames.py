"""A release that is a frame, verified by its cells as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kohort.io.typed import from_frame
from kohort.verify import verify_table
from kohort.verify.reading import plainly
from kohort.verify.verdict import check_columns

if TYPE_CHECKING:
    import polars as pl

    from kohort.verify import Claim, Verdict


def verify_frame(frame: pl.DataFrame, claim: Claim) -> Verdict:
    """What is true of a release that is a frame: of its cells as text. There are no bytes to check."""
    check_columns(frame.columns, claim.schema)
    return verify_table(plainly(from_frame(frame), claim), claim)
