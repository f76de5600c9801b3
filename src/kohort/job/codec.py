"""From keys with their values to the tables of a job file: the same for flags and for keyword arguments."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from kohort.errors import JobError, UsageError
from kohort.job.keys import drops

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from kohort.job.keys import Key

    #: The tables of columns, by their names.
    ColumnTables: TypeAlias = dict[str, dict[str, object]]

#: The role of a column that only such a key names; one that may single people out has the role of the rest.
_ROLES: Final = {"no-model": "sensitive", "allow-singling": "", "pseudonym": "identifying"}

#: What the rest must be for its columns to be released.
_RELEASED: Final = ("sensitive", "insensitive")


class Side(NamedTuple):
    """Where a job is said by keys, and how.

    Attributes:
        read: What the value of a key says, as a job file says it: of keys of columns their names, or a value for each.
            It knows the columns that have a role, and adds faults to a list.
        place: Where a key is said, of a column where one is named.
        naming: How a column is given a role.
    """

    read: Callable[[Key, Any, ColumnTables, list[UsageError]], Any]
    place: Callable[[Key, str], str]
    naming: Callable[[str, str], str]


class Columns(NamedTuple):
    """The tables of columns, as keys fill them.

    Attributes:
        side: Where the keys are said.
        faults: Where what is wrong is added.
        tables: The tables by the names of the columns.
    """

    side: Side
    faults: list[UsageError]
    tables: ColumnTables

    def said(self, key: Key, value: object) -> Any:  # noqa: ANN401  of any key
        """What a key says; `None` where it is wrong."""
        try:
            return self.side.read(key, value, self.tables, self.faults)
        except UsageError as fault:
            self.faults.extend(fault.faults if isinstance(fault, JobError) else [fault])
        return None

    def name(self, key: Key, names: Iterable[str]) -> None:
        """Give columns the role of a key; one in two lists is a fault, unless it is then dropped."""
        for name in names:
            if name in self.tables and not drops(self.tables[name], key.place[-1]):
                what, where = f"column {name} is named twice", self.side.place(key, "")
                self.faults.append(UsageError(what, where=where, hint="a column has one role"))
            self.tables[name] = {"role": key.place[-1]}

    def mark(self, key: Key, names: Iterable[str], rest: object) -> None:
        """Set what is true of columns; one without a role gets the role that follows from it."""
        role = _ROLES[key.place[-1]] or (rest if rest in _RELEASED else None)
        for name in names:
            if name in self.tables or role is not None:
                self.tables.setdefault(name, {"role": role})[key.place[-1]] = True
            else:
                self._refuse(key, name)

    def shape(self, key: Key, values: Mapping[str, object]) -> None:
        """Set the value of a key of columns; each must have a role."""
        for name, value in values.items():
            if name in self.tables:
                self.tables[name][key.place[-1]] = value
            else:
                self._refuse(key, name)

    def _refuse(self, key: Key, name: str) -> None:
        near = " or ".join(get_close_matches(name, self.tables))
        role = "sensitive" if key.is_model or not key.of_column else "quasi"
        hint = f"did you mean {near}?" if near else self.side.naming(role, name)
        self.faults.append(UsageError(f"column {name} has no role", where=self.side.place(key, name), hint=hint))


def tables_of(
    given: Sequence[tuple[Key, Any]], side: Side, faults: list[UsageError], roles: Mapping[str, str]
) -> dict[str, Any]:
    """The tables of a job file that some keys with their values make.

    Args:
        given: The keys and what is given for each; `None` for nothing.
        side: Where it is given.
        faults: Where what is wrong is added.
        roles: Those of columns that are named nowhere else.
    """
    columns = Columns(side, faults, {})
    of_columns = [one for one in given if one[0].place[0] == "columns"]
    rest = next((value for key, value in given if key.place == ("rest",)), None)
    _fill(columns, of_columns, rest, roles)
    tables: dict[str, Any] = {"columns": columns.tables} if of_columns or roles else {}
    for key, value in given:
        *above, name = key.place
        made = None if key.place[0] == "columns" else columns.said(key, value)
        if made is not None:
            (tables.setdefault(above[0], {}) if above else tables)[name] = made
    return tables


def _fill(columns: Columns, given: Sequence[tuple[Key, Any]], rest: object, roles: Mapping[str, str]) -> None:
    """Fill the tables of columns: a column has its role before anything else is said of it."""
    for key, value in given:
        if key.place[1] == "role":
            columns.name(key, columns.said(key, value) or ())
    for name, role in roles.items():
        columns.tables.setdefault(name, {"role": role})
    marks = [one for one in given if one[0].place[1] in _ROLES]
    for key, value in sorted(marks, key=lambda one: [*_ROLES].index(one[0].place[1])):
        columns.mark(key, columns.said(key, value) or (), rest)
    for key, value in given:
        if key.of_column:
            values: Mapping[str, object] = columns.said(key, value) or {}
            if rest == "drop" and key.place[1] == "hierarchy":  # it is of no use there, and does no harm
                for name in values:
                    columns.tables.setdefault(name, {"role": "drop"})
            columns.shape(key, values)
