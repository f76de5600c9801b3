"""What labels expose, and what public cut points change: the same job with grids and without.

Two counts, each of one release alone:

    exposed     people whose value a label prints although it covers others, and nobody else in the class has it: anyone
                who knows that a person is the youngest of the class, say, reads the exact value
    downcoded   cells whose label covers several values although some record of the class must have this very one: both
                ends of a range, each member of a set. A lower bound for an attacker who also knows how the algorithm
                works; tests/attack_oracles finds the exact figure for all small tables.

The end of an interval of a grid is neither: it was a cut before there were data. What an interval still reveals is
which cells of the grid are occupied, the first and the last of it. In a grid as fine as the data, of step 1 for whole
numbers, a cell is a value, and counts as downcoded.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from kohort.algorithms.method import on_nodes
from kohort.assessment.comparison.grids import GridComparison, LabelExposure
from kohort.core.frequency import group, people_in
from kohort.core.recoding import Multidimensional, classes_of
from kohort.core.uniques import Exposed
from kohort.engines.local import LOCAL
from kohort.engines.problem import outcome_of, problem_of
from kohort.errors import InfeasibleError, UsageError
from kohort.metrics.loss import attribute_losses
from kohort.schema import Label, Scale
from kohort.schema.numbers import round_step, said

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from kohort.arrays import Codes, Counts, Index, Mask
    from kohort.core.frequency import FrequencySet
    from kohort.core.recoding import RegionClasses
    from kohort.engines.base import Engine
    from kohort.release import Job, Release
    from kohort.schema import Attribute, Grid
    from kohort.schema.domain import Domain

#: The grid of each attribute that has one.
Grids: TypeAlias = "Mapping[str, Grid]"


def compare(release: Release, *, threads: int = 1, engine: Engine = LOCAL) -> GridComparison | None:
    """Compare the release's job with grids and without; if it has none, grids of round numbers are proposed.

    `None` if there is nothing to compare: no number is released as a range or an interval of a grid.

    Cost: two searches of the same table, each with its count, and neither recoding nor verification.
    """
    job = release.job
    check_cuts(job)
    grids: Grids = {one.name: one.grid for one in job.schema.quasi if one.grid is not None}
    proposed = not grids
    if proposed and release.sizes.size:
        grids = _proposed(release, engine)
    if not grids or not release.sizes.size:
        return None
    gridded, ungridded = (
        _exposure(release, _with(job, cuts), grids, threads, engine) for cuts in (grids, dict.fromkeys(grids))
    )
    return GridComparison(gridded, ungridded, {name: _declared(grid) for name, grid in grids.items()}, proposed)


def _declared(grid: Grid) -> str:
    """The grid as `--grid` takes it.

    >>> _declared((Fraction(0), Fraction(37, 2))), _declared(Fraction(5))
    ('0,18.5', '5')
    """
    if isinstance(grid, tuple):
        return ",".join(map(said, grid))
    return said(grid) if isinstance(grid, Fraction) else grid


def check_cuts(job: Job) -> None:
    """Raise if the job's method makes no cuts.

    Raises:
        UsageError: A lattice method releases nodes of hierarchies; there are no cuts to lay on a grid.
    """
    if on_nodes(job.algorithm):
        what = f"{job.algorithm.name} releases nodes of hierarchies, so a grid has no effect"
        raise UsageError(what, where="compare-grid", hint="leave compare-grid out, or choose mondrian")


def _proposed(release: Release, engine: Engine) -> dict[str, Grid]:
    domains = engine.count(release.records.source, release.job, release.population).counts.domains
    numeric = (one for one in domains if one.scale is Scale.NUMERIC and one.label is Label.RANGE)
    steps = ((one.attribute.name, _round_step(one)) for one in numeric)
    return {name: step for name, step in steps if step is not None}


def _round_step(domain: Domain) -> Fraction | None:
    low, high = (Fraction(end) * domain.unit for end in domain.ends)
    return round_step(low, high, whole=domain.unit >= 1)


def _with(job: Job, grids: Mapping[str, Grid | None]) -> Job:
    def changed(attribute: Attribute) -> Attribute:
        return replace(attribute, grid=grids[attribute.name], label=None) if attribute.name in grids else attribute

    return replace(job, schema=replace(job.schema, attributes=tuple(map(changed, job.schema.attributes))))


def _exposure(release: Release, job: Job, names: Collection[str], threads: int, engine: Engine) -> LabelExposure | None:
    """The figures of another job's release of the same table; downcoded cells of these columns."""
    counts = engine.count(release.records.source, job, release.population).counts
    frequency = counts.frequency
    try:
        recoding = job.algorithm.solve(problem_of(counts, job, threads=threads)).recoding
    except InfeasibleError:  # some averages over all classes are met with the cuts of one, and not with the other's
        return None
    assert isinstance(recoding, Multidimensional)  # noqa: S101  only lattice methods recode full domains
    classes = classes_of(recoding, frequency, counts.domains)
    outcome = outcome_of(counts.records, counts.suppressed_by_schema, job.k, classes, None, domains=counts.domains)
    cells = downcoded(recoding, frequency, counts.domains, classes)
    compared = [cells[column] for column, one in enumerate(job.schema.quasi) if one.name in names]
    people = exposed(recoding, frequency, counts.domains, classes)
    share = sum(compared) / (len(compared) * frequency.records)
    return LabelExposure(float(attribute_losses(outcome).sum()), people.people, people.range_ends, share)


def exposed(
    recoding: Multidimensional, frequency: FrequencySet, domains: Sequence[Domain], classes: RegionClasses
) -> Exposed:
    """The people whose exact value a label reveals, counted as the verifier does: see `kohort.core.uniques.Exposed`."""
    by = {kind: np.zeros(recoding.tuples.size, np.bool_) for kind in (Label.RANGE, Label.SET, Label.MEAN)}
    class_of = classes.of[recoding.regions]
    people = None if frequency.people is None else frequency.people[recoding.tuples]
    for column, domain in enumerate(domains):
        if domain.label in by:
            codes = frequency.quasi[recoding.tuples, column]
            printed = _printed(recoding, codes, domain, classes, column) & (np.array(domain.texts) != "")[codes]
            cells = np.stack([class_of[printed], codes[printed]], axis=1).astype(np.uint64)
            owners = None if people is None else people[printed]
            grouping = group(cells)
            single = people_in(grouping.of, grouping.first.size, recoding.counts[printed], owners) == 1
            by[domain.label][np.flatnonzero(printed)[single[grouping.of]]] = True

    def count(pieces: Mask) -> int:
        return int(recoding.counts[pieces].sum()) if people is None else np.unique(people[pieces]).size

    return Exposed(count(np.logical_or.reduce([*by.values()])), *map(count, by.values()))


def _printed(recoding: Multidimensional, codes: Codes, domain: Domain, classes: RegionClasses, column: int) -> Mask:
    """(m,) which pieces have a value that their class's label prints although it covers others."""
    class_of = classes.of[recoding.regions]
    if domain.label is Label.SET:
        several: Mask = _members(class_of, codes, classes.sizes.size)[class_of] > 1
        return several & (not domain.hides_alone)  # which print nothing that one person has alone
    low, high = (ends[classes.first, column][class_of] for ends in (recoding.low, recoding.high))
    ranged: Mask = (low < high) & ~_hides_gap(domain, low)
    if domain.label is Label.RANGE:
        ranged &= (codes == low) | (codes == high)
        return ranged
    labels = classes.labels[column]
    means = [Fraction(text) if text not in {"", "*"} else None for text in labels.texts]
    numbers = [Fraction(text) if text else None for text in domain.texts]
    printed = zip(labels.of[classes.first][class_of].tolist(), codes.tolist(), strict=True)
    ranged &= np.array([means[label] == numbers[code] for label, code in printed], np.bool_)
    return ranged


def downcoded(
    recoding: Multidimensional, frequency: FrequencySet, domains: Sequence[Domain], classes: RegionClasses
) -> list[int]:
    """(d,) cells whose label covers several values although some record of the class must have this very one."""
    class_of = classes.of[recoding.regions]
    cells = [0] * len(domains)
    for column, domain in enumerate(domains):
        low, high = (ends[classes.first, column] for ends in (recoding.low, recoding.high))
        if domain.label is Label.RANGE:
            cells[column] = 2 * int(((low < high) & ~_hides_gap(domain, low)).sum())
        elif domain.label is Label.SET and not domain.hides_alone:
            members = _members(class_of, frequency.quasi[recoding.tuples, column], classes.sizes.size)
            cells[column] = int(members[members > 1].sum())
        elif domain.label is Label.GRID:
            single = domain.upper - domain.positions <= float(domain.step)
            spans = (low < high) & ~_hides_gap(domain, low)
            cells[column] = int(single[low[spans]].sum() + single[high[spans]].sum())
    return cells


def _hides_gap(domain: Domain, low: Codes) -> Mask:
    """Whether a region of numbers holds the missing value: then it is released as `*`."""
    return np.equal(low, domain.missing) & (domain.scale is Scale.NUMERIC)


def _members(class_of: Index, codes: Codes, classes: int) -> Counts:
    pairs = np.stack([class_of, codes], axis=1).astype(np.uint64)
    return np.bincount(class_of[group(pairs).first], minlength=classes).astype(np.int64)
