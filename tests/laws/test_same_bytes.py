"""The same multiset of records, schema and job give the same bytes: order and surroundings tell nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kohort
from kohort.core.labels import Labels
from kohort.samples.italy import italy
from tests.jobs import freely

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

pytestmark = pytest.mark.slow

FLAGS = [
    "--identifier=person_id,first_name,last_name",
    "--quasi=gender,city,age,education,profession",
    "--sensitive=annual_income",
    "--no-model=annual_income",
    "--allow-singling=annual_income",
    "--k=7",
    "--quiet",
]

#: Surroundings that must not matter: the seed of Python's hashes, the locale, the threads of every library, the order.
SURROUNDINGS = [
    ({"PYTHONHASHSEED": "1", "LC_ALL": "C"}, 1),
    ({"PYTHONHASHSEED": "2", "LC_ALL": "it_IT.UTF-8", "TZ": "Asia/Tokyo"}, 2),
    ({"PYTHONHASHSEED": "random", "LC_ALL": "tr_TR.UTF-8", "POLARS_MAX_THREADS": "3"}, 3),
]


def _release(source: Path, target: Path, method: str, environment: dict[str, str], threads: int) -> bytes:
    arguments = ["-m", "kohort", "anonymize", str(source), "--out", str(target), *FLAGS]
    arguments += ["--method", method, "--threads", str(threads)]
    subprocess.run([sys.executable, *arguments], env={**os.environ, **environment}, check=True, timeout=120)
    return target.read_bytes()


@pytest.mark.parametrize("method", ["mondrian", "mondrian-relaxed", "ordered"])
def test_surroundings_do_not_show(tmp_path: Path, method: str) -> None:
    """Shuffled rows, hash seeds, locales, time zones and thread counts leave release and certificate identical."""
    people = italy(3_000, seed=5)
    releases: set[bytes] = set()
    certificates: set[bytes] = set()
    for number, (environment, threads) in enumerate(SURROUNDINGS):
        source, folder = tmp_path / f"people{number}.csv", tmp_path / str(number)
        folder.mkdir()
        people.sample(fraction=1.0, shuffle=True, seed=number).write_csv(source)
        releases.add(_release(source, folder / "safe.csv", method, environment, threads))
        certificates.add((folder / "safe.csv.kohort.json").read_bytes())
    assert len(releases) == 1
    assert len(certificates) == 1


@given(
    rows=st.lists(
        st.tuples(
            st.integers(0, 6),
            st.sampled_from(["a", "b", "ab", ""]),
            st.sampled_from("xyz"),
            st.sampled_from(["1", "2", ""]),
        ),
        min_size=4,
        max_size=40,
    ),
    random=st.randoms(use_true_random=False),
    relaxed=st.booleans(),
)
def test_row_order_does_not_show(
    rows: list[tuple[int, str, str, str]],
    random: object,
    relaxed: bool,  # noqa: FBT001  a drawn choice
) -> None:
    """Any permutation of any small table, missing values and ties included, releases the same records in one order."""
    shuffled = list(rows)
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis types its generator as object
    schema = kohort.Schema.of(quasi=["age", "city"], sensitive=["illness"], insensitive=["note"])
    job = freely(kohort.Job.of(schema, kohort.KAnonymity(2), algorithm=kohort.Mondrian(relaxed=relaxed)))
    frames = [pl.DataFrame(some, schema=["age", "city", "illness", "note"], orient="row") for some in (rows, shuffled)]
    first, second = (kohort.anonymize(frame, job).frame() for frame in frames)
    assert isinstance(first, pl.DataFrame)
    assert isinstance(second, pl.DataFrame)
    assert first.equals(second)


@given(
    st.lists(
        st.tuples(st.sampled_from([0.1, 0.2, 0.3, 1 / 3, 0.7, 1.0]), st.integers(1, 10**6)), min_size=1, max_size=40
    ),
    st.randoms(use_true_random=False),
)
def test_losses_add_up_alike_in_every_order(regions: list[tuple[float, int]], random: Random) -> None:
    """To the last bit, which a certificate shows: regions are numbered as records come."""
    found: set[float] = set()
    for _ in range(4):
        random.shuffle(regions)
        shares, records = (np.array(column) for column in zip(*regions, strict=True))
        found.add(Labels.by_kind(map(str, range(shares.size)), np.arange(shares.size), shares).total(records))
    assert len(found) == 1
    assert found.pop() == pytest.approx(sum(share * many for share, many in regions))
