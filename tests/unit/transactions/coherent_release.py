"""Example 1 of semantics 4 as a release that somebody else solved: for tests of what is told of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from kohort.transactions.coherence import Coherence
from kohort.transactions.database import Transactions
from kohort.transactions.moles import mine
from kohort.transactions.problem import ItemSuppression, Step, SuppressionProblem, SuppressionSolution
from kohort.transactions.release import TransactionJob, TransactionRelease
from kohort.transactions.roles import Listed
from kohort.transactions.verify import CoherenceVerdict

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS = ["1010001", "1010010", "0110000", "1100010", "1110000", "1111110"]

#: The database: items 0 to 6.
SOURCE = Transactions.of([str(item) for item, cell in enumerate(row) if cell == "1"] for row in ROWS)

JOB = TransactionJob(coherence=Coherence.of(h="0.5", k=3, p=3), roles=Listed(private=("3", "4")))
ROLES = JOB.roles.over(SOURCE, JOB.coherence.h)
PROBLEM = SuppressionProblem(SOURCE, ROLES, JOB.coherence, SOURCE.supports)

#: Dropped in this order: 6 is a mole alone; 5 is in two of three minimal moles, then 1 has the least loss of the rest.
DROPPED = np.array([6, 5, 1], np.int32)
REMEDY = SuppressionSolution(ItemSuppression(DROPPED), mine(PROBLEM), (Step(5, 2, 1), Step(1, 1, 0)), trace={"sets": 9})

VERDICT = CoherenceVerdict(6, 4, 12, 4, 4, (1, 4), "", {})

#: The transactions without 6, 5 and 1, in the order of their content.
LINEAGE = np.array([3, 0, 1, 4, 5, 2])
RELEASED = Transactions.of([["0"], *[["0", "2"]] * 3, ["0", "2", "3", "4"], ["2"]])


def release(**others: object) -> TransactionRelease:
    """The verified release, some of its parts others."""
    parts: dict[str, object] = {
        "job": JOB,
        "source": SOURCE,
        "database": SOURCE,
        "roles": ROLES,
        "solution": REMEDY,
        "released": RELEASED,
        "lineage": LINEAGE,
        "dropped": DROPPED,
        "losses": SOURCE.supports,
        "lost": 8,
        "repeated": 0,
        "seconds": {"read": 0.123456},
        "verdict": VERDICT,
    }
    build = cast("Callable[..., TransactionRelease]", TransactionRelease)
    return build(**(parts | others))
