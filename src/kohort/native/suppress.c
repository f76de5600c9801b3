/* Room "moles", what follows the search: items dropped and given back, transactions put in order.

   A score is a gain over a cost, and the gain a count of moles between two bounds: see `kohort.transactions.suppression`. The
   order is described in `kohort.transactions.recode`. `tests/reference/mole_loops.py` has the same loops in Python. */

#include "lists.h"

/* ── Items dropped, and given back ───────────────────────────────────────────────────────────────────────────────── */

/* Sets of items from both sides: the items of each set, and the sets of each item. */
typedef struct {
    Lists sets, items;
} Sides;

static int are_sides(Sides *sides, const Array *starts, const Array *items, const Array *firsts, const Array *sets) {
    return are_lists(&sides->sets, starts, items, firsts->size - 1) &&
           are_lists(&sides->items, firsts, sets, starts->size - 1);
}

/* 1 if gain/cost is above the other, 0 if both are equal, -1 if it is below: as continued fractions, since products could
   leave 64 bits. Gains are at least 0, costs at least 1. */
static int compared(i64 gain, i64 cost, i64 other_gain, i64 other_cost) {
    for (;;) {
        const i64 whole = gain / cost, other_whole = other_gain / other_cost;
        if (whole != other_whole)
            return whole > other_whole ? 1 : -1;
        const i64 rest = gain % cost, other_rest = other_gain % other_cost;
        if (rest == 0 || other_rest == 0)
            return (rest > 0) - (other_rest > 0);
        gain = other_cost, other_gain = cost, cost = other_rest, other_cost = rest;
    }
}

/* Let the item at `place` sink below all that are dropped before it: by score as known, then by item order. */
static void sink(i32 *heap, i64 size, i64 place, const i64 *gains, const i64 *costs) {
#define IS_FIRST(one, other)                                                                  \
    (order = compared(gains[one], costs[one], gains[other], costs[other]),                    \
     order > 0 || (order == 0 && (one) < (other)))
    const i32 item = heap[place];
    int order;
    while (2 * place + 1 < size) {
        i64 below = 2 * place + 1;
        if (below + 1 < size && IS_FIRST(heap[below + 1], heap[below]))
            below++;
        if (IS_FIRST(item, heap[below]))
            break;
        heap[place] = heap[below];
        place = below;
    }
    heap[place] = item;
#undef IS_FIRST
}

/* Do away with the moles of an item, and count them no more; how many there were. */
static i64 hit(const Sides *sides, i32 item, u8 *done, i64 *counts) {
    i64 found = 0;
    for (i64 place = sides->items.starts[item]; place < sides->items.starts[item + 1]; place++) {
        const i32 mole = sides->items.items[place];
        if (done[mole])
            continue;
        done[mole] = 1;
        found++;
        for (i64 cell = sides->sets.starts[mole]; cell < sides->sets.starts[mole + 1]; cell++)
            counts[sides->sets.items[cell]]--;
    }
    return found;
}

static i64 gain_of(i64 moles, i64 least, i64 most) {
    moles = moles > least ? moles : least;
    return moles < most ? moles : most;
}

/* Drop the item of the highest score until no score is above 0, and write a row for each: the item, its moles, the moles left;
   how many are dropped. Moles only become fewer and costs stay, so a score counted anew that is still the highest of those
   last known is the highest of all. `chosen` are the items to choose from; of `done` moles there are none.
   Work: one pass over the moles, and a logarithm for each score that is counted anew. Trusts: that counts are those
   of the moles; otherwise other items are dropped. */
API i64 kohort_drop(Array starts, Array items, Array firsts, Array sets, Array costs, i64 least, i64 most, Array chosen,
                    Array counts, Array gains, Array done, Array out) {
    Sides sides;
    DOOR(are_sides(&sides, &starts, &items, &firsts, &sets) && least >= 0 && most >= least);
    const i64 width = sides.items.many, *cost = costs.at;
    DOOR(costs.size == width && counts.size == width && gains.size == width && done.size == sides.sets.many);
    DOOR(are_below(&chosen, width) && out.size / 3 >= chosen.size);
    i32 *heap = chosen.at;
    for (i64 at = 0; at < chosen.size; at++)
        DOOR(cost[heap[at]] > 0);
    i64 *count = counts.at, *gain = gains.at, *row = out.at, size = chosen.size, left = done.size, dropped = 0;
    for (i64 at = 0; at < size; at++)
        gain[heap[at]] = gain_of(count[heap[at]], least, most);
    for (i64 place = size / 2 - 1; place >= 0; place--)
        sink(heap, size, place, gain, cost);
    while (size > 0 && gain[heap[0]] > 0) {
        const i32 item = heap[0];
        const i64 now = gain_of(count[item], least, most);
        if (now == gain[item]) {
            const i64 found = hit(&sides, item, done.at, count);
            left -= found;
            row[3 * dropped] = item, row[3 * dropped + 1] = found, row[3 * dropped + 2] = left;
            dropped++;
            heap[0] = heap[--size];
        } else
            gain[item] = now;
        sink(heap, size > 1 ? size : 1, 0, gain, cost);
    }
    return dropped;
}

/* Give each item back, in turn, of whose moles every one has another item that is dropped. Hits are zero, none is returned.
   Work: two passes over the moles of the items. Trusts: nothing. */
API i64 kohort_give_back(Array starts, Array items, Array firsts, Array sets, Array order, Array hits, Array returned) {
    Sides sides;
    DOOR(are_sides(&sides, &starts, &items, &firsts, &sets) && are_below(&order, sides.items.many));
    DOOR(hits.size == sides.sets.many && returned.size == order.size);
    const i64 *first = sides.items.starts;
    const i32 *set = sides.items.items, *tried = order.at;
    i64 *hit_by = hits.at;
    for (i64 at = 0; at < order.size; at++)
        for (i64 place = first[tried[at]]; place < first[tried[at] + 1]; place++)
            hit_by[set[place]]++;
    for (i64 at = 0; at < order.size; at++) {
        int spare = 1;
        for (i64 place = first[tried[at]]; place < first[tried[at] + 1]; place++)
            spare &= hit_by[set[place]] > 1;
        for (i64 place = first[tried[at]]; spare && place < first[tried[at] + 1]; place++)
            hit_by[set[place]]--;
        ((u8 *)returned.at)[at] = (u8)spare;
    }
    return 0;
}

/* Mark the items of which every set has some other, better item: in all sets of that one, losing no more, and not just its like
   behind it in item order. That orders the items, so a best one stays for every item that is marked.
   Work: for each item the items of its sets. Trusts: that `together_with` is zero. */
API i64 kohort_mark_dispensable(Array starts, Array items, Array firsts, Array sets, Array losses, Array together_with,
                                Array spare) {
    Sides sides;
    DOOR(are_sides(&sides, &starts, &items, &firsts, &sets));
    const i64 width = sides.items.many, *loss = losses.at, *by = sides.items.starts, *start = sides.sets.starts;
    DOOR(losses.size == width && together_with.size == width && spare.size == width);
    const i32 *set = sides.items.items, *of = sides.sets.items;
    i64 *beside = together_with.at;
    for (i32 item = 0; item < width; item++) {
        const i64 first = by[item], last = by[item + 1];
        if (first == last)
            continue;
        for (i64 place = first; place < last; place++)
            for (i64 cell = start[set[place]]; cell < start[set[place] + 1]; cell++)
                beside[of[cell]]++;
        for (i64 cell = start[set[first]]; cell < start[set[first] + 1]; cell++) {
            const i32 other = of[cell];
            if (other == item || beside[other] < last - first || loss[other] > loss[item])
                continue;
            const int alike = loss[other] == loss[item] && by[other + 1] - by[other] == last - first;
            ((u8 *)spare.at)[item] |= !alike || other < item;
        }
        for (i64 place = first; place < last; place++)
            for (i64 cell = start[set[place]]; cell < start[set[place] + 1]; cell++)
                beside[of[cell]] = 0;
    }
    return 0;
}

/* ── Transactions in the order of their content ──────────────────────────────────────────────────────────────────── */

/* Up to so many words are sorted at once where they are; of more NumPy makes better use of the processor. */
enum { AT_ONCE = 1 << 9 };

SHELL_SORT(sort_words, u64)

/* Sort the transactions whose numbers are in the lower bits of some words; 0 at the end, 1 where the words between left[1] and
   left[2] are to be sorted before the next call. Groups wait on a stack: first place, place behind the last, items looked at.
   `left` has how many there are, and the group whose words were sorted. `held` items fit above a number, each below `digit`.
   Work: one pass over a group's words for each stretch of items, and sorting. Trusts: that `starts` are those of
   transactions: items are read within the array, whatever they say. */
API i64 kohort_sort_rows(Array starts, Array items, Array numbers, Array stack, Array left, i64 shift, i64 digit, i64 held) {
    DOOR(left.size == 4 && stack.size % 3 == 0 && shift > 0 && shift < 64 && digit > 0 && held > 0 && held < 64);
    DOOR(starts.size == numbers.size + 1 && items.size > 0);
    const i64 *start = starts.at;
    const i32 *item = items.at;
    const u64 base = (u64)digit, mask = ((u64)1 << shift) - 1, end_of_items = (u64)items.size - 1;
    u64 *words = numbers.at;
    i64 *group = stack.at, *state = left.at, top = state[0], low = state[1], high = state[2], depth = state[3];
    for (;;) {
        DOOR(is_inside(top, 0, stack.size / 3) && is_inside(low, high - low, numbers.size) && is_inside(depth, 0, items.size));
        while (low < high) {
            const u64 packed = words[low] >> shift;
            i64 end = low + 1;
            while (end < high && words[end] >> shift == packed)
                end++;
            if (end - low > 1 && packed % base) {
                DOOR(top < stack.size / 3);
                group[3 * top] = low, group[3 * top + 1] = end, group[3 * top + 2] = depth + held;
                top++;
            }
            low = end;
        }
        if (top == 0)
            return 0;
        top--;
        low = group[3 * top], high = group[3 * top + 1], depth = group[3 * top + 2];
        DOOR(is_inside(low, high - low, numbers.size) && is_inside(depth, 0, items.size));
        u64 last = 0;
        int ascend = 1;
        for (i64 place = low; place < high; place++) {
            const u64 row = words[place] & mask;
            DOOR(row < (u64)numbers.size);
            const i64 at = start[row] + depth, end = start[row + 1];
            u64 packed = 0;
            for (i64 cell = at; cell < at + held; cell++) { /* an item in any case: to choose is quicker than to branch */
                const u64 one = (u64)item[(u64)cell < end_of_items ? (u64)cell : end_of_items] + 1;
                packed = packed * base + (cell < end ? one : 0);
            }
            packed = packed << shift | row;
            ascend &= last <= packed;
            words[place] = last = packed;
        }
        if (!ascend && high - low > AT_ONCE) {
            state[0] = top, state[1] = low, state[2] = high, state[3] = depth;
            return 1;
        }
        if (!ascend)
            sort_words(words + low, high - low);
    }
}

/* Copy runs of items that stand anywhere, so that they follow each other. Where runs end is known from where they go; were it
   read from where they stand, each copy would wait for it.
   Work: one pass over the items that are copied. Trusts: nothing. */
API i64 kohort_copy_runs(Array items, Array sources, Array starts, Array copies) {
    DOOR(are_starts(&starts, copies.size) && starts.size == sources.size + 1);
    const i64 *source = sources.at, *start = starts.at;
    for (i64 run = 0; run < sources.size; run++) {
        const i64 many = start[run + 1] - start[run];
        DOOR(is_inside(source[run], many, items.size));
        const i32 *from = (const i32 *)items.at + source[run];
        i32 *to = (i32 *)copies.at + start[run];
        for (i64 at = 0; at < many; at++)
            to[at] = from[at];
    }
    return 0;
}
