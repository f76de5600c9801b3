"""Models in the compiled core: each loop writes what its plain twin does, and no wrong number leads elsewhere."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.core.frequency import ClassProfile, Histogram
from kohort.models.basic_beta_likeness import BasicBetaLikeness
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.entropy_l_diversity import EntropyLDiversity
from kohort.models.k_e_anonymity import KEAnonymity
from kohort.models.recursive_l_diversity import RecursiveLDiversity
from kohort.models.t_closeness import DISTANCES, TCloseness
from kohort.schema.sensitive import SensitiveDomain
from tests.reference.model_loops import PLAIN
from tests.unit.test_native_mondrian import heard, spoil

if TYPE_CHECKING:
    from kohort.models.base import PrivacyModel

#: A model of each loop, at a limit that some classes keep and some do not.
MODELS: tuple[PrivacyModel, ...] = (
    *(DistinctLDiversity("s", 3), EntropyLDiversity("s", Fraction(5, 2)), KEAnonymity("s", 2, Fraction(5))),
    *(RecursiveLDiversity("s", Fraction(3, 2), l) for l in (2, 3)),  # noqa: E741  the paper's letter
    BasicBetaLikeness("s", Fraction(2)),
    *(TCloseness("s", Fraction(1, 3), distance) for distance in DISTANCES),
)


@st.composite
def profiles(draw: st.DrawFn) -> ClassProfile:
    """Up to nine classes of up to 40 values; some counts are large, and whole classes may be empty."""
    random = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    classes, values = draw(st.integers(1, 9)), draw(st.integers(1, 40))
    most, rare = draw(st.sampled_from([1, 5, 200_000])), draw(st.booleans())
    counts = random.integers(0, most, (classes, values), endpoint=True)
    counts *= random.integers(0, 5, counts.shape) == 0 if rare else 1
    reference = counts.sum(axis=0) + random.integers(1, 5, values)
    levels = np.arange(values), np.sort(random.integers(0, 3, values))
    numbers = random.permutation(values) * 2
    domain = SensitiveDomain("s", reference, numeric=True, levels=levels, numbers=numbers)
    histogram = Histogram(domain, counts)
    return ClassProfile(counts.sum(axis=1), (histogram.few() if draw(st.booleans()) else histogram,))


def work(profile: ClassProfile) -> None:
    """Everything that calls a loop."""
    for model in MODELS:
        model.satisfied(profile)
        model.achieved(profile)


@given(profiles())
def test_loops_write_what_plain_ones_do(profile: ClassProfile) -> None:
    """Every array is the same afterwards, whatever the classes are."""
    with heard(PLAIN, twins=True):
        work(profile)


def test_every_loop_is_compared() -> None:
    """Classes with few values of many take other ways than those in which every value has a column."""
    domain = SensitiveDomain("s", np.full(9, 3), numeric=True, levels=(np.arange(9),), numbers=np.arange(9))
    histogram = Histogram(domain, np.eye(3, 9, dtype=np.int64) + np.eye(3, 9, 4, dtype=np.int64))
    profile = ClassProfile(np.full(3, 2), (histogram,))
    with heard(PLAIN, twins=True) as calls:
        work(profile)
        work(replace(profile, histograms=(histogram.few(),)))
    assert calls.keys() == PLAIN.keys()


@given(profiles(), st.data())
@pytest.mark.filterwarnings("ignore:overflow")
def test_no_number_leads_models_beyond_an_array(profile: ClassProfile, data: st.DataObject) -> None:
    """Wherever a number is wrong in a call of each loop, nothing outside of the arrays is changed."""
    with heard(PLAIN, twins=False) as calls:
        work(profile)
    spoil([data.draw(st.sampled_from(of_one)) for of_one in calls.values()], data)
