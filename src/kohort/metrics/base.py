"""What a quality metric is, and what it is computed from: classes, losses and, of a finished release, every record."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import fsum
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, assert_never

import numpy as np

from kohort.errors.display import Share, Whole  # noqa: TC001  pydantic reads what fields are
from kohort.schema import Label, Scale

if TYPE_CHECKING:
    from collections.abc import Callable

    from kohort.arrays import Codes, Counts, Index, Mask, Numbers, Shares
    from kohort.core.frequency import FrequencySet
    from kohort.core.labels import Labels
    from kohort.core.recoding import Recoding, RegionClasses
    from kohort.schema.domain import Domain
    from kohort.specification import Specification


@dataclass(frozen=True, eq=False)
class Detail:
    """The tuples of a table, and the class that each was released in. Nothing is computed before a metric needs it.

    A *piece* is some records of one tuple in one class. Records that the schema suppressed before the search have no
    tuple and are in no piece.

    Attributes:
        frequency: The tuples of the table.
        domains: (d,) what the codes of each quasi-identifier mean.
        recoding: What became of every tuple.
        classes: The equivalence classes of the release.
    """

    frequency: FrequencySet
    domains: tuple[Domain, ...]
    recoding: Recoding
    classes: RegionClasses

    @cached_property
    def _pieces(self) -> tuple[Numbers, Numbers, Counts]:
        """(m,) the tuple of each piece, its region, and its records."""
        from kohort.core.recoding import FullDomain, Multidimensional  # noqa: PLC0415  help names metrics, and recodes nothing

        match self.recoding:
            case Multidimensional(tuples=tuples, regions=regions, counts=counts):
                return tuples, regions, counts
            case FullDomain(of=of):
                return np.arange(of.size), of, self.frequency.counts
            case _:
                assert_never(self.recoding)

    @property
    def tuples(self) -> Numbers:
        """(m,) the tuple of each piece."""
        return self._pieces[0]

    @cached_property
    def of(self) -> Index:
        """(m,) the class of each piece; -1 where it is suppressed."""
        found: Index = np.append(self.classes.of, -1)[self._pieces[1]]
        return found

    @property
    def counts(self) -> Counts:
        """(m,) the records of each piece."""
        return self._pieces[2]

    @property
    def quasi(self) -> Codes:
        """(m, d) the original codes of each piece."""
        return self.frequency.quasi[self.tuples]

    @property
    def response(self) -> Index | None:
        """(m,) the code of the first sensitive attribute that a model looks at; a missing value has one, too."""
        if not self.frequency.sensitive_domains:
            return None
        codes: Index = self.frequency.sensitive[self.tuples, 0].astype(np.int64)
        return codes

    @cached_property
    def whole(self) -> Shares:
        """(d,) |A|, how many values each domain has."""
        return np.array([_others(domain, self.recoding) + 1 for domain in self.domains])

    @cached_property
    def covered(self) -> Shares:
        """(c, d) M, how many values of its domain each class's label may stand for: 1 + loss · (|A| - 1)."""
        found = np.ones((self.classes.sizes.size, len(self.domains)))
        for column, (label, domain) in enumerate(zip(self.classes.labels, self.domains, strict=True)):
            np.maximum.at(found[:, column], self.classes.of, 1 + label.losses * _others(domain, self.recoding))
        return found

    @property
    def spans(self) -> Mask:
        """(d,) whether labels are ranges, whose loss is that of their width; else sets, or nodes of a hierarchy."""
        return np.array([_is_span(domain, self.recoding) for domain in self.domains], dtype=np.bool_)

    @cached_property
    def cell_bits(self) -> float:
        """The sum over all records of log2(numbers in the record's cell), of every quasi-identifier on a grid."""
        total = 0.0
        for column, domain in enumerate(self.domains):
            if domain.label is Label.GRID and domain.upper.size:
                ends = [float(end) for end in domain.ends]
                wide = np.minimum(domain.upper - float(domain.step), ends[1]) - np.maximum(domain.positions, ends[0])
                bits = np.log2(np.maximum(wide, 0.0) / float(domain.step) + 1)
                of_code = self.frequency.records_by_code(column, len(domain))
                total += fsum((of_code * bits).tolist())
        return total

    def joint(self, values: Codes | Index) -> tuple[Index, Counts]:
        """The different combinations of class and values: (u,) the class of each, -1 suppressed, and its records.

        Args:
            values: (m, …) of each piece.
        """
        from kohort.core.frequency import group  # noqa: PLC0415  as above

        columns = values.reshape(self.of.size, -1)
        keys = np.column_stack([columns, self.of + 1]).astype(np.uint32)
        found = group(keys)
        records = np.bincount(found.of, weights=self.counts).astype(np.int64)
        return self.of[found.first], records


def _is_span(domain: Domain, recoding: Recoding) -> bool:
    """Whether the labels of a quasi-identifier are ranges."""
    from kohort.core.recoding import FullDomain  # noqa: PLC0415  as above

    if isinstance(recoding, FullDomain) or recoding.nodes:
        return False
    return domain.label not in {Label.ANCESTOR, Label.SET}


def _others(domain: Domain, recoding: Recoding) -> float:
    """|A| - 1 as the loss of the released labels counts: of ranges the width of the domain, in its steps."""
    return domain.extent / float(domain.step) if _is_span(domain, recoding) else domain.others


@dataclass(frozen=True, slots=True)
class Retention:
    """What a release leaves of one quasi-identifier, in words that people use.

    Attributes:
        exact: The share of the people whose value is released as it is.
        hidden: The share of those of whom nothing is: `*`, or no record.
        half: For half of the people, the released value stands for at most so many values, or a range so wide.
        unit: What that is in: the `values` of names; the `width` of numbers, or the `days` of dates.
    """

    exact: Share
    hidden: Share
    half: Whole
    unit: Literal["values", "width", "days"]

    @property
    def in_words(self) -> str:
        """How exactly the column is known of people.

        >>> Retention(exact=0.1, hidden=0, half=5, unit="width").in_words
        'known to within 5 for half of the people'
        >>> Retention(exact=0.2, hidden=0, half=3, unit="values").in_words
        'one of 3 values for half of the people'
        >>> Retention(exact=0.83, hidden=0.17, half=1, unit="values").in_words
        'exact for 83% of the people'
        """
        if self.exact >= 1 / 2:
            return f"exact for {self.exact:.0%} of the people"
        if self.hidden >= 1 / 2:
            return f"removed for {self.hidden:.0%} of the people"
        within = {"values": "one of {} values", "width": "known to within {}", "days": "known to within {} days"}
        return f"{within[self.unit].format(f'{self.half:,.6g}')} for half of the people"


def kept_of(domain: Domain, labels: Labels, recoding: Recoding, regions: Counts, suppressed: int) -> Retention:
    """What is left of a quasi-identifier.

    Args:
        domain: What its codes mean.
        labels: Its released values, by region.
        recoding: What became of every tuple.
        regions: (r,) the records of each region.
        suppressed: The records that are not released.
    """
    shares = np.append(labels.shares, 1.0)
    records = np.append(np.bincount(labels.share_of, regions, labels.shares.size), suppressed)
    order, total = np.argsort(shares, kind="stable"), max(float(records.sum()), 1.0)
    middle = shares[order][np.searchsorted(np.cumsum(records[order]), total / 2)]
    wide = _is_span(domain, recoding) and domain.scale is not Scale.CATEGORICAL
    half = (1 + float(middle) * _others(domain, recoding)) * (float(domain.step) if wide else 1.0)
    exact, hidden = (float(records[shares == loss].sum()) / total for loss in (0.0, 1.0))
    days = domain.attribute.scale is Scale.DATE
    return Retention(exact, hidden, half, ("days" if days else "width") if wide else "values")


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """What only a full-domain release has: one level for each quasi-identifier.

    Attributes:
        levels: (..., d) the level of each quasi-identifier.
        heights: (d,) height of its hierarchy.
        bits: (..., d) bits lost in each quasi-identifier, summed over all n records: -log2 of the share of the input's
            records with the record's own value among those whose value the released one may stand for; a suppressed
            record counts as if it were generalized to a value that may stand for any.
    """

    levels: Index
    heights: Index
    bits: Shares


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """A release as a metric sees it; or many of the same table at once, where no metric looks at classes.

    Attributes:
        records: n, the records of the input; at least 1.
        suppressed: S, how many of them are not released.
        k: the size that every class was asked to have.
        sizes: (c,) records of each class.
        losses: (..., d) loss of each quasi-identifier summed over the released records.
        weights: (d,) how much each quasi-identifier counts; 1 in every report.
        full_domain: its levels, where the release has them.
        detail: its records one by one; a search that compares releases has none.
        varying: (d,) which quasi-identifiers have several values; `None`: all.
    """

    records: int
    suppressed: int
    k: int
    sizes: Counts
    losses: Shares
    weights: Shares
    full_domain: Levels | None = None
    detail: Detail | None = None
    varying: Mask | None = None


def counting(weights: Shares, varying: Mask | None) -> Shares:
    """(d,) the weights of the quasi-identifiers that have several values, 0 of others; all, if none has several."""
    return weights if varying is None or not varying.any() else np.asarray(weights * varying)


#: How far, relatively, the noise of floating point may lift a floor above a cost that it equals.
FLOOR_NOISE = 1e-14


def rounded(cost: float) -> float:
    """The cost to 12 significant digits: what is left after them is the noise of floating point."""
    return float(f"{cost:.12g}")


def rounded_floor(floor: float) -> float:
    """The floor as costs are rounded, after its noise is taken off: not above a cost that it equals."""
    return rounded(floor - FLOOR_NOISE * abs(floor))


#: The figure of a release; of many at once, an array of figures.
Measure: TypeAlias = "Callable[[Outcome], Shares]"


#: The cost of a release from the costs of its parts and the weights of their quasi-identifiers, summed.
Join: TypeAlias = "Callable[[Shares, Shares], float]"


def added(costs: Shares, _: Shares) -> float:
    """The join of metrics that add up over quasi-identifiers."""
    return float(costs.sum())


def averaged(costs: Shares, weights: Shares) -> float:
    """The join of metrics that are weighted means over quasi-identifiers."""
    return float((costs * weights).sum() / weights.sum())


class Display(NamedTuple):
    """How a metric is shown to people.

    Attributes:
        symbol: Its short name, in tables: `C_DM`.
        kind: `count` of a whole number; `share` of what lies in 0..1 and is written in percent; else `number`.
        least: The least that a release can have: where an axis begins.
        wide: Whether it may span orders of magnitude, so that ratios are drawn.
        first: Whether people see it without asking: in the text of a release. Files have all metrics.
    """

    symbol: str
    kind: Literal["number", "share", "count"] = "number"
    least: float = 0.0
    wide: bool = False
    first: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Disclosure:
    """What a metric tells somebody who has the release and not the input: a public page tells no more.

    Attributes:
        counted: What it can be counted from: `release` alone; also the number of `input` records; or neither.
        worth: Of n and d: how much one record can change it at most; the figure is rounded to what some records are
            worth. `None`: the metric is not on public pages, unless it can be counted.
    """

    counted: Literal["release", "input"] | None = None
    worth: Callable[[int, int], float] | None = None


def one_record(records: int, _: int) -> float:
    """The worth of a record to a mean over all records of what lies in 0..1."""
    return 1 / records


@dataclass(frozen=True, slots=True)
class Metric:
    """A quality metric, and what a search may rely on.

    Attributes:
        specification: What is said of it; its key is its name on the command line and in reports.
        measure: What is reported, written once for search and report alike.
        display: How it is shown; by its title alone where nothing is said.
        disclosure: What a public page may say of it; nothing where nothing is said.
        less_is_better: Whether the best release has the least.
        full_domain: Whether it is defined only where every quasi-identifier has one level.
        classes: Whether it looks at class sizes; else levels, suppressed records and what these hide decide.
        detail: Whether it looks at the records of a finished release one by one. Such a metric is no objective of a
            search, and is measured only on demand and in sweeps: it takes a pass over all tuples, or over all classes.
        response: Whether it looks at a sensitive attribute, besides.
        monotone: Whether neither generalizing further nor suppressing a class instead of releasing it ever lowers the
            cost. A node taken as if it released every record then costs no more than any node above it, whatever that
            one suppresses: a search may leave out all of them.
        size_only: Whether that holds only where the models look at nothing but the size of a class.
        surcharge: Of n and k: what each suppressed record, in a class of fewer than k, adds at least to the cost of a
            node as if it released every record; `None` where that depends on more.
        varying: Whether it is a mean over the quasi-identifiers that have several values: others count for nothing.
        join: What disjoint sets of quasi-identifiers cost together, from what each would cost alone and the sum of its
            weights; a suppressed record must cost each no less than a released one. `None` where that depends on more.
    """

    specification: Specification
    measure: Measure
    display: Display | None = None
    disclosure: Disclosure = field(default_factory=Disclosure)
    less_is_better: bool = True
    full_domain: bool = False
    classes: bool = False
    detail: bool = False
    response: bool = False
    monotone: bool = True
    size_only: bool = False
    surcharge: Callable[[int, int], float] | None = None
    varying: bool = False
    join: Join | None = None

    @property
    def name(self) -> str:
        """As on the command line and in reports."""
        return self.specification.key

    @property
    def shown(self) -> Display:
        """How it is shown."""
        return self.display or Display(symbol=self.specification.title)

    def defined(self, outcome: Outcome) -> bool:
        """Whether the release has what the metric looks at."""
        if self.full_domain and outcome.full_domain is None:
            return False
        if not self.detail:
            return True
        return outcome.detail is not None and not (self.response and outcome.detail.response is None)

    def __call__(self, outcome: Outcome) -> float:
        """The figure that is reported."""
        return float(self.measure(outcome))

    def cost(self, outcome: Outcome) -> float:
        """The figure turned so that less is better, rounded: releases that differ in less are tied."""
        return rounded(float(self.costs(outcome)))

    def costs(self, outcome: Outcome) -> Shares:
        """(...) the figures of many releases at once, turned so that less is better."""
        figures = self.measure(outcome)
        return figures if self.less_is_better else -figures
