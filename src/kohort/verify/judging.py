"""The privacy models asked again: what they look at, counted anew from what is released."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from kohort.core.frequency import ClassProfile, Histogram, batches
from kohort.errors.display import many
from kohort.models.base import satisfied_jointly
from kohort.schema.sensitive import resolve
from kohort.system.workspace import blocks, tallied
from kohort.tables.people import person_codes
from kohort.tables.table import narrow
from kohort.tables.texts import evened
from kohort.verify.classes import classes_of
from kohort.verify.records import lacking, released_texts
from kohort.verify.verdict import Claim, TableCheck, fault, places

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from kohort.arrays import Counts, Index, Mask, Numbers
    from kohort.models.base import PrivacyModel
    from kohort.schema.sensitive import SensitiveDomain
    from kohort.tables.table import CellCodes, Column, Table
    from kohort.verify.classes import ReleasedClasses
    from kohort.verify.population import MatchedPopulation


@dataclass(frozen=True, slots=True, eq=False)
class ModelInputs:
    """What the models look at in the input.

    Attributes:
        claim: What the release says of itself.
        sensitive: What the values of each sensitive attribute that a model looks at mean, and (u,) the code of each.
        people: (n,) whose each record of the input is; `None` without a person key.
        population: The population table, where a model needs one.
    """

    claim: Claim
    sensitive: tuple[tuple[SensitiveDomain, Index], ...]
    people: Index | None
    population: MatchedPopulation | None = None

    @classmethod
    def of(cls, claim: Claim, population: MatchedPopulation | None) -> ModelInputs:
        """What the models of the claim look at."""
        people = _people(claim)
        names = {model.declared.sensitive for model in claim.models}
        resolved: list[tuple[SensitiveDomain, Index]] = []
        for attribute in claim.schema.released:
            if attribute.name in names:
                column = claim.judged(attribute.name)
                counts = claim.counts(column)
                domain, codes = resolve(attribute, column.values.to_list(), counts, claim.schema.missing)
                resolved.append((domain.counted(_reference(column, codes, counts, len(domain), people)), codes))
        return cls(claim, tuple(resolved), people, population)

    def released(self, table: Table) -> list[CellCodes]:
        """For each sensitive attribute, the code of each released cell: that of a value which is written so."""
        codes: list[CellCodes] = []
        for domain, of_value in self.sensitive:
            texts = released_texts(self.claim.judged(domain.name), self.claim).to_list()
            code_of: dict[str | None, int] = {}
            for text, code in zip(texts, of_value.tolist(), strict=True):
                code_of[text] = min(code, code_of.get(text, code))  # an apostrophe may have told two values apart
            column = table[domain.name]
            of_text = np.array([code_of[text] for text in column.values.to_list()], np.int64)
            codes.append(self.claim.workspace.taken(narrow(of_text, len(domain) + 1), column.codes))
        return codes

    def left(self, records: Index) -> list[Index]:
        """The same for some records of the input."""
        return [
            of_value.take(self.claim.judged(domain.name).codes.take(records)) for domain, of_value in self.sensitive
        ]

    def profile(
        self, of: Numbers, classes: int, records: Numbers, sensitive: Sequence[NDArray[np.integer]]
    ) -> ObservedProfile:
        """What models may know of `classes` classes, without the population.

        Args:
            of: (m,) the class of each record.
            classes: How many there are.
            records: (m,) which record of the input each is.
            sensitive: Of each sensitive attribute, the code of each.
        """
        people = None if self.people is None else self.people.take(records)
        weights = None if self.claim.weights is None else self.claim.weights.take(records)
        held = zip(self.sensitive, sensitive, strict=True)
        values = {domain.name: (domain, codes) for (domain, _), codes in held}
        return ObservedProfile(ClassProfile(_counted(of, classes, people, weights)), of, people, weights, values)


@dataclass(frozen=True, slots=True, eq=False)
class ObservedProfile:
    """What models may know of c classes. Sensitive values are counted for some classes at a time: memory is finite.

    Attributes:
        whole: The people of each class and of the population, without sensitive values.
        of: (m,) the class of each record.
        people: (m,) whose it is; `None` without a person key.
        weights: (m,) how many records it stands for; `None`: for itself.
        sensitive: By the sensitive attribute's name, what its values mean and the code of each record.
    """

    whole: ClassProfile
    of: Numbers
    people: Index | None
    weights: Counts | None
    sensitive: Mapping[str, tuple[SensitiveDomain, NDArray[np.integer]]]

    def satisfied(self, model: PrivacyModel) -> Mask:
        """(c,) which classes satisfy the model alone."""
        return np.concatenate([np.empty(0, np.bool_), *(model.satisfied(part) for part in self._parts(model))])

    def satisfied_jointly(self, model: PrivacyModel) -> bool:
        """Whether they satisfy it together: all of them, unless the model judges them as one."""
        if model.declared.joint:
            return all(satisfied_jointly(model, part) for part in self._parts(model))
        return bool(self.satisfied(model).all())

    def _parts(self, model: PrivacyModel) -> Iterator[ClassProfile]:
        """What the model looks at, of consecutive classes; of all at once where it must see them together."""
        if model.declared.sensitive is None:
            yield self.whole
            return
        domain, codes = self.sensitive[model.declared.sensitive]
        sizes = tallied(self.of, self.whole.sizes.size)
        parts = batches(sizes, len(domain), some_values=model.declared.some_values)
        by_class, upto = self._by_class(), np.append(0, np.cumsum(sizes))
        for some, few in [(slice(0, sizes.size), False)] if model.declared.joint else parts:
            rows = (
                by_class[upto[some.start] : upto[some.stop]]
                if by_class is not None
                else slice(upto[some.start], upto[some.stop])
            )
            people = None if self.people is None else self.people[rows]
            weights = None if self.weights is None else self.weights[rows]
            part = _taken(self.whole, some)
            of = self.of[rows] - some.start
            found = _histogram(domain, codes[rows], (of, part.sizes.size), people, weights, few=few)
            yield replace(part, histograms=(found,))

    def _by_class(self) -> Index | None:
        """(m,) the records in the order of their classes; `None` where they are."""
        parts = (self.of[max(some.start - 1, 0) : some.stop] for some in blocks(self.of.size))
        ascending = all((part[1:] >= part[:-1]).all() for part in parts)
        return None if ascending else np.argsort(self.of)


def _reference(column: Column, codes: Index, of_value: Counts, values: int, people: Index | None) -> Counts:
    """(values,) people of the input with each value; a code beyond is no value."""
    held, weights = (codes, of_value) if people is None else (codes.take(column.codes), None)
    present = np.flatnonzero(held < values)
    whose, weights = (None if some is None else some.take(present) for some in (people, weights))
    return _counted(held.take(present), values, whose, weights)


def _taken(profile: ClassProfile, some: slice) -> ClassProfile:
    population = None if profile.population is None else profile.population[some]
    return replace(profile, sizes=profile.sizes[some], population=population)


def _people(claim: Claim) -> Index | None:
    if claim.schema.person is None:
        return None
    column = claim.original[claim.schema.person]
    nobody = claim.amount(lacking(column, claim))
    if nobody:
        some = many(nobody, "record of the input has", "records of the input have")
        what = f"{some} no person key, so people cannot be counted"
        raise fault(TableCheck.CLASSES, what, column=column.name)
    return person_codes(column)


def _histogram(
    domain: SensitiveDomain,
    codes: NDArray[np.integer],
    of: tuple[Numbers, int],
    people: Index | None,
    weights: Counts | None,
    *,
    few: bool,
) -> Histogram:
    """The people of each class with each value, or of `few` those that a class has; a code beyond is no value."""
    present = np.flatnonzero(codes < len(domain))
    cells = of[0].take(present) * np.int64(len(domain)) + codes.take(present)
    whose, weights = (None if some is None else some.take(present) for some in (people, weights))
    if few:
        occur, cells = np.unique(cells, return_inverse=True)
        return Histogram.of_few(domain, occur, _counted(cells, occur.size, whose, weights), of[1])
    counts = _counted(cells, of[1] * len(domain), whose, weights)
    return Histogram(domain, counts.reshape(of[1], len(domain)))


def _counted(cells: Numbers, size: int, people: Index | None, weights: Counts | None) -> Counts:
    """(size,) different people in each cell, or records where it is not known whose they are."""
    if people is not None:
        cells, weights = pl.Series(people * np.int64(size) + cells).unique().to_numpy() % size, None
    return tallied(cells, size, weights)


def check_models(
    table: Table, inputs: ModelInputs, classes: ReleasedClasses, of_numbers: AbstractSet[str]
) -> ClassProfile:
    """The released classes satisfy every model, on the cells as they are and with their spelling evened out.

    Labels of columns `of_numbers` that differ are not alike however they are spelled: they have no letters.
    """
    claim, population, sensitive = inputs.claim, inputs.population, inputs.released(table)

    def observed(of: Numbers, classes_: int, of_class: Numbers) -> ObservedProfile:
        profile = inputs.profile(of, classes_, claim.lineage, sensitive)
        return (
            profile
            if population is None
            else replace(profile, whole=population.counted(profile.whole, population.labels, of_class))
        )

    quasi = [table[attribute.name] for attribute in claim.schema.quasi]
    found = observed(classes.of, classes.sizes.size, np.arange(classes.sizes.size))
    _judge(claim, found, classes.sizes, "as they are")
    alike: Callable[[Column], NDArray[np.integer] | None] = lambda one: None if one.name in of_numbers else _even(one)  # noqa: E731
    even = [*claim.workspace.side_by_side(alike, quasi)]
    if any(codes is not None for codes in even):
        pairs = zip(quasi, even, strict=True)
        merged = classes_of([column.codes if codes is None else codes for column, codes in pairs], table.records)
        again = observed(merged.of, merged.sizes.size, merged.of.take(classes.first))
        _judge(claim, again, merged.sizes, "with case, width and blanks evened out")
    return found.whole


def _judge(claim: Claim, profile: ObservedProfile, records: Counts, how: str) -> None:
    for model in claim.models:
        if profile.satisfied_jointly(model):
            continue
        failing = ~profile.satisfied(model)
        what = f"all {records.size:,} classes together fail {model.name}"
        if failing.any():
            of = many(int(records[failing].sum()), "record")
            what = f"{many(int(failing.sum()), f'class ({of}) fails', f'classes ({of}) fail')} {model.name}"
        raise fault(TableCheck.CLASSES, f"{what}, cells compared {how}")


def _even(column: Column) -> NDArray[np.integer] | None:
    """Codes of the cells with their spelling evened out; `None` where no two values become alike."""
    even = evened(column.values.fill_null(""))
    if even is None:
        return None
    different = even.unique(maintain_order=True)
    return narrow(places(even, different), len(different))[column.codes]
