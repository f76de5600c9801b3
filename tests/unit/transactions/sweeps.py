"""Sweeps made by hand, and the paper's examples as databases."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from kohort.job.sweeps.frame import Ending
from kohort.transactions.coherence import Coherence
from kohort.transactions.database import Transactions
from kohort.transactions.release import TransactionJob
from kohort.transactions.roles import Drawn, Listed
from kohort.transactions.sweep import Outcome, Plan, TransactionSweep

#: Example 2 of Xu, Wang, Fu and Yu (KDD 2008); 1, 2 and 3 are its diseases.
PAPER = Transactions.of(["acdfg1", "abcf2", "bdfx2", "bcgyz3", "acfg3"])
DISEASES = Listed(private=("1", "2", "3"))

#: Twelve transactions over eight items, no two alike.
DENSE = Transactions.of(
    ["abcd", "abce", "abdf", "acdg", "bcdh", "aceg", "bdfh", "abgh", "cdef", "aefg", "bcfh", "degh"]
)


def job(h: str = "0.8", k: int = 2, p: int = 2, roles: Listed | Drawn = DISEASES) -> TransactionJob:
    """What stays as it is."""
    return TransactionJob(coherence=Coherence.of(h=h, k=k, p=p), roles=roles)


def drawn(delta: str = "0.5") -> Drawn:
    """Roles for experiments."""
    return Drawn(delta=Fraction(delta))


def made(
    *shares: str | None, values: int = 3, methods: tuple[str, ...] = ("mmil", "mm"), wide: bool = False
) -> TransactionSweep:
    """A sweep over k with these distortions, a `None` infeasible: value by value, seed by seed, method by method."""
    steps = [2 * 10**power for power in range(values)] if wide else range(2, 2 + values)
    seeds = tuple(range(len(shares) // values // len(methods)))
    plan = Plan.of(job(roles=drawn()), "k", list(steps), methods=methods, seeds=seeds)
    outcomes = tuple(
        Outcome(values=values, moles=(1, 4, 2), dropped=3, distortion=Fraction(share))
        if share is not None
        else Outcome(values=values, ending=Ending.INFEASIBLE, why="too few")
        for values, share in zip(product(*(axis.values for axis in plan.axes)), shares, strict=True)
    )
    return TransactionSweep(plan.axes, 1_000, plan.fixed, outcomes, plan=plan, items=60, removed=0)
