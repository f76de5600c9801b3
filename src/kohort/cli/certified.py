"""`kohort check --certificate`: is what is certified true of this file?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kohort.cli import flags, options
from kohort.cli.screen import progress, say

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kohort.certificate.again import Again
    from kohort.certificate.table import Certificate
    from kohort.certificate.transactions import CoherenceCertificate
    from kohort.cli.derive import Given
    from kohort.report import Json

#: How wide an outcome is printed.
WIDTH: Final = len("not checked")


def certified(
    source: str,
    path: str,
    *,
    trust: str | None,
    of_tables: Mapping[str, object],
    hierarchy: Sequence[str] | None,
    of_transactions: Given,
    json: bool,
    quiet: bool,
) -> bool:
    """Whether nothing in the file at `source` differs from its certificate at `path`, which is printed.

    Args:
        source: The release.
        path: Its certificate.
        trust: The public key that must have signed it; `None` for any, or none.
        of_tables: The population table and the reference.
        hierarchy: Hierarchies, `COLUMN=FILE`.
        of_transactions: How transactions are read, and which items are private.
        json: Print one JSON object.
        quiet: Print nothing.
    """
    from kohort.certificate.again import read_certificate
    from kohort.certificate.signature import checked_signature
    from kohort.certificate.table import Certificate

    known = read_certificate(path)
    signature = checked_signature(known, source, trust)
    with progress(quiet=quiet) as tell:
        tell("check")
        if isinstance(known, Certificate):
            flags.refuse(
                of_transactions.used(), "this flag is only for transactions, but the certificate is of a table"
            )
            again = _table(source, known, of_tables, hierarchy)
        else:
            flags.refuse(
                {**of_tables, "hierarchy": hierarchy},
                "this flag is only for tables, but the certificate is of transactions",
            )
            again = _transactions(source, known, of_transactions)
    again = replace(again, parts=(signature, *again.parts))
    say("\n".join(_lines(again, known)), _figures(again, known), as_json=json, quiet=quiet)
    return again.met


def _table(source: str, known: Certificate, of_tables: Mapping[str, object], hierarchy: Sequence[str] | None) -> Again:
    from pathlib import Path

    from kohort.certificate.table_again import Brought, check_table_again
    from kohort.schema.hierarchies import read_hierarchy

    files = options.pairs(hierarchy, "--hierarchy")
    hierarchies = {name: read_hierarchy(Path(file), name=name) for name, file in files.items()}
    return check_table_again(source, known, Brought(**of_tables, hierarchies=hierarchies))


def _transactions(source: str, known: CoherenceCertificate, given: Given) -> Again:
    """The transactions checked again: in the form of the certificate or the flags, by the items that the flags name."""
    from kohort.certificate.transactions_again import check_transactions_again, written_as

    raw = flags.tables(given, [])
    listed = bool(raw["items"])
    # An item of the original may be in no released transaction; a job has some, though it makes no difference here.
    raw["items"] = {**(raw["items"] or {"private": ["any"]}), "allow-absent": True}
    raw |= {"output": {"path": source}, "privacy": {"h": known.h, "k": known.k, "p": known.p}}  # nothing is written
    raw["input"]["path"] = source
    made = flags.transaction_request(raw, ())
    reading = made.job.reading if {"format", "separator"} & {*given.used()} else written_as(known)
    return check_transactions_again(source, known, reading, made.job.roles if listed else None)


def _figures(again: Again, known: Certificate | CoherenceCertificate) -> dict[str, Json]:
    from kohort.signing import signed_at, signer

    return {
        "met": again.met,
        "release": known.release,
        "signed_by": None if (key := signer(known.signature or "")) is None else key.fingerprint,
        "signed_at": signed_at(known.signature or ""),
        "parts": [{"part": part.name, "outcome": part.outcome.value, "told": part.told} for part in again.parts],
    }


def _lines(again: Again, known: Certificate | CoherenceCertificate) -> Iterator[str]:
    from kohort.io.manifest import MANIFEST

    yield from (f"{part.outcome:{WIDTH}}  {part.name}: {part.told}" for part in again.parts)
    differing = sum(part.outcome == "different" for part in again.parts)
    if known.signature is None:
        yield "the certificate is unsigned: whoever changed the file can have written it anew"
    folder = known.release.removesuffix(f"/{MANIFEST}")
    kind, what = "folder", f"folder {folder} is"
    if folder == known.release:
        kind, what = "file", f"file is {folder}"
    if again.met:
        yield f"the {what} as certified, as far as it shows: nothing differs"
    else:
        yield f"NOT the certified {kind}: {differing} part{'s differ' if differing != 1 else ' differs'}"
