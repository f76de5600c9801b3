"""What `kohort inspect --transactions` tells of a transaction database, as figures and as text; no item is named."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from kohort.report.render.text import many
from kohort.schema.numbers import said
from kohort.transactions.profile import PERCENTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kohort.report import Json
    from kohort.transactions.profile import DatabaseProfile, Spread


def profile_figures(seen: DatabaseProfile, repeated: int) -> dict[str, Json]:
    """The profile as one JSON object; `repeated` cells named an item that their transaction already had."""
    return {
        "transactions": seen.transactions,
        "items": seen.items,
        "cells": seen.cells,
        "repeated": repeated,
        "density": seen.density,
        "empty": seen.empty,
        "unique": seen.unique,
        "unique_share": seen.unique_share,
        "lengths": _quantiles(seen.lengths),
        "supports": _quantiles(seen.supports),
        "bands": [{"least": band.least, "most": band.most, "items": band.items} for band in seen.bands],
        "h": float(seen.h),
        "above": seen.above,
        "above_share": seen.above_share,
        "feasible_h": _feasible(seen),
        "advice": list(_advice(seen)),
    }


def profile_text(seen: DatabaseProfile, repeated: int) -> str:
    """The profile as a few lines for a person."""
    again = f", {repeated:,} more {'names' if repeated == 1 else 'name'} an item again" if repeated else ""
    bands = [(f"{band.least:,}" + f" to {band.most:,}" * (band.most > band.least), band.items) for band in seen.bands]
    width = max((len(name) for name, _ in bands), default=0)
    unique = f"{seen.unique:,} ({seen.unique_share:.1%}) unique"
    lines = [
        f"{many(seen.transactions, 'transaction')}: {seen.empty:,} of no item, {unique}",
        f"{many(seen.items, 'item')} in {many(seen.cells, 'cell')}{again}; density {seen.density:.4%}",
        "",
        *_table(seen),
        "",
        "items in so many transactions:",
        *(f"  {name:>{width}}  {items:>9,}" for name, items in bands),
        f"  more than {said(seen.h)} of all: {seen.above:,} ({seen.above_share:.2%})",
        "",
        "unique: no other transaction has the same items",
        *_advice(seen),
    ]
    return "\n".join(lines)


def _quantiles(spread: Spread) -> dict[str, Json]:
    """The mean, and each quantile by its percentage."""
    return {"mean": spread.mean, **{str(percent): q for percent, q in zip(PERCENTS, spread.quantiles, strict=True)}}


def _table(seen: DatabaseProfile) -> Iterator[str]:
    """How lengths and supports are distributed, one line each."""
    numbers = {"items of a transaction": seen.lengths, "transactions of an item": seen.supports}
    heads = ("least", *(f"{percent} %" for percent in PERCENTS[1:-1]), "most")
    width = max(5, *(len(f"{spread.quantiles[-1]:,}") for spread in numbers.values()))
    yield " " * 23 + f"  {'mean':>{width + 3}}" + "".join(f"  {head:>{width}}" for head in heads)
    for name, spread in numbers.items():
        quantiles = "".join(f"  {number:>{width},}" for number in spread.quantiles)
        yield f"{name:<23}  {spread.mean:>{width + 3},.2f}{quantiles}"


def _feasible(seen: DatabaseProfile) -> float:
    """The least h at which any item can be private, rounded up to four digits after the point."""
    return ceil(seen.feasible_h * 10_000) / 10_000


def _advice(seen: DatabaseProfile) -> Iterator[str]:
    """What has to be said before these transactions can be released."""
    yield "Say which items are private (--private or --private-file): all others are then public, or those of --public."
    yield "To try, draw them: --delta 0.4 --seed 7"
    h, feasible = said(seen.h), f"{_feasible(seen):.4g}"
    if seen.above:
        count = f"{seen.above:,} of {seen.items:,} items"
        yield f"At h = {h}, {count} cannot be private; from h = {feasible} on any item can."
    else:
        yield f"At h = {h}, any item can be private; the least such h is {feasible}."
