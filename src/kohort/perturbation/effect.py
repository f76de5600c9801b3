"""What a perturbation did to a column, measured."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Effect:
    """A column before and after, over the records that have a value.

    Means, variances and correlations are those of the cells as they are written: rounded, within their bounds.
    Of a column of names only the counts and `linked` say something; the others are `None`.

    Attributes:
        column: Its name.
        method: The perturbation's name.
        records: Records that have a value.
        unchanged: Of those, how many have the value that they had.
        decimals: Digits after the point of the written cells, at most.
        bounds: Between which every cell lies, both included; `None` on a side that has none.
        mean: Before and after.
        variance: Before and after, with n - 1 below; `None` of a single record.
        correlation: The largest change of its correlation with another numeric column that is released, and that
            column's name; `None` where there is none.
        linked: Share of the records whose nearest neighbour among the perturbed cells is their own: what somebody finds
            who knows the cells as they were. Ties count in shares.
        reproducible: Whether the random numbers came from a seed: who knows or guesses it takes the noise off again.
    """

    column: str
    method: str
    records: int
    unchanged: int
    decimals: int | None = None
    bounds: tuple[float | None, float | None] = (None, None)
    mean: tuple[float, float] | None = None
    variance: tuple[float, float] | None = None
    correlation: tuple[float, str] | None = None
    linked: float | None = None
    reproducible: bool = False
