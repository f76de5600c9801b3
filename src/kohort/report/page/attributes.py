"""Each released column before and after.

    name, role, scale
    values          how many different values it had, and how many labels it has; internal only
    single          released records whose cell was not generalized
    before, after   missing (records without a value), numeric {mean, deviation, variance, quantiles {share: number}}
                    or null, ordinal {mean, deviation, variance} or null; variances and quantiles are internal only
    distance        {kind, value, relative}; the public is told `relative` alone
    distribution    unit ("records" or "share"), bins [{label, kind, before, after}]; null where nothing may be told
    homogeneity     of some sensitive columns {people, largest_share}: people in classes of a single value, and the
                    largest share of one value in a class, which is internal only; else null

`kind` of a bin is `value`, `node`, `interval`, `others` or `missing`; the last two have no label.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from kohort.report.comparison import numbers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.comparison import AttributeComparison, Comparison, Distance, Moments
    from kohort.release.homogeneity import Homogeneity
    from kohort.report import Json
    from kohort.report.page.audience import Reader
    from kohort.report.page.groups import Groups, Tally


def attributes(comparison: Comparison, alike: Mapping[str, Homogeneity]) -> list[Json]:
    """All that the steward is told."""
    told = cast("list[dict[str, Json]]", numbers(comparison)["attributes"])
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
        told |= {"distance": _distance(one.distance, comparison.records, reader)}
        told |= {"distribution": _distribution(comparison, tallied.get(one.name), groups.get(one.name), reader)}
        told |= {"homogeneity": _homogeneity(alike.get(one.name), comparison.released, reader)}
        found.append(told)
    return found


def _side(one: AttributeComparison, side: int, records: int, reader: Reader) -> dict[str, Json]:
    """Statistics before (0) or after (1)."""
    numeric = one.numeric[side]
    told = _moments(None if numeric is None else numeric.moments, records, reader)
    return {
        "missing": reader.records(one.missing[side], records),
        "numeric": None if told is None else {**told, "quantiles": None},
        "ordinal": _moments(one.ordinal[side], records, reader),
    }


def _moments(moments: Moments | None, among: int, reader: Reader) -> dict[str, Json] | None:
    """Mean and deviation to a few digits; null of a few people, and where all have the mean for their value."""
    if moments is None or not moments.variance or reader.records(moments.records, among) is None:
        return None
    mean, deviation = reader.digits(moments.mean), reader.digits(moments.variance**0.5)
    return {"mean": mean, "deviation": deviation, "variance": None}


def _distance(found: Distance | None, records: int, reader: Reader) -> Json:
    if found is None or found.relative is None:
        return None
    return {"kind": found.kind, "value": None, "relative": reader.share(found.relative, records)}


def _distribution(comparison: Comparison, tally: Tally | None, groups: Groups | None, reader: Reader) -> Json:
    """The groups that may be told, in shares."""
    if groups is None or tally is None:
        return None
    records, released = max(comparison.records, 1), max(comparison.released, 1)
    before = tally.of(groups.of, len(groups.labels)).records
    rows = zip(groups.labels, groups.kinds, before.tolist(), groups.after.tolist(), strict=True)
    return {
        "unit": "share",
        "bins": [
            {
                "label": label,
                "kind": kind,
                "before": reader.share(had / records, records),
                "after": reader.share(has / released, released),
            }
            for label, kind, had, has in rows
        ],
    }


def _homogeneity(alike: Homogeneity | None, released: int, reader: Reader) -> Json:
    return None if alike is None else {"people": reader.people(alike.alike, released), "largest_share": None}


def associations(comparison: Comparison, reader: Reader) -> list[Json]:
    """How far pairs of columns go together, before and after."""
    told = cast("list[dict[str, Json]]", numbers(comparison)["associations"])
    if reader.knows_all:
        return [*told]
    return [
        one | {key: _rounded(one[key], comparison.records, reader) for key in ("before", "after", "change")}
        for one in told
    ]


def _rounded(value: Json, records: int, reader: Reader) -> Json:
    return reader.share(value, records) if isinstance(value, float | int) else None
