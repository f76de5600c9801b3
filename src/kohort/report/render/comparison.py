"""A table and its release, compared, as text for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from kohort.report.render.transactions import many

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kohort.report import Json

    Figures = Mapping[str, Json]
    Cells = tuple[str, ...]

#: Pairs that are shown: those that changed most.
SHOWN: Final = 5


def comparison_text(figures: Figures) -> str:
    """The figures of `kohort.report.comparison` as one screen for a person; no name of a value is in it."""
    parts = (_records, _numbers, _names, _pairs, _cost, _queries, _classifier)
    return "\n".join(line for part in parts for line in part(figures))


def _records(figures: Figures) -> Iterator[str]:
    """What was compared."""
    records, suppressed = cast("int", figures["records"]), cast("int", figures["suppressed"])
    share = f" ({suppressed / records:.1%})" if suppressed else ""
    released = cast("int", figures["released"])
    yield f"{many(records, 'record')} before, {released:,} after: {suppressed:,} suppressed{share}"
    for key, what in (("absent", "not in the release"), ("passed_over", "identifying or dropped, not compared")):
        names = cast("list[str]", figures[key])
        if names:
            yield f"{what}: {', '.join(names)}"


def _numbers(figures: Figures) -> Iterator[str]:
    """Columns of numbers."""
    found = [one for one in _attributes(figures) if one["scale"] == "numeric"]
    rows: list[Cells] = []
    for one in found:
        for side in ("before", "after"):
            told = cast("dict[str, Json]", one[side])
            numbers = cast("dict[str, float] | None", told["numeric"])
            rows.append(
                (str(one["name"]) if side == "before" else "", side, *_spread(numbers), *_change(one, side, told))
            )
    if rows:
        yield ""
        yield from _table(
            ("numbers", "", "mean", "deviation", "median", "missing", "generalized", "moved by", "of the range"), rows
        )
        yield "  a range counts as its midpoint; moved by: Wasserstein's distance, ranges as uniform"


def _spread(numbers: Mapping[str, Json] | None) -> Cells:
    """Mean, deviation and median."""
    if numbers is None:
        return "-", "-", "-"
    median = cast("dict[str, float]", numbers["quantiles"])["0.5"]
    return _short(numbers["mean"]), _short(numbers["deviation"]), _short(median)


def _change(one: Figures, side: str, told: Figures) -> Cells:
    """Missing values; after, how much was generalized and how far the distribution moved."""
    missing = f"{cast('int', told['missing']):,}"
    if side == "before":
        return missing, "", "", ""
    distance = cast("dict[str, float | None] | None", one["distance"])
    if distance is None:
        return missing, _share(one["generalized"]), "-", "-"
    return missing, _share(one["generalized"]), _short(distance["value"]), _share(distance["relative"])


def _names(figures: Figures) -> Iterator[str]:
    """Columns of names."""
    found = [one for one in _attributes(figures) if one["scale"] != "numeric"]
    rows: list[Cells] = []
    for one in found:
        values, after = cast("list[int]", one["values"]), cast("dict[str, Json]", one["after"])
        distance = cast("dict[str, float] | None", one["distance"])
        codes = [cast("dict[str, Json]", one[side])["ordinal"] for side in ("before", "after")]
        rows.append(
            (
                str(one["name"]),
                f"{values[0]:,}",
                f"{values[1]:,}",
                _codes(codes, "mean"),
                _codes(codes, "variance"),
                f"{cast('int', after['missing']):,}",
                _share(one["generalized"]),
                "-" if distance is None else _short(distance["value"]),
            )
        )
    if rows:
        yield ""
        heads = ("names", "values", "labels", "mean code", "variance", "missing", "generalized", "total variation")
        yield from _table(heads, rows)
        if any(row[3] for row in rows):
            yield "  codes 1, 2, ... along the top level of the hierarchy: before, after"


def _codes(sides: Sequence[Json], key: str) -> str:
    """A figure of the codes, before and after."""
    if any(side is None for side in sides):
        return ""
    return ", ".join(_short(cast("dict[str, Json]", side)[key]) for side in sides)


def _pairs(figures: Figures) -> Iterator[str]:
    """The associations that changed most."""
    found = cast("list[dict[str, Json]]", figures["associations"])
    told = [one for one in found if one["change"] is not None]
    if not told:
        return
    shown = sorted(told, key=lambda one: -abs(cast("float", one["change"])))[:SHOWN]
    yield ""
    yield f"associations that changed most, of {many(len(found), 'pair')}:"
    rows = [
        (
            " and ".join(cast("list[str]", one["columns"])),
            str(one["measure"]),
            *(f"{cast('float', one[key]):.3f}" for key in ("before", "after")),
        )
        for one in shown
    ]
    yield from _table(("", "", "before", "after"), rows)
    left = cast("list[str]", figures["left_out"])
    if left:
        yield f"  pairs with these were not looked at: {', '.join(left)}"


def _cost(figures: Figures) -> Iterator[str]:
    """What it cost in the metrics of the literature."""
    found = cast("dict[str, Json] | None", figures["cost"])
    if found is None:
        return
    losses = cast("dict[str, float]", found["losses"])
    sizes = f"of {cast('int', found['smallest']):,} to {cast('int', found['largest']):,}"
    average = found["c_avg"]
    yield ""
    classes = cast("int", found["classes"])
    yield f"{classes:,} {'class' if classes == 1 else 'classes'} {sizes} records"
    yield f"LM {_short(found['lm'])}; NCP {_short(found['ncp'])}; C_DM {cast('float', found['c_dm']):,.0f}; " + (
        "C_AVG: give --k" if average is None else f"C_AVG {_short(average)}"
    )
    yield "loss: " + ", ".join(f"{name} {_share(loss)}" for name, loss in losses.items())


def _queries(figures: Figures) -> Iterator[str]:
    """How well counts are answered."""
    found = cast("dict[str, Json] | None", figures["queries"])
    if found is None:
        return
    columns = len(cast("list[str]", found["columns"]))
    asked = f"{many(cast('int', found['queries']), 'random count')} over 1 to {columns} quasi-identifiers"
    yield ""
    yield f"{asked} (seed {found['seed']}): relative error"
    shares = (f"{name} {_share(found[key])}" for name, key in (("median", "median"), ("mean", "mean")))
    yield f"  {', '.join(shares)}, nine of ten at most {_share(found['percentile_90'])}"
    yield f"  of at least {many(cast('int', found['bound']), 'record')}; the answers lack suppressed records"


def _classifier(figures: Figures) -> Iterator[str]:
    """How well the target is predicted."""
    found = cast("dict[str, Json] | None", figures["classifier"])
    if found is None:
        return
    split = found["split"]
    what = f"one of {found['classes']} values" if split is None else "above its median or not"
    old, new = cast("list[int]", found["learned"])
    yield ""
    judged = many(cast("int", found["judged"]), "held-out record")
    yield f"{found['target']} ({what}), predicted from the quasi-identifiers of {judged}:"
    yield f"  {_share(found['original']):>6} right by who learned from {old:,} records of the table"
    yield f"  {_share(found['released']):>6} right by who learned from {new:,} records of the release"
    yield f"  {_share(found['baseline']):>6} right by who always says the most frequent"


def _attributes(figures: Figures) -> list[dict[str, Json]]:
    """The columns, each with the share of its cells that were generalized."""
    released = max(cast("int", figures["released"]), 1)
    found = cast("list[dict[str, Json]]", figures["attributes"])
    return [one | {"generalized": 1 - cast("int", one["single"]) / released} for one in found]


def _table(heads: Cells, rows: Sequence[Cells]) -> Iterator[str]:
    """Rows below their heads: the first two columns as words, the others as figures."""
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    for row in (heads, *rows):
        cells = (
            f"{cell:<{width}}" if at < 1 else f"{cell:>{width}}"
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield ("  " + "  ".join(cells)).rstrip()


def _share(share: Json) -> str:
    """A share in percent; a dash where there is none.

    >>> _share(0.4648), _share(None)
    ('46.5%', '-')
    """
    return "-" if share is None else f"{cast('float', share):.1%}"


def _short(number: Json) -> str:
    """A number to four digits; more of large ones.

    >>> _short(0.123456), _short(41234.5), _short(None)
    ('0.1235', '41,234', '-')
    """
    if number is None:
        return "-"
    value = cast("float", number)
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.4g}"  # noqa: PLR2004  four digits
