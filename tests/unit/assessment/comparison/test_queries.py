"""A random workload of counts, answered by hand and record by record."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from kohort.assessment.comparison import lines_of, queries
from kohort.assessment.comparison.queries import Workload, workload
from kohort.errors import UsageError
from tests.unit.assessment.comparison.tables import REGIONS, quasi, schema_of, table

CITIES = ["Milano", "Torino", "Bari", "Lecce"]


def asked(before: dict[str, list[str]], after: dict[str, list[str]], number: int = 50, seed: int = 0) -> Workload:
    """The workload over all columns, `city` with its regions."""
    schema = schema_of(*(quasi(name, REGIONS if name == "city" else None) for name in before))
    return workload(lines_of(table(before), table(after), schema=schema), number, seed=seed)


def test_the_table_itself_answers_without_error() -> None:
    """Nothing was generalized: every count is right."""
    cells = {"city": CITIES * 5, "age": [str(20 + at) for at in range(20)]}
    found = asked(cells, cells)
    assert (found.median, found.mean, found.percentile_90) == (0, 0, 0)
    assert (found.columns, found.queries, found.seed, found.bound) == (("city", "age"), 50, 0, 1)


def test_a_query_of_a_name_is_answered_in_parts() -> None:
    """Three of four Milano became Nord, of which half is Milano: 2 are expected of 3 or of 1, whichever is asked."""
    found = asked({"city": ["Milano", "Milano", "Milano", "Torino"]}, {"city": ["Nord"] * 4}, 400)
    assert found.percentile_90 == 1  # |2 - 1| / 1, of who asks for Torino
    assert found.median == pytest.approx(1 / 3)
    share = (found.mean - 1 / 3) / (1 - 1 / 3)
    assert share == pytest.approx(0.25, abs=0.07)  # a record is drawn, so that Torino is asked for by one in four


def test_suppressed_records_are_missing_from_the_answers() -> None:
    """Nothing is scaled up: half the records gone is an error of a half."""
    found = asked({"age": ["30"] * 8}, {"age": ["30"] * 4})
    assert (found.median, found.mean, found.percentile_90) == (0.5, 0.5, 0.5)
    assert asked({"age": ["30"] * 8}, {"age": []}).mean == 1


def test_an_error_refers_to_a_share_of_the_records() -> None:
    """Each of 3,000 names is of one record, and all are gone: an error of a third, for 3 is the least referred to."""
    found = asked({"name": [f"name {at}" for at in range(3_000)]}, {"name": []}, 10)
    assert found.bound == 3
    assert found.mean == pytest.approx(1 / 3)


def test_the_least_that_an_error_refers_to_is_rounded_up() -> None:
    """A thousandth of 1,001 records is two of them."""
    assert [asked({"age": ["30"] * many}, {"age": ["30"]}, 1).bound for many in (1, 1_000, 1_001)] == [1, 1, 2]


def test_several_ranges_hold_a_tenth_together() -> None:
    """The range of one of m columns holds a share 0.1^(1/m), so that all m hold a tenth if they are independent."""
    ages = [str(number) for number in range(1_000)]
    lines = lines_of(
        table({"a": ages, "b": ages}), table({"a": ages, "b": ages}), schema=schema_of(quasi("a"), quasi("b"))
    )
    before, random = queries.Tuples.of([line.before for line in lines]), Random(3)  # noqa: S311  likewise
    scales = [queries.Ranges.of(line, codes) for line, codes in zip(lines, before.codes, strict=True)]
    widths: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(100):
        asked_ = queries.draw(random, before, scales)
        widths[len(asked_)] += [one.high - one.low + 1 for one in asked_]
    assert np.mean(widths[1]) == pytest.approx(100, abs=3)
    assert np.mean(widths[2]) == pytest.approx(1_000 * 0.1**0.5, abs=3)


def test_ranges_hold_their_share_around_a_record() -> None:
    """A range of one column holds about a tenth of the records, with a number of some record in it."""
    ages = [str(number) for number in range(200)]
    [line] = lines_of(table({"age": ages}), table({"age": ages}), schema=schema_of(quasi("age")))
    scale, random = queries.Ranges.of(line, line.before.codes.astype(np.int64)), Random(3)  # noqa: S311  a test draws the same
    for place in (0.0, 1.0, 77.0, 199.0):
        for _ in range(20):
            low, high = scale.around(place, 0.1, random)
            assert 0 <= low <= place <= high <= 199
            assert 20 <= high - low + 1 <= 21


def test_missing_numbers_are_asked_for_too() -> None:
    """A record without a number asks for those without one."""
    cells = {"age": ["", "", "30", "40"]}
    assert asked(cells, cells).mean == 0
    assert asked(cells, {"age": ["30", "40"]}, 100).percentile_90 == 1


def test_workloads_are_repeated_by_their_seed() -> None:
    """The same seed asks the same; another one others."""
    before = {"city": CITIES * 9, "age": [str(at) for at in range(36)]}
    after = {"city": ["Nord", "Nord", "Sud", "Sud"] * 9, "age": ["[0-17]"] * 18 + ["[18-35]"] * 18}
    assert asked(before, after, seed=1) == asked(before, after, seed=1)
    assert asked(before, after, seed=1).mean != asked(before, after, seed=2).mean


def test_every_answer_is_that_of_the_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """For each drawn query: the true count by looking at each record, the expected one by each label's values."""
    before = {"city": CITIES * 6, "age": [str(20 + at % 7) for at in range(24)]}
    after = {"city": ["Nord", "Milano", "Sud", "*"] * 5, "age": ["[20-22]", "[23-26]", "25", "[20-26]"] * 5}
    meant = {"Nord": CITIES[:2], "Milano": CITIES[:1], "Sud": CITIES[2:], "*": CITIES}
    ranges = {"[20-22]": range(20, 23), "[23-26]": range(23, 27), "25": range(25, 26), "[20-26]": range(20, 27)}
    drawn: list[list[queries.Predicate]] = []
    draw = queries.draw

    def noted(*arguments: object) -> list[queries.Predicate]:
        drawn.append(draw(*arguments))  # type: ignore[arg-type]
        return drawn[-1]

    monkeypatch.setattr(queries, "draw", noted)
    found = asked(before, after, 60)
    errors: list[float] = []
    for query in drawn:
        true = expected = 0.0
        for city, age in zip(before["city"], before["age"], strict=True):
            places = (CITIES.index(city), int(age))
            true += all(one.low <= places[one.column] <= one.high for one in query)
        for city, age in zip(after["city"], after["age"], strict=True):
            held = ([CITIES.index(name) for name in meant[city]], ranges[age])
            parts = [
                sum(one.low <= place <= one.high for place in held[one.column]) / len(held[one.column]) for one in query
            ]
            expected += float(np.prod(parts))
        assert true >= 1
        errors.append(abs(expected - true) / true)
    assert found.mean == pytest.approx(np.mean(errors))
    assert found.median == pytest.approx(np.median(errors))
    assert found.percentile_90 == pytest.approx(np.quantile(errors, 0.9))


@pytest.mark.parametrize(
    ("number", "seed", "words"),
    [(0, 0, "number of queries"), (True, 0, "number of queries"), (5, -1, "a seed"), (5, 1.5, "a seed")],
)
def test_what_cannot_be_asked_is_refused(number: int, seed: int, words: str) -> None:
    """Whole numbers of queries and seeds."""
    with pytest.raises(UsageError, match=words):
        asked({"age": ["1"]}, {"age": ["1"]}, number, seed)


def test_no_quasi_identifier_no_query() -> None:
    """There is nothing to ask for."""
    with pytest.raises(UsageError, match="no quasi-identifying column is known"):
        workload([])


def test_tuples_of_very_many_values_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the numbers of columns do not fit in one, the tuples found so far are numbered anew."""
    cells = {"city": CITIES * 3, "age": [str(at) for at in range(12)], "year": [str(at % 5) for at in range(12)]}
    after = dict(cells, age=["[0-11]"] * 12)
    whole = asked(cells, after)
    monkeypatch.setattr("kohort.assessment.comparison.line._LARGEST", 20)
    assert asked(cells, after) == whole
