# ruff: noqa: PLR0917  loops take what the core takes, in its order
"""The loops of the search for moles once more, plainly: what the compiled core must write, array by array.

Each takes what the function of the core takes, in its order; a number of items or words that a shape tells is not
looked at. `PLAIN` has them by the core's names.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kohort.arrays import Counts, Index, Items, Mask

#: A cohort: a bit for each transaction.
Bits: TypeAlias = NDArray[np.uint64]

#: What public items share with private ones.
Pairs: TypeAlias = NDArray[np.int32]

#: Transactions and items, then a level's sets, supports and parents, then room: see `kohort.transactions._engines`.
Search: TypeAlias = "Sequence[Any]"


# ── Transactions under other codes, and by item ──────────────────────────────────────────────────


def narrow(starts: Index, items: Items, codes: Items, begins: Index, kept: Items) -> int:
    """Write the relevant items of each transaction under their new codes; return how many there are."""
    size = 0
    for row in range(starts.size - 1):
        begins[row] = size
        for cell in range(starts[row], starts[row + 1]):
            code = codes[items[cell]]
            kept[size] = code
            size += int(code >= 0)
    begins[starts.size - 1] = size
    return size


def transpose(starts: Index, items: Items, free: Index, rows: Items) -> None:
    """Write for each item the rows that have it, ascending; `free` says where those of each begin, and is used up."""
    for row in range(starts.size - 1):
        for cell in range(starts[row], starts[row + 1]):
            item = items[cell]
            rows[free[item]] = row
            free[item] += 1


def commonest(starts: Index, items: Items, cohort: Items, limit: int, counts: Counts) -> int:
    """What the transactions of a cohort that share one item do not exceed; `counts` is zero, also after.

    It is the number of some item's where that is above the limit. As soon as that is so, or the transactions that are
    left cannot make it so, no more are looked at.
    """
    top = seen = cells = 0
    while seen < cohort.size and top <= limit < top + cohort.size - seen:
        row = cohort[seen]
        cells += int(starts[row + 1] - starts[row])
        for cell in range(starts[row], starts[row + 1]):
            counts[items[cell]] += 1
            top = max(top, int(counts[items[cell]]))
        seen += 1
    clear(starts, items, cohort[:seen], cells, counts)
    return top if top > limit else top + cohort.size - seen


def look(
    starts: Index,
    items: Items,
    cohorts: Items,
    begins: Index,
    sizes: Counts,
    limits: Counts,
    counts: Counts,
    tops: Counts,
) -> None:
    """Bound the items of each cohort; see `commonest`."""
    for at in range(sizes.size):
        tops[at] = commonest(starts, items, cohorts[begins[at] : begins[at] + sizes[at]], limits[at], counts)


def clear(starts: Index, items: Items, cohort: Items, cells: int, counts: Counts) -> None:
    """Set to zero the counts of the items in a cohort of so many cells: all counts, where these are fewer."""
    if cells > counts.size:
        counts[:] = 0
        return
    for row in cohort:
        for cell in range(starts[row], starts[row + 1]):
            counts[items[cell]] = 0


# ── Candidates ───────────────────────────────────────────────────────────────────────────────────


def join(
    next_: Index,
    last: Items,
    bounds_: Counts,
    parts_of: Index,
    children: Index,
    seen: Index,
    places: Index,
    base: Index,
    item: Items,
    tops: Counts,
    parts: Index,
) -> int:
    """List the candidates that extend the sets from the next one on, until the arrays are full; their number."""
    found, at, size = 0, int(next_[0]), places.shape[0]
    while at < last.size:
        end = int(children[parts_of[at, size - 1] + 1])
        if found + end - at > base.size:
            break
        for part in range(size - 1):
            for child in range(children[parts_of[at, part]], children[parts_of[at, part] + 1]):
                x = last[child]
                if part == 0 or seen[x] == at * size + part - 1:
                    seen[x] = at * size + part
                    places[part, x] = child
        for sibling in range(at + 1, end):
            x = last[sibling]
            if size > 1 and seen[x] != at * size + size - 2:
                continue
            places[size - 1, x] = sibling
            top = bounds_[at]
            for part in range(size):
                top = min(top, bounds_[places[part, x]])
                parts[found, part] = places[part, x]
            parts[found, size] = at
            base[found], item[found], tops[found] = at, x, top
            found += 1
        at += 1
    next_[0] = at
    return found


def floors(supports: Counts, below: Counts, parts_of: Index, _: int, parts: Index, least: Counts) -> None:
    """Bound the support of each candidate C from below by sup(C - a) + sup(C - b) - sup(C - a - b), for all a and b."""
    for at in range(parts.shape[0]):
        least[at] = 0
        for a in range(parts.shape[1]):
            for b in range(a + 1, parts.shape[1]):
                without = parts_of[parts[at, a], b - 1]
                floor = supports[parts[at, a]] + supports[parts[at, b]] - below[without]
                least[at] = max(least[at], floor)


# ── What public items share with private ones ────────────────────────────────────────────────────


def tally(starts: Index, items: Items, hidden_starts: Index, hidden: Items, _: int, pairs: Pairs) -> None:
    """Count every pair of a public and a private item in every transaction."""
    for row in range(starts.size - 1):
        for cell in range(starts[row], starts[row + 1]):
            for other in range(hidden_starts[row], hidden_starts[row + 1]):
                pairs[items[cell], hidden[other]] += 1


def shared(sets: Items, base: Index, at: int) -> int:
    """The items that the base of candidate `at` begins with as the one of the candidate before does."""
    place = 0
    while at > 0 and place < sets.shape[1] and sets[base[at], place] == sets[base[at - 1], place]:
        place += 1
    return place


def least_of(pairs: Pairs, sets: Items, base: Index, at: int, stack: Pairs) -> None:
    """Write to row i of `stack`, (size, g), the least entries of the base's first i + 1 items."""
    for row in range(shared(sets, base, at), sets.shape[1]):
        line = pairs[sets[base[at], row]]
        stack[row] = np.minimum(stack[row - 1], line) if row else line


def bounds(pairs: Pairs, sets: Items, _: int, base: Index, item: Items, stack: Pairs, tops: Counts) -> None:
    """Bound each candidate: the greatest of the least entries of its items."""
    for at in range(base.size):
        least_of(pairs, sets, base, at, stack)
        tops[at] = np.minimum(pairs[item[at]], stack[-1]).max(initial=0)


# ── Cohorts as bitmaps ───────────────────────────────────────────────────────────────────────────


def together(one: Bits, other: Bits) -> int:
    """The transactions in both of two cohorts."""
    return sum((left & right).bit_count() for left, right in zip(one.tolist(), other.tolist(), strict=True))


def mark(starts: Index, items: Items, among: Items, bits: Bits) -> None:
    """Set the bit of each transaction of `among` in the bitmaps of its items."""
    for at in range(among.size):
        for cell in range(starts[among[at]], starts[among[at] + 1]):
            bits[items[cell], at // 64] |= np.uint64(1 << at % 64)


def cross(public: Bits, private: Bits, _: int, pairs: Pairs) -> None:
    """Count the transactions of each public with each private item."""
    for x, one in enumerate(public):
        for e, other in enumerate(private):
            pairs[x, e] = together(one, other)


def met(bits: Bits, sets: Items, base: Index, at: int, stack: Bits) -> None:
    """Write the cohort of the base of candidate `at` to `stack`: row i holds that of the base's first i + 1 items."""
    for row in range(shared(sets, base, at), sets.shape[1]):
        other = bits[sets[base[at], row]]
        stack[row] = stack[row - 1] & other if row else other


def count_bits(bits: Bits, sets: Items, _: int, base: Index, item: Items, stack: Bits, supports: Counts) -> None:
    """Count the cohort of each candidate."""
    for at in range(base.size):
        met(bits, sets, base, at, stack)
        supports[at] = together(stack[sets.shape[1] - 1], bits[item[at]])


def narrowed(bits: Bits, sets: Items, base: Index, item: Items, at: int, stack: Bits) -> None:
    """Write a candidate's cohort to the row of `stack`, (size + 1, words), below that of its base."""
    met(bits, sets, base, at, stack)
    stack[-1] = stack[-2] & bits[item[at]]


def unpack(
    bits: Bits,
    sets: Items,
    _: int,
    base: Index,
    item: Items,
    begins: Index,
    stack: Bits,
    among: Items,
    dealt: Items,
) -> None:
    """Write the transactions of each candidate's cohort, where it begins."""
    for at in range(base.size):
        narrowed(bits, sets, base, item, at, stack)
        cohort = sum(word << 64 * place for place, word in enumerate(stack[-1].tolist()))
        chosen = [row for place, row in enumerate(among.tolist()) if cohort >> place & 1]
        dealt[begins[at] : begins[at] + len(chosen)] = chosen


def meet(
    bits: Bits,
    private: Bits,
    pairs: Pairs,
    sets: Items,
    size: int,
    base: Index,
    item: Items,
    supports: Counts,
    numerator: int,
    denominator: int,
    stack: Bits,
    least: Pairs,
    tops: Counts,
) -> None:
    """Bound the private items in the cohort of each candidate, private item by private item.

    Those that are within the share by their pairs with the candidate's items are passed over.
    """
    for at in range(base.size):
        narrowed(bits, sets, base, item, at, stack)
        least_of(pairs, sets, base, at, least)
        own, top = pairs[item[at]], 0
        for e in range(own.size):
            most = int(min(own[e], least[size - 1, e]))
            if most > top and most * denominator > supports[at] * numerator:
                most = together(stack[size], private[e])
            top = max(top, most)
            if top * denominator > supports[at] * numerator:
                break
        tops[at] = top


# ── Cohorts as lists ─────────────────────────────────────────────────────────────────────────────


def cohort_of(firsts: Index, tids: Items, wanted: Items, cohort: Items) -> int:
    """Write the transactions that contain a set of items, at least one; return how many they are.

    Those of the first item, the rarest, are looked for among those of each other one, in strides that double.
    """
    size = int(firsts[wanted[0] + 1] - firsts[wanted[0]])
    cohort[:size] = tids[firsts[wanted[0]] : firsts[wanted[0] + 1]]
    for item in wanted[1:]:
        low, last, kept = firsts[item], firsts[item + 1], 0
        for row in cohort[:size]:
            step = 1
            while low + step < last and tids[low + step] < row:
                low += step
                step *= 2
            high = min(low + step, last)
            while low < high:
                middle = (low + high) // 2
                if tids[middle] < row:
                    low = middle + 1
                else:
                    high = middle
            if low < last and tids[low] == row:
                cohort[kept] = row
                kept += 1
        size = kept
    return size


def mark_cohorts(firsts: Index, tids: Items, sets: Items, _: int, cohort: Items, found: Mask) -> None:
    """Mark the transactions that contain one of the sets; `cohort` is room for the transactions of one."""
    for one in sets:
        found[cohort[: cohort_of(firsts, tids, one, cohort)]] = True


def deal_to(starts: Index, items: Items, cohort: Items, after: int, free: Index, dealt: Items) -> None:
    """Write each transaction of a cohort to `dealt`, once for each item beyond `after` for which a place is free."""
    for row in cohort:
        for cell in range(starts[row + 1] - 1, starts[row] - 1, -1):
            item = items[cell]
            if item <= after:
                break
            if free[item] >= 0:
                dealt[free[item]] = row
                free[item] += 1


def gather(search: Search, base: Index, at: int) -> int:
    """Deal the cohorts of the bases, from that of candidate `at` on, that have the same parent; return where they end.

    Afterwards `free` says of each base's last item where its cohort ends.
    """
    starts, items, firsts, tids, sets, sizes, parents, cohort, free, dealt = search
    last, end, place = sets.shape[1] - 1, at, 0
    while end < base.size and parents[base[end]] == parents[base[at]]:
        item = sets[base[end], last]
        if last == 0:
            free[item] = firsts[item + 1]
        elif free[item] < 0:
            free[item] = place
            place += sizes[base[end]]
        end += 1
    if last > 0:
        wanted = sets[base[at], :last]
        size = cohort_of(firsts, tids, wanted, cohort)
        deal_to(starts, items, cohort[:size], int(wanted[-1]), free, dealt)
    return end


def count_lists(search: Search, _: int, base: Index, item: Items, counts: Counts, supports: Counts) -> None:
    """Count the cohort of each candidate: of all that extend one base at once; `counts` is zero, also after."""
    starts, items, _, _, sets, sizes, _, _, ends, cohorts = search
    at = end = 0
    while at < base.size:
        if at == end:
            end = gather(search, base, at)
        one = base[at]
        last = sets[one, sets.shape[1] - 1]
        cohort = cohorts[ends[last] - sizes[one] : ends[last]]
        ends[last] = -1
        cells = 0
        for row in cohort:
            cells += int(starts[row + 1] - starts[row])
            for cell in range(starts[row + 1] - 1, starts[row] - 1, -1):
                if items[cell] <= last:
                    break
                counts[items[cell]] += 1
        while at < end and base[at] == one:
            supports[at] = counts[item[at]]
            at += 1
        clear(starts, items, cohort, cells, counts)


def deal(search: Search, _: int, base: Index, item: Items, begins: Index, free: Index, dealt: Items) -> None:
    """Write the cohort of each candidate to `dealt`, where it begins: a base's cohort is dealt to its candidates."""
    starts, items, _, _, sets, sizes, _, _, ends, cohorts = search
    at = end = 0
    while at < base.size:
        if at == end:
            end = gather(search, base, at)
        one, first = base[at], at
        while at < end and base[at] == one:
            free[item[at]] = begins[at]
            at += 1
        last = sets[one, sets.shape[1] - 1]
        deal_to(starts, items, cohorts[ends[last] - sizes[one] : ends[last]], int(last), free, dealt)
        ends[last] = -1
        free[item[first:at]] = -1


# ── Items dropped, and given back ────────────────────────────────────────────────────────────────


def compared(gain: int, cost: int, other_gain: int, other_cost: int) -> int:
    """1 if gain/cost is above the other, 0 if both are equal, -1 if it is below; costs at least 1."""
    one, other = gain * other_cost, other_gain * cost
    return (one > other) - (one < other)


def is_first(item: int, other: int, gains: Counts, costs: Counts) -> bool:
    """Whether an item is dropped before another: by score as known, then by item order."""
    order = compared(int(gains[item]), int(costs[item]), int(gains[other]), int(costs[other]))
    return order > 0 or (order == 0 and item < other)


def sink(heap: Items, size: int, place: int, gains: Counts, costs: Counts) -> None:
    """Let the item at `place` sink below all that are dropped before it."""
    item = heap[place]
    while 2 * place + 1 < size:
        below = 2 * place + 1
        if below + 1 < size and is_first(heap[below + 1], heap[below], gains, costs):
            below += 1
        if is_first(item, heap[below], gains, costs):
            break
        heap[place] = heap[below]
        place = below
    heap[place] = item


def drop(
    starts: Index,
    items: Items,
    firsts: Index,
    sets: Items,
    costs: Counts,
    least: int,
    most: int,
    heap: Items,
    counts: Counts,
    gains: Counts,
    done: Mask,
    out: Counts,
) -> int:
    """Drop the item of the highest score until no score is above 0; how many are dropped.

    Args:
        starts: of moles.
        items: of moles.
        firsts: where the moles of each item start.
        sets: moles of each item.
        costs: (m,) the score's denominators.
        least: what an item gains at least.
        most: what it gains at most.
        heap: the items to choose from.
        counts: (m,) the moles of each item.
        gains: (m,) zeros.
        done: (s,) which moles are done with: none.
        out: (m, 3) rows to fill: the item, its moles, the moles left.
    """
    size, left, dropped = heap.size, done.size, 0
    for item in heap:
        gains[item] = min(max(counts[item], least), most)
    for place in range(size // 2 - 1, -1, -1):
        sink(heap, size, place, gains, costs)
    while size > 0 and gains[heap[0]] > 0:
        item = heap[0]
        gain = min(max(counts[item], least), most)
        if gain == gains[item]:
            moles = sets[firsts[item] : firsts[item + 1]]
            moles = moles[~done[moles]]
            done[moles] = True
            for mole in moles:
                counts[items[starts[mole] : starts[mole + 1]]] -= 1
            left -= moles.size
            out[dropped] = item, moles.size, left
            dropped += 1
            size -= 1
            heap[0] = heap[size]
        else:
            gains[item] = gain
        sink(heap, max(size, 1), 0, gains, costs)
    return dropped


def give_back(
    _starts: Index, _items: Items, firsts: Index, sets: Items, order: Items, hits: Counts, returned: Mask
) -> None:
    """Give each item back, in turn, of whose moles every one has another item that is dropped."""
    for item in order:
        hits[sets[firsts[item] : firsts[item + 1]]] += 1
    for number, item in enumerate(order):
        moles = sets[firsts[item] : firsts[item + 1]]
        if (hits[moles] > 1).all():
            returned[number] = True
            hits[moles] -= 1


def mark_dispensable(
    starts: Index, items: Items, firsts: Index, sets: Items, losses: Counts, beside: Counts, spare: Mask
) -> None:
    """Mark the items of which every set has some other, better item: in all those sets, and losing no more."""
    for item in range(losses.size):
        first, last = firsts[item], firsts[item + 1]
        if first == last:
            continue
        for mole in sets[first:last]:
            beside[items[starts[mole] : starts[mole + 1]]] += 1
        for other in items[starts[sets[first]] : starts[sets[first] + 1]]:
            if other == item or beside[other] < last - first or losses[other] > losses[item]:
                continue
            alike = losses[other] == losses[item] and firsts[other + 1] - firsts[other] == last - first
            spare[item] |= not alike or other < item
        for mole in sets[first:last]:
            beside[items[starts[mole] : starts[mole + 1]]] = 0


# ── Transactions in the order of their content ───────────────────────────────────────────────────

#: Up to so many words are sorted at once where they are.
FEW: Final = 512


def sort_rows(
    starts: Index,
    cells: Items,
    words: Bits,
    stack: NDArray[np.int64],
    left: Index,
    row_bits: int,
    base: int,
    held: int,
) -> int:
    """Sort the transactions whose numbers are in `words`, but for groups of many, which are left to the caller."""
    top, low, high, depth = left.tolist()
    while True:
        while low < high:
            packed = int(words[low]) >> row_bits
            end = low + 1
            while end < high and int(words[end]) >> row_bits == packed:
                end += 1
            if end - low > 1 and packed % base:
                stack[top] = low, end, depth + held
                top += 1
            low = end
        if top == 0:
            return 0
        top -= 1
        low, high, depth = stack[top].tolist()
        before = words[low:high] & np.uint64((1 << row_bits) - 1)
        for place, row in enumerate(before.tolist(), low):
            items = [*(cells[starts[row] + depth : starts[row + 1]] + 1).tolist(), *[0] * held][:held]
            packed = sum(item * base**power for power, item in enumerate(reversed(items)))
            words[place] = packed << row_bits | row
        ascend = bool((words[low : high - 1] <= words[low + 1 : high]).all())
        if not ascend and high - low > FEW:
            left[:] = top, low, high, depth
            return 1
        if not ascend:
            words[low:high].sort()


def copy_runs(cells: Items, sources: Index, starts: Index, copies: Items) -> None:
    """Copy runs of cells that stand anywhere, the first cell of each from `sources`, so that they start at `starts`."""
    for run in range(sources.size):
        size = starts[run + 1] - starts[run]
        copies[starts[run] : starts[run + 1]] = cells[sources[run] : sources[run] + size]


#: The loops by the names that they have in `kohort.native.library`.
PLAIN: Final[MappingProxyType[str, Callable[..., int | None]]] = MappingProxyType(
    {
        one.__name__: one
        for one in (
            *(narrow, transpose, look, join, floors, tally, bounds),
            *(mark, cross, count_bits, unpack, meet, mark_cohorts, count_lists, deal),
            *(drop, give_back, mark_dispensable, sort_rows, copy_runs),
        )
    }
)
