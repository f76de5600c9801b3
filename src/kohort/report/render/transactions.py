"""A release of a transaction database as text for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from kohort.report.render import counts, places

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kohort.report import Json

#: Names of items that are shown at once: two or three lines.
SHOWN: Final = 20

#: What is promised where items are suppressed.
ITEMS: Final = (
    "{model}: who knows up to {p} public item{s} of a person finds no transaction with {them},",
    "or at least {k:,}, and no private item in more than {h} of those",
)

#: What is promised where single cells are, and what is not.
CELLS: Final = (
    "{model} of what is released, by suppressing single cells: every set of up to {p} public item{s} that",
    "occurs in the release is in at least {k:,} of its transactions, and no private item in more than {h} of those.",
    "That is another promise than dropping items: an item that a released transaction lacks may have been there,",
    "so that in the original a cohort can be larger, and the share of a private item in it another.",
)


def release_text(figures: Mapping[str, Json]) -> str:
    """The figures of `kohort.report.transactions.numbers` as a few lines for a person."""
    parts = (_released(figures), _promise(figures), _moles(figures), _dropped(figures), _cost(figures))
    return "\n".join([*(line for part in parts for line in part), *places(figures)])


def shown(name: str) -> str:
    r"""An item's name as a terminal can be given it.

    >>> print(shown("tea"), shown("\x1b[2J"))
    tea '\x1b[2J'
    """
    return name if name.isprintable() else ascii(name)


def listed(names: Sequence[str]) -> str:
    """The first names, and how many more there are.

    >>> listed(["tea", "jam"]), listed([str(number) for number in range(1, 1_024)])[-21:]
    ('tea, jam', '19, 20 and 1,003 more')
    """
    more = len(names) - SHOWN
    return ", ".join(map(shown, names[:SHOWN])) + (f" and {more:,} more" if more > 0 else "")


def _released(figures: Mapping[str, Json]) -> Iterator[str]:
    """What was released."""
    transactions, emptied, repeated = counts(figures, "transactions", "emptied", "repeated")
    yield f"{many(transactions, 'transaction')} released" + f", {emptied:,} of them emptied" * (emptied > 0)
    items, public, private, neither = counts(figures, "items", "public", "private", "neither")
    removed, cells = counts(figures, "removed_items", "removed_cells")
    others = f", {neither:,} neither" * (neither > 0)
    rare = f", {removed:,} removed first for their support, with {many(cells, 'cell')}" * (removed > 0)
    yield f"{many(items, 'item')}: {public:,} public, {private:,} private{others}{rare}"
    if not private:
        yield "note: no item is private, so h limits nothing"
    if repeated:
        yield f"{many(repeated, 'item')} named again in a transaction count once"


def _promise(figures: Mapping[str, Json]) -> Iterator[str]:
    """What was asked, and whether somebody looked."""
    model = cast("dict[str, Json]", figures["model"])
    p = model["p"]
    them, ending = ("it", "") if p == 1 else ("them", "s")
    said = {"model": model["name"], "p": p, "k": model["k"], "h": _h(model), "s": ending, "them": them}
    yield ""
    yield from (line.format_map(said) for line in (CELLS if figures["suppress"] == "cells" else ITEMS))
    if not figures["verified"]:
        yield "dry run: nothing was written, nothing verified"
        return
    cohorts, smallest = counts(figures, "cohorts", "smallest")
    where = "the published bytes" if figures["release"] else "the released transactions"
    confidence = cast("float", figures["confidence"])
    yield f"verified on {where}: of {many(cohorts, 'cohort')} the smallest has {many(smallest, 'transaction')},"
    yield f"and no private item is in more than {confidence:.2%} of one"


def _h(model: Mapping[str, Json]) -> str:
    """The share h in people's words; exactly, where it is no short decimal."""
    share = cast("float", model["h"])
    return f"{share:.0%}" if round(share, 2) == share else str(model["h_exact"])


def _moles(figures: Mapping[str, Json]) -> Iterator[str]:
    """The minimal moles by size and kind."""
    kinds = cast("dict[str, dict[str, int]]", figures["moles_by_kind"])
    yield ""
    yield "Minimal moles"
    found = False
    for size, kind in kinds.items():
        if any(kind.values()):
            found = True
            rare, breach = kind["rare"], kind["breach"]
            yield f"  of {many(int(size), 'item'):<8} {rare + breach:>11,}: {rare:,} below k, {breach:,} above h"
    if not found:
        yield "  none"


def _dropped(figures: Mapping[str, Json]) -> Iterator[str]:
    """The items that are gone."""
    dropped, returned = (cast("list[str]", figures[key]) for key in ("dropped", "returned"))
    yield ""
    yield f"Dropped {many(len(dropped), 'item')} ({figures['method']})" + (f": {listed(dropped)}" if dropped else "")
    if returned:
        yield f"Given back {many(len(returned), 'item')}: {listed(returned)}"


def _cost(figures: Mapping[str, Json]) -> Iterator[str]:
    """What was lost, what is left, and whether less could be lost."""
    share, gap = (cast("float | None", figures[key]) for key in ("distortion", "gap"))
    cells, items, released = counts(figures, "cells", "released_items", "released_cells")
    yield f"Distortion {share:.4f} ({figures['distortion_exact']}){_proof(figures, gap)}"
    yield f"What is left: {many(items, 'item')}, {released:,} of {many(cells, 'cell')}"


def _proof(figures: Mapping[str, Json], gap: float | None) -> str:
    """What is known of other suppressions."""
    if figures["proven"]:
        return ", proven: no suppression of items loses less"
    if gap is None:
        return ""
    return f"; none goes below {figures['bound']}/{figures['loss_all']} (gap {gap:.1%})"


def many(count: int, noun: str) -> str:
    """So many of something.

    >>> many(1, "item"), many(2_000, "item")
    ('1 item', '2,000 items')
    """
    return f"{count:,} {noun}{'s' * (count != 1)}"
