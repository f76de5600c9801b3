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
    is_imei,
    is_kvnr,
    is_nhs_number,
    is_nino,
    is_nir,
    is_partita_iva,
    is_ssn,
    is_steuer_id,
    is_udi,
    is_vin,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from kohort.schema.vocabulary.kinds import Kind

_email = re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[^\W_][\w-]*(?:\.[\w-]+)*\.[^\W\d_]{2,}").fullmatch
_uuid = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}").fullmatch
_url = re.compile(r"(?:(?:https?|ftp)://|www\.)[^\s/.]+\.\S+").fullmatch
_mac = re.compile(r"[0-9A-Fa-f]{2}(?:([:-])[0-9A-Fa-f]{2})(?:\1[0-9A-Fa-f]{2}){4}").fullmatch
_picture = re.compile(
    r"(?:data:image/|/9j/|iVBORw0KGgo).*|[^\n]{1,400}\.(?:jpe?g|png|gif|bmp|tiff?|heic|webp|dcm)",
    re.IGNORECASE | re.DOTALL,
).fullmatch
_letter, _sign = "[AC-HJKMNP-RT-Y]", "[0-9AC-HJKMNP-RT-Y]"
_mbi = re.compile(f"[1-9]{_letter}{_sign}[0-9]-?{_letter}{_sign}[0-9]-?{_letter}{{2}}[0-9]{{2}}").fullmatch
_postal_code = re.compile(r"[0-9]{5}(?:-[0-9]{4})?").fullmatch
_iso_time = re.compile(
    r".{10}([T ]([01][0-9]|2[0-3])(:[0-5][0-9]){1,2}([.][0-9]+)?(Z|[+-][0-9]{2}:?[0-9]{2})?)?"
).fullmatch
_iso_date = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}").fullmatch
_compact_date = re.compile(r"(18[5-9][0-9]|19[0-9]{2}|20[0-9]{2})([0-9]{2})([0-9]{2})").fullmatch
_year_and_month = re.compile(r"[12][0-9]{3}(?:[-/](?:0[1-9]|1[0-2])|[ -]?[Qq][1-4])").fullmatch
_date_parts = re.compile(r"[^\W\d_]+|[0-9]+").findall
_time = r"(?:[T ][0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
_year_first = re.compile(rf"([0-9]{{4}})([-/.])([0-9]{{1,2}})\2([0-9]{{1,2}}){_time}").fullmatch
_year_last = re.compile(rf"([0-9]{{1,2}})([-/.])([0-9]{{1,2}})\2([0-9]{{4}}|[0-9]{{2}}){_time}").fullmatch

#: Letters of the longest date, and its parts: a day, a month and a year.
_LONGEST_DATE: Final = 40
_DATE_PARTS: Final = 3

#: The names of months and their short forms, in English, German, Italian, French and Spanish.
_SPOKEN_MONTHS: Final = """
january february march april may june july august september october november december jan feb mar apr jun jul aug sep
sept oct nov dec januar februar märz mai juni juli oktober dezember mär okt dez gennaio febbraio marzo aprile maggio
giugno luglio agosto settembre ottobre novembre dicembre gen mag giu lug ago set ott dic janvier février mars avril
juin juillet août septembre octobre décembre janv févr fév avr juil déc enero febrero abril mayo junio julio septiembre
octubre noviembre diciembre ene abr
"""
_MONTHS: Final = frozenset(_SPOKEN_MONTHS.split())

#: With a country code, or an Italian fixed (0…) or mobile (3…) number; blanks and punctuation taken out before.
_telephone = re.compile(r"(?:\+|00)[1-9][0-9]{7,14}|0[1-9][0-9]{6,9}|3[0-9]{8,9}").fullmatch
_decimal = re.compile(r"(?:0|[1-9][0-9]*)\.[0-9]+").fullmatch
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


def is_mac_address(text: str) -> bool:
    """Whether `text` is the address of a device in a network: six bytes.

    >>> is_mac_address("00:1A:2b:3c:4D:5e"), is_mac_address("00-1A-2B-3C-4D-5E"), is_mac_address("00:1A-2B:3C:4D:5E")
    (True, True, False)
    """
    return _mac(text) is not None


def is_mbi(text: str) -> bool:
    """Whether `text` has the form of a number of United States Medicare (MBI), with or without dashes.

    >>> is_mbi("1EG4-TE5-MK73"), is_mbi("1EG4TE5MK73"), is_mbi("1SG4TE5MK73")
    (True, True, False)
    """
    return _mbi(text) is not None


def is_picture(text: str) -> bool:
    """Whether `text` is a picture, written in letters, or the name of a picture's file.

    >>> is_picture("ward 3/ada.JPG"), is_picture("data:image/png;base64,iVBOR"), is_picture("ada.txt")
    (True, True, False)
    """
    return _picture(text) is not None


def is_telephone(text: str) -> bool:
    """Whether `text` is a telephone number: with a country code, or as Italians or Americans write theirs.

    >>> is_telephone("+39 06 1234 5678"), is_telephone("340 1234567"), is_telephone("12345678")
    (True, True, False)
    >>> is_telephone("06.12345678"), is_telephone("0.612345678")
    (True, False)
    """
    if is_postal_code(text) or is_date(text) or _decimal(text):  # 02139-4307, 03.04.1980, 0.61234567
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


def is_compact_date(text: str) -> bool:
    """Whether `text` is a day from 1850 to 2099 in eight digits, year first; one in a thousand other numbers is one.

    >>> is_compact_date("20240229"), is_compact_date("20230229"), is_compact_date("12345678")
    (True, False, False)
    """
    found = _compact_date(text)
    return found is not None and _is_day(found[1], found[2], found[3])


def is_spoken_date(text: str) -> bool:
    """Whether `text` is a date with the name of its month, in five languages, or a month or quarter of a year.

    >>> is_spoken_date("12 März 1952"), is_spoken_date("Mar-52"), is_spoken_date("1952-03"), is_spoken_date("1952Q1")
    (True, True, True, True)
    >>> is_spoken_date("Mars"), is_spoken_date("1952"), is_spoken_date("1952-13"), is_spoken_date("march 1 2 3 of 4")
    (False, False, False, False)
    """
    if _year_and_month(text):
        return True
    parts = _date_parts(text.lower()) if len(text) <= _LONGEST_DATE and "\n" not in text else []
    words = [part for part in parts if not part.isdigit()]
    return 1 < len(parts) <= _DATE_PARTS and len(words) == 1 and words[0] in _MONTHS


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
        kind: What texts of this form stand for.
        digits: Whether a plain number can have it: then some numbers of another kind have it by chance.
    """

    plural: str
    matches: Callable[[str], bool]
    kind: Kind = "other"
    checked: bool = False
    digits: bool = False


ISO_DATE: Final = Pattern("dates", is_iso_date, "date")
ISO_TIME: Final = Pattern("dates with times", is_iso_time, "date")
DATE: Final = Pattern("dates or times", is_date, "date")
COMPACT_DATE: Final = Pattern("dates", is_compact_date, "date")
POSTAL_CODE: Final = Pattern("postal codes", is_postal_code, "postal code")

SPOKEN_DATE: Final = Pattern("dates or months in words", is_spoken_date, "date")
PICTURE: Final = Pattern("pictures, or names of their files", is_picture, "face")
TELEPHONE: Final = Pattern("telephone numbers", is_telephone, "phone", digits=True)

#: Forms of days that are the same for a column's role.
DAYS: Final = (ISO_DATE, ISO_TIME, DATE, COMPACT_DATE)

#: Forms that point at one person, or at what only one person has.
IDENTIFIERS: Final = (
    Pattern("codici fiscali", is_codice_fiscale, checked=True),
    Pattern("bank account numbers (IBAN)", is_iban, "account", checked=True),
    Pattern("e-mail addresses", is_email, "email"),
    Pattern("web addresses", is_url, "web"),
    Pattern("UUIDs", is_uuid),
    Pattern("IP addresses", is_ip_address, "ip"),
    Pattern("German insurance numbers", is_german_insurance, "ssn", checked=True),
    Pattern("Spanish identity numbers (DNI, NIE)", is_dni, checked=True),
    Pattern("British National Insurance numbers", is_nino, "ssn"),
    Pattern("US Medicare numbers", is_mbi, "plan"),
    Pattern("German health insurance numbers", is_kvnr, "plan", checked=True),
    Pattern("vehicle identification numbers (VIN)", is_vin, "vehicle", checked=True),
    Pattern("device identifiers (UDI)", is_udi, "device", checked=True),
    Pattern("network addresses of devices (MAC)", is_mac_address, "device"),
    Pattern("US social security numbers", is_ssn, "ssn"),
    Pattern("French social security numbers (NIR)", is_nir, "ssn", checked=True, digits=True),
    Pattern("numbers of mobile devices (IMEI)", is_imei, "device", checked=True, digits=True),
    Pattern("credit card numbers", is_credit_card, "account", checked=True, digits=True),
    Pattern("Italian VAT numbers", is_partita_iva, checked=True, digits=True),
    Pattern("German tax numbers", is_steuer_id, checked=True, digits=True),
    Pattern("NHS numbers", is_nhs_number, "record", checked=True, digits=True),
    TELEPHONE,
)
