"""Edge lists, ragged files, labels with several parents: files as people have them, and the words that mend them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from kohort.errors import HierarchyError, InputError
from kohort.schema.hierarchies import file_of, from_edges, from_tree, is_builder, read_hierarchy
from kohort.schema.hierarchy import Hierarchy
from kohort.schema.nesting import listed, quoted

if TYPE_CHECKING:
    from pathlib import Path

    from kohort.schema.nesting import Keep, Pad

ABOVE = {"Lazio": "Italia", "Roma": "Lazio", "Puglia": "Italia", "Bari": "Puglia", "Rieti": "Lazio"}
EDGES = [[child, parent] for child, parent in ABOVE.items()]
ROWS = [["Roma", "Lazio", "Italia"], ["Bari", "Puglia", "Italia"], ["Rieti", "Lazio", "Italia"]]
CITIES = Hierarchy.from_rows(ROWS)


def lines(rows: list[list[str]], separator: str = ",") -> str:
    """The rows as a file has them."""
    return "".join(f"{separator.join(row)}\n" for row in rows)


# ── What an edge list is ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "content",
    [
        lines(EDGES),
        lines(EDGES[::-1]).replace("Rieti,Lazio\nBari", "Bari").replace("Roma,Lazio\n", "Roma,Lazio\nRieti,Lazio\n"),
        lines(EDGES, ";"),
        lines(EDGES, ", "),
        lines(EDGES, "\t") + "\n\n",
        lines([*EDGES, ["Italia", ""]]),
        lines([["Italia", "Italia"], *EDGES]),
        lines([["child", "parent"], *EDGES]),
        lines([[" Parent ", "Child"], *(row[::-1] for row in EDGES)]),
    ],
    ids=["plain", "other order", "semicolons", "blanks", "blank end", "no parent", "own parent", "names", "swapped"],
)
def test_edges_are_known_by_parents_that_have_parents(tmp_path: Path, content: str) -> None:
    """Whatever separates the two columns, however the root is told, and whatever the order of the lines."""
    path = tmp_path / "city.csv"
    path.write_text(content)
    assert sorted(read_hierarchy(path).rows()) == sorted(CITIES.rows())


@pytest.mark.parametrize(
    "value",
    [
        EDGES,
        ABOVE,
        {**ABOVE, "Italia": None},
        [{"child": child, "parent": parent} for child, parent in EDGES],
        [{"parent": parent, "name": child} for child, parent in EDGES],
        [{"city": child, "within": parent} for child, parent in EDGES],
        ROWS,
        [{"city": city, "region": region, "country": country} for city, region, country in ROWS],
    ],
    ids=["pairs", "object", "null", "child and parent", "parent first", "other keys", "rows", "records"],
)
def test_json_holds_edges_and_rows_too(tmp_path: Path, value: object) -> None:
    """Lists of texts, objects with the same keys and one object of child and parent are tables; what else is a tree."""
    path = tmp_path / "city.json"
    path.write_text(json.dumps(value))
    assert read_hierarchy(path) == CITIES


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ([], "no leaves"),
        ([{"a": "x", "b": "*"}, {"b": "*", "a": "y"}], "neither a list nor an object"),
        ([["a", "x"], ["b", 5]], "a label is not text"),
        ([["a", "x"], "b"], "a label is not text"),
        ([{"a": "x"}, ["a", "x"]], "neither a list nor an object|a label is not text"),
        ({"a": "x", "b": 5}, "neither a list nor an object"),
    ],
    ids=["empty", "other order of keys", "number", "mixed", "object first", "mixed object"],
)
def test_json_that_is_no_table_is_read_as_a_tree(tmp_path: Path, value: object, what: str) -> None:
    """Where one cell is no text, or keys differ, nothing is taken for a table."""
    path = tmp_path / "city.json"
    path.write_text(json.dumps(value))
    with pytest.raises(HierarchyError, match=what):
        read_hierarchy(path)


def test_two_columns_without_grandparents_are_rows(tmp_path: Path) -> None:
    """A leaf and the root in each line, and a leaf called like its group, are rows as before."""
    path = tmp_path / "sex.csv"
    path.write_text("Male,*\nFemale,*\n")
    assert read_hierarchy(path).labels == (("Male", "Female"), ("*",))
    path.write_text("Other,Other\nNobody,Other\n")
    assert read_hierarchy(path).labels == (("Other", "Nobody"), ("Other",))
    path.write_text("Roma,Lazio\nBari,Puglia\n")
    assert read_hierarchy(f"{path}:root").labels == (("Roma", "Bari"), ("Lazio", "Puglia"), ("*",))


def test_a_leaf_may_be_called_like_the_node_above_it() -> None:
    """The city Roma in the province Roma: its own parent beside another makes a leaf of it."""
    made = from_edges([["Roma", "Roma"], ["Tivoli", "Roma"], ["Roma", "Lazio"], ["Lazio", "Italia"]])
    assert list(made.rows()) == [("Roma", "Roma", "Lazio", "Italia"), ("Tivoli", "Roma", "Lazio", "Italia")]


def test_a_missing_value_has_a_parent() -> None:
    """An empty child is the missing value."""
    made = from_edges([["", "Unknown"], ["Roma", "Lazio"], ["Lazio", "*"], ["Unknown", "*"]])
    assert list(made.rows()) == [("", "Unknown", "*"), ("Roma", "Lazio", "*")]


@pytest.mark.parametrize(
    ("edges", "what", "hint"),
    [
        ([], "no leaves", ""),
        ([["child", "parent"]], "no leaves", ""),
        ([["a", "b"], ["b", "a"]], "label 'a' lies below itself: 'a', 'b', 'a'", "closes the circle"),
        ([["x", "a"], ["a", "b"], ["b", "c"], ["c", "a"]], "label 'a' lies below itself: 'a', 'b', 'c', 'a'", "circle"),
        ([["a", "x"], ["x", "*"], ["b", "y"]], "no common root: 2 labels at the top ('*', 'y')", "FILE:root"),
        (
            [["city", "region"], *EDGES],
            "2 labels at the top ('region', 'Italia')",
            "if it names the columns",
        ),
        ([["a", "x"], ["a", "y"], ["x", "*"], ["y", "*"]], "leaf 'a' has two parents: 'x' and 'y'", "FILE:first"),
        (
            [["a", "x"], ["x", "*"], ["x", "r"], ["a", "y"], ["y", "*"], ["b", "x"]],
            "leaf 'a' has two parents: 'x' and 'y' (1 label has several, too)",
            "FILE:last",
        ),
        ([["a", "x"], ["b", "x"], ["x", "*"], ["x", "r"]], "label 'x' has two parents: '*' and 'r'", "FILE:last"),
        ([row[::-1] for row in EDGES], "leaf 'Italia' has two parents: 'Lazio' and 'Puglia'", "look swapped"),
        ([["a", "x"], ["x", "*"], ["b", "*"]], "1 of 2 leaves are higher than the deepest", "FILE:pad"),
        ([[f"{at}", f"{at + 1}"] for at in range(1002)], "a tree deeper than 1,000 levels", ""),
        ([["a", ""]], "leaves and at least one level above them", ""),
    ],
)
def test_edges_that_are_no_hierarchy(edges: list[list[str]], what: str, hint: str) -> None:
    """Circles, several roots, two parents and leaves at different depths are told by their labels, with a way on."""
    with pytest.raises(HierarchyError) as caught:
        from_edges(edges, name="city")
    assert what in caught.value.what
    assert hint in caught.value.hint
    assert caught.value.where == "hierarchy of city"


# ── Padding ──────────────────────────────────────────────────────────────────────────────────────

DEEP = [["Milano", "MI", "Lombardia", "Italia"], ["San Marino", "Abroad", "Italia"]]
DOWN = ("San Marino", "San Marino", "Abroad", "Italia")
UP = ("San Marino", "Abroad", "Abroad", "Italia")


@pytest.mark.parametrize(
    ("word", "rows", "others"),
    [("pad", UP, DOWN), ("pad-up", UP, UP), ("pad-down", DOWN, DOWN)],
)
def test_words_after_a_file_pad_it(tmp_path: Path, word: str, rows: tuple[str, ...], others: tuple[str, ...]) -> None:
    """`pad` keeps the levels that a form states: of rows those by the leaf, of edges and trees those by the root."""
    (tmp_path / "rows.csv").write_text(lines(DEEP, ";"))
    edges = [["Milano", "MI"], ["MI", "Lombardia"], ["Lombardia", "Italia"], ["San Marino", "Abroad"]]
    (tmp_path / "edges.csv").write_text(lines([*edges, ["Abroad", "Italia"]]))
    tree = {"Italia": {"Lombardia": {"MI": ["Milano"]}, "Abroad": ["San Marino"]}}
    (tmp_path / "tree.json").write_text(json.dumps(tree))
    for name, expected in (("rows.csv", rows), ("edges.csv", others), ("tree.json", others)):
        made = read_hierarchy(tmp_path / f"{name}:{word}")
        assert list(made.rows()) == [tuple(DEEP[0]), expected]
        assert made.changes == (f"1 leaf padded {'upward' if expected == UP else 'downward'}",)
        with pytest.raises(InputError) as caught:
            read_hierarchy(tmp_path / name)
        assert "FILE:pad" in caught.value.hint


def test_what_needs_no_padding_is_not_changed(tmp_path: Path) -> None:
    """A file of one depth is the same with the word, and nothing is told."""
    path = tmp_path / "city.csv"
    path.write_text(lines(EDGES))
    assert read_hierarchy(f"{path}:pad") == CITIES
    assert read_hierarchy(f"{path}:pad").changes == ()


@pytest.mark.parametrize("pad", [True, "up"])
def test_upward_the_root_stays_the_root(pad: Pad) -> None:
    """Where all rows end in one label, the one before it is repeated; where they do not, the last."""
    rows = [["a", "x", "y", "*"], ["b", "z", "*"], ["c", "*"]]
    padded = [("a", "x", "y", "*"), ("b", "z", "z", "*"), ("c", "c", "c", "*")]
    assert list(Hierarchy.from_rows(rows, pad=pad).rows()) == padded
    named = [[*row[:-1], "all"] for row in rows]
    assert list(Hierarchy.from_rows(named, pad=pad).rows()) == [(*row[:-1], "all") for row in padded]
    mixed = [["a", "x", "y", "p"], ["b", "z"], ["c", "q"]]
    expected = [("a", "x", "y", "p", "r"), ("b", "z", "z", "z", "r"), ("c", "q", "q", "q", "r")]
    assert list(Hierarchy.from_rows(mixed, pad=pad, root="r").rows()) == expected


# ── Several parents ──────────────────────────────────────────────────────────────────────────────

TWICE = [["a", "x", "n", "*"], ["b", "y", "n", "*"], ["a", "y", "s", "*"], ["a", "x", "n", "*"], ["c", "z", "s", "*"]]


@pytest.mark.parametrize(
    ("keep", "expected"),
    [
        ("first", [("a", "x", "n", "*"), ("b", "y", "n", "*"), ("c", "z", "s", "*")]),
        ("last", [("a", "x", "n", "*"), ("b", "y", "s", "*"), ("c", "z", "s", "*")]),
    ],
)
def test_one_parent_of_several_is_kept_where_that_is_asked(keep: Keep, expected: list[tuple[str, ...]]) -> None:
    """For every label the parent in the first row that has it, or in the last, whichever rows are between."""
    made = Hierarchy.from_rows(TWICE, keep=keep)
    assert sorted(made.rows()) == expected
    assert made.changes == (f"2 labels have several parents: the {keep} one is kept",)


@pytest.mark.parametrize(("keep", "region"), [("first", "Lazio"), ("last", "Umbria")])
def test_every_form_keeps_one_parent(tmp_path: Path, keep: Keep, region: str) -> None:
    """Rows, edges and trees alike; a node that has lost its last child is gone."""
    tree = {"Italia": {"Lazio": ["Roma"], "Umbria": ["Roma"]}}
    edges = [["Roma", "Lazio"], ["Roma", "Umbria"], ["Lazio", "Italia"], ["Umbria", "Italia"]]
    rows = [["Roma", "Lazio", "Italia"], ["Roma", "Umbria", "Italia"]]
    (tmp_path / "h.csv").write_text(lines(rows))
    expected = [("Roma", region, "Italia")]
    told = (f"1 label has several parents: the {keep} one is kept",)
    assert list(from_tree(tree, keep=keep).rows()) == expected
    assert list(read_hierarchy(f"{tmp_path / 'h.csv'}:{keep}").rows()) == expected
    assert from_tree(tree, keep=keep).changes == told
    made = from_edges([*edges, ["Terni", "Umbria"], ["Rieti", "Lazio"]], keep=keep)
    assert {leaf: above for leaf, above, _ in made.rows()} == {"Roma": region, "Terni": "Umbria", "Rieti": "Lazio"}
    assert made.changes == told


def test_the_last_edge_decides_also_where_it_was_there_before() -> None:
    """Of three rows with two parents the last row's counts."""
    edges = [["a", "x"], ["a", "y"], ["a", "x"], ["b", "y"], ["x", "*"], ["y", "*"]]
    assert list(from_edges(edges, keep="last").rows()) == [("a", "x", "*"), ("b", "y", "*")]


def test_repeated_rows_are_one_where_one_is_kept() -> None:
    """A row that says the same again changes nothing, so nothing is told of it."""
    made = Hierarchy.from_rows([["a", "*"], ["a", "*"], ["b", "*"]], keep="first")
    assert (made.leaves, made.changes) == (("a", "b"), ())


def test_a_root_is_added_after_a_parent_is_kept() -> None:
    """A top that has lost its last child needs no root above it."""
    rows = [["a", "x", "r"], ["a", "y", "s"]]
    assert list(Hierarchy.from_rows(rows, keep="first", root="*").rows()) == [("a", "x", "r")]


# ── The words ────────────────────────────────────────────────────────────────────────────────────


def test_words_come_together_and_arguments_go_before_them(tmp_path: Path) -> None:
    """Several words hold at once; what is said in Python wins."""
    path = tmp_path / "h.csv"
    path.write_text("a;x\na;y\nb;z;s\n")
    assert sorted(read_hierarchy(f"{path}:first:pad:root").rows()) == [("a", "x", "x", "*"), ("b", "z", "s", "*")]
    down = read_hierarchy(f"{path}:pad-up:last:root", pad="down", root="all")
    assert sorted(down.rows()) == [("a", "a", "y", "all"), ("b", "z", "s", "all")]
    assert file_of(f"{path}:last:pad-up") == path


def test_a_file_may_be_called_like_a_word(tmp_path: Path) -> None:
    """What there is under the whole name is that file."""
    path = tmp_path / "h:pad"
    path.write_text("a;*\n")
    assert file_of(path) == path
    assert read_hierarchy(path).leaves == ("a",)
    assert file_of(":pad").name == ":pad"


def test_words_make_no_builder_of_a_file(tmp_path: Path) -> None:
    """A file whose name is nearly that of a builder is one with words, too."""
    (tmp_path / "date").write_text("a;*\n")
    assert not is_builder("date:pad", folder=tmp_path)


def test_an_unknown_word_is_told_the_known_ones(tmp_path: Path) -> None:
    """A misspelt word looks like a file that is not there."""
    path = tmp_path / "h.csv"
    path.write_text("a;*\n")
    with pytest.raises(InputError, match="no such file") as caught:
        read_hierarchy(f"{path}:fist")
    words = ":pad, :pad-up, :pad-down, :first, :last, :qualify, :root, :from-data"
    assert caught.value.hint == f"after a file's name there may be {words}"


def test_blank_lines_end_a_file(tmp_path: Path) -> None:
    """At the end they are nothing; between rows they are a slip, told by its line."""
    path = tmp_path / "h.csv"
    path.write_text("a;*\nb;*\n\n\n")
    assert read_hierarchy(path).leaves == ("a", "b")
    path.write_text("a;*\n\n\nb;*\n")
    with pytest.raises(InputError, match="an empty line") as caught:
        read_hierarchy(path)
    assert caught.value.where == f"{path}, line 2"


def test_blanks_after_every_separator_are_no_part_of_labels(tmp_path: Path) -> None:
    """As the classic files have them; a blank after some separators only is kept."""
    path = tmp_path / "h.csv"
    path.write_text('Divorced, apart, *\n"Never-married", alone, *\n')
    assert list(read_hierarchy(path).rows()) == [("Divorced", "apart", "*"), ("Never-married", "alone", "*")]
    path.write_text("a, x,*\nb, x,*\n")
    assert read_hierarchy(path).labels[1] == (" x",)


def test_labels_in_messages_are_short_and_harmless() -> None:
    """What could steer a terminal is escaped, the middle of a long label left out, and a long list cut."""
    assert quoted("\x1b[2J") == "'\\x1b[2J'"
    assert len(quoted("a" * 1000)) < 50
    assert listed(["a"]) == "'a'"
    assert listed(list("abcdef")).endswith("'e', …")
