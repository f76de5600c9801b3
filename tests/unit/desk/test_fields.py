"""Fields come from the form of a job, and changes of its text leave the rest as it was written."""

from __future__ import annotations

import tomllib

import pytest

from kohort.desk.fields import FORMS, fields_of, read
from kohort.job.edits import changed, with_roles, written
from kohort.models.base import models

TEXT = """\
# a job
[input]
path = "a.csv"

[privacy]
k = 5 # enough

[columns.age]
role = "quasi"
grid = 10 # tens

[columns."b c"]
role = "sensitive"
t = 0.2

[perturb.columns."b c"]
method = "rounding"
step = 5
"""


@pytest.mark.parametrize("table", FORMS)
def test_every_key_of_a_form_is_a_field(table: str) -> None:
    """With its sentence; only a role has a place of its own."""
    place = (table, "x") if table == "columns" else (table,)
    fields = fields_of({}, place)
    assert [one.key for one in fields] == [name for name in FORMS[table].names if name != "role"]
    assert all(one.help and not one.value for one in fields)


def test_every_model_says_what_it_does_not_promise() -> None:
    """As its specification does."""
    fields = {one.key: one for place in (("privacy",), ("columns", "x")) for one in fields_of({}, place)}
    for key, kind in models().items():
        told = kind.specification
        assert (fields[key].title, fields[key].beware) == (told.title, told.not_promised)
        assert fields[key].is_model


@pytest.mark.parametrize(
    ("place", "text", "value"),
    [
        (("privacy", "k"), "10", 10),
        (("privacy", "k"), "ten", "ten"),
        (("privacy", "max-suppression"), "5%", "5%"),
        (("privacy", "presence"), "0.1..0.9", ["0.1", "0.9"]),
        (("privacy", "presence"), "[0.1, 0.9]", [0.1, 0.9]),
        (("columns", "a", "recursive"), "1,3", {"c": "1", "l": "3"}),
        (("columns", "a", "recursive"), "{c = 1, l = 3}", {"c": 1, "l": 3}),
        (("columns", "a", "grid"), "5", 5),
        (("columns", "a", "hierarchy"), "intervals:5,10", "intervals:5,10"),
        (("columns", "a", "pseudonym"), "true", True),
        (("purpose", "purpose"), "7", "7"),
        (("purpose", "purpose"), '"quoted"\n[x]', '"quoted"\n[x]'),
        (("purpose", "purpose"), "1\nk = 2", "1\nk = 2"),
        (("person", "key"), "id", "id"),
        (("method", "node"), " ", None),
    ],
)
def test_a_text_is_read_as_a_job_file_has_it(place: tuple[str, ...], text: str, value: object) -> None:
    """As TOML where the form takes that, else as text; never as more than one key."""
    assert read(place, text) == value


def test_what_is_shown_is_read_as_it_was() -> None:
    """A field that nobody touches changes nothing."""
    raw = tomllib.loads('[columns.a]\nrole="sensitive"\nt=0.25\nrecursive={c=0.5,l=3}\n')
    for one in fields_of(raw, ("columns", "a")):
        assert written(read(one.place, one.value)) == one.value


def test_changes_leave_the_rest_alone() -> None:
    """Comments, order and spelling; a key that is taken out goes, and so does nothing else."""
    text = changed(TEXT, {("privacy", "k"): 7, ("columns", "age", "grid"): None, ("method", "name"): None})
    assert text == TEXT.replace("k = 5", "k = 7").replace("grid = 10 # tens\n", "")
    text = changed(TEXT, {("columns", "b c", "recursive"): {"c": 1, "l": 2}})
    assert tomllib.loads(text)["columns"]["b c"]["recursive"] == {"c": 1, "l": 2}


def test_a_new_role_takes_the_old_one_and_its_perturbation_away() -> None:
    """What belongs to the role goes with it; a column with the role already stays as it is written."""
    text = with_roles(TEXT, {"age": "quasi", "b c": "insensitive", "new": "drop"}, {"b c": {"scale": "numeric"}})
    raw = tomllib.loads(text)
    assert raw["columns"]["b c"] == {"role": "insensitive", "scale": "numeric"}
    assert raw["columns"]["new"] == {"role": "drop"}
    assert "perturb" not in raw
    assert "grid = 10 # tens" in text
    assert "perturb" in tomllib.loads(with_roles(TEXT, {"age": "drop"}, {}))


@pytest.mark.parametrize("text", ["9" * 5000, "[" * 5000, "{a=" * 5000])
def test_texts_without_end_stand_for_themselves(text: str) -> None:
    """Thousands of digits or brackets are a text like any other, which the form refuses."""
    assert read(("privacy", "k"), text) == text
