"""However the records of a table are divided among the files of a folder, the release is that of one file.

What is *not* a law: releases of the halves of a table, side by side, are not a release of the whole. Each is right by
itself; somebody who is in both, or whom only one can hold, is in smaller classes than k (`docs/weaknesses.md`, several
releases).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kohort
from kohort.errors import KohortError
from kohort.io.forms import Format
from kohort.release import Writing
from tests.jobs import freely

if TYPE_CHECKING:
    from kohort.release import Job

pytestmark = pytest.mark.slow

CITIES = ("Roma", "Bari", "à b")
JOB: Job = freely(kohort.Job.of(kohort.Schema.of(quasi=["age", "city"], sensitive=["illness"]), kohort.KAnonymity(3)))


@st.composite
def tables(draw: st.DrawFn) -> pl.DataFrame:
    """People, some of whom have no age or illness."""
    people = st.tuples(
        st.one_of(st.none(), st.integers(20, 40)), st.sampled_from(CITIES), st.sampled_from([None, "", "flu", "gout"])
    )
    rows = draw(st.lists(people, min_size=3, max_size=24))
    return pl.DataFrame(rows, {"age": pl.Int64, "city": pl.String, "illness": pl.String}, orient="row")


def released(source: Path, folder: Path) -> bytes | str:
    """The release of what lies there, or why there is none."""
    target = folder / "release.csv"
    try:
        kohort.anonymize(source, JOB, target=target, overwrite=True)
    except KohortError as fault:
        return fault.what
    return target.read_bytes()


@given(tables(), st.lists(st.integers(0, 3), min_size=24, max_size=24), st.sampled_from([1, 3, 100]))
def test_any_division_among_files(table: pl.DataFrame, files: list[int], group: int) -> None:
    """Files may hold no record, lie in folders below, and be written in groups of any size."""
    of = pl.Series(files[: table.height])
    with TemporaryDirectory() as name:
        folder = Path(name)
        table.write_parquet(folder / "whole.parquet")
        for place in range(4):
            part = folder / "parts" / f"{place % 2}" / f"part-{place}.parquet"
            part.parent.mkdir(parents=True, exist_ok=True)
            table.filter(of == place).write_parquet(part, row_group_size=group)
        assert released(folder / "parts", folder) == released(folder / "whole.parquet", folder)


@given(tables())
def test_division_by_a_column(table: pl.DataFrame) -> None:
    """Folders called `column=value` say the value of their records, which no file holds."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        table.select("age", "illness", "city").write_parquet(folder / "whole.parquet")
        for (city,), part in table.partition_by("city", as_dict=True, include_key=False).items():
            (folder / "parts" / f"city={city}").mkdir(parents=True)
            part.write_parquet(folder / "parts" / f"city={city}" / "part.parquet")
        assert released(folder / "parts", folder) == released(folder / "whole.parquet", folder)


@given(tables(), st.sampled_from([Format.CSV, Format.PARQUET]), st.integers(1, 9))
def test_a_release_in_parts_is_read_as_one_of_a_file(table: pl.DataFrame, form: Format, records: int) -> None:
    """Whatever the number of records in a part: who anonymizes it again gets the same bytes."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / "whole.parquet"
        table.write_parquet(source)
        single = folder / f"single.{form.value}"
        one, several = Writing(form), Writing(form, records_per_part=records)
        try:
            kohort.anonymize(source, replace(JOB, writing=one), target=single)
        except KohortError:
            return
        kohort.anonymize(source, replace(JOB, writing=several), target=f"{folder}/parts/")
        assert released(folder / "parts", folder) == released(single, folder)
