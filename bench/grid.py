"""Public cut points on UCI Adult: what the ends of ranges give away, with a grid and without, and what the grid costs.

    KOHORT_DATA=your-folder python -m bench.grid [--k 5 10]

Mondrian on eight quasi-identifiers, two of them numbers: with the grids that `kohort inspect` proposes for these, with
coarser ones, and with none. *Exposed* are people who alone in their class have a printed end of its range. *Given
back* are the cells of the two numbers whose label covers several values although the release tells that somebody of the
class has this one: by the labels alone. Who also knows the algorithm gets back more: the second table has the share in
all toy worlds of tests/attack_oracles. The third is on minimality there, and takes three minutes: how often somebody
who knows the people and the algorithm is surer of an illness than the half that every class keeps to.
"""

from __future__ import annotations

import argparse
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

from bench.tables import DATA
from kohort import Attribute, Job, KAnonymity, Mondrian, Role, Schema
from kohort.assessment.inspection.guesses import inspect_table
from kohort.engines.exposure import compare
from kohort.engines.pipeline import dry_run
from kohort.io import ReadOptions, read
from kohort.models.alpha_k_anonymity import AlphaKAnonymity
from kohort.schema import Scale
from tests.attack_oracles.toy import downcoding, minimality
from tests.attack_oracles.worlds import AGES, every_way, world

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.assessment.comparison.grids import LabelExposure

#: The quasi-identifiers of the classic experiment.
NUMBERS = ("age", "education-num")
NAMES = ("workclass", "marital-status", "occupation", "race", "sex", "native-country")

SOURCE = f"{DATA}/adult.csv"

#: Records of the toy tables.
TOY = 6

#: The ways whose reluctance to generalize is measured.
TOLD = (
    ("mondrian", "range"),
    ("mondrian", "grid"),
    ("mondrian-relaxed", "range"),
    ("mondrian-relaxed", "grid"),
    ("optimal", "ancestor"),
)


def job(k: int, grids: dict[str, Fraction], *, relaxed: bool) -> Job:
    """Mondrian over the eight quasi-identifiers, ages and years of education on a grid."""
    numbers = (Attribute(name, Role.QUASI, grid=grids[name]) for name in NUMBERS)
    names = (Attribute(name, Role.QUASI, scale=Scale.CATEGORICAL) for name in NAMES)
    schema = Schema((*numbers, *names), rest=Role.IDENTIFYING)
    return Job.of(schema, KAnonymity(k), algorithm=Mondrian(relaxed=relaxed))


def proposed() -> dict[str, Fraction]:
    """The grids that `kohort inspect` proposes."""
    guesses = {guess.name: guess for guess in inspect_table(read(SOURCE, ReadOptions()))}
    return {name: Fraction(guesses[name].grid or 0) for name in NUMBERS}


def line(name: str, side: LabelExposure | None, people: int) -> str:
    """The figures of one side."""
    assert side is not None  # noqa: S101  k-anonymity is met with any cuts
    ends = side.range_exposure
    return f"| {name} | {ends:,} = {ends / people:.2%} | {side.downcoded:.2%} | {side.lm:.4f} |"


def adult(k: int, grids: Sequence[dict[str, Fraction]], *, relaxed: bool) -> None:
    """Without a grid, then with each."""
    how = f"k = {k}, {'relaxed' if relaxed else 'strict'}"
    for place, grid in enumerate(grids):
        release = dry_run(SOURCE, job(k, grid, relaxed=relaxed))
        found, people = compare(release), release.table.records
        assert found is not None  # noqa: S101  the job has grids
        if not place:
            print(line(f"{how}, none", found.without, people))
        print(line(f"{how}, " + ", ".join(f"{name} {step}" for name, step in grid.items()), found.with_, people))


def toys() -> None:
    """All tables of a few records."""
    for how, label in every_way():
        found = downcoding(world(how, label), TOY)
        print(f"| {how} | {label} | {found.rate:.1%} |")


def reluctance() -> None:
    """All assignments of three illnesses to all sets of a few people."""
    half = AlphaKAnonymity("illness", Fraction(1, 2), 2)
    for how, label in TOLD:
        toy = world(how, label, half)
        found = [
            minimality(toy, tuple((age,) for age in ages), "abc", 0.5)
            for ages in combinations_with_replacement(AGES, TOY)
        ]
        releases, breached = (sum(getattr(one, name) for one in found) for name in ("releases", "breached"))
        surest = max(one.surest for one in found)
        print(f"| {how} | {label} | {breached / releases:.2%} of {releases:,} | {surest:.2f} |", flush=True)


def main() -> None:
    """Measure for every k asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--k", type=int, nargs="+", default=[5, 10])
    arguments = parser.parse_args()
    steps = proposed()
    coarse = {name: 2 * step for name, step in steps.items()}
    print("| k, method, grid | exposed | given back | LM |\n|---|---|---|---|")
    for k in arguments.k:
        for relaxed in (False, True):
            adult(k, [steps, coarse], relaxed=relaxed)
    print(f"\n| all tables of {TOY} ages | labels | given back |\n|---|---|---|")
    toys()
    print(f"\n| {TOY} people | labels | surer than 1/2 | surest |\n|---|---|---|---|")
    reluctance()


if __name__ == "__main__":
    main()
