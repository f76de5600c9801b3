"""Every command and every flag that names a file is on the page that says who may read what."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from kohort.errors.display import INTERNAL_LINE
from tests.command import flags_of, kohort
from tests.unit.cli.test_reference import commands

if TYPE_CHECKING:
    from collections.abc import Sequence

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "outputs.md"

#: What stands for a file in the help of a flag.
FILE = re.compile(r"FILE|FOLDER|JOB|OUT")


def rows() -> dict[str, str]:
    """The audience of each command."""
    found = re.findall(r"^\| `([a-z ]+)` \|.*\| (.+) \|$", PAGE.read_text("utf-8"), flags=re.MULTILINE)
    return {str(name): str(who) for name, who in found}


def test_every_command_has_an_audience() -> None:
    """And no other has one."""
    assert rows().keys() == commands().keys()


def test_every_flag_that_names_a_file_is_told() -> None:
    """As an output with its readers, or as an input."""
    flags = {
        max(option.opts, key=len)
        for command in commands().values()
        for option in flags_of(command)
        if option.param_type_name == "option" and FILE.search(str(option.metavar or ""))
    }
    told = set(re.findall(r"`(--[a-z-]+)", PAGE.read_text("utf-8")))
    assert flags <= told
    assert told - flags <= {"--audience", "--bounds"}


def test_objects_for_the_steward_say_so_first(tmp_path: Path) -> None:
    """What the page calls the steward's begins with its audience; what is anyone's does not claim one."""
    table, out, basket = tmp_path / "t.csv", tmp_path / "r.csv", tmp_path / "b.dat"
    pl.DataFrame({"age": [str(20 + at % 7) for at in range(60)], "ill": ["flu", "gout"] * 30}).write_csv(table)
    basket.write_text("a b\n" * 9 + "a e\n" * 9, encoding="utf-8")
    flags = ["--quasi", "age", "--sensitive", "ill", "--no-model", "ill"]
    assert kohort("init", table, "--out", tmp_path / "a.toml").out.startswith(INTERNAL_LINE)
    runs: dict[str, Sequence[object]] = {
        "anonymize": [table, "--out", out, *flags, "--k", 3],
        "inspect": [table],
        "compare": [table, out],
        "risk": [table, "--quasi", "age"],
        "sweep": [table, "--quasi", "age", "--rest", "drop", "--vary", "k=3,5"],
        "transactions": [basket, "--out", tmp_path / "c.dat", "--private", "e", "--h", "0.6", "--k", 2, "--p", 1],
        "advise": [tmp_path / "a.toml"],
        "check": [out, "--quasi", "age", "--k", 3],
    }
    for name, arguments in runs.items():
        ran = kohort(name, *arguments, "--json")
        assert ran.status == 0, (name, ran.err)
        internal = next(iter(ran.figures.items())) == ("audience", "internal")
        assert internal == (rows()[name] == "steward"), name
        again = ["--overwrite"] if "--out" in arguments else []
        assert kohort(name, *arguments, *again).out.startswith(INTERNAL_LINE) == internal, name


def test_files_for_the_steward_say_so_first(tmp_path: Path) -> None:
    """Comparisons, sweeps, mappings and drafted jobs, in each of their forms; a table says it in a column."""
    table = tmp_path / "t.csv"
    pl.DataFrame({"age": [str(20 + at % 7) for at in range(60)], "ill": ["flu", "gout"] * 30}).write_csv(table)
    for name in ("c.json", "c.txt"):
        assert kohort("compare", table, table, "--out", tmp_path / name).status == 0
    for name in ("s.json", "s.csv"):
        sweep = ["--quasi", "age", "--rest", "drop", "--vary", "k=3,5", "--out", tmp_path / name]
        assert kohort("sweep", table, *sweep).status == 0
        assert '"public"' in (text := (tmp_path / name).read_text("utf-8")) or "\npublic," in text
        assert kohort("sweep", table, *sweep, "--overwrite", "--audience", "internal").status == 0
    levels = ["--quasi", "age", "--rest", "drop", "--method", "optimal", "--hierarchy", "age=suppress"]
    for name in ("m.json", "m.csv"):
        out = ["--out", tmp_path / f"of-{name}.csv", "--mapping", tmp_path / name]
        assert kohort("anonymize", table, *out, *levels, "--k", 3).status == 0
    assert kohort("init", table, "--out", tmp_path / "j.toml").status == 0
    for name in ("c.json", "s.json", "m.json"):
        assert next(iter(json.loads((tmp_path / name).read_text("utf-8")).items())) == ("audience", "internal")
    for name in ("s.csv", "m.csv"):
        assert next(iter(pl.read_csv(tmp_path / name)["audience"])) == "internal"
    for name in ("c.txt", "j.toml"):
        assert (tmp_path / name).read_text("utf-8").removeprefix("# ").startswith(INTERNAL_LINE)
