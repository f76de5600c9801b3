"""Cell suppression: values are released as they are, or as `*`, and as few cells as possible are.

For offices that publish exact values or none. A release generalizes nothing: each quasi-identifier has the hierarchy of
two levels, value and `*`, whatever other the schema gives it; no column may be released as ranges or on a grid.

**Classes.** Equal released tuples are a class, in which `*` is a value like any other. Every class satisfies the
models, also that of the records whose every cell is `*`; no record is left out. A class has `*` in the columns in which
its records differ, and costs its records times the weights of these columns.

**Greedy.** From one class of all records: of a class C and any value v of any column, the records with v become a
class, and so do the others, if both satisfy the models. Of all such steps the one that saves most cells, by weight, is
taken, as `kohort.algorithms.lattice.local` says in general. Equal tuples stay together. Where the classes fail together
as they are released, the release is one class.

Cost: O(m · d²) for a step on a class of m tuples, besides sorting them; there are fewer steps than classes.

**Optimum.** `kohort.algorithms.lattice.cells_optimum` proves it on small tables.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kohort.algorithms.lattice.cells_optimum import optimum, suppressed_cells
from kohort.algorithms.lattice.local import refined, released_as_nodes
from kohort.algorithms.method import Method
from kohort.algorithms.mondrian.forest import Forest, failing
from kohort.algorithms.mondrian.mondrian import require_feasible
from kohort.algorithms.mondrian.space import Space
from kohort.algorithms.problem import Solution
from kohort.algorithms.solver import refuse_missing
from kohort.specification import Specification

if TYPE_CHECKING:
    from kohort.algorithms.problem import Problem


@dataclass(frozen=True, slots=True)
class SuppressCells:
    """Cell suppression.

    Attributes:
        proven: Whether the optimum is looked for: small tables only.

    >>> SuppressCells().name, SuppressCells(proven=True).name
    ('suppress-cells', 'suppress-cells-optimal')
    """

    proven: bool = False
    full_domain = False
    nodes = True
    cells = True
    limit = None
    objective = "lm"

    @property
    def name(self) -> str:
        """As on the command line."""
        return "suppress-cells-optimal" if self.proven else "suppress-cells"

    @property
    def distinct(self) -> bool:
        """Dealing equal records needs them as one tuple."""
        return self.proven

    def solve(self, problem: Problem) -> Solution:
        """Suppress cells until every class satisfies the models.

        Raises:
            InfeasibleError: the table as a whole does not satisfy the models.
            MissingExtraError: the optimum is asked for, and the solver is not installed.
            LimitError: the optimum is asked for, and the table is too large.
        """
        if self.proven:
            refuse_missing()
        problem = released_as_nodes(problem)
        require_feasible(problem, Space.of(problem))
        whole = Forest.uncut(problem.frequency)
        greedy = refined(problem, whole)
        greedy = replace(whole.recoding, nodes=True) if failing(problem, greedy) else greedy
        if not self.proven:
            return Solution(greedy, {"suppressed_cells": suppressed_cells(greedy)})
        return optimum(problem, greedy)


SUPPRESS_CELLS = Method(
    Specification(
        key="suppress-cells",
        title="Cell suppression",
        sentence="Releases values unchanged or as `*`: few suppressed cells, found greedily.",
        properties={"proven": "never: each step is greedy"},
    ),
    lambda _: SuppressCells(),
)

SUPPRESS_CELLS_OPTIMAL = Method(
    Specification(
        key="suppress-cells-optimal",
        title="Cell suppression, optimal",
        sentence=(
            "Releases values unchanged or as `*`: the fewest suppressed cells, proven by integer "
            "programming (small tables)."
        ),
        properties={"proven": "where the solver's bound is reached, and no model but k asks for more"},
    ),
    lambda _: SuppressCells(proven=True),
)
