"""Sweeps over transaction databases: what is asked, what is answered, and what is said where there is no answer."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import count, product
from typing import TYPE_CHECKING, Never

import numpy as np
import pytest

from kohort.errors import LimitError, UsageError
from kohort.job.sweeps.frame import Ending
from kohort.schema.numbers import said
from kohort.transactions import sweep as sweeps
from kohort.transactions.database import Transactions
from kohort.transactions.moles import mine
from kohort.transactions.pipeline import problem_of
from kohort.transactions.problem import distortion, is_feasible
from kohort.transactions.roles import Draw, Drawn, Listed
from kohort.transactions.sweep import METHODS, SCORES, Plan, Summary, problem_at, sweep
from kohort.transactions.sweep_figures import notes
from tests.unit.transactions.sweeps import DENSE, DISEASES, PAPER, drawn, job, made

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.transactions.problem import Moles, SuppressionProblem


def test_the_paper_s_example_costs_what_it_says() -> None:
    """With p = 2 it loses 8/27, with p = 1 the items that are moles alone; its listed roles need no seed."""
    found = sweep(PAPER, Plan.of(job(), "p", [1, 2], methods=["mmil"]))
    assert [(one.values, one.dropped, one.distortion) for one in found.points] == [
        (("1", "", "mmil"), 3, Fraction(3, 27)),
        (("2", "", "mmil"), 5, Fraction(8, 27)),
    ]
    assert [one.moles for one in found.points] == [(3,), (3, 7)]
    assert (found.records, found.items, found.removed, found.status) == (5, 12, 0, 0)


@pytest.mark.parametrize(
    ("vary", "values"),
    [("k", ["2", "3", "4"]), ("p", ["1", "2", "3"]), ("h", ["1/2", "0.6", "0.9"]), ("delta", ["0.4", "0.6", "0.8"])],
)
def test_a_sweep_answers_what_each_method_alone_would(vary: str, values: Sequence[str]) -> None:
    """Sharing moles changes nothing: every row is what the method answers when it is asked the same alone."""
    methods = (*SCORES, "give-back", "cells")
    plan = Plan.of(job("0.6", roles=drawn()), vary, values, methods=methods, seeds=(1, 4))
    rows = iter(sweep(DENSE, plan).points)
    for run, method in product(plan.runs(), methods):
        problem, row = problem_at(DENSE, plan, run), next(rows)
        assert row.values == (said(run.value), str(run.seed), method)
        assert (row.ending is Ending.FOUND) == is_feasible(problem)
        if is_feasible(problem):
            assert row.distortion == distortion(problem, METHODS[method].solve(problem).suppression)
    assert next(rows, None) is None


def test_moles_are_mined_once_for_all_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    """A point is mined once, however many methods answer."""
    mined = count()

    def counting(problem: SuppressionProblem) -> Moles:
        next(mined)
        return mine(problem)

    monkeypatch.setattr(sweeps, "mine", counting)
    sweep(PAPER, Plan.of(job(), "k", [1, 2]))
    assert next(mined) == 2


def test_what_is_infeasible_is_told_and_in_no_mean() -> None:
    """A private item in three of four transactions has no release up to h = 1/2: four rows say so, no mean has them."""
    baskets = Transactions.of(["ax", "ax", "bx", "b"])
    found = sweep(baskets, Plan.of(job(roles=Listed(private=("x",))), "h", ["0.5", "0.75"], methods=["mmil", "all"]))
    assert [one.ending for one in found.points] == [Ending.INFEASIBLE] * 2 + [Ending.FOUND] * 2
    assert [one.distortion is None for one in found.points] == [True, True, False, False]
    assert [one.mean for one in found.summaries()][:2] == [None, None]
    [sentence] = notes(found)
    assert sentence.startswith("Infeasible, and in no mean: every method at h = 0.5. At the first, 1 private item")
    assert found.status == 0


def test_a_sweep_without_any_answer_has_the_status_of_its_obstacle() -> None:
    """All infeasible is status 4, all stopped at the limit of memory 8; the rows say which."""
    nothing = sweep(PAPER, Plan.of(job(), "k", [6, 7], methods=["mmil"]))
    assert nothing.status == 4
    small = sweep(PAPER, Plan.of(replace(job(), most=1), "k", [2, 3], methods=["mmil", "all"]))
    assert {one.ending for one in small.points} == {Ending.LIMIT}
    assert small.status == 8


def test_a_method_that_needs_too_much_leaves_the_others_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where one method reaches the limit, only its own rows say so."""

    class Hungry:
        def suppress(self, *_: object) -> Never:
            raise LimitError("too many sets")

    monkeypatch.setattr(sweeps, "METHODS", {**METHODS, "cells": Hungry()})
    found = sweep(PAPER, Plan.of(job(), "k", [2], methods=["mmil", "cells"]))
    assert [one.ending for one in found.points] == [Ending.FOUND, Ending.LIMIT]
    assert notes(found)[0] == "Memory limit reached, and in no mean: cells at k = 2. At the first, too many sets."


def test_too_few_items_to_draw_from_are_told() -> None:
    """Where the roles cannot be drawn, that is infeasible, too."""
    found = sweep(DENSE, Plan.of(job("0.1", roles=drawn()), "k", [2], seeds=[1]))
    assert {one.ending for one in found.points} == {Ending.INFEASIBLE}
    assert "private" in found.points[0].why


def test_a_seed_has_the_same_roles_at_every_h() -> None:
    """Roles are drawn for the least h, so that the curve shows what h costs and not other roles."""
    plan = Plan.of(job("0.6", roles=drawn()), "h", ["0.5", "0.9"], seeds=(1, 2, 3))
    problems = [problem_at(DENSE, plan, run) for run in plan.runs()]
    for low, high in zip(problems[:3], problems[3:], strict=True):
        assert np.array_equal(low.roles.private, high.roles.private)
        assert high.coherence.h == Fraction(9, 10)
    at_high = problem_of(DENSE, next(run.job for run in plan.runs() if run.value == Fraction(9, 10)))
    assert at_high.roles.private.any()


def test_distortion_does_not_grow_with_h() -> None:
    """What is coherent for an h is so for a larger one: the minimal loss never grows, seed by seed."""
    plan = Plan.of(job(roles=drawn()), "h", ["0.5", "0.6", "0.8", "1"], methods=["optimal"], seeds=(1, 2, 3, 4))
    pytest.importorskip("highspy", reason="the optimum needs the extra kohort[optimal]")
    losses: dict[object, list[Fraction]] = {}
    for one in sweep(DENSE, plan).points:
        if one.distortion is not None:
            losses.setdefault(one.values[1], []).append(one.distortion)
    assert losses
    assert all(found == sorted(found, reverse=True) for found in losses.values())


def test_rare_items_are_removed_first() -> None:
    """Items below the minimum support are in no distortion, and their number is told."""
    found = sweep(PAPER, Plan.of(replace(job(), min_support=Fraction(2, 5)), "p", [1], methods=["mmil"]))
    assert (found.items, found.removed) == (8, 4)
    assert found.points[0].distortion == 0


def test_cells_leave_items_in_some_transactions() -> None:
    """Local suppression loses no more than dropping; an item counts as dropped only where it is left nowhere."""
    plan = Plan.of(job("1", p=2, roles=Listed()), "k", [2], methods=["give-back", "cells"])
    items, cells = sweep(PAPER, plan).points
    assert cells.distortion is not None
    assert items.distortion is not None
    assert cells.distortion <= items.distortion
    assert (cells.dropped or 0) <= (items.dropped or 0)


def test_seconds_are_told_only_by_a_clock() -> None:
    """Without a clock equal sweeps are equal; with one, mining counts for every method."""
    plan = Plan.of(job(), "p", [2], methods=["mmil", "mm"])
    assert sweep(PAPER, plan).points == sweep(PAPER, plan).points
    ticks = count()
    told = sweep(PAPER, plan, clock=lambda: float(next(ticks)))
    assert [one.seconds for one in told.points] == [2, 2]


def test_stages_are_told() -> None:
    """Whoever waits hears which point is being answered, with its seed where there is one."""
    heard: list[str] = []
    sweep(PAPER, Plan.of(job(), "k", [2], methods=["all"]), on_progress=heard.append)
    sweep(DENSE, Plan.of(job(roles=drawn()), "h", ["2/3"], methods=["all"], seeds=[5]), on_progress=heard.append)
    assert heard == ["k = 2", "h = 2/3, seed 5"]


def test_means_are_exact_and_spread_is_of_a_sample() -> None:
    """The mean of thirds is a third; the deviation is of a sample; one run has none."""
    summary = Summary("2", "mm", tuple(Fraction(n, 3) for n in (0, 1, 2)), 4)
    assert summary.mean == Fraction(1, 3)
    assert summary.deviation == pytest.approx(1 / 3)
    alone = Summary("2", "mm", (Fraction(1, 7),), 1)
    assert (alone.mean, alone.deviation) == (Fraction(1, 7), None)
    assert Summary("2", "mm", (), 3).deviation is None


def test_means_leave_out_what_had_no_answer() -> None:
    """Of three seeds, one infeasible, the mean is over two; methods that fared differently are told apart."""
    found = made("0.1", "0.2", "0.3", None, None, None, values=1)
    assert [one.distortions for one in found.summaries()] == [(Fraction("0.1"), Fraction("0.3")), (Fraction("0.2"),)]
    assert [one.split(": ")[1].split(". ")[0] for one in notes(found)] == [
        "mmil at k = 2 (1 of 3 runs)",
        "mm at k = 2 (2 of 3 runs)",
    ]


@pytest.mark.parametrize(
    ("vary", "values", "more", "where"),
    [
        ("q", [1], {}, "vary"),
        ("k", [], {}, "vary"),
        ("k", [5, "5"], {}, "vary"),
        ("k", ["many"], {}, "vary"),
        ("h", ["1/0"], {}, "vary"),
        ("k", [0], {}, "k"),
        ("k", ["2.5"], {}, "k"),
        ("p", ["3/2"], {}, "p"),
        ("h", ["1.5"], {}, "h"),
        ("delta", ["0"], {}, "delta"),
        ("delta", ["1.1"], {}, "delta"),
        ("k", [2], {"methods": ["mmil", "best"]}, "methods"),
        ("k", [2], {"methods": []}, "methods"),
        ("k", [2], {"methods": ["mm", "mm"]}, "methods"),
        ("k", [2], {"seeds": []}, "seeds"),
        ("k", [2], {"seeds": [1, 1]}, "seeds"),
        ("k", [2], {"seeds": [-1]}, "seed"),
    ],
)
def test_what_cannot_be_swept_is_refused_with_its_place(
    vary: str, values: list[str], more: dict[str, list[str]], where: str
) -> None:
    """Nothing to vary, a value out of its range or twice, and unknown methods are refused before any work."""
    with pytest.raises(UsageError) as fault:
        Plan.of(job(roles=drawn()), vary, values, **more)  # type: ignore[arg-type]  # as whoever has no type checker
    assert fault.value.where == where


def test_delta_is_varied_only_where_roles_are_drawn() -> None:
    """Listed roles have no share of public items to vary."""
    with pytest.raises(UsageError, match="drawn"):
        Plan.of(job(), "delta", ["0.5"])


def test_values_are_sorted_and_seeds_repeat_each() -> None:
    """Points go value by value, ascending, and seed by seed; each job has its own value and seed."""
    runs = list(Plan.of(job(roles=drawn()), "delta", ["0.8", "0.2"], seeds=[7, 3]).runs())
    assert [(said(run.value), run.seed) for run in runs] == [("0.2", 7), ("0.2", 3), ("0.8", 7), ("0.8", 3)]
    assert [run.job.roles for run in runs] == [Drawn(delta=run.value, seed=run.seed or 0) for run in runs]
    [run] = Plan.of(job(roles=Drawn(delta=Fraction(1), draw=Draw.PAPER)), "k", [9], seeds=[0]).runs()
    assert (run.job.coherence.k, run.job.coherence.h) == (9, Fraction(4, 5))
    assert [run.job.roles for run in Plan.of(job(), "k", [2, 3]).runs()] == [DISEASES] * 2


def test_a_database_has_no_density() -> None:
    """What only generated matrices have cannot be varied of others."""
    with pytest.raises(UsageError, match="density can be varied only of generated matrices"):
        Plan.of(job(), "density", ["0.1"])
