"""What checking a certificate tells, part by part: its name, how it fares, what is told, and the fields it is about.

`told.txt` holds it as a person read it: `KOHORT_GOLDEN=write pytest tests/unit/certificate/test_told.py` writes it.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import polars as pl
import pytest

from kohort.algorithms.lattice.local import LocalRecoding
from kohort.algorithms.lattice.optimal import Optimal
from kohort.core.suppression import SuppressionLimit
from kohort.engines.pipeline import anonymize
from kohort.io.forms import Format
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.models.k_anonymity import KAnonymity
from kohort.models.t_closeness import TCloseness
from kohort.perturbation.microaggregation import Microaggregation
from kohort.release import Job, Writing
from kohort.schema import Attribute, Label, Role, Scale, Schema
from kohort.schema.dates import Period
from tests.jobs import freely
from tests.unit.certificate.test_every_field import PEOPLE, PRIVATE, TOWNS, again, baskets, beside, by_level, table

if TYPE_CHECKING:
    from collections.abc import Callable

TOLD: Final = Path(__file__).with_name("told.txt")

pytestmark = pytest.mark.filterwarnings("ignore:.* can be guessed from:kohort.errors.SourceNote")


def suppressing(folder: Path, *, local: bool = False, into: str = "r.csv", **writing: Any) -> Path:  # noqa: ANN401
    """A full-domain release, of levels for all or class by class, that leaves out two people of a rare illness."""
    frame = pl.concat([PEOPLE, PEOPLE.head(2).with_columns(age=pl.lit("95"), illness=pl.lit("rare"))])
    schema = Schema(
        (
            Attribute("town", Role.QUASI, hierarchy=TOWNS),
            Attribute("age", Role.QUASI, hierarchy="intervals:20..100:20"),
            *(Attribute(name, Role.DROP) for name in ("who", "height", "income", "job")),
            Attribute("illness", Role.SENSITIVE),
        )
    )
    frame.write_csv(folder / "people.csv")
    method = Optimal(SuppressionLimit(3))
    models = (KAnonymity(3), TCloseness("illness", Fraction(9, 10)), DistinctLDiversity("illness", 2))
    job = freely(Job.of(schema, *models, algorithm=LocalRecoding(method) if local else method))
    anonymize(folder / "people.csv", replace(job, writing=Writing(**writing)), target=folder / into)
    return folder / into


def changed(folder: Path, old: str, new: str) -> Path:
    """The release of a table with another text in it."""
    path = table(folder)
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return path


def others(folder: Path, into: str = "r.csv", **writing: Any) -> Path:  # noqa: ANN401
    """A release with dates on a grid, sets that were asked for, and two columns that are perturbed together."""
    frame = PEOPLE.select(
        "illness",
        job=pl.col("job").replace("cook", "@cook"),
        born=pl.Series([f"{1950 + at * 7 % 40}-0{1 + at % 9}-17" for at in range(24)]),
        pay=pl.col("income"),
        tax=pl.Series([str(100 + 31 * at % 90) for at in range(24)]),
    )
    schema = Schema(
        (
            Attribute("born", Role.QUASI, Scale.DATE, grid=Period.DECADE),
            Attribute("job", Role.QUASI, Scale.CATEGORICAL, label=Label.SET),
            *(Attribute(name, Role.SENSITIVE) for name in ("illness", "pay", "tax")),
        )
    )
    frame.write_csv(folder / "people.csv")
    moved = (Microaggregation(("pay", "tax"), 3),)
    job = freely(Job.of(schema, KAnonymity(3), perturbations=moved))
    anonymize(folder / "people.csv", replace(job, writing=Writing(**writing)), target=f"{folder}/{into}")
    return folder / into.rstrip("/")


def nobody(folder: Path) -> Path:
    """A release without records."""
    (folder / "people.csv").write_text("age,s\n")
    job = freely(Job.of(Schema.of(quasi=["age"], sensitive=["s"]), KAnonymity(3)))
    job = replace(job, reading=replace(job.reading, allow_empty=True))
    anonymize(folder / "people.csv", job, target=folder / "r.csv")
    return folder / "r.csv"


def more(value: object) -> object:
    """A certificate with each of its numbers one more, another check and engine; its job and form stay."""
    if isinstance(value, dict):
        parts = cast("dict[str, object]", value)
        kept = {key: parts[key] for key in ("job", "form") if key in parts}
        engine = {"engine": "duckdb"} if "engine" in parts else {}
        another = {"another": 1} if "lineage" in parts else {}
        return {key: more(one) for key, one in parts.items()} | kept | engine | another
    if isinstance(value, list):
        return [more(one) for one in cast("list[object]", value)]
    return value + 1 if isinstance(value, int | float) and not isinstance(value, bool) else value


#: Releases, with a certificate that is true or not.
MADE: Final[dict[str, Callable[[Path], Path]]] = {
    "a table": table,
    "levels, people, complete records": by_level,
    "levels, suppressed records": suppressing,
    "levels, class by class": lambda folder: suppressing(folder, local=True),
    "Parquet": lambda folder: suppressing(folder, into="r.parquet", format=Format.PARQUET),
    "a table with another end of line": lambda folder: changed(folder, "\n", "\r\n"),
    "a table with another label": lambda folder: changed(folder, "south", "SOUTH"),
    "a table with another column": lambda folder: changed(folder, "income", "wage"),
    "a table with a label off the grid": lambda folder: changed(folder, "[20-40)", "[20-43)"),
    "dates, sets, columns perturbed together": others,
    "a folder of parts": lambda folder: others(folder, "r/", format=Format.CSV, records_per_part=10, excel_safe=True),
    "a folder of one part": lambda folder: others(folder, "r/"),
    "SQLite": lambda folder: others(folder, "r.sqlite"),
    "nobody": nobody,
    "items": baskets,
    "cells": lambda folder: baskets(folder, cells=True),
}


def lines(path: Path, folder: Path, *, brought: bool, falsified: bool) -> list[str]:
    """What is told of a release."""
    inside = path / "certificate.json"
    parts = json.loads((inside if inside.exists() else beside(path)).read_bytes())
    trees = {"town": TOWNS} if '"town"' in json.dumps(parts["job"]) else {}
    of_table = "people" in parts
    known = {"reference": folder / "people.csv", "hierarchies": trees} if brought and of_table else {}
    roles = PRIVATE if brought and not of_table else None
    made = cast("dict[str, Any]", more(parts)) if falsified else parts
    found = again(path, made, folder, roles, **known)
    assert found is not None
    about = {one.name: [] if one.name == "not shown by the file" else [*one.fields] for one in found.parts}
    told = [f"{one.name}: {one.outcome.value}: {one.told}  {' '.join(about[one.name])}" for one in found.parts]
    bare = [re.sub(r"[0-9a-f]{64}", "DIGEST", line).rstrip() for line in told]
    return [re.sub(r"[0-9,]+\b", "N", line) if line.startswith("size:") else line for line in bare]  # by the library


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Each release with its true certificate; and what else is told with the input, and of a false one."""
    found = dict[str, list[str]]()
    for name, make in MADE.items():
        folder = tmp_path_factory.mktemp("told")
        path = make(folder)
        alone = lines(path, folder, brought=False, falsified=False)
        found[name] = alone
        for how, falsified in (("and its input", False), ("every number one more", True)):
            whole = lines(path, folder, brought=True, falsified=falsified)
            found[f"{name}, {how}"] = [line for line in whole if line not in alone]
    if os.environ.get("KOHORT_GOLDEN") == "write":
        text = "\n".join(line for name, lines in found.items() for line in (f"== {name}", *lines, ""))
        TOLD.write_text(text, encoding="utf-8")
    return found


def test_what_is_told_is_what_somebody_has_read(told: dict[str, list[str]]) -> None:
    """Names of parts, outcomes, words and fields, which `--json` prints and scripts rely on."""
    blocks = TOLD.read_text("utf-8").removeprefix("== ").split("\n== ")
    read = {name: lines for name, *lines in (block.strip("\n").split("\n") for block in blocks)}
    assert told == read


def test_a_number_that_is_one_more_is_never_the_same(told: dict[str, list[str]]) -> None:
    """Whatever is told of a falsified number is that it is another, or that the file does not show it."""
    numbers = {"size", "records", "classes", "k", "metrics", "incomplete", "transactions", "items", "cells"}
    for name, found in told.items():
        if name.endswith("one more") and not name.startswith("a table with"):  # of which some numbers are one more
            assert not {line.partition(":")[0] for line in found if ": same:" in line} & numbers, name
