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
from kohort.job.draft.protection import Proposal, Protection
from kohort.job.draft.shapes import Shape
from kohort.job.request import parse
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.t_closeness import TCloseness
from kohort.schema import Role, Scale
from kohort.schema.dates import DateFormat, Period

if TYPE_CHECKING:
    from kohort.assessment.inspection.guesses import ScaleName
    from kohort.schema.vocabulary import RoleName

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


def test_the_first_model_is_chosen_and_the_others_are_comments() -> None:
    """Costs stand behind models; without a measurement nothing is said of them."""
    proposals = {
        "pay": (
            Proposal("t", TCloseness("pay", Fraction("0.3")), 0.25),
            Proposal("t", TCloseness("pay", Fraction("0.15"))),
        ),
        "ill": (Proposal("l", DistinctLDiversity("ill", 2)), Proposal("l", DistinctLDiversity("ill", 3), 0.5)),
    }
    draft = Draft(
        (guess("pay", "sensitive", grid="1"), guess("ill", "sensitive")),
        3,
        protection=Protection(proposals, 0.1, 0.6, 40),
    )
    text = job_text(draft, "-", reading={})
    assert "t = 0.3 # with it and k a release loses 25.0%\n# t = 0.15\n# no-model = true" in text
    assert "l = 2\n# l = 3  # with it and k a release loses 50.0%\n" in text
    assert "k alone a release loses 10.0% of the detail of the quasi-identifiers (measured on 40 records)" in text
    assert "with all models below it loses 60.0%" in text
    assert parse(text).job.models[1:] == (TCloseness("pay", Fraction("0.3")), DistinctLDiversity("ill", 2))


def test_a_cost_that_no_release_has_is_not_told() -> None:
    """Where the models together allow no release, only k's cost is told; where k allows none, nothing is."""
    assert "with all models" not in job_text(Draft((), 3, protection=Protection({}, 0.1, None, 9)), "-", reading={})
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
