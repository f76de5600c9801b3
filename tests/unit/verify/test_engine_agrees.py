"""The engine and the verifier read one grammar of labels, though neither knows the other."""

from __future__ import annotations

import io
from fractions import Fraction
from typing import TYPE_CHECKING

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from kohort.algorithms.mondrian import Mondrian
from kohort.errors import InfeasibleError
from kohort.hierarchy import Hierarchy
from kohort.io.write import Format, write
from kohort.models.k_anonymity import KAnonymity
from kohort.pipeline import anonymize
from kohort.release import Job
from kohort.schema import Attribute, Label, Missing, Order, Role, Scale, Schema
from kohort.verify import Claim, verify

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    return frame, Job(schema, (KAnonymity(2),), algorithm)


@given(jobs(), st.sampled_from([Format.CSV, Format.PARQUET]))
def test_every_release_of_the_engine_verifies(given_job: tuple[pl.DataFrame, Job], format_: Format) -> None:
    """Whatever kind of labels the schema asks for, with gaps and awkward texts, the engine's release is accepted."""
    frame, job = given_job
    try:
        release = anonymize(frame, job)  # verifies the cells
    except InfeasibleError:
        return
    file = io.BytesIO()
    write(release.table, file, format_)
    file.seek(0)
    suppressed = release.source.records - release.table.records
    claim = Claim(release.job.schema, job.models, release.source, release.lineage, suppressed, format_)
    assert verify(file, claim).smallest >= 2
