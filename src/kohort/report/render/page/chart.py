"""The charts of a page: which there are of a table, and how each is drawn as a picture."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import reduce
from operator import getitem
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from kohort.errors.display import HUGE
from kohort.report.charts.bars import BarChart, Bars
from kohort.report.charts.canvas import encoded, library, settings
from kohort.report.render.page.figure import PageFigure, percent, text, written_number
from kohort.specification import plugins

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from kohort.report.charts.canvas import Format
    from kohort.report.page import Page


#: How figures are written: shares in percent; counts, which may be expected ones; numbers.
Form: TypeAlias = Literal["share", "count", "number"]

#: How a series is drawn, and the class of its bars on a page: what was is hatched, what is, is filled.
Look: TypeAlias = Literal["was", "is"]

#: Less than this is nothing to see.
NOTHING: Final = 1e-9


@dataclass(frozen=True, slots=True)
class ChartSeries:
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
class ChartRow:
    """A row of a chart.

    Attributes:
        label: Its name: a text of our own, or one of the twin.
        figures: One for each series.
        ends: The figures that the name is made of, if it is: one, or from one to another.
        aside: Whether it puts much together, and would leave no room for the other bars: it is told below them.
    """

    label: str
    figures: tuple[PageFigure, ...]
    ends: tuple[PageFigure, ...] = ()
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
    series: tuple[ChartSeries, ...]
    rows: tuple[ChartRow, ...]
    upright: bool = False
    whole: float | None = None
    most: int = 40

    @property
    def drawn(self) -> list[tuple[int, ChartSeries]]:
        """The series that are drawn, with their places."""
        return [(place, one) for place, one in enumerate(self.series) if one.look is not None]

    @property
    def _alike(self) -> list[ChartRow]:
        """The rows that share a scale: those that do not stand aside, or all of them where each does."""
        return [row for row in self.rows if not row.aside] or [*self.rows]

    @property
    def shown(self) -> list[ChartRow]:
        """The rows that are drawn."""
        return self._alike[: self.most]

    @property
    def rest(self) -> list[ChartRow]:
        """The rows that are more than is drawn."""
        return self._alike[self.most :]

    @property
    def aside(self) -> list[ChartRow]:
        """The rows whose bars would leave no room for the others: only their figures are shown."""
        return [row for row in self.rows if row.aside] if len(self._alike) < len(self.rows) else []

    @property
    def end(self) -> float:
        """Where the scale ends; at 1 where there is nothing to see."""
        most = max(row.figures[place].number or 0.0 for row in self.shown for place, _ in self.drawn)
        return float(max(most, self.whole or 0.0)) if max(most, self.whole or 0.0) > NOTHING else 1.0

    def bytes(self, format: Format) -> bytes:  # noqa: A002  as everywhere that writes pictures
        """The chart as a picture; the same bytes whenever the page model is the same."""
        bars = self.bars()
        with settings():
            return encoded(bars.figure(), format, self.title, f"{self.says} {bars.words()}")

    def bars(self) -> BarChart:
        """The chart as a picture shows it."""
        return BarChart(
            title=self.title,
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
            notes=(
                *(f"{row.label}: {self._figures(row)}" for row in self.aside),
                *([f"{len(self.rest):,} more in the table"] if self.rest else []),
            ),
        )

    def _figures(self, row: ChartRow) -> str:
        said = [(one.name, written(row.figures[place], one.form)) for place, one in self.drawn]
        return ", ".join(f"{name} {figure}" for name, figure in said) if len(said) > 1 else said[0][1]


def written(figure: PageFigure, form: Form) -> str:
    """A figure as it is written in a chart.

    >>> from kohort.report.render.page.figure import PageFigure
    >>> written(PageFigure(0.25), "share"), written(PageFigure(0.25), "number"), written(PageFigure(None), "share")
    ('25.0%', '0.25', 'not shown')
    >>> written(PageFigure(508.21), "count"), written(PageFigure(8.21), "count")
    ('508', '8.2')
    """
    number = figure.number
    if number is None:
        return "not shown"
    match form:
        case "share":
            return percent(number)
        case "count" if 10 <= abs(number) < HUGE:  # noqa: PLR2004  from here on parts of a record tell nothing
            return f"{number:,.0f}"
        case "count" if isinstance(number, float):
            return f"{number:.2g}"
        case _:
            return written_number(number)


#: Letters of a column's name in the name of a file.
LETTERS: Final = 40

#: Subgroups that are drawn: the worst.
WORST: Final = 8


def charts(page: Page) -> Mapping[str, Chart]:
    """The charts of a page, by names that a file can have; `bytes` of one is its picture."""
    library()
    return {chart.key: chart for chart in chart_list(PageFigure(page.as_json()))}


#: The charts of each kind of page; those of another package are what a function at an entry point of this group yields.
CHARTS: Final[Mapping[str, Callable[[PageFigure], Iterable[Chart]]]] = plugins(
    "kohort.charts", {"table": "kohort.report.render.page.chart:table_charts"}
)


def chart_list(twin: PageFigure) -> Iterator[Chart]:
    """The charts that there are figures for, in a kind of page that has charts; figures of no page are a table's."""
    made = CHARTS.get(text(twin["kind"]) if twin["kind"] else "table")
    yield from (chart for chart in (made(twin) if made is not None else ()) if chart.rows)


def table_charts(twin: PageFigure) -> Iterator[Chart]:
    """The charts of a table."""
    yield from (_sizes(twin), _losses(twin), *map(_distribution, twin["attributes"]), _risks(twin), *_subgroups(twin))


def _sizes(twin: PageFigure) -> Chart:
    return Chart(
        key="sizes",
        place="sizes",
        title="Class sizes",
        says="The records of a class have the same quasi-identifying values.",
        over="Records of a class",
        series=(ChartSeries("classes", "count", "is"), ChartSeries("records", "count")),
        rows=tuple(band(one, one["classes"], one["records"]) for one in twin["sizes"]),
    )


def band(one: PageFigure, *figures: PageFigure) -> ChartRow:
    """From one figure to another; what the first is may not be told."""
    low, high = one["low"], one["high"]
    ends = (high,) if low.json == high.json else (low, high)
    label = f"up to {text(high)}" if low.number is None else " to ".join(map(text, ends))
    return ChartRow(label, figures, ends)


def _losses(twin: PageFigure) -> Chart:
    """The loss of each quasi-identifier; levels only where there are some, columns where anything is told of them."""
    levels = any(one["level"].number is not None for one in twin["losses"])
    sets = any(one["members"].number is not None for one in twin["losses"])
    names = ("loss", *(("level", "height") if levels else ()), *(("members",) if sets else ()))
    series = [ChartSeries(*_LOSS[name]) for name in names]
    known = [one for one in twin["losses"] if any(one[name].number is not None for name in names)]
    return Chart(
        key="losses",
        place="losses",
        title="Detail lost per quasi-identifier",
        says="0%: released unchanged; 100%: all values removed.",
        over="Column",
        series=(ChartSeries(series[0].name, "share", "is"), *series[1:]),
        rows=tuple(ChartRow(text(one["column"]), tuple(one[name] for name in names)) for one in known),
        whole=1.0,
    )


#: What the parts of a loss are called, and how they are written.
_LOSS: Final[Mapping[str, tuple[str, Form]]] = {
    "loss": ("detail lost", "share"),
    "level": ("level", "number"),
    "height": ("levels", "count"),
    "members": ("values per set", "number"),
}


def _distribution(attribute: PageFigure) -> Chart:
    name, bins = text(attribute["name"]), attribute["distribution"]["bins"]
    nth = int(attribute.path[-1]) + 1
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower())[:LETTERS].strip("-")
    shares = attribute["distribution"]["unit"] == "share"
    form: Form = "share" if shares else "count"
    return Chart(
        key="-".join(["distribution", str(nth), *([slug] if slug else [])]),
        place=bins.place,
        title=name if shares else f"{name}: before and after",
        says=f"{'Shares of the records' if shares else 'Records'} with each value.",
        over="Value",
        series=sides(form),
        rows=tuple(
            ChartRow(_value(one), tuple(one[side.name] for side in sides(form)), aside=one["kind"] == "others")
            for one in bins
        ),
        upright=attribute["scale"] == "numeric",
    )


def sides(form: Form) -> tuple[ChartSeries, ...]:
    """Before and after; in shares, which are for the public, after alone."""
    after = ChartSeries("after", form, "is")
    return (after,) if form == "share" else (ChartSeries("before", form, "was"), after)


def _risks(twin: PageFigure) -> Chart:
    risks = twin["risks"]
    over = risks["threshold"].number
    parts = (
        ("highest risk of a person", "prosecutor", "highest"),
        ("average risk", "prosecutor", "average"),
        (f"people at a risk over {percent(over or 0)}", "prosecutor", "over"),
        ("people alone in their class", "uniques_share"),
        ("matched with a population: highest", "journalist", "highest"),
        ("matched with a population: average", "journalist", "average"),
    )
    sides = (risks["before"], risks["after"])
    rows = [ChartRow(name, tuple(reduce(getitem, path, side) for side in sides)) for name, *path in parts]
    return Chart(
        key="risks",
        place="risks",
        title="Re-identification risk, before and after",
        says="Probability of finding the right record of a person whose quasi-identifying values are known.",
        over="Risk",
        series=(ChartSeries("before", "share", "was"), ChartSeries("after", "share", "is")),
        rows=tuple(row for row in rows if any(one.number is not None for one in row.figures)),
        whole=1.0,
    )


#: What a chart of subgroups shows: its title, how to read it, and the parts of a subgroup with their names.
_SUBGROUPS: Final[Mapping[str, tuple[str, str, Mapping[str, tuple[str, Form]]]]] = {
    "suppressed": (
        "Groups with the most suppressed records",
        "Share of the records with this value that are not in the release.",
        {"share": ("suppressed", "share"), "suppressed": ("records", "count"), "records": ("of", "count")},
    ),
    "distorted": (
        "Groups that lost the most detail",
        "Mean loss of the released records with this value.",
        {"loss": ("detail lost", "share"), "records": ("records", "count")},
    ),
}


def _subgroups(twin: PageFigure) -> Iterator[Chart]:
    groups, done = twin["subgroups"], twin["done"]
    overall = {
        "suppressed": (groups["overall"]["share"], done["suppressed"], done["records"]),
        "distorted": (groups["overall"]["loss"], done["released"]),
    }
    for key, (title, says, parts) in _SUBGROUPS.items():
        rows = [ChartRow(_group(one), tuple(one[part] for part in parts)) for one in groups[key]]
        everyone = [ChartRow("all records", overall[key])] if rows and overall[key][0].number is not None else []
        (first, *others) = (ChartSeries(*named) for named in parts.values())
        yield Chart(
            key=key,
            place=groups[key].place,
            title=title,
            says=says,
            over="Group",
            series=(replace(first, look="is"), *others),
            rows=(*everyone, *rows),
            most=WORST,
        )


def _group(one: PageFigure) -> str:
    return f"{text(one['column'])}: {_value(one)}"


def _value(one: PageFigure) -> str:
    """What a bin or a subgroup is called."""
    kinds = {"others": "all others", "missing": "no value"}
    return kinds.get(text(one["kind"])) or text(one["label"] or one["value"]) or "no value"
