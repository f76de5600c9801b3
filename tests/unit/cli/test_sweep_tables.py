"""`kohort sweep` of a table: from flags or a job file to figures; stopped anywhere, it goes on where it was."""

from __future__ import annotations

import csv
import json
import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from kohort.job.sweeps import tables
from kohort.job.sweeps.journal import Journal
from tests.command import kohort

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kohort.release import Job

#: Forty people: age, city, illness.
PEOPLE = "age,city,illness,name\n" + "".join(
    f"{20 + place % 9},{'abc'[place * place % 3]},{'xyzw'[place * 7 % 4]},p{place}\n" for place in range(40)
)

JOB = """
input.path = "people.csv"
output.path = "release.csv"
rest = "drop"
[privacy]
k = 3
max-suppression = "10%"
[method]
name = "samarati"
[columns]
age = { role = "quasi", hierarchy = "intervals:2,4" }
city = { role = "quasi", hierarchy = "suppress" }
illness = { role = "sensitive" }
"""


#: Classes on levels of their own.
LOCALLY = ["--method", "optimal", "--local"]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """The people."""
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE, encoding="utf-8")
    return path


@pytest.fixture
def asked(source: Path) -> list[object]:
    """All but what is varied."""
    columns = ["--quasi", "age,city", "--sensitive", "illness", "--rest", "drop"]
    return ["sweep", source, *columns, "--hierarchy", "age=intervals:2,4", "--hierarchy", "city=suppress"]


def points(*arguments: object) -> list[dict[str, Any]]:
    """The points of a sweep that ends well."""
    ended = kohort(*arguments, "--json")
    assert (ended.status, ended.err) == (0, "")
    found: list[dict[str, Any]] = ended.figures["points"]
    return found


def test_a_point_is_what_anonymize_would_tell(asked: list[object], tmp_path: Path) -> None:
    """The figures are those that `kohort anonymize --json` prints of the same job; nothing is written."""
    limits = ["--vary", "max-suppression=0,10%"]
    methods = ["--vary", "method=mondrian,samarati,optimal"]
    free = ["--no-model", "illness"]  # a sweep releases nothing, and needs no leave
    before = sorted(tmp_path.iterdir())
    for point in points(*asked, "--vary", "k=2,5", *methods, *limits):
        said = point["values"]
        limit = [] if said["method"] == "mondrian" else ["--max-suppression", said["max-suppression"]]
        flags = ["--k", said["k"], "--method", said["method"], *limit, "--out", tmp_path / "x.csv", "--dry-run", *free]
        told = kohort("anonymize", *asked[1:], *flags, "--json").figures
        assert {name: round(value, 10) for name, value in point["metrics"].items()} == told["metrics"]
        for key in ("released", "suppressed", "classes", "smallest", "largest", "node"):
            assert point[key] == told[key], key
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("range_", "listed"), [("k=2..4", "k=2,3,4"), ("k=2..3,9", "k=2,3,9"), ("quasi=1..2", "quasi=1,2")]
)
def test_a_range_stands_for_its_whole_numbers(asked: list[object], range_: str, listed: str) -> None:
    """From end to end, alone or among other values."""
    assert kohort(*asked, "--vary", range_).out == kohort(*asked, "--vary", listed).out


@pytest.mark.parametrize("values", ["2..102", "9..3", "two..five", "2..", "0.1..0.5"])
def test_what_is_no_range_is_refused(asked: list[object], values: str) -> None:
    """As is one of more points than a person waits for."""
    ran = kohort(*asked, "--vary", f"k={values}")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(f"kohort: k: {values} is not a range of 1 to 100 whole numbers\n  where: --vary\n")


def test_people_read_a_table(asked: list[object]) -> None:
    """A line for each point, a k above all records told with its reason, and that nothing is released."""
    ended = kohort(*asked, "--vary", "k=2,50")
    assert ended.status == 0
    assert "40 records; quasi = age, city; method = mondrian" in ended.out
    assert "infeasible at k = 50: the whole table, 40 records" in ended.out
    assert "A sweep releases and verifies nothing" in ended.out
    assert kohort(*asked, "--vary", "k=2", "--quiet").out == ""


def test_without_any_answer_it_ends_as_one_release_would(asked: list[object]) -> None:
    """Where no point has a release the status is 4, and the table is shown all the same."""
    ended = kohort(*asked, "--vary", "k=50,60")
    assert (ended.status, ended.out.count("infeasible at")) == (4, 2)


def test_fewer_quasi_identifiers_are_the_first_ones(asked: list[object], tmp_path: Path) -> None:
    """The others are not released: the same as without them."""
    one, two = points(*asked, "--vary", "quasi=1,2", "--k", 4)
    assert (set(one["losses"]), set(two["losses"])) == ({"age"}, {"age", "city"})
    flags = ["--quasi", "age", "--no-model", "illness", "--rest", "drop", "--k", 4, "--hierarchy", "age=intervals:2,4"]
    told = kohort("anonymize", asked[1], *flags, "--out", tmp_path / "x.csv", "--dry-run", "--json").figures
    assert one["metrics"]["c_dm"] == told["metrics"]["c_dm"]


def test_each_number_of_a_model_is_varied(source: Path) -> None:
    """Of a model of several numbers each is an axis of its own; the others are what the job says."""
    job = source.parent / "job.toml"
    of_two = "illness = { role = 'sensitive', recursive = { c = 3, l = 2 } }"
    job.write_text(JOB.replace('illness = { role = "sensitive" }', of_two))
    one, two = points("sweep", "--job", job, "--vary", "recursive-c:illness=2,9")
    assert [point["values"] for point in (one, two)] == [{"recursive-c:illness": c} for c in ("2", "9")]
    ended = kohort("sweep", "--job", job, "--vary", "recursive:illness=2")
    assert ended.status == 2
    assert "recursive-c:COLUMN, recursive-l:COLUMN" in ended.err


def test_models_are_varied(asked: list[object]) -> None:
    """Each parameter at its column; a k that another model makes needless is skipped, and told."""
    found = points(*asked, "--vary", "k=2,3", "--vary", "l:illness=2,3", "--vary", "t:illness=0.3,0.9")
    assert [tuple(point["values"].values()) for point in found][:3] == [
        ("2", "2", "0.3"),
        ("2", "2", "0.9"),
        ("2", "3", "0.3"),
    ]
    diverse = [point["smallest"] for point in found if point["values"]["l:illness"] == "3" and point["metrics"]]
    assert min(diverse) >= 3
    assert len(points(*asked, "--vary", "max-risk=0.2,0.5")) == 2
    assert points(*asked, "--vary", "l:illness=2,3")[0]["smallest"] >= 10


def test_impossible_points_are_skipped_and_told(asked: list[object], tmp_path: Path) -> None:
    """An l above k, varied or not; where no point is possible, the first fault is told at its flag."""
    both = ["--vary", "k=2,3,4", "--vary", "l:illness=2,3,4"]
    found = points(*asked, *both)
    skipped = [tuple(point["values"].values()) for point in found if point["ending"] == "impossible"]
    assert skipped == [("2", "3"), ("2", "4"), ("3", "4")]
    assert all("would have no effect" in point["why"] for point in found if not point["metrics"])
    out = kohort(*asked, *both, "--picture", tmp_path / "sweep.svg").out
    assert out.count("impossible") == 3 + 1
    assert "skipped as impossible at k = 2, l:illness = 3, and at 2 more: distinct 3-diversity" in out
    [one, two] = points(*asked, "--vary", "k=2,3", "--l", "illness=3")
    assert (one["ending"], two["ending"]) == ("impossible", "found")
    ended = kohort(*asked, "--vary", "k=2,3", "--vary", "l:illness=4")
    assert (ended.status, "where: --vary l:illness" in ended.err) == (2, True)


def test_a_method_without_its_hierarchies_is_skipped(asked: list[object]) -> None:
    """Its reason is told once, whatever number of columns lack one."""
    bare = [*asked[:-4], "--vary", "method=mondrian,samarati"]
    ended = kohort(*bare)
    assert ended.status == 0
    assert ended.out.count("samarati needs one for every quasi-identifier") == 1


def test_the_first_dimension_is_varied(asked: list[object], tmp_path: Path) -> None:
    """By width, by values, at random; the same seed is the same point, and what `anonymize` would tell."""
    varied = ["--vary", "dimension=widest,most-values,random:1,random:2", "--k", 7]
    found = points(*asked, *varied)
    assert len({json.dumps(point["losses"]) for point in found}) > 1
    assert found == points(*asked, *varied, "--threads", 2)
    flags = ["--quasi", "age,city", "--rest", "drop", *asked[-4:], "--k", 7]
    out = tmp_path / "out.csv"
    ended = kohort("anonymize", asked[1], *flags, "--dimension", "random:2", "--out", out, "--json")
    assert ended.status == 0, ended.err
    assert ended.figures["metrics"]["c_dm"] == found[3]["metrics"]["c_dm"]
    certificate = json.loads(out.with_name("out.csv.kohort.json").read_text(encoding="utf-8"))
    assert certificate["job"]["method"]["dimension"] == "random:2"
    ended = kohort(*asked, "--vary", "k=2", "--dimension", "random")
    assert (ended.status, "where: --dimension" in ended.err) == (2, True)
    ended = kohort(*asked, "--vary", "k=2", "--method", "samarati", "--dimension", "widest")
    assert (ended.status, "where: --dimension" in ended.err) == (2, True)


def test_the_node_is_printed(asked: list[object]) -> None:
    """The levels as --node takes them, and of which columns; methods without levels have none."""
    ended = kohort(*asked, "--vary", "method=samarati,mondrian", "--k", 4)
    header, samarati, mondrian = ended.out.splitlines()[3:6]
    [point, _] = points(*asked, "--vary", "method=samarati,mondrian", "--k", 4)
    assert header.split()[-1] == "node"
    assert samarati.split()[-1] == ",".join(map(str, point["node"].values()))
    assert mondrian.endswith("%")
    flag = ",".join(f"{name}={level}" for name, level in point["node"].items())
    assert f"A node is the levels of age, city; release one by --node {flag}\n" in ended.out
    assert "node" not in kohort(*asked, "--vary", "k=2,4").out


def test_a_point_is_proposed(asked: list[object]) -> None:
    """The greatest k within a loss; nothing where nothing that is varied protects."""
    found = kohort(*asked, "--vary", "k=2,4,8,16", "--at-most-loss", ".5", "--json").figures
    fitting = [point["values"] for point in found["points"] if point["metrics"] and point["metrics"]["ncp"] <= 0.5]
    assert found["proposed"]["values"] == fitting[-1]
    assert 0 < len(fitting) < 4
    ended = kohort(*asked, "--vary", "k=8,16", "--at-most-loss", ".0001")
    assert (ended.status, "Nothing proposed: no point is within" in ended.out) == (4, True)
    ended = kohort(*asked, "--vary", "method=mondrian", "--at-most-loss", ".5")
    assert (ended.status, "where: --at-most-loss" in ended.err) == (2, True)


def test_what_a_method_cannot_be_told_is_told_to_the_others(asked: list[object]) -> None:
    """Cuts to Mondrian, limits and objectives to methods on levels, the first node to Samarati."""
    mixed = [*asked, "--k", 3, "--grid", "age=5", "--labels", "range", "--cut", "median", "--order", "sorted"]
    assert len(points(*mixed, "--vary", "method=mondrian,samarati", "--max-suppression", "5%")) == 2
    first = ["--vary", "method=samarati,optimal,mondrian", "--objective", "first", "--max-level", "age=1"]
    assert len(points(*asked, "--k", 3, *first)) == 3
    cells = [*mixed, "--max-suppression", "5%", "--local", "--max-level", "age=1"]
    assert len(points(*cells, "--vary", "method=mondrian,optimal,suppress-cells")) == 3
    ended = kohort(*asked, "--vary", "method=optimal,datafly", "--objective", "first")
    assert (ended.status, "--objective" in ended.err) == (2, True)


def test_cuts_are_told_to_methods_that_make_cuts(asked: list[object]) -> None:
    """Fixed or varied, a cut is not told to the order cut; where no method of the sweep makes cuts it is refused."""
    methods = ["--vary", "method=mondrian,ordered,mondrian-relaxed,top-down,optimal"]
    fixed = {point["values"]["method"]: point["metrics"] for point in points(*asked, *methods, "--cut", "loss")}
    assert fixed["mondrian"] == points(*asked, "--vary", "cut=loss")[0]["metrics"]
    assert fixed["ordered"] == points(*asked, "--vary", "method=ordered")[0]["metrics"]
    varied = points(*asked, *methods, "--vary", "cut=nearest,loss")
    found = {(point["values"]["method"], point["values"]["cut"]): point["metrics"] for point in varied}
    assert all(found[method, "loss"] == metrics for method, metrics in fixed.items())
    assert found["ordered", "nearest"] == found["ordered", "loss"]
    assert found["mondrian", "nearest"] != found["mondrian", "loss"]
    ended = kohort(*asked, "--vary", "method=ordered,top-down", "--cut", "loss")
    assert (ended.status, "where: --cut" in ended.err) == (2, True)


def test_what_a_method_does_not_take_makes_no_row_of_its_own(asked: list[object], tmp_path: Path) -> None:
    """The table on the screen has one row for the order cut, with dashes; local recoding is varied like a cut."""
    methods = ["--vary", "method=mondrian,ordered,optimal", "--vary", "cut=nearest,loss", "--vary", "local=no,YES"]
    drawn = ["--picture", tmp_path / "x.svg", "--figure", "risk-utility"]
    ended = kohort(*asked, "--vary", "k=3,8", *methods, *drawn)
    assert [line.split()[:4] for line in ended.out.splitlines()[4:9]] == [
        ["3", "mondrian", "nearest", "-"],
        ["3", "mondrian", "loss", "-"],
        ["3", "ordered", "-", "-"],
        ["3", "optimal", "-", "no"],
        ["3", "optimal", "-", "YES"],
    ]
    assert not re.search("ordered, (cut|local)", (tmp_path / "x.svg").read_text(encoding="utf-8"))
    least = ["--vary", "method=ordered,optimal", "--vary", "local=yes,no", "--at-most-loss", ".0001"]
    assert "; k = 8, method = ordered loses least" in kohort(*asked, "--vary", "k=8,9", *least).out
    node, local = points(*asked, "--k", 8, "--vary", "method=optimal", "--vary", "local=false,true")
    assert local["metrics"]["lm"] < node["metrics"]["lm"]
    assert local["metrics"] == points(*asked, "--vary", "k=8", *LOCALLY)[0]["metrics"]


@pytest.mark.parametrize("model", [["--vary", "l:illness=2,3"], ["--vary", "t:illness=0.2,0.5"], []])
def test_every_cut_and_method_is_swept_and_drawn(asked: list[object], tmp_path: Path, model: list[str]) -> None:
    """With models or without, beside methods on levels, with the bound of each kind of label."""
    picture = tmp_path / "sweep.svg"
    methods = ["--vary", "method=mondrian,mondrian-relaxed,ordered,optimal", "--vary", "cut=nearest,loss,median"]
    drawn = ["--picture", picture, "--figure", "risk-utility", "--bound", "--audience", "internal"]
    found = points(*asked, "--vary", "k=3,4", *methods, *model, *drawn)
    assert {point["ending"] for point in found} == {"found"}
    for point in found:
        assert point["bound"]["ncp"] <= point["metrics"]["ncp"]
    words = picture.read_text(encoding="utf-8")
    assert "bound: at " in words
    assert "ordered: at " in words or model
    assert "ordered, cut" not in words


def test_the_bound_of_a_point_is_its_releases(asked: list[object], tmp_path: Path) -> None:
    """It is what `kohort anonymize --bound` prints; a sweep that is resumed has it, too."""
    out = tmp_path / "sweep.csv"
    [point] = points(*asked, "--vary", "k=4", "--bound", "--out", out, "--resume", "--audience", "internal")
    flags = ["--k", 4, "--no-model", "illness", "--out", tmp_path / "release.csv", "--bound", "--json"]
    assert kohort("anonymize", *asked[1:], *flags).figures["bound"] == point["bound"]
    [row] = csv.DictReader(out.read_text(encoding="utf-8").splitlines())
    assert float(row["bound:ncp"]) == point["bound"]["ncp"]
    ended = kohort("sweep", "baskets.txt", "--transactions", "--vary", "k=2", "--bound")
    assert (ended.status, "where: --bound" in ended.err) == (2, True)


def test_a_job_file_is_a_base(source: Path, tmp_path: Path) -> None:
    """What is varied replaces what the job says; its own files are inputs, and what it lacks is told by its place."""
    job = source.parent / "job.toml"
    job.write_text(JOB, encoding="utf-8")
    found = points("sweep", "--job", job, "--vary", "k=2,4", "--vary", "method=samarati,best-effort,mondrian")
    assert [point["values"]["k"] for point in found] == ["2"] * 3 + ["4"] * 3
    assert len({json.dumps(point["metrics"]) for point in found}) > 2
    out = tmp_path / "sweep.csv"
    assert kohort("sweep", "--job", job, "--vary", "quasi=1,2", "--out", out).status == 0
    assert [row["quasi"] for row in csv.DictReader(out.read_text(encoding="utf-8").splitlines())] == ["1", "2"]
    job.write_text(JOB.replace("quasi", "quassi"), encoding="utf-8")
    ended = kohort("sweep", "--job", job, "--vary", "k=2,4")
    assert (ended.status, "job.toml, line" in ended.err) == (2, True)
    job.write_text(JOB, encoding="utf-8")
    ended = kohort("sweep", "--job", job, "--vary", "k=1,4")
    assert (ended.status, "where: --vary k" in ended.err) == (2, True)


def test_a_population_is_read_once_for_all(source: Path, tmp_path: Path) -> None:
    """A job with a population table: k-map against it, resumed or not."""
    (tmp_path / "everybody.csv").write_text(PEOPLE + PEOPLE.split("\n", 1)[1], encoding="utf-8")
    job = source.parent / "job.toml"
    text = JOB.replace("k = 3", "k-map = 3") + '[population]\npath = "everybody.csv"\n'
    job.write_text(text, encoding="utf-8")
    resumed = ["--out", tmp_path / "sweep.json", "--resume"]
    found = points("sweep", "--job", job, "--vary", "k-map=2,6", *resumed)
    assert [point["ending"] for point in found] == ["found"] * 2
    presence = ["--vary", "presence=0.1..0.9,0.2..0.8"]
    job.write_text(text.replace("k-map = 3", ""), encoding="utf-8")
    assert len(points("sweep", "--job", job, *presence)) == 2


def test_files_are_published_together(asked: list[object], tmp_path: Path) -> None:
    """Figures and picture or neither; neither replaces a file unasked, nor the input."""
    out, picture = tmp_path / "sweep.csv", tmp_path / "sweep.svg"
    files = ["--vary", "k=2,5", "--out", out, "--picture", picture, "--figure", "c_dm"]
    assert kohort(*asked, *files).status == 0
    assert [row["k"] for row in csv.DictReader(out.read_text(encoding="utf-8").splitlines())] == ["2", "5"]
    assert picture.read_bytes().startswith(b"<?xml")
    out.unlink()
    ended = kohort(*asked, *files)
    assert (ended.status, out.exists()) == (7, False)
    assert (
        kohort(*asked, "--vary", "k=2", "--picture", tmp_path / "frontier.png", "--figure", "risk-utility").status == 0
    )
    linked = tmp_path / "linked.csv"
    linked.symlink_to(tmp_path / "people.csv")
    assert kohort(*asked, "--vary", "k=2", "--out", linked, "--overwrite").status == 7
    assert (tmp_path / "people.csv").read_text(encoding="utf-8") == PEOPLE


def test_a_metric_on_demand_is_measured_where_it_is_drawn(asked: list[object], tmp_path: Path) -> None:
    """KL divergence takes time: it is in the files of a sweep whose picture shows it, and in no others."""
    files = ["--vary", "k=2,5", "--picture", tmp_path / "kl.svg", "--figure", "kl"]
    assert all("kl" in point["metrics"] for point in points(*asked, *files))
    assert not any("kl" in one["metrics"] for one in points(*asked, *files[:2]))


def test_seconds_only_where_asked_for(asked: list[object], tmp_path: Path) -> None:
    """Without them two sweeps give the same bytes, for any number of threads."""
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    kohort(*asked, "--vary", "k=2,5,7", "--out", one, "--threads", 1)
    kohort(*asked, "--vary", "k=2,5,7", "--out", other, "--threads", 3)
    assert one.read_bytes() == other.read_bytes()
    assert all(point["wall_seconds"] >= 0 for point in points(*asked, "--vary", "k=2", "--seconds"))


@pytest.mark.parametrize(
    ("more", "where"),
    [
        (["--vary", "k"], "--vary"),
        (["--vary", "k=2,,3"], "--vary"),
        (["--vary", "=2"], "--vary"),
        (["--vary", "kk=2"], "--vary"),
        (["--vary", "l=2"], "--vary"),
        (["--vary", "recursive:illness=2"], "--vary"),
        (["--vary", "k=2,2"], "--vary"),
        (["--vary", "k=2", "--vary", "k=3"], "--vary"),
        (["--vary", "k=1,2"], "--vary k"),
        (["--vary", "k=two"], "--vary k"),
        (["--vary", "k=2.5"], "--vary k"),
        (["--vary", "k=2", "--k", "3"], "--k"),
        (["--vary", "method=mondrian", "--method", "samarati"], "--method"),
        (["--vary", "method=mondrian,samarate"], "--vary method"),
        (["--vary", "method=samarati", "--vary", "max-suppression=1.5"], "--vary max-suppression"),
        (["--vary", "method=samarati", "--vary", "max-suppression=-1"], "--vary max-suppression"),
        (["--vary", "method=samarati", "--vary", "max-suppression=101%"], "--vary max-suppression"),
        (["--vary", "method=samarati", "--vary", "max-suppression=5%,0.05"], "--vary"),
        (["--vary", "max-suppression=0,5"], "--vary max-suppression"),
        (["--vary", "l:illness=1,2"], "--vary l:illness"),
        (["--vary", "l:illnes=2"], "--vary l:illnes"),
        (["--vary", "l:illness=2", "--l", "illness=2"], "--l illness=…"),
        (["--vary", "delta:illness=-1"], "--vary delta:illness"),
        (["--vary", "k-map=5"], "--vary k-map"),
        (["--vary", "quasi=0,1"], "--vary"),
        (["--vary", "quasi=3"], "--vary"),
        (["--vary", f"quasi={'9' * 5000}"], "--vary"),
        (["--vary", "local=maybe", "--method", "optimal"], "--vary local"),
        (["--vary", "k=2", "--figure", "lm"], "--figure"),
        (["--vary", "k=2", "--figure", "beauty", "--picture", "sweep.svg"], "--figure"),
        (["--vary", "k=2", "--out", "sweep.txt"], "--out"),
        (["--vary", "k=2", "--picture", "sweep.gif"], "--picture"),
        (["--vary", "k=2", "--resume"], "--resume"),
        (["--vary", "k=2", "--job", "job.toml"], "IN"),
        (["--vary", "k=2", "--quasi", "shoe"], "column shoe"),
    ],
)
def test_a_misuse_is_told_with_its_flag(asked: list[object], more: list[str], where: str) -> None:
    """Status 2, the flag that is wrong, and no traceback."""
    ended = kohort(*asked, *more)
    assert (ended.status, f"where: {where}\n" in f"{ended.err}\n") == (2, True), ended.err


def test_an_input_is_needed_and_one_is_enough(source: Path) -> None:
    """Without IN, with a job on transactions, with flags beside a job: refused."""
    job = source.parent / "job.toml"
    job.write_text(JOB, encoding="utf-8")
    assert "where: IN" in kohort("sweep", "--vary", "k=2").err
    assert "where: --quasi" in kohort("sweep", "--job", job, "--vary", "k=2", "--quasi", "age").err
    job.write_text("transactions = {}\n", encoding="utf-8")
    ended = kohort("sweep", "--job", job, "--vary", "k=2")
    assert (ended.status, "on transactions" in ended.err) == (2, True)
    job.write_text("privacy = 5\nmethod = 7\ncolumns = 9\n", encoding="utf-8")
    ended = kohort("sweep", "--job", job, "--vary", "k=2,3", "--vary", "method=mondrian,samarati")
    assert (ended.status, "must be a table" in ended.err) == (2, True)


def test_standard_input_is_read_but_not_resumed(asked: list[object], tmp_path: Path) -> None:
    """A dash is standard input; it cannot be read again."""
    ended = kohort("sweep", "-", *asked[2:], "--vary", "k=2", "--json", stdin=PEOPLE.encode())
    assert ended.figures["records"] == 40
    resumed = ["--out", tmp_path / "sweep.csv", "--resume"]
    ended = kohort("sweep", "-", *asked[2:], "--vary", "k=2", *resumed, stdin=PEOPLE.encode())
    assert (ended.status, "where: --resume" in ended.err) == (2, True)


# --- resuming ---------------------------------------------------------------------------------------------------------

#: A run that is killed when its third job is to be solved.
KILLED = """
import os, signal, sys
from kohort.cli import main
from kohort.job.sweeps import tables
from kohort.job.sweeps.journal import Journal
real, solved = tables.answer, []
def answer(counts, job):
    solved.append(job)
    if len(solved) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(counts, job)
tables.answer = answer
main(sys.argv[1:])
"""


@pytest.fixture
def solved(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The k of every job that is solved."""
    ks: list[int] = []
    real: Callable[..., object] = vars(tables)["answer"]

    def answer(counts: object, job: Job) -> object:
        ks.append(job.k)
        return real(counts, job)

    monkeypatch.setattr(tables, "answer", answer)
    return ks


def test_a_killed_sweep_goes_on_where_it_was(asked: list[object], tmp_path: Path, solved: list[int]) -> None:
    """After `kill -9` only the journal is there; the next run solves what is missing, and then it is gone."""
    out, whole = tmp_path / "sweep.csv", tmp_path / "whole.csv"
    arguments = [*asked, "--vary", "k=2,3,5,7", "--threads", 1, "--overwrite"]
    resumed = [*map(str, arguments), "--out", str(out), "--resume"]
    died = subprocess.run([sys.executable, "-c", KILLED, *resumed], check=False, capture_output=True)
    assert died.returncode == -signal.SIGKILL
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv", "sweep.csv.points.jsonl"]
    assert kohort(*resumed).status == 0
    assert solved == [5, 7]
    assert not (tmp_path / "sweep.csv.points.jsonl").exists()
    assert kohort(*arguments, "--out", whole).status == 0
    assert out.read_bytes() == whole.read_bytes()


def test_points_of_another_input_or_job_are_not_taken(
    asked: list[object], tmp_path: Path, solved: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another method, seconds, a changed cell: all is solved anew; what stays as it was is not."""
    monkeypatch.setattr(Journal, "remove", Journal.__len__)  # which leaves the file

    def again(*more: object, ks: str = "2,3") -> list[int]:
        solved.clear()
        resumed = ["--out", tmp_path / "sweep.json", "--resume", "--overwrite", "--threads", 1, "--quiet"]
        assert kohort(*asked, *resumed, "--vary", f"k={ks}", *more).status == 0
        return list(solved)

    assert again() == [2, 3]
    assert again() == []
    assert again(ks="3,2,5") == [5]
    assert again("--method", "samarati") == [2, 3]
    assert again("--seconds") == [2, 3]
    (tmp_path / "people.csv").write_text(PEOPLE.replace("20,a", "21,a", 1), encoding="utf-8")
    assert again() == [2, 3]


def test_another_file_in_its_place_is_left_alone(asked: list[object], tmp_path: Path) -> None:
    """What is no journal is refused, and stays."""
    other = tmp_path / "sweep.csv.points.jsonl"
    other.write_text("mine\n", encoding="utf-8")
    ended = kohort(*asked, "--vary", "k=2", "--out", tmp_path / "sweep.csv", "--resume")
    assert (ended.status, other.read_text(encoding="utf-8")) == (7, "mine\n")
