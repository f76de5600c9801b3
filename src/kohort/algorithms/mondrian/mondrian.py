"""Mondrian: cut the table again and again in two, as long as both parts satisfy the privacy models.

LeFevre, DeWitt, Ramakrishnan: Mondrian Multidimensional K-Anonymity (ICDE 2006). The records are points in the space
of the quasi-identifiers; a partition's region is the smallest box around its records. The paper leaves choices open;
kohort's are these.

**Where a partition is cut.** The dimensions are tried widest first: width in the partition over width in the whole
table, times the attribute's weight, compared exactly; ties go to the attribute that comes first in the schema; a
dimension of width 0 is never tried. Widths are those of the values, not of their ranks. Other choices are that of most
distinct values, times the weight, and a seeded random one (`dimension`).

**Strict cuts** part the values: {≤ v} and {> v}. A cut is allowable if both sides satisfy all models. `nearest` takes
the allowable cut that minimises |2·#{≤ v} - n|, ties to the smaller v, in the first dimension that has one: a
partition is a leaf if and only if no dimension has an allowable cut. `median`, the textbook form, tries in each
dimension only v = the lower median, the value of record (n - 1) // 2 in ascending order. `loss`, which is not the
paper's, takes of all allowable cuts of all dimensions the one after which the labels lose least; see `by_loss`.

**Relaxed cuts** may part equal values: the left side gets {< m} and as many of {= m} as make it ⌈n/2⌉ records, m
being the lower median. The dealt records are taken in proportion from each combination of sensitive values (largest
remainder, ties to the smaller value), of each the lexicographically smallest tuples: never by the order of the rows.
With `nearest` and `loss`, strict cuts come first and only a partition without an allowable one is dealt;
with `median`, the textbook form, every cut is. A dealt cut is judged by the models like any other, and the next
dimension is tried where it fails. Nothing is dealt where a model compares classes with a population (delta-presence):
equal records fit the same people, so that classes on either side may be released as one, which satisfies nothing then.

Invariant: the partitions on the way and the leaves found cover every record once, and each satisfies all models;
the table as a whole does at the start, or there is no release. For k-anonymity alone and strict nearest cuts no leaf
has more than 2d(k - 1) + m records, m being the count of its most frequent tuple (the paper's theorem 2); with
relaxed cuts no leaf of differing tuples has 2k or more.

Cost: O(d · t) a level of the tree, of which there are about log2(n/k). Where every model is a bound on size alone,
a compiled loop does the strict cuts, some 0.3 s per million near-unique tuples of 8 dimensions at k = 5. Other models
are asked about many partitions' cuts at once, between two compiled loops, for two to four times that. Where a
population is known, and for dealt cuts, each side of a cut is counted by itself: some hundred times as long.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from kohort.algorithms.method import CUT, DIMENSION, Method
from kohort.algorithms.mondrian.dimension import WIDEST, AtRandom, MostValues, Widest
from kohort.algorithms.mondrian.forest import Forest, require_together
from kohort.algorithms.mondrian.sizes import rule_for, strict_by_size
from kohort.algorithms.mondrian.space import Cut, Space
from kohort.algorithms.problem import Solution
from kohort.errors import InfeasibleError
from kohort.models.k_anonymity import k_of
from kohort.specification import Specification

if TYPE_CHECKING:
    from kohort.algorithms.method import Choices
    from kohort.algorithms.problem import Problem
    from kohort.arrays import Mask

__all__ = ["Cut", "Mondrian"]


@dataclass(frozen=True, slots=True)
class Mondrian:
    """Mondrian with its options.

    Attributes:
        cut: `nearest`, `median` or `loss`.
        relaxed: whether equal values may be divided.
        dimension: the dimension that is cut first; `None` for the widest.

    >>> Mondrian(relaxed=True).name
    'mondrian-relaxed'
    """

    cut: Cut = "nearest"
    relaxed: bool = False
    dimension: MostValues | AtRandom | None = None
    full_domain = False
    limit = None
    objective = None

    @property
    def name(self) -> str:
        """As on the command line."""
        return "mondrian-relaxed" if self.relaxed else "mondrian"

    @property
    def distinct(self) -> bool:
        """Dealing equal records needs them as one tuple; strict cuts never part them."""
        return self.relaxed

    @property
    def each_tuple(self) -> int:
        """Bytes of the workspace that it takes at most for each tuple, besides copies of the codes."""
        return 80 if self.cut == "loss" else 0

    def solve(self, problem: Problem) -> Solution:
        """Cut the table down to leaves; regions are numbered left before right.

        Raises:
            InfeasibleError: the table as a whole does not satisfy the models.
        """
        space = Space.of(problem, self.cut, relaxed=self.relaxed, dimension=self.dimension or WIDEST)
        require_feasible(problem, space)
        forest = self.forest(problem, space)
        require_together(problem, forest.recoding)
        leaves = forest.depths.size
        return Solution(forest.recoding, {"cuts": leaves - 1, "leaves": leaves, "depth": int(forest.depths.max())})

    def forest(self, problem: Problem, space: Space) -> Forest:
        """The leaves of a table, or of a part of one, in the space of the whole table."""
        if self.cut == "loss":
            from kohort.algorithms.mondrian.by_loss import ByLoss  # noqa: PLC0415  for these cuts alone

            by_loss = ByLoss.of(problem, space)
            (forest, unfinished), split = by_loss.forest(problem), by_loss.split
        else:
            (forest, unfinished), split = self._strictly(problem, space), None
        return forest.grow(unfinished, problem, partial(space.carve, split=split))

    def _strictly(self, problem: Problem, space: Space) -> tuple[Forest, Mask]:
        """As far as compiled strict cuts lead, and which leaves are not finished: the whole table, without any."""
        frequency, models = problem.frequency, problem.models
        nearest = self.cut == "nearest"
        rule = rule_for(space.positions, space.factors, space.least, nearest=nearest, dimension=space.dimension)
        if rule is None or not space.strict or problem.population is not None:
            return Forest.uncut(frequency, problem.workspace), np.ones(1, np.bool_)
        if frequency.people is None and all(model.declared.size_only for model in models):
            forest = strict_by_size(frequency, rule, problem.threads, problem.workspace)
        else:
            from kohort.algorithms.mondrian.waves import strict_by_profile  # noqa: PLC0415  for other models than k

            forest = strict_by_profile(frequency, rule, models, problem.threads, problem.workspace)
        if not self.relaxed:
            return forest, np.zeros(forest.depths.size, np.bool_)
        recoding = forest.recoding
        records = np.bincount(recoding.regions, weights=recoding.counts)
        return forest, (records >= 2 * space.least) & (recoding.low != recoding.high).any(axis=1)


def _described(key: str, title: str, sentence: str) -> Specification:
    return Specification(
        key=key,
        title=title,
        sentence=sentence,
        parameters=(CUT, DIMENSION),
        properties={"proven": "never: each cut is the best of its own partition, not of the table"},
    )


STRICT = Method(
    _described("mondrian", "Mondrian", "Cuts the table in two, again and again, between values (LeFevre et al. 2006)."),
    lambda choices: _chosen(choices, relaxed=False),
)

RELAXED = Method(
    _described(
        "mondrian-relaxed",
        "Mondrian, relaxed",
        "Like Mondrian, but also separates records with equal values where no other cut is left.",
    ),
    lambda choices: _chosen(choices, relaxed=True),
)


def _chosen(choices: Choices, *, relaxed: bool) -> Mondrian:
    """The algorithm; the widest dimension is what it tries first anyway, and cuts by loss have no first dimension."""
    dimension = None if isinstance(choices.dimension, Widest) else choices.dimension
    usual: Cut = "nearest" if relaxed or choices.dimension is not None else "loss"
    return Mondrian(choices.cut or usual, relaxed=relaxed, dimension=dimension)


def require_feasible(problem: Problem, space: Space) -> None:
    """Refuse a table that fails a model as a whole."""
    frequency = problem.frequency
    whole = space.profile(frequency, problem.population)
    failing = [model.name for model in problem.models if not model.satisfied(whole).all()]
    if failing:
        least, most = k_of(problem.models) or 0, int(whole.sizes.min())
        raise InfeasibleError(
            f"the whole table, {frequency.records} records, does not satisfy {' and '.join(failing)}",
            hint=f"ask for k = {most:,} at most, or add records"
            if least > most > 1
            else "smaller groups cannot satisfy it either; lower the requirement or add records",
        )
