"""Which kinds of identifiers the name of a column speaks of: the longest known words decide, each word once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from kohort.schema.vocabulary import words
from kohort.schema.vocabulary.topics import parts_of, topics_of

if TYPE_CHECKING:
    from collections.abc import Mapping

#: What a word of a column's name, or a form of its values, stands for.
Kind: TypeAlias = Literal[
    "name",
    "postal code",
    "area",
    "date",
    "month",
    "birthday",
    "birth year",
    "age",
    "phone",
    "fax",
    "email",
    "ssn",
    "record",
    "plan",
    "account",
    "licence",
    "vehicle",
    "device",
    "web",
    "ip",
    "biometric",
    "face",
    "other",
]

#: Words that say a kind by themselves.
_SAYING: Final[tuple[Mapping[Kind, str], ...]] = (
    words.NAMES,
    words.CONTACTS,
    words.FURTHER,
    {
        "postal code": words.POSTAL,
        "age": words.AGES,
        "birthday": words.BIRTHDAYS,
        "birth year": words.BIRTH_YEARS,
        "area": words.TOWNS,
    },
)

#: Words that are taken as one at most: `medical_record_number`.
_LONGEST: Final = 3


def _entries(*lists: Mapping[Kind, str]) -> dict[str, Kind]:
    """The kind of each word; one that stands for any ending has its star."""
    return {word: kind for one in lists for kind, text in one.items() for word in text.split()}


_KINDS: Final = _entries(*_SAYING)
_NUMBERED: Final = _entries(words.NUMBERED)
_JOINING: Final = frozenset(words.JOINING.split())


def kinds_of(name: str) -> dict[Kind, str]:
    """The kinds that `name` speaks of, each with the words that say so, joined.

    >>> kinds_of("IP_address"), kinds_of("numero di conto"), kinds_of("account_balance")
    ({'ip': 'ipaddress'}, {'account': 'numeroconto'}, {})
    """
    parts = [one for one in parts_of(name) if one not in _JOINING]
    found: dict[Kind, str] = {}
    at = 0
    while at < len(parts):
        stretches = (parts[at : at + size] for size in range(min(_LONGEST, len(parts) - at), 0, -1))
        size, kind = next(((len(one), said) for one in stretches if (said := _kind(one)) is not None), (1, None))
        if kind is not None:
            found.setdefault(kind, "".join(parts[at : at + size]))
        at += size
    return found


def _kind(parts: list[str]) -> Kind | None:
    """What some neighbouring words stand for together."""
    word = "".join(parts)
    known = _KINDS.get(word) or _KINDS.get(word.removesuffix("s")) or _by_beginning(word)
    if known or len(parts) == 1:
        return known
    first, last = "".join(parts[:-1]), "".join(parts[1:])
    by_last = _NUMBERED.get(first) if _is_number(parts[-1]) else None
    return by_last or (_NUMBERED.get(last) if _is_number(parts[0]) else None)


def _by_beginning(word: str) -> Kind | None:
    return next((_KINDS[start] for size in range(len(word), 3, -1) if (start := f"{word[:size]}*") in _KINDS), None)


def _is_number(word: str) -> bool:
    return not {"id", "number"}.isdisjoint(topics_of(word))
