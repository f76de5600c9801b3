"""What the name of a column says about its content, in English, Italian, German, French and Spanish."""

from __future__ import annotations

from kohort.schema.vocabulary.kinds import kinds_of
from kohort.schema.vocabulary.topics import (
    RoleName,
    Topic,
    ends_in,
    ends_in_place,
    ends_in_plural,
    joined,
    known_within,
    parts_of,
    says_code,
    says_coordinate,
    says_postal_code,
    says_weight,
    topics_of,
    words_of,
)

__all__ = [
    "RoleName",
    "Topic",
    "ends_in",
    "ends_in_place",
    "ends_in_plural",
    "joined",
    "kinds_of",
    "known_within",
    "parts_of",
    "says_code",
    "says_coordinate",
    "says_postal_code",
    "says_weight",
    "topics_of",
    "words_of",
]
