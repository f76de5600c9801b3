"""`kohort demo`: the whole path on a register that kohort makes itself."""

from __future__ import annotations

import csv
from bisect import bisect
from functools import cache
from itertools import accumulate, islice
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING

from kohort.cli import options
from kohort.cli.derive import option
from kohort.cli.screen import progress, say
from kohort.errors import MissingExtraError, TargetError
from kohort.system.disk import refuse_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from kohort.engines.pipeline import Report
    from kohort.release import Release

#: The job of the demo: what a steward would write for this register, with the t that `kohort init` proposes.
JOB = """\
# The demo's job. Change it, then   kohort run job.toml --overwrite
[input]
path = "people.csv"

[output]
path = "release.csv"

[privacy]
k = {k}

[method]
cut = "loss"

[columns]
person_id = {{ role = "identifying" }}
first_name = {{ role = "identifying" }}
last_name = {{ role = "identifying" }}
gender = {{ role = "quasi" }}
city = {{ role = "quasi", hierarchy = "city.json", label = "set" }}
age = {{ role = "quasi", bounds = [18, 90], grid = 5 }}
education = {{ role = "quasi", hierarchy = "education.json" }}
profession = {{ role = "quasi", hierarchy = "profession.json", label = "set" }}
annual_income = {{ role = "sensitive", t = 0.3 }}

# An exact income identifies a person as a name does.
[perturb.columns.annual_income]
method = "rounding"
step = {step}
"""

#: What the demo writes.
_FILES = (
    "people.csv",
    "city.json",
    "education.json",
    "profession.json",
    "job.toml",
    "release.csv",
    "release.csv.kohort.json",
    "report.html",
)


def demo(
    *,
    out: Path = option("", "The folder to work in; made if needed.", "FOLDER", default=Path("demo")),
    records: int = option("", "Number of people.", "N", default=30_000, min=1),
    k: options.K = 10,
    seed: int = option("", "The same seed gives the same people.", "N", default=7, min=0),
    overwrite: options.Overwrite = False,
) -> None:
    """Generate a register, anonymize it, verify the release and show the result."""
    from kohort.cli.anonymize import best_of
    from kohort.engines import pipeline
    from kohort.job.document import document_at
    from kohort.job.request import of
    from kohort.models.k_anonymity import KAnonymity
    from kohort.report.release import release_figures
    from kohort.report.render.release import release_text
    from kohort.samples.italy import write_italy

    KAnonymity(k)  # validates k
    refuse_name(out)
    if not overwrite:
        _refuse_existing(out)
    say(f"1. A synthetic register of {records:,} people living in Italy; no one in it is real.\n")
    people, *_ = write_italy(out, records, seed=seed, overwrite=overwrite)
    job = out / "job.toml"
    job.write_text(JOB.format(k=k, step=_step(people)), encoding="utf-8")
    say(f"{_head(people)}\n")
    say(
        "2. Names and ids are removed. Gender, city, age, education and profession are generalized (Mondrian,\n"
        f"   strict): at least {k} people share every combination. Incomes are rounded, so that few are unique, and\n"
        "   in each group they are distributed nearly as in the whole register (t-closeness).\n"
    )

    @cache
    def changes(release: Release) -> tuple[str, ...]:
        """What single changes of the job would give."""
        return tuple(best_of(document_at(job), release.source, release.metrics.get("ncp")))

    reports, how = _reports(out / "report.html", changes)
    request = of(document_at(job))
    with progress() as on_progress:
        release = pipeline.anonymize(
            request.source,
            request.job,
            target=request.target,
            overwrite=overwrite,
            threads=options.CORES,
            on_progress=on_progress,
            reports=reports,
            inputs=request.inputs,
        )
    say(f"{_head(out / 'release.csv')}\n")
    say(f"3. Result\n\n{_indented(release_text(release_figures(release)))}\n")
    quasi = ",".join(attribute.name for attribute in release.job.schema.quasi)
    say("".join(f"   {line}\n" for line in changes(release)))
    say(
        "4. Next steps\n\n"
        f"   see the report      {how}\n"
        f"   check the release   kohort check {out / 'release.csv'} --quasi {quasi} --k {k}\n"
        f"   change the job      kohort advise {job} --take 1, then kohort run {job} --overwrite\n"
        "   your own table      kohort inspect YOUR.csv, then kohort init YOUR.csv"
    )


def _step(people: Path) -> str:
    """The step to which incomes are rounded: with it at most 5 % of the people have one of their own."""
    from kohort.assessment.risk.singling import proposed
    from kohort.io import read
    from kohort.schema.numbers import said

    found = proposed(read(people)["annual_income"])
    return "1000" if found is None else said(found.step)


def _refuse_existing(folder: Path) -> None:
    taken = [name for name in _FILES if (folder / name).exists()]
    if taken:
        where = f"{folder}: {', '.join(taken)}"
        raise TargetError("the output exists", where=where, hint="choose another --out, or --overwrite")


def _reports(path: Path, changes: Callable[[Release], tuple[str, ...]]) -> tuple[tuple[Report, ...], str]:
    """The page to publish, where one can be drawn, with what changes of the job give; and how to get to see it."""
    from kohort.engines import pipeline
    from kohort.report.page import Audience, page
    from kohort.report.written import writer_of

    try:
        write = writer_of(path.suffix)
    except MissingExtraError as missing:
        return (), f"for a page with charts: {missing.hint}, then kohort demo --overwrite"

    def written(release: Release) -> bytes:
        shown = page(release, audience=Audience.INTERNAL)
        return write(shown.model_copy(update={"changes": changes(release)}))

    report = pipeline.Report(path, written)
    return (report,), f"open {path} in a browser"


def _head(path: Path, lines: int = 4) -> str:
    """The first lines of a CSV file as a table of as many columns as the terminal has room for."""
    with path.open(encoding="utf-8", newline="") as file:
        columns = list(zip(*islice(csv.reader(file), lines), strict=True))
    padded = [[cell.ljust(max(map(len, column))) for cell in column] for column in columns]
    ends = list(accumulate(len(column[0]) + 2 for column in padded))
    room = get_terminal_size((120, 24)).columns - len("     …")
    shown = padded if ends[-1] <= room else [*padded[: bisect(ends, room)], ["…"] * lines]
    return _indented("\n".join("  ".join(row) for row in zip(*shown, strict=True)))


def _indented(text: str) -> str:
    return "\n".join(f"   {line}".rstrip() for line in text.splitlines())
