"""How objects and numbers are displayed: no object shows a record's value, and no text steers a terminal."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import MISSING, dataclass, fields
from enum import Enum
from fractions import Fraction
from itertools import chain, repeat
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple, TypeAlias

from kohort.errors import readable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from dataclasses import Field

    from _typeshed import DataclassInstance
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

#: What is told of an object: names and values, the most important first.
Rows: TypeAlias = list[tuple[str, str]]

#: From here on a figure is written by its digits and power of ten: a float has no more digits.
HUGE: Final = 1e15

#: A table of several columns: its title, its rows, and the names of its columns.
Grid: TypeAlias = "tuple[str, Sequence[Sequence[str]], Sequence[str]]"

#: What stands first in whatever is made of the input, for the steward alone: in an object or a table, and in a text.
INTERNAL: Final = MappingProxyType({"audience": "internal"})
INTERNAL_LINE: Final = "Internal: these details come from the original data. Do not publish them."

#: The 66 code points that Unicode sets aside, such as U+FFFE: no text that is exchanged may hold one.
NONCHARACTER: Final = re.compile(
    "[\ufdd0-\ufdef\ufffe\uffff"
    + "".join(f"{chr(0x1FFFE + (at << 16))}{chr(0x1FFFF + (at << 16))}" for at in range(16))
    + "]"
)

#: The characters of a line.
LONGEST: Final = 200

#: How the page of a report stands in a notebook: its reader can make it higher.
_FRAME: Final = "width:100%;height:40em;border:1px solid #cbd2d9;resize:vertical"


def for_steward(text: str) -> str:
    """A text for the steward alone, which says so at its top.

    >>> print(for_steward("3 records"))
    Internal: these details come from the original data. Do not publish them.
    3 records
    """
    return f"{INTERNAL_LINE}\n{text}"


class Summary(ABC):
    """An object that is shown by its title and some rows: in a line at the prompt, as a table in a notebook."""

    __slots__ = ()

    @abstractmethod
    def _shown(self) -> tuple[str, Rows]:
        """The title and the rows; no record's value is among them."""

    def _grid(self) -> Grid | None:
        """What a notebook shows below the rows; no record's value is in it either."""
        return None

    def __repr__(self) -> str:
        """One line."""
        return line(*self._shown())

    def _repr_html_(self) -> str:
        """A small table, or two, in plain HTML that needs nothing else."""
        grid = self._grid()
        return table_html(*self._shown()) + (table_html(*grid) if grid else "")


class ReportText(str):
    """The text of a report, which a notebook shows as its page: in a frame that runs nothing and loads nothing.

    The text is internal, and a notebook may be published with its outputs, so the text is not kept beside the page.
    """

    __slots__ = ("page",)
    page: Callable[[], str]

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        """Pickled as plain text, without the release."""
        return str, (str(self),)

    def __repr__(self) -> str:
        """What a notebook keeps beside the page."""
        return "<Report of a release; print() shows its text>"

    def _repr_html_(self) -> str:
        """The page, made when a notebook asks for it; without a base, links in a frame would load the notebook."""
        from html import escape  # noqa: PLC0415  for notebooks alone

        page = escape(self.page().replace("<head>", '<head><base href="about:srcdoc">', 1))
        return f'<iframe title="Report of a release" sandbox style="{_FRAME}" srcdoc="{page}"></iframe>'


def line(title: str, rows: Rows) -> str:
    """A title and its rows in one line of at most 200 characters.

    >>> line("Risk", [("Records", "1,200"), ("Highest risk", "10%")])
    '<Risk; records: 1,200; highest risk: 10%>'
    """
    named = (f"{name if name.isupper() else name[:1].lower() + name[1:]}: {value}" for name, value in rows)
    return _cut(f"<{'; '.join([title, *named])}>", ">")


def parameters(of: DataclassInstance) -> str:
    """A dataclass as it would be made, without what is not set, in one line of at most 200 characters.

    >>> from kohort.schema import Attribute, Role
    >>> Attribute("age", Role.QUASI, missing="suppress")
    Attribute(name='age', role='quasi', missing='suppress')
    """
    said = [(one.name, getattr(of, one.name)) for one in fields(of) if one.repr and _is_set(of, one)]
    return _cut(f"{type(of).__name__}({', '.join(f'{name}={_plain(value)}' for name, value in said)})", ")")


def escaped(text: str) -> str:
    """A text inside HTML, with what cannot be seen spelled out.

    >>> escaped("a<b")
    'a&lt;b'
    """
    from html import escape  # noqa: PLC0415  for notebooks alone

    return escape(readable(text))


def table_html(title: str, rows: Sequence[Sequence[str]], heads: Sequence[str] = ()) -> str:
    """A table whose rows begin with their headers; below heads, columns of numbers are flush right.

    >>> table_html("A <release>", [])
    '<table><caption style="text-align:left">A &lt;release&gt;</caption><tbody></tbody></table>'
    """
    columns = zip(*rows, strict=True)
    sides = ["right" if heads and all(cell[:1].isdigit() for cell in one if cell) else "left" for one in columns]
    head = f"<thead>{_row(heads, repeat('th scope=col'), sides)}</thead>" if heads else ""
    body = "".join(_row(row, chain(["th scope=row"], repeat("td")), sides) for row in rows)
    return f"<table>{_cell(title, 'caption', 'left')}{head}<tbody>{body}</tbody></table>"


def _row(cells: Sequence[str], tags: Iterable[str], sides: Sequence[str]) -> str:
    return f"<tr>{''.join(map(_cell, cells, tags, sides))}</tr>"


def _cell(text: str, tag: str, side: str) -> str:
    """A cell; notebooks put all of them flush right, and captions in the middle, if nothing is said."""
    return f'<{tag} style="text-align:{side}">{escaped(text)}</{tag.split(maxsplit=1)[0]}>'


def four_digits(value: float) -> str:
    """A figure to four digits, or to the last whole one.

    >>> four_digits(0.123456), four_digits(1234567.8), four_digits(12.0)
    ('0.1235', '1,234,568', '12')
    """
    return f"{value:,.0f}" if 1000 <= abs(value) < HUGE else f"{value:.4g}"  # noqa: PLR2004  four digits


def verified(*, done: bool) -> str:
    """What the title of a release says."""
    return "verified" if done else "dry run, not verified"


def sizes_row(smallest: int, largest: int, what: str = "records") -> tuple[str, str]:
    """The row of class sizes."""
    return "Class sizes", f"{span(smallest, largest)} {what}"


#: Nouns whose plural is not theirs and an s.
_PLURALS: Final = MappingProxyType({"person": "people", "class": "classes", "leaf": "leaves"})


def told_suppressed(records: int) -> str:
    """How many records of a table are suppressed as other programs do it.

    >>> told_suppressed(2)
    '2 records are * in every quasi-identifying column: counted apart as suppressed'
    """
    of = "counted apart as suppressed"
    return f"{many(records, 'record is', 'records are')} * in every quasi-identifying column: {of}"


def many(count: int, one: str, more: str = "") -> str:
    """A count and its noun, which agree in number, and if there is one the verb after it.

    >>> many(1, "item"), many(2_000, "item"), many(2, "class"), many(1, "record has", "records have")
    ('1 item', '2,000 items', '2 classes', '1 record has')
    """
    return f"{count:,} {one if count == 1 else more or _PLURALS.get(one, f'{one}s')}"


def took(seconds: Mapping[str, float]) -> str:
    """The wall time of a run, and of its stages that took a tenth of it or more.

    >>> took({"read": 0.31, "solve": 1.2, "write": 0.04})
    'took 1.55 s (read 0.31, solve 1.20)'
    """
    total = sum(seconds.values())
    stages = ", ".join(f"{stage} {part:,.2f}" for stage, part in seconds.items() if 10 * part >= total > 0)
    return f"took {total:,.2f} s{f' ({stages})' if stages else ''}"


def span(least: int, most: int, one: str = "") -> str:
    """Numbers from the least to the most, and of what.

    >>> span(5, 1_200), span(6, 6), span(2, 3, "record"), span(1, 1, "record")
    ('5 to 1,200', '6', '2 to 3 records', '1 record')
    """
    start = "" if least == most else f"{least:,} to "
    return f"{start}{many(most, one) if one else f'{most:,}'}"


def class_of(value: object) -> str:
    """The name of a value's class, for a message: the value itself may be a record's."""
    return type(value).__name__


def _is_set(of: DataclassInstance, one: Field[Any]) -> bool:
    """Whether a field has another value than its default."""
    default = one.default if one.default_factory is MISSING else one.default_factory()
    return default is MISSING or getattr(of, one.name) != default


def _plain(value: object) -> str:
    """A value as somebody would write it: words and fractions without their types."""
    return repr(str(value)) if isinstance(value, Enum | Fraction) else repr(value)


def _cut(text: str, end: str) -> str:
    """The text as one line, cut where it is too long."""
    flat = readable(" ".join(text.split()))
    return flat if len(flat) <= LONGEST else f"{flat[: LONGEST - 1 - len(end)]}…{end}"


# ── figures ──────────────────────────────────────────────────────────────────────────────────────

#: Whole numbers stay whole in JSON.
Number: TypeAlias = int | float

#: Digits after which a share, a loss or a metric tells nothing more.
DIGITS: Final = 10


def rounded(value: float) -> float:
    """A share, to ten digits after the point."""
    return round(value, DIGITS)


def whole(value: float) -> Number:
    """A figure to ten digits after the point; as an integer where it is one.

    >>> whole(600.0), whole(0.12345678901234), whole(1.0)
    (600, 0.123456789, 1.0)
    """
    return int(value) if float(value).is_integer() and abs(value) > 1 else rounded(value)


def significant(value: float) -> Number:
    """A figure to 12 significant digits, below which is the noise of floating point; a whole one as an integer.

    >>> significant(24.500000000000004), significant(3.0)
    (24.5, 3)
    """
    short = float(f"{value:.12g}")
    return int(short) if short.is_integer() and abs(short) < HUGE else short


@dataclass(frozen=True, slots=True)
class ToldAs:
    """How a part of a record is written in JSON, where that is not what it is: a mark that pydantic reads.

    Attributes:
        to: What is written instead.
        figure: Whether the part is a figure, which is rounded in the same way when it is read.
    """

    to: Callable[[Any], object]
    figure: bool = False

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """What is read as it is, or rounded, and written so."""
        from pydantic_core import core_schema as core  # noqa: PLC0415  pydantic is loaded by reports alone

        read = core.no_info_after_validator_function(self._checked, handler(source)) if self.figure else handler(source)
        made: CoreSchema = _written(read, core.plain_serializer_function_ser_schema(self.to))
        return made

    def _checked(self, value: float) -> object:
        try:
            float(value)  # a whole number may be too large for one
            return self.to(value)
        except OverflowError:
            raise ValueError("the number is larger than any figure") from None


class First(NamedTuple):
    """How much of a long part of a record is written in JSON: its first items."""

    many: int

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """What is read as it is, and written in part."""
        from pydantic_core.core_schema import wrap_serializer_function_ser_schema  # noqa: PLC0415  as above

        cut = wrap_serializer_function_ser_schema(lambda value, written: written(value[: self.many]))
        made: CoreSchema = _written(handler(source), cut)
        return made


def _written(schema: CoreSchema, how: object) -> Any:  # noqa: ANN401  one of many typed dictionaries
    """What is read by a schema, and written so."""
    return {**schema, "serialization": how}


def _or_null(text: str) -> str | None:
    return text or None


#: A text that is null in JSON where it is empty.
Named: TypeAlias = Annotated[str, ToldAs(_or_null)]

#: A share, to ten digits after the point.
Share: TypeAlias = Annotated[Number, ToldAs(rounded, figure=True)]

#: A figure to ten digits after the point; an integer where it is one.
Whole: TypeAlias = Annotated[Number, ToldAs(whole, figure=True)]

#: A figure to 12 significant digits.
Significant: TypeAlias = Annotated[Number, ToldAs(significant, figure=True)]

#: Who sees a field of a record on a page: as it is, everybody; rounded as a method of `Reader` says, everybody; nobody.
#: Any other field is the steward's.
OPEN: Final = MappingProxyType({"public": "open"})
NOT_ON_PAGES: Final = MappingProxyType({"public": "nobody"})

#: What stands in a record beside its JSON; pydantic reads `exclude`.
NOT_JSON: Final = MappingProxyType({"public": "nobody", "exclude": True})
