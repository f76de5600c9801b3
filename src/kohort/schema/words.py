"""The words of a schema: what can be said of a column."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

from kohort.errors import SchemaError

E = TypeVar("E", bound=StrEnum)


class Role(StrEnum):
    """What a column tells about a person, and so what a release does with it."""

    IDENTIFYING = "identifying"
    """Names the person alone (name, tax code): never released, at most a pseudonym in its place."""
    QUASI = "quasi"
    """Helps to single the person out together with others: generalized."""
    SENSITIVE = "sensitive"
    """What nobody may learn about the person: released unchanged."""
    INSENSITIVE = "insensitive"
    """Neither: released unchanged."""
    DROP = "drop"
    """Not needed: never released, whatever it tells."""

    @property
    def released(self) -> bool:
        """Whether a release has such a column, pseudonyms apart."""
        return self not in {Role.IDENTIFYING, Role.DROP}

    @property
    def said(self) -> str:
        """The role as a sentence about the column has it.

        >>> Role.DROP.said, Role.QUASI.said
        ('dropped', 'quasi')
        """
        return "dropped" if self is Role.DROP else self.value


class Scale(StrEnum):
    """Whether a column's values are numbers or names."""

    NUMERIC = "numeric"
    CATEGORICAL = "categorical"


class Order(StrEnum):
    """The order that gives categorical values their codes (semantics R1)."""

    HIERARCHY = "hierarchy"
    FREQUENCY = "frequency"
    SORTED = "sorted"


class Label(StrEnum):
    """What a region's values are released as (semantics R6)."""

    RANGE = "range"
    SET = "set"
    ANCESTOR = "ancestor"
    MEAN = "mean"
    GRID = "grid"


class Missing(StrEnum):
    """What a missing quasi-identifying value means."""

    VALUE = "own-value"
    """A value like any other: it must be shared by k records too. The default."""
    SUPPRESS = "suppress"
    """The record is suppressed, and counted as such."""
    REFUSE = "refuse"
    """An error."""


def word(kind: type[E], value: str | None, where: str) -> E:
    """The word of the list that `value` is; text that only looks like it would slip through comparisons."""
    try:
        return kind(str(value))
    except ValueError:
        raise SchemaError("no such word", where=where, hint=f"one of {', '.join(kind)}") from None
