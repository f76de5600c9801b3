"""How well inspection finds the identifiers that HIPAA Safe Harbor removes, and how often it names a column falsely.

    KOHORT_DATA=your-folder python -m bench.identifiers

A seeded table holds all 18, once with headers in each of five languages and once with headers that say nothing: counted
are the identifiers that are found. Then tables that people use as they are: the register, the admissions, UCI Adult and
those of kohort/roles (with KOHORT_DATA), and the tables that come with scikit-learn, statsmodels, lifelines,
vega_datasets and plotly, where these are installed. A column of them is falsely named where a finding says of it what
it does not hold; `HELD` lists what columns do hold, as a person has read them.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final

import polars as pl

from kohort.assessment.inspection.guesses import inspect_table
from kohort.assessment.inspection.safe_harbor import SAFE_HARBOR
from kohort.errors import KohortError
from kohort.io import read
from kohort.samples.admissions import write_admissions
from kohort.samples.italy import write_italy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

#: Records of a generated table.
RECORDS: Final = 1_000

#: The most columns of all that may be named falsely.
FALSE: Final = 0.02

# --- a table that holds all 18 ----------------------------------------------------------------------------------------


def _digits(random: Random, count: int) -> str:
    return "".join(random.choices("0123456789", k=count))


def _letters(random: Random, count: int) -> str:
    return "".join(random.choices("ABCDEFGHJKLMNPRSTUVWXYZ", k=count))


def _iban(random: Random) -> str:
    """A German one: 18 digits, and two by which the whole leaves 1 modulo 97."""
    account = _digits(random, 18)
    return f"DE{98 - int(f'{account}131400') % 97:02}{account}"


def _vin(random: Random) -> str:
    """Seventeen signs, of which the ninth makes the weighted sum right."""
    worth = dict(zip("ABCDEFGHJKLMNPRSTUVWXYZ", map(int, "12345678123457923456789"), strict=True))
    signs = [*random.choices([*worth, *"0123456789"], k=8), "0", *random.choices([*worth, *"0123456789"], k=8)]
    weights = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2]
    rest = sum(int(worth.get(sign, sign)) * weight for sign, weight in zip(signs, weights, strict=True))
    signs[8] = "0123456789X"[rest % 11]
    return "".join(signs)


def _udi(random: Random) -> str:
    """The number of a device of GS1, with its lot."""
    number = _digits(random, 13)
    total = sum(int(digit) * (3, 1)[place % 2] for place, digit in enumerate(number))
    return f"(01){number}{-total % 10}(10){_letters(random, 2)}{_digits(random, 4)}"


_FIRST: Final = (
    "Ada",
    "Bruno",
    "Carla",
    "Dario",
    "Elena",
    "Franz",
    "Gesa",
    "Hugo",
    "Ida",
    "Jonas",
    "Klara",
    "Luis",
    "Marta",
    "Nora",
    "Otto",
    "Paula",
)
_LAST: Final = (
    "Adler",
    "Berger",
    "Conti",
    "Duval",
    "Esposito",
    "Ferrari",
    "Garcia",
    "Huber",
    "Lopez",
    "Moreau",
    "Neri",
    "Ortiz",
    "Rossi",
    "Weber",
)

#: How a value of each identifier is made.
MADE: Final[Mapping[str, Callable[[Random], str]]] = {
    "A": lambda random: f"{random.choice(_FIRST)} {random.choice(_LAST)}",
    "B": lambda random: f"0{_digits(random, 4)}",
    "C": lambda random: f"{random.randint(1930, 2012)}-{random.randint(1, 12):02}-{random.randint(1, 28):02}",
    "D": lambda random: f"({random.randint(201, 989)}) 555-{_digits(random, 4)}",
    "E": lambda random: f"({random.randint(201, 989)}) 555-{_digits(random, 4)}",
    "F": lambda random: f"{random.choice(_LAST).lower()}{_digits(random, 3)}@example.org",
    "G": lambda random: f"{random.randint(100, 665)}-{random.randint(10, 99)}-{random.randint(1000, 9999)}",
    "H": lambda random: f"H{_digits(random, 7)}",
    "I": lambda random: f"{random.randint(1, 9)}EG{_digits(random, 1)}TE{_digits(random, 1)}MK{_digits(random, 2)}",
    "J": _iban,
    "K": lambda random: f"{_letters(random, 1)}{_digits(random, 8)}",
    "L": _vin,
    "M": _udi,
    "N": lambda random: f"https://example.org/~{random.choice(_FIRST).lower()}{_digits(random, 3)}",
    "O": lambda random: f"192.0.2.{random.randint(0, 255)}",
    "P": lambda random: "".join(random.choices("0123456789abcdef", k=40)),
    "Q": lambda random: f"scans/{_digits(random, 6)}.jpg",
    "R": lambda random: f"{_letters(random, 3)}-{_digits(random, 5)}",
}

#: What headers say in each language, in the order of the letters.
HEADERS: Final[Mapping[str, str]] = {
    "English": "patient_name zip_code admission_date home_phone fax_number email ssn medical_record_number"
    " health_plan_beneficiary_no account_number drivers_license vehicle_id device_serial website ip_address"
    " fingerprint face_photo study_code",
    "German": "Patientenname PLZ Aufnahmedatum Telefon Faxnummer E-Mail Sozialversicherungsnummer Patientennummer"
    " Versichertennummer Kontonummer Führerscheinnummer Kfz-Kennzeichen Seriennummer Webseite IP-Adresse Fingerabdruck"
    " Lichtbild Studiencode",
    "Italian": "nome_paziente CAP data_ricovero telefono fax indirizzo_email numero_previdenza_sociale cartella_clinica"
    " tessera_sanitaria numero_conto patente targa numero_di_serie sito_web indirizzo_ip impronta_digitale foto codice",
    "French": "nom_patient code_postal date_entree téléphone télécopie courriel numéro_sécu dossier_médical_n"
    " numéro_assuré numéro_compte permis_conduire immatriculation numéro_de_série site_web adresse_ip"
    " empreinte_digitale photo code_étude",
    "Spanish": "nombre_paciente código_postal fecha_ingreso teléfono fax correo seguridad_social historia_clínica"
    " póliza_número cuenta_número pasaporte matrícula_vehículo número_serie página_web dirección_ip huella_dactilar"
    " retrato código",
    "abbreviated": "PAT_NM POSTCD DISCH_DT TEL_HOME FAX_NO EMAIL_ADDR SOC_SEC_NO MRN_ID MEMBER_ID ACCT_NO LIC_NO"
    " PLATE_NO IMPLANT_SERIAL_NO URL_PROFILE LOGIN_IP VOICEPRINT_ID PHOTO_PATH SUBJ_CD",
    "none": " ".join(f"c{place}" for place in range(1, 19)),
}


def all_18(language: str, records: int = RECORDS, *, seed: int = 7) -> pl.DataFrame:
    """A table that holds the 18 identifiers, a column each in the order of the list, and four columns of none."""
    random = Random(seed)  # noqa: S311  for no secret
    pairs = zip(HEADERS[language].split(), SAFE_HARBOR, strict=True)
    held = {name: [MADE[one.letter](random) for _ in range(records)] for name, one in pairs}
    others = {
        "sex": random.choices("fm", k=records),
        "ward": random.choices(["surgery", "medicine", "eye"], k=records),
        "nights": [str(random.randint(1, 20)) for _ in range(records)],
        "weight": [f"{random.gauss(75, 12):.1f}" for _ in range(records)],
    }
    return pl.DataFrame(held | others)


def found(frame: pl.DataFrame) -> tuple[set[str], list[str]]:
    """Of such a table the letters that are found in their own column, and what is found elsewhere."""
    guesses = inspect_table(read(frame))
    pairs = list(zip(guesses, [one.letter for one in SAFE_HARBOR], strict=False))
    right = {letter for guess, letter in pairs if letter in {each.letter for each in guess.findings}}
    wrong = [
        f"{guess.name}: {each.letter}" for guess, letter in pairs for each in guess.findings if each.letter != letter
    ]
    return right, wrong + [f"{guess.name}: {each.letter}" for guess in guesses[len(pairs) :] for each in guess.findings]


# --- tables as they are -----------------------------------------------------------------------------------------------

#: What columns of the tables below hold, as a person has read them; every other column holds none of the 18. Row
#: numbers and codes that each record has for itself are R.
HELD: Final[Mapping[str, Mapping[str, str]]] = {
    "people": {"person_id": "R", "first_name": "A", "last_name": "A", "city": "B"},
    "admissions": {
        **dict.fromkeys(("stay_id", "patient_id"), "R"),
        **dict.fromkeys(("birth_date", "admission_date", "discharge_date"), "C"),
        "patient_name": "A",
        "postal_code": "B",
    },
    "affairs": {"rownames": "R"},
    "actg175": {"column_1": "R", "pidnum": "R"},
    "pbc": {"rownames": "R", "id": "R"},
    "anes96": {"'age'": "C"},
    "co2": {"date": "C"},
    "data": {"period": "C"},
    "elec_equip": {"DATE": "C"},
    "fair_pt": {"identifier": "R"},
    "longley": {"Obs": "R"},
    "modechoice": {"individual": "R"},
    "canadian_senators": {"Name": "A", "Term (yyyy.mm.dd)": "C", "start_date": "C", "end_date": "C"},
    "dd": {"ehead": "A", "leaderspellreg": "R"},
    "interval_diabetes": {"column_1": "R"},
    "lymph_node": {"id": "R", **dict.fromkeys(("diagdateb", "recdate", "deathdate"), "C")},
    "merrell1955": {"id": "R", **dict.fromkeys(("year_month_of_diagnosis", "year_month_of_last_observation"), "C")},
    "mice": {"column_1": "R"},
    "multicenter_aids_cohort": {"i": "R"},
    "nh4": {"column_1": "R", "Date.On": "C", "Date.Off": "C"},
    "panel_test": {"id": "R"},
    "static_test": {"id": "R"},
    "stanford_heart": {"id": "R"},
    "recur": {"ID": "R"},
    "airports": {"iata": "R", "city": "B", "latitude": "B", "longitude": "B"},
    "la-riots": {
        **dict.fromkeys(("first_name", "last_name"), "A"),
        "death_date": "C",
        **dict.fromkeys(("address", "neighborhood", "latitude", "longitude"), "B"),
    },
    "iowa-electricity": {"year": "C"},
    "us-employment": {"month": "C"},
    "seattle-temps": {"date": "C"},
    "seattle-weather": {"date": "C"},
    "sf-temps": {"date": "C"},
    "stocks": {"date": "C"},
    "carshare": {"centroid_lat": "B", "centroid_lon": "B"},
    "election": {"district_id": "R", "district": "B"},
}

#: Packages that bring tables with them.
PACKAGES: Final = ("sklearn", "statsmodels", "lifelines", "vega_datasets", "plotly")


@dataclass(frozen=True, slots=True)
class Named:
    """The columns of a table that findings are about.

    Attributes:
        table: The table.
        columns: How many columns it has.
        right: Those of which a finding says what they hold.
        false: Those of which one says what they do not hold, with its letter.
        missed: Those that hold what no finding says, with its letter.
    """

    table: str
    columns: int
    right: tuple[str, ...]
    false: tuple[str, ...]
    missed: tuple[str, ...]


def named(table: str, source: object) -> Named:
    """How the findings about a table compare with what it holds."""
    held = HELD.get(table, {})
    guesses = inspect_table(read(source))
    said = {one.name: {each.letter for each in one.findings} for one in guesses}
    right = tuple(name for name, letters in said.items() if held.get(name, "") in letters)
    false = tuple(
        f"{name}: {letter}" for name, letters in said.items() for letter in sorted(letters - {held.get(name)})
    )
    return Named(
        table, len(guesses), right, false, tuple(f"{name}: {held[name]}" for name in held if name not in right)
    )


def generated() -> list[Named]:
    """The register, the admissions, and four columns that hold nothing."""
    with tempfile.TemporaryDirectory() as folder:
        for write in (write_italy, write_admissions):
            write(Path(folder), RECORDS, seed=7)
        made = [named(name, str(Path(folder, f"{name}.csv"))) for name in ("people", "admissions")]
    return [*made, named("others", all_18("none").drop(f"c{place}" for place in range(1, 19)))]


def others(folder: str | None) -> Iterator[Named]:
    """Tables in a folder, and those of installed packages: all that are delimited text with a header."""
    paths = [] if folder is None else [Path(folder, "adult.csv"), *Path(folder, "roles").glob("*.csv")]
    for package in PACKAGES:
        spec = importlib.util.find_spec(package)
        if spec is not None and spec.origin is not None:
            here = (one for one in Path(spec.origin).parent.rglob("*") if "tests" not in one.parts)
            paths += [one for one in here if one.name.endswith((".csv", ".csv.gz", ".tsv"))]
    for path in sorted(paths):
        try:
            one = named(path.name.partition(".")[0], str(path))
        except KohortError:
            continue  # no header, or no table
        if one.columns > 1 and path.stem != "labels":
            yield one


def main() -> None:
    """Print what is found, and every column that is falsely named."""
    parser = argparse.ArgumentParser(description="How well identifiers are found.")
    parser.parse_args()
    for language in HEADERS:
        right, wrong = found(all_18(language))
        print(f"headers: {language:<12} {len(right)} of {len(SAFE_HARBOR)} found{', ' * bool(wrong)}{', '.join(wrong)}")
    clean = generated()
    every = [*clean, *others(os.environ.get("KOHORT_DATA"))]
    for one in every:
        print(f"{one.table:<24} {one.columns:>4} columns, {len(one.right)} rightly named", *one.false, sep="; ")
        for column in one.missed:
            print(f"    missed {column}")
    for name, some in (("generated", clean), ("all", every)):
        columns, false = sum(one.columns for one in some), sum(len(one.false) for one in some)
        held = sum(len(one.right) + len(one.missed) for one in some)
        seen = sum(len(one.right) for one in some)
        shares = f"{seen} of {held} found; {false} of {columns} columns falsely named ({false / columns:.1%})"
        print(f"{name}: {len(some)} tables, {shares}")


if __name__ == "__main__":
    main()
