"""The figures of a release of transactions: those that scripts rely on, and what else is known of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from kohort.transactions.problem import CellSuppression, Moles
from kohort.transactions.report import transaction_figures
from kohort.transactions.roles import Roles
from tests.unit.transactions.coherent_release import REMEDY, ROLES, SOURCE, release

#: The keys that scripts rely on.
PROMISED = frozenset(
    {"transactions", "items", "public", "private", "size1_moles", "minimal_moles", "dropped", "distortion", "coherent"}
    | {"release", "certificate", "seconds"}
)

#: No minimal mole.
NONE = Moles((np.zeros((0, 1), np.int32),), (np.zeros(0, np.bool_),))


def test_the_figures_of_the_worked_example() -> None:
    """Example 1: one mole of one item, three larger ones, three items dropped, 8 of 20 cells lost."""
    figures = transaction_figures(release()).as_json()
    expected = {
        "transactions": 6,
        "items": 7,
        "public": 5,
        "private": 2,
        "neither": 0,
        "size1_moles": ["6"],
        "minimal_moles": {"2": 2, "3": 1},
        "moles_by_kind": {
            "1": {"rare": 1, "breach": 0},
            "2": {"rare": 2, "breach": 0},
            "3": {"rare": 1, "breach": 0},
        },
        "dropped": ["6", "5", "1"],
        "returned": [],
        "distortion": 0.4,
        "distortion_exact": "8/20",
        "model": {"name": "(0.5, 3, 3)-coherence", "h": 0.5, "h_exact": "1/2", "k": 3, "p": 3},
        "method": "mmil",
        "suppress": "items",
        "cells": 20,
        "released_items": 4,
        "released_cells": 12,
        "emptied": 0,
        "coherent": True,
        "verified": True,
        "cohorts": 4,
        "smallest": 4,
        "confidence": 0.25,
        "proven": False,
        "bound": None,
        "gap": None,
        "release": None,
        "seconds": {"read": 0.1235},
    }
    assert {key: figures[key] for key in expected} == expected
    assert set(figures) >= PROMISED
    assert isinstance(figures["trace"], dict)
    assert figures["trace"]["sets"] == 9


def test_the_figures_are_one_json_object() -> None:
    """Whatever the release, its figures are written as JSON and read back as they were."""
    figures = transaction_figures(release(path=Path("a.dat"), certificate=Path("a.dat.kohort.json"))).as_json()
    assert json.loads(json.dumps(figures, allow_nan=False)) == figures
    assert (figures["release"], figures["certificate"]) == ("a.dat", "a.dat.kohort.json")


def test_a_rehearsal_knows_no_verdict() -> None:
    """What was not verified is not told as found."""
    figures = transaction_figures(release(verdict=None)).as_json()
    assert figures["verified"] is False
    assert [figures[key] for key in ("cohorts", "smallest", "confidence")] == [None] * 3


def test_what_was_removed_first_and_what_nobody_asked_about_is_counted() -> None:
    """Items below the minimum support are apart from those that are neither public nor private."""
    frequent = SOURCE.supports > 1
    searched = SOURCE.only(frequent)
    public = ROLES.public[frequent].copy()
    public[0] = False
    roles, solution = Roles(public, ROLES.private[frequent]), replace(REMEDY, moles=NONE)
    figures = transaction_figures(
        release(database=searched, roles=roles, solution=solution, dropped=np.array([3]))
    ).as_json()
    assert [figures[key] for key in ("items", "public", "private", "neither")] == [7, 3, 0, 1]
    assert (figures["removed_items"], figures["removed_cells"]) == (3, 3)
    assert figures["dropped"] == ["5"]


def test_the_gap_is_the_share_of_the_loss_that_might_be_spared() -> None:
    """A loss of 8 that none goes 6 below has a gap of a quarter; a loss of nothing has none."""
    solution = replace(REMEDY, bound=6)
    assert transaction_figures(release(solution=solution)).as_json()["gap"] == 0.25
    assert transaction_figures(release(solution=replace(solution, bound=0), lost=0)).as_json()["gap"] == 0.0


def test_a_database_of_no_cells_loses_nothing() -> None:
    """Where there is nothing to lose the distortion is 0."""
    figures = transaction_figures(release(losses=np.zeros(7, np.int64), lost=0)).as_json()
    assert (figures["distortion"], figures["distortion_exact"]) == (0.0, "0/0")


def test_cells_and_items_given_back_are_told() -> None:
    """Suppressed cells are told from suppressed items, and what was given back is named."""
    solution = replace(REMEDY, suppression=CellSuppression(np.ones(20, np.bool_)), returned=np.array([1], np.int32))
    figures = transaction_figures(release(solution=solution)).as_json()
    assert (figures["suppress"], figures["returned"]) == ("cells", ["1"])


def test_emptied_transactions_are_those_that_had_items() -> None:
    """A transaction that was empty before is not counted as emptied."""
    rest = SOURCE.kept(np.arange(20) >= 3)  # the first transaction loses all of its three items
    assert transaction_figures(release(released=rest)).as_json()["emptied"] == 1
    assert transaction_figures(release(source=rest, released=rest)).as_json()["emptied"] == 0
