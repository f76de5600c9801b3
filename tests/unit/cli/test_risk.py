"""`kohort risk`: what it says of a file, in words and in figures, and what it keeps to itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.command import Ran, kohort

if TYPE_CHECKING:
    from pathlib import Path

CELLS = """\
region,age,income,ticket,bed
Nord,[20-29],10,a,1
Sud,30,20,b,1
Sud,30,30,c,2
*,[40-49],40,d,2
*,[40-49],50,e,3
*,[40-49],60,e,3
"""

PEOPLE = """\
region,age
Milano,20
Torino,29
Bari,30
Bari,30
Bari,30
Milano,40
Bari,41
Bari,49
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A released file, its population and the tree of regions."""
    (tmp_path / "release.csv").write_text(CELLS)
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "region.csv").write_text("Milano,Nord,*\nTorino,Nord,*\nBari,Sud,*\n")
    return tmp_path


def told(files: Path, *flags: object, status: int = 0) -> Ran:
    """What the command says of the released file."""
    ran = kohort("risk", files / "release.csv", "--quasi", "region,age", *flags)
    assert ran.status == status
    return ran


def test_a_screen_says_what_each_figure_means(files: Path) -> None:
    """The text has the attackers, the uniques and the undeclared columns, and no cell of a record."""
    ran = told(files, "--sensitive", "income")
    assert ran.err == ""
    assert ran.out.splitlines()[1] == "6 records in 3 classes of 1 to 3"
    for words in (
        "prosecutor               100.0%    50.0%      100.0%   1",
        "marketer                           50.0%",
    ):
        assert words in ran.out
    assert "unique in the file: 1 record (16.7%)" in ran.out
    assert "journalist risk not computed: add --population FILE" in ran.out
    assert "undeclared columns (2)" in ran.out
    assert "column ticket: 4 records (66.7%)" in ran.out
    assert len(ran.out.splitlines()) < 40
    for cell in ("Nord", "[20-29]", "40-49"):
        assert cell not in ran.out


def test_figures_are_one_object(files: Path) -> None:
    """`--json` prints the same figures, without values unless they are asked for."""
    figures = told(files, "--json", "--known", 1, "--threshold", "1/3").figures
    assert set(figures) >= {
        "records",
        "people",
        "quasi",
        "classes",
        "smallest",
        "largest",
        "threshold",
        "prosecutor",
        "journalist",
        "marketer",
        "uniqueness",
        "known",
        "undeclared",
        "alone",
        "together",
        "singling",
        "worst_values",
    }
    assert figures["prosecutor"] == {"highest": 1, "average": 0.5, "over": 0.5, "at_highest": 1}
    assert (figures["marketer"], figures["journalist"], figures["people"]) == (0.5, None, None)
    assert figures["worst_values"] is None
    assert figures["known"]["subsets"] == 2
    assert [one["columns"] for one in figures["known"]["worst"]] == [["region"], ["age"]]
    assert told(files, "--json", "--show-values").figures["worst_values"] == [{"region": "Nord", "age": "[20-29]"}]


def test_values_are_shown_where_asked(files: Path) -> None:
    """`--show-values` prints cells of the smallest classes, in no way that a terminal obeys."""
    assert "region = Nord, age = [20-29]" in told(files, "--show-values").out
    (files / "release.csv").write_text('region,age\n"\x1b[2J",\nNord,1\nNord,1\n')
    assert r"region = '\x1b[2J', age = (missing)" in told(files, "--show-values").out


def test_a_population_table_is_matched(files: Path) -> None:
    """With the table and the tree the journalist's risk is that of the people whom labels fit."""
    ran = told(files, "--population", files / "people.csv", "--hierarchy", f"region={files / 'region.csv'}")
    assert "journalist                50.0%    36.1%      100.0%   1   (by population table)" in ran.out
    assert "0 of them are unique among the 8 people of the population table" in ran.out
    (files / "people.csv").write_text("region,age\nMilano,25\nBari,30\n")
    ran = told(files, "--population", files / "people.csv", "--hierarchy", f"region={files / 'region.csv'}")
    assert "5 records are in classes that match fewer people of the population table" in ran.out


def test_a_population_is_estimated(files: Path) -> None:
    """With a size, or a share, the estimators say what they find and which is believed; one may have no answer."""
    ran = told(files, "--population-size", 60, "--known", 2)
    assert "(by estimate)" in ran.out
    assert " of 60 people: " in ran.out
    assert "by Pitman" in ran.out
    assert "attackers who know 2 of 2 columns (all 1 choice)" in ran.out
    (files / "release.csv").write_text("region,age\n" + "".join(f"a,{number}\n" for number in range(9)))
    ran = told(files, "--sampling-fraction", "0.1")
    assert "Pitman  no answer: every class has one person" in ran.out
    assert "together" not in ran.out


def test_people_are_said_where_they_are_counted(files: Path) -> None:
    """With a person key the words and figures are of people."""
    out = told(files, "--person", "bed", "--sensitive", "income,ticket").out
    assert out.splitlines()[1] == "6 records of 3 people in 3 classes of 1 to 2"
    assert "people at the highest" in out
    assert "undeclared columns" not in out


def test_a_long_search_says_its_limits(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sample and sets left out are told."""
    import kohort.assessment.risk.reidentification  # noqa: PLC0415
    from kohort.assessment.risk import quasi_identifiers  # noqa: PLC0415

    monkeypatch.setattr(quasi_identifiers.find, "__kwdefaults__", {**_defaults(quasi_identifiers.find), "sets": 1})
    defaults = {**_defaults(kohort.assessment.risk.reidentification.knowing), "visits": 0}
    monkeypatch.setattr(kohort.assessment.risk.reidentification.knowing, "__kwdefaults__", defaults)
    ran = told(files, "--known", 1)
    assert "not all of three columns" in ran.out
    assert "1 of 2 choices, including one likely worst case" in ran.out


def _defaults(function: object) -> dict[str, object]:
    """What a function takes where nothing is said."""
    return dict(getattr(function, "__kwdefaults__", {}))


def test_a_sample_says_what_it_may_miss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a sample decides, the text says how large it is and what it may have missed."""
    from kohort.assessment.risk import quasi_identifiers  # noqa: PLC0415

    monkeypatch.setattr(quasi_identifiers.find, "__kwdefaults__", {**_defaults(quasi_identifiers.find), "visits": 1})
    path = tmp_path / "many.csv"
    path.write_text("city,day\n" + "".join(f"a,{number % 5}\n" for number in range(2_500)))
    assert "searched in 2,000 records: with 99 % confidence" in kohort("risk", path, "--quasi", "city").out


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--hierarchy", "region=suppress"), "--population"),
        (("--threshold", "2"), "the threshold must be above 0 and below 1"),
        (("--population-size", "60", "--sampling-fraction", "0.1"), "the population is given in two ways"),
        (("--known", "3"), "a whole number from 1 to 2"),
        (("--sensitive", "incme"), "did you mean income?"),
    ],
)
def test_faults_are_told(files: Path, flags: tuple[str, ...], words: str) -> None:
    """What cannot be right is status 2, with what would be."""
    assert words in told(files, *flags, status=2).err


def test_some_column_must_be_named(files: Path) -> None:
    """Without quasi-identifiers there is nothing to be known."""
    ran = kohort("risk", files / "release.csv")
    assert (ran.status, ran.out) == (2, "")
    assert "no quasi-identifying column is named" in ran.err


# --- columns that single people out are not released ------------------------------------------------------------------

TICKETS = "age,ticket,income\n" + "".join(f"{number % 2},t{number},{number % 3}\n" for number in range(6))


@pytest.fixture
def tickets(tmp_path: Path) -> Path:
    """A table with a number for each record."""
    path = tmp_path / "tickets.csv"
    path.write_text(TICKETS)
    return path


def released(path: Path, *flags: str) -> Ran:
    """What comes of releasing the table."""
    roles = ("--quasi", "age", "--no-model", "income")
    return kohort("anonymize", path, "--out", path.parent / "out.csv", *roles, "--k", 2, *flags)


@pytest.mark.parametrize(
    ("flags", "place"),
    [(("--rest", "insensitive"), "column ticket"), (("--insensitive", "ticket"), "column ticket")],
)
def test_a_column_that_singles_out_is_refused(tickets: Path, flags: tuple[str, ...], place: str) -> None:
    """Named or of the rest, it stops the release with the flag that allows it; no value is told."""
    ran = released(tickets, *flags)
    assert (ran.status, ran.out) == (2, "")
    assert place in ran.err
    assert "6 of 6 records have a value of their own" in ran.err
    assert "--allow-singling ticket" in ran.err
    assert "t0" not in ran.err
    assert not (tickets.parent / "out.csv").exists()


@pytest.mark.parametrize("flags", [("--rest", "insensitive"), ("--insensitive", "ticket")])
def test_it_may_be_allowed(tickets: Path, flags: tuple[str, ...]) -> None:
    """With the flag it is released as it is."""
    ran = released(tickets, *flags, "--allow-singling", "ticket")
    assert ran.status == 0
    assert "t0" in (tickets.parent / "out.csv").read_text()


def test_allowing_nothing_is_a_fault(tickets: Path) -> None:
    """A column without a role, one that is dropped, and one that is not there have nothing to be allowed."""
    nameless = released(tickets, "--rest", "drop", "--allow-singling", "ticket")
    assert (nameless.status, "column ticket has no role" in nameless.err) == (2, True)
    sensitive = released(tickets, "--identifier", "ticket", "--rest", "drop", "--allow-singling", "ticket")
    assert (sensitive.status, "there is nothing to allow" in sensitive.err) == (2, True)
    misspelt = released(tickets, "--rest", "insensitive", "--allow-singling", "tiket,ticket")
    assert (misspelt.status, "did you mean ticket?" in misspelt.err) == (2, True)


def test_a_job_file_allows_it_at_its_column(tickets: Path) -> None:
    """`allow-singling = true` is a key of the column; without it the fault names the line."""
    text = (
        'input.path = "tickets.csv"\noutput.path = "out.csv"\nprivacy.k = 2\n[columns]\nage.role = "quasi"\n'
        'income = { role = "sensitive", no-model = true }\nticket = { role = "insensitive" }\n'
    )
    job = tickets.parent / "job.toml"
    job.write_text(text)
    ran = kohort("run", job)
    assert (ran.status, "line 7" in ran.err) == (2, True)
    job.write_text(text.replace('"insensitive"', '"insensitive", allow-singling = true'))
    assert kohort("run", job).status == 0
