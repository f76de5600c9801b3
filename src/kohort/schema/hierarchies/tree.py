"""Hierarchies as nested objects: what JSON holds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, NoReturn, TypeAlias, cast

import numpy as np

from kohort.errors import InputError
from kohort.schema.hierarchy import Hierarchy
from kohort.schema.nesting import PADDING, Keep, Pad, fault, no_root

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: A list or mapping that holds nodes.
_Container: TypeAlias = "Mapping[object, object] | Sequence[object]"

#: Deepest tree taken. Hierarchies have a handful of levels; what goes deeper is a mistake or an attack.
DEEPEST = 1000

#: The key of an object's label. What leads to its children may be called anything.
_NAME = "name"


#: What the column of parents is called, where columns have names.
PARENT = "parent"


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
        raise fault(f"{shallow:,} of {len(paths):,} leaves lie higher than the deepest", name, hint=PADDING)
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
                raise fault("a part of the tree occurs twice: it contains itself, or two nodes share it", name)
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
