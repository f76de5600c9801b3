"""Who reads a page, and what they may know.

A public page is a function of the release, its certificate, the job, and how many records and people there were. What
else depends on the input, such as a loss, which is a share of the input's domain, is internal.

A public page holds no value of a record and no count of fewer people than `least`, and none follows from two figures
that it shows. Wherever a count stands beside its whole, the rest of the whole is as many too. Counts of parts are
rounded down to multiples of `least`, so that any two differ by nothing or by as many. Shares and means are rounded to a
step that so many people are worth: a share of 0.15 of twenty people is three of them, and so is a mean of zeros and
ones. Where too few records were suppressed to publish their number, the number of records is not published either: its
difference from the release is known.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from functools import cached_property
from math import floor, log10
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Final, Union, get_args, get_type_hints

from pydantic import create_model

from kohort.errors.display import OPEN
from kohort.report.figures import Figures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from _typeshed import DataclassInstance
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

    from kohort.models.base import PrivacyModel

#: A public page tells of no fewer people than these, however small k is.
FEWEST: Final = 3

#: Digits that nobody misses.
DIGITS: Final = 10

#: What an expected count may lack of a whole one by the rounding of its parts.
SLACK: Final = 1e-6


class Audience(StrEnum):
    """For whom a page is written."""

    INTERNAL = "internal"
    """The steward, who has the input and sees everything."""
    PUBLIC = "public"
    """Anybody: no value of a record, no count of a few people."""


def least_of(models: Sequence[PrivacyModel]) -> int:
    """The fewest people that a public page tells of, where these models are promised.

    >>> from kohort.models.k_anonymity import KAnonymity
    >>> from kohort.models.k_map import KMap
    >>> least_of([KAnonymity(10)]), least_of([KAnonymity(2), KMap(5)])
    (10, 5)
    """
    declared = [model.declared for model in models]
    return max(FEWEST, *(max(one.smallest_class, one.smallest_population) for one in declared))


@dataclass(frozen=True, slots=True)
class Reader:
    """Whoever reads a page.

    Attributes:
        least: The fewest people of a published count; 0: everything is shown.
        counts_input: Whether the number of input records is shown.
        one_each: Whether nobody has several records, so that counts of records are counts of people.

    >>> steward, anybody = Reader(), Reader(least=5)
    >>> steward.people(3, 100), anybody.people(3, 100), anybody.people(98, 100), anybody.people(0, 100)
    (3, None, None, 0)
    >>> steward.people(33, 100), anybody.people(33, 100), anybody.exactly(33, 100)
    (33, 30, 33)
    >>> steward.share(0.12345, 100), anybody.share(0.12345, 100)
    (0.12345, 0.1)
    >>> steward.part(33, 100), anybody.part(33, 100), anybody.part(3, 100)
    (0.33, 0.3, None)
    """

    least: int = 0
    counts_input: bool = True
    one_each: bool = True

    @property
    def audience(self) -> Audience:
        """For whom the page is."""
        return Audience.PUBLIC if self.least else Audience.INTERNAL

    @property
    def knows_all(self) -> bool:
        """Whether the reader sees everything."""
        return not self.least

    def tells(self, *counts: float) -> bool:
        """Whether none of these counts of people is of a few."""
        return all(count == 0 or count >= self.least for count in counts)

    def exactly(self, count: int, among: int) -> int | None:
        """How many of so many people; `None` where they, or the others, are too few."""
        return count if self.tells(count, among - count) else None

    def people(self, count: int, among: int) -> int | None:
        """The same, rounded down for the public, where other counts of the same people are shown."""
        shown = self.exactly(count, among)
        return shown if shown is None or self.knows_all else shown - shown % self.least

    def records(self, count: int, among: int) -> int | None:
        """The same of records: where people have several, many records may be of a few people."""
        return self.people(count, among) if self.one_each or self.knows_all else None

    def part(self, count: float, among: int) -> float | None:
        """The share of so many people: that of the count as it is shown, for two roundings of it tell more."""
        if self.knows_all:
            return round(count / max(among, 1), DIGITS)
        shown = self.people(floor(count + SLACK), among)
        return None if shown is None else round(shown / max(among, 1), DIGITS)

    def part_of(self, share: float, among: int) -> float | None:
        """The same of a share."""
        return self.part(share * among, among)

    def one_over(self, risk: float, _: int) -> float | None:
        """A risk that is one over a count of people; `None` where they are too few."""
        return risk if self.knows_all or risk * self.least <= 1 else None

    def share(self, value: float, among: int) -> float:
        """A share of so many people, to a step that is worth enough of them."""
        return self.figure(value, 1 / max(among, 1))

    def figure(self, value: float, worth: float) -> float:
        """A figure to which one person adds at most `worth`."""
        return round(value, DIGITS) if self.knows_all else stepped(value, self.least * worth)


class OnPage:
    """Records on a page: an object of their fields, one after the other, null where they do not apply or are not shown.

    Whether a reader sees a field is part of its definition in the record; see `kohort.errors.display.OPEN`. In an
    annotation of a page, `Annotated[Figures, OnPage(Attack)]`, it says how the object is read from a file.

    >>> from kohort.assessment.risk.reidentification import Exposure
    >>> risk, page = Exposure(highest=0.5, average=0.123, over=0.31, at_highest=2), OnPage(Exposure)
    >>> page.of(risk, Reader()).as_json(), page.of(risk, Reader(least=5), 100).as_json()
    ({'highest': 0.5, 'average': 0.123, 'over': 0.31}, {'highest': None, 'average': 0.1, 'over': 0.3})
    """

    def __init__(self, *records: type[DataclassInstance], **others: object) -> None:
        """Take the classes of records, and the types of further keys, or of fields that differ on a page."""
        self._records, self._others = records, others

    @cached_property
    def _object(self) -> type[Figures]:
        found = {name: hint for record in self._records for name, hint in _hints(record)} | self._others
        keys: dict[str, Any] = {name: (hint, ...) for name, hint in found.items()}
        return create_model("OnPage", __base__=Figures, **keys)

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """That of the object."""
        return handler.generate_schema(self._object)

    def of(self, record: DataclassInstance, reader: Reader, among: int = 0, **others: object) -> Figures:
        """What a reader sees of a record, whose counts are of so many people; `others` are shown as they are."""
        return self.made(**dict(_seen(record, reader, among)) | others)

    def made(self, **parts: object) -> Figures:
        """The object of these parts; null are the others."""
        return self._object.model_validate(dict.fromkeys(self._object.model_fields) | parts)


def _hints(record: type[DataclassInstance]) -> Iterator[tuple[str, object]]:
    hints = get_type_hints(record, include_extras=True)
    for one in fields(record):
        if one.metadata.get("public") != "nobody":
            hint = hints[one.name]
            some = get_args(hint) if isinstance(hint, UnionType) else (hint, None)
            yield one.name, Union[*map(_on_page, some)]


def _on_page(hint: Any) -> Any:  # noqa: ANN401  any type
    """A type on a page: that of a record is OnPage's."""
    return Annotated[Figures, OnPage(hint)] if is_dataclass(hint) and isinstance(hint, type) else hint


def _seen(record: DataclassInstance, reader: Reader, among: int) -> Iterator[tuple[str, object]]:
    for one in fields(record):
        value, public = getattr(record, one.name), one.metadata.get("public")
        if public == "nobody":
            continue
        if is_dataclass(value) and not isinstance(value, type):
            yield one.name, dict(_seen(value, reader, among))
        elif value is None or reader.knows_all or one.metadata == OPEN:
            yield one.name, value
        else:
            yield one.name, None if public is None else getattr(reader, public)(value, among)


def step(least: float) -> float:
    """The smallest 1, 2 or 5 times a power of ten of at least `least`.

    >>> [step(least) for least in (0.004, 0.011, 5, 30)]
    [0.005, 0.02, 5.0, 50.0]
    """
    power = floor(log10(least))
    steps = [float(f"{lead}e{power}") for lead in (1, 2, 5, 10)]
    return next(one for one in steps if one >= least)


def scale_end(rates: Iterable[float]) -> float:
    """Where the scale of some rates ends: 1, 2 or 5 times a power of ten, and at most at 1."""
    return min(1.0, step(max(0.001, *rates)))


def stepped(value: float, least: float) -> float:
    """The nearest multiple of that step; halves go to the even one.

    >>> stepped(0.1234, 0.004), stepped(0.1234, 0.011), stepped(1234, 30), stepped(0.4, 3)
    (0.125, 0.12, 1250.0, 0.0)
    """
    each = step(least)
    return round(round(value / each) * each, max(-floor(log10(each)), 0))


#: Significant digits of a figure of the input, where one is published: in a sweep.
FEW_DIGITS: Final = 2


def coarse(value: float, least: float = 0.0, *, to: Callable[[float], int] = round) -> float:
    """A figure of the input as a sweep publishes it: of two significant digits, and a multiple of a step of `least`.

    Args:
        value: The figure.
        least: What the figure of so few people as nobody may tell apart is worth.
        to: How to round: up or down what must not promise too much.

    >>> coarse(0.12345), coarse(0.12345, 0.04), coarse(27, 5), coarse(27, 10, to=floor), coarse(1234.0)
    (0.12, 0.1, 25.0, 20.0, 1200.0)
    """
    if not value:
        return 0.0
    each = max(10.0 ** (floor(log10(abs(value))) + 1 - FEW_DIGITS), step(least) if least else 0.0)
    return round(to(round(value / each, DIGITS)) * each, max(-floor(log10(each)), 0))
