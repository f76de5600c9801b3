"""Perturbations on a table: cells in, cells out."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, cast

import numpy as np
import polars as pl
import pytest

from kohort.errors import InputError, UsageError
from kohort.io.typed import from_frame
from kohort.io.write import to_frame
from kohort.perturbation.coding import Coding
from kohort.perturbation.microaggregation import Microaggregation
from kohort.perturbation.noise import Noise
from kohort.perturbation.post_randomization import PostRandomization
from kohort.perturbation.rank_swapping import RankSwapping
from kohort.perturbation.rounding import Rounding
from kohort.tables.perturbing import perturb

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kohort.perturbation.base import Perturbation
    from kohort.perturbation.effect import Effect

STREAM = np.random.default_rng(12)
PEOPLE = pl.DataFrame(
    {
        "name": [f"P{place}" for place in range(400)],
        "age": STREAM.integers(18, 90, 400),
        "income": np.rint(STREAM.lognormal(10, 0.6, 400)).astype(np.int64),
        "job": STREAM.choice(["cook", "nurse", "smith", ""], 400),
    }
)
EVERY: Sequence[Perturbation] = (
    Noise("income"),
    RankSwapping("income"),
    Microaggregation(("income",)),
    Rounding("income", Fraction(500)),
    Coding("income", top=Fraction(30_000)),
    PostRandomization("income"),
)

#: Between its bounds lies no whole number.
NARROW = Noise("x", Fraction(99), 0, Fraction(1, 5), Fraction(4, 5))


def perturbed(
    frame: pl.DataFrame, *asked: Perturbation, missing: Sequence[str] = (), seed: int | None = None
) -> tuple[pl.DataFrame, tuple[Effect, ...]]:
    """A frame perturbed, and the effects."""
    made, effects = perturb(from_frame(frame), asked, missing=frozenset({"", *missing}), seed=seed)
    return cast("pl.DataFrame", to_frame(made, "polars")), effects


@pytest.mark.parametrize("one", EVERY, ids=lambda one: type(one).__name__)
def test_only_the_column_changes(one: Perturbation) -> None:
    """Records keep their order, other columns their cells, and the type stays one of whole numbers."""
    made, (effect,) = perturbed(PEOPLE, one)
    assert made.drop("income").equals(PEOPLE.drop("income"))
    assert made["income"].dtype == pl.Int64
    assert effect.unchanged == (made["income"] == PEOPLE["income"]).sum() < 400
    assert (effect.column, effect.method, effect.records) == ("income", one.name, 400)
    assert effect.linked is not None
    assert not effect.reproducible


def test_what_is_done_already_is_not_done_again() -> None:
    """The other columns get what they would have got, and effects are told of all; a column that is done stays."""
    table = from_frame(PEOPLE)
    asked = (Rounding("income", Fraction(500)), Noise("age"), PostRandomization("job"))
    whole, effects = perturb(table, asked, missing=frozenset({""}), seed=7)
    again, same = perturb(table, asked, missing=frozenset({""}), seed=7, done=[whole["income"]])
    frames = [cast("pl.DataFrame", to_frame(one, "polars")) for one in (again, whole)]
    assert frames[0].equals(frames[1])
    assert same == effects
    kept, (effect, *_) = perturb(table, asked, missing=frozenset({""}), seed=7, done=[table["income"]])
    assert kept["income"] is table["income"]
    assert effect.unchanged == 400


@pytest.mark.parametrize("one", EVERY, ids=lambda one: type(one).__name__)
def test_record_order_means_nothing(one: Perturbation) -> None:
    """With a seed, the same records in another order are the same records perturbed, in that order."""
    made, _ = perturbed(PEOPLE, one, seed=3)
    shuffled, _ = perturbed(PEOPLE.sample(fraction=1, shuffle=True, seed=1), one, seed=3)
    assert shuffled.sort("name").equals(made.sort("name"))


def test_streams_are_independent() -> None:
    """Each column has noise of its own; without a seed it is never the same."""
    twice = PEOPLE.select(one="income", other="income")
    made, _ = perturbed(twice, Noise("one"), Noise("other"), seed=1)
    assert (made["one"] == made["other"]).sum() < 20
    assert not perturbed(PEOPLE, Noise("income"))[0].equals(perturbed(PEOPLE, Noise("income"))[0])
    assert perturbed(PEOPLE, Noise("income"), seed=1)[0].equals(perturbed(PEOPLE, Noise("income"), seed=1)[0])
    assert not perturbed(PEOPLE, Noise("income"), seed=1)[0].equals(perturbed(PEOPLE, Noise("income"), seed=2)[0])


def test_effects_tell_of_seeds() -> None:
    """Only what is random can be reproduced."""
    _, effects = perturbed(PEOPLE, Noise("income"), Rounding("age", Fraction(5)), seed=0)
    assert [one.reproducible for one in effects] == [True, False]


def test_noise_is_measured() -> None:
    """Mean and variance of the written cells are those of the input; correlations are compared with all columns."""
    frame = PEOPLE.with_columns(net=pl.col("income") * 2)
    made, (effect,) = perturbed(frame, Noise("income", Fraction(1), lower=Fraction(0)))
    assert effect.mean is not None
    assert effect.variance is not None
    assert effect.mean[0] == effect.mean[1] == pytest.approx(PEOPLE["income"].mean())
    assert effect.variance[1] == pytest.approx(effect.variance[0], rel=1e-9)
    assert effect.variance[1] == pytest.approx(made["income"].var(), rel=1e-9)
    assert [*effect.bounds] == [0, None]
    assert effect.decimals == 0
    assert effect.correlation is not None
    change, column = effect.correlation
    assert column == "net"
    now = float(np.corrcoef(made["income"], frame["net"])[0, 1])
    assert change == pytest.approx(1 - now)


def test_a_column_alone_has_no_correlations() -> None:
    """Where no other column holds numbers, there is nothing to compare with; one record has no variance."""
    _, (effect,) = perturbed(pl.DataFrame({"income": [5], "name": ["a"]}), Noise("income"))
    assert (effect.correlation, effect.variance, effect.mean, effect.linked) == (None, None, (5, 5), 1)


def test_missing_cells_stay() -> None:
    """Nulls, empty cells and missing tokens are as they were, and no part of the figures."""
    frame = pl.DataFrame(
        {"income": ["10", "", "NA", "30", None, "20", "0"], "job": ["a", "", "NA", None, "b", "a", "b"]}
    )
    made, effects = perturbed(
        frame, Noise("income", Fraction(1, 2)), PostRandomization("job", Fraction(0)), missing=["NA"]
    )
    assert [made["income"][place] for place in (1, 2, 4)] == ["", "NA", None]
    assert [made["job"][place] for place in (1, 2, 3)] == ["", "NA", None]
    assert [one.records for one in effects] == [4, 4]
    assert {*made["job"].drop_nulls()} <= {"a", "b", "", "NA"}


def test_no_number_becomes_a_missing_token() -> None:
    """A cell that would read as no value goes a step further: -1 means that there is none."""
    frame = pl.DataFrame({"x": ["0", "1", "2", "3", "-1", "-1"] * 50})
    made, (effect,) = perturbed(frame, Noise("x", Fraction(3)), missing=["-1", "-3", "n/a"])
    assert (made["x"] == "-1").sum() == 100
    assert (made["x"] == "-3").sum() == 0
    assert effect.records == 200


def test_several_columns_together() -> None:
    """Microaggregation takes the records that have a value in all of its columns; others stay."""
    frame = pl.DataFrame({"a": [1, 2, 3, None, 50], "b": [1.5, 2.5, 3.5, 9.5, None]})
    made, effects = perturbed(frame, Microaggregation(("a", "b")))
    assert made["a"].to_list() == [2, 2, 2, None, 50]
    assert made["b"].to_list() == [2.5, 2.5, 2.5, 9.5, None]
    assert [one.records for one in effects] == [4, 4]


@pytest.mark.parametrize(
    ("cells", "asked", "made"),
    [
        (["0.25", "-0.04", "12.50"], Rounding("x", Fraction("0.1")), ["0.2", "0", "12.5"]),
        (["1499", "1500", "2500"], Rounding("x", Fraction(1000)), ["1000", "2000", "2000"]),
        (["0.125", "7", "9.5"], Coding("x", top=Fraction(9)), ["0.125", "7", "9"]),
        (["-12.75", "-12.75", "-12.80"], Microaggregation(("x",)), ["-12.77", "-12.77", "-12.77"]),
        (["0." + "0" * 20 + "1", "0." + "0" * 20 + "3"], Microaggregation(("x",), 2), ["0." + "0" * 20 + "2"] * 2),
        (["1.0000000000000002", "3"], Coding("x", top=Fraction(2)), ["1.0000000000000002", "2"]),
    ],
)  # fmt: skip
def test_text_is_plain(cells: list[str], asked: Perturbation, made: list[str]) -> None:
    """Numbers are written in plain digits, without an exponent, a sign of zero or zeros at the end."""
    assert perturbed(pl.DataFrame({"x": cells}), asked)[0]["x"].to_list() == made


@pytest.mark.parametrize(
    ("dtype", "asked", "kept"),
    [
        (pl.Int64, Noise("x"), pl.Int64),
        (pl.Int8, Noise("x"), pl.Int8),
        (pl.UInt8, Noise("x", Fraction(3)), pl.Int64),
        (pl.Int64, Noise("x", decimals=2), pl.Float64),
        (pl.Int64, Rounding("x", Fraction("0.5")), pl.Int64),
        (pl.Float64, Noise("x"), pl.Float64),
        (pl.Float32, Noise("x"), pl.Float32),
        (pl.Float64, Noise("x", decimals=0), pl.Float64),
        (pl.String, Noise("x", decimals=1), pl.String),
    ],
)
def test_types_stay_where_they_fit(dtype: pl.DataType, asked: Perturbation, kept: pl.DataType) -> None:
    """Whole numbers stay whole, in a wider type where they must; decimals make a column of floats."""
    frame = pl.DataFrame({"x": np.tile([0, 1, 2, 3, 9], 20)}).cast(dtype)
    made, (effect,) = perturbed(frame, asked)
    assert made["x"].dtype == kept
    assert effect.decimals is not None
    assert effect.decimals <= {True: 2, False: 0}[asked.decimals != 0 and asked.decimals is not None]


def test_floats_of_all_digits() -> None:
    """Floats that hold no further digit are not rounded: swapping gives back the very same numbers."""
    frame = pl.DataFrame({"x": np.random.default_rng(3).normal(size=200) * 10.0 ** np.arange(-100, 100)})
    frame = frame.filter(pl.col("x").abs() < 1e15)
    made, _ = perturbed(frame, RankSwapping("x", Fraction(1, 4)))
    assert sorted(made["x"]) == sorted(frame["x"])
    assert made["x"].dtype == pl.Float64


@pytest.mark.parametrize(
    ("frame", "asked", "kind", "what"),
    [
        ({"x": ["1", "two", "two"]}, Noise("x"), InputError, "2 cells are not decimals"),
        ({"x": ["1", "007"]}, Noise("x"), InputError, "1 cell is not a decimal"),
        ({"x": [True, False]}, Noise("x"), InputError, "2 cells are not decimals"),
        ({"x": ["1", str(2**53), str(-(2**60))]}, Rounding("x", Fraction(10)), InputError, "2 numbers are"),
        ({"x": ["1", "9" * 500]}, Noise("x"), InputError, "1 number is"),
        ({"x": [1, 2]}, Noise("y"), UsageError, "no column 'y'"),
        ({"x": [1, 2]}, Noise("X"), UsageError, "the columns are x"),
        ({"income": [1, 2]}, Noise("incom"), UsageError, "did you mean income"),
        ({"x": ["1", "5"]}, NARROW, InputError, "2 records lie outside"),
        ({"x": ["0.3", "0.4"]}, NARROW, UsageError, "no number of 0"),
        ({"x": [1, 2]}, Microaggregation(("x",)), UsageError, "2 records have a value"),
    ],
)  # fmt: skip
def test_what_is_refused(frame: Mapping[str, object], asked: Perturbation, kind: type[Exception], what: str) -> None:
    """Columns and methods that do not go together are told by names and counts, never by cells."""
    with pytest.raises(kind) as caught:
        perturbed(pl.DataFrame(frame), asked)
    assert what in str(caught.value)
    assert "007" not in str(caught.value)
    assert "two" not in str(caught.value)


def test_a_column_is_perturbed_once() -> None:
    """Two methods for a column, and seeds below 0, are refused."""
    with pytest.raises(UsageError, match="perturbed twice"):
        perturbed(PEOPLE, Noise("age"), Microaggregation(("income", "age")))
    with pytest.raises(UsageError, match="at least 0"):
        perturbed(PEOPLE, Noise("age"), seed=-1)


def test_columns_without_values() -> None:
    """A column in which no record has a value stays, whatever is asked of it."""
    frame = pl.DataFrame({"x": ["", "", ""], "y": ["a", "b", "c"]})
    for one in (Noise("x"), Microaggregation(("x",)), PostRandomization("x")):
        made, (effect,) = perturbed(frame, one)
        assert made.equals(frame)
        assert (effect.records, effect.unchanged, effect.mean, effect.linked) == (0, 0, None, None)


def test_a_table_without_records() -> None:
    """Nothing is perturbed where there is nobody."""
    frame = pl.DataFrame({"x": [], "y": []}, schema={"x": pl.Int64, "y": pl.String})
    made, effects = perturbed(frame, Noise("x"), PostRandomization("y"))
    assert made.equals(frame)
    assert [one.records for one in effects] == [0, 0]
