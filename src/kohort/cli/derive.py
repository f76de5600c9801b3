"""The flags of a command: those of a form's keys, and its own, made for click.

A command is a function of few parameters. One marked with `Keys` stands for the flags of those keys of a form; one
whose default or mark is an `option` or `argument`, for a flag or argument of its own; a named tuple, for its fields;
one marked with what finds several functions, for the keyword-only parameters of each, with which it can be called.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from inspect import Parameter, signature
from itertools import chain
from textwrap import wrap
from types import MappingProxyType, SimpleNamespace
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Final,
    NamedTuple,
    TypeAlias,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

import click
from click.core import ParameterSource

from kohort.cli.screen import styled
from kohort.job.keys import PANELS, TRI_STATE, Key, keys_of, with_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from click.types import OptionHelpExtra

#: The form of a job on a table.
TABLE: Final = "kohort.job.form:TABLE_JOB"

#: Short forms of flags.
SHORT: Final[Mapping[str, tuple[str]]] = MappingProxyType({"k": ("-k",), "out": ("-o",), "quiet": ("-q",)})

#: Parameters of which the help of a command shows all: of more, it shows the first ones, and `--help-all` the rest.
MANY: Final = 18

#: The columns before a flag's sentence in the help of all flags, where each flag has its own line.
MARGIN: Final = 4

#: A blank before the value of a flag, where no example is broken.
_inside = re.compile(" (?!-)")

#: The default of a parameter without one.
REQUIRED: Final = Parameter.empty

#: Makes a parameter of a command of the values of all flags, and of the names of those that were typed.
Maker: TypeAlias = "Callable[[Mapping[str, Any], AbstractSet[str]], object]"

#: How all commands ask for help, which is as wide as the terminal.
SETTINGS: Final[Mapping[str, Any]] = MappingProxyType(
    {"help_option_names": ["-h", "--help"], "max_content_width": 1 << 16}
)


# --- single flags and arguments ---------------------------------------------------------------------------------------


class Number(click.ParamType[int | float]):
    """A number within bounds; what is said of a wrong one does not repeat it."""

    def __init__(self, kind: type[int | float], least: float | None, most: float | None) -> None:
        """Keep the type and the bounds, `None` for none."""
        self.kind, self.least, self.most = kind, least, most
        self.name = "a whole number" if kind is int else "a number"

    @property
    def bounds(self) -> str:
        """The bounds as the help shows them; empty without any."""
        if self.most is not None:
            return f"{self.least}<=x<={self.most}"
        return "" if self.least is None else f"x>={self.least}"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | float:  # noqa: ANN401  as click has it
        """The number that a text contains."""
        try:
            number = self.kind(value)
        except ValueError:
            self.fail(f"must be {self.name}", param, ctx)
        if self.least is not None and not number >= self.least:
            self.fail(f"must be at least {self.least}", param, ctx)
        if self.most is not None and not number <= self.most:
            self.fail(f"must be at most {self.most}", param, ctx)
        return number


class Option(click.Option):
    """A flag of a panel of the help; of an empty one stand above all others."""

    def __init__(self, *names: Any, panel: str = "", first: bool = False, **how: Any) -> None:  # noqa: ANN401  as click has it
        """Keep the panel, and whether it is among the first flags of its command."""
        super().__init__(*names, **how)
        self.panel, self.first = panel, first

    def get_help_extra(self, ctx: click.Context) -> OptionHelpExtra:
        """What stands behind the sentence: the default, and the bounds of a number."""
        extra = super().get_help_extra(ctx)
        if isinstance(self.show_default, str):
            extra["default"] = self.show_default
        if isinstance(self.type, Number) and self.type.bounds:
            extra["range"] = self.type.bounds
        return extra


class Flag(NamedTuple):
    """What becomes a flag or an argument once the name, type and default of its parameter are known.

    Attributes:
        kind: Which of them.
        names: The names of the flag, each with its dashes; none for that of the parameter.
        how: What else click takes for it.
        least: The smallest value of a number, if any.
        most: The greatest one.
        default: What the parameter is without it; `None` stands for `None` or `False` where its type has that, and
            else it is required.
    """

    kind: type[Option | click.Argument]
    names: tuple[str, ...]
    how: Mapping[str, Any]
    least: float | None = None
    most: float | None = None
    default: object = None

    def of(self, name: str, annotation: Any, default: object) -> click.Parameter:  # noqa: ANN401  a type
        """The parameter, with this default if it is one; see `default` above."""
        union = get_args(annotation) if type(None) in get_args(annotation) else ()
        [bare] = [one for one in union if one is not type(None)] or [annotation]
        if default is self or default is None:
            unsaid = None if union else False if bare is bool else REQUIRED
            default = unsaid if self.default is None else self.default
        how: dict[str, Any] = {**self.how, "required": default is REQUIRED}
        if default is not REQUIRED:
            how["default"] = default
        if get_origin(bare) is list:
            how |= {"multiple": True} if self.kind is Option else {"nargs": -1}
        elif bare is bool:
            how |= {"is_flag": True, "metavar": None}
        else:
            how["type"] = Number(bare, self.least, self.most) if bare in {int, float} else bare
        if self.kind is Option:
            return Option([name, *(self.names or (f"--{name.replace('_', '-')}", *SHORT.get(name, ())))], **how)
        if not (how["required"] or how["metavar"].startswith("[")):
            how["metavar"] = f"[{how['metavar']}]"
        return click.Argument([name], **how)


def option(panel: str, sentence: str, *words: str, shown: str | bool = True, **how: Any) -> Any:  # noqa: ANN401  as a parameter's default it stands for any type
    """A flag of a command's own.

    Args:
        panel: The part of the help that it stands in; empty for the first.
        sentence: Its help.
        words: Its names, each with its dashes, if not that of its parameter; and what stands for its value.
        shown: What is shown as its default.
        how: `default`, `min` and `max` of its value, whether it is `first` as `Key` has it, and what else click takes.
    """
    names = tuple(one for one in words if one.startswith("-"))
    value = next((one for one in words if one not in names), None)
    bounds = how.pop("min", None), how.pop("max", None), how.pop("default", None)
    return Flag(
        Option, names, {**how, "help": sentence, "metavar": value, "panel": panel, "show_default": shown}, *bounds
    )


def argument(metavar: str, sentence: str, default: object = None) -> Any:  # noqa: ANN401  as above
    """An argument of a command: its word in the usage line, its help, and its default if it may be left out."""
    return Flag(click.Argument, (), {"metavar": metavar, "help": sentence}, default=default)


def at_once(flag: str, act: Callable[[click.Context], object], sentence: str) -> click.Option:
    """A flag that does something by itself, and ends the run."""

    def acted(context: click.Context, _: click.Parameter, given: bool) -> None:  # noqa: FBT001  as click calls it
        if given and not context.resilient_parsing:
            act(context)
            context.exit()

    return click.Option([flag], is_flag=True, is_eager=True, expose_value=False, callback=acted, help=sentence)


# --- the flags of a form's keys ---------------------------------------------------------------------------------------


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

    def __getitem__(self, flag: str) -> Any:  # noqa: ANN401  whatever click made of a flag
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
        panel: The part of the help for all of them, of which none is `first`; empty for their own.
        changed: What of a flag differs from the form: its `help`, `shown` default, `default`, whether it is `first`.
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
        chosen = [replace(key, panel=self.panel, first=False) for key in chosen] if self.panel else chosen
        return tuple(map(self._as_changed, chosen))

    def _as_changed(self, key: Key) -> Key:
        """The key as this command has it; another sentence names the same words."""
        changes: dict[str, Any] = {**self.changed.get(key.flag, {})}
        if "help" in changes:
            changes["help"] = with_words(changes["help"], key.type)
        return replace(key, **changes)


class Bound(NamedTuple):
    """One of several functions, with the values of its flags.

    Attributes:
        call: The function, to be called with its other arguments.
        flags: All its flags, without their dashes.
        used: The values of those that the command line has.
    """

    call: Callable[..., Any]
    flags: frozenset[str]
    used: Mapping[str, object]


# --- commands ---------------------------------------------------------------------------------------------------------


class _Formatter(click.HelpFormatter):
    def write_heading(self, heading: str) -> None:
        """A heading, in bold letters on a terminal."""
        super().write_heading(styled(heading))

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """Words and their sentences, in which no hyphen is broken."""
        rows = list(rows)
        width = min(max(len(word) for word, _ in rows), col_max) + col_spacing
        margin = " " * (self.current_indent + width)
        for word, sentence in rows:
            lines = wrap(sentence, max(self.width - len(margin), 10), break_on_hyphens=False)
            head = f"{word:{width}}" if len(word) <= width - col_spacing else f"{word}\n{margin}"
            self.write(" " * self.current_indent + head + f"\n{margin}".join(lines) + "\n")


class _Context(click.Context):
    formatter_class = _Formatter


class Group(click.Group):
    """A group whose help has the whole sentence of each command, in panels."""

    context_class = _Context

    def __init__(
        self,
        name: str,
        panels: Mapping[str, Sequence[str]],
        rest: str,
        more: Callable[[], Mapping[str, Callable[[], click.Command]]],
        **how: Any,  # noqa: ANN401  as click has it
    ) -> None:
        """Keep the names of the commands of each panel, the title of the one for all others, and what finds more."""
        super().__init__(name, context_settings={**SETTINGS}, **how)
        self.panels, self.rest, self._more = panels, rest, more

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name; what is not the core's is looked for, and where nothing is found all is."""
        if cmd_name not in self.commands:
            more = self._more()
            self.commands.update({name: more[name]() for name in ([cmd_name] if cmd_name in more else more)})
        return super().get_command(ctx, cmd_name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands, in the order of the help."""
        self.get_command(ctx, "")
        first = [name for names in self.panels.values() for name in names if name in self.commands]
        return [*first, *(name for name in self.commands if name not in first)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands and their sentences."""
        left = [name for name in self.list_commands(ctx) if not self.commands[name].hidden]
        width = max(map(len, left))
        for panel, names in (*self.panels.items(), (self.rest, left)):
            some = [name for name in names if name in left]
            left = [name for name in left if name not in some]
            if some:
                with formatter.section(panel):
                    formatter.write_dl([(f"{name:{width}}", self.commands[name].help or "") for name in some])


class Command(click.Command):
    """A command whose function is imported, and whose flags are made, when it is run or asked for its help."""

    context_class = _Context

    def __init__(self, name: str, load: Callable[[], Callable[..., None]], sentence: str, example: str = "") -> None:
        """Keep what imports its function, and the arguments and flags of an example."""
        super().__init__(name, help=sentence, context_settings={**SETTINGS})
        self.example = example
        self._load = load
        self._makers: dict[str, Maker] = {}

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The arguments and flags, those of one panel together."""
        if not self._makers:
            found = dict[str, click.Parameter]()
            parts = _of_function(self._load())
            for flag in (flag for flags, _ in parts.values() for flag in flags):
                found.setdefault(flag.name, flag)
            self._makers = {name: maker for name, (_, maker) in parts.items()}
            self.params = sorted(found.values(), key=_place)
            if len(self.params) > MANY:
                sentence = f"Show all {len(self.params)} arguments and flags, and exit."
                self.params.append(at_once("--help-all", self._show_all, sentence))
        return super().get_params(ctx)

    def _show_all(self, ctx: click.Context) -> None:
        ctx.meta[__name__] = True
        click.echo(self.get_help(ctx))

    def invoke(self, ctx: click.Context) -> None:
        """Call the function with what its parameters stand for."""
        typed = {name for name in ctx.params if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE}
        values: dict[str, Any] = {
            name: [*cast("tuple[str, ...]", one)] or None if isinstance(one, tuple) else one
            for name, one in ctx.params.items()
        }
        self._load()(**{name: make(values, typed) for name, make in self._makers.items()})

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The sentence and the example, which can be copied."""
        super().format_help_text(ctx, formatter)
        if self.example:
            with formatter.section("Example"):
                whole = _inside.sub("\N{NO-BREAK SPACE}", f"{ctx.command_path} {self.example}")
                lines = " \\\n    ".join(wrap(whole, formatter.width - 6, break_on_hyphens=False))
                formatter.write(f"  {lines}\n".replace("\N{NO-BREAK SPACE}", " "))

    def format_arguments(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The arguments."""
        if some := [one for one in self.get_params(ctx) if isinstance(one, click.Argument)]:
            self._format("Arguments", some, ctx, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The panels, each under its title; of a command with many flags the first ones, unless all are wanted."""
        panels = self.panels(ctx)
        if self._is_brief(ctx):
            panels = {"Options": [one for some in panels.values() for one in some if getattr(one, "first", True)]}
        for title, some in panels.items():
            self._format(title, some, ctx, formatter)

    def _is_brief(self, ctx: click.Context) -> bool:
        return len(self.get_params(ctx)) > MANY and not ctx.meta.get(__name__)

    def _format(
        self, title: str, some: Iterable[click.Parameter], ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        rows = [row for one in some if (row := one.get_help_record(ctx))]
        if self._is_brief(ctx):
            rows = [(word, _beginning(sentence)) for word, sentence in rows]
        with formatter.section(title):
            formatter.write_dl(rows, MARGIN if ctx.meta.get(__name__) else 30)

    def panels(self, ctx: click.Context) -> dict[str, list[click.Parameter]]:
        """The flags by the title of their panel."""
        found: dict[str, list[click.Parameter]] = {}
        for one in self.get_params(ctx):
            if not isinstance(one, click.Argument):
                found.setdefault(_panel(one) or "Options", []).append(one)
        return found


def _beginning(sentence: str) -> str:
    """The first part of a flag's sentence, with the words that its value can be and its default.

    >>> _beginning("The form; that of the input if not given. One of a, b.  [default: a]")
    'The form. One of a, b.  [default: a]'
    """
    told, gap, default = sentence.partition("  [")
    first, *rest = re.split("[;.] ", told, maxsplit=1)
    words = re.search(" One of .*", f" {''.join(rest)}")
    return f"{first}{'.' if rest else ''}{words[0] if words else ''}{gap}{default}"


def _panel(one: click.Parameter) -> str:
    return one.panel if isinstance(one, Option) else ""


def _place(one: click.Parameter) -> int:
    """Where the panel of a flag stands: one that only another package has, last."""
    return ["", *PANELS, _panel(one)].index(_panel(one))


def _parts(name: str, hint: Any, default: object) -> tuple[list[click.Parameter], Maker]:  # noqa: ANN401  an annotation
    """The flags that a parameter stands for, and what makes its value of theirs."""
    kind, mark = cast("tuple[Any, object]", get_args(hint) if get_origin(hint) is Annotated else (hint, default))
    if isinstance(mark, Flag):
        return [mark.of(name, kind, default)], lambda values, _: values[name]
    if isinstance(mark, partial):
        return _of_functions(cast("Mapping[str, Callable[..., object]]", mark()))
    if not isinstance(mark, Keys):
        hints = get_type_hints(kind, include_extras=True)
        parts = [_parts(one, hints[one], kind._field_defaults.get(one, REQUIRED)) for one in kind._fields]
        flags = [one for some, _ in parts for one in some]
        return flags, lambda values, _: kind(**{one: values[one] for one in kind._fields})
    keys = mark.keys()
    if kind is Given:
        return [_of_key(key) for key in keys], partial(_given, keys)
    [key] = keys
    return [_of_key(key, kind, default)], lambda values, _: values[name]


def _of_function(function: Callable[..., object], *kinds: object) -> dict[str, tuple[list[click.Parameter], Maker]]:
    """The flags that each parameter of a function stands for, or of some kinds of them, and what makes its value."""
    own = [one for one in signature(function).parameters.values() if not kinds or one.kind in kinds]
    noted = SimpleNamespace(__annotations__={one.name: one.annotation for one in own})  # others are of names for types
    hints = get_type_hints(noted, getattr(function, "__globals__"), include_extras=True)  # noqa: B009  a function's
    return {one.name: _parts(one.name, hints[one.name], one.default) for one in own}


def _of_functions(functions: Mapping[str, Callable[..., object]]) -> tuple[list[click.Parameter], Maker]:
    """The flags of several functions, and what binds each to the values of its own."""
    parts = {key: _of_function(one, Parameter.KEYWORD_ONLY) for key, one in functions.items()}
    flags = {key: [flag for some, _ in own.values() for flag in some] for key, own in parts.items()}

    def bound(values: Mapping[str, Any], typed: AbstractSet[str]) -> dict[str, Bound]:
        found: dict[str, Bound] = {}
        for key, own in parts.items():
            made = {name: make(values, typed) for name, (_, make) in own.items()}
            used = {_word(one): values[one.name] for one in flags[key] if one.name in typed}
            for one in made.values():
                used |= one.used() if isinstance(one, Given) else {}
            found[key] = Bound(partial(functions[key], **made), frozenset(map(_word, flags[key])), used)
        return found

    return [*chain.from_iterable(flags.values())], bound


def _word(one: click.Parameter) -> str:
    """A flag without its dashes; of an argument its name."""
    return next((name[2:] for name in one.opts if name.startswith("--")), one.opts[0])


def _of_key(key: Key, kind: Any = None, default: object = None) -> click.Parameter:  # noqa: ANN401  a type
    """The flag of a key, which may have the type and default of a parameter of its own; the input has none."""
    if key.place == ("input", "path"):
        return Flag(click.Argument, (), {"metavar": "IN", "help": key.help}).of("source", str, REQUIRED)
    names = (f"--{key.flag}/--no-{key.flag}",) if key.kind == TRI_STATE else ()
    how: dict[str, Any] = {"metavar": key.metavar, "help": key.help, "panel": key.panel, "first": key.first}
    how["show_default"] = key.shown or True
    if kind is None:
        kind, default = key.kind, REQUIRED if key.place == ("output", "path") else key.default
    return Flag(Option, names, how).of(key.name, kind, default)


def _given(keys: tuple[Key, ...], values: Mapping[str, Any], typed: AbstractSet[str]) -> Given:
    names = {key.flag: "source" if key.place == ("input", "path") else key.name for key in keys}
    given = frozenset(flag for flag, name in names.items() if name in typed)
    return Given(keys, {flag: values[name] for flag, name in names.items()}, given)
