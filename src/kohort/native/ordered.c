/* Room "cut".

   The order cut: orders in which neighbours are alike, the best division of an order, and new orders of its classes.

   How this is done, and why it is right, is told in kohort.algorithms.mondrian.ordered, .division and .reordering, where
   the arrays are described; `tests/reference/order_loops.py` has the plain loops. */

#include "costs.h"

/* What no division costs; where the span of a missing number begins and ends: so far from all numbers that together they
   cost the whole. */
static const i64 NEVER = (i64)1 << 62, AWAY = -((i64)1 << 61);

static void swap(i64 *items, i64 one, i64 other) {
    const i64 kept = items[one];
    items[one] = items[other];
    items[other] = kept;
}

/* Whether starts ascend within so many. */
static int ascend(const Array *starts, i64 size) {
    const i64 *start = starts->at, many = starts->size - 1;
    if (many < 0 || start[0] < 0 || start[many] > size)
        return 0;
    for (i64 one = 0; one < many; one++)
        if (start[one] > start[one + 1])
            return 0;
    return 1;
}

static int are_numbers(const Array *numbers, i64 below) {
    for (i64 at = 0; at < numbers->size; at++)
        if (!is_inside(((const i64 *)numbers->at)[at], 1, below))
            return 0;
    return 1;
}

/* ── Orders ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* What two tuples would cost as one group. */
LOOP i64 pair_cost(Costs *costs, Places places, i64 one, i64 other) {
    i64 total = 0;
    for (i64 attribute = 0; attribute < costs->attributes; attribute++) {
        const i64 first = place_of(&places, costs, one, attribute), second = place_of(&places, costs, other, attribute);
        const i64 kind = costs->kinds[attribute];
        if (kind == SPAN)
            total += span_cost(costs, attribute, least(first, second), most(first, second));
        else if (first != second)
            total += kind == SET ? set_cost(costs, attribute, 1) : ancestor_cost(costs, attribute, first, second);
    }
    return total;
}

LOOP i64 chain(Places places, Costs *costs, const i64 *starts, i64 leaves, i64 *order) {
    for (i64 leaf = 0; leaf < leaves; leaf++)
        for (i64 place = most(starts[leaf], 1); place < starts[leaf + 1]; place++) {
            i64 best = place, cheapest = NEVER;
            for (i64 other = place; other < starts[leaf + 1]; other++) {
                const i64 dear = pair_cost(costs, places, order[place - 1], order[other]);
                if (dear < cheapest || (dear == cheapest && order[other] < order[best]))
                    best = other, cheapest = dear;
            }
            swap(order, place, best);
        }
    return costs->fits ? 0 : REFUSED;
}

/* Let the tuples of each leaf, which are together in the order, follow one another, each time the one that costs least
   with the last, ties the first. Work: O(attributes) for each pair of a leaf's tuples.
   Trusts: that the costs are those of the table; what they do not know is refused. */
API i64 kohort_chain(Array tables, Array codes, Array starts, Array order) {
    Costs costs;
    Places places;
    DOOR(are_costs(&costs, &tables) && are_places(&places, &costs, &codes));
    DOOR(ascend(&starts, order.size) && are_numbers(&order, places.many));
    return BY_WIDTH(chain, places, &costs, starts.at, starts.size - 1, order.at);
}

/* Read sorted rows to and fro: attribute by attribute, every other run of equal beginnings backwards. `runs` and `spare` are
   room for two numbers a row; afterwards the first of each pair in `runs` are the rows in their new order, where all differ.
   Work: O(rows attributes).
   Trusts: that rows are sorted; otherwise the order is another one. */
API i64 kohort_turn(Array keys, i64 attributes, Array runs, Array spare) {
    DOOR(attributes > 0 && keys.size % attributes == 0);
    const i64 rows = keys.size / attributes;
    i64 *run = runs.at, *into = spare.at, many = rows > 0;
    DOOR(runs.size % 2 == 0 && runs.size / 2 == rows && spare.size == runs.size && (keys.item == 2 || keys.item == 4));
    if (rows)
        run[0] = 0, run[1] = rows;
    for (i64 column = 0; column < attributes; column++) {
        i64 found = 0;
        for (i64 one = 0; one < many; one++) {
            const i64 step = one % 2 ? -1 : 1, first = one % 2 ? run[2 * one + 1] - 1 : run[2 * one];
            const i64 end = one % 2 ? run[2 * one] - 1 : run[2 * one + 1];
            i64 begin = first;
            for (i64 row = first; row != end; row += step) {
                const i64 next = row + step;
                if (next != end && number(&keys, next * attributes + column) == number(&keys, row * attributes + column))
                    continue;
                into[2 * found] = least(begin, row), into[2 * found + 1] = most(begin, row) + 1;
                begin = next;
                found++;
            }
        }
        memcpy(run, into, sizeof *run * 2 * (size_t)found);
        many = found;
    }
    return 0;
}

/* ── Division ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* What the classes cost that end with the record read last: `Window`. */
typedef struct {
    i64 slots, *dear, *low, *high, *last;
} Window;

static inline i64 slot(const Window *seen, i64 record) { return record & (seen->slots - 1); }

/* Let the spans of an attribute hold one more, which begins and ends there. */
static inline void widen(const Window *seen, i64 attribute, i64 begin, i64 end, i64 whole, i64 oldest, i64 record) {
    i64 *dear = seen->dear, *low = seen->low + attribute * seen->slots, *high = seen->high + attribute * seen->slots;
    i64 at = slot(seen, record);
    low[at] = begin, high[at] = end;
    dear[at] += within(end - begin, whole);
    for (i64 earlier = record - 1; earlier >= oldest; earlier--) {
        at = slot(seen, earlier);
        const i64 lower = low[at], upper = high[at];
        if (lower <= begin && end <= upper)
            break;
        low[at] = least(lower, begin), high[at] = most(upper, end);
        dear[at] += within(high[at] - low[at], whole) - within(upper - lower, whole);
    }
}

/* Let the sets of an attribute hold one more value; those have it that begin before it was last seen. */
static inline void collect(const Window *seen, Costs *costs, i64 attribute, i64 place, i64 oldest, i64 record) {
    i64 *more = seen->high + attribute * seen->slots, *last = seen->last + costs->first[attribute] + place;
    i64 at = slot(seen, record);
    more[at] = 0;
    seen->dear[at] += set_cost(costs, attribute, 0);
    for (i64 earlier = most(least(*last, record) + 1, oldest); earlier < record; earlier++) {
        at = slot(seen, earlier);
        const i64 before = set_cost(costs, attribute, more[at]);
        seen->dear[at] += set_cost(costs, attribute, ++more[at]) - before;
    }
    *last = record;
}

/* Let the nodes of an attribute stand for one more leaf; the record before it has the leaf `before`. */
static inline void climb(const Window *seen, Costs *costs, i64 attribute, i64 place, i64 before, i64 oldest, i64 record) {
    const i64 bottom = costs->levels[2 * attribute], *above = costs->above;
    const i64 level = level_of(costs, bottom, costs->levels[2 * attribute + 1], place, before);
    i64 *levels = seen->high + attribute * seen->slots, at = slot(seen, record);
    levels[at] = bottom;
    seen->dear[at] += above[bottom + place];
    for (i64 earlier = record - 1; earlier >= oldest; earlier--) {
        at = slot(seen, earlier);
        const i64 own = levels[at];
        if (own < 0 || own >= level)
            break;
        levels[at] = level;
        seen->dear[at] += above[level + place] - above[own + before];
    }
}

/* Let all classes end with one more record, which is of this run; `is_new` says whether it is the run's first. The earlier a
   class begins the more it holds: going back, the first one that holds the value ends the walk. */
LOOP void read(Places line, Costs *costs, i64 run, int is_new, i64 record, const Window *seen) {
    const i64 oldest = most(record - seen->slots + 1, 0);
    seen->dear[slot(seen, record)] = 0;
    for (i64 attribute = 0; attribute < costs->attributes; attribute++) {
        const i64 place = known_place(&line, costs, run, attribute), first = costs->first[attribute];
        const i64 kind = costs->kinds[attribute];
        if (kind == SPAN) {
            const int missing = place == costs->gaps[attribute];
            const i64 begin = missing ? AWAY : costs->starts[first + place], end = missing ? AWAY : costs->ends[first + place];
            widen(seen, attribute, begin, end, costs->whole[attribute], oldest, record);
        } else if (kind == SET)
            collect(seen, costs, attribute, place, oldest, record);
        else
            climb(seen, costs, attribute, place, known_place(&line, costs, run - is_new, attribute), oldest, record);
    }
}

typedef struct {
    i64 first, last, k, run, width;
    const i64 *ends;
    const u8 *allowed;
    i64 *total, *before;
} Dividing;

LOOP i64 divide(Places line, Costs *costs, const Dividing *asked, const Window *seen) {
    i64 run = asked->run;
    for (i64 end = asked->first; end <= asked->last; end++) {
        while (asked->ends[run + 1] < end)
            DOOR(++run < line.many);
        read(line, costs, run, asked->ends[run] == end - 1 && run > 0, end - 1, seen);
        const u8 *allowed = asked->allowed ? asked->allowed + (end - asked->first) * asked->width : NULL;
        i64 best = NEVER, before = 0;
        for (i64 size = asked->k; size <= least(end, asked->k + asked->width - 1); size++) {
            const i64 whole = asked->total[end - size] + size * seen->dear[slot(seen, end - size)];
            if (whole < best && (!allowed || allowed[size - asked->k]))
                best = whole, before = end - size;
        }
        asked->total[end] = best, asked->before[end] = before;
    }
    return costs->fits ? 0 : REFUSED;
}

/* Divide some more beginnings of the line, from the first to the last, into classes of at least k records, at least cost:
   `kohort.algorithms.mondrian.division` says how. `allowed` says of each beginning whether the k, k + 1, … records before its
   end may be a class, of so many sizes as its width; empty: all may. The window has what was read so far, `run` is that of the
   first one's last record. Places are looked at as they are read. Work: O(width) for a record, and for each class that becomes
   dearer.
   Trusts: that the costs are those of the table; what they do not know is refused. */
API i64 kohort_divide(Array tables, Array codes, Array ends, i64 first, i64 last, i64 k, i64 run, i64 width, Array allowed,
                      Array window, Array total, Array before) {
    Costs costs;
    DOOR(are_costs(&costs, &tables) && window.size == 4);
    const Array *of = window.at;
    const i64 d = costs.attributes, slots = of[0].size;
    const Window seen = {slots, of[0].at, of[1].at, of[2].at, of[3].at};
    Places line;
    DOOR(are_tuples(&line, &costs, &codes) && ends.size == line.many + 1 && is_inside(run, 1, line.many));
    DOOR(is_power(slots) && of[1].size / d == slots && of[2].size / d == slots && of[3].size == costs.steps);
    DOOR(k > 0 && width > 0 && k <= slots && width <= slots + 1 - k);
    DOOR(first > 0 && last >= first - 1 && last < total.size && before.size == total.size);
    DOOR(!allowed.size || (allowed.size % width == 0 && allowed.size / width == last - first + 1));
    const Dividing asked = {first, last, k, run, width, ends.at, allowed.size ? allowed.at : NULL, total.at, before.at};
    return BY_WIDTH(divide, line, &costs, &asked, &seen);
}

/* List where the classes of the best division of all end, the last first, where there is room; how many they are.
   Work: one step for each class. Trusts: that `before` is as `kohort_divide` left it. */
API i64 kohort_trace(Array before, Array ends) {
    const i64 *last = before.at;
    i64 found = 0;
    for (i64 end = before.size - 1; end > 0; end = last[end], found++) {
        if (found < ends.size)
            ((i64 *)ends.at)[found] = end;
        DOOR(last[end] >= 0 && last[end] < end);
    }
    return found;
}

LOOP i64 enclose(Places quasi, i64 width, const Array *tuples, const i64 *regions, void *low, void *high) {
    for (i64 piece = 0; piece < tuples->size; piece++) {
        const i64 from = ((const i64 *)tuples->at)[piece] * width, into = regions[piece] * width;
        for (i64 column = 0; column < width; column++) {
            if (quasi.item == 2) {
                const u16 code = ((const u16 *)quasi.codes)[from + column];
                u16 *least_ = (u16 *)low + into + column, *most_ = (u16 *)high + into + column;
                *least_ = code < *least_ ? code : *least_, *most_ = code > *most_ ? code : *most_;
            } else {
                const u32 code = ((const u32 *)quasi.codes)[from + column];
                u32 *least_ = (u32 *)low + into + column, *most_ = (u32 *)high + into + column;
                *least_ = code < *least_ ? code : *least_, *most_ = code > *most_ ? code : *most_;
            }
        }
    }
    return 0;
}

/* Lower and raise the ends of each region to the codes of its pieces: tuples, and the region of each. Work: O(pieces columns).
   Trusts: nothing. */
API i64 kohort_enclose(Array codes, i64 width, Array tuples, Array regions, Array low, Array high) {
    DOOR(width > 0 && codes.size % width == 0 && low.size % width == 0 && high.size == low.size);
    const Places quasi = {codes.at, codes.size / width, codes.item};
    DOOR(low.item == codes.item && high.item == codes.item && tuples.size == regions.size);
    DOOR(are_numbers(&tuples, quasi.many) && are_numbers(&regions, low.size / width));
    return BY_WIDTH(enclose, quasi, width, &tuples, regions.at, low.at, high.at);
}

/* ── New orders ──────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Let groups follow one another, of so many neighbours at first and then of so many `beside` each time the one that costs
   least with the last, ties the earlier. None is empty. Work: O(beside (attributes + words)) for a group, and the height of each
   tree.
   Trusts: that the costs are those of the table; what they do not know is refused. */
API i64 kohort_follow(Array tables, Array some, Array chain, i64 first, i64 beside) {
    Costs costs;
    Groups groups;
    DOOR(are_costs(&costs, &tables) && are_groups(&groups, &costs, &some) && are_known(&groups, &costs));
    DOOR(are_numbers(&chain, groups.many) && first > 0 && beside > 0);
    i64 *order = chain.at, end = least(first, chain.size);
    for (i64 begin = 0; begin < chain.size;) {
        for (i64 place = most(begin, 1); place < end; place++) {
            i64 best = place, cheapest = joined_cost(&costs, &groups, order[place - 1], order[place]);
            for (i64 other = place + 1; other < end; other++) {
                const i64 dear = joined_cost(&costs, &groups, order[place - 1], order[other]);
                if (dear < cheapest || (dear == cheapest && order[other] < order[best]))
                    best = other, cheapest = dear;
            }
            swap(order, place, best);
        }
        begin = end;
        end += least(beside, chain.size - end);
    }
    return costs.fits ? 0 : REFUSED;
}

/* By how much a tuple raises the cost of a group; all values but the second are worth the same to a set. */
LOOP i64 raised(Places line, i64 row, const Groups *groups, i64 one, Costs *costs) {
    const i64 *lows = groups->low + one * costs->attributes, *highs = groups->high + one * costs->attributes;
    const u64 *bits = groups->bits + one * costs->wide;
    i64 total = 0;
    for (i64 attribute = 0; attribute < costs->attributes; attribute++) {
        const i64 place = place_of(&line, costs, row, attribute), kind = costs->kinds[attribute];
        const i64 low = lows[attribute], high = highs[attribute], below = least(low, place), above = most(high, place);
        if (kind == SET) {
            const i64 more = low != high;
            if (!(bits[costs->words[attribute] + (place >> 6)] >> (place & 63) & 1))
                total += set_cost(costs, attribute, more + 1) - set_cost(costs, attribute, more);
        } else if (low <= place && place <= high)
            continue;
        else if (kind == SPAN)
            total += span_cost(costs, attribute, below, above) - span_cost(costs, attribute, low, high);
        else
            total += ancestor_cost(costs, attribute, below, above) - ancestor_cost(costs, attribute, low, high);
    }
    return total;
}

LOOP i64 lean(Places line, const i64 *starts, const Groups *groups, Costs *costs, i64 *nearer) {
    for (i64 part = 0; part < groups->many; part++)
        for (i64 row = starts[part]; row < starts[part + 1]; row++) {
            nearer[row] = part > 0 ? raised(line, row, groups, part - 1, costs) : 0;
            nearer[row] -= part + 1 < groups->many ? raised(line, row, groups, part + 1, costs) : 0;
        }
    return costs->fits ? 0 : REFUSED;
}

/* Write by how much more each row raises the cost of the part before its own than that of the part behind it; at the line's
   ends there is nothing to raise. Parts are the rows from each start to the next, and these groups of them, none of which is
   empty. Work: O(rows attributes), and the height of each tree.
   Trusts: that the costs are those of the table; what they do not know is refused. */
API i64 kohort_lean(Array tables, Array codes, Array starts, Array some, Array nearer) {
    Costs costs;
    Places line;
    Groups groups;
    DOOR(are_costs(&costs, &tables) && are_places(&line, &costs, &codes) && are_groups(&groups, &costs, &some));
    DOOR(are_known(&groups, &costs) && starts.size == groups.many + 1 && ascend(&starts, line.many) && nearer.size == line.many);
    return BY_WIDTH(lean, line, starts.at, &groups, &costs, nearer.at);
}
