"""docs/curves.py and its page: the plain rules are kohort's, and each mistake makes of the examples what is printed."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from kohort.transactions.coherence import Coherence
from kohort.transactions.database import Transactions
from kohort.transactions.pipeline import problem_of
from kohort.transactions.problem import distortion, is_feasible
from kohort.transactions.release import TransactionJob
from kohort.transactions.roles import Listed
from kohort.transactions.suppression import Greedy

if TYPE_CHECKING:
    from types import ModuleType

    import pytest

DOCS = Path(__file__).parents[3] / "docs"


def _curves() -> ModuleType:
    spec = spec_from_file_location("curves", DOCS / "curves.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules["curves"] = module  # where dataclasses look for the names in their annotations
    spec.loader.exec_module(module)
    return module


curves: Any = _curves()


def test_the_page_shows_what_the_mistakes_make_of_the_examples(capsys: pytest.CaptureFixture[str]) -> None:
    """The block on the page is what `python docs/curves.py examples` prints."""
    curves.print_examples()
    assert capsys.readouterr().out.lstrip() in (DOCS / "coherence-curves.md").read_text(encoding="utf-8")


def test_every_picture_is_on_the_page_and_there() -> None:
    """The page shows each picture that the script makes, and each one is in the folder."""
    page = (DOCS / "coherence-curves.md").read_text(encoding="utf-8")
    pictures = {path.name for path in (DOCS / "images").glob("curve-*.svg")}
    assert len(pictures) == 9
    assert all(f"](images/{name})" in page for name in pictures)


@given(
    st.lists(st.text("abcdexy", min_size=1, max_size=5), min_size=1, max_size=9),
    st.sampled_from(["1/3", "1/2", "0.8", "1"]),
    st.integers(1, 3),
    st.integers(1, 3),
)
def test_the_plain_rules_are_those_of_kohort(rows: list[str], h: str, k: int, p: int) -> None:
    """Without a mistake the few lines of the page drop what kohort drops, and lose as much."""
    model = Coherence.of(h=h, k=k + (h == "1"), p=p)
    database = Transactions.of(rows)
    private = [name for name in "xy" if name in database.names]
    problem = problem_of(database, TransactionJob(coherence=model, roles=Listed(private=tuple(private))))
    found = curves.distortion(curves.small(rows, "".join(private)), model)
    feasible = is_feasible(problem)
    assert found == (distortion(problem, Greedy().solve(problem).suppression) if feasible else None)


def test_a_mistake_is_seen_where_the_page_says_so() -> None:
    """Every mistake changes what is dropped of at least one example."""
    for mistake, rules in curves.MISTAKES.items():
        changed = [
            curves.told(*example, rules) != curves.told(*example, curves.RIGHT) for example in curves.EXAMPLES.values()
        ]
        assert any(changed) is (mistake != "right")
