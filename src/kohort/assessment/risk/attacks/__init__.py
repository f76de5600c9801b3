"""Attacks tried on a release: what somebody gets out of it who has it, and perhaps other tables.

Each is a function of its own, written from the paper that its module names. Here they are given what they need: the
release; a register that names people, other releases of some of the same people; and the input, which no attacker has:
it tells whether claims are right, and stands for a register that knows everybody and makes no mistake.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from kohort.assessment.risk.attacks.base import Attack
from kohort.assessment.risk.attacks.downcoding import downcoding
from kohort.assessment.risk.attacks.exposure import exposure
from kohort.assessment.risk.attacks.homogeneity import background, homogeneity
from kohort.assessment.risk.attacks.intersection import intersection, left_open
from kohort.assessment.risk.attacks.linking import linking
from kohort.assessment.risk.attacks.matching import View, joined, match, texts, values_of
from kohort.assessment.risk.attacks.minimality import Known, minimality, positions_of
from kohort.assessment.risk.attacks.order import Rows, in_content_order, order, order_of_classes
from kohort.core.covering import alike
from kohort.engines.order import ranks_of
from kohort.errors import SchemaError, UsageError
from kohort.schema.hierarchies import from_spec, is_builder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from kohort.arrays import Index
    from kohort.assessment.risk.attacks.matching import Match
    from kohort.engines.table import Table
    from kohort.schema.hierarchy import Hierarchy

__all__ = ["ATTACKS", "Attack", "Evidence", "Outcome", "Untried", "attacks", "refuse_unknown"]


@dataclass(frozen=True, slots=True)
class Untried:
    """An attack that could not be tried.

    Attributes:
        name: The attack.
        reason: What it lacks.
    """

    name: str
    reason: str


#: What came of an attack.
Outcome: TypeAlias = Attack | Untried


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What there is to attack with.

    Attributes:
        release: The released table.
        quasi: Its columns that an attacker knows of people.
        sensitive: Its columns that he would know.
        original: The input of the release.
        register: A table of people with some of the quasi-identifying columns.
        key: The column of register and input that says who somebody is.
        others: Other releases of some of the same people.
        hierarchies: What labels of some quasi-identifiers cover.
        seed: Of permutations.
    """

    release: Table
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    original: Table | None = None
    register: Table | None = None
    key: str | None = None
    others: tuple[Table, ...] = ()
    hierarchies: Mapping[str, Hierarchy | str] = field(default_factory=dict[str, "Hierarchy | str"])
    seed: int = 0


def attacks(evidence: Evidence, names: Sequence[str] = ()) -> tuple[Outcome, ...]:
    """Try the attacks called `names`, or all, in the order of `ATTACKS`.

    Raises:
        UsageError: an attack that there is not.
        SchemaError: a table lacks a column that it needs.
        InputError: labels that cannot be read.

    >>> import polars as pl
    >>> from kohort.io import read
    >>> released = read(pl.DataFrame({"age": ["[20-29]"] * 3, "illness": ["flu", "flu", "gout"]}))
    >>> [(one.name, one.rate) for one in attacks(Evidence(released, ("age",), ("illness",)), ["background"])]
    [('background', 0.6666666666666666)]
    """
    refuse_unknown(names)
    _check(evidence)
    attacker = _Attacker.of(evidence)
    return tuple(one for name, tried in ATTACKS.items() if name in (names or ATTACKS) for one in tried(attacker))


def refuse_unknown(names: Sequence[str]) -> None:
    """Refuse an attack that there is not.

    Raises:
        UsageError: there is none called so.
    """
    unknown = [name for name in names if name not in ATTACKS]
    if unknown:
        raise UsageError(f"there is no attack called {', '.join(unknown)}", hint=f"there are {', '.join(ATTACKS)}")


def _check(evidence: Evidence) -> None:
    """Refuse tables that lack columns."""
    needed = [(evidence.release, (*evidence.quasi, *evidence.sensitive), "the release")]
    if evidence.original is not None:
        needed.append((evidence.original, (*evidence.quasi, *evidence.sensitive), "the input"))
    needed += [(other, evidence.sensitive, "another release") for other in evidence.others]
    keyed = () if evidence.key is None else (evidence.key,)
    for table, what in ((evidence.register, "the register"), (evidence.original, "the input")):
        needed += [] if table is None else [(table, keyed, what)]
    for table, names, what in needed:
        lacking = [name for name in names if name not in table.names]
        if lacking:
            raise SchemaError(f"{what} has no column {', '.join(lacking)}", hint="columns go by the release's names")


@dataclass(frozen=True, slots=True, eq=False)
class _Attacker:
    """The evidence, with the release's classes, and with the input's people as far as they match."""

    evidence: Evidence
    view: View
    source: Match | None
    hierarchies: tuple[Hierarchy | None, ...]

    @classmethod
    def of(cls, evidence: Evidence) -> _Attacker:
        """Match the input with the release."""
        view = View.over(evidence.release, evidence.quasi)
        known = dict(_hierarchies(evidence))
        source = None if evidence.original is None else match(view, evidence.original, known)
        return cls(
            replace(evidence, hierarchies=known), view, source, tuple(known.get(name) for name in evidence.quasi)
        )

    @property
    def nodes(self) -> list[frozenset[str]]:
        """Per quasi-identifier, the labels of its hierarchy."""
        return [frozenset(() if one is None else chain.from_iterable(one.labels)) for one in self.hierarchies]

    def values(self, name: str, *others: Table) -> tuple[list[Index], tuple[str, ...]]:
        """The sensitive values of the release and of other tables, in codes that mean the same."""
        return values_of((self.evidence.release, *others), name)

    # ── One attack each ──────────────────────────────────────────────────────────────────────────

    def link(self) -> Iterator[Outcome]:
        """With the register, or with the input as one."""
        evidence, sizes = self.evidence, self.view.sizes
        if evidence.register is not None:
            found = match(self.view, evidence.register, evidence.hierarchies)
            yield linking(found.fits, sizes, found.of.size, truth=self._truth(evidence.register))
        elif self.source is not None:
            fits = self.source.fits
            yield linking(fits, sizes, self.source.of.size, truth=fits)
        else:
            yield Untried("linking", "it needs a register, or the input")

    def _truth(self, register: Table) -> Index | None:
        """Each person of the register who is in the input, and a class that covers what that says of him."""
        key, original = self.evidence.key, self.evidence.original
        if key is None or original is None or self.source is None:
            return None
        known, asked = _cells(original, key), _cells(register, key)
        row = {text: at for at, text in enumerate(known)}
        people = [(person, row[text]) for person, text in enumerate(asked) if text in row]
        person, own = np.array(people, dtype=np.int64).reshape(-1, 2).T
        fits = self.source.fits
        which, pair = joined(fits[:, 0], own)
        return np.stack([person[which], fits[pair, 1]], axis=1)

    def look(self, attack: Callable[..., Attack]) -> Iterator[Outcome]:
        """At the classes alone."""
        for name in self.evidence.sensitive:
            (values,), _ = self.values(name)
            yield attack(self.view.of, values, of=name)
        if not self.evidence.sensitive:
            yield Untried(attack.__name__, "no sensitive column is named")

    def expose(self) -> Iterator[Outcome]:
        """At ends of ranges."""
        if self.source is None:
            yield Untried("exposure", "it needs the input")
        else:
            yield exposure(self.view, self.source, self.nodes)

    def intersect(self) -> Iterator[Outcome]:
        """With other releases, for the people of the input or else of the register."""
        evidence = self.evidence
        people = evidence.register if evidence.original is None else evidence.original
        if people is None or not evidence.others or not evidence.sensitive:
            yield Untried("intersection", "it needs other releases, the input or a register, and a sensitive column")
            return
        views = [self.view]
        views += [View.over(one, [name for name in evidence.quasi if name in one.names]) for one in evidence.others]
        found = [match(view, people, evidence.hierarchies) for view in views]
        who = np.arange(people.records)
        pairs = [one.fits for one in found]
        for name in evidence.sensitive:
            truth = () if evidence.original is None else (evidence.original,)
            codes, meanings = self.values(name, *evidence.others, *truth)
            many = len(meanings)
            left = [left_open(fits, view.of, own, many) for fits, view, own in zip(pairs, views, codes, strict=False)]
            yield intersection(left, who, many, truth=codes[-1] if truth else None, of=name)

    def stand(self) -> Iterator[Outcome]:
        """In the order of the input."""
        evidence, table = self.evidence, self.evidence.release
        by_content = in_content_order([ranks_of(table[name].values)[table[name].codes] for name in self._by_rank()])
        if self.source is None and not by_content:
            yield Untried("order", "the release is not ordered by its own content; it needs the input")
            return
        alone = self.view.of[:0] if self.source is None else self.source.only
        for name in evidence.sensitive:
            codes, _ = self.values(name, *(() if evidence.original is None else (evidence.original,)))
            released, source = Rows(self.view.of, codes[0]), Rows(alone, codes[-1])
            yield order(released, source, by_content=by_content, seed=evidence.seed, of=name)
        if not by_content:
            yield order_of_classes(self.view.of, alone)
        elif not evidence.sensitive:
            yield Attack("order", table.records, 0, 0.0, 0.0)

    def _by_rank(self) -> list[str]:
        """The columns in the order in which kohort orders by them: labels first."""
        names = self.evidence.release.names
        return sorted(names, key=lambda name: name not in self.evidence.quasi)

    def invert(self) -> Iterator[Outcome]:
        """Labels that no class needs wider."""
        yield downcoding(self.view, self.nodes, self.source)

    def refine(self) -> Iterator[Outcome]:
        """Cuts that were not made."""
        evidence = self.evidence
        people = self.source
        if people is None and evidence.register is not None:
            found = match(self.view, evidence.register, evidence.hierarchies)
            people = found if found.columns == evidence.quasi else None
        positions = () if people is None else tuple(positions_of(self.view, people, evidence.hierarchies))
        if people is None or not positions or not evidence.sensitive:
            why = "it needs the input or a register with all quasi-identifiers, ranges of numbers, a sensitive column"
            yield Untried("minimality", why)
            return
        for name in evidence.sensitive:
            truth = () if evidence.original is None else (evidence.original,)
            codes, _ = self.values(name, *truth)
            known = Known(people.pairs, people.counts, positions, self.view.of, codes[0])
            yield minimality(known, truth=(people.of, codes[-1]) if truth else None, of=name)


#: Every attack, by its name.
ATTACKS: Final[Mapping[str, Callable[[_Attacker], Iterator[Outcome]]]] = {
    "linking": _Attacker.link,
    "homogeneity": lambda attacker: attacker.look(homogeneity),
    "background": lambda attacker: attacker.look(background),
    "exposure": _Attacker.expose,
    "intersection": _Attacker.intersect,
    "order": _Attacker.stand,
    "downcoding": _Attacker.invert,
    "minimality": _Attacker.refine,
}


def _hierarchies(evidence: Evidence) -> Iterator[tuple[str, Hierarchy]]:
    """The hierarchies; those of builders over the values of everybody who is known, if there is anybody."""
    for name, one in evidence.hierarchies.items():
        tables = (table for table in (evidence.original, evidence.register) if table and name in table.names)
        values = {text for table in tables for text in texts(table, name)} - {""}
        if not isinstance(one, str):
            yield name, one
        elif values or not is_builder(one, name=name):
            yield name, from_spec(one, sorted(values), name=name)


def _cells(table: Table, name: str) -> list[str]:
    """The cells of a column as keys: equal numbers are one."""
    known = [alike(text) for text in texts(table, name)]
    return [known[code] for code in table[name].codes.tolist()]
