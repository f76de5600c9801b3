"""Released columns from which a hidden one can be guessed are told of: by their definition, in every engine."""

from __future__ import annotations

import random
import warnings
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kohort
from kohort.assessment.risk import telling
from kohort.assessment.risk.telling import Hidden, tellings
from kohort.engines.pipeline import anonymize, dry_run
from kohort.errors import LimitError, SourceNote
from kohort.io import read
from kohort.report.release import source_notes
from kohort.sql.duckdb import DuckDB
from kohort.sql.remote import RemoteEngine
from kohort.sql.spark import Spark
from kohort.sql.spark_session import Cluster
from tests.engines.test_spark import MASTER, QUICK, needs_spark
from tests.reference.telling import told

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from kohort.assessment.risk.telling import Telling
    from kohort.engines.base import Engine
    from kohort.release import Job

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::FutureWarning")

BASE = DuckDB.opened(None, None)

DRAW = random.Random(8)  # noqa: S311  no secret
COUNTRY = [DRAW.choice("abcdefghij") for _ in range(300)]
FRAME = pl.DataFrame(
    {
        "country": COUNTRY,
        "age": [str(DRAW.randint(20, 80)) for _ in COUNTRY],
        "code": [str(100 + ord(one)) for one in COUNTRY],
        "vote": [DRAW.choice(["yes", "no"]) for _ in COUNTRY],
    }
)


def job(*allowed: str) -> Job:
    """Country and age are generalized; a code of the country and the vote are not."""
    schema = kohort.Schema.of(quasi=["country", "age"], sensitive=["code", "vote"])
    return kohort.Job.of(schema, kohort.KAnonymity(5), allow_singling=allowed, no_model=("code", "vote"))


def found(released: Mapping[str, Sequence[str]], hidden: Sequence[str], labels: Sequence[int] = ()) -> list[Telling]:
    """What is told of a hidden column."""
    table = read(pl.DataFrame({**released, "hidden": hidden}), kohort.ReadOptions(allow_empty=True))
    of = np.array(labels, np.int64) if labels else None
    return tellings([table[name] for name in released], [Hidden(table["hidden"], of)], [""])


def drawn(seed: int, records: int, values: int) -> list[str]:
    """Values that have nothing to do with anything."""
    return [str(one) for one in np.random.default_rng(seed).integers(0, values, records)]


@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, 2), st.integers(0, 3), st.integers(0, 1)),
        min_size=30,
        max_size=120,
    ),
    st.sampled_from(["x", ""]),
    st.integers(0, 3),
)
def test_what_is_told_is_what_the_definition_says(
    rows: list[tuple[int, int, int, int, int]], names: str, noise: int
) -> None:
    """One person after another, the same sets tell, the same shares of them, and the same is left after dropping."""
    columns = {name: [f"v{row[place]}" for row in rows] for place, name in enumerate("abc")}
    hidden = [
        "" if (a + d) % 7 == 6 else f"{names}{a // 2 + 3 * (b > 1) if at % 5 >= noise else d}"
        for at, (a, b, _, d, _) in enumerate(rows)
    ]
    labels = [row[4] for row in rows]
    shares = told(columns, hidden, [str(one) for one in labels])
    sets = {one: share for one, share in shares.items() if share > 0.9}
    here = found(columns, hidden, labels)
    assert {names: share for one in here for names, share in zip(one.sets, one.shares, strict=True)} == pytest.approx(
        sets
    )
    for one in here:
        left = [share for names, share in shares.items() if not {*names} & {*one.drop}]
        assert one.left == pytest.approx(max(left, default=0.0))
        assert all({*names} & {*one.drop} for names in sets)


def each(records: int, make: Callable[[int], object]) -> list[str]:
    """A cell for each record."""
    return [str(make(place)) for place in range(records)]


BIRTHS = each(600, lambda place: "" if place % 2 or place % 10 == 0 else place % 4)  # few women have none
ONE, TWO, THREE = (drawn(seed, 900, 3) for seed in (1, 2, 3))
PAIR = each(900, lambda place: f"p{(int(ONE[place]) + int(TWO[place])) % 3}")
ALL_THREE = each(900, lambda place: f"p{(int(ONE[place]) + int(TWO[place]) + int(THREE[place])) % 3}")
DAYS = each(700, lambda place: f"2020-01-{1 + place % 28:02}")


@pytest.mark.parametrize(
    ("released", "hidden", "sets"),
    [
        ({"births": BIRTHS}, each(600, lambda place: "m" if place % 2 else "f"), [("births",)]),
        ({"older": each(600, lambda place: place % 60 > 30)}, each(600, lambda place: 18 + place % 60), [("older",)]),
        ({"a": ONE, "b": TWO, "c": THREE}, PAIR, [("a", "b")]),
        ({"a": ONE, "b": TWO, "c": THREE}, ALL_THREE, [("a", "b", "c")]),
        ({"fine": each(700, lambda place: f"{place / 7:.4f}")}, each(700, lambda place: place // 20), [("fine",)]),
        ({"month": each(700, lambda place: place % 3)}, DAYS, []),
        ({"older": each(700, lambda place: place % 28 // 14)}, DAYS, [("older",)]),
    ],
    ids=["births", "older", "pair", "three", "fine number", "other days", "days"],
)
def test_what_an_attacker_would_guess_is_told(
    released: dict[str, list[str]], hidden: list[str], sets: list[tuple[str, ...]]
) -> None:
    """A flag that most of one sex have, a cut of a number or of days, two and three columns together, fine numbers."""
    assert [names for one in found(released, hidden) for names in one.sets] == sets


@pytest.mark.parametrize(
    ("released", "hidden", "labels"),
    [
        ({"vote": drawn(1, 600, 2)}, ["no" if place % 20 else "yes" for place in range(600)], ()),  # everybody has it
        ({"vote": drawn(1, 600, 2)}, ["no" if place % 9 else "yes" for place in range(600)], ()),  # nearly so
        ({"row": [f"r{place}" for place in range(600)]}, drawn(3, 600, 4), ()),
        ({"twins": [f"r{place // 2}" for place in range(600)]}, drawn(3, 600, 2), ()),
        ({"one": ["x"] * 600}, drawn(3, 600, 2), ()),
        ({"few": drawn(5, 15, 3)}, drawn(5, 15, 3), ()),
        ({"code": drawn(5, 600, 3)}, drawn(5, 600, 3), [*map(int, drawn(5, 600, 3))]),  # the label says it
        ({"some": [*"ab"] * 300}, [str(place % 4) for place in range(600)], [place % 2 for place in range(600)]),
        ({"code": []}, [], ()),
    ],
    ids=["all", "most", "own", "pairs", "constant", "few", "label", "half of the label", "nobody"],
)
def test_what_everybody_has_and_what_labels_tell_is_not_told(
    released: dict[str, list[str]], hidden: list[str], labels: list[int]
) -> None:
    """Nor what chance explains: values of one or two records, few records, one value for all."""
    assert found(released, hidden, labels) == []


def test_values_of_nobody_are_told_of_no_column() -> None:
    """No column is released, or none is hidden: nothing is told, and nothing fails."""
    table = read(pl.DataFrame({"a": [*"xy"]}))
    assert tellings([], [Hidden(table["a"])]) == tellings([table["a"]], []) == []


def test_of_many_columns_those_that_tell_most_are_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """No more sets are counted than of so many columns: a pair is found among others that say nothing."""
    columns = {f"n{at}": drawn(at, 900, 4) for at in range(12)}
    columns |= {"a": drawn(20, 900, 6), "b": drawn(21, 900, 3)}
    hidden = [f"x{int(a) // 2}{b}" for a, b in zip(columns["a"], columns["b"], strict=True)]
    counted = list[int]()
    parts = vars(telling)["_Parts"]
    before = parts.told_by

    def told_by(self: object, keys: Sequence[object]) -> object:
        counted.append(len(keys))
        return before(self, keys)

    monkeypatch.setattr(parts, "told_by", told_by)
    (one,) = found(columns, hidden)
    assert one.sets == (("a", "b"),)
    assert [counted.count(several) for several in (1, 2, 3)] == [14, 15, 16]


def test_a_sentence_names_no_value() -> None:
    """Columns, shares, what to drop, and what is left."""
    (one,) = found(
        {"births": BIRTHS, "vote": drawn(1, 600, 2)}, ["male" if place % 2 else "female" for place in range(600)]
    )
    assert one.told.startswith(
        "hidden, which the release hides, can be guessed from births for 100 % of the people with"
    )
    assert "drop births or make it quasi-identifying, unless that is harmless" in one.told
    assert one.told.endswith("; the other columns then reveal at most 0 %")
    assert "male" not in one.told


# ── releases ─────────────────────────────────────────────────────────────────────────────────────


def engine_on(base: str, together: int | None) -> Engine:
    """An engine of a database."""
    database = BASE if base == "duckdb" else Spark.opened(Cluster(MASTER, QUICK))
    return RemoteEngine(database, together=together)


def test_a_release_tells_in_its_notes_and_warns_where_nothing_was_allowed() -> None:
    """Each run says so; a column that was allowed by name is not warned of."""
    with pytest.warns(SourceNote, match="country, which the release hides, can be guessed from code") as warned:
        made = kohort.anonymize(FRAME, job())
    assert [str(one.message) for one in warned] == [one.told for one in made.telling] == [*source_notes(made)]
    assert [(one.hidden, one.sets, one.drop) for one in made.telling] == [("country", (("code",),), ("code",))]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert kohort.anonymize(FRAME, job("code")).telling == made.telling


def test_what_the_labels_of_the_release_tell_is_not_told() -> None:
    """Where each country is a class of its own, a code for it gives nothing away."""
    alone = FRAME.with_columns(age=pl.lit("30"))
    assert kohort.anonymize(alone, job("code")).telling == ()


@pytest.mark.parametrize("base", ["duckdb", pytest.param("spark", marks=[needs_spark, pytest.mark.slow])])
@pytest.mark.parametrize("together", [None, 20])
def test_a_release_from_elsewhere_tells_the_same(base: str, together: int | None, tmp_path: Path) -> None:
    """Whether all tuples are searched together or in parts, by the records' labels."""
    source = tmp_path / "in.csv"
    source.write_text(FRAME.write_csv().rstrip("\n"), encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SourceNote)  # of parts
        made = anonymize(source, job(), target=tmp_path / "out.csv", engine=engine_on(base, together))
    here = anonymize(source, job(), target=tmp_path / "local.csv")
    assert ("parts" in made.trace) == (together is not None)
    assert [one.sets for one in made.telling] == [(("code",),)]
    if together is None:
        assert made.telling == here.telling
        assert source_notes(made) == source_notes(here)
    assert "ends without a line end" in source_notes(made)[0]


def test_people_are_counted_once_in_every_engine() -> None:
    """Somebody's own ten records tell nothing of the others."""
    who = [place // 10 for place in range(600)]
    country = [drawn(3, 60, 3)[one] for one in who]
    frame = pl.DataFrame({"who": who, "country": [f"c{one}" for one in country], "own": [f"o{one}" for one in who]})
    schema = kohort.Schema.of(identifying=["who"], quasi=["country"], sensitive=["own"], person="who")
    made = kohort.Job.of(schema, kohort.KAnonymity(30), no_model=("own",), allow_singling=("own",))
    assert anonymize(frame, made).telling == ()
    assert dry_run(frame, made, engine=engine_on("duckdb", None)).telling == ()
    schema = kohort.Schema.of(quasi=["country"], sensitive=["own"], drop=["who"])
    alone = kohort.Job.of(schema, kohort.KAnonymity(300), no_model=("own",), allow_singling=("own",))
    assert [one.sets for one in anonymize(frame, alone).telling] == [(("own",),)]


def test_of_many_tuples_some_are_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the hash of their cells; the same is told."""
    monkeypatch.setattr("kohort.engines.pipeline.LOOKED_AT", 100)
    made = dry_run(FRAME, job("code"), engine=engine_on("duckdb", None))
    assert [one.sets for one in made.telling] == [(("code",),)]


def test_what_does_not_fit_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is told, and the release is made."""

    def refuse(*_: object) -> None:
        raise LimitError("too many")

    monkeypatch.setattr("kohort.sql.relation.Relation.some", refuse)
    assert dry_run(FRAME, job("code"), engine=engine_on("duckdb", None)).telling == ()


def test_a_perturbed_column_is_hidden_too() -> None:
    """Another that is not perturbed tells it, but for what its rounded cells say."""
    frame = FRAME.with_columns(pay=pl.Series([str(1000 + 10 * ord(one)) for one in COUNTRY]))
    schema = kohort.Schema.of(quasi=["age"], sensitive=["code", "pay"], drop=["country", "vote"])
    for step, hidden in ((500, ["pay"]), (10, [])):
        made = kohort.Job.of(
            schema,
            kohort.KAnonymity(5),
            perturbations=(kohort.Rounding("pay", step=Fraction(step)),),
            no_model=("code", "pay"),
            allow_singling=("code",),
        )
        assert [one.hidden for one in kohort.anonymize(frame, made).telling] == hidden
