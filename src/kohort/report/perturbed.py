"""The figures of a perturbed table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kohort.perturbation.effect import Effect
from kohort.perturbation.text import METHODS
from kohort.report.figures import Figures

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


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
    perturbed: tuple[Effect, ...]
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
