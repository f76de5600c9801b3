"""Tables of one's own for the register: regions with their cities, professions with their incomes, names.

A folder holds `cities.json`, `professions.json` or `names.json`, in the form of those beside this module; what it does
not hold stays as it is.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Final, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from kohort.errors import FileError, InputError
from kohort.generate.population import EDUCATIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import Self

    from kohort.generate.population import Tree

Text = Annotated[str, Field(min_length=1)]
Count = Annotated[int, Field(ge=0, lt=1 << 31)]


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Node(_Form):
    name: Text


class _City(_Node):
    inhabitants: Count


class _Province(_Node):
    cities: list[_City] = Field(min_length=1)


class _Region(_Node):
    provinces: list[_Province] = Field(min_length=1)


class _Area(_Node):
    regions: list[_Region] = Field(min_length=1)


class _Country(_Node):
    macro_areas: list[_Area] = Field(min_length=1)


class _Profession(_Node):
    holders: dict[str, Count]
    income: list[Count] = Field(min_length=2, max_length=2)

    @model_validator(mode="after")
    def _ascending(self) -> Self:
        if self.income[0] > self.income[1]:
            raise ValueError("the least income is above the greatest")
        return self


class _Field(_Node):
    professions: list[_Profession] = Field(min_length=1)


class _Sector(_Node):
    fields: list[_Field] = Field(min_length=1)


class _Economy(_Node):
    sectors: list[_Sector] = Field(min_length=1)


class _Names(_Form):
    male: list[Text] = Field(min_length=1)
    female: list[Text] = Field(min_length=1)
    last: list[Text] = Field(min_length=1)


#: The tables that a folder may hold, and the form of each.
FORMS: Final[Mapping[str, type[_Form]]] = {"cities": _Country, "professions": _Economy, "names": _Names}


def own_tables(folder: Path) -> dict[str, Tree]:
    """The tables in a folder, by their names.

    Raises:
        InputError: there is none, or one is not in its form, or nobody can be drawn from it.
    """
    found = {
        name: _read(folder / f"{name}.json", form)
        for name, form in FORMS.items()
        if (folder / f"{name}.json").is_file()
    }
    if not found:
        names = ", ".join(f"{name}.json" for name in FORMS)
        raise InputError("the folder has no table", where=str(folder), hint=f"it may hold {names}")
    return found


def _read(path: Path, form: type[_Form]) -> Tree:
    """The table in a file."""
    try:
        tree = json.loads(path.read_text(encoding="utf-8"))
        made = form.model_validate(tree)
    except OSError as error:
        raise FileError(f"the file cannot be read: {error.strerror}", where=str(path)) from None
    except ValidationError as fault:
        first = fault.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "the whole"
        raise InputError(
            f"{place}: {first['msg']}", where=str(path), hint="see kohort generate italy in the docs"
        ) from None
    except (ValueError, RecursionError):  # no JSON, thousands of digits, or endless brackets
        raise InputError("it is no JSON text", where=str(path), hint="write it in UTF-8") from None
    for what in _unfit(made):
        raise InputError(what, where=str(path), hint="correct the table")
    return cast("Tree", tree)


def _unfit(made: _Form) -> Iterator[str]:
    """Why nobody can be drawn from a table, or its trees are no hierarchies."""
    if isinstance(made, _Country):
        provinces = [one for area in made.macro_areas for region in area.regions for one in region.provinces]
        cities = [city for province in provinces for city in province.cities]
        regions = [region for area in made.macro_areas for region in area.regions]
        yield from _twice([made.macro_areas, regions, provinces, cities])
        if not any(city.inhabitants for city in cities):
            yield "no city has inhabitants"
    if isinstance(made, _Economy):
        fields = [field for sector in made.sectors for field in sector.fields]
        professions = [profession for field in fields for profession in field.professions]
        yield from _twice([made.sectors, fields, professions])
        held = Counter[str]()
        for profession in professions:
            held.update(profession.holders)
        for degree in EDUCATIONS:
            if not held[degree]:
                yield f"no profession has holders of {degree}"
        unknown = len(held.keys() - {*EDUCATIONS})
        if unknown:
            yield f"{unknown} holders are none of {', '.join(EDUCATIONS)}"


def _twice(levels: Sequence[Sequence[_Node]]) -> Iterator[str]:
    """The levels on which two nodes have one name."""
    for level in levels:
        names = Counter(node.name for node in level)
        twice = sum(count > 1 for count in names.values())
        if twice:
            yield f"{twice} names stand for two nodes of one level"
