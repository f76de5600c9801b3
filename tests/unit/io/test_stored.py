"""Releases written into databases that exist: SQLite, DuckDB, Postgres."""

from __future__ import annotations

import datetime as dt
import sqlite3
from contextlib import closing
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import kohort
from kohort import io
from kohort.certificate.again import of_bytes, read_certificate
from kohort.cli import main
from kohort.engines.outlets import written_as
from kohort.errors import DurabilityError, FileError, TargetError, UsageError, VerificationError
from kohort.io import stored
from kohort.io.forms import Format
from kohort.io.stored import StoredTable, opened
from kohort.io.write import to_frame, write
from kohort.publish import Companion
from kohort.publish.files import TemporaryFile
from kohort.publish.tables import publish_table
from kohort.release.job import Writing

if TYPE_CHECKING:
    from collections.abc import Callable

duckdb: Any = import_module("duckdb")

PEOPLE = pl.DataFrame(
    {
        "age": [36, 36, 41, 41],
        "zip": ["00118", "00118", "00119", "00119"],
        "at": [dt.date(2024, 1, 2), None, dt.date(1890, 2, 28), None],
        "account": [2**53 + 1, 1, 2, None],
        "dose": pl.Series([0.1, 2.5, None, 3.0], dtype=pl.Float32),
        "word": ["NA", "", "=1+1", 'Müller, "Ü"'],
    }
)


@pytest.fixture(params=["sqlite", "duckdb", "postgres"])
def base(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A database with one table, `patients`; the address of which ends before the #."""
    monkeypatch.chdir(tmp_path)
    if request.param == "postgres":
        address: str = request.getfixturevalue("postgres")
        driver: Any = import_module("adbc_driver_postgresql.dbapi")
        with driver.connect(address) as server, server.cursor() as cursor:
            for name in ("patients", "release", "again"):
                cursor.execute(f"DROP TABLE IF EXISTS {name}")
            cursor.execute("CREATE TABLE patients AS SELECT 7 AS a")
            server.commit()
        return address
    path = tmp_path / f"clinic.{request.param}"
    connect: Callable[[Path], Any] = sqlite3.connect if request.param == "sqlite" else duckdb.connect
    with closing(connect(path)) as file:
        file.execute("CREATE TABLE patients AS SELECT 7 AS a")
        file.commit()
    return str(path)


def job() -> kohort.Job:
    """Two people of the same age and postal code; what else there is stays as it is."""
    quasi = [kohort.Attribute(name, kohort.Role.QUASI) for name in ("age", "zip")]
    rest = [kohort.Attribute(name, kohort.Role.INSENSITIVE) for name in ("at", "account", "dose", "word")]
    schema = kohort.Schema((*quasi, *rest))
    return kohort.Job(schema, (kohort.KAnonymity(2),), allow_singling=("at", "account", "dose", "word"))


def frame_at(address: str) -> pl.DataFrame:
    """The table at an address."""
    frame = to_frame(io.read(address), "polars")
    assert isinstance(frame, pl.DataFrame)
    return frame


def test_a_release_goes_into_a_database(base: str) -> None:
    """Types, leading zeros, dates and empty cells are as they were, other tables stay, and the certificate is true."""
    release = kohort.anonymize(PEOPLE, job(), target=f"{base}#release")
    frame = frame_at(f"{base}#release")
    assert set(frame["zip"]) == {"00118", "00119"}
    assert set(frame["account"]) == {2**53 + 1, 1, 2, None}
    assert set(frame["at"]) == {dt.date(2024, 1, 2), dt.date(1890, 2, 28), None}
    assert set(frame["dose"]) == {"0.1", "2.5", "3.0", None}
    assert set(frame["word"]) == {"NA", "", "=1+1", 'Müller, "Ü"'}
    assert frame_at(f"{base}#patients").rows() == [(7,)]
    assert isinstance(release.certificate, Path)
    certificate = read_certificate(release.certificate)
    assert certificate.release == place_at(f"{base}#release").path.name
    parts = [(part.name, part.outcome.value) for part in of_bytes(f"{base}#release", certificate)]
    assert parts == [("size", "same"), ("sha256", "same")]
    known = ["check", f"{base}#release", "--certificate", str(release.certificate), "--quiet"]
    assert main(known) == 0
    with opened_at(f"{base}#release") as session:
        session.execute("UPDATE release SET age = '99'")
        session.commit()
    assert main(known) == 1


def place_at(address: str) -> StoredTable:
    """The table at an address."""
    place = stored.stored(address)
    assert place is not None
    return place


def opened_at(address: str) -> Any:  # noqa: ANN401  a context manager
    """The session of a table."""
    return opened(place_at(address))


def test_a_table_is_replaced_only_if_asked(base: str) -> None:
    """A table of that name stops the run before any work; `overwrite` replaces it, but never the run's own input."""
    kohort.anonymize(PEOPLE, job(), target=f"{base}#release")
    with pytest.raises(TargetError, match="the table exists"):
        kohort.anonymize(PEOPLE, job(), target=f"{base}#patients")
    again = kohort.anonymize(PEOPLE.head(2), job(), target=f"{base}#release", overwrite=True)
    assert frame_at(f"{base}#release").height == 2
    assert again.path is not None
    with pytest.raises(TargetError, match="an input of the same run"):
        kohort.anonymize(f"{base}#release", job(), target=f"{base}#release", overwrite=True)
    kohort.anonymize(f"{base}#release", job(), target=f"{base}#again")
    assert frame_at(f"{base}#again").rows() == frame_at(f"{base}#release").rows()


def test_the_database_that_is_read_has_no_table_named(tmp_path: Path) -> None:
    """A file that is read without naming a table is never replaced in part: the table may be the one that is read."""
    path = tmp_path / "clinic.sqlite"
    with closing(sqlite3.connect(path)) as file:
        file.execute("CREATE TABLE patients (age INTEGER)")
        file.executemany("INSERT INTO patients VALUES (?)", [(36,), (36,)])
        file.commit()
    simple = kohort.Job(kohort.Schema((kohort.Attribute("age", kohort.Role.QUASI),)), (kohort.KAnonymity(2),))
    with pytest.raises(TargetError, match="an input of the same run"):
        kohort.anonymize(path, simple, target=f"{path}#patients", overwrite=True)
    kohort.anonymize(path, simple, target=f"{path}#release")
    with pytest.raises(TargetError, match="with other tables"):
        kohort.anonymize(PEOPLE, job(), target=path, overwrite=True)


DEFECTS: list[tuple[Callable[[pl.DataFrame], pl.DataFrame], str]] = [
    (lambda frame: frame.with_columns(age=pl.lit("[30-40]")), "label"),
    (lambda frame: frame.head(3), "records"),
    (lambda frame: frame.with_columns(name=pl.lit("Ada")), "columns"),
]


@pytest.mark.parametrize(("defect", "check"), DEFECTS)
def test_a_defect_in_the_database_is_caught(
    base: str, defect: Callable[[pl.DataFrame], pl.DataFrame], check: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the database gives back is judged: a changed label, a lost record or a new column leave no table behind."""
    put = stored.Session.put

    def damaged(session: stored.Session, parquet: bytes) -> None:
        worse = BytesIO()
        defect(pl.read_parquet(BytesIO(parquet))).write_parquet(worse)
        put(session, worse.getvalue())

    monkeypatch.setattr(stored.Session, "put", damaged)
    with pytest.raises(VerificationError) as raised:
        kohort.anonymize(PEOPLE, job(), target=f"{base}#release")
    assert check in raised.value.where
    monkeypatch.undo()
    with opened_at(f"{base}#release") as session:
        assert not session.exists()
    assert not list(Path().glob("*.json"))


def test_a_certificate_that_cannot_arrive_takes_a_new_table_back(base: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the commit a new table is removed again; one that replaced another stays, and the error says so."""

    def refused(_: TemporaryFile) -> None:
        raise OSError(28, "")

    monkeypatch.setattr(TemporaryFile, "rename", refused)
    with pytest.raises(FileError, match="No space left"):
        kohort.anonymize(PEOPLE, job(), target=f"{base}#release")
    with opened_at(f"{base}#release") as session:
        assert not session.exists()
    with pytest.raises(FileError, match="but its certificate could not be written"):
        kohort.anonymize(PEOPLE, job(), target=f"{base}#patients", overwrite=True)
    assert frame_at(f"{base}#patients").height == 4


def test_a_certificate_that_the_disk_does_not_confirm(base: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Table and certificate are there, and it is said of which table a power cut could take the certificate."""

    def failed(_: int | None) -> OSError:
        return OSError(5, "")

    monkeypatch.setattr("kohort.publish.commit._sync_failure", failed)
    with pytest.raises(DurabilityError) as told:
        kohort.anonymize(PEOPLE, job(), target=f"{base}#release")
    assert told.value.where == place_at(f"{base}#release").address
    assert len([*Path().glob("*.json")]) == 1


def test_an_interrupt_before_the_commit_leaves_the_database(base: str) -> None:
    """Nothing is taken back that was never done: a table that is to be replaced is still the old one."""
    place = place_at(f"{base}#patients")
    gone: Companion[None] = Companion(Path("note.txt"), lambda _: b"")

    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    def written(file: Any) -> None:  # noqa: ANN401  an open file
        pl.DataFrame({"a": [1]}).write_parquet(file)

    with pytest.raises(KeyboardInterrupt):
        publish_table(place, written, interrupted, companions=[gone], overwrite=True)
    assert frame_at(f"{base}#patients").rows() == [(7,)]


def test_a_commit_that_fails_takes_nothing_back(base: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the database refuses the commit, there is no table to remove, and no certificate either."""

    def refused(_: object) -> None:
        raise FileError("the database refused")

    monkeypatch.setattr(stored.Session, "commit", refused)
    with pytest.raises(FileError, match="the database refused"):
        kohort.anonymize(PEOPLE, job(), target=f"{base}#release")
    assert not list(Path().glob("*.json"))
    with opened_at(f"{base}#release") as session:
        assert not session.exists()


def test_a_commit_that_fails_leaves_what_it_would_replace(base: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And is not taken for one that replaced it."""

    def refused(_: object) -> None:
        raise FileError("the database refused")

    monkeypatch.setattr(stored.Session, "commit", refused)
    with pytest.raises(FileError, match="the database refused"):
        kohort.anonymize(PEOPLE, job(), target=f"{base}#patients", overwrite=True)
    monkeypatch.undo()
    assert frame_at(f"{base}#patients").rows() == [(7,)]


def test_a_refusal_of_the_database_names_no_cell(base: str) -> None:
    """What the database says stays unsaid: its message may quote a cell, or the password."""
    place = place_at(f"{base}#release")
    with pytest.raises(FileError, match="nothing was changed") as raised, opened(place) as session:
        session.execute("SELECT nothing FROM nowhere")
    assert "nowhere" not in str(raised.value)
    assert "secret" not in str(raised.value)


def test_a_table_of_another_schema(postgres: str) -> None:
    """`SCHEMA.TABLE` names a table of a schema of Postgres."""
    place = place_at(f"{postgres}#office.release")
    with opened(place) as session:
        session.execute("CREATE SCHEMA office")
        pl.DataFrame({"a": [1]}).write_parquet(file := BytesIO())
        session.put(file.getvalue())
        assert session.exists()
        assert session.text() == b"a\n1\n"


def test_targets() -> None:
    """A table needs a name and a database that exists; a name with # of another kind is a file's."""
    with pytest.raises(UsageError, match="names no table") as raised:
        stored.stored("postgresql://ada:secret@localhost/clinic")
    assert "secret" not in str(raised.value)
    with pytest.raises(FileError, match="there is no such database"), opened(StoredTable("no.duckdb", "a", "duckdb")):
        pass
    with pytest.raises(UsageError, match="has its own format"):
        written_as("clinic.sqlite#release", Writing(Format.CSV))
    assert written_as("clinic.sqlite#release") == "parquet"
    assert StoredTable("postgresql://ada:secret@localhost", "a", "postgres").path == Path("postgres#a")


def test_what_else_a_database_holds(tmp_path: Path) -> None:
    """Only database files hold tables that could be lost."""
    text = tmp_path / "release.sqlite"
    text.write_text("no database")
    assert stored.others(text) == ()
    assert stored.others(tmp_path / "release.csv") == ()
    assert stored.others(tmp_path / "absent.duckdb") == ()
    kohort.anonymize(PEOPLE, job(), target=tmp_path / "new.sqlite")
    assert stored.others(tmp_path / "new.sqlite") == ()
    kohort.anonymize(PEOPLE, job(), target=tmp_path / "new.sqlite", overwrite=True)


CELLS = st.text(st.characters(exclude_categories=["Cs", "Cn"], exclude_characters="\0"), max_size=6)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.lists(
        st.tuples(
            st.none() | CELLS,
            st.none() | st.integers(-(2**63), 2**63 - 1),
            st.none() | st.dates(),
            st.none() | st.booleans(),
            st.none() | st.floats(allow_nan=False, allow_infinity=False),
            st.none() | st.integers(0, 2**64 - 1),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_any_cells_come_back(base: str, rows: list[tuple[object, ...]]) -> None:
    """The text of a table that was read back is the text of the table that was written, whatever its cells."""
    types = {"t": pl.String, "i": pl.Int64, "d": pl.Date, "b": pl.Boolean, "f": pl.Float64, "u": pl.UInt64}
    frame = pl.DataFrame(rows, schema=types, orient="row")
    parquet, due = BytesIO(), BytesIO()
    frame.write_parquet(parquet)
    write(io.read(frame), due, Format.CSV)
    with opened_at(f"{base}#release") as session:
        session.put(parquet.getvalue())
        assert session.text() == due.getvalue()


def test_a_page_of_a_release_in_a_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`kohort run` writes into a database that a job file names, and `kohort report` makes the page of that release."""
    monkeypatch.chdir(tmp_path)
    with closing(sqlite3.connect("clinic.sqlite")) as file:
        file.execute("CREATE TABLE patients (age INTEGER)")
        file.commit()
    Path("people.csv").write_text("age\n36\n36\n41\n41\n")
    text = '[input]\npath = "people.csv"\n[output]\npath = "clinic.sqlite#release"\n'
    Path("job.toml").write_text(text + '[privacy]\nk = 2\n[columns]\nage.role = "quasi"\n')
    assert main(["run", "job.toml", "--quiet"]) == 0
    assert main(["report", "job.toml", "--out", "page.json", "--quiet"]) == 0
    with opened_at("clinic.sqlite#release") as session:
        session.execute("UPDATE release SET age = '99'")
        session.commit()
    assert main(["report", "job.toml", "--out", "other.json", "--quiet"]) == 5
    Path("job.toml").write_text(Path("job.toml").read_text().replace('#release"', '#r"\nformat = "csv"'))
    assert main(["run", "job.toml", "--quiet"]) == 2
