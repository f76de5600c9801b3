"""Integer programs, solved by HiGHS, a library of solvers (Huangfu and Hall, 2018): the extra `optimal`.

One thread, a fixed seed and, where a search is cut short, a number of nodes: so the same program has the same answer. A
solver's arithmetic is in floating point: whoever asks has to check what it says.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, isfinite
from threading import Lock
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.system import import_optional

if TYPE_CHECKING:
    import highspy

    from kohort.arrays import Counts, Index, Shares

#: What HiGHS lets a row or an unknown miss by; its own default is 1e-6, and less than 1e-10 it does not take.
_TOLERANCE: Final = 1e-9

#: What its bound may err by beyond that, relatively: ten times as much.
_DOUBT: Final = 1e-8

#: One thread and one seed, so that the same program has the same answer; to the end, but losses are whole numbers.
_OPTIONS: Final = (
    ("output_flag", False),
    ("threads", 1),
    ("parallel", "off"),
    ("random_seed", 0),
    ("mip_rel_gap", 0.0),
    ("mip_abs_gap", 0.5),
    ("mip_feasibility_tolerance", _TOLERANCE),
    ("primal_feasibility_tolerance", _TOLERANCE),
    ("dual_feasibility_tolerance", _TOLERANCE),
)


#: Held while a program is solved: highspy refuses a second one at the same time, and a sweep has several threads.
_turn: Final = Lock()


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """Whole unknowns of least cost, of which rows of sums must reach their floors.

    Attributes:
        costs: (u,) whole numbers; what one of each unknown costs.
        most: (u,) the greatest value of each; the least is 0.
        starts: (r + 1,) where each row begins in `index`.
        index: The unknowns of each row.
        factors: What each is multiplied by.
        floors: (r,) what each row's sum is at least.
    """

    costs: Counts
    most: Counts
    starts: Index
    index: Index
    factors: Counts
    floors: Counts


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """What a solver says, to be checked.

    Attributes:
        values: (u,) the unknowns, not quite whole; empty where it found none.
        bound: The whole cost that no solution goes below.
        nodes: The nodes of its search.
    """

    values: Shares
    bound: int
    nodes: int


def refuse_missing() -> None:
    """Refuse to go on where the library is not installed."""
    import_optional("highspy", "to prove an optimum", "optimal")


def solve(program: Program, start: Counts, *, seconds: float | None = None, most_nodes: int | None = None) -> Answer:
    """The best solution found, beginning with `start`, in so many seconds or nodes of the search."""
    solver = _solver(program)
    if seconds is not None:
        solver.setOptionValue("time_limit", seconds)
    if most_nodes is not None:
        solver.setOptionValue("mip_max_nodes", most_nodes)
    solver.setSolution(start.size, np.arange(start.size, dtype=np.int32), start.astype(np.float64))
    with _turn:
        _run(solver)
    info, values = solver.getInfo(), np.array(solver.getSolution().col_value)
    floor = info.mip_dual_bound if isfinite(info.mip_dual_bound) else 0.0
    bound = max(ceil(floor - _DOUBT * (1 + abs(floor))), 0)
    return Answer(values, bound, max(int(info.mip_node_count), 0))


def _solver(asked: Program) -> highspy.Highs:
    import highspy  # noqa: PLC0415  an extra, and slow to import

    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = asked.costs.size, asked.floors.size
    program.col_cost_ = asked.costs.astype(np.float64)
    program.col_lower_, program.col_upper_ = np.zeros(asked.costs.size), asked.most.astype(np.float64)
    program.row_lower_, program.row_upper_ = (
        asked.floors.astype(np.float64),
        np.full(asked.floors.size, highspy.kHighsInf),
    )
    program.integrality_ = [highspy.HighsVarType.kInteger] * asked.costs.size
    matrix = program.a_matrix_
    matrix.format_ = highspy.MatrixFormat.kRowwise
    matrix.start_, matrix.index_ = asked.starts.astype(np.int32), asked.index.astype(np.int32)
    matrix.value_ = asked.factors.astype(np.float64)
    solver = highspy.Highs()  # type: ignore[no-untyped-call]  # its initializer says not what it returns
    for option, value in _OPTIONS:
        solver.setOptionValue(option, value)
    solver.passModel(program)
    return solver


def _run(solver: highspy.Highs) -> None:
    """Run to the end, in a thread of its own: so Ctrl-C or a signal ends it at once, and is then passed on."""
    solver.resetGlobalScheduler(False)  # noqa: FBT003  or else threads = 1 is refused after a run with more
    solver.HandleUserInterrupt = True
    solver.startSolve()
    try:
        solver.wait()  # not the thread's own `join`: once interrupted, it takes a running thread for an ended one
    except BaseException:
        solver.cancelSolve()  # type: ignore[no-untyped-call]  # the same
        solver.wait()
        raise
