"""The whole path of transactions through the Python API: from baskets to a verified release."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd
import polars as pl
import pytest

import kohort
from kohort.errors import FileError
from kohort.publish import Companion
from kohort.transactions import pipeline
from kohort.transactions.coherence import Coherence
from kohort.transactions.database import Transactions
from kohort.transactions.io.options import BasketOptions, Form
from kohort.transactions.pipeline import dry_run_transactions, save_transactions
from kohort.transactions.problem import CellSuppression, ItemSuppression, SuppressionProblem, SuppressionSolution
from kohort.transactions.release import BasketWriting, TransactionJob, TransactionRelease
from kohort.transactions.roles import Drawn, Listed
from tests.unit.transactions.coherent_release import DROPPED, JOB, LINEAGE, RELEASED, REMEDY, ROWS, SOURCE

if TYPE_CHECKING:
    from pathlib import Path

#: Example 2 of semantics 4, the paper's.
PAPER = [
    ["a", "c", "d", "f", "g", "Diabetes"],
    ["a", "b", "c", "f", "Hepatitis"],
    ["b", "d", "f", "x", "Hepatitis"],
    ["b", "c", "g", "y", "z", "HIV"],
    ["a", "c", "f", "g", "HIV"],
]
SECRETS = Listed(private=("Diabetes", "Hepatitis", "HIV"))
PAPER_JOB = TransactionJob(coherence=Coherence.of(h="0.8", k=2, p=2), roles=SECRETS)


def dropped_of(release: TransactionRelease) -> list[str]:
    """The names of what was dropped."""
    return release.named(release.dropped)


# ── in memory ────────────────────────────────────────────────────────────────────────────────────


def test_the_first_worked_example() -> None:
    """Example 1: 6, 5 and 1 go in this order, 8 of 20 cells; what is left stands in the order of its content."""
    release = kohort.anonymize_transactions(SOURCE, JOB)
    assert dropped_of(release) == ["6", "5", "1"]
    assert release.dropped.tolist() == DROPPED.tolist()
    assert release.distortion == Fraction(8, 20)
    assert release.baskets() == RELEASED.sets()
    assert release.lineage.tolist() == LINEAGE.tolist()
    assert release.solution.steps == REMEDY.steps
    assert release.verdict is not None
    assert (release.verdict.cohorts, release.verdict.smallest, release.verdict.confidence) == (4, 4, (1, 4))
    assert list(release.seconds) == ["read", "count", "solve", "recode", "verify"]


def test_the_papers_example() -> None:
    """Example 2: x, y and z are moles alone, then d and b go; 8 of 27 cells."""
    release = kohort.anonymize_transactions(Transactions.of(PAPER), PAPER_JOB)
    assert dropped_of(release) == ["x", "y", "z", "d", "b"]
    assert (release.lost, release.whole) == (8, 27)
    alone = replace(PAPER_JOB, coherence=Coherence.of(h="0.8", k=2, p=1))
    assert dropped_of(kohort.anonymize_transactions(Transactions.of(PAPER), alone)) == ["x", "y", "z"]


def test_a_rehearsal_verifies_nothing_and_costs_the_same() -> None:
    """A rehearsal finds what the release would, and has no verdict."""
    rehearsal = dry_run_transactions(SOURCE, JOB)
    assert rehearsal.verdict is None
    assert rehearsal.distortion == kohort.anonymize_transactions(SOURCE, JOB).distortion
    assert list(rehearsal.seconds) == ["read", "count", "solve", "recode"]


def test_stages_are_told_as_they_begin() -> None:
    """Whoever wants to hear of the stages hears of each once, in order."""
    told: list[str] = []
    kohort.anonymize_transactions(SOURCE, JOB, progress=told.append)
    assert told == ["read", "count", "solve", "recode", "verify"]


def test_rare_items_are_removed_first_without_being_taken_for_misspelt() -> None:
    """Items below the minimum support go, private ones too; of the others the cells are counted."""
    job = replace(PAPER_JOB, min_support=Fraction(2, 5))
    release = kohort.anonymize_transactions(Transactions.of(PAPER), job)
    assert set(release.source.names) - set(release.database.names) == {"Diabetes", "x", "y", "z"}
    assert (release.whole, dropped_of(release)) == (23, ["d", "b"])
    assert not set(release.released.names) & {"Diabetes", "x", "y", "z", "d", "b"}
    with pytest.raises(kohort.UsageError, match="in no transaction"):
        kohort.anonymize_transactions(Transactions.of(PAPER), replace(job, roles=Listed(private=("HVI",))))


def test_roles_are_drawn_among_the_items_that_stay() -> None:
    """What was removed for its support has no role: of five items that stay, half are public."""
    job = replace(PAPER_JOB, roles=Drawn(delta=Fraction(1, 2), seed=1), min_support=Fraction(3, 5))
    release = dry_run_transactions(Transactions.of(PAPER), replace(job, coherence=Coherence(Fraction(1), 2, 1)))
    assert release.database.names == ("a", "b", "c", "f", "g")
    assert (int(release.roles.public.sum()), int(release.roles.private.sum())) == (3, 2)


def test_weights_count_in_what_is_lost() -> None:
    """An item that is worth more is dropped later, and its cells weigh more."""
    job = replace(JOB, weights=(("5", Fraction(10)),))
    release = kohort.anonymize_transactions(SOURCE, job)
    assert "5" not in dropped_of(release)
    assert release.distortion == Fraction(1 + 4 + 5, 17 + 30)


class Cells:
    """Suppresses given cells, and says nothing else."""

    name = "given cells"

    def __init__(self, keep: list[bool]) -> None:
        """Keep these cells."""
        self.keep = np.array(keep)

    def solve(self, problem: SuppressionProblem) -> SuppressionSolution:
        """The given cells, whatever the problem."""
        assert len(problem.database.names) == 3
        return SuppressionSolution(CellSuppression(self.keep), REMEDY.moles)


def test_single_cells_go_and_items_left_nowhere_are_dropped() -> None:
    """Suppressed cells count by their items' weights; an item that is left nowhere is told as dropped."""
    source = Transactions.of([["a", "b"], ["a"], ["a", "c"], ["a"]])
    job = TransactionJob(
        coherence=Coherence.of(h="0.5", k=2, p=1),
        roles=Listed(private=("c",)),
        algorithm=Cells([False, False, True, True, True, True]),
        weights=(("a", Fraction(2)),),
    )
    release = kohort.anonymize_transactions(source, job)
    assert release.baskets() == [[], ["a"], ["a"], ["a", "c"]]
    assert dropped_of(release) == ["b"]
    assert release.distortion == Fraction(2 + 1, 4 * 2 + 1 + 1)


class Nothing:
    """Suppresses nothing, though it should."""

    name = "nothing"

    def solve(self, problem: SuppressionProblem) -> SuppressionSolution:
        """No item."""
        del problem
        return SuppressionSolution(ItemSuppression(np.array([], np.int32)), REMEDY.moles)


def test_an_algorithm_that_leaves_a_mole_is_found_out(tmp_path: Path) -> None:
    """What is not coherent is not released, in memory or on disk, whatever its algorithm believes."""
    job = replace(JOB, algorithm=Nothing())
    with pytest.raises(kohort.VerificationError):
        kohort.anonymize_transactions(SOURCE, job)
    with pytest.raises(kohort.VerificationError):
        kohort.anonymize_transactions(SOURCE, job, target=tmp_path / "safe.dat")
    assert list(tmp_path.iterdir()) == []


def test_the_kind_of_frame_comes_back() -> None:
    """Lists in a polars, pandas or Arrow frame come back as such a frame; from anything else, polars."""
    lists = pl.DataFrame({"basket": SOURCE.sets()})
    job = replace(JOB, reading=BasketOptions(form=Form.LISTS))
    plain = kohort.anonymize_transactions(lists, job).frame()
    assert isinstance(plain, pl.DataFrame)
    assert plain["items"].to_list() == RELEASED.sets()
    pandas = kohort.anonymize_transactions(lists.to_pandas(), job).frame()
    assert isinstance(pandas, pd.DataFrame)
    assert [list(one) for one in pandas["items"]] == RELEASED.sets()
    arrow = kohort.anonymize_transactions(cast("object", lists.to_arrow()), job).frame()
    assert (type(arrow).__module__.partition(".")[0], type(arrow).__name__) == ("pyarrow", "Table")
    assert plain.equals(pl.DataFrame(cast("Any", arrow)))
    memory = kohort.anonymize_transactions(SOURCE, JOB).frame()
    assert isinstance(memory, pl.DataFrame)
    assert memory.equals(plain)


# ── on disk ──────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """The paper's example as basket lines, in a folder of its own."""
    folder = tmp_path / "in"
    folder.mkdir()
    path = folder / "paper.dat"
    path.write_text("".join(f"{' '.join(one)}\n" for one in PAPER))
    return path


def test_file_to_file(source: Path, tmp_path: Path) -> None:
    """Basket lines go in and verified basket lines come out, with the certificate of these very bytes beside them."""
    target = tmp_path / "safe.dat"
    release = kohort.anonymize_transactions(source, PAPER_JOB, target=target)
    lines = [line.split() for line in target.read_text().splitlines()]
    assert lines == release.baskets()
    assert (release.path, release.certificate) == (target, tmp_path / "safe.dat.kohort.json")
    certificate = json.loads((tmp_path / "safe.dat.kohort.json").read_text())
    assert release.verdict is not None
    assert certificate["sha256"] == release.verdict.sha256
    assert "HIV" not in json.dumps(certificate)
    assert certificate["job"]["output"]["format"] == "basket"
    assert list(release.seconds) == ["read", "count", "solve", "recode", "write", "verify"]


def test_what_is_in_memory_can_be_saved(tmp_path: Path) -> None:
    """Saving verifies the bytes; they and the certificate are those of the way from file to file."""
    release = save_transactions(kohort.anonymize_transactions(SOURCE, JOB), tmp_path / "a.dat")
    kohort.anonymize_transactions(SOURCE, JOB, target=tmp_path / "b.dat")
    assert (tmp_path / "a.dat").read_bytes() == (tmp_path / "b.dat").read_bytes()
    assert release.verdict is not None
    assert release.verdict.sha256


@pytest.mark.parametrize(
    ("form", "name"),
    [
        (None, "safe.dat"),
        (Form.LONG, "safe.csv"),
        (Form.LONG, "safe.tsv"),
        (Form.MATRIX_HEADER, "safe.csv"),
        (None, "safe.parquet"),
    ],
)
def test_every_form_carries_the_same_transactions(form: Form | None, name: str, tmp_path: Path) -> None:
    """Whatever the form, the release reads back as what was verified."""
    job = replace(PAPER_JOB, writing=BasketWriting(form=form))
    release = kohort.anonymize_transactions(Transactions.of(PAPER), job, target=tmp_path / name)
    back = kohort.read_transactions(tmp_path / name, job.written_to(tmp_path / name)).database
    assert back.sets() == release.baskets()


def test_a_matrix_without_header_keeps_its_columns(tmp_path: Path) -> None:
    """Where names are places, a dropped item leaves zeros, so that the others keep their names."""
    source = tmp_path / "matrix.csv"
    source.write_text("".join(f"{','.join(row)}\n" for row in ROWS))
    job = replace(JOB, reading=BasketOptions(form=Form.MATRIX))
    release = kohort.anonymize_transactions(source, job, target=tmp_path / "safe.csv")
    rows = [line.split(",") for line in (tmp_path / "safe.csv").read_text().splitlines()]
    assert {len(row) for row in rows} == {7}
    assert [[str(place) for place, cell in enumerate(row) if cell == "1"] for row in rows] == RELEASED.sets()
    assert dropped_of(release) == ["6", "5", "1"]


def test_reports_are_published_with_the_release(source: Path, tmp_path: Path) -> None:
    """A report is written from the verified release, or not at all."""
    report: Companion[TransactionRelease] = Companion(tmp_path / "report.txt", lambda one: str(one.path).encode())
    kohort.anonymize_transactions(source, PAPER_JOB, target=tmp_path / "safe.dat", reports=(report,))
    assert (tmp_path / "report.txt").read_text() == str(tmp_path / "safe.dat")


def test_nothing_is_replaced_unasked(source: Path, tmp_path: Path) -> None:
    """A file at the target stays as it is, unless it may be replaced; an input always stays."""
    target = tmp_path / "safe.dat"
    target.write_text("mine")
    with pytest.raises(kohort.TargetError):
        kohort.anonymize_transactions(source, PAPER_JOB, target=target)
    assert target.read_text() == "mine"
    kohort.anonymize_transactions(source, PAPER_JOB, target=target, overwrite=True)
    assert target.read_text() != "mine"
    for out, inputs in ((source, ()), (target, (target,))):
        with pytest.raises(kohort.TargetError):
            kohort.anonymize_transactions(source, PAPER_JOB, target=out, overwrite=True, inputs=inputs)


def test_a_form_that_contradicts_the_name_is_told_before_any_work(tmp_path: Path) -> None:
    """Nothing is read where the release could not be written."""
    job = replace(PAPER_JOB, writing=BasketWriting(form=Form.LONG))
    with pytest.raises(kohort.UsageError, match="not written to a file whose name ends in"):
        kohort.anonymize_transactions(tmp_path / "there is none", job, target=tmp_path / "safe.parquet")


def test_what_cannot_be_written_leaves_nothing(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that is full leaves neither release nor certificate."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pipeline, "write_transactions", full)
    with pytest.raises(FileError):
        kohort.anonymize_transactions(source, PAPER_JOB, target=tmp_path / "safe.dat")
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


def test_where_no_release_can_meet_the_goal_nothing_is_written(source: Path, tmp_path: Path) -> None:
    """A private item in more than h of all transactions ends the run before anything is written."""
    job = replace(PAPER_JOB, coherence=Coherence.of(h="0.2", k=2, p=2))
    with pytest.raises(kohort.InfeasibleError):
        kohort.anonymize_transactions(source, job, target=tmp_path / "safe.dat")
    assert [path.name for path in tmp_path.iterdir()] == ["in"]
