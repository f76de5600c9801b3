"""Public trees beside trees by likeness: the public one is drafted unless it loses notably more of its column."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.errors import KohortError
from kohort.models.k_anonymity import KAnonymity
from kohort.pipeline import rehearse
from kohort.release import Job
from kohort.schema import Attribute, Role
from kohort.sweeps.prices import sampled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.schema import Schema
    from kohort.schema.hierarchy import Hierarchy
    from kohort.tables.table import Table

#: How much more of a column a tree that everybody reads may lose than one that only the data explain.
NOTABLY: Final = 0.05


def dearer(table: Table, schema: Schema, alike: Mapping[str, Hierarchy], *, k: int) -> dict[str, str]:
    """The columns whose trees by likeness are better than the public ones that they have, and how much, in words.

    Cost: two releases of a sample.
    """
    by_likeness = schema.changed(replace(one, hierarchy=alike[one.name]) for one in schema.quasi if one.name in alike)
    some = sampled(table)
    try:
        public, own = (_losses(some, one, k) for one in (schema, by_likeness))
    except KohortError:  # no release of so few, or one that a run would refuse
        return {}
    return {
        one.name: f"{own[one.name]:.0%} of the column lost on a sample, {public[one.name]:.0%} by {one.hierarchy}"
        for one in schema.quasi
        if one.name in alike and public[one.name] > own[one.name] + NOTABLY
    }


def _losses(some: Table, schema: Schema, k: int) -> Mapping[str, float]:
    """What a release of the quasi-identifiers alone loses of each."""
    kept = [one if one.role is Role.QUASI else Attribute(one.name, Role.DROP) for one in schema.attributes]
    job = Job.of(replace(schema, attributes=tuple(kept)), KAnonymity(k), algorithm=Mondrian("loss"))
    return rehearse(some, job).losses
