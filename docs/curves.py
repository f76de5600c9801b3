"""Draw what (h,k,p)-coherence costs, and what a program that counts wrongly says it costs.

    python docs/curves.py                             generated transactions: docs/images/curve-k.svg and so on
    KOHORT_DATA=FOLDER python docs/curves.py real     public databases: docs/images/curve-mushroom-k.svg and so on
    python docs/curves.py examples                    print what the mistakes do to small examples

`kohort sweep` draws the same true lines; the commands are on the page. The mistakes are in this file, each in the few
lines that it takes, beside what is right: see `Rules`.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.report.charts.lines import Line, Look, Mark
from kohort.samples.baskets import Market
from kohort.transactions.coherence import Coherence
from kohort.transactions.database import Transactions
from kohort.transactions.io import read_transactions
from kohort.transactions.io.options import BasketOptions
from kohort.transactions.release import TransactionJob
from kohort.transactions.roles import Draw, Drawn
from kohort.transactions.sweep import Plan, problem_at, sweep
from kohort.transactions.sweep_figures import chart

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.transactions.sweep import Run

#: What stays as it is, and the seeds of the roles.
DELTA = Drawn(delta=Fraction(2, 5))
BASE = TransactionJob(coherence=Coherence.of(h="0.6", k=10, p=3), roles=DELTA)
SEEDS = (1, 2, 3, 4, 5)

#: The same for public databases: few private items, as diagnoses or a class may be.
FEW = TransactionJob(coherence=Coherence.of(h="0.8", k=10, p=3), roles=Drawn(delta=Fraction(19, 20)))

#: How lines of mistakes are drawn.
WRONG: Final = (Look("#1f2933", "X", (0, (1, 2.5))), Look("#7a5b00", "P", (0, (1, 2.5))))


# --- the definition, and how it was misread ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Rules:
    """How a program counts: right as it stands. Each field is one mistake.

    Attributes:
        k_is_delta: The share of public items is put where k belongs.
        p_is: The option that sets p is not used: p is always this.
        headless: The first transaction is taken for a header.
        counts_nobody: A set of items that no transaction has counts as a mole, for 0 is less than k.
        trusts_the_ignorant: It is not asked what can be inferred by an attacker who knows nothing.
    """

    k_is_delta: bool = False
    p_is: int | None = None
    headless: bool = False
    counts_nobody: bool = False
    trusts_the_ignorant: bool = False


RIGHT = Rules()


@dataclass(frozen=True)
class Shop:
    """Transactions, each a set of items, the items' roles, and the share of them that is public."""

    rows: tuple[frozenset[int], ...]
    public: tuple[int, ...]
    private: tuple[int, ...]
    delta: Fraction

    @property
    def items(self) -> tuple[int, ...]:
        """All items with a role."""
        return (*self.public, *self.private)


def distortion(shop: Shop, model: Coherence, rules: Rules = RIGHT) -> Fraction | None:
    """What the greedy suppression by MM/IL loses; `None` where nothing can be released."""
    if rules.headless:
        shop = replace(shop, rows=shop.rows[1:])
    gone = dropped(shop, model, rules)
    if gone is None:
        return None
    return Fraction(sum(len(row.intersection(gone)) for row in shop.rows), sum(map(len, shop.rows)))


def dropped(shop: Shop, model: Coherence, rules: Rules = RIGHT) -> list[int] | None:
    """The items that are dropped, in order: those that are moles alone, then by minimal moles for each cell lost."""
    found = moles(shop, model, rules)
    if frozenset() in found:
        return None
    gone = sorted(item for one in found if len(one) == 1 for item in one)
    left = [one for one in found if len(one) > 1]
    loss = {item: sum(item in row for row in shop.rows) for item in shop.public}
    while left:
        among = {item: sum(item in one for one in left) for item in {item for one in left for item in one}}
        best = max(sorted(among), key=lambda item: Fraction(among[item], loss[item]))
        gone.append(best)
        left = [one for one in left if best not in one]
    return gone


def moles(shop: Shop, model: Coherence, rules: Rules = RIGHT) -> set[frozenset[int]]:
    """The minimal moles: sets of at most p public items that are moles, and no part of which is one."""
    k = shop.delta if rules.k_is_delta else model.k
    cohorts = {item: sum(1 << row for row, items in enumerate(shop.rows) if item in items) for item in shop.items}

    def is_mole(who: int) -> bool:
        inferred = max(((who & cohorts[item]).bit_count() for item in shop.private), default=0)
        return who.bit_count() < k or inferred > model.h * who.bit_count()

    everybody = (1 << len(shop.rows)) - 1
    if is_mole(everybody) and not rules.trusts_the_ignorant:
        return {frozenset()}
    found: set[frozenset[int]] = set()
    sound: dict[tuple[int, ...], int] = {(): everybody}
    for size in range(1, (rules.p_is or model.p) + 1):
        larger = dict[tuple[int, ...], int]()
        for known, item in product(sound, shop.public):
            one = (*known, item)
            if (known and item <= known[-1]) or any(part not in sound for part in combinations(one, size - 1)):
                continue  # it is no new set, or a part of it is a mole or never occurs
            who = sound[known] & cohorts[item]
            if not who and not rules.counts_nobody:
                continue
            if is_mole(who):
                found.add(frozenset(one))
            else:
                larger[one] = who
        sound = larger
    return found


# --- the pictures -----------------------------------------------------------------------------------------------------


def generated() -> Transactions:
    """As `kohort generate baskets --transactions 5000 --items 120 --length 8 --patterns 200` makes them."""
    market = Market.of(seed=7, items=120, length=8, patterns=200)
    return Transactions.of(line.decode().split() for some in market.batches(5_000) for line in some.text().splitlines())


def wrong(source: Transactions, plan: Plan, name: str, rules: Rules, look: Look) -> Line:
    """The line that a program with such rules draws."""
    points: list[Mark] = []
    for value in plan.values:
        runs = [run for run in plan.runs() if run.value == value]
        found = [float(one) for run in runs if (one := distortion(*shop(source, plan, run), rules)) is not None]
        if found:
            mean = sum(found) / len(found)
            points.append(Mark(float(value), mean, min(found), max(found), len(found) < len(runs)))
    return Line(name, tuple(points), look)


def shop(source: Transactions, plan: Plan, run: Run) -> tuple[Shop, Coherence]:
    """A point of a sweep, as the plain functions above take it."""
    problem = problem_at(source, plan, run)
    rows = tuple(frozenset(map(int, row)) for row in np.split(source.cells, source.starts[1:-1]))
    public, private = (tuple(np.flatnonzero(role).tolist()) for role in (problem.roles.public, problem.roles.private))
    delta = run.job.roles.delta if isinstance(run.job.roles, Drawn) else Fraction(1)
    return Shop(rows, public, private, delta), run.job.coherence


def draw(name: str, source: Transactions, plan: Plan, *mistakes: tuple[str, Rules], of: str = "generated") -> None:
    """Draw the true lines of a plan, and those of some mistakes."""
    true = chart(sweep(source, plan))
    true = replace(true, title=f"{true.title}: {of}")
    lines = [wrong(source, plan, *mistake, look) for mistake, look in zip(mistakes, WRONG, strict=False)]
    path = Path(__file__).parent / "images" / f"curve-{name}.svg"
    path.write_bytes(replace(true, lines=(*true.lines, *lines)).bytes("svg"))
    print(f"wrote {path.name}")


def from_generated() -> None:
    """Each parameter, and the mistakes that bend its curve."""
    source = generated()
    ks, hs = [5, 10, 20, 50, 100, 200, 500], ["0.05", "0.1", "0.2", "0.3", "0.4", "0.6", "0.8"]
    overwritten, unused = ("mmil, k overwritten", Rules(k_is_delta=True)), ("mmil, p unused", Rules(p_is=2))
    draw("k", source, Plan.of(BASE, "k", ks, seeds=SEEDS), overwritten)
    draw("p", source, Plan.of(BASE, "p", [1, 2, 3, 4], seeds=SEEDS), unused)
    draw("h", source, Plan.of(BASE, "h", hs, seeds=SEEDS))
    draw("delta", source, Plan.of(BASE, "delta", ["0.2", "0.4", "0.6", "0.8"], seeds=SEEDS))
    among_all = replace(BASE, roles=replace(DELTA, draw=Draw.UNIFORM))
    asked = Plan.of(among_all, "h", [f"0.{tenth}" for tenth in range(2, 10)], methods=["mmil"], seeds=SEEDS)
    draw("nothing-known", source, asked, ("mmil, not asked", Rules(trusts_the_ignorant=True)))


def from_files(folder: Path) -> None:
    """The true curves of public databases; in one of them many sets of items never occur."""
    ks = [5, 10, 20, 50, 100, 200, 500]
    nobody = ("mmil, counting nobody", Rules(counts_nobody=True))
    mushroom, clicks, t10 = (
        read_transactions(folder / "transactions" / f"{name}.dat", BasketOptions()).database
        for name in ("mushroom", "BMS-WebView-1", "T10I4D100K")
    )
    draw("mushroom-p", mushroom, Plan.of(FEW, "p", [1, 2, 3], seeds=SEEDS), nobody, of="Mushroom")
    draw("mushroom-k", mushroom, Plan.of(FEW, "k", ks, seeds=SEEDS), of="Mushroom")
    draw("bms-webview-1-k", clicks, Plan.of(FEW, "k", ks, seeds=SEEDS), of="BMS-WebView-1")
    draw("t10-p", t10, Plan.of(FEW, "p", [1, 2, 3, 4], seeds=SEEDS), of="T10I4D100K")


# --- the small examples -----------------------------------------------------------------------------------------------


def small(rows: Sequence[str], private: str) -> Shop:
    """A database of items with names of one letter."""
    public = {letter for row in rows for letter in row} - set(private)
    sets = tuple(frozenset(map(ord, row)) for row in rows)
    return Shop(sets, tuple(sorted(map(ord, public))), tuple(map(ord, private)), Fraction(2, 5))


#: Databases with the promise that is asked of them. Diseases are called 1, 2 and 3.
EXAMPLES: Final = {
    "example 1": (small(["026", "035", "12", "015", "012", "012345"], "34"), Coherence.of(h="0.5", k=3, p=3)),
    "example 2": (small(["acdfg1", "abcf2", "bdfx2", "bcgyz3", "acfg3"], "123"), Coherence.of(h="0.8", k=2, p=2)),
    "two pairs": (small(["a", "a", "b", "b"], ""), Coherence.of(h="0.8", k=2, p=2)),
    "too frequent": (small(["ax", "ax", "bx", "b"], "x"), Coherence.of(h="0.5", k=2, p=2)),
}

MISTAKES: Final = {
    "right": RIGHT,
    "k overwritten": Rules(k_is_delta=True),
    "p unused (always 1)": Rules(p_is=1),
    "first transaction lost": Rules(headless=True),
    "sets of nobody counted": Rules(counts_nobody=True),
    "empty set not asked": Rules(trusts_the_ignorant=True),
}


def told(there: Shop, model: Coherence, rules: Rules) -> str:
    """What is dropped of a small example, and what that loses."""
    seen = replace(there, rows=there.rows[1:]) if rules.headless else there
    gone = dropped(seen, model, rules)
    if gone is None:
        return "no release exists"
    return f"{' '.join(map(chr, gone)) or 'nothing'}: {distortion(there, model, rules)}"


def print_examples() -> None:
    """What each mistake makes of each example."""
    for name, (there, model) in EXAMPLES.items():
        print(f"\n{name}, {model.name}")
        for mistake, rules in MISTAKES.items():
            print(f"    {mistake:<24} {told(there, model, rules)}")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["real"]:
            from_files(Path(os.environ["KOHORT_DATA"]))
        case ["examples"]:
            print_examples()
        case _:
            from_generated()
