"""No public object shows a record's value by itself: one short line at the prompt, a small table in a notebook."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, cast

import numpy as np
import polars as pl
import pytest
from pydantic import TypeAdapter, ValidationError

import kohort
from kohort.algorithms.lattice.best_effort import BestEffort
from kohort.algorithms.lattice.datafly import Datafly
from kohort.algorithms.lattice.exhaustive import Exhaustive
from kohort.algorithms.lattice.given import GivenNode
from kohort.algorithms.lattice.samarati import Samarati
from kohort.certificate.again import Again, CheckedPart, PartOutcome
from kohort.errors.display import LONGEST, Share, Significant, Summary
from kohort.models.alpha_k_anonymity import AlphaKAnonymity
from kohort.models.average_risk import AverageRisk
from kohort.models.basic_beta_likeness import BasicBetaLikeness
from kohort.models.delta_disclosure import DeltaDisclosure
from kohort.models.delta_presence import DeltaPresence
from kohort.models.enhanced_beta_likeness import EnhancedBetaLikeness
from kohort.models.entropy_l_diversity import EntropyLDiversity
from kohort.models.k_map import KMap
from kohort.models.maximum_risk import MaximumRisk
from kohort.models.recursive_l_diversity import RecursiveLDiversity
from kohort.perturbation.coding import Coding
from kohort.perturbation.microaggregation import Microaggregation
from kohort.perturbation.noise import Noise
from kohort.perturbation.post_randomization import PostRandomization
from kohort.perturbation.pseudonyms import Key
from kohort.perturbation.rank_swapping import RankSwapping
from kohort.release import Writing
from kohort.release.job import Purpose
from kohort.schema.domain import resolve
from kohort.transactions.cells import LocalSuppression
from kohort.transactions.io.options import BasketOptions
from kohort.transactions.optimum import Optimum
from kohort.transactions.release import BasketWriting
from kohort.transactions.suppression import Greedy
from tests.jobs import freely
from tests.unit.report import releases

if TYPE_CHECKING:
    from kohort.assessment.checking import Check
    from kohort.assessment.risk.overall import Risk
    from kohort.transactions.check import CoherenceFinding

#: What every cell and item has in it; digits that no count, share, parameter or time has, not even by chance.
CANARY, NUMBER = "canary", "987650123498"

#: What holds values and is shown when somebody names it.
EXPLICIT = {("Risk", "worst_values"), ("Transactions", "names"), ("Listed", "private")} | {
    ("TransactionJob", "weights"),
    ("Hierarchy", "labels"),
    ("Hierarchy", "index"),
}


@cache
def objects() -> dict[str, object]:
    """One object of every public class, made from a table and a database full of canaries."""
    table, cities = _table(), _cities()
    models = (kohort.KAnonymity(3), kohort.DistinctLDiversity("illness", 2))
    levels = _schema(age="suppress")
    levels_job = freely(kohort.Job.of(levels, *models, algorithm=kohort.Optimal()))
    release = kohort.anonymize(table, levels_job)
    database = kohort.Transactions.of([[f"{CANARY}a", f"{CANARY}b"]] * 4 + [[f"{CANARY}a", f"{CANARY}p"]] * 3)
    listed = kohort.Listed(private=(f"{CANARY}p",))
    coherence = kohort.Coherence.of(h="0.5", k=2, p=2)
    job = kohort.TransactionJob(coherence=coherence, roles=listed, weights=((f"{CANARY}a", Fraction(2)),))
    transactions = kohort.anonymize_transactions(database, job)
    return _parameters() | {
        "Attribute": levels.quasi[1],
        "Check": kohort.check(table, ["age", "city"], models, sensitive=["illness", "income"]),
        "Coherence": coherence,
        "Draft": kohort.draft(table, k=3),
        "Inspection": kohort.inspect(table),
        "Perturbed": kohort.perturb(table, {"income": "rounding:step=10"}),
        "Table": kohort.read(table),
        "TableSweep": kohort.sweep(table, levels_job, vary={"k": [3, 5]}),
        "CoherenceFinding": kohort.check_transactions(database, transactions.roles, coherence),
        "CoherenceVerdict": transactions.verdict,
        "Comparison": kohort.compare(table, release.frame(), schema=levels),
        "Hierarchy": cities,
        "Job": release.job,
        "Listed": listed,
        "Release": release,
        "Risk": kohort.assess(table, ["age", "city"], known=1, population_size=600),
        "Roles": transactions.roles,
        "Schema": levels,
        "TransactionJob": job,
        "TransactionRelease": transactions,
        "Transactions": database,
        "Verdict": release.verdict,
    }


def _table() -> pl.DataFrame:
    rows = range(60)
    return pl.DataFrame(
        {
            "id": [f"{CANARY}{row}" for row in rows],
            "age": [f"{NUMBER}{row % 7}" for row in rows],
            "city": [f"{CANARY}{row % 5}" for row in rows],
            "illness": [f"{CANARY}{row % 4}" for row in rows],
            "income": [f"{NUMBER}{row * row % 31}" for row in rows],
        }
    )


def _cities() -> kohort.Hierarchy:
    rows = [[f"{CANARY}{city}", f"{CANARY}region{city % 2}"] for city in range(5)]
    return kohort.Hierarchy.from_rows(rows, root="*", name="city")


def _schema(age: str | None = None) -> kohort.Schema:
    return kohort.Schema(
        (
            kohort.Attribute("id", kohort.Role.IDENTIFYING),
            kohort.Attribute("age", kohort.Role.QUASI, hierarchy=age),
            kohort.Attribute("city", kohort.Role.QUASI, hierarchy=_cities()),
            kohort.Attribute("illness", kohort.Role.SENSITIVE),
            kohort.Attribute("income", kohort.Role.SENSITIVE),
        )
    )


def _parameters() -> dict[str, object]:
    """Objects that are told what they are, and see no record."""
    half = Fraction(1, 2)
    models: dict[str, object] = {
        "AlphaKAnonymity": AlphaKAnonymity("illness", half, 5),
        "AverageRisk": AverageRisk(half),
        "BasicBetaLikeness": BasicBetaLikeness("illness", half),
        "DeltaDisclosure": DeltaDisclosure("illness", half),
        "DeltaPresence": DeltaPresence(Fraction(0), half),
        "DistinctLDiversity": kohort.DistinctLDiversity("illness", 2),
        "EnhancedBetaLikeness": EnhancedBetaLikeness("illness", half),
        "EntropyLDiversity": EntropyLDiversity("illness", Fraction(2)),
        "KAnonymity": kohort.KAnonymity(5),
        "KMap": KMap(5),
        "MaximumRisk": MaximumRisk(half),
        "RecursiveLDiversity": RecursiveLDiversity("illness", Fraction(2), 3),
        "TCloseness": kohort.TCloseness("illness", half, "equal"),
    }
    methods = (BestEffort, Datafly, Exhaustive, Greedy, kohort.Mondrian, kohort.Optimal, Optimum, Samarati)
    options = (BasketOptions, BasketWriting, LocalSuppression, kohort.ReadOptions, kohort.SuppressionLimit, Writing)
    others: dict[str, object] = {
        "Drawn": kohort.Drawn(delta=half),
        "GivenNode": GivenNode((1, 2, 0)),
        "Key": Key(bytes(32)),
        "Purpose": Purpose(purpose="length of stay by age\nand sex " * 20, recipient="the regional health office"),
    }
    made: dict[str, object] = {kind.__name__: kind() for kind in (*methods, *options)}
    made |= {
        "Coding": Coding("income", top=Fraction(5)),
        "Microaggregation": Microaggregation(("income",)),
        "Noise": Noise("income"),
        "PostRandomization": PostRandomization("income"),
        "RankSwapping": RankSwapping("income"),
        "Rounding": kohort.Rounding("income", Fraction(5)),
    }
    return models | made | others


def test_every_public_class_is_looked_at() -> None:
    """All at the top but errors and lists of words, and many of the rooms below."""
    named = {name: getattr(kohort, name) for name in dir(kohort) if name != "__version__"}
    classes = {name: one for name, one in named.items() if isinstance(one, type)}
    assert {name for name, one in classes.items() if not issubclass(one, Exception | Enum)} <= objects().keys()


def clean(text: str) -> bool:
    """Whether no value of a record is in it."""
    return CANARY not in text and NUMBER not in text


def in_a_notebook(one: Summary) -> str:
    """What a notebook shows of it."""
    return one._repr_html_()  # pyright: ignore[reportPrivateUsage]  notebooks call it


@pytest.mark.parametrize("name", sorted(objects()))
def test_a_public_object_is_shown_in_a_line(name: str) -> None:
    """Its line is short and has no value of a record, and neither has its table."""
    one = objects()[name]
    assert type(one).__name__ == name
    for text in (repr(one), str(one)):
        assert "\n" not in text
        assert len(text) <= LONGEST
        assert clean(text)
    if isinstance(one, Summary):
        table = in_a_notebook(one)
        assert clean(table)
        assert table.startswith("<table><caption ")


def test_every_result_has_a_table() -> None:
    """What people look at in notebooks is shown as a table."""
    results = "Check CoherenceFinding CoherenceVerdict Comparison Draft Inspection Job Perturbed Release Risk Schema"
    results += " Table TableSweep TransactionRelease Transactions Verdict"
    assert all(isinstance(objects()[name], Summary) for name in results.split())


@pytest.mark.parametrize("name", sorted(objects()))
def test_what_an_object_has_shows_no_value_either(name: str) -> None:
    """Not in its parts, unless it is they that somebody asks for."""
    one = objects()[name]
    assert is_dataclass(one)
    for part in fields(one):
        explicit = (name, part.name) in EXPLICIT
        assert clean(repr(getattr(one, part.name))) != explicit, part.name


def test_failing_classes_show_their_cells_when_they_are_named() -> None:
    """A finding does not, nor the class that fails; its cells do."""
    check = cast("Check", objects()["Check"])
    finding = next(one for one in check.findings if one.first)
    assert clean(repr(finding))
    assert clean(repr(finding.first))
    assert not clean(repr(finding.first[0].cells))


def test_values_are_deliberately_at_hand() -> None:
    """Whoever names the most exposed people sees them."""
    risk = cast("Risk", objects()["Risk"])
    assert not clean(repr(risk.worst_values))


def test_a_long_line_is_cut() -> None:
    """However many columns there are."""
    schema = kohort.Schema.of(quasi=[f"column\n{place}" for place in range(100)])
    assert len(repr(schema)) == LONGEST
    assert repr(schema).endswith("…>")
    assert "\n" not in repr(schema)
    weights = kohort.Attribute("a" * 300, kohort.Role.QUASI)
    assert (len(repr(weights)), repr(weights)[-2:]) == (LONGEST, "…)")


def test_what_else_a_schema_says() -> None:
    """The person key and the rest."""
    schema = kohort.Schema(
        (kohort.Attribute("id", kohort.Role.IDENTIFYING),), person="id", rest=kohort.Role.INSENSITIVE
    )
    assert repr(schema) == "<Schema; identifying: id; person key: id; rest: insensitive>"


def test_options_show_what_is_set() -> None:
    """What has its usual value is left out."""
    assert repr(kohort.ReadOptions()) == "ReadOptions()"
    assert repr(kohort.ReadOptions(separator=";")) == "ReadOptions(separator=';')"


def test_parts_of_results() -> None:
    """What depends on the data and on how they are looked at."""
    table = _table()
    people = kohort.assess(table, ["city"], person="id")
    assert "; people: 60;" in repr(people)
    assert "Highest risk, journalist" not in in_a_notebook(people)
    plain = kohort.compare(table, table)
    assert "NCP" not in repr(plain)
    keyed = kohort.Schema(_schema().attributes, person="id")
    assert "; people: 60;" in repr(kohort.anonymize(table, freely(kohort.Job.of(keyed, kohort.KAnonymity(3)))).verdict)
    frequencies = kohort.Hierarchy.from_rows([["a", "*"]], data_dependent=True)
    assert repr(frequencies) == "<Hierarchy; leaves: 1; levels: 2; nodes: data-dependent>"
    assert repr(kohort.Listed(private=("a",), public=("b", "c"))) == "<Listed; private: 1; public: 2>"
    assert repr(releases.mondrian().source["sex"]) == "<Column sex; records: 97; values: 2>"
    ages, _ = resolve(
        kohort.Attribute("age", kohort.Role.QUASI), [f"{NUMBER}1", f"{NUMBER}2"], np.ones(2, int), frozenset()
    )
    assert repr(ages) == "<Domain of age; scale: numeric; values: 2>"


def test_checks_say_whether_they_are_met() -> None:
    """In their title; without a model, too."""
    table = _table()
    assert repr(kohort.check(table, ["city"], [kohort.KAnonymity(2)])).startswith(
        "<Check, met; records: 60; classes: 5;"
    )
    assert repr(kohort.check(table, ["city"])).startswith("<Check, no model asked for;")
    database = kohort.Transactions.of([["a", "p"]])
    roles = kohort.Listed(private=("p",)).over(database, Fraction(1))
    finding = kohort.check_transactions(database, roles, kohort.Coherence.of(h="0.5", k=2, p=1))
    told = "fewer than k transactions: yes; private items above h in the whole: 1"
    assert repr(finding) == f"<CoherenceFinding, NOT met; model: (0.5, 2, 1)-coherence; transactions: 1; {told}>"


def test_what_is_met_is_true_and_nothing_else() -> None:
    """Every result that says whether something is met is true exactly where it is."""
    check = cast("Check", objects()["Check"])
    assert (bool(check), [bool(one) for one in check.findings]) == (check.met, [one.met for one in check.findings])
    finding = cast("CoherenceFinding", objects()["CoherenceFinding"])
    assert bool(finding) == finding.met
    for outcome in PartOutcome:
        again = Again((CheckedPart("records", outcome, ""),))
        assert bool(again) == again.met == (outcome is not PartOutcome.DIFFERENT)


@pytest.mark.parametrize("number", [10**400, -(10**400), 10**309])
@pytest.mark.parametrize("figures", [TypeAdapter[float](Share), TypeAdapter[float](Significant)])
def test_whole_numbers_beyond_floats_are_no_figures(figures: TypeAdapter[float], number: int) -> None:
    """A file that claims one is refused as any other that is damaged."""
    with pytest.raises(ValidationError, match="larger than any figure"):
        figures.validate_json(str(number))
    assert figures.validate_json("24.5") == 24.5
