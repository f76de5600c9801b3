"""Reads the labels of names: which names does each stand for?

    Milano          this name
    Nord            the leaves below every node called so
    {Bari, Roma}    one of these; `(missing)` is the missing value
    [A-C]           the names from one to the other in their order
    *               any name of the domain

The domain is the hierarchy's leaves, else the names that were observed before; a missing value is one of it. Where
there is no hierarchy, a name that was not there before is a new one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kohort.assessment.comparison.line import Line, Stretches
from kohort.assessment.labels import covers, labels_at_once, leaves_below
from kohort.errors import InputError
from kohort.schema.hierarchy import SUPPRESSED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Index, Mask
    from kohort.assessment.comparison.line import Known, Labelled, Stretch
    from kohort.schema.hierarchy import Hierarchy


def names_line(known: Known, before: Labelled, after: Labelled) -> Line:
    """The line of a column of names: in the order of the leaves, then by frequency.

    Raises:
        InputError: labels that cannot be read; the message counts them.
    """
    leaves = () if known.hierarchy is None else known.hierarchy.leaves
    places = [*leaves, *_by_frequency(before, leaves)]
    at = {name: float(place) for place, name in enumerate(places)}
    old = Stretches.at(np.array([at[text] for text in before.texts], dtype=np.float64))
    if not leaves and all(text in at for text in after.texts):  # released as they were
        new, fresh = Stretches.at(np.array([at[text] for text in after.texts], dtype=np.float64)), list[str]()
    else:
        new, fresh = _read(known, places, after.texts)
    return Line(
        known,
        before.side(old),
        after.side(new),
        numeric=False,
        places=(*places, *fresh),
        leaves=len(leaves),
    )


def _by_frequency(before: Labelled, leaves: Sequence[str]) -> list[str]:
    """The names that are no leaves, the most frequent first, ties by text."""
    records = dict.fromkeys(sorted(before.texts), 0)
    for text, count in zip(before.texts, before.records.tolist(), strict=True):
        records[text] += count
    counts = np.fromiter(records.values(), np.int64, len(records))
    names, known = [*records], set(leaves)
    order: list[int] = np.argsort(-counts, kind="stable").tolist()
    return [names[at] for at in order if names[at] not in known]


def _read(known: Known, places: Sequence[str], texts: Sequence[str]) -> tuple[Stretches, list[str]]:
    """What the labels stand for, and the names among them that are new, which lie behind all others."""
    meant = _meant(known, places, texts)
    fresh = sorted((at for at, stretches in enumerate(meant) if not stretches), key=texts.__getitem__)
    for number, place in enumerate(fresh, start=len(places)):
        meant[place] = [(float(number), float(number))]
    return Stretches.over(meant), [texts[place] for place in fresh]


def _meant(known: Known, places: Sequence[str], texts: Sequence[str]) -> list[list[Stretch]]:
    """What each label stands for; nothing, where it is a new name."""
    nodes = {} if known.hierarchy is None else _nodes(known.hierarchy)
    for place, name in enumerate(places):
        nodes.setdefault(name, [(place, place)])
    nodes.setdefault(SUPPRESSED, [(0, len(known.hierarchy.leaves if known.hierarchy else places) - 1)])
    found = [nodes.get(text, []) for text in texts]
    rest = [place for place, stretches in enumerate(found) if not stretches]
    step = labels_at_once(len(places))
    lost = 0
    for start in range(0, len(rest), step):
        part = rest[start : start + step]
        for place, row in zip(part, _covered(known, places, [texts[place] for place in part]), strict=True):
            found[place] = [] if row is None else runs(np.flatnonzero(row))
            lost += row is None or (known.hierarchy is not None and not found[place])
    if lost:
        raise known.unreadable(lost, len(texts))
    return found


def _covered(known: Known, places: Sequence[str], labels: Sequence[str]) -> list[Mask | None]:
    """(L,) for each label, whether it covers each place; nothing of what cannot be read."""
    order = known.domain.texts if known.domain is not None and known.hierarchy is None else None
    try:
        return [*covers(labels, places, hierarchy=known.hierarchy, order=order)]
    except InputError:  # some of them: which?
        half = len(labels) // 2
        return (
            [None]
            if not half
            else [part for some in (labels[:half], labels[half:]) for part in _covered(known, places, some)]
        )


def _nodes(hierarchy: Hierarchy) -> dict[str, list[Stretch]]:
    """The leaves below each node: below all of them, where several are called the same."""
    return {label: _joined(sorted(spans)) for label, spans in leaves_below(hierarchy).items()}


def _joined(spans: Sequence[Stretch]) -> list[Stretch]:
    """Ascending spans as stretches that do not meet.

    >>> _joined([(0, 3), (1, 1), (7, 8)])
    [(0, 3), (7, 8)]
    """
    found: list[Stretch] = []
    for low, high in spans:
        if found and low <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], high)
        else:
            found.append((low, high))
    return found


def runs(places: Index) -> list[Stretch]:
    """Ascending whole numbers as stretches.

    >>> runs(np.array([1, 2, 5]))
    [(1, 2), (5, 5)]
    """
    ends = np.flatnonzero(np.diff(places) > 1)
    first, last = places[np.append(0, ends + 1)[: places.size]], places[np.append(ends, places.size - 1)[: places.size]]
    return list(zip(first.tolist(), last.tolist(), strict=True))
