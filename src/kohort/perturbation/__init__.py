"""Perturbation of cells: noise and its kin, one file each, and what they did, measured."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Every perturbation by its word in a job; `kohort.perturbation.text` finds them, and those of other packages.
PLUGINS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "noise": "kohort.perturbation.noise:Noise",
        "rank-swapping": "kohort.perturbation.rank_swapping:RankSwapping",
        "microaggregation": "kohort.perturbation.microaggregation:Microaggregation",
        "rounding": "kohort.perturbation.rounding:Rounding",
        "coding": "kohort.perturbation.coding:Coding",
        "post-randomization": "kohort.perturbation.post_randomization:PostRandomization",
    }
)
