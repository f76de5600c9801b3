"""Sweeps over tables, made by hand: figures that fall and rise as those of a real one do."""

from __future__ import annotations

from itertools import product

from kohort.job.sweeps.frame import Axis, Ending
from kohort.job.sweeps.tables import Point, TableSweep

KS = Axis("k", ("2", "5", "10", "20", "50", "100", "200"))
METHODS = Axis("method", ("mondrian", "mondrian-relaxed", "samarati"))
LIMITS = Axis("max-suppression", ("0", "20", "100", "500"))
QUASI = Axis("quasi", ("2", "3", "4", "5"))

RECORDS = 30_162


def made(
    *axes: Axis, gone: frozenset[tuple[str, ...]] = frozenset(), fixed: dict[str, str] | None = None
) -> TableSweep:
    """Every combination; `gone` ones have no release."""
    points = tuple(
        Point(values=values, ending=Ending.INFEASIBLE, why="no node is releasable") if values in gone else found(values)
        for values in product(*(axis.values for axis in axes))
    )
    names = {axis.name for axis in axes}
    stays = {"k": "10", "method": "mondrian", "max-suppression": "0", "quasi": "age,sex,education,city"}
    kept = {name: value for name, value in stays.items() if name not in names}
    return TableSweep(axes, RECORDS, kept if fixed is None else fixed, points)


def found(values: tuple[str, ...]) -> Point:
    """A release whose classes are larger, and whose loss is greater, the greater the numbers are."""
    numbers = [float(value.removesuffix("%")) for value in values if value[0].isdigit()]
    words = sum(len(value) for value in values if not value[0].isdigit())
    size = 2 + 1.4 * (numbers[0] if numbers else 5) + words / 7
    suppressed = int(sum(numbers[1:]) * 0.9)
    classes = max(1, int((RECORDS - suppressed) / size))
    lm = min(4.0, 0.2 * size**0.5 + words / 90)
    metrics = {"lm": lm, "ncp": lm / 4, "c_dm": size * RECORDS * 1.2, "c_avg": 1.3 + words / 100 + 5 / size}
    if "samarati" in values:
        metrics["precision"] = 1 - lm / 4
    return Point(
        values=values,
        metrics=metrics,
        losses={"age": lm / 4},
        released=RECORDS - suppressed,
        suppressed=suppressed,
        classes=classes,
        smallest=max(2, int(size / 1.5)),
        largest=int(3 * size),
        highest=1 / max(2, int(size / 1.5)),
        average=classes / RECORDS,
    )
