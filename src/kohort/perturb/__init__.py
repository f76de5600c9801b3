"""Perturbation of cells: noise and its kin, one file each, and what they did, measured."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Every perturbation by its word in a job; `kohort.perturb.text` finds them, and those of other packages.
PLUGINS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "noise": "kohort.perturb.noise:Noise",
        "rank-swapping": "kohort.perturb.rank_swapping:RankSwapping",
        "microaggregation": "kohort.perturb.microaggregation:Microaggregation",
        "rounding": "kohort.perturb.rounding:Rounding",
        "coding": "kohort.perturb.coding:Coding",
        "post-randomization": "kohort.perturb.post_randomization:PostRandomization",
    }
)
