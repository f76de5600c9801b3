"""People are counted by their keys, however these are spelled: in every engine, check, risk and attack."""

from __future__ import annotations

import warnings
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kohort
from kohort.assessment.risk.attacks.base import Attack
from kohort.assessment.risk.attacks.evidence import Evidence, attacks
from kohort.engines.local import LOCAL, LocalEngine
from kohort.engines.pipeline import anonymize
from kohort.errors import InfeasibleError, InputError, JobError, SchemaError, SourceNote, VerificationError
from kohort.io.typed import from_frame
from kohort.job.keywords import job_from
from kohort.job.request import Request
from kohort.sql.duckdb import DuckDB
from kohort.sql.remote import RemoteEngine
from kohort.sql.spark import Spark
from kohort.sql.spark_session import Cluster
from kohort.system.workspace import Workspace
from kohort.tables import coded
from kohort.transactions.coherence import Coherence
from kohort.transactions.io.options import BasketOptions, Form
from kohort.transactions.pipeline import anonymize_transactions
from kohort.transactions.release import TransactionJob
from kohort.transactions.roles import Listed
from tests.command import kohort as command
from tests.engines.test_spark import MASTER, QUICK, needs_spark
from tests.quick import examples

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kohort.engines.base import Engine
    from kohort.release import Release
    from kohort.tables.table import Column

#: One database for all tests.
DUCKDB = RemoteEngine(DuckDB.opened(None, None))

#: Spellings of one key each: by case, blanks, width, invisible letters, alphabet, composed letters, forms of a number.
SPELLINGS = {
    "case": ["p1", "P1"],
    "blanks": ["p 1", "p 1 ", "\tp 1", "p  1", "p\N{NO-BREAK SPACE}1"],
    "width": ["p1", "\uff50\uff11", "p\uff11"],
    "invisible": ["p1", "p1\N{ZERO WIDTH SPACE}", "p\N{SOFT HYPHEN}1", "\N{RIGHT-TO-LEFT MARK}p1", "\ufeffp1"],
    "alphabet": ["p1", "\N{CYRILLIC SMALL LETTER ER}1", "\N{GREEK CAPITAL LETTER RHO}1"],
    "composed": ["\u00e91", "e\N{COMBINING ACUTE ACCENT}1", "\u00c91"],
    "number": ["1", "01", "1.0", "+1", "001.", "\uff11", " 1"],
    "decimal": ["0.5", ".5", "00.50", "+.5"],
    "nought": ["0", "-0", "0.0", "000"],
    "dash": ["a-1", "A\N{EN DASH}1", "a\N{NON-BREAKING HYPHEN}1"],
}

#: Keys that no reader takes for one.
OTHERS = ["p1", "p-1", "p 1", "p01", "10", "1e1", "\u00e91", "e1", "1,0", "1.5", "-1.5", "1_0"]

ROLES: dict[str, Any] = {"quasi": ["age"], "sensitive": ["ill"], "k": 2, "l": {"ill": 2}}
QUASI = {"age": ["30", "31"] * 10, "ill": ["flu", "flu", "gout", "gout"] * 5}


def spelled(keys: list[str]) -> pl.DataFrame:
    """Twenty records of these people in turn."""
    return pl.DataFrame({"pid": [keys[row % len(keys)] for row in range(20)], **QUASI})


def released(frame: pl.DataFrame, folder: Path, engine: Engine, **more: Any) -> tuple[Release, list[str]]:  # noqa: ANN401  of a job
    """The release, and what the run said of it."""
    source = folder / "in.parquet"
    frame.write_parquet(source)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", SourceNote)
        made = job_from(None, {**ROLES, "identifying": ["pid"], "person": "pid", **more})
        assert isinstance(made, Request)
        found = anonymize(source, made.job, target=folder / "out.csv", engine=engine, overwrite=True)
    return found, [str(one.message) for one in told]


def engines(folder: Path) -> list[Engine]:
    """Each that this machine has at once."""
    return [LOCAL, LocalEngine(Workspace(folder, least=0)), DUCKDB]


@pytest.mark.parametrize("kind", SPELLINGS)
def test_spellings_of_a_key_are_one_person(kind: str, tmp_path: Path) -> None:
    """Every engine counts the same people, and the run says how many spellings were of how many."""
    keys = [*SPELLINGS[kind], "q1", "q2", "q3"]
    for engine in engines(tmp_path):
        found, told = released(spelled(keys), tmp_path, engine)
        assert found.people == 4
        assert [one.partition(":")[0] for one in told if "spellings" in one] == [
            f"{len(SPELLINGS[kind])} spellings of pid were counted as 1 person"
        ]


@pytest.mark.parametrize("kind", SPELLINGS)
def test_spellings_never_make_a_class(kind: str, tmp_path: Path) -> None:
    """A class of one person is refused by every engine, found by check and risk, however many keys the person has."""
    frame = spelled(SPELLINGS[kind])
    for engine in engines(tmp_path):
        with pytest.raises((InfeasibleError, SchemaError)):
            released(frame, tmp_path, engine)
    frame.write_csv(tmp_path / "in.csv")
    ran = command("check", tmp_path / "in.csv", "--quasi", "age", "--person", "pid", "--k", "2", "--json")
    assert (ran.status, ran.figures["people"]["largest"]) == (1, 1)
    assert f"note: {len(SPELLINGS[kind])} spellings of pid were counted as 1 person" in ran.err
    ran = command("risk", tmp_path / "in.csv", "--quasi", "age", "--person", "pid", "--json")
    assert ran.figures["people"] == 1
    assert f"{len(SPELLINGS[kind])} spellings of pid" in ran.err


def test_different_keys_stay_different(tmp_path: Path) -> None:
    """Accents, dashes, blanks inside, exponents and zeros behind a letter are seen."""
    for engine in engines(tmp_path):
        found, told = released(spelled(OTHERS), tmp_path, engine)
        assert found.people == len(OTHERS)
        assert not [one for one in told if "spellings" in one]


@needs_spark
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::FutureWarning")
def test_spark_counts_the_same_people(tmp_path: Path) -> None:
    """All spellings at once: as many people as here, and the same bytes."""
    keys = [*(one for some in SPELLINGS.values() for one in some), "q1"]
    here, told = released(spelled(keys), tmp_path, LOCAL)
    expected = (tmp_path / "out.csv").read_bytes()
    there, told_there = released(spelled(keys), tmp_path, RemoteEngine(Spark.opened(Cluster(MASTER, QUICK))))
    assert (there.people, told_there) == (here.people, told)
    assert (tmp_path / "out.csv").read_bytes() == expected


#: What changes how a key is spelled, and nothing else.
CHANGES: dict[str, Callable[[str], str]] = {
    "upper": str.upper,
    "blank": lambda key: f" {key}\N{NO-BREAK SPACE}",
    "wide": lambda key: "".join(chr(ord(char) + 0xFEE0) for char in key),
    "invisible": lambda key: f"{key[0]}\N{ZERO WIDTH SPACE}{key[1:]}",
    "zeros": lambda key: f"00{key}" if key.isdigit() else key,
    "fraction": lambda key: f"{key}.00" if key.isdigit() else key,
    "same": str,
}


@settings(deadline=None, max_examples=examples(25))
@given(
    people=st.lists(st.sampled_from(["p1", "p2", "q1", "7", "8", "10"]), min_size=4, max_size=12),
    changes=st.lists(st.sampled_from(sorted(CHANGES)), min_size=12, max_size=12),
)
def test_no_spelling_raises_a_count_of_people(
    people: list[str], changes: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Keys that are spelled anew count as many people as before, by each engine and in each class."""
    folder = tmp_path_factory.mktemp("people")
    anew = [CHANGES[change](key) for key, change in zip(people, changes, strict=False)]
    for engine in engines(folder):
        made: list[object] = []
        for keys in (people, anew):
            try:
                found, _ = released(spelled(keys), folder, engine)
            except (InfeasibleError, SchemaError) as error:
                made.append(type(error))
                continue
            assert found.verdict is not None
            figures = (found.people, found.verdict.smallest, found.homogeneity, sorted(found.sizes.tolist()))
            made.append((figures, (folder / "out.csv").read_bytes()))
        assert made[0] == made[1]


def test_verification_counts_people_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that took spellings for people is found out on the bytes."""

    def nobody_alike(_: Column) -> None:
        """As before keys were evened out."""

    frame = spelled(SPELLINGS["number"])
    monkeypatch.setattr(coded, "owners_of", nobody_alike)
    with pytest.raises(VerificationError, match="2-anonymity"):
        released(frame, tmp_path, LOCAL, l={}, no_model=["ill"], allow_singling=["ill"])
    assert not (tmp_path / "out.csv").exists()


def test_a_repeated_number_is_found_in_any_spelling(tmp_path: Path) -> None:
    """Without a person key, records that share a number in several spellings are refused as others are."""
    keys = [f"N{row // 2:03}" if row % 2 else f"n{row // 2:03} " for row in range(100)]
    frame = pl.DataFrame({"pid": keys, "age": [str(30 + row % 2) for row in range(100)], "ill": ["flu", "gout"] * 50})
    for engine in engines(tmp_path):
        with pytest.raises(SchemaError, match="100 of 100 records share one of 50 values with others"):
            released(frame, tmp_path, engine, person=None)


def test_the_flags_that_mend_pairs_of_people_are_the_same_in_a_database(tmp_path: Path) -> None:
    """A number is rounded so far that no pair with it singles people out, wherever they are counted."""
    people = [row // 2 for row in range(600)]
    cells = {
        "pid": [f"p{one}" for one in people],
        "age": [str(20 + row % 40) for row in range(600)],
        "pay": [str(1000 + 7 * row) for row in range(600)],
        "room": [f"r{one % 18}" for one in people],
        "door": [f"d{one // 18}" for one in people],
    }
    roles: dict[str, Any] = {"sensitive": [], "l": {}, "insensitive": ["pay", "room", "door"]}
    told: list[str] = []
    for engine in (LOCAL, DUCKDB):
        with pytest.raises(JobError, match="the release would identify people") as caught:
            released(pl.DataFrame(cells), tmp_path, engine, **roles)
        told.append(str(caught.value))
    assert told[0] == told[1]
    assert "--drop room --perturb pay=rounding:step=500" in told[0]


@pytest.mark.parametrize("kind", SPELLINGS)
@pytest.mark.parametrize("person", ["pid", None])
def test_no_person_gets_two_pseudonyms(kind: str, person: str | None, tmp_path: Path) -> None:
    """Spellings of an identifier that pseudonyms stand for are refused with their count, and what to do."""
    assert command("key", tmp_path / "key").status == 0
    spelled([*SPELLINGS[kind], "q1", "q2"]).write_csv(tmp_path / "in.csv")
    flags = ["--quasi", "age", "--sensitive", "ill", "--l", "ill=2", "--k", "2", "--pseudonym", "pid"]
    flags += ["--person", person] if person else []
    keyed = ["--key-file", tmp_path / "key", "--out", tmp_path / "out.csv"]
    ran = command("anonymize", tmp_path / "in.csv", *flags, *keyed)
    assert ran.status == 3
    assert f"{len(SPELLINGS[kind])} spellings mean only 1 key, and each spelling would get its own pseudonym" in ran.err
    assert "spell each key in one way" in ran.err
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("kind", SPELLINGS)
@pytest.mark.parametrize("where", [LOCAL, DUCKDB], ids=["local", "duckdb"])
def test_no_transaction_is_counted_several_times(where: Engine, kind: str, tmp_path: Path) -> None:
    """Keys of transactions, or of people whose transactions are merged, in several spellings are refused alike."""
    keys = [*SPELLINGS[kind], *OTHERS[3:], "Q1", "q2", "03"]
    frame = pl.DataFrame({"who": keys, "what": ["tea", "jam"] * (len(keys) // 2) + ["tea"] * (len(keys) % 2)})
    frame.write_parquet(tmp_path / "in.parquet")
    job = TransactionJob(
        coherence=Coherence(Fraction(1), 2, 1),
        roles=Listed(private=("pill",), absent=True),
        reading=BasketOptions(form=Form.LONG, key="who", item="what"),
    )
    several = {*SPELLINGS[kind], *OTHERS[3:]} & {*keys}
    alike = [one for one in several if one in SPELLINGS[kind]]
    with pytest.raises(
        InputError, match=f"^{len(alike)} spellings mean only 1 key, and a transaction would be counted"
    ):
        anonymize_transactions(tmp_path / "in.parquet", job, target=tmp_path / "out.csv", engine=where, even_small=True)
    assert not (tmp_path / "out.csv").exists()


def test_lists_of_one_person_are_not_split_by_spelling() -> None:
    """A person's lists in several spellings would be several transactions: they are refused."""
    frame = pl.DataFrame({"who": ["p1", "P1", "p2"], "what": [["tea"], ["jam"], ["tea"]]})
    with pytest.raises(InputError, match="2 spellings mean only 1 key"):
        kohort.read_transactions(frame, BasketOptions(form=Form.LISTS, key="who"))


def test_an_attacker_matches_keys_in_any_spelling() -> None:
    """The register's numbers and the input's are compared as people are counted: no match is missed."""
    original = pl.DataFrame({"id": ["p1", "02", "P3"], "age": ["30", "31", "32"], "ill": ["flu", "flu", "gout"]})
    register = pl.DataFrame({"id": ["P1", "2.0", "p3\N{ZERO WIDTH SPACE}"], "age": ["30", "31", "32"]})
    tables = (from_frame(original.drop("id")), ("age",), ("ill",), from_frame(original), from_frame(register), "id")
    [found] = attacks(Evidence(*tables), ["linking"])
    assert isinstance(found, Attack)
    assert (found.targets, found.claims, found.right) == (3, 3, 3)


def test_the_case_of_ten_spellings(tmp_path: Path) -> None:
    """Ten spellings of two keys, twenty other people: 22 people, of whom no class is called larger than it is."""
    keys = [
        "p1",
        "P1",
        "p1 ",
        " p1",
        "p1\u00a0",
        "\uff50\uff11",
        "p1\u200b",
        "01",
        "1",
        "1.0",
        *(f"q{at}" for at in range(20)),
    ]
    rows = {"age": ["30"] * 10 + ["40"] * 20, "city": ["A"] * 10 + ["B"] * 20, "ill": ["x0", "x1"] * 15}
    pl.DataFrame({"pid": keys, **rows}).write_csv(tmp_path / "in.csv")
    flags = ["--person", "pid", "--identifier", "pid", "--quasi", "age,city", "--sensitive", "ill", "--l", "ill=2"]
    ran = command("anonymize", tmp_path / "in.csv", "--out", tmp_path / "out.csv", *flags, "--k", "5")
    assert ran.status == 0
    assert "every class of age, city has at least 22 people" in ran.out
    assert "note: 10 spellings of pid were counted as 2 people" in ran.err
