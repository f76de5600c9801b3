"""Spellings of one thing, put together by their text alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.errors import UsageError
from kohort.schema.hierarchies import from_spec, known_words, public, spelled, spellings
from kohort.schema.hierarchies.spelling import folded, nearest

#: Ways to write a city, and how many records have each.
TYPED = {"New York": 200, "new york": 4, "NEW-YORK": 1, "Boston": 90, " boston": 2}


def together(counts: dict[str, int], *texts: str) -> bool:
    """Whether all these texts are in one group."""
    return any({*texts} <= {*of} for of in spellings(counts, known=known_words()))


@pytest.mark.parametrize(
    "text",
    [
        "NEW YORK",
        "New-York",
        "new_york",
        " New York ",
        "New York.",
        "'New York'",
        "Néw York",
        "NewYork",
        "New\u200b York",
    ],
)
def test_signs_make_no_difference(text: str) -> None:
    """Capitals, accents, blanks, punctuation and what shows nothing."""
    assert folded(text) == folded("New York")
    assert together(TYPED | {text: 1}, "New York", text)


@pytest.mark.parametrize(
    ("one", "other"),
    [("1-4", "14"), ("A-", "A"), ("A+", "A"), ("<HS", "HS"), ("C", "C++"), ("10.5", "105"), ("P-1-2", "P-12")],
)
def test_signs_that_mean_something_stay(one: str, other: str) -> None:
    """Ranges, blood groups, marks and decimals are no spellings of each other."""
    assert folded(one) != folded(other)
    assert not together(TYPED | {one: 3, other: 3}, one, other)


def test_short_texts_are_codes() -> None:
    """Genotypes and answers of a letter or two stay as they are."""
    assert not together(TYPED | {"AA": 5, "Aa": 5, "aa": 5}, "AA", "Aa")


@pytest.mark.parametrize("text", ["Bostn", "Bostan", "New Yorc", "Bostonn"])
def test_a_rare_misspelling_is_the_word(text: str) -> None:
    """Where people typed, one letter may be wrong."""
    assert together(TYPED | {text: 1}, text, "Boston" if text[0] == "B" else "New York")


@pytest.mark.parametrize(
    ("counts", "one", "other"),
    [
        ({"Boston": 90, "Bostan": 20}, "Boston", "Bostan"),  # two frequent words
        ({"married": 900, "unmarried": 3}, "married", "unmarried"),  # the beginning says the opposite
        ({"Iraq": 900, "Iran": 3}, "Iraq", "Iran"),  # short
        ({"Slovenia": 900, "Slovakia": 3}, "Slovenia", "Slovakia"),  # both known
        ({"Hamburg": 900, "Homburg": 3}, "Hamburg", "Homburg-Saar"),  # too far
        ({"Type 1": 900, "Type 2": 3}, "Type 1", "Type 2"),  # digits
        ({"Marburg": 200, "Harburg": 200, "Warburg": 1}, "Warburg", "Marburg"),  # the first letter differs
        ({"Berlin": 90, "Merlin": 90, "Bertin": 90, "Bernin": 2}, "Bernin", "Berlin"),  # of two words
    ],
)
def test_two_words_stay_two(counts: dict[str, int], one: str, other: str) -> None:
    """What is frequent, known, short, or could be either of two words is none of the other's spellings."""
    assert not together(TYPED | counts | {other: counts.get(other, 1)}, one, other)


def test_where_nobody_typed_nothing_is_corrected() -> None:
    """A register's names have one spelling each: Homburg is no Hamburg."""
    counts = {"Hamburg": 900, "Homburg": 1, "Bonn": 50}
    assert sorted(map(sorted, spellings(counts))) == [["Bonn"], ["Hamburg"], ["Homburg"]]


def test_genders_of_a_survey_are_three_groups() -> None:
    """Words of the sexes in many spellings; who says neither, or trans, is other."""
    male = ["M", "male", "Male ", "Man", "maile", "cis male", "Malr", "msle", "Make", "Mal", "Male (CIS)"]
    female = ["f", "Female", "Femake", "woman", "femail", "Cis Female", "Female (cis)", "cis-female/femme"]
    other = ["queer", "Trans woman", "non-binary", "Nah", "Male-ish", "something kinda male?", "Agender", "p"]
    made = public("sex", [*male, *female, *other])
    groups = {row[1]: {one[0] for one in made.rows() if one[1] == row[1]} for row in made.rows()}
    assert sorted(map(sorted, groups.values())) == sorted(map(sorted, [male, female, other]))
    assert made.height == 2


@given(st.dictionaries(st.text("abcABC é-", min_size=1, max_size=6), st.integers(1, 500), min_size=1, max_size=12))
def test_each_value_is_in_one_group_and_under_one_node(counts: dict[str, int]) -> None:
    """Groups share nothing and leave nothing out, whatever the order; the hierarchy has them as its first level."""
    groups = spellings(counts)
    assert sorted(text for of in groups for text in of) == sorted(counts)
    assert spellings(dict(reversed(counts.items()))) == groups
    if "*" not in counts:
        made = spelled(counts)
        assert len(made.labels[1]) == len(groups)
        assert made.twofold() == ()
        assert made.data_dependent


def test_the_builder_counts_records() -> None:
    """The node is called after its most frequent spelling."""
    made = from_spec("spellings", [*TYPED], counts=TYPED)
    assert made.labels[1] == ("Boston (any spelling)", "New York (any spelling)")
    with pytest.raises(UsageError, match="spellings needs the number of records of each value"):
        from_spec("spellings", [*TYPED])


def test_the_nearest_of_many_words() -> None:
    """Several that are as near are all told, so that none is taken."""
    assert nearest("bernin", ["berlin", "bertin", "paris"]) == ["berlin", "bertin"]
    assert nearest("rome", ["roma"]) == []
