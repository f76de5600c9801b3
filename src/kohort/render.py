"""Reports as text for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from kohort.report import Json

#: Width of a full bar of loss, in characters.
BAR = 24


def release_text(figures: dict[str, Json]) -> str:
    """The figures of `kohort.report.numbers` as a few lines for a person."""
    number = cast("dict[str, int]", figures)
    metrics = cast("dict[str, float]", figures["metrics"])
    losses = cast("dict[str, float]", figures["losses"])
    lines = [
        f"{number['released']:,} of {number['records']:,} records released in {number['classes']:,} classes"
        f" of {number['smallest']:,} to {number['largest']:,}; {number['suppressed']:,} suppressed",
        _verdict(figures),
        "",
        "What it cost" + "".join(f"   {name.upper()} {_figure(value)}" for name, value in metrics.items()),
    ]
    width = max(map(len, losses), default=0)
    lines += [f"  {name:<{width}}  {_bar(loss)} {loss:6.1%} of its detail lost" for name, loss in losses.items()]
    if figures["range_exposure"]:
        lines += ["", f"Range ends are data values: {number['range_exposure']:,} people are the only one at an end of"
                      " a printed range (declare a grid to avoid this)"]  # fmt: skip
    places = [f"{what:<12} {figures[what]}" for what in ("release", "certificate") if figures[what]]
    return "\n".join([*lines, "", *places] if places else lines)


def _verdict(figures: dict[str, Json]) -> str:
    if not figures["verified"]:
        return f"dry run: nothing was written, nothing verified (asked for k = {figures['k']})"
    where = "the published bytes" if figures["release"] else "the released cells"
    return f"verified on {where}: every class has at least {figures['smallest']} records (asked for k = {figures['k']})"


def _figure(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.4f}"


def _bar(share: float) -> str:
    full = round(share * BAR)
    return "█" * full + "·" * (BAR - full)
