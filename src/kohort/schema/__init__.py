"""What the steward says of each column: its role, its scale, and how a quasi-identifier may be generalized."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, cast

from kohort.errors import CallError, SchemaError, combined
from kohort.errors.calls import called
from kohort.errors.display import Summary, class_of
from kohort.schema.attribute import Attribute, Grid, Label, Missing, Order, Role, Scale, names_in, word

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kohort.errors.display import Rows
    from kohort.schema.hierarchy import Hierarchy

__all__ = ["Attribute", "Grid", "Label", "Missing", "Order", "Role", "Scale", "Schema", "names_in"]


@dataclass(frozen=True, slots=True, repr=False)
class Schema(Summary):
    """The attributes of a table, in its column order.

    Attributes:
        attributes: One per column; names are unique.
        missing: Texts that mark a missing value, in addition to null and the empty cell, which always do.
        person: The identifying column of the person, if people can have several records; people are then counted.
        rest: The role of every column without an attribute; `None` refuses such a column. It cannot be
            quasi-identifying, because generalized columns must be named. A person key among them is identifying if they
            are dropped.
        undeclared: The columns that have the role of the rest because nobody named them; `over` fills it in.

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
    undeclared: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        given = cast("object", self.attributes)  # whatever a caller without type checker passed
        listed = cast("Sequence[object]", given) if isinstance(given, tuple | list) else (None,)
        if not all(isinstance(one, Attribute) for one in listed):
            what = f"the attributes must be Attribute objects, not {class_of(self.attributes)}"
            raise CallError(what, where="Schema", hint='write Schema.of(quasi=["age", "city"])')
        object.__setattr__(self, "missing", frozenset({"", *self.missing}))
        if self.rest is not None:
            object.__setattr__(self, "rest", word(Role, self.rest, "rest"))
        if self.rest is Role.QUASI:
            raise SchemaError("the rest cannot be quasi-identifying", hint="name every column that is generalized")
        names = [attribute.name for attribute in self.attributes]
        if any(one.name == self.person and one.role is not Role.IDENTIFYING for one in self.attributes):
            raise _unfit_key(str(self.person))
        twice = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
        if twice:
            raise SchemaError("two attributes share a name", where=", ".join(twice))

    @classmethod
    @called('Schema.of(quasi=["age", "city"], sensitive=["illness"])')
    def of(
        cls,
        *,
        identifying: Sequence[str] = (),
        quasi: Sequence[str] = (),
        sensitive: Sequence[str] = (),
        insensitive: Sequence[str] = (),
        drop: Sequence[str] = (),
        person: str | None = None,
    ) -> Schema:
        """A schema from lists of names, where nothing but the roles needs saying."""
        named = zip(Role, (identifying, quasi, sensitive, insensitive, drop), strict=True)
        columns = ((role, name) for role, names in named for name in names_in(names, role.value))
        return cls(tuple(Attribute(name, role) for role, name in columns), person=person)

    @property
    def rows(self) -> Rows:
        """What is shown of it: the columns of each role."""
        named = [(role, ", ".join(one.name for one in self.with_role(role))) for role in Role]
        rows = [(role.value.capitalize(), names) for role, names in named if names]
        rows += [("Person key", self.person)] if self.person is not None else []
        return rows + ([("Rest", self.rest.value)] if self.rest is not None else [])

    def _shown(self) -> tuple[str, Rows]:
        return "Schema", self.rows

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
        """The columns of a release, in order: all but dropped ones and identifying ones without pseudonyms."""
        return tuple(one for one in self.attributes if one.released)

    @property
    def unchanged(self) -> tuple[Attribute, ...]:
        """The released columns that are neither generalized nor pseudonyms: released as they are, unless perturbed."""
        return tuple(one for one in self.released if one.role is not Role.QUASI and not one.pseudonym)

    @property
    def pseudonyms(self) -> tuple[Attribute, ...]:
        """The identifying attributes that pseudonyms stand for, in order."""
        return tuple(attribute for attribute in self.attributes if attribute.pseudonym)

    @property
    def hierarchies(self) -> dict[str, Hierarchy | str]:
        """The hierarchy of each quasi-identifier that has one: itself, or its builder's text."""
        return {one.name: one.hierarchy for one in self.quasi if one.hierarchy is not None}

    def missing_of(self, name: str) -> Missing:
        """The treatment of a missing value of this column: a value of its own where nothing else is said."""
        return next((one.missing for one in self.attributes if one.name == name), Missing.VALUE)

    def with_role(self, role: Role) -> tuple[Attribute, ...]:
        """The attributes with `role`, in order."""
        return tuple(attribute for attribute in self.attributes if attribute.role is role)

    def changed(self, attributes: Iterable[Attribute]) -> Schema:
        """This schema with some attributes in place of those of the same names."""
        changed = {one.name: one for one in attributes}
        return replace(self, attributes=tuple(changed.get(one.name, one) for one in self.attributes))

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
            raise combined("the schema does not fit the table", faults)
        rest = self.rest or Role.DROP
        attributes = tuple(
            by_name.get(name) or Attribute(name, Role.IDENTIFYING if name == self.person else rest) for name in columns
        )
        undeclared = (*self.undeclared, *(name for name in columns if name not in by_name))
        return Schema(attributes, self.missing, person=self.person, undeclared=undeclared)

    def _misfits(self, columns: Sequence[str]) -> Iterable[SchemaError]:
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
                hint="every column needs a role: let `kohort init` guess, set the rest (--rest drop; in"
                ' Python rest="drop"), or paste this into the job file and correct it:\n\n' + _block(without),
            )
        if self.person is not None and self.person not in known:
            near = " or ".join(get_close_matches(self.person, columns))
            what = f"no column is called {self.person}"
            yield SchemaError(what, where="the person key", hint=near and f"did you mean {near}?")
        elif self.person is not None and self.person not in named and self.rest is not None and self.rest.released:
            yield _unfit_key(self.person)
        if not self.quasi:
            yield SchemaError("no column is quasi-identifying", hint="name a column with --quasi or role = 'quasi'")


def _unfit_key(name: str) -> SchemaError:
    """The error of a person key that is not identifying: if it were released, it would link a person's records."""
    hint = "make the column identifying; without a person key every record counts as a person"
    return SchemaError("the person key is not an identifying column", where=f"column {name}", hint=hint)


#: A key that TOML takes without quotes.
_bare = re.compile(r"[A-Za-z0-9_-]+").fullmatch


def _block(names: Sequence[str]) -> str:
    """The lines of a job file that would give `names` a role: the one that releases nothing, until it is corrected."""
    keys = (name if _bare(name) else json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f") for name in names)
    return "\n".join(f'[columns.{key}]\nrole = "identifying"  # or quasi, sensitive, insensitive, drop' for key in keys)
