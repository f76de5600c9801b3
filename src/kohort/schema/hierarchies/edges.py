"""Hierarchies as a list of edges: a row for each node, which names it and its parent, in any order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kohort.schema.hierarchies.tree import DEEPEST, PARENT, from_paths
from kohort.schema.nesting import fault, kept_one, listed, quoted, two_parents

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kohort.errors import HierarchyError
    from kohort.schema.hierarchy import Hierarchy
    from kohort.schema.nesting import Keep, Pad

#: What to do where no parent occurs twice: a tree's parents do.
_SWAPPED: Final = "the columns look swapped: write child,parent, or name them so in a first line: parent,child"


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
