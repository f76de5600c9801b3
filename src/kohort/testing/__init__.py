"""Conformance suites: what search and verification rely on, tried on random toy data, for plug-ins of your own."""

from __future__ import annotations

from kohort.testing.models import CounterExampleError, check_model

__all__ = ["CounterExampleError", "check_model"]
