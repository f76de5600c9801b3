"""`check_engine`: whether an engine counts, recodes, writes and verifies as one would by hand, on random tables."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from io import BytesIO
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import polars as pl

from kohort.algorithms.lattice.samarati import Samarati
from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.core.suppression import SuppressionLimit
from kohort.engines.local import LOCAL
from kohort.engines.outlets import Stages, no_progress
from kohort.engines.pipeline import claim_of, solve
from kohort.errors import InfeasibleError, UnsupportedError, VerificationError
from kohort.io.forms import Format
from kohort.io.options import ReadOptions
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.k_anonymity import KAnonymity
from kohort.perturbation.rounding import Rounding
from kohort.release import Job
from kohort.schema import Attribute, Label, Missing, Role, Schema
from kohort.schema.hierarchies import from_tree
from kohort.verify import verify
from kohort.verify.verdict import BY_RECORD

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kohort.arrays import Index
    from kohort.engines.base import Counts, Engine
    from kohort.models.base import PrivacyModel
    from kohort.release import Release
    from kohort.verify import Claim, Verdict

#: Where a record stands, by what is released of it: a cell as text, numbers by their worth, a missing value as nothing.
_Cell: TypeAlias = "str | Fraction"

#: What cells are drawn from.
_POOLS: Final = {
    "illness": ("flu", "gout", None, "cough", "cold"),
    "name": tuple(f"person {number}" for number in range(99)),
    "age": ("9", "10", "31", "31.0", "", None, "40"),
    "city": ("Bari", "Lecce", "Torino", "", None),
    "job": ("clerk", "cook, chef", "pilot", 'a "quoted" one'),
    "pay": ("1000", "1049", "1051", "2000", ""),
}

_REGIONS: Final = from_tree({"Nord": ["Torino", "Milano"], "Sud": ["Bari", "Lecce"]}, root="*")

_SCHEMA: Final = Schema(
    (
        Attribute("illness", Role.SENSITIVE),
        Attribute("name", Role.IDENTIFYING),
        Attribute("age", Role.QUASI),
        Attribute("city", Role.QUASI, hierarchy=_REGIONS),
        Attribute("job", Role.QUASI, label=Label.COMPANIONS),
        Attribute("pay", Role.INSENSITIVE),
    )
)

#: The same columns, each quasi-identifier on levels.
_LEVELS: Final = Schema(
    (
        *_SCHEMA.attributes[:2],
        Attribute("age", Role.QUASI, hierarchy="intervals:10,20"),
        _SCHEMA.attributes[3],
        Attribute("job", Role.QUASI, hierarchy="frequency:1"),
        _SCHEMA.attributes[5],
    )
)


class WrongEngineError(AssertionError):
    """An engine does something else than the others; the table that shows it is made up and may be printed.

    Attributes:
        law: What does not hold.
        table: The table.
    """

    def __init__(self, law: str, table: pl.DataFrame) -> None:
        """Keep the parts, and name them in the message."""
        self.law, self.table = law, table
        super().__init__(f"{law}\n{table}")


def check_engine(engine: Engine, *, tables: int = 20, seed: int = 0) -> None:
    """Look for a counter-example to what every engine promises, on releases of random small tables.

    Tried are: that columns, records and distinct values are those of the source; that the tuples are those that one
    counts by hand; that the metrics and released bytes are those of the local engine, in whatever order the records are
    read; that the engine's own verification accepts them with the verdict of `kohort.verify`; that what it cannot do is
    an `UnsupportedError`, before anything is written; and that the latter refuses
    them when a record is missing, two have changed places or a cell is another. Silence is no proof.

    Args:
        engine: Any engine that reads polars frames.
        tables: How many tables to draw.
        seed: What to draw them by: equal seeds draw equal tables.

    Raises:
        WrongEngineError: something does not hold.

    >>> from kohort.engines.local import LOCAL
    >>> check_engine(LOCAL, tables=2)
    """
    random = np.random.default_rng(seed)
    for place in range(tables):
        frame, job = _drawn(random), _jobs()[place % len(_jobs())]
        for law in _broken(engine, frame, job, random.permutation(frame.height)):
            raise WrongEngineError(law, frame)


def _drawn(random: np.random.Generator) -> pl.DataFrame:
    """Some records, many of them alike."""
    records = int(random.integers(1, 40))
    sizes = {name: int(random.integers(1, len(pool) + 1)) for name, pool in _POOLS.items()}
    cells = {name: [pool[int(random.integers(sizes[name]))] for _ in range(records)] for name, pool in _POOLS.items()}
    return pl.DataFrame(cells, schema=dict.fromkeys(_POOLS, pl.String))


def _jobs() -> tuple[Job, ...]:
    """Jobs that need each duty of an engine."""
    lacking = [replace(one, missing=Missing.SUPPRESS) if one.name == "age" else one for one in _SCHEMA.attributes]
    return (
        _job(_SCHEMA, KAnonymity(2)),
        _job(_SCHEMA, KAnonymity(2), DistinctLDiversity("illness", 2)),
        replace(_job(_LEVELS, KAnonymity(3)), algorithm=Samarati(SuppressionLimit(5))),
        replace(_job(_SCHEMA, KAnonymity(2)), algorithm=Mondrian(relaxed=True)),
        _job(replace(_SCHEMA, attributes=tuple(lacking)), KAnonymity(2)),
        replace(_job(_SCHEMA, KAnonymity(2)), complete=("city", "illness")),
        replace(_job(_SCHEMA, KAnonymity(2)), perturbations=(Rounding("pay", Fraction(100)),)),
    )


def _job(schema: Schema, *models: PrivacyModel) -> Job:
    """A job that allows the columns of the table to be what they are."""
    unprotected = () if len(models) > 1 else ("illness",)
    return Job.of(schema, *models, allow_singling=("pay", "illness", "job"), no_model=unprotected)


def _broken(engine: Engine, frame: pl.DataFrame, job: Job, order: Index) -> Iterator[str]:
    """What does not hold."""
    yield from _misread(engine, frame)
    try:
        expected = _released(LOCAL, frame, job)
    except InfeasibleError:
        return
    try:
        made = _released(engine, frame, job)
    except UnsupportedError:  # told at once, and what can do it
        return
    counts = engine.count(engine.read(frame, ReadOptions()), job).counts
    if _tuples(counts) != _by_hand(frame, job, counts.frequency.quasi.shape[1]):
        yield "the tuples are not those counted by hand"
    content, claim = _written(engine, made)
    due, witness = _written(LOCAL, expected)
    if made.metrics != expected.metrics:
        yield "the metrics are not those of the local engine"
    if content != due:
        yield "the released bytes are not those of the local engine"
    if content != _written(engine, _released(engine, frame[order.tolist()], job))[0]:
        yield "the order of the records makes a difference"
    if _found(_verdict(engine, content, claim)) != _found(verify(BytesIO(due), witness)):
        yield "the verdict is not that of kohort.verify"
    for what, damaged in _damaged(content):
        if _verdict(engine, damaged, claim) is not None:
            yield f"a damaged release is accepted: {what}"


def _misread(engine: Engine, frame: pl.DataFrame) -> Iterator[str]:
    """What is not in the dataset as it is in the source."""
    data = engine.read(frame, ReadOptions())
    if (data.names, data.records) != (tuple(frame.columns), frame.height):
        yield "the columns or the number of records are not the source's"
    for name in data.names:
        found = data.distinct(name)
        if dict(zip(found.texts.to_list(), found.counts.tolist(), strict=True)) != Counter(frame[name].to_list()):
            yield f"the distinct values of {name} are not the source's"


def _released(engine: Engine, frame: pl.DataFrame, job: Job) -> Release:
    """The engine's release, before verification."""
    return solve(engine.read(frame, ReadOptions()), job, threads=1, stage=Stages(no_progress), engine=engine)


def _written(engine: Engine, release: Release) -> tuple[bytes, Claim]:
    """The bytes of a release, and what it claims."""
    file = BytesIO()
    engine.write(release.records, file, Format.CSV, release.job.writing)
    return file.getvalue(), claim_of(release)


def _verdict(engine: Engine, content: bytes, claim: Claim) -> Verdict | None:
    """The engine's verdict; `None` where it refuses the bytes."""
    try:
        return engine.verify(BytesIO(content), claim)
    except VerificationError:
        return None


def _found(verdict: Verdict | None) -> Verdict | None:
    """What was found, however it was verified."""
    return None if verdict is None else replace(verdict, checks={}, way=BY_RECORD, engine="")


def _damaged(content: bytes) -> Iterator[tuple[str, bytes]]:
    """The bytes, wrong in one way after another."""
    header, *lines = content.decode().splitlines(keepends=True)
    yield "a record is missing", "".join([header, *lines[:-1]]).encode()
    yield "a record stands twice", "".join([header, *lines, *lines[-1:]]).encode()
    if lines[0] != lines[-1]:
        yield "two records have changed places", "".join([header, lines[-1], *lines[1:-1], lines[0]]).encode()
    yield "a cell is another", "".join([header, "?" + lines[0], *lines[1:]]).encode()


def _tuples(counts: Counts) -> Counter[tuple[_Cell, ...]]:
    """Records by the values of their quasi-identifiers, or of the first ones: the others may stay where they lie."""
    frequency, found = counts.frequency, Counter[tuple[_Cell, ...]]()
    rows: list[list[int]] = frequency.quasi.tolist()
    for codes, records in zip(rows, frequency.counts.tolist(), strict=True):
        found[tuple(_plain(one.texts[code]) for one, code in zip(counts.domains, codes, strict=False))] += records
    return found


def _by_hand(frame: pl.DataFrame, job: Job, columns: int) -> Counter[tuple[_Cell, ...]]:
    """The same from the records, one by one, by so many columns."""
    schema = job.schema.over(frame.columns)
    needed = [*job.complete, *(one.name for one in schema.released if one.missing is Missing.SUPPRESS)]
    rows = (row for row in frame.iter_rows(named=True) if all(row[name] for name in needed))
    return Counter(tuple(_plain(row[one.name]) for one in schema.quasi[:columns]) for row in rows)


def _plain(text: str | None) -> _Cell:
    """A cell by what it is worth."""
    if not text:
        return ""
    return Fraction(text) if text[0].isdigit() else text
