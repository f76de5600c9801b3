"""Perturbations and pseudonyms in a table: what is made of its cells, and what a perturbation did."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from kohort.core.order import SortKey, order_by
from kohort.errors import UsageError
from kohort.perturbation.effect import Effect, correlation, linked_names, linked_numbers
from kohort.perturbation.moments import total, variance
from kohort.tables.amounts import (
    compact,
    decimals_of,
    distinct_from,
    numbers_of,
    read_numbers,
    rounded,
    written,
)
from kohort.tables.table import Column, Table
from kohort.tables.texts import ranks_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from kohort.arrays import Index
    from kohort.perturbation.base import Perturbation
    from kohort.perturbation.pseudonyms import Key
    from kohort.tables.amounts import CodedNumbers


def perturb(
    table: Table,
    perturbations: Sequence[Perturbation],
    *,
    missing: frozenset[str],
    seed: int | None,
    done: Sequence[Column] = (),
) -> tuple[Table, tuple[Effect, ...]]:
    """The table with some columns perturbed, as `perturbed` makes it, and what that did to each of the columns.

    Args:
        table: At least the columns that are perturbed.
        perturbations: Each column in one of them at most.
        missing: Texts that mean no value, as null and the empty text do.
        seed: Makes the random numbers reproducible, and with them the perturbation reversible by whoever knows or
            guesses the seed; `None` takes them from the operating system.
        done: Columns of the same records that are perturbed already.

    Raises:
        UsageError: a column is not there or is perturbed twice; or a perturbation does not fit its column.
        InputError: a column to be perturbed as numbers has other cells, or numbers outside the declared bounds.
    """
    after = perturbed(table, perturbations, missing=missing, seed=seed, done=done)
    return after, tuple(_effects(table, after, perturbations, missing, reproducible=seed is not None))


def perturbed(
    table: Table,
    perturbations: Sequence[Perturbation],
    *,
    missing: frozenset[str],
    seed: int | None,
    done: Sequence[Column] = (),
) -> Table:
    """The table with some columns perturbed, records in their order.

    Missing cells stay as they are. Equal records change places with each other and nothing else when the order of
    records changes: random numbers are dealt in the order of the records' content. Arguments and errors are those of
    `perturb`.
    """
    _check(table, perturbations, seed)
    made = {column.name: column for column in done}
    due = [one for one in perturbations if not made.keys() >= {*one.columns}]
    order = _by_content(table) if due else np.empty(0, np.int64)
    for one in due:
        changed = _numbers_changed if one.numeric else _names_changed
        made |= changed(table, one, missing, [_stream(seed, column) for column in one.columns], order)
    kept = {one.name: one.notation for one in table.columns}
    columns = (made.get(name, table[name]) for name in kept)
    written = (one if one.notation is kept[one.name] else replace(one, notation=kept[one.name]) for one in columns)
    return Table(tuple(written), table.records)


def _check(table: Table, perturbations: Sequence[Perturbation], seed: int | None) -> None:
    if seed is not None and seed < 0:
        raise UsageError("seed must be at least 0", where="seed")
    seen: set[str] = set()
    for name in (column for one in perturbations for column in one.columns):
        if name not in table.names:
            near = get_close_matches(name, table.names, n=1)
            hint = f"did you mean {near[0]}?" if near else f"the columns are {', '.join(table.names)}"
            raise UsageError(f"there is no column {name!r} to perturb", where="perturb", hint=hint)
        if name in seen:
            raise UsageError(f"column {name} is perturbed twice", where="perturb", hint="give one method")
        seen.add(name)


def _by_content(table: Table) -> Index:
    return order_by([SortKey(ranks_of(column.values), column.codes) for column in table.columns]).astype(np.int64)


def _stream(seed: int | None, column: str) -> np.random.Generator:
    if seed is None:
        return np.random.default_rng(np.random.SeedSequence())
    name = int.from_bytes(sha256(column.encode()).digest()[:16])
    return np.random.default_rng(np.random.SeedSequence([seed, name]))


def _numbers_changed(
    table: Table,
    one: Perturbation,
    missing: frozenset[str],
    streams: Sequence[np.random.Generator],
    order: Index,
) -> dict[str, Column]:
    numbers = [read_numbers(table[name], missing) for name in one.columns]
    complete = np.logical_and.reduce([column.present for column in numbers])
    records = order[complete[order]]
    amounts = [column.of(records) for column in numbers]
    decimals = [column.decimals if one.decimals is None else one.decimals for column in numbers]
    if not records.size:
        return {name: table[name] for name in one.columns}
    one.check(amounts, max(10.0**-digits for digits in decimals))
    made: dict[str, Column] = {}
    cells = one.perturb(amounts, streams)
    for column, present, raw, digits in zip(numbers, amounts, cells, decimals, strict=True):
        stepped = rounded(raw, digits, one.bounds, like=present if one.keeps_moments else None)
        stepped = distinct_from(stepped, missing, digits, one.bounds)
        made[column.column.name] = written(stepped, digits, column, records)
    return made


def _names_changed(
    table: Table,
    one: Perturbation,
    missing: frozenset[str],
    streams: Sequence[np.random.Generator],
    order: Index,
) -> dict[str, Column]:
    made: dict[str, Column] = {}
    for name, stream in zip(one.columns, streams, strict=True):
        column = table[name]
        by_text = np.argsort(ranks_of(column.values))
        known = by_text[~column.absent(missing)[by_text]]  # (w,) the values that are names, in the order of their text
        place = np.full(len(column.values), -1, np.int64)
        place[known] = np.arange(known.size)
        of = place[column.codes]
        records = order[of[order] >= 0]
        codes = column.codes.astype(np.int64)
        codes[records] = known[one.redraw(of[records], np.bincount(of[records], minlength=known.size), stream)]
        made[name] = compact(name, column.values, codes, column.dtype)
    return made


# ── effects ──────────────────────────────────────────────────────────────────────────────────────


def _effects(
    before: Table, after: Table, perturbations: Sequence[Perturbation], missing: frozenset[str], *, reproducible: bool
) -> list[Effect]:
    numeric = [
        (was, now)
        for name in before.names
        if any(one.numeric for one in perturbations)
        if (was := numbers_of(before[name], missing)) and (now := numbers_of(after[name], missing))
    ]
    told: list[Effect] = []
    for one in perturbations:
        for name in one.columns:
            again = one.random and reproducible
            pair = next((pair for pair in numeric if pair[0].column.name == name), None)
            if one.numeric and pair is not None:
                others = [other for other in numeric if other is not pair]
                told.append(_of_numbers(one, pair, others, reproducible=again))
            else:
                told.append(_of_names(one, before[name], after[name], missing, reproducible=again))
    return told


def _of_numbers(
    one: Perturbation,
    pair: tuple[CodedNumbers, CodedNumbers],
    others: Sequence[tuple[CodedNumbers, CodedNumbers]],
    *,
    reproducible: bool,
) -> Effect:
    records = np.flatnonzero(pair[0].present)
    was, now = (numbers.of(records) for numbers in pair)
    low, high = one.bounds
    return Effect(
        pair[0].column.name,
        one.name,
        records.size,
        int((was == now).sum()),
        decimals=decimals_of(pair[1].column.values.filter(~np.isnan(pair[1].values)).to_list()),
        bounds=(low if np.isfinite(low) else None, high if np.isfinite(high) else None),
        mean=(total(was) / records.size, total(now) / records.size),
        variance=(variance(was), variance(now)) if records.size > 1 else None,
        correlation=_correlation(pair, others),
        linked=linked_numbers(was, now),
        reproducible=reproducible,
    )


def _correlation(
    pair: tuple[CodedNumbers, CodedNumbers], others: Sequence[tuple[CodedNumbers, CodedNumbers]]
) -> tuple[float, str] | None:
    """The largest change of correlation with another column, and that column's name."""
    changes: list[tuple[float, str]] = []
    for other in others:
        both = np.flatnonzero(pair[0].present & other[0].present)
        was, now = (correlation(one.of(both), two.of(both)) for one, two in zip(pair, other, strict=True))
        changes.append((abs(now - was), other[0].column.name))
    return max(changes, key=lambda change: change[0], default=None)


def _of_names(one: Perturbation, was: Column, now: Column, missing: frozenset[str], *, reproducible: bool) -> Effect:
    codes = {text: code for code, text in enumerate(was.values.to_list())}
    same = np.array([codes[text] for text in now.values.to_list()], np.int64)
    records = np.flatnonzero(~was.absent(missing)[was.codes])
    before, after = was.codes[records].astype(np.int64), same[now.codes[records]]
    return Effect(
        was.name,
        one.name,
        records.size,
        int((before == after).sum()),
        linked=linked_names(before, after, len(was.values)) if records.size else None,
        reproducible=reproducible,
    )


def pseudonymize(table: Table, columns: Collection[str], key: Key, *, missing: Collection[str]) -> Table:
    """The table with pseudonyms in these columns; what means "no value" stays. Cost: a microsecond for each value."""
    made = (_pseudonyms(column, key, missing) if column.name in columns else column for column in table.columns)
    return Table(tuple(made), table.records)


def _pseudonyms(column: Column, key: Key, missing: Collection[str]) -> Column:
    texts = column.values
    made = pl.Series(key.pseudonyms(column.name, texts.fill_null("").to_list()), dtype=pl.String)
    absent = texts.is_in([*missing]).fill_null(value=True)
    return Column(column.name, texts.zip_with(absent, made), column.codes, pl.String())
