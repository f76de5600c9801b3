"""One column of a schema.

The words of a schema: what can be said of a column.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, TypeVar, cast

from kohort.errors import SchemaError
from kohort.errors.display import parameters
from kohort.schema.dates import DateFormat, Period

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.schema.hierarchy import Hierarchy


E = TypeVar("E", bound=StrEnum)


class Role(StrEnum):
    """What a column reveals about a person, and so what a release does with it."""

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
    """Whether a column's values are numbers, names or dates."""

    NUMERIC = "numeric"
    CATEGORICAL = "categorical"
    DATE = "date"
    """Days, which are released as ranges of days."""


class Order(StrEnum):
    """The order that gives categorical values their codes (semantics R1)."""

    HIERARCHY = "hierarchy"
    FREQUENCY = "frequency"
    SORTED = "sorted"


class Label(StrEnum):
    """The kind of label that replaces a region's values (semantics R6)."""

    RANGE = "range"
    SET = "set"
    ANCESTOR = "ancestor"
    MEAN = "mean"
    GRID = "grid"
    NAMES = "set-of-names"
    """A set where the values are names; numbers have their own label."""
    COMPANIONS = "companions"
    """The same, where a name that one person of the region alone has stands beside another one, which is most alike."""
    OWN = "own"
    """What a job says of its columns that are released in their own way; an attribute has no such label."""

    @property
    def of_names(self) -> bool:
        """Whether only names have this label."""
        return self in {Label.NAMES, Label.COMPANIONS}


class Missing(StrEnum):
    """The treatment of a missing quasi-identifying value."""

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
        raise SchemaError("unknown word", where=where, hint=f"one of {', '.join(kind)}") from None


def names_in(value: object, keyword: str) -> tuple[str, ...]:
    """The names in a list that a caller passed as `keyword`; a single text would pass for a list of letters.

    Raises:
        SchemaError: it is no list of texts; the hint is the line to write.

    >>> names_in(["age", "city"], "quasi")
    ('age', 'city')
    >>> names_in("age", "quasi")
    Traceback (most recent call last):
    kohort.errors.SchemaError: quasi is a text, and must be a list of names
      where: quasi=…
      hint: write quasi=['age']
    """
    where, kind = f"{keyword}=…", type(value).__name__
    if isinstance(value, str):
        raise SchemaError(
            f"{keyword} is a text, and must be a list of names", where=where, hint=_listed(keyword, value)
        )
    if isinstance(value, Mapping) or not isinstance(value, Iterable):
        what = f"{keyword} is of class {kind}, and must be a list of names"
        raise SchemaError(what, where=where, hint=_listed(keyword, "age", "city"))
    names = tuple(cast("Iterable[object]", value))
    others = [one for one in names if not isinstance(one, str)]
    if others:
        what = f"{keyword} holds a value of class {type(others[0]).__name__}, and names are texts"
        raise SchemaError(what, where=where, hint=_listed(keyword, "age", "city"))
    return cast("tuple[str, ...]", names)


def _listed(keyword: str, *names: str) -> str:
    return f"write {keyword}=[{', '.join(map(repr, names))}]"


#: A grid: a step from zero, an ascending list of cut points, the boundaries of the hierarchy's first level, or a round
#: step that fits the range of the values, where these are numbers; of dates, a period of the calendar.
Grid: TypeAlias = Fraction | tuple[Fraction, ...] | Literal["hierarchy", "round"] | Period


@dataclass(frozen=True, slots=True, repr=False)
class Attribute:
    """One column: its name, role and, for a quasi-identifier, how it may be generalized.

    Attributes:
        name: The column's name.
        role: What the column reveals about a person.
        scale: Numeric, categorical or date; `None` lets the values decide (numeric if every value parses as a number
            and none has a leading zero; dates of a quasi-identifier if every value is a date of the same format).
        hierarchy: Generalization hierarchy; its leaves are then the attribute's domain. For a sensitive attribute, it
            defines the distances between values. Or the text of a builder, such as `mask:right` or
            `intervals:5,10,20`, that runs over the observed values.
        weight: The weight of this attribute in Mondrian's choice of cuts and in a lattice method's objective; a
            billionth to a billion.
        bounds: Smallest and greatest value of a numeric domain, if known; otherwise the observed ones.
        grid: Public cut points; cuts and labels then lie on the grid only. `round` becomes a step once the values are
            known, and no grid if they are not numbers or all equal.
        order: Order of the codes of a categorical domain; `None`: its hierarchy's, otherwise by frequency.
        label: The kind of released labels; `None`: grid intervals with a grid, otherwise ranges for numbers, lowest
            common ancestors with a hierarchy, and sets of values for all others.
        missing: The treatment of a missing value; in a sensitive attribute it does not add to diversity.
        max_level: The greatest level of the hierarchy that a lattice method may use; `None`: its root.
        pseudonym: Whether pseudonyms are released in place of an identifying column's values; otherwise nothing is.
        date_format: The date format; `None` lets the values decide. Beside the builder `dates`, it becomes part of it.
        pivot: The first of the hundred years in which the years of dates lie that have two digits.

    Numbers may also be given as int, text, or float, which stands for the decimal that it prints; listed words as text.

    Raises:
        SchemaError: An argument is invalid, contradicts another, or generalizes a column that is not quasi-identifying.

    >>> Attribute("age", Role.QUASI, grid=Fraction(5)).role.value
    'quasi'
    """

    name: str
    role: Role
    scale: Scale | None = None
    hierarchy: Hierarchy | str | None = None
    weight: Fraction = Fraction(1)
    bounds: tuple[Fraction, Fraction] | None = None
    grid: Grid | None = None
    order: Order | None = None
    label: Label | None = None
    missing: Missing = Missing.VALUE
    max_level: int | None = None
    pseudonym: bool = False
    date_format: DateFormat | None = None
    pivot: int | None = None

    @property
    def of_dates(self) -> bool:
        """Whether the schema says that the values are dates."""
        said = self.date_format is not None or self.pivot is not None
        return said or self.scale is Scale.DATE or isinstance(self.grid, Period)

    @property
    def may_be_open(self) -> bool:
        """Whether labels such as `90+` among its numbers are open ends: those of a given hierarchy are its leaves."""
        must = self.scale is Scale.NUMERIC or self.bounds is not None or self.grid not in {None, "round"}
        built = self.hierarchy is None or (isinstance(self.hierarchy, str) and self.hierarchy.startswith("intervals"))
        return self.scale is not Scale.CATEGORICAL and not self.of_dates and (must or built)

    @property
    def released(self) -> bool:
        """Whether a release has this column, as values, labels or pseudonyms."""
        return self.role.released or self.pseudonym

    def __post_init__(self) -> None:
        """Give every part its type; refuse what cannot be meant."""
        where = f"column {self.name}"
        for name, kind in _WORDS.items():
            value: str | None = getattr(self, name)
            if value is not None or name in {"role", "missing"}:
                object.__setattr__(self, name, word(kind, value, f"{where}, {name}"))
        object.__setattr__(self, "weight", _exact(self.weight, f"{where}, weight"))
        if self.bounds is not None:
            object.__setattr__(self, "bounds", _exacts(self.bounds, f"{where}, bounds"))
        if isinstance(self.grid, str) and self.grid in {*Period}:
            object.__setattr__(self, "grid", Period(self.grid))
        elif self.grid is not None and not (isinstance(self.grid, str) and self.grid in {"hierarchy", "round"}):
            exact = _exact if isinstance(self.grid, int | float | str | Fraction) else _exacts
            object.__setattr__(self, "grid", exact(self.grid, f"{where}, grid"))
        self._tell_builder()
        for wrong, what, hint in self._faults():
            if wrong:
                raise SchemaError(what, where=where, hint=hint)

    def __repr__(self) -> str:
        """What is set, in one line."""
        return parameters(self)

    def _tell_builder(self) -> None:
        """Let the builder of dates have the format and the pivot: it is what reads them."""
        builder, *periods = str(self.hierarchy).split(":")
        if builder == "dates" and self.of_dates and self.scale in {None, Scale.DATE} and self.grid is None:
            said = [str(one) for one in (self.date_format, self.pivot) if one is not None]
            object.__setattr__(self, "hierarchy", ":".join([builder, *said, *periods]))
            for name in ("scale", "date_format", "pivot"):
                object.__setattr__(self, name, None)

    def _faults(self) -> Iterable[tuple[bool, str, str]]:
        yield from self._contradictions()
        yield (
            self.pseudonym and self.role is not Role.IDENTIFYING,
            f"the column is {self.role.said}, but only identifying columns get pseudonyms",
            'give it role "identifying", or leave the pseudonym out',
        )
        level = 0 if self.max_level is None else self.max_level
        yield type(level) is not int or level < 0, "max-level must be a number of levels", "such as 2"
        short = self.date_format is not None and self.date_format.is_short
        what = "pivot goes with years of two digits, and these need a pivot"
        hint = f"write --pivot {self.name}=1930 for 1930 to 2029 (in a job file pivot = 1930)"
        yield self.date_format is not None and short != (self.pivot is not None), what, hint
        odd = self.pivot is not None and (type(self.pivot) is not int or not 1000 <= self.pivot <= 9999)  # noqa: PLR2004  four digits
        yield odd, "the pivot must be a year of four digits", "write 1930"
        weighty = 1 / _GREATEST_WEIGHT <= self.weight <= _GREATEST_WEIGHT
        what = "the weight must be above 0, between a billionth and a billion"
        yield not weighty, what, "leave it out for a weight of 1"
        bounds: tuple[Fraction, ...] = (Fraction(0), Fraction(1)) if self.bounds is None else self.bounds
        yield len(bounds) != 2 or bounds[0] >= bounds[1], "bounds must be two numbers that ascend", "write [low, high]"  # noqa: PLR2004  two ends
        cuts = (Fraction(0), self.grid) if isinstance(self.grid, Fraction) else self.grid
        if isinstance(cuts, tuple):
            what = "a grid's step must be above 0, and its cut points ascend"
            yield len(cuts) < 2 or cuts != tuple(sorted(set(cuts))), what, "write 5, or at least two cut points"  # noqa: PLR2004  a cell has two ends
            endless = any(10 ** cut.denominator.bit_length() % cut.denominator for cut in cuts)
            yield endless, "the numbers of a grid must be finite decimals", "write 0.5, not 1/3"

    def _contradictions(self) -> Iterable[tuple[bool, str, str]]:
        yield (
            self._said_in_vain(),
            f"the column is {self.role.said}, but only quasi-identifying columns are generalized",
            'give it role "quasi", or remove max-level, weight, bounds, grid, order, label and missing',
        )
        of_numbers = self.bounds is not None or self.grid is not None or self.label in {Label.MEAN, Label.GRID}
        yield (
            self.scale is Scale.CATEGORICAL and of_numbers,
            "bounds, grid and mean belong to numeric columns",
            "remove them, or the scale",
        )
        of_days = self.label in {None, Label.RANGE, Label.GRID, Label.NAMES, Label.COMPANIONS}
        fits = self.hierarchy is None and self.bounds is None and not isinstance(self.grid, Fraction | tuple)
        yield (
            self.of_dates and not (self.scale in {None, Scale.DATE} and of_days and fits),
            "dates are released as ranges of days",
            "remove settings for numbers and names; with a hierarchy, leave the scale and the format out",
        )
        yield self.label is Label.OWN, "own is the default for a single column", "leave the label out"
        either = self.label is None or self.label is Label.COMPANIONS  # which numbers have no use for
        mismatch = not either and (self.label is Label.GRID) != (self.grid is not None)
        yield mismatch, "a grid and grid labels go together", "add a grid, such as grid = 5, or leave the label out"
        levels = self.label is Label.ANCESTOR or self.max_level is not None
        needs_hierarchy = self.order is Order.HIERARCHY or levels or self.grid == "hierarchy"
        yield needs_hierarchy and self.hierarchy is None, "the column needs a hierarchy", "add a hierarchy"

    def _said_in_vain(self) -> bool:
        """Whether something is said that the role has no use for; a hierarchy of no use does no harm."""
        if self.role is Role.QUASI:
            return False
        generalized = (self.bounds, self.grid, self.order, self.label, self.max_level) != (None,) * 5 or self.of_dates
        measured = self.missing is not Missing.VALUE and self.role is not Role.SENSITIVE
        return generalized or measured or self.weight != 1


#: The greatest weight, and one over the least: beyond, nothing but the one attribute would count.
_GREATEST_WEIGHT: Final = Fraction(10**9)

#: The parts of an attribute that are words, and the list each is from.
_WORDS: Final = {
    "role": Role,
    "scale": Scale,
    "order": Order,
    "label": Label,
    "missing": Missing,
    "date_format": DateFormat,
}


def _exact(value: object, where: str) -> Fraction:
    try:
        return Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        raise SchemaError("not a number", where=where, hint="write 5, or '0.1'") from None


def _exacts(values: object, where: str) -> tuple[Fraction, ...]:
    if not isinstance(values, tuple | list):
        raise SchemaError("not a list of numbers", where=where, hint="write [0, 18, 65, 120]")
    return tuple(_exact(value, where) for value in cast("Sequence[object]", values))
