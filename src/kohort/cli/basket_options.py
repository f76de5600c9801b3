"""Flags of commands on transactions that several of them share."""

from __future__ import annotations

from typing import Annotated

import typer

Baskets = Annotated[
    str, typer.Argument(metavar="IN", help="The transactions: text (also .gz) or Parquet; - is standard input.")
]
Form = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="WORD",
        help="How they lie in the file: basket (a line each), long (a record for each item), matrix (of 0 and 1),"
        " matrix-header, lists.",
        show_default="basket; of Parquet: lists",
    ),
]
BasketSeparator = Annotated[
    str | None,
    typer.Option(
        "--separator", metavar="CHAR", help="Between items or cells; blanks for baskets, else found by itself."
    ),
]
Key = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="Says which transaction a record is of; the first if not given.")
]
Person = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="Says whose it is instead: all of one person become one.")
]
Item = Annotated[str | None, typer.Option(metavar="COLUMN", help="The column of items.")]
Private = Annotated[
    list[str] | None,
    typer.Option(
        metavar="A,B", help="Items that nobody may infer (repeatable); unless --public says, all others are public."
    ),
]
PrivateFile = Annotated[str | None, typer.Option(metavar="FILE", help="The same from a file, one a line.")]
Public = Annotated[
    list[str] | None, typer.Option(metavar="A,B", help="Items that an attacker may know; the rest is neither.")
]
PublicFile = Annotated[str | None, typer.Option(metavar="FILE", help="The same from a file, one a line.")]
Delta = Annotated[
    str | None, typer.Option(metavar="SHARE", help="For experiments: draw this share of the items as public.")
]
Seed = Annotated[int | None, typer.Option(metavar="N", help="The same seed draws the same items.", show_default="0")]
Draw = Annotated[
    str | None,
    typer.Option(
        metavar="WORD",
        help="How private items are drawn: feasible (in at most h of all transactions), uniform, paper.",
        show_default="feasible",
    ),
]
AllowAbsent = Annotated[bool, typer.Option("--allow-absent", help="Names may be of items that are in no transaction.")]
MinSupport = Annotated[
    str | None,
    typer.Option(metavar="SHARE", help="Remove items first that are in a smaller share of the transactions."),
]
H = Annotated[
    str | None,
    typer.Option(
        "--h",
        metavar="H",
        help="No private item is in more than this share of a cohort: 0.4, or 2/5.",
        show_default="0.4",
    ),
]
CohortK = Annotated[int, typer.Option("--k", metavar="K", help="Every cohort has at least k transactions.")]
P = Annotated[
    int | None,
    typer.Option("--p", metavar="P", help="An attacker knows at most p public items of a person.", show_default="4"),
]
MaxSets = Annotated[int | None, typer.Option(metavar="N", help="Sets of items that may be held in memory at once.")]
Trace = Annotated[
    bool,
    typer.Option("--trace", help="Show each step, with the original transactions: for teaching, on small examples."),
]
ShowValues = Annotated[
    bool, typer.Option("--show-values", help="Name the private items that stand in the way, not only their number.")
]
