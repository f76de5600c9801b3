"""Rows of labels made into a tree: each names a leaf and then its ancestors, from level 1 to the root."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count, islice, pairwise
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np

from kohort.errors import HierarchyError
from kohort.errors.display import many

if TYPE_CHECKING:
    from kohort.arrays import Index, Mask

#: The label of a fully generalized value, which only the root may carry.
SUPPRESSED = "*"

#: How a missing value is named inside a set or a range; alone it stays an empty cell.
ABSENT: Final = "(missing)"

#: Rows of labels: a leaf, then its ancestors upward.
Rows: TypeAlias = Iterable[Sequence[str]]

#: Whether leaves may have fewer ancestors than others, and what stands in for those that they lack: `up` repeats the
#: highest label below the root, `down` the leaf. `True` keeps the levels that the form states.
Pad: TypeAlias = Literal["up", "down"] | bool

#: Which parent a label keeps that has several: that of the first row, or of the last. Empty: it is an error.
Keep: TypeAlias = Literal["", "first", "last", "qualify"]

#: Rows turned into columns at a time: enough to amortise the turn, few enough to stay in the cache.
CHUNK = 4096

#: Letters of a label, and labels of a list, in a message.
_LETTERS, _LABELS = 40, 5

#: How to ask for padding, and for one parent of several.
PADDING = "give every leaf an ancestor on every level, or pad: FILE:pad (pad=True in Python)"
_KEEPING = (
    "keep the row that is right, or the first or the last: FILE:first, FILE:last (keep='first' in Python); "
    "FILE:qualify keeps the first and names the parents of labels that occur in several places"
)


def nest(
    rows: Rows, name: str, *, root: str = "", pad: Pad = False, keep: Keep = ""
) -> tuple[tuple[tuple[str, ...], ...], tuple[Index, ...], tuple[str, ...]]:
    """The tree that rows describe; see `Hierarchy.from_rows`.

    Per level, the text of each node, depth-first; per level below the root, the parent of each node; and what was
    changed to make the rows nest, a sentence each.
    """
    changes: list[str] = []
    if keep == "qualify":
        rows, changes = qualified(rows)
        keep = ""
    if pad:
        rows, padded = _padded(rows, "down" if pad == "down" else "up")
        changes += [f"{counted_leaves(padded)} padded {'downward' if pad == 'down' else 'upward'}"] if padded else []
    levels = _encode(rows, name)
    _check_leaves(levels, name, keep)
    links = [_link(below, above, keep) for below, above in pairwise(levels)]
    labels, parents = [level.labels for level in levels], [parent for parent, _ in links]
    if keep:
        changes += kept_one(sum(int(mask.sum()) for _, mask in links), keep)
        labels, parents = _pruned(labels, parents)
    else:
        _check_inner(levels, links, name)
    if root and (len(labels) == 1 or len(labels[-1]) > 1):
        parents.append(np.zeros(len(labels[-1]), np.int64))
        labels.append((root,))
    if len(labels[-1]) > 1:
        raise no_root(labels[-1], name, len(parents))
    order, renumbered = _depth_first(parents)
    texts = (tuple(map(level.__getitem__, at.tolist())) for level, at in zip(labels, order, strict=True))
    return tuple(texts), tuple(renumbered), tuple(changes)


def qualified(rows: Rows) -> tuple[list[tuple[str, ...]], list[str]]:
    """Rows in which no label stands for two sets of leaves: that of a node then has its parents behind it.

    A leaf keeps its label, which the table has, and of several places the first. What was changed is told.

    >>> qualified([("Carpenter", "Trades", "*"), ("Joiner", "Carpenter", "*")])
    ([('Carpenter', 'Trades', '*'), ('Joiner', 'Carpenter (*)', '*')], ['1 node named with the parents'])
    """
    every = [tuple(row) for row in rows]
    known: dict[str, tuple[str, ...]] = {}
    for row in every:
        known.setdefault(row[0], row)
    places = _Places()
    climbed = {leaf: places.climb(row) for leaf, row in known.items()}
    meanings: dict[str, set[frozenset[str]]] = {leaf: {frozenset([leaf])} for leaf in known}
    for label, leaves in places.nodes:
        meanings.setdefault(label, set()).add(frozenset(leaves))
    taken = {label for label, sets in meanings.items() if len(sets) == 1} | known.keys()
    names = [label for label, _ in places.nodes]
    same = dict[tuple[int, frozenset[str]], str]()  # of a node that is repeated upward
    for node in dict.fromkeys(chain.from_iterable(climbed.values())):
        label, leaves = places.nodes[node]
        if len(meanings[label]) > 1 and leaves != {label}:
            key = places.paths[node], frozenset(leaves)
            if key not in same:
                same[key] = next(name for name in places.names(node) if name not in taken)
                taken.add(same[key])
            names[node] = same[key]
    parents = len({row[0] for row in every if row != known[row[0]]})
    told = [f"{many(len(same), 'node')} named with the parents"] if same else []
    return [(leaf, *map(names.__getitem__, up)) for leaf, up in climbed.items()], [*kept_one(parents, "first"), *told]


class _Places:
    """The nodes of rows, told apart by the labels from each up to the root.

    Attributes:
        nodes: Each one's label, and the leaves below it.
        paths: The number of each one's path, in which a label that is repeated upward stands once.
    """

    def __init__(self) -> None:
        """Nothing yet."""
        self.nodes: list[tuple[str, set[str]]] = []
        self.paths: list[int] = []
        self._known: dict[tuple[int, str], int] = {}  # a node by its parent and label
        self._path = dict[tuple[int, str], int]()  # a path by that of its parent, and its lowest label
        self._above: list[tuple[int, str]] = []  # the same, the other way round
        self._told: Counter[str] = Counter()

    def climb(self, row: Sequence[str]) -> list[int]:
        """The nodes above the leaf of a row, upward, which know the leaf from now on."""
        node = path = -1
        found = list[int]()
        for label in reversed(row[1:]):
            if path < 0 or label != self._above[path][1]:
                above = path
                path = self._path.setdefault((above, label), len(self._above))
                self._above += [(above, label)] * (path == len(self._above))
            node = self._known.setdefault((node, label), len(self.nodes))
            if node == len(self.nodes):
                self.nodes.append((label, set()))
                self.paths.append(path)
            self.nodes[node][1].add(row[0])
            found.append(node)
        return found[::-1]

    def names(self, node: int) -> Iterator[str]:
        """The label with ever more of the ancestors behind it, at last with a number."""
        above, label = self._above[self.paths[node]]
        ancestors = list[str]()
        while above >= 0 and len(ancestors) < _LABELS:
            above, ancestor = self._above[above]
            ancestors.append(ancestor)
            yield f"{label} ({', '.join(ancestors)})"
        while True:
            self._told[label] += 1
            yield f"{label} ({self._told[label]})"


# ── Faults ───────────────────────────────────────────────────────────────────────────────────────


def fault(what: str, name: str, level: int | None = None, *, hint: str = "") -> HierarchyError:
    """The error that says what is wrong with which attribute's hierarchy, and on which level."""
    of = f"hierarchy of {name}" if name else "hierarchy"
    return HierarchyError(what, where=of if level is None else f"{of}, level {level}", hint=hint)


def no_root(tops: Sequence[str], name: str, level: int | None = None) -> HierarchyError:
    """The error of several labels at the top. Rows do not name them: a table given by mistake has values there."""
    names = f" ({listed(tops)})" if level is None else ""
    hint = (
        f"end every row in the same label, or add the root {SUPPRESSED}: FILE:root (root='{SUPPRESSED}' in "
        "Python); delete the first line if it names the columns"
    )
    return fault(f"no common root: {len(tops):,} labels at the top{names}", name, level, hint=hint)


def two_parents(
    label: str, parents: Sequence[str], name: str, level: int | None = None, *, leaf: bool, more: int = 0
) -> HierarchyError:
    """The error of a label with two parents, which it names: a hierarchy is public."""
    what = (
        f"{'leaf' if leaf else 'label'} {quoted(label)} has two parents: {quoted(parents[0])} and {quoted(parents[1])}"
    )
    others = f" ({_labels(more)} several, too)" if more else ""
    return fault(what + others, name, level, hint=_KEEPING)


def kept_one(split: int, keep: Keep) -> tuple[str, ...]:
    """What was changed where so many labels had several parents."""
    which = "last" if keep == "last" else "first"
    return (f"{_labels(split)} several parents: the {which} one is kept",) if split else ()


def quoted(label: object) -> str:
    """A label in quotes, without what could steer a terminal; the middle of a long one left out.

    >>> print(quoted("Roma"), quoted("a" * 99))
    'Roma' 'aaaaaaaaaaaaaaaaaaaa…aaaaaaaaaaaaaaaaaaaa'
    """
    text = repr(label)[1:-1] if isinstance(label, str) else repr(label)
    return f"'{text}'" if len(text) <= _LETTERS else f"'{text[: _LETTERS // 2]}…{text[-_LETTERS // 2 :]}'"


def member(value: str) -> str:
    """A value as a member of a set: in quotes, as in JSON, where it could be misread; the missing one by its name.

    >>> print(member("a"), member("a, b"), member(""), member("(missing)"))
    a "a, b" (missing) "(missing)"
    """
    if not value:
        return ABSENT
    plain = not set('{},"') & set(value) and value == value.strip() and value != ABSENT
    return value if plain else json.dumps(value, ensure_ascii=False)


def set_label(values: Sequence[str]) -> str:
    """The only value, or the set of values in braces; what could be misread there stands in quotes."""
    return values[0] if len(values) == 1 else "{" + ", ".join(map(member, values)) + "}"


def listed(labels: Sequence[str]) -> str:
    """The first of some labels.

    >>> listed(list("abcdefgh"))
    "'a', 'b', 'c', 'd', 'e', …"
    """
    return ", ".join(map(quoted, labels[:_LABELS])) + ", …" * (len(labels) > _LABELS)


def counted_leaves(leaves: int) -> str:
    """The count in words: `1 leaf`, `2 leaves`."""
    return many(leaves, "leaf")


def _labels(labels: int) -> str:
    """The count in words, with a verb: `1 label has`, `2 labels have`."""
    return many(labels, "label has", "labels have")


# ── From rows to levels ──────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, eq=False)
class _Level:
    """One column of the rows: its labels by first appearance, and which of them each row holds."""

    labels: tuple[str, ...]
    codes: Index


def _padded(rows: Rows, pad: Literal["up", "down"]) -> tuple[Iterator[Sequence[str]], int]:
    """The rows, short ones made as long as the longest by the rule of `from_rows`, and how many were short."""
    known = [tuple(row) for row in rows]
    width = max(map(len, known), default=0)
    tops = {row[-1:] for row in known}

    def lengthened(row: tuple[str, ...]) -> tuple[str, ...]:
        lacking = width - len(row)
        if pad == "down":
            return row[:1] * lacking + row
        kept = row[:-1] if len(tops) == 1 else row
        return kept + kept[-1:] * lacking + row[len(kept) :]

    return map(lengthened, known), sum(len(row) < width for row in known)


def _encode(rows: Rows, name: str) -> list[_Level]:
    """The rows as columns of codes. Takes a chunk of rows at a time, to hold few cells at once."""
    source = iter(rows)
    numbers: list[dict[str, int]] = []  # labels by the order in which they are first asked for
    chunks: list[list[Index]] = []  # per chunk, per level: (rows of the chunk,)
    ragged = 0
    while chunk := list(islice(source, CHUNK)):
        numbers = numbers or [defaultdict(count().__next__) for _ in chunk[0]]
        ragged += sum(len(row) != len(numbers) for row in chunk)
        if not ragged:
            columns = zip(numbers, zip(*chunk, strict=True), strict=True)
            chunks.append([np.fromiter(map(of.__getitem__, cells), np.int64, len(chunk)) for of, cells in columns])
    if ragged:
        raise fault(f"{counted_leaves(ragged)} with another number of levels than the first", name, hint=PADDING)
    if not numbers:
        raise fault("no leaves", name)
    return [_Level(tuple(of), np.concatenate(codes)) for of, *codes in zip(numbers, *chunks, strict=True)]


def _link(below: _Level, above: _Level, keep: Keep) -> tuple[Index, Mask]:
    """For each label below, the label above it in the first or last row that has it; and whether another row differs.

    Of an assignment to one place several times, the last one stays.
    """
    parent = np.empty(len(below.labels), np.int64)
    step = -1 if keep == "first" else 1
    parent[below.codes[::step]] = above.codes[::step]
    split = np.zeros(len(parent), np.bool_)
    split[below.codes[parent[below.codes] != above.codes]] = True
    return parent, split


def _check_leaves(levels: Sequence[_Level], name: str, keep: Keep) -> None:
    """Refuse rows that name a leaf again, be it with the same ancestors or with others."""
    leaves = levels[0]
    repeated = len(leaves.codes) - len(leaves.labels)
    if not repeated or keep:
        return
    for level, above in enumerate(levels[1:], start=1):
        split = np.flatnonzero(_link(leaves, above, keep)[1])
        if split.size:
            raise _two_parents(leaves, above, split, name, level)
    hint = "delete them, or keep one of each: FILE:first"
    raise fault(f"duplicate leaves: {many(repeated, 'row repeats', 'rows repeat')} an earlier one", name, 0, hint=hint)


def _check_inner(levels: Sequence[_Level], links: Sequence[tuple[Index, Mask]], name: str) -> None:
    """Refuse a label above the leaves that rows put below two parents."""
    for level, (_, mask) in enumerate(links):
        split = np.flatnonzero(mask)
        if split.size:
            raise _two_parents(levels[level], levels[level + 1], split, name, level, leaf=False)


def _two_parents(
    below: _Level, above: _Level, split: Index, name: str, level: int, *, leaf: bool = True
) -> HierarchyError:
    """The error of the first of the labels that are split."""
    codes: list[int] = above.codes[below.codes == split[0]].tolist()
    parents = [above.labels[at] for at in dict.fromkeys(codes)]
    return two_parents(below.labels[int(split[0])], parents, name, level, leaf=leaf, more=split.size - 1)


def _pruned(labels: Sequence[tuple[str, ...]], parents: Sequence[Index]) -> tuple[list[tuple[str, ...]], list[Index]]:
    """The levels without nodes that have lost their last child; the others keep their order."""
    kept_labels: list[tuple[str, ...]] = [labels[0]]
    kept_parents: list[Index] = []
    kept = np.arange(len(labels[0]))
    for parent, above in zip(parents, labels[1:], strict=True):
        used, renumbered = np.unique(parent[kept], return_inverse=True)
        kept_parents.append(renumbered.astype(np.int64))
        kept_labels.append(tuple(map(above.__getitem__, used.tolist())))
        kept = used
    return kept_labels, kept_parents


def _depth_first(parents: Sequence[Index]) -> tuple[list[Index], list[Index]]:
    """Per level the nodes in depth-first order, and per level below the root the parents so renumbered.

    A stable sort by the parent's new place keeps siblings in their old order, that of first appearance.
    """
    rank = np.zeros(1, np.int64)
    order: list[Index] = [rank]
    renumbered: list[Index] = []
    for parent in reversed(parents):
        above = rank[parent]
        nodes = np.argsort(above, kind="stable")
        rank = np.empty_like(nodes)
        rank[nodes] = np.arange(len(nodes))
        order.append(nodes)
        renumbered.append(above[nodes])
    return order[::-1], renumbered[::-1]


def told_twofold(labels: Sequence[str]) -> str:
    """That labels can be read in two ways, without quoting them."""
    stand = many(len(labels), "label stands", "labels stand")
    return f"{stand} for different values on different levels"
