"""What an attack sees of a release, and its outcome: claims, right ones, and the confidence interval of their rate."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import exp, lgamma, log, log1p
from typing import TYPE_CHECKING, Final

import numpy as np

from kohort.assessment.classes import classes_of, records_of
from kohort.assessment.labels import canonical, cell_texts
from kohort.assessment.population import PopulationTuples, match_population
from kohort.errors import SchemaError
from kohort.errors.display import NOT_ON_PAGES, OPEN, Number, Share
from kohort.schema.hierarchies.spelling import even_spelling

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kohort.arrays import Index
    from kohort.assessment.classes import Classes
    from kohort.assessment.population import PopulationMatch
    from kohort.schema import Schema
    from kohort.tables.table import Table


#: A continued fraction is cut off where a step changes it by less.
_EXACT: Final = 1e-14

#: What stands for a zero that is divided by, in Lentz's method.
_TINY: Final = 1e-300

#: Steps of bisection: each halves the interval, so that more change no digit of a float.
_HALVINGS: Final = 60


@dataclass(frozen=True, slots=True)
class Control:
    """The two controls of one attack: tables that disclose everything, and nothing.

    Attributes:
        positive: The share of its claims that are right where everything is open.
        negative: That share where there is nothing to find.
        chance: The share that guessing gets right there.
    """

    positive: Share
    negative: Share
    chance: Share


@dataclass(frozen=True, slots=True)
class Attack:
    """How one attack fared; `scored` makes it.

    Attributes:
        attack: Its name.
        of: The sensitive attribute that the claims are about; `None` where they are about none.
        unit: What the targets are.
        targets: People, or cells, that were attacked.
        claims: Those about whom the attacker makes a claim.
        right: Claims that are right; where the attacker must guess, or nobody knows, as many as are right on average.
        rate: The share of the targets about whom the claim is right.
        interval: The rate among all people of whom the targets are a random sample, with 95 % confidence.
        baseline: The rate of the same guesses if the release revealed no more than its columns do one by one.
        precision: The share of the claims that are right; 0 where there is none.
        likely: Where the baseline is that of permutations, the share of them with at least as many right claims.
        controls: Its controls, where they were tried.
    """

    attack: str = field(metadata=OPEN)
    of: str | None = field(metadata=OPEN)
    unit: str = field(metadata=OPEN)
    targets: int
    claims: int
    right: Share
    rate: Share
    interval: tuple[Share, Share]
    baseline: Share
    precision: Share
    likely: Number | None = field(metadata=NOT_ON_PAGES)
    controls: Control | None = field(metadata=NOT_ON_PAGES)

    @classmethod
    def scored(
        cls,
        attack: str,
        targets: int,
        claims: int,
        right: float,
        baseline: float,
        *,
        of: str = "",
        unit: str = "people",
        likely: float | None = None,
    ) -> Attack:
        """An attack with its rates, by its counts; without controls."""
        return cls(
            attack=attack,
            of=of or None,
            unit=unit,
            targets=targets,
            claims=claims,
            right=right,
            rate=right / targets if targets else 0.0,
            interval=clopper_pearson(right, targets),
            baseline=baseline,
            precision=right / claims if claims else 0.0,
            likely=likely,
            controls=None,
        )


def clopper_pearson(right: float, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """The exact confidence interval of a share of which `right` in `trials` are observed.

    Clopper, Pearson: The Use of Confidence or Fiducial Limits Illustrated in the Case of the Binomial (Biometrika 26,
    1934). It holds the true share at least as often as it says, whatever that is. The tails of the binomial are
    incomplete beta integrals, and so have a meaning for an expected number that is not whole, too.

    >>> [round(end, 4) for end in clopper_pearson(0, 10)], [round(end, 4) for end in clopper_pearson(5, 10)]
    ([0.0, 0.3085], [0.1871, 0.8129])
    """
    tail = (1 - confidence) / 2
    low = _share(right, trials - right + 1, tail) if right > 0 else 0.0
    high = _share(right + 1, trials - right, 1 - tail) if right < trials else 1.0
    return low, high


def _share(a: float, b: float, integral: float) -> float:
    """The x at which the incomplete beta integral of a and b reaches a value: it ascends with x."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if incomplete_beta(a, b, middle) < integral else (low, middle)
    return (low + high) / 2


def incomplete_beta(a: float, b: float, x: float) -> float:
    """I_x(a, b), the regularized incomplete beta integral: DLMF 8.17.22 by Lentz's method, on its quicker side.

    >>> round(incomplete_beta(2, 3, 0.4), 6)  # 1 - 0.6^4 - 4 * 0.4 * 0.6^3
    0.5248
    """
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a
    value = upper = 1.0
    lower = change = 0.0
    step = 0
    while abs(change - 1) > _EXACT:
        step += 1
        m = step // 2
        if step % 2:
            term = -(a + m) * (a + b + m) / ((a + step - 1) * (a + step)) * x
        else:
            term = m * (b - m) / ((a + step - 1) * (a + step)) * x
        lower = 1 / (1 + term * lower or _TINY)
        upper = 1 + term / upper or _TINY
        change = upper * lower
        value *= change
    return front / value


@dataclass(frozen=True, slots=True, eq=False)
class ReleaseView:
    """The classes of a release and their labels.

    Attributes:
        quasi: The columns that an attacker knows of people.
        labels: (d,) the distinct cells of each; "" is the missing value.
        classes: The classes of the records.
    """

    quasi: tuple[str, ...]
    labels: tuple[Sequence[str], ...]
    classes: Classes

    @classmethod
    def over(cls, table: Table, quasi: Sequence[str]) -> ReleaseView:
        """The classes of equal cells in the columns `quasi`."""
        labels = tuple(cell_texts(table[name]) for name in quasi)
        return cls(tuple(quasi), labels, classes_of(records_of([table[name].codes for name in quasi])))

    @property
    def records(self) -> int:
        """Records of the release."""
        return self.classes.of.size

    def match(self, people: Table, schema: Schema) -> PopulationMatch:
        """Match `people` with the classes, by all quasi-identifying columns that both tables have.

        Raises:
            SchemaError: There is no such column.
            InputError: Labels cannot be read.
        """
        places = [place for place, name in enumerate(self.quasi) if name in people.names]
        if not places:
            hint = "the table needs quasi-identifying columns with the names of the release"
            raise SchemaError("a table of people has no column in common with the release", hint=hint)
        known = PopulationTuples.in_table(people, [self.quasi[place] for place in places], schema)
        labels = [self.labels[place] for place in places]
        return match_population(known, labels, self.classes.codes[:, places], schema.hierarchies)


def sensitive_codes(tables: Sequence[Table], name: str) -> tuple[list[Index], tuple[str, ...]]:
    """(n,) codes of a sensitive column's cells, table by table, and their texts; below 0 where a value is missing.

    Spellings that a reader takes for one value have one code, and so have equal numbers.
    """
    code: dict[str, int] = {}
    codes: list[Index] = []
    for table in tables:
        texts = [text and canonical(even_spelling(text)) for text in cell_texts(table[name])]
        places = [code.setdefault(text, len(code)) if text else -1 for text in texts]
        codes.append(np.array(places, dtype=np.int64)[table[name].codes])
    return codes, tuple(code)
