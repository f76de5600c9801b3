"""The pages of transactions besides those of every kind of data: what each shows, and what its form changes."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlencode

from starlette.responses import RedirectResponse, Response

from kohort.desk.answers import faults_in
from kohort.desk.job_pages import WITH_A_FORM, JobPages, number, sent_file
from kohort.desk.protection import option
from kohort.errors import KohortError
from kohort.job.edits import changed, table_at, written
from kohort.transactions.release import check_labels
from kohort.transactions.report.evidence import CRITERIA
from kohort.transactions.request import labels_in
from kohort.transactions.sweep import METHODS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from starlette.requests import Request

    from kohort.desk.answers import Fault
    from kohort.desk.fields import Field
    from kohort.desk.job_pages import Endpoints
    from kohort.job.lines import Place
    from kohort.transactions.desk import ItemRoles, ItemsLook

#: Items of a page.
AT_A_TIME: Final = 50

#: The keys of items that the page of items has.
_BY_NAME: Final = frozenset({"private", "public", "weight", "names-file"})

#: The parameters of the promise, what each asks, and values of it.
PROMISES: Final[tuple[tuple[str, str, str, tuple[int | float, ...]], ...]] = (
    ("p", "How many items may an attacker know? (p)", "Each item more costs much more detail.", (1, 2, 3, 4)),
    ("k", "How many transactions share these items? (k)", "At least so many have them, or none.", (2, 5, 10, 20, 50)),
    (
        "h",
        "How sure may anyone be of a private item? (h)",
        "The greatest share of these transactions that have it.",
        (0.2, 0.4, 0.6, 0.8),
    ),
)


class ItemFilter(NamedTuple):
    """Which items are shown.

    Attributes:
        text: What their names contain.
        role: The role that they have; empty for any.
        page: The page of them, from 0.
    """

    text: str
    role: str
    page: int

    @classmethod
    def of(cls, said: Mapping[str, str]) -> ItemFilter:
        """What an address or a form says."""
        role = said.get("role", "")
        return cls(said.get("q", "").strip(), role if role in ROLES else "", max(number(said.get("page", "0")), 0))

    def address(self, page: int) -> str:
        """Where another page of them is."""
        said = {"q": self.text, "role": self.role, "page": page}
        return "/items?" + urlencode({key: value for key, value in said.items() if value})


@dataclass(slots=True, eq=False)
class TransactionPages(JobPages):
    """The pages of transactions."""

    criteria = CRITERIA
    methods = METHODS
    tried = MappingProxyType(
        {
            "k": (("privacy", "k"), "2,5,10,20,50,100"),
            "h": (("privacy", "h"), "0.2,0.4,0.6,0.8,1"),
            "p": (("privacy", "p"), "1,2,3,4"),
            "delta": (("items", "delta"), "0.2,0.4,0.6,0.8"),
        }
    )
    counted = ("Items dropped", "Moles before")

    def routes(self) -> Mapping[str, Endpoints]:
        """What answers a request for each path."""
        return {
            **JobPages.routes(self),
            "/items": (self.items, self.set_roles),
            "/named": (self.named, self.set_named),
            "/names": (None, self.set_names),
            "/reading": (self.reading, self.set_reading),
        }

    # --- looking ------------------------------------------------------------------------------------------------------

    def items(self, request: Request) -> Response:
        """The items with their roles, the most frequent first."""
        return self._items(ItemFilter.of(request.query_params))

    def _items(self, shown: ItemFilter, **others: Any) -> Response:  # noqa: ANN401  what a page is given
        look, roles = self._known()
        by_name = roles_by_name(look.names, roles)
        places = _matching(look, roles, by_name, shown)
        last = max(0, (len(places) - 1) // AT_A_TIME)
        page = min(shown.page, last)
        some = places[page * AT_A_TIME : (page + 1) * AT_A_TIME]
        names = [look.names[place] for place in some]
        rows = [(place, roles.labelled(name), by_name[name]) for place, name in zip(some, names, strict=True)]
        return self._page(
            "items",
            "Items",
            look=look,
            roles=roles,
            rows=rows,
            absent=sorted({*roles.private} - {*look.names}),
            named=table_at(self.desk.raw, ("items",)).get("names-file"),
            found=len(places),
            shown=shown._replace(page=page),
            last=last,
            form=written(table_at(self.desk.raw, ("transactions",)).get("format")),
            ITEM_ROLES=ROLES,
            here="/items",
            **others,
        )

    def named(self, _: Request) -> Response:
        """The private items as a list of names."""
        _look, roles = self._known()
        return self._page("named", "Private items", roles=roles, here="/items")

    def reading(self, _: Request) -> Response:
        """How the file is read."""
        groups = [("Form", "", self._fields(("transactions",))), ("Text", "", self._text_fields())]
        shown: dict[str, Any] = {"place": None, "groups": groups, "back": "/items", "bars": (), "here": "/items"}
        return self._page("fields", "How the file is read", action="/reading", **shown)

    # --- choosing -----------------------------------------------------------------------------------------------------

    def set_roles(self, request: Request) -> Response:
        """Give items the roles of the form; where that is asked, one role to all that are found."""
        look, roles = self._known(patience=WITH_A_FORM)
        form, before = request.scope["form"], roles_by_name(look.names, roles)
        shown = ItemFilter.of(form)
        if form.get("all") in ROLES:
            chosen = {look.names[place]: form["all"] for place in _matching(look, roles, before, shown)}
        else:
            said = {name: form.get(f"role-{place}") for place, name in enumerate(look.names)}
            chosen = {name: role for name, role in said.items() if role in ROLES}
        changes = {name: role for name, role in chosen.items() if before[name] != role}
        text = with_roles(self.desk.text, look.names, roles, changes) if changes else self.desk.text
        self._change(request, text, "roles of items")
        return RedirectResponse(shown.address(shown.page), 303)

    def set_named(self, request: Request) -> Response:
        """Make the items of a list private, and no others."""
        look, roles = self._known(patience=WITH_A_FORM)
        lines = [one.strip() for one in request.scope["form"].get("names", "").split("\n")]
        names = tuple(dict.fromkeys(item for one in lines if one for item in _items_called(one, look, roles)))
        text = self.desk.text
        if {*names} != {*roles.private}:
            freed = {one: "public" for one in roles.private if one not in names}
            text = with_roles(text, look.names, roles._replace(private=names), freed)
        self._change(request, text, "private items")
        return RedirectResponse("/items?role=private", 303)

    def set_names(self, request: Request) -> Response:
        """Show the items by the names of a file that is sent."""
        look, _roles = self._known(patience=WITH_A_FORM)
        try:
            file = sent_file(request.scope["files"], "a CSV or TSV file, with an item and its name on each line")
            check_labels(labels_in(file).items(), look.names)
        except KohortError as error:
            faults = faults_in(error)
            return self._items(ItemFilter("", "", 0), status=422, faults=faults, faulty=faults[0].told)
        said: dict[Place, object] = {("items", "names-file"): self.desk.hold(file, "names")}
        self._change(request, changed(self.desk.text, said), "names of items")
        return RedirectResponse("/items", 303)

    def set_reading(self, request: Request) -> Response:
        """Set how the file is read."""
        self._set(request, (*self._fields(("transactions",)), *self._text_fields()), "reading")
        return RedirectResponse("/items", 303)

    # --- what they share ----------------------------------------------------------------------------------------------

    def _known(self, *, patience: float = 0) -> tuple[ItemsLook, ItemRoles]:
        look: ItemsLook = self._answer("look", self._reading(), self.desk.folder, patience=patience)
        roles: ItemRoles = self._answer("roles", self.desk.text, self.desk.place, patience=patience)
        return look, roles

    def _choices(self) -> Sequence[Mapping[str, Any]]:
        return choices_of(self.desk.raw)

    def _settings(self) -> Sequence[tuple[str, Sequence[Field]]]:
        items = [one for one in self._fields(("items",)) if one.key not in _BY_NAME]
        return ("Promise", self._fields(("privacy",))), ("Items", items), ("Method", self._fields(("method",)))

    def _displaced(self, request: Request) -> Mapping[Place, object]:
        """Roles that are drawn from now on are not listed as well."""
        listed = ("private", "public", "private-file", "no-private", "public-file", "allow-absent")
        begins = request.scope["form"].get("delta") and "delta" not in table_at(self.desk.raw, ("items",))
        return {("items", key): None for key in listed} if begins else {}

    def _method(self) -> str:
        said = table_at(self.desk.raw, ("method",))
        if said.get("optimal"):
            return "optimal"
        if said.get("suppress") == "cells":
            return "cells"
        return "give-back" if said.get("give-back") else str(said.get("score", "mmil"))

    def _with_method(self, text: str, method: str) -> str:
        keys = {} if method == self._method() else method_keys(method)
        return changed(text, {("method", key): value for key, value in keys.items()})

    def _text_fields(self) -> tuple[Field, ...]:
        return tuple(one for one in self._fields(("input",)) if one.key != "path")

    def _titles(self) -> Mapping[str, Mapping[str, Sequence[str]]]:
        helps = {one.key: one.help for one in self._fields(("method",))}
        keys = {name: _KEYS.get(name, "score") for name in METHODS}
        some = {helps[key]: [name for name in METHODS if keys[name] == key] for key in dict.fromkeys(keys.values())}
        return {"Methods": some}

    def _fixes(self, fault: Fault) -> Iterator[tuple[str, Mapping[str, Mapping[Place, object]]]]:
        if fault.where == "items":
            yield "", {"No item is private": {("items", "no-private"): True}}


#: The methods that a key of their own asks for.
_KEYS: Final[Mapping[str, str]] = {"give-back": "give-back", "optimal": "optimal", "cells": "suppress"}


def method_keys(name: str) -> dict[str, object]:
    """What a job says to have a method; `None` for what it does not say.

    >>> {key: one for key, one in method_keys("give-back").items() if one is not None}
    {'give-back': True}
    >>> {key: one for key, one in method_keys("mm").items() if one is not None}
    {'score': 'mm'}
    """
    score = None if name in _KEYS else name
    said: dict[str, object] = {"score": score, "give-back": None, "optimal": None, "suppress": None, "time-limit": None}
    return said | ({_KEYS[name]: "cells" if name == "cells" else True} if name in _KEYS else {})


def choices_of(raw: Mapping[str, object]) -> list[dict[str, Any]]:
    """What can be chosen of the promise, as `kohort.desk.protection.choices_of` has it; each with its key to `vary`."""
    privacy = table_at(raw, ("privacy",))
    return [
        {
            "title": title,
            "says": says,
            "vary": key,
            "options": [
                option(raw, f"{key} = {value}", "", [(("privacy", key), value)])
                for value in dict.fromkeys((*values, privacy.get(key, values[0])))
            ],
        }
        for key, title, says, values in PROMISES
    ]


def _matching(look: ItemsLook, known: ItemRoles, roles: Mapping[str, str], shown: ItemFilter) -> list[int]:
    """The places of items with such names and roles, the most frequent first."""
    text = shown.text.casefold()
    places = [
        place
        for place, name in enumerate(look.names)
        if text in known.labelled(name).casefold() and shown.role in {"", roles[name]}
    ]
    return sorted(places, key=lambda place: -look.supports[place])


def _items_called(text: str, look: ItemsLook, roles: ItemRoles) -> Sequence[str]:
    """The items that a line means: the one of this text, or all of this name."""
    if text in look.names:
        return (text,)
    found = [item for item, label in roles.labels.items() if text in {label, label.removesuffix(f" ({item})")}]
    return found or (text,)


# ── the roles of items in a job's text ───────────────────────────────────────────────────────────

#: What a role means, in a sentence for those who choose it.
ROLES: Final[Mapping[str, str]] = {
    "public": "an attacker may know that a person has it; suppressed where that would give a private item away",
    "private": "must stay secret; released, with a limit on what an attacker infers",
    "neither": "released unchanged; attackers are assumed not to know it",
}

#: What says roles in another way than lists in the job.
_OTHERWISE: Final = ("private-file", "public-file", "delta", "seed", "draw")


def roles_by_name(names: Iterable[str], roles: ItemRoles) -> dict[str, str]:
    """The role of each item.

    >>> from kohort.transactions.desk import ItemRoles
    >>> roles_by_name(["bread", "pill"], ItemRoles(private=("pill",)))
    {'bread': 'public', 'pill': 'private'}
    """
    private, public = {*roles.private}, None if roles.public is None else {*roles.public}

    def role_of(name: str) -> str:
        if name in private:
            return "private"
        return "public" if public is None or name in public else "neither"

    return {name: role_of(name) for name in names}


def with_roles(text: str, names: Sequence[str], roles: ItemRoles, chosen: Mapping[str, str]) -> str:
    r"""The text with other roles of items, which it lists from then on; a name of no item stays where it is.

    >>> from kohort.transactions.desk import ItemRoles
    >>> print(with_roles("[items]\ndelta = 0.4\n", ["bread", "pill"], ItemRoles(), {"pill": "private"}))
    [items]
    private = ["pill"]
    <BLANKLINE>
    """
    known = frozenset(names)
    made = roles_by_name(names, roles) | {name: role for name, role in chosen.items() if name in known}
    private = [*(one for one in roles.private if one not in known), *(one for one in names if made[one] == "private")]
    public = [
        *(one for one in roles.public or () if one not in known),
        *(one for one in names if made[one] == "public"),
    ]
    listed = roles.public is not None or "neither" in made.values()
    said: dict[str, object] = {"private": private or None, "public": public if listed and public else None}
    return changed(text, {("items", key): value for key, value in (dict.fromkeys(_OTHERWISE) | said).items()})
