"""What a table's columns hold, as a picture for its steward: the distribution of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kohort.assessment.inspection.distribution import LEAST
from kohort.errors import UnsupportedError
from kohort.report.charts import BarChart, Bars, Panels

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kohort.assessment.inspection.distribution import Bar
    from kohort.report.charts import Format

#: Where a scale ends, as a multiple of the greatest figure: figures stand after the bars.
END: Final = 1.45


def distributions_picture(
    found: Mapping[str, Sequence[Bar]], left_out: Sequence[str], records: int, format_: Format
) -> bytes:
    """The distributions as bars."""
    if not found:
        hint = "name or drop the columns that identify people; the others are drawn"
        raise UnsupportedError("every column may identify people, so none is drawn", where="--picture", hint=hint)
    notes = ["Only for those who may see the records: it contains their values. Do not publish it.", _SMALL]
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
        end=END * max(1, *(records or 0 for records in figures)),
    )
