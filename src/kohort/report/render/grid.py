"""What a grid changes, as a few lines for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kohort.report import Json


def grid_text(figures: Mapping[str, Json]) -> Iterator[str]:
    """The key `grid` of `kohort.report.grid.grid_numbers` as lines; none where nobody asked for it."""
    if "grid" not in figures:
        return
    grid = cast("Mapping[str, Json] | None", figures["grid"])
    yield ""
    if grid is None:
        yield "With and without a grid: no number is released as a range, so there is nothing to compare."
        return
    said = " ".join(f"{name}={cuts}" for name, cuts in cast("dict[str, str]", grid["grids"]).items())
    yield f"With a grid and without ({'proposed' if grid['proposed'] else 'asked for'}: {said})"
    yield "                  can be pinpointed   exact value given away       LM"
    for name in ("with", "without"):
        yield f"  {name:<9}  {_line(cast('Mapping[str, float] | None', grid[name]))}"


def _line(one: Mapping[str, float] | None) -> str:
    """The figures of one side, below their titles."""
    if one is None:
        return "no release meets what is asked"
    return f"{one['exposed']:>15,} people   {one['downcoded']:>14.1%} of cells   {one['lm']:>6.4f}"
