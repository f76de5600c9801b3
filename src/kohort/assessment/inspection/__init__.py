"""Guesses what each column of a table reveals about a person."""

from __future__ import annotations

from kohort.assessment.inspection.distribution import Bar, Distribution, distributions
from kohort.assessment.inspection.guesses import Guess, ScaleName, inspect_table
from kohort.assessment.inspection.rules import Certainty

__all__ = ["Bar", "Certainty", "Distribution", "Guess", "ScaleName", "distributions", "inspect_table"]
