"""Small tables to assess."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from kohort.schema.hierarchy import Hierarchy

if TYPE_CHECKING:
    from collections.abc import Sequence

REGIONS = Hierarchy.from_rows([["Milano", "Nord"], ["Torino", "Nord"], ["Bari", "Sud"]], root="*")


def frame(**cells: Sequence[str]) -> pl.DataFrame:
    """A frame of text."""
    return pl.DataFrame(cells)
