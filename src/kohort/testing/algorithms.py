"""`check_algorithm`: whether the releases of an algorithm are what was asked for, on random toy tables."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from kohort.algorithms.lattice.exhaustive import Exhaustive
from kohort.core.frequency import profile
from kohort.core.recoding import FullDomain, Multidimensional, classes_of
from kohort.errors import InfeasibleError
from kohort.metrics.known import metric_of
from kohort.testing.problems import draw_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kohort.algorithms.problem import Algorithm, Problem, Solution
    from kohort.arrays import Counts, Index, Numbers
    from kohort.testing.problems import ToyTable

#: The records of a release: original codes, sensitive value and labels; `None` in place of labels: suppressed.
Released: TypeAlias = "Counter[tuple[tuple[int, ...], int, tuple[str, ...] | None]]"


class WrongReleaseError(AssertionError):
    """An algorithm's answer is not what was asked for; the toy that shows it is made up and may be printed.

    Attributes:
        law: What does not hold.
        table: The toy.
    """

    def __init__(self, name: str, law: str, table: ToyTable) -> None:
        """Keep the parts, and say them."""
        self.law, self.table = law, table
        super().__init__(f"{name}: {law}\n{table}")


def check_algorithm(algorithm: Algorithm, *, tables: int = 100, seed: int = 0) -> None:
    """Check by definition what `algorithm` answers to random toy problems of k-anonymity and distinct l-diversity.

    A release must have every record once, or suppress it within the limit; regions must be as `kohort.core.recoding`
    describes them; every class, of equal labels, must satisfy all models. The order of tuples must make no difference.
    A table that satisfies the models as a whole has a release. What is proven must cost no more than exhaustive search
    finds, and no answer less than its bound. Silence is no proof.

    Args:
        algorithm: Any algorithm, with parameters; try several.
        tables: How many toys to draw.
        seed: What to draw them by: equal seeds draw equal toys.

    Raises:
        WrongReleaseError: An answer is not as it must be.

    >>> from kohort.algorithms.mondrian.mondrian import Mondrian
    >>> check_algorithm(Mondrian(), tables=3)
    """
    random = np.random.default_rng(seed)
    for _ in range(tables):
        table = draw_table(random)
        problem = table.problem()
        before = problem.frequency.quasi.copy()
        found = _solved(algorithm, problem)
        if not np.array_equal(before, problem.frequency.quasi):
            raise WrongReleaseError(algorithm.name, "the problem itself was changed", table)
        turned = table.problem(random.permutation(len(table.cells)))
        law = next(_broken(algorithm, problem, found, turned), None)
        if law is not None:
            raise WrongReleaseError(algorithm.name, law, table)


def _solved(algorithm: Algorithm, problem: Problem) -> Solution | None:
    """The answer; `None` where it says that there is none."""
    try:
        return algorithm.solve(problem)
    except InfeasibleError:
        return None


def _broken(algorithm: Algorithm, problem: Problem, found: Solution | None, turned: Problem) -> Iterator[str]:
    """What does not hold."""
    if found is None:
        if _satisfied(problem, np.zeros(problem.frequency.counts.size, np.int64), problem.frequency.counts):
            yield "no release found, though the whole table satisfies the models"
        return
    yield from _misshapen(algorithm, problem, found)
    tuples, counts, labels = _pieces(problem, found)
    given = np.bincount(tuples, counts, problem.frequency.counts.size)
    if not np.array_equal(given, problem.frequency.counts):
        yield "some records are in the release twice, or neither released nor suppressed"
    suppressed = sum(int(count) for count, label in zip(counts.tolist(), labels, strict=True) if label is None)
    records = problem.frequency.records
    if suppressed > (0 if algorithm.limit is None else min(algorithm.limit.among(records), records - 1)):
        yield "more records are suppressed than may be"
    kept = [place for place, label in enumerate(labels) if label is not None]
    names = sorted({label for label in labels if label is not None})
    of = np.array([names.index(labels[place] or ()) for place in kept], np.int64)
    if not _satisfied(problem, of, counts[kept], tuples[kept].astype(np.int64)):
        yield "a class of equal labels does not satisfy the models"
    other = _solved(algorithm, turned)
    if other is None or _released(turned, other) != _released(problem, found):
        yield "the order of tuples makes a difference"
    yield from _unproven(algorithm, problem, found)


def _misshapen(algorithm: Algorithm, problem: Problem, found: Solution) -> Iterator[str]:
    """Whether the recoding is of the declared kind, and its regions are those of their tuples."""
    recoding, quasi = found.recoding, problem.frequency.quasi
    if isinstance(recoding, FullDomain) != algorithm.full_domain:
        yield "full_domain is not what it declares"
    elif isinstance(recoding, FullDomain):
        columns = zip(problem.domains, recoding.levels, strict=True)
        hierarchies = [(domain.hierarchy, domain.leaves, level) for domain, level in columns]
        nodes = [one.maps[level][leaves] for one, leaves, level in hierarchies if one is not None]
        codes = np.column_stack([of_code[quasi[:, place]] for place, of_code in enumerate(nodes)])
        kept = recoding.of >= 0
        if not np.array_equal(codes[kept], recoding.nodes[recoding.of[kept]]):
            yield "a region's nodes are not those of its tuples"
    else:
        for region in range(len(recoding.low)):
            inside = quasi[recoding.tuples[recoding.regions == region]]
            if not (len(inside) and (inside.min(axis=0) == recoding.low[region]).all()):
                yield "a region's least codes are not those of its tuples"
            elif not (inside.max(axis=0) == recoding.high[region]).all():
                yield "a region's greatest codes are not those of its tuples"


def _pieces(problem: Problem, found: Solution) -> tuple[Numbers, Counts, list[tuple[str, ...] | None]]:
    """The tuple of each piece of the release, its records, and its labels; none where it is suppressed."""
    classes = classes_of(found.recoding, problem.frequency, problem.domains)
    columns = [[label.texts[int(at)] for at in label.of] for label in classes.labels]
    texts = list(zip(*columns, strict=True))
    if isinstance(found.recoding, Multidimensional):
        recoding = found.recoding
        return recoding.tuples, recoding.counts, _borne(recoding.regions, texts)
    regions = found.recoding.of
    return np.arange(regions.size), problem.frequency.counts, _borne(regions, texts)


def _borne(regions: Numbers, texts: list[tuple[str, ...]]) -> list[tuple[str, ...] | None]:
    """The labels of some regions; none where a piece is suppressed."""
    return [None if region < 0 else texts[region] for region in regions.tolist()]


def _released(problem: Problem, found: Solution) -> Released:
    """Every record with what became of it."""
    told: Released = Counter()
    tuples, counts, labels = _pieces(problem, found)
    for place, count, label in zip(tuples.tolist(), counts.tolist(), labels, strict=True):
        codes = tuple(problem.frequency.quasi[place].tolist())
        told[codes, int(problem.frequency.sensitive[place, 0]), label] += count
    return told


def _satisfied(problem: Problem, of: Index, counts: Counts, tuples: Numbers | None = None) -> bool:
    """Whether the classes of these pieces satisfy all models."""
    pieces = problem.frequency.take(np.arange(counts.size) if tuples is None else tuples, counts)
    classes = profile(pieces, of, int(of.max(initial=-1)) + 1)
    return all(model.satisfied(classes).all() for model in problem.models)


def _unproven(algorithm: Algorithm, problem: Problem, found: Solution) -> Iterator[str]:
    """Whether what is proven is true."""
    if algorithm.objective is None or algorithm.limit is None or not found.candidates:
        return
    metric = metric_of(algorithm.objective)
    cost = metric.cost(found.candidates[0].outcome)
    least = metric.cost(Exhaustive(algorithm.limit, algorithm.objective).solve(problem).candidates[0].outcome)
    if found.proven and cost > least:
        yield "the optimum is declared proven, but exhaustive search finds a better release"
    if found.bound is not None and found.bound > least:
        yield "the bound is above the cost of the best release"
