"""Texts that betray what they are by their form, and by check digits where they have some."""

from __future__ import annotations

from kohort.schema.patterns.pattern import (
    COMPACT_DATE,
    DATE,
    DAYS,
    IDENTIFIERS,
    ISO_DATE,
    ISO_TIME,
    PICTURE,
    POSTAL_CODE,
    SPOKEN_DATE,
    TELEPHONE,
    Pattern,
)

__all__ = [
    "COMPACT_DATE",
    "DATE",
    "DAYS",
    "IDENTIFIERS",
    "ISO_DATE",
    "ISO_TIME",
    "PICTURE",
    "POSTAL_CODE",
    "SPOKEN_DATE",
    "TELEPHONE",
    "Pattern",
]
