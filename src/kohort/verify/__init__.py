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
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
import polars as pl

from kohort.core.uniques import together_of
from kohort.errors.display import many
from kohort.io.manifest import ListedPart, digest_of
from kohort.schema import Role
from kohort.system.workspace import HEAP, Workspace, blocks, tallied
from kohort.tables.recoded import joined
from kohort.verify.altered import check_coarsened, check_perturbed, check_pseudonyms
from kohort.verify.classes import bands, check_ends, classes_of
from kohort.verify.judging import ModelInputs, check_models
from kohort.verify.labels import kind_of, twofold
from kohort.verify.population import matched_population
from kohort.verify.reading import ReleaseContent, contents_of, read
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
from kohort.verify.values import values_in
from kohort.verify.verdict import (
    Band,
    Claim,
    TableCheck,
    Verdict,
    check_columns,
    comparisons,
    fault,
    places,
    reading_release,
    refuse,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kohort.arrays import Index
    from kohort.core.uniques import Singling
    from kohort.io.manifest import WrittenPart
    from kohort.schema import Attribute
    from kohort.tables.table import Column, Table
    from kohort.verify.classes import ReleasedClasses
    from kohort.verify.labels import Fit, Meaning
    from kohort.verify.values import SourceValues

__all__ = ["Band", "Claim", "TableCheck", "Verdict", "verify", "verify_parts", "verify_table"]


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
    verified: list[ListedPart] = []
    paths = [part.path for part in parts]
    for part, (path, content) in zip(parts, contents_of(paths, replace(claim, witness=None)), strict=True):
        tables.append(content.table)
        verified.append(ListedPart(path.name, content.table.records, content.size, content.sha256))
        if content.table.records != part.records:
            what = f"{path.name} has {many(content.table.records, 'record')} instead of {part.records:,}"
            raise fault(TableCheck.RECORDS, what)
    with reading_release():
        sha256, size = digest_of(paths, text=claim.is_text)
    found = judged(ReleaseContent(joined(tables, workspace), sha256, size), claim)
    return replace(found, parts=tuple(verified))


def verify_table(table: Table, claim: Claim) -> Verdict:
    """What is true of a release that is still in memory."""
    check_columns(table.names, claim.schema)
    return judged(ReleaseContent(table, "", 0), replace(claim, format="frame", excel_safe=False))


@dataclass(frozen=True, slots=True, eq=False)
class _CheckedLabels:
    """The labels of a quasi-identifier, once every cell was held against its input record.

    Attributes:
        values: The input's values.
        region: What the labels mean, and how the records fit into them; `None` in a full-domain release.
        due: (u,) what each value is due to be on the level that is claimed, if one is, as a number: in a full-domain
            release the code of the label, or a number of its own where no record is released with it; -1 where no
            release may hold the value.
    """

    values: SourceValues
    region: tuple[Meaning, Fit] | None = None
    due: Index | None = None

    @property
    def data_dependent(self) -> bool:
        if self.region is not None:
            return self.region[0].data_dependent
        return self.values.hierarchy is not None and self.values.hierarchy.data_dependent


def judged(reading: ReleaseContent, claim: Claim) -> Verdict:
    """Every check but those of the bytes, in the order that names a fault by its cause rather than by what follows."""
    table = reading.table
    asked = claim.collected()
    claim = complete_records(asked)
    check_records(table, claim)
    check_lineage(table, claim)
    check_identifiers(table, claim, asked.original)
    found = claim.workspace.side_by_side(partial(_check_column, table, claim), claim.schema.released)
    labels = {one.values.attribute.name: one for one in found if one is not None}
    regions = {name: one.region for name, one in labels.items() if one.region is not None}
    due = {name: one.due for name, one in labels.items() if one.due is not None}
    quasi, room = [attribute.name for attribute in claim.schema.quasi], claim.workspace
    disordered = disorder(table, quasi, room)
    columns, in_order = [table[name].codes for name in quasi], disordered is None
    classes = classes_of(columns, table.records, ordered=in_order, workspace=room, weights=claim.borne)
    meanings = {name: meaning for name, (meaning, _) in regions.items()}
    known = partial(matched_population, claim, table, classes, due)
    inputs = ModelInputs.of(claim, None if claim.known is None else known(meanings))
    of_numbers = {name for name, meaning in meanings.items() if meaning.of_numbers}
    people = check_models(table, inputs, classes, of_numbers).sizes
    if claim.refined and claim.known is not None:
        inputs = replace(inputs, population=known({}))
    if due:
        check_suppression(due, classes, inputs)
    alone = claim.workspace.zeros(table.records, np.bool_)

    def ends(name: str) -> None:
        check_ends(table[name], *regions[name], claim, classes, alone=alone)

    deque(claim.workspace.side_by_side(ends, regions), maxlen=0)
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
        data_dependent=any(one.data_dependent for one in labels.values()),
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
        exposed=exposure(table, regions, claim, classes, people_of_records, at_ends=alone),
        labels={name: kind_of(one.values.label, numeric=one.values.numeric) for name, one in labels.items()},
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


def _check_column(table: Table, claim: Claim, attribute: Attribute) -> _CheckedLabels | None:
    """Check one column; what its labels are, if it is generalized."""
    column = table[attribute.name]
    if attribute.role is not Role.QUASI:
        _check_cells(column, attribute, claim)
        return None
    if attribute.name in claim.levels:
        values = values_in(claim.original[column.name], attribute, claim)
        return _CheckedLabels(values, due=check_level(column, values, claim))
    region = check_regions(column, attribute, claim)
    values = region[0].values
    return _CheckedLabels(
        values, region, check_finer(column, values, claim) if attribute.name in claim.refined else None
    )


def check_level(column: Column, values: SourceValues, claim: Claim) -> Index:
    """Every cell is a node of the level that is claimed, and the one above the record's own value; gives what is due.

    Cost: one walk over the records.
    """
    level, released = claim.levels[column.name], labels_of(column.name, column.values)
    texts, due = due_on_level(values, level)
    unknown = places(released, texts) < 0
    refuse_labels(unknown, column, f"is not a node of level {level}", f"are not nodes of level {level}")
    refuse_labels(twofold(values, released, claim.schema.missing), column, TWOFOLD)
    label = places(texts, released)
    label = np.where(label < 0, len(released) + np.arange(label.size), label)
    due = np.where(due < 0, -1, label[due])
    rest = " nodes that are not above their values"
    refuse(TableCheck.REGIONS, differing(column, due, claim), "record has", "records have", rest, column=column.name)
    return due


def due_on_level(values: SourceValues, level: int) -> tuple[pl.Series, Index]:
    """The different labels of a level, and (u,) which of them each value of the input is due to be released as.

    Nodes may have one label; -1 where no release may hold the value.
    """
    labels, node = _nodes(values, level)
    texts = labels.unique(maintain_order=True)
    return texts, np.where(node < 0, -1, places(labels, texts)[node])


def check_finer(column: Column, values: SourceValues, claim: Claim) -> Index:
    """No label is coarser than the nodes of the level that is claimed; gives the node of each value there.

    A label that stands on several levels is taken for the lowest; that it covers its records' values is known.
    """
    level = claim.refined[column.name]
    _, node = _nodes(values, level)
    assert values.hierarchy is not None  # noqa: S101  a claim of levels without hierarchies cannot be made
    finer = [text for texts in values.hierarchy.labels[: level + 1] for text in texts]
    allowed = pl.Series(["", *finer]).unique()
    coarse = places(labels_of(column.name, column.values), allowed) < 0
    rest = f"coarser than nodes of level {level}"
    refuse_labels(coarse, column, f"is {rest}", f"are {rest}")
    return node


def _nodes(values: SourceValues, level: int) -> tuple[pl.Series, Index]:
    """The labels of a level's nodes, and (u,) the node above each value; -1 where no release may hold the value.

    A missing value that is no leaf has a node of its own, the last, on every level below the root.
    """
    hierarchy, highest = values.hierarchy, values.attribute.max_level
    assert hierarchy is not None  # noqa: S101  a claim of levels without hierarchies cannot be made
    highest = hierarchy.height if highest is None else min(highest, hierarchy.height)
    if not 0 <= level <= highest:
        what = f"there is no level {level} among 0 to {highest}"
        raise fault(TableCheck.LABELS, what, column=values.attribute.name)
    labels, node = hierarchy.labels[level], values.above(level)
    apart = len(labels) if level < hierarchy.height else 0
    node = np.where((node < 0) & values.absent, apart, node)
    texts = pl.Series([*labels, ""] if (node == len(labels)).any() else labels, dtype=pl.String)
    return texts, np.where(values.released, node, -1)


def check_suppression(due: Mapping[str, Index], classes: ReleasedClasses, inputs: ModelInputs) -> None:
    """What was left out is whole classes, and each fails some model that judges it alone.

    Records that the schema suppresses for a missing value are in no class. Cost: one grouping of what was left out,
    and of what was released.

    Args:
        due: What each value of a quasi-identifier is due to be on the level that is claimed.
        classes: The released classes: those of this level, or finer ones.
        inputs: What the models look at.
    """
    claim = inputs.claim
    gone = ~without_value(claim)
    for some in blocks(claim.lineage.size):
        gone[claim.lineage[some]] = False
    left = np.flatnonzero(gone)
    if not left.size:
        return
    held = claim.lineage.take(classes.first) if claim.levels else claim.lineage
    cells = [(labels, claim.original[name].codes) for name, labels in due.items()]
    columns: list[Index] = [
        np.concatenate([one.take(codes.take(some)) for some in (left, held)]) for one, codes in cells
    ]
    found = classes_of(columns, left.size + held.size)
    of, released = np.split(found.of.astype(np.int64), [left.size])
    parted = np.bincount(of, minlength=found.sizes.size).take(np.unique(released))
    if parted.any():
        several = many(int(np.count_nonzero(parted)), "released class", "released classes")
        what = f"left out: {many(int(parted.sum()), 'record')} of {several}"
        raise fault(TableCheck.SUPPRESSED, what)
    _refuse_satisfying(left, of, np.stack([labels[: left.size] for labels in columns], axis=1), inputs)


def _refuse_satisfying(left: Index, of: Index, due: Index, inputs: ModelInputs) -> None:
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
