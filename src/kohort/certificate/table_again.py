"""The certificate of a table, checked again: what can be seen in the file without the input it was made from.

Everything that the file and the job show is found anew: the order of the records, the kinds of labels, classes, models,
whom columns single out and labels expose, which checks the job demands and what they counted, what is not promised. It
is not, where what it looks at is not there: people, whose key is never released; the input's values, unless the input
is brought; the population; a hierarchy, of which the certificate has only the digest.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, cast

from kohort import io
from kohort.assessment.checking import Check, check
from kohort.certificate.again import (
    Again,
    CheckedPart,
    PartOutcome,
    between,
    compared,
    judged,
    of_bytes,
    unchecked,
    unreadable,
    unseen,
)
from kohort.certificate.table import Described
from kohort.certificate.table_shown import Shown, foreign, lacking
from kohort.core.uniques import together_of
from kohort.errors import InfeasibleError, InputError, KohortError, UsageError
from kohort.io.forms import Format, format_of, located
from kohort.io.manifest import has_manifest, others, read_manifest
from kohort.io.options import ReadOptions
from kohort.io.source import PACKED, form, mapped
from kohort.io.source import foreign as foreign_form
from kohort.io.stored import stored
from kohort.io.write import write
from kohort.models.distinct_l_diversity import DistinctLDiversity
from kohort.release import plain
from kohort.schema import Attribute, Label, Role, Schema
from kohort.schema.domain import resolve
from kohort.schema.hierarchy import Hierarchy
from kohort.shown import many
from kohort.tables.complete import entered
from kohort.verify.classes import bands
from kohort.verify.reading import Digest
from kohort.verify.singling import singled_out, together
from kohort.verify.verdict import unmarked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from kohort.certificate.table import Asked, Certificate
    from kohort.core.uniques import Singling
    from kohort.io.manifest import Manifest
    from kohort.models.base import PrivacyModel
    from kohort.tables.table import Table

#: What only somebody with the input can see, or who knows what was asked for.
_UNSEEN: Final = "whoever wrote the certificate could have written anything here"

#: The field that says how many bytes were looked at.
_BYTES: Final = "checks.bytes"

#: Which record is which is nowhere told, so that labels can belong to others, though all cells are those of the input.
_LABELS: Final = "only verification knew which record of the input each one is"

#: What would have to be brought to compare the release with its input.
_INPUT: Final = "give the input with --reference"


@dataclass(frozen=True, slots=True, eq=False)
class RecheckInputs:
    """What is brought besides the file.

    Attributes:
        population: The population table, or where it is.
        reference: The input of the release, or where it is.
        hierarchies: The hierarchies of some columns.
    """

    population: object = None
    reference: object = None
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict[str, "Hierarchy"])


def check_table_again(path: str | os.PathLike[str], known: Certificate, brought: RecheckInputs) -> Again:
    """What of the certificate is true of the file at `path`.

    Raises:
        InputError: the certificate's job is none that kohort accepts, or what was brought is not what it names.
        FileError: the system failed to read.
    """
    asked = Described.certified(known)
    place = {name: at for at, name in enumerate(known.models)}
    asked = replace(asked, models=tuple(sorted(asked.models, key=lambda one: place.get(one.name, len(place)))))
    hierarchies = _hierarchies(asked, brought)
    parts = [*of_bytes(path, known), *_of_parts(path, known, asked.job.writing.records_per_part)]
    try:
        table, plain_form = _read(path, known, asked)
    except (InputError, InfeasibleError) as fault:
        return Again((*parts, unreadable("table", fault)))
    names = [column.name for column in asked.schema.released]
    parts.append(compared("columns", ", ".join(names), ", ".join(table.names)))
    parts += [compared("records", known.records, table.records), plain_form]
    if list(table.names) == names:
        parts += _Judge(table, known, asked, brought, hierarchies).parts()
    return Again((*parts, unseen(known, parts, _UNSEEN)))


def _of_parts(path: str | os.PathLike[str], known: Certificate, each: int | None) -> Iterator[CheckedPart]:
    there = read_manifest(Path(path)).parts if has_manifest(os.fspath(path)) else ()
    listed = [{"name": one.name, "records": one.records, "sha256": one.sha256} for one in there]
    same = sum(one in listed for one in known.parts)
    told = f"{len(known.parts):,} in their order" if listed else "one file"
    if listed != [*known.parts]:
        told = f"{len(known.parts):,}, found {len(listed):,}, of which {same:,} are the same"
    yield judged("listed parts", told, "parts", met=listed == [*known.parts])
    if there and each is not None:
        *sizes, last = [one.records for one in there]
        fitting = sizes == [each] * len(sizes) and (0 < last <= each or not (last or sizes))
        told = "the number that the job sets, except in the last" if fitting else "not the number that the job sets"
        yield judged("records of the parts", told, "parts", met=fitting)
    if there and (strange := others(Path(path))):
        told = f"{many(len(strange), 'file', 'files')} not in the certificate: {', '.join(strange)}"
        yield unchecked("other files", told)


def _read(path: str | os.PathLike[str], known: Certificate, asked: Described) -> tuple[Table, CheckedPart]:
    decimal = asked.job.reading.decimal or "."
    if stored(path) is not None:
        return io.read(path, ReadOptions(allow_empty=True, decimal=decimal)), _bytes(None)
    if has_manifest(os.fspath(path)):
        table, listed = io.read(path, ReadOptions(allow_empty=True, decimal=decimal)), read_manifest(Path(path))
        plain_parts = _plain_parts(Path(path), listed, decimal) if listed.separator else None
        return unmarked(table) if asked.job.writing.excel_safe else table, _bytes(plain_parts)
    try:
        format_ = format_of(known.release, asked.job.writing.format)
    except UsageError as fault:
        raise InputError("the certificate names no release", where=fault.where, hint=fault.hint) from None
    form_ = format_.form
    if not form_.is_text and _is_text(os.fspath(path)):
        raise InputError(f"the file is text, and the certificate is of another format ({format_})", where=str(path))
    separator = form_.separator or asked.job.writing.separator
    table = io.read(path, ReadOptions(separator=separator, header=True, allow_empty=True, decimal=decimal))
    same = None
    if form_.is_text and not form_.packing:
        same = _written_again(table, format_, separator) == known.sha256
    return unmarked(table) if asked.job.writing.excel_safe else table, _bytes(same)


def _plain_parts(folder: Path, listed: Manifest, decimal: str) -> bool:
    """Whether every part of text is the plainest form of its cells, below the same names."""
    reading = ReadOptions(separator=listed.separator, header=True, allow_empty=True, decimal=decimal)
    tables = (io.read(path, reading) for path in listed.paths(folder))
    found = [(table.names, _written_again(table, Format.CSV, listed.separator)) for table in tables]
    names = {names for names, _ in found}
    return len(names) == 1 and [digest for _, digest in found] == [part.sha256 for part in listed.parts]


def _written_again(table: Table, format_: Format, separator: str) -> str:
    again = Digest()
    write(table, cast("BinaryIO", again), format_, separator=separator)
    return again.sha256


def _is_text(path: str) -> bool:
    """Whether a file is delimited text, whatever it is called; a folder has no bytes."""
    file, _ = located(path)
    if os.path.isdir(file):  # noqa: PTH112  it does not raise where the system refuses to look
        return False
    content = mapped(file)
    return foreign_form(file, content) is None and form(file, content) in {"text", *PACKED}


def _bytes(same: bool | None) -> CheckedPart:  # noqa: FBT001  an answer, not a choice
    """Whether the bytes are the plainest form of their cells; `None` where that cannot be told."""
    name = "plain bytes"
    if same is None:
        return unchecked(name, "only CSV and TSV files can be checked for content beyond their cells", _BYTES)
    told = (
        "nothing but the cells" if same else "the bytes hold more than the cells: other quotes or line ends, or notes"
    )
    return judged(name, told, _BYTES, met=same)


def _hierarchies(asked: Described, brought: RecheckInputs) -> dict[str, Hierarchy | str]:
    """The hierarchies that are at hand: those that were brought, and builders, whose text the job has.

    Raises:
        InputError: one that was brought is not the one that the certificate names.
    """
    for name, hierarchy in brought.hierarchies.items():
        if asked.digests.get(name, {}).get("sha256") != cast("Mapping[str, object]", plain(hierarchy))["sha256"]:
            what = "the file is not the hierarchy that the certificate names"
            raise InputError(what, where=f"hierarchy of {name}", hint="give the file that the release was made with")
    return {**asked.builders, **brought.hierarchies}


@dataclass(frozen=True, slots=True, eq=False)
class _Judge:
    """Judges the classes of a released table."""

    table: Table
    known: Certificate
    asked: Described
    brought: RecheckInputs
    hierarchies: Mapping[str, Hierarchy | str]

    def parts(self) -> Iterator[CheckedPart]:
        """Classes, models, and all else that the table shows; what would have to be brought to see more."""
        found = self._check()
        models = [one.model for one in self.asked.models]
        known = [model for model in models if model is not None]
        k = max((model.declared.smallest_class for model in known), default=1) if len(known) == len(models) else None
        yield compared("classes", self.known.classes, found.sizes.size)
        if k is None:
            yield unchecked("class sizes", "this version does not know every model", "class_sizes")
        else:
            sizes = {f"{band.low}..{band.high}": band.classes for band in bands(found.sizes, k)}
            yield compared("class sizes", _told(self.known.class_sizes), _told(sizes), "class_sizes")
        yield from self._people(int(found.sizes.min(initial=self.table.records)), k or 1)
        yield compared("models", ", ".join(self.known.models), ", ".join(one.name for one in self.asked.models))
        for asked, model in zip(self.asked.models, models, strict=True):
            yield self._model(asked, model)
        at_hand = self._built()
        yield from self._nodes(at_hand)
        yield from Shown.of(self.table, self.asked, self.known, at_hand).parts(k)
        yield from self._input()

    def _built(self) -> Mapping[str, Hierarchy | str]:
        """The hierarchies; where the input is brought, builders have made theirs over its values, as they did then.

        A population had values of its own: builders are then left as they are.
        """
        columns = [one for one in self.asked.schema.quasi if isinstance(self.hierarchies.get(one.name), str)]
        of_population = any(one.model is None or one.model.declared.population for one in self.asked.models)
        if not columns or of_population:
            return self.hierarchies
        try:
            table = self._reference()
            made = {} if table is None else {one.name: self._hierarchy_over(table, one) for one in columns}
        except KohortError:  # told where the input is compared
            return self.hierarchies
        return {**self.hierarchies, **{name: one for name, one in made.items() if one is not None}}

    def _hierarchy_over(self, table: Table, column: Attribute) -> Hierarchy | None:
        attribute = Attribute(column.name, column.role, hierarchy=self.hierarchies[column.name], missing=column.missing)
        values = table[column.name]
        return resolve(attribute, values.values.to_list(), values.counts(), self.asked.schema.missing)[0].hierarchy

    def _people(self, smallest: int, k: int) -> Iterator[CheckedPart]:
        if self.asked.schema.person is not None:
            yield between("k", self.known.k, k if self.table.records else 0, smallest)
            yield between(
                "people", -1 if self.known.people is None else self.known.people, smallest and 1, self.table.records
            )
            if self._lists_columns():
                yield unchecked(_SINGLING, _PEOPLE, *_SINGLED)
            else:
                told = "not every released column, pair and all columns together, counted for these people"
                yield judged(_SINGLING, told, *_SINGLED, met=False)
            return
        yield compared("k", self.known.k, smallest)
        yield compared("people", self.known.people, None)
        columns = [self.table[one.name] for one in self.asked.schema.unchanged]
        singling = singled_out(columns)
        every = together([self.table], self.table.records, self._sets())
        yield _same_singling(_SINGLING, "released_unchanged", self.known.released_unchanged, singling)
        yield _same_singling(f"{_SINGLING} together", "released_together", self.known.released_together, every)
        unallowed = [one.columns for one in singling if one.most and self._refused(one.columns)]
        told = f"no permission for {_names(unallowed[0])}" if unallowed else "no column does without permission"
        yield judged("singling out most people", told, "released_unchanged", met=not unallowed)

    def _sets(self) -> tuple[tuple[str, ...], ...]:
        return together_of(self.asked.schema, self.asked.job.answers or ())

    def _lists_columns(self) -> bool:
        """Whether the certificate tells of each column that is not generalized, then of pairs, how many it names."""
        names, said = [one.name for one in self.asked.schema.unchanged], self.known.released_unchanged
        whole = self.known.released_together
        people, of = self.known.people or 0, [one.get("columns") for one in said]
        pairs = [[one, other] for one in names for other in names if one != other]
        counts = [one.get("unique") for one in (*said, *whole)]
        return (
            of[: len(names)] == [[name] for name in names]
            and [one.get("columns") for one in whole] == [*map(list, self._sets())]
            and all(pair in pairs for pair in of[len(names) :])
            and all({*one} == {"columns", "people", "unique"} and one["people"] == people for one in (*said, *whole))
            and all(type(count) is int and 0 <= count <= people for count in counts)
        )

    def _refused(self, columns: tuple[str, ...]) -> bool:
        """Whether columns that single out most people would be refused: single ones are judged in the input."""
        judged_here = len(columns) > 1 or next(iter(columns)) in self.asked.perturbed or not self.known.suppressed
        return judged_here and not self.asked.job.accepted.intersection(columns)

    def _input(self) -> Iterator[CheckedPart]:
        """What only the input shows: how many records are left out, and whether cells are unchanged."""
        yield unchecked("whether labels fit their records", _LABELS)
        if not self.asked.job.complete:
            yield compared("incomplete", self.known.incomplete, 0)
        try:
            given = None if self.brought.reference is None else self._read(self.brought.reference)
            table = given and self._entered(given)
        except InputError as fault:
            yield unchecked("input", f"{fault.what} ({fault.where})", "incomplete", "suppressed")
            return
        if given is None or table is None:
            left_out = ("suppressed", "incomplete") if self.asked.job.complete else ("suppressed",)
            yield unchecked(f"{' and '.join(left_out)} records", _INPUT, *left_out)
            yield unchecked("whether cells are those of the input", _INPUT, "checks.cells")
            return
        if self.asked.job.complete:
            yield compared("incomplete", self.known.incomplete, given.records - table.records)
        yield compared("suppressed", self.known.suppressed, table.records - self.known.records)
        names = [one.name for one in self.asked.schema.unchanged if one.name not in self.asked.perturbed]
        absent = [name for name in names if name not in table.names]
        if absent:
            yield unchecked("unchanged cells", f"the input has no column {', '.join(absent)}", "checks.cells")
            return
        strange = foreign(self.table, table, names)
        told = (
            f"{many(strange, 'record has', 'records have')} cells that no input record has together"
            if strange
            else "those of the input"
        )
        yield judged("unchanged cells", told, "checks.cells", met=not strange)

    def _nodes(self, at_hand: Mapping[str, Hierarchy | str]) -> Iterator[CheckedPart]:
        """Whether labels are nodes of their hierarchies; of local recoding, none above the level that it refined.

        Those of a full-domain release stand on one level, which is a part of its own.
        """
        for name in (one.name for one in self.asked.schema.quasi if not self.known.levels):
            hierarchy = at_hand.get(name)
            if name in self.known.refined:
                yield self._below(name, hierarchy, self.known.refined[name], f"levels of {name}", f"refined.{name}")
            elif self.known.labels.get(name) == Label.ANCESTOR:
                yield self._below(name, hierarchy, None, f"nodes of {name}")

    def _below(
        self, name: str, hierarchy: Hierarchy | str | None, level: int | None, part: str, *of: str
    ) -> CheckedPart:
        if not isinstance(hierarchy, Hierarchy):
            return unchecked(part, lacking({name: hierarchy}), *of)
        texts = {*filter(None, self.table[name].values.to_list())}  # the missing value is a node of any hierarchy
        highest = hierarchy.height if level is None else level
        astray = len(texts.difference(*hierarchy.labels[: highest + 1]))
        nodes = "nodes" if level is None else f"nodes up to level {level}"
        told = f"{many(astray, 'label is', 'labels are')} not {nodes}" if astray else nodes
        return judged(part, told, *of, met=not astray)

    def _model(self, asked: Asked, model: PrivacyModel | None) -> CheckedPart:
        if model is None:
            return unchecked(asked.kind, "this version does not know this model")
        lacking = self._lacking(model)
        if lacking:
            return self._too_few(model) or unchecked(model.name, lacking)
        if not self.table.records:
            return CheckedPart(model.name, PartOutcome.SAME, "met: there are no records")
        try:
            (finding,) = self._check(model).findings
        except InputError as fault:
            return unchecked(model.name, f"{fault.what} ({fault.where})")
        return CheckedPart(model.name, PartOutcome.SAME if finding else PartOutcome.DIFFERENT, finding.told)

    def _too_few(self, model: PrivacyModel) -> CheckedPart | None:
        """A part that differs, where a class has fewer different values than the model needs, whoever they are of."""
        least, sensitive = model.declared.least_values, model.declared.sensitive
        if least < 2 or sensitive is None or not self.table.records:  # noqa: PLR2004  one value is in every class
            return None
        (finding,) = self._check(DistinctLDiversity(sensitive, least)).findings
        return None if finding else CheckedPart(model.name, PartOutcome.DIFFERENT, finding.told)

    def _lacking(self, model: PrivacyModel) -> str:
        if self.asked.schema.person is not None:
            return _PEOPLE
        if model.declared.refers and self.known.suppressed and self.brought.reference is None:
            return "records were suppressed: give the input with --reference"
        declared = model.declared
        measured = [
            one for one in self.asked.schema.sensitive if one.name == declared.sensitive and declared.uses_hierarchy
        ]
        if declared.population and self.brought.population is None:
            return "give the population table with --population"
        if declared.population:
            if any(column.label is Label.MEAN for column in self.asked.schema.quasi):
                return "a mean does not show which people of the population match"
            measured += self.asked.schema.quasi
        absent = [one.name for one in measured if one.hierarchy is not None and one.name not in self.hierarchies]
        return f"give the hierarchy of {', '.join(absent)} with --hierarchy" if absent else ""

    def _check(self, *models: PrivacyModel) -> Check:
        population = self.brought.population if any(model.declared.population for model in models) else None
        reference = self._reference() if any(model.declared.refers for model in models) else None
        schema = Schema(tuple(self._attributes()), self.asked.schema.missing)
        quasi = [column.name for column in self.asked.schema.quasi]
        known = None if population is None else self._read(population)
        others = self.table, quasi, models
        return check(*others, schema=schema, population=known, reference=reference, apart=False)

    def _reference(self) -> Table | None:
        if self.brought.reference is None:
            return None
        table = self._entered(self._read(self.brought.reference))
        due = self.known.records + self.known.suppressed
        if table.records != due:
            what = f"{table.records:,} of the input's records count, but the release was made from {due:,}"
            raise InputError(what, where="reference", hint="give the exact input of the release")
        return table

    def _entered(self, table: Table) -> Table:
        if not self.asked.job.complete:
            return table
        unknown = {*self.asked.job.complete} - {*table.names} if self.asked.job.complete != "all" else set[str]()
        if unknown:
            what = f"the input has no column {', '.join(sorted(unknown))}, which complete records need"
            raise InputError(what, where="reference", hint="give the exact input of the release")
        return entered(table, self.asked.job.complete, self.asked.schema.missing)[0]

    def _read(self, source: object) -> Table:
        return io.read(source, self.asked.job.reading)

    def _attributes(self) -> Iterator[Attribute]:
        for column in (*self.asked.job.of_people.quasi, *self.asked.schema.sensitive):
            hierarchy = self.hierarchies.get(column.name)
            if column.role is Role.SENSITIVE:
                yield Attribute(column.name, column.role, column.scale, hierarchy)
            else:
                yield Attribute(column.name, column.role, hierarchy=hierarchy, missing=column.missing)


#: Why people are not counted.
_PEOPLE: Final = "people are counted, but the file does not show which records are of the same person"


#: The part that says how many people columns single out.
_SINGLING: Final = "singled out"

#: The fields that it is about.
_SINGLED: Final = ("released_unchanged", "released_together")


def _same_singling(
    name: str, of: str, certified: Sequence[Mapping[str, object]], singling: Sequence[Singling]
) -> CheckedPart:
    due = [{**asdict(one), "columns": list(one.columns)} for one in singling]
    told, same = _singled(due), list(certified) == due
    return judged(name, told if same else f"{_singled(certified)}, found {told}", of, met=same)


def _singled(found: Iterable[Mapping[str, object]]) -> str:
    told = ((one.get("columns"), one.get("unique"), one.get("people")) for one in found)
    lines = (f"{unique} of {people} by {_names(columns)}" for columns, unique, people in told)
    return ", ".join(lines) or "no column is released unchanged"


def _names(columns: object) -> str:
    return (
        " and ".join(map(str, cast("Sequence[object]", columns))) if isinstance(columns, list | tuple) else str(columns)
    )


def _told(sizes: Mapping[str, int]) -> str:
    ascending = sorted(sizes.items(), key=lambda band: (len(band[0]), band[0]))
    return ", ".join(f"{count:,} of {band}" for band, count in ascending) or "none"
