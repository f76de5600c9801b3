"""`kohort perturb`: some columns of a table with noise and its kin; `kohort key`: a key for pseudonyms."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Final

from kohort.cli import options
from kohort.cli.derive import Given, Keys, argument, option
from kohort.cli.screen import progress, say
from kohort.errors import UsageError
from kohort.errors.display import many

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kohort.perturbation.base import Perturbation
    from kohort.report.figures import Perturbed

#: The warning with every result.
WARNING: Final = "this is not anonymity: all other columns are unchanged"


#: The flags of a job that a perturbation has too.
_FLAGS: Final = (
    *("path", *options.READING, "missing-token", "perturb", "seed", "insecure-reproducible"),
    *("out", "format", "excel-safe"),
)

#: How flags differ from the keys of a job.
_CHANGED: Final = MappingProxyType({"out": {"help": "The perturbed table."}, "perturb": {"first": True}})


def perturb(
    table: Annotated[Given, Keys(only=_FLAGS, changed=_CHANGED)],
    *,
    json: options.Json = False,
    quiet: options.Quiet = False,
    dry_run: options.DryRun = False,
    overwrite: options.Overwrite = False,
) -> None:
    """Perturb columns of a table, and measure the effect."""
    from kohort.engines.outlets import save_perturbed
    from kohort.io.forms import files, format_of
    from kohort.publish import check_target
    from kohort.report.figures import Perturbed, as_json
    from kohort.tables.perturbing import perturb as perturbed

    out, source, seed, excel_safe = Path(table["out"]), table["path"], table["seed"], table["excel-safe"]
    requested = _requested(table["perturb"], seed, insecure_reproducible=table["insecure-reproducible"])
    form, inputs = format_of(out, table["format"]), files(source)
    check_target(out, overwrite=overwrite, inputs=inputs)
    original = options.read_table(table)
    missing, digest = frozenset({"", *(table["missing-token"] or ())}), None
    with progress(quiet=quiet) as on_progress:
        on_progress("perturb")
        made, effects = perturbed(original, requested, missing=missing, seed=seed)
        if not dry_run:
            on_progress("write and verify")
            how: dict[str, Any] = {"form": form, "excel_safe": excel_safe, "overwrite": overwrite, "inputs": inputs}
            digest = save_perturbed(made, original, effects, out, missing=missing, **how)
    figures = Perturbed(
        records=original.records,
        perturbed=tuple(effects),
        warning=WARNING,
        release=None if dry_run else str(out),
        sha256=digest,
        verified=digest is not None,
    )
    say("\n".join(_text(figures)), as_json(figures), as_json=json, quiet=quiet, internal=True)


def _requested(texts: Sequence[str] | None, seed: int | None, *, insecure_reproducible: bool) -> list[Perturbation]:
    from kohort.job.faults import job_error
    from kohort.perturbation.text import perturbation_of
    from kohort.release.fit import seed_misfits

    found: list[Perturbation] = []
    faults: list[UsageError] = []
    for text in texts or ():
        try:
            found.append(perturbation_of(text))
        except UsageError as fault:
            faults.append(UsageError(fault.what, where=f"--{fault.where}", hint=fault.hint))
    if not texts:
        faults.append(
            UsageError("no column to perturb is named", where="--perturb", hint="such as income=noise:scale=0.1")
        )
    elif not faults:  # one that is wrong may have been random
        misfits = seed_misfits(found, seed, insecure_reproducible=insecure_reproducible)
        faults += [one.told(lambda place: f"--{place[-1]}") for one in misfits]
    if faults:
        raise faults[0] if len(faults) == 1 else job_error(faults)
    return found


def _text(figures: Perturbed) -> Iterator[str]:
    from kohort.report.render.release import effect_text

    for one in figures.perturbed:
        yield from effect_text(one)
    yield f"{WARNING[0].upper()}{WARNING[1:]}."
    records = figures.records
    if figures.verified:
        yield f"Verified and published: {figures.release}, {many(records, 'record')} in the order they had."
    else:
        yield f"Nothing was written: {many(records, 'record was', 'records were')} examined."


def key(
    file: Path = argument("FILE", "The file for the key; an existing file is never replaced."),
    *,
    sign: bool = option("", "Write a pair of keys for signing releases: FILE for you, FILE.pub for recipients."),
    quiet: options.Quiet = False,
) -> None:
    """Write a new key for pseudonyms, or a pair of keys to sign with; only you may read what is secret."""
    if sign:
        say(_signing_keys(file), quiet=quiet)
        return
    from kohort.perturbation.pseudonyms import write_key

    write_key(file)
    text = (
        f"A new key is in {file}, which only you may read (mode 0600).\n"
        "Anyone who has it can find the person behind a pseudonym: keep it apart from the release; never publish it.\n"
        "Pseudonyms are not anonymity: they link the records of a person, in every release made with this key."
    )
    say(text, quiet=quiet)


def _signing_keys(file: Path) -> str:
    from kohort.certificate.signing import write_signing_keys

    public = write_signing_keys(file)
    return (
        f"The private key is in {file}, which only you may read (mode 0600): anyone who has it can sign as you.\n"
        f"The public key is in {file}.pub: give it to recipients another way than the release.\n"
        f"To compare by telephone, the fingerprint: {public.fingerprint}\n"
        f"Sign with --sign-key {file}; check with kohort check RELEASE --certificate FILE --trust {file}.pub"
    )
