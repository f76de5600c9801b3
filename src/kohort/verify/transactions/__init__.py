"""Judge a released transaction database from its published bytes alone, by counting anew."""

from __future__ import annotations

from kohort.verify.transactions.databases import verify_database, verify_transactions
from kohort.verify.transactions.verdict import CoherenceCheck, CoherenceClaim, CoherenceVerdict

__all__ = ["CoherenceCheck", "CoherenceClaim", "CoherenceVerdict", "verify_database", "verify_transactions"]
