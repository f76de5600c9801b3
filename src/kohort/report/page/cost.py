"""What the release cost: quality metrics, and the loss of each quasi-identifier."""

from __future__ import annotations

from math import log2
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.release import Release
    from kohort.report import Json
    from kohort.report.page.audience import Reader
    from kohort.schema import Attribute

#: Each metric in one sentence.
SAYS: Final = MappingProxyType(
    {
        "lm": "Loss metric: the losses of all quasi-identifiers added up; 0 is nothing lost, their number all.",
        "ncp": "The mean loss of a quasi-identifier: 0 is nothing lost, 1 is all lost.",
        "lm_geometric": "The geometric mean of the losses of the quasi-identifiers: 0 is nothing lost, 1 is all lost.",
        "arx_loss": "What ARX calls Loss: 0 is nothing lost, 1 is all lost.",
        "c_dm": "Discernibility: every record counts the records of its class; one left out counts all records.",
        "c_avg": "The mean size of a class over k: 1 is the least that k allows.",
        "precision": "One minus the mean share of the hierarchies' height that values were raised: 1 is nothing lost.",
        "entropy": "Bits: how much less the released values tell of the original ones, summed over all records.",
        "height": "The levels of all quasi-identifiers, added up: 0 is the table as it was.",
    }
)

#: Metrics that whoever has the release can count, but for the records left out.
_COUNTED: Final = frozenset({"c_dm", "c_avg", "height"})

#: Of these, those to which the records left out add nothing: all others together would tell how few they are.
_RELEASED: Final = frozenset({"c_avg", "height"})


def metrics(release: Release, reader: Reader) -> list[Json]:
    """Every metric that is defined, with what it says."""
    return [
        {"name": name, "value": _value(name, value, release, reader), "says": SAYS[name]}
        for name, value in release.metrics.items()
    ]


def _value(name: str, value: float, release: Release, reader: Reader) -> Json:
    """A metric; null where it would tell how few records were left out."""
    records = max(release.source.records, 1)
    if name not in _RELEASED and not reader.counts_input:
        return None
    if reader.knows_all or name in _COUNTED:
        return whole(round(value, 10))
    worth = {"lm": len(release.losses) / records, "entropy": log2(2 * records)}
    return whole(reader.figure(value, worth.get(name, 1 / records)))


def whole(value: float) -> Json:
    """A figure, as an integer where it is one."""
    return int(value) if value.is_integer() and abs(value) > 1 else value


def losses(release: Release, members: Mapping[str, float], reader: Reader) -> list[Json]:
    """The loss of each quasi-identifier, its level where it has one, and the height of its hierarchy.

    A record left out loses everything: where it may not be told how many these are, neither are losses. How many
    members sets have is printed in the release.
    """
    heights = _heights(release)
    return [
        {
            "column": one.name,
            "loss": _loss(release, one, reader) if one.name in release.losses and reader.counts_input else None,
            "level": release.levels.get(one.name),
            "height": heights.get(one.name),
            "members": round(members[one.name], 2) if one.name in members else None,
        }
        for one in release.job.schema.quasi
    ]


def _loss(release: Release, one: Attribute, reader: Reader) -> float:
    return reader.share(release.losses[one.name], release.source.records)


def _heights(release: Release) -> dict[str, int]:
    """The heights of the hierarchies of a lattice."""
    domains = release.problem.domains if release.problem else ()
    return {one.attribute.name: one.hierarchy.height for one in domains if one.hierarchy is not None}
