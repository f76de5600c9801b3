"""The rules that guess a column's role.

They are tried in this order, and the first that has an opinion decides:

    1. values of an identifying form (codice fiscale, IBAN, e-mail …)       identifying, whatever the name
       numbers that weigh the records of a survey                           insensitive: rounded or dropped
       parts of one date: its year, its month and day                       quasi-identifying, dropped
    2. long cells of many words                                             identifying
    3. a name that speaks of names, contacts or ids                         identifying
    4. whole numbers that number the records                                identifying
    5. numbers or codes, each once at most in each period of a panel        identifying
    6. latitude with longitude                                              identifying, or quasi where shared
    7. days, postal codes                                                   quasi-identifying
    8. texts that speak of health, under a name that says nothing           sensitive
    9. any other name that speaks                                           as the vocabulary says
    10. one value, or none                                                  insensitive
    11. numbers with decimals, a value for every other record               undecided in a clinical table, else quasi
    12. a value of its own for most records                                 identifying if text, else undecided
    13. a value for every other record                                      undecided
    14. other numbers in a table that is mostly clinical                    sensitive
    15. values that records share                                           quasi-identifying

A column is never called sensitive or insensitive while most records have a value of their own, unless it holds numbers
and its name speaks of money, time or health, or of a survey's weights. No reason repeats a value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np

from kohort.assessment.inspection.evidence import HALF
from kohort.assessment.inspection.panels import are_codes
from kohort.schema.patterns import COMPACT_DATE, DAYS, IDENTIFIERS, POSTAL_CODE
from kohort.schema.vocabulary.topics import (
    ends_in,
    ends_in_place,
    ends_in_plural,
    known_within,
    parts_of,
    says_weight,
    topics_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kohort.assessment.inspection.evidence import ColumnEvidence
    from kohort.assessment.inspection.panels import DatePart
    from kohort.schema.vocabulary.topics import RoleName, Topic

#: How sure a guess is.
Certainty: TypeAlias = Literal["sure", "likely", "unsure"]


@dataclass(frozen=True, slots=True)
class Opinion:
    """The verdict of one rule on a column; `answer`: no outsider is likely to know what it holds."""

    role: RoleName
    certainty: Certainty
    reason: str
    answer: bool = False

    @property
    def left_over(self) -> bool:
        """Whether nobody can tell if an outsider knows the column: it is generalized until somebody says."""
        return self.role == "quasi" and self.certainty == "unsure"


@dataclass(frozen=True, slots=True)
class Context:
    """What a rule must know of the rest of the table.

    Attributes:
        clinical: Whether the names of most columns speak of health.
        alone_at: Share of records with coordinates of their own, where the column is one of a pair; else `None`.
        period: The column that tells apart all records with the same value of this one; see `panels`.
        part: Which part of a date it is, whose others are columns, too; else `None`.
    """

    clinical: bool = False
    alone_at: float | None = None
    period: str | None = None
    part: DatePart | None = None


#: Whole numbers of at most so many values are categories, unless the name says that they measure something.
CATEGORIES: Final = 10

#: Up to so many values, what sounds like a way to reach somebody (phone) is a word for something else (phone service).
_FLAG: Final = 3

#: Values at most that are a list of words, such as diagnoses.
_LISTED: Final = 100

#: Up to so many values a column may be the arms of a trial.
_ARMS: Final = 5

#: Columns with names of health at least, for a table to be clinical, and their share of those whose names speak.
_CLINICAL_COLUMNS, _CLINICAL_SHARE = 3, 0.5

_SENSITIVE: Final[tuple[Topic, ...]] = ("money", "health", "private")
_PRECEDENCE: Final[tuple[Topic, ...]] = ("plain", *_SENSITIVE, "known", "arm", "clinical", "time")
_MEASURES: Final[frozenset[Topic]] = frozenset({"money", "health", "time"})
_SAYS_A_ROLE: Final[frozenset[Topic]] = frozenset({*_SENSITIVE, "plain", "known"})


def is_clinical(columns: Sequence[ColumnEvidence]) -> bool:
    """Whether the names of most columns speak of health."""
    health = sum("health" in one.topics for one in columns)
    speaking = sum(not _SAYS_A_ROLE.isdisjoint(one.topics) for one in columns)
    return health >= _CLINICAL_COLUMNS and health >= _CLINICAL_SHARE * speaking


def opinions(evidence: ColumnEvidence, context: Context) -> list[Opinion]:
    """What the rules say of a column, in their order; the first decides, and there is one."""
    found = [opinion for rule in _RULES if (opinion := rule(evidence, context)) is not None]
    return found or [next(opinion for rule in _OTHERWISE if (opinion := rule(evidence, context)) is not None)]


def percent(part: float, whole: float = 1) -> str:
    """A share as people read it.

    >>> percent(1, 8), percent(0.986)
    ('12.5 %', '98.6 %')
    """
    return f"{part / whole if whole else 0:.1%}".replace("%", " %")


def _own(evidence: ColumnEvidence) -> str:
    return f"{percent(evidence.alone, evidence.present)} of the records have a value of their own"


def _named(evidence: ColumnEvidence, topic: Topic) -> str:
    return f'its name says "{evidence.topics[topic]}"'


def _separates(evidence: ColumnEvidence) -> str:
    return f"on its own it distinguishes {percent(evidence.separation)} of record pairs"


def _by_identifying_form(evidence: ColumnEvidence, _: Context) -> Opinion | None:
    form = evidence.form
    if form is None or form not in IDENTIFIERS:
        return None
    how = " with the right check digits" if form.checked else ""
    return Opinion("identifying", "sure", f"nearly all of its {_values(evidence)} are {form.plural}{how}")


def is_weight(evidence: ColumnEvidence) -> bool:
    """Whether it weighs the records of a survey: by its name, or by that of any weight and numbers of no body.

    Such numbers are 1 on average, with decimals; or they are many people each, and far apart.
    """
    if not evidence.numeric or evidence.distinct <= CATEGORIES or evidence.values.str.starts_with("-").any():
        return False
    says = says_weight(evidence.name)
    return says == "survey" or (says == "any" and _weighs_people(evidence))


def _weighs_people(evidence: ColumnEvidence) -> bool:
    numbers = np.repeat(evidence.values.cast(float).to_numpy(), evidence.sizes)
    low, middle, high = np.quantile(numbers, (0.1, 0.5, 0.9))
    even = not evidence.whole and abs(float(numbers.mean()) - 1) < _EVEN
    return even or (middle > _HEAVIEST and high > _APART * low)


#: How far from 1 the mean of a survey's weights is; kilograms or pounds of nobody; how far apart are most of them.
_EVEN, _HEAVIEST, _APART = 0.1, 400, 3


def _by_weight(evidence: ColumnEvidence, _: Context) -> Opinion | None:
    if not is_weight(evidence):
        return None
    return Opinion("insensitive", "likely", "a survey weight: rounded or dropped, never ranges")


def _by_date_part(_: ColumnEvidence, context: Context) -> Opinion | None:
    if context.part is None:
        return None
    unit, year, others = context.part
    one = f"one date, together with {' and '.join(others)}"
    if unit == "year":
        return Opinion("quasi", "likely", f"{one}, which others may know")
    return Opinion("drop", "likely", f"{one}, of which {year} stays")


def _values(evidence: ColumnEvidence) -> str:
    return f"{evidence.distinct:,} value{'s' * (evidence.distinct != 1)}"


def _by_prose(evidence: ColumnEvidence, _: Context) -> Opinion | None:
    if not evidence.prose:
        return None
    return Opinion("identifying", "likely", f"free text: {_values(evidence)} of many words, which can name anyone")


def _by_identifying_name(evidence: ColumnEvidence, _: Context) -> Opinion | None:
    says, day = evidence.topics, evidence.form in DAYS and evidence.form is not COMPACT_DATE
    for topic, holds in _NAMES_WHO:
        if topic in says and holds(evidence) and (topic == "name" or not day):  # a visit that is a date is no number
            sure = topic in {"name", "contact", "id", "naming"} or evidence.near_unique
            return Opinion("identifying", "sure" if sure else "likely", f"{_named(evidence, topic)}; {_own(evidence)}")
    return None


def _is_id(evidence: ColumnEvidence) -> bool:
    """Whether an id is of a person, or few records share one: else it may be of a city."""
    return evidence.many or _is_somebodys(evidence)


def _is_somebodys(evidence: ColumnEvidence) -> bool:
    """Whether a name or id is of a person, or nearly each record's own, or the name says of nothing else."""
    other = not _SAYS_A_ROLE.isdisjoint(evidence.topics)
    return "person" in evidence.topics or evidence.near_unique or not other


def _is_number(evidence: ColumnEvidence) -> bool:
    """Whether a number or code is of a person, or is each record's own; a measure's name must not end otherwise."""
    if "person" in evidence.topics and ends_in(evidence.name, "number"):
        return not evidence.number or evidence.whole
    if "plain" in evidence.topics:  # a postal code
        return False
    measure = not _MEASURES.isdisjoint(evidence.topics) and not ends_in(evidence.name, "number")
    return evidence.near_unique and not measure


def _is_person(evidence: ColumnEvidence) -> bool:
    """Whether a column that is called a person says which: it has no decimals, and more values than a flag.

    Whole numbers of several people (`students`) count them. What people have (`emp_length`) may be an id of theirs only
    where few records share one.
    """
    nothing_else = evidence.topics.keys() <= {"person", "whole", "row"} and not known_within(evidence.name)
    if not nothing_else or evidence.distinct <= _FLAG or not (evidence.whole or not evidence.number):
        return False
    if evidence.whole and ends_in_plural(evidence.name):
        return evidence.near_unique
    return evidence.many or ends_in(evidence.name, "person")


def _is_contact(evidence: ColumnEvidence) -> bool:
    """Whether a way to reach somebody is one: not a flag, nor a number of days, or of an amount of money."""
    measure = evidence.number and not _MEASURES.isdisjoint(evidence.topics)
    return not measure and (evidence.distinct > _FLAG or not evidence.distinct or evidence.near_unique)


#: Topics that name somebody, and what else must hold.
_NAMES_WHO: Final[tuple[tuple[Topic, Callable[[ColumnEvidence], bool]], ...]] = (
    ("name", lambda _: True),
    ("whole", lambda evidence: not evidence.number),
    ("contact", _is_contact),
    ("id", _is_id),
    ("naming", _is_somebodys),
    ("row", lambda evidence: evidence.near_unique),
    ("number", _is_number),
    ("person", _is_person),
)


def _by_row_number(evidence: ColumnEvidence, _: Context) -> Opinion | None:
    if not evidence.near_unique or not _SAYS_A_ROLE.isdisjoint(evidence.topics) or "time" in evidence.topics:
        return None
    if evidence.form is COMPACT_DATE:
        return None
    if evidence.running:
        return Opinion("identifying", "likely", "the values are record numbers")
    if evidence.ordered:
        return Opinion("identifying", "likely", f"its {_values(evidence)} all differ and ascend: a row number")
    return None


def may_be_key(evidence: ColumnEvidence) -> bool:
    """Whether it may say whose the records of a panel are: numbers or codes, no gap, a name that says nothing else."""
    speaks = not _SAYS_A_ROLE.isdisjoint(evidence.topics) or "time" in evidence.topics
    return not speaks and evidence.present == evidence.records and are_codes(evidence.values)


def _by_panel(evidence: ColumnEvidence, context: Context) -> Opinion | None:
    if context.period is None:
        return None
    told = f"records with the same value always differ in {context.period}: the ID of a person ({_values(evidence)})"
    return Opinion("identifying", "likely", told)


def _by_coordinates(_: ColumnEvidence, context: Context) -> Opinion | None:
    if context.alone_at is None:
        return None
    role: RoleName = "identifying" if context.alone_at > HALF else "quasi"
    share = percent(context.alone_at)
    return Opinion(role, "likely", f"latitude and longitude together are different for {share} of the records")


def _by_known_form(evidence: ColumnEvidence, _: Context) -> Opinion | None:
    form = evidence.form
    if form is not None and (form in DAYS or (form is POSTAL_CODE and not evidence.numeric)):
        sure: Certainty = "sure" if "plain" in evidence.topics or "known" in evidence.topics else "likely"
        return Opinion("quasi", sure, f"nearly all of its {_values(evidence)} are {form.plural}, which others may know")
    return None


def _by_speaking_values(evidence: ColumnEvidence, _: Context) -> Opinion | None:
    if not all("filler" in topics_of(word) for word in parts_of(evidence.name)):
        return None
    spoken = _speaking(evidence, lambda topics: "health" in topics)
    if not spoken:
        return None
    reason = f"{spoken:,} of its {_values(evidence)} mention health; the name says nothing"
    return Opinion("sensitive", "unsure", reason)


def _speaking(evidence: ColumnEvidence, speaks: Callable[[Mapping[Topic, str]], bool]) -> int:
    """How many of a few values speak of something, if most of them do."""
    if evidence.number or evidence.many:
        return 0
    spoken = sum(speaks(topics_of(text)) for text in evidence.values.head(_LISTED).to_list())
    return spoken if spoken > HALF * evidence.distinct else 0


def _by_name(evidence: ColumnEvidence, context: Context) -> Opinion | None:
    topic = _spoken(evidence, context)
    if topic is None:
        return None
    named = _named(evidence, topic)
    if topic in {"plain", "known"}:
        return Opinion("quasi", "sure" if topic == "plain" else "likely", f"{named}; {_separates(evidence)}")
    if evidence.near_unique and not (evidence.number and topic in _MEASURES):
        return None
    if topic == "arm" and evidence.distinct <= _ARMS:
        return Opinion("insensitive", "unsure", f"{named}, which a trial assigns at random; {_values(evidence)}")
    return Opinion("sensitive", "likely" if topic in _SENSITIVE else "unsure", f"{named}; {_own(evidence)}")


def _spoken(evidence: ColumnEvidence, context: Context) -> Topic | None:
    """The topic that decides where a name speaks of several; a place of something sensitive is known as a place."""
    if "known" in evidence.topics and "plain" not in evidence.topics and ends_in_place(evidence.name):
        return "known"
    held: dict[Topic, bool] = {
        "arm": context.clinical or evidence.distinct <= _ARMS,
        "clinical": context.clinical,
        "time": evidence.number,
    }
    return next((topic for topic in _PRECEDENCE if topic in evidence.topics and held.get(topic, True)), None)


def _by_constancy(evidence: ColumnEvidence, _: Context) -> Opinion | None:
    if not evidence.distinct:
        return Opinion("insensitive", "sure", f"all {evidence.records:,} cells are empty")
    if evidence.distinct == 1 < evidence.present == evidence.records:
        return Opinion("insensitive", "sure", f"all {evidence.records:,} records have the same value")
    return None


def _by_decimals(evidence: ColumnEvidence, context: Context) -> Opinion | None:
    if not evidence.numeric or evidence.whole or evidence.distinct < HALF * evidence.present:
        return None
    what = f"{_values(evidence)} with decimals: a precise measurement"
    if context.clinical:
        return Opinion("undecided", "unsure", f"{what}; sensitive, or may others know it (quasi)? decide which")
    return Opinion("quasi", "unsure", f"{what}; {_separates(evidence)}")


def _by_uniqueness(evidence: ColumnEvidence, _: Context) -> Opinion | None:
    if not evidence.near_unique:
        return None
    if evidence.number:
        share = percent(evidence.alone, evidence.present)
        reason = f"{share} of the records have a number of their own: a precise measurement or an ID; decide which"
        return Opinion("undecided", "unsure", reason)
    return Opinion("identifying", "likely", _own(evidence))


def _by_many_values(evidence: ColumnEvidence, _: Context) -> Opinion | None:
    if evidence.distinct < HALF * evidence.present:
        return None
    what = "numbers: a measurement" if evidence.number else "texts: a name, a code"
    return Opinion("undecided", "unsure", f"{evidence.distinct:,} different {what} or an ID; decide which")


def known_values(evidence: ColumnEvidence) -> int:
    """How many of the values are words for what others know, if most of them are."""
    return _speaking(evidence, lambda said: "filler" not in said and not said.keys().isdisjoint(("plain", "known")))


def _by_known_words(evidence: ColumnEvidence, _: Context) -> Opinion | None:
    word = known_within(evidence.name)
    if word is not None:
        return Opinion("quasi", "likely", f'its name has words for what others know: "{word}"; {_separates(evidence)}')
    spoken = known_values(evidence)
    told = f"{spoken:,} of its {_values(evidence)} are words for what others know"
    return Opinion("quasi", "likely", told) if spoken else None


def _by_clinical_table(evidence: ColumnEvidence, context: Context) -> Opinion | None:
    if not (context.clinical and evidence.number):
        return None
    return Opinion("sensitive", "unsure", f"{_values(evidence)} in a table that is mostly about health")


def _by_sharing(evidence: ColumnEvidence, _: Context) -> Opinion | None:
    told = f"{_values(evidence)}; {_separates(evidence)}; whether outsiders know the column is unclear"
    return Opinion("quasi", "unsure", told)


_Rule: TypeAlias = "Callable[[ColumnEvidence, Context], Opinion | None]"

#: In order: the first opinion decides, later ones that agree are further reasons.
_RULES: Final[tuple[_Rule, ...]] = (
    _by_identifying_form,
    _by_weight,
    _by_date_part,
    _by_prose,
    _by_identifying_name,
    _by_row_number,
    _by_panel,
    _by_coordinates,
    _by_known_form,
    _by_speaking_values,
    _by_name,
    _by_constancy,
)

#: Where none of these has one: how many records share a value decides. The last always has an opinion.
_OTHERWISE: Final[tuple[_Rule, ...]] = (
    *(_by_decimals, _by_uniqueness, _by_many_values, _by_known_words, _by_clinical_table, _by_sharing),
)
