"""Quality metrics: one file each, computed from the classes of a release, for search and report alike."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from kohort.metrics.class_size import average_class_size
from kohort.metrics.discernibility import discernibility
from kohort.metrics.loss import certainty_penalty, loss

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.metrics.base import Metric

#: Every metric by its name on the command line.
METRICS: Mapping[str, Metric] = MappingProxyType(
    {"lm": loss, "ncp": certainty_penalty, "c_dm": discernibility, "c_avg": average_class_size}
)
