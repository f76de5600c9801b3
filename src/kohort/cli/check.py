"""`kohort check`: does this table meet its privacy models, are these transactions coherent, does a certificate hold?"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from types import MappingProxyType
from typing import Annotated, Final, NamedTuple

import typer

from kohort.cli import certified, coherence, flags, judged, options
from kohort.cli.derive import BASKETS, Given, Keys
from kohort.cli.screen import echo

#: How flags differ from the keys of a job.
_TABLE: Final = MappingProxyType(
    {
        "k": {
            "help": "Every class has at least k records, every cohort k transactions.",
            "shown": "10 for transactions; none for a table",
        },
        "sensitive": {"help": "Sensitive columns: find the strictest model that each meets. (repeatable)"},
        "hierarchy": {
            "help": (
                "A hierarchy that defines the distances between sensitive values, or what labels cover in the"
                " population table."
            )
        },
        "missing": options.MISSING,
        "person": {
            "help": "The column that identifies a person: people are counted, and a person's transactions merged.",
        },
    }
)

#: The flags of a table, and of transactions.
_OF_TABLE: Final = (*options.READING, "missing-token", "quasi", "sensitive", "hierarchy", "missing", "Promise")
_OF_BASKETS: Final = (
    *("path", "separator", "encoding", "format", "key", "person", "item", "private", "private-file", "no-private"),
    *("public", "public-file", "allow-absent", "h", "k", "p", "max-sets"),
)

#: The flags of transactions that say how they are read, and which items are private.
_READING: Final = ("format", "key", "item")
_ITEMS: Final = ("private", "private-file", "no-private", "public", "public-file")


class CheckFlags(NamedTuple):
    """What the file is compared with, and what is shown of it."""

    transactions: Annotated[
        bool,
        typer.Option(
            "--transactions",
            help="IN contains transactions: check whether they are (h,k,p)-coherent.",
            rich_help_panel="Transactions",
        ),
    ] = False
    reference: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="The table before its release: t, delta-disclosure and beta compare with its values.",
            show_default="IN itself",
            rich_help_panel="Reading",
        ),
    ] = None
    certificate: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Check the claims of this certificate about IN; it also names the models.",
            rich_help_panel="Reading",
        ),
    ] = None
    trust: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Require that the holder of this public key has signed the certificate.",
            rich_help_panel="Reading",
        ),
    ] = None
    show_values: Annotated[
        bool,
        typer.Option(
            "--show-values",
            help="Show the cells of failing classes, or the private items that prevent a release.",
            rich_help_panel="Output",
        ),
    ] = False


def check(
    table: Annotated[Given, Keys(only=_OF_TABLE, changed=_TABLE)],
    baskets: Annotated[Given, Keys(form=BASKETS, only=_OF_BASKETS, panel="Transactions")],
    compared: CheckFlags,
    printed: options.Printed,
    others: Annotated[
        list[str] | None, typer.Argument(metavar="[IN]...", help="More files to check in the same way.")
    ] = None,
) -> None:
    """Check files against privacy models or one against its certificate; without either, measure them."""
    options.use_threads()
    paths = [table["path"], *(others or ())]
    from kohort.publish.journal import settle_for_reading

    for path in filter(None, [*paths, compared.certificate]):
        settle_for_reading(path)
    if others:
        alone = {"json": printed.json, "certificate": compared.certificate}
        flags.refuse(alone, "this flag is only for one file", "leave it out, or name one file")
    met = True
    for path in paths:
        if others and not printed.quiet:
            echo(f"{path}:")
        met &= _of_copies(table, path, baskets, compared, printed)
    if not met:
        raise typer.Exit(1)


def _of_copies(table: Given, path: str, baskets: Given, compared: CheckFlags, printed: options.Printed) -> bool:
    """Whether one file meets it; of what lies in an object store, a copy that is gone afterwards."""
    from kohort.io.objects import fetched

    with ExitStack() as copies:
        here = {"path": copies.enter_context(fetched(path))}
        if compared.certificate is not None:
            compared = compared._replace(certificate=copies.enter_context(fetched(compared.certificate)))
        return _met(replace(table, values={**table.values, **here}), baskets, compared, printed)


def _met(table: Given, baskets: Given, compared: CheckFlags, printed: options.Printed) -> bool:
    """Whether one file meets what it is checked against, which is printed."""
    if compared.certificate is None:
        flags.refuse({"trust": compared.trust}, "this flag is only for certificates", "add --certificate FILE")
    else:
        return _certified(table, baskets, compared, printed)
    if compared.transactions:
        unused = {flag: value for flag, value in table.used().items() if flag not in {"path", *_OF_BASKETS}}
        flags.refuse({**unused, "reference": compared.reference}, "this flag is only for tables")
        made = flags.transaction_request({**flags.tables(baskets, []), "output": {"path": table["path"]}}, ())
        return coherence.check(made, values=compared.show_values, json=printed.json, quiet=printed.quiet)
    unused = {flag: value for flag, value in baskets.used().items() if flag not in _OF_TABLE}
    unused = {flag: value for flag, value in unused.items() if flag not in {"k", "person"}}
    flags.refuse(unused, "this flag is only for transactions", "leave it out, or add --transactions")
    if table["population"] is None:
        what, hint = "this flag is only for a population table", "leave it out, or add --population FILE"
        flags.refuse({"missing": table["missing"]}, what, hint)
    return judged.judged(
        judged.requested(table, matched=table["population"] is not None),
        lambda path: options.read_table(table, path),
        table["path"],
        compared.reference,
        values=compared.show_values,
        json=printed.json,
        quiet=printed.quiet,
    )


def _certified(table: Given, baskets: Given, compared: CheckFlags, printed: options.Printed) -> bool:
    """Whether the certificate holds; it names the models, so no flag may."""
    path, of_table = compared.certificate or "", {"population", "hierarchy", "path", "separator", "encoding"}
    taken = of_table | {*_READING, *_ITEMS}
    unused = {flag: value for flag, value in (baskets.used() | table.used()).items() if flag not in taken}
    unused |= {"transactions": compared.transactions, "show-values": compared.show_values}
    flags.refuse(unused, "the certificate names the models and how to read the file")
    return certified.certified(
        table["path"],
        path,
        trust=compared.trust,
        of_tables={"population": table["population"], "reference": compared.reference},
        hierarchy=table["hierarchy"],
        of_transactions=baskets.only(*_READING, *_ITEMS, "separator"),
        json=printed.json,
        quiet=printed.quiet,
    )
