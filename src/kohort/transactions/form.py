"""The form of a job file on transactions, as data. `kohort schema --transactions` prints it as JSON Schema."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, cast

from kohort.errors import UsageError
from kohort.job import values
from kohort.job.codec import pairs
from kohort.job.form import INPUT, PURPOSE, SIGN_KEY
from kohort.job.keys import REQUIRED, KeyTable, ValueType, key
from kohort.transactions.coherence import check_count, check_h
from kohort.transactions.io.options import Form
from kohort.transactions.roles import Draw, Drawn
from kohort.transactions.suppression import Score

if TYPE_CHECKING:
    from collections.abc import Callable

#: A fraction of whole numbers, each far below 2**63.
_fraction_text = re.compile(r"([0-9]{1,9})/([1-9][0-9]{0,8})").fullmatch


def _share(check: Callable[[Fraction], object]) -> ValueType:
    """Shares, written as a number or a fraction, unless `check` raises an error over one."""

    def read(value: object) -> Fraction:
        found = _fraction_text(value) if isinstance(value, str) else None
        try:
            return Fraction(int(found[1]), int(found[2])) if found else values.number(value)
        except UsageError:
            raise UsageError("must be a share", hint="such as 0.4 or 2/5") from None

    valid = values.checked(read, check)
    return ValueType(read=valid, schema={"anyOf": _SHARES}, metavar="SHARE")


def _count(check: Callable[[int], object]) -> ValueType:
    """Counts, unless `check` raises an error over one."""

    def read(value: object) -> object:
        check(cast("int", value))
        return value

    return replace(values.whole(1), read=read, metavar="")


def _weight(value: object) -> Fraction:
    weight = values.number(value)
    if weight <= 0:
        raise UsageError("a weight must be above 0", hint="items without a weight have 1")
    return weight


def _check_support(share: Fraction) -> None:
    """Refuse a share that is no minimum support."""
    from kohort.transactions.release import check_min_support  # noqa: PLC0415  flags are made without it

    check_min_support(share)


_SHARES = [
    {"type": "number", "minimum": 0, "maximum": 1},
    {"type": "string", "pattern": r"^(0?\.[0-9]+|0|1(\.0+)?|[0-9]{1,9}/[1-9][0-9]{0,8})$"},
]
_DECIMAL = r"((0|[1-9][0-9]*)(\.[0-9]+)?|\.[0-9]+)"
_WEIGHTS = [{"type": "number", "exclusiveMinimum": 0}, {"type": "string", "pattern": rf"^{_DECIMAL}$"}]

H = replace(_share(check_h), metavar="")
K = _count(lambda k: check_count(k, "k"))
P = _count(lambda p: check_count(p, "p"))
DELTA = _share(lambda delta: Drawn(delta=delta))
SUPPORT = _share(_check_support)
WEIGHTS = replace(
    values.each(ValueType(read=_weight, schema={"anyOf": _WEIGHTS})),
    text=pairs("item", "--weight ITEM=NUMBER", last=True),
    metavar="ITEM=NUMBER",
    usual=None,
)

TRANSACTIONS = KeyTable.of(
    "TransactionsPart",
    "The transactions of the input. A job file with this table is a job on transactions.",
    key(
        "format",
        values.of(Form),
        "The format of the transactions: basket (a line each), long (a record for each item), matrix (of 0 and 1), "
        "matrix-header, or lists; by default lists for Parquet, otherwise basket.",
        first=True,
    ),
    key(
        "key",
        values.TEXT,
        "The column that identifies the transaction of a record; by default the first column.",
        metavar="COLUMN",
    ),
    key(
        "person",
        values.TEXT,
        "Instead of a key, the column of the person: all records of one person become one transaction.",
        metavar="COLUMN",
    ),
    key("item", values.TEXT, "The column of items.", metavar="COLUMN"),
)

BASKETS = KeyTable.of(
    "BasketsPart",
    "The file of the transactions, and its format.",
    key("path", values.TEXT, "The transactions: text (also .gz) or Parquet; '-' is standard input.", REQUIRED),
    key(
        "separator",
        values.SEPARATOR,
        "The character between items or cells; by default blanks for baskets, otherwise detected.",
    ),
    INPUT["encoding"],
)

RELEASE = KeyTable.of(
    "ReleasePart",
    "The release to write, and its format.",
    key(
        "path",
        values.TEXT,
        "The release to publish; its certificate is written beside it, as NAME.kohort.json.",
        REQUIRED,
        flag="out",
        metavar="OUT",
        first=True,
    ),
    key(
        "format",
        values.of(Form),
        "The form of the release; by default that of the input.",
        flag="out-format",
    ),
    key(
        "separator",
        values.SEPARATOR,
        "The character between items or cells of the release; by default that of the input.",
        flag="out-separator",
    ),
    SIGN_KEY,
)

COHERENCE = KeyTable.of(
    "CoherencePart",
    "Requirements on every cohort: the transactions that share up to p public items.",
    key(
        "h",
        H,
        "The largest share of a cohort that may have a private item, such as 0.4 or 2/5.",
        REQUIRED,
        default="0.4",
        first=True,
    ),
    key("k", K, "Every cohort has at least k transactions.", REQUIRED, default=10, first=True),
    key(
        "p",
        P,
        "The maximum number of a person's public items that an attacker knows.",
        REQUIRED,
        default=4,
        first=True,
    ),
)

ITEMS = KeyTable.of(
    "ItemsPart",
    "The public and the private items, and the weights of items.",
    key(
        "private",
        values.NAMES,
        "Items that must not be inferred; all others are public unless public items are listed.",
        first=True,
    ),
    key("private-file", values.FILE, "A file of private items, one on each line.", first=True),
    key(
        "no-private",
        values.SWITCH,
        "No item is private: every set of up to p items is in at least k transactions (k^m-anonymity).",
    ),
    key("public", values.NAMES, "Items that an attacker may know; the rest are neither public nor private."),
    key("public-file", values.FILE, "A file of public items, one on each line."),
    key("delta", DELTA, "For experiments: draw this share of the items as public."),
    key("seed", values.whole(0), "The same seed draws the same items; 0 by default."),
    key(
        "draw",
        values.of(Draw),
        "How private items are drawn: feasible, among those in at most h of all transactions (default); uniform; "
        "or paper, as in the paper.",
    ),
    key("allow-absent", values.SWITCH, "Accept items that no transaction contains."),
    key("min-support", SUPPORT, "First remove items that are in a smaller share of the transactions."),
    key("weight", WEIGHTS, "The weight of an item's cells; 1 by default."),
    key("weight-file", values.FILE, "A file of weights, ITEM=NUMBER on each line."),
    key("names-file", values.FILE, "A file of names to show for items, ITEM,NAME on each line; CSV or TSV."),
)

SUPPRESSION = KeyTable.of(
    "SuppressionPart",
    "The method that finds the suppression.",
    key(
        "score",
        values.of(Score),
        "The item to drop next, by its minimal moles (smallest sets of public items that break the promise): mmil, "
        "most moles per unit of loss (default); mm, most moles; 1il, least loss; or all, every public item.",
    ),
    key("give-back", values.SWITCH, "At the end, restore items whose suppression turned out to be unnecessary."),
    key("optimal", values.SWITCH, "Find the least loss and prove it; needs kohort[optimal]."),
    key(
        "time-limit",
        values.SECONDS,
        "Seconds after which --optimal stops and reports how far from the least loss the result may be.",
    ),
    key(
        "suppress",
        values.word("items", "cells"),
        "What to suppress: whole items, or single cells (a weaker promise).",
        "items",
    ),
    key(
        "max-sets",
        values.whole(1),
        "The maximum number of item sets to keep in memory.",
    ),
)

COUNTING = KeyTable.of(
    "CountingPart",
    "The engine that counts the transactions, and its resources; every engine gives the same release.",
    key(
        "engine",
        values.word("local", "duckdb"),
        "The engine that counts the transactions: local, in memory, by far the fastest; or duckdb, for records in "
        "long form that do not fit into memory. The release is the same.",
        "local",
    ),
    key(
        "memory-limit",
        values.MEMORY,
        "With an engine, the memory to use, such as 4GiB; a database that fits into it is refused.",
    ),
    key(
        "spill-folder",
        values.TEXT,
        "The folder for what an engine cannot keep in memory; by default the system's temporary folder.",
    ),
)

TRANSACTION_JOB = KeyTable.of(
    "TransactionFile",
    "A kohort job on transactions: baskets in, a verified (h,k,p)-coherent database out.",
    key("transactions", values.table_of(TRANSACTIONS), usual=REQUIRED),
    key("input", values.table_of(BASKETS), usual=REQUIRED),
    key("output", values.table_of(RELEASE), usual=REQUIRED),
    key("privacy", values.table_of(COHERENCE), usual=REQUIRED),
    key("items", values.table_of(ITEMS), usual=REQUIRED),
    key("method", values.table_of(SUPPRESSION)),
    key("run", values.table_of(COUNTING)),
    key("purpose", values.table_of(PURPOSE), hidden=True),
)
