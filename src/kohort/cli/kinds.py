"""The kinds of data that jobs are about: tables, which are the core's own, and those of guests and other packages."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from kohort.specification import plugins

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from kohort.certificate.again import Again
    from kohort.cli.derive import Bound
    from kohort.job.document import Document
    from kohort.job.keys import KeyTable
    from kohort.report import Json
    from kohort.report.page import Page


@dataclass(frozen=True, slots=True, kw_only=True)
class JobKind:
    """A kind of data that jobs are about, and what the command line does with it.

    Each verb is a function. The command passes it the first arguments; the keyword-only ones stand for flags, as those
    of a command do, and the command has them too. A command refuses the flags of all other kinds than the one it is
    about.

    Attributes:
        data: What its jobs are about, as messages say it: `tables`.
        run: Carries out a job file and prints the result; called with the job file, what is asked of the report, and
            how the job is run (`PageOptions` and `Run`).
        report: Makes and verifies a published release again from its job file; called with that, the audience of the
            page, the number of threads, and what is told each stage. It returns the page and the files that were read.
        sweep: Shows what releases would cost; called with the input, the texts of `--vary`, and what is written and
            printed (`SweepOutput`). `None` where there are no sweeps; else it has a flag of the kind's own name.
        check: Measures a file; called with where it is, and what is told each stage. It returns what is printed, as
            text and as figures, of which `met` is false where the file falls short. It and those below are as `sweep`.
        recheck: Checks a certificate of this kind again, without such a flag; called with where the file is, and the
            certificate.
        inspect: Describes a file before there is a job; called with where it is. It returns text and figures.
        schema: Returns the keys of a job file, for its JSON Schema.
    """

    data: str
    run: Callable[..., None]
    report: Callable[..., tuple[Page, Sequence[Path]]]
    sweep: Callable[..., None] | None = None
    check: Callable[..., tuple[str, Mapping[str, Json]]] | None = None
    recheck: Callable[..., Again] | None = None
    inspect: Callable[..., tuple[str, Mapping[str, Json]]] | None = None
    schema: Callable[..., KeyTable] | None = None


#: The key of the core's own kind; a job file without the table of another is of this one.
TABLE: Final = "table"

#: Every kind, by the table that only its job files have.
KINDS: Final[Mapping[str, JobKind]] = plugins("kohort.jobs", {TABLE: "kohort.cli.tables:TABLES"})


def functions(verb: str) -> dict[str, Callable[..., Any]]:
    """What each kind does for a verb of commands, by its key; a kind without it is left out."""
    return {key: one for key, kind in KINDS.items() if (one := getattr(kind, verb)) is not None}


def kind_of(text: Document) -> str:
    """The key of the kind of a job file."""
    return next((key for key in KINDS if key in text.raw), TABLE)


def chosen(kinds: Mapping[str, Bound], of_tables: Mapping[str, object] = MappingProxyType({})) -> Bound:
    """What the kind does whose flag, `--transactions`, the command line has; of tables, if it has none.

    Args:
        kinds: What each kind does.
        of_tables: The values of other flags that are only for tables.

    Raises:
        JobError: a flag is only for another kind.
    """
    key = next((key for key, one in kinds.items() if key in one.used), TABLE)
    for other, one in ((other, one) for other, one in kinds.items() if other != key):
        used = {**one.used, **of_tables} if other == TABLE else one.used
        hint = "leave it out" if other == TABLE else f"leave it out, or add --{other}"
        refuse_others(used, kinds[key], KINDS[other].data, hint)
    return kinds[key]


def refuse_others(used: Mapping[str, object], chosen: Bound, data: str, hint: str = "leave it out") -> None:
    """Refuse flags that are only for other data, because what is `chosen` does not have them."""
    from kohort.cli.flags import refuse

    refuse({flag: value for flag, value in used.items() if flag not in chosen.flags}, f"is only for {data}", hint)
