"""Transactions at the desk: what each page shows, and what becomes of its form."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import TYPE_CHECKING

import pytest

from kohort.desk.answers import Released
from kohort.desk.desk import Desk
from kohort.desk.kinds import TABLE
from kohort.transactions.desk import TRANSACTIONS
from kohort.transactions.desk.pages import TransactionPages
from kohort.transactions.report.evidence import CRITERIA
from tests.command import kohort
from tests.unit.desk.visitor import ORIGIN, Visitor, does_the_same, told, visits, worker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from httpx2 import Response

#: A job by hand.
JOB = """\
# by hand
[transactions]
format = "basket"

[input]
path = "shop.csv"
separator = ","

[output]
path = "shop.release.csv"

[privacy]
h = 0.4
k = 3 # enough
p = 2

[items]
private = ["insulin"]
"""

#: Rare, common and private items; names that steer nothing.
EVERY = {"bread": 2, "milk": 3, "tea": 4, "jam": 5, "insulin": 7, "wine": 11, "<b>oil</b>": 59}


def baskets(many: int = 120) -> list[list[str]]:
    """Each item in every so many transactions; the first three have none."""
    return [[name for name, every in EVERY.items() if row % every == 0 and row > 2] for row in range(many)]


visit = pytest.fixture(visits, name="visit")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A folder with a shop's transactions, and a job."""
    lines = [",".join(one) for one in baskets()]
    (tmp_path / "shop.csv").write_text("\n".join([*lines, "rare,bread"]) + "\n", encoding="utf-8")
    (tmp_path / "job.toml").write_text(JOB, encoding="utf-8")
    return tmp_path


@pytest.fixture
def visitor(shop: Path, visit: Callable[..., Visitor]) -> Visitor:
    """Somebody at the desk of that job."""
    return visit(shop / "job.toml")


@pytest.fixture
def drafted(shop: Path) -> Iterator[Visitor]:
    """Somebody at the desk of the file itself."""
    visitor = Visitor(Desk(shop / "shop.job.toml", "shop.csv", worker(), TRANSACTIONS)).enter()
    yield visitor
    visitor.desk.worker.close()


def said(visitor: Visitor, text: str) -> Visitor:
    """The desk with another text of the job."""
    visitor.post("/job", text=text)
    return visitor


def place(visitor: Visitor, name: str) -> str:
    """The field of an item's role."""
    page = visitor.get("/items").text
    found = re.search(rf'for="(role-\d+)">Role of {re.escape(name)}<', page)
    assert found is not None
    return found[1]


def test_a_draft_lacks_private_items(drafted: Visitor) -> None:
    """It is read as it seems to be written; all items are public, and the page says what lacks."""
    page = drafted.get("/")
    shown = told(page)
    assert "121 transactions, 8 items" in shown
    assert "no private item is named" in shown
    assert "Read as basket" in shown
    assert page.text.count("<option selected>public</option>") == 8
    assert 'aria-current="page">Items' in page.text
    assert drafted.desk.raw["input"] == {"path": "shop.csv", "separator": ","}
    assert drafted.get("/preview").status_code == 422
    page = drafted.post("/items", {place(drafted, "insulin"): "private"})
    assert drafted.desk.raw["items"] == {"private": ["insulin"]}
    assert drafted.desk.faults() == ()
    assert drafted.get("/columns").status_code == 404


def test_frequent_items_come_first(visitor: Visitor) -> None:
    """With the transactions that have them; one that is too frequent to be private says so, and a rare one too."""
    names = re.findall(r'<th scope="row"><bdi>(.*?)</bdi></th>\s*<td><label', visitor.get("/items").text)
    assert names[:3] == ["bread", "milk", "tea"]
    assert "no release can protect it" not in told(visitor.get("/items"))
    text = visitor.desk.text.replace('["insulin"]', '["bread", "insulin"]\nmin-support = 0.01')
    shown = told(said(visitor, text).get("/items"))
    assert shown.count("in more than h of all transactions: no release can protect it") == 1
    assert shown.count("too rare (min-support): removed first") == 1


def test_items_are_found_by_name_and_role(visitor: Visitor) -> None:
    """And get a role together."""
    page = visitor.get("/items?q=I")
    assert "4 of 8 items" in told(page)
    assert "3 of 8 items" in told(visitor.get("/items?q=I&role=public"))
    assert "1 of 8 items" in told(visitor.get("/items?role=private&page=7"))
    assert "8 items, most" not in told(visitor.get("/items?role=nonsense"))
    assert "No item has that name." in told(visitor.get("/items?q=nothing"))
    page = visitor.post("/items", q="i", role="public", page="0", all="private")
    assert visitor.desk.raw["items"] == {"private": ["<b>oil</b>", "insulin", "milk", "wine"]}
    assert "<b>oil" not in page.text


def test_many_items_are_shown_in_pages(shop: Path, visit: Callable[..., Visitor]) -> None:
    """Fifty at a time; the search stays, and a page beyond the last is the last."""
    (shop / "shop.csv").write_text("\n".join(f"item {one},insulin" for one in range(130)), encoding="utf-8")
    visitor = visit(shop / "job.toml")
    first, second, last = (visitor.get(f"/items?q=item&page={page}") for page in (0, 1, 99))
    assert [page.text.count("<select id=") for page in (first, second, last)] == [51, 51, 31]
    assert 'href="/items?q=item&amp;page=1">Less frequent' in first.text
    assert "More frequent" not in told(first)
    assert 'href="/items?q=item">More frequent' in second.text
    assert "Less frequent" not in told(last)


def test_nothing_is_written_where_no_role_changes(visitor: Visitor) -> None:
    """Neither by the page, nor by the list of names."""
    visitor.post("/items", {place(visitor, "insulin"): "private", place(visitor, "tea"): "public"})
    visitor.post("/named", names=" insulin \r\n\r\n")
    assert len(visitor.desk.versions) == 1


def test_neither_makes_a_list_of_public_items(visitor: Visitor) -> None:
    """Names that are in no transaction stay in both lists."""
    said(visitor, visitor.desk.text.replace('["insulin"]', '["insulin", "gone"]'))
    visitor.post("/items", {place(visitor, "wine"): "neither"})
    items = visitor.desk.raw["items"]
    assert items["private"] == ["gone", "insulin"]
    assert items["public"] == ["<b>oil</b>", "bread", "jam", "milk", "rare", "tea"]
    visitor.post("/items", {place(visitor, "wine"): "private"})
    assert visitor.desk.raw["items"]["private"] == ["gone", "insulin", "wine"]
    assert "wine" not in visitor.desk.raw["items"]["public"]


def test_private_items_are_pasted(visitor: Visitor) -> None:
    """The list is the private items; those that leave it are public."""
    assert "insulin</textarea>" in visitor.get("/named").text
    page = visitor.post("/named", names="wine\n\ntea\nwine\n")
    assert visitor.desk.raw["items"] == {"private": ["tea", "wine"]}
    assert "2 of 8 items" in told(page)
    assert "in no transaction" not in told(page)
    assert "Private, and in no transaction: Tea, pill." in told(visitor.post("/named", names="pill\nTea\nwine"))
    visitor.post("/named", names="")
    assert visitor.desk.raw["items"] == {}


def sent(visitor: Visitor, content: str, name: str = "names.csv") -> Response:
    """Send a file of names; the page that follows."""
    answer = visitor.client.post(
        "/names",
        data={"at": str(visitor.desk.at)},
        files={"file": (name, content.encode(), "text/csv")},
        headers={"origin": ORIGIN},
        follow_redirects=False,
    )
    return visitor.get(answer.headers["location"]) if answer.status_code == 303 else answer


def test_items_are_read_by_the_names_of_a_file(visitor: Visitor) -> None:
    """They are shown, found and listed by name wherever people read them; the release stays the same."""
    before = kohort("run", _saved(visitor), "--json", "--overwrite").figures
    release = (visitor.desk.path.parent / "shop.release.csv").read_bytes()
    page = sent(visitor, "item,name\ninsulin,Insulin pen\nwine,Rioja\nrare,<i>Caviar</i>\nbread,\ngone,Nobody's\n")
    shown = told(page)
    assert "Insulin pen (insulin)" in shown
    assert "<i>Caviar" not in page.text
    assert visitor.desk.raw["items"] == {"private": ["insulin"], "names-file": "names.names-1.csv"}
    assert "1 of 8 items" in told(visitor.get("/items?q=rioja"))
    assert "Rioja (wine)" in told(visitor.get("/records?first=12"))
    assert "<i>Caviar</i> (rare)" in told(visitor.get("/preview"))
    assert "Rioja (wine)" in told(visitor.get("/preview?records=1"))
    assert "Insulin pen (insulin)</textarea>" in visitor.get("/named").text
    visitor.post("/named", names="Insulin pen (insulin)\nRioja")
    assert visitor.desk.raw["items"]["private"] == ["insulin", "wine"]
    visitor.post("/named", names="insulin")
    after = kohort("run", _saved(visitor), "--json", "--overwrite").figures
    assert after["dropped"] == before["dropped"]
    assert "<i>Caviar</i> (rare)" in kohort("run", visitor.desk.path, "--overwrite").out
    assert (visitor.desk.path.parent / "shop.release.csv").read_bytes() == release
    assert "Insulin" not in told(visitor.get("/items?role=public"))
    page = visitor.post("/change", change='["no names of items", [[["items", "names-file"], null]]]')
    assert visitor.desk.raw["items"] == {"private": ["insulin"]}
    assert "Show items by name" in told(page)


def test_a_file_of_the_folder_is_not_written_again(visitor: Visitor) -> None:
    """The job names the very file that was chosen, and another of that name gets another name."""
    (visitor.desk.path.parent / "names").write_text("insulin,pen\n", encoding="utf-8")
    sent(visitor, "insulin,pen\n", "names")
    assert visitor.desk.raw["items"]["names-file"] == "names"
    visitor.post("/history", to="0")
    sent(visitor, "insulin,needle\n", "names")
    assert visitor.desk.raw["items"]["names-file"] == "names.names-1.txt"
    assert "needle (insulin)" in told(visitor.get("/items"))


@pytest.mark.parametrize(
    ("content", "name", "why"),
    [
        ("insulin\n", "a.csv", "the line is not an item and its name"),
        ("Insulin pen,insulin\n", "a.csv", "the file names no item of the transactions"),
        ("insulin,a\ninsulin,b\n", "a.csv", "the item has two names"),
        ("insulin,a", "", "no file is chosen"),
    ],
)
def test_names_that_cannot_be_shown(visitor: Visitor, content: str, name: str, why: str) -> None:
    """The page of items says why, with the form for another file; the job stays as it was."""
    page = sent(visitor, content, name)
    assert page.status_code == 422
    assert why in told(page)
    assert "<details open><summary>Show items by name" in page.text
    assert visitor.desk.raw["items"] == {"private": ["insulin"]}


def test_names_that_went_leave_the_items(visitor: Visitor) -> None:
    """Where the file is no longer there, the page says so, shows the items and offers to leave the names out."""
    said(visitor, visitor.desk.text + 'names-file = "gone.csv"\n')
    page = visitor.get("/items")
    assert "there is no such file of names" in told(page)
    assert "Leave the names out" in told(page)
    assert "Role of insulin" in told(page)


def test_a_job_without_private_items_has_a_button(drafted: Visitor) -> None:
    """What is refused can be answered where it stands: no item is private."""
    page = drafted.get("/items")
    found = re.search(r'<button name="change" value="([^"]*)">No item is private', page.text)
    assert found is not None
    drafted.post("/change", change=unescape(found[1]))
    assert drafted.desk.raw["items"] == {"no-private": True}
    assert drafted.desk.faults() == ()


def test_a_file_of_private_items_becomes_a_list(visitor: Visitor) -> None:
    """Once a role is changed at the desk."""
    folder = visitor.desk.path.parent
    (folder / "private.txt").write_text("insulin\nwine\n", encoding="utf-8")
    said(visitor, visitor.desk.text.replace('private = ["insulin"]', 'private-file = "private.txt"'))
    assert "2 of 8 items" in told(visitor.get("/items?role=private"))
    visitor.post("/items", {place(visitor, "wine"): "public"})
    assert visitor.desk.raw["items"] == {"private": ["insulin"]}


def test_roles_are_drawn_for_experiments(visitor: Visitor) -> None:
    """What was listed goes; the page shows what was drawn, and listing one lists all."""
    visitor.post("/protection", h="0.4", k="3", p="2", delta="0.5", seed="7")
    assert visitor.desk.raw["items"] == {"delta": 0.5, "seed": 7}
    page = visitor.get("/items")
    assert "drawn at random" in told(page)
    drawn = page.text.count("<option selected>private</option>")
    assert drawn == 4
    figures = kohort("run", _saved(visitor), "--dry-run", "--json").figures
    assert figures["private"] == drawn
    visitor.post("/protection", h="0.4", k="2", p="2", delta="0.5", seed="7")
    assert visitor.desk.raw["items"] == {"delta": 0.5, "seed": 7}
    visitor.post("/items", {place(visitor, "bread"): "neither"})
    assert set(visitor.desk.raw["items"]) == {"private", "public"}


def test_the_rule_of_the_paper_leaves_some_items_neither(visitor: Visitor) -> None:
    """They are shown as such."""
    visitor.post("/protection", h="1", k="2", p="1", delta="0.2", draw="paper")
    assert "<option selected>neither</option>" in visitor.get("/items").text


def test_roles_that_cannot_be_drawn_say_so(visitor: Visitor) -> None:
    """The page of items is there all the same."""
    visitor.post("/protection", h="0.01", k="3", p="2", delta="0.2")
    page = visitor.get("/items")
    assert page.status_code == 200
    assert "The roles cannot be drawn" in told(page)


def test_protection_has_the_sentences_of_the_form(visitor: Visitor) -> None:
    """Comments stay; a wrong value is shown with what is wrong."""
    page = visitor.get("/protection")
    assert "The maximum number of a person's public items that an attacker knows." in told(page)
    assert 'name="private"' not in page.text
    visitor.post("/protection", h="2/5", k="4", p="2")
    assert "k = 4 # enough" in visitor.desk.text
    assert visitor.desk.raw["privacy"] == {"h": "2/5", "k": 4, "p": 2}
    assert visitor.desk.raw["items"] == {"private": ["insulin"]}
    shown = told(visitor.post("/protection", h="0.4", k="0", p="2"))
    assert "k must be a whole number of at least 1" in shown
    assert "k: k" not in shown


def test_how_the_file_is_read_is_changed(visitor: Visitor) -> None:
    """Everything is looked at anew."""
    assert 'name="path"' not in visitor.get("/reading").text
    page = visitor.post("/reading", format="basket", separator=";", encoding="utf-8")
    assert "bread,milk" in told(page)
    assert visitor.desk.raw["input"] == {"path": "shop.csv", "separator": ";", "encoding": "utf-8"}
    assert "Read as its extension says" in told(visitor.post("/reading", format="", separator=","))


def test_transactions_are_shown_ten_at_a_time(visitor: Visitor) -> None:
    """From the first on, and never beyond the last."""
    first, last = visitor.get("/records"), visitor.get("/records?first=9999")
    assert "no item" in told(first)
    assert len(re.findall(r'<tr><th scope="row">', first.text)) == 10
    assert "Ten before" not in first.text
    assert 'scope="row">121<' in last.text
    assert "/records?first=102" in last.text


def test_the_preview_says_what_would_go(visitor: Visitor) -> None:
    """With the figures of the command line; transactions are shown only where somebody asks."""
    page = visitor.get("/preview")
    figures = kohort("run", visitor.desk.path, "--dry-run", "--json").figures
    shown = told(page)
    assert "The released transactions satisfy (0.4, 3, 2)-coherence." in shown
    assert "verified in memory" in shown
    moles = len(figures["size1_moles"]) + sum(figures["minimal_moles"].values())
    assert f"Moles before {moles} " in shown
    assert f"Items released {figures['released_items']} of 8; {len(figures['dropped'])} dropped" in shown
    assert "Before bread" not in shown
    rows = visitor.get("/preview?records=1")
    assert rows.text.count('<tr class="after">') == 10
    assert "<del>" in rows.text
    assert not (visitor.desk.path.parent / "shop.release.csv").exists()


def test_a_change_of_transactions_is_taken(visitor: Visitor) -> None:
    """Where something is lost the preview offers changes, and one that is taken is in the job."""
    before, page = visitor.desk.text, visitor.get("/preview")
    offered = re.findall(r'name="change" value="(.*?)"', page.text)
    assert visitor.post("/change", change=unescape(offered[0])).status_code == 200
    assert visitor.desk.text != before


def test_repeated_and_rare_items_are_told_of(shop: Path, visit: Callable[..., Visitor]) -> None:
    """As in the report."""
    lines = (shop / "shop.csv").read_text(encoding="utf-8")
    (shop / "shop.csv").write_text(lines + "bread,bread\n", encoding="utf-8")
    visitor = visit(shop / "job.toml")
    assert "1 repeated items of a transaction count once" in told(visitor.get("/items"))
    said(visitor, visitor.desk.text + "min-support = 0.01\n")
    assert "1 too rare" in told(visitor.get("/preview"))


def test_a_preview_where_nothing_goes(visitor: Visitor) -> None:
    """And one where no public item is left."""
    visitor.post("/protection", h="1", k="1", p="1")
    assert visitor.get("/preview").status_code == 422
    visitor.post("/protection", h="0.9", k="1", p="1")
    assert "No item goes altogether." in told(visitor.get("/preview"))
    visitor.post("/protection", h="0.9", k="121", p="1")
    assert "Sets of at most 1 public items that occur: 1, all looked up" in told(visitor.get("/preview"))


def test_an_infeasible_job_says_so_at_its_key(visitor: Visitor) -> None:
    """The page has the sentence of the command line, with the line."""
    visitor.post("/protection", h="0.4", k="500", p="2")
    page = visitor.get("/preview")
    assert page.status_code == 422
    assert "k: there are only 121 transactions" in told(page)


@pytest.mark.slow
def test_the_report_is_the_stewards(visitor: Visitor) -> None:
    """As that of a table."""
    assert "Internal report" in visitor.get("/report").text


def test_the_risk_of_versions_is_that_of_the_bar(visitor: Visitor) -> None:
    """Transactions have no highest risk of a person; both places name what they show."""
    shown = told(visitor.get("/history"))
    assert shown.count("Surest guess of a private item") == 2
    assert "Highest risk" not in shown


def costs(visitor: Visitor) -> list[str]:
    """What each choice of Protection costs, as the page says it once nothing is still to come."""
    page = visitor.get("/protection")
    while "data-late" in page.text:
        page = visitor.get("/protection")
    return re.findall(r'<span class="cost">([^<]*)</span>', page.text)


def test_choices_show_what_they_cost(visitor: Visitor) -> None:
    """By the job's own method: more known items and larger k lose more, more sure guesses less; some cannot be had."""
    found = costs(visitor)
    losses = [float(one.removesuffix("% lost")) for one in found]
    of_p, of_k, of_h = losses[:4], [losses[4], losses[9], *losses[5:9]], losses[10:]  # of k the job's own, 3, is last
    assert of_p == sorted(of_p)
    assert of_k == sorted(of_k)
    assert of_h == sorted(of_h, reverse=True)
    assert len(of_h) == 4
    visitor.post("/protection", h="0.4", k="3", p="2", optimal="true")
    optimal = [float(one.removesuffix("% lost")) for one in costs(visitor)]
    assert all(best <= loss for best, loss in zip(optimal, losses, strict=True))
    visitor.post("/named", names="bread")
    assert costs(visitor)[-4] == "no release"


def test_the_curve_is_that_of_a_sweep(visitor: Visitor) -> None:
    """Every point has its loss, dropped items and moles; what cannot be says why; nothing is asked before."""
    first = visitor.get("/frontier")
    assert "Loss for each value" not in told(first)
    assert 'value="2, 3, 5, 10, 20, 50, 100"' in first.text
    assert ">delta<" not in first.text
    page = visitor.get("/frontier?vary=k&values=2,3,+,3,500&method=mmil&method=cells&method=nonsense")
    shown = told(page)
    assert shown.count("Not possible: there are only 121 transactions") == 2
    assert "current setting" in shown
    command = ("--transactions", "--separator", ",", "--private", "insulin", "--h", "0.4", "--p", "2")
    shop = visitor.desk.path.parent / "shop.csv"
    found = kohort("sweep", shop, *command, "--vary", "k=2,3", "--scores", "mmil,cells", "--json").figures
    assert found["rows"]
    for one in found["rows"]:
        value, loss = one["value"], f"{one['distortion']:.1%}"
        moles = one["size1_moles"] + sum(one["minimal_moles"].values())
        assert f"{value} {one['method']} {loss} {one['dropped']} {moles} " in shown
    assert 'href="#point-0"' in page.text


def test_a_curve_of_one_impossible_value_has_no_picture(visitor: Visitor) -> None:
    """Only the row that says why; a value that is none is refused."""
    page = visitor.get("/frontier?vary=k&values=500")
    assert "<figure" not in page.text
    assert "Not possible" in told(page)
    assert visitor.get("/frontier?vary=h&values=much").status_code == 422
    assert visitor.get("/frontier?vary=k&values=2.5").status_code == 422
    assert visitor.get("/frontier?vary=k&values=,").status_code == 422
    assert "<figure" in visitor.get("/frontier?vary=h&values=0.4").text


def test_drawn_roles_can_be_varied(visitor: Visitor) -> None:
    """With the seed of the job."""
    visitor.post("/protection", h="0.6", k="3", p="1", delta="0.5", seed="3")
    page = visitor.get("/frontier?vary=delta&values=0.5,0.8")
    assert "Roles drawn at random are the same at every point." in told(page)
    visitor.post("/frontier", choice="delta 0.8 mmil")
    assert visitor.desk.raw["items"]["delta"] == 0.8


@pytest.mark.parametrize(
    ("method", "keys"),
    [
        ("mm", {"score": "mm"}),
        ("give-back", {"give-back": True}),
        ("optimal", {"optimal": True}),
        ("cells", {"suppress": "cells"}),
    ],
)
def test_a_point_is_taken(visitor: Visitor, method: str, keys: dict[str, object]) -> None:
    """The job gets its value and method, and loses what only the other method was told; then it has it."""
    said(visitor, visitor.desk.text + '[method]\nscore = "1il"\n')
    visitor.post("/frontier", choice=f"k 5 {method}")
    assert visitor.desk.raw["method"] == keys
    assert visitor.desk.raw["privacy"]["k"] == 5
    assert visitor.desk.versions[-1].what == f"k = 5, {method}"
    visitor.post("/frontier", choice=f"p 1 {method}")
    assert visitor.desk.raw["method"] == keys
    assert f'value="{method}" checked' in visitor.get("/frontier").text


def test_a_point_that_is_none_is_refused(visitor: Visitor) -> None:
    """Whatever lacks of it."""
    for choice in ("", "k 5", "k 5 magic", "size 5 mm"):
        assert visitor.post("/frontier", choice=choice).status_code == 422
    assert [*TransactionPages.tried] == ["k", "h", "p", "delta"]


def test_the_evidence_is_what_attacks_find(visitor: Visitor) -> None:
    """By criterion, with controls, within and beyond what is promised; as JSON the same."""
    page = visitor.get("/evidence")
    shown = told(page)
    assert "not a finding of legal compliance" in shown
    assert "more than promised" in shown
    found = visitor.get("/evidence?form=json").json()
    assert [*found["criteria"]] == [one.name for one in CRITERIA]
    alone = found["criteria"]["Singling out"]
    assert [one["known"] for one in alone] == [1, 2, 3, None]
    assert [one["claims"] for one in alone[:2]] == [0, 0]
    assert max(one["positive"] for one in alone) > 0
    assert found["verdict"]["cohorts"] > 0


def test_the_evidence_is_a_dossier(shop: Path, visitor: Visitor) -> None:
    """Identifiers among items, techniques and context stand on the page, and what it does not show; no item does."""
    shown = told(visitor.get("/evidence"))
    for heading in (
        "Identifiers that HIPAA Safe Harbor removes",
        "ISO/IEC 20889",
        "ISO/IEC 27559",
        "What this does not",
    ):
        assert heading in shown
    assert "No item seems to contain one." in shown
    assert "left out of every transaction" in shown
    assert "satisfies (0.4, 3, 2)-coherence" in shown
    text = (shop / "shop.csv").read_text(encoding="utf-8")
    told_by = text.replace("bread", "mail bread@example.org").replace("rare", "rare@example.org")
    (shop / "shop.csv").write_text(told_by, encoding="utf-8")
    visitor.post("/protection", h="0.4", k="4", p="2")
    shown = told(visitor.get("/evidence"))
    assert "(F) e-mail addresses items are, or mention, e-mail addresses 2 Still there: 1 of them" in shown
    assert "@" not in shown


def test_two_versions_are_compared(visitor: Visitor) -> None:
    """What they say differently, and what each would give; a version that is on a table is not."""
    visitor.post("/protection", h="0.4", k="20", p="2")
    shown = told(visitor.get("/compare?with=0"))
    assert "privacy.k 3 20" in shown
    figures = kohort("run", visitor.desk.path, "--dry-run", "--json").figures
    assert f"items released {figures['released_items']}" in shown
    assert "surest inference of a private item" in shown
    said(visitor, '[input]\npath = "shop.csv"\n')
    assert visitor.desk.kind is TABLE
    assert "of another kind of job" in told(visitor.get("/compare?with=0"))


def test_the_journal_names_no_item(visitor: Visitor) -> None:
    """A rare one can name a person."""
    visitor.post("/items", {place(visitor, "wine"): "private"})
    visitor.post("/named", names="tea")
    visitor.post("/save")
    text = visitor.desk.journal.read_text(encoding="utf-8")
    assert [json.loads(line)["keys"] for line in text.splitlines()] == [["items.private"], ["items.private"], []]
    assert not any(name in text for name in EVERY)


def test_a_release_is_that_of_the_command_line(visitor: Visitor) -> None:
    """The same bytes, with certificate and both reports beside it, whose public one names no item."""
    folder = visitor.desk.path.parent
    page = visitor.post("/release", path="out.csv", purpose="a <b>study")
    shown = told(page)
    assert "Released and verified" in shown
    assert "verified on the published bytes" in shown
    files = {"out.csv", "out.csv.kohort.json", "out.report.html", "out.public.html"}
    assert files <= {path.name for path in folder.iterdir()}
    public = (folder / "out.public.html").read_text(encoding="utf-8")
    assert "a &lt;b&gt;study" in public
    assert "insulin" not in public
    released = (folder / "out.csv").read_bytes()
    assert visitor.client.get("/files/release").content == released
    assert kohort("run", folder / "job.toml", "--overwrite", "-q").status == 0
    assert (folder / "out.csv").read_bytes() == released
    command = ("--separator", ",", "--private", "insulin", "--h", "0.4", "--k", "3", "--p", "2", "-q")
    assert kohort("transactions", folder / "shop.csv", "--out", folder / "flags.csv", *command).status == 0
    assert (folder / "flags.csv").read_bytes() == released
    assert kohort("check", folder / "out.csv", "--certificate", folder / "out.csv.kohort.json").status == 0


def test_what_is_shown_in_python_does_the_same(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lines run as they stand there, in the folder of the job."""
    folder = visitor.desk.path.parent
    page = visitor.post("/release", path="out.csv")
    does_the_same(page, folder, monkeypatch)


def test_a_fault_of_a_release_is_at_its_key(visitor: Visitor) -> None:
    """As on the command line; a name that contradicts the form is told before anything is done."""
    said(visitor, visitor.desk.text.replace('["insulin"]', '["gone"]'))
    page = visitor.post("/release", path="out.csv")
    assert page.status_code == 422
    assert "(items.private)" in told(page)
    assert "is not written to a file whose name ends in .gz" in told(visitor.post("/release", path="out.gz"))


@pytest.mark.parametrize(
    ("more", "says"), [('[run]\nengine = "duckdb"\n', "leaves this to duckdb"), ("", "standard input")]
)
def test_what_the_desk_does_not_do_it_says(visitor: Visitor, more: str, says: str) -> None:
    """Records elsewhere, and transactions that can be read once."""
    text = visitor.desk.text + more
    said(visitor, text if more else text.replace("shop.csv", "-"))
    assert says in told(visitor.get("/items"))


def test_a_job_without_its_input_says_so(visitor: Visitor) -> None:
    """As any other fault of it, on a table too."""
    for text in ("", visitor.desk.text.replace('"shop.csv"', "5")):
        shown = told(said(visitor, text).get("/items" if text else "/columns"))
        assert ("path must be a text in quotes" if text else "input") in shown
        assert "internal error" not in shown


def test_a_file_that_changes_is_read_again(visitor: Visitor) -> None:
    """Asked again after it; one that is gone says so."""
    assert "121 transactions" in told(visitor.get("/items"))
    path = visitor.desk.path.with_name("shop.csv")
    path.write_text("tea,insulin\nmilk\n", encoding="utf-8")
    task = visitor.desk.worker.ask("transactions.look", visitor.desk.text, visitor.desk.folder)
    assert task.over.wait(60)
    assert task.value.transactions == 2
    path.unlink()
    task = visitor.desk.worker.ask("transactions.look", visitor.desk.text, visitor.desk.folder)
    assert task.over.wait(60)
    assert task.faults


def test_released_files_are_plain_values(visitor: Visitor) -> None:
    """What comes through the pipe has no transaction in it."""
    task = visitor.desk.release(overwrite=False)
    assert task.over.wait(60)
    assert isinstance(task.value, Released)
    assert [*task.value.files] == ["release", "certificate", "report", "public report", "job"]


def _saved(visitor: Visitor) -> Path:
    visitor.post("/save")
    return visitor.desk.path
