"""A sweep as CSV, JSON and text: every run is there, and what had no answer says why."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from fractions import Fraction
from io import StringIO
from pathlib import Path

import pytest

from kohort.errors import UsageError
from kohort.job.sweeps.frame import Ending
from kohort.transactions.roles import Draw, Drawn
from kohort.transactions.sweep import Outcome, Plan, sweep
from kohort.transactions.sweep_figures import TRANSACTIONS, asked, figures, notes, text
from tests.unit.transactions.sweeps import DENSE, PAPER, drawn, job, made


def test_a_line_for_each_run() -> None:
    """CSV has a header and a line for each run, exact as well; a run without an answer has no figures but a reason."""
    rows = list(csv.DictReader(StringIO(TRANSACTIONS.csv_text(made("1/3", None, values=1)))))
    found = {"audience": "internal", "parameter": "k", "value": "2", "seed": "0", "method": "mmil", "ending": "found"}
    figures_ = {"size1_moles": "1", "larger_moles": "6", "dropped": "3", "distortion": str(1 / 3)}
    assert rows[0] == {**found, **figures_, "distortion_exact": "1/3", "why": ""}
    empty = dict.fromkeys((*figures_, "distortion_exact"), "")
    assert rows[1] == {**found, **empty, "method": "mm", "ending": "infeasible", "why": "too few"}


def test_seconds_have_a_column_where_they_were_asked_for() -> None:
    """Without a clock the files are the same on every run; with one, seconds stand before the reason."""
    found = made("1/3", "1/2", values=1)
    assert "seconds" not in TRANSACTIONS.csv_text(found) + TRANSACTIONS.json_text(found)
    timed = replace(found, points=tuple(replace(one, seconds=0.25) for one in found.points))
    assert "distortion_exact,seconds,why" in TRANSACTIONS.csv_text(timed)
    assert [row["seconds"] for row in json.loads(TRANSACTIONS.json_text(timed))["rows"]] == [0.25, 0.25]


def test_the_object_holds_what_was_asked_rows_and_summary() -> None:
    """JSON tells what is varied and what stays, each run, and mean, deviation, least and greatest over the seeds."""
    told = json.loads(TRANSACTIONS.json_text(made("0.1", "0.2", "0.3", None, values=1)))
    assert [told[key] for key in ("vary", "values", "h", "k", "p", "delta")] == ["k", [2], 0.8, None, 2, 0.5]
    assert [told[key] for key in ("draw", "seeds", "methods")] == ["feasible", [0, 1], ["mmil", "mm"]]
    assert (told["transactions"], told["items"], told["removed"]) == (1000, 60, 0)
    assert told["rows"][0]["minimal_moles"] == {"2": 4, "3": 2}
    assert (told["rows"][3]["minimal_moles"], told["rows"][3]["why"]) == (None, "too few")
    first, second = told["summary"]
    assert (first["mean"], first["mean_exact"], first["least"], first["greatest"]) == (0.2, "1/5", 0.1, 0.3)
    assert first["deviation"] == pytest.approx(0.02**0.5)
    assert (second["found"], second["runs"], second["deviation"]) == (1, 2, None)
    nothing = figures(made(None, None, values=1))["summary"]
    assert isinstance(nothing, list)
    assert nothing[0] == {
        "value": 2,
        "method": "mmil",
        "runs": 1,
        "found": 0,
        "mean": None,
        "mean_exact": None,
        "deviation": None,
        "least": None,
        "greatest": None,
    }


def test_listed_roles_have_no_seeds_and_no_delta() -> None:
    """Where roles are listed, seeds are empty, and delta and draw are null."""
    told = figures(sweep(PAPER, Plan.of(job(), "h", ["0.8"], methods=["mmil"])))
    assert (told["seeds"], told["delta"], told["draw"], told["h"]) == ([], None, None, None)
    assert told["values_exact"] == ["0.8"]


def test_people_read_means_and_spread() -> None:
    """A column for each method; deviations where there are several seeds, and of how many where some had no answer."""
    lines = text(made("0.1", "0.2", "0.3", None, None, None, values=1)).splitlines()
    assert lines[0].startswith("distortion in %, mean of 3 seeds ± standard deviation; h = 0.8, p = 2, delta = 0.5;")
    assert lines[1:3] == ["k  mmil                    mm", "2  20.00 ± 14.14 (2 of 3)  20.00 (1 of 3)"]
    assert lines[3] == "Infeasible, and in no mean: mmil at k = 2 (1 of 3 runs). At the first, too few."
    assert "one run each" in text(made("0.1", "0.2", values=1))
    assert "none" in text(made(None, "0.2", values=1))


def test_what_failed_alike_is_one_sentence() -> None:
    """Values are joined; where every method failed, they are not listed; one run each needs no count."""
    assert notes(made(None, None, None, None, values=2)) == [
        "Infeasible, and in no mean: every method at k = 2, 3. At the first, too few."
    ]
    found = made("0.1", "0.1", values=1)
    over = Outcome(values=("2", "0", "mm"), ending=Ending.LIMIT, why="too many sets")
    [sentence] = notes(replace(found, points=(found.points[0], over)))
    assert sentence.startswith("Memory limit reached, and in no mean: mm at")


@pytest.mark.parametrize(
    ("draw", "words"), [(Draw.FEASIBLE, "at most 0.5"), (Draw.UNIFORM, "all"), (Draw.PAPER, "rule")]
)
def test_it_is_said_how_roles_came_about(draw: Draw, words: str) -> None:
    """Drawn roles say how, by the least h; listed ones that they are; and removed items are told."""
    roles = Drawn(delta=Fraction(1, 2), draw=draw)
    assert words in asked(sweep(DENSE, Plan.of(job(roles=roles), "h", ["0.5", "0.9"], methods=["all"])))
    rare = sweep(PAPER, Plan.of(replace(job(), min_support=Fraction(2, 5)), "k", [2], methods=["all"]))
    assert "listed; items in less than 0.4 of the transactions removed" in asked(rare)


def test_the_ending_of_a_name_says_the_form() -> None:
    """`.csv` and `.json` are written, whatever else is refused; equal sweeps give equal bytes."""
    plan = Plan.of(job(roles=drawn()), "k", [2, 3])
    first, again = sweep(DENSE, plan), sweep(DENSE, plan)
    for name in ("sweep.csv", "sweep.json"):
        assert TRANSACTIONS.writer(Path(name))(first) == TRANSACTIONS.writer(Path(name))(again)
    assert TRANSACTIONS.writer(Path("a.csv"))(first).startswith(b"audience,parameter,value")
    with pytest.raises(UsageError, match=r"\.csv or \.json"):
        TRANSACTIONS.writer(Path("sweep.xlsx"))
