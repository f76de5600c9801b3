"""Drafts of job files: whatever the columns are called, the draft is a job, and it says what was guessed."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from kohort.inspection import Guess
from kohort.job import parse
from kohort.job_draft import job_text
from kohort.schema import Role, Scale

if TYPE_CHECKING:
    from kohort.inspection import ScaleName
    from kohort.vocabulary import RoleName

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


def test_nasty_names_make_valid_toml() -> None:
    """Dots, quotes, brackets, strokes and letters of any script stay what they are."""
    text = job_text([guess(name) for name in NASTY], "people.csv", k=3, reading={})
    assert list(tomllib.loads(text)["columns"]) == NASTY
    assert [attribute.name for attribute in parse(text).job.schema.attributes] == NASTY


@given(st.lists(st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1), min_size=1, unique=True))
def test_any_names_make_valid_toml(names: list[str]) -> None:
    """No name of a column can break out of its place."""
    text = job_text([guess(name) for name in names], "people.csv", k=3, reading={})
    assert list(tomllib.loads(text)["columns"]) == names


def test_the_draft_says_what_was_guessed() -> None:
    """Roles, scales and builders are keys; reasons, grids and hierarchies to find are comments."""
    guesses = [
        guess("zip", hierarchy="mask:right"),
        guess("age", grid="5"),
        guess("city"),
        guess("name", "identifying"),
        guess("pay", "sensitive", grid="100"),
    ]
    text = job_text(guesses, "data/people.csv.gz", k=7, reading={"separator": ";", "encoding": None})
    raw: dict[str, Any] = tomllib.loads(text)
    assert raw["input"] == {"path": "data/people.csv.gz", "separator": ";"}
    assert raw["output"] == {"path": "people.release.csv"}
    assert raw["privacy"] == {"k": 7}
    assert raw["columns"] == {
        "zip": {"role": "quasi", "scale": "categorical", "hierarchy": "mask:right"},
        "age": {"role": "quasi"},
        "city": {"role": "quasi", "scale": "categorical"},
        "name": {"role": "identifying", "scale": "categorical"},
        "pay": {"role": "sensitive"},
    }
    assert "# its name says so\n# it has few values\n" in text
    assert text.count("# l = 2  # or t = 0.2") == 1
    assert "# grid = 5 " in text
    assert '# hierarchy = "FILE" ' in text
    assert "grid = 100" not in text
    schema = parse(text).job.schema
    assert [attribute.role for attribute in schema.attributes[3:]] == [Role.IDENTIFYING, Role.SENSITIVE]
    assert schema.attributes[0].scale is Scale.CATEGORICAL


def test_the_proposals_in_comments_are_right() -> None:
    """A grid that is proposed holds once its comment sign is taken away."""
    text = job_text([guess("age", grid="5")], "-", k=3, reading={}).replace("# grid", "grid")
    assert parse(text).job.schema.attributes[0].grid == 5
    assert 'path = "table.release.csv"' in text


def test_proposed_grids_may_be_asked_for() -> None:
    """Grids are keys where they are asked for, in the number they were proposed as; of sensitive columns none is."""
    guesses = [guess("age", grid="5"), guess("share", grid="0.05"), guess("pay", "sensitive", grid="100")]
    text = job_text(guesses, "-", k=3, reading={}, grids=True)
    assert [attribute.grid for attribute in parse(text).job.schema.attributes] == [5, Fraction("0.05"), None]
    assert "grid = 5 # public cut points" in text
