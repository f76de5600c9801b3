"""The form of a job file on transactions. `kohort schema --transactions` prints it as JSON Schema."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import AfterValidator, Field, PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from kohort.io.baskets.options import Form
from kohort.job.form import NO_FLAG, Flag, PurposePart, Word
from kohort.job.parts import Part
from kohort.job.values import Encoding, Seconds, Separator, number, passing, wrong
from kohort.release.transactions import TransactionJob
from kohort.transactions.coherence import Coherence
from kohort.transactions.roles import Draw, Drawn, Listed
from kohort.transactions.suppression import Score

if TYPE_CHECKING:
    from collections.abc import Callable

#: A fraction of whole numbers, each far below 2**63.
_fraction_text = re.compile(r"([0-9]{1,9})/([1-9][0-9]{0,8})").fullmatch

#: Beside a number that is looked at alone.
_HALF = Fraction(1, 2)


# --- what single keys may say -----------------------------------------------------------------------------------------


def _share(check: Callable[[Fraction], object]) -> Callable[[object], Fraction]:
    """A validator of shares, written as a number or a fraction, over which `check` raises none of kohort's errors."""
    valid = passing(check)

    def validator(value: object) -> Fraction:
        found = _fraction_text(value) if isinstance(value, str) else None
        try:
            share = Fraction(int(found[1]), int(found[2])) if found else number(value)
        except PydanticCustomError:
            raise wrong("it must be a share", "such as 0.4 or 2/5, with a digit before the point") from None
        return valid(share)

    return validator


def _least(minimum: int) -> PlainValidator:
    """Takes whole numbers from `minimum` on."""

    def validator(value: object) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and value >= minimum:
            return value
        raise wrong(f"it must be a whole number of at least {minimum}")

    return PlainValidator(validator)


def _weight(value: object) -> Fraction:
    """How much an item counts."""
    weight = number(value)
    if weight <= 0:
        raise wrong("a weight must be above 0", "items that nothing is said of have 1")
    return weight


def _some(value: list[str]) -> list[str]:
    """A list that names something."""
    if not value:
        raise wrong("it names no item", "name at least one")
    return value


def _supported(share: Fraction) -> TransactionJob:
    """A job with this minimum support."""
    return TransactionJob(coherence=Coherence(_HALF, 2, 1), roles=Listed(), min_support=share)


_DECIMAL = r"(0|[1-9][0-9]*)(\.[0-9]+)?"
_SHARES = [
    {"type": "number", "minimum": 0, "maximum": 1},
    {"type": "string", "pattern": r"^(0(\.[0-9]+)?|1(\.0+)?|[0-9]{1,9}/[1-9][0-9]{0,8})$"},
]
_WEIGHTS = [{"type": "number", "exclusiveMinimum": 0}, {"type": "string", "pattern": rf"^{_DECIMAL}$"}]
_SHARE = WithJsonSchema({"anyOf": _SHARES})
_COUNT = WithJsonSchema({"type": "integer", "minimum": 1})
_SEED = WithJsonSchema({"type": "integer", "minimum": 0})

H = Annotated[Fraction, PlainValidator(_share(lambda h: Coherence(h, 2, 1))), _SHARE]
K = Annotated[int, PlainValidator(passing(lambda k: Coherence(_HALF, k, 1))), _COUNT]
P = Annotated[int, PlainValidator(passing(lambda p: Coherence(_HALF, 2, p))), _COUNT]
Delta = Annotated[Fraction, PlainValidator(_share(lambda delta: Drawn(delta=delta))), _SHARE]
Support = Annotated[Fraction, PlainValidator(_share(_supported)), _SHARE]
Seed = Annotated[int, _least(0), _SEED]
Sets = Annotated[int, _least(1), _COUNT]
Weight = Annotated[Fraction, PlainValidator(_weight), WithJsonSchema({"anyOf": _WEIGHTS})]
Names = Annotated[list[str], AfterValidator(_some), Field(min_length=1)]


# --- the tables -------------------------------------------------------------------------------------------------------


class TransactionsPart(Part):
    """What a transaction is in the input. A job file with this table is one on transactions."""

    format: Annotated[Form, Word] | None = Field(
        None, description="The form that they lie in; if not given, lists for a Parquet file, and else basket."
    )
    key: Annotated[str | None, Flag(metavar="COLUMN")] = Field(
        None, description="The column that says which transaction a record belongs to."
    )
    person: Annotated[str | None, Flag(metavar="COLUMN")] = Field(
        None, description="The same where the column says whose it is: all of one person become one transaction."
    )
    item: Annotated[str | None, Flag(metavar="COLUMN")] = Field(None, description="The column of items.")


class BasketsPart(Part):
    """Where the transactions are and how they are written."""

    path: str = Field(description="The file, relative to the job's folder; '-' is standard input.")
    separator: Annotated[Separator | None, Flag(metavar="CHAR")] = Field(
        None, description="Between items or cells; blanks for basket lines, else found by itself, if not given."
    )
    encoding: Annotated[Encoding, Flag(metavar="NAME")] = Field("utf-8", description="The text's encoding.")


class ReleasePart(Part):
    """Where the release goes."""

    path: Annotated[str, Flag(name="out", metavar="OUT")] = Field(
        description="The file to publish, relative to the job's folder."
    )
    format: Annotated[Annotated[Form, Word] | None, Flag(name="out-format")] = Field(
        None, description="Its form; if not given, that of the input."
    )
    separator: Annotated[Separator | None, Flag(name="out-separator", metavar="CHAR")] = Field(
        None, description="Between items or cells; if not given, that of the input."
    )


class CoherencePart(Part):
    """What every cohort must satisfy: the transactions that share at most p public items."""

    h: Annotated[H, Flag(metavar="H", default="0.4")] = Field(
        description="No private item is in more than this share of a cohort."
    )
    k: Annotated[K, Flag(metavar="K", default=10)] = Field(description="Every cohort has at least k transactions.")
    p: Annotated[P, Flag(metavar="P", default=4)] = Field(
        description="The public items that an attacker knows at most."
    )


class ItemsPart(Part):
    """Which items are public, which private, and how much each counts."""

    private: Names | None = Field(None, description="The private items; unless public ones are said, all others are.")
    private_file: Annotated[str | None, Flag(metavar="FILE")] = Field(
        None, alias="private-file", description="A file of them, one a line."
    )
    public: Names | None = Field(None, description="The public items; the rest is neither.")
    public_file: Annotated[str | None, Flag(metavar="FILE")] = Field(
        None, alias="public-file", description="A file of them, one a line."
    )
    delta: Annotated[Delta | None, Flag(metavar="SHARE")] = Field(
        None, description="For experiments: the share of items that are drawn as public."
    )
    seed: Seed | None = Field(None, description="Of the draw; 0 if not given.")
    draw: Annotated[Draw, Word] | None = Field(None, description="How private items are drawn; feasible if not given.")
    allow_absent: bool = Field(
        default=False, alias="allow-absent", description="Names may stand for items that are in no transaction."
    )
    min_support: Annotated[Support | None, Flag(metavar="SHARE")] = Field(
        None, alias="min-support", description="Items in a smaller share of the transactions are removed first."
    )
    weight: dict[str, Weight] | None = Field(None, description="How much a cell of an item counts; 1 if not given.")
    weight_file: Annotated[str | None, Flag(metavar="FILE")] = Field(
        None, alias="weight-file", description="A file of weights, ITEM=NUMBER a line."
    )


class SuppressionPart(Part):
    """How the suppression is found."""

    score: Annotated[Score, Word] | None = Field(
        None, description="What makes an item the next to drop; mmil if not given."
    )
    give_back: bool = Field(
        default=False, alias="give-back", description="Give items back at the end that turn out to be dispensable."
    )
    optimal: bool = Field(default=False, description="Find the least loss and prove it, or say how far it may be.")
    time_limit: Annotated[Seconds | None, Flag(metavar="SECONDS")] = Field(
        None, alias="time-limit", description="Seconds after which optimal stops."
    )
    suppress: Literal["items", "cells"] = Field("items", description="Whole items, or single cells of them.")
    max_sets: Sets | None = Field(None, alias="max-sets", description="Sets of items that may be held in memory.")


class TransactionFile(Part):
    """A kohort job on transactions: baskets in, a verified (h,k,p)-coherent database out."""

    transactions: TransactionsPart
    input: BasketsPart
    output: ReleasePart
    privacy: CoherencePart
    items: ItemsPart
    method: SuppressionPart = SuppressionPart.model_construct()
    purpose: Annotated[PurposePart, NO_FLAG] = PurposePart.model_construct()
