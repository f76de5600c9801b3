"""The job file of a table to round: `[rounding]` names the columns, and nothing that it does not name is released."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kohort.errors import UsageError
from kohort.job import values
from kohort.job.faults import job_error
from kohort.job.form import INPUT, PURPOSE, SIGN_KEY
from kohort.job.keys import REQUIRED, KeyTable, key
from kohort.job.parts import read, relative, sign_key, told
from kohort.job.request import Request, purpose_of, reading_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.io import ReadOptions
    from kohort.job.document import Document
    from kohort.release.job import Purpose

ROUNDED: Final = KeyTable.of(
    "RoundedPart",
    "The columns of the release.",
    key("columns", values.each(values.whole(2)), "Columns of numbers, and what each is rounded to.", REQUIRED),
    key("keep", values.TEXTS, "Columns that are released as they are; all others are left out."),
)

RELEASE: Final = KeyTable.of(
    "RoundedReleasePart",
    "The release to write.",
    key("path", values.TEXT, "The CSV file to publish; its certificate is written beside it.", REQUIRED),
    SIGN_KEY,
)

ROUNDING_JOB: Final = KeyTable.of(
    "RoundingFile",
    "A kohort job that rounds: a table in, a verified table of rounded numbers out.",
    key("rounding", values.table_of(ROUNDED), usual=REQUIRED),
    key("input", values.table_of(INPUT), usual=REQUIRED),
    key("output", values.table_of(RELEASE), usual=REQUIRED),
    key("purpose", values.table_of(PURPOSE), hidden=True),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundingJob:
    """What decides a release.

    Attributes:
        bases: What each column is rounded to.
        keep: Columns that are released as they are.
        reading: How the input is read.
        purpose: What the release is for.
        sign_key: The file of the key that signs the certificate.
    """

    bases: Mapping[str, int]
    keep: tuple[str, ...]
    reading: ReadOptions
    purpose: Purpose | None
    sign_key: str | None

    @property
    def described(self) -> str:
        """The job as its certificate and its page have it: JSON."""
        return json.dumps({"rounding": {"columns": dict(self.bases), "keep": list(self.keep)}})


def request(text: Document) -> Request[RoundingJob]:
    """The request that a job file makes.

    Raises:
        JobError: everything that is wrong in it, each fault with its line.
    """
    file, misfits = read(ROUNDING_JOB, text.raw)
    faults = told(misfits, text.where)
    if not faults and not file.output.path.endswith(".csv"):
        faults.append(UsageError("the release is a CSV file", where=text.where(("output", "path")), hint="end in .csv"))
    both = set[str]() if faults else {*file.rounding.keep} & {*file.rounding.columns}
    if both:
        where = text.where(("rounding", "keep"))
        faults.append(UsageError(f"rounded and kept: {', '.join(sorted(both))}", where=where, hint="choose one"))
    if faults:
        raise job_error(faults)
    job = RoundingJob(
        bases=file.rounding.columns,
        keep=tuple(file.rounding.keep),
        reading=reading_of(file.input),
        purpose=purpose_of(file.purpose) if file.purpose is not None else None,
        sign_key=sign_key(file.output.sign_key, text.folder),
    )
    source, target = (relative(path, text.folder) for path in (file.input.path, file.output.path))
    inputs = (*text.path, *([] if source == "-" else [Path(source)]))
    return Request(source, target, job, inputs, text.where, {"rounding": ("rounding", "columns")}, file)
