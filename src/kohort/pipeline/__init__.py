"""The whole path: read, count, solve, recode, write, verify, publish."""

from __future__ import annotations

from kohort.pipeline.outlets import Stages, beside, no_progress
from kohort.pipeline.tables import Report, anonymize, claim_of, dry_run, save, solve

__all__ = [
    "Report",
    "Stages",
    "anonymize",
    "beside",
    "claim_of",
    "dry_run",
    "no_progress",
    "save",
    "solve",
]
