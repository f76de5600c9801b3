"""The methods of the command line: an algorithm, what is said of it, and which choices it can be given."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from kohort.algorithms import PLUGINS
from kohort.core.suppression import SuppressionLimit
from kohort.errors import UsageError
from kohort.specification import ABOVE_0, Parameter, plugins, word

if TYPE_CHECKING:
    from collections.abc import Callable

    from kohort.algorithms.mondrian.dimension import Dimension
    from kohort.algorithms.mondrian.space import Cut
    from kohort.algorithms.problem import Algorithm
    from kohort.core.lattice import Node
    from kohort.specification import Plugins, Specification

#: The objective of lattice methods where none is named.
OBJECTIVE: Final = "lm"

#: Instead of a metric: Samarati's first node in lexicographic order, as in the original.
FIRST: Final = "first"

#: The parameters of methods: of Mondrian, and of those that search a lattice.
CUT: Final = Parameter(
    "cut",
    word("nearest", "median", "loss"),
    "The cuts that Mondrian tries: loss, the allowable cut that loses least (default); nearest, the allowable cut"
    " nearest the median (default for mondrian-relaxed or with dimension); or median, as in the literature.",
    ("nearest",),
    origin="beside",
)
DIMENSION: Final = Parameter(
    "dimension",
    {"type": "string"},
    "The column that Mondrian cuts first: the widest (default), the one of most-values, or random:SEED.",
    ("most-values",),
    origin="beside",
    classic=True,
)
LIMIT: Final = Parameter(
    "limit",
    {"type": "string"},
    ("The maximum number of records that a lattice method may suppress: a count such as 20, or a share, '5%' or 0.05."),
    ("5%",),
    origin="beside",
)
PREFERRED: Final = Parameter(
    "objective",
    {"type": "string"},
    "The metric that a lattice method minimizes; lm by default.",
    ("lm",),
    origin="beside",
)
NODE: Final = Parameter(
    "node",
    {"type": "string"},
    "Release these levels without a search: 0,1,2 in the order of the quasi-identifiers, or by name,"
    " age=2,sex=0,city=1.",
    ("0,1,2",),
    origin="beside",
)
TIME_LIMIT: Final = Parameter(
    "time_limit",
    ABOVE_0,
    "Seconds after which best-effort stops; 30 by default.",
    (30,),
    origin="beside",
)
LOCAL: Final = Parameter(
    "local",
    MappingProxyType({"type": "boolean"}),
    "Refine each class of the release that a lattice method finds to finer levels, where the models allow it.",
    (True,),
    origin="beside",
)
ON_LEVELS: Final = (LIMIT, PREFERRED, NODE, LOCAL)


@dataclass(frozen=True, slots=True)
class Choices:
    """What a method can be given; `None` where nothing was.

    Attributes:
        cut: Which cuts Mondrian tries.
        limit: How many records a lattice method may suppress.
        objective: The metric that it prefers releases by, or `first`.
        node: The node to release, instead of searching for one.
        dimension: Which dimension Mondrian tries first.
        local: Whether the classes that a lattice method finds are refined.
    """

    cut: Cut | None = None
    limit: SuppressionLimit | None = None
    objective: str | None = None
    node: Node | None = None
    dimension: Dimension | None = None
    local: bool | None = None


@dataclass(frozen=True, slots=True)
class Method:
    """A method by its name on the command line and in a job file.

    Attributes:
        specification: What is said of it; its key is that name, and its parameters are the choices that it takes.
        make: Makes the algorithm of choices that it takes, in which a limit and an objective are never `None` where
            they are among its parameters.
        first: Whether `first` is an objective.
    """

    specification: Specification
    make: Callable[[Choices], Algorithm]
    first: bool = False

    @property
    def name(self) -> str:
        """As on the command line."""
        return self.specification.key

    def takes(self, parameter: str) -> bool:
        """Whether it can be given this choice."""
        return any(one.name == parameter for one in self.specification.parameters)

    def __call__(self, choices: Choices) -> Algorithm:
        """The algorithm, or the node that was chosen instead.

        Raises:
            UsageError: a choice was made that it does not take.
        """
        for one in fields(choices):
            if getattr(choices, one.name) is not None and not self.takes(one.name):
                hint = f"leave {one.name} out, or choose another method"
                raise UsageError(f"{self.name} {self._why_not(one.name)}", where=one.name, hint=hint)
        if not self.takes("objective"):
            return self.make(choices)
        limit, objective = choices.limit or SuppressionLimit(), choices.objective or OBJECTIVE
        if objective == FIRST and not self.first:
            what = f"only samarati takes first, not {self.name}"
            raise UsageError(what, where="objective", hint="name a metric")
        if choices.node is not None:
            from kohort.algorithms.lattice.given import GivenNode  # noqa: PLC0415  few jobs give a node

            found: Algorithm = GivenNode(choices.node, limit, OBJECTIVE if objective == FIRST else objective)
        else:
            found = self.make(Choices(limit=limit, objective=objective))
        if not choices.local:
            return found
        from kohort.algorithms.lattice.local import LocalRecoding  # noqa: PLC0415  few are local

        return LocalRecoding(found)

    def _why_not(self, parameter: str) -> str:
        if parameter not in {CUT.name, DIMENSION.name}:
            return "has no levels and suppresses no records"
        return "makes no cuts" if self.takes("node") else "chooses its cuts itself"


#: The methods by their names on the command line and in a job file.
METHODS: Final[Plugins[Method]] = plugins("kohort.algorithms", PLUGINS)


def choices_of(algorithm: Algorithm) -> tuple[str, Choices]:
    """The name of the method, and the choices, that make this algorithm: a node's columns are left out.

    An algorithm has the name of its method, and a field for each choice that it was made of.

    Raises:
        UsageError: no method makes it.

    >>> from kohort.algorithms.lattice.samarati import Samarati
    >>> name, choices = choices_of(Samarati(objective=None))
    >>> name, choices.objective, METHODS[name](choices) == Samarati(objective=None)
    ('samarati', 'first', True)
    """
    search: Algorithm | None = getattr(algorithm, "search", None)  # of local recoding; no class need be imported
    if search is not None:
        name, choices = choices_of(search)
        return name, replace(choices, local=True)
    node: tuple[int, ...] | None = getattr(algorithm, "node", None)
    if node is not None:
        return "optimal", Choices(limit=algorithm.limit, objective=algorithm.objective, node=node)
    method = METHODS.get(algorithm.name)
    if method is not None:
        taken = [one.name for one in fields(Choices) if method.takes(one.name)]
        choices = Choices(**{name: getattr(algorithm, name, None) for name in taken})
        if method.first and choices.objective is None:
            choices = replace(choices, objective=FIRST)
        if method(choices) == algorithm:
            return method.name, choices
    what = f"no method of a job file is {algorithm.name}"
    raise UsageError(what, where="to_toml", hint=f"one of {', '.join(METHODS)}")


def on_nodes(algorithm: Algorithm) -> bool:
    """Whether it releases nodes of hierarchies and needs one for each quasi-identifier.

    Full-domain algorithms do; one whose classes are on levels of their own says so by an attribute `nodes`.
    """
    return bool(getattr(algorithm, "nodes", algorithm.full_domain))


def on_cells(algorithm: Algorithm) -> bool:
    """Whether it releases each value as it is or not at all; such an algorithm says so by an attribute `cells`."""
    return bool(getattr(algorithm, "cells", False))
