"""The pages of the desk: what each shows, and what becomes of its form."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tomllib
from typing import TYPE_CHECKING, NoReturn

import pytest

from kohort.desk import questions
from kohort.errors import MissingExtraError
from kohort.report.evidence.criteria import CRITERIA
from tests.command import kohort
from tests.unit.desk.visitor import JOB, does_the_same, press, told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from kohort.desk.answers import ColumnLook
    from tests.unit.desk.visitor import Visitor

STEPS = ("/columns", "/column?place=0", "/protection", "/preview", "/frontier", "/release", "/history", "/job")


def test_the_first_page_is_that_of_the_columns(visitor: Visitor) -> None:
    """It shows every column with its guessed role, the reason, and what the job says."""
    page = visitor.get("/")
    shown = told(page)
    assert page.status_code == 200
    assert "300 records, 9 columns" in shown
    assert "Guessed role: identifying (sure)" in told(visitor.get("/column?place=0"))
    assert 'its name says "age"' in shown
    assert "cut points every 5" in shown
    assert 'aria-current="page">Columns' in page.text


def test_undecided_columns_come_first(folder: Path, visit: Callable[..., Visitor]) -> None:
    """A column without a role, or with one to decide, stands before the others; the page says what lacks."""
    text = (folder / "job.toml").read_text(encoding="utf-8")
    text = text.replace('profession.role = "drop"', 'profession.role = "undecided"').replace(
        'age = { role = "quasi", grid = 5 }', ""
    )
    (folder / "job.toml").write_text(text, encoding="utf-8")
    page = visit(folder / "job.toml").get("/columns")
    names = re.findall('data-column="(.*?)"', page.text)
    assert names[:2] == ["age", "profession"]
    assert page.text.count('class="undecided"') == 2
    assert "2 need your decision" in told(page)


def test_a_role_is_changed_with_what_goes_with_it(visitor: Visitor) -> None:
    """The column loses what was said of it in its old role, and gets what its new one needs; others stay."""
    places = {one.guess.name: place for place, one in enumerate(_look(visitor))}
    roles = {
        f"role-{places[name]}": role
        for name, role in {"age": "sensitive", "profession": "quasi", "gender": "quasi"}.items()
    }
    page = visitor.post("/columns", roles)
    columns = visitor.desk.raw["columns"]
    assert page.status_code == 200
    assert columns["age"] == {"role": "sensitive", "t": 0.2}
    assert columns["profession"] == {"role": "quasi", "scale": "categorical", "hierarchy": "profession.json"}
    assert columns["gender"] == {"role": "quasi", "hierarchy": "suppress"}
    assert "# by hand" in visitor.desk.text
    assert visitor.desk.faults() == ()


def test_one_click_makes_others_answers(tmp_path: Path, visit: Callable[..., Visitor]) -> None:
    """Left-overs and blocks are insensitive and listed; a column that gets another role again is an answer no more."""
    rows = [["age", "lodge", *(f"view{n}" for n in range(1, 6))]]
    rows += [[str(18 + n % 50), str(n % 2), *(str(n**at % 7 + n // 12 % at) for at in range(1, 6))] for n in range(60)]
    (tmp_path / "in.csv").write_text("\n".join(map(",".join, rows)) + "\n", encoding="utf-8")
    assert kohort("init", tmp_path / "in.csv", "-o", tmp_path / "job.toml", "--known", "all", "--k", 5).status == 0
    visitor = visit(tmp_path / "job.toml")
    asked = {f"role-{place}": "quasi" for place in range(7)}
    assert "Others are answers" in visitor.get("/columns").text
    assert visitor.post("/columns", asked | {"answers": "others"}).status_code == 200
    assert {*visitor.desk.raw["answers"]} == {"lodge", *rows[0][2:]}
    assert visitor.desk.raw["columns"]["age"]["role"] == "quasi"
    assert {visitor.desk.raw["columns"][name]["role"] for name in rows[0][1:]} == {"insensitive"}
    assert "5 answers" in told(visitor.get("/preview"))
    assert visitor.desk.faults() == ()
    visitor.post("/columns", {"role-1": "quasi"})
    assert {*visitor.desk.raw["answers"]} == {*rows[0][2:]}
    assert visitor.desk.faults() == ()


def test_names_get_diversity_and_a_lonely_value_none(visitor: Visitor) -> None:
    """A sensitive column of names is to have two values in every class, of one value nothing is proposed."""
    by_name = {one.guess.name: one.proposed for one in _look(visitor)}
    assert by_name["city"]["sensitive"] == {"scale": "categorical", "l": 2}
    assert by_name["annual_income"]["quasi"] == {}
    assert by_name["age"]["quasi"] == {"grid": 5}


def _look(visitor: Visitor) -> list[ColumnLook]:
    task = visitor.desk.ask("look", visitor.desk.text, visitor.desk.folder)
    assert task.over.wait(60)
    return list(task.value.columns)


def test_the_details_of_a_column_are_those_of_the_form(visitor: Visitor) -> None:
    """Models are shown of a sensitive column alone, each with its sentence and what it does not promise."""
    places = {one.guess.name: place for place, one in enumerate(_look(visitor))}
    sensitive, quasi = (visitor.get(f"/column?place={places[name]}") for name in ("annual_income", "age"))
    assert "Does not protect: Rare values: t limits what is learned" in told(sensitive)
    assert 'name="t" value="0.5"' in sensitive.text
    assert 'name="t"' not in quasi.text
    assert 'name="grid" value="5"' in quasi.text
    assert '<input type="checkbox" name="allow-singling" value="true" checked' in sensitive.text


def test_the_keys_of_a_column_are_set(visitor: Visitor) -> None:
    """What is said stays or changes; what is emptied, or not ticked any more, goes."""
    place = [one.guess.name for one in _look(visitor)].index("annual_income")
    visitor.post("/column", place=str(place), t="", l="3", recursive="2,2")
    assert visitor.desk.raw["columns"]["annual_income"] == {
        "role": "sensitive",
        "l": 3,
        "recursive": {"c": "2", "l": "2"},
    }
    assert visitor.get(f"/column?place={place}").status_code == 200


@pytest.mark.parametrize("place", ["", "-1", "99", "1e3", "9" * 40, "٣"])
def test_there_is_no_such_column(visitor: Visitor, place: str) -> None:
    """What is no place of a column is refused, and nothing changed."""
    assert visitor.get(f"/column?place={place}").status_code == 422
    assert visitor.post("/column", place=place, t="0.1").status_code == 422
    assert len(visitor.desk.versions) == 1


def test_protection_is_set(visitor: Visitor) -> None:
    """The comment behind a key stays where its value changes; words are those of the form."""
    page = visitor.get("/protection")
    assert "has at least k records" in told(page)
    assert "<option selected>mondrian" not in page.text
    page = visitor.post("/protection", k="7", name="ordered", grid="round")
    assert "k = 7 # enough" in visitor.desk.text
    assert visitor.desk.raw["method"] == {"name": "ordered", "grid": "round"}
    assert "<option selected>ordered" in page.text


def test_a_wrong_value_is_shown_with_what_is_wrong(visitor: Visitor) -> None:
    """It stays in its field, a word that there is not stays a choice, and every page says what is wrong."""
    page = visitor.post("/protection", k="many", name="magic")
    assert 'value="many"' in page.text
    assert "<option selected>magic" in page.text
    assert re.search(r"\bk must be [a-z]", told(page))
    assert visitor.get("/preview").status_code == 422
    assert visitor.get("/release").status_code == 200
    assert visitor.post("/release", path="a.csv").status_code == 422
    assert not (visitor.desk.path.parent / "a.csv").exists()


def test_records_are_shown_ten_at_a_time(visitor: Visitor) -> None:
    """From the first on, and never beyond the last."""
    first, last = visitor.get("/records"), visitor.get("/records?first=9999")
    assert len(re.findall(r'<tr><th scope="row">', first.text)) == 10
    assert "Ten before" not in first.text
    assert 'scope="row">291<' in last.text
    assert "/records?first=281" in last.text


def test_the_preview_says_what_the_job_would_release(visitor: Visitor) -> None:
    """Its verdict and figures are those of the command line; records are shown only where somebody asks."""
    page = visitor.get("/preview")
    figures = kohort("run", visitor.desk.path, "--dry-run", "--json").figures
    assert "Every equivalence class satisfies 5-anonymity." in told(page)
    assert f"{figures['classes']}" in told(page)
    assert "Before" not in told(page)
    shown = visitor.get("/preview?records=1")
    assert len(re.findall(r'<tr class="after">', shown.text)) == 10
    assert "last_name" not in shown.text.partition('id="records"')[2]
    assert "not shown" in shown.text.partition('id="records"')[2]
    assert not (visitor.desk.path.parent / "people.release.csv").exists()


def test_a_change_that_the_preview_offers_is_taken(visitor: Visitor) -> None:
    """The lines are those of the command line; one that is taken is in the job, whose comments stay."""
    page = visitor.get("/preview")
    assert "What you could change" in told(page)
    found = kohort("advise", visitor.desk.path, "--json").figures["steps"]
    assert all(one["change"] in told(page) for one in found)
    assert "Weaker promise: a person is hidden among 3, not 5" in told(page)
    assert press(visitor, page, "k = 3").status_code == 200
    assert visitor.desk.text == JOB.replace("k = 5 # enough", "k = 3 # enough")


def test_a_column_that_singles_out_is_told_of(visitor: Visitor) -> None:
    """The verdict names it, and is no good one."""
    shown = told(visitor.get("/preview"))
    assert "annual_income singles out" in shown
    assert "Good" not in shown


@pytest.mark.slow
def test_the_report_is_the_stewards(visitor: Visitor) -> None:
    """It may style itself, and run nothing."""
    page = visitor.get("/report")
    assert "Internal report" in page.text
    assert "script-src" not in page.headers["content-security-policy"]
    assert "style-src 'unsafe-inline'" in page.headers["content-security-policy"]


def test_an_infeasible_job_says_so(visitor: Visitor) -> None:
    """The page has the sentence of the command line, and asking again asks again."""
    visitor.post("/protection", k="301")
    for _ in range(2):
        page = visitor.get("/preview")
        assert page.status_code == 422
        assert "300 records" in told(page)


def test_a_preview_without_classes_is_one(folder: Path, visit: Callable[..., Visitor]) -> None:
    """A table without records gives a page without bars."""
    head = (folder / "people.csv").read_text(encoding="utf-8").splitlines()[0]
    (folder / "people.csv").write_text(f"{head}\n", encoding="utf-8")
    text = (
        (folder / "job.toml")
        .read_text(encoding="utf-8")
        .replace('path = "people.csv"', 'path = "people.csv"\nallow-empty = true')
    )
    (folder / "job.toml").write_text(text, encoding="utf-8")
    page = visit(folder / "job.toml").get("/preview?records=1")
    assert page.status_code == 200
    assert "Records by the size of their class" not in page.text


def test_classics_are_chosen_apart(visitor: Visitor) -> None:
    """Methods and fields for comparison with the literature stand after the others, under a title of their own."""
    page = visitor.get("/protection").text
    assert re.findall(r"<option>(datafly|optimal|best-effort)</option>", page) == ["optimal", "best-effort", "datafly"]
    assert re.search(r'<optgroup label="Classics">\s*<option>datafly</option>\s*</optgroup>', page)
    visitor.post("/protection", cut="nearest", name="mondrian")
    page = visitor.get("/protection").text
    assert page.index(">Method</h2>") < page.index(">Classics</h2>") < page.index('name="dimension"')
    for path, title in (("/frontier", "<legend>Classics</legend>"), ("/lattice", "<h3>Classics</h3>")):
        others, _, classics = visitor.get(path).text.partition(title)
        assert ("datafly" in others, "datafly" in classics, "optimal" in classics) == (False, True, False)


def test_the_trade_off_is_that_of_a_sweep(visitor: Visitor) -> None:
    """Every point has its risk and loss; what cannot be says why; nothing is asked before somebody does."""
    assert "Risk and loss" not in told(visitor.get("/frontier"))
    assert 'value="2, 3, 5, 10, 20, 50, 100"' in visitor.get("/frontier").text
    page = visitor.get("/frontier?values=2,5,400&method=mondrian&method=samarati&method=nonsense")
    assert page.text.count("Not possible:") == 4
    assert page.text.count('class="best"') >= 1
    assert "current setting" in told(page)
    assert 'href="#point-2"' in page.text


def test_a_point_is_taken(visitor: Visitor) -> None:
    """The job gets its k and method, and loses what only the other method was told."""
    visitor.post("/protection", k="5", cut="loss", name="mondrian")
    visitor.post("/frontier", choice="k 3 ordered")
    assert visitor.desk.raw["method"] == {"name": "ordered"}
    assert visitor.desk.raw["privacy"]["k"] == 3
    assert visitor.desk.versions[-1].what == "k = 3, ordered"
    assert visitor.post("/frontier", choice="k 3 magic").status_code == 422
    assert visitor.post("/frontier").status_code == 422


def test_values_that_ask_for_the_same_are_refused(visitor: Visitor) -> None:
    """As on the command line."""
    assert visitor.get("/frontier?values=,").status_code == 422


def test_the_evidence_is_what_attacks_find(visitor: Visitor) -> None:
    """By criterion, with interval, control and what was not tried; as JSON the same; no law is said to be met."""
    page = visitor.get("/evidence")
    shown = told(page)
    assert [one for one in ("Singling out", "Linkability", "Inference") if one in shown] == _names()
    assert "not a finding of legal compliance" in shown
    assert "annual_income, not generalized, singles out" in shown
    assert "(it needs other releases" in shown
    assert "on the raw table" in shown
    found = visitor.get("/evidence?form=json").json()
    assert list(found["criteria"]) == _names()
    (linking,) = (one for one in found["criteria"]["Linkability"] if one["attack"] == "linking")
    assert linking["targets"] == 300
    assert linking["interval"][0] <= linking["rate"] <= linking["interval"][1]


def test_the_dossier_has_identifiers_techniques_and_context(visitor: Visitor) -> None:
    """What is still there comes first, what standards ask about stands beside it, and what nothing shows at the end."""
    page = visitor.get("/evidence")
    shown = told(page)
    assert shown.index("To judge: generalized") < shown.index("removed; is not in the release")
    assert "(A) names" in shown
    assert "pseudonymization" not in shown
    assert "suppression: masking" in shown
    assert "What you must add" in shown
    assert shown.index("What this does not show") > shown.index("Governance after")
    found = visitor.get("/evidence?form=json").json()
    assert next(iter(found)) == "audience"
    assert [one["letter"] for one in found["identifiers"]] == ["A", "A", "B", "R"]


def test_evidence_without_attacks(visitor: Visitor) -> None:
    """Without a sensitive column there is nothing to infer, and the page says so."""
    places = {one.guess.name: place for place, one in enumerate(_look(visitor))}
    visitor.post("/columns", {f"role-{places['annual_income']}": "drop"})
    shown = told(visitor.get("/evidence"))
    assert "no column that is not generalized singles anyone out." in shown
    assert "Not tried" in shown


def _names() -> list[str]:
    return [one.name for one in CRITERIA]


@pytest.mark.slow
def test_a_release_is_that_of_the_command_line(visitor: Visitor) -> None:
    """The same bytes, with certificate and both reports beside it; the job file has what was signed."""
    folder = visitor.desk.path.parent
    visitor.client.post(
        "/release",
        data={"at": "0", "path": "out.csv", "purpose": "a <b>study"},
        headers={"origin": "http://127.0.0.1:8765"},
    )
    page = visitor.get("/release")
    assert "Released and verified" in told(page)
    assert "&lt;b&gt;study" in page.text
    files = {"out.csv", "out.csv.kohort.json", "out.report.html", "out.public.html"}
    assert files <= {path.name for path in folder.iterdir()}
    assert "a &lt;b&gt;study" in (folder / "out.public.html").read_text(encoding="utf-8")
    released = (folder / "out.csv").read_bytes()
    assert visitor.client.get("/files/release").content == released
    assert 'filename="out.csv"' in visitor.client.get("/files/release").headers["content-disposition"]
    assert kohort("run", folder / "job.toml", "--overwrite", "-q").status == 0
    assert (folder / "out.csv").read_bytes() == released
    assert visitor.desk.is_saved
    python = re.search(r"<code>(import kohort.*?)</code>", page.text, re.DOTALL)
    assert python is not None


@pytest.mark.slow
def test_what_is_shown_in_python_does_the_same(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lines run as they stand there, in the folder of the job, and give the same bytes."""
    folder = visitor.desk.path.parent
    visitor.post("/release", path="out.csv")
    page = visitor.get("/release")
    does_the_same(page, folder, monkeypatch)


def test_a_release_replaces_nothing_unasked(visitor: Visitor) -> None:
    """A file that is there stays, until its box is ticked."""
    (visitor.desk.path.parent / "out.csv").write_text("mine", encoding="utf-8")
    page = visitor.post("/release", path="out.csv")
    assert page.status_code == 422
    assert "exists" in told(page)
    assert (visitor.desk.path.parent / "out.csv").read_text(encoding="utf-8") == "mine"


@pytest.mark.slow
def test_a_release_replaces_what_it_is_told_to(visitor: Visitor) -> None:
    """Where the box is ticked."""
    (visitor.desk.path.parent / "out.csv").write_text("mine", encoding="utf-8")
    assert "Released and verified" in told(visitor.post("/release", path="out.csv", overwrite="true"))
    assert (visitor.desk.path.parent / "out.csv").read_text(encoding="utf-8") != "mine"


@pytest.mark.parametrize("path", ["", " ", "../out.csv", "/out.csv", "a/b.csv", ".", "..", ".out.csv", "out"])
def test_a_release_goes_beside_the_job(visitor: Visitor, path: str) -> None:
    """A path out of the folder, or a file without a format, is refused before anything is written."""
    before = sorted(visitor.desk.path.parent.parent.rglob("*"))
    assert visitor.post("/release", path=path).status_code == 422
    assert sorted(visitor.desk.path.parent.parent.rglob("*")) == before


def test_a_folder_of_parts_is_released_without_reports(visitor: Visitor) -> None:
    """There is no place beside such a release; the job file may ask for one, the form does not."""
    text = visitor.desk.text.replace('path = "people.release.csv"', 'path = "parts/"')
    visitor.post("/job", text=text)
    task = visitor.desk.release(overwrite=False)
    assert task.over.wait(60)
    assert [*task.value.files] == ["release", "certificate", "job"]
    assert "Released and verified" in told(visitor.get("/release"))
    assert visitor.client.get("/files/release").status_code == 404


def test_the_job_is_text(visitor: Visitor) -> None:
    """It is shown and changed as it is; what is no TOML is shown again with the line."""
    page = visitor.get("/job")
    assert "# by hand" in page.text
    text = visitor.desk.text.replace("k = 5", "k = 6")
    assert visitor.post("/job", text=text.replace("\n", "\r\n")).status_code == 200
    assert visitor.desk.text == text
    page = visitor.post("/job", text="k = = 5")
    assert page.status_code == 422
    assert "k = = 5</textarea>" in page.text
    assert "not valid TOML" in told(page)
    assert visitor.desk.text == text


def test_a_job_file_that_is_no_toml_is_mended_at_the_desk(folder: Path, visit: Callable[..., Visitor]) -> None:
    """Its text is shown with what is wrong, and can be changed."""
    (folder / "job.toml").write_text("k = = 5", encoding="utf-8")
    visitor = visit(folder / "job.toml")
    page = visitor.get("/job")
    assert "not valid TOML" in told(page)
    assert "k = = 5</textarea>" in page.text
    assert "not valid TOML" not in told(visitor.post("/job", text="rest = 'drop'"))


def test_versions_are_gone_through_and_named(visitor: Visitor) -> None:
    """Undo, redo, any version by its number; a change after undo begins anew from there."""
    for k in ("6", "7"):
        visitor.post("/protection", k=k)
    visitor.post("/history", name="  wide ")
    visitor.post("/history", to="1")
    assert visitor.desk.raw["privacy"]["k"] == 6
    visitor.post("/history", to="2")
    assert visitor.desk.raw["privacy"]["k"] == 7
    page = visitor.get("/history")
    assert "wide: protection" in told(page)
    visitor.post("/history", to="0")
    visitor.post("/history", to="9")
    assert visitor.desk.at == 0
    visitor.post("/protection", k="8")
    assert [one.what for one in visitor.desk.versions] == ["opened", "protection"]
    visitor.post("/protection", k="8")
    assert len(visitor.desk.versions) == 2


@pytest.mark.slow("several releases by the desk")
def test_two_versions_are_compared(visitor: Visitor) -> None:
    """What they say differently, and what each would give; one that cannot be tried says why."""
    visitor.post("/protection", k="30", name="ordered")
    shown = told(visitor.get("/compare?with=0"))
    assert "privacy.k 5 30" in shown
    assert "method.name default ordered" in shown
    figures = kohort("run", visitor.desk.path, "--dry-run", "--json").figures
    assert f"classes {figures['classes']}" in shown
    assert "detail lost of age" in shown
    visitor.post("/protection", k="400", name="ordered")
    assert visitor.get("/compare?with=0").status_code == 422
    assert "300 records" in told(visitor.get("/compare?with=0"))
    visitor.post("/protection", k="many", name="ordered")
    assert visitor.get("/compare?with=1").status_code == 422
    visitor.post("/history", to="0")
    assert "the jobs are the same" in told(visitor.get("/compare?with=0"))
    assert visitor.get("/compare?with=9").status_code == 422
    assert visitor.get("/compare").status_code == 422


def test_tables_without_records_are_compared(folder: Path, visit: Callable[..., Visitor]) -> None:
    """There is no loss then."""
    head = (folder / "people.csv").read_text(encoding="utf-8").splitlines()[0]
    (folder / "people.csv").write_text(f"{head}\n", encoding="utf-8")
    text = (folder / "job.toml").read_text(encoding="utf-8")
    text = text.replace('path = "people.csv"', 'path = "people.csv"\nallow-empty = true')
    (folder / "job.toml").write_text(text, encoding="utf-8")
    assert "detail lost of age – –" in told(visit(folder / "job.toml").get("/compare?with=0"))


def test_the_journal_says_what_was_done_and_no_value(visitor: Visitor) -> None:
    """It is written with the job: when, what, which keys and the digest of the job."""
    journal = visitor.desk.path.with_name("job.journal.jsonl")
    visitor.post("/protection", k="29")
    visitor.post("/history", to="0")
    assert not journal.exists()
    visitor.post("/history", to="1")
    visitor.post("/save")
    lines = [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()]
    assert [one["what"] for one in lines] == ["protection", "went to version 1", "went to version 2", "saved"]
    assert lines[0]["keys"] == ["privacy.k"]
    assert lines[-1]["job"] == hashlib.sha256(visitor.desk.path.read_bytes()).hexdigest()
    assert "29" not in "".join(str({**one, "time": "", "job": ""}) for one in lines)
    visitor.post("/protection", k="28")
    visitor.post("/save")
    assert len(journal.read_text(encoding="utf-8").splitlines()) == 6


def test_a_form_of_an_older_job_is_refused(visitor: Visitor) -> None:
    """What two windows do does not mix."""
    visitor.post("/protection", k="6")
    for path, fields in (("/protection", {"k": "9"}), ("/job", {"text": "k = 1"}), ("/history", {"to": "0"})):
        page = visitor.post(path, at=0, **fields)
        assert page.status_code == 409
        assert "changed in another window" in told(page)
    assert visitor.post("/history", at=7, name="x").status_code == 409
    assert visitor.desk.raw["privacy"]["k"] == 6


def test_the_job_file_is_saved(visitor: Visitor) -> None:
    """It is written when somebody asks, and goes back to the page that was open."""
    visitor.post("/protection", k="6")
    assert "k = 5" in visitor.desk.path.read_text(encoding="utf-8")
    headers = {"origin": "http://127.0.0.1:8765", "referer": "http://127.0.0.1:8765/protection?x=1"}
    answer = visitor.client.post("/save", headers=headers, data={"at": "1"}, follow_redirects=False)
    assert answer.headers["location"] == "/protection"
    assert tomllib.loads(visitor.desk.path.read_text(encoding="utf-8"))["privacy"]["k"] == 6
    assert "job.toml, saved" in told(visitor.get("/job"))


def test_a_job_file_that_somebody_else_has_changed_stays(visitor: Visitor) -> None:
    """Nothing of it is lost without a question; nor is it made again where it was removed."""
    visitor.get("/job")
    visitor.desk.path.write_text("k = 1", encoding="utf-8")
    visitor.post("/protection", k="6")
    assert "changed by somebody else" in told(visitor.post("/save"))
    assert visitor.desk.path.read_text(encoding="utf-8") == "k = 1"
    visitor.desk.path.unlink()
    assert visitor.post("/save").status_code == 422


@pytest.mark.slow
def test_a_table_is_drafted(folder: Path, visit: Callable[..., Visitor]) -> None:
    """Its job is written when somebody saves it, and never over another file."""
    visitor = visit(folder / "people.job.toml", "people.csv")
    page = visitor.get("/columns")
    assert "people.job.toml, not saved" in told(page)
    assert not visitor.desk.path.exists()
    (folder / "people.job.toml").write_text("mine", encoding="utf-8")
    assert visitor.post("/save").status_code == 422
    (folder / "people.job.toml").unlink()
    visitor.post("/save")
    assert kohort("run", visitor.desk.path, "--dry-run").status == 0


def test_the_desk_asks_whose_a_record_is(tmp_path: Path, visit: Callable[..., Visitor]) -> None:
    """Where two columns may say it the preview stops with the question, until one of them is named."""
    rows = "".join(f"{at},{1 + at // 3},Via Roma {1 + at // 3},{20 + at % 5}\n" for at in range(60))
    (tmp_path / "a.csv").write_text(f"person_id,household,address,age\n{rows}", encoding="utf-8")
    visitor = visit(tmp_path / "a.job.toml", "a.csv")
    page = visitor.get("/preview")
    assert page.status_code == 422
    assert "does person_id or household identify the person of a record?" in told(page)
    assert visitor.desk.raw["person"] == {"key": "undecided: person_id or household"}


def test_a_table_of_a_few_records(tmp_path: Path, visit: Callable[..., Visitor]) -> None:
    """Its columns are shown without a count below ten; what it cannot be released as is said."""
    (tmp_path / "a.csv").write_text("age,sex\n31,f\n", encoding="utf-8")
    visitor = visit(tmp_path / "a.job.toml", "a.csv")
    page = visitor.get("/columns")
    assert page.status_code == 200
    assert "under 10" in told(visitor.get("/column?place=0"))
    page = visitor.get("/preview")
    assert page.status_code == 422
    assert "does not satisfy" in told(page)


def test_a_table_that_cannot_be_read_says_so(tmp_path: Path, visit: Callable[..., Visitor]) -> None:
    """There is nothing else on the page, since there is no job."""
    (tmp_path / "a.csv").write_text("a,b\n1\n", encoding="utf-8")
    page = visit(tmp_path / "a.job.toml", "a.csv").get("/columns")
    assert page.status_code == 422
    assert "line 2" in told(page)
    assert "<nav" not in page.text


def test_a_table_that_can_be_read_once_is_refused(folder: Path, visit: Callable[..., Visitor]) -> None:
    """The desk reads it more than once."""
    (folder / "job.toml").write_text('[input]\npath = "-"', encoding="utf-8")
    assert "standard input" in told(visit(folder / "job.toml").get("/columns"))


#: What else a job says of an engine: of Spark what makes small queries quick.
SETTINGS = {
    "duckdb": "",
    "spark": """
        run.master = "local[2]"
        run.spark-conf."spark.sql.shuffle.partitions" = "2"
        run.spark-conf."spark.sql.codegen.wholeStage" = "false"
        run.spark-conf."spark.sql.codegen.factoryMode" = "NO_CODEGEN"
    """,
}


def figures_of(shown: str) -> str:
    """Records, classes and loss, of what a person reads of a release."""
    found = re.search(r"Released \d.*?(?= Time)", shown)
    assert found is not None
    return found[0]


def test_an_engine_that_is_not_installed_is_told(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what to install, when its records are asked for; the job is a job all the same."""

    def absent(*_: object, **__: object) -> NoReturn:
        raise MissingExtraError("PySpark is needed and is not installed", hint="pip install 'kohort[spark]'")

    monkeypatch.setattr(questions, "engine_of", absent)
    visitor.post("/job", text=f'{visitor.desk.text}\n[run]\nengine = "spark"\n')
    assert visitor.get("/job").status_code == 200
    page = visitor.get("/preview")
    assert page.status_code == 422
    assert "pip install 'kohort[spark]'" in told(page)


@pytest.fixture
def engine(request: pytest.FixtureRequest) -> Iterator[str]:
    """An engine that is installed; of Spark, a process has one session, which other tests started or will start."""
    name: str = request.param
    library = pytest.importorskip({"spark": "pyspark"}.get(name, name), reason=f"{name} is not installed")
    if name != "spark":
        yield name
        return
    if shutil.which("java") is None:
        pytest.skip("there is no Java")

    def stop() -> None:  # a session is active in the thread alone that made it, and the desk's is another
        if library.SparkContext._active_spark_context is not None:  # noqa: SLF001  nothing else tells
            library.sql.SparkSession.builder.getOrCreate().stop()

    stop()
    yield name
    stop()


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::FutureWarning")  # of PySpark
@pytest.mark.parametrize("engine", ["duckdb", pytest.param("spark", marks=pytest.mark.slow)], indirect=True)
def test_records_stay_elsewhere(folder: Path, visit: Callable[..., Visitor], engine: str) -> None:
    """Pages that need them say so; the preview and the release have the figures of the command line, and no reports."""
    text = f"""
        input.path = "people.csv"
        output.path = "people.release.csv"
        privacy.k = 5
        rest = "drop"
        run.engine = "{engine}" {SETTINGS[engine]}
        columns.age = {{ role = "quasi", grid = 5 }}
        columns.education = {{ role = "quasi", hierarchy = "education.json" }}
    """
    (folder / "elsewhere.toml").write_text(text, encoding="utf-8")
    visitor = visit(folder / "elsewhere.toml")
    for path in ("/columns", "/records", "/preview?records=1", "/frontier?values=5", "/evidence", "/hierarchy?place=5"):
        page = visitor.get(path)
        assert page.status_code == 422
        assert f"which the job leaves to {engine}" in told(page)
    assert visitor.get("/protection").status_code == 200
    visitor.post("/protection", k="7")
    shown = told(visitor.get("/preview"))
    assert "Not verified yet" in shown
    assert "Released 300 of 300 records; 0 suppressed" in shown
    assert "Show ten records" not in shown
    assert "Full report" not in shown
    previewed = figures_of(shown)
    compared = told(visitor.get("/compare?with=0"))
    assert "records of the smallest class" in compared
    shown = told(visitor.post("/release", path="elsewhere.csv"))
    assert "Released and verified" in shown
    assert "Every equivalence class satisfies 7-anonymity." in shown
    assert figures_of(shown) == previewed
    assert "report.html" not in shown
    found = (folder / "elsewhere.csv").read_bytes()
    job = (folder / "elsewhere.toml").read_text(encoding="utf-8")
    (folder / "elsewhere.toml").write_text(re.sub("run.*\n", "", job), encoding="utf-8")
    assert kohort("run", folder / "elsewhere.toml", "--overwrite", "-q").status == 0
    assert (folder / "elsewhere.csv").read_bytes() == found


def test_there_is_nothing_else(visitor: Visitor) -> None:
    """Other addresses are not found, and another verb of one that is there is refused."""
    assert visitor.client.get("/nothing").status_code == 404
    assert (
        visitor.client.post("/preview", headers={"origin": "http://127.0.0.1:8765"}, data={"a": ""}).status_code == 405
    )
    for path in ("/style.css", "/desk.js", "/icon.svg"):
        assert visitor.client.get(path).status_code == 200


def test_work_is_shown_and_can_be_given_up(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that waits says what for; cancelled, it says that nothing was written, and asking again works."""
    monkeypatch.setattr("kohort.desk.job_pages.AT_ONCE", 0)
    assert visitor.client.get("/working").json() == {"open": False, "stage": "", "steps": None}
    page = visitor.client.get("/preview")
    assert page.status_code == 202
    assert "Trying what the job would release" in page.text
    assert '<noscript><meta http-equiv="refresh"' in page.text
    assert visitor.client.get("/working").json()["open"] in {True, False}
    page = visitor.post("/cancel")
    assert "Nothing was written." in told(page)
    assert visitor.desk.stage is None
    assert visitor.get("/preview").status_code == 200


def test_a_draft_can_be_given_up(folder: Path, visit: Callable[..., Visitor], monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no job then, and the page offers to begin again."""
    monkeypatch.setattr("kohort.desk.job_pages.AT_ONCE", 0)
    visitor = visit(folder / "people.job.toml", "people.csv")
    assert visitor.client.get("/columns").status_code == 202
    assert 'href="/"' in visitor.post("/cancel").text


@pytest.mark.parametrize("path", STEPS)
def test_names_and_cells_are_text(folder: Path, visit: Callable[..., Visitor], path: str) -> None:
    """HTML, formulas and marks of direction in names and cells steer nothing, on any page."""
    evil = "<img src=x onerror=alert(1)>\"'&{{7*7}}"
    rows = "\n".join(f"{20 + nth % 30},=1+1,\u202e<script>{nth % 3}</script>" for nth in range(60))
    name = evil.replace('"', '""')
    (folder / "evil.csv").write_text(f'"{name}",b,c\n{rows}\n', encoding="utf-8")
    visitor = visit(folder / "evil.job.toml", "evil.csv")
    for page in (visitor.get(path), visitor.get("/records"), visitor.get("/preview?records=1")):
        assert "<img src" not in page.text
        assert "<script>0" not in page.text
        assert "\u202e" not in page.text
        assert "49" not in re.findall(r"onerror=alert\(1\).{0,40}", page.text)
