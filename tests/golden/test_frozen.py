"""Whole runs, frozen: the bytes of a release, and all that is printed, certified and drawn of it as data.

`frozen.json` holds a digest for each top-level key of each document. A refactoring changes none of them; a change of
behaviour changes those that its commit names: `KOHORT_GOLDEN=write` writes them anew.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import duckdb
import polars as pl
import pytest

from kohort.metrics import PLUGINS, known
from tests.command import kohort
from tests.quick import library
from tests.unit.metrics.examples import EXAMPLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kohort.report import Json

pyreadstat: Any = library("pyreadstat")  # publishes no types that fit

FROZEN = Path(__file__).with_name("frozen.json")

#: Flags of a release of the demo's register.
BASE = (
    "--quasi age,gender,city --sensitive profession,annual_income --l profession=2"
    " --perturb annual_income=rounding:step=5000 --no-model annual_income --drop education"
    " --identifier person_id,first_name,last_name --k 5"
)

#: The same over the levels of hierarchies.
LEVELS = (
    f"{BASE} --allow-singling annual_income --max-suppression 5%"
    " --hierarchy age=intervals:18..90:5,10,20 --hierarchy gender=suppress --hierarchy city=demo/city.json"
)

#: What an engine can do: nothing is perturbed there.
THERE = (
    "--quasi age,gender,city --sensitive profession --l profession=2 --drop education,annual_income"
    " --identifier person_id,first_name,last_name --k 5 --engine duckdb"
)

#: Numbers and shares of a release of baskets.
ITEMS = "--private 5,9 --h 0.6 --k 4 --p 2"

READERS = ("csv", "tsv.gz", "csv.zst", "parquet", "arrow", "xlsx", "sav", "dta", "sqlite")

#: The words of each run; `{out}` is its folder. Readers, then methods, engines, models, and transactions.
RUNS = {
    **{f"reads-{end}": f"anonymize in/people.{end} --out {{out}}/release.{end} {BASE}" for end in READERS},
    "reads-duckdb": f"anonymize in/people.duckdb --out {{out}}/release.jsonl {BASE}",
    "cut-nearest": f"anonymize in/people.csv --out {{out}}/release.csv {BASE} --cut nearest",
    "cut-median": f"anonymize in/people.csv --out {{out}}/release.csv {BASE} --cut median --no-grid",
    "ordered": f"anonymize in/people.csv --out {{out}}/release.csv {BASE} --method ordered",
    "relaxed": f"anonymize in/people.csv --out {{out}}/release.csv {BASE} --method mondrian-relaxed",
    "cells": f"anonymize in/people.csv --out {{out}}/release.csv {BASE} --method suppress-cells",
    "sets": f"anonymize in/people.csv --out {{out}}/release.csv {BASE} --labels set --attack all",
    "samarati": f"anonymize in/people.csv --out {{out}}/release.csv {LEVELS} --method samarati",
    "optimal": f"anonymize in/people.csv --out {{out}}/release.csv {LEVELS} --method optimal --objective lm",
    "best-effort": f"anonymize in/people.csv --out {{out}}/release.csv {LEVELS} --method best-effort",
    "local": f"anonymize in/people.csv --out {{out}}/release.csv {LEVELS} --method optimal --local",
    "levels": f"anonymize in/people.csv --out {{out}}/release.csv {LEVELS} --method optimal"
    " --node age=3,gender=1,city=3",
    "t-closeness": f"anonymize in/people.csv --out {{out}}/release.csv {BASE} --t profession=0.4",
    "beta": f"anonymize in/people.csv --out {{out}}/release.csv {BASE} --enhanced-beta profession=4",
    "risk-models": f"anonymize in/people.csv --out {{out}}/release.csv {BASE} --max-risk 0.1 --average-risk 0.05",
    "people": f"anonymize in/visits.csv --out {{out}}/release.csv {BASE} --person person_id",
    "missing": f"anonymize in/gaps.csv --out {{out}}/release.csv {BASE} --missing age=own-value --missing-token ?",
    "bound": f"anonymize in/people.csv --out {{out}}/release.csv {BASE} --bound --compare-grid",
    "parts": f"anonymize in/people.csv --out {{out}}/release/ {BASE} --records-per-part 90",
    "engine-duckdb": f"anonymize in/people.csv --out {{out}}/release.csv {THERE} --cut nearest",
    "engine-duckdb-levels": f"anonymize in/people.parquet --out {{out}}/release.parquet {THERE} --method samarati"
    " --max-suppression 5%"
    " --hierarchy age=intervals:18..90:5,10,20 --hierarchy gender=suppress --hierarchy city=demo/city.json",
    "engine-duckdb-cells": f"anonymize in/people.csv --out {{out}}/release.csv {THERE} --method suppress-cells",
    "job": "run demo/job.toml --overwrite",
    "check": "check demo/release.csv --certificate demo/release.csv.kohort.json",
    "risk": "risk demo/release.csv --quasi gender,city,age,education,profession --sensitive annual_income --known 2",
    "compare": "compare demo/people.csv demo/release.csv",
    "inspect": "inspect in/people.csv",
    "sweep": "sweep in/people.csv --quasi age,gender,city --rest drop --vary k=3,5,10 --cut nearest",
    "baskets": f"transactions b.dat --out {{out}}/release.dat {ITEMS}",
    "baskets-give-back": f"transactions b.dat --out {{out}}/release.dat {ITEMS} --give-back",
    "baskets-optimal": "transactions few.dat --out {out}/release.dat --private 5 --h 0.7 --k 3 --p 2 --optimal",
    "baskets-cells": f"transactions b.dat --out {{out}}/release.dat {ITEMS} --suppress cells",
    "baskets-parquet": f"transactions b.parquet --out {{out}}/release.parquet {ITEMS}",
    "baskets-no-private": "transactions b.dat --out {out}/release.dat --no-private --k 4 --p 2",
    "baskets-check": f"check b.dat --transactions {ITEMS}",
    "baskets-sweep": "sweep b.dat --transactions --private 5,9 --h 0.6 --p 2 --vary k=3,4",
}

#: What a run says of the machine, the clock and the folder, at any depth.
OF_THE_MACHINE = {"seconds", "libraries", "kohort"}

#: Commands that publish a release with a report.
RELEASING = ("anonymize", "transactions")


def written(people: pl.DataFrame, folder: Path) -> None:
    """The register in every format that kohort reads, once with several records a person, and once with gaps."""
    people.write_csv(folder / "people.csv")
    people.write_csv(folder / "people.tsv.gz", separator="\t", compression="gzip")
    people.write_csv(folder / "people.csv.zst", compression="zstd")
    people.write_parquet(folder / "people.parquet")
    people.write_ipc(folder / "people.arrow")
    people.write_excel(folder / "people.xlsx")
    pyreadstat.write_sav(people, folder / "people.sav")
    pyreadstat.write_dta(people, folder / "people.dta")
    with sqlite3.connect(folder / "people.sqlite") as lite:
        cast("Any", people.to_pandas()).to_sql("people", lite, index=False)
    with duckdb.connect(folder / "people.duckdb") as base:
        base.sql("CREATE TABLE people AS FROM people")
    pl.concat([people, people[:40]]).write_csv(folder / "visits.csv")
    gaps = people.with_columns(pl.when(pl.int_range(pl.len()) % 9 == 0).then(None).otherwise("age").alias("age"))
    gaps.write_csv(folder / "gaps.csv", null_value="?")


@pytest.fixture(scope="module", autouse=True)
def examples() -> Iterator[None]:
    """The metrics of `examples/plugins`, where they stood while kohort had them."""
    points = {**PLUGINS, **EXAMPLES}
    order = ["lm", "ncp", "gcp", "lm_geometric", "arx_loss", "c_dm", "c_avg", "precision", "entropy", "height"]
    points = {name: points[name] for name in dict.fromkeys([*order, "max_loss", *points])}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(known.METRICS, "_points", points)
        objectives = {name: metric for name, metric in known.METRICS.items() if not metric.detail}
        patched.setattr(known, "OBJECTIVES", objectives)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the demo, its register in every format, and baskets; the commands run in it."""
    made = tmp_path_factory.mktemp("frozen")
    before = Path.cwd()
    os.chdir(made)
    try:
        for words in (
            "demo --records 200 --k 5",
            "generate baskets --out b.dat --transactions 300 --items 30 --length 4 --patterns 20",
            "generate baskets --out few.dat --transactions 12 --items 8 --length 3 --patterns 6",
            "convert b.dat --out b.parquet --out-format lists",
        ):
            assert kohort(*words.split()).status == 0
        (made / "in").mkdir()
        written(pl.read_csv("demo/people.csv"), made / "in")
        yield made
    finally:
        os.chdir(before)


def plain(value: Json) -> Json:
    """A document without what the machine and the clock say."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items() if key not in OF_THE_MACHINE}
    return [plain(one) for one in value] if isinstance(value, list) else value


def digest(content: bytes) -> str:
    """Enough of a digest to see a change."""
    return hashlib.sha256(content).hexdigest()[:8]


def digests(text: str) -> str:
    """The digest of each part of a document."""
    parts = plain(json.loads(text))
    assert isinstance(parts, dict)
    return " ".join(f"{key}:{digest(json.dumps(one, sort_keys=True).encode())}" for key, one in sorted(parts.items()))


def documents(words: str, out: Path) -> dict[str, str]:
    """What a run prints as JSON, and the digests of what it publishes."""
    out.mkdir(exist_ok=True)
    more = ["--report", str(out / "report.json")] if words.startswith(RELEASING) and "--engine" not in words else []
    ran = kohort(*words.format(out=out.name).split(), *more, "--json")
    assert ran.status in {0, 1}, ran.err
    found = {"printed": digests(ran.out), "status": str(ran.status)}
    for path in sorted(out.rglob("*")):
        if path.is_file():
            content = path.read_bytes()
            found[str(path.relative_to(out))] = digests(content.decode()) if path.suffix == ".json" else digest(content)
    return found


@pytest.mark.parametrize("name", RUNS)
def test_a_run_gives_what_it_gave(folder: Path, name: str) -> None:
    """Every document of a run is what it was, part by part."""
    found = documents(RUNS[name], folder / name)
    frozen = json.loads(FROZEN.read_text("utf-8"))
    if os.environ.get("KOHORT_GOLDEN") == "write":
        frozen = {each: frozen[each] for each in RUNS if each in frozen} | {name: found}
        FROZEN.write_text(json.dumps(frozen, indent=1) + "\n", encoding="utf-8")
    assert found == frozen[name]
