"""Tables of one's own for the register: regions with their cities, professions with their incomes, names.

A folder holds `cities.json`, `professions.json` or `names.json`, in the form of those beside this module; what it does
not hold stays as it is.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any, Final, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model, model_validator

from kohort.errors import FileError, InputError
from kohort.samples.population import CITY_LEVELS, EDUCATIONS, PROFESSION_LEVELS, leaves

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import Self

    from kohort.samples.population import Profession, Tree

Text = Annotated[str, Field(min_length=1)]
Count = Annotated[int, Field(ge=0, lt=1 << 31)]


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Node(_Form):
    name: Text


class _City(_Node):
    inhabitants: Count


class _Profession(_Node):
    holders: dict[str, Count]
    income: list[Count] = Field(min_length=2, max_length=2)

    @model_validator(mode="after")
    def _ascending(self) -> Self:
        if self.income[0] > self.income[1]:
            raise ValueError("the least income is above the greatest")
        return self


class _Names(_Form):
    male: list[Text] = Field(min_length=1)
    female: list[Text] = Field(min_length=1)
    last: list[Text] = Field(min_length=1)


def _tree(levels: Sequence[str], leaf: type[_Node]) -> type[_Node]:
    """The form of a tree: lists of children under the names of these levels, and leaves."""
    for level in reversed(levels):
        fields: dict[str, Any] = {level: (list[leaf], Field(min_length=1))}  # type: ignore[valid-type]
        leaf = create_model(level, __base__=_Node, **fields)
    return leaf


#: The levels of the tables that are trees.
_LEVELS: Final = {"cities": CITY_LEVELS, "professions": PROFESSION_LEVELS}

#: The tables that a folder may hold, and the form of each.
FORMS: Final[Mapping[str, type[_Form]]] = {
    "cities": _tree(CITY_LEVELS, _City),
    "professions": _tree(PROFESSION_LEVELS, _Profession),
    "names": _Names,
}


def own_tables(folder: Path) -> dict[str, Tree]:
    """The tables in a folder, by their names.

    Raises:
        InputError: there is none, or one is not in its form, or nobody can be drawn from it.
    """
    found = {name: _read(folder / f"{name}.json", name) for name in FORMS if (folder / f"{name}.json").is_file()}
    if not found:
        names = ", ".join(f"{name}.json" for name in FORMS)
        raise InputError("the folder has no table", where=str(folder), hint=f"add one of {names}")
    return found


def _read(path: Path, name: str) -> Tree:
    """The table in a file."""
    try:
        tree = json.loads(path.read_text(encoding="utf-8"))
        FORMS[name].model_validate(tree)
    except OSError as error:
        raise FileError(f"the file cannot be read: {error.strerror}", where=str(path)) from None
    except ValidationError as fault:
        first = fault.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "the whole"
        raise InputError(
            f"{place}: {first['msg']}", where=str(path), hint="see kohort generate italy in the docs"
        ) from None
    except (ValueError, RecursionError):  # no JSON, thousands of digits, or endless brackets
        raise InputError("the file is not JSON", where=str(path), hint="write JSON in UTF-8") from None
    for what in _unfit(cast("Tree", tree), name):
        raise InputError(what, where=str(path), hint="correct the table")
    return cast("Tree", tree)


def _unfit(tree: Tree, name: str) -> Iterator[str]:
    """Why nobody can be drawn from a table, or its trees are no hierarchies."""
    levels = _LEVELS.get(name, ())
    for depth in range(len(levels)):
        yield from _twice(leaves(tree, levels[: depth + 1]))
    if name == "cities" and not any(city["inhabitants"] for city in leaves(tree, levels)):
        yield "no city has inhabitants"
    if name == "professions":
        held = Counter[str]()
        for profession in cast("list[Profession]", leaves(tree, levels)):
            held.update(profession["holders"])
        for degree in EDUCATIONS:
            if not held[degree]:
                yield f"no profession has holders of {degree}"
        unknown = len(held.keys() - {*EDUCATIONS})
        if unknown:
            yield f"{unknown} holders are none of {', '.join(EDUCATIONS)}"


def _twice(level: Sequence[Tree]) -> Iterator[str]:
    """That nodes of a level have the names of others."""
    names = Counter(str(node["name"]) for node in level)
    twice = sum(count > 1 for count in names.values())
    if twice:
        yield f"{twice} names stand for two nodes of one level"
