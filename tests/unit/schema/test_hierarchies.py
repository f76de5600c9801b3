"""Builders, readers and renderers of hierarchies, by worked examples."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from kohort.errors import HierarchyError, InputError, KohortError
from kohort.io.hierarchies import write_csv, write_json
from kohort.schema.hierarchies import (
    HeldFile,
    cuts,
    dates,
    findings,
    frequent,
    from_spec,
    from_tree,
    groups,
    held_file,
    intervals,
    is_builder,
    mask,
    prefix,
    read_held,
    read_hierarchy,
    show,
    suffix,
    suppress,
    to_tree,
    with_missing,
)
from kohort.schema.hierarchy import Hierarchy

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CITIES = [["Milano", "Nord", "*"], ["Torino", "Nord", "*"], ["Bari", "Sud", "*"]]


# ── Files ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "text",
    [
        "Milano;Nord;*\nTorino;Nord;*\nBari;Sud;*\n",
        "\ufeffMilano;Nord;*\nTorino;Nord;*\nBari;Sud;*",
        "Milano,Nord,*\r\nTorino,Nord,*\r\nBari,Sud,*\r\n",
        "Milano\tNord\t*\rTorino\tNord\t*\rBari\tSud\t*\r",
        'Milano|"Nord"|*\n"Torino"|Nord|*\nBari|Sud|"*"\n',
    ],
    ids=["semicolon", "mark", "comma", "tab", "quotes"],
)
def test_separators_line_ends_and_quotes_make_no_difference(tmp_path: Path, text: str) -> None:
    """The separator is found out; byte-order mark, line ends and quotes are taken as they come."""
    path = tmp_path / "city.csv"
    path.write_bytes(text.encode())
    assert read_hierarchy(path) == Hierarchy.from_rows(CITIES)


def test_commas_inside_labels_do_not_separate(tmp_path: Path) -> None:
    """Where commas and semicolons both cut every row alike, semicolons separate."""
    path = tmp_path / "age.csv"
    path.write_text("20;[20, 25);*\n21;[20, 25);*\n")
    assert read_hierarchy(path).labels[1] == ("[20, 25)",)


def test_the_most_likely_separator_is_taken_where_no_row_count_agrees(tmp_path: Path) -> None:
    """Rows of different length may be padded, so they need not agree on a separator."""
    path = tmp_path / "city.csv"
    path.write_text("Milano,Nord,*\nabroad,*\n")
    assert list(read_hierarchy(path, pad=True).rows())[1] == ("abroad", "abroad", "*")
    path.write_text("Milano|Nord|*\na;b|*\n")
    assert read_hierarchy(path, pad=True, separator="|").leaves == ("Milano", "a;b")


def test_a_column_of_leaves_needs_a_root(tmp_path: Path) -> None:
    """Rows without a separator are leaves only, and a root can be asked for."""
    path = tmp_path / "sex.csv"
    path.write_text("Male\nFemale\n")
    assert read_hierarchy(path, root="*") == Hierarchy.from_rows([["Male", "*"], ["Female", "*"]])


@pytest.mark.parametrize("name", ["city.json", "city.JSON", "city", "city.hierarchy"])
def test_json_is_known_by_suffix_or_by_its_first_sign(tmp_path: Path, name: str) -> None:
    """A file that ends in .json or begins like an object is a tree."""
    path = tmp_path / name
    path.write_text('\n {"*": {"Nord": ["Milano", "Torino"], "Sud": ["Bari"]}}')
    if name == "city":
        path.write_text(path.read_text().strip())
    path = path.rename(tmp_path / name)
    assert read_hierarchy(path) == Hierarchy.from_rows(CITIES)


def test_a_file_without_suffix_holds_rows_unless_it_begins_like_an_object(tmp_path: Path) -> None:
    """Rows are what a file holds by default; a .csv file may begin with a set in braces."""
    path = tmp_path / "city"
    path.write_text("Milano;Nord;*\nTorino;Nord;*\nBari;Sud;*\n")
    assert read_hierarchy(path) == Hierarchy.from_rows(CITIES)
    path = tmp_path / "city.csv"
    path.write_text("{a, b};*\nc;*\n")
    assert read_hierarchy(path).leaves == ("{a, b}", "c")


def test_written_files_are_read_back(tmp_path: Path) -> None:
    """CSV and JSON keep labels with separators, quotes, line ends and other scripts."""
    rows = [['a;"b"', "x\ny", "*"], ["città", "x\ny", "*"], ["", "", "*"], ["\r", "z", "*"]]
    hierarchy = Hierarchy.from_rows(rows)
    write_csv(hierarchy, tmp_path / "h.csv")
    write_csv(hierarchy, tmp_path / "h.tsv", separator="\t")
    write_json(hierarchy, tmp_path / "h.json")
    assert [read_hierarchy(path) for path in sorted(tmp_path.iterdir())] == [hierarchy] * 3


@pytest.mark.parametrize(
    "content",
    [b"Roma;Lazio;*\nBari;Puglia;*\n", b'{"*": {"Lazio": ["Roma"], "Puglia": ["Bari"]}}', b"\xff;*\n", b"a;b\nc\n"],
)
def test_a_held_file_is_read_as_one_on_the_disk(tmp_path: Path, content: bytes) -> None:
    """The same hierarchy, or the same error, which calls it by its name alone."""
    path, held = tmp_path / "city", HeldFile("city", content)
    path.write_bytes(content)
    assert outcome(partial(read_hierarchy, path), str(path)) == outcome(partial(read_held, held), "city")


def outcome(read: Callable[[], Hierarchy], place: str) -> Hierarchy | tuple[str, str, str]:
    """What is read; the error without the file's place."""
    try:
        return read()
    except KohortError as error:
        return error.what, error.where.removeprefix(place), error.hint


@pytest.mark.parametrize("row", [["a", "parent"], ["\ufeffa", "*"]])
def test_rows_that_pass_for_something_else_are_held_as_a_tree(row: list[str]) -> None:
    """For the names of columns; or with a mark that would vanish at the beginning of a file."""
    made = Hierarchy.from_rows([row])
    assert held_file(made, "h").name == "h.json"
    assert read_held(held_file(made, "h")) == made


def test_a_file_is_overwritten_only_when_asked(tmp_path: Path) -> None:
    """With `overwrite` the new content replaces the old, and nothing else is left in the folder."""
    path = tmp_path / "h.csv"
    write_csv(suppress(["a"]), path)
    write_csv(suppress(["b"]), path, overwrite=True)
    assert path.read_text() == "b;*\n"
    assert list(tmp_path.iterdir()) == [path]


# ── Trees ────────────────────────────────────────────────────────────────────────────────────────

ITALY = Hierarchy.from_rows(
    [
        ["Milano", "MI", "Lombardia", "Italia"],
        ["Como", "CO", "Lombardia", "Italia"],
        ["Bari", "BA", "Puglia", "Italia"],
    ]
)


TREES = {
    "mappings": """{"Italia": {"Lombardia": {"MI": ["Milano"], "CO": ["Como"]}, "Puglia": {"BA": ["Bari"]}}}""",
    "named": """{"name": "Italia", "population": 59000000, "regions": [
        {"name": "Lombardia", "capital": "Milano", "provinces": [
            {"name": "MI", "cities": ["Milano"]},
            {"name": "CO", "cities": ["Como"]}]},
        {"name": "Puglia", "provinces": [{"name": "BA", "cities": [{"name": "Bari"}]}]}]}""",
    "lists": """[{"Italia": [
        {"name": "Lombardia", "west": {"MI": ["Milano"]}, "east": {"CO": {"Como": []}}},
        {"Puglia": {"BA": ["Bari"]}}]}]""",
    "mixture": """{"name": "Italia",
        "north": {"name": "Lombardia", "of": [{"MI": ["Milano"], "CO": {"Como": {}}}]},
        "south": {"Puglia": {"BA": ["Bari"]}}}""",
    "own": json.dumps(to_tree(ITALY)),
}


@pytest.mark.parametrize("text", TREES.values(), ids=TREES)
def test_trees_of_any_shape_mean_the_same(text: str) -> None:
    """Names with children under any keys, nested mappings and mixtures of both describe one hierarchy."""
    assert from_tree(json.loads(text)) == ITALY


def test_tuples_are_lists() -> None:
    """Python's tuples hold nodes as lists do."""
    assert from_tree({"*": ("a", "b")}) == suppress(["a", "b"])


def test_a_mapping_may_have_a_label_called_name() -> None:
    """Only a text under `name` names the object; a list under it holds children of a node `name`."""
    assert from_tree({"name": ["a"], "title": ["b"]}, root="*").labels[1] == ("name", "title")


def test_shallow_leaves_are_put_below_nodes_of_their_own_label() -> None:
    """Padding a tree keeps every node at its distance from the root."""
    padded = from_tree({"Italia": [{"Lombardia": ["Milano"]}, "San Marino"]}, pad=True)
    assert list(padded.rows()) == [("Milano", "Lombardia", "Italia"), ("San Marino", "San Marino", "Italia")]


# ── Builders ─────────────────────────────────────────────────────────────────────────────────────


def test_age_bins_of_the_published_experiment() -> None:
    """Ages 16..95 fall into 16, 8 and 4 bins of 5, 10 and 20 years."""
    ages = intervals(map(str, range(16, 96)), low=16, high=95, name="age")
    assert [len(labels) for labels in ages.labels] == [80, 16, 8, 4, 1]
    assert [set(ages.covered(level).tolist()) for level in range(5)] == [{1}, {5}, {10}, {20}, {80}]
    assert (ages.labels[1][0], ages.labels[1][-1], ages.name, ages.data_dependent) == (
        "[16-21)",
        "[91-96)",
        "age",
        False,
    )


def test_bounds_belong_to_one_range_each() -> None:
    """A range has its lower end and not its upper one, below zero and between whole numbers too."""
    values = ["-7", "-5", "-0", "0.5", "4.99", "5", "5.0"]
    ranges = intervals(values, [5, 10])
    assert {row[0]: row[1] for row in ranges.rows()} == {
        "-7": "[-10--5)",
        "-5": "[-5-0)",
        "-0": "[0-5)",
        "0.5": "[0-5)",
        "4.99": "[0-5)",
        "5": "[5-10)",
        "5.0": "[5-10)",
    }
    assert ranges.labels[2] == ("[-10-0)", "[0-10)")
    assert ranges.leaves == tuple(sorted(values, key=lambda text: (float(text), text)))


def test_decimal_widths_are_exact() -> None:
    """0.1 + 0.2 is 0.3, and numbers beyond 2^53 keep their last digit."""
    assert intervals(["0.3"], ["0.1"]).labels[1] == ("[0.3-0.4)",)
    assert intervals(["9007199254740993"], [2], origin=1).labels[1] == ("[9007199254740993-9007199254740995)",)
    assert intervals(["1"], [0.5]).labels[1] == ("[1-1.5)",)
    assert intervals(["-0.25"], ["0.50", 1]).labels[1:] == (("[-0.5-0)",), ("[-1-0)",), ("*",))


def test_an_origin_moves_all_ranges() -> None:
    """Ranges begin at the origin where one is given, else at `low`, else at zero."""
    assert intervals(["17"], [5], low=16).labels[1] == ("[16-21)",)
    assert intervals(["17"], [5], low=16, origin=0).labels[1] == ("[15-20)",)
    assert intervals(["17"], [5]).labels[1] == ("[15-20)",)


def test_open_ends_gather_what_lies_outside() -> None:
    """Values below `low` and from `high` on have one range each, and no other range reaches over these ends."""
    ends = intervals(["3", "15", "16", "94", "95", "200"], [10, 20], low=16, high=95, open_ends=True)
    assert ends.labels[1:3] == (("<16", "[16-26)", "[86-95)", ">=95"), ("<16", "[16-36)", "[76-95)", ">=95"))
    assert intervals(["15", "16", "95"], [10], low=16, high=95, open_ends=True).labels[1] == ("<16", "[16-26)", ">=95")
    assert intervals(["3", "17"], [10], low=16, open_ends=True).labels[1] == ("<16", "[16-26)")
    assert intervals(["3", "17"], [10], high=16, open_ends=True).labels[1] == ("[0-10)", ">=16")
    assert intervals(["12"], [10], low=11, high=15, origin=0, open_ends=True).labels[1] == ("[11-15)",)


def test_cuts_are_taken_as_given() -> None:
    """Ranges lie between the cut points of each level, with open ends where asked."""
    values = ["0", "18", "64", "65", "90"]
    closed = cuts(values, [[0, 18, 65, 120], [0, 65, 120]], name="age")
    assert closed.labels[1:] == (("[0-18)", "[18-65)", "[65-120)"), ("[0-65)", "[65-120)"), ("*",))
    ends = cuts(values, [[18, 65], [65]], open_ends=True, data_dependent=True)
    assert ends.labels[1:] == (("<18", "[18-65)", ">=65"), ("<65", ">=65"), ("*",))
    assert (closed.data_dependent, ends.data_dependent) == (False, True)


def test_masking_goes_from_one_side() -> None:
    """Each level masks one more character, on the side asked for, and the root all of them."""
    assert next(mask(["20139"]).rows()) == ("20139", "2013*", "201**", "20***", "2****", "*")
    assert next(mask(["20139"], side="left", char="x").rows()) == ("20139", "x0139", "xx139", "xxx39", "xxxx9", "*")
    assert next(mask(["20139"], steps=(2, 4)).rows()) == ("20139", "201**", "2****", "*")
    assert mask(["a", "b"]).labels == (("a", "b"), ("*",))


def test_short_values_are_filled_on_the_masked_side() -> None:
    """A fill character stands in for what shorter values lack, under the mask first; leaves stay as they are."""
    assert next(mask(["201", "20139"], fill="_").rows()) == ("201", "201_*", "201**", "20***", "2****", "*")
    assert list(mask(["1", "12"], side="left", fill="0").rows()) == [("1", "*1", "*"), ("12", "*2", "*")]


def test_codes_fall_together_by_their_beginning() -> None:
    """Each level keeps fewer characters; a code that is as short as the prefix is under it, a shorter one stays."""
    codes = prefix(["E11.9", "E11", "E1", "I10"], [1, 3, 5])
    assert list(codes.rows()) == [
        ("E1", "E1", "E1", "E*", "*"),
        ("E11", "E11", "E11*", "E*", "*"),
        ("E11.9", "E11.9*", "E11*", "E*", "*"),
        ("I10", "I10", "I10*", "I*", "*"),
    ]
    assert prefix(["a", "b"]).labels == (("a", "b"), ("*",))
    assert list(prefix(["a7", "Q2", "5"], [1, 2], halves=True).rows()) == [
        ("5", "5", "5", "5", "5*", "[5-6]*", "[5-9]*", "*"),
        ("Q2", "Q2*", "Q[2-4]*", "Q[0-4]*", "Q*", "[N-S]*", "[N-Z]*", "*"),
        ("a7", "a7*", "a[7-9]*", "a[5-9]*", "a*", "a*", "a*", "*"),
    ]
    assert list(suffix(["3/99", "12/99"], [2]).rows()) == [("12/99", "*99", "*"), ("3/99", "*99", "*")]
    years = suffix(["3/1984", "x", "12/1999"], [4], halves=True)
    assert next(iter(years.rows())) == (
        *("12/1999", "*1999", "*199[7-9]", "*199[5-9]", "*199?", "*19[7-9]?", "*19[5-9]?", "*19??", "*"),
    )
    assert years.labels[5:8] == (("*19[7-9]?", "x"), ("*19[5-9]?", "x"), ("*19??", "x"))
    with pytest.raises(HierarchyError, match="single length"):
        suffix(["1999"], halves=True)
    assert from_spec("prefix", ["12", "123"]) == prefix(["12", "123"], [1, 2])


def test_days_fall_into_periods() -> None:
    """Months, quarters, years and decades nest, leap days included, in time order."""
    timed = dates(["2000-02-29", "2000-02-29 23:59:59.5"], ["year"])
    assert timed.labels == (("2000-02-29", "2000-02-29 23:59:59.5"), ("2000-02-29",), ("2000",), ("*",))
    days = dates(["2000-02-29", "1999-12-31", "0009-01-01"])
    assert list(days.rows()) == [
        ("0009-01-01", "0009-01", "0009-Q1", "0009", "0000s", "*"),
        ("1999-12-31", "1999-12", "1999-Q4", "1999", "1990s", "*"),
        ("2000-02-29", "2000-02", "2000-Q1", "2000", "2000s", "*"),
    ]
    assert dates(["1582-10-04", "1582-10-15"], ["year"]).labels[1:] == (("1582",), ("*",))
    assert dates(["1582-10-04"], []).height == 1


def test_groups_of_the_published_experiment() -> None:
    """Marital states are put together two by two, and a group of one keeps its value."""
    order = ["absent", "widowed", "separated", "divorced", "civil", "army", "never"]
    states = groups(order, [2, 2, 2, 1])
    assert states.labels[1:] == (("{absent, widowed}", "{separated, divorced}", "{civil, army}", "never"), ("*",))
    assert groups(["a", "b"]).labels == (("a", "b"), ("*",))


def test_groups_of_values_with_separators() -> None:
    """A value that could be taken for several, or for a missing one, stands in quotes."""
    titled = groups(["a", "b, c", "", "(missing)", "{b", "c}"], [2, 2, 2])
    assert titled.labels[1] == ('{a, "b, c"}', '{(missing), "(missing)"}', '{"{b", "c}"}')


def test_frequent_values_stay() -> None:
    """The most frequent stay, by number or by share, ties by text; the outcome is marked as the data's."""
    counts = {"a": 5, "b": 10, "c": 5, "d": 0}
    assert frequent(counts, keep=2).labels == (("b", "a", "c", "d"), ("b", "a", "other"), ("*",))
    for share in (Fraction(1, 4), 0.25, "0.25", "1/4"):
        assert frequent(counts, share=share, other="rare").labels[1] == ("b", "a", "c", "rare")
    assert frequent({"a": 3, "b": 7}, share=0.3).labels[1] == ("b", "a")  # 0.3 is three tenths, not a bit less
    assert frequent(counts, keep=9).labels[1] == ("b", "a", "c", "d")
    assert frequent({"other": 1, "a": 2, "b": 1}, keep=1).labels[1] == ("a", "other")
    assert frequent(counts, keep=0).data_dependent


def test_a_missing_value_is_kept_apart_up_to_the_root() -> None:
    """The added leaf has only the root in common with others, and is not added twice."""
    cities = Hierarchy.from_rows(CITIES, name="city", data_dependent=True)
    missing = with_missing(cities)
    assert list(missing.rows()) == [*map(tuple, CITIES), ("", "", "*")]
    assert (missing.name, missing.data_dependent) == ("city", True)
    assert with_missing(missing) is missing
    assert with_missing(missing, "?").labels[1] == ("Nord", "Sud", "", "?")


# ── One word ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("intervals:5,10,20", intervals(["17", "90"])),
        ("intervals:16..95:5,10", intervals(map(str, range(16, 96)), [5, 10], low=16, high=95)),
        ("intervals:16..95.5:5,10", intervals(["17", "90"], [5, 10], low=16, high="95.5")),
        ("intervals:0..1000000:1000", intervals(["17", "90"], [1000], low=0, high=1_000_000)),
        ("intervals:20..80:5:open", intervals(["17", "90"], [5], low=20, high=80, open_ends=True)),
        ("intervals:-10..100:2.5", intervals(map(str, range(-10, 101)), ["2.5"], low=-10, high=100)),
        ("mask", mask(["17", "90"])),
        ("mask:right", mask(["17", "90"])),
        ("mask:left", mask(["17", "90"], side="left")),
        ("prefix:halves", prefix(["17", "90"], [1], halves=True)),
        ("prefix:1:halves", prefix(["17", "90"], [1], halves=True)),
        ("suffix:1:halves", suffix(["17", "90"], [1], halves=True)),
        ("suffix:1", suffix(["17", "90"])),
        ("prefix", prefix(["17", "90"], [1])),
        ("prefix:1", prefix(["17", "90"])),
        ("suppress", suppress(["17", "90"])),
        ("frequency:1", frequent({"17": 1, "90": 2}, keep=1)),
        ("frequency:50%", frequent({"17": 1, "90": 2}, share="1/2")),
    ],
)
def test_a_word_asks_for_a_builder(text: str, expected: Hierarchy) -> None:
    """Each form of the text is the call that it abbreviates, and the attribute's name is kept."""
    hierarchy = from_spec(text, ["17", "90"], name="age", counts={"17": 1, "90": 2})
    assert hierarchy == expected
    assert hierarchy.name == "age"


def test_a_word_can_fill_short_values_and_choose_periods() -> None:
    """The other builders' arguments follow their names as well."""
    assert from_spec("mask:right:0", ["1", "12"]) == mask(["1", "12"], fill="0")
    assert from_spec("dates", ["1999-12-31"]) == dates(["1999-12-31"])
    assert from_spec("dates:month,year", ["1999-12-31"]) == dates(["1999-12-31"], ["month", "year"])


def test_what_is_no_builder_is_a_file(tmp_path: Path) -> None:
    """Any other text is a path, even one that nearly spells a builder."""
    path = tmp_path / "city.csv"
    path.write_text("Milano;Nord;*\nTorino;Nord;*\nBari;Sud;*\n")
    assert from_spec(str(path), [], name="city") == Hierarchy.from_rows(CITIES)


def test_a_path_is_told_from_a_builder(tmp_path: Path) -> None:
    """Only a builder's name asks for a builder; a file that nearly spells one is looked for in its own folder."""
    (tmp_path / "date").touch()
    assert [is_builder(text) for text in ("mask", "intervals:5", "./mask", "masks.csv")] == [True, True, False, False]
    assert not is_builder("date", folder=tmp_path)


def test_a_file_may_nearly_spell_a_builder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that exists is read, whatever its name resembles."""
    monkeypatch.chdir(tmp_path)
    write_csv(suppress(["a"]), tmp_path / "date")
    assert from_spec("date", []) == suppress(["a"])


# ── Findings and rendering ───────────────────────────────────────────────────────────────────────


def test_nothing_is_found_in_a_sound_hierarchy() -> None:
    """Nodes of two values or more on every level leave nothing to say; a missing value is apart on purpose."""
    assert findings(with_missing(groups(["a", "b", "c", "d"], [2, 2]))) == ()


def test_findings_tell_what_hides_nothing() -> None:
    """Nodes of one value, levels that join nothing and labels with two meanings are counted, not quoted."""
    rows = [["39", "[39-39]", "[39-39]", "*"], ["40", "[40-42)", "[40-42)", "*"], ["41", "[40-42)", "[40-42)", "*"]]
    assert findings(Hierarchy.from_rows(rows)) == (
        "level 1 hides nothing for 1 of 3 values, alone in their nodes",
        "level 2 hides nothing for 1 of 3 values, alone in their nodes",
        "level 2 groups nothing that level 1 does not",
    )
    rows = [["a", "b", "*"], ["b", "c", "*"], ["c", "c", "*"], ["d", "b", "*"]]
    (found,) = findings(Hierarchy.from_rows(rows))
    assert found == "2 labels stand for different values on different levels: anonymization refuses them"
    assert findings(suppress(["a"])) == ("level 1 hides nothing for 1 of 1 values, alone in their nodes",)


def test_a_tree_that_fits_is_shown_whole() -> None:
    """Each node stands on a line, indented, with the number of its values."""
    assert show(Hierarchy.from_rows(CITIES)).splitlines() == [
        "* (3)",
        "  Nord (2)",
        "    Milano",
        "    Torino",
        "  Sud (1)",
        "    Bari",
    ]


def test_a_tree_too_large_is_shown_from_the_top() -> None:
    """Levels that fit are whole; below them come some children, or none where there is no room."""
    tree = from_tree({"*": {"a": ["a1", "a2", "a3"], "b": ["b1", "b2"]}})
    assert show(tree, limit=7).splitlines() == [
        "* (5)",
        "  a (3)",
        "    a1",
        "    … 2 more",
        "  b (2)",
        "    b1",
        "    … 1 more",
        "(not shown in full: level 0)",
    ]
    lopsided = from_tree({"*": {"a": ["a1", "a2", "a3", "a4"], "b": ["b1"]}})
    assert show(lopsided, limit=7).splitlines()[4:6] == ["  b (1)", "    b1"]
    assert show(tree, limit=3).splitlines() == ["* (5)", "  a (3)", "  b (2)", "(not shown in full: level 0)"]
    assert show(tree, limit=0).splitlines() == ["* (5)", "(not shown in full: levels 0 to 1)"]
    assert show(suppress(["a", "b", "c"]), limit=3).splitlines()[1:] == [
        "  a",
        "  … 2 more",
        "(not shown in full: level 0)",
    ]


def test_shown_labels_cannot_steer_a_terminal() -> None:
    """Control characters are written out, and an empty label is made visible."""
    assert show(Hierarchy.from_rows([["\x1b[31m\n", "*"], ["", "*"]])).splitlines() == [
        "* (2)",
        "  \\x1b[31m\\n",
        '  ""',
    ]


def test_written_json_is_a_tree_of_names(tmp_path: Path) -> None:
    """Other programs find `name` and `children` and text as it is."""
    write_json(suppress(["città"]), tmp_path / "h.json")
    text = (tmp_path / "h.json").read_text(encoding="utf-8")
    assert json.loads(text) == {"name": "*", "children": ["città"]}
    assert "città" in text


def test_leaf_ranges_follow_the_numbers() -> None:
    """Sorted numbers give ranges in their order, so that code ranges are number ranges."""
    ages = intervals(map(str, range(100)), [5, 25])
    assert all(int(low) < int(high) for low, high in pairwise(ages.leaves))


#: Three days, one of them with another spelling, and how each form writes them.
FORMS = {
    "yyyy-mm-dd": ("1984-03-01", "1984-12-31", "1990-01-02"),
    "yyyy/mm/dd": ("1984/3/1", "1984/12/31", "1990/01/02"),
    "yyyymmdd": ("19840301", "19841231", "19900102"),
    "dd.mm.yyyy": ("1.3.1984", "31.12.1984", "02.01.1990"),
    "dd/mm/yyyy": ("01/03/1984", "31/12/1984", "02/01/1990"),
    "mm/dd/yyyy": ("03/01/1984", "12/31/1984", "01/02/1990"),
    "dd-mm-yyyy": ("01-03-1984", "31-12-1984", "02-01-1990"),
    "dd.mm.yy:1930": ("1.3.84", "31.12.84", "02.01.90"),
    "dd/mm/yy:1930": ("01/03/84", "31/12/84", "02/01/90"),
    "mm/dd/yy:1930": ("03/01/84", "12/31/84", "01/02/90"),
    "dd-mm-yy:1930": ("01-03-84", "31-12-84", "02-01-90"),
}
PERIODS_OF = (("1984-03", "1984-Q1", "1984", "1980s"), ("1984-12", "1984-Q4", "1984", "1980s"))


@pytest.mark.parametrize(("form", "texts"), FORMS.items(), ids=FORMS)
def test_dates_of_every_form_have_the_same_periods(form: str, texts: tuple[str, ...]) -> None:
    """The nodes above the leaves do not depend on how a table writes its days."""
    for spec in ("dates", f"dates:{form}") if ":" not in form else (f"dates:{form}", "dates:1930"):
        rows = [*from_spec(spec, texts).rows()]
        assert rows == [
            *((text, *periods, "*") for text, periods in zip(texts, PERIODS_OF, strict=False)),
            (texts[2], "1990-01", "1990-Q1", "1990", "1990s", "*"),
        ]


@pytest.mark.parametrize("texts", [("1984-03", "1984-12"), ("3/1984", "12/1984"), ("03.1984", "12.1984")])
def test_months_have_no_level_of_months(texts: tuple[str, ...]) -> None:
    """It would group nothing."""
    assert [*from_spec("dates", texts).rows()] == [
        (text, *periods[1:], "*") for text, periods in zip(texts, PERIODS_OF, strict=True)
    ]


@pytest.mark.parametrize("times", [("1.3.1984 08:15", "1.3.1984 9:00 PM"), ("1.3.1984", "01.03.1984")])
def test_one_day_in_several_texts_is_a_level(times: tuple[str, ...]) -> None:
    """Times of a day, and other spellings, meet in the day."""
    assert {row[1] for row in from_spec("dates", times).rows()} == {"1984-03-01"}


@pytest.mark.parametrize(
    ("spec", "texts", "what"),
    [
        ("dates", ("03/04/1984", "05/06/1984"), "2 dates can be read as dd/mm/yyyy or as mm/dd/yyyy"),
        ("dates", ("03.04.84",), "1 dates have years of two digits"),
        ("dates:dd.mm.yy", ("03.04.84",), "1 dates have years of two digits"),
        ("dates", ("03.04.1984", "1984-04-03", "04.04.1984"), "1 of 3 values are not dates"),
        ("dates:mm/dd/yyyy", ("31/12/1984",), "1 of 1 values are not dates"),
        ("dates", ("10.10.1582",), "1 of 1 values are not dates"),
        ("dates", ("1984-04-03 25:00",), "1 of 1 values are not dates"),
        ("dates", ("2020-13",), "1 of 1 values are not dates"),
    ],
)
def test_dates_that_are_asked_about(spec: str, texts: tuple[str, ...], what: str) -> None:
    """What can be read in two ways, or in none, is a question that repeats no value."""
    with pytest.raises(InputError, match=re.escape(what)) as caught:
        from_spec(spec, texts, name="day")
    assert "day" in str(caught.value)
    assert texts[0] not in str(caught.value)


@pytest.mark.parametrize(
    ("counts", "keep", "kept"),
    [
        ({"L": 3, "R": 4, "B": 3, "F": 1, "I": 1}, 3, {"R", "B"}),  # F and I alone are two of three
        ({"a": 9, "b": 8, "c": 1, "d": 1}, 2, {"a", "b"}),  # two are enough
        ({"a": 9, "b": 8, "c": 7, "d": 1, "e": 1, "f": 1}, 3, {"a", "b", "c"}),
        ({"a": 9, "b": 8}, 2, {"a", "b"}),  # nobody is left over
        ({"a": 9, "b": 1, "c": 1, "d": 1, "e": 1}, 4, {"a"}),  # one after the other joins
        ({"a": 1, "b": 1, "c": 1}, 2, {"a"}),
        ({"a": 1, "b": 1}, 1, {"a"}),
    ],
)
def test_merged_values_hold_so_many_records(counts: dict[str, int], keep: int, kept: set[str]) -> None:
    """Else the level meets no k, and all values are lost for the sake of a few."""
    assert {*frequent(counts, keep=keep).labels[1]} - {"other"} == kept


def test_merged_values_hold_their_share() -> None:
    """Of a share, that of all records."""
    assert frequent({"a": 50, "b": 46, "c": 4}, share="1/20").labels[1] == ("a", "other")


@pytest.mark.parametrize(
    ("rows", "levels"),
    [
        ([["a", "1-5", "*"], ["b", "1-5", "*"], ["c", "*", "*"], ["d", "*", "*"]], [[2, 4], [4]]),
        ([["a", "x", "*", "*"], ["b", "*", "*", "*"]], [[1, 2], [2], [2]]),
        ([["a", "x", "y", "*"], ["b", "x", "y", "*"], ["c", "z", "*", "*"], ["d", "*", "*", "*"]], None),
        ([["a", "*", "*"], ["b", "*", "*"]], [[2], [2]]),
        ([["1", "[1-3)", "*"], ["2", "[1-3)", "*"], ["90", "*", "*"]], [[2, 3], [3]]),
    ],
)
def test_the_root_may_come_early(rows: list[list[str]], levels: list[list[int]] | None, tmp_path: Path) -> None:
    """As in ARX's priority hierarchies: `*` stands for all leaves on each level, and a file of it comes back."""
    made = Hierarchy.from_rows(rows)
    if levels is not None:
        assert [made.covered(level + 1).tolist() for level in range(made.height)] == levels
    assert made.twofold() == ()
    write_csv(made, tmp_path / "a.csv")
    write_json(made, tmp_path / "a.json")
    assert read_hierarchy(tmp_path / "a.csv") == made == read_hierarchy(tmp_path / "a.json")
