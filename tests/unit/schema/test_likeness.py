"""Trees of names by how alike their people are: merges by definition, rare names, where a tree came from."""

from __future__ import annotations

import json
import math
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.errors import HierarchyError
from kohort.io.hierarchies import write_csv
from kohort.schema.hierarchies import alike, read_hierarchy
from kohort.schema.hierarchies.likeness import companions, table_of
from tests.command import kohort

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from random import Random

    from kohort.arrays import Index

#: Of each record a name, a town and a number.
Rows = list[tuple[int, int, int]]

TOWNS = ["Bari", "Lecce", "Milano"]


def rows_of(names: int) -> st.SearchStrategy[Rows]:
    """Records of up to so many names."""
    return st.lists(st.tuples(st.integers(0, names - 1), st.integers(0, 2), st.integers(0, 3)), min_size=2, max_size=60)


def made(rows: Sequence[tuple[int, int, int]], k: int) -> list[tuple[str, ...]]:
    """The rows of the tree of the names that occur."""
    held = sorted({name for name, _, _ in rows})
    columns = np.array(rows)
    codes = np.searchsorted(held, columns[:, 0])
    others = [(TOWNS, columns[:, 1]), (["3", "20", "100", ""], columns[:, 2])]
    return sorted(map(tuple, alike([f"n{one}" for one in held], codes, others, k=k).rows()))


def first_merge(rows: Rows) -> tuple[int, int]:
    """The pair of names with the least people times divergence, by definition: smoothed distributions, plain sums."""
    held = sorted({name for name, _, _ in rows})

    def shares(names: set[int], column: int) -> list[float]:
        inside = [row for row in rows if row[0] in names]
        every = [sum(row[column] == one for row in rows) / len(rows) for one in range(4)]
        return [(sum(row[column] == one for row in inside) + 5 * every[one]) / (len(inside) + 5) for one in range(4)]

    def entropy(some: Sequence[float]) -> float:
        return -sum(one * math.log(one) for one in some if one > 0)

    def costs(pair: tuple[int, int]) -> float:
        sizes = [sum(row[0] == one for row in rows) for one in pair]
        total = 0.0
        for column in (1, 2):
            both = [shares({one}, column) for one in pair]
            mixed = [(sizes[0] * a + sizes[1] * b) / sum(sizes) for a, b in zip(*both, strict=True)]
            total += sum(sizes) * entropy(mixed) - sum(n * entropy(one) for n, one in zip(sizes, both, strict=True))
        return round(total * 2**20)

    return min(combinations(held, 2), key=lambda pair: (costs(pair), pair))


@given(rows_of(4))
def test_the_pair_that_loses_least_is_merged_first(rows: Rows) -> None:
    """Of up to four names, the first level has the pair with the least people times divergence, and no other."""
    names = {name for name, _, _ in rows}
    if len(names) > 2:
        first, second = first_merge(rows)
        labels = [row[1] for row in made(rows, 1)]
        assert f"{{n{first}, n{second}}}" in labels


def grouped(rows: Rows) -> dict[str, int]:
    """The group of each name that occurs."""
    held = sorted({name for name, _, _ in rows})
    columns = np.array(rows)
    codes = np.searchsorted(held, columns[:, 0])
    texts, counts = [f"n{one}" for one in held], np.bincount(codes)
    tables = [table_of(codes, len(held), columns[:, at], 4) for at in (1, 2)]
    return dict(zip(texts, companions(texts, counts, lambda some: [one[some] for one in tables]).tolist(), strict=True))


@given(rows_of(6))
def test_the_pair_that_loses_least_are_companions(rows: Rows) -> None:
    """Of names that five people have, the two with the least people times divergence are one group."""
    rows = [row for row in rows for _ in range(5)]
    if len({name for name, _, _ in rows}) > 1:
        found = grouped(rows)
        first, second = first_merge(rows)
        assert found[f"n{first}"] == found[f"n{second}"]
        assert max(list(found.values()).count(group) for group in found.values()) == 2 + len(found) % 2


@given(rows_of(9))
def test_everyone_has_companions(rows: Rows) -> None:
    """Groups are of two names, and one of three if the number is odd; rare names are paired as they follow as texts."""
    found = grouped(rows)
    sizes = sorted(list(found.values()).count(group) for group in set(found.values()))
    assert sizes == ([2] * (len(found) // 2 - 1) + [2 + len(found) % 2] if len(found) > 1 else [1])
    counts = {name: sum(row[0] == int(name[1:]) for row in rows) for name in found}
    rare = [name for name in found if counts[name] < 5]
    if len(found) > 1 and len(rare) == len(found):
        assert [found[name] for name in rare] == [min(at // 2, len(rare) // 2 - 1) for at in range(len(rare))]


def test_who_has_no_companion() -> None:
    """A missing value, a value that nobody in the table has, and an only one."""
    assert companions(["", "a", "b", "c"], np.array([9, 9, 0, 9]), lambda _: []).tolist() == [-1, 1, -1, 1]
    assert companions(["", "a", "b"], np.array([9, 9, 0]), lambda _: []).tolist() == [-1, -1, -1]
    assert companions([], np.array([], np.int64), lambda _: []).tolist() == []


@given(rows_of(9), st.integers(1, 8), st.randoms(use_true_random=False))
def test_the_order_of_records_does_not_matter(rows: Rows, k: int, random: Random) -> None:
    """The tree is one of the records, not of their order."""
    shuffled = [*rows]
    random.shuffle(shuffled)
    assert made(rows, k) == made(shuffled, k)


@given(rows_of(9), st.integers(2, 12))
def test_no_label_lists_a_rare_name(rows: Rows, k: int) -> None:
    """Names of fewer than k records are one branch, and no label of a node lists one of them."""
    tree = made(rows, k)
    rare = {f"n{name}" for name, _, _ in rows if sum(row[0] == name for row in rows) < k}
    above = {label for row in tree for label in row[1:]}
    assert not [label for label in above for name in rare if name in label.strip("{}").split(", ")]
    assert len({row[1] for row in tree if row[0] in rare}) <= 1


@given(rows_of(9))
def test_a_tree_of_enough_levels(rows: Rows) -> None:
    """Each level merges at least one node, and the last but one has two."""
    tree = made(rows, 1)
    sizes = [len({row[level] for row in tree}) for level in range(len(tree[0]))]
    assert all(a > b for a, b in pairwise(sizes)) or sizes == [1, 1]
    assert sizes[-2:] == [2, 1] or len(tree) == 1


@pytest.mark.parametrize("others", [[], [(["x"], np.zeros(40, np.int64))], [(["", "1"], np.arange(40) % 2)]])
def test_columns_that_say_nothing(others: list[tuple[list[str], Index]]) -> None:
    """Without a column that tells names apart the names are merged by number of people, then by text."""
    tree = alike(["b", "a", "c", "d"], np.repeat(np.arange(4), 10), others, k=5)
    assert (len(tree.leaves), tree.data_dependent) == (4, True)


def test_all_names_rare() -> None:
    """Where no name has k people there is one branch, which lists none."""
    assert alike(["a", "b"], np.array([0, 1]), [], k=5).labels == (("a", "b"), ("2 rare",), ("*",))


def test_no_values() -> None:
    """A column without values has no tree."""
    with pytest.raises(HierarchyError):
        alike([], np.array([], np.int64), [], k=5)


def test_numbers_count_by_fifths_and_names_by_the_most_frequent() -> None:
    """Names whose people are of like age are merged, though no two ages are the same."""
    codes, ages = np.repeat(np.arange(4), 50), np.concatenate([np.arange(50) * 2 + start for start in (0, 500, 1, 501)])
    texts = [str(one) for one in range(700)]
    assert alike(["a", "b", "c", "d"], codes, [(texts, ages)], k=5).labels[2] == ("{a, c}", "{b, d}")


def test_a_file_says_that_the_data_made_it(tmp_path: Path) -> None:
    """A tree read as FILE:from-data is marked, and so is the certificate of its release; read without, neither is."""
    table = tmp_path / "t.csv"
    lines = [f"{'abcd'[n % 4]}{n % 2},{n % 7},{'xy'[n % 4 // 2]}" for n in range(400)]
    table.write_text("\n".join(["job,age,town", *lines]), encoding="utf-8")
    out = tmp_path / "job.csv"
    found = kohort(
        "hierarchy",
        "build",
        "alike",
        "--in",
        str(table),
        "--column",
        "job",
        "--by",
        "town",
        "--k",
        "5",
        "--out",
        str(out),
    )
    assert found.status == 0
    assert read_hierarchy(f"{out}:from-data").data_dependent
    assert not read_hierarchy(out).data_dependent
    for word in ("", ":from-data"):
        release = tmp_path / f"r{word[1:]}.csv"
        asked = ["--quasi", "job", "--drop", "age,town", "--k", "150", "--hierarchy", f"job={out}{word}"]
        assert kohort("anonymize", str(table), "--out", str(release), *asked).status == 0
        certificate = json.loads(release.with_name(f"{release.name}.kohort.json").read_text(encoding="utf-8"))
        assert json.dumps(certificate).count('"data_dependent_labels": true') == bool(word)


def test_the_written_tree_reads_back(tmp_path: Path) -> None:
    """What is written is read as the same tree."""
    tree = alike([f"v{one}" for one in range(20)], np.arange(400) % 20, [(TOWNS, np.arange(400) // 150)], k=5)
    write_csv(tree, tmp_path / "v.csv")
    assert list(read_hierarchy(tmp_path / "v.csv:from-data").rows()) == list(tree.rows())
