/* Room "models".

   What privacy models measure in classes. The definitions themselves are in `kohort.models`.

   A histogram is a row of counts for each class: the people with each of some values. Where there are places, they say which
   values these are; else each column is a value. Counts may be any numbers. Every function takes a step for each count, and
   those that say so some more. `tests/reference/model_loops.py` has the same loops in Python. */

#include "core.h"

typedef struct {
    const i64 *counts, *places;
    i64 classes, width, values;
} Histogram;

/* Whether there are so many classes, and, where there are no places, no more columns than values. */
static int is_histogram(Histogram *of, const Array *counts, i64 width, const Array *places, i64 values, i64 classes) {
    *of = (Histogram){counts->at, places->size ? places->at : 0, classes, width, values};
    if (width < 0 || (width ? counts->size % width || counts->size / width != classes : counts->size != 0))
        return 0;
    return places->size ? places->size == counts->size : width <= values;
}

static const Array NO_PLACES = {0, 0, 8};

/* The places of a row, if there are any; and which value a column is of, beyond all values where a place is wrong. */
static const i64 *places_of(const Histogram *of, i64 row) { return of->places ? of->places + row * of->width : 0; }

static u64 value_of(const i64 *places, i64 column) { return (u64)(places ? places[column] : column); }

static i64 people_in(const i64 *counts, i64 width) {
    i64 people = 0;
    for (i64 column = 0; column < width; column++)
        people += counts[column];
    return people;
}

/* ── Which values there are ──────────────────────────────────────────────────────────────────────────────────────── */

/* Count the values of each class.
   Work: one step for each count. Trusts: that counts are those of people, no more than models can judge; other sums
   wrap around. */
API i64 kohort_count_values(Array counts, i64 width, Array found) {
    Histogram of;
    DOOR(is_histogram(&of, &counts, width, &NO_PLACES, width, found.size));
    for (i64 row = 0; row < of.classes; row++) {
        const i64 *count = of.counts + row * width;
        u64 values = 0;
        for (i64 column = 0; column < width; column++)
            values += (u64)-count[column] >> 63; /* whether it is above 0: its negative has a sign */
        ((i64 *)found.at)[row] = (i64)values;
    }
    return 0;
}

/* Write the least and the greatest rank of a value of each class; of none, how many ranks there are and -1.
   Work: one step for each count. Trusts: that counts are those of people, no more than models can judge; other sums
   wrap around. */
API i64 kohort_find_ends(Array counts, i64 width, Array places, Array ranks, Array lowest, Array highest) {
    Histogram of;
    DOOR(is_histogram(&of, &counts, width, &places, ranks.size, lowest.size) && highest.size == lowest.size);
    for (i64 row = 0; row < of.classes; row++) {
        const i64 *count = of.counts + row * width, *place = places_of(&of, row);
        i64 low = ranks.size, high = -1;
        for (i64 column = 0; column < width; column++) {
            const u64 value = value_of(place, column);
            DOOR(value < (u64)of.values);
            const i64 rank = ((const i64 *)ranks.at)[value], absent = -(i64)(count[column] <= 0);
            const i64 least = rank | (absent & INT64_MAX), most = rank | absent; /* of none, the greatest number, and -1 */
            low = least < low ? least : low;
            high = most > high ? most : high;
        }
        ((i64 *)lowest.at)[row] = low, ((i64 *)highest.at)[row] = high;
    }
    return 0;
}

/* Add up the people of each class, and the terms of its counts: those that the table has; then, one after the other, those of
   counts beyond it. Return how many of these there are.
   Work: one step for each count. Trusts: that counts are those of people, no more than models can judge; other sums
   wrap around. */
API i64 kohort_add_terms(Array counts, i64 width, Array table, Array beyond, Array totals, Array sums) {
    Histogram of;
    DOOR(is_histogram(&of, &counts, width, &NO_PLACES, width, totals.size) && sums.size == totals.size);
    const double *term = table.at, *other = beyond.at;
    i64 met = 0;
    for (i64 row = 0; row < of.classes; row++) {
        i64 total = 0;
        double sum = 0;
        for (i64 column = 0; column < width; column++) {
            const i64 people = of.counts[row * width + column];
            total += people;
            if ((u64)people < (u64)table.size) {
                sum += term[people];
                continue;
            }
            sum += met < beyond.size ? other[met] : 0;
            met++;
        }
        ((i64 *)totals.at)[row] = total, ((double *)sums.at)[row] = sum;
    }
    return met;
}

/* Write the greatest count of each class, and the sum of those behind its greatest ones, for which `top` has room. Work: for
   each count as many steps as it has room, at most.
   Trusts: that counts are those of people, no more than models can judge; other sums wrap around. */
API i64 kohort_add_tails(Array counts, i64 width, Array top, Array greatest, Array tails) {
    Histogram of;
    DOOR(is_histogram(&of, &counts, width, &NO_PLACES, width, tails.size));
    DOOR(greatest.size == tails.size && top.size > 0);
    i64 *place = top.at;
    for (i64 row = 0; row < of.classes; row++) {
        i64 tail = 0;
        memset(place, 0, (size_t)top.size * sizeof *place);
        for (i64 column = 0; column < width; column++) {
            i64 people = of.counts[row * width + column];
            for (i64 at = 0; at < top.size && people != 0; at++)
                if (people > place[at]) {
                    const i64 less = place[at];
                    place[at] = people;
                    people = less;
                }
            tail += people;
        }
        ((i64 *)greatest.at)[row] = place[0], ((i64 *)tails.at)[row] = tail;
    }
    return 0;
}

/* ── How frequent values are ─────────────────────────────────────────────────────────────────────────────────────── */

/* Numerators and denominators of the least and the greatest share of each value. */
typedef struct {
    i64 *least, *to_least, *most, *to_most;
    i64 values;
} Limits;

static int are_limits(Limits *of, const Array *limits) {
    i64 *at = limits->at, values = limits->size / 4;
    *of = (Limits){at, at + values, at + 2 * values, at + 3 * values, values};
    return limits->size % 4 == 0;
}

/* Mark the classes that have somebody with a value, and as many values as are needed of those with a least share; all within
   their limits. A class is left at the first that is not.
   Work: one step for each count, up to the first that is not within its limits. Trusts: that counts are those of
   people, no more than models can judge; other sums wrap around. */
API i64 kohort_judge_shares(Array counts, i64 width, Array places, Array limits, i64 needed, Array marks) {
    Histogram of;
    Limits limit;
    DOOR(are_limits(&limit, &limits) && is_histogram(&of, &counts, width, &places, limit.values, marks.size));
    for (i64 row = 0; row < of.classes; row++) {
        const i64 *count = of.counts + row * width, *place = places_of(&of, row), total = people_in(count, width);
        i64 lacking = needed, column = 0;
        for (; column < width; column++) {
            const i64 people = count[column];
            if (people == 0)
                continue;
            const u64 value = value_of(place, column);
            DOOR(value < (u64)of.values);
            const i64 least = limit.least[value], most = limit.most[value];
            lacking -= least > 0;
            if (people * limit.to_least[value] < least * total || people * limit.to_most[value] > most * total)
                break;
        }
        ((u8 *)marks.at)[row] = total > 0 && column == width && lacking == 0;
    }
    return 0;
}

/* Make the shares of each value at most and at least those that it has in some class; those of a class without it are 0.
   `has` counts the classes with it, from zeros up.
   Work: one step for each count. Trusts: that counts are those of people, no more than models can judge; other sums
   wrap around. */
API i64 kohort_find_shares(Array counts, i64 width, Array places, Array has, Array shares) {
    Histogram of;
    Limits share;
    DOOR(are_limits(&share, &shares) && has.size == share.values);
    DOOR(is_histogram(&of, &counts, width, &places, share.values, width ? counts.size / width : 0));
    i64 *met = has.at;
    for (i64 row = 0; row < of.classes; row++) {
        const i64 *count = of.counts + row * width, *place = places_of(&of, row), total = people_in(count, width);
        for (i64 column = 0; column < width; column++) {
            const i64 people = count[column];
            if (people == 0)
                continue;
            const u64 value = value_of(place, column);
            DOOR(value < (u64)of.values);
            met[value]++;
            if (people * share.to_least[value] < share.least[value] * total)
                share.least[value] = people, share.to_least[value] = total;
            if (people * share.to_most[value] > share.most[value] * total)
                share.most[value] = people, share.to_most[value] = total;
        }
    }
    for (i64 value = 0; value < share.values; value++)
        if (met[value] < of.classes)
            share.least[value] = 0, share.to_least[value] = 1;
    return 0;
}

/* ── How far distributions lie apart ─────────────────────────────────────────────────────────────────────────────── */

/* Without a branch, for signs follow no rule. */
static double size_of(i64 difference) { return __builtin_fabs((double)difference); }

/* Add up over intervals of the values' order how much each class has more or less of them than the table: of each, its first
   value, the one after its last, and the people of the table in it. `below` is room for a number more than values. Work: the
   intervals of each class.
   Trusts: that counts are those of people, no more than models can judge; other sums wrap around. */
API i64 kohort_move(Array counts, i64 width, Array intervals, i64 people, Array below, Array totals, Array moved) {
    Histogram of;
    DOOR(is_histogram(&of, &counts, width, &NO_PLACES, width, totals.size) && moved.size == totals.size);
    DOOR(intervals.size % 3 == 0 && below.size - 1 == width);
    const i64 *interval = intervals.at;
    for (i64 at = 0; at < intervals.size; at += 3)
        DOOR(is_inside(interval[at], 0, width) && is_inside(interval[at + 1], 0, width));
    i64 *before = below.at;
    for (i64 row = 0; row < of.classes; row++) {
        i64 total = 0;
        for (i64 column = 0; column < width; column++) {
            before[column] = total;
            total += of.counts[row * width + column];
        }
        before[width] = total;
        double sum = 0;
        for (i64 at = 0; at < intervals.size; at += 3)
            sum += size_of((before[interval[at + 1]] - before[interval[at]]) * people - interval[at + 2] * total);
        ((i64 *)totals.at)[row] = total, ((double *)moved.at)[row] = sum;
    }
    return 0;
}

/* The first of some places, ascending, below which the table has no smaller share than a class has. */
static i64 turn_of(const i64 *table, i64 first, i64 end, i64 total, i64 found) {
    if (first >= end || table[end - 1] * total < found)
        return end; /* most often the class has either fewer everywhere, or more */
    if (table[first] * total >= found)
        return first;
    while (first < end) {
        const i64 middle = (first + end) / 2;
        if (table[middle] * total < found)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

/* Add up over the first i values, for each i, how much each class has more or less of them than the table: between one value
   and the next that somebody has, at once. The table is its people with one of the first i values, and the sum of that for all
   smaller i. Work: for each value of a class a search by halves.
   Trusts: that counts are those of people, no more than models can judge; other sums wrap around. */
API i64 kohort_move_in_order(Array counts, i64 width, Array places, Array table, Array totals, Array moved) {
    Histogram of;
    const i64 size = table.size / 2 - 1;
    DOOR(table.size % 2 == 0 && size >= 0 && is_histogram(&of, &counts, width, &places, size, totals.size));
    DOOR(moved.size == totals.size);
    const i64 *added = table.at, *twice = added + size + 1, people = added[size];
    for (i64 row = 0; row < of.classes; row++) {
        const i64 *count = of.counts + row * width, *place = places_of(&of, row), total = people_in(count, width);
        i64 first = 1, found = 0;
        double sum = 0;
        for (i64 column = 0; column <= width; column++) {
            i64 end = size;
            if (column < width) {
                if (count[column] == 0)
                    continue;
                const u64 value = value_of(place, column);
                DOOR(value < (u64)of.values);
                end = (i64)value + 1;
            } else if (total == 0)
                continue;
            if (first < end) {
                const i64 turn = turn_of(added, first, end, total, found * people);
                const i64 more = twice[end] - 2 * twice[turn] + twice[first];
                sum += (double)(2 * turn - first - end) * (double)(found * people) + (double)more * (double)total;
                first = end;
            }
            found += column < width ? count[column] : 0;
        }
        ((i64 *)totals.at)[row] = total, ((double *)moved.at)[row] = sum;
    }
    return 0;
}

/* Add up over the nodes of all levels how much each class has more or less of the values below a node than the table. A level
   is the node of each value, ascending, and the people of the table below it. Work: as often as there are levels.
   Trusts: that counts are those of people, no more than models can judge; other sums wrap around. */
API i64 kohort_move_by_node(Array counts, i64 width, Array places, Array nodes, Array below, i64 values, i64 people,
                            Array totals, Array moved) {
    Histogram of;
    DOOR(is_histogram(&of, &counts, width, &places, values, totals.size) && moved.size == totals.size);
    DOOR(values > 0 ? nodes.size % values == 0 : values == 0 && nodes.size == 0);
    DOOR(below.size == nodes.size);
    double *sum = moved.at;
    for (i64 row = 0; row < of.classes; row++) {
        ((i64 *)totals.at)[row] = people_in(of.counts + row * width, width);
        sum[row] = 0;
    }
    for (i64 level = 0; level < nodes.size; level += values) {
        const i64 *node = (const i64 *)nodes.at + level, *under = (const i64 *)below.at + level;
        for (i64 row = 0; row < of.classes; row++) {
            const i64 *counted = of.counts + row * width, *place = places_of(&of, row), total = ((const i64 *)totals.at)[row];
            i64 absent = people, inside = 0, last = 0;
            for (i64 column = 0; column < width; column++) {
                const i64 count = counted[column];
                if (count == 0)
                    continue;
                const u64 value = value_of(place, column);
                DOOR(value < (u64)values);
                if (inside > 0 && node[value] != node[last]) {
                    sum[row] += size_of(inside * people - under[last] * total);
                    absent -= under[last];
                    inside = 0;
                }
                inside += count;
                last = (i64)value;
            }
            if (inside > 0) {
                sum[row] += size_of(inside * people - under[last] * total);
                absent -= under[last];
            }
            sum[row] += (double)absent * (double)total; /* nodes that nobody is in: all that the table has */
        }
    }
    return 0;
}
