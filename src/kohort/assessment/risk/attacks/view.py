"""A release as an attacker sees it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kohort.assessment.classes import classes_of, records_of
from kohort.assessment.labels import canonical, cell_texts
from kohort.assessment.population import PopulationTuples, match_population
from kohort.errors import SchemaError
from kohort.schema.sensitive import even_spelling

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kohort.arrays import Index
    from kohort.assessment.classes import Classes
    from kohort.assessment.population import PopulationMatch
    from kohort.schema.hierarchy import Hierarchy
    from kohort.tables.table import Table


@dataclass(frozen=True, slots=True, eq=False)
class ReleaseView:
    """The classes of a release and their labels.

    Attributes:
        quasi: The columns that an attacker knows of people.
        labels: (d,) the distinct cells of each; "" is the missing value.
        classes: The classes of the records.
    """

    quasi: tuple[str, ...]
    labels: tuple[Sequence[str], ...]
    classes: Classes

    @classmethod
    def over(cls, table: Table, quasi: Sequence[str]) -> ReleaseView:
        """The classes of equal cells in the columns `quasi`."""
        labels = tuple(cell_texts(table[name]) for name in quasi)
        return cls(tuple(quasi), labels, classes_of(records_of([table[name].codes for name in quasi])))

    @property
    def records(self) -> int:
        """Records of the release."""
        return self.classes.of.size

    def match(self, people: Table, hierarchies: Mapping[str, Hierarchy | str]) -> PopulationMatch:
        """Match `people` with the classes, by all quasi-identifying columns that both tables have.

        Raises:
            SchemaError: There is no such column.
            InputError: Labels cannot be read.
        """
        places = [place for place, name in enumerate(self.quasi) if name in people.names]
        if not places:
            hint = "it needs quasi-identifying columns by the release's names"
            raise SchemaError("a table of people has no column in common with the release", hint=hint)
        known = PopulationTuples.in_table(people, [self.quasi[place] for place in places])
        labels = [self.labels[place] for place in places]
        return match_population(known, labels, self.classes.codes[:, places], hierarchies)


def sensitive_codes(tables: Sequence[Table], name: str) -> tuple[list[Index], tuple[str, ...]]:
    """(n,) codes of a sensitive column's cells, table by table, and their texts; below 0 where a value is missing.

    Spellings that a reader takes for one value have one code, and so have equal numbers.
    """
    code: dict[str, int] = {}
    codes: list[Index] = []
    for table in tables:
        texts = [text and canonical(even_spelling(text)) for text in cell_texts(table[name])]
        places = [code.setdefault(text, len(code)) if text else -1 for text in texts]
        codes.append(np.array(places, dtype=np.int64)[table[name].codes])
    return codes, tuple(code)
