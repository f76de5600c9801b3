"""What names of columns say, in two languages and several spellings."""

from __future__ import annotations

import pytest

from kohort.vocabulary import role_by_name, says_postal_code, words_of

NAMES = {
    "identifying": (
        *(
            "nome",
            "cognome",
            "codice_fiscale",
            "CodiceFiscale",
            "CODICE FISCALE",
            "firstName",
            "last-name",
            "person_id",
        ),
        *(
            "IDPaziente",
            "e_mail",
            "email",
            "IPAddress",
            "telefono",
            "numero_cellulare",
            "SSN",
            "indirizzo.casa",
            "Name",
        ),
    ),
    "quasi": (
        *("age", "ETÀ", "eta", "età", "data_nascita", "dataDiNascita", "dob", "birthYear", "sesso", "Gender", "cap"),
        *("CAP_residenza", "zip", "zipcode", "zip-code", "comune", "nome_comune", "Città", "provincia", "city_id"),
        *("stato_civile", "marital-status", "titolo_studio", "education-num", "professione", "native-country", "race"),
    ),
    "sensitive": (
        *("stipendio", "reddito_annuo", "annual_income", "annualIncome", "diagnosi", "Diagnosis2", "capital-gain"),
        *("invalidità", "malattia", "salary-class", "patient_name_of_disease", "religione"),
    ),
}


@pytest.mark.parametrize(("role", "name"), [(role, name) for role, names in NAMES.items() for name in names])
def test_names_speak(role: str, name: str) -> None:
    """A name's words give its role, whatever the language, case, accents and separators."""
    said = role_by_name(name)
    assert said is not None
    assert said.role == role
    assert said.word in words_of(name)


@pytest.mark.parametrize(
    "name", ["", "x", "V27", "fnlwgt", "column 3", "12", "колонка", "package", "escape", "presidente"]
)
def test_other_names_say_nothing(name: str) -> None:
    """A name without a known word says nothing, even where it contains the letters of one."""
    assert role_by_name(name) is None


def test_accents_may_be_composed_or_not() -> None:
    """The two Unicode forms of an accented name say the same."""
    assert words_of("citt\u00e0") == words_of("citta\u0300") == ("citta",)


def test_postal_codes_are_known_by_name() -> None:
    """A postal code is told from other places of residence."""
    assert says_postal_code("CAP")
    assert says_postal_code("zipCode")
    assert not says_postal_code("comune")
