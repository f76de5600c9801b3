"""The path of a newcomer: `init`, then `run` without a change, ends in a question or in a safe file."""

from __future__ import annotations

import os
import random
import re
import shlex
import tomllib
from itertools import combinations_with_replacement
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from tests.command import kohort

if TYPE_CHECKING:
    from collections.abc import Mapping

DATA = os.environ.get("KOHORT_DATA")
TABLES = [
    "roles/actg175.csv",
    "roles/affairs.csv",
    "roles/german.csv",
    "roles/pbc.csv",
    "roles/titanic.csv",
    "adult.csv",
]

#: What a stop says: a role to decide, or a column or a pair of them to round or drop.
QUESTIONS = re.compile(
    "the role is undecided|(records|people) have a value of their own|(records|people) can be identified by .* together"
)

#: An identifying cell that nothing else is equal to by chance.
DISTINCTIVE = "[A-Za-z]{3}|[0-9]{5}"


@pytest.fixture
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A table that lies in a folder of its own."""
    name: str = request.param
    if not name.endswith(".csv"):
        assert kohort("generate", name, "--out", tmp_path, "--records", 2_000, "--seed", 5, "--quiet").status == 0
        (tmp_path / "job.toml").unlink(missing_ok=True)
        return tmp_path / ("people.csv" if name == "italy" else "admissions.csv")
    if DATA is None:
        pytest.skip("KOHORT_DATA does not say where the tables are")
    path = tmp_path / Path(name).name
    path.write_bytes((Path(DATA) / name).read_bytes())
    return path


@pytest.mark.slow("whole tables are drafted, released and checked")
@pytest.mark.parametrize("table", ["italy", "admissions", *TABLES], indirect=True)
def test_a_newcomer_ends_with_a_question_or_a_safe_file(table: Path) -> None:
    """Nothing that is released singles out most people, names anyone, prints somebody's value, or lacks a model."""
    job = table.parent / "job.toml"
    assert kohort("init", table, "--out", job, "--quiet").status == 0
    ran = kohort("run", job, "--json")
    release = table.parent / f"{table.stem}.release.csv"
    if ran.status:
        assert ran.status == 2
        assert QUESTIONS.search(ran.err), ran.err
        assert not release.exists()
        return
    text = tomllib.loads(job.read_text("utf-8"))
    columns: dict[str, dict[str, Any]] = text["columns"]
    assert ran.figures["exposed"]["people"] == 0
    assert all(one["role"] != "sensitive" or {"l", "t", "enhanced-beta"} & set(one) for one in columns.values())
    source, released = (pl.read_csv(path, infer_schema=False).fill_null("") for path in (table, release))
    _check_unique(released, columns)
    _check_names(source, released, columns)


def _check_unique(released: pl.DataFrame, columns: Mapping[str, Mapping[str, Any]]) -> None:
    """No column that is not generalized, and no pair, is a value of its own for more than half of the records."""
    plain = [name for name in released.columns if columns[name]["role"] != "quasi"]
    for one, other in combinations_with_replacement(plain, 2):
        assert released.select(pl.struct({one, other}).is_unique().sum()).item() <= released.height / 2, (one, other)


def _check_names(source: pl.DataFrame, released: pl.DataFrame, columns: Mapping[str, Mapping[str, Any]]) -> None:
    """No cell that names somebody stands in the release, whole or as a word."""
    cells = pl.concat([released[name].alias("cell") for name in released.columns]).unique()
    words = {word for cell in cells.to_list() for word in (cell, *re.split(r"[\s,;{}\[\]()]+", cell))}
    roles = {("column_1" if name == "" else name): name for name in source.columns}
    for name, one in columns.items():
        if one["role"] == "identifying":
            values = source[roles[name]].unique()
            named = values.filter(values.str.contains(DISTINCTIVE)).to_list()
            assert words.isdisjoint(named), name


@pytest.mark.slow("each proposal is typed as a command")
@pytest.mark.parametrize("folder", ["here", "a folder"])
@pytest.mark.parametrize("undecided", [False, True])
def test_what_is_proposed_can_be_typed(
    folder: str, *, undecided: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each command that `init`, `advise` and `run` print, copied into a shell, does what the line says."""
    draw = random.Random(1)  # noqa: S311  a test's
    cells = {
        "age": [str(draw.randint(20, 70)) for _ in range(300)],
        "home town": [draw.choice("abcdef") * 4 for _ in range(300)],
        "tall": [draw.choice("01") for _ in range(300)],
        **{f"view{n}": [draw.choice(["agree", "unsure", "disagree"]) for _ in range(300)] for n in range(6)},
    }
    if undecided:
        cells["x.7"] = [str(draw.randint(10_000, 90_000)) for _ in range(300)]
    (tmp_path / folder).mkdir()
    monkeypatch.chdir(tmp_path)
    pl.DataFrame(cells).write_csv(f"{folder}/in.csv", separator=";")
    printed = kohort("init", f"{folder}/in.csv", "--separator", ";", "-o", f"{folder}/my job.toml").out
    proposed = commands(printed)
    assert len([one for one in proposed if one[0] == "init"]) == 5  # the likely ones, all, and three of k
    runs = [one for one in proposed if one[0] == "run"]
    assert len(runs) == 1 + undecided
    for words in proposed:
        assert kohort(*words).status == (2 if undecided and words == runs[0] else 0), words
    if not undecided:
        kohort("run", f"{folder}/my job.toml", "--overwrite")
        told = kohort("advise", f"{folder}/my job.toml").out
        taking = commands(told)
        assert taking == [["advise", f"{folder}/my job.toml", "--take", "1"]]
        [again] = commands(kohort(*taking[0]).out)
        assert again == ["run", f"{folder}/my job.toml", "--overwrite"]
        assert kohort(*again).status == 0


def commands(printed: str) -> list[list[str]]:
    """The commands in what is printed, as a shell reads them."""
    return [shlex.split(one) for one in re.findall(r"(?:   |then run: |Then run: )kohort (.*)$", printed, re.MULTILINE)]
