"""Public trees and lists of codes, as data: that they are trees, and which columns are taken for their own."""

from __future__ import annotations

import json
from importlib.resources import files
from itertools import pairwise

import pytest

from kohort.errors import HierarchyError, UsageError
from kohort.schema.hierarchies import TREES, from_spec, is_builder, known_as, known_codes, public, titles
from kohort.schema.hierarchies.public import Tree, schemes, tree
from kohort.schema.hierarchies.spelling import folded

every = pytest.mark.parametrize("one", [*map(tree, TREES)], ids=TREES)

FOLDER = files("kohort.schema.hierarchies") / "public"

LANGUAGES = ("en", "de", "fr", "es", "it")


def counted(*values: str) -> dict[str, int]:
    """Ten records of each value."""
    return dict.fromkeys(values, 10)


@every
def test_each_tree_is_one(one: Tree) -> None:
    """Each leaf has as many labels, each label has one parent, and no label occurs on two levels or in two rows."""
    assert len({len(row) for row in one.rows}) == 1
    parents: dict[str, str] = {}
    levels: dict[str, int] = {}
    for row in one.rows:
        for level, label in enumerate(row):
            assert label == label.strip()
            assert label
            assert levels.setdefault(label, level) == level
        for parent, label in pairwise(row):
            assert parents.setdefault(label, parent) == parent
    assert len({row[-1] for row in one.rows}) == len(one.rows)


@every
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_leaf_reaches_one_root_at_the_same_height(one: Tree, language: str) -> None:
    """The hierarchy of the first word of each row in a language nests, with `*` above all."""
    first = {row: word for word, row in [*one.words[language].items()][::-1]}
    made = public(one.name, [*first.values()])
    assert made.labels[-1] == ("*",)
    assert sorted(made.leaves) == sorted(first.values())
    assert made.twofold() == ()


@every
def test_no_word_of_a_language_is_in_two_rows(one: Tree) -> None:
    """In a language, or among codes of one kind, a word means one leaf."""
    text = FOLDER.joinpath(f"{one.name}.tsv").read_text(encoding="utf-8")
    header, *rows = (line.split("\t") for line in text.splitlines() if line[:2] != "# ")
    for at, kind in enumerate(header):
        if kind not in one.words:
            continue
        met: dict[str, int] = {}
        for row, cells in enumerate(rows):
            for word in filter(None, cells[at].split("|")):
                assert met.setdefault(folded(word), row) == row, (kind, word)


@pytest.mark.parametrize("name", [*TREES, "codes"])
def test_each_file_says_whose_facts_it_states(name: str) -> None:
    """Title, source, terms and date stand at the head."""
    text = FOLDER.joinpath(f"{name}.tsv").read_text(encoding="utf-8")
    for key in ("title", "source", "terms", "as of"):
        assert f"\n# {key}: " in f"\n{text}"


@every
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_tree_is_recognized_in_each_language(one: Tree, language: str) -> None:
    """By values alone, however the column is called."""
    words = {row: word for word, row in one.words[language].items()}
    found = known_as(counted(*[*words.values()][:40]), "x")
    if len(words) >= 3:
        assert found is one


@pytest.mark.parametrize(
    ("column", "values", "name"),
    [
        ("x", "Italian German French Dutch Polish", "countries"),
        ("x", "österreichisch deutsch schweizerisch türkisch", "countries"),
        ("x", "CA US MX BR AR CL DE FR IT ES", "countries"),
        ("x", "DEU FRA ITA ESP GBR", "countries"),
        ("country", "4 8 12 20 24", "countries"),
        ("state", "CA DE IN IL LA", "us-states"),
        ("nation", "CA DE IN IL LA", "countries"),
        ("x", "NY NJ TX OH WI NV", "us-states"),
        ("statefip", "1 2 4 5 6 8", "us-states"),
        ("x", "Calif. Tex. Ohio", "us-states"),
        ("x", "HS-grad Bachelors Masters 11th 9th Some-college", "education"),
        ("x", "célibataire marié veuve", "marital-status"),
        ("x", "M F male Female", "sex"),
        ("x", "m w weiblich männlich", "sex"),
    ],
)
def test_values_are_recognized(column: str, values: str, name: str) -> None:
    """Names and adjectives by themselves; codes where they are many and of one list, or the column's name says so."""
    found = known_as(counted(*values.split()), column)
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("city", "Berlin Paris Singapore Rome Luxembourg London Madrid"),
        ("name", "Georgia Chad Jordan Anna Peter India Kenya Mary Paul"),
        ("country", "A B AB"),
        ("blood", "A B AB 0 A+ B+"),
        ("x", "CA DE IN IL LA"),
        ("language", "German French Italian Spanish"),
        ("language", "de fr it es nl"),
        ("x", "de fr it es nl"),
        ("hours", "10 12 20 24 30 40"),
        ("age", "1 2 4 5 6 8"),
        ("carrier", "AA UA DL WN B6 AS NK"),
        ("sex", "M F"),
        ("room", "single double suite"),
        ("level", "low medium high"),
        ("ticket", "T-1 T-2 T-3 T-4"),
        ("x", ""),
    ],
)
def test_look_alikes_are_not_recognized(column: str, values: str) -> None:
    """Cities, first names, languages, blood groups, codes of two lists, and numbers are no leaves of a tree."""
    assert known_as(counted(*values.split()), column) is None


def test_a_tree_that_lacks_many_records_is_not_taken() -> None:
    """Of twenty records one may be unknown, of ten not."""
    known = {"France": 40, "Italy": 40, "Spain": 15}
    assert known_as({**known, "Utopia": 5}, "x") is tree("countries")
    assert known_as({**known, "Utopia": 11}, "x") is None


def test_a_word_of_two_languages_is_read_in_that_of_the_others() -> None:
    """M is a woman beside a hombre, and a man beside a female."""
    spanish = {row[0]: row[1] for row in public("sex", ["H", "M", "Hombre", "Mujer"]).rows()}
    english = {row[0]: row[1] for row in public("sex", ["F", "M", "Male", "Female"]).rows()}
    assert spanish["M"] == spanish["Mujer"] != spanish["H"]
    assert english["M"] == english["Male"] != english["F"]


def test_what_a_tree_does_not_know_is_other() -> None:
    """Adult's native countries: those that no tree has are a branch of their own; misspelt ones are corrected."""
    values = ["United-States", "Trinadad&Tobago", "Holand-Netherlands", "Hong", "South", "Columbia", "Peru", "England"]
    rows = {row[0]: row[1:] for row in public("countries", [*values, "Scotland", "Other"]).rows()}
    assert rows["Hong"][-2] == rows["South"][-2] == rows["Other"][-2] == "other"
    assert rows["Trinadad&Tobago"][-2] == rows["Peru"][-2] == "Americas"
    assert rows["England"][0] == rows["Scotland"][0] == "Northern Europe"


def test_a_label_that_is_a_value_is_told_apart() -> None:
    """A released label never means a value for one person and several values for another."""
    made = public("countries", ["USA", "United States", "U.S.", "Peru", "Chile", "Europe", "Spain", "Italy", "other"])
    assert made.twofold() == ()
    assert {"Europe (group)", "United States (any spelling)"} <= {label for level in made.labels for label in level}


@pytest.mark.parametrize(
    ("column", "values", "name"),
    [
        ("x", "E11.9 I10 J45.0 C50.1 E10.2", "icd-10"),
        ("icd", "E119 I10 J450 C501", "icd-10-plain"),
        ("x", "A10BA02 C09AA05 N02BE01 A10BB01 R03AC02", "atc"),
        ("x", "DE212 DE300 FR101 ITC4C ES300", "nuts"),
        ("isco08", "2310 2320 5223", "isco-08"),
        ("nace", "01.11 47.11 62.01", "nace"),
    ],
)
def test_codes_are_recognized(column: str, values: str, name: str) -> None:
    """By their form where no other codes have it, else by the column's name."""
    found = known_codes(values.split(), column)
    assert found is not None
    assert found.name == name
    assert public(name, values.split()).labels[-1] == ("*",)


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("ticket", "B07 C21 C22 D40 E11 F08"),
        ("ticket", "E119 I104 J450 C501"),
        ("income", "2310 2320 5223 1200"),
        ("price", "01.11 47.11 62.01"),
        ("word", "LIMIT DENSE FRANK ITALY ESSEX"),
        ("x", ""),
    ],
)
def test_other_codes_are_not(column: str, values: str) -> None:
    """Ticket numbers, incomes, prices and words are in no list."""
    assert known_codes(values.split(), column) is None


def test_a_builder_names_each_tree_and_list() -> None:
    """`public:NAME` is a builder for each of them, all others are misread, with the names in the hint."""
    assert sorted(titles()) == sorted([*TREES, *(one.name for one in schemes())])
    assert all(is_builder(f"public:{name}") for name in titles())
    with pytest.raises(UsageError, match="cannot read the arguments of public") as caught:
        is_builder("public:planets")
    assert "countries" in str(caught.value.hint)


@pytest.mark.parametrize("name", ["countries", "icd-10"])
def test_a_tree_that_knows_few_values_is_refused(name: str) -> None:
    """The message counts, and repeats no value."""
    with pytest.raises(HierarchyError, match=f"public:{name} knows 0 of 3 values") as caught:
        from_spec(f"public:{name}", ["sand", "silt", "clay"], name="soil")
    assert "sand" not in json.dumps([str(caught.value), caught.value.hint])
