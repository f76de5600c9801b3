"""Tries attacks on a release, with what an attacker may have besides it.

Each attack is a function in a module that names its paper. This module gives them what they need: the release; a
register that names people; other releases of some of the same people; and the input. No attacker has the input: it
decides whether claims are right, and stands for a register of everybody without mistakes.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from kohort.assessment.labels import cell_texts
from kohort.assessment.population import joined
from kohort.assessment.risk.attacks.base import Attack, ReleaseView, sensitive_codes
from kohort.assessment.risk.attacks.downcoding import downcoding, exposure
from kohort.assessment.risk.attacks.homogeneity import background, homogeneity
from kohort.assessment.risk.attacks.linking import intersection, left_open, linking
from kohort.assessment.risk.attacks.minimality import Adversary, minimality, positions_of
from kohort.assessment.risk.attacks.order import in_content_order, order, order_of_classes
from kohort.errors import SchemaError, UsageError
from kohort.errors.display import OPEN
from kohort.schema import Schema
from kohort.schema.hierarchies import from_spec, is_builder
from kohort.tables.texts import even_keys, ranks_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from kohort.arrays import Index
    from kohort.assessment.population import PopulationMatch
    from kohort.schema.hierarchy import Hierarchy
    from kohort.tables.table import Table


@dataclass(frozen=True, slots=True)
class Untried:
    """An attack that could not be tried, and what it lacks."""

    attack: str = field(metadata=OPEN)
    untried: str = field(metadata=OPEN)


#: What came of an attack.
Outcome: TypeAlias = Attack | Untried


#: What is known of columns where nothing is.
NO_SCHEMA: Final = Schema(())


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The tables that attacks are tried with.

    Attributes:
        release: The released table.
        quasi: Its columns that an attacker knows of people.
        sensitive: Its columns that an attacker wants to know.
        original: The input of the release.
        register: A table of people with some of the quasi-identifying columns.
        key: The column of register and input that identifies a person.
        others: Other releases of some of the same people.
        schema: What is known of quasi-identifiers: hierarchies, which say what labels cover; which texts mean no value,
            and how one is treated: whom the release would suppress matches no record.
        seed: Seed of the permutations.
    """

    release: Table
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    original: Table | None = None
    register: Table | None = None
    key: str | None = None
    others: tuple[Table, ...] = ()
    schema: Schema = NO_SCHEMA
    seed: int = 0


def attacks(
    evidence: Evidence, names: Sequence[str] = (), *, on_progress: Callable[[str], None] = lambda _: None
) -> tuple[Outcome, ...]:
    """Try the attacks called `names`, or all, in the order of `ATTACKS`; `on_progress` hears of each.

    Raises:
        UsageError: There is no attack of some name.
        SchemaError: A table lacks a column that it needs.
        InputError: Labels cannot be read.

    >>> import polars as pl
    >>> from kohort.io import read
    >>> released = read(pl.DataFrame({"age": ["[20-29]"] * 3, "illness": ["flu", "flu", "gout"]}))
    >>> [(one.attack, one.rate) for one in attacks(Evidence(released, ("age",), ("illness",)), ["background"])]
    [('background', 0.6666666666666666)]
    """
    refuse_unknown(names)
    _check(evidence)
    on_progress("match people")
    attacker, found = _Attacker.of(evidence), list[Outcome]()
    wanted = [name for name in ATTACKS if name in (names or ATTACKS)]
    for number, name in enumerate(wanted, 1):
        on_progress(f"attack {number} of {len(wanted)}: {name}")
        found.extend(ATTACKS[name](attacker))
    return tuple(found)


def refuse_unknown(names: Sequence[str]) -> None:
    """Raise if there is no attack of some name."""
    unknown = [name for name in names if name not in ATTACKS]
    if unknown:
        raise UsageError(f"there is no attack called {', '.join(unknown)}", hint=f"there are {', '.join(ATTACKS)}")


def _check(evidence: Evidence) -> None:
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
    """The evidence, the release's classes, and the input's people as far as they match."""

    evidence: Evidence
    view: ReleaseView
    source: PopulationMatch | None
    hierarchies: tuple[Hierarchy | None, ...]

    @classmethod
    def of(cls, evidence: Evidence) -> _Attacker:
        view = ReleaseView.over(evidence.release, evidence.quasi)
        known = dict(_hierarchies(evidence))
        built = (replace(one, hierarchy=known.get(one.name)) for one in evidence.schema.quasi)
        schema = replace(evidence.schema, attributes=tuple(built), person=None)
        source = None if evidence.original is None else view.match(evidence.original, schema)
        return cls(replace(evidence, schema=schema), view, source, tuple(known.get(name) for name in evidence.quasi))

    @property
    def nodes(self) -> list[frozenset[str]]:
        return [frozenset(() if one is None else chain.from_iterable(one.labels)) for one in self.hierarchies]

    def values(self, name: str, *others: Table) -> tuple[list[Index], tuple[str, ...]]:
        """The sensitive values of the release and of other tables, in codes that mean the same."""
        return sensitive_codes((self.evidence.release, *others), name)

    # ── One attack each ──────────────────────────────────────────────────────────────────────────

    def link(self) -> Iterator[Outcome]:
        """With the register, or with the input as one."""
        evidence, sizes = self.evidence, self.view.classes.sizes
        if evidence.register is not None:
            found = self.view.match(evidence.register, evidence.schema)
            yield linking(found.fits, sizes, found.people.of.size, truth=self._truth(evidence.register))
        elif self.source is not None:
            fits = self.source.fits
            yield linking(fits, sizes, self.source.people.of.size, truth=fits)
        else:
            yield Untried("linking", "no register and no input given")

    def _truth(self, register: Table) -> Index | None:
        """Each person of the register who is in the input, and a class that fits his record there."""
        key, original = self.evidence.key, self.evidence.original
        if key is None or original is None or self.source is None:
            return None
        known, wanted = _cells(original, key), _cells(register, key)
        row = {text: at for at, text in enumerate(known)}
        people = [(person, row[text]) for person, text in enumerate(wanted) if text in row]
        person, own = np.array(people, dtype=np.int64).reshape(-1, 2).T
        fits = self.source.fits
        which, pair = joined(fits[:, 0], own)
        return np.stack([person[which], fits[pair, 1]], axis=1)

    def look(self, attack: Callable[..., Attack]) -> Iterator[Outcome]:
        """At the classes alone."""
        for name in self.evidence.sensitive:
            (values,), _ = self.values(name)
            yield attack(self.view.classes.of, values, of=name)
        if not self.evidence.sensitive:
            yield Untried(attack.__name__, "no sensitive column is named")

    def expose(self) -> Iterator[Outcome]:
        """At ends of ranges."""
        if self.source is None:
            yield Untried("exposure", "no input given")
        else:
            yield exposure(self.view, self.source, self.nodes)

    def intersect(self) -> Iterator[Outcome]:
        """With other releases, for the people of the input or else of the register."""
        evidence = self.evidence
        people = evidence.register if evidence.original is None else evidence.original
        if people is None or not evidence.others or not evidence.sensitive:
            yield Untried("intersection", "it needs other releases, the input or a register, and a sensitive column")
            return
        shared = [(one, [name for name in evidence.quasi if name in one.names]) for one in evidence.others]
        views = [self.view, *(ReleaseView.over(one, names) for one, names in shared)]
        pairs = [view.match(people, evidence.schema).fits for view in views]
        classes = [view.classes.of for view in views]
        who = np.arange(people.records)
        for name in evidence.sensitive:
            truth = () if evidence.original is None else (evidence.original,)
            codes, meanings = self.values(name, *evidence.others, *truth)
            many = len(meanings)
            left = [left_open(fits, of, own, many) for fits, of, own in zip(pairs, classes, codes, strict=False)]
            yield intersection(left, who, many, truth=codes[-1] if truth else None, of=name)

    def stand(self) -> Iterator[Outcome]:
        """In the order of the input."""
        evidence, table = self.evidence, self.evidence.release
        by_content = in_content_order([ranks_of(table[name].values)[table[name].codes] for name in self._by_rank()])
        if self.source is None and not by_content:
            yield Untried("order", "the release is not sorted by its content, and no input is given")
            return
        classes = self.view.classes.of
        known = classes[:0] if self.source is None else self.source.only
        for name in evidence.sensitive:
            codes, _ = self.values(name, *(() if evidence.original is None else (evidence.original,)))
            yield order((classes, codes[0]), (known, codes[-1]), by_content=by_content, seed=evidence.seed, of=name)
        if not by_content:
            yield order_of_classes(classes, known)
        elif not evidence.sensitive:
            yield Attack.scored("order", table.records, 0, 0.0, 0.0)

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
            found = self.view.match(evidence.register, evidence.schema)
            people = found if found.people.columns == evidence.quasi else None
        positions = () if people is None else tuple(positions_of(self.view, people, evidence.schema.hierarchies))
        if people is None or not positions or not evidence.sensitive:
            why = "needs the input or a register with all quasi-identifiers, ranges of numbers, and a sensitive column"
            yield Untried("minimality", why)
            return
        for name in evidence.sensitive:
            truth = () if evidence.original is None else (evidence.original,)
            codes, _ = self.values(name, *truth)
            known = Adversary(people.pairs, people.people.counts, positions, self.view.classes.of, codes[0])
            yield minimality(known, truth=(people.people.of, codes[-1]) if truth else None, of=name)


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
    """The hierarchies; builders make them over the values of all known people, if there are any."""
    for name, one in evidence.schema.hierarchies.items():
        tables = (table for table in (evidence.original, evidence.register) if table and name in table.names)
        values = {text for table in tables for text in cell_texts(table[name])} - {""}
        if not isinstance(one, str):
            yield name, one
        elif values or not is_builder(one, name=name):
            yield name, from_spec(one, sorted(values), name=name)


def _cells(table: Table, name: str) -> list[str]:
    """The cells of a column as keys, however they are spelled."""
    known = even_keys(table[name].values.fill_null("")).to_list()
    return [known[code] for code in table[name].codes.tolist()]
