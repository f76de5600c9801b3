"""Verified by aggregation, a release is what it is record by record: the same verdict, and every wrong one refused."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kohort.core.frequency import FEW
from kohort.engines.local import LOCAL
from kohort.engines.outlets import Stages, no_progress
from kohort.engines.pipeline import claim_of, solve
from kohort.errors import KohortError, VerificationError
from kohort.io.forms import Format
from kohort.io.options import ReadOptions
from kohort.io.write import write
from kohort.job.keywords import job_from
from kohort.job.request import Request
from kohort.models.entropy_l_diversity import EntropyLDiversity
from kohort.models.k_anonymity import KAnonymity
from kohort.models.t_closeness import TCloseness
from kohort.schema import Schema
from kohort.sql.verify import aggregated
from kohort.sql.verify.aggregated import Destinations, verify_by_aggregation
from kohort.verify import Claim, verify
from tests.engines.test_spilled import LABELS, METHODS, MISSING, MODELS, tables
from tests.reference.destinations import destinations_of, table_of, texts, write_parts
from tests.reference.relation import TableRelation

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from kohort.release import Release
    from kohort.verify import Verdict
    from tests.reference.destinations import Cells

#: Which tuples of the input go where, and how many records of each.
SENT: Any = vars(aggregated)["_sent"]

#: Methods on levels, which need hierarchies.
ON_LEVELS = ("samarati", "datafly", "suppress-cells", "optimal")

MORE_METHODS: tuple[Mapping[str, Any], ...] = (
    *METHODS,
    {"method": "optimal", "max_suppression": "30%"},
    {"method": "optimal", "max_suppression": "30%", "local": True},
    {"method": "suppress-cells"},
)
MORE_MODELS: tuple[Mapping[str, Any], ...] = (*MODELS, {"k": 2, "no_model": ["ill"], "person": "who"})
MORE_MISSING: tuple[Mapping[str, Any], ...] = (*MISSING, {"complete_records": "all"})


@st.composite
def asked(draw: st.DrawFn) -> tuple[pl.DataFrame, Mapping[str, Any]]:
    """A small table, and what is asked of it."""
    table = draw(tables())
    who = draw(st.lists(st.sampled_from("abcdefgh"), min_size=table.height, max_size=table.height))
    name = draw(st.sampled_from([who, [f"Ada {number}" for number in range(table.height)], table["job"].to_list()]))
    table = table.with_columns(pl.Series("who", who), pl.Series("name", name))
    gap = draw(st.sampled_from(["", None]))
    table = table.with_columns(pl.col("age", "city", "pay").replace("", gap))
    drawn = [draw(st.sampled_from(some)) for some in (MORE_METHODS, MORE_MODELS, MORE_MISSING)]
    way: dict[str, Any] = {key: value for one in drawn for key, value in one.items()}
    if way.get("method") in ON_LEVELS:
        way["hierarchy"] = {"age": "intervals:10,20", "city": "suppress", "job": "frequency:1"}
    elif not way.get("no_grid"):
        way.update(draw(st.sampled_from(LABELS)))
    roles = {"quasi": ["age", "city", "job"], "sensitive": ["ill"], "insensitive": ["pay"], "allow_singling": ["pay"]}
    return table, {**roles, "identifying": ["who", "name"], **way}


def released(table: pl.DataFrame, way: Mapping[str, Any]) -> Release | None:
    """The release that is asked for; nothing where there is none."""
    try:
        request = job_from(None, way)
        assert isinstance(request, Request)
        return solve(LOCAL.read(table, ReadOptions()), request.job, threads=1, stage=Stages(no_progress))
    except KohortError:
        return None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(question=asked(), data=st.data())
def test_the_verdict_is_the_same(
    question: tuple[pl.DataFrame, Mapping[str, Any]],
    data: st.DataObject,
    tmp_path_factory: Any,  # noqa: ANN401  pytest's own
) -> None:
    """Whatever the method, the model, the labels, the missing values and the format, for any cut into parts."""
    release = released(*question)
    if release is None:
        return
    format_ = data.draw(st.sampled_from([Format.CSV, Format.TSV, Format.PARQUET, Format.CSV_GZ]))
    safe = format_ is not Format.PARQUET and data.draw(st.booleans())
    claim = replace(claim_of(release, format_), excel_safe=safe)
    file = BytesIO()
    write(release.table, file, format_, excel_safe=safe)
    file.seek(0)
    expected = verify(file, claim)
    sizes = data.draw(st.lists(st.integers(0, 9), max_size=4))
    paths = write_parts(tmp_path_factory.mktemp("parts"), release.table, sizes, format_, excel_safe=safe)
    there = destinations_of(claim, release.table)
    found = verify_by_aggregation(paths, TableRelation(claim.original), claim, there)
    assert sum(part.records for part in found.parts) == expected.records
    bytes_ = {"bytes": expected.checks["bytes"]}
    bare = format_ in {Format.CSV, Format.TSV}
    assert (
        replace(found, parts=(), way=expected.way, sha256=expected.sha256, checks={**found.checks, **bytes_})
        == expected
    )
    if bare:
        assert (found.sha256, found.checks) == (expected.sha256, expected.checks)


def test_means_are_of_records_and_not_of_tuples(tmp_path: Path) -> None:
    """The mean of three people of 30 and one of 50 is 35, though there are only two different ages."""
    ages = ["30", "30", "30", "50", "70", "70", "80", "80"]
    table = pl.DataFrame({"age": ages, "ill": ["flu", "flu", "flu", "gout"] * 2})
    way: dict[str, Any] = {"k": 4, "quasi": ["age"], "sensitive": ["ill"], "no_model": ["ill"]}
    release = released(table, {**way, "labels": "mean", "no_grid": True})
    assert release is not None
    assert {*release.table["age"].values} == {"35", "75"}
    claim, there = claim_of(release), destinations_of(claim_of(release), release.table)
    paths = write_parts(tmp_path, release.table, [], Format.CSV)
    assert verify_by_aggregation(paths, TableRelation(claim.original), claim, there).labels == {"age": "mean"}
    said = table_of([("40",) if text == ("35",) else text for text in texts(there.labels, ["age"])], ["age"])
    rows = [("40", *rest) if age == "35" else (age, *rest) for age, *rest in texts(release.table, ("age", "ill"))]
    paths = write_parts(tmp_path, table_of(rows, ("age", "ill")), [], Format.CSV)
    with pytest.raises(VerificationError, match="have a mean that is not their class's"):
        verify_by_aggregation(paths, TableRelation(claim.original), claim, replace(there, labels=said))


@pytest.mark.parametrize(
    ("labels", "ages", "exposed"),
    [
        ("range", [20, 20, 20, 40], 1),
        ("range", [20, 20, 30, 40, 40], 0),
        ("set", [20, 20, 20, 40], 1),
        ("mean", [20, 30, 30, 40], 0),
        ("mean", [20, 20, 30, 40, 40], 1),
    ],
)
def test_records_and_not_tuples_are_exposed(tmp_path: Path, labels: str, ages: list[int], exposed: int) -> None:
    """A label exposes whoever alone in the class has a printed age: nobody who shares a tuple with others."""
    table = pl.DataFrame({"age": [str(age) for age in ages], "ill": "flu"})
    way: dict[str, Any] = {"k": 4, "quasi": ["age"], "sensitive": ["ill"], "no_model": ["ill"]}
    release = released(table, {**way, "labels": labels, "no_grid": True})
    assert release is not None
    claim = claim_of(release)
    paths = write_parts(tmp_path, release.table, [], Format.CSV)
    there = destinations_of(claim, release.table)
    found = verify_by_aggregation(paths, TableRelation(claim.original), claim, there)
    assert found.exposed.people == exposed


@pytest.mark.parametrize("few", [0, FEW])
def test_models_count_records_and_not_tuples(tmp_path: Path, few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nine of ten with one illness in each class, as among all: that is close to all, and not diverse."""
    monkeypatch.setattr("kohort.core.frequency.FEW", few)
    ages = [age for age in ("30", "50") for _ in range(10)]
    table = pl.DataFrame({"age": ages, "ill": [*["flu"] * 9, "gout"] * 2})
    way: dict[str, Any] = {"k": 10, "quasi": ["age"], "sensitive": ["ill"], "no_model": ["ill"], "no_grid": True}
    release = released(table, way)
    assert release is not None
    claim, there = claim_of(release), destinations_of(claim_of(release), release.table)
    paths = write_parts(tmp_path, release.table, [], Format.CSV)
    close = replace(claim, models=(KAnonymity(10), TCloseness("ill", Fraction(1, 100))))
    assert verify_by_aggregation(paths, TableRelation(claim.original), close, there).classes == 2
    diverse = replace(claim, models=(KAnonymity(10), EntropyLDiversity("ill", Fraction(9, 5))))
    with pytest.raises(VerificationError, match="entropy"):
        verify_by_aggregation(paths, TableRelation(claim.original), diverse, there)


def test_what_k_people_share_names_nobody(tmp_path: Path) -> None:
    """Two people of one ward, released with it, are two, though their cells are alike."""
    ward = ["ward-12", "ward-12", "a", "a", "b"]
    table = pl.DataFrame({"age": ["30", "30", "30", "30", ""], "ward": ward, "note": ward})
    way: dict[str, Any] = {"k": 2, "quasi": ["age"], "identifying": ["ward"], "insensitive": ["note"], "no_grid": True}
    release = released(table, {**way, "missing": {"age": "suppress"}})
    assert release is not None
    claim, there = claim_of(release), destinations_of(claim_of(release), release.table)
    paths = write_parts(tmp_path, release.table, [], Format.CSV)
    assert verify_by_aggregation(paths, TableRelation(claim.original), claim, there).suppressed == 1


#: What is made wrong of a release, or of what it says.
WRONG = ("cell", "swap", "drop", "double", "label", "labels", "k", "suppressed", "send")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(question=asked(), data=st.data())
def test_the_same_is_refused(
    question: tuple[pl.DataFrame, Mapping[str, Any]],
    data: st.DataObject,
    tmp_path_factory: Any,  # noqa: ANN401  pytest's own
) -> None:
    """Of a release in which something is changed, or of which something else is said, both ways accept the same."""
    release = released(*question)
    if release is None or not release.table.records:
        return
    claim, there = claim_of(release), destinations_of(claim_of(release), release.table)
    rows, names = texts(release.table, release.table.names), release.table.names
    wrong = data.draw(st.sampled_from(WRONG))
    one, other = (data.draw(st.integers(0, len(rows) - 1)) for _ in range(2))
    quasi = [one.name for one in claim.schema.quasi]
    column = data.draw(st.sampled_from(quasi if wrong in {"label", "labels"} else names))
    place = names.index(column)
    cell = data.draw(st.sampled_from(["", "flu", "*", "31", "[9-40]", *(row[place] for row in rows)]))
    match wrong:
        case "labels":  # everywhere, and as it is said
            was = rows[one][place]
            rows = [(*row[:place], cell if row[place] == was else row[place], *row[place + 1 :]) for row in rows]
            said = [
                tuple(cell if name == column and text == was else text for name, text in zip(quasi, row, strict=True))
                for row in texts(there.labels, quasi)
            ]
            there = replace(there, labels=table_of(said, quasi))
        case "k":
            claim = replace(claim, models=(*claim.models, KAnonymity(data.draw(st.integers(2, 9)))))
        case "suppressed":
            claim = replace(claim, suppressed=claim.suppressed + 1)
        case "send":  # from the input of another record, of another class: within one any lineage is as good
            if texts(release.table, quasi)[one] == texts(release.table, quasi)[other]:
                return
            lineage = claim.lineage.copy()
            lineage[[one, other]] = lineage[[other, one]]
            claim = replace(claim, lineage=lineage)
            there = destinations_of(claim, release.table)
        case _:
            change(rows, wrong, (one, other), place, cell)
    if wrong != "swap" or data.draw(st.booleans()):
        order = sorted(range(len(rows)), key=lambda row: _rank(rows[row], names, quasi))
        rows = [rows[row] for row in order]
        if wrong == "swap" and rows == texts(release.table, names):
            return  # the same release, though no longer by the lineage that is claimed
        if len(order) == claim.lineage.size:
            claim = replace(claim, lineage=claim.lineage[order])
    table = table_of(rows, names)
    paths = write_parts(tmp_path_factory.mktemp("parts"), table, [3])
    file = BytesIO()
    write(table, file, Format.CSV)
    file.seek(0)
    here = accepted(lambda: verify(file, claim))
    assert (here is None) == (
        accepted(lambda: verify_by_aggregation(paths, TableRelation(claim.original), claim, there)) is None
    )


def change(rows: list[Cells], wrong: str, which: tuple[int, int], place: int, cell: str | None) -> None:
    """Change something of one record, or of two, in a column."""
    one, other = which
    first, second = rows[one], rows[other]
    if wrong == "drop":
        del rows[one]
    elif wrong == "double":
        rows[one] = second
    elif wrong == "swap":
        rows[one], rows[other] = (*first[:place], *second[place:]), (*second[:place], *first[place:])
    else:
        rows[one] = (*first[:place], cell, *first[place + 1 :])


def _rank(row: Cells, names: Sequence[str], quasi: Sequence[str]) -> list[bytes]:
    """What a record stands by in a release."""
    by = [*quasi, *(name for name in names if name not in quasi)]
    return [(row[names.index(name)] or "").encode() for name in by]


def accepted(judge: Callable[[], Verdict]) -> Verdict | None:
    """The verdict; nothing where the release is refused."""
    try:
        return judge()
    except VerificationError:
        return None


#: The sizes of the tuples and of the destinations of some groups.
GROUPS = st.lists(st.tuples(*[st.lists(st.integers(1, 3), min_size=1, max_size=3)] * 2), min_size=1, max_size=4)


@given(GROUPS)
def test_the_records_of_a_group_lie_beside_those_that_are_due(groups: list[tuple[list[int], list[int]]]) -> None:
    """One by one, whether a group has more records, or more are due; what a group lacks is counted."""
    met, short, firsts = Counter[tuple[int, int]](), 0, [0, 0]
    for sizes in groups:
        mine, there = (
            [first + place for place, size in enumerate(some) for _ in range(size)]
            for first, some in zip(firsts, sizes, strict=True)
        )
        met.update(zip(mine, there, strict=False))
        short += max(len(there) - len(mine), 0)
        firsts = [first + len(some) for first, some in zip(firsts, sizes, strict=True)]
    tuples, places = (
        [(str(group), size) for group, side in enumerate(some) for size in side] for some in zip(*groups, strict=True)
    )
    source = table_of([(group, str(place)) for place, (group, _) in enumerate(tuples)], ["age", "note"])
    weights, due = (np.array([size for _, size in some], np.int64) for some in (tuples, places))
    claim = Claim(Schema.of(quasi=["age"], sensitive=["note"]), (), source, np.empty(0, np.int64), weights=weights)
    known = table_of([(group,) for group, _ in places], ["age"])
    if short:
        with pytest.raises(VerificationError, match=rf"^{short} records? repeats? an input record"):
            SENT(claim, Destinations(known, known, due))
    else:
        found = zip(*(some.tolist() for some in SENT(claim, Destinations(known, known, due))), strict=True)
        assert {(row, of): size for row, of, size in found} == met
