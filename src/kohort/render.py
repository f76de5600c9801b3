"""Reports as text for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kohort.report import Json

#: Width of a full bar of loss, in characters.
BAR: Final = 24


def release_text(figures: Mapping[str, Json]) -> str:
    """The figures of `kohort.report.numbers` as a few lines for a person."""
    return "\n".join([*_classes(figures), *_cost(figures), *_exposure(figures), *_places(figures)])


def _classes(figures: Mapping[str, Json]) -> Iterator[str]:
    """What was released, and whether somebody looked."""
    records, released, suppressed = _counts(figures, "records", "released", "suppressed")
    classes, smallest, largest = _counts(figures, "classes", "smallest", "largest")
    yield f"{released:,} of {records:,} records released, {suppressed:,} suppressed"
    yield f"{classes:,} classes of {smallest:,} to {largest:,} records (asked for k = {figures['k']})"
    if figures["verified"]:
        where = "the published bytes" if figures["release"] else "the released cells"
        yield f"verified on {where}: every class has at least {smallest:,} records"
    else:
        yield "dry run: nothing was written, nothing verified"


def _cost(figures: Mapping[str, Json]) -> Iterator[str]:
    """The quality metrics, and how much detail each quasi-identifier lost."""
    metrics = cast("dict[str, float]", figures["metrics"])
    losses = cast("dict[str, float]", figures["losses"])
    if not metrics:
        return
    yield ""
    yield "What it cost   " + "   ".join(f"{name.upper()} {_figure(value)}" for name, value in metrics.items())
    width = max(map(len, losses), default=0)
    for name, loss in losses.items():
        yield f"  {name:<{width}}  {_bar(loss)} {loss:6.1%} of its detail lost"


def _exposure(figures: Mapping[str, Json]) -> Iterator[str]:
    """How many people the ends of printed ranges expose."""
    if figures["range_exposure"]:
        (people,) = _counts(figures, "range_exposure")
        yield ""
        yield f"Range ends are data values: {people:,} people alone hold an end of a printed range."
        yield "Public cut points (a grid) avoid this."


def _places(figures: Mapping[str, Json]) -> Iterator[str]:
    """Where the files are."""
    if figures["release"]:
        yield ""
        yield f"release      {figures['release']}"
        yield f"certificate  {figures['certificate']}"


def _counts(figures: Mapping[str, Json], *names: str) -> list[int]:
    return [cast("int", figures[name]) for name in names]


def _figure(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.4f}"


def _bar(share: float) -> str:
    full = round(share * BAR)
    return "█" * full + "·" * (BAR - full)
