"""Tables whose tuples do not fit: engines that take few together, and people of whom most have a tuple of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from kohort.engines.local import LOCAL
from kohort.engines.pipeline import anonymize
from kohort.sql.duckdb import DuckDB
from kohort.sql.remote import RemoteEngine
from kohort.sql.spark import Spark
from kohort.sql.spark_session import Cluster
from tests.engines.test_duckdb import RETOLD, asked
from tests.engines.test_spark import MASTER, QUICK

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kohort.engines.base import Engine
    from kohort.release import Release

BASE = DuckDB.opened(None, None)

#: Warnings that are not what these tests are about.
PASSED_OVER = (RETOLD, "ignore::ResourceWarning", "ignore::FutureWarning")

#: What is asked of `people` whatever the method.
OPTIONS: Mapping[str, object] = {
    "quasi": ["age", "zip", "pay"],
    "sensitive": ["ill"],
    "identifying": ["name"],
    "rest": "refuse",
    "allow_singling": [],
    "k": 5,
}


def engines(*most: int) -> dict[int, RemoteEngine]:
    """Engines that take so many tuples together."""
    return {one: RemoteEngine(BASE, together=one) for one in most}


def on_spark(together: int) -> RemoteEngine:
    """Such an engine on Spark."""
    return RemoteEngine(Spark.opened(Cluster(MASTER, QUICK)), together=together)


def people(records: int = 400) -> pl.DataFrame:
    """Records of which most have a tuple of their own."""
    random = np.random.default_rng(5)
    return pl.DataFrame(
        {
            "name": [f"person {number}" for number in range(records)],
            "age": random.integers(18, 90, records),
            "zip": [f"{code:05}" for code in random.integers(0, 60, records)],
            "pay": random.integers(10, 99, records) * 100,
            "ill": random.choice(["flu", "gout", "cold", "cough"], records),
        }
    )


def released(
    asked_for: Mapping[str, object], source: object, target: Path, engine: Engine = LOCAL, **options: object
) -> Release:
    """A release of them."""
    return anonymize(source, asked({**OPTIONS, **asked_for, **options}), target=target, engine=engine)
