"""Laws of risk: each figure is its definition, and knowing more never makes anybody safer."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import isclose

import numpy as np
import polars as pl
from hypothesis import assume, given
from hypothesis import strategies as st

from kohort.assessment.classes import classes_of, sizes_of
from kohort.assessment.population import matches
from kohort.assessment.risk.overall import assess, individual_risks
from kohort.assessment.risk.quasi_identifiers import MANY, find, measured
from kohort.assessment.risk.reidentification import by_size, knowing, marketer
from kohort.assessment.risk.singling import singling
from kohort.assessment.risk.uniqueness import Sample, expected_uniques, pitman, slide_negative_binomial, zayatz
from kohort.core.frequency import FrequencySet, group
from kohort.io import read
from kohort.verify.singling import singled_out
from tests.reference import risk as naive

Rows = list[tuple[int, ...]]

THRESHOLDS = st.sampled_from([Fraction(1, 20), Fraction(1, 5), Fraction(1, 3), Fraction(1, 2), Fraction(2, 3)])


@st.composite
def files(draw: st.DrawFn, most: int = 24) -> tuple[Rows, list[int] | None]:
    """Records of two to four columns with few values, and perhaps whose they are."""
    width = draw(st.integers(2, 4))
    rows = draw(st.lists(st.tuples(*[st.integers(0, 2)] * width), min_size=1, max_size=most))
    people = st.lists(st.integers(0, 6), min_size=len(rows), max_size=len(rows))
    return rows, draw(st.none() | people)


def frequency_of(rows: Rows, people: list[int] | None) -> FrequencySet:
    """The tuples of these records."""
    whose = [0] * len(rows) if people is None else people
    matrix = np.array([(*row, who) for row, who in zip(rows, whose, strict=True)], np.uint32)
    grouping = group(matrix)
    tuples = matrix[grouping.first]
    none = np.empty((len(tuples), 0), np.uint32)
    kept = None if people is None else tuples[:, -1].astype(np.int64)
    return FrequencySet(tuples[:, :-1].copy(), none, grouping.counts, people=kept)


@given(files(), THRESHOLDS)
def test_the_prosecutors_risk_is_one_over_the_class(file: tuple[Rows, list[int] | None], threshold: Fraction) -> None:
    """Highest, average, share over and how many are those of the risks of all records, or of people at their worst."""
    frequency = frequency_of(*file)
    classes = classes_of(frequency)
    found = by_size(sizes_of(frequency, classes.of, classes.sizes), threshold)
    sizes = naive.sizes(*file)
    highest, average, over, count = naive.exposure(naive.risks(*file, sizes), threshold)
    assert (found.highest, found.over, found.at_highest) == (float(highest), float(over), count)
    assert isclose(found.average, average)
    assert isclose(marketer(classes.sizes), len(sizes) / sum(sizes.values()))


@given(files(), THRESHOLDS, st.data())
def test_what_m_columns_tell_is_told_of_every_choice(
    file: tuple[Rows, list[int] | None], threshold: Fraction, data: st.DataObject
) -> None:
    """Each choice of m columns has the risks of a file of those columns; the worst has the greatest average."""
    rows, people = file
    m = data.draw(st.integers(1, len(rows[0])))
    found = knowing(frequency_of(rows, people), m, threshold=threshold)
    choices = [*combinations(range(len(rows[0])), m)]
    assert (found.m, found.subsets, found.complete) == (m, len(choices), True)
    assert sorted(one.columns for one in found.worst) == choices
    for one in found.worst:
        parts = [tuple(row[int(column)] for column in one.columns) for row in rows]
        risks = naive.risks(parts, people, naive.sizes(parts, people))
        highest, average, over, _ = naive.exposure(risks, threshold)
        assert (one.highest, one.over, one.uniques) == (float(highest), float(over), risks.count(Fraction(1)))
        assert isclose(one.average, average)
    assert found.worst[0].average == max(one.average for one in found.worst)


@given(files())
def test_knowing_more_never_makes_anybody_safer(file: tuple[Rows, list[int] | None]) -> None:
    """The worst choice of m columns is at least as bad as that of fewer."""
    frequency = frequency_of(*file)
    worst = [knowing(frequency, m).worst[0].average for m in range(1, frequency.quasi.shape[1] + 1)]
    assert worst == sorted(worst)


@given(files(), st.integers(0, 5))
def test_few_visits_give_a_lower_bound(file: tuple[Rows, list[int] | None], seed: int) -> None:
    """Where not every choice is tried, those that are have their true risks, and none beats the true worst."""
    frequency = frequency_of(*file)
    every = knowing(frequency, 2)
    some = knowing(frequency, 2, seed=seed, visits=frequency.counts.size - 1)
    assert (some.complete, len(some.worst)) == (every.subsets * frequency.counts.size == 0, 1)
    assert some.worst[0] in every.worst
    drawn = knowing(frequency, 1, seed=seed, visits=frequency.counts.size)
    assert set(drawn.worst) <= set(knowing(frequency, 1).worst)


@given(files())
def test_separation_is_counted_over_all_pairs(file: tuple[Rows, list[int] | None]) -> None:
    """Distinctness, separation and uniqueness are those of all records and pairs of them."""
    rows, _ = file
    found = measured(np.array([*naive.sizes(rows, None).values()]))
    for figure, true in zip(
        (found.distinctness, found.separation, found.unique, found.others), naive.separation(rows), strict=True
    ):
        assert isclose(figure, true)


def identifies(rows: Rows) -> bool:
    """Whether a set with these cells singles people out."""
    _, _, unique, others = naive.separation(rows)
    return float(unique) >= MANY or others < 1


@given(files(most=30), st.integers(1, 3), st.booleans())
def test_every_minimal_set_is_found_and_no_other(
    file: tuple[Rows, list[int] | None],
    largest: int,
    known: bool,  # noqa: FBT001  Hypothesis passes it
) -> None:
    """The search finds the sets that identify and of which no part does, unless the base does by itself."""
    rows, _ = file
    columns = [*zip(*rows, strict=True)]
    base = [columns.pop()] if known else []
    found = find(
        [np.array(column, np.uint8) for column in columns],
        base=[np.array(column, np.uint8) for column in base],
        largest=largest,
    )
    true = naive.minimal_sets(columns, base, min(largest, len(columns)), identifies)
    if base and identifies([*zip(*base, strict=True)]):
        true.clear()
    assert {one.columns for one in found.sets} == true
    assert found.complete
    assert (found.base is not None) == known


@given(st.lists(st.integers(1, 9), min_size=1, max_size=30), st.integers(0, 60))
def test_zayatz_is_bayes_rule(sizes: list[int], more: int) -> None:
    """The estimate is that of the definition in exact fractions."""
    population = sum(sizes) + more
    found = zayatz(Sample.of(np.array(sizes), population))
    assert found.uniques is not None
    assert isclose(found.uniques, naive.zayatz(sizes, population))


@given(st.lists(st.integers(1, 9), min_size=2, max_size=40), st.integers(1, 400), st.data())
def test_pitmans_parameters_have_the_greatest_likelihood(sizes: list[int], more: int, data: st.DataObject) -> None:
    """No parameters near those found are likelier; the uniques are those that the parameters let expect."""
    found = pitman(Sample.of(np.array(sizes), sum(sizes) + more))
    if max(sizes) == 1:
        assert found.uniques is None
        return
    alpha, theta = found.parameters["alpha"], found.parameters["theta"]
    assume(theta < 1e6)
    best = naive.pitman_likelihood(sizes, alpha, theta)
    for step in (1e-4, 1e-2, 0.1):
        near = alpha + data.draw(st.floats(-step, step)), (theta + alpha) * (1 + data.draw(st.floats(-step, step)))
        other = min(max(near[0], 0.0), 1 - 1e-9)
        if near[1] - other > -other:
            assert naive.pitman_likelihood(sizes, other, near[1] - other) <= best + 1e-6
    assert found.uniques is not None
    assert isclose(found.uniques, naive.pitman_uniques(sum(sizes) + more, alpha, theta), rel_tol=1e-6)


@given(st.integers(1, 300), st.floats(0, 0.95), st.floats(0.01, 500))
def test_expected_uniques_are_a_product(people: int, alpha: float, theta: float) -> None:
    """The closed form is the product over people."""
    assert isclose(expected_uniques(people, alpha, theta), naive.pitman_uniques(people, alpha, theta), rel_tol=1e-9)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=40), st.integers(1, 400))
def test_the_slide_negative_binomial_meets_its_moments(sizes: list[int], more: int) -> None:
    """Where there is an answer, its parameters let expect the people, classes and uniques that there are."""
    population, people = sum(sizes) + more, sum(sizes)
    found = slide_negative_binomial(Sample.of(np.array(sizes), population))
    if found.uniques is None:
        assert found.reason
        return
    classes, alpha, p = (found.parameters[name] for name in ("classes", "alpha", "p"))
    sampled, q = people / population, 1 - p
    x = p / (1 - q * (1 - sampled))
    assert isclose(classes * (1 + alpha * q / p), population, rel_tol=1e-6)
    assert isclose(classes * (1 - (1 - sampled) * x**alpha), len(sizes), rel_tol=1e-4)
    seen = classes * sampled * x**alpha * (1 + (1 - sampled) * alpha * q / p * x)
    assert isclose(seen, sizes.count(1), rel_tol=1e-4)
    assert 0 <= found.uniques <= classes


@given(st.lists(st.integers(1, 40), min_size=1, max_size=10), st.integers(1, 50), st.integers(0, 50))
def test_the_estimated_risk_is_the_mean_of_a_negative_binomial(sizes: list[int], part: int, more: int) -> None:
    """The mean of 1/F is that of the sum over all F, cut where nothing is left."""
    fraction = Fraction(part, part + more)
    assume(fraction > Fraction(1, 30))
    found = individual_risks(np.array(sizes), fraction)
    for size, risk in zip(sizes, found.tolist(), strict=True):
        probability, total = float(fraction) ** size, 0.0
        for others in range(4_000):
            total += probability / (size + others)
            probability *= (1 - float(fraction)) * (size + others) / (others + 1)
        assert isclose(risk, total, rel_tol=1e-6)


@given(st.data())
def test_people_are_fitted_as_one_by_one(data: st.DataObject) -> None:
    """How many people labels fit is what looking at each person and label gives."""
    width = data.draw(st.integers(1, 3))
    cover = st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=2, max_size=2)
    covers = [data.draw(cover) for _ in range(width)]
    labels = data.draw(st.lists(st.tuples(*[st.integers(0, 1)] * width), min_size=1, max_size=6))
    tuples = data.draw(st.lists(st.tuples(*[st.integers(0, 2)] * width), min_size=1, max_size=8))
    covered = [[np.flatnonzero(row) for row in column] for column in covers]
    found = np.zeros(len(labels), np.int64)
    for classes, people in matches(np.array(labels, np.uint32), np.array(tuples, np.uint32), covered):
        found[classes] += people.size
    assert found.tolist() == naive.fits(labels, tuples, covers)


@given(files())
def test_a_column_singles_out_when_most_values_are_one_persons(file: tuple[Rows, list[int] | None]) -> None:
    """A column is told exactly when more than half of the people have a value that nobody else has."""
    rows, people = file
    cells = {f"c{place}": [str(cell) for cell in column] for place, column in enumerate(zip(*rows, strict=True))}
    names = [*cells]
    frame = pl.DataFrame(cells if people is None else {**cells, "who": [str(who) for who in people]})
    whose = None if people is None else np.array(people)
    total = len(rows if people is None else {*people})
    expected = {(name,): alone([cells[name]], people) for name in names}
    assert {one.columns: one.unique for one in singling(read(frame), names, whose)} == {
        name: unique for name, unique in expected.items() if 2 * unique > total
    }


def alone(columns: list[list[str]], people: list[int] | None) -> int:
    """People with a tuple that nobody else has, by looking at all others."""
    whose = range(len(columns[0])) if people is None else people
    tuples = [*zip(*columns, strict=True)]
    held = [(cells, who) for cells, who in zip(tuples, whose, strict=True)]
    return len({who for cells, who in held if all(other == who for one, other in held if one == cells)})


@given(files(), st.booleans())
def test_columns_and_pairs_single_out_as_many_as_looking_tells(
    file: tuple[Rows, list[int] | None],
    repeated: bool,  # noqa: FBT001  drawn
) -> None:
    """Each column is told; a pair where it singles out more than 5 % and more than either, neither being over half."""
    rows, people = file
    if repeated:
        rows, people = rows * 4, None if people is None else people * 4
    cells = [[str(cell) for cell in column] for column in zip(*rows, strict=True)]
    table = read(pl.DataFrame({f"c{place}": column for place, column in enumerate(cells)}))
    total = len(rows if people is None else {*people})
    one: dict[tuple[int, ...], int] = {(place,): alone([column], people) for place, column in enumerate(cells)}
    few = [place for place in range(len(cells)) if 2 * one[place,] <= total]
    two = {pair: alone([cells[place] for place in pair], people) for pair in combinations(few, 2)}
    told = {
        pair: unique
        for pair, unique in two.items()
        if 20 * unique > total and unique > max(one[pair[:1]], one[pair[1:]])
    }
    found = singled_out(table.columns, None if people is None else np.array(people))
    named: dict[tuple[int, ...], int] = {
        tuple(int(name[1:]) for name in single.columns): single.unique for single in found
    }
    assert named == one | told
    assert {single.people for single in found} == {total}


@given(files(), st.data())
def test_the_order_of_records_does_not_matter(file: tuple[Rows, list[int] | None], data: st.DataObject) -> None:
    """The same records in another order have the same figures, to the last digit."""
    rows, _ = file
    order = data.draw(st.permutations(range(len(rows))))
    columns = {f"c{place}": [str(cell) for cell in column] for place, column in enumerate(zip(*rows, strict=True))}
    shuffled = {name: [cells[place] for place in order] for name, cells in columns.items()}
    one, other = (
        assess(pl.DataFrame(cells), ["c0", "c1"], population_size=10 * len(rows), known=1)
        for cells in (columns, shuffled)
    )
    for figure in ("prosecutor", "journalist", "marketer", "uniqueness", "known", "alone", "together", "worst_values"):
        assert getattr(one, figure) == getattr(other, figure)
