"""The adviser: of all points of a sweep, the strictest whose loss is within a limit."""

from __future__ import annotations

from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from kohort.errors import UsageError
from kohort.models.known import models
from kohort.sweeps.transaction_plan import Parameter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kohort.sweeps.table_plan import Axis
    from kohort.sweeps.tables import Point, TableSweep
    from kohort.sweeps.transactions import Summary, Sweep

#: The loss of a table that a bound, and a limit, is about: a share of the detail, whatever the quasi-identifiers are.
LOSS: Final = "ncp"

#: Whether a greater value of a parameter of coherence is stricter; what else is varied is neither.
COHERENCE: Final[Mapping[str, bool]] = MappingProxyType({Parameter.H: False, Parameter.K: True, Parameter.P: True})


class Proposed(NamedTuple):
    """The strictest point of a sweep over a table, and its loss."""

    point: Point
    loss: float


def rising(name: str) -> bool | None:
    """Whether a greater value of what is varied is stricter; `None` where neither is, as of methods.

    >>> rising("k"), rising("t:salary"), rising("recursive-l:illness"), rising("method")
    (True, False, True, None)
    """
    asked = name.partition(":")[0]
    for key, kind in models().items():
        own = kind.specification.own
        for one in own:
            if asked == (key if len(own) == 1 else f"{key}-{one.name}"):
                return one.rising
    return None


def refuse_unordered(orders: Mapping[str, bool | None]) -> None:
    """Refuse to propose a point of a sweep that varies nothing that protects.

    Args:
        orders: For everything that is varied, whether a greater value is stricter.
    """
    if all(order is None for order in orders.values()):
        what = f"no value of {' and '.join(orders)} protects more than another, so none can be proposed"
        raise UsageError(what, where="at-most-loss", hint="vary a privacy model, such as k=2,5,10,20,50")


def proposed(found: TableSweep, within: float | Fraction) -> Proposed | None:
    """The strictest point within a loss; `None` where none is.

    Strictest by what is varied first, then by the next; of equally strict ones the one that loses least.
    """
    order = _strictness(found.axes)
    points = [Proposed(point, point.metrics[LOSS]) for point in found.points if point.found]
    return max(
        (one for one in points if one.loss <= within), key=lambda one: (order(one.point), -one.loss), default=None
    )


def _strictness(axes: tuple[Axis, ...]) -> Callable[[Point], tuple[Fraction, ...]]:
    """How strict a point is, by each axis that has an order."""
    signs = [(place, 1 if up else -1) for place, axis in enumerate(axes) if (up := rising(axis.name)) is not None]
    return lambda point: tuple(sign * Fraction(point.values[place]) for place, sign in signs)


def proposed_coherence(found: Sweep, within: Fraction) -> Summary | None:
    """The strictest value of a sweep over transactions with the method that loses least; `None` where none is within.

    Only what had an answer in every run counts.
    """
    sign = 1 if COHERENCE[found.plan.vary] else -1
    return max(
        (one for one in found.summaries() if len(one.distortions) == one.runs and (one.mean or 0) <= within),
        key=lambda one: (sign * one.value, -(one.mean or Fraction(0))),
        default=None,
    )
