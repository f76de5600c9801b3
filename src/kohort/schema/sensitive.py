"""The values of a sensitive attribute as privacy models see them: what counts as one value, and how far two are apart.

Texts that a reader takes for one value are one, whatever their case, width and blanks, and so are numbers that are
equal: several spellings never raise diversity. A missing value is none: it is counted in the size of a class, and
never as a value.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from kohort.errors import HierarchyError, InputError
from kohort.errors.display import many
from kohort.schema import Missing, Scale
from kohort.schema.hierarchies import from_spec
from kohort.schema.hierarchies.spelling import even_spelling, is_even
from kohort.schema.hierarchy import Hierarchy
from kohort.schema.numbers import all_times_ten, exact, is_numeric_text, most_digits, said

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from kohort.arrays import Counts, Index
    from kohort.schema import Attribute

    #: Exact numbers; objects where some do not fit 64 bits.
    Numbers: TypeAlias = NDArray[np.int64] | NDArray[np.object_]


@dataclass(frozen=True, slots=True, eq=False)
class SensitiveDomain:
    """The v different values of one sensitive attribute, in an order that means something.

    The order is that of the hierarchy's leaves where the attribute has a hierarchy, else ascending: as numbers where
    all are numbers, else as text. The code of a missing value is v.

    Attributes:
        name: The attribute.
        reference: (v,) people of the whole input table with each value, records without a person key; at least 1.
        numeric: Whether the values are numbers.
        levels: Of a hierarchy, per level from the leaves to below the root: (v,) the node of each value, ascending.
        numbers: (v,) the values as whole numbers, each times ten to the power of `digits`; `None` where they are none.
        digits: How many digits after the point the values have.
    """

    name: str
    reference: Counts
    numeric: bool = False
    levels: tuple[Index, ...] = ()
    numbers: Numbers | None = field(default=None, repr=False)
    digits: int = 0

    def __len__(self) -> int:
        """v, the number of values; a missing one is none."""
        return self.reference.size

    def counted(self, reference: Counts) -> SensitiveDomain:
        """The same values, counted otherwise."""
        return replace(self, reference=reference)


def resolve(
    attribute: Attribute, values: Sequence[str | None], counts: Counts, missing: frozenset[str]
) -> tuple[SensitiveDomain, Index]:
    """The domain of a sensitive attribute over the observed `values`, and the code of each value.

    Args:
        attribute: What the schema says of the column.
        values: (u,) the distinct observed values; `None`, blanks and the texts in `missing` mean no value.
        counts: (u,) records with each value.
        missing: The schema's missing tokens.

    Returns:
        The domain, and (u,) codes; that of a missing value is the number of values.

    Raises:
        InputError: Missing values that the schema refuses, or values that are no numbers where the schema says so.
        HierarchyError: Values that are no leaf of the hierarchy.

    >>> from kohort.schema import Attribute, Role
    >>> spelled = ["HIV", "hiv ", "flu", ""]
    >>> domain, codes = resolve(Attribute("illness", Role.SENSITIVE), spelled, np.array([4, 2, 1, 1]), frozenset({""}))
    >>> domain.reference.tolist(), codes.tolist()
    ([1, 6], [1, 1, 0, 2])
    """
    nothing = {"", *map(even_spelling, missing)}  # however it is spelled: blanks tell no more than an empty cell
    even: Callable[[str], str] = str if is_even(" ".join(filter(None, values))) else even_spelling
    absent = np.array([value is None or even(value) in nothing for value in values], dtype=np.bool_)
    if absent.any() and attribute.missing is Missing.REFUSE:
        raise InputError(
            f"{many(int(counts[absent].sum()), 'record has', 'records have')} no value",
            where=f"column {attribute.name}",
            hint='set missing to "own-value" or "suppress"; "refuse" is set',
        )
    present = [value for value, gone in zip(values, absent.tolist(), strict=True) if value is not None and not gone]
    numeric = _is_numeric(attribute, present, counts[~absent])
    digits = most_digits(present) if numeric else 0
    size, of, numbers = _numbered(present, digits if numeric else None, codes=attribute.scale is Scale.CATEGORICAL)
    levels: tuple[Index, ...] = ()
    if attribute.hierarchy is not None and present:
        place, levels = _by_leaf(attribute, of, present, counts[~absent])
        of = place[of]
        numbers = None if numbers is None else numbers[np.argsort(place)]
    codes = np.full(len(values), size, np.int64)
    codes[~absent] = of
    reference = np.bincount(codes[~absent], weights=counts[~absent], minlength=size).astype(np.int64)
    return SensitiveDomain(attribute.name, reference, numeric, levels, numbers=numbers, digits=digits), codes


def _is_numeric(attribute: Attribute, present: Sequence[str], counts: Counts) -> bool:
    """Decided by the values (design decision 1), unless the schema says it."""
    if attribute.scale is Scale.CATEGORICAL or not present:
        return False
    numeric = is_numeric_text(present)
    if attribute.scale is Scale.NUMERIC and not numeric:
        wrong = np.array([not is_numeric_text((value,)) for value in present])
        of = many(int(counts[wrong].sum()), "record")
        raise InputError(
            f"{many(int(wrong.sum()), f'value ({of}) is not a decimal', f'values ({of}) are not decimals')}",
            where=f"column {attribute.name}",
            hint="the column must be numeric; declare missing tokens, or make the column categorical",
        )
    return numeric


def _numbered(present: Sequence[str], digits: int | None, *, codes: bool) -> tuple[int, Index, Numbers | None]:
    """How many different values there are, the place of each text's among them, and the numbers that they are.

    Numbers have `digits` after the point; `None`: the values are texts. Among texts too, equal numbers are one value,
    unless the schema says that they are `codes`: 10.1 is then not 10.10.
    """
    if digits is not None:
        different, of = np.unique(all_times_ten(present, digits), return_inverse=True)
        return different.size, of, different
    keys = [even_spelling(text) for text in present]
    if not codes:
        keys = [said(exact(key)) if is_numeric_text((key,)) else key for key in keys]
    place = {key: code for code, key in enumerate(sorted(set(keys)))}
    return len(place), np.array([place[key] for key in keys], np.int64), None


def _by_leaf(
    attribute: Attribute, of: Index, present: Sequence[str], counts: Counts
) -> tuple[Index, tuple[Index, ...]]:
    """The place of each different value in the order of the hierarchy's leaves, and their nodes below the root."""
    hierarchy = attribute.hierarchy
    if not isinstance(hierarchy, Hierarchy):
        hierarchy = from_spec(str(hierarchy), sorted(set(present)), name=attribute.name)
    hierarchy = hierarchy.spelled_as(present)
    leaves = np.array([hierarchy.index.get(text, -1) for text in present])
    absent = leaves < 0
    if absent.any():
        whose = many(int(counts[absent].sum()), "record")
        raise HierarchyError(
            f"{many(int(absent.sum()), f'value ({whose}) is', f'values ({whose}) are')} missing from the hierarchy",
            where=f"column {attribute.name}",
            hint="add the values to the hierarchy; `kohort hierarchy check` counts what a file lacks",
        )
    first = np.full(int(of.max()) + 1, len(hierarchy.leaves))
    np.minimum.at(first, of, leaves)  # spellings that stand at several leaves are the value of the first
    return np.argsort(np.argsort(first)), tuple(of_leaf[np.sort(first)] for of_leaf in hierarchy.maps[:-1])
