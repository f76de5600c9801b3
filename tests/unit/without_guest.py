"""What the core does in a process without one of kohort's guests: run by `test_guests.py`, with the guest's room."""

from __future__ import annotations

import json
import sys
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

    from tests.command import Ran

#: The job of a table, whose release the commands make, check and describe.
JOB = """\
input.path = "people.csv"
output.path = "run.csv"
privacy.k = 4
[columns]
age.role = "quasi"
city = { role = "quasi", hierarchy = "suppress" }
illness = { role = "sensitive", l = 2 }
"""

#: The same job by flags.
FLAGS = ("--quasi", "age,city", "--sensitive", "illness", "--k", 4, "--l", "illness=2", "--hierarchy", "city=suppress")

#: What is done, one after the other.
COMMANDS: tuple[tuple[object, ...], ...] = (
    ("-h",),
    *((command, "-h") for command in ("anonymize", "run", "check", "sweep", "schema", "advise", "report")),
    ("schema",),
    ("inspect", "people.csv"),
    ("init", "people.csv", "--out", "drafted.toml"),
    ("anonymize", "people.csv", *FLAGS, "--out", "flags.csv", "--report", "flags.json"),
    ("check", "flags.csv", "--quasi", "age,city", "--k", 4),
    ("check", "flags.csv", "--certificate", "flags.csv.kohort.json", "--reference", "people.csv"),
    ("run", "job.toml"),
    ("report", "job.toml", "--out", "page.html"),
    ("report", "flags.json", "--out", "flags.html"),
    ("metadata", "run.csv.kohort.json", "--format", "dcat"),
    ("advise", "job.toml"),
    ("risk", "run.csv", "--quasi", "age,city"),
    ("compare", "people.csv", "run.csv"),
    ("sweep", "--job", "job.toml", "--vary", "k=2,4", "--out", "sweep.csv"),
)


class Away(MetaPathFinder):
    """Finds no module of a room."""

    def __init__(self, room: str) -> None:
        """Keep the room."""
        self.room = room

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Refuse what is in the room, and leave all else to others."""
        del path, target
        if fullname == self.room or fullname.startswith(f"{self.room}."):
            raise ModuleNotFoundError(f"{fullname} is taken away")
        return None


def take_away(room: str) -> None:
    """Let no module of a room be imported, and no group of plug-ins name it."""
    from kohort import specification  # noqa: PLC0415  once the room is taken away

    assert not any(name.startswith(room) for name in sys.modules)
    sys.meta_path.insert(0, Away(room))
    left = {
        group: {key: place for key, place in some.items() if not place.startswith((f"{room}.", f"{room}:"))}
        for group, some in specification.GUESTS.items()
    }
    setattr(specification, "GUESTS", left)  # noqa: B010  a constant for everybody else


def desk() -> str:
    """What somebody reads at the desk of the job, on its page of columns."""
    from kohort.desk.desk import Desk  # noqa: PLC0415  once the room is taken away
    from tests.unit.desk.visitor import Visitor, told, worker  # noqa: PLC0415  once the room is taken away

    visitor = Visitor(Desk(Path("job.toml").resolve(), "", worker())).enter()
    answer = visitor.get("/columns")
    visitor.desk.worker.close()
    assert answer.status_code == 200
    return told(answer)


def ran(words: tuple[object, ...]) -> Ran:
    """How a command ends."""
    from tests.command import kohort  # noqa: PLC0415  once the room is taken away

    return kohort(*words)


if __name__ == "__main__":
    _, away, *more = sys.argv
    take_away(away)
    found = {" ".join(map(str, words)): ran(words) for words in COMMANDS}
    print(json.dumps({words: (one.status, one.out, one.err) for words, one in found.items()}))  # noqa: T201
    if more:
        print(json.dumps(desk()))  # noqa: T201
