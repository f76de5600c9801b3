"""Conformance suites: what search and verification rely on, tried on random toy data, for plug-ins of your own."""

from __future__ import annotations

from kohort.testing.algorithms import WrongReleaseError, check_algorithm
from kohort.testing.engines import WrongEngineError, check_engine
from kohort.testing.metrics import WrongMetricError, check_metric
from kohort.testing.models import CounterExampleError, check_model

__all__ = [
    "CounterExampleError",
    "WrongEngineError",
    "WrongMetricError",
    "WrongReleaseError",
    "check_algorithm",
    "check_engine",
    "check_metric",
    "check_model",
]
