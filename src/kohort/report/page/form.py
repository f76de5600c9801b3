"""The form of a twin: which keys it has, and what each of them holds. A twin from a file is held against it.

A leaf may be null. An object has exactly the keys that are listed; one in `Maybe` may be null.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import isfinite
from typing import TYPE_CHECKING, Final, TypeAlias, assert_never, cast

if TYPE_CHECKING:
    from collections.abc import Mapping


class Leaf(Enum):
    """What a value without parts can be."""

    COUNT = "whole number"
    NUMBER = "number"
    TEXT = "text"
    TRUTH = "true or false"
    ANY = "anything"


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list of parts of one form."""

    part: Form


@dataclass(frozen=True, slots=True)
class MapOf:
    """An object of any keys whose values have one form."""

    part: Form


@dataclass(frozen=True, slots=True)
class Maybe:
    """A part that may be null."""

    part: Form


#: What part of a twin can be; a mapping lists the keys of an object.
Form: TypeAlias = "Leaf | ListOf | MapOf | Maybe | Mapping[str, Form]"

_COUNT, _NUMBER, _TEXT, _TRUTH, _ANY = Leaf.COUNT, Leaf.NUMBER, Leaf.TEXT, Leaf.TRUTH, Leaf.ANY
_NAMES: Final = ListOf(_TEXT)

_METRICS: Final = ListOf({"name": _TEXT, "value": _NUMBER, "says": _TEXT})
_EXPOSURE: Final[Form] = {"highest": _NUMBER, "average": _NUMBER, "over": _NUMBER}
_RISKS: Final[Form] = {
    "people": _COUNT,
    "prosecutor": _EXPOSURE,
    "marketer": _NUMBER,
    "uniques": _COUNT,
    "uniques_share": _NUMBER,
    "journalist": Maybe(_EXPOSURE),
    "journalist_marketer": _NUMBER,
}
_VERDICT: Final[Mapping[str, Form]] = {
    "verified": _TRUTH,
    "sha256": _TEXT,
    "bytes": _COUNT,
    "checks": ListOf({"check": _TEXT, "count": _COUNT}),
    "promised": _NAMES,
    "not_promised": _NAMES,
}
_SINGLING: Final[Form] = {
    "columns": _NAMES,
    **dict.fromkeys(("unique", "people"), _COUNT),
    "share": _NUMBER,
    **dict.fromkeys(("over", "most"), _TRUTH),
}
_EXPOSED: Final[Form] = {
    **dict.fromkeys(("people", "range_ends", "set_members", "means"), _COUNT),
    "over": _TRUTH,
}
_MOMENTS: Final[Mapping[str, Form]] = {"mean": _NUMBER, "deviation": _NUMBER, "variance": _NUMBER}
_SIDE: Final[Form] = {
    "missing": _COUNT,
    "numeric": Maybe({**_MOMENTS, "quantiles": Maybe(MapOf(_NUMBER))}),
    "ordinal": Maybe(_MOMENTS),
}
_BINS: Final = ListOf({"label": _TEXT, "kind": _TEXT, "before": _NUMBER, "after": _NUMBER})
_ATTRIBUTE: Final[Form] = {
    "name": _TEXT,
    "role": _TEXT,
    "scale": _TEXT,
    "values": Maybe(ListOf(_COUNT)),
    "single": _COUNT,
    "before": Maybe(_SIDE),
    "after": _SIDE,
    "distance": Maybe({"kind": _TEXT, "value": _NUMBER, "relative": _NUMBER}),
    "distribution": Maybe({"unit": _TEXT, "bins": _BINS}),
    "homogeneity": Maybe({"people": _COUNT, "largest_share": _NUMBER}),
}
_GROUP: Final[Mapping[str, Form]] = {"column": _TEXT, "value": _TEXT, "kind": _TEXT, "records": _COUNT}
_EFFECT: Final[Form] = {
    "column": _TEXT,
    "method": _TEXT,
    "records": _COUNT,
    "unchanged": _COUNT,
    "decimals": _COUNT,
    "bounds": Maybe(ListOf(_NUMBER)),
    "mean": Maybe(ListOf(_NUMBER)),
    "variance": Maybe(ListOf(_NUMBER)),
    "correlation": Maybe(ListOf(_ANY)),
    "linked": _NUMBER,
    "reproducible": _TRUTH,
}
_CELL: Final[Form] = {"column": _TEXT, "before": _TEXT, "after": _TEXT}
_ATTACK: Final[Form] = {
    **dict.fromkeys(("attack", "untried", "of", "unit"), _TEXT),
    **dict.fromkeys(("targets", "claims"), _COUNT),
    **dict.fromkeys(("right", "rate", "baseline", "precision"), _NUMBER),
    "interval": Maybe(ListOf(_NUMBER)),
}
_EVERY: Final[Mapping[str, Form]] = {
    "form": _COUNT,
    "kind": _TEXT,
    "audience": _TEXT,
    "least": _COUNT,
    "name": _TEXT,
    "kohort": _TEXT,
    "notes": _NAMES,
    "metrics": _METRICS,
    "parameters": MapOf(_ANY),
    "purpose": dict.fromkeys(("purpose", "recipient", "legal_basis", "requested_by", "approved_by"), _TEXT),
    "certificate": Maybe({"name": _TEXT, "release": _TEXT, "sha256": _TEXT}),
}

#: The form of each kind of twin, without what only the steward is told.
FORMS: Final[Mapping[str, Mapping[str, Form]]] = {
    "table": {
        **_EVERY,
        "asked": {
            "k": _COUNT,
            "models": _NAMES,
            "method": MapOf(_ANY),
            "max_suppression": _TEXT,
            "columns": ListOf({"name": _TEXT, "role": _TEXT, "how": _TEXT, "declared": _TRUTH}),
        },
        "done": {
            "records": _COUNT,
            "released": _COUNT,
            "incomplete": _COUNT,
            "suppressed": _COUNT,
            "suppressed_share": _NUMBER,
            "people": _COUNT,
            "classes": _COUNT,
            "smallest": _COUNT,
            "largest": _COUNT,
            "node": Maybe(MapOf(_COUNT)),
            "proven": _TRUTH,
        },
        "verdict": {
            **_VERDICT,
            **dict.fromkeys(("unjudged", "no_model"), _NAMES),
            "data_dependent": _TRUTH,
            "standing": _TEXT,
            "limit": _COUNT,
            "singling": ListOf(_SINGLING),
            "exposed": Maybe(_EXPOSED),
        },
        "sizes": ListOf({"low": _COUNT, "high": _COUNT, "classes": _COUNT, "records": _COUNT}),
        "losses": ListOf({"column": _TEXT, "loss": _NUMBER, "level": _COUNT, "height": _COUNT, "members": _NUMBER}),
        "attributes": Maybe(ListOf(_ATTRIBUTE)),
        "associations": ListOf(
            {"columns": _NAMES, "measure": _TEXT, "before": _NUMBER, "after": _NUMBER, "change": _NUMBER}
        ),
        "risks": {"threshold": _NUMBER, "before": Maybe(_RISKS), "after": Maybe(_RISKS)},
        "subgroups": Maybe(
            {
                "suppressed": ListOf({**_GROUP, "suppressed": _COUNT, "share": _NUMBER}),
                "distorted": ListOf({**_GROUP, "loss": _NUMBER}),
                "overall": {"share": _NUMBER, "loss": _NUMBER},
            }
        ),
        "perturbed": ListOf(_EFFECT),
        "pseudonyms": ListOf({"column": _TEXT, "records": _COUNT, "linked": _COUNT}),
        "samples": Maybe(ListOf({"class": _TEXT, "records": _COUNT, "cells": ListOf(_CELL)})),
        "attacks": Maybe(ListOf(_ATTACK)),
    },
    "transactions": {
        **_EVERY,
        "asked": {
            "k": _COUNT,
            "h": _NUMBER,
            "h_exact": _TEXT,
            "p": _COUNT,
            "models": _NAMES,
            "method": MapOf(_ANY),
            "suppress": _TEXT,
            "roles": _TEXT,
        },
        "done": {
            "transactions": _COUNT,
            "emptied": _COUNT,
            "repeated": _COUNT,
            "items": _COUNT,
            "public": _COUNT,
            "private": _COUNT,
            "neither": _COUNT,
            "removed_items": _COUNT,
            "removed_cells": _COUNT,
            "dropped_items": _COUNT,
            "returned_items": _COUNT,
            "released_items": _COUNT,
            "cells": _COUNT,
            "released_cells": _COUNT,
            "proven": _TRUTH,
        },
        "verdict": {**_VERDICT, "cohorts": _COUNT, "smallest": _COUNT, "confidence": _NUMBER},
        "moles": ListOf({"size": _COUNT, "rare": _COUNT, "breach": _COUNT}),
        "lengths": {
            "unit": _TEXT,
            "bins": ListOf({"low": _COUNT, "high": _COUNT, "before": _NUMBER, "after": _NUMBER}),
        },
        "items": Maybe({"dropped": ListOf({"name": _TEXT, "support": _COUNT, "loss": _COUNT}), "more": _COUNT}),
    },
}

#: What the steward is told besides; the grids only where they were compared.
SECONDS: Final[Form] = MapOf(_NUMBER)
GRID: Final[Form] = Maybe(MapOf(_ANY))


def fits(value: object, form: Form) -> bool:
    """Whether a value from JSON has a form.

    >>> fits({"a": [1, None]}, {"a": ListOf(Leaf.COUNT)}), fits({"a": 1, "b": 2}, {"a": Leaf.COUNT})
    (True, False)
    """
    match form:
        case Leaf():
            return _is(value, form)
        case ListOf(part):
            return isinstance(value, list) and all(fits(one, part) for one in cast("list[object]", value))
        case MapOf(part):
            return isinstance(value, dict) and all(fits(one, part) for one in cast("dict[str, object]", value).values())
        case Maybe(part):
            return value is None or fits(value, part)
        case _:
            if not isinstance(value, dict):
                return False
            parts = cast("dict[str, object]", value)
            return parts.keys() == form.keys() and all(fits(parts[key], part) for key, part in form.items())


def _is(value: object, leaf: Leaf) -> bool:
    """Whether a value is what a leaf asks for; no number is more than a float holds."""
    if value is None:
        return True
    match leaf:
        case Leaf.COUNT:
            return type(value) is int
        case Leaf.NUMBER:
            return (type(value) is int and value.bit_length() < 1000) or (type(value) is float and isfinite(value))  # noqa: PLR2004
        case Leaf.TEXT:
            return isinstance(value, str)
        case Leaf.TRUTH:
            return isinstance(value, bool)
        case Leaf.ANY:
            return True
        case _:
            assert_never(leaf)
