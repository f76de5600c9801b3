"""What the steward says of each column: its role, its scale, and how a quasi-identifier may be generalized."""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, TypeAlias

from kohort.errors import SchemaError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kohort.hierarchy import Hierarchy

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
        hierarchy: Generalization hierarchy; its leaves are then the attribute's domain. Or the text of a builder,
            such as `mask:right` or `intervals:5,10,20`, that runs over the observed values.
        weight: How much this attribute's width counts when Mondrian chooses where to cut; above 0.
        bounds: Least and greatest value of a numeric domain, where that is known; else the observed ones.
        grid: Public cut points; cuts and labels then lie on it only.
        order: Order of the codes of a categorical domain; `None`: its hierarchy's, else by frequency.
        label: What is released; `None`: grid interval where there is a grid, else range for numbers,
            lowest common ancestor where there is a hierarchy, set of values otherwise.
        missing: What a missing value means.

    Raises:
        SchemaError: A generalization is given to an attribute that is not quasi-identifying, or parts contradict
            each other.

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

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        for wrong, what, hint in self._faults():
            if wrong:
                raise SchemaError(what, where=f"column {self.name}", hint=hint)

    def _faults(self) -> Iterable[tuple[bool, str, str]]:
        quasi = self.role is Role.QUASI
        shaped = (self.hierarchy, self.bounds, self.grid, self.order, self.label) != (None,) * 5
        yield (
            (shaped or self.weight != 1 or self.missing is not Missing.VALUE) and not quasi,
            f"the column is {self.role.value}, but only quasi-identifying columns are generalized",
            'give it role "quasi", or remove hierarchy, weight, bounds, grid, order, label and missing',
        )
        yield self.weight <= 0, "the weight must be above 0", "leave it out for a weight of 1"
        if self.bounds is not None:
            yield self.bounds[0] >= self.bounds[1], "the lower bound is not below the upper", "write [low, high]"
        categorical = self.scale is Scale.CATEGORICAL
        numeric_only = (self.bounds is not None, self.grid is not None, self.label in {Label.MEAN, Label.GRID})
        yield categorical and any(numeric_only), "bounds, grid and mean belong to numeric columns", ""
        yield self.label is Label.GRID and self.grid is None, "grid labels need a grid", "add grid = 5, say"
        yield (
            self.grid is not None and self.label not in {None, Label.GRID},
            "a column with a grid is released as grid intervals",
            "remove the label or the grid",
        )
        needs = self.order is Order.HIERARCHY or self.label is Label.ANCESTOR or self.grid == "hierarchy"
        yield needs and self.hierarchy is None, "this needs a hierarchy", "add one for this column"
        if isinstance(self.grid, Fraction):
            yield self.grid <= 0, "the step of the grid must be above 0", ""
        if isinstance(self.grid, tuple):
            ascending = all(a < b for a, b in zip(self.grid, self.grid[1:], strict=False))
            yield len(self.grid) < 2 or not ascending, "a grid's cut points must ascend", "give at least two"  # noqa: PLR2004  a cell has two ends


@dataclass(frozen=True, slots=True)
class Schema:
    """The attributes of a table, in its column order.

    Attributes:
        attributes: One per column; names are unique.
        missing: The texts that mean "no value", besides null. By default only the empty cell.
        rest: The role of every column that has no attribute; `None` refuses such a column. Quasi-identifying it
            cannot be: what is generalized must be named.

    >>> schema = Schema.of(identifying=["name"], quasi=["age", "city"], sensitive=["illness"])
    >>> [attribute.name for attribute in schema.quasi]
    ['age', 'city']
    """

    attributes: tuple[Attribute, ...]
    missing: frozenset[str] = frozenset({""})
    rest: Role | None = None

    def __post_init__(self) -> None:
        """Refuse two attributes of one name."""
        names = [attribute.name for attribute in self.attributes]
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
    ) -> Schema:
        """A schema from lists of names, where nothing but the roles needs saying."""
        named = zip(Role, (identifying, quasi, sensitive, insensitive), strict=True)
        return cls(tuple(Attribute(name, role) for role, names in named for name in names))

    @property
    def quasi(self) -> tuple[Attribute, ...]:
        """The quasi-identifying attributes, in order."""
        return self.with_role(Role.QUASI)

    @property
    def released(self) -> tuple[Attribute, ...]:
        """Every attribute but the identifying ones, in order: the columns of a release."""
        return tuple(attribute for attribute in self.attributes if attribute.role is not Role.IDENTIFYING)

    def with_role(self, role: Role) -> tuple[Attribute, ...]:
        """The attributes with `role`, in order."""
        return tuple(attribute for attribute in self.attributes if attribute.role is role)

    def over(self, columns: Sequence[str]) -> Schema:
        """This schema in the order of `columns`, which it must cover exactly.

        Raises:
            SchemaError: An attribute names no column (with the nearest names), a column has no role (with a block to
                paste into a job file), or no column is quasi-identifying.
        """
        by_name: Mapping[str, Attribute] = {attribute.name: attribute for attribute in self.attributes}
        for name in by_name:
            if name not in columns:
                near = get_close_matches(name, columns, n=3)
                raise SchemaError(
                    f"no column is called {name}", hint=f"did you mean {' or '.join(near)}?" if near else ""
                )
        without = [name for name in columns if name not in by_name]
        if without and self.rest is None:
            raise SchemaError(
                f"{len(without)} of {len(columns)} columns have no role",
                where=", ".join(without),
                hint="every column needs one; paste this into the job file and correct it:\n\n" + _block(without),
            )
        if not self.quasi:
            raise SchemaError("no column is quasi-identifying", hint="name at least one with --quasi or role = 'quasi'")
        rest = self.rest or Role.INSENSITIVE
        return Schema(tuple(by_name.get(name) or Attribute(name, rest) for name in columns), self.missing)


def _block(names: Sequence[str]) -> str:
    """The lines of a job file that would give `names` a role."""
    key = {name: name if name.replace("-", "").replace("_", "").isalnum() and name.isascii() else repr(name) for name in names}
    return "\n".join(f"[columns.{key[name]}]\nrole = \"insensitive\"  # or identifying, quasi, sensitive" for name in names)
