"""Judge a release from its published bytes alone.

Nothing here comes from the search, the engine or the metrics: the file is read again as text, its labels by a parser of
its own, its classes by a grouping of its own; only the schema and the models' definitions are shared. What is checked
is listed in `TableCheck`. The lineage, which says the input record of each released one, is checked against both.

In a full-domain release every quasi-identifier is on one level of its hierarchy, and a value has one label there: the
node above it, whatever that node is called. The suppressed records are grouped on the same levels: no class of theirs
may satisfy the models or lie in the release.

Local recoding refines the classes of a full-domain release that is not published. Its labels are nodes on several
levels, held against the records as regions are; none may lie above the level that is claimed. What is left out is
judged on these levels.
"""

from __future__ import annotations

import os
from collections import deque
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
import polars as pl

from kohort.core.uniques import together_of
from kohort.io.manifest import digest_of
from kohort.schema import Label, Role
from kohort.shown import many
from kohort.tables.recoded import joined
from kohort.verify.altered import check_coarsened, check_perturbed, check_pseudonyms
from kohort.verify.classes import bands, check_ends, classes_of, released_classes
from kohort.verify.judging import ModelInputs, check_models
from kohort.verify.labels import kind_of, twofold
from kohort.verify.population import matched_population
from kohort.verify.reading import ReleaseContent, read
from kohort.verify.records import (
    TWOFOLD,
    check_cells,
    check_identifiers,
    check_lineage,
    check_records,
    check_regions,
    check_values,
    complete_records,
    differing,
    disorder,
    labels_of,
    refuse_labels,
    without_value,
)
from kohort.verify.singling import exposure, singled_out, together
from kohort.verify.values import ExpectedLabels, values_in
from kohort.verify.verdict import (
    Claim,
    TableCheck,
    Verdict,
    VerifiedPart,
    check_columns,
    comparisons,
    fault,
    places,
    reading_release,
    refuse,
)
from kohort.workspace import HEAP, Workspace, blocks, tallied

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from kohort.arrays import Index
    from kohort.core.uniques import Singling
    from kohort.io.manifest import WrittenPart
    from kohort.schema import Attribute
    from kohort.tables.table import Column, Table
    from kohort.verify.classes import ReleasedClasses
    from kohort.verify.labels import Fit, Meaning
    from kohort.verify.values import SourceValues


def verify(file: BinaryIO | str | os.PathLike[str], claim: Claim, workspace: Workspace = HEAP) -> Verdict:
    r"""What is true of the release in `file`, an open file at its start or a path.

    Cost: for text, about twice what it takes to read it; of the workspace 1 to 4 bytes a cell and 4 a record.

    >>> import io
    >>> import polars as pl
    >>> from kohort.io.typed import from_frame
    >>> from kohort.models.k_anonymity import KAnonymity
    >>> from kohort.schema import Schema
    >>> people = from_frame(pl.DataFrame({"age": ["31", "45", "38"], "illness": ["flu", "flu", "gout"]}))
    >>> schema = Schema.of(quasi=["age"], sensitive=["illness"])
    >>> claim = Claim(schema, (KAnonymity(3),), people, lineage=np.array([0, 1, 2]))
    >>> verify(io.BytesIO(b"age,illness\n[31-45],flu\n[31-45],flu\n[31-45],gout\n"), claim).range_exposure
    2
    """
    claim = replace(claim, workspace=workspace)
    with reading_release():
        if isinstance(file, str | os.PathLike):
            with Path(file).open("rb") as opened:
                return judged(read(opened, claim), claim)
        return judged(read(file, claim), claim)


def verify_parts(parts: Sequence[WrittenPart], claim: Claim, workspace: Workspace = HEAP) -> Verdict:
    """What is true of the release in these files, one after another, each read as a release of its own is.

    Raises:
        VerificationError: a check fails, or a part has not the records that are said of it.
        FileError: the system failed to read.
    """
    claim = replace(claim, workspace=workspace)
    tables: list[Table] = []
    verified: list[VerifiedPart] = []
    with reading_release():
        for part in parts:
            with part.path.open("rb") as file:
                content = read(file, replace(claim, witness=None))
            tables.append(content.table)
            verified.append(VerifiedPart(part.path.name, content.table.records, content.sha256))
            if tables[-1].records != part.records:
                what = f"{part.path.name} has {many(tables[-1].records, 'record')} instead of {part.records:,}"
                raise fault(TableCheck.RECORDS, what)
        sha256, size = digest_of([part.path for part in parts], text=claim.is_text)
    found = judged(ReleaseContent(joined(tables, workspace), sha256, size), claim)
    return replace(found, parts=tuple(verified))


def verify_table(table: Table, claim: Claim) -> Verdict:
    """What is true of a release that is still in memory."""
    check_columns(table.names, claim.schema)
    return judged(ReleaseContent(table, "", 0), replace(claim, format="frame", excel_safe=False))


@dataclass(frozen=True, slots=True, eq=False)
class _CheckedLabels:
    """What the labels of the quasi-identifiers are, once every cell was held against its input record.

    Attributes:
        regions: What the labels mean, and how the records fit into them.
        levels: Of a full-domain release instead, what each value is due to be released as.
        refined: Of local recoding besides, what each value would be released as before it, as a number.
    """

    regions: dict[str, tuple[Meaning, Fit]] = field(default_factory=dict[str, "tuple[Meaning, Fit]"])
    levels: dict[str, ExpectedLabels] = field(default_factory=dict[str, "ExpectedLabels"])
    refined: dict[str, ExpectedLabels] = field(default_factory=dict[str, "ExpectedLabels"])

    @property
    def kinds(self) -> dict[str, str]:
        nodes = dict.fromkeys(self.levels, Label.ANCESTOR.value)
        return nodes | {name: kind_of(meaning.values) for name, (meaning, _) in self.regions.items()}

    @property
    def data_dependent(self) -> bool:
        nodes = any(due.data_dependent for due in self.levels.values())
        return nodes or any(meaning.data_dependent for meaning, _ in self.regions.values())


def judged(reading: ReleaseContent, claim: Claim) -> Verdict:
    """Every check but those of the bytes, in the order that names a fault by its cause rather than by what follows."""
    table = reading.table
    asked = claim.collected()
    claim = complete_records(asked)
    check_records(table, claim)
    check_lineage(table, claim)
    check_identifiers(table, claim, asked.original)
    held = _check_against_input(table, claim)
    disordered = disorder(table, [attribute.name for attribute in claim.schema.quasi], claim.workspace)
    classes = released_classes(table, claim, ordered=disordered is None)
    meanings = {name: meaning for name, (meaning, _) in held.regions.items()}
    inputs = ModelInputs.of(claim, matched_population(claim, table, classes, held.levels, meanings))
    of_numbers = {name for name, meaning in meanings.items() if meaning.of_numbers}
    people = check_models(table, inputs, classes, of_numbers).sizes
    if held.levels:
        borne = [table[name].codes.take(classes.first) for name in held.levels]
        check_suppression(borne, held.levels, inputs)
    if held.refined:
        _check_refined(table, held.refined, classes, inputs)
    alone = claim.workspace.zeros(table.records, np.bool_)

    def ends(name: str) -> None:
        check_ends(table[name], *held.regions[name], claim, classes, alone=alone)

    deque(claim.workspace.side_by_side(ends, held.regions), maxlen=0)
    if disordered is not None:
        raise disordered
    if reading.astray:
        raise fault(TableCheck.BYTES, "the bytes are not those of the intended records")
    records, sizes = claim.released, classes.sizes
    people_of_records = None if inputs.people is None else inputs.people.take(claim.lineage)
    singling, every = _singled(table, claim, people_of_records)
    return Verdict(
        records=records,
        suppressed=claim.suppressed,
        classes=sizes.size,
        smallest=int(people.min(initial=records)),
        largest=int(sizes.max(initial=0)),
        bands=bands(sizes, claim.k),
        models=tuple(model.name for model in claim.models),
        sha256=reading.sha256,
        data_dependent=held.data_dependent,
        checks=comparisons(
            claim.schema,
            records,
            {one.name: len(table[one.name].values) for one in claim.schema.quasi},
            size=reading.size,
            classes=sizes.size,
            entered=asked.entered if asked.complete else 0,
            left_out=claim.suppressed if claim.levels or claim.refined else 0,
            perturbed=[one.column for one in claim.effects],
            on_levels=bool(claim.levels),
        ),
        people=None if people_of_records is None else np.unique(people_of_records).size,
        incomplete=asked.incomplete,
        singling=singling,
        together=every,
        exposed=exposure(table, held.regions, claim, classes, people_of_records, at_ends=alone),
        labels=held.kinds,
    )


def _singled(table: Table, claim: Claim, people: Index | None) -> tuple[tuple[Singling, ...], tuple[Singling, ...]]:
    """Whom the unchanged columns single out, each and all together; of distinct tuples that is counted elsewhere."""
    if claim.weights is not None and people is None:
        return (), ()
    sets = together_of(claim.schema, claim.answers)
    every = together([table], table.records, sets, people=people, workspace=claim.workspace)
    return singled_out([table[one.name] for one in claim.schema.unchanged], people), every


def _check_cells(column: Column, attribute: Attribute, claim: Claim) -> None:
    """Check a column that is not generalized."""
    check_values(attribute, claim)
    effect = next((one for one in claim.effects if one.column == column.name), None)
    if effect is not None:
        check_perturbed(column, claim, effect)
        if claim.coarsened is not None and column.name in claim.coarsened.names:
            check_coarsened(column, claim, claim.coarsened.collect()[column.name])
    elif attribute.pseudonym and claim.key is not None:
        check_pseudonyms(column, claim, claim.key)
    else:
        check_cells(column, claim)


def _check_against_input(table: Table, claim: Claim) -> _CheckedLabels:
    held = _CheckedLabels()
    for found in claim.workspace.side_by_side(partial(_check_column, table, claim), claim.schema.released):
        held.levels.update(found.levels)
        held.regions.update(found.regions)
        held.refined.update(found.refined)
    return held


def _check_column(table: Table, claim: Claim, attribute: Attribute) -> _CheckedLabels:
    """Check one column; what its labels are, if it is generalized."""
    column = table[attribute.name]
    if attribute.role is not Role.QUASI:
        _check_cells(column, attribute, claim)
        return _CheckedLabels()
    if attribute.name in claim.levels:
        return _CheckedLabels(levels={column.name: check_level(column, attribute, claim)})
    region = check_regions(column, attribute, claim)
    finer = {column.name: check_finer(column, region[0], claim)} if attribute.name in claim.refined else {}
    return _CheckedLabels({column.name: region}, refined=finer)


def check_level(column: Column, attribute: Attribute, claim: Claim) -> ExpectedLabels:
    """Every cell is a node of the level that is claimed, and the one above the record's own value.

    Cost: one walk over the records.
    """
    level, values = claim.levels[column.name], values_in(claim.original[column.name], attribute, claim)
    texts, node = _nodes(values, level, column.name)
    released = labels_of(column.name, column.values)
    label = places(texts, released)
    unknown = np.ones(len(released), np.bool_)
    unknown[label[label >= 0]] = False
    refuse_labels(unknown, column, f"is not a node of level {level}", f"are not nodes of level {level}")
    refuse_labels(twofold(values, released, claim.schema.missing), column, TWOFOLD)
    label = np.where(label < 0, len(released) + np.arange(label.size), label)
    due = np.where((node < 0) | ~values.released, -1, label[node])
    outside = differing(column, due, claim)
    rest = " nodes that are not above their values"
    refuse(TableCheck.REGIONS, outside, "record has", "records have", rest, column=column.name)
    return ExpectedLabels(due, values.hierarchy is not None and values.hierarchy.data_dependent)


def due_on_level(column: Column, attribute: Attribute, claim: Claim) -> Index:
    """(u,) what each value of the input is due to be released as on the level that is claimed, by a number.

    Values that are due to be released alike have one number, whatever is released; -1 where no release may hold one.
    """
    values = values_in(column, attribute, claim)
    texts, node = _nodes(values, claim.levels[column.name], column.name)
    number = places(texts, texts.unique(maintain_order=True))
    return np.where((node < 0) | ~values.released, -1, number[node])


def check_finer(column: Column, meaning: Meaning, claim: Claim) -> ExpectedLabels:
    """No label is coarser than the nodes of the level that is claimed; gives the node of each value there.

    A label that stands on several levels is taken for the lowest; that it covers its records' values is known.
    """
    values, level = meaning.values, claim.refined[column.name]
    _, node = _nodes(values, level, column.name)
    assert values.hierarchy is not None  # noqa: S101  a claim of levels without hierarchies cannot be made
    finer = [text for texts in values.hierarchy.labels[: level + 1] for text in texts]
    allowed = pl.Series(["", *finer]).unique()
    coarse = places(labels_of(column.name, column.values), allowed) < 0
    rest = f"coarser than nodes of level {level}"
    refuse_labels(coarse, column, f"is {rest}", f"are {rest}")
    return ExpectedLabels(np.where(values.released, node, -1), values.hierarchy.data_dependent)


def _check_refined(
    table: Table, refined: Mapping[str, ExpectedLabels], classes: ReleasedClasses, inputs: ModelInputs
) -> None:
    """What was left out are whole classes of the release that was refined; see `check_suppression`."""
    claim = inputs.claim
    population = matched_population(claim, table, classes, refined, {})
    borne = [one.labels.take(claim.original[name].codes.take(claim.lineage)) for name, one in refined.items()]
    check_suppression(borne, refined, replace(inputs, population=population))


def _nodes(values: SourceValues, level: int, name: str) -> tuple[pl.Series, Index]:
    """The labels of a level's nodes, and (u,) the node above each value; -1 above what is no leaf.

    A missing value that is no leaf has a node of its own, the last, on every level below the root.
    """
    hierarchy, highest = values.hierarchy, values.attribute.max_level
    assert hierarchy is not None  # noqa: S101  a claim of levels without hierarchies cannot be made
    highest = hierarchy.height if highest is None else min(highest, hierarchy.height)
    if not 0 <= level <= highest:
        raise fault(TableCheck.LABELS, f"there is no level {level} among 0 to {highest}", column=name)
    leaf = places(values.printed, pl.Series(hierarchy.leaves, dtype=pl.String))
    labels = hierarchy.labels[level]
    apart = len(labels) if level < hierarchy.height else 0
    node = np.where(leaf < 0, np.where(values.absent, apart, -1), hierarchy.maps[level][leaf])
    return pl.Series([*labels, ""] if (node == len(labels)).any() else labels, dtype=pl.String), node


def check_suppression(
    borne: Sequence[NDArray[np.integer]], levels: Mapping[str, ExpectedLabels], inputs: ModelInputs
) -> None:
    """What was left out is whole classes, and each fails some model that judges it alone.

    Records that the schema suppresses for a missing value are in no class. Cost: one grouping of what was left out,
    and of what was released.

    Args:
        borne: Of each quasi-identifier, what each released class, or record, is due to be there, or is.
        levels: What each value is due to be there.
        inputs: What the models look at.
    """
    claim = inputs.claim
    gone = ~without_value(claim)
    for some in blocks(claim.lineage.size):
        gone[claim.lineage[some]] = False
    left = np.flatnonzero(gone)
    if not left.size:
        return
    due = [one.labels.take(claim.original[name].codes.take(left)) for name, one in levels.items()]
    found = classes_of(list(map(np.concatenate, zip(due, borne, strict=True))), left.size + borne[0].size)
    of, released = np.split(found.of.astype(np.int64), [left.size])
    parted = np.bincount(of, minlength=found.sizes.size).take(np.unique(released))
    if parted.any():
        classes = many(int(np.count_nonzero(parted)), "released class", "released classes")
        what = f"left out: {many(int(parted.sum()), 'record')} of {classes}"
        raise fault(TableCheck.SUPPRESSED, what)
    refuse_satisfying(left, of, np.stack(due, axis=1), inputs)


def refuse_satisfying(left: Index, of: Index, due: Index, inputs: ModelInputs) -> None:
    """Refuse a class of the records `left` out, with the labels they are due, that satisfies the models.

    Models that judge all classes together are no reason to leave one out. Classes too small for the others are not
    looked at: people are no more than their records.
    """
    models = [model for model in inputs.claim.models if not model.declared.joint]
    k = max((model.declared.smallest_class for model in models), default=1)
    weights = None if inputs.claim.weights is None else inputs.claim.weights.take(left)
    large = (tallied(of, int(of.max()) + 1, weights) >= k).take(of)
    if not large.any():
        return
    left, due = left[large], due[large]
    _, first, of = np.unique(of[large], return_index=True, return_inverse=True)
    profile = inputs.profile(of, first.size, left, inputs.left(left))
    if inputs.population is not None:
        profile = replace(profile, whole=inputs.population.counted(profile.whole, due[first], np.arange(first.size)))
    good = np.ones(first.size, np.bool_)
    for model in models:
        good &= profile.satisfied(model)
    if good.any():
        records = many(inputs.claim.amount(left[good.take(of)]), "record")
        what = f"{many(int(good.sum()), f'class ({records}) is', f'classes ({records}) are')} left out for no reason"
        raise fault(TableCheck.SUPPRESSED, what)
