"""What a domain is, and where its values lie in a hierarchy."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.errors import HierarchyError
from kohort.errors.display import Summary, many
from kohort.schema import Attribute, Label, Scale
from kohort.schema.hierarchies.sets import suppress, with_missing
from kohort.schema.hierarchies.spec import from_spec
from kohort.schema.hierarchy import Hierarchy
from kohort.schema.numbers import exact, is_numeric_text, part_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Counts, Index, Positions, Shares
    from kohort.errors.display import Rows

#: What a domain without a hierarchy or a grid has in their place.
NOTHING: Index = np.empty(0, np.int64)
NOTHING.setflags(write=False)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Domain(Summary):
    """The values of one quasi-identifier in code order; with a grid, a code is a cell of it.

    Attributes:
        attribute: What the schema says.
        scale: Numeric or categorical, decided.
        texts: (v,) text of each code: the value, or the interval of the cell; missing is "".
        positions: (v,) place of each code on the scale: for numbers the multiple of `unit`, of a cell that where it
            begins; for names the leaf, where they have the hierarchy's order, else 0..v-1. A missing number, which
            has code 0, lies one step before the least one.
        ends: Least and greatest position of the whole domain, declared or observed.
        unit: What one step of a numeric position is worth: a power of ten.
        missing: The code of the missing value; -1 where there is none.
        hierarchy: The attribute's hierarchy, with a leaf for the missing value where that occurs.
        leaves: (v,) hierarchy leaf of each code; empty without a hierarchy.
        companions: (v,) the group of each name, whose names stand for one another; -1 for none. Empty where none do.
        upper: (v,) position where a grid's cell ends; empty without a grid.
        edges: (v,) where a grid's cell begins and ends, as text and exact also where positions are rounded.
        step: How far neighbouring numbers are apart, in positions; below 1 where they are finer than their grid.
        open_ends: Whether the least number has no lower end, and the greatest no upper one.
    """

    attribute: Attribute
    scale: Scale
    texts: tuple[str, ...]
    positions: Positions
    ends: tuple[Fraction | float, Fraction | float]
    unit: Fraction = Fraction(1)
    missing: int = -1
    hierarchy: Hierarchy | None = None
    leaves: Index = field(default_factory=lambda: NOTHING)
    companions: Index = field(default_factory=lambda: NOTHING)
    upper: Positions = field(default_factory=lambda: NOTHING)
    edges: tuple[tuple[str, str], ...] = ()
    step: Fraction = Fraction(1)
    open_ends: tuple[bool, bool] = (False, False)

    def _shown(self) -> tuple[str, Rows]:
        return f"Domain of {self.attribute.name}", [("Scale", self.scale.value), ("Values", f"{len(self):,}")]

    def __len__(self) -> int:
        """The number of codes."""
        return len(self.texts)

    @property
    def extent(self) -> float:
        """Width of the whole domain: MAX - MIN for numbers, |A| - 1 for names."""
        return float(self.ends[1] - self.ends[0])

    @property
    def others(self) -> float:
        """|A| - 1, how many values there are besides each: leaves, numbers within the bounds, or observed values."""
        if self.hierarchy is not None:
            return len(self.hierarchy.leaves) - 1.0
        bounded = self.scale is Scale.NUMERIC and self.attribute.bounds is not None
        return self.extent + (self.missing >= 0) if bounded else len(self) - 1.0

    @property
    def varies(self) -> bool:
        """Whether it has several values: no label of another can lose anything."""
        return self.extent > 0 or self.others > 0

    @property
    def label(self) -> Label:
        """How regions are released: what the schema asks for, or the scale's own way."""
        asked, numeric = self.attribute.label, self.scale is Scale.NUMERIC
        if asked is not None and asked.of_names:
            asked = None if numeric else Label.SET
        if asked is not None and (numeric or asked not in {Label.MEAN, Label.GRID}):
            return asked
        if numeric:
            return Label.RANGE if self.attribute.grid is None else Label.GRID
        return Label.SET if self.hierarchy is None else Label.ANCESTOR

    @property
    def hides_alone(self) -> bool:
        """Whether a set prints more than a name that one person has alone: its branch, or companions beside it.

        See `kohort.core.branches`.
        """
        others = self.hierarchy is not None or self.companions.size > 0
        return self.label is Label.SET and others and self.scale is Scale.CATEGORICAL


def share(domain: Domain, width: Shares) -> Shares:
    """Loss of labels that span `width` (M - 1, or max - min): in 0..1, 0 where the domain is a point."""
    return part_of(domain.extent, width)


#: What to do about values that are no leaf.
_LACKING: Final = "add the values to the hierarchy; `kohort hierarchy check` counts what a file lacks"


def hierarchy_over(attribute: Attribute, texts: Sequence[str], counts: Counts) -> tuple[Hierarchy | None, Index]:
    """The attribute's hierarchy, with a leaf for the missing value "" where that occurs, and the leaf of each text.

    Raises:
        HierarchyError: Some texts are no leaf.
    """
    if attribute.hierarchy is None:
        return None, NOTHING
    hierarchy = _built(attribute, texts, counts)
    if "" in texts:
        hierarchy = with_missing(hierarchy)
    leaves = np.array([hierarchy.index.get(text, -1) for text in texts], dtype=np.int64)
    absent = leaves < 0
    if absent.any():
        blank = all(texts[at].strip() in hierarchy.index for at in np.flatnonzero(absent).tolist())
        hint = "remove surrounding blanks: --trim (in a job file trim = true)" if blank else _LACKING
        of = many(int(counts[absent].sum()), "record")
        raise HierarchyError(
            f"{many(int(absent.sum()), f'value ({of}) is', f'values ({of}) are')} missing from the hierarchy",
            where=f"column {attribute.name}",
            hint=hint,
        )
    return hierarchy, leaves


def _built(attribute: Attribute, texts: Sequence[str], counts: Counts) -> Hierarchy:
    """The hierarchy as it is given; one that is given as a builder's text is built over the observed values."""
    if isinstance(attribute.hierarchy, Hierarchy):
        return attribute.hierarchy
    records = {text: count for text, count in zip(texts, counts.tolist(), strict=True) if text}
    if not records:
        return suppress([""])  # a builder needs values; here all are missing
    return from_spec(str(attribute.hierarchy), list(records), name=attribute.name, counts=records)


def numeric_leaves(hierarchy: Hierarchy) -> dict[int, Fraction]:
    """The leaves that are numbers, and which ones."""
    return {place: exact(leaf) for place, leaf in enumerate(hierarchy.leaves) if is_numeric_text((leaf,))}
