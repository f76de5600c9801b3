"""What a plug-in says of itself, once: job form, flags, sweeps, certificate, reports and tables are loops over it.

A specification stands beside the definition that it describes: in the same file of `models/`, `metrics/`, `algorithms/`
or `perturbation/`. Nothing of a plug-in is written down anywhere else.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pkgutil import resolve_name
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar

from kohort.errors import KohortError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    #: The bounds of a value, as JSON Schema says them.
    Bounds: TypeAlias = Mapping[str, object]

T = TypeVar("T")

#: The plug-ins of kohort's own guests by group and key, `module:name` as in entry points. No core room imports a guest.
GUESTS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "kohort.advice": {"transactions": "kohort.transactions.advice:advice_on_transactions"},
        "kohort.certificates": {"transactions": "kohort.transactions.certificate:CoherenceCertificate"},
        "kohort.charts": {"transactions": "kohort.transactions.report.page:transaction_charts"},
        "kohort.commands": {
            "demo": "kohort.samples.demo:demo",
            "app": "kohort.desk.command:app",
            "transactions": "kohort.transactions.command:transactions",
            "convert": "kohort.transactions.command:convert",
            "generate": "kohort.samples.command",
            "generate italy": "kohort.samples.command:italy",
            "generate admissions": "kohort.samples.command:admissions",
            "generate baskets": "kohort.samples.command:baskets",
            "generate matrix": "kohort.transactions.command:matrix",
        },
        "kohort.desk": {"transactions": "kohort.transactions.desk:TRANSACTIONS"},
        "kohort.engines": {"duckdb": "kohort.sql:DUCKDB", "spark": "kohort.sql:SPARK"},
        "kohort.jobs": {"transactions": "kohort.transactions.kind:TRANSACTIONS"},
        "kohort.pages": {"transactions": "kohort.transactions.report.page:TransactionPage"},
    }
)

#: What the help says of each of these commands, which it then does not import: the first line of the docstring.
PURPOSES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "demo": "Generate a register, anonymize it, verify the release and show the result.",
        "app": "Open the desk in your browser: inspect data, choose settings, preview, release.",
        "transactions": "Turn baskets into a verified (h,k,p)-coherent release.",
        "convert": "Convert transactions to another format, without anonymizing them.",
        "generate": "Generate synthetic data of any size, from a seed.",
    }
)

#: Bounds that many parameters have.
AT_LEAST_2: Final[Bounds] = MappingProxyType({"type": "integer", "minimum": 2})
ABOVE_0: Final[Bounds] = MappingProxyType({"type": "number", "exclusiveMinimum": 0})
ABOVE_1: Final[Bounds] = MappingProxyType({"type": "number", "exclusiveMinimum": 1})
SHARE: Final[Bounds] = MappingProxyType({"type": "number", "minimum": 0, "maximum": 1})

NUMBER: Final[Bounds] = MappingProxyType({"type": "number"})
COUNT: Final[Bounds] = MappingProxyType({"type": "integer", "minimum": 0})
TEXT: Final[Bounds] = MappingProxyType({"type": "string"})
TEXTS: Final[Bounds] = MappingProxyType({"type": "object", "additionalProperties": {"type": "string"}})


def word(*words: str) -> Bounds:
    """The bounds of a parameter that is one of these words."""
    return MappingProxyType({"enum": list(words), "type": "string"})


@dataclass(frozen=True, slots=True, eq=False)
class Parameter:
    """A parameter of a plug-in.

    Attributes:
        name: Its letter in the paper, which is its name in Python.
        bounds: Which values it may have, as JSON Schema says it; the plug-in itself refuses all others.
        sentence: What it means.
        examples: Values that it may have; where there are several, each is a variant worth its own row in a table.
        origin: Where a job says it: at the plug-in's own key, at a key of its own beside that one, or for the whole
            job, which has one k.
        rising: Of a privacy model: whether a greater value is stricter, as of k and l; else a smaller one is.
        metavar: Of a setting of an engine: the word for its value in the help; empty for the end of its name.
        classic: Of a parameter of methods: whether it is offered for comparison with the literature.
    """

    name: str
    bounds: Bounds
    sentence: str
    examples: tuple[object, ...]
    origin: Literal["key", "beside", "job"] = "key"
    rising: bool = False
    metavar: str = ""
    classic: bool = False

    @property
    def kind(self) -> str:
        """`integer`, `number` (kept exactly, as a fraction) or `string`."""
        return str(self.bounds["type"])


@dataclass(frozen=True, slots=True, eq=False)
class Specification:
    """What a plug-in says of itself.

    Attributes:
        key: What asks for it in a job file: `entropy-l`.
        title: What the literature calls it: `entropy l-diversity`.
        sentence: What it is or asks for, in a sentence: the description of its key, and the help of its flag.
        usage: Its flag as it is typed: `--entropy-l COLUMN=L`; empty where it has none of its own. The numbers of
            `LOW..HIGH` are a list in a job file, those of `C,L` a table.
        parameters: Its parameters, in the order of the constructor.
        unit: What its figures count or measure: `people`, `share`.
        not_promised: What does not follow from it, in a sentence; empty where there is nothing to warn of.
        properties: For each property that it declares, or expressly does not, the reason.
        technique: What ISO/IEC 20889 calls it, where that has a name for it.
        outcome: Of a perturbation: how a column is released that it has changed: `rounded`, `with noise`.
        first: Of a privacy model: whether its flag is among the few that most people need.

    >>> letter = Parameter("l", ABOVE_1, "Its logarithm is the least entropy.", (2,))
    >>> one = Specification("entropy-l", "entropy l-diversity", "…", "--entropy-l COLUMN=L", (letter,))
    >>> one.flag, one.metavar, one.of_column
    ('--entropy-l', 'L', True)
    """

    key: str
    title: str
    sentence: str
    usage: str = ""
    parameters: tuple[Parameter, ...] = ()
    unit: str = ""
    not_promised: str = ""
    properties: Mapping[str, str] = field(default_factory=dict[str, str])
    technique: str = ""
    outcome: str = ""
    first: bool = False

    @property
    def flag(self) -> str:
        """Its flag, with dashes."""
        return self.usage.partition(" ")[0]

    @property
    def metavar(self) -> str:
        """What its flag takes, of one column where it is of columns: `C,L`."""
        return self.usage.partition(" ")[2].removeprefix("COLUMN=")

    @property
    def of_column(self) -> bool:
        """Whether it is asked for of single columns."""
        return " COLUMN=" in self.usage

    @property
    def own(self) -> tuple[Parameter, ...]:
        """The parameters that stand at its own key."""
        return tuple(one for one in self.parameters if one.origin == "key")

    @property
    def is_range(self) -> bool:
        """Whether its parameters are a list in a job file, the least and the greatest."""
        return ".." in self.metavar

    def written(self, text: str) -> object:
        """What the text of its flag says, as a job file would say it.

        >>> both = Parameter("low", SHARE, "…", (0,)), Parameter("high", SHARE, "…", (1,))
        >>> Specification("presence", "delta-presence", "…", "--presence LOW..HIGH", both).written("0.1..0.9")
        ['0.1', '0.9']
        >>> both = Parameter("c", ABOVE_0, "…", (1,)), Parameter("l", AT_LEAST_2, "…", (2,))
        >>> Specification("recursive", "…", "…", "--recursive COLUMN=C,L", both).written("0.5,3")
        {'c': '0.5', 'l': '3'}
        """
        if self.is_range:
            return text.split("..")
        if len(self.own) == 1:
            return text
        first, *others = self.own
        parts = text.split(",", len(others))
        parts += [""] * (len(self.own) - len(parts))
        return {one.name: part for one, part in zip((first, *others), parts, strict=True)}


@cache
def installed() -> Mapping[str, list[tuple[str, str]]]:
    """The plug-ins that other packages bring, by group: the key of each, and where it is; those of a group by key.

    Few packages name a group of kohort's, which is quickly seen; to parse what all say takes a tenth of a second.
    """
    found: dict[str, list[tuple[str, str]]] = {}
    if any(b"[kohort." in text for folder in sys.path for text in _entry_points(folder or ".")):
        from importlib.metadata import entry_points  # noqa: PLC0415  see above

        for group in (every := entry_points()).groups:
            found[group] = sorted((one.name, one.value) for one in every.select(group=group))
    return found


def _entry_points(folder: str) -> Iterator[bytes]:
    """The lists of entry points in a folder of packages; of an archive a text as if it had some, to be looked at."""
    if os.path.isfile(folder):  # noqa: PTH113  an archive may be named in any way
        yield b"[kohort."
    with suppress(OSError):
        for name in os.listdir(folder):  # noqa: PTH208  half the time
            if name.endswith((".dist-info", ".egg-info")):
                with suppress(OSError), open(f"{folder}/{name}/entry_points.txt", "rb") as file:  # noqa: PTH123  as above
                    yield file.read()


class Plugins(Mapping[str, T]):
    """The plug-ins of a group by key. Each is imported when it is first taken: most runs need one method of many."""

    __slots__ = ("_group", "_loaded", "_points")

    def __init__(self, group: str, places: Mapping[str, str]) -> None:
        """Keep where each is."""
        self._group, self._points = group, places
        self._loaded: dict[str, T] = {}

    def __getitem__(self, key: str) -> T:
        """The plug-in itself.

        Raises:
            UsageError: that of another package cannot be imported.
        """
        if key not in self._loaded:
            place = self._points[key].partition("[")[0].strip()
            try:
                self._loaded[key] = resolve_name(place)
            except Exception as fault:
                if place.startswith("kohort.") or isinstance(fault, KohortError):
                    raise
                what = f"{place}, which brings {key}, cannot be imported ({type(fault).__name__})"
                hint = "install its package again, or uninstall it"
                raise UsageError(what, where=f"entry points {self._group}", hint=hint) from None
        return self._loaded[key]

    @property
    def classics(self) -> tuple[str, ...]:
        """The keys of those for comparison with the literature: their places end with `[classic]`, as with an extra."""
        return tuple(key for key, place in self._points.items() if place.endswith("[classic]"))

    def is_module(self, key: str) -> bool:
        """Whether a plug-in is a module, without importing it."""
        return ":" not in self._points[key]

    def __contains__(self, key: object) -> bool:
        """Whether there is one, without importing it."""
        return key in self._points

    def __iter__(self) -> Iterator[str]:
        """The keys."""
        return iter(self._points)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._points)


def plugins(group: str, own: Mapping[str, str]) -> Plugins[Any]:
    """Every plug-in of a group, by its key: kohort's own, then its guests', then those of other packages, by key.

    Args:
        group: The entry points of other packages: `kohort.models`.
        own: Where each of the core's own is, `module:name` by its key, as in an entry point; ` [classic]` behind it
            puts it among the classics of help, pages and JSON Schema.

    >>> found = plugins("kohort.none", {"one": "kohort.specification:Specification", "two": "package:TWO [classic]"})
    >>> list(found), found.classics
    (['one', 'two'], ('two',))
    """
    found = {**own, **GUESTS.get(group, {})}
    for name, place in installed().get(group, ()):
        if name in found:
            what = f"{place} brings {name}, which exists already"
            raise UsageError(what, where=f"entry points {group}", hint="change its key, or uninstall its package")
        found[name] = place
    return Plugins(group, found)
