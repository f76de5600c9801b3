"""`kohort compare`: what it says, in words and in figures, what it writes, and what it refuses."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.command import Ran, kohort

PEOPLE = """\
name,age,city,illness,income
Ada,21,Milano,flu,1000
Bea,28,Torino,flu,1200
Ciro,34,Bari,none,900
Dino,39,Lecce,none,2000
Ezio,22,Milano,flu,1500
Fosca,81,Bari,none,4000
"""

RELEASE = """\
city,age,illness,income
Nord,[20-29],flu,1000
Nord,[20-29],flu,1200
Nord,[20-29],flu,1500
Sud,[30-39],none,900
Sud,[30-39],none,2000
"""

REGIONS = "Milano,Nord,*\nTorino,Nord,*\nBari,Sud,*\nLecce,Sud,*\n"

JOB = """\
[input]
path = "people.csv"
[output]
path = "release.csv"
[privacy]
k = 2
[columns]
name = { role = "identifying" }
age = { role = "quasi" }
city = { role = "quasi", hierarchy = "region.csv" }
illness = { role = "sensitive" }
income = { role = "sensitive" }
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table, its release, the tree of regions and the job."""
    for name, text in (("people.csv", PEOPLE), ("release.csv", RELEASE), ("region.csv", REGIONS), ("job.toml", JOB)):
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def compared(*flags: object, status: int = 0) -> Ran:
    """What the command says of the two files."""
    ran = kohort("compare", "people.csv", "release.csv", *flags)
    assert ran.status == status
    return ran


KNOWN = ("--quasi", "age,city", "--hierarchy", "city=region.csv")


@pytest.mark.usefixtures("files")
def test_a_screen_says_what_a_release_cost() -> None:
    """Numbers, names, pairs, cost and counts, and no name of a value."""
    ran = compared(*KNOWN, "--k", 2)
    assert ran.err == ""
    lines = ran.out.splitlines()
    assert lines[1:3] == ["6 records before, 5 after: 1 suppressed (16.7%)", "not in the release: name"]
    for words in (
        "  age      before  37.5       22.4      31        0",
        "            after  28.5      5.477    24.5        0       100.0%     9.653         16.1%",
        "  city          4       2   1.5, 1.4  0.3, 0.3        0       100.0%           0.1667",
        "associations that changed most, of 6 pairs:",
        "2 classes of 2 to 3 records",
        "LM 0.7278; NCP 0.3639; C_DM 19; C_AVG 1.25",
        "loss: age 28.3%, city 44.4%",
        "200 random counts over 1 to 2 quasi-identifiers (seed 0): relative error",
        "  relative to at least 1 record; suppressed records are not counted",
    ):
        assert words in lines
    assert "codes 1, 2, ... along" in ran.out
    for cell in ("Milano", "Nord", "[20-29]", "flu"):
        assert cell not in ran.out


@pytest.mark.usefixtures("files")
def test_without_roles_columns_are_compared_by_themselves() -> None:
    """Nothing is known of classes, so that there is no cost, no count and no order."""
    Path("release.csv").write_text(RELEASE.replace("Nord", "Milano").replace("Sud", '"{Bari, Lecce}"'))
    figures = compared("--json").figures
    assert (figures["cost"], figures["queries"], figures["classifier"]) == (None, None, None)
    assert figures["absent"] == ["name"]
    city = figures["attributes"][1]
    assert (city["name"], city["role"], city["after"]["ordinal"]) == ("city", None, None)
    out = compared().out
    for words in ("LM", "random count", "codes 1, 2"):
        assert words not in out


@pytest.mark.usefixtures("files")
def test_a_job_says_the_roles() -> None:
    """Roles, hierarchies and k of the release's own job give the same figures as the flags."""
    by_job, by_flags = compared("--job", "job.toml", "--json").figures, compared(*KNOWN, "--k", 2, "--json").figures
    for part in ("cost", "queries", "associations"):
        assert by_job[part] == by_flags[part]
    assert [one["role"] for one in by_job["attributes"]] == ["quasi", "quasi", "sensitive", "sensitive"]
    assert by_job["cost"]["c_avg"] == 1.25
    assert by_job["passed_over"] == []


@pytest.mark.usefixtures("files")
def test_pseudonyms_are_passed_over() -> None:
    """An identifying column that the release has is named, and not looked at."""
    lines = RELEASE.splitlines()
    Path("release.csv").write_text(
        "\n".join([f"name,{lines[0]}", *(f"8f3e{at},{line}" for at, line in enumerate(lines[1:]))])
    )
    ran = compared("--job", "job.toml")
    assert "identifying or dropped, not compared: name" in ran.out


@pytest.mark.usefixtures("files")
def test_counts_are_drawn_by_the_seed() -> None:
    """As many as asked, the same for the same seed; none where none are asked."""
    one, again, other = (compared(*KNOWN, "--queries", 30, "--seed", seed, "--json").figures for seed in (4, 4, 5))
    assert one["queries"] == again["queries"]
    assert one["queries"]["queries"] == 30
    assert one["queries"] != other["queries"]
    assert compared(*KNOWN, "--queries", 0, "--json").figures["queries"] is None
    assert "random count" not in compared(*KNOWN, "--queries", 0).out


@pytest.mark.usefixtures("files")
def test_a_target_is_predicted() -> None:
    """With a target, what is learned from each table; of a number of many values whether it is above its median."""
    Path("people.csv").write_text(PEOPLE + "".join(f"x,{20 + at},Milano,flu,{100 + at}\n" for at in range(30)))
    Path("release.csv").write_text(RELEASE + "Nord,[20-29],flu,100\n" * 10 + "Nord,[30-49],flu,120\n" * 20)
    ran = compared(*KNOWN, "--target", "illness")
    assert "illness (one of 2 values), predicted from the quasi-identifiers of 12 held-out records:" in ran.out
    assert "accuracy of always predicting the most frequent value" in ran.out
    figures = compared(*KNOWN, "--target", "income", "--json", "--seed", 3).figures["classifier"]
    assert set(figures) == {
        "target",
        "features",
        "classes",
        "split",
        "seed",
        "judged",
        "learned",
        "withheld",
        "baseline",
        "original",
        "released",
    }
    assert figures["split"] == 117
    assert "income (above its median or not)" in compared(*KNOWN, "--target", "income").out


@pytest.mark.usefixtures("files")
def test_the_comparison_is_written_too() -> None:
    """As figures or as the text on the screen, for the steward; never over what is there, and never over an input."""
    ran = compared(*KNOWN, "--out", "c.json")
    assert json.loads(Path("c.json").read_text()) == compared(*KNOWN, "--json").figures
    assert compared(*KNOWN, "--out", "c.txt", "--quiet").out == ""
    assert Path("c.txt").read_text() == ran.out
    assert "exists" in compared(*KNOWN, "--out", "c.json", status=7).err
    compared(*KNOWN, "--out", "c.json", "--overwrite")
    compared("--out", "c.csv", status=2)
    Path("release.txt").write_text(RELEASE)
    assert kohort("compare", "people.csv", "release.txt", "--out", "release.txt", "--overwrite").status == 7
    assert Path("release.txt").read_text() == RELEASE


@pytest.mark.usefixtures("files")
def test_a_table_comes_on_standard_input() -> None:
    """One of the two may."""
    assert kohort("compare", "-", "release.csv", "--json", *KNOWN, stdin=PEOPLE.encode()).figures["suppressed"] == 1
    ran = kohort("compare", "-", "-")
    assert ran.status == 2
    assert "only one of the two tables can be standard input" in ran.err


@pytest.mark.usefixtures("files")
def test_the_table_is_read_as_it_is_written() -> None:
    """Separator, encoding, blank lines and missing tokens are of BEFORE; the release is as kohort writes it."""
    text = PEOPLE.replace(",", "|").replace("81", "?").replace("Ada", "Adà") + "\n"
    Path("people.csv").write_bytes(text.encode("latin-1"))
    flags = ("--separator", "|", "--encoding", "latin-1", "--skip-blank", "--missing-token", "?")
    figures = compared(*KNOWN, *flags, "--json").figures
    assert figures["attributes"][0]["before"]["missing"] == 1


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("flags", "status", "words"),
    [
        (("--quasi", "agee"), 2, "did you mean age?"),
        ((*KNOWN, "--target", "ilness"), 2, "did you mean illness?"),
        ((*KNOWN, "--target", "name"), 2, "the release has no such column"),
        ((*KNOWN, "--target", "age"), 2, "the target is a quasi-identifier"),
        (("--target", "illness"), 2, "no quasi-identifier is named"),
        (("--queries", "5"), 2, "no quasi-identifier is named"),
        (("--k", "5"), 2, "no quasi-identifier is named"),
        (("--hierarchy", "city=region.csv"), 2, "no quasi-identifier is named"),
        (("--quasi", "age", "--hierarchy", "city=region.csv"), 2, "column city has no role"),
        (("--quasi", "age,age"), 2, "column age is named twice"),
        ((*KNOWN, "--k", "1"), 2, "--k"),
        (("--job", "job.toml", "--quasi", "age"), 2, "the job file says this already"),
        (("--job", "job.toml", "--encoding", "latin-1"), 2, "the job file says this already"),
        (("--job", "nothing.toml"), 3, "nothing.toml"),
        (("--quasi", "age,city"), 3, "cannot be read"),
        (("--queries", "-1"), 2, "--queries"),
    ],
)
def test_faults_are_told(flags: tuple[str, ...], status: int, words: str) -> None:
    """What cannot be right ends with its own status, and says what would be."""
    if words == "cannot be read":
        Path("release.csv").write_text(RELEASE.replace("[20-29]", "twenties"))
    ran = compared(*flags, status=status)
    assert words in ran.err
    assert "twenties" not in ran.err
    assert ran.out == ""


@pytest.mark.usefixtures("files")
def test_a_job_of_another_table_is_placed() -> None:
    """A column that the table does not have is told with its line in the job file."""
    Path("job.toml").write_text(JOB.replace("income =", "incme ="))
    ran = compared("--job", "job.toml", status=2)
    assert "job.toml, line 12 (columns.incme)" in ran.err
    Path("job.toml").write_text(JOB + 'incme = { role = "sensitive" }\n')
    assert "did you mean income or name?" in compared("--job", "job.toml", status=2).err


@pytest.mark.usefixtures("files")
def test_tables_that_do_not_belong_together_are_refused() -> None:
    """Another file, other columns, more records: status 3, and why."""
    assert "only in AFTER: town" in _refused(RELEASE.replace("city", "town"))
    assert "AFTER has 10 records" in _refused(RELEASE + "Nord,[20-29],flu,1\n" * 5)
    Path("release.csv").unlink()
    assert "release.csv" in compared(status=3).err


def _refused(text: str) -> str:
    Path("release.csv").write_text(text)
    return compared(status=3).err


@pytest.mark.usefixtures("files")
def test_a_classifier_needs_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Status 10 says what to install, before a table is read."""
    monkeypatch.setitem(sys.modules, "sklearn.ensemble", None)
    Path("people.csv").unlink()
    assert "kohort[learn]" in compared(*KNOWN, "--target", "illness", status=10).err


@pytest.mark.usefixtures("files")
def test_what_cannot_be_told_is_a_dash() -> None:
    """No number left, constant columns, many columns: the text says so."""
    names = ",".join(f"c{at}" for at in range(14))
    Path("people.csv").write_text(f"x,y,{names}\n1,a,{','.join('1' * 14)}\n2,b,{','.join('2' * 14)}\n")
    Path("release.csv").write_text(f"x,y,{names}\n,a,{','.join('1' * 14)}\n")
    out = compared("--quasi", "y").out
    assert "            after     -          -       -        1         0.0%         -             -" in out
    assert "C_AVG: give --k" in out
    assert "1 class of 1 record" in out
    assert "associations" not in out
    Path("release.csv").write_text(Path("people.csv").read_text())
    assert "pairs with these columns were not compared: c10, c11, c12, c13" in compared().out
    Path("people.csv").write_text("y\na\nb\n")
    Path("release.csv").write_text("y\na\nb\n")
    assert "numbers" not in compared().out
    Path("people.csv").write_text("x\n1\n2\n")
    Path("release.csv").write_text("x\n1\n2\n")
    assert "names" not in compared().out


def test_a_table_without_records_is_refused_with_what_helps(tmp_path: Path) -> None:
    """The library's own hint is a flag that this command does not have."""
    path = tmp_path / "empty.csv"
    path.write_text("city,age\n", encoding="utf-8")
    ran = kohort("compare", path, path)
    assert ran.status == 4
    assert "0 records" in ran.err
    assert "--allow-empty" not in ran.err


@pytest.mark.usefixtures("files")
def test_how_near_a_release_is_to_the_least_loss() -> None:
    """By the job it is what the run itself says; the release's labels say which kinds there are where no job does."""
    job = JOB.replace("[columns]", "[method]\ngrid = 'none'\n[columns]")
    Path("job.toml").write_text(job.replace('"sensitive" }', '"drop" }'))
    ran = kohort("run", "job.toml", "--overwrite", "--bound", "--json").figures["bound"]
    assert ran["ncp"] > 0
    assert compared("--job", "job.toml", "--bound", "--json").figures["bound"] == ran
    assert compared(*KNOWN, "--k", 2, "--bound", "--json").figures["bound"] == ran
    assert (
        compared("--quasi", "age,city", "--hierarchy", "city=region.csv", "--k", 2, "--json").figures.get("bound")
        is None
    )
    assert f"has an NCP below {ran['ncp']:.4f}: this one loses at most " in compared("--job", "job.toml", "--bound").out


@pytest.mark.parametrize(
    ("nord", "sud", "least"),
    [
        ("Nord", "Sud", 1 / 3),  # any two of different cities lose their region: 1 of 3 others
        ('"{Milano, Torino}"', '"{Bari, Lecce}"', 1 / 3),
        ("[Bari-Lecce]", "*", 1 / 3),
    ],
)
@pytest.mark.usefixtures("files")
def test_the_labels_of_names_say_what_they_may_lose(nord: str, sud: str, least: float) -> None:
    """Sets lose no more than any other label of the same names, so they bound labels that are no nodes."""
    Path("people.csv").write_text("city\nMilano\nTorino\nBari\nLecce\n")
    Path("release.csv").write_text("city\n" + f"{nord}\n" * 2 + f"{sud}\n" * 2)
    flags = ["--quasi", "city", "--hierarchy", "city=region.csv", "--k", 2, "--bound", "--json"]
    figures = compared(*flags).figures
    assert figures["bound"]["ncp"] == pytest.approx(min(least, figures["cost"]["ncp"]))


@pytest.mark.usefixtures("files")
def test_sets_of_numbers_are_bounded_as_sets() -> None:
    """Of 1, 2 and 100 a range of the last two costs nearly all, a set of them half."""
    Path("people.csv").write_text("age\n1\n2\n100\n100\n")
    Path("release.csv").write_text('age\n"{1, 2}"\n"{1, 2}"\n100\n100\n')
    assert compared("--quasi", "age", "--k", 2, "--bound", "--json").figures["bound"]["ncp"] == 0.25
    Path("release.csv").write_text("age\n[1-2]\n[1-2]\n100\n100\n")
    figures = compared("--quasi", "age", "--k", 2, "--bound", "--json").figures
    assert figures["bound"]["ncp"] == pytest.approx(2 / 99 / 4)
    with_nodes = ("--quasi", "age", "--hierarchy", "age=suppress", "--k", 2, "--bound", "--json")
    assert compared(*with_nodes).figures["bound"]["ncp"] == pytest.approx(2 / 99 / 4)


@pytest.mark.usefixtures("files")
def test_a_bound_needs_to_know_k_and_the_loss() -> None:
    """Without k, without quasi-identifiers, and of means, it is refused with the flag or the column."""
    assert "where: --bound\n  hint: add --k" in compared(*KNOWN, "--bound", status=2).err
    assert "where: --bound\n  hint: add --quasi" in compared("--bound", status=2).err
    Path("people.csv").write_text("age\n1\n2\n3\n4\n")
    Path("release.csv").write_text("age\n1.5\n1.5\n3.5\n3.5\n")
    assert "where: column age" in compared("--quasi", "age", "--k", 2, "--bound", status=2).err
