"""Perturbed columns and pseudonyms in figures and in words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from kohort.perturbation.effect import Effect, drift
from kohort.report.render.release import effect_text, release_text
from kohort.tables.dataset import Linked
from tests.unit.report.test_render import figures as release

NUMBERS = Effect(
    "income",
    "noise of 0.1 variances",
    1000,
    3,
    0,
    (0.0, None),
    (200.0, 201.0),
    (16.0, 16.0),
    (-0.0125, "age"),
    0.25,
)
NAMES = Effect("illness", "post-randomization keeping 0.8", 10, 8)


def told(effect: Effect) -> str:
    """What is said of an effect."""
    return "\n".join(effect_text(effect))


def text_of(*linked: Linked) -> str:
    """What is said of a release with pseudonyms."""
    return release_text(release().model_copy(update={"pseudonyms": linked}))


def test_numbers_have_their_drift() -> None:
    """Of each moment both figures are told, and how far it moved, as a share of what it was."""
    told: Any = release().model_copy(update={"perturbed": (NUMBERS,)}).as_json()["perturbed"]
    (figures,) = told
    assert figures["mean"] == {"before": 200.0, "after": 201.0, "drift": 0.005}
    assert figures["variance"] == {"before": 16.0, "after": 16.0, "drift": 0.0}
    assert figures["bounds"] == [0.0, None]
    assert figures["correlation"] == {"with": "age", "change": -0.0125}


@pytest.mark.parametrize(("after", "due"), [(0.0, 0.0), (1.0, None)])
def test_nothing_moves_by_a_share_of_nothing(after: float, due: float | None) -> None:
    """A mean of 0 has no share to move by, unless it stays."""
    assert drift((0.0, after)) == due


def test_numbers_in_words() -> None:
    """A perturbed number says what was done, how far it moved, and what an attacker finds."""
    assert told(NUMBERS).splitlines() == [
        "income: noise of 0.1 variances; 3 of 1,000 values are unchanged",
        "  mean 200 -> 201 (+0.5%), variance 16 -> 16",
        "  correlations change by at most 0.013 (with age)",
        "  anyone who knows the original values finds 25.0% of the records by the nearest value",
    ]
    assert "mean 0 -> 1," in told(replace(NUMBERS, mean=(0.0, 1.0)))


def test_names_in_words() -> None:
    """Of names only the count is told; that noise can be drawn again is told of any."""
    assert told(NAMES) == "illness: post-randomization keeping 0.8; 8 of 10 values are unchanged"
    assert told(replace(NAMES, reproducible=True)).endswith("reproducible noise: not private")


def test_pseudonyms_in_words() -> None:
    """Pseudonyms are said to be no anonymity, and to link records where they do."""
    linked = Linked("patient", 10, 4)
    figures = release().model_copy(update={"pseudonyms": (linked,)}).as_json()
    assert figures["pseudonyms"] == [{"column": "patient", "records": 10, "linked": 4}]
    assert "patient: pseudonyms, which are not anonymity; 4 records share theirs with another." in text_of(linked)
    assert "share theirs" not in text_of(replace(linked, linked=0))


def test_nothing_is_said_of_nothing() -> None:
    """Where nothing is altered, nothing is said."""
    assert "pseudonyms" not in text_of()
