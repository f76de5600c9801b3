"""Numbers of many decimals, as programs write that compute with 32 bits: 13.600000381469727."""

from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl
import pytest

from kohort import Attribute, Job, KAnonymity, Role, Schema, anonymize
from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.algorithms.mondrian.ordered import Ordered

METHODS = (
    *(Mondrian(cut) for cut in ("nearest", "median", "loss")),
    Mondrian(relaxed=True),
    Mondrian("loss", relaxed=True),
    Ordered(),
)


@pytest.mark.parametrize(("method", "rounded"), [*product(METHODS, (True, False))])
def test_numbers_of_many_decimals_are_released(method: Mondrian | Ordered, *, rounded: bool) -> None:
    """Beside one that is a million times as large, whose steps no machine word counts; each class has k records."""
    drawn = np.random.default_rng(7).uniform(1, 30, 199).astype(np.float32).astype(float)
    texts = [format(number, ".17f") for number in (*drawn, 1_000_000)]
    column = Attribute("amount", Role.QUASI, grid="round") if rounded else Attribute("amount", Role.QUASI)
    job = Job.of(Schema((column,)), KAnonymity(5), algorithm=method)
    release = anonymize(pl.DataFrame({"amount": texts}), job)
    assert release.verdict is not None
    assert release.verdict.smallest >= 5
    assert 0 <= release.metrics["lm"] <= 1
