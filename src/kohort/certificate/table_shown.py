"""What a released table shows by itself: what its labels are, what had to be checked, what it cost.

Everything is found from the released cells and the job; what neither tells is told as a range, or not at all.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.certificate.again import compared, judged, limits, unchecked
from kohort.certificate.table import SHOWN, not_promised
from kohort.metrics import PLUGINS
from kohort.metrics.base import Levels, Outcome
from kohort.metrics.known import METRICS, measured
from kohort.perturbation.pseudonyms import DIGITS
from kohort.schema import Label, Scale
from kohort.schema.dates import Period
from kohort.schema.hierarchy import Hierarchy
from kohort.schema.numbers import PLAIN_NUMBER
from kohort.schema.open_ends import is_open_label
from kohort.shown import many
from kohort.tables.dataset import linked_by
from kohort.verify.altered import misstated
from kohort.verify.classes import classes_of
from kohort.verify.labels import ANY, RANGE_OF_NAMES, parted
from kohort.verify.records import disorder
from kohort.verify.values import UNREAD, begins, in_days
from kohort.verify.verdict import comparisons

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from kohort.certificate.again import CheckedPart
    from kohort.certificate.table import Certificate, Described
    from kohort.schema import Attribute
    from kohort.schema.attribute import Grid
    from kohort.tables.table import Column, Table
    from kohort.verify.classes import ReleasedClasses

#: What labels of numbers are spelled like; `*` stands for anything, and the empty one for a missing value.
_single: Final = re.compile(rf"{PLAIN_NUMBER}|\*|").fullmatch
_closed: Final = re.compile(rf"\[({PLAIN_NUMBER})-({PLAIN_NUMBER})\]").fullmatch
_half_open: Final = re.compile(rf"\[({PLAIN_NUMBER})-({PLAIN_NUMBER})\)").fullmatch
_open: Final = re.compile(rf"(<=?|>=)({PLAIN_NUMBER})").fullmatch

#: What a pseudonym is spelled like.
_pseudonym: Final = re.compile(rf"p[0-9a-f]{{{DIGITS}}}").fullmatch

#: Of each kind of label of numbers, the spellings besides a single value.
_SPELLED: Final[Mapping[str, Callable[[str], re.Match[str] | None]]] = {
    Label.RANGE.value: _closed,
    Label.MEAN.value: lambda _: None,
    Label.GRID.value: _half_open,
}


_DEPENDENT: Final = "data-dependent labels"


def keyed(name: str, certified: Mapping[str, object], found: Mapping[str, object]) -> Iterator[CheckedPart]:
    """The values of a mapping, compared with those that it has to hold."""
    shown = {key: value for key, value in found.items() if key in certified}
    wrong = [f"{key} {certified[key]}, found {value}" for key, value in shown.items() if certified[key] != value]
    wrong += [f"{key} is absent or too many" for key in sorted(found.keys() ^ certified.keys())]
    of = [f"{name}.{key}" for key in shown] or [name]
    yield judged(name, "; ".join(wrong) or ", ".join(shown) or "none", *of, met=not wrong)


def _of_columns(name: str, certified: Mapping[str, object], due: Collection[str]) -> Iterator[CheckedPart]:
    """A part where a mapping has not the keys that are due, or has none: its values are parts of their own."""
    if not certified and not due:
        yield judged(name, "none", met=True)
    elif {*certified} != {*due}:
        yield compared(name, ", ".join(certified), ", ".join(sorted(due)))


def foreign(table: Table, source: Table, names: Sequence[str]) -> int:
    """Records with cells in these columns that fewer records of the source have together."""
    held = Counter(zip(*(_cells(source[name]) for name in names), strict=True))
    held.subtract(zip(*(_cells(table[name]) for name in names), strict=True))
    return -sum(count for count in held.values() if count < 0)


def _cells(column: Column) -> list[str]:
    texts = _texts(column)
    return [texts[code] for code in column.codes.tolist()]


def lacking(hierarchies: Mapping[str, Hierarchy | str | None]) -> str:
    """What would have to be brought to know the hierarchies of some columns: files, or the input of what was built."""
    absent = [name for name, one in hierarchies.items() if one is None]
    built = [name for name, one in hierarchies.items() if isinstance(one, str)]
    ways = [f"give the hierarchy of {', '.join(absent)} with --hierarchy"] if absent else []
    ways += [f"give the input, from which that of {', '.join(built)} was built, with --reference"] if built else []
    return "; ".join(ways)


@dataclass(frozen=True, eq=False)
class Shown:
    """What a released table shows.

    Attributes:
        table: The table.
        asked: The job.
        known: The certificate: what kind its labels are said to be, and how many records are said to be suppressed.
        hierarchies: The hierarchies that are at hand.
        classes: The classes of the table.
    """

    table: Table
    asked: Described
    known: Certificate
    hierarchies: Mapping[str, Hierarchy | str]
    classes: ReleasedClasses

    @classmethod
    def of(
        cls, table: Table, asked: Described, known: Certificate, hierarchies: Mapping[str, Hierarchy | str]
    ) -> Shown:
        """What the table shows, its classes counted."""
        columns = [table[column.name].codes for column in asked.schema.quasi]
        return cls(table, asked, known, hierarchies, classes_of(columns, table.records))

    def parts(self, k: int | None) -> Iterator[CheckedPart]:
        """Each part of the certificate that the table and the job show, compared; `k` is the job's, if known."""
        disordered = disorder(self.table, [column.name for column in self.asked.schema.quasi])
        told = "records stand by their own content" if disordered is None else disordered.what
        yield judged("order", told, met=disordered is None)
        yield from self._kinds()
        yield self._levels_met()
        if self.data_dependent is None:
            yield unchecked(_DEPENDENT, "a hierarchy may have been made from the data", "data_dependent_labels")
        else:
            answers = [str(known).lower() for known in (self.known.data_dependent_labels, self.data_dependent)]
            yield compared(_DEPENDENT, *answers, "data_dependent_labels")
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
            absent = column.values.is_in([*self.asked.schema.missing]).fill_null(value=True).to_list()
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
        names = {column.name: column for column in self.asked.schema.quasi}
        yield from _of_columns("labels", self.known.labels, names)
        yield from _of_columns("refined", self.known.refined, names if self.asked.refining else ())
        tokens = self.asked.schema.missing - {"", ANY}
        for name, kind in self.known.labels.items():
            possible = self.possible_kinds(names[name]) if name in names else ()
            part, field_ = f"labels of {name}", f"labels.{name}"
            if kind in possible[1:]:
                yield unchecked(part, f"{kind}; by their spelling they could be {next(iter(possible))}", field_)
            else:
                told = kind if kind in possible else f"{kind}, but the labels are not spelled so"
                yield judged(part, told, field_, met=kind in possible)
            if lost := len(tokens.intersection(_texts(self.table[name]))) if name in names else 0:
                told = f"{many(lost, 'label is a missing value', 'labels are missing values')} in the job"
                yield judged(f"labels of {name}", told, met=False)
            odd = self._braced(name) if kind == Label.SET and name in names else 0
            if odd:
                some = many(odd, "label", "labels")
                yield unchecked(
                    f"sets of {name}", f"{some} in braces, not spelled as sets are, must be values as they are"
                )

    def _levels_met(self) -> CheckedPart:
        levels, quasi = self.known.levels, sorted(column.name for column in self.asked.schema.quasi)
        algorithm = self.asked.algorithm
        due = quasi if (levels if algorithm is None else algorithm.full_domain) else []
        if not levels or [*levels] != due:
            return compared("levels", ", ".join(levels), ", ".join(due))
        at_hand = {name: one for name in levels if isinstance(one := self.hierarchies.get(name), Hierarchy)}
        if len(at_hand) < len(levels):
            told = lacking({name: self.hierarchies.get(name) for name in levels})
            return unchecked("levels", told, *[f"levels.{name}" for name in levels])
        astray = [name for name, one in at_hand.items() if not self._on_level(name, one, levels[name])]
        told = f"labels of {', '.join(astray)} are not on them" if astray else "the labels are on them"
        return judged("levels", told, met=not astray)

    def _on_level(self, name: str, hierarchy: Hierarchy, level: int) -> bool:
        return level <= hierarchy.height and {*filter(None, _texts(self.table[name]))} <= {*hierarchy.labels[level]}

    # ── labels ───────────────────────────────────────────────────────────────────────────────────

    def possible_kinds(self, column: Attribute) -> tuple[str, ...]:
        """What a quasi-identifier can be released as, by the job and the spelling of its labels; the likeliest first.

        Texts that read like numbers are numbers, unless the job says otherwise: if they are not, the file cannot tell.
        """
        if self.known.levels:
            return (Label.ANCESTOR.value,)
        labels = self._labels(column.name)
        numbers = [] if column.scale is Scale.CATEGORICAL else [_of_numbers(column)]
        found = [kind for kind in numbers if all(_is_spelled(label, kind, column) for label in labels)]
        named = column.scale in {None, Scale.CATEGORICAL} and column.grid is None
        found += [_of_names(column)] if named else []
        return tuple(dict.fromkeys(found))

    @property
    def _generalized(self) -> Mapping[str, str]:
        """What each quasi-identifier is said to be released as; a certificate may name columns that there are not."""
        labels = self.known.labels
        return {column.name: labels[column.name] for column in self.asked.schema.quasi if column.name in labels}

    @cached_property
    def data_dependent(self) -> bool | None:
        """Whether labels were chosen by looking at records; `None` where a hierarchy decides that is not at hand."""
        kinds = self._generalized.items()
        if any(kind == Label.MEAN or (kind == Label.RANGE and _ranged(self._labels(name))) for name, kind in kinds):
            return True
        names, builders = [column.name for column in self.asked.schema.quasi], self.asked.builders
        if any(builders.get(name, "").startswith("frequency") for name in names):
            return True
        return None if any(name in self.asked.digests for name in names) else False

    def _braced(self, name: str) -> int:
        return sum(label[:1] == "{" and label[-1:] == "}" and not parted(label) for label in self._labels(name))

    def _labels(self, name: str) -> list[str]:
        texts = _texts(self.table[name])
        column = next((one for one in self.asked.schema.quasi if one.name == name), None)
        if column is None or column.scale is not Scale.DATE:
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
            {column.name: len(self.table[column.name].values) for column in self.asked.schema.quasi},
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


def _of_numbers(column: Attribute) -> str:
    if column.grid is not None:
        return Label.GRID.value
    return str(Label.RANGE if column.label is None or column.label.of_names else column.label)


def _of_names(column: Attribute) -> str:
    if column.label is Label.RANGE:
        return RANGE_OF_NAMES
    if column.label is not None and column.label.of_names:
        return Label.SET.value
    if column.label in {None, Label.MEAN}:
        return (Label.SET if column.hierarchy is None else Label.ANCESTOR).value
    return str(column.label)


def _is_spelled(label: str, kind: str, column: Attribute) -> bool:
    if kind not in _SPELLED or _single(label):
        return True
    if kind != Label.MEAN and (found := _open(label)):
        return kind != Label.GRID or (found[1] != "<=" and _is_cut(Fraction(found[2]), column.grid))
    found = _SPELLED[kind](label)
    if found is None:
        return kind != Label.MEAN and is_open_label(label)
    low, high = map(Fraction, found.groups())
    return low < high and (kind != Label.GRID or all(_is_cut(end, column.grid) for end in (low, high)))


def _is_cut(end: Fraction, grid: Grid | None) -> bool:
    """Whether a number is a cut of a grid; those of a hierarchy are not at hand."""
    if isinstance(grid, Period):
        return end.denominator == 1 and begins(grid, int(end))
    if isinstance(grid, tuple):
        return end in grid
    return not isinstance(grid, Fraction) or end % grid == 0


def _ranged(labels: Sequence[str]) -> bool:
    if any(label[:2] in {"<=", ">="} and _open(label) for label in labels):
        return True
    found = map(_closed, labels)
    return any(Fraction(one[1]) < Fraction(one[2]) for one in found if one)
