# ruff: noqa: PLR0917  loops take what the core takes, in its order
"""The loops of the order cut and of groups of tuples once more, plainly: what the compiled core must write.

Each takes what the function of the core takes, in its order. `PLAIN` has them by the core's names.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from kohort.algorithms.mondrian.costs import SET, SPAN, Costs, Groups
from kohort.algorithms.mondrian.division import NEVER, Window

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kohort.arrays import Codes, Counts, Index, Mask, Shares

#: Where the span of a missing number begins and ends: so far from all numbers that together they cost the whole.
AWAY: Final = -(1 << 61)

# ── What labels cost ─────────────────────────────────────────────────────────────────────────────


def span_cost(costs: Costs, attribute: int, low: int, high: int) -> int:
    """The cost of a range or an interval; a missing value and numbers together leave nothing to tell."""
    whole, first = int(costs.whole[attribute]), int(costs.first[attribute])
    if low == costs.gaps[attribute]:
        return whole if high > low else 0
    return min(max(int(costs.ends[first + high]) - int(costs.starts[first + low]), 0), whole)


def set_cost(costs: Costs, attribute: int, more: int) -> int:
    """The cost of a set with so many values more than one."""
    return int(costs.ends[costs.first[attribute] + more])


def level_of(costs: Costs, attribute: int, one: int, other: int) -> int:
    """Where the lowest level begins at which both leaves have one node."""
    at, leaves = costs.levels[attribute].tolist()
    while costs.nodes[at + one] != costs.nodes[at + other]:
        at += leaves
    return int(at)


def label_cost(costs: Costs, attribute: int, low: int, high: int, values: int) -> int:
    """The cost of the label of so many values, the least and the greatest of which are known."""
    kind = costs.kinds[attribute]
    if kind == SPAN:
        return span_cost(costs, attribute, low, high)
    if low == high:
        return 0
    if kind == SET:
        return set_cost(costs, attribute, values - 1)
    return int(costs.above[level_of(costs, attribute, low, high) + low])


def members(some: Groups, one: int, costs: Costs, attribute: int) -> set[int]:
    """The places that a group has of a set."""
    words = some.bits[one, costs.words[attribute] : costs.words[attribute + 1]].tolist()
    return {64 * at + bit for at, word in enumerate(words) for bit in range(64) if word >> bit & 1}


def joined_cost(some: Groups, one: int, other: int, costs: Costs) -> int:
    """What two groups would cost as one."""
    total = 0
    for attribute in range(costs.kinds.size):
        low = int(min(some.low[one, attribute], some.low[other, attribute]))
        high = int(max(some.high[one, attribute], some.high[other, attribute]))
        values = members(some, one, costs, attribute) | members(some, other, costs, attribute)
        total += label_cost(costs, attribute, low, high, len(values))
    return total


def pair_cost(places: Codes, one: int, other: int, costs: Costs) -> int:
    """What two tuples would cost as one group."""
    pairs = zip(places[one].tolist(), places[other].tolist(), strict=True)
    return sum(label_cost(costs, at, min(pair), max(pair), len({*pair})) for at, pair in enumerate(pairs))


# ── Groups ───────────────────────────────────────────────────────────────────────────────────────


def gather(tables: Sequence[Index], places: Codes, rows: Index, starts: Index, some: Sequence[Any]) -> None:
    """Put tuples into groups, from each start to the next: these rows, or all in their order."""
    costs, into = Costs(*tables), Groups(*some)
    for one in range(len(into.low)):
        for at in range(starts[one], starts[one + 1]):
            for attribute, place in enumerate(places[rows[at] if rows.size else at].tolist()):
                into.low[one, attribute] = min(into.low[one, attribute], place)
                into.high[one, attribute] = max(into.high[one, attribute], place)
                if costs.kinds[attribute] == SET:
                    word = costs.words[attribute] + place // 64
                    into.bits[one, word] = int(into.bits[one, word]) | 1 << place % 64


def cost_groups(tables: Sequence[Index], some: Sequence[Any], out: Index) -> None:
    """What each group costs."""
    for one in range(out.size):
        out[one] = joined_cost(Groups(*some), one, one, Costs(*tables))


def cost_with_each(tables: Sequence[Index], some: Sequence[Any], places: Codes, out: Index) -> None:
    """What a group would cost with each tuple."""
    costs, group = Costs(*tables), Groups(*some)
    for row, codes in enumerate(places.tolist()):
        out[row] = 0
        for attribute, place in enumerate(codes):
            low, high = min(int(group.low[0, attribute]), place), max(int(group.high[0, attribute]), place)
            values = members(group, 0, costs, attribute) | {place}
            out[row] += label_cost(costs, attribute, low, high, len(values))


def grow_boxes(
    points: Shares, order: Index, first: int, second: int, low: Shares, high: Shares, is_first: Mask
) -> None:
    """Let every tuple join, in this order, the group that has the lower penalty with it; both are boxes, (2, d)."""
    is_first[first] = True
    for place in order.tolist():
        if place in (first, second):
            continue
        one = other = 0.0
        for axis, value in enumerate(points[place].tolist()):
            one += max(high[0, axis], value) - min(low[0, axis], value)
            other += max(high[1, axis], value) - min(low[1, axis], value)
        chosen = 0 if one <= other else 1
        is_first[place] = chosen == 0
        for axis, value in enumerate(points[place].tolist()):
            low[chosen, axis] = min(low[chosen, axis], value)
            high[chosen, axis] = max(high[chosen, axis], value)


# ── Orders ───────────────────────────────────────────────────────────────────────────────────────


def chain(tables: Sequence[Index], places: Codes, starts: Index, order: Index) -> None:
    """Let the tuples of each leaf follow one another: the one that costs least with the last, ties the first."""
    costs = Costs(*tables)
    for leaf in range(starts.size - 1):
        for place in range(max(int(starts[leaf]), 1), int(starts[leaf + 1])):
            best, least = place, NEVER
            for other in range(place, int(starts[leaf + 1])):
                dear = pair_cost(places, int(order[place - 1]), int(order[other]), costs)
                if dear < least or (dear == least and order[other] < order[best]):
                    best, least = other, dear
            order[place], order[best] = order[best], order[place]


def turn(keys: Codes, _: int, runs: Index, spare: Index) -> None:
    """Read sorted rows to and fro: attribute by attribute, every other run of equal beginnings backwards."""
    many, runs[0, 0], runs[0, 1] = 1, 0, len(keys)
    for column in range(keys.shape[1]):
        found = 0
        for run in range(many):
            first, last, step = int(runs[run, 0]), int(runs[run, 1]), 1
            if run % 2 == 1:
                first, last, step = last - 1, first - 1, -1
            begin = first
            for row in range(first, last, step):
                if row + step == last or keys[row + step, column] != keys[row, column]:
                    spare[found, 0], spare[found, 1] = min(begin, row), max(begin, row) + 1
                    begin = row + step
                    found += 1
        runs[:found] = spare[:found]
        many = found


def follow(tables: Sequence[Index], some: Sequence[Any], order: Index, first: int, beside: int) -> None:
    """Let the groups follow one another, among neighbours, each time the one that costs least with the last."""
    costs, known = Costs(*tables), Groups(*some)
    begin, end = 0, min(first, order.size)
    while begin < order.size:
        for place in range(max(begin, 1), end):
            best, least = place, joined_cost(known, int(order[place - 1]), int(order[place]), costs)
            for other in range(place + 1, end):
                dear = joined_cost(known, int(order[place - 1]), int(order[other]), costs)
                if dear < least or (dear == least and order[other] < order[best]):
                    best, least = other, dear
            order[place], order[best] = order[best], order[place]
        begin, end = end, min(end + beside, order.size)


def raised(places: Codes, row: int, some: Groups, one: int, costs: Costs) -> int:
    """By how much a tuple raises the cost of a group; all values but the second are worth the same to a set."""
    total = 0
    for attribute, place in enumerate(places[row].tolist()):
        low, high = int(some.low[one, attribute]), int(some.high[one, attribute])
        if costs.kinds[attribute] == SET:
            if place not in members(some, one, costs, attribute):
                more = int(low != high)
                total += set_cost(costs, attribute, more + 1) - set_cost(costs, attribute, more)
        elif not low <= place <= high:
            total += label_cost(costs, attribute, min(low, place), max(high, place), 2)
            total -= label_cost(costs, attribute, low, high, 2)
    return total


def lean(tables: Sequence[Index], line: Codes, starts: Index, some: Sequence[Any], nearer: Index) -> None:
    """By how much more each row raises the cost of the part before its own than that of the part behind it."""
    costs, known = Costs(*tables), Groups(*some)
    for part in range(starts.size - 1):
        for row in range(starts[part], starts[part + 1]):
            before = raised(line, row, known, part - 1, costs) if part > 0 else 0
            nearer[row] = before - (raised(line, row, known, part + 1, costs) if part + 2 < starts.size else 0)


# ── Division ─────────────────────────────────────────────────────────────────────────────────────


def divide(
    tables: Sequence[Index],
    places: Codes,
    ends: Index,
    first: int,
    last: int,
    k: int,
    run: int,
    width: int,
    allowed: Mask,
    window: Sequence[Index],
    total: Index,
    before: Index,
) -> None:
    """Divide some more beginnings of the line into classes of at least k records, at least cost."""
    costs, seen = Costs(*tables), Window(*window)
    for end in range(first, last + 1):
        while ends[run + 1] < end:
            run += 1
        earlier = places[run - int(ends[run] == end - 1 and run > 0)].tolist()
        read(places[run].tolist(), earlier, end - 1, costs, seen)
        best, start_of_best = NEVER, 0
        for size in range(k, min(end, k + width - 1) + 1):
            start = end - size
            whole = int(total[start]) + size * int(seen.dear[start % seen.dear.size])
            if whole < best and (len(allowed) == 0 or allowed[end - first, size - k]):
                best, start_of_best = whole, start
        total[end], before[end] = best, start_of_best


def read(places: list[int], before: list[int], record: int, costs: Costs, seen: Window) -> None:
    """Let all classes end with one more record."""
    slots = seen.dear.size
    oldest = max(record - slots + 1, 0)
    seen.dear[record % slots] = 0
    for attribute, place in enumerate(places):
        first, kind = int(costs.first[attribute]), costs.kinds[attribute]
        if kind == SPAN:
            begin, end = int(costs.starts[first + place]), int(costs.ends[first + place])
            if place == costs.gaps[attribute]:
                begin, end = AWAY, AWAY
            widen(attribute, (begin, end), (oldest, record), int(costs.whole[attribute]), seen)
        elif kind == SET:
            collect(attribute, place, (oldest, record), costs, seen)
        else:
            climb(attribute, (place, before[attribute]), (oldest, record), costs, seen)


def widen(attribute: int, span: tuple[int, int], records: tuple[int, int], whole: int, seen: Window) -> None:
    """Let the spans of an attribute hold one more."""
    (begin, end), (oldest, record), slots = span, records, seen.dear.size
    at = record % slots
    seen.low[attribute, at], seen.high[attribute, at] = begin, end
    seen.dear[at] += min(max(end - begin, 0), whole)
    for earlier in range(record - 1, oldest - 1, -1):
        at = earlier % slots
        low, high = int(seen.low[attribute, at]), int(seen.high[attribute, at])
        if low <= begin and end <= high:
            break
        seen.low[attribute, at], seen.high[attribute, at] = min(low, begin), max(high, end)
        seen.dear[at] += min(max(max(high, end) - min(low, begin), 0), whole) - min(max(high - low, 0), whole)


def collect(attribute: int, place: int, records: tuple[int, int], costs: Costs, seen: Window) -> None:
    """Let the sets of an attribute hold one more value; those have it that begin before it was last seen."""
    (oldest, record), slots, first = records, seen.dear.size, int(costs.first[attribute])
    seen.high[attribute, record % slots] = 0
    seen.dear[record % slots] += set_cost(costs, attribute, 0)
    for earlier in range(max(int(seen.last[first + place]) + 1, oldest), record):
        at = earlier % slots
        more = int(seen.high[attribute, at])
        seen.high[attribute, at] += 1
        seen.dear[at] += set_cost(costs, attribute, more + 1) - set_cost(costs, attribute, more)
    seen.last[first + place] = record


def climb(attribute: int, leaves: tuple[int, int], records: tuple[int, int], costs: Costs, seen: Window) -> None:
    """Let the nodes of an attribute stand for one more leaf, behind that of the record before it."""
    (place, before), (oldest, record), slots = leaves, records, seen.dear.size
    bottom, level = int(costs.levels[attribute, 0]), level_of(costs, attribute, place, before)
    seen.high[attribute, record % slots] = bottom
    seen.dear[record % slots] += costs.above[bottom + place]
    for earlier in range(record - 1, oldest - 1, -1):
        at = earlier % slots
        own = int(seen.high[attribute, at])
        if own >= level:
            break
        seen.high[attribute, at] = level
        seen.dear[at] += costs.above[level + place] - costs.above[own + before]


def trace(last: Index, ends: Index) -> int:
    """List where the classes of the best division of all end, the last first, if there is room; how many they are."""
    end, found = last.size - 1, 0
    while end > 0:
        if found < ends.size:
            ends[found] = end
        end = int(last[end])
        found += 1
    return found


def enclose(quasi: Codes, width: int, tuples: Index, regions: Counts, low: Codes, high: Codes) -> None:
    """Lower and raise the ends of each region to the codes of its pieces."""
    for row, region in zip(tuples.tolist(), regions.tolist(), strict=True):
        for column in range(width):
            low[region, column] = min(low[region, column], quasi[row, column])
            high[region, column] = max(high[region, column], quasi[row, column])


#: The loops by the names that they have in `kohort.native.library`.
PLAIN: Final[MappingProxyType[str, Callable[..., int | None]]] = MappingProxyType(
    {
        one.__name__: one
        for one in (
            *(gather, cost_groups, cost_with_each, grow_boxes),
            *(chain, turn, follow, lean, divide, trace, enclose),
        )
    }
)
