"""What is changed in released cells besides generalization: perturbed values, pseudonyms."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kohort.core.order import order_by
from kohort.schema import Role
from kohort.tables.coded import Recoded
from kohort.tables.order import content_keys
from kohort.tables.table import Column, Table

if TYPE_CHECKING:
    from kohort.perturbation.effect import Effect
    from kohort.release import Job
    from kohort.schema import Schema
    from kohort.tables.pseudonyms import Linked


@dataclass(frozen=True, slots=True)
class Altered:
    """Released records whose cells were changed, in the order of their new content.

    Attributes:
        recoded: The records.
        effects: What perturbations did.
        linked: How far pseudonyms link records.
    """

    recoded: Recoded
    effects: tuple[Effect, ...] = ()
    linked: tuple[Linked, ...] = ()


def coarsened(table: Table, job: Job) -> Table | None:
    """The columns that a model is about and a perturbation changes value by value, as it leaves them.

    Search, release and verification judge these values: rounded incomes, say. `None` where there are no such columns.
    """
    judged = {model.declared.sensitive for model in job.models}
    chosen = tuple(one for one in job.perturbations if one.valuewise and judged.intersection(one.columns))
    if not chosen:
        return None
    from kohort.tables.perturbing import perturbed  # noqa: PLC0415  most jobs change nothing

    some = Table(tuple(table[name] for one in chosen for name in one.columns), table.records)
    return perturbed(some, chosen, missing=job.schema.missing, seed=None)


def with_columns(table: Table, other: Table | None) -> Table:
    """The table with the columns of another in place of its own of the same names."""
    if other is None:
        return table
    return Table(tuple(other[one.name] if one.name in other.names else one for one in table.columns), table.records)


def altered(recoded: Recoded, job: Job, source: Table, changed: Table | None = None) -> Altered:
    """The records as they are released: perturbed, with pseudonyms, and in an order that tells nothing of before.

    Cost: besides the perturbations themselves one sort of the records.

    Args:
        recoded: The generalized records.
        job: The job.
        source: The table as it was read.
        changed: The columns that were changed before the search; see `coarsened`.
    """
    if not job.perturbations and job.key is None:
        return Altered(recoded)
    from kohort.tables.perturbing import perturb  # noqa: PLC0415  most jobs change nothing; see `kohort.perturbation`
    from kohort.tables.pseudonyms import linked_by, pseudonymize  # noqa: PLC0415

    done: tuple[Column, ...] = ()
    if changed is not None:  # what a perturbation did is measured from the cells as they were read
        done = tuple(recoded.table[name] for name in changed.names)
        own = Table(tuple(source[name] for name in changed.names), source.records).take(recoded.lineage)
        recoded = replace(recoded, data=with_columns(recoded.table, own))
    missing, named = job.schema.missing, [one.name for one in job.schema.pseudonyms]
    table, effects = perturb(recoded.table, job.perturbations, missing=missing, seed=job.seed, done=done)
    if job.key is not None:
        table = pseudonymize(table, named, job.key, missing=missing)
    return Altered(_in_order(table, recoded, job.schema), effects, linked_by(table, named, missing=missing))


def _in_order(table: Table, recoded: Recoded, schema: Schema) -> Recoded:
    """The records by their content, generalized columns first: the order they had tells what the cells were."""
    names = [one.name for one in schema.quasi]
    names += [one.name for one in schema.released if one.role is not Role.QUASI]
    order = order_by(content_keys((table[name].values, table[name].codes) for name in names))
    columns = (
        Column(one.name, one.values, one.codes[order], one.dtype, notation=one.notation) for one in table.columns
    )
    return Recoded(Table(tuple(columns), table.records), recoded.lineage[order], recoded.lost)
