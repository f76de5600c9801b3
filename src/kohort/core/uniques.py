"""Figures that the search and verification share: people whom columns single out, and whose values labels expose."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kohort.errors.display import OPEN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.schema import Schema


@dataclass(frozen=True, slots=True)
class Singling:
    """How many people a column, or a pair of columns, singles out.

    Attributes:
        columns: The column, or the pair.
        unique: People with a unique value, or pair of values. Without a person key each record counts as a person.
        people: All people.

    >>> Singling(("ticket",), 3, 4).share
    0.75
    """

    columns: tuple[str, ...] = field(metadata=OPEN)
    unique: int = field(metadata={"public": "people"})
    people: int

    @property
    def share(self) -> float:
        """The share of the people who are singled out."""
        return self.unique / max(self.people, 1)

    @property
    def most(self) -> bool:
        """Whether more than half of the people are: it is refused then."""
        return 2 * self.unique > self.people

    @property
    def many(self) -> bool:
        """Whether more than 5 % of the people are: it is reported then."""
        return 20 * self.unique > self.people


def together_of(schema: Schema, answers: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """The sets of columns by which people are counted who are alone, as soon as any column is not generalized.

    All that are not generalized; the same with the labels of the class; the first three answers, the first five, all.
    """
    names, labels = (tuple(one.name for one in part) for part in (schema.unchanged, schema.quasi))
    some = dict.fromkeys((*answers[:count],) for count in (_FEW, _SOME, len(answers)))
    return (names, (*labels, *names), *filter(None, some)) if names else ()


#: Answers that somebody may happen to know of a person.
_FEW, _SOME = 3, 5


@dataclass(frozen=True, slots=True)
class Exposed:
    """People whose exact value of a quasi-identifier a label reveals: it prints the value, and they alone have it.

    A label prints the ends of a range, the members of a set, and a mean. A person is exposed if the label covers
    several values, prints this one, and nobody else in the class has it: one detail (the youngest, the one from there)
    is then enough to find the record. The ends of a grid's intervals and the nodes of a hierarchy are not data, and a
    missing value is not a value.

    Attributes:
        people: People exposed by any column. Without a person key each record counts as a person.
        range_ends: By an end of a range.
        set_members: By a member of a set.
        means: By a mean that is the person's own value.
    """

    people: int = 0
    range_ends: int = 0
    set_members: int = 0
    means: int = 0
