"""A job read back from its description: nothing is taken for what its form does not say it is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final, cast

from kohort.errors import InputError, KohortError
from kohort.io.options import ReadOptions
from kohort.models.known import build, models
from kohort.schema import Label, Missing, Role, Scale
from kohort.schema.dates import Period
from kohort.schema.numbers import LARGEST

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kohort.models.base import PrivacyModel
    from kohort.tables.complete import Complete

    #: A part of the description: an object of JSON.
    Part = Mapping[str, object]

#: How an exact number is described. An exponent would fill the memory with digits, and many digits take long to read.
_exact: Final = re.compile(r"-?[0-9]{1,1000}(?:/[0-9]{1,1000})?").fullmatch


def exact(text: str) -> Fraction:
    """The number that a description writes in digits, or as a fraction of two such numbers.

    >>> exact("-2/5")
    Fraction(-2, 5)
    """
    if _exact(text) is None:
        raise ValueError(text)
    return Fraction(text)


def known(kind: str) -> type[PrivacyModel] | None:
    """The model that is called so in a job; `None` where this version knows none.

    >>> known("KMap").specification.key
    'k-map'
    """
    return next((one for one in models().values() if one.__name__ == kind), None)


@dataclass(frozen=True, slots=True)
class Asked:
    """A privacy model that a job asks for.

    Attributes:
        kind: Its name in the job.
        sensitive: The sensitive column that it is about; `None` where it is about none.
        parameters: Its other parameters, as they are described.
    """

    kind: str
    sensitive: str | None
    parameters: tuple[tuple[str, object], ...]

    @property
    def model(self) -> PrivacyModel | None:
        """The model; `None` where this version knows none called so with these parameters."""
        kind = known(self.kind)
        if kind is None:
            return None
        kinds = {one.name: one.kind for one in kind.specification.parameters}
        try:
            return build(
                kind, self.sensitive, {name: _parameter(value, kinds[name]) for name, value in self.parameters}
            )
        except (ArithmeticError, AttributeError, KohortError, LookupError, TypeError, ValueError):
            return None


@dataclass(frozen=True, slots=True)
class DescribedColumn:
    """A column of the job's schema.

    Attributes:
        name: Its name.
        role: What it tells.
        scale: Whether it is numeric, names or dates, where that was said.
        label: What is released of it, where that was said.
        missing: What a missing value means.
        hierarchy: The text of a builder, or the digest of a hierarchy; `None` where it has none.
        pseudonym: Whether pseudonyms stand for its values.
        grid: Its public cut points: a step or several numbers, as text, `hierarchy`, or a period of the calendar;
            `None` where it has none.
    """

    name: str
    role: Role
    scale: Scale | None
    label: Label | None
    missing: Missing
    hierarchy: str | Part | None
    pseudonym: bool
    grid: str | tuple[str, ...] | None = None

    @property
    def released(self) -> bool:
        """Whether the release has it."""
        return self.role.released or self.pseudonym

    @property
    def unchanged(self) -> bool:
        """Whether the release has it as it is, unless it is perturbed."""
        return self.released and self.role is not Role.QUASI and not self.pseudonym


@dataclass(frozen=True, slots=True)
class Described:
    """What a job asks of a table, as far as its description tells it.

    Attributes:
        columns: One for each column of the input, in its order.
        models: The privacy models.
        algorithm: The kind of its algorithm.
        missing: The texts that mean no value.
        complete: Columns in which a record must have a value to enter, or `all`.
        person: The person key.
        perturbed: The columns that are perturbed.
        allowed: Released columns that may single people out.
        no_model: Sensitive columns that no model need be about.
        refining: Whether classes of a full-domain release are refined, by local recoding.
        format: The release's format, where it is not its name's.
        separator: Between its cells.
        excel_safe: Whether what looks like a formula has an apostrophe.
        reading: How the input was read.
    """

    columns: tuple[DescribedColumn, ...]
    models: tuple[Asked, ...]
    algorithm: str
    missing: frozenset[str]
    complete: Complete
    person: str | None
    perturbed: tuple[str, ...]
    allowed: tuple[str, ...]
    no_model: tuple[str, ...]
    refining: bool
    format: str | None
    separator: str
    excel_safe: bool
    reading: ReadOptions

    @property
    def quasi(self) -> tuple[DescribedColumn, ...]:
        """The quasi-identifying columns."""
        return tuple(column for column in self.columns if column.role is Role.QUASI)

    @property
    def required(self) -> frozenset[str]:
        """The quasi-identifying columns without a value of which no record is released."""
        every = self.complete == "all"
        return frozenset(
            one.name for one in self.quasi if every or one.name in self.complete or one.missing is Missing.SUPPRESS
        )

    @property
    def sensitive(self) -> tuple[DescribedColumn, ...]:
        """The sensitive columns."""
        return tuple(column for column in self.columns if column.role is Role.SENSITIVE)


def described(job: Part) -> Described:
    """What the description of a job on a table says."""
    try:
        schema, writing, reading = (_part(job.get(key)) for key in ("schema", "writing", "reading"))
        return Described(
            tuple(_column(_part(one)) for one in _list(schema.get("attributes"))),
            tuple(asked_of(_part(one)) for one in _list(job.get("models"))),
            text_of(_part(job.get("algorithm")).get("kind")),
            frozenset(text_of(one) for one in _list(schema.get("missing"))),
            _complete(job.get("complete")),
            _perhaps(schema.get("person")),
            tuple(name for one in _list(job.get("perturbations")) for name in _perturbed(_part(one))),
            tuple(text_of(one) for one in _list(job.get("allow_singling"))),
            tuple(text_of(one) for one in _list(job.get("no_model"))),
            _part(job.get("algorithm")).get("kind") == "LocalRecoding",
            _perhaps(writing.get("format")),
            str(ReadOptions(separator=text_of(writing.get("separator"))).separator),  # which refuses what is none
            writing.get("excel_safe") is True,
            _reading(reading),
        )
    except (ArithmeticError, AttributeError, KohortError, LookupError, TypeError, ValueError) as fault:
        raise InputError(
            "this version of kohort cannot read the certificate's job",
            hint="check it with the version of kohort that it names",
        ) from fault


def _perturbed(part: Part) -> tuple[str, ...]:
    """The columns of a perturbation: one, or several that are changed together."""
    return (text_of(part["column"]),) if "column" in part else tuple(text_of(one) for one in _list(part.get("columns")))


def _reading(part: Part) -> ReadOptions:
    """How the input was read; what is `None` is left out of a description."""
    said = {key: value for key, value in part.items() if key != "kind"}
    build = cast("Callable[..., ReadOptions]", ReadOptions)  # which refuses what it cannot be read with
    return build(**{"quote": None, **said})


def _complete(value: object) -> Complete:
    """The columns of complete records."""
    return "all" if value == "all" else tuple(text_of(one) for one in _list(value))


def _column(part: Part) -> DescribedColumn:
    hierarchy = part.get("hierarchy")
    scale, label = _perhaps(part.get("scale")), _perhaps(part.get("label"))
    return DescribedColumn(
        text_of(part.get("name")),
        Role(text_of(part.get("role"))),
        None if scale is None else Scale(scale),
        None if label is None else Label(label),
        Missing(text_of(part.get("missing"))),
        hierarchy if hierarchy is None or isinstance(hierarchy, str) else _part(hierarchy),
        part.get("pseudonym") is True,
        _grid(part.get("grid")),
    )


def _grid(value: object) -> str | tuple[str, ...] | None:
    if isinstance(value, list):
        return tuple(str(exact(text_of(one))) for one in cast("list[object]", value))
    if value is None or value in {"hierarchy", "round", *Period}:
        return _perhaps(value)
    step = exact(text_of(value))
    return str(step) if step > 0 else text_of(None)  # which is no step


def asked_of(part: Part) -> Asked:
    """The privacy model that is asked for by a part of a description."""
    parameters = {key: value for key, value in part.items() if key not in {"kind", "sensitive"}}
    return Asked(text_of(part.get("kind")), _perhaps(part.get("sensitive")), tuple(parameters.items()))


def _parameter(value: object, kind: str) -> object:
    """A parameter of its kind: a fraction is described by its text."""
    if type(value) is not (int if kind == "integer" else str):
        raise TypeError(kind)
    if isinstance(value, int) and value >= LARGEST:
        raise ValueError(kind)
    return exact(str(value)) if kind == "number" else value


def _part(value: object) -> Part:
    if not isinstance(value, dict):
        raise TypeError(value)
    return cast("Part", value)


def _list(value: object) -> Sequence[object]:
    if not isinstance(value, list):
        raise TypeError(value)
    return cast("list[object]", value)


def text_of(value: object) -> str:
    """A part of a description that is a text."""
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _perhaps(value: object) -> str | None:
    return None if value is None else text_of(value)
