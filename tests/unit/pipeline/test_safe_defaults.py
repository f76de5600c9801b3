"""What a release is refused or given without being asked: models of sensitive columns, grids of numbers, rounding."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kohort
from kohort import Attribute, Job, KAnonymity, Role, Schema
from kohort.engines.pipeline import claim_of
from kohort.errors import JobError, SchemaError, UsageError, VerificationError
from kohort.perturbation.noise import Noise
from kohort.perturbation.rounding import Rounding
from kohort.schema import Scale
from kohort.schema.hierarchies import from_spec
from kohort.schema.numbers import INTERVALS, round_step
from kohort.tables.table import Column, Table
from kohort.verify import verify_table
from tests.job_sides import table_request as parse

if TYPE_CHECKING:
    from kohort.release import Release
    from kohort.tables.table import CellCodes

PEOPLE = pl.DataFrame(
    {
        "age": [str(20 + place % 40) for place in range(80)],
        "city": ["Rome", "Bari", "Oslo", "Bern"] * 20,
        "ill": ["flu", "cold"] * 40,
        "pay": [str(1003 + 17 * (place % 30)) for place in range(80)],
    }
)
SCHEMA = Schema.of(quasi=["age"], sensitive=["ill", "pay"], insensitive=["city"])
CLOSE = kohort.TCloseness("pay", Fraction(1, 2))


# ── models ───────────────────────────────────────────────────────────────────────────────────────


def test_a_sensitive_column_needs_a_model() -> None:
    """Every column without one is named, with the flags that give it one and that do without."""
    with pytest.raises(JobError) as caught:
        kohort.anonymize(PEOPLE, Job.of(SCHEMA, KAnonymity(5)))
    assert [fault.where for fault in caught.value.exceptions if isinstance(fault, SchemaError)] == [
        "column ill",
        "column pay",
    ]
    assert all("--t " in str(fault) and "--no-model " in str(fault) for fault in caught.value.exceptions)


def test_leave_to_go_without_a_model_is_by_name() -> None:
    """The columns that are named are released; of one that is not, nothing is."""
    with pytest.raises(SchemaError, match="column pay"):
        kohort.anonymize(PEOPLE, Job.of(SCHEMA, KAnonymity(5), no_model=("ill",)))
    assert kohort.anonymize(PEOPLE, Job.of(SCHEMA, KAnonymity(5), no_model=("ill", "pay"))).verdict is not None
    assert kohort.anonymize(PEOPLE, Job.of(SCHEMA, KAnonymity(5), CLOSE, no_model=("ill",))).verdict is not None


@pytest.mark.parametrize("name", ["pay", "city", "age", "shoe"])
def test_leave_that_is_not_needed_is_a_contradiction(name: str) -> None:
    """A column with a model, one that is not sensitive, and one that is not there need no leave."""
    job = Job.of(SCHEMA, KAnonymity(5), CLOSE, no_model=("ill", name))
    with pytest.raises(SchemaError, match="has no effect"):
        kohort.anonymize(PEOPLE, job)


def test_a_sensitive_rest_needs_models_too() -> None:
    """Columns that only the rest makes sensitive are judged once the table is known."""
    schema = Schema((Attribute("age", Role.QUASI),), rest=Role.SENSITIVE)
    with pytest.raises(JobError) as caught:
        kohort.anonymize(PEOPLE, Job.of(schema, KAnonymity(5)))
    assert len(caught.value.exceptions) == 3


# ── grids ────────────────────────────────────────────────────────────────────────────────────────


@given(st.fractions(min_value=-1000, max_value=1000), st.fractions(min_value=0, max_value=1000), st.booleans())
def test_a_round_step_makes_few_intervals(low: Fraction, width: Fraction, whole: bool) -> None:  # noqa: FBT001  drawn
    """It is 1, 2 or 5 times a power of ten, divides the range into at most 20 intervals, and the next is too fine."""
    step = round_step(low, low + width, whole=whole)
    if step is None:
        assert width == 0 or (whole and width <= 1)  # one interval would leave nothing of 0 and 1
        return
    assert width <= INTERVALS * step
    digits = f"{float(step):e}".partition("e")[0].rstrip("0").rstrip(".")
    assert digits in {"1", "2", "5"}
    assert (whole and step == 2) or width > INTERVALS * step / Fraction(5, 2)


@pytest.mark.parametrize(("rest", "grid"), [("", "round"), ("grid = 7", 7), ('label = "mean"', None)])
def test_numbers_get_a_grid_unless_a_column_says_otherwise(rest: str, grid: object) -> None:
    """A hierarchy, a label, a grid and a categorical scale are a column's own choice."""
    head = 'input.path = "p.csv"\noutput.path = "r.csv"\nprivacy.k = 5\n'
    made = parse(f'{head}[columns.age]\nrole = "quasi"\n{rest}\n[columns.name]\nrole = "identifying"\n')
    assert [one.grid for one in made.job.schema.attributes] == [grid, None]
    for other in ('hierarchy = "suppress"', 'scale = "categorical"'):
        assert parse(f'{head}[columns.age]\nrole = "quasi"\n{other}\n').job.schema.quasi[0].grid is None
    for method in ("grid = 'none'", "labels = 'range'", "name = 'samarati'"):
        levels = 'hierarchy = "suppress"' if "samarati" in method else ""
        text = f'{head}[method]\n{method}\n[columns.age]\nrole = "quasi"\n{levels}\n'
        assert parse(text).job.schema.quasi[0].grid is None


def released(age: pl.Expr | None = None) -> Release:
    """A release of the ages, which have a round grid."""
    attributes = (Attribute("age", Role.QUASI, grid="round"), Attribute("city", Role.QUASI, grid="round"))
    schema = Schema((*attributes, Attribute("ill", Role.SENSITIVE), Attribute("pay", Role.DROP)))
    return kohort.anonymize(
        PEOPLE.with_columns(age=pl.col("age") if age is None else age), Job.of(schema, KAnonymity(5), no_model=("ill",))
    )


def test_a_round_grid_becomes_a_step() -> None:
    """Of numbers; a column of names is released as it would be without. The job of the release says which step."""
    release = released()
    assert [one.grid for one in release.job.schema.quasi] == [2, None]
    assert all(label.startswith("[") for label in release.table["age"].values.to_list())
    assert release.verdict is not None


def test_equal_numbers_need_no_grid() -> None:
    """One number is released as it is."""
    release = released(age=pl.lit("30"))
    assert release.job.schema.quasi[0].grid is None
    assert release.table["age"].values.to_list() == ["30"]


def test_a_grid_of_names_is_a_contradiction() -> None:
    """A column that is said to be categorical has no round numbers."""
    with pytest.raises(SchemaError, match="belong to numeric columns"):
        Attribute("x", Role.QUASI, Scale.CATEGORICAL, grid="round")


# ── groups of neighbours ─────────────────────────────────────────────────────────────────────────


@given(st.integers(1, 40), st.sampled_from([(2,), (2, 4), (3, 6, 18), (1, 2)]))
def test_groups_hold_so_many_neighbours(values: int, sizes: tuple[int, ...]) -> None:
    """On each level all groups but the last have the size that was asked for, in the order of the numbers."""
    text = f"groups:{','.join(map(str, sizes))}"
    if sizes[0] == 1:
        with pytest.raises(UsageError, match="must grow"):
            from_spec(text, ["1"])
        return
    hierarchy = from_spec(text, [str(number) for number in range(values)])
    assert hierarchy.leaves == tuple(str(number) for number in range(values))
    used = [size for size in sizes if size < values]
    assert hierarchy.height == len(used) + 1
    for level, size in enumerate(used, 1):
        groups = hierarchy.maps[level].tolist()
        assert groups == [leaf // size for leaf in range(values)]


def test_groups_that_do_not_nest_are_refused() -> None:
    """Each size is a multiple of the one before."""
    with pytest.raises(UsageError, match="must grow"):
        from_spec("groups:2,3", ["1", "2"])


# ── rounding before the search ───────────────────────────────────────────────────────────────────


def rounded(step: int = 100) -> Release:
    """A release whose pay is rounded, and judged by t-closeness."""
    job = Job.of(
        Schema.of(quasi=["age"], sensitive=["pay"], insensitive=["city", "ill"]),
        KAnonymity(5),
        kohort.TCloseness("pay", Fraction(3, 10)),
        perturbations=(Rounding("pay", Fraction(step)),),
    )
    return kohort.anonymize(PEOPLE, job)


def test_models_judge_rounded_values() -> None:
    """A model may be about a column that is rounded: it holds of the values that are released."""
    release = rounded()
    assert release.verdict is not None
    assert {int(pay) % 100 for pay in release.table["pay"].values.to_list()} == {0}
    frame = release.frame()
    reference = PEOPLE.with_columns((pl.col("pay").cast(pl.Float64) / 100).round().mul(100).cast(pl.Int64).cast(str))
    found = kohort.check(frame, ["age"], [kohort.TCloseness("pay", Fraction(3, 10))], reference=reference)
    assert found.met


def test_the_effect_of_rounding_is_measured_from_the_values_as_read() -> None:
    """Though the search saw rounded values, the figures compare with what was read."""
    (effect,) = rounded().effects
    assert effect.unchanged == 0
    assert effect.mean is not None
    assert effect.mean[0] == pytest.approx(PEOPLE["pay"].cast(pl.Float64).mean())


def test_other_perturbations_go_with_no_model() -> None:
    """Noise changes equal values in different ways, so nobody could judge the values that are released."""
    with pytest.raises(UsageError, match="these are changed"):
        Job.of(SCHEMA, KAnonymity(5), CLOSE, no_model=("ill",), perturbations=(Noise("pay"),))


@pytest.mark.parametrize(
    ("codes", "what"),
    [
        (np.zeros(80, np.uint8), "cells are not those that the models judged"),
        ((np.arange(80) // 30 % 2).astype(np.uint8), "changed in more than one way"),
    ],
)
def test_a_coarsened_column_that_is_not_the_released_one_is_refused(codes: CellCodes, what: str) -> None:
    """The verifier holds the column that models judged against the source and the release."""
    release = rounded()
    assert release.records.coarsened is not None
    column = release.records.coarsened.collect()["pay"]
    other = Column("pay", column.values, codes, column.dtype)
    claim = claim_of(release, "frame")
    with pytest.raises(VerificationError, match=what):
        verify_table(release.table, replace(claim, coarsened=Table((other,), column.codes.size)))


# ── pairs ────────────────────────────────────────────────────────────────────────────────────────


def in_pairs(*, allow: tuple[str, ...] = (), perturbed: tuple[Rounding, ...] = ()) -> Job:
    """Days and doses: each of seven occurs often, and most pairs of them once."""
    schema = Schema.of(quasi=["age"], insensitive=["day", "dose", "ward"])
    return Job.of(schema, KAnonymity(5), allow_singling=allow, perturbations=perturbed)


PAIRS = pl.DataFrame(
    {
        "age": [str(20 + place % 5) for place in range(40)],
        "day": [str(place % 7) for place in range(40)],
        "dose": [str(place // 7) for place in range(40)],
        "ward": ["a", "b"] * 20,
    }
)


def test_two_columns_that_single_out_together_are_refused() -> None:
    """The pair, how many it identifies and both ways on are told, before anything is released."""
    with pytest.raises(SchemaError, match=r"40 of 40 records can be identified by day and dose together\n") as caught:
        kohort.anonymize(PAIRS, in_pairs())
    assert caught.value.where == "column day"
    assert "--allow-singling day " in caught.value.hint


def test_one_name_is_enough_for_a_pair() -> None:
    """A column that is allowed to single out is in no pair; one that is in none does not help."""
    for name in ("day", "dose"):
        assert kohort.anonymize(PAIRS, in_pairs(allow=(name,))).verdict is not None
    with pytest.raises(SchemaError, match="together"):
        kohort.anonymize(PAIRS, in_pairs(allow=("ward",)))


def test_half_of_the_people_are_not_more_than_half() -> None:
    """As many pairs of their own as other records are released."""
    rows = {"age": ["20"] * 8, "day": list("aabbccdd"), "dose": list("xyxyxxxx"), "ward": ["a"] * 8}
    assert kohort.anonymize(pl.DataFrame(rows), in_pairs()).verdict is not None
    with pytest.raises(SchemaError, match="6 of 8 records"):
        kohort.anonymize(pl.DataFrame(rows | {"dose": list("xyxyxyxx")}), in_pairs())


def test_rounding_parts_a_pair() -> None:
    """What counts is what is released: rounded columns as they are rounded."""
    rounded = Rounding("dose", Fraction(100))
    assert kohort.anonymize(PAIRS, in_pairs(perturbed=(rounded,))).verdict is not None


def test_people_are_counted_in_pairs() -> None:
    """A pair that only one person has counts for that person once, however often it occurs."""
    twice = pl.concat([PAIRS, PAIRS]).with_columns(who=pl.Series([str(place % 40) for place in range(80)]))
    schema = Schema.of(identifying=["who"], quasi=["age"], insensitive=["day", "dose", "ward"], person="who")
    with pytest.raises(SchemaError, match="40 of 40 people can be identified by day and dose"):
        kohort.anonymize(twice, Job.of(schema, KAnonymity(5)))


def test_many_pairs_are_told_by_few_columns() -> None:
    """Of three columns that are in all pairs two are enough; the others are counted."""
    more = PAIRS.with_columns(hour=pl.Series([str((place // 7 + place) % 7) for place in range(40)]))
    schema = Schema.of(quasi=["age"], insensitive=["day", "dose", "ward", "hour"])
    with pytest.raises(SchemaError, match="and 2 more pairs more than half") as caught:
        kohort.anonymize(more, Job.of(schema, KAnonymity(5)))
    assert caught.value.where.count(",") == 1
