"""Each released column before and after.

    name, role, scale
    values          how many different values it had, and how many labels it has; internal only
    single          released records whose cell was not generalized
    before, after   missing (records without a value), numeric {mean, deviation, variance, quantiles {share: number}}
                    or null, ordinal {mean, deviation, variance} or null; the public is told means and deviations of
                    numbers, and of `before` nothing where too few records were left out to be told
    distance        {kind, value, relative}; the public is told `relative` alone, where it is told `before`
    distribution    unit ("records" or "share"), bins [{label, kind, before, after}]; null where nothing may be told
    homogeneity     of some sensitive columns {people, largest_share}: people in classes of a single value, and the
                    largest share of one value in a class, which is internal only; else null

`kind` of a bin is `value`, `node`, `interval`, `others` or `missing`; the last two have no label.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.assessment.comparison import AttributeComparison, Comparison, Distance
    from kohort.assessment.comparison.statistics import NumericStatistics
    from kohort.release.homogeneity import Homogeneity
    from kohort.report import Json
    from kohort.report.page.audience import Reader
    from kohort.report.page.groups import Groups, Tally


def attributes(figures: Mapping[str, Json], alike: Mapping[str, Homogeneity]) -> list[Json]:
    """All that the steward is told, from the figures of the comparison."""
    told = cast("list[dict[str, Json]]", figures["attributes"])
    return [_with_units(one, alike.get(str(one["name"]))) for one in told]


def _with_units(one: dict[str, Json], alike: Homogeneity | None) -> dict[str, Json]:
    distribution: dict[str, Json] = {"unit": "records", **cast("dict[str, Json]", one["distribution"])}
    homogeneity: Json = None if alike is None else {"people": alike.alike, "largest_share": round(alike.share, 10)}
    return {**one, "distribution": distribution, "homogeneity": homogeneity}


def public_attributes(
    comparison: Comparison,
    alike: Mapping[str, Homogeneity],
    tallied: Mapping[str, Tally],
    groups: Mapping[str, Groups],
    reader: Reader,
) -> list[Json]:
    """What anybody may be told."""
    found: list[Json] = []
    for one in comparison.attributes:
        told: dict[str, Json] = {"name": one.name, "role": one.role and one.role.value, "scale": one.scale.value}
        told |= {"values": None, "single": reader.records(one.single, comparison.released)}
        told |= {"before": _side(one, 0, comparison.records, reader) if reader.counts_input else None}
        told |= {"after": _side(one, 1, comparison.released, reader)}
        told |= {"distance": _distance(one.distance, comparison.records, reader) if reader.counts_input else None}
        told |= {"distribution": _distribution(comparison, tallied.get(one.name), groups.get(one.name), reader)}
        told |= {"homogeneity": _homogeneity(alike.get(one.name), comparison.released, reader)}
        found.append(told)
    return found


def _side(one: AttributeComparison, side: int, records: int, reader: Reader) -> dict[str, Json]:
    """Statistics before (0) or after (1)."""
    return {
        "missing": reader.records(one.missing[side], records),
        "numeric": _numeric(one.numeric[side], _span(one), records, reader),
        "ordinal": None,
    }


def _span(one: AttributeComparison) -> float:
    """From the least to the greatest number: the most that one person adds to a sum."""
    return max((side.quantiles[-1] - side.quantiles[0] for side in one.numeric if side is not None), default=0.0)


def _numeric(found: NumericStatistics | None, span: float, among: int, reader: Reader) -> Json:
    """Mean and deviation; null of a few people, and where all have the mean for their value."""
    if found is None or reader.records(found.moments.records, among) is None:
        return None
    records, deviation = found.moments.records, found.moments.deviation
    if not deviation:
        return None
    return {
        "mean": reader.figure(found.moments.mean, span / records),
        "deviation": reader.figure(deviation, span * span / (2 * records * deviation)),
        "variance": None,
        "quantiles": None,
    }


def _distance(found: Distance | None, records: int, reader: Reader) -> Json:
    if found is None or found.relative is None:
        return None
    return {"kind": found.kind, "value": None, "relative": reader.share(found.relative, records)}


def _distribution(comparison: Comparison, tally: Tally | None, groups: Groups | None, reader: Reader) -> Json:
    """The groups that may be told, in shares."""
    if groups is None or tally is None:
        return None
    before = tally.of(groups.of, len(groups.labels)).records
    rows = zip(groups.labels, groups.kinds, before.tolist(), groups.after.tolist(), strict=True)
    return {
        "unit": "share",
        "bins": [
            {
                "label": label,
                "kind": kind,
                "before": reader.part(had, comparison.records),
                "after": reader.part(has, comparison.released),
            }
            for label, kind, had, has in rows
        ],
    }


def _homogeneity(alike: Homogeneity | None, released: int, reader: Reader) -> Json:
    return None if alike is None else {"people": reader.people(alike.alike, released), "largest_share": None}
