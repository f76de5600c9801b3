"""Which charts a twin has: of a table or of transactions, in the order of the page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kohort.report.render.page.chart import Chart, Row, Series
from kohort.report.render.page.figure import percent, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kohort.report.render.page.chart import Form
    from kohort.report.render.page.figure import Figure

#: Letters of a column's name in the name of a file.
LETTERS: Final = 40

#: Subgroups that are drawn: the worst.
WORST: Final = 12


def chart_list(twin: Figure) -> Iterator[Chart]:
    """The charts that there are figures for."""
    several = (_sizes(twin), _losses(twin), *map(_distribution, twin["attributes"]), _risks(twin), *_subgroups(twin))
    baskets = (_moles(twin), _lengths(twin), _dropped(twin))
    yield from (chart for chart in (*several, *baskets) if chart.rows)


def _sizes(twin: Figure) -> Chart:
    return Chart(
        key="sizes",
        place="sizes",
        title="Class sizes",
        says="How many equivalence classes have how many records; the records of a class cannot be told apart by their"
        " quasi-identifying values.",
        over="Records of a class",
        series=(Series("classes", "count", "is"), Series("records in them", "count")),
        rows=tuple(_band(one, "classes", "records") for one in twin["sizes"]),
    )


def _band(one: Figure, *names: str) -> Row:
    """From one figure to another; what the first is may not be told.

    >>> from kohort.report.render.page.figure import Figure
    >>> [_band(Figure({"low": low, "high": 9})).label for low in (5, 9, None)]
    ['5 to 9', '9', 'up to 9']
    """
    low, high = one["low"], one["high"]
    ends = (high,) if low.json == high.json else (low, high)
    label = f"up to {text(high)}" if low.number is None else " to ".join(map(text, ends))
    return Row(label, tuple(one[name] for name in names), ends)


def _losses(twin: Figure) -> Chart:
    """The loss of each quasi-identifier; levels only where there are some."""
    levels = any(one["level"].number is not None for one in twin["losses"])
    sets = any(one["members"].number is not None for one in twin["losses"])
    names = ("loss", *(("level", "height") if levels else ()), *(("members",) if sets else ()))
    series = [Series(*_LOSS[name]) for name in names]
    return Chart(
        key="losses",
        place="losses",
        title="Detail lost per quasi-identifier",
        says="0% is released as it was; 100% means that every value was replaced by one that says nothing.",
        over="Column",
        series=(Series(series[0].name, "share", "is"), *series[1:]),
        rows=tuple(Row(text(one["column"]), tuple(one[name] for name in names)) for one in twin["losses"]),
        whole=1.0,
    )


#: What the parts of a loss are called, and how they are written.
_LOSS: Final[Mapping[str, tuple[str, Form]]] = {
    "loss": ("detail lost", "share"),
    "level": ("level", "number"),
    "height": ("of so many levels", "count"),
    "members": ("values that a set prints", "number"),
}


def _distribution(attribute: Figure) -> Chart:
    """One attribute before and after."""
    name, bins = text(attribute["name"]), attribute["distribution"]["bins"]
    nth = int(attribute.path[-1]) + 1
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower())[:LETTERS].strip("-")
    shares = attribute["distribution"]["unit"] == "share"
    form: Form = "share" if shares else "count"
    return Chart(
        key="-".join(["distribution", str(nth), *([slug] if slug else [])]),
        place=bins.place,
        title=f"{name}: before and after",
        says=f"{'Shares of the records' if shares else 'Records'} with each value.",
        over="Value",
        series=(Series("before", form, "was"), Series("after", form, "is")),
        rows=tuple(Row(_value(one), (one["before"], one["after"]), aside=one["kind"] == "others") for one in bins),
        upright=attribute["scale"] == "numeric",
    )


def _risks(twin: Figure) -> Chart:
    """Risks before and after."""
    risks = twin["risks"]
    over = risks["threshold"].number
    parts = (
        ("highest risk of a person", ("prosecutor", "highest")),
        ("average risk", ("prosecutor", "average")),
        (f"people at a risk over {percent(over or 0)}", ("prosecutor", "over")),
        ("people alone in their class", ("uniques_share",)),
        ("matched with a population: highest", ("journalist", "highest")),
        ("matched with a population: average", ("journalist", "average")),
    )
    rows = [Row(name, (_at(risks["before"], path), _at(risks["after"], path))) for name, path in parts]
    return Chart(
        key="risks",
        place="risks",
        title="Risk of being recognised, before and after",
        says="How likely somebody who knows all quasi-identifying values of a person points to the right record.",
        over="Risk",
        series=(Series("before", "share", "was"), Series("after", "share", "is")),
        rows=tuple(row for row in rows if any(one.number is not None for one in row.figures)),
        whole=1.0,
    )


def _at(figure: Figure, path: tuple[str, ...]) -> Figure:
    for key in path:
        figure = figure[key]
    return figure


def _subgroups(twin: Figure) -> Iterator[Chart]:
    """Who was left out, and whose values lost most."""
    groups = twin["subgroups"]
    yield Chart(
        key="suppressed",
        place=groups["suppressed"].place,
        title="Groups that were left out most",
        says="The share of the records with this value that is not in the release.",
        over="Group",
        series=(
            Series("left out", "share", "is"),
            Series("records left out", "count"),
            Series("records before", "count"),
        ),
        rows=(
            *_overall(groups["overall"]["share"], twin["done"]["suppressed"], twin["done"]["records"]),
            *(Row(_group(one), (one["share"], one["suppressed"], one["records"])) for one in groups["suppressed"]),
        )
        if groups["suppressed"]
        else (),
        most=WORST,
    )
    yield Chart(
        key="distorted",
        place=groups["distorted"].place,
        title="Groups whose values lost most detail",
        says="The mean loss of the released records with this value: 0% is nothing lost, 100% is everything.",
        over="Group",
        series=(Series("detail lost", "share", "is"), Series("records", "count")),
        rows=(
            *_overall(groups["overall"]["loss"], twin["done"]["released"]),
            *(Row(_group(one), (one["loss"], one["records"])) for one in groups["distorted"]),
        )
        if groups["distorted"]
        else (),
        whole=1.0,
        most=WORST,
    )


def _overall(*figures: Figure) -> Iterator[Row]:
    """All records, to compare with."""
    if figures[0].number is not None:
        yield Row("all records", figures)


def _group(one: Figure) -> str:
    return f"{text(one['column'])}: {_value(one)}"


def _value(one: Figure) -> str:
    """What a bin or a subgroup is called."""
    kinds = {"others": "all others", "missing": "no value"}
    return kinds.get(text(one["kind"])) or text(one["label"] or one["value"]) or "no value"


def _moles(twin: Figure) -> Chart:
    """Minimal moles by size."""
    return Chart(
        key="moles",
        place="moles",
        title="What would have given people away",
        says="Sets of public items that too few people share, or that tell too much of a private one, by how many items"
        " are in them.",
        over="Items of a set",
        series=(Series("shared by too few", "count", "was"), Series("tell too much", "count", "is")),
        rows=tuple(Row(text(one["size"]), (one["rare"], one["breach"]), (one["size"],)) for one in twin["moles"]),
    )


def _lengths(twin: Figure) -> Chart:
    """Transactions by how many items they have."""
    shares = twin["lengths"]["unit"] == "share"
    form: Form = "share" if shares else "count"
    return Chart(
        key="lengths",
        place="lengths",
        title="Items per transaction, before and after",
        says=f"{'Shares of the transactions' if shares else 'Transactions'} by how many items they have.",
        over="Items",
        series=(Series("before", form, "was"), Series("after", form, "is")),
        rows=tuple(_band(one, "before", "after") for one in twin["lengths"]["bins"]),
    )


def _dropped(twin: Figure) -> Chart:
    """The items that went."""
    return Chart(
        key="items",
        place="items",
        title="Items that were dropped",
        says="In how many transactions each was; they went in this order.",
        over="Item",
        series=(Series("transactions", "count", "is"), Series("loss", "count")),
        rows=tuple(Row(text(one["name"]), (one["support"], one["loss"])) for one in twin["items"]["dropped"]),
        most=2 * WORST,
    )
