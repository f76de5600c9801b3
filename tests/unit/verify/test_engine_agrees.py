"""The engine and the verifier read one grammar of labels, though neither knows the other."""

from __future__ import annotations

import io
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, get_args

import polars as pl
from hypothesis import assume, given
from hypothesis import strategies as st

from kohort.algorithms.lattice.exhaustive import Exhaustive
from kohort.algorithms.mondrian.mondrian import Cut, Mondrian
from kohort.algorithms.problem import Problem
from kohort.core.recoding import FullDomain, classes_of
from kohort.core.suppression import SuppressionLimit
from kohort.engines.pipeline import anonymize
from kohort.errors import InfeasibleError, InputError
from kohort.io.forms import Format
from kohort.io.typed import from_frame
from kohort.io.write import write
from kohort.models.alpha_k_anonymity import AlphaKAnonymity
from kohort.models.average_risk import AverageRisk
from kohort.models.basic_beta_likeness import BasicBetaLikeness
from kohort.models.delta_disclosure import DeltaDisclosure
from kohort.models.delta_presence import DeltaPresence
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.enhanced_beta_likeness import EnhancedBetaLikeness
from kohort.models.entropy_l_diversity import EntropyLDiversity
from kohort.models.k_anonymity import KAnonymity
from kohort.models.k_map import KMap
from kohort.models.maximum_risk import MaximumRisk
from kohort.models.recursive_l_diversity import RecursiveLDiversity
from kohort.models.t_closeness import TCloseness
from kohort.release import Job
from kohort.schema import Attribute, Label, Missing, Order, Role, Scale, Schema
from kohort.schema.hierarchy import Hierarchy
from kohort.tables.coded import CodedTable
from kohort.verify import Claim, verify
from tests.jobs import freely

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kohort.models.base import PrivacyModel
    from kohort.tables.table import Table

CITIES = Hierarchy.from_rows(
    [
        ["Rome", "Centre"],
        ["Bari", "South"],
        ["Naples", "South"],
        ["Milan", "North"],
        ["a-b", "North"],
        ["b, c", "North"],
    ],
    root="*",
)

NUMBERS = st.sampled_from(
    [["-6", "-1", "0", "3", "9"], ["1.5", "1.50", "-0", "0", "2", "-3.25"], [str(10**19 + place) for place in range(9)]]
)

#: What the schema may say of each column.
AS_NUMBER: tuple[Mapping[str, object], ...] = (
    {},
    {"label": Label.MEAN},
    {"label": Label.SET},
    {"scale": Scale.CATEGORICAL},
    {"missing": Missing.SUPPRESS},
)
WITH_GRID: tuple[Mapping[str, object], ...] = (
    {"grid": Fraction(5)},
    {"grid": Fraction(5, 2)},
    {"grid": (Fraction(-10), Fraction(0), Fraction(5, 2), Fraction(100))},
)
AS_CITY: tuple[Mapping[str, object], ...] = (
    {},
    {"hierarchy": CITIES},
    {"hierarchy": CITIES, "order": Order.FREQUENCY},
    {"hierarchy": CITIES, "label": Label.RANGE},
    {"hierarchy": CITIES, "label": Label.RANGE, "order": Order.SORTED},
    {"hierarchy": CITIES, "label": Label.SET},
    {"label": Label.RANGE, "order": Order.SORTED},
)
AS_TEXT: tuple[Mapping[str, object], ...] = ({}, {"label": Label.RANGE}, {"label": Label.SET, "order": Order.SORTED})


def quasi(name: str, what: Mapping[str, object]) -> Attribute:
    """A quasi-identifier."""
    return Attribute(name, Role.QUASI, **what)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


@st.composite
def jobs(draw: st.DrawFn) -> tuple[pl.DataFrame, Job]:
    """A small table with every oddity that a cell may have, and a way to anonymise it."""
    numbers = draw(NUMBERS)
    texts = st.tuples(
        st.sampled_from(["x", 'q"z', "a,b", " "]),
        st.sampled_from([*numbers, ""]),
        st.sampled_from(["", *CITIES.leaves]),
        st.sampled_from(["", "a", 'b"q', "{x}", "(missing)", "a-b", "*", "[a-b]"]),
    )
    rows = draw(st.lists(texts, min_size=3, max_size=30))
    # A grid over numbers of more than 62 bits is not asked for: it is finer than the places the engine gives them.
    ways = AS_NUMBER + (WITH_GRID if len(numbers[0]) < 9 else ())
    schema = Schema(
        (
            Attribute("income", Role.SENSITIVE),
            quasi("number", draw(st.sampled_from(ways))),
            quasi("city", draw(st.sampled_from(AS_CITY))),
            quasi("text", draw(st.sampled_from(AS_TEXT))),
        )
    )
    algorithm = Mondrian(cut=draw(st.sampled_from(["nearest", "median"])), relaxed=draw(st.booleans()))
    frame = pl.DataFrame(rows, schema=dict.fromkeys(("income", "number", "city", "text"), pl.String), orient="row")
    return frame, freely(Job(schema, (KAnonymity(2),), algorithm))


@given(jobs(), st.sampled_from([Format.CSV, Format.PARQUET]))
def test_every_release_of_the_engine_verifies(given_job: tuple[pl.DataFrame, Job], format_: Format) -> None:
    """Whatever kind of labels the schema asks for, with gaps and awkward texts, the engine's release is accepted."""
    frame, job = given_job
    try:
        release = anonymize(frame, job)  # verifies the cells
    except InfeasibleError:
        return
    except InputError as error:
        assume("spelled like a label" not in error.what)
        raise
    file = io.BytesIO()
    write(release.table, file, format_)
    file.seek(0)
    suppressed = release.source.records - release.table.records
    claim = Claim(release.job.schema, job.models, release.source, release.lineage, suppressed, format_)
    assert verify(file, claim).smallest >= 2


# ── Full-domain generalization ───────────────────────────────────────────────────────────────────


AGES = Hierarchy.from_rows([[str(age), f"{age // 10}0-{age // 10}9", "[20-40]"] for age in range(20, 41)], root="*")
UNKNOWN = Hierarchy.from_rows([["", "unknown"], ["x", "known"], [" ", "known"], ["a-b", "unknown"]], root="*")

#: Values of each column, and hierarchies over them; missing ones are drawn besides.
ON_LEVELS: Mapping[str, tuple[Sequence[str], Sequence[Hierarchy | str]]] = {
    "age": (["20", "24", "29", "30", "40"], [AGES, "intervals:5,10", "intervals:20..40:5,10", "frequency:2"]),
    "sum": (["1.5", "1.50", "-0.00", "0.0", "-0", "0", "2", "-3.25"], ["intervals:0.5,1", "suppress", "frequency:1"]),
    "day": (["2023-12-31", "2024-01-01", "2024-02-29"], ["dates", "dates:year", "mask:right", "frequency:50%"]),
    "city": (CITIES.leaves, [CITIES, "suppress"]),
    "text": (["x", " ", "a-b"], [UNKNOWN, "mask:right:_", "frequency:1"]),
}


@st.composite
def lattice_claims(draw: st.DrawFn) -> tuple[Table, Claim] | None:
    """A release of a lattice method over a small table, and what it says of itself; nothing where there is none."""
    names = draw(st.lists(st.sampled_from(sorted(ON_LEVELS)), min_size=1, max_size=3, unique=True))
    cells = [st.sampled_from(["", "?", *ON_LEVELS[name][0]]) for name in names]
    rows = draw(st.lists(st.tuples(st.sampled_from(["flu", "gout"]), *cells), min_size=2, max_size=24))
    ways = {
        name: {
            "hierarchy": draw(st.sampled_from(ON_LEVELS[name][1])),
            "label": Label.ANCESTOR,
            "missing": draw(st.sampled_from([Missing.VALUE, Missing.VALUE, Missing.SUPPRESS])),
        }
        for name in names
    }
    quasis = (quasi(name, way) for name, way in ways.items())
    schema = Schema((Attribute("illness", Role.SENSITIVE), *quasis), frozenset({"?"}))
    frame = pl.DataFrame(rows, schema=dict.fromkeys(["illness", *names], pl.String), orient="row")
    source = from_frame(frame.with_columns(pl.col(names).replace("", draw(st.sampled_from(["", None])))))
    engine, models = CodedTable(source, schema), (KAnonymity(2),)
    frequency, limit = engine.count(), SuppressionLimit.of(draw(st.sampled_from(["0", "2", "25%", "100%"])))
    try:
        recoding = Exhaustive(limit).solve(Problem(frequency, engine.domains, models)).recoding
    except InfeasibleError:
        return None
    assert isinstance(recoding, FullDomain)
    classes = classes_of(recoding, frequency, engine.domains)
    recoded = engine.recode(recoding, classes)
    suppressed = engine.suppressed + classes.suppressed
    levels, allowed = dict(zip(names, recoding.levels, strict=True)), limit.among(frequency.records)
    return recoded.table, Claim(schema, models, source, recoded.lineage, suppressed, levels=levels, limit=allowed)


@given(made=lattice_claims(), format_=st.sampled_from([Format.CSV, Format.TSV, Format.PARQUET]), safe=st.booleans())
def test_every_full_domain_release_of_the_engine_verifies(
    made: tuple[Table, Claim] | None, format_: Format, *, safe: bool
) -> None:
    """Over numbers, dates and names, with gaps and whatever builds the hierarchies, the engine's release verifies."""
    if made is None:
        return
    table, claim = made
    safe = safe and format_ is not Format.PARQUET
    file = io.BytesIO()
    write(table, file, format_, excel_safe=safe)
    file.seek(0)
    assert verify(file, replace(claim, format=format_, excel_safe=safe)).smallest >= 2


# ── Every model ──────────────────────────────────────────────────────────────────────────────────


#: What may be asked of classes.
ASKED: tuple[PrivacyModel, ...] = (
    DistinctLDiversity("illness", 2),
    EntropyLDiversity("illness", Fraction(3, 2)),
    RecursiveLDiversity("illness", Fraction(2), 2),
    TCloseness("illness", Fraction(1, 3)),
    TCloseness("days", Fraction(1, 3)),
    AlphaKAnonymity("illness", Fraction(2, 3), 2),
    DeltaDisclosure("illness", Fraction(1)),
    BasicBetaLikeness("illness", Fraction(1)),
    EnhancedBetaLikeness("illness", Fraction(2)),
    MaximumRisk(Fraction(1, 3)),
    AverageRisk(Fraction(2, 5)),
    KMap(3),
    DeltaPresence(Fraction(0), Fraction(2, 3)),
    DeltaPresence(Fraction(1, 5), Fraction(1)),
)

#: Every way to cut.
MONDRIANS = tuple(Mondrian(cut, relaxed=relaxed) for cut in get_args(Cut) for relaxed in (False, True))

SENSITIVE = (
    Attribute("illness", Role.SENSITIVE, missing=Missing.VALUE),
    Attribute("days", Role.SENSITIVE, missing=Missing.SUPPRESS),
)


@st.composite
def questions(draw: st.DrawFn, *, full_domain: bool) -> tuple[pl.DataFrame, pl.DataFrame | None, Job]:
    """A small table of people with several records, perhaps a population, and models of all kinds."""
    ages = ["20", "24", "29", "30", "40", ""]
    rows = draw(
        st.lists(
            st.tuples(
                st.sampled_from("abcdefghijkl"),
                st.sampled_from(ages),
                st.sampled_from(CITIES.leaves),
                st.sampled_from(["flu", "FLU", "gout", "gout", "HIV", ""]),
                st.sampled_from(["1", "2", "2.0", "9", ""]),
            ),
            min_size=4,
            max_size=30,
        )
    )
    frame = pl.DataFrame(rows, schema=dict.fromkeys(("who", "age", "city", "illness", "days"), pl.String), orient="row")
    models = draw(st.lists(st.sampled_from(ASKED), min_size=1, max_size=3, unique=True))
    nodes = {"hierarchy": CITIES} if full_domain or draw(st.booleans()) else {}
    known = None
    if any(model.declared.population for model in models):
        others = draw(st.lists(st.tuples(st.sampled_from(ages), st.sampled_from(CITIES.leaves)), max_size=20))
        also = pl.DataFrame(others, schema={"age": pl.String, "city": pl.String}, orient="row")
        known = pl.concat([frame.select("age", "city"), also])
    aged: Mapping[str, object] = {"hierarchy": draw(st.sampled_from([AGES, "intervals:5,10"]))} if full_domain else {}
    columns = (Attribute("who", Role.IDENTIFYING), quasi("age", aged), quasi("city", nodes), *SENSITIVE)
    limit = SuppressionLimit.of(draw(st.sampled_from(["0", "25%", "100%"])))
    return (
        frame,
        known,
        freely(
            Job.of(
                Schema(columns, person=draw(st.sampled_from([None, "who"]))),
                *dict.fromkeys(models),
                algorithm=Exhaustive(limit) if full_domain else draw(st.sampled_from(MONDRIANS)),
            )
        ),
    )


@given(questions(full_domain=False) | questions(full_domain=True))
def test_what_the_search_found_satisfies_every_model(
    question: tuple[pl.DataFrame, pl.DataFrame | None, Job],
) -> None:
    """Search and verification judge people, values and populations alike, and leave out the same classes."""
    frame, known, job = question
    try:
        release = anonymize(frame, job, population=known)
    except InfeasibleError:
        return
    assert release.verdict is not None
    assert release.verdict.models == tuple(model.name for model in job.models)
