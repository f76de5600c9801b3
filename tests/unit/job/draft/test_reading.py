"""What a draft sees of a table: blanks, texts for no value, and whose the records are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

import kohort
from kohort.assessment.inspection.guesses import inspect_table
from kohort.errors import SourceNote, UsageError
from kohort.io.typed import from_frame
from kohort.job.draft import draft_of, job_text
from kohort.job.draft.reading import PersonGuess, clean_table, whose
from kohort.samples.italy import italy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

RECORDS = 100
AGES = [str(20 + place % 50) for place in range(RECORDS)]


def test_texts_for_no_value_are_read_as_such() -> None:
    """A column of numbers with NA in it is one of numbers; the text counts as missing everywhere."""
    table = from_frame(pl.DataFrame({"age": ["NA", *AGES[1:]], "weight": [*AGES[1:], "NA"]}))
    seen = clean_table(table, ("",))
    assert seen.missing == ("", "NA")
    assert [(guess.scale, guess.missing) for guess in seen.guesses] == [("numeric", 1), ("numeric", 1)]


@pytest.mark.one_of("token")
@pytest.mark.parametrize("token", ["NA", "N/A", "n/a", ".", "-", "?", "null", "NaN", "..", "k.A."])
@pytest.mark.parametrize("others", [["yes", "no"], ["P", "PS", "S"], ["", "red", "blue"], ["10 to 20", "over 20"], []])
def test_a_text_for_no_value_is_one_however_rare_among_names(token: str, others: list[str], tmp_path: Path) -> None:
    """Numbers have it, and one record of a hundred among names, or all of a column: it counts as missing in both."""
    names = [token, *((others or [token]) * RECORDS)[: RECORDS - 1]]
    table = from_frame(pl.DataFrame({"age": [token, *AGES[1:]], "size": names}))
    seen = clean_table(table, ("",))
    assert seen.missing == ("", token)
    assert [guess.missing for guess in seen.guesses] == [1, names.count(token) + names.count("")]
    draft = draft_of(table, k=5, missing=("",), path=None, folder=tmp_path)
    assert not draft.undecided
    kohort.anonymize(table, draft.job())  # which refuses numbers that it cannot read


@pytest.mark.parametrize(
    ("token", "others"),
    [
        ("NA", ["IT", "FR", "DE"]),  # Namibia
        ("N.D.", ["S.D.", "N.Y.", "N.J."]),  # North Dakota
        ("na", ["it", "fr", "de"]),  # Nauruan
        ("-", ["+", "++"]),  # there is less
        ("none", ["aspirin", "ibuprofen"]),  # no treatment
    ],
)
def test_a_text_that_is_a_value_elsewhere_is_decided_by_somebody(token: str, others: list[str], tmp_path: Path) -> None:
    """It keeps meaning that, and numbers that it stands beside are undecided, with the ways out; the draft is made."""
    cells = {"age": [token, *AGES[1:]], "code": [token, *(others * RECORDS)[: RECORDS - 1]]}
    table = from_frame(pl.DataFrame(cells))
    seen = clean_table(table, ("",))
    assert seen.missing == ("",)
    assert (seen.guesses[0].missing_tokens, seen.guesses[0].role) == ((token,), "undecided")
    draft = draft_of(table, k=5, missing=("",), path=None, folder=tmp_path)
    assert draft.undecided == ("age",)
    assert f'--missing-token "{token}"' in draft.to_toml()
    assert not draft_of(table, k=5, missing=("", token), path=None, folder=tmp_path).undecided


def test_a_column_that_is_dropped_is_no_answer(tmp_path: Path) -> None:
    """Of two columns that say the same one is dropped, whatever the steward says of both; the job can be run."""
    cells = {"age": AGES, "v": ["yes", "no"] * (RECORDS // 2), "w": ["l", "r"] * (RECORDS // 2)}
    draft = draft_of(from_frame(pl.DataFrame(cells)), k=5, missing=("",), path=None, folder=tmp_path, known=["age"])
    assert len(draft.answers) == 1
    assert draft.job().answers == draft.answers


def test_blanks_around_cells_are_removed() -> None:
    """Where all cells of a column have them, the table is read without, and so the job says."""
    table = from_frame(pl.DataFrame({"age": AGES, "sex": [" f", " m"] * (RECORDS // 2)}))
    seen = clean_table(table, ("",))
    assert seen.trim
    assert sorted(seen.table["sex"].values.to_list()) == ["f", "m"]
    assert not clean_table(from_frame(pl.DataFrame({"age": AGES})), ("",)).trim


@pytest.mark.parametrize(
    ("columns", "key"),
    [
        ({"patient_id": [f"P{place // 3:03}" for place in range(RECORDS)]}, "patient_id"),
        ({"patient_id": [f"P{place:03}" for place in range(RECORDS)]}, None),
        ({"ip": [f"192.0.2.{place // 3}" for place in range(RECORDS)]}, None),
        ({"hospital_id": [f"H{place % 5}" for place in range(RECORDS)]}, None),
        ({"last_name": [f"name{'x' * (place % 40)}" for place in range(RECORDS)]}, None),
        ({"patient_id": ["", *(f"P{place // 3:03}" for place in range(RECORDS - 1))]}, "patient_id"),
        ({"patient_id": [f"P{place // 3:03}" * (place % 2) for place in range(RECORDS)]}, "patient_id"),
        ({"patient_id": [f"P{place // 9:03}" * (place % 3 == 0) for place in range(RECORDS)]}, None),  # few have one
        (
            {
                "family_id": [f"F{place // 6:03}" for place in range(RECORDS)],
                "person_id": [f"P{place // 2:03}" for place in range(RECORDS)],
            },
            ("person_id", "family_id"),
        ),
        (
            {
                "number": [f"{place // 40}.0" for place in range(40 * RECORDS)],
                "wave": [str(place % 40) for place in range(40 * RECORDS)],
            },
            "number",  # of many records each, which another column tells apart
        ),
    ],
)
def test_the_person_key_repeats(columns: dict[str, list[str]], key: str | tuple[str, ...] | None) -> None:
    """It is an identifying column of codes that some records share, that most have, and not one of a few places."""
    assert found(columns) == (PersonGuess(asked=key) if isinstance(key, tuple) else PersonGuess(key))


def found(columns: Mapping[str, Sequence[str]]) -> PersonGuess:
    """Whose the records of a table are, as far as a draft can tell."""
    table = from_frame(pl.DataFrame(columns))
    return whose(table, inspect_table(table))


def chained(*sizes: int, of: Sequence[int] = range(120)) -> list[list[str]]:
    """Keys of records, each as coarse as its size says."""
    return [[f"K{place // size:03}" for place in of] for size in sizes]


PATIENTS, EPISODES, ENCOUNTERS, EACH = chained(6, 3, 2, 1)

#: Of some patients: another number, in other letters; with one typing error; and without a number.
MRN = [f"m-{one[1:]}" for one in PATIENTS]
MISTYPED = ["K001", *PATIENTS[1:]]
GAPS = ["" if place % 7 == 0 else one for place, one in enumerate(PATIENTS)]

#: Doctors of any patients, who are seen by several.
DOCTORS = [f"D{place * 7 % 30:02}" for place in range(120)]

#: Households, some of one person, by their numbers, with what is the same in each.
HOUSEHOLDS = [str(1 + (place + place // 5) // 3) for place in range(120)]
WEIGHTS = [f"{1 + int(one) * 37 % 100 / 100}" for one in HOUSEHOLDS]
STREETS = [f"Via Roma {one}" for one in HOUSEHOLDS]


@pytest.mark.parametrize(
    ("columns", "key"),
    [
        ({"patient": PATIENTS, "encounter_id": ENCOUNTERS}, "patient"),
        ({"encounter_id": ENCOUNTERS, "patient": PATIENTS}, "patient"),
        ({"encounter_id": ENCOUNTERS, "episode_id": EPISODES, "patient_id": PATIENTS}, "patient_id"),
        ({"order_id": EPISODES, "customer_id": PATIENTS, "line_id": EACH}, "customer_id"),
        ({"patient_id": PATIENTS, "mrn": MRN}, "patient_id"),
        ({"encounter_id": ENCOUNTERS, "patient_id": MISTYPED}, "patient_id"),
        ({"patient_id": PATIENTS, "mrn": ["m-999", *MRN[1:]]}, "patient_id"),
        ({"encounter_id": ENCOUNTERS, "patient_id": GAPS}, "patient_id"),
        ({"patient_id": [one.lower() if at % 2 else f"{one} " for at, one in enumerate(PATIENTS)]}, "patient_id"),
        ({"patient_id": [one.lower() if at % 2 else one for at, one in enumerate(EACH)]}, None),
        ({"patient_id": PATIENTS}, "patient_id"),
    ],
)
def test_the_coarsest_key_says_whose_a_record_is(columns: dict[str, list[str]], key: str | None) -> None:
    """That is the one that determines no other: each encounter has one patient, but for a few that were mistyped."""
    assert found(columns) == PersonGuess(key)


@pytest.mark.parametrize(
    ("columns", "asked"),
    [
        ({"patient_id": PATIENTS, "doctor_id": DOCTORS}, ("patient_id", "doctor_id")),
        ({"visit_id": ENCOUNTERS, "doctor_id": DOCTORS, "patient_id": PATIENTS}, ("doctor_id", "patient_id")),
        ({"patient_id": PATIENTS, "mrn": [*MRN[3:], *MRN[:3]]}, ("patient_id", "mrn")),
        ({"person_id": EACH, "household": HOUSEHOLDS, "weight": WEIGHTS}, ("person_id", "household")),
        ({"person_id": ENCOUNTERS, "household": HOUSEHOLDS, "address": STREETS}, ("person_id", "household")),
        ({"person_id": EACH, "hhid": HOUSEHOLDS, "age": AGES + AGES[:20]}, ("person_id", "hhid")),
        ({"person_id": EACH, "number": HOUSEHOLDS, "address": STREETS}, ("person_id", "number")),
        ({"person_id": EACH, "classroom": [str(1 + at // 12) for at in range(120)]}, ("person_id", "classroom")),
        ({"household": HOUSEHOLDS, "weight": WEIGHTS, "age": AGES + AGES[:20]}, ("household",)),
    ],
)
def test_where_two_keys_may_be_meant_somebody_decides(columns: dict[str, list[str]], asked: tuple[str, ...]) -> None:
    """Keys that do not determine each other, and numbers of households beside those of people."""
    assert found(columns) == PersonGuess(asked=asked)


@pytest.mark.parametrize(
    ("columns", "key"),
    [
        ({"person_id": EACH, "household": [str(1 + at * 7 % 12) for at in range(120)]}, None),  # of how many people
        ({"age": [str(20 + at // 6) for at in range(120)], "weight": [str(at % 50) for at in range(120)]}, None),
        ({"patient_id": HOUSEHOLDS, "weight": WEIGHTS, "address": STREETS}, "patient_id"),
        (
            {"person_id": EACH, "household": [str(at) for at in range(120)], "weight": WEIGHTS},
            None,
        ),
        ({"person_id": EACH, "household": [str(at // 60) for at in range(120)], "address": STREETS}, None),
    ],
)
def test_what_is_no_number_of_a_group_is_not_asked_about(columns: dict[str, list[str]], key: str | None) -> None:
    """Sizes of households, what a table is ordered by, patients, households of one person, and two halves."""
    assert found(columns) == PersonGuess(key)


@pytest.mark.filterwarnings("ignore::kohort.errors.SourceNote")
def test_a_draft_stops_where_it_is_undecided_whose_a_record_is(tmp_path: Path) -> None:
    """Its job asks, and is refused until somebody decides; then it is that of the key, or of records."""
    columns = {"person_id": EACH, "household": HOUSEHOLDS, "weight": WEIGHTS, "age": AGES + AGES[:20]}
    draft = draft_of(from_frame(pl.DataFrame(columns)), k=5, missing=("",), path=None, folder=tmp_path)
    text = draft.to_toml()
    assert "# Does person_id or household identify the person of a record?" in text
    assert 'key = "undecided: person_id or household" # decide: person_id or household; or remove' in text
    with pytest.raises(UsageError, match="does person_id or household identify the person of a record") as refused:
        draft.job()
    assert refused.value.exit_status == 2
    assert draft.job(person="person_id").schema.person == "person_id"


def test_a_draft_says_which_columns_give_others_back(tmp_path: Path) -> None:
    """In a note, and above the role that it proposes, which is then no more than a guess."""
    towns = [f"town {place % 8}" for place in range(RECORDS)]
    table = from_frame(
        pl.DataFrame(
            {
                "city": towns,
                "income class": [f"I{'0' if place == 9 else town[-1]}" for place, town in enumerate(towns)],
                "income": [str(20_000 + 7 * place * place) for place in range(RECORDS)],
                "diagnosis": [("flu", "gout", "asthma")[place % 3] for place in range(RECORDS)],
            }
        )
    )
    with pytest.warns(SourceNote) as told:
        draft = draft_of(table, k=5, missing=("",), path=None, folder=tmp_path)
    [note] = [str(one.message) for one in told]
    assert note.startswith("city, which the release hides, can be guessed from income class for 100 % of the people")
    [code] = [one for one in draft.guesses if one.name == "income class"]
    assert (code.role, code.certainty, code.reasons[-1]) == ("sensitive", "unsure", note)
    assert f"# {note}" in draft.to_toml()
    assert all("can be guessed" not in "".join(one.reasons) for one in draft.guesses if one is not code)


def test_one_of_two_columns_that_say_the_same_is_dropped(tmp_path: Path) -> None:
    """A code that stands for a town goes, the town stays; two that name the records of one another by chance stay."""
    random = np.random.default_rng(3)
    towns = random.integers(0, 8, RECORDS)
    own = random.permutation(RECORDS)
    table = from_frame(
        pl.DataFrame(
            {
                "town_code": (towns + 10).astype(str),
                "town": [f"town {place}" for place in towns],
                "income": (1000 + own).astype(str),
                "cost": (5000 - own).astype(str),
                "flag": ["no"] * RECORDS,
                "other": ["yes"] * RECORDS,
            }
        )
    )
    draft = draft_of(table, k=5, missing=("",), path=None, folder=tmp_path)
    roles = {one.name: one.role for one in draft.guesses}
    assert (roles["town_code"], roles["town"]) == ("drop", "quasi")
    assert "drop" not in {role for name, role in roles.items() if name != "town_code"}
    assert "each value corresponds to one of town: one of the two columns is enough" in draft.to_toml()


def test_a_draft_of_a_table_says_all_of_it(tmp_path: Path) -> None:
    """Person key, missing texts, trimming and rounding are keys of the job; measures are rounded for people."""
    table = from_frame(
        pl.DataFrame(
            {
                "patient_id": [f" P{place // 2:03}" for place in range(RECORDS)],
                "age": [f" {age}" for age in ["?", *AGES[1:]]],
                "income": [f" {20_000 + 7 * place * place}" for place in range(RECORDS)],
            }
        )
    )
    draft = draft_of(table, k=5, missing=("",), path=None, folder=tmp_path)
    text = job_text(draft, "-", reading={"separator": ";"})
    assert draft.roundings["income"].people == RECORDS // 2
    for line in ("trim = true", 'missing = ["", "?"]', 'key = "patient_id" #', 'method = "rounding"', "grid = 5 #"):
        assert line in text
    assert 'separator = ";"' in text


def test_records_of_nobody_stop_the_drafts_job() -> None:
    """The draft counts people among the others, and its note says what to do; a run without an answer is refused."""
    some = italy(300, seed=3).select("age", "annual_income")
    people = some.with_columns(
        patient_id=pl.Series(["" if place % 10 == 0 else f"P{place // 3}" for place in range(300)])
    )
    with pytest.warns(SourceNote, match=r"but 30 records have no value: leave them out .complete-records"):
        draft = kohort.draft(people)
    assert (draft.person, draft.nobodys) == ("patient_id", 30)
    assert "30 records have no value" in draft.to_toml()
    with pytest.raises(kohort.InputError, match="30 records have no person key") as caught:
        kohort.anonymize(people, draft.job())
    assert "--complete-records patient_id" in caught.value.hint
    release = kohort.anonymize(people, draft.job(complete_records=["patient_id"]))
    assert (release.table.records, release.incomplete) == (270, 30)


def test_a_table_of_one_column_is_told_of(tmp_path: Path) -> None:
    """Columns that blanks align are read as one, of which nothing can be released."""
    table = from_frame(pl.DataFrame({"id   age": [f"{place}    {20 + place % 9}" for place in range(30)]}))
    with pytest.warns(SourceNote, match="one column"):
        draft_of(table, k=5, missing=("",), path=None, folder=tmp_path)
