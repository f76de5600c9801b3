"""Texts that betray what they are by their form, and by a checksum where they have one.

A pattern looks at one value and says yes or no; what a column of such values reveals is for `inspection` to judge.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

#: A letter that stands for a digit, where two people would otherwise have the same code (omocodia).
_DIGIT = "[0-9LMNPQRSTUV]"
_codice_fiscale = re.compile(f"[A-Z]{{6}}{_DIGIT}{{2}}[ABCDEHLMPRST]{_DIGIT}{{2}}[A-Z]{_DIGIT}{{3}}[A-Z]").fullmatch

#: Worth of the 1st, 3rd, 5th … character of a codice fiscale, for A or 0, B or 1 and so on; the others count 0, 1, 2 …
#: (decree of the Ministry of Finance, 23 December 1976).
_ODD: Final = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)

_iban = re.compile(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}").fullmatch
_email = re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[^\W_][\w-]*(?:\.[\w-]+)*\.[^\W\d_]{2,}").fullmatch
_uuid = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}").fullmatch
_card = re.compile(r"[2-6][0-9]{12,18}").fullmatch
_card_groups = re.compile(r"[0-9]+(?:[ -][0-9]{2,})*").fullmatch
_iso_date = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}").fullmatch
_postal_code = re.compile(r"[0-9]{5}(?:-[0-9]{4})?").fullmatch
_numbered = re.compile(r"([^0-9]*)([0-9]{1,18})").fullmatch  # no table has more records than 18 digits count

#: With a country code, or an Italian fixed (0…) or mobile (3…) number; blanks and punctuation taken out before.
_telephone = re.compile(r"(?:\+|00)[1-9][0-9]{7,14}|0[1-9][0-9]{6,9}|3[0-9]{8,9}").fullmatch
_telephone_marks = str.maketrans("", "", " ()./-")
_american_telephone = re.compile(r"(?:1[ .-])?\(?[2-9][0-9]{2}\)?[ .-][0-9]{3}[ .-][0-9]{4}").fullmatch

#: Share of its span that a running number fills: some records may have been deleted, or never numbered.
_FILLED = 0.95


@dataclass(frozen=True, slots=True)
class Pattern:
    """A form of text.

    Attributes:
        plural: What texts of this form are called, several of them.
        matches: Whether a text has it.
        checked: Whether a checksum confirms it.
    """

    plural: str
    matches: Callable[[str], bool]
    checked: bool = False


def is_codice_fiscale(text: str) -> bool:
    """Whether `text` is an Italian tax code of a person whose last letter agrees with the rest.

    >>> is_codice_fiscale("RSSMRA80A01H501U"), is_codice_fiscale("RSSMRA80A01H501X")
    (True, False)
    """
    code = text.upper()
    if not text.isascii() or _codice_fiscale(code) is None:
        return False
    ranks = [int(sign) if sign.isdigit() else ord(sign) - ord("A") for sign in code]
    total = sum(_ODD[rank] for rank in ranks[:15:2]) + sum(ranks[1:15:2])
    return total % 26 == ranks[15]


def is_iban(text: str) -> bool:
    """Whether `text` is an international bank account number, printed with or without blanks (ISO 13616).

    >>> is_iban("GB82 WEST 1234 5698 7654 32"), is_iban("GB82 WEST 1234 5698 7654 23")
    (True, False)
    """
    number = text.replace(" ", "")
    if _iban(number) is None:
        return False
    digits = "".join(str(int(sign, 36)) for sign in number[4:] + number[:4])
    return int(digits) % 97 == 1


def is_email(text: str) -> bool:
    """Whether `text` is an e-mail address.

    >>> is_email("ada@example.org"), is_email("ada@example")
    (True, False)
    """
    return _email(text) is not None


def is_uuid(text: str) -> bool:
    """Whether `text` is a universally unique identifier in its usual form of five groups.

    >>> is_uuid("123e4567-e89b-12d3-a456-426614174000"), is_uuid("123e4567")
    (True, False)
    """
    return _uuid(text) is not None


def is_ip_address(text: str) -> bool:
    """Whether `text` is an address of the internet protocol, version 4 or 6.

    >>> is_ip_address("192.0.2.7"), is_ip_address("2001:db8::1"), is_ip_address("192.0.2.700")
    (True, True, False)
    """
    if "." not in text and ":" not in text:
        return False
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def is_credit_card(text: str) -> bool:
    """Whether `text` is a payment card number with a right check digit (Luhn), in groups or not.

    >>> is_credit_card("4111 1111 1111 1111"), is_credit_card("4111 1111 1111 1112")
    (True, False)
    """
    if _card_groups(text) is None:
        return False
    number = text.replace(" ", "").replace("-", "")
    if _card(number) is None:
        return False
    digits = [int(sign) for sign in reversed(number)]
    doubled = (2 * digit for digit in digits[1::2])
    return (sum(digits[::2]) + sum(digit // 10 + digit % 10 for digit in doubled)) % 10 == 0


def is_telephone(text: str) -> bool:
    """Whether `text` is a telephone number: with a country code, or as Italians or Americans write theirs.

    >>> is_telephone("+39 06 1234 5678"), is_telephone("340 1234567"), is_telephone("12345678")
    (True, True, False)
    """
    if is_postal_code(text):  # 02139-4307 would else be in Italy
        return False
    return _telephone(text.translate(_telephone_marks)) is not None or _american_telephone(text) is not None


def is_postal_code(text: str) -> bool:
    """Whether `text` is five digits, as in Italy, Germany, France, Spain or the United States (there with four more).

    >>> is_postal_code("00118"), is_postal_code("118")
    (True, False)
    """
    return _postal_code(text) is not None


def is_iso_date(text: str) -> bool:
    """Whether `text` is a day of the calendar, year first (ISO 8601).

    >>> is_iso_date("2024-02-29"), is_iso_date("2023-02-29")
    (True, False)
    """
    if _iso_date(text) is None:
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def is_running_number(values: Sequence[str]) -> bool:
    """Whether distinct `values` number records on, one after the other, with one prefix and few gaps.

    >>> is_running_number(["A07", "A08", "A10", "A09"]), is_running_number(["7", "8", "90"])
    (True, False)
    """
    first = _numbered(values[0]) if values else None
    if first is None:
        return False
    prefix = first[1]
    numbers: list[int] = []
    for text in values:
        found = _numbered(text)
        if found is None or found[1] != prefix:
            return False
        numbers.append(int(found[2]))
    return len(numbers) >= _FILLED * (max(numbers) - min(numbers) + 1)


ISO_DATE: Final = Pattern("dates", is_iso_date)
POSTAL_CODE: Final = Pattern("postal codes", is_postal_code)

#: Forms that point at one person, or at what only one person has; no text has two of them.
IDENTIFIERS: Final = (
    Pattern("codici fiscali", is_codice_fiscale, checked=True),
    Pattern("bank account numbers (IBAN)", is_iban, checked=True),
    Pattern("e-mail addresses", is_email),
    Pattern("UUIDs", is_uuid),
    Pattern("IP addresses", is_ip_address),
    Pattern("credit card numbers", is_credit_card, checked=True),
    Pattern("telephone numbers", is_telephone),
)
