"""A draft of a job file: the guesses about a table's columns, and safe choices that its steward corrects."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Final, Unpack

import numpy as np
import tomlkit

from kohort.algorithms.mondrian.mondrian import Mondrian
from kohort.assessment.inspection.codes import tree_of
from kohort.assessment.inspection.guesses import inspect_table
from kohort.assessment.inspection.panels import either
from kohort.assessment.risk.singling import RoundingProposal
from kohort.assessment.risk.telling import Hidden, tellings
from kohort.core.uniques import together_of
from kohort.errors import SourceNote
from kohort.errors.display import INTERNAL_LINE, Summary, many
from kohort.io.forms import files, form_of
from kohort.job.document import companions
from kohort.job.draft.decisions import which_k, which_models, who
from kohort.job.draft.names import choose_ways, with_way
from kohort.job.draft.protection import Protection, protected, roundings_of
from kohort.job.draft.reading import PersonGuess, clean_table, whose
from kohort.job.draft.shapes import LONGEST, Shape, is_spelled, scale_of, shape_of, wants_tree
from kohort.job.faults import UNDECIDED
from kohort.models.k_anonymity import KAnonymity
from kohort.publish import check_target, publish
from kohort.release import Job
from kohort.schema import Attribute, Role, Scale, Schema
from kohort.schema.dates import Period
from kohort.schema.hierarchies import HeldFile, from_spec, held_file
from kohort.schema.numbers import said
from kohort.tables.complete import entered
from kohort.tables.people import person_codes
from kohort.tables.table import Table
from kohort.verify.singling import together

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from kohort.arrays import Index
    from kohort.assessment.inspection.guesses import Guess, Known
    from kohort.core.uniques import Singling
    from kohort.errors.display import Rows
    from kohort.job.options import Options
    from kohort.models.base import PrivacyModel
    from kohort.schema.hierarchy import Hierarchy

__all__ = ["Draft", "draft_of", "job_text"]

HEAD: Final = f"""\
{INTERNAL_LINE}
A kohort job. Check every role and every model below, then   kohort run THIS_FILE
  identifying  identifies the person directly: never released
  quasi        identifies people in combination with other columns: generalized
  sensitive    must not be learned about a person: released unchanged, within the limits of a model
  insensitive  none of these: released unchanged; columns in answers, even if they single people out together
  drop         not needed: never released
Where people have several records, person.key names the identifying column of the person
A method other than mondrian (samarati, optimal, datafly, best-effort) needs a hierarchy for every quasi column
Every key is described by   kohort schema"""


@dataclass(frozen=True, slots=True, repr=False)
class Draft(Summary):
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
        answers: Columns that no outsider is likely to know, or is said to; first those that tell people apart best.
        singling: Whom the first three of these single out, the first five and all.
        decisions: What somebody has to decide, each choice with its price.
        source: The input, as the job file names it.
        reading: Further keys of the input table.
        trees: Files with trees of names by likeness, which are to lie beside the job.
    """

    guesses: tuple[Guess, ...]
    k: int
    shapes: Mapping[str, Shape] = field(default_factory=dict[str, Shape])
    roundings: Mapping[str, RoundingProposal] = field(default_factory=dict[str, RoundingProposal])
    protection: Protection = field(default_factory=Protection)
    missing: tuple[str, ...] = ()
    trim: bool = False
    whose: PersonGuess = field(default_factory=PersonGuess)
    nobodys: int = 0
    answers: tuple[str, ...] = ()
    singling: tuple[Singling, ...] = ()
    decisions: tuple[str, ...] = ()
    source: str = "input.csv"
    reading: Mapping[str, object] = field(default_factory=dict[str, object])
    trees: tuple[HeldFile, ...] = ()

    def job(self, **corrections: Unpack[Options]) -> Job:
        """The job, with corrections: the keyword arguments of `kohort.anonymize`.

        A column whose role is corrected loses what the draft said of it; all else is added to the draft.

        Raises:
            JobError: a role is undecided still, or a correction is wrong; each fault is told.
        """
        from kohort.job.keywords import corrected  # noqa: PLC0415  it needs the whole form

        return corrected(self, corrections)

    def to_toml(self, path: str | os.PathLike[str] | None = None, *, overwrite: bool = False) -> str:
        """The job file with its reasons as comments, written to `path` where one is given, and its trees beside it.

        Raises:
            TargetError: a file is there, and `overwrite` is false.
        """
        text = job_text(self, self.source, reading=self.reading)
        if path is not None:
            self.write(text, Path(path), overwrite=overwrite)
        return text

    def write(self, text: str, path: Path, *, overwrite: bool = False, inputs: tuple[Path, ...] = ()) -> None:
        """Write the text of the job file, and the trees that it names beside it: all or nothing."""
        for name in (*(one.name for one in self.trees), path.name):
            check_target(path.parent / name, overwrite=overwrite, inputs=inputs)
        publish(
            path,
            lambda file: file.write(text.encode()),
            lambda _: None,
            companions=companions(self.trees, path.parent),
            overwrite=overwrite,
            inputs=inputs,
        )

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
    known: Known = None,
) -> Draft:
    """A draft over a table: roles, shapes for its quasi-identifiers, models with their costs for sensitive columns.

    Args:
        table: The records.
        k: Of k-anonymity.
        missing: The texts that are known to mean no value, the empty one first.
        path: The table's file, beside which hierarchies are looked for; `None` for standard input.
        folder: The job file's folder.
        known: The columns that an outsider knows, `all`, or `None` for those that seem to be; see `inspect_table`.
    """
    if len(table.columns) == 1:
        warnings.warn(SourceNote(_SOLE), stacklevel=2)
    seen = clean_table(table, missing, known)
    tokens = frozenset(seen.missing)
    keys = whose(seen.table, seen.guesses, tokens)
    person = keys.key
    table = seen.table if person is None else entered(seen.table, (person,), tokens)[0]
    nobodys = seen.table.records - table.records
    people = None if person is None else person_codes(table[person])
    _tell_of_unsure(seen.guesses)
    kept = [one for one in seen.guesses if one.role in _RELEASED]
    numbers, weights = [one.name for one in kept if one.quantity], [one.name for one in kept if one.weight]
    names = [one.name for one in kept if not one.answer or one.quantity]
    roundings, left = roundings_of(table, names, numbers, k=k, weights=weights, missing=tokens, people=people)
    seen = replace(seen, guesses=tuple(_left_out(one, left, numbers) for one in seen.guesses))
    shapes = _shapes(seen.table, seen.guesses, tokens, path, folder)
    likely = [one.name for one in seen.guesses if one.name in shapes and not one.left_over]
    trees, spelled = _trees(table, shapes, tokens, k, people=people, by=likely or shapes)
    attributes = tuple(_attribute(one, shapes.get(one.name), folder, trees) for one in seen.guesses)
    schema, beside = _with_ways(table, Schema(attributes, tokens, person=person), shapes, trees, spelled, k=k)
    rounded = tuple(found.method(name) for name, found in roundings.items())
    numeric = frozenset(guess.name for guess in seen.guesses if guess.scale == "numeric")
    protection = protected(table, schema, rounded, k=k, numeric=numeric)
    spoken = seen.missing if len(seen.missing) > 1 else ()
    guesses = _warned(seen.table, seen.guesses, roundings, tokens)
    if nobodys:
        warnings.warn(SourceNote(_unkeyed(person, nobodys)), stacklevel=2)
    told = [one for one in guesses if one.answer and one.name not in roundings]
    answers = tuple(one.name for one in sorted(told, key=lambda one: -one.separation))
    models = (protection.models_of(one.name)[0] for one in schema.sensitive if protection.profiles)
    job = Job.of(schema, KAnonymity(k), *models, algorithm=protection.method, answers=answers, perturbations=rounded)
    alone = together([table], table.records, together_of(schema, answers)[2:], people=people)
    blocks = Table(tuple(seen.table[name] for name in answers), seen.table.records)
    asked = _asked(blocks, tokens, path, folder, k) if known is None else []
    questions = [who(job, table, guesses, asked)] if known is None else []
    counted = table.records if people is None else np.unique(people).size
    questions += [which_k(job, table, counted), which_models(protection)]
    asks = tuple("\n".join(lines) for one in questions if (lines := [*one]))
    made = Draft(guesses, k, shapes, roundings, protection, spoken, seen.trim, keys, nobodys, answers, alone, asks)
    return replace(made, trees=beside)


def _tell_of_unsure(guesses: Sequence[Guess]) -> None:
    """Tell of what a steward left out although outsiders seem to know it."""
    unsure = [one.name for one in guesses if one.answer and one.certainty == "unsure"]
    if unsure:
        note = f"released unchanged as you said, though outsiders seem to know {'it' if len(unsure) == 1 else 'them'}"
        warnings.warn(SourceNote(f"{note}: {', '.join(unsure)}"), stacklevel=3)


def _asked(table: Table, missing: frozenset[str], path: Path | None, folder: Path, k: int) -> list[Attribute]:
    """The columns of blocks as the quasi-identifiers that they would be."""
    guesses = inspect_table(table, missing=missing, known="all")
    shapes = _shapes(table, guesses, missing, path, folder)
    trees, _ = _trees(table, shapes, missing, k, by=shapes)
    return [_attribute(one, shapes.get(one.name), folder, trees) for one in guesses]


def _shapes(
    table: Table, guesses: Sequence[Guess], missing: frozenset[str], path: Path | None, folder: Path
) -> dict[str, Shape]:
    shapes: dict[str, Shape] = {}
    for guess in (one for one in guesses if one.role == "quasi"):
        column = table[guess.name]
        values = [text for text in column.values.to_list() if text is not None and text not in missing]
        shapes[guess.name] = shape_of(guess, values, path, folder)
    return shapes


#: The roles of columns that are released as they are.
_RELEASED: Final = frozenset({"sensitive", "insensitive"})


def _left_out(guess: Guess, left: Collection[str], numbers: Sequence[str]) -> Guess:
    """The guess; a weight that cannot be released is dropped, and somebody has to decide of another number."""
    if guess.name not in left:
        return guess
    others = ", ".join(name for name in numbers if name != guess.name and name not in left)
    beside = f" with {others}" if others else ""
    told = f"even if rounded to a standard deviation, the column{beside} singles out more than 5 % of the people"
    if guess.weight:
        return replace(guess, role="drop", reasons=(told, *guess.reasons), answer=False)
    told += ": drop it, make it quasi-identifying, or round it more (--perturb)"
    return replace(guess, role="undecided", certainty="unsure", reasons=(told, *guess.reasons), answer=False)


def _trees(
    table: Table,
    shapes: Mapping[str, Shape],
    missing: frozenset[str],
    k: int,
    *,
    by: Collection[str],
    people: Index | None = None,
) -> tuple[dict[str, Hierarchy], set[str]]:
    """Trees for names that want one, by how alike people are in these quasi-identifiers; and which are of spellings.

    Of what is written in several ways the first level is one thing each.
    """
    found: dict[str, Hierarchy] = {}
    several = set[str]()
    for name, shape in shapes.items():
        column = table[name]
        values = column.values.filter(~column.absent(missing)).to_list()
        spelled, others = is_spelled(shape, values), [table[one] for one in by if one != name]
        if spelled and shape.hierarchy != "spellings":
            found[name] = from_spec(str(shape.hierarchy), values, name=name)
        elif spelled or wants_tree(shape, values):
            found[name] = tree_of(column, others, k=k, missing=missing, spelled=spelled, people=people)
        several |= {name} if spelled else set()
    return found, several


def _with_ways(
    table: Table,
    schema: Schema,
    shapes: dict[str, Shape],
    trees: Mapping[str, Hierarchy],
    spelled: Collection[str],
    *,
    k: int,
) -> tuple[Schema, tuple[HeldFile, ...]]:
    """The schema and the files of trees, where names with a tree are released as they lose least; shapes say how.

    What has spellings of one thing is released as these, in a file that can be corrected.
    """
    named = {name: str(shapes[name].hierarchy) for name in trees}
    public = {name: one for name, one in named.items() if one.startswith("public:")}
    chosen = choose_ways(table, schema, [name for name in trees if name not in spelled], public, k=k)
    made = {one.name: with_way(one, chosen[one.name].way, public) for one in schema.quasi if one.name in chosen}
    beside: list[HeldFile] = []
    for name, tree in trees.items():
        why, label = (chosen[name].why, made[name].label) if name in chosen else (shapes[name].why, None)
        held = made[name].hierarchy if name in chosen else tree
        if name in chosen and chosen[name].way.startswith("public"):
            why = f"{shapes[name].why}; {why}"
        if not isinstance(held, str):
            kind = "spellings" if name in spelled else "alike"
            beside.append(held_file(tree, _stem(name, kind, table.names.index(name))))
            held = beside[-1].name + ":from-data" * tree.data_dependent
        shapes[name] = Shape(held, None, why, label and label.value)
    return schema.changed(made.values()), (*beside,)


def _stem(name: str, kind: str, place: int) -> str:
    """What the file is called that holds a column's tree: after the column, where a file can have its name."""
    called = f"{name}.{kind}"
    able = Path(name).name == name and name.isprintable() and ":" not in name
    return called if able and len(os.fsencode(f"{called}.json")) < LONGEST else f"column-{place + 1}.{kind}"


#: What to look at where a separator was perhaps not seen.
_SOLE: Final = (
    "the table has one column: if its cells hold several values, name the character between them (--separator); columns"
    " aligned by blanks have to be saved as CSV first"
)


def _unkeyed(person: str | None, records: int) -> str:
    without = many(records, "record has", "records have")
    return (
        f"{person} seems to identify the person of a record, but {without} no value: leave them out"
        f' (complete-records = ["{person}"] in [input]), or remove the person key if that is wrong'
    )


def _warned(
    table: Table, guesses: Sequence[Guess], rounded: Collection[str], missing: Collection[str]
) -> tuple[Guess, ...]:
    """The guesses; one that would be released as it is, and tells a hidden one, says so, as a `SourceNote` does."""
    hidden = [Hidden(table[one.name]) for one in guesses if one.role == "quasi" or one.name in rounded]
    released = [table[one.name] for one in guesses if one.role in _RELEASED and one.name not in rounded]
    found = tellings(released, hidden, missing)
    for one in found:
        warnings.warn(SourceNote(one.told), stacklevel=3)
    told = {guess.name: tuple(one.told for one in found if guess.name in one.drop) for guess in guesses}
    return tuple(
        replace(one, certainty="unsure", reasons=(*one.reasons, *told[one.name])) if told[one.name] else one
        for one in guesses
    )


def _attribute(guess: Guess, shape: Shape | None, folder: Path, trees: Mapping[str, Hierarchy]) -> Attribute:
    """The attribute that a draft's column makes; what is undecided takes no part in measuring."""
    if guess.role == "undecided":
        return Attribute(guess.name, Role.DROP)
    written = scale_of(guess, shape)
    scale = None if written is None else Scale(written)
    if shape is None:
        return Attribute(guess.name, Role(guess.role), scale)
    from kohort.schema.hierarchies import is_builder, read_hierarchy  # noqa: PLC0415

    held = trees.get(guess.name, shape.hierarchy)
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
    keys = {"path": source, **reading} | ({"trim": True} if draft.trim else {})
    keys |= {"missing": [*draft.missing]} if draft.missing else {}
    method = draft.protection.method
    cut = {"cut": method.cut} if isinstance(method, Mondrian) else {}
    listed = f"answers = [{', '.join(map(_toml, draft.answers))}]"
    answers = [*map(_comment, _answers(draft)), listed] if draft.answers else []
    tables = [
        [*map(_comment, HEAD.splitlines()), *answers],
        ["[input]", *_lines(keys)],
        ["[output]", *_lines({"path": _released(source)})],
        ["[privacy]", f"k = {draft.k}", *map(_comment, _costs(draft.protection))],
        ["[person]", *_person(draft)] if draft.whose != PersonGuess() else [],
        ["[method]", *_lines({"name": method.name, **cut})],
        *([f"[columns.{_key(one.name)}]", *_column(one, draft)] for one in draft.guesses),
        *([f"[perturb.columns.{_key(name)}]", *_rounded(one)] for name, one in draft.roundings.items()),
    ]
    return "".join(f"{line}\n" for table in filter(None, tables) for line in (*table, ""))[:-1]


def _toml(value: object) -> str:
    return tomlkit.item(value).as_string()


def _key(name: str) -> str:
    return tomlkit.key(name).as_string()


def _comment(text: str) -> str:
    return f"# {text}"


def _lines(keys: Mapping[str, object]) -> list[str]:
    return [f"{key} = {_toml(value)}" for key, value in keys.items() if value is not None]


def _answers(draft: Draft) -> Iterator[str]:
    """What whoever runs the job accepts with its answers, and whom these single out."""
    yield "Answers, released unchanged because you said that outsiders do not know them: make the others quasi"
    for one in draft.singling:
        few = ", ".join(name if name.isprintable() else ascii(name) for name in one.columns)
        names = f"these {len(one.columns)}" if one.columns == draft.answers else few
        yield f"  {names} together: {many(one.unique, 'person is', 'people are')} unique ({one.share:.1%})"


def _person(draft: Draft) -> Iterator[str]:
    if draft.nobodys:
        yield _comment(_unkeyed(draft.person, draft.nobodys))
    if draft.whose.key is not None:
        yield f"key = {_toml(draft.whose.key)} # several records share a value: people are counted, not records"
        return
    yield _comment(f"{draft.whose.question} k counts people: all records of one count once")
    names = either(draft.whose.asked)
    undecided = _toml(f"{UNDECIDED}: {names}")
    yield f"key = {undecided} # decide: {names}; or remove this table, if each record is another person"


def _rounded(found: RoundingProposal) -> Iterator[str]:
    yield 'method = "rounding"'
    for key, value in found.keys.items():
        yield f"{key} = {value}" + (f" # {found.told}" if key == "step" else "")


def _costs(protection: Protection) -> list[str]:
    if protection.alone is None:
        return []
    of = f"measured on {protection.records:,} records"
    lines = [f"with k alone a release loses {protection.alone:.1%} of the detail of the quasi-identifiers ({of})"]
    if protection.is_dear:
        lines.append("decide which models the sensitive columns need; each of these costs more than 5 points:")
    return [*lines, *(f"models of the sensitive columns: {price}" for price in protection.prices)]


def _released(source: str) -> str:
    """The name of the release: that of the input, in its format where that has a library of its own, else as CSV.

    >>> _released("data/people.csv.gz"), _released("people.xlsx#2024"), _released("-")
    ('people.release.csv', 'people.release.xlsx', 'table.release.csv')
    """
    path = next((one.name for one in files(source)), "table")
    form = form_of(path)
    ending = form.key if form is not None and form.written else "csv"
    return f"{Path(path.removesuffix('.gz').removesuffix('.zst')).stem}.release.{ending}"


def _column(guess: Guess, draft: Draft) -> Iterator[str]:
    yield from map(_comment, guess.reasons)
    if guess.role == "undecided":
        yield f'role = "{guess.role}" # decide: identifying, quasi, sensitive, insensitive, drop'
        return
    shape = draft.shapes.get(guess.name)
    scale = scale_of(guess, shape)
    form = guess.date_format.value if scale == "date" and guess.date_format is not None else None
    yield from _lines({"role": guess.role, "scale": scale, "date-format": form})
    if guess.role == "quasi" and shape is not None:
        yield from _shape(shape)
    if guess.role == "sensitive":
        yield from _models(draft.protection.models_of(guess.name))


def _shape(shape: Shape) -> Iterator[str]:
    if shape.grid is not None:
        yield f"grid = {_toml(shape.grid) if shape.grid in {*Period} else shape.grid} # {shape.why}"
    else:
        yield f"hierarchy = {_toml(str(shape.hierarchy))} # {shape.why}"
    yield from _lines({"label": shape.label})


def _models(models: Sequence[PrivacyModel]) -> Iterator[str]:
    for at, one in enumerate(models):
        own = one.specification
        line = f"{own.key} = {said(Fraction(getattr(one, own.own[0].name)))}"
        yield _comment(line) if at else line
    yield _comment("no-model = true  # releases the column with no limit on what a class reveals")
