"""Tables as people have them: one odd column costs no table; types and numbers come back."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import kohort
from kohort import Hierarchy
from kohort.certificate.again import read_certificate
from kohort.certificate.table import Certificate
from kohort.certificate.table_again import check_table_again
from kohort.certificate.table_shown import RecheckInputs
from kohort.errors import InputError, KohortError
from kohort.job.keywords import job_from
from kohort.job.request import Request
from tests.engines.test_duckdb import SOURCES, compared
from tools.check_release import faults

if TYPE_CHECKING:
    from collections.abc import Callable

    from kohort.release import Job

ENGINES = ["local", "duckdb"]

#: Columns that no release can hold.
ODD: dict[str, pl.Series] = {
    "list": pl.Series([[1], [2], [1], [2]]),
    "array": pl.Series([[1, 2]] * 4, dtype=pl.Array(pl.Int8, 2)),
    "struct": pl.Series([{"a": 1}] * 4),
    "binary": pl.Series([b"CANARY"] * 4),
    "duration": pl.Series([dt.timedelta(hours=30)] * 4),
    "infinite": pl.Series([1.5, float("inf"), 2.0, float("-inf")]),
    "nul": pl.Series(["CANARY\0", "b", "c", "d"]),
}


def released(source: object, out: Path, engine: str, **job: Any) -> pl.DataFrame:  # noqa: ANN401  keywords of a job
    """What is released to a Parquet file."""
    kohort.anonymize(source, k=2, engine=engine, target=out, **job)
    return pl.read_parquet(out)


def frame_of(source: object, **job: Any) -> Any:  # noqa: ANN401  a frame of any library
    """The frame that is released."""
    return kohort.anonymize(source, **job).frame()


# ── columns that no release needs ────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("role", ["drop", "identifying"])
@pytest.mark.parametrize("odd", ODD)
def test_a_column_that_is_not_released_is_not_read(odd: str, role: str, engine: str, tmp_path: Path) -> None:
    """Whatever a dropped or identifying column holds, the others are released."""
    path = tmp_path / "in.parquet"
    pl.DataFrame({"a": ["x", "x", "y", "y"], "odd": ODD[odd]}).write_parquet(path)
    found = released(path, tmp_path / "out.parquet", engine, quasi=["a"], **{role: ["odd"]})
    assert found.to_dict(as_series=False) == {"a": ["x", "x", "y", "y"]}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("role", ["quasi", "sensitive", "insensitive"])
@pytest.mark.parametrize("odd", ODD)
def test_a_column_that_is_released_must_be_readable(odd: str, role: str, engine: str, tmp_path: Path) -> None:
    """All columns that a job needs and that cannot be read are named at once, with no cell; nothing is written."""
    path = tmp_path / "in.parquet"
    pl.DataFrame({"a": list("xxyy"), "odd": ODD[odd], "odder": ODD[odd]}).write_parquet(path)
    job: dict[str, Any] = {"quasi": ["a"], "allow_singling": ["odd", "odder"]}
    job[role] = [*job.get(role, []), "odd", "odder"]
    if role == "sensitive":
        job["no_model"] = ["odd", "odder"]
    with pytest.raises(InputError, match=r"(?s)column 'odd'.*column 'odder'.*--drop") as raised:
        released(path, tmp_path / "out.parquet", engine, **job)
    assert "CANARY" not in str(raised.value)
    assert not (tmp_path / "out.parquet").exists()


@pytest.mark.parametrize(
    "column",
    [[{1: 2}, {}], [b"x", b"y"], [object(), object()], [[1], [2]], [pd.Timedelta(1), pd.NaT]],
    ids=["dict", "bytes", "object", "list", "timedelta"],
)
def test_pandas_columns_that_are_dropped(column: list[Any]) -> None:
    """Objects of any class may stand in a column of pandas that is dropped."""
    people = pd.DataFrame({"a": ["x", "x"], "odd": column})
    assert frame_of(people, k=2, quasi=["a"], drop=["odd"])["a"].tolist() == ["x", "x"]


def test_an_arrow_type_that_polars_does_not_have() -> None:
    """Stretches of the calendar are left out, decimals of more than 38 digits are texts."""
    arrow: Any = pa
    wide = arrow.array([Decimal("1.10")] * 2, arrow.decimal256(60, 2))
    months = arrow.array([(1, 2, 3)] * 2, arrow.month_day_nano_interval())
    people: Any = arrow.table({"a": ["x", "x"], "wide": wide, "months": months})
    found = frame_of(people, k=2, quasi=["a", "wide"], drop=["months"])
    assert found["wide"].to_pylist() == ["1.10", "1.10"]


def test_a_person_key_must_be_readable() -> None:
    """A person key is read, though no release has it."""
    people = pl.DataFrame({"a": list("xxyy"), "odd": ODD["binary"]})
    with pytest.raises(InputError, match="Binary: cannot be released"):
        kohort.anonymize(people, k=2, quasi=["a"], identifying=["odd"], person="odd")


def test_inspect_and_init_go_on() -> None:
    """A column that cannot be read is shown as one that cannot be released, and dropped by a draft."""
    people = pl.DataFrame({"age": [20, 30, 40, 50], "odd": ODD["list"]})
    guesses = {one.name: one for one in kohort.inspect(people)}
    assert guesses["odd"].role == "drop"
    assert guesses["odd"].reasons[0].startswith("List: cannot be released")
    assert guesses["age"].role == "quasi"
    assert kohort.draft(people, k=2).job().schema.attributes[1].role == "drop"


# ── decimals ─────────────────────────────────────────────────────────────────────────────────────

PRICES = pl.Series([Decimal("1.10"), Decimal("1.10"), Decimal("-2.25"), Decimal("-2.25")], dtype=pl.Decimal(10, 2))


@pytest.mark.parametrize("engine", ENGINES)
def test_decimals_keep_their_type(engine: str, tmp_path: Path) -> None:
    """A decimal is read with the digits of its scale, and released as the same decimal."""
    path = tmp_path / "in.parquet"
    pl.DataFrame({"a": PRICES, "b": PRICES, "c": PRICES}).write_parquet(path)
    found = released(path, tmp_path / "out.parquet", engine, quasi=["a"], grid={"a": 5}, insensitive=["b"], drop=["c"])
    assert found["b"].dtype == pl.Decimal(10, 2)
    assert found["b"].to_list() == [Decimal("-2.25")] * 2 + [Decimal("1.10")] * 2
    assert found["a"].to_list() == ["[-5-0)"] * 2 + ["[0-5)"] * 2


def _polars(column: pl.Series) -> pl.DataFrame:
    return column.to_frame("b")


def _pandas(column: pl.Series) -> pd.DataFrame:
    return pd.DataFrame({"b": column.to_list()})


def _arrow(column: pl.Series) -> object:
    frame: Any = column.to_frame("b")
    return frame.to_arrow()


@pytest.mark.parametrize(
    "made",
    [_polars, _pandas, _arrow],
    ids=["polars", "pandas", "arrow"],
)
def test_decimals_of_frames(made: Callable[[pl.Series], Any]) -> None:
    """Decimals of every kind of frame are numbers, and text by their scale."""
    read = kohort.read(made(PRICES))
    assert sorted(read["b"].values) == ["-2.25", "1.10"]
    assert kohort.inspect(made(PRICES))["b"].scale == "numeric"


@pytest.mark.parametrize("key", ["xlsx", "sqlite", "duckdb", "csv", "ipc"])
def test_decimals_in_other_formats(key: str, tmp_path: Path) -> None:
    """Decimals are written to every format, and verified there."""
    people = pl.DataFrame({"a": ["x"] * 4, "b": PRICES})
    out = tmp_path / f"out.{key}"
    kohort.anonymize(people, k=2, quasi=["a"], insensitive=["b"], target=out)
    assert {*kohort.read(out)["b"].cells()} in ({"1.10", "-2.25"}, {"1.1", "-2.25"})


def test_rounded_decimals_are_decimals() -> None:
    """Rounding leaves a decimal column one of the same scale."""
    people = pl.DataFrame({"a": ["x"] * 4, "b": PRICES})
    found = frame_of(people, k=2, quasi=["a"], insensitive=["b"], perturb={"b": "rounding:step=0.5"})
    assert found["b"].dtype == pl.Decimal(10, 2)
    assert sorted(found["b"]) == [Decimal("-2.00")] * 2 + [Decimal("1.00")] * 2


# ── types of what is released exactly ────────────────────────────────────────────────────────────

KEPT = pl.DataFrame(
    {
        "age": [20] * 3 + [30] * 3,
        "f": [1.5] * 3 + [2.5] * 3,
        "b": [True] * 3 + [False] * 3,
        "d": [dt.date(2020, 1, 1)] * 3 + [dt.date(2021, 1, 1)] * 3,
        "t": [dt.datetime(2020, 1, 1)] * 3 + [dt.datetime(2021, 1, 1)] * 3,  # noqa: DTZ001  naive on purpose
        "n": [Decimal("1.10")] * 3 + [Decimal("2.20")] * 3,
    }
)


@pytest.mark.parametrize("engine", ENGINES)
def test_quasi_identifiers_that_are_released_exactly_keep_their_type(engine: str, tmp_path: Path) -> None:
    """Where every cell of a generalized column is still the value, the column has its source's type."""
    path = tmp_path / "in.parquet"
    KEPT.write_parquet(path)
    job: dict[str, Any] = {"quasi": KEPT.columns, "hierarchy": dict.fromkeys(KEPT.columns, "suppress")}
    found = released(path, tmp_path / "out.parquet", engine, **job, method="optimal")
    assert dict(found.schema) == dict(KEPT.schema)
    assert found.rows() == sorted(KEPT.rows())


def test_a_generalized_column_is_text() -> None:
    """One label that is no value makes the column one of text."""
    people = pl.DataFrame({"age": [20, 20, 30, 31]})
    found = frame_of(people, k=2, quasi=["age"], grid={"age": 5})
    assert found["age"].dtype == pl.String


def test_a_day_is_no_moment() -> None:
    """A label that is the day of several times stays a text: midnight is none of them."""
    times = [dt.datetime(2020, 1, 1, hour) for hour in (1, 2, 3)]  # noqa: DTZ001  naive on purpose
    found = frame_of(pl.DataFrame({"t": times}), k=3, quasi=["t"], no_grid=True)
    assert found["t"].dtype == pl.String


@pytest.mark.parametrize("as_", ["pandas", "polars", "parquet", "xlsx", "csv", "duckdb"])
def test_days_are_days_in_every_container(as_: str, tmp_path: Path) -> None:
    """Datetimes without times are released as the same days, whatever holds them."""
    days = pl.DataFrame({"d": [dt.datetime(2020, 1, 1 + at % 9) for at in range(18)], "x": ["a"] * 18})  # noqa: DTZ001
    path = tmp_path / f"in.{as_}"
    match as_:
        case "pandas" | "polars":
            pass
        case "parquet":
            days.write_parquet(path)
        case "xlsx":
            days.write_excel(path)
        case "csv":
            days.with_columns(pl.col("d").dt.date()).write_csv(path)
        case _:
            kohort.anonymize(days, k=2, quasi=["x"], insensitive=["d"], target=path)
    source: object = days.to_pandas() if as_ == "pandas" else days if as_ == "polars" else path
    for hierarchy in ("dates", "suppress"):
        release = kohort.anonymize(source, k=2, quasi=["d"], drop=["x"], hierarchy={"d": hierarchy}, method="optimal")
        assert release.levels == {"d": 0}
        assert release.job.schema.quasi[0].hierarchy is not None
        kohort.anonymize(source, k=2, quasi=["x"], insensitive=["d"], target=(out := tmp_path / f"{hierarchy}.csv"))
        assert out.read_text().splitlines()[1].split(",")[0] == "2020-01-01"


def test_times_stay_where_there_are_some(tmp_path: Path) -> None:
    """A column with one time keeps all of them, and a release of its midnights only is verified as such."""
    times = [dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, 9)]  # noqa: DTZ001
    people = pl.DataFrame({"a": ["x", "x", "y"], "t": times})
    job: dict[str, Any] = {"quasi": ["a"], "insensitive": ["t"], "allow_singling": ["t"], "max_suppression": 1}
    job |= {"hierarchy": {"a": "suppress"}, "method": "optimal", "node": [0]}
    kohort.anonymize(people, k=2, target=(out := tmp_path / "out.parquet"), **job)
    assert pl.read_parquet(out)["t"].to_list() == times[:2]
    kohort.anonymize(people, k=2, target=(out := tmp_path / "out.csv"), **job)
    assert out.read_text().splitlines()[1] == "x,2020-01-01T00:00:00"


# ── leaves of hierarchies ────────────────────────────────────────────────────────────────────────

AGES = Hierarchy.from_rows([["20", "20-29"], ["25", "20-29"], ["30", "30-39"], ["35", "30-39"]], root="*")


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([20.0, 25.0, 30.0, 35.0, float("nan"), float("nan")]),
        pl.Series([20.0, 25.0, 30.0, 35.0] * 2, dtype=pl.Float32),
        pl.Series(["20.0", "25.00", "30", "35"]),
        pl.Series([Decimal("20.00"), Decimal("25.00"), Decimal("30.00"), Decimal("35.00")]),
        pl.Series(["20,0", "25,0", "30,0", "35,0"]),
    ],
    ids=["pandas", "float32", "text", "decimal", "comma"],
)
def test_numbers_match_leaves_however_they_are_written(column: pd.Series[float] | pl.Series) -> None:
    """A value is below the leaf that is the same number."""
    frame = pd.DataFrame({"age": column}) if isinstance(column, pd.Series) else pl.DataFrame({"age": column})
    release = kohort.anonymize(frame, k=2, quasi=["age"], hierarchy={"age": AGES}, method="optimal", node=[1])
    assert {one for one in [*cast("Any", release.frame())["age"]] if isinstance(one, str)} == {"20-29", "30-39"}


def test_another_number_is_no_leaf() -> None:
    """A number that is none of the leaves is counted, as before."""
    with pytest.raises(KohortError, match="1 value"):
        kohort.anonymize(
            pl.DataFrame({"age": [20.5, 25.0]}), k=2, quasi=["age"], hierarchy={"age": AGES}, method="optimal"
        )


# ── decimal commas ───────────────────────────────────────────────────────────────────────────────

GERMAN = "age;pay\n25,54;1.234,50\n25,54;2.500,00\n26,1;1.234,50\n26,1;950,25\n"


@pytest.mark.parametrize("key", ["csv", "xlsx", "parquet", "sqlite", "sav"])
def test_decimal_commas_are_written_back(key: str, tmp_path: Path) -> None:
    """Numbers and labels of a release have the decimal mark and the thousands of the table, in every format."""
    source, out = tmp_path / "in.csv", tmp_path / f"out.{key}"
    source.write_text(GERMAN)
    kohort.anonymize(
        source, k=2, quasi=["age"], grid={"age": "0.5"}, insensitive=["pay"], allow_singling=["pay"], target=out
    )
    read = kohort.read(out, decimal=".")
    assert {*read["age"].cells()} == {"[25,5-26)", "[26-26,5)"}
    assert {*read["pay"].cells()} == {"1.234,50", "2.500,00", "950,25"}


@pytest.mark.parametrize("mark", [None, ","])
def test_a_certificate_knows_the_decimal_mark(mark: str | None, tmp_path: Path) -> None:
    """A release with decimal commas is checked by its certificate, also against the table, by labels as numbers."""
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text(GERMAN)
    how: dict[str, Any] = {} if mark is None else {"decimal": mark}
    release = kohort.anonymize(source, k=2, quasi=["age", "pay"], target=out, **how)
    assert release.job.reading.decimal == ","
    assert kohort.Job.from_toml(release.job.to_toml()).reading.decimal == ","
    known = read_certificate(f"{out}.kohort.json")
    assert isinstance(known, Certificate)
    assert check_table_again(out, known, RecheckInputs(reference=str(source))).met
    assert not [*faults(out.read_bytes(), Path(f"{out}.kohort.json").read_bytes())]


def test_perturbed_numbers_keep_their_decimal_comma() -> None:
    """Rounded numbers are written as the others were."""
    people = pl.DataFrame({"a": ["x"] * 4, "pay": ["1.234,50", "1.234,50", "2.600,00", "2.600,00"]})
    found = frame_of(people, k=2, quasi=["a"], insensitive=["pay"], perturb={"pay": "rounding:step=500"})
    assert sorted(found["pay"]) == ["1.000", "1.000", "2.500", "2.500"]


#: How people write numbers: the decimal mark, and what stands between thousands.
MARKS = {"german": (",", "."), "bare": (",", ""), "french": (",", "\u202f"), "swiss": (".", "\u2019")}

#: Jobs that count, generalize, lack, weigh and release numbers.
COMMAS: dict[str, dict[str, Any]] = {
    "grid": {"quasi": ["age", "pay"], "grid": {"pay": 500, "age": "2.5"}, "insensitive": ["n"], "cut": "median"},
    "ranges": {"quasi": ["age", "pay"], "no_grid": True, "sensitive": ["ill"], "l": {"ill": 2}},
    "sets": {"quasi": ["age"], "labels": "set", "no_grid": True, "insensitive": ["pay"]},
    "levels": {
        "quasi": ["age", "n"],
        "hierarchy": {"age": "intervals:2.5,5,10", "n": "suppress"},
        "method": "optimal",
        "max_suppression": "20%",
        "insensitive": ["pay"],
    },
    "rows": {"quasi": ["age"], "insensitive": ["pay"]},
    "models": {
        "quasi": ["age"],
        "sensitive": ["pay"],
        "t": {"pay": "0.5"},
        "missing": {"pay": "suppress"},
    },
    "complete": {"quasi": ["age", "n"], "insensitive": ["pay"], "complete_records": ["pay"]},
}


def numbers(mark: str, group: str) -> pl.DataFrame:
    """People whose numbers are written so; some have none, or a word for it."""
    said = {ord(","): group, ord("."): mark}
    rows = [((at * 37) % 400 / 10 + 20, (at * 7919) % 90_000 / 8 + 900) for at in range(120)]
    pay = [f"{one:,.2f}".translate(said) for _, one in rows]
    return pl.DataFrame(
        {
            "age": [f"{one:.1f}".translate(said) for one, _ in rows],
            "pay": ["n.a." if at % 17 == 0 else "" if at % 23 == 0 else one for at, one in enumerate(pay)],
            "n": [str(at % 3) for at in range(120)],
            "ill": ["flu", "gout", "mumps"] * 40,
        }
    )


def asked(what: str, mark: str) -> Job:
    """A job about them."""
    options = {"k": 4, "rest": "drop", "missing_token": ["n.a."], "allow_singling": ["pay"], **COMMAS[what]}
    if what == "rows":
        rows = [(f"{age // 10}{mark}{age % 10}", f"{age // 100}0{mark}5") for age in range(200, 601)]
        options["hierarchy"] = {"age": Hierarchy.from_rows(rows, root="*")}
    made = job_from(None, options)
    assert isinstance(made, Request)
    return made.job


@pytest.mark.one_of("kind")
@pytest.mark.parametrize("kind", ["csv", "parquet", "frame", "duckdb"])
@pytest.mark.parametrize("what", COMMAS)
@pytest.mark.parametrize("notation", MARKS)
def test_engines_read_and_write_every_notation(notation: str, what: str, kind: str, tmp_path: Path) -> None:
    """The local engine, in memory and on the disk, and another make the same bytes, certificates and figures."""
    frame = numbers(*MARKS[notation])
    job = asked(what, MARKS[notation][0])
    source = SOURCES[kind](frame if kind == "csv" else frame.with_columns(pl.col("pay").replace({"": None})), tmp_path)
    assert compared(source, job, tmp_path) == "released"
