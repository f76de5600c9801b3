"""Blocks of columns that a survey asks alike: one decision, and answers unless somebody says that outsiders know one.

A block has at least `FEWEST` columns whose names are one stem and a number from 1 on, or whose values are the same
words of a scale. Numbers may stand for anything, so `MANY` columns must share three or more of them, and begin alike.
Two values (0 and 1, yes and no) hide what everybody sees, such as a race, and names like `V7` hide all: no block has
such columns, unless the stem is a question's. What an outsider is likely to know is in none either, but where `MANY`
columns share the words of a scale (trust in courts, …).
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Final

from kohort.assessment.inspection.rules import known_values
from kohort.schema.vocabulary.topics import known_within, parts_of, topics_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kohort.assessment.inspection.evidence import ColumnEvidence
    from kohort.assessment.inspection.rules import Opinion

#: Columns of a block at least, also where numbers could be codes of anything, or names speak of what others know.
FEWEST, MANY = 5, 10

#: Values of a scale, from words or numbers that are no mere yes and no.
_SCALE: Final = range(3, 13)

#: Stems that say nothing, and those of questions; letters of a word, and of what numbers' names must have in common.
_EMPTY: Final = frozenset(
    [*"vxyz", "var", "variable", "val", "value", "col", "column", "field", "feature", "attr", "attribute", "unnamed"]
)
_QUESTIONS: Final = frozenset(
    ["q", "item", "question", "frage", "domanda", "pregunta", "answer", "antwort", "risposta"]
)
_WORD: Final = 4
_COMMON: Final = 3

_numbered = re.compile(r"([^\W\d_](?:.*[^\W\d_])?)[ _.-]*[0-9][0-9_.-]*[a-z]?").fullmatch
_digits = re.compile("[0-9]+").findall


def blocks(columns: Sequence[ColumnEvidence], opinions: Sequence[Opinion]) -> dict[str, str]:
    """The columns that are in blocks, each with why.

    Args:
        columns: All columns of a table.
        opinions: The one that decided on each.
    """
    open_ = [one for one, said in zip(columns, opinions, strict=True) if said.left_over and one.distinct < _SCALE.stop]
    found = dict[str, str]()
    for stem, members in _by_stem(open_).items():
        if len(members) >= FEWEST and min(int(_digits(one.name)[0]) for one in members) <= 1:
            told = f'one of {len(members)} columns that are called "{stem}" and a number'
            found |= {one.name: told for one in members}
    known = [one for one, said in zip(columns, opinions, strict=True) if _may_be_asked(one, said)]
    for (values, beginning), members in _by_values([*open_, *known]).items():
        named = [one for one in members if one in open_ or len(members) >= MANY]
        if len(named) >= (MANY if beginning else FEWEST):
            found |= {one.name: f"one of {len(named)} columns with the same {len(values)} values" for one in named}
    return found


def _by_stem(columns: Sequence[ColumnEvidence]) -> Mapping[str, list[ColumnEvidence]]:
    """The columns whose names are a stem and a number, by the stem, if that may be of questions."""
    found = defaultdict[str, "list[ColumnEvidence]"](list)
    for one in columns:
        stem = _stem(one.name)
        if stem in _QUESTIONS or (
            len(stem) > 1 and one.distinct in _SCALE and not {stem} & _EMPTY and not _is_known(stem)
        ):
            found[stem].append(one)
    return found


def _stem(name: str) -> str:
    """What stands before the number of a name; empty where there is none.

    >>> _stem("Q12_3b"), _stem("trust in police 4"), _stem("age")
    ('q', 'trust in police', '')
    """
    found = _numbered(name)
    return found[1].lower() if found else ""


def _by_values(columns: Sequence[ColumnEvidence]) -> Mapping[tuple[frozenset[str], str], list[ColumnEvidence]]:
    """The columns by their values, numbers also by how the names begin; words of a scale may lack some others have."""
    found = defaultdict[tuple[frozenset[str], str], "list[ColumnEvidence]"](list)
    for one in columns:
        values = frozenset(text.strip().lower().removesuffix(".0") for text in one.values.to_list())
        stem, numbers = _stem(one.name), all(map(_is_number, values))
        beginning = ("#" if len(stem) == 1 else one.name[:_COMMON].lower()) if numbers else ""
        if len(values) in _SCALE and _is_named(one, stem):
            found[values, beginning].append(one)
    for values in sorted((values for values, beginning in found if not beginning), key=len):
        wider = [other for other, beginning in found if not beginning and values < other]
        if wider:
            found[max(wider, key=lambda other: (len(found[other, ""]), sorted(other))), ""] += found.pop((values, ""))
    return found


def _is_named(column: ColumnEvidence, stem: str) -> bool:
    """Whether a name is of words, or of a letter and a number; not if it says nothing."""
    return stem not in _EMPTY and (len(stem) == 1 or any(len(one) >= _WORD for one in parts_of(column.name)))


def _is_number(value: str) -> bool:
    return value.lstrip("-").replace(".", "").isdecimal()


def _may_be_asked(column: ColumnEvidence, said: Opinion) -> bool:
    """Whether it is thought to be known by a word that a question may have, too, and has the words of a scale."""
    known = said.role == "quasi" and said.certainty == "likely" and "plain" not in column.topics
    scaled = column.distinct in _SCALE and not column.number and not known_values(column)
    return known and scaled and not _stem(column.name)


def _is_known(text: str) -> bool:
    return known_within(text) is not None or not topics_of(text).keys().isdisjoint(("plain", "known", "person"))
