"""Labels that stand in several places of a hierarchy: nodes are then named with their parents, and a table releases."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.assessment.labels import covers
from kohort.schema.hierarchies import from_tree, read_hierarchy
from kohort.schema.hierarchy import Hierarchy
from tests.command import kohort

if TYPE_CHECKING:
    from pathlib import Path

#: A leaf and a node of one label, two nodes of one label, and a leaf under two parents.
ROWS = [
    ["Carpenter", "Trades", "Building", "*"],
    ["Plumber", "Trades", "Building", "*"],
    ["Bridge Engineer", "Civil Engineer", "Building", "*"],
    ["Bridge Engineer", "Structures", "Civil Engineer", "*"],
    ["Road Engineer", "Structures", "Civil Engineer", "*"],
    ["Framing Carpenter", "Carpenter", "Woodworker", "*"],
    ["Cabinet Maker", "Carpenter", "Woodworker", "*"],
]
NAMED = {"Carpenter (Woodworker)", "Civil Engineer (Building)", "Civil Engineer (*)"}


def forms(folder: Path) -> dict[str, Path]:
    """The same hierarchy in a file of rows, as a tree, and as lists."""
    tree: dict[str, object] = {
        "name": "*",
        "all": [
            {"Building": {"Trades": ["Carpenter", "Plumber"], "Civil Engineer": ["Bridge Engineer"]}},
            {"Civil Engineer": {"Structures": ["Bridge Engineer", "Road Engineer"]}},
            {"Woodworker": {"Carpenter": ["Framing Carpenter", "Cabinet Maker"]}},
        ],
    }
    texts = {
        "rows.csv": "".join(f"{';'.join(row)}\n" for row in ROWS),
        "tree.json": json.dumps(tree),
        "lists.json": json.dumps(ROWS),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return {name: folder / name for name in texts}


@pytest.mark.parametrize("form", ["rows.csv", "tree.json", "lists.json"])
def test_a_table_is_released_over_labels_in_several_places(form: str, tmp_path: Path) -> None:
    """Leaves keep their labels, which the table has; each node has one that no other has."""
    path = forms(tmp_path)[form]
    made = read_hierarchy(f"{path}:qualify")
    assert not made.twofold()
    assert {label for labels in made.labels[1:] for label in labels} >= NAMED
    assert made.changes == ("1 label has several parents: the first one is kept", "3 nodes named with the parents")
    jobs = list(dict.fromkeys(row[0] for row in ROWS))
    pl.DataFrame({"job": jobs * 20, "age": [str(20 + at % 9) for at in range(len(jobs) * 20)]}).write_csv(
        tmp_path / "in.csv"
    )
    for method in (["--method", "optimal"], ["--labels", "ancestor"]):
        flags = ["--quasi", "job,age", "--hierarchy", f"job={path}:qualify", "--hierarchy", "age=intervals:3"]
        ends = [tmp_path / "in.csv", "--out", tmp_path / "out.csv", "--overwrite"]
        ran = kohort("anonymize", *ends, *flags, *method, "--k", 40)
        assert ran.status == 0, ran.err
        certificate = tmp_path / "out.csv.kohort.json"
        again = ["--certificate", certificate, "--hierarchy", f"job={path}:qualify"]
        assert kohort("check", tmp_path / "out.csv", *again).status == 0


@pytest.mark.parametrize("out", ["job.csv", "job.json"])
def test_what_convert_writes_works(out: str, tmp_path: Path) -> None:
    """A file made of such a hierarchy needs no suffix any more."""
    path = forms(tmp_path)["tree.json"]
    assert kohort("hierarchy", "convert", f"{path}:qualify", "--out", tmp_path / out).status == 0
    assert read_hierarchy(tmp_path / out) == read_hierarchy(f"{path}:qualify")


def test_without_it_the_message_says_what_helps(tmp_path: Path) -> None:
    """Both refusals, that of several parents and that of labels with several meanings, name the suffix."""
    pl.DataFrame({"job": ["Carpenter", "Road Engineer"] * 9}).write_csv(tmp_path / "in.csv")
    path = forms(tmp_path)["rows.csv"]
    ends = [tmp_path / "in.csv", "--out", tmp_path / "out.csv", "--quasi", "job", "--method", "optimal", "--k", 2]
    for suffix in ("", ":first"):
        ran = kohort("anonymize", *ends, "--hierarchy", f"job={path}{suffix}")
        assert ran.status == 3
        assert "FILE:qualify" in ran.err


def test_a_city_in_the_province_of_its_name_is_told_apart() -> None:
    """The province gets its region's name; what is padded below itself keeps one."""
    made = from_tree(
        {"Italia": {"Lazio": {"Roma": ["Roma", "Tivoli"]}, "Molise": {"Isernia": ["Isernia"]}}}, keep="qualify"
    )
    assert made.labels[1] == ("Roma (Lazio)", "Isernia")


def test_parents_of_one_label_are_told_apart_by_theirs() -> None:
    """As many ancestors are named as it takes."""
    rows = [["a", "x", "y", "one", "*"], ["b", "x", "y", "two", "*"], ["c", "z", "y", "two", "*"]]
    made = Hierarchy.from_rows(rows, keep="qualify")
    assert made.labels[1] == ("x (y, one)", "x (y, two)", "z") or made.labels[1] == ("x (y)", "x (y, two)", "z")
    assert not made.twofold()


LABELS = st.sampled_from("abcd")


@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), LABELS, LABELS, LABELS), min_size=1, max_size=12))
def test_whatever_stands_where_labels_mean_one_thing(paths: list[tuple[str, ...]]) -> None:
    """All leaves stay, each below what it was below first, and no label stands for two sets of values."""
    made = Hierarchy.from_rows([[*path, "*"] for path in paths], keep="qualify")
    assert {*made.leaves} == {path[0] for path in paths}
    assert not made.twofold()
    first = {path[0]: path for path in reversed(paths)}
    for at, leaf in enumerate(made.leaves):
        climbed = [
            labels[int(nodes[at])].partition(" ")[0] for labels, nodes in zip(made.labels, made.maps, strict=True)
        ]
        assert tuple(climbed[:-1]) == first[leaf]


# ── labels in brackets ───────────────────────────────────────────────────────────────────────────


REGIONS = from_tree({"Italy": {"North": ["Turin", "Genoa"], "South": ["Bari"]}})


@pytest.mark.parametrize(
    ("label", "below"),
    [
        ("[North]", [1, 1, 0]),
        ("[Italy]", [1, 1, 1]),
        ("[South]", [0, 0, 1]),
        ("South", [0, 0, 1]),
        ("[Turin-Genoa]", [1, 1, 0]),
    ],
)
def test_a_node_in_brackets_is_the_node(label: str, below: list[int]) -> None:
    """Some programs print nodes so; a range of names stays one."""
    assert covers([label], ["Turin", "Genoa", "Bari"], hierarchy=REGIONS).astype(np.int8).tolist() == [below]


def test_a_node_whose_name_has_brackets_is_itself() -> None:
    """Brackets are taken off only where no node is called with them."""
    odd = from_tree({"*": {"[A]": ["x"], "A": ["y"]}})
    assert covers(["[A]", "A"], ["x", "y"], hierarchy=odd).astype(np.int8).tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("command", ["compare", "risk", "check"])
def test_releases_of_other_programs_are_read(command: str, tmp_path: Path) -> None:
    """Compare, risk and check read such labels with the hierarchy."""
    people, release, tree = (tmp_path / name for name in ("people.csv", "release.csv", "city.json"))
    people.write_text("city,age\nTurin,24\nGenoa,30\nBari,40\nBari,44\n", encoding="utf-8")
    release.write_text(
        "city,age\n[North],[24-30]\n[North],[24-30]\n[Italy],[40-44]\n[Italy],[40-44]\n", encoding="utf-8"
    )
    tree.write_text('{"Italy": {"North": ["Turin", "Genoa"], "South": ["Bari"]}}', encoding="utf-8")
    flags: list[object] = ["--quasi", "city,age", "--hierarchy", f"city={tree}"]
    words: dict[str, list[object]] = {
        "compare": [people, release],
        "risk": [release, "--population", people],
        "check": [release, "--k", 2, "--k-map", 2, "--population", people],
    }
    ran = kohort(command, *words[command], *flags)
    assert ran.status == 0, ran.err
