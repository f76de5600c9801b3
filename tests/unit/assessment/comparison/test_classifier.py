"""A classifier that learns from a release: what it may learn from, and how well it does."""

from __future__ import annotations

import sys
from random import Random

import numpy as np
import pytest

from kohort.assessment.comparison import lines_of
from kohort.assessment.comparison.classifier import (
    Examples,
    Prediction,
    answers_of,
    covered_places,
    left_of,
    prediction,
)
from kohort.errors import InputError, MissingExtraError, UsageError
from tests.unit.assessment.comparison.tables import REGIONS, line_of, quasi, schema_of, table

CITIES = ["Milano", "Torino", "Bari", "Lecce"]


def cells(records: int, seed: int = 1) -> dict[str, list[str]]:
    """Records whose illness follows from city and age."""
    random = Random(seed)  # noqa: S311  a test draws the same
    city = [random.choice(CITIES) for _ in range(records)]
    age = [str(random.randint(20, 59)) for _ in range(records)]
    ill = ["flu" if one in CITIES[:2] and int(other) < 40 else "none" for one, other in zip(city, age, strict=True)]
    return {"city": city, "age": age, "illness": ill}


def predicted(
    before: dict[str, list[str]], after: dict[str, list[str]], target: str = "illness", seed: int = 0
) -> Prediction:
    """The prediction of a column from city and age."""
    schema = schema_of(
        *(quasi(name, REGIONS if name == "city" else None) for name in ("city", "age") if name in before)
    )
    lines = {line.name: line for line in lines_of(table(before), table(after), schema=schema)}
    return prediction([line for line in lines.values() if line.known.domain is not None], lines[target], seed=seed)


def test_a_rule_is_learned_from_a_table_and_from_ranges_that_keep_it() -> None:
    """Regions and ages below 40 are all that the rule needs; a release that hides both is no better than a guess."""
    before = cells(600)
    kept = before | {
        "city": ["Nord" if one in CITIES[:2] else "Sud" for one in before["city"]],
        "age": ["[20-39]" if int(one) < 40 else "[40-59]" for one in before["age"]],
    }
    found = predicted(before, kept)
    assert found.original > 0.97
    assert found.released > 0.97
    assert found.baseline < 0.85
    assert (found.target, found.features, found.classes, found.split) == ("illness", ("city", "age"), 2, None)
    assert (found.judged, found.learned, found.withheld) == (200, (400, 400), 200)
    hidden = predicted(before, before | {"city": ["*"] * 600, "age": ["*"] * 600})
    assert hidden.released == hidden.baseline
    assert hidden.original == found.original
    assert predicted(before, kept) == found


def test_nothing_is_learned_from_who_judges() -> None:
    """Each person has a random illness, which nobody can predict who has not seen them: a leak would be 100 % right."""
    random = Random(5)  # noqa: S311  a test draws the same
    before = {"age": [str(at) for at in range(900)], "illness": [random.choice("ab") for _ in range(900)]}
    found = predicted(before, before)
    assert found.withheld == found.judged == 300
    assert found.learned == (600, 600)
    assert found.released < 0.6
    assert found.original < 0.6


def test_what_the_held_out_left_is_taken_out() -> None:
    """One record of a class that covers each, with its answer, and no more; suppressed people left nothing."""
    before = {"age": ["20", "21", "30", "30", "50", ""], "illness": [*"abaaab"]}
    after = {"age": ["[20-29]", "[20-29]", "30", "30", ""], "illness": [*"abaab"]}
    lines = lines_of(table(before), table(after), schema=schema_of(quasi("age")))
    old, new = (
        Examples.of([lines[0].sides[at]], lines[1].sides[at], lines[1].sides[at].means.low.astype(np.int64))
        for at in (0, 1)
    )
    left = left_of(lines[:1], old, new, np.array([0, 2, 4, 5]))
    assert [(after["age"][at], after["illness"][at]) for at in left.tolist()] == [("30", "a"), ("[20-29]", "b")]
    assert left_of(lines[:1], old, new, np.array([], np.int64)).size == 5


def test_a_person_leaves_one_record() -> None:
    """Where several classes cover somebody, one record is taken out of one of them."""
    before = {"age": ["20", "25"], "illness": [*"ab"]}
    after = {"age": ["[20-29]", "[20-39]"], "illness": [*"aa"]}
    lines = lines_of(table(before), table(after), schema=schema_of(quasi("age")))
    old, new = (
        Examples.of([lines[0].sides[at]], lines[1].sides[at], lines[1].sides[at].means.low.astype(np.int64))
        for at in (0, 1)
    )
    assert left_of(lines[:1], old, new, np.array([0])).size == 1


def test_the_median_itself_is_not_above_it() -> None:
    """Of an odd number of incomes the one in the middle belongs to the lower half."""
    after = table({"x": ["30", "31"]})
    [line] = lines_of(table({"x": [str(at) for at in range(61)]}), after)
    (old, new), split = answers_of(line)
    assert (int(old.sum()), new[after["x"].codes].tolist(), split) == (30, [0, 1], 30)


def test_covered_values_are_found_by_their_places() -> None:
    """Each label with the values before that it covers; what is missing is covered by what may be missing."""
    line = line_of(["1", "2", "3", ""], ["[1-2]", "*", ""], quasi("x"))
    found = {
        text: sorted(line.before.texts[int(at)] for at in places)
        for text, places in zip(line.after.texts, covered_places(line), strict=True)
    }
    assert found == {"[1-2]": ["1", "2"], "*": ["", "1", "2", "3"], "": [""]}


def test_a_number_of_many_values_is_split_at_its_median() -> None:
    """Above the median of the table or not; of few values each is a class, new ones of a perturbation too."""
    before = cells(300) | {"income": [str(int(age) * 100 + at % 7) for at, age in enumerate(cells(300)["age"])]}
    found = predicted(before, before, "income")
    assert found.classes == 2
    assert found.split == sorted(map(int, before["income"]))[149]
    assert found.original > 0.9
    few = before | {"income": [str(int(age) // 20) for age in before["age"]]}
    assert (predicted(few, few, "income").classes, predicted(few, few, "income").split) == (2, None)
    noisy = few | {"income": ["3", *few["income"][1:]]}
    assert predicted(few, noisy, "income").classes == 3


def test_records_without_an_answer_are_left_out() -> None:
    """Nobody learns from, or is judged by, a missing target; a missing number is the mean."""
    before = cells(90)
    before["illness"][:30] = [""] * 30
    before["age"][40:50] = [""] * 10
    numeric = {"age": before["age"], "illness": ["" if not one else str(len(one)) for one in before["illness"]]}
    found = predicted(numeric, numeric)
    assert (found.judged, found.learned) == (20, (40, 40))


@pytest.mark.parametrize(
    ("target", "after", "seed", "words"),
    [
        ("city", {}, 0, "the target is a quasi-identifier"),
        ("illness", {"illness": ["*"] * 30}, 0, "the target was generalized"),
        ("illness", {}, -1, "a seed is a whole number"),
        ("illness", {}, 1 << 32, "a seed is a whole number"),
    ],
)
def test_what_cannot_be_predicted_is_refused(target: str, after: dict[str, list[str]], seed: int, words: str) -> None:
    """Targets that are features or generalized, and seeds that are none."""
    with pytest.raises(UsageError, match=words):
        predicted(cells(30), cells(30) | after, target, seed)


def test_too_little_to_learn_from_is_refused() -> None:
    """Two records, or one answer, teach nobody."""
    with pytest.raises(InputError, match="too few records"):
        predicted(cells(2), cells(2))
    same = cells(30) | {"illness": ["flu"] * 30}
    with pytest.raises(InputError, match="too few records"):
        predicted(same, same)
    with pytest.raises(UsageError, match="there is no quasi-identifier"):
        prediction([], line_of(["a"], ["a"]))


def test_the_library_may_not_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without scikit-learn the message says what to install."""
    monkeypatch.setitem(sys.modules, "sklearn.ensemble", None)
    with pytest.raises(MissingExtraError, match=r"kohort\[learn\]"):
        predicted(cells(30), cells(30))
