"""How a quasi-identifier could be generalized: rules for hierarchies, and round cut points."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from kohort.schema.numbers import exact, round_step, said

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from kohort.engines.table import Texts


def outermost(values: Texts) -> list[str]:
    """The least and the greatest of plain numbers, and with them one that has decimals, if any has.

    Floats find the few candidates; the exact numbers decide between them.
    """
    floats = values.cast(float)
    found = [
        pick(values.filter(floats == end).to_list(), key=Decimal)
        for pick, end in ((min, floats.min()), (max, floats.max()))
    ]
    return found + values.filter(values.str.contains(".", literal=True)).head(1).to_list()


def step_of(values: Sequence[str]) -> Fraction | None:
    """The step of the grid that fits these numbers, as `grid = "round"` would choose it; `None` where all are equal.

    >>> [str(step_of(ages)) for ages in (["18", "90"], ["1", "16"], ["0.5", "0.8"])]
    ['5', '2', '1/50']
    """
    low, high = _ends(values)
    return round_step(low, high, whole=all("." not in text for text in values))


def reason_for(step: Fraction, values: Sequence[str]) -> str:
    """Why to cut at multiples of the step, and how many intervals that makes."""
    low, high = (number // step for number in _ends(values))
    return f"round cut points in {high - low + 1:,} intervals; then no end of a range is a data value"


def intervals(step: Fraction) -> str:
    """The rule of a hierarchy of intervals of one, two and four steps.

    >>> from fractions import Fraction
    >>> intervals(Fraction(5))
    'intervals:5,10,20'
    """
    return "intervals:" + ",".join(said(factor * step) for factor in (1, 2, 4))


def _ends(values: Sequence[str]) -> tuple[Fraction, Fraction]:
    """The least and the greatest of the numbers."""
    numbers = [exact(text) for text in values]
    return min(numbers), max(numbers)
