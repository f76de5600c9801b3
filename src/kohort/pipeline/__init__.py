"""The whole path: read, count, solve, recode, write, verify, publish."""

from __future__ import annotations

from kohort.pipeline.outlets import beside
from kohort.pipeline.publishing import Stages, silent
from kohort.pipeline.tables import Report, anonymize, claim_of, outcome_of, rehearse, save, solve

__all__ = ["Report", "Stages", "anonymize", "beside", "claim_of", "outcome_of", "rehearse", "save", "silent", "solve"]
