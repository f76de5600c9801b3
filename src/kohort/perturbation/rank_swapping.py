"""Rank swapping: numbers change places with others of about the same rank.

Moore: Controlled Data-Swapping Techniques for Masking Public Use Microdata Sets (U.S. Bureau of the Census, 1996).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kohort.errors import UsageError
from kohort.native.library import DRAW_PARTNERS
from kohort.perturbation.base import Perturbation
from kohort.schema.numbers import refuse_inexact, said
from kohort.specification import SHARE, Parameter, Specification

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.perturbation.base import Amounts


@dataclass(frozen=True, slots=True)
class RankSwapping(Perturbation):
    """Numbers in the order of their size: each changes places with one at most `share` of all ranks further on.

    From the smallest on, each that has not been swapped yet draws its partner among those within reach that have not
    either; one that finds none stays. The numbers of the column stay the same, and with them all its statistics.

    Attributes:
        column: The column to change.
        share: Ranks within reach, as a share of the records that have a value.

    >>> import numpy as np
    >>> made, = RankSwapping("age", Fraction(1, 4)).perturb([np.arange(8.0)], [np.random.default_rng(2)])
    >>> made.tolist()
    [1.0, 0.0, 4.0, 5.0, 2.0, 3.0, 7.0, 6.0]
    """

    specification: ClassVar[Specification] = Specification(
        key="rank-swapping",
        title="Rank swapping",
        technique="randomization: permutation",
        sentence="Swaps numbers whose ranks lie near each other.",
        outcome="rank-swapped",
        parameters=(
            Parameter("share", SHARE, "how far apart ranks may lie, as a share of the records.", (Fraction(1, 20),)),
        ),
        not_promised="Every released number is somebody's true number.",
        properties={"keeps_moments": "the same numbers are there, in other records"},
    )

    column: str
    share: Fraction = Fraction(1, 20)

    def __post_init__(self) -> None:
        """Refuse a share that is none."""
        refuse_inexact(self.share, "share")
        if not 0 < self.share <= 1:
            raise UsageError("a share of ranks is above 0 and at most 1", where="share", hint="0.05 is a twentieth")

    @property
    def columns(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,)

    @property
    def name(self) -> str:
        """With its reach."""
        return f"rank swapping within {said(Fraction(self.share))} of the ranks"

    def check(self, amounts: Sequence[Amounts], step: float) -> None:  # noqa: ARG002  no number is rounded
        """Refuse a reach of less than one rank: nothing would be swapped."""
        records = amounts[0].size
        if records > 1 and self._reach(records) < 1:
            raise UsageError(
                f"of {records:,} records this share is less than one rank, so that nothing would be swapped",
                where=f"column {self.column}",
                hint=f"choose a share of at least {said(Fraction(1, records))}",
            )

    def perturb(self, amounts: Sequence[Amounts], streams: Sequence[np.random.Generator]) -> list[Amounts]:
        """The column with its numbers swapped."""
        numbers, records = amounts[0], amounts[0].size
        order = np.argsort(numbers, kind="stable")
        partners, room = np.empty(records, np.int64), np.empty(records + 1, np.int64)
        DRAW_PARTNERS(partners, room, streams[0].random(records), self._reach(records))
        made = np.empty_like(numbers)
        made[order] = numbers[order[partners]]
        return [made]

    def _reach(self, records: int) -> int:
        return int(self.share * records)
