"""How alike the sensitive values of a class are: against a count by hand, and in what people read."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from typing import TYPE_CHECKING, cast

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kohort
from kohort.frequency import FrequencySet
from kohort.release.homogeneity import Homogeneity, Pieces, homogeneity_of, people_of
from kohort.report import numbers
from kohort.sensitive import SensitiveDomain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.problem import Algorithm

#: A record: its class, its value (3 is missing) and whose it is.
RECORDS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=30)


def by_hand(records: Sequence[tuple[int, int, object]]) -> Homogeneity:
    """The definition: per class, who has which value."""
    classes: dict[int, dict[int, set[object]]] = defaultdict(lambda: defaultdict(set))
    for at, value, whose in records:
        if value < 3:
            classes[at][value].add(whose)
    alike, share = 0, 0.0
    for held in classes.values():
        counts = [len(people) for people in held.values()]
        alike += counts[0] if len(counts) == 1 else 0
        share = max(share, max(counts) / sum(counts))
    return Homogeneity(alike, share)


@given(records=RECORDS, keyed=st.booleans())
def test_homogeneity_is_what_a_count_by_hand_finds(records: list[tuple[int, int, int]], *, keyed: bool) -> None:
    """Records count, or people once for each value; missing values are none."""
    classes, values, whose = (np.array(column, np.int64) for column in zip(*records, strict=True))
    domain = SensitiveDomain("illness", np.ones(3, np.int64))
    ones = np.ones(classes.size, np.int64)
    quasi = classes[:, None].astype(np.uint16)
    frequency = FrequencySet(quasi, values[:, None].astype(np.uint16), ones, (domain,), whose if keyed else None)
    pieces = Pieces(np.arange(classes.size), classes, ones)
    told = [(at, value, who if keyed else row) for row, (at, value, who) in enumerate(records)]
    assert homogeneity_of(frequency, pieces) == {"illness": by_hand(told)}
    assert people_of(frequency, pieces) == (len({who for *_, who in records}) if keyed else None)


@pytest.mark.parametrize(
    "algorithm",
    [kohort.Mondrian(), kohort.Mondrian(relaxed=True), kohort.Optimal(kohort.SuppressionLimit.of("40%"))],
    ids=lambda one: one.name,
)
@pytest.mark.parametrize("person", [None, "who"])
def test_the_figures_of_a_release_are_those_of_its_cells(algorithm: Algorithm, person: str | None) -> None:
    """What the pipeline counts on integers is what anybody counts in the released table; spellings are one value."""
    rows = range(120)
    people = pl.DataFrame(
        {
            "who": [f"p{row % 90}" for row in rows],
            "age": [str(20 + row * 7 % 31) for row in rows],
            "illness": [("flu", "FLU ", "HIV", "", "ulcer")[row * row % 5] for row in rows],
        }
    )
    age = kohort.Attribute("age", kohort.Role.QUASI, hierarchy="intervals:5,10")
    others = kohort.Schema.of(identifying=["who"], sensitive=["illness"]).attributes
    schema = kohort.Schema((age, *others), person=person)
    models = (kohort.KAnonymity(2), kohort.AlphaKAnonymity("illness", Fraction("0.95"), 2))
    release = kohort.anonymize(people, kohort.Job.of(schema, *models, algorithm=algorithm))
    cells = release.frame()
    assert isinstance(cells, pl.DataFrame)
    code = {"flu": 0, "FLU ": 0, "HIV": 1, "ulcer": 2, "": 3, None: 3}
    whose = people["who"].gather(release.lineage)
    told = [
        (hash(age), code[illness], who if person else row)
        for row, (age, illness, who) in enumerate(zip(cells["age"], cells["illness"], whose, strict=True))
    ]
    assert release.homogeneity == {"illness": by_hand(told)}
    assert release.people == (len(set(whose)) if person else None)
    figures = numbers(release)
    assert figures["people"] == release.people
    assert figures["models"] == ["2-anonymity", "(0.95, 2)-anonymity of illness"]
    [[name, found]] = cast("dict[str, dict[str, float]]", figures["homogeneity"]).items()
    assert (name, found["people"]) == ("illness", release.homogeneity["illness"].alike)
    assert found["largest_share"] == pytest.approx(release.homogeneity["illness"].share)


def test_nobody_with_a_value_is_alike() -> None:
    """Where nobody has a value there is no share."""
    frequency = FrequencySet(
        np.zeros((2, 1), np.uint16),
        np.zeros((2, 1), np.uint16),
        np.array([2, 3], np.int64),
        (SensitiveDomain("illness", np.empty(0, np.int64)),),
    )
    pieces = Pieces(np.arange(2), np.zeros(2, np.int64), frequency.counts)
    assert homogeneity_of(frequency, pieces) == {"illness": Homogeneity(0, 0.0)}
