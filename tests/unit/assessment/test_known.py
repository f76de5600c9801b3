"""What an outsider can know, by words, stems and values; blocks of answers; nothing known is released by default."""

from __future__ import annotations

from random import Random

import pytest

from kohort.assessment.inspection.guesses import inspect_table
from kohort.errors import JobError, UsageError
from kohort.schema.vocabulary.topics import known_within, topics_of
from tests.unit.assessment.test_inspection import encoded

RECORDS = 400
SCALE = ("agree", "rather agree", "rather disagree", "disagree")

#: What an outsider knows, joined, in five languages; what hides it: two values, words for yes and no, codes.
JOINED = {
    "English": ("motheduc", "fatheduc", "husage", "mjob", "kidslt6", "hhregion"),
    "German": ("vaterbildung", "berufsgruppe", "muttersprachekind", "wohnumfeld", "schulform", "hhkreis"),
    "French": ("diplomemere", "professionpere", "etudesmere", "menagetaille", "paysnaissance", "residenceprinc"),
    "Italian": ("istruzpadre", "lavoromadre", "scuolapadre", "nascitaluogo", "residenzacom", "famigliatipo"),
    "Spanish": ("estudiospadre", "trabajomadre", "escuelatipo", "nacimlugar", "residenciamun", "familiatipo"),
}
HIDDEN = ("afam", "lefty", "limps", "biz", "lodge", "parish9", "dyed", "stutters", "mv", "hq")


def drawn(values: tuple[str, ...], seed: object) -> list[str]:
    """So many cells of these values, all of which occur."""
    random = Random(str(seed))  # noqa: S311  cells of a test
    return [*values, *random.choices(values, k=RECORDS - len(values))]


def survey(joined: tuple[str, ...] = JOINED["English"], *, flags: tuple[str, ...] = ("0", "1")) -> dict[str, list[str]]:
    """Sixty columns: six known by joined names, ten hidden in `flags`, two blocks, and what is known anyway."""
    table = {name: drawn(("1", "2", "3", "4", "5"), name) for name in joined}
    table |= {name: drawn(flags, name) for name in HIDDEN}
    table |= {f"q{place}": drawn(("1", "2", "3", "4", "5"), place) for place in range(1, 21)}
    table |= {f"mood_{place}": drawn(SCALE, -place) for place in range(1, 20)}
    table["age"] = [str(18 + place * 7 % 60) for place in range(RECORDS)]
    table |= {"sex": drawn(("f", "m"), "sex"), "town": drawn(("Asti", "Bari", "Como"), "town")}
    return table | {"V7": drawn(("1", "2", "3", "4", "5"), "V7"), "V8": drawn(("1", "2", "3", "4", "5"), "V8")}


@pytest.mark.parametrize("language", JOINED)
def test_a_survey_releases_nothing_that_an_outsider_knows(language: str) -> None:
    """Sixty columns: known ones are generalized, left-overs too, and only the two blocks are answers."""
    table = survey(JOINED[language])
    guesses = {one.name: one for one in inspect_table(encoded(table))}
    assert len(guesses) == 60
    answers = {name for name, one in guesses.items() if one.answer}
    assert answers == {name for name in table if name.startswith(("q", "mood_"))}
    assert {one.role for name, one in guesses.items() if name not in answers} == {"quasi"}
    known = {name for name, one in guesses.items() if one.role == "quasi" and not one.left_over}
    assert known >= {*JOINED[language], "age", "sex", "town"}
    assert known.isdisjoint({"V7", "V8", "lefty", "limps", "stutters"})


@pytest.mark.parametrize(
    "flags", [("0", "1"), ("1", "2"), ("yes", "no"), ("Oui", "Non"), ("TRUE", "FALSE"), ("j", "n")]
)
def test_two_values_hide_what_everybody_sees(flags: tuple[str, str]) -> None:
    """However many columns have the same two, none of them is an answer."""
    guesses = {one.name: one for one in inspect_table(encoded(survey(flags=flags)))}
    assert {guesses[name].role for name in HIDDEN} == {"quasi"}


@pytest.mark.parametrize(
    ("names", "values", "asked"),
    [
        ([f"v{place}" for place in range(1, 31)], ("1", "2", "3", "4", "5"), False),
        ([f"column_{place}" for place in range(1, 31)], SCALE, False),
        ([f"child{place}" for place in range(1, 13)], ("1", "2", "3", "4"), False),
        ([f"emp{place}" for place in range(1, 13)], ("never", "part", "full"), False),
        ([f"lv{place}" for place in range(70, 79)], ("1", "2", "3", "4"), False),
        ([f"item_{place}" for place in range(1, 7)], ("0", "1"), True),
        (["view_forest", "view_river", "view_bridge", "view_museum", "view_garden"], SCALE, True),
        (["alfa", "beta", "gamm", "delt"], SCALE, False),
        (
            [f"nat{word}" for word in ("spac", "envi", "heal", "citi", "drug", "arms", "fare", "road", "park", "chld")],
            ("-1", "1", "2"),
            True,
        ),
        (
            ["MFALLEEN", "MOPLHOOG", "MBERBOER", "PWALAND", "AFIETS", "MINK30", "MRELGE", "MSKA", "ABROM", "PBRAND"],
            ("0", "1", "2"),
            False,
        ),
        ([f"{letter}{place}" for letter in "AEN" for place in range(1, 6)], ("1", "2", "3", "4", "5", "6"), True),
    ],
)
def test_what_a_block_is(names: list[str], values: tuple[str, ...], *, asked: bool) -> None:
    """One stem and a number, or the words of a scale; not names that say nothing, nor years, nor codes by chance."""
    guesses = inspect_table(
        encoded({"age": [str(18 + n % 60) for n in range(RECORDS)]} | {n: drawn(values, n) for n in names})
    )
    assert {one.answer for one in guesses[1:]} == {asked}
    assert {one.role for one in guesses[1:]} == {"insensitive" if asked else "quasi"}


def test_a_known_word_within_a_large_block_is_an_answer() -> None:
    """Schools and neighbours are asked about as forests are; in a block of eight they stay known."""
    names = [f"view_{what}" for what in ("forest", "river", "bridge", "museum", "garden", "tower", "castle", "tunnel")]
    for count, answer in ((8, True), (6, False)):
        some = [*names[:count], "view_school", "view_neighbors"]
        found = {one.name: one.answer for one in inspect_table(encoded({name: drawn(SCALE, name) for name in some}))}
        assert found["view_school"] is found["view_neighbors"] is answer
        assert found["view_forest"]


@pytest.mark.parametrize("name", ["moved{}", "reg{}", "job{}"])
def test_places_over_ten_years_stay_known(name: str) -> None:
    """Their values are words for what others know, or their names say so: no scale, however many columns share them."""
    values = ("north", "south", "west") if name == "moved{}" else SCALE
    table = {name.format(year): drawn(values, year) for year in range(12)}
    assert {one.role for one in inspect_table(encoded(table))} == {"quasi"}


def test_words_of_a_scale_may_lack_some() -> None:
    """Where nobody disagreed with a question, it is of the block all the same."""
    table = {f"view_{word}": drawn(SCALE, word) for word in ("forest", "river", "bridge", "museum")}
    found = inspect_table(encoded(table | {"view_garden": drawn(SCALE[:3], 7)}))
    assert all(one.answer for one in found)


@pytest.mark.parametrize(
    ("values", "known"),
    [
        (("married", "divorced", "widowed"), True),
        (("white", "black", "other"), True),
        (SCALE, False),
        (("x", "y"), False),
    ],
)
def test_values_tell_what_others_know(values: tuple[str, ...], known: bool) -> None:  # noqa: FBT001  a case
    """Under a name that says nothing."""
    (found,) = inspect_table(encoded({"stts": drawn(values, "stts")}))
    assert (found.role, found.left_over) == ("quasi", not known) or not known


@pytest.mark.parametrize(
    "word", ["wage", "page", "image", "rage", "allocation", "statement", "distribution", "package"]
)
def test_letters_are_no_words(word: str) -> None:
    """No stem is found in what only looks alike."""
    assert known_within(word) is None
    assert "known" not in topics_of(word)


def test_a_steward_says_who_knows_what() -> None:
    """What is named is quasi-identifying, what else could be is an answer; models and identifiers stay."""
    table = survey() | {"mail": [f"p{n}@a.it" for n in range(RECORDS)], "salary": [str(n % 90) for n in range(RECORDS)]}
    by_word = {one.name: one for one in inspect_table(encoded(table), known=["age", "q3"])}
    assert {name for name, one in by_word.items() if one.role == "quasi"} == {"age", "q3"}
    assert (by_word["mail"].role, by_word["salary"].role) == ("identifying", "sensitive")
    assert (by_word["town"].certainty, by_word["limps"].certainty) == ("unsure", "sure")
    everything = inspect_table(encoded(table), known="all")
    assert {one.role for one in everything} == {"quasi", "identifying", "sensitive"}
    assert not any(one.answer for one in everything)


def test_what_singles_people_out_is_no_answer() -> None:
    """A date of birth that nearly everybody has alone stays quasi-identifying, whatever is named."""
    dates = [f"19{50 + n // 12 % 50}-{1 + n % 12:02}-{1 + n % 28:02}" for n in range(RECORDS)]
    found = {
        one.name: one for one in inspect_table(encoded({"sex": drawn(("f", "m"), 1), "when": dates}), known=["sex"])
    }
    assert (found["when"].role, found["when"].answer) == ("quasi", False)


@pytest.mark.parametrize(
    ("known", "what"), [(["agee"], "no column is called agee"), (["mail"], "identifies people by itself")]
)
def test_what_cannot_be_known_is_refused(known: list[str], what: str) -> None:
    """A column that there is not, with those that are near, and one that names people; all at once."""
    table = encoded(survey() | {"mail": [f"p{n}@a.it" for n in range(RECORDS)]})
    with pytest.raises(UsageError, match=what):
        inspect_table(table, known=known)
    with pytest.raises(JobError) as caught:
        inspect_table(table, known=["agee", "mail", "sex"])
    assert len(caught.value.faults) == 2
