"""Moles in the compiled core: each loop writes what its plain twin does, and no wrong number leads elsewhere."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.native import build, library
from kohort.native.library import NUMBER, TO_SIZES, WORDS, Function
from kohort.transactions import _engines
from kohort.transactions._rows import Incidence
from kohort.transactions.cells import LocalSuppression
from kohort.transactions.database import Transactions
from kohort.transactions.optimum import reduced
from kohort.transactions.recode import content_order, recode
from kohort.transactions.suppression import Greedy
from tests.reference.mole_loops import PLAIN
from tests.reference.transactions import problem_of, raw_databases
from tests.unit.test_native_mondrian import heard, spoil
from tests.unit.transactions.sets import ENGINES, mine_by
from tests.unit.transactions.test_moles import larger
from tests.unit.transactions.test_order import drawn, numbered

if TYPE_CHECKING:
    from kohort.transactions.problem import Moles
    from tests.reference.transactions import RawDatabase


def mine_by_both(raw: RawDatabase) -> Moles:
    """The minimal moles, each base by the engine that is quicker for it, however little that gains."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_engines, "_WORTH", -np.inf)
        return mine_by(None, problem_of(raw))


def work(raw: RawDatabase) -> None:
    """Everything that calls a loop: mining by either engine and by both, suppression, the order of what is left."""
    problem, moles = problem_of(raw), mine_by_both(raw)
    assert isinstance(problem.database, Transactions)
    for engine in ENGINES:
        assert mine_by(engine, problem).sets[0].tolist() == moles.sets[0].tolist()
    reduced(Incidence.of(moles.sets[1:], problem.losses.size), problem.losses)
    for algorithm in (Greedy(give_back=True), LocalSuppression()):
        recode(problem.database, algorithm.suppress(problem, moles).suppression)


@given(raw_databases())
def test_loops_write_what_plain_ones_do(raw: RawDatabase) -> None:
    """Every array is the same afterwards, whatever the database is."""
    with heard(PLAIN, twins=True):
        work(raw)


@pytest.mark.slow("every loop in plain Python, too")
def test_every_loop_is_compared() -> None:
    """Many different transactions take every way of the search, and very many the way of large groups."""
    with heard(PLAIN, twins=True) as calls:
        work(larger(0))
        mine_by_both(larger(7))
        content_order(numbered(drawn(3000, 3000, 3, 3), 3))
    assert calls.keys() == PLAIN.keys()
    assert len(calls["sort_rows"]) > 3


@pytest.mark.slow("keeps what every call takes: 400 MB")
@given(raw_databases(), st.data())
@pytest.mark.filterwarnings("ignore:overflow")
def test_no_number_leads_the_search_for_moles_beyond_an_array(raw: RawDatabase, data: st.DataObject) -> None:
    """Wherever a number is wrong in a call of each loop, nothing outside of the arrays is changed."""
    with heard(PLAIN, twins=False) as calls:
        work(raw)
    spoil([data.draw(st.sampled_from(of_one)) for of_one in calls.values()], data)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["by_word", "by_table"])
def test_every_way_to_count_ones_gives_their_number(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The core takes the quickest that the processor has; here it is built for each of the others."""
    cpu = Path("/proc/cpuinfo")
    if not cpu.exists() or "avx2" not in cpu.read_text().split():
        pytest.skip("this processor has no other way")
    build.build(tmp_path / "core.so", (*build.MEANING, "-O1", f"-DCOUNTER={way}"))
    monkeypatch.setattr(library, "library", lambda: ctypes.CDLL(str(tmp_path / "core.so")))
    cross = Function("kohort_cross", WORDS, WORDS, NUMBER, TO_SIZES)
    random = np.random.default_rng(1)
    for words in (1, 3, 4, 5, 8, 131):
        bits = random.integers(0, 1 << 64, (5, words), np.uint64)
        found, expected = np.zeros((2, 3), np.int32), np.zeros((2, 3), np.int32)
        cross(bits[:2], bits[2:], words, found)
        PLAIN["cross"](bits[:2], bits[2:], words, expected)
        assert (found == expected).all()
