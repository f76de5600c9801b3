"""Forms of text: what has them, what nearly has them, and that every checksum is checked."""

from __future__ import annotations

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.patterns import (
    IDENTIFIERS,
    ISO_DATE,
    POSTAL_CODE,
    is_codice_fiscale,
    is_credit_card,
    is_iban,
    is_running_number,
)

FORMS = {pattern.plural: pattern for pattern in (*IDENTIFIERS, ISO_DATE, POSTAL_CODE)}

EXAMPLES = {
    "codici fiscali": (
        "RSSMRA80A01H501U",
        "rssmra80a01h501u",
        "MRTMTT91D08F205J",
        "MLLSNT82P65Z404U",
        "RSSMRA80A01H50MM",
    ),
    "bank account numbers (IBAN)": (
        "GB82WEST12345698765432",
        "GB82 WEST 1234 5698 7654 32",
        "IT60X0542811101000000123456",
        "DE89370400440532013000",
        "NO9386011117947",
    ),
    "e-mail addresses": (
        "ada@example.org",
        "a.b+tag@mail.example.co.uk",
        "già@città.example",
        "x_y@sub-domain.example.it",
    ),
    "UUIDs": ("123e4567-e89b-12d3-a456-426614174000", "00000000-0000-0000-0000-000000000000"),
    "IP addresses": ("192.0.2.7", "255.255.255.255", "::1", "2001:db8::ff00:42:8329"),
    "credit card numbers": ("4111111111111111", "4111 1111 1111 1111", "5500-0000-0000-0004", "378282246310005"),
    "telephone numbers": (
        "+39 06 1234 5678",
        "0039 340 1234567",
        "02/1234567",
        "3401234567",
        "(202) 555-0142",
        "202-555-0142",
    ),
    "dates": ("2024-02-29", "1999-12-31", "0001-01-01"),
    "postal codes": ("00118", "98168", "20121", "02139-4307"),
}

NEAR_MISSES = {
    "codici fiscali": (
        *("RSSMRA80A01H501X", "RSSMRA80A01H501", "RSSMRA80A01H501UU", "RSS MRA80A01H501U", "RSSMRA80F01H501U"),
        *("1SSMRA80A01H501U", "ſSSMRA80A01H501U", ""),  # noqa: RUF001  its upper case is an S
    ),
    "bank account numbers (IBAN)": (
        *(
            "GB82WEST12345698765433",
            "GB28WEST12345698765432",
            "8282WEST12345698765432",
            "GB82",
            "gb82west12345698765432",
        ),
        "",
    ),
    "e-mail addresses": (
        "ada",
        "ada@example",
        "@example.org",
        "ada@.org",
        "a da@example.org",
        "ada@example.123",
        "a@b@c.org",
        "",
    ),
    "UUIDs": (
        "123e4567e89b12d3a456426614174000",
        "123e4567-e89b-12d3-a456-42661417400g",
        "123e4567-e89b-12d3-a456",
        "",
    ),
    "IP addresses": ("192.0.2.700", "192.0.2", "12:30:45", "7", "1.5", "2001:db8:::1", ""),
    "credit card numbers": (
        "4111111111111112",
        "411111111111",
        "1111111111111117",
        "4111  1111 1111 1111",
        "4-1-1-1-1",
        "",
    ),
    "telephone numbers": ("12345678", "0000012345", "2024-01-31", "+39 12", "call me", "192.0.2.7", ""),
    "dates": ("2023-02-29", "2024-13-01", "20240131", "31/01/2024", "2024-1-31", "2024-01-31T00:00", ""),
    "postal codes": ("118", "001188", "0011a", "00118-1", "００１１８", ""),  # noqa: RUF001  full-width digits are meant
}


def flat(examples: dict[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    """Each example with the name of its form."""
    return [(form, text) for form, texts in examples.items() for text in texts]


def test_every_form_has_examples() -> None:
    """No pattern goes without examples on both sides."""
    assert set(EXAMPLES) == set(NEAR_MISSES) == set(FORMS)


@pytest.mark.parametrize(("form", "text"), flat(EXAMPLES))
def test_examples_have_their_form_alone(form: str, text: str) -> None:
    """An example has its own form and no other."""
    assert [name for name, pattern in FORMS.items() if pattern.matches(text)] == [form]


@pytest.mark.parametrize(("form", "text"), flat(NEAR_MISSES))
def test_near_misses_lack_the_form(form: str, text: str) -> None:
    """A text that nearly has a form does not have it."""
    assert not FORMS[form].matches(text)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("around", ["{} ", " {}", "{}\n", "x{}", "{}x"])
def test_nothing_stands_around_a_form(form: str, around: str) -> None:
    """A form is the whole text: a text with something around an example lacks it, blanks in numbers aside."""
    loose = (
        {"telephone numbers", "bank account numbers (IBAN)"}
        if around.strip() != around and "\n" not in around
        else set[str]()
    )
    grown = {"e-mail addresses"} if "x" in around else set[str]()
    if form not in loose | grown:
        assert not FORMS[form].matches(around.format(EXAMPLES[form][0]))


#: A codice fiscale without its last letter; letters may stand for digits (omocodia).
CODE_BODY = "[A-Z]{6}D{2}[ABCDEHLMPRST]D{2}[A-Z]D{3}".replace("D{", "[0-9LMNPQRSTUV]{")


def letter_of(code: str) -> str:
    """The last letter of a codice fiscale, from the decree's tables written out."""
    odd = dict(zip(string.digits + string.ascii_uppercase, ODD_WORTH, strict=True))
    even = {sign: rank for signs in (string.digits, string.ascii_uppercase) for rank, sign in enumerate(signs)}
    total = sum((odd if place % 2 else even)[sign] for place, sign in enumerate(code, start=1))
    return string.ascii_uppercase[total % 26]


#: For 0..9 and A..Z, as the decree lists them.
ODD_WORTH = (
    *(1, 0, 5, 7, 9, 13, 15, 17, 19, 21),
    *(1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23),
)


@given(st.from_regex(re.compile(CODE_BODY, re.ASCII), fullmatch=True))
def test_codice_fiscale_has_one_letter(code: str) -> None:
    """Of the 26 last letters exactly the one that the tables give is right."""
    assert [letter for letter in string.ascii_uppercase if is_codice_fiscale(code + letter)] == [letter_of(code)]


@given(st.from_regex(re.compile(r"[A-Z0-9]{11,30}", re.ASCII), fullmatch=True), st.sampled_from(["IT", "DE", "FR"]))
def test_iban_has_one_pair_of_check_digits(account: str, country: str) -> None:
    """Of the check digits 02 to 98 exactly the pair that makes the remainder 1 is right."""
    number = "".join(str(int(sign, 36)) for sign in f"{account}{country}00")
    right = 98 - int(number) % 97
    assert [pair for pair in range(2, 99) if is_iban(f"{country}{pair:02}{account}")] == [right]


@given(st.from_regex(re.compile(r"[2-6][0-9]{11,17}", re.ASCII), fullmatch=True))
def test_credit_card_has_one_check_digit(number: str) -> None:
    """Exactly one last digit is right: the one that Luhn's rule gives."""
    doubled = [int(digit) * (2 - place % 2) for place, digit in enumerate(reversed(number))]
    right = -sum(value - 9 * (value > 9) for value in doubled) % 10
    assert [digit for digit in range(10) if is_credit_card(f"{number}{digit}")] == [right]


@pytest.mark.parametrize(
    "values",
    [["7"], ["7", "9", "8"], ["IT007", "IT008"], ["a-1", "a-2", "a-3"], [f"{n}" for n in range(1, 101) if n != 50]],
)
def test_running_numbers(values: list[str]) -> None:
    """Consecutive numbers run, in any order, after one prefix, with few gaps."""
    assert is_running_number(values)


@pytest.mark.parametrize(
    "values", [[], ["a"], ["7", "8", "90"], ["a1", "b2"], ["1", "2", "x"], ["1a", "2a"], ["9" * 5000]]
)
def test_other_numbers_do_not_run(values: list[str]) -> None:
    """Numbers far apart, under several prefixes, before a suffix or too long to count records do not run."""
    assert not is_running_number(values)
