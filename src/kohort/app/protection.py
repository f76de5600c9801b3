"""The protection of a table as choices: who gets the release, how large groups are, what they may reveal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kohort.algorithms.method import METHODS
from kohort.app.fields import table_at, written
from kohort.job.draft.protection import PROFILES
from kohort.job.steps import KS, TS
from kohort.job.varied import unfit
from kohort.models.base import models

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from kohort.app.fields import Field
    from kohort.app.subjects import Changes
    from kohort.models.base import PrivacyModel

#: The sizes of groups that are offered.
SIZES: Final = tuple(k for k in KS if k <= 100)  # noqa: PLR2004  larger groups are for the expert settings

#: Sensitive columns whose models are offered one by one: each option is a search of a sample.
MOST: Final = 6

#: Keys of a sensitive column that ask for a model, or for none.
_KEYS: Final = frozenset({*(key for key, one in models().items() if one.specification.of_column), "no-model"})


class Preset(NamedTuple):
    """A protection for those who get the release; decision 0028 says why.

    Attributes:
        key: What a form sends.
        title: Who gets it.
        says: What is supposed of them.
        k: The records of a group at least.
        profile: The models of sensitive columns, by the place in `PROFILES`.
    """

    key: str
    title: str
    says: str
    k: int
    profile: int


PRESETS: Final = (
    Preset("house", "Inside the house", "Colleagues who are bound by your rules, on your own systems.", 5, 2),
    Preset("partner", "To a partner", "Named recipients whose contract forbids identifying anyone.", 10, 1),
    Preset("public", "To the public", "Anyone, with whatever else they know, for good.", 20, 0),
)


class Option(NamedTuple):
    """A choice: its button, and what it changes.

    Attributes:
        title: What the button says.
        says: What it means.
        changes: What keys of the job become.
        chosen: Whether the job has it.
    """

    title: str
    says: str
    changes: Changes
    chosen: bool


class Choices(NamedTuple):
    """Options of which a job has one, or none.

    Attributes:
        title: What is chosen.
        says: What it means.
        options: In order.
        of: The column that they are about; empty if none.
    """

    title: str
    says: str
    options: tuple[Option, ...]
    of: str = ""


def choices_of(raw: Mapping[str, Any], numeric: Iterable[str]) -> tuple[Choices, ...]:
    """What can be chosen of a job: who gets it, how large groups are, and the models of the sensitive columns.

    Args:
        raw: The job's tables.
        numeric: The columns that hold numbers.
    """
    said = table_at(raw, ("columns",))
    sensitive = [name for name in said if table_at(said, (name,)).get("role") == "sensitive"]
    numbers = frozenset(numeric)
    presets = tuple(_preset(raw, one, sensitive, numbers) for one in PRESETS)
    now = table_at(raw, ("privacy",)).get("k")
    sizes = sorted({*SIZES, *([now] if isinstance(now, int) else [])})
    groups = tuple(
        Option(f"k = {k:,}", f"risk at most {100 / k:.3g} %", ((("privacy", "k"), k),), chosen=k == now) for k in sizes
    )
    of_columns = (_of_column(name, table_at(said, (name,))) for name in sensitive[:MOST])
    return (
        Choices(
            "Who gets the release?", "Each sets the size of groups and a model for every sensitive column.", presets
        ),
        Choices("How many people share a group? (k)", "The people of a group look the same in the release.", groups),
        *of_columns,
    )


def _preset(raw: Mapping[str, Any], preset: Preset, sensitive: Sequence[str], numbers: frozenset[str]) -> Option:
    kinds = PROFILES[preset.profile]
    keys: list[tuple[tuple[str, ...], object]] = [(("privacy", "k"), preset.k)]
    for name in sensitive:
        keys += _with(
            name, table_at(raw, ("columns", name)), *_key_of((kinds.numbers if name in numbers else kinds.names)(name))
        )
    says = f"{preset.says} k = {preset.k}{f'; {kinds.words}' if sensitive else ''}."
    return Option(preset.title, says, tuple(keys), chosen=_has(raw, keys))


def _key_of(model: PrivacyModel) -> tuple[str, object]:
    """The key of a column that asks for a model, and its value."""
    own = model.specification
    value = getattr(model, own.own[0].name)
    return own.key, int(value) if value == int(value) and own.own[0].kind == "integer" else float(value)


def _with(name: str, said: Mapping[str, Any], key: str, value: object) -> Iterator[tuple[tuple[str, ...], object]]:
    """What gives a sensitive column this model and no other."""
    yield from ((("columns", name, other), None) for other in said if other in _KEYS and other != key)
    yield ("columns", name, key), value


def _has(raw: Mapping[str, Any], keys: Iterable[tuple[tuple[str, ...], object]]) -> bool:
    """Whether a job says all this already."""
    return bool(raw) and all(
        written(table_at(raw, place[:-1]).get(place[-1])) == written(value) for place, value in keys
    )


def _of_column(name: str, said: Mapping[str, Any]) -> Choices:
    """The models of a sensitive column, the weakest first."""
    ways: list[tuple[str, object, str]] = [("l", 2, "no group has one value alone")]
    ways += [("t", float(t), f"a group differs from all people by at most {float(t):g}") for t in reversed(TS)]
    raw = {"columns": {name: said}}
    options = [
        Option(f"{key} = {value}", says, keys, chosen=_has(raw, keys))
        for key, value, says in ways
        for keys in [tuple(_with(name, said, key, value))]
    ]
    if not any(one.chosen for one in options):
        kept = [f"{key} = {written(value)}" for key, value in said.items() if key in _KEYS and key != "no-model"]
        options.append(Option(", ".join(kept) or "no model", "as it is now", (), chosen=True))
    title = f"What a group may reveal of {name}"
    return Choices(title, "Smaller t: less is revealed, and more detail is lost.", tuple(options), name)


# --- fields that apply ------------------------------------------------------------------------------------------------

#: What can be said of a column in each role, besides models.
_OF_ROLES: Final[Mapping[str, frozenset[str]]] = {
    "identifying": frozenset({"pseudonym"}),
    "quasi": frozenset(
        {"scale", "date-format", "pivot", "hierarchy", "max-level", "weight", "bounds", "grid", "order", "label"}
        | {"missing", "allow-singling"}
    ),
    "sensitive": frozenset({"scale", "hierarchy", "order", "bounds", "missing", "no-model", "allow-singling"}),
    "insensitive": frozenset({"allow-singling"}),
}

#: What can be said of columns of one scale alone.
_OF_SCALES: Final[Mapping[str, str]] = {"date-format": "date", "pivot": "date", "order": "categorical"}


def applying(fields: Iterable[Field], raw: Mapping[str, Any]) -> tuple[Field, ...]:
    """The fields that mean something in the job as it is, and those that say something.

    Args:
        fields: Those of its tables `privacy`, `method`, `person` and of a column.
        raw: The job's tables.
    """
    some = tuple(fields)
    name = str(table_at(raw, ("method",)).get("name", "mondrian"))
    told: dict[str, dict[str, Any]] = {"method": {}, "privacy": {}, "columns": {}}
    for one in some:
        if one.place[0] == "columns":
            told["columns"].setdefault(one.place[1], {})[one.key] = "said"
        else:
            told.setdefault(one.place[0], {})[one.key] = "said"
    told["method"]["name"] = name
    away = frozenset(unfit(told, [*METHODS]))
    return tuple(one for one in some if one.value or (one.place not in away and _applies(one, raw)))


def _applies(field: Field, raw: Mapping[str, Any]) -> bool:
    if field.place[0] != "columns":
        return True
    said = table_at(raw, field.place[:2])
    role, scale = str(said.get("role", "")), said.get("scale")
    if field.is_model or field.key == "distance":
        return role == "sensitive"
    return field.key in _OF_ROLES.get(role, frozenset()) and scale in {None, _OF_SCALES.get(field.key, scale)}


def in_words(said: Mapping[str, Any]) -> str:
    """What a job says of a column, as a person reads it.

    >>> in_words({"role": "quasi", "scale": "numeric", "grid": 5})
    'cut points every 5'
    >>> in_words({"role": "sensitive", "t": 0.2, "allow-singling": True})
    't-closeness (t = 0.2); released although it singles people out'
    """
    return "; ".join(words for key, value in said.items() if (words := _words(key, value)))


def _words(key: str, value: object) -> str:  # noqa: PLR0911  one for each kind of key
    known = models().get(key)
    if known is not None:
        return f"{known.specification.title} ({key} = {written(value)})"
    match key, value:
        case ("role" | "scale" | "date-format" | "label", _):
            return ""
        case "grid", int() | float():
            return f"cut points every {written(value)}"
        case "grid", _:
            return f"cut points by {written(value)}"
        case "hierarchy", str():
            return _grouped(value)
        case "allow-singling", True:
            return "released although it singles people out"
        case "no-model", True:
            return "no limit on what a group reveals"
        case "pseudonym", True:
            return "replaced by pseudonyms"
        case _:
            return f"{key.replace('-', ' ')}: {written(value)}"


#: Builders of hierarchies in words; what a builder is told goes in.
_BUILDERS: Final[Mapping[str, str]] = {
    "suppress": "a value or nothing",
    "intervals": "ranges of {}",
    "mask": "characters masked from the {}",
    "prefix": "grouped by first characters",
    "dates": "grouped by periods",
    "public": "public groups of {}",
}


def _grouped(hierarchy: str) -> str:
    builder, _, rest = hierarchy.partition(":")
    return _BUILDERS.get(builder, f"groups of the file {builder}").format(rest.replace(",", ", "))
