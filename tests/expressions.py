# ruff: noqa: SLF001, ANN401  it reads what modules keep for themselves, and nodes of an untyped parser
"""Every regular expression of the package, as its source has it, and texts on which a bad one takes for ever.

An expression is found where the source gives one to `re`, to polars or to a database, or states one in a JSON Schema.
Where it is put together from what only a running function knows, `GIVEN` makes it. The texts repeat, up to 10,000
characters, whatever the parts of the expression match, and end in what none of them matches.
"""

from __future__ import annotations

import ast
import importlib
import re
import signal
import sys
import time
from collections import deque
from collections.abc import Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast
from unittest.mock import patch

import numpy as np
import polars as pl

from kohort.transactions.io.options import BasketOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
    from types import ModuleType

#: What `re` reads an expression into, which has no types.
kinds: Any = importlib.import_module("re._constants")
parser: Any = importlib.import_module("re._parser")

ROOT: Final = Path(__file__).parents[1]

#: Characters of a text.
LENGTH: Final = 10_000

#: CPU seconds that a text may take; a busy machine is asked more than once.
SLOWEST: Final = 0.1
TRIES: Final = 3

#: Where it takes this, the text is tried in four times the length, which may take so many times as long: what grows
#: with the square takes sixteen.
NOTICED: Final = 0.004
STEEP: Final = 10

#: What takes a text, of `re` and of an expression that is compiled.
USES: Final = ("fullmatch", "match", "search", "sub", "subn", "split", "findall", "finditer")

#: What may be done with one that is kept where its use cannot be seen.
ANY_USE: Final = ("fullmatch", "match", "search")

#: Methods of polars' texts that take an expression.
OF_POLARS: Final = frozenset(
    {"contains", "count_matches", "extract", "extract_all", "extract_groups", "find", "replace", "replace_all"}
)


@dataclass(frozen=True, slots=True)
class Expression:
    """A regular expression and what is done with it.

    Attributes:
        module: Where it stands.
        pattern: The expression.
        use: A function of `re`, or `str.` and a method of polars.
        flags: Those of `re`.
    """

    module: str
    pattern: str | bytes
    use: str
    flags: int = 0

    def on(self, text: str) -> None:
        """Use it on a text."""
        if self.use.startswith("str."):
            method = getattr(pl.Series([text]).str, self.use[4:])
            method(self.pattern, *[""] * self.use.startswith("str.replace"))
            return
        found = re.compile(self.pattern, self.flags)
        read = text.encode("latin-1", "replace") if isinstance(self.pattern, bytes) else text
        of = getattr(found, self.use)
        used = of(read[:0], read) if self.use.startswith("sub") else of(read)
        if self.use == "finditer":
            deque(used, maxlen=0)


def _compiled(*calls: Callable[[], object]) -> list[str | bytes]:
    """What is compiled while functions are called."""
    with patch.object(re, "compile", wraps=re.compile) as made, patch.object(re, "findall", wraps=re.findall) as found:
        for call in calls:
            call()
    return [one.args[0] for one in (*made.call_args_list, *found.call_args_list)]


def _of_records(of: Any) -> list[str | bytes]:
    return _compiled(*(partial(of.measure, np.frombuffer(b"7,8", np.uint8), 0, ord(","), sign) for sign in (-1, 34)))


def _of_names(of: Any) -> list[str | bytes]:
    return _compiled(*(partial(of._unfit, BasketOptions(form=form)) for form in of.Form))


def _notations(of: Any) -> list[Any]:
    """Ways to write numbers, with and without something between thousands."""
    return [of.Notation(","), of.Notation(",", "."), of.Notation(".", " ")]


#: The expressions of functions that put them together, by the function.
GIVEN: Final[Mapping[str, Callable[[Any], Iterable[str | bytes]]]] = {
    "kohort.assessment.inspection.evidence._unread": lambda of: of._UNREAD,
    "kohort.assessment.inspection.evidence.may_be_nothing": lambda _: [
        "[a-z]",
        "[A-Z]",
        r"\A[A-Z]/[A-Z]$",
        r"\A[a-z][a-z][a-z]$",
    ],
    "kohort.assessment.inspection.panels._stems": lambda of: [
        one for words in of._UNITS.values() for one in (rf"(?:{words})", rf"(?:{words})$")
    ],
    "kohort.transactions.io.write._unfit": _of_names,
    "kohort.io.excel.merged_in": lambda of: [*(one[0] for one in of._FAULTY), of.MERGED],
    "kohort.io.records.measure": _of_records,
    "kohort.io.statistics.pack": lambda of: [one[0] for one in of._MADE.values()],
    "kohort.models.base.variants": lambda _: [rf"\b{name}\b" for name in ("l", "p")],
    "kohort.report.charts.bars._broken": lambda of: _compiled(partial(of._broken, "one text", 14)),
    "kohort.schema.open_ends._pattern": lambda of: [of._written(of.PLAIN_NUMBER), of._written(of._DAY)],
    "kohort.schema.hierarchies.public.schemes": lambda of: [
        one.pattern for scheme in of.schemes() for one in (scheme.form, scheme.sure) if one is not None
    ],
    "kohort.schema.dates._pattern": lambda of: _compiled(*(partial(of._pattern, form) for form in of.DateFormat)),
    "kohort.tables.notation.changed": lambda of: [rf"\A{one.number}\z" for one in _notations(of)],
    "kohort.tables.notation.fits": lambda of: [one.cell for one in _notations(of)],
    "kohort.tables.notation.read": lambda of: [
        rf"(?<=[0-9]){re.escape(one.group)}(?=[0-9]{{3}}(?![0-9]))" for one in _notations(of)
    ],
    "tools.check_release._plainly": lambda _: [
        one.cell.replace(r"\A", "").replace(r"\z", "")
        for one in _notations(importlib.import_module("kohort.tables.notation"))
    ],
    "kohort.tables.texts._even_numbers": lambda of: [one for one, _ in of._NUMBERS],
    "kohort.verify.values.days_of": lambda of: [one + of._TIME for one in of._WRITTEN.values()],
}


# --- where they are ---------------------------------------------------------------------------------------------------


def sources() -> dict[str, Path]:
    """Every module of the package and of the tools, by its name."""
    found: dict[str, Path] = {}
    for root, folder in ((ROOT / "src", ROOT / "src" / "kohort"), (ROOT, ROOT / "tools")):
        for path in sorted(folder.rglob("*.py")):
            found[".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")] = path
    return found


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a source has an expression: its module, the function around it, and what it does with it."""

    module: str
    function: ast.FunctionDef | None
    node: ast.expr
    uses: tuple[str, ...]
    flags: ast.expr | None = None


def _walked(
    tree: ast.AST, function: ast.FunctionDef | None = None
) -> Iterator[tuple[ast.AST, ast.FunctionDef | None, ast.AST]]:
    """Every node of a tree with the function around it and its parent."""
    for child in ast.iter_child_nodes(tree):
        yield child, function, tree
        yield from _walked(child, child if isinstance(child, ast.FunctionDef) else function)


@cache
def _used() -> Mapping[str, frozenset[str]]:
    """What is done with a name anywhere: the uses of an expression that it may be bound to."""
    found: dict[str, set[str]] = {}
    for path in sources().values():
        for node in ast.walk(ast.parse(path.read_text())):
            if (
                isinstance(node, ast.Attribute)
                and node.attr in USES
                and isinstance(node.value, ast.Name | ast.Attribute)
            ):
                name = node.value.id if isinstance(node.value, ast.Name) else node.value.attr
                found.setdefault(name, set()).add(node.attr)
    return {name: frozenset(uses) for name, uses in found.items()}


def _uses(parent: ast.AST) -> tuple[str, ...]:
    """What is done with what `re.compile` makes."""
    if isinstance(parent, ast.Attribute):
        return (parent.attr,)
    targets = parent.targets if isinstance(parent, ast.Assign) else [getattr(parent, "target", None)]
    uses = {use for one in targets if isinstance(one, ast.Name) for use in _used().get(one.id, ())}
    return tuple(sorted(uses)) or ANY_USE


def _place(node: ast.AST, function: ast.FunctionDef | None, parent: ast.AST, module: str) -> Iterator[_Place]:
    """The expression that a node of a source is given or states."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=use), args=[first, *rest]) if use != "escape":
            said = [one.value for one in node.keywords if one.arg == "flags"]
            flags = said[0] if said else rest[0] if use == "compile" and rest else None
            yield _Place(module, function, first, _uses(parent) if use == "compile" else (use,), flags)
        case ast.Call(func=ast.Attribute(value=ast.Attribute(attr="str"), attr=use), args=[first, *_]) if (
            use in OF_POLARS
        ):
            if not any(one.arg == "literal" for one in node.keywords):
                yield _Place(module, function, first, (f"str.{use}",))
        case ast.Call(func=ast.Attribute(attr="matches"), args=[_, second]):  # of a database, perhaps Java's
            yield _Place(module, function, second, ("search",))
        case ast.Dict():
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and key.value == "pattern":  # of a JSON Schema
                    yield _Place(module, function, value, ("search",))
        case _:
            pass


def _places(module: str, tree: ast.Module) -> Iterator[_Place]:
    """The expressions of a source; of one that is a function's argument, those that its calls give it."""
    for node, function, parent in _walked(tree):
        for place in _place(node, function, parent, module):
            names = [] if function is None else [one.arg for one in function.args.args]
            if function is None or not isinstance(place.node, ast.Name) or place.node.id not in names:
                yield place
                continue
            at = names.index(place.node.id)
            for call, around, _ in _walked(tree):
                if isinstance(call, ast.Call) and ast.unparse(call.func) == function.name:
                    yield _Place(module, around, call.args[at], place.uses)


def imported(module: str) -> ModuleType:
    """A module of the package or of the tools."""
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    return importlib.import_module(module)


def _expressions_at(place: _Place) -> Iterator[str | bytes]:
    """The expressions of a place: by the names of its module, or as `GIVEN` makes them."""
    module = imported(place.module)
    inside = f"{place.module}.{place.function.name}" if place.function else place.module
    if inside in GIVEN:
        yield from GIVEN[inside](module)
        return
    for node in (place.node.body, place.node.orelse) if isinstance(place.node, ast.IfExp) else (place.node,):
        made: Any = eval(compile(ast.Expression(node), inside, "eval"), dict(vars(module)))  # noqa: S307  our own source
        yield getattr(made, "pattern", made)


@cache
def expressions() -> tuple[Expression, ...]:
    """Every expression of the package with each of its uses, once."""
    found: dict[Expression, None] = {}
    for module, path in sources().items():
        for place in _places(module, ast.parse(path.read_text())):
            flags = 0 if place.flags is None else int(eval(ast.unparse(place.flags), {"re": re}))  # noqa: S307  likewise
            for pattern, use in product(_expressions_at(place), place.uses):
                found[Expression(module, pattern, use, flags)] = None
    return tuple(found)


def kept() -> frozenset[str | bytes]:
    """The pattern of every compiled expression that a module of the package keeps, wherever in its values."""
    found: set[str | bytes] = set()
    for name in sources():
        for value in [*vars(imported(name)).values()]:  # a look at plug-ins imports modules
            found |= {one.pattern for one in _patterns(value, 3)}
    return frozenset(found)


def _patterns(value: object, depth: int) -> Iterator[re.Pattern[Any]]:
    """The compiled expressions in a value: themselves, as the owner of a method, or in containers and objects."""
    owner = getattr(value, "__self__", None)
    for one in (value, owner):
        if isinstance(one, re.Pattern):
            yield one
            return
    if depth and isinstance(value, Mapping):
        inside: Iterable[object] = list(cast("Mapping[object, object]", value).values())
    elif depth and isinstance(value, tuple | list | set | frozenset):
        inside = list(cast("Iterable[object]", value))
    else:
        fields = getattr(value, "__dataclass_fields__", {}) if depth and not isinstance(value, type) else {}
        inside = [getattr(value, name, None) for name in fields]
    for one in inside:
        yield from _patterns(one, depth - 1)


# --- what they are tried on -------------------------------------------------------------------------------------------

#: Characters of many kinds, of which a class of an expression takes some.
_POOL: Final = "aZ0 9._-/,:;\"'\\{}[]()<>=+*@#%&|~!?$^\n\t\x00éЖ٣"

#: How many texts are made of a part of an expression, and of how many characters pairs are repeated.
_VARIANTS: Final = 3
_PAIRED: Final = 6

#: What ends a text that has matched so far.
_ENDS: Final = ("", "\x01", "\n!")

_CATEGORIES: Final[Mapping[Any, Callable[[str], bool]]] = {
    kinds.CATEGORY_DIGIT: str.isdecimal,
    kinds.CATEGORY_NOT_DIGIT: lambda sign: not sign.isdecimal(),
    kinds.CATEGORY_SPACE: str.isspace,
    kinds.CATEGORY_NOT_SPACE: lambda sign: not sign.isspace(),
    kinds.CATEGORY_WORD: lambda sign: sign.isalnum() or sign == "_",
    kinds.CATEGORY_NOT_WORD: lambda sign: not (sign.isalnum() or sign == "_"),
}


def _fits(item: tuple[Any, Any], sign: str) -> bool:
    """Whether a part of a class takes a character."""
    kind, value = item
    if kind is kinds.RANGE:
        return bool(value[0] <= ord(sign) <= value[1])
    if kind is kinds.CATEGORY:
        return _CATEGORIES[value](sign)
    return bool(kind is kinds.LITERAL and value == ord(sign))


def _signs(kind: Any, value: Any) -> list[str]:
    """Some characters that an item takes which takes one."""
    if kind is kinds.LITERAL:
        return [chr(value)]
    if kind is kinds.ANY:
        return ["a", "0", " "]
    if kind is kinds.NOT_LITERAL:
        return [sign for sign in _POOL if ord(sign) != value][:6]
    refused = bool(value) and value[0][0] is kinds.NEGATE
    items = value[refused:]
    ends = [
        chr(one[1]) if one[0] is kinds.LITERAL else chr(one[1][0])
        for one in items
        if one[0] in {kinds.LITERAL, kinds.RANGE}
    ]
    return [sign for sign in (*([] if refused else ends), *_POOL) if refused != any(_fits(one, sign) for one in items)][
        :6
    ]


def _sample(items: Sequence[Any], variant: int, groups: dict[int, str]) -> str:
    """A short text that a sequence of items matches, or nearly; the variants take other characters and branches."""
    text = ""
    for kind, value in items:
        if kind in {kinds.LITERAL, kinds.NOT_LITERAL, kinds.ANY, kinds.IN}:
            signs = _signs(kind, value)
            text += signs[variant % len(signs)] if signs else ""
        elif kind in {kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT}:
            if value[:2] == (0, 1) and variant % 2:  # what may be absent is
                continue
            text += _sample(value[2], variant, groups) * max(1, min(value[0], LENGTH))
        elif kind is kinds.SUBPATTERN:
            groups[value[0]] = _sample(value[3], variant, groups)
            text += groups[value[0]]
        elif kind is kinds.ATOMIC_GROUP:
            text += _sample(value, variant, groups)
        elif kind is kinds.BRANCH:
            text += _sample(value[1][variant % len(value[1])], variant, groups)
        elif kind is kinds.ASSERT and value[0] > 0:
            text += _sample(value[1], variant, groups)
        elif kind is kinds.GROUPREF:
            text += groups.get(value, "")
    return text


def _inside(item: Any) -> list[Sequence[Any]]:
    """The sequences that an item consists of."""
    kind, value = item
    if kind in {kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT}:
        return [value[2]]
    if kind is kinds.SUBPATTERN:
        return [value[3]]
    if kind is kinds.BRANCH:
        return list(value[1])
    if kind is kinds.ATOMIC_GROUP:
        return [value]
    return [value[1]] if kind in {kinds.ASSERT, kinds.ASSERT_NOT} else []


def _pumps(items: Sequence[Any], before: str, variant: int) -> Iterator[tuple[str, str]]:
    """What stands before a part of an expression and what that part matches, for every run of items at every depth."""
    for first, item in enumerate(items):
        ahead = before + _sample(items[:first], variant, {})
        for after in range(first + 1, len(items) + 1 if first == 0 else min(first + 5, len(items)) + 1):
            yield ahead, _sample(items[first:after], variant, {})
        for inner in _inside(item):
            yield from _pumps(inner, ahead, variant)


def _as_python_writes(text: str) -> str:
    """An expression with what polars writes otherwise."""
    plain = re.sub(r"\\[pP]\{\w+\}", r"\\w", text).replace(r"\z", r"\Z")
    plain = re.sub(r"\(\?<(?=[a-z])", "(?P<", plain)
    return re.sub(r"\\x\{(\w+)\}", lambda found: re.escape(chr(int(found[1], 16))), plain)


@dataclass(frozen=True, slots=True)
class Text:
    """A text that repeats a part between what stands before and what ends it."""

    ahead: str
    pump: str
    end: str

    def of(self, length: int) -> str:
        """The text in so many characters."""
        repeated = self.pump * (length // len(self.pump) + 1)
        return (self.ahead + repeated)[: length - len(self.end)] + self.end


def adversarial(pattern: str | bytes) -> Iterator[Text]:
    """Texts for an expression: what its parts match again and again, and then what none does."""
    text = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
    tree = parser.parse(_as_python_writes(text))
    found: dict[tuple[str, str], None] = {}
    for variant in range(_VARIANTS):
        for ahead, pump in _pumps(tree, "", variant):
            found |= dict.fromkeys([(ahead, pump), ("", pump), ("0", pump)])
    signs = list(dict.fromkeys(sign for _, pump in found for sign in pump))[:_PAIRED]
    found |= dict.fromkeys((ahead, a + b) for a, b in product(signs, signs) for ahead in ("", "0"))
    yield from {
        Text(ahead, pump, end).of(LENGTH): Text(ahead, pump, end) for ahead, pump in found if pump for end in _ENDS
    }.values()


# --- how long they take -----------------------------------------------------------------------------------------------


class TooSlowError(Exception):
    """A text took several times what it may."""


@contextmanager
def stopped_after(seconds: float) -> Generator[None]:
    """Stop after so much CPU time; a match looks for signals now and then."""

    def stop(*_: object) -> None:
        raise TooSlowError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def seconds_of(expression: Expression, text: str, *, enough: float, most: float) -> float:
    """CPU seconds of an expression on a text: the fewest of some tries, up to one that is quick enough.

    Args:
        expression: The expression.
        text: The text.
        enough: So few seconds need no further try.
        most: A try that takes more is stopped, and counts as one without an end.
    """
    least = float("inf")
    for _ in range(TRIES):
        started = time.thread_time()
        with suppress(TooSlowError), stopped_after(most):
            expression.on(text)
            least = min(least, time.thread_time() - started)
        if least <= enough:
            break
    return least


def slowest(expression: Expression) -> tuple[float, str]:
    """The most seconds that an expression takes, and the text; no further text after one that is too slow."""
    worst = (0.0, "")
    for one in adversarial(expression.pattern):
        text = one.of(LENGTH)
        seconds = seconds_of(expression, text, enough=NOTICED, most=5 * SLOWEST)
        if NOTICED < seconds <= SLOWEST:
            steep = STEEP * seconds
            if seconds_of(expression, one.of(4 * LENGTH), enough=steep, most=steep) > steep:
                seconds = float("inf")
        worst = max(worst, (seconds, text))
        if worst[0] > SLOWEST:
            break
    return worst
