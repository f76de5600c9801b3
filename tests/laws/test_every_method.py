"""What every method of the registry owes: one body of laws, on tables with missing values, weights, labels and models.

A method joins when it is registered, with every choice that it says it takes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import fields, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort import Attribute, Job, KAnonymity, Role, Schema, TCloseness, anonymize
from kohort.algorithms.method import CUT, METHODS, Choices
from kohort.algorithms.mondrian.dimension import AtRandom, MostValues
from kohort.core.suppression import SuppressionLimit
from kohort.engines.pricing import bound
from kohort.errors import InfeasibleError
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.schema import Label, Order
from kohort.schema.hierarchies import from_tree
from tests.jobs import freely

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kohort import Release
    from kohort.algorithms.method import Method
    from kohort.models.base import PrivacyModel
    from kohort.schema.hierarchy import Hierarchy

pytestmark = pytest.mark.slow

QUASI = ("age", "city", "job")
HALF = Fraction(1, 2)
NAMES = ("Ba", "Le", "To", "clerk", "cook", "pilot", "flu", "gout", "cough")

#: What a method can be given of each choice.
GIVEN: Mapping[str, Sequence[object]] = {
    "cut": cast("Sequence[str]", CUT.bounds["enum"]),
    "limit": [SuppressionLimit(2), SuppressionLimit.of("30%")],
    "objective": ["c_dm", "entropy"],
    "node": [(0, 1, 0), (1, 1, 1)],
    "dimension": [MostValues(), AtRandom(3)],
    "local": [True],
}

#: What the schema can say of a column without a hierarchy.
LABELS: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "age": [{}, {"grid": 5}, {"label": Label.SET}, {"label": Label.MEAN}],
    "city": [{}, {"label": Label.RANGE}, {"order": Order.SORTED}],
    "job": [{}],
}


def renamed(table: pl.DataFrame) -> pl.DataFrame:
    """The table with other names in the same order, wherever they stand in a cell."""
    return table.with_columns(pl.all().str.replace_all(rf"\b({'|'.join(NAMES)})\b", "${1}x"))


def regions(ending: str) -> Hierarchy:
    """The cities below two regions."""
    return from_tree({"Sud": [f"Ba{ending}", f"Le{ending}"], "Nord": [f"To{ending}"]}, root="*")


@st.composite
def tables(draw: st.DrawFn) -> pl.DataFrame:
    """Small tables with missing values and equal numbers that are written differently."""
    cells = (
        ["9", "10", "31", "31.0", "40", ""],
        ["Ba", "Le", "To", ""],
        ["clerk", "cook", "pilot"],
        ["flu", "gout", "cough"],
        ["1000", "1049", ""],
        list("uvwxyz"),
    )
    rows = draw(st.lists(st.tuples(*map(st.sampled_from, cells)), min_size=4, max_size=30))
    return pl.DataFrame(rows, [*QUASI, "ill", "pay", "who"], orient="row")


@st.composite
def jobs(draw: st.DrawFn, method: Method) -> Job:
    """Any job of the method: its choices, the models, the weights, and where it has none of its own, the labels."""
    choices = {
        one.name: draw(st.sampled_from([None, *GIVEN[one.name]])) for one in fields(Choices) if method.takes(one.name)
    }
    algorithm = method(Choices(**choices))  # type: ignore[arg-type]
    quasi = [Attribute(name, Role.QUASI, weight=draw(st.sampled_from([Fraction(1), Fraction(5, 2)]))) for name in QUASI]
    if algorithm.full_domain or getattr(algorithm, "nodes", False) or draw(st.booleans()):
        trees: tuple[Hierarchy | str, ...] = ("intervals:10,20", regions(""), "suppress")
        quasi = [replace(one, hierarchy=tree) for one, tree in zip(quasi, trees, strict=True)]
    else:
        quasi = [replace(one, **draw(st.sampled_from(LABELS[one.name]))) for one in quasi]
    other = [
        Attribute("ill", Role.SENSITIVE),
        Attribute("pay", Role.INSENSITIVE),
        Attribute("who", Role.IDENTIFYING),
    ]
    person = draw(st.sampled_from([None, None, "who"]))
    more: Sequence[PrivacyModel] = draw(
        st.sampled_from([[], [DistinctLDiversity("ill", 2)], [TCloseness("ill", HALF)]])
    )
    schema = Schema((*quasi, *other), person=person)
    return freely(Job.of(schema, KAnonymity(draw(st.integers(2, 4))), *more, algorithm=algorithm))


def released(table: pl.DataFrame, job: Job) -> Release | None:
    """The release, verified as every one is; nothing where there is none."""
    try:
        return anonymize(table, job)
    except InfeasibleError:
        return None


def frame_of(release: Release) -> pl.DataFrame:
    """Its records."""
    return cast("pl.DataFrame", release.frame())


def satisfied(rows: Sequence[Mapping[str, str]], job: Job, table: pl.DataFrame) -> bool:
    """Whether one class of these records satisfies the models of a job, by their definitions.

    Where there is a person key, people are counted: each once in the class, and once with each of their illnesses.
    """
    size, whole = len(rows), table.rows(named=True)
    if job.schema.person is not None:
        size = len({row["who"] for row in rows})
        rows, whole = ([*{(row["who"], row["ill"]): dict(row) for row in some}.values()] for some in (rows, whole))
    sick, all_ = (Counter(row["ill"] for row in some) for some in (rows, whole))
    apart = sum(abs(Fraction(sick[one], len(rows)) - Fraction(all_[one], len(whole))) for one in all_) / 2
    kept: Mapping[type, bool] = {
        KAnonymity: size >= (job.k or 0),
        DistinctLDiversity: len(sick) >= 2,
        TCloseness: apart <= HALF,
    }
    return all(kept[type(model)] for model in job.models)


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
@given(data=st.data())
def test_a_release_is_what_was_asked_for(method: Method, data: st.DataObject) -> None:
    """Every record is released once, or suppressed within the limit; every class of equal labels satisfies the models.

    There is a release wherever the table as a whole satisfies them, unless a node was asked for.
    """
    table, job = data.draw(tables()), data.draw(jobs(method))
    release = released(table, job)
    if release is None:
        assert "given" in job.algorithm.name or not satisfied(table.rows(named=True), job, table)
        return
    assert release.verdict is not None
    records = frame_of(release)
    assert records.height + release.suppressed == table.height
    limit = job.algorithm.limit
    assert release.suppressed <= (0 if limit is None else limit.among(table.height))
    assert len(set(release.lineage.tolist())) == records.height
    origins = [table.row(one, named=True) for one in release.lineage.tolist()]
    assert [(row["ill"], row["pay"]) for row in origins] == records.select("ill", "pay").rows()
    classes: dict[tuple[str, ...], list[Mapping[str, str]]] = defaultdict(list)
    for label, row in zip(records.select(QUASI).rows(), origins, strict=True):
        classes[label].append(row)
    assert all(satisfied(rows, job, table) for rows in classes.values())
    assert sorted(map(len, classes.values())) == sorted(release.sizes.tolist())


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
@given(data=st.data())
def test_neither_the_order_of_records_nor_what_names_are_called_matters(method: Method, data: st.DataObject) -> None:
    """Records in another order are released alike, and so are others whose names differ, but not the order of these."""
    table, job = data.draw(tables()), data.draw(jobs(method))
    seed = data.draw(st.integers(0, 1 << 16))
    release = released(table, job)
    shuffled = released(table.sample(fraction=1, shuffle=True, seed=seed), job)
    others = released(renamed(table), with_names(job))
    if release is None:
        assert shuffled is None
        assert others is None
        return
    assert shuffled is not None
    assert others is not None
    assert frame_of(shuffled).equals(frame_of(release))
    assert (shuffled.metrics, shuffled.losses, shuffled.trace) == (release.metrics, release.losses, release.trace)
    assert frame_of(others).equals(renamed(frame_of(release)))
    assert (others.metrics, others.losses, others.trace) == (release.metrics, release.losses, release.trace)


def with_names(job: Job) -> Job:
    """The job whose hierarchy of cities has the other names."""
    city = next(one for one in job.schema.attributes if one.name == "city")
    if city.hierarchy is None:
        return job
    return replace(job, schema=job.schema.changed([replace(city, hierarchy=regions("x"))]))


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
@given(data=st.data())
def test_no_release_loses_less_than_the_bound_nor_falls_the_bound_with_k(method: Method, data: st.DataObject) -> None:
    """Of every kind of labels; and where two releases are proven the best, the one of the greater k costs no less."""
    table, job = data.draw(tables()), data.draw(jobs(method))
    models = (KAnonymity(one.k + 1) if isinstance(one, KAnonymity) else one for one in job.models)
    asked = (job, replace(job, models=tuple(models)))
    found = [release for one in asked if (release := released(table, one)) is not None]
    least = [bound(release) for release in found]
    for release, below in zip(found, least, strict=True):
        assert below is not None
        assert below.error == 0
        assert below.ncp <= release.metrics["ncp"] + 1e-12
    assert [one.ncp for one in least if one] == sorted(one.ncp for one in least if one)
    costs = [release.metrics[release.job.algorithm.objective or "ncp"] for release in found if release.proven]
    assert costs == sorted(costs)
