"""How a draft reads the table: without blanks around cells, with the texts that mean no value, and whose records."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kohort.assessment.inspection.evidence import may_be_nothing
from kohort.assessment.inspection.guesses import inspect_table
from kohort.assessment.inspection.panels import RECORDS, are_codes, coarsest, either, is_group, period_of
from kohort.io.cells import trimmed
from kohort.schema.numbers import is_numeric_text
from kohort.tables.dataset import Values
from kohort.tables.people import different_keys

if TYPE_CHECKING:
    from collections.abc import Collection

    from kohort.assessment.inspection.guesses import Guess, Known
    from kohort.tables.table import Table


@dataclass(frozen=True, slots=True, eq=False)
class CleanTable:
    """A table as its draft reads it."""

    table: Table
    guesses: tuple[Guess, ...]
    missing: tuple[str, ...]
    trim: bool


def clean_table(table: Table, missing: tuple[str, ...], known: Known = None) -> CleanTable:
    """Look at a table; where it has blanks around cells or texts for no value, look again without them.

    A text means no value in the whole table. Where another column holds it as a value, somebody has to decide of the
    numbers beside which it stands: a job cannot read them.
    """
    guesses = inspect_table(table, missing=frozenset(missing), known=known)
    trim = any(guess.trim for guess in guesses)
    if trim:
        table = trimmed(table)
        guesses = inspect_table(table, missing=frozenset(missing), known=known)
    tokens = sorted({token for guess in guesses for token in guess.missing_tokens})
    readable = table.needing(())
    found = [token for token in tokens if all(_agrees(readable, guess, token) for guess in guesses)]
    if found:
        missing = (*missing, *found)
        guesses = inspect_table(table, missing=frozenset(missing), known=known)
    return CleanTable(readable, tuple(map(_readable, guesses)), missing, trim)


def _agrees(table: Table, guess: Guess, token: str) -> bool:
    """Whether the text means no value in the guess's column too, or does not occur in it."""
    values = table[guess.name].values
    return token in guess.missing_tokens or not values.eq(token).any() or may_be_nothing(values, token)


def _readable(guess: Guess) -> Guess:
    """The guess; undecided where its numbers have a text beside them that is a value elsewhere."""
    words = [token for token in guess.missing_tokens if not is_numeric_text((token,))]
    if guess.scale != "numeric" or guess.role in {"identifying", "drop"} or not words:
        return guess
    told = f'"{words[0]}" seems to mean a missing value, but is a value elsewhere: rename that, or accept it for'
    reasons = (f'{told} the whole table (--missing-token "{words[0]}")', *guess.reasons)
    return replace(guess, role="undecided", certainty="unsure", reasons=reasons, answer=False)


@dataclass(frozen=True, slots=True)
class PersonGuess:
    """Which column says whose a record is.

    Attributes:
        key: The column; `None` where each record seems to be a person of its own, or somebody has to decide.
        asked: The columns between which somebody has to decide; a single one may say it or not.
    """

    key: str | None = None
    asked: tuple[str, ...] = ()

    @property
    def question(self) -> str:
        """What somebody has to decide; empty where nothing is."""
        return f"Does {either(self.asked)} identify the person of a record?" if self.asked else ""

    @property
    def notes(self) -> tuple[str, ...]:
        """What to do about it with flags."""
        if self.asked:
            return (f"{self.question} If so, count people (--person)",)
        told = f"{self.key} seems to identify the person of a record: count people (--person {self.key})"
        return () if self.key is None else (told,)


def whose(table: Table, guesses: tuple[Guess, ...], missing: Collection[str] = ("",)) -> PersonGuess:
    """The identifying column that seems to say whose a record is, where some people have several.

    It is a column of numbers or codes, which at least half of the records have. Of several the coarsest is taken; see
    `kohort.assessment.inspection.panels.coarsest`. Where several may be meant, or a column seems to number households,
    somebody has to decide.
    """
    groups = [one.name for one in guesses if one.role != "sensitive" and is_group(table, table[one.name], missing)]
    codes = [one for one in guesses if one.role == "identifying" and one.name not in groups]
    repeated, unique = list[str](), list[str]()
    for guess in codes:
        column, present = table[guess.name], table.records - guess.missing
        keys = different_keys(Values(column.values, column.counts()), missing).texts
        if guess.missing > present or not are_codes(keys):
            continue
        if len(keys) == present:
            unique.append(guess.name)
        elif len(keys) * RECORDS >= present or (not guess.missing and period_of(table, guess.name)):
            repeated.append(guess.name)
    found = coarsest([table[name] for name in repeated], missing)
    groups = [one for one in groups if not found or one in coarsest([table[found[0]], table[one]], missing)]
    if groups or len(found) > 1:
        return PersonGuess(asked=(*(found or unique[:1]), *groups))
    return PersonGuess(found[0] if found else None)
