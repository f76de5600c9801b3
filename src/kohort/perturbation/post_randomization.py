"""Post-randomization (PRAM): names are kept with a probability, or drawn anew.

Gouweleeuw, Kooiman, Willenborg, de Wolf: Post Randomisation for Statistical Disclosure Control: Theory and
Implementation (Journal of Official Statistics, 1998).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from kohort.errors import UsageError
from kohort.perturbation.base import Perturbation
from kohort.schema.numbers import refuse_inexact, said
from kohort.specification import SHARE, Parameter, Specification

if TYPE_CHECKING:
    from kohort.arrays import Counts, Index, Shares


@dataclass(frozen=True, slots=True)
class PostRandomization(Perturbation):
    """Each name stays with probability `keep`; otherwise one is drawn by frequency, possibly the same.

    This form is invariant: the expected count of every name is its original count.

    Attributes:
        column: The column to change.
        keep: The probability that nothing is drawn.

    >>> import numpy as np
    >>> seldom = PostRandomization("job", Fraction(1, 10))
    >>> seldom.redraw(np.array([0, 0, 1, 2]), np.array([2, 1, 1]), np.random.default_rng(5)).tolist()
    [1, 2, 1, 2]
    """

    specification: ClassVar[Specification] = Specification(
        key="post-randomization",
        title="Post-randomization",
        technique="randomization",
        sentence="Draws new names for some cells, so that each name stays about as frequent.",
        outcome="post-randomized",
        parameters=(Parameter("keep", SHARE, "the chance that a cell stays as it is.", (Fraction(4, 5),)),),
        not_promised="A name that is rare stays rare.",
        properties={"random": "each cell is drawn by itself"},
    )

    column: str
    keep: Fraction = Fraction(8, 10)

    def __post_init__(self) -> None:
        """Validate the probability, and that values can change."""
        refuse_inexact(self.keep, "keep")
        if not 0 <= self.keep < 1:
            raise UsageError(
                "the probability of keeping a name is at least 0 and below 1", where="keep", hint="such as 0.8"
            )

    @property
    def columns(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,)

    @property
    def name(self) -> str:
        """With its probability."""
        return f"post-randomization that keeps {said(Fraction(self.keep))}"

    @property
    def numeric(self) -> bool:
        """It changes names, numbers too where they are mere names."""
        return False

    def redraw(self, codes: Index, counts: Counts, stream: np.random.Generator) -> Index:
        """The names that stand in their places."""
        drawn = np.searchsorted(np.cumsum(counts), stream.integers(codes.size, size=codes.size), side="right")
        return np.where(stream.random(codes.size) < float(self.keep), codes, drawn)

    def transitions(self, counts: Counts) -> Shares:
        """(v, v) the probability that the one name becomes the other.

        >>> PostRandomization("job", Fraction(1, 2)).transitions(np.array([3, 1])).tolist()
        [[0.875, 0.125], [0.375, 0.625]]
        """
        keep = float(self.keep)
        made: Shares = np.eye(counts.size) * keep + counts / counts.sum() * (1 - keep)
        return made
