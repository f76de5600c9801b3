"""Judge a release from its published bytes alone."""

from __future__ import annotations

from kohort.verify.tables import verify, verify_frame, verify_table
from kohort.verify.verdict import Band, Check, Claim, Verdict

__all__ = ["Band", "Check", "Claim", "Verdict", "verify", "verify_frame", "verify_table"]
