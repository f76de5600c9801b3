"""Judge a release from its published bytes alone."""

from __future__ import annotations

from kohort.verify.tables import verify, verify_parts, verify_table
from kohort.verify.verdict import Band, Claim, TableCheck, Verdict

__all__ = ["Band", "Claim", "TableCheck", "Verdict", "verify", "verify_parts", "verify_table"]
