"""(h,k,p)-coherence: what an attacker who knows at most p public items of a person must not learn.

A set B of public items with |B| <= p and sup(B) > 0 is a *mole* where sup(B) < k, or where some private item is in
more than the share h of the transactions that contain B. A database is coherent where no set is a mole, not even the
empty one (Xu, Wang, Fu, Yu, KDD 2008, section 2). The definition stands here once, in whole numbers: mining,
verification and reports all use it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, overload

from kohort.errors import UsageError
from kohort.schema.numbers import refuse_inexact, said

if TYPE_CHECKING:
    from kohort.arrays import Counts, Mask

#: The greatest denominator of h: products with counts of transactions stay far below 2**63.
_FINEST = 10**9


def check_h(h: Fraction) -> None:
    """Raise if `h` is no exact share."""
    refuse_inexact(h, "h")
    if not 0 <= h <= 1:
        raise UsageError("h must be a share from 0 to 1", where="h", hint="such as 0.4 for 40 %")
    if h.denominator > _FINEST:
        raise UsageError("h has more than nine digits after the point", where="h", hint="round it")


def check_count(number: object, letter: str) -> None:
    """Raise if `number`, which a caller without a type checker may have passed, is no positive integer."""
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise UsageError(f"{letter} must be a whole number of at least 1", where=letter)


@dataclass(frozen=True, slots=True)
class Coherence:
    """The promise of (h,k,p)-coherence.

    Attributes:
        h: The greatest share of a cohort that may have a private item, 0..1, exact; 1 sets no bound.
        k: The smallest number of transactions that a cohort may have.
        p: The greatest number of public items that an attacker knows.

    Raises:
        UsageError: a number is out of range, or the parameters promise nothing.

    >>> model = Coherence.of(h="0.8", k=2, p=2)
    >>> model.h, model.name
    (Fraction(4, 5), '(0.8, 2, 2)-coherence')
    >>> model.is_rare(1), model.is_breached(5, 4), model.is_breached(5, 5)
    (True, False, True)
    """

    h: Fraction
    k: int
    p: int

    @classmethod
    def of(cls, *, h: str | float | Fraction, k: int, p: int) -> Coherence:
        """The promise with `h` as it is written: a decimal, a fraction such as 2/5, or a float by its digits."""
        try:
            exact = h if isinstance(h, Fraction) else Fraction(str(h))
        except (ValueError, ZeroDivisionError):
            raise UsageError("h is not a number", where="h", hint="a share from 0 to 1, such as 0.4 or 2/5") from None
        return cls(exact, k, p)

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        check_h(self.h)
        check_count(self.k, "k")
        check_count(self.p, "p")
        if self.k == 1 and self.h == 1:
            raise UsageError("k = 1 with h = 1 promises nothing", where="k", hint="k at least 2, or h below 1")

    @property
    def name(self) -> str:
        """The model's name with its numbers; h as a decimal where that is exact."""
        return f"({said(self.h)}, {self.k}, {self.p})-coherence"

    @overload
    def is_rare(self, support: int) -> bool: ...
    @overload
    def is_rare(self, support: Counts) -> Mask: ...
    def is_rare(self, support: int | Counts) -> bool | Mask:
        """Whether a cohort of `support` transactions is below k."""
        return support < self.k

    @overload
    def is_breached(self, support: int, together: int) -> bool: ...
    @overload
    def is_breached(self, support: Counts, together: Counts) -> Mask: ...
    def is_breached(self, support: int | Counts, together: int | Counts) -> bool | Mask:
        """Whether a private item in `together` of a cohort's `support` transactions is in more than the share h."""
        return together * self.h.denominator > support * self.h.numerator
