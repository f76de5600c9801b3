"""Small releases for privacy models: classes are written as the letters of their sensitive values."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from kohort.errors import VerificationError
from kohort.io.forms import Format
from kohort.io.typed import from_frame
from kohort.io.write import write
from kohort.schema import Schema
from kohort.verify import Claim, Verdict, verify

if TYPE_CHECKING:
    from kohort.models.base import PrivacyModel

SCHEMA = Schema.of(identifying=["who"], quasi=["class"], sensitive=["s"])


def claim_of(*classes: str, who: str = "", population: str = "") -> Claim:
    """A table whose records keep their class as label.

    Args:
        classes: For each class, the sensitive value of each of its records as a letter; `-` is missing.
        who: Whose each record is, in the order of the classes, as a letter; empty for no person key.
        population: For each person of the population table, the class that he or she would be in, from `0` on.
    """
    cells = sorted((str(place), "" if letter == "-" else letter) for place, one in enumerate(classes) for letter in one)
    names = list(who) or [str(row) for row in range(len(cells))]
    frame = pl.DataFrame({"who": names, "class": [one for one, _ in cells], "s": [s for _, s in cells]})
    schema = replace(SCHEMA, person="who" if who else None)
    known = from_frame(pl.DataFrame({"class": list(population)})) if population else None
    return Claim(schema, (), from_frame(frame), np.arange(len(cells)), population=known)


def verdict_of(claim: Claim, *models: PrivacyModel) -> Verdict:
    """The verdict on the table's own cells, ordered and written as CSV."""
    source = claim.original
    frame = pl.DataFrame({name: source[name].values.gather(source[name].codes) for name in ("class", "s")})
    frame = frame[claim.lineage].with_row_index("at").sort("class", "s", maintain_order=True)
    file = io.BytesIO()
    write(from_frame(frame.drop("at")), file, Format.CSV)
    lineage = claim.lineage[frame["at"].to_numpy()]
    return verify(io.BytesIO(file.getvalue()), replace(claim, models=models, lineage=lineage))


def refusal(claim: Claim, *models: PrivacyModel) -> str:
    """What the check of classes says against it."""
    with pytest.raises(VerificationError) as caught:
        verdict_of(claim, *models)
    assert caught.value.where == "check classes"
    return caught.value.what
