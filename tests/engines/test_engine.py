"""One test body for every engine, and that it catches engines which do something else."""

from __future__ import annotations

from dataclasses import dataclass, replace
from io import BytesIO
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
import polars as pl
import pytest

from kohort import Job, KAnonymity, Schema
from kohort.engines.local import LOCAL
from kohort.engines.pipeline import anonymize
from kohort.errors import VerificationError
from kohort.sql.remote import RemoteEngine
from kohort.tables.dataset import Values
from kohort.testing import WrongEngineError, check_engine
from tests.engines.sqlite import SQLite
from tests.quick import examples

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kohort.core.recoding import Recoding, RegionClasses
    from kohort.engines.base import Counted, Engine
    from kohort.io.forms import Format
    from kohort.io.manifest import WrittenPart
    from kohort.io.options import ReadOptions
    from kohort.release import Writing
    from kohort.tables.dataset import Dataset, ReleasedRecords
    from kohort.tables.table import Table
    from kohort.verify import Claim, Verdict


@dataclass(frozen=True, eq=False)
class Elsewhere:
    """Records that are nobody's business but their engine's: outside it no code of a cell can be seen."""

    hidden: Table

    @property
    def names(self) -> tuple[str, ...]:
        """The column names."""
        return self.hidden.names

    @property
    def records(self) -> int:
        """How many there are."""
        return self.hidden.records

    def distinct(self, name: str) -> Values:
        """The distinct values of a column."""
        return self.hidden.distinct(name)

    def collect(self) -> Table:
        """All of them, fetched."""
        return self.hidden


def remote(counted: Counted) -> Counted:
    """A count that the local engine made, and its release kept elsewhere."""

    def recode(recoding: Recoding, classes: RegionClasses) -> ReleasedRecords:
        made = counted.recode(recoding, classes)
        data, source, whole = (Elsewhere(one.collect()) for one in (made.data, made.source, made.whole))
        return replace(made, data=data, source=source, whole=whole)

    return replace(counted, recode=recode)


class Remote:
    """An engine whose datasets are no tables."""

    def refuse_format(self, format_: Format | None) -> None:
        """None is refused."""

    def read(self, source: object, options: ReadOptions) -> Dataset:
        """Read, and keep elsewhere."""
        return Elsewhere(LOCAL.read(source, options).collect())

    def count(self, data: Dataset, job: Job, population: Dataset | None = None, *, releasing: bool = False) -> Counted:
        """Count its own datasets."""
        assert isinstance(data, Elsewhere)
        return remote(LOCAL.count(data.hidden, job, population, releasing=releasing))

    def write(
        self, released: ReleasedRecords, into: BinaryIO | Path, format_: Format, writing: Writing
    ) -> Sequence[WrittenPart]:
        """Write its own datasets."""
        assert isinstance(released.data, Elsewhere)
        return LOCAL.write(released, into, format_, writing)

    def verify(self, written: BinaryIO | Sequence[WrittenPart], claim: Claim) -> Verdict:
        """Verify as the local engine does."""
        return LOCAL.verify(written, claim)


@pytest.mark.parametrize("engine", [LOCAL, Remote(), RemoteEngine(SQLite())], ids=["local", "remote", "sqlite"])
def test_every_engine_does_the_same(engine: Engine) -> None:
    """Each counts, recodes, writes and verifies as one would by hand."""
    check_engine(engine, tables=examples(14))


def test_small_tables_are_tried_too() -> None:
    """Also tables of which there is no release, and releases of records that are all alike."""
    check_engine(LOCAL, tables=4, seed=23)


def test_a_release_needs_no_table_in_memory(tmp_path: Path) -> None:
    """The whole path runs on datasets that only their engine can look into, to the same bytes and certificate."""
    people = pl.DataFrame({"age": [str(20 + at % 7) for at in range(40)], "ill": ["flu", "gout", "cold", "flu"] * 10})
    job = Job.of(Schema.of(quasi=["age"], sensitive=["ill"]), KAnonymity(5), no_model=("ill",))
    for name, engine in (("here", LOCAL), ("there", Remote())):
        (tmp_path / name).mkdir()
        made = anonymize(people, job, target=tmp_path / name / "r.csv", engine=engine)
        assert made.verdict is not None
        assert made.table.records == 40
    for file in ("r.csv", "r.csv.kohort.json"):
        assert (tmp_path / "here" / file).read_bytes() == (tmp_path / "there" / file).read_bytes()


# ── Engines that are wrong ───────────────────────────────────────────────────────────────────────


class Renaming(Remote):
    """Loses a column."""

    def read(self, source: object, options: ReadOptions) -> Dataset:
        """Read less."""
        table = LOCAL.read(source, options).collect()
        return Elsewhere(replace(table, columns=table.columns[::-1]))


class Miscounting(Remote):
    """Counts a record twice."""

    def count(self, data: Dataset, job: Job, population: Dataset | None = None, *, releasing: bool = False) -> Counted:
        """Count too many."""
        found = super().count(data, job, population, releasing=releasing)
        counts = found.counts
        counted = counts.frequency.counts + (0 if releasing else 1)
        return replace(found, counts=replace(counts, frequency=replace(counts.frequency, counts=counted)))


class Reversing(Remote):
    """Writes records in another order."""

    def write(
        self, released: ReleasedRecords, into: BinaryIO | Path, format_: Format, writing: Writing
    ) -> Sequence[WrittenPart]:
        """Write them the other way round."""
        table = released.data.collect()
        turned = replace(released, data=table.take(np.arange(table.records)[::-1]))
        return LOCAL.write(turned, into, format_, writing)


class Trusting(Remote):
    """Accepts everything once it has seen something good."""

    verdict: Verdict | None = None

    def verify(self, written: BinaryIO | Sequence[WrittenPart], claim: Claim) -> Verdict:
        """Say what was said before."""
        try:
            self.verdict = LOCAL.verify(written, claim)
        except VerificationError:
            assert self.verdict is not None
        return self.verdict


class Wavering(Reversing):
    """Writes the first release in order, and the next the other way round."""

    def __init__(self) -> None:
        """Nothing is written yet."""
        self.written = 0

    def write(
        self, released: ReleasedRecords, into: BinaryIO | Path, format_: Format, writing: Writing
    ) -> Sequence[WrittenPart]:
        """Write in one order and then in the other."""
        self.written += 1
        writer = Remote.write if self.written == 1 else Reversing.write
        return writer(self, released, into, format_, writing)


class Overstating(Remote):
    """Says that the schema suppresses one record more than it does."""

    def count(self, data: Dataset, job: Job, population: Dataset | None = None, *, releasing: bool = False) -> Counted:
        """Count one record too many."""
        assert isinstance(data, Elsewhere)
        found = remote(LOCAL.count(data.hidden, job, population, releasing=releasing))
        return replace(found, counts=replace(found.counts, suppressed_by_schema=found.counts.suppressed_by_schema + 1))


class Forgetting(Remote):
    """Loses the values of its columns."""

    def read(self, source: object, options: ReadOptions) -> Dataset:
        """Read, and know one value less."""
        return Forgotten(LOCAL.read(source, options).collect())


class Forgotten(Elsewhere):
    """Records whose first value is not known."""

    def distinct(self, name: str) -> Values:
        """All but the first."""
        found = self.hidden.distinct(name)
        return Values(found.texts[1:], found.counts[1:])


class Refusing(Remote):
    """Accepts nothing."""

    def verify(self, written: BinaryIO | Sequence[WrittenPart], claim: Claim) -> Verdict:
        """Refuse."""
        assert isinstance(written, BytesIO)
        return LOCAL.verify(BytesIO(written.read()[:-1]), claim)


@pytest.mark.parametrize(
    ("engine", "law"),
    [
        (Renaming(), "the columns or the number of records are not the source's"),
        (Miscounting(), "the tuples are not those counted by hand"),
        (Reversing(), "the released bytes are not those of the local engine"),
        (Overstating(), "the metrics are not those of the local engine"),
        (Wavering(), "the order of the records makes a difference"),
        (Forgetting(), "the distinct values of illness are not the source's"),
        (Trusting(), "a damaged release is accepted: a record is missing"),
        (Refusing(), "the verdict is not that of kohort.verify"),
    ],
    ids=lambda one: type(one).__name__,
)
def test_a_wrong_engine_is_caught(engine: Engine, law: str) -> None:
    """The suite names what does not hold."""
    with pytest.raises(WrongEngineError, match=law) as caught:
        check_engine(engine, tables=7)
    assert caught.value.law == law
    assert caught.value.table.height
