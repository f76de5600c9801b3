"""Controls of the attacks: each is tried on a table where it must succeed, and on one where it must not.

A figure of 0 on a release means something only if the same attack gets near 1 where everything is open, and no further
than its baseline where there is nothing to find.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from kohort.assessment.classes import classes_of, records_of
from kohort.assessment.population import PopulationMatch, PopulationTuples
from kohort.assessment.risk.attacks.base import Attack, Control, ReleaseView
from kohort.assessment.risk.attacks.downcoding import downcoding, exposure
from kohort.assessment.risk.attacks.homogeneity import background, homogeneity
from kohort.assessment.risk.attacks.linking import intersection, left_open, linking
from kohort.assessment.risk.attacks.minimality import Adversary, minimality
from kohort.assessment.risk.attacks.order import order

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kohort.arrays import Index
    from kohort.assessment.risk.attacks.evidence import Outcome

#: Classes of every control, and people of a class.
_CLASSES: Final = 60
_SIZE: Final = 20

#: The class of each person, and his number in it.
_of: Final[Index] = np.repeat(np.arange(_CLASSES), _SIZE)
_number: Final[Index] = np.tile(np.arange(_SIZE), _CLASSES)


#: An attack where everything is open, and where nothing is.
Pair: TypeAlias = tuple[Attack, Attack]


def controlled(outcomes: Sequence[Outcome]) -> tuple[Outcome, ...]:
    """The outcomes, with the controls of each attack that was tried."""
    names = {one.attack for one in outcomes if isinstance(one, Attack)}
    found = {name: _control(*pair()) for name, pair in CONTROLS.items() if name in names}
    return tuple(replace(one, controls=found.get(one.attack)) if isinstance(one, Attack) else one for one in outcomes)


def _control(opened: Attack, closed: Attack) -> Control:
    """Both in shares of claims: minimality claims something of few."""
    chance = closed.baseline * closed.targets / closed.claims if closed.claims else 0.0
    return Control(opened.precision, closed.precision, chance)


def _homogeneity() -> Pair:
    """Classes with one value each; and with ten."""
    return homogeneity(_of, _of), homogeneity(_of, _number % 10)


def _background() -> Pair:
    """Classes where all but one have one value; and where all but two have."""
    one, two = (np.where(_number < others, _CLASSES, _of) for others in (1, 2))
    return background(_of, one), background(_of, two)


def _linking() -> Pair:
    """A register in which everybody fits one record alone; and one in which everybody fits every class."""
    people = np.arange(_of.size)
    alone, own = np.stack([people, people], 1), np.stack([people, _of], 1)
    every = np.stack([np.repeat(people, _CLASSES), np.tile(np.arange(_CLASSES), people.size)], 1)
    return (
        linking(alone, np.ones_like(people), people.size, truth=alone),
        linking(every, np.bincount(_of), people.size, truth=own),
    )


def _pairs(label: str) -> tuple[ReleaseView, PopulationMatch]:
    """Classes of two people, 0 and 9, that all have one label and are distinguished by another column."""
    pairs = np.stack([np.arange(2 * _CLASSES), np.repeat(np.arange(_CLASSES), 2)], 1)
    names = tuple(map(str, range(_CLASSES)))
    tuples = np.stack([np.tile([0, 1], _CLASSES), pairs[:, 1]], 1).astype(np.uint32)
    classes = classes_of(records_of([np.zeros(2 * _CLASSES, np.int64), pairs[:, 1]]))
    view = ReleaseView(("age", "city"), ((label,), names), classes)
    everyone = np.arange(2 * _CLASSES)
    people = PopulationTuples(view.quasi, (("0", "9"), names), tuples, everyone, np.ones_like(everyone, np.bool_), {})
    return view, PopulationMatch(people, pairs)


def _exposure() -> Pair:
    """Ends that one person each has; and cuts of a grid."""
    nodes = [frozenset[str]()] * 2
    return exposure(*_pairs("[0-9]"), nodes), exposure(*_pairs("[0-10)"), nodes)


def _downcoding() -> Pair:
    """Classes of two with both ends printed, in one column of one; and the same on a grid."""

    def attack(label: str) -> Attack:
        view, match = _pairs(label)
        ages = ReleaseView(view.quasi[:1], view.labels[:1], replace(view.classes, codes=view.classes.codes[:, :1]))
        return downcoding(ages, [frozenset[str]()], match)

    return attack("[0-9]"), attack("[0-10)")


def _intersection() -> Pair:
    """Releases whose classes have one value in common; and the same release twice."""
    fits = np.stack([np.arange(_of.size), _of], 1)
    many = 3 * _CLASSES
    values = [_of + _CLASSES * (_number % 2) * time for time in (1, 2)]
    first, second = (left_open(fits, _of, one, many) for one in values)
    who = np.arange(_of.size)
    return intersection([first, second], who, many), intersection([first, first], who, many)


def _order() -> Pair:
    """A release in the order of its input; and one in random order."""
    shuffled = np.random.default_rng(0).permutation(_of.size)
    return (
        order((_of, _number), (_of, _number), by_content=False),
        order((_of[shuffled], _number[shuffled]), (_of, _number), by_content=False),
    )


def _minimality() -> Pair:
    """Classes that stayed whole because all who have a value are on one side; and whole ones where anybody has it.

    In each, 6 of 20 people lie on one side of the only cut and 6 have the value. Two classes more show that it may be
    up to one half of a class: with three of those 6 or fewer it would have been cut, so more of them have it.
    """
    sides = (_number >= 6).astype(np.int64)  # noqa: PLR2004  as above
    tuples = 2 * _of + sides
    pairs = np.stack([np.arange(2 * _CLASSES), np.arange(2 * _CLASSES) // 2], 1)
    allowed = np.repeat([_CLASSES, _CLASSES + 1], 4)
    classes, more = np.append(_of, allowed), [0, 0, 1, 2] * 2
    dealt = np.random.default_rng(0).random((_CLASSES, _SIZE)).argsort(axis=1).ravel()

    def attack(number: Index) -> Attack:
        values = np.where(number < 6, 0, 1 + number)  # noqa: PLR2004  as above
        known = Adversary(pairs, np.bincount(tuples), (np.arange(2 * _CLASSES) % 2,), classes, np.append(values, more))
        return minimality(known, truth=(tuples, values))

    return attack(_number), attack(dealt)


#: The controls of each attack, by its name.
CONTROLS: Final[Mapping[str, Callable[[], Pair]]] = {
    "linking": _linking,
    "homogeneity": _homogeneity,
    "background": _background,
    "exposure": _exposure,
    "intersection": _intersection,
    "order": _order,
    "downcoding": _downcoding,
    "minimality": _minimality,
}
