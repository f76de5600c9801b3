"""Reports as text for a terminal."""

from __future__ import annotations

import csv
from io import StringIO
from shlex import quote
from typing import TYPE_CHECKING, Final, cast

from kohort.metrics.known import METRICS
from kohort.report.render.attacks import tried_text
from kohort.report.render.grid import grid_text
from kohort.report.render.perturbed import altered_text
from kohort.report.render.singling import exposed_text, unchanged_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kohort.report import Json

#: Width of a full bar of loss, in characters.
BAR: Final = 24

#: Candidates that are shown: a page.
SHOWN: Final = 20

#: Characters that the names of a table's columns may take.
WIDTH: Final = 60


def release_text(figures: Mapping[str, Json], quasi: Sequence[str] = ()) -> str:
    """The figures of `kohort.report.numbers` as a few lines for a person.

    Args:
        figures: The figures.
        quasi: The quasi-identifiers in the order in which levels are said; empty: that of the figures.
    """
    names = quasi or tuple(cast("dict[str, int]", figures["node"] or {}))
    parts = (
        unchanged_text(figures),
        _classes(figures),
        _attributes(figures),
        _levels(figures, names),
        _cost(figures),
        exposed_text(figures),
        grid_text(figures),
        altered_text(figures),
        tried_text(figures),
        _choice(figures, names),
    )
    return "\n".join([*(line for part in parts for line in part), *places(figures)])


def _classes(figures: Mapping[str, Json]) -> Iterator[str]:
    """What was released, and whether somebody looked."""
    records, released, suppressed = counts(figures, "records", "released", "suppressed")
    classes, smallest, largest = counts(figures, "classes", "smallest", "largest")
    whose = "" if figures["people"] is None else f" (of {figures['people']:,} people)"
    yield f"{released:,} of {records:,} records released{whose}, {suppressed:,} suppressed"
    if figures["incomplete"]:
        yield f"{figures['incomplete']:,} incomplete records left out before counting"
    span = f"{smallest:,}" if smallest == largest else f"{smallest:,} to {largest:,}"
    sizes = f"{classes:,} class{'es' * (classes != 1)} of {span} records" if classes else "no class"
    yield f"{sizes} (asked for k = {figures['k']})" if figures["k"] != 1 else sizes
    if figures["verified"]:
        where = "the published bytes" if figures["release"] else "the released cells"
        of = ", ".join(cast("list[str]", figures["quasi"]))
        found = f"every class of {of} has at least {smallest:,} records" if classes else "no record"
        yield f"verified on {where}: {found}"
    else:
        yield "dry run: nothing was written, nothing verified"


def _attributes(figures: Mapping[str, Json]) -> Iterator[str]:
    """What else was asked for, and how alike the sensitive values are in the classes."""
    k = f"{figures['k']}-anonymity"
    models = [name for name in cast("list[str]", figures["models"]) if name != k]
    if models:
        yield f"asked for   {', '.join(models)}"
    for name, one in cast("dict[str, dict[str, float]]", figures["homogeneity"]).items():
        share, alike = one["largest_share"], one["people"]
        told = f"{alike:,} {_counted(figures)} in classes of a single value" if alike else "no class of a single value"
        yield f"{name}: {told}; at most {share:.1%} of a class have the same"


def _counted(figures: Mapping[str, Json]) -> str:
    """What the models count."""
    return "records" if figures["people"] is None else "people"


def _levels(figures: Mapping[str, Json], names: Sequence[str]) -> Iterator[str]:
    """On which levels everything is released, and whether another release could be better."""
    if not figures["node"]:
        return
    node = _by_name(cast("dict[str, int]", figures["node"]), names)
    yield ""
    yield f"Levels   {node}"
    trace = cast("dict[str, int]", figures["trace"])
    if "minimal_height" in trace:
        yield f"         {trace['minimal_height']:,} is the least height: {trace['minimal_nodes']:,} releases have it"
    objective = cast("dict[str, float | str | None] | None", figures["objective"])
    if objective is None:
        return
    value, bound = (cast("float | None", objective[key]) for key in ("value", "bound"))
    name = str(objective["name"])
    yield f"         {name.upper()} {_figure(name, cast('float', value))}{_proof(figures, name, bound)}"
    if bound is not None and not figures["proven"]:
        yield f"         the search was stopped; to repeat this very release:   --node {quote(node)}"


def _proof(figures: Mapping[str, Json], name: str, bound: float | None) -> str:
    """What is known of the releases that were not looked at."""
    if bound is None:
        return ""
    if figures["proven"]:
        return ", proven: no allowed release does better"
    return f"; none does better than {_figure(name, bound)}"


def _choice(figures: Mapping[str, Json], names: Sequence[str]) -> Iterator[str]:
    """What a steward can choose from, and how."""
    candidates = cast("list[Mapping[str, Json]]", figures["candidates"])
    if not candidates:
        return
    nodes = [cast("dict[str, int]", one["node"]) for one in candidates]
    head, *rows = _columns(nodes[:SHOWN], names)
    titles, *costs = _costs(figures, candidates[:SHOWN])
    marks = ["  * ", *["    "] * (len(rows) - 1)]
    yield ""
    yield f"Releases to choose from{', the best first' if figures['objective'] else ''}:"
    yield f"    {head}   {titles}"
    yield from (f"{mark}{row}   {cost}" for mark, row, cost in zip(marks, rows, costs, strict=True))
    if len(candidates) > SHOWN:
        yield f"    and {len(candidates) - SHOWN:,} more, which --json lists"
    levels = ",".join(str(nodes[0][name]) for name in names)
    yield ""
    yield f"Choose one by its levels, in this order:   --node {levels}   (in a job file: node = [{levels}])"
    yield f"or by name:   --node {quote(_by_name(nodes[0], names))}"


def _columns(nodes: Sequence[Mapping[str, int]], names: Sequence[str]) -> list[str]:
    """The levels of nodes below the names of their columns; where these are many, below all names in one."""
    if sum(map(len, names)) + 2 * len(names) <= WIDTH:
        return _aligned([list(names), *([str(node[name]) for name in names] for node in nodes)])
    return _aligned([["levels, as below"], *([",".join(str(node[name]) for name in names)] for node in nodes)])


def _costs(figures: Mapping[str, Json], candidates: Sequence[Mapping[str, Json]]) -> list[str]:
    """What candidates cost, below the titles of the columns."""
    objective = cast("dict[str, str] | None", figures["objective"])
    name = "lm" if objective is None else objective["name"]
    metrics = [cast("dict[str, float]", one["metrics"]) for one in candidates]
    aims = [
        of[name] if objective is None else cast("float", one["objective"])
        for one, of in zip(candidates, metrics, strict=True)
    ]
    weighted = aims != [of[name] for of in metrics]
    rows = [["suppressed", "classes", "LM", "weighted " * weighted + name.upper()]]
    for one, of, aim in zip(candidates, metrics, aims, strict=True):
        suppressed, classes = counts(one, "suppressed", "classes")
        rows.append([f"{suppressed:,}", f"{classes:,}", _figure("lm", of["lm"]), _figure(name, aim)])
    return _aligned(rows if weighted or name != "lm" else [row[:-1] for row in rows])


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """The rows as lines, columns right-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows]


def _by_name(node: Mapping[str, int], names: Sequence[str]) -> str:
    """A node as `--node` takes it, whatever the order.

    >>> _by_name({"age": 2, "income, net": 1}, ["age", "income, net"])
    'age=2,"income, net=1"'
    """
    text = StringIO()
    csv.writer(text, lineterminator="").writerow(f"{name}={node[name]}" for name in names)
    return text.getvalue()


def _cost(figures: Mapping[str, Json]) -> Iterator[str]:
    """The quality metrics, and how much detail each quasi-identifier lost."""
    metrics = cast("dict[str, float]", figures["metrics"])
    losses, members = (cast("dict[str, float]", figures[key]) for key in ("losses", "members"))
    if not metrics:
        return
    yield ""
    told = [
        f"{name.upper()} {_figure(name, metrics[name])}"
        for name, one in METRICS.items()
        if one.shown.first and name in metrics
    ]
    yield "What it cost   " + "   ".join(told)
    width = max(map(len, losses), default=0)
    for name, loss in losses.items():
        more = f"; {_members(members[name])}" if name in members else ""
        yield f"  {name:<{width}}  {_bar(loss)} {loss:6.1%} of its detail lost{more}"


def _members(mean: float) -> str:
    """What the sets of a column give away although they cost little.

    >>> _members(18.04)
    'its sets print 18.0 values on average, each that of somebody in the class'
    """
    return f"its sets print {mean:,.1f} values on average, each that of somebody in the class"


def places(figures: Mapping[str, Json]) -> Iterator[str]:
    """Where the files are."""
    if figures["release"]:
        yield ""
        yield f"release      {figures['release']}"
        yield f"certificate  {figures['certificate']}"


def counts(figures: Mapping[str, Json], *names: str) -> list[int]:
    """The figures of these names, whole numbers."""
    return [cast("int", figures[name]) for name in names]


def _figure(name: str, value: float) -> str:
    """What a metric says: in whole numbers where it counts, else to four decimals.

    >>> _figure("c_dm", 600), _figure("height", 0.0), _figure("lm", 2)
    ('600', '0', '2.0000')
    """
    return f"{value:,.0f}" if METRICS[name].shown.kind == "count" and value == int(value) else f"{value:,.4f}"


def _bar(share: float) -> str:
    full = round(share * BAR)
    return "█" * full + "·" * (BAR - full)
