"""What ISO/IEC 27559 asks about beside the data, and how far a dossier answers it.

The standard describes a framework: look at the context, at the data, at how identifiable people are, lessen it, and
govern the whole before and after data are made available. Everything here is in our own words.
"""

from __future__ import annotations

from typing import Final

from kohort.report.figures import Figures


class Question(Figures, frozen=True):
    """A part of the framework.

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
    Question(
        part="Environment: who gets the data, and under which controls",
        covered="The purpose, the recipient and the legal basis, as they were signed, stand in the certificate.",
        missing="Who else may see the data, which contracts and controls bind them, and which other data they have.",
    ),
    Question(
        part="Threats: who might try to identify someone, on purpose, by chance, or after a breach",
        covered="Attackers who know the quasi-identifying values of everyone were tried, each beside its control.",
        missing="How likely an attempt is, who has a motive, and attackers who know more than that.",
    ),
    Question(
        part="Transparency: what the people in the data, and those who answer for it, are told",
        covered="A report for the public says what was promised and what was not.",
        missing="Telling and hearing the people concerned, and an impact assessment where one is due.",
    ),
    Question(
        part="Data: what the columns are, and what they reveal",
        covered="Each column has a role that a person confirmed; what seems to identify people is listed above.",
        missing="Whether the roles are right, and with which other sources the columns could be matched.",
    ),
    Question(
        part="Identifiability: how much remains, and how it is lessened",
        covered="Class sizes, risks and what attacks found are measured; the techniques are listed above.",
        missing="Which risk is acceptable and why, and whether controls of the environment are to lessen it further.",
    ),
    Question(
        part="Governance before: who decides, by which rules",
        covered="The job file repeats the release to the byte; the sign-off says who asked for it and who approved it.",
        missing="Responsibilities, training, and the policy that this decision follows.",
    ),
    Question(
        part="Governance after: what happens once the data are out",
        covered="The certificate lets anyone check later that a file is the one that was verified.",
        missing="Watching for other releases and new sources, assessing anew, incidents, and calling data back.",
    ),
)

#: What is said of transactions in place of three of them, by how their parts begin.
_OF_TRANSACTIONS: Final = {
    "Threats": {"covered": "Attackers who know some or all public items of a person were tried, each beside controls."},
    "Data": {
        "covered": "Items are public, private or neither, as the job says; what seems to identify people is listed.",
        "missing": "Whether the roles are right, and which other sources tell what a person has.",
    },
    "Identifiability": {"covered": "Cohorts, inferences and what attacks found are measured; techniques are listed."},
}

#: The parts, as a dossier of transactions answers them.
TRANSACTION_CONTEXT: Final = tuple(
    one.model_copy(update=_OF_TRANSACTIONS.get(one.part.partition(":")[0], {})) for one in CONTEXT
)
