"""How strict each privacy model can be with a table, and what it does not see: as `kohort check` prints it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kohort.schema.numbers import rounded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kohort.assessment.checking import Check, Strictest
    from kohort.report import Json


def lines(found: Check) -> Iterator[str]:
    """The strictest parameters, of the whole table and of each sensitive column, and what each leaves unseen."""
    yield "the strictest parameters that this file meets:"
    yield from _lines(found, None)
    alone = int((found.sizes if found.people is None else found.people).tolist().count(1))
    if alone:
        yield f"  the average does not show that {_people(alone)} alone in {'its' if alone == 1 else 'their'} class"
    for one in found.alike:
        yield f"of {one.sensitive}:"
        yield from _lines(found, one.sensitive)
        if one.people:
            value = "the same value" if one.uncommon else "the file's most frequent value"
            some = f", {one.uncommon:,} of them not the most frequent" if 0 < one.uncommon < one.people else ""
            yield f"  k does not show that {_people(one.people)} in classes where everybody has {value}{some}"
        else:
            yield "  no class has only one value"
        yield from (f"  {line}" for line in _unseen(found, one.sensitive))


def _lines(found: Check, sensitive: str | None) -> Iterator[str]:
    from kohort.models.known import models, variants

    width = max(len(variant.title) for kind in models().values() for variant in variants(kind, "column"))
    for one in found.achieved:
        if one.sensitive == sensitive:
            yield f"  {one.model:{width}}  {one.text}"


def _unseen(found: Check, sensitive: str) -> Iterator[str]:
    """What diversity and closeness leave unseen, by what stricter models find."""
    values = {one.key: one.achieved.value for one in found.achieved if one.sensitive == sensitive}
    if (share := values.get("alpha")) is not None:
        yield f"distinct l does not show that one value makes up {rounded(100 * share, 1, up=True)}% of a class"
    if (gain := values.get("beta")) is not None:
        times = rounded(gain + 1, 1, up=True)
        yield f"t does not show that one value is {times} times as frequent in a class as in the table"


def _people(count: int) -> str:
    return f"{count:,} {'person is' if count == 1 else 'people are'}"


def figures(found: Check) -> dict[str, Json]:
    """The same for programs: what the table achieves, and of each sensitive column, by short names of the models."""
    columns: dict[str, Json] = {
        one.sensitive: {
            **_figures([each for each in found.achieved if each.sensitive == one.sensitive]),
            "people_in_classes_of_one_value": one.people,
            "of_an_uncommon_value": one.uncommon,
        }
        for one in found.alike
    }
    table = _figures([one for one in found.achieved if one.sensitive is None])
    return {**table, "columns": columns}


def _figures(some: Sequence[Strictest]) -> dict[str, Json]:
    told: dict[str, Json] = {}
    for one in some:
        told[one.key] = {"model": one.model, "value": one.number, "attained": one.achieved.attained}
        if one.achieved.reason:
            told[one.key] = {"model": one.model, "value": None, "reason": one.achieved.reason}
    return told
