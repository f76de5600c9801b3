"""How what was asked at a point of a sweep ended."""

from __future__ import annotations

from enum import StrEnum

from kohort.errors import InfeasibleError, LimitError


class Ending(StrEnum):
    """How it ended."""

    FOUND = "found"
    """With an answer."""
    INFEASIBLE = "infeasible"
    """No release can meet the goal."""
    LIMIT = "limit"
    """A limit of memory or size was reached."""
    IMPOSSIBLE = "impossible"
    """It was skipped: what is asked does not go together."""

    @classmethod
    def of(cls, fault: InfeasibleError | LimitError) -> Ending:
        """How it ended where this was raised."""
        return cls.INFEASIBLE if isinstance(fault, InfeasibleError) else cls.LIMIT


def status_of(endings: set[Ending], *, advised: bool = True) -> int:
    """The exit status of a sweep: 0 where something has an answer, else that of what stood in the way.

    Args:
        endings: How its points ended.
        advised: Whether one of them was proposed, where one was to be; where none can be, no release meets the goal.

    >>> status_of({Ending.LIMIT, Ending.FOUND}), status_of({Ending.LIMIT, Ending.INFEASIBLE}), status_of({Ending.LIMIT})
    (0, 4, 8)
    """
    if Ending.FOUND in endings:
        return 0 if advised else InfeasibleError.exit_status
    return InfeasibleError.exit_status if Ending.INFEASIBLE in endings else LimitError.exit_status
