"""The risk of a file in numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.assessment.risk import Risk
    from kohort.assessment.risk.knowledge import Knowledge
    from kohort.assessment.risk.quasi_identifiers import IdentifyingSets, Separation
    from kohort.assessment.risk.reidentification import Exposure
    from kohort.assessment.risk.uniqueness import Uniqueness
    from kohort.report import Json

#: Subsets of known columns, and sets that single out, that are listed: the worst of them.
LISTED: Final = 10


def numbers(risk: Risk, *, values: bool = False) -> dict[str, Json]:
    """The figures of `risk` as one JSON object; with `values`, cells of the smallest classes too.

    Keys: records, people (null: records are counted), quasi, classes, smallest, largest; threshold; prosecutor and
    journalist (null: nothing is known of the population), each highest, average, over, at_highest; marketer; uniqueness
    (sample, share; population_size, population, in_file, trusted, estimates); known (of m quasi-identifiers: subsets,
    tried, complete, average, worst: a list of columns with their risks); undeclared (names), alone and together (sets
    that identify: found, sets, base, tried, complete, sampled, missed); singling (columns that single out by
    themselves); worst_values (null: not asked for).
    """
    return {
        "records": risk.records,
        "people": risk.people,
        "quasi": [*risk.quasi],
        "classes": risk.sizes.size,
        "smallest": int(risk.sizes.min()),
        "largest": int(risk.sizes.max()),
        "threshold": float(risk.threshold),
        "prosecutor": _exposure(risk.prosecutor),
        "journalist": _journalist(risk),
        "marketer": _share(risk.marketer),
        "uniqueness": _uniqueness(risk.uniqueness),
        "known": None if risk.knowledge is None else _known(risk.knowledge, risk.quasi),
        "undeclared": [*risk.undeclared],
        "alone": _search(risk.alone, risk.undeclared),
        "together": _search(risk.together, risk.undeclared),
        "singling": [
            {"column": one.columns[0], "unique": one.unique, "share": _share(one.share)} for one in risk.singling
        ],
        "worst_values": [dict(zip(risk.quasi, row, strict=True)) for row in risk.worst] if values else None,
    }


def _exposure(exposure: Exposure) -> dict[str, Json]:
    return {
        "highest": _share(exposure.highest),
        "average": _share(exposure.average),
        "over": _share(exposure.over),
        "at_highest": exposure.at_highest,
    }


def _journalist(risk: Risk) -> Json:
    """The risks among the population; null where nothing is known of it."""
    one = risk.journalist
    if one is None:
        return None
    return {"by": one.by, **_exposure(one.exposure), "marketer": _share(one.marketer), "unknown": one.unknown}


def _uniqueness(found: Uniqueness) -> dict[str, Json]:
    return {
        "sample": found.sample,
        "share": _share(found.share),
        "population_size": found.population_size,
        "population": _number(found.population),
        "in_file": _number(found.in_file),
        "trusted": found.trusted or None,
        "estimates": [
            {
                "estimator": one.estimator,
                "uniques": _number(one.uniques),
                "reason": one.reason or None,
                "parameters": {name: float(f"{value:.6g}") for name, value in one.parameters.items()},
            }
            for one in found.estimates
        ],
    }


def _known(found: Knowledge, quasi: Sequence[str]) -> dict[str, Json]:
    return {
        "m": found.m,
        "subsets": found.subsets,
        "tried": len(found.known),
        "complete": found.complete,
        "average": _share(found.average),
        "worst": [
            {
                "columns": [quasi[column] for column in one.columns],
                "highest": _share(one.highest),
                "average": _share(one.average),
                "over": _share(one.over),
                "uniques": one.uniques,
            }
            for one in found.known[:LISTED]
        ],
    }


def _search(found: IdentifyingSets, names: Sequence[str]) -> dict[str, Json]:
    return {
        "found": len(found.found),
        "sets": [
            {"columns": [names[column] for column in one.columns], **_separation(one.figures)}
            for one in found.found[:LISTED]
        ],
        "base": None if found.base is None else _separation(found.base),
        "tried": found.tried,
        "complete": found.complete,
        "sampled": found.sampled,
        "missed": None if found.missed is None else _share(found.missed),
    }


def _separation(figures: Separation) -> dict[str, Json]:
    return {
        "distinctness": _share(figures.distinctness),
        "separation": _share(figures.separation),
        "unique": _share(figures.unique),
        "others": _share(figures.others),
    }


def _share(share: float) -> float:
    """A share, rounded to what nobody misses."""
    return round(share, 10)


def _number(number: float | None) -> float | None:
    """How many, to a tenth: no estimate is finer."""
    return None if number is None else round(number, 1)
