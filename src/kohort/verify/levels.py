"""A full-domain release: every quasi-identifier on one level of its hierarchy, and whole classes left out.

Here a value has one label, the node above it on the level that is claimed, whatever that node is called: a label such
as `16-20` is a name and has no ends. And what is left out is known: the records of the classes that fail the models. So
they are grouped on the same levels, and no class of theirs may satisfy the models or lie in the release.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from kohort.verify.classes import classes_of
from kohort.verify.records import differing, labels_of, without_value
from kohort.verify.values import ExpectedLabels, counted, values_of, with_others
from kohort.verify.verdict import Check, fault, places, plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.arrays import Index
    from kohort.schema import Attribute
    from kohort.tables.table import Column, Table
    from kohort.verify.classes import ReleasedClasses
    from kohort.verify.judging import ModelInputs
    from kohort.verify.values import Values
    from kohort.verify.verdict import Claim


def check_level(column: Column, attribute: Attribute, claim: Claim) -> ExpectedLabels:
    """Every cell is a node of the level that is claimed, and the one above the record's own value.

    Cost: one walk over the records.
    """
    source, level = claim.original[column.name], claim.levels[column.name]
    every = with_others(source, claim.known)
    values = values_of(attribute, every, lambda: counted(source, every), claim.schema.missing)
    texts, node = _nodes(values, level, column.name)
    released = labels_of(column)
    label = places(plain(texts, excel_safe=claim.excel_safe), released)
    unknown = np.ones(len(released), np.bool_)
    unknown[label[label >= 0]] = False
    if unknown.any():
        records = int(unknown[column.codes].sum())
        what = f"{int(unknown.sum()):,} labels ({records:,} records) are no node of level {level}"
        raise fault(Check.LABELS, what, column=column.name)
    label = np.where(label < 0, len(released) + np.arange(label.size), label)
    due = np.where((node < 0) | ~values.released, -1, label[node])
    outside = differing(column, due, claim)
    if outside:
        what = f"{outside:,} records are released below nodes that are not above their values"
        raise fault(Check.REGIONS, what, column=column.name)
    return ExpectedLabels(due, values.hierarchy is not None and values.hierarchy.data_dependent)


def _nodes(values: Values, level: int, name: str) -> tuple[pl.Series, Index]:
    """The labels of a level's nodes, and (u,) the node above each value; -1 above what is no leaf.

    A missing value that is no leaf has a node of its own, the last, on every level below the root.
    """
    hierarchy, highest = values.hierarchy, values.attribute.max_level
    assert hierarchy is not None  # noqa: S101  a claim of levels without hierarchies cannot be made
    highest = hierarchy.height if highest is None else min(highest, hierarchy.height)
    if not 0 <= level <= highest:
        raise fault(Check.LABELS, f"there is no level {level} among 0 to {highest}", column=name)
    leaf = places(values.printed, pl.Series(hierarchy.leaves, dtype=pl.String))
    labels = hierarchy.labels[level]
    apart = len(labels) if level < hierarchy.height else 0
    node = np.where(leaf < 0, np.where(values.absent, apart, -1), hierarchy.maps[level][leaf])
    return pl.Series([*labels, ""] if (node == len(labels)).any() else labels, dtype=pl.String), node


def check_suppression(
    table: Table, levels: Mapping[str, ExpectedLabels], classes: ReleasedClasses, inputs: ModelInputs
) -> int:
    """What was left out is whole classes, and each fails some model that judges it alone; how many records that is.

    Records that the schema suppresses for a missing value are in no class. Cost: one grouping of what was left out,
    and of one record of each released class.
    """
    claim = inputs.claim
    gone = ~without_value(claim)
    gone[claim.lineage] = False
    left = np.flatnonzero(gone)
    if not left.size:
        return 0
    due = [one.labels.take(claim.original[name].codes.take(left)) for name, one in levels.items()]
    borne = [table[name].codes.take(classes.first) for name in levels]
    found = classes_of(list(map(np.concatenate, zip(due, borne, strict=True))), left.size + classes.first.size)
    of, released = np.split(found.of, [left.size])
    parted = np.bincount(of, minlength=found.sizes.size).take(released)
    if parted.any():
        what = f"{int(parted.sum()):,} records of {np.count_nonzero(parted):,} released classes are left out"
        raise fault(Check.SUPPRESSED, what)
    _refuse_satisfying(left, of, np.stack(due, axis=1), inputs)
    return left.size


def _refuse_satisfying(left: Index, of: Index, due: Index, inputs: ModelInputs) -> None:
    """Refuse a class of the records `left` out, with the labels they are due, that satisfies the models.

    Models that judge all classes together are no reason to leave one out. Classes too small for the others are not
    looked at: people are no more than their records.
    """
    models = [model for model in inputs.claim.models if not model.declared.joint]
    k = max((model.declared.smallest_class for model in models), default=1)
    large = (np.bincount(of) >= k).take(of)
    if not large.any():
        return
    left, due = left[large], due[large]
    _, first, of = np.unique(of[large], return_index=True, return_inverse=True)
    profile = inputs.profile(of, first.size, left, inputs.left(left))
    if inputs.population is not None:
        profile = replace(profile, whole=inputs.population.counted(profile.whole, due[first], np.arange(first.size)))
    good = np.ones(first.size, np.bool_)
    for model in models:
        good &= profile.satisfied(model)
    if good.any():
        what = f"{int(good.sum()):,} classes ({int(good.take(of).sum()):,} records) are left out for no reason"
        raise fault(Check.SUPPRESSED, what)
