"""Guesses as a job file, for a person to correct."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import tomlkit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tomlkit.items import Table

    from kohort.inspection import Guess

HEAD = """\
A kohort job: correct the roles below, then   kohort run THIS_FILE
  identifying  names the person alone: never released
  quasi        helps to single the person out together with others: generalized
  sensitive    what nobody may learn of the person: released unchanged
  insensitive  neither: released unchanged
Where people have several records, the identifying column that says whose they are goes into   person.key = "COLUMN"
A method other than mondrian (samarati, optimal, datafly, best-effort) needs a hierarchy for every quasi column
Every key is described by   kohort schema"""


def job_text(
    guesses: Sequence[Guess], source: str, *, k: int, reading: Mapping[str, object], grids: bool = False
) -> str:
    """The TOML text of a job over `source` with one table per guess, its reasons above it.

    Args:
        guesses: One per column, in order.
        source: The input's path, as the job file shall say it.
        k: The k of k-anonymity.
        reading: Further keys of the input table; those that are `None` are left out.
        grids: Whether proposed cut points are asked for, instead of standing in comments.
    """
    document = tomlkit.document()
    for line in HEAD.splitlines():
        document.add(tomlkit.comment(line))
    document["input"] = {"path": source} | {key: value for key, value in reading.items() if value is not None}
    document["output"] = {"path": f"{_stem(source)}.release.csv"}
    document["privacy"] = {"k": k}
    document["method"] = {"name": "mondrian", "cut": "nearest"}
    columns = tomlkit.table(is_super_table=True)
    for guess in guesses:
        columns[guess.name] = _column(guess, grids=grids)
    document["columns"] = columns
    return tomlkit.dumps(document)


def _stem(source: str) -> str:
    """The name of the input without its endings.

    >>> _stem("data/people.csv.gz"), _stem("-")
    ('people', 'table')
    """
    return "table" if source == "-" else Path(Path(source).name.removesuffix(".gz")).stem


def _column(guess: Guess, *, grids: bool) -> Table:
    """One column's table; reasons and proposals are comments."""
    column = tomlkit.table()
    for reason in guess.reasons:
        column.add(tomlkit.comment(reason))
    column["role"] = guess.role
    if guess.scale == "categorical":
        column["scale"] = guess.scale
    if guess.role == "sensitive":
        column.add(tomlkit.comment("l = 2  # or t = 0.2, …: so that a class does not give the value away"))
    if guess.role == "quasi" and guess.grid is not None:
        why = guess.grid_reason or "public cut points: then no range end is a data value"
        if grids:
            column["grid"] = tomlkit.value(guess.grid).comment(why)
        else:
            column.add(tomlkit.comment(f"grid = {guess.grid}  # {why}"))
    elif guess.role == "quasi" and guess.hierarchy is not None:
        column["hierarchy"] = guess.hierarchy
    elif guess.role == "quasi" and guess.scale == "categorical":
        column.add(tomlkit.comment('hierarchy = "FILE"  # without one, sets of values are released'))
    return column
