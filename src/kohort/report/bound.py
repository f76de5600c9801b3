"""How near a release is to the least possible loss: one figure, which runs, sweeps, comparisons and pages share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kohort.report.figures import Figures, Share

if TYPE_CHECKING:
    from kohort.algorithms.mondrian.bound import LeastLoss


class BoundFigures(Figures, frozen=True):
    """What no release of classes of k records with the same kinds of labels loses less than.

    Attributes:
        ncp: That loss, as a mean over the quasi-identifiers; an estimate where not every record was looked at.
        error: Its standard error.
        records: Records that were looked at.
        exact: Of these, how many have their least loss known, and not only a bound of it.
        times: The loss of this release over that; null where that is 0.
    """

    ncp: Share
    error: Share
    records: int
    exact: int
    times: Share | None

    @property
    def said(self) -> str:
        """How near the release is, in words."""
        if self.times is None:
            return "no release need lose anything"
        return f"at most {'about ' if self.error else ''}{self.times:,.1f} times the least possible loss"


def bound_figures(least: LeastLoss, loss: float) -> BoundFigures:
    """A bound beside the loss (NCP) of a release.

    The release itself shows that no bound is above its loss, so that a sample's estimate above it is lowered to it.

    >>> from kohort.algorithms.mondrian.bound import LeastLoss
    >>> bound_figures(LeastLoss(ncp=0.1, error=0.01, records=200, exact=200, columns=2), 0.25).times
    2.5
    >>> bound_figures(LeastLoss(ncp=0.1, error=0.01, records=200, exact=200, columns=2), 0.09)
    BoundFigures(ncp=0.09, error=0.01, records=200, exact=200, times=1.0)
    """
    ncp = min(least.ncp, loss)
    return BoundFigures.from_attributes(least, ncp=ncp, times=loss / ncp if ncp else None)
