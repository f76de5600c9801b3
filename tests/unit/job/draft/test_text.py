"""The text of a draft: whatever the columns are called, it is a job, and it says what was guessed."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.assessment.inspection.guesses import Guess
from kohort.core.uniques import Singling
from kohort.errors import JobError
from kohort.job.draft import Draft, job_text
from kohort.job.draft.protection import METHODS, Profile, Protection
from kohort.job.draft.shapes import Shape
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.t_closeness import TCloseness
from kohort.schema import Role, Scale
from kohort.schema.dates import DateFormat, Period
from tests.job_sides import table_request as parse

if TYPE_CHECKING:
    from kohort.assessment.inspection.guesses import ScaleName
    from kohort.models.base import PrivacyModel
    from kohort.schema.vocabulary.topics import RoleName

NASTY = [
    "net.income",
    'the "age"',
    "it's",
    "[zip]",
    "a=b",
    "città",
    "#",
    "a\\b",
    " ",
    "columns",
    "税",
    "role",
    "\x7f",
    "'\"",
]


def guess(name: str, role: RoleName = "quasi", *, hierarchy: str | None = None, grid: str | None = None) -> Guess:
    """A guess over a categorical column, or a numeric one where there is a grid."""
    scale: ScaleName = "numeric" if grid else "categorical"
    return Guess(name, role, scale, ("its name says so", "it has few values"), 5, 0, 0.1, 0.5, hierarchy, grid)


def text_of(*guesses: Guess, k: int = 3, source: str = "people.csv", **reading: object) -> str:
    """The text of a draft without shapes or models."""
    return job_text(Draft(guesses, k), source, reading=reading)


def test_nasty_answers_are_listed() -> None:
    """As they are called, and no comment ends within a name."""
    names = ("a\nk = 1", *NASTY)
    told = tuple(Singling(some, 1, 7) for some in (names[:3], names[:5], names))
    draft = Draft(tuple(map(guess, names)), 3, answers=names, singling=told)
    said = tomllib.loads(job_text(draft, "people.csv", reading={}))
    assert said["answers"] == [*names]
    assert said["privacy"] == {"k": 3}


def test_nasty_names_make_valid_toml() -> None:
    """Dots, quotes, brackets, strokes and letters of any script stay what they are."""
    text = text_of(*map(guess, NASTY))
    assert list(tomllib.loads(text)["columns"]) == NASTY
    assert [attribute.name for attribute in parse(text).job.schema.attributes] == NASTY


@given(st.lists(st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1), min_size=1, unique=True))
def test_any_names_make_valid_toml(names: list[str]) -> None:
    """No name of a column can break out of its place."""
    assert list(tomllib.loads(text_of(*map(guess, names)))["columns"]) == names


def test_the_draft_says_what_was_guessed() -> None:
    """Roles and scales are keys, reasons are comments, and the release has a name of its own."""
    guesses = [guess("city"), guess("name", "identifying"), guess("pay", "sensitive", grid="100")]
    text = text_of(*guesses, k=7, source="data/people.csv.gz", separator=";", encoding=None)
    raw: dict[str, Any] = tomllib.loads(text)
    assert raw["input"] == {"path": "data/people.csv.gz", "separator": ";"}
    assert raw["output"] == {"path": "people.release.csv"}
    assert raw["privacy"] == {"k": 7}
    assert raw["columns"] == {
        "city": {"role": "quasi", "scale": "categorical"},
        "name": {"role": "identifying", "scale": "categorical"},
        "pay": {"role": "sensitive"},
    }
    assert "# its name says so\n# it has few values\n" in text
    schema = parse(text).job.schema
    assert [attribute.role for attribute in schema.attributes[1:]] == [Role.IDENTIFYING, Role.SENSITIVE]
    assert schema.attributes[0].scale is Scale.CATEGORICAL


def test_shapes_are_keys_with_their_reasons() -> None:
    """A grid is a number, a hierarchy a text, and the reason stands behind each."""
    shapes = {"age": Shape(None, "0.05", "round"), "zip": Shape("mask:right", None, "prefixes")}
    draft = Draft((guess("age", grid="0.05"), guess("zip")), 3, shapes)
    text = job_text(draft, "-", reading={})
    assert "grid = 0.05 # round\n" in text
    assert 'hierarchy = "mask:right" # prefixes\n' in text
    age, zip_code = parse(text).job.schema.attributes
    assert (age.grid, zip_code.hierarchy) == (Fraction("0.05"), "mask:right")
    assert 'path = "table.release.csv"' in text


def test_a_form_of_dates_that_a_job_must_say_is_said() -> None:
    """Eight digits are a number to a job that does not say so."""
    days = replace(guess("day"), scale="date", date_format=DateFormat.COMPACT)
    text = job_text(Draft((days,), 3, {"day": Shape(None, "year", "public dates")}), "-", reading={})
    (day,) = parse(text).job.schema.attributes
    assert (day.scale, day.date_format, day.grid) == (Scale.DATE, DateFormat.COMPACT, Period.YEAR)


def profiles(*losses: float | None) -> tuple[Profile, ...]:
    """Profiles of two columns that lose so much."""
    every = [Profile(f"t = 0.{3 - at}", {}, loss, METHODS[0]) for at, loss in enumerate(losses)]
    models: list[dict[str, PrivacyModel]] = [
        {"pay": TCloseness("pay", Fraction(3 - at, 10)), "ill": DistinctLDiversity("ill", 2)} for at in range(3)
    ]
    return tuple(replace(one, models=these) for one, these in zip(every, models, strict=False))


def test_the_models_of_the_chosen_profile_are_keys_and_the_others_comments() -> None:
    """A profile's price is that of all its models, so it stands at the top; a model that repeats is told once."""
    guesses = (guess("pay", "sensitive", grid="1"), guess("ill", "sensitive"))
    text = job_text(Draft(guesses, 3, protection=Protection(profiles(0.25, 0.12), 1, 0.1, 40)), "-", reading={})
    assert "t = 0.2\n# t = 0.3\n# no-model = true" in text
    assert "l = 2\n# no-model = true" in text
    assert "k alone a release loses 10.0% of the detail of the quasi-identifiers (measured on 40 records)" in text
    assert "# models of the sensitive columns: t = 0.3: 25.0% lost\n" in text
    assert "# models of the sensitive columns: t = 0.2: 12.0% lost  (chosen)\n" in text
    assert "decide which models" not in text
    assert parse(text).job.models[1:] == (TCloseness("pay", Fraction("0.2")), DistinctLDiversity("ill", 2))


@pytest.mark.parametrize(("alone", "loss", "asked"), [(0.1, 0.15, False), (0.1, 0.16, True), (0.1, None, True)])
def test_models_that_cost_more_than_5_points_are_a_question(alone: float, loss: float | None, asked: bool) -> None:  # noqa: FBT001  a case
    """Where even the chosen profile is dear, or has no release, the draft says so above the prices."""
    text = job_text(Draft((), 3, protection=Protection(profiles(loss), 0, alone, 9)), "-", reading={})
    assert ("decide which models the sensitive columns need" in text) is asked
    assert ("no release" in text) is (loss is None)


def test_a_cost_that_no_release_has_is_not_told() -> None:
    """Without sensitive columns only k's cost is told; where k allows no release, nothing is."""
    assert "models of" not in job_text(Draft((), 3, protection=Protection((), 0, 0.1, 9)), "-", reading={})
    assert "lost" not in job_text(Draft((), 3, protection=Protection(profiles(None), 0, None, 9)), "-", reading={})
    assert "loses" not in text_of()


def test_an_undecided_column_stops_the_job() -> None:
    """Its role is no role, and the error says which there are."""
    draft = Draft((guess("age"), guess("pid", "undecided")), 3)
    assert draft.undecided == ("pid",)
    with pytest.raises(JobError) as caught:
        parse(job_text(draft, "-", reading={}))
    (fault,) = caught.value.exceptions
    assert "the role is undecided" in str(fault)
    assert "columns.pid.role" in str(fault)
    assert "decide: identifying, quasi" in str(fault)
