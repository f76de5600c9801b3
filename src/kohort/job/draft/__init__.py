"""A draft of a job file: the guesses about a table's columns, and safe choices that its steward corrects."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Final, Unpack

import tomlkit

from kohort.assessment.inspection.likeness import tree_of
from kohort.assessment.inspection.panels import either
from kohort.assessment.risk.singling import RoundingProposal
from kohort.engines.retold import retold, telling
from kohort.errors import SourceNote
from kohort.io.forms import files, form_of
from kohort.job.draft.protection import Protection, protected, roundings_of
from kohort.job.draft.reading import Whose, seen_in, whose
from kohort.job.draft.shapes import LONGEST, Shape, is_grouped, scale_of, shape_of
from kohort.job.faults import UNDECIDED
from kohort.perturbation.rounding import Rounding
from kohort.publish import check_target, publish
from kohort.schema import Attribute, Role, Scale, Schema
from kohort.schema.dates import Period
from kohort.schema.numbers import said
from kohort.shown import INTERNAL_LINE, Shown, many
from kohort.tables.complete import entered
from kohort.tables.people import person_codes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from tomlkit.items import Table as TomlTable

    from kohort.assessment.inspection.guesses import Guess
    from kohort.job.draft.protection import Proposal
    from kohort.job.options import Options
    from kohort.release import Job
    from kohort.schema.hierarchy import Hierarchy
    from kohort.shown import Rows
    from kohort.tables.table import Table

__all__ = ["Draft", "draft_of", "job_text"]

HEAD: Final = f"""\
{INTERNAL_LINE}
A kohort job. Check every role and every model below, then   kohort run THIS_FILE
  identifying  names the person alone: never released
  quasi        helps to single the person out together with others: generalized
  sensitive    what nobody may learn of the person: released unchanged, within the limits of a model
  insensitive  neither: released unchanged
  drop         not needed: never released
Where people have several records, person.key names the identifying column that says whose they are
A method other than mondrian (samarati, optimal, datafly, best-effort) needs a hierarchy for every quasi column
Every key is described by   kohort schema"""


@dataclass(frozen=True, slots=True, repr=False)
class Draft(Shown):
    """A job to correct: a guess for every column, and what follows from the guesses.

    Read it (`print(draft.to_toml())` gives the reasons), correct roles and parameters in `job`, or in the file that
    `to_toml` writes.

    Attributes:
        guesses: One for each column, in order.
        k: The k of k-anonymity.
        shapes: The generalization of each quasi-identifier.
        roundings: The rounding steps of measures that would otherwise single people out.
        protection: The models proposed for sensitive columns.
        missing: The texts that mark a missing value; empty if only the empty text does.
        trim: Whether blanks around cells are removed.
        whose: The column of the person, if people have several records, or those among which somebody has to decide.
        nobodys: Number of records without a value in that column.
        source: The input, as the job file names it.
        reading: Further keys of the input table.
    """

    guesses: tuple[Guess, ...]
    k: int
    shapes: Mapping[str, Shape] = field(default_factory=dict[str, Shape])
    roundings: Mapping[str, RoundingProposal] = field(default_factory=dict[str, RoundingProposal])
    protection: Protection = field(default_factory=lambda: Protection({}, None, None, 0))
    missing: tuple[str, ...] = ()
    trim: bool = False
    whose: Whose = field(default_factory=Whose)
    nobodys: int = 0
    source: str = "input.csv"
    reading: Mapping[str, object] = field(default_factory=dict[str, object])

    def job(self, **corrections: Unpack[Options]) -> Job:
        """The job, with corrections: the keyword arguments of `kohort.anonymize`.

        A column whose role is corrected loses what the draft said of it; all else is added to the draft.

        Raises:
            JobError: a role is undecided still, or a correction is wrong; each fault is told.
        """
        from kohort.job.draft.corrected import corrected  # noqa: PLC0415  it needs the whole form

        return corrected(self, corrections)

    def to_toml(self, path: str | os.PathLike[str] | None = None, *, overwrite: bool = False) -> str:
        """The job file with its reasons as comments, written to `path` where one is given.

        Raises:
            TargetError: a file is there, and `overwrite` is false.
        """
        text = job_text(self, self.source, reading=self.reading)
        if path is not None:
            file = Path(path)
            check_target(file, overwrite=overwrite, inputs=())
            publish(file, lambda target: target.write(text.encode()), lambda _: None, overwrite=overwrite, inputs=())
        return text

    @property
    def person(self) -> str | None:
        """The column of the person; `None` where each record is one, or that is undecided."""
        return self.whose.key

    def _shown(self) -> tuple[str, Rows]:
        rows = [(guess.name, f"{guess.role} ({guess.certainty})") for guess in self.guesses]
        undecided = len(self.undecided)
        return f"Draft, {undecided} undecided" if undecided else "Draft", [("k", str(self.k)), *rows]

    @property
    def undecided(self) -> tuple[str, ...]:
        """The columns whose role somebody has to decide."""
        return tuple(guess.name for guess in self.guesses if guess.role == "undecided")


def draft_of(
    table: Table,
    *,
    k: int,
    missing: tuple[str, ...],
    path: Path | None,
    folder: Path,
    trees: dict[str, Hierarchy] | None = None,
) -> Draft:
    """A draft over a table: roles, shapes for its quasi-identifiers, models with their costs for sensitive columns.

    Args:
        table: The records.
        k: Of k-anonymity.
        missing: The texts that are known to mean no value, the empty one first.
        path: The table's file, beside which hierarchies are looked for; `None` for standard input.
        folder: The job file's folder.
        trees: Filled with trees of names by likeness, for the caller to write into the folder under these names;
            without it, names are grouped in sorted order.
    """
    if len(table.columns) == 1:
        warnings.warn(SourceNote(_SOLE), stacklevel=2)
    seen = seen_in(table, missing)
    tokens = frozenset(seen.missing)
    keys = whose(seen.table, seen.guesses, tokens)
    person = keys.key
    table = seen.table if person is None else entered(seen.table, (person,), tokens).table
    nobodys = seen.table.records - table.records
    people = None if person is None else person_codes(table[person])
    shapes: dict[str, Shape] = {}
    for guess in seen.guesses:
        column = seen.table[guess.name]
        if guess.role == "quasi":
            values = [text for text in column.values.to_list() if text is not None and text not in tokens]
            alone = bool((column.counts()[~column.absent(tokens)] == 1).any())
            shapes[guess.name] = shape_of(guess, values, path, folder, alone=alone)
    if trees is not None and person is None:  # records are counted, not people
        _add_trees(table, shapes, tokens, k, trees)
    kept = [guess.name for guess in seen.guesses if guess.role in {"sensitive", "insensitive"}]
    roundings = roundings_of(table, kept, missing=tokens, people=people)
    attributes = tuple(_attribute(one, shapes.get(one.name), folder, trees or {}) for one in seen.guesses)
    schema = Schema(attributes, tokens, person=person)
    rounded = tuple(Rounding(name, found.step) for name, found in roundings.items())
    numeric = frozenset(guess.name for guess in seen.guesses if guess.scale == "numeric")
    protection = protected(table, schema, rounded, k=k, numeric=numeric)
    spoken = seen.missing if len(seen.missing) > 1 else ()
    guesses = tuple(_warned(seen.table, seen.guesses, roundings))
    if nobodys:
        warnings.warn(SourceNote(_unkeyed(person, nobodys)), stacklevel=2)
    return Draft(guesses, k, shapes, roundings, protection, spoken, seen.trim, keys, nobodys)


def _add_trees(
    table: Table, shapes: dict[str, Shape], missing: frozenset[str], k: int, trees: dict[str, Hierarchy]
) -> None:
    """Trees for names that would be grouped in sorted order, by how alike people are in the other quasi-identifiers."""
    for name, shape in shapes.items():
        column, file = table[name], f"{name}.alike.csv"
        values = column.values.filter(~column.absent(missing)).to_list()
        if Path(name).name == name and len(os.fsencode(file)) < LONGEST and is_grouped(shape, values):
            trees[file] = tree_of(column, [table[one] for one in shapes if one != name], k=k, missing=missing)
            why = "names whose people are alike in the other columns; a tree by meaning is better"
            shapes[name] = Shape(f"{file}:from-data", None, why)


#: What to look at where a separator was perhaps not seen.
_SOLE: Final = (
    "the table has one column: if its cells hold several values, name the character between them (--separator); columns"
    " that blanks align have to be written as CSV first"
)


def _unkeyed(person: str | None, records: int) -> str:
    """What to decide where some records do not say whose they are."""
    without = many(records, "record has", "records have")
    return (
        f"{person} seems to say whose the records are, and {without} no value of it: leave them out"
        f' (complete-records = ["{person}"] in [input]), or remove the person key if it says no such thing'
    )


def _warned(table: Table, guesses: Sequence[Guess], rounded: Collection[str]) -> Iterator[Guess]:
    """The guesses; one that would be released as it is, and gives back another, says so, as a `SourceNote` does."""
    hidden = [one.name for one in guesses if one.role == "quasi" or one.name in rounded]
    released = [one.name for one in guesses if one.role in {"sensitive", "insensitive"} and one.name not in rounded]
    found = dict(retold(table, released, hidden))
    for guess in guesses:
        if guess.name not in found:
            yield guess
            continue
        told = telling(guess.name, found[guess.name])
        warnings.warn(SourceNote(f"{guess.name} would be released unchanged, and {told}"), stacklevel=2)
        yield replace(guess, certainty="unsure", reasons=(*guess.reasons, told))


def _attribute(guess: Guess, shape: Shape | None, folder: Path, trees: Mapping[str, Hierarchy]) -> Attribute:
    """The attribute that a draft's column makes; what is undecided takes no part in measuring."""
    if guess.role == "undecided":
        return Attribute(guess.name, Role.DROP)
    written = scale_of(guess, shape)
    scale = None if written is None else Scale(written)
    if shape is None:
        return Attribute(guess.name, Role(guess.role), scale)
    from kohort.schema.hierarchies import is_builder, read_hierarchy  # noqa: PLC0415

    named = shape.hierarchy
    held = trees.get(f"{guess.name}.alike.csv") if named and named.endswith(":from-data") else named
    if isinstance(held, str) and not is_builder(held, folder=folder):
        held = read_hierarchy(folder / held, name=guess.name)
    cuts = Period if guess.scale == "date" else Fraction
    grid = None if shape.grid is None else cuts(shape.grid)
    form = guess.date_format if scale is Scale.DATE else None
    return Attribute(guess.name, Role.QUASI, scale, held, grid=grid, date_format=form)


def job_text(draft: Draft, source: str, *, reading: Mapping[str, object]) -> str:
    """The TOML text of a job over `source` with one table per column, its reasons above it.

    Args:
        draft: What it says.
        source: The input's path, as the job file shall say it.
        reading: Further keys of the input table; those that are `None` are left out.
    """
    document = tomlkit.document()
    for line in HEAD.splitlines():
        document.add(tomlkit.comment(line))
    keys = {**reading, **({"trim": True} if draft.trim else {})}
    keys |= {"missing": [*draft.missing]} if draft.missing else {}
    document["input"] = {"path": source} | {key: value for key, value in keys.items() if value is not None}
    document["output"] = {"path": _released(source)}
    privacy = tomlkit.table()
    privacy["k"] = draft.k
    for line in _costs(draft.protection):
        privacy.add(tomlkit.comment(line))
    document["privacy"] = privacy
    if draft.whose != Whose():
        document["person"] = _person(draft)
    document["method"] = {"name": draft.protection.method.name, "cut": draft.protection.method.cut}
    columns = tomlkit.table(is_super_table=True)
    for guess in draft.guesses:
        columns[guess.name] = _column(guess, draft)
    document["columns"] = columns
    if draft.roundings:
        document["perturb"] = {"columns": _rounded(draft.roundings)}
    return tomlkit.dumps(document)


def _person(draft: Draft) -> TomlTable:
    """Whose records are; or the question."""
    person = tomlkit.table()
    if draft.nobodys:
        person.add(tomlkit.comment(_unkeyed(draft.person, draft.nobodys)))
    if draft.whose.key is not None:
        key = tomlkit.string(draft.whose.key).comment("several records share a value: people are counted, not records")
    else:
        person.add(tomlkit.comment(f"{draft.whose.question} k counts people: all records of one count once"))
        names = either(draft.whose.asked)
        key = tomlkit.string(f"{UNDECIDED}: {names}").comment(
            f"decide: {names}; or remove this table, if each record is a person of its own"
        )
    person["key"] = key
    return person


def _rounded(roundings: Mapping[str, RoundingProposal]) -> TomlTable:
    """The measures that are rounded, each with what that helps and costs."""
    columns = tomlkit.table(is_super_table=True)
    for name, found in roundings.items():
        column = tomlkit.table()
        column["method"] = "rounding"
        column["step"] = tomlkit.value(said(found.step)).comment(found.told)
        columns[name] = column
    return columns


def _costs(protection: Protection) -> list[str]:
    """What the release that the draft asks for loses, as far as it was measured."""
    if protection.alone is None:
        return []
    of = f"measured on {protection.records:,} records"
    lines = [f"with k alone a release loses {protection.alone:.1%} of the detail of the quasi-identifiers ({of})"]
    if protection.together is not None:
        lines.append(f"with all models below it loses {protection.together:.1%}")
    return lines


def _released(source: str) -> str:
    """The name of the release: that of the input, in its format where that has a library of its own, else as CSV.

    >>> _released("data/people.csv.gz"), _released("people.xlsx#2024"), _released("-")
    ('people.release.csv', 'people.release.xlsx', 'table.release.csv')
    """
    path = next((one.name for one in files(source)), "table")
    form = form_of(path)
    ending = form.key if form is not None and form.written else "csv"
    return f"{Path(path.removesuffix('.gz').removesuffix('.zst')).stem}.release.{ending}"


def _column(guess: Guess, draft: Draft) -> TomlTable:
    """One column's table; reasons and alternatives are comments."""
    column = tomlkit.table()
    for reason in guess.reasons:
        column.add(tomlkit.comment(reason))
    if guess.role == "undecided":
        column["role"] = tomlkit.string(guess.role).comment("decide: identifying, quasi, sensitive, insensitive, drop")
        return column
    column["role"] = guess.role
    shape = draft.shapes.get(guess.name)
    scale = scale_of(guess, shape)
    if scale is not None:
        column["scale"] = scale
    if scale == "date" and guess.date_format is not None:
        column["date-format"] = guess.date_format.value
    if guess.role == "quasi":
        _add_shape(column, shape)
    if guess.role == "sensitive":
        _add_models(column, draft.protection.proposals.get(guess.name, ()))
    return column


def _add_shape(column: TomlTable, shape: Shape | None) -> None:
    """How the column is generalized, and why so."""
    if shape is None:
        return
    if shape.grid is not None:
        grid = tomlkit.string(shape.grid) if shape.grid in {*Period} else tomlkit.value(shape.grid)
        column["grid"] = grid.comment(shape.why)
    else:
        column["hierarchy"] = tomlkit.string(str(shape.hierarchy)).comment(shape.why)


def _add_models(column: TomlTable, proposals: Sequence[Proposal]) -> None:
    """The chosen model, and the others as comments."""
    for at, one in enumerate(proposals):
        cost = "" if one.loss is None else f"with it and k a release loses {one.loss:.1%}"
        if at:
            column.add(tomlkit.comment(f"{one.key} = {one.value}{cost and f'  # {cost}'}"))
        else:
            column[one.key] = tomlkit.value(one.value).comment(cost) if cost else tomlkit.value(one.value)
    column.add(tomlkit.comment("no-model = true  # releases it with no limit on what a class reveals"))
