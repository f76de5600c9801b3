"""What a release cost by its labels alone, where the schema is at hand: C_DM, C_AVG and LM.

A class is the released records with equal quasi-identifying labels. What a label hides is read from its text: one that
prints the mean of a class counts as the number it is, so that LM is then too small.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kohort.assessment.classes import classes_of, records_of
from kohort.assessment.comparison.line import summed
from kohort.assessment.labels import canonical, leaves_below, printed_values
from kohort.metrics.base import Outcome
from kohort.metrics.class_size import C_AVG
from kohort.metrics.discernibility import C_DM
from kohort.metrics.loss import LM, NCP, attribute_losses
from kohort.schema import Label
from kohort.schema.domain.base import part_of
from kohort.schema.hierarchy import SUPPRESSED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kohort.arrays import Counts, Shares
    from kohort.assessment.comparison.line import Line
    from kohort.schema.domain import Domain
    from kohort.schema.hierarchy import Hierarchy


@dataclass(frozen=True, slots=True, eq=False)
class Cost:
    """What a release cost.

    Attributes:
        quasi: The quasi-identifiers.
        sizes: (c,) records of each class.
        suppressed: Records that are not released.
        lm: The sum of the attributes' losses.
        ncp: Their mean.
        c_dm: The sum of squared class sizes, and n for each suppressed record.
        c_avg: Mean class size over k; `None` where k is not known.
        losses: The loss of each quasi-identifier, in 0..1.
    """

    quasi: tuple[str, ...]
    sizes: Counts
    suppressed: int
    lm: float
    ncp: float
    c_dm: float
    c_avg: float | None
    losses: Mapping[str, float]


def cost(lines: Sequence[Line], *, k: int | None = None) -> Cost | None:
    """The cost of a release by the lines of its quasi-identifiers; `None` without any."""
    if not lines:
        return None
    sizes = classes_of(records_of([line.after.codes for line in lines])).sizes
    records = lines[0].before.total
    losses = np.array([_lost(line) for line in lines])
    outcome = Outcome(records, records - int(sizes.sum()), k or 1, sizes, losses, np.ones(len(lines)))
    names = tuple(line.name for line in lines)
    return Cost(
        names,
        sizes,
        outcome.suppressed,
        LM(outcome),
        NCP(outcome),
        C_DM(outcome),
        None if k is None else C_AVG(outcome),
        dict(zip(names, attribute_losses(outcome).tolist(), strict=True)),
    )


def _lost(line: Line) -> float:
    """The loss of a quasi-identifier, summed over the released records."""
    domain = line.known.domain
    assert domain is not None  # noqa: S101  every quasi-identifier has one
    return float(label_losses(line, domain) @ line.after.records)


def label_losses(line: Line, domain: Domain) -> Shares:
    """(l,) share of the domain that each label may stand for: (M - 1)/(|A| - 1), or of a range its width."""
    means, texts = line.after.means, line.after.texts
    held = summed(means.of, means.width, means.labels)
    if line.numeric:  # a missing value has no place among numbers, but is one of those that a set names
        held = np.maximum(held, [*map(_listed, texts)])
    if line.numeric and domain.label not in {Label.ANCESTOR, Label.SET}:
        low, high = np.full(means.labels, np.inf), np.full(means.labels, -np.inf)
        np.minimum.at(low, means.of, means.low)
        np.maximum.at(high, means.of, means.high)
        first, last = (float(end) * float(domain.unit) * 10.0**line.digits for end in domain.ends)
        width = np.minimum(high, last) - np.maximum(low, first)
        ranges = part_of(last - first, np.where(held > 0, np.maximum(width, 0.0), 0.0))
        found = np.where([_listed(text) > 0 for text in texts], part_of(domain.others, held - 1), ranges)
    else:
        if line.numeric and domain.hierarchy is not None:
            covered = _covered(domain.hierarchy)
            held = np.array([covered.get(text, 1) for text in texts], dtype=np.float64)
        found = part_of(domain.others, np.maximum(held - 1, 0.0))
    return np.where([text == SUPPRESSED for text in texts], float(domain.extent > 0), found)


def _listed(label: str) -> int:
    """How many values a set names; 0 of any other label."""
    return len({canonical(member) for member in printed_values(label)}) if label.startswith("{") else 0


def _covered(hierarchy: Hierarchy) -> dict[str, int]:
    """The leaves below each node; of nodes with the same name the most."""
    return {label: max(high - low + 1 for low, high in leaves) for label, leaves in leaves_below(hierarchy).items()}
