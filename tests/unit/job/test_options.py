"""The keyword arguments that type checkers see are those of the form."""

from __future__ import annotations

import os
import textwrap
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from pydantic import BaseModel

import kohort
from kohort.io import ReadOptions
from kohort.job.keywords import keywords

if TYPE_CHECKING:
    from kohort.job.keys import Key

PATH = Path(kohort.__file__).parent / "job" / "options.py"

HEAD = '''"""The keyword arguments of a job, for type checkers: what `tests/unit/job/test_options.py` makes of the form.

`KOHORT_GOLDEN=write pytest tests/unit/job/test_options.py` writes them. `kohort.job.keywords` reads arguments by the
form itself, so that those of other packages' models work too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, TypedDict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction
    from os import PathLike

    from kohort.perturbation.base import Perturbation
    from kohort.schema.hierarchy import Hierarchy

    #: A number; a float counts as the decimal that it prints.
    Number: TypeAlias = float | Fraction | str
'''

#: The types of keys that are read by functions of their own.
TYPES = {
    "hierarchy": "str | PathLike[str] | Hierarchy | Mapping[str, object]",
    "grid": "Number | Sequence[Number]",
    "bounds": "tuple[Number, Number]",
    "node": "Sequence[int] | Mapping[str, int]",
    "complete-records": 'Sequence[str] | Literal["all"]',
    "max-suppression": "Number",
    "time-limit": "Number",
    "presence": "tuple[Number, Number]",
    "objective": "str",
    "dimension": "str",
}


def value_of(key: Key) -> str:
    """The type of one value."""
    kind: Any = key.type
    if kind == bool | None:
        return "bool | None"
    if key.place[-1] in TYPES and key.place != ("method", "grid"):
        return TYPES[key.place[-1]]
    if isinstance(kind, type) and issubclass(kind, Enum):
        return f"Literal[{', '.join(repr(str(one.value)) for one in kind)}]".replace("'", '"')
    if get_origin(kind) is Literal:
        return f"Literal[{', '.join(map(repr, get_args(kind)))}]".replace("'", '"')
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return "Mapping[str, Number]"
    return {"Fraction": "Number", "float": "Number"}.get(kind.__name__, str(kind.__name__))


def type_of(key: Key) -> str:
    """The type of a keyword argument."""
    if key.place == ("perturb", "columns"):
        return "Mapping[str, str | Mapping[str, object]] | Sequence[Perturbation]"
    if key.of_column:
        return f"Mapping[str, {value_of(key)}]"
    if key.place[0] == "columns" or get_origin(key.type) is list:
        return "Sequence[str]"
    return value_of(key)


def entry(key: Key) -> str:
    """A keyword argument with its sentence."""
    sentence = key.help.removesuffix(" (repeatable)")
    told = textwrap.wrap(f'"""{sentence}"""', 116, break_long_words=False, break_on_hyphens=False)
    ambiguous = "  # noqa: E741  the letter of the paper" if key.keyword == "l" else ""
    kind = type_of(key)
    if len(f"    {key.keyword}: {kind}") > 120:  # as the formatter breaks it
        kind = _broken(kind)
    return "\n".join([f"{key.keyword}: {kind}{ambiguous}", *told])


def _broken(kind: str) -> str:
    """A type that is too long for its line, as the formatter breaks it."""
    if kind.startswith("Mapping["):
        inside = kind.removeprefix("Mapping[").removesuffix("]")
        key, _, value = inside.partition(", ")
        lines = [inside] if len(inside) <= 108 else [f"{key},", *f"{_broken(value)},".splitlines()]
        return "\n".join(["Mapping[", *(f"    {line}" for line in lines), "]"])
    words = kind.removeprefix("Literal[").removesuffix("]").split(", ")
    return "\n".join(["Literal[", *(f"    {word}," for word in words), "]"])


def written() -> str:
    """The file."""
    reading = [key for key in keywords().values() if key.place[0] == "input" and key.name in ReadOptions.__slots__]
    promises = [key for key in keywords().values() if key.is_model or key.keyword in {"person", "hierarchy"}]
    others = [key for key in keywords().values() if key not in reading and key not in promises]
    parts = {
        ("Reading", "TypedDict, total=False", "How delimited text is read."): reading,
        ("Promises", "TypedDict, total=False", "Privacy models, and what they refer to."): promises,
        ("Options", "Reading, Promises, total=False", "Everything that a job can be told."): others,
    }
    classes = [
        f'class {name}({bases}):\n    """{sentence}"""\n\n' + textwrap.indent("\n".join(map(entry, keys)), "    ")
        for (name, bases, sentence), keys in parts.items()
    ]
    return "\n\n".join([HEAD, *(f"{one}\n" for one in classes)])


def test_type_checkers_see_the_keys_of_the_form() -> None:
    """The file is what the form makes of it."""
    if os.environ.get("KOHORT_GOLDEN") == "write":
        PATH.write_text(written(), encoding="utf-8")
    assert PATH.read_text(encoding="utf-8") == written()
