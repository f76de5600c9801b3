"""What one button does at the desk: roles of many columns, a protection with its cost, a way out of a refusal."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from kohort.desk.answers import Fault, faults_in
from kohort.desk.columns import View, chosen_in
from kohort.desk.pages import fixes_of
from kohort.desk.protection import PRESETS, in_words
from kohort.errors import SchemaError
from tests.unit.desk.visitor import press, told

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.unit.desk.visitor import Visitor


def test_several_columns_get_a_role_at_once(visitor: Visitor) -> None:
    """The ticked ones, or all others that are shown; those that a search hides stay."""
    visitor.post("/columns", {"set": "true", "which": "ticked", "to": "drop", "tick-3": "true", "tick-4": "true"})
    columns = visitor.desk.raw["columns"]
    assert [columns[name]["role"] for name in ("gender", "city", "age")] == ["drop", "drop", "quasi"]
    visitor.post("/columns", {"q": "a", "set": "true", "which": "others", "to": "drop", "tick-8": "true"})
    columns = visitor.desk.raw["columns"]
    assert {name for name, one in columns.items() if one["role"] != "drop"} == {"person_id", "annual_income"}
    assert columns["annual_income"]["role"] == "sensitive"


def test_undecided_columns_get_a_role_at_once() -> None:
    """Those without one in the form; a block counts as all its columns."""
    form = {
        "role-0": "quasi",
        "role-1": "drop",
        "block-1": "1,2",
        "set": "true",
        "which": "undecided",
        "to": "sensitive",
    }
    assert chosen_in(form, 5, [0, 1, 2, 3]) == {0: "quasi", 1: "drop", 2: "drop", 3: "sensitive"}
    assert chosen_in({**form, "to": "nonsense"}, 5, [0]) == {0: "quasi", 1: "drop", 2: "drop"}


@pytest.mark.parametrize(
    ("said", "address"),
    [
        ({}, "/columns"),
        ({"q": " a&b ", "of": "undecided", "sort": "name"}, "/columns?q=a%26b&of=undecided&sort=name"),
        ({"of": "nonsense", "sort": "up", "unfold": "x"}, "/columns"),
        ({"unfold": "7"}, "/columns?unfold=7"),
    ],
)
def test_a_view_of_columns_is_an_address(said: dict[str, str], address: str) -> None:
    """What is not known shows everything."""
    assert View.of(said).address() == address


@pytest.mark.parametrize("order", ["name", "type", "values", "role", ""])
def test_columns_are_sorted_and_found(visitor: Visitor, order: str) -> None:
    """Every order has the same columns; a search has some."""
    names = re.findall('data-column="(.*?)"', visitor.get(f"/columns?sort={order}").text)
    assert len({*names}) == 9
    found = re.findall('data-column="(.*?)"', visitor.get(f"/columns?sort={order}&q=NAME").text)
    assert {*found} == {"first_name", "last_name"}
    assert "No column has that name and role" in told(visitor.get("/columns?q=nothing"))


def test_a_block_of_columns_is_a_row(tmp_path: Path, visit: Callable[..., Visitor]) -> None:
    """It has one role for all; unfolded, each of its columns has a row."""
    rows = [["age", *(f"view{n}" for n in range(1, 8))]]
    rows += [[str(18 + n % 50), *(str(n**at % 7) for at in range(1, 8))] for n in range(60)]
    (tmp_path / "in.csv").write_text("\n".join(map(",".join, rows)) + "\n", encoding="utf-8")
    names = "".join(f'{name}.role = "quasi"\n' for name in rows[0])
    (tmp_path / "job.toml").write_text(f'input.path = "in.csv"\nprivacy.k = 5\n[columns]\n{names}', encoding="utf-8")
    visitor = visit(tmp_path / "job.toml")
    page = visitor.get("/columns")
    assert re.findall('data-column="(.*?)"', page.text) == ["age", "view1 … view7"]
    assert "7 columns" in told(page)
    visitor.post("/columns", {"role-1": "insensitive", "block-1": "1,2,3,4,5,6,7"})
    assert {visitor.desk.raw["columns"][name]["role"] for name in rows[0][1:]} == {"insensitive"}
    assert len(re.findall("data-column=", visitor.get("/columns?unfold=1").text)) == 8


def test_unique_people_are_counted_for_a_choice(visitor: Visitor) -> None:
    """By the columns at some places, as a sentence; without one nobody is protected."""
    assert "of the people are unique on this column" in visitor.get("/unique?place=3").json()["text"]
    assert "smallest" not in visitor.get("/unique?place=0").json()["text"]
    two, one = (visitor.get(f"/unique?{query}").json()["text"] for query in ("place=4&place=5", "place=4"))
    assert float(two.partition("%")[0]) > float(one.partition("%")[0])
    assert "No column is grouped" in visitor.get("/unique").json()["text"]
    assert "of the people are unique on these 4 columns" in told(visitor.get("/columns"))


def test_the_smallest_group_of_a_release_is_told(visit: Callable[[Path], Visitor], tmp_path: Path) -> None:
    """By the columns that were grouped a release has the k that it was made with."""
    (tmp_path / "received.csv").write_text("age\n" + "30\n" * 5 + "40\n" * 7, encoding="utf-8")
    job = 'input.path = "received.csv"\noutput.path = "out.csv"\nprivacy.k = 5\ncolumns.age.role = "quasi"\n'
    (tmp_path / "job.toml").write_text(job, encoding="utf-8")
    received = visit(tmp_path / "job.toml")
    assert received.get("/unique?place=0").json()["text"].endswith("(0 of 12). The smallest group has 5.")


def test_a_preset_sets_k_and_the_models(visitor: Visitor) -> None:
    """Each with what it costs; one that the job has is pressed."""
    page = visitor.get("/protection")
    assert len(re.findall("aria-pressed", page.text)) > len(PRESETS)
    for title, _, k, _ in PRESETS:
        page = press(visitor, page, title)
        assert visitor.desk.raw["privacy"]["k"] == k
        assert re.search(f'aria-pressed="true"><strong>{title}', page.text)
        assert visitor.desk.faults() == ()
    assert visitor.desk.raw["columns"]["annual_income"]["t"] == 0.2
    page = press(visitor, page, "k = 3")
    assert visitor.desk.raw["privacy"]["k"] == 3
    press(visitor, page, "l = 2 for annual_income")
    assert "t" not in visitor.desk.raw["columns"]["annual_income"]
    assert visitor.desk.raw["columns"]["annual_income"]["l"] == 2
    before = visitor.desk.text
    for wrong in ("", "x", "3", '["x"]', '["x", [[[], 1]]]', '["x", [[["privacy", "k", "l"], 1]]]', "[" * 9_999):
        assert visitor.post("/change", change=wrong).status_code == 422
    assert visitor.desk.text == before


def test_choices_show_what_they_cost(visitor: Visitor) -> None:
    """Once it is known; greater k lose more."""
    page = visitor.get("/protection")
    while "data-late" in page.text:
        page = visitor.get("/protection")
    losses = [float(one) for one in re.findall(r"≈ ([\d.]+)% lost", told(page))]
    assert losses[3:9] == sorted(losses[3:9])


def test_the_bar_has_the_figures_of_each_version(visitor: Visitor) -> None:
    """Estimated until a preview has measured them; kept for a version that one goes back to."""
    visitor.get("/preview")
    visitor.post("/protection", k="20")
    page = visitor.get("/preview")
    shown = told(page)
    assert "5.0%" in shown
    assert "less than the version before" in shown
    assert "more than the version before" in shown
    assert page.text.count('aria-label="Version ') == 2
    assert "k = 20" in page.text
    visitor.post("/history", to="0")
    assert "data-late" not in visitor.client.get("/history").text
    assert visitor.client.get("/preview").status_code == 200


def test_a_refusal_has_buttons_for_each_column(visitor: Visitor) -> None:
    """Each takes the column out, groups it, or accepts it by name; no flag and no line is told."""
    visitor.post("/job", text=visitor.desk.text.replace(", allow-singling = true", ""))
    visitor.post("/columns", {"role-0": "insensitive"})
    page = visitor.get("/preview")
    shown = told(page)
    assert page.status_code == 422
    assert "person_id" in shown
    assert "--" not in shown
    assert ", line" not in shown
    assert "Release it anyway" in shown
    press(visitor, page, "Release it anyway: person_id")
    assert visitor.desk.raw["columns"]["person_id"]["allow-singling"] is True
    press(visitor, page, "Drop it: person_id")
    assert visitor.desk.raw["columns"]["person_id"]["role"] == "drop"


def test_buttons_go_with_what_is_wrong() -> None:
    """An undecided column gets a role, one that singles out is dropped, grouped, rounded or accepted."""
    raw = {"columns": {"a": {"role": "undecided"}, "b": {"role": "insensitive"}, "c": {"role": "quasi"}}}
    decide = dict(fixes_of(Fault("it is undecided", "column a", "", ("a",)), raw))
    assert [*decide["a"]] == ["Group it", "Protect it as sensitive", "Release it unchanged", "Drop it"]
    error = SchemaError("unique", where="column b", unsafe=("b",), flag=("--perturb", "b=rounding:step=5,top=9.5"))
    (fault,) = faults_in(error)
    of_b, place = dict(fixes_of(fault, raw))["b"], ("perturb", "columns", "b")
    assert [*of_b] == ["Round it", "Group it", "Drop it", "Release it anyway"]
    assert of_b["Round it"] == {(*place, "method"): "rounding", (*place, "step"): 5, (*place, "top"): 9.5}
    (fault,) = faults_in(SchemaError("listed", unsafe=("c",), flag=("--hierarchy", "c=mask:right")))
    of_c = dict(fixes_of(fault, raw))["c"]
    assert [*of_c] == ["Group it by its first characters", "Drop it", "Release it anyway"]
    (fault,) = faults_in(SchemaError("several", unsafe=("b",), flag=("--person", "b")))
    assert dict(fixes_of(fault, raw))["b"]["Count people by it"] == {("person", "key"): "b"}


def test_whose_a_record_is_has_buttons(tmp_path: Path, visit: Callable[..., Visitor]) -> None:
    """One for each column that may say it, and one for none."""
    rows = "".join(f"{at},{1 + at // 3},Via Roma {1 + at // 3},{20 + at % 5}\n" for at in range(60))
    (tmp_path / "a.csv").write_text(f"person_id,household,address,age\n{rows}", encoding="utf-8")
    visitor = visit(tmp_path / "a.job.toml", "a.csv")
    page = visitor.get("/preview")
    assert told(page).count("Count people by it") == 2
    press(visitor, page, "Count people by it: household")
    assert visitor.desk.raw["person"] == {"key": "household"}
    press(visitor, page, "Each record is a person")
    assert "person" not in visitor.desk.raw
    assert visitor.desk.faults() == ()


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"role": "quasi", "grid": "month"}, "cut points by month"),
        ({"hierarchy": "intervals:5,10"}, "ranges of 5, 10"),
        ({"hierarchy": "city.json:from-data"}, "groups of the file city.json"),
        ({"no-model": True}, "no limit on what a group reveals"),
        ({"pseudonym": True}, "replaced by pseudonyms"),
        ({"max-level": 2}, "max level: 2"),
    ],
)
def test_a_column_is_described_in_words(said: dict[str, object], words: str) -> None:
    """Without keys and signs of a job file."""
    assert in_words(said) == words
