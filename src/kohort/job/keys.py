"""The keys of a job as data: each is said once, for files, flags, keyword arguments, pages and JSON Schema alike."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from types import MappingProxyType, SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeGuard

from kohort.models.base import models

#: The values of a table's keys, by their attributes.
KeyValues: TypeAlias = SimpleNamespace

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from enum import Enum

    from kohort.errors import UsageError
    from kohort.job.lines import Place
    from kohort.specification import Specification

#: The part of a help, and the title of choices, for what is offered for comparison with the literature.
CLASSICS: Final = "Classics"

#: The parts of a command's help, in this order, each by the tables of a form whose keys stand in it.
PANELS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "Columns": ("columns", "rest", "answers", "perturb"),
        "Items": ("items",),
        "Promise": ("privacy", "person", "population"),
        "Method": ("method",),
        "Input": ("input", "transactions"),
        "Transactions": (),
        "Output": ("output",),
        "Run": ("run",),
        CLASSICS: (),
    }
)

#: The roles of columns, by the flag that names columns of the role, and the sentence of its help.
ROLES: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "quasi": ("quasi", "Quasi-identifying columns: outsiders know them and so find people; generalized."),
        "sensitive": ("sensitive", "Sensitive columns, such as an illness: protected by models; released unchanged."),
        "identifier": ("identifying", "Columns that identify people directly: never released."),
        "insensitive": ("insensitive", "Insensitive columns: neither identifying nor sensitive; released unchanged."),
        "drop": ("drop", "Columns that are not needed: never released."),
    }
)

#: What a command line takes for a flag that can be set, denied or left out, and for one that is repeatable.
TRI_STATE: Final = bool | None
SEVERAL: Final = list[str] | None

#: The default of a key without which there is no job.
REQUIRED: Final = object()

#: The k of a job that asks for no model of whole classes.
USUAL_K: Final = 10


def is_table(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether a value of a job is a table."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[object]]:
    """Whether a value of a job is a list."""
    return isinstance(value, list)


def _as_it_is(value: Any, _: list[UsageError]) -> object:  # noqa: ANN401  whatever a command line took
    return value


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ValueType:
    """The type of a key's value, on every side.

    Attributes:
        read: Makes the value of what a job file says, or raises a `UsageError` without a place; "must …" lacks the key.
        schema: What a job file may say, as JSON Schema.
        flag: What the command line takes for it: `bool`, `TRI_STATE`, `int | None`, `str | None` or `SEVERAL`.
        text: Makes of this what a job file says, and adds faults to a list; `None` stands for nothing.
        python: Makes of a keyword argument what a job file says, where it is not just Python's way to write it.
        hint: The type of the keyword argument, for type checkers.
        metavar: What stands for the value in the help; empty for the name of the key.
        words: The words that it takes; none for a value of another type.
        words_of: The enumeration of these words, which a job keeps.
        classics: Those of the words that are offered for comparison with the literature, and listed last.
        table: The table that it is, if it is one.
        each: In a table whose keys are names: the type of what each name has.
        usual: What a key of this type is where nothing is said of it.
    """

    read: Callable[[object], object] = lambda value: value
    schema: Mapping[str, object] = field(default_factory=dict[str, object])
    flag: Any = str | None
    text: Callable[[Any, list[UsageError]], object] = _as_it_is
    python: Callable[[object, str], object] | None = None
    hint: str = "str"
    metavar: str = ""
    words: tuple[str, ...] = ()
    words_of: type[Enum] | None = None
    classics: tuple[str, ...] = ()
    table: KeyTable | None = None
    each: ValueType | None = None
    usual: object = None


@dataclass(frozen=True, slots=True, eq=False)
class Key:
    """A key of a job.

    Attributes:
        place: Its name, below that of its table where it stands in one; a role stands behind `role`.
        type: The type of its value.
        help: What it means, in a sentence.
        usual: Its value where a job does not say it; `REQUIRED` where every job must.
        flag: The flag without its dashes.
        metavar: The word for its value in the help.
        default: What the flag is if it is not given; `None` leaves that to the form.
        panel: The part of the help that it stands in.
        shown: The default as the help shows it; empty for the default itself.
        model: What the privacy model that it holds parameters of says of itself.
        hidden: Whether only a job file has it.
        first: Whether its flag is among the few that most people need, which the help of a command with many shows.
    """

    place: Place
    type: ValueType
    help: str
    usual: object = None
    flag: str = ""
    metavar: str = ""
    default: int | str | None = None
    panel: str = ""
    shown: str = ""
    model: Specification | None = None
    hidden: bool = False
    first: bool = False

    @property
    def attribute(self) -> str:
        """The name of its value in Python."""
        return self.place[-1].replace("-", "_")

    @property
    def name(self) -> str:
        """The name of the parameter that holds the value of its flag."""
        return self.flag.replace("-", "_")

    @property
    def keyword(self) -> str:
        """What it is called in Python; the columns of a role by the role itself."""
        return self.place[-1] if self.place[:2] == ("columns", "role") else self.name

    @property
    def is_end(self) -> bool:
        """Whether a call in Python says it by other means: where tables are, and what a run may use of the machine."""
        return self.place[0] == "run" or self.place[-1] == "path"

    @property
    def is_model(self) -> bool:
        """Whether it holds parameters of a privacy model."""
        return self.model is not None

    @property
    def of_column(self) -> bool:
        """Whether its flag is `COLUMN=VALUE`."""
        return self.place[0] == "columns" and "=" in self.metavar

    @property
    def kind(self) -> Any:  # noqa: ANN401  a type
        """The type of the flag's value as a command line gives it."""
        return SEVERAL if self.place[0] == "columns" else self.type.flag


def key(name: str, kind: ValueType, sentence: str = "", usual: object = None, **flag: Any) -> Key:  # noqa: ANN401  see `Key`
    """A key of a table: its name, type and sentence, what it usually is, and what its flag has of its own."""
    return Key((name,), kind, sentence, kind.usual if usual is None else usual, **flag)


@dataclass(frozen=True, slots=True, eq=False)
class KeyTable:
    """A table of a job; a whole job is one, too.

    Attributes:
        name: What its JSON Schema is called.
        sentence: What it says.
        keys: Its keys.
    """

    name: str
    sentence: str
    keys: tuple[Key, ...]

    @classmethod
    def of(cls, name: str, sentence: str, *keys: Key) -> KeyTable:
        """A table of these keys."""
        return cls(name, sentence, keys)

    def __getitem__(self, name: str) -> Key:
        """The key of a name."""
        return next(one for one in self.keys if one.place[-1] == name)

    @property
    def names(self) -> list[str]:
        """The names of its keys."""
        return [one.place[-1] for one in self.keys]

    def changed(self, name: str, sentence: str, **sentences: str) -> KeyTable:
        """A table of the same keys, some of which have another sentence."""
        return KeyTable.of(name, sentence, *(replace(k, help=sentences.get(k.attribute, k.help)) for k in self.keys))


def with_usual_k(raw: Mapping[str, object], varied: Collection[str] = ()) -> Mapping[str, object]:
    """The tables of a job, with the usual k where no model of whole classes is asked for, or varied."""
    privacy = raw.get("privacy")
    said = privacy if is_table(privacy) else {}
    asked = {key for key, kind in models().items() if not kind.specification.of_column} & {*said, *varied}
    return raw if asked else {**raw, "privacy": {**said, "k": USUAL_K}}


def drops(column: Mapping[str, object], role: str) -> bool:
    """Whether a role drops a column that has another, which takes its place: an identifying one is dropped already."""
    return role == "drop" and column["role"] in {"quasi", "sensitive", "insensitive"}


# --- the keys that have flags -----------------------------------------------------------------------------------------


@cache
def keys_of(form: KeyTable) -> tuple[Key, ...]:
    """The keys of a form that have flags: those of columns first, then in the form's order."""
    found: list[Key] = []
    for one in form.keys:
        if one.hidden:
            continue
        table, name = one.type.table, one.place[-1]
        if one.type.each is not None and one.type.each.table is not None:
            found = [*map(_role_key, ROLES), *found, *_flags(name, one.type.each.table.keys)]
        else:
            found += [_flag((name,), one)] if table is None else _flags(name, table.keys)
    return tuple(found)


def _flags(table: str, keys: Sequence[Key]) -> Iterator[Key]:
    yield from (_flag((table, *one.place), one) for one in keys if not one.hidden)


def _role_key(flag: str) -> Key:
    role, sentence = ROLES[flag]
    kind, place, first = ValueType(flag=SEVERAL), ("columns", "role", role), role not in {"insensitive", "drop"}
    return Key(place, kind, f"{sentence} (repeatable)", None, flag, "A,B", panel="Columns", first=first)


def _flag(place: Place, one: Key) -> Key:
    """A key with its flag as the help shows it."""
    is_switch, of_column = one.type.flag in {bool, TRI_STATE}, place[0] == "columns"
    metavar = one.metavar or one.type.metavar or one.place[-1].rpartition("-")[2].upper()
    default = one.default
    if default is None and isinstance(one.usual, str) and not of_column and not is_switch:
        default = str(one.usual)
    return replace(
        one,
        place=place,
        help=one.help if is_switch else with_words(one.help, one.type),
        flag=one.flag or place[-1],
        metavar=f"COLUMN={metavar}" if of_column and not is_switch else metavar,
        default=None if of_column else default,
        panel=one.panel or ("Promise" if one.is_model else _panel(place[0])),
    )


def _panel(table: str) -> str:
    return next(panel for panel, tables in PANELS.items() if table in tables)


def with_words(sentence: str, kind: ValueType) -> str:
    """The sentence, and the words that a value of this type can be, unless it names them itself."""
    if all(word in sentence for word in kind.words):
        return sentence
    usual = ", ".join(word for word in kind.words if word not in kind.classics)
    return f"{sentence} One of {usual}{'; classics: ' * bool(kind.classics)}{', '.join(kind.classics)}."
