"""Compares a table with its release: what the release cost those who use the data.

Everything is read from the cells of the two tables, and from the schema if there is one; which record became which is
neither known nor needed. A generalized cell stands for several values, each as likely as the others (semantics §6):
its midpoint, or mean code, in means and deviations, equal parts of it in distributions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import fsum
from typing import TYPE_CHECKING, Annotated

import numpy as np

from kohort import io
from kohort.assessment.classes import classes_of, records_of
from kohort.assessment.comparison.classifier import Prediction  # noqa: TC001  pydantic reads what fields are
from kohort.assessment.comparison.distribution import Bin, groups_of, written
from kohort.assessment.comparison.distribution import distribution as bins_of
from kohort.assessment.comparison.line import summed
from kohort.assessment.comparison.queries import Workload  # noqa: TC001  as above
from kohort.assessment.comparison.reading import read_line
from kohort.assessment.comparison.statistics import (
    COLUMNS,
    Association,
    ColumnStatistics,
    Distance,
    Moments,
    NumericStatistics,
    associations,
    distance_of,
    numeric_statistics,
    ordinal_moments,
)
from kohort.assessment.labels import canonical, leaves_below, printed_values
from kohort.errors import InputError
from kohort.errors.calls import called, verb
from kohort.errors.display import Significant, Summary, ToldAs, four_digits
from kohort.metrics.base import Outcome
from kohort.metrics.class_size import C_AVG
from kohort.metrics.discernibility import C_DM
from kohort.metrics.loss import LM, NCP, attribute_losses
from kohort.schema import Attribute, Label, Role, Scale, Schema, names_in
from kohort.schema.hierarchy import SUPPRESSED
from kohort.schema.numbers import part_of
from kohort.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from matplotlib.figure import Figure

    from kohort.arrays import Shares
    from kohort.assessment.comparison.distribution import NameGroups
    from kohort.assessment.comparison.line import ColumnLine, Side
    from kohort.errors.display import Grid, Rows
    from kohort.schema.domain import Domain
    from kohort.schema.hierarchy import Hierarchy

__all__ = [
    "Association",
    "AttributeComparison",
    "Bin",
    "Comparison",
    "Cost",
    "Distance",
    "Moments",
    "NumericStatistics",
    "compare",
    "comparison_of",
    "lines_of",
]


@dataclass(frozen=True, slots=True)
class AttributeComparison:
    """One column before and after.

    Attributes:
        name: Its name.
        role: Its role in the schema; `None` without a schema.
        scale: Whether its values are numbers or names.
        values: How many different values it had, and how many labels it has; no value is not counted.
        single: Released records whose cell stands for one value, or for none: those that were not generalized.
        before: The column of the table.
        after: The column of the release.
        distance: How far the distribution moved; `None` where one side has no value.
        distribution: The distribution in few bins.
    """

    name: str
    role: Role | None
    scale: Scale
    values: tuple[int, int]
    single: int
    before: ColumnStatistics
    after: ColumnStatistics
    distance: Distance | None
    distribution: Annotated[tuple[Bin, ...], ToldAs(lambda bins: {"bins": written(bins)})] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a release in the metrics of the literature.

    Attributes:
        quasi: The quasi-identifiers.
        classes: The number of classes.
        smallest: Records of the smallest class.
        largest: Records of the largest class.
        lm: The sum of the attributes' losses.
        ncp: The mean of those of several values.
        c_dm: The sum of squared class sizes, and n for each suppressed record.
        c_avg: Mean class size over k; `None` where k is not known.
        losses: The loss of each quasi-identifier, in 0..1.
        constant: The quasi-identifiers of one value.
    """

    quasi: tuple[str, ...]
    classes: int
    smallest: int
    largest: int
    lm: Significant
    ncp: Significant
    c_dm: Significant
    c_avg: Significant | None
    losses: dict[str, Significant]
    constant: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Comparison(Summary):
    """A table and its release.

    Attributes:
        records: Records before.
        released: Records after.
        suppressed: Records that are not released.
        absent: Columns that the release does not have.
        passed_over: Identifying and dropped columns that it has: pseudonyms, say.
        attributes: The columns that both have, in the order of the first, without those that identify people.
        associations: The pairs of twelve of them: quasi-identifying ones first, then sensitive ones, then the others.
        left_out: Columns whose pairs were not measured.
        cost: What the release cost; `None` where no column is known to be quasi-identifying.
        queries: How well counts are answered; only of `kohort compare`, `None` where none were requested.
        classifier: How well a column is predicted; likewise.
    """

    records: int
    released: int
    suppressed: int
    absent: tuple[str, ...]
    passed_over: tuple[str, ...]
    attributes: tuple[AttributeComparison, ...]
    associations: tuple[Association, ...]
    left_out: tuple[str, ...]
    cost: Cost | None
    queries: Workload | None
    classifier: Prediction | None

    @called('comparison.plot("age")')
    def plot(self, column: str | None = None) -> Figure:
        """How far each column moved, as a figure of matplotlib; see `kohort.Release.plot` for what it raises.

        Args:
            column: A column, whose distribution before and after is then shown.
        """
        return verb(Comparison.plot)(self, column)

    def _shown(self) -> tuple[str, Rows]:
        rows = [("Records", f"{self.released:,} of {self.records:,}")]
        if self.cost is not None:
            rows += [("LM", four_digits(self.cost.lm)), ("NCP", four_digits(self.cost.ncp))]
        return "Comparison", [*rows, ("Columns", f"{len(self.attributes):,}")]

    def _grid(self) -> Grid:
        """Each column: its values before and after, and how far its distribution moved."""
        moved = [one.distance and one.distance.relative for one in self.attributes]
        counts = [map("{:,}".format, (*one.values, one.single)) for one in self.attributes]
        told = zip(self.attributes, counts, moved, strict=True)
        rows = [(one.name, *three, "" if far is None else f"{far:.1%}") for one, three, far in told]
        return "Columns", rows, ("Column", "Values before", "Values after", "Records not generalized", "Distance")


@called("compare(people, release)", schema="Schema")
def compare(
    before: object,
    after: object,
    *,
    schema: Schema | None = None,
    missing: AbstractSet[str] = frozenset({""}),
    k: int | None = None,
) -> Comparison:
    """Compare a table with its release, column by column and pair by pair.

    Cost: a look at each distinct value, and some passes over the records for each pair of twelve columns.

    Args:
        before: The table as it was: a path, a polars, pandas or Arrow frame, or a table that is read already.
        after: The release, likewise: the same columns by name but for identifying ones, and no more records.
        schema: Roles, hierarchies and bounds. Without it every column that both tables have is compared, labels must
            be readable by themselves, and the cost is not computed.
        missing: The texts that mean no value, besides those of the schema.
        k: The size that every class was to have, for C_AVG.

    Raises:
        InputError: the columns differ, the release has more records, or labels cannot be read.
        HierarchyError: values are no leaf of their hierarchy.

    >>> import polars as pl
    >>> old, new = pl.DataFrame({"age": ["21", "28", "45"]}), pl.DataFrame({"age": ["[20-29]", "[20-29]"]})
    >>> found = compare(old, new)
    >>> found.suppressed, found.attributes[0].after.numeric.mean
    (1, 24.5)
    """
    tokens = frozenset(names_in(missing, "missing"))
    old, new = (one if isinstance(one, Table) else io.read(one) for one in (before, after))
    return comparison_of(old, new, lines_of(old, new, schema=schema, missing=tokens), k=k)


def comparison_of(before: Table, after: Table, lines: Sequence[ColumnLine], *, k: int | None = None) -> Comparison:
    """The comparison of two tables by the lines that they have in common."""
    groups = [None if line.numeric else groups_of(line) for line in lines]
    names = [line.name for line in lines]
    roles: dict[Role | None, int] = {Role.QUASI: 0, Role.SENSITIVE: 1}
    paired = sorted(sorted(range(len(lines)), key=lambda at: roles.get(lines[at].known.role, 2))[:COLUMNS])
    return Comparison(
        records=before.records,
        released=after.records,
        suppressed=before.records - after.records,
        absent=tuple(name for name in before.names if name not in after.names),
        passed_over=tuple(name for name in after.names if name not in names),
        attributes=tuple(_attribute(line, put) for line, put in zip(lines, groups, strict=True)),
        associations=associations([lines[at] for at in paired], [groups[at] for at in paired]),
        left_out=tuple(name for at, name in enumerate(names) if at not in paired),
        cost=cost([line for line in lines if line.known.domain is not None], k=k),
        queries=None,
        classifier=None,
    )


def lines_of(
    before: Table, after: Table, *, schema: Schema | None = None, missing: AbstractSet[str] = frozenset({""})
) -> tuple[ColumnLine, ...]:
    """The columns that both tables have and that identify nobody, each read as a line."""
    known = schema or Schema(())
    attributes = {attribute.name: attribute for attribute in known.attributes}
    roles = {name: _role(name, attributes, known) for name in before.names}
    removed = {name for name, role in roles.items() if role is not None and not role.released}
    refuse_unlike(before, after, removed | {name for name, role in roles.items() if role is None})
    shared = [name for name in before.names if name in after.names and name not in removed]
    tokens = known.missing | missing
    return tuple(read_line(before[name], after[name], roles[name], attributes.get(name), tokens) for name in shared)


def _role(name: str, attributes: dict[str, Attribute], schema: Schema) -> Role | None:
    return attributes[name].role if name in attributes else schema.rest


def refuse_unlike(before: Table, after: Table, droppable: AbstractSet[str]) -> None:
    """Raise if a release has other columns than the table, or more records.

    Args:
        before: The table.
        after: The release.
        droppable: Columns that it need not have: identifying and dropped ones, and those of which nothing is known.
    """
    lost = [name for name in before.names if name not in after.names and name not in droppable]
    new = [name for name in after.names if name not in before.names]
    if lost or new:
        sides = (("BEFORE", lost), ("AFTER", new))
        differences = [f"only in {side}: {', '.join(names)}" for side, names in sides if names]
        raise InputError(
            "the columns differ",
            where="; ".join(differences),
            hint="columns are matched by name, in any order; a release may lack only identifying and dropped ones",
        )
    if after.records > before.records:
        raise InputError(
            f"AFTER has {after.records:,} records, and BEFORE only {before.records:,}",
            hint="a release has no more records than its table: are the two swapped?",
        )


def _attribute(line: ColumnLine, groups: NameGroups | None) -> AttributeComparison:
    old, new = line.sides
    before, after = _statistics(line, old), _statistics(line, new)
    scale, values = line.scale, (old.values, new.values)
    return AttributeComparison(
        line.name, line.known.role, scale, values, new.single, before, after, distance_of(line), bins_of(line, groups)
    )


def _statistics(line: ColumnLine, side: Side) -> ColumnStatistics:
    """The statistics of one side; days have no moments."""
    numeric = numeric_statistics(line, side) if line.scale is Scale.NUMERIC else None
    return ColumnStatistics(side.missing, numeric, None if line.numeric else ordinal_moments(line, side))


def cost(lines: Sequence[ColumnLine], *, k: int | None = None) -> Cost | None:
    """The cost of a release by the lines of its quasi-identifiers; `None` without any."""
    if not lines:
        return None
    sizes = classes_of(records_of([line.after.codes for line in lines])).sizes
    records = lines[0].before.total
    losses = np.array([_lost(line) for line in lines])
    varying = np.array([line.known.domain is not None and line.known.domain.varies for line in lines], np.bool_)
    gone, ones = records - int(sizes.sum()), np.ones(len(lines))
    outcome = Outcome(records, gone, k or 1, sizes, losses, ones, varying=varying)
    names = tuple(line.name for line in lines)
    return Cost(
        names,
        sizes.size,
        int(sizes.min(initial=sizes.sum())),
        int(sizes.max(initial=0)),
        LM(outcome),
        NCP(outcome),
        C_DM(outcome),
        None if k is None else C_AVG(outcome),
        dict(zip(names, attribute_losses(outcome).tolist(), strict=True)),
        tuple(name for name, varies in zip(names, varying.tolist(), strict=True) if not varies),
    )


def _lost(line: ColumnLine) -> float:
    """The loss of a quasi-identifier, summed over the released records."""
    domain = line.known.domain
    assert domain is not None  # noqa: S101  every quasi-identifier has one
    return fsum((label_losses(line, domain) * line.after.records).tolist())


def label_losses(line: ColumnLine, domain: Domain) -> Shares:
    """(l,) share of the domain that each label may stand for: (M - 1)/(|A| - 1), or of a range its width."""
    means, texts = line.after.means, line.after.texts
    values = summed(means.of, means.width, means.labels)
    listed = np.fromiter(map(_listed, texts), np.float64, len(texts)) if line.numeric else np.zeros(len(texts))
    values = np.maximum(values, listed)  # a missing value has no place among numbers, but is one of those in a set
    if line.numeric and domain.label is not Label.SET:
        low, high = np.full(means.labels, np.inf), np.full(means.labels, -np.inf)
        np.minimum.at(low, means.of, means.low)
        np.maximum.at(high, means.of, means.high)
        first, last = (float(end) * float(domain.unit) * 10.0**line.digits for end in domain.ends)
        width = np.minimum(high, last) - np.maximum(low, first)
        ranges = part_of(last - first, np.where(values > 0, np.maximum(width, 0.0), 0.0))
        found = np.where(listed > 0, part_of(domain.others, values - 1), ranges)
        if domain.label is Label.ANCESTOR and domain.hierarchy is not None:  # numbers below a node; others are ranges
            covered = _covered(domain.hierarchy)
            below = np.array([covered.get(text, 0) for text in texts], dtype=np.float64)
            found = np.where(below > 0, part_of(domain.others, below - 1), found)
    else:
        found = part_of(domain.others, np.maximum(values - 1, 0.0))
    return np.where([text == SUPPRESSED for text in texts], float(domain.extent > 0), found)


def _listed(label: str) -> int:
    """How many values a set names; 0 of any other label."""
    return len({canonical(member) for member in printed_values(label)}) if label.startswith("{") else 0


def _covered(hierarchy: Hierarchy) -> dict[str, int]:
    """The leaves below each node; of nodes with the same name the most."""
    return {label: max(high - low + 1 for low, high in leaves) for label, leaves in leaves_below(hierarchy).items()}
