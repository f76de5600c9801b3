"""Transactions on the command line: what each command prints, writes and returns when all is well."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import polars as pl
import pytest

from kohort.job.parts import json_schema
from kohort.transactions.form import TRANSACTION_JOB
from tests.command import Ran, kohort

if TYPE_CHECKING:
    from pathlib import Path

#: The paper's example: five patients.
PAPER = "a c d f g Diabetes\na b c f Hepatitis\nb d f x Hepatitis\nb c g y z HIV\na c f g HIV\n"
ROLES = ["--private", "Diabetes,Hepatitis,HIV", "--h", "0.8", "--k", 2, "--p", 2]

JOB = """\
[transactions]
format = "basket"
[input]
path = "paper.dat"
[output]
path = "job.dat"
[privacy]
h = 0.8
k = 2
p = 2
[items]
private = ["Diabetes", "Hepatitis", "HIV"]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the paper's example and a job over it."""
    made = tmp_path_factory.mktemp("transactions")
    (made / "paper.dat").write_text(PAPER, encoding="utf-8")
    (made / "job.toml").write_text(JOB, encoding="utf-8")
    return made


def done(*arguments: object, stdin: bytes = b"", status: int = 0) -> Ran:
    """A command that must end with this status and complain of nothing."""
    ran = kohort(*arguments, stdin=stdin)
    assert (ran.status, ran.err) == (status, "")
    return ran


# --- transactions -----------------------------------------------------------------------------------------------------


def test_figures_have_the_keys_that_scripts_rely_on(folder: Path, tmp_path: Path) -> None:
    """`--json` prints one object with the keys of the design; the numbers are those that the paper prints."""
    out = tmp_path / "r.dat"
    figures = done("transactions", folder / "paper.dat", "--out", out, *ROLES, "--json").figures
    assert {key: figures[key] for key in ("transactions", "items", "public", "private")} == {
        "transactions": 5,
        "items": 12,
        "public": 9,
        "private": 3,
    }
    assert figures["size1_moles"] == ["x", "y", "z"]
    assert figures["minimal_moles"] == {"2": 7}
    assert figures["dropped"] == ["x", "y", "z", "d", "b"]
    assert figures["distortion"] == 8 / 27
    assert figures["coherent"] is figures["verified"] is True
    assert (figures["release"], figures["certificate"]) == (str(out), f"{out}.kohort.json")
    assert {"read", "solve", "write", "verify"} <= set(figures["seconds"])
    assert len(out.read_text("utf-8").splitlines()) == 5


def test_h_k_and_p_have_defaults_that_are_told(tmp_path: Path) -> None:
    """Nobody is left to guess what was promised."""
    path = tmp_path / "b.dat"
    path.write_text("a b\n" * 20 + "a s\n" * 4, encoding="utf-8")
    said = done("transactions", path, "--out", tmp_path / "r.dat", "--private", "s").out
    assert "(0.4, 10, 4)-coherence" in said


def test_flags_job_file_and_standard_input_make_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    """The same job, and the same job with its lists in files, gives the same release."""
    done("run", folder / "job.toml", "--overwrite")
    done("transactions", folder / "paper.dat", "--out", tmp_path / "flags.dat", *ROLES)
    done("transactions", "-", "--out", tmp_path / "piped.dat", *ROLES, stdin=PAPER.encode())
    (tmp_path / "private.txt").write_text("HIV\nDiabetes\nHepatitis\n", encoding="utf-8")
    (tmp_path / "public.txt").write_text("\n".join("abcdfgxyz"), encoding="utf-8")
    files = ["--private-file", tmp_path / "private.txt", "--public-file", tmp_path / "public.txt", *ROLES[2:]]
    done("transactions", folder / "paper.dat", "--out", tmp_path / "files.dat", *files)
    paths = [folder / "job.dat", *(tmp_path / f"{name}.dat" for name in ("flags", "piped", "files"))]
    assert len({path.read_bytes() for path in paths}) == 1


@pytest.mark.parametrize(
    ("flags", "dropped"),
    [
        (["--score", "mm"], ["x", "y", "z", "b", "d"]),
        (["--score", "all"], ["x", "y", "z", "a", "b", "c", "d", "f", "g"]),
        (["--optimal", "--time-limit", "60"], ["x", "y", "z", "b", "d"]),
        (["--weight", "d=10"], ["x", "y", "z", "b"]),
        (["--give-back", "--max-sets", "1000"], ["x", "y", "z", "d", "b"]),
        (["--min-support", "0.3"], ["d", "b"]),
    ],
)
def test_the_method_is_the_one_asked_for(folder: Path, tmp_path: Path, flags: list[str], dropped: list[str]) -> None:
    """Scores, weights, the optimum and the minimum support reach the search."""
    if "--optimal" in flags:
        pytest.importorskip("highspy", reason="the extra kohort[optimal] is not installed")
    figures = done("transactions", folder / "paper.dat", "--out", tmp_path / "r.dat", *ROLES, *flags, "--json").figures
    assert figures["dropped"][: len(dropped)] == dropped
    assert figures["proven"] is ("--optimal" in flags)


def test_cells_are_suppressed_where_that_is_asked_for(tmp_path: Path) -> None:
    """Only the transaction that stands out loses a cell, and the text says what is promised then, which is less."""
    (tmp_path / "b.dat").write_text("a b\na\na\nb\nb\ns\n", encoding="utf-8")
    wet = ["transactions", tmp_path / "b.dat", "--out", tmp_path / "r.dat", "--private", "s", "--k", 2, "--h", "0.5"]
    figures = done(*wet, "--suppress", "cells", "--json").figures
    assert (figures["suppress"], figures["distortion_exact"]) == ("cells", "1/7")
    assert "may have had items that its release lacks" in done(*wet, "--suppress", "cells", "--overwrite").out
    assert done(*wet, "--overwrite", "--json").figures["distortion_exact"] == "3/7"


def test_roles_are_drawn_by_share_and_seed(folder: Path, tmp_path: Path) -> None:
    """The same seed gives the same release, another seed other roles."""
    drawn = ["--delta", "0.5", "--h", "0.8", "--k", 2, "--draw", "uniform", "--json"]
    command = ["transactions", folder / "paper.dat", "--out", tmp_path / "r.dat", "--overwrite", *drawn]
    first, again, other = (done(*command, "--seed", seed).figures for seed in (1, 1, 2))
    for figures in (first, again, other):
        figures.pop("seconds")
    assert first == again
    assert (first["public"], first["private"]) == (6, 6)
    assert first != other


def test_persons_forms_and_separators_are_read_and_written(tmp_path: Path) -> None:
    """Records of one person become one transaction; the release has the form that is asked for, and no person."""
    path = tmp_path / "visits.csv"
    path.write_text("day;patient;drug\n1;p;a\n2;q;a\n3;p;b\n3;q;b\n4;r;\n", encoding="utf-8")
    long = ["--format", "long", "--person", "patient", "--item", "drug", "--separator", ";"]
    job = ["--private", "b", "--h", 1, "--k", 2]
    figures = done("transactions", path, "--out", tmp_path / "r.csv", *long, *job, "--json").figures
    assert (figures["transactions"], figures["items"]) == (3, 2)
    assert "p" not in (tmp_path / "r.csv").read_text("utf-8").split(";")
    done(
        "transactions", path, "--out", tmp_path / "r.dat", *long, *job, "--out-format", "basket", "--out-separator", ","
    )
    assert (tmp_path / "r.dat").read_text("utf-8") == "\na,b\na,b\n"


def test_a_parquet_file_has_lists(tmp_path: Path) -> None:
    """No form has to be said, and the release is one too."""
    pl.DataFrame({"items": [["a", "b"], ["a", "b"], ["a"]]}).write_parquet(tmp_path / "b.parquet")
    flags = ["--out", tmp_path / "r.parquet", "--private", "b", "--h", 1, "--k", 2]
    done("transactions", tmp_path / "b.parquet", *flags)
    assert pl.read_parquet(tmp_path / "r.parquet").to_series().to_list() == [["a"], ["a", "b"], ["a", "b"]]


def test_names_with_commas_are_quoted(tmp_path: Path) -> None:
    """As in CSV."""
    path = tmp_path / "b.csv"
    path.write_text('t,i\n1,"wine, red"\n2,"wine, red"\n3,tea\n', encoding="utf-8")
    flags = ["--format", "long", "--private", '"wine, red",tea', "--h", "0.7", "--k", 2, "--json"]
    assert done("transactions", path, "--out", tmp_path / "r.csv", *flags).figures["private"] == 2


def test_a_dry_run_writes_nothing(folder: Path, tmp_path: Path) -> None:
    """It tells what the release would cost, and says that nothing was verified."""
    wet = ["transactions", folder / "paper.dat", "--out", tmp_path / "r.dat", *ROLES]
    figures = done(*wet, "--dry-run", "--json").figures
    assert (figures["verified"], figures["release"], figures["dropped"]) == (False, None, ["x", "y", "z", "d", "b"])
    assert "dry run: nothing was written or verified" in done(*wet, "--dry-run").out
    assert list(tmp_path.iterdir()) == []
    assert done(*wet, "--quiet").out == ""


def test_a_report_is_published_with_the_release(folder: Path, tmp_path: Path) -> None:
    """As text it is what is printed; as JSON it tells the same figures."""
    command = ["transactions", folder / "paper.dat", "--out", tmp_path / "r.dat", "--overwrite", *ROLES]
    figures = done(*command, "--report", tmp_path / "r.json", "--json").figures
    report = json.loads((tmp_path / "r.json").read_text("utf-8"))
    assert [one["name"] for one in report["items"]["dropped"]] == figures["dropped"]
    assert (report["kind"], report["done"]["cells"]) == ("transactions", figures["cells"])
    ran = done(*command, "--report", tmp_path / "r.txt")
    assert (tmp_path / "r.txt").read_text("utf-8") == ran.out


def test_a_trace_is_shown_where_it_can_be_read(folder: Path, tmp_path: Path) -> None:
    """The steps of a small example stand before the result; for a large one it is said why they do not."""
    wet = ["transactions", folder / "paper.dat", "--out", tmp_path / "r.dat", *ROLES]
    said = done(*wet, "--trace").out
    assert said.index("Step 1: d is dropped") < said.index("5 transactions released")
    (tmp_path / "large.dat").write_text(PAPER * 20, encoding="utf-8")
    said = done("transactions", tmp_path / "large.dat", "--out", tmp_path / "l.dat", *ROLES, "--trace").out
    assert said.partition("\n")[2].startswith("no trace: a trace is for at most")
    assert "100 transactions released" in said


def test_the_items_in_the_way_are_named_only_where_that_is_asked_for(folder: Path, tmp_path: Path) -> None:
    """Standard input is read once, so that no name can be told of it."""
    wet = ["transactions", folder / "paper.dat", "--out", tmp_path / "r.dat", *ROLES[:2], "--h", "0.3", "--k", 2]
    assert kohort(*wet).err.startswith("kohort: 2 private items are in more than h = 0.3 of all transactions")
    assert "Hepatitis" not in kohort(*wet).err
    ran = kohort(*wet, "--show-values")
    assert (ran.status, "HIV, Hepatitis" in ran.err) == (4, True)
    wet[1] = "-"
    ran = kohort(*wet, "--show-values", stdin=PAPER.encode())
    assert (ran.status, "Hepatitis" in ran.err) == (4, False)
    few = kohort("transactions", folder / "paper.dat", "--out", tmp_path / "r.dat", *ROLES[:2], "--show-values")
    assert (few.status, "5 transactions" in few.err) == (4, True)


# --- run --------------------------------------------------------------------------------------------------------------


def test_a_job_on_transactions_is_carried_out(folder: Path) -> None:
    """With the flags that say what is shown."""
    figures = done("run", folder / "job.toml", "--overwrite", "--json").figures
    assert figures["release"] == str(folder / "job.dat")
    assert "Step 1: d is dropped" in done("run", folder / "job.toml", "--dry-run", "--trace").out


# --- check ------------------------------------------------------------------------------------------------------------


def test_a_database_is_judged_as_it_stands(folder: Path, tmp_path: Path) -> None:
    """Status 1 with the minimal moles by size and kind; a release passes."""
    judge = ["--transactions", *ROLES]
    figures = done("check", folder / "paper.dat", *judge, "--json", status=1).figures
    assert figures == {
        "met": False,
        "model": "(0.8, 2, 2)-coherence",
        "h": 0.8,
        "k": 2,
        "p": 2,
        "transactions": 5,
        "items": 12,
        "public": 9,
        "private": 3,
        "empty_set": {"mole": False, "too_few": False, "over": 0},
        "minimal_moles": {"1": {"rare": 3, "breach": 0}, "2": {"rare": 6, "breach": 1}},
    }
    assert "7 (6 below k, 1 above h)" in done("check", folder / "paper.dat", *judge, status=1).out
    done("transactions", folder / "paper.dat", "--out", tmp_path / "r.dat", *ROLES)
    assert done("check", tmp_path / "r.dat", *judge).out == "5 transactions: (0.8, 2, 2)-coherence met\n"
    assert done("check", tmp_path / "r.dat", *judge, "--json").figures["met"] is True
    assert done("check", folder / "paper.dat", *judge, "--quiet", status=1).out == ""


def test_the_empty_set_may_be_a_mole(folder: Path) -> None:
    """Then no release is coherent; the items are named only where that is asked for."""
    command = ["check", folder / "paper.dat", "--transactions", "--private", "Diabetes,Hepatitis,HIV", "--h", "0.3"]
    said = done(*command, "--k", 6, status=1).out
    assert "fewer than 6" in said
    assert "2 (--show-values names them)" in said
    said = done(*command, "--k", 2, "--show-values", status=1).out
    assert "2: HIV, Hepatitis" in said
    figures = done(*command, "--show-values", "--json", status=1).figures
    assert figures["empty_set"] == {"mole": True, "too_few": True, "over": 2}
    assert figures["over_names"] == ["HIV", "Hepatitis"]
    assert figures["minimal_moles"] == {}


def test_a_check_of_one_transaction_is_told_in_the_singular(tmp_path: Path) -> None:
    """The count agrees with its noun."""
    (tmp_path / "b.dat").write_text("a s\n", encoding="utf-8")
    said = done("check", tmp_path / "b.dat", "--transactions", "--private", "s", "--k", 1, "--h", 0, status=1).out
    assert said.startswith("1 transaction: (0, 1, 4)-coherence NOT met")


def test_a_check_has_the_defaults_of_a_release(tmp_path: Path) -> None:
    """h, k and p are the same where nothing is said."""
    (tmp_path / "b.dat").write_text("a\n" * 10, encoding="utf-8")
    figures = done("check", tmp_path / "b.dat", "--transactions", "--private", "s", "--allow-absent", "--json").figures
    assert (figures["met"], figures["model"]) == (True, "(0.4, 10, 4)-coherence")


# --- schema -----------------------------------------------------------------------------------------------------------


def test_the_schema_of_a_job_on_transactions_is_printed() -> None:
    """It is made of the form."""
    assert json.loads(done("schema", "--transactions").out) == json_schema(TRANSACTION_JOB)
