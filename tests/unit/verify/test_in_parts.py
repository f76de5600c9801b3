"""Verification some classes at a time: what it is told of the input is doubted, group by group and as a whole."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from kohort import Attribute, KAnonymity, Role, Schema
from kohort.core.uniques import Exposed
from kohort.errors import UnsupportedError, VerificationError
from kohort.io.typed import from_frame
from kohort.models.average_risk import AverageRisk
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.schema import Missing
from kohort.sql.verify.in_parts import verify_in_parts
from kohort.tables.dataset import Values
from kohort.verify.aggregates import Hashed, Tuples
from kohort.verify.verdict import Claim
from tests.reference.relation import TableRelation

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from kohort.arrays import Index
    from kohort.tables.table import Table

PEOPLE = pl.DataFrame(
    {
        "name": ["Ada", "Bob", "Cid", "Dee", "Eve", "Fay", None],
        "age": ["31", "32", "45", "46", "60", "61", None],
        "ill": ["flu", "gout", "flu", "gout", "flu", "gout", "flu"],
        "note": ["a", "b", "a", "b", "a", "b", "c"],
    }
)

#: A class for each two of them, and none for the last.
CLASSES = (0, 0, 1, 1, 2, 2, -1)

LABELS = ("[31-32]", "[45-46]", "[60-61]")

SCHEMA = Schema(
    (
        Attribute("name", Role.IDENTIFYING),
        Attribute("age", Role.QUASI, missing=Missing.SUPPRESS),
        Attribute("ill", Role.SENSITIVE),
        Attribute("note", Role.INSENSITIVE),
    )
)

RELEASE = "age,ill,note\n[31-32],flu,a\n[31-32],gout,b\n[45-46],flu,a\n[45-46],gout,b\n[60-61],flu,a\n[60-61],gout,b\n"


@dataclass
class Witness:
    """The input, and what is said of it.

    Attributes:
        table: All records.
        classes: The class of each.
        groups: The classes that are answered together; what is in none comes first.
        values: Of some columns, other values than those of the records that enter.
        ages: The label of each class.
    """

    table: Table = field(default_factory=lambda: from_frame(PEOPLE))
    classes: Sequence[int] = CLASSES
    groups: Sequence[Sequence[int]] = ((-1,), (0, 1), (2,))
    values: dict[str, Values] = field(default_factory=dict[str, Values])
    ages: Sequence[str] = LABELS

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return self.table.names

    @property
    def records(self) -> int:
        """How many records there are."""
        return self.table.records

    @property
    def labels(self) -> Table:
        """Those of each class."""
        return from_frame(pl.DataFrame({"age": self.ages}))

    def distinct(self, name: str) -> Values:
        """The values of a column."""
        return self.table.distinct(name)

    def collect(self) -> Table:
        """All records."""
        raise AssertionError("the input is not to be fetched")

    def entered(self, name: str) -> Values:
        """All records enter."""
        return self.values.get(name, self.table.distinct(name))

    def classed(self, columns: Sequence[str], hashed: Hashed | None) -> Iterator[tuple[Tuples, Index]]:
        """Group by group."""
        of = np.array(self.classes)
        for group in self.groups:
            held = [some for some in (np.flatnonzero(of == one) for one in group) if some.size]
            found = [TableRelation(self.table.take(some)).tuples(columns, hashed) for some in held]
            each = [np.full(one.counts.size, of[some[0]]) for one, some in zip(found, held, strict=True)]
            kinds = dict.fromkeys(columns, pl.String)
            frames = [pl.DataFrame({name: one.table[name].cells() for name in columns}, schema=kinds) for one in found]
            tuples = Tuples(
                from_frame(pl.concat(frames)),
                np.concatenate([one.counts for one in found]),
                np.concatenate([one.sums for one in found]),
            )
            yield tuples, np.concatenate(each)

    def pairs(self, identifying: str, released: str) -> Tuples:
        """Of the released records."""
        kept = self.table.take(np.flatnonzero(np.array(self.classes) >= 0))
        return TableRelation(kept).tuples((identifying, released))


def claimed(witness: Witness, **said: object) -> Claim:
    """What is said of the release."""
    claim = Claim(SCHEMA, (KAnonymity(2),), witness, np.empty(0, np.int64), suppressed=1)
    return replace(claim, **said)  # type: ignore[arg-type]


def written(folder: Path, text: str = RELEASE) -> list[Path]:
    """The release as two files."""
    header, *lines = text.splitlines(keepends=True)
    paths = [folder / "part-1.csv", folder / "part-2.csv"]
    for path, some in zip(paths, (lines[:3], lines[3:]), strict=True):
        path.write_text("".join([header, *some]), encoding="utf-8")
    return paths


def test_a_release_is_judged_group_by_group(tmp_path: Path) -> None:
    """The classes of all groups are told together; what was left out lacks a value."""
    witness = Witness()
    found = verify_in_parts(written(tmp_path), witness, claimed(witness))
    assert (found.records, found.suppressed, found.classes, found.smallest, found.largest) == (6, 1, 3, 2, 2)
    assert [(band.low, band.classes) for band in found.bands] == [(2, 3)]
    assert found.exposed == Exposed(people=6, range_ends=6, set_members=0, means=0)
    assert found.data_dependent is True
    assert [part.records for part in found.parts] == [3, 3]
    assert found.sha256 == sha256(RELEASE.encode()).hexdigest()
    assert {key: found.checks[key] for key in ("records", "labels", "classes", "cells")} == {
        "records": 6,
        "labels": 3,
        "classes": 3,
        "cells": 12,
    }


def test_labels_of_any_group_may_depend_on_the_data(tmp_path: Path) -> None:
    """The classes of the first group have a value of their own, those of the second ranges."""
    people = from_frame(PEOPLE.with_columns(age=pl.Series(["31", "31", "45", "46", "60", "61", None])))
    witness = Witness(people, groups=((-1,), (0,), (1, 2)), ages=("31", *LABELS[1:]))
    found = verify_in_parts(written(tmp_path, RELEASE.replace("[31-32]", "31")), witness, claimed(witness))
    assert (found.classes, found.data_dependent) == (3, True)


@pytest.mark.parametrize(
    ("witness", "text", "told"),
    [
        (Witness(groups=((-1,), (0,), (1, 2), (2,))), RELEASE, "fewer records are released"),
        (Witness(groups=((0, 1, 2),)), RELEASE, "6 records were counted in classes instead of 7"),
        (Witness(classes=(0, 0, 1, 1, -1, 2, -1)), RELEASE, "1 record is left out for no reason"),
        (
            Witness(),
            RELEASE.replace("[45-46],flu", "[45-46],cold"),
            "in 1 classes, columns that are released unchanged have other",
        ),
        (
            Witness(),
            RELEASE.replace("[45-46]", "[45-47]"),
            "2 records are not those of the input that are due, in 2 classes",
        ),
        (
            Witness(classes=(0, 1, 0, 1, 2, 2, -1)),
            RELEASE,
            "in 2 classes, columns that are released unchanged have other",
        ),
        (
            Witness(values={"age": Values(pl.Series(["31"]), np.array([1]))}),
            RELEASE,
            "1 record has a value that the input does not",
        ),
        (
            Witness(values={"age": Values(pl.concat([PEOPLE["age"], pl.Series(["99"])]), np.array([1] * 7 + [9]))}),
            RELEASE,
            "other values than the input",
        ),
        (Witness(), RELEASE.removesuffix("[60-61],gout,b\n"), "5 records instead of 6"),
    ],
)
def test_what_is_not_so_is_refused(tmp_path: Path, witness: Witness, text: str, told: str) -> None:
    """Of the input, of the release, or of where one went in the other."""
    with pytest.raises(VerificationError, match=told):
        verify_in_parts(written(tmp_path, text), witness, claimed(witness))


@pytest.mark.parametrize("groups", [((-1,), (0,), (1,), (2,)), ((-1,), (0,), (1, 2))])
def test_a_class_is_in_one_group(tmp_path: Path, groups: Sequence[Sequence[int]]) -> None:
    """A class of four, judged as two of two, would pass for k = 2 whatever it takes together."""
    text = RELEASE.replace("[31-32]", "[31-46]").replace("[45-46]", "[31-46]")
    lines = text.splitlines(keepends=True)
    labels = from_frame(pl.DataFrame({"age": ["[31-46]", "[31-46]", "[60-61]"]}))
    apart = type("Apart", (Witness,), {"labels": labels})(
        from_frame(PEOPLE.with_columns(age=pl.Series(["31", "31", "46", "46", "60", "61", None]))),
        classes=(0, 1, 0, 1, 2, 2, -1),
        groups=groups,
    )
    path = tmp_path / "part.csv"
    path.write_text("".join([lines[0], *sorted(lines[1:])]), encoding="utf-8")
    with pytest.raises(VerificationError, match="judged in two groups"):
        verify_in_parts([path], apart, claimed(apart))


def test_too_few_are_suppressed_or_too_many(tmp_path: Path) -> None:
    """As many as lack a value; and no record is incomplete unless it was to be complete."""
    witness = Witness()
    with pytest.raises(VerificationError, match="1 records are left out as incomplete, and 0 lack"):
        verify_in_parts(written(tmp_path), witness, claimed(witness, suppressed=0, incomplete=1))
    paths = written(tmp_path, f"{RELEASE}[60-61],gout,b\n")
    with pytest.raises(VerificationError, match="0 records are suppressed, and 1 lack"):
        verify_in_parts(paths, witness, claimed(witness, suppressed=0))
    witness = Witness(groups=((-1,), (0, 1), (2,), (-1,)))
    with pytest.raises(VerificationError, match="8 records were counted"):
        verify_in_parts(written(tmp_path), witness, claimed(witness))


def test_incomplete_records_lack_a_value(tmp_path: Path) -> None:
    """The last one does not enter, if an age is needed; its values are not those of the input that enters."""
    entered = {name: from_frame(PEOPLE[:6]).distinct(name) for name in PEOPLE.columns}
    witness = Witness(values=entered)
    claim = claimed(witness, suppressed=0, incomplete=1, complete=("age",))
    found = verify_in_parts(written(tmp_path), witness, claim)
    assert (found.incomplete, found.suppressed, found.checks["complete records"]) == (1, 0, 7)


def test_identifiers_are_looked_for(tmp_path: Path) -> None:
    """Columns of the same records are held against one another, where their values have something in common."""
    people = pl.Series([f"{name} Lovelace" for name in "abcdefx"])
    leaking = PEOPLE.with_columns(note=people, name=people)
    witness = Witness(from_frame(leaking))
    lines = RELEASE.splitlines(keepends=True)
    notes = [line.replace(f",{'ab'[at % 2]}\n", f",{'abcdef'[at]} Lovelace\n") for at, line in enumerate(lines[1:])]
    with pytest.raises(VerificationError, match="identifying column name"):
        verify_in_parts(written(tmp_path, "".join([lines[0], *notes])), witness, claimed(witness))


@pytest.mark.parametrize("complete", [(), ("name",)])
def test_what_k_people_share_names_nobody(tmp_path: Path, complete: tuple[str, ...]) -> None:
    """Two people of one ward, released with it, are two, though all their cells are alike."""
    people = [("ward-12", "31", "ward-12")] * 2 + [("Cid", "32", "flu"), ("Dee", "60", "flu")]
    people += [("Eve", "61", "gout"), ("Fay", "", "flu")]
    table = pl.DataFrame(people, schema=["name", "age", "ill"], orient="row").with_columns(note=pl.lit("a"))
    labels = from_frame(pl.DataFrame({"age": ["[31-32]", "[60-61]"]}))
    witness = type("Two", (Witness,), {"labels": labels})(
        from_frame(table.select(PEOPLE.columns)), classes=(0, 0, 0, 1, 1, -1), groups=((-1,), (0,), (1,))
    )
    lines = ["[31-32],flu,a\n", *["[31-32],ward-12,a\n"] * 2, "[60-61],flu,a\n", "[60-61],gout,a\n"]
    claim = claimed(witness, complete=complete, models=(KAnonymity(2), DistinctLDiversity("ill", 2)))
    found = verify_in_parts(written(tmp_path, "".join(["age,ill,note\n", *lines])), witness, claim)
    assert found.checks["identifiers"]


def test_names_of_their_own_are_no_chance_among_many(tmp_path: Path) -> None:
    """Two people of a hundred have their own name in a note: chance is reckoned over people, not different cells."""
    people = [("Adelaide", "31", "Adelaide")] * 2 + [("Bob", "32", "a")] * 100
    people += [("Cid", age, "a") for age in ("45", "45", "46", "60", "60", "61")] + [("Cid", "", "a")]
    table = pl.DataFrame(people, schema=["name", "age", "note"], orient="row").with_columns(ill=pl.lit("flu"))
    witness = Witness(from_frame(table.select(PEOPLE.columns)), (0,) * 102 + (1,) * 3 + (2,) * 3 + (-1,))
    classes = zip((102, 3, 3), LABELS, strict=True)
    lines = [
        f"{label},flu,{'Adelaide' if of == 102 and at < 2 else 'a'}\n" for of, label in classes for at in range(of)
    ]
    claim = claimed(witness, models=(KAnonymity(3),))
    with pytest.raises(
        VerificationError, match="2 people hold their own cells or words of the identifying column name"
    ):
        verify_in_parts(written(tmp_path, "".join(["age,ill,note\n", *lines])), witness, claim)


def test_names_of_others_are_no_identifiers(tmp_path: Path) -> None:
    """Each note is somebody's name, and never that of its own record."""
    people = [f"{sign}delaide" for sign in "abcdefx"]
    notes = [*people[1:6], people[0], "x"]
    witness = Witness(from_frame(PEOPLE.with_columns(name=pl.Series(people), note=pl.Series(notes))))
    lines = RELEASE.splitlines(keepends=True)
    shown = [line.replace(f",{'ab'[at % 2]}\n", f",{notes[at]}\n") for at, line in enumerate(lines[1:])]
    found = verify_in_parts(written(tmp_path, "".join([lines[0], *shown])), witness, claimed(witness))
    assert found.checks["identifiers"] == found.records


@pytest.mark.parametrize(
    "said",
    [
        {"models": (KAnonymity(2), AverageRisk(Fraction(1, 2)))},
        {"coarsened": from_frame(PEOPLE[["note"]])},
        {"population": from_frame(PEOPLE)},
        {"schema": replace(SCHEMA, person="name")},
    ],
)
def test_what_is_said_of_all_classes_together_is_refused(tmp_path: Path, said: dict[str, object]) -> None:
    """Nobody would see them all."""
    witness = Witness()
    with pytest.raises(UnsupportedError, match="some classes at a time"):
        verify_in_parts(written(tmp_path), witness, claimed(witness, **said))
