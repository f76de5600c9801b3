"""Records that the schema suppresses for missing values count in what a release costs, also while it is searched."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.algorithms.lattice.best_effort import BestEffort
from kohort.algorithms.lattice.exhaustive import Exhaustive
from kohort.algorithms.lattice.given import GivenNode
from kohort.algorithms.lattice.optimal import Optimal
from kohort.core.suppression import SuppressionLimit
from kohort.engines import pipeline
from kohort.engines.outlets import Stages, no_progress
from kohort.errors import InfeasibleError
from kohort.io.typed import from_frame
from kohort.metrics.known import OBJECTIVES
from kohort.models.k_anonymity import KAnonymity
from kohort.release import Job
from kohort.schema import Attribute, Missing, Role, Schema
from kohort.schema.hierarchy import Hierarchy

if TYPE_CHECKING:
    from kohort.algorithms.problem import Algorithm
    from kohort.release import Release

LEVELS = Hierarchy.from_rows([["11", "1", "*"], ["12", "1", "*"], ["21", "2", "*"], ["22", "2", "*"]])
SCHEMA = Schema(
    (
        Attribute("a", Role.QUASI, hierarchy=LEVELS, missing=Missing.SUPPRESS),
        Attribute("b", Role.QUASI, hierarchy=LEVELS),
    )
)

values = st.sampled_from(["11", "12", "21", "22"])
rows = st.lists(st.tuples(st.one_of(st.none(), values), values), min_size=2, max_size=14)


def released(cells: list[tuple[str | None, str]], algorithm: Algorithm) -> Release | None:
    """What becomes of these records at k = 2; `None` where no release may be."""
    frame = pl.DataFrame(cells, schema={"a": pl.String, "b": pl.String}, orient="row")
    job = Job.of(SCHEMA, KAnonymity(2), algorithm=algorithm)
    try:
        return pipeline.solve(from_frame(frame), job, threads=1, stage=Stages(no_progress))
    except InfeasibleError:
        return None


@given(rows, st.integers(0, 4), st.sampled_from(sorted(OBJECTIVES)))
def test_the_optimum_is_that_of_the_whole_table(cells: list[tuple[str | None, str]], limit: int, name: str) -> None:
    """No node that may be released costs less by the report, and the bound is what the report says."""
    most, metric = SuppressionLimit(limit), OBJECTIVES[name]
    every = [released(cells, GivenNode(node, most)) for node in product(range(3), repeat=2)]
    figures = [one.metrics[name] for one in every if one is not None]
    for search in (Optimal(most, name), Exhaustive(most, name), BestEffort(most, name)):
        best = released(cells, search)
        assert (best is None) == (not figures)
        if best is not None:
            least = min(figures) if metric.less_is_better else max(figures)
            assert best.metrics[name] == pytest.approx(least, rel=1e-9, abs=1e-9)
            assert best.bound == pytest.approx(least if metric.less_is_better else -least, rel=1e-9, abs=1e-9)
            assert best.candidates[0].outcome.suppressed == best.suppressed
