"""Quality metrics: one file each, computed from the classes of a release, for search and report alike."""

from __future__ import annotations

from kohort.metrics.catalogue import METRICS, OBJECTIVES, measured, metric_of

__all__ = ["METRICS", "OBJECTIVES", "measured", "metric_of"]
