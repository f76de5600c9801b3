"""What public cut points change: the losses and the exposed values of a release with grids and without."""

from __future__ import annotations

from dataclasses import dataclass

from kohort.errors.display import Share  # noqa: TC001  pydantic reads what fields are


@dataclass(frozen=True, slots=True)
class LabelExposure:
    """What a release loses, and what its labels expose.

    Attributes:
        lm: Iyengar's loss metric.
        exposed: People whose exact value a label reveals.
        range_exposure: Those of them whose value an end of a range reveals.
        downcoded: Share of the released cells of the columns with a grid whose exact value the label reveals.
    """

    lm: Share
    exposed: int
    range_exposure: int
    downcoded: Share


@dataclass(frozen=True, slots=True)
class GridComparison:
    """A job with grids and without.

    Attributes:
        with_: The figures with them; `None` where no release can meet the models.
        without: The figures without them; likewise.
        grids: The grid of each attribute that has one, as `--grid` takes it.
        proposed: Whether kohort proposes the grids; if not, they are the job's.
    """

    with_: LabelExposure | None
    without: LabelExposure | None
    grids: dict[str, str]
    proposed: bool
