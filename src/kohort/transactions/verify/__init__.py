"""Judge a released transaction database from its published bytes alone, by counting anew."""

from __future__ import annotations

from kohort.transactions.verify.databases import (
    CoherenceCheck,
    CoherenceClaim,
    CoherenceVerdict,
    verify_database,
    verify_transactions,
)

__all__ = ["CoherenceCheck", "CoherenceClaim", "CoherenceVerdict", "verify_database", "verify_transactions"]
