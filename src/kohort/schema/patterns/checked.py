"""Numbers of people, accounts and cards, each with the check digits that its public definition gives it."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

#: A letter that stands for a digit, where two people would otherwise have the same code (omocodia).
_DIGIT = "[0-9LMNPQRSTUV]"
_codice_fiscale = re.compile(f"[A-Z]{{6}}{_DIGIT}{{2}}[ABCDEHLMPRST]{_DIGIT}{{2}}[A-Z]{_DIGIT}{{3}}[A-Z]").fullmatch

#: Worth of the 1st, 3rd, 5th … character of a codice fiscale, for A or 0, B or 1 and so on; the others count 0, 1, 2 …
#: (decree of the Ministry of Finance, 23 December 1976).
_ODD: Final = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)

_iban = re.compile(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}").fullmatch
_card = re.compile(r"[2-6][0-9]{12,18}").fullmatch
_card_groups = re.compile(r"[0-9]+(?:[ -][0-9]{2,})*").fullmatch
_eleven = re.compile(r"[0-9]{11}").fullmatch
_steuer_id = re.compile(r"[1-9][0-9]{10}").fullmatch
_german_insurance = re.compile(r"([0-9]{8})([A-Z])([0-9]{3})").fullmatch
_nir = re.compile(r"([1-478][0-9]{4})([0-9]{2}|2[AB])([0-9]{6})([0-9]{2})").fullmatch
_dni = re.compile(r"([0-9XYZ][0-9]{7})([A-Z])").fullmatch
_nhs = re.compile(r"[0-9]{10}").fullmatch
_nino = re.compile(r"(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z][0-9]{6}[A-D]").fullmatch
_kvnr = re.compile(r"([A-Z])([0-9]{8})([0-9])").fullmatch
_imei = re.compile(r"(?:01|35|86|91|99)[0-9]{13}").fullmatch
_vin = re.compile(r"[0-9A-HJ-NPR-Z]{17}").fullmatch
_udi = re.compile(r"\(01\)([0-9]{14})(?:\((?:10|11|17|21|240)\)[!-'*-~]{1,20})*").fullmatch
_ssn = re.compile(r"(?!000|666|9)[0-9]{3}-(?!00)[0-9]{2}-(?!0000)[0-9]{4}").fullmatch

#: The last letter of a DNI or NIE, for the remainder of its number by 23.
_DNI_LETTERS: Final = "TRWAGMYFPDXBNJZSQVHLCKE"

#: Worth of the letters of a vehicle's number (49 CFR 565.15), and by what its 17 characters are multiplied.
_VIN_LETTERS: Final = dict(zip("ABCDEFGHJKLMNPRSTUVWXYZ", "12345678123457923456789", strict=True))
_VIN_WEIGHTS: Final = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)

#: By what the twelve digits of a German insurance number are multiplied, the letter standing for two of them.
_INSURANCE_WEIGHTS: Final = (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1)

#: How often the one digit that a Steuer-ID repeats among its first ten may occur.
_REPEATED: Final = ({2}, {3})


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


def is_credit_card(text: str) -> bool:
    """Whether `text` is a payment card number with a right check digit (Luhn), in groups or not.

    >>> is_credit_card("4111 1111 1111 1111"), is_credit_card("4111 1111 1111 1112")
    (True, False)
    """
    if _card_groups(text) is None:
        return False
    number = text.replace(" ", "").replace("-", "")
    return _card(number) is not None and _luhn(number)


def is_partita_iva(text: str) -> bool:
    """Whether `text` is an Italian VAT number: eleven digits, the last by Luhn's rule.

    >>> is_partita_iva("12345678903"), is_partita_iva("12345678901")
    (True, False)
    """
    return _eleven(text) is not None and _luhn(text)


def is_steuer_id(text: str) -> bool:
    """Whether `text` is a German tax identification number: one digit repeated, and a check digit (ISO 7064, 11,10).

    >>> is_steuer_id("86095742719"), is_steuer_id("86095742710")
    (True, False)
    """
    number = text.replace(" ", "")
    if _steuer_id(number) is None:
        return False
    if {count for count in Counter(number[:10]).values() if count > 1} not in _REPEATED:
        return False
    product = 10
    for digit in number[:10]:
        product = ((int(digit) + product) % 10 or 10) * 2 % 11
    return (11 - product) % 10 == int(number[10])


def is_german_insurance(text: str) -> bool:
    """Whether `text` is a German pension insurance number with a right check digit.

    >>> is_german_insurance("15070649C103"), is_german_insurance("15070649C104")
    (True, False)
    """
    found = _german_insurance(text.replace(" ", ""))
    if found is None:
        return False
    letter = f"{ord(found[2]) - ord('A') + 1:02}"
    digits = map(int, found[1] + letter + found[3][:2])
    products = (weight * digit for weight, digit in zip(_INSURANCE_WEIGHTS, digits, strict=True))
    return sum(product // 10 + product % 10 for product in products) % 10 == int(found[3][2])


def is_kvnr(text: str) -> bool:
    """Whether `text` is the number of somebody insured by German health insurance, with a right check digit.

    >>> is_kvnr("A000500015"), is_kvnr("A000500016")
    (True, False)
    """
    found = _kvnr(text)
    if found is None:
        return False
    digits = map(int, f"{ord(found[1]) - ord('A') + 1:02}{found[2]}")
    products = (digit * weight for digit, weight in zip(digits, (1, 2) * 5, strict=True))
    return sum(product // 10 + product % 10 for product in products) % 10 == int(found[3])


def is_nir(text: str) -> bool:
    """Whether `text` is a French social security number (NIR) with a right key.

    >>> is_nir("2 55 08 14 168 025 38"), is_nir("2 55 08 14 168 025 39")
    (True, False)
    """
    found = _nir(text.replace(" ", ""))
    if found is None:
        return False
    department = found[2].replace("2A", "19").replace("2B", "18")
    return 97 - int(found[1] + department + found[3]) % 97 == int(found[4])


def is_dni(text: str) -> bool:
    """Whether `text` is the number of a Spanish identity card (DNI), or of a foreigner (NIE), with the right letter.

    >>> is_dni("12345678Z"), is_dni("X1234567L"), is_dni("12345678A")
    (True, True, False)
    """
    found = _dni(text.replace("-", ""))
    if found is None:
        return False
    number = int(found[1].translate(str.maketrans("XYZ", "012")))
    return _DNI_LETTERS[number % 23] == found[2]


def is_nhs_number(text: str) -> bool:
    """Whether `text` is a number of the British National Health Service with a right check digit (modulo 11).

    >>> is_nhs_number("943 476 5919"), is_nhs_number("943 476 5918")
    (True, False)
    """
    number = text.replace(" ", "").replace("-", "")
    if _nhs(number) is None:
        return False
    return sum((10 - place) * int(digit) for place, digit in enumerate(number[:9])) % 11 == -int(number[9]) % 11


def is_nino(text: str) -> bool:
    """Whether `text` has the form of a British National Insurance number; it has no check digit.

    >>> is_nino("AB 12 34 56 C"), is_nino("QQ123456C")
    (True, False)
    """
    return _nino(text.replace(" ", "")) is not None


def is_ssn(text: str) -> bool:
    """Whether `text` has the form of a United States social security number; it has no check digit.

    >>> is_ssn("219-09-9999"), is_ssn("666-09-9999"), is_ssn("219099999")
    (True, False, False)
    """
    return _ssn(text) is not None


def is_vin(text: str) -> bool:
    """Whether `text` is the number of a vehicle with a right check digit, as in North America (49 CFR 565).

    >>> is_vin("1M8GDM9AXKP042788"), is_vin("1M8GDM9A1KP042788")
    (True, False)
    """
    if _vin(text) is None or text.isdigit():
        return False
    worth = (int(_VIN_LETTERS.get(sign, sign)) for sign in text)
    rest = sum(one * weight for one, weight in zip(worth, _VIN_WEIGHTS, strict=True)) % 11
    return text[8] == "0123456789X"[rest]


def is_imei(text: str) -> bool:
    """Whether `text` is the number of a mobile device, with a right check digit (Luhn).

    >>> is_imei("356938035643809"), is_imei("356938035643808")
    (True, False)
    """
    number = text.replace("-", "").replace(" ", "")
    return _imei(number) is not None and _luhn(number)


def is_udi(text: str) -> bool:
    """Whether `text` is the number of a medical device (UDI) as GS1 writes it, with a right check digit.

    >>> is_udi("(01)00844588003288(17)141120(10)7654321D"), is_udi("(01)00844588003289(10)7654321D")
    (True, False)
    """
    found = _udi(text)
    if found is None:
        return False
    return sum(int(digit) * (3, 1)[place % 2] for place, digit in enumerate(found[1])) % 10 == 0


def _luhn(number: str) -> bool:
    digits = [int(sign) for sign in reversed(number)]
    doubled = (2 * digit for digit in digits[1::2])
    return (sum(digits[::2]) + sum(digit // 10 + digit % 10 for digit in doubled)) % 10 == 0
