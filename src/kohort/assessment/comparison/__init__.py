"""Compares a table with its release: what the release cost those who use the data."""

from __future__ import annotations

from kohort.assessment.comparison.distribution import Bin
from kohort.assessment.comparison.statistics import Association, Distance, Moments, NumericStatistics
from kohort.assessment.comparison.tables import AttributeComparison, Comparison, Cost, compare, comparison_of, lines_of

__all__ = [
    "Association",
    "AttributeComparison",
    "Bin",
    "Comparison",
    "Cost",
    "Distance",
    "Moments",
    "NumericStatistics",
    "compare",
    "comparison_of",
    "lines_of",
]
