"""`kohort hierarchy`: build, show, check and convert generalization hierarchies."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from kohort.cli import options
from kohort.cli.derive import Given, Keys, argument, option
from kohort.cli.flags import refuse
from kohort.cli.screen import say
from kohort.errors import UsageError
from kohort.errors.display import many

if TYPE_CHECKING:
    from kohort.report import Json
    from kohort.report.columns import Measured
    from kohort.schema import Attribute
    from kohort.schema.hierarchy import Hierarchy
    from kohort.tables.table import Column, Table

#: The builder that needs the whole table, and how its file is named in a job.
_ALIKE = "alike"
_FROM_DATA = "; name it with :from-data, so that the certificate says where its nodes come from"

#: Forms that a hierarchy file can have, by its name's ending.
_FORMS = (".csv", ".json")

File = Annotated[
    Path,
    argument(
        "FILE",
        "A hierarchy: CSV (a line per leaf, or child,parent) or JSON. FILE:pad pads short rows (also :pad-up, "
        ":pad-down); :first or :last keeps one of several parents; :qualify also tells equal labels apart; "
        ":root adds the root *; "
        ":from-data says that the data chose its nodes.",
    ),
]
#: The flags that say how the table is read.
Reading = Annotated[Given, Keys(only=options.READING)]
Out = Annotated[Path, option("", "The file to write: .csv or .json.", "FILE")]


def build(
    spec: str = argument(
        "BUILDER",
        "intervals:5,10, mask:right, prefix:1,3, dates, frequency:10, public:countries, spellings or "
        "suppress; see the reference. "
        "alike merges values whose people are alike in the other columns.",
    ),
    *,
    source: str = option("", "The table whose values become leaves.", "IN", "--in"),
    column: str = option("", "The column of the table.", "NAME"),
    by: str = option("", "For alike: the columns to compare people by; all others by default.", "A,B", default=""),
    k: int = option("", "For alike: values of fewer records are one branch.", "K", "--k", "-k", default=10, min=1),
    out: Out,
    reading: Reading,
    overwrite: options.Overwrite = False,
    quiet: options.Quiet = False,
) -> None:
    """Build a hierarchy over the values of a table's column."""
    from kohort.io.forms import files
    from kohort.schema import hierarchies

    inputs = files(source)
    _check_out(out, inputs, overwrite=overwrite)
    if spec != _ALIKE and not hierarchies.is_builder(spec, name=column):
        raise UsageError(
            f"{spec} is not a hierarchy builder", where="BUILDER", hint="to rewrite a file: kohort hierarchy convert"
        )
    table = options.read_table(reading, source)
    made = _alike(table, column, by, k) if spec == _ALIKE else _built(spec, column, table)
    assert made is not None  # noqa: S101  it is a builder
    _write(made, out, overwrite=overwrite)
    say(f"wrote {out}: {_size(made)}{_FROM_DATA if spec == _ALIKE else ''}", quiet=quiet, internal=True)


def _alike(table: Table, name: str, by: str, k: int) -> Hierarchy:
    """The tree of a column's values by how alike their records are in other columns; a missing value is none."""
    from kohort.assessment.classes import named_column
    from kohort.assessment.inspection.codes import tree_of

    others = [named_column(table, one) for one in (by.split(",") if by else table.names) if one != name]
    return tree_of(named_column(table, name), others, k=k)


def show(
    file: Path = argument(
        "FILE",
        "A hierarchy (CSV or JSON); a builder such as intervals:5,10, with --in and --column; or a job file"
        " (.toml), for those of its quasi-identifiers.",
    ),
    *,
    source: str | None = option("", "A table; each loss is then the mean over its records.", "IN", "--in"),
    column: str | None = option("", "The column of that table.", "NAME"),
    reading: Reading,
    limit: int = option("", "Approximate number of lines of the tree to print.", "N", default=60, min=1),
    picture: Path | None = option("", "Draw the loss of each level (.svg, .png).", "FILE"),
    overwrite: options.Overwrite = False,
    json: options.Json = False,
) -> None:
    """Print the levels of a hierarchy with the loss on each, and the hierarchy as a tree."""
    _together(source, column)
    from kohort.cli.sweep_files import picture_of
    from kohort.report.columns import attributes_text, hierarchy_figures, levels_picture, levels_text
    from kohort.schema.hierarchies import file_of
    from kohort.schema.hierarchies import show as tree

    inputs = (file_of(file), *(Path(one) for one in (source,) if one is not None and one != "-"))
    publish = picture_of(picture, levels_picture, overwrite=overwrite, inputs=inputs)
    if file.suffix == ".toml":
        refuse({"in": source}, "a job file names its table")
        found = _of_job(file)
        text = attributes_text(found)
    else:
        table = None if source is None else options.read_table(reading, source)
        made = _built(str(file), column, table) or _read(file)
        found = [_measured(made, column, table)]
        text = "\n".join([_size(made), levels_text(found[0]), tree(made, limit=limit)])
    publish(found)
    say(text, hierarchy_figures(found), as_json=json, internal=True)


def _built(spec: str, column: str | None, table: Table | None) -> Hierarchy | None:
    """The hierarchy of a builder over the values of the table's column; `None` where a file is named."""
    from kohort.schema import hierarchies

    if not hierarchies.is_builder(spec, name=column or ""):
        return None
    if table is None or column is None:
        hint = "add --in TABLE --column NAME"
        raise UsageError("a builder needs the values of a column", where=spec, hint=hint)
    counts = _counts(table, column)
    return hierarchies.from_spec(spec, list(counts), name=column, counts=counts)


def _together(source: str | None, column: str | None) -> None:
    if (source is None) != (column is None):
        raise UsageError("--in and --column go together", where="--in, --column", hint="name the table and its column")


def _measured(hierarchy: Hierarchy, name: str | None, table: Table | None) -> Measured:
    from kohort.assessment.classes import named_column
    from kohort.report.columns import Measured
    from kohort.schema import Attribute, Role
    from kohort.schema.hierarchies import levels

    if table is None or name is None:
        return Measured(hierarchy.name, levels(hierarchy))
    return _over(Attribute(name, Role.QUASI, hierarchy=hierarchy), named_column(table, name), frozenset())


def _over(attribute: Attribute, column: Column, missing: frozenset[str]) -> Measured:
    """The levels of an attribute over the records that have a place in its hierarchy."""
    from kohort.report.columns import Measured
    from kohort.schema.domain import leaf_records
    from kohort.schema.hierarchies import levels

    domain, records = leaf_records(attribute, column.values.to_list(), column.counts(), missing)
    assert domain.hierarchy is not None  # noqa: S101  the attribute has one
    return Measured(attribute.name, levels(domain.hierarchy, records), int(records.sum()))


def _of_job(file: Path) -> list[Measured]:
    """The levels of all quasi-identifiers of a job that have a hierarchy, over the records that enter."""
    from kohort import io
    from kohort.job.document import document_at
    from kohort.job.request import of
    from kohort.tables.complete import entered

    made = of(document_at(file))
    schema = made.job.schema
    attributes = [one for one in schema.quasi if one.hierarchy is not None]
    if not attributes:
        hint = "give one a hierarchy: a file, or a builder such as mask:right"
        raise UsageError("no quasi-identifier of the job has a hierarchy", where=str(file), hint=hint)
    table = entered(io.read(made.source, made.job.reading), made.job.complete, schema.missing)[0]
    return [_over(one, table[one.name], schema.missing) for one in attributes]


def check(
    file: File,
    *,
    source: str | None = option("", "A table with a column that the hierarchy must cover.", "IN", "--in"),
    column: str | None = option("", "The column that the hierarchy must cover.", "NAME"),
    reading: Reading,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Check that a hierarchy nests, hides and covers a table's column; status 1 if it lacks values."""
    _together(source, column)
    from kohort.errors.display import many
    from kohort.schema import hierarchies

    made = _read(file)
    warnings = hierarchies.findings(made)
    missing: list[int] = []
    if source is not None and column is not None:
        table = options.read_table(reading, source)
        missing = [records for value, records in _counts(table, column).items() if value not in made.index]
    lines = [f"{_size(made)}; its levels nest", *(f"warning: {warning}" for warning in warnings)]
    if column is not None:
        lines.append(
            f"NOT covered: the hierarchy lacks {many(len(missing), 'value')} of column {column}"
            f" ({many(sum(missing), 'record')})"
            if missing
            else f"column {column} is covered"
        )
    figures: dict[str, Json] = {"leaves": len(made.leaves), "height": made.height, "warnings": [*warnings]}
    figures |= {"missing_values": len(missing), "missing_records": sum(missing)}
    say("\n".join(lines), figures, as_json=json, quiet=quiet, internal=True)
    if missing:
        raise click.exceptions.Exit(1)


def convert(file: File, *, out: Out, overwrite: options.Overwrite = False, quiet: options.Quiet = False) -> None:
    """Write a hierarchy in the other form: CSV rows to a JSON tree, or back."""
    from kohort.schema.hierarchies import file_of

    _check_out(out, (file_of(file),), overwrite=overwrite)
    made = _read(file)
    _write(made, out, overwrite=overwrite)
    say(f"wrote {out}: {_size(made)}", quiet=quiet, internal=True)


def _read(file: Path) -> Hierarchy:
    from kohort.schema.hierarchies import file_of, read_hierarchy

    return read_hierarchy(file, name=file_of(file).stem)


def _counts(table: Table, name: str) -> dict[str, int]:
    """How many records have each value of a column; a missing value is none."""
    from kohort.assessment.classes import named_column

    column = named_column(table, name)
    return {
        value: count for value, count in zip(column.values.to_list(), column.counts().tolist(), strict=True) if value
    }


def _size(hierarchy: Hierarchy) -> str:
    levels = ", ".join(f"{len(labels):,}" for labels in hierarchy.labels)
    size = f"{many(len(hierarchy.leaves), 'leaf')}, height {hierarchy.height} (nodes per level: {levels})"
    return "; ".join([size, *hierarchy.changes])


def _check_out(out: Path, inputs: tuple[Path, ...], *, overwrite: bool) -> None:
    from kohort.publish import check_target

    if out.suffix not in _FORMS:
        raise UsageError(
            "a hierarchy is written as .csv or .json", where=str(out), hint="choose another name for --out"
        )
    check_target(out, overwrite=overwrite, inputs=inputs)


def _write(hierarchy: Hierarchy, out: Path, *, overwrite: bool) -> None:
    from kohort.io.hierarchies import write_csv, write_json

    write = write_csv if out.suffix == ".csv" else write_json
    write(hierarchy, out, overwrite=overwrite)
