"""Laws of public cut points: what is printed of a number with a grid is its cell's, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from kohort import anonymize
from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.models.k_anonymity import KAnonymity
from kohort.release import Job, Release
from kohort.schema import Attribute, Role, Schema
from tests.jobs import freely

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kohort.schema import Grid

#: Every way to run Mondrian; lattice methods release nodes, and have no grid.
METHODS = [Mondrian(cut, relaxed=relaxed) for cut in ("nearest", "median") for relaxed in (False, True)]

#: Decimals that a value is written with.
DIGITS = 3

#: Where a cell begins and ends.
Cell: TypeAlias = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Declared:
    """A grid as it is declared, and its cells as they are, from 0 to 40."""

    grid: Grid
    ends: tuple[Fraction, ...]
    hierarchy: str | None = None

    @property
    def cells(self) -> list[Cell]:
        """Where each begins and ends."""
        return list(zip(self.ends, self.ends[1:], strict=False))


def stepped(step: str) -> Declared:
    """Cells of equal width, from below 0 on."""
    width = Fraction(step)
    return Declared(width, tuple(width * place for place in range(-2, int(40 / width) + 1)))


LISTED = (Fraction(0), Fraction(1, 2), Fraction(18), Fraction(40))

GRIDS = {
    "5": stepped("5"),
    "2.5": stepped("2.5"),
    "8": stepped("8"),
    "listed": Declared(LISTED, LISTED),
    "observed": Declared("hierarchy", tuple(map(Fraction, range(0, 41, 10))), "intervals:10,20"),
    "declared": Declared("hierarchy", tuple(map(Fraction, range(0, 41, 4))), "intervals:0..40:4,8"),
}

#: A record: a place in 0..1 among the cells of both numbers and one inside each, a name, and whether the number lacks.
RECORDS = st.lists(
    st.tuples(
        *[st.floats(0, 1, exclude_max=True)] * 2,
        st.sampled_from("abc"),
        st.integers(0, 9).map(lambda drawn: drawn == 0),
    ),
    min_size=4,
    max_size=24,
)


@st.composite
def worlds(draw: st.DrawFn) -> tuple[str, int, list[dict[str, str]], list[dict[str, str]]]:
    """A grid, a k, and two tables whose numbers lie in the same cells, perhaps at other places in them."""
    name = draw(st.sampled_from(sorted(GRIDS)))
    one: list[dict[str, str]] = []
    other: list[dict[str, str]] = []
    for first, second, city, lacks in draw(RECORDS):
        inside = [_chosen(GRIDS[name].cells, first), _chosen(GRIDS["5"].cells, second)]
        rows = [[_written(cell, draw(st.integers(0, 999))) for cell in inside] for _ in range(2)]
        for table, (age, size) in zip((one, other), rows, strict=True):
            table.append({"age": "" if lacks else age, "size": size, "city": city, "illness": f"i{len(table) % 3}"})
    return name, draw(st.integers(2, 4)), one, other


def _chosen(cells: Sequence[Cell], share: float) -> Cell:
    return cells[int(share * len(cells))]


def _written(cell: Cell, thousandth: int) -> str:
    """A number of the cell, with as many decimals as it takes."""
    low, high = cell
    steps = int((high - low) * 10**DIGITS)
    number = low + Fraction(thousandth * steps // 1_000, 10**DIGITS)
    return f"{float(number):.{DIGITS}f}".rstrip("0").rstrip(".")


def released(name: str, k: int, records: Sequence[Mapping[str, str]], how: Mondrian) -> Release:
    """The verified release of a table whose age has the grid called `name`, and whose size has one of 5."""
    declared = GRIDS[name]
    schema = Schema(
        (
            Attribute("age", Role.QUASI, grid=declared.grid, hierarchy=declared.hierarchy),
            Attribute("size", Role.QUASI, grid=Fraction(5)),
            Attribute("city", Role.QUASI),
            Attribute("illness", Role.SENSITIVE),
        )
    )
    return anonymize(pl.DataFrame(list(records)), freely(Job.of(schema, KAnonymity(k), algorithm=how)))


def printed_ends(release: Release, column: str) -> Iterator[Fraction]:
    """Every end of every interval that the column of a release prints."""
    frame = release.frame()
    assert isinstance(frame, pl.DataFrame)
    for label in set(frame[column].to_list()) - {"*", ""}:
        assert label.startswith("[")
        assert label.endswith(")")
        hyphen = label.index("-", 2)
        yield from (Fraction(label[1:hyphen]), Fraction(label[hyphen + 1 : -1]))


@given(st.sampled_from(METHODS), worlds())
def test_every_printed_end_is_a_cut(how: Mondrian, world: tuple[str, int, list[dict[str, str]], object]) -> None:
    """Whatever the table, the grid and the method: ends are cuts of the grid, and no record's value is exposed."""
    name, k, records, _ = world
    release = released(name, k, records, how)
    assert set(printed_ends(release, "age")) <= set(GRIDS[name].ends)
    assert all(end % 5 == 0 for end in printed_ends(release, "size"))
    assert release.verdict is not None
    assert (release.verdict.data_dependent, release.verdict.range_exposure) == (False, 0)


@given(st.sampled_from(METHODS), worlds())
def test_the_release_depends_on_cells_alone(
    how: Mondrian, world: tuple[str, int, list[dict[str, str]], list[dict[str, str]]]
) -> None:
    """Numbers that move inside their cells change no byte of the release."""
    name, k, one, other = world
    before, after = (released(name, k, records, how).frame() for records in (one, other))
    assert isinstance(before, pl.DataFrame)
    assert isinstance(after, pl.DataFrame)
    assert before.write_csv() == after.write_csv()


@given(st.integers(20, 30), st.integers(0, 10**6), st.sampled_from(["5", "0.5"]))
def test_grids_hold_beyond_62_bits(power: int, beyond: int, step: str) -> None:
    """Numbers that positions can only round are released in intervals of the grid too."""
    base = 10**power + beyond
    column = [str(base + offset) for offset in (0, 1, 7, 11, 40, 41)]
    schema = Schema((Attribute("x", Role.QUASI, grid=Fraction(step)),))
    release = anonymize(pl.DataFrame({"x": column}), Job.of(schema, KAnonymity(2)))
    assert all(end % Fraction(step) == 0 for end in printed_ends(release, "x"))
    assert 0 <= release.metrics["lm"] <= 1


def test_without_a_grid_a_moved_value_shows() -> None:
    """The law is of grids: without one, the same move changes what is printed."""
    job = Job.of(Schema.of(quasi=["x"]), KAnonymity(2))
    before, after = (anonymize(pl.DataFrame({"x": ["1", last]}), job).frame() for last in ("3", "4"))
    assert isinstance(before, pl.DataFrame)
    assert isinstance(after, pl.DataFrame)
    assert not before.equals(after)
