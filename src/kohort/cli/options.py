"""Flags that several commands share, and how their texts are read."""

from __future__ import annotations

import csv
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from kohort.errors import InfeasibleError, UsageError

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from kohort.engines.table import Table
    from kohort.io import ReadOptions

Source = Annotated[
    str, typer.Argument(metavar="IN", help="The table: CSV, TSV (also .gz), Parquet or Arrow; - is standard input.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace the file that is there.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Do all but write: show what the release would cost.")]
Threads = Annotated[
    int,
    typer.Option(
        metavar="N", min=1, help="Threads to use; the bytes are the same for any number.", show_default="all cores"
    ),
]
Separator = Annotated[
    str | None, typer.Option(metavar="CHAR", help="Between the cells of the input; found by itself where not given.")
]
Encoding = Annotated[str, typer.Option(metavar="NAME", help="Encoding of the input.")]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first line names the columns; without names they are column_1, column_2, …",
        show_default="it does; one that looks like data is an error",
    ),
]
Names = Annotated[
    list[str] | None,
    typer.Option("--names", metavar="A,B", help="Names for the columns of an input without a header (repeatable)."),
]
Trim = Annotated[bool, typer.Option("--trim", help="Remove the blanks around every cell and column name.")]
SkipBlank = Annotated[bool, typer.Option("--skip-blank", help="Pass over empty lines; at the end they are no fault.")]
MissingTokens = Annotated[
    list[str] | None,
    typer.Option(
        "--missing-token",
        metavar="TEXT",
        help="A text that means: no value (repeatable; the empty cell always does).",
    ),
]
CompleteRecords = Annotated[
    list[str] | None,
    typer.Option(
        "--complete-records",
        metavar="A,B",
        help="Leave out the records without a value in these columns, or in all, before anything is counted.",
    ),
]
Quasi = Annotated[
    list[str] | None, typer.Option("--quasi", metavar="A,B", help="Quasi-identifying columns (repeatable).")
]
Drop = Annotated[
    list[str] | None, typer.Option("--drop", metavar="A,B", help="Columns that are not needed: never released.")
]
K = Annotated[int, typer.Option("--k", metavar="K", help="Every class has at least k records.")]

# --- privacy models beyond k ------------------------------------------------------------------------------------------

DistinctL = Annotated[
    list[str] | None,
    typer.Option(
        "--l", metavar="COLUMN=L", help="Every class has at least l different values of this sensitive column."
    ),
]
EntropyL = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN=L", help="The entropy of its values in every class is at least the logarithm of l."),
]
RecursiveL = Annotated[
    list[str] | None,
    typer.Option(
        "--recursive",
        metavar="COLUMN=C,L",
        help="(c,l)-diversity: the commonest value has less than c times the l-th, the next and all after it.",
    ),
]
T = Annotated[
    list[str] | None,
    typer.Option(
        "--t", metavar="COLUMN=T", help="In every class its values lie at most t away from how they lie in the table."
    ),
]
Distance = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN=WORD",
        help="How t is measured: equal, ordered, hierarchical; if not given: by its hierarchy, else by order for"
        " numbers, else equal.",
    ),
]
Alpha = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN=ALPHA", help="(alpha,k): no value has a larger share of a class; with the k of --k."),
]
DeltaDisclosure = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN=DELTA",
        help="In every class the logarithm of each value's share is less than delta away from that in the table.",
    ),
]
Beta = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN=BETA", help="No value's share grows in a class by more than beta times itself."),
]
EnhancedBeta = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN=BETA", help="The same, and that of frequent values by less: -ln of the share."),
]
KMap = Annotated[
    int | None, typer.Option(metavar="K", help="Every class fits at least k people of the population table.")
]
Presence = Annotated[
    str | None,
    typer.Option(
        metavar="LOW..HIGH",
        help="Of the people of the population table whom a class fits, such a share is in the table: 0.1..0.9.",
    ),
]
MaximumRisk = Annotated[
    str | None, typer.Option("--max-risk", metavar="SHARE", help="Nobody's risk to be found is greater: 0.1, say.")
]
AverageRisk = Annotated[
    str | None, typer.Option(metavar="SHARE", help="People's risk to be found is not greater on average: 0.05, say.")
]
PopulationFile = Annotated[
    str | None,
    typer.Option(
        "--population", metavar="FILE", help="The population table, which has the quasi-identifying columns too."
    ),
]
PersonKey = Annotated[
    str | None,
    typer.Option(
        "--person", metavar="COLUMN", help="Says whose a record is (an identifying column): people are counted then."
    ),
]

# --- what is changed besides generalization ---------------------------------------------------------------------------

Perturb = Annotated[
    list[str] | None,
    typer.Option(
        "--perturb",
        metavar="COLUMN=METHOD[:…]",
        help="Change the values of a column: income=noise:scale=0.1,decimals=0 (repeatable). Methods: noise,"
        " rank-swapping, microaggregation, rounding, coding, post-randomization.",
    ),
]
InsecureSeed = Annotated[
    int | None,
    typer.Option(
        "--seed", metavar="N", min=0, help="For tests: the same seed draws the same noise; who knows it takes it off."
    ),
]
InsecureReproducible = Annotated[
    bool, typer.Option("--insecure-reproducible", help="Accept --seed, for what nobody will be given.")
]
Pseudonym = Annotated[
    list[str] | None,
    typer.Option(
        "--pseudonym",
        metavar="A,B",
        help="Identifying columns that are released as pseudonyms, which is not anonymity (repeatable).",
    ),
]
KeyFile = Annotated[
    str | None,
    typer.Option("--key-file", metavar="FILE", help="The key of the pseudonyms; `kohort key FILE` writes one."),
]

NoGrid = Annotated[
    bool,
    typer.Option(
        "--no-grid",
        help="Release numbers as ranges that end at values of the data, as in the literature; else a grid of round"
        " numbers is laid over each numeric quasi-identifier without --grid, --hierarchy or --labels.",
    ),
]
NoModel = Annotated[
    list[str] | None,
    typer.Option(
        "--no-model", metavar="A,B", help="Sensitive columns to release though no privacy model protects them."
    ),
]

#: Threads where nothing is said: the cores this process may use.
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def use_threads(threads: int = CORES) -> None:
    """Limit the data-frame library to `threads`, unless the user has; it reads this when it is first imported."""
    os.environ.setdefault("POLARS_MAX_THREADS", str(threads))


class Reading(NamedTuple):
    """The reading flags that only tables have.

    Attributes:
        header: Whether there is a header.
        names: The names of the columns.
        skip_blank: Whether empty lines are passed over.
        trim: Whether blanks are removed.
    """

    header: bool | None = None
    names: Sequence[str] | None = None
    skip_blank: bool = False
    trim: bool = False

    def flags(self) -> dict[str, object]:
        """What is said, by the flag that says it."""
        said = {"header": self.header is True, "no-header": self.header is False}
        return {**said, "names": self.names, "skip-blank": self.skip_blank, "trim": self.trim}

    def keys(self) -> dict[str, object]:
        """The same as a job file's table of the input says it; what is not said is left out."""
        said = {"header": self.header, "names": names(self.names) or None}
        said |= {"skip-blank": self.skip_blank or None, "trim": self.trim or None}
        return {key: value for key, value in said.items() if value is not None}

    def options(self, separator: str | None, encoding: str) -> ReadOptions:
        """The options for the reader."""
        from kohort.io import ReadOptions

        return ReadOptions(
            separator=separator,
            encoding=encoding,
            header=self.header,
            names=tuple(names(self.names)),
            skip_blank=self.skip_blank,
            trim=self.trim,
        )


def read_table(source: str, separator: str | None, encoding: str, reading: Reading) -> Table:
    """The table that the reading flags describe; a terminal sees how long it takes."""
    from kohort.cli.screen import progress

    use_threads()
    from kohort.io import read

    options = reading.options(separator, encoding)
    with progress() as tell:
        tell("read")
        with refusing_empty():
            return read(source, options)


def complete_records(texts: Sequence[str] | None) -> list[str] | str | None:
    """The columns of complete records as a job file would say them.

    >>> complete_records(["age", "city"]), complete_records(["all"]), complete_records(None)
    (['age', 'city'], 'all', None)
    """
    said = names(texts)
    return "all" if said == ["all"] else said or None


@contextmanager
def refusing_empty() -> Generator[None]:
    """Hint at what helps where a table has no record: the library's hint is a flag that only releases have."""
    try:
        yield
    except InfeasibleError as fault:
        raise InfeasibleError(fault.what, where=fault.where, hint="bring a table with records") from None


def names(texts: Sequence[str] | None) -> list[str]:
    """Column names from comma-separated, repeatable flags; a name with a comma is quoted as in CSV.

    >>> names(["age,sex", 'city,"income, net"'])
    ['age', 'sex', 'city', 'income, net']
    """
    return [name for row in csv.reader(texts or ()) for name in row if name]


def pairs(texts: Sequence[str] | None, flag: str) -> dict[str, str]:
    """`column=value` flags as a mapping.

    Raises:
        UsageError: a text without `=`, or a column given twice.

    >>> pairs(["age=5"], "--grid")
    {'age': '5'}
    """
    columns: set[str] = set()
    for text in texts or ():
        column, equals, _ = text.partition("=")
        if not equals or column in columns:
            what = f"column {column} is given twice" if equals else "there is no = in it"
            raise UsageError(what, where=flag, hint=f"write {flag} COLUMN=VALUE, once per column")
        columns.add(column)
    return readable(texts)


def weights(texts: Sequence[str] | None, faults: list[UsageError]) -> dict[str, object] | None:
    """`ITEM=NUMBER` flags as a job file would say them; `None` where there are none.

    >>> weights(["bread=2", "a=b=0.5"], [])
    {'bread': '2', 'a=b': '0.5'}
    """
    found: dict[str, object] = {}
    for text in texts or ():
        item, equals, number = text.rpartition("=")  # a number has none
        if not equals or item in found:
            what = f"item {item} is given twice" if equals else "there is no = in it"
            faults.append(UsageError(what, where="--weight", hint="write --weight ITEM=NUMBER, once per item"))
        else:
            found[item] = number
    return found or None


def readable(texts: Sequence[str] | None) -> dict[str, str]:
    """The `column=value` flags that are such; of two for a column, the last.

    >>> readable(["age=5", "sex", "age=10"])
    {'age': '10'}
    """
    parts = (text.partition("=") for text in texts or ())
    return {column: value for column, equals, value in parts if equals}
