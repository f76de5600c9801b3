"""The columns of a table as rows to choose from: found, sorted, blocks folded, several at once."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlencode

from kohort.app.fields import table_at
from kohort.app.protection import in_words
from kohort.app.render import ROLES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kohort.app.answers import ColumnLook, Look
    from kohort.assessment.inspection.distribution import Bar
    from kohort.assessment.inspection.guesses import Guess

#: Columns that are folded into a row: so many in succession, called alike but for a number, with one role.
FEWEST: Final = 5

#: The role of columns that nobody has decided on, among those to be found.
UNDECIDED: Final = "undecided"

_stem = re.compile(r"(.*?)[ _.-]*\d[\d_.-]*[a-z]?").fullmatch


class Row(NamedTuple):
    """A column, or a block of columns that are called alike.

    Attributes:
        place: The place of the column in the table; of a block that of its first one.
        places: Those of all its columns.
        name: What it is called.
        names: The names of all its columns.
        role: The role that the job gives it; another text where nobody has decided.
        guess: What is known of the column, or of the first of a block.
        bars: How its values are distributed.
        said: What the job says of it, in words.
    """

    place: int
    places: tuple[int, ...]
    name: str
    names: str
    role: str
    guess: Guess
    bars: tuple[Bar, ...]
    said: str

    @property
    def is_block(self) -> bool:
        """Whether it is of several columns."""
        return len(self.places) > 1

    @property
    def decided(self) -> bool:
        """Whether it has a role."""
        return self.role in ROLES


#: What rows can be sorted by: how it is called, and the key.
ORDERS: Final[Mapping[str, str]] = {
    "": "undecided first",
    "name": "name",
    "type": "type",
    "values": "most values",
    "role": "role",
}


@dataclass(frozen=True, slots=True)
class View:
    """Which columns are shown, and how.

    Attributes:
        text: What their names contain.
        role: The role that they have; empty for any.
        order: One of `ORDERS`.
        unfolded: The place of the block that is not folded; -1 for none.
    """

    text: str = ""
    role: str = ""
    order: str = ""
    unfolded: int = -1

    @classmethod
    def of(cls, said: Mapping[str, str]) -> View:
        """What an address or a form says."""
        role, order, unfolded = (said.get(key, "") for key in ("of", "sort", "unfold"))
        known = role if role in {*ROLES, UNDECIDED} else ""
        place = int(unfolded) if unfolded.isdecimal() and len(unfolded) < 6 else -1  # noqa: PLR2004  no table has as many
        return cls(said.get("q", "").strip(), known, order if order in ORDERS else "", place)

    @property
    def address(self) -> str:
        """Where it is."""
        return self.unfolding(self.unfolded)

    def unfolding(self, place: int) -> str:
        """Where it is with another block unfolded."""
        said = {"q": self.text, "of": self.role, "sort": self.order, "unfold": str(place) if place >= 0 else ""}
        kept = {key: value for key, value in said.items() if value}
        return "/columns" + (f"?{urlencode(kept)}" if kept else "")

    def ordered(self, order: str) -> View:
        """The same in another order."""
        return replace(self, order=order)

    def places(self, look: Look, said: Mapping[str, Any]) -> list[int]:
        """The places of the columns that it shows, in its order."""
        found = [place for place, one in enumerate(look.columns) if self._shows(one.guess.name, _role(said, one))]
        columns = look.columns
        match self.order:
            case "name":
                found.sort(key=lambda at: columns[at].guess.name.casefold())
            case "type":
                found.sort(key=lambda at: columns[at].guess.scale)
            case "values":
                found.sort(key=lambda at: -columns[at].guess.distinct)
            case "role":
                found.sort(key=lambda at: [UNDECIDED, *ROLES].index(_known(_role(said, columns[at]))))
            case _:
                found.sort(key=lambda at: _role(said, columns[at]) in ROLES)
        return found

    def _shows(self, name: str, role: str) -> bool:
        return self.text.casefold() in name.casefold() and self.role in {"", _known(role)}


def _known(role: str) -> str:
    return role if role in ROLES else UNDECIDED


def _role(said: Mapping[str, Any], look: ColumnLook) -> str:
    return str(table_at(said, (look.guess.name,)).get("role", ""))


def rows_of(look: Look, said: Mapping[str, Any], view: View) -> list[Row]:
    """The rows of a view.

    Args:
        look: What is known of the columns.
        said: What the job says of them.
        view: Which are shown.
    """
    columns = look.columns

    def alike(at: int) -> tuple[str, str]:
        name = columns[at].guess.name
        found = _stem(name)
        return (found[1] if found else name), _role(said, columns[at])

    rows: list[Row] = []
    for _, members in groupby(view.places(look, said), alike):
        places = tuple(members)
        if len(places) < FEWEST or view.unfolded in places:
            rows += (_row(columns, said, (at,)) for at in places)
        else:
            rows.append(_row(columns, said, places))
    return rows


def _row(columns: Sequence[ColumnLook], said: Mapping[str, Any], places: tuple[int, ...]) -> Row:
    first, last = columns[places[0]], columns[places[-1]]
    name = first.guess.name if len(places) == 1 else f"{first.guess.name} … {last.guess.name}"
    words = in_words(table_at(said, (first.guess.name,))) if len(places) == 1 else ""
    bars = first.bars if len(places) == 1 else ()
    names = ", ".join(columns[at].guess.name for at in places)
    return Row(places[0], places, name, names, _role(said, first), first.guess, bars, words)


def chosen_in(form: Mapping[str, str], columns: int, shown: Sequence[int]) -> dict[int, str]:
    """The roles that a form gives to the columns at some places.

    Args:
        form: The form: a role for a row, and one for several rows at once.
        columns: How many columns there are.
        shown: The places of those that the page showed.
    """
    members = {place: _members(form, place) for place in range(columns)}
    roles = {
        at: role
        for place, some in members.items()
        for at in some
        if (role := form.get(f"role-{place}", "")) in ROLES and at < columns
    }
    to, which = form.get("to", ""), form.get("which", "")
    if "set" not in form or to not in ROLES:
        return roles
    ticked = {at for place, some in members.items() if f"tick-{place}" in form for at in some}
    some = {
        "ticked": ticked,
        "shown": {*shown},
        "undecided": {*shown} - roles.keys(),
        "others": {*shown} - ticked,
    }.get(which, set())
    return {**roles, **{at: to for at in sorted(some) if at < columns}}


def _members(form: Mapping[str, str], place: int) -> tuple[int, ...]:
    """The places of the row that begins with a column."""
    said = form.get(f"block-{place}", "")
    return tuple(_numbers(said)) if said else (place,)


def _numbers(text: str) -> Iterator[int]:
    return (int(one) for one in text.split(",") if one.isdecimal() and len(one) < 6)  # noqa: PLR2004  as above
