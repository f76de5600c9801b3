"""What released columns tell of a hidden one, by the definition: everybody's others, one person after another."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: One cell for each record; nothing for a value that is missing.
Cells: TypeAlias = "Sequence[str]"


def told(released: Mapping[str, Cells], hidden: Cells, labels: Cells) -> dict[tuple[str, ...], float]:
    """Each set of one to three columns, no smaller one of which tells, with the greatest share of people told."""
    found: dict[tuple[str, ...], float] = {}
    for several in (1, 2, 3):
        for names in combinations(released, several):
            if any(found.get(fewer, 0) > 0.9 for size in range(1, several) for fewer in combinations(names, size)):
                continue
            seen = [tuple(released[name][row] for name in names) for row in range(len(hidden))]
            found[names] = max((_share(seen, [*part], labels) for part in _parts(hidden)), default=0.0)
    return found


def _parts(hidden: Cells) -> list[list[bool]]:
    """Which records are in each part."""
    values = sorted(
        {value for value in hidden if value}, key=lambda value: (float(value) if _numbers(hidden) else 0, value)
    )
    parts = [[value == one for value in hidden] for one in values]
    if _numbers(hidden):
        for cut in values[:-1]:
            parts += [[bool(value) and float(value) <= float(cut) for value in hidden]]
            parts += [[bool(value) and float(value) > float(cut) for value in hidden]]
    return parts


def _numbers(hidden: Cells) -> bool:
    return all(not value or value.lstrip("-").isdigit() for value in hidden)


def _share(seen: Sequence[tuple[str, ...]], part: Sequence[bool], labels: Cells) -> float:
    """Of the people in the part whom their label does not tell, the share who are told; 0 of fewer than ten."""
    rest = known = 0
    for person, inside in enumerate(part):
        alike = [other for other, label in enumerate(labels) if label == labels[person]]
        share = sum(part[other] for other in alike) / len(alike)
        if not inside or share > 0.9:
            continue
        rest += 1
        others = [other for other in alike if other != person and seen[other] == seen[person]]
        there = sum(part[other] for other in others)
        doubt = 2 * (len(others) - there) * len(alike) < (len(alike) - share * len(alike)) * len(others) - 1e-9
        known += doubt and share ** len(others) < 1 / 20
    return known / rest if known >= 10 else 0.0
