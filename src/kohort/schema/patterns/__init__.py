"""Texts that betray what they are by their form, and by check digits where they have some.

A pattern looks at one value and says yes or no; what a column of such values reveals is for `inspection` to judge.
"""

from __future__ import annotations

from dataclasses import dataclass
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
from kohort.schema.patterns.plain import (
    is_date,
    is_email,
    is_ip_address,
    is_iso_date,
    is_postal_code,
    is_telephone,
    is_url,
    is_uuid,
)

if TYPE_CHECKING:
    from collections.abc import Callable


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
