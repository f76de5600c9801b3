"""The form of a job file on transactions. `kohort schema --transactions` prints it as JSON Schema."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import AfterValidator, Field, PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from kohort.engines.base import EngineName
from kohort.io.baskets.options import Form
from kohort.job.form import NO_FLAG, SIGN_KEY, Flag, PurposePart, RunPart, Word
from kohort.job.parts import Part
from kohort.job.values import Encoding, Memory, Seconds, Separator, number, passing, wrong
from kohort.release.transactions import check_min_support
from kohort.transactions.coherence import check_count, check_h
from kohort.transactions.roles import Draw, Drawn
from kohort.transactions.suppression import Score

if TYPE_CHECKING:
    from collections.abc import Callable

#: A fraction of whole numbers, each far below 2**63.
_fraction_text = re.compile(r"([0-9]{1,9})/([1-9][0-9]{0,8})").fullmatch


# --- what single keys may say -----------------------------------------------------------------------------------------


def _share(check: Callable[[Fraction], object]) -> Callable[[object], Fraction]:
    """A validator of shares, written as a number or a fraction, over which `check` raises none of kohort's errors."""
    valid = passing(check)

    def validator(value: object) -> Fraction:
        found = _fraction_text(value) if isinstance(value, str) else None
        try:
            share = Fraction(int(found[1]), int(found[2])) if found else number(value)
        except PydanticCustomError:
            raise wrong("it must be a share", "such as 0.4 or 2/5") from None
        return valid(share)

    return validator


def _least(minimum: int) -> PlainValidator:
    def validator(value: object) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and value >= minimum:
            return value
        raise wrong(f"it must be a whole number of at least {minimum}")

    return PlainValidator(validator)


def _weight(value: object) -> Fraction:
    weight = number(value)
    if weight <= 0:
        raise wrong("a weight must be above 0", "items without a weight have 1")
    return weight


def _some(value: list[str]) -> list[str]:
    """A list that names something."""
    if not value:
        raise wrong("it names no item", "name at least one")
    return value


_DECIMAL = r"((0|[1-9][0-9]*)(\.[0-9]+)?|\.[0-9]+)"
_SHARES = [
    {"type": "number", "minimum": 0, "maximum": 1},
    {"type": "string", "pattern": r"^(0?\.[0-9]+|0|1(\.0+)?|[0-9]{1,9}/[1-9][0-9]{0,8})$"},
]
_WEIGHTS = [{"type": "number", "exclusiveMinimum": 0}, {"type": "string", "pattern": rf"^{_DECIMAL}$"}]
_SHARE = WithJsonSchema({"anyOf": _SHARES})
_COUNT = WithJsonSchema({"type": "integer", "minimum": 1})
_SEED = WithJsonSchema({"type": "integer", "minimum": 0})

H = Annotated[Fraction, PlainValidator(_share(check_h)), _SHARE]
K = Annotated[int, PlainValidator(passing(lambda k: check_count(k, "k"))), _COUNT]
P = Annotated[int, PlainValidator(passing(lambda p: check_count(p, "p"))), _COUNT]
Delta = Annotated[Fraction, PlainValidator(_share(lambda delta: Drawn(delta=delta))), _SHARE]
Support = Annotated[Fraction, PlainValidator(_share(check_min_support)), _SHARE]
Seed = Annotated[int, _least(0), _SEED]
Sets = Annotated[int, _least(1), _COUNT]
Weight = Annotated[Fraction, PlainValidator(_weight), WithJsonSchema({"anyOf": _WEIGHTS})]
Names = Annotated[list[str], AfterValidator(_some), Field(min_length=1)]


# --- the tables -------------------------------------------------------------------------------------------------------


class TransactionsPart(Part):
    """The transactions of the input. A job file with this table is a job on transactions."""

    format: Annotated[Form, Word] | None = Field(
        None,
        description=(
            "The format of the transactions: basket (a line each), long (a record for each item), matrix "
            "(of 0 and 1), matrix-header, or lists; if not given, lists for Parquet, and else basket."
        ),
    )
    key: Annotated[str | None, Flag(metavar="COLUMN")] = Field(
        None, description="The column that identifies the transaction of a record; the first column if not given."
    )
    person: Annotated[str | None, Flag(metavar="COLUMN")] = Field(
        None,
        description="Instead of a key, the column of the person: all records of one person become one transaction.",
    )
    item: Annotated[str | None, Flag(metavar="COLUMN")] = Field(None, description="The column of items.")


class BasketsPart(Part):
    """The file of the transactions, and its format."""

    path: str = Field(description="The transactions: text (also .gz) or Parquet; '-' is standard input.")
    separator: Annotated[Separator | None, Flag(metavar="CHAR")] = Field(
        None, description="The character between items or cells; if not given, blanks for baskets, otherwise detected."
    )
    encoding: Annotated[Encoding, Flag(metavar="NAME")] = Field("utf-8", description="The encoding of the text.")


class ReleasePart(Part):
    """The release to write, and its format."""

    path: Annotated[str, Flag(name="out", metavar="OUT")] = Field(
        description="The release to publish; its certificate is written beside it, as NAME.kohort.json."
    )
    format: Annotated[Annotated[Form, Word] | None, Flag(name="out-format")] = Field(
        None, description="The form of the release; that of the input if not given."
    )
    separator: Annotated[Separator | None, Flag(name="out-separator", metavar="CHAR")] = Field(
        None, description="The character between items or cells of the release; if not given, that named for the input."
    )
    sign_key: Annotated[str | None, Flag(metavar="FILE")] = SIGN_KEY


class CoherencePart(Part):
    """Requirements on every cohort: the transactions that share at most p public items."""

    h: Annotated[H, Flag(metavar="H", default="0.4")] = Field(
        description="The largest share of a cohort that may have a private item, such as 0.4 or 2/5."
    )
    k: Annotated[K, Flag(metavar="K", default=10)] = Field(description="Every cohort has at least k transactions.")
    p: Annotated[P, Flag(metavar="P", default=4)] = Field(
        description="The greatest number of a person's public items that an attacker knows."
    )


class ItemsPart(Part):
    """The public and the private items, and the weights of items."""

    private: Names | None = Field(
        None, description="Items that nobody may infer; all others are public unless public items are listed."
    )
    private_file: Annotated[str | None, Flag(metavar="FILE")] = Field(
        None, alias="private-file", description="A file of private items, one on each line."
    )
    no_private: bool = Field(
        default=False,
        alias="no-private",
        description="No item is private: every set of up to p items is in at least k transactions (k^m-anonymity).",
    )
    public: Names | None = Field(
        None, description="Items that an attacker may know; the rest are neither public nor private."
    )
    public_file: Annotated[str | None, Flag(metavar="FILE")] = Field(
        None, alias="public-file", description="A file of public items, one on each line."
    )
    delta: Annotated[Delta | None, Flag(metavar="SHARE")] = Field(
        None, description="For experiments: draw this share of the items as public."
    )
    seed: Seed | None = Field(None, description="The same seed draws the same items; 0 if not given.")
    draw: Annotated[Draw, Word] | None = Field(
        None,
        description=(
            "How private items are drawn: feasible, among those in at most h of all transactions (if "
            "not given); uniform; or paper, as in the paper."
        ),
    )
    allow_absent: bool = Field(
        default=False, alias="allow-absent", description="Accept names of items that are in no transaction."
    )
    min_support: Annotated[Support | None, Flag(metavar="SHARE")] = Field(
        None, alias="min-support", description="First remove items that are in a smaller share of the transactions."
    )
    weight: dict[str, Weight] | None = Field(None, description="The weight of an item's cells; 1 if not given.")
    weight_file: Annotated[str | None, Flag(metavar="FILE")] = Field(
        None, alias="weight-file", description="A file of weights, ITEM=NUMBER on each line."
    )


class SuppressionPart(Part):
    """The method that finds the suppression."""

    score: Annotated[Score, Word] | None = Field(
        None,
        description=(
            "The item to drop next: mmil, in most minimal moles per unit of loss (if not given); mm, in "
            "most minimal moles; 1il, with the least loss; or all, every public item."
        ),
    )
    give_back: bool = Field(
        default=False,
        alias="give-back",
        description="At the end, restore items whose suppression turned out to be unnecessary.",
    )
    optimal: bool = Field(default=False, description="Find the least loss and prove it; needs the extra 'optimal'.")
    time_limit: Annotated[Seconds | None, Flag(metavar="SECONDS")] = Field(
        None,
        alias="time-limit",
        description="Seconds after which --optimal stops, and reports how far from the least loss it may be.",
    )
    suppress: Literal["items", "cells"] = Field(
        "items", description="What to suppress: whole items, or single cells, which promises less."
    )
    max_sets: Sets | None = Field(
        None, alias="max-sets", description="The greatest number of sets of items to keep in memory at once."
    )


class CountingPart(RunPart):
    """The engine that counts the transactions, and its resources; the release is the same for any of them."""

    engine: EngineName = Field(
        "local",
        description=(
            "The engine that counts the transactions: local, in memory, by far the fastest; duckdb or "
            "spark, for records in long form that do not fit into memory. The release is the same."
        ),
    )
    memory_limit: Annotated[Memory | None, Flag(metavar="AMOUNT")] = Field(
        None,
        alias="memory-limit",
        description="With an engine, the memory to use, such as 4GiB; a database that fits into it is refused.",
    )
    spill_folder: Annotated[str | None, Flag(metavar="FOLDER")] = Field(
        None,
        alias="spill-folder",
        description=(
            "The folder for what an engine cannot keep in memory; the system's temporary folder if not given."
        ),
    )


class TransactionFile(Part):
    """A kohort job on transactions: baskets in, a verified (h,k,p)-coherent database out."""

    transactions: TransactionsPart
    input: BasketsPart
    output: ReleasePart
    privacy: CoherencePart
    items: ItemsPart
    method: SuppressionPart = SuppressionPart.model_construct()
    run: CountingPart = CountingPart.model_construct()
    purpose: Annotated[PurposePart, NO_FLAG] = PurposePart.model_construct()
