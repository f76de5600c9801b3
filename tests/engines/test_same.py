"""One body for both engines: every algorithm, model, label and missing policy gives the same release, or is refused.

The same recoding, metrics, certificate (but for the engine and its way to verify) and bytes; on random tables, and on
UCI Adult.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from kohort.errors import JobError
from kohort.job.keywords import job_from
from kohort.job.request import Request
from kohort.models import MODELS as KNOWN
from tests.engines.test_duckdb import SOURCES, compared
from tests.engines.test_spilled import LABELS, METHODS, MISSING, tables
from tests.engines.test_spilled import MODELS as SOME

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.release import Job

#: Every model that needs no population table.
MODELS: Mapping[str, Mapping[str, Any]] = {
    **{next((key for key in one if key not in {"k", "no_model"}), "k"): one for one in SOME},
    "max-risk": {"max_risk": "0.5", "no_model": ["ill"]},
    "average-risk": {"k": 2, "average_risk": "0.5", "no_model": ["ill"]},
    "recursive": {"k": 2, "recursive": {"ill": {"c": 5, "l": 2}}},
    "alpha": {"k": 2, "alpha": {"ill": "0.8"}},
    "delta": {"k": 2, "delta_disclosure": {"ill": 3}},
    "enhanced-beta": {"k": 2, "enhanced_beta": {"ill": 2}},
    "k-e": {
        "k": 2,
        "k_e": {"pay": {"k": 2, "e": 1}},
        "sensitive": ["ill", "pay"],
        "insensitive": [],
        "no_model": ["ill"],
    },
}

#: People: no two of them are called alike, and nothing else is called so.
WHOSE = ("7-1", "7-2", "07-1", "7-10", "7-3", "7-4")

#: The methods on levels that need no limit.
CELLS = ("suppress-cells", "suppress-cells-optimal")

#: What some method, model or label cannot be combined with is refused before there is an engine.
METHODS_THERE: tuple[Mapping[str, Any], ...] = (
    *METHODS,
    {"method": "optimal", "max_suppression": "20%", "local": True},
)


def asked(options: Mapping[str, Any], **roles: list[str]) -> Job | None:
    """The job; nothing where there is none."""
    try:
        made = job_from(None, {**roles, **options})
    except JobError:
        return None
    assert isinstance(made, Request)
    return made.job


def test_every_model_is_tried() -> None:
    """None that kohort has is missing above, but those about a population."""
    named = {key.replace("_", "-") for key in MODELS}
    assert named | {"k-map", "presence"} == {*KNOWN}


@pytest.mark.slow
@settings(deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])  # to shrink takes minutes
@given(table=tables(), data=st.data())
def test_every_combination_is_the_same(table: pl.DataFrame, data: st.DataObject) -> None:
    """Drawn from all of them, for a source of each kind."""
    method = data.draw(st.sampled_from(METHODS_THERE))
    options = {**method, **data.draw(st.sampled_from([*MODELS.values()])), **data.draw(st.sampled_from(MISSING))}
    options |= data.draw(st.sampled_from([{}, {"person": "who"}]))
    whose = data.draw(st.lists(st.sampled_from(WHOSE), min_size=table.height, max_size=table.height))
    table = table.with_columns(pl.Series("who", whose))
    if "max_suppression" in method or method.get("method") in CELLS:
        options["hierarchy"] = {"age": "intervals:10,20", "city": "suppress", "job": "frequency:1"}
    elif not method.get("no_grid"):
        options |= data.draw(st.sampled_from(LABELS))
    roles = {"quasi": ["age", "city", "job"], "sensitive": ["ill"], "insensitive": ["pay"], "identifying": ["who"]}
    job = asked(options, **roles, allow_singling=["pay"])
    if job is not None:
        with TemporaryDirectory() as folder:
            compared(SOURCES[data.draw(st.sampled_from(sorted(SOURCES)))](table, Path(folder)), job, Path(folder))


#: The quasi-identifiers of Adult that have few values on every level, so that lattice methods end soon.
QUASI = ["age", "sex", "race", "marital-status", "education"]

#: What is asked of Adult, each kind once; its tuples are too many to prove an optimum of cells.
ON_ADULT: Mapping[str, Mapping[str, Any]] = {
    **{str(one.get("method", f"mondrian {at}")): one for at, one in enumerate(METHODS_THERE) if "local" not in one},
    "local": METHODS_THERE[-1],
    **{f"model {name}": model for name, model in MODELS.items()},
    **{f"labels {number}": label for number, label in enumerate(LABELS)},
    "suppress": {"missing_token": ["Some-college"], "missing": {"education": "suppress"}},
    "own value": {"missing_token": ["Some-college"]},
    "complete": {"missing_token": ["Some-college"], "complete_records": ["education"]},
    **{
        f"people, {name}": {"identifying": ["fnlwgt"], "person": "fnlwgt", **more}
        for name, more in {"mondrian": {}, "relaxed": METHODS[2], "close": MODELS["t"], "samarati": METHODS[7]}.items()
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("what", [name for name in ON_ADULT if name != "suppress-cells-optimal"])
def test_adult_is_the_same(what: str, data_folder: Path, adult_csv: Path, tmp_path: Path) -> None:
    """Its 30,162 complete records, with hierarchies where a method needs them."""
    options: dict[str, Any] = {"sensitive": ["salary-class"], "insensitive": ["hours-per-week"], "rest": "drop"}
    options |= {**ON_ADULT[what], "k": 10}
    for key in [key for key in options if isinstance(options[key], dict) and "ill" in options[key]]:
        options[key] = {"salary-class": options[key]["ill"]}
    if "k_e" in options:
        options |= {"k_e": {"hours-per-week": {"k": 2, "e": 10}}, "sensitive": ["salary-class", "hours-per-week"]}
    modelled = any(isinstance(value, dict) and "salary-class" in value for value in options.values())
    options["no_model"] = [] if modelled else ["salary-class"]
    if "max_suppression" in options or options.get("method") in CELLS:
        files = data_folder / "adult-hierarchies"
        options["hierarchy"] = {name: str(files / f"adult_hierarchy_{name}.csv") for name in QUASI}
    job = asked(options, quasi=QUASI)
    assert job is not None
    assert compared(str(adult_csv), job, tmp_path) == "released"
