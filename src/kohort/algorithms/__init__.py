"""Published algorithms: one file each, every one a pure function from a problem to a solution."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Every method by its name on the command line; `kohort.algorithms.method` finds them, and those of other packages.
PLUGINS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "mondrian": "kohort.algorithms.mondrian.mondrian:STRICT",
        "mondrian-relaxed": "kohort.algorithms.mondrian.mondrian:RELAXED",
        "ordered": "kohort.algorithms.mondrian.ordered:ORDERED",
        "top-down": "kohort.algorithms.mondrian.top_down:TOP_DOWN",
        "samarati": "kohort.algorithms.lattice.samarati:SAMARATI",
        "optimal": "kohort.algorithms.lattice.optimal:OPTIMAL",
        "datafly": "kohort.algorithms.lattice.datafly:DATAFLY [classic]",
        "best-effort": "kohort.algorithms.lattice.best_effort:BEST_EFFORT",
        "suppress-cells": "kohort.algorithms.lattice.suppress_cells:SUPPRESS_CELLS",
        "suppress-cells-optimal": "kohort.algorithms.lattice.suppress_cells:SUPPRESS_CELLS_OPTIMAL",
    }
)
