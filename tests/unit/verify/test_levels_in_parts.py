"""Verification some classes at a time of a full-domain release: what it leaves out are whole classes that fail."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from kohort import Attribute, DistinctLDiversity, KAnonymity, Role, Schema
from kohort.errors import VerificationError
from kohort.io.typed import from_frame
from kohort.schema import Label, Missing
from kohort.schema.hierarchies import from_tree
from kohort.sql.verify.in_parts import verify_in_parts
from kohort.verify import verify
from kohort.verify.verdict import Claim
from tests.unit.verify.test_in_parts import Witness

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kohort.tables.table import Table

CITIES = from_tree({"Nord": ["Asti", "Biella"], "Sud": ["Cava", "Bari"], "Isole": ["Enna", "Elba"]}, root="*")

#: Two of the north, two of the south, one of the islands, and one of nowhere.
PEOPLE = pl.DataFrame(
    {"city": ["Asti", "Biella", "Cava", "Bari", "Enna", None], "ill": ["flu", "gout", "flu", "gout", "flu", "flu"]}
)

SCHEMA = Schema(
    (
        Attribute("city", Role.QUASI, hierarchy=CITIES, label=Label.ANCESTOR, missing=Missing.SUPPRESS),
        Attribute("ill", Role.SENSITIVE),
    )
)

RELEASE = "city,ill\nNord,flu\nNord,gout\nSud,flu\nSud,gout\n"


@dataclass
class OnLevels(Witness):
    """The first two classes are released."""

    table: Table = field(default_factory=lambda: from_frame(PEOPLE))
    classes: Sequence[int] = (0, 0, 1, 1, 2, -1)
    groups: Sequence[Sequence[int]] = ((-1,), (0, 1), (2,))

    @property
    def labels(self) -> Table:
        """Those of each class that is released."""
        return from_frame(pl.DataFrame({"city": ["Nord", "Sud"]}))


def claimed(witness: OnLevels, **said: object) -> Claim:
    """What is said of the release: one record lacks a value, one is left out."""
    claim = Claim(SCHEMA, (KAnonymity(2),), witness, np.empty(0, np.int64), suppressed=2, levels={"city": 1})
    return replace(claim, **{"limit": 1, **said})  # type: ignore[arg-type]


def more(cities: list[str], ills: list[str]) -> Table:
    """Two others instead of the one of the islands."""
    return from_frame(pl.concat([PEOPLE[:4], pl.DataFrame({"city": cities, "ill": ills}), PEOPLE[5:]]))


def judged(folder: Path, witness: OnLevels, text: str = RELEASE, **said: object) -> dict[str, int]:
    """The checks of a release in one file."""
    path = folder / "release.csv"
    path.write_text(text, encoding="utf-8")
    return dict(verify_in_parts([path], witness, claimed(witness, **said)).checks)


@pytest.mark.parametrize("groups", [((-1,), (0, 1), (2,)), ((-1,), (0,), (1, 2))])
def test_the_checks_are_those_of_the_whole_release(tmp_path: Path, groups: Sequence[Sequence[int]]) -> None:
    """In whatever groups the classes come."""
    witness = OnLevels(groups=groups)
    found = judged(tmp_path, witness)
    claim = claimed(witness, source=from_frame(PEOPLE), lineage=np.arange(4))
    with (tmp_path / "release.csv").open("rb") as file:
        assert found == verify(file, claim).checks
    assert found["suppression"] == 2


@pytest.mark.parametrize(
    ("cities", "classes", "groups", "told"),
    [
        # a class that satisfies
        (["Enna", "Enna"], (2, 2), ((-1,), (0, 1), (2,)), "1 class .2 records. is left out for no reason"),
        (["Enna", "Elba"], (2, 3), ((-1,), (0, 1), (2, 3)), "1 class .2 records. is left out for no reason"),
        # one that is parted
        (["Enna", "Elba"], (2, 3), ((-1,), (0, 1), (2,), (3,)), "left out: 1 class of which other records"),
        # some of one that is released
        (["Enna", "Asti"], (2, 3), ((-1,), (0, 1), (2, 3)), "left out: 1 class of which other records"),
        (["Enna", "Asti"], (2, 3), ((-1,), (0, 1, 2, 3)), "left out: 1 record of 1 released class"),
    ],
)
def test_what_is_left_out_for_no_reason_is_refused(
    cities: list[str], classes: tuple[int, ...], groups: Sequence[Sequence[int]], told: str, tmp_path: Path
) -> None:
    """Whole classes that fail are left out, and nothing else."""
    witness = OnLevels(more(cities, ["flu", "flu"]), (0, 0, 1, 1, *classes, -1), groups)
    with pytest.raises(VerificationError, match=told):
        judged(tmp_path, witness, suppressed=3, limit=2)


def test_models_of_values_are_a_reason(tmp_path: Path) -> None:
    """Two of one illness fail, and two of two do not."""
    models = (KAnonymity(2), DistinctLDiversity("ill", 2))
    witness = OnLevels(more(["Enna", "Elba"], ["flu", "flu"]), (0, 0, 1, 1, 2, 2, -1))
    assert judged(tmp_path, witness, models=models, suppressed=3, limit=2)["suppression"] == 3
    witness = OnLevels(more(["Enna", "Elba"], ["flu", "gout"]), (0, 0, 1, 1, 2, 2, -1))
    with pytest.raises(VerificationError, match="left out for no reason"):
        judged(tmp_path, witness, models=models, suppressed=3, limit=2)


def test_more_are_left_out_than_may_be_or_are_said_to_be(tmp_path: Path) -> None:
    """The limit is of what does not lack a value."""
    witness = OnLevels()
    path = tmp_path / "release.csv"
    path.write_text(RELEASE, encoding="utf-8")
    with pytest.raises(VerificationError, match=r"1 record is suppressed for other reasons .*; the limit is 0"):
        verify_in_parts([path], witness, replace(claimed(witness), limit=0))
    assert verify_in_parts([path], witness, replace(claimed(witness), limit=None)).checks["suppression"] == 2
    with pytest.raises(VerificationError, match="1 records are suppressed, and 1 lack a value, 1 are in classes"):
        judged(tmp_path, witness, f"{RELEASE}Sud,gout\n", suppressed=1)


def test_nothing_is_left_out_where_no_levels_are_claimed(tmp_path: Path) -> None:
    """A class after those that are released is none."""
    witness = OnLevels()
    with pytest.raises(VerificationError, match="1 record is left out for no reason"):
        judged(tmp_path, witness, levels={})
