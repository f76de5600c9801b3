"""What figures are: frozen typed records whose fields are the keys of a JSON object, in that order."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache
from types import GenericAlias
from typing import TYPE_CHECKING, Any, Final, Self, cast

from pydantic import BaseModel, TypeAdapter

from kohort.errors.display import Share
from kohort.perturbation.effect import Effect  # noqa: TC001  pydantic reads what fields are
from kohort.specification import plugins

if TYPE_CHECKING:
    from collections.abc import Mapping

    from _typeshed import DataclassInstance

    from kohort.algorithms.mondrian.bound import LeastLoss
    from kohort.report import Json

#: The page models by kind; one of another package is a `page.verdict.Heading` at an entry point of this group.
PAGES: Final[Mapping[str, type[Any]]] = plugins("kohort.pages", {"table": "kohort.report.page.build:TablePage"})

#: Beyond this nothing can be drawn: floats end at 1.8e308.
HUGEST: Final = 1e300


def _key(name: str) -> str:
    """The key of a field: `class_` for `class`, which Python keeps for itself."""
    return name.rstrip("_")


class Figures(
    BaseModel,
    frozen=True,
    extra="forbid",
    strict=True,
    alias_generator=_key,
    populate_by_name=True,
    defer_build=True,
    revalidate_instances="always",
    arbitrary_types_allowed=True,  # arrays, which JSON has no form of: `NOT_JSON` leaves them out
):
    """A JSON object of known keys. A field that is never set, such as attacks where none was tried, has no key.

    A result that is its own JSON stands in a field as it is; its figures are rounded as its fields say.

    >>> class Found(Figures, frozen=True):
    ...     records: int
    ...     share: float
    ...     attacks: tuple[str, ...] = ()
    >>> Found(records=3, share=0.5).as_json()
    {'records': 3, 'share': 0.5}
    """

    @classmethod
    def from_attributes(cls, source: object, **others: object) -> Self:
        """The figures that `source` has as attributes of the same names, and `others`.

        >>> class Part(Figures, frozen=True):
        ...     numerator: int
        ...     percent: float
        >>> Part.from_attributes(1, percent=12.5)
        Part(numerator=1, percent=12.5)
        """
        named = {name: getattr(source, name) for name in cls.model_fields if hasattr(source, name)}
        return cls.model_validate(named | others, from_attributes=True)

    def as_json(self) -> dict[str, Json]:
        """The object; lists in place of tuples."""
        return cast("dict[str, Json]", self.model_dump(mode="json", by_alias=True, exclude_unset=True))


@lru_cache
def _written(record: type[DataclassInstance]) -> TypeAdapter[tuple[DataclassInstance]]:
    whole: Any = GenericAlias(tuple, (record,))  # a class alone takes no configuration
    return TypeAdapter(whole, config=Figures.model_config)


def as_json(record: DataclassInstance) -> dict[str, Json]:
    """A record as an object: its figures rounded as their fields say; without what was never asked for.

    >>> from kohort.assessment.risk.reidentification import Exposure
    >>> as_json(Exposure(highest=0.5, average=1 / 3, over=0.25, at_highest=2))
    {'highest': 0.5, 'average': 0.3333333333, 'over': 0.25, 'at_highest': 2}
    """
    hidden = {one.name for one in fields(record) if one.default is None and getattr(record, one.name) is None}
    (found,) = _written(type(record)).dump_python((record,), mode="json", by_alias=True, exclude={0: hidden})
    return cast("dict[str, Json]", found)


class BoundFigures(Figures, frozen=True):
    """What no release of classes of k records with the same kinds of labels loses less than.

    Attributes:
        ncp: That loss, as a mean over the quasi-identifiers; an estimate where not every record was looked at.
        error: Its standard error.
        records: Records that were looked at.
        exact: Of these, how many have their least loss known, and not only a bound of it.
        times: The loss of this release over that; null where that is 0.
    """

    ncp: Share
    error: Share
    records: int
    exact: int
    times: Share | None

    @property
    def said(self) -> str:
        """How near the release is, in words."""
        if self.times is None:
            return "no release need lose anything"
        return f"at most {'about ' if self.error else ''}{self.times:,.1f} times the least possible loss"


def bound_figures(least: LeastLoss, loss: float) -> BoundFigures:
    """A bound beside the loss (NCP) of a release.

    The release itself shows that no bound is above its loss, so that a sample's estimate above it is lowered to it.

    >>> from kohort.algorithms.mondrian.bound import LeastLoss
    >>> bound_figures(LeastLoss(ncp=0.1, error=0.01, records=200, exact=200, columns=2), 0.25).times
    2.5
    >>> bound_figures(LeastLoss(ncp=0.1, error=0.01, records=200, exact=200, columns=2), 0.09)
    BoundFigures(ncp=0.09, error=0.01, records=200, exact=200, times=1.0)
    """
    ncp = min(least.ncp, loss)
    return BoundFigures.from_attributes(least, ncp=ncp, times=loss / ncp if ncp else None)


@dataclass(frozen=True, slots=True)
class Perturbed:
    """What `kohort perturb` did, and what it does not promise.

    Attributes:
        records: Records of the table.
        perturbed: What perturbation did to each column.
        warning: What perturbation is not.
        release: The path of the perturbed table; null of a dry run.
        sha256: The digest of its bytes.
        verified: Whether it was read again and verified.
    """

    records: int
    perturbed: tuple[Effect, ...]
    warning: str
    release: str | None
    sha256: str | None
    verified: bool
