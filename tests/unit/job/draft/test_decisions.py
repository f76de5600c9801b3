"""What a draft leaves to decide: who could know it, and which k, each choice with what a run of it then keeps."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

import kohort
from kohort.engines import pricing as prices
from kohort.errors import SourceNote, UsageError
from kohort.job.draft import decisions, draft_of, protection
from tests.command import kohort as command
from tests.unit.assessment.test_inspection import encoded
from tests.unit.assessment.test_known import HIDDEN, JOINED, RECORDS, drawn, survey

if TYPE_CHECKING:
    from pathlib import Path

    from kohort.job.draft import Draft

pytestmark = pytest.mark.filterwarnings("ignore::kohort.errors.SourceNote")  # what a steward leaves out is told of

#: What the guesses say of the survey.
LIKELY = {*JOINED["English"], "age", "sex", "town", "afam", "parish9"}
BLOCKS = {*(f"q{place}" for place in range(1, 21)), *(f"mood_{place}" for place in range(1, 20))}


def drafted(folder: Path, columns: dict[str, list[str]] | None = None, **options: Any) -> Draft:  # noqa: ANN401  of draft_of
    """The draft of a survey, or of these columns."""
    given: dict[str, Any] = {"k": 5, "missing": ("",), "path": None, "folder": folder, **options}
    return draft_of(encoded(columns or survey()), **given)


def choices(question: str) -> dict[str, int]:
    """What each choice of a question keeps, in percent."""
    found = re.findall(r"^ +([0-9]+) %  (?:(as drafted)|.*:   (--\w+ \S+)$)", question, re.MULTILINE)
    return {drafted or flag: int(kept) for kept, drafted, flag in found}


@pytest.mark.slow("a survey of sixty columns is anonymized")
def test_a_survey_asks_who_could_know_it_and_which_k(tmp_path: Path) -> None:
    """The fewer columns, the more is kept; the greater k, the less; and the flag to copy has the likely ones."""
    who, which = drafted(tmp_path).decisions
    assert "60 columns could be quasi-identifying" in who
    named, drawn_up, everything = choices(who)
    assert {*named.removeprefix("--known ").split(",")} == LIKELY
    assert (drawn_up, everything) == ("as drafted", "--known all")
    assert [*choices(who).values()] == sorted(choices(who).values(), reverse=True)
    assert [*choices(which)] == ["--k 3", "--k 5", "--k 10"]
    assert [*choices(which).values()] == sorted(choices(which).values(), reverse=True)


@pytest.mark.slow("a survey of sixty columns is anonymized")
@pytest.mark.parametrize("k", [3, 5])
def test_a_price_is_what_a_run_gives(tmp_path: Path, k: int) -> None:
    """Up to the size of the sample, to the percent."""
    first = drafted(tmp_path)
    for flag, kept in choices(first.decisions[0]).items():
        known = None if flag == "as drafted" else "all" if flag == "--known all" else flag.split(" ")[1].split(",")
        if known != "all":  # sixty columns keep nothing, and take their time
            release = kohort.anonymize(encoded(survey()), drafted(tmp_path, known=known).job())
            assert round(100 * (1 - release.metrics["ncp"])) == kept, flag
    release = kohort.anonymize(encoded(survey()), drafted(tmp_path, k=k).job())
    assert round(100 * (1 - release.metrics["ncp"])) == choices(first.decisions[1])[f"--k {k}"]


def test_where_the_guesses_are_sure_and_people_many_nothing_is_asked(tmp_path: Path) -> None:
    """No left-over, no block, and a thousand people; with one person fewer k is asked for."""
    columns = {"age": [str(18 + n % 60) for n in range(1_000)], "sex": ["f", "m"] * 500}
    assert drafted(tmp_path, columns).decisions == ()
    [which] = drafted(tmp_path, {name: cells[1:] for name, cells in columns.items()}).decisions
    assert which.startswith("Which k? 999 people are few")


def test_people_are_counted_and_not_records(tmp_path: Path) -> None:
    """Two thousand visits of five hundred people are few."""
    columns = {"patient_id": [f"P-{n // 4:04}" for n in range(2_000)], "sex": ["f", "m", "m", "f"] * 500}
    columns["age"] = [str(18 + n // 4 % 60) for n in range(2_000)]
    assert "500 people are few" in drafted(tmp_path, columns).decisions[-1]


@pytest.mark.slow("a survey of sixty columns is anonymized")
def test_prices_are_those_of_a_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No search sees more records than the sample has."""
    seen: list[int] = []
    count = prices.count

    def counted(data: Any, *others: Any) -> Any:  # noqa: ANN401  what it stands for
        seen.append(data.records)
        return count(data, *others)

    monkeypatch.setattr(prices, "count", counted)
    monkeypatch.setattr(decisions, "sampled", partial(prices.sampled, most=50))
    monkeypatch.setattr(protection, "MEASURED", 50)
    assert drafted(tmp_path).decisions
    assert {*seen} == {50}


def test_a_steward_who_says_it_is_asked_no_more(tmp_path: Path) -> None:
    """The others are answers, those first that tell people apart best; and whom they single out is said."""
    made = drafted(tmp_path, known=["age", "sex"])
    assert {one.name for one in made.guesses if one.role == "quasi"} == {"age", "sex"}
    assert len(made.decisions) == 1
    assert {*made.answers} == {*survey()} - {"age", "sex"}
    by_name = {one.name: one.separation for one in made.guesses}
    order = [by_name[name] for name in made.answers]
    assert order == sorted(order, reverse=True)
    assert [len(one.columns) for one in made.singling] == [3, 5, len(made.answers)]
    text = made.to_toml()
    assert tomllib.loads(text)["answers"] == [*made.answers]
    assert f"these {len(made.answers)} together: {RECORDS} people are unique (100.0%)" in text
    assert made.job().answers == made.answers


def test_a_known_column_that_is_left_out_is_told_of(tmp_path: Path) -> None:
    """The steward's word counts, but nobody overlooks an age; a left-over is no news."""
    with pytest.warns(SourceNote, match=r"outsiders seem to know them: .*\btown\b") as caught:
        drafted(tmp_path, known=["age", "sex", *JOINED["English"]])
    told = next(str(one.message) for one in caught if "you said" in str(one.message))
    assert "lefty" not in told
    assert "q1" not in told


def test_a_measure_is_rounded_and_no_answer(tmp_path: Path) -> None:
    """What would find one in twenty people by itself is coarsened, as in any draft."""
    columns = survey() | {"reach": [str(100 + n if n % 4 == 0 else n % 50) for n in range(RECORDS)]}
    made = drafted(tmp_path, columns, known=["age"])
    assert "reach" in made.roundings
    assert "reach" not in made.answers


def test_a_corrected_answer_is_none(tmp_path: Path) -> None:
    """Its other role wins, and the list has it no more."""
    made = drafted(tmp_path, known=["age"])
    job = made.job(quasi=["town"], drop=["q1"])
    assert {*(job.answers or ())} == {*made.answers} - {"town", "q1"}
    assert {one.name for one in job.schema.quasi} == {"age", "town"}
    assert made.job(answers=["q1"]).answers == ("q1",)


@pytest.mark.slow("a survey of sixty columns is anonymized")
def test_the_same_in_python_and_at_the_command_line(tmp_path: Path) -> None:
    """`draft(…, known=…)` and `init --known` make the same job; `all` keeps everything generalized."""
    path = tmp_path / "in.csv"
    kohort.read(encoded(survey()))
    table = survey()
    path.write_text("\n".join(",".join(row) for row in [[*table], *zip(*table.values(), strict=True)]) + "\n")
    ran = command("init", path, "--out", tmp_path / "job.toml", "--known", "age,sex", "--known", "town", "--k", 5)
    assert ran.status == 0
    assert "1. Which k? 400 people are few" in ran.out
    with pytest.warns(SourceNote):
        made = kohort.draft(path, k=5, known=["age", "sex", "town"]).job()
    assert kohort.Job.from_toml(tmp_path / "job.toml") == replace(made, reading=made.reading)
    assert kohort.draft(path, known="all").answers == ()
    ran = command("init", path, "--out", tmp_path / "job.toml", "--known", "aeg", "--overwrite")
    assert (ran.status, "no column is called aeg" in ran.err) == (2, True)
    with pytest.raises(UsageError, match="no column is called"):
        kohort.draft(path, known=["aeg"])


@pytest.mark.slow("a survey of sixty columns is anonymized")
def test_an_untouched_survey_releases_blocks_alone(tmp_path: Path) -> None:
    """From `init` to `run`: the answers are said in the job, the run, the certificate and on the public page."""
    table = survey()
    rows = [[*table], *zip(*table.values(), strict=True)]
    (tmp_path / "in.csv").write_text("\n".join(",".join(row) for row in rows) + "\n")
    job, page = tmp_path / "job.toml", tmp_path / "page.html"
    assert "To decide, with the detail that each choice keeps" in command("init", tmp_path / "in.csv", "-o", job).out
    said = tomllib.loads(job.read_text())
    assert {*said["answers"]} == BLOCKS
    assert {name for name, one in said["columns"].items() if one["role"] == "quasi"} == {*table} - BLOCKS
    ran = command("run", job, "--report", page, "--audience", "public")
    assert ran.status == 0, ran.err
    assert re.search(r"Answers that, as you said, outsiders do not know: 39 columns; 3 of them \(", ran.out)
    assert "<strong>Answers</strong> that, according to the job, no outsider knows" in page.read_text()
    known = (tmp_path / "in.release.csv.kohort.json").read_text()
    assert "Secrecy of answers: the steward says that no outsider knows the 39 columns of answers" in known
    checked = command("check", tmp_path / "in.release.csv", "--certificate", tmp_path / "in.release.csv.kohort.json")
    assert (checked.status, "together" in known) == (0, True)


@pytest.mark.slow("a survey of sixty columns is anonymized")
def test_hidden_columns_are_generalized_until_named(tmp_path: Path) -> None:
    """Whatever their values, two of which hide what everybody sees."""
    made = drafted(tmp_path, survey(flags=("yes", "no")))
    assert {one.role for one in made.guesses if one.name in HIDDEN} == {"quasi"}
    assert drawn(("a", "b"), 1)[:2] == ["a", "b"]
