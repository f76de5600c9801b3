"""Results for which the rooms below have plain tuples: a line at the prompt, and a table in a notebook."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kohort.engines.outlets import save_perturbed
from kohort.errors.calls import PATH, called
from kohort.errors.display import Summary
from kohort.io.write import to_frame

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from kohort.assessment.inspection.guesses import Guess
    from kohort.errors.display import Rows
    from kohort.perturbation.effect import Effect
    from kohort.tables.table import Table


@dataclass(frozen=True, slots=True, repr=False)
class Inspection(Summary):
    """A guess for each column of a table; `inspection["age"]` is one, with its reasons.

    Attributes:
        records: Number of records of the table.
        guesses: The guesses, in the order of the columns.
    """

    records: int
    guesses: tuple[Guess, ...]

    @property
    def undecided(self) -> tuple[str, ...]:
        """The columns whose role somebody has to decide."""
        return tuple(guess.name for guess in self.guesses if guess.role == "undecided")

    def __iter__(self) -> Iterator[Guess]:
        """The guesses, in order."""
        return iter(self.guesses)

    def __len__(self) -> int:
        """The number of columns."""
        return len(self.guesses)

    def __getitem__(self, name: str) -> Guess:
        """The guess for the column called `name`; `KeyError` when there is none."""
        for guess in self.guesses:
            if guess.name == name:
                return guess
        raise KeyError(name)

    def _shown(self) -> tuple[str, Rows]:
        rows = [("Records", f"{self.records:,}")]
        return "Inspection", rows + [(guess.name, _told(guess)) for guess in self.guesses]


def _told(guess: Guess) -> str:
    missing = f", {guess.missing:,} missing" if guess.missing else ""
    return f"{guess.role} ({guess.certainty}), {guess.scale}, {guess.distinct:,} values{missing}"


@dataclass(frozen=True, slots=True, repr=False)
class Perturbed(Summary):
    """A table with some columns perturbed, which is not anonymous.

    Attributes:
        table: The perturbed records, in their original order.
        effects: The effect on each column.
        like: The kind of frame of the input.
        original: The original table.
        missing: The texts that mark a missing value.
        inputs: The files of the original table.
    """

    table: Table
    effects: tuple[Effect, ...]
    like: str
    original: Table
    missing: frozenset[str]
    inputs: tuple[Path, ...]

    def frame(self) -> object:
        """The records as a frame of the kind that was given: polars, pandas or Arrow."""
        return to_frame(self.table, self.like)

    @called('perturbed.save("perturbed.csv")', path=PATH)
    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Write it to `path`: verified on the written bytes, all or nothing. It has no certificate.

        Raises:
            UsageError: the ending of the path means no format.
            TargetError: a file is there (and `overwrite` is false), or it is the file that was read.
            VerificationError: the written bytes are not what was promised; nothing was written.
            FileError: writing failed; nothing was written.
        """
        target = Path(path)
        made = (self.table, self.original, self.effects, target)
        save_perturbed(*made, missing=self.missing, overwrite=overwrite, inputs=self.inputs)
        return target

    def _shown(self) -> tuple[str, Rows]:
        rows = [("Records", f"{self.table.records:,}")]
        told = ((one.column, f"{one.method}; {one.unchanged:,} of {one.records:,} unchanged") for one in self.effects)
        return "Perturbed table, not anonymous", [*rows, *told]
