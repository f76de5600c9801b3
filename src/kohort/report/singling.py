"""Whom the columns of a release single out that are not generalized, as figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kohort.assessment.risk.rounding import proposed
from kohort.release.homogeneity import people_of
from kohort.verify.singling import singled_out

if TYPE_CHECKING:
    from kohort.arrays import Index
    from kohort.core.uniques import Singling
    from kohort.release import Release
    from kohort.report import Json


def singling_numbers(release: Release) -> list[Json]:
    """The key `singling`: what verification counted; of a dry run, what it would count.

    Of each column, and of pairs: columns (one or two names), unique (people whose value, or pair of values, nobody else
    has), share (of the people); rounding (null, or of a column of numbers that singles out more than 5 %: perturb, the
    value of `--perturb` with which it no longer does; unique, how many it singles out then; change, how far a value
    moves on average; and spread, that as a share of the standard deviation).
    """
    people = people_of(release)
    if release.verdict is None:
        found = singled_out([release.table[one.name] for one in release.job.schema.unchanged], people)
    else:
        found = release.verdict.singling
    return [
        {
            "columns": [*one.columns],
            "unique": one.unique,
            "share": round(one.share, 10),
            "rounding": _rounding(release, one, people),
        }
        for one in found
    ]


def _rounding(release: Release, one: Singling, people: Index | None) -> Json:
    """The rounding that is proposed for a column; none of a pair, and none of one that is perturbed."""
    name, *others = one.columns
    if not one.many or others or any(name == effect.column for effect in release.effects):
        return None
    found = proposed(release.table[name], missing=release.job.schema.missing, people=people)
    if found is None:
        return None
    return {
        "perturb": found.perturbation(name),
        "unique": found.after,
        "change": round(found.change, 10),
        "spread": round(found.spread, 10),
    }
