"""Hierarchies as nested objects, which JSON holds, and as edges: rows of a node and its parent, in any order."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NoReturn, TypeAlias, cast

import numpy as np

from kohort.errors import InputError
from kohort.schema.hierarchy import Hierarchy
from kohort.schema.nesting import PADDING, Keep, Pad, fault, kept_one, listed, no_root, quoted, two_parents

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kohort.errors import HierarchyError

#: A list or mapping that holds nodes.
_Container: TypeAlias = "Mapping[object, object] | Sequence[object]"

#: Deepest tree taken. Hierarchies have a handful of levels; what goes deeper is a mistake or an attack.
DEEPEST = 1000

#: The key of an object's label. What leads to its children may be called anything.
_NAME = "name"


#: What the column of parents is called, where columns have names.
PARENT = "parent"

#: What to do where no parent occurs twice: a tree's parents do.
_SWAPPED: Final = "the columns look swapped: write child,parent, or add the header parent,child"


def from_tree(tree: object, *, name: str = "", root: str = "", pad: Pad = False, keep: Keep = "") -> Hierarchy:
    """The hierarchy that a nested object describes.

    A text in a list is a leaf. An object with a text under `name` is a node of that label; its children are in the
    lists and objects that it holds, whatever their keys, and the rest of it is ignored. Any other object has one
    node for each of its keys, with the children below it. A node without children is a leaf.

    Args:
        tree: Mappings, lists and texts, as `json.loads` gives them.
        name: The attribute, for messages.
        root: Label of a root to add where the tree has several.
        pad: Whether leaves may lie at different depths. `down` (or `True`) then puts a leaf that lies too high below
            nodes of its own label, so that all other nodes stay at their distance from the root; `up` repeats its
            highest ancestor below the root.
        keep: Which of several places a leaf keeps, or parents a node: `first` or `last`; else it is an error.

    Raises:
        HierarchyError: what `Hierarchy.from_rows` refuses, a part that is none of the above, or one that
            occurs twice, as in a tree that contains itself.

    >>> italy = {"name": "Italia", "regions": [{"name": "Lazio", "cities": ["Roma", "Rieti"]}]}
    >>> from_tree(italy).labels
    (('Roma', 'Rieti'), ('Lazio',), ('Italia',))
    >>> from_tree({"Italia": {"Lazio": ["Roma", "Rieti"]}}) == from_tree(italy)
    True
    """
    return from_paths(list(_paths(tree, name)), name=name, root=root, pad=pad, keep=keep)


def from_paths(
    paths: Sequence[tuple[str, ...]], *, name: str = "", root: str = "", pad: Pad = False, keep: Keep = ""
) -> Hierarchy:
    """The hierarchy of the leaves' paths to the root, which a form other than rows describes; see `from_tree`."""
    depth = max(map(len, paths), default=0)
    tops = list(dict.fromkeys(path[-1] for path in paths))
    if len(tops) > 1 and not root:
        raise no_root(tops, name)
    if not pad and (shallow := sum(len(path) < depth for path in paths)):
        raise fault(f"{shallow:,} of {len(paths):,} leaves are higher than the deepest", name, hint=PADDING)
    return Hierarchy.from_rows(paths, name=name, root=root, pad="up" if pad == "up" else "down", keep=keep)


def to_tree(hierarchy: Hierarchy) -> object:
    """The hierarchy as nested objects with `name` and `children`; the inverse of `from_tree`.

    >>> to_tree(from_tree({"Italia": {"Lazio": ["Roma", "Rieti"]}}))
    {'name': 'Italia', 'children': [{'name': 'Lazio', 'children': ['Roma', 'Rieti']}]}
    """
    nodes: list[object] = list(hierarchy.leaves)
    for labels, parent in zip(hierarchy.labels[1:], hierarchy.parents, strict=True):
        ends = np.searchsorted(parent, np.arange(len(labels) + 1)).tolist()  # where each node's children begin
        nodes = [
            {_NAME: label, "children": nodes[first:after]}
            for label, (first, after) in zip(labels, pairwise(ends), strict=True)
        ]
    return nodes[0]


def parse_json(text: str, *, where: str) -> object:
    """The value that JSON text writes; refuses what JSON leaves open: repeated keys, NaN and endless nesting."""

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        keys = dict(pairs)
        if len(keys) < len(pairs):
            raise InputError(f"{len(pairs) - len(keys):,} keys of an object occur twice", where=where)
        return keys

    def refuse(constant: str) -> NoReturn:
        raise InputError(f"{constant} is not JSON", where=where)

    try:
        value: object = json.loads(text, object_pairs_hook=unique, parse_constant=refuse)
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON: {error.msg}", where=f"{where}, line {error.lineno}") from None
    except ValueError:
        raise InputError("a number of thousands of digits", where=where) from None
    except RecursionError:
        raise InputError("nested too deeply", where=where) from None
    return value


def table_of(value: object) -> list[list[str]] | None:
    """The rows that JSON writes as lists of texts, as objects with the same keys, or as one object of child and parent.

    Keys that say which column is the `parent` are the first row; others are left out. `null` is an empty text.
    `None` where the value is no table, but a tree.

    >>> table_of({"Roma": "Lazio", "Lazio": "Italia"})
    [['Roma', 'Lazio'], ['Lazio', 'Italia']]
    >>> table_of([{"child": "Roma", "parent": "Lazio"}])
    [['child', 'parent'], ['Roma', 'Lazio']]
    """
    if isinstance(value, Mapping):
        pairs = [[key, cell] for key, cell in cast("Mapping[object, object]", value).items()]
        return _cells(pairs)
    items = cast("list[object]", value) if isinstance(value, list) else []
    if all(isinstance(item, list) for item in items):
        return _cells(cast("list[list[object]]", items))
    objects = [cast("dict[object, object]", item) for item in items if isinstance(item, dict)]
    keys = [*objects[0]] if objects else []
    if len(keys) < 2 or len(objects) < len(items) or any([*one] != keys for one in objects):  # noqa: PLR2004  a leaf and more
        return None
    return _cells([*[keys][: PARENT in keys], *([*one.values()] for one in objects)])


def _paths(tree: object, name: str) -> Iterator[tuple[str, ...]]:
    """For every leaf its label and those of its ancestors upward. Each list or mapping is entered once."""
    entered: set[int] = set()
    pending: list[tuple[tuple[str, ...], list[_Container]]] = [((), [_container(tree, name)])]
    while pending:
        path, containers = pending.pop()
        if len(path) > DEEPEST:
            raise fault(f"a tree deeper than {DEEPEST:,} levels", name)
        nodes: list[tuple[str, list[_Container]]] = []
        for container in filter(len, containers):
            if id(container) in entered:
                raise fault("a part of the tree contains itself, or has two parents", name)
            entered.add(id(container))
            nodes.extend(_nodes(container, name))
        if path and not nodes:
            yield path
        pending.extend(((label, *path), below) for label, below in reversed(nodes))


def _nodes(container: _Container, name: str) -> Iterator[tuple[str, list[_Container]]]:
    """The nodes that a list or mapping holds: their labels and what holds their children."""
    if isinstance(container, Mapping):
        label = container.get(_NAME)
        if isinstance(label, str):
            yield label, [_container(value, name) for value in container.values() if _is_container(value)]
        else:
            yield from ((_text(key, name), [_container(value, name)]) for key, value in container.items())
        return
    for item in container:
        if isinstance(item, Mapping):
            yield from _nodes(cast("Mapping[object, object]", item), name)
        else:
            yield _text(item, name), []


def _is_container(value: object) -> bool:
    """Whether the value can hold nodes."""
    return isinstance(value, Mapping | list | tuple)


def _container(value: object, name: str) -> _Container:
    """The value as what holds nodes."""
    if not _is_container(value):
        raise fault(
            "children of a node are neither a list nor an object", name, hint='a leaf is a text in a list: ["a"]'
        )
    return cast("_Container", value)


def _text(value: object, name: str) -> str:
    """The value as a label."""
    if not isinstance(value, str):
        raise fault("a label is not text", name, hint="quote numbers")
    return value


def _cells(rows: Sequence[Sequence[object]]) -> list[list[str]] | None:
    """The rows, where there are any and all cells are texts or `null`."""
    if not rows or not all(cell is None or isinstance(cell, str) for row in rows for cell in row):
        return None
    return [["" if cell is None else str(cell) for cell in row] for row in rows]


# --- as a list of edges -----------------------------------------------------------------------------------------------


def are_edges(rows: Sequence[Sequence[str]]) -> bool:
    """Whether rows of two cells name a parent that itself has one: rows of leaves name only the root there.

    Or a first row says which column is the `parent`.

    >>> are_edges([["Roma", "Lazio"], ["Lazio", "Italia"]]), are_edges([["Roma", "Italia"], ["Bari", "Italia"]])
    (True, False)
    """
    if any(len(row) != 2 for row in rows):  # noqa: PLR2004  a child and a parent
        return False
    children = {child for child, parent in rows if parent not in {child, ""}}
    return bool(_names(rows)) or any(parent in children and parent != child for child, parent in rows)


def _names(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """What a first row calls the columns, if one of them is the parent; nothing where it is an edge."""
    names = tuple(cell.strip().casefold() for cell in rows[0]) if rows else ()
    labels = {cell for row in rows[1:] for cell in row}
    return names if names.count(PARENT) == 1 and labels.isdisjoint(rows[0]) else ()


def from_edges(
    rows: Sequence[Sequence[str]], *, name: str = "", root: str = "", pad: Pad = False, keep: Keep = ""
) -> Hierarchy:
    """The hierarchy that edges describe: child, then parent; the root is the only node without another parent.

    The root need not be a child, or has an empty parent, or itself. A node that has itself as a parent, beside another,
    is a leaf below the node of its own label: the city Roma in the province Roma. A first row that names the columns
    `child` and `parent` says which is which. Siblings keep the order of their rows.

    Args:
        rows: Two labels each.
        name: The attribute, for messages.
        root: Label of a root to add where there are several.
        pad: Whether leaves may lie at different depths; see `from_tree`.
        keep: Which parent a node keeps that has several: `first` or `last`; else it is an error.

    Raises:
        HierarchyError: a node with two parents, nodes in a circle, several roots, or leaves at different depths.

    >>> from_edges([["Lazio", "Italia"], ["Roma", "Lazio"], ["Rieti", "Lazio"]]).labels
    (('Roma', 'Rieti'), ('Lazio',), ('Italia',))
    """
    body = _body(rows)
    named = _named(body)
    split = [child for child, above in named.items() if len(set(above)) > 1]
    if split and not keep:
        raise _split(split, named, body, name)
    parents = {child: above[-1 if keep == "last" else 0] for child, above in named.items()}
    inner, own = set(parents.values()), {child for child, above in body if child == above and child in parents}
    paths: list[tuple[str, ...]] = []
    for child in dict.fromkeys(child for child, _ in body):
        path = _climbed(child, parents, name)
        if child in own or child not in inner:
            paths.append((child, *path) if child in own else path)
    made = from_paths(paths, name=name, root=root, pad=pad)
    return replace(made, changes=(*made.changes, *kept_one(len(split), keep)))


def _body(rows: Sequence[Sequence[str]]) -> list[tuple[str, str]]:
    """The edges, child first, without a row that names the columns."""
    names = _names(rows)
    pairs = [(first, second) for first, second in rows[1 if names else 0 :]]
    return [(second, first) for first, second in pairs] if names[:1] == (PARENT,) else pairs


def _named(edges: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    """For each node the parents that its rows name; that it is itself, or nothing, is no name."""
    found: dict[str, list[str]] = {}
    for child, parent in edges:
        if parent not in {"", child}:
            found.setdefault(child, []).append(parent)
    return found


def _split(
    split: Sequence[str], named: Mapping[str, Sequence[str]], edges: Sequence[tuple[str, str]], name: str
) -> HierarchyError:
    """The error of the first of the nodes that have several parents."""
    parents = [parent for _, parent in edges]
    first = split[0]
    distinct = list(dict.fromkeys(named[first]))
    made = two_parents(first, distinct, name, leaf=first not in parents, more=len(split) - 1)
    return fault(made.what, name, hint=_SWAPPED) if len(set(parents)) == len(parents) else made


def _climbed(node: str, parents: Mapping[str, str], name: str) -> tuple[str, ...]:
    """A node and all its ancestors."""
    path = {node: None}
    while (above := parents.get(node)) is not None:
        if above in path:
            circle = [*path][[*path].index(above) :]
            what = f"label {quoted(above)} lies below itself: {listed([*circle, above])}"
            raise fault(what, name, hint="delete the row that closes the circle")
        if len(path) > DEEPEST:
            raise fault(f"a tree deeper than {DEEPEST:,} levels", name)
        path[above] = None
        node = above
    return tuple(path)
