"""Numbers that say whose the records are stop a release that would count records."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import kohort
from kohort.engines.local import LocalEngine
from kohort.engines.pipeline import anonymize
from kohort.errors import JobError, SchemaError
from kohort.sql.duckdb import DuckDB
from kohort.sql.remote import RemoteEngine

if TYPE_CHECKING:
    from pathlib import Path

BASE = DuckDB.opened(None, None)

FRAME = pl.DataFrame({"age": [str(20 + row * 7 % 60) for row in range(300)], "vote": ["yes", "no", "no"] * 100})

#: Numbers of 300 records.
NUMBERS = {
    "three": [f"N{row // 3}" for row in range(300)],
    "gaps": ["", *(f"N{row // 3}" for row in range(1, 300))],
    "one": [f"N{row}" for row in range(300)],
    "some": [f"N{row // 2 if row < 100 else row}" for row in range(300)],
    "half": [f"N{row // 2 if row < 150 else row}" for row in range(300)],
    "few": [f"N{row // 2 if row < 14 else row}" for row in range(300)],
    "sixty": [f"N{row // 60}" for row in range(300)],
    "fifteen": [f"N{row // 15}" for row in range(300)],
    "names": [f"Ada {chr(65 + row // 12)}" for row in range(300)],
}


def shared(folder: Path, name: str, numbers: str, *, here: bool, **schema: Any) -> list[str]:  # noqa: ANN401  of Schema and job
    """What is told of a release of a table with such a column, whose other columns but age are dropped."""
    source = folder / "in.csv"
    FRAME.with_columns(pl.Series(name, NUMBERS[numbers])).write_csv(source)
    engine = LocalEngine() if here else RemoteEngine(BASE)
    roles = {"age": "quasi", **schema.pop("roles", {})}
    attributes = [kohort.Attribute(one, kohort.Role(role)) for one, role in roles.items()]
    more = {key: schema.pop(key) for key in ("allow_singling", "no_model") if key in schema}
    more["no_model"] = tuple(one for one in more.get("no_model", ()) if roles[one] == "sensitive")
    schema = {"rest": "drop", **schema}
    job = kohort.Job.of(kohort.Schema(tuple(attributes), **schema), kohort.KAnonymity(5), **more)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        anonymize(source, job, target=folder / "out.csv", engine=engine)
    return [str(one.message) for one in found if "fewer than k people" in str(one.message)]


@pytest.mark.parametrize("here", [True, False])
@pytest.mark.parametrize("numbers", ["three", "gaps"])
@pytest.mark.parametrize(("name", "roles"), [("number", {"number": "identifying"}), ("patient_id", {})])
def test_identifying_numbers_that_most_records_share_are_refused(
    name: str, roles: dict[str, str], numbers: str, *, here: bool, tmp_path: Path
) -> None:
    """They say whose the records are, so that classes may be of fewer people; also of a column of the rest."""
    with pytest.raises(SchemaError, match="share one of 100 values with others") as refused:
        shared(tmp_path, name, numbers, here=here, roles=roles)
    assert f"--person {name}" in refused.value.hint
    assert f"--drop {name}" in refused.value.hint
    assert not (tmp_path / "out.csv").exists()
    if numbers == "three":
        assert shared(tmp_path, name, numbers, here=here, roles=roles, person=name) == []


@pytest.mark.parametrize("here", [True, False])
@pytest.mark.parametrize(
    ("name", "role", "numbers", "told"),
    [
        ("patient_id", "drop", "three", True),  # somebody decided so
        ("number", "drop", "three", False),  # nothing says that it is of people
        ("patient_id", "quasi", "three", False),  # it is generalized
        ("patient_age", "insensitive", "three", False),  # it is something of a person
        ("ward_id", "insensitive", "three", False),
        ("number", "identifying", "some", True),
        ("number", "identifying", "half", True),
        ("number", "identifying", "few", False),
        ("number", "identifying", "one", False),
        ("number", "identifying", "sixty", False),
        ("number", "identifying", "fifteen", False),
        ("number", "identifying", "names", False),
    ],
)
def test_identifying_numbers_that_records_share_are_told_of(
    name: str, role: str, numbers: str, *, told: bool, here: bool, tmp_path: Path
) -> None:
    """Unless nearly each record has its own, or so many share one that it is a place's, or they are names."""
    found = shared(tmp_path, name, numbers, here=here, roles={name: role})
    assert [f"--person {name}" in one for one in found] == [True] * told


@pytest.mark.parametrize("here", [True, False])
@pytest.mark.parametrize("roles", [{}, {"patient_id": "insensitive"}, {"patient_id": "sensitive"}])
def test_numbers_of_people_that_would_be_released_are_refused(
    roles: dict[str, str], *, here: bool, tmp_path: Path
) -> None:
    """They link the records of a person, whom no value singles out then; unless somebody allows it by name."""
    how: dict[str, Any] = {"here": here, "rest": "insensitive", "no_model": tuple(roles)}
    with pytest.raises(SchemaError, match="share one of 100 values with others") as refused:
        shared(tmp_path, "patient_id", "three", roles=roles, **how)
    assert "--allow-singling patient_id" in refused.value.hint
    assert shared(tmp_path, "patient_id", "three", roles=roles, allow_singling=("patient_id",), **how) == []


def test_several_such_columns_are_told_at_once(tmp_path: Path) -> None:
    """Each with its own fault."""
    FRAME.with_columns(number=pl.Series(NUMBERS["three"]), patient_id=pl.Series(NUMBERS["gaps"])).write_csv(
        source := tmp_path / "in.csv"
    )
    schema = kohort.Schema.of(quasi=["age"], identifying=["number", "patient_id"], drop=["vote"])
    with pytest.raises(kohort.JobError) as refused:
        anonymize(source, kohort.Job.of(schema, kohort.KAnonymity(5)), target=tmp_path / "out.csv")
    assert [getattr(one, "where", "") for one in refused.value.exceptions] == ["column number", "column patient_id"]


@pytest.mark.parametrize("here", [True, False])
@pytest.mark.parametrize(
    ("patients", "hint"),
    [
        ([f"P{row // 6:03}" for row in range(300)], "count people by patient_id, the coarsest (--person patient_id)"),
        ([f"P{row * 7 % 50:03}" for row in range(300)], "does visit_id or patient_id identify the person of a record?"),
        (["P999", *(f"P{row // 6:03}" for row in range(1, 300))], "count people by patient_id, the coarsest"),
    ],
)
def test_of_several_numbers_the_coarsest_is_proposed(
    patients: list[str], hint: str, *, here: bool, tmp_path: Path
) -> None:
    """As a draft does it: each visit has one patient; where neither determines the other, somebody has to say it."""
    numbers = {"visit_id": [f"V{row // 2:03}" for row in range(300)], "patient_id": patients}
    FRAME.with_columns(**{name: pl.Series(cells) for name, cells in numbers.items()}).write_csv(tmp_path / "in.csv")
    job = kohort.Job.of(kohort.Schema.of(quasi=["age"], identifying=[*numbers], drop=["vote"]), kohort.KAnonymity(5))
    engine = LocalEngine() if here else RemoteEngine(BASE)
    with pytest.raises(JobError) as refused:
        anonymize(tmp_path / "in.csv", job, target=tmp_path / "out.csv", engine=engine)
    faults = [one for one in refused.value.exceptions if isinstance(one, SchemaError)]
    assert [one.where for one in faults] == ["column visit_id", "column patient_id"]
    assert all(hint in one.hint for one in faults)
