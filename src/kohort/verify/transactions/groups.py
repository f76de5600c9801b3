"""Transactions with the same public items, put together: of nothing else does it depend what a cohort is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kohort.kernels import kernel

if TYPE_CHECKING:
    from kohort.arrays import Counts, Index, Items, Mask
    from kohort.transactions.database import Transactions

#: The number of an item that is neither public nor private. Public ones have theirs from 0 up, private from -2 down.
_NEITHER: Final = -1

#: The FNV prime of 64 bits, which spreads items over a hash table.
_PRIME: Final = 1_099_511_628_211


class _Rows(NamedTuple):
    """Transactions, as in `Transactions`, and the number of each item."""

    starts: Index
    cells: Items
    number: Items


class Groups(NamedTuple):
    """Transactions with the same public items, at least one of them.

    Attributes:
        starts: (g + 1,) where the public items of each group start;
        items: and these, ascending.
        weights: (g,) transactions.
        secret_starts: (g + 1,) where the private items of each group start;
        secrets: these,
        times: and how many of its transactions have each.
    """

    starts: Index
    items: Items
    weights: Counts
    secret_starts: Index
    secrets: Items
    times: Items


class _Members(NamedTuple):
    """The transactions of each group.

    Attributes:
        group: (n,) the group of each transaction; -1 without a public item.
        ends: (g + 1,) where the transactions of each group start among `rows`.
        rows: Transactions by group.
    """

    group: Items
    ends: Index
    rows: Index


def grouped(database: Transactions, public: Mask, private: Mask) -> Groups:
    """Transactions with the same public items, put together."""
    n, supports = len(database), database.supports
    number = np.full(public.size, _NEITHER, np.int32)
    number[public] = np.arange(public.sum())
    number[private] = _NEITHER - 1 - np.arange(private.sum())
    rows, had = _Rows(database.starts, database.cells, number), np.zeros(int(private.sum()), np.int64)
    secrets, times = np.empty((2, int(supports[private].sum())), np.int32)
    starts, weights, secret_starts = np.zeros((3, n + 1), np.int64)
    items = np.empty(int(supports[public].sum()), np.int32)
    members = np.empty(n, np.int32)
    table = np.zeros(1 << (2 * n).bit_length(), np.int32)
    g = _number(rows, Groups(starts, items, weights, secret_starts, secrets, times), members, table)
    ends = np.concatenate([[0], np.cumsum(weights[:g])])
    groups = Groups(starts[: g + 1], items[: starts[g]], weights[:g], secret_starts[: g + 1], secrets, times)
    _gather(rows, groups, _Members(members, ends, np.empty(ends[-1], np.int64)), had)
    return groups._replace(secrets=secrets[: secret_starts[g]], times=times[: secret_starts[g]])


@kernel
def _number(rows: _Rows, groups: Groups, members: Items, table: Items) -> int:
    """Number the groups, in the order of their first transactions, by a hash table of a power of two; how many."""
    starts, items, many = groups.starts, groups.items, 0
    for row in range(rows.starts.size - 1):
        end = starts[many]
        spread = 0
        for cell in range(rows.starts[row], rows.starts[row + 1]):
            item = rows.number[rows.cells[cell]]
            if item >= 0:
                items[end] = item
                end += 1
                spread = (spread ^ (item + 1)) * _PRIME
        members[row] = -1
        if end == starts[many]:
            continue
        slot = (spread ^ (spread >> 29)) & (table.size - 1)
        while table[slot] and not _is_same(groups, table[slot] - 1, starts[many], end):
            slot = (slot + 1) & (table.size - 1)
        if not table[slot]:
            many += 1
            table[slot] = many
            starts[many] = end
        members[row] = table[slot] - 1
        groups.weights[table[slot] - 1] += 1
    return many


@kernel
def _is_same(groups: Groups, group: int, top: int, end: int) -> bool:
    """Whether the items of a group are those from `top` to `end`."""
    start = groups.starts[group]
    if groups.starts[group + 1] - start != end - top:
        return False
    for place in range(end - top):  # noqa: SIM110  Numba compiles no generators without counting references
        if groups.items[start + place] != groups.items[top + place]:
            return False
    return True


@kernel
def _gather(rows: _Rows, groups: Groups, members: _Members, had: Counts) -> None:
    """Write down which private items the transactions of each group have, and how many have each."""
    starts, secrets = groups.secret_starts, groups.secrets
    for row in range(members.group.size):
        group = members.group[row]
        if group >= 0:
            members.rows[members.ends[group] + starts[group + 1]] = row
            starts[group + 1] += 1  # the rows so far, until it is overwritten
    top = 0
    for group in range(groups.weights.size):
        for row in members.rows[members.ends[group] : members.ends[group + 1]]:
            for cell in range(rows.starts[row], rows.starts[row + 1]):
                secret = _NEITHER - 1 - rows.number[rows.cells[cell]]
                if secret >= 0:
                    if had[secret] == 0:
                        secrets[top] = secret
                        top += 1
                    had[secret] += 1
        for place in range(starts[group], top):
            groups.times[place] = had[secrets[place]]
            had[secrets[place]] = 0
        starts[group + 1] = top
