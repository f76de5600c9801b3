/* Room "cut".

   Groups of tuples: what they are like, what they cost, and two that grow.

   The arrays are described in kohort.algorithms.mondrian.costs; `tests/reference/order_loops.py` has the plain loops. */

#include "costs.h"

/* Put a tuple into a group. */
LOOP void add(const Groups *groups, i64 one, Places places, i64 row, Costs *costs) {
    i64 *low = groups->low + one * costs->attributes, *high = groups->high + one * costs->attributes;
    u64 *bits = groups->bits + one * costs->wide;
    for (i64 attribute = 0; attribute < costs->attributes; attribute++) {
        const i64 place = known_place(&places, costs, row, attribute);
        low[attribute] = least(low[attribute], place);
        high[attribute] = most(high[attribute], place);
        if (costs->kinds[attribute] == SET)
            bits[costs->words[attribute] + (place >> 6)] |= (u64)1 << (place & 63);
    }
}

LOOP i64 gather(Places places, const i64 *rows, const i64 *starts, const Groups *groups, Costs *costs) {
    for (i64 one = 0; one < groups->many; one++)
        for (i64 at = starts[one]; at < starts[one + 1]; at++)
            add(groups, one, places, rows ? rows[at] : at, costs);
    return costs->fits ? 0 : REFUSED;
}

/* Put tuples into groups, from each start to the next: these rows, or all in their order where `rows` is empty.
   Work: O(rows attributes).
   Trusts: that the costs are those of the table; what they do not know is refused. */
API i64 kohort_gather(Array tables, Array codes, Array rows, Array starts, Array some) {
    Costs costs;
    Places places;
    Groups groups;
    DOOR(are_costs(&costs, &tables) && are_tuples(&places, &costs, &codes) && are_groups(&groups, &costs, &some));
    const i64 *start = starts.at, *row = rows.size ? rows.at : NULL;
    DOOR(starts.size == groups.many + 1 && start[0] >= 0 && start[groups.many] <= (row ? rows.size : places.many));
    for (i64 one = 0; one < groups.many; one++)
        DOOR(start[one] <= start[one + 1]);
    for (i64 at = 0; at < rows.size; at++)
        DOOR(row[at] >= 0 && row[at] < places.many);
    return BY_WIDTH(gather, places, row, start, &groups, &costs);
}

/* Write what each group costs; none is empty. Work: O(groups (attributes + words)), and the height of each tree.
   Trusts: that the costs are those of the table; what they do not know is refused. */
API i64 kohort_cost_groups(Array tables, Array some, Array out) {
    Costs costs;
    Groups groups;
    DOOR(are_costs(&costs, &tables) && are_groups(&groups, &costs, &some) && are_known(&groups, &costs) && out.size == groups.many);
    for (i64 one = 0; one < groups.many; one++)
        ((i64 *)out.at)[one] = joined_cost(&costs, &groups, one, one);
    return costs.fits ? 0 : REFUSED;
}

/* What a group would cost with a tuple. */
LOOP i64 cost_with(Costs *costs, const Groups *group, Places places, i64 row) {
    i64 total = 0;
    for (i64 attribute = 0; attribute < costs->attributes; attribute++) {
        const i64 place = known_place(&places, costs, row, attribute), kind = costs->kinds[attribute];
        const i64 low = least(group->low[attribute], place), high = most(group->high[attribute], place);
        if (kind == SPAN)
            total += span_cost(costs, attribute, low, high);
        else if (low < high && kind == ANCESTOR)
            total += ancestor_cost(costs, attribute, low, high);
        else if (low < high) {
            const i64 first = costs->words[attribute], own = first + (place >> 6);
            i64 more = -1;
            for (i64 word = first; word < costs->words[attribute + 1]; word++)
                more += ones(group->bits[word] | (u64)(word == own) << (place & 63));
            total += set_cost(costs, attribute, more);
        }
    }
    return total;
}

LOOP i64 cost_each(Places places, Costs *costs, const Groups *group, i64 *out) {
    for (i64 row = 0; row < places.many; row++)
        out[row] = cost_with(costs, group, places, row);
    return costs->fits ? 0 : REFUSED;
}

/* Write what a group, which is not empty, would cost with each tuple. Work: O(tuples (attributes + words)), and likewise.
   Trusts: that the costs are those of the table; what they do not know is refused. */
API i64 kohort_cost_with_each(Array tables, Array some, Array codes, Array out) {
    Costs costs;
    Places places;
    Groups group;
    DOOR(are_costs(&costs, &tables) && are_groups(&group, &costs, &some) && group.many == 1 && are_known(&group, &costs));
    DOOR(are_tuples(&places, &costs, &codes) && out.size == places.many);
    return BY_WIDTH(cost_each, places, &costs, &group, out.at);
}

/* ── Two groups that grow ────────────────────────────────────────────────────────────────────────────────────────── */

/* How wide a box is along an axis once it reaches a place. */
static inline double width(double low, double high, double place) {
    return (place > high ? place : high) - (place < low ? place : low);
}

/* Let each point of an order join, of two boxes, the one that it makes less wide, ties the first; those that are in one
   already stay. `low` and `high` are the boxes, and `is_first` says which points are in the first: of those in the order,
   all that it does not join are in the second. Work: O(points axes).
   Trusts: that no coordinate is missing. */
API i64 kohort_grow_boxes(Array points, Array order, i64 first, i64 second, Array low, Array high, Array is_first) {
    const i64 axes = low.size / 2, many = is_first.size, *place = order.at;
    double *lower = low.at, *upper = high.at;
    DOOR(axes > 0 && low.size == 2 * axes && high.size == low.size && points.size / axes == many && points.size % axes == 0);
    DOOR(is_inside(first, 1, many) && is_inside(second, 1, many));
    ((u8 *)is_first.at)[first] = 1;
    for (i64 at = 0; at < order.size; at++) {
        DOOR(is_inside(place[at], 1, many));
        if (place[at] == first || place[at] == second)
            continue;
        const double *point = (const double *)points.at + place[at] * axes;
        double sums[2] = {0, 0}; /* in the order of the axes */
        for (i64 axis = 0; axis < axes; axis++) {
            sums[0] += width(lower[axis], upper[axis], point[axis]);
            sums[1] += width(lower[axes + axis], upper[axes + axis], point[axis]);
        }
        const int other = !(sums[0] <= sums[1]);
        ((u8 *)is_first.at)[place[at]] = !other;
        for (i64 axis = 0; axis < axes; axis++) {
            double *from = lower + other * axes + axis, *to = upper + other * axes + axis;
            *from = point[axis] < *from ? point[axis] : *from;
            *to = point[axis] > *to ? point[axis] : *to;
        }
    }
    return 0;
}
