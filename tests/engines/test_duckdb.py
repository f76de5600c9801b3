"""Records that stay in DuckDB: the same recoding, metrics, certificate and bytes as in this process, or a refusal."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kohort
from kohort.api.jobs import job_by
from kohort.engines.duckdb import DuckDB
from kohort.engines.elsewhere import ElsewhereEngine
from kohort.engines.local import LOCAL
from kohort.errors import (
    FileError,
    InfeasibleError,
    InputError,
    KohortError,
    LimitError,
    SchemaError,
    UnsupportedError,
    UsageError,
    VerificationError,
)
from kohort.job.request import Request
from kohort.pipeline import anonymize
from kohort.release import Writing
from kohort.testing import check_engine

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kohort.release import Job

#: One database for all tests: opening one takes longer than most of them.
ENGINE = ElsewhereEngine(DuckDB.opened(None, None))

#: A name that must be quoted in every way.
ODD = 'a`b"c'

#: Kinds of cells, some of which are easily taken for others.
KINDS: Mapping[str, tuple[pl.DataType, Sequence[object]]] = {
    "text": (pl.String(), ["007", "7", "7.0", "1.5", "1.50", "", None, "\u00e9", "e\u0301", "NULL", 'a,"b"', " x", "\n"]),
    "whole": (pl.Int64(), [2**53, 2**53 + 1, -(2**63), 7, None]),
    "large": (pl.UInt64(), [2**64 - 1, 2**64 - 2, 0, None]),
    "float": (pl.Float64(), [1.5, float("nan"), None, -0.0, 0.0, 1e300, 0.1, 1e-7]),
    "single": (pl.Float32(), [0.1, 16777216.0, None]),
    "truth": (pl.Boolean(), [True, False, None]),
    "day": (pl.Date(), [date(2024, 2, 29), date(1, 1, 1), None]),
    "instant": (
        pl.Datetime("us", "Europe/Rome"),
        [datetime(2024, 7, 1, 12, tzinfo=UTC), datetime(2024, 1, 1, 0, 0, 0, 5, tzinfo=UTC), None],
    ),
    "moment": (pl.Datetime("us"), [datetime(1999, 12, 31, 23, 59, 59), datetime(2024, 1, 1, 0, 0, 0, 500000)]),  # noqa: DTZ001
    "category": (pl.Categorical(), ["b", "a", None]),
}


@pytest.mark.parametrize("seed", [0, 1])
def test_records_in_duckdb_are_those_of_an_engine(seed: int) -> None:
    """The one test body of engines."""
    check_engine(ENGINE, tables=7, seed=seed)


@st.composite
def frames(draw: st.DrawFn) -> pl.DataFrame:
    """Tables of two quasi-identifiers, a sensitive column and another, each of some type."""
    records = draw(st.integers(4, 24))
    columns = []
    for name in ("first", ODD, "ill", "rest"):
        dtype, pool = KINDS[draw(st.sampled_from(sorted(KINDS)))]
        cells = draw(st.lists(st.sampled_from(pool), min_size=records, max_size=records))
        columns.append(pl.Series(name, cells, dtype=dtype))
    return pl.DataFrame(columns)


#: How a table becomes a source, and the ending of its file.
SOURCES: Mapping[str, Callable[[pl.DataFrame, Path], object]] = {
    "frame": lambda frame, _: frame,
    "csv": lambda frame, folder: _written(frame, folder / "in.csv"),
    "parquet": lambda frame, folder: _written(frame, folder / "in.parquet"),
    "folder": lambda frame, folder: _parts(frame, folder / "in"),
    "duckdb": lambda frame, folder: _stored(frame, folder / "in.duckdb"),
}


def _written(frame: pl.DataFrame, path: Path) -> str:
    if path.suffix == ".csv":
        frame.write_csv(path)
    else:
        frame.write_parquet(path)
    return str(path)


def _parts(frame: pl.DataFrame, folder: Path) -> str:
    for place, half in enumerate((frame[: len(frame) // 2], frame[len(frame) // 2 :])):
        part = folder / f"year={place:02}" / "part.parquet"
        part.parent.mkdir(parents=True)
        half.write_parquet(part)
    return str(folder)


def _stored(frame: pl.DataFrame, path: Path) -> str:
    with duckdb.connect(str(path)) as base:
        base.register("given", frame.to_arrow())
        base.execute("CREATE TABLE people AS SELECT * FROM given")
    return str(path)


def asked(**options: Any) -> Job:
    """A job over these tables."""
    chosen: dict[str, Any] = {"rest": "insensitive", "no_grid": True, "allow_singling": ["ill", "rest"], **options}
    writing = chosen.pop("writing", Writing())
    made = job_by(None, {"quasi": ["first", ODD], "k": 2, **chosen})
    assert isinstance(made, Request)
    return replace(made.job, writing=writing)


#: Each kind of method, of model and of missing policy.
JOBS: Mapping[str, Mapping[str, Any]] = {
    "plain": {},
    "sets": {"labels": "set"},
    "diverse": {"l": {"ill": 2}, "sensitive": ["ill"]},
    "close": {"t": {"ill": "0.6"}, "sensitive": ["ill"]},
    "loss": {"cut": "loss"},
    "ordered": {"method": "ordered"},
    "samarati": {"method": "samarati", "max_suppression": "50%", "hierarchy": {"first": "suppress", ODD: "suppress"}},
    "cells": {"method": "suppress-cells", "hierarchy": {"first": "suppress", ODD: "suppress"}},
    "local": {
        "method": "optimal",
        "local": True,
        "max_suppression": "50%",
        "hierarchy": {"first": "suppress", ODD: "suppress"},
    },
    "complete": {"complete_records": ["first", "ill"]},
    "lacking": {"missing": {"first": "suppress", "ill": "suppress"}, "sensitive": ["ill"], "no_model": ["ill"]},
    "tokens": {"missing_token": ["7", "0.1", "true"], "missing": {ODD: "suppress"}},
    "refused": {"missing": {"ill": "refuse"}, "sensitive": ["ill"], "no_model": ["ill"]},
    "safe": {"writing": Writing(excel_safe=True)},
    "tabs": {"writing": Writing("tsv")},
    "semicolons": {"writing": Writing(separator=";")},
}


def compared(source: object, job: Job, folder: Path) -> str:
    """Both engines make the same, or both refuse it; which."""
    made: list[tuple[object, ...]] = []
    for name, engine in (("local", LOCAL), ("elsewhere", ENGINE)):
        target = folder / name / "release.csv"
        target.parent.mkdir(exist_ok=True)
        try:
            release = anonymize(source, job, target=target, engine=engine)
        except UnsupportedError:
            assert name == "elsewhere"
            return "unsupported"
        except (InfeasibleError, InputError, SchemaError, VerificationError) as error:
            made.append((type(error), error.where, "" if isinstance(error, VerificationError) else error.what))
            continue
        certificate = json.loads(target.with_name("release.csv.kohort.json").read_bytes())
        certificate["verification"] = None
        made.append((target.read_bytes(), release.metrics, release.homogeneity, sorted(release.sizes.tolist()), certificate))
    assert made[1] == made[0]
    return "refused" if isinstance(made[0][0], type) else "released"


@pytest.mark.parametrize("kind", sorted(SOURCES))
@given(frame=frames(), what=st.sampled_from(sorted(JOBS)))
def test_the_release_is_that_of_the_local_engine(kind: str, frame: pl.DataFrame, what: str) -> None:
    """Of every type of cells, method, model, label and missing policy, wherever the records lie."""
    with TemporaryDirectory() as folder:
        compared(SOURCES[kind](frame, Path(folder)), asked(**JOBS[what]), Path(folder))
