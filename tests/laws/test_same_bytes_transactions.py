"""The same multiset of transactions and job give the same bytes and certificate: surroundings tell nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kohort
from kohort.transactions.coherence import Coherence
from kohort.transactions.database import in_item_order
from kohort.transactions.io.options import BasketOptions, Form
from kohort.transactions.release import BasketWriting, TransactionJob
from kohort.transactions.roles import Draw, Drawn, Listed
from kohort.transactions.suppression import Greedy, Score

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

pytestmark = pytest.mark.slow

#: Transactions of few items, so that some are equal, some empty, and many sets are moles.
BASKETS = st.lists(st.frozensets(st.sampled_from(["tea", "jam", "10", "9", "ale", "pill"]), max_size=5), min_size=3)


def _lines(baskets: Sequence[Sequence[str]], path: Path, *, end: str) -> BasketOptions:
    path.write_bytes("".join(" ".join(one) + end for one in baskets).encode())
    return BasketOptions()


def _long(baskets: Sequence[Sequence[str]], path: Path, *, end: str) -> BasketOptions:
    records = [f"t{place},{item}" for place, one in enumerate(baskets) for item in one or [""]]
    path.write_bytes("".join(record + end for record in ["basket,item", *records]).encode())
    return BasketOptions(form=Form.LONG)


def _matrix(baskets: Sequence[Sequence[str]], path: Path, *, end: str) -> BasketOptions:
    names = in_item_order({item for one in baskets for item in one})  # which is a matrix's order of columns
    rows = [",".join("1" if name in one else "0" for name in names) for one in baskets]
    path.write_bytes("".join(row + end for row in [",".join(names), *rows]).encode())
    return BasketOptions(form=Form.MATRIX_HEADER)


def _lists(baskets: Sequence[Sequence[str]], path: Path) -> BasketOptions:
    pl.DataFrame({"items": pl.Series([list(one) for one in baskets], dtype=pl.List(pl.String))}).write_parquet(path)
    return BasketOptions(form=Form.LISTS)


#: Ways to write the same transactions down.
SPELLINGS: tuple[Callable[[Sequence[Sequence[str]], Path], BasketOptions], ...] = (
    partial(_lines, end="\n"),
    partial(_lines, end="\r\n"),
    partial(_long, end="\n"),
    partial(_long, end="\r\n"),
    partial(_matrix, end="\n"),
    _lists,
)


def _released(spell: Callable[[Path], BasketOptions], job: TransactionJob) -> tuple[bytes, bytes] | None:
    """The release and its certificate, or nothing where there can be none."""
    with TemporaryDirectory() as folder:
        source, target = Path(folder, "in"), Path(folder, "safe.dat")
        reading = spell(source)
        asked = replace(job, reading=reading, writing=BasketWriting(form=Form.BASKET))
        try:
            kohort.anonymize_transactions(source, asked, target=target)
        except kohort.InfeasibleError:
            return None
        return target.read_bytes(), target.with_name("safe.dat.kohort.json").read_bytes()


@given(
    baskets=BASKETS,
    seed=st.integers(0, 99),
    spell=st.sampled_from(SPELLINGS),
    job=st.builds(
        TransactionJob,
        coherence=st.just(Coherence(Fraction(1, 2), 2, 3)),
        roles=st.sampled_from([Listed(private=("pill",), absent=True), Drawn(delta=Fraction(1, 2), draw=Draw.PAPER)]),
        algorithm=st.builds(Greedy, score=st.sampled_from(Score), give_back=st.booleans()),
        min_support=st.sampled_from([Fraction(0), Fraction(1, 4)]),
    ),
)
def test_order_and_form_do_not_show(
    baskets: list[frozenset[str]],
    seed: int,
    spell: Callable[[Sequence[Sequence[str]], Path], BasketOptions],
    job: TransactionJob,
) -> None:
    """Any order of transactions and of items in them, any line ends and any form: the same release and certificate."""
    if not any(baskets):  # a matrix needs an item
        baskets = [*baskets, frozenset({"tea"})]
    random = Random(seed)  # noqa: S311  an order, not a secret
    shuffled = [random.sample(sorted(one), len(one)) for one in random.sample(baskets, len(baskets))]
    first = _released(partial(SPELLINGS[0], [sorted(one) for one in baskets]), job)
    assert _released(partial(spell, shuffled), job) == first


@given(baskets=BASKETS, secrets=st.frozensets(st.sampled_from(["pill", "tea"]), min_size=1))
def test_a_release_is_the_source_less_what_was_dropped(baskets: list[frozenset[str]], secrets: frozenset[str]) -> None:
    """Transactions lose exactly the dropped items, keep their private ones, and are coherent by definition."""
    model = Coherence(Fraction(1, 2), 2, 2)
    job = TransactionJob(coherence=model, roles=Listed(private=tuple(secrets), absent=True))
    try:
        release = kohort.anonymize_transactions(kohort.Transactions.of(baskets), job)
    except kohort.InfeasibleError:
        return
    gone = set(release.named(release.dropped))
    left = [frozenset(one) for one in release.baskets()]
    assert Counter(left) == Counter(one - gone for one in baskets)
    assert not gone & secrets
    assert left == [baskets[origin] - gone for origin in release.lineage.tolist()]
    assert sum(map(len, baskets)) * release.distortion == sum(len(one & gone) for one in baskets)


#: What a fresh interpreter does: the whole path, from a file of basket lines to a release.
PROGRAM = """
import sys
import kohort
from fractions import Fraction
job = kohort.TransactionJob(
    coherence=kohort.Coherence.of(h="0.4", k=4, p=3), roles=kohort.Drawn(delta=Fraction(2, 3), seed=5)
)
kohort.anonymize_transactions(sys.argv[1], job, target=sys.argv[2])
"""


@pytest.mark.parametrize("form", ["safe.dat", "safe.parquet"])
def test_surroundings_do_not_show(tmp_path: Path, form: str) -> None:
    """Shuffled rows, hash seeds, locales and thread counts leave release and certificate identical."""
    random = Random(3)  # noqa: S311  transactions, not secrets
    baskets = [
        [f"item {place % 7}x{place}".replace(" ", "_") for place in range(40) if random.random() < 0.2]
        for _ in range(300)
    ]
    surroundings = [
        {"PYTHONHASHSEED": "1", "LC_ALL": "C", "POLARS_MAX_THREADS": "1"},
        {"PYTHONHASHSEED": "random", "LC_ALL": "tr_TR.UTF-8", "POLARS_MAX_THREADS": "3"},
    ]
    found: set[tuple[bytes, bytes]] = set()
    for number, environment in enumerate(surroundings):
        folder = tmp_path / str(number)
        folder.mkdir()
        _lines(random.sample(baskets, len(baskets)), folder / "in.dat", end="\n")
        arguments = [sys.executable, "-c", PROGRAM, str(folder / "in.dat"), str(folder / form)]
        subprocess.run(arguments, env={**os.environ, **environment}, check=True, timeout=120)
        found.add(((folder / form).read_bytes(), (folder / f"{form}.kohort.json").read_bytes()))
    assert len(found) == 1
