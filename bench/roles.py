"""How good the guesses of `kohort inspect` are, on tables whose acceptable roles are known.

    KOHORT_DATA=your-folder python -m bench.roles

The labels are roles/labels.csv in that folder; its tables lie beside it, Adult one folder up, and the register and the
admissions are generated. Without the folder only these two are scored, by the roles that their generators declare.

*Dangerous* is a column that is guessed sensitive or insensitive where it must be identifying or quasi-identifying, or
quasi-identifying where only identifying will do. `undecided` is neither dangerous nor acceptable: it stops the job.
"""

from __future__ import annotations

import csv
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from kohort.assessment.inspection.guesses import inspect_table
from kohort.io import read
from kohort.samples.admissions import ROLES as ADMISSIONS
from kohort.samples.admissions import write_admissions
from kohort.samples.italy import ROLES as REGISTER
from kohort.samples.italy import write_italy

if TYPE_CHECKING:
    from kohort.assessment.inspection.guesses import Guess

#: Records of a generated table.
RECORDS = 3_000

#: Share of the columns, of each table and of all, whose guess must be acceptable.
ENOUGH = 0.8

#: Accepted roles of each column.
Accepted: TypeAlias = "dict[str, frozenset[str]]"

#: Those of the generated tables, as their generators declare them; others may see a patient on a ward, or come home.
DECLARED: dict[str, Accepted] = {
    "people": {column: frozenset({role}) for column, role in REGISTER.items()},
    "admissions": {column: frozenset({role}) for column, role in ADMISSIONS.items()}
    | dict.fromkeys(("ward", "outcome"), frozenset({"sensitive", "quasi"})),
}


@dataclass(frozen=True, slots=True)
class Score:
    """How the guesses of one table compare with the accepted roles.

    Attributes:
        table: Its name.
        columns: How many columns are labelled.
        acceptable: How many guesses are accepted.
        dangerous: The columns whose guess would put people at risk.
        misses: The other columns whose guess is not accepted.
    """

    table: str
    columns: int
    acceptable: int
    dangerous: tuple[str, ...]
    misses: tuple[str, ...]


def is_dangerous(role: str, accepted: frozenset[str]) -> bool:
    """Whether a guess would release what must not be released as it is, or at all.

    >>> is_dangerous("sensitive", frozenset({"quasi"})), is_dangerous("quasi", frozenset({"identifying"}))
    (True, True)
    >>> is_dangerous("sensitive", frozenset({"sensitive", "quasi"})), is_dangerous("undecided", frozenset({"quasi"}))
    (False, False)
    """
    if role in {"sensitive", "insensitive"}:
        return accepted <= {"identifying", "quasi"}
    return role == "quasi" and accepted <= {"identifying"}


def score(table: str, guesses: tuple[Guess, ...], accepted: Accepted) -> Score:
    """The score of one table."""
    labelled = [(guess, accepted[guess.name]) for guess in guesses]
    danger = tuple(f"{one.name}: {one.role}" for one, right in labelled if is_dangerous(one.role, right))
    wrong = [f"{one.name}: {one.role}" for one, right in labelled if one.role not in right]
    misses = tuple(one for one in wrong if one not in danger)
    return Score(table, len(labelled), len(labelled) - len(wrong), danger, misses)


def scores(folder: str | None) -> list[Score]:
    """The score of each table that the labels in `folder` speak of; without it, those of the generated tables."""
    with tempfile.TemporaryDirectory() as made:
        for write in (write_italy, write_admissions):
            write(Path(made), RECORDS, seed=7)
        paths = {path.stem: path for path in Path(made).glob("*.csv")}
        if folder is None:
            labels = DECLARED
        else:
            labels = _labels(Path(folder, "roles", "labels.csv"))
            paths |= {path.stem: path for path in (*Path(folder).glob("*.csv"), *Path(folder, "roles").glob("*.csv"))}
        return [score(name, inspect_table(read(paths[name])), accepted) for name, accepted in labels.items()]


def _labels(path: Path) -> dict[str, Accepted]:
    """The accepted roles of each table; a name's remarks in parentheses are left out."""
    labels: dict[str, Accepted] = {}
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            column = row["column"].replace("(unnamed)", "column_1")
            labels.setdefault(row["table"].split()[0], {})[column] = frozenset(row["accepted_roles"].split("|"))
    return labels


def main() -> None:
    """Print a line for each table, and one for each miss."""
    found = scores(os.environ.get("KOHORT_DATA"))
    for one in found:
        print(f"{one.table:<12} {_line(one)}")
        for column in (*(f"DANGEROUS {name}" for name in one.dangerous), *one.misses):
            print(f"    {column}")
    print(f"{'all':<12} {_line(total(found))}")


def total(found: list[Score]) -> Score:
    """The score over all tables."""
    dangerous = tuple(name for one in found for name in one.dangerous)
    misses = tuple(name for one in found for name in one.misses)
    return Score("all", sum(one.columns for one in found), sum(one.acceptable for one in found), dangerous, misses)


def _line(one: Score) -> str:
    share = one.acceptable / one.columns
    return f"{len(one.dangerous)} dangerous, {one.acceptable} of {one.columns} acceptable ({share:.0%})"


if __name__ == "__main__":
    main()
