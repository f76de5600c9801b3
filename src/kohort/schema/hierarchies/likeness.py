"""Hierarchies of names by how alike their people are: values merged in pairs, after what is known of them elsewhere.

Two values are alike if the other columns are distributed alike among their people: `Masters` beside `Prof-school`,
`Guatemala` beside `El-Salvador`. The pair with the least (n1 + n2) times the Jensen-Shannon divergence is merged, again
and again (Slonim, Tishby: Agglomerative Information Bottleneck, NIPS 1999). The other columns are the six of most
mutual information, less what chance alone gives; numbers count by fifths of the people, of many names the twelve most
frequent. Distributions are smoothed by the whole table's, as if five more people were like it.

Values of fewer than k people say too little, and their names may be those of single people: they are one branch, whose
label lists none of them. The tree comes from the data, and is marked so. Ties go to the value that comes first by text,
so the order of records does not matter. Cost: O(v^3) steps of NumPy for v values that k people have, v of them at most
1,000.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np

from kohort.schema.hierarchy import SUPPRESSED, Hierarchy
from kohort.schema.nesting import set_label
from kohort.schema.numbers import exact, is_numeric_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from kohort.arrays import Counts, Index

    #: (v, parts) how many people have each value and are in each part of another column.
    Table: TypeAlias = NDArray[np.int64]

#: Columns that say how alike values are, fifths of numbers, names that count by themselves, and people like the table.
COLUMNS: Final = 6
PARTS: Final = 5
NAMES: Final = 12
SMOOTHED: Final = 5

#: Values that are compared in pairs; rarer ones join those of fewer than k people.
MOST: Final = 1000

#: Values that are compared in pairs for their companions.
COMPARED: Final = 256

#: How many nodes a level has at most, of those of the level below: enough levels for any label, few enough to search.
SHRINK: Final = 0.75

#: Names that a label lists; of more it lists the first three, and how many others there are.
LISTED: Final = 8

#: Costs are compared in whole units of this part of a nat, so that rounding on one machine or another changes nothing.
UNIT: Final = 2.0**-20


def alike(
    values: Sequence[str],
    codes: Index,
    others: Sequence[tuple[Sequence[str], Index]],
    *,
    k: int,
    people: Counts | None = None,
    name: str = "",
) -> Hierarchy:
    """The hierarchy of values whose people are alike.

    Args:
        values: The distinct values, without a missing one.
        codes: (n,) the value of each record.
        others: Of each other column its distinct values, and (n,) the value of each record.
        k: Values of fewer people are one branch.
        people: How many have each value; `None` where each record is a person.
        name: The attribute, for messages.

    >>> codes, city = np.repeat(np.arange(4), 50), np.repeat(np.array([0, 1, 0, 1]), 50)
    >>> alike(["a", "b", "c", "d"], codes, [(["Bari", "Rome"], city)], k=5).labels[1:3]
    (('{a, c}', 'b', 'd'), ('{a, c}', '{b, d}'))
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    texts, of = [values[one] for one in order], place[codes]
    counts = np.bincount(of, minlength=len(texts)) if people is None else people[order]
    frequent = np.lexsort((np.arange(counts.size), -counts))[:MOST]
    kept = np.sort(frequent[counts[frequent] >= k])
    node = np.full(len(texts), kept.size)  # the rare ones are one more
    node[kept] = np.arange(kept.size)
    nodes = kept.size + (kept.size < len(texts))
    rare = kept.size if nodes > kept.size else -1
    parts = _parts(nodes, _merges(node[of], nodes, [_binned(*other) for other in others]), themselves=rare >= 0)
    rows = [[text] for text in texts]
    for part in parts:
        for group in part:
            inside = np.flatnonzero(np.isin(node, group)).tolist()
            label = _label([texts[at] for at in inside if node[at] != rare], len(inside), some_rare=rare in group)
            for at in inside:
                rows[at].append(label)
    return Hierarchy.from_rows(([*row, SUPPRESSED] for row in rows), name=name, data_dependent=True)


def _binned(texts: Sequence[str], codes: Index) -> Index:
    """(n,) which part of another column each person is in."""
    counts = np.bincount(codes, minlength=len(texts))
    numbers = is_numeric_text([text for text in texts if text])
    if numbers and len(texts) > NAMES:
        ranked = sorted(range(len(texts)), key=lambda one: (texts[one] != "", exact(texts[one] or "0")))
    else:
        ranked = sorted(range(len(texts)), key=lambda one: (-int(counts[one]), texts[one]))
    found: Index = parts_of(ranked, counts, numbers=numbers)[codes]
    return found


def _label(names: list[str], many: int, *, some_rare: bool) -> str:
    """What a node is called: after its values, but never after the rare ones."""
    listed = names if len(names) <= LISTED else names[:3]
    more = many - len(listed)
    word = f"{more} {'rare' if some_rare and len(listed) == len(names) else 'more'}"
    return set_label([*listed, *([word] if more else [])])


def companions(texts: Sequence[str], counts: Counts, tables: Callable[[Index], Sequence[Table]]) -> Index:
    """(v,) the group of each value: it and its companion, whose people are most like its own.

    Groups are of two, or of three where the number of values is odd. The `COMPARED` values of most people are paired in
    the order of what merging them costs; the rarer ones, and those of under `SMOOTHED` people, of whom too little is
    known, as they follow each other as texts.

    Args:
        texts: (v,) the values; "" is a missing one.
        counts: (v,) how many people have each.
        tables: Of each other column a table of its parts with these values, which are given by their places.

    Returns:
        -1 for a value that nobody has, that is missing or that is the only one.

    >>> city = np.array([[50, 0], [0, 50], [50, 0], [0, 50]])
    >>> companions(["a", "b", "c", "d"], np.full(4, 50), lambda some: [city[some]]).tolist()
    [1, 2, 1, 2]
    """
    there = np.array(
        sorted((at for at in np.flatnonzero(counts).tolist() if texts[at]), key=texts.__getitem__), np.int64
    )
    found = np.full(len(texts), -1)
    if there.size < 2:  # noqa: PLR2004  it has no companion
        return found
    ranked = there[np.argsort(-counts[there], kind="stable")]
    many = int(np.count_nonzero(counts[ranked[:COMPARED]] >= SMOOTHED))
    many = 0 if many == 1 else many + (many and (there.size - many) % 2)
    compared = np.isin(there, ranked[:many])
    kept, others = there[compared], there[~compared]
    number = max(others.size // 2, 1)
    found[others] = np.minimum(np.arange(others.size) // 2, number - 1)
    if many:
        found[kept] = number + _pairs(_Compared.of(counts[kept], tables(kept)).dear)
    return found


def _pairs(dear: NDArray[np.float64]) -> Index:
    """(v,) the pair of each value, the cheapest first; the last of an odd number joins the pair of its nearest."""
    many, free, found = len(dear), dear.copy(), np.full(len(dear), -1)
    for number in range(many // 2):
        pair = list(divmod(int(free.argmin()), many))
        found[pair] = number
        free[pair] = free[:, pair] = np.inf
    for left in np.flatnonzero(found < 0).tolist():
        found[left] = found[np.minimum(dear[left], dear[:, left]).argmin()]
    return found


def parts_of(ranked: Sequence[int] | Index, counts: Counts, *, numbers: bool) -> Index:
    """(v,) which part of a column each of its values is in: fifths of numbers, and of many names the frequent ones."""
    many = len(ranked)
    if numbers and many > NAMES:
        middle = np.cumsum(counts[ranked]) - counts[ranked] / 2
        parts = (PARTS * middle / counts.sum()).astype(np.int64)
    else:
        parts = np.minimum(np.arange(many), NAMES if many > 40 else many)  # noqa: PLR2004
    of = np.empty(many, np.int64)
    of[ranked] = parts
    return of


class _Compared(NamedTuple):
    """Values, and what merging two of them costs.

    Attributes:
        held: (v, w) the shares of each one's people in the parts of the columns that say most.
        sizes: (v,) the people of each.
        dear: (v, v) the cost of each pair, at the place of the first; infinite elsewhere.
    """

    held: NDArray[np.float64]
    sizes: NDArray[np.float64]
    dear: NDArray[np.float64]

    @classmethod
    def of(cls, people: Counts, tables: Sequence[Table]) -> _Compared:
        """By tables of values with the parts of other columns."""
        told = sorted(range(len(tables)), key=lambda one: (-round(_told(tables[one]) / UNIT), one))[:COLUMNS]
        shares = [
            (tables[one] + SMOOTHED * tables[one].sum(axis=0) / people.sum()) / (people[:, np.newaxis] + SMOOTHED)
            for one in told
        ]
        number = people.size
        held, sizes = np.concatenate([np.ones((number, 1)), *shares], axis=1), people.astype(np.float64)
        dear = np.stack([_raised(held, sizes, one) for one in range(number)]) if number else np.empty((0, 0))
        dear[np.tril_indices(number)] = np.inf
        return cls(held, sizes, dear)


def table_of(values: Index, number: int, parts: Index, width: int, counts: Counts | None = None) -> Table:
    """(number, width) how many people have each value and are in each part of another column."""
    found = np.bincount(values * width + parts, counts, number * width).astype(np.int64)
    return found.reshape(number, width)


def _merges(nodes: Index, number: int, others: Sequence[Index]) -> list[tuple[int, int]]:
    """The pairs that are merged, one after another; the second is in the first from then on."""
    people: Counts = np.bincount(nodes, minlength=number)
    held, sizes, dear = _Compared.of(
        people, [table_of(nodes, number, one, int(one.max()) + 1) for one in others if one.size]
    )
    merged = list[tuple[int, int]]()
    alive = np.ones(number, np.bool_)
    for _ in range(number - 1):
        first, second = divmod(int(dear.argmin()), number)
        merged.append((first, second))
        total = sizes[first] + sizes[second]
        held[first] = (sizes[first] * held[first] + sizes[second] * held[second]) / max(total, 1)
        sizes[first] = total
        alive[second], dear[second], dear[:, second] = False, np.inf, np.inf
        again = np.where(alive, _raised(held, sizes, first), np.inf)
        dear[first, first + 1 :], dear[:first, first] = again[first + 1 :], again[:first]
    return merged


def _told(table: Counts) -> float:
    """The mutual information of a table of two columns, less what chance gives."""
    whole = table.sum()
    share = table / whole
    alone = share.sum(axis=1, keepdims=True) @ share.sum(axis=0, keepdims=True)
    some = share > 0
    rows, columns = (int(np.count_nonzero(table.sum(axis=axis))) for axis in (1, 0))
    return float((share[some] * np.log(share[some] / alone[some])).sum() - (rows - 1) * (columns - 1) / (2 * whole))


def _raised(held: NDArray[np.float64], sizes: NDArray[np.float64], one: int) -> NDArray[np.float64]:
    """What merging a node with each costs: their people times the divergence, in whole units."""
    total = sizes + sizes[one]
    share = (sizes / np.maximum(total, 1))[:, np.newaxis]
    mixed = _entropy(share * held + (1 - share) * held[one])
    apart = mixed - share[:, 0] * _entropy(held) - (1 - share[:, 0]) * _entropy(held[[one]])
    units: NDArray[np.float64] = np.rint(total * apart / UNIT)
    return units


def _entropy(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    found: NDArray[np.float64] = -(shares * np.log(np.maximum(shares, 1e-300))).sum(axis=1)
    return found


def _parts(number: int, merges: Sequence[tuple[int, int]], *, themselves: bool) -> Iterator[list[list[int]]]:
    """The groups of each level up to two groups; first the nodes by themselves, if asked for."""
    groups, wanted = {node: [node] for node in range(number)}, number
    if themselves:
        yield [*groups.values()]
    for first, second in merges:
        wanted = min(wanted, max(int(SHRINK * len(groups)), 2)) if wanted >= len(groups) else wanted
        groups[first] += groups.pop(second)
        if len(groups) == wanted:
            yield [*groups.values()]
