"""What the steward says of each column: its role, its scale, and how a quasi-identifier may be generalized."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, TypeVar, cast

from kohort.errors import JobError, SchemaError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kohort.hierarchy import Hierarchy

E = TypeVar("E", bound=StrEnum)

#: A grid: a step from zero, an ascending list of cut points, or the boundaries of the hierarchy's first level.
Grid: TypeAlias = Fraction | tuple[Fraction, ...] | Literal["hierarchy"]


class Role(StrEnum):
    """What a column tells about a person, and so what a release does with it."""

    IDENTIFYING = "identifying"
    """Names the person alone (name, tax code): never released."""
    QUASI = "quasi"
    """Helps to single the person out together with others: generalized."""
    SENSITIVE = "sensitive"
    """What nobody may learn about the person: released unchanged."""
    INSENSITIVE = "insensitive"
    """Neither: released unchanged."""


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


@dataclass(frozen=True, slots=True)
class Attribute:
    """One column: its name, role and, for a quasi-identifier, how it may be generalized.

    Attributes:
        name: The column's name.
        role: What the column tells about a person.
        scale: Numeric or categorical; `None` lets the values decide (numeric where every value parses as a
            number and none has a leading zero).
        hierarchy: Generalization hierarchy; its leaves are then the attribute's domain. Of a sensitive one, it says
            how far values are apart. Or the text of a builder,
            such as `mask:right` or `intervals:5,10,20`, that runs over the observed values.
        weight: How much this attribute counts when Mondrian chooses where to cut, and in a lattice method's
            objective; a billionth to a billion.
        bounds: Least and greatest value of a numeric domain, where that is known; else the observed ones.
        grid: Public cut points; cuts and labels then lie on it only.
        order: Order of the codes of a categorical domain; `None`: its hierarchy's, else by frequency.
        label: What is released; `None`: grid interval where there is a grid, else range for numbers,
            lowest common ancestor where there is a hierarchy, set of values otherwise.
        missing: What a missing value means; of a sensitive one, it is no value that adds to diversity.
        max_level: The greatest level of the hierarchy that a lattice method may use; `None`: its root.
        pseudonym: Whether pseudonyms are released in place of an identifying column's values; else nothing is.

    Numbers may also be given as int, text, or float, which counts as the decimal it prints; listed words as text.

    Raises:
        SchemaError: A part is nothing of its kind, contradicts another, or generalizes what is not quasi-identifying.

    >>> Attribute("age", Role.QUASI, grid=Fraction(5)).role.value
    'quasi'
    """

    name: str
    role: Role
    scale: Scale | None = None
    hierarchy: Hierarchy | str | None = field(default=None, repr=False)
    weight: Fraction = Fraction(1)
    bounds: tuple[Fraction, Fraction] | None = None
    grid: Grid | None = None
    order: Order | None = None
    label: Label | None = None
    missing: Missing = Missing.VALUE
    max_level: int | None = None
    pseudonym: bool = False

    def __post_init__(self) -> None:
        """Give every part its type; refuse what cannot be meant."""
        where = f"column {self.name}"
        for name, kind in _WORDS.items():
            value: str | None = getattr(self, name)
            if value is not None or name in {"role", "missing"}:
                object.__setattr__(self, name, _word(kind, value, f"{where}, {name}"))
        object.__setattr__(self, "weight", _exact(self.weight, f"{where}, weight"))
        if self.bounds is not None:
            object.__setattr__(self, "bounds", _exacts(self.bounds, f"{where}, bounds"))
        if self.grid is not None and self.grid != "hierarchy":
            exact = _exact if isinstance(self.grid, int | float | str | Fraction) else _exacts
            object.__setattr__(self, "grid", exact(self.grid, f"{where}, grid"))
        for wrong, what, hint in self._faults():
            if wrong:
                raise SchemaError(what, where=where, hint=hint)

    def _faults(self) -> Iterable[tuple[bool, str, str]]:
        yield from self._contradictions()
        yield (
            self.pseudonym and self.role is not Role.IDENTIFYING,
            f"the column is {self.role.value}, but only identifying columns get pseudonyms",
            'give it role "identifying", or leave the pseudonym out',
        )
        level = 0 if self.max_level is None else self.max_level
        yield type(level) is not int or level < 0, "the greatest level must be a count of levels", "write 2, say"
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
            yield endless, "a grid's numbers must be decimals that end, for labels print them", "write 0.5, not 1/3"

    def _contradictions(self) -> Iterable[tuple[bool, str, str]]:
        yield (
            self._said_in_vain(),
            f"the column is {self.role.value}, but only quasi-identifying columns are generalized",
            'give it role "quasi", or remove hierarchy, max-level, weight, bounds, grid, order, label and missing',
        )
        of_numbers = self.bounds is not None or self.grid is not None or self.label in {Label.MEAN, Label.GRID}
        yield (
            self.scale is Scale.CATEGORICAL and of_numbers,
            "bounds, grid and mean belong to numeric columns",
            "remove them, or the scale",
        )
        mismatch = self.label is not None and (self.label is Label.GRID) != (self.grid is not None)
        yield mismatch, "a grid and grid labels go together", "add grid = 5, say; or leave the label out"
        levels = self.label is Label.ANCESTOR or self.max_level is not None
        needs_hierarchy = self.order is Order.HIERARCHY or levels or self.grid == "hierarchy"
        yield needs_hierarchy and self.hierarchy is None, "this needs a hierarchy", "add one for this column"

    def _said_in_vain(self) -> bool:
        """Whether something is said that the role has no use for; distances of sensitive values need a hierarchy."""
        if self.role is Role.QUASI:
            return False
        generalized = (self.bounds, self.grid, self.order, self.label, self.max_level) != (None,) * 5
        measured = (self.hierarchy, self.missing) != (None, Missing.VALUE) and self.role is not Role.SENSITIVE
        return generalized or measured or self.weight != 1


#: The greatest weight, and one over the least: beyond, nothing but the one attribute would count.
_GREATEST_WEIGHT: Final = Fraction(10**9)

#: The parts of an attribute that are words, and the list each is from.
_WORDS: Final = {"role": Role, "scale": Scale, "order": Order, "label": Label, "missing": Missing}


def _word(kind: type[E], value: str | None, where: str) -> E:
    """The word of the list that `value` is; text that only looks like it would slip through comparisons."""
    try:
        return kind(str(value))
    except ValueError:
        raise SchemaError("no such word", where=where, hint=f"one of {', '.join(kind)}") from None


def _exact(value: object, where: str) -> Fraction:
    try:
        return Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        raise SchemaError("not a number", where=where, hint="write 5, or '0.1'") from None


def _exacts(values: object, where: str) -> tuple[Fraction, ...]:
    if not isinstance(values, tuple | list):
        raise SchemaError("not a list of numbers", where=where, hint="write [0, 18, 65, 120]")
    return tuple(_exact(value, where) for value in cast("Sequence[object]", values))


@dataclass(frozen=True, slots=True)
class Schema:
    """The attributes of a table, in its column order.

    Attributes:
        attributes: One per column; names are unique.
        missing: The texts that mean "no value", besides null and the empty cell, which always do.
        person: The identifying column that says whose a record is, where people have several; they are counted then.
        rest: The role of every column that has no attribute; `None` refuses such a column. Quasi-identifying it
            cannot be: what is generalized must be named.

    Raises:
        SchemaError: Two attributes share a name, or the rest is quasi-identifying.

    >>> schema = Schema.of(identifying=["name"], quasi=["age", "city"], sensitive=["illness"])
    >>> [attribute.name for attribute in schema.quasi]
    ['age', 'city']
    """

    attributes: tuple[Attribute, ...]
    missing: frozenset[str] = frozenset({""})
    rest: Role | None = None
    person: str | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        object.__setattr__(self, "missing", frozenset({"", *self.missing}))
        if self.rest is not None:
            object.__setattr__(self, "rest", _word(Role, self.rest, "rest"))
        if self.rest is Role.QUASI:
            raise SchemaError("the rest cannot be quasi-identifying", hint="name every column that is generalized")
        names = [attribute.name for attribute in self.attributes]
        if any(one.name == self.person and one.role is not Role.IDENTIFYING for one in self.attributes):
            raise _released_key(str(self.person))
        twice = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
        if twice:
            raise SchemaError("two attributes share a name", where=", ".join(twice))

    @classmethod
    def of(
        cls,
        *,
        identifying: Sequence[str] = (),
        quasi: Sequence[str] = (),
        sensitive: Sequence[str] = (),
        insensitive: Sequence[str] = (),
        person: str | None = None,
    ) -> Schema:
        """A schema from lists of names, where nothing but the roles needs saying."""
        named = zip(Role, (identifying, quasi, sensitive, insensitive), strict=True)
        return cls(tuple(Attribute(name, role) for role, names in named for name in names), person=person)

    @property
    def quasi(self) -> tuple[Attribute, ...]:
        """The quasi-identifying attributes, in order."""
        return self.with_role(Role.QUASI)

    @property
    def sensitive(self) -> tuple[Attribute, ...]:
        """The sensitive attributes, in order."""
        return self.with_role(Role.SENSITIVE)

    @property
    def identifying(self) -> tuple[Attribute, ...]:
        """The identifying attributes, in order."""
        return self.with_role(Role.IDENTIFYING)

    @property
    def released(self) -> tuple[Attribute, ...]:
        """The columns of a release, in order: every attribute but the identifying ones without pseudonyms."""
        return tuple(one for one in self.attributes if one.role is not Role.IDENTIFYING or one.pseudonym)

    @property
    def pseudonyms(self) -> tuple[Attribute, ...]:
        """The identifying attributes that pseudonyms stand for, in order."""
        return tuple(attribute for attribute in self.attributes if attribute.pseudonym)

    def with_role(self, role: Role) -> tuple[Attribute, ...]:
        """The attributes with `role`, in order."""
        return tuple(attribute for attribute in self.attributes if attribute.role is role)

    def over(self, columns: Sequence[str]) -> Schema:
        """This schema in the order of `columns`, which it must cover exactly.

        Raises:
            SchemaError: An attribute names no column (with the nearest names), a column has no role (with a block to
                paste into a job file), or no column is quasi-identifying.
            JobError: Several of these.
        """
        by_name = {attribute.name: attribute for attribute in self.attributes}
        faults = list(self._misfits(columns))
        if faults:
            raise faults[0] if len(faults) == 1 else JobError("the schema does not fit the table", faults)
        rest = self.rest or Role.IDENTIFYING
        attributes = tuple(by_name.get(name) or Attribute(name, rest) for name in columns)
        return Schema(attributes, self.missing, person=self.person)

    def _misfits(self, columns: Sequence[str]) -> Iterable[SchemaError]:
        """What keeps this schema from covering `columns`."""
        known, named = set(columns), {attribute.name: None for attribute in self.attributes}
        for name in (name for name in named if name not in known):
            near = " or ".join(get_close_matches(name, columns))
            yield SchemaError(
                f"no column is called {name}", where=f"column {name}", hint=near and f"did you mean {near}?"
            )
        without = [name for name in columns if name not in named]
        if without and self.rest is None:
            yield SchemaError(
                f"{len(without)} of {len(columns)} columns have no role",
                where=", ".join(without),
                hint="every column needs one: say what the rest is (rest, --rest), or paste this into the job file and"
                " correct it:\n\n" + _block(without),
            )
        if self.person is not None and self.person not in known:
            near = " or ".join(get_close_matches(self.person, columns))
            what = f"no column is called {self.person}"
            yield SchemaError(what, where="the person key", hint=near and f"did you mean {near}?")
        elif self.person is not None and self.person not in named and self.rest is Role.INSENSITIVE:
            yield _released_key(self.person)
        if not self.quasi:
            yield SchemaError("no column is quasi-identifying", hint="name at least one with --quasi or role = 'quasi'")


def _released_key(name: str) -> SchemaError:
    """The error of a person key that would be released, and so link the records of a person."""
    hint = "make it identifying; without a person key every record counts as a person"
    return SchemaError("the person key would be released", where=f"column {name}", hint=hint)


#: A key that TOML takes without quotes.
_bare = re.compile(r"[A-Za-z0-9_-]+").fullmatch


def _block(names: Sequence[str]) -> str:
    """The lines of a job file that would give `names` a role: the one that releases nothing, until it is corrected."""
    keys = (name if _bare(name) else json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f") for name in names)
    return "\n".join(f'[columns.{key}]\nrole = "identifying"  # or quasi, sensitive, insensitive' for key in keys)
