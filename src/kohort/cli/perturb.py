"""`kohort perturb`: some columns of a table with noise and its kin, all others as they are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO, Final

import typer

from kohort.cli import options
from kohort.cli.screen import progress, say
from kohort.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kohort.perturb.base import Perturbation
    from kohort.report.perturbed import PerturbationFigures

#: What nobody is to overlook.
WARNING: Final = "this is not anonymity: all other columns are as they were"


def perturb(
    source: options.Source,
    *,
    out: Annotated[Path, typer.Option("--out", metavar="OUT", help="The perturbed table.")],
    perturb: options.Perturb = None,
    seed: options.InsecureSeed = None,
    insecure_reproducible: options.InsecureReproducible = False,
    missing_token: options.MissingTokens = None,
    separator: options.Separator = None,
    encoding: options.Encoding = "utf-8",
    header: options.Header = None,
    names: options.Names = None,
    skip_blank: options.SkipBlank = False,
    trim: options.Trim = False,
    format_: Annotated[
        str | None, typer.Option("--format", metavar="WORD", help="Format of OUT, where its name tells none.")
    ] = None,
    excel_safe: Annotated[
        bool, typer.Option("--excel-safe", help="Neutralise cells that a spreadsheet would run.")
    ] = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    dry_run: options.DryRun = False,
    overwrite: options.Overwrite = False,
) -> None:
    """Change columns by noise, rank swapping, microaggregation, rounding, coding or PRAM, and measure what that did."""
    options.use_threads()
    from kohort.engines.perturbing import perturb as perturbed
    from kohort.io.write import format_of, write
    from kohort.publish import check_target, publish
    from kohort.report.perturbed import PerturbationFigures, effect_figures
    from kohort.verify.altered import verify_perturbed

    asked = _asked(perturb, seed, insecure_reproducible=insecure_reproducible)
    form, inputs = format_of(out, format_), () if source == "-" else (Path(source),)
    check_target(out, overwrite=overwrite, inputs=inputs)
    table = options.read_table(source, separator, encoding, options.Reading(header, names, skip_blank, trim))
    missing, digest = frozenset({"", *(missing_token or ())}), None
    with progress(quiet=quiet) as tell:
        tell("perturb")
        made, effects = perturbed(table, asked, missing=missing, seed=seed)
        if not dry_run:

            def written(file: BinaryIO) -> None:
                write(made, file, form, excel_safe=excel_safe)

            def verified(file: BinaryIO) -> str:
                return verify_perturbed(file, table, effects, format_=form, excel_safe=excel_safe, missing=missing)

            tell("write and verify")
            digest = publish(out, written, verified, overwrite=overwrite, inputs=inputs)
    figures = PerturbationFigures(
        records=table.records,
        perturbed=effect_figures(effects),
        warning=WARNING,
        release=None if dry_run else str(out),
        sha256=digest,
        verified=digest is not None,
    )
    say("\n".join(_text(figures)), figures.as_json(), as_json=json, quiet=quiet)


def _asked(texts: Sequence[str] | None, seed: int | None, *, insecure_reproducible: bool) -> list[Perturbation]:
    """The perturbations that the flags ask for.

    Raises:
        UsageError: something is wrong with them.
        JobError: several things are.
    """
    from kohort.job import job_error
    from kohort.perturb.text import perturbation_of
    from kohort.release.altered import seed_misfits

    asked: list[Perturbation] = []
    faults: list[UsageError] = []
    for text in texts or ():
        try:
            asked.append(perturbation_of(text))
        except UsageError as fault:
            faults.append(UsageError(fault.what, where=f"--{fault.where}", hint=fault.hint))
    if not texts:
        faults.append(UsageError("no column is to be perturbed", where="--perturb", hint="income=noise:scale=0.1, say"))
    elif not faults:  # one that is wrong may have been random
        misfits = seed_misfits(asked, seed, insecure_reproducible=insecure_reproducible)
        faults += [UsageError(one.what, where=f"--{one.key[-1]}", hint=one.hint) for one in misfits]
    if faults:
        raise faults[0] if len(faults) == 1 else job_error(faults)
    return asked


def _text(figures: PerturbationFigures) -> Iterator[str]:
    """What was done, and what it is not."""
    from kohort.report.render.perturbed import effect_text

    for one in figures.perturbed:
        yield from effect_text(one)
    yield f"{WARNING[0].upper()}{WARNING[1:]}."
    records = figures.records
    if figures.verified:
        yield f"Verified and published: {figures.release}, {records:,} records in the order they had."
    else:
        yield f"Nothing was written: {records:,} records were looked at."
