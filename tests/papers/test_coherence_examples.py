"""The worked examples of (h,k,p)-coherence, every number that they print, and what a published program makes of them.

Example 2 is the one of the paper (Xu, Wang, Fu, Yu, KDD 2008): five people, what they bought or did, and a diagnosis.
Example 1 is a matrix of six transactions over seven items, used in teaching. The witnesses are the smallest databases
that tell the definition from what it is easily mistaken for.

The program is a student's, and its curves of distortion were published. Of its five departures each is taken here as a
rule of its own, and gives another answer than the definition.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

import pytest

from kohort.errors import InfeasibleError
from kohort.transactions.coherence import Coherence
from kohort.transactions.database import Transactions
from kohort.transactions.moles import mine
from kohort.transactions.optimum import Optimum
from kohort.transactions.problem import ItemSuppression, SuppressionProblem, distortion, item_losses, responsible
from kohort.transactions.roles import Listed
from kohort.transactions.suppression import Greedy, Score
from tests.reference import transactions as plain
from tests.unit.transactions.sets import ENGINES, mine_by

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kohort.transactions.problem import SuppressionSolution


def problem_of(
    rows: Iterable[Iterable[str]], private: Sequence[str], *, h: str, k: int, p: int = 2
) -> SuppressionProblem:
    """The problem in which these items are private and all others public, and a cell is a cell."""
    database, model = Transactions.of(rows), Coherence.of(h=h, k=k, p=p)
    roles = Listed(private=tuple(private)).over(database, model.h)
    return SuppressionProblem(database, roles, model, item_losses(database))


def with_p(problem: SuppressionProblem, p: int) -> SuppressionProblem:
    """The same problem for an attacker who knows p items."""
    return replace(problem, coherence=replace(problem.coherence, p=p))


def dropped(problem: SuppressionProblem, solution: SuppressionSolution) -> list[str]:
    """The names of the items that are dropped, in order."""
    assert isinstance(solution.suppression, ItemSuppression)
    return [problem.database.names[item] for item in solution.suppression.items.tolist()]


def moles(problem: SuppressionProblem, engine: type | None = None) -> list[str]:
    """The minimal moles, each as its items' names in one word."""
    names = problem.database.names
    return ["".join(names[item] for item in mole) for mole, _ in plain.told(mine_by(engine, problem))]


def raw_of(problem: SuppressionProblem) -> plain.RawDatabase:
    """The same for the reference."""
    assert isinstance(problem.database, Transactions)
    place = {name: at for at, name in enumerate(problem.database.names)}
    model = problem.coherence
    return plain.RawDatabase(
        tuple(frozenset(place[name] for name in one) for one in problem.database.sets()),
        frozenset(problem.roles.public.nonzero()[0].tolist()),
        frozenset(problem.roles.private.nonzero()[0].tolist()),
        model.h,
        model.k,
        model.p,
        (1,) * len(place),
    )


# ── Example 1 ────────────────────────────────────────────────────────────────────────────────────

MATRIX = ("1010001", "1010010", "0110000", "1100010", "1110000", "1111110")


def example_1(*, k: int = 3, rows: Sequence[str] = MATRIX) -> SuppressionProblem:
    """Items 0 to 6, of which 3 and 4 are private; h = 0.5, k = 3, p = 3."""
    sets = [[str(item) for item, cell in enumerate(row) if cell == "1"] for row in rows]
    return problem_of(sets, ("3", "4"), h="0.5", k=k, p=3)


@pytest.mark.parametrize("engine", ENGINES)
def test_example_1_moles(engine: type | None) -> None:
    """6 is a mole alone; {1,5}, {2,5} and {0,1,2} are the larger minimal ones."""
    assert moles(example_1(), engine) == ["6", "15", "25", "012"]


def test_example_1_scores() -> None:
    """Of the items in a mole IL is 5, 4, 5, 3 and MM 1, 2, 2, 2; after 5 is dropped 1 has the highest score, 1/4."""
    raw = raw_of(example_1())
    rest = raw.less(plain.singles(raw))
    scores = plain.scores(rest, "mmil")
    assert {item: rest.loss(item) for item in scores} == {0: 5, 1: 4, 2: 5, 5: 3}
    assert plain.scores(rest, "mm") == {0: 1, 1: 2, 2: 2, 5: 2}
    assert max(scores.values()) == scores[5] == Fraction(2, 3)
    after = plain.scores(rest.less({5}), "mmil")
    assert max(after.values()) == after[1] == Fraction(1, 4)


@pytest.mark.parametrize(
    ("score", "order", "share"),
    [
        (Score.MMIL, "651", Fraction(8, 20)),
        (Score.MM, "612", Fraction(1, 2)),
        (Score.ONE_IL, "651", Fraction(8, 20)),
        (Score.ALL, "60125", Fraction(9, 10)),
    ],
)
def test_example_1_dropped(score: Score, order: str, share: Fraction) -> None:
    """MM/IL drops 5, then 1, beside 6: 8 of 20 cells; MM alone 0.5; 1/IL as MM/IL; all public items hold 0.9."""
    problem = example_1()
    solution = Greedy(score=score).solve(problem)
    assert dropped(problem, solution) == list(order)
    assert distortion(problem, solution.suppression) == share
    assert problem.losses.sum() == 20


def test_example_1_steps() -> None:
    """Dropping 5 hits two of the three moles, dropping 1 the one that is left."""
    steps = Greedy().solve(example_1()).steps
    assert [(step.item, step.moles, step.left) for step in steps] == [(5, 2, 1), (1, 1, 0)]


def test_example_1_optimum() -> None:
    """8 cells of 20 are the exact optimum: by looking at all ways, and proven."""
    problem = example_1()
    assert plain.optimum(raw_of(problem)) == 8
    pytest.importorskip("highspy", reason="the extra `optimal` is not installed")
    solution = Optimum().solve(problem)
    assert (sorted(dropped(problem, solution)), solution.proven, solution.bound) == (["1", "5", "6"], True, 8)


# ── Example 2 ────────────────────────────────────────────────────────────────────────────────────

DIAGNOSES = ("Diabetes", "HIV", "Hepatitis")
PEOPLE = (
    ("acdfg", "Diabetes"),
    ("abcf", "Hepatitis"),
    ("bdfx", "Hepatitis"),
    ("bcgyz", "HIV"),
    ("acfg", "HIV"),
)


def example_2() -> SuppressionProblem:
    """The paper's five people; h = 0.8, k = 2, p = 2."""
    return problem_of([[*items, diagnosis] for items, diagnosis in PEOPLE], DIAGNOSES, h="0.8", k=2)


@pytest.mark.parametrize("engine", ENGINES)
def test_example_2_moles(engine: type | None) -> None:
    """x, y and z are moles alone, seven pairs are minimal ones."""
    assert moles(example_2(), engine) == ["x", "y", "z", "ab", "ad", "bd", "bf", "bg", "cd", "dg"]


def test_example_2_kinds() -> None:
    """Only {b,f}, two people who both have hepatitis, is no rare one: all others are in one transaction."""
    problem = example_2()
    kinds = [rare for _, rare in plain.told(mine(problem))]
    assert [name for name, rare in zip(moles(problem), kinds, strict=True) if not rare] == ["bf"]


def test_example_2_scores() -> None:
    """MM and IL of the items: d (4,2), b (4,3), a and g (2,3), f and c (1,4)."""
    problem = example_2()
    raw = raw_of(problem)
    inside = plain.scores(raw.less(plain.singles(raw)), "mm")
    table = {problem.database.names[item]: (int(count), raw.loss(item)) for item, count in inside.items()}
    assert table == {"d": (4, 2), "b": (4, 3), "a": (2, 3), "g": (2, 3), "f": (1, 4), "c": (1, 4)}


def test_example_2_dropped() -> None:
    """Beside x, y and z, d is dropped first and then b: 8 of 27 cells."""
    problem = example_2()
    solution = Greedy().solve(problem)
    assert dropped(problem, solution) == list("xyzdb")
    assert [(step.moles, step.left) for step in solution.steps] == [(4, 3), (3, 0)]
    assert distortion(problem, solution.suppression) == Fraction(8, 27)


def test_example_2_known_one_by_one() -> None:
    """An attacker who knows one item is stopped by dropping x, y and z."""
    problem = with_p(example_2(), 1)
    assert moles(problem) == list("xyz")
    assert dropped(problem, Greedy().solve(problem)) == list("xyz")


# ── Witnesses ────────────────────────────────────────────────────────────────────────────────────

#: Two items that nobody has both of.
APART = (["0"], ["0"], ["1"], ["1"])

#: A private item in three of four transactions; no public item tells more than h = 0.5.
COMMON = (["s"], ["s"], ["a", "s"], ["a"])


def test_a_set_that_never_occurs_is_no_mole() -> None:
    """{0}, {0}, {1}, {1} is coherent for k = 2 and p = 2: nobody is found by the pair."""
    problem = problem_of(APART, (), h="0.5", k=2)
    assert moles(problem) == []
    assert dropped(problem, Greedy().solve(problem)) == []


def test_a_private_item_that_most_have_cannot_be_hidden() -> None:
    """With a private item in 3 of 4 transactions and h = 0.5 there is no release, whatever is dropped."""
    problem = problem_of(COMMON, ("s",), h="0.5", k=2)
    assert [problem.database.names[item] for item in responsible(problem).tolist()] == ["s"]
    for algorithm in (Greedy(), Greedy(score=Score.ALL)):
        with pytest.raises(InfeasibleError):
            algorithm.solve(problem)


# ── The published program ────────────────────────────────────────────────────────────────────────


def test_it_counts_sets_that_never_occur() -> None:
    """Asking of every pair for k transactions it has to drop half of the witness, though nobody can know the pair."""
    problem = problem_of(APART, (), h="0.5", k=2)
    raw = raw_of(problem)
    theirs = [pair for pair in combinations(sorted(raw.public), 2) if raw.support(frozenset(pair)) < raw.k]
    assert theirs == [(0, 1)]
    assert [plain.distortion(raw, {item}) for item in theirs[0]] == [Fraction(1, 2)] * 2
    assert distortion(problem, Greedy().solve(problem).suppression) == 0


def test_it_never_looks_at_the_empty_set() -> None:
    """Looking at sets of one item and more it finds nothing to do where three of four share a diagnosis."""
    problem = problem_of(COMMON, ("s",), h="0.5", k=2)
    assert plain.all_moles(raw_of(problem)) == []
    assert not plain.is_coherent(raw_of(problem))


def test_it_ignores_what_the_attacker_knows() -> None:
    """With one p for all, whatever is asked, the five people have one answer; the true ones differ."""
    problem = example_2()
    answers = {p: dropped(problem, Greedy().solve(with_p(problem, p))) for p in (1, 2)}
    assert answers == {1: list("xyz"), 2: list("xyzdb")}


def test_it_overwrites_k() -> None:
    """The distortion of example 1 rises with k; with one k for all it is flat, and wrong at three points or more."""
    problems = [example_1(k=k) for k in range(1, 6)]
    curve = [distortion(problem, Greedy().solve(problem).suppression) for problem in problems]
    assert curve == [Fraction(cells, 20) for cells in (3, 4, 8, 8, 13)]
    assert all(sum(share != flat for share in curve) >= 3 for flat in curve)


def test_it_loses_the_first_transaction() -> None:
    """Without the first row of example 1, taken for a header, 5 and 0 are dropped; six rows are not coherent then."""
    whole, rest = example_1(), example_1(rows=MATRIX[1:])
    names = dropped(rest, Greedy().solve(rest))
    assert names == ["5", "0"]
    assert not plain.is_coherent(raw_of(whole).less(map(int, names)))
