"""`kohort report` and `--report`: pages from a run, from figures and from a job."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from kohort.errors import MissingExtraError
from tests.command import Ran, kohort
from tests.unit.report import releases

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

JOB = """
input.path = "people.csv"
output.path = "release.csv"
privacy.k = 5
rest = "drop"
[columns]
age = { role = "quasi" }
sex = { role = "quasi" }
illness = { role = "sensitive", no-model = true }
income = { role = "sensitive", no-model = true, allow-singling = true }
"""

BASKETS = "bread milk\nbread milk\nbread\nmilk pill\nbread milk\nbread tea\n"

BASKET_JOB = """
input.path = "baskets.dat"
output.path = "baskets-released.dat"
transactions = {}
privacy = { h = 0.5, k = 2, p = 2 }
items.private = ["pill"]
"""


def done(*arguments: object) -> Ran:
    """A command that must end well and complain of nothing."""
    ran = kohort(*arguments)
    assert (ran.status, ran.err) == (0, "")
    return ran


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A table and transactions, with a job of each, run; and the figures of both."""
    releases.people().write_csv(tmp_path / "people.csv")
    (tmp_path / "job.toml").write_text(JOB, encoding="utf-8")
    (tmp_path / "baskets.dat").write_text(BASKETS, encoding="utf-8")
    (tmp_path / "baskets.toml").write_text(BASKET_JOB, encoding="utf-8")
    done("run", tmp_path / "job.toml", "--report", tmp_path / "figures.json")
    done("run", tmp_path / "baskets.toml", "--report", tmp_path / "baskets.json")
    return tmp_path


def figures_at(path: Path) -> dict[str, Any]:
    """The page model in a file."""
    return json.loads(path.read_text("utf-8"))  # type: ignore[no-any-return]


def refused(status: int, *parts: str, command: list[object]) -> None:
    """A command must end with this status and say these parts."""
    ran = kohort(*command)
    assert ran.status == status, ran.err
    for part in parts:
        assert part in ran.err


@pytest.mark.parametrize("kind", ["job", "baskets"])
def test_a_run_writes_the_page_that_its_figures_make(folder: Path, kind: str) -> None:
    """HTML from a run, from its figures, and from the job made again are the same but for the seconds."""
    pytest.importorskip("jinja2")
    job, figures = folder / f"{kind}.toml", folder / {"job": "figures.json", "baskets": "baskets.json"}[kind]
    done("run", job, "--overwrite", "--report", folder / "run.html", "--audience", "public")
    done("report", figures, "--out", folder / "figures.html", "--audience", "public")
    done("report", job, "--out", folder / "again.html", "--audience", "public")
    texts = {(folder / name).read_text("utf-8") for name in ("run.html", "figures.html", "again.html")}
    assert len(texts) == 1
    assert texts.pop().startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("kind", ["job", "baskets"])
def test_a_job_gives_its_figures_again(folder: Path, kind: str) -> None:
    """The steward's page model of a release that is there, and the public's."""
    old = figures_at(folder / {"job": "figures.json", "baskets": "baskets.json"}[kind])
    before = {path: path.read_bytes() for path in folder.iterdir()}
    done("report", folder / f"{kind}.toml", "--out", folder / "again.json")
    again = figures_at(folder / "again.json")
    assert {**again, "seconds": None} == {**old, "seconds": None}
    done("report", folder / f"{kind}.toml", "--out", folder / "public.json", "--audience", "public")
    assert figures_at(folder / "public.json") == old["public"]
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize("kind", ["job", "baskets"])
def test_a_job_whose_input_changed_is_refused(folder: Path, kind: str) -> None:
    """A page of another release than the published one would say what is not true of it."""
    source = folder / {"job": "people.csv", "baskets": "baskets.dat"}[kind]
    more = {"job": "id9,44,Bari,f,flu,30000,160\n", "baskets": "bread milk\n"}[kind]
    source.write_text(source.read_text("utf-8") + more, encoding="utf-8")
    command: list[object] = ["report", folder / f"{kind}.toml", "--out", folder / "page.json"]
    refused(5, "the job makes other bytes than the certified ones", "--report", command=command)
    assert not (folder / "page.json").exists()


@pytest.mark.parametrize("kind", ["job", "baskets"])
def test_a_release_that_changed_or_went_is_refused(folder: Path, kind: str) -> None:
    """A page that calls the published file verified would say so of another one, or of none."""
    release = folder / {"job": "release.csv", "baskets": "baskets-released.dat"}[kind]
    command: list[object] = ["report", folder / f"{kind}.toml", "--out", folder / "page.json"]
    release.write_bytes(release.read_bytes()[:-2] + b"x\n")
    refused(5, "the certificate is for another file", release.name, command=command)
    release.unlink()
    refused(6, "reading the release failed", release.name, command=command)
    assert not (folder / "page.json").exists()


def test_a_job_without_a_release_is_refused(folder: Path) -> None:
    """There is nothing to hold it against."""
    (folder / "release.csv.kohort.json").unlink()
    refused(6, "certificate", command=["report", folder / "job.toml", "--out", folder / "page.json"])


def test_a_job_with_new_noise_each_time_is_refused(folder: Path) -> None:
    """Its release cannot be made again; with a seed it can."""
    noise = '[perturb.columns.income]\nmethod = "noise"\ndecimals = 0\n'
    (folder / "noise.toml").write_text(JOB.replace("release.csv", "noisy.csv") + noise, encoding="utf-8")
    done("run", folder / "noise.toml")
    command: list[object] = ["report", folder / "noise.toml", "--out", folder / "page.json"]
    refused(2, "new random numbers", "--report FILE.html", command=command)
    seeded = noise + "[perturb]\nseed = 7\ninsecure-reproducible = true\n"
    (folder / "noise.toml").write_text(JOB.replace("release.csv", "noisy.csv") + seeded, encoding="utf-8")
    done("run", folder / "noise.toml", "--overwrite")
    done(*command)
    assert [one["column"] for one in figures_at(folder / "page.json")["perturbed"]] == ["income"]


def test_a_job_with_a_population_is_made_again(folder: Path) -> None:
    """The population table is an input too."""
    (folder / "everybody.csv").write_bytes((folder / "people.csv").read_bytes())
    text = JOB.replace("privacy.k = 5", "privacy.k-map = 5\npopulation.path = 'everybody.csv'")
    (folder / "map.toml").write_text(text.replace("release.csv", "mapped.csv"), encoding="utf-8")
    done("run", folder / "map.toml")
    done("report", folder / "map.toml", "--out", folder / "page.json")
    assert figures_at(folder / "page.json")["risks"]["after"]["journalist"]
    command: list[object] = ["report", folder / "map.toml", "--out", folder / "everybody.json"]
    (folder / "everybody.csv").rename(folder / "everybody.json")
    (folder / "map.toml").write_text((folder / "map.toml").read_text().replace("everybody.csv", "everybody.json"))
    assert kohort(*command, "--overwrite").status in {3, 7}


def test_a_fault_of_the_job_names_its_line(folder: Path) -> None:
    """As when it is run."""
    (folder / "people.csv").write_text("age,sex,pay\n1,f,2\n", encoding="utf-8")
    refused(2, "job.toml, line", command=["report", folder / "job.toml", "--out", folder / "page.json"])
    text = BASKET_JOB.replace('["pill"]', '["beer"]')
    (folder / "baskets.toml").write_text(text, encoding="utf-8")
    refused(2, "baskets.toml, line", command=["report", folder / "baskets.toml", "--out", folder / "page.json"])


# ── Figures ──────────────────────────────────────────────────────────────────────────────────────


def test_public_figures_make_no_internal_page(folder: Path) -> None:
    """What they do not know cannot be told."""
    done("report", folder / "figures.json", "--out", folder / "public.json", "--audience", "public")
    done("report", folder / "public.json", "--out", folder / "again.json")
    assert figures_at(folder / "again.json") == figures_at(folder / "public.json")
    command: list[object] = ["report", folder / "public.json", "--out", folder / "x.json", "--audience", "internal"]
    refused(2, "--audience", "a public page lacks", command=command)


def hostile(change: Callable[[dict[str, Any]], object]) -> Callable[[str], str]:
    """A text of figures, changed."""

    def changed(text: str) -> str:
        model = json.loads(text)
        change(model)
        return json.dumps(model)

    return changed


def replaced(old: str, new: str) -> Callable[[str], str]:
    """The text of figures with a part replaced."""
    return lambda text: text.replace(old, new)


def another(text: str) -> Callable[[str], str]:
    """Another text."""
    return lambda _: text


@pytest.mark.parametrize(
    "change",
    [
        replaced('"k": 5', '"k": NaN'),
        replaced('"k": 5', '"k": 5, "k": 6'),
        replaced('"k": 5', '"k": ' + "[" * 100_000),
        replaced('"suppressed_share": 0.0', '"suppressed_share": 1e999'),
        another("[]"),
        another("no figures"),
        another("{}"),
        hostile(lambda model: model.update(form=1)),
        hostile(lambda model: model.update(form=True)),
        hostile(lambda model: model.update(kind="pictures")),
        hostile(lambda model: model.update(audience="everybody")),
        hostile(lambda model: model.update(more=1)),
        hostile(lambda model: model.update(public=None)),
        hostile(lambda model: model.pop("public")),
        hostile(lambda model: model["public"].update(audience="internal")),
        hostile(lambda model: model["public"].update(kind="transactions")),
        hostile(lambda model: model.pop("done")),
        hostile(lambda model: model.update(done=[])),
        hostile(lambda model: model["done"].update(records="<b>97</b>")),
        hostile(lambda model: model["done"].update(released=96.5)),
        hostile(lambda model: model["done"].update(proven=0)),
        hostile(lambda model: model["asked"].update(models=[["5-anonymity"]])),
        hostile(lambda model: model["metrics"][0].update(value=10**400)),
        hostile(lambda model: model.update(attributes={})),
        hostile(lambda model: model["risks"].pop("before")),
    ],
)
def test_89_figures_that_are_none_are_refused(folder: Path, change: Callable[[str], str]) -> None:
    """Nothing is drawn from what only looks like figures; no cell is in the message."""
    text = change((folder / "figures.json").read_text("utf-8"))
    (folder / "bad.json").write_text(text, encoding="utf-8")
    refused(3, "bad.json", command=["report", folder / "bad.json", "--out", folder / "page.json"])
    assert not (folder / "page.json").exists()


def test_figures_that_cannot_be_read_are_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder, nothing, bytes that are no text, more than figures can be, and a disk that fails."""
    (folder / "folder.json").mkdir()
    (folder / "latin.json").write_bytes(b'{"name": "\xe9"}')
    for name, part in (("folder", "not a regular file"), ("none", "no such file"), ("latin", "not UTF-8")):
        refused(3, part, command=["report", folder / f"{name}.json", "--out", folder / "page.json"])
    with monkeypatch.context() as patch:
        patch.setattr("kohort.report.page.build.LARGEST", 10)
        refused(3, "larger than 10", command=["report", folder / "figures.json", "--out", folder / "page.json"])

    def fail(*_: object, **__: object) -> str:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("pathlib.Path.read_text", fail)
    refused(6, "Input/output error", command=["report", folder / "figures.json", "--out", folder / "page.json"])


# ── What is written ──────────────────────────────────────────────────────────────────────────────


def test_what_is_not_understood_is_refused_before_any_work(folder: Path) -> None:
    """Each flag by its name."""
    figures = folder / "figures.json"
    for flags, part in (
        ((), "--out"),
        (("--out", folder / "page.pdf"), ".html, .json"),
        (("--out", folder / "p.json", "--audience", "press"), "internal, public"),
        (("--out", folder / "p.json", "--format", "svg"), "--charts"),
        (("--charts", folder / "c", "--format", "gif"), "png, pdf, svg"),
    ):
        refused(2, part, command=["report", figures, *flags])
    refused(2, "FIGURES.json, or JOB.toml", command=["report", folder / "people.csv", "--out", folder / "p.json"])
    assert not (folder / "c").exists()


def test_100_no_page_replaces_what_it_is_made_of(folder: Path) -> None:
    """Neither the figures, the job, the table, the release nor its certificate; and no file without being told to."""
    figures, job = folder / "figures.json", folder / "job.toml"
    refused(7, "figures.json", command=["report", figures, "--out", figures, "--overwrite"])
    certificate = folder / "release.csv.kohort.json"
    refused(7, "release.csv.kohort.json", command=["report", job, "--out", certificate, "--overwrite"])
    (folder / "page.json").touch()
    refused(7, "the output exists", command=["report", figures, "--out", folder / "page.json"])
    done("report", figures, "--out", folder / "page.json", "--overwrite", "--quiet")


@pytest.mark.parametrize("flags", [["--audience", "public"], ["--report", "r.txt", "--audience", "public"]])
def test_an_audience_needs_a_page(folder: Path, flags: list[str]) -> None:
    """No report, or what is printed, is for no audience in particular; told before any work."""
    flags = [str(folder / flag) if flag.endswith(".txt") else flag for flag in flags]
    for job in ("job.toml", "baskets.toml"):
        refused(2, "--audience", command=["run", folder / job, "--overwrite", *flags])


@pytest.mark.slow("every chart as a picture")
def test_charts_are_written_to_a_folder(folder: Path) -> None:
    """Every chart in the form that is asked for, with the page or without; the same bytes each time."""
    pytest.importorskip("matplotlib")
    done("report", folder / "figures.json", "--charts", folder / "one", "--format", "svg")
    ran = done(
        "report", folder / "figures.json", "--charts", folder / "two", "--format", "svg", "--out", folder / "p.json"
    )
    one, two = ({path.name: path.read_bytes() for path in (folder / name).iterdir()} for name in ("one", "two"))
    assert one == two
    assert {"sizes.svg", "losses.svg"} <= one.keys()
    assert str(folder / "two" / "sizes.svg") in ran.out
    (folder / "file").touch()
    refused(6, "the folder could not be made", command=["report", folder / "figures.json", "--charts", folder / "file"])


def test_what_is_not_installed_is_told_before_any_work(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures need matplotlib, and a page the extra `report`; its figures need neither."""

    def lacking(*_: object) -> None:
        raise MissingExtraError("matplotlib is needed for pictures and is not installed")

    with monkeypatch.context() as patch:
        patch.setattr("kohort.report.charts.canvas.library", lacking)
        refused(10, "matplotlib", command=["report", folder / "none.json", "--charts", "c"])
        for page in ("p.html", "p.json"):
            done("report", folder / "figures.json", "--out", folder / page)

    def absent(_: str) -> None:
        """No module is found."""

    monkeypatch.setattr("importlib.util.find_spec", absent)
    refused(10, "jinja2", "kohort[report]", command=["report", folder / "none.json", "--out", folder / "q.html"])
    refused(10, "jinja2", command=["run", folder / "job.toml", "--overwrite", "--report", folder / "r.html"])


def test_grids_that_were_compared_are_told_to_the_steward(folder: Path) -> None:
    """As part of the figures, which can be read back; the public is told nothing of them."""
    run = ["run", folder / "job.toml", "--overwrite", "--compare-grid"]
    done(*run, "--report", folder / "grid.json")
    assert figures_at(folder / "grid.json")["grid"]["grids"] == {"age": "5"}
    done("report", folder / "grid.json", "--out", folder / "again.json")
    done(*run, "--report", folder / "public.json", "--audience", "public")
    assert "grid" not in figures_at(folder / "public.json")


@pytest.mark.parametrize("columns", [("age", "city"), ("city",)])
def test_the_bound_is_told_to_the_steward(folder: Path, columns: tuple[str, ...]) -> None:
    """In figures that can be read back, and as a sentence of the page, with a factor where something must be lost."""
    quasi = ["--quasi", ",".join(columns), "--rest", "drop", "--k", 5, "--overwrite", "--bound"]
    run = ["anonymize", folder / "people.csv", "--out", folder / "bounded.csv", *quasi]
    said = done(*run, "--report", folder / "bound.json", "--json").figures["bound"]
    assert figures_at(folder / "bound.json")["bound"] == said
    done("report", folder / "bound.json", "--out", folder / "bound.html")
    page = (folder / "bound.html").read_text(encoding="utf-8")
    for name in ("ncp", "times") if said["times"] else ("ncp",):
        assert f'<data value="{said[name]}" data-figure="bound.{name}">' in page
    assert ("times the least possible" in page) is (said["times"] is not None)
    assert ("from a sample of" in page) is (said["error"] > 0)
    done(*run, "--report", folder / "public.json", "--audience", "public")
    assert "bound" not in figures_at(folder / "public.json")


def test_attacks_on_a_release_are_told_on_every_face(folder: Path) -> None:
    """On the screen, in figures, and in pages that can be read back; an attack that there is not is refused."""
    run = ["run", folder / "job.toml", "--overwrite"]
    ran = done(*run, "--attack", "linking,order", "--report", folder / "attacks.json")
    assert "order of illness (97 people)" in ran.out
    model = figures_at(folder / "attacks.json")
    assert {one["attack"] for one in model["attacks"]} == {"linking", "order"}
    assert model["public"]["attacks"][0]["claims"] is None
    done("report", folder / "attacks.json", "--out", folder / "again.json")
    done(*run, "--attack", "all", "--report", folder / "public.json", "--audience", "public")
    assert len(figures_at(folder / "public.json")["attacks"]) > len(model["attacks"])
    assert "linking" in {one["attack"] for one in json.loads(done(*run, "--attack", "all", "--json").out)["attacks"]}
    assert "attacks" not in json.loads(done(*run, "--json").out)
    refused(2, "there is no attack called guess", command=[*run, "--attack", "guess"])
    baskets: list[object] = ["run", folder / "baskets.toml", "--overwrite", "--attack", "all"]
    refused(2, "--attack", "is only for jobs on tables", command=baskets)


def test_the_page_says_what_the_job_says_now(folder: Path) -> None:
    """Who approves a release later is told by a page that is made again, though its certificate is as it was."""
    job = folder / "job.toml"
    job.write_text(f'{job.read_text("utf-8")}\n[purpose]\napproved-by = "the board"\n', encoding="utf-8")
    done("report", job, "--out", folder / "again.json")
    assert figures_at(folder / "again.json")["purpose"]["approved_by"] == "the board"
