"""What columns hold, for their steward: the distribution of each, and the levels of its hierarchy with their losses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kohort.assessment.inspection.distribution import LEAST
from kohort.errors import UnsupportedError
from kohort.errors.display import many, span
from kohort.report.charts.bars import BarChart, Bars, Panels
from kohort.report.figures import as_json
from kohort.report.render.text import aligned

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kohort.assessment.inspection.distribution import Bar
    from kohort.report import Json
    from kohort.report.charts.canvas import Format
    from kohort.schema.hierarchies import Level

#: Where the scale of losses ends: texts stand after the bars.
END: Final = 1.6


@dataclass(frozen=True, slots=True)
class Measured:
    """The levels of one attribute.

    Attributes:
        name: The attribute.
        levels: From the leaves to the root.
        records: Of how many records losses are the mean; `None`: of the leaves.
    """

    name: str
    levels: tuple[Level, ...]
    records: int | None = None

    @property
    def leaves(self) -> int:
        """The values of the domain."""
        return self.levels[0].nodes


def hierarchy_figures(found: Sequence[Measured]) -> dict[str, Json]:
    """The same for a program."""
    return {one.name: [*map(as_json, one.levels)] for one in found}


def levels_text(one: Measured) -> str:
    """The levels of one attribute, a line each."""
    rows = [("level", "nodes", "leaves of a node", "loss if released on this level")]
    rows += [
        (str(level), f"{at.nodes:,}", span(at.fewest, at.most), f"{at.loss:.1%}") for level, at in enumerate(one.levels)
    ]
    return "\n".join([*aligned(rows), f"loss: {_meant([one])}"])


def attributes_text(found: Sequence[Measured]) -> str:
    """The losses of several attributes, a line each."""
    height = max(len(one.levels) for one in found)
    rows = [["attribute", "leaves", *(f"level {level}" for level in range(height))]]
    rows += [[one.name, f"{one.leaves:,}", *(f"{at.loss:.1%}" for at in one.levels)] for one in found]
    below = ("loss if this attribute is released on that level:", _meant(found))
    return "\n".join([*aligned(rows, left=1), *below])


def levels_picture(found: Sequence[Measured], format_: Format) -> bytes:
    """The levels as bars: how much is lost on each, with how many nodes it has."""
    named = [(one.name, level, at) for one in found for level, at in enumerate(one.levels)]
    single = len(found) == 1
    chart = BarChart(
        title=f"Loss if {found[0].name if single else 'an attribute'} is released on a level",
        names=tuple(f"level {level}" if single else f"{name}: {level}" for name, level, _ in named),
        series=(
            Bars(
                "loss",
                tuple(at.loss for _, _, at in named),
                tuple(f"{at.loss:.1%}, {many(at.nodes, 'node')}" for _, _, at in named),
            ),
        ),
        end=END,
        share=True,
        notes=(*(() if single else ("The number after an attribute is its level.",)), f"Loss: {_meant(found)}."),
    )
    return chart.bytes(format_)


def _meant(found: Sequence[Measured]) -> str:
    records = found[0].records
    of = "the leaves" if records is None else f"{records:,} records"
    return f"share of the other values that a released value may stand for, mean over {of} (LM)"


def distributions_picture(
    found: Mapping[str, Sequence[Bar]], left_out: Sequence[str], records: int, format_: Format
) -> bytes:
    """The distributions as bars."""
    if not found:
        hint = "name or drop the columns that identify people; the others are drawn"
        raise UnsupportedError("every column may identify people, so none is drawn", where="--picture", hint=hint)
    notes = ["Internal: the picture contains values of records. Do not publish it.", _SMALL]
    notes += [f"Not drawn, because they may identify people: {', '.join(left_out)}."] if left_out else []
    return Panels(
        title=f"Distributions of {records:,} records",
        charts=tuple(_chart(*one) for one in found.items()),
        notes=tuple(notes),
    ).bytes(format_)


_SMALL: Final = f"Values of fewer than {LEAST} records are merged; counts of 1 to {LEAST - 1} are not shown."


def _chart(name: str, bars: Sequence[Bar]) -> BarChart:
    figures = tuple(bar.records for bar in bars)
    texts = tuple(f"under {LEAST}" if records is None else f"{records:,}" for records in figures)
    return BarChart(
        title=name,
        names=tuple(bar.label for bar in bars),
        series=(Bars("records", figures, texts),),
        end=max(1, *(records or 0 for records in figures)),
    )
