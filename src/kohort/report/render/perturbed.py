"""Perturbed columns and pseudonyms as text for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kohort.report import Json


def altered_text(figures: Mapping[str, Json]) -> Iterator[str]:
    """What was perturbed, and what pseudonyms do not promise."""
    for one in cast("list[Mapping[str, Json]]", figures["perturbed"]):
        yield ""
        yield from effect_text(one)
    for one in cast("list[Mapping[str, int | str]]", figures["pseudonyms"]):
        linked = f"; {one['linked']:,} records share theirs with another" if one["linked"] else ""
        yield ""
        yield f"{one['column']}: pseudonyms, which are not anonymity{linked}."
        yield "Who has the key knows everybody; they link what every release with this key tells of a person."


def effect_text(one: Mapping[str, Json]) -> Iterator[str]:
    """What was done to one column, and what that did."""
    records, unchanged = cast("int", one["records"]), cast("int", one["unchanged"])
    yield f"{one['column']}: {one['method']}; {unchanged:,} of {records:,} values are as they were"
    moved = [f"{name} {told}" for name in ("mean", "variance") if (told := _moved(one[name]))]
    if moved:
        yield f"  {', '.join(moved)}"
    correlation = cast("Mapping[str, float | str] | None", one["correlation"])
    if correlation is not None:
        change = cast("float", correlation["change"])
        yield f"  correlations move by at most {abs(change):.3f} (with {correlation['with']})"
    if one["linked"] is not None:
        yield f"  who knows the values as they were finds {one['linked']:.1%} of the records by the nearest one"
    if one["reproducible"]:
        yield "  reproducible noise: not private"


def _moved(pair: Json) -> str:
    """How a figure moved; nothing of names."""
    if pair is None:
        return ""
    moved = cast("Mapping[str, float | None]", pair)
    drift = "" if moved["drift"] is None else f" (moved by {moved['drift']:.2g} of itself)" if moved["drift"] else ""
    return f"{moved['before']:,.6g} -> {moved['after']:,.6g}{drift}"
