"""Verified by aggregation, a release is what it is record by record: the same verdict, and every wrong one refused."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kohort.api.jobs import job_by
from kohort.engines.local import LOCAL
from kohort.errors import KohortError
from kohort.io.options import ReadOptions
from kohort.io.write import Format, write
from kohort.job.request import Request
from kohort.pipeline import Stages, claim_of, silent, solve
from kohort.verify import verify
from kohort.verify.aggregated import verify_parts
from kohort.verify.aggregates import TableRelation
from tests.engines.test_spilled import LABELS, METHODS, MISSING, MODELS, tables
from tests.reference.destinations import destinations_of, write_parts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.release import Release

#: Methods on levels, which need hierarchies.
ON_LEVELS = ("samarati", "datafly", "suppress-cells", "optimal")

MORE_METHODS: tuple[Mapping[str, Any], ...] = (
    *METHODS,
    {"method": "optimal", "max_suppression": "30%"},
    {"method": "optimal", "max_suppression": "30%", "local": True},
    {"method": "suppress-cells"},
)
MORE_MODELS: tuple[Mapping[str, Any], ...] = (*MODELS, {"k": 2, "no_model": ["ill"], "person": "who"})
MORE_MISSING: tuple[Mapping[str, Any], ...] = (*MISSING, {"complete_records": "all"})


@st.composite
def asked(draw: st.DrawFn) -> tuple[pl.DataFrame, Mapping[str, Any]]:
    """A small table, and what is asked of it."""
    table = draw(tables())
    who = draw(st.lists(st.sampled_from("abcdefgh"), min_size=table.height, max_size=table.height))
    name = draw(st.sampled_from([who, [f"Ada {number}" for number in range(table.height)], table["job"].to_list()]))
    table = table.with_columns(pl.Series("who", who), pl.Series("name", name))
    gap = draw(st.sampled_from(["", None]))
    table = table.with_columns(pl.col("age", "city", "pay").replace("", gap))
    way = draw(st.sampled_from(MORE_METHODS)) | draw(st.sampled_from(MORE_MODELS)) | draw(st.sampled_from(MORE_MISSING))
    if way.get("method") in ON_LEVELS:
        way |= {"hierarchy": {"age": "intervals:10,20", "city": "suppress", "job": "frequency:1"}}
    elif not way.get("no_grid"):
        way |= draw(st.sampled_from(LABELS))
    roles = {"quasi": ["age", "city", "job"], "sensitive": ["ill"], "insensitive": ["pay"], "allow_singling": ["pay"]}
    return table, {**roles, "identifying": ["who", "name"], **way}


def released(table: pl.DataFrame, way: Mapping[str, Any]) -> Release | None:
    """The release that is asked for; nothing where there is none."""
    try:
        request = job_by(None, way)
        assert isinstance(request, Request)
        return solve(LOCAL.read(table, ReadOptions()), request.job, threads=1, stage=Stages(silent))
    except KohortError:
        return None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(question=asked(), data=st.data())
def test_the_verdict_is_the_same(
    question: tuple[pl.DataFrame, Mapping[str, Any]],
    data: st.DataObject,
    tmp_path_factory: Any,  # noqa: ANN401  pytest's own
) -> None:
    """Whatever the method, the model, the labels, the missing values and the format, for any cut into parts."""
    release = released(*question)
    if release is None:
        return
    format_ = data.draw(st.sampled_from([Format.CSV, Format.TSV, Format.PARQUET, Format.CSV_GZ]))
    safe = format_ is not Format.PARQUET and data.draw(st.booleans())
    claim = replace(claim_of(release, format_), excel_safe=safe)
    file = BytesIO()
    write(release.table, file, format_, excel_safe=safe)
    file.seek(0)
    expected = verify(file, claim)
    sizes = data.draw(st.lists(st.integers(0, 9), max_size=4))
    paths = write_parts(tmp_path_factory.mktemp("parts"), release.table, sizes, format_, excel_safe=safe)
    there = destinations_of(claim, release.table)
    found = verify_parts(paths, TableRelation(claim.original), claim, there)
    assert sum(part.records for part in found.parts) == expected.records
    bytes_ = {"bytes": expected.checks["bytes"]}
    bare = format_ in {Format.CSV, Format.TSV}
    assert (
        replace(found, parts=(), way=expected.way, sha256=expected.sha256, checks={**found.checks, **bytes_})
        == expected
    )
    if bare:
        assert (found.sha256, found.checks) == (expected.sha256, expected.checks)
