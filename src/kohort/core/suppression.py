"""The suppression limit: how many records a release may leave out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from kohort.errors import UsageError

#: Digits that a share may have behind its point.
DECIMALS = 30

#: A count of records; a share in percent; a share as a decimal, which always has a point.
_count = re.compile(r"[0-9]{1,18}").fullmatch
_decimals = rf"\.[0-9]{{1,{DECIMALS}}}"
_share = re.compile(rf"([0-9]{{1,3}}(?:{_decimals})?|{_decimals})%|([01]?{_decimals})").fullmatch


@dataclass(frozen=True, slots=True)
class SuppressionLimit:
    """The greatest number, or share, of records that may be suppressed.

    Attributes:
        records: The number of records; `None` if the limit is a share.
        share: The share in 0..1; `None` if the limit is a number.

    >>> [SuppressionLimit.of(said).among(30_162) for said in (20, "20", "5%", ".05", "100%")]
    [20, 20, 1508, 1508, 30162]
    """

    records: int | None = 0
    share: Fraction | None = None

    def __post_init__(self) -> None:
        """Validate the limit."""
        counted = self.share is None and type(self.records) is int and self.records >= 0
        shared = self.records is None and self.share is not None and 0 <= self.share <= 1
        if not (counted or shared):
            raise _no_limit()

    @classmethod
    def of(cls, said: int | str | SuppressionLimit) -> SuppressionLimit:
        """The limit that was said: `20` records, `5%`, or `0.05`, which is the same share."""
        match said:
            case SuppressionLimit():
                return said
            case bool():
                pass
            case int() if said >= 0:
                return cls(said)
            case str() if _count(said):
                return cls(int(said))
            case str() if found := _share(said):
                percent, decimal = found.groups()
                share = Fraction(percent) / 100 if percent else Fraction(decimal)
                if share <= 1:
                    return cls(None, share)
            case _:
                pass
        raise _no_limit()

    def among(self, records: int) -> int:
        """How many of `records` records may be suppressed: floor(share · n) for a share."""
        if self.share is None:
            return min(self.records or 0, records)
        return int(self.share * records)

    def __str__(self) -> str:
        """As it would be said.

        >>> str(SuppressionLimit.of("0.05")), str(SuppressionLimit(20))
        ('5%', '20')
        """
        if self.share is None:
            return str(self.records)
        whole, rest = divmod(int(self.share * 10 ** (DECIMALS + 2)), 10**DECIMALS)
        return f"{whole}.{rest:0{DECIMALS}}".rstrip("0").rstrip(".") + "%"


def _no_limit() -> UsageError:
    return UsageError(
        "the suppression limit is neither a count of records nor a share in 0..1",
        hint="write 20 for records; 5% or 0.05 for a share",
    )
