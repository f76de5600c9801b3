"""Tables as people have them, through each container and on both engines: dates, early roots, titles, releases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import polars as pl
import pytest

import kohort
from kohort.errors import InputError
from tests.command import kohort as run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CONTAINERS: dict[str, Callable[[pl.DataFrame, Path], str]] = {
    "csv": lambda frame, path: _written(frame.write_csv, path / "a.csv"),
    "parquet": lambda frame, path: _written(frame.write_parquet, path / "a.parquet"),
    "xlsx": lambda frame, path: _written(frame.write_excel, path / "a.xlsx"),
}

#: A container, and the engine that reads it.
WAYS = [("csv", "local"), ("csv", "duckdb"), ("parquet", "local"), ("parquet", "duckdb"), ("xlsx", "local")]

#: Days of two years, and how a table may write them.
DAYS = [f"{1880 + at // 30}-{1 + at % 12:02}-{1 + at % 28:02}" for at in range(60)]
WRITTEN: dict[str, tuple[Callable[[str], str], list[str]]] = {
    "ISO": (lambda day: day, []),
    "points": (lambda day: ".".join(day.split("-")[::-1]), []),
    "points, said": (lambda day: ".".join(day.split("-")[::-1]), ["--date-format", "born=dd.mm.yyyy"]),
    "month first": (lambda day: f"{day[5:7]}/{day[8:]}/{day[:4]}", ["--date-format", "born=mm/dd/yyyy"]),
    "day first": (lambda day: "/".join(day.split("-")[::-1]), ["--date-format", "born=dd/mm/yyyy"]),
    "two digits": (lambda day: f"{day[8:]}.{day[5:7]}.{day[2:4]}", ["--pivot", "born=1850"]),
    "compact": (lambda day: day.replace("-", ""), []),
}


def _written(write: Callable[[Path], object], path: Path) -> str:
    write(path)
    return str(path)


@pytest.mark.one_of("container", "form")
@pytest.mark.parametrize(("container", "engine"), WAYS)
@pytest.mark.parametrize("form", WRITTEN)
def test_dates_are_generalized_alike(form: str, container: str, engine: str, tmp_path: Path) -> None:
    """Whatever the form of the days and the container, the lattice methods give the release of ISO dates."""
    made: list[bytes] = []
    for one in ("ISO", form):
        write, flags = WRITTEN[one]
        frame = pl.DataFrame({"born": [*map(write, DAYS)], "sex": ["m", "f"] * 30})
        source = CONTAINERS[container](frame, tmp_path)
        asked = ["--quasi", "born,sex", "--k", 3, "--hierarchy", "born=dates", "--hierarchy", "sex=suppress"]
        out = tmp_path / f"{len(made)}-{container}.csv"
        ran = run("anonymize", source, *asked, *flags, "--method", "optimal", "--engine", engine, "--out", out)
        assert ran.status == 0, ran.err
        assert run("check", out, "--certificate", f"{out}.kohort.json").status == 0
        made.append(out.read_bytes())
    assert made[0] == made[1]
    assert b"188" in made[0]


@pytest.mark.parametrize(("container", "engine"), WAYS)
def test_an_early_root_is_released(container: str, engine: str, tmp_path: Path) -> None:
    """`*` on the first level stands for everything: it costs all, and the verifier and the certificate agree."""
    source = CONTAINERS[container](pl.DataFrame({"v": [*"aabbccdd"]}), tmp_path)
    (tmp_path / "h.csv").write_text("a;1-5;*\nb;1-5;*\nc;*;*\nd;*;*\n")
    out = tmp_path / "o.csv"
    asked = ["--quasi", "v", "--k", 2, "--hierarchy", f"v={tmp_path / 'h.csv'}", "--method", "optimal", "--node", 1]
    ran = run("anonymize", source, *asked, "--engine", engine, "--out", out, "--json", "--excel-safe")
    assert ran.figures["metrics"]["lm"] == pytest.approx(2 / 3)
    assert out.read_text() == "v\n" + "*\n" * 4 + "'1-5\n" * 4
    assert run("check", out, "--certificate", f"{out}.kohort.json").status == 0


@pytest.mark.parametrize("method", ["mondrian", "top-down", "ordered", "optimal", "datafly", "samarati", "best-effort"])
def test_every_method_takes_an_early_root(method: str) -> None:
    """Mondrian's common ancestor of rare values is `*` too, which its loss counts as everything."""
    tree = kohort.Hierarchy.from_rows([["a", "x", "*"], ["b", "x", "*"], ["c", "*", "*"], ["d", "*", "*"]])
    frame, asked = (
        pl.DataFrame({"v": ["a", "a", "b", "b", "c", "d"]}),
        cast("Any", {"quasi": ["v"], "k": 2, "method": method}),
    )
    found = kohort.anonymize(frame, **asked, hierarchy={"v": tree})
    assert found.verdict is not None
    assert "*" in found.table["v"].values.gather(found.table["v"].codes).to_list()
    assert found.losses["v"] >= 2 / 6


@pytest.mark.parametrize("engine", ["local", "duckdb"])
@pytest.mark.parametrize("above", ["", "sep=;\n", "Survey\n\n", 'Of "2020\n', "sep=;\nSurvey;\n", "\n\n"])
def test_lines_above_the_names_are_skipped(above: str, engine: str, tmp_path: Path) -> None:
    """On both engines, by a flag, by a job file and by a keyword; and the certificate's job has it."""
    (tmp_path / "a.csv").write_text(f"{above}age;sex\n20;m\n20;m\n30;f\n30;f\nTotal;4\nTotal;4\n")
    skip = above.count("\n")
    flags, out = ["--quasi", "age,sex", "--k", 2, "--skip-rows", skip, "--engine", engine], tmp_path / "o.csv"
    ran = run("anonymize", tmp_path / "a.csv", *flags, "--out", out)
    assert ran.status == 0, ran.err
    assert "ends in a record that begins with a word for a total" in ran.out
    assert len(out.read_text().splitlines()) == 7
    assert run("check", out, "--certificate", f"{out}.kohort.json").status == 0
    job = f"privacy.k = 2\ninput = {{ path = 'a.csv', skip-rows = {skip} }}\noutput.path = 'p.csv'\nrest = 'drop'\n"
    (tmp_path / "j.toml").write_text(job + "[columns]\nage.role = 'quasi'\nsex.role = 'quasi'\n")
    assert run("run", tmp_path / "j.toml").status == 0
    assert (tmp_path / "p.csv").read_bytes() == out.read_bytes()
    keyword = kohort.anonymize(tmp_path / "a.csv", quasi=["age", "sex"], k=2, skip_rows=skip)
    assert keyword.table.records == 6


@pytest.mark.parametrize(("container", "engine"), WAYS)
def test_a_release_that_is_read_again_is_recognised(container: str, engine: str, tmp_path: Path) -> None:
    """Its ranges would become sets of distant ranges."""
    frame = pl.DataFrame({"age": ["[20-24)"] * 4 + ["[24-30)"] * 4 + ["40"] * 4})
    source = CONTAINERS[container](frame, tmp_path)
    ran = run("anonymize", source, "--quasi", "age", "--k", 8, "--engine", engine, "--out", tmp_path / "o.csv")
    assert ran.status == 3
    assert "2 values are spelled like the labels of a release" in ran.err
    assert "is the table a release already?" in ran.err
    with pytest.raises(InputError, match="labels of a release"):
        kohort.anonymize(frame, quasi=["age"], k=8)
    with pytest.raises(InputError, match="labels of a release"):
        kohort.anonymize(frame.to_pandas(), quasi=["age"], k=8)


@pytest.mark.parametrize("container", CONTAINERS)
def test_rows_of_stars_are_told(container: str, tmp_path: Path) -> None:
    """By check and by risk, whatever holds the release of another program."""
    frame = pl.DataFrame({"age": ["<50", "<50", "*"], "zip": ["81***", "81***", "*"], "ill": ["a", "b", "c"]})
    source = CONTAINERS[container](frame, tmp_path)
    found = run("check", source, "--quasi", "age,zip", "--k", 2, "--json")
    assert (found.status, found.figures["fully_suppressed"], found.figures["records"]) == (0, 1, 2)
    for command in ("check", "risk"):
        told = run(command, source, "--quasi", "age,zip").out
        assert "1 record is * in every quasi-identifying column: counted apart as suppressed" in told
    assert run("risk", source, "--quasi", "age,zip", "--json").figures["fully_suppressed"] == 1


@pytest.mark.parametrize(("container", "engine"), WAYS)
def test_merged_values_save_the_rest(container: str, engine: str, tmp_path: Path) -> None:
    """Where two rare values of one record each would fail, the next rarest joins them, and two values stay."""
    source = CONTAINERS[container](pl.DataFrame({"c": [*"LRLBBBLRRRFI"]}), tmp_path)
    asked = ["--quasi", "c", "--k", 3, "--hierarchy", "c=frequency:3", "--method", "optimal", "--engine", engine]
    assert run("anonymize", source, *asked, "--out", tmp_path / "o.csv").status == 0
    assert sorted((tmp_path / "o.csv").read_text().split()) == ["B"] * 3 + ["R"] * 4 + ["c"] + ["other"] * 5
