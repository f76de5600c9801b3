"""Hierarchies as a table and as a picture: the levels of each attribute, and its loss if it is released on one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kohort.report.charts import BarChart, Bars
from kohort.report.figures import as_json
from kohort.report.render.text import aligned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.report import Json
    from kohort.report.charts import Format
    from kohort.schema.hierarchies import Level

#: Where the scale of losses ends: the texts stand after the bars.
END = 1.6


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
    rows += [(str(level), f"{at.nodes:,}", _span(at), f"{at.loss:.1%}") for level, at in enumerate(one.levels)]
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
                tuple(f"{at.loss:.1%}, {at.nodes:,} node{'s' * (at.nodes != 1)}" for _, _, at in named),
            ),
        ),
        end=END,
        share=True,
        notes=(*(() if single else ("The number after an attribute is its level.",)), f"Loss: {_meant(found)}."),
    )
    return chart.bytes(format_)


def _span(level: Level) -> str:
    """The leaves of a node.

    >>> from kohort.schema.hierarchies import Level
    >>> _span(Level(2, 1, 5, 0.5)), _span(Level(1, 6, 6, 1.0))
    ('1 to 5', '6')
    """
    return f"{level.most:,}" if level.fewest == level.most else f"{level.fewest:,} to {level.most:,}"


def _meant(found: Sequence[Measured]) -> str:
    """What a loss is the mean of."""
    records = found[0].records
    of = "the leaves" if records is None else f"{records:,} records"
    return f"share of the other values that a released one may stand for, mean over {of} (LM)"
