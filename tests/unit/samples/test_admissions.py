"""Hospital stays have every declared odds, are a function of seed and row, and agree with each other."""

from __future__ import annotations

import json
from datetime import timedelta
from importlib.resources import files
from itertools import product
from math import sqrt
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.errors import UsageError
from kohort.samples.admissions import (
    ROLES,
    admissions,
    admissions_batches,
)
from kohort.samples.hospital import (
    AGE_BY_SEX,
    AGES,
    BLOCK,
    FIRST_DAY,
    LAST_DAY,
    LONGEST,
    OUTCOMES,
    PATIENTS_BY_STAYS,
    SEX_ODDS,
    SEXES,
    STAYS,
    WARDS,
    WARDS_OF_CHILDREN,
)
from tests.unit.samples.odds import fits, tally, uniform

#: Stays of a hundred patients.
BLOCK_STAYS = sum(stays * patients for stays, patients in PATIENTS_BY_STAYS)
BLOCKS = 800


def declared(name: str) -> Any:  # noqa: ANN401  whatever the table holds
    """A table of odds as it is shipped."""
    return json.loads((files("kohort.samples") / "data" / f"{name}.json").read_text("utf-8"))


CHAPTERS = declared("diagnoses")["chapters"]
GROUPS = [(chapter, group) for chapter in CHAPTERS for group in chapter["groups"]]
CODES = [(chapter, group, code) for chapter, group in GROUPS for code in group["codes"]]


def letter(chapter: dict[str, str]) -> str:
    """What the codes of a chapter begin with."""
    return chapter["name"][0]


@pytest.fixture(scope="module")
def stays() -> pl.DataFrame:
    """Whole blocks of stays, each with which of its patient's it is, of how many, its nights and the age."""
    frame = admissions(BLOCKS * BLOCK_STAYS, seed=2024).with_columns(
        (pl.col("admission_date").rank("ordinal").over("patient_id") - 1).cast(pl.Int64).alias("turn"),
        pl.len().over("patient_id").cast(pl.Int64).alias("have"),
        (pl.col("discharge_date") - pl.col("admission_date")).dt.total_days().alias("nights"),
        (pl.col("admission_date").dt.year() - pl.col("birth_date").dt.year()).alias("years"),
        (pl.col("admission_date").dt.strftime("%m%d") < pl.col("birth_date").dt.strftime("%m%d")).alias("before"),
    )
    return frame.with_columns((pl.col("years") - pl.col("before").cast(pl.Int32)).alias("age"))


@pytest.fixture(scope="module")
def patients(stays: pl.DataFrame) -> pl.DataFrame:
    """A row for each patient."""
    return stays.unique("patient_id").sort("patient_id")


def test_columns(stays: pl.DataFrame) -> None:
    """There are exactly the declared columns: dates as dates, charges as integers, nothing missing."""
    frame = stays.select(list(ROLES))
    assert frame.columns == stays.columns[: len(ROLES)]
    dates = {name for name, kind in frame.schema.items() if kind == pl.Date}
    assert dates == {"birth_date", "admission_date", "discharge_date"}
    assert {name for name, kind in frame.schema.items() if kind == pl.Int64} == {"charge"}
    assert set(frame.schema.values()) == {pl.Date, pl.Int64, pl.String}
    assert sum(frame.null_count().row(0)) == 0


def test_ids(stays: pl.DataFrame) -> None:
    """Stays are numbered in order, patients without a gap, and both ids are a letter and nine digits."""
    assert stays["stay_id"].to_list()[:2] == ["S000000001", "S000000002"]
    assert stays["stay_id"].n_unique() == len(stays)
    assert stays["stay_id"].is_sorted()
    expected = [f"P{number:09}" for number in range(1, BLOCKS * BLOCK + 1)]
    assert stays["patient_id"].unique().sort().to_list() == expected


def test_patients_have_as_many_stays_as_declared(patients: pl.DataFrame) -> None:
    """Of each hundred patients exactly the declared numbers have one stay, two and more: few have most."""
    block = (patients["patient_id"].str.slice(1).cast(pl.Int64) - 1) // BLOCK
    counts = patients.group_by(block.alias("block"), "have").len()
    assert sum(number for _, number in PATIENTS_BY_STAYS) == BLOCK
    for stays, number in PATIENTS_BY_STAYS:
        inside = counts.filter(have=stays)["len"]
        assert len(inside) == BLOCKS
        assert set(inside) == {number}


def test_the_number_of_a_patient_tells_nothing(patients: pl.DataFrame) -> None:
    """Within a hundred patients each number is as likely as the others to have one stay, or twenty."""
    place = patients["patient_id"].str.slice(1).cast(pl.Int64) % BLOCK
    for number in (1, 2, 20):
        assert fits(tally(place.filter(patients["have"] == number), range(BLOCK)), [1] * BLOCK)


def test_the_row_of_a_stay_tells_nothing(stays: pl.DataFrame) -> None:
    """Within a block each row is as likely as the others to be of a patient of one stay, or of twenty."""
    place = pl.Series(np.arange(len(stays)) % BLOCK_STAYS)
    for number in (1, 20):
        assert fits(tally(place.filter(stays["have"] == number), range(BLOCK_STAYS)), [1] * BLOCK_STAYS)


def test_a_patient_is_the_same_in_every_stay(stays: pl.DataFrame) -> None:
    """Name, sex, birth date and postal code never change between stays of a patient."""
    same = ["patient_name", "sex", "birth_date", "postal_code"]
    assert stays.group_by("patient_id").agg(pl.col(same).n_unique().max())[same].max().row(0) == (1, 1, 1, 1)


def test_days_are_in_order(stays: pl.DataFrame) -> None:
    """Birth is before the period, admission in it and not after discharge, and no patient is in two stays at once."""
    assert (stays["birth_date"] < FIRST_DAY).all()
    assert (stays["admission_date"] >= FIRST_DAY).all()
    assert (stays["discharge_date"] <= LAST_DAY).all()
    assert stays["nights"].is_between(0, LONGEST).all()
    ordered = stays.sort("patient_id", "admission_date")
    following = ordered.select(pl.col("admission_date").shift(-1).over("patient_id").alias("next"), "discharge_date")
    assert following.drop_nulls().select((pl.col("next") > pl.col("discharge_date")).all()).item()


def test_death_is_the_end(stays: pl.DataFrame) -> None:
    """Patients die, and none of them comes back."""
    died = stays.filter(outcome="died")
    assert len(died) > 1_000
    assert (died["turn"] == died["have"] - 1).all()


def test_sex_odds(patients: pl.DataFrame) -> None:
    """47 of 100 patients are male."""
    assert fits(tally(patients["sex"], SEXES), SEX_ODDS)


@pytest.mark.parametrize("sex", [0, 1])
def test_age_odds_by_sex(patients: pl.DataFrame, sex: int) -> None:
    """Years of birth have the odds of their group of age among men and among women, evenly inside a group."""
    ages = FIRST_DAY.year - 1 - patients.filter(sex=SEXES[sex])["birth_date"].dt.year().cast(pl.Int64)
    odds = [group[sex] / len(years) for years, group in AGE_BY_SEX for _ in years]
    assert fits(tally(ages, range(len(odds))), odds)


def test_birthdays_are_uniform(patients: pl.DataFrame) -> None:
    """Every day of a year of birth is as likely as the others, 29 February too."""
    leap = patients["birth_date"].dt.is_leap_year()
    for days, born in ((365, patients.filter(~leap)), (366, patients.filter(leap))):
        assert fits(tally(born["birth_date"].dt.ordinal_day().cast(pl.Int64), range(1, days + 1)), [1] * days)


def test_names_follow_sex(patients: pl.DataFrame) -> None:
    """First names are uniform in the list of the patient's sex, last names in theirs."""
    names = declared("names")
    parts = patients["patient_name"].str.splitn(" ", 2).struct.unnest()
    for sex in SEXES:
        inside = parts.filter(patients["sex"] == sex)
        assert fits(tally(inside["field_0"], names[sex]), [1] * len(names[sex]))
        assert fits(tally(inside["field_1"], names["last"]), [1] * len(names["last"]))


def postal_odds() -> dict[str, float]:
    """The odds of every postal code: its city's inhabitants, shared evenly."""
    tree = declared("cities")
    provinces = [p for area in tree["macro_areas"] for region in area["regions"] for p in region["provinces"]]
    inhabitants = {city["name"]: city["inhabitants"] for province in provinces for city in province["cities"]}
    odds: dict[str, float] = {}
    for city, (first, last) in declared("postal_codes").items():
        numbers = range(int(first), int(last) + 1)
        odds.update((f"{number:05}", inhabitants[city] / len(numbers)) for number in numbers)
    return odds


def test_postal_code_odds(patients: pl.DataFrame) -> None:
    """Postal codes occur by their city's inhabitants, evenly within a city; many begin with a zero."""
    odds = postal_odds()
    assert fits(tally(patients["postal_code"], list(odds)), list(odds.values()))
    assert 0.3 < patients["postal_code"].str.starts_with("0").cast(pl.Int64).sum() / len(patients) < 0.5


def test_admissions_are_uniform_in_their_share(stays: pl.DataFrame) -> None:
    """A stay begins on any day of its share of the period that leaves room for the longest, each as likely."""
    period = (LAST_DAY - FIRST_DAY).days + 1
    for number, _ in PATIENTS_BY_STAYS:
        share = period // number
        for turn in range(number):
            inside = stays.filter(turn=turn, have=number)["admission_date"]
            start = FIRST_DAY + timedelta(turn * share)
            days = (inside - start).dt.total_days()
            assert uniform(days, share - LONGEST)


def group_of(age: int) -> int:
    """Which of the declared groups of age somebody is of."""
    return sum(age >= bound for bound in AGES)


@pytest.mark.parametrize(("sex", "group"), [*product(SEXES, range(len(AGES) + 1))])
def test_diagnosis_odds_by_sex_and_age(stays: pl.DataFrame, sex: str, group: int) -> None:
    """Chapters occur by sex and age at admission, groups and codes by their shares; no man is giving birth."""
    ages = [age for age in range(130) if group_of(age) == group]
    found = stays.filter(pl.col("age").is_in(ages), sex=sex)["diagnosis"]
    odds = [chapter["odds"][sex][group] * within["odds"] / 100 * code["odds"] / 10 for chapter, within, code in CODES]
    assert fits(tally(found, [code["name"] for *_, code in CODES]), odds)
    assert fits(
        [int(found.str.starts_with(letter(chapter)).sum()) for chapter in CHAPTERS],
        [chapter["odds"][sex][group] for chapter in CHAPTERS],
    )


def test_shares_are_whole() -> None:
    """Groups share out a hundred of their chapter, codes ten of their group, outcomes a hundred, wards ten."""
    for chapter in CHAPTERS:
        assert sum(group["odds"] for group in chapter["groups"]) == 100
        assert sum(chapter["wards"].values()) == 10
        assert sum(chapter["outcomes"]) == 100
        assert len(chapter["outcomes"]) == len(OUTCOMES)
        assert {len(odds) for odds in chapter["odds"].values()} == {len(AGES) + 1}
    assert all(sum(code["odds"] for code in group["codes"]) == 10 for _, group in GROUPS)


@pytest.mark.parametrize("group", [group for _, group in GROUPS], ids=lambda group: group["name"][:3])
def test_nights_by_group(stays: pl.DataFrame, group: dict[str, str]) -> None:
    """The nights of a stay have the odds of its group's kind, evenly inside a band; the longest kind can be longest."""
    found = stays.filter(pl.col("diagnosis").str.starts_with(group["name"][:3]))["nights"]
    odds = {night: weight / len(nights) for nights, weight in STAYS[group["stay"]] for night in nights}
    assert fits(tally(found, list(odds)), list(odds.values()))


@pytest.mark.parametrize("chapter", CHAPTERS, ids=letter)
def test_wards_by_chapter(stays: pl.DataFrame, chapter: dict[str, Any]) -> None:
    """Grown-ups lie where their chapter's do, and children, whatever they have, where children do."""
    of = stays.filter(pl.col("diagnosis").str.starts_with(letter(chapter)))
    for found, odds in ((of.filter(pl.col("age") >= AGES[0]), chapter["wards"]), (of, WARDS_OF_CHILDREN)):
        inside = found if odds is chapter["wards"] else of.filter(pl.col("age") < AGES[0])
        if len(inside):
            assert fits(tally(inside["ward"], WARDS), [odds.get(ward, 0) for ward in WARDS])


@pytest.mark.parametrize("chapter", CHAPTERS, ids=letter)
def test_outcomes_by_chapter(stays: pl.DataFrame, chapter: dict[str, Any]) -> None:
    """A last stay ends as its chapter's do; one that another follows ends as those that do not end in death."""
    of = stays.filter(pl.col("diagnosis").str.starts_with(letter(chapter)))
    last = of["turn"] == of["have"] - 1
    assert fits(tally(of.filter(last)["outcome"], OUTCOMES), chapter["outcomes"])
    assert fits(tally(of.filter(~last)["outcome"], OUTCOMES), [*chapter["outcomes"][:-1], 0])


@pytest.mark.parametrize("code", [code for *_, code in CODES], ids=lambda code: code["name"])
def test_charges_by_diagnosis(stays: pl.DataFrame, code: dict[str, Any]) -> None:
    """Every charge lies in its diagnosis's range, and each quarter of it is as likely as the others."""
    least, most = code["charge"]
    charges = stays.filter(diagnosis=code["name"])["charge"] - least
    assert 0 < least < most < 2**31
    assert len(charges) > 20
    assert uniform(charges, most - least + 1)


def test_what_has_no_common_condition_is_independent(stays: pl.DataFrame) -> None:
    """Birthdays, days of admission, postal codes, last names, charges and nights say nothing of each other."""
    last_name = pl.col("patient_name").str.splitn(" ", 2).struct.field("field_1")
    table = stays.filter(have=1).select(
        pl.col("birth_date").dt.ordinal_day(),
        pl.col("postal_code").rank("dense"),
        last_name.rank("dense"),
        pl.col("admission_date").rank(),
        (pl.col("charge").rank() / pl.len()).over("diagnosis"),  # both depend on the diagnosis
        (pl.col("nights").rank() / pl.len()).over("diagnosis"),
    )
    correlations = np.corrcoef(table.to_numpy().astype(float), rowvar=False)
    assert np.abs(correlations - np.eye(6)).max() < 7 / sqrt(len(table))


def test_known_first_stays() -> None:
    """The stays of a seed stay the same from version to version, since pages and papers will quote them."""
    text = admissions(2, seed=7).write_csv(include_header=False)
    assert text == (
        "S000000001,P000000096,Luisa De Luca,female,1985-09-26,00150,2021-04-18,2021-04-27,Psychiatry,H80.0,6170,home\n"
        "S000000002,P000000095,Angelo Valentini,male,1926-11-12,00133,2024-04-22,2024-04-25,Medicine,K17.1,1267,home\n"
    )


def test_same_seed_same_stays() -> None:
    """A seed decides every cell; another seed gives other stays."""
    assert admissions(500, seed=3).equals(admissions(500, seed=3))
    one, other = (admissions(500, seed=seed).drop("stay_id") for seed in (3, 4))
    assert all(not one[name].equals(other[name]) for name in one.columns)


@given(records=st.integers(0, 400), batch=st.integers(1, 400), seed=st.integers(0, 2**130))
def test_batch_size_does_not_matter(records: int, batch: int, seed: int) -> None:
    """Batches of any size put together are the same table, and a shorter table is the start of a longer."""
    frames = list(admissions_batches(records, seed=seed, batch=batch))
    assert pl.concat(frames).equals(admissions(records, seed=seed))
    assert all(len(frame) == batch for frame in frames[:-1])
    assert admissions(records + 300, seed=seed).head(records).equals(admissions(records, seed=seed))


def test_no_records_still_has_columns() -> None:
    """A table of no stays has the columns and types of any other."""
    assert admissions(0, seed=1).schema == admissions(1, seed=1).schema
    assert len(admissions(0, seed=1)) == 0


def test_impossible_sizes_are_refused() -> None:
    """Negative records or seed and empty batches are errors at the call, not at the first batch."""
    with pytest.raises(UsageError, match="records must be at least 0"):
        admissions_batches(-1, seed=0)
    with pytest.raises(UsageError, match="seed must be at least 0"):
        admissions(5, seed=-1)
    with pytest.raises(UsageError, match="batch must be at least 1"):
        admissions_batches(5, seed=0, batch=0)
