"""Attacks on a release as text for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kohort.report import Json


def tried_text(figures: Mapping[str, Json]) -> Iterator[str]:
    """What attacks on a release found, where some were tried."""
    if "attacks" in figures:
        yield ""
        yield attacks_text(cast("list[Json]", figures["attacks"]))


def attacks_text(figures: Sequence[Json]) -> str:
    """The figures of `kohort.report.attacks.attack_numbers` as a table for a person."""
    found = cast("list[dict[str, Json]]", figures)
    return "\n".join(_lines(found))


def _lines(found: Sequence[Mapping[str, Json]]) -> Iterator[str]:
    tried = {_name(one): one for one in found if "untried" not in one}
    if tried:
        width = max(map(len, tried))
        yield f"{'attack':<{width}}" + _aligned("right", "95 %", "else", "of claims", "open", "shut", "chance")
        yield from (f"{name:<{width}}{_row(one)}".rstrip() for name, one in tried.items())
        yield "  right: the share of those attacked of whom the attacker says what is so; 95 %: among people like them;"
        yield "  else: what the same guesses get where the release tells nothing; of claims: the right share of claims;"
        yield "  open, shut: that share on a table where everything is to be had, and where nothing is but by chance"
    yield from (f"{one['attack']} was not tried: {one['untried']}" for one in found if "untried" in one)


def _name(one: Mapping[str, Json]) -> str:
    """The attack, and what it is about."""
    about = f" of {one['of']}" if one["of"] else ""
    return f"{one['attack']}{about} ({cast('int', one['targets']):,} {one['unit']})"


def _row(one: Mapping[str, Json]) -> str:
    low, high = cast("list[float]", one["interval"])
    claims = _percent(one["precision"]) if one["claims"] else "none"
    controls = cast("dict[str, float]", one["controls"] or {})
    shown = (_percent(controls.get(name)) for name in ("positive", "negative", "chance"))
    return _aligned(_percent(one["rate"]), f"{low:.1%} to {high:.1%}", _percent(one["baseline"]), claims, *shown)


def _aligned(*cells: str) -> str:
    """Cells under each other."""
    return "".join(f"{cell:>{width}}" for cell, width in zip(cells, (9, 17, 9, 11, 8, 7, 8), strict=True))


def _percent(share: Json) -> str:
    """A share in percent.

    >>> _percent(0.4648), _percent(None)
    ('46.5%', '')
    """
    return "" if share is None else f"{cast('float', share):.1%}"
