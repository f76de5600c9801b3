"""C_AVG against k, up to 100: Mondrian, strict and relaxed, on UCI Adult."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from docs.papers.workbench import UNKNOWN, Work, Workbench, shown, table
from tests.papers.test_mondrian_adult import COMPARED, cost, read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kohort.algorithms.mondrian.mondrian import Cut

PICTURE: Final = "paper-c_avg.svg"

METHODS: Final = ("mondrian", "mondrian-relaxed")
CUTS: Final = ("nearest", "median")

SWEEP: Final = (
    "kohort sweep adult.csv --rest drop --order sorted --no-grid --labels own",
    "--quasi age,workclass,education-num,marital-status,occupation,race,sex,native-country",
    "--vary k=2,5,10,20,30,40,50,60,70,80,90,100",
    f"--vary method={','.join(METHODS)} --vary cut={','.join(CUTS)}",
    f"--out averages.json --audience internal --picture {PICTURE} --figure c_avg",
)

#: The losses at k = 5 that semantics.md records, as a mean range of codes, and the form of Mondrian.
RECORDED: Final[tuple[tuple[str, Cut, bool, str], ...]] = (
    ("strict, nearest cut", "nearest", False, ".0491"),
    ("relaxed, as in the textbook", "median", True, ".1054"),
    ("relaxed, as recommended", "nearest", True, ".0477"),
)


def section(bench: Workbench) -> str:
    """The curve, and what else is recorded of the comparison."""
    bench.fetch("adult.csv")
    bench.type([*SWEEP, "--quiet"])
    points = bench.read("averages.json")["points"]
    of = {tuple(point["values"].values()): point["metrics"] for point in points}
    forms = [(method, cut) for method in METHODS for cut in CUTS]
    ks = list(dict.fromkeys(k for k, _, _ in of))
    named = [f"{method}, {cut}" for method, cut in forms]
    averages = ([k, *(f"{of[k, *form]['c_avg']:.4f}" for form in forms)] for k in ks)
    losses = ([k, *(f"{of[k, *form]['lm']:.4f}" for form in forms)] for k in ks)
    return f"""
C_AVG is the mean size of a class divided by k (LeFevre, DeWitt, Ramakrishnan, ICDE 2006); 1 is the least possible.

**C_AVG.** {UNKNOWN.capitalize()} as printed; the true curve, on eight columns of UCI Adult:

{shown(SWEEP)}

![C_AVG against k: the nearest cuts stay near 1.4; the median forms fall or jump.](images/{PICTURE})

{table(["k", *named], averages)}

C_AVG need not grow with k, for k divides it. The relaxed median form halves every class until a half would have fewer
than k records, so all its classes have nearly one size, and the line jumps wherever k passes it. LM beside it shows
that a low C_AVG is not a low loss:

{table(["k", *named], losses)}

**Losses at k = 5.** The mean range of codes over eight columns, as semantics.md records it; kohort's own forms of
Mondrian come within 0.0003 of all three:

{table(["Mondrian", "as recorded", "kohort", "why they differ"], _losses(bench))}

**Could not be had.** Our sources have no point of the printed curve, nor the columns and the form of Mondrian that it
is of. The three losses come without the names of their columns: {", ".join(COMPARED)} reproduce them.
"""


def _losses(bench: Workbench) -> Iterator[tuple[object, ...]]:
    adult = read(bench.folder / "adult.csv", COMPARED, numeric=frozenset())
    for name, cut, relaxed, recorded in RECORDED:
        found = cost(adult, 5, cut, relaxed=relaxed).lm_range / len(COMPARED)
        yield name, recorded, f"{found:.4f}".lstrip("0"), "the columns and the order of ties are not recorded"


WORK: Final = Work(title="C_AVG against k", needs_data=True, pictures=(PICTURE,), section=section)
