"""A file is judged as it stands: by its cells' text, and by what a reader takes for the same text."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.assessment.checking import Check, FailingClass, check
from kohort.assessment.classes import named_column
from kohort.assessment.risk.overall import assess
from kohort.core import frequency
from kohort.errors import HierarchyError, InputError, SchemaError, UsageError
from kohort.models.alpha_k_anonymity import AlphaKAnonymity
from kohort.models.average_risk import AverageRisk
from kohort.models.basic_beta_likeness import BasicBetaLikeness
from kohort.models.delta_disclosure import DeltaDisclosure
from kohort.models.delta_presence import DeltaPresence
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.k_anonymity import KAnonymity
from kohort.models.k_map import KMap
from kohort.models.t_closeness import TCloseness
from kohort.schema import Attribute, Missing, Role, Schema
from kohort.schema.hierarchies.spelling import even_spelling
from kohort.schema.hierarchy import Hierarchy
from kohort.tables.table import Column, Table, narrow

if TYPE_CHECKING:
    from kohort.models.base import PrivacyModel


def table_of(**cells: list[str | None]) -> Table:
    """A table from the cells of each column."""
    columns: list[Column] = []
    for name, texts in cells.items():
        place: dict[str | None, int] = {}
        codes = np.array([place.setdefault(text, len(place)) for text in texts], dtype=np.int64)
        values = pl.Series(name, list(place), dtype=pl.String)
        columns.append(Column(name, values, narrow(codes, len(place)), pl.String()))
    return Table(tuple(columns), len(next(iter(cells.values()))))


PEOPLE = table_of(
    city=["Bari", "Bari", "Bari", "Roma", "Roma", "Roma"],
    age=["30", "30", "31", "30", "30", "30"],
    income=["1", "2", "3", "4", "5", "6"],
)


def judged(table: Table, *quasi: str, k: int = 2) -> Check:
    """The table judged by k-anonymity."""
    return check(table, quasi, (KAnonymity(k),))


def test_classes_are_counted_and_judged() -> None:
    """A class is the records with equal cells in the named columns; those of fewer than k records fail."""
    found = judged(PEOPLE, "city", "age")
    assert found.records == 6
    assert sorted(found.sizes.tolist()) == [1, 2, 3]
    (finding,) = found.findings
    assert (finding.model, finding.failing_classes, finding.failing_records) == ("2-anonymity", 1, 1)
    assert not finding.met
    assert not found.met


def test_a_table_may_meet_its_models() -> None:
    """All classes of all models must satisfy."""
    assert judged(PEOPLE, "city", k=3).met
    both = check(PEOPLE, ["city"], (KAnonymity(3), KAnonymity(4)))
    assert [finding.met for finding in both.findings] == [True, False]
    assert not both.met


def test_missing_values_are_values() -> None:
    """A missing cell is shared only with missing cells; an empty text and a null are told apart, as in their file."""
    found = judged(table_of(city=["Bari", "Bari", "", None]), "city")
    assert sorted(found.sizes.tolist()) == [1, 1, 2]
    assert found.merged == 2


def test_spellings_are_told() -> None:
    """Classes that differ in case, width or blanks alone are fewer to a reader."""
    found = judged(
        table_of(city=["Bari", " bari", "BARI ", "\uff22\uff41\uff52\uff49", "Roma"], age=["1"] * 5), "city", "age"
    )
    assert found.sizes.size == 5
    assert found.merged == 2


def test_an_empty_table_has_no_classes() -> None:
    """Without records there is nothing to fail."""
    found = judged(table_of(city=[]), "city")
    assert (found.records, found.sizes.size, found.merged, found.met) == (0, 0, 0, True)
    assert check(table_of(a=[], s=[]), ["a"], [DistinctLDiversity("s", 2), TCloseness("s", FIFTH)]).met


def test_some_column_must_be_named() -> None:
    """Without a quasi-identifier there is nothing to judge."""
    with pytest.raises(SchemaError, match="no quasi-identifying column"):
        judged(PEOPLE)


def test_an_unknown_column_comes_with_the_nearest() -> None:
    """A name that no column has comes with the nearest names, if there are any."""
    for name, hint in (("ctiy", "did you mean city?"), ("x", "")):
        with pytest.raises(SchemaError) as caught:
            judged(PEOPLE, "age", name)
        assert (caught.value.what, caught.value.hint) == (f"no column is called {name}", hint)
    assert named_column(PEOPLE, "city") is PEOPLE["city"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("HIV", "hiv"),
        ("  HIV   positive ", "hiv positive"),
        ("a\N{NO-BREAK SPACE}b", "a b"),
        ("caf\u00e9", "CAFE\u0301"),
        ("Straße", "STRASSE"),
        ("\u00bd", "1\u20442"),
    ],
)
def test_spellings_of_one_value(one: str, other: str) -> None:
    """Case, composition, width and blanks do not make another value."""
    assert even_spelling(one) == even_spelling(other)


@given(st.text())
def test_blanks_around_do_not_matter(text: str) -> None:
    """Blanks before, after and between words count as one between, none around."""
    assert even_spelling(f" {text}\t") == even_spelling(text)


def test_a_check_is_true_where_all_is_met() -> None:
    """`if check(…)` asks whether the table meets its models; where none was asked for, it met none."""
    for models, met in (([KAnonymity(3)], True), ([KAnonymity(4)], False), ([], False)):
        found = check(PEOPLE, ["city"], models)
        assert (bool(found), found.met) == (met, met)


def test_what_a_table_achieves_stands_beside_its_models() -> None:
    """With or without models; of values only for the columns that are named; of no record nothing."""
    assert {one.key: one.achieved.value for one in check(PEOPLE, ["city"], [KAnonymity(4)]).achieved} == {
        "k": 3,
        "max-risk": Fraction(1, 3),
        "average-risk": Fraction(1, 3),
        "k-map": None,
        "presence": None,
    }
    found = check(PEOPLE, ["city"], sensitive=["income"], reference=PEOPLE)
    assert {one.sensitive for one in found.achieved} == {None, "income"}
    assert (found.findings, found.alike[0].people) == ((), 0)
    empty = check(table_of(city=[], income=[]), ["city"], sensitive=["income"])
    assert (empty.achieved, empty.alike[0].people) == ((), 0)
    assert repr(empty) == "<Check, no model asked for; records: 0; classes: 0>"
    with pytest.raises(UsageError, match="no privacy model refers"):
        check(PEOPLE, ["city"], reference=PEOPLE)


# ── every model ──────────────────────────────────────────────────────────────────────────────────


def classes_of(*classes: str, **more: list[str | None]) -> Table:
    """A table of these classes: of each record the sensitive value is a letter, `-` for a missing one."""
    pairs = [(str(place), None if letter == "-" else letter) for place, one in enumerate(classes) for letter in one]
    return table_of(a=[a for a, _ in pairs], s=[s for _, s in pairs], **more)


FIFTH, HALF = Fraction(1, 5), Fraction(1, 2)


def test_values_are_those_of_the_table() -> None:
    """A model of a sensitive column finds it by its name; spellings are one value, and a missing one is none."""
    diverse = DistinctLDiversity("s", 2)
    assert check(classes_of("fg", "gf"), ["a"], [diverse]).met
    for one in ("ff", "fF", "f-"):
        found = check(classes_of("fg", one), ["a"], [KAnonymity(2), diverse])
        assert [finding.met for finding in found.findings] == [True, False]
        assert found.findings[1].failing_classes == 1


def test_the_smallest_failing_classes_come_first() -> None:
    """Failing classes are told by size, then by cells; with their number of values and the share of the first."""
    found = check(classes_of("ffff", "gg", "fg", "f-f", "ff"), ["a"], [DistinctLDiversity("s", 2)], first=3)
    (finding,) = found.findings
    assert (finding.failing_classes, finding.failing_records) == (4, 11)
    assert finding.first == (
        FailingClass(2, 2, None, 1, Fraction(1), ("1",), (("g", 2),)),
        FailingClass(2, 2, None, 1, Fraction(1), ("4",), (("f", 2),)),
        FailingClass(3, 3, None, 1, Fraction(1), ("3",), (("f", 2),)),
    )
    (alike,) = check(classes_of("ffg", "--"), ["a"], [DistinctLDiversity("s", 3)]).findings
    assert [(one.values, one.share) for one in alike.first] == [(0, None), (2, Fraction(2, 3))]
    assert check(classes_of("fg"), ["a"], [KAnonymity(3)], first=0).findings[0].first == ()


@pytest.mark.parametrize("room", [("CELLS", 1), ("CELLS", 4), ("FEW", 0), ("FEW", 1)])
@pytest.mark.parametrize("key", ["who", None])
def test_values_of_some_classes_at_a_time(
    monkeypatch: pytest.MonkeyPatch, room: tuple[str, int], key: str | None
) -> None:
    """However many classes are looked at together, and with or without the values of others, the same ones fail."""
    monkeypatch.setattr(frequency, *room)
    table = classes_of("fg", "ff", "ggg", "fgf", who=[str(record) for record in range(10)])
    (finding,) = check(table, ["a"], [DistinctLDiversity("s", 2)], schema=Schema((), person=key)).findings
    assert [one.cells for one in finding.first] == [("1",), ("2",)]


def test_a_model_that_is_met_names_no_class() -> None:
    """An average may be met though some class alone fails: nothing is told of that class."""
    (finding,) = check(classes_of("fgfgfg", "f"), ["a"], [AverageRisk(Fraction(2, 5))]).findings
    assert (finding.met, finding.failing_classes, finding.first) == (True, 1, ())
    (finding,) = check(classes_of("fg", "f"), ["a"], [AverageRisk(Fraction(2, 5))]).findings
    assert (finding.met, len(finding.first)) == (False, 2)


REFERRING: tuple[PrivacyModel, ...] = (
    TCloseness("s", FIFTH),
    DeltaDisclosure("s", HALF),
    BasicBetaLikeness("s", HALF),
)


@pytest.mark.parametrize("model", REFERRING, ids=lambda model: model.name)
def test_what_classes_are_compared_with(model: PrivacyModel) -> None:
    """The file itself, and then it says so; or the table before its release, if that is given."""
    table, before = classes_of("fg", "fg"), classes_of("fg", "fg", "gggggg")
    (own,) = check(table, ["a"], [model]).findings
    assert (own.met, own.own_reference) == (True, True)
    (other,) = check(table, ["a"], [model], reference=before).findings
    assert (other.met, other.own_reference) == (False, False)
    assert not check(table, ["a"], [DistinctLDiversity("s", 2)]).findings[0].own_reference


def test_what_is_no_reference() -> None:
    """A reference that no model needs, that lacks values or the column, is refused."""
    table = classes_of("fg", "fg")
    with pytest.raises(UsageError, match="no privacy model refers"):
        check(table, ["a"], [KAnonymity(2)], reference=table)
    with pytest.raises(InputError, match=r"1 value \(2 records\) is not in the reference") as caught:
        check(table, ["a"], [TCloseness("s", FIFTH)], reference=classes_of("f-"))
    assert caught.value.where == "column s"
    with pytest.raises(SchemaError, match="no column is called s"):
        check(table, ["a"], [TCloseness("s", FIFTH)], reference=table_of(a=["1"]))


def test_hierarchical_distance() -> None:
    """The schema may say by which hierarchy values are apart."""
    rows = [["f", "mild", "*"], ["g", "mild", "*"], ["h", "grave", "*"], ["i", "grave", "*"]]
    schema = Schema((Attribute("s", Role.SENSITIVE, hierarchy=Hierarchy.from_rows(rows)),))
    table = classes_of("fh", "gi")
    close = TCloseness("s", Fraction(1, 4))
    assert not check(table, ["a"], [close]).met
    assert check(table, ["a"], [close], schema=schema).met
    with pytest.raises(HierarchyError, match="missing from the hierarchy"):
        check(classes_of("fx"), ["a"], [close], schema=schema)


def test_missing_values_that_are_refused() -> None:
    """What the schema says of missing values is held to."""
    schema = Schema((Attribute("s", Role.SENSITIVE, missing=Missing.REFUSE),), frozenset({"f"}))
    with pytest.raises(InputError, match="1 record has no value"):
        check(classes_of("fg"), ["a"], [DistinctLDiversity("s", 2)], schema=schema)


def test_a_sensitive_column_that_is_quasi_identifying() -> None:
    """A column has one role, and must be there."""
    with pytest.raises(SchemaError, match="quasi-identifying"):
        check(classes_of("fg"), ["a", "s"], [DistinctLDiversity("s", 2)])
    with pytest.raises(SchemaError, match="no column is called t"):
        check(classes_of("fg"), ["a"], [DistinctLDiversity("t", 2)])


# ── people ───────────────────────────────────────────────────────────────────────────────────────


def test_people_are_counted_where_a_key_says_who() -> None:
    """Two records of one person are one; values and the reference count people too."""
    table = classes_of("fg", "fgg", who=["p", "p", "q", "r", "r"])
    keyed = Schema((), person="who")
    found = check(table, ["a"], [KAnonymity(2)], schema=keyed)
    assert (found.met, found.sizes.tolist(), found.people is not None) == (False, [2, 3], True)
    assert (found.findings[0].failing_records, found.findings[0].first[0].size) == (2, 1)
    assert check(table, ["a"], [KAnonymity(2)]).people is None
    skewed = classes_of("fg", "fgggggg", who=["p", "q", "r", *["s"] * 6])
    close = TCloseness("s", Fraction(1, 10))
    assert check(skewed, ["a"], [close], schema=keyed).met
    assert not check(skewed, ["a"], [close]).met
    assert check(skewed, ["a"], [close], schema=keyed, reference=skewed).met
    # A reference that does not say whose its records are counts records: 2 of f and 7 of g.
    plain = classes_of("fg", "fgggggg")
    assert not check(skewed, ["a"], [close], schema=keyed, reference=plain).met


def test_a_class_has_as_many_people_as_records_say() -> None:
    """Where a model of values asks for k, people count; and so they do for what fails first."""
    table = classes_of("fgfg", "fgh", "ffh", who=[*"pppp", *"qrs", *"tuu"])
    keyed = Schema((), person="who")
    (finding,) = check(table, ["a"], [AlphaKAnonymity("s", Fraction(2, 3), 3)], schema=keyed).findings
    assert [(one.size, one.records, one.cells) for one in finding.first] == [(1, 4, ("0",)), (2, 3, ("2",))]


def test_records_of_nobody() -> None:
    """People cannot be counted where some record is nobody's, or nothing says whose they are."""
    with pytest.raises(InputError, match="1 record has no person key"):
        check(classes_of("fg", who=["p", None]), ["a"], [KAnonymity(2)], schema=Schema((), person="who"))
    with pytest.raises(SchemaError, match="no column is called who"):
        check(classes_of("fg"), ["a"], [KAnonymity(2)], schema=Schema((), person="who"))


# ── population ───────────────────────────────────────────────────────────────────────────────────


def test_whom_of_the_population_cells_cover() -> None:
    """Values, ranges, sets and `*` cover values of the population; a node does where its hierarchy is known."""
    table = table_of(age=["[20-29]", "[20-29]", "[30-40)", "*"], city=["Rome", "{Bari, Rome}", "South", "*"])
    known = table_of(age=["20", "29.0", "30", "40", "25"], city=["Rome", "Bari", "Bari", "Rome", "Oslo"])
    cities = Hierarchy.from_rows([["Rome", "Centre"], ["Bari", "South"], ["Oslo", "North"]], root="*")
    schema = Schema((Attribute("city", Role.QUASI, hierarchy=cities),))
    (finding,) = check(table, ["age", "city"], [KMap(6)], schema=schema, population=known).findings
    fits = {one.cells: one.population for one in finding.first}
    assert fits == {
        ("[20-29]", "Rome"): 1,
        ("[20-29]", "{Bari, Rome}"): 2,
        ("[30-40)", "South"): 1,
        ("*", "*"): 5,
    }


def test_whom_no_class_fits() -> None:
    """They are counted, and are known to be absent where absence must be hidden."""
    known = table_of(a=["0", "0", "1", "1", "7"])
    presence = DeltaPresence(FIFTH, Fraction(1))
    found = check(classes_of("f", "g"), ["a"], [presence, KMap(2)], population=known)
    assert found.outside == 1
    assert check(classes_of("f", "g", "h"), ["a"], [KMap(2)], population=known).findings[0].first[0].population == 0
    assert [finding.met for finding in found.findings] == [False, True]
    assert (found.findings[0].failing_classes, found.findings[0].first) == (0, ())


def test_builders_of_hierarchies() -> None:
    """A hierarchy given as a builder's text is built over the values of the population."""
    schema = Schema((Attribute("zip", Role.QUASI, hierarchy="mask:right"),))
    table, known = table_of(zip=["0012*", "0034*"]), table_of(zip=["00123", "00124", "00341"])
    (finding,) = check(table, ["zip"], [KMap(3)], schema=schema, population=known).findings
    assert [one.population for one in finding.first] == [2, 1]


def test_what_is_no_population() -> None:
    """A population that is not needed, is needed, lacks a column, or whose labels cannot be read, is refused."""
    table = table_of(a=["1", "[1-"])
    with pytest.raises(UsageError, match="2-map needs a population table"):
        check(table, ["a"], [KMap(2)])
    with pytest.raises(UsageError, match="no privacy model needs"):
        check(table, ["a"], [KAnonymity(2)], population=table)
    with pytest.raises(SchemaError, match="has no column a"):
        check(table, ["a"], [KMap(2)], population=table_of(b=["1"]))
    with pytest.raises(InputError, match="cannot be read") as caught:
        check(table, ["a"], [KMap(2)], population=table_of(a=["1", "2"]))
    assert caught.value.where == "column a"


def test_missing_values_of_the_population() -> None:
    """What is written as no value is none in the population too, and no reason to be in it where it suppresses."""
    known = table_of(a=["1", "2", "?", "?", None])
    table = table_of(a=[None, "?", "[1-2]"])
    schema = Schema((), frozenset({"?"}))
    found = check(table, ["a"], [KMap(2)], schema=schema, population=known)
    assert (found.met, found.outside) == (True, 0)
    assert check(table, ["a"], [KMap(4)], schema=schema, population=known).findings[0].failing_classes == 3
    suppressing = Schema((Attribute("a", Role.QUASI, missing=Missing.SUPPRESS),), frozenset({"?", "*"}))
    found = check(table_of(a=["*"]), ["a"], [KMap(3)], schema=suppressing, population=known)
    assert [one.population for one in found.findings[0].first] == [2]
    assert check(table_of(a=["1"]), ["a"], [KMap(2)], schema=suppressing, population=known).outside == 1
    twice = table_of(a=["1", "2", "2"])
    assert check(table_of(a=["1"]), ["a"], [KMap(2)], population=twice).outside == 2


def test_frames_are_judged_too() -> None:
    """What can be read is a table: a frame, or a path."""
    frame = pl.DataFrame({"a": ["1", "1"], "s": ["f", "g"]})
    assert check(frame, ["a"], [TCloseness("s", FIFTH)], reference=frame).met


@pytest.mark.parametrize(
    ("ages", "cities", "suppressed", "sizes"),
    [
        (["<50", "<50", "*", "*"], ["Roma", "Roma", "*", "*"], 2, [2]),
        (["<50", "<50", "*"], ["Roma", "Roma", "Bari"], 0, [1, 2]),  # a part of the row is told
        (["<50", "<50", ""], ["Roma", "Roma", ""], 0, [1, 2]),  # a missing value is a value
        (["<50", "<50", "*"], ["Roma", "Roma", ""], 0, [1, 2]),
        (["*", "*"], ["*", "*"], 0, [2]),  # a release of nothing else
        (["<50", "<50", "**"], ["Roma", "Roma", "**"], 0, [1, 2]),
    ],
)
def test_rows_of_stars_are_counted_apart(
    ages: list[str | None], cities: list[str | None], suppressed: int, sizes: list[int]
) -> None:
    """Another program suppresses a record so; alone it is no class of one, by check and by risk."""
    table = table_of(age=ages, city=cities, ill=[str(at) for at in range(len(ages))])
    found, risk = judged(table, "age", "city"), assess(table, ["age", "city"])
    assert (found.suppressed, sorted(found.sizes.tolist()), found.records) == (suppressed, sizes, sum(sizes))
    assert (risk.fully_suppressed, sorted(risk.sizes.tolist()), risk.records) == (suppressed, sizes, sum(sizes))
    assert found.met == (min(sizes) > 1)
    assert risk.uniqueness.sample == sizes.count(1)
    token = Schema((), missing=frozenset({"", "*"}))
    assert check(table, ["age", "city"], (KAnonymity(2),), schema=token).suppressed == 0
