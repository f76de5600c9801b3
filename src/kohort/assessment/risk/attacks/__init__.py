"""Attacks on a release, one file each."""

from __future__ import annotations

from kohort.assessment.risk.attacks.base import Attack
from kohort.assessment.risk.attacks.evidence import ATTACKS, Evidence, Outcome, Untried, attacks, refuse_unknown

__all__ = ["ATTACKS", "Attack", "Evidence", "Outcome", "Untried", "attacks", "refuse_unknown"]
