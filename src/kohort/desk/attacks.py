"""What attacks found, as the page Evidence shows it: the worst first, on one scale."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from kohort.report.page.audience import scale_end

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Attacks(NamedTuple):
    """The attacks of a dossier, each with its criterion, as its JSON has them.

    Attributes:
        claiming: Those that claim something, by how much more they find with the release than without.
        silent: Those that claim nothing.
        untried: Those that could not be tried.
        end: The end of the scale of rates.
    """

    claiming: Sequence[tuple[str, Mapping[str, Any]]]
    silent: Sequence[tuple[str, Mapping[str, Any]]]
    untried: Sequence[tuple[str, Mapping[str, Any]]]
    end: float

    @classmethod
    def of(cls, criteria: Mapping[str, Sequence[Mapping[str, Any]]]) -> Attacks:
        """Those of all criteria.

        >>> one = {"claims": 9, "rate": 0.1, "interval": [0.05, 0.12], "baseline": 0.01}
        >>> found = Attacks.of({"Linkability": [one]})
        >>> len(found.claiming), found.end
        (1, 0.2)
        """
        every = [(name, one) for name, some in criteria.items() for one in some]
        claiming = sorted(
            (pair for pair in every if pair[1].get("claims")), key=lambda pair: pair[1]["baseline"] - pair[1]["rate"]
        )
        ends = [end for _, one in claiming for end in (one["baseline"], one["rate"], one["interval"][1])]
        silent = [pair for pair in every if pair[1].get("claims") == 0]
        untried = [pair for pair in every if "untried" in pair[1]]
        return cls(claiming, silent, untried, scale_end(ends) if ends else 1.0)
