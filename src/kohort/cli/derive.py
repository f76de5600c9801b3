"""The flags of a command: those of a form's keys, and its own, made for typer.

A command is a function of few parameters. `flattened` turns it into one that typer reads: a parameter marked with
`Keys` becomes the flags of those keys of a form, a named tuple the flags of its fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from inspect import Parameter, Signature
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias, cast, get_args, get_origin, get_type_hints

import typer
from typer.models import OptionInfo, ParameterInfo

from kohort.job.keys import PANELS, TRI_STATE, Key, keys_of, with_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

#: The form of a job on a table, and that of one on transactions.
TABLE: Final = "kohort.job.form:TABLE_JOB"
BASKETS: Final = "kohort.job.transactions_form:TRANSACTION_JOB"

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
        "threshold": "0.2",
        "vary": "k=5,10",
        "method": "optimal",
        "give-back": "",
        "queries": "100",
        "target": "income",
        "set": "privacy.k=20",
        "separator": "';'",
        "missing-token": "'?'",
        "out": "release.csv",
        "overwrite": "",
        "report": "report.html",
        "json": "",
        "attack": "all",
    }
)

#: Short forms of flags.
SHORT: Final[Mapping[str, tuple[str]]] = MappingProxyType({"k": ("-k",), "out": ("-o",)})

#: How many flags a panel's title shows.
SHOWN: Final = 2

#: Makes a parameter of a command of the values of all flags, and of the names of those that were typed.
Maker: TypeAlias = "Callable[[Mapping[str, Any], AbstractSet[str]], object]"


def option(panel: str, sentence: str, *words: str, shown: str | bool = True, **limits: Any) -> Any:  # noqa: ANN401  as typer says
    """A flag of a command's own, as typer's.

    Args:
        panel: The part of the help that it stands in; empty for the first.
        sentence: Its help.
        words: Its names, each with its dashes, if typer is not to make one; and what stands for its value.
        shown: What is shown as its default.
        limits: `min` and `max` of its value.
    """
    names = [one for one in words if one.startswith("-")]
    value = next((one for one in words if one not in names), None)
    how: dict[str, Any] = {"help": sentence, "metavar": value, "rich_help_panel": panel or None, "show_default": shown}
    return typer.Option(*names, **how, **limits)  # type: ignore[misc]  # none of them is a default


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
        found: dict[str, object] = {key.flag: self.values[key.flag] for key in typed}
        denied = [key for key in typed if key.kind == TRI_STATE and not found[key.flag]]
        return found | {f"no-{key.flag}": True for key in denied}

    def words(self) -> Iterator[str]:
        """The flags as the command line has them."""
        for flag, value in self.used().items():
            given = cast("list[object]", value) if isinstance(value, list) else [value]
            for one in given:
                yield from (f"--{flag}", str(one)) if not isinstance(one, bool) else (f"--{flag}",) * one

    def only(self, *flags: str) -> Given:
        """Those of some flags."""
        return replace(self, keys=tuple(key for key in self.keys if key.flag in flags))


@dataclass(frozen=True, slots=True)
class Keys:
    """Marks a parameter that holds the values of the flags of a form's keys.

    Attributes:
        form: The form, as `module:Class`.
        only: The flags to take, by name or by panel; empty for all.
        without: The flags to leave out, by name or by the table of a job that they stand in.
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
        chosen = [key for key in chosen if not {key.flag, key.place[0]} & {*self.without}]
        chosen = [replace(key, panel=self.panel or key.panel) for key in chosen]
        return tuple(map(self._as_changed, chosen))

    def _as_changed(self, key: Key) -> Key:
        """The key as this command has it; another sentence names the same words."""
        changes: dict[str, Any] = {**self.changed.get(key.flag, {})}
        if "help" in changes:
            changes["help"] = with_words(changes["help"], key.type)
        return replace(key, **changes)


def flattened(function: Callable[..., None]) -> Callable[..., None]:
    """A command's function as typer reads it: a parameter for each flag."""
    hints = get_type_hints(function, include_extras=True)
    found: dict[str, Parameter] = {}
    makers: dict[str, Maker] = {}
    for name, own in Signature.from_callable(function).parameters.items():
        parts, makers[name] = _parts(name, hints[name], own.default)
        for part in parts:
            found.setdefault(part.name, part)

    def command(context: typer.Context, **values: Any) -> None:  # noqa: ANN401  whatever typer made of the flags
        typed = {name for name in values if _is_typed(context, name)}
        function(**{name: make(values, typed) for name, make in makers.items()})

    context = Parameter("context", Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
    parameters = [context, *_in_panels(list(found.values()))]
    command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    return command


def _is_typed(context: Any, name: str) -> bool:  # noqa: ANN401  typer's class does not tell its sources' type
    return str(context.get_parameter_source(name).name) == "COMMANDLINE"


def _parts(name: str, hint: Any, default: object) -> tuple[list[Parameter], Maker]:  # noqa: ANN401  an annotation
    """The flags that a parameter stands for, and what makes its value of theirs."""
    kind, *marks = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    for mark in marks:
        if isinstance(mark, Keys):
            return _of_keys(mark.keys(), kind, name, default)
    if isinstance(kind, type) and issubclass(kind, tuple):
        return _fields(kind)
    return [Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=hint)], lambda values, _: values[name]


def _of_keys(keys: tuple[Key, ...], kind: Any, name: str, default: object) -> tuple[list[Parameter], Maker]:  # noqa: ANN401  a type
    """The flags of keys: all in one value, or one as a parameter of its own type and default."""
    parameters = [_parameter(key) for key in keys]
    if kind is Given:
        return parameters, partial(_given, keys)
    [made] = parameters
    made = made.replace(default=default, annotation=Annotated[kind, get_args(made.annotation)[1]])
    return [made], lambda values, _: values[name]


def _parameter(key: Key) -> Parameter:
    """The flag of a key as a parameter of the function that typer reads; the input has none."""
    if key.place == ("input", "path"):
        return _option("source", str, typer.Argument(metavar="IN", help=key.help), Parameter.empty)
    kind = key.kind
    info = typer.Option(
        f"--{key.flag}/--no-{key.flag}" if kind == TRI_STATE else f"--{key.flag}",
        *SHORT.get(key.flag, ()),
        metavar=None if kind in {bool, TRI_STATE} else key.metavar,
        help=key.help,
        rich_help_panel=key.panel,
        show_default=key.shown or True,
    )
    required = key.place == ("output", "path")
    default = Parameter.empty if required else False if kind is bool else key.default
    return _option(key.name, str if required else kind, info, default)


def _option(name: str, kind: Any, info: ParameterInfo, default: object) -> Parameter:  # noqa: ANN401  a type
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, info])


def _fields(group: Any) -> tuple[list[Parameter], Maker]:  # noqa: ANN401  a class
    hints, defaults = get_type_hints(group, include_extras=True), group._field_defaults
    parameters = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=defaults.get(name, Parameter.empty), annotation=hints[name])
        for name in group._fields
    ]

    return parameters, lambda values, _: group(**{name: values[name] for name in group._fields})


def _given(keys: tuple[Key, ...], values: Mapping[str, Any], typed: AbstractSet[str]) -> Given:
    names = {key.flag: "source" if key.place == ("input", "path") else key.name for key in keys}
    given = frozenset(flag for flag, name in names.items() if name in typed)
    return Given(keys, {flag: values[name] for flag, name in names.items()}, given)


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
    kind, info = get_args(annotation)[:2]
    if not isinstance(info, OptionInfo) or info.rich_help_panel not in panels:
        return annotation
    made = copy(info)
    made.rich_help_panel = _title(cast("str", info.rich_help_panel), panels[cast("str", info.rich_help_panel)])
    return Annotated[kind, made]


def _title(panel: str, infos: Sequence[OptionInfo]) -> str:
    """The title of a panel: its name, and an example of its flags."""
    flags = [str(info.default).removeprefix("--") for info in infos if info.default != "--out" or info.metavar == "OUT"]
    shown = [f"--{flag} {EXAMPLES[flag]}".strip() for flag in EXAMPLES if flag in flags][:SHOWN]
    return f"{panel}, such as {' '.join(shown)}" if shown else panel
