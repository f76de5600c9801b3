"""Mondrian in parts: the regions, labels and classes of the search over all tuples, however few are fetched at once."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort import Attribute, KAnonymity, Role, Schema
from kohort.algorithms.mondrian.dimension import AtRandom, MostValues
from kohort.algorithms.mondrian.in_parts import refused_in_parts, solve_in_parts
from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.algorithms.mondrian.top_down import TopDown
from kohort.algorithms.problem import Problem
from kohort.core.recoding import Multidimensional, classes_of
from kohort.errors import InfeasibleError
from kohort.io.typed import from_frame
from kohort.models.average_risk import AverageRisk
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.k_map import KMap
from kohort.models.t_closeness import TCloseness
from kohort.schema import Label
from kohort.schema.hierarchies import from_tree
from kohort.tables.coded import CodedTable
from tests.reference.tuples import TuplesInMemory

if TYPE_CHECKING:
    from kohort.core.recoding import RegionClasses
    from kohort.models.base import PrivacyModel

REGIONS = from_tree({"Nord": ["Torino", "Milano"], "Sud": ["Bari", "Lecce"]}, root="*")

#: Quasi-identifiers of every kind of label; of names, one begins like a set.
QUASI = {
    "age": (Attribute("age", Role.QUASI), ["31", "31.0", "40", "52", "52.5", "9", "", None]),
    "city": (Attribute("city", Role.QUASI, hierarchy=REGIONS), ["Bari", "Lecce", "Torino", "Milano", None]),
    "job": (Attribute("job", Role.QUASI, label=Label.SET), ["a", "b", "{x", "c, d", ""]),
    "pay": (Attribute("pay", Role.QUASI, label=Label.MEAN), ["1", "2", "3", "10", "20", None]),
    "size": (Attribute("size", Role.QUASI, grid=Fraction(10)), [str(size) for size in range(0, 60, 3)]),
    "sort": (Attribute("sort", Role.QUASI, weight=Fraction(3), label=Label.RANGE), ["u", "v", "w", "x", None]),
}

ILL = ["flu", "gout", "cold", None]

MODELS: dict[str, tuple[PrivacyModel, ...]] = {
    "k": (),
    "l": (DistinctLDiversity("ill", 2),),
    "t": (TCloseness("ill", Fraction(2, 5)),),
    "both": (DistinctLDiversity("ill", 2), TCloseness("risk", Fraction(1, 2))),
}


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Random small tables with all that labels and models look at."""
    records = draw(st.integers(1, 60))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    names = draw(st.lists(st.sampled_from(sorted(QUASI)), min_size=1, max_size=4, unique=True))
    pools: dict[str, Any] = {name: QUASI[name][1] for name in names} | {"ill": ILL, "risk": ["1", "2", "5"]}
    cells = {
        name: [pool[place] for place in random.integers(0, random.integers(1, len(pool) + 1), records)]
        for name, pool in pools.items()
    }
    frame = pl.DataFrame(cells, schema=dict.fromkeys(cells, pl.String))
    attributes = tuple(QUASI[name][0] for name in names)
    schema = Schema((*attributes, Attribute("ill", Role.SENSITIVE), Attribute("risk", Role.SENSITIVE)))
    models = (KAnonymity(draw(st.integers(2, 6))), *MODELS[draw(st.sampled_from(sorted(MODELS)))])
    coded = CodedTable(from_frame(frame), schema)
    looked_at = {model.declared.sensitive for model in models} - {None}
    return Problem(coded.count([str(name) for name in looked_at]), coded.domains, models)


def in_parts(problem: Problem, algorithm: Mondrian, most: int) -> tuple[RegionClasses, dict[str, int], TuplesInMemory]:
    """The search, with so many tuples at once."""
    tuples = TuplesInMemory(problem.frequency, most)
    root = tuples.marginals([0])[0]
    blind = replace(problem, frequency=root.of[0])
    return *solve_in_parts(tuples, root, blind, algorithm, most), tuples


@given(
    problem=problems(),
    most=st.integers(1, 40),
    cut=st.sampled_from(["nearest", "median"]),
    dimension=st.sampled_from([None, MostValues(), AtRandom(3)]),
)
def test_search_in_parts_is_the_search(problem: Problem, most: int, cut: Any, dimension: Any) -> None:  # noqa: ANN401
    """Regions, their order, labels, losses, classes and what the search counted."""
    algorithm = Mondrian(cut, dimension=dimension)
    try:
        solution = algorithm.solve(problem)
    except InfeasibleError as error:
        with pytest.raises(InfeasibleError, match=re.escape(error.what)):
            in_parts(problem, algorithm, most)
        return
    recoding = solution.recoding
    assert isinstance(recoding, Multidimensional)
    due = classes_of(recoding, problem.frequency, problem.domains)
    made, trace, tuples = in_parts(problem, algorithm, most)
    assert tuples.regions.tolist() == recoding.regions.tolist()
    for one, other in zip(made.labels, due.labels, strict=True):
        assert [one.texts[kind] for kind in one.of.tolist()] == [other.texts[kind] for kind in other.of.tolist()]
        assert one.losses.tolist() == other.losses.tolist()
        assert one.total(made.regions) == other.total(due.regions)
    assert (made.of.tolist(), made.first.tolist()) == (due.of.tolist(), due.first.tolist())
    assert (made.sizes.tolist(), made.regions.tolist()) == (due.sizes.tolist(), due.regions.tolist())
    assert made.lost.tolist() == due.lost.tolist()
    assert {key: trace[key] for key in solution.trace} == solution.trace


def test_a_leaf_of_many_tuples_is_never_fetched() -> None:
    """Nothing can be cut where every cut leaves one record alone; the labels come from the marginals."""
    frame = pl.DataFrame({"age": ["1"] * 9 + ["2"], "job": [*"abcdefghi", "j"]})
    schema = Schema((Attribute("age", Role.QUASI), Attribute("job", Role.QUASI, label=Label.SET)))
    coded = CodedTable(from_frame(frame), schema)
    problem = Problem(coded.count(), coded.domains, (KAnonymity(6),))
    classes, trace, tuples = in_parts(problem, Mondrian(), 3)
    assert set(tuples.regions.tolist()) == {0}
    assert trace["rounds"] == 1
    assert [list(labels.texts) for labels in classes.labels] == [["[1-2]"], ["{a, b, c, d, e, f, g, h, i, j}"]]


def test_rounds_and_rows_are_counted() -> None:
    """Sixteen tuples, four at once: two rounds over one part and two, of 16 and 8 + 8 codes."""
    frame = pl.DataFrame({"age": [str(age) for age in range(16)]})
    coded = CodedTable(from_frame(frame), Schema((Attribute("age", Role.QUASI),)))
    _, trace, _ = in_parts(Problem(coded.count(), coded.domains, (KAnonymity(2),)), Mondrian(), 4)
    counted = {key: trace[key] for key in ("parts", "rounds", "histogram_rows", "leaves")}
    assert counted == {"parts": 4, "rounds": 2, "histogram_rows": 32, "leaves": 8}


@pytest.mark.parametrize(
    ("algorithm", "models", "told"),
    [
        (Mondrian(), (KAnonymity(2), DistinctLDiversity("ill", 2)), ""),
        (Mondrian("median", dimension=MostValues()), (KAnonymity(2),), ""),
        (TopDown(), (KAnonymity(2),), "top-down"),
        (Mondrian(relaxed=True), (KAnonymity(2),), "relaxed"),
        (Mondrian("loss"), (KAnonymity(2),), "--cut loss"),
        (Mondrian(), (KAnonymity(2), AverageRisk(Fraction(1, 5))), "judges classes together"),
        (Mondrian(), (KAnonymity(2), KMap(3)), "judges classes together"),
    ],
)
def test_what_needs_all_tuples_is_named(algorithm: Any, models: tuple[PrivacyModel, ...], told: str) -> None:  # noqa: ANN401
    """Empty where nothing does."""
    found = refused_in_parts(algorithm, models)
    assert told in found
    assert bool(found) == bool(told)
