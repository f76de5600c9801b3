"""To which step a draft rounds measures by which people could be found, one alone or two together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kohort.assessment.risk.singling import proposals, proposed, rounded_column
from kohort.verify.singling import MOST_COLUMNS, singled_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Index
    from kohort.assessment.risk.singling import RoundingProposal
    from kohort.tables.table import Column, Table

#: How often all pairs are looked at: of many, only the worst are told at once.
_ROUNDS: Final = 5


def roundings_of(
    table: Table, names: Sequence[str], *, missing: frozenset[str] = frozenset(), people: Index | None = None
) -> dict[str, RoundingProposal]:
    """The rounding of each measure that needs one, for the job to be one that a run takes.

    First those of columns that single people out alone. Then, while two columns together single out more than half of
    the people, the one of the two whose numbers change less is rounded more. Where no step does, they are left for
    somebody to decide.

    Cost: for each step that is tried, a pass over the records.

    Args:
        table: The records.
        names: The columns that are released, not generalized.
        missing: Texts that mean no value.
        people: (n,) the person of each record; `None` counts each record as a person.
    """
    found: dict[str, RoundingProposal] = {}
    released: dict[str, Column] = {}
    for name in names:
        step = proposed(table[name], missing=missing, people=people)
        released[name] = table[name] if step is None else rounded_column(table[name], step.step, missing)
        found |= {} if step is None else {name: step}
    for _ in range(_ROUNDS):
        changed = False
        for pair in _pairs([*released.values()], people):
            if not _pairs([released[name] for name in pair], people):
                continue  # since another pair was mended
            others = [released[name] for name in reversed(pair)]
            every = zip(pair, others, strict=True)
            tried = [_beside(table[name], found.get(name), other, missing, people) for name, other in every]
            possible = [(one.spread, place, one) for place, one in enumerate(tried) if one is not None]
            if possible:
                _, place, best = min(possible)
                found[pair[place]], changed = best, True
                released[pair[place]] = rounded_column(table[pair[place]], best.step, missing)
        if not changed:
            break
    return found


def _pairs(columns: Sequence[Column], people: Index | None) -> list[tuple[str, ...]]:
    """Two columns each that together single out more than half of the people."""
    if len(columns) > MOST_COLUMNS:
        return []  # too many to be looked at; a run says so
    return [one.columns for one in singled_out(columns, people) if len(one.columns) > 1 and one.most]


def _beside(
    column: Column,
    now: RoundingProposal | None,
    other: Column,
    missing: frozenset[str],
    people: Index | None,
) -> RoundingProposal | None:
    """The smallest greater step with which a column no longer singles out most people together with another."""
    for one in proposals(column, missing=missing, people=people):
        coarser = now is None or one.step > now.step
        if coarser and not _pairs([rounded_column(column, one.step, missing), other], people):
            return one
    return None
