"""The certificate of a rounded table, and what of it the file alone shows."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kohort.certificate.again import Again, compared, judged, keyed, limits, of_bytes, unseen
from kohort.certificate.form import Certified, certified

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from kohort_rounding.release import Verdict
    from kohort_rounding.request import RoundingJob

#: What rounding does not promise.
NOT_PROMISED: Final = (
    "Anonymity: counts of records are as they were, and a person may be the only one with some combination of values.",
    "Kept columns: they are released as they are.",
    "Numbers: whoever sees a rounded one knows the number to within half its base.",
)

#: What only somebody with the input can see.
_UNSEEN: Final = "only verification saw this, with the input"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundingCertificate(Certified):
    """What is certified of a rounded table.

    Attributes:
        bases: What the numbers of each column are multiples of.
        kept: Columns that are released as they are.
        records: Records released: all of the input.
    """

    bases: Mapping[str, int]
    kept: tuple[str, ...]
    records: int
    kind: str = "rounding"

    @property
    def promised(self) -> tuple[str, ...]:
        """Which numbers are rounded, and to what."""
        return tuple(f"{name} rounded to multiples of {base}" for name, base in self.bases.items())

    @property
    def rows(self) -> int:
        """Records released."""
        return self.records

    def checked_again(self, path: str | os.PathLike[str]) -> Again:
        """What of the certificate is true of the file at `path`."""
        with Path(path).open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        column = {name: [row[place] for row in rows] for place, name in enumerate(header)}
        exact = [name for name in self.bases if name in column and _are_multiples(column[name], self.bases[name])]
        cells = sum(bool(cell) for name in self.bases for cell in column.get(name, ()))
        job = {"rounding": {"columns": dict(self.bases), "keep": list(self.kept)}}
        found = {
            "bytes": Path(path).stat().st_size,
            "records": len(rows),
            "rounded cells": cells,
            "order": max(len(rows) - 1, 0),
        }
        parts = [
            *of_bytes(path, self),
            compared("records", self.records, len(rows)),
            judged("columns", ", ".join(header), "kept", met={*header} == {*self.bases, *self.kept}),
            judged("multiples", ", ".join(exact) or "none", "bases", met=[*self.bases] == exact),
            judged("job", "as certified" if self.job == job else "of other columns", "job", met=self.job == job),
            judged("order", "records are sorted by their own content", met=rows == sorted(rows)),
            limits(NOT_PROMISED, self.not_promised),
            *keyed("checks", self.checks, found),
        ]
        return Again((*parts, unseen(self, parts, _UNSEEN)))


def _are_multiples(cells: list[str], base: int) -> bool:
    try:
        return all(Fraction(cell) % base == 0 for cell in cells if cell)
    except ValueError:
        return False


def certificate(job: RoundingJob, verdict: Verdict, name: str) -> bytes:
    """The certificate of the file called `name`, as it is written."""
    said = certified(name, job.described, NOT_PROMISED, sha256=verdict.sha256, checks=verdict.checks)
    return RoundingCertificate(**said, bases=job.bases, kept=job.keep, records=verdict.records).encode()
