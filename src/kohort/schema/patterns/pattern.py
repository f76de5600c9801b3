"""Texts that betray what they are by their form, and by check digits where they have some.

A pattern looks at one value and says yes or no; what a column of such values reveals is for `inspection` to judge.

Forms of text that need no check digit: addresses on the net, telephone numbers, postal codes, days.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final

from kohort.schema.patterns.checked import (
    is_codice_fiscale,
    is_credit_card,
    is_dni,
    is_german_insurance,
    is_iban,
    is_nhs_number,
    is_nino,
    is_nir,
    is_partita_iva,
    is_ssn,
    is_steuer_id,
)

if TYPE_CHECKING:
    from collections.abc import Callable


_email = re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[^\W_][\w-]*(?:\.[\w-]+)*\.[^\W\d_]{2,}").fullmatch
_uuid = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}").fullmatch
_url = re.compile(r"(?:(?:https?|ftp)://|www\.)[^\s/.]+\.\S+").fullmatch
_postal_code = re.compile(r"[0-9]{5}(?:-[0-9]{4})?").fullmatch
_iso_time = re.compile(
    r".{10}([T ]([01][0-9]|2[0-3])(:[0-5][0-9]){1,2}([.][0-9]+)?(Z|[+-][0-9]{2}:?[0-9]{2})?)?"
).fullmatch
_iso_date = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}").fullmatch
_time = r"(?:[T ][0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
_year_first = re.compile(rf"([0-9]{{4}})([-/.])([0-9]{{1,2}})\2([0-9]{{1,2}}){_time}").fullmatch
_year_last = re.compile(rf"([0-9]{{1,2}})([-/.])([0-9]{{1,2}})\2([0-9]{{4}}|[0-9]{{2}}){_time}").fullmatch

#: With a country code, or an Italian fixed (0…) or mobile (3…) number; blanks and punctuation taken out before.
_telephone = re.compile(r"(?:\+|00)[1-9][0-9]{7,14}|0[1-9][0-9]{6,9}|3[0-9]{8,9}").fullmatch
_telephone_marks = str.maketrans("", "", " ()./-")
_american_telephone = re.compile(r"(?:1[ .-])?\(?[2-9][0-9]{2}\)?[ .-][0-9]{3}[ .-][0-9]{4}").fullmatch


def is_email(text: str) -> bool:
    """Whether `text` is an e-mail address.

    >>> is_email("ada@example.org"), is_email("ada@example")
    (True, False)
    """
    return _email(text) is not None


def is_url(text: str) -> bool:
    """Whether `text` is an address on the web.

    >>> is_url("https://example.org/~ada"), is_url("www.example.org"), is_url("example.org")
    (True, True, False)
    """
    return _url(text) is not None


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


def is_telephone(text: str) -> bool:
    """Whether `text` is a telephone number: with a country code, or as Italians or Americans write theirs.

    >>> is_telephone("+39 06 1234 5678"), is_telephone("340 1234567"), is_telephone("12345678")
    (True, True, False)
    """
    if is_postal_code(text) or is_date(text):  # 02139-4307 and 03.04.1980 would else be in Italy
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
    return _iso_date(text) is not None and is_date(text)


def is_iso_time(text: str) -> bool:
    """Whether `text` is a day of the calendar, year first, perhaps with a time of the day to the minute or finer.

    >>> is_iso_time("2024-02-29 13:45:00"), is_iso_time("2024-02-29"), is_iso_time("2024-02-29 25:00")
    (True, True, False)
    """
    return _iso_time(text) is not None and is_iso_date(text[:10])


def is_date(text: str) -> bool:
    """Whether `text` is a day of the calendar, with or without a time: the year, or the day or month first.

    >>> is_date("2024-02-29 13:45"), is_date("31.12.1999"), is_date("12/31/99"), is_date("31.13.1999")
    (True, True, True, False)
    """
    if found := _year_first(text):
        return _is_day(found[1], found[3], found[4])
    found = _year_last(text)
    if found is None:
        return False
    year = f"20{found[4]}"[-4:]  # of two digits: any century has the same days, but for one in 2000
    return _is_day(year, found[3], found[1]) or (found[2] == "/" and _is_day(year, found[1], found[3]))


def _is_day(year: str, month: str, day: str) -> bool:
    try:
        date(int(year), int(month), int(day))
    except ValueError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Pattern:
    """A form of text.

    Attributes:
        plural: What texts of this form are called, several of them.
        matches: Whether a text has it.
        checked: Whether check digits confirm it.
        digits: Whether a plain number can have it: then some numbers of another kind have it by chance.
    """

    plural: str
    matches: Callable[[str], bool]
    checked: bool = False
    digits: bool = False


ISO_DATE: Final = Pattern("dates", is_iso_date)
ISO_TIME: Final = Pattern("dates with times", is_iso_time)
DATE: Final = Pattern("dates or times", is_date)
POSTAL_CODE: Final = Pattern("postal codes", is_postal_code)

#: Forms that point at one person, or at what only one person has.
IDENTIFIERS: Final = (
    Pattern("codici fiscali", is_codice_fiscale, checked=True),
    Pattern("bank account numbers (IBAN)", is_iban, checked=True),
    Pattern("e-mail addresses", is_email),
    Pattern("web addresses", is_url),
    Pattern("UUIDs", is_uuid),
    Pattern("IP addresses", is_ip_address),
    Pattern("German insurance numbers", is_german_insurance, checked=True),
    Pattern("Spanish identity numbers (DNI, NIE)", is_dni, checked=True),
    Pattern("British National Insurance numbers", is_nino),
    Pattern("US social security numbers", is_ssn),
    Pattern("French social security numbers (NIR)", is_nir, checked=True, digits=True),
    Pattern("credit card numbers", is_credit_card, checked=True, digits=True),
    Pattern("Italian VAT numbers", is_partita_iva, checked=True, digits=True),
    Pattern("German tax numbers", is_steuer_id, checked=True, digits=True),
    Pattern("NHS numbers", is_nhs_number, checked=True, digits=True),
    Pattern("telephone numbers", is_telephone, digits=True),
)
