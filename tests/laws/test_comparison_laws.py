"""Comparisons, recomputed from the definitions: record by record, in plain Python, and by other libraries."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from statistics import mean, variance
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohort.assessment.comparison import compare, lines_of
from kohort.assessment.comparison.line import ColumnMetadata
from kohort.assessment.comparison.queries import workload
from kohort.assessment.comparison.reading import _Reader  # pyright: ignore[reportPrivateUsage]  what reads a released cell
from kohort.report.figures import as_json
from kohort.schema import Attribute, Role, Scale, Schema
from tests.unit.assessment.comparison.tables import REGIONS, line_of, quasi, table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from random import Random

    from kohort.assessment.comparison.line import Places

#: A released label, and the values that it stands for, each as likely as the others.
Label = tuple[str, list[Fraction]]


def text_of(number: Fraction, digits: int) -> str:
    """A plain decimal."""
    return f"{float(number):.{digits}f}"


@st.composite
def numeric_columns(draw: st.DrawFn) -> tuple[list[Fraction], list[Label], int]:
    """Numbers before, labels after with what they stand for, and the decimals of the numbers."""
    digits = draw(st.sampled_from([0, 0, 1]))
    step = Fraction(1, 10**digits)
    before = [number * step for number in draw(st.lists(st.integers(-30, 60), min_size=1, max_size=12))]
    before[0] = before[0] // 1 + (1 - step)  # so that the column has its decimals
    low, high = min(before), max(before)

    def listed(first: Fraction, last: Fraction) -> list[Fraction]:
        return [first + step * at for at in range(int((last - first) / step) + 1)]

    def label(kind: str, one: Fraction, width: Fraction) -> Label:
        told, end = text_of(one, digits), text_of(one + width, digits)
        return {
            "value": (told, [one]),
            "range": (f"[{told}-{end}]", listed(one, one + width)),
            "interval": (f"[{told}-{end})", listed(one, one + width - step)),
            "below": (f"<{told}", listed(min(low, one - step), one - step)),
            "above": (f">={told}", listed(one, max(high, one))),
            "any": ("*", listed(low, high)),
            "set": (f"{{{told}, {end}}}", [one, one + width]),
        }[kind]

    made = st.builds(
        label,
        st.sampled_from(["value", "value", "range", "interval", "below", "above", "any", "set"]),
        st.integers(-40, 70).map(lambda number: number * step),
        st.integers(1, 25).map(lambda number: number * step),
    )
    return before, draw(st.lists(made, min_size=1, max_size=len(before))), digits


@given(numeric_columns())
def test_numbers_are_what_their_labels_stand_for(drawn: tuple[list[Fraction], list[Label], int]) -> None:
    """Mean and variance of midpoints, quantiles, Wasserstein's distance and bins, by listing every value of a label."""
    before, after, digits = drawn
    found = compare(
        table({"x": [text_of(one, digits) for one in before]}), table({"x": [text for text, _ in after]})
    ).attributes[0]
    for told, values in zip(
        (found.before.numeric, found.after.numeric), (before, [mean(held) for _, held in after]), strict=True
    ):
        assert told is not None
        assert told.mean == pytest.approx(float(mean(values)), abs=1e-9)
        spread = float(variance(values)) if len(values) > 1 else None
        assert told.variance == pytest.approx(spread, abs=1e-7)
        exact = np.quantile([float(value) for value in values], (0, 0.05, 0.25, 0.5, 0.75, 0.95, 1))
        assert [*told.quantiles.values()] == pytest.approx(exact.tolist(), abs=1e-9)
    mass = spread_out(after)
    stats = import_module("scipy.stats")
    moved = stats.wasserstein_distance([float(one) for one in before], [*mass], None, [*mass.values()])
    assert found.distance is not None
    assert found.distance.value == pytest.approx(moved, abs=1e-9)
    bars = [one for one in found.distribution if one.before or one.after]
    assert sum(one.before or 0 for one in bars) == len(before)
    assert sum(one.after or 0 for one in bars) == pytest.approx(len(after))
    for one in bars:
        low, high = ends_of(one.label)
        assert one.before == sum(low <= float(value) < high for value in before)
        assert one.after == pytest.approx(sum(share for value, share in mass.items() if low <= value < high))


#: Ends of ranges: steps, numbers between steps or beyond what floating point has, and what is no number.
ENDS = st.sampled_from(
    ["0", "3", "3.5", "3.50", "3.57", "-2", ".5", "007", "", "x", "9007199254740993", "1" + "0" * 120]
)


@given(ENDS, ENDS, st.integers(0, 2))
def test_a_range_read_at_once_is_what_it_means(low: str, high: str, digits: int) -> None:
    """Ranges whose ends are steps are read without fractions: to the same stretch, or not at all."""
    reader = _Reader(ColumnMetadata("x"), digits, (0, 9))
    for label in (f"[{low}-{high}]", f"[{low}-{high})", low):
        _, found = reader._ranges([label])  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  one way
        stretches = [*zip(found.low.tolist(), found.high.tolist(), strict=True)]
        assert stretches in ([], [*reader._meant(label)])  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  the other
    at, found = reader._ranges(["x", "[0-3]"])  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    assert (at.tolist(), found.low.tolist(), found.high.tolist()) == ([1], [0], [3 * 10**digits])


def spread_out(after: Sequence[Label]) -> Mapping[float, float]:
    """How many records are expected at each value."""
    found: defaultdict[float, float] = defaultdict(float)
    for _, values in after:
        for value in values:
            found[float(value)] += 1 / len(values)
    return found


def ends_of(label: str) -> tuple[float, float]:
    """Where a bin begins and ends; one of a single value just above it."""
    if not label.startswith("["):
        return float(label) - 1e-9, float(label) + 1e-9
    at = label.index("-", 2)
    return float(label[1:at]) - 1e-9, float(label[at + 1 : -1]) - 1e-9


LEAVES = [*REGIONS.leaves]

#: Labels over the regions, and the leaves that each stands for.
NAMES = {name: [name] for name in LEAVES} | {
    "Nord": LEAVES[:2],
    "Sud": LEAVES[2:],
    "*": LEAVES,
    "{Bari, Milano}": ["Milano", "Bari"],
    "[Torino-Lecce]": LEAVES[1:],
}


@given(st.lists(st.sampled_from(LEAVES), min_size=2, max_size=12), st.data())
def test_names_are_what_their_labels_stand_for(before: list[str], data: st.DataObject) -> None:
    """Ordinal moments and total variation, by listing every leaf of a label."""
    after = data.draw(st.lists(st.sampled_from([*NAMES]), min_size=2, max_size=len(before)))
    found = compare(table({"x": before}), table({"x": after}), schema=Schema((quasi("x", REGIONS),))).attributes[0]
    codes = {name: 1 + (name in LEAVES[2:]) for name in LEAVES}
    for told, labels in zip((found.before.ordinal, found.after.ordinal), (before, after), strict=True):
        assert told is not None
        values = [mean(Fraction(codes[name]) for name in NAMES[label]) for label in labels]
        assert told.mean == pytest.approx(float(mean(values)))
        assert told.variance == pytest.approx(float(variance(values)), abs=1e-12)
    held = [NAMES[label] for label in after]
    shares = {name: sum((Fraction(name in one, len(one)) for one in held), Fraction(0)) for name in LEAVES}
    moved = sum(abs(Fraction(before.count(name), len(before)) - shares[name] / len(after)) for name in LEAVES) / 2
    assert found.distance is not None
    assert found.distance.value == pytest.approx(float(moved), abs=1e-12)


def records(draw: st.DrawFn, most: int) -> list[tuple[str, str, str]]:
    """Records of two numbers and a name."""
    one = st.tuples(st.integers(0, 9).map(str), st.integers(0, 4).map(str), st.sampled_from("abc"))
    return draw(st.lists(one, min_size=2, max_size=most))


@given(st.composite(lambda draw: records(draw, 15))())
def test_associations_of_values_are_those_of_the_textbook(rows: list[tuple[str, str, str]]) -> None:
    """Pearson by NumPy; V and the correlation ratio by their definitions; of the table itself nothing changes."""
    cells = dict(zip("xyz", map(list, zip(*rows, strict=True)), strict=True))
    cells["w"] = [one + other for one, other in zip(cells["z"], cells["y"], strict=True)]
    found = {one.columns: one for one in compare(table(cells), table(cells)).associations}
    assert all(one.change is None or abs(one.change) < 1e-12 for one in found.values())
    x, y = (np.array(cells[name], dtype=float) for name in "xy")
    told = found["x", "y"].before
    assert (told is None) == (x.std() == 0 or y.std() == 0)
    if told is not None:
        assert told == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-9)
    assert found["x", "z"].before == pytest.approx(ratio(x, cells["z"]), abs=1e-9)
    assert found["z", "w"].before == pytest.approx(cramer(cells["z"], cells["w"]), abs=1e-9)


def ratio(amounts: Places, names: Sequence[str]) -> float | None:
    """The correlation ratio."""
    if len(set(names)) == 1 or amounts.std() == 0:
        return None
    parts = [amounts[np.array(names) == name] for name in set(names)]
    between = sum(part.size * (part.mean() - amounts.mean()) ** 2 for part in parts)
    return float((between / (amounts.size * amounts.var())) ** 0.5)


def cramer(one: Sequence[str], other: Sequence[str]) -> float | None:
    """Cramér's V."""
    if min(len(set(one)), len(set(other))) == 1:
        return None
    pairs = [*zip(one, other, strict=True)]
    square = 0.0
    for a in set(one):
        for b in set(other):
            expected = one.count(a) * other.count(b) / len(pairs)
            square += (pairs.count((a, b)) - expected) ** 2 / expected
    return float((square / len(pairs) / (min(len(set(one)), len(set(other))) - 1)) ** 0.5)


@given(st.composite(lambda draw: records(draw, 12))(), st.integers(0, 5), st.randoms())
def test_the_order_of_records_does_not_show(rows: list[tuple[str, str, str]], seed: int, random: Random) -> None:
    """The same records in another order give the same figures, those of random queries too."""
    released = [("[0-4]" if int(x) < 5 else "[5-9]", y, z) for x, y, z in rows]
    schema = Schema((quasi("x"), quasi("z"), Attribute("y", Role.SENSITIVE)))
    told: list[object] = []
    for _ in range(2):
        old, new = (
            table(dict(zip("xyz", map(list, zip(*part, strict=True)), strict=True))) for part in (rows, released)
        )
        lines = lines_of(old, new, schema=schema)
        asked = workload([line for line in lines if line.name != "y"], 20, seed=seed)
        told.append(as_json(replace(compare(old, new, schema=schema), queries=asked)))
        random.shuffle(rows)
        random.shuffle(released)
    assert told[0] == told[1]


@given(numeric_columns(), st.integers(-40, 80), st.integers(0, 40))
def test_what_lies_within_is_counted(drawn: tuple[list[Fraction], list[Label], int], low: int, width: int) -> None:
    """The share of each label between two places, by listing its values."""
    before, after, digits = drawn
    line = line_of([text_of(one, digits) for one in before], [text for text, _ in after])
    found = dict(zip(line.after.texts, line.after.means.within(low, low + width).tolist(), strict=True))
    for text, values in after:
        inside = sum(low <= value * 10**digits <= low + width for value in values)
        assert found[text] == pytest.approx(inside / len(values))


@st.composite
def sets_of_names(draw: st.DrawFn) -> tuple[list[str], list[tuple[str, set[str]]]]:
    """Names before, and sets after with their members: known or not, quoted, missing, listed twice, spelled anew."""
    names = draw(st.lists(st.sampled_from(["", "1.0", "2", "a", "b, c", "d e", "(f)", "01"]), min_size=1, unique=True))
    spelled = {"": "(missing)", "b, c": '"b, c"', "1.0": "1.00"}
    members = st.lists(st.sampled_from([*names, "g", "1.0"]), min_size=2, max_size=6)
    sets = draw(st.lists(members, min_size=1, max_size=len(names)))
    return names, [(f"{{{', '.join(spelled.get(one, one) for one in listed)}}}", {*listed}) for listed in sets]


@given(sets_of_names())
def test_a_set_stands_for_those_of_its_members_that_there_are(
    drawn: tuple[list[str], list[tuple[str, set[str]]]],
) -> None:
    """Each known member is as likely as the others; of a set without one, its text is a name of its own."""
    names, sets = drawn
    line = line_of(names, [text for text, _ in sets], Attribute("x", Role.QUASI, Scale.CATEGORICAL))
    place = {name: at for at, name in enumerate(line.places)}
    means = line.after.means
    for code, (text, listed) in zip(line.after.codes.tolist(), sets, strict=True):
        held = {place[one] for one in listed & {*names}} or {place[text]}
        some = means.of == code
        stretches = zip(means.low[some].tolist(), means.high[some].tolist(), means.share[some].tolist(), strict=True)
        found = {
            at: share / (high - low + 1) for low, high, share in stretches for at in range(int(low), int(high) + 1)
        }
        assert found == pytest.approx(dict.fromkeys(held, 1 / len(held)))
