"""What a person reads of a release of transactions, and of how it came about."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from kohort.errors import UsageError
from kohort.report.render.text import LISTED
from kohort.transactions.coherence import Coherence
from kohort.transactions.database import Transactions
from kohort.transactions.moles import mine
from kohort.transactions.problem import Moles, Step, SuppressionProblem
from kohort.transactions.report import TransactionFigures, transaction_figures
from kohort.transactions.report.text import TRACED_ITEMS, TRANSACTIONS, WARNING, trace_text, transactions_text
from kohort.transactions.roles import Roles
from kohort.transactions.suppression import Greedy, Score
from tests.unit.transactions.coherent_release import JOB, REMEDY, ROLES, SOURCE, release

if TYPE_CHECKING:
    from kohort.report import Json


def figures(**others: Json) -> TransactionFigures:
    """The figures of Example 1, some of them others."""
    known = transaction_figures(release()).as_json()
    return TransactionFigures.model_validate(known | others, strict=False)


TEXT = """\
60.0% of the detail is left
6 transactions released
7 items: 5 public, 2 private

(0.5, 3, 3)-coherence: anyone who knows up to 3 public items of a person finds no transaction with them,
or at least 3, and no private item in more than 50% of those
verified on the released transactions: of 4 cohorts the smallest has 4 transactions,
and no private item is in more than 25.00% of one

Minimal moles (smallest sets of public items that break the promise)
  of 1 item             1: 1 below k, 0 above h
  of 2 items            2: 2 below k, 0 above h
  of 3 items            1: 1 below k, 0 above h

Dropped 3 items (mmil): 6, 5, 1
Distortion 0.4000 (8/20)
Remaining: 4 items, 12 of 20 cells"""


def test_the_text_of_the_worked_example() -> None:
    """Example 1 as a person reads it."""
    assert transactions_text(figures()) == TEXT


UNVERIFIED: dict[str, Json] = dict.fromkeys(("cohorts", "smallest", "confidence"))
MODEL: dict[str, Json] = {"name": "(1/3, 2, 1)-coherence", "h": 1 / 3, "h_exact": "1/3", "k": 2, "p": 1}


@pytest.mark.parametrize(
    ("others", "said"),
    [
        ({"emptied": 2}, "6 transactions released, 2 of them emptied"),
        ({"neither": 3}, "2 private, 3 neither"),
        ({"removed_items": 4, "removed_cells": 1}, "4 removed first for low support, with 1 cell"),
        ({"private": 0}, "0 private\nnote: no item is private, so h limits nothing"),
        ({"repeated": 1}, "1 repeated item in a transaction count once"),
        (
            {"model": MODEL},
            "anyone who knows up to 1 public item of a person finds no transaction with it,\nor at least 2,",
        ),
        ({"model": MODEL}, "in more than 1/3 of those"),
        (
            {"verified": False, **dict.fromkeys(("cohorts", "smallest", "confidence"))},
            "dry run: nothing was written or verified",
        ),
        ({"release": "a.dat", "certificate": "b.json"}, "verified on the published bytes"),
        ({"release": "a.dat", "certificate": "b.json"}, "\n\nrelease      a.dat\ncertificate  b.json"),
        ({"moles_by_kind": {"1": {"rare": 0, "breach": 0}}}, "that break the promise)\n  none"),
        ({"dropped": []}, "Dropped 0 items (mmil)\n"),
        ({"returned": ["1"]}, "Restored 1 item: 1"),
        ({"proven": True, "gap": 0.0}, "(8/20), proven: no suppression of items loses less"),
        ({"bound": 6, "gap": 0.25}, "(8/20); no suppression goes below 6/20 (gap 25.0%)"),
    ],
)
def test_what_is_known_is_said(others: dict[str, Json], said: str) -> None:
    """Each figure that is out of the ordinary has its words."""
    assert said in transactions_text(figures(**others))
    assert said not in TEXT


def test_cells_make_another_promise() -> None:
    """Where single cells are suppressed, the text says what that does not promise."""
    text = transactions_text(figures(suppress="cells"))
    assert "a different promise from dropping items" in text
    assert "every set of up to 3 public items that\noccurs in the release is in at least 3" in text
    assert "anyone who knows" not in text


def test_many_dropped_items_are_counted() -> None:
    """Twenty names are shown, the others counted; a name that would move the cursor is spelled."""
    names: list[Json] = ["\x1b[2J", *(f"item{number}" for number in range(1_025))]
    text = transactions_text(figures(dropped=names))
    assert r"Dropped 1,026 items (mmil): '\x1b[2J', item0, item1," in text
    assert f"item{LISTED - 2} and 1,006 more" in text
    assert "\x1b" not in text


# ── the trace ────────────────────────────────────────────────────────────────────────────────────

TRACE = f"""\
{WARNING}

The database: 6 transactions (x: the item is in it)
  item  role     support  123456
  0     public   5        xx.xxx
  1     public   4        ..xxxx
  2     public   5        xxx.xx
  3     private  1        .....x
  4     private  1        .....x
  5     public   3        .x.x.x
  6     public   1        x.....

Public items that are moles by themselves, under (0.5, 3, 3)-coherence; all are dropped
  6  in 1  fewer than 3

Minimal moles of two items or more
  1, 5     in 2  fewer than 3
  2, 5     in 2  fewer than 3
  0, 1, 2  in 2  fewer than 3

The mole tree: each minimal mole is a path, items of most moles first; in brackets the moles through an item
  1 (2)
    2 (1)
      0 (1)
    5 (1)
  2 (1)
    5 (1)

Scores: MM is the number of minimal moles that contain an item, IL the loss of dropping it
Step 1: 5 is dropped; minimal moles before: 3, after: 1
     item  MM  IL  mmil
     0     1   5   1/5
     1     2   4   2/4
     2     2   5   2/5
  *  5     2   3   2/3
Step 2: 1 is dropped; minimal moles before: 1, after: 0
     item  MM  IL  mmil
     0     1   5   1/5
  *  1     1   4   1/4
     2     1   5   1/5
No minimal mole of two items or more is left

Dropped: 6, 5, 1
The remaining transactions, ordered by their content
  item  role     support  123456
  0     public   5        xxxxx.
  2     public   5        .xxxxx
  3     private  1        ....x.
  4     private  1        ....x.
Distortion: 8/20 = 0.4000"""


def test_the_trace_of_the_worked_example() -> None:
    """Example 1 step by step: the scores 2/3 and 1/4 that the definition gives, and what is left."""
    assert trace_text(release()) == TRACE


@pytest.mark.parametrize(("score", "said"), [(Score.MM, "*  5     2   3   2\n"), (Score.ONE_IL, "  1/3\n")])
def test_every_score_has_its_figures(score: Score, said: str) -> None:
    """The last column is the score that the search went by."""
    assert said in trace_text(release(job=replace(JOB, algorithm=Greedy(score=score))))


def test_a_method_without_scores_says_so() -> None:
    """Dropping all public items scores none of them."""
    text = trace_text(release(job=replace(JOB, algorithm=Greedy(score=Score.ALL))))
    assert "The method all scores no items" in text
    assert "Step" not in text


def test_a_breach_names_the_private_item_and_its_share() -> None:
    """A cohort in which a private item is too frequent is told with the counts."""
    database = Transactions.of([["a", "s"], ["a", "s"], ["a"], ["b"], ["b"], ["b"]])
    roles = Roles(np.array([True, True, False]), np.array([False, False, True]))
    model = Coherence(Fraction(1, 2), 2, 1)
    moles = mine(SuppressionProblem(database, roles, model, database.supports))
    parts: dict[str, Any] = {
        "job": replace(JOB, coherence=model),
        "source": database,
        "database": database,
        "roles": roles,
        "solution": replace(REMEDY, moles=moles, steps=()),
        "dropped": np.array([0]),
        "losses": database.supports,
    }
    text = trace_text(release(**parts))
    assert "  a  in 3  s is in 2 of them, more than 1/2\n" in text
    assert "Minimal moles of two items or more\n  none\n" in text
    assert "mole tree" not in text
    assert (
        "\nScores: MM is the number of minimal moles that contain an item, IL the loss of dropping it\nNo minimal"
        in text
    )


def test_items_removed_first_given_back_and_without_a_role_are_told() -> None:
    """What is in no score table is told beside it."""
    searched = SOURCE.only(np.arange(7) != 4)
    public = ROLES.public[np.arange(7) != 4].copy()
    public[0] = False
    solution = replace(REMEDY, returned=np.array([0], np.int32), steps=(Step(4, 2, 1),), moles=_shifted(REMEDY.moles))
    text = trace_text(
        release(
            database=searched,
            roles=Roles(public, ROLES.private[np.arange(7) != 4]),
            solution=solution,
            dropped=np.array([], np.int32),
            losses=searched.supports,
        )
    )
    assert "Removed first, for low support: 4\n" in text
    assert "Restored: 0\n" in text
    assert "Dropped: nothing\n" in text
    assert "  0              5        xx.xxx\n" in text


def _shifted(moles: Moles) -> Moles:
    """The moles with the codes that items have where item 4 is gone."""
    return replace(moles, sets=tuple(sets - (sets > 4) for sets in moles.sets))


def test_transactions_beyond_nine_are_numbered_in_two_lines() -> None:
    """Above the units stand the tens."""
    many = Transactions.of([["0"]] * 12)
    text = trace_text(release(released=many))
    assert f"\n{' ' * 34}1\n  item  role    support  123456789012\n  0     public  12       xxxxxxxxxxxx\n" in text


@pytest.mark.parametrize("what", ["transactions", "items", "moles"])
def test_what_nobody_could_read_is_refused(what: str) -> None:
    """A database or a number of moles beyond a page is an error that says the limits, and names no item."""
    sources = {
        "transactions": Transactions.of([["0"]] * (TRANSACTIONS + 1)),
        "items": Transactions.of([map(str, range(TRACED_ITEMS + 1))]),
    }
    moles = Moles((np.zeros((201, 1), np.int32),), (np.ones(201, np.bool_),))
    solution = replace(REMEDY, moles=moles) if what == "moles" else REMEDY
    with pytest.raises(UsageError, match="at most 40 transactions, 30 items and 200 minimal moles"):
        trace_text(release(source=sources.get(what, SOURCE), solution=solution))
