"""The certificate of a table, checked again: what can be seen in the file without the input it was made from.

Everything that the file and the job show is found anew: the order of the records, the kinds of labels, classes, models,
whom columns single out and labels expose, which checks the job demands and what they counted, what is not promised. It
is not, where what it looks at is not there: people, whose key is never released; the input's values, unless the input
is brought; the population; a hierarchy, of which the certificate has only the digest.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, cast

from kohort import io
from kohort.assessment.checking import check
from kohort.certificate.again import (
    Again,
    between,
    compared,
    judged,
    of_bytes,
    unchecked,
    unseen,
)
from kohort.certificate.table import Described, certified_parts
from kohort.certificate.table_shown import Evidence, RecheckInputs
from kohort.core.uniques import together_of
from kohort.errors import InfeasibleError, InputError, UsageError
from kohort.errors.display import many
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
from kohort.verify.classes import bands
from kohort.verify.reading import Digest
from kohort.verify.singling import singled_out, together
from kohort.verify.verdict import OF_RELEASE, TableCheck, unmarked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from kohort.assessment.checking import Finding
    from kohort.certificate.again import CheckedPart
    from kohort.certificate.table import Asked, Certificate
    from kohort.io.manifest import Manifest
    from kohort.models.base import PrivacyModel
    from kohort.tables.table import Table

#: What only somebody with the input can see, or who knows what was asked for.
_UNSEEN: Final = "whoever wrote the certificate could have written anything here"

#: The field that says how many bytes were looked at.
_BYTES: Final = "checks.bytes"

#: Which record is which is nowhere told, so that labels can belong to others, though all cells are those of the input.
_LINEAGE: Final = "only verification knew which record of the input each one is"

#: What would have to be brought to compare the release with its input.
_INPUT: Final = "give the input with --reference"


def check_table_again(path: str | os.PathLike[str], known: Certificate, brought: RecheckInputs) -> Again:
    """What of the certificate is true of the file at `path`.

    Raises:
        InputError: the certificate's job is none that kohort accepts, or what was brought is not what it names.
        FileError: the system failed to read.
    """
    asked = Described.certified(known)
    place = {name: at for at, name in enumerate(known.models)}
    asked = replace(asked, models=tuple(sorted(asked.models, key=lambda one: place.get(one.name, len(place)))))
    _refuse_others(asked, brought)
    parts = [*of_bytes(path, known), *_of_parts(path, known, asked.job.writing.records_per_part)]
    try:
        table, same = _read(path, known, asked)
    except (InputError, InfeasibleError) as fault:
        return Again((*parts, judged("table", f"the file cannot be read: {fault.what}", met=False)))
    names = [column.name for column in asked.schema.released]
    parts.append(compared("columns", ", ".join(names), ", ".join(table.names)))
    parts += [compared("records", known.records, table.records), _bytes(same)]
    if list(table.names) == names:
        parts += _parts(Evidence(table, known, asked, brought))
    return Again((*parts, unseen(known, parts, _UNSEEN)))


def _of_parts(path: str | os.PathLike[str], known: Certificate, each: int | None) -> Iterator[CheckedPart]:
    there = read_manifest(Path(path)).parts if has_manifest(os.fspath(path)) else ()
    listed = certified_parts(there)
    same = sum(one in listed for one in known.parts)
    told = f"{len(known.parts):,} in their order" if listed else "one file"
    if listed != known.parts:
        told = f"{len(known.parts):,}, found {len(listed):,}, of which {same:,} are the same"
    yield judged("listed parts", told, "parts", met=listed == known.parts)
    if there and each is not None:
        *sizes, last = [one.records for one in there]
        fitting = sizes == [each] * len(sizes) and (0 < last <= each or not (last or sizes))
        told = "the number that the job sets, except in the last" if fitting else "not the number that the job sets"
        yield judged("records of the parts", told, "parts", met=fitting)
    if there and (strange := others(Path(path))):
        told = f"{many(len(strange), 'file', 'files')} not in the certificate: {', '.join(strange)}"
        yield unchecked("other files", told)


def _read(path: str | os.PathLike[str], known: Certificate, asked: Described) -> tuple[Table, bool | None]:
    """The table, and whether its bytes are the plainest form of its cells; `None` where that cannot be told."""
    writing, same = asked.job.writing, None
    options = ReadOptions(allow_empty=True, decimal=asked.job.reading.decimal or ".")
    if stored(path) is not None:
        return io.read(path, options), None
    if has_manifest(os.fspath(path)):
        table, listed = io.read(path, options), read_manifest(Path(path))
        if listed.separator:
            same = _plain_parts(Path(path), listed, replace(options, separator=listed.separator, header=True))
    else:
        try:
            format_ = format_of(known.release, writing.format)
        except UsageError as fault:
            raise InputError("the certificate names no release", where=fault.where, hint=fault.hint) from None
        form_ = format_.form
        if not form_.is_text and _is_text(os.fspath(path)):
            what = f"the file is text, and the certificate is of another format ({format_})"
            raise InputError(what, where=str(path))
        separator = form_.separator or writing.separator
        table = io.read(path, replace(options, separator=separator, header=True))
        if form_.is_text and not form_.packing:
            same = _written_again(table, format_, separator) == known.sha256
    return unmarked(table) if writing.excel_safe else table, same


def _plain_parts(folder: Path, listed: Manifest, reading: ReadOptions) -> bool:
    """Whether every part of text is the plainest form of its cells, below the same names."""
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


def _refuse_others(asked: Described, brought: RecheckInputs) -> None:
    """Refuse hierarchies that are not those that the certificate names."""
    for name, hierarchy in brought.hierarchies.items():
        if asked.digests.get(name, {}).get("sha256") != cast("Mapping[str, object]", plain(hierarchy))["sha256"]:
            what = "the file is not the hierarchy that the certificate names"
            raise InputError(what, where=f"hierarchy of {name}", hint="give the file that the release was made with")


def _parts(seen: Evidence) -> Iterator[CheckedPart]:
    """Classes, models, and all else that the table shows; what would have to be brought to see more."""
    sizes, known, models = seen.classes.sizes, seen.known, [one.model for one in seen.asked.models]
    smallest, every = int(sizes.min(initial=seen.table.records)), None not in models
    k = max((one.declared.smallest_class for one in models if one is not None), default=1) if every else None
    yield compared("classes", known.classes, sizes.size)
    if k is None:
        yield unchecked("class sizes", "this version does not know every model", "class_sizes")
    else:
        found = {f"{band.low}..{band.high}": band.classes for band in bands(sizes, k)}
        yield compared("class sizes", known.class_sizes, found, "class_sizes", told=_told)
    if seen.asked.schema.person is None:
        yield compared("k", known.k, smallest)
        yield compared("people", known.people, None)
        yield from _singling(seen)
    else:
        yield between("k", known.k, (k or 1) if seen.table.records else 0, smallest)
        yield between("people", -1 if known.people is None else known.people, smallest and 1, seen.table.records)
        told = "not every released column, pair and all columns together, counted for these people"
        told_all = _tells_of_columns(seen)
        yield unchecked(_SINGLING, _PEOPLE, *_SINGLED) if told_all else judged(_SINGLING, told, *_SINGLED, met=False)
    yield compared("models", ", ".join(known.models), ", ".join(one.name for one in seen.asked.models))
    for asked in seen.asked.models:
        yield _model(asked, seen)
    yield from seen.parts(k)
    yield from _input(seen)


def _singling(seen: Evidence) -> Iterator[CheckedPart]:
    known, schema, job = seen.known, seen.asked.schema, seen.asked.job
    alone = singled_out([seen.table[one.name] for one in schema.unchanged])
    every = together([seen.table], seen.table.records, together_of(schema, job.answers or ()))
    for name, of, certified, found in (
        (_SINGLING, _SINGLED[0], known.released_unchanged, alone),
        (f"{_SINGLING} together", _SINGLED[1], known.released_together, every),
    ):
        due: list[Mapping[str, object]] = [{**asdict(one), "columns": list(one.columns)} for one in found]
        yield compared(name, list(certified), due, of, told=_singled)
    perturbed = {*seen.asked.perturbed}  # of any other, the input was judged, which may have more records
    refused = [one.columns for one in alone if one.most and not job.accepted.intersection(one.columns)]
    unallowed = [one for one in refused if len(one) > 1 or not known.suppressed or perturbed.intersection(one)]
    told = f"no permission for {_names(unallowed[0])}" if unallowed else "no column does without permission"
    yield judged("singling out most people", told, _SINGLED[0], met=not unallowed)


def _tells_of_columns(seen: Evidence) -> bool:
    """Whether the certificate tells of each column that is not generalized, then of pairs, how many it names."""
    names, said = [one.name for one in seen.asked.schema.unchanged], seen.known.released_unchanged
    whole, sets = seen.known.released_together, together_of(seen.asked.schema, seen.asked.job.answers or ())
    people, of = seen.known.people or 0, [one.get("columns") for one in said]
    pairs = [[one, other] for one in names for other in names if one != other]
    counts = [one.get("unique") for one in (*said, *whole)]
    return (
        of[: len(names)] == [[name] for name in names]
        and [one.get("columns") for one in whole] == [*map(list, sets)]
        and all(pair in pairs for pair in of[len(names) :])
        and all({*one} == {"columns", "people", "unique"} and one["people"] == people for one in (*said, *whole))
        and all(type(count) is int and 0 <= count <= people for count in counts)
    )


def _input(seen: Evidence) -> Iterator[CheckedPart]:
    """What only the input shows: how many records are left out, and whether cells are unchanged."""
    known, complete = seen.known, seen.asked.job.complete
    if not complete:
        yield compared("incomplete", known.incomplete, 0)
    shown = {*OF_RELEASE, *((TableCheck.COMPLETE, TableCheck.CELLS) if seen.brought.reference is not None else ())}
    if without := [check for check in seen.checks if check not in shown]:
        yield unchecked("checks without evidence", f"{', '.join(without)}: {_LINEAGE}")
    try:
        inputs = seen.inputs
    except InputError as fault:
        yield unchecked("input", f"{fault.what} ({fault.where})", "incomplete", "suppressed")
        return
    if inputs is None:
        left_out = ("suppressed", "incomplete") if complete else ("suppressed",)
        yield unchecked(f"{' and '.join(left_out)} records", _INPUT, *left_out)
        yield unchecked("whether cells are those of the input", _INPUT, "checks.cells")
        return
    given, table = inputs
    if complete:
        yield compared("incomplete", known.incomplete, given.records - table.records)
    yield compared("suppressed", known.suppressed, table.records - known.records)
    names = [one.name for one in seen.asked.schema.unchanged if one.name not in seen.asked.perturbed]
    if absent := [name for name in names if name not in table.names]:
        yield unchecked("unchanged cells", f"the input has no column {', '.join(absent)}", "checks.cells")
        return
    strange = (Counter(_tuples(seen.table, names)) - Counter(_tuples(table, names))).total()
    told = f"{many(strange, 'record has', 'records have')} cells that no input record has together"
    yield judged("unchanged cells", told if strange else "those of the input", "checks.cells", met=not strange)


def _tuples(table: Table, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    cells = ([text or "" for text in table[name].cells().to_list()] for name in names)
    return zip(*cells, strict=True)


def _model(asked: Asked, seen: Evidence) -> CheckedPart:
    model = asked.model
    if model is None:
        return unchecked(asked.kind, "this version does not know this model")
    if lacking := _lacking(model, seen):
        return _too_few(model, seen) or unchecked(model.name, lacking)
    if not seen.table.records:
        return judged(model.name, "met: there are no records", met=True)
    try:
        finding = _finding(model, seen)
    except InputError as fault:
        return unchecked(model.name, f"{fault.what} ({fault.where})")
    return judged(model.name, finding.told, met=finding.met)


def _too_few(model: PrivacyModel, seen: Evidence) -> CheckedPart | None:
    """A part that differs, where a class has fewer different values than the model needs, whoever they are of."""
    least, sensitive = model.declared.least_values, model.declared.sensitive
    if least < 2 or sensitive is None or not seen.table.records:  # noqa: PLR2004  one value is in every class
        return None
    finding = _finding(DistinctLDiversity(sensitive, least), seen)
    return None if finding else judged(model.name, finding.told, met=False)


def _lacking(model: PrivacyModel, seen: Evidence) -> str:
    """What would have to be brought to judge a model; empty where nothing is lacking."""
    declared, schema = model.declared, seen.asked.schema
    if schema.person is not None:
        return _PEOPLE
    if declared.refers and seen.known.suppressed and seen.brought.reference is None:
        return "records were suppressed: give the input with --reference"
    measured = [one for one in schema.sensitive if one.name == declared.sensitive and declared.uses_hierarchy]
    if declared.population and seen.brought.population is None:
        return "give the population table with --population"
    if declared.population:
        if any(column.label is Label.MEAN for column in schema.quasi):
            return "a mean does not show which people of the population match"
        measured += schema.quasi
    absent = [one.name for one in measured if one.hierarchy is not None and one.name not in seen.hierarchies]
    return f"give the hierarchy of {', '.join(absent)} with --hierarchy" if absent else ""


def _finding(model: PrivacyModel, seen: Evidence) -> Finding:
    """How a model fares on the table."""
    known: list[Attribute] = []
    for one in (*seen.asked.job.of_people.quasi, *seen.asked.schema.sensitive):
        hierarchy, sensitive = seen.hierarchies.get(one.name), one.role is Role.SENSITIVE
        known.append(
            Attribute(one.name, one.role, one.scale, hierarchy)
            if sensitive
            else Attribute(one.name, one.role, hierarchy=hierarchy, missing=one.missing)
        )
    found = check(
        seen.table,
        [column.name for column in seen.asked.schema.quasi],
        [model],
        schema=Schema(tuple(known), seen.asked.schema.missing),
        population=seen.read(seen.brought.population) if model.declared.population else None,
        reference=seen.reference if model.declared.refers else None,
        apart=False,
    )
    return found.findings[0]


#: Why people are not counted.
_PEOPLE: Final = "people are counted, but the file does not show which records are of the same person"


#: The part that says how many people columns single out.
_SINGLING: Final = "singled out"

#: The fields that it is about.
_SINGLED: Final = ("released_unchanged", "released_together")


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
