"""The roles of items in a job's text: which are private, and which public where not all others are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kohort.app.edits import changed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kohort.app.baskets.answers import ItemRoles

#: What a role means, in a sentence for those who choose it.
ROLES: Final[Mapping[str, str]] = {
    "public": "an attacker may know that a person has it; suppressed where that would give a private item away",
    "private": "nobody may infer that a person has it; released within the limits of the model",
    "neither": "released unchanged, and nobody is assumed to know it",
}

#: What says roles in another way than lists in the job.
_OTHERWISE: Final = ("private-file", "public-file", "delta", "seed", "draw")


def roles_by_name(names: Iterable[str], roles: ItemRoles) -> dict[str, str]:
    """The role of each item.

    >>> from kohort.app.baskets.answers import ItemRoles
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

    >>> from kohort.app.baskets.answers import ItemRoles
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
