"""Perturbations as text and as keys of a job file."""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest

from kohort.errors import UsageError
from kohort.perturbation.coding import Coding
from kohort.perturbation.microaggregation import Microaggregation
from kohort.perturbation.noise import Noise
from kohort.perturbation.post_randomization import PostRandomization
from kohort.perturbation.rank_swapping import RankSwapping
from kohort.perturbation.rounding import Rounding
from kohort.perturbation.text import METHODS, parameters_of, perturbation_from, perturbation_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.perturbation.base import Perturbation


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("income=noise", Noise("income")),
        ("x=noise:scale=2,decimals=0,upper=1/2,lower=-5", Noise("x", Fraction(2), 0, Fraction(-5), Fraction(1, 2))),
        ("age=rank-swapping:share=0.1", RankSwapping("age", Fraction(1, 10))),
        ("age=rank-swapping:", RankSwapping("age")),
        ("age,income=microaggregation:k=5", Microaggregation(("age", "income"), 5)),
        ('"income, net"=rounding:step=0.5', Rounding("income, net", Fraction(1, 2))),
        ("a=b=rounding:step=2", None),
        ("income=coding:top=100000,by=mean", Coding("income", top=Fraction(100_000), by="mean")),
        ("job=post-randomization:keep=0.5", PostRandomization("job", Fraction(1, 2))),
    ],
)  # fmt: skip
def test_what_a_text_asks_for(text: str, made: Perturbation | None) -> None:
    """A text makes the perturbation that it says; the first = ends the columns."""
    if made is None:
        with pytest.raises(UsageError, match="unknown method 'b=rounding'"):
            perturbation_of(text)
    else:
        assert perturbation_of(text) == made


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("income", "the column or the method is missing"),
        ("=noise", "the column or the method is missing"),
        ("a,,b=microaggregation", "the column or the method is missing"),
        ("income=", "unknown method ''"),
        ("income=nosie", "did you mean noise"),
        ("income=zzz", "there are: noise, rank-swapping"),
        ("income=noise:sclae=1", "did you mean scale"),
        ("income=noise:scale", "a parameter has no value"),
        ("income=noise:scale=1,scale=2", "scale is given twice"),
        ("income=noise:scale=", "not a number"),
        ("income=noise:scale=abc", "not a number"),
        ("income=noise:scale=nan", "not a number"),
        ("income=noise:scale=1e5", "not a number"),
        ("income=noise:scale=1/0", "not a number"),
        ("income=noise:scale=0", "above 0"),
        ("income=noise:decimals=0.5", "not a whole number"),
        ("income=noise:decimals=99", "from 0 to 15"),
        ("income=noise:decimals=" + "9" * 30, "not a whole number"),
        ("age,income=noise", "changes one column"),
        ("income=rounding", "needs step"),
        ("income=coding", "neither a bottom nor a top"),
        ("income=microaggregation:k=\N{ARABIC-INDIC DIGIT ONE}", "not a whole number"),
    ],
)
def test_texts_that_ask_for_nothing(text: str, what: str) -> None:
    """Each fault says what is wrong, where, and what could be meant."""
    with pytest.raises(UsageError) as caught:
        perturbation_of(text)
    assert what in str(caught.value)
    assert caught.value.where.startswith("perturb ")
    assert caught.value.hint


@pytest.mark.parametrize(
    ("method", "parameters", "what"),
    [
        ("noise", {"scale": True}, "not a number"),
        ("noise", {"scale": float("nan")}, "not a number"),
        ("noise", {"scale": float("inf")}, "not a number"),
        ("noise", {"scale": [1]}, "not a number"),
        ("noise", {"decimals": 1.0}, "not a whole number"),
        ("noise", {"decimals": True}, "not a whole number"),
        ("coding", {"top": 1, "by": 2}, "not a word"),
    ],
)
def test_values_of_other_kinds(method: str, parameters: Mapping[str, object], what: str) -> None:
    """What TOML may say and a parameter cannot be is refused at its key."""
    with pytest.raises(UsageError, match=what) as caught:
        perturbation_from(["x"], method, parameters)
    assert caught.value.where == f"perturb x, {list(parameters)[-1]}"


def test_job_files_say_the_same() -> None:
    """Numbers of TOML are the decimals that they print."""
    assert perturbation_from(["x"], "noise", {"scale": 0.1, "decimals": 2, "lower": 0}) == Noise(
        "x", Fraction(1, 10), 2, Fraction(0)
    )
    assert perturbation_from(["x"], "noise", {"scale": Fraction(1, 3)}) == Noise("x", Fraction(1, 3))
    assert perturbation_from(["x"], "coding", {"top": 1e3, "by": "mean"}) == Coding("x", top=Fraction(1000), by="mean")


def test_every_method_has_its_parameters() -> None:
    """The keys that a method reads are its own fields, but for its columns."""
    for key, method in METHODS.items():
        told = [one.name for one in fields(cast("type[Noise]", method)) if one.name not in {"column", "columns"}]
        assert [one.name for one in method.specification.parameters] == told
        assert method.specification.key == key


def test_a_rounding_with_bounds_says_them() -> None:
    """Read from a text, written back as keys, and in its name; bounds that are none are refused."""
    one = perturbation_of("pay=rounding:step=10,bottom=20,top=90.5")
    assert parameters_of(one) == {"method": "rounding", "step": 10, "bottom": 20, "top": Fraction(181, 2)}
    assert (
        one.name == "rounding to multiples of 10 after bottom coding below 20 and top coding above 90.5 by their mean"
    )
    with pytest.raises(UsageError, match="bottom is not below top"):
        perturbation_of("pay=rounding:step=10,bottom=90,top=20")


def test_the_numbers_beyond_a_bound_become_one_multiple() -> None:
    """Their mean, rounded; of one or two there is none."""
    one = perturbation_of("pay=rounding:step=10,top=90")
    (made,) = one.perturb([np.array([12.0, 90.0, 91.0, 140.0, 250.0])], [])
    assert made.tolist() == [10.0, 90.0, 160.0, 160.0, 160.0]
    with pytest.raises(UsageError, match="fewer than 3 records lie beyond a bound"):
        one.check([np.array([12.0, 91.0, 140.0])], 1.0)
