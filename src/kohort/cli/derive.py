"""The flags of a command, derived from the form of a job: one for each key, its description the help.

A command is a function of few parameters. `flattened` turns it into one that typer reads: a parameter marked with
`Keys` becomes the flags of those keys of a form, a named tuple the flags of its fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cache
from inspect import Parameter, Signature
from types import MappingProxyType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Final,
    Literal,
    NamedTuple,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

import typer
from typer.models import OptionInfo, ParameterInfo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pydantic.fields import FieldInfo

    from kohort.job.form import Flag
    from kohort.job.lines import Place
    from kohort.job.parts import Part

#: The parts of a command's help, in this order, each by the tables of a form whose keys stand in it.
PANELS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "Columns": ("columns", "rest", "perturb"),
        "Items": ("items",),
        "Promise": ("privacy", "person", "population"),
        "Method": ("method",),
        "Reading": ("input", "transactions"),
        "Transactions": (),
        "Writing": ("output",),
        "Output": (),
    }
)

#: The form of a job on a table, and that of one on transactions.
TABLE: Final = "kohort.job.form:JobFile"
BASKETS: Final = "kohort.job.transactions_form:TransactionFile"

#: What a panel's title shows of a flag.
EXAMPLES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "quasi": "age,zip",
        "sensitive": "illness",
        "transactions": "",
        "private": "hiv",
        "h": "0.4",
        "k": "10",
        "t": "illness=0.2",
        "method": "optimal",
        "give-back": "",
        "separator": "';'",
        "missing-token": "'?'",
        "out": "release.csv",
        "overwrite": "",
        "report": "report.html",
        "json": "",
    }
)

#: Short forms of flags.
SHORT: Final[Mapping[str, tuple[str]]] = MappingProxyType({"k": ("-k",), "out": ("-o",)})

#: How many flags a panel's title shows.
SHOWN: Final = 2

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
    def of_column(self) -> bool:
        """Whether its flag is `COLUMN=VALUE`."""
        return self.place[0] == "columns" and self.type is not bool and "=" in self.metavar

    @property
    def kind(self) -> Any:  # noqa: ANN401  a type as typer reads it
        """The type of the flag's value."""
        if self.place[0] == "columns" or self.place in LISTS or get_origin(self.type) in {list, dict}:
            return list[str] | None
        if self.type in {bool, TRI_STATE}:
            return self.type
        return int | None if self.type is int else str | None

    def parameter(self) -> Parameter:
        """The flag as a parameter of the function that typer reads."""
        if self.place == ("input", "path"):
            return _argument(self)
        kind = self.kind
        name = f"--{self.flag}/--no-{self.flag}" if kind == TRI_STATE else f"--{self.flag}"
        info = typer.Option(
            name,
            *SHORT.get(self.flag, ()),
            metavar=None if kind in {bool, TRI_STATE} else self.metavar,
            help=self.help,
            rich_help_panel=self.panel,
            show_default=self.shown or True,
        )
        required = self.place == ("output", "path")
        default = Parameter.empty if required else False if kind is bool else self.default
        return _parameter(self.name, str if required else kind, info, default)


#: The type of a flag that can be set, denied or left out.
TRI_STATE: Final = bool | None

#: The keys whose flag is repeatable, or holds several values, besides lists.
LISTS: Final = frozenset(
    {("input", "missing"), ("input", "complete-records"), ("method", "node"), ("perturb", "columns")}
)


def _argument(key: Key) -> Parameter:
    """The input, which has no flag."""
    return _parameter("source", str, typer.Argument(metavar="IN", help=key.help), Parameter.empty)


def _parameter(name: str, kind: Any, info: ParameterInfo, default: object) -> Parameter:  # noqa: ANN401  as above
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, info])


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
    """The keys of a table."""
    for name, info in part.model_fields.items():
        if not _flag(info).hidden and name != "role":
            yield _key((table, info.alias or name), info)


def _role_key(flag: str) -> Key:
    """The flag that names the columns of a role."""
    role, sentence = ROLES[flag]
    return Key(("columns", "role", role), flag, list[str], None, "Columns", f"{sentence} (repeatable)", "A,B")


def _key(place: Place, info: FieldInfo) -> Key:
    """The key at a place of a form."""
    flag, kind = _flag(info), bare(info.annotation)
    default = flag.default
    if default is None and isinstance(info.default, str):
        default = str(info.default.value if isinstance(info.default, Enum) else info.default)
    if place[0] == "columns" or place == ("method", "grid"):
        default = None
    words = words_of(kind)
    sentence = info.description or ""
    if place == ("method", "grid"):
        kind = bool
    elif kind is bool and info.default is None:
        kind = TRI_STATE
    elif any(word not in sentence for word in words):
        sentence = f"{sentence} One of {', '.join(words)}."
    is_model = _is_model(info)
    panel = flag.group.capitalize() or ("Promise" if is_model else _panel(place[0]))
    name = flag.name or place[-1]
    metavar = flag.metavar or _metavar(place[-1], kind)
    if place[0] == "columns" and kind is not bool:
        metavar = f"COLUMN={metavar}"
    return Key(place, name, kind, default, panel, sentence, metavar, is_model=is_model)


def _flag(info: FieldInfo) -> Flag:
    """How the command line spells a key; a model's specification does so for its own."""
    from kohort.job.form import Flag
    from kohort.specification import Specification

    for one in info.metadata:
        if isinstance(one, Specification):
            return Flag(name=one.flag.removeprefix("--"), metavar=one.metavar)
    return next((one for one in info.metadata if isinstance(one, Flag)), Flag())


def _is_model(info: FieldInfo) -> bool:
    """Whether a key holds parameters of a privacy model."""
    from kohort.specification import Parameter as OfPlugin
    from kohort.specification import Specification

    return any(isinstance(one, (Specification, OfPlugin)) for one in info.metadata)


def _panel(table: str) -> str:
    """The part of the help that the keys of a table stand in."""
    return next(panel for panel, tables in PANELS.items() if table in tables)


def _metavar(key: str, kind: Any) -> str:  # noqa: ANN401  as above
    """A word for the value of a key that suits its type."""
    origin = get_origin(kind)
    if _is_part(kind):
        return ",".join(name.upper() for name in kind.model_fields)
    if words_of(kind):
        return "WORD"
    if kind is int and len(key) > 1:
        return "N"
    shapes = {list: "A,B", dict: "ITEM=NUMBER", tuple: "LOW..HIGH"}
    return "A,B" if kind is bool else shapes.get(origin, key.rpartition("-")[2].upper())


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
    from pydantic import BaseModel

    return isinstance(kind, type) and issubclass(kind, BaseModel)


# --- from a command's function to the one that typer reads ------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Given:
    """What the flags of some keys hold.

    Attributes:
        keys: The keys.
        values: The value of each flag, by the flag without its dashes.
        typed: The flags that the command line has, all others being what they are by default.
    """

    keys: tuple[Key, ...]
    values: Mapping[str, Any]
    typed: frozenset[str]

    def __getitem__(self, flag: str) -> Any:  # noqa: ANN401  whatever typer made of a flag
        """The value of a flag."""
        return self.values[flag]

    def used(self) -> dict[str, object]:
        """The values of the flags that the command line has, by the flag."""
        typed = [key for key in self.keys if key.flag in self.typed]
        denied = {f"no-{key.flag}": True for key in typed if key.type == TRI_STATE and not self.values[key.flag]}
        return {key.flag: self.values[key.flag] for key in typed} | denied

    def only(self, *flags: str) -> Given:
        """Those of some flags."""
        return replace(self, keys=tuple(key for key in self.keys if key.flag in flags))


@dataclass(frozen=True, slots=True)
class Keys:
    """Marks a parameter that holds the values of the flags of a form's keys.

    Attributes:
        form: The form, as `module:Class`.
        only: The flags to take, by name or by panel; empty for all.
        without: The flags to leave out.
        panel: The part of the help for all of them; empty for their own.
        changed: What of a flag differs from the form: its `help`, `shown` default, `default`.
    """

    form: str = TABLE
    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    panel: str = ""
    changed: Mapping[str, Mapping[str, object]] = field(default_factory=dict["str", "Mapping[str, object]"])

    def keys(self) -> tuple[Key, ...]:
        """The keys."""
        from importlib import import_module

        module, _, name = self.form.partition(":")
        found = keys_of(getattr(import_module(module), name))
        chosen = [key for key in found if not self.only or key.flag in self.only or key.panel in self.only]
        chosen = [key for key in chosen if key.flag not in self.without]
        chosen = [replace(key, panel=self.panel or key.panel) for key in chosen]
        return tuple(replace(key, **cast("Any", self.changed.get(key.flag, {}))) for key in chosen)


class Line(NamedTuple):
    """A command line: the value of each parameter, and those that were typed."""

    values: Mapping[str, Any]
    typed: AbstractSet[str]


class Parts(NamedTuple):
    """The flags that a parameter of a command stands for, and what makes its value of a command line."""

    flags: list[Parameter]
    make: Callable[[Line], object]


def flattened(function: Callable[..., None]) -> Callable[..., None]:
    """A command's function as typer reads it: a parameter for each flag."""
    hints = get_type_hints(function, include_extras=True)
    found: dict[str, Parameter] = {}
    makers: dict[str, Callable[[Line], object]] = {}
    for name, own in Signature.from_callable(function).parameters.items():
        parts, makers[name] = _parts(name, hints[name], own.default)
        for part in parts:
            found.setdefault(part.name, part)

    def command(context: typer.Context, **values: Any) -> None:  # noqa: ANN401  whatever typer made of the flags
        typed = {name for name in values if _is_typed(context, name)}
        function(**{name: make(Line(values, typed)) for name, make in makers.items()})

    context = Parameter("context", Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
    parameters = [context, *_in_panels(list(found.values()))]
    command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    return command


def _is_typed(context: Any, name: str) -> bool:  # noqa: ANN401  typer's class does not tell its sources' type
    """Whether the command line has the flag of a parameter."""
    return str(context.get_parameter_source(name).name) == "COMMANDLINE"


def _parts(name: str, hint: Any, default: object) -> Parts:  # noqa: ANN401  an annotation
    """The flags that a parameter stands for, and what makes its value of theirs."""
    kind, *marks = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    for mark in marks:
        if isinstance(mark, Keys):
            return _of_keys(mark.keys(), kind, name, default)
    if isinstance(kind, type) and issubclass(kind, tuple):
        return _fields(kind)
    return Parts([Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=hint)], _value_of(name))


def _value_of(name: str) -> Callable[[Line], object]:
    return lambda line: line.values[name]


def _of_keys(keys: tuple[Key, ...], kind: Any, name: str, default: object) -> Parts:  # noqa: ANN401  a type
    """The flags of keys: all in one value, or one as a parameter of its own type and default."""
    parameters = [key.parameter() for key in keys]
    if kind is Given:
        return Parts(parameters, lambda line: _given(keys, line))
    [made] = parameters
    return Parts(
        [made.replace(default=default, annotation=Annotated[kind, get_args(made.annotation)[1]])], _value_of(name)
    )


def _fields(group: Any) -> Parts:  # noqa: ANN401  a class
    """The flags of a named tuple's fields."""
    hints, defaults = get_type_hints(group, include_extras=True), group._field_defaults
    parameters = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=defaults.get(name, Parameter.empty), annotation=hints[name])
        for name in group._fields
    ]
    return Parts(parameters, lambda line: group(**{name: line.values[name] for name in group._fields}))


def _given(keys: tuple[Key, ...], line: Line) -> Given:
    """What a command line gives of some keys."""
    names = {key.flag: "source" if key.place == ("input", "path") else key.name for key in keys}
    typed = frozenset(flag for flag, name in names.items() if name in line.typed)
    return Given(keys, {flag: line.values[name] for flag, name in names.items()}, typed)


def _in_panels(parameters: Sequence[Parameter]) -> list[Parameter]:
    """The parameters by panel, whose titles show some of their flags."""
    panels: dict[str, list[OptionInfo]] = {panel: [] for panel in PANELS}
    order: dict[str, int] = {}
    for one in parameters:
        info = get_args(one.annotation)[1]
        panel = info.rich_help_panel if isinstance(info, OptionInfo) else None
        order[one.name] = 1 + list(panels).index(panel) if panel in panels else 0
        if panel in panels and isinstance(info, OptionInfo):
            panels[panel].append(info)
    return sorted(
        (one.replace(annotation=_titled(one.annotation, panels)) for one in parameters), key=lambda one: order[one.name]
    )


def _titled(annotation: Any, panels: Mapping[str, Sequence[OptionInfo]]) -> Any:  # noqa: ANN401  as above
    """An option with the title of its panel."""
    kind, info = get_args(annotation)[:2]
    if not isinstance(info, OptionInfo) or info.rich_help_panel not in panels:
        return annotation
    from copy import copy

    made = copy(info)
    made.rich_help_panel = _title(cast("str", info.rich_help_panel), panels[cast("str", info.rich_help_panel)])
    return Annotated[kind, made]


def _title(panel: str, infos: Sequence[OptionInfo]) -> str:
    """The title of a panel: its name, and an example of its flags."""
    flags = [str(info.default).removeprefix("--") for info in infos]
    shown = [f"--{flag} {EXAMPLES[flag]}".strip() for flag in EXAMPLES if flag in flags][:SHOWN]
    return f"{panel}, such as {' '.join(shown)}" if shown else panel
