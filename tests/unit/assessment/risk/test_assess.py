"""The risk of whole files: what is counted, what is refused, and what a population table tells."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from kohort.assessment import labels
from kohort.assessment.classes import tuples_of
from kohort.assessment.risk.overall import assess
from kohort.assessment.risk.quasi_identifiers import IdentifyingSets, find, measured
from kohort.assessment.risk.reidentification import Exposure, knowing, threshold_of
from kohort.assessment.risk.uniqueness import (
    Estimate,
    Sample,
    estimated,
    pitman,
    slide_negative_binomial,
    trusted,
    zayatz,
)
from kohort.errors import InfeasibleError, InputError, JobError, KohortError, SchemaError, UsageError
from kohort.io import ReadOptions, read
from tests.unit.assessment.risk.tables import REGIONS, frame

#: Six released people in classes of 1, 2 and 3.
RELEASED = frame(
    region=["Nord", "Sud", "Sud", "*", "*", "*"],
    age=["[20-29]", "30", "30", "[40-49]", "[40-49]", "[40-49]"],
    income=["10", "20", "30", "40", "50", "60"],
    ticket=["a", "b", "c", "d", "e", "e"],
)

#: The people they are of, and others.
POPULATION = frame(
    region=["Milano", "Torino", "Bari", "Bari", "Bari", "Milano", "Bari", "Bari"],
    age=["20", "29", "30", "30", "30", "40", "41", "49"],
)


def test_a_file_is_assessed_as_it_stands() -> None:
    """The figures of a file of three classes, by hand."""
    risk = assess(RELEASED, ["region", "age"], sensitive=["income"], threshold="1/3")
    assert (risk.records, risk.people, sorted(risk.sizes.tolist())) == (6, None, [1, 2, 3])
    assert risk.prosecutor == Exposure(1.0, 0.5, 0.5, 1)
    assert risk.marketer == 0.5
    assert (risk.journalist, risk.known) == (None, None)
    assert (risk.uniqueness.sample, risk.uniqueness.share, risk.uniqueness.population) == (1, 1 / 6, None)
    assert risk.undeclared == ("ticket",)
    assert [one.columns for one in risk.alone.sets] == [("ticket",)]
    assert [(one.columns, one.unique) for one in risk.singling] == [(("income",), 6), (("ticket",), 4)]
    assert risk.worst_values == ({"region": "Nord", "age": "[20-29]"},)


def test_the_journalist_matches_by_what_labels_cover() -> None:
    """Each class has the population's people whom its labels fit; one who is missing there is still in the file."""
    risk = assess(RELEASED, ["region", "age"], population=POPULATION, hierarchies={"region": REGIONS})
    assert risk.journalist is not None
    assert risk.journalist.by == "population table"
    exposure = risk.journalist.exposure
    assert (exposure.highest, exposure.over, exposure.at_highest) == (0.5, 1.0, 1)
    assert exposure.average == pytest.approx((1 / 2 + 2 / 3 + 3 / 3) / 6)
    assert risk.journalist.marketer == pytest.approx((1 / 2 + 2 / 3 + 3 / 3) / 6)
    assert risk.journalist.unknown == 0
    assert (risk.uniqueness.in_file, risk.uniqueness.trusted) == (0.0, "population table")
    fewer = frame(region=["Milano", "Bari"], age=["25", "30"])
    risk = assess(RELEASED, ["region", "age"], population=fewer, hierarchies={"region": REGIONS})
    assert risk.journalist is not None
    assert risk.journalist.exposure == risk.prosecutor
    assert risk.journalist.unknown == 5
    assert (risk.uniqueness.in_file, risk.uniqueness.population_size) == (1.0, 2)


def test_labels_are_matched_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """However few labels are looked at together, the answer is the same; a hierarchy may be a builder's word."""
    whole = assess(RELEASED, ["age"], population=POPULATION)
    monkeypatch.setattr(labels, "_PAIRS", 1)
    assert assess(RELEASED, ["age"], population=POPULATION).journalist == whole.journalist
    built = assess(RELEASED, ["age"], population=POPULATION, hierarchies={"age": "intervals:10"})
    assert built.journalist == whole.journalist


def test_the_journalist_is_estimated() -> None:
    """Without a table the risk is estimated from the share of people that is in the file, said in either way."""
    by_size = assess(RELEASED, ["region", "age"], population_size=60)
    by_share = assess(RELEASED, ["region", "age"], sampling_fraction="0.1")
    assert by_size.journalist == by_share.journalist
    assert by_size.journalist is not None
    assert by_size.journalist.by == "estimate"
    assert by_size.journalist.exposure.highest == pytest.approx(0.1 / 0.9 * np.log(10))
    assert by_size.uniqueness.trusted == "Pitman"
    everybody = assess(RELEASED, ["region", "age"], population_size=6)
    assert everybody.journalist is not None
    assert everybody.journalist.exposure.highest == 1
    assert (everybody.uniqueness.in_file, everybody.uniqueness.trusted) == (1.0, "the whole population")


def test_people_are_counted_with_a_person_key() -> None:
    """Somebody with several records is one person, found where the class is smallest."""
    visits = frame(
        city=["Bari", "Bari", "Bari", "Roma", "Roma"], who=["a", "a", "b", "a", "a"], note=["x", "x", "y", "z", "z"]
    )
    risk = assess(visits, ["city"], person="who", known=1, population_size=50)
    assert (risk.records, risk.people, sorted(risk.sizes.tolist())) == (5, 2, [1, 2])
    assert risk.prosecutor == Exposure(1.0, 0.75, 1.0, 1)
    assert risk.uniqueness.sample == 1
    assert [one.uniques for one in risk.uniqueness.estimates] == [None] * 3
    assert (risk.uniqueness.population, risk.uniqueness.in_file) == (None, None)
    assert risk.known is not None
    assert risk.known.worst[0].average == 0.75
    assert [(one.columns, one.unique, one.people) for one in risk.singling] == [(("note",), 2, 2)]
    assert risk.undeclared == ("note",)


def test_missing_values_are_values() -> None:
    """A missing cell is shared with missing cells alone, here and in the population."""
    file = pl.DataFrame({"city": ["Bari", "Bari", None]})
    risk = assess(file, ["city"], population=pl.DataFrame({"city": [None, "Bari", None, "Bari"]}))
    assert risk.worst_values == ({"city": None},)
    assert risk.journalist is not None
    assert risk.journalist.exposure.highest == 0.5


def test_the_worst_cells_are_few() -> None:
    """Of many smallest classes five are kept, the first by their text."""
    risk = assess(frame(city=[str(number) for number in range(20)]), ["city"])
    assert risk.worst_values == tuple({"city": city} for city in ("0", "1", "10", "11", "12"))


@pytest.mark.parametrize(
    ("wrong", "kind", "told"),
    [
        ({"quasi": []}, SchemaError, "no column is quasi-identifying"),
        ({"quasi": ["regon"]}, SchemaError, "no column is called regon"),
        ({"quasi": ["regon", "agee"]}, JobError, "no column is called agee"),
        ({"sensitive": ["age"]}, SchemaError, "two attributes share a name"),
        ({"person": "who"}, SchemaError, "no column is called who"),
        ({"threshold": "1"}, UsageError, "the threshold must be above 0 and below 1"),
        ({"threshold": 0}, UsageError, "the threshold must be"),
        ({"threshold": True}, UsageError, "the threshold must be"),
        ({"threshold": "1/0"}, UsageError, "the threshold must be"),
        ({"threshold": "nan"}, UsageError, "the threshold must be"),
        ({"sampling_fraction": "1.5"}, UsageError, "the sampling fraction must be above 0 and at most 1"),
        ({"population_size": 5}, UsageError, "at least the people of the file"),
        ({"population_size": 6.5}, UsageError, "at least the people of the file"),
        ({"population_size": 10**19}, UsageError, "more than 1,000,000,000,000 people"),
        ({"sampling_fraction": "1e-300"}, UsageError, "more than 1,000,000,000,000 people"),
        ({"population_size": 9, "sampling_fraction": "0.1"}, UsageError, "the population is given in two ways"),
        ({"known": 3}, UsageError, "a whole number from 1 to 2"),
        ({"known": 0}, UsageError, "a whole number from 1 to 2"),
        ({"known": True}, UsageError, "a whole number from 1 to 2"),
        ({"population": frame(age=["1"])}, SchemaError, "has no column region"),
        ({"population": POPULATION, "hierarchies": {"income": REGIONS}}, SchemaError, "not quasi-identifying"),
    ],
)
def test_what_cannot_be_is_refused(wrong: dict[str, object], kind: type[KohortError], told: str) -> None:
    """A parameter that cannot be right is told before anything is counted, and no cell is in the message."""
    said: dict[str, object] = {"quasi": ["region", "age"], **wrong}
    with pytest.raises(kind) as caught:
        assess(RELEASED, **said)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    assert told in str(caught.value)
    assert "Nord" not in str(caught.value)


def test_labels_that_cannot_be_read_name_their_column() -> None:
    """A label that means nothing among numbers is counted at its column."""
    with pytest.raises(InputError) as caught:
        assess(frame(age=["[20-x]", "30"]), ["age"], population=frame(age=["20", "30"]))
    assert caught.value.where == "column age"
    assert "1 of 2" in caught.value.what


def test_no_records_have_no_risk() -> None:
    """A table of no records is refused as a file of none is."""
    empty = pl.DataFrame({"city": pl.Series([], dtype=pl.String)})
    for none in (empty, read(empty, ReadOptions(allow_empty=True))):
        with pytest.raises(InfeasibleError, match="0 records"):
            assess(none, ["city"])


def test_every_choice_may_be_too_many() -> None:
    """With too many tuples to look at, one choice is built column by column; it starts from the worst column."""
    cells = {"same": ["1"] * 6, "some": [*"aabbcc"], "each": [*"abcdef"], "few": [*"aaabbb"]}
    frequency = tuples_of(read(pl.DataFrame(cells)), [*cells])
    found = knowing(frequency, 2, visits=6 * 5)
    assert (found.subsets, found.complete) == (6, False)
    assert found.worst[0].columns == (0, 2)
    assert 1 <= len(found.worst) <= 6
    assert found == knowing(frequency, 2, visits=6 * 5)
    assert found.average <= found.worst[0].average


# --- quasi-identifiers that nobody declared ---------------------------------------------------------------------------


def columns_of(*columns: list[int]) -> list[np.ndarray[tuple[int], np.dtype[np.uint8]]]:
    """Codes in columns."""
    return [np.array(column, np.uint8) for column in columns]


def test_a_base_that_identifies_needs_nothing_more() -> None:
    """Where the quasi-identifiers single out by themselves, no set with them says more."""
    found = find(columns_of([0, 1]), base=columns_of([0, 1]))
    assert (found.sets, found.tried, found.base) == ((), 0, measured(np.array([1, 1])))
    assert find([]) == IdentifyingSets(0, (), None, 0, complete=True)


def test_one_in_twenty_are_many() -> None:
    """A set identifies from just one in twenty on, and as many sets are tried as may be."""
    codes = [0, *[1] * 19]
    assert [one.columns for one in find(columns_of(codes)).sets] == [(0,)]
    assert not find(columns_of([*codes, 1])).sets
    assert find(columns_of(codes, codes), sets=3, largest=2).complete
    assert not find(columns_of([1] * 20, [1] * 20), sets=2, largest=2).complete


def test_people_of_several_records_are_one() -> None:
    """With a person key a column is unique to somebody by all of their records."""
    columns = columns_of([0, 0, 1, 1] * 8)
    nobody = find(columns)
    somebody = find(columns, people=np.array([0, 0, 1, 1] * 8))
    assert (nobody.sets, [one.columns for one in somebody.sets]) == ((), [(0,)])


def test_a_sample_decides_what_is_looked_at_in_full() -> None:
    """Records beyond the budget are left to a sample; what is found has its figures over all, and the bound is told."""
    random = np.random.default_rng(4)
    same, each, some = np.zeros(9_000, np.uint16), np.arange(9_000, dtype=np.uint16), random.integers(0, 9, 9_000)
    found = find([same, each, some.astype(np.uint16)], visits=1, seed=3)
    assert (found.sampled, found.complete) == (2_000, True)
    assert [(one.columns, one.unique) for one in found.sets] == [((1,), 1.0)]
    assert found.missed == pytest.approx(0.05 + np.sqrt(np.log(found.tried / 0.01) / 4_000))
    assert found == find([same, each, some.astype(np.uint16)], visits=1, seed=3)


def test_what_only_a_sample_makes_unique_is_not_told() -> None:
    """Pairs of records lose each other in a sample; over all records they are found to be two."""
    twice = np.repeat(np.arange(4_500, dtype=np.uint16), 2)
    found = find([twice], visits=1)
    assert (found.sampled, found.sets) == (2_000, ())


def test_many_columns_are_tried_one_by_one_and_then_greedily() -> None:
    """Where not all sets may be tried, one is built from the column that tells most apart."""
    grid = np.arange(64)
    bits = [(grid >> place & 3).astype(np.uint8) for place in (0, 2, 4)]
    found = find([*bits, np.zeros(64, np.uint8)], sets=4)
    assert not found.complete
    assert [one.columns for one in found.sets] == [(0, 1, 2)]
    assert not find([*bits, np.zeros(64, np.uint8)], sets=4, largest=2).sets
    assert find([*bits, np.zeros(64, np.uint8)], sets=10, largest=3).tried > 10
    every = find(columns_of([*range(8)], [*range(8)], [*range(8)]), sets=1)
    assert (every.found, every.complete) == (3, False)


# --- estimators: where they have no answer ----------------------------------------------------------------------------


@pytest.mark.parametrize("sizes", [[1, 1, 1], [5]])
def test_pitman_has_no_answer_without_variety(sizes: list[int]) -> None:
    """All unique, or all in one class: no parameters are likeliest."""
    found = pitman(Sample.of(np.array(sizes), 100))
    assert found.uniques is None
    assert "no maximum" in found.reason


def test_no_sample_unique_is_no_population_unique_to_zayatz() -> None:
    """Where nobody is alone in the sample, nobody of it is alone in the population."""
    assert zayatz(Sample.of(np.array([2, 3]), 50)) == Estimate("Zayatz", 0.0)


def test_equal_sizes_fit_no_slide_negative_binomial() -> None:
    """Classes that vary less than any of the model's have no answer, and the reason is told."""
    found = slide_negative_binomial(Sample.of(np.full(300, 40), 24_000))
    assert found.uniques is None
    assert "no solution" in found.reason


def test_no_more_are_unique_in_the_population_than_in_the_file() -> None:
    """However many an estimator finds in the population, those in the file are alone in it too."""
    found = estimated(np.array([5, 2, 5, 2]), 280)
    assert found.population is not None
    assert found.population > 1
    assert (found.sample, found.in_file) == (0, 0.0)


def test_the_rule_falls_back() -> None:
    """Without Pitman's answer the others are asked in small samples too; the smaller is believed."""
    none, many, few = Estimate("Pitman", None, "no"), Estimate("Zayatz", 9.0), Estimate("SNB", 4.0)
    assert trusted([none, many, few], 0.01) is few
    assert trusted([Estimate("Pitman", 1.0), many, few], 0.1).estimator == "Pitman"
    assert trusted([Estimate("Pitman", 1.0), many, few], 0.11) is few
    assert estimated(np.array([1, 1, 1]), 300).trusted in {"Zayatz", "SNB"}


def test_a_threshold_is_exact() -> None:
    """One in five is not over 0.2, however a float rounds it."""
    assert threshold_of(0.2) == Fraction(1, 5)
    five = assess(frame(city=["Bari"] * 5), ["city"], threshold=0.2)
    assert five.prosecutor.over == 0
    everybody = assess(frame(city=["Bari"] * 5), ["city"], population_size=5).journalist
    assert everybody is not None
    assert (everybody.exposure.highest, everybody.exposure.over) == (0.2, 0)
    ever_so_little = assess(frame(city=["Bari"] * 5), ["city"], threshold="1e-30")
    assert ever_so_little.prosecutor.over == 1
