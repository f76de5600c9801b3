"""Who knows what: the items that an attacker may know (public), those to protect (private), and the rest.

Roles are listed, or drawn for experiments: the share delta of the items is public, and of the others all are private,
or those that the rule of the paper's experiments picks.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from kohort.errors import InfeasibleError, UsageError
from kohort.errors.display import Summary
from kohort.schema.numbers import refuse_inexact
from kohort.transactions.database import held, places_of, told_absent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Mask
    from kohort.errors.display import Rows
    from kohort.transactions.database import Database


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Roles(Summary):
    """The role of each of m items; an item that is neither is released unchanged, and nobody is assumed to know it.

    Attributes:
        public: (m,) whether an attacker may know the item.
        private: (m,) whether it must not be inferred; no item is both.
    """

    public: Mask
    private: Mask

    @property
    def sizes(self) -> tuple[int, int, int]:
        """How many items are public, private, neither."""
        public, private = int(self.public.sum()), int(self.private.sum())
        return public, private, self.public.size - public - private

    def _shown(self) -> tuple[str, Rows]:
        return "Roles", [
            (name, f"{size:,}") for name, size in zip(("Public", "Private", "Neither"), self.sizes, strict=True)
        ]


class Draw(StrEnum):
    """The rule that draws private items."""

    FEASIBLE = "feasible"
    """Among the items in at most the share h of all transactions: others could not be protected at all."""
    UNIFORM = "uniform"
    """All alike: the public items are drawn, every other is private."""
    PAPER = "paper"
    """The public items are drawn; another is private if in some transaction it is the non-public item of highest
    support (equal supports: all of them)."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Listed(Summary):
    """Roles given by name.

    Attributes:
        private: The private items' names.
        public: The public items' names; the rest is neither. If it is `None`, every other item is public.
        absent: Whether names of items that are in no transaction are accepted.

    >>> from kohort.transactions.database import Transactions
    >>> roles = Listed(private=("pill",)).over(Transactions.of([["bread", "pill"], ["milk"]]), Fraction(1))
    >>> roles.public.tolist(), roles.private.tolist()
    ([True, True, False], [False, False, True])
    """

    private: tuple[str, ...] = ()
    public: tuple[str, ...] | None = None
    absent: bool = False

    def _shown(self) -> tuple[str, Rows]:
        public = "all others" if self.public is None else f"{len(self.public):,}"
        return "Listed", [("Private", f"{len(self.private):,}"), ("Public", public)]

    def __post_init__(self) -> None:
        """Refuse two roles of one item, and a text, whose letters would be taken for names."""
        for role in ("private", "public"):
            if isinstance(getattr(self, role), str):
                raise UsageError("a text is not a list of names", where=role, hint='write ("pill",) for one name')
        both = len(set(self.private) & set(self.public or ()))
        if both:
            what = f"items that are both public and private: {both}"
            raise UsageError(what, where="private", hint="an item has one role")

    def over(self, database: Database, _h: Fraction) -> Roles:
        """The roles of the database's items.

        Raises:
            UsageError: a name is of no item in any transaction.
        """
        private = self._mask(database, "private", self.private)
        return Roles(~private if self.public is None else self._mask(database, "public", self.public), private)

    def _mask(self, database: Database, role: str, names: Sequence[str]) -> Mask:
        """(m,) the items that are named."""
        places, missing = places_of(names, database.names)
        if missing and not self.absent:
            what = told_absent(missing, names, role)
            hint = "correct the names, or the form and separator of the input, or allow absent ones (--allow-absent)"
            raise UsageError(what, where=role, hint=hint)
        mask = np.zeros(len(database.names), np.bool_)
        mask[places] = True
        return mask


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """Roles for experiments: the share `delta` of the items is public, rounded half up; the others are as `draw` says.

    The same seed, items and supports give the same roles, whatever the order of the transactions.

    Attributes:
        delta: The share of public items, above 0 and at most 1.
        seed: The seed of the generator.
        draw: The rule that draws private items.
    """

    delta: Fraction
    seed: int = 0
    draw: Draw = Draw.FEASIBLE

    def __post_init__(self) -> None:
        """Validate the share and the seed."""
        refuse_inexact(self.delta, "delta")
        if not 0 < self.delta <= 1:
            what = "delta is the share of public items, above 0 and at most 1"
            raise UsageError(what, where="delta", hint="such as 0.4")
        if self.seed < 0:
            raise UsageError("a seed is a whole number of at least 0", where="seed")

    def over(self, database: Database, h: Fraction) -> Roles:
        """The roles of the database's items, where the attacker may infer with at most `h`.

        Raises:
            InfeasibleError: fewer items than asked for are in at most the share h of all transactions.
        """
        m, n = len(database.names), len(database)
        hidden = m - int(m * self.delta + Fraction(1, 2))
        eligible = np.arange(m)
        if self.draw is Draw.FEASIBLE:
            eligible = np.flatnonzero(database.supports * h.denominator <= n * h.numerator)
        if eligible.size < hidden:
            what = f"{hidden} items must be private, but only {eligible.size} are in at most h of all transactions"
            raise InfeasibleError(what, where="delta", hint="raise h or delta")
        others = np.zeros(m, np.bool_)
        others[np.random.default_rng(self.seed).choice(eligible, hidden, replace=False)] = True
        return Roles(~others, _foremost(database, others) if self.draw is Draw.PAPER else others)


#: How roles are given: a closed union.
RoleChoice: TypeAlias = Listed | Drawn


def _foremost(database: Database, others: Mask) -> Mask:
    """(m,) the items among `others` that have the highest support of them in some transaction."""
    database = held(database, "drawing roles by the paper's rule")
    rest = database.kept(others[database.cells])
    support = rest.supports[rest.cells]
    filled = np.flatnonzero(rest.lengths)
    highest = np.maximum.reduceat(support, rest.starts[filled]) if filled.size else support
    found = np.zeros_like(others)
    found[rest.cells[support == np.repeat(highest, rest.lengths[filled])]] = True
    return found
