"""Words at single marks of a chart, each where it covers no mark, no line and no other word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kohort.report.charts.canvas import INK, PAPER, POINTS, library

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.report.charts.lines import Line

#: Points: from a mark to its words, half of a mark, and width of the ring around a mark that matters most.
AWAY: Final = 7.0
MARK: Final = 4.0
RING: Final = 13.0

#: Where words are tried: right above first, then around the mark.
_SIDES: Final = ((1, 1), (1, 0), (1, -1), (0, 1), (0, -1), (-1, 1), (-1, -1), (-1, 0))
_ACROSS: Final = {-1: "right", 0: "center", 1: "left"}
_UP: Final = {-1: "top", 0: "center", 1: "bottom"}


class Tag(NamedTuple):
    """What is written at a mark; the ones with a ring are written first, and always."""

    x: float
    y: float
    text: str
    ringed: bool = False


def write(axes: Any, tags: Sequence[Tag], lines: Sequence[Line]) -> None:  # noqa: ANN401  a type of matplotlib
    """Write every tag that has room beside the marks and the lines; the layout must be done."""
    path_of = library("matplotlib.path").Path
    paths = [axes.transData.transform_path(path_of([(one.x, one.y) for one in line.points])) for line in lines]
    lined = [path for path, line in zip(paths, lines, strict=True) if line.joined]
    inside, taken = axes.get_window_extent(), list[Any]()

    def free(box: Any) -> bool:  # noqa: ANN401  a type of matplotlib
        kept = box.padded(MARK * axes.figure.dpi / POINTS)
        return (
            inside.contains(box.x0, box.y0)
            and inside.contains(box.x1, box.y1)
            and not box.count_overlaps(taken)
            and not any(kept.count_contains(path.vertices) for path in paths)
            and not any(path.intersects_bbox(box, filled=False) for path in lined)
        )

    for tag in sorted(tags, key=lambda tag: not tag.ringed):
        text = axes.annotate(tag.text, (tag.x, tag.y), (0, 0), textcoords="offset points")
        if tag.ringed:
            ring = {"markerfacecolor": "none", "markeredgecolor": INK, "markeredgewidth": 1.2}
            axes.plot([tag.x], [tag.y], linestyle="none", marker="o", markersize=RING, zorder=5, **ring)
            text.set(weight="bold", bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 0.8})
        steps = (1, 2, 3) if tag.ringed else (1,)
        for across, up, step in [(*side, step) for step in steps for side in _SIDES]:
            place = (across * AWAY * step, up * AWAY * step)
            text.set(position=place, ha=_ACROSS[across], va=_UP[up])
            if free(text.get_window_extent()):
                break
        else:
            text.set(position=(AWAY, AWAY), ha="left", va="bottom")
            if not tag.ringed:
                text.remove()
                continue
        taken.append(text.get_window_extent())
