"""A chart of a page: figures of the twin, by rows, and how they are written, drawn and told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from kohort.report.charts.bars import BarChart, Bars
from kohort.report.render.page.figure import HUGE, percent, written_number

if TYPE_CHECKING:
    from kohort.report.render.page.figure import Figure

#: How figures are written: shares in percent; counts, which may be expected ones; numbers; and those with all digits.
Form: TypeAlias = Literal["share", "count", "number", "exact"]

#: How a series is drawn: what was is hatched, or a bare outline; what is, is filled.
Look: TypeAlias = Literal["was", "is"]

#: Less than this is nothing to see.
NOTHING: Final = 1e-9

#: Rows that a description tells.
TOLD: Final = 12


@dataclass(frozen=True, slots=True)
class Series:
    """A column of a chart's figures.

    Attributes:
        name: What its figures are.
        form: How they are written.
        look: How it is drawn; `None`: it stands only in the table.
    """

    name: str
    form: Form
    look: Look | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a chart.

    Attributes:
        label: Its name: a text of our own, or one of the twin.
        figures: One for each series.
        ends: The figures that the name is made of, if it is: one, or from one to another.
        aside: Whether it puts much together, and would leave no room for the other bars: it is told below them.
    """

    label: str
    figures: tuple[Figure, ...]
    ends: tuple[Figure, ...] = ()
    aside: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """What is drawn and put into a table.

    Attributes:
        key: Its name: that of its file, and the beginning of its ids.
        place: The part of the twin that it shows.
        title: What it shows.
        says: How to read it, one plain sentence.
        over: What the rows are.
        series: What is told of each row; one or two of them are drawn.
        rows: In the order in which they are drawn; at least one.
        upright: Whether rows are neighbours on a scale, and stand side by side.
        whole: The end of the scale; `None`: the greatest figure.
        most: Rows that are drawn at most: the first ones.
    """

    key: str
    place: str
    title: str
    says: str
    over: str
    series: tuple[Series, ...]
    rows: tuple[Row, ...]
    upright: bool = False
    whole: float | None = None
    most: int = 40

    @property
    def drawn(self) -> list[tuple[int, Series]]:
        """The series that are drawn, with their places."""
        return [(place, one) for place, one in enumerate(self.series) if one.look is not None]

    @property
    def shown(self) -> list[Row]:
        """The rows that are drawn; where all stand aside, all of them."""
        return ([row for row in self.rows if not row.aside] or [*self.rows])[: self.most]

    @property
    def rest(self) -> list[str]:
        """What is told of the rows that are not drawn."""
        aside = [row for row in self.rows if row.aside and row not in self.shown]
        more = len(self.rows) - len(self.shown) - len(aside)
        told = [f"{row.label}: {self.said(row)}" for row in aside]
        return [*told, *([f"{more:,} more in the table"] if more else [])]

    @property
    def end(self) -> float:
        """Where the scale ends; at 1 where there is nothing to see."""
        most = max(row.figures[place].number or 0.0 for row in self.shown for place, _ in self.drawn)
        return float(max(most, self.whole or 0.0)) if max(most, self.whole or 0.0) > NOTHING else 1.0

    def bars(self, *, headline: bool) -> BarChart:
        """The chart as it is drawn, with or without its title."""
        return BarChart(
            title=self.title if headline else "",
            names=tuple(row.label for row in self.shown),
            series=tuple(
                Bars(
                    one.name,
                    tuple(row.figures[place].number for row in self.shown),
                    tuple(written(row.figures[place], one.form) for row in self.shown),
                    before=one.look == "was",
                )
                for place, one in self.drawn
            ),
            end=self.end,
            share=self.drawn[0][1].form == "share",
            upright=self.upright,
            notes=tuple(self.rest),
        )

    def words(self) -> str:
        """The chart for who cannot see it."""
        told = [f"{row.label}: {self.said(row)}" for row in self.rows[:TOLD]]
        more = len(self.rows) - len(told)
        return f"{self.says} " + "; ".join([*told, *([f"and {more:,} more"] if more else [])]) + "."

    def said(self, row: Row) -> str:
        """The drawn figures of a row."""
        said = [(one.name, written(row.figures[place], one.form)) for place, one in self.drawn]
        return ", ".join(f"{name} {figure}" for name, figure in said) if len(said) > 1 else said[0][1]


def written(figure: Figure, form: Form) -> str:
    """A figure as it is written in a chart.

    >>> from kohort.report.render.page.figure import Figure
    >>> written(Figure(0.25), "share"), written(Figure(0.25), "number"), written(Figure(None), "share")
    ('25.0%', '0.25', 'not told')
    >>> written(Figure(508.21), "count"), written(Figure(8.21), "count"), written(Figure(39961.25), "exact")
    ('508', '8.2', '39,961.25')
    """
    number = figure.number
    if number is None:
        return "not told"
    match form:
        case "share":
            return percent(number)
        case "count" if 10 <= abs(number) < HUGE:  # noqa: PLR2004  from here on parts of a record tell nothing
            return f"{number:,.0f}"
        case "count" if isinstance(number, float):
            return f"{number:.2g}"
        case "exact" if abs(number) < HUGE:
            return f"{number:,.12g}"
        case _:
            return written_number(number)
