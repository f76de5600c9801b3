"""`kohort hierarchy`: build, show, check and convert generalization hierarchies."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kohort.cli import options
from kohort.cli.screen import say
from kohort.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.engines.table import Column
    from kohort.hierarchy import Hierarchy

app = typer.Typer(help="Build, show, check and convert generalization hierarchies.", no_args_is_help=True)

File = Annotated[Path, typer.Argument(metavar="FILE", help="A hierarchy: CSV (one line per leaf) or JSON (a tree).")]
Out = Annotated[Path, typer.Option("--out", metavar="OUT", help="Where to write: a .csv or .json file.")]
ColumnName = Annotated[str, typer.Option("--column", help="The column of the table.")]


@app.command()
def build(
    spec: Annotated[str, typer.Argument(metavar="BUILDER", help="intervals:5,10,20  mask:right  dates  frequency:10  suppress")],
    *,
    source: Annotated[str, typer.Option("--in", metavar="IN", help="The table whose values become leaves.")],
    column: ColumnName,
    out: Out,
    separator: options.Separator = None,
    encoding: options.Encoding = "utf-8",
    overwrite: options.Overwrite = False,
) -> None:
    """Build a hierarchy over the values of a table's column."""
    from kohort.hierarchies import from_spec  # noqa: PLC0415  imports NumPy

    held = _column(source, column, separator, encoding)
    made = from_spec(spec, _values(held), name=column, counts=_counts(held))
    _write(made, out, overwrite=overwrite)
    typer.echo(f"wrote {out}: {_size(made)}")


@app.command()
def show(
    file: File,
    *,
    limit: Annotated[int, typer.Option(min=1, help="About how many lines to print.")] = 60,
) -> None:
    """Print a hierarchy as a tree with the number of leaves under each node."""
    from kohort import hierarchies  # noqa: PLC0415  imports NumPy

    made = hierarchies.read_hierarchy(file, name=file.stem)
    typer.echo(_size(made))
    typer.echo(hierarchies.show(made, limit=limit))


@app.command()
def check(
    file: File,
    *,
    source: Annotated[str | None, typer.Option("--in", metavar="IN", help="A table whose values it must cover.")] = None,
    column: Annotated[str | None, typer.Option("--column", help="The column of that table.")] = None,
    separator: options.Separator = None,
    encoding: options.Encoding = "utf-8",
    json: options.Json = False,
) -> None:
    """Does it nest, does it hide, does it cover a table's column? Status 1 if values are missing from it."""
    from kohort import hierarchies  # noqa: PLC0415  imports NumPy

    made = hierarchies.read_hierarchy(file, name=file.stem)
    warnings = hierarchies.findings(made)
    if (source is None) != (column is None):
        raise UsageError("--in and --column go together", hint="name the table and its column")
    values = records = 0
    if source is not None and column is not None:
        values, records = _lacking(made, _column(source, column, separator, encoding))
    lines = [f"{_size(made)}; it nests", *(f"warning: {warning}" for warning in warnings)]
    if values:
        lines.append(f"NOT covered: {values:,} values of column {column} ({records:,} records) are no leaf")
    figures = {"leaves": len(made.leaves), "height": made.height, "warnings": list(warnings)}
    say("\n".join(lines), {**figures, "missing_values": values, "missing_records": records}, as_json=json)
    if values:
        raise typer.Exit(1)


@app.command()
def convert(file: File, out: Out, *, overwrite: options.Overwrite = False) -> None:
    """Write a hierarchy in the other form: CSV rows to a JSON tree, or back."""
    from kohort.hierarchies import read_hierarchy  # noqa: PLC0415  imports NumPy

    _write(read_hierarchy(file, name=file.stem), out, overwrite=overwrite)
    typer.echo(f"wrote {out}")


def _column(source: str, column: str, separator: str | None, encoding: str) -> Column:
    from kohort.checking import named_column  # noqa: PLC0415  imports the data-frame library
    from kohort.io import ReadOptions, read  # noqa: PLC0415

    return named_column(read(source, ReadOptions(separator=separator, encoding=encoding)), column)


def _values(column: Column) -> Sequence[str]:
    """The column's values without the missing one."""
    return [value for value in column.values.to_list() if value]


def _counts(column: Column) -> dict[str, int]:
    return {value: count for value, count in zip(column.values.to_list(), column.counts().tolist(), strict=True) if value}


def _lacking(hierarchy: Hierarchy, column: Column) -> tuple[int, int]:
    """How many values, and how many records with them, are no leaf; a missing value need not be one."""
    lacking = [count for value, count in _counts(column).items() if value not in hierarchy.index]
    return len(lacking), sum(lacking)


def _size(hierarchy: Hierarchy) -> str:
    levels = ", ".join(f"{len(labels):,}" for labels in hierarchy.labels)
    return f"{len(hierarchy.leaves):,} leaves, height {hierarchy.height} (nodes per level: {levels})"


def _write(hierarchy: Hierarchy, out: Path, *, overwrite: bool) -> None:
    from kohort.hierarchies import write_csv, write_json  # noqa: PLC0415  imports NumPy

    writers = {".csv": write_csv, ".json": write_json}
    if out.suffix not in writers:
        raise UsageError("a hierarchy is written as .csv or .json", where=str(out), hint="choose another name for --out")
    writers[out.suffix](hierarchy, out, overwrite=overwrite)
