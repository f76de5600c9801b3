"""Lines of a TOML text: every table and key has the line where its statement begins."""

from __future__ import annotations

import tomllib
from textwrap import dedent
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.job.lines import lines_of

if TYPE_CHECKING:
    from collections.abc import Iterator

CASES: dict[str, tuple[str, dict[tuple[str, ...], int]]] = {
    "tables": ("[a]\nb = 1\n[c.d]\ne = 2", {("a",): 1, ("a", "b"): 2, ("c",): 3, ("c", "d"): 3, ("c", "d", "e"): 4}),
    "dotted": ("a.b.c = 1", {("a",): 1, ("a", "b"): 1, ("a", "b", "c"): 1}),
    "quoted": ("['x.y']\n\"a b\" = 1", {("x.y",): 1, ("x.y", "a b"): 2}),
    "inline": ("\na = { b = { c = 1 } }", {("a",): 2, ("a", "b"): 2, ("a", "b", "c"): 2}),
    "lists": ("a = [\n  1,\n  2, # ]\n]\nb = 1", {("a",): 1, ("b",): 5}),
    "list of tables": ("[[a]]\nb = 1\n[[a]]\nb = 2", {("a",): 1, ("a", "b"): 2}),
    "long text": ('a = """\n[b]\nc = 1\n"""\nd = 2', {("a",): 1, ("d",): 5}),
    "comments": ("# [a]\n# b = 1\nc = '#' # d = 1", {("c",): 3}),
    "brackets in names": ("['a]b']\n'[c]' = 1", {("a]b",): 1, ("a]b", "[c]"): 2}),
    "line ends of Windows": ("[a]\r\nb = [\r\n1]\r\nc = 2\r\n", {("a",): 1, ("a", "b"): 2, ("a", "c"): 4}),
    "nothing": ("", {}),
}


@pytest.mark.parametrize("case", CASES)
def test_every_key_has_the_line_where_its_statement_begins(case: str) -> None:
    """Tables, dotted and quoted keys, inline tables and values over several lines are all found where they stand."""
    text, expected = CASES[case]
    assert lines_of(text) == expected


def test_later_mentions_do_not_move_a_table() -> None:
    """A table that is opened again keeps the line where it was first named."""
    text = dedent("""\
        [a.b]
        x = 1
        [a]
        y = 2
        """)
    assert lines_of(text)["a",] == 1


_keys = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=5)


def _paths(tree: dict[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for key, value in tree.items():
        yield (*above, key)
        if isinstance(value, dict):
            yield from _paths(cast("dict[str, Any]", value), (*above, key))


def _quoted(key: str) -> str:
    return '"' + key.replace("\\", "\\\\").replace('"', '\\"') + '"'


@given(st.dictionaries(_keys, st.dictionaries(_keys, st.integers(), max_size=3), max_size=4))
def test_every_path_of_the_text_has_a_line(tables: dict[str, dict[str, int]]) -> None:
    """Whatever its keys are, each path of a text has exactly one line, and it is that of its statement."""
    lines: list[str] = []
    expected: dict[tuple[str, ...], int] = {}
    for table, keys in tables.items():
        lines.append(f"[{_quoted(table)}]")
        expected[table,] = len(lines)
        for key, value in keys.items():
            lines.append(f"{_quoted(key)} = {value}")
            expected[table, key] = len(lines)
    text = "\n".join(lines)
    assert lines_of(text) == expected
    assert set(_paths(tomllib.loads(text))) == set(expected)
