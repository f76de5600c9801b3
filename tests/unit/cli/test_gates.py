"""What no release may have is refused in one run, with flags that mend it; what is dropped needs no model."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import kohort as library
from kohort.errors import JobError, SourceNote, UsageError
from tests.command import kohort

if TYPE_CHECKING:
    from pathlib import Path

    from tests.command import Ran

ROWS = range(400)

#: A table whose columns fail at each of the gates: alone, by identifiers inside, and as a pair.
UNSAFE = pl.DataFrame(
    {
        "name": [f"Ada{row} Rossi{row}" for row in ROWS],
        "age": [str(20 + row % 5) for row in ROWS],
        "town": ["a", "b"] * 200,
        "ticket": [f"T{row * 7919 % 100_003}" for row in ROWS],
        "income": [str(20_000 + 37 * row) for row in ROWS],
        "note": [f"Ada{row} Rossi{row} was here" for row in ROWS],
        "day": [str(row % 20) for row in ROWS],
        "dose": [str(row // 20) for row in ROWS],
    }
)
USUAL = ("name", "age", "town")


def ran(frame: pl.DataFrame, folder: Path, *flags: str) -> Ran:
    """A release by these flags, all columns but three insensitive."""
    frame.write_csv(folder / "in.csv")
    roles = ("--identifier", "name", "--quasi", "age,town", "--rest", "insensitive")
    return kohort(
        "anonymize", folder / "in.csv", "--out", folder / "out.csv", *roles, "--k", "5", "--overwrite", *flags
    )


def mending(told: str) -> list[str]:
    """The flags of the last line."""
    return shlex.split(told.rpartition("these flags fix ")[2].partition(": ")[2])


@pytest.mark.parametrize(
    "columns",
    [
        ("ticket", "note"),
        ("ticket", "income"),
        ("ticket", "note", "income"),
        ("note", "day", "dose"),
        ("income", "day", "dose", "ticket"),
        tuple(UNSAFE.columns[3:]),
    ],
)
@pytest.mark.parametrize("named", [True, False])
def test_one_line_of_flags_mends_all(columns: tuple[str, ...], tmp_path: Path, *, named: bool) -> None:
    """With the flags of the refusal's last line the next run ends, also where the columns have been given roles."""
    frame, roles = UNSAFE.select(*USUAL, *columns), ["--insensitive", ",".join(columns)] if named else []
    refused = ran(frame, tmp_path, *roles)
    assert refused.status == 2
    assert ran(frame, tmp_path, *roles, *mending(refused.err)).status == 0


def test_every_gate_is_in_the_one_refusal(tmp_path: Path) -> None:
    """Columns alone, identifiers inside, a pair, and lists of values come together, each with what it is about."""
    frame = UNSAFE.with_columns(zip=pl.Series([f"Z{row * 31 % 1009:04}x" for row in ROWS]))
    told = ran(frame, tmp_path, "--quasi", "zip").err
    for what in ("a value of their own and can", "hold cells or words", " together", "list in sets"):
        assert what in told
    assert "--drop ticket,note,day" in told
    assert "--perturb income=rounding:step=" in told
    assert "--hierarchy zip=mask:right" in told


def test_numbers_that_say_whose_records_are_come_with_the_rest(tmp_path: Path) -> None:
    """A person key that is missing and a column that singles out are one refusal; its flags name both."""
    frame = UNSAFE.with_columns(patient_id=pl.Series([f"P{row // 3:03}" for row in ROWS]))
    assert "--drop ticket --person patient_id" in ran(frame.select(*USUAL, "ticket", "patient_id"), tmp_path).err


def test_which_of_two_keys_counts_people_no_flag_says(tmp_path: Path) -> None:
    """Where the refusal asks, its flags are about the other columns."""
    keys = {
        "patient_id": [f"P{row // 3:03}" for row in ROWS],
        "client_id": [f"C{(row + 1) // 3:03}" for row in ROWS],
    }
    told = ran(UNSAFE.with_columns(**{key: pl.Series(of) for key, of in keys.items()}).drop("income"), tmp_path).err
    assert "identify the person of a record?" in told
    assert mending(told)[0] == "--drop"
    assert "fix the rest" in told


@pytest.mark.parametrize("names", [("tick,et", "no te"), ('tick"et', "note's")])
def test_names_that_a_shell_would_divide_are_quoted(names: tuple[str, str], tmp_path: Path) -> None:
    """The line can be typed as it is, whatever columns are called."""
    frame = UNSAFE.rename(dict(zip(("ticket", "note"), names, strict=True))).select(*USUAL, *names)
    assert ran(frame, tmp_path, *mending(ran(frame, tmp_path).err)).status == 0


def test_where_records_lie_elsewhere_all_come_at_once_too(tmp_path: Path) -> None:
    """An engine refuses columns alone, identifiers and pairs together."""
    refused = ran(UNSAFE.drop("income"), tmp_path, "--engine", "duckdb")
    assert refused.status == 2
    assert mending(refused.err) == ["--drop", "ticket,note,day"]


def test_python_gets_the_line_as_the_hint_of_the_group() -> None:
    """The error of several columns says what mends them."""
    with pytest.raises(JobError) as caught:
        library.anonymize(UNSAFE, quasi=["age", "town"], identifying=["name"], rest="insensitive", k=5)
    assert "--drop ticket,note,day" in caught.value.hint


# ── what is dropped ──────────────────────────────────────────────────────────────────────────────

SAFE = UNSAFE.select(*USUAL, "day").with_columns(ill=pl.Series(["flu", "cold"] * 200))


@pytest.mark.parametrize(
    ("flags", "key"),
    [
        (("--l", "ill=2"), "l"),
        (("--t", "ill=0.5"), "t"),
        (("--no-model", "ill"), "no-model"),
        (("--perturb", "ill=post-randomization:keep=0.9"), "perturb"),
        (("--allow-singling", "ill"), "allow-singling"),
    ],
)
@pytest.mark.parametrize("named", [True, False])
def test_what_is_said_of_a_dropped_column_goes_with_it(
    flags: tuple[str, str], key: str, tmp_path: Path, *, named: bool
) -> None:
    """The advice to drop a column can be followed by one flag: a note tells what is left out with it."""
    roles = ["--sensitive", "ill"] if named else []
    found = ran(SAFE, tmp_path, *roles, *flags, "--drop", "ill")
    assert found.status == 0, found.err
    assert f"column ill is dropped, together with its settings in the job: {key}" in found.err
    assert "ill" not in (tmp_path / "out.csv").read_text(encoding="utf-8").partition("\n")[0]


def test_a_job_file_that_drops_a_column_need_not_be_cleaned(tmp_path: Path) -> None:
    """One changed role is enough, in the file and on the command line."""
    SAFE.write_csv(tmp_path / "in.csv")
    text = """
        input.path = "in.csv"
        output.path = "out.csv"
        privacy.k = 5
        rest = "drop"
        columns.age.role = "quasi"
        columns.town = { role = "quasi", hierarchy = "suppress", max-level = 1 }
        columns.day = { role = "insensitive" }
        columns.ill = { role = "sensitive", l = 2 }
        perturb.columns.day = { method = "rounding", step = 5 }
    """
    (tmp_path / "job.toml").write_text(text, encoding="utf-8")
    drop = [f"--set=columns.{name}.role=drop" for name in ("town", "day", "ill")]
    assert kohort("run", tmp_path / "job.toml", *drop, "--overwrite").status == 0
    assert (tmp_path / "out.csv").read_text(encoding="utf-8").partition("\n")[0] == "age"


def test_python_tells_what_goes_with_a_dropped_column() -> None:
    """Keyword arguments are treated as flags are, and a misspelt key is still refused."""
    with pytest.warns(SourceNote, match="column ill is dropped, together with its settings in the job: l"):
        library.anonymize(SAFE, quasi=["age"], drop=["ill", "town", "day"], identifying=["name"], l={"ill": 2}, k=5)
    misspelt: Any = {"lll": {"ill": 2}}
    with pytest.raises(UsageError, match="lll"):
        library.anonymize(SAFE, quasi=["age"], drop=["ill"], rest="drop", k=5, **misspelt)


def test_an_identifying_column_is_not_dropped_besides(tmp_path: Path) -> None:
    """It is dropped already, and its cells are looked for in the others: two roles stay a fault."""
    found = ran(SAFE, tmp_path, "--drop", "name")
    assert found.status == 2
    assert "column name is named twice" in found.err


@pytest.mark.parametrize("others", [("day",), ("day", "ticket"), ()])
def test_a_step_is_as_coarse_as_pairs_need(others: tuple[str, ...], tmp_path: Path) -> None:
    """Rounded so that it singles nobody out alone, a column may do so with another: the line's flags mend that, too."""
    frame = UNSAFE.with_columns(income=pl.Series([str(20_000 + 37 * (row * 97 % 400)) for row in ROWS]))
    frame = frame.select(*USUAL, "income", *others)
    refused = ran(frame, tmp_path)
    assert "--perturb income=rounding:step=" in refused.err
    line = mending(refused.err) if others else ["--perturb", "income=rounding:step=100"]
    assert ran(frame, tmp_path, *line).status == 0
    assert "income" in (tmp_path / "out.csv").read_text(encoding="utf-8").partition("\n")[0]
