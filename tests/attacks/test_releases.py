"""Attacks on releases that kohort makes: what each kind of label and model gives away, and what it keeps."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from kohort.assessment.risk.attacks import ATTACKS, Attack, Evidence, Untried, attacks
from kohort.engines.pipeline import anonymize
from kohort.errors import InputError, SchemaError, UsageError
from kohort.io import read
from kohort.models.alpha_k_anonymity import AlphaKAnonymity
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.k_anonymity import KAnonymity
from kohort.release import Job
from kohort.schema import Attribute, Role, Schema
from kohort.schema.hierarchies import groups, intervals
from kohort.tables.table import Table
from tests.jobs import freely

if TYPE_CHECKING:
    from kohort.models.base import PrivacyModel
    from kohort.release import Release

QUASI = ("age", "city")


def people(seed: int = 1, many: int = 400) -> pl.DataFrame:
    """Some people: the older, the more often with gout."""
    random = np.random.default_rng(seed)
    age = random.integers(18, 80, many)
    ill = np.where(random.random(many) < age / 100, "gout", random.choice(["flu", "cold"], many))
    city = random.choice(["Bari", "Milan", "Rome", "Turin"], many)
    return pl.DataFrame({"name": [f"p{i}" for i in range(many)], "age": age.astype(str), "city": city, "ill": ill})


def released(source: pl.DataFrame, *models: PrivacyModel, grid: int | None = None) -> Release:
    """A Mondrian release of them."""
    step = None if grid is None else Fraction(grid)
    schema = Schema(
        (
            Attribute("name", Role.IDENTIFYING),
            Attribute("age", Role.QUASI, grid=step),
            Attribute("city", Role.QUASI),
            Attribute("ill", Role.SENSITIVE),
        )
    )
    return anonymize(source, freely(Job.of(schema, *models)))


def tried(evidence: Evidence, *names: str) -> dict[str, Attack]:
    """What came of the attacks, all of which could be tried."""
    found = attacks(evidence, names)
    assert all(isinstance(one, Attack) for one in found)
    return {one.attack: one for one in found if isinstance(one, Attack)}


def evidence_of(release: Release) -> Evidence:
    """The release with its input."""
    return Evidence(release.table, QUASI, ("ill",), original=release.source)


def test_range_ends_give_away_what_verification_counts() -> None:
    """Mondrian's ranges expose people, as many as verification says, and downcode cells; all claims are right."""
    release = released(people(), KAnonymity(5))
    found = tried(evidence_of(release), "exposure", "downcoding")
    assert release.verdict is not None
    assert found["exposure"].right == release.verdict.range_exposure > 0
    assert found["downcoding"].precision == 1
    assert found["downcoding"].rate > 0.1


def test_a_grid_gives_nothing_away() -> None:
    """With a grid no end is a value: nobody is exposed, and of the gridded column no cell is downcoded."""
    release = released(people(), KAnonymity(5), grid=5)
    alone = replace(evidence_of(release), quasi=("age",))
    assert tried(evidence_of(release), "exposure")["exposure"].right == 0
    assert tried(alone, "downcoding")["downcoding"].claims == 0


def test_diversity_stops_homogeneity() -> None:
    """With k alone some classes have one value; with two different values in each, none has."""
    alike = tried(evidence_of(released(people(), KAnonymity(2))), "homogeneity", "background")
    assert alike["homogeneity"].right > 0
    assert alike["background"].right > alike["homogeneity"].right
    two = tried(evidence_of(released(people(), KAnonymity(2), DistinctLDiversity("ill", 2))), "homogeneity")
    assert two["homogeneity"].claims == 0


def test_the_order_of_a_release_tells_nothing() -> None:
    """A release is in the order of its content: there is nothing to claim, whatever the order of the input."""
    release = released(people(), KAnonymity(5))
    for evidence in (evidence_of(release), Evidence(release.table, QUASI, ("ill",)), Evidence(release.table, QUASI)):
        found = tried(evidence, "order")
        assert list(found) == ["order"]
        assert found["order"].claims == 0


def test_the_order_of_the_input_tells_much() -> None:
    """The same records in the order of the input: far more values are right than by chance, and so are classes."""
    release = released(people(), KAnonymity(5))
    back = np.argsort(release.lineage)
    columns = tuple(replace(column, codes=column.codes[back]) for column in release.table.columns)
    evidence = replace(evidence_of(release), release=Table(columns, release.table.records))
    found = tried(evidence, "order")
    assert found["order"].precision == 1
    assert found["order"].likely == 1 / 200
    assert found["order"].rate > found["order"].baseline + 0.2
    assert found["order of classes"].rate == 1
    assert isinstance(attacks(replace(evidence, original=None), ["order"])[0], Untried)


def test_linking_is_right_as_often_as_classes_are_small() -> None:
    """With the input as register the rate is classes over records, or less where a class covers others' people too."""
    release = released(people(), KAnonymity(5))
    found = tried(evidence_of(release), "linking")["linking"]
    assert found.claims == 400
    assert release.sizes.size / 400 >= found.rate > 0.9 * release.sizes.size / 400


def test_a_register_that_errs_links_fewer() -> None:
    """With a key it is known who is in the input; strangers and wrong ages make claims wrong."""
    source = people()
    release = released(source, KAnonymity(5))
    true, strangers = source.head(100), people(2, 100).with_columns(name=pl.lit("x") + pl.col("name"))
    wrong = true.with_columns(age=pl.lit("18"))
    evidence = replace(evidence_of(release), key="name")
    rate = {
        what: tried(replace(evidence, register=read(table.drop("ill"))), "linking")["linking"].rate
        for what, table in {"true": true, "strangers": strangers, "wrong": wrong}.items()
    }
    assert rate["true"] > 5 * rate["wrong"]
    assert rate["strangers"] == 0
    believed = replace(evidence, register=read(strangers), key=None)
    assert tried(believed, "linking")["linking"].rate > 0


def test_two_releases_tell_more_than_one() -> None:
    """Values that two releases of overlapping people both leave are fewer; who is in both is told rightly."""
    source = people()
    one, other = (released(part, KAnonymity(4)) for part in (source, source.sort("name").head(300)))
    evidence = replace(evidence_of(other), others=(one.table,))
    found = tried(evidence, "intersection")["intersection"]
    assert found.precision == 1
    assert found.rate > found.baseline
    named = replace(evidence, original=None, register=read(source.drop("ill")))
    assert tried(named, "intersection")["intersection"].claims > 0


def test_minimality_is_right_more_often_than_classes_say() -> None:
    """Where at most half of a class may have one value, claims by minimality beat the share that classes show."""
    rates, shares, claims = 0.0, 0.0, 0
    for seed in range(8):
        random = np.random.default_rng(seed)
        age = random.integers(0, 40, 300)
        ill = np.where(random.random(300) < np.where(age % 10 < 3, 0.95, 0.02), "gout", [f"v{i}" for i in range(300)])
        source = pl.DataFrame({"name": [str(i) for i in range(300)], "age": age.astype(str), "city": "x", "ill": ill})
        release = released(source, AlphaKAnonymity("ill", Fraction(1, 2), 5))
        found = tried(evidence_of(release), "minimality")["minimality"]
        rates, shares, claims = rates + found.right, shares + found.baseline * found.targets, claims + found.claims
        believed = replace(evidence_of(release), original=None, register=read(source))
        assert tried(believed, "minimality")["minimality"].right <= found.claims
    assert claims > 20
    assert rates > 1.2 * shares


def test_minimality_needs_cuts() -> None:
    """Of intervals that are nodes of a level, or of names alone, no class was refused a cut."""
    table = read(pl.DataFrame({"age": ["[0-10)", "[0-10)", "[10-20)", "[10-20)"], "city": "x", "ill": list("abcd")}))
    source = read(pl.DataFrame({"age": ["1", "2", "11", "12"], "city": "x", "ill": list("abcd")}))
    evidence = Evidence(table, QUASI, ("ill",), original=source)
    age = Attribute("age", Role.QUASI, hierarchy=intervals(["1", "2", "11", "12"], [10]))
    for one in (evidence, replace(evidence, schema=Schema((age,)))):
        assert isinstance(attacks(one, ["minimality"])[0], Untried)
    on_grid = evidence_of(released(people(), KAnonymity(5), grid=5))
    assert isinstance(attacks(on_grid, ["minimality"])[0], Attack)


def test_sets_that_are_nodes_tell_nothing() -> None:
    """A set is told to be attained unless it is a node of a hierarchy, which may be wider than its class."""
    table = read(pl.DataFrame({"city": ["{a, b}"] * 3, "ill": ["x", "y", "z"]}))
    source = read(pl.DataFrame({"city": ["a", "a", "a"], "ill": ["x", "y", "z"]}))
    plain = Evidence(table, ("city",), original=source)
    known = replace(plain, schema=Schema((Attribute("city", Role.QUASI, hierarchy=groups(["a", "b"], [2])),)))
    assert tried(plain, "downcoding")["downcoding"].precision == 0.5
    assert tried(known, "downcoding")["downcoding"].claims == 0


def test_builders_of_hierarchies_are_run_over_everybody() -> None:
    """A builder's text makes its nodes of the people's values; without people it is of no use and does no harm."""
    table = read(pl.DataFrame({"zip": ["12*", "12*", "300"]}))
    register = read(pl.DataFrame({"zip": ["123", "124", "300"]}))
    evidence = Evidence(
        table, ("zip",), register=register, schema=Schema((Attribute("zip", Role.QUASI, hierarchy="mask"),))
    )
    assert tried(evidence, "linking")["linking"].right == 2.0
    assert tried(replace(evidence, register=None), "downcoding")["downcoding"].claims == 0
    with pytest.raises(InputError, match="1 of 1 different labels"):
        attacks(Evidence(read(pl.DataFrame({"age": ["[9-3]"]})), ("age",), register=read(pl.DataFrame({"age": ["3"]}))))


def test_what_cannot_be_tried_says_what_it_lacks() -> None:
    """With the release alone, attacks that need more name it; nothing fails."""
    table = read(pl.DataFrame({"age": ["2", "1"]}))
    found = attacks(Evidence(table, ("age",)))
    untried = {one.attack: one.untried for one in found if isinstance(one, Untried)}
    assert list(untried) == [name for name in ATTACKS if name != "downcoding"]
    assert "register" in untried["linking"]


@pytest.mark.parametrize("what", ["release", "input", "register", "other release", "key", "nothing in common"])
def test_tables_must_have_the_columns(what: str) -> None:
    """A table that lacks a column which it needs is refused by its name."""
    good, bad = (read(pl.DataFrame({name: ["1"], "ill": ["x"]})) for name in ("age", "b"))
    other = read(pl.DataFrame({"age": ["1"]}))
    evidence = {
        "release": Evidence(bad, ("age",)),
        "input": Evidence(good, ("age",), original=bad),
        "register": Evidence(good, ("age",), register=good, key="name"),
        "other release": Evidence(good, ("age",), ("ill",), others=(other,)),
        "key": Evidence(good, ("age",), original=good, register=good, key="name"),
        "nothing in common": Evidence(good, ("age",), register=bad),
    }[what]
    with pytest.raises(SchemaError, match="no column"):
        attacks(evidence)


def test_an_attack_that_there_is_not_is_refused() -> None:
    """A name that is none is told with those that are."""
    with pytest.raises(UsageError, match="no attack called linkage"):
        attacks(Evidence(read(pl.DataFrame({"age": ["1"]})), ("age",)), ["linkage"])


def test_figures_do_not_depend_on_the_order_of_rows() -> None:
    """Tables with their rows reversed give the same figures, but for the order of records."""
    release = released(people(), KAnonymity(3))
    evidence = evidence_of(release)
    names = [name for name in ATTACKS if name not in {"order", "intersection"}]
    back = replace(evidence, release=_reversed(release.table), original=_reversed(release.source))
    assert attacks(evidence, names) == attacks(back, names)


def _reversed(table: Table) -> Table:
    columns = (replace(column, codes=column.codes[::-1].copy()) for column in table.columns)
    return Table(tuple(columns), table.records)
