"""What is done to each column and to the records, by the names that ISO/IEC 20889 gives to techniques."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from kohort.report.figures import Figures
from kohort.schema import Role
from kohort.schema.hierarchy import SUPPRESSED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kohort.release import Release

#: What a release has in the place of a column's values.
Treatment: TypeAlias = Literal["removed", "pseudonyms", "generalized", "perturbed", "unchanged"]


#: What the standard calls a privacy model.
MODEL: Final = "formal privacy measurement model"


class Technique(NamedTuple):
    """What is done to a column.

    Attributes:
        treatment: What the release has in its place.
        name: The technique, as the standard calls it; empty where nothing is done.
    """

    treatment: Treatment
    name: str


class TechniqueFigures(Figures, frozen=True):
    """A technique, and what it is used on.

    Attributes:
        technique: As ISO/IEC 20889 calls it; empty of columns that are released unchanged.
        columns: The columns; empty of a technique for whole records, and of a privacy model.
        says: What it does here.
    """

    technique: str
    columns: tuple[str, ...]
    says: str


_SAYS: Final[Mapping[Treatment, str]] = {
    "removed": "the columns are left out",
    "pseudonyms": "a keyed hash stands in their place; who has the key can make it again",
    "generalized": "values are put together until the records of a class look the same",
    "perturbed": "values are changed",
    "unchanged": "values are released as they are",
}


def treatments(release: Release) -> dict[str, Technique]:
    """What is done to each column of the input."""
    job = release.job
    perturbed = {name: one.specification.technique for one in job.perturbations for name in one.columns}
    generalization = "generalization" if release.levels else "generalization: local generalization"
    found: dict[str, Technique] = {}
    for one in job.schema.attributes:
        if one.pseudonym:
            found[one.name] = Technique("pseudonyms", "pseudonymization")
        elif not one.released:
            found[one.name] = Technique("removed", "suppression: masking")
        elif one.name in perturbed:
            found[one.name] = Technique("perturbed", perturbed[one.name])
        elif one.role is Role.QUASI:
            found[one.name] = Technique("generalized", generalization)
        else:
            found[one.name] = Technique("unchanged", "")
    return found


def techniques(release: Release) -> tuple[TechniqueFigures, ...]:
    """The techniques that are used, of columns, of cells and records, and the privacy models."""
    by_name: dict[Technique, list[str]] = {}
    for column, one in treatments(release).items():
        by_name.setdefault(one, []).append(column)
    columns = (
        TechniqueFigures(technique=one.name, columns=tuple(names), says=_SAYS[one.treatment])
        for one, names in by_name.items()
    )
    return (*columns, *_of_records(release))


def _of_records(release: Release) -> Iterator[TechniqueFigures]:
    table, schema = release.table, release.job.schema
    starred = [one.name for one in schema.quasi if SUPPRESSED in {*table[one.name].values.to_list()}]
    if starred:
        says = f'cells become "{SUPPRESSED}"'
        yield TechniqueFigures(technique="suppression: local suppression", columns=tuple(starred), says=says)
    if release.suppressed or release.incomplete:
        says = f"{release.suppressed + release.incomplete:,} records are left out"
        yield TechniqueFigures(technique="suppression: record suppression", columns=(), says=says)
    for model in release.job.models:
        yield TechniqueFigures(technique=MODEL, columns=(), says=f"every class satisfies {model.name}")
