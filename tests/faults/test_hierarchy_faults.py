"""What is no hierarchy must not become one, and the error says where and how much, never which value."""

from __future__ import annotations

import csv
import json
import os
import re
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest

from kohort.errors import FileError, HierarchyError, InputError, KohortError, TargetError, UnsupportedError, UsageError
from kohort.io.hierarchies import write_csv, write_json
from kohort.schema.hierarchies import (
    cuts,
    dates,
    frequent,
    from_spec,
    from_tree,
    groups,
    intervals,
    is_builder,
    mask,
    read_hierarchy,
    suppress,
    with_missing,
)
from kohort.schema.hierarchies.sets import PERIODS
from kohort.schema.hierarchy import Hierarchy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

#: A label that must turn up in no message.
CANARY = "canary"


# ── Rows ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("rows", "message", "where"),
    [
        ([], "no leaves", ""),
        ([["a"], ["a"]], "duplicate leaves: 1 row repeats an earlier one", ", level 0"),
        ([["a", "*"], ["a", "*"], ["b", "*"], ["a", "*"]], "duplicate leaves: 2 rows repeat", ", level 0"),
        ([["a", "x", "*"], ["a", "y", "*"], ["b", "y", "*"]], "leaf 'a' has two parents: 'x' and 'y'", ", level 1"),
        ([["a", "x", "r"], ["a", "x", "s"]], "leaf 'a' has two parents: 'r' and 's'", ", level 2"),
        (
            [["a", "x", "*"], ["b", "y", "*"], ["b", "x", "*"], ["a", "y", "*"], ["c", "x", "*"], ["c", "y", "*"]],
            "leaf 'a' has two parents: 'x' and 'y' (2 labels have several, too)",
            ", level 1",
        ),
        (
            [["a", "x", "r", "*"], ["b", "x", "s", "*"], ["c", "y", "s", "*"], ["d", "x", "r", "*"]],
            "label 'x' has two parents: 'r' and 's'",
            ", level 1",
        ),
        ([["a", "x", "*"], ["b", "*"], ["c", "*"]], "2 leaves with another number of levels than the first", ""),
        ([["a", "x"], ["b", "y"], ["c", "z"]], "no common root: 3 labels at the top", ", level 1"),
        ([["a", "x"], ["b", ""]], "no common root: 2 labels at the top", ", level 1"),
        ([["a"]], "leaves and at least one level above them", ""),
        ([["a", ""], ["b", ""]], "2 leaves with an empty label", ", level 1"),
        ([["a", "", "*"], ["b", "", "*"], ["c", "x", "*"]], "2 leaves with an empty label", ", level 1"),
        ([["", "", "*"], ["b", "", "*"]], "2 leaves with an empty label", ", level 1"),
        ([["a", "", "*"], ["", "x", "*"]], "1 leaf with an empty label", ", level 1"),
        ([["*", "all"], ["b", "all"]], "1 leaf with the label *", ", level 0"),
        ([["a", "*", "all"], ["b", "*", "all"]], "2 leaves with the label *", ", level 1"),
        ([["a", "*", "x", "*"], ["b", "y", "x", "*"]], "1 leaf with the label *", ", level 1"),
        ([["a\0", "*"]], "1 leaf with a label that no text file can hold", ", level 0"),
        ([["à\ud800", "*"], ["b", "*"]], "1 leaf with a label that no text file can hold", ", level 0"),
    ],
)
def test_rows_that_do_not_nest(rows: list[list[str]], message: str, where: str) -> None:
    """Each fault of rows is an input error that names the attribute, the level and the number of leaves."""
    with pytest.raises(HierarchyError, match=re.escape(message)) as caught:
        Hierarchy.from_rows(rows, name="city")
    assert caught.value.where == f"hierarchy of city{where}"
    assert caught.value.exit_status == 3


def test_the_fault_of_a_nameless_hierarchy() -> None:
    """Without an attribute's name the place is just the hierarchy."""
    with pytest.raises(HierarchyError) as caught:
        Hierarchy.from_rows([])
    assert caught.value.where == "hierarchy"


def test_faults_far_from_the_first_rows() -> None:
    """Rows are read in chunks, and a fault in a later chunk is a fault all the same."""
    rows = [[f"{leaf}", "x", "*"] for leaf in range(10_000)]
    with pytest.raises(HierarchyError, match="1 leaf with another number of levels"):
        Hierarchy.from_rows([*rows, ["10000", "*"]])
    with pytest.raises(HierarchyError, match="duplicate leaves: 1 row"):
        Hierarchy.from_rows([*rows, rows[0]])


def test_numbers_are_no_labels() -> None:
    """A leaf given as an integer, as a frame's column would give it, is refused instead of matching nothing."""
    rows = cast("list[list[str]]", [[39, "*"], [40, "*"]])
    with pytest.raises(HierarchyError, match="2 leaves with a label that is not text"):
        Hierarchy.from_rows(rows)


def test_padding_cannot_mend_an_empty_row() -> None:
    """A row without labels has none to repeat."""
    with pytest.raises(HierarchyError, match="1 leaf with another number of levels"):
        Hierarchy.from_rows([["a", "*"], []], pad=True)


@pytest.mark.parametrize("root", ["", "*"])
def test_padding_cannot_move_the_root(root: str) -> None:
    """A short row that ends in another label than the root leaves two tops, joined only where asked."""
    rows = [["a", "x", "r"], ["b", "y"]]
    if root:
        assert Hierarchy.from_rows(rows, pad=True, root=root).labels[2:] == (("r", "y"), ("*",))
    else:
        with pytest.raises(HierarchyError, match="no common root: 2 labels"):
            Hierarchy.from_rows(rows, pad=True)


# ── The constructor ──────────────────────────────────────────────────────────────────────────────


FAULTY_PARTS: list[tuple[tuple[tuple[str, ...], ...], list[list[int]], str]] = [
    ((("a",),), [], "leaves and at least one level above them"),
    ((("a",), ("*",)), [], "leaves and at least one level above them"),
    (((), ("*",)), [[]], "at least one leaf"),
    ((("a", "b"), ("x", "y")), [[0, 1]], "2 nodes at the top"),
    ((("a", "b"), ("x",), ("*",)), [[0], [0]], "must number the next level's nodes in order"),
    ((("a", "b"), ("x", "y"), ("*",)), [[1, 0], [0, 0]], "must number"),
    ((("a", "b"), ("x", "y"), ("*",)), [[0, 0], [0, 0]], "must number"),
    ((("a", "b"), ("x", "y"), ("*",)), [[1, 1], [0, 0]], "must number"),
    ((("a", "b", "c"), ("x", "y", "z"), ("*",)), [[0, 2, 2], [0, 0, 0]], "must number"),
    ((("a", "b", "c"), ("x", "y"), ("*",)), [[0, 1, 0], [0, 0]], "must number"),
    ((("a", "a"), ("*",)), [[0, 0]], "2 leaves with a label that another node of the level has"),
    ((("a", "b"), ("x", "x"), ("*",)), [[0, 1], [0, 0]], "2 leaves with a label that another node"),
    ((("a",), ("",)), [[0]], "1 leaf with an empty label"),
]


@pytest.mark.parametrize(("labels", "parents", "message"), FAULTY_PARTS)
def test_parts_that_make_no_hierarchy(
    labels: tuple[tuple[str, ...], ...], parents: list[list[int]], message: str
) -> None:
    """No hierarchy can be built by hand that `from_rows` would not build."""
    with pytest.raises(HierarchyError, match=re.escape(message)):
        Hierarchy(labels, tuple(np.array(parent, dtype=np.int64) for parent in parents))


def test_a_missing_token_must_not_be_a_label_already() -> None:
    """A token that names a node, or is the suppression mark, cannot stand for a missing value."""
    continents = Hierarchy.from_rows([["Canada", "NA", "*"], ["Italy", "EU", "*"]])
    with pytest.raises(HierarchyError, match="2 leaves with a label that another node"):
        with_missing(continents, "NA")
    with pytest.raises(HierarchyError, match="1 leaf with the label"):
        with_missing(continents, "*")


# ── Builders ─────────────────────────────────────────────────────────────────────────────────────

FAULTY_BUILDS: dict[str, tuple[Callable[[], Hierarchy], str]] = {
    "no values": (lambda: suppress([]), "no leaves"),
    "no values to mask": (lambda: mask([]), "no leaves"),
    "no values in ranges": (lambda: intervals([]), "no leaves"),
    "mark among values": (lambda: suppress(["*", "a"]), "1 leaf with the label"),
    "not numbers": (lambda: intervals(["1", CANARY, "007", "1e5", "", "nan", "inf"]), "6 of 7 values are not plain"),
    "endless number": (lambda: intervals(["1" * 2000]), "1 of 1 values are not plain"),
    "below": (lambda: intervals(["-7", "10", "35"], low=0, high=30), "2 of 3 values lie outside"),
    "age 250": (lambda: intervals(["17", "250"], low=16, high=95), "1 of 2 values lie outside"),
    "low above high": (lambda: intervals(["1"], low=30, high=0), "low must be below high"),
    "low is high": (lambda: intervals(["1"], low=1, high="1.0"), "low must be below high"),
    "NaN": (lambda: intervals(["1"], low=float("nan")), "low is not a plain decimal number"),
    "infinity": (lambda: intervals(["1"], high=float("inf")), "high is not a plain decimal number"),
    "flag": (lambda: intervals(["1"], origin=True), "origin is not a plain decimal number"),
    "no widths": (lambda: intervals(["1"], []), "widths must be one or more numbers above zero"),
    "width zero": (lambda: intervals(["1"], [0]), "widths must be one or more numbers above zero"),
    "width below zero": (lambda: intervals(["1"], [5, -10]), "widths must be one or more numbers above zero"),
    "width NaN": (lambda: intervals(["1"], [float("nan")]), "a width is not a plain decimal number"),
    "width no multiple": (lambda: intervals(["1"], [5, 12]), "a larger multiple of the width before"),
    "width repeated": (lambda: intervals(["1"], [5, 5]), "a larger multiple of the width before"),
    "width shrinks": (lambda: intervals(["1"], [10, 5]), "a larger multiple of the width before"),
    "open nowhere": (lambda: intervals(["1"], open_ends=True), "open ends begin at low or high"),
    "no cuts": (lambda: cuts(["1"], []), "each level needs 2 cut points or more"),
    "one cut": (lambda: cuts(["1"], [[0, 5], [0]]), "each level needs 2 cut points or more"),
    "no open cut": (lambda: cuts(["1"], [[]], open_ends=True), "each level needs 1 cut points or more"),
    "cuts overlap": (lambda: cuts(["1"], [[0, 10, 5, 20]]), "cut points must ascend"),
    "cut twice": (lambda: cuts(["1"], [[0, 10], [0, 10, 10]]), "cut points must ascend"),
    "cuts do not nest": (lambda: cuts(["1"], [[0, 5, 10], [0, 6, 7, 10]]), "2 cut points are not in level 1"),
    "on the last cut": (lambda: cuts(["-1", "0", "9.99", "10"], [[0, 5, 10]]), "2 of 4 values lie outside"),
    "outside the upper level": (lambda: cuts(["7"], [[0, 5, 10], [0, 5]]), "1 of 1 values lie outside"),
    "NaN cut": (lambda: cuts(["1"], [[0, float("nan")]]), "a cut is not a plain decimal number"),
    "uneven codes": (lambda: mask(["20139", "201", CANARY]), "2 of 3 values are shorter than the longest"),
    "mask of two": (lambda: mask(["a"], char="**"), "masking takes a side"),
    "no mask": (lambda: mask(["a"], char=""), "masking takes a side"),
    "fill of two": (lambda: mask(["a"], fill="00"), "masking takes a side"),
    "middle": (lambda: mask(["a"], side="middle"), "masking takes a side"),  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    "no step": (lambda: mask(["abc"], steps=[0, 1]), "steps must ascend between 1 and 2"),
    "steps descend": (lambda: mask(["abc"], steps=[2, 1]), "steps must ascend between 1 and 2"),
    "step too long": (lambda: mask(["abc"], steps=[1, 3]), "steps must ascend between 1 and 2"),
    "invalid dates": (
        lambda: dates(
            ["1999-12-31", "1999-02-31", "0000-00-00", "10000-01-01", "1582-10-10", "19991231", "1999-W01-1", ""]
        ),
        "7 of 8 values are not dates",
    ),
    "lost days": (
        lambda: dates(["1582-10-04", "1582-10-05", "1582-10-14", "1582-10-15"]),
        "2 of 4 values are not dates",
    ),
    "other digits": (lambda: dates(["१९९९-12-31"]), "1 of 1 values are not dates"),
    "periods shrink": (lambda: dates(["1999-12-31"], ["year", "month"]), "periods must be among"),
    "period twice": (lambda: dates(["1999-12-31"], ["year", "year"]), "periods must be among"),
    "unknown period": (lambda: dates(["1999-12-31"], ["week"]), "periods must be among"),  # type: ignore[list-item] # pyright: ignore[reportArgumentType]
    "sizes too small": (lambda: groups(["a", "b", "c"], [1, 1]), "group sizes do not add up"),
    "sizes too large": (lambda: groups(["a", "b", "c"], [2, 1], [3]), "group sizes do not add up"),
    "empty group": (lambda: groups(["a", "b"], [2, 0]), "group sizes do not add up"),
    "no groups": (lambda: groups(["a", "b"], []), "group sizes do not add up"),
    "no order": (lambda: groups([]), "at least one leaf"),
    "value twice": (lambda: groups(["a", "a"], [2]), "2 leaves with a label that another node"),
    "no choice": (lambda: frequent({"a": 1}), "either the number of values to keep"),
    "two choices": (lambda: frequent({"a": 1}, keep=1, share=1), "either the number of values to keep"),
    "negative count": (lambda: frequent({"a": -1}, keep=1), "a count is negative"),
    "negative number": (lambda: frequent({"a": 1}, keep=-1), "the number of values to keep is negative"),
    "share above 1": (lambda: frequent({"a": 1}, share=5), "the share must be a number from 0 to 1"),
    "share NaN": (lambda: frequent({"a": 1}, share=float("nan")), "the share must be a number from 0 to 1"),
    "share of nothing": (lambda: frequent({"a": 1}, share="1/0"), "the share must be a number from 0 to 1"),
    "other stays": (lambda: frequent({"other": 5, "a": 1}, keep=1), "the label of the merged ones"),
    "nothing counted": (lambda: frequent({}, keep=1), "no leaves"),
}


@pytest.mark.parametrize(("build", "message"), FAULTY_BUILDS.values(), ids=FAULTY_BUILDS)
def test_builders_refuse(build: Callable[[], Hierarchy], message: str) -> None:
    """Values that have no place and parameters that make no hierarchy are counted or named, and never quoted."""
    with pytest.raises(HierarchyError, match=re.escape(message)) as caught:
        build()
    assert CANARY not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "intervals",
        "intervals:",
        "intervals:five",
        "intervals:5,,10",
        "intervals:16-95:5",
        "intervals:16..95",
        "intervals:nan..95:5",
        "intervals:5,10\n",
        "mask:middle",
        "mask:right:",
        "mask:right:00",
        "dates:week",
        "dates:",
        "suppress:all",
        "frequency",
        "frequency:-1",
        "frequency:x%",
        "frequency:1",
        "interval:5,10",
        "masks",
        "frequencies:10",
    ],
)
def test_words_that_ask_for_nothing(text: str) -> None:
    """Arguments that cannot be read and misspelt builders are usage errors with an example to follow."""
    with pytest.raises(UsageError) as caught:
        from_spec(text, ["17"], name="age")
    assert (caught.value.exit_status, caught.value.where) == (2, "hierarchy of age")
    assert caught.value.hint.startswith("write ")


@pytest.mark.parametrize("text", ["intervals:5,,10", "interval:5,10", "masks"])
def test_misspelt_words_are_no_paths(tmp_path: Path, text: str) -> None:
    """Telling a builder from a path already refuses what is neither."""
    with pytest.raises(UsageError) as caught:
        is_builder(text, name="age", folder=tmp_path)
    assert caught.value.where == "hierarchy of age"


def test_a_word_without_attribute() -> None:
    """The place is just the hierarchy where no attribute is named."""
    with pytest.raises(UsageError) as caught:
        from_spec("mask:middle", [])
    assert caught.value.where == "hierarchy"


def test_a_declared_range_still_refuses_values_outside() -> None:
    """All whole numbers of the range are leaves, and a value beyond them is counted."""
    with pytest.raises(HierarchyError, match="1 of 81 values lie outside"):
        from_spec("intervals:16..95:5", ["17", "250"])
    with pytest.raises(HierarchyError, match="low must be below high"):
        from_spec("intervals:95..16:5", ["17"])


# ── Trees ────────────────────────────────────────────────────────────────────────────────────────


def ring() -> object:
    """A mapping that contains itself."""
    tree: dict[str, object] = {}
    tree["again"] = [tree]
    return tree


def mesh() -> object:
    """A small object that would unfold to a tree of 2^60 leaves."""
    tree: object = ["a"]
    for _ in range(60):
        tree = {"left": tree, "right": tree}
    return tree


def shaft() -> object:
    """An object nested a hundred thousand times."""
    tree: object = []
    for _ in range(100_000):
        tree = {"down": tree}
    return tree


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        (ring(), "a part of the tree contains itself"),
        (mesh(), "a part of the tree contains itself"),
        (shaft(), "a tree deeper than 1,000 levels"),
        ([], "no leaves"),
        ({}, "no leaves"),
        ("leaf", "neither a list nor an object"),
        (None, "neither a list nor an object"),
        ({"*": CANARY}, "neither a list nor an object"),
        ({"*": 5}, "neither a list nor an object"),
        ({"*": [18, 19]}, "a label is not text"),
        ({"*": [["a"], ["b"]]}, "a label is not text"),
        ({"*": [None]}, "a label is not text"),
        ({1: ["a"]}, "a label is not text"),
        ({"x": ["a"], "y": ["b"]}, "no common root: 2 labels"),
        ({"x": {"y": ["a", "b"], "z": []}}, "1 of 3 leaves are higher than the deepest"),
        ({"*": {"x": ["a"], "y": ["a"]}}, "leaf 'a' has two parents: 'x' and 'y'"),
        ({"*": ["a", "a"]}, "duplicate leaves: 1 row"),
        ({"r": {"x": {"m": ["a"]}, "y": {"m": ["b"]}}}, "label 'm' has two parents: 'x' and 'y'"),
        ({"*": {"": ["a"]}}, "1 leaf with an empty label"),
        ({"name": "", "of": ["a"]}, "1 leaf with an empty label"),
    ],
)
def test_objects_that_are_no_tree(tree: object, message: str) -> None:
    """Cycles, shared parts, endless depth and wrong types end in an error at once, and so does what does not nest."""
    with pytest.raises(HierarchyError, match=re.escape(message)) as caught:
        from_tree(tree, name="city")
    assert CANARY not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ('{"*": ["a"], "*": ["b"]}', "1 keys of an object occur twice", ""),
        ('{"name": "*", "x": NaN, "of": ["a"]}', "NaN is not JSON", ""),
        ('{"name": "*", "x": -Infinity, "of": ["a"]}', "-Infinity is not JSON", ""),
        ('{"*":\n["canary",]}', "not JSON", ", line 2"),
        ('{"*": ["canary"', "not JSON", ", line 1"),
        ("", "not JSON", ", line 1"),
        ('{"*": ' * 100_000, "nested too deeply", ""),
        ("[" * 100_000, "nested too deeply", ""),
        ('{"name": "*", "x": ' + "1" * 5000 + ', "of": ["a"]}', "a number of thousands of digits", ""),
    ],
    ids=["keys", "NaN", "infinity", "comma", "cut", "empty", "objects", "lists", "digits"],
)
def test_json_that_is_refused(tmp_path: Path, text: str, message: str, line: str) -> None:
    """Repeated keys, what is not JSON and endless nesting are input errors that name the file and the line."""
    path = tmp_path / "h.json"
    path.write_text(text)
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        read_hierarchy(path)
    assert caught.value.where == f"{path}{line}"
    assert CANARY not in str(caught.value)


# ── Files ────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(autouse=True)
def usual_cells() -> Iterator[None]:
    """The standard library's limit of a cell, which other libraries raise for the whole process."""
    limit = csv.field_size_limit(131_072)
    yield
    csv.field_size_limit(limit)


@pytest.mark.parametrize(
    ("content", "message", "place"),
    [
        (b"a;x;*\nb;x\n", "2 labels where the first row has 3", ", line 2"),
        (b"a;x;*\nb;x;*;*\n", "4 labels where the first row has 3", ", line 2"),
        (b'"a\nb";x;*\ncanary;x\n', "2 labels where the first row has 3", ", line 3"),
        (b"a;x;*\n\nb;x;*\n", "an empty line", ", line 2"),
        (b'a;x;*\nb;"x;*\nc;x;*\n', "not CSV", ", line 2"),
        (b'a;x;*\nb;"x"y;*\n', "not CSV", ", line 2"),
        (b'"' + b"a" * 200_000 + b'";*\n', "not CSV", ", line 1"),
        (b"a;*\nb\0;*\n", "a NUL character", ", line 2"),
        (b"a;*\nb;*\ncitt\xe0;*\n", "bytes that are not UTF-8", ", line 3"),
        ("a;*\n".encode("utf-16"), "bytes that are not UTF-8", ", line 1"),
        (b"PAR1\x15\x04\xff\xfe", "bytes that are not UTF-8", ", line 1"),
        (b"", "no leaves", ", hierarchy of city"),
        (b"a\nb\n", "no common root", ", hierarchy of city, level 0"),
        (b"a;*\na;*\n", "duplicate leaves", ", hierarchy of city, level 0"),
    ],
)
def test_files_that_are_refused(tmp_path: Path, content: bytes, message: str, place: str) -> None:
    """A file that is not well-formed UTF-8 CSV is an input error that names the line; the file stays as it is."""
    path = tmp_path / "h.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        read_hierarchy(path, name="city")
    assert caught.value.where == f"{path}{place}"
    assert CANARY not in str(caught.value)
    assert path.read_bytes() == content


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    """A missing file, a folder, a pipe and an endless device are refused before they are opened."""
    os.mkfifo(tmp_path / "pipe")
    places = {tmp_path / "none.csv": "no such file", tmp_path: "not a regular", tmp_path / "pipe": "not a regular"}
    for path, message in places.items():
        with pytest.raises(InputError, match=message) as caught:
            read_hierarchy(path)
        assert caught.value.where == str(path)
        with pytest.raises(InputError, match=message) as caught:
            read_hierarchy(path, name="city")
        assert caught.value.where == f"{path}, hierarchy of city"
    with pytest.raises(InputError, match="not a regular"):
        read_hierarchy("/dev/zero")


def test_a_failing_disk_is_a_file_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the system refuses while reading is reported with its reason."""
    path = tmp_path / "h.csv"
    path.write_text("a;*\n")
    monkeypatch.setattr("pathlib.Path.open", failing)
    with pytest.raises(FileError, match="reading failed: Input/output error") as caught:
        read_hierarchy(path)
    assert (caught.value.where, caught.value.exit_status) == (str(path), 6)


def failing(*_: object, **__: object) -> None:
    """What a disk does when it dies."""
    raise OSError(5, os.strerror(5))


WRITERS: Sequence[Callable[[Hierarchy, Path], None]] = (write_csv, write_json)


@pytest.mark.parametrize("write", WRITERS)
def test_a_file_that_exists_is_kept(tmp_path: Path, write: Callable[[Hierarchy, Path], None]) -> None:
    """Without `overwrite` an existing target stays as it is, and no other file is left."""
    path = tmp_path / "h"
    path.write_text("mine")
    with pytest.raises(TargetError, match="the file exists") as caught:
        write(suppress(["a"]), path)
    assert caught.value.exit_status == 7
    assert path.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("write", WRITERS)
def test_a_folder_that_cannot_be_written(tmp_path: Path, write: Callable[[Hierarchy, Path], None]) -> None:
    """A folder that does not exist, or is a file, is a file error."""
    (tmp_path / "file").write_text("")
    for folder in ("none", "file"):
        with pytest.raises(FileError, match="writing failed"):
            write(suppress(["a"]), tmp_path / folder / "h")


@pytest.mark.parametrize("write", WRITERS)
def test_a_full_disk_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[Hierarchy, Path], None]
) -> None:
    """Where the disk fails before the file is safe, neither the target nor a part of it is left."""
    fired: list[int] = []

    def full(descriptor: int) -> None:
        fired.append(descriptor)
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileError, match="writing failed: No space left on device"):
        write(suppress(["a"]), tmp_path / "h")
    assert fired
    assert list(tmp_path.iterdir()) == []


def test_a_tower_is_written_as_rows_only(tmp_path: Path) -> None:
    """More levels than JSON writers and readers follow are refused as a tree, and fine as rows: as many as are read."""
    tower = Hierarchy.from_rows([["a", *(f"level {level}" for level in range(998)), "*"]])
    with pytest.raises(UnsupportedError, match="too many levels for JSON"):
        write_json(tower, tmp_path / "h.json")
    assert list(tmp_path.iterdir()) == []
    write_csv(tower, tmp_path / "h.csv")
    assert read_hierarchy(tmp_path / "h.csv") == tower


def test_every_refusal_is_typed(tmp_path: Path) -> None:
    """Cut off after any byte, a CSV or JSON file is read as a hierarchy or refused in kohort's own terms."""
    tree = json.dumps(
        {"name": "Italia", "of": [{"name": "Nord", "of": ["Città", "b"]}, {"Sud": ["c"]}]}, ensure_ascii=False
    )
    for name, whole in {"h.json": tree.encode(), "h.csv": '"a";"x, y";*\nCittà;x;*\n"b";x;*'.encode()}.items():
        refused = 0
        for length in range(len(whole)):
            (tmp_path / name).write_bytes(whole[:length])
            try:
                read_hierarchy(tmp_path / name)
            except KohortError:
                refused += 1
        assert refused > len(whole) // 2


def test_default_periods_are_all() -> None:
    """The periods a day may be generalized to are those that the error lists."""
    with pytest.raises(HierarchyError, match=", ".join(PERIODS)):
        dates(["1999-12-31"], PERIODS[::-1])
