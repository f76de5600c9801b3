"""Quality metrics: one file each, computed from the classes of a release, for search and report alike."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Every metric by its name on the command line; `kohort.metrics.known` finds them, and those of other packages.
PLUGINS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "lm": "kohort.metrics.loss:LM",
        "ncp": "kohort.metrics.loss:NCP",
        "gcp": "kohort.metrics.global_certainty_penalty:GCP",
        "arx_loss": "kohort.metrics.loss:ARX_LOSS",
        "c_dm": "kohort.metrics.discernibility:C_DM",
        "c_avg": "kohort.metrics.class_size:C_AVG",
        "precision": "kohort.metrics.precision:PRECISION",
        "entropy": "kohort.metrics.entropy:ENTROPY",
        "height": "kohort.metrics.height:HEIGHT",
        "kl": "kohort.metrics.kl_divergence:KL_DIVERGENCE",
    }
)

#: Metrics that kohort had: packages to copy in `examples/plugins` bring them.
MOVED: Final = frozenset({"ambiguity", "classification", "lm_geometric", "max_loss"})
