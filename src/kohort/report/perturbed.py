"""The figures of perturbed columns and of pseudonyms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kohort.perturbation.text import METHODS
from kohort.report.figures import Figures
from kohort.shown import Number, Share

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kohort.perturbation.effect import Effect


class Moved(Figures, frozen=True):
    """A moment before and after; `drift`: the share by which it moved, null where it was 0."""

    before: Number
    after: Number
    drift: Number | None


class CorrelationFigures(Figures, frozen=True):
    """The correlation that changed most: with which column, and by how much."""

    with_: str
    change: Number


class EffectFigures(Figures, frozen=True):
    """What perturbation did to a column: the parts of `kohort.perturbation.effect.Effect`; null: does not apply."""

    column: str
    method: str
    records: int
    unchanged: int
    decimals: int | None
    bounds: tuple[Number | None, Number | None]
    mean: Moved | None
    variance: Moved | None
    correlation: CorrelationFigures | None
    linked: Share | None
    reproducible: bool


class PerturbationFigures(Figures, frozen=True):
    """A perturbed table: what `kohort perturb` did, and what it does not promise.

    Attributes:
        records: Records of the table.
        perturbed: What perturbation did to each column.
        warning: What perturbation is not.
        release: The path of the perturbed table; null of a dry run.
        sha256: The digest of its bytes.
        verified: Whether it was read again and verified.
    """

    records: int
    perturbed: tuple[EffectFigures, ...]
    warning: str
    release: str | None
    sha256: str | None
    verified: bool


def outcome(columns: Sequence[str], methods: Mapping[str, str]) -> str:
    """How columns are released, in the word of the perturbation that changed one of them, else `unchanged`.

    >>> outcome(["income"], {"income": "rounding to multiples of 50"}), outcome(["town"], {})
    ('rounded', 'unchanged')
    """
    changed = [methods[name] for name in columns if name in methods]
    if not changed:
        return "unchanged"
    method = changed[0].replace("-", " ")
    of = [one for key, one in METHODS.items() if key.replace("-", " ") in method]
    return next((one.specification.outcome for one in of if one.specification.outcome), f"with {changed[0]}")


def effect_figures(effects: Sequence[Effect]) -> tuple[EffectFigures, ...]:
    """What was done to each perturbed column, and what that did."""
    return tuple(
        EffectFigures.from_attributes(
            one, mean=_moved(one.mean), variance=_moved(one.variance), correlation=_correlation(one.correlation)
        )
        for one in effects
    )


def _correlation(found: tuple[float, str] | None) -> CorrelationFigures | None:
    if found is None:
        return None
    change, column = found
    return CorrelationFigures(with_=column, change=change)


def _moved(pair: tuple[float, float] | None) -> Moved | None:
    """A figure before and after, and how far it moved."""
    if pair is None:
        return None
    before, after = pair
    drift = None if before == 0 else abs(after - before) / abs(before)
    return Moved(before=before, after=after, drift=0.0 if before == after else drift)
