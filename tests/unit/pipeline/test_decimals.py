"""Numbers of many decimals, as programs write that compute with 32 bits: 13.600000381469727."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest

import kohort

METHODS = ("mondrian", "mondrian-relaxed", "ordered", "top-down")
CUTS: tuple[dict[str, Any], ...] = (
    *({"method": name} for name in METHODS),
    *({"method": "mondrian", "cut": cut} for cut in ("median", "loss")),
)


@pytest.mark.parametrize(("how", "grid"), [*product(CUTS, ["round", None])])
def test_numbers_of_many_decimals_are_released(how: dict[str, Any], grid: str | None) -> None:
    """Beside one that is a million times as large, whose steps no machine word counts; each class has k records."""
    drawn = np.random.default_rng(7).uniform(1, 30, 199).astype(np.float32).astype(float)
    texts = [format(number, ".17f") for number in (*drawn, 1_000_000)]
    column = kohort.Attribute("amount", kohort.Role.QUASI, grid=grid)
    made = kohort.anonymize(pl.DataFrame({"amount": texts}), k=5, schema=kohort.Schema((column,)), **how)
    assert made.frame()["amount"].value_counts()["count"].min() >= 5
