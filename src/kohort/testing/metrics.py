"""`check_metric`: whether what a metric declares of itself is true, as far as random toy tables tell."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isclose, isfinite
from typing import TYPE_CHECKING

import numpy as np

from kohort.algorithms.lattice.judge import NodeEvaluator, full_domain
from kohort.core.recoding import FullDomain, classes_of
from kohort.metrics.base import Detail, counting
from kohort.metrics.known import metric_of
from kohort.testing.problems import draw_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from kohort.algorithms.problem import Problem
    from kohort.arrays import Counts, Mask
    from kohort.core.lattice import Node
    from kohort.metrics.base import Metric, Outcome
    from kohort.testing.problems import ToyTable

#: How far, relatively, the rounding of floating point may lead.
_ROUNDING = 1e-9


class WrongMetricError(AssertionError):
    """A metric is not what it declares; the toy that shows it is made up and may be printed.

    Attributes:
        law: What does not hold.
        table: The toy.
        node: The level of each of its quasi-identifiers.
    """

    def __init__(self, name: str, law: str, table: ToyTable, node: Node) -> None:
        """Keep the parts, and say them."""
        self.law, self.table, self.node = law, table, node
        super().__init__(f"{name}: {law}, on levels {','.join(map(str, node))}\n{table}")


def check_metric(metric: Metric, *, tables: int = 100, seed: int = 0) -> None:
    """Look for a counter-example to what `metric` declares, on full-domain releases of random toy tables.

    Tried are: that it says what it is, and gives a finite number, the same in whatever order the tuples are;
    `monotone`, for one more level and for suppressed classes, with `size_only` for classes of fewer records than
    others; `surcharge`; `join`; and, of a metric that does not look at classes, that many releases are measured at once
    as they are one by one. Silence is no proof.

    Args:
        metric: Any metric.
        tables: How many toys to draw.
        seed: What to draw them by: equal seeds draw equal toys.

    Raises:
        WrongMetricError: Something declared is not so.

    >>> from kohort.metrics.loss import LM
    >>> check_metric(LM, tables=3)
    """
    random = np.random.default_rng(seed)
    for _ in range(tables):
        table = draw_table(random)
        lattice = NodeEvaluator.of(table.problem(), 0, metric_of("lm")).lattice
        node: Node = tuple(int(random.integers(greatest + 1)) for greatest in lattice.top)
        order = random.permutation(len(table.cells))
        place = int(random.integers(len(node)))
        above = (*node[:place], min(node[place] + 1, lattice.top[place]), *node[place + 1 :])
        sample = _Sample(metric, table, _Releases(table.problem()), node, above, random.random(2).tolist())
        turned = _Releases(table.problem(order))
        if not isclose(sample.cost(node), metric.cost(turned.outcome(node)), rel_tol=_ROUNDING, abs_tol=_ROUNDING):
            raise WrongMetricError(metric.name, "the order of tuples makes a difference", table, node)
        for law, breaks in _LAWS.items():
            if breaks(sample):
                raise WrongMetricError(metric.name, law, table, node)


class _Releases:
    """The full-domain releases of a problem as metrics see them."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.judge = NodeEvaluator.of(problem, 0, metric_of("lm"))

    def sizes(self, node: Node) -> Counts:
        """(c,) records of each class, before anything is suppressed."""
        return self.judge.classes(node).rolled.sizes

    def outcome(self, node: Node, failing: Mask | None = None) -> Outcome:
        """The release that suppresses some classes of a node."""
        classes = self.judge.classes(node)
        failing = np.zeros(classes.rolled.sizes.size, np.bool_) if failing is None else failing
        suppressed = int(classes.rolled.sizes[failing].sum())
        outcome = self.judge.hidden.outcome(classes, failing, suppressed)
        return replace(outcome, detail=self._detail(node, classes.rolled.sizes, failing))

    def _detail(self, node: Node, sizes: Counts, failing: Mask) -> Detail:
        """Its records one by one."""
        whole = full_domain(replace(self.problem, models=()), node)  # no model: nothing is suppressed
        regions = np.bincount(whole.of, self.problem.frequency.counts).astype(np.int64)
        assert sorted(regions.tolist()) == sorted(sizes.tolist())  # noqa: S101  both are the classes of the node
        ordered = np.argsort(regions, kind="stable")
        gone = np.zeros(regions.size, np.bool_)
        gone[ordered] = failing[np.argsort(sizes, kind="stable")]
        number = np.where(gone, -1, np.cumsum(~gone) - 1)
        recoding = FullDomain(node, whole.nodes[~gone], number[whole.of])
        frequency, domains = self.problem.frequency, self.problem.domains
        return Detail(frequency, domains, recoding, classes_of(recoding, frequency, domains))


@dataclass(frozen=True, slots=True)
class _Sample:
    """What is tried: two nodes, and how large the classes are that are suppressed.

    Attributes:
        metric: The metric.
        table: The toy.
        releases: Its releases.
        node: A node.
        above: The node, one attribute a level higher if that can be.
        cuts: Two shares in 0..1 of the largest class.
    """

    metric: Metric
    table: ToyTable
    releases: _Releases
    node: Node
    above: Node
    cuts: list[float]

    def cost(self, node: Node, failing: Mask | None = None) -> float:
        """What a release costs."""
        return self.metric.cost(self.releases.outcome(node, failing))

    def small(self, share: float) -> Mask:
        """The classes of the node that are smaller than a share of the largest, and never all of them."""
        sizes = self.releases.sizes(self.node)
        failing: Mask = sizes < share * sizes.max()
        return failing

    def less(self, one: float, other: float) -> bool:
        """Whether the first cost is below the second, by more than rounding explains."""
        return one < other - _ROUNDING * max(abs(other), 1.0)


def _says_nothing(sample: _Sample) -> bool:
    said = sample.metric.specification
    return not (said.key.isascii() and said.key and said.title and said.sentence and said.unit)


def _is_no_number(sample: _Sample) -> bool:
    return not isfinite(sample.cost(sample.node))


def _generalizing_pays(sample: _Sample) -> bool:
    return sample.metric.monotone and sample.less(sample.cost(sample.above), sample.cost(sample.node))


def _suppressing_pays(sample: _Sample) -> bool:
    if not sample.metric.monotone:
        return False
    few, many = (sample.small(share) for share in sorted(sample.cuts))
    if not sample.metric.size_only:
        many = ~many & (sample.releases.sizes(sample.node).cumsum() % 2 == 0)
        few = many.copy()
        few[1::2] = False
    return sample.less(sample.cost(sample.node, many), sample.cost(sample.node, few))


def _costs_less_than_the_surcharge(sample: _Sample) -> bool:
    surcharge, failing = sample.metric.surcharge, sample.small(sample.cuts[0])
    if surcharge is None or not failing.any():
        return False
    sizes = sample.releases.sizes(sample.node)
    k, suppressed = int(sizes[failing].max()) + 1, int(sizes[failing].sum())
    least = sample.cost(sample.node) + surcharge(int(sizes.sum()), k) * suppressed
    return sample.less(sample.cost(sample.node, failing), least)


def _joins_otherwise(sample: _Sample) -> bool:
    join, problem = sample.metric.join, sample.releases.problem
    if join is None:
        return False
    parts = [_of_one(problem, place) for place in range(len(sample.node))]
    costs = [
        float(sample.metric.costs(_Releases(part).outcome((level,))))
        for part, level in zip(parts, sample.node, strict=True)
    ]
    varying = np.array([domain.varies for domain in problem.domains]) if sample.metric.varying else None
    joined = join(np.array(costs), counting(np.ones(len(costs)), varying))
    whole = float(sample.metric.costs(sample.releases.outcome(sample.node)))
    return not isclose(joined, whole, rel_tol=_ROUNDING, abs_tol=_ROUNDING)


def _of_one(problem: Problem, place: int) -> Problem:
    """The problem of one quasi-identifier alone."""
    frequency = problem.frequency
    alone = replace(frequency, quasi=frequency.quasi[:, [place]])
    return replace(problem, frequency=alone, domains=problem.domains[place : place + 1])


def _differs_at_once(sample: _Sample) -> bool:
    if sample.metric.classes or sample.metric.detail:
        return False
    hidden = sample.releases.judge.hidden
    together = sample.metric.costs(hidden.least(np.array([sample.node, sample.above])))
    alone = [float(sample.metric.costs(hidden.least(np.array(node)))) for node in (sample.node, sample.above)]
    return together.shape != (2,) or not np.allclose(together, alone, rtol=_ROUNDING, atol=_ROUNDING)


#: What must hold of every metric, as a sentence that tells that it does not, and whether a toy shows so.
_LAWS: dict[str, Callable[[_Sample], bool]] = {
    "the specification lacks a key, a title, a sentence or a unit": _says_nothing,
    "the metric is not a finite number": _is_no_number,
    "monotone is declared, but generalizing lowers the cost": _generalizing_pays,
    "monotone is declared, but suppressing a class lowers the cost": _suppressing_pays,
    "surcharge is declared, but suppressed records cost less": _costs_less_than_the_surcharge,
    "join is declared, but the attributes one by one cost something else": _joins_otherwise,
    "many releases measured at once do not cost what they do one by one": _differs_at_once,
}
