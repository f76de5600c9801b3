"""What does not follow from a certificate of a table: it depends on what was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.certificate.described import Described

#: What no certificate can promise, whatever the models.
NOT_PROMISED: Final = (
    "Linkage with other data: what is learned by joining this release with others of the same people is not limited.",
    "Columns released as they are: how many people each singles out is counted; what they tell is not limited.",
    "Right roles: a column that the steward wrongly called insensitive is not protected.",
)

#: Where labels were chosen by looking at records.
_ENDS: Final = "Secret range ends: a label that depends on the data tells the exact values of the records at its ends."

#: Where no model is about a sensitive column.
ATTRIBUTES: Final = (
    "Attribute disclosure: where all records of a class share a sensitive value, it is known of everybody in it."
)

#: Where some are.
_OTHER_ATTRIBUTES: Final = (
    "Attribute disclosure: of a sensitive column that no model is about, what all of a class share is known of them;"
    " models are about {columns}."
)

#: Where nothing bounds the size of a class.
_SIZES: Final = "Linkage of records: no least number of people of a class was asked for; somebody may be alone in one."

#: Where records are counted.
_PERSONS: Final = "Several records of a person: each was counted as a person; without a person key that is not noticed."

#: What diversity by different values does not see.
_MEANING: Final = "Similar values: different sensitive values count as different, though they may mean much the same."

#: Where identifiers have pseudonyms.
_PSEUDONYMS: Final = (
    "Anonymity of pseudonyms: they link the records of a person, here and wherever the same key was used; what these"
    " tell together is not limited, and who has the key knows everybody."
)

#: Where cells are perturbed.
_PERTURBED: Final = (
    "Secrecy of perturbed values: each is near or likely to be what it was, and other knowledge makes it surer."
)

#: What models of a population rest on.
_POPULATION: Final = (
    "Other populations: people were counted in the population table that was given; an attacker may know another."
)


def not_promised(asked: Described, *, data_dependent: bool) -> tuple[str, ...]:
    """What does not follow from these models, in the order in which a reader needs it.

    Args:
        asked: The job.
        data_dependent: Whether labels were chosen by looking at records.
    """
    models = [one.model for one in asked.models]
    known = [model for model in models if model is not None]
    declared = [model.declared for model in known]
    about = list(dict.fromkeys(model.sensitive for model in asked.models if model.sensitive))
    lines = [NOT_PROMISED[0]]
    if all(one.smallest_class == 1 for one in declared):
        lines.append(_SIZES)
    lines += _of_attributes(asked, about)
    lines += dict.fromkeys(line for model in known if (line := model.specification.not_promised))
    if any(one.different_values for one in declared):
        lines.append(_MEANING)
    if any(one.population for one in declared):
        lines.append(_POPULATION)
    if any(column.pseudonym for column in asked.columns):
        lines.append(_PSEUDONYMS)
    if asked.perturbed:
        lines.append(_PERTURBED)
    if asked.person is None:
        lines.append(_PERSONS)
    return (*lines, *NOT_PROMISED[1:], *([_ENDS] if data_dependent else ()))


def _of_attributes(asked: Described, about: Sequence[str]) -> list[str]:
    """What is not promised of sensitive values."""
    if not about:
        return [ATTRIBUTES]
    others = {one.name for one in asked.sensitive} - {*about}
    return [_OTHER_ATTRIBUTES.format(columns=", ".join(about))] if others else []
