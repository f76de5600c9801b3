"""`kohort check`: does this file meet its privacy models, does a certificate hold?"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Final

import click

from kohort.cli import flags, judged, options
from kohort.cli.derive import Bound, Given, Keys, argument, option
from kohort.cli.kinds import KINDS, chosen, functions, refuse_others
from kohort.cli.screen import echo, progress, say
from kohort.errors import UnsupportedError
from kohort.job.codec import names
from kohort.job.faults import job_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kohort.certificate.again import Again
    from kohort.certificate.form import Certified
    from kohort.certificate.table import Certificate
    from kohort.errors import UsageError
    from kohort.report import Json


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

#: The flags of a table.
_OF_TABLE: Final = (*options.READING, "missing-token", "quasi", "sensitive", "hierarchy", "missing", "Promise")

Reference = Annotated[
    str | None,
    option(
        "Input",
        "The table before its release: t, delta-disclosure and beta compare with its values.",
        "FILE",
        shown="IN itself",
        first=True,
    ),
]


def check(
    source: options.Source,
    others: list[str] | None = argument("[IN]...", "More files to check in the same way."),
    *,
    kinds: Annotated[Mapping[str, Bound], partial(functions, "check")],
    certified: Annotated[Mapping[str, Bound], partial(functions, "recheck")],
    certificate: str | None = option(
        "Input",
        "Check the claims of this certificate about IN; the certificate also names the models.",
        "FILE",
        first=True,
    ),
    trust: str | None = option(
        "Input", "Require that the holder of this public key has signed the certificate.", "FILE"
    ),
    printed: options.Printed,
) -> None:
    """Check files against privacy models or one against its certificate; without either, measure them."""
    from kohort.io.objects import fetched
    from kohort.publish.journal import settle_for_reading

    paths = [source, *(others or ())]
    for path in filter(None, [*paths, certificate]):
        settle_for_reading(path)
    if others:
        alone = {"json": printed.json, "certificate": certificate}
        flags.refuse(alone, "is only for one file", "leave it out, or name one file")
    if certificate is None:
        flags.refuse({"trust": trust}, "is only for certificates", "add --certificate FILE")
    met = True
    for path in paths:
        if others and not printed.quiet:
            echo(f"{path}:")
        with ExitStack() as copies:
            here = copies.enter_context(fetched(path))
            with progress(quiet=printed.quiet) as on_progress:
                if certificate is None:
                    told, figures = chosen(kinds).call(here, on_progress)
                else:
                    _refuse_asked(kinds, certified)
                    known = copies.enter_context(fetched(certificate))
                    on_progress("check")
                    told, figures = _checked_again(here, known, trust, certified)
        say(told, figures, as_json=printed.json, quiet=printed.quiet)
        met &= figures["met"] is not False
    if not met:
        raise click.exceptions.Exit(1)


def check_table(
    source: str,
    on_progress: Callable[[str], None],
    *,
    table: Annotated[Given, Keys(only=_OF_TABLE, changed=_TABLE)],
    reference: Reference = None,
    show_values: options.ShowValues = False,
) -> tuple[str, dict[str, Json]]:
    """Whether a table meets its models, or what it meets, in text and figures."""
    from kohort.assessment.checking import check

    matched = table["population"] is not None
    if not matched:
        what, hint = "is only for a population table", "leave it out, or add --population FILE"
        flags.refuse({"missing": table["missing"]}, what, hint)
    made, sensitive = judged.requested(source, table, matched=matched), names(table["sensitive"])
    on_progress("read")
    paths = source, made.population, reference
    here, known, before = (None if path is None else options.read_table(table, path) for path in paths)
    on_progress("count")
    quasi, schema = [one.name for one in made.schema.quasi], made.schema
    found = check(here, quasi, made.models, sensitive=sensitive, schema=schema, population=known, reference=before)
    return judged.summary(found, made, sensitive, values=show_values, own=reference is None)


# ── `kohort check --certificate` ─────────────────────────────────────────────────────────────────

#: How wide an outcome is printed.
WIDTH: Final = len("not checked")


def _refuse_asked(kinds: Mapping[str, Bound], certified: Mapping[str, Bound]) -> None:
    """Refuse the flags that say what a certificate says itself."""
    needed = {flag for one in certified.values() for flag in one.flags}
    unused = {flag: value for one in kinds.values() for flag, value in one.used.items() if flag not in needed}
    flags.refuse(unused, "is not needed: the certificate names the models and how to read the file")


def _checked_again(
    source: str, certificate: str, trust: str | None, certified: Mapping[str, Bound]
) -> tuple[str, dict[str, Json]]:
    """What of a certificate is true of a file, in text and figures."""
    from kohort.certificate.again import checked_signature, read_certificate

    known = read_certificate(certificate)
    signature = checked_signature(known, source, trust)
    if known.kind not in certified:
        raise UnsupportedError(f"this command checks no certificate of {known.kind}", where="--certificate")
    for key, other in certified.items():
        refuse_others(other.used, certified[known.kind], f"certificates of {KINDS[key].data}")
    again = certified[known.kind].call(source, known)
    again = replace(again, parts=(signature, *again.parts))
    return "\n".join(_lines(again, known)), _figures(again, known)


def recheck_table(
    source: str,
    known: Certificate,
    *,
    table: Annotated[Given, Keys(only=("population", "hierarchy"), changed=_TABLE)],
    reference: Reference = None,
) -> Again:
    """The certificate of a table checked again, with what else is there: the population, the table before, trees."""
    from pathlib import Path

    from kohort.certificate.table_again import check_table_again
    from kohort.certificate.table_shown import RecheckInputs
    from kohort.schema.hierarchies import read_hierarchy

    faults: list[UsageError] = []
    files = flags.by_column("hierarchy", table["hierarchy"], faults)
    if faults:
        raise job_error(faults)
    hierarchies = {name: read_hierarchy(Path(file), name=name) for name, file in files.items()}
    return check_table_again(source, known, RecheckInputs(table["population"], reference, hierarchies))


def _figures(again: Again, known: Certified) -> dict[str, Json]:
    from kohort.certificate.signing import signed_at, signer

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
