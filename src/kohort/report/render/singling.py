"""Whom a release singles out or gives away, as a few lines for a person: before all else what is released as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kohort.report import Json

    Figures = Mapping[str, Json]

#: Pairs that are shown; `--json` has more.
SHOWN: Final = 3

#: The share of the people from which a column or a pair is warned of.
MANY: Final = 0.05

#: Where a label prints the value of somebody who alone has it, by the keys of `exposed`.
_PLACES: Final = {
    "range_ends": "at the edge of a published range",
    "set_members": "as a member of a published set",
    "means": "as a published mean",
}


def unchanged_text(figures: Figures) -> Iterator[str]:
    """The columns that are released as they are, how many people each singles out, and a warning of those with many."""
    found = cast("list[Figures]", figures["singling"])
    perturbed = {str(one["column"]) for one in cast("list[Figures]", figures["perturbed"])}
    of = _people(figures)
    alone = [(_columns(one)[0], f"{one['unique']:,}") for one in found if len(_columns(one)) == 1]
    unchanged = ", ".join(f"{name} {unique}" for name, unique in alone if name not in perturbed)
    changed = ", ".join(f"{name} {unique}" for name, unique in alone if name in perturbed)
    if not alone:
        yield "No column is released as it is"
        return
    parts = [unchanged or "none", *([f"perturbed: {changed}"] if changed else [])]
    yield f"Released as they are (how many of {of:,} people have a value of their own): {'; '.join(parts)}"
    yield from _warnings([one for one in found if cast("float", one["share"]) > MANY])


def exposed_text(figures: Figures) -> Iterator[str]:
    """How many people the labels give away."""
    exposed = cast("dict[str, int] | None", figures["exposed"])
    if not exposed or not exposed["people"]:
        return
    places = [(exposed[key], place) for key, place in _PLACES.items() if exposed[key]]
    where = places[0][1] if len(places) == 1 else " or ".join(f"{place} ({count:,})" for count, place in places)
    people = exposed["people"]
    yield ""
    who = f"{people:,} {'people' if people > 1 else 'person'}"
    yield f"{who} can be pinpointed: nobody else in the class has their value, which stands {where}."
    yield "Public cut points (--grid) or a hierarchy avoid this."


def _warnings(found: Sequence[Figures]) -> Iterator[str]:
    """What singles out more than 5 %, and what would help."""
    pairs = [one for one in found if len(_columns(one)) > 1]
    for one in [*(one for one in found if len(_columns(one)) == 1), *pairs[:SHOWN]]:
        unique, names = cast("int", one["unique"]), " and ".join(_columns(one))
        share = f"{one['share']:.1%} of the people"
        yield f"Warning: {unique:,} people ({share}) can be found by {names}"
        rounding = cast("Figures | None", one["rounding"])
        if rounding is not None:
            left, change = cast("int", rounding["unique"]), cast("float", rounding["change"])
            cost = f"{left:,} are left, and values change by {change:,.3g} on average"
            yield f"  round it: --perturb {rounding['perturb']}   ({cost})"
    if len(pairs) > SHOWN:
        yield f"  and {len(pairs) - SHOWN:,} more pairs of columns, which --json lists"


def _columns(one: Figures) -> list[str]:
    return cast("list[str]", one["columns"])


def _people(figures: Figures) -> int:
    """How many people there are; without a person key each record counts as one."""
    return cast("int", figures["released"] if figures["people"] is None else figures["people"])
