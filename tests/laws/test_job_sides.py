"""A job is the same on every side: in mappings, in TOML, by flags and by keyword arguments; so are its faults."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
import tomlkit
from hypothesis import given, settings
from hypothesis import strategies as st

from kohort.api.jobs import job_by
from kohort.cli import flags
from kohort.cli.derive import Given
from kohort.errors import JobError, UsageError
from kohort.job.form import TABLE_JOB
from kohort.job.keys import keys_of
from kohort.job.request import parse, request

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

KEYS = {key.flag: key for key in keys_of(TABLE_JOB)}

#: Values of keys of columns as a job file and as a flag says them; some are wrong, or go with few others.
OF_COLUMNS: Mapping[str, list[tuple[object, str]]] = {
    "scale": [("numeric", "numeric"), ("categorical", "categorical"), ("numerc", "numerc")],
    "hierarchy": [("suppress", "suppress"), ("intervals:5,10", "intervals:5,10"), ("intervals:x", "intervals:x")],
    "weight": [(2, "2"), (0.5, "0.5"), ("x", "x")],
    "bounds": [([0, 120], "0..120"), ([0], "0")],
    "grid": [(5, "5"), ([18, 30], "18,30"), ("round", "round"), ("often", "often")],
    "missing": [("suppress", "suppress"), ("suppres", "suppres")],
    "max-level": [(1, "1"), ("all", "all")],
    "l": [(2, "2"), (1, "1")],
    "t": [(0.2, "0.2"), ("1/3", "1/3"), (2, "2")],
    "distance": [("equal", "equal"), ("far", "far")],
    "recursive": [({"c": 0.5, "l": 3}, "0.5,3"), ({"c": 0, "l": 3}, "0,3")],
    "k-e": [({"k": 2, "e": 1}, "2,1")],
}

#: The same of other keys, and what the command line makes of the flag.
OF_TABLES: Mapping[str, list[tuple[object, object]]] = {
    "k": [(3, 3), (1, 1)],
    "max-risk": [(0.2, "0.2"), (2, "2")],
    "max-suppression": [("5%", "5%"), (20, "20"), ("many", "many")],
    "method": [("mondrian", "mondrian"), ("optimal", "optimal"), ("optimol", "optimol")],
    "cut": [("median", "median"), ("middle", "middle")],
    "objective": [("arx-loss", "arx-loss"), ("loss", "loss")],
    "node": [([0, 1], ["0,1"]), ({"age": 1}, ["age=1"]), ([True], ["x"])],
    "time-limit": [(5, "5"), (0, "0")],
    "rest": [("insensitive", "insensitive"), ("keep", "keep")],
    "person": [("name", "name")],
    "separator": [(";", ";"), ("::", "::")],
    "encoding": [("cp1252", "cp1252"), ("klingon", "klingon")],
    "header": [(False, False)],
    "names": [(["a", "b"], ["a,b"])],
    "skip-rows": [(2, 2), (-1, -1)],
    "complete-records": [("all", ["all"]), (["age"], ["age"])],
    "records-per-part": [(5, 5), (0, 0)],
    "perturb": [({"wage": {"method": "rounding", "together": [], "step": "5"}}, ["wage=rounding:step=5"])],
}

#: The roles of columns, in the order of the flags that name them.
ROLES = {"age": "quasi", "sex": "quasi", "ill": "sensitive", "name": "identifying", "wage": "insensitive"}


@st.composite
def jobs(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """The tables of a job, or of what is none, with the values of its flags and its keyword arguments."""
    raw: dict[str, Any] = {"columns": {name: {"role": role} for name, role in ROLES.items()}}
    typed: dict[str, Any] = {
        flag: [name for name, role in ROLES.items() if role == key.place[-1]] or None
        for flag, key in KEYS.items()
        if key.place[:2] == ("columns", "role")
    }
    spoken = {KEYS[flag].keyword: names for flag, names in typed.items() if names}
    for flag in draw(st.sets(st.sampled_from([*OF_COLUMNS]), max_size=3)):
        name = draw(st.sampled_from(["age", "ill"]))
        value, text = draw(st.sampled_from(OF_COLUMNS[flag]))
        raw["columns"][name][flag] = value
        typed[flag], spoken[KEYS[flag].keyword] = [f"{name}={text}"], {name: value}
    for flag in {"k", *draw(st.sets(st.sampled_from([*OF_TABLES]), max_size=3))}:
        value, told = draw(st.sampled_from(OF_TABLES[flag]))
        *above, key = KEYS[flag].place
        (raw.setdefault(above[0], {}) if above else raw)[key] = value
        typed[flag], spoken[KEYS[flag].keyword] = told, value
    raw["input"] = {**raw.get("input", {}), "path": "input.csv"}
    raw["output"] = {**raw.get("output", {}), "path": "release/" if "records-per-part" in typed else "release.csv"}
    typed |= {"path": raw["input"]["path"], "out": raw["output"]["path"]}
    return raw, typed, spoken


def by_flags(typed: Mapping[str, Any]) -> object:
    """The job of flags."""
    keys = tuple(KEYS.values())
    usual = {key.flag: False if key.kind is bool else key.default for key in keys}
    faults: list[UsageError] = []
    raw = flags.tables(Given(keys, {**usual, **typed}, frozenset(typed)), faults)
    return flags.request(raw, faults).job


def outcome(make: Callable[[], object]) -> object:
    """The job that is made, or all that is wrong with it, whatever the places."""
    try:
        return make()
    except JobError as fault:
        return sorted((one.what, one.hint) for one in fault.faults)
    except UsageError as fault:
        return [(fault.what, fault.hint)]


@pytest.mark.slow
@given(jobs())
@settings(max_examples=1_000)
def test_a_job_is_the_same_on_every_side(job: tuple[dict[str, Any], dict[str, Any], dict[str, Any]]) -> None:
    """Four sides make one job, or find the same faults."""
    raw, typed, spoken = job
    expected = outcome(lambda: request(raw, where=".".join).job)
    assert outcome(lambda: parse(tomlkit.dumps(raw)).job) == expected
    assert outcome(lambda: by_flags(typed)) == expected
    assert outcome(lambda: getattr(job_by(None, spoken), "job", None)) == expected
    exact = {key: Decimal(str(one)) if isinstance(one, float) else one for key, one in raw["privacy"].items()}
    assert outcome(lambda: request({**raw, "privacy": exact}, where=".".join).job) == expected
