"""A certificate's job read back: every model is rebuilt, and nothing is taken for what it is not."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

import pytest

from kohort.certificate.accepted import table_job
from kohort.certificate.table import Asked
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


#: What a description says of a quasi-identifier, at least.
QUASI: dict[str, object] = {"name": "a", "role": "quasi", "missing": "own-value"}


def job_of(*models: PrivacyModel) -> dict[str, Any]:
    """The description of a job."""
    reading = ReadOptions(separator=";", quote=None)
    writing = Writing(Format.TSV, excel_safe=True)
    job = replace(Job.of(SCHEMA, *models), reading=reading, writing=writing)
    return cast("dict[str, Any]", json.loads(job.described()))


def test_every_model_is_rebuilt() -> None:
    """Whatever model a job can ask for, its description makes the same one again."""
    made = table_job(job_of(*EVERY)).models
    assert tuple(asked.model for asked in made) == EVERY
    assert {asked.kind for asked in made} == {kind.__name__ for kind in models().values()}


def test_what_is_known_of_the_table() -> None:
    """Columns, missing values, the person key, and how the files are written are those of the job."""
    asked = table_job(job_of(KAnonymity(5)))
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
    (column,) = table_job(json.loads(Job.of(schema, KAnonymity(5)).described())).schema.quasi
    assert column.grid == grid


@pytest.mark.parametrize(
    "model",
    [
        {"kind": "KAnonymity"},
        {"kind": "KAnonymity", "k": 1},
        {"kind": "KAnonymity", "k": "5"},
        {"kind": "KAnonymity", "k": True},
        {"kind": "KAnonymity", "k": 5, "l": 2},
        {"kind": "KAnonymity", "sensitive": "s", "k": 5},
        {"kind": "TCloseness", "sensitive": "s", "t": 0.5},
        {"kind": "TCloseness", "sensitive": "s", "t": "much"},
        {"kind": "TCloseness", "sensitive": "s", "t": "1/0"},
        {"kind": "TCloseness", "sensitive": "s", "t": "1/2", "distance": "far"},
        {"kind": "TCloseness", "sensitive": "s", "t": "1/2", "distance": 7},
    ],
)
def test_parameters_that_no_model_has(model: dict[str, object]) -> None:
    """A known model with parameters that it cannot have makes no job, rather than another model."""
    with pytest.raises(InputError, match="would not accept the job"):
        table_job(job_of(KAnonymity(5)) | {"models": [model]})


def test_a_model_that_this_version_does_not_know() -> None:
    """A plug-in that is not installed is known by its name and its column alone."""
    (asked,) = table_job(job_of(KAnonymity(5)) | {"models": [{"kind": "Plugin", "q": 5, "sensitive": "s"}]}).models
    assert asked == Asked("Plugin", "s", None)


@pytest.mark.parametrize(
    ("key", "part"),
    [
        ("schema", None),
        ("schema", []),
        ("schema", {"attributes": {}}),
        ("schema", {"attributes": [{"name": 7}], "missing": []}),
        ("schema", {"attributes": [{"name": "a", "role": "odd", "missing": "own-value"}], "missing": []}),
        ("schema", {"attributes": [QUASI | {"hierarchy": 7}], "missing": []}),
        (
            "schema",
            {"attributes": [{"name": "a", "role": "quasi", "missing": "own-value", "grid": "-5"}], "missing": []},
        ),
        (
            "schema",
            {"attributes": [{"name": "a", "role": "quasi", "missing": "own-value", "grid": "0"}], "missing": []},
        ),
        ("schema", {"attributes": [], "missing": "?"}),
        ("models", {}),
        ("models", [{"k": 5}]),
        ("reading", {"encoding": "odd"}),
        ("reading", {"speed": 7}),
        ("reading", {"quote": [7]}),
        ("reading", {"max_ratio": "many"}),
        ("writing", {"separator": None}),
    ],
)
def test_what_is_no_job_on_a_table(key: str, part: object) -> None:
    """A description with a part of another kind is none."""
    with pytest.raises(InputError, match="would not accept the job"):
        table_job(job_of(KAnonymity(5)) | {key: part})
