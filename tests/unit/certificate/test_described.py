"""A certificate's job read back: every model is rebuilt, and nothing is taken for what it is not."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from kohort.certificate.form import FORM
from kohort.certificate.table import Asked, Described
from kohort.errors import InputError
from kohort.io import ReadOptions
from kohort.io.forms import Format
from kohort.models.alpha_k_anonymity import AlphaKAnonymity
from kohort.models.average_risk import AverageRisk
from kohort.models.base import models
from kohort.models.basic_beta_likeness import BasicBetaLikeness
from kohort.models.delta_disclosure import DeltaDisclosure
from kohort.models.delta_presence import DeltaPresence
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.enhanced_beta_likeness import EnhancedBetaLikeness
from kohort.models.entropy_l_diversity import EntropyLDiversity
from kohort.models.k_anonymity import KAnonymity
from kohort.models.k_e_anonymity import KEAnonymity
from kohort.models.k_map import KMap
from kohort.models.maximum_risk import MaximumRisk
from kohort.models.recursive_l_diversity import RecursiveLDiversity
from kohort.models.t_closeness import TCloseness
from kohort.release import Job, Writing
from kohort.schema import Attribute, Label, Role, Scale, Schema
from kohort.schema.dates import Period

if TYPE_CHECKING:
    from kohort.certificate.table import Certificate
    from kohort.models.base import PrivacyModel
    from kohort.schema.attribute import Grid

HALF = Fraction(1, 2)

EVERY: tuple[PrivacyModel, ...] = (
    KAnonymity(5),
    DistinctLDiversity("s", 2),
    EntropyLDiversity("s", Fraction(3, 2)),
    RecursiveLDiversity("s", HALF, 3),
    TCloseness("s", Fraction(1, 3)),
    TCloseness("s", HALF, "ordered"),
    AlphaKAnonymity("s", HALF, 5),
    DeltaDisclosure("s", HALF),
    BasicBetaLikeness("s", HALF),
    EnhancedBetaLikeness("s", HALF),
    KEAnonymity("s", 3, HALF),
    KMap(3),
    DeltaPresence(Fraction(1, 10), HALF),
    MaximumRisk(Fraction(1, 7)),
    AverageRisk(Fraction(1, 20)),
)

SCHEMA = Schema(
    (
        Attribute("who", Role.IDENTIFYING),
        Attribute("age", Role.QUASI, scale=Scale.NUMERIC, label=Label.MEAN),
        Attribute("zip", Role.QUASI, hierarchy="mask:right"),
        Attribute("s", Role.SENSITIVE),
    ),
    frozenset({"?"}),
    person="who",
)


def certified(parts: dict[str, Any]) -> Described:
    """What a certificate with this description of a job asks of a table."""
    return Described.certified(cast("Certificate", SimpleNamespace(job=parts, form=FORM)))


def job_of(*models: PrivacyModel) -> dict[str, Any]:
    """The description of a job."""
    reading = ReadOptions(separator=";", quote=None)
    writing = Writing(Format.TSV, excel_safe=True)
    job = replace(Job.of(SCHEMA, *models), reading=reading, writing=writing)
    return cast("dict[str, Any]", json.loads(job.described()))


def test_every_model_is_rebuilt() -> None:
    """Whatever model a job can ask for, its description makes the same one again."""
    made = certified(job_of(*EVERY)).models
    assert {asked.model for asked in made} == {*EVERY}
    assert {asked.kind for asked in made} == {kind.__name__ for kind in models().values()}


def test_what_is_known_of_the_table() -> None:
    """Columns, missing values, the person key, and how the files are written are those of the job."""
    asked = certified(job_of(KAnonymity(5)))
    assert (asked.schema, asked.builders) == (SCHEMA, {"zip": "mask:right"})
    assert asked.job.writing == Writing(Format.TSV, excel_safe=True)
    assert asked.job.reading == ReadOptions(separator=";", quote=None)


@pytest.mark.parametrize("grid", [None, "round", "hierarchy", Period.MONTH, Fraction(5), (Fraction(0), Fraction(10))])
def test_grids(grid: Grid | None) -> None:
    """A step, cuts, or a word for them."""
    hierarchy = "intervals:5,10" if grid == "hierarchy" else None
    schema = Schema(
        (Attribute("a", Role.QUASI, Scale.DATE if isinstance(grid, Period) else None, hierarchy, grid=grid),)
    )
    (column,) = certified(json.loads(Job.of(schema, KAnonymity(5)).described())).schema.quasi
    assert column.grid == grid


@pytest.mark.parametrize(
    ("privacy", "column"),
    [
        ({}, {}),
        ({"k": 1}, {}),
        ({"k": "5"}, {}),
        ({"k": True}, {}),
        ({"k": 5, "l": 2}, {}),
        ({"k": 5}, {"k": 5}),
        ({"k": 5}, {"t": 0.5}),
        ({"k": 5}, {"t": "much"}),
        ({"k": 5}, {"t": "1/0"}),
        ({"k": 5}, {"t": "0.5", "distance": "far"}),
        ({"k": 5}, {"t": "0.5", "distance": 7}),
        ({"k": 5}, {"distance": "equal"}),
    ],
)
def test_parameters_that_no_model_has(privacy: dict[str, object], column: dict[str, object]) -> None:
    """A known model with parameters that it cannot have makes no job, rather than another model."""
    parts = job_of(KAnonymity(5))
    parts["columns"]["s"] |= column
    with pytest.raises(InputError, match="would not accept the job"):
        certified(parts | {"privacy": privacy})


@pytest.mark.parametrize("fraction", [Fraction(1, 3), Fraction(1, 10**9), Fraction(22, 7)])
def test_exact_numbers(fraction: Fraction) -> None:
    """A weight is told exactly, whether it is a decimal or not."""
    bounds = (-fraction, fraction)
    job = Job.of(Schema((Attribute("age", Role.QUASI, weight=fraction, bounds=bounds),)), KAnonymity(5))
    assert certified(json.loads(job.described())).job == job


def test_models_that_no_key_asks_for_beside_others() -> None:
    """A second model at a key, and one that goes with another k, are told apart: none is lost."""
    apart = (TCloseness("s", HALF, "ordered"), AlphaKAnonymity("s", HALF, 7), KMap(3), KMap(2))
    for asked in (apart, (KAnonymity(5), TCloseness("s", HALF), *apart), (apart[1],)):
        assert {one.model for one in certified(job_of(*asked)).models} == {*asked}


def test_a_model_that_this_version_does_not_know() -> None:
    """A plug-in that is not installed is known by its key and its column alone."""
    parts: dict[str, Any] = {**job_of(KAnonymity(5)), "privacy": dict[str, Any]()}
    parts["columns"]["s"] |= {"plugin": {"q": 5}}
    (asked,) = certified(parts).models
    assert asked == Asked("plugin", "s", None)


@pytest.mark.parametrize(
    ("key", "part"),
    [
        ("columns", None),
        ("columns", []),
        ("columns", {"a": None}),
        ("columns", {"a": {"name": 7}}),
        ("columns", {"a": {"role": "odd"}}),
        ("columns", {"a": {"role": "quasi", "hierarchy": 7}}),
        ("columns", {"a": {"role": "quasi", "grid": "-5"}}),
        ("columns", {"a": {"role": "quasi", "grid": "0"}}),
        ("input", {"missing": "?"}),
        ("privacy", []),
        ("input", {"encoding": "odd"}),
        ("input", {"speed": 7}),
        ("input", {"quote": [7]}),
        ("output", {"separator": None}),
        ("resolved", None),
        ("resolved", {"columns": "age"}),
    ],
)
def test_what_is_no_job_on_a_table(key: str, part: object) -> None:
    """A description with a part of another kind is none."""
    parts: dict[str, Any] = {**job_of(KAnonymity(5)), key: part}
    if key == "columns" and isinstance(part, dict):
        parts["resolved"]["columns"] = [*part]
    with pytest.raises(InputError, match="would not accept the job"):
        certified(parts)
