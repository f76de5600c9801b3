"""The evidence on a release by the criteria of the Article 29 Working Party, each by the attacks that are about it.

Opinion 05/2014 on anonymisation techniques (WP 216) asks whether a person can still be singled out, whether records of
one person can be linked, and whether something can be inferred about a person.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Criterion(NamedTuple):
    """What a regulator asks of a release."""

    name: str
    asks: str
    attacks: Mapping[str, str]


#: The criteria, which share out all attacks on tables …
CRITERIA: Final = (
    Criterion(
        "Singling out",
        "Can someone isolate the record of one person, or read an exact detail of one person?",
        {
            "exposure": "assigns the end of a range to the one person who has that value",
            "downcoding": "states the exact value where a label can cover it only because some record has it",
        },
    ),
    Criterion(
        "Linkability",
        "Can someone find the records of one person in this table and in another?",
        {
            "linking": "looks everyone up, and picks one of the matching records",
            "intersection": "keeps the values that several releases all allow for a person",
            "order": "matches the records of a class to its people in the order of the input",
        },
    ),
    Criterion(
        "Inference",
        "Can someone learn a sensitive value of one person from the class that the person is in?",
        {
            "homogeneity": "reads the value of classes that have only one",
            "background": "does the same after excluding one other person whose value is known",
            "minimality": "infers values from the reason why a class was not cut",
        },
    ),
)

#: … and those of `kohort.assessment.risk.cohorts` on transactions.
TRANSACTION_CRITERIA: Final = (
    Criterion(
        "Singling out",
        "Can someone who knows some items of a person isolate that person's transaction?",
        {"singling out": "claims a transaction where only one has all known items"},
    ),
    Criterion(
        "Linkability",
        "Can someone who knows some items of a person find the person's transaction?",
        {"linking": "looks up the transactions that have all known items, and picks one of them"},
    ),
    Criterion(
        "Inference",
        "Can someone who knows some items of a person learn that the person has a private item?",
        {"inference": "claims the private item that most of these transactions have"},
    ),
)
