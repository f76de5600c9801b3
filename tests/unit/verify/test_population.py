"""Whom of the population a released label fits, and what that decides."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.core.frequency import ClassProfile
from kohort.errors import VerificationError
from kohort.io.typed import from_frame
from kohort.models.average_risk import AverageRisk
from kohort.models.base import Declaration, PrivacyModel
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.k_anonymity import KAnonymity
from kohort.models.k_map import KMap
from kohort.schema import Attribute, Label, Missing, Order, Role, Schema
from kohort.schema.hierarchy import Hierarchy
from kohort.verify import Claim
from kohort.verify.population import Cover, MatchedPopulation, cover_of_node
from tests.reference.frames import verify_frame
from tests.toy_models import ToyModel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kohort.arrays import Mask

CITIES = Hierarchy.from_rows(
    [["Rome", "Centre"], ["Bari", "South"], ["Naples", "South"], ["Milan", "North"], ["Turin", "North"]], root="*"
)


def fitting(attribute: Attribute, cells: Sequence[str], labels: Sequence[str], population: Sequence[str]) -> list[int]:
    """How many of the population each class fits, in the order of the labels: by which k-map fails.

    The records with equal labels are a class.
    """
    schema = Schema((attribute,), frozenset({"?"}))
    source, known = (from_frame(pl.DataFrame({"a": pl.Series(one, dtype=pl.String)})) for one in (cells, population))
    order = np.argsort(np.array(labels), kind="stable")
    seen = Seen([])
    claim = Claim(schema, (seen,), source, order, population=known)
    verify_frame(pl.DataFrame({"a": [labels[at] for at in order.tolist()]}), claim)
    return seen.found


@dataclass(frozen=True, slots=True)
class Seen(ToyModel):
    """A model of the population that every class satisfies, and that notes whom the classes fit."""

    found: list[int]

    @property
    def name(self) -> str:
        """Any name."""
        return "seen"

    @property
    def declared(self) -> Declaration:
        """What it declares."""
        return Declaration(population=True, monotone_generalization=True, monotone_suppression=True)

    def satisfied(self, classes: ClassProfile) -> Mask:
        """All classes; note whom they fit."""
        assert classes.population is not None
        self.found.extend([*classes.population.tolist(), -classes.outside])
        return np.ones(classes.sizes.size, np.bool_)


def quasi(**what: object) -> Attribute:
    """A quasi-identifier called `a`."""
    return Attribute("a", Role.QUASI, **what)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("attribute", "cells", "labels", "population", "fits"),
    [
        # Numbers: both ends belong to a range, other spellings and values of nobody in the table lie in it too.
        (
            quasi(),
            ["1", "5", "7", "7"],
            ["[1-5]"] * 2 + ["7"] * 2,
            ["1", "1.0", "3", "5.00", "6", "7", "8"],
            [1, 4, -2],
        ),
        (quasi(), ["1", "5", "7", "7"], ["*"] * 4, ["1", "6", "", "100"], [4, 0]),
        (quasi(), ["", "", "7", "7"], [""] * 2 + ["7"] * 2, ["?", "", "7"], [2, 1, 0]),
        (quasi(missing=Missing.SUPPRESS), ["7", "7"], ["7"] * 2, ["?", "", "7"], [1, 0]),
        (quasi(label=Label.SET), ["1", "5", "9"], ["{1, 5}", "{1, 5}", "9"], ["1", "3", "5", "5", "9"], [1, 3, -1]),
        # The last of a set's values is no neighbour of the first of the next one's, be it the missing one.
        (quasi(label=Label.SET), ["9", "", "5"], ["9", *["{(missing), 5}"] * 2], ["9", "", "", "5"], [1, 3, 0]),
        (quasi(grid=Fraction(5)), ["1", "4", "7"], ["[0-5)", "[0-5)", "[5-10)"], ["0", "4", "5", "11"], [2, 1, -1]),
        # A mean is the values from the least to the greatest of its class.
        (quasi(label=Label.MEAN), ["1", "3", "8", "10"], ["2"] * 2 + ["9"] * 2, ["0", "1", "2", "4", "9"], [2, 1, -2]),
        # Names: who is only in the population has a place in the order, after those who are frequent.
        (quasi(), ["x", "y", "y"], ["{x, y}"] * 3, ["x", "y", "z"], [2, -1]),
        (quasi(order=Order.SORTED, label=Label.RANGE), ["a", "c", "c"], ["[a-c]"] * 3, ["a", "b", "c", "d"], [3, -1]),
        (quasi(label=Label.RANGE), ["c", "c", "a"], ["[c-a]"] * 3, ["a", "b", "c"], [2, -1]),
        # A node fits whoever is below it, were nobody of the table there.
        (
            quasi(hierarchy=CITIES),
            ["Rome", "Rome", "Bari", "Bari"],
            ["Centre"] * 2 + ["South"] * 2,
            ["Rome", "Naples", "Bari", "Milan"],
            [1, 2, -1],
        ),
    ],
)
def test_whom_a_label_fits(
    attribute: Attribute, cells: Sequence[str], labels: Sequence[str], population: Sequence[str], fits: list[int]
) -> None:
    """A label fits whoever has a value that it can stand for; the others are outside."""
    assert fitting(attribute, cells, labels, population) == fits


def test_a_class_of_several_spellings_fits_everybody_once() -> None:
    """Where classes become one when spelling is evened, whom several of their labels fit is counted once."""
    cells, labels = ["x", "y", "X", "y"], ["{x, y}"] * 2 + ["{X, y}"] * 2
    found = fitting(quasi(), cells, labels, ["x", "X", "y", "z"])
    assert found == [2, 2, -1, 3, -1]
    labels = ["0"] + ["{X, y}"] * 2 + ["{x, y}"] * 2
    found = fitting(quasi(), ["0", "X", "y", "x", "y"], labels, ["0", *"xXyz"])
    assert (found[:4], sorted(found[4:6]), found[6:]) == ([1, 2, 2, -1], [1, 3], [-1])
    nodes = Hierarchy.from_rows([["1", "Few"], ["2", "Few"], ["3", "few"], ["4", "few"]], root="*")
    numbers = quasi(hierarchy=nodes, label=Label.ANCESTOR)
    assert fitting(numbers, ["1", "2", "3", "4"], ["Few"] * 2 + ["few"] * 2, ["1", "2", "3", "4"]) == [2, 2, 0, 4, 0]


@st.composite
def covers(draw: st.DrawFn) -> tuple[list[Cover], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """What the labels of some columns stand for, as random spans; people, and different tuples of labels."""
    width = draw(st.integers(1, 3))
    made: list[Cover] = []
    for _ in range(width):
        labels = [draw(st.sets(st.integers(0, 5), max_size=4)) for _ in range(3)]
        spans = [(one, one) for label in labels for one in sorted(label)]
        first = np.cumsum([0, *map(len, labels)])
        low, high = np.array(spans, np.int64).reshape(-1, 2).T
        made.append(Cover(np.arange(6), first, low, high))
    people = draw(st.lists(st.tuples(*[st.integers(-2, 5)] * width), min_size=1, max_size=12, unique=True))
    tuples = draw(st.lists(st.tuples(*[st.integers(0, 2)] * width), max_size=9, unique=True))
    counts = draw(st.lists(st.integers(1, 3), min_size=len(people), max_size=len(people)))
    return made, np.array(people), np.array(counts), np.array(tuples, np.int64).reshape(-1, width)


@given(covers(), st.data())
def test_matching_is_that_of_all_pairs(
    made: tuple[list[Cover], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]], data: st.DataObject
) -> None:
    """Narrowing step by step finds whom comparing every person with every tuple of labels finds."""
    columns, people, counts, labels = made
    groups = data.draw(st.lists(st.integers(0, 2), min_size=len(labels), max_size=len(labels)))
    of = np.unique(np.array(groups, np.int64), return_inverse=True)[1]
    classes = int(of.max(initial=-1)) + 1

    def fits(person: NDArray[np.int64], tuple_: NDArray[np.int64]) -> bool:
        spans = [cover.spans(label) for cover, label in zip(columns, tuple_.tolist(), strict=True)]
        return all(((low <= rank) & (rank <= high)).any() for (low, high), rank in zip(spans, person, strict=True))

    borne = [labels[of == one] for one in range(classes)]
    whom = [[any(fits(person, one) for one in tuples) for person in people] for tuples in borne]
    expected = [int(counts[np.array(one)].sum()) for one in whom]
    none = ~np.logical_or.reduce([np.array(one) for one in whom], axis=0) if whom else np.ones(len(people), np.bool_)
    known = MatchedPopulation(tuple(columns), labels, people, counts)
    profile = known.counted(ClassProfile(np.ones(classes, np.int64)), labels, of)
    assert profile.population is not None
    assert (profile.population.tolist(), profile.outside) == (expected, int(counts[none].sum()))


# ── what a full-domain release leaves out ────────────────────────────────────────────────────────


def full_domain(
    level: int, kept: Sequence[int], *models: PrivacyModel, who: str = "", population: Sequence[str] = ()
) -> Claim:
    """A claim on a release of cities on this level; the records that are kept, and the models."""
    cells = ["Rome", "Rome", "Rome", "Bari", "Naples", "Milan", "Milan", "Turin"]
    frame = pl.DataFrame({"who": list(who or "abcdefgh"), "city": cells, "s": list("ffgfgfff")})
    city = Attribute("city", Role.QUASI, hierarchy=CITIES, label=Label.ANCESTOR)
    whose = "who" if who else None
    schema = Schema((Attribute("who", Role.IDENTIFYING), city, Attribute("s", Role.SENSITIVE)), person=whose)
    known = from_frame(pl.DataFrame({"city": population})) if population else None
    lineage = np.array(sorted(kept, key=lambda one: (label_of(cells[one], level), "ffgfgfff"[one])), np.int64)
    suppressed = len(cells) - len(kept)
    return Claim(schema, models, from_frame(frame), lineage, suppressed, levels={"city": level}, population=known)


def label_of(city: str, level: int) -> str:
    """The node above a city."""
    return next(row for row in CITIES.rows() if row[0] == city)[level]


def refusing(claim: Claim) -> str:
    """The check that refuses the release; none where it verifies."""
    source = claim.original
    cells = {name: source[name].values.gather(source[name].codes)[claim.lineage].to_list() for name in ("city", "s")}
    labels = [label_of(city, claim.levels["city"]) for city in cells["city"]]
    try:
        verify_frame(pl.DataFrame({"city": labels, "s": cells["s"]}), claim)
    except VerificationError as fault:
        return fault.where
    return ""


DIVERSE = DistinctLDiversity("s", 2)


def test_values_of_no_node_make_no_label() -> None:
    """A column may have no value at all, or none that a release may hold."""
    for labels in ([], [-1, -1]):
        cover = cover_of_node(np.array(labels, np.int64))
        assert (cover.first.tolist(), cover.low.size, cover.high.size) == ([0], 0, 0)


def test_left_out_for_what_is_sensitive() -> None:
    """A class that one of the models does not hold of is left out, one that all hold of is not."""
    assert not refusing(full_domain(1, [0, 1, 2, 3, 4], DIVERSE, KAnonymity(2)))
    assert refusing(full_domain(1, [0, 1, 2, 3, 4], KAnonymity(2))) == "check suppression"
    assert refusing(full_domain(1, [0, 1, 2], DIVERSE, KAnonymity(2))) == "check suppression"


def test_left_out_for_its_people() -> None:
    """A class of three records of one person is too small."""
    northern = [0, 1, 2, 3, 4]
    assert not refusing(full_domain(1, northern, KAnonymity(2), who="abcdefff"))
    assert refusing(full_domain(1, northern, KAnonymity(2), who="abcdeffg")) == "check suppression"


def test_left_out_for_the_population() -> None:
    """A class that fits too few of the population is left out, also one that bears a label of nobody else."""
    northern = [0, 1, 2, 3, 4]
    known = ["Rome", "Rome", "Bari", "Bari", "Milan"]
    assert not refusing(full_domain(1, northern, KMap(2), population=known))
    assert refusing(full_domain(1, northern, KMap(2), population=[*known, "Turin"])) == "check suppression"


def test_no_class_is_left_out_for_an_average() -> None:
    """A model that judges all classes together is no reason to leave one out."""
    average = AverageRisk(Fraction(2, 5))
    everybody = list(range(8))
    assert not refusing(full_domain(1, everybody, average))
    assert refusing(full_domain(1, [0, 1, 2, 5, 6, 7], average)) == "check suppression"
    assert not refusing(full_domain(1, [0, 1, 2, 5, 6, 7], average, KAnonymity(3)))


# ── missing sensitive values ─────────────────────────────────────────────────────────────────────


def test_records_without_a_sensitive_value_may_be_suppressed() -> None:
    """Where the schema says so they are left out, beyond the limit, and none of them is released."""
    frame = pl.DataFrame({"a": ["1", "1", "1"], "s": ["f", "g", "?"]})
    attribute = Attribute("s", Role.SENSITIVE, missing=Missing.SUPPRESS)
    schema = Schema((Attribute("a", Role.QUASI), attribute), frozenset({"?"}))
    claim = Claim(schema, (KAnonymity(2), DIVERSE), from_frame(frame), np.array([0, 1]), 1, limit=0)
    assert verify_frame(frame[:2], claim).suppressed == 1
    with pytest.raises(VerificationError, match="1 released records have no value"):
        verify_frame(frame[[2, 0, 1]], replace(claim, lineage=np.array([2, 0, 1]), suppressed=0, limit=None))
