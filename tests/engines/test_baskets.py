"""Transactions that stay in a database: the same moles, the same order of suppression and the same bytes as here."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import duckdb
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kohort
from kohort import system
from kohort.errors import InfeasibleError, InputError, KohortError, UnsupportedError, UsageError
from kohort.sql.duckdb import DuckDB
from kohort.sql.remote import RemoteEngine
from kohort.transactions import duckdb as module
from kohort.transactions import duckdb_levels
from kohort.transactions.cells import LocalSuppression
from kohort.transactions.coherence import Coherence
from kohort.transactions.io.options import BasketOptions, Form
from kohort.transactions.optimum import Optimum
from kohort.transactions.pipeline import anonymize_transactions, dry_run_transactions
from kohort.transactions.release import BasketWriting, TransactionJob
from kohort.transactions.report import transaction_figures
from kohort.transactions.report.text import text_of
from kohort.transactions.roles import Draw, Drawn, Listed
from kohort.transactions.suppression import Greedy, Score
from kohort.verify.verdict import BY_AGGREGATION, BY_RECORD
from tests.command import kohort as command
from tests.engines.sqlite import SQLite
from tests.quick import examples

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.engines.base import Engine
    from kohort.transactions.release import TransactionRelease

#: One database for all tests.
DUCKDB = RemoteEngine(DuckDB.opened(None, None))

#: Some items are numbers, so that their order depends on all of them; some must be quoted.
ITEMS = ("tea", "jam", "10", "9", "ale", 'a "b", c', "pill", "ill")

LONG = BasketOptions(form=Form.LONG, key="who", item="what")

#: Items a transaction may have, some more than once, some none at all.
BASKETS = st.lists(st.lists(st.sampled_from(ITEMS), max_size=7), min_size=1, max_size=40)

NUMBERS = st.lists(st.lists(st.sampled_from(["10", "9", "100", "0", "7"]), max_size=6), min_size=1, max_size=40)

JOBS = st.builds(
    TransactionJob,
    coherence=st.builds(
        Coherence, st.sampled_from([Fraction(1, 2), Fraction(2, 3)]), st.integers(1, 4),
        st.integers(1, 4),
    ),
    roles=st.one_of(
        st.just(Listed(private=("pill", "ill", "10"), absent=True)),
        st.just(Listed(private=("pill",), public=("tea", "jam", "10", "ale", "9"), absent=True)),
        st.builds(Drawn, delta=st.sampled_from([Fraction(1, 2), Fraction(4, 5)]), seed=st.integers(0, 9)),
    ),
    algorithm=st.one_of(
        st.builds(Greedy, score=st.sampled_from(Score), give_back=st.booleans()), st.just(Optimum())
    ),
    min_support=st.sampled_from([Fraction(0), Fraction(1, 5)]),
    reading=st.just(LONG),
    writing=st.builds(BasketWriting, form=st.sampled_from([Form.LONG, None])),
)  # fmt: skip


def frame_of(rows: Sequence[Sequence[str]], *, numbered: bool) -> pl.DataFrame:
    """A record for each item; records of one transaction stand apart."""
    pairs = [(place, item) for place, one in enumerate(rows) for item in one or [""]]
    pairs = pairs[::2] + pairs[1::2]
    keys = [place if numbered else f"t{place}" for place, _ in pairs]
    return pl.DataFrame({"who": keys, "what": [item for _, item in pairs]})


def told(release: TransactionRelease) -> dict[str, Any]:
    """Its figures, without what tells of time and places."""
    figures = json.loads(transaction_figures(release).model_dump_json())
    return {name: value for name, value in figures.items() if name not in {"seconds", "trace"}}


def compared(rows: Sequence[Sequence[str]], job: TransactionJob, engine: Engine, *, numbered: bool = False) -> str:
    """Whether both release the same, or refuse in the same words."""
    with TemporaryDirectory() as folder:
        source, target = Path(folder, "in.parquet"), Path(folder, "out.csv")
        frame_of(rows, numbered=numbered).write_parquet(source)
        found: list[tuple[object, ...]] = []
        for where in ("local", engine):
            try:
                made = anonymize_transactions(source, job, target=target, overwrite=True, engine=where, even_small=True)
            except KohortError as error:
                found.append((type(error), str(error)))
                continue
            moles = [sets.tolist() for sets in made.solution.moles.sets]
            rare = [kinds.tolist() for kinds in made.solution.moles.rare]
            assert made.verdict is not None
            expected = BY_RECORD if where == "local" else BY_AGGREGATION
            assert made.verdict.way == expected
            certified = json.loads(target.with_name("out.csv.kohort.json").read_text())
            assert (certified.pop("verified"), certified.pop("engine") == "local") == (expected, where == "local")
            found.append((moles, rare, made.solution.steps, told(made), target.read_bytes(), certified))
        assert found[0] == found[1]
        return "released" if len(found[0]) > 2 else "refused"


@pytest.mark.parametrize("form", [Form.BASKET, Form.LONG])
def test_a_database_of_everything(form: Form) -> None:
    """Repeated, empty, quoted: released in both forms; so the law below does not only compare refusals."""
    names = [name for name in ITEMS if form is Form.LONG or '"' not in name]
    rows = [[*names[place % 5 : place % 5 + 3], names[place % 3], names[place % 3]] for place in range(40)]
    job = TransactionJob(
        coherence=Coherence(Fraction(2, 3), 3, 3),
        roles=Listed(private=("pill", "ill"), absent=True),
        reading=LONG,
        writing=BasketWriting(form=form),
    )
    assert compared([*rows, [], []], job, DUCKDB) == "released"


@settings(deadline=None, max_examples=examples(25))
@given(rows=BASKETS | NUMBERS, job=JOBS, numbered=st.booleans())
def test_a_release_from_duckdb_is_the_local_one(rows: list[list[str]], job: TransactionJob, *, numbered: bool) -> None:
    """The same moles, order of suppression, figures, bytes and certificate; or the same refusal."""
    compared(rows, job, DUCKDB, numbered=numbered)


def words(*lines: str) -> list[list[str]]:
    """Transactions written as words, items as letters or names."""
    return [line.split() for line in lines]


#: The worked examples of the definition: transactions, private items, h, k, p, and what is dropped.
EXAMPLES: dict[str, tuple[list[list[str]], str, str, int, int, list[str] | None]] = {
    "matrix": (words("0 2 6", "0 2 5", "1 2", "0 1 5", "0 1 2", "0 1 2 3 4 5"), "3 4", "0.5", 3, 3, ["6", "5", "1"]),
    "paper": (
        words("a c d f g Diabetes", "a b c f Hepatitis", "b d f x Hepatitis", "b c g y z HIV", "a c f g HIV"),
        "Diabetes Hepatitis HIV", "0.8", 2, 2, ["x", "y", "z", "d", "b"],
    ),
    "one item known": (
        words("a c d f g Diabetes", "a b c f Hepatitis", "b d f x Hepatitis", "b c g y z HIV", "a c f g HIV"),
        "Diabetes Hepatitis HIV", "0.8", 2, 1, ["x", "y", "z"],
    ),
    "never together": (words("0", "0", "1", "1"), "", "1", 2, 2, []),
    "impossible": (words("0 e", "0 e", "1 e", "1"), "e", "0.5", 2, 2, None),
}  # fmt: skip


def of_example(name: str) -> tuple[list[list[str]], TransactionJob, list[str] | None]:
    """An example, and what its release drops."""
    rows, private, h, k, p, dropped = EXAMPLES[name]
    roles = Listed(private=tuple(private.split()))
    return rows, TransactionJob(coherence=Coherence.of(h=h, k=k, p=p), roles=roles, reading=LONG), dropped


def dropped_by(engine: Engine, name: str, folder: Path) -> list[str] | None:
    """What an engine drops of an example, in its order."""
    rows, job, _ = of_example(name)
    frame_of(rows, numbered=False).write_parquet(folder / "in.parquet")
    try:
        target = folder / "out.csv"
        made = anonymize_transactions(folder / "in.parquet", job, target=target, engine=engine, even_small=True)
    except InfeasibleError:
        return None
    return made.named(made.dropped)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_worked_examples_in_duckdb(name: str, tmp_path: Path) -> None:
    """Each drops what its source says, in that order."""
    rows, job, dropped = of_example(name)
    assert dropped_by(DUCKDB, name, tmp_path) == dropped
    assert compared(rows, job, DUCKDB) == ("refused" if dropped is None else "released")


def test_many_candidates_are_counted_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as there is room for: the moles are the same."""
    monkeypatch.setattr(duckdb_levels, "_ROOM", 1)
    monkeypatch.setattr(DUCKDB.base, "listed_at_once", 100)  # so that texts are put together share by share
    rows = [[item for place, item in enumerate(ITEMS) if (number >> place) & 1] for number in range(200)]
    job = TransactionJob(
        coherence=Coherence(Fraction(9, 10), 20, 4), roles=Listed(private=("pill",)), reading=LONG,
        writing=BasketWriting(form=Form.LONG),
    )  # fmt: skip
    assert compared(rows, job, DUCKDB) == "released"


# ── sources ──────────────────────────────────────────────────────────────────────────────────────

PILLS = TransactionJob(
    coherence=Coherence(Fraction(1, 2), 2, 2), roles=Listed(private=("pill",)), reading=BasketOptions(form=Form.LONG)
)

ROWS = [["tea", "jam"], ["tea", "jam", "pill"], ["tea"], ["tea", "10", "pill"], ["jam"], []]


def test_a_table_of_a_connection(tmp_path: Path) -> None:
    """A user's own connection, whose table has the transactions: nothing of ours is left in it."""
    frame = frame_of(ROWS, numbered=True)
    frame.write_csv(tmp_path / "in.csv")
    connection = duckdb.connect()
    connection.execute("CREATE TABLE visits AS SELECT * FROM frame")
    made = anonymize_transactions("visits", PILLS, target=tmp_path / "a.csv", engine=connection, even_small=True)
    anonymize_transactions(tmp_path / "in.csv", PILLS, target=tmp_path / "b.csv")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    assert repr(made.source).startswith("<Baskets; transactions: 6")
    del made
    tables = connection.execute("SELECT table_name FROM information_schema.tables WHERE table_type <> 'VIEW'")
    assert tables.fetchall() == [("visits",)]


def test_names_of_items(tmp_path: Path) -> None:
    """Transactions that stay there are read of by the names, too; the release has the items, and so has its JSON."""
    frame = frame_of(ROWS, numbered=True)
    named = replace(PILLS, labels=(("tea", "Darjeeling"), ("10", "a tenner")))
    plain, made = (
        anonymize_transactions(frame, job, target=tmp_path / target, engine=DUCKDB, even_small=True)
        for job, target in ((PILLS, "plain.csv"), (named, "named.csv"))
    )
    assert (tmp_path / "named.csv").read_bytes() == (tmp_path / "plain.csv").read_bytes()
    assert transaction_figures(made).dropped == transaction_figures(plain).dropped == ("10",)
    assert "Dropped 1 item (mmil): 10\n" in text_of(plain)
    assert "Dropped 1 item (mmil): a tenner (10)\n" in text_of(made)
    with pytest.raises(UsageError, match="names no item"):
        dry_run_transactions(frame, replace(PILLS, labels=(("gone", "x"),)), engine=DUCKDB, even_small=True)


@pytest.mark.parametrize(
    ("key", "item", "what"),
    [
        (["a", None, "a"], ["x", "y", "z"], "1 record without a transaction"),
        (["a", "", "a"], ["x", "y", "z"], "1 record without a transaction"),
        ([1, None, 1], ["x", "y", "z"], "1 record without a transaction"),
        (["a", "b", "c"], ["x\ty", "y", "z"], "1 item whose names hold control characters"),
    ],
)
def test_records_that_the_local_reader_refuses(
    key: list[str | int | None], item: list[str], what: str, tmp_path: Path
) -> None:
    """They are refused elsewhere, too."""
    frame = pl.DataFrame({"t": key, "i": item})
    for engine in ("local", DUCKDB):
        with pytest.raises(InputError, match=what):
            kohort.anonymize_transactions(
                frame, replace(PILLS, writing=BasketWriting(form=Form.BASKET)), target=tmp_path / "out.dat",
                engine=engine, even_small=True,
            )  # fmt: skip


def test_no_transactions(tmp_path: Path) -> None:
    """There is nothing to release."""
    (tmp_path / "in.csv").write_text("t,item\n")
    for engine in ("local", DUCKDB):
        with pytest.raises(InfeasibleError, match="there are 0"):
            anonymize_transactions(
                tmp_path / "in.csv", PILLS, target=tmp_path / "o.csv", engine=engine, even_small=True
            )


# ── what is refused, naming what works ───────────────────────────────────────────────────────────


def test_what_needs_the_transactions_is_refused(tmp_path: Path) -> None:
    """Before anything is read: there is no such file."""
    missing, target = tmp_path / "none.csv", tmp_path / "out.csv"
    drawn = Drawn(delta=Fraction(1, 2), draw=Draw.PAPER)
    for job, what in (
        (replace(PILLS, algorithm=LocalSuppression()), "single cells"),
        (replace(PILLS, roles=drawn), "the paper's rule"),
        (replace(PILLS, writing=BasketWriting(form=Form.MATRIX_HEADER)), "form matrix-header"),
        (replace(PILLS, reading=BasketOptions(form=Form.BASKET)), "form basket"),
    ):
        with pytest.raises(UnsupportedError, match=what) as caught:
            anonymize_transactions(missing, job, target=target, engine=DUCKDB, even_small=True)
        assert "leave out the engine" in caught.value.hint
    with pytest.raises(UnsupportedError, match="kept in memory"):
        anonymize_transactions(missing, PILLS, engine=DUCKDB)


def test_another_database_counts_no_transactions(tmp_path: Path) -> None:
    """The message names the engine that does, and how the records get there."""
    where = RemoteEngine(SQLite())
    with pytest.raises(UnsupportedError, match=r"^transactions are not counted in SQLite") as caught:
        anonymize_transactions(tmp_path / "none.csv", PILLS, target=tmp_path / "out.csv", engine=where)
    assert caught.value.hint.startswith("write the records as Parquet, and name the engine duckdb")


def test_numbers_with_fractions_tell_no_transactions_apart() -> None:
    """0.0 and -0.0 are two texts and one number."""
    with pytest.raises(UnsupportedError, match="must be text, whole numbers or dates"):
        dry_run_transactions(pl.DataFrame({"t": [0.0, -0.0], "i": ["a", "b"]}), PILLS, engine=DUCKDB, even_small=True)


def test_a_database_that_fits_into_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to half of the machine's memory, or what is said; above that it is taken."""
    frame = frame_of(ROWS, numbered=False)
    size = frame.height * module.EACH_CELL
    with pytest.raises(UnsupportedError, match="much faster"):
        dry_run_transactions(frame, PILLS, engine=DUCKDB)
    monkeypatch.setattr(system, "memory", lambda: 2 * size)
    with pytest.raises(UnsupportedError, match="memory"):
        dry_run_transactions(frame, PILLS, engine=DUCKDB)
    monkeypatch.setattr(system, "memory", lambda: 2 * size - 2)
    assert len(dry_run_transactions(frame, PILLS, engine=DUCKDB).source) == len(ROWS)
    with pytest.raises(UnsupportedError, match="much faster"):
        module.refuse_small(frame.height, size)
    module.refuse_small(frame.height, size - 1)


def test_the_transactions_of_a_release_elsewhere_are_not_here() -> None:
    """What shows them says so."""
    made = dry_run_transactions(frame_of(ROWS, numbered=False), PILLS, engine=DUCKDB, even_small=True)
    for look in (made.baskets, made.frame, made.here):
        with pytest.raises(UnsupportedError, match="needs the transactions themselves"):
            look()


# ── the command ──────────────────────────────────────────────────────────────────────────────────


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of DuckDB in, the local release out; what is too small is refused, and what needs the transactions."""
    frame = frame_of(ROWS, numbered=False)
    frame.write_parquet(tmp_path / "in.parquet")
    path = tmp_path / "in.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE visits AS SELECT * FROM frame")
    asked = ["--format", "long", "--private", "pill", "--h", "0.5", "--k", "2", "--p", "2"]
    there = ["transactions", str(path), "--out", str(tmp_path / "a.csv"), *asked, "--engine", "duckdb"]
    assert command(*there).status == 2
    monkeypatch.setattr(system, "memory", lambda: 0)
    assert command(*there, "--report", str(tmp_path / "report.txt")).status == 0
    here = ["transactions", str(tmp_path / "in.parquet"), "--out", str(tmp_path / "b.csv"), *asked]
    assert command(*here).status == 0
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    assert command(*there, "--dry-run").status == 0
    for more in (["--trace"], ["--show-values"], ["--report", str(tmp_path / "report.html")]):
        refused = command(*there, "--overwrite", *more)
        assert (refused.status, "needs the records themselves" in refused.err) == (2, True)
    limited = command(*here, "--overwrite", "--memory-limit", "1GB")
    assert (limited.status, "read into memory" in limited.err) == (2, True)


def test_there_is_no_such_engine() -> None:
    """The name is not one."""
    with pytest.raises(UsageError, match="no such engine"):
        dry_run_transactions(frame_of(ROWS, numbered=False), PILLS, engine="abacus")
