"""Codes are told by their shape: prefixes are proposed where they mean something, and nothing where they may not."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.assessment.inspection.codes import rule_of
from kohort.assessment.inspection.evidence import SAMPLE
from kohort.schema.hierarchies import from_spec
from tests.expressions import LENGTH, stopped_after

DISTRICTS = [f"{area}{number}" for area in ("SW", "M", "ME", "EH", "B", "WC") for number in range(1, 25)]
BRITISH = [f"{district} {place}A{'ABDEF'[place % 5]}" for district in DISTRICTS for place in range(1, 10)]
AUSTRIAN, GERMAN = [f"A-{1010 + 70 * n}" for n in range(60)], [f"D-{n * 900 + 1067:05}" for n in range(100)]
ICD = [f"{letter}{number:02}.{number % 10}" for letter in "AEIJ" for number in range(25)]
ATC = [f"{letter}{group:02}{sub}A{n:02}" for letter in "ABCJN" for group in (1, 3, 10) for sub in "AB" for n in (1, 2)]
PHONE = [f"0{n}" for n in (30, 40, 69, 89, 201, 221, 341, 351, 511, 911, 2041, 2042, 3301, 8105)]

PREFIXES = {
    "five digits with zeros": ([f"{n * 37:05}" for n in range(99)], "prefix:2,3:halves"),
    "British": (BRITISH, "prefix:1,2,3,4,5:halves"),
    "British without blanks": ([code.replace(" ", "") for code in BRITISH], "prefix:1,2,3,4:halves"),
    "a country before": (AUSTRIAN + GERMAN, "prefix:1,2,3,4:halves"),
    "ZIP and ZIP+4": ([f"{n:05}" + "-1000" * (n % 2) for n in range(1000, 2000, 7)], "prefix:3,4:halves"),
    "ICD-10": ([*ICD, "I10", "J45"], "prefix:1,2,3:halves"),
    "ICD-10 without points": ([code.replace(".", "") for code in ICD] + ["I10", "E1165"], "prefix:1,2,3:halves"),
    "ATC": (ATC, "prefix:1,3,4,5:halves"),
    "ATC of several levels": ([*ATC, "A10", "B01A"], "prefix:1,3,4,5:halves"),
    "area codes": (PHONE, "prefix:2,3,4:halves"),
    "branches of industry": ([f"{n:02}.{n % 7}{'1' * (n % 2)}" for n in range(1, 90)], "prefix:1:halves"),
    "quarters": ([f"{year}-Q{quarter}" for year in range(2000, 2010) for quarter in (1, 2)], "mask:right"),
    "months": ([f"{year}-{month:02}" for year in range(2000, 2010) for month in (1, 12)], "mask:right"),
    "months, year last": ([f"{month:02}/{year}" for year in range(2000, 2010) for month in (1, 12)], "suffix:4:halves"),
    "days, year of two digits": (
        [f"{day:02}.02.{year:02}" for day in (1, 28) for year in range(40)],
        "suffix:2:halves",
    ),
    "days in words": ([f"{day}-Mar-{year}" for day in (9, 31) for year in range(1990, 2000)], "suffix:4:halves"),
}

LEFT_ALONE = {
    "numbers that count": [f"P-{n}" for n in range(1, 200)],
    "grades": [f"{letter}{n}" for letter in "GH" for n in range(1, 13)],
    "parts of networks": [f"10.{n}.{n * 7 % 256}" for n in range(60)],
    "days that may be years": [f"{n:02}.02.{n:02}" for n in range(1, 29)],
    "times of days, month first": [f"8/{n}/20 18:{n + 30}" for n in range(1, 29)],  # the minutes are no year
    "times of days, with points": [f"{n}.8.2020 18.{n + 30}" for n in range(1, 29)],
    "days with years of two lengths": [f"{n} March {year}" for n in range(1, 29) for year in (1999, 99)],
}

NO_CODES = {
    "nothing": [],
    "few": [f"A{n:02}" for n in range(8)],
    "numbers": [str(n) for n in range(1000, 1100)],
    "names": ["Bari", "Roma", "Milano", "Torino", "Pisa", "Lucca", "Siena", "Arezzo", "Trento"],
    "words with numbers": [f"Building {n:02}, north{'ern' * (n % 2)} wing" for n in range(30)],
    "diagnoses with a number": ["Asthma", "Burn", "Gout", "Type 2 diabetes mellitus (disorder)", *"abcdefghij"],
    "long words with a number": [f"neuropathy {n} diabetes" for n in range(30)],
    "codes that share no prefix": [f"{letter}{'1' * (n % 2 + 1)}" for n, letter in enumerate("ABCDEFGHIJ")],
}


@pytest.mark.parametrize(("values", "builder"), PREFIXES.values(), ids=PREFIXES)
def test_codes_get_prefixes(values: list[str], builder: str) -> None:
    """Whatever the column is called; the builder takes all the values, and its levels put some of them together."""
    found = rule_of(values)
    assert found is not None
    assert found.hierarchy == builder
    made = from_spec(found.hierarchy, values)
    assert any(1 < len(labels) < len(values) for labels in made.labels)


@pytest.mark.parametrize("values", LEFT_ALONE.values(), ids=LEFT_ALONE)
def test_what_can_be_read_in_two_ways_is_left_alone(values: list[str]) -> None:
    """A number that counts has no prefix; nor has a date whose year may be either end."""
    found = rule_of(values)
    assert found is not None
    assert found.hierarchy == "suppress"
    assert found.why.startswith("all or nothing: ")


@pytest.mark.parametrize("values", NO_CODES.values(), ids=NO_CODES)
def test_other_values_are_no_codes(values: list[str]) -> None:
    """Few values, numbers and names are for other rules."""
    found = rule_of(values)
    assert found is None or found.hierarchy == "suppress"
    assert (found is None) == (values != NO_CODES["codes that share no prefix"])


def test_a_postal_name_decides() -> None:
    """Where the column is known to hold postal codes, few are enough, and mistyped ones do no harm; a town is none."""
    codes = [f"{n:05}" for n in range(1000, 3000, 17)]
    assert rule_of([*codes, "n/k", "213"], postal=True) == rule_of([*codes, "x", "9"], postal=True)
    mistyped = rule_of([*codes, "n/k", "213"], postal=True)
    assert mistyped is not None
    assert mistyped.hierarchy == "prefix:1,2,3:halves"
    assert rule_of(["M1", "M20", "SW1A"], postal=True) is not None
    assert rule_of(["Bari", "Roma"], postal=True) is None


#: Texts of many characters, of which an expression may take the parts together in many ways.
LONG = {
    "letters": "a" * LENGTH,
    "letters and a digit": "a" * LENGTH + "1!",
    "digits": "12345678901" * LENGTH,
    "words and digits": "type 2 " * LENGTH,
    "signs": "1-" * LENGTH,
    "one length": "".join(str(n % 7) for n in range(LENGTH)),
    "points": "1." * LENGTH,
    "dates": "1 January 1999 " * LENGTH,
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_long_texts_are_no_codes(text: str) -> None:
    """Neither do they keep anybody waiting, alone among codes or as all of a column; what is proposed is short."""
    others = [f"A-{n:04}" for n in range(60)]
    with stopped_after(20):
        for values in ([text, *others], [f"{text}{n:02}" for n in range(20)]):
            found = rule_of(values)
            assert found is None or len(found.hierarchy) < LENGTH


def test_long_lists_are_judged_in_any_order() -> None:
    """More values than are looked at, a few of them mistyped, get the same rule however the records stand."""
    values = [f"A-{n:04}" for n in range(2 * SAMPLE)] + [f"B-{n:05}" for n in range(9)]
    shuffled = Random(5).sample(values, len(values))  # noqa: S311  an order, no secret
    assert rule_of(values) == rule_of(shuffled)
    assert rule_of(values) is not None


@given(st.lists(st.text("A1 -.0/", min_size=1, max_size=8), unique=True), st.booleans())
def test_every_proposal_can_be_built_and_tells_no_value(values: list[str], postal: bool) -> None:  # noqa: FBT001  drawn
    """Whatever the values are."""
    found = rule_of(values, postal=postal)
    if found is not None:
        assert set(from_spec(found.hierarchy, values).leaves) == set(values)
        assert not any(value in found.why for value in values if len(value) > 4)
