"""Whom of a population table the cells of each class fit, as anybody reads them who has nothing but the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kohort.assessment.checking.classes import classes_of
from kohort.core.covering import covered_by
from kohort.core.covering import fitting as fitting_tuples
from kohort.errors import SchemaError
from kohort.schema import Attribute, Missing, Role
from kohort.schema.hierarchy import SUPPRESSED

if TYPE_CHECKING:
    from kohort.arrays import Counts, Mask
    from kohort.assessment.checking.classes import Classes
    from kohort.engines.table import Column, Table
    from kohort.schema import Schema


def fitting(classes: Classes, population: Table, schema: Schema) -> tuple[Counts, int]:
    """(c,) people of the population whom the cells of each class cover, and how many nobody's do.

    Who lacks a value for which the schema suppresses a record is none of them, as in a search.

    Args:
        classes: The classes.
        population: The population table.
        schema: The hierarchies of quasi-identifying columns, where cells are nodes of them; what a missing value is
            written as, and means.

    Raises:
        SchemaError: the population table lacks a column.
        InputError: cells cannot be read as labels.
        HierarchyError: a builder cannot make a hierarchy of the population's values.
    """
    names = [column.name for column in classes.columns]
    lacking = [name for name in names if name not in population.names]
    if lacking:
        what = f"the population table has no column {', '.join(lacking)}"
        hint = "it must have every quasi-identifying column, by the same name"
        raise SchemaError(what, where="population", hint=hint)
    people, known = classes_of(population, names), {one.name: one for one in schema.quasi}
    attributes = [known.get(name, Attribute(name, Role.QUASI)) for name in names]
    covered = [
        covered_by(_texts(cells, schema), _texts(values, schema), column=one.name, hierarchy=one.hierarchy)
        for one, cells, values in zip(attributes, classes.columns, people.columns, strict=True)
    ]
    counts = people.sizes * ~_suppressed(people, attributes, schema)
    found, strangers = np.zeros(classes.sizes.size, np.int64), np.ones(counts.size, np.bool_)
    for alike, who in fitting_tuples(classes.codes, people.codes, covered):
        found[alike], strangers[who] = counts[who].sum(), False
    return found, int(counts[strangers].sum())


def _texts(column: Column, schema: Schema) -> list[str]:
    """The values of a column; a missing one is empty. `*` stands for anything, whatever else it may mean."""
    missing = schema.missing - {SUPPRESSED}
    return ["" if text is None or text in missing else text for text in column.values.to_list()]


def _suppressed(people: Classes, attributes: list[Attribute], schema: Schema) -> Mask:
    """(p,) who of the different people lacks a value for which the schema suppresses a record."""
    suppressed = np.zeros(people.sizes.size, np.bool_)
    for column, codes, attribute in zip(people.columns, people.codes.T, attributes, strict=True):
        if attribute.missing is Missing.SUPPRESS:
            absent = [text is None or text in schema.missing for text in column.values.to_list()]
            suppressed |= np.array(absent, np.bool_)[codes]
    return suppressed
