"""Forms of text: what has them, what nearly has them, and that every checksum is checked."""

from __future__ import annotations

import re
import string
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.schema.patterns import DATE, IDENTIFIERS, ISO_DATE, ISO_TIME, PICTURE, POSTAL_CODE, SPOKEN_DATE
from kohort.schema.patterns.checked import (
    is_codice_fiscale,
    is_credit_card,
    is_dni,
    is_german_insurance,
    is_iban,
    is_nhs_number,
    is_nir,
    is_partita_iva,
    is_steuer_id,
)

if TYPE_CHECKING:
    from collections.abc import Callable

FORMS = {
    pattern.plural: pattern for pattern in (*IDENTIFIERS, ISO_DATE, ISO_TIME, DATE, SPOKEN_DATE, POSTAL_CODE, PICTURE)
}

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
    "web addresses": ("https://example.org/~ada?x=1", "http://a.example", "www.example.org", "ftp://ftp.example.org/x"),
    "German insurance numbers": ("15070649C103", "15 070649 C 103"),
    "Spanish identity numbers (DNI, NIE)": ("12345678Z", "12345678-Z", "X1234567L"),
    "British National Insurance numbers": ("AB123456C", "AB 12 34 56 C"),
    "US social security numbers": ("219-09-9999", "001-01-0001"),
    "French social security numbers (NIR)": ("255081416802538", "2 55 08 14 168 025 38", "1 84 12 2A 451 089 33"),
    "Italian VAT numbers": ("12345678903", "07643520567"),
    "German tax numbers": ("86095742719", "86 095 742 719", "65929970489"),
    "NHS numbers": ("9434765919", "943 476 5919"),
    "US Medicare numbers": ("1EG4-TE5-MK73", "1EG4TE5MK73"),
    "German health insurance numbers": ("A000500015", "Z999999997"),
    "vehicle identification numbers (VIN)": ("1M8GDM9AXKP042788", "5GZCZ43D13S812715"),
    "device identifiers (UDI)": ("(01)00844588003288", "(01)00844588003288(17)141120(10)7654321D(21)10987654d321"),
    "network addresses of devices (MAC)": ("00:1A:2b:3c:4D:5E", "00-1A-2B-3C-4D-5E"),
    "numbers of mobile devices (IMEI)": ("356938035643809", "35-693803-564380-9"),
    "dates or months in words": (
        *("12 März 1952", "Mar-52", "March 12, 1952", "1952-03", "1952/11", "1952Q1", "3 août 61"),
    ),
    "pictures, or names of their files": (
        "ada.jpg",
        "ward 3/ADA.JPEG",
        "data:image/png;base64,iVBOR",
        "/9j/4AAQSkZJRg",
    ),
    "dates": ("2024-02-29", "1999-12-31", "0001-01-01"),
    "dates with times": (
        *("2024-02-29 00:00:00", "2024-02-29T13:45", "2024-02-29 13:45:07.123Z"),
        *("1999-12-31T00:00:00+01:00", "1999-12-31T00:00:00.5+01:00"),
    ),
    "dates or times": (
        *("31.12.1999", "1.2.99", "29/02/2024", "12/31/1999", "31-12-1999", "2024/02/29", "29/02/00"),
        *("31.12.1999 8:05", "2024/02/29 13:45:07.123Z"),
    ),
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
    "telephone numbers": ("12345678", "0.612345678", "0000012345", "2024-01-31", "+39 12", "call me", "192.0.2.7", ""),
    "web addresses": ("example.org", "https://", "https://example", "www. example.org", "ada@example.org", ""),
    "German insurance numbers": ("15070649C104", "15070649103", "15070649c103", ""),
    "Spanish identity numbers (DNI, NIE)": ("12345678A", "1234567Z", "W1234567L", "12345678z", ""),
    "British National Insurance numbers": ("QQ123456C", "GB123456C", "AB123456E", "AB12345C", "AO123456C", ""),
    "US social security numbers": (
        "000-12-3456",
        "666-12-3456",
        "912-12-3456",
        "219-00-9999",
        "219-09-0000",
        "219099999",
        "",
    ),
    "French social security numbers (NIR)": ("255081416802539", "555081416802538", "25508141680253", ""),
    "Italian VAT numbers": ("12345678901", "1234567890", "123456789030", ""),
    "US Medicare numbers": ("1SG4-TE5-MK73", "0EG4-TE5-MK73", "1EG4-TE5-MK7", "1eg4-te5-mk73", "1EG4--TE5-MK73", ""),
    "German health insurance numbers": ("A000500016", "a000500015", "1000500015", "A00050001", ""),
    "vehicle identification numbers (VIN)": ("1M8GDM9A1KP042788", "1M8GDM9AXKP04278", "1" * 17, "IOQ", ""),
    "device identifiers (UDI)": ("(01)00844588003289", "(01)0084458800328", "00844588003288", "(02)00844588003288", ""),
    "network addresses of devices (MAC)": (
        "00:1A-2B:3C:4D:5E",
        "00:1A:2B:3C:4D",
        "001A2B3C4D5E",
        "0G:1A:2B:3C:4D:5E",
        "",
    ),
    "numbers of mobile devices (IMEI)": ("356938035643808", "376938035643809", "35693803564380", ""),
    "dates or months in words": (
        "Mars",
        "1952",
        "1952-13",
        "1952Q5",
        "march 1 2 3",
        "march 12 of 1952",
        "12 1952",
        "12 march" + " " * 40 + "1952",
        "",
    ),
    "pictures, or names of their files": ("ada.txt", ".jpg", "data:text/plain,x", "jpg", "a\nb.jpg", ""),
    "German tax numbers": ("86095742710", "06095742719", "11111111111", "12345678903", ""),
    "NHS numbers": ("9434765918", "943476591", "1000000010", ""),
    "dates or times": (
        *("31.13.1999", "30/02/2024", "13/13/1999", "12.31.1999", "31.12-1999", "1.2.999", "20240131", "31.12"),
        *("2024-02-29T", "2024-02-29 25", "12:30", ""),
    ),
    "dates with times": ("2023-02-29 00:00:00", "2024-02-29 24:00", "2024-02-29 12", "29.02.2024 12:00", ""),
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
def test_examples_have_their_form_first(form: str, text: str) -> None:
    """An example has its own form, and none that is tried before."""
    assert next(name for name, pattern in FORMS.items() if pattern.matches(text)) == form


@pytest.mark.parametrize(("form", "text"), flat(NEAR_MISSES))
def test_near_misses_lack_the_form(form: str, text: str) -> None:
    """A text that nearly has a form does not have it."""
    assert not FORMS[form].matches(text)


#: Forms that are written in groups, with blanks between them.
GROUPED = {
    *("telephone numbers", "bank account numbers (IBAN)", "German insurance numbers", "NHS numbers"),
    *("dates or months in words", "numbers of mobile devices (IMEI)", "pictures, or names of their files"),
    *("British National Insurance numbers", "French social security numbers (NIR)", "German tax numbers"),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("around", ["{} ", " {}", "{}\n", "x{}", "{}x"])
def test_nothing_stands_around_a_form(form: str, around: str) -> None:
    """A form is the whole text: a text with something around an example lacks it, blanks in numbers aside."""
    blank = around.strip() != around and "\n" not in around
    grown = {"e-mail addresses", "web addresses", "pictures, or names of their files"} if "x" in around else set[str]()
    loose = GROUPED if blank else set[str]()
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


def right_signs(form: Callable[[str], bool], start: str, end: str, signs: str) -> list[str]:
    """The signs that make the whole text right between `start` and `end`."""
    return [sign for sign in signs if form(f"{start}{sign}{end}")]


@given(st.from_regex(re.compile(r"[0-9]{10}", re.ASCII), fullmatch=True))
def test_partita_iva_has_one_check_digit(number: str) -> None:
    """Exactly one last digit is right: ten less the sum of odd places and of doubled even places."""
    even = [2 * int(digit) for digit in number[1::2]]
    total = sum(map(int, number[::2])) + sum(value - 9 * (value > 9) for value in even)
    assert right_signs(is_partita_iva, number, "", string.digits) == [str(-total % 10)]


@given(st.permutations(string.digits), st.integers(0, 8), st.booleans())
def test_steuer_id_has_one_check_digit(digits: list[str], place: int, thrice: bool) -> None:  # noqa: FBT001
    """Exactly one last digit is right where one digit of the first ten occurs twice or thrice, else none."""
    plain = "".join(digits)
    repeated = plain[:9] + plain[place]
    if thrice:
        repeated = repeated[:8].replace(plain[8], "") + plain[place] * 2 if place < 8 else repeated
    expected = 1 if repeated[0] != "0" else 0
    assert len(right_signs(is_steuer_id, repeated, "", string.digits)) == expected
    assert right_signs(is_steuer_id, plain, "", string.digits) == []


@given(st.from_regex(re.compile(r"[0-9]{8}[A-Z][0-9]{2}", re.ASCII), fullmatch=True))
def test_german_insurance_has_one_check_digit(number: str) -> None:
    """Exactly one last digit is right: the last of the sum of digits of the weighted digits."""
    digits = number[:8] + f"{string.ascii_uppercase.index(number[8]) + 1:02}" + number[9:]
    weighted = "".join(
        str(int(digit) * weight) for digit, weight in zip(digits, (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1), strict=True)
    )
    assert right_signs(is_german_insurance, number, "", string.digits) == [str(sum(map(int, weighted)) % 10)]


@given(st.from_regex(re.compile(r"[12][0-9]{12}", re.ASCII), fullmatch=True))
def test_nir_has_one_key(number: str) -> None:
    """Exactly one key is right: what is missing to the next multiple of 97."""
    keys = [f"{key:02}" for key in range(100)]
    assert [key for key in keys if is_nir(number + key)] == [f"{97 - int(number) % 97:02}"]


@given(st.from_regex(re.compile(r"[0-9XYZ][0-9]{7}", re.ASCII), fullmatch=True))
def test_dni_has_one_letter(number: str) -> None:
    """Exactly one last letter is right."""
    assert len(right_signs(is_dni, number, "", string.ascii_uppercase)) == 1


@given(st.from_regex(re.compile(r"[0-9]{9}", re.ASCII), fullmatch=True))
def test_nhs_number_has_at_most_one_check_digit(number: str) -> None:
    """The check digit is what is missing to a multiple of eleven; where that is ten, no number has it."""
    digit = -sum(weight * int(sign) for weight, sign in zip(range(10, 1, -1), number, strict=True)) % 11
    assert right_signs(is_nhs_number, number, "", string.digits) == ([] if digit == 10 else [str(digit)])
