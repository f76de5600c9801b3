"""Guesses about columns: the right role for the right reason, and never a value in it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.assessment.inspection.evidence import SAMPLE
from kohort.assessment.inspection.guesses import Guess, inspect_table
from kohort.samples.italy import HIERARCHIES, ROLES, italy
from kohort.schema.hierarchies.spec import from_spec
from kohort.tables.table import Column, Table, narrow

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from random import Random

    from kohort.schema.vocabulary.topics import RoleName


def encoded(columns: Mapping[str, Sequence[str | None]]) -> Table:
    """A table of these cells."""
    made: list[Column] = []
    records = 0
    for name, cells in columns.items():
        values = list(dict.fromkeys(cells))
        place = {value: code for code, value in enumerate(values)}
        codes = np.array([place[cell] for cell in cells], dtype=np.int64)
        made.append(Column(name, pl.Series(values, dtype=pl.String), narrow(codes, len(values)), pl.String()))
        records = len(cells)
    return Table(tuple(made), records)


def of_frame(frame: pl.DataFrame) -> Table:
    """A table of a frame's cells as text."""
    return encoded({name: frame[name].cast(pl.String).to_list() for name in frame.columns})


def guess(cells: Sequence[str | None], name: str = "x") -> Guess:
    """What is guessed of a column of these cells, called `name`."""
    (found,) = inspect_table(encoded({name: cells}))
    return found


def test_the_register_is_guessed_exactly() -> None:
    """Every column of the Italian register gets its role, and age the intervals it ships with."""
    guesses = inspect_table(of_frame(italy(3_000, seed=11)))
    assert {found.name: found.role for found in guesses} == ROLES
    by_name = {found.name: found for found in guesses}
    assert by_name["age"].hierarchy == HIERARCHIES["age"]
    assert by_name["age"].grid == "5"
    assert by_name["gender"].hierarchy == HIERARCHIES["gender"]
    assert {found.name for found in guesses if found.scale == "numeric"} == {"age", "annual_income"}


def test_the_register_is_guessed_under_meaningless_names() -> None:
    """Values alone give the id and the shared attributes their roles; the income is undecided, for it may be an id."""
    frame = italy(3_000, seed=11).select("person_id", "gender", "city", "age", "profession", "annual_income")
    guesses = inspect_table(of_frame(frame.rename({name: f"x{n}" for n, name in enumerate(frame.columns)})))
    assert [found.role for found in guesses] == ["identifying", "quasi", "quasi", "quasi", "quasi", "undecided"]


def test_adult(adult_csv: Path) -> None:
    """On UCI Adult nobody is named, demography is quasi-identifying, money sensitive, and a weight is known as one."""
    guesses = {found.name: found for found in inspect_table(of_frame(pl.read_csv(adult_csv, infer_schema=False)))}
    sensitive = {"capital-gain", "capital-loss", "salary-class"}
    assert {name for name, found in guesses.items() if found.role == "sensitive"} == sensitive
    others = {"fnlwgt": "insensitive", "education-num": "drop"}  # a weight, and one that says what education says
    assert {name: guesses[name].role for name in others} == others
    assert {found.role for name, found in guesses.items() if name not in {*sensitive, *others}} == {"quasi"}
    numeric = {"age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"}
    assert {name for name, found in guesses.items() if found.scale == "numeric"} == numeric
    assert not any(found.missing_tokens or found.trim for found in guesses.values())


def test_an_identifying_form_outweighs_the_name() -> None:
    """A column of e-mail addresses is identifying even where it is called age, and by nineteen of twenty values."""
    cells = [f"p{n}@example.org" for n in range(19)]
    assert guess([*cells, "unknown"], "age").role == "identifying"
    assert "e-mail addresses" in guess([*cells, "unknown"], "age").reasons[0]
    assert guess([*cells, "unknown", "none"], "age").role == "quasi"


def test_a_checksum_is_told() -> None:
    """The reason for a checked form says so."""
    found = guess(["RSSMRA80A01H501U", "MRTMTT91D08F205J"])
    assert found.reasons[0] == "nearly all of its 2 values are codici fiscali with the right check digits"
    assert found.certainty == "sure"


def test_plain_digits_need_proof() -> None:
    """Numbers with check digits are people's only where most records have their own, and there are some."""
    numbers = [
        f"{n}{-sum(w * int(d) for w, d in zip(range(10, 1, -1), str(n), strict=True)) % 11}"
        for n in range(943476500, 943476540)
    ]
    numbers = [number for number in numbers if len(number) == 10]
    assert "NHS numbers" in guess(numbers).reasons[0]
    assert "NHS numbers" not in guess(numbers[:4]).reasons[0]
    assert guess([number for number in numbers for _ in range(4)]).role == "quasi"


@pytest.mark.parametrize(
    ("wrong", "role"), [(0.02, "identifying"), (0.045, "identifying"), (0.055, "quasi"), (0.2, "quasi")]
)
def test_long_columns_are_judged_as_a_whole(wrong: float, role: str) -> None:
    """Beyond the sample's size a share of wrong values near the limit is counted out, wherever they stand."""
    size = 5 * SAMPLE
    first = round(size * wrong)
    cells = [f"p{n}" if n < first else f"p{n}@example.org" for n in range(size)]
    assert guess(cells, "sex").role == role


def test_one_value_tells_nothing() -> None:
    """A column of one value, or of none, is insensitive; one that some records lack is not constant."""
    assert guess(["blue", "blue"]).role == "insensitive"
    assert guess(["", None]).role == "insensitive"
    assert guess(["blue", "", "blue", "blue"]).role == "quasi"


def test_a_single_record_is_not_constant() -> None:
    """One record's value is its own, so it may name the person."""
    assert guess(["blue"]).role == "identifying"


def test_known_forms_are_quasi_identifying() -> None:
    """Days and postal codes generalize by periods and by masking, even where all differ."""
    for time in ("", " 10:30", " 00:00:00"):
        days = guess([f"{day}{time}" for day in ("2024-01-31", "1987-06-05", "1990-12-24")])
        assert (days.role, days.hierarchy, days.scale, days.grid) == ("quasi", "dates", "date", "five-years")
        assert days.grid_reason == "public dates in 8 intervals; so that range ends are not data values"
    codes = guess(["00118", "20121", "98168"])
    assert (codes.role, codes.hierarchy, codes.scale, codes.grid) == ("quasi", "mask:right", "categorical", None)


@pytest.mark.parametrize("day", ["31.12.{}", "31/12/{}", "12/31/{}", "{}/12/31 10:30", "31-12-{}"])
def test_days_are_seen_as_people_write_them(day: str) -> None:
    """A day or a moment is quasi-identifying however it is written, and the rule for dates reads it."""
    found = guess([day.format(year) for year in range(1950, 1990)])
    assert (found.role, found.scale, found.hierarchy) == ("quasi", "date", "dates")
    assert "dates or times" in found.reasons[0]


def test_dates_of_two_readings_are_told() -> None:
    """Which comes first, the day or the month, is for the steward to say."""
    found = guess([f"05/06/{year}" for year in range(1950, 1990)])
    assert (found.role, found.scale, found.grid) == ("quasi", "categorical", None)
    assert "its dates can be read as dd/mm/yyyy or as mm/dd/yyyy: choose with --date-format" in found.reasons


def test_eight_digits_that_are_all_days_are_dates() -> None:
    """A job has to say so, and the guess says what; a number that is no day makes all of them numbers."""
    days = [f"{year}{month:02}15" for year in range(1990, 2000) for month in range(1, 13)]
    found = guess(days, "v1")
    assert (found.role, found.scale, found.grid, found.date_format) == ("quasi", "date", "year", "yyyymmdd")
    assert found.hierarchy == "dates"
    assert guess(days[:4] * 9, "v1").scale == "categorical"
    numbers = guess([*days, "20001345"], "v1")
    assert (numbers.scale, numbers.date_format) == ("numeric", None)


def test_days_outweigh_a_sensitive_name() -> None:
    """When somebody was treated others may know, and the day singles out."""
    assert guess([f"2024-01-{day:02}" for day in range(1, 29)], "treatment_date").role == "quasi"


def test_postal_codes_without_leading_zero_need_their_name() -> None:
    """Five digits alone may be an income; under a postal name they have prefixes, and a cap on a price is a number."""
    cells = [str(n) for n in range(20_121, 20_161)] * 20
    assert (guess(cells, "cap").hierarchy, guess(cells, "cap").scale) == ("prefix:4:halves", "categorical")
    assert guess(cells).scale == "numeric"
    assert guess(["SW1A 1AA", "EC1A 1BB"], "postcode").hierarchy == "mask:right"
    assert guess(["SW1A 1AA", "SW10 9NH", "M1 1AE"], "postcode").hierarchy == "prefix:1,3:halves"
    assert guess(["1", "2", "30"], "cap").hierarchy == "intervals:2,4,8"
    assert guess([str(n * 37 % 1009 + 20_000) for n in range(100)], "code_postal").role == "quasi"


def test_near_unique_values() -> None:
    """A value for nearly every record: running numbers and text are identifying, other numbers undecided."""
    squares = [str(n * n) for n in range(100)]
    shuffled = [*squares[50:], *squares[:50]]
    assert guess([str(n) for n in range(100)]).reasons == ("the values are record numbers",)
    assert guess([f"w{n * n}" for n in (3, 1, 2)]).reasons == ("100.0 % of the records have a value of their own",)
    assert (guess(shuffled).role, guess(shuffled).scale, guess(shuffled).certainty) == (
        "undecided",
        "numeric",
        "unsure",
    )
    assert "a precise measurement or an ID" in guess(shuffled).reasons[0]


def test_numbers_with_decimals_are_no_ids() -> None:
    """A fine measurement is quasi-identifying; in a clinical table it may be a finding; a whole number may be an id."""
    cells = [f"{n * n % 1009}.{n % 9 + 1}" for n in range(1, 101)]
    assert (guess(cells, "qq").role, guess(cells, "qq").grid) == ("quasi", "100")
    assert "with decimals" in guess(cells, "qq").reasons[0]
    health = {"disease": ["flu", "none"] * 50, "bmi": cells, "smoker": ["yes", "no"] * 50}
    found = inspect_table(encoded({**health, "qq": cells}))[3]
    assert (found.role, "with decimals" in found.reasons[0]) == ("undecided", True)
    assert guess([text.replace(".", "") + ".0" for text in cells], "qq").role == "undecided"


def test_whole_numbers_may_be_written_with_a_point() -> None:
    """Programs write 17.0 where a column has gaps: the cut points are those of 17."""
    assert guess([f"{n}.0" for n in range(12, 19)] * 9, "age").grid == "2"
    assert guess([*(f"{n}.0" for n in range(12, 19)), "12.5"] * 9, "age").grid == "0.5"


def test_a_flag_is_a_category_whatever_it_is_called() -> None:
    """`ht` may be a height or hypertension: of two values there are no ranges."""
    assert (guess(["0", "1", "1"] * 9, "ht").scale, guess(["0", "1", "1"] * 9, "ht").hierarchy) == (
        "categorical",
        "suppress",
    )
    assert guess(["150", "160", "170"] * 9, "ht").scale == "numeric"


def test_far_numbers_do_not_decide_the_ranges_of_all() -> None:
    """One number in a thousand is far away: the grid fits the others; of a skewed column, open ranges of nearly all."""
    cells = [str(n % 40) for n in range(999)]
    found = guess([*cells, "61370"], "travel")
    assert (found.scale, found.grid, found.hierarchy) == ("numeric", "2", "intervals:2,4,8")
    assert "61370" not in (found.grid_reason or "")
    assert guess([*cells, "90"], "travel").grid == "5"
    assert guess([*["0"] * 2000, "0.5", "61370"], "travel").grid == "5000"
    assert guess(["-61370.5", *[f"-{text}.5" for text in cells]], "travel").grid == "2"
    tail = ["80", "150", "290", "560", "1100", "2100", "4100"]
    found = guess([*cells * 4, *tail], "travel")
    assert (found.grid, found.hierarchy) == (None, "intervals:0..40:2,4,8,16,32:open")
    assert found.hierarchy_reason is not None
    labels = from_spec(found.hierarchy or "", [*map(str, range(40)), *tail]).labels
    assert labels[1][-1] == ">=40"
    assert guess([f"-{text}.5" for text in [*cells * 4, *tail]], "travel").hierarchy == (
        "intervals:-40..0:2,4,8,16,32:open"
    )


@pytest.mark.parametrize(
    ("name", "cells", "role"),
    [
        ("cls_students", [str(n * n % 97) for n in range(200)], "quasi"),
        ("staff", [str(n * n % 97) for n in range(200)], "quasi"),
        ("students", [f"S-{n % 97}" for n in range(200)], "identifying"),
        ("student", [str(n * n % 97) for n in range(200)], "identifying"),
        ("students", [str(n * n) for n in range(200, 0, -1)], "identifying"),
        ("emp_length", [str(n % 11) for n in range(200)], "quasi"),
        ("emp_x", [str(n % 50) for n in range(200)], "identifying"),
        ("dayslink", [str(n * n % 97) for n in range(200)], "sensitive"),
        ("link", [str(n * n % 97) for n in range(200)], "identifying"),
        ("phone_bill", [str(n * n % 97) for n in range(200)], "sensitive"),
        ("did_eval", [str(n * n % 97) for n in range(200)], "quasi"),
        ("Europe", [str(n % 11) for n in range(200)], "quasi"),
        ("euros", [str(n % 11) for n in range(200)], "sensitive"),
        ("surgeon", ["Aldi", "Berti", "Conti", "Dini"] * 50, "quasi"),
        ("surgery", ["hip", "knee", "spine", "none"] * 50, "sensitive"),
        ("condominium", ["yes", "no"] * 100, "quasi"),
    ],
)
def test_what_counts_people_or_days_names_nobody(name: str, cells: list[str], role: RoleName) -> None:
    """A number of several people is a count, and a number of days is no address."""
    assert guess(cells, name).role == role


def test_the_sex_is_known_in_a_clinical_table_too() -> None:
    """A flag `female` is no finding."""
    health = {"disease": ["flu", "none"] * 50, "smoker": ["yes", "no"] * 50, "bmi": [str(n % 9) for n in range(100)]}
    found = inspect_table(encoded({**health, "female": ["0", "1"] * 50, "z1": [*"0011"] * 25}))
    assert [one.role for one in found[3:]] == ["quasi", "sensitive"]


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("class", ["benign", "malignant"], "sensitive"),
        ("type", ["asthma", "diabetes", "other"], "sensitive"),
        ("type", ["asthma", "red", "other"], "quasi"),
        ("class", ["first", "second"], "quasi"),
        ("city", ["benign", "malignant"], "quasi"),
        ("class", ["1", "2"], "quasi"),
    ],
)
def test_values_speak_where_the_name_says_nothing(name: str, values: list[str], role: RoleName) -> None:
    """Most of the words are of diseases: it is a diagnosis, whatever kind of class it is."""
    assert guess(values * 50, name).role == role


def test_values_of_every_other_record_are_undecided() -> None:
    """Where two records share a value at most, it may be an id of what two records have in common."""
    cells = [str(n * n) for n in range(51)] * 2
    assert guess(cells).role == "undecided"
    assert guess([f"w{cell}" for cell in cells]).role == "undecided"
    assert guess(cells * 2).role == "quasi"


@pytest.mark.parametrize("numbers", [[4, 5, 11, 12, 30, 31, 40, 52], [90, 80, 70, 60, 50, 40, 30, 20]])
def test_row_numbers(numbers: list[int]) -> None:
    """Whole numbers that ascend or descend from record to record number the rows; a few do so by chance."""
    cells = [str(number) for number in numbers]
    assert (guess(cells).role, guess(cells).certainty) == ("identifying", "likely")
    assert "differ and ascend" in guess(cells).reasons[0]
    assert guess([f"P-{cell}" for cell in cells]).role == "identifying"
    assert guess(cells[:7]).role == "undecided"
    assert guess([*cells[1:], cells[0]]).role == "undecided"
    assert guess([*cells, ""]).role == "undecided"
    assert guess(cells, "income").role == "sensitive"
    assert guess(cells, "rownames").certainty == "sure"


NUMBERS = [str(7 * n % 101 + 100) for n in range(100)]
DECIMALS = [f"{n * 37 % 1009}.{n % 10}" for n in range(300)]
TEXTS = [f"w{n * n}" for n in range(100)]
FLAGS = ["yes", "no"] * 50
FEW = [str(n % 4) for n in range(100)]


@pytest.mark.parametrize(
    ("name", "cells", "role"),
    [
        ("last", TEXTS, "identifying"),
        ("last", FEW, "quasi"),
        ("middleName", FEW, "identifying"),
        ("family", TEXTS * 5, "identifying"),
        ("account_no", NUMBERS, "identifying"),
        ("charge_no", NUMBERS, "identifying"),
        ("no_of_charges", NUMBERS, "sensitive"),
        ("patient_no", FEW, "identifying"),
        ("patient_ref", [f"{n}.5" for n in range(9)] * 9, "quasi"),
        ("code", FEW, "quasi"),
        ("subject", FEW, "identifying"),
        ("subject", FLAGS, "quasi"),
        ("father", DECIMALS * 2, "quasi"),
        ("city_id", FEW, "quasi"),
        ("city_id", NUMBERS, "identifying"),
        ("city_name", FLAGS, "quasi"),
        ("id", FEW, "identifying"),
        ("phone", FLAGS, "quasi"),
        ("phone", TEXTS, "identifying"),
        ("income", DECIMALS, "sensitive"),
        ("bili", DECIMALS, "sensitive"),
        ("survtime", NUMBERS, "sensitive"),
        ("rating", NUMBERS, "undecided"),
        ("diagnosis", TEXTS, "identifying"),
        ("status", FEW, "quasi"),
        ("arm", FEW, "insensitive"),
        ("arm", TEXTS, "identifying"),
        ("time", FLAGS, "quasi"),
        ("PersNr", NUMBERS * 3, "identifying"),
        ("Kd-Nr", NUMBERS * 3, "identifying"),
        ("SV-Nr", NUMBERS * 3, "identifying"),
        ("matricule", NUMBERS * 3, "identifying"),
        ("policePrecinct", FEW, "quasi"),
        ("crime_city", TEXTS * 3, "quasi"),
        ("Krankenhaus_Ort", FEW, "quasi"),
        ("district_crime", FEW, "sensitive"),
        ("health_state", FEW, "sensitive"),
    ],
)
def test_names_and_values_decide_together(name: str, cells: list[str], role: RoleName) -> None:
    """What a name means depends on how many records share a value."""
    assert guess(cells, name).role == role


def test_free_text_is_identifying() -> None:
    """Long cells of many words name anybody, whatever the column is called; a few long categories do not."""
    cells = [f"the patient of room {n} has had a cough since the {n % 28}th of May" for n in range(40)]
    assert "free text" in guess(cells, "diagnosis").reasons[0]
    assert guess(cells, "diagnosis").role == "identifying"
    assert guess(cells[:4] * 40, "diagnosis").role == "sensitive"


def test_coordinates_are_judged_as_a_pair() -> None:
    """A latitude and a longitude are identifying where a pair is nearly unique, quasi where shared; alone a number."""
    degrees = [f"{n % 20}.5" for n in range(200)]
    others = [f"{n // 20}.25" for n in range(200)]
    both = inspect_table(encoded({"lat": degrees, "lon": others}))
    assert {found.role for found in both} == {"identifying"}
    shared = inspect_table(encoded({"lat": degrees, "lon": [f"{n % 20 // 2}.5" for n in range(200)]}))
    assert {found.role for found in shared} == {"quasi"}
    assert "0.0 %" in shared[0].reasons[0]
    far = inspect_table(encoded({"lat": [f"9{cell}" for cell in degrees], "lon": others}))
    assert not any("latitude and longitude" in reason for found in far for reason in found.reasons)


def test_a_clinical_table_makes_numbers_sensitive() -> None:
    """Unknown flags and numbers beside many clinical columns are sensitive, with words like status; names are not."""

    def dealt(seed: int) -> list[str]:
        return [FEW[place] for place in np.random.default_rng(seed).permutation(len(FEW))]

    names = ("bp", "chol", "bmi", "z30", "status", "trt", "age")
    columns = {**{name: dealt(seed) for seed, name in enumerate(names)}, "who1": FLAGS}
    found = {one.name: one.role for one in inspect_table(encoded(columns))}
    assert found["z30"] == found["status"] == "sensitive"
    assert (found["trt"], found["who1"], found["age"]) == ("insensitive", "quasi", "quasi")
    several = {name: dealt(9 + seed) for seed, name in enumerate(("sex", "city", "job", "race"))}
    assert {one.name: one.role for one in inspect_table(encoded({**columns, **several}))}["z30"] == "quasi"


def test_few_whole_numbers_are_categories() -> None:
    """Whole numbers of at most ten values name groups, unless the name says that they measure or most are unique."""
    ten = [str(n) for n in range(10)]
    assert guess(ten * 5).scale == "categorical"
    assert guess([*ten, "10"] * 5).scale == "numeric"
    assert guess(ten * 5, "hours").scale == guess(ten * 5, "income").scale == "numeric"
    assert guess([f"{n}.5" for n in ten] * 5).scale == "numeric"
    assert guess(ten).scale == "numeric"


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ("{},5", "a comma"),
        ("1.{:03},25", "a comma"),
        ("1.{:03}.000", "separated thousands"),
        ("1\u202f{:03}", "separated thousands"),
        ("1'{:03}.50", "separated thousands"),
        ("${},000", "a comma and a currency or percent sign"),
        ("-{} €", "separated thousands and a currency or percent sign"),
        ("{}%", "a currency or percent sign"),
        ("{}e-05", "an exponent"),
        ("{}.", "nothing after the point"),
    ],
)
def test_numbers_that_a_job_reads_as_text_are_numbers_for_guessing(form: str, told: str) -> None:
    """They may be a measure, or are undecided; the reasons say what keeps a job from reading them as numbers."""
    cells = [*(form.format(n) for n in range(101, 201)), "7"]
    assert (guess(cells, "Gehalt").role, guess(cells, "Gehalt").scale) == ("sensitive", "categorical")
    assert guess(cells).role == "undecided"
    assert f"are numbers, some with {told}, which kohort reads as text: " in guess(cells).reasons[-1]


@pytest.mark.parametrize("form", ["0{}", "+49{}", "1.{:03}.0", "{} 12", "{}-5", "USD{}", "1,{:03},5"])
def test_codes_are_no_numbers(form: str) -> None:
    """Leading zeros, groups that are not of three digits and letters make a code, and the reasons say no other."""
    assert not any("are numbers" in reason for reason in guess([form.format(n) for n in range(101, 201)]).reasons)


@pytest.mark.parametrize("cells", [["1e-05", "0.5"], [".5", "1."], ["-1.5E3", "2"]])
def test_numbers_may_be_written_loosely(cells: list[str]) -> None:
    """Numbers that a job reads as text are numbers for the guess: undecided, not names."""
    assert (guess(cells).role, guess(cells).scale) == ("undecided", "categorical")


def test_missing_cells_do_not_hide_an_identifier() -> None:
    """Where only some records have a value, distinctness is judged among those."""
    found = guess([*(f"w{n * n}" for n in range(10)), *[""] * 90])
    assert (found.role, found.distinct, found.missing, found.distinctness) == ("identifying", 10, 90, 0.1)


def test_text_with_many_values_is_quasi_identifying() -> None:
    """Text that few records share is what others may know, and needs a hierarchy that only knowledge gives."""
    found = guess([f"w{n * n}" for n in range(50)] * 3)
    assert (found.role, found.hierarchy) == ("quasi", "suppress")
    assert "may be counts or codes" in (found.hierarchy_reason or "")
    assert guess([f"w{'x' * n}" for n in range(50)] * 3).hierarchy is None
    told = "50 values; on its own it distinguishes 98.7 % of record pairs; whether outsiders know the column is unclear"
    assert found.reasons == (told,)


@pytest.mark.parametrize(
    ("numbers", "hierarchy", "grid"),
    [
        (["18", "90"], "intervals:5,10,20", "5"),
        (["1", "16"], "intervals:2,4,8", "2"),
        (["0", "100000"], "intervals:5000,10000,20000", "5000"),
        (["0", "400"], "intervals:20,40,80", "20"),
        (["-0.5", "0.5"], "intervals:0.05,0.1,0.2", "0.05"),
        (["0.1", "0.9"], "intervals:0.05,0.1,0.2", "0.05"),
        (["0", "180"], "intervals:10,20,40", "10"),
        (["7", "7.0"], "suppress", None),
    ],
)
def test_round_intervals(numbers: list[str], hierarchy: str, grid: str | None) -> None:
    """A numeric quasi-identifier is cut at round numbers that fit its span, whole ones where it is whole."""
    found = guess(numbers, "age")
    assert (found.scale, found.hierarchy, found.grid) == ("numeric", hierarchy, grid)


def test_a_grid_says_why() -> None:
    """Every proposed grid comes with the number of intervals it makes, also of numbers beyond a float; else nothing."""
    assert guess(["18", "47", "90"], "age").grid_reason == (
        "round cut points in 16 intervals; so that range ends are not data values"
    )
    assert "in 5 intervals" in (guess(["-1", "-10"], "age").grid_reason or "")
    assert "in 21 intervals" in (guess([str(10**40), str(10**40 + 40)], "age").grid_reason or "")
    assert guess(["7", "7.0"], "age").grid_reason is None


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("age", ["18", "47", "90"]),
        ("peso", ["60.5", "-0", "82.25"]),
        ("sesso", ["f", "m"]),
        ("cap", ["00118", "20121"]),
        ("data_nascita", ["2024-01-31", "1987-06-05"]),
        ("postcode", ["SW1A 1AA", "M1 1AE", "M20 2AB"]),
        ("region", [f"{'AE'[number % 2]}{number:02}.{'9' * (number % 3)}1" for number in range(20)]),
        ("x", [f"{day:02}/12/{year}" for day in range(1, 30) for year in (98, 99)]),
    ],
)
def test_proposed_rules_can_be_followed(name: str, values: list[str]) -> None:
    """The rule proposed for a column builds a hierarchy of its values."""
    rule = guess(values, name).hierarchy
    assert rule is not None
    assert set(values) <= set(from_spec(rule, values).leaves)


def test_only_quasi_identifiers_are_generalized() -> None:
    """No hierarchy or grid is proposed for what is dropped or released as it is."""
    found = guess(["1200", "900", "1500"], "stipendio")
    assert (found.role, found.hierarchy, found.grid) == ("sensitive", None, None)


def test_no_records() -> None:
    """A table without records gives guesses by name alone, and nothing divides by zero."""
    empty = guess([])
    assert (empty.role, empty.distinct, empty.missing) == ("insensitive", 0, 0)
    assert (empty.distinctness, empty.separation) == (0.0, 0.0)
    named = guess([], "age")
    assert (named.role, named.hierarchy) == ("quasi", "suppress")


def test_declared_missing_texts_are_missing() -> None:
    """Null and every declared text are one missing value, no value of the domain."""
    (found,) = inspect_table(encoded({"age": ["41", "?", None, "", "42"]}), missing=frozenset({"?", ""}))
    assert (found.scale, found.distinct, found.missing) == ("numeric", 2, 3)
    assert found.separation == pytest.approx(1 - 3 / 10)


AMOUNTS = [str(n % 30) for n in range(100)]


@pytest.mark.parametrize(
    ("cells", "tokens"),
    [
        ([*AMOUNTS, "?"], ("?",)),
        ([*AMOUNTS, "NA", "n/a", "None", "-", "."], ("-", ".", "NA", "None", "n/a")),
        ([*AMOUNTS, "unknown"], ()),
        ([*AMOUNTS, "9999", "9999"], ("9999",)),
        ([*AMOUNTS, "9999"], ()),
        ([*AMOUNTS, "-9", "-9", "-99.0", "-99.0"], ("-9", "-99.0")),
        ([*AMOUNTS, "-9", "-9", "-3"], ()),
        ([*AMOUNTS, "57", "57", "99", "99"], ()),
        (["999", "999"], ()),
        ([*TEXTS, "?"], ()),
        ([*TEXTS, "?", "?", "None", "None"], ("?",)),
        (["?", "?"], ()),
        ([*AMOUNTS, "x", "99999", "99999"], ()),
        ([*TEXTS, "*"], ("*",)),
        ([*AMOUNTS, "*", "-"], ("*", "-")),
        (["*", "**", "***"] * 9, ()),
        (["*", "*"], ()),
    ],
)
def test_texts_for_no_value_are_proposed(cells: list[str], tokens: tuple[str, ...]) -> None:
    """Words for nothing are proposed among numbers, or where frequent; nines where frequent and far from all others.

    So is a `*`, which no release can have as a value, unless it is a rating.
    """
    found = guess(cells)
    assert found.missing_tokens == tokens
    assert found.missing == sum(cell in tokens for cell in cells)


def test_a_declared_text_is_not_proposed() -> None:
    """What is known to mean that there is no value needs no proposal."""
    (found,) = inspect_table(encoded({"x": [*AMOUNTS, "?"]}), missing=frozenset({"?"}))
    assert (found.missing_tokens, found.missing, found.scale) == ((), 1, "numeric")


def test_blanks_around_cells_are_seen() -> None:
    """Where nearly all cells have blanks around them, they are judged without, and trimming is proposed."""
    found = guess([f" {20 + n % 30}" for n in range(99)] + ["21"], "age")
    assert (found.trim, found.scale, found.distinct) == (True, "numeric", 30)
    assert not guess([" a", "b"] * 20).trim
    assert not guess(["", None]).trim
    assert guess([" ?", *(f" {cell}" for cell in AMOUNTS)]).missing_tokens == ("?",)


cells = st.lists(st.sampled_from(["", None, "Zagreb-canary", "7-canary", "00118", "é"]), max_size=30)


@given(cells)
def test_figures_are_their_definitions(column: list[str | None]) -> None:
    """Distinct, missing, distinctness and separation agree with a count over records and pairs."""
    found = guess(column)
    plain = [cell or "" for cell in column]
    pairs = [(a, b) for i, a in enumerate(plain) for b in plain[:i]]
    assert found.missing == plain.count("")
    assert found.distinct == len(set(plain) - {""})
    assert found.distinctness == pytest.approx(found.distinct / len(plain) if plain else 0)
    assert found.separation == pytest.approx(sum(a != b for a, b in pairs) / len(pairs) if pairs else 0)


@given(st.sampled_from(["age", "x", "nome", "reddito", "cap", "rate", "lat"]), cells)
def test_no_value_is_told(name: str, column: list[str | None]) -> None:
    """Reasons and proposals never repeat a value, and there is always a reason."""
    found = guess(column, name)
    told = " ".join([*found.reasons, found.hierarchy or "", found.grid or ""])
    assert found.reasons
    assert not any(cell in told for cell in column if cell)


@given(cells, st.randoms(use_true_random=False))
def test_row_order_does_not_matter(column: list[str | None], random: Random) -> None:
    """The same records in another order give the same guess; only row numbers depend on it, and need more records."""
    shuffled = sorted(column, key=lambda _: random.random())
    assert guess(shuffled) == guess(column)


@given(st.lists(st.integers(0, 10_000), min_size=9, max_size=30, unique=True), st.randoms(use_true_random=False))
def test_order_only_adds_row_numbers(numbers: list[int], random: Random) -> None:
    """Numbers in order are identifying; in another order they are that, or undecided."""
    ordered = [str(number) for number in sorted(numbers)]
    shuffled = sorted(ordered, key=lambda _: random.random())
    assert guess(ordered).role == "identifying"
    assert guess(shuffled).role in {"identifying", "undecided"}


#: Names that speak of no measure of money, time or health; among them those that speak of secrets.
NO_MEASURE = ["x", "V27", "status", "arm", "rating", "religion", "party", "stage", "z30", "count", "total", "score"]


@given(
    st.sampled_from(NO_MEASURE),
    st.lists(st.one_of(st.integers(), st.floats(-1e6, 1e6).map(lambda x: round(x, 3)), st.text()).map(str), min_size=1),
    st.integers(0, 3),
    st.booleans(),
)
def test_what_singles_out_is_never_released_as_it_is(
    name: str,
    values: list[str],
    shared: int,
    clinical: bool,  # noqa: FBT001  drawn, not a flag
) -> None:
    """Where most records have a value of their own, no column is sensitive or insensitive but by a measure's name."""
    own = sorted(set(values) - {""})
    column = [*own, *(own[:1] * min(shared, max(len(own) - 2, 0)))]
    beside = dict.fromkeys(("bp", "chol", "bmi"), ["1"] * len(column)) if clinical else {}
    found, *_ = inspect_table(encoded({name: column, **beside}))
    alone = sum(column.count(cell) == 1 for cell in column)
    if not found.missing and not found.trim and alone > len(column) / 2:
        assert found.role not in {"sensitive", "insensitive"}


def panel(
    name: str, *, people: int = 60, periods: int = 5, gap: bool = False, twice: bool = False
) -> dict[str, list[str]]:
    """People with a record for each period, who have a number of a name."""
    rows = [(person, period) for person in range(people) for period in range(periods)][gap:]
    rows[-1] = rows[-2] if twice else rows[-1]
    return {name: [str(100 + person) for person, _ in rows], "wave": [str(period) for _, period in rows]}


@pytest.mark.parametrize(
    ("columns", "role"),
    [
        (panel("nr"), "identifying"),
        (panel("nr", gap=True), "identifying"),
        (panel("nr", periods=30), "identifying"),
        (panel("nr", twice=True), "quasi"),  # who was seen twice in a period is not who the number says
        (panel("nr", people=12), "quasi"),  # too few people to be a table of them
        (panel("nr", people=21, periods=2), "identifying"),
        (panel("nr", people=19, periods=2), "undecided"),
        (panel("age"), "quasi"),  # others may know it, as its name says
        (panel("duration"), "sensitive"),  # a time, as its name says
        ({**panel("nr"), "wave": ["1"] * 300}, "quasi"),
    ],
)
def test_the_number_of_people_in_a_panel_is_identifying(columns: dict[str, list[str]], role: RoleName) -> None:
    """Whatever it is called: no two records with the same number are of one period, which chance does not explain."""
    found = inspect_table(encoded(columns))[0]
    assert found.role == role
    assert ("always differ in wave" in found.reasons[0]) == (role == "identifying")


def test_of_several_periods_the_one_with_fewest_values_is_told() -> None:
    """The year, and not what grows with it."""
    columns = panel("nr")
    grown = [str(int(wave) + int(number) % 7) for number, wave in zip(columns["nr"], columns["wave"], strict=True)]
    assert "always differ in wave" in inspect_table(encoded({"grown": grown, **columns}))[1].reasons[0]


@pytest.mark.parametrize("name", ["visit", "visit_date", "patient", "case", "order_id", "record", "number"])
@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d.%m.%Y", "%Y-%m-%d %H:%M:%S"])
def test_dates_are_no_numbers_of_people(name: str, form: str) -> None:
    """A column of dates may be called after what happened then: it says when, and not whose a record is."""
    start = datetime(2015, 1, 3, 8, 5, 7)  # noqa: DTZ001  a table's dates have no zone
    days = [(start + timedelta(days=3 * row, minutes=row)).strftime(form) for row in range(600)]
    assert guess(days, name).role != "identifying"


# ── columns that are one ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("year", "month", "day"),
    [
        ("yrdth", "modth", "dadth"),
        ("birth_year", "birth_month", "birth_day"),
        ("Sterbejahr", "Sterbemonat", "Sterbetag"),
        ("anno_decesso", "mese_decesso", "giorno_decesso"),
        ("annee_deces", "mois_deces", "jour_deces"),
        ("Year", "Month", "Day"),
    ],
)
def test_the_parts_of_a_date_are_one_date(year: str, month: str, day: str) -> None:
    """The year stays, quasi-identifying; month and day are dropped; none is a number to be rounded."""
    frame = {
        year: [str(1983 + place % 10) for place in range(400)],
        month: [str(1 + place % 12) for place in range(400)],
        day: [str(1 + place % 31) for place in range(400)],
    }
    found = inspect_table(encoded(frame))
    assert [one.role for one in found] == ["quasi", "drop", "drop"]
    assert not any(one.quantity for one in found)
    assert [one.role for one in inspect_table(encoded({month: frame[month], day: frame[day]}))] != ["drop", "drop"]


@pytest.mark.parametrize(
    "columns",
    [
        {"years": 40, "months": 12, "days": 31},  # how long it took
        {"year_hired": 30, "month_left": 12},  # two dates
        {"year": 40, "month": 60},  # a month of which year is no month
    ],
)
def test_other_numbers_are_no_parts_of_a_date(columns: dict[str, int]) -> None:
    """Durations, parts of different dates, and numbers that are no months stay what they are."""
    frame = {name: [str(1 + place % most) for place in range(400)] for name, most in columns.items()}
    assert "drop" not in {one.role for one in inspect_table(encoded(frame))}
