"""Tuples that do not fit into memory: searched and verified in parts, the release is the same."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from kohort.engines.duckdb import DuckDB
from kohort.engines.elsewhere import ElsewhereEngine
from tests.engines.test_duckdb import JOBS, SOURCES, asked, compared, frames

if TYPE_CHECKING:
    import polars as pl

BASE = DuckDB.opened(None, None)

#: Engines that search so many tuples together.
ENGINES = {most: ElsewhereEngine(BASE, together=most) for most in (1, 3, 8)}

#: What the engines search in parts, of the jobs that every engine is tried with.
IN_PARTS = sorted(set(JOBS) - {"loss", "ordered", "samarati", "cells", "local"})


@pytest.mark.parametrize("kind", sorted(SOURCES))
@settings(deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])  # to shrink takes minutes
@given(frame=frames(), what=st.sampled_from(IN_PARTS), most=st.sampled_from(sorted(ENGINES)))
def test_the_release_is_that_of_the_local_engine(kind: str, frame: pl.DataFrame, what: str, most: int) -> None:
    """Of every type of cells, model, label and missing policy: bytes, figures, certificate."""
    with TemporaryDirectory() as folder:
        compared(SOURCES[kind](frame, Path(folder)), asked(JOBS[what]), Path(folder), ENGINES[most])
