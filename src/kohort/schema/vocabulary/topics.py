"""What the name of a column says about its content, in English, Italian, German, French and Spanish."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from kohort.schema.vocabulary import words

if TYPE_CHECKING:
    from collections.abc import Mapping

#: What a column should be; `undecided` where a person has to say it before anything is released.
RoleName: TypeAlias = Literal["identifying", "quasi", "sensitive", "insensitive", "drop", "undecided"]

#: What a word speaks of; `words` describes each.
Topic: TypeAlias = Literal[
    "name",
    "contact",
    "whole",
    "row",
    "id",
    "naming",
    "number",
    "person",
    "plain",
    "known",
    "money",
    "health",
    "private",
    "time",
    "clinical",
    "arm",
    "quantity",
    "filler",
]

_VOCABULARY: Final[Mapping[Topic, str]] = MappingProxyType(
    {
        "name": " ".join(words.NAMES.values()),
        "contact": " ".join(words.CONTACTS.values()),
        "id": words.IDS,
        "naming": words.NAMING,
        "number": words.NUMBERING,
        "person": words.PEOPLE,
        "plain": words.PLAIN,
        "known": words.KNOWN,
        "money": words.MONEY,
        "health": words.HEALTH,
        "private": words.PRIVATE,
        "time": words.TIME,
        "clinical": words.CLINICAL,
        "arm": words.ARMS,
        "quantity": words.QUANTITIES,
        "filler": words.FILLERS,
    }
)

_POSTAL: Final = frozenset(words.POSTAL.split())
_HEAVY: Final = frozenset(words.HEAVY.split())
_WEIGHING: Final = tuple(words.WEIGHTS.split())
_CODES: Final = tuple(words.CODES.split())
_PLACES: Final = frozenset(words.PLACES.split())
_SEVERAL: Final = frozenset(words.SEVERAL.split())
_STEMS: Final = tuple(words.STEMS.split())
_RELATIVES: Final = frozenset(words.RELATIVES.split())
_LATITUDE: Final = frozenset(["lat", "latitude", "latitudine", "latitud", "breite", "breitengrad"])
_LONGITUDE: Final = frozenset(["lon", "lng", "long", "longitude", "longitudine", "longitud", "lange", "langengrad"])

#: Words of two letters that may be a part of a longer one: `patientid`, `wtkg`.
_SHORT: Final = frozenset(["bp", "cm", "dt", "dx", "hh", "hr", "ht", "id", "kg", "mo", "no", "nr", "wt", "yr"])

#: Letters at least of a word's part, of a beginning that stands for a part, and of an end that stands for a word.
_PART, _BEGINNING, _END = 3, 4, 5

#: Capitals up to the next word's first, or letters with at most the first one a capital.
_words = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+").findall
_chunks = re.compile(r"[a-z0-9]+").findall


def _entries() -> tuple[dict[str, tuple[Topic, ...]], dict[str, tuple[Topic, ...]]]:
    """The topics of whole words, and of the beginnings of words."""
    whole: dict[str, tuple[Topic, ...]] = {}
    beginnings: dict[str, tuple[Topic, ...]] = {}
    for topic, text in _VOCABULARY.items():
        for entry in text.split():
            known = beginnings if entry.endswith("*") else whole
            known[entry.rstrip("*")] = (*known.get(entry.rstrip("*"), ()), topic)
    return whole, beginnings


_WHOLE, _BEGINNINGS = _entries()
_COLUMNS: Final[tuple[tuple[Topic, frozenset[str]], ...]] = (
    ("row", frozenset(words.ROWS.split())),
    ("whole", frozenset(words.WHOLE.split())),
)


def topics_of(name: str) -> dict[Topic, str]:
    """What `name` speaks of, each topic with the word that says so.

    >>> topics_of("DataNascita")["plain"], topics_of("yearsmarried")["known"]
    ('nascita', 'yearsmarried')
    >>> sorted(topics_of("patientID"))
    ['id', 'person']
    >>> topics_of("x27")
    {}
    """
    found: dict[Topic, str] = {}
    whole = joined(name)
    for topic, known in _COLUMNS:
        if whole in known:
            found[topic] = whole
    single = set(_parts(name))
    for word in words_of(name):
        for topic in _topics(word) if word in single or not word.isalpha() else _WHOLE.get(word, ()):
            found.setdefault(topic, word)
    return found


def known_within(name: str) -> str | None:
    """The word of `name` that a stem of something known stands in, or known words behind whose they are.

    >>> known_within("motheduc"), known_within("mjob"), known_within("Vaterbildung"), known_within("trust3")
    ('motheduc', 'mjob', 'vaterbildung', None)
    """
    return next((word for word in _parts(name) if any(one in word for one in _STEMS) or _is_relatives(word)), None)


def _is_relatives(word: str) -> bool:
    """Whether a word is somebody's, and then known."""
    parts = ((word[:size], word[size:]) for size in range(1, len(word) - _PART + 1))
    topics = (_known(rest) for first, rest in parts if first in _RELATIVES)
    return not _known(word) and any("known" in found or "plain" in found for found in topics)


def joined(name: str) -> str:
    """The letters and digits of `name`, in plain lower case.

    >>> joined("Date_Décès")
    'datedeces'
    """
    return "".join(_chunks(_plain(name).lower()))


def says_weight(name: str) -> Literal["survey", "any"] | None:
    """Whether `name` speaks of the weight of a record in a survey, or of any weight.

    >>> says_weight("sample_weight"), says_weight("PWGTP12"), says_weight("wt82_71"), says_weight("waist")
    ('survey', 'survey', 'any', None)
    """
    if _says(name, _WEIGHING):
        return "survey"
    return None if _HEAVY.isdisjoint(parts_of(name)) else "any"


def says_code(name: str) -> bool:
    """Whether `name` speaks of places, trades or codes, for which numbers stand that are no quantities.

    >>> says_code("occ_code"), says_code("Regione"), says_code("hours")
    (True, True, False)
    """
    return _says(name, _CODES)


def _says(name: str, entries: tuple[str, ...]) -> bool:
    """Whether a word of `name` is one of these, or begins as one with a star does; a plural s may be added."""
    said = words_of(name)
    return any(
        any(word.startswith(entry[:-1]) for word in said)
        if entry[-1] == "*"
        else not {entry, f"{entry}s"}.isdisjoint(said)
        for entry in entries
    )


def says_postal_code(name: str) -> bool:
    """Whether `name` speaks of a postal code.

    >>> says_postal_code("CAP_residenza")
    True
    """
    return not _POSTAL.isdisjoint(words_of(name))


def says_coordinate(name: str) -> Literal["latitude", "longitude"] | None:
    """Which coordinate `name` speaks of.

    >>> says_coordinate("pickup_lat"), says_coordinate("Longitude"), says_coordinate("late")
    ('latitude', 'longitude', None)
    """
    said = set(words_of(name))
    if said & _LATITUDE:
        return "latitude"
    return "longitude" if said & _LONGITUDE else None


def ends_in(name: str, topic: Topic) -> bool:
    """Whether the last word of `name` speaks of `topic`.

    >>> ends_in("account_number", "number"), ends_in("number_of_rooms", "number")
    (True, False)
    """
    parts = _parts(name)
    return bool(parts) and topic in _topics(parts[-1])


def ends_in_plural(name: str) -> bool:
    """Whether the last word of `name` is of several people.

    >>> [ends_in_plural(name) for name in ("n_students", "staff", "student", "class")]
    [True, True, False, False]
    """
    last = "".join(_parts(name)[-1:])
    several = last.endswith("s") and last not in _WHOLE and "person" in _WHOLE.get(last.removesuffix("s"), ())
    return several or last in _SEVERAL


def ends_in_place(name: str) -> bool:
    """Whether the last word of `name` is a place's.

    >>> ends_in_place("policeDistrict"), ends_in_place("district_income")
    (True, False)
    """
    return not _PLACES.isdisjoint(_parts(name)[-1:])


def words_of(name: str) -> tuple[str, ...]:
    """The words of a column's name, folded to plain lower case, and every two neighbours as one.

    >>> words_of("firstName"), words_of("ETÀ"), words_of("cd4.count")
    (('first', 'name', 'firstname'), ('eta',), ('cd4', 'cd', 'count', 'cdcount'))
    """
    parts = _parts(name)
    mixed = (word for word in _chunks(_plain(name).lower()) if not word.isalpha() and not word.isdigit())
    return (*mixed, *parts, *(first + second for first, second in pairwise(parts)))


def parts_of(name: str) -> list[str]:
    """The words of a column's name in their order, and those that are joined of known ones apart.

    >>> parts_of("emergencyPhone"), parts_of("patientphone"), parts_of("licenseplate_no")
    (['emergency', 'phone'], ['patient', 'phone'], ['licenseplate', 'no'])
    """
    return [part for word in _parts(name) for part in (() if _known(word) else _split(word)) or (word,)]


def _parts(name: str) -> list[str]:
    return [word.lower() for word in _words(_plain(name))]


def _plain(name: str) -> str:
    decomposed = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    return "".join(sign for sign in decomposed if not unicodedata.combining(sign))


@lru_cache(maxsize=4096)
def _topics(word: str) -> tuple[Topic, ...]:
    """What a word speaks of: as a whole, by its beginning, by the parts that it is joined of, or by its end."""
    return _known(word) or tuple(topic for part in _split(word) for topic in _known(part)) or _by_end(word)


@lru_cache(maxsize=4096)
def _known(word: str) -> tuple[Topic, ...]:
    """What a word of the vocabulary speaks of; a plural s may be added."""
    return _WHOLE.get(word) or _WHOLE.get(word.removesuffix("s")) or _by_beginning(word, 2)


def _by_beginning(word: str, least: int) -> tuple[Topic, ...]:
    """What the longest known beginning of a word speaks of, if it has so many letters."""
    lengths = range(len(word), least - 1, -1)
    return next((_BEGINNINGS[word[:size]] for size in lengths if word[:size] in _BEGINNINGS), ())


def _by_end(word: str) -> tuple[Topic, ...]:
    """What the longest known end of a word speaks of: the head of a German compound (`Jahresgehalt`)."""
    ends = (word[at:] for at in range(_PART, len(word) - _END + 1))
    return next((_WHOLE[end] for end in ends if end in _WHOLE), ())


def _split(word: str) -> tuple[str, ...]:
    """The known words that `word` is joined of, the first as long as possible; none where a part is unknown.

    Many English words end in age (package, postage): only the age of somebody is one.
    """
    for size in range(len(word) - 2, 1, -1):
        first, rest = word[:size], word[size:]
        if not _is_part(first) or (rest == "age" and "person" not in _WHOLE[first]):
            continue
        if _is_part(rest) or _by_beginning(rest, _BEGINNING):
            return first, rest
        if parts := _split(rest):
            return (first, *parts)
    return ()


def _is_part(word: str) -> bool:
    return word in _WHOLE and (len(word) >= _PART or word in _SHORT)
