"""Page models written by hand, with something under every key; and what a page's figures are."""

from __future__ import annotations

import json
from copy import deepcopy
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from kohort.report.figures import PAGES

if TYPE_CHECKING:
    from kohort.report import Json
    from kohort.report.page import Page

#: A part of a page model, as tests change it.
Model = dict[str, Any]

LONG = "occupation_of_the_member_of_the_household_with_the_highest_yearly_income"


def _exposure(highest: float | None, average: float, over: float) -> Model:
    return {"highest": highest, "average": average, "over": over}


def _risks(highest: float | None, average: float, uniques: int) -> Model:
    return {
        "people": 900,
        "prosecutor": _exposure(highest, average, 0.25),
        "marketer": average,
        "uniques": uniques,
        "uniques_share": round(uniques / 900, 10),
        "journalist": _exposure(0.05, 0.01, 0.0),
        "journalist_marketer": 0.01,
    }


def _moments(mean: float) -> Model:
    return {"mean": mean, "deviation": 12.5, "variance": 156.25}


def _side(mean: float, *, numeric: bool) -> Model:
    quantiles = {"0": 18, "0.05": 21, "0.25": 30, "0.5": mean, "0.75": 60, "0.95": 81.5, "1": 90}
    numbers = {**_moments(mean), "quantiles": quantiles} if numeric else None
    return {"missing": 3, "numeric": numbers, "ordinal": None if numeric else _moments(2.5)}


def _bin(label: str, kind: str, before: float, after: float) -> Model:
    return {"label": label, "kind": kind, "before": before, "after": after}


AGES = [_bin(f"[{low}-{low + 5})", "interval", 10 * low, 9.5 * low + 1.25) for low in range(15, 95, 5)]
NAMES = [
    _bin("Farming and food", "node", 120, 131.5),
    _bin("漢字の長い名前の値", "value", 80, 0),
    _bin("a name of a value with so many words that no chart could ever have room for all of them", "value", 44, 40.25),
    _bin("", "others", 4_000, 4_000.5),
    _bin("", "missing", 3, 3.0),
]


def _attribute(name: str, role: str, bins: list[Model] | None, **others: object) -> Model:
    numeric = bins is AGES
    return {
        "name": name,
        "role": role,
        "scale": "numeric" if numeric else "categorical",
        "values": [73, 21],
        "single": 12,
        "before": _side(45.5, numeric=numeric),
        "after": _side(45.25, numeric=numeric),
        "distance": {"kind": "wasserstein" if numeric else "total variation", "value": 0.577, "relative": 0.008},
        "distribution": None if bins is None else {"unit": "records", "bins": deepcopy(bins)},
        "homogeneity": None,
        **others,
    }


def _group(column: str, value: str, kind: str, **figures: float) -> Model:
    return {"column": column, "value": value, "kind": kind, "records": 40, **figures}


def _effect(column: str, **others: object) -> Model:
    return {
        "column": column,
        "method": "noise of 1/10 of the variance",
        "records": 897,
        "unchanged": 4,
        "decimals": 0,
        "bounds": [0, None],
        "mean": [39961.25, 39961.5],
        "variance": [776514.125, 776514.0],
        "correlation": [-0.0123, "age"],
        "linked": 0.0425,
        "reproducible": True,
        **others,
    }


def _every(kind: str) -> Model:
    return {
        "form": 2,
        "kind": kind,
        "audience": "internal",
        "least": None,
        "name": "release.csv",
        "kohort": "0.1.0",
        "notes": [],
        "metrics": [
            {"name": "lm", "value": 1.9075596041, "says": "The losses of all quasi-identifiers, added up."},
            {"name": "ncp", "value": 0.3815119208, "says": "The mean loss of a quasi-identifier."},
            {"name": "distortion", "value": 0.0984878631, "says": "The share of all items that the release lacks."},
            {"name": "c_dm", "value": None, "says": "Discernibility."},
        ],
        "parameters": {
            "kind": "Job",
            "schema": {"attributes": [{"name": "age", "bounds": ["18", "90"], "weight": "1", "pseudonym": False}]},
            "models": [{"kind": "KAnonymity", "k": 10}],
            "reading": {"max_ratio": 200, "quote": '"', "missing": [""]},
            "perturbations": [],
        },
        "purpose": {
            "purpose": "length of stay by age",
            "recipient": "the regional health office",
            "legal_basis": None,
            "requested_by": "the office",
            "approved_by": None,
        },
        "certificate": {"name": "release.csv.kohort.json", "release": "release.csv", "sha256": "8d7a" * 16},
        "seconds": {"read": 0.3071, "verify": 0.0293},
        "public": None,
    }


def _verdict(**others: object) -> Model:
    return {
        "verified": True,
        "sha256": "8d7a" * 16,
        "bytes": 284981,
        "checks": [{"check": "classes", "count": 350}, {"check": "order", "count": 5000}],
        "promised": ["Every equivalence class satisfies 10-anonymity."],
        "not_promised": ["Linkage with other data.", "Right roles."],
        **others,
    }


def _singling(*columns: str, unique: int | None, share: float | None, over: bool = True, most: bool = False) -> Model:
    return {"columns": [*columns], "unique": unique, "people": 900, "share": share, "over": over, "most": most}


def _exposed(people: int, *, over: bool) -> Model:
    return {"people": people, "range_ends": 390, "set_members": 12, "means": 1, "over": over}


def _attack(**others: object) -> Model:
    return {
        "attack": "linking",
        "untried": None,
        "of": None,
        "unit": "people",
        "targets": 900,
        "claims": 895,
        "right": 63.5,
        "rate": 0.0706,
        "interval": [0.055, 0.089],
        "baseline": 0.0011,
        "precision": 0.0709,
        **others,
    }


def _sample(place: str, records: int) -> Model:
    cells = [("person_id", None, None), ("age", "31", "[30-35)"), ("income", "", ""), (LONG, "漢字", "{漢字, kana}")]
    return {
        "class": place,
        "records": records,
        "cells": [{"column": column, "before": before, "after": after} for column, before, after in cells],
    }


def _table() -> Model:
    """The page model of a table's release, without the public page model in it."""
    model = _every("table") | {
        "asked": {
            "k": 10,
            "models": ["10-anonymity", "2-diversity of income"],
            "method": {"name": "samarati", "objective": "lm", "node": {"age": 2, LONG: 1}, "relaxed": False},
            "max_suppression": "5%",
            "columns": [
                {"name": "person_id", "role": "identifying", "how": "removed", "declared": False},
                {"name": "age", "role": "quasi", "how": "intervals:5,10,20", "declared": True},
                {"name": LONG, "role": "quasi", "how": "hierarchy of height 3", "declared": True},
                {"name": "income", "role": "sensitive", "how": "released unchanged", "declared": True},
                {"name": "town", "role": "insensitive", "how": "released unchanged", "declared": False},
            ],
        },
        "done": {
            "records": 1000,
            "released": 980,
            "incomplete": 12,
            "suppressed": 20,
            "suppressed_share": 0.02,
            "people": 900,
            "classes": 41,
            "smallest": 10,
            "largest": 121,
            "node": {"age": 2, LONG: 1},
            "proven": True,
        },
        "verdict": _verdict(
            data_dependent=True,
            standing="bad",
            limit=10,
            singling=[
                _singling("income", unique=831, share=0.9233, most=True),
                _singling("town", unique=0, share=0.0, over=False),
                _singling("town", "ήλικία", unique=91, share=0.1011),
            ],
            together=[
                _singling("income", "town", "ήλικία", unique=871, share=0.9678, most=True),
                _singling("age", LONG, "income", "town", "ήλικία", unique=893, share=0.9922, most=True),
            ],
            exposed=_exposed(403, over=True),
            unjudged=["income"],
            no_model=["ήλικία"],
        ),
        "sizes": [
            {"low": None, "high": 9, "classes": 1, "records": 9},
            {"low": 10, "high": 19, "classes": 30, "records": 440},
            {"low": 20, "high": 20, "classes": 10, "records": 531},
        ],
        "losses": [
            {"column": "age", "loss": 0.216, "level": 2, "height": 4, "members": None, "bulk": 0.4321},
            {"column": LONG, "loss": 0.0002, "level": 1, "height": 3, "members": 18.04, "bulk": None},
            {"column": "sex", "loss": None, "level": None, "height": None, "members": 2.0, "bulk": None},
        ],
        "attributes": [
            _attribute("age", "quasi", AGES),
            _attribute(LONG, "quasi", NAMES, single=0),
            _attribute(
                "income",
                "sensitive",
                None,
                homogeneity={"people": 12, "uncommon": 12, "largest_share": 0.8, "share_of_all": 0.3127},
            ),
            _attribute(
                "ήλικία",
                "sensitive",
                NAMES,
                homogeneity={"people": 0, "uncommon": 0, "largest_share": None, "share_of_all": None},
            ),
            _attribute("town", "insensitive", NAMES, distance={"kind": "total variation", "value": 0, "relative": 0}),
        ],
        "associations": [
            {
                "columns": [f"a{nth}", LONG],
                "measure": "cramers v",
                "before": 0.5,
                "after": round(0.5 - nth / 100, 10),
                "change": -nth / 100,
            }
            for nth in range(12)
        ],
        "risks": {"threshold": 0.2, "before": _risks(1.0, 0.9934, 830), "after": _risks(0.1, 0.07, 0)},
        "subgroups": {
            "suppressed": [
                _group("age", "", "missing", suppressed=20, share=0.5),
                _group(LONG, "Farming and food", "node", suppressed=2, share=0.05),
            ],
            "distorted": [_group("town", f"town {nth}", "value", loss=0.9 - nth / 50) for nth in range(14)],
            "overall": {"share": 0.02, "loss": 0.31},
        },
        "perturbed": [
            _effect("income"),
            _effect("name", mean=None, variance=None, correlation=None, reproducible=False),
        ],
        "pseudonyms": [{"column": "person_id", "records": 980, "linked": 80}],
        "samples": [_sample("smallest", 10), _sample("median", 22), _sample("largest", 121)],
        "attacks": [
            _attack(),
            _attack(attack="order", of="income"),
            _attack(**dict.fromkeys(_attack()) | {"attack": "intersection", "untried": "it needs other releases"}),
        ],
        "grid": {
            "with": {"lm": 1.2, "exposed": 0, "range_exposure": 0, "downcoded": 0.0},
            "without": {"lm": 1.1, "exposed": 403, "range_exposure": 401, "downcoded": 0.57},
            "grids": {"age": "5"},
            "proposed": False,
        },
    }
    return deepcopy(model)


def table() -> Model:
    """The page model of a table's release, with the public page model in it."""
    return _table() | {"public": public_table()}


def public_table() -> Model:
    """A page model as anybody may see it: much is not told."""
    model = _table()
    model |= {"audience": "public", "least": 10, "notes": ["No count of fewer than 10 people is in this page."]}
    for key in ("records", "suppressed", "suppressed_share", "people", "smallest"):
        model["done"][key] = None
    model["risks"]["before"] |= {"prosecutor": _exposure(None, 0.99, 1.0), "uniques": None, "journalist": None}
    model["risks"]["after"] |= {"journalist": None, "journalist_marketer": None}
    model["verdict"]["checks"] = [{"check": "classes", "count": None}]
    for one in model["attributes"]:
        one |= {"values": None, "single": None, "before": None}
        if one["distribution"]:
            one["distribution"]["unit"] = "share"
            for each in one["distribution"]["bins"]:
                each |= {"before": each["before"] / 10_000, "after": each["after"] / 10_000}
    model["verdict"] |= {"standing": "caution", "unjudged": [], "no_model": []}
    model["verdict"]["exposed"], model["done"]["proven"] = None, None
    for one in model["losses"]:
        one["loss"] = None
    model["verdict"]["singling"] = [
        _singling("income", unique=None, share=None, over=True),
        _singling("town", unique=None, share=None, over=False),
    ]
    nothing = dict.fromkeys(("targets", "claims", "right", "interval", "precision"))
    model |= {"samples": None, "attacks": [_attack(**nothing)]}
    model |= {"subgroups": None, "perturbed": [], "pseudonyms": [], "associations": []}
    del model["seconds"], model["public"], model["grid"]
    return model


def trial() -> Model:
    """The page model of a dry run that released nothing."""
    model = table()
    model |= {"name": None, "certificate": None, "attributes": None, "sizes": [], "metrics": []}
    model["done"] |= {"released": 0, "classes": 0, "smallest": 0, "largest": 0, "node": None, "people": None}
    model["done"] |= {"suppressed": 0, "proven": False}
    model["verdict"] = _verdict(
        verified=False,
        sha256=None,
        bytes=None,
        checks=[],
        promised=[],
        data_dependent=None,
        standing=None,
        limit=10,
        singling=[],
        together=[],
        exposed=None,
        unjudged=[],
        no_model=[],
    )
    model |= {"samples": None, "attacks": None}
    model["risks"] |= {"before": None, "after": None}
    model["asked"] |= {"k": 1, "max_suppression": None}
    return model


def _transactions() -> Model:
    """The page model of a transaction database's release, without the public page model in it."""
    model = _every("transactions") | {
        "asked": {
            "k": 10,
            "h": 0.4,
            "h_exact": "2/5",
            "p": 3,
            "models": ["(0.4, 10, 3)-coherence"],
            "method": {"name": "mmil", "score": "mmil", "give_back": True},
            "suppress": "items",
            "roles": "The private items were listed; all others are public.",
        },
        "done": {
            "transactions": 2000,
            "emptied": 25,
            "items": 13,
            "public": 11,
            "private": 2,
            "neither": 0,
            "removed_items": 1,
            "released_items": 8,
            "proven": True,
            "dropped_items": 5,
            "returned_items": 1,
            "released_cells": 4531,
            "cells": 5026,
            "removed_cells": 0,
            "repeated": 7,
        },
        "verdict": _verdict(cohorts=42, smallest=22, confidence=0.15),
        "moles": [{"size": 1, "rare": 0, "breach": 1}, {"size": 2, "rare": 12, "breach": 0}],
        "lengths": {
            "unit": "transactions",
            "bins": [
                {"low": 0, "high": 0, "before": 77, "after": 102},
                {"low": 2, "high": 3, "before": 1135, "after": 1162},
            ],
        },
        "items": {
            "dropped": [{"name": f"item {nth}", "support": 37 + nth, "loss": 37 + nth} for nth in range(30)],
            "more": 3,
        },
    }
    return deepcopy(model)


def transactions() -> Model:
    """The page model of a release of transactions, with the public page model in it."""
    return _transactions() | {"public": public_transactions()}


def public_transactions() -> Model:
    """The same for anybody, of a release by cells."""
    model = _transactions()
    model |= {"audience": "public", "least": 10, "items": None}
    model["asked"]["suppress"] = "cells"
    for key in ("emptied", "cells", "repeated", "removed_cells"):
        model["done"][key] = None
    kept = ("transactions", "released_items", "released_cells")
    model["done"] = {name: figure if name in kept else None for name, figure in model["done"].items()}
    model["verdict"] |= {"cohorts": 0, "smallest": None, "confidence": None}
    model["lengths"] = {"unit": "share", "bins": [{"low": 0, "high": 3, "before": 0.4, "after": 0.6}]}
    model["moles"] = []
    del model["seconds"], model["public"]
    return model


MODELS = {
    "table": table,
    "public table": public_table,
    "trial": trial,
    "transactions": transactions,
    "public transactions": public_transactions,
}


def page_of(model: Json) -> Page:
    """The page model of a page model; lists are tuples in it.

    Raises:
        ValidationError: it is no page.
    """
    kind = PAGES.get(str(cast("Model", model).get("kind")), PAGES["table"])
    page: Page = kind.model_validate(model, strict=False)
    return page


class Summary(NamedTuple):
    """A figure of a page.

    Attributes:
        value: Its exact value, from JSON.
        place: Where it stands in the page model.
        text: What is read.
    """

    value: Json
    place: str
    text: str


class Read(HTMLParser):
    """What a page is made of."""

    def __init__(self, html: str) -> None:
        """Read it."""
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str]] = set()
        self.values: dict[str, list[str]] = {}
        self.shown: list[Summary] = []
        self.text = ""
        self._open: tuple[str, str] | None = None
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take a tag and what it says."""
        self.tags.add(tag)
        for name, value in attrs:
            self.attributes.add((tag, name))
            self.values.setdefault(name, []).append(value or "")
        if tag == "data":
            parts = dict(attrs)
            self._open = (str(parts["value"]), str(parts["data-figure"]))

    def handle_data(self, data: str) -> None:
        """Take what is read."""
        self.text += data
        if self._open is not None:
            value, place = self._open
            self.shown.append(Summary(json.loads(value), place, data))
            self._open = None


def at(model: Json, place: str) -> Json:
    """The part of a page model at a place, whose keys may hold points themselves.

    >>> at({"a.b": [1, 2]}, "a.b.1")
    2
    """
    if place == "":
        return model
    if isinstance(model, list):
        first, _, rest = place.partition(".")
        return at(model[int(first)], rest)
    assert isinstance(model, dict), place
    for key, part in model.items():
        if place == key:
            return part
        if place.startswith(f"{key}."):
            try:
                return at(part, place[len(key) + 1 :])
            except (AssertionError, IndexError, ValueError):
                continue
    raise AssertionError(place)
