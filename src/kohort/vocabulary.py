"""What the name of a column says about its content, in English and Italian."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal, TypeAlias

RoleName: TypeAlias = Literal["identifying", "quasi", "sensitive", "insensitive"]

#: Names someone, whatever else the name says.
_IDENTIFYING = """
account address cellulare cf codicefiscale cognome email fax firstname forename fullname iban indirizzo ip lastname
licenseplate mail matricola mobile mrn nhs nominativo passaporto passport patente pec phone piva partitaiva ssn surname
targa taxcode telefono telephone tessera userid username utente uuid
"""

#: Told in confidence: health, belief, money.
_SENSITIVE = """
balance belief capitalgain capitalloss condanna credo debito debt diagnosi diagnosis disability disabilita disease drug
esito farmaco guadagno hiv illness income invalidita isee malattia medication orientamento orientation partito party
patologia pay pension pensione political politica prescription prognosi reddito religion religione retribuzione ricavo
ricovero salario salary saldo sentence sindacato sintomo stipendio symptom terapia therapy treatment turnover union
wage wealth
"""

#: Known to neighbours, colleagues or registers.
_QUASI = """
age anni birth birthdate birthday birthplace born cap children citizenship citta cittadinanza city civile comune
country county degree department dipartimento district dob domicilio education employer employment eta ethnicity etnia
famiglia figli gender genere height hours household impiego istruzione job language lavoro lingua localita mansione
marital mestiere municipality nascita nationality native nazionalita nazione occupation occupazione ore paese peso
postal postalcode postcode profession professione province provincia qualifica quartiere race razza region regione
relationship residence residenza ruolo scolarita sede sesso settore sex state stato statura studio town weight
workclass zip zipcode zona
"""

#: Names someone only where no other word says of what: an id, but not the id of a city.
_NAMING = "id identificativo identifier key name nome"

#: In order of precedence.
_VOCABULARY: Final[tuple[tuple[RoleName, frozenset[str]], ...]] = (
    ("identifying", frozenset(_IDENTIFYING.split())),
    ("sensitive", frozenset(_SENSITIVE.split())),
    ("quasi", frozenset(_QUASI.split())),
    ("identifying", frozenset(_NAMING.split())),
)

_POSTAL: Final = frozenset({"cap", "postal", "postalcode", "postcode", "zip", "zipcode"})

#: Capitals up to the next word's first, or letters with at most the first one a capital.
_words = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+").findall


@dataclass(frozen=True, slots=True)
class Said:
    """The role that a word of a column's name stands for."""

    role: RoleName
    word: str


def role_by_name(name: str) -> Said | None:
    """The role that `name` speaks of, or `None` where it says nothing known.

    >>> role_by_name("DataNascita")
    Said(role='quasi', word='nascita')
    >>> role_by_name("patient_id"), role_by_name("city-id")
    (Said(role='identifying', word='id'), Said(role='quasi', word='city'))
    >>> role_by_name("x27")
    """
    words = words_of(name)
    found = (Said(role, word) for role, known in _VOCABULARY for word in words if word in known)
    return next(found, None)


def says_postal_code(name: str) -> bool:
    """Whether `name` speaks of a postal code.

    >>> says_postal_code("CAP_residenza")
    True
    """
    return not _POSTAL.isdisjoint(words_of(name))


def words_of(name: str) -> tuple[str, ...]:
    """The words of a column's name, folded to plain lower case, and every two neighbours as one.

    >>> words_of("firstName"), words_of("ETÀ")
    (('first', 'name', 'firstname'), ('eta',))
    """
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", name) if not unicodedata.combining(sign))
    words = [word.lower() for word in _words(plain)]
    return (*words, *(first + second for first, second in pairwise(words)))
