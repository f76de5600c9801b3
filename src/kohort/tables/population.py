"""The population table: people whom an attacker may know, in the codes of the domains of the table to release."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kohort.core.frequency import FrequencySet, group
from kohort.errors import SchemaError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Index
    from kohort.schema import Schema
    from kohort.tables.table import Column, Table


def check_columns(population: Table, schema: Schema) -> None:
    """Refuse a population table that lacks a quasi-identifying column."""
    lacking = [one.name for one in schema.quasi if one.name not in population.names]
    if lacking:
        raise SchemaError(
            f"the population table has no column {', '.join(lacking)}",
            where="population",
            hint="it must have every quasi-identifying column, by the same name",
        )


def with_others(column: Column, other: Column | None) -> list[str | None]:
    """The values of a column, then those that only the same column of the population table has."""
    values: list[str | None] = column.values.to_list()
    known = set(values)
    return values + [value for value in (other.values.to_list() if other else ()) if value not in known]


def population_tuples(population: Table, table: Table, schema: Schema, codes: Sequence[Index]) -> FrequencySet:
    """The tuples of the population table, without the records that the schema would suppress for a missing value.

    Args:
        population: The population table.
        table: The table to release.
        schema: Over the table's columns.
        codes: Of each quasi-identifier, the code of each value `with_others`; negative where it is suppressed.
    """
    columns: list[Index] = []
    for attribute, code_of in zip(schema.quasi, codes, strict=True):
        column = population[attribute.name]
        code = dict(zip(with_others(table[attribute.name], column), code_of.tolist(), strict=True))
        columns.append(np.array([code[value] for value in column.values.to_list()], np.int64)[column.codes])
    every = np.stack(columns, axis=1)
    matrix = every[(every >= 0).all(axis=1)].astype(np.uint32)
    grouping = group(matrix)
    return FrequencySet(matrix[grouping.first], np.empty((grouping.first.size, 0), np.uint32), grouping.counts)
