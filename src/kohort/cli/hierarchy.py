"""`kohort hierarchy`: build, show, check and convert generalization hierarchies."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kohort.cli import options
from kohort.cli.derive import Given, Keys
from kohort.cli.screen import say
from kohort.errors import UsageError

if TYPE_CHECKING:
    from kohort.engines.table import Table
    from kohort.report import Json
    from kohort.schema.hierarchy import Hierarchy

#: Forms that a hierarchy file can have, by its name's ending.
_FORMS = (".csv", ".json")

File = Annotated[Path, typer.Argument(metavar="FILE", help="A hierarchy: CSV (one line per leaf) or JSON (a tree).")]
#: The flags that say how the table is read.
Reading = Annotated[Given, Keys(only=options.READING[1:])]
Out = Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="Where to write: a .csv or .json file.")]


def build(
    spec: Annotated[
        str,
        typer.Argument(
            metavar="BUILDER", help="intervals:5,10,20, mask:right, dates, frequency:10 or suppress; see the reference."
        ),
    ],
    *,
    source: Annotated[str, typer.Option("--in", metavar="IN", help="The table whose values become leaves.")],
    column: Annotated[str, typer.Option("--column", metavar="NAME", help="The column of the table.")],
    out: Out,
    reading: Reading,
    overwrite: options.Overwrite = False,
    quiet: options.Quiet = False,
) -> None:
    """Build a hierarchy over the values of a table's column."""
    options.use_threads()
    from kohort.io.forms import files
    from kohort.schema import hierarchies

    inputs = files(source)
    _check_out(out, inputs, overwrite=overwrite)
    if not hierarchies.is_builder(spec, name=column):
        raise UsageError(f"{spec} is no builder", where="BUILDER", hint="to rewrite a file: kohort hierarchy convert")
    table = options.read_table(reading, source)
    counts = _counts(table, column)
    made = hierarchies.from_spec(spec, list(counts), name=column, counts=counts)
    _write(made, out, overwrite=overwrite)
    say(f"wrote {out}: {_size(made)}", quiet=quiet)


def show(
    file: File,
    *,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="About how many lines to print.")] = 60,
) -> None:
    """Print a hierarchy as a tree with the number of leaves under each node."""
    from kohort.schema import hierarchies

    made = hierarchies.read_hierarchy(file, name=file.stem)
    say(f"{_size(made)}\n{hierarchies.show(made, limit=limit)}")


def check(
    file: File,
    *,
    source: Annotated[
        str | None, typer.Option("--in", metavar="IN", help="A table with a column that it must cover.")
    ] = None,
    column: Annotated[str | None, typer.Option("--column", metavar="NAME", help="That column.")] = None,
    reading: Reading,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Does it nest, does it hide, does it cover a table's column? Status 1 if values are missing from it."""
    if (source is None) != (column is None):
        raise UsageError("--in and --column go together", where="--in, --column", hint="name the table and its column")
    options.use_threads()
    from kohort.schema import hierarchies

    made = hierarchies.read_hierarchy(file, name=file.stem)
    warnings = hierarchies.findings(made)
    missing: list[int] = []
    if source is not None and column is not None:
        table = options.read_table(reading, source)
        missing = [records for value, records in _counts(table, column).items() if value not in made.index]
    lines = [f"{_size(made)}; it nests", *(f"warning: {warning}" for warning in warnings)]
    if column is not None:
        lines.append(
            f"NOT covered: {len(missing):,} values of column {column} ({sum(missing):,} records) are no leaf"
            if missing
            else f"column {column} is covered"
        )
    figures: dict[str, Json] = {"leaves": len(made.leaves), "height": made.height, "warnings": [*warnings]}
    figures |= {"missing_values": len(missing), "missing_records": sum(missing)}
    say("\n".join(lines), figures, as_json=json, quiet=quiet)
    if missing:
        raise typer.Exit(1)


def convert(file: File, *, out: Out, overwrite: options.Overwrite = False, quiet: options.Quiet = False) -> None:
    """Write a hierarchy in the other form: CSV rows to a JSON tree, or back."""
    from kohort.schema.hierarchies import read_hierarchy

    _check_out(out, (file,), overwrite=overwrite)
    made = read_hierarchy(file, name=file.stem)
    _write(made, out, overwrite=overwrite)
    say(f"wrote {out}: {_size(made)}", quiet=quiet)


def _counts(table: Table, name: str) -> dict[str, int]:
    """How many records have each value of a column; a missing value is none."""
    from kohort.assessment.checking import named_column

    column = named_column(table, name)
    return {
        value: count for value, count in zip(column.values.to_list(), column.counts().tolist(), strict=True) if value
    }


def _size(hierarchy: Hierarchy) -> str:
    levels = ", ".join(f"{len(labels):,}" for labels in hierarchy.labels)
    return f"{len(hierarchy.leaves):,} leaves, height {hierarchy.height} (nodes per level: {levels})"


def _check_out(out: Path, inputs: tuple[Path, ...], *, overwrite: bool) -> None:
    """Refuse, before any work, a file that cannot be written."""
    from kohort.publish import check_target

    if out.suffix not in _FORMS:
        raise UsageError(
            "a hierarchy is written as .csv or .json", where=str(out), hint="choose another name for --out"
        )
    check_target(out, overwrite=overwrite, inputs=inputs)


def _write(hierarchy: Hierarchy, out: Path, *, overwrite: bool) -> None:
    from kohort.schema.hierarchies import write_csv, write_json

    write = write_csv if out.suffix == ".csv" else write_json
    write(hierarchy, out, overwrite=overwrite)
