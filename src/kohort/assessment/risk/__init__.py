"""Re-identification risk, by the measures of the literature, of a file as it stands."""

from __future__ import annotations

from kohort.assessment.risk.overall import Journalist, Risk, assess

__all__ = ["Journalist", "Risk", "assess"]
