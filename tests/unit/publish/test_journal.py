"""The journal of a set: what it takes back, whom it believes, and what a reader is told."""

from __future__ import annotations

import fcntl
import json
import os
import stat
from contextlib import ExitStack, suppress
from pathlib import PurePath
from typing import TYPE_CHECKING

import pytest

from kohort.cli import main
from kohort.errors import SourceNote, TargetError
from kohort.publish import Companion, check_target, publish
from kohort.publish.journal import Entry, Journal, settle_for_reading
from kohort.system.disk import locked
from tests.faults.calls import Calls, KilledError, injected

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("r.csv", "r.csv.kohort.json", "pages/r.html")


def published(folder: Path, version: str) -> None:
    """A release with a certificate beside it and a page in another folder, which replace what is there."""
    (folder / "pages").mkdir(exist_ok=True)
    content = f"age\n{version}\n".encode()
    companions: list[Companion[bytes]] = [Companion(folder / name, lambda found: found) for name in NAMES[1:]]
    release = folder / NAMES[0]
    publish(release, lambda file: file.write(content), lambda file: file.read(), companions=companions, overwrite=True)


def state(folder: Path) -> list[str]:
    """What each file is of."""
    return [path.read_text()[4:-1] if (path := folder / name).exists() else "" for name in NAMES]


@pytest.fixture
def dead(tmp_path: Path) -> Path:
    """A folder in which a run was killed when the new release stood without the page and the certificate."""
    published(tmp_path, "old")
    _arrival(tmp_path)  # what is done once only, such as an import, is done
    with pytest.raises(KilledError), injected(Calls(_arrival(tmp_path), "KILL-after")):
        published(tmp_path, "new")
    assert state(tmp_path) == ["new", "", ""]
    assert stat.S_IMODE(journal(tmp_path).stat().st_mode) == 0o600
    return tmp_path


def journal(folder: Path) -> Path:
    """The journal that is left in a folder."""
    (found,) = folder.glob(".kohort-*.journal")
    return found


@pytest.mark.parametrize("where", [".", "pages"])
def test_the_next_run_takes_back(dead: Path, where: str) -> None:
    """Whichever folder of the set the next run is in, everything is as it was, and nothing else is left."""
    check_target(dead / where / "another")
    assert state(dead) == ["old", "old", "old"]
    for folder in (dead, dead / "pages"):
        check_target(folder / "another")
    assert [*dead.rglob(".kohort-*")] == []


def test_no_other_run_is_in_a_folder_of_the_set(dead: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is taken back before all of them are locked."""
    monkeypatch.setattr("kohort.system.disk._ATTEMPTS", 1)
    with locked(dead), pytest.raises(TargetError, match="another program has locked"):
        check_target(dead / "pages" / "another")
    assert state(dead) == ["new", "", ""]


def test_several_may_look_at_a_journal(dead: Path) -> None:
    """A run that reads the journal does not keep another from taking everything back."""
    with journal(dead).open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_SH)
        check_target(dead / "another")
    assert state(dead) == ["old", "old", "old"]


def test_a_journal_that_somebody_removed_is_not_missed(tmp_path: Path) -> None:
    """Once the set is there, a journal that is gone already stops nothing, and its copies go."""
    entries = [Entry(tmp_path / name, tmp_path / KEPT, tmp_path / OTHER, (1,), (2,)) for name in ("r.csv", "pages/r")]
    (tmp_path / "pages").mkdir()
    kept = Journal(entries)
    with ExitStack() as stack:
        kept.write(stack)
        journal(tmp_path).unlink()
        kept.remove()
    assert [*tmp_path.rglob("*.journal")] == []


def test_none_is_kept_where_nothing_is_replaced(tmp_path: Path) -> None:
    """A first release that dies at any call leaves no journal: there is nothing to take back."""
    place, fired = 0, True
    while fired:
        (folder := tmp_path / str(place)).mkdir()
        calls = Calls(place, "KILL-after")
        with suppress(KilledError), injected(calls):
            published(folder, "new")
        assert [*folder.rglob("*.journal")] == []
        place, fired = place + 1, bool(calls.fired)
    assert place > 10


def test_a_folder_that_was_moved(dead: Path) -> None:
    """The journal still tells of it."""
    moved = dead.rename(dead.with_name("moved"))
    check_target(moved / "another")
    assert state(moved) == ["old", "old", "old"]


def test_taking_back_dies(dead: Path) -> None:
    """A run that is killed at any call while it takes back leaves the next one to do it."""
    place = 0
    while True:
        calls = Calls(place, "KILL-after")
        try:
            with injected(calls):
                check_target(dead / "another")
        except KilledError:
            pass
        if not calls.fired:
            break
        place += 1
        check_target(dead / "pages" / "another")
        assert state(dead) == ["old", "old", "old"]
        with pytest.raises(KilledError), injected(Calls(_arrival(dead), "KILL-after")):
            published(dead, "new")
    assert place > 10


def _arrival(folder: Path) -> int:
    """The call by which a release arrives there."""
    calm = Calls()
    with injected(calm):
        published(folder, "old")
    return len(calm.names) - 1 - calm.names[::-1].index("replace")


def test_a_companion_that_the_first_journal_outlived(dead: Path) -> None:
    """Where the first journal is gone the set was decided: its copies move nothing."""
    journal(dead).unlink()
    check_target(dead / "pages" / "another")
    assert state(dead) == ["new", "", ""]
    assert [*(dead / "pages").iterdir()] == []


def test_what_somebody_else_put_there_stays(dead: Path) -> None:
    """Where a name of the set bears something else now, nothing of the set is moved."""
    (dead / NAMES[0]).unlink()
    (dead / NAMES[0]).write_text("age\nmine\n")
    check_target(dead / "another")
    assert state(dead) == ["mine", "", ""]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"outputs": [{}]}', "name"])
def test_what_is_no_journal(dead: Path, text: str) -> None:
    """A journal that was cut short moves nothing: its run had not begun. Nor does one of names that are not ours."""
    path = journal(dead)
    told = json.loads(path.read_bytes())
    told["outputs"][0]["kept"] = "../precious"
    path.write_text(json.dumps(told) if text == "name" else text)
    check_target(dead / "another")
    assert state(dead) == ["new", "", ""]
    assert not path.exists()


def test_a_journal_that_is_too_long_is_not_read(dead: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No set is so large that its journal fills the memory: one that is longer is cut, and moves nothing."""
    monkeypatch.setattr("kohort.publish.journal._LONGEST", journal(dead).stat().st_size - 1)
    check_target(dead / "another")
    assert state(dead) == ["new", "", ""]


def hostile(folder: Path, told: object) -> Path:
    """A folder as it comes out of somebody's archive: what is in it belongs to whoever unpacked it."""
    folder.mkdir()
    (folder / "people.csv").write_text("age\n30\n")
    (folder / KEPT).write_text("import os\n")
    (folder / JOURNAL).write_text(json.dumps(told))
    return folder


KEPT, OTHER = f".kohort-{'0' * 32}", f".kohort-{'1' * 32}"
JOURNAL = f".kohort-{'2' * 32}.journal"


def output(
    path: str, kept: str = KEPT, former: object = (1,), new: object = (2,), other: str = OTHER
) -> dict[str, object]:
    """An entry of a journal."""
    name = str(PurePath(kept).with_name(other))
    return {"path": path, "kept": kept, "name": name, "former": former, "new": new, "folder": False}


@pytest.mark.parametrize(
    "told",
    [
        {"journal": "../precious", "outputs": []},
        {"journal": "../precious", "outputs": [output("people.csv")]},
        {"journal": JOURNAL, "outputs": [output("../sitecustomize.py")]},
        {"journal": JOURNAL, "outputs": [output("../sitecustomize.py", f"../{KEPT}")]},
        {"journal": f"../{JOURNAL}", "outputs": [output("people.csv"), output("../sitecustomize.py", f"../{KEPT}")]},
        {"journal": JOURNAL, "outputs": [output("people.csv", new=[float("inf")])]},
        {"journal": JOURNAL, "outputs": [output("another.csv", "people.csv")]},
        {"journal": JOURNAL, "outputs": [output("people.csv", other="another.csv")]},
        {"journal": JOURNAL, "outputs": [output("\0/people.csv", f"\0/{KEPT}")]},
        {"journal": "\ud800", "outputs": [output("people.csv")]},
        {"journal": 1, "outputs": {}},
    ],
)
def test_a_journal_that_came_with_a_folder_moves_nothing_elsewhere(tmp_path: Path, told: object) -> None:
    """It removes no file, and gives no file a name, in a folder that has no copy of it."""
    (tmp_path / "precious").write_text("mine")
    folder = hostile(tmp_path / "downloaded", told)
    before = sorted(path.name for path in tmp_path.iterdir())
    assert main(["check", str(folder / "people.csv"), "--quasi", "age", "--quiet"]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert (folder / "people.csv").read_text() == "age\n30\n"
    assert not (folder / JOURNAL).exists()


def test_a_journal_of_another_that_cannot_be_read_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a folder that others may write to, a pipe or a link may bear its name."""
    (tmp_path / "r.csv").write_text("age\n30\n")
    os.mkfifo(tmp_path / JOURNAL)
    (tmp_path / JOURNAL.replace("2", "3")).symlink_to("/dev/zero")
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    with pytest.warns(SourceNote, match="may not belong together"):
        settle_for_reading(tmp_path / "r.csv")


def test_a_journal_that_goes_while_somebody_reads_is_none(dead: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its run is over: what is read belongs together."""
    found = journal(dead)

    def settle(_: Path) -> None:
        found.unlink()

    def journals(_: Path) -> list[Path]:
        return [found]

    monkeypatch.setattr("kohort.publish.journal.settle", settle)
    monkeypatch.setattr("kohort.publish.journal._journals", journals)
    settle_for_reading(dead / NAMES[0])


def test_others_are_not_believed(dead: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A journal of another user, or of a run that lives, is left alone, and who reads is told."""
    with journal(dead).open("rb") as alive:
        fcntl.flock(alive, fcntl.LOCK_EX)
        with pytest.warns(SourceNote, match="may not belong together"):
            settle_for_reading(dead / NAMES[0])
        settle_for_reading(dead / "another")
    with monkeypatch.context() as other:
        other.setattr(os, "geteuid", lambda: 12345)
        with pytest.warns(SourceNote, match="may not belong together") as told:
            settle_for_reading(dead / NAMES[0])
        assert [one.filename for one in told] == [__file__]  # the line that reads
    assert state(dead) == ["new", "", ""]
    settle_for_reading(dead / NAMES[0])
    assert state(dead) == ["old", "old", "old"]
    settle_for_reading(dead / "no folder" / "release")


def test_check_takes_back(dead: Path) -> None:
    """`kohort check` reads the former release."""
    assert main(["check", str(dead / NAMES[0]), "--quasi", "age", "--quiet"]) == 0
    assert state(dead) == ["old", "old", "old"]


def test_a_folder_of_the_set_is_gone(dead: Path) -> None:
    """What is gone with its folder is not missed."""
    for path in (dead / "pages").iterdir():
        path.unlink()
    (dead / "pages").rmdir()
    check_target(dead / "another")
    assert state(dead) == ["old", "old", ""]
