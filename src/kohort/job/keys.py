"""The keys of a job's form and what they are called as flags and as keyword arguments: once, for both."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cache
from types import MappingProxyType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Union, get_args, get_origin

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from pydantic.fields import FieldInfo

    from kohort.job.form import Flag
    from kohort.job.lines import Place
    from kohort.job.parts import Part

#: The parts of a command's help, in this order, each by the tables of a form whose keys stand in it.
PANELS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "Columns": ("columns", "rest", "answers", "perturb"),
        "Items": ("items",),
        "Promise": ("privacy", "person", "population"),
        "Method": ("method",),
        "Reading": ("input", "transactions"),
        "Transactions": (),
        "Writing": ("output",),
        "Output": ("run",),
    }
)

#: The roles of columns, by the flag that names columns of the role, and the sentence of its help.
ROLES: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "quasi": ("quasi", "Quasi-identifying columns: an attacker may know them, so they are generalized."),
        "sensitive": ("sensitive", "Sensitive columns: nobody may learn them about a person; released unchanged."),
        "identifier": ("identifying", "Identifying columns: never released."),
        "insensitive": ("insensitive", "Insensitive columns: released unchanged."),
        "drop": ("drop", "Columns that are not needed: never released."),
    }
)


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a form with its flag.

    Attributes:
        place: Its table and its name in a job file; a role stands behind `role`.
        flag: The flag without its dashes.
        type: The type of its value, without `None`.
        default: What the flag is if it is not given; `None` leaves that to the form.
        panel: The part of the help that it stands in.
        help: The sentence of its help.
        metavar: The word for its value in the help.
        shown: The default as the help shows it; empty for the default itself.
        is_model: Whether it holds parameters of a privacy model.
    """

    place: Place
    flag: str
    type: Any
    default: int | str | None
    panel: str
    help: str
    metavar: str
    shown: str = ""
    is_model: bool = False

    @property
    def name(self) -> str:
        """The name of the parameter that holds the value."""
        return self.flag.replace("-", "_")

    @property
    def keyword(self) -> str:
        """What it is called in Python; the columns of a role by the role itself."""
        return self.place[-1] if self.place[:2] == ("columns", "role") else self.name

    @property
    def of_column(self) -> bool:
        """Whether its flag is `COLUMN=VALUE`."""
        return self.place[0] == "columns" and self.type is not bool and "=" in self.metavar

    @property
    def kind(self) -> Any:  # noqa: ANN401  a type
        """The type of the flag's value as a command line gives it."""
        if self.place[0] == "columns" or self.place in LISTS or get_origin(self.type) in {list, dict}:
            return list[str] | None
        if self.type in {bool, TRI_STATE}:
            return self.type
        return int | None if self.type is int else str | None


#: The type of a flag that can be set, denied or left out.
TRI_STATE: Final = bool | None

#: The keys whose flag is repeatable, or holds several values, besides lists.
LISTS: Final = frozenset(
    {("input", "missing"), ("input", "complete-records"), ("method", "node"), ("perturb", "columns")}
)


#: The k of a job that asks for no model of whole classes.
USUAL_K: Final = 10


def with_usual_k(raw: Mapping[str, object], varied: Collection[str] = ()) -> Mapping[str, object]:
    """The tables of a job, with the usual k where no model of whole classes is asked for, or varied."""
    from kohort.job.form import PrivacyPart  # noqa: PLC0415  flags are made without the form where it is not needed
    from kohort.job.parts import table  # noqa: PLC0415

    privacy = table(raw, "privacy")
    models = {info.alias or name for name, info in PrivacyPart.model_fields.items() if _is_model(info)}
    return raw if models & {*privacy, *varied} else {**raw, "privacy": {**privacy, "k": USUAL_K}}


# --- from a form to its keys ------------------------------------------------------------------------------------------


@cache
def keys_of(form: type[Part]) -> tuple[Key, ...]:
    """The keys of a form that have flags: those of columns first, then in the form's order."""
    found: list[Key] = []
    for table, info in form.model_fields.items():
        part = bare(info.annotation)
        if _flag(info).hidden:
            continue
        if get_origin(part) is dict:
            found = [*map(_role_key, ROLES), *found, *_keys(table, get_args(part)[1])]
        elif _is_part(part):
            found += _keys(table, part)
        else:
            found.append(_key((table,), info))
    return tuple(found)


def _keys(table: str, part: type[Part]) -> Iterator[Key]:
    for name, info in part.model_fields.items():
        if not _flag(info).hidden and name != "role":
            yield _key((table, info.alias or name), info)


def drops(column: Mapping[str, object], role: str) -> bool:
    """Whether a role drops a column that has another, which takes its place: an identifying one is dropped already."""
    return role == "drop" and column["role"] in {"quasi", "sensitive", "insensitive"}


def _role_key(flag: str) -> Key:
    role, sentence = ROLES[flag]
    return Key(("columns", "role", role), flag, list[str], None, "Columns", f"{sentence} (repeatable)", "A,B")


def with_words(sentence: str, kind: object) -> str:
    """The sentence, and the words that a value of this kind can be, unless it names them itself."""
    words = words_of(kind)
    return f"{sentence} One of {', '.join(words)}." if any(word not in sentence for word in words) else sentence


def _key(place: Place, info: FieldInfo) -> Key:
    flag, kind = _flag(info), bare(info.annotation)
    default = flag.default
    if default is None and isinstance(info.default, str):
        default = str(info.default.value if isinstance(info.default, Enum) else info.default)
    if place[0] == "columns" or place == ("method", "grid"):
        default = None
    sentence = info.description or ""
    if place == ("method", "grid"):
        kind = bool
    elif kind is bool and info.default is None:
        kind = TRI_STATE
    else:
        sentence = with_words(sentence, kind)
    is_model = _is_model(info)
    panel = flag.group.capitalize() or ("Promise" if is_model else _panel(place[0]))
    name = flag.name or place[-1]
    metavar = flag.metavar or _metavar(place[-1], kind)
    if place[0] == "columns" and kind is not bool:
        metavar = f"COLUMN={metavar}"
    return Key(place, name, kind, default, panel, sentence, metavar, is_model=is_model)


def _flag(info: FieldInfo) -> Flag:
    """How the command line spells a key; a model's specification does so for its own."""
    from kohort.job.form import Flag  # noqa: PLC0415  as above
    from kohort.specification import Specification  # noqa: PLC0415

    for one in info.metadata:
        if isinstance(one, Specification):
            return Flag(name=one.flag.removeprefix("--"), metavar=one.metavar)
    return next((one for one in info.metadata if isinstance(one, Flag)), Flag())


def _is_model(info: FieldInfo) -> bool:
    from kohort.specification import Parameter as OfPlugin  # noqa: PLC0415  as above
    from kohort.specification import Specification  # noqa: PLC0415

    return any(isinstance(one, (Specification, OfPlugin)) for one in info.metadata)


def _panel(table: str) -> str:
    """The part of the help that the keys of a table stand in."""
    return next(panel for panel, tables in PANELS.items() if table in tables)


def _metavar(key: str, kind: Any) -> str:  # noqa: ANN401  as above
    """A word for the value of a key that suits its type."""
    if words_of(kind):
        return "WORD"
    if kind is int and len(key) > 1:
        return "N"
    shapes: dict[Any, str] = {bool: "A,B", list: "A,B", dict: "ITEM=NUMBER"}
    return shapes.get(get_origin(kind) or kind, key.rpartition("-")[2].upper())


def words_of(kind: Any) -> tuple[str, ...]:  # noqa: ANN401  as above
    """The words that a key takes; none for a key of another type."""
    if get_origin(kind) is Literal:
        return tuple(word.replace("_", "-") for word in get_args(kind))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return tuple(str(one.value) for one in kind)
    return ()


def bare(annotation: Any) -> Any:  # noqa: ANN401  as above
    """The type of a key, without its validators and without `None`."""
    while True:
        args, origin = get_args(annotation), get_origin(annotation)
        if origin is Annotated:
            annotation = args[0]
        elif origin in {Union, UnionType} and type(None) in args and len(args) == len((None, annotation)):
            annotation = next(one for one in args if one is not type(None))
        else:
            return annotation


def _is_part(kind: Any) -> bool:  # noqa: ANN401  as above
    from pydantic import BaseModel  # noqa: PLC0415  as above

    return isinstance(kind, type) and issubclass(kind, BaseModel)
