"""Texts that betray what they are by their form, and by check digits where they have some."""

from __future__ import annotations

from kohort.schema.patterns.pattern import DATE, IDENTIFIERS, ISO_DATE, ISO_TIME, POSTAL_CODE, Pattern

__all__ = ["DATE", "IDENTIFIERS", "ISO_DATE", "ISO_TIME", "POSTAL_CODE", "Pattern"]
