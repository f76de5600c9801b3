"""Steps: single changes of a job, what each of them says, and what is never offered."""

from __future__ import annotations

from typing import Any

import pytest

from kohort.job.steps import KS, Step, changed, steps_of
from kohort.transactions.advice import transaction_steps_of
from tests.job_sides import table_request as parse
from tests.job_sides import transaction_request as parse_transactions

COLUMNS = """
input.path = "in.csv"
output.path = "out.csv"
[columns]
age = { role = "quasi", grid = 10 }
weight = { role = "quasi", grid = 0.5 }
city = { role = "quasi", hierarchy = "groups:2,4" }
sex = { role = "quasi", hierarchy = "suppress" }
"""


def steps(more: str, losses: dict[str, float] | None = None) -> dict[str, Step]:
    """The steps from a job, by their words; each column loses half unless it is said."""
    job = parse(COLUMNS + more).job
    told = dict.fromkeys([one.name for one in job.schema.quasi], 0.5) if losses is None else losses
    return {one.words: one for one in steps_of(job, told)}


@pytest.mark.parametrize(
    ("k", "less", "more"), [(2, None, 3), (3, None, 5), (4, 3, 5), (10, 5, 20), (11, 10, 20), (1_000, 500, None)]
)
def test_k_goes_one_notch(k: int, less: int | None, more: int | None) -> None:
    """Down, which says that fewer hide a person, and up, which costs something and weakens nothing."""
    found = {words: one for words, one in steps(f"[privacy]\nk = {k}").items() if words.startswith("k = ")}
    assert [*found] == [f"k = {one}" for one in (less, more) if one is not None]
    for one in found.values():
        (value,) = one.changes.values()
        assert value in KS
        assert one.dearer is (value == more)
        assert bool(one.weakens) is (value == less)


def test_without_k_anonymity_k_is_no_step() -> None:
    """A job that asks for another model of whole classes gets no k."""
    assert not [words for words in steps("[privacy]\nmax-risk = 0.2") if words.startswith("k = ")]


@pytest.mark.parametrize(
    ("model", "offered"),
    [("l = 2", True), ("t = 0.3", False), ("beta = 1", False), ("enhanced-beta = 1", False), ("entropy-l = 2", True)],
)
def test_ordered_is_offered_beside_neither_t_nor_beta(model: str, offered: bool) -> None:  # noqa: FBT001  a case
    """It takes a hundred times as long there, and keeps no more."""
    found = steps(f"ill = {{ role = 'sensitive', {model} }}\n[privacy]\nk = 5")
    assert any("ordered" in words for words in found) is offered


@pytest.mark.parametrize(
    ("model", "keys"),
    [
        ("t = 0.2, distance = 'equal'", [{"t": 0.3}, {"t": None, "distance": None, "l": 2}]),
        ("t = 0.5", [{"t": None, "distance": None, "l": 2}]),
        ("enhanced-beta = 1", [{"enhanced-beta": None, "l": 2}]),
        ("recursive = { c = 2, l = 2 }", [{"recursive": None, "l": 2}]),
        ("l = 3", [{"l": 2}]),
        ("l = 2", []),
        ("no-model = true", []),
    ],
)
def test_a_model_is_exchanged_with_all_that_it_was_told(model: str, keys: list[dict[str, object]]) -> None:
    """The next weaker t, or two different values, says that more may be learned; two values are the least."""
    found = steps(f"ill = {{ role = 'sensitive', {model} }}\n[privacy]\nk = 5")
    told = [one for one in found.values() if any(place[:2] == ("columns", "ill") for place in one.changes)]
    assert [{place[-1]: value for place, value in one.changes.items()} for one in told] == keys
    assert all(one.weakens == "a class may reveal more of ill" for one in told)


def test_all_models_are_exchanged_at_once() -> None:
    """Since prices do not add up."""
    found = steps("a = { role = 'sensitive', t = 0.2 }\nb = { role = 'sensitive', t = 0.2 }\n[privacy]\nk = 5")
    both = found["distinct 2-diversity instead of stricter models, for 2 sensitive columns"]
    assert {place for place, value in both.changes.items() if value == 2} == {
        ("columns", "a", "l"),
        ("columns", "b", "l"),
    }
    assert both.weakens == "a class may reveal more of a, b"
    assert any(words.startswith("t = 0.3 instead of stricter models") for words in found)


def test_names_become_sets_and_say_what_that_shows() -> None:
    """All columns at once, and each; not where the method needs hierarchies, and not numbers."""
    found = {words: one for words, one in steps("[privacy]\nk = 5").items() if words.startswith("sets of names")}
    assert [len(one.changes) for one in found.values()] == [2, 1, 1]
    assert all("one person" in one.weakens for one in found.values())
    nodes = COLUMNS.replace("grid = 10", "hierarchy = 'intervals:5'").replace("grid = 0.5", "hierarchy = 'suppress'")
    job = parse(nodes + "[privacy]\nk = 5\n[method]\nname = 'samarati'").job
    words = [one.words for one in steps_of(job, {})]
    assert not any(one.startswith("sets of names") for one in words)
    assert "mondrian with cuts by loss instead of samarati" in words
    assert {"up to 1 % suppressed", "up to 5 % suppressed"} <= {*words}


def test_what_seldom_pays_is_doubtful() -> None:
    """A column out, a column that counts more and finer cuts are told only where measured; whole numbers stay whole."""
    found = steps("[privacy]\nk = 5")
    doubtful = [words for words, one in found.items() if one.doubtful]
    assert "age not released" in doubtful
    assert "weight 4 for age" in doubtful
    assert "cut points of age every 5 instead of 10" in doubtful
    assert not any("2.5" in words or "0.25" in words for words in found)
    assert [one.words for one in steps_of(parse(COLUMNS + "[privacy]\nk = 5").job, {}) if not one.doubtful]


def test_columns_that_lose_nothing_are_left_alone() -> None:
    """No step touches a column that keeps all."""
    found = steps("[privacy]\nk = 5", {"age": 0.0, "weight": 0.0, "city": 0.0, "sex": 0.0})
    assert not any(place[0] == "columns" for one in found.values() for place in one.changes)


@pytest.mark.parametrize("said", [{"role": "quasi", "grid": 5, "weight": 2}, {"role": "quasi"}, {}])
def test_a_column_that_is_dropped_loses_what_was_said_of_it(said: dict[str, Any]) -> None:
    """The job then says of it that it is dropped, and the tables that it was made from are as they were."""
    before: dict[str, object] = {"columns": {"age": dict(said)}}
    after = changed(before, {("columns", "age", "role"): "drop"})
    assert after == {"columns": {"age": {"role": "drop"}}}
    assert before == {"columns": {"age": said}}


BASKETS = """
transactions.format = "basket"
input.path = "in.dat"
output.path = "out.dat"
items.no-private = true
"""


@pytest.mark.parametrize(
    ("privacy", "words"),
    [
        ("h = 0.4, k = 10, p = 2", ["p = 1", "k = 5", "h = 0.6", "single cells suppressed instead of items"]),
        ("h = 0.8, k = 3, p = 1", ["single cells suppressed instead of items"]),
        ("h = 0.1, k = 4, p = 4", ["p = 3", "k = 3", "h = 0.2", "single cells suppressed instead of items"]),
    ],
)
def test_transactions_have_p_first(privacy: str, words: list[str]) -> None:
    """Then k, h and single cells; each says what it weakens."""
    found = [*transaction_steps_of(parse_transactions(f"{BASKETS}privacy = {{ {privacy} }}").job)]
    assert [one.words for one in found] == words
    assert all(one.weakens for one in found)


def test_cells_are_no_step_from_cells() -> None:
    """Nothing else is left to suppress."""
    text = f"{BASKETS}privacy = {{ h = 0.8, k = 3, p = 1 }}\nmethod.suppress = 'cells'"
    assert not [*transaction_steps_of(parse_transactions(text).job)]
