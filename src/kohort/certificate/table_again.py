"""The certificate of a table, checked again: what can be seen in the file without the input it was made from.

Every model is judged anew on the file. It is not, where what it looks at is not there: people, whose key is never
released; the input's values, where records are missing from the release and the input is not brought; the population;
a hierarchy, of which the certificate has only the digest.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Final, cast

from kohort import io
from kohort.assessment.checking import Check, check
from kohort.certificate.again import Again, CheckedPart, PartOutcome, compared, of_bytes, unchecked
from kohort.certificate.described import Asked, Described, described
from kohort.errors import InfeasibleError, InputError
from kohort.io.options import ReadOptions
from kohort.io.stored import stored
from kohort.io.write import Format, format_of
from kohort.release import plain
from kohort.schema import Attribute, Label, Role, Schema
from kohort.schema.hierarchies import with_missing
from kohort.tables.complete import entered
from kohort.verify.classes import bands
from kohort.verify.singling import singled_out
from kohort.verify.verdict import unmarked

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from kohort.certificate.table import Certificate
    from kohort.models.base import PrivacyModel
    from kohort.schema.hierarchy import Hierarchy
    from kohort.tables.table import Table

#: What only somebody with the input can see.
_INPUT: Final = "only verification sees this, for it has the input"


@dataclass(frozen=True, slots=True, eq=False)
class Brought:
    """What is brought besides the file.

    Attributes:
        population: The population table, or where it is.
        reference: The input of the release, or where it is.
        hierarchies: The hierarchies of some columns.
    """

    population: object = None
    reference: object = None
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict[str, "Hierarchy"])


def check_table_again(path: str | os.PathLike[str], known: Certificate, brought: Brought) -> Again:
    """What of the certificate is true of the file at `path`.

    Raises:
        InputError: the certificate's job is none that this version makes, or what was brought is not what it names.
        FileError: the system failed to read.
    """
    asked = described(known.job)
    hierarchies = _hierarchies(asked, brought)
    parts = [*of_bytes(path, known)]
    try:
        table = _read(path, known, asked)
    except (InputError, InfeasibleError) as fault:
        return Again((*parts, CheckedPart("table", PartOutcome.DIFFERENT, f"the file cannot be read: {fault.what}")))
    names = [column.name for column in asked.columns if column.released]
    parts.append(compared("columns", ", ".join(names), ", ".join(table.names)))
    parts.append(compared("records", known.records, table.records))
    if list(table.names) == names:
        parts += _Judge(table, known, asked, brought, hierarchies).parts()
    parts.append(unchecked("suppressed records, lineage, levels, range ends, losses", _INPUT))
    return Again(tuple(parts))


def _read(path: str | os.PathLike[str], known: Certificate, asked: Described) -> Table:
    """The released table, as it was written."""
    if stored(path) is not None:
        return io.read(path, ReadOptions(allow_empty=True))
    format_ = format_of(known.release, asked.format)
    separator = "\t" if format_ in {Format.TSV, Format.TSV_GZ, Format.TSV_ZST} else asked.separator
    table = io.read(path, ReadOptions(separator=separator, header=True, allow_empty=True))
    return unmarked(table) if asked.excel_safe else table


def _hierarchies(asked: Described, brought: Brought) -> dict[str, Hierarchy | str]:
    """The hierarchies that are at hand: those that were brought, and builders, whose text the job has.

    Raises:
        InputError: one that was brought is not the one that the certificate names.
    """
    found: dict[str, Hierarchy | str] = {}
    named = {column.name: column for column in asked.columns}
    for name, hierarchy in brought.hierarchies.items():
        known = named[name].hierarchy if name in named else None
        if (
            not isinstance(known, dict)
            or known.get("sha256") != cast("Mapping[str, object]", plain(hierarchy))["sha256"]
        ):
            what = "it is not the hierarchy that the certificate names"
            raise InputError(what, where=f"hierarchy of {name}", hint="give the file that the release was made with")
        found[name] = hierarchy
    return {name: one.hierarchy for name, one in named.items() if isinstance(one.hierarchy, str)} | found


@dataclass(frozen=True, slots=True, eq=False)
class _Judge:
    """Judges the classes of a released table.

    Attributes:
        table: The release.
        known: Its certificate.
        asked: The certificate's job.
        brought: What is at hand besides.
        hierarchies: The hierarchies at hand.
    """

    table: Table
    known: Certificate
    asked: Described
    brought: Brought
    hierarchies: Mapping[str, Hierarchy | str]

    def parts(self) -> Iterator[CheckedPart]:
        """Classes, their sizes, and every model."""
        found = self._check()
        yield compared("classes", self.known.classes, found.sizes.size)
        models = [one.model for one in self.asked.models]
        k = max((model.declared.smallest_class for model in models if model is not None), default=1)
        if None in models:
            yield unchecked("class sizes", "this version does not know every model")
        else:
            sizes = {f"{band.low}..{band.high}": band.classes for band in bands(found.sizes, k)}
            yield compared("class sizes", _told(self.known.class_sizes), _told(sizes))
        if self.asked.person is None:
            yield compared("k", self.known.k, int(found.sizes.min(initial=self.table.records)))
            columns = [self.table[one.name] for one in self.asked.columns if one.unchanged]
            singling = [asdict(one) for one in singled_out(columns)]
            yield compared(_SINGLING, _singled(self.known.released_unchanged), _singled(singling))
        else:
            yield from (unchecked(name, _PEOPLE) for name in ("k", "people", _SINGLING))
        names = [
            asked.kind if model is None else model.name for asked, model in zip(self.asked.models, models, strict=True)
        ]
        if names != list(self.known.models):
            yield compared("models", ", ".join(self.known.models), ", ".join(names))
        for asked, model in zip(self.asked.models, models, strict=True):
            yield self._model(asked, model)
        for name in (one.name for one in self.asked.quasi if one.name in self.known.refined):
            yield self._refined(name, self.known.refined[name])

    def _refined(self, name: str, level: int) -> CheckedPart:
        """Whether no label of a column stands above the level whose classes were refined."""
        part, hierarchy = f"levels of {name}", self.brought.hierarchies.get(name)
        if hierarchy is None:
            return unchecked(part, f"give the hierarchy of {name} with --hierarchy")
        texts = {text or "" for text in self.table[name].values.to_list()}
        below = (with_missing(hierarchy) if "" in texts else hierarchy).labels[: level + 1]
        astray = len(texts.difference(*below))
        told = f"{astray:,} labels are no nodes up to level {level}" if astray else f"nodes up to level {level}"
        return CheckedPart(part, PartOutcome.DIFFERENT if astray else PartOutcome.SAME, told)

    def _model(self, asked: Asked, model: PrivacyModel | None) -> CheckedPart:
        if model is None:
            return unchecked(asked.kind, "this version does not know this model")
        lacking = self._lacking(model)
        if lacking:
            return unchecked(model.name, lacking)
        if not self.table.records:
            return CheckedPart(model.name, PartOutcome.SAME, "met: there are no records")
        try:
            (finding,) = self._check(model).findings
        except InputError as fault:
            return unchecked(model.name, f"{fault.what} ({fault.where})")
        return CheckedPart(model.name, PartOutcome.SAME if finding else PartOutcome.DIFFERENT, finding.told)

    def _lacking(self, model: PrivacyModel) -> str:
        """What would have to be at hand to judge the model; empty where nothing lacks."""
        if self.asked.person is not None:
            return _PEOPLE
        if model.declared.refers and self.known.suppressed and self.brought.reference is None:
            return "records were suppressed: give the input with --reference"
        declared = model.declared
        measured = [one for one in self.asked.sensitive if one.name == declared.sensitive and declared.uses_hierarchy]
        if declared.population and self.brought.population is None:
            return "give the population table with --population"
        if declared.population:
            if any(column.label is Label.MEAN for column in self.asked.quasi):
                return "a mean does not show whom of the population it matches"
            measured += self.asked.quasi
        absent = [one.name for one in measured if one.hierarchy is not None and one.name not in self.hierarchies]
        return f"give the hierarchy of {', '.join(absent)} with --hierarchy" if absent else ""

    def _check(self, *models: PrivacyModel) -> Check:
        """The classes, judged."""
        population = self.brought.population if any(model.declared.population for model in models) else None
        reference = self._reference() if any(model.declared.refers for model in models) else None
        schema = Schema(tuple(self._attributes()), self.asked.missing)
        quasi = [column.name for column in self.asked.quasi]
        known = None if population is None else self._read(population)
        return check(self.table, quasi, models, schema=schema, population=known, reference=reference)

    def _reference(self) -> Table | None:
        """The input.

        Raises:
            InputError: it has not as many records as the certificate says.
        """
        if self.brought.reference is None:
            return None
        table = self._read(self.brought.reference)
        if self.asked.complete:
            table = self._entered(table)
        due = self.known.records + self.known.suppressed
        if table.records != due:
            what = f"{table.records:,} of its records count, but the release was made from {due:,}"
            raise InputError(what, where="reference", hint="give the exact input of the release")
        return table

    def _entered(self, table: Table) -> Table:
        """The complete records of the input.

        Raises:
            InputError: it lacks a column by which they are told.
        """
        unknown = {*self.asked.complete} - {*table.names} if self.asked.complete != "all" else set[str]()
        if unknown:
            what = f"it has no column {', '.join(sorted(unknown))}, in which complete records have a value"
            raise InputError(what, where="reference", hint="give the exact input of the release")
        return entered(table, self.asked.complete, self.asked.missing).table

    def _read(self, source: object) -> Table:
        """A table that lies in the form of the input."""
        return io.read(source, self.asked.reading)

    def _attributes(self) -> Iterator[Attribute]:
        """What is known of the columns that are judged."""
        for column in (*self.asked.quasi, *self.asked.sensitive):
            hierarchy = self.hierarchies.get(column.name)
            if column.role is Role.SENSITIVE:
                yield Attribute(column.name, column.role, column.scale, hierarchy)
            else:
                yield Attribute(column.name, column.role, hierarchy=hierarchy, missing=column.missing)


#: Why people are not counted.
_PEOPLE: Final = "people are counted, but the file does not show which records are of the same person"


#: The part that says how many people columns single out.
_SINGLING: Final = "singled out"


def _singled(found: Iterable[Mapping[str, object]]) -> str:
    """Columns, and how many of how many people each singles out; what is none of it is told as it stands."""
    told = ((one.get("columns"), one.get("unique"), one.get("people")) for one in found)
    lines = (f"{unique} of {people} by {_names(columns)}" for columns, unique, people in told)
    return ", ".join(lines) or "no column is released unchanged"


def _names(columns: object) -> str:
    return (
        " and ".join(map(str, cast("Sequence[object]", columns))) if isinstance(columns, list | tuple) else str(columns)
    )


def _told(sizes: Mapping[str, int]) -> str:
    """Bands of sizes, and the classes in each."""
    ascending = sorted(sizes.items(), key=lambda band: (len(band[0]), band[0]))
    return ", ".join(f"{count:,} of {band}" for band, count in ascending) or "none"
