"""Samarati and Mondrian on UCI Adult: the report with tables 1 to 4."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from docs.classics import MARITAL
from docs.papers.workbench import UNKNOWN, Work, Workbench, shown, table
from tests.papers.samarati_report import NAMES, Report, adult_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kohort.core.lattice import Node

#: The settings (k, MaxSup) of which something is recorded.
SETTINGS: Final = ((5, 20), (10, 10), (10, 20), (20, 20))

#: The losses that the report prints, as semantics.md records them; of one it records the setting.
PRINTED: Final[tuple[tuple[Node, tuple[int, int], str, str], ...]] = (
    ((0, 1, 2, 1), (10, 20), UNKNOWN, "2.06250"),
    ((1, 1, 1, 1), (5, 20), "(5, 20)", "2.17675"),
    ((0, 1, 1, 2), (5, 20), UNKNOWN, "1.23991"),
)

#: The level of age at which nothing is left of it: there, as at level 0, both definitions of its loss agree.
HEIGHT: Final = 4

COMMAND: Final = (
    "kohort anonymize adult.csv --out release.csv --rest drop --quasi sex,race,marital-status,age",
    "--hierarchy sex=suppress --hierarchy race=suppress --hierarchy marital-status=marital-status.csv",
    "--hierarchy age=intervals:16..95:5,10,20 --dry-run",
)

CUTS: Final = (
    (
        "kohort sweep adult.csv --rest drop --order sorted --no-grid --labels own "
        "--vary k=10,100 --vary cut=nearest,median"
    ),
    "--quasi",
)
TWO: Final = "age,education-num"
EIGHT: Final = "age,workclass,education-num,marital-status,occupation,race,sex,native-country"


def command(method: str, k: int, limit: int) -> tuple[str, ...]:
    """What is typed for a setting."""
    return (*COMMAND[:2], f"{COMMAND[2]} --method {method} --k {k} --max-suppression {limit}")


@dataclass(frozen=True, slots=True)
class Answer:
    """A releasable node, as kohort has it."""

    suppressed: int
    classes: int
    loss: str


def node_of(levels: dict[str, int]) -> Node:
    """The levels in the order of the report."""
    return tuple(levels[name] for name in NAMES)


def answers(bench: Workbench, method: str, k: int, limit: int) -> dict[Node, Answer]:
    """The candidates of a method, the best first."""
    found = bench.figures(command(method, k, limit))["candidates"]
    return {
        node_of(one["node"]): Answer(one["suppressed"], one["classes"], f"{one['metrics']['lm']:.5f}") for one in found
    }


def section(bench: Workbench) -> str:
    """All that is known of the four tables."""
    bench.fetch("adult.csv")
    bench.write("marital-status.csv", MARITAL)
    report = Report.of(adult_of(bench.folder / "adult.csv"))
    true = {setting: answers(bench, "samarati", *setting) for setting in SETTINGS}
    best = {setting: next(iter(answers(bench, "optimal", *setting).items())) for setting in SETTINGS}
    return f"""
A report runs Samarati's algorithm (TKDE 2001) and Mondrian (ICDE 2006) on the 30,162 complete records of UCI Adult. For
Samarati's it takes sex, race, marital status and age, a lattice of 60 nodes. A node is written as the levels of these
four columns; k is the size of a class, and MaxSup the most records to suppress. The hierarchies are those of
[the classic pictures](classics.md#suppression-and-loss-against-k-and-maxsup).

{shown(command("samarati", 5, 20))}

**The printed losses.** *Re-derived* is what plain code gives that follows the report's own definitions.

{_printed(report, true)}

**All answers**, the report's by its definitions and kohort's by Samarati's. Our sources say that the report prints
other rows than the true ones at (10, 20) and (20, 20); its definitions explain both:

{table(["(k, MaxSup)", "node", "LM re-derived", "kohort: LM", "suppressed", "classes", "why"], _rows(report, true))}

**What the report left undone.** It removes no record: of its answers at (5, 20),
only {
        _kept(report)
    } is 5-anonymous if every record is kept. kohort removes the suppressed records and verifies the rest.

**The optimum.** The least height is not the least loss. Over the whole lattice, `--method optimal` proves:

{
        table(
            ["(k, MaxSup)", "node", "LM", "suppressed", "classes"],
            ([_said(one), _said(node), of.loss, of.suppressed, of.classes] for one, (node, of) in best.items()),
        )
    }

**Mondrian on the same records**, strict, with categories in sorted order. LM counts a set of names by its members.

{shown((f"{CUTS[0]}", f"{CUTS[1]} {TWO}"), (f"{CUTS[0]}", f"{CUTS[1]} {EIGHT}"))}

{table(["columns", "k", "cut", "classes", "C_DM", "C_AVG", "largest", "LM"], _cuts(bench))}

**Could not be had.** Of tables 1 to 4 our sources have the three losses above, the definitions behind them, and that
the rows at (10, 20) and (20, 20) are not the true ones. They do not say which table prints what, nor any other cell
of the four, nor any of the report's figures for Mondrian.
"""


def _printed(report: Report, true: dict[tuple[int, int], dict[Node, Answer]]) -> str:
    def rows() -> Iterator[tuple[object, ...]]:
        for node, setting, recorded, printed in PRINTED:
            answer = true[setting][node]
            twice = f"; it counts {report.violations(node, setting[0])} records on top of what they lose anyway"
            why = "its loss of age is M/80, not (M - 1)/79" + (
                twice if answer.suppressed else "; nothing is suppressed"
            )
            derived = f"{report.loss(node, setting[0]):.5f}"
            yield _said(node), recorded, printed, derived, _said(setting), answer.loss, why

    head = ["node", "printed at", "LM as printed", "re-derived", "computed at", "kohort", "why they differ"]
    return table(head, rows())


def _rows(report: Report, true: dict[tuple[int, int], dict[Node, Answer]]) -> Iterator[tuple[object, ...]]:
    for setting, ours in true.items():
        theirs = report.answers(*setting)
        for node in sorted({*theirs, *ours}, key=lambda one: (sum(one), one)):
            derived = f"{report.loss(node, setting[0]):.5f}" if node in theirs else "-"
            why = f"its bisection ends at height {sum(node)}, where nodes first disagree; {_height(ours)} is enough"
            own: tuple[object, ...] = ("-", "-", "-")
            if node in ours:
                own = (ours[node].loss, ours[node].suppressed, ours[node].classes)
                why = _why(node, ours[node]) if node in theirs else _missed(report, node, setting)
            yield _said(setting), _said(node), derived, *own, why


def _height(answers: Iterable[Node]) -> int:
    """The height of answers, which all have the same."""
    return min(map(sum, answers))


def _why(node: Node, answer: Answer) -> str:
    """Why the report gives an answer of both another loss."""
    age = ["the loss of age"] * (0 < node[-1] < HEIGHT)
    return ", and ".join(age + ["suppressed records counted twice"] * (answer.suppressed > 0))


def _missed(report: Report, node: Node, setting: tuple[int, int]) -> str:
    """Why the report lacks a releasable node."""
    k, theirs = setting[0], _height(report.answers(*setting))
    if theirs > sum(node):
        return f"it stops at height {theirs}, above the minimum"
    exact = sum(size == k for size in report.nodes[node].values())
    return f"it takes {exact} class of exactly {k} for too small"


def _kept(report: Report) -> str:
    """The answers at (5, 20) that are 5-anonymous with every record kept."""
    k, limit = SETTINGS[0]
    kept = [node for node in report.answers(k, limit) if min(report.nodes[node].values()) >= k]
    return " and ".join(map(_said, kept))


def _cuts(bench: Workbench) -> Iterator[tuple[object, ...]]:
    for names in (TWO, EIGHT):
        bench.type([*CUTS, names, "--out cuts.json --audience internal --overwrite --quiet"])
        for point in bench.read("cuts.json")["points"]:
            of: Any = point["metrics"]
            values = point["values"]
            sizes = (f"{point['classes']:,}", f"{of['c_dm']:,}", f"{of['c_avg']:.4f}", point["largest"])
            yield len(names.split(",")), values["k"], values["cut"], *sizes, f"{of['lm']:.6f}"


def _said(values: tuple[int, ...]) -> str:
    """A node or a setting as the page writes it."""
    return f"({', '.join(map(str, values))})"


WORK: Final = Work(title="Samarati and Mondrian on UCI Adult: tables 1 to 4", needs_data=True, section=section)
