"""The domain of a quasi-identifier: what each of its integer codes means, in an order that means something."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from kohort.errors import HierarchyError, InputError, SchemaError
from kohort.hierarchies import with_missing
from kohort.numbers import is_numeric_text
from kohort.schema import Attribute, Label, Order, Scale

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kohort.arrays import Counts, Index, Positions, Shares
    from kohort.hierarchy import Hierarchy

#: Scaled integers stay below this, so that products of two fit 128 bits and float64 tells nearby ones apart.
LARGEST_POSITION = 1 << 62


@dataclass(frozen=True, slots=True, eq=False)
class Domain:
    """The values of one quasi-identifier in code order; with a grid, a code is a cell of it.

    Attributes:
        attribute: What the schema says.
        scale: Numeric or categorical, decided.
        texts: (v,) text of each code: the value, or the interval of the cell; missing is "".
        positions: (v,) place of each code on the scale: exact multiples of `unit` for numbers, 0..v-1 for names.
        unit: What one step of a numeric position is worth.
        missing: The code of the missing value; -1 where there is none.
        ends: Least and greatest position of the whole domain, declared or observed.
        hierarchy: The attribute's hierarchy, with a leaf for the missing value where that occurs.
        leaves: (v,) hierarchy leaf of each code; empty without a hierarchy.
        upper: (v,) where a grid's cell ends, as a position; empty without a grid.
    """

    attribute: Attribute
    scale: Scale
    texts: tuple[str, ...]
    positions: Positions
    ends: tuple[float, float]
    unit: Fraction = Fraction(1)
    missing: int = -1
    hierarchy: Hierarchy | None = None
    leaves: Index = np.empty(0, np.int64)  # noqa: RUF009  never written to
    upper: Positions = np.empty(0, np.int64)  # noqa: RUF009  never written to

    def __len__(self) -> int:
        """The number of codes."""
        return len(self.texts)

    @property
    def extent(self) -> float:
        """Width of the whole domain: (MAX - MIN) for numbers, |A| - 1 for names."""
        return self.ends[1] - self.ends[0]

    @property
    def label(self) -> Label:
        """How regions are released: what the schema asks for, or the scale's own way."""
        attribute = self.attribute
        if attribute.grid is not None:
            return Label.GRID
        if self.scale is Scale.NUMERIC:
            return attribute.label if attribute.label in {Label.MEAN, Label.ANCESTOR, Label.SET} else Label.RANGE
        if attribute.label in {Label.RANGE, Label.SET, Label.ANCESTOR}:
            return attribute.label
        return Label.SET if attribute.hierarchy is None else Label.ANCESTOR


def resolve(
    attribute: Attribute, values: Sequence[str | None], counts: Counts, missing: frozenset[str]
) -> tuple[Domain, Index]:
    """The domain of `attribute` over the observed `values`, and the code of each value.

    Args:
        attribute: What the schema says of the column.
        values: (u,) the distinct observed values; `None` and the texts in `missing` mean no value.
        counts: (u,) records with each value, for the order by frequency and for messages.
        missing: the schema's missing tokens.

    Raises:
        InputError: missing values that the schema refuses, or a declared number that does not parse.
        HierarchyError: values that are no leaf of the hierarchy.
        SchemaError: values outside the declared bounds or the grid.
    """
    absent = np.array([value is None or value in missing for value in values], dtype=np.bool_)
    if absent.any() and attribute.missing == "refuse":
        raise InputError(
            f"{int(counts[absent].sum())} records have no value",
            where=f"column {attribute.name}",
            hint='the schema says missing = "refuse"; "own-value" or "suppress" accept them',
        )
    present = [value for value, gone in zip(values, absent, strict=True) if value is not None and not gone]
    if _is_numeric(attribute, present):
        domain, of_present = _numeric(attribute, present, counts[~absent], gap=bool(absent.any()))
    else:
        domain, of_present = _categorical(attribute, present, counts[~absent], gap=counts[absent])
    codes = np.full(len(values), domain.missing, np.int64)
    codes[~absent] = of_present
    return domain, codes


def _is_numeric(attribute: Attribute, present: Sequence[str]) -> bool:
    """Declared, or decided by the values: design decision 1."""
    if attribute.scale is Scale.CATEGORICAL:
        return False
    numeric = bool(present) and is_numeric_text(present)
    if attribute.scale is Scale.NUMERIC and present and not numeric:
        wrong = sum(not is_numeric_text((value,)) for value in present)
        raise InputError(
            f"{wrong} distinct values are not plain decimal numbers",
            where=f"column {attribute.name}",
            hint="the schema says numeric; declare it categorical, or declare missing tokens",
        )
    return numeric


# --- numbers ----------------------------------------------------------------------------------------------------------


def _numeric(
    attribute: Attribute, present: Sequence[str], counts: Counts, *, gap: bool
) -> tuple[Domain, Index]:
    numbers, unit = scaled(present)
    shift = int(gap)  # the missing value, where there is one, has code 0, in the place of the least number
    positions, of = np.unique(numbers, return_inverse=True)
    texts = ("",) * shift + _shortest(present, of, positions.size)
    ends = _bounds(attribute, positions, unit, np.bincount(of, weights=counts))
    hierarchy, leaves = _leaves(attribute, texts, np.append(np.zeros(shift), np.bincount(of, weights=counts)))
    domain = Domain(
        attribute,
        Scale.NUMERIC,
        texts,
        _with_gap(positions, shift),
        ends=(float(ends[0]), float(ends[1])),
        unit=unit,
        missing=0 if gap else -1,
        hierarchy=hierarchy,
        leaves=leaves,
    )
    if attribute.grid is None:
        return domain, of + shift
    return _on_grid(domain, positions, of, ends)


def scaled(texts: Sequence[str]) -> tuple[Positions, Fraction]:
    """Decimal numbers as exact integer multiples of one power of ten, and that unit.

    Numbers with too many digits for 62 bits are rounded to float64's 52 of the widest one.

    >>> scaled(["1.5", "-2"])
    (array([ 15, -20]), Fraction(1, 10))
    """
    digits = max((len(text) - text.index(".") - 1 for text in texts if "." in text), default=0)
    exact = [_shifted(text, digits) for text in texts]
    unit = Fraction(1, 10**digits)
    widest = max(map(abs, exact), default=0)
    if widest >= LARGEST_POSITION:
        step = Fraction(widest, 1 << 52)
        return np.array([round(number / step) for number in exact], dtype=np.int64), unit * step
    return np.array(exact, dtype=np.int64), unit


def _shifted(text: str, digits: int) -> int:
    whole, _, fraction = text.partition(".")
    return int(whole + fraction.ljust(digits, "0"))


def _shortest(texts: Sequence[str], of: Index, size: int) -> tuple[str, ...]:
    """One text for each number: of `1.5` and `1.50` the shorter, `0` for `-0`."""
    if len(texts) == size:
        in_order = np.empty(size, dtype=object)
        in_order[of] = np.array(texts, dtype=object)
        chosen = in_order.tolist()
    else:
        best: dict[int, str] = {}
        for text, code in zip(texts, of.tolist(), strict=True):
            best[code] = min(best.get(code, text), text, key=lambda one: (len(one), one))
        chosen = [best[code] for code in range(size)]
    return tuple("0" if text in {"-0", "-0.0"} else text for text in chosen)


def _bounds(attribute: Attribute, positions: Positions, unit: Fraction, counts: Shares) -> tuple[Fraction, Fraction]:
    """The ends of the domain in positions: declared by bounds or by the hierarchy's leaves, else observed."""
    observed = (Fraction(int(positions[0])), Fraction(int(positions[-1])))
    if attribute.bounds is not None:
        low, high = attribute.bounds[0] / unit, attribute.bounds[1] / unit
        outside = (positions < float(low)) | (positions > float(high))
        if outside.any():
            raise InputError(
                f"{int(counts[outside].sum())} records lie outside the declared bounds",
                where=f"column {attribute.name}",
                hint="widen the bounds, or correct the data",
            )
        return low, high
    if attribute.hierarchy is not None and is_numeric_text(attribute.hierarchy.leaves):
        leaves = [Fraction(leaf) / unit for leaf in attribute.hierarchy.leaves]
        return min(leaves), max(leaves)
    return observed


def _with_gap(positions: Positions, shift: int) -> Positions:
    return np.concatenate([positions[:shift], positions])


def _on_grid(
    values: Domain, positions: Positions, of: Index, ends: tuple[Fraction, Fraction]
) -> tuple[Domain, Index]:
    """The domain whose codes are the grid's cells that hold values."""
    shift = values.missing + 1
    cuts = _cuts(values, ends)
    places = np.array([float(cut / values.unit) for cut in cuts])
    cell = np.searchsorted(places, positions, side="right") - 1
    if cell.min() < 0 or cell.max() >= len(cuts) - 1:
        raise SchemaError(
            f"{int(np.sum((cell < 0) | (cell >= len(cuts) - 1)))} distinct values lie outside the grid",
            where=f"column {values.attribute.name}",
            hint="a grid's first cut must be at or below every value and its last cut above every value",
        )
    used, cell_of = np.unique(cell, return_inverse=True)
    lower, upper = np.round(places[used]).astype(np.int64), np.round(places[used + 1]).astype(np.int64)
    texts = tuple(interval(cuts[i], cuts[i + 1]) for i in used.tolist())
    on_grid = Domain(
        values.attribute,
        Scale.NUMERIC,
        ("",) * shift + texts,
        _with_gap(lower, shift),
        ends=values.ends,
        unit=values.unit,
        missing=values.missing,
        upper=_with_gap(upper, shift),
    )
    return on_grid, cell_of[of] + shift


def _cuts(values: Domain, ends: tuple[Fraction, Fraction]) -> tuple[Fraction, ...]:
    """The grid's cut points over the domain."""
    grid = values.attribute.grid
    if isinstance(grid, tuple):
        return grid
    if isinstance(grid, Fraction):
        first, last = ends[0] * values.unit // grid, ends[1] * values.unit // grid + 1
        return tuple(grid * step for step in range(first, last + 1))
    hierarchy = values.attribute.hierarchy
    if hierarchy is None or not is_numeric_text(hierarchy.leaves):
        raise SchemaError("a grid of hierarchy boundaries needs numeric leaves", where=f"column {values.attribute.name}")
    first_leaf = hierarchy.spans(1)[0]
    lows = sorted(Fraction(hierarchy.leaves[leaf]) for leaf in first_leaf.tolist())
    return (*lows, max(Fraction(leaf) for leaf in hierarchy.leaves) + 1)


def interval(low: Fraction, high: Fraction) -> str:
    """The label of the half-open interval from `low` to `high`.

    >>> interval(Fraction(20), Fraction(45, 2))
    '[20-22.5)'
    """
    return f"[{decimal(low)}-{decimal(high)})"


def decimal(number: Fraction) -> str:
    """The shortest decimal text of a number; at most 17 significant digits where it does not end.

    >>> decimal(Fraction(-5, 4)), decimal(Fraction(1, 3))
    ('-1.25', '0.33333333333333331')
    """
    if number.denominator == 1:
        return str(number.numerator)
    digits = next((n for n in range(1, 18) if (number * 10**n).denominator == 1), None)
    if digits is None:
        return f"{float(number):.17g}"
    sign = "-" if number < 0 else ""
    whole, fraction = divmod(abs(number.numerator) * 10**digits // number.denominator, 10**digits)
    return f"{sign}{whole}.{fraction:0{digits}d}"


# --- names ------------------------------------------------------------------------------------------------------------


def _categorical(
    attribute: Attribute, present: Sequence[str], counts: Counts, *, gap: Counts
) -> tuple[Domain, Index]:
    order = attribute.order or (Order.FREQUENCY if attribute.hierarchy is None else Order.HIERARCHY)
    everything = [*present, ""] if gap.size else list(present)
    weights = np.append(counts, gap.sum()) if gap.size else counts
    hierarchy, leaves = _leaves(attribute, everything, weights)
    ranked = np.array(sorted(range(len(everything)), key=_key(order, everything, weights, leaves)), dtype=np.int64)
    texts = tuple(everything[place] for place in ranked.tolist())
    code = np.empty(ranked.size, np.int64)
    code[ranked] = np.arange(ranked.size)
    domain = Domain(
        attribute,
        Scale.CATEGORICAL,
        texts,
        np.arange(len(texts), dtype=np.int64),
        ends=(0.0, float(len(hierarchy.leaves if hierarchy is not None else texts) - 1)),
        missing=int(code[-1]) if gap.size else -1,
        hierarchy=hierarchy,
        leaves=leaves[ranked] if hierarchy is not None else leaves,
    )
    return domain, code[: len(present)]


def _key(order: Order, texts: Sequence[str], counts: Counts, leaves: Index) -> Callable[[int], tuple[int, str]]:
    """What to sort the values by: their number; ties by text."""
    if order is Order.SORTED:
        return lambda place: (0, texts[place])
    first = -counts if order is Order.FREQUENCY else leaves
    return lambda place: (int(first[place]), texts[place])


def _leaves(attribute: Attribute, texts: Sequence[str], counts: Counts | Shares) -> tuple[Hierarchy | None, Index]:
    """The hierarchy, with a leaf for the missing value "" where that occurs, and the leaf of each text."""
    if attribute.hierarchy is None:
        return None, np.empty(0, np.int64)
    hierarchy = built(attribute, texts)
    if "" in texts and "" not in hierarchy.index:
        hierarchy = with_missing(hierarchy)
    index = hierarchy.index
    leaves = np.array([index.get(text, -1) for text in texts], dtype=np.int64)
    absent = leaves < 0
    if absent.any():
        raise HierarchyError(
            f"{int(absent.sum())} values ({int(counts[absent].sum())} records) are no leaf of the hierarchy",
            where=f"column {attribute.name}",
            hint="add them to the hierarchy; `kohort hierarchy check` counts what a file lacks",
        )
    return hierarchy, leaves


def built(attribute: Attribute, texts: Sequence[str]) -> Hierarchy:
    """The attribute's hierarchy; one that is given as a spec is built over the observed values."""
    assert attribute.hierarchy is not None  # noqa: S101  every caller has looked
    if isinstance(attribute.hierarchy, Hierarchy):
        return attribute.hierarchy
    return from_spec(attribute.hierarchy, [text for text in texts if text], name=attribute.name)


def share(domain: Domain, width: Shares) -> Shares:
    """Loss of labels that span `width` (M - 1, or max - min): in 0..1, 0 where the domain is a point."""
    if domain.extent == 0:
        return np.zeros_like(width)
    return np.minimum(width / domain.extent, 1.0)
