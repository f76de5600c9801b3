"""Neighbouring tables: what is published beside a release is a function of its bytes, the job, and counts of records.

Whoever knows everybody but one person, and has the releases with that person and without, then learns from their
certificates, public pages, metadata and manifests no more than the released bytes show. Sweeps release no bytes: their
files are so coarse that two of them differ by what several people are worth, or not at all.
"""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import polars as pl
import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

import kohort
from kohort import (
    Attribute,
    Coherence,
    Hierarchy,
    Job,
    KAnonymity,
    Listed,
    Mondrian,
    Optimal,
    Role,
    Schema,
    SuppressionLimit,
    TransactionJob,
)
from kohort.certificate.again import read_certificate
from kohort.errors import InfeasibleError, InputError
from kohort.io.forms import Format
from kohort.job.sweeps.frame import Axis
from kohort.job.sweeps.picture import chart
from kohort.job.sweeps.table_figures import TABLES as SWEEPS
from kohort.job.sweeps.tables import Point, TableSweep
from kohort.perturbation.coding import Coding
from kohort.perturbation.microaggregation import Microaggregation
from kohort.perturbation.noise import Noise
from kohort.perturbation.rounding import Rounding
from kohort.release.job import Writing
from kohort.report.metadata import PLUGINS
from kohort.report.metadata.dataset import dataset
from kohort.report.page import Audience, page
from kohort.report.page.audience import FEW_DIGITS, FEWEST, coarse, step
from kohort.schema import Label, Missing
from kohort.specification import plugins
from kohort.transactions.report.page import transactions_page
from kohort.transactions.sweep import METHODS as TRANSACTION_METHODS
from tests.jobs import freely

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.algorithms.problem import Algorithm
    from kohort.perturbation.base import Perturbation
    from kohort.release import Release
    from kohort.report.metadata.dataset import Vocabulary

VOCABULARIES: Final = cast("Mapping[str, Vocabulary]", plugins("kohort.metadata", PLUGINS))
CITIES: Final = Hierarchy.from_rows(
    [["Bari", "Sud"], ["Lecce", "Sud"], ["Pavia", "Nord"], ["Torino", "Nord"]], root="*"
)
COLUMNS: Final = ("name", "age", "city", "illness", "pay", "note")


class Person(NamedTuple):
    """A record; age and pay may be missing."""

    name: str
    age: str
    city: str
    illness: str
    pay: str
    note: str


PEOPLE: Final = st.builds(
    Person,
    st.sampled_from(["Ada Rossi", "Ugo Bianchi", "Eva Neri"]),
    st.one_of(st.integers(0, 119).map(str), st.integers(30, 49).map(str)),
    st.sampled_from(["Bari", "Lecce", "Pavia", "Torino"]),
    st.sampled_from(["flu", "gout", "Flu "]),
    st.one_of(st.integers(0, 99_999).map(str), st.integers(30_000, 30_999).map(str), st.just("30500.5"), st.just("")),
    st.sampled_from(["", "x", "y"]),
)
TABLES: Final = st.lists(PEOPLE, min_size=6, max_size=14)

#: How ages are released: as cells of a grid, as ranges, means, sets, or nodes of a hierarchy.
AGES: Final = {
    "grid": Attribute("age", Role.QUASI, grid=Fraction(20)),
    "bounded": Attribute("age", Role.QUASI, grid=Fraction(20), bounds=(Fraction(0), Fraction(200))),
    "range": Attribute("age", Role.QUASI),
    "mean": Attribute("age", Role.QUASI, label=Label.MEAN),
    "set": Attribute("age", Role.QUASI, "categorical"),  # type: ignore[arg-type]
    "nodes": Attribute("age", Role.QUASI, hierarchy="intervals:0..120:20,60"),
    "frequency": Attribute("age", Role.QUASI, hierarchy="mask:right"),
}
PERTURBATIONS: Final[dict[str, tuple[Perturbation, ...]]] = {
    "none": (),
    "rounding": (Rounding("pay", step=Fraction(1000)),),
    "coding": (Coding("pay", top=Fraction(30_000)),),
    "groups": (Microaggregation(("pay",)),),
    "noise": (Noise("pay", decimals=0),),
}
METHODS: Final[dict[str, Algorithm]] = {
    "mondrian": Mondrian(),
    "optimal": Optimal(limit=SuppressionLimit.of("60%")),
}


class Way(NamedTuple):
    """How a table is released."""

    age: str
    perturbation: str = "rounding"
    method: str = "mondrian"
    person: bool = False
    complete: bool = False
    parts: bool = False
    k: int = 2


def fitting(way: Way, method: str) -> Way:
    """The way by a method that it goes with."""
    return way._replace(method=method if way.age in {"nodes", "frequency"} else "mondrian")


#: Ways that go together: only nodes have levels.
WAYS: Final = st.builds(
    fitting,
    st.builds(
        Way,
        st.sampled_from([*AGES]),
        st.sampled_from([*PERTURBATIONS]),
        person=st.booleans(),
        complete=st.booleans(),
        parts=st.booleans(),
        k=st.sampled_from([2, 3]),
    ),
    st.sampled_from([*METHODS]),
)


def job_of(way: Way) -> Job:
    """The job of a way of releasing."""
    missing = Missing.SUPPRESS
    schema = Schema(
        (
            Attribute("name", Role.IDENTIFYING),
            replace(AGES[way.age], missing=missing) if way.perturbation == "none" else AGES[way.age],
            Attribute("city", Role.QUASI, hierarchy=CITIES),
            Attribute("illness", Role.SENSITIVE),
            Attribute("pay", Role.SENSITIVE),
            Attribute("note", Role.DROP),
        ),
        person="name" if way.person else None,
    )
    job = Job.of(
        schema,
        KAnonymity(way.k),
        algorithm=METHODS[way.method],
        perturbations=PERTURBATIONS[way.perturbation],
        complete=("pay",) if way.complete else (),
        seed=7 if way.perturbation == "noise" else None,
        insecure_reproducible=way.perturbation == "noise",
    )
    return replace(freely(job), writing=Writing(format=Format.CSV, records_per_part=4 if way.parts else None))


class Published(NamedTuple):
    """What anybody has: the released bytes, the job and the counts, and the documents beside them."""

    shown: str
    documents: dict[str, str]


def published_by(people: list[Person], way: Way) -> Published | None:
    """A release of these people, and all that is published beside it; `None` where there is none."""
    frame = pl.DataFrame([[*one] for one in people], schema=[*COLUMNS], orient="row")
    try:
        release = kohort.anonymize(frame, job_of(way))
    except (InfeasibleError, InputError):
        return None
    with TemporaryDirectory() as folder:
        return _published(release, Path(folder))


def _published(release: Release, folder: Path) -> Published:
    """The same of a release, saved in a folder."""
    parts = release.job.writing.records_per_part is not None
    saved = release.save(f"{folder}/release/" if parts else folder / "release.csv")
    assert isinstance(saved.certificate, Path)
    data = dataset(read_certificate(saved.certificate), saved.certificate.name)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    documents = {path.name: path.read_text("utf-8") for path in files if path.suffix == ".json"}
    released = [path.read_text("utf-8") for path in files if path.suffix != ".json"]
    documents |= {name: json.dumps(made(data)) for name, made in VOCABULARIES.items()}
    documents["page"] = json.dumps(page(saved, audience=Audience.PUBLIC).as_json())
    counts = [release.source.records, release.suppressed, release.incomplete, release.people]
    assert release.verdict is not None
    counts.append(release.verdict.smallest)  # in people, where there is a person key
    return Published(json.dumps([released, counts, release.job.described()]), documents)


def of_json(documents: dict[str, str]) -> dict[str, Any]:
    """The documents, for a comparison that shows what differs."""
    return {name: json.loads(text) for name, text in documents.items()}


@given(people=TABLES, one=PEOPLE, other=PEOPLE, way=WAYS)
def test_candidates_for_a_person_that_give_one_release_give_one_set_of_documents(
    people: list[Person], one: Person, other: Person, way: Way
) -> None:
    """One record more: of two people that it may be, with one name where people are counted."""
    if way.person:
        other = other._replace(name=one.name)
    first, second = (published_by([*people, candidate], way) for candidate in (one, other))
    same = first is not None and second is not None and first.shown == second.shown
    event(f"one release: {same}")
    if first is not None and second is not None and same:
        assert of_json(first.documents) == of_json(second.documents)


@st.composite
def moves(draw: st.DrawFn) -> tuple[list[Person], list[Person]]:
    """A table, and the same with another cell of one record; an age or a pay is often in the same cell or step."""
    people, person, column = draw(TABLES), draw(PEOPLE), draw(st.sampled_from(COLUMNS))
    place = draw(st.integers(0, len(people) - 1))
    was, value = getattr(people[place], column), getattr(person, column)
    if column in {"age", "pay"} and was.isdigit() and draw(st.booleans()):
        wide = 20 if column == "age" else 500
        value = str(int(was) // wide * wide + draw(st.integers(0, wide - 1)))
    return people, [*people[:place], people[place]._replace(**{column: value}), *people[place + 1 :]]


@given(tables=moves(), way=WAYS)
def test_a_cell_that_moves_no_released_byte_moves_no_document(
    tables: tuple[list[Person], list[Person]], way: Way
) -> None:
    """Certificate, page, metadata and manifest do not tell which of two values that the release hides a cell had.

    With a person key people are counted, so who has which records must be the same.
    """
    names = [[one.name for one in people] for people in tables]
    assume(not way.person or [*map(names[0].index, names[0])] == [*map(names[1].index, names[1])])
    first, second = (published_by(people, way) for people in tables)
    same = first is not None and second is not None and first.shown == second.shown
    event(f"one release: {same}")
    if first is not None and second is not None and same:
        assert of_json(first.documents) == of_json(second.documents)


#: A table of two classes by age, and of three records that a release on levels leaves out.
FEW: Final = [
    Person(f"{who} Rossi", age, "Bari", illness, str(30_000 + 100 * place), "x")
    for place, (who, age, illness) in enumerate(
        zip("ABCDEFGH", ["20", "21", "25", "38", "60", "64", "70", "79"], ["flu", "gout"] * 4, strict=True)
    )
]
ALONE: Final = Person("Z Rossi", "101", "Torino", "flu", "77000", "x")


@pytest.mark.parametrize(
    ("way", "column", "value"),
    [
        (Way("grid"), "pay", "30321"),  # within the step of its rounding
        (Way("grid"), "age", "27"),  # within its cell of the grid
        (Way("range", k=4), "age", "26"),  # inside the range of its class
        (Way("range", k=4), "age", "20"),  # nobody is alone at the end of the range any more
        (Way("bounded", parts=True), "age", "39"),
        (Way("nodes", method="optimal"), "age", "39"),
        (Way("grid"), "name", "Somebody Else"),  # an identifying column
        (Way("grid"), "name", "A Rossi"),  # of which there is a value less
        (Way("grid"), "note", "y"),  # a dropped column
        (Way("grid", "coding"), "pay", "99999"),  # above the top
        (Way("grid", person=True), "name", "Somebody Else"),
    ],
)
def test_what_the_release_hides_no_document_shows(way: Way, column: str, value: str) -> None:
    """The release is the same to the byte where a cell is another that it hides, and so is all beside it."""
    people = [*FEW]
    people[2] = people[2]._replace(**{column: value})
    if way.perturbation == "coding":
        people[2] = people[2]._replace(pay=value)
        known = [*FEW]
        known[2] = known[2]._replace(pay="50000")
    else:
        known = FEW
    one, other = published_by([*known], way), published_by(people, way)
    assert one is not None
    assert other is not None
    assert one.shown == other.shown
    assert of_json(one.documents) == of_json(other.documents)


@pytest.mark.parametrize(
    ("perturbation", "column", "value"),
    [
        ("rounding", "age", "119"),
        ("rounding", "pay", "1"),
        ("rounding", "illness", "plague"),
        ("rounding", "name", "A Rossi"),
        ("coding", "pay", "20000.125"),  # which has more decimals than any other
        ("none", "age", ""),  # a missing value, for which it is left out, too
    ],
)
def test_a_suppressed_record_is_in_no_document(perturbation: str, column: str, value: str) -> None:
    """Whatever a record is that is left out, only the number of those tells of it."""
    way = Way("nodes", perturbation, "optimal")
    one, other = (published_by([*FEW, last], way) for last in (ALONE, ALONE._replace(**{column: value})))
    assert one is not None
    assert other is not None
    assert json.loads(one.shown)[1][1] > 0
    assert one.shown == other.shown
    assert of_json(one.documents) == of_json(other.documents)


# ── Transactions ─────────────────────────────────────────────────────────────────────────────────

#: The jobs of three methods: two that drop items everywhere, and one that suppresses single cells.
SHOPS: Final = {
    method: TransactionJob(
        coherence=Coherence.of(h="0.8", k=2, p=2),
        roles=Listed(private=("x",), absent=True),
        algorithm=TRANSACTION_METHODS[method],
    )
    for method in ("mmil", "all", "cells")
}
BASKETS: Final = st.lists(st.frozensets(st.sampled_from("abcdexyz"), min_size=1), min_size=6, max_size=14)


def shop(baskets: list[frozenset[str]], method: str) -> Published | None:
    """A coherent release of these baskets, and what is published beside it; `None` where there is none."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "baskets.txt")
        path.write_text("".join(f"{' '.join(sorted(one))}\n" for one in baskets), encoding="utf-8")
        try:
            release = kohort.anonymize_transactions(path, SHOPS[method])
        except InfeasibleError:
            return None
        saved = release.save(Path(folder, "release.txt"))
        assert isinstance(saved.certificate, Path)
        documents = {
            "certificate": saved.certificate.read_text("utf-8"),
            "page": json.dumps(transactions_page(saved, audience=Audience.PUBLIC).as_json()),
        }
        data = dataset(read_certificate(saved.certificate), saved.certificate.name)
        documents |= {name: json.dumps(made(data)) for name, made in VOCABULARIES.items()}
        return Published(Path(folder, "release.txt").read_text("utf-8"), documents)


@given(
    baskets=BASKETS,
    place=st.integers(0, 13),
    item=st.sampled_from("abcdexyz"),
    method=st.sampled_from([*SHOPS]),
)
def test_an_item_that_moves_no_released_byte_moves_no_document(
    baskets: list[frozenset[str]], place: int, item: str, method: str
) -> None:
    """One transaction has an item more or less, which the release lacks either way."""
    place %= len(baskets)
    moved = [*baskets]
    moved[place] ^= {item}
    first, second = shop(baskets, method), shop(moved if moved[place] else baskets, method)
    if first is not None and second is not None and first.shown == second.shown:
        assert of_json(first.documents) == of_json(second.documents)


@pytest.mark.parametrize("item", ["d", "z"])
def test_a_dropped_item_is_counted_in_no_document(item: str) -> None:
    """A rare item is dropped: whether a person has it, too, stands in no certificate and on no public page."""
    baskets = [frozenset("ab"), frozenset("abx")] * 4 + [frozenset("abd")]
    one, other = shop(baskets, "mmil"), shop([frozenset({"a", "b", item}), *baskets[1:]], "mmil")
    assert one is not None
    assert other is not None
    assert item not in one.shown + other.shown or item == "d"
    if one.shown == other.shown:
        assert of_json(one.documents) == of_json(other.documents)


# ── Sweeps ───────────────────────────────────────────────────────────────────────────────────────


def swept(people: list[Person], *, declared: bool = False) -> TableSweep:
    """A sweep over four values of k, as its files show it; ages in declared cells, or as ranges."""
    frame = pl.DataFrame([[one.age, one.city] for one in people], schema=["age", "city"], orient="row")
    vary = {"k": [2, 3, 5, 8]}
    if not declared:
        return SWEEPS.published(kohort.sweep(frame, quasi=["age", "city"], vary=vary, no_grid=True))
    cells = {"age": 20}
    return SWEEPS.published(kohort.sweep(frame, quasi=["age", "city"], vary=vary, bounds={"age": (0, 120)}, grid=cells))


@given(value=st.floats(0.0001, 10_000), other=st.floats(0.0001, 10_000), least=st.floats(0.001, 100))
def test_coarse_figures_differ_by_several_people_or_by_nothing(value: float, other: float, least: float) -> None:
    """Two figures that are rounded alike are equal, or a step apart that is worth enough people."""
    apart = abs(coarse(value, least) - coarse(other, least))
    assert apart == 0 or apart >= step(least) * (1 - 1e-9)
    assert len(f"{coarse(value):.12g}".replace(".", "").strip("0")) <= FEW_DIGITS


@given(people=TABLES, person=PEOPLE)
def test_a_person_more_moves_a_sweep_by_several_people_or_not_at_all(people: list[Person], person: Person) -> None:
    """The difference of two published sweeps, one with a person more, is nothing or what several people are worth."""
    one, other = (swept(some) for some in (people, [*people, person]))
    for before, after in zip(one.points, other.points, strict=True):
        least = max(FEWEST, int(before.values[0]))
        each = step(least / one.records)
        if before.found and after.found and each == step(least / other.records):  # else they are rounded otherwise
            apart = [abs(loss - after.losses[name]) for name, loss in before.losses.items()]
            assert all(one == 0 or one >= each * (1 - 1e-9) for one in apart)


@given(
    k=st.integers(1, 300),
    more=st.lists(st.integers(0, 900), min_size=1, max_size=60),
    suppressed=st.integers(0, 500),
    each=st.integers(1, 3),
)
def test_rounded_figures_of_a_sweep_fit_each_other(k: int, more: list[int], suppressed: int, each: int) -> None:
    """Average <= highest <= 1 / k, k <= smallest <= largest, and no risk is below the exact one."""
    people = [k + one for one in more]
    exact = Point(
        values=(str(k),),
        released=each * sum(people),
        suppressed=suppressed,
        classes=len(people),
        smallest=each * min(people),
        largest=each * max(people),
        highest=1 / min(people),
        average=len(people) / sum(people),
    )
    records = exact.released + suppressed
    (shown,) = SWEEPS.published(TableSweep((Axis("k", exact.values),), records, {}, (exact,))).points
    assert exact.highest <= shown.highest <= 1 / k
    assert exact.average <= shown.average <= shown.highest
    assert k <= shown.smallest <= min(exact.smallest, shown.largest)
    most = shown.released // shown.smallest
    assert 1 <= min(ceil(shown.released / shown.largest), most) <= shown.classes <= most
    assert (shown.released + shown.suppressed, shown.suppressed) == (records, min(shown.suppressed, suppressed))


@given(people=TABLES)
def test_a_sweep_shows_no_class_below_k(people: list[Person]) -> None:
    """What a real sweep publishes fits together, too: no class below k, no average above the highest risk."""
    for one in (one for one in swept(people).points if one.found):
        k = int(one.values[0])
        assert k <= one.smallest <= one.largest
        assert 0 < one.average <= one.highest <= 1 / k


@given(people=TABLES, place=st.integers(0, 13), years=st.integers(0, 19))
def test_whoever_moves_within_a_public_cell_moves_no_sweep(people: list[Person], place: int, years: int) -> None:
    """Where bounds and grids are declared, files of sweeps are the same to the byte."""
    place %= len(people)
    age = int(people[place].age) // 20 * 20 + years
    moved = [*people[:place], people[place]._replace(age=str(age)), *people[place + 1 :]]
    one, other = (swept(some, declared=True) for some in (people, moved))
    assert SWEEPS.csv_text(one) == SWEEPS.csv_text(other)
    assert SWEEPS.json_text(one) == SWEEPS.json_text(other)
    assert chart(one, None) == chart(other, None)
