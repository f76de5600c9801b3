"""The pages of hierarchies: what each form makes of the job, and what is written beside it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from kohort.desk import making
from kohort.desk.hierarchies import fitted, typed_of
from kohort.desk.making import HierarchyView, made_over
from kohort.schema.hierarchies import HeldFile
from tests.command import kohort
from tests.unit.desk.visitor import ORIGIN, told

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from httpx2 import Response

    from tests.unit.desk.visitor import Visitor

#: The places of columns in the register.
NAME, GENDER, CITY, AGE, EDUCATION, INCOME = "1", "3", "4", "5", "6", "8"


def said(visitor: Visitor, column: str) -> dict[str, Any]:
    """What the job says of a column."""
    found: dict[str, Any] = visitor.desk.raw["columns"][column]
    return found


def wrong(page: Response) -> str:
    """What is told at a form."""
    assert page.status_code == 422
    (found,) = re.findall(r'<div class="wrong" id="wrong-\w+" role="alert">(.*?)</div>', page.text, re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", found)).strip()


def test_the_levels_of_a_column_are_shown(visitor: Visitor) -> None:
    """With nodes and an example of the most frequent value; the details of the column lead there."""
    page = visitor.get(f"/hierarchy?place={EDUCATION}")
    shown = told(page)
    assert "Levels of education.json" in shown
    assert "Any education" in shown
    assert "The file does not change" in shown
    assert f'href="/hierarchy?place={EDUCATION}"' in visitor.get(f"/column?place={EDUCATION}").text
    assert f'href="/hierarchy?place={EDUCATION}"' in visitor.get("/columns").text
    assert "The job has no hierarchy" in told(visitor.get(f"/hierarchy?place={AGE}"))


@pytest.mark.parametrize("place", [NAME, "99", "x", ""])
def test_other_columns_have_none(visitor: Visitor, place: str) -> None:
    """Only what is generalized, or how far values are apart."""
    assert visitor.get(f"/hierarchy?place={place}").status_code == 422
    assert visitor.get(f"/tree?place={place}").status_code == 422
    assert visitor.post("/hierarchy", place=place, do="suppress").status_code == 422
    assert len(visitor.desk.versions) == 1


@pytest.mark.parametrize(
    ("place", "fields", "column", "builder"),
    [
        (AGE, {"do": "intervals", "widths": "5, 10,20"}, "age", "intervals:5,10,20"),
        (AGE, {"do": "intervals", "widths": "10", "low": "0", "high": "119"}, "age", "intervals:0..119:10"),
        (
            AGE,
            {"do": "intervals", "widths": "10", "low": "20", "high": "60", "open": "true"},
            "age",
            "intervals:20..60:10:open",
        ),
        (AGE, {"do": "prefixes", "side": "left", "fill": "0"}, "age", "mask:left:0"),
        (CITY, {"do": "prefix", "prefix": "1, 3"}, "city", "prefix:1,3"),
        (CITY, {"do": "prefix"}, "city", "prefix"),
        (AGE, {"do": "groups", "groups": "2,4"}, "age", "groups:2,4"),
        (CITY, {"do": "frequency", "frequency": "10"}, "city", "frequency:10"),
        (CITY, {"do": "suppress"}, "city", "suppress"),
        (CITY, {"do": "spellings"}, "city", "spellings"),
        (AGE, {"do": "public", "public": "isco-08"}, "age", "public:isco-08"),
    ],
)
def test_a_builder_is_said_where_one_can_say_it(
    visitor: Visitor, place: str, fields: dict[str, str], column: str, builder: str
) -> None:
    """The job gets its text, nothing is written, and the form has it the next time."""
    page = visitor.post("/hierarchy", fields, place=place)
    assert page.status_code == 200
    assert said(visitor, column)["hierarchy"] == builder
    assert "grid" not in said(visitor, column)
    assert (said(visitor, column).get("label") == "ancestor") == (column == "age")
    assert visitor.desk.held == {}
    assert visitor.desk.faults() == ()
    assert f"Levels of {builder}" in told(page)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"do": "intervals", "widths": "5,7"}, "each width must be a larger multiple of the width before it"),
        ({"do": "intervals", "widths": "wide"}, "cannot read the arguments of intervals"),
        ({"do": "intervals", "widths": "5", "low": "30", "high": "40"}, "values lie outside the range"),
        ({"do": "cuts", "cuts": "0,18,120\n0,20,120"}, "1 cut points are not in level 1"),
        ({"do": "cuts", "cuts": " "}, "each level needs 2 cut points or more"),
        ({"do": "prefixes", "side": "right", "steps": "1,x"}, "the characters to mask are not numbers"),
        ({"do": "dates", "period-month": "true"}, "values are not dates"),
        ({"do": "file"}, "no file is chosen"),
        ({"do": "public", "public": "moons"}, "cannot read the arguments of public"),
        ({"do": "public", "public": "countries"}, "public:countries knows 23 of 72 values"),
        ({"do": "magic"}, "there is no such builder"),
    ],
)
def test_what_is_wrong_is_told_at_the_form(visitor: Visitor, fields: dict[str, str], words: str) -> None:
    """In the words of the library; what was typed stays, and the job is as it was."""
    page = visitor.post("/hierarchy", fields, place=AGE) if fields["do"] != "magic" else None
    if page is None:
        assert visitor.post("/hierarchy", fields, place=AGE).status_code == 422
    else:
        assert words in wrong(page)
        assert '<details class="builder" open><summary>' in page.text
        assert "".join(one for one in fields.get("widths", "")) in page.text
    assert len(visitor.desk.versions) == 1


@pytest.mark.slow
def test_cut_points_become_a_file_when_the_job_is_saved(folder: Path, visit: Callable[..., Visitor]) -> None:
    """Not before; and what was tried is what `kohort run` then releases, to the byte."""
    text = (folder / "job.toml").read_text(encoding="utf-8")
    (folder / "job.toml").write_text(text.replace("t = 0.5", "no-model = true"), encoding="utf-8")
    visitor = visit(folder / "job.toml")
    visitor.post("/hierarchy", place=AGE, do="cuts", cuts="0,18,40,65,120\n0, 65 ,120\n\n")
    assert said(visitor, "age") == {"role": "quasi", "hierarchy": "age.hierarchy-1.csv", "label": "ancestor"}
    assert not (folder / "age.hierarchy-1.csv").exists()
    tried = told(visitor.get("/preview"))
    assert visitor.get("/frontier?values=5").status_code == 200
    assert "is written beside the job" in told(visitor.get(f"/hierarchy?place={AGE}"))
    visitor.post("/release", path="out.csv")
    assert visitor.desk.held == {}
    rows = (folder / "age.hierarchy-1.csv").read_text(encoding="utf-8").splitlines()
    assert rows[0] == "0;[0-18);[0-65);*"
    assert len(rows) == 120
    found = (folder / "out.csv").read_bytes()
    assert kohort("run", folder / "job.toml", "--overwrite", "-q").status == 0
    assert (folder / "out.csv").read_bytes() == found
    assert b"[0-65)" in found or b"[18-40)" in found
    figures = re.search(r"Classes (\S+)", tried)
    assert figures
    assert figures[0] in told(visitor.get("/preview"))


def test_what_was_said_of_the_old_hierarchy_goes(folder: Path, visit: Callable[..., Visitor]) -> None:
    """A comment behind it is about that one; comments of other keys stay."""
    text = (folder / "job.toml").read_text(encoding="utf-8")
    (folder / "job.toml").write_text(
        text.replace("[columns]\n", "[columns]\n").replace('city = { role = "quasi", hierarchy = "city.json" }\n', "")
        + '\n[columns.city]\nrole = "quasi" # where people live\nhierarchy = "city.json" # by province\n',
        encoding="utf-8",
    )
    visitor = visit(folder / "job.toml")
    visitor.post("/hierarchy", place=CITY, do="suppress")
    assert 'role = "quasi" # where people live\nhierarchy = "suppress"\n' in visitor.desk.text


def test_prefixes_of_some_lengths_are_a_file(visitor: Visitor) -> None:
    """As no builder can say which."""
    visitor.post("/hierarchy", place=AGE, do="prefixes", side="left", fill="0", steps="1")
    file = visitor.desk.held[said(visitor, "age")["hierarchy"]]
    assert b"18;*8;*\n" in file.content


def test_values_are_put_into_groups(visitor: Visitor, folder: Path) -> None:
    """Ticked ones go to the group that is named, or chosen; each time is a version that can be undone."""
    page = visitor.get(f"/tree?place={GENDER}")
    assert "Values in 1 group" in told(page)
    page = visitor.post("/tree", {"tick-0": "true"}, place=GENDER, level="0", do="apply", new=" Women ")
    assert page.status_code == 200
    assert b"female;Women;*" in visitor.desk.held["gender.hierarchy-1.csv"].content
    visitor.post("/tree", {"tick-1": "true"}, place=GENDER, level="0", do="apply", to="0", new="")
    assert b"male;Women;*" in visitor.desk.held["gender.hierarchy-2.csv"].content
    visitor.post("/tree", {"name-0": "People"}, place=GENDER, level="0", do="apply", to="")
    assert visitor.desk.held["gender.hierarchy-3.csv"].content == b"female;People;*\nmale;People;*\n"
    visitor.post("/tree", {"name-0": "People"}, place=GENDER, level="0", do="apply", to="")
    assert len(visitor.desk.versions) == 4
    visitor.post("/history", to="1")
    visitor.post("/save")
    assert (folder / "gender.hierarchy-1.csv").read_bytes() == b"female;Women;*\nmale;male;*\n"
    assert not (folder / "gender.hierarchy-2.csv").exists()


def test_levels_come_and_go(visitor: Visitor) -> None:
    """A level above any, and any between the leaves and the root out."""
    visitor.post("/tree", place=EDUCATION, level="0", do="insert")
    assert visitor.get(f"/tree?place={EDUCATION}&level=2").status_code == 200
    assert "Remove level 2" in told(visitor.get(f"/tree?place={EDUCATION}&level=1"))
    visitor.post("/tree", place=EDUCATION, level="0", do="remove")
    visitor.post("/tree", place=EDUCATION, level="0", do="remove")
    page = visitor.get(f"/tree?place={EDUCATION}&level=9")
    assert "Values in 1 group" in told(page)
    assert "Remove level" not in told(page)
    visitor.post("/tree", place=EDUCATION, level="0", do="remove")
    assert len(visitor.desk.versions) == 4


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"tick-0": "true"}, "no group is chosen for the ticked values"),
        ({"new": "a group"}, "nothing is ticked"),
        ({"name-0": ""}, "with an empty label"),
        ({"name-0": "*", "name-1": "x"}, "with the label *"),
        ({"tick-0": "true", "tick-1": "true", "new": "Laurea"}, "stands for different values on different levels"),
    ],
)
def test_a_tree_that_cannot_be_is_told(visitor: Visitor, fields: dict[str, str], words: str) -> None:
    """At the form, in the words of the schema."""
    if fields.get("new") == "Laurea":
        leaves = re.findall(r'name="tick-\d+" value="true"> <bdi>(.*?)</bdi>', _tree(visitor).text)
        fields = {**fields, "new": leaves[-1].replace("<wbr>", "")}
    page = visitor.post("/tree", fields, place=EDUCATION, level="0", do="apply")
    assert words in wrong(page)
    assert len(visitor.desk.versions) == 1


def _tree(visitor: Visitor) -> Response:
    return visitor.get(f"/tree?place={EDUCATION}")


def test_there_is_no_such_level(visitor: Visitor) -> None:
    """A form of another tree is refused."""
    assert "no such level" in wrong(visitor.post("/tree", place=EDUCATION, level="7", do="insert"))


def test_a_large_tree_is_not_edited(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page says what to do instead."""
    monkeypatch.setattr(making, "MOST_EDITED", 3)
    page = visitor.get(f"/tree?place={CITY}")
    assert page.status_code == 422
    assert "export it, edit the file, and import it again" in told(page)


def sent(visitor: Visitor, content: bytes, *, place: str = CITY, name: str = "mine.csv", **fields: str) -> Response:
    """Send a file."""
    data = {"at": str(visitor.desk.at), "place": place, "do": "file", **fields}
    answer = visitor.client.post(
        "/hierarchy",
        data=data,
        files={"file": (name, content, "text/csv")},
        headers={"origin": ORIGIN},
        follow_redirects=False,
    )
    return visitor.get(answer.headers["location"]) if answer.status_code == 303 else answer


def test_a_file_is_imported_and_exported(visitor: Visitor) -> None:
    """What was exported gives the same hierarchy when it is imported."""
    answer = visitor.get(f"/hierarchy/file?place={CITY}")
    assert answer.headers["content-disposition"] == 'attachment; filename="city.csv"'
    assert answer.headers["content-type"].startswith("text/csv")
    assert sent(visitor, answer.content).status_code == 200
    assert said(visitor, "city") == {"role": "quasi", "hierarchy": "city.hierarchy-1.csv"}
    assert visitor.desk.held["city.hierarchy-1.csv"].content == answer.content
    assert visitor.get("/preview").status_code == 200


def test_a_file_that_lacks_values_is_refused_or_completed(visitor: Visitor) -> None:
    """As its sender asks; nothing is guessed."""
    assert "are missing from the hierarchy" in wrong(sent(visitor, b"Roma;Lazio;*\nMilano;Lombardia;*\n"))
    assert len(visitor.desk.versions) == 1
    assert sent(visitor, b"Roma;Lazio;*\nMilano;Lombardia;*\n", complete="true").status_code == 200
    assert b"Torino;Torino;*" in visitor.desk.held["city.hierarchy-1.csv"].content


def test_a_file_is_mended_as_asked(visitor: Visitor) -> None:
    """Short lines, several parents, no root: each is an error unless the form says what to do."""
    ragged = b"Roma;Lazio\nMilano;Lombardia;Nord\nRoma;Centro\n"
    assert "labels where the first row has" in wrong(sent(visitor, ragged, complete="true"))
    mended = {"complete": "true", "pad": "true", "root": "true"}
    assert "has two parents" in wrong(sent(visitor, ragged, **mended))
    assert sent(visitor, ragged, keep="last", **mended).status_code == 200
    assert b"Roma;Centro;Centro;*" in visitor.desk.held["city.hierarchy-1.csv"].content
    assert sent(visitor, ragged, keep="first", **mended).status_code == 200
    assert b"Roma;Lazio;Lazio;*" in visitor.desk.held["city.hierarchy-2.csv"].content


def test_a_tree_is_exported_where_rows_would_be_misread(visitor: Visitor, folder: Path) -> None:
    """Then it is JSON."""
    text = (folder / "people.csv").read_text(encoding="utf-8").splitlines()
    (folder / "people.csv").write_text(
        "\n".join([text[0], *(re.sub(",(fe)?male,", ",parent,", line) for line in text[1:])]), encoding="utf-8"
    )
    answer = visitor.get(f"/hierarchy/file?place={GENDER}")
    assert answer.headers["content-type"] == "application/json"
    assert answer.json() == {"name": "*", "children": ["parent"]}


def test_a_hierarchy_that_lacks_values_can_be_completed(visitor: Visitor, folder: Path) -> None:
    """The page shows it with what it lacks; one press adds it."""
    (folder / "education.json").write_text('{"*": {"School": ["primary"]}}', encoding="utf-8")
    page = visitor.get(f"/hierarchy?place={EDUCATION}")
    assert page.status_code == 200
    assert "are missing from the hierarchy" in told(page)
    assert visitor.get(f"/tree?place={EDUCATION}").status_code == 200
    page = visitor.post("/hierarchy", place=EDUCATION, do="complete")
    assert page.status_code == 200
    assert "are missing from the hierarchy" not in told(page)
    assert said(visitor, "education")["hierarchy"] == "education.hierarchy-1.csv"
    visitor.post("/history", to="0")
    visitor.post("/tree", place=EDUCATION, level="0", do="complete")
    assert said(visitor, "education")["hierarchy"] == "education.hierarchy-1.csv"


def test_a_hierarchy_that_cannot_be_read_can_be_replaced(visitor: Visitor) -> None:
    """The page says what is wrong with it, and has the forms."""
    visitor.post("/column", place=CITY, hierarchy="missing.csv")
    page = visitor.get(f"/hierarchy?place={CITY}")
    assert page.status_code == 200
    assert "no such file" in told(page)
    assert visitor.get(f"/tree?place={CITY}").status_code == 422
    visitor.post("/hierarchy", place=CITY, do="suppress")
    assert visitor.desk.faults() == ()
    visitor.post("/column", place=CITY, hierarchy="maks")
    assert visitor.get(f"/hierarchy?place={CITY}").status_code == 200


def test_files_of_others_are_never_replaced(visitor: Visitor, folder: Path) -> None:
    """Another name is taken; one that somebody took meanwhile is refused when the job is saved."""
    (folder / "age.hierarchy-1.csv").write_text("mine", encoding="utf-8")
    (folder / "age.hierarchy-2.csv").symlink_to("nowhere")
    visitor.post("/hierarchy", place=AGE, do="cuts", cuts="0,60,120")
    assert said(visitor, "age")["hierarchy"] == "age.hierarchy-3.csv"
    (folder / "age.hierarchy-3.csv").write_text("mine, too", encoding="utf-8")
    page = visitor.post("/save")
    assert page.status_code == 422
    assert (folder / "age.hierarchy-1.csv").read_text(encoding="utf-8") == "mine"
    assert (folder / "age.hierarchy-3.csv").read_text(encoding="utf-8") == "mine, too"
    assert not visitor.desk.is_saved


def test_the_same_hierarchy_is_one_file(visitor: Visitor, folder: Path) -> None:
    """Made again, it is named again, written or not."""
    for _ in range(2):
        visitor.post("/hierarchy", place=AGE, do="cuts", cuts="0,60,120")
        visitor.post("/hierarchy", place=AGE, do="suppress")
    visitor.post("/hierarchy", place=AGE, do="cuts", cuts="0,60,120")
    visitor.post("/save")
    visitor.post("/hierarchy", place=AGE, do="suppress")
    visitor.post("/hierarchy", place=AGE, do="cuts", cuts="0,60,120")
    assert said(visitor, "age")["hierarchy"] == "age.hierarchy-1.csv"
    assert visitor.desk.held == {}
    visitor.post("/hierarchy", place=AGE, do="cuts", cuts="0,50,120")
    visitor.post("/history", to="0")
    visitor.post("/hierarchy", place=AGE, do="cuts", cuts="0,40,120")
    assert sorted(path.name for path in folder.glob("age.*")) == ["age.hierarchy-1.csv"]
    assert list(visitor.desk.held) == ["age.hierarchy-2.csv", "age.hierarchy-3.csv"]


def test_a_sensitive_column_gets_nothing_else(visitor: Visitor) -> None:
    """Its hierarchy only says how far values are apart."""
    before = said(visitor, "annual_income")
    page = visitor.post("/hierarchy", place=INCOME, do="intervals", widths="10000,50000")
    assert page.status_code == 200
    assert said(visitor, "annual_income") == {**before, "hierarchy": "intervals:10000,50000"}


def test_names_of_files_are_plain(visit: Callable[..., Visitor], folder: Path) -> None:
    """Whatever a column is called."""
    text = (folder / "people.csv").read_text(encoding="utf-8")
    (folder / "people.csv").write_text(
        text.replace("age", "../Äge, now", 1).replace("../Äge, now", '"../Äge; now"'), "utf-8"
    )
    job = (folder / "job.toml").read_text(encoding="utf-8")
    (folder / "job.toml").write_text(job.replace("age = {", '"../Äge; now" = {'), encoding="utf-8")
    visitor = visit(folder / "job.toml")
    visitor.post("/hierarchy", place=AGE, do="cuts", cuts="0,60,120")
    assert said(visitor, "../Äge; now")["hierarchy"] == "_Äge_now.hierarchy-1.csv"
    answer = visitor.get(f"/hierarchy/file?place={AGE}")
    assert answer.headers["content-disposition"] == 'attachment; filename="..__ge__now.csv"'


@pytest.mark.parametrize(
    ("said", "on_levels", "expected"),
    [
        ({"role": "quasi", "grid": 5}, False, {"hierarchy": "h", "grid": None, "label": "ancestor"}),
        ({"role": "quasi", "grid": 5, "label": "grid"}, True, {"hierarchy": "h", "grid": None, "label": None}),
        ({"role": "quasi", "max-level": 2}, True, {"hierarchy": "h", "max-level": None}),
        ({"role": "quasi", "max-level": 1}, True, {"hierarchy": "h"}),
        (
            {"role": "quasi", "scale": "date", "date-format": "iso"},
            True,
            {"hierarchy": "h", "scale": None, "date-format": None},
        ),
        ({"role": "quasi", "scale": "categorical"}, True, {"hierarchy": "h"}),
    ],
)
def test_what_contradicts_a_hierarchy_goes(said: dict[str, Any], on_levels: bool, expected: dict[str, Any]) -> None:  # noqa: FBT001
    """All else stays; numbers are released as its nodes."""
    made = HierarchyView((None, None), (), (), HeldFile("", b""), numeric=True, lacking=0)  # type: ignore[arg-type]
    assert fitted(said, "h", made, on_levels=on_levels) == expected


@pytest.mark.parametrize("spec", ["", "city.json", "suppress", "dates", "mask:left"])
def test_fields_show_what_a_builder_says(spec: str) -> None:
    """As far as it says something."""
    assert typed_of(spec) == ({"side": "left", "fill": ""} if spec == "mask:left" else {})
    assert typed_of("dates:month,year") == {"period-month": "true", "period-year": "true"}
    assert typed_of("intervals:5") == {"widths": "5", "low": "", "high": ""}


def test_a_question_on_its_way_is_waited_for(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hierarchy that takes longer than a form waits is told of as any work."""
    monkeypatch.setattr("kohort.desk.hierarchies.WITH_A_FORM", 0.001)
    monkeypatch.setattr("kohort.desk.questions.made_over", _slowly)
    visitor.get("/columns")
    page = visitor.client.post(
        "/hierarchy", data={"at": "0", "place": AGE, "do": "suppress"}, headers={"origin": ORIGIN}
    )
    assert page.status_code == 202
    assert visitor.client.get(f"/hierarchy?place={AGE}").status_code == 202
    assert visitor.get(f"/hierarchy?place={AGE}").status_code == 200


def _slowly(*arguments: Any) -> HierarchyView:  # noqa: ANN401  those of the real one
    """The same, later."""
    import time  # noqa: PLC0415

    time.sleep(0.3)
    return made_over(*arguments)
