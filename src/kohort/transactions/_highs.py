"""Hitting sets at the least weight by HiGHS, a library of solvers (Huangfu and Hall, 2018): the extra `optimal`."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from math import ceil, isfinite
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.errors import MissingExtraError

if TYPE_CHECKING:
    import highspy

    from kohort.arrays import Counts, Items
    from kohort.transactions._incidence import Incidence

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


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """What a solver says, in floating point: to be checked.

    Attributes:
        items: The items that it drops, ascending.
        bound: The loss that no hitting set goes below.
        nodes: The nodes of its search.
    """

    items: Items
    bound: int
    nodes: int


def refuse_missing() -> None:
    """Refuse to go on where the library is not installed.

    Raises:
        MissingExtraError: it is not.
    """
    try:
        import_module("highspy")
    except ImportError:
        what = "highspy is needed to prove an optimum and is not installed"
        raise MissingExtraError(what, hint="pip install 'kohort[optimal]'") from None


def solved(sets: Incidence, losses: Counts, start: Items, time_limit: float | None) -> Answer:
    """The hitting set of least loss that is found in so many seconds, beginning with `start`."""
    items = np.flatnonzero(sets.degrees).astype(np.int32)
    if not items.size:
        return Answer(items, 0, 0)
    unit = int(np.gcd.reduce(losses[items]))
    solver = _solver(sets, items, losses[items] // unit, time_limit)
    solver.setSolution(items.size, np.arange(items.size, dtype=np.int32), np.isin(items, start).astype(np.float64))
    _run(solver)
    info, values = solver.getInfo(), np.array(solver.getSolution().col_value)
    floor = info.mip_dual_bound if isfinite(info.mip_dual_bound) else 0.0
    bound = max(ceil(floor - _DOUBT * (1 + abs(floor))), 0) * unit
    chosen = items[values > 1 / 2] if values.size else items[:0]
    return Answer(chosen, bound, max(int(info.mip_node_count), 0))


def _solver(sets: Incidence, items: Items, costs: Counts, time_limit: float | None) -> highspy.Highs:
    """A solver that knows the program: an unknown of 0 or 1 for each item, a row for each set that has to be hit."""
    import highspy  # noqa: PLC0415  an extra, and slow to import

    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = items.size, len(sets)
    program.col_cost_ = costs.astype(np.float64)
    program.col_lower_, program.col_upper_ = np.zeros(items.size), np.ones(items.size)
    program.row_lower_, program.row_upper_ = np.ones(len(sets)), np.full(len(sets), highspy.kHighsInf)
    program.integrality_ = [highspy.HighsVarType.kInteger] * items.size
    matrix = program.a_matrix_
    matrix.format_ = highspy.MatrixFormat.kRowwise
    matrix.start_, matrix.index_ = sets.starts.astype(np.int32), np.searchsorted(items, sets.items).astype(np.int32)
    matrix.value_ = np.ones(sets.items.size)
    solver = highspy.Highs()  # type: ignore[no-untyped-call]  # its initializer says not what it returns
    for option, value in _OPTIONS:
        solver.setOptionValue(option, value)
    if time_limit is not None:
        solver.setOptionValue("time_limit", time_limit)
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
