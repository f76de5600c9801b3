"""What names of columns say, in five languages and several spellings."""

from __future__ import annotations

import pytest

from kohort.schema.vocabulary.topics import says_coordinate, says_postal_code, topics_of, words_of

NAMES = {
    "name": (
        *("cognome", "codice_fiscale", "CodiceFiscale", "CODICE FISCALE", "firstName", "last-name", "maiden.name"),
        *("SSN", "Nachname", "prénom", "apellidos", "MRN", "NHS number", "Vorname", "IPAddress", "middleName"),
    ),
    "whole": ("first", "Last", "given", "family"),
    "contact": ("e_mail", "email", "telefono", "numero_cellulare", "indirizzo.casa", "Straße", "correo", "home-phone"),
    "row": ("row", "rownames", "index", "column_1", "SEQN"),
    "id": ("person_id", "IDPaziente", "patientID", "patientid", "pidnum", "caseno", "city-id", "subjid"),
    "naming": ("nome", "Name", "nom", "patient_name", "nome_comune"),
    "number": ("account_no", "case number", "Rechnungsnummer", "order.ref", "Personalnr"),
    "person": ("subject", "patient", "Kunde", "cliente", "élève"),
    "plain": (
        *("age", "ETÀ", "eta", "età", "data_nascita", "dataDiNascita", "dob", "birthYear", "sesso", "Gender", "cap"),
        *("CAP_residenza", "zip", "zipcode", "zip-code", "marital-status", "race", "Geburtsdatum", "edad", "sexe"),
    ),
    "known": (
        *("comune", "nome_comune", "Città", "provincia", "city_id", "stato_civile", "titolo_studio", "education-num"),
        *("professione", "native-country", "yearsmarried", "wtkg", "occup", "yrs", "marr", "ht", "Beruf", "taille"),
    ),
    "money": (
        *("stipendio", "reddito_annuo", "annual_income", "annualIncome", "capital-gain", "salary-class", "fare"),
        *(
            "Jahreseinkommen",
            "Bruttogehalt",
            "salaire",
            "sueldo",
            "charges",
            "savings_account",
            "HHIncome",
            "monthlyjobincome",
        ),
    ),
    "health": (
        *("diagnosi", "Diagnosis2", "invalidità", "malattia", "patient_name_of_disease", "bp", "chol", "BPSysAve"),
        *("bmi", "smoker", "Krankheit", "maladie", "enfermedad", "creatinine", "death", "cd4.count", "symptom"),
    ),
    "private": ("religione", "religiousness", "party", "sexual_orientation", "arrest", "jobSatisfaction", "rating"),
    "time": ("time", "duration", "futime", "durata"),
    "arm": ("trt", "arm", "offtrt"),
    "clinical": ("status", "stage"),
}


@pytest.mark.parametrize(("topic", "name"), [(topic, name) for topic, names in NAMES.items() for name in names])
def test_names_speak(topic: str, name: str) -> None:
    """A name's words give its topic, whatever the language, case, accents and separators."""
    assert topic in topics_of(name)


@pytest.mark.parametrize(
    "name",
    [
        *("", "x", "V27", "column 3", "12", "колонка", "package", "escape", "presidente", "percentage"),
        *("postage", "update", "candidate"),
    ],
)
def test_other_names_say_nothing(name: str) -> None:
    """A name without a known word says nothing, even where it contains the letters of one."""
    assert topics_of(name) == {}


def test_an_age_is_somebodys() -> None:
    """Words that end in age are ages only after a word for a person."""
    assert topics_of("patientage")["plain"] == "patientage"
    assert "plain" not in topics_of("package") | topics_of("mileage") | topics_of("ratioage")


def test_accents_may_be_composed_or_not() -> None:
    """The two Unicode forms of an accented name say the same."""
    assert words_of("citt\u00e0") == words_of("citta\u0300") == ("citta",)


def test_postal_codes_are_known_by_name() -> None:
    """A postal code is told from other places of residence."""
    assert says_postal_code("CAP")
    assert says_postal_code("zipCode")
    assert says_postal_code("code_postal")
    assert not says_postal_code("comune")


@pytest.mark.parametrize(
    ("name", "coordinate"),
    [
        ("lat", "latitude"),
        ("Breitengrad", "latitude"),
        ("geo.lng", "longitude"),
        ("longitud", "longitude"),
        ("x", None),
    ],
)
def test_coordinates_are_known_by_name(name: str, coordinate: str | None) -> None:
    """A latitude is told from a longitude, in each language."""
    assert says_coordinate(name) == coordinate
