"""How a draft generalizes a quasi-identifier: by a file beside the table, a grid, or a hierarchy of its values."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kohort.assessment.inspection.codes import rule_of
from kohort.errors import KohortError
from kohort.schema.hierarchies import TREES, read_hierarchy
from kohort.schema.hierarchies.public import tree
from kohort.schema.numbers import exact, is_numeric_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.assessment.inspection.guesses import Guess, ScaleName


@dataclass(frozen=True, slots=True)
class Shape:
    """How a quasi-identifier is generalized.

    Attributes:
        hierarchy: A file, or a builder such as `mask:right`.
        grid: The step of public cut points, of dates a period. Exactly one of the two is given.
        why: The reason, for a comment.
        label: The kind of label, where it is not what hierarchies and grids have by themselves.
    """

    hierarchy: str | None
    grid: str | None
    why: str
    label: str | None = None


#: Neighbours in the widest group that has a name, and numbers in the widest range.
_WIDEST: Final = 8

#: Names at most that are put into a tree: of more, branches that can be named hold too few records to help.
MOST_NAMES: Final = 256

#: How a hierarchy beside the table is read, and what a comment says of it.
_READ: Final = {"": "found beside the table", ":pad": "found beside the table; short rows are padded"}


def shape_of(guess: Guess, values: Sequence[str], table: Path | None, folder: Path) -> Shape:
    """How the column is generalized unless its steward knows better: never by labels that list a class's own values.

    Args:
        guess: What the column seems to reveal.
        values: Its distinct values without missing ones.
        table: The table's file; `None` for standard input.
        folder: The job file's folder, to which paths in it are relative.
    """
    beside = None if table is None else _beside(guess.name, values, table, folder)
    if beside is not None:
        return beside
    if guess.scale != "categorical" and guess.grid is not None:
        return Shape(None, guess.grid, guess.grid_reason or "round cut points")
    if guess.hierarchy is not None and (guess.hierarchy_reason or guess.hierarchy != "suppress"):
        return Shape(guess.hierarchy, None, guess.hierarchy_reason or "built from the values")
    codes = rule_of(values)
    if codes is not None:
        return Shape(codes.hierarchy, None, codes.why)
    if len(values) > 2 and _count(values):  # noqa: PLR2004  two have no groups
        return Shape("intervals:2,4,8", None, "ranges of a count; a single number stays where enough share it")
    return Shape("suppress", None, "all or nothing; a tree (CSV or JSON) keeps more")


def wants_tree(shape: Shape, values: Sequence[str]) -> bool:
    """Whether names have a public tree, or none and so all or nothing, and are few enough for a tree by likeness."""
    named = str(shape.hierarchy)
    return (named == "suppress" or named.startswith("public:")) and 2 < len(values) <= MOST_NAMES  # noqa: PLR2004  as above


def is_spelled(shape: Shape, values: Sequence[str]) -> bool:
    """Whether names are put together some of which are spellings of one thing."""
    name = str(shape.hierarchy).removeprefix("public:")
    return name == "spellings" or (name in TREES and tree(name).spellings(values)[1] > 0)


def scale_of(guess: Guess, shape: Shape | None) -> ScaleName | None:
    """What a job says of the column's scale: nothing where the values decide.

    Numbers that a hierarchy generalizes are names: as numbers their labels would be ranges of a class's own values.
    """
    if guess.scale == "categorical" or shape is None or shape.hierarchy is None:
        return None if guess.scale == "numeric" else guess.scale
    return "categorical" if guess.scale == "numeric" else None


def _count(values: Sequence[str]) -> bool:
    """Whether numbers seem to count something: whole ones from 0 on, all in the first two of the widest ranges."""
    if not is_numeric_text(values):
        return False
    numbers = [exact(text) for text in values]
    return min(numbers) == 0 and max(numbers) < 2 * _WIDEST and all(one.denominator == 1 for one in numbers)


#: Bytes of the longest name that a file has on the systems that we know.
LONGEST: Final = 255


def _beside(name: str, values: Sequence[str], table: Path, folder: Path) -> Shape | None:
    """The hierarchy in NAME.csv or NAME.json beside the table, where it has a leaf for every value."""
    if Path(name).name != name or len(os.fsencode(f"{name}.json")) > LONGEST:
        return None
    for path in (table.parent / f"{name}.csv", table.parent / f"{name}.json"):
        if not path.is_file() or path.resolve() == table.resolve():
            continue
        text = os.path.relpath(path.resolve(), folder.resolve())
        for word, why in _READ.items():
            try:
                leaves = read_hierarchy(f"{path}{word}", name=name).index
            except KohortError:
                continue
            if all(value in leaves for value in values):
                return Shape(f"{text}{word}", None, why)
    return None
