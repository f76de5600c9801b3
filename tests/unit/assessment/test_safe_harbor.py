"""The identifiers that HIPAA Safe Harbor removes: found by names and forms, rarely where there is none."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from bench.identifiers import FALSE, HEADERS, MADE, all_18, found, generated, others
from kohort.assessment.inspection.allowed import RESTRICTED, one_old_age, three_digits, years_alone
from kohort.assessment.inspection.guesses import inspect_table
from kohort.assessment.inspection.safe_harbor import SAFE_HARBOR
from tests.command import kohort
from tests.unit.assessment.test_inspection import encoded

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kohort.assessment.inspection.safe_harbor import Finding

LETTERS = "ABCDEFGHIJKLMNOPQR"

#: Those that the form of values gives away, whatever the column is called.
BY_FORM = set("BCDFGIJLMNOQR")


def findings(name: str, cells: Sequence[str | None]) -> tuple[Finding, ...]:
    """What is found of a column of these cells."""
    (guess,) = inspect_table(encoded({name: cells}))
    return guess.findings


def letters(name: str, cells: Sequence[str | None]) -> str:
    """The letters of it."""
    return "".join(one.letter for one in findings(name, cells))


def test_the_list_has_18() -> None:
    """One for each letter of the rule, and no kind stands for two."""
    assert "".join(one.letter for one in SAFE_HARBOR) == LETTERS == "".join(MADE)
    kinds = [kind for one in SAFE_HARBOR for kind in one.kinds]
    assert len(kinds) == len(set(kinds))


@pytest.mark.parametrize("language", [one for one in HEADERS if one != "none"])
def test_all_18_are_found_by_their_headers(language: str) -> None:
    """In five languages and in abbreviations; and nothing is found where there is nothing."""
    assert found(all_18(language, 100)) == (set(LETTERS), [])


def test_most_are_found_without_headers() -> None:
    """Whatever has a form; a fax number is taken for a telephone number, and what has none for a code."""
    right, wrong = found(all_18("none", 300))
    assert right == BY_FORM
    assert wrong == ["c5: D", "c8: R", "c11: R", "c16: R"]


def test_generated_tables_are_named_rightly() -> None:
    """Of the register, the admissions and a table of nothing all is found, and no column falsely named."""
    for one in generated():
        assert (one.false, one.missed) == ((), ()), one


@pytest.mark.slow
def test_few_columns_of_other_tables_are_falsely_named(data_folder: Path) -> None:
    """At most 2 % of the columns of dozens of tables that people use."""
    tables = [*others(str(data_folder))]
    assert sum(len(one.false) for one in tables) <= FALSE * sum(one.columns for one in tables)
    for one in tables:
        if one.table in {"adult", "affairs", "actg175", "german", "pbc", "titanic"}:
            assert (one.false, one.missed) == ((), ())


def test_no_reason_holds_a_value() -> None:
    """Only words of the column's name, forms and shares."""
    columns = all_18("none", 50).to_dict(as_series=False)
    guesses = inspect_table(encoded(columns))
    said = " ".join(reason for guess in guesses for one in guess.findings for reason in one.reasons)
    assert said
    assert not [cell for cells in columns.values() for cell in cells if len(cell) > 3 and cell in said]


COUNT = 60
CODES = [f"K{place:05}" for place in range(COUNT)]
NUMBERS = [str(10_007 + 31 * (place * 37 % COUNT)) for place in range(COUNT)]
DECIMALS = [f"{place * 37 % COUNT * 1.7:.2f}" for place in range(COUNT)]
DAYS = [f"1984-0{1 + place % 9}-{1 + place % 28:02}" for place in range(COUNT)]
PEOPLE = [
    f"{first} {last}" for first in ("Ada", "Elena", "Jonas") for last in ("O'Hara", "Müller", "van Dyk-Rossi")
] * 4
MAILS = [f"a{place}@b.example" for place in range(COUNT)]
PHONES = [f"0{612345 + place}789" for place in range(COUNT)]
WORDS = [f"word {place}" for place in range(COUNT)]


@pytest.mark.parametrize(
    ("name", "cells", "found"),
    [
        # A form decides what values are, whatever the name says …
        *(("address", MAILS, "F"), ("account", MAILS, "F"), ("x", MAILS, "F")),
        # … unless numbers of another kind have it by chance.
        *(("x", PHONES, "D"), ("mrn", PHONES, "H"), ("phone", PHONES, "D")),
        # Names
        *(
            ("first_name", PEOPLE, "A"),
            ("name", PEOPLE, "A"),
            ("patient nm", PEOPLE, "A"),
            ("Last, First", PEOPLE, "A"),
            ("surname", ["x", "y"], "A"),
        ),
        *(
            ("first_name", NUMBERS, "R"),
            ("first", NUMBERS, ""),
            ("product_name", WORDS, "R"),
            ("ship_name", WORDS, "R"),
        ),
        # Places
        *(("city", ["Roma", "Bari"], "B"), ("zip", ["02139", "10001"], "B"), ("zip", ["2139", "1001"], "B")),
        *(
            ("cap", ["x", "b"], ""),
            ("gdpPerCap", DECIMALS, ""),
            ("city_mpg", ["21", "30"], ""),
            ("county", ["3", "7"], "B"),
        ),
        *(
            ("city_id", ["3", "7"], "B"),
            ("county", ["3.5", "7.1"], ""),
            ("state", ["Ohio", "Iowa"], ""),
            ("city", [], "B"),
        ),
        # Dates and ages
        *(("x", DAYS, "C"), ("dob", ["19840301", "19850302"], "C"), ("dob", ["1984", "1985"], ""), ("dob", [], "")),
        *(("date", ["week 3 of 84", "week 4 of 84"], "C"), ("date", ["1984", "1985"], ""), ("date", ["?", "!"], "")),
        *(
            ("month", ["1", "12"], "C"),
            ("month", ["1", "13"], ""),
            ("month", ["May", "June"], "C"),
            ("month", WORDS, ""),
        ),
        *(("month", ["1.5", "2.5"], ""), ("birth_year", ["1931", "1990"], "C"), ("yob", ["1931.5", "2.2"], "")),
        *(("age", ["31", "91"], "C"), ("age", ["31", "90"], ""), ("age", ["31", "131"], ""), ("age", ["old"], "")),
        *(("x", ["12 March 1952", "Mar-52", *WORDS[:9]], "C"), ("x", ["2024-02-29", *WORDS], "R")),
        # Numbers of people: not a few words, no measures, no row numbers
        *(("account_number", NUMBERS, "J"), ("account_balance", NUMBERS, ""), ("account_number", DECIMALS, "R")),
        *(
            ("device", ["pump", "none"] * 30, ""),
            ("device", CODES, "M"),
            ("Pacemaker S/N", CODES, "M"),
            ("serial_no", [*map(str, range(1, 61))], "R"),
        ),
        *(
            ("phone", ["yes", "no"] * 30, ""),
            ("plaque", ["1", "2", "3", "2"] * 20, ""),
            ("photo", ["yes", "no"] * 30, ""),
        ),
        # Any other
        *(("x", CODES, "R"), ("x", CODES[:20], ""), ("code", CODES[:20], "R"), ("id", ["1", "2"] * 60, "")),
        *(("tax_id", CODES, "R"), ("age", DECIMALS, "C")),
    ],
)
def test_what_is_found(name: str, cells: Sequence[str], found: str) -> None:
    """By name where the values can be such, by form, or because every record has a code of its own."""
    assert letters(name, cells or [None, None]) == found


def test_values_of_several_forms_are_told_with_their_shares() -> None:
    """From one in twenty on, and from one in two where check digits are right by chance."""
    both = findings("x", [*MAILS[:12], *(f"+39 06 12{place:03} 78" for place in range(100, 130)), *WORDS[:18]])
    assert [(one.letter, one.share) for one in both] == [("D", 0.5), ("F", 0.2)]
    assert both[1].reasons == ("20 % of its values are e-mail addresses",)
    assert letters("x", [*MAILS[:2], *WORDS[:38]]) == "F"
    assert letters("x", [*MAILS[:2], *WORDS[:39]]) == "R"
    assert letters("x", [MAILS[0], *WORDS[:3]]) == ""
    right = ["A000500015", "Z999999997"]
    assert "I" in letters("x", [*right, *WORDS[:2]])
    assert "I" not in letters("x", [*right, *WORDS[:3]])


def test_free_text_may_mention_them() -> None:
    """Words of it are looked at, without the marks around them; the rest may hold any."""
    cells = [
        f"She was seen again on the ward ({day}), and then felt well, number {place}." for place, day in enumerate(DAYS)
    ]
    date, other = findings("remarks", cells)
    assert letters("contact", [f"{name}, 617-555-0{100 + place}" for place, name in enumerate(PEOPLE)]) == "DR"
    assert (date.letter, date.reasons) == ("C", ("100 % of its values mention dates or times",))
    assert other.letter == "R"
    assert "free text" in other.reasons[0]


def test_only_the_beginning_of_a_long_text_is_looked_at() -> None:
    """However long one is, looking at it takes no time."""
    cells = [f"{'she was well and ' * 150}seen on {day} ({place})" for place, day in enumerate(DAYS)]
    assert letters("remarks", cells) == "R"
    assert letters("remarks", ["word " * 5_000_000, *cells]) == "R"


def test_coordinates_are_places() -> None:
    """A latitude with its longitude; one alone is none."""
    table = {"lat": [f"45.{place:03}" for place in range(40)], "lon": [f"9.{place:03}" for place in range(40)]}
    guesses = inspect_table(encoded(table))
    assert ["".join(one.letter for one in guess.findings) for guess in guesses] == ["B", "B"]
    assert letters("lat", table["lat"]) == ""


def test_reasons_of_one_letter_stand_together() -> None:
    """By name and by form; the share is that of the form."""
    (one,) = findings("admission_date", DAYS)
    assert one.reasons == ('its name says "date"', "100 % of its values are dates")
    assert one.share == 1
    assert one.title.startswith("elements of dates")


# --- what may stay ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "allowed"),
    [
        *(("*", True), ("", True), ("1984", True), ("1980s", True), ("[1980-1989]", True), ("[1980-1990)", True)),
        *(
            ("[1984-01-01 – 1984-12-31]", True),
            ("[1984-01-01 – 1986-01-01)", True),
            ("[9990-01-01 – 10000-01-01)", True),
        ),
        *(("1984-03", False), ("1984-03-01", False), ("1984-Q1", False), ("[1984-01-01 – 1984-06-30]", False)),
        *(("[1984-02-01 – 1985-01-01)", False), ("{1984-01-01, 1985-01-01}", False), ("[19840101-19841231]", False)),
    ],
)
def test_years_may_stay(label: str, allowed: bool) -> None:  # noqa: FBT001
    """And whatever is made of whole years."""
    assert years_alone(["*", label]) is allowed


@pytest.mark.parametrize(
    ("labels", "allowed"),
    [
        *(([], True), (["3", "89"], True), (["90"], True), (["91"], False), (["90", "91"], False), (["89.5"], True)),
        *((["[80-90)"], True), (["[80-90]"], True), (["[80-90]", "[91-120]"], False), (["<90", ">=90"], True)),
        *(
            ([">=91"], False),
            (["<95"], False),
            (["[90-120]", "[80-89]"], True),
            (["[91-120]"], False),
            (["old"], False),
        ),
        *((["[90-90]"], False), (["<96", ">=60"], False)),
    ],
)
def test_one_category_may_reach_over_89(labels: list[str], allowed: bool) -> None:  # noqa: FBT001
    """It begins at 90 or below, and has no upper end that a younger category has."""
    assert one_old_age(["*", "", *labels]) is allowed


def test_three_digits_may_stay_where_many_people_live() -> None:
    """Of the 1,000 areas all but the 17 that the guidance lists."""
    assert len(RESTRICTED) == 17
    refused = {area for place in range(1000) if not three_digits([area := f"{place:03}", f"{area}**"][1:])}
    assert refused == RESTRICTED
    assert three_digits(["*", "", "02***", "*****", "021**-****", "021******"])
    assert not three_digits(["02139"])
    assert not three_digits(["0213*"])
    assert not three_digits(["{021**, 036**}"])


def test_inspect_lists_them(tmp_path: Path) -> None:
    """By letter, as text and in JSON; of a table without any nothing is said."""
    path = tmp_path / "stays.csv"
    frame = all_18("English", 40)
    frame.write_csv(path)
    shown = kohort("inspect", path).out
    assert (
        "    (C) elements of dates but the year, and ages over 89 unless they are one category: admission_date\n"
        in shown
    )
    assert [line.strip()[1] for line in shown.splitlines() if line.startswith("    (")] == [*LETTERS]
    columns = json.loads(kohort("inspect", path, "--json").out)["columns"]
    email = next(one for one in columns if one["name"] == "email")
    assert email["safe_harbor"] == [
        {"letter": "F", "reasons": ["100 % of its values are e-mail addresses"], "share": 1.0}
    ]
    assert next(one for one in columns if one["name"] == "sex")["safe_harbor"] == []
    frame.select("sex", "ward").write_csv(path)
    assert "Safe Harbor" not in kohort("inspect", path).out
