"""What a released table shows by itself: what its labels are, what had to be checked, what it cost.

Everything is found from the released cells and the job; what neither tells is told as a range, or not at all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort import io
from kohort.assessment.labels import span_of
from kohort.certificate.again import compared, judged, keyed, limits, unchecked
from kohort.certificate.table import SHOWN, not_promised
from kohort.errors import InputError, KohortError
from kohort.errors.display import many
from kohort.metrics import PLUGINS
from kohort.metrics.base import Levels, Outcome
from kohort.metrics.known import METRICS, measured
from kohort.perturbation.pseudonyms import DIGITS
from kohort.schema import Attribute, Label, Scale
from kohort.schema.dates import Period
from kohort.schema.domain import resolve
from kohort.schema.hierarchy import Hierarchy
from kohort.schema.numbers import is_numeric_text
from kohort.schema.open_ends import bound_of, is_open_label
from kohort.tables.complete import entered
from kohort.tables.dataset import linked_by
from kohort.verify.altered import misstated
from kohort.verify.classes import classes_of
from kohort.verify.labels import ANY, kind_of, parted
from kohort.verify.records import disorder
from kohort.verify.values import UNREAD, begins, in_days, label_for
from kohort.verify.verdict import comparisons

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from kohort.certificate.again import CheckedPart
    from kohort.certificate.table import Certificate, Described
    from kohort.schema.attribute import Grid
    from kohort.tables.table import Column, Table
    from kohort.verify.classes import ReleasedClasses

#: What helps where another table is brought than the release's input.
_EXACT: Final = "give the exact input of the release"

#: What a pseudonym is spelled like.
_pseudonym: Final = re.compile(rf"p[0-9a-f]{{{DIGITS}}}").fullmatch

#: The kinds of labels of numbers.
_OF_NUMBERS: Final = (Label.RANGE.value, Label.MEAN.value, Label.GRID.value)


def _of_columns(name: str, certified: Mapping[str, object], due: Collection[str]) -> Iterator[CheckedPart]:
    """A part where a mapping has not the keys that are due, or has none: its values are parts of their own."""
    if {*certified} != {*due} or not due:
        yield compared(name, ", ".join(sorted(certified)), ", ".join(sorted(due)))


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


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a certificate is judged by: the released table, the job, and what is brought besides.

    Attributes:
        table: The table.
        known: The certificate: what kind its labels are said to be, and how many records are said to be suppressed.
        asked: The job.
        brought: What is brought.
    """

    table: Table
    known: Certificate
    asked: Described
    brought: RecheckInputs

    @cached_property
    def quasi(self) -> Mapping[str, Attribute]:
        """The quasi-identifiers by their names; a certificate may name columns that there are not."""
        return {column.name: column for column in self.asked.schema.quasi}

    @cached_property
    def classes(self) -> ReleasedClasses:
        """The classes of the table."""
        return classes_of([self.table[name].codes for name in self.quasi], self.table.records)

    @cached_property
    def inputs(self) -> tuple[Table, Table] | None:
        """The input, and its records that enter; `None` where it is not brought."""
        if self.brought.reference is None:
            return None
        table, complete = self.read(self.brought.reference), self.asked.job.complete
        unknown = {*complete} - {*table.names} if complete != "all" else set[str]()
        if unknown:
            what = f"the input has no column {', '.join(sorted(unknown))}, which complete records need"
            raise InputError(what, where="reference", hint=_EXACT)
        return table, entered(table, complete, self.asked.schema.missing)[0] if complete else table

    @property
    def reference(self) -> Table | None:
        """The records that entered, which have to be as many as the release was made from."""
        if self.inputs is None:
            return None
        table, due = self.inputs[1], self.known.records + self.known.suppressed
        if table.records != due:
            what = f"{table.records:,} of the input's records count, but the release was made from {due:,}"
            raise InputError(what, where="reference", hint=_EXACT)
        return table

    def read(self, source: object) -> Table:
        """A table that is brought, read as the job's input was."""
        return io.read(source, self.asked.job.reading)

    @cached_property
    def hierarchies(self) -> Mapping[str, Hierarchy | str]:
        """The hierarchies that are at hand: those that are brought, and builders, whose text the job has."""
        return {**self.asked.builders, **self.brought.hierarchies}

    @cached_property
    def built(self) -> Mapping[str, Hierarchy | str]:
        """The same; where the input is brought, builders have made theirs over its values, as they did then.

        A population had values of its own: builders are then left as they are.
        """
        columns = [one for one in self.quasi.values() if isinstance(self.hierarchies.get(one.name), str)]
        of_population = any(one.model is None or one.model.declared.population for one in self.asked.models)
        try:
            table = self.reference if columns and not of_population else None
            made = {} if table is None else {one.name: self._over(table[one.name], one) for one in columns}
        except KohortError:  # told where the input is compared
            return self.hierarchies
        return {**self.hierarchies, **{name: one for name, one in made.items() if one is not None}}

    def _over(self, values: Column, column: Attribute) -> Hierarchy | None:
        attribute = Attribute(column.name, column.role, hierarchy=self.hierarchies[column.name], missing=column.missing)
        return resolve(attribute, values.values.to_list(), values.counts(), self.asked.schema.missing)[0].hierarchy

    def parts(self, k: int | None) -> Iterator[CheckedPart]:
        """Each part of the certificate that the table and the job show, compared; `k` is the job's, if known."""
        yield from self._nodes()
        disordered = disorder(self.table, [*self.quasi])
        told = "records stand by their own content" if disordered is None else disordered.what
        yield judged("order", told, met=disordered is None)
        yield from self._kinds()
        levels, algorithm = self.known.levels, self.asked.algorithm
        full_domain = bool(levels) if algorithm is None else algorithm.full_domain
        yield from _of_columns("levels", levels, self.quasi if full_domain else ())
        name, of = "data-dependent labels", "data_dependent_labels"
        if self.data_dependent is None:
            yield unchecked(name, "a hierarchy may have been made from the data", of)
        else:
            told_as: Callable[[bool], str] = lambda known: str(known).lower()  # noqa: E731
            yield compared(name, self.known.data_dependent_labels, self.data_dependent, of, told=told_as)
        yield from keyed("checks", {name: count for name, count in self.known.checks.items() if count > 0}, self.checks)
        if k is not None:
            metrics = {name: cost for name, cost in self.known.metrics.items() if name in PLUGINS}
            yield from keyed("metrics", metrics, self.metrics(k))
        yield from self._altered()
        yield from self._promises()

    def _promises(self) -> Iterator[CheckedPart]:
        due = not_promised(self.asked, data_dependent=self.known.data_dependent_labels, engine=self.known.engine)
        yield limits(due, self.known.not_promised)
        about = {model.sensitive for model in self.asked.models}
        bare = [one.name for one in self.asked.schema.sensitive if one.name not in {*about, *self.asked.job.no_model}]
        told = f"no model is about {', '.join(bare)}" if bare else "each has a model, or is said to have none"
        yield judged("sensitive columns", told, "models", met=not bare)

    def _altered(self) -> Iterator[CheckedPart]:
        yield from _of_columns("perturbed", self.known.perturbed, self.asked.perturbed)
        names = [column.name for column in self.asked.schema.pseudonyms]
        found = {one.column: one.linked for one in linked_by(self.table, names, missing=self.asked.schema.missing)}
        yield from keyed("pseudonyms", self.known.pseudonyms, found)
        for column in (self.table[name] for name in names):
            absent = column.absent(self.asked.schema.missing).tolist()
            pairs = zip(_texts(column), absent, strict=True)
            odd = sum(not (none or _pseudonym(text)) for text, none in pairs)
            told = f"{many(odd, 'cell is', 'cells are')} not pseudonyms" if odd else "nothing but pseudonyms"
            yield judged(f"cells of {column.name}", told, met=not odd)
            yield unchecked(f"pseudonyms of {column.name}", "only the holder of the key can check them")
        for name in (name for name in self.asked.perturbed if name in self.table.names):
            effect = self.known.perturbed.get(name)
            wrong = misstated(self.table[name], effect, self.asked.schema.missing)
            wrong += [] if isinstance(effect, dict) and {*effect} == {*SHOWN} else ["fields"]
            told = f"not as certified: {', '.join(wrong)}" if wrong else "as certified"
            yield judged(f"cells of {name}", told, met=not wrong)

    def _kinds(self) -> Iterator[CheckedPart]:
        yield from _of_columns("labels", self.known.labels, self.quasi)
        yield from _of_columns("refined", self.known.refined, self.quasi if self.asked.refining else ())
        tokens = self.asked.schema.missing - {"", ANY}
        for name, kind in self.known.labels.items():
            column = self.quasi.get(name)
            possible = () if column is None else self.possible_kinds(column)
            part, field_ = f"labels of {name}", f"labels.{name}"
            if kind in possible[1:]:
                yield unchecked(part, f"{kind}; by their spelling they could be {next(iter(possible))}", field_)
            else:
                told = kind if kind in possible else f"{kind}, but the labels are not spelled so"
                yield judged(part, told, field_, met=kind in possible)
            if column is None:
                continue
            if lost := len(tokens.intersection(_texts(self.table[name]))):
                told = f"{many(lost, 'label is a missing value', 'labels are missing values')} in the job"
                yield judged(part, told, met=False)
            braced = kind == Label.SET and [one for one in self._labels(column) if one[:1] + one[-1:] == "{}"]
            if braced and (odd := sum(not parted(label) for label in braced)):
                told = f"{many(odd, 'label', 'labels')} in braces, not spelled as sets are, must be values as they are"
                yield unchecked(f"sets of {name}", told)

    def _nodes(self) -> Iterator[CheckedPart]:
        """Whether labels are nodes of their hierarchies.

        Those of a full-domain release are on the level that is certified, those of local recoding on none above it.
        """
        known = self.known
        for name in self.quasi:
            if name in known.levels:
                level = known.levels[name]
                yield self._below(name, f"levels of {name}", f"levels.{name}", level, lowest=level)
            elif name in known.refined:
                yield self._below(name, f"levels of {name}", f"refined.{name}", known.refined[name])
            elif known.labels.get(name) == Label.ANCESTOR:
                yield self._below(name, f"nodes of {name}")

    def _below(self, name: str, part: str, of: str = "", level: int | None = None, *, lowest: int = 0) -> CheckedPart:
        hierarchy = self.built.get(name)
        if not isinstance(hierarchy, Hierarchy):
            absent = f"give the hierarchy of {name} with --hierarchy"
            built = f"give the input, from which that of {name} was built, with --reference"
            return unchecked(part, absent if hierarchy is None else built, of or part)
        labels = hierarchy.labels[lowest : None if level is None else level + 1]
        texts = {*filter(None, _texts(self.table[name]))}  # the missing value is a node of any hierarchy
        astray = len(texts.difference(*labels))
        met = bool(labels) and not astray
        nodes = "nodes" if level is None else f"nodes {'of' if lowest == level else 'up to'} level {level}"
        told = nodes if met else f"{many(astray, 'label is', 'labels are')} not {nodes}"
        return judged(part, told, of or part, met=met)

    # ── labels ───────────────────────────────────────────────────────────────────────────────────

    def possible_kinds(self, column: Attribute) -> tuple[str, ...]:
        """What a quasi-identifier can be released as, by the job and the spelling of its labels; the likeliest first.

        Texts that read like numbers are numbers, unless the job says otherwise: if they are not, the file cannot tell.
        """
        if self.known.levels:
            return (Label.ANCESTOR.value,)
        labels = self._labels(column)
        numbers = [] if column.scale is Scale.CATEGORICAL else [_kind(column, numeric=True)]
        found = [kind for kind in numbers if all(_is_spelled(label, kind, column) for label in labels)]
        named = column.scale in {None, Scale.CATEGORICAL} and column.grid is None
        found += [_kind(column, numeric=False)] if named else []
        return tuple(dict.fromkeys(found))

    @cached_property
    def data_dependent(self) -> bool | None:
        """Whether labels were chosen by looking at records; `None` where a hierarchy decides that is not at hand."""
        for name, column in self.quasi.items():
            kind, built = self.known.labels.get(name), self.asked.builders.get(name, "").startswith("frequency")
            if built or kind == Label.MEAN or (kind == Label.RANGE and _ranged(self._labels(column))):
                return True
        return None if self.asked.digests.keys() & self.quasi else False

    def _labels(self, column: Attribute) -> list[str]:
        texts = _texts(self.table[column.name])
        if column.scale is not Scale.DATE:
            return texts
        days = in_days(texts).to_list()
        return [text if day == UNREAD and is_open_label(text) else day for text, day in zip(texts, days, strict=True)]

    # ── checks ───────────────────────────────────────────────────────────────────────────────────

    @cached_property
    def checks(self) -> dict[str, int]:
        """How much each check that the job demands compared."""
        entered = self.table.records + self.known.suppressed + self.known.incomplete
        return comparisons(
            self.asked.schema,
            self.table.records,
            {name: len(self.table[name].values) for name in self.quasi},
            size=self.known.size,
            classes=self.classes.sizes.size,
            entered=entered if self.asked.job.complete else 0,
            left_out=self.known.suppressed if self.known.levels or self.asked.refining else 0,
            perturbed=self.asked.perturbed,
            on_levels=bool(self.known.levels),
        )

    # ── cost ─────────────────────────────────────────────────────────────────────────────────────

    def metrics(self, k: int) -> dict[str, float]:
        """Every metric of kohort's that is defined for the release and can be counted from it."""
        records, suppressed = self.table.records, self.known.suppressed
        if not records + suppressed:
            return {}

        losses = np.full(len(self.asked.schema.quasi), np.nan)  # of which no metric that is counted knows
        weights, sizes = np.ones_like(losses), self.classes.sizes
        seen = Outcome(records + suppressed, suppressed, k, sizes, losses, weights, self._levels)
        with np.errstate(all="ignore"):
            found = measured(seen)
        return {name: cost for name, cost in found.items() if name in PLUGINS and METRICS[name].disclosure.counted}

    @property
    def _levels(self) -> Levels | None:
        """The levels of a full-domain release; how high their hierarchies are is taken for unknown."""
        if not self.known.levels:
            return None
        levels = np.array([self.known.levels.get(column.name, 0) for column in self.asked.schema.quasi])
        unknown = np.full(levels.size, np.nan)
        return Levels(levels, unknown, unknown)


def _texts(column: Column) -> list[str]:
    return [text or "" for text in column.values.to_list()]


def _kind(column: Attribute, *, numeric: bool) -> str:
    return kind_of(label_for(column, numeric=numeric, nodes=column.hierarchy is not None), numeric=numeric)


def _is_spelled(label: str, kind: str, column: Attribute) -> bool:
    if kind not in _OF_NUMBERS or label in {"", ANY} or is_numeric_text((label,)):
        return True
    span, bound, is_grid = span_of(label), bound_of(label), kind == Label.GRID
    if kind == Label.MEAN or (is_grid and label[:2] == "<="):
        return False
    if span is None:
        is_cut = bound is None or label[0] not in "<>" or not is_grid or _is_cut(bound[0], column.grid)
        return is_open_label(label) and is_cut
    low, high, closed = span
    return low < high and closed != is_grid and (closed or all(_is_cut(end, column.grid) for end in (low, high)))


def _is_cut(end: Fraction, grid: Grid | None) -> bool:
    """Whether a number is a cut of a grid; those of a hierarchy are not at hand."""
    if isinstance(grid, Period):
        return end.denominator == 1 and begins(grid, int(end))
    if isinstance(grid, tuple):
        return end in grid
    return not isinstance(grid, Fraction) or end % grid == 0


def _ranged(labels: Sequence[str]) -> bool:
    if any(label[:2] in {"<=", ">="} and bound_of(label) for label in labels):
        return True
    return any(span[2] and span[0] < span[1] for span in map(span_of, labels) if span)
