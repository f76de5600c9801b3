"""The lattice at the desk: which nodes are shown and how, and what becomes of the job when one is taken."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from kohort.algorithms.lattice import exhaustive
from kohort.algorithms.lattice.exhaustive import MOST_JUDGED
from kohort.desk import nodes
from kohort.report.lattice.sheet import STYLES, Kind
from tests.command import kohort
from tests.unit.desk.visitor import told

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.unit.desk.visitor import Visitor

#: A job by levels: a lattice of 2 x 5 x 3 nodes.
LEVELS = """\
input.path = "people.csv"
output.path = "people.release.csv"
rest = "drop"

[privacy]
k = 5
max-suppression = 10

[method]
name = "optimal"

[columns]
gender = { role = "quasi", hierarchy = "suppress" }
city = { role = "quasi", hierarchy = "city.json" }
education = { role = "quasi", hierarchy = "education.json" }
"""


@pytest.fixture
def levels(folder: Path, visit: Callable[..., Visitor]) -> Visitor:
    """Somebody at the desk of that job."""
    (folder / "levels.toml").write_text(LEVELS, encoding="utf-8")
    return visit(folder / "levels.toml")


def kinds(page: str) -> dict[str, str]:
    """What each drawn node is, by its levels."""
    return {
        node: kind for kind, node in re.findall(r'<g class="node (\w+)".*?<button name="node" value="([\d,]+)"', page)
    }


def test_every_node_is_drawn_as_what_it_is(levels: Visitor) -> None:
    """By shape, sign and words; the best one is what the command line finds."""
    page = levels.get("/lattice")
    found = kinds(page.text)
    figures = kohort("run", levels.desk.path, "--dry-run", "--json").figures
    best = ",".join(str(figures["node"][name]) for name in ("gender", "city", "education"))
    assert len(found) == 30
    assert [node for node, kind in found.items() if kind == "optimal"] == [best]
    assert found["0,0,0"] == "failing"
    assert found["1,4,2"] == "releasable"
    assert f"The job releases the node {best.replace(',', '')} (optimal" in told(page)
    assert "which optimal finds" in told(page)
    assert f'<th scope="row">{STYLES[Kind.OPTIMAL].sign}{best.replace(",", "")}</th>' in page.text
    assert page.text.count("<polygon") == 30 + len(STYLES)


def test_minimal_nodes_are_those_of_the_definition(levels: Visitor) -> None:
    """Releasable, and no node directly below is; a line leads from each node to each directly above."""
    page = levels.get("/lattice").text
    found = {tuple(map(int, node.split(","))): kind for node, kind in kinds(page).items()}
    passing = {node for node, kind in found.items() if kind != "failing"}

    def below(node: tuple[int, ...]) -> set[tuple[int, ...]]:
        return {(*node[:at], level - 1, *node[at + 1 :]) for at, level in enumerate(node)} & passing

    minimal = {node for node in passing if not below(node)}
    assert {node for node, kind in found.items() if kind == "minimal"} <= minimal
    assert minimal <= {node for node, kind in found.items() if kind in {"minimal", "optimal"}}
    lines = re.search(r'<path class="edges" d="([^"]*)"', page)
    assert lines
    assert lines[1].count("M") == sum(len([one for one in node if one]) for node in found)


def test_a_node_is_taken(levels: Visitor) -> None:
    """The job gets it by name, and the preview is that of the command line; then the method may search again."""
    page = levels.post("/lattice", node="0,4,1")
    assert levels.desk.raw["method"]["node"] == {"gender": 0, "city": 4, "education": 1}
    assert "Every equivalence class satisfies 5-anonymity." in told(page)
    assert 'href="/lattice"' in page.text
    shown = levels.get("/lattice")
    assert "The job releases the node 041" in told(shown)
    assert "which was chosen by hand" in told(shown)
    levels.post("/save")
    assert kohort("run", levels.desk.path, "--dry-run", "--json").figures["node"] == {
        "gender": 0,
        "city": 4,
        "education": 1,
    }
    levels.post("/lattice", search="yes")
    assert "node" not in levels.desk.raw["method"]


def test_a_node_that_cannot_be_released_says_why(levels: Visitor) -> None:
    """In the words of the command line; the lattice shows that the job has it."""
    page = levels.post("/lattice", node="0,0,0")
    assert page.status_code == 422
    assert "the node 0,0,0" in told(page)
    assert "The job releases the node 000 (not releasable)" in told(levels.get("/lattice"))


@pytest.mark.parametrize("node", ["", "0,0", "0,5,0", "0,-1,0", "a,b,c", "0,0,0,0"])
def test_there_is_no_such_node(levels: Visitor, node: str) -> None:
    """It is refused, and nothing changed."""
    assert levels.post("/lattice", node=node).status_code == 422
    assert len(levels.desk.versions) == 1


@pytest.mark.parametrize(("said", "chosen"), [("local = true\n", True), ("local = true\nnode = [1, 4, 2]\n", True)])
def test_local_recoding_begins_at_a_node(folder: Path, visit: Callable[..., Visitor], said: str, chosen: bool) -> None:  # noqa: FBT001
    """That one is shown."""
    text = LEVELS.replace('name = "optimal"\n', f'name = "optimal"\n{said}')
    (folder / "levels.toml").write_text(text, encoding="utf-8")
    assert ("The job releases the node" in told(visit(folder / "levels.toml").get("/lattice"))) is chosen


def test_a_lattice_without_a_release_is_shown(folder: Path, visit: Callable[..., Visitor]) -> None:
    """Every node is marked, and none is the job's."""
    (folder / "levels.toml").write_text(LEVELS.replace("k = 5", "k = 301"), encoding="utf-8")
    page = visit(folder / "levels.toml").get("/lattice")
    assert set(kinds(page.text).values()) == {"failing"}
    assert "The job releases none of the nodes shown." in told(page)


def test_of_a_larger_lattice_the_best_are_listed(levels: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what lies beside the best one and the one that the job has; each can be taken."""
    monkeypatch.setattr(nodes, "MOST_DRAWN", 29)
    monkeypatch.setattr(nodes, "MOST_LISTED", 1)
    levels.post("/lattice", node="1,4,2")
    page = levels.get("/lattice")
    assert "<polygon" not in page.text
    assert "Beside the best one, and beside the one that the job releases" in told(page)
    assert 'value="1,4,1" aria-label="Use gender 1, city 4, education 1' in page.text
    assert "The job releases the node 142 (releasable)" in told(page)
    assert "more minimal node" in told(page)


@pytest.mark.parametrize("said", ["", "local = true\n"])
def test_a_lattice_that_is_too_large_to_evaluate(
    folder: Path, visit: Callable[..., Visitor], monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    """What the search has found is listed, and what lies beside it is not evaluated."""
    monkeypatch.setattr(exhaustive, "MOST_JUDGED", 29)
    text = LEVELS.replace('name = "optimal"\n', f'name = "optimal"\n{said}')
    (folder / "levels.toml").write_text(text, encoding="utf-8")
    visitor = visit(folder / "levels.toml")
    page = visitor.get("/lattice")
    assert "too large to evaluate each: what optimal has found" in told(page)
    assert "not evaluated" in told(page)
    assert "optimal" in told(page)
    assert visitor.post("/lattice", node="1,4,2").status_code == 200
    assert MOST_JUDGED > 29


def test_an_unproven_answer_is_only_releasable(
    folder: Path, visit: Callable[..., Visitor], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A greedy search proves nothing."""
    monkeypatch.setattr(exhaustive, "MOST_JUDGED", 29)
    (folder / "levels.toml").write_text(LEVELS.replace('"optimal"', '"datafly"'), encoding="utf-8")
    page = visit(folder / "levels.toml").get("/lattice")
    assert 'class="best"' in page.text
    assert ">releasable<" in page.text
    assert ">optimal<" not in page.text


def test_a_method_with_levels_can_be_taken(visitor: Visitor) -> None:
    """Columns without a hierarchy get one, and lose what only cuts could use; then there is a lattice."""
    assert "mondrian has no levels for whole columns" in told(visitor.get("/lattice"))
    page = visitor.post("/lattice", method="samarati")
    assert visitor.desk.raw["method"]["name"] == "samarati"
    assert visitor.desk.raw["columns"]["age"] == {"role": "quasi", "hierarchy": "intervals:5,10,20"}
    assert visitor.desk.raw["columns"]["city"]["hierarchy"] == "city.json"
    assert visitor.desk.faults() == ()
    assert "Lattice of 150 nodes" in told(page)
    for method in ("mondrian", "magic"):
        assert visitor.post("/lattice", method=method).status_code == 422


@pytest.mark.parametrize(
    ("said", "hierarchy"),
    [
        ('{ role = "quasi", grid = [0, 50, 120] }', "suppress"),
        ('{ role = "quasi" }', "intervals:5,10,20"),
        ('{ role = "quasi", grid = 2.5 }', "intervals:2.5,5.0,10.0"),
    ],
)
def test_a_column_gets_ranges_that_grow_with_its_grid(
    folder: Path, visit: Callable[..., Visitor], said: str, hierarchy: str
) -> None:
    """Or those that were proposed for it; a list of cut points has no step."""
    text = (folder / "job.toml").read_text(encoding="utf-8")
    (folder / "job.toml").write_text(text.replace('{ role = "quasi", grid = 5 }', said), encoding="utf-8")
    visitor = visit(folder / "job.toml")
    visitor.post("/lattice", method="optimal")
    assert visitor.desk.raw["columns"]["age"]["hierarchy"] == hierarchy
    assert visitor.desk.faults() == ()


def test_a_population_is_looked_at(folder: Path, visit: Callable[..., Visitor]) -> None:
    """Where a model needs one."""
    text = LEVELS.replace("k = 5\n", "k = 5\nk-map = 5\n") + '\n[population]\npath = "people.csv"\n'
    (folder / "levels.toml").write_text(text, encoding="utf-8")
    page = visit(folder / "levels.toml").get("/lattice")
    assert page.status_code == 200
    assert "map" in told(page)
