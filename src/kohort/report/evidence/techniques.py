"""What is done to each column and to the records, by the names that ISO/IEC 20889 gives to techniques."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from kohort.schema import Role
from kohort.schema.hierarchy import SUPPRESSED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kohort.release import Release

#: What a release has in the place of a column's values.
Treatment: TypeAlias = Literal["removed", "pseudonyms", "generalized", "perturbed", "unchanged"]


#: What the standard calls a privacy model.
MODEL: Final = "formal privacy measurement model"


@dataclass(frozen=True, slots=True)
class Technique:
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


def treatments(release: Release) -> dict[str, tuple[Treatment, str]]:
    """What the release has in place of each column of the input, and the technique; "" where nothing is done."""
    job = release.job
    perturbed = {name: one.specification.technique for one in job.perturbations for name in one.columns}
    generalization = "generalization" if release.levels else "generalization: local generalization"
    found: dict[str, tuple[Treatment, str]] = {}
    for one in job.schema.attributes:
        if one.pseudonym:
            found[one.name] = "pseudonyms", "pseudonymization"
        elif not one.released:
            found[one.name] = "removed", "suppression: masking"
        elif one.name in perturbed:
            found[one.name] = "perturbed", perturbed[one.name]
        elif one.role is Role.QUASI:
            found[one.name] = "generalized", generalization
        else:
            found[one.name] = "unchanged", ""
    return found


def techniques(release: Release) -> tuple[Technique, ...]:
    """The techniques that are used, of columns, of cells and records, and the privacy models."""
    by_name: dict[tuple[Treatment, str], list[str]] = {}
    for column, one in treatments(release).items():
        by_name.setdefault(one, []).append(column)
    columns = (Technique(name, tuple(names), _SAYS[treatment]) for (treatment, name), names in by_name.items())
    return (*columns, *_of_records(release))


def _of_records(release: Release) -> Iterator[Technique]:
    table, schema = release.table, release.job.schema
    starred = [one.name for one in schema.quasi if SUPPRESSED in {*table[one.name].values.to_list()}]
    if starred:
        yield Technique("suppression: local suppression", tuple(starred), f'cells become "{SUPPRESSED}"')
    if release.suppressed or release.incomplete:
        says = f"{release.suppressed + release.incomplete:,} records are left out"
        yield Technique("suppression: record suppression", (), says)
    for model in release.job.models:
        yield Technique(MODEL, (), f"every class satisfies {model.name}")
