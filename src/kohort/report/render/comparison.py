"""A table and its release, compared, as text for a terminal."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from kohort.errors.display import many, span
from kohort.report.render.text import aligned, averaged_over, bound_text, percent, screen

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kohort.assessment.comparison import AttributeComparison, Comparison, Moments, NumericStatistics
    from kohort.report.figures import BoundFigures

Cells: TypeAlias = tuple[str, ...]

#: Pairs that are shown: those that changed most.
SHOWN: Final = 5


def comparison_text(figures: Comparison, bound: BoundFigures | None = None) -> str:
    """A comparison as one screen for a person; no name of a value is in it.

    Args:
        figures: The comparison.
        bound: The least loss of any release, where that was computed.
    """
    parts = (_records, _numbers, _names, _pairs, partial(_cost, bound=bound), _queries, _classifier)
    return screen(*(part(figures) for part in parts))


def _records(figures: Comparison) -> Iterator[str]:
    suppressed = figures.suppressed
    share = f" ({suppressed / figures.records:.1%})" if suppressed else ""
    yield f"{many(figures.records, 'record')} before, {figures.released:,} after: {suppressed:,} suppressed{share}"
    if figures.absent:
        yield f"not in the release: {', '.join(figures.absent)}"
    if figures.passed_over:
        yield f"identifying or dropped, not compared: {', '.join(figures.passed_over)}"


def _numbers(figures: Comparison) -> Iterator[str]:
    rows: list[Cells] = []
    for one in figures.attributes:
        if one.scale == "numeric":
            after = (_generalized(one, figures), *_distance(one))
            rows.append((one.name, "before", *_spread(one.before.numeric), f"{one.before.missing:,}", "", "", ""))
            rows.append(("", "after", *_spread(one.after.numeric), f"{one.after.missing:,}", *after))
    if rows:
        yield from _table(
            ("numbers", "", "mean", "deviation", "median", "missing", "generalized", "moved by", "of the range"), rows
        )
        yield "  a range counts as its midpoint; moved by: Wasserstein's distance, ranges as uniform"


def _spread(numbers: NumericStatistics | None) -> Cells:
    if numbers is None:
        return "-", "-", "-"
    return _short(numbers.mean), _short(numbers.deviation), _short(numbers.quantiles["0.5"])


def _generalized(one: AttributeComparison, figures: Comparison) -> str:
    return percent(1 - one.single / max(figures.released, 1))


def _distance(one: AttributeComparison) -> Cells:
    if one.distance is None:
        return "-", "-"
    return _short(one.distance.value), percent(one.distance.relative)


def _names(figures: Comparison) -> Iterator[str]:
    rows: list[Cells] = []
    for one in figures.attributes:
        if one.scale != "numeric":
            before, after = one.values
            codes = (one.before.ordinal, one.after.ordinal)
            rows.append(
                (
                    one.name,
                    f"{before:,}",
                    f"{after:,}",
                    _codes([None if side is None else side.mean for side in codes], codes),
                    _codes([None if side is None else side.variance for side in codes], codes),
                    f"{one.after.missing:,}",
                    _generalized(one, figures),
                    _distance(one)[0],
                )
            )
    if rows:
        heads = ("names", "values", "labels", "mean code", "variance", "missing", "generalized", "total variation")
        yield from _table(heads, rows)
        if any(row[3] for row in rows):
            yield "  codes 1, 2, ... along the top level of the hierarchy: before, after"


def _codes(numbers: Sequence[float | None], sides: Sequence[Moments | None]) -> str:
    """A figure of the codes, before and after; nothing where one side has none."""
    return "" if None in sides else ", ".join(map(_short, numbers))


def _pairs(figures: Comparison) -> Iterator[str]:
    changed = [(abs(one.change), one) for one in figures.associations if one.change is not None]
    if not changed:
        return
    changed.sort(key=lambda pair: -pair[0])
    yield f"associations that changed most, of {many(len(figures.associations), 'pair')}:"
    rows = [
        (" and ".join(one.columns), one.measure, f"{one.before:.3f}", f"{one.after:.3f}") for _, one in changed[:SHOWN]
    ]
    yield from _table(("", "", "before", "after"), rows)
    if figures.left_out:
        yield f"  pairs with these columns were not compared: {', '.join(figures.left_out)}"


def _cost(figures: Comparison, bound: BoundFigures | None) -> Iterator[str]:
    cost = figures.cost
    if cost is None:
        return
    yield f"{many(cost.classes, 'class')} of {span(cost.smallest, cost.largest, 'record')}"
    average = "C_AVG: give --k" if cost.c_avg is None else f"C_AVG {_short(cost.c_avg)}"
    over = averaged_over(len(cost.losses), len(cost.constant)).replace(";", ",")
    yield f"LM {_short(cost.lm)}; NCP {_short(cost.ncp)}{over}; C_DM {cost.c_dm:,.0f}; {average}"
    yield "loss: " + ", ".join(f"{name} {percent(loss)}" for name, loss in cost.losses.items())
    yield from bound_text(bound)


def _queries(figures: Comparison) -> Iterator[str]:
    found = figures.queries
    if found is None:
        return
    counts = f"{many(found.queries, 'random count')} over 1 to {many(len(found.columns), 'quasi-identifier')}"
    yield f"{counts} (seed {found.seed}): relative error"
    most = f"nine of ten at most {percent(found.percentile_90)}"
    yield f"  median {percent(found.median)}, mean {percent(found.mean)}, {most}"
    yield f"  relative to at least {many(found.bound, 'record')}; suppressed records are not counted"


def _classifier(figures: Comparison) -> Iterator[str]:
    found = figures.classifier
    if found is None:
        return
    what = f"one of {many(found.classes, 'value')}" if found.split is None else "above its median or not"
    before, after = found.learned
    judged = many(found.judged, "held-out record")
    yield f"{found.target} ({what}), predicted from the quasi-identifiers of {judged}:"
    yield f"  {percent(found.original):>6} accuracy when trained on {many(before, 'record')} of the table"
    yield f"  {percent(found.released):>6} accuracy when trained on {many(after, 'record')} of the release"
    yield f"  {percent(found.baseline):>6} accuracy of always predicting the most frequent value"


def _table(heads: Cells, rows: Sequence[Cells]) -> Iterator[str]:
    yield from (f"  {line}" for line in aligned([heads, *rows], left=1))


def _short(number: float | None) -> str:
    """A number to four digits; more of large ones.

    >>> _short(0.123456), _short(41234.5), _short(None)
    ('0.1235', '41,234', '-')
    """
    if number is None:
        return "-"
    return f"{number:,.0f}" if abs(number) >= 10_000 else f"{number:.4g}"  # noqa: PLR2004  four digits
