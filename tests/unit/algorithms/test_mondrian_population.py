"""Whom of a population the label of a region fits, by each kind of label."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kohort.algorithms.mondrian.forest import covered
from kohort.core.frequency import FrequencySet
from kohort.schema import Attribute, Label, Order, Role
from kohort.schema.domain import resolve
from kohort.schema.hierarchy import Hierarchy

if TYPE_CHECKING:
    from kohort.schema.domain import Domain

CITIES = Hierarchy.from_rows(
    [["Milano", "Nord", "*"], ["Torino", "Nord", "*"], ["Bari", "Sud", "*"], ["Lecce", "Sud", "*"]]
)


def domain_of(attribute: Attribute, *values: str) -> Domain:
    """The domain over these values, one record each."""
    return resolve(attribute, values, np.ones(len(values), np.int64), frozenset({""}))[0]


def fitted(domain: Domain, *held: str) -> set[str]:
    """The values that the label of a region with these values fits."""
    every = np.arange(len(domain), dtype=np.uint16)[:, np.newaxis]
    known = FrequencySet(every, every[:, :0], np.ones(len(every), np.int64))
    region = np.array([[domain.texts.index(text)] for text in held], dtype=np.uint16)
    return {text for text, fits in zip(domain.texts, covered(known, region, (domain,)), strict=True) if fits}


@pytest.mark.parametrize("label", [Label.RANGE, Label.MEAN])
def test_a_range_fits_the_numbers_in_it(label: Label) -> None:
    """A range, or the mean over one, fits every number from its least to its greatest, and no missing one."""
    ages = domain_of(Attribute("age", Role.QUASI, label=label), "9", "10", "31", "40", "")
    assert fitted(ages, "10", "40") == {"10", "31", "40"}
    assert fitted(ages, "") == {""}


def test_a_missing_number_among_others_fits_all() -> None:
    """A region with a missing value and numbers is released as `*`, which fits everybody."""
    ages = domain_of(Attribute("age", Role.QUASI), "9", "10", "31", "")
    assert fitted(ages, "", "10") == {"", "9", "10", "31"}


def test_a_set_fits_its_members() -> None:
    """A set fits the values in it."""
    jobs = domain_of(Attribute("job", Role.QUASI), "cook", "pilot", "clerk")
    assert fitted(jobs, "cook", "pilot") == {"cook", "pilot"}


@pytest.mark.parametrize("order", [Order.HIERARCHY, Order.SORTED])
def test_an_ancestor_fits_what_is_below_it(order: Order) -> None:
    """The lowest common ancestor fits all its leaves, whatever the order of the codes."""
    cities = domain_of(
        Attribute("city", Role.QUASI, hierarchy=CITIES, order=order), "Milano", "Torino", "Bari", "Lecce"
    )
    assert fitted(cities, "Milano") == {"Milano"}
    assert fitted(cities, "Bari", "Lecce") == {"Bari", "Lecce"}
    assert fitted(cities, "Torino", "Lecce") == {"Milano", "Torino", "Bari", "Lecce"}
