"""Checks privacy models on a table or a transaction database as it stands."""

from __future__ import annotations

from kohort.assessment.checking.findings import Alike, Check, FailingClass, Finding, Strictest, check
from kohort.assessment.classes import named_column

__all__ = ["Alike", "Check", "FailingClass", "Finding", "Strictest", "check", "named_column"]
