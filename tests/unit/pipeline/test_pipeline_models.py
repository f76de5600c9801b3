"""The whole path with models beyond k: people, a population table, and goals that no release can meet."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING, get_args

import polars as pl
import pytest

import kohort
from kohort.algorithms.mondrian.mondrian import Cut
from kohort.engines.pipeline import dry_run
from kohort.errors import InfeasibleError, InputError, SchemaError, TargetError, UsageError
from kohort.models.alpha_k_anonymity import AlphaKAnonymity
from kohort.models.delta_presence import DeltaPresence
from kohort.models.entropy_l_diversity import EntropyLDiversity
from kohort.models.k_map import KMap
from kohort.models.recursive_l_diversity import RecursiveLDiversity
from kohort.schema import Missing, Order
from tests.jobs import freely

if TYPE_CHECKING:
    from pathlib import Path

    from kohort.models.base import PrivacyModel

AGES = [str(20 + row % 12) for row in range(60)]

#: Two different values: one of them in two spellings, and one missing.
ILLNESS = [("flu", "Flu", "HIV", None)[row % 4] for row in range(60)]

TABLE = pl.DataFrame({"age": AGES, "illness": ILLNESS})

REGISTER = pl.DataFrame({"age": [*AGES, *AGES, "33"]})

AGE = kohort.Attribute("age", kohort.Role.QUASI, hierarchy="intervals:4,12")

SCHEMA = kohort.Schema((AGE, kohort.Attribute("illness", kohort.Role.SENSITIVE)))

LEVELS = kohort.Optimal(kohort.SuppressionLimit.of("50%"))


def job(*models: PrivacyModel, algorithm: kohort.Mondrian | kohort.Optimal | None = None) -> kohort.Job:
    """A job over the table."""
    return freely(kohort.Job.of(SCHEMA, *models, algorithm=algorithm))


# --- goals that no release can meet -----------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", [kohort.Mondrian(), LEVELS], ids=["mondrian", "optimal"])
@pytest.mark.parametrize(
    "model",
    [
        kohort.DistinctLDiversity("illness", 3),
        EntropyLDiversity("illness", Fraction(5, 2)),
        RecursiveLDiversity("illness", Fraction(9), 3),
    ],
    ids=lambda one: one.name,
)
def test_more_values_than_there_are_cannot_be_asked_for(
    model: PrivacyModel, algorithm: kohort.Mondrian | kohort.Optimal
) -> None:
    """Spellings and missing values are none; the message counts them, and says none, whatever may be suppressed."""
    with pytest.raises(InfeasibleError) as caught:
        kohort.anonymize(TABLE, job(model, algorithm=algorithm))
    assert caught.value.what == f"{model.name} needs 3 different values, but there are only 2"
    assert caught.value.where == "column illness"
    assert not {"flu", "HIV"} & set(str(caught.value).replace(",", " ").split())


@pytest.mark.parametrize("values", [["flu"] * 60, [""] * 60], ids=["constant", "all missing"])
def test_a_constant_column_has_no_diversity(values: list[str]) -> None:
    """One value, or none, cannot be two."""
    table = TABLE.with_columns(illness=pl.Series(values))
    with pytest.raises(InfeasibleError, match="needs 2 different values, but there are only"):
        kohort.anonymize(table, job(kohort.DistinctLDiversity("illness", 2)))


@pytest.mark.parametrize("algorithm", [kohort.Mondrian(), kohort.Optimal()], ids=["mondrian", "optimal"])
def test_what_the_whole_table_fails_is_refused_before_the_search(
    algorithm: kohort.Mondrian | kohort.Optimal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If nothing may be suppressed, all records in one class are the best that a diversity can hope for."""
    monkeypatch.delattr(type(algorithm), "solve")
    entropy = EntropyLDiversity("illness", Fraction("1.95"))
    with pytest.raises(InfeasibleError) as caught:
        kohort.anonymize(TABLE, job(kohort.KAnonymity(2), entropy, algorithm=algorithm))
    assert caught.value.what == (
        "the whole table as one class, with 2 different values, does not meet entropy 1.95-diversity of illness"
    )
    assert caught.value.where == "column illness"


def test_suppression_may_save_what_the_whole_table_fails() -> None:
    """Where a class that meets the goal can be left alone, the search decides."""
    table = pl.DataFrame({"age": ["20"] * 8 + ["40"] * 4, "illness": ["flu", "HIV"] * 4 + ["flu"] * 4})
    even = EntropyLDiversity("illness", Fraction(2))
    release = kohort.anonymize(table, job(even, algorithm=LEVELS))
    assert (release.table.records, release.suppressed) == (8, 4)
    with pytest.raises(InfeasibleError):
        kohort.anonymize(table, job(even, algorithm=kohort.Optimal()))


def test_classes_that_share_people_may_satisfy_what_the_whole_table_does_not() -> None:
    """Somebody in two classes counts once in the whole table: its shares are no mean of theirs."""
    stays = pl.DataFrame({"who": ["1", "2", "3", "2"], "age": ["20", "20", "40", "40"], "illness": ["x", "y"] * 2})
    schema = kohort.Schema((AGE, kohort.Attribute("who", kohort.Role.IDENTIFYING), SCHEMA.attributes[1]), person="who")
    asked = freely(kohort.Job.of(schema, AlphaKAnonymity("illness", Fraction(1, 2), 2), algorithm=kohort.Optimal()))
    assert kohort.anonymize(stays, asked).sizes.tolist() == [2, 2]


# --- a population table -----------------------------------------------------------------------------------------------


def test_a_population_makes_smaller_classes_do() -> None:
    """Of twice as many people, half are in the table: k-map 10 needs classes of 5."""
    release = kohort.anonymize(TABLE, job(KMap(10)), population=REGISTER)
    assert release.verdict is not None
    assert release.sizes.tolist() == [5] * 12
    assert release.population is not None
    assert release.population.records == 121
    assert dry_run(TABLE, job(KMap(10)), population=REGISTER).sizes.tolist() == [5] * 12


def test_equal_records_are_not_dealt_where_a_population_is_compared() -> None:
    """Of four people called 1 three are in the table, too many: dealt to two classes they would be one class again."""
    table, known = (pl.DataFrame({"age": [*ages]}) for ages in ("1113", "111133"))
    asked = DeltaPresence(Fraction(0), Fraction(2, 3))
    for cut in get_args(Cut):
        schema, algorithm = kohort.Schema.of(quasi=["age"]), kohort.Mondrian(cut, relaxed=True)
        release = kohort.anonymize(table, freely(kohort.Job.of(schema, asked, algorithm=algorithm)), population=known)
        assert release.sizes.tolist() == [4]


def test_leaves_that_are_released_alike_are_judged_as_one() -> None:
    """In an order that is not the hierarchy's two leaves may both be `*`: half of whom it fits is too many for both."""
    places = kohort.Hierarchy.from_rows([[*"aA"], [*"bA"], [*"cB"], [*"dB"]], root="*")
    city = kohort.Attribute("city", kohort.Role.QUASI, hierarchy=places, order=Order.FREQUENCY)
    schema = kohort.Schema((city, kohort.Attribute("age", kohort.Role.QUASI)))
    asked = freely(kohort.Job.of(schema, DeltaPresence(Fraction(0), Fraction(1, 2))))
    table = pl.DataFrame({"city": [*"bcadd"], "age": [*"11112"]})
    known = pl.concat([table, pl.DataFrame({"city": [*"dbbaa"], "age": [*"22111"]})])
    with pytest.raises(InfeasibleError, match="but all together do not"):
        kohort.anonymize(table, asked, population=known)


def test_a_population_is_asked_for_and_only_where_a_model_needs_it() -> None:
    """Nothing is read for nothing, and no model is judged without what it needs."""
    with pytest.raises(UsageError, match="5-map needs a population table"):
        kohort.anonymize(TABLE, job(KMap(5)))
    with pytest.raises(UsageError, match="no privacy model needs a population table"):
        kohort.anonymize(TABLE, job(kohort.KAnonymity(5)), population=REGISTER)
    with pytest.raises(UsageError, match="5-map needs a population table"):
        dry_run(TABLE, job(KMap(5)))
    with pytest.raises(UsageError, match="standard input can be read only once"):
        kohort.anonymize("-", job(KMap(5)), population="-")


def test_a_population_must_have_the_quasi_identifiers() -> None:
    """By the same names."""
    with pytest.raises(SchemaError, match="no column age") as caught:
        kohort.anonymize(TABLE, job(KMap(5)), population=REGISTER.rename({"age": "Age"}))
    assert caught.value.where == "population"


def test_a_population_file_is_an_input(tmp_path: Path) -> None:
    """It is read like the table, and no output may replace it."""
    table, register = tmp_path / "t.csv", tmp_path / "p.csv"
    TABLE.write_csv(table)
    REGISTER.write_csv(register)
    before = register.read_bytes()
    asked = job(KMap(10))
    release = kohort.anonymize(table, asked, population=register, target=tmp_path / "r.csv")
    assert json.loads((tmp_path / "r.csv.kohort.json").read_text("utf-8"))["job"]
    assert release.sizes.tolist() == [5] * 12
    with pytest.raises(TargetError):
        kohort.anonymize(table, asked, population=register, target=register, overwrite=True)
    assert register.read_bytes() == before
    with pytest.raises(InputError):
        kohort.anonymize(table, asked, population=tmp_path / "absent.csv", target=tmp_path / "x.csv")


def test_a_table_of_no_records_needs_no_search() -> None:
    """Its release is empty, also where a model needs a population."""
    reading = kohort.ReadOptions(allow_empty=True)
    asked = freely(kohort.Job(SCHEMA, (KMap(5),), reading=reading))
    release = kohort.anonymize(TABLE.clear(), asked, population=REGISTER)
    assert (release.table.records, release.verdict is None) == (0, False)


def test_a_release_of_nobody_that_tells_absence_is_infeasible() -> None:
    """Everybody of the population is known to be absent, which a lower bound of presence forbids: no fault of ours."""
    reading = kohort.ReadOptions(allow_empty=True)
    asked = freely(kohort.Job(SCHEMA, (DeltaPresence(Fraction("0.1"), Fraction("0.9")),), reading=reading))
    with pytest.raises(kohort.InfeasibleError, match="a release without records"):
        kohort.anonymize(TABLE.clear(), asked, population=REGISTER)


# --- people -----------------------------------------------------------------------------------------------------------


def test_k_counts_people_where_there_is_a_key() -> None:
    """Everybody has two records of an age: classes of 5 people have 10."""
    table = pl.DataFrame({"who": [f"p{row // 2}" for row in range(60)], "age": [str(row // 6) for row in range(60)]})
    schema = kohort.Schema.of(identifying=["who"], quasi=["age"], person="who")
    release = kohort.anonymize(table, freely(kohort.Job.of(schema, kohort.KAnonymity(5))))
    assert release.sizes.min() >= 10
    assert release.people == 30
    assert "who" not in release.table.names


def test_a_missing_sensitive_value_does_what_the_schema_says() -> None:
    """Its record is kept, or left out and counted, or an error."""
    kept = kohort.anonymize(TABLE, job(kohort.DistinctLDiversity("illness", 2)))
    assert (kept.table.records, kept.suppressed) == (60, 0)
    left = kohort.Schema((AGE, kohort.Attribute("illness", kohort.Role.SENSITIVE, missing=Missing.SUPPRESS)))
    out = kohort.anonymize(TABLE, freely(kohort.Job.of(left, kohort.DistinctLDiversity("illness", 2))))
    assert (out.table.records, out.suppressed) == (45, 15)
    never = kohort.Schema((AGE, kohort.Attribute("illness", kohort.Role.SENSITIVE, missing=Missing.REFUSE)))
    for model in (kohort.DistinctLDiversity("illness", 2), kohort.KAnonymity(5)):  # also where none looks at it
        with pytest.raises(InputError, match="15 records have no value"):
            kohort.anonymize(TABLE, freely(kohort.Job.of(never, model)))
