"""What a grid changes, as figures."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from kohort.schema.numbers import said

if TYPE_CHECKING:
    from kohort.pipeline.exposure import GridComparison, LabelExposure
    from kohort.report import Json
    from kohort.schema import Grid


def grid_numbers(comparison: GridComparison | None) -> dict[str, Json]:
    """The key `grid`: with and without, the grids, and whether they are only proposed; null: nothing to compare.

    Of each: lm, exposed (people whose exact value a label gives away), range_exposure (those by an end of a range) and
    downcoded (share of the cells of these columns whose exact value the label gives away although it covers several);
    null where no release is possible.
    """
    if comparison is None:
        return {"grid": None}
    return {
        "grid": {
            "with": _figures(comparison.gridded),
            "without": _figures(comparison.ungridded),
            "grids": {name: _declared(grid) for name, grid in comparison.grids.items()},
            "proposed": comparison.proposed,
        }
    }


def _figures(exposure: LabelExposure | None) -> Json:
    if exposure is None:
        return None
    return {
        "lm": round(exposure.lm, 10),
        "exposed": exposure.exposed.people,
        "range_exposure": exposure.exposed.range_ends,
        "downcoded": round(exposure.downcoded, 10),
    }


def _declared(grid: Grid) -> str:
    """The grid as `--grid` takes it.

    >>> _declared((Fraction(0), Fraction(37, 2))), _declared(Fraction(5))
    ('0,18.5', '5')
    """
    if isinstance(grid, tuple):
        return ",".join(map(said, grid))
    return said(grid) if isinstance(grid, Fraction) else grid
