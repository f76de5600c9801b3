"""`kohort check`: does this table meet its privacy models, are these transactions coherent, does a certificate hold?"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import click

from kohort.cli import flags, judged, options
from kohort.cli.derive import Given, Keys, argument, option
from kohort.cli.screen import echo, progress, say
from kohort.errors import UnsupportedError
from kohort.job.codec import names
from kohort.job.faults import job_error, placing
from kohort.shown import many
from kohort.transactions.command import BASKETS, flag_at, parts_of, requested

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from kohort.certificate.again import Again
    from kohort.certificate.form import Certified
    from kohort.certificate.table import Certificate
    from kohort.cli.derive import Given
    from kohort.errors import UsageError
    from kohort.job.lines import Place
    from kohort.report import Json
    from kohort.transactions.certificate import CoherenceCertificate
    from kohort.transactions.check import CoherenceFinding
    from kohort.transactions.coherence import Coherence
    from kohort.transactions.problem import SuppressionProblem
    from kohort.transactions.request import TransactionRequest


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
            "help": "The column that identifies a person: people are counted, and a person's transactions merged."
        },
    }
)

#: The flags of a table, and of transactions.
_OF_TABLE: Final = (*options.READING, "missing-token", "quasi", "sensitive", "hierarchy", "missing", "Promise")
_OF_BASKETS: Final = (
    *("path", "separator", "encoding", "format", "key", "person", "item", "private", "private-file", "no-private"),
    *("public", "public-file", "allow-absent", "h", "k", "p", "max-sets", "names-file"),
)

#: The flags of transactions that say how they are read, and which items are private.
_READING: Final = ("format", "key", "item")
_ITEMS: Final = ("private", "private-file", "no-private", "public", "public-file")


class CheckFlags(NamedTuple):
    """What the file is compared with, and what is shown of it."""

    transactions: bool = option(
        "Transactions", "IN contains transactions: check whether they are (h,k,p)-coherent.", first=True
    )
    reference: str | None = option(
        "Input",
        "The table before its release: t, delta-disclosure and beta compare with its values.",
        "FILE",
        shown="IN itself",
        first=True,
    )
    certificate: str | None = option(
        "Input",
        "Check the claims of this certificate about IN; the certificate also names the models.",
        "FILE",
        first=True,
    )
    trust: str | None = option(
        "Input", "Require that the holder of this public key has signed the certificate.", "FILE"
    )
    show_values: bool = option("Run", "Show the cells of failing classes, or the private items that prevent a release.")


def check(
    table: Annotated[Given, Keys(only=_OF_TABLE, changed=_TABLE)],
    baskets: Annotated[Given, Keys(form=BASKETS, only=_OF_BASKETS, panel="Transactions")],
    compared: CheckFlags,
    printed: options.Printed,
    others: list[str] | None = argument("[IN]...", "More files to check in the same way."),
) -> None:
    """Check files against privacy models or one against its certificate; without either, measure them."""
    paths = [table["path"], *(others or ())]
    from kohort.publish.journal import settle_for_reading

    for path in filter(None, [*paths, compared.certificate]):
        settle_for_reading(path)
    if others:
        alone = {"json": printed.json, "certificate": compared.certificate}
        flags.refuse(alone, "is only for one file", "leave it out, or name one file")
    met = True
    for path in paths:
        if others and not printed.quiet:
            echo(f"{path}:")
        met &= _of_copies(table, path, baskets, compared, printed)
    if not met:
        raise click.exceptions.Exit(1)


def _of_copies(table: Given, path: str, baskets: Given, compared: CheckFlags, printed: options.Printed) -> bool:
    from kohort.io.objects import fetched

    with ExitStack() as copies:
        here = {"path": copies.enter_context(fetched(path))}
        if compared.certificate is not None:
            compared = compared._replace(certificate=copies.enter_context(fetched(compared.certificate)))
        return _met(replace(table, values={**table.values, **here}), baskets, compared, printed)


def _met(table: Given, baskets: Given, compared: CheckFlags, printed: options.Printed) -> bool:
    if compared.certificate is None:
        flags.refuse({"trust": compared.trust}, "is only for certificates", "add --certificate FILE")
    else:
        return _certified(table, baskets, compared, printed)
    if compared.transactions:
        unused = {flag: value for flag, value in table.used().items() if flag not in {"path", *_OF_BASKETS}}
        flags.refuse({**unused, "reference": compared.reference}, "is only for tables")
        made = requested(flags.tables(baskets, []), (), releasing=False)
        return _coherent(made, printed, values=compared.show_values)
    unused = {flag: value for flag, value in baskets.used().items() if flag not in {*_OF_TABLE, "k", "person"}}
    flags.refuse(unused, "is only for transactions", "leave it out, or add --transactions")
    if table["population"] is None:
        what, hint = "is only for a population table", "leave it out, or add --population FILE"
        flags.refuse({"missing": table["missing"]}, what, hint)
    return judged.judged(
        judged.requested(table, matched=table["population"] is not None),
        names(table["sensitive"]),
        table,
        compared.reference,
        printed,
        values=compared.show_values,
    )


# ── `kohort check --certificate` ─────────────────────────────────────────────────────────────────

#: How wide an outcome is printed.
WIDTH: Final = len("not checked")


def _certified(table: Given, baskets: Given, compared: CheckFlags, printed: options.Printed) -> bool:
    """Whether nothing in the file differs from its certificate; that names the models, so no flag may."""
    from kohort.certificate.again import checked_signature, read_certificate
    from kohort.certificate.table import Certificate
    from kohort.transactions.certificate import CoherenceCertificate

    source, of_table = table["path"], {"population", "hierarchy", "path", "separator", "encoding"}
    taken = of_table | {*_READING, *_ITEMS}
    unused = {flag: value for flag, value in (baskets.used() | table.used()).items() if flag not in taken}
    unused |= {"transactions": compared.transactions, "show-values": compared.show_values}
    flags.refuse(unused, "is not needed: the certificate names the models and how to read the file")
    known = read_certificate(compared.certificate or "")
    signature = checked_signature(known, source, compared.trust)
    of_tables = {"population": table["population"], "reference": compared.reference}
    with progress(quiet=printed.quiet) as on_progress:
        on_progress("check")
        if isinstance(known, Certificate):
            what = "is only for transactions, but the certificate is of a table"
            flags.refuse(baskets.only(*_READING, *_ITEMS, "separator").used(), what)
            again = _table(source, known, of_tables, table["hierarchy"])
        elif isinstance(known, CoherenceCertificate):
            what = "is only for tables, but the certificate is of transactions"
            flags.refuse({**of_tables, "hierarchy": table["hierarchy"]}, what)
            again = _transactions(source, known, baskets.only(*_READING, *_ITEMS, "separator"))
        else:
            raise UnsupportedError(f"this command checks no certificate of {known.kind}", where="--certificate")
    again = replace(again, parts=(signature, *again.parts))
    say("\n".join(_lines(again, known)), _figures(again, known), as_json=printed.json, quiet=printed.quiet)
    return again.met


def _table(source: str, known: Certificate, of_tables: Mapping[str, object], hierarchy: Sequence[str] | None) -> Again:
    from pathlib import Path

    from kohort.certificate.table_again import check_table_again
    from kohort.certificate.table_shown import RecheckInputs
    from kohort.schema.hierarchies import read_hierarchy

    faults: list[UsageError] = []
    files = flags.by_column("hierarchy", hierarchy, faults)
    if faults:
        raise job_error(faults)
    hierarchies = {name: read_hierarchy(Path(file), name=name) for name, file in files.items()}
    return check_table_again(source, known, RecheckInputs(**of_tables, hierarchies=hierarchies))


def _transactions(source: str, known: CoherenceCertificate, given: Given) -> Again:
    """The transactions checked again: in the form of the certificate or the flags, by the items that the flags name."""
    from kohort.transactions.recheck import check_transactions_again, written_as
    from kohort.transactions.request import reading_of, roles_of

    raw = flags.tables(given, [])
    raw["input"]["path"] = source
    lacking: list[Place] = [("output",), ("privacy",)]
    if raw["items"]:
        raw["items"]["allow-absent"] = True  # an item of the original may be in no released transaction
    else:
        lacking.append(("items",))
    parts = parts_of(given, lacking, raw)
    reading = reading_of(parts.transactions, parts.input)
    reading = reading if {"format", "separator"} & {*given.used()} else written_as(known)
    roles = roles_of(parts.items, flag_at) if raw["items"] else None
    return check_transactions_again(source, known, reading, roles)


def _figures(again: Again, known: Certified) -> dict[str, Json]:
    from kohort.signing import signed_at, signer

    return {
        "met": again.met,
        "release": known.release,
        "signed_by": None if (key := signer(known.signature or "")) is None else key.fingerprint,
        "signed_at": signed_at(known.signature or ""),
        "parts": [{"part": part.name, "outcome": part.outcome.value, "told": part.told} for part in again.parts],
    }


def _lines(again: Again, known: Certified) -> Iterator[str]:
    from kohort.io.manifest import MANIFEST

    yield from (f"{part.outcome:{WIDTH}}  {part.name}: {part.told}" for part in again.parts)
    differing = sum(part.outcome == "different" for part in again.parts)
    if known.signature is None:
        yield "the certificate is unsigned: anyone who changed the file may have rewritten the certificate"
    folder = known.release.removesuffix(f"/{MANIFEST}")
    kind, what = "folder", f"folder {folder} is"
    if folder == known.release:
        kind, what = "file", f"file is {folder}"
    if again.met:
        yield f"the {what} as certified, as far as can be checked: nothing differs"
    else:
        yield f"NOT the certified {kind}: {differing} part{'s differ' if differing != 1 else ' differs'}"


# --- `kohort check --transactions` ------------------------------------------------------------------------------------


def _coherent(made: TransactionRequest, printed: options.Printed, *, values: bool) -> bool:
    """Whether the transactions are coherent, which is printed; `values` names the items that stand in the way."""
    from kohort.transactions.check import check_transactions
    from kohort.transactions.release import labelled

    with progress(quiet=printed.quiet) as on_progress:
        problem = problem_at(made, on_progress)
        on_progress("count")
        found = check_transactions(problem.database, problem.roles, made.job.coherence, most=made.job.most)
    over = in_the_way(problem) if values else []
    figures = _coherence_figures(found, made.job.coherence)
    figures["items"] = len(problem.database.names)
    figures["public"] = int(problem.roles.public.sum())
    figures["private"] = int(problem.roles.private.sum())
    if values:
        figures["over_names"] = [*over]
    text = "\n".join(_coherence_lines(found, made.job.coherence, labelled(over, made.job.labels)))
    say(text, figures, as_json=printed.json, quiet=printed.quiet)
    return found.met


def problem_at(made: TransactionRequest, on_progress: Callable[[str], None]) -> SuppressionProblem:
    """The transactions with their roles and model.

    Raises:
        UsageError: a name is of no item.
    """
    from kohort.transactions.io import read_transactions
    from kohort.transactions.pipeline import problem_of

    on_progress("read")
    with placing(made.placed):
        return problem_of(read_transactions(made.source, made.job.reading).database, made.job)


def in_the_way(problem: SuppressionProblem) -> list[str]:
    """Names of the private items that are in more than the share h of all transactions."""
    from kohort.transactions.problem import responsible

    return [problem.database.names[item] for item in responsible(problem).tolist()]


def _coherence_figures(found: CoherenceFinding, model: Coherence) -> dict[str, Json]:
    return {
        "met": found.met,
        "model": found.model,
        "h": float(model.h),
        "k": model.k,
        "p": model.p,
        "transactions": found.transactions,
        "empty_set": {"mole": found.too_few or found.over > 0, "too_few": found.too_few, "over": found.over},
        "minimal_moles": {str(one.size): {"rare": one.rare, "breach": one.breach} for one in found.moles},
    }


def _coherence_lines(found: CoherenceFinding, model: Coherence, over: Sequence[str]) -> Iterator[str]:
    from kohort.report.render.text import listed

    yield f"{many(found.transactions, 'transaction')}: {found.model} {'met' if found.met else 'NOT met'}"
    if found.too_few:
        yield f"there are fewer than {model.k:,} transactions: no release can be coherent"
    if found.over:
        names = f": {listed(over)}" if over else " (--show-values names them)"
        yield f"private items in more than the share h of all transactions: {found.over:,}{names}"
        yield "as long as they are private, no release can be coherent: dropping public items does not help"
    for one in found.moles:
        if one.rare or one.breach:
            total = one.rare + one.breach
            yield f"minimal moles of size {one.size}: {total:,} ({one.rare:,} below k, {one.breach:,} above h)"
