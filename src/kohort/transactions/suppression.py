"""Greedy suppression of items (Xu, Wang, Fu, Yu, KDD 2008, section 4)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kohort.transactions.problem import Remedy, SuppressionProblem


class Score(StrEnum):
    """What makes an item the next to drop."""

    MMIL = "mmil"
    """The minimal moles that contain it, for each unit of loss: MM/IL."""
    MM = "mm"
    """The minimal moles that contain it."""
    ONE_IL = "1il"
    """The least loss, among items that are in a mole."""
    ALL = "all"
    """Every public item is dropped: the baseline."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Greedy:
    """Drop the item of the highest score until no mole is left.

    Attributes:
        score: What makes an item the next to drop.
        give_back: Whether items that turn out to be dispensable are given back at the end (reverse deletion).
    """

    score: Score = Score.MMIL
    give_back: bool = False

    @property
    def name(self) -> str:
        """The name on the command line."""
        return str(self.score)

    def solve(self, problem: SuppressionProblem) -> Remedy:
        """What to suppress."""
        raise NotImplementedError(problem)
