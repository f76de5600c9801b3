"""The protection of a table as choices: who gets the release, how large groups are, what they may reveal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kohort.algorithms.method import METHODS
from kohort.job.draft.protection import PROFILES
from kohort.job.edits import table_at, written
from kohort.job.steps import KS, TS, changed
from kohort.job.varied import unfit
from kohort.models.base import models

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from kohort.desk.fields import Field
    from kohort.job.draft.protection import ProfileModels
    from kohort.job.lines import Place
    from kohort.models.base import PrivacyModel

#: The sizes of groups that are offered.
SIZES: Final = tuple(k for k in KS if k <= 100)  # noqa: PLR2004  larger groups are for the expert settings

#: Sensitive columns whose models are offered one by one: each option is a search of a sample.
MOST: Final = 6

#: Keys of a sensitive column that ask for a model, or for none.
_KEYS: Final = frozenset({*(key for key, one in models().items() if one.specification.of_column), "no-model"})


#: Who gets a release: the title, what is supposed of them, k and the models; decision 0028 says why.
PRESETS: Final = (
    ("Inside the house", "Colleagues who are bound by your rules, on your own systems.", 5, PROFILES[2]),
    ("To a partner", "Named recipients whose contract forbids identifying anyone.", 10, PROFILES[1]),
    ("To the public", "Anyone, whatever else they know, forever.", 20, PROFILES[0]),
)


def choices_of(raw: Mapping[str, Any], numeric: Iterable[str]) -> tuple[dict[str, Any], ...]:
    """What can be chosen of a job: who gets it, how large groups are, and the models of the sensitive columns.

    Each has a title, a sentence, and options; each of these a title, a sentence, the words of its version, what it
    changes, and whether the job has it.

    Args:
        raw: The job's tables.
        numeric: The columns that hold numbers.
    """
    said = table_at(raw, ("columns",))
    sensitive = [name for name in said if table_at(said, (name,)).get("role") == "sensitive"]
    numbers, now = frozenset(numeric), table_at(raw, ("privacy",)).get("k")
    sizes: list[int] = sorted({*SIZES, *([now] if isinstance(now, int) else [])})
    return (
        {
            "title": "Who gets the release?",
            "says": "Each sets the size of groups and a model for every sensitive column.",
            "options": [
                option(
                    raw,
                    title,
                    f"{says} k = {k}{f'; {kinds.words}' if sensitive else ''}.",
                    _preset(raw, kinds, k, sensitive, numbers),
                )
                for title, says, k, kinds in PRESETS
            ],
        },
        {
            "title": "How many people share a group? (k)",
            "says": "The people of a group look the same in the release.",
            "options": [
                option(raw, f"k = {k:,}", f"risk at most {100 / k:.3g} %", [(("privacy", "k"), k)]) for k in sizes
            ],
        },
        *(_of_column(raw, name) for name in sensitive[:MOST]),
    )


def option(raw: Mapping[str, Any], title: str, says: str, keys: Iterable[tuple[Place, object]]) -> dict[str, Any]:
    """An option, as `choices_of` has it."""
    changes = tuple(keys)
    chosen = bool(raw) and all(
        written(table_at(raw, place[:-1]).get(place[-1])) == written(value) for place, value in changes
    )
    return {"title": title, "words": title, "says": says, "changes": changes, "chosen": chosen}


def _preset(
    raw: Mapping[str, Any], kinds: ProfileModels, k: int, sensitive: Iterable[str], numbers: AbstractSet[str]
) -> Iterator[tuple[Place, object]]:
    """What k and these models for sensitive columns change."""
    yield ("privacy", "k"), k
    for name in sensitive:
        yield from _with(raw, name, *_key_of((kinds.numbers if name in numbers else kinds.names)(name)))


def _key_of(model: PrivacyModel) -> tuple[str, object]:
    """The key of a column that asks for a model, and its value."""
    own = model.specification
    value = getattr(model, own.own[0].name)
    return own.key, int(value) if value == int(value) and own.own[0].kind == "integer" else float(value)


def _with(raw: Mapping[str, Any], name: str, key: str, value: object) -> Iterator[tuple[Place, object]]:
    """What gives a sensitive column this model and no other."""
    place = ("columns", name)
    yield from (((*place, other), None) for other in table_at(raw, place) if other in _KEYS and other != key)
    yield (*place, key), value


def _of_column(raw: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The models of a sensitive column, the weakest first."""
    ways: list[tuple[str, object, str]] = [("l", 2, "no group has one value alone")]
    ways += [("t", float(t), f"a group differs from all people by at most {float(t):g}") for t in reversed(TS)]
    options = [option(raw, f"{key} = {value}", says, _with(raw, name, key, value)) for key, value, says in ways]
    if not any(one["chosen"] for one in options):
        said = table_at(raw, ("columns", name)).items()
        kept = [f"{key} = {written(value)}" for key, value in said if key in _KEYS and key != "no-model"]
        options.append(option(raw, ", ".join(kept) or "no model", "current setting", ()))
    return {
        "title": f"What a group may reveal of {name}",
        "says": "Smaller t: less is revealed, and more detail is lost.",
        "options": [{**one, "words": f"{one['title']} for {name}"} for one in options],
    }


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
    name = table_at(raw, ("method",)).get("name", "mondrian")
    told = changed({}, {**dict.fromkeys((one.place for one in some), "said"), ("method", "name"): name})
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
