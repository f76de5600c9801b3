"""Tuples that do not fit into memory, and methods that judge nodes: classes are counted in the engine."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import Phase, event, given, reject, settings
from hypothesis import strategies as st

from kohort.engines.local import LOCAL
from kohort.engines.pipeline import anonymize, dry_run
from kohort.errors import InfeasibleError, LimitError, SourceNote
from kohort.report.release import release_figures
from kohort.sql.remote import RemoteEngine
from tests.engines import large
from tests.engines.large import BASE, PASSED_OVER, engines, on_spark, people
from tests.engines.test_duckdb import JOBS, SOURCES, asked, compared, frames
from tests.engines.test_same import MODELS, QUASI
from tests.engines.test_spark import needs_spark
from tests.engines.test_spilled import MISSING, tables

if TYPE_CHECKING:
    from collections.abc import Mapping

pytestmark = pytest.mark.filterwarnings(
    "ignore:[0-9]+ nodes? w.* counted in the engine:kohort.errors.SourceNote", *PASSED_OVER
)

ENGINES = engines(4, 8, 14)

#: Every method that judges nodes, and limits.
METHODS: tuple[Mapping[str, Any], ...] = (
    {"method": "samarati", "max_suppression": "20%"},
    {"method": "samarati", "objective": "first"},
    {"method": "optimal", "max_suppression": "40%"},
    {"method": "optimal", "max_suppression": 2, "objective": "c_dm"},
    {"method": "datafly", "max_suppression": 3},
    {"method": "samarati", "node": [1, 1, 1], "max_suppression": "90%"},
)

#: Models that judge each class alone.
ALONE = sorted(set(MODELS) - {"average-risk", "k-e"})


@settings(deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])  # to shrink takes minutes
@given(
    table=tables(),
    method=st.sampled_from(METHODS),
    model=st.sampled_from(ALONE),
    missing=st.sampled_from(MISSING),
    most=st.sampled_from(sorted(ENGINES)),
)
def test_the_release_is_that_of_the_local_engine(
    table: pl.DataFrame, method: Mapping[str, Any], model: str, missing: Mapping[str, Any], most: int
) -> None:
    """Of every such method, model and missing policy, also with a hierarchy that depends on the records."""
    options = {**method, **MODELS[model], **missing, "quasi": ["age", "city", "job"], "sensitive": ["ill"]}
    options |= {"insensitive": ["pay"], "identifying": [], "allow_singling": ["pay"]}
    options["hierarchy"] = {"age": "intervals:10,20", "city": "suppress", "job": "frequency:1"}
    with TemporaryDirectory() as folder:
        try:
            event(compared(table, asked(options), Path(folder), ENGINES[most]))
        except LimitError:
            reject()


@settings(deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(kind=st.sampled_from(["csv", "parquet"]), frame=frames(), most=st.sampled_from(sorted(ENGINES)))
def test_the_cells_are_those_of_the_local_engine(kind: str, frame: pl.DataFrame, most: int) -> None:
    """Of every type."""
    with TemporaryDirectory() as folder:
        source = SOURCES[kind](frame, Path(folder))
        try:
            event(compared(source, asked(JOBS["samarati"]), Path(folder), ENGINES[most]))
        except LimitError:
            reject()


OPTIONS: Mapping[str, Any] = {
    "no_model": ["ill"],
    "hierarchy": {"age": "intervals:5,10,20", "zip": "mask:right", "pay": "intervals:500,1000,5000"},
    "max_suppression": "5%",
}

#: A release of people by these.
released = partial(large.released, OPTIONS)


@pytest.mark.slow("400 people are searched on levels, by many queries")
@pytest.mark.parametrize("method", ["samarati", "optimal", "datafly"])
def test_figures_are_those_of_the_local_engine(method: str, tmp_path: Path) -> None:
    """What a dry run offers, what the search counted, and what a report says; and how it went is noted."""
    frame, engine = people(), RemoteEngine(BASE, together=110)
    job = asked({**large.OPTIONS, **OPTIONS, "method": method})
    here = release_figures(dry_run(frame, job)).model_dump()
    with pytest.warns(SourceNote, match=r"\d+ nodes were counted in the engine"):
        there = release_figures(dry_run(frame, job, engine=engine)).model_dump()
    assert there["trace"].pop("nodes_counted") > 2
    walked = [one["trace"].pop("classes_walked") for one in (here, there)]
    assert walked[1] < walked[0]
    del here["seconds"], there["seconds"]
    assert there == here
    due = release_figures(released(frame, tmp_path / "local.csv", method=method))
    found = release_figures(released(frame, tmp_path / "there.csv", engine, method=method))
    assert (tmp_path / "there.csv").read_bytes() == (tmp_path / "local.csv").read_bytes()
    assert (found.exposed, found.homogeneity, found.singling) == (due.exposed, due.homogeneity, due.singling)


def test_the_limit_decides_and_is_told(tmp_path: Path) -> None:
    """400 tuples of three columns do not fit in 100 kB, and their classes do; in 20 kB these do not, either."""
    frame, asked_for = people(), {"method": "samarati", "k": 2, "max_suppression": "20%"}
    made = released(frame, tmp_path / "out.csv", RemoteEngine(BASE, 100_000), **asked_for)
    assert made.trace["nodes_counted"]
    with pytest.raises(
        LimitError, match=r"\d+ classes and values .* would take .* and there is room for 9\.9 kB"
    ) as one:
        released(frame, tmp_path / "none.csv", RemoteEngine(BASE, 20_000), **asked_for)
    assert "--memory-limit" in one.value.hint
    assert not (tmp_path / "none.csv").exists()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"method": "best-effort"}, "the method best-effort needs all tuples"),
        ({"method": "samarati", "local": True}, "the method samarati-local needs"),
        ({"method": "samarati", "average_risk": "0.2"}, "average risk.*judges classes together"),
        ({"method": "samarati", "person": "name"}, "the person key needs"),
    ],
)
def test_what_needs_all_tuples_is_refused(options: dict[str, Any], told: str, tmp_path: Path) -> None:
    """By name, with what does not."""
    with pytest.raises(LimitError, match=f"(?s){told}.*samarati, optimal, datafly and --node"):
        released(people(), tmp_path / "out.csv", RemoteEngine(BASE, 30_000), **options)


def test_values_are_looked_at_where_no_class_is_too_small(tmp_path: Path) -> None:
    """Each tuple is of three people of one illness: what fails are classes that are fetched some at a time."""
    frame = people(60).with_columns(pay=10 * people(60)["pay"].rank("ordinal"))
    frame = frame.select("age", "zip", "pay", ill=frame["ill"]).select(pl.all().repeat_by(3).explode())
    frame = frame.with_columns(name=pl.Series([f"person {number}" for number in range(len(frame))]))
    options: dict[str, object] = {"method": "samarati", "k": 3, "no_model": [], "l": {"ill": 2}, "max_suppression": 0}
    for name, engine in (("local", LOCAL), ("there", RemoteEngine(BASE, together=40))):
        made = released(frame, tmp_path / f"{name}.csv", engine, **options)
    assert made.trace["nodes_counted"]
    assert (tmp_path / "there.csv").read_bytes() == (tmp_path / "local.csv").read_bytes()


def test_no_node_may_be_releasable(tmp_path: Path) -> None:
    """Then the same is said as of tuples that fit."""
    frame, told = people(), list[str]()
    for engine in (LOCAL, RemoteEngine(BASE, together=110)):
        with pytest.raises(InfeasibleError) as caught:
            released(frame, tmp_path / "out.csv", engine, method="samarati", k=401)
        told.append(str(caught.value))
    assert told[0] == told[1]


ON_ADULT: tuple[Mapping[str, Any], ...] = (
    {"method": "samarati", "no_model": ["salary-class"]},
    {"method": "optimal", "l": {"salary-class": 2}},
    {"method": "datafly", "t": {"salary-class": "0.2"}},
)


@pytest.mark.slow
@pytest.mark.parametrize("what", ON_ADULT, ids=lambda one: one["method"])
def test_adult_is_the_same(what: Mapping[str, Any], data_folder: Path, adult_csv: Path, tmp_path: Path) -> None:
    """Some 6,000 tuples, of which a third fit."""
    files = data_folder / "adult-hierarchies"
    options = {"quasi": QUASI, "sensitive": ["salary-class"], "rest": "drop", "identifying": [], **what}
    options["hierarchy"] = {name: str(files / f"adult_hierarchy_{name}.csv") for name in QUASI}
    job = asked({**options, "allow_singling": [], "k": 10, "max_suppression": "2%"})
    made = [
        anonymize(str(adult_csv), job, target=tmp_path / f"{name}.csv", engine=engine)
        for name, engine in (("local", LOCAL), ("there", RemoteEngine(BASE, together=2000)))
    ]
    assert made[1].trace["nodes_counted"]
    assert made[0].metrics == made[1].metrics
    assert (tmp_path / "there.csv").read_bytes() == (tmp_path / "local.csv").read_bytes()


@needs_spark
@pytest.mark.slow
def test_spark_counts_classes(tmp_path: Path) -> None:
    """On the disks of its workers; the bytes are those of the local engine."""
    source = tmp_path / "in.csv"
    people(200).write_csv(source)
    levels = {"age": "intervals:20", "zip": "mask:right", "pay": "suppress"}
    for name, one in (("local", LOCAL), ("there", on_spark(130))):
        made = released(
            source, tmp_path / f"{name}.csv", one, method="datafly", no_model=[], l={"ill": 2}, hierarchy=levels
        )
    assert made.trace["nodes_counted"]
    assert (tmp_path / "there.csv").read_bytes() == (tmp_path / "local.csv").read_bytes()
