"""Risk figures: one file each, computed from the people in the classes of a file, and shown wherever risks are."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal

from kohort.specification import plugins

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kohort.assessment.classes import FileClasses


@dataclass(frozen=True, slots=True, eq=False)
class RiskFigure:
    """A risk figure: all that `kohort risk`, pages, dossiers, the desk and the documentation say of it.

    Attributes:
        caption: Its name for a reader, as a row of a table has it.
        sentence: What it means.
        source: The paper that defines it.
        unit: What it is: a share of the people, or a count of them.
        of: How it is computed; `None` where it does not apply to the file.
        public: What the public sees of it: rounded by this method of `kohort.report.page.audience.Reader`; empty:
            nothing.
    """

    caption: str
    sentence: str
    source: str
    unit: Literal["share", "count"]
    of: Callable[[FileClasses], float | None]
    public: Literal["", "part_of", "people"] = ""

    def text(self, value: float) -> str:
        """A value of it, for a terminal."""
        return f"{value:.1%}" if self.unit == "share" else f"{value:,}"


#: Where each figure of kohort's own is, by its key in JSON.
PLUGINS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "unique_by_two": "kohort.assessment.risk.figures.unique_by_two:UNIQUE_BY_TWO",
    }
)

#: Every figure by its key: kohort's own, then those of other packages.
FIGURES: Final[Mapping[str, RiskFigure]] = plugins("kohort.risk_figures", PLUGINS)


def figures_of(found: FileClasses) -> dict[str, float | None]:
    """Every figure of a file."""
    return {key: figure.of(found) for key, figure in FIGURES.items()}
