"""What regulators ask of a release, and how far kohort answers: the criteria of a working party, and a standard.

The Article 29 Working Party (Opinion 05/2014 on anonymisation techniques, WP 216) asks whether a person can still be
singled out, whether records of one person can be linked, and whether something can be inferred about a person. ISO/IEC
27559 asks about the context of the data. Everything here is in our own words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Criterion(NamedTuple):
    """What a regulator asks of a release."""

    name: str
    asks: str
    attacks: Mapping[str, str]


#: The criteria, which share out all attacks on tables.
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
            "background": "excludes one other person whose value is known, then reads the one value left",
            "minimality": "infers values from the reason why a class was not cut",
        },
    ),
)


# ── what ISO/IEC 27559 asks about beside the data ────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class ContextPart:
    """A part of that framework: context, data, identifiability, and governance before and after data are released.

    Attributes:
        part: What it is about.
        covered: What this dossier and the release's other files say of it.
        missing: What the organisation must add.
    """

    part: str
    covered: str
    missing: str


#: The parts, in the order of the framework.
CONTEXT: Final = (
    ContextPart(
        part="Environment: who gets the data, and under which controls",
        covered="The purpose, the recipient and the legal basis, as they were signed, stand in the certificate.",
        missing="Who else may see the data, which contracts and controls bind them, and which other data they have.",
    ),
    ContextPart(
        part="Threats: who might try to identify someone, on purpose, by chance, or after a breach",
        covered="Attackers who know the quasi-identifying values of everyone were tried, each beside its control.",
        missing="How likely an attempt is, who has a motive, and attackers who know more than that.",
    ),
    ContextPart(
        part="Transparency: what the people in the data, and those who answer for it, are told",
        covered="A report for the public says what was promised and what was not.",
        missing="Telling and hearing the people concerned, and an impact assessment where one is due.",
    ),
    ContextPart(
        part="Data: what the columns are, and what they reveal",
        covered="Each column has a role that a person confirmed; what seems to identify people is listed above.",
        missing="Whether the roles are right, and with which other sources the columns could be matched.",
    ),
    ContextPart(
        part="Identifiability: how much remains, and how it is lessened",
        covered="Class sizes, risks and what attacks found are measured; the techniques are listed above.",
        missing="Which risk is acceptable and why, and whether controls of the environment are to lessen it further.",
    ),
    ContextPart(
        part="Governance before: who decides, by which rules",
        covered="The job file repeats the release to the byte; the sign-off says who asked for it and who approved it.",
        missing="Responsibilities, training, and the policy that this decision follows.",
    ),
    ContextPart(
        part="Governance after: what happens once the data are out",
        covered="The certificate lets anyone check later that a file is the one that was verified.",
        missing="Watching for other releases and new sources, assessing anew, incidents, and calling data back.",
    ),
)
