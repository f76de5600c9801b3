"""What an algorithm gets and what it gives: integers in, integers out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.domain import Domain
    from kohort.frequency import FrequencySet
    from kohort.models.base import PrivacyModel
    from kohort.recoding import Recoding


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Turn this frequency set into a recoding whose classes satisfy all models.

    Attributes:
        frequency: t weighted tuples over d quasi-identifiers.
        domains: (d,) what the codes of each quasi-identifier mean.
        models: the privacy models, a conjunction; at least one.
        threads: how many threads may be used; the answer is the same for any number.
    """

    frequency: FrequencySet
    domains: tuple[Domain, ...]
    models: tuple[PrivacyModel, ...]
    threads: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """A recoding, and what the search counted on the way.

    Attributes:
        recoding: what becomes of every tuple.
        trace: counters by name (cuts tried, leaves, depth, nodes …), for reports and curiosity.
        proven: whether the algorithm proves its answer optimal.
    """

    recoding: Recoding
    trace: Mapping[str, int] = field(default_factory=dict[str, int])
    proven: bool = False


class Algorithm(Protocol):
    """A published algorithm: a pure function object."""

    @property
    def name(self) -> str:
        """As on the command line: `mondrian`."""
        ...

    @property
    def distinct(self) -> bool:
        """Whether it needs a frequency set whose tuples are distinct, sensitive values included."""
        ...

    def solve(self, problem: Problem) -> Solution:
        """Solve `problem`.

        Raises:
            InfeasibleError: no recoding meets the models.
        """
        ...
