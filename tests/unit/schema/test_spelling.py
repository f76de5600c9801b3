"""Texts that look alike are one value, and those that do not are several."""

from __future__ import annotations

import pytest

from kohort.schema.hierarchies.spelling import even_spelling

#: Ways to write HIV that no reader tells apart, with what was done to each.
SPELLINGS = {
    "small letters": "hiv",
    "mixed case": "Hiv",
    "blanks around": " \tHIV\n",
    "no-break space": "\N{NO-BREAK SPACE}HIV",
    "full width": "\uff28\uff29\uff36",
    "mathematical letters": "\N{MATHEMATICAL BOLD CAPITAL H}\N{MATHEMATICAL FRAKTUR SMALL I}\N{ROMAN NUMERAL FIVE}",
    "Roman numeral": "H\N{ROMAN NUMERAL FOUR}",
    "zero-width space": "H\N{ZERO WIDTH SPACE}IV",
    "byte order mark": "\N{ZERO WIDTH NO-BREAK SPACE}HIV",
    "joiners": "H\N{ZERO WIDTH JOINER}I\N{ZERO WIDTH NON-JOINER}V\N{COMBINING GRAPHEME JOINER}",
    "soft hyphen": "HI\N{SOFT HYPHEN}V",
    "writing directions": "\N{RIGHT-TO-LEFT MARK}HIV\N{LEFT-TO-RIGHT MARK}\N{RIGHT-TO-LEFT OVERRIDE}",
    "isolates": "\N{FIRST STRONG ISOLATE}HIV\N{POP DIRECTIONAL ISOLATE}",
    "variation selectors": "HIV\N{VARIATION SELECTOR-1}\N{VARIATION SELECTOR-17}",
    "controls": "HIV\x00\x7f\x9f",
    "fillers": "\N{HANGUL FILLER}HIV\N{HALFWIDTH HANGUL FILLER}\N{BRAILLE PATTERN BLANK}",
    "Greek letters": "\N{GREEK CAPITAL LETTER ETA}\N{GREEK CAPITAL LETTER IOTA}V",
    "Cyrillic letters": "\N{CYRILLIC CAPITAL LETTER EN}\N{CYRILLIC CAPITAL LETTER BYELORUSSIAN-UKRAINIAN I}V",
    "small Cyrillic letters": "h\N{CYRILLIC SMALL LETTER BYELORUSSIAN-UKRAINIAN I}\N{CYRILLIC SMALL LETTER IZHITSA}",
    "Turkish capital": "H\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}V",
    "Turkish small letter": "h\N{LATIN SMALL LETTER DOTLESS I}v",
    "a dot on the dot": "hi\N{COMBINING DOT ABOVE}\N{COMBINING DOT ABOVE}v",
}


@pytest.mark.parametrize("text", SPELLINGS.values(), ids=SPELLINGS)
def test_spellings_of_one_value(text: str) -> None:
    """What looks like HIV is hiv."""
    assert even_spelling(text) == "hiv"


def test_signs_that_look_alike() -> None:
    """Hyphens, dashes and the minus sign are one, and so are apostrophes."""
    assert {even_spelling(f"HIV{sign}1") for sign in "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212"} == {"hiv-1"}
    assert {even_spelling(f"Crohn{sign}s") for sign in "'\u2018\u2019\u02bc\u2032"} == {"crohn's"}


def test_order_of_marks() -> None:
    """Marks above and below a letter are one text in either order, composed or not, on any letter that looks so."""
    marked = ["q\u0307\u0323", "q\u0323\u0307", "Q\u0307\u200b\u0323", "\u051b\u0323\u0307"]
    assert {even_spelling(text) for text in marked} == {"q\u0323\u0307"}
    assert {even_spelling(text) for text in ["caf\u00e9", "cafe\u0301", "CAFE\u0301", "\u0441af\u0435\u0301"]} == {
        "caf\u00e9"
    }


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("cafe", "caf\u00e9"),
        ("5 mg", "5 \N{MICRO SIGN}g"),
        ("5 mg", "5 \N{GREEK SMALL LETTER MU}g"),
        ("hiv1", "hiv 1"),
        ("O", "0"),
        ("l", "1"),
        ("rn", "m"),
        ("\u0436\u0430\u0440", "\u0433\u0430\u0440"),
        ("za\u017c", "zaz"),
    ],
)
def test_what_looks_different_stays_different(one: str, other: str) -> None:
    """Accents, units, digits, blanks and letters that a reader tells apart make two values."""
    assert even_spelling(one) != even_spelling(other)


def test_blanks() -> None:
    """Blanks of any kind and number are one, and a text of what is invisible is empty."""
    assert even_spelling("lung \t\N{EM SPACE}\N{IDEOGRAPHIC SPACE}cancer\N{LINE SEPARATOR}") == "lung cancer"
    assert even_spelling(" \N{ZERO WIDTH SPACE}\x00 ") == even_spelling("") == ""
