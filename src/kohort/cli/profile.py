"""`kohort inspect --transactions`: a transaction database in figures and in text; no item is named."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from kohort.schema.numbers import said as written
from kohort.shown import many
from kohort.transactions.profile import PERCENTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kohort.report import Json
    from kohort.transactions.profile import DatabaseProfile, Spread


def profile_figures(found: DatabaseProfile, repeated: int) -> dict[str, Json]:
    """The profile as one JSON object; `repeated` cells named an item that their transaction already had."""
    return {
        "transactions": found.transactions,
        "items": found.items,
        "cells": found.cells,
        "repeated": repeated,
        "density": found.density,
        "empty": found.empty,
        "unique": found.unique,
        "unique_share": found.unique_share,
        "lengths": _quantiles(found.lengths),
        "supports": _quantiles(found.supports),
        "bands": [{"least": band.least, "most": band.most, "items": band.items} for band in found.bands],
        "h": float(found.h),
        "above": found.above,
        "above_share": found.above_share,
        "feasible_h": _feasible(found),
        "advice": list(_advice(found)),
    }


def profile_text(found: DatabaseProfile, repeated: int) -> str:
    """The profile as a few lines for a person."""
    again = f", {many(repeated, 'repeated cell')} not counted" if repeated else ""
    bands = [(f"{band.least:,}" + f" to {band.most:,}" * (band.most > band.least), band.items) for band in found.bands]
    width = max((len(name) for name, _ in bands), default=0)
    unique = f"{found.unique:,} ({found.unique_share:.1%}) unique"
    lines = [
        f"{many(found.transactions, 'transaction')}: {found.empty:,} empty, {unique}",
        f"{many(found.items, 'item')} in {many(found.cells, 'cell')}{again}; density {found.density:.4%}",
        "",
        *_table(found),
        "",
        "items by the number of their transactions:",
        *(f"  {name:>{width}}  {items:>9,}" for name, items in bands),
        f"  more than {written(found.h)} of all: {found.above:,} ({found.above_share:.2%})",
        "",
        "unique: no other transaction has the same items",
        *_advice(found),
    ]
    return "\n".join(lines)


def _quantiles(spread: Spread) -> dict[str, Json]:
    return {"mean": spread.mean, **{str(percent): q for percent, q in zip(PERCENTS, spread.quantiles, strict=True)}}


def _table(found: DatabaseProfile) -> Iterator[str]:
    numbers = {"items of a transaction": found.lengths, "transactions of an item": found.supports}
    heads = ("least", *(f"{percent} %" for percent in PERCENTS[1:-1]), "most")
    width = max(5, *(len(f"{spread.quantiles[-1]:,}") for spread in numbers.values()))
    yield " " * 23 + f"  {'mean':>{width + 3}}" + "".join(f"  {head:>{width}}" for head in heads)
    for name, spread in numbers.items():
        quantiles = "".join(f"  {number:>{width},}" for number in spread.quantiles)
        yield f"{name:<23}  {spread.mean:>{width + 3},.2f}{quantiles}"


def _feasible(found: DatabaseProfile) -> float:
    """The least h at which any item can be private, rounded up to four digits after the point."""
    return ceil(found.feasible_h * 10_000) / 10_000


def _advice(found: DatabaseProfile) -> Iterator[str]:
    yield "Name the private items (--private or --private-file); all others, or those of --public, are then public."
    yield "To try it out, draw the roles by lot: --delta 0.4 --seed 7"
    h, feasible = written(found.h), f"{_feasible(found):.4g}"
    if found.above:
        count = f"{found.above:,} of {many(found.items, 'item')}"
        yield f"At h = {h}, {count} cannot be private; from h = {feasible} on any item can."
    else:
        yield f"At h = {h}, any item can be private; the least such h is {feasible}."
