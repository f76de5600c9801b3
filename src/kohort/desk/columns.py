"""The columns of a table as rows to choose from: found, sorted, blocks folded, several at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from string import ascii_lowercase, digits
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from kohort.desk.protection import in_words
from kohort.desk.render import ROLES
from kohort.job.edits import table_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from kohort.desk.answers import ColumnLook, Look

#: Columns that are folded into a row, if there are so many.
FEWEST: Final = 5

#: The role of columns that nobody has decided on, among those to be found.
UNDECIDED: Final = "undecided"

#: What rows can be sorted by; the undecided first where nothing is said.
ORDERS: Final[Mapping[str, Callable[[ColumnLook, str], Any]]] = {
    "": lambda _, role: role != UNDECIDED,
    "name": lambda column, _: column.guess.name.casefold(),
    "type": lambda column, _: column.guess.scale,
    "values": lambda column, _: -column.guess.distinct,
    "role": lambda _, role: [UNDECIDED, *ROLES].index(role),
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

    def address(self, **others: Any) -> str:  # noqa: ANN401  its own attributes
        """Where it is, or one of which some attributes are others."""
        of = replace(self, **others)
        said = {"q": of.text, "of": of.role, "sort": of.order, "unfold": str(of.unfolded) if of.unfolded >= 0 else ""}
        kept = {key: value for key, value in said.items() if value}
        return "/columns" + (f"?{urlencode(kept)}" if kept else "")

    def places(self, look: Look, said: Mapping[str, Any]) -> list[int]:
        """The places of the columns that it shows, in its order."""
        roles = _roles(look, said)
        names = [one.guess.name.casefold() for one in look.columns]
        found = [at for at, role in enumerate(roles) if self.text.casefold() in names[at] and self.role in {"", role}]
        order = ORDERS[self.order]
        return sorted(found, key=lambda at: order(look.columns[at], roles[at]))

    def rows(self, look: Look, said: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Its rows: a column, or a block of columns that are called alike but for a number and have one role.

        Each has the `places` of its columns, what it is called, all its `names`, its `role`, what is known of the first
        of them (`guess`), and of a single column how its values are distributed and what the job says of it, in words.
        """
        columns, roles = look.columns, _roles(look, said)

        def alike(at: int) -> tuple[str, str]:
            name = columns[at].guess.name
            bare = name.rstrip(ascii_lowercase) if name[-2:-1].isdecimal() else name
            stem = bare.rstrip(f"{digits}_.-")
            return (stem.rstrip() if bare[len(stem) :].strip("_.-") else name), roles[at]

        blocks: dict[tuple[str, str], list[int]] = {}
        for at in self.places(look, said):
            blocks.setdefault(alike(at), []).append(at)
        rows: list[dict[str, Any]] = []
        for members in blocks.values():
            places = tuple(members)
            folded = len(places) >= FEWEST and self.unfolded not in places
            for some in [places] if folded else [(at,) for at in places]:
                names, bars = [columns[at].guess.name for at in some], columns[some[0]].bars
                own = {} if folded else {"bars": bars, "said": in_words(table_at(said, names))}
                name = f"{names[0]} … {names[-1]}" if folded else names[0]
                row = {"places": some, "name": name, "names": ", ".join(names), "role": roles[some[0]]}
                rows.append({"bars": (), "said": "", **row, "guess": columns[some[0]].guess, **own})
        return rows


def _roles(look: Look, said: Mapping[str, Any]) -> list[str]:
    """The role of each column; `UNDECIDED` where the job gives none."""
    found = [table_at(said, (one.guess.name,)).get("role") for one in look.columns]
    return [role if role in ROLES else UNDECIDED for role in found]


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
